/* Tests layouts of an array: padding, transposing, XORing, splitting. A layout must give each
 * element a place of its own, and the printed index must compute this place. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "model/array_layout.h"
#include "model/expression.h"
#include "model/transform.h"

static struct bl_access accesses[4096];
static struct bl_array_layouts layouts;

/* Finds the layouts for a group in which work-item (x, y) reads element x * along_x + y * along_y.
 */
static void found(size_t width, size_t height, unsigned bytes, size_t along_x, size_t along_y,
                  bool is_local)
{
    for (size_t i = 0; i < width * height; i++)
        accesses[i] = (struct bl_access){
            .item = (uint32_t)i,
            .bytes = bytes,
            .address = (i % width * along_x + i / width * along_y) * bytes,
        };
    const struct bl_accesses all = {.all = accesses,
                                    .count = width * height,
                                    .local = {width, height, 1},
                                    .line_bytes = 128,
                                    .bank_round_bytes = 128,
                                    .is_local = is_local};
    bl_array_layouts_find(&all, &layouts);
}

/* The value of an expression of x = get_global_id(0) and y = get_global_id(1). */
static uint64_t value_of(const char *text, uint64_t x, uint64_t y)
{
    struct bl_expression expression;
    struct bl_error error = {0};
    int64_t value = -1;
    cr_assert_eq(bl_expression_parse(text, NULL, &expression, &error), BL_OK, "%s: %s", text,
                 error.sentence);
    const struct bl_work_item item = {.of[BL_GLOBAL_ID] = {x, y}};
    cr_assert_eq(bl_expression_compute(&expression, &item, &value), BL_NO_FAULT);
    bl_expression_free(&expression);
    return (uint64_t)value;
}

/* Replaces x and y by calls of get_global_id, and ROWS by the number of rows. */
static void with_ids(const char *index, uint64_t rows, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (; *index && used < size; used = strlen(text)) {
        if (*index == 'x' || *index == 'y')
            snprintf(text + used, size - used, "get_global_id(%d)", *index++ == 'y');
        else if (strncmp(index, "ROWS", 4) == 0) {
            snprintf(text + used, size - used, "%u", (unsigned)rows);
            index += 4;
        } else
            snprintf(text + used, size - used, "%c", *index++);
    }
}

/* Checks that no two elements get the same place, and that both printed indices compute the places.
 */
static void check(const struct bl_array_layout *layout)
{
    enum { ROWS = 12, PLACES = 1 << 16 };
    static bool is_taken[PLACES];
    char by_i[400], index[400], by_ids[400], words[192];
    memset(is_taken, 0, sizeof is_taken);
    bl_array_layout_words(layout, words, sizeof words);
    bl_array_layout_expression(layout, "get_global_id(0)", by_i, sizeof by_i);
    bl_array_layout_index(layout, index, sizeof index);
    with_ids(index, layout->rows, by_ids, sizeof by_ids);
    for (uint64_t i = 0; i < ROWS * layout->row; i++) {
        const uint64_t bytes = layout->element_bytes,
                       place = bl_array_layout_place(layout, i * bytes) / bytes;
        cr_assert_lt(place, PLACES);
        cr_assert(!is_taken[place], "%s: two elements have place %zu", words, (size_t)place);
        is_taken[place] = true;
        if (i % 7 == 0) {
            cr_assert_eq(value_of(by_i, i, 0), place, "%s: %s", words, by_i);
            cr_assert_eq(value_of(by_ids, i % layout->row, i / layout->row), place, "%s: %s", words,
                         by_ids);
        }
    }
}

Test(array_layout, each_element_gets_another_place_and_the_printed_index_computes_it)
{
    static const struct {
        size_t width, height;
        unsigned bytes;
        size_t along_x, along_y;
    } shapes[] = {{32, 1, 4, 32, 1}, {16, 16, 4, 16, 1}, {32, 1, 8, 33, 1},
                  {8, 4, 16, 1, 64}, {32, 1, 2, 64, 1},  {16, 2, 4, 3, 1}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (unsigned is_local = 0; is_local < 2; is_local++) {
            bool is_of_kind[BL_ARRAY_TURNED + 1] = {false};
            found(shapes[i].width, shapes[i].height, shapes[i].bytes, shapes[i].along_x,
                  shapes[i].along_y, is_local);
            cr_assert_gt(layouts.count, 0);
            for (size_t l = 0; l < layouts.count; l++) {
                if (layouts.all[l].rows < 12)
                    layouts.all[l].rows = 12;
                check(&layouts.all[l]);
                is_of_kind[layouts.all[l].kind] = true;
            }
            cr_assert(is_of_kind[BL_ARRAY_PADDED] && is_of_kind[BL_ARRAY_TURNED]);
        }
}

/* Work-items access pairs of elements. */
Test(array_layout, aligned_pairs_are_not_padded)
{
    for (unsigned is_local = 0; is_local < 2; is_local++) {
        found(32, 1, 4, 2, 1, is_local);
        for (size_t l = 0; l < layouts.count; l++)
            cr_expect(layouts.all[l].kind != BL_ARRAY_PADDED || layouts.all[l].row != 2);
    }
}

/* The best pad need not be a power of two: an FFT with elements of 8 bytes needs a pad of 3
 * elements. */
Test(array_layout, every_pad_up_to_eight_is_tried_and_transposed_tiles_are_padded)
{
    bool is_padded[33] = {false}, is_turned[3] = {false};
    found(32, 1, 8, 64, 1, true);
    for (size_t l = 0; l < layouts.count; l++) {
        const struct bl_array_layout *layout = &layouts.all[l];
        if (layout->row == 64 && layout->kind == BL_ARRAY_PADDED)
            is_padded[layout->pad] = true;
        if (layout->row == 64 && layout->kind == BL_ARRAY_TURNED)
            is_turned[layout->pad] = true;
    }
    for (unsigned by = 1; by <= 8; by++)
        cr_assert(is_padded[by], "%u", by);
    cr_assert(is_padded[16] && is_padded[32]);
    cr_assert(is_turned[0] && is_turned[1] && is_turned[2]);
}

/* In an array of records of 24 bytes, members of 4 bytes at the offsets 0 and 12, and a member of 8
 * bytes at 16 are accessed. Storing one array per member must not divide a member. */
Test(array_layout, members_of_a_record_are_not_divided)
{
    static const unsigned offsets[] = {0, 12, 16}, bytes[] = {4, 4, 8};
    size_t count = 0, split = 0;
    for (uint32_t member = 0; member < 3; member++)
        for (uint32_t item = 0; item < 32; item++)
            accesses[count++] = (struct bl_access){.instruction = member,
                                                   .item = item,
                                                   .bytes = bytes[member],
                                                   .address = 24 * item + offsets[member]};
    const struct bl_accesses all = {
        .all = accesses, .count = count, .local = {32, 1, 1}, .line_bytes = 128};
    bl_array_layouts_find(&all, &layouts);
    for (size_t l = 0; l < layouts.count; l++) {
        const struct bl_array_layout *layout = &layouts.all[l];
        if (layout->kind != BL_ARRAY_SPLIT)
            continue;
        split++;
        cr_assert_eq(layout->begins, 0x1f, "%zx", (size_t)layout->begins);
        cr_assert(bl_array_layout_keeps(layout, &all));
        cr_assert_eq(bl_array_layout_place(layout, 24 * 3), 4 * 3);
        cr_assert_eq(bl_array_layout_place(layout, 24 * 3 + 12), 4 * (3 * 32 + 3));
        cr_assert_eq(bl_array_layout_place(layout, 24 * 3 + 20), 4 * (4 * 32 + 2 * 3 + 1));
    }
    cr_assert_eq(split, 1);
}

/* Finds the layouts for accesses along the diagonals of a tile of `size` x `size` elements. The
 * elements of neighbouring work-items are `size - 1` elements apart. row_bytes: the declared length
 * of a row; 0 if the array has no declared rows. */
static void found_on_diagonals(size_t size, unsigned row_bytes)
{
    size_t count = 0;
    for (size_t step = 0; step < 2 * size - 1; step++)
        for (size_t y = 0; y < size && y <= step; y++)
            if (step - y < size)
                accesses[count++] = (struct bl_access){
                    .occurrence = (uint32_t)step,
                    .item = (uint32_t)y,
                    .bytes = 4,
                    .address = ((step - y) * size + y) * 4,
                };
    const struct bl_accesses all = {.all = accesses,
                                    .count = count,
                                    .local = {size, 1, 1},
                                    .line_bytes = 128,
                                    .bank_round_bytes = 128,
                                    .row_bytes = row_bytes,
                                    .is_local = true};
    bl_array_layouts_find(&all, &layouts);
}

Test(array_layout, the_declared_row_is_tried_first)
{
    found_on_diagonals(33, 4 * 33);
    cr_assert_gt(layouts.count, 0);
    cr_assert_eq(layouts.all[0].row, 33);
    cr_assert_eq(layouts.all[0].pad, 1);
    found(32, 1, 4, 64, 1, true);
    cr_assert_eq(layouts.all[0].row, 64, "no row is declared, so the distance is taken as a row");
    found(16, 1, 4, 33, 1, true); /* the array has 31 x 16 elements, but no two accesses are 31 or
                                     32 elements apart */
    cr_assert_eq(layouts.all[0].row, 33);
}

Test(array_layout, diagonals_show_the_row_length_of_a_flat_array)
{
    found_on_diagonals(17, 0);
    cr_assert_gt(layouts.count, 0);
    cr_assert_eq(layouts.all[0].row, 17, "%zu", (size_t)layouts.all[0].row);
    bool has_distance = false;
    for (size_t l = 0; l < layouts.count; l++)
        has_distance |= layouts.all[l].row == 16;
    cr_assert(has_distance);
}

Test(array_layout, the_size_of_a_changed_array_is_computed)
{
    found_on_diagonals(33, 4 * 33);
    bool is_larger = false;
    for (size_t l = 0; l < layouts.count; l++) {
        const struct bl_array_layout *layout = &layouts.all[l];
        uint64_t end = 0;
        for (uint64_t i = 0; i < 33 * 33; i++) {
            const uint64_t place = bl_array_layout_place(layout, 4 * i) / 4;
            end = place >= end ? place + 1 : end;
        }
        cr_assert_eq(layout->elements, 33 * 33);
        cr_assert_leq(end, bl_array_layout_elements(layout));
        if (layout->kind == BL_ARRAY_SWIZZLED && layout->row == 32) {
            cr_assert_gt(end, 33 * 33, "the array's own size is too small");
            cr_assert_eq(bl_array_layout_elements(layout), 35 * 32);
            is_larger = true;
        }
    }
    cr_assert(is_larger);
}

Test(array_layout, elements_that_are_accessed_together_stay_together)
{
    struct bl_array_layout layout = {
        .kind = BL_ARRAY_SWIZZLED, .element_bytes = 4, .row = 32, .unit = 4, .rows_each = 1};
    struct bl_access wide = {.bytes = 16, .address = 4 * (32 * 3 + 8)};
    const struct bl_accesses all = {.all = &wide, .count = 1};
    char index[128];
    cr_assert(bl_array_layout_keeps(&layout, &all));
    bl_array_layout_index(&layout, index, sizeof index);
    cr_assert_str_eq(index, "y * 32 + (x ^ y % 8 * 4)");
    check(&layout);
    layout.unit = 1;
    cr_assert_not(bl_array_layout_keeps(&layout, &all),
                  "the elements of a vector would be separated");
    layout = (struct bl_array_layout){
        .kind = BL_ARRAY_PADDED, .element_bytes = 4, .row = 32, .pad = 1, .unit = 1};
    cr_assert_not(bl_array_layout_keeps(&layout, &all), "a vector would not be aligned");
    layout.pad = 4;
    cr_assert(bl_array_layout_keeps(&layout, &all));
    layout = (struct bl_array_layout){.kind = BL_ARRAY_TURNED,
                                      .element_bytes = 4,
                                      .row = 32,
                                      .unit = 4,
                                      .rows = 12,
                                      .is_local = true};
    check(&layout);
    bl_array_layout_index(&layout, index, sizeof index);
    cr_assert_str_eq(index, "x / 4 * 48 + y * 4 + x % 4");
}

Test(array_layout, scattered_accesses_have_no_rows)
{
    for (unsigned i = 0; i < 256; i++)
        accesses[i] = (struct bl_access){
            .item = i, .bytes = 4, .address = (i * 40503u ^ (i >> 3) * 977u) % 1024 * 4};
    const struct bl_accesses all = {.all = accesses, .count = 256, .local = {256, 1, 1}};
    bl_array_layouts_find(&all, &layouts);
    cr_assert(layouts.is_scattered);
    cr_assert_eq(layouts.count, 0);
    found(32, 1, 4, 1, 1, true);
    cr_assert_not(layouts.is_scattered);
    bl_array_layouts_find(&(struct bl_accesses){.count = 0}, &layouts);
    cr_assert_eq(layouts.count, 0);
}

/* The text of the first layout, if neighbours along x are a row of 32 elements apart. */
static const char *first_words(bool has_short_first, unsigned row_bytes)
{
    static char words[64];
    for (size_t i = 0; i < 64; i++)
        accesses[i] = (struct bl_access){
            .item = (uint32_t)i % 32, .occurrence = (uint32_t)i / 32, .bytes = 4};
    for (size_t i = 0; i < 64; i++)
        accesses[i].address = (i % 32 * 32 + i / 32) * 4;
    const struct bl_accesses all = {.all = accesses,
                                    .count = 64,
                                    .local = {32, 1, 1},
                                    .bank_round_bytes = 128,
                                    .row_bytes = row_bytes,
                                    .is_local = true,
                                    .has_short_first = has_short_first};
    bl_array_layouts_find(&all, &layouts);
    cr_assert_gt(layouts.count, 0);
    cr_assert(layouts.all->is_own_row);
    bl_array_layout_words(layouts.all, words, sizeof words);
    return words;
}

/* If the program computes y and x from one number, the index y * 33 + x takes one instruction more
 * than y * 35 + x. If the array is declared as tile[32][33], the compiler multiplies by 132 bytes,
 * and a pad of 1 is as cheap. */
Test(array_layout, the_shortest_index_comes_first)
{
    cr_assert_str_eq(first_words(true, 0), "pad each row of 32 elements by 3");
    cr_assert_str_eq(first_words(true, 128), "pad each row of 32 elements by 1");
    cr_assert_str_eq(first_words(false, 0), "pad each row of 32 elements by 1");
}

/* Made-up costs: padding by 1 reduces 100 clocks to 60, and padding by 2 reduces them to 50. Other
 * layouts do not help. */
static enum bl_status made_up_clocks(void *context, const struct bl_changed_accesses *change,
                                     struct bl_clocks *clocks)
{
    (void)context;
    const struct bl_array_layout *layout = change->layout;
    const double own = !layout || layout->kind != BL_ARRAY_PADDED ? 100
                       : layout->pad == 1                         ? 60
                       : layout->pad == 2                         ? 50
                                                                  : 100;
    *clocks = (struct bl_clocks){.own = own, .line = own, .all = own + 10, .stage = own};
    return BL_OK;
}

/* The text of the best fix, with the made-up costs, if each of 32 work-items reads `times` elements
 * of its row, `distance` elements apart. */
static const char *best_words(double issue_clocks, unsigned times, unsigned distance)
{
    static struct bl_fixes fixes;
    struct bl_error error = {0};
    for (size_t i = 0; i < 32 * (size_t)times; i++)
        accesses[i] = (struct bl_access){.item = (uint32_t)i % 32,
                                         .occurrence = (uint32_t)i / 32,
                                         .bytes = 4,
                                         .address = i % 32 * 128 + i / 32 * distance * 4};
    const struct bl_accesses all = {.all = accesses,
                                    .count = 32 * (size_t)times,
                                    .local = {32, 1, 1},
                                    .bank_round_bytes = 128,
                                    .is_local = true};
    fixes = (struct bl_fixes){.now = {.own = 100, .line = 100, .all = 110, .stage = 100},
                              .issue_clocks = issue_clocks};
    cr_assert_eq(
        bl_find_fixes(&all, BL_TRANSFORMS_OF_LOCAL_ARRAY, made_up_clocks, NULL, &fixes, &error),
        BL_OK);
    cr_assert_gt(fixes.count, 0);
    return fixes.all[fixes.count - 1].words;
}

Test(array_layout, fewer_passes_gain_nothing_if_instructions_take_longer)
{
    cr_assert_str_eq(best_words(0, 1, 0), "pad each row of 32 elements by 2");
    cr_assert_str_eq(best_words(55. / 7, 1, 0), "pad each row of 32 elements by 2");
    cr_assert_str_eq(best_words(70. / 7, 1, 0), "pad each row of 32 elements by 1");
}

Test(array_layout, accesses_along_a_row_take_fewer_instructions)
{
    cr_assert_str_eq(best_words(70. / 7, 3, 1), "pad each row of 32 elements by 2");
    cr_assert_str_eq(best_words(70. / 3, 3, 1), "pad each row of 32 elements by 1");
    cr_assert_str_eq(best_words(70. / 7, 3, 2), "pad each row of 32 elements by 1",
                     "only every second element is read, which is not a walk along the row");
}

/* The number of instructions that an access to the array is assumed to take with the layout. */
static double instructions_of(struct bl_fixes fixes, struct bl_array_layout layout)
{
    fixes.issue_clocks = 0.5;
    return bl_fix_issue_clocks(&fixes, &(struct bl_fix){.layout = layout}) / 0.5;
}

Test(array_layout, an_index_is_short_only_along_the_arrays_own_rows)
{
    const struct bl_fixes walks = {.walk_rows = true}, jumps = {.walk_rows = false},
                          repeats = {.walk_rows = true, .are_repeated = true};
    const struct bl_array_layout padded = {.kind = BL_ARRAY_PADDED, .is_own_row = true},
                                 turned = {.kind = BL_ARRAY_TURNED, .is_own_row = true},
                                 swizzled = {.kind = BL_ARRAY_SWIZZLED, .is_own_row = true},
                                 other_rows = {.kind = BL_ARRAY_PADDED};
    cr_expect_eq(instructions_of(walks, padded), 3);
    cr_expect_eq(instructions_of(walks, turned), 3);
    cr_expect_eq(instructions_of(walks, swizzled), 7);
    cr_expect_eq(instructions_of(walks, other_rows), 7);
    cr_expect_eq(instructions_of(jumps, padded), 7);
    cr_expect_eq(instructions_of(repeats, padded), 7,
                 "the compiler makes fewer accesses than the model counts");
}

/* A work-item of a stencil reads each element of its row three times, so a compiler keeps elements
 * in registers. */
Test(array_layout, repeated_accesses_are_found)
{
    enum { ITEMS = 32, ROUNDS = 8, TAPS = 3 };
    struct bl_fixes fixes = {.now = {.own = 100, .line = 100, .all = 110, .stage = 100}};
    struct bl_error error = {0};
    for (unsigned tap = 0, i = 0; tap < TAPS; tap++)
        for (unsigned round = 0; round < ROUNDS; round++)
            for (unsigned item = 0; item < ITEMS; item++, i++)
                accesses[i] = (struct bl_access){.instruction = tap,
                                                 .occurrence = round,
                                                 .item = item,
                                                 .order = round * TAPS + tap,
                                                 .bytes = 4,
                                                 .address = item * 128 + (round + tap) * 4};
    struct bl_accesses all = {.all = accesses,
                              .count = ITEMS * ROUNDS * TAPS,
                              .local = {ITEMS, 1, 1},
                              .bank_round_bytes = 128,
                              .is_local = true};
    cr_assert_eq(
        bl_find_fixes(&all, BL_TRANSFORMS_OF_LOCAL_ARRAY, made_up_clocks, NULL, &fixes, &error),
        BL_OK);
    cr_expect(fixes.walk_rows && fixes.are_repeated);
    all.count = ITEMS * ROUNDS;
    cr_assert_eq(
        bl_find_fixes(&all, BL_TRANSFORMS_OF_LOCAL_ARRAY, made_up_clocks, NULL, &fixes, &error),
        BL_OK);
    cr_expect(fixes.walk_rows && !fixes.are_repeated);
}

Test(array_layout, only_consecutive_executions_walk_along_a_row)
{
    struct bl_access all[] = {{.bytes = 4, .address = 64},
                              {.occurrence = 1, .bytes = 4, .address = 68}};
    cr_expect(bl_accesses_walk_rows(all, 2));
    all[1].address = 72;
    cr_expect_not(bl_accesses_walk_rows(all, 2));
    all[1] = (struct bl_access){.occurrence = 2, .bytes = 4, .address = 68};
    cr_expect_not(bl_accesses_walk_rows(all, 2),
                  "the execution between them may access another place");
    all[1] = (struct bl_access){.instruction = 1, .occurrence = 1, .bytes = 4, .address = 68};
    cr_expect_not(bl_accesses_walk_rows(all, 2), "another instruction");
    all[1] = (struct bl_access){.occurrence = 1, .item = 1, .bytes = 4, .address = 68};
    cr_expect_not(bl_accesses_walk_rows(all, 2), "another work-item");
    cr_expect_not(bl_accesses_walk_rows(all, 0));
}
