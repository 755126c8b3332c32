/* Draws points as an SVG, without other programs, and writes an HTML page with that picture. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/try_view.h"
#include "page/html.h"
#include "report/layout.h"

enum { WIDTH = 760, HEIGHT = 420, LEFT = 64, RIGHT = 250, TOP = 44, BOTTOM = 56 };
enum { COLOURS = 8, MAX_LEGEND = 16, MAX_MARKS = 400 };
enum { MAX_X_TICKS = 8, MAX_Y_TICKS = 5, MAX_CATEGORIES = 12 };

/* How points differ, which determines their x coordinates and the lines that join them. */
struct chart {
    const struct bl_try_points *points;
    bool is_numeric;                           /* x is the first number that is swept */
    enum { BY_NAME, BY_SHAPE, BY_MACHINE } by; /* what x is if not is_numeric */
    bool names_differ, shapes_differ, machines_differ, sweeps_differ;
    unsigned others; /* how many further numbers are swept */
    double from, to, top, y_step;
    const char **categories; /* texts on the x axis */
    size_t category_count;
};

static const char *category_of(const struct chart *chart, const struct bl_try_point *point)
{
    return chart->by == BY_SHAPE     ? point->shape
           : chart->by == BY_MACHINE ? point->machine
                                     : point->name;
}

/* Whether two points belong to the same line. */
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

/* Names a line by what distinguishes it from the others, as in "nvidia-hopper, 8x4, {1,2} = 2";
 * empty if it is the only one. */
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
    return TOP + (1 - ratio / chart->top) * (HEIGHT - TOP - BOTTOM);
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
    chart->from = 0;
    chart->to = chart->category_count > 1 ? (double)chart->category_count - 1 : 0;
    return chart->categories != NULL;
}

/* The smallest of 1, 2 and 5 times a power of ten that divides the span into no more than `most`
 * parts. */
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
    chart->y_step = round_step(chart->top, MAX_Y_TICKS);
    chart->top = ceil(chart->top / chart->y_step - 1e-9) * chart->y_step;
    chart->by = chart->names_differ      ? BY_NAME
                : chart->shapes_differ   ? BY_SHAPE
                : chart->machines_differ ? BY_MACHINE
                                         : BY_NAME;
    return chart->is_numeric || find_categories(chart);
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
        const double at = (first + i) * each;
        fprintf(file, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">",
                LEFT + (span > 0 ? (at - chart->from) / span * width : width / 2),
                HEIGHT - BOTTOM + 18);
        if (chart->is_numeric)
            fprintf(file, "%.0f", at);
        else
            bl_htmlf(file, "%.24s", chart->categories[(size_t)at]);
        fputs("</text>\n", file);
    }
}

static void draw_point(FILE *file, const struct chart *chart, const struct bl_try_point *point,
                       unsigned colour)
{
    const double x = x_of(chart, point);
    if (isfinite(point->measured))
        fprintf(file,
                "<line class=\"c%u\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>"
                "<rect class=\"f%u\" x=\"%.1f\" y=\"%.1f\" width=\"5\" height=\"5\"><title>",
                colour, x, x, y_of(chart, point->measured_lo), y_of(chart, point->measured_hi),
                colour, x - 2.5, y_of(chart, point->measured) - 2.5);
    else
        fprintf(file, "<circle class=\"f%u\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"><title>", colour, x,
                y_of(chart, point->predicted));
    bl_htmlf(file, "%s, %s, %s: ", point->name, point->shape, point->machine);
    if (isfinite(point->predicted))
        fprintf(file, "predicted %.4g", point->predicted);
    if (isfinite(point->measured))
        fprintf(file, "%smeasured %.4g</title></rect>\n", isfinite(point->predicted) ? ", " : "",
                point->measured);
    else
        fputs("</title></circle>\n", file);
}

static bool is_predicted(const struct bl_try_point *point) { return isfinite(point->predicted); }
static bool is_measured(const struct bl_try_point *point) { return isfinite(point->measured); }

/* Whether is_so is true of any point of the line that begins with point `first`. */
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
static void draw_predictions(FILE *file, const struct chart *chart, size_t first, unsigned colour)
{
    const struct bl_try_points *points = chart->points;
    fprintf(file, "<polyline class=\"c%u\" points=\"", colour);
    for (size_t i = first; i < points->count; i++)
        if (are_of_one(chart, &points->all[first], &points->all[i]) &&
            isfinite(points->all[i].predicted))
            fprintf(file, "%.1f,%.1f ", x_of(chart, &points->all[i]),
                    y_of(chart, points->all[i].predicted));
    fputs("\"/>\n", file);
}

static void draw_points(FILE *file, const struct chart *chart, size_t first, unsigned colour)
{
    const struct bl_try_points *points = chart->points;
    for (size_t i = first; i < points->count; i++) {
        const struct bl_try_point *point = &points->all[i];
        if ((isfinite(point->measured) ||
             (isfinite(point->predicted) && points->count <= MAX_MARKS)) &&
            are_of_one(chart, &points->all[first], point))
            draw_point(file, chart, point, colour);
    }
}

/* Draws the legend's entry for a line: a stroke, or a square if it has no predictions. */
static void draw_key(FILE *file, const struct chart *chart, size_t first, unsigned line)
{
    const int x = WIDTH - RIGHT + 14, y = TOP + 8 + (int)line * 18;
    const bool has_stroke = has_any(chart, first, is_predicted);
    if (has_stroke)
        fprintf(file, "<line class=\"c%u\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>",
                line % COLOURS, x, x + 20, y, y);
    else
        fprintf(file, "<path class=\"f%u\" d=\"M%d %dh5v5h-5z\"/>", line % COLOURS, x + 8, y - 2);
    char name[512];
    name_line(chart, &chart->points->all[first], name);
    fprintf(file, "<text x=\"%d\" y=\"%d\">", x + 26, y + 4);
    bl_htmlf(file, "%.34s", *name ? name : has_stroke ? "predicted" : "measured");
    fputs("</text>\n", file);
}

static void draw_lines(FILE *file, const struct chart *chart)
{
    const struct bl_try_points *points = chart->points;
    unsigned lines = 0;
    for (size_t i = 0; i < points->count; i++) {
        bool is_first = true;
        for (size_t k = 0; k < i && is_first; k++)
            is_first = !are_of_one(chart, &points->all[k], &points->all[i]);
        const bool has_line = is_first && has_any(chart, i, is_predicted);
        if (!has_line && !(is_first && has_any(chart, i, is_measured)))
            continue;
        if (has_line)
            draw_predictions(file, chart, i, lines % COLOURS);
        draw_points(file, chart, i, lines % COLOURS);
        if (lines < MAX_LEGEND)
            draw_key(file, chart, i, lines);
        lines++;
    }
    if (lines > MAX_LEGEND)
        fprintf(file, "<text x=\"%d\" y=\"%d\">and %u more</text>\n", WIDTH - RIGHT + 40,
                TOP + 12 + MAX_LEGEND * 18, lines - MAX_LEGEND);
}

/* Colours that are visible on a light and on a dark background. */
static const char style[] =
    "<style>svg.try{color:#1b1b1b;background:#fff}"
    "@media(prefers-color-scheme:dark){svg.try{color:#e8e8e8;background:#16181c}}"
    "svg.try text{font:12px sans-serif;fill:currentColor}"
    "svg.try .grid{stroke:currentColor;stroke-opacity:.2}"
    "svg.try polyline{fill:none;stroke-width:1.5}"
    ".c0{stroke:#2f81d0}.c1{stroke:#d0602a}.c2{stroke:#1f9469}.c3{stroke:#b565a7}"
    ".c4{stroke:#a07d00}.c5{stroke:#7f6ad0}.c6{stroke:#5f8f1f}.c7{stroke:#808080}"
    ".f0{fill:#2f81d0}.f1{fill:#d0602a}.f2{fill:#1f9469}.f3{fill:#b565a7}"
    ".f4{fill:#a07d00}.f5{fill:#7f6ad0}.f6{fill:#5f8f1f}.f7{fill:#808080}</style>\n";

void bl_try_points_svg(FILE *file, const struct bl_try_points *points)
{
    struct chart chart = {.points = points};
    const char *sweep = points->count > 0 ? points->all[0].sweep : NULL;
    fprintf(file,
            "<svg class=\"try\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "role=\"img\" aria-label=\"",
            WIDTH, HEIGHT);
    bl_htmlf(file, "%s: %zu points", points->title, points->count);
    fprintf(file, "\">\n%s<text x=\"%d\" y=\"22\">", style, LEFT);
    bl_htmlf(file, "%s: throughput / throughput of the contiguous access", points->title);
    fputs("</text>\n", file);
    if (plan_chart(&chart) && points->count > 0) {
        draw_axes(file, &chart);
        draw_lines(file, &chart);
        fprintf(file, "<text x=\"%d\" y=\"%d\">", LEFT, HEIGHT - 12);
        bl_htmlf(file, "%.90s",
                 chart.is_numeric && !chart.sweeps_differ ? sweep
                 : chart.is_numeric                       ? "the first number"
                                                          : "");
        fputs("</text>\n", file);
    }
    fputs("</svg>\n", file);
    free(chart.categories);
}

void bl_try_points_html(FILE *file, const struct bl_try_points *points)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width\">\n<title>bankline try: ",
          file);
    bl_html(file, points->title);
    fputs(
        "</title>\n<style>:root{color-scheme:light dark}body{font:15px sans-serif;margin:1em auto;"
        "max-width:60em;padding:0 1em}svg{max-width:100%;height:auto}div{overflow-x:auto}"
        "th,td{padding:.1em .6em;text-align:left;font-variant-numeric:tabular-nums}</style>\n",
        file);
    bl_html_block(file, "h1", "%s", points->title);
    bl_try_points_svg(file, points);
    fputs("<div><table>\n<tr><th>expression</th><th>machine</th><th>shape</th><th>lines</th>"
          "<th>banks</th><th>clocks</th><th>predicted</th><th>measured</th></tr>\n",
          file);
    for (size_t i = 0; i < points->count; i++) {
        const struct bl_try_point *point = &points->all[i];
        const double numbers[] = {point->cost.lines, point->cost.bank_passes, point->cost.clocks,
                                  point->predicted, point->measured};
        fputs("<tr>", file);
        bl_html_element(file, "td", "%s", point->name);
        bl_html_element(file, "td", "%s", point->machine);
        bl_html_element(file, "td", "%s", point->shape);
        for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++)
            if (isfinite(numbers[n]))
                bl_html_element(file, "td", "%.4g", numbers[n]);
            else
                fputs("<td></td>", file);
        fputs("</tr>\n", file);
    }
    fputs("</table></div>\n</html>\n", file);
}
