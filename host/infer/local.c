/* Infers the lanes of a request and the banks of local memory, by fitting all combinations at once
 * to strides, shared words and random places: strides alone would leave some combinations
 * undecided. Then infers what writes and atomic additions to a bank wait for. */
#include <math.h>
#include <string.h>

#include "infer/inference.h"

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
    STEP = 512 /* a multiple of a round over all banks, for every explanation but the largest */
};

/* The values that an explanation consists of. */
enum { LANES, BANKS, BANK_BYTES, BROADCAST, VALUES };
static const char *const keys[VALUES] = {"lanes", "banks", "bank_bytes", "broadcast"};

static void values_of(unsigned number, unsigned values[VALUES])
{
    number /= FLOORS;
    values[BROADCAST] = number % 2 == 0;
    values[BANK_BYTES] = widths[number / 2 % WIDTHS];
    values[BANKS] = bank_counts[number / 2 / WIDTHS % BANK_COUNTS];
    values[LANES] = lane_counts[number / 2 / WIDTHS / BANK_COUNTS];
}

static bool explain_reads(unsigned number, struct bl_explanation *explanation)
{
    unsigned values[VALUES];
    values_of(number, values);
    explanation->machine.lanes = values[LANES];
    explanation->machine.banks = values[BANKS];
    explanation->machine.bank_bytes = values[BANK_BYTES];
    explanation->machine.atomics_by_lane = true;
    explanation->is_by_lane = !values[BROADCAST];
    explanation->floor = floors[number % FLOORS];
    explanation->differs_in_floor_alone = number % FLOORS;
    return true;
}

/* Adds probes in which work-item i accesses word i * stride. */
static void add_strides(struct bl_batch *batch, enum bl_probe_access access,
                        const unsigned strides[], size_t count)
{
    for (size_t s = 0; s < count; s++) {
        struct bl_lanes_probe *probe =
            bl_batch_add(batch, BL_MEMORY_LOCAL, access, &bl_type_int, STEP);
        bl_batch_name(batch, strides[s], "stride %u", strides[s]);
        for (unsigned i = 0; i < BL_TABLE_ITEMS; i++)
            probe->places[0][i] = i * strides[s] * 4 % BL_TILE_BYTES;
    }
}

/* Adds probes in which `min`, 2 * `min`, ... work-items share each word; words are apart_bytes
 * apart. */
static void add_sharing(struct bl_batch *batch, enum bl_probe_access access, unsigned min,
                        unsigned apart_bytes)
{
    for (unsigned sharing = min; sharing <= BL_TABLE_ITEMS; sharing *= 2) {
        struct bl_lanes_probe *probe =
            bl_batch_add(batch, BL_MEMORY_LOCAL, access, &bl_type_int, STEP);
        bl_batch_name(batch, sharing, "%u share a word", sharing);
        for (unsigned i = 0; i < BL_TABLE_ITEMS; i++)
            probe->places[0][i] = i / sharing * apart_bytes;
    }
}

static void add_random(struct bl_inference *inference)
{
    static const unsigned ranges[] = {64, 256, 1024, 4096};
    const unsigned count = inference->settings->quick ? 12 : 24;
    for (unsigned r = 0; r < count; r++) {
        struct bl_lanes_probe *probe =
            bl_batch_add(inference->batch, BL_MEMORY_LOCAL, BL_PROBE_READ, &bl_type_int, STEP);
        bl_batch_name(inference->batch, NAN, "random %u", r);
        for (unsigned i = 0; i < BL_TABLE_ITEMS; i++)
            probe->places[0][i] = 4 * bl_infer_random(inference, ranges[r % 4]);
    }
}

/* Adds the likeliest explanation's values as findings, each with its own probability. */
static void conclude(struct bl_inference *inference, const unsigned best[VALUES],
                     const struct bl_fit *fit)
{
    const struct bl_batch *batch = inference->batch;
    double probabilities[VALUES] = {0};
    bool all = true;
    for (unsigned e = 0; e < EXPLANATIONS; e++) {
        unsigned values[VALUES];
        values_of(e, values);
        for (unsigned v = 0; v < VALUES; v++)
            probabilities[v] += values[v] == best[v] ? batch->probabilities[e] : 0;
    }
    for (unsigned v = 0; v < VALUES; v++) {
        struct bl_finding *finding = bl_find(inference, keys[v], best[v], probabilities[v]);
        bl_find_basis(finding, "local-reads",
                      "fit of strides, shared words and random places, "
                      "%.1f %% rms misfit, %zu points",
                      100 * fit->rms, batch->count);
        all &= finding->is_known;
    }
    inference->machine.lanes = best[LANES];
    inference->machine.banks = best[BANKS];
    inference->machine.bank_bytes = best[BANK_BYTES];
    inference->floor = floors[batch->likeliest % FLOORS];
    inference->has_local_rule = all;
    inference->unit_ns[BL_MEMORY_LOCAL] = exp(fit->log_unit);
}

static enum bl_status infer_reads(struct bl_inference *inference)
{
    static const unsigned strides[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 12, 13,
                                       15, 16, 17, 20, 24, 31, 32, 33, 34, 40, 48, 63, 64};
    struct bl_batch *batch = bl_batch_begin(inference);
    add_strides(batch, BL_PROBE_READ, strides, sizeof strides / sizeof strides[0]);
    add_sharing(batch, BL_PROBE_READ, 4, STEP);
    add_random(inference);
    const enum bl_status status = bl_batch_fit(inference, explain_reads, EXPLANATIONS, 1);
    if (status != BL_OK)
        return status;
    const struct bl_fit *fit = &batch->fits[batch->likeliest];
    unsigned best[VALUES];
    values_of((unsigned)batch->likeliest, best);
    if (batch->none_fits || fit->rms > BL_MOST_OFF)
        bl_find_none(inference, keys, VALUES,
                     "no number of banks explains the times of strides, shared words and random "
                     "places in local memory");
    else
        conclude(inference, best, fit);
    if (!inference->has_local_rule)
        return bl_batch_keep(inference, "local-reads", batch->log_ns[1], NULL);
    double *expected = batch->clocks + batch->likeliest * batch->count;
    for (size_t i = 0; i < batch->count; i++)
        expected[i] = fmax(expected[i], bl_least_clocks(inference));
    return bl_batch_keep(inference, "local-reads", fit->log_unit, expected);
}

enum bl_status bl_infer_local(struct bl_inference *inference)
{
    const enum bl_status status = infer_reads(inference);
    if (bl_infer_goes_on(status)) {
        inference->lacks_local_times = true;
        bl_find_none(inference, keys, VALUES, bl_infer_why_no_local_rule(inference));
    }
    return status;
}

/* The rules that are tried for writes and atomic additions to words of one bank. */
enum rule {
    BY_WORD,   /* one clock per distinct word */
    BY_LANE,   /* one clock per lane */
    NO_MATTER, /* banks have no effect */
    RULES
};

static bool explain_rule(unsigned rule, struct bl_explanation *explanation)
{
    explanation->machine.atomics_by_lane = explanation->is_by_lane = rule == BY_LANE;
    explanation->is_free = rule == NO_MATTER;
    return true;
}

/* Fits the rules to strides, and to words of one bank or several that lanes share. */
static enum bl_status infer_access(struct bl_inference *inference, enum bl_probe_access access,
                                   const char *sweep, double probabilities[RULES + 1])
{
    static const unsigned strides[] = {1, 2, 3, 4, 8, 16, 32};
    struct bl_batch *batch = bl_batch_begin(inference);
    add_strides(batch, access, strides, sizeof strides / sizeof strides[0]);
    add_sharing(batch, access, 2, 4);
    const enum bl_status status = bl_batch_fit(inference, explain_rule, RULES, 2);
    if (status != BL_OK)
        return status;
    memcpy(probabilities, batch->probabilities, (RULES + 1) * sizeof *probabilities);
    return bl_batch_keep(inference, sweep, batch->fits[batch->likeliest].log_unit,
                         batch->none_fits ? NULL : bl_batch_clocks(batch));
}

enum bl_status bl_infer_local_atomics(struct bl_inference *inference)
{
    enum { WRITES, ADDITIONS, ACCESSES };
    static const struct {
        enum bl_probe_access access;
        const char *sweep;
    } accesses[ACCESSES] = {
        {BL_PROBE_WRITE, "local-writes"},
        {BL_PROBE_ADD, "local-additions"},
    };
    double by[ACCESSES][RULES + 1] = {0};
    bool is_known[ACCESSES] = {false};
    for (unsigned a = 0; a < ACCESSES && inference->has_local_rule; a++) {
        const enum bl_status status =
            infer_access(inference, accesses[a].access, accesses[a].sweep, by[a]);
        if (status != BL_OK && !bl_infer_goes_on(status))
            return status;
        is_known[a] = status == BL_OK && by[a][RULES] < 0.5;
    }
    const struct {
        const char *key;
        unsigned access;
        double yes;
    } flags[] = {
        {"same_bank_writes_wait", WRITES, by[WRITES][BY_WORD] + by[WRITES][BY_LANE]},
        {"same_word_writes_merge", WRITES, by[WRITES][BY_WORD]},
        {"atomics_by_lane", ADDITIONS, by[ADDITIONS][BY_LANE]},
    };
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        const unsigned access = flags[i].access;
        if (!is_known[access]) {
            bl_find_unknown(inference, flags[i].key, "%s",
                            inference->has_local_rule ? "no explanation fits"
                                                      : bl_infer_why_no_local_rule(inference));
            continue;
        }
        const double yes = flags[i].yes, no = 1 - by[access][RULES] - yes;
        bl_find_basis(bl_find(inference, flags[i].key, yes > no, yes > no ? yes : no),
                      accesses[access].sweep, "strides and shared words, 14 points");
    }
    inference->machine.atomics_by_lane =
        is_known[ADDITIONS] && by[ADDITIONS][BY_LANE] > BL_STATED_FROM;
    return BL_OK;
}
