/* The table of a fleet: what is usual of each row, and the cards that differ. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "measure/outliers.h"
#include "report/layout.h"
#include "report/table.h"
#include "report/words.h"

enum column { CASE, SHAPE, TYPE, CARDS, MEDIAN, SPREAD, TIME, COLUMN_COUNT };

static const struct bl_layout_column columns[COLUMN_COUNT] = {
    [CASE] = {.name = "case", .width = 26, .min_width = 16},
    [SHAPE] = {.name = "shape", .width = 7},
    [TYPE] = {.name = "type", .width = 6, .rank = 2},
    [CARDS] = {.name = "cards", .width = 6, .is_right = true},
    [MEDIAN] = {.name = "ratio", .width = 8, .is_right = true},
    [SPREAD] = {.name = "spread", .width = 8, .is_right = true},
    [TIME] = {.name = "of time", .width = 8, .rank = 1, .is_right = true},
};

/* What most of a terminal's lines show of one card. */
enum { MOST_OF_CARD = 4 };

static void print_rows(struct bl_sink *sink, const struct bl_fleet *fleet, size_t model)
{
    const struct bl_layout layout = bl_layout_for(columns, COLUMN_COUNT, sink->view->width);
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
        const char *const cells[COLUMN_COUNT] = {
            [CASE] = row->key.case_id, [SHAPE] = row->key.shape, [TYPE] = row->key.type,
            [CARDS] = numbers[0],      [MEDIAN] = numbers[1],    [SPREAD] = numbers[2],
            [TIME] = numbers[3]};
        bl_layout_row(&layout, sink->stream, cells);
    }
}

static void print_wrapped(struct bl_sink *sink, unsigned indent, const char *text)
{
    fprintf(sink->stream, "%*s", (int)indent, "");
    bl_put_wrapped(sink->stream, text, indent, indent, sink->view->width);
    fputc('\n', sink->stream);
}

static void print_outliers(struct bl_sink *sink, const struct bl_fleet *fleet)
{
    const char *red = sink->view->colour ? BL_RED : "", *end = *red ? BL_COLOUR_END : "";
    size_t card = fleet->card_count, of_card = 0;
    for (size_t i = 0; i < fleet->outlier_count; i++) {
        const struct bl_outlier *outlier = &fleet->outliers[i];
        const struct bl_run_info *run = &fleet->cards[outlier->card].run;
        char text[BL_OUTLIER_TEXT];
        if (outlier->card != card) {
            card = outlier->card;
            of_card = 0;
            fprintf(sink->stream, "%s%s%s, %s on %s, run %s\n", red,
                    *run->device_id ? run->device_id : "no device_id", end, run->device, run->host,
                    run->run_id);
        }
        if (of_card++ < MOST_OF_CARD)
            print_wrapped(sink, 4, bl_outlier_text(fleet, outlier, text));
        const bool is_last = i + 1 == fleet->outlier_count || fleet->outliers[i + 1].card != card;
        if (is_last && of_card > MOST_OF_CARD)
            fprintf(sink->stream, "    and %zu more\n", of_card - MOST_OF_CARD);
    }
}

static void print_model(struct bl_sink *sink, const struct bl_fleet *fleet, size_t m)
{
    const struct bl_fleet_model *model = &fleet->models[m];
    char text[512];
    size_t rows = 0;
    for (size_t i = 0; i < fleet->row_count; i++)
        rows += fleet->rows[i].model == m;
    snprintf(text, sizeof text, "%s, driver %s: %zu card%s, %zu row%s", model->device,
             model->driver, model->cards, bl_plural(model->cards), rows, bl_plural(rows));
    print_wrapped(sink, 0, text);
    if (!sink->view->quiet && model->cards >= BL_FEWEST_ALIKE)
        print_rows(sink, fleet, m);
    if (!isfinite(model->limit[BL_ODD_RATIO]))
        snprintf(text, sizeof text,
                 "too few cards to say which is the odd one: it takes four, and more the smaller "
                 "the difference");
    else
        snprintf(text, sizeof text,
                 "named are cards from %.1f spreads off in a ratio, or %.1f in their speed, and at "
                 "least %g %%: chance alone names a card in one healthy fleet of 100",
                 model->limit[BL_ODD_RATIO], model->limit[BL_ODD_SPEED], 100 * fleet->least);
    if (!sink->view->quiet || !isfinite(model->limit[BL_ODD_RATIO]))
        print_wrapped(sink, 0, text);
    if (!sink->view->quiet)
        fputc('\n', sink->stream);
}

/* Whether nothing need be said where no card differs. */
static bool is_plain(const struct bl_fleet *fleet)
{
    bool is = fleet->outlier_count == 0 && fleet->future_runs == 0 && fleet->nameless_runs == 0;
    for (size_t m = 0; m < fleet->model_count; m++)
        is &= isfinite(fleet->models[m].limit[BL_ODD_RATIO]) != 0;
    return is;
}

static void print_left_out(struct bl_sink *sink, const struct bl_fleet *fleet)
{
    char text[256];
    if (fleet->future_runs > 0) {
        snprintf(text, sizeof text, "%zu run%s of the future left out: a clock is wrong",
                 fleet->future_runs, fleet->future_runs == 1 ? " is" : "s are");
        print_wrapped(sink, 0, text);
    }
    if (fleet->nameless_runs > 0) {
        snprintf(text, sizeof text,
                 "%zu run%s no device_id: those of a host are taken for one card's",
                 fleet->nameless_runs, fleet->nameless_runs == 1 ? " has" : "s have");
        print_wrapped(sink, 0, text);
    }
}

enum bl_status bl_table_fleet(struct bl_sink *sink, const struct bl_fleet *fleet,
                              struct bl_error *error)
{
    (void)error;
    if (sink->view->quiet && is_plain(fleet))
        return BL_OK;
    for (size_t m = 0; m < fleet->model_count; m++)
        print_model(sink, fleet, m);
    print_outliers(sink, fleet);
    print_left_out(sink, fleet);
    size_t odd = 0, unjudged = 0;
    for (size_t i = 0; i < fleet->outlier_count; i++)
        odd += i == 0 || fleet->outliers[i].card != fleet->outliers[i - 1].card;
    for (size_t m = 0; m < fleet->model_count; m++)
        if (!isfinite(fleet->models[m].limit[BL_ODD_RATIO]))
            unjudged += fleet->models[m].cards;
    fprintf(sink->stream, "%zu of %zu card%s differ%s from the others (%s to %s)", odd,
            fleet->card_count, bl_plural(fleet->card_count), odd == 1 ? "s" : "", fleet->first,
            fleet->last);
    if (unjudged > 0)
        fprintf(sink->stream, "; %zu could not be compared", unjudged);
    fputc('\n', sink->stream);
    return BL_OK;
}
