/* Tests that comparisons are written in every format with their changes and counts, and that texts
 * of rows and errors are escaped. */
#include "documents.h"
#include "report/run.h"

enum { CHANGED = BL_CHANGE_COUNT + 1 };
static struct bl_row before[CHANGED], after[CHANGED];
static struct bl_compared compared[CHANGED];
static struct bl_run_rows old_run, new_run;
static struct bl_comparison comparison;

/* Makes a comparison with a row for every kind of change, and a last row whose own time changed and
 * whose name must be escaped in every format. */
static void make_comparison(void)
{
    old_run.info = run_on("A");
    new_run.info = run_on("A \"B\" \\ \xff");
    strcpy(old_run.info.driver, "1");
    strcpy(new_run.info.driver, "2");
    comparison = (struct bl_comparison){.before = &old_run,
                                        .after = &new_run,
                                        .names = {"old", "new"},
                                        .comparing = {.threshold = 0.02},
                                        .rows = compared,
                                        .count = CHANGED};
    for (unsigned i = 0; i < CHANGED; i++) {
        const bool is_last = i == BL_CHANGE_COUNT;
        const enum bl_change change = is_last ? BL_CHANGE_SLOWER : (enum bl_change)i;
        before[i] = row_of(is_last ? "try/a, \"b\" | *c" : bl_change_name(change), 0.5);
        before[i].key.working_set_bytes = 65536;
        before[i].measured_lo = 0.25;
        before[i].measured_hi = 0.75;
        after[i] = before[i];
        after[i].measured = 0.375;
        compared[i] =
            (struct bl_compared){&before[i].key, &before[i], &after[i], change, -0.25, is_last};
        comparison.counts[change]++;
    }
    compared[BL_CHANGE_MISSING].after = compared[BL_CHANGE_NOT_ASKED].after = NULL;
    strcpy(before[BL_CHANGE_NOT_ASKED].suite, "not-asked");
    compared[BL_CHANGE_NOT_ASKED].by = NAN;
    compared[BL_CHANGE_NEW].before = NULL;
    compared[BL_CHANGE_MISSING].by = compared[BL_CHANGE_NEW].by = NAN;
    compared[BL_CHANGE_BROKEN].by = after[BL_CHANGE_BROKEN].measured = NAN;
    after[BL_CHANGE_BROKEN].status = BL_ROW_ERROR;
    strcpy(after[BL_CHANGE_BROKEN].reason, "a|b <c> \"d\", e\nline two \x80");
}

TestSuite(changes, .init = make_comparison);

static char *changes_as(const char *format) { return written(format, NULL, NULL, 0, &comparison); }

Test(changes, csv_has_a_line_per_row_and_equally_many_fields_in_each)
{
    char *text = changes_as("csv");
    has(text,
        "\nslower,slower,int,16x1,16,65536,nvidia-hopper,-0.25,0,0.5,0.25,0.75,0.375,0.25,0.75,\n");
    has(text, "\nmissing,missing,int,16x1,16,65536,nvidia-hopper,,0,0.5,0.25,0.75,,,,\n");
    has(text, "\nnew,new,int,16x1,16,65536,nvidia-hopper,,0,,,,0.375,0.25,0.75,\n");
    has(text, "\nbroken,broken,int,16x1,16,65536,nvidia-hopper,,0,0.5,0.25,0.75,,0.25,0.75,"
              "\"error: a|b <c> \"\"d\"\", e\n");
    has(text, "\nslower,\"try/a, \"\"b\"\" | *c\",int,16x1,16,65536,nvidia-hopper,-0.25,1,");
    free(text);
}

Test(changes, prometheus_counts_every_change)
{
    char *text = changes_as("prometheus");
    lines_are_prometheus(text);
    has(text,
        "bankline_change_rows{change=\"slower\",device=\"A \\\"B\\\" \\\\ ?\",device_id=\"\"} 2");
    has(text, "bankline_change_ratio{case=\"faster\",type=\"int\",shape=\"16x1\",lanes=\"16\","
              "working_set_bytes=\"65536\",machine=\"nvidia-hopper\",device=");
    has(text, "} -0.25\n");
    cr_assert_null(strstr(text, "bankline_run_info"), "only the file of a run has this metric");
    free(text);
}

Test(changes, markdown_lists_what_changed_and_counts_the_rest)
{
    char *text = changes_as("markdown");
    has(text, "**12 rows, 1 same, 2 slower, 1 faster, 1 unclear, 1 missing, 1 new, 1 broken, "
              "1 baseline-moved, 1 kernel-changed, 1 no-number, "
              "1 not-asked** (threshold 2 %)\n");
    has(text, "| slower | slower | 16x1 | int | -25.00 % | 0.5000 (0.2500 to 0.7500) | 0.3750 ");
    has(text, "| -25.00 % (own speed) |");
    cr_assert_null(strstr(text, "| same"));
    cr_assert_null(strstr(text, "| unclear"));
    every_line_has_cells(strstr(text, "| change |"), 8, 2 + 8);
    free(text);
}

#ifdef BL_WITH_JANSSON
Test(changes, json_has_the_old_and_the_new_values_of_every_row)
{
    json_t *root = parsed(changes_as("json"));
    cr_assert_eq(json_array_size(json_object_get(root, "rows")), CHANGED);
    cr_assert_eq(json_integer_value(json_object_get(json_object_get(root, "changes"), "slower")),
                 2);
    cr_assert_str_eq(json_string_value(json_object_get(json_object_get(root, "before"), "driver")),
                     "1");
    json_t *missing = at(root, "rows", BL_CHANGE_MISSING);
    cr_assert(json_is_null(json_object_get(missing, "after")));
    cr_assert(json_is_null(json_object_get(missing, "by")));
    cr_assert_float_eq(json_real_value(json_object_get(json_object_get(missing, "before"), "lo")),
                       0.25, 0);
    json_t *broken = at(root, "rows", BL_CHANGE_BROKEN);
    cr_assert(json_object_get(json_object_get(broken, "after"), "reason"));
    cr_assert_eq(json_integer_value(json_object_get(broken, "working_set_bytes")), 65536);
    cr_assert(json_is_true(json_object_get(at(root, "rows", CHANGED - 1), "absolute")));
    json_decref(root);
}
#endif

Test(changes, in_junit_only_slower_missing_and_broken_rows_fail)
{
    char *text = changes_as("junit");
    has(text, "tests=\"12\" failures=\"3\" errors=\"1\" skipped=\"1\"");
    has(text, "<failure message=\"slower by 25.00 %: 0.3750 [0.2500, 0.7500], before 0.5000 ");
    has(text, "<failure message=\"slower by 25.00 % (own speed, not the ratio): ");
    has(text, "<failure message=\"missing\"/>");
    has(text, "<error message=\"error: a|b ");
    has(text, "classname=\"faster\" name=\"faster 16x1 int\" time=\"0.000\"/>");
    has(text, "classname=\"try\" name=\"try/a, ");
    free(text);
}

Test(changes, google_benchmarks_format_cannot_write_comparisons)
{
    cr_assert(!format_named("benchmark-json")->writes_changes);
}

/* Returns the table of the comparison as text. is_complete: whether all rows could be compared. */
static char *table_of_width(bool quiet, bool colour, bool all, bool is_complete, unsigned width)
{
    char *text = NULL;
    size_t size = 0;
    const struct bl_view view = {.quiet = quiet, .colour = colour, .all = all, .width = width};
    struct bl_sink sink = {.format = &bl_format_table, .view = &view, .comparison = &comparison};
    sink.stream = open_memstream(&text, &size);
    const struct bl_change_writer *write = &bl_format_table.changes;
    cr_assert_eq(write->begin(&sink), BL_OK);
    for (size_t i = 0; i < comparison.count; i++)
        cr_assert_eq(write->row(&sink, &compared[i]), BL_OK);
    cr_assert_eq(write->end(&sink, is_complete), BL_OK);
    fclose(sink.stream);
    return text;
}

static char *table(bool quiet, bool colour, bool is_complete)
{
    return table_of_width(quiet, colour, false, is_complete, 200);
}

Test(changes, the_table_lists_changes_first_and_counts_all_measured_rows)
{
    char *text = table(false, false, true);
    static const char *const order[] = {"before  ",
                                        "after   ",
                                        "driver: 1 -> 2\n",
                                        "\nslower ",
                                        "\nbroken ",
                                        "\nmissing ",
                                        "\nfaster ",
                                        "\nnew ",
                                        "\n1 row of suite not-asked: not asked for in new\n",
                                        "\n10 rows: 2 slower, 1 broken, 1 missing, 1 faster"};
    const char *at = text;
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        const char *found = strstr(at, order[i]);
        cr_assert(found, "'%s' is missing, or precedes an earlier text, in\n%s", order[i], text);
        at = found;
    }
    has(text, ", 1 same (and 1 without a number in either run)\n");
    has(text, "; --all lists these rows");
    cr_assert_null(strstr(text, "\nunclear  "), "%s", text);
    cr_assert_null(strstr(text, "\nsame  "), "%s", text);
    free(text);
    text = table_of_width(false, false, true, true, 200);
    has(text, "\nunclear  ");
    has(text, "\nsame  ");
    has(text, "\nno-number  ");
    cr_assert_null(strstr(text, "--all"), "%s", text);
    free(text);
}

Test(changes, the_table_lists_all_slower_rows_but_only_ten_faster_rows)
{
    enum { FASTER = 12, SLOWER = 30 };
    static struct bl_compared many[FASTER + SLOWER];
    for (size_t i = 0; i < FASTER + SLOWER; i++) {
        many[i] = compared[i < FASTER ? BL_CHANGE_FASTER : BL_CHANGE_SLOWER];
        many[i].by = (i < FASTER ? 0.01 : -0.01) * (double)(i + 1);
    }
    const struct bl_view view = {.width = 200};
    char *text = NULL;
    size_t size = 0;
    struct bl_comparison some = comparison;
    some.rows = many;
    some.count = FASTER + SLOWER;
    struct bl_sink sink = {.format = &bl_format_table, .view = &view, .comparison = &some};
    sink.stream = open_memstream(&text, &size);
    const struct bl_change_writer *write = &bl_format_table.changes;
    cr_assert_eq(write->begin(&sink), BL_OK);
    for (size_t i = 0; i < some.count; i++)
        cr_assert_eq(write->row(&sink, &many[i]), BL_OK);
    cr_assert_eq(write->end(&sink, true), BL_OK);
    fclose(sink.stream);
    size_t slower = 0, faster = 0;
    for (const char *at = text; (at = strstr(at, "\nslower ")); at++)
        slower++;
    for (const char *at = text; (at = strstr(at, "\nfaster ")); at++)
        faster++;
    cr_assert_eq(slower, SLOWER, "%s", text);
    cr_assert_eq(faster, 10, "%s", text);
    has(text, "faster: 2 more; --all lists them\n");
    cr_assert_lt(strstr(text, "-42.00 %"), strstr(text, "-13.00 %"),
                 "the largest change is not first");
    free(text);
}

Test(changes, the_table_colours_bad_rows_and_prints_reasons)
{
    comparison.own_times = -0.25;
    compared[BL_CHANGE_COUNT].is_absolute = true;
    before[BL_CHANGE_COUNT].case_ns = before[BL_CHANGE_BASELINE].case_ns = 3;
    after[BL_CHANGE_COUNT].case_ns = after[BL_CHANGE_BASELINE].case_ns = 4;
    char *text = table(false, true, true);
    has(text, "driver: 1 -> 2\n");
    has(text, "\x1b[31mslower");
    has(text, "\x1b[32mfaster");
    has(text, "; 3 -> 4 ns");
    has(text, "error: a|b");
    has(text, "baseline's time changed");
    has(text, ", but --absolute does");
    free(text);
    text = table_of_width(false, true, true, true, 200);
    has(text, "\x1b[33munclear");
    free(text);
    comparison.comparing.absolute = true;
    compared[BL_CHANGE_UNCLEAR].by = 0.001;
    comparison.lacks_kernels[0] = true;
    old_run.info.driver[0] = '\0';
    text = table(false, false, true);
    has(text, "driver: unknown -> 2\n");
    has(text, "does not record them");
    cr_assert_null(strstr(text, "\x1b["));
    cr_assert_null(strstr(text, "--absolute does"));
    free(text);
}

Test(changes, a_quiet_table_has_only_its_last_lines_and_an_incomplete_one_has_no_counts)
{
    char *text = table(true, false, true);
    has(text, "rows: ");
    cr_assert_null(strstr(text, "faster  "));
    free(text);
    text = table(true, false, false);
    cr_assert_null(strstr(text, "rows: "));
    free(text);
    memset(comparison.counts, 0, sizeof comparison.counts);
    comparison.count = 0;
    text = table(false, false, true);
    has(text, "0 rows: none\n");
    free(text);
}
