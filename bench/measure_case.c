#include "measure_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/sampler.h"
#include "model/predict.h"
#include "subject.h"

/* Throughput above the banks' by more than this is an error of the measurement. A driver's
 * highest clock is rounded, and clocks differ by less. */
static const double LIMIT_MARGIN = 1.03;

static struct bl_sampler_settings settings_for(const struct bl_bench *bench)
{
    const double resolution_ns = bench->device->timer_resolution_ns;
    const bool is_gpu = bench->device->type == BL_DEVICE_GPU;
    /* A CPU is shared with everything else that runs: its launches must be longer. */
    const double least_ns = is_gpu ? 1e6 : bench->quick ? 2.5e6 : 5e6;
    const double budget_s = bench->quick ? 0.25 : is_gpu ? 1.0 : 1.5;
    struct bl_sampler_settings settings = {
        .launch_ns = bl_launch_length_ns(resolution_ns, least_ns),
        .longest_ns = is_gpu ? 100e6 : 1e9, /* a GPU's watchdog fires on long launches */
        .resolution_ns = resolution_ns,
        .stopping = {.least_samples = 9,
                     .most_samples = 200,
                     .precision = 0.005,
                     .budget_s = budget_s},
    };
    if (settings.launch_ns > settings.longest_ns / 2)
        settings.launch_ns = settings.longest_ns / 2;
    return settings;
}

struct bl_row bl_planned_row(const struct bl_plan_item *item, const struct bl_machine *machine)
{
    const struct bl_launch *launch = &item->launch;
    struct bl_row row = bl_row_empty();
    snprintf(row.machine, sizeof row.machine, "%s", machine->name);
    snprintf(row.case_id, sizeof row.case_id, "%s", item->test_case->id);
    snprintf(row.suite, sizeof row.suite, "%s", bl_suite_of(item->test_case)->name);
    snprintf(row.memory, sizeof row.memory, "%s", bl_memory_name(launch->memory));
    snprintf(row.type, sizeof row.type, "int");
    snprintf(row.shape, sizeof row.shape, "%ux%u", launch->shape.x, launch->shape.y);
    row.lanes = launch->lanes;
    row.working_set_bytes = launch->elements * BL_ELEMENT_BYTES;
    row.claim = item->claim;
    row.status = item->status;
    snprintf(row.reason, sizeof row.reason, "%s", item->reason);

    struct bl_prediction own, baseline;
    if (bl_predict(machine, item->test_case->pattern, launch, &own) == BL_OK &&
        bl_predict(machine, item->baseline->pattern, &item->baseline_launch, &baseline) == BL_OK) {
        row.lines = own.lines > 0 ? own.lines : NAN;
        row.bank_passes = own.bank_passes > 0 ? own.bank_passes : NAN;
        row.predicted = baseline.clocks / own.clocks;
    }
    return row;
}

enum bl_status bl_warm_up(const struct bl_bench *bench, const struct bl_plan_item *item,
                          struct bl_error *error)
{
    const uint64_t long_enough_ns = 200000000;
    const struct bl_sampler_settings settings = settings_for(bench);
    struct bl_reader reader;
    struct bl_timing timing;
    uint32_t rounds = 1;
    enum bl_status status =
        bl_reader_open(bench, item->baseline->pattern, &item->baseline_launch, &reader, error);
    if (status == BL_OK)
        status = bl_calibrate(&reader.subject, &settings, &rounds, error);
    const uint64_t began_ns = bl_host_now_ns();
    while (status == BL_OK && bl_host_now_ns() - began_ns < long_enough_ns)
        status = reader.subject.launch(&reader, rounds, &timing, error);
    bl_reader_close(&reader);
    return status;
}

static void fill_throughput(const struct bl_bench *bench, const struct bl_launch *launch,
                            double round_ns, struct bl_row *row)
{
    const double compute_units = bench->device->compute_units;
    const double round_bytes =
        (double)bl_launch_items(launch) * launch->unroll * BL_ELEMENT_BYTES;
    const double requests = (double)bl_launch_requests(launch) * launch->unroll;
    row->gbytes_per_s = round_bytes / round_ns;
    row->ns_per_request = round_ns * compute_units / requests;
    if (bench->device->clock_mhz)
        row->bytes_per_clock_cu =
            row->gbytes_per_s * 1e3 / bench->device->clock_mhz / compute_units;
}

static enum bl_status check_limit(const struct bl_bench *bench, const struct bl_row *row,
                                  struct bl_error *error)
{
    const struct bl_machine *machine = bench->machine;
    if (!machine->has_rule || !isfinite(row->bytes_per_clock_cu))
        return BL_OK;
    const double limit = (double)machine->banks * machine->bank_bytes *
                         bench->device->bank_arrays / bench->device->compute_units;
    if (row->bytes_per_clock_cu <= limit * LIMIT_MARGIN)
        return BL_OK;
    return bl_fail(error, BL_IMPOSSIBLE,
                   "%.1f bytes a clock and compute unit, and machine %s has a limit of %.1f (%u "
                   "banks of %u bytes)", row->bytes_per_clock_cu, machine->name, limit,
                   machine->banks, machine->bank_bytes);
}

/* Takes the numbers out of a row that must not have any. */
static void refuse(struct bl_row *row, enum bl_row_status status, const struct bl_error *error)
{
    row->measured = row->measured_lo = row->measured_hi = NAN;
    row->bytes_per_clock_cu = row->gbytes_per_s = row->ns_per_request = NAN;
    row->verdict = BL_NO_VERDICT;
    row->status = status;
    snprintf(row->reason, sizeof row->reason, "%s", error->sentence);
}

static void fill_row(const struct bl_bench *bench, const struct bl_plan_item *item,
                     const struct bl_measurement *measurement, struct bl_row *row)
{
    row->measured = measurement->ratio.median;
    row->measured_lo = measurement->ratio.lo;
    row->measured_hi = measurement->ratio.hi;
    row->samples = measurement->samples;
    row->status = measurement->settled ? BL_ROW_OK : BL_ROW_NOISY;
    row->verdict = isfinite(row->predicted)
                       ? bl_verdict_of(row->predicted, row->measured_lo, row->measured_hi,
                                       bench->tolerance)
                       : BL_NO_RULE;
    fill_throughput(bench, &item->launch, measurement->case_round_ns, row);
}

enum bl_status bl_measure_case(const struct bl_bench *bench, const struct bl_plan_item *item,
                               struct bl_row *row, struct bl_error *error)
{
    const uint64_t began_ns = bl_host_now_ns();
    const struct bl_sampler_settings settings = settings_for(bench);
    struct bl_reader baseline = {0}, reader = {0};
    struct bl_measurement measurement;
    enum bl_status status =
        bl_reader_open(bench, item->baseline->pattern, &item->baseline_launch, &baseline, error);
    if (status == BL_OK)
        status = bl_reader_open(bench, item->test_case->pattern, &item->launch, &reader, error);
    if (status == BL_OK)
        status = bl_measure(&baseline.subject, &reader.subject, &settings, &measurement, error);
    bl_reader_close(&reader);
    bl_reader_close(&baseline);

    row->seconds = (double)(bl_host_now_ns() - began_ns) * 1e-9;
    if (status == BL_OK) {
        fill_row(bench, item, &measurement, row);
        status = check_limit(bench, row, error);
    }
    if (status != BL_OK)
        refuse(row, bl_row_status_of(status), error);
    return status;
}
