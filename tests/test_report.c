/* Errors, device selection, kernel sources and the table: everything that only talks. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "cl/device.h"
#include "cl/source.h"
#include "report/table.h"

Test(status, context_goes_before_the_sentence_and_is_cut_not_overrun)
{
    struct bl_error error = {0};
    bl_fail(&error, BL_OPENCL_FAILED, "clFinish failed: %s", "CL_OUT_OF_RESOURCES");
    bl_error_context(&error, "case %d", 7);
    cr_assert_str_eq(error.sentence, "case 7: clFinish failed: CL_OUT_OF_RESOURCES");
    for (int i = 0; i < 1000; i++)
        bl_error_context(&error, "deeper");
    cr_assert_lt(strlen(error.sentence), sizeof error.sentence);
    cr_assert_eq(bl_fail(NULL, BL_USAGE, "nobody listens"), BL_USAGE);
    bl_error_context(NULL, "nobody listens");
}

Test(status, exit_statuses_are_those_of_the_command_line)
{
    cr_assert_eq(bl_status_exit(BL_OK), 0);
    cr_assert_eq(bl_status_exit(BL_BAD_NEWS), 1);
    cr_assert_eq(bl_status_exit(BL_UNKNOWN_CASE), 2);
    cr_assert_eq(bl_status_exit(BL_NO_DEVICE), 3);
    cr_assert_eq(bl_status_exit(BL_FILE_FAILED), 4);
    cr_assert_eq(bl_status_exit((enum bl_status)999), 3);
    cr_assert_not_null(bl_status_words((enum bl_status)999));
}

static const struct bl_device devices[] = {
    {.name = "A processor",
     .platform_name = "Portable Computing Language",
     .device_index = 0,
     .type = BL_DEVICE_CPU},
    {.name = "Graphics Alpha",
     .platform_name = "Vendor OpenCL",
     .platform_index = 1,
     .type = BL_DEVICE_GPU},
    {.name = "Graphics Beta",
     .platform_name = "Vendor OpenCL",
     .platform_index = 1,
     .device_index = 1,
     .type = BL_DEVICE_GPU},
};

static const struct bl_device *chosen;
static struct bl_error error;

static enum bl_status choose(const char *selector)
{
    return bl_device_select(devices, 3, selector, &chosen, &error);
}

Test(select, the_first_gpu_is_the_default_else_the_first_device)
{
    cr_assert_eq(choose(NULL), BL_OK);
    cr_assert_str_eq(chosen->name, "Graphics Alpha");
    cr_assert_eq(bl_device_select(devices, 1, NULL, &chosen, &error), BL_OK);
    cr_assert_str_eq(chosen->name, "A processor");
}

Test(select, by_index_by_name_and_by_platform_in_any_case)
{
    cr_assert_eq(choose("1:1"), BL_OK);
    cr_assert_str_eq(chosen->name, "Graphics Beta");
    cr_assert_eq(choose("bETA"), BL_OK);
    cr_assert_str_eq(chosen->name, "Graphics Beta");
    cr_assert_eq(choose("portable"), BL_OK);
    cr_assert_str_eq(chosen->name, "A processor");
}

Test(select, nothing_or_several_are_errors_that_list_what_there_is)
{
    cr_assert_eq(choose("gamma"), BL_NO_DEVICE);
    cr_assert(strstr(error.sentence, "gamma") && strstr(error.sentence, "0:0 A processor"));
    cr_assert_eq(choose("2:0"), BL_NO_DEVICE);
    cr_assert_eq(choose("1:1x"), BL_NO_DEVICE);
    cr_assert_eq(choose("vendor"), BL_AMBIGUOUS_DEVICE);
    cr_assert(strstr(error.sentence, "1:0 Graphics Alpha, 1:1 Graphics Beta"));
    cr_assert(!strstr(error.sentence, "A processor"));
    cr_assert_null(chosen);
    cr_assert_eq(bl_device_select(devices, 0, NULL, &chosen, &error), BL_NO_DEVICE);
}

Test(source, an_include_becomes_the_file_with_lines_that_name_it)
{
    char *text;
    cr_assert_eq(bl_source_load(NULL, "global.cl", NULL, &text, NULL), BL_OK);
    cr_assert_not_null(strstr(text, "#line 1 \"global.cl\"\n"));
    cr_assert_not_null(strstr(text, "#line 1 \"patterns.h\"\n"));
    cr_assert_not_null(strstr(text, "PATTERN(STRIDE_17, get_global_id(0) * 17)"));
    cr_assert_null(strstr(text, "#include"));
    free(text);
}

Test(source, a_compiler_that_ignores_line_directives_is_put_right)
{
    const char text[] = "#line 1 \"a.cl\"\nint x;\n#line 1 \"b.h\"\ny\nz\n#line 3 \"a.cl\"\nw\n";
    char log[256] =
        "<kernel>:2:5: error: x\nno <kernel>:x: place\n<kernel>:5:1: e\n<kernel>:7:2: f";
    bl_source_place(text, log, sizeof log);
    cr_assert_str_eq(log, "a.cl:1:5: error: x\nno <kernel>:x: place\nb.h:2:1: e\na.cl:3:2: f");
    char small[] = "<kernel>:2:5";
    bl_source_place("#line 1 \"a-long-name.cl\"\nx\n", small, sizeof small);
    cr_assert_str_eq(small, "<kernel>:2:5", "what does not fit is left as it is");
}

Test(source, a_folder_replaces_the_embedded_files)
{
    char folder[] = "/tmp/bankline-test-XXXXXX", path[64], other_path[64];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/own.cl", folder);
    FILE *file = fopen(path, "w");
    fputs("// first\n#include \"own.cl\"", file);
    fclose(file);
    char *text;
    cr_assert_eq(bl_source_load(folder, "own.cl", NULL, &text, &error), BL_FILE_FAILED);
    cr_assert(strstr(error.sentence, "nested"), "%s", error.sentence);
    file = fopen(path, "w");
    fputs("// first\n#include \"other.h\"\n// no line end", file);
    fclose(file);
    snprintf(other_path, sizeof other_path, "%s/other.h", folder);
    file = fopen(other_path, "w");
    fputs("// other\n", file);
    fclose(file);
    cr_assert_eq(bl_source_load(folder, "own.cl", NULL, &text, &error), BL_OK);
    cr_assert_str_eq(text, "#line 1 \"own.cl\"\n// first\n#line 1 \"other.h\"\n// other\n"
                           "#line 3 \"own.cl\"\n// no line end\n");
    free(text);
    unlink(other_path);
    cr_assert_eq(bl_source_load(folder, "global.cl", NULL, &text, &error), BL_FILE_FAILED);
    cr_assert(strstr(error.sentence, folder));
    cr_assert_eq(bl_source_load(NULL, "own.cl", NULL, &text, &error), BL_FILE_FAILED);
    unlink(path);
    rmdir(folder);
}

Test(table, ratios_read_like_the_guides)
{
    char text[16];
    cr_assert_str_eq(bl_format_ratio(1, text), "1");
    cr_assert_str_eq(bl_format_ratio(2, text), "2");
    cr_assert_str_eq(bl_format_ratio(1.0 / 2, text), "1/2");
    cr_assert_str_eq(bl_format_ratio(1.0 / 16, text), "1/16");
    cr_assert_str_eq(bl_format_ratio(1.0 / 3, text), "1/3");
    cr_assert_str_eq(bl_format_ratio(2.0 / 3, text), "0.6667");
    cr_assert_str_eq(bl_format_ratio(NAN, text), "-");
    cr_assert_str_eq(bl_format_ratio(999, text), "999");
    cr_assert_str_eq(bl_format_ratio(1000, text), "1000.0000");
    cr_assert_str_eq(bl_format_ratio(1.5, text), "1.5000");
    cr_assert_str_eq(bl_format_ratio(1.0 / 999, text), "1/999");
    cr_assert_str_eq(bl_format_ratio(1.0 / 1000, text), "0.0010");
    cr_assert_str_eq(bl_format_ratio(1 + 1e-12, text), "1");
}

static struct bl_row measured_row(const char *id, double claim, double predicted, double measured)
{
    struct bl_row row = bl_row_empty();
    snprintf(row.case_id, sizeof row.case_id, "%s", id);
    strcpy(row.shape, "16x1");
    row.claim = claim;
    row.predicted = predicted;
    row.measured = measured;
    row.measured_lo = measured * 0.999;
    row.measured_hi = measured * 1.001;
    row.verdict = bl_verdict_of(predicted, row.measured_lo, row.measured_hi, 0.1);
    row.bytes_per_clock_cu = 60;
    return row;
}

/* Static, because the stream writes it; the caller frees what is returned. */
static char *table_text;

static char *table_of(const struct bl_row rows[], size_t count, bool quiet, const char *machine)
{
    static size_t size;
    struct bl_table table = {
        .file = open_memstream(&table_text, &size), .quiet = quiet, .tolerance = 0.1};
    cr_assert_eq(bl_machine_find(machine, &table.machine, NULL), BL_OK);
    bl_table_begin(&table, &rows[0]);
    for (size_t i = 0; i < count; i++)
        bl_table_row(&table, &rows[i]);
    bl_table_end(&table);
    fclose(table.file);
    return table_text;
}

static const char *last_line(const char *text)
{
    const char *end = strrchr(text, '\n');
    const char *at = end;
    while (at > text && at[-1] != '\n')
        at--;
    return at;
}

Test(table, a_colour_says_what_became_of_a_row)
{
    static const struct {
        enum bl_verdict verdict;
        enum bl_row_status status;
        const char *colour;
    } rows[] = {
        {BL_CONFIRMED, BL_ROW_OK, "\x1b[32m"},
        {BL_REFUTED, BL_ROW_OK, "\x1b[31m"},
        {BL_UNCLEAR, BL_ROW_NOISY, "\x1b[33m"},
        {BL_NO_VERDICT, BL_ROW_ERROR, "\x1b[31m"},
        {BL_NO_RULE, BL_ROW_OK, ""},
        {BL_NO_VERDICT, BL_ROW_BAD_CLOCK, "\x1b[31m"},
        {BL_NO_VERDICT, BL_ROW_SKIPPED, ""},
    };
    const struct bl_machine *machine;
    cr_assert_eq(bl_machine_find("nvidia", &machine, NULL), BL_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int colour = 0; colour < 2; colour++) {
            char *text = NULL;
            size_t size = 0;
            struct bl_table table = {.file = open_memstream(&text, &size),
                                     .colour = colour != 0,
                                     .tolerance = 0.1,
                                     .machine = machine};
            struct bl_row row = bl_row_empty();
            row.verdict = rows[i].verdict;
            row.status = rows[i].status;
            if (row.status <= BL_ROW_NOISY)
                row.measured = row.measured_lo = row.measured_hi = row.predicted = 3;
            strcpy(row.reason, "why");
            bl_table_row(&table, &row);
            bl_table_end(&table);
            fclose(table.file);
            const char *found = strstr(text, "\x1b[3");
            if (colour && rows[i].colour[0])
                cr_assert(found && strncmp(found, rows[i].colour, 5) == 0, "row %zu: %s", i, text);
            else
                cr_assert_null(found, "row %zu: %s", i, text);
            free(text);
        }
}

Test(table, a_claim_that_does_not_hold_is_shown_beside_a_prediction_that_does)
{
    struct bl_row rows[] = {measured_row("global/1", 1, 1, 1),
                            measured_row("global/2", 0.5, 1, 0.95),
                            measured_row("global/4", NAN, 0.25, 0.4), bl_row_empty()};
    strcpy(rows[3].case_id, "local/1");
    rows[3].status = BL_ROW_WRONG_RESULT;
    strcpy(rows[3].reason, "work-item 3 is wrong");
    char *text = table_of(rows, 4, false, "nvidia");
    cr_assert(strstr(text, "claim does not hold"));
    cr_assert(strstr(text, "wrong-result: work-item 3 is wrong"));
    cr_assert(strstr(text, "1 of 2 hold here; not global/2."), "%s", text);
    cr_assert_str_eq(last_line(text), "4 rows: 2 confirmed, 1 refuted, 1 wrong-result\n");
    free(text);
    text = table_of(rows, 4, true, "nvidia");
    cr_assert_null(strstr(text, "case "));
    cr_assert_str_eq(last_line(text), "4 rows: 2 confirmed, 1 refuted, 1 wrong-result\n");
    free(text);
}

Test(table, a_run_of_nothing_says_so)
{
    struct bl_row none = bl_row_empty();
    char *text = table_of(&none, 0, false, "nvidia");
    cr_assert_str_eq(last_line(text), "0 rows: none\n");
    free(text);
}

Test(table, of_many_claims_that_fail_it_names_some_and_counts_the_rest)
{
    struct bl_row rows[30];
    for (size_t i = 0; i < 30; i++)
        rows[i] = measured_row("private/nonuniform-32", 0.5, 1, 0.95);
    char *text = table_of(rows, 30, true, "nvidia");
    cr_assert(strstr(text, "claims: 0 of 30 hold here; not private/nonuniform-32, "), "%s", text);
    cr_assert(strstr(text, "nonuniform-32 and 25 more.\n"), "%s", text);
    free(text);
}

Test(table, without_a_rule_it_says_why_in_one_sentence_and_judges_no_claim)
{
    struct bl_row row = measured_row("global/2", 0.5, NAN, 0.9);
    row.verdict = BL_NO_RULE;
    char *text = table_of(&row, 1, false, "cpu");
    cr_assert(strstr(text, "no-rule: a CPU runs"));
    cr_assert_null(strstr(text, "does not hold"));
    cr_assert_null(strstr(text, "The guide's claims"));
    cr_assert_str_eq(last_line(text), "1 row: 1 no-rule\n");
    free(text);
}
