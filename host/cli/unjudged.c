/* `bankline history unjudged`: rows that nobody could judge, and what would make them judgeable. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "cli/history_actions.h"
#include "cli/output.h"
#include "report/layout.h"
#include "report/words.h"

/* Whether the row's own interval is too wide for the threshold, however alike the runs are: two
 * such intervals leave no room for `same` (report/change.h). */
static bool is_wide(const struct bl_row *row, double threshold)
{
    const struct bl_interval ratio = bl_row_ratio(row);
    const double two_halves = (log(ratio.hi) - log(ratio.lo)) / sqrt(2);
    return !ratio.is_95 || BL_CHANGE_CERTAIN * two_halves >= -log1p(-threshold);
}

static void print_row(const struct bl_row *row, const struct bl_view *view)
{
    char text[768], measured[48];
    snprintf(text, sizeof text, "%s %s %s, %u lanes: %s", row->key.case_id, row->key.shape,
             row->key.type, row->key.lanes, bl_format_measured(row, measured));
    fputs("  ", stdout);
    bl_put_wrapped(stdout, text, 2, 4, view->width);
    putchar('\n');
}

/* Why rows cannot be judged, and what to do. */
struct cause {
    bool is_wide;
    const char *why, *cure;
};

static const struct cause causes[] = {
    {true, "their own intervals are too wide",
     "More time per case makes them narrower: 'bankline run --seconds 5', without --quick"},
    {false, "they differ too much from run to run",
     "A device that nobody else uses and fixed clocks make them alike"},
};

static size_t print_group(const struct bl_run_rows *now, const bool told[],
                          const struct cause *cause, const struct bl_history_settings *settings)
{
    const struct bl_view view = bl_view_of_terminal(false);
    const double threshold = settings->change.threshold;
    size_t count = 0;
    for (size_t i = 0; i < now->count; i++) {
        if (!told[i] || is_wide(&now->rows[i], threshold) != cause->is_wide)
            continue;
        if (count++ == 0) {
            char text[512];
            snprintf(
                text, sizeof text,
                "unclear in %u%s run%s one after the other: %s to tell a change of %g %%. %s; or "
                "ask for less with --threshold.",
                settings->nights, settings->only_new ? "" : " or more",
                bl_plural(settings->only_new ? settings->nights : 2), cause->why, 100 * threshold,
                cause->cure);
            bl_put_wrapped(stdout, text, 0, 0, view.width);
            putchar('\n');
        }
        print_row(&now->rows[i], &view);
    }
    return count;
}

enum bl_status bl_history_do_unjudged(struct bl_history *history,
                                      const struct bl_history_settings *settings,
                                      const struct bl_arguments *arguments, struct bl_error *error)
{
    struct bl_run_rows now = {0};
    size_t *counts = NULL;
    bool *told = NULL;
    const size_t nights = settings->nights;
    enum bl_status status = bl_run_read(arguments->words[0], &now, error);
    if (status == BL_OK) {
        counts = calloc(now.count, sizeof *counts);
        told = calloc(now.count, sizeof *told);
        if (!counts || !told)
            status = bl_fail(error, BL_NO_MEMORY, "no memory for %zu rows", now.count);
    }
    if (status == BL_OK) /* one more than asked for, to know which have it just now */
        status = bl_history_unjudged(history, &now, settings->runs, settings->change.threshold,
                                     nights + 1, counts, error);
    if (status == BL_OK) {
        for (size_t i = 0; i < now.count; i++)
            told[i] = settings->only_new ? counts[i] == nights : counts[i] >= nights;
        size_t count = 0;
        for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++)
            count += print_group(&now, told, &causes[i], settings);
        if (count == 0 && !settings->only_new)
            printf("none of %zu rows was unclear in %zu runs one after the other\n", now.count,
                   nights);
    }
    free(told);
    free(counts);
    bl_run_free(&now);
    return status;
}
