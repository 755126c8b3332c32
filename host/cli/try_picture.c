/* Draws the points of `try` as an SVG, without gnuplot, and writes an HTML page with that picture.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/try_view.h"
#include "page/html.h"
#include "page/page.h"
#include "report/layout.h"

/* The picture is as wide as a report's pictures, so that letters stay legible in a narrow window.
 * The legend is below the axis. */
enum { WIDTH = 520, LEFT = 52, RIGHT = 16, TOP = 56, AXIS = 300, LINE = 20 };
enum { COLOURS = 8, MAX_LEGEND = 16, MAX_MARKS = 400 };
enum { MAX_X_TICKS = 8, MAX_Y_TICKS = 5, MAX_CATEGORIES = 12, LETTER = 8, LONGEST_CATEGORY = 26 };

/* A picture's layout. How the points differ determines their x coordinates, and which points a line
 * joins. */
struct chart {
    const struct bl_try_points *points;
    bool is_numeric; /* whether x is the number in the sweep's first braces */
    enum { BY_NAME, BY_SHAPE, BY_MACHINE } by; /* what x is if is_numeric is false */
    bool names_differ, shapes_differ, machines_differ, sweeps_differ;
    unsigned others; /* index of the last braces whose numbers differ, or 0 if no braces but the
                        first do */
    double from, to, top, y_step;
    const char **categories; /* texts on the x axis */
    size_t category_count;
    size_t *firsts; /* the first point of each line; lines without any prediction or measurement are
                       left out */
    size_t line_count;
    int labels; /* height of the texts on the x axis, which are slanted if they do not fit beside
                   each other */
};

static const char *category_of(const struct chart *chart, const struct bl_try_point *point)
{
    return chart->by == BY_SHAPE     ? point->shape
           : chart->by == BY_MACHINE ? point->machine
                                     : point->name;
}

/* Whether two points belong to the same line of the picture. */
static bool are_of_one(const struct chart *chart, const struct bl_try_point *one,
                       const struct bl_try_point *other)
{
    const bool is_same_machine =
        chart->by == BY_MACHINE || strcmp(one->machine, other->machine) == 0;
    const bool is_same_shape = chart->by == BY_SHAPE || strcmp(one->shape, other->shape) == 0;
    if (!is_same_machine || !is_same_shape)
        return false;
    if (!chart->is_numeric)
        return chart->by == BY_NAME || strcmp(one->name, other->name) == 0;
    return strcmp(one->sweep, other->sweep) == 0 &&
           memcmp(one->values + 1, other->values + 1, sizeof one->values - sizeof one->values[0]) ==
               0;
}

/* Names a line by what distinguishes it from other lines, as in "nvidia-hopper, 8x4, {1,2} = 2".
 * The name is empty if there is only one line. */
static void name_line(const struct chart *chart, const struct bl_try_point *point, char text[512])
{
    text[0] = '\0';
    if (chart->machines_differ && chart->by != BY_MACHINE)
        bl_text_add(text, 512, "%s", point->machine);
    if (chart->shapes_differ && chart->by != BY_SHAPE)
        bl_text_add(text, 512, "%s%s", *text ? ", " : "", point->shape);
    if (chart->is_numeric ? chart->sweeps_differ : chart->by != BY_NAME && chart->names_differ)
        bl_text_add(text, 512, "%s%s", *text ? ", " : "",
                    chart->is_numeric ? point->sweep : point->name);
    const char *braces = point->sweep ? strchr(point->sweep, '{') : NULL;
    for (unsigned i = 1; i <= chart->others && braces; i++) {
        braces = strchr(braces + 1, '{');
        if (braces)
            bl_text_add(text, 512, "%s%.*s = %" PRId64, *text ? ", " : "",
                        (int)strcspn(braces, "}") + 1, braces, point->values[i]);
    }
}

static double x_of(const struct chart *chart, const struct bl_try_point *point)
{
    double at = 0;
    if (chart->is_numeric)
        at = (double)point->values[0];
    else
        while (at < (double)chart->category_count &&
               strcmp(chart->categories[(size_t)at], category_of(chart, point)) != 0)
            at++;
    const double span = chart->to - chart->from, width = WIDTH - LEFT - RIGHT;
    return LEFT + (span > 0 ? (at - chart->from) / span * width : width / 2);
}

static double y_of(const struct chart *chart, double ratio)
{
    return TOP + (1 - ratio / chart->top) * (AXIS - TOP);
}

/* Collects the different texts of the x axis. Returns false if memory ran out. */
static bool find_categories(struct chart *chart)
{
    const struct bl_try_points *points = chart->points;
    chart->categories = calloc(points->count + 1, sizeof(void *));
    for (size_t i = 0; i < points->count && chart->categories; i++) {
        size_t k = 0;
        while (k < chart->category_count &&
               strcmp(chart->categories[k], category_of(chart, &points->all[i])) != 0)
            k++;
        if (k == chart->category_count)
            chart->categories[chart->category_count++] = category_of(chart, &points->all[i]);
    }
    size_t letters = 0;
    for (size_t k = 0; k < chart->category_count; k++)
        if (strnlen(chart->categories[k], LONGEST_CATEGORY) > letters)
            letters = strnlen(chart->categories[k], LONGEST_CATEGORY);
    if (letters * chart->category_count * LETTER > WIDTH - LEFT - RIGHT)
        chart->labels = LINE + (int)letters * LETTER / 2;
    chart->from = -0.5;
    chart->to = (double)chart->category_count - 0.5;
    return chart->categories != NULL;
}

/* The smallest number that is 1, 2 or 5 times a power of ten and divides the span into at most
 * `most` parts. */
static double round_step(double span, int most)
{
    if (!(span > 0))
        return 1;
    const double at_least = span / most * (1 - 1e-9);
    const double ten = pow(10, floor(log10(at_least)));
    return ten * (at_least <= ten ? 1 : at_least <= 2 * ten ? 2 : at_least <= 5 * ten ? 5 : 10);
}

static bool plan_chart(struct chart *chart)
{
    const struct bl_try_points *points = chart->points;
    chart->is_numeric = points->count > 0;
    chart->from = INFINITY, chart->to = -INFINITY, chart->top = 1;
    for (size_t i = 0; i < points->count; i++) {
        const struct bl_try_point *point = &points->all[i], *first = &points->all[0];
        chart->is_numeric &= point->sweep != NULL;
        chart->names_differ |= strcmp(point->name, first->name) != 0;
        chart->shapes_differ |= strcmp(point->shape, first->shape) != 0;
        chart->machines_differ |= strcmp(point->machine, first->machine) != 0;
        chart->sweeps_differ |= chart->is_numeric && strcmp(point->sweep, first->sweep) != 0;
        chart->from = fmin(chart->from, (double)point->values[0]);
        chart->to = fmax(chart->to, (double)point->values[0]);
        chart->top = fmax(chart->top, fmax(point->predicted, point->measured_hi));
        for (unsigned b = 1; b < BL_MAX_BRACES; b++)
            if (point->values[b] != first->values[b] && chart->others < b)
                chart->others = b;
    }
    chart->labels = LINE;
    chart->y_step = round_step(chart->top, MAX_Y_TICKS);
    chart->top = ceil(chart->top / chart->y_step - 1e-9) * chart->y_step;
    chart->by = chart->names_differ      ? BY_NAME
                : chart->shapes_differ   ? BY_SHAPE
                : chart->machines_differ ? BY_MACHINE
                                         : BY_NAME;
    return chart->is_numeric || find_categories(chart);
}

/* Writes a text, or its first `most` - 1 characters and an ellipsis if it is longer than `most`. */
static void put_cut(FILE *file, const char *text, unsigned most)
{
    size_t bytes = 0, kept = 0;
    for (unsigned n = 1; text[bytes]; n++) {
        const size_t length = bl_utf8_character(text + bytes, strlen(text + bytes));
        kept = n == most ? bytes : kept;
        bytes += length ? length : 1;
        if (n > most) {
            bl_htmlf(file, "%.*s", (int)kept, text);
            fputs("&#8230;", file);
            return;
        }
    }
    bl_html(file, text);
}

static void draw_axes(FILE *file, const struct chart *chart)
{
    for (int i = 0; i * chart->y_step <= chart->top * (1 + 1e-9); i++) {
        const double ratio = i * chart->y_step, y = y_of(chart, ratio);
        fprintf(file,
                "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.6g</text>\n",
                LEFT, WIDTH - RIGHT, y, y, LEFT - 6, y + 4, ratio);
    }
    const double span = chart->to - chart->from, width = WIDTH - LEFT - RIGHT;
    const double each =
        fmax(1, chart->is_numeric ? round_step(span, MAX_X_TICKS) : ceil(span / MAX_CATEGORIES));
    const double first = ceil(chart->from / each);
    for (int i = 0; (first + i) * each <= chart->to; i++) {
        const double at = (first + i) * each,
                     x = LEFT + (span > 0 ? (at - chart->from) / span * width : width / 2);
        if (chart->labels > LINE)
            fprintf(file, "<text transform=\"translate(%.1f %d) rotate(-30)\" text-anchor=\"end\">",
                    x + 4, AXIS + 14);
        else
            fprintf(file, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", x, AXIS + 18);
        if (chart->is_numeric)
            fprintf(file, "%.0f", at);
        else
            put_cut(file, chart->categories[(size_t)at], LONGEST_CATEGORY);
        fputs("</text>\n", file);
    }
}

/* The colours repeat after COLOURS lines. The next COLOURS lines are dashed, and their circles are
 * hollow. */
static const char *dash_of(unsigned line) { return line / COLOURS % 2 ? " d" : ""; }

static void draw_circle(FILE *file, unsigned line, double x, double y)
{
    const char *dash = dash_of(line);
    fprintf(file, "<circle class=\"%c%u%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>", *dash ? 'c' : 'f',
            line % COLOURS, dash, x, y);
}

/* Draws a point. A measurement is a square with its interval. A prediction is a circle; but if x is
 * a swept number and the point was measured, only the line shows the prediction. */
static void draw_point(FILE *file, const struct chart *chart, const struct bl_try_point *point,
                       unsigned line)
{
    const double x = x_of(chart, point);
    char words[80];
    size_t end = 0;
    if (isfinite(point->predicted))
        end = (size_t)snprintf(words, sizeof words, "predicted %.4g", point->predicted);
    if (isfinite(point->measured))
        snprintf(words + end, sizeof words - end, "%smeasured %.4g", end ? ", " : "",
                 point->measured);
    fputs("<g><title>", file);
    bl_htmlf(file, "%s, %s, %s: %s", point->name, point->shape, point->machine, words);
    fputs("</title>", file);
    if (isfinite(point->predicted) && !(chart->is_numeric && isfinite(point->measured)))
        draw_circle(file, line, x, y_of(chart, point->predicted));
    if (isfinite(point->measured))
        fprintf(file,
                "<line class=\"c%u\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>"
                "<rect class=\"c%u%s\" x=\"%.1f\" y=\"%.1f\" width=\"8\" height=\"8\"/>",
                line % COLOURS, x, x, y_of(chart, point->measured_lo),
                y_of(chart, point->measured_hi), line % COLOURS, dash_of(line), x - 4,
                y_of(chart, point->measured) - 4);
    fputs("</g>\n", file);
}

static bool is_predicted(const struct bl_try_point *point) { return isfinite(point->predicted); }
static bool is_measured(const struct bl_try_point *point) { return isfinite(point->measured); }

/* Whether the test is true for any point of the line that begins with point `first`. */
static bool has_any(const struct chart *chart, size_t first,
                    bool (*is_so)(const struct bl_try_point *point))
{
    const struct bl_try_points *points = chart->points;
    for (size_t i = first; i < points->count; i++)
        if (is_so(&points->all[i]) && are_of_one(chart, &points->all[first], &points->all[i]))
            return true;
    return false;
}

/* Draws the predictions of the line that begins with point `first`. */
static void draw_predictions(FILE *file, const struct chart *chart, size_t first, unsigned line)
{
    const struct bl_try_points *points = chart->points;
    fprintf(file, "<polyline class=\"c%u%s\" points=\"", line % COLOURS, dash_of(line));
    for (size_t i = first; i < points->count; i++)
        if (are_of_one(chart, &points->all[first], &points->all[i]) &&
            isfinite(points->all[i].predicted))
            fprintf(file, "%.1f,%.1f ", x_of(chart, &points->all[i]),
                    y_of(chart, points->all[i].predicted));
    fputs("\"/>\n", file);
}

static void draw_points(FILE *file, const struct chart *chart, size_t first, unsigned line)
{
    const struct bl_try_points *points = chart->points;
    for (size_t i = first; i < points->count; i++) {
        const struct bl_try_point *point = &points->all[i];
        if ((isfinite(point->measured) ||
             (isfinite(point->predicted) && points->count <= MAX_MARKS)) &&
            are_of_one(chart, &points->all[first], point))
            draw_point(file, chart, point, line);
    }
}

/* Draws the legend's entry for a line: a stroke; a circle if the line's points are not joined; or a
 * square if none of its points has a prediction. */
static void draw_key(FILE *file, const struct chart *chart, size_t first, unsigned line)
{
    const int y = AXIS + chart->labels + LINE * ((int)line + 2) - 6;
    const unsigned colour = line % COLOURS;
    const char *dash = dash_of(line);
    if (!has_any(chart, first, is_predicted))
        fprintf(file, "<path class=\"c%u%s\" d=\"M%d %dh8v8h-8z\"/>", colour, dash, LEFT + 6,
                y - 4);
    else if (chart->is_numeric)
        fprintf(file, "<line class=\"c%u%s\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>", colour,
                dash, LEFT, LEFT + 20, y, y);
    else
        draw_circle(file, line, LEFT + 10, y);
    char name[512];
    name_line(chart, &chart->points->all[first], name);
    fprintf(file, "<text x=\"%d\" y=\"%d\">", LEFT + 28, y + 5);
    put_cut(file, name, 52);
    fputs("</text>\n", file);
}

/* Finds the lines on which there is something to draw. Returns false if memory ran out. */
static bool find_lines(struct chart *chart)
{
    const struct bl_try_point *all = chart->points->all;
    size_t kept = 0;
    chart->line_count = 0;
    chart->firsts = calloc(chart->points->count + 1, sizeof *chart->firsts);
    if (!chart->firsts)
        return false;
    for (size_t i = 0; i < chart->points->count; i++) {
        size_t line = 0;
        while (line < chart->line_count && !are_of_one(chart, &all[chart->firsts[line]], &all[i]))
            line++;
        if (line == chart->line_count)
            chart->firsts[chart->line_count++] = i;
    }
    for (size_t line = 0; line < chart->line_count; line++) {
        const size_t first = chart->firsts[line];
        if (has_any(chart, first, is_predicted) || has_any(chart, first, is_measured))
            chart->firsts[kept++] = first;
    }
    chart->line_count = kept;
    return true;
}

/* Draws the lines, and a legend if there are several lines. */
static void draw_lines(FILE *file, const struct chart *chart)
{
    for (unsigned line = 0; line < chart->line_count; line++) {
        const size_t first = chart->firsts[line];
        if (chart->is_numeric && has_any(chart, first, is_predicted))
            draw_predictions(file, chart, first, line);
        draw_points(file, chart, first, line);
        if (line < MAX_LEGEND && chart->line_count > 1)
            draw_key(file, chart, first, line);
    }
    if (chart->line_count > MAX_LEGEND)
        fprintf(file, "<text x=\"%d\" y=\"%d\">and %zu more</text>\n", LEFT + 28,
                AXIS + chart->labels + LINE * (MAX_LEGEND + 2), chart->line_count - MAX_LEGEND);
}

/* Colours that are visible on a light and on a dark background. */
static const char style[] =
    "<style>svg.try{color:#1b1b1b;background:#fff}"
    "@media(prefers-color-scheme:dark){svg.try{color:#e8e8e8;background:#16181c}}"
    "svg.try text{font:14px system-ui,sans-serif;fill:currentColor}"
    "svg.try .grid{stroke:currentColor;stroke-opacity:.2}"
    "svg.try :is(polyline,rect,path,line,circle.d){fill:none;stroke-width:1.5}"
    "svg.try :is(polyline,rect,path,line).d{stroke-dasharray:4 3}"
    ".c0{stroke:#2f81d0}.c1{stroke:#d0602a}.c2{stroke:#1f9469}.c3{stroke:#b565a7}"
    ".c4{stroke:#a07d00}.c5{stroke:#7f6ad0}.c6{stroke:#5f8f1f}.c7{stroke:#808080}"
    ".f0{fill:#2f81d0}.f1{fill:#d0602a}.f2{fill:#1f9469}.f3{fill:#b565a7}"
    ".f4{fill:#a07d00}.f5{fill:#7f6ad0}.f6{fill:#5f8f1f}.f7{fill:#808080}</style>\n";

/* Explains the marks: squares only if something was measured, circles and lines only if something
 * was predicted. */
static void explain_marks(FILE *file, const struct chart *chart)
{
    bool predicted = false, measured = false;
    for (size_t i = 0; i < chart->points->count; i++) {
        predicted |= is_predicted(&chart->points->all[i]);
        measured |= is_measured(&chart->points->all[i]);
    }
    fprintf(file, "<text x=\"%d\" y=\"40\">%s%s%s</text>\n", LEFT,
            !predicted          ? ""
            : chart->is_numeric ? "line: predicted"
                                : "circle: predicted",
            predicted && measured ? "; " : "",
            measured ? "square: measured, with its 95 % interval" : "");
}

void bl_try_points_svg(FILE *file, const struct bl_try_points *points)
{
    struct chart chart = {.points = points};
    const char *sweep = points->count > 0 ? points->all[0].sweep : NULL;
    const bool is_planned = plan_chart(&chart) && find_lines(&chart) && points->count > 0;
    const size_t keys = chart.line_count > MAX_LEGEND ? MAX_LEGEND + 1
                        : chart.line_count > 1        ? chart.line_count
                                                      : 0;
    fprintf(file,
            "<svg class=\"try\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "role=\"img\" aria-label=\"",
            WIDTH, AXIS + chart.labels + LINE + LINE * (int)keys + 8);
    bl_htmlf(file, "%s: %zu points", points->title, points->count);
    fprintf(file, "\">\n%s<text x=\"8\" y=\"20\">", style);
    bl_htmlf(file, "%s, relative to contiguous ones", points->title);
    fputs("</text>\n", file);
    if (is_planned && chart.line_count == 0) {
        fprintf(file, "<text x=\"%d\" y=\"40\">nothing is predicted or measured</text>\n", LEFT);
    } else if (is_planned) {
        explain_marks(file, &chart);
        draw_axes(file, &chart);
        draw_lines(file, &chart);
        fprintf(file, "<text x=\"%d\" y=\"%d\">", LEFT, AXIS + chart.labels + LINE);
        put_cut(file,
                chart.is_numeric && !chart.sweeps_differ ? sweep
                : chart.is_numeric                       ? "the first number"
                                                         : "",
                60);
        fputs("</text>\n", file);
    }
    fputs("</svg>\n", file);
    free(chart.categories);
    free(chart.firsts);
}

enum { MACHINE_COLUMN, SHAPE_COLUMN, NUMBERS, COLUMNS = NUMBERS + 5 };
static const struct {
    const char *name, *unit;
} columns[COLUMNS] = {{"machine", NULL},
                      {"shape", NULL},
                      {"lines", "lines"},
                      {"banks", "passes"},
                      {"clocks", "clocks"},
                      {"predicted", "of contiguous"},
                      {"measured", "of contiguous"}};

static double number_of(const struct bl_try_point *point, unsigned column)
{
    const double numbers[] = {point->cost.lines, point->cost.bank_passes, point->cost.clocks,
                              point->predicted, point->measured};
    return numbers[column - NUMBERS];
}

/* Chooses the columns to show: texts that differ between points, and numbers that any point has. */
static void choose_columns(const struct bl_try_points *points, bool chosen[COLUMNS])
{
    for (size_t i = 0; i < points->count; i++) {
        const struct bl_try_point *point = &points->all[i], *first = points->all;
        chosen[MACHINE_COLUMN] |= strcmp(point->machine, first->machine) != 0;
        chosen[SHAPE_COLUMN] |= strcmp(point->shape, first->shape) != 0;
        for (unsigned c = NUMBERS; c < COLUMNS; c++)
            chosen[c] |= isfinite(number_of(point, c));
    }
}

static void put_point(FILE *file, const struct bl_try_point *point, const bool chosen[COLUMNS])
{
    bl_html_row(file, point->name);
    if (chosen[MACHINE_COLUMN])
        bl_html_cell(file, point->machine);
    if (chosen[SHAPE_COLUMN])
        bl_html_cell(file, point->shape);
    for (unsigned c = NUMBERS; c < COLUMNS; c++)
        if (chosen[c])
            bl_html_point(file, number_of(point, c));
    fputs("</tr>\n", file);
}

/* The point with the lowest ratio, measured or else predicted; NULL if no point has a ratio. */
static const struct bl_try_point *slowest_of(const struct bl_try_points *points)
{
    const struct bl_try_point *slowest = NULL;
    double least = INFINITY;
    for (size_t i = 0; i < points->count; i++) {
        const struct bl_try_point *point = &points->all[i];
        const double ratio = isfinite(point->measured) ? point->measured : point->predicted;
        if (ratio < least)
            least = ratio, slowest = point;
    }
    return slowest;
}

static void put_summary(FILE *file, const struct bl_try_points *points, const bool chosen[COLUMNS])
{
    const struct bl_try_point *first = points->all, *slowest = slowest_of(points);
    char ratio[16];
    fputs("<p>", file);
    if (points->count && !chosen[MACHINE_COLUMN])
        bl_htmlf(file, "Machine %s. ", first->machine);
    if (points->count && !chosen[SHAPE_COLUMN])
        bl_htmlf(file, "Groups of %s. ", first->shape);
    if (slowest)
        bl_htmlf(file,
                 "The slowest of %zu: %s, with %s of the throughput of contiguous accesses%s.",
                 points->count, slowest->name,
                 bl_format_ratio(
                     isfinite(slowest->measured) ? slowest->measured : slowest->predicted, ratio),
                 isfinite(slowest->measured) ? "" : ", by the model");
    fputs("</p>\n", file);
}

void bl_try_points_html(FILE *file, const struct bl_try_points *points)
{
    bool chosen[COLUMNS] = {false};
    choose_columns(points, chosen);
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
          file);
    bl_html_block(file, "title", "bankline try: %s", points->title);
    fprintf(file, "<style>\n%s</style></head>\n<body>\n",
            bl_embedded_text(bl_page_texts, "page.css"));
    bl_html_block(file, "h1", "%s", points->title);
    put_summary(file, points, chosen);
    fputs("<div class=\"drawn\">\n", file);
    bl_try_points_svg(file, points);
    fputs("</div>\n", file);
    bl_html_scroll(file, "Points");
    fputs("<table class=\"sorts points\"><thead><tr>", file);
    bl_html_heading(file, "expression", NULL);
    for (unsigned c = 0; c < COLUMNS; c++)
        if (chosen[c])
            bl_html_heading(file, columns[c].name, columns[c].unit);
    fputs("</tr></thead><tbody>\n", file);
    for (size_t i = 0; i < points->count; i++)
        put_point(file, &points->all[i], chosen);
    fprintf(file, "</tbody></table></div>\n<script>\n%s</script>\n</body></html>\n",
            bl_embedded_text(bl_page_texts, "page.js"));
}
