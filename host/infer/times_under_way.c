/* Infers the values that depend on the number of outstanding requests: the rate at which a level
 * delivers to one compute unit and to all units together, the rate at which all units write, the
 * latency of a read while all units are busy, and the maximum number of lines in flight per unit
 * and per sub-group.
 *
 * Sub-groups follow more and more chains simultaneously. At first each chain takes no longer than a
 * single chain. Then one of two limits is reached: the number of outstanding lines, or the rate of
 * lines. A sweep in one level cannot show which limit was reached, but sweeps in two levels can. If
 * the number of outstanding lines is the limit, this number is the same in both sweeps; if the rate
 * is the limit, the time per line is the same. */
#include <math.h>

#include "infer/inference.h"

enum { READS_OF_UNIT = 8, PER_SUB_GROUP = 4 };

/* A sweep in one level; x is the number of lines that are requested at the same time. */
struct way {
    struct bl_time_sweep sweep;
    double alone_ns, alone_error; /* time of a single request */
};

/* The mean number of lines in flight at the last point, assuming that each line takes as long as a
 * single line alone. */
static double in_flight(const struct way *way)
{
    const size_t last = way->sweep.count - 1;
    return way->sweep.x[last] * way->alone_ns / way->sweep.ns[last];
}

/* Whether the last point requests clearly more lines than can be in flight. */
static bool is_full(const struct way *way)
{
    return in_flight(way) < 0.8 * way->sweep.x[way->sweep.count - 1];
}

/* Bytes of a line that a request of all lanes reads. */
static double bytes_read(const struct bl_reads_probe *probe)
{
    return fmin(probe->line_bytes, probe->lanes * 4.0);
}

static enum bl_status take_alone(struct bl_inference *inference, const struct bl_reads_probe *alone,
                                 struct way *way)
{
    const enum bl_status status =
        bl_sweep_take(inference, inference->target->reads, alone, &way->sweep, 1, "1 line");
    way->alone_ns = way->sweep.ns[0];
    way->alone_error = way->sweep.error[0];
    return status;
}

/* Measures one sub-group with more and more chains. */
static enum bl_status sweep_sub_group(struct bl_inference *inference,
                                      const struct bl_reads_probe *alone, struct way *way)
{
    enum bl_status status = take_alone(inference, alone, way);
    for (unsigned reads = 2; reads <= BL_MAX_READS && status == BL_OK; reads *= 2) {
        struct bl_reads_probe probe = *alone;
        probe.reads = reads;
        status = bl_sweep_take(inference, inference->target->reads, &probe, &way->sweep, reads,
                               "%u lines", reads);
    }
    return status;
}

/* Measures one group with more and more sub-groups. */
static enum bl_status sweep_unit(struct bl_inference *inference, const struct bl_reads_probe *alone,
                                 struct way *way)
{
    const unsigned most = inference->target->limits.max_group_items / alone->lanes;
    enum bl_status status = take_alone(inference, alone, way);
    for (unsigned groups = 1; groups <= most && status == BL_OK; groups *= 2) {
        struct bl_reads_probe probe = *alone;
        probe.reads = READS_OF_UNIT;
        probe.sub_groups = groups;
        status = bl_sweep_take(inference, inference->target->reads, &probe, &way->sweep,
                               READS_OF_UNIT * groups, "%u lines", READS_OF_UNIT * groups);
    }
    return status;
}

/* Infers how many lines a compute unit or a sub-group can have in flight, from the sweep in memory
 * and the sweep in the level before memory. bytes: how many bytes of each line are read. possible:
 * the number of lines that the sub-groups of the last point can have in flight together. */
static void conclude_limit(struct bl_inference *inference, const struct way *memory,
                           const struct way *before, double bytes, double possible, const char *key)
{
    const char *const name = memory->sweep.name;
    const size_t last = memory->sweep.count - 1;
    if (!before->sweep.count) {
        bl_find_unknown(inference, key, "there is no cache between the first cache and memory");
        return;
    }
    const double lines = in_flight(memory), others = in_flight(before),
                 most = bl_found(inference->findings, "memory_bytes_per_ns", INFINITY);
    if (bytes * memory->sweep.x[last] / memory->sweep.ns[last] > 0.6 * most)
        bl_find_unknown(
            inference, key,
            "no limit found: one compute unit alone reaches 60 %% of memory's read rate");
    else if (!is_full(memory))
        bl_find_unknown(inference, key, "no limit found: %.0f lines at a time take as long as one",
                        memory->sweep.x[last]);
    else if (lines > 0.9 * possible)
        bl_find_unknown(
            inference, key,
            "no limit found: the sub-groups of a group can have only %.0f lines in flight",
            possible);
    else if (lines > 1.25 * others)
        bl_find_unknown(inference, key,
                        "no limit found: lines arrive from memory as fast as from a cache");
    else
        bl_find_basis(
            bl_find_about(inference, key, lines,
                          2 * hypot(memory->alone_error, memory->sweep.error[last]) + 0.01),
            name, "number of lines beyond which reads take longer, %zu points",
            memory->sweep.count);
}

/* Infers the rate at which the level delivers to a single compute unit. */
static void conclude_unit(struct bl_inference *inference, unsigned level, const struct way *way,
                          double bytes)
{
    const size_t last = way->sweep.count - 1;
    char key[BL_LEVEL_KEY];
    bl_level_key(inference, level, "unit_bytes_per_ns", key);
    if (!is_full(way))
        bl_find_unknown(inference, key, "one group is too small to reach the level's highest rate");
    else
        bl_find_basis(
            bl_find_about(inference, key, bytes * way->sweep.x[last] / way->sweep.ns[last],
                          2 * way->sweep.error[last] + 0.005),
            way->sweep.name, "one group that requests %.0f lines at once", way->sweep.x[last]);
}

/* Adds the findings that rest on the sweeps in memory and in the level before it. */
static void conclude_limits(struct bl_inference *inference, const struct way units[2],
                            const struct way sub_groups[2])
{
    const struct bl_reads_probe alone = bl_reads_of_level(inference, 1);
    const double bytes = bytes_read(&alone),
                 groups = units[1].sweep.x[units[1].sweep.count - 1] / READS_OF_UNIT;
    conclude_limit(inference, &sub_groups[1], &sub_groups[0], bytes, INFINITY,
                   "sub_group_lines_in_flight");
    const double each = bl_found(inference->findings, "sub_group_lines_in_flight", INFINITY);
    conclude_limit(inference, &units[1], &units[0], bytes, groups * each, "unit_lines_in_flight");
}

/* Measures one compute unit while the others are idle, in each level after the first cache. */
static enum bl_status infer_alone(struct bl_inference *inference)
{
    static const char *const of_unit[BL_LEVELS + 1] = {NULL, "second-by-one-unit",
                                                       "third-by-one-unit"},
                                                 *const of_sub_group[BL_LEVELS + 1] = {
                                                     NULL, "second-by-one-sub-group",
                                                     "third-by-one-sub-group"};
    struct way units[2] = {0},
               sub_groups[2] = {0}; /* [0]: of the previous level; [1]: of this level */
    enum bl_status status = BL_OK;
    for (unsigned level = 1; level < inference->levels && status == BL_OK; level++) {
        const bool is_memory = level + 1 == inference->levels;
        const struct bl_reads_probe alone = bl_reads_of_level(inference, level);
        struct way *unit = &units[1], *sub_group = &sub_groups[1];
        units[0] = *unit;
        sub_groups[0] = *sub_group;
        *unit = (struct way){.sweep.name = is_memory ? "memory-by-one-unit" : of_unit[level]};
        *sub_group =
            (struct way){.sweep.name = is_memory ? "memory-by-one-sub-group" : of_sub_group[level]};
        if (!alone.bytes)
            continue;
        status = sweep_sub_group(inference, &alone, sub_group);
        if (status == BL_OK)
            status = sweep_unit(inference, &alone, unit);
        if (status == BL_OK)
            conclude_unit(inference, level, unit, bytes_read(&alone));
    }
    if (status != BL_OK || !units[1].sweep.count)
        return status;
    conclude_limits(inference, units, sub_groups);
    return BL_OK;
}

/* Measurements with all units. */

/* The time of a read at nine tenths of the highest rate that the level delivered, interpolated
 * between two points; NAN if the first point, or only the last point, reaches this rate. */
static double loaded_ns(const struct bl_time_sweep *sweep, size_t *at)
{
    double best = 0;
    for (size_t i = 0; i < sweep->count; i++)
        best = fmax(best, sweep->x[i] / sweep->ns[i]);
    size_t i = 0;
    while (sweep->x[i] / sweep->ns[i] < 0.9 * best)
        i++;
    *at = i;
    /* If the last point is the first to reach this rate, the rate may still be rising. */
    if (i == 0 || i + 2 > sweep->count)
        return NAN;
    const double before = log(sweep->x[i - 1] / sweep->ns[i - 1]),
                 after = log(sweep->x[i] / sweep->ns[i]),
                 share = (log(0.9 * best) - before) / (after - before);
    return exp(log(sweep->ns[i - 1]) + share * log(sweep->ns[i] / sweep->ns[i - 1]));
}

static enum bl_status infer_loaded(struct bl_inference *inference, unsigned level)
{
    static const char *const sweeps[BL_LEVELS + 1] = {NULL, "second-by-all", "third-by-all"};
    static const unsigned numbers[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32};
    struct bl_reads_probe probe = bl_reads_of_level(inference, level);
    const bool is_memory = level + 1 == inference->levels;
    const double units = bl_found(inference->findings, "compute_units", 0),
                 groups = bl_found(inference->findings, "groups_per_unit", 0);
    struct bl_time_sweep sweep = {.name = is_memory ? "memory-by-all" : sweeps[level]};
    char key[BL_LEVEL_KEY];
    bl_level_key(inference, level, "loaded_latency_ns", key);
    probe.reads = PER_SUB_GROUP;
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && numbers[i] <= groups &&
                       probe.bytes && units >= 1 && status == BL_OK;
         i++) {
        probe.groups = (unsigned)units * numbers[i];
        status = bl_sweep_take(inference, inference->target->reads, &probe, &sweep,
                               PER_SUB_GROUP * numbers[i], "%u lines of each unit",
                               PER_SUB_GROUP * numbers[i]);
    }
    if (status != BL_OK)
        return status;
    size_t at = 0;
    const double ns = sweep.count ? loaded_ns(&sweep, &at) : (double)NAN;
    if (isfinite(ns))
        bl_find_basis(bl_find_about(inference, key, ns, 4 * sweep.error[at] + 0.03), sweep.name,
                      "nine tenths of the level's highest rate, %zu points", sweep.count);
    else
        bl_find_unknown(inference, key, "%s",
                        !sweep.count ? "no working set lies in this level only"
                        : at == 0
                            ? "a few reads already reach the level's highest rate"
                            : "even the largest number of reads does not keep the level busy");
    return BL_OK;
}

/* Adds the level's read rate for all units in bytes per ns, converted from the rate per clock that
 * stream probes have measured. */
static void tell_rate(struct bl_inference *inference, unsigned level)
{
    char by_clock[BL_LEVEL_KEY], key[BL_LEVEL_KEY];
    const struct bl_finding *rate = bl_finding_of(
        inference->findings, bl_level_key(inference, level, "bytes_per_clock", by_clock));
    bl_level_key(inference, level, "bytes_per_ns", key);
    if (!rate || !rate->is_known) {
        bl_find_unknown(inference, key, "the level's rate per clock is not known");
        return;
    }
    /* The rate per clock is per compute unit, and unit_ns is ns per clock divided by the number of
     * units. So the quotient is the rate of all units together. */
    const double clock = inference->unit_ns[BL_MEMORY_LOCAL], lo = rate->lo, hi = rate->hi;
    bl_find_basis(bl_find_amount(inference, key, rate->value / clock, lo / clock, hi / clock),
                  rate->sweep, "contiguous reads of 16 bytes per work-item");
}

/* Infers the rate at which all units together write a working set of this level. */
static enum bl_status infer_writes(struct bl_inference *inference, unsigned level)
{
    const double room = (double)bl_chase_room(inference), *sizes = inference->level_bytes;
    const bool is_memory = level + 1 == inference->levels;
    const double bytes = is_memory ? fmin(room, 24 * sizes[level - 1]) : 0.35 * sizes[level];
    const struct bl_stream_probe probe = {.bytes = (uint64_t)bytes, .is_write = true};
    struct bl_evidence evidence = {.sweep = "write-streams", .x = bytes, .unit = "bytes per ns"};
    char key[BL_LEVEL_KEY];
    bl_level_key(inference, level, "write_bytes_per_ns", key);
    enum bl_status status =
        bl_infer_measure(inference, inference->target->stream, &probe, &evidence);
    if (status == BL_OK)
        status = bl_keep_point(inference, &evidence, "%.0f bytes", bytes);
    /* As with reads, launches differ by up to 4 %. */
    if (status == BL_OK)
        bl_find_basis(
            bl_find_about(inference, key, evidence.measured, 2.1 * fmax(evidence.error, 0.012)),
            evidence.sweep, "contiguous writes of 16 bytes per work-item");
    return status;
}

enum bl_status bl_infer_under_way(struct bl_inference *inference)
{
    static const char *const keys[] = {"unit_lines_in_flight",      "sub_group_lines_in_flight",
                                       "memory_loaded_latency_ns",  "memory_bytes_per_ns",
                                       "memory_write_bytes_per_ns", "memory_unit_bytes_per_ns"};
    const char *why = bl_infer_why_no_requests(inference);
    if (why) {
        bl_find_none(inference, keys, sizeof keys / sizeof keys[0], why);
        return BL_OK;
    }
    for (unsigned level = 1; level < inference->levels; level++)
        tell_rate(inference, level);
    enum bl_status status = infer_alone(inference);
    for (unsigned level = 1; level < inference->levels && status == BL_OK; level++)
        status = infer_loaded(inference, level);
    for (unsigned level = 1; level < inference->levels && status == BL_OK; level++)
        status = infer_writes(inference, level);
    return status;
}
