/* How accesses that are wider than a bank's word are split: explanations of the fields that the
 * model has for that, fitted to vectors at several strides and to elements that lanes share. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "infer/inference.h"
#include "infer/posterior.h"

enum { STEP = 1024, MAX_POINTS = 96 };

static const unsigned byte_limits[] = {4, 8, 16}, component_limits[] = {1, 2, 4, 8};

enum { EXPLANATIONS = 2 * 2 * 3 * 4 * 2 * 2 };

/* false: the explanation is another one under a different name. */
static bool explain(struct bl_machine *machine, unsigned number)
{
    machine->wide_in_parts = number % 2;
    machine->pairs_share_wide = number / 2 % 2;
    machine->three_is_two_and_one = number / 4 % 2;
    machine->local_reads_three_as_four = number / 8 % 2;
    machine->widest_bytes = byte_limits[number / 16 % 3];
    machine->widest_components = component_limits[number / 48];
    return machine->wide_in_parts || !machine->pairs_share_wide;
}

struct pattern {
    const char *type;
    unsigned stride, divisor; /* element i / divisor * stride */
};

static const struct pattern patterns[] = {
    {"uchar", 1, 1},   {"uchar", 4, 1},   {"ushort", 1, 1}, {"ushort", 2, 1}, {"ushort", 4, 1},
    {"int2", 1, 1},    {"int2", 2, 1},    {"int2", 3, 1},   {"int2", 4, 1},   {"int2", 1, 2},
    {"int2", 1, 4},    {"int2", 3, 2},    {"int3", 1, 1},   {"int3", 2, 1},   {"int3", 3, 1},
    {"int3", 1, 2},    {"int4", 1, 1},    {"int4", 2, 1},   {"int4", 3, 1},   {"int4", 4, 1},
    {"int4", 1, 2},    {"int4", 1, 4},    {"int4", 3, 2},   {"uchar4", 1, 1}, {"uchar4", 3, 1},
    {"uchar8", 1, 1},  {"uchar8", 2, 1},  {"uchar8", 3, 1}, {"int8", 1, 1},   {"int8", 3, 1},
    {"ushort8", 1, 1}, {"ushort8", 3, 1},
};

enum { PATTERNS = sizeof patterns / sizeof patterns[0] };

static enum bl_status add_patterns(struct bl_inference *inference, struct bl_batch *batch,
                                   struct bl_type types[PATTERNS], struct bl_error *error)
{
    for (unsigned p = 0; p < PATTERNS; p++) {
        const struct pattern *pattern = &patterns[p];
        enum bl_status status = bl_type_named(pattern->type, &types[p], error);
        struct bl_lanes_probe *probe =
            status == BL_OK ? bl_batch_add(batch, BL_MEMORY_LOCAL, BL_PROBE_READ, &types[p], STEP)
                            : NULL;
        if (!probe)
            return status == BL_OK ? bl_fail(error, BL_NO_MEMORY, "no memory for probes") : status;
        bl_batch_name(batch, NAN, "%s[i / %u * %u]", pattern->type, pattern->divisor,
                      pattern->stride);
        for (unsigned i = 0; i < BL_TABLE_ITEMS; i++)
            probe->places[0][i] =
                i / pattern->divisor * pattern->stride * types[p].element_bytes % BL_TILE_BYTES;
    }
    /* What writes make of a vector of 3 does not show in reads that take all four. */
    for (unsigned stride = 1; stride <= 3; stride++) {
        struct bl_lanes_probe *probe =
            bl_batch_add(batch, BL_MEMORY_LOCAL, BL_PROBE_WRITE, &types[12], STEP);
        if (!probe)
            return bl_fail(error, BL_NO_MEMORY, "no memory for probes");
        bl_batch_name(batch, NAN, "write int3[i * %u]", stride);
        for (unsigned i = 0; i < BL_TABLE_ITEMS; i++)
            probe->places[0][i] = i * stride * types[12].element_bytes % BL_TILE_BYTES;
    }
    /* Random elements: lanes that share by chance, at no stride. */
    for (unsigned r = 0; r < 8; r++) {
        struct bl_type *type = &types[r % 2 ? 6 : 17]; /* int2 and int4 */
        struct bl_lanes_probe *probe =
            bl_batch_add(batch, BL_MEMORY_LOCAL, BL_PROBE_READ, type, STEP);
        if (!probe)
            return bl_fail(error, BL_NO_MEMORY, "no memory for probes");
        bl_batch_name(batch, NAN, "%s random %u", type->name, r);
        for (unsigned i = 0; i < BL_TABLE_ITEMS; i++)
            probe->places[0][i] = bl_infer_random(inference, 256) * type->element_bytes;
    }
    return BL_OK;
}

static const struct {
    const char *key, *meaning;
    enum bl_finding_kind kind;
    size_t offset;
} values[] = {
    {"wide_in_parts", "a wide access is served in parts of fewer lanes", BL_FOUND_FLAG,
     offsetof(struct bl_machine, wide_in_parts)},
    {"pairs_share_wide", "lanes that share elements in pairs are served twice as many at once",
     BL_FOUND_FLAG, offsetof(struct bl_machine, pairs_share_wide)},
    {"widest_bytes", "bytes of the widest access of a lane", BL_FOUND_NUMBER,
     offsetof(struct bl_machine, widest_bytes)},
    {"widest_components", "components of the longest vector in one request", BL_FOUND_NUMBER,
     offsetof(struct bl_machine, widest_components)},
    {"three_is_two_and_one", "a vector of 3 is two requests", BL_FOUND_FLAG,
     offsetof(struct bl_machine, three_is_two_and_one)},
    {"local_reads_three_as_four", "but a read of local memory takes four", BL_FOUND_FLAG,
     offsetof(struct bl_machine, local_reads_three_as_four)},
};

enum { VALUES = sizeof values / sizeof values[0] };

static unsigned value_of(const struct bl_machine *machine, unsigned value)
{
    const char *at = (const char *)machine + values[value].offset;
    return values[value].kind == BL_FOUND_FLAG ? *(const bool *)at : *(const unsigned *)at;
}

/* Whether another value, all else as found, explains some pattern that this one clearly does not:
 * then compilers or devices do now one thing and now the other, and no value is right. */
static bool is_contradicted(const struct bl_inference *inference, const struct bl_batch *batch,
                            unsigned value, double log_unit)
{
    static const double wrong = 0.3, right = 0.1;
    const double floor = inference->floor * BL_TABLE_ITEMS / inference->machine.lanes;
    struct bl_machine found = inference->machine;
    found.has_rule = true;
    for (unsigned e = 0; e < EXPLANATIONS; e++) {
        struct bl_machine other = found;
        bool is_only = explain(&other, e);
        for (unsigned v = 0; v < VALUES; v++)
            is_only &= (value_of(&other, v) == value_of(&found, v)) == (v != value);
        for (size_t i = 0; i < batch->count && is_only; i++) {
            const double ns = batch->log_ns[i] - log_unit;
            if (fabs(ns - log(fmax(floor, bl_probe_clocks(&found, &batch->probes[i])))) > wrong &&
                fabs(ns - log(fmax(floor, bl_probe_clocks(&other, &batch->probes[i])))) < right)
                return true;
        }
    }
    return false;
}

static void conclude(struct bl_inference *inference, const struct bl_batch *batch,
                     const double probabilities[], size_t best, const struct bl_fit *fit)
{
    explain(&inference->machine, (unsigned)best);
    for (unsigned v = 0; v < VALUES; v++) {
        const unsigned found = value_of(&inference->machine, v);
        if (is_contradicted(inference, batch, v, fit->log_unit)) {
            bl_find_unknown(inference, values[v].key, values[v].meaning,
                            "some types are split as by %u, and others are not", found);
            continue;
        }
        double confidence = 0;
        for (unsigned e = 0; e < EXPLANATIONS; e++) {
            struct bl_machine other = inference->machine;
            confidence += explain(&other, e) && value_of(&other, v) == found ? probabilities[e] : 0;
        }
        struct bl_finding *finding =
            bl_find(inference, values[v].key, values[v].meaning, values[v].kind, found, confidence);
        bl_find_basis(finding, "wide-reads",
                      "fit of 9 types at several strides, %.1f %% rms misfit, "
                      "%zu points",
                      100 * fit->rms, batch->count);
    }
}

static enum bl_status fit(struct bl_inference *inference, const struct bl_batch *batch,
                          struct bl_error *error)
{
    double likelihoods[EXPLANATIONS + 1], clocks[MAX_POINTS], expected[MAX_POINTS];
    struct bl_fit best_fit = {.log_likelihood = -INFINITY};
    for (unsigned e = 0; e < EXPLANATIONS; e++) {
        struct bl_machine machine = inference->machine;
        machine.has_rule = true;
        likelihoods[e] = -INFINITY;
        if (!explain(&machine, e))
            continue;
        for (size_t i = 0; i < batch->count; i++)
            clocks[i] = bl_probe_clocks(&machine, &batch->probes[i]);
        const double floor = inference->floor * BL_TABLE_ITEMS / machine.lanes;
        const struct bl_fit here =
            bl_fit_costs(batch->log_ns, clocks, batch->count, 2 * bl_scale_of(inference), floor);
        likelihoods[e] = here.log_likelihood;
        if (here.log_likelihood > best_fit.log_likelihood) {
            best_fit = here;
            memcpy(expected, clocks, sizeof expected);
        }
    }
    likelihoods[EXPLANATIONS] = bl_fit_nothing(batch->log_ns, batch->count);
    const size_t best = bl_posterior(likelihoods, EXPLANATIONS + 1);
    if (best == EXPLANATIONS || best_fit.rms > BL_MOST_OFF)
        for (unsigned v = 0; v < VALUES; v++)
            bl_find_unknown(inference, values[v].key, values[v].meaning, "no explanation fits");
    else
        conclude(inference, batch, likelihoods, best, &best_fit);
    return bl_batch_keep(inference, batch, "wide-reads", best_fit.log_unit,
                         best_fit.rms > BL_MOST_OFF ? NULL : expected, error);
}

enum bl_status bl_infer_wide(struct bl_inference *inference, struct bl_error *error)
{
    struct bl_type types[PATTERNS];
    struct bl_batch batch = {0};
    enum bl_status status = BL_OPENCL_FAILED;
    if (inference->has_local_rule) {
        status = add_patterns(inference, &batch, types, error);
        if (status == BL_OK)
            status = bl_batch_measure(inference, &batch, error);
        if (status == BL_OK)
            status = fit(inference, &batch, error);
    }
    for (unsigned v = 0; v < VALUES && bl_infer_goes_on(status); v++)
        bl_find_unknown(inference, values[v].key, values[v].meaning, "%s",
                        inference->has_local_rule ? "the probes could not be measured"
                                                  : bl_infer_why_no_local_rule(inference));
    bl_batch_free(&batch);
    return bl_infer_goes_on(status) ? BL_OK : status;
}
