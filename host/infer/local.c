/* Lanes of a request, and the banks of local memory: one fit of all explanations to strides, shared
 * words and random places. */
#include <math.h>
#include <stdlib.h>

#include "infer/inference.h"
#include "infer/posterior.h"

/* Writes and atomic additions to local memory: explanations of a few sweeps. */

enum { ROUND_STEP = 512, RULES = 3 };

/* What an access of one bank's words costs. */
enum rule {
    BY_WORD,   /* one clock for each different word */
    BY_LANE,   /* one for each lane */
    NO_MATTER, /* banks make no difference */
};

static double clocks_of_rule(const struct bl_inference *inference, enum rule rule,
                        const struct bl_lanes_probe *probe)
{
    struct bl_machine machine = inference->machine;
    machine.has_rule = true;
    machine.widest_bytes = machine.widest_components = 4;
    machine.atomics_by_lane = true;
    struct bl_lanes_probe asked = *probe;
    asked.access = rule == BY_LANE ? BL_PROBE_ADD : BL_PROBE_READ;
    return rule == NO_MATTER ? (double)BL_TABLE_ITEMS / machine.lanes
                             : bl_probe_clocks(&machine, &asked);
}

/* Strides, and words that lanes share: of one bank and of several. */
static bool add_update_sweep(struct bl_batch *batch, enum bl_probe_access access)
{
    static const unsigned strides[] = {1, 2, 3, 4, 8, 16, 32};
    for (size_t s = 0; s < sizeof strides / sizeof strides[0]; s++) {
        struct bl_lanes_probe *probe =
            bl_batch_add(batch, BL_MEMORY_LOCAL, access, &bl_type_int, ROUND_STEP);
        if (!probe)
            return false;
        bl_batch_name(batch, strides[s], "stride %u", strides[s]);
        for (unsigned i = 0; i < BL_TABLE_ITEMS; i++)
            probe->places[0][i] = i * strides[s] * 4 % BL_TILE_BYTES;
    }
    for (unsigned sharing = 2; sharing <= BL_TABLE_ITEMS; sharing *= 2) {
        struct bl_lanes_probe *probe =
            bl_batch_add(batch, BL_MEMORY_LOCAL, access, &bl_type_int, ROUND_STEP);
        if (!probe)
            return false;
        bl_batch_name(batch, sharing, "%u share a word", sharing);
        for (unsigned i = 0; i < BL_TABLE_ITEMS; i++)
            probe->places[0][i] = i / sharing * 4;
    }
    return true;
}

static enum bl_status infer_updates(struct bl_inference *inference, enum bl_probe_access access,
                            const char *sweep, double probabilities[RULES + 1],
                            struct bl_error *error)
{
    struct bl_batch batch = {0};
    enum bl_status status = add_update_sweep(&batch, access)
                                ? bl_batch_measure(inference, &batch, error)
                                : bl_fail(error, BL_NO_MEMORY, "no memory for probes");
    double clocks[RULES][32], best_unit = 0;
    size_t best = 0;
    for (unsigned rule = 0; rule < RULES && status == BL_OK; rule++) {
        for (size_t i = 0; i < batch.count; i++)
            clocks[rule][i] = clocks_of_rule(inference, rule, &batch.probes[i]);
        const struct bl_fit fit =
            bl_fit_costs(batch.log_ns, clocks[rule], batch.count, 2 * bl_scale_of(inference),
                         inference->floor * BL_TABLE_ITEMS / inference->machine.lanes);
        probabilities[rule] = fit.log_likelihood;
        if (rule == 0 || fit.log_likelihood > probabilities[best]) {
            best = rule;
            best_unit = fit.log_unit;
        }
    }
    if (status == BL_OK) {
        probabilities[RULES] = bl_fit_nothing(batch.log_ns, batch.count);
        best = bl_posterior(probabilities, RULES + 1);
        status = bl_batch_keep(inference, &batch, sweep, best_unit,
                               best < RULES ? clocks[best] : NULL, error);
    }
    bl_batch_free(&batch);
    return status;
}

enum bl_status bl_infer_updates(struct bl_inference *inference, struct bl_error *error)
{
    static const char *const meanings[] = {
        "writes to different words of a bank wait for each other",
        "lanes that write the same word do it together",
        "a bank takes atomic additions lane by lane"};
    static const char *const keys[] = {"same_bank_writes_wait", "same_word_writes_merge",
                                       "atomics_by_lane"};
    double writes[RULES + 1] = {0}, adds[RULES + 1] = {0};
    enum bl_status written = BL_OPENCL_FAILED, added = BL_OPENCL_FAILED;
    if (inference->has_local_rule) {
        written = infer_updates(inference, BL_PROBE_WRITE, "local-writes", writes, error);
        if (written != BL_OK && !bl_infer_goes_on(written))
            return written;
        added = infer_updates(inference, BL_PROBE_ADD, "local-additions", adds, error);
        if (added != BL_OK && !bl_infer_goes_on(added))
            return added;
    }
    const char *why =
        inference->has_local_rule ? "no explanation fits" : bl_infer_why_no_local_rule(inference);
    const bool write_known = written == BL_OK && writes[RULES] < 0.5,
               add_known = added == BL_OK && adds[RULES] < 0.5;
    const double wait = writes[BY_WORD] + writes[BY_LANE], merge = writes[BY_WORD];
    const double yes[] = {wait, merge, adds[BY_LANE]};
    for (unsigned i = 0; i < 3; i++) {
        const bool known = i < 2 ? write_known : add_known;
        if (!known) {
            bl_find_unknown(inference, keys[i], meanings[i], "%s", why);
            continue;
        }
        const double no = i < 2 ? 1 - writes[RULES] - yes[i] : 1 - adds[RULES] - yes[i];
        struct bl_finding *finding = bl_find(inference, keys[i], meanings[i], BL_FOUND_FLAG,
                                             yes[i] > no, yes[i] > no ? yes[i] : no);
        bl_find_basis(finding, i < 2 ? "local-writes" : "local-additions",
                      "strides and shared words, 14 points");
    }
    inference->machine.atomics_by_lane = add_known && adds[BY_LANE] > BL_STATED_FROM;
    return BL_OK;
}

static const unsigned lane_counts[] = {4, 8, 16, 32, 64, 128};
static const unsigned bank_counts[] = {2, 4, 8, 16, 32, 64, 128};
static const unsigned widths[] = {4, 8, 16};
static const double floors[] = {1, 1.25, 1.5, 2, 3, 4};

enum {
    LANE_COUNTS = sizeof lane_counts / sizeof lane_counts[0],
    BANK_COUNTS = sizeof bank_counts / sizeof bank_counts[0],
    WIDTHS = sizeof widths / sizeof widths[0],
    FLOORS = sizeof floors / sizeof floors[0],
    EXPLANATIONS = LANE_COUNTS * BANK_COUNTS * WIDTHS * 2 * FLOORS,
    STEP = 512 /* a round of the banks of any explanation but the largest */
};

struct explanation {
    unsigned lanes, banks, width;
    bool broadcasts;
    double floor;
};

static struct explanation explanation_of(unsigned number)
{
    struct explanation explanation;
    explanation.floor = floors[number % FLOORS];
    number /= FLOORS;
    explanation.broadcasts = number % 2 == 0;
    number /= 2;
    explanation.width = widths[number % WIDTHS];
    number /= WIDTHS;
    explanation.banks = bank_counts[number % BANK_COUNTS];
    explanation.lanes = lane_counts[number / BANK_COUNTS];
    return explanation;
}

/* Each lane has the bank for itself, whether it wants the same word as another or not. */
static double clocks_one_by_one(const struct explanation *explanation,
                                const struct bl_lanes_probe *probe)
{
    double clocks = 0;
    for (unsigned first = 0; first < BL_TABLE_ITEMS; first += explanation->lanes) {
        unsigned wanted[256] = {0}, max = 0;
        for (unsigned i = first; i < first + explanation->lanes; i++) {
            const uint64_t place = probe->places[0][i];
            if (place == BL_IDLE)
                continue;
            const unsigned here = ++wanted[place / explanation->width % explanation->banks];
            max = here > max ? here : max;
        }
        clocks += max;
    }
    return clocks;
}

static double clocks_of(const struct explanation *explanation, const struct bl_lanes_probe *probe)
{
    if (!explanation->broadcasts)
        return clocks_one_by_one(explanation, probe);
    const struct bl_machine machine = {
        .has_rule = true,
        .lanes = explanation->lanes,
        .banks = explanation->banks,
        .bank_bytes = explanation->width,
        .widest_bytes = 16,
        .widest_components = 4,
    };
    return bl_probe_clocks(&machine, probe);
}

static bool add_sweeps(struct bl_inference *inference, struct bl_batch *batch)
{
    static const unsigned strides[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 12, 13,
                                       15, 16, 17, 20, 24, 31, 32, 33, 34, 40, 48, 63, 64};
    for (size_t s = 0; s < sizeof strides / sizeof strides[0]; s++) {
        struct bl_lanes_probe *probe =
            bl_batch_add(batch, BL_MEMORY_LOCAL, BL_PROBE_READ, &bl_type_int, STEP);
        if (!probe)
            return false;
        bl_batch_name(batch, strides[s], "stride %u", strides[s]);
        for (unsigned i = 0; i < BL_TABLE_ITEMS; i++)
            probe->places[0][i] = i * strides[s] * 4 % BL_TILE_BYTES;
    }
    for (unsigned sharing = 4; sharing <= BL_TABLE_ITEMS; sharing *= 2) {
        struct bl_lanes_probe *probe =
            bl_batch_add(batch, BL_MEMORY_LOCAL, BL_PROBE_READ, &bl_type_int, STEP);
        if (!probe)
            return false;
        bl_batch_name(batch, sharing, "%u share a word", sharing);
        for (unsigned i = 0; i < BL_TABLE_ITEMS; i++)
            probe->places[0][i] = i / sharing * STEP;
    }
    const unsigned random = inference->settings->quick ? 12 : 24;
    for (unsigned r = 0; r < random; r++) {
        static const unsigned ranges[] = {64, 256, 1024, 4096};
        struct bl_lanes_probe *probe =
            bl_batch_add(batch, BL_MEMORY_LOCAL, BL_PROBE_READ, &bl_type_int, STEP);
        if (!probe)
            return false;
        bl_batch_name(batch, NAN, "random %u", r);
        for (unsigned i = 0; i < BL_TABLE_ITEMS; i++)
            probe->places[0][i] = 4 * bl_infer_random(inference, ranges[r % 4]);
    }
    return true;
}

static double marginal(const double probabilities[], unsigned part, unsigned value)
{
    double sum = 0;
    for (unsigned e = 0; e < EXPLANATIONS; e++) {
        const struct explanation explanation = explanation_of(e);
        const unsigned parts[] = {explanation.lanes, explanation.banks, explanation.width,
                                  explanation.broadcasts};
        sum += parts[part] == value ? probabilities[e] : 0;
    }
    return sum;
}

static const struct {
    const char *key, *meaning;
    enum bl_finding_kind kind;
} values[] = {
    {"lanes", "work-items of a request", BL_FOUND_NUMBER},
    {"banks", "banks of local memory", BL_FOUND_NUMBER},
    {"bank_bytes", "bytes of a bank's word", BL_FOUND_NUMBER},
    {"broadcast", "lanes that read the same word get it together", BL_FOUND_FLAG},
};

enum { VALUES = sizeof values / sizeof values[0] };

static void unknown(struct bl_inference *inference, const char *why)
{
    for (unsigned i = 0; i < VALUES; i++)
        bl_find_unknown(inference, values[i].key, values[i].meaning, "%s", why);
}

/* What is most likely of all, by itself: the parts of the most likely explanation. */
static void conclude(struct bl_inference *inference, const struct bl_batch *batch,
                     const double probabilities[], unsigned best, const struct bl_fit *fit)
{
    const struct explanation explanation = explanation_of(best);
    const unsigned parts[] = {explanation.lanes, explanation.banks, explanation.width,
                              explanation.broadcasts};
    bool all = true;
    for (unsigned i = 0; i < VALUES; i++) {
        struct bl_finding *finding =
            bl_find(inference, values[i].key, values[i].meaning, values[i].kind, parts[i],
                    marginal(probabilities, i, parts[i]));
        bl_find_basis(finding, "local-reads",
                      "fit of strides, shared words and random places, "
                      "%.1f %% rms misfit, %zu points",
                      100 * fit->rms, batch->count);
        all &= finding->is_known;
    }
    inference->machine.lanes = explanation.lanes;
    inference->machine.banks = explanation.banks;
    inference->machine.bank_bytes = explanation.width;
    inference->floor = explanation.floor;
    inference->has_local_rule = all;
    inference->unit_ns[BL_MEMORY_LOCAL] = exp(fit->log_unit);
}

/* Fits every explanation; the last of the likelihoods is that of none. */
static enum bl_status fit(struct bl_inference *inference, const struct bl_batch *batch,
                          double expected[], struct bl_error *error)
{
    double *likelihoods = malloc((EXPLANATIONS + 1) * sizeof *likelihoods);
    double *clocks = malloc(batch->count * sizeof *clocks);
    if (!likelihoods || !clocks) {
        free(likelihoods);
        free(clocks);
        return bl_fail(error, BL_NO_MEMORY, "no memory for a fit");
    }
    const double scale = bl_scale_of(inference);
    struct bl_fit best_fit = {.log_likelihood = -INFINITY};
    for (unsigned e = 0; e < EXPLANATIONS; e++) {
        const struct explanation explanation = explanation_of(e);
        for (size_t i = 0; i < batch->count && e % FLOORS == 0; i++)
            clocks[i] = clocks_of(&explanation, &batch->probes[i]);
        const double requests = (double)BL_TABLE_ITEMS / explanation.lanes;
        const struct bl_fit here =
            bl_fit_costs(batch->log_ns, clocks, batch->count, scale, explanation.floor * requests);
        likelihoods[e] = here.log_likelihood;
        if (here.log_likelihood <= best_fit.log_likelihood)
            continue;
        best_fit = here;
        for (size_t i = 0; i < batch->count; i++)
            expected[i] = fmax(clocks[i], explanation.floor * requests);
    }
    likelihoods[EXPLANATIONS] = bl_fit_nothing(batch->log_ns, batch->count);
    const size_t best = bl_posterior(likelihoods, EXPLANATIONS + 1);
    if (best == EXPLANATIONS || best_fit.rms > BL_MOST_OFF)
        unknown(inference, "strides, shared words and random places in local memory cost what no "
                           "number of banks explains");
    else
        conclude(inference, batch, likelihoods, (unsigned)best, &best_fit);
    free(likelihoods);
    free(clocks);
    return BL_OK;
}

/* Measures, fits and keeps what was measured. */
static enum bl_status infer(struct bl_inference *inference, struct bl_batch *batch,
                            struct bl_error *error)
{
    if (!add_sweeps(inference, batch))
        return bl_fail(error, BL_NO_MEMORY, "no memory for probes");
    enum bl_status status = bl_batch_measure(inference, batch, error);
    if (status != BL_OK)
        return status;
    double *expected = calloc(batch->count, sizeof *expected);
    if (!expected)
        return bl_fail(error, BL_NO_MEMORY, "no memory for a fit");
    const double first = batch->log_ns[1];
    status = fit(inference, batch, expected, error);
    if (status == BL_OK && inference->has_local_rule)
        status = bl_batch_keep(inference, batch, "local-reads",
                               log(inference->unit_ns[BL_MEMORY_LOCAL]), expected, error);
    else if (status == BL_OK)
        status = bl_batch_keep(inference, batch, "local-reads", first, NULL, error);
    free(expected);
    return status;
}

enum bl_status bl_infer_local(struct bl_inference *inference, struct bl_error *error)
{
    struct bl_batch batch = {0};
    const enum bl_status status = infer(inference, &batch, error);
    bl_batch_free(&batch);
    if (bl_infer_goes_on(status)) {
        inference->lacks_local_times = true;
        unknown(inference, bl_infer_why_no_local_rule(inference));
        return BL_OK;
    }
    return status;
}
