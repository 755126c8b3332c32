/* Tests which requests of a trace are replayed on a device. */
#include "cl/device.h"
#include "cl/program.h"
#include "trace/replay.h"
#include "trace_stream.h"

Test(replay, starts_count_elements_from_an_aligned_address)
{
    begin(1, 1, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + (5 << 20) + 64 + 8 * item);
    }
    read_trace("nvidia-hopper");
    struct bl_replay_input input;
    bl_replay_input(&trace, trace.rows, &input);
    cr_assert_eq(input.requests, 1, "%s", input.why_not);
    cr_assert_str_eq(input.type.name, "int");
    for (unsigned lane = 0; lane < 32; lane++)
        cr_assert_eq(input.starts[lane], 16 + 2 * lane);
    bl_trace_free(&trace);
}

Test(replay, the_requests_with_the_largest_total_cost_are_replayed)
{
    begin(1, 1, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        put_access(0, BL_WIRE_LOCAL, BL_WIRE_READ, 4,
                   buffer + 128 * item);  /* one request of 32 passes */
        for (unsigned k = 0; k < 20; k++) /* 20 requests, 20 passes in total */
            put_access(0, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 128 * k + 4 * item);
        for (unsigned k = 0; k < 3; k++) /* 3 requests, 48 passes in total */
            put_access(0, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 4 * k + 64 * item);
    }
    read_trace("nvidia-hopper");
    struct bl_replay_input input;
    bl_replay_input(&trace, trace.rows, &input);
    cr_assert_eq(input.requests, 3, "%s", input.why_not);
    for (unsigned r = 0; r < 3; r++)
        for (unsigned lane = 0; lane < 32; lane++)
            cr_assert_eq(input.starts[32 * r + lane], r + 16 * lane);
    bl_trace_free(&trace);
}

Test(replay, idle_lanes_repeat_the_last_active_lane_and_buffers_are_replayed_side_by_side)
{
    begin(1, 2, 8, 1);
    for (unsigned item = 0; item < 8; item++) {
        put_item(item);
        put_access(0, BL_WIRE_LOCAL, BL_WIRE_WRITE, 8,
                   (item % 2 + (uint64_t)1) * buffer + 2048 + 8 * item);
    }
    read_trace("nvidia-hopper");
    struct bl_replay_input input;
    bl_replay_input(&trace, trace.rows, &input);
    cr_assert_eq(input.requests, 1, "%s", input.why_not);
    cr_assert_str_eq(input.type.name, "int2");
    for (unsigned lane = 0; lane < 32; lane++) {
        const unsigned item = lane < 8 ? lane : 7;
        cr_assert_eq(input.starts[lane], item + item % 2 * 128, "lane %u", lane);
    }
    bl_trace_free(&trace);
}

Test(replay, rows_that_cannot_be_replayed_have_a_reason)
{
    static const struct {
        uint8_t memory, operation;
        unsigned bytes;
        uint64_t apart;
        const char *why;
    } cases[] = {
        {BL_WIRE_LOCAL, BL_WIRE_ATOMIC, 4, 4, "atomics"},
        {BL_WIRE_PRIVATE, BL_WIRE_READ, 4, 4, "no rule"},
        {BL_WIRE_GLOBAL, BL_WIRE_READ, 4, 5, "multiples"},
        {BL_WIRE_GLOBAL, BL_WIRE_READ, 4, (uint64_t)1 << 40, "too far"},
        {BL_WIRE_GLOBAL, BL_WIRE_READ, 20, 20, "no type as wide"},
        {BL_WIRE_GLOBAL, BL_WIRE_READ, 4, (uint64_t)1 << 48, "16 buffers"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        begin(1, 1, 32, 1);
        for (unsigned item = 0; item < 32; item++) {
            put_item(item);
            put_access(0, cases[c].memory, cases[c].operation, cases[c].bytes,
                       buffer + cases[c].apart * item);
        }
        read_trace("nvidia-hopper");
        struct bl_replay_input input;
        bl_replay_input(&trace, trace.rows, &input);
        cr_assert_eq(input.requests, 0);
        cr_assert(strstr(input.why_not, cases[c].why), "%zu: %s", c, input.why_not);
        bl_trace_free(&trace);
    }
}

Test(replay, tables_of_different_starts_are_different_kernels)
{
    static const uint64_t starts[2][3] = {{0, 1, 2}, {0, 1, 3}};
    struct bl_expression tables[3];
    for (unsigned i = 0; i < 3; i++)
        cr_assert_eq(bl_expression_of_table("a line", starts[i % 2], 3, &tables[i], &error), BL_OK);
    const struct bl_kernel_source one = {"global.cl", "read_pattern", "", &tables[0]},
                                  other = {"global.cl", "read_pattern", "", &tables[1]},
                                  again = {"global.cl", "read_pattern", "", &tables[2]};
    cr_assert_not(bl_sources_are_equal(&one, &other));
    cr_assert(bl_sources_are_equal(&one, &again));
    for (unsigned i = 0; i < 3; i++)
        bl_expression_free(&tables[i]);
}

Test(devices, a_machine_from_a_file_describes_any_device)
{
    const struct bl_device hopper = {.type = BL_DEVICE_GPU, .vendor_id = 0x10de, .capability = 90};
    const struct bl_machine *own, *gen9;
    cr_assert_eq(bl_machine_find("nvidia-hopper", &own, &error), BL_OK);
    cr_assert_eq(bl_machine_find("intel-gen9", &gen9, &error), BL_OK);
    const struct bl_machine from_file = *gen9;
    cr_assert(bl_device_is_described(&hopper, own));
    cr_assert_not(bl_device_is_described(&hopper, gen9));
    cr_assert(bl_device_is_described(&hopper, &from_file));
}
