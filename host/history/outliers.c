/* Compares cards, without a database. Finds cards that lack rows, cards whose ratio or time of a
 * row differs, and cards whose speed differs in most rows. */
#include "history/outliers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "measure/spread.h"
#include "measure/stats.h"

struct searching {
    struct bl_fleet *fleet;
    struct bl_fleet_value *values;
    size_t count;
    const struct bl_row_key *keys;
    char *const *asked; /* as in struct bl_fleet_values */
    const struct bl_outlier_search *search;
    struct bl_fleet_part *parts; /* one for each row of the fleet */
    double chance;               /* allowed probability of a false alarm, for each kind of
                                    comparison */
    double *scratch;             /* scratch memory for `count` numbers */
    double *speeds;              /* scratch memory: one number per card */
    struct bl_error *error;
};

/* The minimum number of values from which a limit is learnt. */
enum { ENOUGH_VALUES = 12 };

/* Learns from n distances the limit for `tests` distances: without any change, the probability that
 * at least one of them exceeds the limit is `chance`. Returns false if memory runs out. */
static bool reach_of(const double distances[], size_t n, size_t tests, double chance, double *limit)
{
    double *more = calloc(n, 2 * sizeof *more);
    struct bl_spread spread;
    const struct bl_spread_question question = {
        .n = n, .differences = distances, .errors = more, .tests = tests, .chance = chance};
    const bool has_memory = more && bl_spread_learn(&question, &spread, more + n);
    if (has_memory)
        *limit = bl_spread_limit(&spread, 0, spread.hidden);
    free(more);
    return has_memory;
}

static enum bl_status add(struct searching *searching, const struct bl_outlier *outlier)
{
    struct bl_fleet *fleet = searching->fleet;
    struct bl_outlier *added = bl_array_append(&fleet->outliers, &fleet->outlier_count,
                                               &fleet->outlier_capacity, sizeof *added);
    if (!added)
        return bl_fail(searching->error, BL_NO_MEMORY,
                       "out of memory while collecting %zu outliers", fleet->outlier_count + 1);
    *added = *outlier;
    return BL_OK;
}

/* Copies one member of each value, from value `first` to value `end` - 1, to `scratch`; `offset` is
 * the member's position in struct bl_fleet_value. Skips unknown members. Returns the number of
 * members copied. */
static size_t gather(struct searching *searching, size_t first, size_t end, size_t offset)
{
    size_t n = 0;
    for (size_t i = first; i < end; i++) {
        const double value =
            *(const double *)(const void *)((const char *)&searching->values[i] + offset);
        if (isfinite(value))
            searching->scratch[n++] = value;
    }
    return n;
}

/* The median of the members that `gather` copies; NAN if all members are unknown. */
static double median_of(struct searching *searching, size_t first, size_t end, size_t offset)
{
    const size_t n = gather(searching, first, end, offset);
    return n > 0 ? bl_median(searching->scratch, n) : (double)NAN;
}

/* The distance of a value from the median, divided by the spread. If the card was measured with a
 * larger error than usual, the spread is increased. */
static double spreads_of(const struct bl_usual *usual, double value, double error,
                         double usual_error)
{
    const double more = error > usual_error ? error * error - usual_error * usual_error : 0;
    const double sd = fmax(usual->sd, 1e-9);
    return fabs(value - usual->median) / sqrt(sd * sd + more);
}

/* The search for rows in which a card has no number although other cards of its model have a
 * number. */

/* A row is common if at least nine of ten cards that should have the row have it. */
static bool is_common(size_t cards, size_t of) { return 10 * cards >= 9 * of; }

/* The state of a card while missing rows are counted. Rows are numbered 1, 2, ... */
struct counted_card {
    size_t alike;         /* index of the first card that was asked for the same rows */
    size_t of_alike;      /* last row that any of these cards has; only in the first of them */
    size_t seen, lacked;  /* last row that the card has; last row that it lacks */
    size_t rows, missing; /* common rows that the card should have; how many of them it lacks */
};

static void find_alike(const struct searching *searching, struct counted_card cards[])
{
    for (size_t c = 0; searching->asked && c < searching->fleet->card_count; c++)
        while (strcmp(searching->asked[cards[c].alike], searching->asked[c]) != 0)
            cards[c].alike++;
}

/* Whether one of these requests asks for the case. */
static bool asks_for(const char *requests, const char *case_id)
{
    struct bl_run_info run;
    bool does = false;
    for (const char *end; *requests && !does; requests = end + (*end == '\n')) {
        end = requests + strcspn(requests, "\n");
        snprintf(run.asked_for, sizeof run.asked_for, "%.*s", (int)(end - requests), requests);
        does = bl_run_asked_for(&run, case_id, false);
    }
    return does;
}

/* Notes which cards of the model lack the row `number` although they should have it. Returns the
 * number of these cards. */
static size_t find_lacking(const struct searching *searching, size_t model, const char *case_id,
                           size_t number, struct counted_card cards[])
{
    size_t lacking = 0;
    for (size_t c = 0; c < searching->fleet->card_count; c++) {
        struct counted_card *card = &cards[c];
        if (searching->fleet->cards[c].model != model || card->seen == number ||
            (cards[card->alike].of_alike != number && searching->asked &&
             !asks_for(searching->asked[c], case_id)))
            continue;
        card->lacked = number;
        lacking++;
    }
    return lacking;
}

/* Counts each model's common rows and, of these, the rows that each card should have and the rows
 * that it lacks. */
static void count_missing(const struct searching *searching, struct counted_card cards[])
{
    const struct bl_fleet *fleet = searching->fleet;
    const struct bl_fleet_value *values = searching->values;
    for (size_t i = 0, end, number = 1; i < searching->count; i = end, number++) {
        const size_t model = values[i].model;
        size_t having = 0;
        for (end = i; end < searching->count && values[end].model == model &&
                      values[end].key == values[i].key;
             end++) {
            struct counted_card *card = &cards[values[end].card];
            having += card->seen != number;
            card->seen = cards[card->alike].of_alike = number;
        }
        if (having < BL_FEWEST_ALIKE ||
            !is_common(having, having + find_lacking(searching, model,
                                                     searching->keys[values[i].key].case_id, number,
                                                     cards)))
            continue;
        fleet->models[model].rows++;
        for (size_t c = 0; c < fleet->card_count; c++) {
            cards[c].rows += cards[c].seen == number || cards[c].lacked == number;
            cards[c].missing += cards[c].lacked == number;
        }
    }
}

static enum bl_status find_missing(struct searching *searching)
{
    struct bl_fleet *fleet = searching->fleet;
    enum bl_status status = BL_OK;
    struct counted_card *cards = calloc(fleet->card_count + 1, sizeof *cards);
    if (!cards)
        return bl_fail(searching->error, BL_NO_MEMORY,
                       "out of memory while counting the cards' missing rows");
    find_alike(searching, cards);
    count_missing(searching, cards);
    for (size_t c = 0; c < fleet->card_count && status == BL_OK; c++) {
        const double missing = (double)cards[c].missing, of = (double)cards[c].rows;
        const struct bl_outlier outlier = {.oddity = BL_ODD_MISSING,
                                           .card = c,
                                           .own = missing,
                                           .median = of,
                                           .by = -missing / of,
                                           .spreads = NAN};
        if (missing > 0)
            status = add(searching, &outlier);
    }
    free(cards);
    return status;
}

/* The search for slow and fast cards, by the median of each card's relative speeds in all rows. */

static int by_card(const void *left, const void *right)
{
    const struct bl_fleet_value *a = left, *b = right;
    return (a->card > b->card) - (a->card < b->card);
}

/* Computes each card's speed: the median of its relative speeds in all rows. Reorders the
 * values. */
static void find_speeds(struct searching *searching)
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
        /* A median over fewer than half of the model's rows says little about the card's speed. */
        if (timed > 0 && 2 * timed >= fleet->models[fleet->cards[card].model].rows)
            fleet->cards[card].speed =
                exp(median_of(searching, i, end, offsetof(struct bl_fleet_value, time)));
    }
}

static enum bl_status look_at_speeds(struct searching *searching, size_t model)
{
    struct bl_fleet *fleet = searching->fleet;
    size_t n = 0;
    for (size_t c = 0; c < fleet->card_count; c++)
        if (fleet->cards[c].model == model && isfinite(fleet->cards[c].speed))
            searching->speeds[n++] = log(fleet->cards[c].speed);
    if (n < BL_FEWEST_ALIKE)
        return BL_OK;
    double *const limit = &fleet->models[model].limit[BL_ODD_SPEED];
    const struct bl_usual usual = bl_usual_of(searching->speeds, n);
    *limit = bl_chance_limit(n, fleet->card_count, searching->chance / 3);
    for (size_t c = 0; c < n; c++)
        searching->speeds[c] = (searching->speeds[c] - usual.median) / fmax(usual.sd, 1e-9);
    if (n >= ENOUGH_VALUES &&
        !reach_of(searching->speeds, n, fleet->card_count, searching->chance, limit))
        return bl_fail(searching->error, BL_NO_MEMORY, "out of memory while comparing %zu cards",
                       n);
    enum bl_status status = BL_OK;
    for (size_t c = 0; c < fleet->card_count && status == BL_OK; c++) {
        const double own = log(fleet->cards[c].speed);
        const double spreads = spreads_of(&usual, own, 0, 0), by = expm1(own - usual.median);
        if (fleet->cards[c].model != model || !(spreads > *limit) ||
            !(fabs(by) >= searching->search->least_speed))
            continue;
        const struct bl_outlier outlier = {.oddity = BL_ODD_SPEED,
                                           .card = c,
                                           .own = fleet->cards[c].speed,
                                           .median = exp(usual.median),
                                           .by = by,
                                           .spreads = spreads};
        status = add(searching, &outlier);
    }
    return status;
}

/* Finds slow and fast cards. Each value's `time` must be the logarithm of the card's speed in the
 * row, relative to the row's median. Reorders the values. */
static enum bl_status find_slow(struct searching *searching)
{
    enum bl_status status = BL_OK;
    find_speeds(searching);
    for (size_t m = 0; m < searching->fleet->model_count && status == BL_OK; m++)
        status = look_at_speeds(searching, m);
    return status;
}

static int by_row(const void *left, const void *right)
{
    const struct bl_fleet_value *a = left, *b = right;
    if (a->model != b->model)
        return a->model < b->model ? -1 : 1;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    const int kernels = strcmp(a->kernels, b->kernels);
    if (kernels || a->card != b->card)
        return kernels ? kernels : a->card < b->card ? -1 : 1;
    return (a->run > b->run) - (a->run < b->run);
}

static bool is_same_row(const struct bl_fleet_value *a, const struct bl_fleet_value *b)
{
    return a->model == b->model && a->key == b->key && strcmp(a->kernels, b->kernels) == 0;
}

/* If several runs of a card have a row, keeps one value: the newest or, if search->since is set, a
 * value whose ratio, time and errors are the medians over these runs. */
static void merge_runs(struct searching *searching)
{
    struct bl_fleet_value *values = searching->values;
    size_t kept = 0;
    for (size_t i = 0, end; i < searching->count; i = end) {
        for (end = i + 1; end < searching->count && is_same_row(&values[i], &values[end]) &&
                          values[i].card == values[end].card;)
            end++;
        struct bl_fleet_value one = values[end - 1];
        if (end > i + 1 && searching->search->since) {
            double *const members[] = {&one.ratio, &one.error, &one.time, &one.time_error};
            for (size_t m = 0; m < sizeof members / sizeof members[0]; m++)
                *members[m] =
                    median_of(searching, i, end, (size_t)((char *)members[m] - (char *)&one));
        }
        values[kept++] = one;
    }
    searching->count = kept;
}

static enum bl_status take_row(struct searching *searching, size_t first, size_t end)
{
    struct bl_fleet *fleet = searching->fleet;
    const struct bl_fleet_value *value = &searching->values[first];
    const size_t at = fleet->row_count;
    struct bl_fleet_row *row =
        bl_array_append(&fleet->rows, &fleet->row_count, &fleet->row_capacity, sizeof *row);
    if (!row)
        return bl_fail(searching->error, BL_NO_MEMORY, "out of memory while collecting %zu rows",
                       at);
    *row = (struct bl_fleet_row){.model = value->model, .key = searching->keys[value->key]};
    memcpy(row->kernels, value->kernels, sizeof row->kernels);
    searching->parts[at] = (struct bl_fleet_part){.first = first, .end = end};
    return BL_OK;
}

/* A quantity that is compared across cards: the ratio of a row, or the time of its case. */
struct fleet_quantity {
    size_t value, error; /* offsets of the quantity and its error in a bl_fleet_value */
    enum bl_oddity oddity;
};

static const struct fleet_quantity RATIO = {offsetof(struct bl_fleet_value, ratio),
                                            offsetof(struct bl_fleet_value, error), BL_ODD_RATIO},
                                   TIME = {offsetof(struct bl_fleet_value, time),
                                           offsetof(struct bl_fleet_value, time_error),
                                           BL_ODD_TIME};

static double member(const struct bl_fleet_value *value, size_t offset)
{
    return *(const double *)(const void *)((const char *)value + offset);
}

/* Computes the typical values of each row, and its number of cards. */
static void find_usual(struct searching *searching)
{
    for (size_t i = 0; i < searching->fleet->row_count; i++) {
        struct bl_fleet_row *row = &searching->fleet->rows[i];
        struct bl_fleet_part *part = &searching->parts[i];
        const struct fleet_quantity *const quantities[] = {&RATIO, &TIME};
        for (unsigned q = 0; q < 2; q++) {
            part->cards[q] = gather(searching, part->first, part->end, quantities[q]->value);
            part->usual[q] = (struct bl_usual){NAN, NAN};
            if (part->cards[q] > 0)
                part->usual[q] = bl_usual_of(searching->scratch, part->cards[q]);
            part->error[q] = median_of(searching, part->first, part->end, quantities[q]->error);
        }
        row->cards = part->cards[0];
        row->ratio = exp(part->usual[0].median);
        row->ratio_spread = part->usual[0].sd;
        row->time_ns = exp(part->usual[1].median);
        row->time_spread = part->usual[1].sd;
    }
}

/* Raises each row's spread to at least the median spread of the model's rows, because a row's
 * spread over few cards may be too small by chance. */
static void pool_spreads(struct searching *searching, size_t model, unsigned q)
{
    struct bl_fleet *fleet = searching->fleet;
    size_t n = 0;
    for (size_t i = 0; i < fleet->row_count; i++)
        if (fleet->rows[i].model == model && searching->parts[i].cards[q] >= BL_FEWEST_ALIKE)
            searching->scratch[n++] = searching->parts[i].usual[q].sd;
    const double pooled = n > 0 ? bl_median(searching->scratch, n) : 0;
    for (size_t i = 0; i < fleet->row_count; i++)
        if (fleet->rows[i].model == model)
            searching->parts[i].usual[q].sd = fmax(searching->parts[i].usual[q].sd, pooled);
}

/* Learns the limit for the rows of a model: the distance from the median, in spreads, that chance
 * explains. */
static enum bl_status learn_limit(struct searching *searching, size_t model, unsigned q)
{
    struct bl_fleet *fleet = searching->fleet;
    const struct fleet_quantity *quantity = q == 0 ? &RATIO : &TIME;
    size_t n = 0;
    for (size_t i = 0; i < fleet->row_count; i++) {
        const struct bl_fleet_part *part = &searching->parts[i];
        if (fleet->rows[i].model != model || part->cards[q] < BL_FEWEST_ALIKE)
            continue;
        for (size_t k = part->first; k < part->end; k++) {
            const struct bl_fleet_value *value = &searching->values[k];
            if (isfinite(member(value, quantity->value)))
                searching->scratch[n++] =
                    spreads_of(&part->usual[q], member(value, quantity->value),
                               member(value, quantity->error), part->error[q]);
        }
    }
    double *limit = &fleet->models[model].limit[quantity->oddity];
    /* With few values only a gross outlier is certain, so their limit comes from Student's t. With
     * more values the limit is learnt, with three quarters of the allowed probability, because the
     * median and the spread of a few cards are uncertain. In simulations with heavy tails and
     * fleets of 8 or 32 cards, a healthy card is then reported in about 1 of 100 fleets. */
    *limit = bl_chance_limit(n, searching->count, searching->chance);
    if (n < ENOUGH_VALUES)
        return BL_OK;
    return reach_of(searching->scratch, n, searching->count, 0.75 * searching->chance, limit)
               ? BL_OK
               : bl_fail(searching->error, BL_NO_MEMORY, "out of memory while comparing %zu values",
                         n);
}

static enum bl_status find_odd(struct searching *searching, size_t at, unsigned q)
{
    const struct bl_fleet_part *part = &searching->parts[at];
    const struct fleet_quantity *quantity = q == 0 ? &RATIO : &TIME;
    const struct bl_usual *usual = &part->usual[q];
    const double limit =
        searching->fleet->models[searching->fleet->rows[at].model].limit[quantity->oddity];
    enum bl_status status = BL_OK;
    for (size_t i = part->first; i < part->end && status == BL_OK; i++) {
        const struct bl_fleet_value *value = &searching->values[i];
        const double own = member(value, quantity->value);
        const double spreads =
            spreads_of(usual, own, member(value, quantity->error), part->error[q]);
        const double off = q == 1 ? usual->median - own : own - usual->median;
        searching->fleet->cards[value->card].is_compared |= isfinite(limit) != 0;
        if (!(spreads > limit) || !(fabs(expm1(off)) >= searching->search->least))
            continue;
        const struct bl_outlier outlier = {.oddity = quantity->oddity,
                                           .card = value->card,
                                           .row = at,
                                           .own = exp(own),
                                           .median = exp(usual->median),
                                           .by = expm1(off),
                                           .own_speed = part->usual[1].median - value->time,
                                           .spreads = spreads};
        status = add(searching, &outlier);
    }
    return status;
}

static enum bl_status look_at_rows(struct searching *searching)
{
    struct bl_fleet *fleet = searching->fleet;
    const unsigned quantities = searching->search->absolute ? 2 : 1;
    enum bl_status status = BL_OK;
    for (size_t m = 0; m < fleet->model_count && status == BL_OK; m++)
        for (unsigned q = 0; q < quantities && status == BL_OK; q++) {
            pool_spreads(searching, m, q);
            status = learn_limit(searching, m, q);
        }
    for (size_t i = 0; i < fleet->row_count && status == BL_OK; i++) {
        const struct bl_fleet_part *part = &searching->parts[i];
        for (unsigned q = 0; q < quantities && status == BL_OK; q++)
            if (part->cards[q] >= BL_FEWEST_ALIKE)
                status = find_odd(searching, i, q);
        /* From here on, `time` is the logarithm of the card's speed in this row, relative to the
         * row's median. */
        for (size_t k = part->first; k < part->end; k++)
            searching->values[k].time = part->cards[1] >= 2
                                            ? part->usual[1].median - searching->values[k].time
                                            : (double)NAN;
    }
    return status;
}

/* Divides the allowed probability of a false alarm equally among the kinds of comparisons: ratios,
 * speeds and, with --absolute, times. The part of a kind is for all comparisons of that kind
 * together. Also initializes the limits of all models. */
static void set_chance(struct searching *searching)
{
    struct bl_fleet *fleet = searching->fleet;
    searching->chance = BL_FALSE_ALARMS / (searching->search->absolute ? 3 : 2);
    for (size_t m = 0; m < fleet->model_count; m++)
        for (unsigned oddity = 0; oddity <= BL_ODD_ABSENT; oddity++)
            fleet->models[m].limit[oddity] =
                oddity < BL_ODD_MISSING ? (double)INFINITY : (double)NAN;
}

/* Marks outliers whose ratio differs only because the baseline's time differs: the case takes as
 * long as on the other cards, apart from the card's general speed. */
static void find_baselines(struct bl_fleet *fleet)
{
    for (size_t i = 0; i < fleet->outlier_count; i++) {
        struct bl_outlier *outlier = &fleet->outliers[i];
        const double speed = fleet->cards[outlier->card].speed;
        outlier->is_baseline = outlier->oddity == BL_ODD_RATIO &&
                               fabs(outlier->own_speed - (isfinite(speed) ? log(speed) : 0)) <
                                   fabs(log1p(outlier->by)) / 2;
    }
}

/* Drops outliers whose time differs only because of the card's speed. The speed itself is reported
 * once. */
static void drop_explained(struct bl_fleet *fleet)
{
    static const double alike = 0.03;
    size_t kept = 0;
    for (size_t i = 0; i < fleet->outlier_count; i++) {
        const struct bl_outlier outlier = fleet->outliers[i];
        bool is_explained = false;
        for (size_t k = 0; k < fleet->outlier_count && outlier.oddity == BL_ODD_TIME; k++)
            is_explained |= fleet->outliers[k].oddity == BL_ODD_SPEED &&
                            fleet->outliers[k].card == outlier.card &&
                            fabs(fleet->outliers[k].by - outlier.by) < alike;
        if (!is_explained)
            fleet->outliers[kept++] = outlier;
    }
    fleet->outlier_count = kept;
}

/* The order of outliers: the card with the largest difference comes first; within a card, its speed
 * comes first, then the largest differences. */
static int by_worst(const void *left, const void *right, void *context)
{
    const struct bl_outlier *a = left, *b = right;
    const double *worst = context;
    if (a->card != b->card)
        return worst[a->card] != worst[b->card] ? (worst[a->card] < worst[b->card] ? 1 : -1)
               : a->card < b->card              ? -1
                                                : 1;
    if ((a->oddity == BL_ODD_SPEED) != (b->oddity == BL_ODD_SPEED))
        return a->oddity == BL_ODD_SPEED ? -1 : 1;
    return (fabs(a->by) < fabs(b->by)) - (fabs(a->by) > fabs(b->by));
}

static void sort_outliers(struct searching *searching)
{
    struct bl_fleet *fleet = searching->fleet;
    drop_explained(fleet);
    memset(searching->speeds, 0, fleet->card_count * sizeof(double));
    for (size_t i = 0; i < fleet->outlier_count; i++) {
        double *worst = &searching->speeds[fleet->outliers[i].card];
        *worst = fmax(*worst, fabs(fleet->outliers[i].by));
    }
    if (fleet->outlier_count > 0)
        qsort_r(fleet->outliers, fleet->outlier_count, sizeof *fleet->outliers, by_worst,
                searching->speeds);
}

enum bl_status bl_fleet_search(struct bl_fleet *fleet, const struct bl_fleet_values *given,
                               const struct bl_outlier_search *search, struct bl_error *error)
{
    struct bl_fleet_value *const values = given->all;
    const size_t count = given->count;
    struct searching searching = {.fleet = fleet,
                                  .values = values,
                                  .count = count,
                                  .keys = given->keys,
                                  .asked = given->asked,
                                  .search = search,
                                  .error = error};
    fleet->least = search->least;
    fleet->least_speed = search->least_speed;
    searching.scratch = calloc(count + 1, sizeof(double));
    searching.speeds = calloc(fleet->card_count + 1, sizeof(double));
    searching.parts = calloc(count + 1, sizeof *searching.parts);
    enum bl_status status = BL_OK;
    if (!searching.scratch || !searching.speeds || !searching.parts)
        status = bl_fail(error, BL_NO_MEMORY, "out of memory while comparing %zu values", count);
    if (status == BL_OK) {
        if (count > 0)
            qsort(values, count, sizeof *values, by_row);
        merge_runs(&searching);
        set_chance(&searching);
        status = find_missing(&searching);
    }
    for (size_t i = 0, end; i < searching.count && status == BL_OK; i = end) {
        for (end = i + 1; end < searching.count && is_same_row(&values[i], &values[end]);)
            end++;
        status = take_row(&searching, i, end);
    }
    if (status == BL_OK) {
        find_usual(&searching);
        status = bl_fleet_find_groups(fleet, values, searching.parts, error);
    }
    if (status == BL_OK) {
        find_usual(&searching); /* again, because the differences between groups are now
                                   subtracted */
        status = look_at_rows(&searching);
    }
    if (status == BL_OK)
        status = find_slow(&searching);
    if (status == BL_OK) {
        find_baselines(fleet);
        sort_outliers(&searching);
    }
    free(searching.scratch);
    free(searching.speeds);
    free(searching.parts);
    return status;
}
