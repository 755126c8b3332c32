/* Infers the lanes of a request and the banks of local memory, by fitting all combinations
 * simultaneously to strides, shared words and random places: strides alone would leave some
 * combinations undecided. Then infers what writes and atomic additions to a bank wait for. */
#include <math.h>
#include <string.h>

#include "infer/inference.h"

static const unsigned lane_counts[] = {4, 8, 16, 32, 64, 128};
static const double floors[] = {1, 1.25, 1.5, 2, 3, 4};

enum {
    LANE_COUNTS = sizeof lane_counts / sizeof lane_counts[0],
    FLOORS = sizeof floors / sizeof floors[0],
    BROADCASTS = 2,
    STEP = 512 /* a multiple of all word sizes, so the same lanes share a bank at every step */
};

/* The values that an explanation consists of. */
enum { LANES, BANKS, BANK_BYTES, BROADCAST, VALUES };
static const char *const keys[VALUES] = {"lanes", "banks", "bank_bytes", "broadcast"};

/* An explanation's number encodes the floor in its lowest digit, then broadcast, banks and lanes.
 * After these explanations comes a last one: all reads take the same time. */
static unsigned explanations_of(const struct bl_banks_weighed *weighed)
{
    return LANE_COUNTS * weighed->count * BROADCASTS * FLOORS;
}

static unsigned banks_of(unsigned number, const struct bl_banks_weighed *weighed)
{
    return number / FLOORS / BROADCASTS % weighed->count;
}

static void values_of(unsigned number, const struct bl_banks_weighed *weighed,
                      unsigned values[VALUES])
{
    const struct bl_banks *banks = &weighed->all[banks_of(number, weighed)];
    values[BROADCAST] = number / FLOORS % BROADCASTS == 0;
    values[BANK_BYTES] = banks->bytes;
    values[BANKS] = banks->count;
    values[LANES] = lane_counts[number / FLOORS / BROADCASTS / weighed->count];
}

static bool explain_reads(unsigned number, struct bl_explanation *explanation)
{
    struct bl_machine *machine = &explanation->machine;
    const struct bl_banks_weighed weighed = bl_banks_to_weigh(machine);
    unsigned values[VALUES];
    memset(machine->banks_alternatives, 0, sizeof machine->banks_alternatives);
    if (number == explanations_of(&weighed)) {
        /* Wrong explanations with few lanes and a high floor also predict equal times. So the prior
         * makes the last explanation about as probable as all others together. */
        explanation->is_free = true;
        explanation->log_prior = log(number) + weighed.log_prior;
        return true;
    }
    values_of(number, &weighed, values);
    if (banks_of(number, &weighed) < weighed.hypotheses)
        explanation->log_prior = weighed.log_prior;
    machine->lanes = values[LANES];
    machine->banks = values[BANKS];
    machine->bank_bytes = values[BANK_BYTES];
    machine->atomics_by_lane = true;
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

/* Adds probes in which `min`, 2 * `min`, ... work-items share each word. apart_bytes: distance
 * between the words. */
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

static void add_random(struct bl_inference *inference, enum bl_probe_access access, unsigned count)
{
    static const unsigned ranges[] = {64, 256, 1024, 4096};
    for (unsigned r = 0; r < count; r++) {
        struct bl_lanes_probe *probe =
            bl_batch_add(inference->batch, BL_MEMORY_LOCAL, access, &bl_type_int, STEP);
        bl_batch_name(inference->batch, NAN, "random %u", r);
        for (unsigned i = 0; i < BL_TABLE_ITEMS; i++)
            probe->places[0][i] = 4 * bl_infer_random(inference, ranges[r % 4]);
    }
}

/* The probability of each value of the most likely explanation. */
static void add_up(const struct bl_batch *batch, const struct bl_banks_weighed *weighed,
                   unsigned best[VALUES], double probabilities[VALUES])
{
    values_of((unsigned)batch->likeliest, weighed, best);
    memset(probabilities, 0, VALUES * sizeof *probabilities);
    for (unsigned e = 0; e < explanations_of(weighed); e++) {
        unsigned values[VALUES];
        values_of(e, weighed, values);
        for (unsigned v = 0; v < VALUES; v++)
            probabilities[v] += values[v] == best[v] ? batch->probabilities[e] : 0;
    }
}

/* Whether the times fit the likeliest number of banks. */
static bool fits(const struct bl_batch *batch, const struct bl_banks_weighed *weighed)
{
    return !batch->none_fits && batch->likeliest < explanations_of(weighed) &&
           batch->fits[batch->likeliest].rms <= BL_MOST_OFF;
}

/* Adds the likeliest explanation's values as findings, each with its own probability. */
static void conclude(struct bl_inference *inference, const struct bl_banks_weighed *weighed)
{
    const struct bl_batch *batch = inference->batch;
    const struct bl_fit *fit = &batch->fits[batch->likeliest];
    unsigned best[VALUES];
    double probabilities[VALUES];
    bool all = true;
    add_up(batch, weighed, best, probabilities);
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

/* Stores each hypothesis's results in the findings. */
static void note_hypotheses(struct bl_inference *inference, const struct bl_banks_weighed *weighed)
{
    const struct bl_batch *batch = inference->batch;
    struct bl_findings *findings = inference->findings;
    double best[BL_MAX_BANK_ALTERNATIVES];
    double sum = 0;
    findings->hypothesis_count = weighed->hypotheses;
    for (unsigned h = 0; h < weighed->hypotheses; h++) {
        findings->hypotheses[h] = (struct bl_hypothesis){.banks = weighed->all[h]};
        best[h] = -INFINITY;
    }
    for (unsigned e = 0; e < explanations_of(weighed); e++) {
        const unsigned h = banks_of(e, weighed);
        if (h >= weighed->hypotheses)
            continue;
        findings->hypotheses[h].probability += batch->probabilities[e];
        sum += batch->probabilities[e];
        if (batch->fits[e].log_likelihood > best[h]) {
            best[h] = batch->fits[e].log_likelihood;
            findings->hypotheses[h].misfit = batch->fits[e].rms;
        }
    }
    findings->other_probability = fmax(0, 1 - sum);
    findings->points = (unsigned)batch->count;
}

/* Whether the measurements leave no doubt about any value. If the true explanation was not tried,
 * even the best explanation differs from the times by more than the errors of measurement. */
static bool is_decided(const struct bl_inference *inference, const struct bl_banks_weighed *weighed)
{
    const struct bl_batch *batch = inference->batch;
    unsigned best[VALUES];
    double probabilities[VALUES];
    if (!fits(batch, weighed) ||
        batch->fits[batch->likeliest].rms > 3 * bl_scale_of(inference, BL_RULES_ARE_OFF))
        return false;
    add_up(batch, weighed, best, probabilities);
    bool all = true;
    for (unsigned v = 0; v < VALUES; v++)
        all &= probabilities[v] >= BL_MOST_CERTAIN;
    return all;
}

/* Measures and fits the points that distinguish the hypotheses. If the result is doubtful, or there
 * are no hypotheses, measures and fits all points. */
static enum bl_status weigh(struct bl_inference *inference, const struct bl_banks_weighed *weighed)
{
    struct bl_batch *batch = inference->batch;
    const size_t first = bl_choose_points(inference), all = batch->count;
    enum bl_status status = BL_OK;
    bool is_enough = false;
    if (first) {
        batch->count = first;
        status = bl_batch_fit(inference, explain_reads, explanations_of(weighed) + 1, 1);
        is_enough = status == BL_OK && is_decided(inference, weighed);
    }
    if (status == BL_OK && !is_enough) {
        batch->count = all;
        status = bl_batch_fit(inference, explain_reads, explanations_of(weighed) + 1, 1);
    }
    inference->findings->max_points = (unsigned)all;
    if (status == BL_OK)
        note_hypotheses(inference, weighed);
    return status;
}

static enum bl_status infer_reads(struct bl_inference *inference)
{
    static const unsigned strides[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 12, 13,
                                       15, 16, 17, 20, 24, 31, 32, 33, 34, 40, 48, 63, 64};
    const struct bl_banks_weighed weighed = bl_banks_to_weigh(&inference->machine);
    struct bl_batch *batch = bl_batch_begin(inference);
    add_strides(batch, BL_PROBE_READ, strides, sizeof strides / sizeof strides[0]);
    add_sharing(batch, BL_PROBE_READ, 4, STEP);
    add_random(inference, BL_PROBE_READ, inference->settings->quick ? 12 : 24);
    const enum bl_status status = weigh(inference, &weighed);
    memset(inference->machine.banks_alternatives, 0, sizeof inference->machine.banks_alternatives);
    if (status != BL_OK)
        return status;
    if (fits(batch, &weighed))
        conclude(inference, &weighed);
    else
        bl_find_none(
            inference, keys, VALUES,
            batch->likeliest == explanations_of(&weighed) && !batch->none_fits
                ? "all patterns of local memory reads take the same time, so no banks are visible"
                : "no number of banks explains the times of strides, shared words and random "
                  "places in local memory");
    if (!inference->has_local_rule)
        return bl_batch_keep(inference, "local-reads", batch->log_ns[1], NULL);
    double *expected = batch->clocks + batch->likeliest * batch->count;
    for (size_t i = 0; i < batch->count; i++)
        expected[i] = fmax(expected[i], bl_least_clocks(inference));
    return bl_batch_keep(inference, "local-reads", batch->fits[batch->likeliest].log_unit,
                         expected);
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

/* The number of lanes whose writes the banks serve together, divided by the number of lanes whose
 * reads they serve together. */
static const double write_splits[] = {1, 0.25, 0.5, 2};

enum { SPLITS = sizeof write_splits / sizeof write_splits[0], WRITE_FLOORS = 2, FEWEST_LANES = 4 };

/* An explanation's number encodes the rule in its lowest digit, then the split, and then whether
 * the minimum time of a request is twice the minimum time of a read. */
static bool explain_rule(unsigned number, struct bl_explanation *explanation)
{
    const unsigned rule = number % RULES, split = number / RULES % SPLITS;
    const double lanes = explanation->machine.lanes * write_splits[split];
    explanation->machine.atomics_by_lane = explanation->is_by_lane = rule == BY_LANE;
    explanation->is_free = rule == NO_MATTER;
    if (number / RULES / SPLITS)
        explanation->floor *= 2;
    explanation->machine.lanes = (unsigned)lanes;
    /* If banks have no effect, splits and minimum times are not varied. */
    return number < RULES || (rule != NO_MATTER && lanes >= FEWEST_LANES && lanes <= BL_MAX_LANES);
}

/* How the banks serve one kind of access. */
struct taking {
    bool is_known;
    double rules[RULES];   /* probability of each rule */
    double splits[SPLITS]; /* probability of each of write_splits */
    size_t points;
};

/* Measures strides and words that lanes share. For writes, also measures random places, which show
 * how many lanes' writes the banks serve together. */
static enum bl_status infer_access(struct bl_inference *inference, enum bl_probe_access access,
                                   const char *sweep, struct taking *taking)
{
    static const unsigned strides[] = {1, 2, 3, 4, 8, 16, 32};
    const bool is_write = access == BL_PROBE_WRITE;
    const unsigned count = is_write ? RULES * SPLITS * WRITE_FLOORS : RULES;
    struct bl_batch *batch = bl_batch_begin(inference);
    add_strides(batch, access, strides, sizeof strides / sizeof strides[0]);
    add_sharing(batch, access, 2, 4);
    add_random(inference, access, is_write ? 8 : 0);
    const enum bl_status status = bl_batch_fit(inference, explain_rule, count, 2);
    if (status != BL_OK)
        return status;
    for (unsigned e = 0; e < count; e++) {
        taking->rules[e % RULES] += batch->probabilities[e];
        if (e % RULES != NO_MATTER)
            taking->splits[e / RULES % SPLITS] += batch->probabilities[e];
    }
    taking->is_known = batch->probabilities[count] < 0.5;
    taking->points = batch->count;
    return bl_batch_keep(inference, sweep, batch->fits[batch->likeliest].log_unit,
                         batch->none_fits ? NULL : bl_batch_clocks(batch));
}

/* Reports how many lanes' writes the banks serve together. If this number is larger than the number
 * for reads, it is the number of lanes per request, and the reads of a request are split. */
static void conclude_split(struct bl_inference *inference, const struct taking *writes)
{
    static const char key[] = "local_lanes_written_at_once";
    if (!writes->is_known || writes->rules[NO_MATTER] > 0.5) {
        bl_find_unknown(inference, key, "%s",
                        !inference->has_local_rule ? bl_infer_why_no_local_rule(inference)
                        : writes->is_known         ? "writes do not wait for banks"
                                                   : "no explanation fits");
        return;
    }
    unsigned best = 0;
    for (unsigned i = 1; i < SPLITS; i++)
        best = writes->splits[i] > writes->splits[best] ? i : best;
    const unsigned read = inference->machine.lanes, written = (unsigned)(read * write_splits[best]);
    const struct bl_finding *split = bl_find(inference, key, written, writes->splits[best]);
    bl_find_basis(&inference->findings->all[inference->findings->count - 1], "local-writes",
                  "strides, shared words and random places, %zu points", writes->points);
    if (!split->is_known || written <= read)
        return;
    const struct bl_finding lanes = *bl_finding_of(inference->findings, "lanes");
    bl_find_basis(bl_find(inference, "local_lanes_at_once", read, lanes.confidence), lanes.sweep,
                  "%s", lanes.basis);
    for (size_t i = 0; i < inference->findings->count; i++)
        if (strcmp(inference->findings->all[i].key, "lanes") == 0)
            inference->findings->all[i].value = written;
    inference->machine.lanes = written;
    inference->machine.local_lanes_at_once = read;
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
    struct taking by[ACCESSES] = {0};
    for (unsigned a = 0; a < ACCESSES && inference->has_local_rule; a++) {
        const enum bl_status status =
            infer_access(inference, accesses[a].access, accesses[a].sweep, &by[a]);
        if (status != BL_OK && !bl_infer_goes_on(status))
            return status;
        by[a].is_known &= status == BL_OK;
    }
    const struct {
        const char *key;
        unsigned access;
        double yes, no;
    } flags[] = {
        {"same_bank_writes_wait", WRITES, by[WRITES].rules[BY_WORD] + by[WRITES].rules[BY_LANE],
         by[WRITES].rules[NO_MATTER]},
        {"same_word_writes_merge", WRITES, by[WRITES].rules[BY_WORD],
         by[WRITES].rules[BY_LANE] + by[WRITES].rules[NO_MATTER]},
        {"atomics_by_lane", ADDITIONS, by[ADDITIONS].rules[BY_LANE],
         by[ADDITIONS].rules[BY_WORD] + by[ADDITIONS].rules[NO_MATTER]},
    };
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        const struct taking *taking = &by[flags[i].access];
        if (!taking->is_known) {
            bl_find_unknown(inference, flags[i].key, "%s",
                            inference->has_local_rule ? "no explanation fits"
                                                      : bl_infer_why_no_local_rule(inference));
            continue;
        }
        const double yes = flags[i].yes, no = flags[i].no;
        bl_find_basis(bl_find(inference, flags[i].key, yes > no, yes > no ? yes : no),
                      accesses[flags[i].access].sweep, "strides and shared words, %zu points",
                      taking->points);
    }
    inference->machine.atomics_by_lane =
        by[ADDITIONS].is_known && by[ADDITIONS].rules[BY_LANE] > BL_STATED_FROM;
    conclude_split(inference, &by[WRITES]);
    return BL_OK;
}
