/* Mean cost of a pattern over the requests of a launch. */
#ifndef BANKLINE_MODEL_PREDICT_H
#define BANKLINE_MODEL_PREDICT_H

#include "model/access.h"

/* Costs summed over several requests. */
struct bl_cost_sums {
    uint64_t lines, sectors, tag_passes, bank_passes, words, clocks, requests;
};

/* Adds the cost of one access of some lanes: one request for each of its parts (bl_parts_of).
 * access: everything but access_bytes, with the addresses of the elements. Returns as bl_cost_of.
 */
enum bl_status bl_cost_add(const struct bl_machine *machine, const struct bl_request *access,
                           const struct bl_part parts[], unsigned part_count,
                           struct bl_cost_sums *sums);

/* Clocks of all these requests of one pattern, one after another. Each request waits for its tags
 * or for its banks, whichever takes longer. If reads differ in which, one stage partly works ahead
 * while requests wait for the other: our finding on an H100 (results/rules/README.md). */
double bl_cost_clocks(const struct bl_machine *machine, bool is_write,
                      const struct bl_cost_sums *sums);

/* A case's ratio as predicted by one of a machine's alternatives; or NAN. */
struct bl_alternative {
    struct bl_banks banks;
    double predicted;
};

/* Means over the requests of the launch; NAN if a number does not apply. A request is `lanes`
 * work-items of a group in local linear order; the last one of a group may be smaller. A vector
 * that needs several requests counts as several. */
struct bl_prediction {
    double lines;       /* NAN for local memory */
    double sectors;     /* NAN for local memory, and for lines without sectors */
    double tag_passes;  /* NAN for local memory */
    double bank_passes; /* NAN if no banks serve the memory */
    double words;       /* words that banks deliver; NAN if no banks serve the memory */
    double clocks;      /* clocks per request, at least 1 */
    double parts;       /* requests per access of a sub-group */
};

/* starts[i] is the element at which work-item i of the launch starts, group by group and x fastest
 * inside a group, bl_launch_items of them; the array lies at address launch->base_bytes.
 *
 * If a hash chooses tag banks, the unrolled reads of a round differ in cost. For a small launch all
 * of them are computed; for a large one, 32768 reads spread over the requests, at least one each,
 * chosen by a hash of the request's number.
 *
 * BL_OK, or BL_BAD_MACHINE when the machine has no rule for this memory.
 */
enum bl_status bl_predict(const struct bl_machine *machine, const struct bl_launch *launch,
                          const uint64_t starts[], struct bl_prediction *prediction);

/* Whether a measured interval agrees with an expected ratio. */

enum bl_verdict {
    BL_CONFIRMED, /* the interval lies inside expected +- tolerance */
    BL_REFUTED,   /* the interval lies outside */
    BL_UNCLEAR,   /* the interval contains an end of that range */
    BL_NO_RULE,   /* the model has no rule for this machine */
    BL_BASELINE,  /* the row is its own baseline, so nothing was tested */
    BL_NO_VERDICT /* nothing was measured */
};

/* For a range of expected ratios: confirmed inside from - tolerance to to + tolerance, refuted
 * outside. 0 < from <= to; the other parameters as for bl_verdict_of. */
enum bl_verdict bl_verdict_of_range(double from, double to, double lo, double hi, double tolerance);

/* expected > 0, lo <= hi; tolerance is a fraction of expected (0.1 is 10 %). */
enum bl_verdict bl_verdict_of(double expected, double lo, double hi, double tolerance);

/* A claim in words: how the case compares with its baseline. */
enum bl_direction { BL_ANY_DIRECTION, BL_FASTER, BL_SLOWER };

/* Whether the interval of the ratio lies on the claimed side, by at least 2 %, the smallest
 * difference that counts as faster. direction is not BL_ANY_DIRECTION. */
enum bl_verdict bl_verdict_of_direction(enum bl_direction direction, double lo, double hi);

/* "faster", "slower", or "". */
const char *bl_direction_name(enum bl_direction direction);

/* "confirmed", ...; "" for BL_NO_VERDICT. */
const char *bl_verdict_name(enum bl_verdict verdict);

#endif
