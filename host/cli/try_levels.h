/* `try` at the levels of memory beyond the cache of a compute unit. */
#ifndef BANKLINE_CLI_TRY_LEVELS_H
#define BANKLINE_CLI_TRY_LEVELS_H

#include "cli/measure.h"
#include "cli/trials.h"
#include "run/level.h"

struct bl_try_levels {
    bool in_cache;          /* rows of the compute unit's cache, or of local memory, are wanted */
    bool wanted[BL_LEVELS]; /* rows of the machine's levels */
    const struct bl_try *contiguous;
    const struct bl_try_setup *setup;
    struct bl_rates rates;
    bool is_calibrated[BL_LEVELS];
    const struct bl_level *placed; /* whose arrays are there */
};

/* Which levels there are rows of: the one of this name, or all of the machine's where it is for
 * devices of this type; a processor need not fill gigabytes to be held against a GPU. Local and
 * constant memory, and predictions alone have none beyond the first. BL_USAGE for a level that
 * is not there. */
enum bl_status bl_try_levels_choose(const char *name, bool model_only, const struct bl_bench *bench,
                                    const struct bl_try_setup *setup, struct bl_try_levels *levels,
                                    struct bl_error *error);

/* Puts items of the wanted levels behind those of the run, which are of the compute unit's cache
 * and go where that is not wanted, and lets the run measure what a level costs before its first
 * one. The levels must outlive the run. */
enum bl_status bl_try_levels_add(struct bl_try_levels *levels, const struct bl_trials *trials,
                                 struct bl_run *run, struct bl_error *error);

#endif
