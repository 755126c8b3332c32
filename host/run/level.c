/* Predicts accesses to data beyond the cache of a compute unit, in three parts: the prediction for
 * `try`, the measured time of a granule, and the suites' index patterns. Requests in flight
 * together may share the granules that they fetch, but the model cannot know which requests are in
 * flight together. If a prediction depends on this, `try` makes it only if a rule says how much
 * requests share (model/granules.h). */
#include "run/level.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/row.h"
#include "run/case.h"
#include "run/plan.h"
#include "run/tiles.h"

/* If no rule says how much requests share, writes that fill blocks together have a prediction only
 * if the charge without sharing is at most this fraction above the charge with sharing. */
static const double AMBIGUOUS = 0.1;

/* Without such a rule, accesses of other kinds have a prediction only if, on average, at most this
 * many requests of a group fetch the same granule. MOST_SHARED_OF_BLOCKS is the limit at a level
 * whose granules lie in blocks, MOST_SHARED at other levels. */
static const double MOST_SHARED = 1.3, MOST_SHARED_OF_BLOCKS = 1.05;

/* If a contiguous access takes longer than the level's charge times this number, the limit is the
 * access's own instructions, not the level. */
static const double OWN_INSTRUCTIONS = 1.1;

static const char NOT_TOLD[] =
    "no prediction: requests share lines, and how often a shared line is fetched depends on timing";

static const char MIXED[] =
    "there is no rule for blocks of which some sectors are written completely and others in part";

static const char LINES[] = "lines", SECTORS[] = "sectors", GRANULES[] = "granules";

struct bl_rates bl_rates_unknown(void)
{
    struct bl_rates rates = {0};
    for (unsigned level = 0; level < BL_LEVELS; level++)
        rates.granule_ns[level] = rates.contiguous_ns[level] = NAN;
    rates.clock_ns = NAN;
    return rates;
}

uint64_t bl_level_bytes(const struct bl_machine *machine, const struct bl_device *device,
                        unsigned level)
{
    const struct bl_level *at = &machine->levels[level];
    const uint64_t reported = device->cache_bytes;
    if (!at->granule_bytes || !machine->has_rule)
        return 0;
    if (at->working_set_mib)
        return (uint64_t)at->working_set_mib << 20;
    return level + 1 == BL_LEVELS ? 32 * reported : reported / 2;
}

static enum bl_status lay_out(const struct bl_try *try, const struct bl_try_setup *setup,
                              const struct bl_bench *bench, uint64_t bytes,
                              struct bl_workload *workload, struct bl_error *error)
{
    const struct bl_setting setting = bl_try_setting(try, setup, bench);
    const struct bl_tiled tiled = {&try->expression, &setup->type, setup->is_write,
                                   setup->groups,    try->starts,  bytes};
    return bl_lay_out_tiles(&tiled, &setting, workload, error);
}

enum bl_status bl_level_plan(const struct bl_try *try, const struct bl_try *contiguous,
                             const struct bl_try_setup *setup, const struct bl_bench *bench,
                             unsigned level, struct bl_plan_item *item, struct bl_error *error)
{
    const uint64_t bytes = bl_level_bytes(bench->machine, bench->device, level);
    *item = (struct bl_plan_item){.test_case = &try->test_case, .claim = NAN};
    enum bl_status status = lay_out(try, setup, bench, bytes, &item->own, error);
    if (status == BL_OK)
        status = lay_out(contiguous, setup, bench, bytes, &item->baseline, error);
    item->own.level = item->baseline.level = &bench->machine->levels[level];
    bl_plan_check(item, bench->device);
    if (item->status != BL_ROW_OK)
        item->own.cost.clocks = NAN;
    return status;
}

/* Of the levels up to `level`, returns the one that charges most for a request. Returns BL_LEVELS
 * if the compute unit's cache charges more than any of these levels. *ns receives the largest
 * charge. */
static unsigned costliest(const struct bl_rates *rates, unsigned level,
                          const struct bl_workload *workload, double *ns)
{
    unsigned binding = BL_LEVELS;
    /* The compute unit's cache charges nothing for writes. */
    *ns = workload->launch.is_write ? 0 : workload->cost.clocks * rates->clock_ns;
    for (unsigned i = 0; i <= level; i++) {
        const double charged = rates->granule_ns[i] * workload->cost.charged[i];
        if (charged > *ns) {
            *ns = charged;
            binding = i;
        }
    }
    return binding;
}

static const char *bound_by(const struct bl_machine *machine, unsigned binding,
                            const struct bl_mean_cost *cost)
{
    if (binding == BL_LEVELS)
        return bl_bound_of(machine, cost);
    const struct bl_level *level = &machine->levels[binding];
    if (level->granule_bytes == machine->sector_bytes)
        return cost->charged[binding] > 1.01 * cost->fetched[binding] ? LINES : SECTORS;
    return level->granule_bytes == machine->line_bytes ? LINES : GRANULES;
}

static bool is_about(double charged, double other) { return fabs(charged - other) <= 0.01 * other; }

/* Whether the item's requests cost as much as contiguous requests at each level up to `level`, and
 * share granules to the same extent. */
static bool is_like_ideal(const struct bl_plan_item *item, unsigned level)
{
    const struct bl_mean_cost *own = &item->own.cost, *ideal = &item->baseline.cost;
    bool is_like = own->clocks < 1.01 * ideal->clocks;
    for (unsigned i = 0; i <= level; i++)
        is_like = is_like && is_about(own->charged[i], ideal->charged[i]) &&
                  is_about(own->charged_together[i], ideal->charged_together[i]);
    return is_like;
}

/* Whether this level charges writes per block, which several requests may fill together. */
static bool fills_blocks(const struct bl_machine *machine, unsigned level,
                         const struct bl_workload *workload)
{
    return workload->launch.is_write &&
           machine->levels[level].write_block_bytes > machine->line_bytes;
}

/* Whether the cost depends on which requests share granules; the model cannot know this. */
static bool is_ambiguous(const struct bl_machine *machine, const struct bl_workload *workload,
                         unsigned binding)
{
    const struct bl_mean_cost *cost = &workload->cost;
    if (binding == BL_LEVELS)
        return false;
    const struct bl_level *at = &machine->levels[binding];
    if (fills_blocks(machine, binding, workload))
        /* Written as !(a <= b), so that a NAN, which means that there is no rule, counts as
         * ambiguous. */
        return !(cost->charged[binding] <= (1 + AMBIGUOUS) * cost->charged_together[binding]);
    if (workload->launch.is_write &&
        at->write_block_bytes) /* requests share nothing if each of them sends what it writes */
        return false;
    const double most = at->block_bytes ? MOST_SHARED_OF_BLOCKS : MOST_SHARED;
    return cost->fetched[binding] > most * cost->fetched_together[binding];
}

/* Whether any level up to `level` lacks a rule for these writes. */
static bool is_unknown(const struct bl_mean_cost *cost, unsigned level)
{
    for (unsigned i = 0; i <= level; i++)
        if (isnan(cost->charged[i]))
            return true;
    return false;
}

const char *bl_why_no_rule_of_level(const struct bl_machine *machine, unsigned level, bool is_write)
{
    const bool as_reads = !machine->sectors_written_per_clock;
    return is_write && !as_reads && !machine->levels[level].write_block_bytes
               ? "there is no rule for writes at this level"
               : NULL;
}

/* Sets the workload's clocks to the level's charge, in the unit of bl_mean_cost.charged; only
 * ratios of charges are used, so the unit does not matter. Sets clocks to NAN, with the reason, if
 * there is no rule. */
static void level_charge(const struct bl_machine *machine, unsigned level,
                         struct bl_workload *workload)
{
    struct bl_mean_cost *cost = &workload->cost;
    /* A block that several requests fill together is charged once, but not if they share granules,
     * because a shared granule may be written twice. */
    const bool share_blocks = fills_blocks(machine, level, workload) &&
                              cost->fetched[level] < 1.01 * cost->fetched_together[level];
    workload->level = &machine->levels[level];
    cost->bound = bound_by(machine, level, cost);
    cost->why_none = bl_why_no_rule_of_level(machine, level, workload->launch.is_write);
    if (!cost->why_none && is_unknown(cost, level))
        cost->why_none = MIXED;
    if (!cost->why_none && !share_blocks && is_ambiguous(machine, workload, level))
        cost->why_none = NOT_TOLD;
    cost->clocks = cost->why_none ? NAN
                   : share_blocks ? cost->charged_together[level]
                                  : cost->charged[level];
    if (cost->why_none)
        bl_add_note(workload->note, "%s", cost->why_none);
}

/* Adds the bottleneck and the fix to the note, if a request takes more than 5 % longer than a
 * contiguous request. */
static void explain(const struct bl_bench *bench, double ns, double contiguous_ns, unsigned binding,
                    struct bl_plan_item *item)
{
    const struct bl_mean_cost *own = &item->own.cost, *ideal = &item->baseline.cost;
    const struct bl_level *at = &bench->machine->levels[binding];
    if (!(ns > 1.05 * contiguous_ns))
        return;
    if (binding == BL_LEVELS)
        bl_add_note(item->own.note, "limited by the %s of the compute unit",
                    own->bound ? own->bound : "cache");
    else
        bl_add_note(
            item->own.note,
            "limited by %s: a request fetches %.1f times %u bytes from %.1f lines where "
            "%.1f times from %.1f lines would be enough; elements stored side by side would be "
            "%.1f times as fast",
            at->name, own->fetched[binding], at->granule_bytes, own->lines, ideal->fetched[binding],
            ideal->lines, ns / contiguous_ns);
}

/* The minimum time of a request, in ns. If the contiguous request is limited by its own
 * instructions, no request is faster than the contiguous request. Otherwise a cheaper request takes
 * at least the contiguous request's time, multiplied by the ratio of the two costs at this level.
 */
static double floor_ns(const struct bl_rates *rates, unsigned level,
                       const struct bl_plan_item *item)
{
    const struct bl_mean_cost *own = &item->own.cost, *ideal = &item->baseline.cost;
    double ns;
    costliest(rates, level, &item->baseline, &ns);
    const bool waits_for_itself = rates->contiguous_ns[level] > OWN_INSTRUCTIONS * ns;
    const double share = own->charged[level] / ideal->charged[level];
    return rates->contiguous_ns[level] * (waits_for_itself ? 1 : fmin(1, share));
}

/* If the prediction depends on how many granules requests share at this level, and the machine has
 * a rule for sharing, charges the requests by this rule and returns true. */
static bool apply_sharing(const struct bl_machine *machine, const struct bl_rates *rates,
                          unsigned level, struct bl_workload *workload)
{
    struct bl_mean_cost *cost = &workload->cost;
    double ns;
    const unsigned binding = costliest(rates, level, workload, &ns);
    const bool depends = isnan(cost->charged[level]) ||
                         (binding == level && is_ambiguous(machine, workload, binding));
    if (!depends || !(cost->charged_shared[level] > 0))
        return false;
    cost->charged[level] = cost->charged_shared[level];
    return true;
}

void bl_level_predict(const struct bl_bench *bench, const struct bl_rates *rates, unsigned level,
                      struct bl_plan_item *item)
{
    if (item->status != BL_ROW_OK)
        return;
    struct bl_mean_cost *own = &item->own.cost;
    double ns;
    const bool is_like = is_like_ideal(item, level);
    const bool is_shared = !is_like && apply_sharing(bench->machine, rates, level, &item->own);
    const unsigned binding = costliest(rates, level, &item->own, &ns);
    const char *why = rates->why_none[level];
    if (!*why && binding < level) /* the level of the bottleneck needs a rule, too */
        why = rates->why_none[binding];
    if (!*why && is_unknown(own, level))
        why = MIXED;
    if (!*why && !is_like && !(is_shared && binding == level) &&
        is_ambiguous(bench->machine, &item->own, binding))
        why = NOT_TOLD;
    own->bound = bound_by(bench->machine, binding, own);
    ns = is_like ? rates->contiguous_ns[level] : fmax(ns, floor_ns(rates, level, item));
    if (*rates->remark[level])
        bl_add_note(item->own.note, "%s", rates->remark[level]);
    if (*why)
        bl_add_note(item->own.note, "%s", why);
    else
        explain(bench, ns, rates->contiguous_ns[level], binding, item);
    own->clocks = *why ? NAN : ns / rates->clock_ns;
    item->baseline.cost.clocks = rates->contiguous_ns[level] / rates->clock_ns;
}

/* The second part: functions that measure the time of a granule at a level. */

enum { LONGEST_CAUSE = 160 }; /* characters */

/* A working set counts as being at one level if accesses to a set half as large take as long,
 * within this fraction. */
static const double KNEE = 0.25;

/* Measures the item, whose two workloads are both contiguous. The row receives the times of both.
 */
static enum bl_status measure(struct bl_bench *bench, struct bl_plan_item *item,
                              struct bl_rates *rates, struct bl_row *row, struct bl_error *error)
{
    *row = bl_planned_row(item, bench->machine);
    bl_plan_check(item, bench->device);
    if (item->status != BL_ROW_OK)
        return bl_fail(error, BL_USAGE, "%.150s", item->reason);
    enum bl_status status = bl_place(bench, item, 1, &bench->arrays, error);
    if (status == BL_OK)
        status = bl_measure_case(bench, item, row, error);
    const struct bl_arrays *arrays = &bench->arrays;
    const struct bl_level *level = item->own.level;
    if (arrays->why_fewer[0])
        snprintf(rates->remark[level - bench->machine->levels], sizeof rates->remark[0],
                 "%s was measured at %u placements only: %s", level->name, arrays->placements,
                 arrays->why_fewer);
    free(row->sample_ratios);
    row->sample_ratios = NULL;
    return status;
}

/* Converts ns per unit of work to ns per request. */
static double request_ns(double unit_ns, const struct bl_workload *workload)
{
    return unit_ns * workload->work.units / workload->work.requests;
}

/* Measures the time of a granule, by contiguous accesses. Reads are of int, because narrower reads
 * are limited by their own instructions. Writes are of int4, because writes of int are 2 to 16 %
 * slower. *slower receives the time for the working set, divided by the time for a set half as
 * large. */
static enum bl_status measure_granule(struct bl_bench *bench, const struct bl_try *contiguous,
                                      const struct bl_try_setup *setup, unsigned level,
                                      struct bl_rates *rates, double *slower,
                                      struct bl_error *error)
{
    const uint64_t bytes = bl_level_bytes(bench->machine, bench->device, level);
    struct bl_try_setup unit = *setup;
    struct bl_plan_item item = {0};
    struct bl_row row;
    unit.type = setup->is_write ? bl_type_int4 : bl_type_int;
    enum bl_status status =
        bl_level_plan(contiguous, contiguous, &unit, bench, level, &item, error);
    if (status == BL_OK)
        status = lay_out(contiguous, &unit, bench, bytes / 2, &item.baseline, error);
    item.baseline.level = item.own.level;
    if (status == BL_OK)
        status = measure(bench, &item, rates, &row, error);
    if (status != BL_OK)
        return status;
    rates->granule_ns[level] = request_ns(row.case_ns, &item.own) / item.own.cost.charged[level];
    *slower = 1 / row.measured;
    return BL_OK;
}

/* Measures the contiguous access of the setup's type at this level, and the time of one clock of
 * the compute unit's cache. */
static enum bl_status measure_contiguous(struct bl_bench *bench, const struct bl_try *contiguous,
                                         const struct bl_try_setup *setup, unsigned level,
                                         struct bl_rates *rates, struct bl_error *error)
{
    const uint64_t base = 0;
    struct bl_plan_item item = {0}, cached = {0};
    struct bl_row row;
    enum bl_status status =
        bl_level_plan(contiguous, contiguous, setup, bench, level, &item, error);
    bl_try_plan(contiguous, contiguous, setup, bench, &cached);
    bl_try_predict(bench, &base, 1, &cached);
    item.baseline = cached.own;
    if (status == BL_OK)
        status = measure(bench, &item, rates, &row, error);
    if (status != BL_OK)
        return status;
    rates->contiguous_ns[level] = request_ns(row.case_ns, &item.own);
    rates->clock_ns = request_ns(row.baseline_ns, &cached.own) / cached.own.cost.clocks;
    return BL_OK;
}

/* Shortens a failure's sentence so that it fits a row's note: drops leading contexts, such as a
 * kernel's options. */
static const char *cause(const struct bl_error *failure)
{
    const char *words = failure->sentence, *rest;
    while (strlen(words) > LONGEST_CAUSE && (rest = strstr(words, ": ")))
        words = rest + 2;
    return words;
}

enum bl_status bl_level_calibrate(struct bl_bench *bench, const struct bl_try *contiguous,
                                  const struct bl_try_setup *setup, unsigned level,
                                  struct bl_rates *rates, struct bl_error *error)
{
    const char *why_no_rule = bl_why_no_rule_of_level(bench->machine, level, setup->is_write);
    if (why_no_rule) {
        snprintf(rates->why_none[level], sizeof rates->why_none[level], "%s", why_no_rule);
        return BL_OK;
    }
    struct bl_error failure = {0};
    double slower = NAN;
    enum bl_status status =
        measure_granule(bench, contiguous, setup, level, rates, &slower, &failure);
    if (status == BL_OK)
        status = measure_contiguous(bench, contiguous, setup, level, rates, &failure);
    if (status == BL_INTERRUPTED || status == BL_NO_MEMORY || status == BL_HANGS) {
        *error = failure;
        return status;
    }
    char *why = rates->why_none[level];
    const size_t room = sizeof rates->why_none[level];
    if (status != BL_OK)
        snprintf(why, room, "the throughput of %s could not be measured: %.*s",
                 bench->machine->levels[level].name, LONGEST_CAUSE, cause(&failure));
    else if (fabs(slower - 1) > KNEE)
        snprintf(
            why, room,
            "the working set of %llu MiB is spread over two levels; a set half as large is %.2f "
            "times as fast",
            (unsigned long long)(bl_level_bytes(bench->machine, bench->device, level) >> 20),
            slower);
    return BL_OK;
}

/* The third part: functions for the suites' index patterns over a working set at a level. */

/* The number of groups over which a pattern's ids range, the same as in `try`. For groups of
 * several rows it is 1, because several groups side by side would access neighbouring columns,
 * which lie in the same lines. */
enum { GROUPS = 8 };

/* The index of the machine's level for this place in memory; BL_LEVELS if the machine lacks that
 * level or has no rule for it. */
static unsigned level_of(const struct bl_machine *machine, enum bl_place_in_memory place)
{
    const unsigned last = BL_LEVELS - 1;
    for (unsigned level = place == BL_IN_MEMORY ? last : 0;
         machine->has_rule && level < (place == BL_IN_MEMORY ? BL_LEVELS : last); level++)
        if (machine->levels[level].granule_bytes)
            return level;
    return BL_LEVELS;
}

/* The size in bytes of a working set at this level. If the machine does not state the size, it
 * follows from the cache size that the driver reports, or else from an assumed cache of 32 MiB. */
static uint64_t bytes_of(const struct bl_setting *setting, unsigned level)
{
    static const struct bl_device assumed = {.cache_bytes = 32 << 20};
    const struct bl_device *device =
        setting->device && setting->device->cache_bytes ? setting->device : &assumed;
    if (level < BL_LEVELS)
        return bl_level_bytes(setting->machine, device, level);
    return setting->test_case->place == BL_IN_MEMORY ? 32 * device->cache_bytes
                                                     : device->cache_bytes / 2;
}

void bl_lay_out_level(const struct bl_setting *setting, struct bl_workload *workload)
{
    const struct bl_case *test_case = setting->test_case;
    const unsigned level = level_of(setting->machine, test_case->place);
    const unsigned groups = setting->shape.y > 1 ? 1 : GROUPS;
    uint64_t *starts = bl_tile_starts(test_case->pattern, setting->shape, groups);
    const struct bl_tiled tiled = {
        .type = test_case->type ? test_case->type : &bl_type_int,
        .is_write = test_case->is_write,
        .groups = {groups, 1},
        .starts = starts,
        .wanted_bytes = bytes_of(setting, level),
    };
    struct bl_error error;
    const enum bl_status status =
        starts ? bl_lay_out_tiles(&tiled, setting, workload, &error)
               : bl_fail(&error, BL_NO_MEMORY,
                         "out of memory while computing the starts of work-items");
    free(starts);
    if (status != BL_OK) {
        workload->status = BL_ROW_ERROR;
        snprintf(workload->reason, sizeof workload->reason, "%.250s", error.sentence);
        return;
    }
    if (workload->replicas.tiles.blocks == 0) { /* the tiles do not fit, so nothing was counted */
        workload->cost.why_none = NULL;
        return;
    }
    bl_check_caches(workload, setting->device);
    if (level < BL_LEVELS) {
        level_charge(setting->machine, level, workload);
    } else {
        workload->cost.clocks = NAN;
        workload->cost.why_none = "the machine has no rule for this level";
    }
}
