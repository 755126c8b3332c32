/* Bytes per clock of each level, barriers, and how many sub-groups fill a compute unit. */
#include <math.h>
#include <stdio.h>

#include "infer/inference.h"
#include "measure/stats.h"

enum { MAX_SAMPLES = 41, MIN_STREAM = 32768, POINTS = 12 };

typedef enum bl_status sample(const struct bl_target *target, const void *probe, double *value,
                              struct bl_error *error);

static enum bl_status sample_stream(const struct bl_target *target, const void *probe,
                                    double *value, struct bl_error *error)
{
    return target->stream(target->context, probe, value, error);
}

static enum bl_status sample_barrier(const struct bl_target *target, const void *probe,
                                     double *value, struct bl_error *error)
{
    return target->barrier(target->context, probe, value, error);
}

/* The median of samples of a probe, and its standard error as a fraction; and evidence of it. */
static enum bl_status measure(struct bl_inference *inference, sample *take, const void *probe,
                              struct bl_evidence *evidence, struct bl_error *error)
{
    double values[MAX_SAMPLES];
    const unsigned count = inference->repeats < MAX_SAMPLES ? inference->repeats : MAX_SAMPLES;
    enum bl_status status = BL_OK;
    for (unsigned i = 0; i < count && status == BL_OK; i++)
        status = take(inference->target, probe, &values[i], error);
    if (status != BL_OK)
        return status;
    const double median = bl_median(values, count);
    double away[MAX_SAMPLES];
    for (unsigned i = 0; i < count; i++)
        away[i] = fabs(log(values[i] / median));
    evidence->measured = median;
    evidence->expected = NAN;
    evidence->error = bl_median(away, count) * 1.48 * 1.25 / sqrt(count);
    return bl_keep_point(inference, evidence, error);
}

static const char *const stream_keys[] = {"cache_bytes_per_clock", "l2_bytes_per_clock",
                                          "llc_bytes_per_clock", "memory_bytes_per_clock"};

static enum bl_status infer_streams(struct bl_inference *inference, struct bl_error *error)
{
    static const char *const meanings[] = {
        "of the first cache, read by a compute unit", "of the second cache, for each compute unit",
        "of the third cache, for each compute unit", "of memory, for each compute unit"};
    const double clock = inference->unit_ns[BL_MEMORY_LOCAL];
    enum bl_status status = BL_OK;
    for (unsigned level = 0; level < inference->levels && status == BL_OK; level++) {
        const bool is_memory = level + 1 == inference->levels;
        const unsigned name = is_memory ? 3 : level;
        const double room = (double)inference->target->limits.arrays[0].bytes;
        double bytes = is_memory ? 24 * inference->level_bytes[level - 1]
                                 : 0.35 * inference->level_bytes[level];
        bytes = bytes > room ? room : bytes;
        if (bytes < MIN_STREAM || !inference->has_local_rule) {
            bl_find_unknown(inference, stream_keys[name], meanings[name], "%s",
                            inference->has_local_rule ? "the cache is too small for a stream"
                                                      : "it is not known how long a clock is");
            continue;
        }
        const struct bl_stream_probe probe = {.bytes = (uint64_t)bytes,
                                              .is_for_each_unit = level == 0};
        struct bl_evidence evidence = {
            .sweep = "streams", .x = round(bytes), .unit = "bytes per ns"};
        snprintf(evidence.point, sizeof evidence.point, "%.0f bytes", bytes);
        status = measure(inference, sample_stream, &probe, &evidence, error);
        if (status != BL_OK)
            break;
        struct bl_finding *finding = bl_find(inference, stream_keys[name], meanings[name],
                                             BL_FOUND_AMOUNT, evidence.measured * clock, 0.95);
        /* What all compute units share another launch finds otherwise, by up to 4 %. */
        const double width = 2.1 * fmax(evidence.error, level == 0 ? 0.004 : 0.012);
        finding->unit = "bytes per clock";
        finding->lo = finding->value * exp(-width);
        finding->hi = finding->value * exp(width);
        bl_find_basis(finding, "streams", "contiguous reads of 16 bytes a work-item, %.0f GB/s",
                      evidence.measured);
    }
    return status;
}

static enum bl_status infer_barriers(struct bl_inference *inference, struct bl_error *error)
{
    static const char *const first = "of a barrier and an exchange, in a group of one sub-group",
                             *const more = "more for each further sub-group";
    const unsigned lanes = inference->machine.lanes,
                   max = inference->target->limits.max_group_items;
    double each[POINTS] = {0}, times[POINTS] = {0};
    unsigned count = 0;
    enum bl_status status = BL_OK;
    for (unsigned groups = 1; groups * lanes <= max && count < POINTS && status == BL_OK;
         groups *= 2) {
        const struct bl_barrier_probe probe = {.group_items = groups * lanes};
        struct bl_evidence evidence = {.sweep = "barriers", .x = groups, .unit = "ns"};
        snprintf(evidence.point, sizeof evidence.point, "%u sub-groups", groups);
        status = measure(inference, sample_barrier, &probe, &evidence, error);
        times[count] = evidence.measured;
        each[count] = count ? (times[count] / times[0] - 1) / (groups - 1) : 0;
        count++;
    }
    if (status != BL_OK || count == 0)
        return status;
    struct bl_finding *finding =
        bl_find(inference, "barrier_ns", first, BL_FOUND_AMOUNT, times[0], 0.95);
    const double error_of = fmax(inference->noise, 0.003) * 1.25 / sqrt(inference->repeats);
    finding->unit = "ns";
    finding->lo = times[0] * exp(-2 * error_of);
    finding->hi = times[0] * exp(2 * error_of);
    bl_find_basis(finding, "barriers", "one group, %u samples", inference->repeats);
    if (count < 4) {
        bl_find_unknown(inference, "barrier_more_percent", more, "groups are too small");
        return BL_OK;
    }
    const double largest = each[count - 1], middle = each[count - 2], before = each[count - 3];
    const double low = fmin(largest, fmin(middle, before)),
                 high = fmax(largest, fmax(middle, before));
    if (high - low > 0.25 * fabs(largest) + 0.01 + 4 * error_of) {
        bl_find_unknown(inference, "barrier_more_percent", more,
                        "not in proportion to the number of sub-groups");
        return BL_OK;
    }
    finding =
        bl_find(inference, "barrier_more_percent", more, BL_FOUND_AMOUNT, 100 * largest, 0.95);
    /* Of the quotient of two times, for each sub-group. */
    const double further = (double)(1u << (count - 1)) - 1;
    const double margin = 2 * error_of * sqrt(2) * (1 + largest * further) / further;
    finding->unit = "%";
    finding->lo = 100 * (largest - margin);
    finding->hi = 100 * (largest + margin);
    bl_find_basis(finding, "barriers", "groups of 1 to %u sub-groups", 1u << (count - 1));
    return BL_OK;
}

/* From how many sub-groups on a compute unit gives all it can, to contiguous reads. */
static enum bl_status infer_filling(struct bl_inference *inference, enum bl_memory memory,
                                    struct bl_error *error)
{
    static const char *const keys[] = {"global_sub_groups_to_fill", "local_sub_groups_to_fill"};
    static const char *const sweeps[] = {"filling-global", "filling-local"};
    static const char *const meanings[] = {"sub-groups from which on cached reads gain no more",
                                           "sub-groups from which on local reads gain no more"};
    static const unsigned numbers[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
    const double units = bl_found(inference->findings, "compute_units", 0);
    const double most = bl_found(inference->findings, "groups_per_unit", 0);
    const unsigned lanes = inference->machine.lanes;
    if (units < 1 || most < 2 || (memory == BL_MEMORY_GLOBAL && !inference->has_lines)) {
        bl_find_unknown(inference, keys[memory], meanings[memory],
                        "it is not known how many compute units there are, or how long a line is");
        return BL_OK;
    }
    /* Local memory: a tile of 16 KiB and more for each. */
    double room = bl_found(inference->findings, "local_bytes_per_unit", 0) / 20000;
    room = memory == BL_MEMORY_LOCAL ? fmin(room, most) : most;
    struct bl_batch batch = {0};
    const uint64_t mib = 1 << 20;
    const uint64_t begin =
        memory == BL_MEMORY_LOCAL
            ? 0
            : (inference->target->limits.arrays[0].address + mib - 1) & ~(mib - 1);
    for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0] && numbers[i] <= room; i++) {
        struct bl_lanes_probe *probe =
            bl_batch_add(&batch, memory, BL_PROBE_READ, &bl_type_int,
                         memory == BL_MEMORY_LOCAL ? BL_OTHER_STEP : BL_STEP);
        if (!probe) {
            bl_batch_free(&batch);
            return bl_fail(error, BL_NO_MEMORY, "no memory for probes");
        }
        probe->sub_group_items = lanes;
        probe->groups = (unsigned)units * numbers[i];
        for (unsigned lane = 0; lane < BL_TABLE_ITEMS; lane++)
            probe->places[0][lane] = begin + 4 * (lane % lanes);
        bl_batch_name(&batch, numbers[i], "%u sub-groups", numbers[i]);
    }
    enum bl_status status = bl_batch_measure(inference, &batch, error);
    double best = INFINITY;
    for (size_t i = 0; i < batch.count && status == BL_OK; i++)
        best = fmin(best, batch.log_ns[i]);
    size_t fills = 0;
    while (fills + 1 < batch.count && batch.log_ns[fills] > best + 0.03 + 2 * inference->error)
        fills++;
    if (status == BL_OK && batch.count >= 3) {
        struct bl_finding *finding = bl_find(inference, keys[memory], meanings[memory],
                                             BL_FOUND_AMOUNT, batch.x[fills], 0.95);
        finding->lo = fills ? batch.x[fills - 1] : 1;
        finding->hi = fills + 1 < batch.count ? batch.x[fills + 1] : batch.x[fills];
        bl_find_basis(finding, sweeps[memory], "contiguous reads by more and more, %zu points",
                      batch.count);
    } else if (status == BL_OK) {
        bl_find_unknown(inference, keys[memory], meanings[memory], "too few can be resident");
    }
    if (status == BL_OK)
        status = bl_batch_keep(inference, &batch, sweeps[memory], best, NULL, error);
    bl_batch_free(&batch);
    return status;
}

static void infer_clock(struct bl_inference *inference)
{
    static const char *const meaning = "if a bank of local memory delivers one word per clock";
    const double units = bl_found(inference->findings, "compute_units", 0);
    if (units < 1 || !inference->has_local_rule || inference->floor > 1) {
        bl_find_unknown(inference, "clock_mhz", meaning, "it is not known how long a clock is");
        return;
    }
    const double mhz = 1000 / (inference->unit_ns[BL_MEMORY_LOCAL] * units);
    struct bl_finding *finding =
        bl_find(inference, "clock_mhz", meaning, BL_FOUND_AMOUNT, mhz, 0.95);
    finding->unit = "MHz";
    finding->lo = mhz * 0.99;
    finding->hi = mhz * 1.01;
    bl_find_basis(finding, "local-reads", "a bank pass of each compute unit");
}

enum bl_status bl_infer_rates(struct bl_inference *inference, struct bl_error *error)
{
    bl_infer_repeat(inference, 0.005);
    inference->repeats = inference->repeats < 15 ? 15 : inference->repeats;
    enum bl_status status = infer_streams(inference, error);
    if (status == BL_OK && inference->has_local_rule)
        status = infer_barriers(inference, error);
    if (status == BL_OK && inference->has_local_rule)
        status = infer_filling(inference, BL_MEMORY_LOCAL, error);
    if (status == BL_OK && inference->has_local_rule)
        status = infer_filling(inference, BL_MEMORY_GLOBAL, error);
    if (status == BL_OK)
        infer_clock(inference);
    return bl_infer_goes_on(status) ? BL_OK : status;
}
