/* Tests the plan of a run on simulated devices: which cases it has, in which shapes, with which
 * claims. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "../kernels/numbers.h"
#include "model/launch.h"
#include "report/layout.h"
#include "report/row.h"
#include "run/run.h"
#include "suites.h"

static const struct bl_device gpu = {
    .name = "Made-up GPU",
    .type = BL_DEVICE_GPU,
    .compute_units = 4,
    .local_bytes = 65536,
    .max_group_items = 256,
    .max_items = {256, 64},
    .memory_bytes = 1ull << 33,
    .max_buffer_bytes = 1ull << 31,
};

static size_t count;
static struct bl_plan_item *items;
static struct bl_error error;

static const struct bl_machine *machine_named(const char *name)
{
    const struct bl_machine *machine;
    cr_assert_eq(bl_machine_find(name, &machine, NULL), BL_OK);
    return machine;
}

static enum bl_status plan(const struct bl_plan_filter *filter, const char *name,
                           const struct bl_device *device)
{
    free(items);
    const struct bl_catalogue catalogue = bl_suites();
    return bl_plan(&catalogue, filter, machine_named(name), device, &items, &count, &error);
}

/* The suites of the guides' numbered cases, and the suite `shape`, in which one array is read by
 * groups of several shapes. */
static const char *const numbered[] = {"global/*", "local/*", "shape/*"};

static bool has(const char *id, unsigned x, unsigned y)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(items[i].test_case->id, id) == 0 && items[i].own.launch.shape.x == x &&
            items[i].own.launch.shape.y == y)
            return true;
    return false;
}

Test(plan, thirteen_cases_have_three_shapes_and_the_suite_shape_has_five_rows)
{
    const struct bl_plan_filter filter = {.selectors = numbered, .selector_count = 3};
    cr_assert_eq(plan(&filter, "intel-gen9", &gpu), BL_OK);
    cr_assert_eq(count, 13 * 3 + 5);
    cr_assert(has("global/6", 16, 1) && has("global/6", 4, 4) && has("global/6", 1, 16));
    cr_assert(has("local/7", 16, 1) && has("local/7", 4, 4) && has("local/7", 1, 16));
    cr_assert(has("shape/other", 8, 2) && has("shape/other", 2, 8));
    cr_assert(has("shape/column", 1, 16));
}

Test(plan, a_suites_name_selects_its_cases)
{
    const struct bl_plan_filter glob = {.selectors = &numbered[1], .selector_count = 1};
    cr_assert_eq(plan(&glob, "nvidia-hopper", &gpu), BL_OK);
    const size_t expected = count;
    const struct bl_plan_filter suite = {.selectors = (const char *const[]){"local"},
                                         .selector_count = 1};
    cr_assert_eq(plan(&suite, "nvidia-hopper", &gpu), BL_OK, "%s", error.sentence);
    cr_assert_eq(count, expected);
    const struct bl_plan_filter part = {.selectors = (const char *const[]){"loca"},
                                        .selector_count = 1};
    cr_assert_eq(plan(&part, "nvidia-hopper", &gpu), BL_UNKNOWN_CASE);
    const struct bl_plan_filter none = {.selectors = (const char *const[]){""},
                                        .selector_count = 1};
    cr_assert_eq(plan(&none, "nvidia-hopper", &gpu), BL_UNKNOWN_CASE);
}

Test(plan, requests_of_16_lanes_and_of_the_machines_lanes_are_measured)
{
    const struct bl_plan_filter filter = {.selectors = numbered, .selector_count = 3};
    cr_assert_eq(plan(&filter, "nvidia-hopper", &gpu), BL_OK);
    cr_assert_eq(count, 2 * (13 * 3 + 5));
    cr_assert(has("local/6", 16, 1) && has("local/6", 32, 1));
    cr_assert(has("local/6", 8, 4) && has("local/6", 1, 32) && has("shape/other", 2, 16));
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(items[i].own.launch.lanes,
                     items[i].own.launch.shape.x * items[i].own.launch.shape.y);
}

Test(plan, quick_plans_only_groups_of_one_row_except_in_the_suite_shape)
{
    const struct bl_plan_filter filter = {
        .selectors = numbered, .selector_count = 3, .quick = true};
    cr_assert_eq(plan(&filter, "cpu", &gpu), BL_OK);
    cr_assert_eq(count, 13 + 5);
    cr_assert(has("global/2", 16, 1) && !has("global/2", 4, 4) && has("shape/square", 4, 4));
}

Test(plan, quick_leaves_out_marked_cases_unless_they_are_selected)
{
    const struct bl_plan_filter all = {.quick = true};
    cr_assert_eq(plan(&all, "cpu", &gpu), BL_OK);
    cr_assert(has("lines/16", 16, 1) && !has("lines/9", 16, 1));
    const char *const selectors[] = {"lines/9"};
    const struct bl_plan_filter one = {.selectors = selectors, .selector_count = 1, .quick = true};
    cr_assert_eq(plan(&one, "cpu", &gpu), BL_OK);
    cr_assert_eq(count, 1);
}

Test(plan, a_claim_applies_only_to_the_shape_of_the_guide)
{
    const struct bl_plan_filter filter = {.selectors = numbered, .selector_count = 3};
    cr_assert_eq(plan(&filter, "nvidia-hopper", &gpu), BL_OK);
    size_t claims = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(items[i].claim))
            continue;
        claims++;
        /* a claim about banks applies to requests of as many lanes as there are banks */
        const unsigned lanes = strncmp(items[i].test_case->id, "local/", 6) == 0 ? 32 : 16;
        cr_assert_eq(items[i].own.launch.lanes, lanes, "%s", items[i].test_case->id);
        if (strncmp(items[i].test_case->id, "shape/", 6) != 0)
            cr_assert_eq(items[i].own.launch.shape.x, lanes);
    }
    cr_assert_eq(claims, 6 + 7 + 3);
}

/* The guides' claims about banks apply only to requests that have as many lanes as there are banks.
 */
Test(plan, a_claim_about_banks_is_left_out_if_lanes_and_banks_differ)
{
    static const char *const ids[] = {"local/*", "column/*", "bank-update/*", "local-write/*"};
    const struct bl_plan_filter filter = {.selectors = ids, .selector_count = 4};
    const struct bl_catalogue catalogue = bl_suites();
    struct bl_machine machine = *machine_named("nvidia-hopper");
    for (unsigned banks = 8; banks <= 64; banks *= 2) {
        machine.banks = banks;
        cr_assert_eq(bl_plan(&catalogue, &filter, &machine, &gpu, &items, &count, &error), BL_OK);
        size_t claims = 0;
        for (size_t i = 0; i < count; i++)
            claims += isfinite(items[i].claim) != 0;
        cr_expect_eq(claims,
                     banks == 32   ? 7 + 2 + 2 + 4
                     : banks == 16 ? 7 + 2 + 4
                                   : 0,
                     "%u banks: %zu claims", banks, claims);
        free(items);
        items = NULL;
    }
}

Test(plan, every_baseline_has_groups_of_one_row_and_as_many_work_items_as_its_case)
{
    const struct bl_plan_filter filter = {.selectors = numbered, .selector_count = 3};
    cr_assert_eq(plan(&filter, "nvidia-hopper", &gpu), BL_OK);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(items[i].baseline.launch.shape.y, 1);
        cr_assert_eq(bl_launch_items(&items[i].baseline.launch),
                     bl_launch_items(&items[i].own.launch));
    }
}

Test(plan, ids_and_globs_select_cases)
{
    const char *const selectors[] = {"local/[57]", "global/1"};
    const struct bl_plan_filter filter = {
        .selectors = selectors, .selector_count = 2, .quick = true};
    cr_assert_eq(plan(&filter, "intel-gen9", &gpu), BL_OK);
    cr_assert_eq(count, 3);
    cr_assert(has("local/5", 16, 1) && has("local/7", 16, 1) && has("global/1", 16, 1));
}

Test(plan, a_selector_that_matches_nothing_is_an_error_even_if_another_one_matches)
{
    const char *const selectors[] = {"local/*", "locale/9"};
    const struct bl_plan_filter filter = {.selectors = selectors, .selector_count = 2};
    cr_assert_eq(plan(&filter, "intel-gen9", &gpu), BL_UNKNOWN_CASE);
    cr_assert(strstr(error.sentence, "locale/9"));
    cr_assert_null(items);
}

Test(plan, a_requested_shape_replaces_all_shapes_of_the_cases_that_take_a_shape)
{
    const struct bl_plan_filter filter = {.shape = {256, 1}};
    cr_assert_eq(plan(&filter, "nvidia-hopper", &gpu), BL_OK);
    cr_assert_eq(count, 13 + 1);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(items[i].status, BL_ROW_OK);
        cr_assert_eq(items[i].own.launch.shape.x, 256);
        cr_assert_eq(items[i].own.launch.lanes, 32);
        cr_assert_not(isfinite(items[i].claim));
    }
}

Test(plan, a_selected_case_that_takes_no_shape_is_skipped_with_a_reason)
{
    const char *const selectors[] = {"shape/*"};
    const struct bl_plan_filter filter = {
        .selectors = selectors, .selector_count = 1, .shape = {8, 8}};
    cr_assert_eq(plan(&filter, "nvidia-hopper", &gpu), BL_OK);
    cr_assert_eq(count, 4);
    for (size_t i = 0; i < count; i++) {
        const bool any = items[i].test_case->shapes.takes_shape;
        cr_assert_eq(items[i].status, any ? BL_ROW_OK : BL_ROW_SKIPPED);
        cr_assert(any || strstr(items[i].reason, "--shape"));
        cr_assert_eq(items[i].own.launch.shape.x == 8, any);
    }
}

Test(plan, a_claim_applies_if_the_shape_of_the_guide_is_requested)
{
    const struct bl_plan_filter filter = {.shape = {16, 1}};
    cr_assert_eq(plan(&filter, "intel-gen9", &gpu), BL_OK);
    cr_assert_float_eq(items[1].claim, 0.5, 0);
}

Test(plan, a_requested_shape_that_does_not_fit_names_the_limits)
{
    const struct bl_shape shapes[] = {{257, 1}, {1, 65}, {32, 16}};
    for (size_t i = 0; i < 3; i++) {
        const struct bl_plan_filter filter = {.shape = shapes[i]};
        cr_assert_eq(plan(&filter, "nvidia-hopper", &gpu), BL_BAD_SHAPE);
        cr_assert(strstr(error.sentence, "256"));
        cr_assert(strstr(error.sentence, "Made-up GPU"));
    }
    const struct bl_plan_filter fits = {.shape = {16, 16}};
    cr_assert_eq(plan(&fits, "nvidia-hopper", &gpu), BL_OK);
}

Test(plan, group_sizes_are_limited_without_a_device_too)
{
    const char *const selectors[] = {"global/1"};
    struct bl_plan_filter filter = {selectors, 1, false, {65536, 65536}};
    cr_assert_eq(plan(&filter, "nvidia-hopper", NULL), BL_BAD_SHAPE,
                 "65536 * 65536 is 0 in 32 bits");
    filter.shape = (struct bl_shape){65536, 2};
    cr_assert_eq(plan(&filter, "nvidia-hopper", NULL), BL_BAD_SHAPE, "%zu items", count);
    cr_assert(strstr(error.sentence, "65536x2 does not fit"), "%s", error.sentence);
    filter.shape = (struct bl_shape){65536, 1};
    cr_assert_eq(plan(&filter, "nvidia-hopper", NULL), BL_OK, "%s", error.sentence);
}

Test(plan, rows_that_need_a_larger_device_are_unsupported_with_a_reason)
{
    struct bl_device small = gpu;
    small.max_group_items = 16;
    small.local_bytes = 1024;
    const struct bl_plan_filter filter = {.selectors = numbered, .selector_count = 3};
    cr_assert_eq(plan(&filter, "nvidia-hopper", &small), BL_OK);
    cr_assert_eq(count, 88);
    for (size_t i = 0; i < count; i++) {
        const bool wide = items[i].own.launch.lanes > 16;
        const bool local = items[i].own.launch.memory == BL_MEMORY_LOCAL;
        cr_assert_eq(items[i].status, wide || local ? BL_ROW_UNSUPPORTED : BL_ROW_OK);
        if (local && !wide)
            cr_assert(strstr(items[i].reason, "1024"), "%s", items[i].reason);
    }
}

Test(plan, a_row_that_is_only_predicted_is_skipped_unless_it_has_another_reason)
{
    const struct bl_machine *machine = machine_named("nvidia-hopper");
    const struct bl_plan_filter filter = {0};
    cr_assert_eq(plan(&filter, "nvidia-hopper", &gpu), BL_OK);
    for (size_t i = 0; i < count; i++) {
        const struct bl_row row = bl_predicted_row(&items[i], machine);
        const bool runs = items[i].status == BL_ROW_OK;
        cr_assert_eq(row.status, runs ? BL_ROW_SKIPPED : items[i].status);
        cr_assert_str_eq(row.reason, runs ? "predicted, not measured" : items[i].reason);
    }
}

/* The program's reference reuses sums, because the data are periodic. This test computes each sum
 * in full. */
Test(plan, convolution_outputs_are_right_in_the_middle_and_at_the_ends)
{
    static const char *const convolution[] = {"convolution/global"};
    const struct bl_plan_filter filter = {.selectors = convolution, .selector_count = 1};
    cr_assert_eq(plan(&filter, "intel-gen9", &gpu), BL_OK);
    const struct bl_workload *workload = &items[0].own;
    const size_t elements = workload->buffers.outputs, period = BL_DATA_PERIOD;
    cr_assert_gt(elements, 3 * period);
    uint32_t *expected = malloc(elements * sizeof *expected);
    cr_assert_eq(workload->check.reference(workload, 1, expected, &error), BL_OK);
    const size_t places[] = {0,
                             1,
                             HALO,
                             2047,
                             2048,
                             period - 1,
                             period,
                             period + HALO - 1,
                             2 * period,
                             elements - HALO - 1,
                             elements / 2,
                             elements - HALO,
                             elements - 1};
    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
        const size_t i = places[p];
        uint32_t sum = 0;
        for (size_t j = 0; j < TAPS; j++)
            if (i + j >= HALO && i + j < elements + HALO)
                sum += bl_data_element(i + j - HALO) * TAP(bl_data_element(j));
        cr_assert_eq(expected[i], sum, "%zu", i);
    }
    free(expected);
}

Test(plan, rows_that_depend_on_unknown_banks_have_a_prediction_per_alternative)
{
    static const char *const selected[] = {"local/1", "local/6", "local/7", "global/6"};
    const struct bl_plan_filter filter = {
        .selectors = selected, .selector_count = 4, .quick = true};
    static const double by_banks[] = {1.0 / 16, 1.0 / 8, 1.0 / 4, 1.0 / 4, 1.0 / 2, 1};
    cr_assert_eq(plan(&filter, "intel-xe2", &gpu), BL_OK);
    const struct bl_machine *machine = machine_named("intel-xe2");
    struct bl_device device = gpu;
    device.vendor_id = 0x8086;
    device.ip_version = BL_IP_VERSION(20, 1);
    const struct bl_bench bench = {.machine = machine, .device = &device, .tolerance = 0.05};
    cr_assert_eq(count, 4);
    for (size_t i = 0; i < count; i++) {
        struct bl_row row = bl_predicted_row(&items[i], machine);
        const bool depends = strcmp(row.key.case_id, "local/6") == 0;
        cr_assert_eq(row.alternative_count, depends ? 6 : 0, "%s", row.key.case_id);
        cr_assert_eq(isfinite(row.predicted), !depends, "%s", row.key.case_id);
        if (!depends)
            continue;
        char text[16];
        for (unsigned a = 0; a < 6; a++)
            cr_assert_float_eq(row.alternatives[a].predicted, by_banks[a], 1e-9, "alternative %u",
                               a);
        cr_assert_str_eq(bl_format_prediction(&row, text), "1/16-1");
        cr_assert(strstr(row.note, "0.0625 by 16 banks of 4 bytes"), "%s", row.note);
        cr_assert(strstr(row.note, "1 by 65 banks of 8 bytes"), "%s", row.note);
        cr_assert(strstr(row.note, "nobody has published the banks of this GPU"), "%s", row.note);
        const struct bl_occupancy_evidence evidence = {false, NAN};
        const char *why;
        row.measured_lo = 0.06, row.measured_hi = 0.065;
        cr_assert_eq(bl_row_verdict(&bench, &items[i], &evidence, &row, &why), BL_NO_RULE);
        cr_assert_eq(why, bl_banks_are_unknown);
    }
}

/* If the banks are unknown, a measured throughput is impossible only if it is above the limits of
 * all possible banks. */
Test(plan, unknown_banks_may_deliver_as_much_as_the_fastest_possible_banks)
{
    struct bl_device device = gpu;
    device.bank_arrays = device.compute_units;
    device.vendor_id = 0x8086;
    device.ip_version = BL_IP_VERSION(12, 60);
    const struct bl_bench bench = {.machine = machine_named("intel-xe-hpc"), .device = &device};
    const struct bl_work work = {.bytes_per_delivered = 1};
    struct bl_row row = bl_row_empty();
    row.bytes_per_clock_cu = 520;
    cr_assert_eq(bl_check_limit(&bench, &work, &row, &error), BL_OK, "%s", error.sentence);
    row.bytes_per_clock_cu = 540;
    cr_assert_eq(bl_check_limit(&bench, &work, &row, &error), BL_IMPOSSIBLE);
}

/* The next tests run items that are prepared but never measured.
 * failures: the status of each preparation. */
static enum bl_status failures[3];
static unsigned prepared, reported;
static char last_reason[768];

static enum bl_status fail_to_prepare(struct bl_run *run, size_t i, struct bl_error *failure)
{
    (void)run;
    prepared++;
    *failure = (struct bl_error){.status = failures[i]};
    return failures[i];
}

static enum bl_status take_row(void *context, const struct bl_row *row,
                               const struct bl_error *failure, struct bl_error *unwritten)
{
    (void)context, (void)failure, (void)unwritten;
    reported++;
    snprintf(last_reason, sizeof last_reason, "%s", row->reason);
    return BL_OK;
}

static enum bl_status run_planned(void)
{
    static const char *const ids[] = {"global/1"};
    static const struct bl_device cpu = {.type = BL_DEVICE_CPU};
    const struct bl_plan_filter filter = {.selectors = ids, .selector_count = 1};
    cr_assert_eq(plan(&filter, "nvidia-hopper", NULL), BL_OK);
    cr_assert_geq(count, 3);
    struct bl_run run = {.items = items, .count = 3, .prepare = fail_to_prepare};
    run.bench.device = &cpu;
    run.bench.machine = machine_named("nvidia-hopper");
    prepared = reported = 0;
    const struct bl_run_callbacks callbacks = {.row = take_row};
    return bl_run_measure(&run, &callbacks, &error);
}

Test(plan, a_preparation_may_fail_after_another_failure)
{
    failures[0] = BL_OPENCL_FAILED;
    failures[1] = failures[2] = BL_NO_MEMORY;
    cr_expect_eq(run_planned(), BL_OPENCL_FAILED, "the first failure is returned");
    cr_expect_eq(prepared, 3);
}

Test(plan, nothing_runs_after_a_preparation_during_which_the_device_hung)
{
    failures[0] = BL_HANGS;
    cr_expect_eq(run_planned(), BL_HANGS);
    cr_expect_eq(prepared, 1);
    cr_expect_eq(reported, 2, "the other items are reported as skipped");
    cr_expect_str_eq(last_reason, "the device has not finished the preparation of global/1");
}
