/* Predicted times of a trace's kernels: of a kernel's first launch, which finds in L2 what the
 * program's earlier kernels left there, and of one that follows other launches of its own.
 *
 * Launches are simulated (launch_time.h) as they come in. Of many launches of a kernel the first,
 * second, fourth, eighth and so on are simulated, and stand for those up to the next one.
 */
#ifndef BANKLINE_TRACE_PREDICTED_H
#define BANKLINE_TRACE_PREDICTED_H

#include "trace/launch_time.h"

struct bl_trace;

/* A kernel's times: means over its launches, in ns of one launch. */
struct bl_predicted {
    const char *why_not; /* a sentence; NULL: it is predicted */
    unsigned launches;   /* that were simulated; 0: not predicted */
    double first_ns;     /* of the first launch; the program's first one finds the device idle */
    double ns;           /* with warm caches */
    /* The interval for any launch, the first included: from loops unrolled 16 times on warm caches,
     * less 10 %, to none unrolled on cold caches with the kernel's code in memory, and 10 % more.
     */
    double lo_ns, hi_ns;
    enum bl_time_limit limited_by; /* the largest share of `ns` */
    double shares[BL_LIMITS];
    /* What-ifs, on warm caches; NAN: not simulated. */
    double twice_groups_ns; /* a launch of twice as many groups */
    double larger_group_ns; /* the same work in groups of twice the size */
    double weight;          /* launches that the simulated ones stand for */
};

/* State of the prediction while a trace comes in. All zero but the registers: it begins. */
struct bl_predicting {
    unsigned registers;        /* of a work-item of any kernel; 0: not known */
    struct bl_streams streams; /* of the current launch */
    struct bl_l2_left left;    /* by the launches so far */
    bool has_launched;         /* any kernel */
    /* By kernel: of its last launch that was simulated. */
    struct bl_stream_kept *kept;
    size_t kept_count;
};

/* A kernel's launch begins; number: from 1 for its first. */
void bl_predict_begin(struct bl_trace *trace, unsigned number);

/* It has ended, or was cut short (is_cut): then its whole groups stand for all. BL_NO_MEMORY. */
enum bl_status bl_predict_end(struct bl_trace *trace, unsigned kernel, bool is_cut,
                              struct bl_error *error);

/* Computes the means once all launches have ended. A time below the kernel's bound becomes the
 * bound, if bl_trace_bound was called. */
void bl_predict_finish(struct bl_trace *trace);

void bl_predicting_free(struct bl_predicting *predicting);

#endif
