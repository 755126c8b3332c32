/* Tests what `trace` prints, and the files that it writes. */
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

static const struct bl_trace_origin origin = {"1.2", "2026-11-22T00:00:00Z", true};
static void csv(FILE *file) { bl_trace_csv(file, &trace, &origin); }
static void markdown(FILE *file) { bl_trace_markdown(file, &trace, &suggestions); }

static void table(FILE *file)
{
    cr_assert_eq(bl_print_trace(file, &trace, &(struct bl_kernel_choice){0}, &error), BL_OK);
}
static void annotated(FILE *file) { bl_print_annotated(file, &trace); }

/* With rows of 128 bytes, the cost of a column differs between 16, 32 and 64 banks. */
Test(trace_documents, the_table_says_which_costs_depend_on_the_banks)
{
    begin(1, 1, 16, 1);
    for (unsigned item = 0; item < 16; item++) {
        put_item(item);
        for (unsigned k = 0; k < 16; k++)
            put_access(0, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 128 * item + 4 * k);
    }
    put_end();
    cr_assert_eq(read_all("intel-xe-hpg"), BL_OK, "%s", error.sentence);
    cr_assert_eq(bl_trace_name_files(&trace, NULL, &error), BL_OK);
    cr_assert_eq(bl_trace_bank_ranges(&trace, &error), BL_OK);
    char *text = written(table);
    cr_expect_not_null(strstr(text, " 1-16 "), "%s", text);
    cr_expect_not_null(
        strstr(text, "256 accesses have no certain cost, so no share includes them: "), "%s", text);
    cr_expect_null(strstr(text, "private memory"), "%s", text);
    free(text);
    bl_trace_free(&trace);
}

Test(trace_documents, the_table_says_what_is_missing)
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
    cr_assert_not_null(strstr(text, "64 accesses have no source line"));
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

/* Traces two programs. The source of the first is a #define and the text of a file in `folder`; the
 * source of the second is in no file. Each program reads local memory in its source, and private
 * memory in a header. */
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

Test(trace_documents, csv_and_markdown_name_the_file_of_a_line)
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

Test(trace_documents, json_has_kernels_and_sources_and_suggestions)
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

Test(trace_documents, numbers_that_are_not_known_are_null_in_json)
{
    char folder[] = "/tmp/bankline-trace-XXXXXX", command[64], *text = NULL;
    cr_assert_not_null(mkdtemp(folder));
    documented(folder);
    struct bl_trace_kernel *kernel = &trace.kernels[0];
    kernel->bound.clocks[0] = kernel->bound.read_bytes = kernel->bound.written_bytes = NAN;
    kernel->predicted.launches = 1;
    kernel->predicted.shares[0] = NAN;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    cr_assert_eq(bl_trace_json(file, &trace, &suggestions, &origin, &error), BL_OK, "%s",
                 error.sentence);
    fclose(file);
    json_t *root = json_loads(text, 0, NULL),
           *first = json_array_get(json_object_get(root, "kernels"), 0),
           *bound = json_object_get(first, "bound");
    cr_assert(json_is_null(json_object_get(bound, "read_bytes")), "%s", text);
    cr_assert(json_is_null(json_object_get(bound, "written_bytes")));
    json_t *shares = json_object_get(json_object_get(first, "predicted"), "shares");
    cr_assert(json_is_null(json_object_get(shares, "latency")), "%s", text);
    json_decref(root);
    free(text);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

Test(trace_documents, only_the_invalid_bytes_of_a_source_are_replaced)
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
