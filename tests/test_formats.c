/* Tests that runs are written in every format with their numbers, and that texts from drivers and
 * errors are escaped. */
#include <locale.h>
#include <math.h>

#include "documents.h"
#include "report/run.h"

static struct bl_run_info run;
static struct bl_row rows[4];

/* Makes a confirmed row, a refuted row and two rows without a number. The device's name, a reason
 * and a case's name must be escaped. */
static void make_rows(void)
{
    static double samples[] = {0.5, 0.25, 0.125};
    run = run_on("A & <B> \"C\" \\ 'D' |\xff\x01");
    strcpy(run.time_utc, "2026-01-02T03:04:05Z");
    strcpy(run.driver, "1.2");
    for (int i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "local/%d", i);
        rows[i] = row_named(name);
    }
    rows[0].measured = rows[1].measured = 0.25;
    rows[0].measured_lo = rows[1].measured_lo = 0.125;
    rows[0].measured_hi = rows[1].measured_hi = 0.5;
    rows[0].predicted = 0.25;
    rows[0].samples = 3;
    rows[0].sample_ratios = samples;
    rows[0].verdict = BL_CONFIRMED;
    rows[0].case_ns = 1.5;
    rows[0].seconds = 1.25;
    rows[0].distance = 0.125;
    rows[1].predicted = 1;
    rows[1].verdict = BL_REFUTED;
    rows[2].status = BL_ROW_ERROR;
    strcpy(rows[2].reason, "a|b <c> \"d\"\nline two \x80");
    rows[3].status = BL_ROW_UNSUPPORTED;
    strcpy(rows[3].key.case_id, "try/get_global_id(0) | 1 < \"2\" & *p");
    strcpy(rows[3].reason, "too large");
}

TestSuite(formats, .init = make_rows);

static char *run_as(const char *format, size_t count)
{
    return written(format, &run, rows, count, NULL);
}

#ifdef BL_WITH_JANSSON
Test(formats, json_has_every_column_once_and_every_sample)
{
    json_t *root = parsed(run_as("json", 4)), *about = json_object_get(root, "run");
    json_t *first = at(root, "rows", 0), *last = at(root, "rows", 3);
    cr_assert_eq(json_array_size(json_object_get(root, "rows")), 4);
    cr_assert_eq(json_integer_value(json_object_get(root, "schema")), BL_CSV_SCHEMA);
    for (size_t i = 1; i < BL_COLUMN_COUNT; i++) { /* column 0 is the schema */
        const bool is_of_run = bl_columns[i].owner == BL_COLUMN_OF_RUN;
        cr_assert_eq(json_object_get(about, bl_columns[i].name) != NULL, is_of_run, "%s",
                     bl_columns[i].name);
        cr_assert_eq(json_object_get(first, bl_columns[i].name) != NULL, !is_of_run, "%s",
                     bl_columns[i].name);
    }
    json_t *samples = json_object_get(first, "sample_ratios");
    cr_assert_eq(json_array_size(samples), 3);
    cr_assert_float_eq(json_real_value(json_array_get(samples, 2)), 0.125, 0);
    cr_assert_float_eq(json_real_value(json_object_get(first, "measured")), 0.25, 0);
    cr_assert_float_eq(json_real_value(json_object_get(first, "distance")), 0.125, 0);
    cr_assert_str_eq(json_string_value(json_object_get(last, "case")),
                     "try/get_global_id(0) | 1 < \"2\" & *p");
    json_decref(root);
    root = parsed(run_as("json", 0));
    cr_assert_eq(json_array_size(json_object_get(root, "rows")), 0);
    json_decref(root);
}

Test(formats, json_has_a_prediction_for_each_alternative_number_of_banks)
{
    rows[1].alternatives[0] = (struct bl_alternative){{16, 4}, 0.0625};
    rows[1].alternatives[1] = (struct bl_alternative){{65, 8}, NAN};
    rows[1].alternative_count = 2;
    json_t *root = parsed(run_as("json", 2));
    cr_assert_null(json_object_get(at(root, "rows", 0), "alternatives"));
    const json_t *all = json_object_get(at(root, "rows", 1), "alternatives");
    cr_assert_eq(json_array_size(all), 2);
    const json_t *one = json_array_get(all, 0), *other = json_array_get(all, 1);
    cr_assert_float_eq(json_real_value(json_object_get(one, "predicted")), 0.0625, 0);
    cr_assert_eq(json_integer_value(json_object_get(other, "banks")), 65);
    cr_assert_eq(json_integer_value(json_object_get(other, "bank_bytes")), 8);
    cr_assert(json_is_null(json_object_get(other, "predicted")));
    json_decref(root);
}

Test(formats, unknown_values_are_null_in_json)
{
    json_t *root = parsed(run_as("json", 4)), *third = at(root, "rows", 2);
    static const char *const unknown[] = {"measured", "note",         "memory",
                                          "verdict",  "placements",   "working_set_bytes",
                                          "distance", "claim_verdict"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        cr_assert(json_is_null(json_object_get(third, unknown[i])), "%s", unknown[i]);
    cr_assert(json_is_null(json_object_get(json_object_get(root, "run"), "governor")));
    json_decref(root);
}

Test(formats, google_benchmarks_json_has_the_required_keys_and_only_measured_times)
{
    json_t *root = parsed(run_as("benchmark-json", 4));
    cr_assert(json_is_array(json_object_get(json_object_get(root, "context"), "caches")));
    for (size_t i = 0; i < 4; i++) {
        json_t *entry = at(root, "benchmarks", i);
        static const char *const keys[] = {"name", "run_name", "run_type", "iterations"};
        for (size_t k = 0; k < 4; k++)
            cr_assert(json_object_get(entry, keys[k]), "%s", keys[k]);
        cr_assert_eq(json_is_true(json_object_get(entry, "error_occurred")), i >= 2);
        cr_assert_eq(json_object_get(entry, "real_time") != NULL, i == 0, "row %zu", i);
    }
    json_t *first = at(root, "benchmarks", 0);
    cr_assert_float_eq(json_real_value(json_object_get(first, "real_time")), 1.5, 0);
    cr_assert_str_eq(json_string_value(json_object_get(first, "time_unit")), "ns");
    json_decref(root);
}

Test(formats, bencher_has_the_measurements_of_rows_with_a_number)
{
    json_t *root = parsed(run_as("bencher", 4));
    cr_assert_eq(json_object_size(root), 2, "two rows have no number");
    const json_t *first = json_object_get(root, "local/0/16x1/int/16/0"),
                 *ratio = json_object_get(first, "ratio");
    cr_assert_float_eq(json_real_value(json_object_get(ratio, "value")), 0.25, 0);
    cr_assert_float_eq(json_real_value(json_object_get(ratio, "lower_value")), rows[0].measured_lo,
                       1e-6);
    cr_assert_float_eq(json_real_value(json_object_get(ratio, "upper_value")), rows[0].measured_hi,
                       1e-6);
    const json_t *latency = json_object_get(first, "latency");
    cr_assert_float_eq(json_real_value(json_object_get(latency, "value")), 1.5, 0);
    const json_t *second = json_object_get(root, "local/1/16x1/int/16/0");
    cr_assert_not_null(json_object_get(second, "ratio"));
    cr_assert_null(json_object_get(second, "latency"), "the row has no time");
    json_decref(root);
    strcpy(rows[1].key.case_id, "try/x\xff"); /* the name gets the level, and a '?' for
                                                 the invalid byte */
    strcpy(rows[1].level, "L2");
    root = parsed(run_as("bencher", 2));
    cr_assert_not_null(json_object_get(root, "try/x?/16x1/int/16/0/L2"));
    json_decref(root);
}
#endif

Test(formats, prometheus_has_a_separate_metric_for_the_run)
{
    char *text = run_as("prometheus", 4);
    lines_are_prometheus(text);
    has(text, "# TYPE bankline_run_info gauge\nbankline_run_info{run_id=\"\",time_utc=\"2026-");
    has(text, ",driver=\"1.2\",");
    has(text, "\nbankline_run_timestamp_seconds{device=\"A & <B> \\\"C\\\" \\\\ ");
    has(text, "} 1767323045\n");
    has(text, "\nbankline_ratio{case=\"local/0\",type=\"int\",shape=\"16x1\",lanes=\"16\","
              "working_set_bytes=\"0\",machine=\"nvidia-hopper\",device=\"A & <B> \\\"C\\\" \\\\ ");
    has(text, "\"} 0.25\n");
    has(text, "\nbankline_has_number{case=\"local/2\"");
    has(text, ",verdict=\"refuted\"} 1\n");
    has(text, "\nbankline_case_time_seconds{case=\"local/0\"");
    has(text, "} 1.5e-09\n");
    size_t with_driver = 0;
    for (const char *at = text; (at = strstr(at, ",driver=")); at++)
        with_driver++;
    cr_assert_eq(with_driver, 1,
                 "if every metric had the driver, an update would start new series");
    free(text);
}

Test(formats, every_row_of_the_markdown_table_has_the_same_number_of_cells)
{
    char *text = run_as("markdown", 4);
    every_line_has_cells(strstr(text, "| case |"), 10, 6);
    free(text);
}

Test(formats, a_run_without_rows_can_be_written_in_every_format)
{
    size_t count;
    const struct bl_format *const *formats = bl_formats(&count);
    for (size_t i = 0; i < count; i++) {
        if (formats[i]->lacks)
            continue;
        char *text = run_as(formats[i]->name, 0);
        cr_assert_gt(strlen(text), 0, "%s", formats[i]->name);
        cr_assert_eq(text[strlen(text) - 1], '\n', "%s", formats[i]->name);
        free(text);
    }
}

Test(formats, a_row_without_a_number_and_a_reason_shows_its_status)
{
    struct bl_row row = row_named("local/1");
    strcpy(run.device, "a*b_c`d\ne\x1b[1m");
    row.status = BL_ROW_BAD_CLOCK;
    static const char *const names[] = {"markdown", "benchmark-json", "junit"};
    for (size_t i = 0; i < 3; i++) {
        if (format_named(names[i])->lacks)
            continue;
        char *text = written(names[i], &run, &row, 1, NULL);
        has(text, "bad-clock");
        if (i == 0)
            has(text, "a\\*b\\_c\\`d e?\\[1m");
        free(text);
    }
}

Test(formats, a_comma_decimal_locale_changes_nothing)
{
    size_t count;
    const struct bl_format *const *formats = bl_formats(&count);
    char *plain[BL_MAX_FORMATS] = {NULL};
    for (size_t i = 0; i < count; i++)
        if (!formats[i]->lacks)
            plain[i] = run_as(formats[i]->name, 4);
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        cr_skip_test("there is no locale de_DE.UTF-8: install the package 'locales'");
    for (size_t i = 0; i < count; i++) {
        if (!plain[i])
            continue;
        char *german = run_as(formats[i]->name, 4);
        cr_assert_str_eq(german, plain[i]);
        free(german);
        free(plain[i]);
    }
}

Test(formats, if_one_format_fails_the_others_still_get_the_row)
{
    char path[] = "/tmp/bankline-format-XXXXXX";
    close(mkstemp(path));
    static const struct bl_machine machine = {.name = "nvidia-hopper"};
    const struct bl_view view = {.machine = &machine, .width = BL_ANY_WIDTH};
    const struct bl_sink_file files[] = {{format_named("csv"), "/dev/full"},
                                         {format_named("csv"), path}};
    struct bl_sinks *sinks;
    struct bl_error error = {0};
    cr_assert_eq(bl_sinks_open(files, 2, &view, false, &sinks, &error), BL_OK);
    cr_assert_eq(bl_sinks_run(sinks, &run, &error), BL_FILE_FAILED);
    has(error.sentence, "/dev/full: No space left");
    for (size_t i = 0; i < 3; i++)
        bl_sinks_row(sinks, &rows[i], &error);
    bl_sinks_close(sinks, true, &error);
    struct bl_run_rows read;
    strcpy(run.device, "x");
    cr_assert_eq(bl_run_read(path, &read, &error), BL_OK, "%s", error.sentence);
    cr_assert_eq(read.count, 3);
    bl_run_free(&read);
    unlink(path);
}

Test(formats, an_unavailable_format_is_reported_before_a_file_is_opened)
{
    const struct bl_format missing = {.name = "pdf", .lacks = "libpdf", .writes_runs = true};
    const struct bl_sink_file file = {&missing, "/no/such/folder/x.pdf"};
    struct bl_sinks *sinks;
    struct bl_error error = {0};
    cr_assert_eq(bl_sinks_open(&file, 1, NULL, false, &sinks, &error), BL_USAGE);
    has(error.sentence,
        "cannot write /no/such/folder/x.pdf: this bankline was built without libpdf");
    cr_assert_null(sinks);
}

Test(formats, every_format_has_the_level_and_the_bottleneck)
{
    static const char *const names[] = {"csv",   "json",       "benchmark-json",
                                        "junit", "prometheus", "markdown"};
    strcpy(rows[1].level, "L3");
    strcpy(rows[1].bound, "granules");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (format_named(names[i])->lacks)
            continue; /* the program was built without the format's library */
        char *text = run_as(names[i], 4);
        cr_expect(strstr(text, "L3") && strstr(text, "granules"), "%s: %s", names[i], text);
        free(text);
    }
    strcpy(rows[3].level, "L2"); /* in JUnit, the name of an expression's row includes the level */
    if (!format_named("junit")->lacks) {
        char *text = run_as("junit", 4);
        has(text, "*p 16x1 int L2\"");
        free(text);
    }
}
