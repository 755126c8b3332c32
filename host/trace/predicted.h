/* The time of a traced kernel's launches, predicted (model/time.h) from the streams of its sampled
 * groups (streams.h): of the first launch, which finds in L2 what the program's kernels before left
 * there, and of one that follows others of its own.
 *
 * Of many launches of a kernel the first, second, fourth, eighth and so on are simulated, and stand
 * for those up to the next one.
 */
#ifndef BANKLINE_TRACE_PREDICTED_H
#define BANKLINE_TRACE_PREDICTED_H

#include "model/time.h"
#include "model/time_cache.h"
#include "trace/streams.h"

struct bl_trace;

/* Of a kernel. Means over its launches, in ns of one launch. */
struct bl_predicted {
    const char *why_not; /* a sentence; NULL: it is predicted */
    unsigned launches;   /* that were simulated; 0: not predicted */
    double first_ns;     /* of the first launch; the program's first one finds the device idle */
    double ns;           /* with warm caches */
    /* What other choices of a compiler, and both states of L2, make of any launch, the first one
     * too: from loops unrolled 16 times on warm caches, to none unrolled on cold ones with the
     * kernel's code in memory, and 10 % beyond both. */
    double lo_ns, hi_ns;
    enum bl_time_limit limited_by; /* the largest share of `ns` */
    double shares[BL_LIMITS];
    /* What-ifs, on warm caches; NAN: not simulated. */
    double twice_groups_ns; /* a launch of twice as many groups */
    double larger_group_ns; /* the same work in groups of twice the size */
    double issue_ns;        /* of `ns`, in which the busiest unit issues instructions */
    double weight;          /* launches that were simulated stand for so many */
};

/* Of a trace whose times are to be predicted. */
struct bl_predicting {
    struct bl_streams streams; /* of the launch under way */
    /* Blocks that launches touched, and how many had been fetched into L2 by then: the more since,
     * the less likely one is still there. */
    struct bl_time_map touched;
    double fetched;
    bool has_launched; /* any kernel */
};

/* A launch of the kernel begins, the so-manieth of it. */
void bl_predict_begin(struct bl_trace *trace, unsigned launch);

/* It has ended. BL_NO_MEMORY. */
enum bl_status bl_predict_end(struct bl_trace *trace, unsigned kernel, struct bl_error *error);

/* Once, when all have ended: the means; nothing takes less than its bound, if bl_trace_bound was
 * called. */
void bl_predict_finish(struct bl_trace *trace);

/* Whether a kernel issues instructions for all of its predicted time once `requests` of its traced
 * groups compute a longer index, as for padded rows: then another layout of the array that they
 * access gains nothing. False where no time is predicted. To be called after bl_predict_finish. */
bool bl_predicted_is_busy(const struct bl_trace *trace, unsigned kernel, double requests);

void bl_predicting_free(struct bl_predicting *predicting);

#endif
