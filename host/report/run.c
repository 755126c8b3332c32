/* Reads one run from a CSV, and finds its rows. */
#include "report/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/csv.h"

struct bl_interval bl_row_ratio(const struct bl_row *row)
{
    /* An interval over placements is computed with Student's t distribution, so it is a 95 %
     * interval even if there are few placements. */
    const bool is_95 = row->placements > 1 || row->samples >= BL_MIN_SAMPLES || row->samples == 0;
    return (struct bl_interval){row->measured, row->measured_lo, row->measured_hi, is_95};
}

double bl_row_rate(const struct bl_row *row)
{
    if (row->bytes_per_clock_cu > 0)
        return row->bytes_per_clock_cu;
    return row->ns_per_request > 0 ? 1 / row->ns_per_request : NAN;
}

void bl_run_device_mhz(const struct bl_run_rows *run, double *lowest, double *highest)
{
    *lowest = *highest = NAN;
    for (size_t i = 0; i < run->count; i++) { /* fmin and fmax ignore NAN */
        *lowest = fmin(*lowest, run->rows[i].device_mhz);
        *highest = fmax(*highest, run->rows[i].device_mhz);
    }
}

enum bl_status bl_run_check_row(const struct bl_run_info *own, const struct bl_run_info *run,
                                const struct bl_row *row, size_t line, struct bl_error *error)
{
    for (size_t i = 0; i < BL_COLUMN_COUNT; i++) {
        const struct bl_column *column = &bl_columns[i];
        char one[BL_COLUMN_BUFFER], other[BL_COLUMN_BUFFER];
        if (column->owner != BL_COLUMN_OF_RUN)
            continue;
        const char *is = bl_column_text(column, run, row, one);
        const char *was = bl_column_text(column, own, row, other);
        if (strcmp(is, was) != 0)
            return bl_fail(error, BL_BAD_FORMAT,
                           "line %zu: %s '%.60s' differs from the run's '%.60s'", line,
                           column->name, is, was);
    }
    const struct {
        const char *name;
        double value, lo, hi;
    } quantities[] = {
        {"measured", row->measured, row->measured_lo, row->measured_hi},
        {"case_ns", row->case_ns, row->case_ns_lo, row->case_ns_hi},
        {"baseline_ns", row->baseline_ns, row->baseline_ns_lo, row->baseline_ns_hi},
    };
    for (size_t i = 0; i < sizeof quantities / sizeof quantities[0]; i++) {
        const double value = quantities[i].value, lo = quantities[i].lo, hi = quantities[i].hi;
        /* Times have no interval in files before schema 6. */
        const bool has_none = i > 0 && isnan(lo) && isnan(hi) && value > 0;
        if (!isfinite(value) || has_none || (lo > 0 && lo <= value && hi >= value))
            continue;
        return bl_fail(error, BL_BAD_FORMAT,
                       "line %zu: %s %g does not lie in its interval, %g to %g, or is not above 0",
                       line, quantities[i].name, value, lo, hi);
    }
    return BL_OK;
}

enum bl_status bl_run_add(struct bl_run_rows *run, const struct bl_row *row, struct bl_error *error)
{
    struct bl_row *added = bl_array_append(&run->rows, &run->count, &run->capacity, sizeof *added);
    if (!added)
        return bl_fail(error, BL_NO_MEMORY, "out of memory for %zu rows", run->count + 1);
    *added = *row;
    added->sample_ratios = NULL;
    return BL_OK;
}

static enum bl_status add_row(void *context, const struct bl_run_info *info,
                              const struct bl_row *row, size_t line, struct bl_error *error)
{
    struct bl_run_rows *run = context;
    if (run->count == 0)
        run->info = *info;
    const enum bl_status status = bl_run_check_row(&run->info, info, row, line, error);
    if (status != BL_OK)
        return status;
    const enum bl_status added = bl_run_add(run, row, error);
    if (added == BL_OK)
        run->rows[run->count - 1].line = line;
    return added;
}

static int by_key(const void *a, const void *b)
{
    return bl_row_key_compare(&((const struct bl_row *)a)->key, &((const struct bl_row *)b)->key);
}

void bl_run_sort(struct bl_run_rows *run)
{
    if (run->count > 0)
        qsort(run->rows, run->count, sizeof run->rows[0], by_key);
}

const char *bl_run_machine(const struct bl_run_rows *run)
{
    for (size_t i = 1; i < run->count; i++)
        if (strcmp(run->rows[i].key.machine, run->rows->key.machine) != 0)
            return NULL;
    return run->count ? run->rows->key.machine : NULL;
}

const struct bl_row *bl_run_find(const struct bl_run_rows *run, const struct bl_row_key *key)
{
    const struct bl_row wanted = {.key = *key};
    return run->count ? bsearch(&wanted, run->rows, run->count, sizeof wanted, by_key) : NULL;
}

static enum bl_status check_rows(const struct bl_run_rows *run, const char *path,
                                 struct bl_error *error)
{
    if (run->count == 0)
        return bl_fail(error, BL_BAD_FORMAT, "%s: line 1: there are no rows after the header",
                       path);
    for (size_t i = 1; i < run->count; i++) {
        const struct bl_row *one = &run->rows[i - 1], *other = &run->rows[i];
        if (bl_row_key_compare(&one->key, &other->key) == 0)
            return bl_fail(error, BL_BAD_FORMAT, "%s: line %zu: the same row of %s as in line %zu",
                           path, one->line > other->line ? one->line : other->line,
                           one->key.case_id, one->line > other->line ? other->line : one->line);
    }
    return BL_OK;
}

enum bl_status bl_run_read(const char *path, struct bl_run_rows *run, struct bl_error *error)
{
    *run = (struct bl_run_rows){0};
    const enum bl_status status = bl_csv_read(path, add_row, run, error);
    if (status != BL_OK)
        return status;
    bl_run_sort(run);
    return check_rows(run, path, error);
}

void bl_run_free(struct bl_run_rows *run)
{
    free(run->rows);
    *run = (struct bl_run_rows){0};
}
