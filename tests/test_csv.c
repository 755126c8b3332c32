/* The CSV: what is written is read back, whatever the locale. */
#include <criterion/criterion.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include "report/csv.h"

static const char header[] =
    "schema,run_id,time_utc,tool_version,host,platform,device,driver,machine,"
    "case,suite,memory,type,shape,lanes,working_set_bytes,"
    "claim,lines,bank_passes,predicted,measured,measured_lo,measured_hi,verdict,status,reason,"
    "bytes_per_clock_cu,gbytes_per_s,ns_per_request,samples,seconds,direction,note,sectors,"
    "os,cpu,governor,cpu_mhz,device_mhz\n";

static struct bl_row full_row(void)
{
    struct bl_row row = bl_row_empty();
    strcpy(row.run_id, "20240229T101112Z-0badcafe");
    strcpy(row.time_utc, "2024-02-29T10:11:12Z");
    strcpy(row.tool_version, "0.1.0");
    strcpy(row.host, "lab,7");
    strcpy(row.platform, "A \"quoted\" platform");
    strcpy(row.device, "Line one\nline two\r\nline three");
    strcpy(row.driver, "\"");
    strcpy(row.machine, "nvidia");
    strcpy(row.case_id, "local/5");
    strcpy(row.suite, "local");
    strcpy(row.memory, "local");
    strcpy(row.type, "int");
    strcpy(row.shape, "16x1");
    row.lanes = 16;
    row.working_set_bytes = 5000000000;
    row.claim = 0.5;
    row.lines = 1.5;
    row.bank_passes = 2;
    row.predicted = 0.0625;
    row.measured = 0.123456789;
    row.measured_lo = 1e-9;
    row.measured_hi = 12345678;
    row.verdict = BL_UNCLEAR;
    row.status = BL_ROW_NOISY;
    row.bytes_per_clock_cu = 126.75;
    row.gbytes_per_s = 33000.25;
    row.ns_per_request = 0.5;
    row.samples = 9;
    row.seconds = 0.25;
    row.direction = BL_SLOWER;
    strcpy(row.note, "spills 64 bytes");
    row.sectors = 4.5;
    strcpy(row.os, "Linux 6.1, own");
    strcpy(row.cpu, "cpu");
    strcpy(row.governor, "powersave");
    row.cpu_mhz = 3400.5;
    row.device_mhz = 1150;
    return row;
}

static char *written(const struct bl_row *row)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    cr_assert_eq(bl_csv_header(file, NULL), BL_OK);
    if (row)
        cr_assert_eq(bl_csv_row(file, row, NULL), BL_OK);
    fclose(file);
    return text;
}

static enum bl_status read_text(const char *text, struct bl_row **rows, size_t *count,
                                struct bl_error *error)
{
    FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    cr_assert_not_null(file);
    const enum bl_status status = bl_csv_read(file, rows, count, error);
    fclose(file);
    return status;
}

Test(csv, the_header_is_the_contract)
{
    char *text = written(NULL);
    cr_assert_str_eq(text, header);
    free(text);
}

Test(csv, a_row_comes_back_as_it_was)
{
    const struct bl_row row = full_row();
    char *text = written(&row);
    struct bl_row *rows;
    size_t count;
    struct bl_error error = {0};
    cr_assert_eq(read_text(text, &rows, &count, &error), BL_OK, "%s", error.sentence);
    cr_assert_eq(count, 1);
    cr_assert_str_eq(rows[0].host, row.host);
    cr_assert_str_eq(rows[0].platform, row.platform);
    cr_assert_str_eq(rows[0].device, row.device);
    cr_assert_str_eq(rows[0].driver, row.driver);
    cr_assert_eq(rows[0].working_set_bytes, row.working_set_bytes);
    cr_assert_eq(rows[0].verdict, row.verdict);
    cr_assert_eq(rows[0].status, row.status);
    cr_assert_float_eq(rows[0].measured, row.measured, 1e-7 * row.measured);
    cr_assert_float_eq(rows[0].measured_hi, row.measured_hi, 10);
    /* What was read is written again byte for byte: no column is lost or changed. */
    char *again = written(&rows[0]);
    cr_assert_str_eq(again, text);
    free(again);
    free(rows);
    free(text);
}

Test(csv, a_row_is_written_column_by_column)
{
    struct bl_row row = full_row();
    strcpy(row.platform, "carriage\rreturn");
    strcpy(row.device, "plain; text");
    char *text = written(&row);
    cr_assert_str_eq(
        text + strlen(header),
        "4,20240229T101112Z-0badcafe,2024-02-29T10:11:12Z,0.1.0,\"lab,7\","
        "\"carriage\rreturn\",plain; text,\"\"\"\",nvidia,local/5,local,local,int,16x1,"
        "16,5000000000,0.5,1.5,2,0.0625,0.1234568,1e-09,1.234568e+07,unclear,noisy,,"
        "126.75,33000.25,0.5,9,0.25,slower,spills 64 bytes,4.5,"
        "\"Linux 6.1, own\",cpu,powersave,3400.5,1150\n");
    free(text);
}

Test(csv, what_is_not_known_is_empty_and_comes_back_unknown)
{
    struct bl_row row = bl_row_empty();
    row.verdict = BL_NO_VERDICT;
    row.status = BL_ROW_UNSUPPORTED;
    row.measured = INFINITY;
    strcpy(row.reason, "needs 8064 bytes of local memory, and a group has at most 4096");
    char *text = written(&row);
    cr_assert_not_null(strstr(text, "\n4,,,,,,,,,,,,,,,,,,,,,,,,unsupported,\"needs"), "%s", text);
    cr_assert_null(strstr(text, "nan"));
    cr_assert_null(strstr(text, "inf"));
    struct bl_row *rows;
    size_t count;
    cr_assert_eq(read_text(text, &rows, &count, NULL), BL_OK);
    cr_assert(isnan(rows[0].claim) && isnan(rows[0].measured) && rows[0].lanes == 0);
    cr_assert_eq(rows[0].verdict, BL_NO_VERDICT);
    free(rows);
    free(text);
}

Test(csv, a_comma_decimal_locale_changes_nothing)
{
    const struct bl_row row = full_row();
    char *plain = written(&row);
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        cr_skip_test("the locale de_DE.UTF-8 was not made: install the package 'locales'");
    cr_assert_str_eq(localeconv()->decimal_point, ",");
    char *german = written(&row);
    cr_assert_str_eq(german, plain);
    struct bl_row *rows;
    size_t count;
    cr_assert_eq(read_text(german, &rows, &count, NULL), BL_OK);
    cr_assert_float_eq(rows[0].predicted, 0.0625, 0);
    cr_assert_str_eq(localeconv()->decimal_point, ",", "the caller's locale is as it was");
    free(rows);
    free(plain);
    free(german);
}

Test(csv, a_full_disk_is_told)
{
    FILE *full = fopen("/dev/full", "w");
    struct bl_error error = {0};
    cr_assert_eq(bl_csv_header(full, &error), BL_FILE_FAILED);
    cr_assert(strstr(error.sentence, "No space left"), "%s", error.sentence);
    fclose(full);
}

static void refused(const char *rows_text, const char *sentence_part)
{
    char *text = NULL;
    cr_assert_geq(asprintf(&text, "%s%s", header, rows_text), 0);
    struct bl_row *rows;
    size_t count;
    struct bl_error error = {0};
    cr_assert_eq(read_text(text, &rows, &count, &error), BL_BAD_FORMAT, "%s", rows_text);
    cr_assert(strstr(error.sentence, sentence_part), "%s", error.sentence);
    cr_assert_null(rows);
    cr_assert_eq(count, 0);
    free(text);
}

Test(csv, what_is_no_such_file_is_refused_with_its_line)
{
    const char good[] = "4,,,,,,,,,,,,,,,,,,,,,,,,ok,,,,,,,,,,,,,,\n";
    char second[256];
    refused("4,2,3\n", "line 2: 3 fields");
    refused("4,,,,,,,,,,,,,,,,,,,,,,,,ok,,,,,,,,,,,,,,,\n", "more than");
    refused("5,,,,,,,,,,,,,,,,,,,,,,,,ok,,,,,,,,,,,,,,\n", "schema 5");
    refused("4,,,,,,,,,,,,,,,,,,,,,,,,fine,,,,,,,,,,,,,,\n", "status");
    refused("4,,,,,,,,,,,,,,,,,,,,nan,,,,ok,,,,,,,,,,,,,,\n", "measured");
    refused("4,,,,,,,,,,,,,,,,0,5,,,,,,,,ok,,,,,,,,,,,,,,\n", "status");
    refused("4,,,,,,,,,,,,,,-16,,,,,,,,,,ok,,,,,,,,,,,,,,\n", "lanes");
    static const char *const numbers[] = {"nan", "inf", "1x", "1.5", "-1", "4294967296", " ", "0x"};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        snprintf(second, sizeof second, "4,,,,,,,,,,,,,,%s,,,,,,,,,,ok,,,,,,,,,,,,,,\n",
                 numbers[i]);
        refused(second, numbers[i][0] == ' ' ? "" : numbers[i]);
    }
    refused("4,,,,,,,,,,,,,,,,,,,,,,,,ok,,,,,1e16,,,,,,,,,\n", "samples");
    refused("4,,,,,,,,,,,,,,,,,,,,,,,,ok\n", "25 fields");
    refused("4,a\"b\",,,,\n", "quote");
    refused("4,\"\"b,,,,\n", "quote");
    refused("4,\"a\"\"b\"c,,,,\n", "quote");
    refused("4,\"a\"b,,,,\n", "quote");
    refused("4,\"never ends\n", "does not end");
    snprintf(second, sizeof second, "%s%s", good, "4,2\n");
    refused(second, "line 3");
    struct bl_row *rows;
    size_t count;
    cr_assert_eq(read_text("a,b,c\n1,2,3\n", &rows, &count, NULL), BL_BAD_FORMAT);
    cr_assert_eq(read_text("schema", &rows, &count, NULL), BL_BAD_FORMAT);
}

Test(csv, a_file_of_an_older_schema_is_read)
{
    char *text = strdup(header), *cut = strstr(text, ",direction");
    cr_assert_not_null(cut);
    strcpy(cut, "\n");
    char *whole = NULL;
    cr_assert_geq(asprintf(&whole, "%s1,,,,,,,,,,,,,,,,,,,,,,,,ok,,,,,,0.5\n", text), 0);
    struct bl_row *rows;
    size_t count;
    struct bl_error error = {0};
    cr_assert_eq(read_text(whole, &rows, &count, &error), BL_OK, "%s", error.sentence);
    cr_assert_eq(count, 1);
    cr_assert_eq(rows[0].direction, BL_ANY_DIRECTION);
    cr_assert_float_eq(rows[0].seconds, 0.5, 0);
    free(rows);
    free(whole);
    free(text);
}

Test(csv, a_last_line_without_its_end_is_read)
{
    char *text = NULL;
    cr_assert_geq(asprintf(&text, "%s4,,,,,,,,,,,,,,,,,,,,,,,,ok,,,,,,,,,,,,,,", header), 0);
    struct bl_row *rows;
    size_t count;
    cr_assert_eq(read_text(text, &rows, &count, NULL), BL_OK);
    cr_assert_eq(count, 1);
    free(rows);
    free(text);
}

Test(csv, the_committed_reference_runs_are_whole_and_consistent)
{
    const char *const names[] = {"nvidia-h100.csv", "pocl-cpu.csv"};
    for (size_t n = 0; n < 2; n++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/results/reference/%s", getenv("BANKLINE_SOURCE"), names[n]);
        FILE *file = fopen(path, "r");
        cr_assert_not_null(file, "%s", path);
        struct bl_row *rows;
        size_t count;
        struct bl_error error = {0};
        cr_assert_eq(bl_csv_read(file, &rows, &count, &error), BL_OK, "%s", error.sentence);
        fclose(file);
        cr_assert_gt(count, 40);
        for (size_t i = 0; i < count; i++) {
            cr_assert_str_eq(rows[i].run_id, rows[0].run_id);
            if (isfinite(rows[i].measured) && isfinite(rows[i].predicted))
                cr_assert_eq(rows[i].verdict, bl_verdict_of(rows[i].predicted, rows[i].measured_lo,
                                                            rows[i].measured_hi, 0.1));
        }
        free(rows);
    }
}
