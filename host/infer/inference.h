/* Inside host/infer only: an inference under way, and how it measures. */
#ifndef BANKLINE_INFER_INFERENCE_H
#define BANKLINE_INFER_INFERENCE_H

#include "infer/findings.h"
#include "infer/infer.h"
#include "infer/knee.h"
#include "infer/target.h"

enum { BL_MAX_ANCHORS = 16 };

struct bl_inference {
    const struct bl_target *target;
    const struct bl_infer_settings *settings;
    struct bl_findings *findings;
    uint64_t random;           /* state */
    unsigned repeats;          /* samples of a probe */
    double noise;              /* of one sample, a fraction: standard deviation */
    double error;              /* of a probe's median, a fraction: its standard error */
    double unit_ns[3];         /* of a clock's worth of a table, by memory; 0: not known yet */
    struct bl_machine machine; /* what was found so far, as the model takes it */
    bool has_local_rule, has_lines, has_global_rule;
    bool lacks_local_times; /* local memory could not be measured */
    double floor;           /* clocks that a request takes at least */
    /* Lines of one tag bank, as many as it looks up in a clock: one more of that bank costs a
     * clock, by which the logarithm of the time grows. */
    uint64_t anchors[BL_MAX_ANCHORS];
    unsigned anchor_count;
    double log_hit_ns, log_collision;
    /* Of each level, the first cache before the others and memory last: what a read takes, and the
     * bytes that it holds; of memory 0. */
    double latency_ns[BL_LEVELS + 1];
    double level_bytes[BL_LEVELS + 1];
    unsigned levels;
    struct bl_knee first_knee; /* of the first cache */
};

/* Why there is no rule of banks: nothing fits, or nothing could be measured. */
const char *bl_infer_why_no_local_rule(const struct bl_inference *inference);

/* A number from 0 to below - 1, and one from 0 to 1. */
uint32_t bl_infer_random(struct bl_inference *inference, uint32_t below);
double bl_infer_uniform(struct bl_inference *inference);

/* Probes that are measured together, by turns, and what was found. */
struct bl_batch {
    struct bl_lanes_probe *probes;
    double *log_ns; /* the median of each */
    char (*names)[40];
    double *x;
    size_t count, capacity;
};

/* Adds a probe and returns it, all idle but for what is the same for all; NULL: no memory. It moves
 * with the next. */
struct bl_lanes_probe *bl_batch_add(struct bl_batch *batch, enum bl_memory memory,
                                    enum bl_probe_access access, const struct bl_type *type,
                                    unsigned step_bytes);
void bl_batch_name(struct bl_batch *batch, double x, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void bl_batch_free(struct bl_batch *batch);

/* Measures all of them. inference->noise and error are of this batch then. */
enum bl_status bl_batch_measure(struct bl_inference *inference, struct bl_batch *batch,
                                struct bl_error *error);

/* Sets how many samples a probe gets, so that the error of their median is this small, as far as
 * noise is known. */
void bl_infer_repeat(struct bl_inference *inference, double error);

/* Reads of these addresses, dealt to the lanes by turns: a request has as many lines as they have.
 */
struct bl_lanes_probe *bl_batch_add_lines(struct bl_batch *batch, const uint64_t addresses[],
                                          unsigned count, unsigned step_bytes);

/* An address among the first bytes of a line, in a bank that no anchor is in, as far as there is
 * one. */
uint64_t bl_infer_beside_anchors(const struct bl_inference *inference, uint64_t line);

/* Steps that leave the bits of an address below and above alone, where these are 0. */
enum { BL_STEP = 16384, BL_OTHER_STEP = 512 };
#define BL_STEPPED_BITS(step) ((uint64_t)(step) * (BL_PROBE_STEPS - 1))

/* Chains that are measured one after another, and the median of each. */
struct bl_chain {
    struct bl_chase_probe probe;
    char name[40];
    double x;
    double log_ns;
};
enum bl_status bl_chains_measure(struct bl_inference *inference, struct bl_chain chains[],
                                 size_t count, struct bl_error *error);
enum bl_status bl_chains_keep(struct bl_inference *inference, const struct bl_chain chains[],
                              size_t count, const char *sweep, struct bl_error *error);
/* Where chains begin, and how far they may reach. */
uint64_t bl_chain_begin(const struct bl_inference *inference);
uint64_t bl_chain_room(const struct bl_inference *inference);
/* From a place to the next: a line, or what is taken for one where that is not known. */
unsigned bl_chain_pitch(const struct bl_inference *inference);

/* Makes evidence of a batch: times in units of exp(log_unit) ns, and what was expected of them, or
 * NULL. */
enum bl_status bl_batch_keep(struct bl_inference *inference, const struct bl_batch *batch,
                             const char *sweep, double log_unit, const double expected[],
                             struct bl_error *error);
enum bl_status bl_keep_point(struct bl_inference *inference, const struct bl_evidence *evidence,
                             struct bl_error *error);

/* Scale of the errors of a batch's medians when a rule is held against them: noise, and what rules
 * leave out. */
double bl_scale_of(const struct bl_inference *inference);

/* Clocks of a probe by a machine: of all requests of a table; NAN where it has no rule. */
double bl_probe_clocks(const struct bl_machine *machine, const struct bl_lanes_probe *probe);

/* Adds a finding that is known, or is not. Returns it, for what is left to say. */
struct bl_finding *bl_find(struct bl_inference *inference, const char *key, const char *meaning,
                           enum bl_finding_kind kind, double value, double confidence);
void bl_find_unknown(struct bl_inference *inference, const char *key, const char *meaning,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));
void bl_find_basis(struct bl_finding *finding, const char *sweep, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A value is stated from this on; below, it is not known. */
#define BL_STATED_FROM 0.9
/* Nothing is more certain than this: what no explanation thought of. */
#define BL_MOST_CERTAIN 0.999

/* The best explanation explains nothing where it is off by more. */
#define BL_MOST_OFF 0.2

/* Whether a failure concerns this probe alone, and others can go on. */
bool bl_infer_goes_on(enum bl_status status);

/* The stages, in their order; each adds its findings. Not BL_OK: the inference cannot go on. */
enum bl_status bl_infer_local(struct bl_inference *inference, struct bl_error *error);
enum bl_status bl_infer_updates(struct bl_inference *inference, struct bl_error *error);
enum bl_status bl_infer_wide(struct bl_inference *inference, struct bl_error *error);
enum bl_status bl_infer_lines(struct bl_inference *inference, struct bl_error *error);
enum bl_status bl_infer_masks(struct bl_inference *inference, struct bl_error *error);
enum bl_status bl_infer_path(struct bl_inference *inference, struct bl_error *error);
enum bl_status bl_infer_levels(struct bl_inference *inference, struct bl_error *error);
enum bl_status bl_infer_sets(struct bl_inference *inference, struct bl_error *error);
enum bl_status bl_infer_granules(struct bl_inference *inference, struct bl_error *error);
enum bl_status bl_infer_residents(struct bl_inference *inference, struct bl_error *error);
enum bl_status bl_infer_rates(struct bl_inference *inference, struct bl_error *error);

#endif
