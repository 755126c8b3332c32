/* Tests the expressions of `try` on an OpenCL device: indices are those that C computes,
 * expressions that would access memory outside the array are refused, and the kernels for all kinds
 * of access compute the right results. */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/machine_file.h"
#include "run/runner.h"
#include "run/try.h"
#include "sample.h"

static struct bl_device *devices;
static struct bl_device device;
static struct bl_bench bench;
static struct bl_error error;

static void open_device(void)
{
    size_t count;
    const struct bl_device *chosen;
    cr_assert_eq(bl_devices_list(&devices, &count, &error), BL_OK, "%s", error.sentence);
    cr_assert_eq(bl_device_select(devices, count, getenv("BANKLINE_TEST_DEVICE"), &chosen, &error),
                 BL_OK, "%s", error.sentence);
    device = *chosen;
    device.compute_units = 1; /* few groups are enough here */
    bench.device = &device;
    cr_assert_eq(bl_machine_find("nvidia-hopper", &bench.machine, NULL), BL_OK);
    const struct bl_wait_limits limits = {.deadline_s = 600};
    cr_assert_eq(bl_session_open(chosen, NULL, &limits, &bench.session, &error), BL_OK, "%s",
                 error.sentence);
}

static void close_device(void)
{
    bl_session_close(bench.session);
    free(devices);
}

TestSuite(try, .init = open_device, .fini = close_device);

static struct bl_try_setup setup_of(enum bl_memory memory, const char *type, unsigned x, unsigned y)
{
    struct bl_try_setup setup = {.memory = memory, .shape = {x, y}};
    cr_assert_eq(bl_type_named(type, &setup.type, NULL), BL_OK);
    return setup;
}

/* Parses an expression, and computes its indices on the host. */
static enum bl_status probed(const char *text, struct bl_try_setup *setup, struct bl_try *try)
{
    error = (struct bl_error){0};
    cr_assert_eq(bl_try_settle(setup, &bench, &error), BL_OK, "%s", error.sentence);
    cr_assert_eq(bl_try_open(try, NULL, text, NULL, &error), BL_OK, "%s: %s", text, error.sentence);
    return bl_try_probe(try, setup, &bench, &error);
}

/* The ids of the following test, whose launch has 3 x 2 groups of 8 x 4 work-items. */
#define get_global_id(d) ((size_t)((d) == 0 ? group * 8 + lane % 8 : group_y * 4 + lane / 8))
#define get_local_id(d) ((size_t)((d) == 0 ? lane % 8 : lane / 8))
#define get_group_id(d) ((size_t)((d) == 0 ? group : group_y))
#define get_num_groups(d) ((size_t)((d) == 0 ? 3 : 2))
#define get_global_size(d) ((size_t)((d) == 0 ? 24 : 8))

Test(try, expressions_get_the_ids_and_sizes_of_the_requested_groups)
{
    struct bl_try_setup setup = setup_of(BL_MEMORY_GLOBAL, "int", 8, 4);
    setup.groups = (struct bl_shape){3, 2};
    struct bl_try try;
    cr_assert_eq(probed("get_global_id(0) + 100 * get_global_id(1) + 1000 * get_local_id(0) + "
                        "10000 * get_group_id(1) + 100000 * get_num_groups(0) + "
                        "1000000 * get_global_size(1) + get_global_id(2) + get_local_size(0) + "
                        "get_local_size(1)",
                        &setup, &try),
                 BL_OK, "%s", error.sentence);
    for (size_t item = 0; item < 6 * 32; item++) {
        const size_t lane = item % 32, group = item / 32 % 3, group_y = item / 32 / 3;
        const uint64_t expected = get_global_id(0) + 100 * get_global_id(1) +
                                  1000 * get_local_id(0) + 10000 * get_group_id(1) +
                                  100000 * get_num_groups(0) + 1000000 * get_global_size(1) + 8 + 4;
        cr_assert_eq(try.starts[item], expected, "work-item %zu starts at %zu", item,
                     (size_t)try.starts[item]);
    }
    bl_try_close(&try);
}

/* Checks the status and the message of an expression in an array of this size; 0 for any size. */
static void fails(const char *text, uint64_t array_elements, enum bl_status status,
                  const char *sentence_part)
{
    struct bl_try_setup setup = setup_of(BL_MEMORY_GLOBAL, "int", 16, 1);
    setup.array_elements = array_elements;
    struct bl_try try;
    cr_assert_eq(probed(text, &setup, &try), status, "%s: %s", text, error.sentence);
    cr_assert(strstr(error.sentence, sentence_part), "%s: %s", text, error.sentence);
    bl_try_close(&try);
}

Test(try, invalid_indices_are_found_before_they_are_accessed)
{
    fails("get_global_id(0) - 1", 0, BL_OUT_OF_RANGE,
          "work-item (0,0) of group (0,0) has index -1");
    fails("get_global_id(0)", 127, BL_OUT_OF_RANGE,
          "work-item (15,0) of group (7,0) has index 127, outside the array of 127 elements");
    fails("get_global_id(0)", 128, BL_OK, "");
    fails("1 / get_local_id(0)", 0, BL_BAD_EXPRESSION,
          "work-item (0,0) of group (0,0) divides by zero");
    fails("1 % (get_global_id(0) - 20)", 0, BL_BAD_EXPRESSION, "work-item (4,0) of group (1,0)");
    fails("get_global_id(0) * get_global_id(0) << 60", 0, BL_OUT_OF_RANGE,
          "index 1152921504606846976,");
    fails("get_group_id(0) - 1 + INT_MAX", 0, BL_OUT_OF_RANGE, "has index 2147483646, outside");
    fails("INT_MIN / ((int)get_local_id(0) - 1)", 0, BL_BAD_EXPRESSION, "divides by zero (or the");
    fails("LONG_MIN % ((long)get_local_id(0) - 2) + 1", 0, BL_BAD_EXPRESSION, "work-item (1,0)");
}

Test(try, setups_that_the_device_or_the_memory_does_not_allow_are_refused)
{
    struct bl_try_setup setup = setup_of(BL_MEMORY_GLOBAL, "int", 16, 1);
    setup.groups = (struct bl_shape){1u << 24, 1u << 24};
    cr_assert_eq(bl_try_settle(&setup, &bench, &error), BL_USAGE);
    setup = setup_of(BL_MEMORY_GLOBAL, "int", 1u << 16, 1u << 16);
    cr_assert_eq(bl_try_settle(&setup, &bench, &error), BL_BAD_SHAPE);
    setup = setup_of(BL_MEMORY_CONSTANT, "int", 16, 1);
    setup.is_write = true;
    cr_assert_eq(bl_try_settle(&setup, &bench, &error), BL_USAGE);
    setup.is_write = false;
    setup.array_elements = 16385;
    cr_assert_eq(bl_try_settle(&setup, &bench, &error), BL_USAGE);
    device.has_double = false;
    setup = setup_of(BL_MEMORY_GLOBAL, "double2", 16, 1);
    cr_assert_eq(bl_try_settle(&setup, &bench, &error), BL_USAGE);
}

/* The workload that measures an expression. */
static struct bl_workload laid_out(struct bl_try_setup setup, const char *text)
{
    struct bl_try try, contiguous;
    cr_assert_eq(probed(text, &setup, &try), BL_OK, "%s", error.sentence);
    cr_assert_eq(bl_try_open_contiguous(&contiguous, setup.memory, &error), BL_OK);
    cr_assert_eq(bl_try_probe(&contiguous, &setup, &bench, &error), BL_OK, "%s", error.sentence);
    struct bl_plan_item item;
    bl_try_plan(&try, &contiguous, &setup, &bench, &item);
    bl_try_close(&try);
    bl_try_close(&contiguous);
    return item.own;
}

Test(try, groups_share_large_tiles_of_local_memory_but_not_small_ones)
{
    device.local_bytes = 49152;
    device.compute_units = 132;
    struct bl_workload workload =
        laid_out(setup_of(BL_MEMORY_LOCAL, "int", 16, 1), "get_local_id(0)");
    cr_assert_eq(workload.replicas.lanes_per_group, 0);
    cr_assert_eq(workload.launch.groups, 132 * 24);
    workload = laid_out(setup_of(BL_MEMORY_LOCAL, "int", 16, 1), "get_local_id(0) * 500");
    cr_assert_eq(workload.replicas.lanes_per_group, 32);
    cr_assert_eq(workload.replicas.groups_per_launch_group, 8);
    cr_assert_eq(workload.launch.groups % 8, 0);
    cr_assert_geq(workload.launch.groups, 132 * 24);
    cr_assert_leq(workload.launch.groups / 8 * workload.buffers.local_bytes, 132u * 24 * 8192);
    workload = laid_out(setup_of(BL_MEMORY_LOCAL, "int", 33, 1), "get_local_id(0) * 100");
    cr_assert_eq(workload.replicas.lanes_per_group, 64, "a multiple of the lanes");
    cr_assert_leq(workload.replicas.groups_per_launch_group * workload.replicas.lanes_per_group,
                  256);
}

Test(try, the_data_of_a_round_stay_in_the_cache_and_in_the_array)
{
    device.compute_units = 64;
    const struct bl_workload dense =
        laid_out(setup_of(BL_MEMORY_GLOBAL, "int", 32, 1), "get_global_id(0)");
    cr_assert_eq(dense.launch.steps, dense.launch.unroll);
    cr_assert_leq(dense.work.working_set_bytes, bench.machine->cache_bytes);
    const struct bl_workload scattered =
        laid_out(setup_of(BL_MEMORY_GLOBAL, "int", 32, 1), "get_global_id(0) * 4096");
    cr_assert_eq(scattered.launch.steps, BL_TRY_MIN_STEPS);
    const struct bl_workload constant =
        laid_out(setup_of(BL_MEMORY_CONSTANT, "int", 32, 1), "get_global_id(0) * 63");
    cr_assert_leq(constant.buffers.data_bytes, 65536);
    cr_assert_eq(constant.status, BL_ROW_OK);
}

Test(try, sets_of_groups_write_to_separate_arrays_while_memory_suffices)
{
    device.compute_units = 64;
    struct bl_try_setup setup = setup_of(BL_MEMORY_GLOBAL, "int", 32, 1);
    setup.is_write = true;
    struct bl_workload workload = laid_out(setup, "get_global_id(0)");
    cr_assert_geq(workload.launch.spread, workload.launch.elements);
    cr_assert_geq(workload.buffers.data_bytes,
                  workload.launch.spread * 4 * (workload.launch.groups / 8 - 1));
    workload = laid_out(setup, "get_global_id(0) * 100000");
    cr_assert_eq(workload.launch.spread, 0);
    cr_assert_leq(workload.buffers.data_bytes, 256u << 20);
}

/* Runs a probed expression and the contiguous access, which is its baseline, for 1 and for 3
 * rounds. The runner checks every output. */
static void runs(struct bl_try *try, struct bl_try_setup setup)
{
    struct bl_try contiguous;
    cr_assert_eq(bl_try_open_contiguous(&contiguous, setup.memory, &error), BL_OK);
    cr_assert_eq(bl_try_probe(&contiguous, &setup, &bench, &error), BL_OK, "%s", error.sentence);
    struct bl_plan_item item;
    bl_try_plan(try, &contiguous, &setup, &bench, &item);
    bl_try_predict(&bench, (const uint64_t[]){0}, 1, &item);
    cr_assert_eq(item.status, BL_ROW_OK, "%s", item.reason);
    const struct bl_workload *workloads[] = {&item.own, &item.baseline};
    for (int i = 0; i < 2; i++) {
        struct bl_runner runner;
        struct bl_timing timing;
        cr_assert_eq(bl_runner_open(bench.session, workloads[i], &runner, &error), BL_OK, "%s",
                     error.sentence);
        for (uint32_t rounds = 1; rounds < 4; rounds += 2)
            cr_assert_eq(runner.subject.launch(&runner, 0, rounds, &timing, &error), BL_OK,
                         "%s of %s in %s memory, %ux%u: %s", setup.is_write ? "write" : "read",
                         setup.type.name, bl_memory_name(setup.memory), setup.shape.x,
                         setup.shape.y, error.sentence);
        bl_runner_close(&runner);
    }
    bl_try_close(try);
    bl_try_close(&contiguous);
}

static void computes(struct bl_try_setup setup, const char *text)
{
    struct bl_try try;
    cr_assert_eq(probed(text, &setup, &try), BL_OK, "%s: %s", text, error.sentence);
    runs(&try, setup);
}

Test(try, every_kind_of_access_computes_the_right_results)
{
    static const char *const types[] = {"char",  "uchar2",  "uchar3", "char4",   "uchar16",
                                        "short", "ushort3", "short8", "int3",    "uint4",
                                        "long",  "ulong3",  "float",  "float16", "double2"};
    struct sample sample = sample_of("kinds of access");
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
        for (int memory = BL_MEMORY_GLOBAL; memory <= BL_MEMORY_CONSTANT; memory++)
            for (int write = 0; write <= (memory != BL_MEMORY_CONSTANT); write++)
                if (sample_takes(&sample, t == 0 && memory == BL_MEMORY_GLOBAL)) {
                    struct bl_try_setup setup = setup_of((enum bl_memory)memory, types[t], 32, 1);
                    setup.is_write = write != 0;
                    computes(setup, "get_local_id(0) * 3 + 1");
                }
}

Test(try, groups_that_share_local_memory_compute_the_right_results)
{
    /* Groups of half a sub-group, of a whole sub-group, and of one and a half sub-groups. */
    static const struct {
        unsigned x, y;
        const char *text;
    } points[] = {
        {8, 2, "get_local_id(1) * 2000 + get_local_id(0) * 5"},
        {8, 4, "get_local_id(1) * 1000 + get_local_id(0) * 5"},
        {16, 3, "get_local_id(1) * 1500 + get_local_id(0)"},
        {32, 1, "4000 - get_local_id(0)"},
    };
    struct sample sample = sample_of("groups that share local memory");
    for (size_t i = 0; i < 8; i++)
        if (sample_takes(&sample, i == 0)) {
            struct bl_try_setup setup =
                setup_of(BL_MEMORY_LOCAL, "int", points[i % 4].x, points[i % 4].y);
            setup.is_write = i >= 4;
            computes(setup, points[i % 4].text);
        }
}

Test(try, recorded_starts_are_accessed_as_they_were_recorded)
{
    uint64_t starts[3 * 32];
    for (unsigned i = 0; i < 3 * 32; i++)
        starts[i] = i * 2654435761u % 1000;
    for (int memory = BL_MEMORY_GLOBAL; memory <= BL_MEMORY_LOCAL; memory++) {
        struct bl_try_setup setup = setup_of((enum bl_memory)memory, "int2", 32, 1);
        setup.groups = (struct bl_shape){3, 1};
        struct bl_try try;
        cr_assert_eq(bl_try_settle(&setup, &bench, &error), BL_OK, "%s", error.sentence);
        cr_assert_eq(bl_try_open_recorded(&try, "a line", starts, 3 * 32, &error), BL_OK);
        cr_assert_eq(bl_try_probe(&try, &setup, &bench, &error), BL_OK, "%s", error.sentence);
        cr_assert_arr_eq(try.starts, starts, sizeof starts);
        runs(&try, setup);
    }
}

Test(try, a_table_may_be_larger_than_constant_memory)
{
    struct bl_try_setup setup = setup_of(BL_MEMORY_GLOBAL, "int", 8, 4);
    setup.groups = (struct bl_shape){128, 16}; /* the table of starts has 256 KiB */
    computes(setup, "get_global_id(1) * 2048 + (get_global_id(0) ^ 5)");
    setup.is_write = true;
    setup.groups = (struct bl_shape){3, 2};
    computes(setup, "get_global_id(1) * 40 + get_global_id(0) * 2");
}

Test(try, the_address_on_the_device_is_found_and_differs_between_placements)
{
    struct bl_try_setup setup = setup_of(BL_MEMORY_GLOBAL, "int", 16, 1);
    uint64_t addresses[3] = {0};
    const struct bl_dispatch dispatch = {.data_bytes = 1 << 20, .outputs = 2};
    unsigned placements;
    cr_assert_eq(bl_session_place(bench.session, "try", &dispatch, 1, 3, &placements, &error),
                 BL_OK);
    cr_assert_eq(placements, 3);
    for (unsigned i = 0; i < 3; i++)
        cr_assert_eq(bl_try_address(&setup, &bench, 1 << 20, i, &addresses[i], &error), BL_OK);
    cr_assert_neq(addresses[0], 0);
    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < i; k++)
            cr_assert(addresses[i] >= addresses[k] + (1 << 20) ||
                          addresses[k] >= addresses[i] + (1 << 20),
                      "arrays %u and %u overlap", i, k);
    setup.memory = BL_MEMORY_LOCAL;
    cr_assert_eq(bl_try_address(&setup, &bench, 1 << 20, 0, &addresses[0], &error), BL_OK);
    cr_assert_eq(addresses[0], 0);
}

Test(try, a_prediction_is_the_mean_over_the_arrays)
{
    struct bl_try_setup setup = setup_of(BL_MEMORY_GLOBAL, "int", 32, 1);
    struct bl_try try, contiguous;
    struct bl_bench own = bench;
    cr_assert_eq(bl_machine_named("nvidia-hopper", NULL, &own.machine, &error), BL_OK);
    cr_assert_eq(probed("get_global_id(0) * 5 % 4096", &setup, &try), BL_OK, "%s", error.sentence);
    cr_assert_eq(bl_try_open_contiguous(&contiguous, setup.memory, &error), BL_OK);
    cr_assert_eq(bl_try_probe(&contiguous, &setup, &own, &error), BL_OK, "%s", error.sentence);
    struct bl_plan_item item;
    const uint64_t bases[] = {0, 64}; /* one address is aligned to a line, the other is not */
    double clocks[2], lines[2];
    for (int i = 0; i < 2; i++) {
        bl_try_plan(&try, &contiguous, &setup, &own, &item);
        bl_try_predict(&own, &bases[i], 1, &item);
        clocks[i] = item.baseline.cost.clocks;
        lines[i] = item.baseline.cost.lines;
    }
    cr_assert_gt(lines[1], lines[0]);
    bl_try_plan(&try, &contiguous, &setup, &own, &item);
    bl_try_predict(&own, bases, 2, &item);
    cr_assert_float_eq(item.baseline.cost.lines, (lines[0] + lines[1]) / 2, 1e-9);
    cr_assert_float_eq(item.baseline.cost.clocks, (clocks[0] + clocks[1]) / 2, 1e-9);
}

/* Lanes that read the same word are served together. If a prediction is the mean over several array
 * addresses, the bytes that the lanes share must not be counted once for each address. */
Test(try, bytes_that_lanes_share_are_counted_once_for_any_number_of_array_addresses)
{
    struct bl_try_setup setup = setup_of(BL_MEMORY_GLOBAL, "int", 32, 1);
    struct bl_try try, contiguous;
    struct bl_bench own = bench;
    cr_assert_eq(bl_machine_named("nvidia-hopper", NULL, &own.machine, &error), BL_OK);
    cr_assert_eq(probed("get_global_id(0) / 4", &setup, &try), BL_OK, "%s", error.sentence);
    cr_assert_eq(bl_try_open_contiguous(&contiguous, setup.memory, &error), BL_OK);
    cr_assert_eq(bl_try_probe(&contiguous, &setup, &own, &error), BL_OK, "%s", error.sentence);
    struct bl_plan_item item;
    bl_try_plan(&try, &contiguous, &setup, &own, &item);
    const uint64_t bases[6] = {0};
    bl_try_predict(&own, bases, 6, &item);
    cr_assert_float_eq(item.own.work.bytes_per_delivered, 4, 1e-9);
    cr_assert_float_eq(item.baseline.work.bytes_per_delivered, 1, 1e-9);
}
