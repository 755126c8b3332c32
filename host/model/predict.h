/* Predicts the mean cost of a pattern over the requests of a launch, explains what limits the
 * pattern, and gives verdicts on measurements. */
#ifndef BANKLINE_MODEL_PREDICT_H
#define BANKLINE_MODEL_PREDICT_H

#include "model/access.h"
#include "model/launch.h"
#include "model/transform.h"

/* Costs summed over several requests. */
struct bl_cost_sums {
    uint64_t lines, sectors, tag_passes, bank_passes, words, clocks, requests;
};

/* Adds the cost of one access by several lanes, which is split into one request per part
 * (bl_parts_of). access: the lanes and the addresses of their elements; access->access_bytes is
 * ignored. Fails like bl_cost_of. */
enum bl_status bl_cost_add(const struct bl_machine *machine, const struct bl_request *access,
                           const struct bl_part parts[], unsigned part_count,
                           struct bl_cost_sums *sums);

/* The clocks that the requests of one pattern take together. Each request waits for its tag passes
 * or its bank passes, whichever take longer. If some reads wait for tags and others for banks,
 * the two stages partly overlap, as measurements on an H100 showed (results/rules/README.md). */
double bl_cost_clocks(const struct bl_machine *machine, bool is_write,
                      const struct bl_cost_sums *sums);

/* A case's ratio, predicted for one of the machine's possible bank configurations; NAN if there is
 * no prediction. */
struct bl_alternative {
    struct bl_banks banks;
    double predicted;
};

/* Means over the requests of a launch; NAN if a value does not apply. A request comes from `lanes`
 * consecutive work-items of a group (by local linear id); the last request of a group may have
 * fewer lanes. A vector access that is split counts as several requests. */
struct bl_prediction {
    double lines;       /* NAN for local memory */
    double sectors;     /* NAN for local memory, or if lines have no sectors */
    double tag_passes;  /* NAN for local memory */
    double bank_passes; /* NAN if no banks serve the memory */
    double words;       /* words that the banks deliver; NAN for atomics or without banks */
    double clocks;      /* clocks per request, at least 1 */
    double parts;       /* requests into which one access by a sub-group is split */
};

/* Predicts the cost of a pattern. starts[i] is the start element of work-item i of the launch, for
 * bl_launch_items work-items, group by group, with x fastest inside a group. The array begins at
 * address launch->base_bytes.
 *
 * If a hash chooses tag banks, the unrolled reads of a round differ in cost. For a small launch,
 * the costs of all reads are computed. For a large launch, the costs of about 32768 reads are
 * computed, at least one per request; a hash of the request's index chooses these reads.
 *
 * Fails like bl_cost_of. */
enum bl_status bl_predict(const struct bl_machine *machine, const struct bl_launch *launch,
                          const uint64_t starts[], struct bl_prediction *prediction);

/* Verdicts: whether a measured interval agrees with an expected ratio. */

enum bl_verdict {
    BL_CONFIRMED, /* the interval is inside expected +- tolerance */
    BL_REFUTED,   /* the interval is outside this range */
    BL_UNCLEAR,   /* the interval contains an end of this range */
    BL_NO_RULE,   /* the model has no rule for this row */
    BL_BASELINE,  /* the row is its own baseline, so nothing was tested */
    BL_NO_VERDICT /* nothing was measured */
};

/* Like bl_verdict_of, for an expected range of ratios, 0 < from <= to. The tolerance widens the
 * range on both sides. */
enum bl_verdict bl_verdict_of_range(double from, double to, double lo, double hi, double tolerance);

/* The verdict on the measured interval from lo to hi. expected: a ratio > 0; tolerance: a fraction
 * of `expected` (0.1 is 10 %). */
enum bl_verdict bl_verdict_of(double expected, double lo, double hi, double tolerance);

/* A claim without a number: the case is faster, or slower, than its baseline. */
enum bl_direction { BL_ANY_DIRECTION, BL_FASTER, BL_SLOWER };

/* The verdict on a claim without a number. Only a ratio above 1.02 counts as faster, and only a
 * ratio below 0.98 as slower. The claim is confirmed if the whole measured interval agrees with it,
 * and refuted if no part of the interval does. direction must not be BL_ANY_DIRECTION. */
enum bl_verdict bl_verdict_of_direction(enum bl_direction direction, double lo, double hi);

/* "faster", "slower", or "". */
const char *bl_direction_name(enum bl_direction direction);

/* "confirmed", ...; "" for BL_NO_VERDICT. */
const char *bl_verdict_name(enum bl_verdict verdict);

/* Explanations in words: what limits an access pattern on a machine, and how to make the pattern
 * cheaper. */

struct bl_pattern_explanation {
    size_t first_item; /* first work-item of the costliest request */
    unsigned lanes;    /* lanes of the costliest request */
    char limit[192];   /* "32 of 32 lanes want different words of bank 0", or "nothing: ..." */
    struct bl_fixes fixes;
    char why_no_fix[64]; /* why there is no fix although something limits the pattern; else empty */
};

/* Explains a pattern. starts: as in bl_predict, for launch->groups groups. In a large launch only
 * the first groups are examined. Returns BL_OK; BL_BAD_MACHINE if the machine has no rule for these
 * accesses; or BL_NO_MEMORY. */
enum bl_status bl_explain_pattern(const struct bl_machine *machine, const struct bl_launch *launch,
                                  const uint64_t starts[],
                                  struct bl_pattern_explanation *explanation,
                                  struct bl_error *error);

#endif
