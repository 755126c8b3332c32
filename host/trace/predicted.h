/* Predicts two times for each kernel of a trace: the time of its first launch, which finds in L2
 * what the program's earlier kernels left there, and the time of a later launch, which follows
 * launches of the same kernel.
 *
 * Launches are simulated (launch_time.h) as they come in. Of a kernel's launches, only the first,
 * second, fourth, eighth and so on are simulated. Each of these stands for itself and for the
 * launches since the previous simulated launch. */
#ifndef BANKLINE_TRACE_PREDICTED_H
#define BANKLINE_TRACE_PREDICTED_H

#include "trace/launch_time.h"

struct bl_suggestions;
struct bl_trace;

/* A kernel's times in ns. Except for first_ns, they are means per launch. */
struct bl_predicted {
    const char *why_not; /* a sentence; NULL if the kernel is predicted */
    unsigned launches;   /* launches simulated; 0 if not predicted */
    double first_ns;     /* the kernel's first launch; if it is the program's first launch, with the
                            time to wake up the device */
    double ns;           /* with warm caches */
    /* The interval for any launch, including the first. Its lower end: loops unrolled 16 times,
     * 70 % of the arithmetic and warm caches, minus 10 %. Its upper end: no loop unrolled, 150 % of
     * the arithmetic, cold caches and the kernel's code in memory, plus 10 %. Both ends allow for
     * launches that start faster or slower, and the upper end for a slow first launch.
     */
    double lo_ns, hi_ns;
    double first_more_ns; /* how much later than first_ns the first launch may end: because of a
                             slower wake-up and more arithmetic */
    enum bl_time_limit limited_by; /* the limit with the largest share */
    double shares[BL_LIMITS];
    /* What-ifs, on warm caches; NAN if not simulated. */
    double twice_groups_ns; /* a launch of twice as many groups */
    double larger_group_ns; /* the same work in groups of twice the size */
    double weight;          /* number of launches that the simulated launches stand for */
    unsigned queued;        /* launches that were enqueued while the device was busy */
};

/* The state of the prediction while a trace is read. Initialize with zeros, except `registers`. */
struct bl_predicting {
    unsigned registers;        /* per work-item, for all kernels; 0 if unknown */
    struct bl_streams streams; /* of the current launch */
    struct bl_l2_left left;    /* what launches and the host left in L2 so far */
    /* A launch has woken up the device, or a transfer just before the first launch. */
    bool is_awake;
    /* When the host had enqueued the last launch, and when the device will have run everything that
     * has been enqueued, in ns since the same moment. is_queued: the device is busy when the
     * current launch is enqueued. */
    double host_ns, device_ns;
    bool is_queued;
    /* For each kernel, the events of its last simulated launch. */
    struct bl_stream_kept *kept;
    size_t kept_count;
};

/* Call it when a launch of the kernel begins. has_waited: the program has waited for the device
 * since it enqueued the launch before this one. transferred: bytes of transfers since then for
 * which it has not waited. */
void bl_predict_begin(struct bl_trace *trace, unsigned kernel, bool has_waited,
                      uint64_t transferred);

/* Call it when the launch has ended. is_cut: the launch was cut short; then its completely traced
 * groups stand for all of its groups. Fails with BL_NO_MEMORY. */
enum bl_status bl_predict_end(struct bl_trace *trace, unsigned kernel, bool is_cut,
                              struct bl_error *error);

/* Call it when the host has written memory between launches. Returns false if memory runs out. */
bool bl_predict_host(struct bl_trace *trace, uint64_t address, uint64_t bytes);

/* Computes the means once all launches have ended. If bl_trace_bound was called, a time below the
 * kernel's lower bound is raised to that bound. */
void bl_predict_finish(struct bl_trace *trace);

void bl_predicting_free(struct bl_predicting *predicting);

/* Predicted times with the suggested layouts. */

/* Fills in predicted_ns of each suggestion that changes a layout: simulates the kernel's last
 * simulated launch again, with the addresses of the suggested layout. Kernels with a suggestion to
 * swap ids are skipped, because their other suggestions assume the swap. Call it after
 * bl_predict_finish. Fails with BL_NO_MEMORY. */
enum bl_status bl_predict_fixes(const struct bl_trace *trace, struct bl_suggestions *suggestions,
                                struct bl_error *error);

#endif
