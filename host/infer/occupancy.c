/* Infers the number of compute units and, per unit, the maximum resident groups and sub-groups, the
 * local memory capacity, the throughput per clock and how many sub-groups saturate the unit; also
 * the cost of barriers and the clock rate. */
#include <limits.h>
#include <math.h>

#include "infer/inference.h"
#include "measure/stats.h"

enum { MAX_SAMPLES = 41, MIN_STREAM = 32768, POINTS = 12 };

static enum bl_status take_samples(const struct bl_inference *inference, bl_sample *take,
                                   const void *probe, double values[], unsigned count)
{
    enum bl_status status = BL_OK;
    for (unsigned i = 0; i < count && status == BL_OK; i++)
        status = take(inference->target->context, probe, &values[i], inference->failure);
    return status;
}

enum bl_status bl_infer_measure(struct bl_inference *inference, bl_sample *take, const void *probe,
                                struct bl_evidence *evidence)
{
    double values[MAX_SAMPLES];
    const unsigned count = inference->repeats < MAX_SAMPLES ? inference->repeats : MAX_SAMPLES;
    const enum bl_status status = take_samples(inference, take, probe, values, count);
    if (status != BL_OK)
        return status;
    evidence->measured = bl_median(values, count);
    for (unsigned i = 0; i < count; i++)
        values[i] = fabs(log(values[i] / evidence->measured));
    evidence->error =
        bl_median(values, count) * BL_MAD_TO_SD * BL_MEDIAN_TO_MEAN_ERROR / sqrt(count);
    return BL_OK;
}

/* The number of compute units and the local memory of each, from the number of resident groups.
 *
 * Many groups that only wait for memory take no longer than a few groups, as long as all of them
 * are resident. The maximum number of resident groups is a multiple of the number of compute units,
 * and falls as groups use more local memory. The amounts of local memory at which this number falls
 * show the capacity. */

enum { SIZES = 20, MOST_GROUPS = 1 << 17, SMALLEST = 16 };

struct occupancy {
    unsigned local_bytes, groups;
    unsigned items; /* work-items per group; 0 means 1 */
};

/* Additional bytes of local memory that a driver may reserve per group. */
static const unsigned reserved_sizes[] = {0, 128, 256, 512, 1024, 2048};

/* Finds the largest number of groups that are resident together: they take no longer than two
 * groups. */
static enum bl_status count_groups(struct bl_inference *inference, struct occupancy *size)
{
    enum { SAMPLES = 7 }; /* several, because a single wrong time would mislead the binary search */
    static const double longer = 1.45; /* a group that must wait would double the time */
    unsigned fits = 1, too_many = MOST_GROUPS;
    enum bl_status status = BL_OK;
    while (status == BL_OK && too_many - fits > 1) {
        const unsigned middle = fits + (too_many - fits) / 2;
        const struct bl_occupancy_probe probe = {.groups = middle < 2 * fits ? middle : 2 * fits,
                                                 .local_bytes = size->local_bytes,
                                                 .group_items = size->items};
        double times[SAMPLES];
        status = take_samples(inference, inference->target->occupancy, &probe, times, SAMPLES);
        if (status == BL_OK)
            *(bl_median(times, SAMPLES) > longer ? &too_many : &fits) = probe.groups;
    }
    size->groups = fits;
    return status;
}

struct share {
    unsigned units, most; /* number of compute units, and groups per unit without local memory */
    double lo, hi;        /* bytes of local memory per unit */
};

/* Whether this number of compute units explains the number of resident groups at every size, if the
 * driver reserves one of reserved_sizes. The range in *share covers all reserved sizes that are
 * possible with this number of compute units. */
static bool explains(const struct occupancy sizes[], unsigned count, unsigned units,
                     struct share *share)
{
    unsigned most = 0;
    for (unsigned i = 0; i < count; i++) {
        const unsigned each = (sizes[i].groups + units / 2) / units;
        const double off = fabs((double)sizes[i].groups - (double)each * units);
        if (each == 0 || off > 1 + 0.002 * sizes[i].groups)
            return false;
        most = each > most ? each : most;
    }
    bool any = false;
    for (unsigned r = 0; r < sizeof reserved_sizes / sizeof reserved_sizes[0]; r++) {
        double lo = 0, hi = INFINITY;
        for (unsigned i = 0; i < count; i++) {
            const unsigned each = (sizes[i].groups + units / 2) / units;
            const double bytes = sizes[i].local_bytes + reserved_sizes[r];
            lo = fmax(lo, each * bytes);
            hi = each < most ? fmin(hi, (each + 1) * bytes) : hi;
        }
        if (lo >= hi || isinf(hi))
            continue;
        share->lo = any ? fmin(share->lo, lo) : lo;
        share->hi = any ? fmax(share->hi, hi) : hi;
        any = true;
    }
    share->units = units;
    share->most = most;
    return any;
}

static const char *const keys[] = {"compute_units", "local_bytes_per_unit", "groups_per_unit"};

/* A divisor of the right number of compute units also explains the numbers of groups, with more
 * groups per unit. So the largest number of units that explains them is right. */
static void conclude(struct bl_inference *inference, const struct occupancy sizes[], unsigned count)
{
    unsigned least = MOST_GROUPS;
    for (unsigned i = 0; i < count; i++)
        least = sizes[i].groups < least ? sizes[i].groups : least;
    struct share share = {0};
    unsigned units = least;
    while (units > 0 && !explains(sizes, count, units, &share))
        units--;
    if (units == 0 || (units == 1 && least > 8)) {
        bl_find_none(inference, keys, 3,
                     "no number of compute units explains how many groups run at once");
        return;
    }
    /* A wrong number of units would have to fit the groups of each size by chance. */
    bl_find_basis(bl_find(inference, "compute_units", units, count >= 6 ? 0.999 : 0.95),
                  "residents", "groups that run at once, %u sizes of local memory", count);
    bl_find_basis(bl_find_amount(inference, "local_bytes_per_unit", (share.lo + share.hi) / 2,
                                 share.lo, share.hi),
                  "residents", "sizes at which one group fewer runs, %u points", count);
    bl_find_basis(bl_find(inference, "groups_per_unit", share.most, 0.99), "residents",
                  "groups of one work-item with next to no local memory");
}

/* Infers the maximum number of resident sub-groups per compute unit. Each size of group gives a
 * lower and an upper limit of this number; together the sizes leave few possible numbers. */
static enum bl_status infer_sub_groups(struct bl_inference *inference)
{
    static const unsigned in_group[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 32};
    static const char key[] = "sub_groups_per_unit";
    const unsigned lanes = (unsigned)bl_found(inference->findings, "lanes", 0),
                   units = (unsigned)bl_found(inference->findings, "compute_units", 0),
                   max_items = inference->target->limits.max_group_items;
    const double most_groups = bl_found(inference->findings, "groups_per_unit", 0);
    unsigned lo = 0, hi = UINT_MAX, count = 0;
    if (!lanes || !units) {
        bl_find_unknown(inference, key, "%s",
                        lanes ? "it is not known how many compute units there are"
                              : "it is not known how many work-items a request has");
        return BL_OK;
    }
    for (size_t i = 0; i < sizeof in_group / sizeof in_group[0]; i++) {
        struct occupancy size = {.local_bytes = SMALLEST, .items = in_group[i] * lanes};
        if (size.items > max_items)
            break;
        enum bl_status status = count_groups(inference, &size);
        if (status == BL_OK)
            status = bl_keep_point(inference,
                                   &(struct bl_evidence){.sweep = "sub-groups",
                                                         .x = in_group[i],
                                                         .measured = size.groups,
                                                         .error = NAN,
                                                         .unit = "groups"},
                                   "groups of %u sub-groups", in_group[i]);
        if (status != BL_OK)
            return status;
        const unsigned each = (size.groups + units / 2) / units;
        lo = each * in_group[i] > lo ? each * in_group[i] : lo;
        if (each < most_groups && (each + 1) * in_group[i] - 1 < hi)
            hi = (each + 1) * in_group[i] - 1;
        count++;
    }
    if (hi == UINT_MAX || lo > hi || lo == 0)
        bl_find_unknown(inference, key, "%s",
                        hi == UINT_MAX ? "as many large groups run at once as small ones"
                                       : "groups of different sizes imply different limits");
    else /* prefers a multiple of 4, because 4 or 8 schedulers share a unit's sub-groups equally */
        bl_find_basis(bl_find_amount(inference, key, hi / 4 * 4 < lo ? lo : hi / 4 * 4, lo, hi),
                      "sub-groups", "groups that run at once, %u sizes", count);
    return BL_OK;
}

enum bl_status bl_infer_occupancy(struct bl_inference *inference)
{
    struct occupancy sizes[SIZES] = {{0}};
    const double limit = (double)inference->target->limits.local_bytes;
    unsigned count = 0;
    enum bl_status status = BL_OK;
    for (unsigned i = 0; i < SIZES && status == BL_OK; i++) {
        /* Amounts of local memory: from 96 % of a group's maximum down to 6 %, and almost none. */
        const double share = 0.96 * pow(16, -(double)i / (SIZES - 2.0));
        struct occupancy *size = &sizes[count];
        size->local_bytes = i + 1 < SIZES ? (unsigned)(limit * share) & ~127u : SMALLEST;
        status = count_groups(inference, size);
        if (bl_infer_goes_on(status)) {
            status = BL_OK; /* some drivers reserve a part of local memory for themselves */
            continue;
        }
        if (status == BL_OK)
            status = bl_keep_point(inference,
                                   &(struct bl_evidence){.sweep = "residents",
                                                         .x = size->local_bytes,
                                                         .measured = size->groups,
                                                         .error = NAN,
                                                         .unit = "groups"},
                                   "%u bytes", size->local_bytes);
        count++;
    }
    if (status != BL_OK)
        return status;
    if (count < 4) {
        bl_find_none(inference, keys, 3, "the probes could not be measured");
    } else {
        *inference->failure = (struct bl_error){0}; /* clears a failed size's error */
        conclude(inference, sizes, count);
    }
    return infer_sub_groups(inference);
}

/* Bytes per clock of each level, the cost of barriers, and how many sub-groups saturate a compute
 * unit. */

static enum bl_status infer_streams(struct bl_inference *inference)
{
    const double clock = inference->unit_ns[BL_MEMORY_LOCAL];
    enum bl_status status = BL_OK;
    for (unsigned level = 0; level < inference->levels && status == BL_OK; level++) {
        const double room = (double)inference->target->limits.arrays[0].bytes;
        double bytes = level + 1 == inference->levels ? 24 * inference->level_bytes[level - 1]
                                                      : 0.35 * inference->level_bytes[level];
        bytes = bytes > room ? room : bytes;
        char key[BL_LEVEL_KEY];
        bl_level_key(inference, level, "bytes_per_clock", key);
        if (bytes < MIN_STREAM || !inference->has_local_rule) {
            bl_find_unknown(inference, key, "%s",
                            inference->has_local_rule ? "the cache is too small for a stream"
                                                      : "it is not known how long a clock is");
            continue;
        }
        const struct bl_stream_probe probe = {.bytes = (uint64_t)bytes,
                                              .is_for_each_unit = level == 0};
        struct bl_evidence evidence = {
            .sweep = "streams", .x = round(bytes), .unit = "bytes per ns"};
        status = bl_infer_measure(inference, inference->target->stream, &probe, &evidence);
        if (status == BL_OK)
            status = bl_keep_point(inference, &evidence, "%.0f bytes", bytes);
        if (status != BL_OK)
            break;
        /* At levels that all compute units share, launches differ by up to 4 %. */
        const double width = 2.1 * fmax(evidence.error, level == 0 ? 0.004 : 0.012),
                     rate = evidence.measured * clock;
        bl_find_basis(bl_find_about(inference, key, rate, width), "streams",
                      "contiguous reads of 16 bytes per work-item, %.0f GB/s", evidence.measured);
    }
    return status;
}

static enum bl_status infer_barriers(struct bl_inference *inference)
{
    const unsigned lanes = inference->machine.lanes,
                   max = inference->target->limits.max_group_items;
    double each[POINTS] = {0}, times[POINTS] = {0};
    unsigned count = 0;
    enum bl_status status = BL_OK;
    for (unsigned groups = 1; groups * lanes <= max && count < POINTS && status == BL_OK;
         groups *= 2) {
        const struct bl_barrier_probe probe = {.group_items = groups * lanes};
        struct bl_evidence evidence = {.sweep = "barriers", .x = groups, .unit = "ns"};
        status = bl_infer_measure(inference, inference->target->barrier, &probe, &evidence);
        if (status == BL_OK)
            status = bl_keep_point(inference, &evidence, "%u sub-groups", groups);
        times[count] = evidence.measured;
        each[count] = count ? (times[count] / times[0] - 1) / (groups - 1) : 0;
        count++;
    }
    if (status != BL_OK || count == 0)
        return status;
    const double error_of =
        fmax(inference->noise, 0.003) * BL_MEDIAN_TO_MEAN_ERROR / sqrt(inference->repeats);
    bl_find_basis(bl_find_about(inference, "barrier_ns", times[0], 2 * error_of), "barriers",
                  "one group, %u samples", inference->repeats);
    if (count < 4) {
        bl_find_unknown(inference, "barrier_more_percent",
                        "the largest group has too few sub-groups");
        return BL_OK;
    }
    const double largest = each[count - 1], middle = each[count - 2], before = each[count - 3];
    const double spread = fmax(largest, fmax(middle, before)) - fmin(largest, fmin(middle, before));
    if (spread > 0.25 * fabs(largest) + 0.01 + 4 * error_of) {
        bl_find_unknown(inference, "barrier_more_percent",
                        "the barrier time is not proportional to the number of sub-groups");
        return BL_OK;
    }
    /* Twice the standard error of (time of the largest group / time of the smallest group), divided
     * by the number of further sub-groups. */
    const double further = (double)(1u << (count - 1)) - 1;
    const double margin = 2 * error_of * sqrt(2) * (1 + largest * further) / further;
    bl_find_basis(bl_find_amount(inference, "barrier_more_percent", 100 * largest,
                                 100 * (largest - margin), 100 * (largest + margin)),
                  "barriers", "groups of 1 to %u sub-groups", 1u << (count - 1));
    return BL_OK;
}

/* Finds how many sub-groups saturate a compute unit with contiguous reads. */
static enum bl_status infer_filling(struct bl_inference *inference, enum bl_memory memory)
{
    static const char *const fill_keys[] = {"global_sub_groups_to_fill",
                                            "local_sub_groups_to_fill"};
    static const char *const sweeps[] = {"filling-global", "filling-local"};
    static const unsigned numbers[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
    const bool is_local = memory == BL_MEMORY_LOCAL;
    const double units = bl_found(inference->findings, "compute_units", 0);
    const double most = bl_found(inference->findings, "groups_per_unit", 0);
    const unsigned lanes = inference->machine.lanes;
    if (units < 1 || most < 2 || (!is_local && !inference->has_lines)) {
        bl_find_unknown(inference, fill_keys[memory],
                        "it is not known how many compute units there are, how many groups a "
                        "unit can hold, or how long a line is");
        return BL_OK;
    }
    /* Each group of this kernel allocates slightly more than 16 KiB of local memory. */
    const double tiles = bl_found(inference->findings, "local_bytes_per_unit", 0) / 20000;
    const double room = is_local ? fmin(tiles, most) : most;
    const uint64_t begin = is_local ? 0 : bl_infer_home(inference, 1 << 20);
    struct bl_batch *batch = bl_batch_begin(inference);
    for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0] && numbers[i] <= room; i++) {
        struct bl_lanes_probe *probe = bl_batch_add(batch, memory, BL_PROBE_READ, &bl_type_int,
                                                    is_local ? BL_OTHER_STEP : BL_STEP);
        probe->sub_group_items = lanes;
        probe->groups = (unsigned)units * numbers[i];
        for (unsigned lane = 0; lane < BL_TABLE_ITEMS; lane++)
            probe->places[0][lane] = begin + 4 * (lane % lanes);
        bl_batch_name(batch, numbers[i], "%u sub-groups", numbers[i]);
    }
    const enum bl_status status = bl_batch_measure(inference);
    if (status != BL_OK)
        return status;
    double best = INFINITY;
    for (size_t i = 0; i < batch->count; i++)
        best = fmin(best, batch->log_ns[i]);
    size_t fills = 0;
    while (fills + 1 < batch->count && batch->log_ns[fills] > best + 0.03 + 2 * inference->error)
        fills++;
    const struct bl_point *point = &batch->points[fills];
    if (batch->count < 3)
        bl_find_unknown(inference, fill_keys[memory], "too few sub-groups can be resident");
    else
        bl_find_basis(bl_find_amount(inference, fill_keys[memory], point->x,
                                     fills ? point[-1].x : 1,
                                     fills + 1 < batch->count ? point[1].x : point->x),
                      sweeps[memory], "contiguous reads by more and more sub-groups, %zu points",
                      batch->count);
    return bl_batch_keep(inference, sweeps[memory], best, NULL);
}

static void infer_clock(struct bl_inference *inference)
{
    const double units = bl_found(inference->findings, "compute_units", 0);
    if (units < 1 || !inference->has_local_rule || inference->floor > 1) {
        bl_find_unknown(inference, "clock_mhz", "it is not known how long a clock is");
        return;
    }
    const double mhz = 1000 / (inference->unit_ns[BL_MEMORY_LOCAL] * units);
    bl_find_basis(bl_find_amount(inference, "clock_mhz", mhz, mhz * 0.99, mhz * 1.01),
                  "local-reads", "a bank pass of each compute unit");
}

enum bl_status bl_infer_rates(struct bl_inference *inference)
{
    bl_infer_repeat(inference, 0.005);
    inference->repeats = inference->repeats < 15 ? 15 : inference->repeats;
    enum bl_status status = infer_streams(inference);
    if (status == BL_OK && inference->has_local_rule)
        status = infer_barriers(inference);
    if (status == BL_OK && inference->has_local_rule)
        status = infer_filling(inference, BL_MEMORY_LOCAL);
    if (status == BL_OK && inference->has_local_rule)
        status = infer_filling(inference, BL_MEMORY_GLOBAL);
    if (status == BL_OK)
        infer_clock(inference);
    return status;
}
