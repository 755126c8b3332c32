/* Tests that kernels compute the same indices and sums on a device as C code, for a sample of the
 * cases in all shapes, with the guide's and with the machine's number of lanes.
 * BANKLINE_TEST_DEVICE selects the device. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/cl_error.h"
#include "cl/session.h"
#include "model/launch.h"
#include "report/row.h"
#include "run/measure_case.h"
#include "run/runner.h"
#include "sample.h"
#include "suites.h"

static struct bl_device *devices;
static struct bl_bench bench;
static struct bl_error error;
static struct bl_plan_item *items;
static size_t item_count;

/* Opens the device and makes the plan. Each test does this, because Criterion runs it in a child
 * process. */
static void open_device(void)
{
    size_t count;
    cr_assert_eq(bl_devices_list(&devices, &count, &error), BL_OK, "%s", error.sentence);
    cr_assert_eq(
        bl_device_select(devices, count, getenv("BANKLINE_TEST_DEVICE"), &bench.device, &error),
        BL_OK, "%s", error.sentence);
    cr_assert_eq(bl_machine_find("nvidia-hopper", &bench.machine, NULL), BL_OK);
    const struct bl_wait_limits limits = {.deadline_s = 600};
    cr_assert_eq(bl_session_open(bench.device, NULL, &limits, &bench.session, &error), BL_OK, "%s",
                 error.sentence);
    /* A plan for one compute unit has small launches. */
    struct bl_device small = *bench.device;
    small.compute_units = 1;
    const struct bl_catalogue catalogue = bl_suites();
    const struct bl_plan_filter filter = {.quick = false};
    cr_assert_eq(bl_plan(&catalogue, &filter, bench.machine, &small, &items, &item_count, &error),
                 BL_OK);
}

static void close_device(void)
{
    bl_session_close(bench.session);
    free(devices);
    free(items);
}

TestSuite(device, .init = open_device, .fini = close_device);

static const char *label(const struct bl_plan_item *item)
{
    static char text[64];
    snprintf(text, sizeof text, "%s %ux%u", item->test_case->id, item->own.launch.shape.x,
             item->own.launch.shape.y);
    return text;
}

Test(device, kernels_compute_the_same_indices_as_c)
{
    struct sample sample = sample_of("indices");
    for (size_t i = 0; i < item_count; i++) {
        const struct bl_workload *workload = &items[i].own;
        if (workload->setting.test_case->lay_out != bl_lay_out_pattern ||
            !sample_takes(&sample, i == 0))
            continue;
        const struct bl_launch *launch = &workload->launch;
        const enum bl_pattern pattern = workload->setting.test_case->pattern;
        const size_t work_items = bl_launch_items(launch);
        struct bl_dispatch dispatch = bl_dispatch_of(workload);
        dispatch.data_bytes = sizeof(uint32_t); /* the array is not read */
        dispatch.is_constant = false;
        dispatch.outputs = 4 * work_items;
        struct bl_kernel *kernel;
        struct bl_timing timing;
        const struct bl_kernel_source source = {"probe.cl", "probe_pattern",
                                                workload->build.options, NULL};
        cr_assert_eq(bl_session_kernel(bench.session, &source, &kernel, &error), BL_OK, "%s: %s",
                     error.sentence, error.log);
        uint32_t *halves = calloc(dispatch.outputs, sizeof *halves);
        cr_assert_eq(bl_session_run(bench.session, kernel, &dispatch, 1, &timing, &error), BL_OK,
                     "%s", error.sentence);
        cr_assert_eq(bl_session_outputs(bench.session, &dispatch, halves, &error), BL_OK, "%s",
                     error.sentence);
        for (size_t item = 0; item < work_items; item++) {
            const uint32_t *of_item = halves + 4 * item;
            cr_assert_eq(of_item[0] | (uint64_t)of_item[1] << 32,
                         bl_pattern_index(pattern, launch, item), "%s, work-item %zu",
                         label(&items[i]), item);
            cr_assert_eq(of_item[2] | (uint64_t)of_item[3] << 32,
                         bl_pattern_start(pattern, launch, item), "%s, work-item %zu",
                         label(&items[i]), item);
        }
        free(halves);
    }
    cr_assert(sample_is_enough(&sample, 88), "%zu", sample.taken);
}

Test(device, kernels_compute_the_same_sums_as_c)
{
    struct sample sample = sample_of("sums");
    for (size_t i = 0; i < item_count; i++) {
        const bool is_new =
            i == 0 || strcmp(items[i].own.build.file, items[i - 1].own.build.file) != 0;
        if (items[i].own.status != BL_ROW_OK || !sample_takes(&sample, is_new))
            continue;
        struct bl_runner runner;
        struct bl_timing timing;
        cr_assert_eq(bl_runner_open(bench.session, &items[i].own, &runner, &error), BL_OK,
                     "%s: %s %s", label(&items[i]), error.sentence, error.log);
        cr_assert_eq(runner.subject.launch(&runner, 0, 3, &timing, &error), BL_OK, "%s: %s",
                     label(&items[i]), error.sentence);
        cr_assert_eq(runner.checked_count, 1, "the outputs were not checked");
        struct bl_row row = bl_row_empty();
        snprintf(row.kernels, sizeof row.kernels, "item %u", (unsigned)i);
        cr_expect_eq(bl_check_kernels(&bench, &runner, &runner, &row, &error), BL_OK, "%s: %s",
                     label(&items[i]), error.sentence);
        bl_runner_close(&runner);
    }
    cr_assert(sample_is_enough(&sample, 88), "%zu", sample.taken);
    free(bench.measured.all);
}

/* If a case's kernels are those of an earlier case of the run, its row has the status `error`. */
Test(device, a_row_with_the_kernels_of_another_case_has_no_number)
{
    struct bl_case renamed = *items[0].test_case;
    renamed.id = "made/other";
    struct bl_plan_item other = items[0];
    other.test_case = other.own.setting.test_case = &renamed;
    bench.quick = true;
    bench.seconds = 0.1;
    struct bl_row row = bl_planned_row(&items[0], bench.machine),
                  second = bl_planned_row(&other, bench.machine);
    bl_measure_case(&bench, &items[0], &row, &error);
    cr_assert_neq(row.status, BL_ROW_ERROR, "%s", row.reason);
    error = (struct bl_error){0};
    cr_expect_neq(bl_measure_case(&bench, &other, &second, &error), BL_OK);
    cr_expect_eq(second.status, BL_ROW_ERROR);
    cr_expect(strstr(second.reason, "it has the kernels of global/1"), "%s", second.reason);
    free(row.sample_ratios);
    free(bench.measured.all);
}

Test(device, a_wrong_output_is_found_at_any_position)
{
    struct bl_runner runner;
    struct bl_timing timing;
    cr_assert_eq(bl_runner_open(bench.session, &items[0].own, &runner, &error), BL_OK);
    const size_t last = items[0].own.buffers.outputs - 1;
    runner.expected[last] ^= 1u << 31;
    cr_assert_eq(runner.subject.launch(&runner, 0, 3, &timing, &error), BL_WRONG_RESULT);
    char number[32];
    snprintf(number, sizeof number, "output %zu of", last);
    cr_assert(strstr(error.sentence, number), "%s", error.sentence);
    bl_runner_close(&runner);
}

Test(device, a_kernel_is_built_once)
{
    struct bl_kernel *first, *again, *other;
    const struct bl_kernel_source source_a = bl_source_of(&items[0].own.build);
    const struct bl_kernel_source source_b = bl_source_of(&items[1].own.build);
    cr_assert_eq(bl_session_kernel(bench.session, &source_a, &first, &error), BL_OK);
    cr_assert_eq(bl_session_kernel(bench.session, &source_b, &other, &error), BL_OK);
    cr_assert_eq(bl_session_kernel(bench.session, &source_a, &again, &error), BL_OK);
    cr_assert_eq(first, again);
    cr_assert_neq(first, other);
}

Test(device, the_log_of_a_kernel_that_does_not_build_is_kept)
{
    struct bl_kernel *kernel;
    const struct bl_kernel_source broken = {"global.cl", "read_pattern", "-DINDEX=no_such_index",
                                            NULL};
    const struct bl_kernel_source missing = {"none.cl", "read_pattern", "", NULL};
    cr_assert_eq(bl_session_kernel(bench.session, &broken, &kernel, &error), BL_BUILD_FAILED);
    cr_assert(strstr(error.sentence, "global.cl"), "%s", error.sentence);
    cr_assert(error.log[0]);
    cr_assert_eq(bl_session_kernel(bench.session, &missing, &kernel, &error), BL_FILE_FAILED);
}

Test(call, every_opencl_error_code_is_shown_by_its_name_or_its_number)
{
    unsigned named = 0;
    for (cl_int code = -1001; code < 0; code++) {
        char buffer[32];
        const char *name = bl_cl_error_name(code, buffer);
        char number[32];
        snprintf(number, sizeof number, "error %d", code);
        cr_assert(strncmp(name, "CL_", 3) == 0 || strcmp(name, number) == 0, "%s", name);
        named += strncmp(name, "CL_", 3) == 0;
    }
    cr_assert_geq(named, 30);
    cr_assert_eq(bl_cl_check(CL_SUCCESS, "clCall", &error), BL_OK);
    cr_assert_eq(bl_cl_check(CL_OUT_OF_RESOURCES, "clCall", &error), BL_OPENCL_FAILED);
    cr_assert_str_eq(error.sentence, "clCall failed: CL_OUT_OF_RESOURCES");
    cr_assert_eq(bl_cl_check(CL_OUT_OF_RESOURCES, "clCall", NULL), BL_OPENCL_FAILED);
}

Test(device, if_a_buffer_cannot_hold_all_placements_there_are_fewer_and_the_reason_is_given)
{
    const uint64_t bytes = 64u << 20, period = BL_DATA_PERIOD * sizeof(uint32_t);
    struct bl_device small = *bench.device;
    small.max_buffer_bytes = bytes + 2 * period; /* holds three overlapping arrays, each beginning a
                                                    period after the one before */
    const struct bl_wait_limits limits = {.deadline_s = 600};
    struct bl_session *session;
    cr_assert_eq(bl_session_open(&small, NULL, &limits, &session, &error), BL_OK);
    const struct bl_dispatch dispatch = {.data_bytes = bytes, .outputs = 1};
    unsigned placements;
    error = (struct bl_error){0};
    cr_assert_eq(bl_session_place(session, "one", &dispatch, 1, 6, &placements, &error), BL_OK);
    cr_assert_eq(placements, 3);
    cr_assert(strstr(error.sentence, "a buffer has at most 75497472 bytes"), "%s", error.sentence);
    error = (struct bl_error){0};
    cr_assert_eq(bl_session_place(session, "two", &dispatch, 1, 3, &placements, &error), BL_OK);
    cr_assert_eq(placements, 3);
    cr_assert_str_empty(error.sentence);
    bl_session_close(session);
}
