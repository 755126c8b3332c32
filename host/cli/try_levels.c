#include "cli/try_levels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "run/prepare.h"

/* "L1, L2, memory" */
static void list_levels(const struct bl_bench *bench, char text[96])
{
    const char *first = bench->machine->cache_name;
    size_t used = (size_t)snprintf(text, 96, "%s", *first ? first : "cache");
    for (unsigned i = 0; i < BL_LEVELS; i++)
        if (bl_level_bytes(bench->machine, bench->device, i) && used < 96)
            used +=
                (size_t)snprintf(text + used, 96 - used, ", %s", bench->machine->levels[i].name);
}

/* Whether the machine describes devices like this: then its working sets fit too. */
static bool is_of_its_kind(const struct bl_bench *bench)
{
    const enum bl_machine_devices devices = bench->machine->device_type;
    return devices == BL_FOR_ANY || devices == BL_FOR_NONE ||
           devices == (bench->device->type == BL_DEVICE_CPU ? BL_FOR_CPU : BL_FOR_GPU);
}

enum bl_status bl_try_levels_choose(const char *name, bool model_only, const struct bl_bench *bench,
                                    const struct bl_try_setup *setup, struct bl_try_levels *levels,
                                    struct bl_error *error)
{
    const struct bl_machine *machine = bench->machine;
    const bool is_cached = setup->memory == BL_MEMORY_GLOBAL;
    *levels = (struct bl_try_levels){.setup = setup, .rates = bl_rates_unknown()};
    levels->in_cache =
        !name || strcasecmp(name, "cache") == 0 || strcasecmp(name, machine->cache_name) == 0;
    bool any = levels->in_cache;
    for (unsigned i = 0; i < BL_LEVELS; i++) {
        const bool is_named = name && strcasecmp(name, machine->levels[i].name) == 0;
        if (is_named && !is_cached)
            return bl_fail(error, BL_USAGE, "--level %s: only global memory lies there", name);
        if (is_named && model_only)
            return bl_fail(error, BL_USAGE,
                           "--level %s: what it costs is measured, which --model-only does not",
                           name);
        levels->wanted[i] = (is_named || (!name && is_of_its_kind(bench))) && is_cached &&
                            !model_only && bl_level_bytes(bench->machine, bench->device, i) > 0;
        any |= levels->wanted[i];
    }
    if (any)
        return BL_OK;
    char names[96];
    list_levels(bench, names);
    return bl_fail(error, BL_USAGE, "--level %s: machine %s has %s here", name, machine->name,
                   names);
}

/* Arrays for all items of this item's level, which follow each other, from this one on. */
static enum bl_status place_level(struct bl_run *run, size_t i, struct bl_error *error)
{
    size_t count = 0;
    while (i + count < run->count && run->items[i + count].own.level == run->items[i].own.level)
        count++;
    return bl_place(&run->bench, &run->items[i], count, &run->bench.arrays, error);
}

static enum bl_status prepare(struct bl_run *run, size_t i, struct bl_error *error)
{
    struct bl_try_levels *levels = run->levels;
    const struct bl_level *level = run->items[i].own.level;
    if (!level)
        return BL_OK;
    const unsigned number = (unsigned)(level - run->bench.machine->levels);
    enum bl_status status = BL_OK;
    for (unsigned before = 0; before <= number && status == BL_OK; before++)
        if (!levels->is_calibrated[before] &&
            bl_level_bytes(run->bench.machine, run->bench.device, before)) {
            levels->is_calibrated[before] = true;
            status = bl_level_calibrate(&run->bench, levels->contiguous, levels->setup, before,
                                        &levels->rates, error);
        }
    if (status == BL_OK && levels->placed != level) {
        status = place_level(run, i, error);
        levels->placed = level;
    }
    if (status == BL_OK)
        bl_level_predict(&run->bench, &levels->rates, number, &run->items[i]);
    return status;
}

/* The rows of one level. all: those of the cache, of which failed expressions have theirs. */
static enum bl_status add_level(const struct bl_try_levels *levels, unsigned level,
                                const struct bl_trials *trials, const struct bl_plan_item all[],
                                struct bl_run *run, struct bl_error *error)
{
    const uint64_t bytes = bl_level_bytes(run->bench.machine, run->bench.device, level);
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < trials->count && status == BL_OK; i++) {
        const struct bl_trial *trial = &trials->all[i];
        struct bl_plan_item *item = &run->items[run->count];
        const bool has_failed = trial->status != BL_OK;
        if (has_failed && levels->in_cache)
            continue;
        run->count++;
        if (has_failed) {
            *item = all[i];
            continue;
        }
        status = bl_level_plan(&trial->try, levels->contiguous, levels->setup, &run->bench, level,
                               bytes, item, error);
        const char *text = trial->try.expression.text;
        if (strcmp(trial->try.id + strlen("try/"), text) != 0)
            snprintf(item->own.note, sizeof item->own.note, "%s", text);
    }
    return status;
}

enum bl_status bl_try_levels_add(struct bl_try_levels *levels, const struct bl_trials *trials,
                                 struct bl_run *run, struct bl_error *error)
{
    const size_t cached = levels->in_cache ? run->count : 0;
    size_t count = cached;
    for (unsigned level = 0; level < BL_LEVELS; level++)
        count += levels->wanted[level] ? trials->count : 0;
    if (count == cached)
        return BL_OK;
    struct bl_plan_item *items = calloc(count, sizeof *items), *const all = run->items;
    if (!items)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the plan");
    memcpy(items, all, cached * sizeof *items);
    run->items = items;
    run->count = cached;
    run->prepare = prepare;
    run->levels = levels;
    enum bl_status status = BL_OK;
    for (unsigned level = 0; level < BL_LEVELS && status == BL_OK; level++)
        if (levels->wanted[level])
            status = add_level(levels, level, trials, all, run, error);
    free(all);
    return status;
}
