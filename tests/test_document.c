/* Runs as documents: other programs can read them, whatever drivers and errors are called. */
#include <criterion/criterion.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef BL_WITH_JANSSON
#include <jansson.h>
#endif

#include "report/document.h"

static struct bl_error error;

/* A measured row, a refuted one, one without a number, and texts that break what is not careful. */
static size_t make_rows(struct bl_row rows[4])
{
    static double samples[] = {0.5, 0.25, 0.125};
    for (int i = 0; i < 4; i++) {
        rows[i] = bl_row_empty();
        strcpy(rows[i].time_utc, "2026-01-02T03:04:05Z");
        strcpy(rows[i].device, "A & <B> \"C\" \\ 'D' |\xff\x01");
        strcpy(rows[i].driver, "1.2");
        strcpy(rows[i].machine, "nvidia");
        snprintf(rows[i].case_id, sizeof rows[i].case_id, "local/%d", i);
        strcpy(rows[i].suite, "local");
        strcpy(rows[i].shape, "16x1");
        strcpy(rows[i].type, "int");
        rows[i].lanes = 16;
    }
    rows[0].measured = rows[1].measured = 0.25;
    rows[0].measured_lo = rows[1].measured_lo = 0.125;
    rows[0].measured_hi = rows[1].measured_hi = 0.5;
    rows[0].predicted = 0.25;
    rows[0].samples = 3;
    rows[0].sample_ratios = samples;
    rows[0].verdict = BL_CONFIRMED;
    rows[0].ns_per_request = 1.5;
    rows[0].seconds = 1.25;
    rows[1].predicted = 1;
    rows[1].verdict = BL_REFUTED;
    rows[2].status = BL_ROW_ERROR;
    strcpy(rows[2].reason, "a|b <c> \"d\"\nline two \x80");
    rows[3].status = BL_ROW_UNSUPPORTED;
    strcpy(rows[3].case_id, "try/get_global_id(0) | 1 < \"2\" & *p");
    strcpy(rows[3].reason, "too large");
    return 4;
}

static char *written(enum bl_document document, size_t count)
{
    struct bl_row rows[4];
    make_rows(rows);
    const char *library;
    if (!bl_document_is_built(document, &library))
        cr_skip_test("built without %s", library);
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    const struct bl_document_content content = {.rows = rows, .count = count};
    cr_assert_eq(bl_document_write(document, file, &content, &error), BL_OK, "%s", error.sentence);
    fclose(file);
    cr_assert_eq(strlen(text), size);
    return text;
}

static enum bl_status save(const char *path, const struct bl_row rows[], size_t count)
{
    const struct bl_document_content content = {.rows = rows, .count = count};
    return bl_document_save(BL_DOCUMENT_MARKDOWN, path, &content, &error);
}

static void has(const char *text, const char *part)
{
    cr_assert(strstr(text, part), "no %s in\n%s", part, text);
}

#ifdef BL_WITH_JANSSON
Test(document, json_has_every_column_and_sample)
{
    char *text = written(BL_DOCUMENT_JSON, 4);
    json_t *root = json_loads(text, 0, NULL), *rows = json_object_get(root, "rows");
    cr_assert_eq(json_array_size(rows), 4, "%s", text);
    json_t *first = json_array_get(rows, 0);
    size_t columns;
    bl_columns(&columns);
    cr_assert_eq(json_object_size(first), columns + 1);
    cr_assert_eq(json_array_size(json_object_get(first, "sample_ratios")), 3);
    cr_assert_float_eq(json_real_value(json_array_get(json_object_get(first, "sample_ratios"), 2)),
                       0.125, 0);
    cr_assert_float_eq(json_real_value(json_object_get(first, "measured")), 0.25, 0);
    cr_assert(json_is_null(json_object_get(json_array_get(rows, 2), "measured")));
    cr_assert_str_eq(json_string_value(json_object_get(json_array_get(rows, 3), "case")),
                     "try/get_global_id(0) | 1 < \"2\" & *p");
    json_decref(root);
    free(text);
    text = written(BL_DOCUMENT_JSON, 0);
    has(text, "\"rows\": []");
    free(text);
}

Test(document, googles_json_has_what_its_readers_need)
{
    char *text = written(BL_DOCUMENT_BENCHMARK_JSON, 4);
    json_t *root = json_loads(text, 0, NULL);
    cr_assert(json_is_array(json_object_get(json_object_get(root, "context"), "caches")));
    json_t *entries = json_object_get(root, "benchmarks");
    cr_assert_eq(json_array_size(entries), 4);
    for (size_t i = 0; i < 4; i++) {
        const char *const keys[] = {"name",      "run_name", "run_type", "iterations",
                                    "real_time", "cpu_time", "time_unit"};
        for (size_t k = 0; k < 7; k++)
            cr_assert(json_object_get(json_array_get(entries, i), keys[k]), "%s", keys[k]);
        cr_assert_eq(json_is_true(json_object_get(json_array_get(entries, i), "error_occurred")),
                     i >= 2);
    }
    cr_assert_float_eq(json_real_value(json_object_get(json_array_get(entries, 0), "real_time")),
                       1.5, 0);
    cr_assert_float_eq(json_real_value(json_object_get(json_array_get(entries, 1), "real_time")), 4,
                       0, "a quarter of the baseline's speed");
    json_decref(root);
    free(text);
}
#endif

Test(document, prometheus_text_ends_its_last_line_and_escapes_labels)
{
    char *text = written(BL_DOCUMENT_PROMETHEUS, 4);
    has(text, "# TYPE bankline_ratio gauge\nbankline_ratio{case=\"local/0\",type=\"int\","
              "shape=\"16x1\",lanes=\"16\",machine=\"nvidia\",device=\"A & <B> \\\"C\\\" \\\\ ");
    has(text, "\"} 0.25\n");
    has(text, "bankline_has_number{case=\"local/2\"");
    cr_assert_null(strstr(text, "nan"));
    cr_assert_eq(text[strlen(text) - 1], '\n');
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        cr_assert(strncmp(line, "# ", 2) == 0 || strncmp(line, "bankline_", 9) == 0, "%s", line);
    free(text);
}

Test(document, markdown_has_as_many_cells_in_every_row)
{
    char *text = written(BL_DOCUMENT_MARKDOWN, 4);
    const char *table = strstr(text, "| case |");
    cr_assert_not_null(table);
    size_t lines = 0;
    for (const char *line = table; *line; line += strcspn(line, "\n") + 1, lines++) {
        size_t cells = 0;
        for (const char *at = line; *at != '\n'; at++)
            cells += *at == '|' && (at == line || at[-1] != '\\');
        cr_assert_eq(cells, 8, "%zu in %s", cells, line);
    }
    cr_assert_eq(lines, 6);
    free(text);
}

Test(document, a_run_without_rows_is_a_document_too)
{
    const char *library;
    for (unsigned d = 0; d < BL_DOCUMENT_CSV; d++) {
        if (!bl_document_is_built((enum bl_document)d, &library))
            continue;
        char *text = written((enum bl_document)d, 0);
        cr_assert_gt(strlen(text), 0, "%u", d);
        cr_assert_eq(text[strlen(text) - 1], '\n', "%u", d);
        free(text);
    }
}

Test(document, what_has_no_reason_has_its_status)
{
    struct bl_row row = bl_row_empty();
    strcpy(row.device, "a*b_c`d\ne");
    strcpy(row.case_id, "local/1");
    row.status = BL_ROW_BAD_CLOCK;
    static const enum bl_document documents[] = {BL_DOCUMENT_MARKDOWN, BL_DOCUMENT_BENCHMARK_JSON};
    for (size_t i = 0; i < 2; i++) {
        const char *library;
        if (!bl_document_is_built(documents[i], &library))
            continue;
        char *text = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&text, &size);
        const struct bl_document_content content = {.rows = &row, .count = 1};
        cr_assert_eq(bl_document_write(documents[i], file, &content, &error), BL_OK);
        fclose(file);
        has(text, "bad-clock");
        if (documents[i] == BL_DOCUMENT_MARKDOWN)
            has(text, "a b c d e");
        free(text);
    }
}

Test(document, a_comma_decimal_locale_changes_nothing)
{
    char *plain[BL_DOCUMENT_COUNT];
    const char *library;
    for (unsigned d = 0; d < BL_DOCUMENT_CSV; d++)
        plain[d] = bl_document_is_built((enum bl_document)d, &library)
                       ? written((enum bl_document)d, 4)
                       : NULL;
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        cr_skip_test("the locale de_DE.UTF-8 was not made: install the package 'locales'");
    for (unsigned d = 0; d < BL_DOCUMENT_CSV; d++) {
        if (!plain[d])
            continue;
        char *german = written((enum bl_document)d, 4);
        cr_assert_str_eq(german, plain[d]);
        free(german);
        free(plain[d]);
    }
}

Test(document, a_full_disk_is_told_and_a_device_is_not_replaced)
{
    struct bl_row rows[4];
    const size_t count = make_rows(rows);
    cr_assert_eq(save("/dev/full", rows, count), BL_FILE_FAILED);
    cr_assert(strstr(error.sentence, "/dev/full: No space left"), "%s", error.sentence);
    struct stat about;
    cr_assert_eq(stat("/dev/full", &about), 0);
    cr_assert(S_ISCHR(about.st_mode));
}

Test(document, it_is_whole_in_its_place_or_the_old_one_stays)
{
    char folder[] = "/tmp/bankline-test-XXXXXX", path[64], other[80];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/run.md", folder);
    struct bl_row rows[4];
    const size_t count = make_rows(rows);
    cr_assert_eq(save(path, rows, count), BL_OK);
    struct stat first, second;
    cr_assert_eq(stat(path, &first), 0);
    cr_assert_gt(first.st_size, 100);
    cr_assert_eq(save(path, rows, 1), BL_OK);
    cr_assert_eq(stat(path, &second), 0);
    cr_assert_lt(second.st_size, first.st_size, "it replaces the old one");
    snprintf(other, sizeof other, "%s/no/run.md", folder);
    cr_assert_eq(save(other, rows, count), BL_FILE_FAILED);
    cr_assert(strstr(error.sentence, other) && strstr(error.sentence, "No such file"), "%s",
              error.sentence);
    /* A folder in its place cannot be replaced, and nothing is left beside it. */
    snprintf(other, sizeof other, "%s/folder", folder);
    mkdir(other, 0777);
    cr_assert_eq(save(other, rows, count), BL_FILE_FAILED);
    rmdir(other);
    snprintf(other, sizeof other, "%s/link", folder);
    cr_assert_eq(symlink("run.md", other), 0);
    cr_assert_eq(save(other, rows, count), BL_OK);
    cr_assert_eq(lstat(other, &second), 0);
    cr_assert(S_ISLNK(second.st_mode), "a link stays a link");
    cr_assert_eq(stat(path, &second), 0);
    cr_assert_eq(second.st_size, first.st_size, "and what it names is replaced");
    unlink(other);
    unlink(path);
    cr_assert_eq(rmdir(folder), 0, "nothing else is in the folder");
}
