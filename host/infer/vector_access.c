/* Infers how accesses wider than a bank's word are split. Fits all combinations of the model's
 * fields for wide accesses (`keys` below) to measured times: of several types at several
 * strides, and of elements that lanes share. */
#include <math.h>

#include "infer/inference.h"
#include "model/machine_file.h"

enum { STEP = 1024 };

static const unsigned byte_limits[] = {4, 8, 16}, component_limits[] = {1, 2, 4, 8};

enum { EXPLANATIONS = 2 * 2 * 3 * 4 * 2 * 2 };

static bool explain(unsigned number, struct bl_explanation *explanation)
{
    struct bl_machine *machine = &explanation->machine;
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
    unsigned stride, divisor; /* work-item i accesses element (i / divisor) * stride */
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

enum { PATTERNS = sizeof patterns / sizeof patterns[0], INT2 = 6, INT3 = 12, INT4 = 17 };

static void add(struct bl_batch *batch, enum bl_probe_access access, const struct bl_type *type,
                unsigned stride, unsigned divisor)
{
    struct bl_lanes_probe *probe = bl_batch_add(batch, BL_MEMORY_LOCAL, access, type, STEP);
    for (unsigned i = 0; i < BL_TABLE_ITEMS; i++)
        probe->places[0][i] = i / divisor * stride * type->element_bytes % BL_TILE_BYTES;
}

static void add_patterns(struct bl_inference *inference, const struct bl_type types[PATTERNS])
{
    struct bl_batch *batch = inference->batch;
    for (unsigned p = 0; p < PATTERNS; p++) {
        const struct pattern *pattern = &patterns[p];
        add(batch, BL_PROBE_READ, &types[p], pattern->stride, pattern->divisor);
        bl_batch_name(batch, NAN, "%s[i / %u * %u]", pattern->type, pattern->divisor,
                      pattern->stride);
    }
    /* Adds writes of vectors of 3, too, because a compiler may turn a read of three components into
     * a read of four. */
    for (unsigned stride = 1; stride <= 3; stride++) {
        add(batch, BL_PROBE_WRITE, &types[INT3], stride, 1);
        bl_batch_name(batch, NAN, "write int3[i * %u]", stride);
    }
    /* Adds random elements, which several lanes may share by chance. */
    for (unsigned r = 0; r < 8; r++) {
        const struct bl_type *type = &types[r % 2 ? INT2 : INT4];
        struct bl_lanes_probe *probe =
            bl_batch_add(batch, BL_MEMORY_LOCAL, BL_PROBE_READ, type, STEP);
        bl_batch_name(batch, NAN, "%s random %u", type->name, r);
        for (unsigned i = 0; i < BL_TABLE_ITEMS; i++)
            probe->places[0][i] = bl_infer_random(inference, 256) * type->element_bytes;
    }
}

static const char *const keys[] = {
    "wide_in_parts",     "pairs_share_wide",     "widest_bytes",
    "widest_components", "three_is_two_and_one", "local_reads_three_as_four",
};

enum { VALUES = sizeof keys / sizeof keys[0] };

static unsigned value_of(const struct bl_machine *machine, unsigned value)
{
    return (unsigned)bl_machine_value(machine, bl_machine_field_named(keys[value]));
}

/* Whether some pattern contradicts a value: the pattern's time clearly does not fit the value, but
 * fits another value, with all other fields as found. Then the device or its compiler does not
 * always split accesses in the same way, and no value is right. */
static bool is_contradicted(const struct bl_inference *inference, unsigned value, double log_unit)
{
    const struct bl_batch *batch = inference->batch;
    static const double wrong = 0.3, right = 0.1;
    const double least = bl_least_clocks(inference);
    const struct bl_machine *found = &inference->machine;
    for (unsigned e = 0; e < EXPLANATIONS; e++) {
        struct bl_explanation other = {.machine = *found};
        bool is_only = explain(e, &other);
        for (unsigned v = 0; v < VALUES; v++)
            is_only &= (value_of(&other.machine, v) == value_of(found, v)) == (v != value);
        for (size_t i = 0; i < batch->count && is_only; i++) {
            const struct bl_lanes_probe *probe = &batch->points[i].lanes;
            const double ns = batch->log_ns[i] - log_unit;
            if (fabs(ns - log(fmax(least, bl_probe_clocks(found, probe)))) > wrong &&
                fabs(ns - log(fmax(least, bl_probe_clocks(&other.machine, probe)))) < right)
                return true;
        }
    }
    return false;
}

static void conclude(struct bl_inference *inference, const struct bl_fit *fit)
{
    const struct bl_batch *batch = inference->batch;
    struct bl_explanation explanation = {.machine = inference->machine};
    explain((unsigned)batch->likeliest, &explanation);
    inference->machine = explanation.machine;
    for (unsigned v = 0; v < VALUES; v++) {
        const unsigned found = value_of(&inference->machine, v);
        if (is_contradicted(inference, v, fit->log_unit)) {
            bl_find_unknown(inference, keys[v],
                            "some types are split as if the value were %u, and others are not",
                            found);
            continue;
        }
        double confidence = 0;
        for (unsigned e = 0; e < EXPLANATIONS; e++) {
            if (explain(e, &explanation) && value_of(&explanation.machine, v) == found)
                confidence += batch->probabilities[e];
        }
        bl_find_basis(bl_find(inference, keys[v], found, confidence), "wide-reads",
                      "fit of 9 types at several strides, %.1f %% rms misfit, "
                      "%zu points",
                      100 * fit->rms, batch->count);
    }
}

static enum bl_status infer(struct bl_inference *inference)
{
    struct bl_type types[PATTERNS]; /* the types of the patterns; probes point to them */
    struct bl_batch *batch = bl_batch_begin(inference);
    enum bl_status status = BL_OK;
    for (unsigned p = 0; p < PATTERNS && status == BL_OK; p++)
        status = bl_type_named(patterns[p].type, &types[p], inference->failure);
    if (status != BL_OK)
        return status;
    add_patterns(inference, types);
    status = bl_batch_fit(inference, explain, EXPLANATIONS, 2);
    if (status != BL_OK)
        return status;
    const struct bl_fit *fit = &batch->fits[batch->likeliest];
    if (batch->none_fits || fit->rms > BL_MOST_OFF)
        bl_find_none(inference, keys, VALUES, "no explanation fits");
    else
        conclude(inference, fit);
    return bl_batch_keep(inference, "wide-reads", fit->log_unit,
                         fit->rms > BL_MOST_OFF ? NULL : bl_batch_clocks(batch));
}

enum bl_status bl_infer_vector_access(struct bl_inference *inference)
{
    if (!inference->has_local_rule) {
        bl_find_none(inference, keys, VALUES, bl_infer_why_no_local_rule(inference));
        return BL_OK;
    }
    const enum bl_status status = infer(inference);
    if (bl_infer_goes_on(status))
        bl_find_none(inference, keys, VALUES, "the probes could not be measured");
    return status;
}
