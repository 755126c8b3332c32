/* Functions for tests of comparisons: they write two runs to files, read them again, and compare
 * them by bl_compare. */
#ifndef BANKLINE_TESTS_RUN_FILES_H
#define BANKLINE_TESTS_RUN_FILES_H

#include "report/compare.h"
#include "report/run.h"
#include "rows.h"

static struct bl_error error;
static char old_path[] = "/tmp/bankline-old-XXXXXX", new_path[] = "/tmp/bankline-new-XXXXXX";

static inline void make_files(void)
{
    close(mkstemp(old_path));
    close(mkstemp(new_path));
}

static inline void remove_files(void)
{
    unlink(old_path);
    unlink(new_path);
}

static struct bl_run_info run;

static inline void write_run(const char *path, const struct bl_row rows[], size_t count)
{
    if (!run.device[0])
        run = run_on("device");
    write_rows(path, &run, rows, count);
}

/* Compares the two files. The rows of the comparison stay valid until the next call. */
static inline struct bl_comparison compare_files(double threshold, bool is_absolute)
{
    static struct bl_run_rows before, after;
    cr_assert_eq(bl_run_read(old_path, &before, &error), BL_OK, "%s", error.sentence);
    cr_assert_eq(bl_run_read(new_path, &after, &error), BL_OK, "%s", error.sentence);
    struct bl_comparison comparison = {
        .before = &before,
        .after = &after,
        .comparing = {.threshold = threshold, .absolute = is_absolute}};
    cr_assert_eq(bl_compare(&comparison, &error), BL_OK);
    return comparison;
}

static inline void free_all(struct bl_comparison *comparison)
{
    bl_run_free((struct bl_run_rows *)(uintptr_t)comparison->before);
    bl_run_free((struct bl_run_rows *)(uintptr_t)comparison->after);
    bl_comparison_free(comparison);
}

/* The change of the first row of this case. */
static inline enum bl_change change_of(const struct bl_comparison *comparison, const char *case_id)
{
    for (size_t i = 0; i < comparison->count; i++)
        if (strcmp(comparison->rows[i].key->case_id, case_id) == 0)
            return comparison->rows[i].change;
    cr_assert_fail("there is no row of %s", case_id);
    return BL_CHANGE_COUNT;
}

/* A row with the case's time and the baseline's time, in ns. Each has an interval of +-0.1 %. */
static inline struct bl_row timed(const char *case_id, double own, double baseline)
{
    struct bl_row row = row_of(case_id, baseline / own);
    row.case_ns = own;
    row.case_ns_lo = own * 0.999;
    row.case_ns_hi = own * 1.001;
    row.baseline_ns = baseline;
    row.baseline_ns_lo = baseline * 0.999;
    row.baseline_ns_hi = baseline * 1.001;
    row.bytes_per_clock_cu = NAN;
    return row;
}

#endif
