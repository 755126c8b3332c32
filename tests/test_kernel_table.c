/* Tests the table of a trace's kernels: the bytes that each kernel needs and moves in all of its
 * groups, and which kernels are shown. */
#include <math.h>

#include "trace/kernel_table.h"
#include "trace_stream.h"

/* Adds a group to the stream. Each lane reads two adjacent elements, one of which the next lane
 * reads, too; together the lanes read 33 distinct elements, in 5 sectors. The lanes read in
 * descending order. Then all lanes read different words of one bank of local memory. */
static void put_pairs(void)
{
    put_group(32);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 8, buffer + 4 * (31 - item));
        put_access(1, BL_WIRE_LOCAL, BL_WIRE_READ, 4, 2 * buffer + 128 * item);
    }
    put(BL_WIRE_GROUP_END, 0, 0, 0);
}

/* Reads a trace of three kernels: of the 4 groups of "first", 2 are traced; in "second", all lanes
 * read the same element; "third" has only an access for which the model has no rule. */
static void read_three(void)
{
    const struct bl_wire_kernel sizes = {{128, 1, 1}, {32, 1, 1}, {4, 1, 1}};
    stream_bytes = 0;
    put_hello();
    put_source(0, "one\ntwo\nthree\n");
    for (unsigned i = 0; i < 2; i++)
        put_instruction(i, i + 1, 1, "input.cl");
    put(BL_WIRE_KERNEL, 0, sizeof sizes + 5, 0);
    put_bytes(&sizes, sizeof sizes);
    put_bytes("first", 5);
    put_pairs();
    put_pairs();
    put(BL_WIRE_KERNEL_END, 0, 0, 4);
    put_kernel(0, "second", 32, 1);
    put_group(32);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer);
    }
    put(BL_WIRE_GROUP_END, 0, 0, 0);
    put(BL_WIRE_KERNEL_END, 0, 0, 1);
    put_kernel(0, "third", 32, 1);
    put_group(32);
    put_item(0);
    put_access(0, BL_WIRE_PRIVATE, BL_WIRE_READ, 4, 0);
    put_end();
    cr_assert_eq(read_all("nvidia-hopper"), BL_OK, "%s", error.sentence);
    cr_assert_eq(bl_trace_bound(&trace, &error), BL_OK);
}

Test(kernel_table, needed_bytes_are_counted_once_and_for_all_groups)
{
    read_three();
    struct bl_kernel_totals totals = bl_trace_totals(&trace, 0);
    cr_assert_float_eq(totals.accesses, 4 * 64, 1e-9);
    cr_assert_float_eq(totals.needed_bytes, 4 * 4 * 33, 1e-9);
    cr_assert_float_eq(totals.moved_bytes, 4 * 32 * 5, 1e-9);
    cr_assert_geq(totals.clocks, 4 * 32, "32 passes of local memory in each group");
    cr_assert_str_eq(totals.limited_by, "banks");
    cr_assert_float_eq(totals.share + bl_trace_totals(&trace, 1).share, 1, 1e-9);
    totals = bl_trace_totals(&trace, 1);
    cr_assert_float_eq(totals.needed_bytes, 4, 1e-9);
    cr_assert_float_eq(totals.moved_bytes, 32, 1e-9);
    cr_assert_float_eq(totals.lost, 0, 1e-9);
    totals = bl_trace_totals(&trace, 2);
    cr_assert(isnan(totals.clocks) && isnan(totals.lost) && isnan(totals.share));
    cr_assert_null(totals.limited_by);
    bl_trace_free(&trace);
}

/* Reads a trace of a launch of `groups` groups, in which `between` groups after group 0 are not
 * traced. Each work-item reads `reads` elements, or `last` elements in the last group. */
static void read_sampled(unsigned groups, unsigned between, unsigned reads, unsigned last)
{
    const struct bl_wire_kernel sizes = {{32 * groups, 1, 1}, {32, 1, 1}, {groups, 1, 1}};
    stream_bytes = 0;
    put_hello();
    put_source(0, "one\n");
    put_instruction(0, 1, 1, "input.cl");
    put(BL_WIRE_KERNEL, 0, sizeof sizes + 1, 0);
    put_bytes(&sizes, sizeof sizes);
    put_bytes("k", 1);
    for (unsigned group = 0; group < groups; group = group ? group + 1 : 1 + between) {
        put(BL_WIRE_GROUP, 32, 0, group);
        for (unsigned item = 0; item < 32; item++) {
            put_item(item);
            for (unsigned k = 0; k < (group + 1 == groups ? last : reads); k++)
                put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4,
                           buffer + 4 * (32 * (reads * group + k) + item));
        }
        put(BL_WIRE_GROUP_END, 0, 0, 0);
    }
    put(BL_WIRE_KERNEL_END, 0, 0, groups);
    put(BL_WIRE_END, 0, 0, 0);
    cr_assert_eq(read_all("nvidia-hopper"), BL_OK, "%s", error.sentence);
    cr_assert_eq(bl_trace_bound(&trace, &error), BL_OK);
}

Test(kernel_table, a_last_group_with_fewer_accesses_counts_once)
{
    static const unsigned betweens[] = {0, 900, 998};
    double clocks = NAN;
    for (unsigned i = 0; i < 3; i++) {
        read_sampled(1000, betweens[i], 4, 1);
        const struct bl_kernel_totals totals = bl_trace_totals(&trace, 0);
        const unsigned reads = 999 * 4 + 1;
        cr_expect_float_eq(totals.accesses, 32 * reads, 1e-6, "%g", totals.accesses);
        cr_expect_float_eq(totals.needed_bytes, 128 * reads, 1e-6, "%g", totals.needed_bytes);
        cr_expect_float_eq(totals.moved_bytes, 128 * reads, 1e-6, "%g", totals.moved_bytes);
        cr_expect_float_eq(trace.kernels[0].bound.read_bytes, 128 * reads, 1e-6);
        clocks = i == 0 ? totals.clocks : clocks;
        cr_expect_float_eq(totals.clocks, clocks, 1e-6, "%g and %g", totals.clocks, clocks);
        bl_trace_free(&trace);
    }
}

Test(kernel_table, a_last_group_with_more_accesses_represents_half_of_the_groups)
{
    read_sampled(100, 98, 1, 7);
    cr_expect_float_eq(bl_trace_totals(&trace, 0).accesses, 32 * 100 * 4, 1e-6);
    bl_trace_free(&trace);
    read_sampled(100, 97, 1, 7);
    cr_expect_float_eq(bl_trace_totals(&trace, 0).accesses, 32 * (99 + 7), 1e-6,
                       "a group between the ends was traced");
    bl_trace_free(&trace);
    read_sampled(1, 0, 1, 7);
    cr_expect_float_eq(bl_trace_totals(&trace, 0).accesses, 32 * 7, 1e-6);
    bl_trace_free(&trace);
}

/* A grid of 10 x 4 groups of 8 x 8 work-items, of which only 76 x 30 work-items access memory, so
 * the groups at the upper ends of both dimensions are partial. Only the first and the last group
 * are traced. */
Test(kernel_table, the_weights_of_the_first_and_the_last_group_count_all_active_work_items)
{
    const struct bl_wire_kernel launch = {{80, 32, 1}, {8, 8, 1}, {10, 4, 1}};
    struct bl_launch_sample sample = {0};
    struct bl_access accesses[64] = {0};
    double weights[BL_GROUP_PLACES];
    for (unsigned i = 0; i < 64; i++)
        accesses[i] = (struct bl_access){.item = i, .memory = BL_MEMORY_GLOBAL};
    bl_launch_sample_add(&sample, &launch, BL_GROUP_FIRST, accesses, 64, 0);
    size_t active = 0;
    for (unsigned i = 0; i < 64; i++)
        if (i % 8 < 4 && i / 8 < 6)
            accesses[active++].item = i;
    bl_launch_sample_add(&sample, &launch, BL_GROUP_LAST, accesses, active, 0);
    bl_group_weights(&sample, &launch, 40, weights);
    cr_expect_float_eq(weights[BL_GROUP_FIRST] + weights[BL_GROUP_LAST], 40, 1e-9);
    cr_expect_float_eq(weights[BL_GROUP_FIRST] * 64 + weights[BL_GROUP_LAST] * (double)active,
                       76 * 30, 1e-9);
    bl_group_weights(&sample, &launch, 30, weights);
    cr_expect_float_eq(weights[BL_GROUP_LAST], 1, 1e-9, "the launch was aborted");
}

Test(kernel_table, kernels_are_chosen_by_their_loss_or_by_name)
{
    bool is_shown[3];
    read_three();
    unsigned *by_loss = bl_kernels_by_loss(&trace);
    cr_assert(by_loss[0] == 0 && by_loss[1] == 1 && by_loss[2] == 2);
    cr_assert_eq(bl_kernels_choose(&trace, by_loss, &(struct bl_kernel_choice){0}, is_shown), 3);
    cr_assert_eq(bl_kernels_choose(&trace, by_loss, &(struct bl_kernel_choice){.top = 2}, is_shown),
                 2);
    cr_assert(is_shown[0] && is_shown[1] && !is_shown[2]);
    cr_assert_eq(
        bl_kernels_choose(&trace, by_loss, &(struct bl_kernel_choice){.name = "*ir*"}, is_shown),
        2);
    cr_assert(is_shown[0] && !is_shown[1] && is_shown[2]);
    cr_assert_eq(bl_kernels_choose(&trace, by_loss,
                                   &(struct bl_kernel_choice){.name = "fir", .top = 1}, is_shown),
                 0);
    free(by_loss);
    bl_trace_free(&trace);
}
