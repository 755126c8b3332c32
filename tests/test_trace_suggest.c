/* What a trace suggests, and how it is written down. */
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#include "cli/trace_view.h"
#include "trace/documents.h"
#include "trace_stream.h"

static struct bl_suggestions suggestions;

static char *written(void (*write)(FILE *file))
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    write(file);
    fclose(file);
    return text;
}

static const struct bl_trace_origin origin = {"1.2", "2026-11-22T00:00:00Z"};
static void csv(FILE *file) { bl_trace_csv(file, &trace, &origin); }
static void markdown(FILE *file) { bl_trace_markdown(file, &trace, &suggestions); }

static void table(FILE *file)
{
    cr_assert_eq(bl_print_trace(file, &trace, &(struct bl_kernel_choice){0}, &error), BL_OK);
}
static void annotated(FILE *file) { bl_print_annotated(file, &trace); }

static const struct bl_suggestion *only(const char *machine)
{
    put_end();
    cr_assert_eq(read_all(machine), BL_OK, "%s", error.sentence);
    cr_assert_eq(bl_trace_suggest(&trace, &suggestions, &error), BL_OK);
    cr_assert_eq(suggestions.count, 1, "%zu", suggestions.count);
    return &suggestions.all[0];
}

Test(trace_suggest, a_column_of_a_tile_is_padded_for_all_who_use_it)
{
    begin(2, 1, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned k = 0; k < 32; k++) {
            put_access(0, BL_WIRE_LOCAL, BL_WIRE_WRITE, 4, buffer + 128 * k + 4 * item);
            put_access(1, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 128 * item + 4 * k);
        }
    }
    const struct bl_suggestion *suggestion = only("nvidia-hopper");
    cr_assert_not_null(strstr(suggestion->sentence, "pad each row of 32 elements by 1"), "%s",
                       suggestion->sentence);
    cr_assert_float_eq(suggestion->gain, 32, 1e-6);
    cr_assert_float_eq(suggestion->kernel_gain, 33.0 / 2, 1e-6, "the writes stay as they are");
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

/* Of rows of 33 elements, and beyond them: what is advised takes more elements than there are. */
Test(trace_suggest, a_layout_says_how_large_the_array_becomes)
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
    const struct bl_suggestion *suggestion = only("nvidia-hopper");
    cr_assert_not_null(strstr(suggestion->sentence, "; the array then has 1122 elements: "), "%s",
                       suggestion->sentence);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

/* Rows of 128 bytes, line 1 of a row and line 2 of a column: with 16 banks, 32 or 64 a column has
 * other costs. What a layout costs that is not known must not count as nothing. */
Test(trace_suggest, no_layout_is_offered_whose_cost_depends_on_unknown_banks)
{
    begin(3, 1, 16, 1);
    for (unsigned item = 0; item < 16; item++) {
        put_item(item);
        for (unsigned k = 0; k < 16; k++) {
            put_access(0, BL_WIRE_LOCAL, BL_WIRE_WRITE, 4, buffer + 128 * k + 4 * item);
            put_access(1, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 128 * item + 4 * k);
            put_access(2, BL_WIRE_LOCAL, BL_WIRE_READ, 4, 2 * buffer + 8 * (item / 2) + 4 * k);
        }
    }
    put_end();
    cr_assert_eq(read_all("intel-xe-hpg"), BL_OK, "%s", error.sentence);
    cr_assert_eq(bl_trace_name_files(&trace, NULL, &error), BL_OK);
    cr_assert_eq(bl_trace_suggest(&trace, &suggestions, &error), BL_OK);
    for (size_t i = 0; i < suggestions.count; i++)
        cr_expect_str_eq(suggestions.all[i].fix, "", "%s", suggestions.all[i].sentence);
    char *text = written(table);
    cr_expect_not_null(strstr(text, "256 accesses have no certain cost and are in no share: "),
                       "%s", text);
    cr_expect_null(strstr(text, "private memory"), "%s", text);
    free(text);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

Test(trace_suggest, neighbouring_elements_are_taken_at_once)
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

Test(trace_suggest, a_member_of_records_gets_an_array_of_its_own)
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

/* struct { float x, y, z; int id; double w; }: x by w. */
Test(trace_suggest, members_of_several_sizes_get_arrays_of_their_own)
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

/* As long as the launch is wide, a row is one of a matrix, not a record. */
Test(trace_suggest, rows_of_a_small_matrix_are_no_records)
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

Test(trace_suggest, a_column_of_global_memory_is_turned)
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

/* Line 1 reads and line 2 writes the same member: one array, one piece of advice. */
Test(trace_suggest, an_updated_member_is_read_and_written_as_one)
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

Test(trace_suggest, what_one_work_item_updates_again_and_again_is_kept_in_a_register)
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
               "each work-item writes the same elements again and again, 8 times in all"));
    cr_assert_float_eq(suggestion->kernel_gain, 8, 1e-6);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

/* Three lines each read and write it once. */
Test(trace_suggest, what_several_lines_update_is_kept_in_a_register)
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

/* Work-item i writes the element that its neighbour updates, so nobody's register can keep it. */
Test(trace_suggest, what_others_use_is_kept_in_no_register)
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

/* Four neighbouring elements each, in one bank out of four. */
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

Test(trace_suggest, no_vector_goes_across_a_barrier)
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

Test(trace_suggest, swapped_ids_fix_all_arrays_at_once)
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

/* One kernel reads columns of 32 rows of 1024 elements, another one, if there is one, rows. */
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

Test(trace_suggest, no_layout_is_offered_that_another_kernel_loses_by)
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

/* A table that the group fills in order and reads at random. */
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

/* Both lines of a tile of 16 x 16 in 32 banks: the writes, too, take one pass by 18, and two by 17.
 */
Test(trace_suggest, a_tile_of_sixteen_is_padded_for_its_reads_and_its_writes)
{
    begin(2, 1, 16, 16);
    for (unsigned item = 0; item < 256; item++) {
        put_item(item);
        put_access(0, BL_WIRE_LOCAL, BL_WIRE_WRITE, 4, buffer + 64 * (item % 16) + 4 * (item / 16));
        for (unsigned k = 0; k < 16; k++)
            put_access(1, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 64 * (item % 16) + 4 * k);
    }
    const struct bl_suggestion *suggestion = only("nvidia-hopper");
    cr_assert_str_eq(suggestion->fix, "pad each row of 16 elements by 2", "%s",
                     suggestion->sentence);
    cr_assert_str_eq(suggestion->index, "y * 18 + x");
    cr_assert_float_eq(suggestion->gain, 8, 1e-6);
    cr_assert_float_eq(suggestion->kernel_gain, 8, 1e-6);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

Test(trace_suggest, where_nothing_helps_it_says_so)
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

Test(trace_suggest, atomics_and_writes_have_words_too)
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

Test(trace_suggest, what_is_contiguous_needs_nothing)
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

Test(trace_suggest, the_table_says_what_is_not_in_it)
{
    const struct bl_wire_kernel sizes = {{8, 4, 2}, {4, 4, 2}, {2, 1, 1}};
    stream_bytes = 0;
    put_hello();
    put_source(0, "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18");
    put_source(1, "never run");
    put_instruction(0, 0, 1, "");
    put_instruction(1, 2, 1, "input.cl");
    put_instruction(2, 17, 1, "input.cl");
    for (unsigned launch = 0; launch < 2; launch++) {
        put(BL_WIRE_KERNEL, 0, sizeof sizes + 1, 0);
        put_bytes(&sizes, sizeof sizes);
        put_bytes("k", 1);
        put_group(32);
        for (unsigned item = 0; item < 32; item++) {
            put_item(item);
            put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 4 * item);
            put_access(1, BL_WIRE_LOCAL, BL_WIRE_READ, 16, buffer + 512 * item);
            put_access(2, BL_WIRE_PRIVATE, BL_WIRE_READ, 4, 0);
            put_access(2, BL_WIRE_GLOBAL, BL_WIRE_WRITE, 4, buffer + 4 * item);
        }
        put(BL_WIRE_COPY, 0, 0, 64);
        put(BL_WIRE_GROUP_END, 0, 0, 5);
        put(BL_WIRE_KERNEL_END, 0, 0, 2);
    }
    put(BL_WIRE_END, 0, 0, 0);
    cr_assert_eq(read_all("nvidia-hopper"), BL_OK, "%s", error.sentence);
    cr_assert_eq(bl_trace_name_files(&trace, NULL, &error), BL_OK);
    char *text = written(table);
    cr_assert_not_null(
        strstr(text, "kernel k: 8x4x2 work-items in groups of 4x4x2, 2 launches; 2 of 4"), "%s",
        text);
    cr_assert_not_null(strstr(text, "left out: 10 accesses beyond the limit"), "%s", text);
    cr_assert_not_null(strstr(text, "left out: 128 bytes that async_work_group_copy moves"));
    cr_assert_not_null(strstr(text, "64 accesses are of no known line"));
    cr_assert_not_null(strstr(text, "64 accesses have no rule"));
    free(text);
    text = written(annotated);
    cr_assert_not_null(strstr(text, "|    1 1\n"), "%s", text);
    cr_assert_not_null(strstr(text, "|  ...\n"), "%s", text);
    cr_assert_not_null(strstr(text, "|   17 17\n"), "%s", text);
    cr_assert_null(strstr(text, "never run"));
    free(text);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

/* Lines 1 and 3 of a file that is part of the program's source, private memory, and a header. */
static void documented(const char *folder)
{
    char name[300];
    stream_bytes = 0;
    put_hello();
    put_source(0, "#define BEFORE\n// a file, of more than a few bytes\nkernel void a() {}\n");
    put_source(1, "nobody has this\n");
    put_instruction(0, 3, 1, "input.cl");
    put_instruction(1, 1, 1, "/some/header.h");
    put_instruction(2, 1, 1, "input.cl");
    for (uint32_t program = 0; program < 2; program++) {
        put_kernel(program, program ? "b,|<" : "a", 32, 1);
        put_group(32);
        for (unsigned item = 0; item < 32; item++) {
            put_item(item);
            put_access(2 * program, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 128 * item);
            put_access(1, BL_WIRE_PRIVATE, BL_WIRE_READ, 4, 0);
        }
        put(BL_WIRE_GROUP_END, 0, 0, 0);
        put(BL_WIRE_KERNEL_END, 0, 0, 1);
    }
    put(BL_WIRE_END, 0, 0, 0);
    snprintf(name, sizeof name, "%s/part.cl", folder);
    FILE *file = fopen(name, "w");
    fputs("// a file, of more than a few bytes\nkernel void a() {}\n", file);
    fclose(file);
    cr_assert_eq(read_all("nvidia-hopper"), BL_OK, "%s", error.sentence);
    const char *const words[] = {folder, "no such file", "/etc/passwd", name, NULL};
    cr_assert_eq(bl_trace_name_files(&trace, words, &error), BL_OK);
    cr_assert_eq(bl_trace_suggest(&trace, &suggestions, &error), BL_OK);
}

Test(trace_suggest, documents_name_the_file_that_a_line_is_from)
{
    char folder[] = "/tmp/bankline-trace-XXXXXX", command[64];
    cr_assert_not_null(mkdtemp(folder));
    documented(folder);
    cr_assert_eq(trace.row_count, 4);
    char *text = written(csv);
    cr_assert(strncmp(text,
                      "kernel,file,line,memory,op,requests,lanes,lines,sectors,tag_passes,bank_"
                      "passes,clocks,ideal_clocks,share,",
                      98) == 0);
    cr_assert_not_null(
        strstr(text, ",schema,unoptimized_requests,column,array,call_sites,predicted_first_ns,"),
        "%s", text);
    cr_assert_not_null(strstr(text, ",1.2,4,,,,,,,,,\n"), "%s", text);
    cr_assert_not_null(strstr(text, "/part.cl,2,local,read,1,32,,,,32,32,1,1,"), "%s", text);
    cr_assert_not_null(strstr(text, "a,/some/header.h,1,private,read,1,32,,,,,,,,"), "%s", text);
    cr_assert_not_null(strstr(text, "\"b,|<\",source 2,1,local"), "%s", text);
    free(text);
    text = written(markdown);
    cr_assert_not_null(strstr(text, "| b,\\|\\< | "
                                    "source 2:1 |  |  | local | read | 1 | 32 | - | - |"),
                       "%s", text);
    cr_assert_not_null(strstr(text, "\n- "), "%s", text);
    free(text);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

#ifdef BL_WITH_JANSSON
#include <jansson.h>

Test(trace_suggest, json_has_kernels_sources_and_suggestions)
{
    char folder[] = "/tmp/bankline-trace-XXXXXX", command[64], *text = NULL;
    cr_assert_not_null(mkdtemp(folder));
    documented(folder);
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    cr_assert_eq(bl_trace_json(file, &trace, &suggestions, &origin, &error), BL_OK);
    fclose(file);
    json_t *root = json_loads(text, 0, NULL);
    cr_assert_not_null(root, "%s", text);
    json_t *kernels = json_object_get(root, "kernels");
    cr_assert_eq(json_array_size(kernels), 2);
    json_t *row = json_array_get(json_object_get(json_array_get(kernels, 0), "rows"), 0);
    cr_assert_eq(json_number_value(json_object_get(row, "clocks")), 32);
    cr_assert_eq(json_number_value(json_object_get(row, "source_line")), 3);
    cr_assert_eq(json_array_size(json_object_get(root, "sources")), 2);
    cr_assert_geq(json_array_size(json_object_get(root, "suggestions")), 2);
    json_decref(root);
    free(text);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

Test(trace_suggest, a_source_that_is_not_utf8_is_kept_but_for_the_bytes_that_are_not)
{
    char *text = NULL;
    size_t size = 0;
    trace_reads(BL_WIRE_GLOBAL, 1, 4, 0);
    free(trace.programs[0].source);
    trace.programs[0].source = strdup("// caf\xE9, na\xC3\xAFve\nkernel\n\xFF");
    trace.rows[0].name = strdup("source 1");
    suggestions = (struct bl_suggestions){0};
    FILE *file = open_memstream(&text, &size);
    cr_assert_eq(bl_trace_json(file, &trace, &suggestions, &origin, &error), BL_OK);
    fclose(file);
    json_t *root = json_loads(text, 0, NULL);
    cr_assert_not_null(root, "%s", text);
    const json_t *source = json_array_get(json_object_get(root, "sources"), 0);
    cr_assert_str_eq(json_string_value(source), "// caf?, na\xC3\xAFve\nkernel\n?");
    json_decref(root);
    free(text);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}
#endif
