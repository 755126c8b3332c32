/* Writes the points of pictures as tables of the page and as CSV for gnuplot, runs gnuplot in a
 * temporary folder, and rewrites its SVG for the page. */
#include "page/plot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/text.h"
#include "page/html.h"
#include "page/page.h"
#include "report/csv.h"

bool bl_points_add(struct bl_points *points, const char *name,
                   const double numbers[BL_POINT_NUMBERS])
{
    struct bl_plot_point *point =
        bl_array_append(&points->all, &points->count, &points->capacity, sizeof *point);
    if (!point)
        return false;
    snprintf(point->name, sizeof point->name, "%s", name);
    memcpy(point->numbers, numbers, sizeof point->numbers);
    return true;
}

void bl_points_free(struct bl_points *points)
{
    free(points->all);
    points->all = NULL;
    points->count = points->capacity = 0;
}

unsigned bl_points_columns(const struct bl_points *points)
{
    unsigned count = 0;
    while (count < BL_POINT_NUMBERS && points->columns[count].name)
        count++;
    return count;
}

/* Writes the points as a collapsed table. Writes nothing if there are no points. */
static void put_points(FILE *file, const struct bl_points *points)
{
    if (points->count == 0)
        return;
    fprintf(file, "<details><summary>Points of this picture (%zu)</summary>\n", points->count);
    bl_html_scroll(file, "Points");
    fputs("<table class=\"sorts points\"><thead><tr>", file);
    bl_html_heading(file, points->what, NULL);
    for (unsigned c = 0; c < bl_points_columns(points); c++) {
        char words[64]; /* a heading may break between words */
        snprintf(words, sizeof words, "%s", points->columns[c].name);
        for (char *letter = words; *letter; letter++)
            if (*letter == '_')
                *letter = ' ';
        bl_html_heading(file, words, points->columns[c].unit);
    }
    fputs("</tr></thead><tbody>\n", file);
    for (size_t i = 0; i < points->count; i++) {
        bl_html_row(file, points->all[i].name);
        for (unsigned c = 0; c < bl_points_columns(points); c++)
            bl_html_point(file, points->all[i].numbers[c]);
        fputs("</tr>\n", file);
    }
    fputs("</tbody></table></div></details>\n", file);
}

/* Writes the points as CSV: a column of names, then one column per number. */
static void write_points(FILE *file, const void *points_)
{
    const struct bl_points *points = points_;
    fputs(points->what, file);
    for (unsigned c = 0; c < bl_points_columns(points); c++)
        fprintf(file, ",%s", points->columns[c].name);
    fputc('\n', file);
    for (size_t i = 0; i < points->count; i++) {
        bl_csv_field(file, points->all[i].name, "");
        for (unsigned c = 0; c < bl_points_columns(points); c++) {
            fputc(',', file);
            bl_csv_number(file, points->all[i].numbers[c], "");
        }
        fputc('\n', file);
    }
}

void bl_page_free_curves(struct bl_page_curve curves[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(curves[i].svg);
        curves[i].svg = NULL;
        bl_points_free(&curves[i].points);
    }
}

void bl_plotter_open(struct bl_plotter *plotter)
{
    struct bl_error error = {0};
    plotter->has_no_gnuplot = false;
    plotter->failures = 0;
    *plotter->why_none = '\0';
    if (bl_temp_dir_open(&plotter->temp_dir, &error) != BL_OK)
        snprintf(plotter->why_none, sizeof plotter->why_none, "%.290s", error.sentence);
}

void bl_plotter_close(struct bl_plotter *plotter) { bl_temp_dir_close(&plotter->temp_dir); }

enum bl_status bl_plotter_put(struct bl_plotter *plotter, const char *name, bl_plot_writer *write,
                              const void *what, struct bl_error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while drawing the pictures");
    write(file, what);
    const bool is_whole = !ferror(file);
    struct bl_error failure = {0};
    if (fclose(file) != 0 || !is_whole) {
        free(text);
        return bl_fail(error, BL_NO_MEMORY, "out of memory while drawing the pictures");
    }
    if (!*plotter->why_none && bl_temp_dir_write(&plotter->temp_dir, name, text, &failure) != BL_OK)
        snprintf(plotter->why_none, sizeof plotter->why_none, "%.290s", failure.sentence);
    free(text);
    return BL_OK;
}

void bl_plot(struct bl_plotter *plotter, const char *script, const char *csv,
             const char *const arguments[], struct bl_page_curve *curve)
{
    char paths[3][BL_TEMP_DIR_PATH];
    const struct bl_temp_dir *temp_dir = &plotter->temp_dir;
    const char *words[7 + BL_PLOT_ARGUMENTS] = {"gnuplot", "-d", "-c"};
    words[3] = bl_temp_dir_path(temp_dir, script, paths[0]);
    words[4] = bl_temp_dir_path(temp_dir, csv, paths[1]);
    words[5] = bl_temp_dir_path(temp_dir, "out.svg", paths[2]);
    for (unsigned i = 0; arguments && arguments[i] && i < BL_PLOT_ARGUMENTS; i++)
        words[6 + i] = arguments[i];
    if (*plotter->why_none)
        return;
    unlink(paths[2]);
    if (plotter->has_no_gnuplot ||
        bl_temp_dir_write(temp_dir, script, bl_embedded_text(bl_page_texts, script), NULL) != BL_OK)
        return;
    const int status = bl_temp_dir_run(temp_dir, words, NULL);
    plotter->has_no_gnuplot = status == BL_TOOL_NOT_STARTED;
    plotter->failures += status != 0 && !plotter->has_no_gnuplot;
    char words_of_end[80];
    if (status == BL_TOOL_TOO_LONG) /* every other picture would take too long, too */
        snprintf(plotter->why_none, sizeof plotter->why_none, "gnuplot %s",
                 bl_tool_end_words(temp_dir, status, words_of_end));
    if (status == 0)
        curve->svg = bl_temp_dir_read(temp_dir, "out.svg");
}

enum bl_status bl_plotter_put_points(struct bl_plotter *plotter, const char *name,
                                     const struct bl_points *points, struct bl_error *error)
{
    return bl_plotter_put(plotter, name, write_points, points, error);
}

void bl_plot_points(struct bl_plotter *plotter, const char *script, const char *const arguments[],
                    struct bl_page_curve *curve)
{
    if (bl_plotter_put_points(plotter, "points.csv", &curve->points, NULL) == BL_OK)
        bl_plot(plotter, script, "points.csv", arguments, curve);
}

/* Rewrites gnuplot's SVG for the page. The colours of scripts/plots become CSS variables of the
 * page, so pictures follow the dark theme. */

struct rewrite {
    const char *from, *to;
};

/* The colours of scripts/plots, and white, which gnuplot draws behind marks. */
static const struct {
    unsigned red, green, blue;
    const char *variable;
} colours[] = {
    {11, 92, 138, "good"},   {168, 50, 10, "bad"},     {92, 86, 72, "open"},
    {102, 102, 102, "open"}, {27, 31, 36, "text"},     {208, 208, 208, "line"},
    {219, 233, 244, "mark"}, {255, 255, 255, "paper"},
};

enum { LONGEST_COLOUR = sizeof "rgb(255, 255, 255)" - 1 };

/* Replacements inside tags: named colours and attributes. */
static const struct rewrite of_tags[] = {
    {"\"black\"", "\"currentColor\""}, {"'black'", "'currentColor'"},
    {"\"gray\"", "\"var(--line)\""},   {"white", "var(--paper)"},
    {"#FFFFFF", "var(--paper)"},       {"xlink:href", "href"},
};

/* Attributes that are removed, from their names to the closing quotes. These attributes repeat a
 * default, or matter only in a separate file. */
static const char *const needless[] = {
    "stroke-linecap=\"butt\"",
    "stroke-linejoin=\"miter\"",
    "font-family=\"sans-serif\"",
    "class=\"gridline\"",
    "xmlns:xlink=\"http",
    "xmlns=\"http",
    "id=\"", /* only ids in double quotes: the ids of marks are in single quotes */
    "stroke-width=\"1.00\"",
    "font-size=\"14.00\"", /* page.css sets this size */
};

/* Elements that are omitted with their contents, from the first text to the second. */
static const struct rewrite left_out[] = {
    {"<title>", "</title>"},
    {"<desc>", "</desc>"},
    {"<filter ", "</filter>"},
    {"<rect x=\"0\" y=\"0\" width", "/>"}, /* the background */
};

static bool begins_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

static const char *behind_blanks(const char *at)
{
    while (is_blank(*at))
        at++;
    return at;
}

/* If an empty group begins at this position, returns the position after the group; else NULL. */
static const char *behind_empty_group(const char *at)
{
    if (!begins_with(at, "<g ") && !begins_with(at, "<g>"))
        return NULL;
    const char *end = strchr(at, '>');
    end = end ? behind_blanks(end + 1) : NULL;
    return end && begins_with(end, "</g>") ? end + 4 : NULL;
}

/* If an element that must be omitted begins at this position, returns the position after the
 * element; otherwise returns `at`. */
static const char *behind_left_out(const char *at, bool keeps_shapes)
{
    const char *empty = behind_empty_group(at);
    if (empty)
        return empty;
    if (begins_with(at, "<defs>") && !keeps_shapes) {
        const char *end = strstr(at, "</defs>");
        return end ? end + sizeof "</defs>" - 1 : at;
    }
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        const char *end = begins_with(at, left_out[i].from) ? strstr(at, left_out[i].to) : NULL;
        if (end)
            return end + strlen(left_out[i].to);
    }
    return at;
}

/* If a <tspan> or </tspan> that only sets the font begins at this position, returns the position
 * after the tag; otherwise returns `at`. *is_left_out: whether the opening tag was omitted, so that
 * the closing tag must be omitted, too. */
static const char *behind_plain_tspan(const char *at, bool *is_left_out)
{
    static const char opening[] = "<tspan", closing[] = "</tspan>";
    static const char *const saying_more[] = {
        " dy=", " dx=", " font-size=", " font-weight=", " font-style=", " fill", " style="};
    if (begins_with(at, closing)) {
        const bool was_left_out = *is_left_out;
        *is_left_out = false;
        return was_left_out ? at + sizeof closing - 1 : at;
    }
    const char *end = begins_with(at, opening) ? strchr(at, '>') : NULL;
    for (size_t i = 0; i < sizeof saying_more / sizeof *saying_more && end; i++) {
        const char *more = strstr(at, saying_more[i]);
        if (more && more < end)
            end = NULL;
    }
    *is_left_out = *is_left_out || end;
    return end ? end + 1 : at;
}

/* Skips the needless attributes that begin at this position, with the blanks around them. Returns
 * the position after them. */
static const char *behind_needless(const char *at)
{
    at = behind_blanks(at);
    for (size_t i = 0; i < sizeof needless / sizeof *needless; i++) {
        const char *value = begins_with(at, needless[i]) ? strchr(at, '"') : NULL;
        const char *end = value ? strchr(value + 1, '"') : NULL;
        if (end)
            return behind_needless(end + 1);
    }
    return at;
}

/* If a known colour such as "rgb(11, 92, 138)" begins at this position, writes its CSS variable and
 * returns the position after the colour. Otherwise returns `at`. */
static const char *put_colour(FILE *file, const char *at)
{
    unsigned red, green, blue;
    int length = 0;
    char text[LONGEST_COLOUR +
              1]; /* a short copy, because sscanf would first measure the whole rest of the text */
    snprintf(text, sizeof text, "%.*s", (int)LONGEST_COLOUR, begins_with(at, "rgb(") ? at : "");
    if (!*text || sscanf(text, "rgb(%u ,%u ,%u )%n", &red, &green, &blue, &length) != 3 ||
        length == 0)
        return at;
    for (size_t i = 0; i < sizeof colours / sizeof *colours; i++)
        if (colours[i].red == red && colours[i].green == green && colours[i].blue == blue) {
            fprintf(file, "var(--%s)", colours[i].variable);
            return at + length;
        }
    return at;
}

/* Inside a tag, writes the item at this position: a colour, a replaced text, blanks or a character.
 * Returns the position after the item. */
static const char *put_of_tag(FILE *file, const char *at)
{
    const char *next = put_colour(file, at);
    if (next != at)
        return next;
    for (size_t i = 0; i < sizeof of_tags / sizeof *of_tags; i++)
        if (begins_with(at, of_tags[i].from)) {
            fputs(of_tags[i].to, file);
            return at + strlen(of_tags[i].from);
        }
    if (is_blank(*at)) {
        at = behind_needless(at);
        if (*at != '>' && *at != '/')
            fputc(' ', file);
        return at;
    }
    fputc(*at, file);
    return at + 1;
}

void bl_page_put_svg(FILE *file, const char *svg, bool keeps_shapes)
{
    bool is_in_tag = false, is_tspan_left_out = false;
    const char *at = strstr(svg, "<svg");
    while (at && *at) {
        if (*at == '<') {
            const char *next = behind_left_out(at, keeps_shapes);
            if (next == at)
                next = behind_plain_tspan(at, &is_tspan_left_out);
            if (next != at) {
                at = next;
                continue;
            }
            is_in_tag = true;
        }
        if (is_in_tag) {
            is_in_tag = *at != '>';
            at = put_of_tag(file, at);
        } else if (is_blank(*at)) { /* blanks before a tag are dropped; others become one blank */
            const char *end = behind_blanks(at);
            if (*end != '<')
                fputc(' ', file);
            at = end;
        } else {
            fputc(*at++, file);
        }
    }
}

void bl_page_put_curves(FILE *file, const struct bl_page_curve curves[], size_t count,
                        const char *ids, bool *has_shapes)
{
    fputs("<div class=\"curves\">\n", file);
    for (size_t i = 0; i < count; i++) {
        if (!curves[i].svg)
            continue;
        fprintf(file, "<figure class=\"curve\"><figcaption id=\"%s-%zu\">", ids, i);
        bl_html_element(file, "h3", "%s", curves[i].title);
        bl_html_element(file, "p", "%s", curves[i].what);
        fprintf(file,
                "</figcaption>\n<div class=\"drawn\" role=\"img\" aria-labelledby=\"%s-%zu\">\n",
                ids, i);
        bl_page_put_svg(file, curves[i].svg, !*has_shapes);
        *has_shapes = true;
        fputs("</div>\n", file);
        put_points(file, &curves[i].points);
        fputs("</figure>\n", file);
    }
    fputs("</div>\n", file);
}
