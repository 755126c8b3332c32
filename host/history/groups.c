/* Finds models whose cards form two groups. For example, if half of the cards have newer firmware,
 * these cards form a group and are not outliers. */
#include "history/outliers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"

enum { MIN_OF_GROUP = 3, MIN_ROWS = 3, MAX_SPLITS = 32 };

/* A split of a model's cards into two groups, and the rows in which the cards split in this way. */
struct split {
    unsigned char *is_second; /* for each card its group, 0 or 1; NOT_THERE if the card has no
                                 value */
    size_t rows, cards[2];
    double *by; /* for each of the `rows` rows, the distance between the groups, a logarithm */
};

enum { NOT_THERE = 2 };

struct grouping {
    struct bl_fleet *fleet;
    struct bl_fleet_value *values;
    const struct bl_fleet_part *parts;
    struct split splits[MAX_SPLITS];
    size_t split_count;
    size_t *split_of;         /* for each row, the index of its split; SIZE_MAX if the row shows no
                                 split */
    unsigned char *is_second; /* as in struct split, but for the current row */
    const struct bl_fleet_value **sorted;
    double *scratch;
    struct bl_error *error;
};

static int by_ratio(const void *left, const void *right)
{
    const struct bl_fleet_value *const *a = left, *const *b = right;
    return ((*a)->ratio > (*b)->ratio) - ((*a)->ratio < (*b)->ratio);
}

static struct bl_usual usual_of(struct grouping *grouping, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        grouping->scratch[i - first] = grouping->sorted[i]->ratio;
    return bl_usual_of(grouping->scratch, end - first);
}

/* The smallest distance between the groups, a logarithm, with which a row counts: half of
 * fleet->least. Noise brings groups that differ by `least` closer together in every second row;
 * with the whole of it, half of their rows would not count. Chance is excluded by the limits that
 * are multiples of the spread. */
static double smallest_distance(const struct bl_fleet *fleet) { return log1p(fleet->least) / 2; }

/* Finds the widest gap between neighbours among n cards, which are sorted by the row's ratio.
 * Returns the number of cards below the gap, or 0 if the two groups are not distinct. Groups are
 * distinct if the gap is wider than the larger of the groups' spreads, and if their medians differ
 * by more than `far` times that spread and by at least smallest_distance. Each group has at least
 * a fifth of the cards, and at least MIN_OF_GROUP. *by receives the distance between the medians.
 */
static size_t find_gap(struct grouping *grouping, size_t n, double *by)
{
    static const double far = 6;
    const size_t fewest = n / 5 > MIN_OF_GROUP ? n / 5 : MIN_OF_GROUP;
    size_t at = 0;
    double widest = 0;
    for (size_t i = fewest; i + fewest <= n; i++) {
        const double gap = grouping->sorted[i]->ratio - grouping->sorted[i - 1]->ratio;
        if (gap > widest) {
            widest = gap;
            at = i;
        }
    }
    if (at == 0)
        return 0;
    const struct bl_usual low = usual_of(grouping, 0, at), high = usual_of(grouping, at, n);
    *by = high.median - low.median;
    return *by >= smallest_distance(grouping->fleet) && *by > far * fmax(low.sd, high.sd) &&
                   widest > fmax(low.sd, high.sd)
               ? at
               : 0;
}

/* Whether two splits have the same groups, except for at most one card in ten, which may be an
 * outlier in one of the rows. *is_reversed receives whether group 0 of one split is group 1 of the
 * other. */
static bool is_same(const unsigned char one[], const unsigned char other[], size_t cards,
                    bool *is_reversed)
{
    size_t same = 0, both = 0;
    for (size_t c = 0; c < cards; c++) {
        const bool are_there = one[c] != NOT_THERE && other[c] != NOT_THERE;
        both += are_there;
        same += are_there && one[c] == other[c];
    }
    *is_reversed = 2 * same < both;
    return both > 0 && 10 * (*is_reversed ? same : both - same) <= both;
}

static enum bl_status keep_split(struct grouping *grouping, size_t row, double by)
{
    const size_t cards = grouping->fleet->card_count;
    bool is_reversed = false;
    size_t s = 0;
    while (s < grouping->split_count &&
           !is_same(grouping->splits[s].is_second, grouping->is_second, cards, &is_reversed))
        s++;
    if (s == MAX_SPLITS)
        return BL_OK;
    struct split *split = &grouping->splits[s];
    if (s == grouping->split_count) {
        split->is_second = malloc(cards + 1);
        split->by = calloc(grouping->fleet->row_count + 1, sizeof(double));
        grouping->split_count++;
        if (!split->is_second || !split->by)
            return bl_fail(grouping->error, BL_NO_MEMORY,
                           "out of memory while looking for groups of cards");
        memcpy(split->is_second, grouping->is_second, cards);
        for (size_t c = 0; c < cards; c++)
            if (split->is_second[c] != NOT_THERE)
                split->cards[split->is_second[c]]++;
    }
    split->by[split->rows++] = is_reversed ? -by : by;
    grouping->split_of[row] = s;
    return BL_OK;
}

static enum bl_status look_at_row(struct grouping *grouping, size_t row)
{
    const struct bl_fleet_part *part = &grouping->parts[row];
    const size_t n = part->end - part->first;
    double by;
    for (size_t i = 0; i < n; i++)
        grouping->sorted[i] = &grouping->values[part->first + i];
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): the elements are pointers */
    qsort(grouping->sorted, n, sizeof *grouping->sorted, by_ratio);
    const size_t below = find_gap(grouping, n, &by);
    if (below == 0)
        return BL_OK;
    memset(grouping->is_second, NOT_THERE, grouping->fleet->card_count);
    for (size_t i = 0; i < n; i++)
        grouping->is_second[grouping->sorted[i]->card] = i >= below;
    return keep_split(grouping, row, by);
}

/* Shifts the ratios of each group of a row so that the group's median is the median of all cards:
 * the groups' difference is reported separately, and must not make cards outliers. */
static void join_groups(const struct grouping *grouping, size_t row, const struct split *split)
{
    const struct bl_fleet_part *part = &grouping->parts[row];
    double medians[2] = {0, 0};
    for (unsigned side = 0; side < 2; side++) {
        size_t n = 0;
        for (size_t i = part->first; i < part->end; i++)
            if (split->is_second[grouping->values[i].card] == side)
                grouping->scratch[n++] = grouping->values[i].ratio;
        medians[side] = n > 0 ? bl_median(grouping->scratch, n) : part->usual[0].median;
    }
    for (size_t i = part->first; i < part->end; i++) {
        struct bl_fleet_value *value = &grouping->values[i];
        const unsigned side = split->is_second[value->card];
        if (side != NOT_THERE)
            value->ratio += part->usual[0].median - medians[side];
    }
}

/* Lists the distinct values of a column in a group of cards. Returns false if the values do not
 * describe the group: if there are too many values, if a value is unknown, or if every card has a
 * different value. */
static bool list_values(const struct bl_fleet *fleet, const struct split *split, unsigned side,
                        const struct bl_column *column, char text[100])
{
    enum { LISTED = 3 };
    static const struct bl_row no_row;
    char seen[LISTED][BL_COLUMN_BUFFER];
    size_t count = 0;
    *text = '\0';
    for (size_t c = 0; c < fleet->card_count; c++) {
        char buffer[BL_COLUMN_BUFFER];
        if (split->is_second[c] != side)
            continue;
        const char *value = bl_column_text(column, &fleet->cards[c].run, &no_row, buffer);
        size_t k = 0;
        while (k < count && strncmp(seen[k], value, BL_COLUMN_BUFFER - 1) != 0)
            k++;
        if (k < count)
            continue;
        if (count == LISTED || !*value)
            return false;
        snprintf(seen[count++], BL_COLUMN_BUFFER, "%s", value);
        bl_text_add(text, 100, "%s%s", count > 1 ? ", " : "", value);
    }
    return count > 0 && count < split->cards[side];
}

static bool shares_value(const struct bl_fleet *fleet, const struct split *split,
                         const struct bl_column *column)
{
    static const struct bl_row no_row;
    for (size_t a = 0; a < fleet->card_count; a++)
        for (size_t b = 0; split->is_second[a] == 0 && b < fleet->card_count; b++) {
            char one[BL_COLUMN_BUFFER], other[BL_COLUMN_BUFFER];
            if (split->is_second[b] == 1 &&
                strcmp(bl_column_text(column, &fleet->cards[a].run, &no_row, one),
                       bl_column_text(column, &fleet->cards[b].run, &no_row, other)) == 0)
                return true;
        }
    return false;
}

/* Finds columns of the runs, such as os or host, in which the two groups differ, too. */
static void explain(const struct bl_fleet *fleet, const struct split *split, char what[256])
{
    static const char *const says_nothing[] = {"schema", "run_id", "time_utc", "device_id",
                                               "asked_for"};
    for (size_t i = 0; i < BL_COLUMN_COUNT; i++) {
        const struct bl_column *column = &bl_columns[i];
        char first[100], second[100];
        bool counts = column->owner == BL_COLUMN_OF_RUN;
        for (size_t k = 0; k < sizeof says_nothing / sizeof says_nothing[0]; k++)
            counts &= strcmp(column->name, says_nothing[k]) != 0;
        if (counts && list_values(fleet, split, 0, column, first) &&
            list_values(fleet, split, 1, column, second) && !shares_value(fleet, split, column))
            bl_text_add(what, 256, "%s%s %s / %s", *what ? "; " : "", column->name, first, second);
    }
}

static enum bl_status add_groups(struct bl_fleet *fleet, const struct bl_fleet_groups *found,
                                 struct bl_error *error)
{
    struct bl_fleet_groups *added =
        bl_array_append(&fleet->groups, &fleet->group_count, &fleet->group_capacity, sizeof *added);
    if (!added)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while looking for groups of cards");
    *added = *found;
    return BL_OK;
}

static size_t rows_of(const struct bl_fleet *fleet, size_t model)
{
    size_t rows = 0;
    for (size_t i = 0; i < fleet->row_count; i++)
        rows += fleet->rows[i].model == model;
    return rows;
}

static bool are_many(size_t rows, size_t of) { return rows >= MIN_ROWS && 20 * rows >= of; }

static enum bl_status find_in_model(struct grouping *grouping, size_t model)
{
    struct bl_fleet *fleet = grouping->fleet;
    enum bl_status status = BL_OK;
    grouping->split_count = 0;
    for (size_t i = 0; i < fleet->row_count && status == BL_OK; i++) {
        grouping->split_of[i] = SIZE_MAX;
        if (fleet->rows[i].model == model)
            status = look_at_row(grouping, i);
    }
    for (size_t s = 0; s < grouping->split_count; s++) {
        struct split *split = &grouping->splits[s];
        struct bl_fleet_groups found = {.model = model,
                                        .cards = {split->cards[0], split->cards[1]},
                                        .rows = split->rows,
                                        .of_rows = rows_of(fleet, model)};
        if (status == BL_OK && are_many(found.rows, found.of_rows)) {
            found.by = expm1(bl_median(split->by, split->rows));
            explain(fleet, split, found.what);
            status = add_groups(fleet, &found, grouping->error);
            for (size_t i = 0; i < fleet->row_count; i++)
                if (grouping->split_of[i] == s)
                    join_groups(grouping, i, split);
        }
        free(split->is_second);
        free(split->by);
        *split = (struct split){0};
    }
    return status;
}

/* Compares two models that are the same device with different drivers. Reports their difference if
 * many rows differ. */
static enum bl_status compare_drivers(struct grouping *grouping, size_t one, size_t other)
{
    struct bl_fleet *fleet = grouping->fleet;
    const struct bl_fleet_model *models = fleet->models;
    struct bl_fleet_groups found = {.model = one,
                                    .cards = {models[one].cards, models[other].cards}};
    for (size_t i = 0; i < fleet->row_count; i++)
        for (size_t k = 0; fleet->rows[i].model == one && k < fleet->row_count; k++) {
            const struct bl_fleet_row *a = &fleet->rows[i], *b = &fleet->rows[k];
            if (b->model != other || strcmp(a->kernels, b->kernels) != 0 ||
                bl_row_key_compare(&a->key, &b->key) != 0 || a->cards < MIN_OF_GROUP ||
                b->cards < MIN_OF_GROUP)
                continue;
            const double by = log(b->ratio) - log(a->ratio);
            const double error = hypot(a->ratio_spread / sqrt((double)a->cards),
                                       b->ratio_spread / sqrt((double)b->cards));
            found.of_rows++;
            if (fabs(by) >= smallest_distance(fleet) && fabs(by) > 6 * error)
                grouping->scratch[found.rows++] = by;
        }
    if (!are_many(found.rows, found.of_rows))
        return BL_OK;
    found.by = expm1(bl_median(grouping->scratch, found.rows));
    snprintf(found.what, sizeof found.what, "driver %.100s / %.100s", models[one].driver,
             models[other].driver);
    return add_groups(fleet, &found, grouping->error);
}

enum bl_status bl_fleet_find_groups(struct bl_fleet *fleet, struct bl_fleet_value values[],
                                    const struct bl_fleet_part parts[], struct bl_error *error)
{
    size_t widest = fleet->row_count;
    for (size_t i = 0; i < fleet->row_count; i++)
        widest = parts[i].end - parts[i].first > widest ? parts[i].end - parts[i].first : widest;
    struct grouping grouping = {.fleet = fleet, .values = values, .parts = parts, .error = error};
    grouping.split_of = calloc(fleet->row_count + 1, sizeof(size_t));
    grouping.is_second = malloc(fleet->card_count + 1);
    grouping.sorted = calloc(widest + 1, sizeof(const struct bl_fleet_value *));
    grouping.scratch = calloc(widest + 1, sizeof(double));
    enum bl_status status =
        grouping.split_of && grouping.is_second && grouping.sorted && grouping.scratch
            ? BL_OK
            : bl_fail(error, BL_NO_MEMORY, "out of memory while looking for groups of cards");
    for (size_t m = 0; m < fleet->model_count && status == BL_OK; m++) {
        for (size_t n = m + 1; n < fleet->model_count && status == BL_OK; n++)
            if (strcmp(fleet->models[m].device, fleet->models[n].device) == 0)
                status = compare_drivers(&grouping, m, n);
        if (status == BL_OK)
            status = find_in_model(&grouping, m);
    }
    free(grouping.split_of);
    free(grouping.is_second);
    free(grouping.sorted);
    free(grouping.scratch);
    return status;
}
