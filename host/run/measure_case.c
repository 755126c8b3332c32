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

struct bl_row bl_planned_row(const struct bl_plan_item *item, const struct bl_machine *machine)
{
    const struct bl_workload *own = &item->own, *baseline = &item->baseline;
    const struct bl_launch *launch = &own->launch;
    struct bl_row row = bl_row_empty();
    snprintf(row.machine, sizeof row.machine, "%s", machine->name);
    snprintf(row.case_id, sizeof row.case_id, "%s", item->test_case->id);
    snprintf(row.suite, sizeof row.suite, "%.*s", (int)strcspn(item->test_case->id, "/"),
             item->test_case->id);
    snprintf(row.memory, sizeof row.memory, "%s", bl_memory_name(launch->memory));
    snprintf(row.type, sizeof row.type, "%s", own->type_name);
    snprintf(row.shape, sizeof row.shape, "%ux%u", launch->shape.x, launch->shape.y);
    row.lanes = launch->lanes;
    row.working_set_bytes = own->working_set_bytes;
    row.claim = item->claim;
    row.direction = item->test_case->direction;
    row.status = item->status;
    snprintf(row.reason, sizeof row.reason, "%s", item->reason);
    snprintf(row.note, sizeof row.note, "%s", own->note);
    row.lines = own->lines;
    row.sectors = own->sectors;
    row.bank_passes = own->bank_passes;
    row.predicted = (baseline->clocks / baseline->work) / (own->clocks / own->work);
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

static void fill_throughput(const struct bl_bench *bench, const struct bl_workload *workload,
                            double round_ns, struct bl_row *row)
{
    const double compute_units = bench->device->compute_units;
    if (workload->requests > 0)
        row->ns_per_request = round_ns * compute_units / workload->requests;
    if (workload->bytes <= 0)
        return;
    row->gbytes_per_s = workload->bytes / round_ns;
    if (bench->device->clock_mhz)
        row->bytes_per_clock_cu =
            row->gbytes_per_s * 1e3 / bench->device->clock_mhz / compute_units;
}

static enum bl_status check_limit(const struct bl_bench *bench, const struct bl_plan_item *item,
                                  const struct bl_row *row, struct bl_error *error)
{
    const struct bl_machine *machine = bench->machine;
    if (!machine->has_rule || !item->own.limited_by_banks || !isfinite(row->bytes_per_clock_cu))
        return BL_OK;
    const double limit = (double)machine->banks * machine->bank_bytes * bench->device->bank_arrays /
                         bench->device->compute_units * item->own.bytes_per_delivered;
    if (row->bytes_per_clock_cu <= limit * LIMIT_MARGIN)
        return BL_OK;
    return bl_fail(error, BL_IMPOSSIBLE,
                   "%.1f bytes a clock and compute unit, and machine %s has a limit of %.1f here "
                   "(%u banks of %u bytes)",
                   row->bytes_per_clock_cu, machine->name, limit, machine->banks,
                   machine->bank_bytes);
}

/* Takes the numbers out of a row that must not have any. */
static void refuse(struct bl_row *row, enum bl_row_status status, const struct bl_error *error)
{
    row->measured = row->measured_lo = row->measured_hi = NAN;
    row->bytes_per_clock_cu = row->gbytes_per_s = row->ns_per_request = NAN;
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
    const double scale = item->own.work / item->baseline.work;
    row->measured = scale * measurement->ratio.median;
    row->measured_lo = scale * measurement->ratio.lo;
    row->measured_hi = scale * measurement->ratio.hi;
    row->samples = measurement->samples;
    row->sample_ratios = measurement->ratios;
    for (size_t i = 0; i < measurement->samples; i++)
        row->sample_ratios[i] *= scale;
    row->status = measurement->settled ? BL_ROW_OK : BL_ROW_NOISY;
    row->verdict = judge(bench, row);
    fill_throughput(bench, &item->own, measurement->case_round_ns, row);
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
             bench->device->type == BL_DEVICE_GPU) /* a CPU's driver tells a constant */
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
        status = check_limit(bench, item, row, error);
    }
    if (status != BL_OK)
        refuse(row, bl_row_status_of(status), error);
    return status;
}
