/* Reads of global memory that hit the first cache. Infers whether they also go through the banks of
 * local memory, how far one request's wait for tags and another's wait for banks overlap, and
 * whether constant memory takes the same path. */
#include <math.h>

#include "infer/inference.h"

enum { PATTERNS = 40, MIXES = 96, PERCENTS = 101, CLOCKS = 9, RANGE = 2048, CONSTANT_STEP = 4096 };

static const char *const keys[] = {"banks_serve_global", "constant_is_global", "overlap_percent"};

/* The first address that the probes read in this memory. */
static uint64_t begin_of(const struct bl_inference *inference, enum bl_memory memory)
{
    return memory == BL_MEMORY_CONSTANT ? 0 : bl_infer_home(inference, 1 << 20);
}

static struct bl_lanes_probe *add(struct bl_batch *batch, enum bl_memory memory)
{
    return bl_batch_add(batch, memory, BL_PROBE_READ, &bl_type_int,
                        memory == BL_MEMORY_CONSTANT ? CONSTANT_STEP : BL_STEP);
}

/* Adds probes of strides and of random words of a few lines: some of these requests wait for banks,
 * others for tags. */
static void add_patterns(struct bl_inference *inference, enum bl_memory memory)
{
    const uint64_t begin = begin_of(inference, memory);
    bl_batch_begin(inference);
    for (unsigned p = 0; p < PATTERNS; p++) {
        struct bl_lanes_probe *probe = add(inference->batch, memory);
        const unsigned random = p < PATTERNS / 2 ? 0 : 64u << p % 4;
        if (random)
            bl_batch_name(inference->batch, NAN, "random words of %u", random);
        else
            bl_batch_name(inference->batch, p + 1, "stride %u", p + 1);
        for (unsigned i = 0; i < BL_TABLE_ITEMS; i++)
            probe->places[0][i] =
                begin + (random ? 4 * bl_infer_random(inference, random)
                                : 4 * (i % inference->machine.lanes) * (p + 1) % RANGE);
    }
}

static bool explain_banks(unsigned with_banks, struct bl_explanation *explanation)
{
    explanation->machine.constant_is_global = true;
    explanation->machine.banks_serve_global = with_banks;
    return true;
}

/* The only explanation that is tried: the rules of global memory. */
static bool explain_constant(unsigned number, struct bl_explanation *explanation)
{
    (void)number;
    return explanation->machine.constant_is_global = true;
}

static enum bl_status infer_banks(struct bl_inference *inference)
{
    add_patterns(inference, BL_MEMORY_GLOBAL);
    const enum bl_status status = bl_batch_fit(inference, explain_banks, 2, 2);
    if (status != BL_OK)
        return status;
    const struct bl_batch *batch = inference->batch;
    const size_t best = batch->none_fits ? 0 : batch->likeliest;
    bool differ = false;
    for (size_t i = 0; i < batch->count; i++)
        differ |= batch->clocks[i] != batch->clocks[batch->count + i];
    if (batch->none_fits) {
        bl_find_unknown(inference, "banks_serve_global", "neither explanation fits");
        inference->has_global_rule = false;
    } else if (!differ) {
        bl_find_unknown(inference, "banks_serve_global",
                        "the predictions for all patterns are the same with and without banks");
    } else {
        bl_find_basis(
            bl_find(inference, "banks_serve_global", (double)best, batch->probabilities[best]),
            "cached-reads",
            "fit of strides and random words, %.1f %% rms misfit, "
            "%zu points",
            100 * batch->fits[best].rms, batch->count);
        inference->machine.banks_serve_global = best == 1;
    }
    return bl_batch_keep(inference, "cached-reads", batch->fits[best].log_unit,
                         batch->none_fits ? NULL : bl_batch_clocks(batch));
}

static enum bl_status infer_constant(struct bl_inference *inference)
{
    add_patterns(inference, BL_MEMORY_CONSTANT);
    const enum bl_status status = bl_batch_fit(inference, explain_constant, 1, 2);
    if (bl_infer_goes_on(status)) {
        bl_find_unknown(inference, "constant_is_global", "the probes could not be measured");
        return BL_OK;
    }
    if (status != BL_OK)
        return status;
    const struct bl_batch *batch = inference->batch;
    const bool is_same = !batch->none_fits;
    bl_find_basis(
        bl_find(inference, "constant_is_global", is_same, batch->probabilities[is_same ? 0 : 1]),
        "constant-reads", "the patterns of cached reads, %.1f %% rms misfit, %zu points",
        100 * batch->fits[0].rms, batch->count);
    inference->machine.constant_is_global = is_same;
    return bl_batch_keep(inference, "constant-reads", batch->fits[0].log_unit,
                         is_same ? bl_batch_clocks(batch) : NULL);
}

/* Generates a request like those of real patterns: random words of a few lines, a stride, or rows
 * of a few words. */
static void add_request(struct bl_inference *inference, uint64_t begin, uint64_t places[])
{
    const unsigned kind = bl_infer_random(inference, 4), lanes = inference->machine.lanes;
    const unsigned range = 32u << bl_infer_random(inference, 6),
                   offset = bl_infer_random(inference, 64),
                   stride = 1 + bl_infer_random(inference, 64),
                   row = 2u << bl_infer_random(inference, 4),
                   pitch = 1 + bl_infer_random(inference, 128);
    for (unsigned lane = 0; lane < lanes; lane++) {
        const unsigned word = kind < 2    ? bl_infer_random(inference, range)
                              : kind == 2 ? offset + lane * stride
                                          : offset + lane % row + lane / row * pitch;
        places[lane] = begin + 4 * (uint64_t)word;
    }
}

/* Adds probes that mix strides, rows and random words: some requests wait for tags, others for
 * banks. */
static void add_mixes(struct bl_inference *inference)
{
    const uint64_t begin = begin_of(inference, BL_MEMORY_GLOBAL);
    for (unsigned m = 0; m < MIXES; m++) {
        struct bl_lanes_probe *probe = add(inference->batch, BL_MEMORY_GLOBAL);
        probe->tables = 2;
        bl_batch_name(inference->batch, m, "mix %u", m);
        for (unsigned i = 0; i < 2 * BL_TABLE_ITEMS; i += inference->machine.lanes)
            add_request(inference, begin, &probe->places[i / BL_TABLE_ITEMS][i % BL_TABLE_ITEMS]);
    }
}

/* The clocks that a probe would take if it waited only for tags or, if `banks`, only for banks. */
static double stage_clocks(const struct bl_machine *machine, const struct bl_lanes_probe *probe,
                           bool banks)
{
    struct bl_machine stage = *machine;
    struct bl_lanes_probe asked = *probe;
    stage.banks_serve_global = false;
    if (banks)
        asked.memory = BL_MEMORY_LOCAL;
    return bl_probe_clocks(&stage, &asked);
}

/* Computes the probability of each overlap percentage (all equal if the mixes cannot distinguish
 * them), and each mix's clocks: one_by_one without overlap, `longer` if the shorter wait is hidden
 * completely. */
static void find_overlap(const struct bl_inference *inference, double probabilities[PERCENTS],
                         double one_by_one[MIXES], double longer[MIXES])
{
    const struct bl_batch *batch = inference->batch;
    const struct bl_machine machine = inference->machine;
    const double clock = inference->unit_ns[BL_MEMORY_GLOBAL] * machine.lanes / BL_TABLE_ITEMS;
    const double scale = sqrt(pow(bl_scale_of(inference, BL_RULES_ARE_OFF), 2) + 0.01 * 0.01);
    for (size_t m = 0; m < batch->count; m++) {
        const struct bl_lanes_probe *probe = &batch->points[m].lanes;
        one_by_one[m] = bl_probe_clocks(&machine, probe);
        longer[m] = fmax(stage_clocks(&machine, probe, false), stage_clocks(&machine, probe, true));
    }
    /* The length of a clock has an error, too, so several lengths are tried. */
    const double clock_error = fmax(0.004, inference->error);
    for (unsigned percent = 0; percent < PERCENTS; percent++) {
        double of_clock[CLOCKS];
        for (unsigned c = 0; c < CLOCKS; c++) {
            const double off = (c / (CLOCKS - 1.0) - 0.5) * 6;
            of_clock[c] = -off * off / 2;
            for (size_t m = 0; m < batch->count; m++) {
                const double clocks = one_by_one[m] - percent / 100.0 * (one_by_one[m] - longer[m]);
                of_clock[c] += bl_log_density(
                    batch->log_ns[m] - log(clocks * clock) - off * clock_error, scale);
            }
        }
        double max = of_clock[0], sum = 0;
        for (unsigned c = 1; c < CLOCKS; c++)
            max = fmax(max, of_clock[c]);
        for (unsigned c = 0; c < CLOCKS; c++)
            sum += exp(of_clock[c] - max);
        probabilities[percent] = max + log(sum);
    }
    bl_posterior(probabilities, PERCENTS);
}

static double percent_at(const double probabilities[PERCENTS], double share)
{
    return fmin(100, fmax(0, bl_posterior_quantile(probabilities, PERCENTS, share)));
}

static enum bl_status infer_overlap(struct bl_inference *inference)
{
    bl_batch_begin(inference);
    add_mixes(inference);
    const enum bl_status status = bl_batch_measure(inference);
    if (status != BL_OK)
        return status;
    double probabilities[PERCENTS], one_by_one[MIXES], longer[MIXES];
    find_overlap(inference, probabilities, one_by_one, longer);
    const double lo = percent_at(probabilities, 0.025), hi = percent_at(probabilities, 0.975);
    if (hi - lo > 60) {
        bl_find_unknown(inference, "overlap_percent",
                        "mixed requests take the same time with and without overlap");
    } else {
        struct bl_finding *finding =
            bl_find_amount(inference, "overlap_percent", percent_at(probabilities, 0.5),
                           fmax(0, lo - 1), fmin(100, hi + 1));
        bl_find_basis(finding, "overlap",
                      "random mixes of requests that wait for tags or for banks, %d points", MIXES);
        inference->machine.overlap_percent = (unsigned)lround(finding->value);
    }
    const double hidden = inference->machine.overlap_percent / 100.0,
                 requests = (double)BL_TABLE_ITEMS / inference->machine.lanes;
    for (unsigned m = 0; m < MIXES; m++) /* converted to clocks per request */
        one_by_one[m] = (one_by_one[m] - hidden * (one_by_one[m] - longer[m])) / requests;
    return bl_batch_keep(inference, "overlap", inference->log_hit_ns, one_by_one);
}

enum bl_status bl_infer_cached_reads(struct bl_inference *inference)
{
    if (!inference->has_global_rule) {
        bl_find_none(inference, keys, sizeof keys / sizeof keys[0],
                     "it is not known which lines are looked up together");
        return BL_OK;
    }
    bl_infer_repeat(inference, 0.02);
    enum bl_status status = infer_banks(inference);
    if (status == BL_OK)
        status = infer_constant(inference);
    if (status == BL_OK && inference->machine.banks_serve_global)
        status = infer_overlap(inference);
    else if (status == BL_OK)
        bl_find_unknown(inference, "overlap_percent",
                        "reads of global memory do not wait for banks");
    return status;
}
