/* Rows that the other cards of a model have, and a card has no number of. */
#include <math.h>
#include <stdlib.h>

#include "history/outliers_inside.h"

/* A row is one of the others' where nine of ten cards have it. */
static bool is_common(size_t cards, size_t of) { return 10 * cards >= 9 * of; }

/* For each card, in how many of its model's common rows it has no number; and how many these are.
 * seen: zeros, room for each card. */
static void count_missing(const struct bl_outlier_searching *searching, size_t seen[],
                          size_t missing[], size_t rows[])
{
    const struct bl_fleet *fleet = searching->fleet;
    const struct bl_fleet_value *values = searching->values;
    for (size_t i = 0, end, number = 1; i < searching->count; i = end, number++) {
        const size_t model = values[i].model;
        size_t cards = 0;
        for (end = i; end < searching->count && values[end].model == model &&
                      values[end].key == values[i].key;
             end++) {
            cards += seen[values[end].card] != number;
            seen[values[end].card] = number;
        }
        if (cards < BL_FEWEST_ALIKE || !is_common(cards, fleet->models[model].cards))
            continue;
        rows[model]++;
        for (size_t c = 0; c < fleet->card_count; c++)
            missing[c] += fleet->cards[c].model == model && seen[c] != number;
    }
}

enum bl_status bl_outliers_missing(struct bl_outlier_searching *searching)
{
    struct bl_fleet *fleet = searching->fleet;
    const size_t cards = fleet->card_count;
    enum bl_status status = BL_OK;
    size_t *numbers = calloc(2 * cards + fleet->model_count + 1, sizeof *numbers);
    if (!numbers)
        return bl_fail(searching->error, BL_NO_MEMORY, "no memory for the cards");
    size_t *missing = numbers + cards, *rows = missing + cards;
    count_missing(searching, numbers, missing, rows);
    for (size_t m = 0; m < fleet->model_count; m++)
        fleet->models[m].rows = rows[m];
    for (size_t c = 0; c < cards && status == BL_OK; c++) {
        const double of = (double)rows[fleet->cards[c].model];
        const struct bl_outlier outlier = {.oddity = BL_ODD_MISSING,
                                           .card = c,
                                           .own = (double)missing[c],
                                           .median = of,
                                           .by = -(double)missing[c] / of,
                                           .spreads = NAN};
        if (missing[c] > 0)
            status = bl_outlier_add(searching, &outlier);
    }
    free(numbers);
    return status;
}
