/* Tests that CSV files are read back as they were written, in any locale, and that files of older
 * schemas can be read. */
#include <locale.h>

#include "report/run.h"
#include "rows.h"

static const char header[] =
    "schema,run_id,time_utc,tool_version,host,platform,device,driver,machine,"
    "case,suite,memory,type,shape,lanes,working_set_bytes,"
    "claim,lines,bank_passes,predicted,measured,measured_lo,measured_hi,verdict,status,reason,"
    "bytes_per_clock_cu,gbytes_per_s,ns_per_request,samples,seconds,direction,note,sectors,"
    "os,cpu,governor,cpu_mhz,device_mhz,case_ns,baseline_ns,placements,kernels,device_id,level,"
    "bound,distance,claim_verdict,case_ns_lo,case_ns_hi,baseline_ns_lo,baseline_ns_hi,"
    "fetched_gbytes_per_s,claim_source,"
    "device_watts,throttled,asked_for,placement_ratios\n";

/* The empty fields that follow the status in a row with nothing but a schema and a status. */
#define AFTER_STATUS ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,\n"
#define EMPTY_ROW "10,,,,,,,,,,,,,,,,,,,,,,,,ok" AFTER_STATUS

static struct bl_run_info full_run(void)
{
    struct bl_run_info run = run_on("Line one\nline two\r\nline three");
    strcpy(run.run_id, "20240229T101112Z-0badcafe");
    strcpy(run.time_utc, "2024-02-29T10:11:12Z");
    strcpy(run.tool_version, "0.1.0");
    strcpy(run.host, "lab,7");
    strcpy(run.platform, "A \"quoted\" platform");
    strcpy(run.driver, "\"");
    strcpy(run.os, "Linux 6.1, own");
    strcpy(run.cpu, "cpu");
    strcpy(run.governor, "powersave");
    strcpy(run.device_id, "GPU-1");
    strcpy(run.asked_for, "--quick local/*");
    return run;
}

static struct bl_row full_row(void)
{
    struct bl_row row = row_named("local/5");
    strcpy(row.memory, "local");
    row.key.working_set_bytes = 5000000000;
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
    row.device_watts = 312.5;
    strcpy(row.throttled, "power cap");
    row.sectors = 4.5;
    row.cpu_mhz = 3400.5;
    row.device_mhz = 1150;
    row.case_ns = 2.5;
    row.baseline_ns = 1.25;
    row.case_ns_lo = 2.25;
    row.case_ns_hi = 2.75;
    row.baseline_ns_lo = 1.125;
    row.baseline_ns_hi = 1.375;
    row.fetched_gbytes_per_s = 4444.5;
    row.placements = 5;
    strcpy(row.kernels, "1a2b");
    strcpy(row.level, "L1");
    strcpy(row.bound, "banks");
    row.distance = -0.25;
    row.claim_verdict = BL_REFUTED;
    strcpy(row.claim_source, BL_CLAIM_DERIVED);
    strcpy(row.placement_ratios, "0.5 - 0.25");
    return row;
}

static char *csv_of(const struct bl_run_info *run, const struct bl_row *row)
{
    return written("csv", run, row, row ? 1 : 0, NULL);
}

struct kept {
    struct bl_run_info run;
    struct bl_row row; /* the row that was read last */
    size_t count;
};

static enum bl_status keep(void *context, const struct bl_run_info *run, const struct bl_row *row,
                           size_t line, struct bl_error *error)
{
    (void)line, (void)error;
    struct kept *kept = context;
    kept->run = *run;
    kept->row = *row;
    kept->count++;
    return BL_OK;
}

static enum bl_status read_text(const char *text, struct kept *kept, struct bl_error *error)
{
    char path[] = "/tmp/bankline-csv-XXXXXX";
    const int file = mkstemp(path);
    cr_assert_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    *kept = (struct kept){0};
    const enum bl_status status = bl_csv_read(path, keep, kept, error);
    unlink(path);
    return status;
}

static void reads(const char *text, struct kept *kept)
{
    struct bl_error error = {0};
    cr_assert_eq(read_text(text, kept, &error), BL_OK, "%s", error.sentence);
}

static char *joined(const char *one, const char *other)
{
    char *text = NULL;
    cr_assert_geq(asprintf(&text, "%s%s", one, other), 0);
    return text;
}

Test(csv, the_header_has_the_documented_columns)
{
    const struct bl_run_info run = full_run();
    char *text = csv_of(&run, NULL);
    cr_assert_str_eq(text, header);
    free(text);
}

Test(csv, a_row_is_read_back_unchanged)
{
    const struct bl_run_info run = full_run();
    const struct bl_row row = full_row();
    char *text = csv_of(&run, &row);
    struct kept kept;
    reads(text, &kept);
    cr_assert_eq(kept.count, 1);
    cr_assert_str_eq(kept.run.host, run.host);
    cr_assert_str_eq(kept.run.platform, run.platform);
    cr_assert_str_eq(kept.run.device, run.device);
    cr_assert_eq(kept.row.key.working_set_bytes, row.key.working_set_bytes);
    cr_assert_eq(bl_row_key_compare(&kept.row.key, &row.key), 0);
    cr_assert_eq(kept.row.verdict, row.verdict);
    cr_assert_eq(kept.row.claim_verdict, row.claim_verdict);
    cr_assert_str_eq(kept.row.claim_source, "derived");
    cr_assert_float_eq(kept.row.measured, row.measured, 1e-7 * row.measured);
    /* The row that was read must be written with the same bytes. Then no column is lost or changed.
     */
    char *again = csv_of(&kept.run, &kept.row);
    cr_assert_str_eq(again, text);
    free(again);
    free(text);
}

Test(csv, every_column_of_a_row_is_written)
{
    struct bl_run_info run = full_run();
    strcpy(run.platform, "carriage\rreturn");
    strcpy(run.device, "plain; text");
    const struct bl_row row = full_row();
    char *text = csv_of(&run, &row);
    cr_assert_str_eq(
        text + strlen(header),
        "10,20240229T101112Z-0badcafe,2024-02-29T10:11:12Z,0.1.0,\"lab,7\","
        "\"carriage\rreturn\",plain; text,\"\"\"\",nvidia-hopper,local/5,local,local,int,"
        "16x1,16,5000000000,0.5,1.5,2,0.0625,0.1234568,1e-09,1.234568e+07,unclear,"
        "noisy,,126.75,33000.25,0.5,9,0.25,slower,spills 64 bytes,4.5,"
        "\"Linux 6.1, own\",cpu,powersave,3400.5,1150,2.5,1.25,5,1a2b,GPU-1,L1,banks,"
        "-0.25,refuted,2.25,2.75,1.125,1.375,4444.5,derived,312.5,power cap,"
        "--quick local/*,0.5 - 0.25\n");
    free(text);
}

Test(csv, an_unknown_value_is_empty_and_is_read_back_as_unknown)
{
    const struct bl_run_info run = bl_run_info_empty();
    struct bl_row row = bl_row_empty();
    row.status = BL_ROW_UNSUPPORTED;
    row.measured = INFINITY;
    strcpy(row.reason, "needs 8064 bytes of local memory, and a group has at most 4096");
    char *text = csv_of(&run, &row);
    has(text, "\n10,,,,,,,,,,,,,,,,,,,,,,,,unsupported,\"needs");
    cr_assert_null(strstr(text, "nan"));
    cr_assert_null(strstr(text, "inf"));
    struct kept kept;
    reads(text, &kept);
    cr_assert(isnan(kept.row.claim) && isnan(kept.row.measured) && kept.row.key.lanes == 0);
    cr_assert(isnan(kept.row.distance) && kept.row.placements == 0);
    cr_assert_eq(kept.row.verdict, BL_NO_VERDICT);
    cr_assert_eq(kept.row.claim_verdict, BL_NO_VERDICT);
    free(text);
}

Test(csv, a_comma_decimal_locale_changes_nothing)
{
    const struct bl_run_info run = full_run();
    const struct bl_row row = full_row();
    char *plain = csv_of(&run, &row);
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        cr_skip_test("there is no locale de_DE.UTF-8: install the package 'locales'");
    cr_assert_str_eq(localeconv()->decimal_point, ",");
    char *german = csv_of(&run, &row);
    cr_assert_str_eq(german, plain);
    struct kept kept;
    reads(german, &kept);
    cr_assert_float_eq(kept.row.predicted, 0.0625, 0);
    cr_assert_str_eq(localeconv()->decimal_point, ",", "the caller's locale is restored");
    free(plain);
    free(german);
}

/* Checks that a file with these lines after the header is refused, and that the message has this
 * part. */
static void refused(const char *rows_text, const char *sentence_part)
{
    char *text = joined(header, rows_text);
    struct kept kept;
    struct bl_error error = {0};
    cr_assert_eq(read_text(text, &kept, &error), BL_BAD_FORMAT, "%s", rows_text);
    has(error.sentence, sentence_part);
    has(error.sentence, "/tmp/bankline-csv-");
    free(text);
}

Test(csv, a_file_in_another_format_is_refused_and_the_line_is_named)
{
    char second[256];
    refused("10,2,3\n", "line 2: 3 fields");
    refused("10,,,,,,,,,,,,,,,,,,,,,,,,ok," AFTER_STATUS, "more than");
    refused("4,,,,,,,,,,,,,,,,,,,,,,,,ok" AFTER_STATUS, "schema 4");
    refused("10,,,,,,,,,,,,,,,,,,,,,,,,fine" AFTER_STATUS, "status");
    refused("10,,,,,,,,,,,,,,,,,,,,nan,,,,ok" AFTER_STATUS, "measured");
    static const char *const numbers[] = {"nan",        "inf", "1x",   "1.5", "-1",
                                          "4294967296", " ",   "0x10", " 16", "16 "};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        snprintf(second, sizeof second, "10,,,,,,,,,,,,,,%s,,,,,,,,,,ok" AFTER_STATUS, numbers[i]);
        refused(second, "column lanes cannot be");
    }
    refused("10,,,,,,,,,,,,,,,,,,,,,,,,ok,,,,,1e16,,,,,,,,,,,,,,,,,,,,,,,,,,\n", "samples");
    refused("10,,,,,,,,,,,,,,,,,,,,,,,,ok\n", "25 fields");
    refused("10,a\"b\",,,,\n", "quote");
    refused("10,\"\"b,,,,\n", "quote");
    refused("10,\"a\"\"b\"c,,,,\n", "quote");
    refused("10,\"a\"b,,,,\n", "quote");
    refused("10,\"never ends\n", "has no closing quote");
    refused(EMPTY_ROW "5,2\n", "line 3");
    struct kept kept;
    cr_assert_eq(read_text("a,b,c\n1,2,3\n", &kept, NULL), BL_BAD_FORMAT);
    cr_assert_eq(read_text("schema", &kept, NULL), BL_BAD_FORMAT);
    cr_assert_eq(read_text("", &kept, NULL), BL_BAD_FORMAT);
    cr_assert_eq(bl_csv_read("/no/such", keep, &kept, NULL), BL_FILE_FAILED);
}

Test(csv, a_file_of_an_older_schema_is_read)
{
    char *text = strdup(header), *cut = strstr(text, ",direction");
    cr_assert_not_null(cut);
    strcpy(cut, "\n");
    char *whole = joined(text, "1,,,,,,,,,,,,,,,,,,,,,,,,ok,,,,,,0.5\n");
    struct kept kept;
    reads(whole, &kept);
    cr_assert_eq(kept.count, 1);
    cr_assert_eq(kept.row.direction, BL_ANY_DIRECTION);
    cr_assert_eq(kept.row.claim_verdict, BL_NO_VERDICT);
    cr_assert_float_eq(kept.row.seconds, 0.5, 0);
    free(whole);
    free(text);
}

Test(csv, a_last_line_without_a_line_end_is_read)
{
    char *text = joined(header, EMPTY_ROW);
    text[strlen(text) - 1] = '\0';
    struct kept kept;
    reads(text, &kept);
    cr_assert_eq(kept.count, 1);
    free(text);
}

Test(csv, lines_may_end_in_crlf_and_the_file_may_begin_with_a_byte_order_mark)
{
    const struct bl_run_info run = full_run();
    const struct bl_row row = full_row();
    char *plain = csv_of(&run, &row), *crlf = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&crlf, &size);
    fputs("\xEF\xBB\xBF", memory);
    bool is_quoted = false;
    for (const char *at = plain; *at; at++) {
        is_quoted ^= *at == '"';
        if (*at == '\n' && !is_quoted)
            fputc('\r', memory);
        fputc(*at, memory);
    }
    fclose(memory);
    struct kept kept;
    reads(crlf, &kept);
    cr_assert_str_eq(kept.run.device, run.device, "line ends inside quotes stay as they are");
    char *again = csv_of(&kept.run, &kept.row);
    cr_assert_str_eq(again, plain);
    free(again);
    free(crlf);
    free(plain);
}

/* Reads the reference runs, some of which have older schemas. The columns of their schemas must be
 * written again without change, and each verdict must follow from the row's numbers. */
Test(csv, the_committed_reference_runs_are_written_unchanged)
{
    static const char *const names[] = {"nvidia-h100.csv", "nvidia-h200.csv", "pocl-cpu.csv"};
    for (size_t n = 0; n < 3; n++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/results/reference/%s", getenv("BANKLINE_SOURCE"), names[n]);
        struct bl_run_rows run = {0};
        struct bl_error error = {0};
        cr_assert_eq(bl_run_read(path, &run, &error), BL_OK, "%s", error.sentence);
        cr_assert_gt(run.count, 40);
        for (size_t i = 0; i < run.count; i++) {
            const struct bl_row *row = &run.rows[i];
            double tolerance =
                run.info.schema < 6 ? 0.1 : 0.05; /* default of the version that wrote the run */
            if (strstr(row->note, "predicted within 12 % on any card") || /* written by an older
                                                                             version */
                strstr(row->note, "tolerance 12 %"))
                tolerance = 0.12;
            if (isfinite(row->measured) && isfinite(row->predicted) && row->verdict != BL_NO_RULE &&
                row->verdict != BL_BASELINE)
                cr_assert_eq(row->verdict, bl_verdict_of(row->predicted, row->measured_lo,
                                                         row->measured_hi, tolerance));
        }
        char *old = text_of_file(path);
        const char *line = strchr(old, '\n') + 1;
        const size_t columns = bl_columns_of_schema(run.info.schema);
        for (size_t number = 2; *line; number++, line = strchr(line, '\n') + 1) {
            size_t i = 0;
            while (i < run.count && run.rows[i].line != number)
                i++;
            if (strstr(line, ",nvidia,")) /* the machine's name at that time */
                strcpy(run.rows[i].key.machine, "nvidia");
            char *now = csv_of(&run.info, &run.rows[i]);
            const char *mine = strchr(now, '\n') + 1;
            const size_t length = strcspn(line, "\n");
            cr_assert(strncmp(mine, line, length) == 0 &&
                          (mine[length] == '\n') == (columns == BL_COLUMN_COUNT),
                      "line %zu of %s:\n%.*s\n%s", number, names[n], (int)length, line, mine);
            free(now);
        }
        free(old);
        bl_run_free(&run);
    }
}
