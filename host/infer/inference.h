/* Inside host/infer only: an inference in progress, and how it measures and explains.
 *
 * A stage fills a batch with probes, measures them all, fits explanations to their times, and adds
 * findings with the measurements as their evidence.
 */
#ifndef BANKLINE_INFER_INFERENCE_H
#define BANKLINE_INFER_INFERENCE_H

#include "infer/infer.h"
#include "infer/posterior.h"
#include "infer/target.h"

enum { BL_MAX_ANCHORS = 16 };

/* One probe of a batch. */
struct bl_point {
    struct bl_lanes_probe lanes;
    struct bl_chase_probe chase; /* places 0: a lanes probe */
    char name[40];
    double x; /* NAN if points have no order */
};

/* Probes that are measured together, and how explanations fit their times. */
struct bl_batch {
    struct bl_point *points;
    double *log_ns; /* the logarithm of each point's median; valid after measuring */
    size_t count, capacity;
    bool lacks_memory;        /* no memory for a probe: measuring then fails */
    struct bl_point no_place; /* placeholder for a probe that has no memory */
    /* Results of bl_batch_fit: */
    double *clocks;        /* one per explanation and point */
    struct bl_fit *fits;   /* one per explanation */
    double *probabilities; /* one per explanation, then that none is right */
    size_t likeliest;      /* index of an explanation; */
    bool none_fits;        /* whether it is less likely than none */
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
    double unit_ns[3];        /* time of a table per clock, by memory; 0: not known yet */
    /* The findings so far, in the model's form; until the banks are known, with the hypotheses. */
    struct bl_machine machine;
    bool has_local_rule, has_lines, has_global_rule;
    bool lacks_local_times; /* local memory could not be measured */
    double floor;           /* min clocks of a request */
    /* Lines of one tag bank, as many as the bank looks up per clock: one more line of that bank
     * costs a clock, which adds log_collision to the logarithm of the time. */
    uint64_t anchors[BL_MAX_ANCHORS];
    unsigned anchor_count;
    double log_hit_ns, log_collision;
    /* For each level, from the first cache to memory: the time of a read, and the size in bytes (0:
     * memory). */
    double latency_ns[BL_LEVELS + 1];
    double level_bytes[BL_LEVELS + 1];
    unsigned levels;
    struct bl_knee first_knee; /* end of the first cache */
};

/* A random number from 0 to below - 1, and one from 0 to 1. */
uint32_t bl_infer_random(struct bl_inference *inference, uint32_t below);
double bl_infer_uniform(struct bl_inference *inference);

/* Sets the number of samples per probe so that the error of their median is this small, by the
 * noise known so far. */
void bl_infer_repeat(struct bl_inference *inference, double error);

/* The first multiple of aligned_bytes, a power of two, in the first array. */
uint64_t bl_infer_home(const struct bl_inference *inference, uint64_t aligned_bytes);

/* Steps that leave the address bits below and above them unchanged, if those are 0. */
enum { BL_STEP = 16384, BL_OTHER_STEP = 512 };
#define BL_STEPPED_BITS(step) ((uint64_t)(step) * (BL_PROBE_STEPS - 1))

/* Empties the inference's batch and returns it. Its arrays are freed when the inference ends. */
struct bl_batch *bl_batch_begin(struct bl_inference *inference);
void bl_batch_free(struct bl_batch *batch);

/* Adds a probe with all lanes idle and returns it; the pointer is valid until the next is added.
 * Never NULL: a lack of memory is reported when the batch is measured. */
struct bl_lanes_probe *bl_batch_add(struct bl_batch *batch, enum bl_memory memory,
                                    enum bl_probe_access access, const struct bl_type *type,
                                    unsigned step_bytes);

/* Like bl_batch_add for a pointer chase through this many places, at least 1. All probes of a batch
 * are of one kind. */
struct bl_chase_probe *bl_batch_add_chase(struct bl_inference *inference, uint64_t pitch_bytes,
                                          uint64_t places);

/* Names the probe added last. */
void bl_batch_name(struct bl_batch *batch, double x, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Measures the inference's batch; its noise and error are then those of this batch. */
enum bl_status bl_batch_measure(struct bl_inference *inference);

/* Keeps the batch as evidence: its times in units of exp(log_unit) ns, and the expected times, or
 * NULL. */
enum bl_status bl_batch_keep(struct bl_inference *inference, const char *sweep, double log_unit,
                             const double expected[]);
/* Like bl_batch_keep for a single measurement, whose point the format names. expected 0: unknown.
 */
enum bl_status bl_keep_point(struct bl_inference *inference, const struct bl_evidence *evidence,
                             const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Where pointer chases begin, the bytes that they may cover, and the bytes from one place to the
 * next: a line, or an assumed line if its size is unknown. */
uint64_t bl_chase_begin(const struct bl_inference *inference);
uint64_t bl_chase_room(const struct bl_inference *inference);
unsigned bl_chase_pitch(const struct bl_inference *inference);

/* Takes inference->repeats samples of a probe. *evidence receives their median, and its standard
 * error as a fraction. */
enum bl_status bl_infer_measure(struct bl_inference *inference, bl_sample *take, const void *probe,
                                struct bl_evidence *evidence);

/* Points of a straight line, and the line through them by least squares. */
enum { BL_MAX_SWEEP = 16 };
struct bl_sweep {
    const char *name;
    size_t count;
    double x[BL_MAX_SWEEP], ns[BL_MAX_SWEEP];
    double error[BL_MAX_SWEEP]; /* standard errors, fractions */
};
struct bl_straight {
    double begin, slope;             /* ns at x = 0, and more for each */
    double begin_error, slope_error; /* standard errors */
};
/* The line through the points from `first` on, at least two. */
struct bl_straight bl_straight_through(const struct bl_sweep *sweep, size_t first);

/* Measures a probe of requests, or of a chain, or of launches (`take`), as a point of the sweep,
 * and keeps it as evidence. */
enum bl_status bl_sweep_take(struct bl_inference *inference, bl_sample *take, const void *probe,
                             struct bl_sweep *sweep, double x, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Like bl_find_amount, unless twice its standard error is more than a fifth of the value. Returns
 * NULL then. */
struct bl_finding *bl_find_if_clear(struct bl_inference *inference, const char *key, double value,
                                    double error);

/* A working set of memory's is so many times as large as the last cache, which hardly matters then.
 */
enum { BL_TIMES_CACHE = 48 };

/* A request of a sub-group by itself that reads one line of a working set which lies in this level,
 * counted from 0. bytes 0: there is no such working set. */
struct bl_reads_probe bl_reads_of_level(const struct bl_inference *inference, unsigned level);

/* How far even the best rules are off, as a fraction. */
#define BL_RULES_ARE_OFF 0.012

/* Scale of the errors of a batch's medians around a rule that is itself off by this fraction. */
double bl_scale_of(const struct bl_inference *inference, double left_out);

/* Clocks of all requests of a table on a machine; NAN if it has no rule for them. */
double bl_probe_clocks(const struct bl_machine *machine, const struct bl_lanes_probe *probe);

/* The min number of clocks of a table. */
double bl_least_clocks(const struct bl_inference *inference);

/* The banks to weigh: first the alternatives that the machine lists, its hypotheses, then others.
 */
enum { BL_MAX_BANKS_WEIGHED = 44 };
struct bl_banks_weighed {
    struct bl_banks all[BL_MAX_BANKS_WEIGHED];
    unsigned count, hypotheses;
    double log_prior; /* log of how much likelier a hypothesis is beforehand than one of the others
                       */
};
struct bl_banks_weighed bl_banks_to_weigh(const struct bl_machine *machine);

/* Moves the points of the inference's batch, reads of local memory whose first two are of no and of
 * one word from lane to lane, that tell the machine's hypotheses apart to the front. Returns how
 * many these are; 0: there are no hypotheses, or no memory. */
size_t bl_choose_points(struct bl_inference *inference);

/* A possible explanation of a batch's times; initially the machine and the floor found so far. */
struct bl_explanation {
    struct bl_machine machine;
    double log_prior; /* added to its log-likelihood */
    double floor;
    bool is_by_lane;             /* a bank serves one lane per clock, whatever the lanes want */
    bool is_free;                /* a request takes one clock, whatever it wants */
    bool differs_in_floor_alone; /* differs from the explanation before only in the floor */
};

/* Changes *explanation into the one of this number. Returns false if it equals another explanation.
 */
typedef bool bl_explain(unsigned number, struct bl_explanation *explanation);

/* Measures the inference's batch, and fits `count` explanations to it. off: how far these rules are
 * wrong, in units of BL_RULES_ARE_OFF. Returns as bl_batch_measure, and BL_NO_MEMORY. */
enum bl_status bl_batch_fit(struct bl_inference *inference, bl_explain *explain, unsigned count,
                            double off);

/* The clocks by the likeliest explanation. */
const double *bl_batch_clocks(const struct bl_batch *batch);

/* Adds a finding, known if it is certain enough. key: from the table in infer.c, which has its
 * meaning, unit and kind. Returns the finding, so that the caller can complete it. */
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
/* Adds several findings that are unknown for the same reason. */
void bl_find_none(struct bl_inference *inference, const char *const keys[], size_t count,
                  const char *why);
void bl_find_basis(struct bl_finding *finding, const char *sweep, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The key of a level's property, levels counted from 0: cache_NAME, l2_NAME, llc_NAME, memory_NAME.
 */
enum { BL_LEVEL_KEY = 40 };
const char *bl_level_key(const struct bl_inference *inference, unsigned level, const char *name,
                         char key[BL_LEVEL_KEY]);

/* Why there is no rule for banks: no explanation fits, or nothing could be measured. */
const char *bl_infer_why_no_local_rule(const struct bl_inference *inference);

/* Why requests of several lines, or several requests, cannot be measured; NULL: they can. */
const char *bl_infer_why_no_requests(const struct bl_inference *inference);

/* The min certainty of a stated value; below, it is unknown. */
#define BL_STATED_FROM 0.9
/* The max certainty, because there may be causes that no explanation includes. */
#define BL_MOST_CERTAIN 0.999

/* If even the best explanation is off by more than this, none is accepted. */
#define BL_MOST_OFF 0.2

/* Whether a failure concerns only this probe, so that others can continue. */
bool bl_infer_goes_on(enum bl_status status);

/* The stages, in order; each adds its findings. If a stage returns neither BL_OK nor a status with
 * bl_infer_goes_on, the inference ends. */
typedef enum bl_status bl_infer_stage(struct bl_inference *inference);
bl_infer_stage bl_infer_local, bl_infer_local_atomics, bl_infer_vector_access, bl_infer_lines,
    bl_infer_bank_hash, bl_infer_cached_reads, bl_infer_levels, bl_infer_sets, bl_infer_granules,
    bl_infer_occupancy, bl_infer_rates, bl_infer_requests, bl_infer_under_way, bl_infer_operations;

#endif
