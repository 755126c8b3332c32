/* Tests the sentences that say what limits a pattern's throughput, the fixes that make it cheaper,
 * and the gains that the model predicts for them. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/access.h"
#include "model/predict.h"

static const struct bl_machine *machine;
static struct bl_type type;
static struct bl_pattern_explanation said;
static uint64_t starts[256];

static struct bl_launch launch_of(const char *name, enum bl_memory memory, const char *type_name,
                                  struct bl_shape shape)
{
    cr_assert_eq(bl_machine_find(name, &machine, NULL), BL_OK);
    cr_assert_eq(bl_type_named(type_name, &type, NULL), BL_OK);
    struct bl_launch launch = bl_launch_for(machine, memory, &type, shape, 1);
    launch.groups = 1;
    launch.steps =
        1; /* one access, because the cost of later accesses depends on the hash of tag banks */
    return launch;
}

/* Explains a group of one row whose work-item i starts at `first + i * stride`. */
static void strided(const char *name, enum bl_memory memory, const char *type_name, unsigned items,
                    unsigned first, unsigned stride)
{
    const struct bl_launch launch = launch_of(name, memory, type_name, (struct bl_shape){items, 1});
    for (unsigned i = 0; i < items; i++)
        starts[i] = first + i * stride;
    cr_assert_eq(bl_explain_pattern(machine, &launch, starts, &said, NULL), BL_OK);
}

/* Checks that one of the fixes contains these words, and has this gain (clocks now / clocks with
 * the fix). */
static void fixed(const char *words, double gain)
{
    for (unsigned i = 0; i < said.fixes.count; i++)
        if (strstr(said.fixes.all[i].words, words)) {
            cr_assert_float_eq(said.fixes.all[i].gain, gain, 1e-9, "%s: %g", words,
                               said.fixes.all[i].gain);
            return;
        }
    cr_assert_fail("'%s' is not among %u fixes, first '%s'", words, said.fixes.count,
                   said.fixes.all[0].words);
}

Test(explain, a_bank_conflict_is_explained_and_padding_helps)
{
    strided("nvidia-hopper", BL_MEMORY_LOCAL, "int", 32, 0, 32);
    cr_assert_str_eq(said.limit, "32 of 32 lanes want different words of bank 0");
    cr_assert_eq(said.fixes.count, 1);
    fixed("pad each row of 32 elements by 1", 32);
    strided("intel-gen9", BL_MEMORY_LOCAL, "int", 16, 3, 8);
    cr_assert_str_eq(said.limit, "8 of 16 lanes want different words of bank 3");
    fixed("pad each row of 8 elements by 1", 8);
}

Test(explain, conflicts_of_65_banks_are_found)
{
    struct bl_launch launch =
        launch_of("intel-gen9", BL_MEMORY_LOCAL, "int", (struct bl_shape){16, 1});
    struct bl_machine of_65 = *machine;
    of_65.banks = 65;
    of_65.bank_bytes = 8;
    for (unsigned i = 0; i < 16; i++)
        starts[i] = 2 * (7 + 65 * i);
    cr_assert_eq(bl_explain_pattern(&of_65, &launch, starts, &said, NULL), BL_OK);
    cr_assert_str_eq(said.limit, "16 of 16 lanes want different words of bank 7");
    fixed("pad each row of 130 elements by 2", 16);
    for (unsigned i = 0; i < 16; i++)
        starts[i] = 2 * 64 * i;
    cr_assert_eq(bl_explain_pattern(&of_65, &launch, starts, &said, NULL), BL_OK);
    cr_assert_str_eq(said.limit, "nothing: no bank conflict");
}

Test(explain, lanes_and_the_distinct_words_that_they_want_are_counted_separately)
{
    const struct bl_launch launch =
        launch_of("nvidia-hopper", BL_MEMORY_LOCAL, "int", (struct bl_shape){32, 1});
    for (unsigned i = 0; i < 32; i++)
        starts[i] = i % 16 * 4;
    cr_assert_eq(bl_explain_pattern(machine, &launch, starts, &said, NULL), BL_OK);
    cr_assert_str_eq(said.limit, "4 of 32 lanes want 2 different words of bank 0");
}

Test(explain, requests_that_touch_too_many_lines_are_explained)
{
    strided("intel-gen9", BL_MEMORY_GLOBAL, "int", 16, 0, 16);
    cr_assert_str_eq(said.limit, "16 lines where 1 would do");
    fixed("store one array for each member of the records of 64 bytes", 16);
    strided("nvidia-hopper", BL_MEMORY_GLOBAL, "int", 32, 0, 32);
    cr_assert_str_eq(said.limit, "32 of 32 lanes want different words of bank 0, and all touch 32 "
                                 "lines where 1 would do");
    fixed("store one array for each member of the records of 128 bytes", 32);
    strided("nvidia-hopper", BL_MEMORY_GLOBAL, "int", 32, 32 * 7 + 16, 1);
    cr_assert_str_eq(said.limit, "2 lines where 1 would do, 2 of them in one tag bank");
    fixed("16 elements earlier", 2);
}

Test(explain, the_lines_in_one_tag_bank_are_counted_if_a_bank_looks_up_several_at_once)
{
    const struct bl_launch launch =
        launch_of("nvidia-hopper", BL_MEMORY_GLOBAL, "int", (struct bl_shape){32, 1});
    struct bl_machine of_two = *machine;
    unsigned lines[3] = {0}, found = 1;
    of_two.lines_per_clock = 2;
    for (unsigned line = 1; found < 3; line++)
        if (bl_tag_bank(machine, line) == bl_tag_bank(machine, 0))
            lines[found++] = line;
    for (unsigned i = 0; i < 32; i++)
        starts[i] = lines[i / 11] * 32 + i;
    cr_assert_eq(bl_explain_pattern(&of_two, &launch, starts, &said, NULL), BL_OK);
    cr_assert_str_eq(said.limit, "3 lines where 1 would do, 3 of them in one tag bank");
}

Test(explain, the_fix_for_a_misaligned_start_is_to_begin_at_a_line)
{
    strided("intel-gen9", BL_MEMORY_GLOBAL, "int", 16, 33, 1);
    cr_assert_str_eq(said.limit, "2 lines where 1 would do");
    cr_assert_eq(said.fixes.count, 1);
    fixed("begin at the start of a cache line, 1 element earlier", 2);
}

Test(explain, the_fix_for_neighbours_that_are_far_apart_swaps_ids_or_reorders_accesses)
{
    struct bl_launch launch =
        launch_of("intel-gen9", BL_MEMORY_GLOBAL, "int", (struct bl_shape){16, 16});
    for (unsigned i = 0; i < 256; i++)
        starts[i] = i % 16 * 1024 + i / 16;
    cr_assert_eq(bl_explain_pattern(machine, &launch, starts, &said, NULL), BL_OK);
    cr_assert_str_eq(said.limit, "16 lines where 1 would do");
    cr_assert_eq(said.fixes.count, 1);
    fixed("in the expression, swap the ids of x and y within the group", 16);
    launch.shape = (struct bl_shape){16, 8};
    for (unsigned i = 0; i < 128; i++)
        starts[i] = i % 16 * 1024 + i / 16;
    cr_assert_eq(bl_explain_pattern(machine, &launch, starts, &said, NULL), BL_OK);
    fixed("in the expression, let y vary fastest within the group", 8);
    launch.shape = (struct bl_shape){256, 1};
    for (unsigned i = 0; i < 256; i++)
        starts[i] = i * 37 % 256;
    cr_assert_eq(bl_explain_pattern(machine, &launch, starts, &said, NULL), BL_OK);
    cr_assert(
        strstr(said.fixes.all[0].words, "neighbouring work-items access neighbouring elements"));
    cr_assert_gt(said.fixes.all[0].gain, 5);
}

Test(explain, an_expression_without_y_has_no_ids_to_swap)
{
    const struct bl_launch launch =
        launch_of("intel-gen9", BL_MEMORY_GLOBAL, "int", (struct bl_shape){16, 16});
    for (unsigned i = 0; i < 256; i++)
        starts[i] = i % 16 * 1024;
    cr_assert_eq(bl_explain_pattern(machine, &launch, starts, &said, NULL), BL_OK);
    cr_assert_gt(said.fixes.count, 0);
    for (unsigned i = 0; i < said.fixes.count; i++)
        cr_assert_null(strstr(said.fixes.all[i].words, " ids "), "%s", said.fixes.all[i].words);
}

Test(explain, sectors_limit_writes)
{
    strided("nvidia-hopper", BL_MEMORY_GLOBAL, "int", 32, 0, 1);
    struct bl_launch launch =
        launch_of("nvidia-hopper", BL_MEMORY_GLOBAL, "int", (struct bl_shape){32, 1});
    launch.is_write = true;
    for (unsigned i = 0; i < 32; i++)
        starts[i] = 2 * i;
    cr_assert_eq(bl_explain_pattern(machine, &launch, starts, &said, NULL), BL_OK);
    cr_assert_str_eq(said.limit, "8 sectors written where 4 would do");
}

Test(explain, a_request_as_cheap_as_a_contiguous_one_needs_no_fix)
{
    strided("nvidia-hopper", BL_MEMORY_GLOBAL, "int", 32, 0, 1);
    cr_assert(strstr(said.limit, "nothing: 1 line, "), "%s", said.limit);
    cr_assert_eq(said.fixes.count, 0);
    strided("nvidia-hopper", BL_MEMORY_LOCAL, "int", 32, 0, 33);
    cr_assert_str_eq(said.limit, "nothing: no bank conflict");
    strided("intel-gen9", BL_MEMORY_GLOBAL, "float4", 16, 0, 1);
    cr_assert_str_eq(said.limit, "nothing: 4 lines");
    strided("nvidia-hopper", BL_MEMORY_GLOBAL, "int", 32, 5, 0);
    cr_assert(strstr(said.limit, "nothing: 1 line, "), "%s", said.limit);
}

Test(explain, the_costliest_request_is_explained)
{
    const struct bl_launch launch =
        launch_of("intel-gen9", BL_MEMORY_LOCAL, "int", (struct bl_shape){40, 1});
    for (unsigned i = 0; i < 40; i++)
        starts[i] = i < 32 ? i : 16 * i; /* the last request has 8 lanes */
    cr_assert_eq(bl_explain_pattern(machine, &launch, starts, &said, NULL), BL_OK);
    cr_assert_eq(said.first_item, 32);
    cr_assert_eq(said.lanes, 8);
    cr_assert_str_eq(said.limit, "8 of 8 lanes want different words of bank 0");
}

Test(explain, the_first_of_equally_costly_requests_is_explained)
{
    strided("intel-gen9", BL_MEMORY_LOCAL, "int", 48, 0, 2);
    cr_assert_eq(said.first_item, 0);
    cr_assert_eq(said.lanes, 16);
}

Test(explain, a_machine_without_a_rule_explains_nothing)
{
    const struct bl_launch launch =
        launch_of("cpu", BL_MEMORY_LOCAL, "int", (struct bl_shape){16, 1});
    cr_assert_eq(bl_explain_pattern(machine, &launch, starts, &said, NULL), BL_BAD_MACHINE);
}

/* A group reads a tile of 8 x 4 elements from an array with rows of 1024 elements. With a pad of 8
 * elements, the rows of the tile use different banks. */
Test(explain, rows_are_padded_by_the_width_of_the_tile)
{
    const struct bl_launch launch =
        launch_of("nvidia-hopper", BL_MEMORY_LOCAL, "int", (struct bl_shape){8, 4});
    for (unsigned i = 0; i < 32; i++)
        starts[i] = i / 8 * 1024 + i % 8;
    cr_assert_eq(bl_explain_pattern(machine, &launch, starts, &said, NULL), BL_OK);
    fixed("pad each row of 1024 elements by 8", 4);
}

Test(explain, rows_are_found_in_descending_addresses_but_not_in_scattered_ones)
{
    const struct bl_launch launch =
        launch_of("nvidia-hopper", BL_MEMORY_LOCAL, "int", (struct bl_shape){32, 1});
    for (unsigned i = 0; i < 32; i++)
        starts[i] = (31 - i) * 32;
    cr_assert_eq(bl_explain_pattern(machine, &launch, starts, &said, NULL), BL_OK);
    fixed("pad each row of 32 elements by 1", 32);
    for (unsigned i = 0; i < 32; i++)
        starts[i] = (i * 40503u ^ (i >> 3) * 977u) % 1024;
    cr_assert_eq(bl_explain_pattern(machine, &launch, starts, &said, NULL), BL_OK);
    for (unsigned i = 0; i < said.fixes.count; i++)
        cr_assert_null(strstr(said.fixes.all[i].words, "row"), "%s", said.fixes.all[i].words);
}

/* The elements of neighbouring work-items are at random places. The fix is to store them in the
 * order in which work-items use them, so that accesses become contiguous. */
Test(explain, gathered_elements_are_stored_in_the_order_of_their_use)
{
    const struct bl_launch launch =
        launch_of("intel-gen9", BL_MEMORY_GLOBAL, "int", (struct bl_shape){16, 1});
    for (unsigned i = 0; i < 16; i++)
        starts[i] = i * 2654435761u % 65536;
    cr_assert_eq(bl_explain_pattern(machine, &launch, starts, &said, NULL), BL_OK);
    fixed("store side by side", 16);
}
