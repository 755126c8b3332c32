/* Pictures that gnuplot draws: their points, as a table and as the CSV that scripts read; the
 * curves of one run; and gnuplot itself, in a folder of its own. */
#include "page/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/text.h"
#include "page/gnuplot_svg.h"
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

static unsigned columns_of(const struct bl_points *points)
{
    unsigned count = 0;
    while (count < BL_POINT_NUMBERS && points->columns[count].name)
        count++;
    return count;
}

/* A table that can be opened; nothing where there are no points. */
static void put_points(FILE *file, const struct bl_points *points)
{
    if (points->count == 0)
        return;
    fprintf(file, "<details><summary>Its %zu point%s</summary>\n", points->count,
            bl_plural(points->count));
    bl_html_scroll(file, "Points");
    fputs("<table class=\"sorts\"><thead><tr>", file);
    bl_html_heading(file, points->what, NULL);
    for (unsigned c = 0; c < columns_of(points); c++)
        bl_html_heading(file, points->columns[c].name, points->columns[c].unit);
    fputs("</tr></thead><tbody>\n", file);
    for (size_t i = 0; i < points->count; i++) {
        bl_html_row(file, points->all[i].name);
        for (unsigned c = 0; c < columns_of(points); c++)
            bl_html_number(file, points->all[i].numbers[c], 4);
        fputs("</tr>\n", file);
    }
    fputs("</tbody></table></div></details>\n", file);
}

/* As CSV: a column for the names and one for each number. */
static void write_points(FILE *file, const void *points_)
{
    const struct bl_points *points = points_;
    fputs(points->what, file);
    for (unsigned c = 0; c < columns_of(points); c++)
        fprintf(file, ",%s", points->columns[c].name);
    fputc('\n', file);
    for (size_t i = 0; i < points->count; i++) {
        bl_csv_field(file, points->all[i].name, "");
        for (unsigned c = 0; c < columns_of(points); c++) {
            fputc(',', file);
            bl_csv_number(file, points->all[i].numbers[c], "");
        }
        fputc('\n', file);
    }
}

enum { ALL = BL_POINT_NUMBERS };

static bool begins_with(const struct bl_row *row, const char *prefix)
{
    return strncmp(row->key.case_id, prefix, strlen(prefix)) == 0;
}

static bool has_prediction(const struct bl_row *row)
{
    return row->predicted > 0 && row->measured > 0 && row->verdict < BL_NO_RULE;
}

static bool is_documented(const struct bl_row *row)
{
    return (begins_with(row, "global/") || begins_with(row, "local/")) &&
           strcmp(row->key.shape, "16x1") == 0 && row->claim > 0 && row->measured > 0;
}

#define RATIO BL_RATIO_UNIT

#define RATIOS                                                                               \
    {                                                                                        \
        {"claim", RATIO}, {"predicted", RATIO}, {"measured", RATIO}, {"measured_lo", RATIO}, \
            {"measured_hi", RATIO},                                                          \
    }

static const struct {
    const char *script, *title, *what;
    bool (*has)(const struct bl_row *row); /* the rows that are drawn; or NULL: */
    const char *cases; /* rows of cases that begin so, and whose last column is known */
    struct bl_point_column columns[ALL]; /* of a row, by their names (report/columns.h) */
} known[BL_CURVES] = {
    {"predicted.gp",
     "Predicted and measured",
     "How far what was measured is from the prediction, in %, of every row whose prediction holds "
     "there. The band is 5 % to either side; rows outside are crosses, with their names.",
     has_prediction,
     NULL,
     {{"predicted", RATIO}, {"measured", RATIO}, {"distance", "of the prediction"}}},
    {"documented.gp", "Documented cases",
     "The documents' cases in groups of 16x1: the claim (plus), the prediction for this machine "
     "(square) and what was measured (dot, with its 95 % interval).",
     is_documented, NULL, RATIOS},
    {"strides.gp",
     "Strides from 1 to 64",
     "Reads with so many elements from one work-item to the next, in global and in local memory: "
     "the lines are what the model makes of each stride, the marks on them what was measured.",
     NULL,
     "stride/",
     {{"predicted", RATIO}, {"measured_lo", RATIO}, {"measured_hi", RATIO}, {"measured", RATIO}}},
    {"working-sets.gp",
     "Working sets",
     "Contiguous reads of a working set of growing size, in GB/s of the whole device: each step "
     "down is a level that no longer holds it. Upright lines: the sizes of caches, as far as they "
     "are known.",
     NULL,
     "level/contiguous-",
     {{"working_set_bytes", "bytes"}, {"measured", RATIO}, {"gbytes_per_s", "GB/s"}}},
    {"latency.gp",
     "Latency",
     "What one read takes, in ns, when each depends on the one before, over the size of the "
     "working set: each step up is a level further away.",
     NULL,
     "latency/global-",
     {{"working_set_bytes", "bytes"}, {"ns_per_request", "ns"}}},
};

static bool fill(struct bl_points *points, const struct bl_run_rows *rows, unsigned number)
{
    points->what = "case";
    memcpy(points->columns, known[number].columns, sizeof points->columns);
    const struct bl_column *all[ALL];
    const unsigned columns = columns_of(points);
    for (unsigned c = 0; c < columns; c++)
        all[c] = bl_column_named(points->columns[c].name);
    for (size_t i = 0; i < rows->count; i++) {
        const struct bl_row *row = &rows->rows[i];
        char name[BL_POINT_NAME];
        double numbers[ALL] = {0};
        for (unsigned c = 0; c < columns; c++)
            numbers[c] = bl_column_number(all[c], NULL, row);
        if (known[number].has
                ? !known[number].has(row)
                : !(begins_with(row, known[number].cases) && numbers[columns - 1] > 0))
            continue;
        snprintf(name, sizeof name, "%.160s %s", row->key.case_id, row->key.shape);
        if (!bl_points_add(points, name, numbers))
            return false;
    }
    return true;
}

/* The rows as `run` writes them, whatever their own file is. */
static void write_rows(FILE *file, const void *rows_)
{
    const struct bl_run_rows *rows = rows_;
    bl_csv_header(file);
    for (size_t i = 0; i < rows->count; i++)
        bl_csv_row(file, &rows->info, &rows->rows[i]);
}

enum { MOST_CACHES = 3 };

/* A script's arguments after its files: for strides the model's curve, for working sets the names
 * and sizes of caches, inferred ones if there are any. */
struct behind {
    char texts[MOST_CACHES][BL_TEMP_DIR_PATH];
    const char *arguments[2 * MOST_CACHES + 1];
    unsigned count;
};

static void add_cache(struct behind *behind, const char *name, double bytes)
{
    if (!(bytes > 0))
        return;
    char *text = behind->texts[behind->count / 2];
    snprintf(text, sizeof behind->texts[0], "%.0f", bytes);
    behind->arguments[behind->count++] = name;
    behind->arguments[behind->count++] = text;
}

static void name_arguments(const struct bl_plotter *plotter, const struct bl_page *page,
                           const char *script, struct behind *behind)
{
    const struct bl_machine *machine = page->machine;
    *behind = (struct behind){0};
    if (strcmp(script, "strides.gp") == 0) {
        behind->arguments[0] = bl_temp_dir_path(&plotter->temp_dir, "model.csv", behind->texts[0]);
    } else if (strcmp(script, "working-sets.gp") == 0) {
        const double first = bl_page_inferred(&page->infer, "cache_bytes");
        if (first > 0)
            add_cache(behind, "L1", first);
        else if (machine)
            add_cache(behind, machine->cache_name, machine->cache_bytes);
        add_cache(behind, "L2", bl_page_inferred(&page->infer, "l2_bytes"));
        add_cache(behind, "LLC", bl_page_inferred(&page->infer, "llc_bytes"));
    }
}

enum bl_status bl_page_draw(struct bl_plotter *plotter, const struct bl_page *page,
                            const struct bl_points *model, struct bl_page_curve curves[BL_CURVES],
                            struct bl_error *error)
{
    const struct bl_run_rows *rows = &page->runs[page->run_count - 1].rows;
    enum bl_status status = bl_plotter_put(plotter, "run.csv", write_rows, rows, error);
    if (status == BL_OK)
        status = bl_plotter_put(plotter, "model.csv", write_points, model, error);
    for (unsigned i = 0; i < BL_CURVES && status == BL_OK; i++) {
        struct bl_page_curve *curve = &curves[i];
        struct behind behind;
        snprintf(curve->title, sizeof curve->title, "%s", known[i].title);
        snprintf(curve->what, sizeof curve->what, "%s", known[i].what);
        if (!fill(&curve->points, rows, i))
            return bl_fail(error, BL_NO_MEMORY, "no memory for the pictures");
        name_arguments(plotter, page, known[i].script, &behind);
        if (curve->points.count > 0)
            bl_plot(plotter, known[i].script, "run.csv", behind.arguments, curve);
    }
    return status;
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
        return bl_fail(error, BL_NO_MEMORY, "no memory for the pictures");
    write(file, what);
    const bool is_whole = !ferror(file);
    struct bl_error failure = {0};
    if (fclose(file) != 0 || !is_whole) {
        free(text);
        return bl_fail(error, BL_NO_MEMORY, "no memory for the pictures");
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
    if (status == BL_TOOL_TOO_LONG) /* the next one would take as long */
        snprintf(plotter->why_none, sizeof plotter->why_none, "gnuplot %s",
                 bl_tool_end_words(temp_dir, status, words_of_end));
    if (status == 0)
        curve->svg = bl_temp_dir_read(temp_dir, "out.svg");
}

void bl_plot_points(struct bl_plotter *plotter, const char *script, const char *const arguments[],
                    struct bl_page_curve *curve)
{
    if (bl_plotter_put(plotter, "points.csv", write_points, &curve->points, NULL) == BL_OK)
        bl_plot(plotter, script, "points.csv", arguments, curve);
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
