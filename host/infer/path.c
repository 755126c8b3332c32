/* What else reads of global memory that hit the first cache go through: the banks of local memory,
 * or not; how far the waits for tags and for banks of different requests overlap; and whether
 * constant memory goes the same way. */
#include <math.h>
#include <stdlib.h>

#include "infer/inference.h"
#include "infer/posterior.h"

enum { PATTERNS = 40, MIXES = 96, PERCENTS = 101, CLOCKS = 9, RANGE = 2048, CONSTANT_STEP = 4096 };

static uint64_t home_of(const struct bl_inference *inference)
{
    const uint64_t mib = 1 << 20;
    return (inference->target->limits.arrays[0].address + mib - 1) & ~(mib - 1);
}

static struct bl_lanes_probe *add(struct bl_batch *batch, const struct bl_inference *inference,
                                  enum bl_memory memory, uint64_t *begin)
{
    const bool is_constant = memory == BL_MEMORY_CONSTANT;
    *begin = is_constant ? 0 : home_of(inference);
    return bl_batch_add(batch, memory, BL_PROBE_READ, &bl_type_int,
                        is_constant ? CONSTANT_STEP : BL_STEP);
}

/* Strides, and random words of a few lines: some wait for banks, some for tags. */
static bool add_patterns(struct bl_inference *inference, enum bl_memory memory,
                         struct bl_batch *batch)
{
    for (unsigned p = 0; p < PATTERNS; p++) {
        uint64_t begin;
        struct bl_lanes_probe *probe = add(batch, inference, memory, &begin);
        if (!probe)
            return false;
        const unsigned random = p < PATTERNS / 2 ? 0 : 64u << p % 4;
        if (random)
            bl_batch_name(batch, NAN, "random words of %u", random);
        else
            bl_batch_name(batch, p + 1, "stride %u", p + 1);
        for (unsigned i = 0; i < BL_TABLE_ITEMS; i++)
            probe->places[0][i] =
                begin + (random ? 4 * bl_infer_random(inference, random)
                                : 4 * (i % inference->machine.lanes) * (p + 1) % RANGE);
    }
    return true;
}

static enum bl_status fit(struct bl_inference *inference, struct bl_batch *batch, bool with_banks,
                          struct bl_fit *result, double clocks[])
{
    struct bl_machine machine = inference->machine;
    machine.has_rule = true;
    machine.constant_is_global = true;
    machine.banks_serve_global = with_banks;
    machine.widest_bytes = machine.widest_components = 4;
    for (size_t i = 0; i < batch->count; i++)
        clocks[i] = bl_probe_clocks(&machine, &batch->probes[i]);
    *result = bl_fit_costs(batch->log_ns, clocks, batch->count, 2 * bl_scale_of(inference),
                           inference->floor * BL_TABLE_ITEMS / machine.lanes);
    return BL_OK;
}

static const char *const banks_meaning = "cached reads of global memory come through local "
                                         "memory's banks",
                         *const constant_meaning = "constant memory goes the way of global memory",
                         *const overlap_meaning = "of the shorter of the waits for tags and for "
                                                  "banks, hidden by other requests";

static enum bl_status infer_banks(struct bl_inference *inference, struct bl_error *error)
{
    struct bl_batch batch = {0};
    enum bl_status status = add_patterns(inference, BL_MEMORY_GLOBAL, &batch)
                                ? bl_batch_measure(inference, &batch, error)
                                : bl_fail(error, BL_NO_MEMORY, "no memory for probes");
    if (status == BL_OK) {
        double clocks[2][PATTERNS], likelihoods[3];
        struct bl_fit fits[2];
        bool differ = false;
        for (int banks = 0; banks < 2; banks++) {
            fit(inference, &batch, banks, &fits[banks], clocks[banks]);
            likelihoods[banks] = fits[banks].log_likelihood;
        }
        for (size_t i = 0; i < batch.count; i++)
            differ |= clocks[0][i] != clocks[1][i];
        likelihoods[2] = bl_fit_nothing(batch.log_ns, batch.count);
        const size_t best = bl_posterior(likelihoods, 3);
        if (best == 2) {
            bl_find_unknown(inference, "banks_serve_global", banks_meaning, "neither fits");
            inference->has_global_rule = false;
        } else if (!differ) {
            bl_find_unknown(inference, "banks_serve_global", banks_meaning,
                            "no pattern of this cache waits for banks longer than for lines");
        } else {
            struct bl_finding *finding = bl_find(inference, "banks_serve_global", banks_meaning,
                                                 BL_FOUND_FLAG, (double)best, likelihoods[best]);
            bl_find_basis(finding, "cached-reads",
                          "fit of strides and random words, %.1f %% rms misfit, "
                          "%zu points",
                          100 * fits[best].rms, batch.count);
            inference->machine.banks_serve_global = best == 1;
        }
        status = bl_batch_keep(inference, &batch, "cached-reads", fits[best % 2].log_unit,
                               best == 2 ? NULL : clocks[best], error);
    }
    bl_batch_free(&batch);
    return status;
}

static enum bl_status infer_constant(struct bl_inference *inference, struct bl_error *error)
{
    struct bl_batch batch = {0};
    enum bl_status status = add_patterns(inference, BL_MEMORY_CONSTANT, &batch)
                                ? bl_batch_measure(inference, &batch, error)
                                : bl_fail(error, BL_NO_MEMORY, "no memory for probes");
    if (status == BL_OK) {
        double clocks[PATTERNS], likelihoods[2];
        struct bl_fit same;
        fit(inference, &batch, inference->machine.banks_serve_global, &same, clocks);
        likelihoods[0] = same.log_likelihood;
        likelihoods[1] = bl_fit_nothing(batch.log_ns, batch.count);
        const size_t best = bl_posterior(likelihoods, 2);
        struct bl_finding *finding = bl_find(inference, "constant_is_global", constant_meaning,
                                             BL_FOUND_FLAG, best == 0, likelihoods[best]);
        bl_find_basis(finding, "constant-reads",
                      "the same patterns, %.1f %% rms misfit, %zu points", 100 * same.rms,
                      batch.count);
        inference->machine.constant_is_global = best == 0;
        status = bl_batch_keep(inference, &batch, "constant-reads", same.log_unit,
                               best == 0 ? clocks : NULL, error);
    }
    bl_batch_free(&batch);
    if (bl_infer_goes_on(status)) {
        bl_find_unknown(inference, "constant_is_global", constant_meaning,
                        "the probes could not be measured");
        return BL_OK;
    }
    return status;
}

/* A request as people's patterns have them: random words of a few lines, a stride, or rows of a
 * few words. */
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

/* Requests of all these kinds together: some wait for tags, and some for banks. */
static bool add_mixes(struct bl_inference *inference, struct bl_batch *batch)
{
    for (unsigned m = 0; m < MIXES; m++) {
        uint64_t begin;
        struct bl_lanes_probe *probe = add(batch, inference, BL_MEMORY_GLOBAL, &begin);
        if (!probe)
            return false;
        probe->tables = 2;
        bl_batch_name(batch, m, "mix %u", m);
        for (unsigned i = 0; i < 2 * BL_TABLE_ITEMS; i += inference->machine.lanes)
            add_request(inference, begin, &probe->places[i / BL_TABLE_ITEMS][i % BL_TABLE_ITEMS]);
    }
    return true;
}

/* Clocks of a probe in one of the two stages. */
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

/* How sure each percentage is; where mixes differ by too little for any, all are as likely. */
static void find_overlap(struct bl_inference *inference, const struct bl_batch *batch,
                         double probabilities[PERCENTS], double one_by_one[MIXES],
                         double longer[MIXES])
{
    struct bl_machine machine = inference->machine;
    machine.has_rule = true;
    machine.widest_bytes = machine.widest_components = 4;
    const double clock = inference->unit_ns[BL_MEMORY_GLOBAL] * machine.lanes / BL_TABLE_ITEMS;
    const double scale = sqrt(pow(bl_scale_of(inference), 2) + 0.01 * 0.01);
    for (size_t m = 0; m < batch->count; m++) {
        const struct bl_lanes_probe *probe = &batch->probes[m];
        one_by_one[m] = bl_probe_clocks(&machine, probe);
        longer[m] = fmax(stage_clocks(&machine, probe, false), stage_clocks(&machine, probe, true));
    }
    /* How long a clock is, is known no better than what it was measured with. */
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

/* The percentage below which this share of the probability lies. */
static double quantile(const double probabilities[PERCENTS], double share)
{
    double sum = 0;
    unsigned percent = 0;
    while (percent + 1 < PERCENTS && sum + probabilities[percent] < share)
        sum += probabilities[percent++];
    const double part = probabilities[percent] > 0 ? (share - sum) / probabilities[percent] : 0.5;
    return fmin(100, fmax(0, percent - 0.5 + part));
}

static enum bl_status infer_overlap(struct bl_inference *inference, struct bl_error *error)
{
    struct bl_batch batch = {0};
    enum bl_status status = add_mixes(inference, &batch)
                                ? bl_batch_measure(inference, &batch, error)
                                : bl_fail(error, BL_NO_MEMORY, "no memory for probes");
    if (status == BL_OK) {
        double probabilities[PERCENTS], one_by_one[MIXES], longer[MIXES];
        find_overlap(inference, &batch, probabilities, one_by_one, longer);
        const double lo = quantile(probabilities, 0.025), hi = quantile(probabilities, 0.975);
        if (hi - lo > 60) {
            bl_find_unknown(inference, "overlap_percent", overlap_meaning,
                            "requests of both kinds take what they take in any case");
        } else {
            struct bl_finding *finding =
                bl_find(inference, "overlap_percent", overlap_meaning, BL_FOUND_AMOUNT,
                        quantile(probabilities, 0.5), 0.95);
            finding->unit = "%";
            finding->lo = fmax(0, lo - 1);
            finding->hi = fmin(100, hi + 1);
            bl_find_basis(finding, "overlap", "random mixes of both kinds of requests, %d points",
                          MIXES);
            inference->machine.overlap_percent = (unsigned)lround(finding->value);
        }
        const double hidden = inference->machine.overlap_percent / 100.0,
                     requests = (double)BL_TABLE_ITEMS / inference->machine.lanes;
        for (unsigned m = 0; m < MIXES; m++) /* in clocks of a request */
            one_by_one[m] = (one_by_one[m] - hidden * (one_by_one[m] - longer[m])) / requests;
        status =
            bl_batch_keep(inference, &batch, "overlap", inference->log_hit_ns, one_by_one, error);
    }
    bl_batch_free(&batch);
    return status;
}

enum bl_status bl_infer_path(struct bl_inference *inference, struct bl_error *error)
{
    const char *why = "it is not known which lines are looked up together";
    if (!inference->has_global_rule) {
        bl_find_unknown(inference, "banks_serve_global", banks_meaning, "%s", why);
        bl_find_unknown(inference, "constant_is_global", constant_meaning, "%s", why);
        bl_find_unknown(inference, "overlap_percent", overlap_meaning, "%s", why);
        return BL_OK;
    }
    bl_infer_repeat(inference, 0.02);
    enum bl_status status = infer_banks(inference, error);
    if (status == BL_OK)
        status = infer_constant(inference, error);
    if (status == BL_OK && inference->machine.banks_serve_global)
        status = infer_overlap(inference, error);
    else if (status == BL_OK)
        bl_find_unknown(inference, "overlap_percent", overlap_meaning,
                        "reads of global memory do not wait for banks");
    return bl_infer_goes_on(status) ? BL_OK : status;
}
