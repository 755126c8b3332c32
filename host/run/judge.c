#include "run/judge.h"

#include <math.h>

/* Throughput above the banks' by more than this is an error of the measurement. A driver's
 * highest clock is rounded, and clocks differ by less. */
static const double LIMIT_MARGIN = 1.03;

/* Bytes per clock and compute unit that banks deliver. */
static double bank_limit(const struct bl_bench *bench)
{
    return (double)bench->machine->banks * bench->machine->bank_bytes * bench->device->bank_arrays /
           bench->device->compute_units;
}

/* The rule of global memory is of what stays in the cache that it describes. */
static bool stays_in_cache(const struct bl_machine *machine, const struct bl_workload *workload)
{
    return workload->launch.memory != BL_MEMORY_GLOBAL || workload->level ||
           machine->cache_bytes == 0 || workload->work.working_set_bytes <= machine->cache_bytes ||
           !isfinite(workload->cost.clocks);
}

/* Whether a baseline that banks must bind, for a prediction of theirs to hold, is bound by them. */
static bool is_bound(const struct bl_bench *bench, const struct bl_work *baseline, double round_ns)
{
    if (baseline->min_share <= 0 || !bench->device->clock_mhz)
        return true;
    const double bytes_per_clock_cu =
        baseline->bytes / round_ns * 1e3 / bench->device->clock_mhz / bench->device->compute_units;
    return bytes_per_clock_cu >= baseline->min_share * bank_limit(bench);
}

const char *bl_why_no_prediction(const struct bl_plan_item *item)
{
    const char *const own = item->own.cost.why_none;
    return own ? own : item->baseline.cost.why_none;
}

enum bl_verdict bl_judge(const struct bl_bench *bench, const struct bl_plan_item *item,
                         const struct bl_evidence *evidence, const struct bl_row *row,
                         const char **why_none)
{
    const struct bl_machine *machine = bench->machine;
    *why_none = NULL;
    if (!machine->has_rule || !stays_in_cache(machine, &item->own) ||
        !stays_in_cache(machine, &item->baseline))
        return BL_NO_RULE;
    if (evidence->in_registers)
        *why_none = "the private array stayed in registers";
    else if (!is_bound(bench, &item->baseline.work, evidence->baseline_round_ns))
        *why_none = "its baseline is not bound by banks, so they predict nothing";
    if (*why_none)
        return BL_NO_RULE;
    if (isfinite(row->predicted))
        return bl_verdict_of(row->predicted, row->measured_lo, row->measured_hi, bench->tolerance);
    if (row->direction != BL_ANY_DIRECTION)
        return bl_verdict_of_direction(row->direction, row->measured_lo, row->measured_hi);
    *why_none = bl_why_no_prediction(item);
    return BL_NO_RULE;
}

enum bl_status bl_check_limit(const struct bl_bench *bench, const struct bl_work *work,
                              const struct bl_row *row, struct bl_error *error)
{
    const struct bl_machine *machine = bench->machine;
    const double limit = bank_limit(bench) * work->bytes_per_delivered;
    /* Either may be NAN. */
    if (!machine->has_rule || !(row->bytes_per_clock_cu > limit * LIMIT_MARGIN))
        return BL_OK;
    return bl_fail(error, BL_IMPOSSIBLE,
                   "%.1f bytes per clock and compute unit, but machine %s has a limit of %.1f here "
                   "(%u banks of %u bytes)",
                   row->bytes_per_clock_cu, machine->name, limit, machine->banks,
                   machine->bank_bytes);
}
