/* Lists the bank counts and widths that an inference considers: first the alternatives that a
 * machine lists, then all other combinations of usual counts and widths. Also chooses the probes
 * that distinguish the alternatives. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "infer/inference.h"

/* The bank counts that exist or are suspected. If a count is odd, accesses with a power-of-two
 * stride use all banks. */
static const unsigned bank_counts[] = {2, 4, 8, 16, 32, 64, 128, 24, 33, 48, 65, 96};
static const unsigned widths[] = {4, 8, 16};

enum {
    COUNTS = sizeof bank_counts / sizeof bank_counts[0],
    WIDTHS = sizeof widths / sizeof *widths
};

_Static_assert(COUNTS *WIDTHS + BL_MAX_BANK_ALTERNATIVES <= BL_MAX_BANKS_WEIGHED, "capacity");

/* The prior probability that one of the hypotheses is right. */
static const double hypotheses_are_right = 0.9;

static void add(struct bl_banks_weighed *weighed, unsigned count, unsigned bytes)
{
    for (unsigned i = 0; i < weighed->count; i++)
        if (weighed->all[i].count == count && weighed->all[i].bytes == bytes)
            return;
    weighed->all[weighed->count++] = (struct bl_banks){count, bytes};
}

struct bl_banks_weighed bl_banks_to_weigh(const struct bl_machine *machine)
{
    struct bl_banks_weighed weighed = {0};
    for (unsigned i = 0; i < bl_machine_alternatives(machine); i++)
        add(&weighed, machine->banks_alternatives[i].count, machine->banks_alternatives[i].bytes);
    weighed.hypotheses = weighed.count;
    for (unsigned i = 0; i < COUNTS * WIDTHS; i++)
        add(&weighed, bank_counts[i / WIDTHS], widths[i % WIDTHS]);
    const double others = weighed.count - weighed.hypotheses;
    if (weighed.hypotheses && others > 0)
        weighed.log_prior =
            log(hypotheses_are_right / (1 - hypotheses_are_right) * others / weighed.hypotheses);
    return weighed;
}

/* The rivals are the hypotheses, each with several numbers of lanes per request, and with and
 * without the broadcast of a word to all lanes that share it. */
enum { LANE_COUNTS = 4, RIVALS = BL_MAX_BANK_ALTERNATIVES * LANE_COUNTS * 2 };

/* Points are chosen until every two rivals differ clearly at POINTS_APART points (or no point is
 * left that helps), so that no single point decides. POINTS_BEYOND further points test the
 * likeliest rival. */
enum { POINTS_APART = 3, POINTS_BEYOND = 4 };
static const double clearly = 0.2;

/* The first points are always measured. In point 0 all lanes read the same word; in point
 * NO_CONFLICT they read consecutive words. */
enum { FIRST_POINTS = 2, NO_CONFLICT = 1 };

struct design {
    double *log_clocks; /* by rival and point, relative to the point NO_CONFLICT */
    bool *is_chosen;
    size_t points;
    unsigned rivals;
    unsigned char apart[RIVALS][RIVALS]; /* number of chosen points at which these two rivals differ
                                            clearly */
};

static void cost_rivals(struct design *design, const struct bl_batch *batch,
                        const struct bl_machine *machine)
{
    static const unsigned lanes[LANE_COUNTS] = {8, 16, 32, 64};
    design->rivals = bl_machine_alternatives(machine) * LANE_COUNTS * 2;
    for (unsigned r = 0; r < design->rivals; r++) {
        struct bl_machine rival = bl_machine_alternative(machine, r / (LANE_COUNTS * 2));
        rival.lanes = lanes[r / 2 % LANE_COUNTS];
        rival.atomics_by_lane = true;
        double *row = design->log_clocks + r * design->points;
        for (size_t i = 0; i < design->points; i++) {
            struct bl_lanes_probe probe = batch->points[i].lanes;
            probe.access = r % 2 ? BL_PROBE_ADD : BL_PROBE_READ;
            row[i] = log(bl_probe_clocks(&rival, &probe));
        }
        const double without_conflict = row[NO_CONFLICT];
        for (size_t i = 0; i < design->points; i++)
            row[i] -= without_conflict;
    }
}

/* The number of pairs of rivals that this point distinguishes, without the pairs that POINTS_APART
 * chosen points already distinguish. is_chosen: whether to count the point as chosen. */
static unsigned told_apart(struct design *design, size_t point, bool is_chosen)
{
    unsigned told = 0;
    for (unsigned a = 0; a < design->rivals; a++)
        for (unsigned b = 0; b < a; b++) {
            const double difference = design->log_clocks[a * design->points + point] -
                                      design->log_clocks[b * design->points + point];
            if (design->apart[a][b] >= POINTS_APART || fabs(difference) < clearly)
                continue;
            told++;
            design->apart[a][b] += is_chosen;
        }
    return told;
}

/* Repeatedly chooses the point that distinguishes the most remaining pairs, until no point helps.
 */
static void choose(struct design *design)
{
    for (unsigned i = 0; i < FIRST_POINTS; i++) {
        told_apart(design, i, true);
        design->is_chosen[i] = true;
    }
    for (unsigned most = 1; most > 0;) {
        size_t best = 0;
        most = 0;
        for (size_t i = 0; i < design->points; i++) {
            const unsigned told = design->is_chosen[i] ? 0 : told_apart(design, i, false);
            if (told > most) {
                most = told;
                best = i;
            }
        }
        if (most > 0)
            told_apart(design, best, true);
        design->is_chosen[best] = true;
    }
    /* Takes POINTS_BEYOND points from the end of the batch, where lanes read random words. */
    unsigned beyond = 0;
    for (size_t i = design->points; i-- > 0 && beyond < POINTS_BEYOND;)
        if (!design->is_chosen[i]) {
            design->is_chosen[i] = true;
            beyond++;
        }
}

/* Moves the chosen points to the front; returns their number. */
static size_t put_first(struct bl_batch *batch, const struct design *design)
{
    struct bl_point *sorted = malloc(batch->count * sizeof *sorted);
    if (!sorted)
        return 0;
    size_t used = 0, chosen = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < batch->count; i++)
            if (design->is_chosen[i] == (pass == 0))
                sorted[used++] = batch->points[i];
        chosen = pass == 0 ? used : chosen;
    }
    memcpy(batch->points, sorted, batch->count * sizeof *sorted);
    free(sorted);
    return chosen;
}

size_t bl_choose_points(struct bl_inference *inference)
{
    struct bl_batch *batch = inference->batch;
    const size_t rows = bl_machine_alternatives(&inference->machine) * LANE_COUNTS * 2;
    if (rows == 0 || batch->lacks_memory)
        return 0;
    struct design *design = calloc(1, sizeof *design);
    size_t chosen = 0;
    if (design) {
        design->points = batch->count;
        design->log_clocks = calloc(rows * batch->count, sizeof *design->log_clocks);
        design->is_chosen = calloc(batch->count, sizeof *design->is_chosen);
    }
    if (design && design->log_clocks && design->is_chosen) {
        cost_rivals(design, batch, &inference->machine);
        choose(design);
        chosen = put_first(batch, design);
    }
    if (design) {
        free(design->log_clocks);
        free(design->is_chosen);
    }
    free(design);
    return chosen;
}
