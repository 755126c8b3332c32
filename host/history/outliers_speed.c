/* The speed of a card: what its own times have in common. */
#include <math.h>
#include <stdlib.h>

#include "history/outliers_inside.h"

static int by_card(const void *left, const void *right)
{
    const struct bl_fleet_value *a = left, *b = right;
    return (a->card > b->card) - (a->card < b->card);
}

/* The median over its rows, of each card. */
static void find_speeds(struct bl_outlier_searching *searching)
{
    struct bl_fleet *fleet = searching->fleet;
    for (size_t c = 0; c < fleet->card_count; c++)
        fleet->cards[c].speed = NAN;
    if (searching->count > 0)
        qsort(searching->values, searching->count, sizeof *searching->values, by_card);
    for (size_t i = 0, end; i < searching->count; i = end) {
        const size_t card = searching->values[i].card;
        for (end = i + 1; end < searching->count && searching->values[end].card == card;)
            end++;
        size_t timed = 0;
        for (size_t k = i; k < end; k++)
            timed += isfinite(searching->values[k].time) != 0;
        /* Of a few of the rows the median says little of a card. */
        if (timed > 0 && 2 * timed >= fleet->models[fleet->cards[card].model].rows)
            fleet->cards[card].speed =
                exp(bl_outlier_median(searching, i, end, offsetof(struct bl_fleet_value, time)));
    }
}

static enum bl_status look_at_speeds(struct bl_outlier_searching *searching, size_t model)
{
    struct bl_fleet *fleet = searching->fleet;
    size_t n = 0;
    for (size_t c = 0; c < fleet->card_count; c++)
        if (fleet->cards[c].model == model && isfinite(fleet->cards[c].speed))
            searching->speeds[n++] = log(fleet->cards[c].speed);
    if (n < BL_FEWEST_ALIKE)
        return BL_OK;
    const struct bl_usual usual = bl_usual_of(searching->speeds, n);
    fleet->models[model].limit[BL_ODD_SPEED] =
        bl_chance_limit(n, fleet->card_count, searching->chance);
    enum bl_status status = BL_OK;
    for (size_t c = 0; c < fleet->card_count && status == BL_OK; c++) {
        const double own = log(fleet->cards[c].speed);
        const double spreads = bl_outlier_spreads(&usual, own, 0, 0),
                     by = expm1(own - usual.median);
        if (fleet->cards[c].model != model ||
            !(spreads > fleet->models[model].limit[BL_ODD_SPEED]) ||
            !(fabs(by) >= searching->search->least))
            continue;
        const struct bl_outlier outlier = {.oddity = BL_ODD_SPEED,
                                           .card = c,
                                           .own = fleet->cards[c].speed,
                                           .median = exp(usual.median),
                                           .by = by,
                                           .spreads = spreads};
        status = bl_outlier_add(searching, &outlier);
    }
    return status;
}

enum bl_status bl_outliers_speed(struct bl_outlier_searching *searching)
{
    enum bl_status status = BL_OK;
    find_speeds(searching);
    for (size_t m = 0; m < searching->fleet->model_count && status == BL_OK; m++)
        status = look_at_speeds(searching, m);
    return status;
}
