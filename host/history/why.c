/* Questions about one run: whether time went backwards, since when, and whether other cards show
 * the same. */
#include "history/why.h"

#include <stdio.h>
#include <string.h>

#include "history/outliers.h"
#include "history/statements.h"

static enum bl_status keep_time(void *context, const struct bl_run_info *run, size_t rows,
                                size_t without_number, struct bl_error *error)
{
    (void)rows;
    (void)without_number;
    (void)error;
    snprintf(context, 64, "%s", run->time_utc);
    return BL_OK;
}

enum bl_status bl_history_later_run(struct bl_history *history, const struct bl_run_info *now,
                                    char later[64], struct bl_error *error)
{
    const char *const texts[] = {now->device, now->run_id, now->device_id, NULL};
    later[0] = '\0';
    const enum bl_status status = bl_history_each_run(
        history,
        "SELECT 0, 0{run:, [@]} FROM run WHERE ifnull(device, '') = ?1 AND run_id <> ?2 AND "
        "(?3 = '' OR ifnull(device_id, '') IN ('', ?3)) AND "
        "id < ifnull((SELECT id FROM run WHERE run_id = ?2), 9223372036854775807) "
        "ORDER BY id DESC LIMIT 1",
        texts, keep_time, later, error);
    if (strcmp(later, now->time_utc) <= 0)
        later[0] = '\0';
    return status;
}

struct asking {
    double threshold;
    struct bl_row_since *since;
};

static enum bl_status find_since(void *context, const struct bl_series *series,
                                 struct bl_error *error)
{
    (void)error;
    const struct asking *asking = context;
    bool has_number = false;
    for (size_t i = 0; i < series->count; i++)
        has_number |= bl_row_has_number(&series->points[i]);
    if (!has_number)
        return BL_OK;
    const struct bl_since since = bl_since_of(series->points, series->count, asking->threshold, 1);
    if (since.first == 0)
        return BL_OK;
    snprintf(asking->since->first, sizeof asking->since->first, "%s",
             series->runs[since.first].time_utc);
    asking->since->runs = series->count - since.first;
    asking->since->before = series->runs[since.first - 1];
    return BL_OK;
}

enum bl_status bl_history_row_since(struct bl_history *history, const struct bl_run_info *now,
                                    const struct bl_row_key *key, double threshold,
                                    struct bl_row_since *since, struct bl_error *error)
{
    struct asking asking = {threshold, since};
    *since = (struct bl_row_since){0};
    return bl_history_series_of_card(history, now, key, find_since, &asking, error);
}

enum bl_status bl_history_is_odd_card(struct bl_history *history, const struct bl_run_info *now,
                                      const char *const cases[], size_t count, bool *is_odd,
                                      size_t *cards, struct bl_error *error)
{
    const struct bl_outlier_search search = {
        .selectors = cases, .selector_count = count, .least = 0.02, .least_speed = 0.05};
    struct bl_fleet fleet;
    const enum bl_status status = bl_history_outliers(history, &search, &fleet, error);
    *is_odd = false;
    *cards = 0;
    for (size_t i = 0; i < fleet.outlier_count && status == BL_OK && *now->device_id; i++) {
        const struct bl_fleet_card *card = &fleet.cards[fleet.outliers[i].card];
        if (strcmp(card->run.device_id, now->device_id) != 0 || fleet.outliers[i].by >= 0)
            continue;
        *is_odd = true;
        *cards = fleet.models[card->model].cards;
    }
    bl_fleet_free(&fleet);
    return status;
}
