/* The sentences about outliers and groups, which all formats share, and the fleet's table on the
 * terminal.
 */
#include "report/fleet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "measure/stats.h"
#include "report/layout.h"
#include "report/sink.h"

const char *bl_oddity_name(enum bl_oddity oddity)
{
    static const char *const names[] = {"ratio", "speed", "time", "missing", "absent"};
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
                 outlier->is_since_first ? ", in all of its comparable runs since %s"
                                         : ", since %s",
                 outlier->since);
    if (outlier->oddity == BL_ODD_MISSING) {
        snprintf(text, BL_OUTLIER_TEXT,
                 "it has no number in %.0f of the %.0f rows that the other cards have%s",
                 outlier->own, outlier->median,
                 outlier->median < (double)fleet->models[card->model].rows
                     ? " and that it was asked for"
                     : "");
    } else if (outlier->oddity == BL_ODD_ABSENT) {
        snprintf(
            text, BL_OUTLIER_TEXT,
            "it has no run now, but had runs in %.0f nights of the week before, the last on %s",
            outlier->own, card->run.time_utc);
    } else if (outlier->oddity == BL_ODD_SPEED) {
        snprintf(text, BL_OUTLIER_TEXT,
                 "its rows are %.1f %% %s (median) with unchanged ratios (%.1f spreads of %zu "
                 "cards): check its clock and power%s",
                 100 * fabs(outlier->by), word, outlier->spreads, fleet->models[card->model].cards,
                 since);
    } else {
        const struct bl_fleet_row *row = &fleet->rows[outlier->row];
        const bool is_time = outlier->oddity == BL_ODD_TIME;
        const char *quantity = is_time ? "its own time is" : "its ratio is",
                   *unit = is_time ? " ns" : "";
        snprintf(text, BL_OUTLIER_TEXT,
                 "%.200s %s: %s %.4g%s, the median of %zu cards %.4g%s: %.1f %% %s, %.1f "
                 "spreads%s%s",
                 row->key.case_id, row->key.shape, quantity, outlier->own, unit, row->cards,
                 outlier->median, unit, 100 * fabs(outlier->by), word, outlier->spreads,
                 !outlier->is_baseline ? ""
                 : outlier->by < 0     ? "; the row is as fast as on the other cards, but its "
                                         "baseline is faster"
                                       : "; the row is as fast as on the other cards, but its "
                                         "baseline is slower",
                 since);
    }
    return text;
}

const char *bl_fleet_groups_text(const struct bl_fleet *fleet, const struct bl_fleet_groups *groups,
                                 char text[BL_GROUPS_TEXT])
{
    snprintf(text, BL_GROUPS_TEXT,
             "two groups of cards of %s, %zu and %zu cards, differ in %zu of %zu rows, by %+.1f %% "
             "(median); %s%s",
             fleet->models[groups->model].device, groups->cards[0], groups->cards[1], groups->rows,
             groups->of_rows, 100 * groups->by,
             *groups->what ? "they also differ in "
                           : "the runs record no other difference between them",
             groups->what);
    return text;
}

const char *bl_fleet_why_not_compared(const struct bl_fleet *fleet, size_t card)
{
    if (fleet->cards[card].is_compared)
        return NULL;
    for (size_t i = 0; i < fleet->outlier_count; i++)
        if (fleet->outliers[i].card == card)
            return NULL;
    return fleet->models[fleet->cards[card].model].cards < BL_FEWEST_ALIKE
               ? "fewer than four cards have its model and driver"
               : "fewer than four cards have its rows with the same kernels";
}

void bl_fleet_free(struct bl_fleet *fleet)
{
    free(fleet->models);
    free(fleet->cards);
    free(fleet->rows);
    free(fleet->outliers);
    free(fleet->groups);
    *fleet = (struct bl_fleet){0};
}

/* The table of a fleet: the typical value of each row, and the cards that differ. */

static const struct bl_layout_column columns[] = {
    {.name = "case", .width = 26, .min_width = 16},
    {.name = "shape", .width = 7},
    {.name = "type", .width = 6, .rank = 2},
    {.name = "cards", .width = 6, .is_right = true},
    {.name = "ratio", .width = 8, .is_right = true},
    {.name = "spread", .width = 8, .is_right = true},
    {.name = "of time", .width = 8, .rank = 1, .is_right = true},
};

/* The maximum number of differences to list for one card. */
enum { MAX_OF_CARD = 4 };

static void print_rows(struct bl_sink *sink, const struct bl_fleet *fleet, size_t model)
{
    const struct bl_layout layout =
        bl_layout_for(columns, sizeof columns / sizeof columns[0], sink->view->width);
    bl_layout_heading(&layout, sink->stream);
    for (size_t i = 0; i < fleet->row_count; i++) {
        const struct bl_fleet_row *row = &fleet->rows[i];
        char numbers[4][24] = {"", "", "", ""};
        if (row->model != model)
            continue;
        snprintf(numbers[0], sizeof numbers[0], "%zu", row->cards);
        snprintf(numbers[1], sizeof numbers[1], "%.4f", row->ratio);
        snprintf(numbers[2], sizeof numbers[2], "%.2f %%", 100 * row->ratio_spread);
        if (isfinite(row->time_spread))
            snprintf(numbers[3], sizeof numbers[3], "%.2f %%", 100 * row->time_spread);
        const char *const cells[] = {row->key.case_id, row->key.shape, row->key.type, numbers[0],
                                     numbers[1],       numbers[2],     numbers[3]};
        bl_layout_row(&layout, sink->stream, cells);
    }
}

static void print_card(struct bl_sink *sink, const struct bl_run_info *run, const char *colour)
{
    fputs(colour, sink->stream);
    bl_print(sink->stream, "%s", *run->device_id ? run->device_id : "no device_id");
    fputs(*colour ? BL_COLOUR_END : "", sink->stream);
    bl_print(sink->stream, ", %s on %s, run %s", run->device, run->host, run->run_id);
}

static void print_outliers(struct bl_sink *sink, const struct bl_fleet *fleet)
{
    size_t card = fleet->card_count, of_card = 0;
    for (size_t i = 0; i < fleet->outlier_count; i++) {
        const struct bl_outlier *outlier = &fleet->outliers[i];
        char text[BL_OUTLIER_TEXT];
        if (outlier->card != card) {
            card = outlier->card;
            of_card = 0;
            print_card(sink, &fleet->cards[card].run, sink->view->colour ? BL_RED : "");
            fputc('\n', sink->stream);
        }
        if (of_card++ < MAX_OF_CARD) {
            fputs("    ", sink->stream);
            bl_put_paragraph(sink->stream, 4, 4, sink->view->width, "%s",
                             bl_outlier_text(fleet, outlier, text));
        }
        const bool is_last = i + 1 == fleet->outlier_count || fleet->outliers[i + 1].card != card;
        if (is_last && of_card > MAX_OF_CARD)
            fprintf(sink->stream, "    and %zu more\n", of_card - MAX_OF_CARD);
    }
}

static void print_model(struct bl_sink *sink, const struct bl_fleet *fleet, size_t m)
{
    const struct bl_fleet_model *model = &fleet->models[m];
    const bool is_comparable = isfinite(model->limit[BL_ODD_RATIO]);
    size_t rows = 0;
    for (size_t i = 0; i < fleet->row_count; i++)
        rows += fleet->rows[i].model == m;
    bl_say(sink, "%s, driver %s: %zu card%s, %zu row%s", model->device, model->driver, model->cards,
           bl_plural(model->cards), rows, bl_plural(rows));
    if (!sink->view->quiet && model->cards >= BL_FEWEST_ALIKE)
        print_rows(sink, fleet, m);
    if (!is_comparable)
        bl_say(sink, "too few cards to find outliers: four are needed, and more to find small "
                     "differences");
    else if (!sink->view->quiet)
        bl_say(sink,
               "a card is named if a ratio differs from the median by %.1f spreads and %g %% or "
               "more, or its speed by %.1f spreads and %g %% or more; chance alone names a card in "
               "one healthy fleet of 100",
               model->limit[BL_ODD_RATIO], 100 * fleet->least, model->limit[BL_ODD_SPEED],
               100 * fleet->least_speed);
    if (!sink->view->quiet)
        fputc('\n', sink->stream);
}

/* Names the cards that could not be compared. */
static void print_not_compared(struct bl_sink *sink, const struct bl_fleet *fleet)
{
    for (size_t c = 0; c < fleet->card_count; c++) {
        const char *why = bl_fleet_why_not_compared(fleet, c);
        if (!why)
            continue;
        print_card(sink, &fleet->cards[c].run, "");
        fprintf(sink->stream, "\n    could not be compared: %s\n", why);
    }
}

static void print_left_out(struct bl_sink *sink, const struct bl_fleet *fleet)
{
    if (fleet->future_runs > 0)
        bl_say(sink,
               "%zu run%s dated in the future and therefore left out: a clock is "
               "wrong",
               fleet->future_runs, fleet->future_runs == 1 ? " is" : "s are");
    if (fleet->nameless_runs > 0)
        bl_say(sink, "%zu run%s no device_id: runs of one host count as one card",
               fleet->nameless_runs, fleet->nameless_runs == 1 ? " has" : "s have");
}

enum bl_status bl_fleet_table(struct bl_sink *sink, const struct bl_fleet *fleet)
{
    size_t odd = 0, not_compared = 0;
    for (size_t i = 0; i < fleet->outlier_count; i++)
        odd += i == 0 || fleet->outliers[i].card != fleet->outliers[i - 1].card;
    for (size_t c = 0; c < fleet->card_count; c++)
        not_compared += bl_fleet_why_not_compared(fleet, c) != NULL;
    if (sink->view->quiet && !odd && !not_compared && !fleet->group_count && !fleet->future_runs &&
        !fleet->nameless_runs)
        return BL_OK;
    for (size_t m = 0; m < fleet->model_count; m++)
        print_model(sink, fleet, m);
    char text[BL_GROUPS_TEXT];
    for (size_t i = 0; i < fleet->group_count; i++)
        bl_say(sink, "%s", bl_fleet_groups_text(fleet, &fleet->groups[i], text));
    print_outliers(sink, fleet);
    print_not_compared(sink, fleet);
    print_left_out(sink, fleet);
    char left[48] = "";
    if (not_compared > 0)
        snprintf(left, sizeof left, "; %zu could not be compared", not_compared);
    bl_say(sink, "%zu of %zu card%s differ%s from the others (%s to %s)%s", odd, fleet->card_count,
           bl_plural(fleet->card_count), odd == 1 ? "s" : "", fleet->first, fleet->last, left);
    return BL_OK;
}
