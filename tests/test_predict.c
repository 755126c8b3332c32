/* Tests patterns, the launches that execute them, and predictions, without OpenCL. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/predict.h"
#include "report/row.h"
#include "run/measure_case.h"
#include "run/plan.h"
#include "suites.h"

static const struct bl_machine *machine(const char *name)
{
    const struct bl_machine *found;
    cr_assert_eq(bl_machine_find(name, &found, NULL), BL_OK, "%s", name);
    return found;
}

static void plan(const char *name, struct bl_plan_item **items, size_t *count)
{
    const struct bl_catalogue catalogue = bl_suites();
    const struct bl_plan_filter filter = {0};
    cr_assert_eq(bl_plan(&catalogue, &filter, machine(name), NULL, items, count, NULL), BL_OK);
}

static double predicted(const char *name, const struct bl_plan_item *item)
{
    return bl_planned_row(item, machine(name)).predicted;
}

Test(predict, every_claim_of_the_guides_is_predicted_on_their_machine)
{
    struct bl_plan_item *items;
    size_t count, claims = 0;
    plan("intel-gen9", &items, &count);
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(items[i].claim))
            continue;
        /* The driver chooses where private arrays lie, so these cases have no prediction. */
        if (items[i].own.launch.memory == BL_MEMORY_PRIVATE && items[i].own.cost.why_none)
            continue;
        claims++;
        cr_assert_float_eq(predicted("intel-gen9", &items[i]), items[i].claim, 1e-12, "%s",
                           items[i].test_case->id);
    }
    cr_assert_eq(claims, 6 + 7 + 3 + 16 + 2 + 1 + 2 + 5 + 4 + 9 + 1);
    free(items);
}

Test(predict, a_prediction_hardly_depends_on_the_size_of_the_device)
{
    struct bl_device small = {.compute_units = 3,
                              .max_group_items = 1024,
                              .max_items = {1024, 1024},
                              .local_bytes = 65536,
                              .memory_bytes = 1 << 30,
                              .max_buffer_bytes = 1 << 30};
    const struct bl_catalogue catalogue = bl_suites();
    const struct bl_plan_filter filter = {0};
    struct bl_plan_item *items, *others;
    size_t count, other_count;
    plan("nvidia-hopper", &items, &count);
    cr_assert_eq(
        bl_plan(&catalogue, &filter, machine("nvidia-hopper"), &small, &others, &other_count, NULL),
        BL_OK);
    for (size_t i = 0; i < count && i < other_count; i++) {
        const double a = predicted("nvidia-hopper", &items[i]),
                     b = predicted("nvidia-hopper", &others[i]);
        if (items[i].test_case == others[i].test_case && isfinite(a) && isfinite(b))
            cr_assert_float_eq(a, b, 0.01 * b, "%s: %g, %g", items[i].test_case->id, a, b);
    }
    free(items);
    free(others);
}

Test(predict, a_partial_last_request_counts_as_one)
{
    const struct bl_machine *nvidia = machine("nvidia-hopper");
    const struct bl_launch launch =
        bl_launch_for(nvidia, BL_MEMORY_LOCAL, &bl_type_int, (struct bl_shape){48, 1}, 1);
    struct bl_prediction prediction;
    uint64_t *starts = bl_pattern_starts(BL_PATTERN_STRIDE_32, &launch);
    cr_assert_eq(bl_predict(nvidia, &launch, starts, &prediction), BL_OK);
    free(starts);
    cr_assert_float_eq(prediction.clocks, (32 + 16) / 2.0, 1e-12);
    cr_assert_eq(bl_launch_requests(&launch), 2 * launch.groups);
}

Test(pattern, a_start_lies_in_the_working_set_and_has_the_line_offset_and_bank_of_its_index)
{
    size_t machine_count;
    const struct bl_machine *machines = bl_machines(&machine_count);
    for (size_t m = 0; m < machine_count; m++)
        for (int memory = BL_MEMORY_GLOBAL; memory <= BL_MEMORY_LOCAL; memory++) {
            const struct bl_launch launch = bl_launch_for(&machines[m], (enum bl_memory)memory,
                                                          &bl_type_int, (struct bl_shape){8, 4}, 4);
            cr_assert_eq(launch.elements & (launch.elements - 1), 0);
            cr_assert_eq(launch.step * 4 % machines[m].line_bytes, 0);
            cr_assert_eq(launch.step * 4 % (machines[m].banks * machines[m].bank_bytes), 0);
            cr_assert_eq(launch.spread % launch.step, 0);
            cr_assert_eq(launch.elements % launch.step, 0);
            for (int p = 0; p < BL_PATTERN_COUNT; p++)
                for (size_t item = 0; item < bl_launch_items(&launch); item++) {
                    const size_t index = bl_pattern_index((enum bl_pattern)p, &launch, item);
                    const size_t start = bl_pattern_start((enum bl_pattern)p, &launch, item);
                    cr_assert_lt(start, launch.elements);
                    cr_assert_eq(start % launch.step, index % launch.step);
                }
        }
}

Test(pattern, ids_are_global_in_global_memory_and_local_in_local_memory)
{
    const struct bl_machine *gen9 = machine("intel-gen9");
    const struct bl_shape shape = {4, 4};
    const struct bl_launch global = bl_launch_for(gen9, BL_MEMORY_GLOBAL, &bl_type_int, shape, 1);
    const struct bl_launch local = bl_launch_for(gen9, BL_MEMORY_LOCAL, &bl_type_int, shape, 1);
    const size_t item = 16 + 5; /* in the second group, at x = 1, y = 1 */
    cr_assert_eq(bl_pattern_index(BL_PATTERN_CONTIGUOUS, &global, item), 4 + 1);
    cr_assert_eq(bl_pattern_index(BL_PATTERN_TWO_D, &global, item), 4 + 1 + WIDTH_ELEMENTS);
    cr_assert_eq(bl_pattern_index(BL_PATTERN_REVERSED, &global, item), 4 * global.groups - 1 - 5);
    cr_assert_eq(bl_pattern_index(BL_PATTERN_CONTIGUOUS, &local, item), 1);
    cr_assert_eq(bl_pattern_index(BL_PATTERN_REVERSED, &local, item), 4 - 1 - 1);
}

Test(pattern, an_expression_is_printed_as_in_the_guide)
{
    cr_assert_str_eq(bl_pattern_expression(BL_PATTERN_REVERSED),
                     "get_global_size(0) - 1 - get_global_id(0)");
    cr_assert_str_eq(bl_pattern_expression(BL_PATTERN_PAIRED), "get_global_id(0) & ~1");
}

Test(launch, a_tile_leaves_space_for_many_groups)
{
    /* A sub-slice of intel-gen9 has 16 barriers and 64 KiB of local memory: 4 KiB for each of 16
     * groups. */
    const struct bl_launch launch = bl_launch_for(machine("intel-gen9"), BL_MEMORY_LOCAL,
                                                  &bl_type_int, (struct bl_shape){16, 1}, 24);
    cr_assert_leq(bl_launch_array_bytes(&launch), 4096);
    cr_assert_eq(launch.groups, 48);
}

Test(launch, every_read_of_a_round_lies_in_the_array)
{
    size_t count;
    const struct bl_machine *all = bl_machines(&count);
    for (size_t i = 0; i < count; i++)
        for (int memory = BL_MEMORY_GLOBAL; memory <= BL_MEMORY_LOCAL; memory++) {
            const struct bl_launch launch = bl_launch_for(
                &all[i], (enum bl_memory)memory, &bl_type_int3, (struct bl_shape){1024, 1}, 2);
            cr_assert_geq(launch.groups, 1);
            cr_assert_leq(16 * (launch.elements + (launch.unroll - 1) * launch.step),
                          bl_launch_array_bytes(&launch));
        }
}

Test(launch, a_step_is_a_multiple_of_the_bytes_of_a_line_and_of_all_banks)
{
    static const char *const scalars[] = {"char", "ushort", "int", "float", "long", "double"};
    static const char *const lengths[] = {"", "2", "3", "4", "8", "16"};
    size_t count;
    const struct bl_machine *all = bl_machines(&count);
    for (size_t i = 0; i < count * 6 * 6; i++) {
        const struct bl_machine *on = &all[i / 36];
        char name[16];
        struct bl_type type;
        snprintf(name, sizeof name, "%s%s", scalars[i % 36 / 6], lengths[i % 6]);
        cr_assert_eq(bl_type_named(name, &type, NULL), BL_OK);
        for (int memory = BL_MEMORY_GLOBAL; memory <= BL_MEMORY_CONSTANT; memory++) {
            const struct bl_launch launch =
                bl_launch_for(on, (enum bl_memory)memory, &type, (struct bl_shape){16, 1}, 1);
            const unsigned step_bytes = launch.step * type.element_bytes;
            cr_assert_geq(launch.step, 1, "%s on %s", name, on->name);
            cr_assert_eq(step_bytes % on->line_bytes, 0, "%s on %s", name, on->name);
            cr_assert_eq(step_bytes % (on->banks * on->bank_bytes), 0, "%s on %s", name, on->name);
        }
    }
}

Test(predict, values_that_do_not_apply_are_nan)
{
    const struct bl_shape shape = {16, 1};
    const struct bl_machine *gen9 = machine("intel-gen9");
    for (int memory = BL_MEMORY_GLOBAL; memory <= BL_MEMORY_LOCAL; memory++) {
        const bool is_local = memory == BL_MEMORY_LOCAL;
        const struct bl_launch launch =
            bl_launch_for(gen9, (enum bl_memory)memory, &bl_type_int, shape, 1);
        uint64_t *starts = bl_pattern_starts(BL_PATTERN_CONTIGUOUS, &launch);
        struct bl_prediction got;
        cr_assert_eq(bl_predict(gen9, &launch, starts, &got), BL_OK);
        free(starts);
        cr_assert(isnan(got.lines) == is_local && isnan(got.tag_passes) == is_local);
        cr_assert(isnan(got.bank_passes) == !is_local && isnan(got.words) == !is_local);
        cr_assert(isnan(got.sectors), "the machine's lines have no sectors");
        cr_assert_float_eq(got.clocks, 1, 0);
    }
}

Test(predict, an_invalid_machine_or_request_has_no_cost)
{
    uint64_t addresses[BL_MAX_LANES + 1] = {0};
    struct bl_request request = {BL_MEMORY_GLOBAL, true, 4, 16, addresses, false};
    struct bl_cost cost;
    const struct bl_machine good = *machine("nvidia-hopper");
    cr_assert_eq(bl_cost_of(&good, &request, &cost), BL_OK);
    struct bl_machine bad[12];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        bad[i] = good;
    bad[0].has_rule = false;
    bad[1].line_bytes = 0;
    bad[2].line_bytes = 96;
    bad[3].lines_per_clock = 0;
    bad[4].banks = 0;
    bad[5].banks = BL_MAX_BANKS + 1;
    bad[6].banks = 2 * BL_MAX_BANKS;
    bad[7].bank_bytes = 3;
    bad[8].bank_bytes = 0;
    bad[9].sector_bytes = 24;
    bad[10].sector_bytes = 256;
    bad[11].sector_bytes = 1;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_assert_eq(bl_cost_of(&bad[i], &request, &cost), BL_BAD_MACHINE, "%zu", i);
    const unsigned lanes[] = {0, BL_MAX_LANES + 1}, bytes[] = {0, 129};
    for (int i = 0; i < 2; i++) {
        request.lanes = lanes[i];
        cr_assert_eq(bl_cost_of(&good, &request, &cost), BL_BAD_MACHINE, "%u lanes", lanes[i]);
        request.lanes = 16;
        request.access_bytes = bytes[i];
        cr_assert_eq(bl_cost_of(&good, &request, &cost), BL_BAD_MACHINE, "%u bytes", bytes[i]);
        request.access_bytes = 4;
    }
    request.memory = BL_MEMORY_PRIVATE;
    cr_assert_eq(bl_cost_of(&good, &request, &cost), BL_BAD_MACHINE,
                 "there is no rule for private memory");
}

/* The first of two requests takes two tag passes and one bank pass. The second takes one tag pass
 * and two bank passes. */
Test(predict, waits_of_different_requests_overlap_in_part)
{
    struct bl_machine hopper = *machine("nvidia-hopper");
    struct bl_launch launch =
        bl_launch_for(&hopper, BL_MEMORY_GLOBAL, &bl_type_int, (struct bl_shape){32, 1}, 1);
    launch.groups = 2;
    launch.steps = launch.unroll = 1;
    uint64_t starts[64];
    for (unsigned lane = 0; lane < 32; lane++) {
        starts[lane] = lane + (lane < 16 ? 0 : 5 * 32); /* lines 0 and 5 share a tag bank */
        starts[32 + lane] = lane / 2 + lane % 2 * 32;
    }
    struct bl_prediction prediction;
    for (unsigned percent = 0; percent <= 100; percent += 20) {
        hopper.overlap_percent = percent;
        cr_assert_eq(bl_predict(&hopper, &launch, starts, &prediction), BL_OK);
        cr_expect_float_eq(prediction.clocks, 2 - 0.5 * percent / 100, 1e-12, "%g",
                           prediction.clocks);
    }
    launch.is_write = true;
    hopper.sectors_written_per_clock = 0;
    cr_assert_eq(bl_predict(&hopper, &launch, starts, &prediction), BL_OK);
    cr_assert_float_eq(prediction.clocks, 2, 1e-12);
}

Test(predict, an_access_wider_than_all_banks_is_served_lane_by_lane)
{
    struct bl_machine narrow = *machine("nvidia-hopper");
    narrow.banks = 2;
    const struct bl_request request = {BL_MEMORY_LOCAL, false, 16, 16, NULL, false};
    cr_assert_eq(bl_lanes_at_once(&narrow, &request), 1);
    narrow.widest_bytes = 2; /* narrower than an int, so that each component is a separate
                                request */
    struct bl_part parts[BL_MAX_PARTS];
    cr_assert_eq(bl_parts_of(&narrow, BL_MEMORY_LOCAL, false, &bl_type_int4, parts), 4);
    cr_assert_eq(parts[3].offset, 12);
}

Test(predict, writes_are_sent_line_by_line_if_lines_have_no_sectors)
{
    struct bl_machine whole_lines = *machine("nvidia-hopper");
    whole_lines.sector_bytes = 0;
    whole_lines.sectors_written_per_clock = 1;
    uint64_t addresses[16];
    for (unsigned lane = 0; lane < 16; lane++)
        addresses[lane] = 32 * lane; /* four lines of 128 bytes */
    const struct bl_request request = {BL_MEMORY_GLOBAL, true, 4, 16, addresses, false};
    struct bl_cost cost;
    cr_assert_eq(bl_cost_of(&whole_lines, &request, &cost), BL_OK);
    cr_assert_eq(cost.lines, 4);
    cr_assert_eq(cost.sectors, 0);
    cr_assert_eq(cost.clocks, 4);
}
