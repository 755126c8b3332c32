/* A made-up device for inference: a machine, its caches and its noise, turned into the times of
 * probes. No OpenCL. */
#ifndef BANKLINE_TESTS_SIMULATED_TARGET_H
#define BANKLINE_TESTS_SIMULATED_TARGET_H

#include "infer/infer.h"
#include "infer/target.h"

#define SIMULATED_PAGE_MISS 1.06 /* what reads take beyond the reach of pages */

struct simulated_cache {
    double bytes, latency_ns;
    unsigned ways;
    bool is_hashed;
    unsigned granule_bytes; /* that the level behind it delivers */
    double bytes_per_ns;
};

/* What requests, operations and launches take, beside the latencies; of levels from the first cache
 * to memory. */
struct simulated_times {
    double conflict_ns, pass_ns;
    double line_ns[BL_LEVELS + 1], far_line_ns;
    double written_ns, written_line_ns;
    double unit_line_ns;                  /* of a unit, for each line that it gets */
    unsigned unit_lines, sub_group_lines; /* that each waits for at most; 0: any */
    double chain_ns[3];                   /* by enum bl_chain */
    double launch_ns, group_ns, item_ns;
};

struct simulated {
    struct bl_machine machine; /* what is to be found */
    bool broadcasts, merges_writes;
    unsigned write_lanes; /* whose local writes are taken together; 0: those of a request */
    bool follows_no_rule; /* each request takes what chance gave it */
    bool is_flat;         /* each request takes as long */
    double clock_ns;
    struct simulated_cache caches[BL_LEVELS];
    unsigned cache_count;
    double memory_latency_ns, memory_bytes_per_ns;
    double page_reach_bytes; /* 0: all */
    unsigned units, groups_per_unit, local_bytes_per_unit, reserved_bytes;
    double barrier_ns;
    struct simulated_times times;
    unsigned fills_local, fills_global; /* sub-groups of a compute unit */
    double noise;                       /* standard deviation of a sample's logarithm */
    double outliers;                    /* share of samples that take half as long again */
    uint64_t random;
    unsigned probes;       /* so far */
    unsigned interrupt_at; /* the probe that is interrupted; 0: none */
    unsigned fail_at;      /* the probe that cannot be had, and fail_count - 1 after it; 0: none */
    unsigned fail_count;
    bool no_memory;                      /* they fail for lack of memory */
    bool no_chains;                      /* reads that depend on each other cannot be measured */
    const struct bl_machine *hypotheses; /* those that simulated_infer weighs first; or NULL */
    struct bl_array_place arrays[BL_MAX_ARRAYS];
};

/* A device like no other of another seed: 8 to 64 banks of 4 or 8 bytes, lines of 32 to 256 bytes,
 * 8 to 64 lanes, 1 to 8 tag banks with random masks, one cache or two. */
void simulated_make(struct simulated *simulated, uint64_t seed, double noise);

/* The same with these banks of local memory. */
void simulated_make_banks(struct simulated *simulated, uint64_t seed, double noise,
                          const struct bl_banks *banks);

struct bl_target simulated_target(struct simulated *simulated);

/* Inside the simulation: a sample of a time, and the devices' times (simulated_times.c). */
enum bl_status simulated_sample(struct simulated *simulated, double ns, double *value,
                                struct bl_error *error);
void simulated_make_times(struct simulated *simulated, uint64_t seed);
bl_sample simulated_reads, simulated_chain, simulated_start;

/* The time of a finding of such a device, by its key; NAN: it has none to be found. */
double simulated_time_of(const struct simulated *simulated, const char *key);

/* Infers, and compares with what is to be found. Of discrete values: how many there are, how many
 * were stated, and how many of these are right; of stated ones, by how sure they were said to be;
 * of intervals, how many hold the value. */
enum { SURE_BINS = 5 };
struct simulated_score {
    unsigned discrete, stated, right;
    unsigned stated_at[SURE_BINS], right_at[SURE_BINS]; /* 90, 93, 97, 99, 99.9 % and more */
    unsigned intervals, held;
    char wrong[512]; /* keys of those stated wrong */
};
enum bl_status simulated_infer(struct simulated *simulated, struct bl_findings *findings,
                               struct bl_error *error);
struct simulated_score simulated_compare(const struct simulated *simulated,
                                         const struct bl_findings *findings);
/* Adds all but the keys. */
void simulated_add(struct simulated_score *sum, const struct simulated_score *score);

/* Inferences of devices that have one of a machine's hypotheses for their banks. */
struct simulated_weighing {
    unsigned devices, failed;
    unsigned likeliest;            /* the right hypothesis has the largest probability */
    unsigned stated, stated_right; /* banks and their bytes are known findings; and right */
    unsigned sure, sure_right;     /* the same, certain to 99 % or more */
    unsigned masks, wrong_masks;   /* masks of tag banks that are known; and wrong */
    unsigned points, max_points;   /* measured to find the banks; without hypotheses */
};

/* Infers a device with the hypothesis of this number and adds the result to *sum. all: whole
 * inferences; else what rests on pointer chases is left out, which takes a quarter of the time. */
void simulated_weigh(const struct bl_machine *machine, unsigned hypothesis, uint64_t seed,
                     double noise, bool all, struct simulated_weighing *sum);
void simulated_add_weighing(struct simulated_weighing *sum, const struct simulated_weighing *more);
void simulated_print_weighing(FILE *file, const char *name, const struct simulated_weighing *sum);

/* Whether no inference failed, the right banks are likeliest on 99 % of the devices, at least 98 %
 * of those stated at 99 % or more are right, and no mask is wrong. */
bool simulated_weighing_is_good(const struct simulated_weighing *sum);

#endif
