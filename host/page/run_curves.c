/* Draws the curves of one run: selects the rows of each curve, and the cache sizes that are shown
 * as vertical lines. */
#include "page/page.h"

#include <stdio.h>
#include <string.h>

#include "report/csv.h"

enum { ALL = BL_POINT_NUMBERS };

static bool is_of(const struct bl_row *row, const char *prefix)
{
    return strncmp(row->key.case_id, prefix, strlen(prefix)) == 0;
}

static bool has_prediction(const struct bl_row *row)
{
    return row->predicted > 0 && row->measured > 0 && row->verdict < BL_NO_RULE;
}

static bool is_documented(const struct bl_row *row)
{
    return (is_of(row, "global/") || is_of(row, "local/")) && row->claim > 0 && row->measured > 0;
}

#define RATIO BL_RATIO_UNIT

#define RATIOS                                                                               \
    {                                                                                        \
        {"claim", RATIO}, {"predicted", RATIO}, {"measured", RATIO}, {"measured_lo", RATIO}, \
            {"measured_hi", RATIO},                                                          \
    }

static const struct {
    const char *script, *title, *what;
    /* Whether to draw the row; if NULL, `cases` selects the rows. */
    bool (*has)(const struct bl_row *row);
    const char *cases; /* prefix of the cases to draw, without rows whose last column is unknown */
    struct bl_point_column columns[ALL]; /* columns of a row, named as in report/columns.h */
} known[BL_CURVES] = {
    {"predicted.gp",
     "Predicted and measured",
     "The distance of the measurement from the prediction, in %, for every row with a prediction "
     "for this device. The band is 5 % to either side. Rows outside the band are crosses; the "
     "first cross of each case is labelled with the case.",
     has_prediction,
     NULL,
     {{"predicted", RATIO}, {"measured", RATIO}, {"distance", "of the prediction"}}},
    {"documented.gp", "Documented cases",
     "The numbered cases of Intel's two memory guides: the claim (plus), the prediction for this "
     "machine (square) and the measured ratio (dot, with its 95 % interval).",
     is_documented, NULL, RATIOS},
    {"strides.gp",
     "Strides from 1 to 64",
     "Ratios of reads, by the stride between work-items in elements, for global and for local "
     "memory. Lines are predictions by the model, and marks are measurements.",
     NULL,
     "stride/",
     {{"predicted", RATIO}, {"measured_lo", RATIO}, {"measured_hi", RATIO}, {"measured", RATIO}}},
    {"working-sets.gp",
     "Working sets",
     "Contiguous reads, in GB/s of the whole device, by the size of the working set. At each step "
     "down, a level no longer holds the working set. Vertical lines are cache sizes, inferred or "
     "from the machine's description.",
     NULL,
     "level/contiguous-",
     {{"working_set_bytes", "bytes"}, {"measured", RATIO}, {"gbytes_per_s", "GB/s"}}},
    {"latency.gp",
     "Latency",
     "The time of one read, in ns, if each read depends on the previous one, by the size of the "
     "working set. At each step up, the reads come from the next level.",
     NULL,
     "latency/global-",
     {{"working_set_bytes", "bytes"}, {"ns_per_request", "ns"}}},
};

static bool fill(struct bl_points *points, const struct bl_run_rows *rows, unsigned number)
{
    points->what = "case";
    memcpy(points->columns, known[number].columns, sizeof points->columns);
    const struct bl_column *all[ALL];
    const unsigned columns = bl_points_columns(points);
    for (unsigned c = 0; c < columns; c++)
        all[c] = bl_column_named(points->columns[c].name);
    for (size_t i = 0; i < rows->count; i++) {
        const struct bl_row *row = &rows->rows[i];
        char name[BL_POINT_NAME];
        double numbers[ALL] = {0};
        for (unsigned c = 0; c < columns; c++)
            numbers[c] = bl_column_number(all[c], NULL, row);
        if (known[number].has ? !known[number].has(row)
                              : !(is_of(row, known[number].cases) && numbers[columns - 1] > 0))
            continue;
        snprintf(name, sizeof name, "%.160s %s", row->key.case_id, row->key.shape);
        if (!bl_points_add(points, name, numbers))
            return false;
    }
    return true;
}

/* Writes the rows in the current CSV format, even if they were read from a file with an older
 * schema. */
static void write_rows(FILE *file, const void *rows_)
{
    const struct bl_run_rows *rows = rows_;
    bl_csv_header(file);
    for (size_t i = 0; i < rows->count; i++)
        bl_csv_row(file, &rows->info, &rows->rows[i]);
}

enum { MOST_CACHES = 3 };

/* The further arguments of a script, after its input and output files. For strides.gp: the file of
 * the model's curve. For working-sets.gp: the names and sizes of the caches, preferably inferred
 * sizes. */
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
        status = bl_plotter_put_points(plotter, "model.csv", model, error);
    for (unsigned i = 0; i < BL_CURVES && status == BL_OK; i++) {
        struct bl_page_curve *curve = &curves[i];
        struct behind behind;
        snprintf(curve->title, sizeof curve->title, "%s", known[i].title);
        snprintf(curve->what, sizeof curve->what, "%s", known[i].what);
        if (!fill(&curve->points, rows, i))
            return bl_fail(error, BL_NO_MEMORY, "out of memory while drawing the pictures");
        name_arguments(plotter, page, known[i].script, &behind);
        if (curve->points.count > 0)
            bl_plot(plotter, known[i].script, "run.csv", behind.arguments, curve);
    }
    return status;
}
