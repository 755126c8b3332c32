/* Tests the advice that a trace gives. */
#include <math.h>

#include "cli/trace_view.h"
#include "trace/suggest.h"
#include "trace_stream.h"

static struct bl_suggestions suggestions;

/* Ends the trace, reads it, and returns its only suggestion. */
static const struct bl_suggestion *only(const char *machine)
{
    put_end();
    cr_assert_eq(read_all(machine), BL_OK, "%s", error.sentence);
    cr_assert_eq(bl_trace_suggest(&trace, &suggestions, &error), BL_OK);
    cr_assert_eq(suggestions.count, 1, "%zu", suggestions.count);
    return &suggestions.all[0];
}

Test(trace_suggest, a_column_of_a_tile_is_padded_for_all_its_accesses)
{
    begin(2, 1, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned k = 0; k < 32; k++) {
            put_access(0, BL_WIRE_LOCAL, BL_WIRE_WRITE, 4, buffer + 128 * k + 4 * item);
            put_access(1, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 128 * item + 4 * k);
        }
    }
    /* The tile is not declared with rows, so the program computes the index from y and the row's
     * length. NVIDIA's compilers turn y * 33 into a shift and an addition, which is one instruction
     * more than y * 35 takes. */
    const struct bl_suggestion *suggestion = only("nvidia-hopper");
    cr_assert_not_null(strstr(suggestion->sentence, "pad each row of 32 elements by 3"), "%s",
                       suggestion->sentence);
    cr_assert_float_eq(suggestion->gain, 32, 1e-6);
    cr_assert_float_eq(suggestion->kernel_gain, 33.0 / 2, 1e-6, "the writes do not change");
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

/* Columns of a tile of 32 rows of 32 elements are read, and the group uses `bytes` bytes of local
 * memory; on this machine it may use 48 KiB. */
static const struct bl_suggestion *with_local_memory(uint64_t bytes)
{
    stream_bytes = 0;
    put_hello();
    put_source(0, "one\ntwo\n");
    for (unsigned i = 0; i < 2; i++)
        put_instruction(i, i + 1, 1, "input.cl");
    put_kernel(0, "kernel", 32, 1);
    put(BL_WIRE_GROUP, 32, bytes, 0);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned k = 0; k < 32; k++) {
            put_access(0, BL_WIRE_LOCAL, BL_WIRE_WRITE, 4, buffer + 128 * k + 4 * item);
            put_access(1, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 128 * item + 4 * k);
        }
    }
    return only("nvidia-hopper");
}

Test(trace_suggest, padding_must_fit_into_the_local_memory_of_a_group)
{
    static const struct {
        uint64_t bytes;
        const char *fix;
    } cases[] = {
        {0, "pad each row of 32 elements by 3"},
        {48 * 1024 - 31 * 12, "pad each row of 32 elements by 3"},
        {48 * 1024 - 31 * 12 + 4, "pad each row of 32 elements by 1"},
        {48 * 1024, "swizzle each row of 32 elements"},
        {64 * 1024, "swizzle each row of 32 elements"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct bl_suggestion *suggestion = with_local_memory(cases[i].bytes);
        cr_expect_not_null(strstr(suggestion->fix, cases[i].fix), "case %zu: %s", i,
                           suggestion->sentence);
        cr_expect_float_eq(suggestion->gain, 32, 1e-6);
        bl_suggestions_free(&suggestions);
        bl_trace_free(&trace);
    }
}

/* The array has rows of 33 elements; the advised layout needs more elements than the array has. */
Test(trace_suggest, a_layout_states_the_new_size_of_the_array)
{
    begin(2, 1, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned k = item; k < 32; k++)
            put_access(0, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 4 * (33 * (k - item) + item));
        for (unsigned k = item; k < 32; k++)
            put_access(0, BL_WIRE_LOCAL, BL_WIRE_READ, 4,
                       buffer + 4 * (33 * (32 - item) + 32 + item - k));
        put_access(1, BL_WIRE_LOCAL, BL_WIRE_WRITE, 4, buffer + 4 * 1108);
    }
    const struct bl_suggestion *suggestion = only("nvidia-ampere");
    cr_assert_not_null(strstr(suggestion->sentence, "; the array then has 1122 elements: "), "%s",
                       suggestion->sentence);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

/* The distance between the elements of neighbouring work-items is the length of a row only if it is
 * not the distance of data. */
Test(trace_suggest, rows_that_only_data_have_are_not_padded)
{
    for (unsigned is_gathered = 0; is_gathered < 2; is_gathered++) {
        begin(1, 1, 32, 1);
        for (unsigned item = 0; item < 32; item++) {
            put_item(item);
            for (unsigned k = 0; k < 2; k++)
                put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 4096 * item + 4 * k);
        }
        put_end();
        cr_assert_eq(read_all("nvidia-hopper"), BL_OK, "%s", error.sentence);
        trace.instructions[0].is.is_gathered = is_gathered;
        cr_assert_eq(bl_trace_suggest(&trace, &suggestions, &error), BL_OK);
        cr_assert_eq(suggestions.count, 1);
        const char *sentence = suggestions.all[0].sentence;
        cr_expect_eq(strstr(sentence, "rows of 1024 elements") != NULL, !is_gathered, "%s",
                     sentence);
        bl_suggestions_free(&suggestions);
        bl_trace_free(&trace);
    }
}

/* Rows of 128 bytes. Line 1 writes a row. Line 2 reads a column, whose cost differs between 16, 32
 * and 64 banks. The cost of a layout must be known for all three. */
Test(trace_suggest, a_layout_is_advised_that_helps_for_all_possible_banks)
{
    begin(2, 1, 16, 1);
    for (unsigned item = 0; item < 16; item++) {
        put_item(item);
        for (unsigned k = 0; k < 16; k++) {
            put_access(0, BL_WIRE_LOCAL, BL_WIRE_WRITE, 4, buffer + 128 * k + 4 * item);
            put_access(1, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 128 * item + 4 * k);
        }
    }
    const struct bl_suggestion *suggestion = only("intel-xe-hpg");
    cr_expect_str_eq(suggestion->fix, "pad each row of 32 elements by 1", "%s",
                     suggestion->sentence);
    cr_expect_not_null(strstr(suggestion->sentence,
                              "local reads in kernel: a request of 16 lanes takes 1 to 16 bank "
                              "passes, depending on the banks; "),
                       "%s", suggestion->sentence);
    cr_expect_not_null(
        strstr(suggestion->sentence,
               ": by the model, these accesses become 1 to 16 times as fast, depending "
               "on the banks, and "),
        "%s", suggestion->sentence);
    cr_expect(suggestion->gain > 1 && suggestion->gain < 16, "%g", suggestion->gain);
    cr_expect(suggestion->kernel_gain > 1 && suggestion->kernel_gain < suggestion->gain);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

/* The present cost does not depend on the banks, but the cost of another layout would. */
Test(trace_suggest, no_layout_is_advised_that_is_worse_for_some_banks)
{
    begin(2, 1, 16, 1);
    for (unsigned item = 0; item < 16; item++) {
        put_item(item);
        for (unsigned k = 0; k < 8; k++) {
            put_access(0, BL_WIRE_LOCAL, BL_WIRE_WRITE, 4, buffer + 128 * k + 4 * item);
            put_access(1, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 128 * k + 4 * item);
        }
    }
    put_end();
    cr_assert_eq(read_all("intel-xe-hpg"), BL_OK, "%s", error.sentence);
    cr_assert_eq(bl_trace_suggest(&trace, &suggestions, &error), BL_OK);
    cr_expect_eq(suggestions.count, 0, "%s", suggestions.all[0].sentence);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

Test(trace_suggest, a_few_conflicts_cost_less_than_longer_indices)
{
    for (unsigned is_hopper = 0; is_hopper < 2; is_hopper++) {
        begin(1, 1, 32, 1);
        for (unsigned item = 0; item < 32; item++) {
            put_item(item);
            for (unsigned k = 0; k < 8; k++) /* the first of eight rounds has twice the stride */
                put_access(0, BL_WIRE_LOCAL, BL_WIRE_READ, 4,
                           buffer + (k ? 4 * item : 8 * item) + 256 * k);
        }
        const struct bl_suggestion *suggestion = only(is_hopper ? "nvidia-hopper" : "intel-gen9");
        cr_expect_eq(strstr(suggestion->sentence, "would not make the kernel faster") != NULL,
                     is_hopper, "%s", suggestion->sentence);
        cr_expect_eq(*suggestion->fix == '\0', is_hopper, "%s", suggestion->fix);
        bl_suggestions_free(&suggestions);
        bl_trace_free(&trace);
    }
}

Test(trace_suggest, neighbouring_elements_are_accessed_as_vectors)
{
    begin(1, 1, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned k = 0; k < 4; k++)
            put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 16 * item + 4 * k);
    }
    const struct bl_suggestion *suggestion = only("nvidia-hopper");
    cr_assert_not_null(strstr(suggestion->sentence, "4 neighbouring elements at once"), "%s",
                       suggestion->sentence);
    cr_assert_gt(suggestion->gain, 2);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

/* Each work-item reads four neighbouring elements, each in a separate source line. */
Test(trace_suggest, neighbouring_elements_of_several_lines_are_accessed_as_one_vector)
{
    begin(4, 1, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned k = 0; k < 4; k++)
            put_access(k, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 16 * item + 4 * k);
    }
    const struct bl_suggestion *suggestion = only("nvidia-hopper");
    cr_expect_not_null(
        strstr(suggestion->sentence,
               "4 neighbouring elements at once, as a vector, instead of one by one"),
        "%s", suggestion->sentence);
    cr_expect_float_eq(suggestion->gain, 4, 1e-6, "%g", suggestion->gain);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

/* 32 work-items read four neighbouring elements each, whose known alignment is given. The last one,
 * or the last one of another group if there are two groups, begins `offset` bytes later. */
static enum bl_status read_vectors(const char *machine, uint32_t alignment, uint64_t offset,
                                   bool has_two_groups)
{
    alignment_of_stream = alignment;
    begin(1, 4, 32, 1);
    alignment_of_stream = 0;
    for (unsigned group = 0; group < 1u + has_two_groups; group++) {
        if (group > 0) {
            put(BL_WIRE_GROUP_END, 0, 0, 0);
            put_group(32);
        }
        for (unsigned item = 0; item < 32; item++) {
            put_item(item);
            put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 16,
                       buffer + 16 * item + (item == 31 && group == has_two_groups ? offset : 0));
        }
    }
    put_end();
    const enum bl_status status = read_all(machine);
    return status == BL_OK ? bl_trace_suggest(&trace, &suggestions, &error) : status;
}

/* The machine splits vloadn into components, and members of packed structures into bytes, because
 * a compiler does not know the alignment. */
Test(trace_suggest, the_compiler_is_told_of_alignments_that_it_does_not_know)
{
    static const char
        vectors[] = "pointer to aligned vectors, such as float4,",
        structures[] =
            "use an unpacked structure aligned to 16 bytes; now it is accessed 1 B at a time";
    static const struct {
        const char *machine;
        uint32_t alignment;
        uint64_t offset;
        bool has_two_groups;
        const char *fix;
    } cases[] = {
        {"nvidia-hopper", 4, 0, false, vectors},    {"nvidia-hopper", 4, 16, true, vectors},
        {"nvidia-hopper", 4, 4, false, NULL},       {"nvidia-hopper", 4, 4, true, NULL},
        {"nvidia-hopper", 1, 0, false, structures}, {"nvidia-hopper", 1, 4, false, NULL},
        {"intel-gen9", 4, 0, false, NULL},          {"intel-gen9", 1, 0, false, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_assert_eq(read_vectors(cases[i].machine, cases[i].alignment, cases[i].offset,
                                  cases[i].has_two_groups),
                     BL_OK);
        const struct bl_suggestion *suggestion = suggestions.count ? suggestions.all : NULL;
        const char *found = !suggestion                           ? NULL
                            : strstr(suggestion->fix, vectors)    ? vectors
                            : strstr(suggestion->fix, structures) ? structures
                                                                  : NULL;
        cr_expect_eq(found, cases[i].fix, "case %zu: %s", i,
                     suggestion ? suggestion->sentence : "nothing");
        if (found && !cases[i].offset)
            cr_expect_float_eq(suggestion->gain, 16 / cases[i].alignment, 1e-6, "%s",
                               suggestion->sentence);
        bl_suggestions_free(&suggestions);
        bl_trace_free(&trace);
    }
}

/* One work-item of a group of 64 reads 256 elements, `step` bytes apart. */
static const struct bl_suggestion *one_lane_reads(uint64_t step)
{
    begin(1, 1, 64, 1);
    put_item(32);
    for (unsigned k = 0; k < 256; k++)
        put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + step * k);
    return only("nvidia-hopper");
}

Test(trace_suggest, all_lanes_share_what_one_lane_of_a_sub_group_copies)
{
    const struct bl_suggestion *suggestion = one_lane_reads(4);
    cr_expect_str_eq(suggestion->fix,
                     "let all 32 lanes of the sub-group share these accesses, neighbouring lanes "
                     "at neighbouring elements",
                     "%s", suggestion->sentence);
    cr_expect_float_eq(suggestion->gain, 32, 1e-6, "%g", suggestion->gain);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

/* The lane walks along two arrays in turn, so its accesses cannot simply be shared. */
Test(trace_suggest, one_lane_is_not_advised_to_use_vectors)
{
    begin(1, 1, 64, 1);
    put_item(32);
    for (unsigned k = 0; k < 256; k++)
        put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 4 * k + 1024 * (k / 8 % 2));
    put_end();
    cr_assert_eq(read_all("nvidia-hopper"), BL_OK, "%s", error.sentence);
    cr_assert_eq(bl_trace_suggest(&trace, &suggestions, &error), BL_OK);
    cr_expect_eq(suggestions.count, 0, "%s", suggestions.all[0].sentence);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

Test(trace_suggest, a_member_of_records_gets_a_separate_array)
{
    begin(1, 1, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 64 * item);
    }
    const struct bl_suggestion *suggestion = only("intel-gen9");
    cr_assert_not_null(strstr(suggestion->sentence, "one array for each member"), "%s",
                       suggestion->sentence);
    cr_assert_float_eq(suggestion->gain, 16, 1e-6);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

/* Only the costliest group has bank conflicts, and only the groups of nine more launches execute
 * line 3. */
Test(trace_suggest, the_gain_of_the_kernel_is_that_of_all_groups)
{
    begin(3, 1, 32, 1);
    for (unsigned launch = 0; launch < 10; launch++) {
        if (launch > 0) {
            put(BL_WIRE_GROUP_END, 0, 0, 0);
            put(BL_WIRE_KERNEL_END, 0, 0, 1);
            put_kernel(0, "kernel", 32, 1);
            put_group(32);
        }
        for (unsigned item = 0; item < 32; item++) {
            put_item(item);
            if (launch == 0)
                put_access(0, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 128 * item);
            for (unsigned k = 0; k < (launch ? 16 : 2); k++)
                put_access(1, BL_WIRE_LOCAL, BL_WIRE_READ, 4, 2 * buffer + 4 * item + 128 * k);
            for (unsigned k = 0; k < 8 && launch; k++)
                put_access(2, BL_WIRE_LOCAL, BL_WIRE_READ, 4, 3 * buffer + 4 * item + 128 * k);
        }
    }
    const struct bl_suggestion *suggestion = only("nvidia-hopper");
    const double others = 2 + 9 * (16 + 8);
    cr_expect_float_eq(suggestion->gain, 32, 1e-6);
    cr_expect_float_eq(suggestion->kernel_gain, (32 + others) / (1 + others), 1e-6, "%g",
                       suggestion->kernel_gain);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

/* The second launch has a single work-item. */
Test(trace_suggest, advice_is_given_if_the_last_launch_has_groups_of_one)
{
    begin(1, 1, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 64 * item);
    }
    put(BL_WIRE_GROUP_END, 0, 0, 0);
    put(BL_WIRE_KERNEL_END, 0, 0, 1);
    put_kernel(0, "kernel", 1, 1);
    put_group(1);
    put_item(0);
    put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer);
    const struct bl_suggestion *suggestion = only("intel-gen9");
    cr_expect_not_null(strstr(suggestion->sentence, "one array for each member"), "%s",
                       suggestion->sentence);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

/* Accesses x and w of struct { float x, y, z; int id; double w; }. */
Test(trace_suggest, members_of_several_sizes_get_separate_arrays)
{
    begin(3, 1, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 8, buffer + 24 * item + 16);
        put_access(1, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 24 * item);
        put_access(2, BL_WIRE_GLOBAL, BL_WIRE_WRITE, 4, buffer + 24 * item);
    }
    const struct bl_suggestion *suggestion = only("nvidia-hopper");
    cr_expect_str_eq(suggestion->fix, "store one array for each member of the records of 24 bytes",
                     "%s", suggestion->sentence);
    cr_expect_str_eq(suggestion->index, "");
    cr_expect_str_eq(suggestion->expression, "");
    cr_expect_not_null(strstr(suggestion->sentence, "24 bytes, also in lines "), "%s",
                       suggestion->sentence);
    cr_expect_gt(suggestion->kernel_gain, 2);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

/* If a row is as long as the launch is wide, the rows belong to a matrix and are not records. */
Test(trace_suggest, rows_of_a_small_matrix_are_not_records)
{
    begin(1, 1, 64, 1);
    for (unsigned item = 0; item < 64; item++) {
        put_item(item);
        put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 256 * item);
    }
    const struct bl_suggestion *suggestion = only("nvidia-hopper");
    cr_expect_str_eq(suggestion->fix, "transpose the array (rows of 64 elements)", "%s",
                     suggestion->sentence);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

Test(trace_suggest, a_column_of_global_memory_is_transposed)
{
    begin(2, 1, 16, 16);
    for (unsigned item = 0; item < 256; item++) {
        put_item(item);
        put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 4 * item);
        put_access(1, BL_WIRE_GLOBAL, BL_WIRE_WRITE, 4,
                   2 * buffer + 4096 * (item % 16) + 4 * (item / 16));
    }
    const struct bl_suggestion *suggestion = only("intel-gen9");
    cr_assert_not_null(strstr(suggestion->sentence, "exchange x and y"), "%s",
                       suggestion->sentence);
    cr_assert_float_eq(suggestion->gain, 16, 1e-6);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

/* A group writes only an eighth of each line, so it must fill a tile in several steps. */
Test(trace_suggest, a_flat_group_transposes_through_a_square_tile)
{
    begin(2, 1, 64, 4);
    for (unsigned item = 0; item < 256; item++) {
        put_item(item);
        put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4,
                   buffer + 256 * (item / 64) + 4 * (item % 64));
        put_access(1, BL_WIRE_GLOBAL, BL_WIRE_WRITE, 4,
                   2 * buffer + 256 * (item % 64) + 4 * (item / 64));
    }
    const struct bl_suggestion *suggestion = only("nvidia-hopper");
    cr_expect_not_null(strstr(suggestion->fix, "through a tile of 32x32 elements"), "%s",
                       suggestion->sentence);
    cr_expect_float_eq(suggestion->gain, 8, 1e-6);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

/* Line 1 reads and line 2 writes the same member of one array, so there is one suggestion. */
Test(trace_suggest, the_read_and_the_write_of_a_member_get_one_suggestion)
{
    begin(2, 1, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 32 * item + 8);
        put_access(1, BL_WIRE_GLOBAL, BL_WIRE_WRITE, 4, buffer + 32 * item + 8);
    }
    const struct bl_suggestion *suggestion = only("nvidia-hopper");
    cr_assert_not_null(strstr(suggestion->sentence, "one array for each member"), "%s",
                       suggestion->sentence);
    cr_assert_str_eq(suggestion->index, "x * ROWS + y");
    cr_assert_gt(suggestion->kernel_gain, 4);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

Test(trace_suggest, an_element_that_one_work_item_keeps_updating_goes_into_a_register)
{
    begin(2, 1, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned k = 0; k < 8; k++) {
            put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 4 * item);
            put_access(1, BL_WIRE_GLOBAL, BL_WIRE_WRITE, 4, buffer + 4 * item);
        }
    }
    const struct bl_suggestion *suggestion = only("nvidia-hopper");
    cr_assert_not_null(strstr(suggestion->sentence, "keep it in a register, and write it once"),
                       "%s", suggestion->sentence);
    cr_assert_not_null(
        strstr(suggestion->sentence,
               "each work-item writes the same elements again and again, 8 times each"));
    cr_assert_float_eq(suggestion->kernel_gain, 8, 1e-6);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

Test(trace_suggest, volatile_accesses_are_not_replaced_by_a_register)
{
    for (unsigned is_volatile = 0; is_volatile < 2; is_volatile++) {
        is_volatile_of_stream = is_volatile;
        begin(1, 1, 32, 1);
        is_volatile_of_stream = false;
        for (unsigned item = 0; item < 32; item++) {
            put_item(item);
            for (unsigned k = 0; k < 32; k++)
                put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 64 * item);
        }
        const char *sentence = only("nvidia-hopper")->sentence;
        cr_expect_eq(strstr(sentence, "register") == NULL, is_volatile, "%s", sentence);
        bl_suggestions_free(&suggestions);
        bl_trace_free(&trace);
    }
}

/* In each of `rounds` rounds, each of 32 work-items updates `elements` elements of its row, each
 * `times` times in succession. */
static const struct bl_suggestion *updates(unsigned rounds, unsigned elements, unsigned times)
{
    begin(2, 1, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned k = 0; k < rounds * elements * times; k++) {
            const uint64_t address = buffer + 4 * (k / times % elements * 32 + item);
            put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, address);
            put_access(1, BL_WIRE_GLOBAL, BL_WIRE_WRITE, 4, address);
        }
    }
    put_end();
    cr_assert_eq(read_all("nvidia-hopper"), BL_OK, "%s", error.sentence);
    cr_assert_eq(bl_trace_suggest(&trace, &suggestions, &error), BL_OK);
    return suggestions.count ? &suggestions.all[0] : NULL;
}

Test(trace_suggest, only_a_few_elements_at_once_are_kept_in_registers)
{
    static const struct {
        unsigned rounds, elements, times;
        bool fit;
    } cases[] = {
        {8, 1, 1, true},    {8, 4, 1, true},    {8, 5, 1, false},  {1, 64, 8, true},
        {4, 64, 1, false},  {2, 512, 1, false}, {1, 512, 4, true}, /* of which a sample is left */
        {2, 1024, 1, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct bl_suggestion *suggestion =
            updates(cases[i].rounds, cases[i].elements, cases[i].times);
        const bool is_kept = suggestion && strstr(suggestion->fix, "keep it in a register");
        cr_expect_eq(is_kept, cases[i].fit, "case %zu: %s", i,
                     suggestion ? suggestion->sentence : "no advice");
        bl_suggestions_free(&suggestions);
        bl_trace_free(&trace);
    }
}

Test(trace_suggest, the_uses_of_one_element_are_counted)
{
    static const struct {
        unsigned elements, times;
        const char *words;
    } cases[] = {{1, 8, "again and again, 8 times each;"},
                 {4, 8, "again and again, 8 times each;"},
                 {1, 1024, "again and again, 1024 times each;"}, /* a sample of them is left */
                 {16, 64, "again and again;"}};                  /* a sample, so unknown */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct bl_suggestion *suggestion = updates(1, cases[i].elements, cases[i].times);
        cr_assert_not_null(suggestion);
        cr_expect_not_null(strstr(suggestion->sentence, cases[i].words), "case %zu: %s", i,
                           suggestion->sentence);
        bl_suggestions_free(&suggestions);
        bl_trace_free(&trace);
    }
}

/* Three lines read the same element, and three lines write it, each once. */
Test(trace_suggest, an_element_that_several_lines_update_is_kept_in_a_register)
{
    begin(6, 1, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned line = 0; line < 6; line++)
            put_access(line, BL_WIRE_GLOBAL, line % 2 ? BL_WIRE_WRITE : BL_WIRE_READ, 4,
                       buffer + 4 * item);
    }
    const struct bl_suggestion *suggestion = only("nvidia-hopper");
    cr_expect_not_null(
        strstr(suggestion->sentence,
               " elements that it accesses in other lines too; keep it in a register"),
        "%s", suggestion->sentence);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

/* A reduction: each work-item updates its element; after a barrier, its neighbour reads the
 * element. */
Test(trace_suggest, an_element_is_kept_in_a_register_up_to_the_barrier_after_which_others_read_it)
{
    begin(3, 1, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned k = 0; k < 8; k++) {
            put_access(0, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 4 * item);
            put_access(1, BL_WIRE_LOCAL, BL_WIRE_WRITE, 4, buffer + 4 * item);
        }
    }
    put(BL_WIRE_BARRIER, 0, 0, 0);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        put_access(2, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 4 * ((item + 1) % 32));
    }
    const struct bl_suggestion *suggestion = only("nvidia-hopper");
    cr_expect_not_null(strstr(suggestion->sentence, "keep it in a register, and write it once"),
                       "%s", suggestion->sentence);
    cr_expect_float_eq(suggestion->kernel_gain, 17.0 / 3, 1e-6);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

/* After each barrier, a work-item reads an element that another work-item wrote, so no register can
 * keep the element. */
Test(trace_suggest, elements_that_others_use_are_not_kept_in_registers)
{
    begin(2, 1, 32, 1);
    for (unsigned k = 0; k < 8; k++) {
        for (unsigned item = 0; item < 32; item++) {
            put_item(item);
            put_access(0, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 4 * ((item + k) % 32));
            put_access(1, BL_WIRE_LOCAL, BL_WIRE_WRITE, 4, buffer + 4 * item);
        }
        put(BL_WIRE_BARRIER, 0, 0, 0);
    }
    put_end();
    cr_assert_eq(read_all("nvidia-hopper"), BL_OK);
    cr_assert_eq(bl_trace_suggest(&trace, &suggestions, &error), BL_OK);
    cr_assert_eq(suggestions.count, 0);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

/* Each work-item reads four neighbouring elements, so each request uses one bank in four. */
static const struct bl_suggestion *four_elements(bool has_barriers)
{
    begin(1, 1, 32, 1);
    for (unsigned k = 0; k < 4; k++) {
        for (unsigned item = 0; item < 32; item++) {
            put_item(item);
            put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 16 * item + 4 * k);
        }
        if (has_barriers)
            put(BL_WIRE_BARRIER, 0, 0, 0);
    }
    return only("nvidia-hopper");
}

Test(trace_suggest, no_vector_spans_a_barrier)
{
    const struct bl_suggestion *suggestion = four_elements(false);
    cr_assert_not_null(strstr(suggestion->fix, "as a vector"), "%s", suggestion->sentence);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
    suggestion = four_elements(true);
    cr_assert_null(strstr(suggestion->fix, "as a vector"), "%s", suggestion->sentence);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

Test(trace_suggest, swapping_the_ids_is_one_fix_for_all_arrays)
{
    begin(2, 1, 16, 16);
    for (unsigned item = 0; item < 256; item++) {
        const uint64_t element = item % 16 * 1024 + item / 16;
        put_item(item);
        put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 4 * element);
        put_access(1, BL_WIRE_GLOBAL, BL_WIRE_WRITE, 4, 2 * buffer + 4 * element);
    }
    const struct bl_suggestion *suggestion = only("intel-gen9");
    cr_assert_not_null(strstr(suggestion->fix, "swap get_global_id(0) and get_global_id(1)"), "%s",
                       suggestion->sentence);
    cr_assert_float_eq(suggestion->kernel_gain, 16, 1e-6);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

/* Of 1000 groups, two were traced. The first group loses most clocks in line 1. The second group
 * loses most in line 2, and represents the 998 untraced groups. */
Test(trace_suggest, arrays_are_ranked_by_the_clocks_of_all_groups)
{
    stream_bytes = 0;
    put_hello();
    put_source(0, "one\ntwo\n");
    put_instruction(0, 1, 1, "input.cl");
    put_instruction(1, 2, 1, "input.cl");
    const struct bl_wire_kernel launch = {{32000, 1, 1}, {32, 1, 1}, {1000, 1, 1}};
    put(BL_WIRE_KERNEL, 0, sizeof launch + strlen("kernel"), 0);
    put_bytes(&launch, sizeof launch);
    put_bytes("kernel", strlen("kernel"));
    for (unsigned group = 0; group < 2; group++) {
        if (group > 0)
            put(BL_WIRE_GROUP_END, 0, 0, 0);
        put(BL_WIRE_GROUP, 32, 0, group);
        for (unsigned item = 0; item < 32; item++) {
            put_item(item);
            for (unsigned k = 0; k < 8 && group == 0; k++)
                put_access(0, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 128 * item + 4 * k);
            put_access(1, BL_WIRE_LOCAL, BL_WIRE_READ, 4, 2 * buffer + 128 * item);
        }
    }
    put(BL_WIRE_GROUP_END, 0, 0, 0);
    put(BL_WIRE_KERNEL_END, 0, 0, 1000);
    put(BL_WIRE_END, 0, 0, 0);
    cr_assert_eq(read_all("nvidia-hopper"), BL_OK, "%s", error.sentence);
    cr_assert_eq(bl_trace_suggest(&trace, &suggestions, &error), BL_OK);
    cr_assert_eq(suggestions.count, 1, "%zu", suggestions.count);
    cr_assert_eq(suggestions.all[0].row->line, 2, "%s", suggestions.all[0].sentence);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

/* One kernel reads columns of 32 rows of 1024 elements. If has_other, another kernel reads rows. */
static const struct bl_suggestion *columns(bool has_other)
{
    begin(2, 1, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned k = 0; k < 8; k++)
            put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 4096 * item + 128 * k);
    }
    if (has_other) {
        put(BL_WIRE_GROUP_END, 0, 0, 0);
        put(BL_WIRE_KERNEL_END, 0, 0, 1);
        put_kernel(0, "by_rows", 32, 1);
        put_group(32);
        for (unsigned item = 0; item < 32; item++) {
            put_item(item);
            for (unsigned k = 0; k < 8; k++)
                put_access(1, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 4096 * k + 4 * item);
        }
    }
    return only("intel-gen9");
}

Test(trace_suggest, no_layout_is_advised_that_makes_another_kernel_slower)
{
    const struct bl_suggestion *suggestion = columns(false);
    cr_assert_not_null(strstr(suggestion->fix, "transpose the array"), "%s", suggestion->sentence);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
    suggestion = columns(true);
    cr_assert_null(strstr(suggestion->fix, "transpose"), "%s", suggestion->sentence);
    cr_assert_not_null(
        strstr(suggestion->sentence, "another layout of the array makes by_rows slower"), "%s",
        suggestion->sentence);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

/* Two kernels read one array: `kernel` with a stride of 64 elements, `other` with `stride`
 * elements, `rounds` times each. */
static void two_strides(unsigned stride, unsigned rounds)
{
    begin(2, 1, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned k = 0; k < 4; k++)
            put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 256 * item + 32 * k);
    }
    put(BL_WIRE_GROUP_END, 0, 0, 0);
    put(BL_WIRE_KERNEL_END, 0, 0, 1);
    put_kernel(0, "other", 32, 1);
    put_group(32);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned k = 0; k < rounds; k++)
            put_access(1, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 4 * stride * item + 32 * k);
    }
    put_end();
    cr_assert_eq(read_all("intel-gen9"), BL_OK, "%s", error.sentence);
    cr_assert_eq(bl_trace_suggest(&trace, &suggestions, &error), BL_OK);
}

Test(trace_suggest, an_array_of_several_kernels_gets_one_layout)
{
    for (unsigned rounds = 2; rounds <= 6; rounds += 4) {
        two_strides(48, rounds);
        cr_assert_eq(suggestions.count, 2, "%zu", suggestions.count);
        for (size_t i = 0; i < 2; i++) {
            const struct bl_suggestion *one = &suggestions.all[i];
            const bool is_other = strcmp(trace.kernels[one->row->kernel].name, "other") == 0,
                       is_kept = is_other == (rounds > 4);
            cr_expect_eq(*one->fix != '\0', is_kept, "%u: %s", rounds, one->sentence);
            cr_expect_not_null(strstr(one->sentence, is_kept ? ", also in kernel "
                                                             : "but another layout of the array, "
                                                               "advised for "),
                               "%u: %s", rounds, one->sentence);
        }
        bl_suggestions_free(&suggestions);
        bl_trace_free(&trace);
    }
}

Test(trace_suggest, the_gain_of_all_kernels_that_access_an_array_is_stated)
{
    two_strides(0, 4);
    cr_assert_eq(suggestions.count, 1, "%zu", suggestions.count);
    cr_expect_not_null(strstr(suggestions.all[0].sentence,
                              ", also in kernel other: by the model, these accesses become 16 "
                              "times as fast, and all accesses of the kernel 16 times as fast; all "
                              "accesses to the array, in 2 kernels, become "),
                       "%s", suggestions.all[0].sentence);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

/* Work-items of one sub-group read columns of a tile, and then `contiguous` contiguous elements. */
static void put_columns(const char *kernel, unsigned contiguous)
{
    put_kernel(0, kernel, 32, 1);
    put_group(32);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned k = 0; k < 32; k++)
            put_access(0, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 128 * item + 4 * k);
        for (unsigned k = 0; k < contiguous; k++)
            put_access(1, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, 2 * buffer + 128 * k + 4 * item);
    }
}

/* The advice that is printed for the kernels that the pattern chooses. */
static const char *printed(const char *kernel)
{
    static char text[4096];
    const struct bl_kernel_choice choice = {kernel, 5};
    FILE *file = tmpfile();
    cr_assert_not_null(file);
    size_t *numbers = bl_number_suggestions(&trace, &suggestions, &choice);
    bl_print_suggestions(file, &trace, &suggestions, numbers);
    free(numbers);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    for (char *end = text; (end = strchr(end, '\n')) != NULL;)
        *end = ' ';
    return text;
}

Test(trace_suggest, advice_for_several_kernels_is_printed_once_with_each_kernels_gain)
{
    stream_bytes = 0;
    put_hello();
    put_source(0, "one\ntwo\n");
    for (unsigned i = 0; i < 2; i++)
        put_instruction(i, i + 1, 1, "input.cl");
    put_columns("alpha", 0);
    put(BL_WIRE_GROUP_END, 0, 0, 0);
    put(BL_WIRE_KERNEL_END, 0, 0, 1);
    put_columns("beta", 992);
    put_end();
    cr_assert_eq(read_all("nvidia-hopper"), BL_OK, "%s", error.sentence);
    cr_assert_eq(bl_trace_suggest(&trace, &suggestions, &error), BL_OK);
    cr_assert_eq(suggestions.count, 2, "one for each kernel");
    const char *both = printed(NULL);
    cr_expect_not_null(strstr(both, " in alpha: "), "%s", both);
    cr_expect_not_null(strstr(both, " The same holds for beta (all accesses 1.97 times as fast). "),
                       "%s", both);
    cr_expect(!strstr(both, "2. "), "%s", both);
    const char *one = printed("beta");
    cr_expect(strstr(one, "1. ") && strstr(one, " in beta: ") && !strstr(one, "alpha"), "%s", one);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

/* The first access takes 8 passes instead of 1; each of the `contiguous` accesses takes 1 clock. */
Test(trace_suggest, advice_that_gains_less_than_3_percent_is_not_given)
{
    for (unsigned contiguous = 200; contiguous <= 400; contiguous += 200) {
        begin(2, 1, 32, 1);
        for (unsigned item = 0; item < 32; item++) {
            put_item(item);
            put_access(0, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 32 * item);
            for (unsigned k = 0; k < contiguous; k++)
                put_access(1, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, 2 * buffer + 128 * k + 4 * item);
        }
        put_end();
        cr_assert_eq(read_all("nvidia-hopper"), BL_OK, "%s", error.sentence);
        cr_assert_eq(bl_trace_suggest(&trace, &suggestions, &error), BL_OK);
        cr_expect_eq(suggestions.count, contiguous == 200, "%u: %s", contiguous,
                     suggestions.count ? suggestions.all[0].sentence : "no advice");
        bl_suggestions_free(&suggestions);
        bl_trace_free(&trace);
    }
}

Test(trace_suggest, reasons_that_differ_are_printed_for_each_kernel)
{
    const struct bl_trace_row rows[] = {{.file = "a.cl", .array = "a"},
                                        {.kernel = 1, .file = "a.cl", .array = "a"}};
    struct bl_suggestion one = {.row = &rows[0], .sentence = "in alpha: x", .advice_at = 10},
                         other = {.row = &rows[1], .sentence = "in beta: x", .advice_at = 9};
    struct bl_trace_kernel kernels[2] = {{.name = NULL}};
    const struct bl_trace program = {.kernels = kernels, .kernel_count = 2};
    cr_expect(bl_suggestions_agree(&program, &one, &other));
    other.sentence[9] = 'y';
    cr_expect_not(bl_suggestions_agree(&program, &one, &other));
    strcpy(one.fix, "pad");
    cr_expect_not(bl_suggestions_agree(&program, &one, &other));
    cr_expect_not(bl_suggestions_agree(&program, &other, &one));
    strcpy(other.fix, "pad");
    cr_expect(bl_suggestions_agree(&program, &one, &other), "only the gains differ");
}

/* The group fills a table in order and reads it at random. */
Test(trace_suggest, a_table_that_is_read_at_random_is_not_padded)
{
    unsigned at = 1;
    begin(2, 1, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned k = 0; k < 8; k++)
            put_access(0, BL_WIRE_LOCAL, BL_WIRE_WRITE, 4, buffer + 4 * (item + 32 * k));
        for (unsigned k = 0; k < 8; k++) {
            at = at * 1664525u + 1013904223u;
            put_access(1, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + (at >> 24) * 4);
        }
    }
    const struct bl_suggestion *suggestion = only("nvidia-hopper");
    cr_assert_str_eq(suggestion->fix, "", "%s", suggestion->sentence);
    cr_assert_not_null(strstr(suggestion->sentence, "its addresses are scattered"), "%s",
                       suggestion->sentence);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

/* Neighbouring work-items access only columns of a 16 x 16 tile. Each work-item reads a row; read k
 * is of element k * step % 16. */
static const struct bl_suggestion *of_columns(unsigned step)
{
    begin(2, 1, 16, 16);
    for (unsigned item = 0; item < 256; item++) {
        put_item(item);
        put_access(0, BL_WIRE_LOCAL, BL_WIRE_WRITE, 4, buffer + 64 * (item % 16) + 4 * (item / 16));
        for (unsigned k = 0; k < 16; k++)
            put_access(1, BL_WIRE_LOCAL, BL_WIRE_READ, 4,
                       buffer + 64 * (item % 16) + 4 * (k * step % 16));
    }
    const struct bl_suggestion *suggestion = only("nvidia-hopper");
    cr_expect_float_eq(suggestion->gain, 8, 1e-6);
    cr_expect_float_eq(suggestion->kernel_gain, 8, 1e-6);
    return suggestion;
}

/* Work-items read diagonals of rows of 17 elements: neighbours are 16 elements apart. */
Test(trace_suggest, a_tile_whose_diagonals_are_used_is_padded)
{
    begin(2, 1, 16, 1);
    for (unsigned item = 0; item < 16; item++) {
        put_item(item);
        put_access(0, BL_WIRE_LOCAL, BL_WIRE_WRITE, 4, buffer + 68 * (item + 1));
        for (unsigned k = 0; k < 17; k++)
            put_access(1, BL_WIRE_LOCAL, BL_WIRE_READ, 4,
                       buffer + 68 * (item + 1) + 4 * ((k + 17 - item) % 17));
    }
    const struct bl_suggestion *suggestion = only("nvidia-hopper");
    cr_expect_str_eq(suggestion->fix, "pad each row of 17 elements by 1", "%s",
                     suggestion->sentence);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

/* Padding by 2 would be as fast. */
Test(trace_suggest, a_tile_of_which_only_columns_are_used_is_transposed)
{
    const struct bl_suggestion *suggestion = of_columns(3);
    cr_assert_str_eq(suggestion->fix, "transpose the array (rows of 16 elements)", "%s",
                     suggestion->sentence);
    cr_assert_str_eq(suggestion->index, "x * 16 + y");
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

/* Transposing would cost as little by the model, but takes more instructions. */
Test(trace_suggest, a_tile_whose_rows_are_read_one_element_after_another_is_padded)
{
    const struct bl_suggestion *suggestion = of_columns(1);
    cr_assert_str_eq(suggestion->fix, "pad each row of 16 elements by 2", "%s",
                     suggestion->sentence);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

Test(trace_suggest, a_single_lane_is_not_several)
{
    begin(1, 1, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned k = 0; k < 2 && item == 0; k++)
            put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 4 * k);
    }
    const struct bl_suggestion *suggestion = only("nvidia-hopper");
    cr_expect_not_null(strstr(suggestion->sentence, ": its requests of 1 lane take 100.0 %"), "%s",
                       suggestion->sentence);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

Test(trace_suggest, advice_says_if_nothing_helps)
{
    begin(1, 1, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + item * item * 4096 + item % 3 * 4);
    }
    const struct bl_suggestion *suggestion = only("intel-gen9");
    cr_assert_not_null(strstr(suggestion->sentence, "no fix that was tried helps"), "%s",
                       suggestion->sentence);
    cr_assert_eq(suggestion->gain, 1);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

Test(trace_suggest, atomics_are_described_too)
{
    begin(1, 1, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        put_access(0, BL_WIRE_LOCAL, BL_WIRE_ATOMIC, 4, buffer + 128 * (item % 5));
    }
    const struct bl_suggestion *suggestion = only("nvidia-hopper");
    cr_assert_not_null(strstr(suggestion->sentence, "local atomics in kernel"), "%s",
                       suggestion->sentence);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

Test(trace_suggest, contiguous_accesses_need_no_advice)
{
    begin(1, 1, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 4 * item);
    }
    put_end();
    cr_assert_eq(read_all("nvidia-hopper"), BL_OK);
    cr_assert_eq(bl_trace_suggest(&trace, &suggestions, &error), BL_OK);
    cr_assert_eq(suggestions.count, 0);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}
