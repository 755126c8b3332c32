/* Tests the table of a run: its rows, its last lines, and whether the table fits the terminal. */
#include "report/layout.h"
#include "rows.h"

Test(table, ratios_are_written_as_in_the_guides)
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
    struct bl_row row = row_of(id, measured);
    row.claim = claim;
    row.predicted = predicted;
    row.verdict = bl_verdict_of(predicted, row.measured_lo, row.measured_hi, 0.1);
    row.bytes_per_clock_cu = 60;
    bl_row_conclude(&row, 0.1);
    return row;
}

/* Returns the table, which the caller frees. */
static char *table_of(const struct bl_row rows[], size_t count, const struct bl_view *view)
{
    static char *text; /* static, because the stream writes `text` after each flush */
    static size_t size;
    struct bl_run_info run = run_on("A device");
    strcpy(run.platform, "A platform");
    strcpy(run.driver, "1.0");
    struct bl_sink sink = {.format = &bl_format_table,
                           .stream = open_memstream(&text, &size),
                           .view = view,
                           .run = &run};
    const struct bl_run_writer *writer = &bl_format_table.run;
    cr_assert_eq(writer->begin(&sink), BL_OK);
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(writer->row(&sink, &rows[i]), BL_OK);
    cr_assert_eq(writer->end(&sink, true), BL_OK);
    fclose(sink.stream);
    return text;
}

static struct bl_view view_of(const char *name, bool quiet)
{
    const struct bl_machine *machine;
    cr_assert_eq(bl_machine_find(name, &machine, NULL), BL_OK);
    return (struct bl_view){.machine = machine,
                            .arrays_per_unit = 1,
                            .tolerance = 0.1,
                            .quiet = quiet,
                            .width = BL_ANY_WIDTH};
}

static char *table_with(const struct bl_row rows[], size_t count, bool quiet, const char *machine)
{
    const struct bl_view view = view_of(machine, quiet);
    return table_of(rows, count, &view);
}

static const char *last_line(const char *text)
{
    const char *end = strrchr(text, '\n');
    const char *at = end;
    while (at > text && at[-1] != '\n')
        at--;
    return at;
}

Test(table, a_colour_shows_the_result_of_a_row)
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
    struct bl_view view = view_of("nvidia-hopper", false);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int colour = 0; colour < 2; colour++) {
            struct bl_row row = row_named("local/1");
            row.verdict = rows[i].verdict;
            row.status = rows[i].status;
            if (row.status <= BL_ROW_NOISY)
                row.measured = row.measured_lo = row.measured_hi = row.predicted = 3;
            strcpy(row.reason, "why");
            view.colour = colour != 0;
            char *text = table_of(&row, 1, &view);
            const char *found = strstr(text, "\x1b[3");
            if (colour && rows[i].colour[0])
                cr_assert(found && strncmp(found, rows[i].colour, 5) == 0, "row %zu: %s", i, text);
            else
                cr_assert_null(found, "row %zu: %s", i, text);
            free(text);
        }
}

Test(table, a_refuted_claim_is_shown_beside_a_confirmed_prediction)
{
    struct bl_row rows[] = {measured_row("global/1", 1, 1, 1),
                            measured_row("global/2", 0.5, 1, 0.95),
                            measured_row("global/4", NAN, 0.25, 0.4), row_named("local/1")};
    rows[3].status = BL_ROW_WRONG_RESULT;
    strcpy(rows[3].reason, "work-item 3 is wrong");
    char *text = table_with(rows, 4, false, "nvidia-hopper");
    cr_assert(strstr(text, "claim does not hold"));
    cr_assert(strstr(text, "wrong-result: work-item 3 is wrong"));
    cr_assert(strstr(text, "1 of 2 hold here; these do not: global/2."), "%s", text);
    cr_assert(strstr(text, "Predictions other than 1: 1 of 3; 1 refuted. Distance from the "
                           "prediction: mean 60.0 %, largest 60.0 % (global/4)."),
              "%s", text);
    cr_assert_str_eq(last_line(text), "4 rows: 2 confirmed, 1 refuted, 1 wrong-result\n");
    free(text);
    text = table_with(rows, 4, true, "nvidia-hopper");
    cr_assert_null(strstr(text, "case "));
    cr_assert_str_eq(last_line(text), "4 rows: 2 confirmed, 1 refuted, 1 wrong-result\n");
    free(text);
}

/* Printed and derived claims are counted separately. An unclear claim does not count as a claim
 * that holds. A row that is its own baseline is not counted. */
Test(table, claims_are_counted_by_their_source)
{
    struct bl_row rows[] = {
        measured_row("global/1", 1, 1, 1), measured_row("global/4", 0.25, 1, 0.25),
        measured_row("global/2", 0.5, 1, 0.5), measured_row("lines/7", 0.5, 1, 0.95),
        measured_row("global/3", 1, 1, 1)};
    strcpy(rows[3].claim_source, BL_CLAIM_DERIVED);
    rows[2].claim_verdict = BL_UNCLEAR;
    rows[4].verdict = BL_BASELINE;
    bl_row_conclude(&rows[4], 0.1);
    char *text = table_with(rows, 5, false, "nvidia-hopper");
    cr_assert(strstr(text, "The guides' claims: 2 of 3 hold here, 1 unclear."), "%s", text);
    cr_assert(strstr(text, "derived from the guides' rules: 0 of 1 hold here."), "%s", text);
    cr_assert(strstr(text, "lines/7") && strstr(text, "(1/2)"), "%s", text);
    cr_assert(strstr(text, "the claim derived from the guide does not hold here"), "%s", text);
    cr_assert(strstr(text, " 1 baseline"), "%s", text);
    free(text);
}

static struct bl_row level_row(const char *id, uint64_t bytes, double gbytes_per_s, double ns)
{
    struct bl_row row = measured_row(id, NAN, NAN, 1);
    strcpy(row.memory, "global");
    row.key.working_set_bytes = bytes;
    row.gbytes_per_s = gbytes_per_s;
    row.ns_per_request = ns;
    return row;
}

Test(table, the_table_ends_with_the_speed_of_each_level)
{
    struct bl_row rows[] = {level_row("global/1", 64 << 10, 33211.87, 0.5),
                            level_row("level/contiguous-16K", 16 << 10, 33347.19, 2),
                            level_row("level/memory-contiguous", (uint64_t)4 << 30, 4525.834, 3.7),
                            level_row("latency/global-16K", 16 << 10, NAN, 18.756),
                            level_row("global/6", 64 << 10, 99999, 0.5)};
    strcpy(rows[2].level, "memory");
    char *text = table_with(rows, 5, false, "nvidia-hopper");
    has(text, "\nlevel           read GB/s  B/clk/CU   limit  latency ns\n");
    has(text, "\nL1                  33347      60.0   128.0        18.8\n");
    has(text, "\nmemory               4526      60.0       -           -\n");
    cr_assert_null(strstr(text, "99999"), "only contiguous accesses are shown\n%s", text);
    cr_assert_null(strstr(text, "written GB/s"), "nothing was written\n%s", text);
    free(text);
    text = table_with(rows, 5, true, "nvidia-hopper");
    cr_assert_null(strstr(text, "latency ns"), "%s", text);
    free(text);
    text = table_with(&rows[4], 1, false, "nvidia-hopper");
    cr_assert_null(strstr(text, "read GB/s"), "%s", text);
    free(text);
}

Test(table, a_run_without_rows_says_so)
{
    struct bl_row none = bl_row_empty();
    char *text = table_with(&none, 0, false, "nvidia-hopper");
    cr_assert_str_eq(last_line(text), "0 rows: none\n");
    free(text);
}

Test(table, some_of_many_refuted_claims_are_named_and_the_rest_are_counted)
{
    struct bl_row rows[30];
    for (size_t i = 0; i < 30; i++)
        rows[i] = measured_row("private/nonuniform-32", 0.5, 1, 0.95);
    char *text = table_with(rows, 30, true, "nvidia-hopper");
    cr_assert(strstr(text, "claims: 0 of 30 hold here; these do not: private/nonuniform-32, "),
              "%s", text);
    cr_assert(strstr(text, "nonuniform-32 and 25 more.\n"), "%s", text);
    free(text);
}

Test(table, without_a_rule_the_reason_is_one_sentence_and_no_claim_is_judged)
{
    struct bl_row row = measured_row("global/2", 0.5, NAN, 0.9);
    row.verdict = BL_NO_RULE;
    bl_row_conclude(&row, 0.1);
    char *text = table_with(&row, 1, false, "cpu");
    cr_assert(strstr(text, "no-rule: a CPU has no"));
    cr_assert_null(strstr(text, "does not hold"));
    cr_assert_null(strstr(text, "The guides' claims"));
    cr_assert_str_eq(last_line(text), "1 row: 1 no-rule\n");
    free(text);
}

static size_t longest_line(const char *text)
{
    size_t longest = 0;
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        longest = strcspn(line, "\n") > longest ? strcspn(line, "\n") : longest;
    return longest;
}

Test(table, the_table_fits_the_terminal)
{
    struct bl_row rows[] = {measured_row("private/nonuniform-32", 0.5, 1, 0.95),
                            row_named("constant/constant-16")};
    strcpy(rows[0].note,
           "spills 1024 bytes, touches up to 512 KiB, and the rule is for what stays");
    rows[0].status = BL_ROW_NOISY;
    rows[1].status = BL_ROW_WRONG_RESULT;
    strcpy(rows[1].reason, "output 12 of 4096 is 0x00000001 where 0x00000002 is right (3 rounds)");
    struct bl_view view = view_of("nvidia-hopper", false);
    static const unsigned widths[] = {80, 100, 120, 200};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        view.width = widths[i];
        char *text = table_of(rows, 2, &view);
        cr_assert_leq(longest_line(text), widths[i], "%s", text);
        has(text, "0.9500 [0.9490, 0.9509]");
        has(text, "wrong-result");
        free(text);
    }
}

Test(table, the_heading_says_what_ratios_are_relative_to)
{
    struct bl_row row = measured_row("local/5", 0.5, 0.5, 0.5);
    char *text = table_with(&row, 1, false, "nvidia-hopper");
    has(text, "divided by that of the case's baseline");
    free(text);
    strcpy(row.key.case_id, "try/get_global_id(0) * 2");
    text = table_with(&row, 1, false, "nvidia-hopper");
    has(text, "divided by that of the contiguous access;");
    free(text);
}

Test(table, noise_is_explained_once)
{
    struct bl_row rows[20];
    for (size_t i = 0; i < 20; i++) {
        rows[i] = measured_row("local/5", 0.5, 0.5, 0.5);
        rows[i].status = BL_ROW_NOISY;
    }
    char *text = table_with(rows, 20, false, "nvidia-hopper");
    const char *advice = strstr(text, "--seconds");
    cr_assert(advice && !strstr(advice + 1, "--seconds"), "%s", text);
    has(text, "20 rows");
    free(text);
}
