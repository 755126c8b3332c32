#include "run/measure_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/sampler.h"
#include "measure/surroundings.h"
#include "run/subject.h"

/* Throughput above the banks' by more than this is an error of the measurement. A driver's
 * highest clock is rounded, and clocks differ by less. */
static const double LIMIT_MARGIN = 1.03;

static struct bl_sampler_settings settings_for(const struct bl_bench *bench)
{
    const double resolution_ns = bench->device->timer_resolution_ns;
    const bool is_gpu = bench->device->type == BL_DEVICE_GPU;
    /* A millisecond on a CPU too: on a shared one many short samples have a quieter median than few
     * long ones. */
    const double min_ns = 1e6;
    const double budget_s = bench->seconds > 0 ? bench->seconds
                            : bench->quick     ? 0.15
                            : is_gpu           ? 0.5
                                               : 0.6;
    struct bl_sampler_settings settings = {
        .launch_ns = bl_launch_length_ns(resolution_ns, min_ns),
        .longest_ns = is_gpu ? 100e6 : 1e9, /* a GPU's watchdog fires on long launches */
        .resolution_ns = resolution_ns,
        .stopping = {.min_samples = BL_MIN_SAMPLES,
                     .max_samples = 200,
                     .precision = bench->precision > 0 ? bench->precision : 0.005,
                     .budget_s = budget_s},
    };
    if (settings.launch_ns > settings.longest_ns / 2)
        settings.launch_ns = settings.longest_ns / 2;
    return settings;
}

static double clocks_per_unit(const struct bl_workload *workload)
{
    return workload->cost.clocks * workload->work.requests / workload->work.units;
}

struct bl_row bl_planned_row(const struct bl_plan_item *item, const struct bl_machine *machine)
{
    const struct bl_workload *own = &item->own;
    const struct bl_launch *launch = &own->launch;
    struct bl_row row = bl_row_empty();
    snprintf(row.key.machine, sizeof row.key.machine, "%s", machine->name);
    snprintf(row.key.case_id, sizeof row.key.case_id, "%s", item->test_case->id);
    snprintf(row.suite, sizeof row.suite, "%.*s", (int)strcspn(item->test_case->id, "/"),
             item->test_case->id);
    snprintf(row.memory, sizeof row.memory, "%s", bl_memory_name(launch->memory));
    snprintf(row.key.type, sizeof row.key.type, "%s", launch->type->name);
    snprintf(row.key.shape, sizeof row.key.shape, "%ux%u", launch->shape.x, launch->shape.y);
    row.key.lanes = launch->lanes;
    row.key.working_set_bytes = own->work.working_set_bytes;
    row.claim = item->claim;
    row.direction = item->test_case->direction;
    row.status = item->status;
    snprintf(row.reason, sizeof row.reason, "%s", item->reason);
    snprintf(row.note, sizeof row.note, "%s", own->note);
    row.lines = own->cost.lines;
    row.sectors = own->cost.sectors;
    row.bank_passes = own->cost.bank_passes;
    row.predicted = clocks_per_unit(&item->baseline) / clocks_per_unit(own);
    return row;
}

struct bl_row bl_predicted_row(const struct bl_plan_item *item, const struct bl_machine *machine)
{
    struct bl_row row = bl_planned_row(item, machine);
    if (row.status == BL_ROW_OK) {
        row.status = BL_ROW_SKIPPED;
        snprintf(row.reason, sizeof row.reason, "predicted, not measured");
    }
    return row;
}

enum bl_status bl_warm_up(const struct bl_bench *bench, const struct bl_plan_item *item,
                          struct bl_error *error)
{
    const uint64_t long_enough_ns = 200000000;
    const struct bl_sampler_settings settings = settings_for(bench);
    struct bl_runner runner;
    struct bl_timing timing;
    uint32_t rounds = 1;
    enum bl_status status = bl_runner_open(bench->session, &item->baseline, &runner, error);
    if (status == BL_OK)
        status = bl_calibrate(&runner.subject, &settings, &rounds, error);
    const uint64_t began_ns = bl_host_now_ns();
    while (status == BL_OK && bl_host_now_ns() - began_ns < long_enough_ns)
        status = runner.subject.launch(&runner, rounds, &timing, error);
    bl_runner_close(&runner);
    return status;
}

static void fill_throughput(const struct bl_device *device, const struct bl_work *work,
                            double round_ns, struct bl_row *row)
{
    row->ns_per_request = round_ns * device->compute_units / work->requests;
    row->gbytes_per_s = work->bytes / round_ns;
    if (device->clock_mhz)
        row->bytes_per_clock_cu =
            row->gbytes_per_s * 1e3 / device->clock_mhz / device->compute_units;
}

static enum bl_status check_limit(const struct bl_bench *bench, const struct bl_work *work,
                                  const struct bl_row *row, struct bl_error *error)
{
    const struct bl_machine *machine = bench->machine;
    const double limit = (double)machine->banks * machine->bank_bytes * bench->device->bank_arrays /
                         bench->device->compute_units * work->bytes_per_delivered;
    /* Either may be NAN. */
    if (!machine->has_rule || !(row->bytes_per_clock_cu > limit * LIMIT_MARGIN))
        return BL_OK;
    return bl_fail(error, BL_IMPOSSIBLE,
                   "%.1f bytes per clock and compute unit, but machine %s has a limit of %.1f here "
                   "(%u banks of %u bytes)",
                   row->bytes_per_clock_cu, machine->name, limit, machine->banks,
                   machine->bank_bytes);
}

/* Takes the numbers out of a row that must not have any. */
static void refuse(struct bl_row *row, enum bl_row_status status, const struct bl_error *error)
{
    row->measured = row->measured_lo = row->measured_hi = NAN;
    row->bytes_per_clock_cu = row->gbytes_per_s = row->ns_per_request = NAN;
    row->case_ns = row->baseline_ns = row->distance = NAN;
    row->claim_verdict = BL_NO_VERDICT;
    free(row->sample_ratios);
    row->sample_ratios = NULL;
    row->verdict = BL_NO_VERDICT;
    row->status = status;
    snprintf(row->reason, sizeof row->reason, "%s", error->sentence);
}

static enum bl_verdict judge(const struct bl_bench *bench, const struct bl_row *row)
{
    if (!bench->machine->has_rule)
        return BL_NO_RULE;
    if (isfinite(row->predicted))
        return bl_verdict_of(row->predicted, row->measured_lo, row->measured_hi, bench->tolerance);
    if (row->direction != BL_ANY_DIRECTION)
        return bl_verdict_of_direction(row->direction, row->measured_lo, row->measured_hi);
    return BL_NO_RULE;
}

static void fill_row(const struct bl_bench *bench, const struct bl_plan_item *item,
                     const struct bl_measurement *measurement, struct bl_row *row)
{
    /* The sampler compares rounds; the row compares work. */
    const double scale = item->own.work.units / item->baseline.work.units;
    row->measured = scale * measurement->ratio.median;
    row->measured_lo = scale * measurement->ratio.lo;
    row->measured_hi = scale * measurement->ratio.hi;
    row->samples = measurement->samples;
    row->sample_ratios = measurement->ratios;
    for (size_t i = 0; i < measurement->samples; i++)
        row->sample_ratios[i] *= scale;
    row->status = measurement->settled ? BL_ROW_OK : BL_ROW_NOISY;
    row->verdict = judge(bench, row);
    bl_row_conclude(row, bench->tolerance);
    const double compute_units = bench->device->compute_units;
    row->case_ns = measurement->case_round_ns * compute_units / item->own.work.units;
    row->baseline_ns = measurement->baseline_round_ns * compute_units / item->baseline.work.units;
    fill_throughput(bench->device, &item->own.work, measurement->case_round_ns, row);
}

/* Spills are never meant outside private memory; there, where the array went is the point. */
static void note_private(const struct bl_bench *bench, const struct bl_runner *runner,
                         struct bl_row *row)
{
    const struct bl_private_bytes bytes = bl_kernel_private_bytes(bench->session, runner->kernel);
    if (bytes.spilled > 0)
        snprintf(row->note, sizeof row->note, "spills %llu bytes",
                 (unsigned long long)bytes.spilled);
    else if (bytes.in_memory > 0 && runner->workload->launch.memory == BL_MEMORY_PRIVATE &&
             bench->device->type == BL_DEVICE_GPU) /* a CPU's driver reports a constant */
        snprintf(row->note, sizeof row->note, "%llu bytes of private memory a work-item",
                 (unsigned long long)bytes.in_memory);
}

static void note_clocks(const struct bl_bench *bench, struct bl_row *row)
{
    const double cpu_mhz = bl_cpu_mhz(""), gpu_mhz = bl_gpu_mhz("", bench->device->vendor_id);
    const bool is_gpu = bench->device->type == BL_DEVICE_GPU;
    row->cpu_mhz = cpu_mhz > 0 ? cpu_mhz : NAN;
    row->device_mhz = is_gpu && gpu_mhz > 0 ? gpu_mhz : NAN;
}

enum bl_status bl_measure_case(const struct bl_bench *bench, const struct bl_plan_item *item,
                               struct bl_row *row, struct bl_error *error)
{
    const uint64_t began_ns = bl_host_now_ns();
    const struct bl_sampler_settings settings = settings_for(bench);
    struct bl_runner baseline = {0}, runner = {0};
    struct bl_measurement measurement;
    enum bl_status status = bl_runner_open(bench->session, &item->baseline, &baseline, error);
    if (status == BL_OK)
        status = bl_runner_open(bench->session, &item->own, &runner, error);
    if (status == BL_OK)
        note_private(bench, &runner, row);
    if (status == BL_OK) {
        status = bl_measure(&baseline.subject, &runner.subject, &settings, &measurement, error);
        note_clocks(bench, row); /* while the device still runs as it did */
    }
    bl_runner_close(&runner);
    bl_runner_close(&baseline);

    row->seconds = (double)(bl_host_now_ns() - began_ns) * 1e-9;
    if (status == BL_OK) {
        fill_row(bench, item, &measurement, row);
        status = check_limit(bench, &item->own.work, row, error);
    }
    if (status != BL_OK)
        refuse(row, bl_row_status_of(status), error);
    return status;
}
