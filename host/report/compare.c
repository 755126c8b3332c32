#include "report/compare.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/csv.h"

static double rate_of(const struct bl_row *row)
{
    if (isfinite(row->bytes_per_clock_cu) && row->bytes_per_clock_cu > 0)
        return row->bytes_per_clock_cu;
    return isfinite(row->ns_per_request) && row->ns_per_request > 0 ? 1 / row->ns_per_request : NAN;
}

/* A number lies in its interval, which is above 0; or there is none. */
static enum bl_status check_number(const struct bl_row *row, size_t line, struct bl_error *error)
{
    if (!isfinite(row->measured) || (row->measured_lo > 0 && row->measured_lo <= row->measured &&
                                     row->measured_hi >= row->measured))
        return BL_OK;
    return bl_fail(error, BL_BAD_FORMAT, "line %zu: measured %g does not lie in %g to %g, above 0",
                   line, row->measured, row->measured_lo, row->measured_hi);
}

static enum bl_status check_device(const struct bl_run_file *run, const struct bl_row *row,
                                   size_t line, struct bl_error *error)
{
    if (strcmp(run->about.device, row->device) == 0)
        return BL_OK;
    return bl_fail(error, BL_BAD_FORMAT, "line %zu: device '%.60s' in a run of '%.60s'", line,
                   row->device, run->about.device);
}

static enum bl_status add_row(void *context, const struct bl_row *row, size_t line,
                              struct bl_error *error)
{
    struct bl_run_file *run = context;
    if (run->count == 0) {
        run->about = *row;
        run->min_mhz = run->max_mhz = row->device_mhz;
    }
    run->min_mhz = fmin(run->min_mhz, row->device_mhz); /* of a number and NAN, the number */
    run->max_mhz = fmax(run->max_mhz, row->device_mhz);
    enum bl_status status = check_device(run, row, line, error);
    if (status == BL_OK)
        status = check_number(row, line, error);
    if (status != BL_OK)
        return status;
    if (run->count == run->capacity) {
        const size_t capacity = run->capacity ? 2 * run->capacity : 256;
        struct bl_run_row *more = realloc(run->rows, capacity * sizeof *more);
        if (!more)
            return bl_fail(error, BL_NO_MEMORY, "no memory for %zu rows", capacity);
        run->rows = more;
        run->capacity = capacity;
    }
    struct bl_run_row *added = &run->rows[run->count];
    *added = (struct bl_run_row){.line = line, .rate = NAN, .ratio = {.median = NAN}};
    if (asprintf(&added->key, "%s\n%s\n%s\n%u\n%" PRIu64 "\n%s", row->case_id, row->type,
                 row->shape, row->lanes, row->working_set_bytes, row->machine) < 0)
        return bl_fail(error, BL_NO_MEMORY, "no memory for a row");
    run->count++;
    if (isfinite(row->measured)) {
        added->ratio = (struct bl_interval){row->measured, row->measured_lo, row->measured_hi,
                                            row->samples >= BL_MIN_SAMPLES || row->samples == 0};
        added->rate = rate_of(row);
    } else if (asprintf(&added->reason, "%s%s%s",
                        row->status == BL_ROW_OK ? "not measured" : bl_row_status_name(row->status),
                        row->reason[0] ? ": " : "", row->reason) < 0) {
        added->reason = NULL;
        return bl_fail(error, BL_NO_MEMORY, "no memory for a row");
    }
    return BL_OK;
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct bl_run_row *)a)->key, ((const struct bl_run_row *)b)->key);
}

static enum bl_status check_rows(const struct bl_run_file *run, struct bl_error *error)
{
    if (run->count == 0)
        return bl_fail(error, BL_BAD_FORMAT, "line 1: a header and no rows");
    for (size_t i = 1; i < run->count; i++) {
        const struct bl_run_row *one = &run->rows[i - 1], *other = &run->rows[i];
        if (strcmp(one->key, other->key) == 0)
            return bl_fail(error, BL_BAD_FORMAT, "line %zu: the same row of %.*s as in line %zu",
                           one->line > other->line ? one->line : other->line,
                           (int)strcspn(one->key, "\n"), one->key,
                           one->line > other->line ? other->line : one->line);
    }
    return BL_OK;
}

enum bl_status bl_run_file_read(const char *path, struct bl_run_file *run, struct bl_error *error)
{
    *run = (struct bl_run_file){0};
    FILE *file = fopen(path, "re");
    if (!file)
        return bl_fail(error, BL_FILE_FAILED, "cannot read %s: %s", path, strerror(errno));
    enum bl_status status = bl_csv_each(file, add_row, run, error);
    fclose(file);
    if (status == BL_OK && run->count > 0)
        qsort(run->rows, run->count, sizeof run->rows[0], by_key);
    if (status == BL_OK)
        status = check_rows(run, error);
    if (status != BL_OK)
        bl_error_context(error, "%s", path);
    return status;
}

static void free_row(struct bl_run_row *row)
{
    free(row->key);
    free(row->reason);
}

static bool is_selected(const struct bl_run_row *row, const char *const globs[], size_t glob_count)
{
    char *case_id = strndup(row->key, strcspn(row->key, "\n"));
    bool is = false;
    for (size_t i = 0; i < glob_count && case_id; i++)
        is |= fnmatch(globs[i], case_id, 0) == 0;
    free(case_id);
    return is;
}

size_t bl_run_file_select(struct bl_run_file *run, const char *const globs[], size_t glob_count)
{
    size_t kept = 0;
    for (size_t i = 0; i < run->count; i++) {
        if (is_selected(&run->rows[i], globs, glob_count))
            run->rows[kept++] = run->rows[i];
        else
            free_row(&run->rows[i]);
    }
    run->count = kept;
    return kept;
}

void bl_run_file_free(struct bl_run_file *run)
{
    for (size_t i = 0; i < run->count; i++)
        free_row(&run->rows[i]);
    free(run->rows);
    *run = (struct bl_run_file){0};
}

/* The rate has no interval of its own; the ratio's is at least as wide, for it has the noise of the
 * baseline too. */
static struct bl_interval rate_interval(const struct bl_run_row *row)
{
    const struct bl_interval *ratio = &row->ratio;
    return (struct bl_interval){row->rate, row->rate * ratio->lo / ratio->median,
                                row->rate * ratio->hi / ratio->median, ratio->is_95};
}

static bool is_worse(enum bl_change one, enum bl_change other)
{
    static const int rank[] = {[BL_CHANGE_SAME] = 0,
                               [BL_CHANGE_FASTER] = 1,
                               [BL_CHANGE_UNCLEAR] = 2,
                               [BL_CHANGE_SLOWER] = 3};
    return rank[one] > rank[other];
}

static struct bl_compared compare_rows(const char *key, const struct bl_run_row *before,
                                       const struct bl_run_row *after,
                                       const struct bl_comparing *comparing)
{
    struct bl_compared compared = {key, before, after, BL_CHANGE_SAME, NAN, false};
    const bool had = before && !before->reason, has = after && !after->reason;
    if (!after)
        compared.change = BL_CHANGE_MISSING;
    else if (!before || (!had && has))
        compared.change = BL_CHANGE_NEW;
    else if (had && !has)
        compared.change = BL_CHANGE_BROKEN;
    if (!had || !has)
        return compared;
    compared.change = bl_change_of(&before->ratio, &after->ratio, comparing->threshold);
    compared.by = after->ratio.median / before->ratio.median - 1;
    if (!comparing->absolute || !isfinite(before->rate) || !isfinite(after->rate))
        return compared;
    const struct bl_interval rate_before = rate_interval(before), rate_after = rate_interval(after);
    const enum bl_change change = bl_change_of(&rate_before, &rate_after, comparing->threshold);
    if (is_worse(change, compared.change)) {
        compared.change = change;
        compared.by = after->rate / before->rate - 1;
        compared.is_absolute = true;
    }
    return compared;
}

enum bl_status bl_compare(const struct bl_run_file *before, const struct bl_run_file *after,
                          const struct bl_comparing *comparing, struct bl_compared **compared,
                          size_t *count, struct bl_error *error)
{
    *count = 0;
    *compared = malloc((before->count + after->count + 1) * sizeof **compared);
    if (!*compared)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the comparison");
    size_t b = 0, a = 0;
    while (b < before->count || a < after->count) {
        const int order = b == before->count  ? 1
                          : a == after->count ? -1
                                              : strcmp(before->rows[b].key, after->rows[a].key);
        const char *key = order <= 0 ? before->rows[b].key : after->rows[a].key;
        const struct bl_run_row *old = order <= 0 ? &before->rows[b++] : NULL;
        const struct bl_run_row *new = order >= 0 ? &after->rows[a++] : NULL;
        (*compared)[(*count)++] = compare_rows(key, old, new, comparing);
    }
    return BL_OK;
}

void bl_count_changes(const struct bl_compared compared[], size_t count,
                      size_t counts[BL_CHANGE_COUNT])
{
    for (unsigned change = 0; change < BL_CHANGE_COUNT; change++)
        counts[change] = 0;
    for (size_t i = 0; i < count; i++)
        counts[compared[i].change]++;
}

const char *bl_key_part(const char *key, unsigned number, size_t *length)
{
    for (; number > 0; number--)
        key += strcspn(key, "\n") + 1;
    *length = strcspn(key, "\n");
    return key;
}
