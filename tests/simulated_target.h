/* A simulated device for tests of `bankline infer`. It computes the times of probes from a machine
 * description and the device's caches, and adds noise. Makes no OpenCL calls. */
#ifndef BANKLINE_TESTS_SIMULATED_TARGET_H
#define BANKLINE_TESTS_SIMULATED_TARGET_H

#include "infer/infer.h"
#include "infer/target.h"

#define SIMULATED_PAGE_MISS 1.06 /* factor for the time of reads beyond page_reach_bytes */

struct simulated_cache {
    double bytes, latency_ns;
    unsigned ways;
    bool is_hashed; /* whether the set is a hash of the address, instead of some of its bits */
    unsigned granule_bytes; /* number of bytes that the next level delivers after a miss */
    double bytes_per_ns;
};

/* The times of requests, operations and launches. The latencies of the levels are in struct
 * simulated_cache and struct simulated. line_ns has the caches in order, and then memory. */
struct simulated_times {
    double conflict_ns, pass_ns; /* additional latency of a request with bank conflicts:
                                    conflict_ns, and pass_ns for each further pass */
    double line_ns[BL_LEVELS + 1],
        far_line_ns; /* additional latency for each further line of a request; far_line_ns if the
                        lines are at least BL_FAR_BYTES apart in memory */
    double written_ns, written_line_ns;   /* latency of a read of data that was just written, and
                                             additional latency for each further line */
    double unit_line_ns;                  /* time for each line that a unit receives */
    unsigned unit_lines, sub_group_lines; /* max outstanding lines of a unit and of a sub-group; 0
                                             for no limit */
    double chain_ns[3];                   /* time per operation for each enum bl_chain */
    double launch_ns, group_ns, item_ns;  /* time of a launch, of starting each group, and of
                                             starting each work-item of large groups (0 if none) */
    double queued_ns;     /* time of a launch of one group that is queued behind another; may
                             equal launch_ns */
    double enqueue_ns;    /* the host's time to enqueue a launch */
    double written_share; /* write rate of a level, as a fraction of its read rate */
    unsigned instructions_per_clock; /* instructions that a compute unit issues */
    unsigned sub_groups_per_unit;
};

struct simulated {
    struct bl_machine machine;      /* the machine to infer */
    bool broadcasts, merges_writes; /* whether lanes that read, or write, the same word of local
                                       memory are served together */
    unsigned write_lanes; /* number of lanes whose local writes are served together; 0 for all lanes
                             of a request */
    bool follows_no_rule; /* whether the time of a request is a random number that depends on its
                             addresses */
    bool is_flat;         /* whether all requests take the same time */
    double clock_ns;
    struct simulated_cache caches[BL_LEVELS];
    unsigned cache_count;
    double memory_latency_ns, memory_bytes_per_ns;
    double page_reach_bytes; /* a chase over more bytes takes longer; 0 for no limit */
    unsigned units, groups_per_unit, local_bytes_per_unit;
    unsigned reserved_bytes; /* local memory that each group takes in addition to its own */
    double barrier_ns;       /* time of a barrier and a local access, with only one sub-group */
    struct simulated_times times;
    unsigned fills_local, fills_global; /* number of sub-groups that saturate a compute unit */
    double noise;                       /* standard deviation of a sample's logarithm */
    double outliers;                    /* share of samples that take 1.5 times as long */
    uint64_t random;
    unsigned probes;       /* number of probes so far */
    unsigned interrupt_at; /* number of the probe that is interrupted; 0 for none */
    unsigned fail_at;      /* number of the first of fail_count probes that fail; 0 for none */
    unsigned fail_count;
    bool no_memory;     /* whether probes fail because memory runs out */
    bool no_chains;     /* whether pointer chases cannot be measured */
    bool is_never_busy; /* whether every launch ends before another can be enqueued behind it */
    bool quick;         /* passed to the inference by simulated_infer */
    const struct bl_machine
        *hypotheses; /* the machine whose hypotheses simulated_infer tests first; NULL for none */
    struct bl_array_place arrays[BL_MAX_ARRAYS];
};

/* Makes a random device: 8 to 64 banks of 4 or 8 bytes, lines of 32 to 256 bytes, 8 to 64 lanes, 1
 * to 8 tag banks with random masks, one or two caches. Each seed gives a different device. */
void simulated_make(struct simulated *simulated, uint64_t seed, double noise);

/* Like simulated_make, but with these banks of local memory. */
void simulated_make_banks(struct simulated *simulated, uint64_t seed, double noise,
                          const struct bl_banks *banks);

struct bl_target simulated_target(struct simulated *simulated);

/* For use within the simulation only. simulated_sample adds noise to a time, counts the probe, and
 * fails if the test requests it. simulated_make_times sets simulated->times. */
enum bl_status simulated_sample(struct simulated *simulated, double ns, double *value,
                                struct bl_error *error);
void simulated_make_times(struct simulated *simulated, uint64_t seed);
bl_sample simulated_reads, simulated_chain, simulated_start, simulated_queue;

/* The true value of a finding about times, by its key; NAN if this device has no such value. */
double simulated_time_of(const struct simulated *simulated, const char *key);

/* How findings compare with the device's true values. */
enum { SURE_BINS = 5 };
struct simulated_score {
    unsigned discrete, stated, right; /* number of discrete values; number that the inference
                                         reports; number that are right */
    unsigned stated_at[SURE_BINS], right_at[SURE_BINS]; /* the same by confidence: from 90, 93, 97,
                                                           99 and 99.9 % */
    unsigned intervals, held; /* number of 95 % intervals; number that contain the true value */
    char wrong[512];          /* keys of the wrong and unknown values */
};
/* Infers the device. The settings are its members quick, hypotheses and random. */
enum bl_status simulated_infer(struct simulated *simulated, struct bl_findings *findings,
                               struct bl_error *error);
/* Compares the findings with the device's true values. */
struct simulated_score simulated_compare(const struct simulated *simulated,
                                         const struct bl_findings *findings);
/* Adds all counts of a score to *sum, but not the keys of its wrong values. */
void simulated_add(struct simulated_score *sum, const struct simulated_score *score);

/* Counts of the results of several inferences. The banks of each device are those of one of a
 * machine's hypotheses, and the inference tests the hypotheses first. */
struct simulated_weighing {
    unsigned devices, failed;
    unsigned likeliest;            /* number of devices on which the right hypothesis is the most
                                      probable */
    unsigned stated, stated_right; /* number of devices for which the inference reports banks;
                                      number of devices whose reported banks are right */
    unsigned sure, sure_right;     /* the same, only for banks with a confidence of at least 99 % */
    unsigned masks, wrong_masks;   /* number of devices for which the inference reports masks of tag
                                      banks; number of devices whose reported masks are wrong */
    unsigned points, max_points;   /* number of points measured to find the banks; number of
                                      points available */
};

/* Infers a device whose banks are those of the machine's hypothesis with this index, and adds the
 * result to *sum. all: make a whole inference; otherwise a quick one without pointer chases. */
void simulated_weigh(const struct bl_machine *machine, unsigned hypothesis, uint64_t seed,
                     double noise, bool all, struct simulated_weighing *sum);
void simulated_add_weighing(struct simulated_weighing *sum, const struct simulated_weighing *more);

/* Prints a row of a Markdown table. */
void simulated_print_weighing(FILE *file, const char *name, const struct simulated_weighing *sum);

/* Whether no inference failed, no mask is wrong, the right banks are the most probable on at least
 * 99 % of the devices, and at least 98 % of the banks reported with a confidence of 99 % are
 * right. */
bool simulated_weighing_is_good(const struct simulated_weighing *sum);

#endif
