#include "report/fleet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/layout.h"

const char *bl_oddity_name(enum bl_oddity oddity)
{
    static const char *const names[] = {"ratio", "speed", "time", "missing"};
    return names[oddity];
}

const struct bl_fleet_row *bl_outlier_row(const struct bl_fleet *fleet,
                                          const struct bl_outlier *outlier)
{
    return outlier->oddity == BL_ODD_RATIO || outlier->oddity == BL_ODD_TIME
               ? &fleet->rows[outlier->row]
               : NULL;
}

const char *bl_outlier_text(const struct bl_fleet *fleet, const struct bl_outlier *outlier,
                            char text[BL_OUTLIER_TEXT])
{
    const struct bl_fleet_card *card = &fleet->cards[outlier->card];
    const char *word = outlier->by < 0 ? "slower" : "faster";
    char since[64] = "";
    if (outlier->since[0])
        snprintf(since, sizeof since,
                 outlier->is_since_first ? ", in all of its runs, since %s" : ", since %s",
                 outlier->since);
    if (outlier->oddity == BL_ODD_MISSING) {
        snprintf(text, BL_OUTLIER_TEXT,
                 "it has no number in %.0f of the %.0f rows that the other cards have",
                 outlier->own, outlier->median);
        return text;
    }
    if (outlier->oddity == BL_ODD_SPEED) {
        snprintf(text, BL_OUTLIER_TEXT,
                 "all its rows alike are %.1f %% %s, while their ratios hold (%.1f spreads of %zu "
                 "cards): look at its clock and power%s",
                 100 * fabs(outlier->by), word, outlier->spreads, fleet->models[card->model].cards,
                 since);
        return text;
    }
    const struct bl_fleet_row *row = &fleet->rows[outlier->row];
    const bool is_time = outlier->oddity == BL_ODD_TIME;
    snprintf(text, BL_OUTLIER_TEXT,
             "%.200s %s: %s %.4g%s, where %zu cards have %.4g%s: %.1f %% %s, %.1f spreads%s",
             row->key.case_id, row->key.shape, is_time ? "its own time is" : "its ratio is",
             outlier->own, is_time ? " ns" : "", row->cards, outlier->median, is_time ? " ns" : "",
             100 * fabs(outlier->by), word, outlier->spreads, since);
    return text;
}

void bl_fleet_free(struct bl_fleet *fleet)
{
    free(fleet->models);
    free(fleet->cards);
    free(fleet->rows);
    free(fleet->outliers);
    *fleet = (struct bl_fleet){0};
}
