/* Tests the HTML page: text from files is escaped, requests are drawn correctly, and findings are
 * in order. */
#include <criterion/criterion.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/device.h"
#include "page/html.h"
#include "page/page.h"
#include "page/request_picture.h"
#include "page/request_svg.h"
#include "report/summary.h"

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

Test(html, text_from_files_is_escaped)
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
    cr_assert(strstr(text, "<td></td>"), "an unknown value is an empty cell: %s", text);
    cr_assert(strstr(text, "<td class=\"number\">0.0312</td>"), "%s", text);
    free(text);
}

/* Draws a request of 32 lanes. The addresses of neighbouring lanes are `apart` bytes apart. */
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

/* The number of squares of this CSS class. All squares of a class are one path, in which each
 * square ends with 'z'. */
static unsigned squares_of(const char *class)
{
    char opening[64];
    unsigned count = 0;
    snprintf(opening, sizeof opening, "<path class=\"%s\" d=\"", class);
    cr_assert_leq(count_of(opening), 1);
    const char *at = strstr(text, opening);
    for (at = at ? at + strlen(opening) : ""; *at && *at != '"'; at++)
        count += *at == 'z';
    return count;
}

Test(cells, there_is_a_square_for_each_word_and_sector)
{
    draw("nvidia-hopper", BL_MEMORY_LOCAL, 128);
    cr_assert_eq(squares_of("used"), 1, "one bank is used");
    cr_assert_eq(squares_of("again"), 31, "the bank must deliver 31 more words");
    cr_assert_eq(squares_of("cell"), 31, "31 banks are idle");
    cr_assert(strstr(text, "<tr><td>32<td colspan=\"2\" class=\"words\">0</table>"),
              "missing in the table: %s", text);
    cr_assert_eq(count_of(">lines<"), 0);
    cr_assert(strstr(text, "aria-label=\"a &lt;case&gt;: 32 lanes: the busiest bank delivers 32 "
                           "words; in total 32 clocks\""),
              "%s", text);
    free(text);
    draw("nvidia-hopper", BL_MEMORY_GLOBAL, 4);
    cr_assert_eq(count_of(">tags "), 1, "a line");
    cr_assert_eq(squares_of("used"), 4 + 32, "4 sectors, and a word of each bank");
    cr_assert_eq(squares_of("again"), 0);
    cr_assert(strstr(text, "<tr><td>0<td>0<td>0, 1, 2, 3"), "missing in the table: %s", text);
    cr_assert(strstr(text, "class=\"words\">0 to 31<"), "missing in the table: %s", text);
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
    cr_assert_eq(count_of(">words of each"), 0, "banks serve only local memory");
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

Test(findings, failed_rows_come_first_then_refuted_predictions_then_refuted_claims)
{
    struct bl_headlines findings;
    add("fine/1", 1, 1, BL_CONFIRMED);
    bl_page_findings(&run, NULL, NULL, &findings);
    cr_assert_eq(findings.count, 1);
    cr_assert(strstr(findings.all[0].what, "Nothing stands out"), "%s", findings.all[0].what);
    add("costly/1", 0.25, 0.25, BL_CONFIRMED);
    add("far/1", 0.5, 0.25, BL_REFUTED);
    add("near/1", 0.5, 0.45, BL_REFUTED);
    add("claimed/1", 1, 1, BL_CONFIRMED);
    rows[run.count - 1].claim = 0.5;
    rows[run.count - 1].claim_verdict = BL_REFUTED;
    bl_page_findings(&run, NULL, NULL, &findings);
    cr_assert_eq(findings.count, 3);
    cr_assert(strstr(findings.all[0].what, "2 predictions are refuted, most of all far/1"), "%s",
              findings.all[0].what);
    cr_assert(strstr(findings.all[0].what, "-50.0 %"), "%s", findings.all[0].what);
    cr_assert(strstr(findings.all[1].what, "1 of 1 claims"), "%s", findings.all[1].what);
    cr_assert(strstr(findings.all[2].what, "costly/1"), "%s", findings.all[2].what);
    add("broken/1", 1, NAN, BL_NO_VERDICT);
    rows[run.count - 1].status = BL_ROW_WRONG_RESULT;
    bl_page_findings(&run, NULL, NULL, &findings);
    cr_assert(strstr(findings.all[0].what, "1 row has no number, the first of them broken/1"), "%s",
              findings.all[0].what);
    cr_assert_eq(bl_page_count(&run, BL_CONFIRMED), 3);
    add("broken/2", 1, NAN, BL_NO_VERDICT);
    rows[run.count - 1].status = BL_ROW_ERROR;
    bl_page_findings(&run, NULL, NULL, &findings);
    cr_assert(strstr(findings.all[0].what, "2 rows have no number"), "%s", findings.all[0].what);
    const struct bl_comparison moved = {.own_times = 0.08};
    bl_page_findings(&run, &moved, NULL, &findings);
    cr_assert(strstr(findings.all[0].what, "own times changed by +8.0 %"), "%s",
              findings.all[0].what);
}

Test(findings, each_kind_of_finding_is_shown)
{
    struct bl_headlines findings;
    add("far/1", 0.5, 0.25, BL_REFUTED);
    add("unsure/1", 1, 1, BL_UNCLEAR);
    bl_page_findings(&run, NULL, NULL, &findings);
    cr_assert(strstr(findings.all[0].what, "1 prediction is refuted"), "%s", findings.all[0].what);
    cr_assert(strstr(findings.all[1].what, "1 row is too noisy to test, most of all unsure/1 16x1: "
                                           "predicted 1, measured 1.0000"),
              "%s", findings.all[1].what);
    add("large/1", 1, NAN, BL_NO_VERDICT);
    rows[run.count - 1].status = BL_ROW_UNSUPPORTED;
    strcpy(rows[run.count - 1].reason, "needs 65536 bytes");
    bl_page_findings(&run, NULL, NULL, &findings);
    cr_assert_str_eq(findings.all[2].what,
                     "This device cannot run 1 row, for example large/1 16x1: "
                     "needs 65536 bytes.");
    struct bl_comparison quiet = {.names = {"old.csv", "new.csv"}};
    quiet.counts[BL_CHANGE_SAME] = 5, quiet.counts[BL_CHANGE_UNCLEAR] = 2;
    bl_page_findings(&run, &quiet, NULL, &findings);
    cr_assert_str_eq(findings.all[2].what,
                     "No row is slower than in old.csv: 5 same, 0 faster, 2 too noisy to judge.");
    quiet.counts[BL_CHANGE_KERNEL] = 7;
    bl_page_findings(&run, &quiet, NULL, &findings);
    cr_assert(strstr(findings.all[2].what, "judge, 7 not comparable because the kernels changed."),
              "%s", findings.all[2].what);
    quiet.counts[BL_CHANGE_SAME] = 0;
    bl_page_findings(&run, &quiet, NULL, &findings);
    cr_assert(strstr(findings.all[1].what, "No row could be compared with old.csv"), "%s",
              findings.all[1].what);
}

/* Whether a row whose ratio rises by the fraction `by` has a change point, if the threshold is 5 %.
 */
static bool has_step(double by)
{
    struct bl_row points[20];
    struct bl_run_info runs[20] = {0};
    for (size_t i = 0; i < 20; i++) {
        const double ratio = i < 10 ? 0.5 : 0.5 * (1 + by);
        points[i] = bl_row_empty();
        points[i].measured = ratio;
        points[i].measured_lo = ratio * 0.999;
        points[i].measured_hi = ratio * 1.001;
    }
    struct bl_nights nights = {0};
    struct bl_error error;
    cr_assert_eq(bl_nights_add(&nights, points, runs, 19, &points[19], &runs[19], &error), BL_OK);
    cr_assert_eq(bl_nights_search(&nights, 0.05, &error), BL_OK);
    const size_t found = nights.all[0].change_count;
    bl_nights_free(&nights);
    return found > 0;
}

Test(nights, a_step_counts_from_the_threshold_on_as_in_comparisons)
{
    /* A fall by 5 % is as large as a rise by 1 / 0.95 - 1 = 5.26 %. */
    cr_assert(has_step(-0.0501) && has_step(0.0527));
    cr_assert_not(has_step(-0.0499));
    cr_assert_not(has_step(0.0525), "bl_change_of and bl_since_of have the same threshold");
}

static const char *document_of(const char *id) { return strcmp(id, "far/1") == 0 ? "a guide" : ""; }

Test(page, a_page_of_two_runs_lists_the_worst_changes_first)
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
    cr_assert_eq(count_of("<summary>Points of this picture (1)<"), 1, "its points are a table");
    cr_assert(strstr(text, "data-unit=\"ns\"") && strstr(text, "evil &lt;/table&gt;"));
    cr_assert_eq(count_of("<?xml"), 0, "only the SVG part of a picture is used");
    cr_assert_eq(count_of("<svg><g fill=\"none\"/></svg>"), 1, "no id occurs twice");
    cr_assert(strstr(text, "one is missing"));
    cr_assert(strstr(text, "-o &lt;page&gt;"));
    const char *changes = strstr(text, "<h2 id=\"changes\">What changed");
    cr_assert_not_null(changes);
    const char *slower = strstr(changes, "a/1"), *gone = strstr(changes, "gone/1"),
               *new = strstr(changes, "quick/1");
    cr_assert(slower && gone && new &&slower < gone &&gone < new);
    cr_assert(strstr(text, "should be faster than its baseline"));
    cr_assert(strstr(text, "<td>a guide</td>"));
    free(text);
}

/* Draws two requests as one picture. The addresses of neighbouring lanes are `apart` bytes apart in
 * the first request, and `other` bytes apart in the second. */
static void draw_two(const char *name, enum bl_memory memory, unsigned access_bytes, uint64_t apart,
                     uint64_t other)
{
    static uint64_t addresses[2][BL_MAX_LANES];
    const struct bl_machine *machine = machine_named(name);
    for (unsigned lane = 0; lane < machine->lanes; lane++) {
        addresses[0][lane] = lane * apart;
        addresses[1][lane] = lane * other;
    }
    const struct bl_request requests[] = {
        {memory, false, access_bytes, machine->lanes, addresses[0], false},
        {memory, false, access_bytes, machine->lanes, addresses[1], false}};
    const struct bl_drawn_request drawn[] = {{"a < b", &requests[0]}, {"c & d", &requests[1]}};
    FILE *file = begin();
    cr_assert_eq(bl_requests_svg(file, machine, drawn, 2, NULL), BL_OK);
    fclose(file);
}

/* How often this text occurs in the second of the two panels. */
static unsigned count_in_second(const char *part)
{
    unsigned count = 0;
    const char *at = strstr(text, ">c &amp; d<");
    cr_assert_not_null(at);
    for (; (at = strstr(at, part)); at += strlen(part))
        count++;
    return count;
}

Test(requests, two_versions_are_shown_side_by_side_with_their_clocks)
{
    draw_two("nvidia-hopper", BL_MEMORY_LOCAL, 4, 128, 132);
    cr_assert(strstr(text, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=") == text);
    cr_assert(strstr(text, ">a &lt; b<"));
    cr_assert_eq(count_of("<g transform=\"translate("), 2);
    cr_assert_eq(count_of(">clock 32<"), 1, "in the first request one bank serves all lanes");
    cr_assert_eq(count_of("class=\"again\""), 31);
    cr_assert_eq(count_in_second("class=\"used\""), 32, "in the second each bank serves one lane");
    cr_assert_eq(count_in_second(">clock 2<"), 0);
    cr_assert_eq(count_of(">line<"), 0, "local memory has no lines");
    free(text);
    draw_two("nvidia-hopper", BL_MEMORY_GLOBAL, 4, 4, 512);
    cr_assert_eq(count_of("tag banks: the line that each looks up in each clock"), 2);
    cr_assert_eq(count_in_second("class=\"used\""), 4 + 1, "four tag banks and one bank");
    cr_assert_eq(count_in_second(">clock 8<"), 2,
                 "each tag bank looks up 8 lines; one bank delivers 32 words");
    cr_assert_eq(count_in_second(">f<"), 3,
                 "the 32nd line: at its lane, as a line, and in its clock");
    free(text);
}

/* The number of clocks that the SVG draws after `at`. A clock is a row 12 pixels high. */
static unsigned clocks_drawn(const char *at)
{
    unsigned first = UINT_MAX, last = 0, y;
    for (; (at = strstr(at, "<path class=\"")); at++)
        if (sscanf(at, "<path class=\"used\" d=\"M%*u %u", &y) == 1 ||
            sscanf(at, "<path class=\"again\" d=\"M%*u %u", &y) == 1) {
            first = y < first ? y : first;
            last = y > last ? y : last;
        }
    return last / 12 - first / 12 + 1;
}

Test(requests, a_picture_has_as_many_clocks_as_the_model_predicts)
{
    static const unsigned widths[] = {1, 2, 4, 8, 16}, strides[] = {0, 1, 2, 3, 4, 8, 17, 33, 64};
    size_t count;
    const struct bl_machine *machines = bl_machines(&count);
    unsigned drawn = 0;
    for (size_t m = 0; m < count; m++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
            for (size_t s = 0; s < sizeof strides / sizeof *strides; s++) {
                uint64_t addresses[BL_MAX_LANES];
                struct bl_cost cost;
                const unsigned lanes = machines[m].lanes ? machines[m].lanes : 16;
                for (unsigned lane = 0; lane < lanes; lane++)
                    addresses[lane] = (uint64_t)lane * strides[s] * widths[w];
                const struct bl_request request = {s % 2 ? BL_MEMORY_LOCAL : BL_MEMORY_GLOBAL,
                                                   false,
                                                   widths[w],
                                                   lanes,
                                                   addresses,
                                                   false};
                const struct bl_drawn_request one = {"one", &request};
                const bool is_ruled = bl_cost_of(&machines[m], &request, &cost) == BL_OK;
                FILE *file = begin();
                cr_assert_eq(bl_requests_svg(file, &machines[m], &one, 1, NULL), BL_OK);
                fclose(file);
                if (!is_ruled)
                    cr_assert_eq(count_of("in each clock"), 0, "%s", machines[m].name);
                const char *banks = strstr(text, "banks: the first lane");
                if (banks && cost.bank_passes <= 64) {
                    cr_assert_eq(clocks_drawn(banks), cost.bank_passes, "%s", machines[m].name);
                    drawn++;
                }
                free(text);
            }
    cr_assert_gt(drawn, 100);
}

/* The colours of a theme in the style sheet. */
struct theme {
    const char *css; /* the style sheet from the beginning of the theme's block */
};

/* The luminance of a variable such as "text", by WCAG 2. */
static double luminance_of(const struct theme *theme, const char *name)
{
    static const double weights[] = {0.2126, 0.7152, 0.0722};
    char opening[32];
    double luminance = 0;
    snprintf(opening, sizeof opening, "--%s: #", name);
    const char *at = strstr(theme->css, opening);
    cr_assert(at && at < strchr(theme->css, '}'), "no colour %s", name);
    const unsigned long colour = strtoul(at + strlen(opening), NULL, 16);
    for (unsigned i = 0; i < 3; i++) {
        const double part = (double)(colour >> (16 - 8 * i) & 0xff) / 255;
        luminance +=
            weights[i] * (part <= 0.03928 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
    }
    return luminance;
}

static double contrast_of(const struct theme *theme, const char *ink, const char *paper)
{
    const double a = luminance_of(theme, ink), b = luminance_of(theme, paper);
    return (fmax(a, b) + 0.05) / (fmin(a, b) + 0.05);
}

Test(style, words_have_enough_contrast_in_both_themes)
{
    static const char *const inks[] = {"text", "good", "bad", "open", "link"},
                             *const papers[] = {"paper", "soft", "mark"},
                             *const fields[] = {"heat", "heat-soft"};
    const char *css = bl_embedded_text(bl_page_texts, "page.css");
    const char *light = strstr(css, ":root {"), *dark = strstr(light + 1, ":root {");
    cr_assert(light && dark);
    const struct theme themes[] = {{light}, {dark}};
    for (size_t t = 0; t < 2; t++) {
        for (size_t i = 0; i < sizeof inks / sizeof *inks; i++)
            for (size_t p = 0; p < sizeof papers / sizeof *papers; p++)
                cr_expect_geq(contrast_of(&themes[t], inks[i], papers[p]), 4.5,
                              "%s on %s, %s: %.2f", inks[i], papers[p], t ? "dark" : "light",
                              contrast_of(&themes[t], inks[i], papers[p]));
        for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
            cr_expect_geq(contrast_of(&themes[t], "text", fields[f]), 4.5, "text on %s, %s: %.2f",
                          fields[f], t ? "dark" : "light",
                          contrast_of(&themes[t], "text", fields[f]));
    }
    const char *rules = strchr(dark, '}');
    cr_expect_null(strstr(rules, ": #"), "a colour is not defined as a variable");
    cr_expect_null(strstr(rules, "rgb("), "a colour is not defined as a variable");
}

Test(style, words_in_a_picture_of_requests_have_enough_contrast)
{
    static const char *const pairs[][2] = {
        {"text", "paper"}, {"text", "even"}, {"text", "odd"}, {"paper", "good"}, {"paper", "bad"}};
    draw_two("nvidia-hopper", BL_MEMORY_GLOBAL, 4, 4, 8);
    const char *light = strstr(text, "svg { --text"), *dark = strstr(light + 1, "svg { --text");
    cr_assert(light && dark);
    const struct theme themes[] = {{light}, {dark}};
    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
            cr_expect_geq(contrast_of(&themes[t], pairs[i][0], pairs[i][1]), 4.5, "%s on %s, %s",
                          pairs[i][0], pairs[i][1], t ? "dark" : "light");
    free(text);
}

Test(gnuplot, pictures_have_the_colours_of_the_page)
{
    static const char drawn[] =
        "<?xml?>\n<svg \n width=\"560\"\n xmlns=\"http://www.w3.org/2000/svg\"\n "
        "xmlns:xlink=\"http://www.w3.org/1999/xlink\"\n>\n<title>Gnuplot</title>\n<desc>by "
        "GNUPLOT</desc>\n<rect x=\"0\" y=\"0\" width=\"560\" height=\"380\" fill=\"#ffffff\"/>\n"
        "<defs>\n<circle id='gpDot' r='0.5'/>\n<filter id='textbox'><feFlood/></filter></defs>\n"
        "<g fill=\"none\" color=\"black\" stroke-linecap=\"butt\">\n</g>\n"
        "<g id=\"gnuplot_plot_1\" ><title>ARG1 using (1)</title>\n"
        "<path stroke='rgb( 11,  92, 138)' "
        "d='M1,2\n\t\tL3,4 '/>\n<text fill=\"rgb(168,50,10)\">rgb( 11,  92, 138) black</text>\n"
        "<text><tspan font-family=\"sans-serif\" >a b</tspan></text>"
        "<text><tspan >10<tspan dy=\"-5\">3</tspan></tspan></text>"
        "<use xlink:href='#gpDot' color='rgb(1, 2, 3)'/></g></svg>";
    FILE *file = begin();
    bl_page_put_svg(file, drawn, true);
    fclose(file);
    cr_assert_str_eq(text, "<svg width=\"560\"><defs><circle id='gpDot' r='0.5'/></defs><g>"
                           "<path stroke='var(--good)' d='M1,2 L3,4 '/>"
                           "<text fill=\"var(--bad)\">rgb( 11, 92, 138) black</text>"
                           "<text>a b</text><text>10<tspan dy=\"-5\">3</tspan></text>"
                           "<use href='#gpDot' color='rgb(1, 2, 3)'/></g></svg>");
    free(text);
    file = begin();
    bl_page_put_svg(file, drawn, false);
    fclose(file);
    cr_assert_null(strstr(text, "id="), "%s", text);
    free(text);
    static const char *const broken[] = {"",
                                         "no picture",
                                         "<svg",
                                         "<svg><g id=\"gnuplot_",
                                         "<svg><title>",
                                         "<svg><defs>",
                                         "<svg stroke='rgb(1"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        file = begin();
        bl_page_put_svg(file, broken[i], false);
        fclose(file);
        free(text);
    }
}

static void add_level(const char *id, const char *memory, const char *level, uint64_t bytes,
                      double gbytes_per_s)
{
    add(id, 1, 1, BL_CONFIRMED);
    struct bl_row *row = &rows[run.count - 1];
    strcpy(row->memory, memory);
    strcpy(row->level, level);
    row->key.working_set_bytes = bytes;
    row->gbytes_per_s = gbytes_per_s;
    row->bytes_per_clock_cu = gbytes_per_s / 10;
    row->ns_per_request = 100;
}

Test(levels, each_level_has_its_throughput_latency_and_limit)
{
    struct bl_level_figures levels[BL_MOST_LEVELS];
    cr_assert_eq(bl_level_figures(&run, NULL, 1, levels), 0, "no rows");
    add_level("level/contiguous-64K", "global", "L1", 1 << 16, 1000);
    add_level("local/1", "local", "local", 4096, 1270);
    add_level("level/next-write-1", "global", "L2", 1 << 24, 300);
    add_level("level/next-contiguous", "global", "L2", 1 << 24, 500);
    add_level("latency/global-1G", "global", "", 1 << 30, NAN);
    add_level("level/contiguous-1M", "global", "", 1 << 20,
              900); /* too large for L1, and too small to count as L2 */
    add_level("global/6", "global", "L1", 1 << 16, 5000); /* not contiguous */
    cr_assert_eq(bl_level_figures(&run, machine_named("nvidia-hopper"), 1, levels), 4);
    cr_assert_str_eq(levels[0].name, "local memory");
    cr_assert_float_eq(levels[0].read_bytes_per_clock, 127, 1e-9);
    cr_assert_float_eq(levels[0].limit_bytes_per_clock, 128, 1e-9);
    cr_assert_str_eq(levels[1].name, "L1");
    cr_assert_float_eq(levels[1].read_gbytes_per_s, 1000, 1e-9);
    cr_assert_float_eq(levels[1].limit_bytes_per_clock, 128, 1e-9);
    cr_assert_str_eq(levels[2].name, "L2");
    cr_assert_float_eq(levels[2].read_gbytes_per_s, 500, 1e-9);
    cr_assert_float_eq(levels[2].write_gbytes_per_s, 300, 1e-9);
    cr_assert(isnan(levels[2].limit_bytes_per_clock), "no limit of L2 is known");
    cr_assert_str_eq(levels[3].name, "memory");
    cr_assert_float_eq(levels[3].latency_ns, 100, 1e-9);
    cr_assert(isnan(levels[3].read_gbytes_per_s));
    cr_assert_eq(bl_level_figures(&run, NULL, 1, levels), 4,
                 "without a machine, levels are named by their sizes");
    cr_assert_str_eq(levels[1].name, "64 KiB");
    cr_assert_str_eq(levels[2].name, "16 MiB", "the largest size that has a throughput");
    cr_assert_float_eq(levels[2].read_gbytes_per_s, 500, 1e-9);
    cr_assert_str_eq(levels[3].name, "1 GiB");
}

/* The device has three sub-slices of eight compute units. Each sub-slice has 16 banks of 4 bytes,
 * so a compute unit gets at most 8 bytes per clock. */
Test(levels, the_limit_is_per_compute_unit_and_only_for_a_device_that_the_machine_describes)
{
    struct bl_level_figures levels[BL_MOST_LEVELS];
    const struct bl_machine *gen9 = machine_named("intel-gen9"),
                            *hopper = machine_named("nvidia-hopper");
    const struct bl_device device = {.type = BL_DEVICE_GPU,
                                     .vendor_id = 0x8086,
                                     .name = "Intel(R) Gen9 HD Graphics NEO",
                                     .compute_units = 24,
                                     .bank_arrays = 3};
    add_level("local/1", "local", "local", 4096, 60);
    cr_assert_eq(bl_level_figures(&run, gen9, bl_device_arrays_per_unit(&device, gen9), levels), 1);
    cr_assert_float_eq(levels[0].limit_bytes_per_clock, 8, 1e-9);
    bl_level_figures(&run, hopper, bl_device_arrays_per_unit(&device, hopper), levels);
    cr_assert(isnan(levels[0].limit_bytes_per_clock), "the machine describes another device");
    cr_assert_float_eq(bl_recorded_arrays_per_unit(&run, hopper), 1, 0);
    cr_assert_float_eq(bl_recorded_arrays_per_unit(&run, gen9), 0, 0, "no row states the number");
    strcpy(rows[0].note, "spills 4 bytes; " BL_OTHER_DEVICE);
    cr_assert_float_eq(bl_recorded_arrays_per_unit(&run, hopper), 0, 0);
}

Test(verdict, every_verdict_has_a_sentence)
{
    struct bl_page_verdict verdict;
    add("fine/1", 1, 1, BL_CONFIRMED);
    bl_page_judge(&run, NULL, NULL, &verdict);
    cr_assert_str_eq(verdict.lead, "As predicted.");
    cr_assert_eq(verdict.severity, BL_NOTE);
    add("unsure/1", 1, 1, BL_UNCLEAR);
    bl_page_judge(&run, NULL, NULL, &verdict);
    cr_assert_str_eq(verdict.lead, "As predicted, but some rows are unclear.");
    add("far/1", 0.5, 0.25, BL_REFUTED);
    bl_page_judge(&run, NULL, NULL, &verdict);
    cr_assert_str_eq(verdict.lead, "As predicted, except 1 row of 3.");
    cr_assert_eq(verdict.severity, BL_SEVERE, "one row in three is refuted");
    add("broken/1", 1, NAN, BL_NO_VERDICT);
    rows[run.count - 1].status = BL_ROW_ERROR;
    bl_page_judge(&run, NULL, NULL, &verdict);
    cr_assert_str_eq(verdict.lead, "1 row failed.");
    cr_assert_str_eq(verdict.counts, "Of 4 rows, 3 could be tested: 1 confirmed, 1 refuted, 1 "
                                     "unclear; not tested: 1 without a number.");
    const struct bl_comparison worse = {.counts = {[BL_CHANGE_SLOWER] = 2}, .own_times = NAN};
    bl_page_judge(&run, &worse, NULL, &verdict);
    cr_assert_str_eq(verdict.lead, "Worse than before: 2 rows are slower or lost.");
    struct bl_run_rows before = run, after = run;
    struct bl_compared row = {.key = &rows[0].key};
    struct bl_comparison other = {.before = &before,
                                  .after = &after,
                                  .rows = &row,
                                  .count = 1,
                                  .counts = {[BL_CHANGE_SLOWER] = 1},
                                  .own_times = NAN};
    strcpy(before.info.device_id, "card-1");
    strcpy(after.info.device_id, "card-2");
    bl_page_judge(&run, &other, NULL, &verdict);
    cr_assert_str_eq(verdict.lead, "Worse than the other card: 1 row is slower or lost.");
    cr_assert_eq(verdict.severity, BL_ATTENTION);
    strcpy(after.info.device, "another");
    bl_page_judge(&run, &other, NULL, &verdict);
    cr_assert_str_eq(verdict.lead, "Worse than the other device: 1 row is slower or lost.");
    const struct bl_comparison fewer = {
        .after = &after, .counts = {[BL_CHANGE_MISSING] = 3}, .own_times = NAN};
    bl_page_judge(&run, &fewer, NULL, &verdict);
    cr_assert_str_eq(verdict.lead, "3 rows are missing, or not asked for.");
    strcpy(after.info.asked_for, "*");
    bl_page_judge(&run, &fewer, NULL, &verdict);
    cr_assert_str_eq(verdict.lead, "Worse than before: 3 rows are slower or lost.");
    run.count = 1;
    rows[0].verdict = BL_NO_RULE;
    bl_page_judge(&run, NULL, NULL, &verdict);
    cr_assert_str_eq(verdict.lead, "Measured, but no prediction was tested.");
    cr_assert_str_eq(verdict.counts, "1 row: 1 without a rule.");
}
