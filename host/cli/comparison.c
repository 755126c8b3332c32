#include "cli/comparison.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What differs between the runs and could explain a change. */
static void tell_difference(const char *what, const char *before, const char *after)
{
    if (strcmp(before, after) != 0)
        printf("%s: %s -> %s\n", what, *before ? before : "unknown", *after ? after : "unknown");
}

/* Rows' clocks that differ by less are a clock's own steps. */
static const double CLOCK_MOVES = 0.02;

static void tell_clocks(const char *name, const struct bl_run_file *run)
{
    if (isfinite(run->min_mhz) && run->max_mhz > run->min_mhz * (1 + CLOCK_MOVES))
        printf("the device's clock moved during %s: %.0f to %.0f MHz\n", name, run->min_mhz,
               run->max_mhz);
}

static void tell_differences(const struct bl_run_file *before, const struct bl_run_file *after,
                             const char *const names[2])
{
    const struct bl_row *old = &before->about, *new = &after->about;
    tell_difference("device", old->device, new->device);
    tell_difference("driver", old->driver, new->driver);
    tell_difference("bankline", old->tool_version, new->tool_version);
    tell_difference("host", old->host, new->host);
    tell_difference("kernel", old->os, new->os);
    tell_difference("processor", old->cpu, new->cpu);
    tell_difference("governor", old->governor, new->governor);
    tell_clocks(names[0], before);
    tell_clocks(names[1], after);
    if (fabs(before->max_mhz - after->max_mhz) > CLOCK_MOVES * before->max_mhz)
        printf("the device's clock: %.0f -> %.0f MHz\n", before->max_mhz, after->max_mhz);
}

enum bl_status bl_comparison_select(const char *const globs[], size_t count,
                                    struct bl_run_file *before, struct bl_run_file *after,
                                    struct bl_error *error)
{
    if (count == 0)
        return BL_OK;
    const size_t found = bl_run_file_select(before, globs, count);
    if (bl_run_file_select(after, globs, count) + found > 0)
        return BL_OK;
    return bl_fail(error, BL_UNKNOWN_CASE, "no case '%s'%s in either run", globs[0],
                   count > 1 ? " nor the others" : "");
}

static void print_row(const struct bl_compared *row)
{
    const char *key = row->key;
    size_t case_length, type_length, shape_length;
    const char *case_id = bl_key_part(key, 0, &case_length);
    const char *type = bl_key_part(key, 1, &type_length),
               *shape = bl_key_part(key, 2, &shape_length);
    printf("%-8s %-24.*s %-7.*s %-7.*s", bl_change_name(row->change), (int)case_length, case_id,
           (int)shape_length, shape, (int)type_length, type);
    if (row->before && row->after && isfinite(row->by))
        printf(" %+7.2f %%  %.4f [%.4f, %.4f] -> %.4f [%.4f, %.4f]%s", 100 * row->by,
               row->before->ratio.median, row->before->ratio.lo, row->before->ratio.hi,
               row->after->ratio.median, row->after->ratio.lo, row->after->ratio.hi,
               row->is_absolute ? "  (in clocks, not against its baseline)" : "");
    else if (row->after && row->after->reason)
        printf("  %s", row->after->reason);
    putchar('\n');
}

/* Rows of which nobody can tell are worth a line where they look like a change. */
static bool is_told(const struct bl_compared *row, double threshold)
{
    if (row->change == BL_CHANGE_UNCLEAR)
        return fabs(row->by) >= threshold;
    return row->change != BL_CHANGE_SAME;
}

static enum bl_status print(const struct bl_comparison *comparison, bool quiet,
                            struct bl_error *error)
{
    for (size_t i = 0; i < comparison->count && !quiet; i++)
        if (is_told(&comparison->rows[i], comparison->threshold))
            print_row(&comparison->rows[i]);
    size_t counts[BL_CHANGE_COUNT];
    bl_count_changes(comparison->rows, comparison->count, counts);
    printf("%zu row%s:", comparison->count, comparison->count == 1 ? "" : "s");
    const char *separator = " ";
    size_t bad = 0;
    for (unsigned change = 0; change < BL_CHANGE_COUNT; change++) {
        bad += bl_change_is_bad((enum bl_change)change) ? counts[change] : 0;
        if (counts[change]) {
            printf("%s%zu %s", separator, counts[change], bl_change_name((enum bl_change)change));
            separator = ", ";
        }
    }
    putchar('\n');
    if (bad == 0)
        return BL_OK;
    return bl_fail(error, BL_BAD_NEWS, "%zu slower, %zu missing, %zu broken",
                   counts[BL_CHANGE_SLOWER], counts[BL_CHANGE_MISSING], counts[BL_CHANGE_BROKEN]);
}

static enum bl_status save(const struct bl_options *options, const struct bl_comparison *comparison,
                           struct bl_error *error)
{
    const struct bl_document_content content = {.comparison = comparison};
    for (unsigned d = 0; d < BL_DOCUMENT_COUNT; d++) {
        const char *path = d == BL_DOCUMENT_CSV ? options->csv : options->documents[d];
        const enum bl_status status =
            path ? bl_document_save((enum bl_document)d, path, &content, error) : BL_OK;
        if (status != BL_OK)
            return status;
    }
    return BL_OK;
}

enum bl_status bl_comparison_report(const struct bl_options *options,
                                    const struct bl_run_file *before,
                                    const struct bl_run_file *after, const char *const names[2],
                                    struct bl_error *error)
{
    const struct bl_comparing comparing = {options->threshold, options->absolute};
    struct bl_compared *rows = NULL;
    struct bl_comparison comparison = {
        .before = before, .after = after, .threshold = options->threshold};
    enum bl_status status = bl_compare(before, after, &comparing, &rows, &comparison.count, error);
    if (status == BL_OK) {
        comparison.rows = rows;
        if (!options->quiet)
            tell_differences(before, after, names);
        status = print(&comparison, options->quiet, error);
        /* A document that cannot be written must not hide what was slower: that is printed. */
        struct bl_error failure = {0};
        const enum bl_status saved = save(options, &comparison, &failure);
        if (saved != BL_OK) {
            *error = failure;
            status = saved;
        }
    }
    free(rows);
    return status;
}
