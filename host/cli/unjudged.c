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
     "Where they are noisy, more time per case makes them narrower ('bankline run --seconds 5', "
     "without --quick); else their placements in memory differ"},
    {false, "they differ too much from run to run",
     "A device that nobody else uses and fixed clocks make them alike"},
};

static bool is_told(const struct bl_history_settings *settings, size_t runs)
{
    return settings->only_new ? runs == settings->nights : runs >= settings->nights;
}

/* runs: in how many one after the other each row was unclear. Returns how many rows it named. */
static size_t print_group(const struct bl_run_rows *now, const size_t runs[],
                          const struct cause *cause, const struct bl_history_settings *settings)
{
    const struct bl_view view = bl_view_of_terminal(false);
    const double threshold = settings->change.threshold;
    size_t count = 0;
    for (size_t i = 0; i < now->count; i++) {
        if (!is_told(settings, runs[i]) || is_wide(&now->rows[i], threshold) != cause->is_wide)
            continue;
        if (count++ == 0) {
            char text[640];
            const char *more = settings->only_new ? "" : " or more";
            snprintf(text, sizeof text,
                     "unclear in %u%s consecutive run%s: %s to tell a change of %g %%. %s; "
                     "or ask for less with --threshold.",
                     settings->nights, more, bl_plural(*more ? 2 : settings->nights), cause->why,
                     100 * threshold, cause->cure);
            bl_put_wrapped(stdout, text, 0, 0, view.width);
            putchar('\n');
        }
        print_row(&now->rows[i], &view);
    }
    return count;
}

static void print_unjudged(const struct bl_run_rows *now, const size_t runs[],
                           const struct bl_history_settings *settings)
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++)
        count += print_group(now, runs, &causes[i], settings);
    if (count == 0 && !settings->only_new)
        printf("none of %zu rows was unclear in %u consecutive runs\n", now->count,
               settings->nights);
}

enum bl_status bl_history_do_unjudged(struct bl_history *history,
                                      const struct bl_history_settings *settings,
                                      const struct bl_arguments *arguments, struct bl_error *error)
{
    struct bl_run_rows now = {0};
    enum bl_status status = bl_run_read(arguments->words[0], &now, error);
    size_t *runs = calloc(now.count + 1, sizeof *runs);
    if (!runs) {
        bl_run_free(&now);
        return bl_fail(error, BL_NO_MEMORY, "no memory for the rows of %s", arguments->words[0]);
    }
    if (status == BL_OK) /* one more than asked for, to know which have it just now */
        status = bl_history_unjudged(history, &now, settings->runs, settings->change.threshold,
                                     settings->nights + 1, runs, error);
    if (status == BL_OK)
        print_unjudged(&now, runs, settings);
    free(runs);
    bl_run_free(&now);
    return status;
}
