/* Private to host/infer: the state of an inference, and the functions that all stages share.
 *
 * A stage measures probes, usually as a batch. Some stages then fit explanations, which are
 * hypothetical machines, to the times. The findings also keep the measurements, as evidence. */
#ifndef BANKLINE_INFER_INFERENCE_H
#define BANKLINE_INFER_INFERENCE_H

#include "infer/infer.h"
#include "infer/posterior.h"
#include "infer/target.h"

enum { BL_MAX_ANCHORS = 16 };

/* One probe of a batch. */
struct bl_point {
    struct bl_lanes_probe lanes;
    struct bl_chase_probe chase; /* if its `places` is 0, the point is a lanes probe */
    char name[40];
    double x; /* the parameter that varies, such as the stride; NAN if there is none */
};

/* Probes that are measured together, and how well explanations fit their times. */
struct bl_batch {
    struct bl_point *points;
    double *log_ns; /* logarithm of each point's median time, after measuring */
    size_t count, capacity;
    bool lacks_memory;        /* memory ran out for a probe; measuring then fails */
    struct bl_point no_place; /* returned instead of a probe if memory runs out */
    /* Results of bl_batch_fit: */
    double *clocks;        /* one per explanation and point */
    struct bl_fit *fits;   /* one per explanation */
    double *probabilities; /* one per explanation, then the probability that none is right */
    size_t likeliest;      /* index of the likeliest explanation */
    bool none_fits;        /* most likely, no explanation is right */
};

struct bl_inference {
    const struct bl_target *target;
    const struct bl_infer_settings *settings;
    struct bl_findings *findings;
    struct bl_error *failure; /* error of the current stage */
    struct bl_batch *batch;   /* batch of the current stage */
    uint64_t random;          /* state of the random numbers */
    unsigned repeats;         /* samples per probe */
    double noise;             /* standard deviation of one sample, a fraction */
    double error;             /* standard error of a probe's median, a fraction */
    /* By enum bl_memory: the value of a lanes probe in ns, divided by its clocks; 0 if not yet
     * known. For local memory, the clocks are those of a whole table, and the quotient is ns per
     * clock / number of compute units, because all units share the work. For global memory, the
     * clocks are those of one request. */
    double unit_ns[3];
    /* The machine found so far; it lists the hypotheses until the first stage has tested them. */
    struct bl_machine machine;
    bool has_local_rule, has_lines, has_global_rule;
    bool lacks_local_times; /* local memory could not be measured */
    double floor;           /* minimum clocks per request */
    /* Lines of one tag bank, exactly as many as the bank looks up per clock. One more line of that
     * bank costs another clock, which adds log_collision to the logarithm of the time. */
    uint64_t anchors[BL_MAX_ANCHORS];
    unsigned anchor_count;
    double log_hit_ns; /* log of the time of requests that read one line */
    double log_collision;
    /* The latency and size of each level, from the first cache to memory. Memory's size is 0. */
    double latency_ns[BL_LEVELS + 1];
    double level_bytes[BL_LEVELS + 1];
    unsigned levels;           /* number of levels, including memory */
    struct bl_knee first_knee; /* the knee at the first cache's size */
};

/* Random numbers: an integer from 0 to `below` - 1, and a real number >= 0 and < 1. */
uint32_t bl_infer_random(struct bl_inference *inference, uint32_t below);
double bl_infer_uniform(struct bl_inference *inference);

/* Chooses the number of samples per probe that should limit the median's relative error to `error`,
 * given the noise measured so far. */
void bl_infer_repeat(struct bl_inference *inference, double error);

/* The first address in the first array that is a multiple of aligned_bytes, a power of two. */
uint64_t bl_infer_home(const struct bl_inference *inference, uint64_t aligned_bytes);

/* Two step sizes between a probe's accesses. The accesses of a probe differ only in the bits of
 * BL_STEPPED_BITS, if these bits are 0 in the first address. */
enum { BL_STEP = 16384, BL_OTHER_STEP = 512 };
#define BL_STEPPED_BITS(step) ((uint64_t)(step) * (BL_PROBE_STEPS - 1))

/* Empties the inference's batch and returns it. Its arrays are freed when the inference ends. */
struct bl_batch *bl_batch_begin(struct bl_inference *inference);
void bl_batch_free(struct bl_batch *batch);

/* Adds a probe whose lanes are all idle, and returns it; the pointer is valid until the next probe
 * is added. Never NULL: if memory runs out, bl_batch_measure fails. */
struct bl_lanes_probe *bl_batch_add(struct bl_batch *batch, enum bl_memory memory,
                                    enum bl_probe_access access, const struct bl_type *type,
                                    unsigned step_bytes);

/* Like bl_batch_add, for a pointer chase through this many places (at least 1). All probes of a
 * batch must be of the same kind. */
struct bl_chase_probe *bl_batch_add_chase(struct bl_inference *inference, uint64_t pitch_bytes,
                                          uint64_t places);

/* Names the latest probe of the batch. */
void bl_batch_name(struct bl_batch *batch, double x, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Measures the inference's batch, and sets the inference's noise and error from it. */
enum bl_status bl_batch_measure(struct bl_inference *inference);

/* Stores the batch as evidence: its times in units of exp(log_unit) ns, and the expected times,
 * which may be NULL. */
enum bl_status bl_batch_keep(struct bl_inference *inference, const char *sweep, double log_unit,
                             const double expected[]);
/* Like bl_batch_keep for a single measurement; the format names its point. An evidence->expected of
 * 0 means unknown. */
enum bl_status bl_keep_point(struct bl_inference *inference, const struct bl_evidence *evidence,
                             const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The first address of pointer chases, the number of bytes that they may cover, and the distance
 * between places: the size of a line, or 64 bytes if that size is unknown. */
uint64_t bl_chase_begin(const struct bl_inference *inference);
uint64_t bl_chase_room(const struct bl_inference *inference);
unsigned bl_chase_pitch(const struct bl_inference *inference);

/* Takes inference->repeats samples of a probe. *evidence receives their median, and its standard
 * error as a fraction. */
enum bl_status bl_infer_measure(struct bl_inference *inference, bl_sample *take, const void *probe,
                                struct bl_evidence *evidence);

/* Measured times at several values of x. */
enum { BL_MAX_SWEEP = 16 };
struct bl_time_sweep {
    const char *name;
    size_t count;
    double x[BL_MAX_SWEEP], ns[BL_MAX_SWEEP];
    double error[BL_MAX_SWEEP]; /* relative standard errors */
};

/* Measures a probe with the target's function `take`, adds the result to the sweep as a point, and
 * stores the result as evidence. */
enum bl_status bl_sweep_take(struct bl_inference *inference, bl_sample *take, const void *probe,
                             struct bl_time_sweep *sweep, double x, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* In bl_reads_of_level, memory's working set is this many times as large as the last cache (or as
 * large as the array allows), so that the cache holds little of it. */
enum { BL_TIMES_CACHE = 48 };

/* A probe in which a single sub-group requests one line at a time from a working set that lies in
 * this level (counted from 0). Its `bytes` is 0 if there is no such working set. */
struct bl_reads_probe bl_reads_of_level(const struct bl_inference *inference, unsigned level);

/* The relative error that even the best rule is assumed to have. */
#define BL_RULES_ARE_OFF 0.012

/* The expected error, a fraction, of a batch's medians compared with a rule. Combines the error of
 * the medians with the error of the rule; left_out is the error of the rule, a fraction. */
double bl_scale_of(const struct bl_inference *inference, double left_out);

/* The clocks of all requests of a table on a machine, as a mean over the probe's tables; NAN if the
 * machine has no rule for them. */
double bl_probe_clocks(const struct bl_machine *machine, const struct bl_lanes_probe *probe);

/* The minimum number of clocks for the requests of a table. */
double bl_least_clocks(const struct bl_inference *inference);

/* The bank layouts to compare: first the alternatives that the machine lists (the hypotheses), then
 * others. */
enum { BL_MAX_BANKS_WEIGHED = 44 };
struct bl_banks_weighed {
    struct bl_banks all[BL_MAX_BANKS_WEIGHED];
    unsigned count, hypotheses;
    double log_prior; /* log of the prior odds of a hypothesis against another layout */
};
struct bl_banks_weighed bl_banks_to_weigh(const struct bl_machine *machine);

/* Moves the points that distinguish the machine's hypotheses to the front of the inference's batch.
 * The batch must hold reads of local memory, of which the first two have strides of 0 and 1 words.
 * Returns the number of points moved to the front, or 0 if there are no hypotheses or memory runs
 * out. */
size_t bl_choose_points(struct bl_inference *inference);

/* A possible explanation of a batch's times; initially the machine and the floor found so far. */
struct bl_explanation {
    struct bl_machine machine;
    double log_prior; /* added to its log-likelihood */
    double floor;
    bool is_by_lane;             /* a bank serves one lane per clock, even for the same word */
    bool is_free;                /* every request takes one clock */
    bool differs_in_floor_alone; /* differs from the previous explanation only in the floor */
};

/* Sets *explanation to the explanation with this index. Returns false if this explanation
 * duplicates another explanation or is impossible. */
typedef bool bl_explain(unsigned number, struct bl_explanation *explanation);

/* Measures the inference's batch and fits `count` explanations to it. off: the scale of errors is
 * this factor times bl_scale_of(inference, BL_RULES_ARE_OFF). Fails as bl_batch_measure does, and
 * with BL_NO_MEMORY. */
enum bl_status bl_batch_fit(struct bl_inference *inference, bl_explain *explain, unsigned count,
                            double off);

/* The clocks of each point by the likeliest explanation. */
const double *bl_batch_clocks(const struct bl_batch *batch);

/* Adds a finding, which counts as known if it is certain enough. key: a key of the table in
 * inference.c. Returns the finding, so the caller can complete it. */
struct bl_finding *bl_find(struct bl_inference *inference, const char *key, double value,
                           double confidence);
/* Like bl_find for an amount that lies in this interval with 95 % certainty. */
struct bl_finding *bl_find_amount(struct bl_inference *inference, const char *key, double value,
                                  double lo, double hi);
/* Like bl_find_amount for an interval from value / exp(off) to value * exp(off). */
struct bl_finding *bl_find_about(struct bl_inference *inference, const char *key, double value,
                                 double off);
struct bl_finding *bl_find_unknown(struct bl_inference *inference, const char *key,
                                   const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Adds several unknown findings with the same reason. */
void bl_find_none(struct bl_inference *inference, const char *const keys[], size_t count,
                  const char *why);
/* Adds unknown findings, with this reason, for the values that no stage reached, except
 * optional values. */
void bl_find_the_rest(struct bl_inference *inference, const char *why);
/* Sets the sweep that supports the finding, and the description of its measurements. */
void bl_find_basis(struct bl_finding *finding, const char *sweep, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The key of a level's property: cache_NAME, l2_NAME, llc_NAME or memory_NAME. The first cache is
 * level 0. */
enum { BL_LEVEL_KEY = 40 };
const char *bl_level_key(const struct bl_inference *inference, unsigned level, const char *name,
                         char key[BL_LEVEL_KEY]);

/* Returns why the banks of local memory are unknown. */
const char *bl_infer_why_no_local_rule(const struct bl_inference *inference);

/* Returns why requests of several lines, or several simultaneous requests, cannot be measured; NULL
 * if they can be. */
const char *bl_infer_why_no_requests(const struct bl_inference *inference);

/* Values with a probability below this are reported as unknown. */
#define BL_STATED_FROM 0.9
/* The highest probability that is reported, because the true cause may not be among the
 * explanations. */
#define BL_MOST_CERTAIN 0.999

/* If the best explanation's error, a fraction, is above this, no explanation is accepted. */
#define BL_MOST_OFF 0.2

/* Whether other probes may still succeed after this failure. */
bool bl_infer_goes_on(enum bl_status status);

/* The stages, in order; each adds its findings. A failure of a stage ends the inference unless
 * bl_infer_goes_on is true for it. */
typedef enum bl_status bl_infer_stage(struct bl_inference *inference);
bl_infer_stage bl_infer_local, bl_infer_local_atomics, bl_infer_vector_access, bl_infer_lines,
    bl_infer_bank_hash, bl_infer_cached_reads, bl_infer_levels, bl_infer_sets, bl_infer_granules,
    bl_infer_occupancy, bl_infer_rates, bl_infer_requests, bl_infer_under_way, bl_infer_operations;

#endif
