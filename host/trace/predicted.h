/* Predicts two times for each kernel of a trace: the time of its first launch, which finds in L2
 * what the program's earlier kernels left there, and the time of a later launch, which follows
 * launches of the same kernel.
 *
 * Launches are simulated (launch_time.h) in the program's order. Of a kernel's launches, the first,
 * second, fourth, eighth and so on are simulated, and, up to a limit, others whose number of
 * accesses differs much from that of each launch simulated before. Each remaining launch is
 * represented by the previously simulated launch with the most similar number of accesses, or by
 * the latest one if none of its groups was traced. */
#ifndef BANKLINE_TRACE_PREDICTED_H
#define BANKLINE_TRACE_PREDICTED_H

#include "trace/launch_time.h"

struct bl_suggestions;
struct bl_trace;

/* A simulated launch. */
struct bl_predicted_launch {
    double accesses; /* estimated number of accesses of all its groups */
    double weight;   /* number of launches that it represents */
    double extra_ns; /* to be added to `times` because of the device's state */
    double grow_ns;  /* part of it: for reserving private memory */
    struct bl_launch_times times;
};

/* A kernel's times in ns. Except for first_ns and first_more_ns, they are means per launch. */
struct bl_predicted {
    const char *why_not; /* a sentence; NULL if the kernel is predicted */
    unsigned launches;   /* launches simulated; 0 if not predicted */
    double first_ns;     /* the kernel's first launch, with the time to wake up an idle device */
    double ns;           /* the mean of the launches after the first, with the time to wake up the
                            device if it was idle; for a single launch, a repetition of it */
    /* The interval for any launch, including the first. The lower end assumes loops unrolled 16
     * times, 70 % of the arithmetic and warm caches; 10 % is subtracted. The upper end assumes
     * loops that are not unrolled, 150 % of the arithmetic, cold caches and the kernel's code in
     * memory; 10 % is added. Both ends allow for launches that start faster or slower than usual,
     * and the upper end also for a slow first launch. */
    double lo_ns, hi_ns;
    double first_more_ns; /* ns that the first launch may take beyond first_ns, because of a slower
                             wake-up and more arithmetic */
    enum bl_time_limit limited_by; /* the limit with the largest share */
    double shares[BL_LIMITS];
    /* Times of changed launches with warm caches; NAN if not simulated. */
    double twice_groups_ns;                /* a launch of twice as many groups */
    double larger_group_ns;                /* the same work in groups of twice the size */
    double weight;                         /* number of launches that `ns` represents */
    struct bl_predicted_launch *simulated; /* freed by bl_trace_free */
    size_t capacity;
    unsigned queued; /* launches that were enqueued while the device was busy; 0 if the machine file
                        does not state how much time this saves */
    bool is_first_queued; /* the first launch is one of them */
    double wake_ns; /* sum over the launches after the first: how much longer they took because
                       they found the device idle */
};

/* The state of the prediction while a trace is read. Initialize with zeros, except `registers`. */
struct bl_predicting {
    unsigned registers;        /* per work-item, for all kernels; 0 if unknown */
    struct bl_streams streams; /* of the current launch */
    struct bl_l2_left left;    /* blocks that launches and the host have left in L2 so far */
    double noted_touches;      /* touches of blocks by launches that were noted in `left`, but not
                                  simulated */
    double host_work_ns;       /* how long the host copied data or computed since the last launch */
    double idle_ns;            /* how long the device had been idle when the current launch began */
    /* host_ns: when the host finished enqueueing the last launch. device_ns: when the device
     * finishes all enqueued work. Both count from the same moment. is_queued: the device is busy
     * when the current launch is enqueued. */
    double host_ns, device_ns;
    bool has_enqueued;         /* the program has enqueued a launch */
    uint64_t private_bytes;    /* the most private memory per work-item of the launches so far */
    double grow_ns;            /* the current launch takes this long to reserve private memory */
    uint64_t accesses, groups; /* accesses: made by the current launch's traced groups; groups:
                                  number of these groups */
    bool is_queued;
    /* For each kernel, the events of its last simulated launch. */
    struct bl_stream_kept *kept;
    size_t kept_count;
};

/* Call this before a launch begins, with what the program has done since the last one: the bytes
 * that the host copied, and for how many ns the program computed (BL_WIRE_HOST_WORK). */
void bl_predict_host_work(struct bl_trace *trace, uint64_t copied, uint64_t computed_ns);

/* Call this when a launch of the kernel begins. told: the value of its record BL_WIRE_KERNEL. */
void bl_predict_begin(struct bl_trace *trace, unsigned kernel, uint64_t told);

/* Call this when a traced group of the launch has ended. accesses: the number of its accesses. */
void bl_predict_group(struct bl_trace *trace, uint64_t accesses);

/* Call this when a group of the launch has run, whether it was traced or not. work: as in
 * BL_WIRE_RAN. Returns false if memory runs out. */
bool bl_predict_ran(struct bl_trace *trace, uint64_t group, uint64_t work);

/* Call this when the launch has ended. is_cut: the launch was cut short; its completely traced
 * groups then represent all of its groups. Fails with BL_NO_MEMORY. */
enum bl_status bl_predict_end(struct bl_trace *trace, unsigned kernel, bool is_cut,
                              struct bl_error *error);

/* Call this when the host has written a range of global memory between launches. Returns false if
 * memory runs out. */
bool bl_predict_host(struct bl_trace *trace, uint64_t address, uint64_t bytes);

/* Computes the means once all launches have ended. If bl_trace_bound was called, a time below the
 * kernel's lower bound is raised to the bound. */
void bl_predict_finish(struct bl_trace *trace);

void bl_predicting_free(struct bl_predicting *predicting);

/* Predicted times with the suggested layouts. */

/* Fills in predicted_ns of each suggestion that changes an array's layout, by simulating the
 * kernel's last simulated launch again with the addresses of the suggested layout. Withdraws a
 * suggestion that makes the kernel slower. Skips kernels with a suggestion to swap ids, because
 * their other suggestions assume the swap. If
 * the time with a new layout of an array in global memory is not predicted, the suggestion's
 * sentence says so. Call this after bl_predict_finish. Fails with BL_NO_MEMORY. */
enum bl_status bl_predict_fixes(const struct bl_trace *trace, struct bl_suggestions *suggestions,
                                struct bl_error *error);

#endif
