/* Measures a case and its baseline alternately (measure/sampler.h) and judges the result. Checks
 * whether the model applies to what the device really did (its sub-group size, private arrays kept
 * in registers, data that overflow a cache), and whether the throughput is physically possible. */
#include "run/measure_case.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "measure/host_info.h"
#include "report/row.h"
#include "run/plan.h"
#include "run/runner.h"

/* A throughput above this many times the banks' limit is an error of the measurement. The margin
 * covers the rounding of the clock that the driver reports, and differences between clocks. */
static const double LIMIT_MARGIN = 1.03;

/* The bytes per clock that a compute unit's banks can deliver. If the banks are not known for
 * certain, the maximum over the alternatives. */
static double bank_limit(const struct bl_bench *bench)
{
    const struct bl_machine *machine = bench->machine;
    unsigned bytes = machine->banks * machine->bank_bytes;
    for (unsigned i = 0; i < bl_machine_alternatives(machine); i++) {
        const struct bl_banks banks = machine->banks_alternatives[i];
        bytes = banks.count * banks.bytes > bytes ? banks.count * banks.bytes : bytes;
    }
    return (double)bytes * bench->device->bank_arrays / bench->device->compute_units;
}

/* Whether the workload's rule covers its data; the rule of global memory does so only while they
 * stay in the first cache. */
static bool stays_in_cache(const struct bl_machine *machine, const struct bl_workload *workload)
{
    return workload->launch.memory != BL_MEMORY_GLOBAL || workload->level ||
           machine->cache_bytes == 0 || workload->work.working_set_bytes <= machine->cache_bytes ||
           !isfinite(workload->cost.clocks);
}

/* Whether banks limit the baseline: whether its throughput reaches min_share of what the banks can
 * deliver. Also true if min_share is 0, or if the device's clock is unknown. */
static bool is_bound(const struct bl_bench *bench, const struct bl_work *baseline, double round_ns)
{
    if (baseline->min_share <= 0 || !bench->device->clock_mhz)
        return true;
    const double bytes_per_clock_cu =
        baseline->bytes / round_ns * 1e3 / bench->device->clock_mhz / bench->device->compute_units;
    return bytes_per_clock_cu >= baseline->min_share * bank_limit(bench);
}

static bool is_its_own_baseline(const struct bl_plan_item *item)
{
    const struct bl_shape own = item->own.launch.shape, other = item->baseline.launch.shape;
    return strcmp(item->test_case->id, item->test_case->baseline) == 0 && own.x == other.x &&
           own.y == other.y;
}

/* Why the model has no cost for the item or its baseline, as a static string; NULL if both have a
 * cost. */
static const char *why_no_prediction(const struct bl_plan_item *item)
{
    const char *const own = item->own.cost.why_none;
    return own ? own : item->baseline.cost.why_none;
}

/* The tolerance, a fraction, that a prediction needs because cards of one model differ. */
static double between_cards(const struct bl_workload *own)
{
    return own->level ? own->level->cards_percent / 100.0 : 0;
}

enum bl_verdict bl_row_verdict(const struct bl_bench *bench, const struct bl_plan_item *item,
                               const struct bl_occupancy_evidence *evidence,
                               const struct bl_row *row, const char **why_none)
{
    const struct bl_machine *machine = bench->machine;
    *why_none = NULL;
    if (!machine->has_rule)
        return BL_NO_RULE;
    if (!bl_device_is_described(bench->device, machine))
        *why_none = BL_OTHER_DEVICE;
    if (is_its_own_baseline(item))
        return BL_BASELINE;
    if (*why_none)
        return BL_NO_RULE;
    if (!stays_in_cache(machine, &item->own) || !stays_in_cache(machine, &item->baseline))
        return BL_NO_RULE;
    if (evidence->in_registers ||
        !is_bound(bench, &item->baseline.work, evidence->baseline_round_ns)) {
        *why_none =
            evidence->in_registers
                ? "the private array stayed in registers"
                : "the baseline is not limited by banks, so the rule of banks does not apply";
        return BL_NO_RULE;
    }
    if (isfinite(row->predicted))
        return bl_verdict_of(row->predicted, row->measured_lo, row->measured_hi,
                             fmax(bench->tolerance, between_cards(&item->own)));
    if (row->direction != BL_ANY_DIRECTION)
        return bl_verdict_of_direction(row->direction, row->measured_lo, row->measured_hi);
    *why_none = why_no_prediction(item);
    return BL_NO_RULE;
}

enum bl_status bl_check_limit(const struct bl_bench *bench, const struct bl_work *work,
                              const struct bl_row *row, struct bl_error *error)
{
    const struct bl_machine *machine = bench->machine;
    const double limit = bank_limit(bench) * work->bytes_per_delivered;
    /* The comparison is false if either side is NAN. */
    if (!machine->has_rule || !(row->bytes_per_clock_cu > limit * LIMIT_MARGIN) ||
        !bl_device_is_described(bench->device, machine))
        return BL_OK;
    return bl_fail(
        error, BL_IMPOSSIBLE,
        "measured %.1f bytes per clock and compute unit, but the limit of machine %s is %.1f "
        "(%u banks of %u bytes)",
        row->bytes_per_clock_cu, machine->name, limit, machine->banks, machine->bank_bytes);
}

enum bl_status bl_check_memory_limit(const struct bl_bench *bench, const struct bl_workload *of,
                                     double round_ns, struct bl_error *error)
{
    const double peak = bench->gpu.memory_gbytes_per_s; /* NAN or 0 if unknown */
    if (of->level != &bench->machine->levels[BL_LEVEL_MEMORY] || !(peak > 0))
        return BL_OK;
    /* A lower bound of the bytes per ns that memory delivers: granules that requests of a group
     * share count once, and bytes that no lane needs are left out. */
    const double fetched =
        of->cost.fetched_together[BL_LEVEL_MEMORY] * of->level->granule_bytes * of->work.requests;
    const double moved = (of->work.bytes < fetched ? of->work.bytes : fetched) / round_ns;
    if (!(moved > peak)) /* also returns if `moved` is NAN */
        return BL_OK;
    return bl_fail(
        error, BL_IMPOSSIBLE,
        "measured %.0f GB/s, but the memory's bandwidth is %.0f: part of the data came from "
        "a cache",
        moved, peak);
}

static double clock_of_gpu(void *gpu) { return bl_gpu_mhz(gpu); }

static struct bl_sampler_settings settings_for(const struct bl_bench *bench, unsigned placements)
{
    const double resolution_ns = bench->device->timer_resolution_ns;
    const bool is_gpu = bench->device->type == BL_DEVICE_GPU;
    /* Launches are as short on a CPU as on a GPU, because on a busy CPU the median of many short
     * samples varies less than the median of a few long samples. */
    const double min_ns = 0.35e6;
    const double longest_ns = is_gpu ? 100e6 : 1e9; /* a GPU's watchdog kills long launches */
    const double budget_s = bench->quick ? 0.15 : is_gpu ? 0.2 : 0.6;
    return (struct bl_sampler_settings){
        .launch_ns = fmin(bl_launch_length_ns(resolution_ns, min_ns), longest_ns / 2),
        .longest_ns = longest_ns,
        .resolution_ns = resolution_ns,
        .placements = placements,
        .watch_clock = is_gpu,
        .clock_mhz = clock_of_gpu,
        .clock_context = (void *)(uintptr_t)&bench->gpu,
        /* At least one sample per placement, if there are enough placements for an interval. */
        .stopping = {.min_samples = placements >= BL_QUICK_PLACEMENTS ? placements : BL_MIN_SAMPLES,
                     .max_samples = 200,
                     .precision = bench->precision > 0 ? bench->precision : 0.005,
                     .budget_s = bench->seconds > 0 ? bench->seconds : budget_s},
    };
}

/* Records the level whose rule gives the prediction, and the bottleneck. */
static void name_rule(const struct bl_workload *own, const struct bl_machine *machine,
                      struct bl_row *row)
{
    const char *level = machine->cache_name;
    if (own->level)
        level = own->level->name;
    else if (own->launch.memory == BL_MEMORY_LOCAL)
        level = "local";
    else if (own->launch.memory == BL_MEMORY_CONSTANT && !machine->constant_is_global)
        level = "";
    if (own->level || own->build.expression || isfinite(row->predicted))
        snprintf(row->level, sizeof row->level, "%s", level);
    const char *bound = own->cost.bound ? own->cost.bound : bl_bound_of(machine, &own->cost);
    if (bound && isfinite(row->predicted))
        snprintf(row->bound, sizeof row->bound, "%s", bound);
}

/* Fills in the prediction if the machine's alternatives agree on one prediction; otherwise lists
 * all their predictions in the note. */
static void fill_alternatives(const struct bl_plan_item *item, struct bl_row *row)
{
    const struct bl_alternative *all = item->alternatives;
    bool agree = item->alternative_count > 0;
    for (unsigned i = 0; i < item->alternative_count; i++)
        agree &= fabs(all[i].predicted - all[0].predicted) < 1e-9;
    if (agree)
        row->predicted = all[0].predicted;
    if (agree || item->alternative_count == 0)
        return;
    char text[BL_NOTE_BYTES] = "predicted";
    for (unsigned i = 0; i < item->alternative_count; i++)
        bl_text_add(text, sizeof text, "%s %.4g by %u banks of %u bytes", i ? "," : "",
                    all[i].predicted, all[i].banks.count, all[i].banks.bytes);
    bl_add_note(row->note, "%s", text);
    memcpy(row->alternatives, all, sizeof row->alternatives);
    row->alternative_count = item->alternative_count;
}

/* Fills in the columns that come from the claim and the model. */
static void fill_model(const struct bl_plan_item *item, const struct bl_machine *machine,
                       struct bl_row *row)
{
    const struct bl_workload *own = &item->own;
    row->key.lanes = own->launch.lanes;
    row->claim = item->claim;
    row->claim_to = item->test_case->claim_to > 0 ? item->test_case->claim_to : NAN;
    if (isfinite(item->claim))
        snprintf(row->claim_source, sizeof row->claim_source, "%s",
                 item->test_case->claim_is_derived ? BL_CLAIM_DERIVED : BL_CLAIM_PRINTED);
    else
        row->claim_source[0] = '\0';
    row->lines = own->cost.lines;
    row->sectors = own->cost.sectors;
    row->bank_passes = own->cost.bank_passes;
    row->predicted = bl_predicted_ratio(own, &item->baseline);
    fill_alternatives(item, row);
    row->bound[0] = '\0';
    name_rule(own, machine, row);
    if (is_its_own_baseline(item) && machine->has_rule && item->status == BL_ROW_OK)
        row->predicted = 1; /* a baseline is compared with itself */
    else if (isfinite(row->predicted) && between_cards(own) > 0)
        bl_add_note(row->note,
                    "tolerance %g %% because measured cards of one model differ by up to this much",
                    100 * between_cards(own));
}

struct bl_row bl_planned_row(const struct bl_plan_item *item, const struct bl_machine *machine)
{
    const struct bl_workload *own = &item->own;
    const struct bl_launch *launch = &own->launch;
    struct bl_row row = bl_row_empty();
    snprintf(row.key.machine, sizeof row.key.machine, "%s", machine->name);
    snprintf(row.key.case_id, sizeof row.key.case_id, "%s", item->test_case->id);
    bl_suite_of(item->test_case->id, row.suite);
    snprintf(row.memory, sizeof row.memory, "%s", bl_memory_name(launch->memory));
    snprintf(row.key.type, sizeof row.key.type, "%s", launch->type->name);
    snprintf(row.key.shape, sizeof row.key.shape, "%ux%u", launch->shape.x, launch->shape.y);
    row.key.working_set_bytes = own->work.working_set_bytes;
    row.direction = item->test_case->direction ? item->test_case->direction : own->direction;
    row.status = item->status;
    snprintf(row.reason, sizeof row.reason, "%s", item->reason);
    snprintf(row.note, sizeof row.note, "%s", own->note);
    fill_model(item, machine, &row);
    return row;
}

/* Adds the reason to the row's note, unless the note has it already. */
static void note_why_none(const char *why_none, struct bl_row *row)
{
    if (why_none && !strstr(row->note, why_none))
        bl_add_note(row->note, "%s", why_none);
}

struct bl_row bl_predicted_row(const struct bl_plan_item *item, const struct bl_machine *machine)
{
    struct bl_row row = bl_planned_row(item, machine);
    if (machine->has_rule && !isfinite(row.predicted) && !row.direction)
        note_why_none(why_no_prediction(item), &row);
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
    const struct bl_sampler_settings settings = settings_for(bench, 1);
    struct bl_runner runner;
    struct bl_timing timing;
    struct bl_lengths rounds = {1, 1};
    enum bl_status status = bl_runner_open(bench->session, &item->baseline, &runner, error);
    if (status == BL_OK)
        status = bl_calibrate(&runner.subject, &settings, &rounds, error);
    const uint64_t began_ns = bl_host_now_ns();
    while (status == BL_OK && bl_host_now_ns() - began_ns < long_enough_ns)
        status = runner.subject.launch(&runner, 0, rounds.shorter, &timing, error);
    bl_runner_close(&runner);
    return status;
}

/* Fills in the throughputs, and the time per request, that follow from this time per round. */
static void fill_throughput(const struct bl_bench *bench, const struct bl_workload *own,
                            double round_ns, struct bl_row *row)
{
    const struct bl_device *device = bench->device;
    const struct bl_work *work = &own->work;
    row->ns_per_request = round_ns * device->compute_units / work->requests;
    row->gbytes_per_s = work->bytes / round_ns;
    if (device->clock_mhz)
        row->bytes_per_clock_cu =
            row->gbytes_per_s * 1e3 / device->clock_mhz / device->compute_units;
    /* Memory throughput is counted in granules that requests fetch. Their number is unknown without
     * a model. */
    if (own->level && isfinite(own->cost.clocks))
        row->fetched_gbytes_per_s = own->cost.fetched[own->level - bench->machine->levels] *
                                    own->level->granule_bytes * work->requests / round_ns;
}

/* Clears a row's numbers, and sets its status and the reason why it has no numbers. */
static void refuse(struct bl_row *row, enum bl_row_status status, const struct bl_error *error)
{
    row->measured = row->measured_lo = row->measured_hi = row->distance = NAN;
    row->case_ns = row->case_ns_lo = row->case_ns_hi = NAN;
    row->baseline_ns = row->baseline_ns_lo = row->baseline_ns_hi = NAN;
    row->fetched_gbytes_per_s = row->bytes_per_clock_cu = row->gbytes_per_s = NAN;
    row->ns_per_request = NAN;
    row->placements = 0;
    row->placement_ratios[0] = '\0';
    row->claim_verdict = BL_NO_VERDICT;
    free(row->sample_ratios);
    row->sample_ratios = NULL;
    row->verdict = BL_NO_VERDICT;
    row->status = status;
    snprintf(row->reason, sizeof row->reason, "%s", error->sentence);
}

static void fill_row(const struct bl_bench *bench, const struct bl_plan_item *item,
                     const struct bl_measurement *measurement, bool in_registers,
                     struct bl_row *row)
{
    /* The sampler compares times per round; the row compares times per unit of work. */
    const double scale = item->own.work.units / item->baseline.work.units;
    row->measured = scale * measurement->ratio.median;
    row->measured_lo = scale * measurement->ratio.lo;
    row->measured_hi = scale * measurement->ratio.hi;
    row->samples = measurement->samples;
    row->placements = measurement->placements;
    double at_placements[BL_MAX_PLACEMENTS];
    for (size_t i = 0; i < BL_MAX_PLACEMENTS; i++)
        at_placements[i] = scale * measurement->placement_ratios[i];
    bl_row_set_placement_ratios(row, at_placements, BL_MAX_PLACEMENTS);
    row->sample_ratios = measurement->ratios;
    for (size_t i = 0; i < measurement->samples; i++)
        row->sample_ratios[i] *= scale;
    row->status = measurement->settled ? BL_ROW_OK : BL_ROW_NOISY;
    const char *why_none;
    const struct bl_interval *own = &measurement->case_round_ns;
    const struct bl_interval *baseline = &measurement->baseline_round_ns;
    const struct bl_occupancy_evidence evidence = {in_registers, baseline->median};
    row->verdict = bl_row_verdict(bench, item, &evidence, row, &why_none);
    bl_row_conclude(row, bench->tolerance);
    note_why_none(why_none, row);
    const double own_scale = bench->device->compute_units / item->own.work.units;
    const double baseline_scale = bench->device->compute_units / item->baseline.work.units;
    row->case_ns = own->median * own_scale;
    row->case_ns_lo = own->lo * own_scale;
    row->case_ns_hi = own->hi * own_scale;
    row->baseline_ns = baseline->median * baseline_scale;
    row->baseline_ns_lo = baseline->lo * baseline_scale;
    row->baseline_ns_hi = baseline->hi * baseline_scale;
    fill_throughput(bench, &item->own, own->median, row);
    const struct bl_placed_findings *found = &measurement->findings;
    if (found->at_levels[0])
        bl_add_note(row->note,
                    "two levels, by placement: %.4f at %u of %u placements, %.4f at the others",
                    found->levels[0] * scale, found->at_levels[0],
                    found->at_levels[0] + found->at_levels[1], found->levels[1] * scale);
    if (found->drift != 0)
        bl_add_note(row->note, "the ratio drifted by %+.1f %% during the measurement",
                    100 * found->drift);
    if (found->correlation > 0)
        bl_add_note(row->note, "consecutive samples are correlated (%.1f)", found->correlation);
    if (measurement->clock_fell)
        bl_add_note(row->note, "the clock fell during %zu of %zu samples, which were discarded",
                    measurement->clock_fell, measurement->clock_fell + measurement->samples);
}

/* Whether the driver reports that a private array is in registers, although the case must measure
 * it in memory. */
static bool is_in_registers(const struct bl_bench *bench, const struct bl_runner *runner)
{
    const struct bl_private_bytes bytes = bl_kernel_private_bytes(bench->session, runner->kernel);
    return runner->workload->build.array_in_memory && bench->device->type == BL_DEVICE_GPU &&
           bytes.in_memory == 0 && bytes.spilled == 0;
}

/* Notes what the driver reports about private memory: spilled bytes, or for cases of private memory
 * the bytes that lie in memory. */
static void note_private(const struct bl_bench *bench, const struct bl_runner *runner,
                         struct bl_row *row)
{
    const struct bl_private_bytes bytes = bl_kernel_private_bytes(bench->session, runner->kernel);
    if (bytes.spilled > 0)
        bl_add_note(row->note, "spills %llu bytes", (unsigned long long)bytes.spilled);
    else if (bytes.in_memory > 0 && runner->workload->launch.memory == BL_MEMORY_PRIVATE &&
             bench->device->type == BL_DEVICE_GPU) /* a CPU's driver always reports the same
                                                      number */
        bl_add_note(row->note, "%llu bytes of private memory per work-item",
                    (unsigned long long)bytes.in_memory);
}

/* Fills in the column `kernels`: a hash of the case's kernel, the baseline's kernel and the
 * sampler's version. Two rows are comparable only if their hashes are equal. */
static void name_kernels(const struct bl_runner *runner, const struct bl_runner *baseline,
                         struct bl_row *row)
{
    const uint64_t parts[] = {bl_kernel_hash(runner->kernel), bl_kernel_hash(baseline->kernel),
                              BL_SAMPLER_VERSION};
    const uint64_t hash = bl_hash_add(BL_HASH_BEGIN, parts, sizeof parts);
    snprintf(row->kernels, sizeof row->kernels, "%012" PRIx64, hash >> 16);
}

/* Records clocks and throttling right after the last launch, before the device slows down. */
static void note_state(struct bl_bench *bench, struct bl_row *row)
{
    const double cpu_mhz = bl_cpu_mhz("");
    struct bl_gpu_state state;
    row->cpu_mhz = cpu_mhz > 0 ? cpu_mhz : NAN;
    if (bench->device->type != BL_DEVICE_GPU)
        return;
    bl_gpu_read(&bench->gpu, &state);
    row->device_mhz = state.mhz;
    row->device_watts = state.watts;
    snprintf(row->throttled, sizeof row->throttled, "%s", state.throttled);
    if (state.throttled[0])
        bl_add_note(row->note, "the GPU's clock was throttled during the measurement: %s",
                    state.throttled);
}

static bool is_known(const struct bl_known_baseline *known, const struct bl_runner *runner)
{
    const struct bl_dispatch *one = &known->dispatch, *other = &runner->dispatch;
    return known->kernel == runner->kernel && one->shape.x == other->shape.x &&
           one->shape.y == other->shape.y && one->groups == other->groups &&
           one->data_bytes == other->data_bytes;
}

static bool has_lanes_it_needs(const struct bl_workload *workload, size_t sub_group_size)
{
    return !workload->build.needs_required_lanes || sub_group_size == 0 ||
           sub_group_size == workload->build.required_lanes;
}

/* Adapts the prediction to the sub-group sizes with which the driver actually runs the kernels; a
 * driver may ignore the required size. Does nothing unless the device is a GPU, because only GPUs
 * have rules. Returns false if the kernels would compute something else with these sizes. */
static bool hold_against_sub_groups(const struct bl_bench *bench, const struct bl_runner *own,
                                    const struct bl_runner *baseline, struct bl_plan_item *item,
                                    struct bl_row *row)
{
    if (bench->device->type != BL_DEVICE_GPU)
        return true;
    const struct bl_sub_group_sizes sizes = {
        bl_session_sub_group_size(bench->session, own->kernel, &own->dispatch),
        bl_session_sub_group_size(bench->session, baseline->kernel, &baseline->dispatch)};
    if (!has_lanes_it_needs(&item->own, sizes.own) ||
        !has_lanes_it_needs(&item->baseline, sizes.baseline))
        return false;
    if (bl_item_in_sub_groups(item, bench->machine, &sizes)) {
        snprintf(row->note, sizeof row->note, "%s", item->own.note);
        fill_model(item, bench->machine, row);
    }
    return true;
}

/* Samples case and baseline, and remembers the baseline's launch lengths. */
static enum bl_status sample(struct bl_bench *bench, struct bl_runner *own,
                             struct bl_runner *baseline, const struct bl_sampler_settings *settings,
                             struct bl_measurement *measurement, struct bl_error *error)
{
    struct bl_runner *const runners[] = {baseline, own};
    const bool is_gpu =
        bench->device->type == BL_DEVICE_GPU; /* short samples are better on a CPU (settings_for) */
    for (size_t i = 0; i < 2; i++) {
        if (is_known(&bench->baseline, runners[i]))
            runners[i]->subject.known = bench->baseline.rounds;
        runners[i]->subject.settles_slowly = is_gpu && runners[i]->workload->work.settles_slowly;
    }
    const enum bl_status status =
        bl_measure(&baseline->subject, &own->subject, settings, measurement, error);
    bench->baseline.kernel = NULL;
    if (status == BL_OK)
        bench->baseline = (struct bl_known_baseline){baseline->kernel, baseline->dispatch,
                                                     measurement->baseline_rounds};
    return status;
}

/* Whether this failure is expected, because the case tests that the driver refuses a launch with
 * more local memory than a group can have. If so, adds both sizes to the error. */
static bool was_to_fail(const struct bl_bench *bench, const struct bl_runner *runner,
                        enum bl_status status, struct bl_error *error)
{
    if (status != BL_OPENCL_FAILED || !runner->workload || runner->checked_count > 0)
        return false;
    const struct bl_buffers *own = &runner->workload->buffers;
    if (own->local_bytes <= bench->device->local_bytes)
        return false;
    bl_error_context(error,
                     "needs %zu bytes of local memory, and a group has at most %" PRIu64
                     "; the driver says",
                     own->local_bytes, bench->device->local_bytes);
    return true;
}

enum bl_status bl_measure_case(struct bl_bench *bench, const struct bl_plan_item *planned,
                               struct bl_row *row, struct bl_error *error)
{
    const uint64_t began_ns = bl_host_now_ns();
    struct bl_plan_item as_run = *planned, *const item = &as_run;
    struct bl_arrays arrays = bench->arrays;
    bool in_registers = false, has_lanes = true;
    struct bl_runner baseline = {0}, runner = {0};
    struct bl_measurement measurement;
    enum bl_status status = BL_OK;
    if (!arrays.placements)
        status = bl_place(bench, item, 1, &arrays, error);
    if (status == BL_OK)
        status = bl_runner_open(bench->session, &item->baseline, &baseline, error);
    if (status == BL_OK)
        status = bl_runner_open(bench->session, &item->own, &runner, error);
    if (status == BL_OK)
        has_lanes = hold_against_sub_groups(bench, &runner, &baseline, item, row);
    if (!has_lanes)
        status =
            bl_fail(error, BL_OPENCL_FAILED,
                    "it needs sub-group size %u; the driver accepted this requirement but runs "
                    "the kernel with another size",
                    item->own.build.required_lanes);
    if (status == BL_OK) {
        if (arrays.why_fewer[0])
            bl_add_note(row->note, "only %u placements: %s", arrays.placements, arrays.why_fewer);
        name_kernels(&runner, &baseline, row);
        status = bl_check_kernels(bench, &runner, &baseline, row, error);
    }
    if (status == BL_OK) {
        note_private(bench, &runner, row);
        in_registers = is_in_registers(bench, &runner) || is_in_registers(bench, &baseline);
        const struct bl_sampler_settings settings = settings_for(bench, arrays.placements);
        status = sample(bench, &runner, &baseline, &settings, &measurement, error);
        note_state(bench, row);
    }
    bl_runner_close(&runner);
    bl_runner_close(&baseline);

    row->seconds = (double)(bl_host_now_ns() - began_ns) * 1e-9;
    if (status == BL_OK) {
        fill_row(bench, item, &measurement, in_registers, row);
        status = bl_check_limit(bench, &item->own.work, row, error);
        if (status == BL_OK)
            status =
                bl_check_memory_limit(bench, &item->own, measurement.case_round_ns.median, error);
        if (status == BL_OK)
            status = bl_check_memory_limit(bench, &item->baseline,
                                           measurement.baseline_round_ns.median, error);
    }
    const bool is_unsupported = !has_lanes || was_to_fail(bench, &runner, status, error);
    if (status != BL_OK)
        refuse(row, is_unsupported ? BL_ROW_UNSUPPORTED : bl_row_status_of(status), error);
    return status;
}
