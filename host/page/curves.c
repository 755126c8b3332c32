#include "page/curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/csv.h"

enum { ALL = BL_POINT_NUMBERS };

static bool begins_with(const struct bl_row *row, const char *prefix)
{
    return strncmp(row->key.case_id, prefix, strlen(prefix)) == 0;
}

static bool has_prediction(const struct bl_row *row)
{
    return row->predicted > 0 && row->measured > 0 && row->verdict != BL_NO_RULE;
}

static bool is_documented(const struct bl_row *row)
{
    return (begins_with(row, "global/") || begins_with(row, "local/")) &&
           strcmp(row->key.shape, "16x1") == 0 && row->claim > 0 && row->measured > 0;
}

static bool is_stride(const struct bl_row *row)
{
    return begins_with(row, "stride/") && row->measured > 0;
}

static bool is_working_set(const struct bl_row *row)
{
    return begins_with(row, "level/contiguous-") && row->measured > 0;
}

static bool is_latency(const struct bl_row *row)
{
    return begins_with(row, "latency/global-") && row->ns_per_request > 0;
}

#define RATIO BL_RATIO_UNIT

static void ratios_of(const struct bl_row *row, double numbers[ALL])
{
    const double all[ALL] = {row->claim, row->predicted, row->measured, row->measured_lo,
                             row->measured_hi};
    memcpy(numbers, all, sizeof all);
}

static void sizes_of(const struct bl_row *row, double numbers[ALL])
{
    const double all[ALL] = {(double)row->key.working_set_bytes, row->measured, row->measured_lo,
                             row->measured_hi};
    memcpy(numbers, all, sizeof all);
}

static void latencies_of(const struct bl_row *row, double numbers[ALL])
{
    const double all[ALL] = {(double)row->key.working_set_bytes, row->ns_per_request};
    memcpy(numbers, all, sizeof all);
}

#define RATIOS                                                                               \
    {                                                                                        \
        {"claim", RATIO}, {"predicted", RATIO}, {"measured", RATIO}, {"measured_lo", RATIO}, \
            {"measured_hi", RATIO},                                                          \
    }
#define SIZES                                                                        \
    {                                                                                \
        {"working_set_bytes", "bytes"}, {"measured", RATIO}, {"measured_lo", RATIO}, \
            {"measured_hi", RATIO},                                                  \
    }

static const struct {
    const char *script, *title, *what;
    bool (*has)(const struct bl_row *row);
    void (*numbers_of)(const struct bl_row *row, double numbers[ALL]);
    struct bl_point_column columns[ALL];
} known[BL_CURVES] = {
    {"predicted.gp", "Predicted and measured",
     "Every row whose prediction holds there: what the model computes across, what was measured "
     "up, both logarithmic. Rows within 5 % lie between the dashed lines; others are crosses, with "
     "the case's name.",
     has_prediction, ratios_of, RATIOS},
    {"documented.gp", "Documented cases",
     "The documents' cases in groups of 16x1: the claim (plus), the prediction for this machine "
     "(square) and what was measured (dot, with its 95 % interval).",
     is_documented, ratios_of, RATIOS},
    {"strides.gp", "Strides from 1 to 64",
     "Reads with so many elements from one work-item to the next, in global and in local memory: "
     "the line is what the model makes of each stride, a dot what was measured.",
     is_stride, ratios_of, RATIOS},
    {"working-sets.gp", "Working sets",
     "Contiguous reads of a working set of growing size, as a part of the rate in the first cache: "
     "each step down is a level that no longer holds it. Upright lines: the sizes of caches, as "
     "far as they are known.",
     is_working_set, sizes_of, SIZES},
    {"latency.gp",
     "Latency",
     "What one read takes, in ns, when each depends on the one before, over the size of the "
     "working set: each step up is a level further away.",
     is_latency,
     latencies_of,
     {{"working_set_bytes", "bytes"}, {"ns_per_request", "ns"}}},
};

static bool fill(struct bl_points *points, const struct bl_run_rows *rows, unsigned number)
{
    points->what = "case";
    memcpy(points->columns, known[number].columns, sizeof points->columns);
    for (size_t i = 0; i < rows->count; i++) {
        const struct bl_row *row = &rows->rows[i];
        char name[BL_POINT_NAME];
        double numbers[ALL];
        if (!known[number].has(row))
            continue;
        snprintf(name, sizeof name, "%.160s %s", row->key.case_id, row->key.shape);
        known[number].numbers_of(row, numbers);
        if (!bl_points_add(points, name, numbers))
            return false;
    }
    return true;
}

/* The rows as `run` writes them, whatever their own file is. */
static enum bl_status put_rows(struct bl_plotter *plotter, const struct bl_run_rows *rows,
                               struct bl_error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the pictures");
    bl_csv_header(file);
    for (size_t i = 0; i < rows->count; i++)
        bl_csv_row(file, &rows->info, &rows->rows[i]);
    const bool is_whole = !ferror(file);
    const enum bl_status status = fclose(file) == 0 && is_whole
                                      ? bl_plotter_put(plotter, "run.csv", text, error)
                                      : bl_fail(error, BL_NO_MEMORY, "no memory for the pictures");
    free(text);
    return status;
}

enum { MOST_CACHES = 3 };

/* What stands behind a script's files: of strides the model's curve, of working sets the names and
 * sizes of caches, inferred ones where they are known. */
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
    char *csv = bl_points_csv(model);
    enum bl_status status = csv ? put_rows(plotter, rows, error)
                                : bl_fail(error, BL_NO_MEMORY, "no memory for the pictures");
    if (status == BL_OK)
        status = bl_plotter_put(plotter, "model.csv", csv, error);
    free(csv);
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
