/* The page: what comes from files is text, requests are drawn as they are, findings in order. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page/html.h"
#include "page/page.h"
#include "page/request_svg.h"
#include "page/rows.h"

static char *text;
static size_t size;

static FILE *begin(void)
{
    FILE *file = open_memstream(&text, &size);
    cr_assert_not_null(file);
    return file;
}

static unsigned count_of(const char *part)
{
    unsigned count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        count++;
    return count;
}

static const struct bl_machine *machine_named(const char *name)
{
    const struct bl_machine *machine;
    cr_assert_eq(bl_machine_find(name, &machine, NULL), BL_OK);
    return machine;
}

Test(html, what_comes_from_files_is_text)
{
    static const char *const cases[][2] = {
        {"a < b & c > d", "a &lt; b &amp; c &gt; d"},
        {"</script><img src=\"x\" onerror='y'>",
         "&lt;/script&gt;&lt;img src=&quot;x&quot; onerror=&#39;y&#39;&gt;"},
        {"\x1b[31m\x01", "\xEF\xBF\xBD[31m\xEF\xBF\xBD"},
        {"caf\xc3\xa9 \xff", "caf\xc3\xa9 \xEF\xBF\xBD"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        FILE *file = begin();
        bl_html(file, cases[i][0]);
        fclose(file);
        cr_assert_str_eq(text, cases[i][1]);
        free(text);
    }
    FILE *file = begin();
    bl_html_number(file, NAN, 3);
    bl_html_number(file, 0.03125, 3);
    fclose(file);
    cr_assert(strstr(text, "<td></td>"), "unknown is empty: %s", text);
    cr_assert(strstr(text, "<td class=\"number\">0.0312</td>"), "%s", text);
    free(text);
}

/* A request of 32 lanes, `apart` bytes from each other. */
static void draw(const char *name, enum bl_memory memory, uint64_t apart)
{
    uint64_t addresses[32];
    for (unsigned lane = 0; lane < 32; lane++)
        addresses[lane] = lane * apart;
    const struct bl_request request = {memory, false, 4, 32, addresses, false};
    FILE *file = begin();
    bl_page_cells(file, machine_named(name), &request, "a <case>");
    fclose(file);
}

Test(cells, a_square_for_each_word_and_sector)
{
    draw("nvidia-hopper", BL_MEMORY_LOCAL, 128);
    cr_assert_eq(count_of("class=\"used\""), 1, "one bank");
    cr_assert_eq(count_of("class=\"again\""), 31, "that is asked for 31 words more");
    cr_assert_eq(count_of("class=\"cell\""), 31, "and 31 that nobody asks");
    cr_assert_eq(count_of(">lines<"), 0);
    cr_assert(strstr(text, "aria-label=\"a &lt;case&gt;: 32 lanes: the busiest bank delivers 32 "
                           "words: 32 clocks\""),
              "%s", text);
    free(text);
    draw("nvidia-hopper", BL_MEMORY_GLOBAL, 4);
    cr_assert_eq(count_of(">tags "), 1, "a line");
    cr_assert_eq(count_of("class=\"used\""), 4 + 32, "its sectors, and a word of each bank");
    cr_assert_eq(count_of("class=\"again\""), 0);
    free(text);
    draw("nvidia-hopper", BL_MEMORY_GLOBAL, 4096);
    cr_assert_eq(count_of(">tags "), 32);
    free(text);
    uint64_t far[64];
    for (unsigned lane = 0; lane < 64; lane++)
        far[lane] = lane * 4096;
    const struct bl_request wave = {BL_MEMORY_GLOBAL, false, 4, 64, far, false};
    FILE *file = begin();
    bl_page_cells(file, machine_named("amd-cdna2"), &wave, "wave");
    fclose(file);
    cr_assert(strstr(text, ">and 32 more<"), "%s", text);
    free(text);
    draw("intel-gen9", BL_MEMORY_GLOBAL, 64);
    cr_assert_eq(count_of(">words of each"), 0, "banks serve local memory alone");
    free(text);
    draw("cpu", BL_MEMORY_GLOBAL, 4);
    cr_assert_eq(size, 0, "without a rule there is nothing to draw");
    free(text);
}

static struct bl_row rows[8];
static struct bl_run_rows run;

static void add(const char *id, double predicted, double measured, enum bl_verdict verdict)
{
    struct bl_row *row = &rows[run.count++];
    *row = bl_row_empty();
    strcpy(row->key.case_id, id);
    strcpy(row->key.shape, "16x1");
    strcpy(row->key.machine, "nvidia-hopper");
    row->predicted = predicted;
    row->measured = measured;
    row->measured_lo = 0.99 * measured;
    row->measured_hi = 1.01 * measured;
    row->verdict = verdict;
    run.rows = rows;
}

Test(findings, what_failed_comes_before_what_is_refuted_and_that_before_claims)
{
    struct bl_headlines findings;
    add("fine/1", 1, 1, BL_CONFIRMED);
    bl_page_findings(&run, NULL, NULL, &findings);
    cr_assert_eq(findings.count, 1);
    cr_assert(strstr(findings.all[0], "Nothing stands out"), "%s", findings.all[0]);
    add("costly/1", 0.25, 0.25, BL_CONFIRMED);
    add("far/1", 0.5, 0.25, BL_REFUTED);
    add("near/1", 0.5, 0.45, BL_REFUTED);
    add("claimed/1", 1, 1, BL_CONFIRMED);
    rows[run.count - 1].claim = 0.5;
    rows[run.count - 1].claim_verdict = BL_REFUTED;
    bl_page_findings(&run, NULL, NULL, &findings);
    cr_assert_eq(findings.count, 3);
    cr_assert(strstr(findings.all[0], "2 predictions are refuted, most of all far/1"), "%s",
              findings.all[0]);
    cr_assert(strstr(findings.all[0], "-50.0 %"), "%s", findings.all[0]);
    cr_assert(strstr(findings.all[1], "1 of 1 claims"), "%s", findings.all[1]);
    cr_assert(strstr(findings.all[2], "costly/1"), "%s", findings.all[2]);
    add("broken/1", 1, NAN, BL_NO_VERDICT);
    rows[run.count - 1].status = BL_ROW_WRONG_RESULT;
    bl_page_findings(&run, NULL, NULL, &findings);
    cr_assert(strstr(findings.all[0], "1 row has no number, the first of them broken/1"), "%s",
              findings.all[0]);
    cr_assert_eq(bl_page_count(&run, BL_CONFIRMED), 3);
    add("broken/2", 1, NAN, BL_NO_VERDICT);
    rows[run.count - 1].status = BL_ROW_ERROR;
    bl_page_findings(&run, NULL, NULL, &findings);
    cr_assert(strstr(findings.all[0], "2 rows have no number"), "%s", findings.all[0]);
    const struct bl_comparison moved = {.own_times = 0.08};
    bl_page_findings(&run, &moved, NULL, &findings);
    cr_assert(strstr(findings.all[0], "own times moved by +8.0 %"), "%s", findings.all[0]);
}

Test(findings, one_of_a_kind)
{
    struct bl_headlines findings;
    add("far/1", 0.5, 0.25, BL_REFUTED);
    add("unsure/1", 1, 1, BL_UNCLEAR);
    bl_page_findings(&run, NULL, NULL, &findings);
    cr_assert(strstr(findings.all[0], "1 prediction is refuted"), "%s", findings.all[0]);
    cr_assert(strstr(findings.all[1], "1 row is unclear"), "%s", findings.all[1]);
}

static const char *document_of(const char *id) { return strcmp(id, "far/1") == 0 ? "a guide" : ""; }

Test(page, two_runs_what_changed_is_worst_first)
{
    static struct bl_row before[8];
    add("a/1", 0.5, 0.5, BL_CONFIRMED);
    add("far/1", 0.5, 0.25, BL_REFUTED);
    add("quick/1", NAN, 0.9, BL_REFUTED);
    rows[2].direction = BL_FASTER;
    for (size_t i = 0; i < run.count; i++)
        rows[i].case_ns = 10, rows[i].baseline_ns = 5, strcpy(rows[i].kernels, "same");
    memcpy(before, rows, sizeof before);
    before[0].measured = 0.6, before[0].measured_lo = 0.599, before[0].measured_hi = 0.601;
    before[0].case_ns = 8;
    strcpy(before[2].key.case_id, "gone/1");
    struct bl_page_run runs[2] = {{"old.csv", {.rows = before, .count = 3}}, {"new.csv", run}};
    bl_run_sort(&runs[0].rows);
    struct bl_comparison comparison = {.before = &runs[0].rows,
                                       .after = &runs[1].rows,
                                       .names = {"old.csv", "new.csv"},
                                       .comparing = {.threshold = 0.05}};
    cr_assert_eq(bl_compare(&comparison, NULL), BL_OK);
    struct bl_plot_point points[] = {{"evil </table>", {0.5, NAN}}};
    const struct bl_page_curve curves[] = {
        {.title = "drawn",
         .what = "what it shows",
         .svg = (char[]){"<?xml?><svg><g id=\"gnuplot_plot_1\" fill=\"none\"/></svg>"},
         .points = {.what = "case",
                    .columns = {{"measured", "ns"}, {"error", ""}},
                    .all = points,
                    .count = 1}},
        {.title = "not drawn"}};
    const struct bl_page page = {.runs = runs,
                                 .run_count = 2,
                                 .comparison = &comparison,
                                 .curves = curves,
                                 .curve_count = 2,
                                 .why_no_curves = "one is missing",
                                 .document_of = document_of,
                                 .command = "bankline report old.csv new.csv -o <page>",
                                 .time_utc = "now",
                                 .tool_version = "1"};
    FILE *file = begin();
    bl_page_write(file, &page);
    fclose(file);
    bl_comparison_free(&comparison);
    cr_assert_eq(count_of("<figure class=\"curve\""), 1);
    cr_assert_eq(count_of("<summary>Its 1 point<"), 1, "its points are a table");
    cr_assert(strstr(text, "data-unit=\"ns\"") && strstr(text, "evil &lt;/table&gt;"));
    cr_assert_eq(count_of("<?xml"), 0, "of a picture only what is SVG");
    cr_assert_eq(count_of("<svg><g fill=\"none\"/></svg>"), 1, "and no id twice");
    cr_assert(strstr(text, "one is missing"));
    cr_assert(strstr(text, "-o &lt;page&gt;"));
    const char *changes = strstr(text, "What changed");
    cr_assert_not_null(changes);
    const char *slower = strstr(changes, "a/1"), *gone = strstr(changes, "gone/1"),
               *new = strstr(changes, "quick/1");
    cr_assert(slower && gone && new &&slower < gone &&gone < new);
    cr_assert(strstr(text, "should be faster than its baseline"));
    cr_assert(strstr(text, "<td>a guide</td>"));
    free(text);
}
