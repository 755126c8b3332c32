/* Prints what `try` shows before it measures: pictures of requests, what limits them, and means.
 * Also draws the picture of --requests. */
#include "cli/try_view.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page/request_picture.h"
#include "report/layout.h"
#include "report/row.h"

/* Pictures of requests as text: a row of letters for its lines, and rows of digits (letters from 10
 * on) for its banks and passes. */

enum { LANES_A_ROW = 32 };

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";

/* The mark with this number; '+' if there are too few marks. */
static char mark(const char marks[], unsigned number)
{
    return number < strlen(marks) ? marks[number] : '+';
}

/* Fills in each lane's line, numbered in order of first appearance. */
static void name_lines(const struct bl_machine *machine, const struct bl_request *request,
                       char cells[BL_MAX_LANES])
{
    unsigned numbers[BL_MAX_LANES], count = 0;
    for (unsigned lane = 0; lane < request->lanes; lane++) {
        const uint64_t line = request->addresses_bytes[lane] / machine->line_bytes;
        numbers[lane] = count;
        for (unsigned before = 0; before < lane && numbers[lane] == count; before++)
            if (request->addresses_bytes[before] / machine->line_bytes == line)
                numbers[lane] = numbers[before];
        count += numbers[lane] == count;
        cells[lane] = mark(letters, numbers[lane]);
    }
}

/* Fills in each lane's bank and pass: the bank of the lane's first word, and the pass in which the
 * bank delivers that word. A bank delivers its words in the order of the lanes. All lanes that
 * are served together and access the same word get it in the same pass. */
static void name_banks(const struct bl_machine *machine, const struct bl_request *request,
                       char banks[BL_MAX_LANES], char passes[BL_MAX_LANES])
{
    const unsigned at_once = bl_lanes_at_once(machine, request);
    unsigned pass_of[BL_MAX_LANES], first_pass = 0, part = 0;
    for (unsigned lane = 0; lane < request->lanes; lane++) {
        const uint64_t word = request->addresses_bytes[lane] / machine->bank_bytes;
        const unsigned own_part = lane / at_once;
        if (own_part != part) { /* the banks serve at_once lanes together; the next lanes begin
                                   after the last pass of these */
            for (unsigned before = 0; before < lane; before++)
                first_pass = pass_of[before] > first_pass ? pass_of[before] : first_pass;
            part = own_part;
        }
        pass_of[lane] = first_pass + 1;
        for (unsigned before = 0; before < lane; before++) {
            const uint64_t other = request->addresses_bytes[before] / machine->bank_bytes;
            if (before / at_once != part || other % machine->banks != word % machine->banks)
                continue;
            if (other == word) {
                pass_of[lane] = pass_of[before];
                break;
            }
            if (pass_of[before] >= pass_of[lane])
                pass_of[lane] = pass_of[before] + 1;
        }
        banks[lane] = mark(digits, (unsigned)(word % machine->banks));
        passes[lane] = mark(digits, pass_of[lane]);
    }
}

/* Whether the banks of the machine's local memory serve the request. */
static bool has_banks(const struct bl_machine *machine, enum bl_memory memory)
{
    return memory == BL_MEMORY_LOCAL || machine->banks_serve_global;
}

static void draw_row(FILE *file, const char *name, const char cells[], unsigned first,
                     unsigned lanes)
{
    fprintf(file, "  %s", name);
    for (unsigned lane = first; lane < lanes && lane < first + LANES_A_ROW; lane++)
        fprintf(file, " %c", cells[lane]);
    fputc('\n', file);
}

void bl_picture(FILE *file, const struct bl_machine *machine, const struct bl_request *request)
{
    struct bl_cost cost;
    if (bl_cost_of(machine, request, &cost) != BL_OK)
        return;
    char lines[BL_MAX_LANES], banks[BL_MAX_LANES], passes[BL_MAX_LANES];
    name_lines(machine, request, lines);
    name_banks(machine, request, banks, passes);
    for (unsigned first = 0; first < request->lanes; first += LANES_A_ROW) {
        fputs("  lane", file);
        for (unsigned lane = first; lane < request->lanes && lane < first + LANES_A_ROW; lane += 8)
            fprintf(file, " %-15u", lane);
        fputc('\n', file);
        if (cost.lines)
            draw_row(file, "line", lines, first, request->lanes);
        if (cost.bank_passes && has_banks(machine, request->memory)) {
            draw_row(file, "bank", banks, first, request->lanes);
            draw_row(file, "pass", passes, first, request->lanes);
        }
    }
}

void bl_picture_legend(FILE *file, const struct bl_machine *machine, enum bl_memory memory,
                       unsigned width)
{
    bl_put_paragraph(
        file, 0, 0, width, "%s%s",
        memory == BL_MEMORY_LOCAL ? "" : "line: lanes with the same letter share a cache line. ",
        has_banks(machine, memory)
            ? "bank: the bank of a lane's first word. pass: the clock in which the bank delivers "
              "that word; lanes with the same bank in different passes are in conflict."
            : "");
    fputc('\n', file);
}

/* What `try` prints and draws. */

/* Prints a paragraph. Unless `indent` is 0, the first line is indented by `indent` blanks, and the
 * other lines by two more. */
__attribute__((format(printf, 3, 4))) static void print(FILE *file, unsigned indent,
                                                        const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(file, "%*s", (int)indent, "");
    bl_put_wrapped(file, text, indent, indent ? indent + 2 : 0, bl_line_width(file));
    fputs(indent ? "\n" : "\n\n", file); /* a paragraph without indent is followed by a blank
                                            line */
}

/* Prints what limits a request, and the fixes, by the rules of the compute unit's cache. If the
 * request has no cost in that cache (some writes cost only at the next levels), the gains are for
 * the way out of the compute unit. */
static void print_explanation(FILE *file, const struct bl_machine *machine,
                              const struct bl_mean_cost *cost, enum bl_memory memory,
                              const struct bl_pattern_explanation *explained, const char *index)
{
    const bool is_cached = memory == BL_MEMORY_GLOBAL && *machine->cache_name;
    const char *in = is_cached ? " in " : "", *cache = is_cached ? machine->cache_name : "";
    if (explained->first_item > 0)
        print(file, 2, "the costliest request, of work-items %zu to %zu", explained->first_item,
              explained->first_item + explained->lanes - 1);
    print(file, 2, "limited by  %s", explained->limit);
    if (!isfinite(cost->clocks)) { /* predictions for the next levels are printed below */
        in = " on the way out of ";
        cache = "the compute unit";
    }
    for (unsigned i = 0; i < explained->fixes.count; i++) {
        const struct bl_fix *fix = &explained->fixes.all[i];
        char changed[BL_LONGEST_EXPRESSION + 1];
        print(file, 2, "%s  %s: %.3g times as fast%s%s, by the model",
              i == 0 ? "would help" : "or, better", fix->words, fix->gain, in, cache);
        if (bl_fix_index(fix, index, changed, sizeof changed))
            print(file, 2, "   index  %s", changed);
    }
    if (*explained->why_no_fix)
        print(file, 2, "no advice  %s", explained->why_no_fix);
}

/* Draws the costliest request of trial i, and prints what limits it and the fix. */
static enum bl_status draw(FILE *file, const struct bl_trying *trying, size_t i,
                           struct bl_error *error)
{
    const struct bl_trial *trial = &trying->trials.all[i];
    const struct bl_machine *machine = trying->run->bench.machine;
    struct bl_costliest costliest;
    const enum bl_status status = bl_try_costliest(trying, i, &costliest, error);
    if (status != BL_OK)
        return status;
    bl_print(file, "%s\n", bl_trial_name(trial));
    if (strcmp(bl_trial_name(trial), trial->try.expression.text) != 0)
        bl_print(file, "  %s\n", trial->try.expression.text);
    bl_picture(file, machine, &costliest.request);
    print_explanation(file, machine, &trying->run->items[i].own.cost, costliest.request.memory,
                      &costliest.explained, trial->try.expression.text);
    fputc('\n', file);
    return BL_OK;
}

/* The right-hand columns of a table of expressions: means per request ("lines" to "clocks") and the
 * predicted ratio. `widen` increases the widths. */
enum { MEAN_CELLS = 6 };
static const struct bl_layout_column mean_columns[MEAN_CELLS] = {
    {.name = "lines", .rank = 1, .is_right = true},
    {.name = "sectors", .rank = 3, .is_right = true},
    {.name = "tags", .rank = 2, .is_right = true},
    {.name = "banks", .is_right = true},
    {.name = "clocks", .width = 6, .is_right = true},
    {.name = "predicted", .width = 9},
};

static void mean_cells(const struct bl_mean_cost *cost, double predicted,
                       char texts[MEAN_CELLS][16], const char *cells[MEAN_CELLS])
{
    const double means[MEAN_CELLS - 1] = {cost->lines, cost->sectors, cost->tag_passes,
                                          cost->bank_passes, cost->clocks};
    for (unsigned i = 0; i < MEAN_CELLS; i++)
        cells[i] = texts[i];
    for (unsigned i = 0; i < MEAN_CELLS - 1; i++)
        snprintf(texts[i], 16, isfinite(means[i]) ? "%.2f" : "-", means[i]);
    bl_format_ratio(predicted, texts[MEAN_CELLS - 1]);
}

/* Widens the columns so that these cells of a row and the columns' names fit. */
static void widen(struct bl_layout_column columns[], size_t count, const char *const cells[])
{
    enum { MAX_CELL = 72 }; /* a longer cell shifts the cells to its right */
    for (size_t i = 0; i < count; i++) {
        const unsigned cell = bl_text_width(cells[i]), name = bl_text_width(columns[i].name);
        const unsigned width = cell < name ? name : cell < MAX_CELL ? cell : MAX_CELL;
        columns[i].width = width > columns[i].width ? width : columns[i].width;
    }
}

/* Prints a sentence if the machine has no rule or is not the device's. Returns false if the machine
 * has no rule. */
static bool print_machine(FILE *file, const struct bl_bench *bench, bool has_device)
{
    const struct bl_machine *machine = bench->machine;
    const struct bl_device *device = bench->device;
    if (!machine->has_rule)
        print(file, 0,
              "Machine %s has no predictions: %s. To see predictions by another machine's rule, "
              "use for example --machine nvidia-hopper.",
              machine->name, machine->why_no_rule);
    else if (has_device && strcmp(machine->name, bl_device_machine(device)->name) != 0)
        print(file, 0, "Predictions are for machine %s; this device, %s, is machine %s.",
              machine->name, device->name, bl_device_machine(device)->name);
    return machine->has_rule;
}

/* Draws every expression that can run. The run must be planned from the trials. Returns BL_OK or
 * BL_NO_MEMORY. If there is no rule for the accesses, says so and returns BL_BAD_MACHINE. */
static enum bl_status draw_all(FILE *file, const struct bl_trying *trying, struct bl_error *error)
{
    const struct bl_run *run = trying->run;
    const struct bl_machine *machine = run->bench.machine;
    const enum bl_memory memory = trying->setup.memory;
    for (size_t i = 0; i < run->count; i++) {
        if (run->items[i].status != BL_ROW_OK)
            continue;
        const enum bl_status status = draw(file, trying, i, error);
        if (status == BL_BAD_MACHINE) {
            const char *why = bl_why_no_cost(machine, memory, false);
            const bool is_told = why == bl_banks_are_unknown || why == machine->why_no_global_rule;
            print(file, 0, "Machine %s has no rule for such accesses of %s memory%s%s.",
                  machine->name, bl_memory_name(memory), is_told ? ": " : "", is_told ? why : "");
        }
        if (status != BL_OK)
            return status;
    }
    bl_picture_legend(file, machine, memory, bl_line_width(file));
    return BL_OK;
}

/* If the limit is not 0, prints that groups of this shape can only be predicted. */
static void print_group_limit(FILE *file, const char *machine, const char *shape, unsigned limit)
{
    if (limit > 0)
        print(file, 0,
              "A group of %s can only be predicted: the devices that machine %s describes run "
              "groups of at most %u work-items.",
              shape, machine, limit);
}

/* Prints why expressions have no prediction; skips a reason that equals the one printed before.
 * Returns false if all expressions have a prediction. */
static bool print_reasons(FILE *file, const struct bl_trying *trying)
{
    const struct bl_plan_item *items = trying->run->items;
    const char *last = NULL;
    for (size_t i = 0; i < trying->run->count; i++) {
        const char *why = bl_why_no_prediction(&items[i]);
        if (items[i].status != BL_ROW_OK || !why || (last && strcmp(why, last) == 0))
            continue;
        if (!last)
            fputc('\n', file);
        print(file, 0, "%s: no prediction: %s", bl_trial_name(&trying->trials.all[i]), why);
        last = why;
    }
    return last;
}

/* Prints a row for each expression that can run, and one for the contiguous access. */
static void print_table(FILE *file, const struct bl_trying *trying)
{
    enum { COLUMNS = 1 + MEAN_CELLS };
    const struct bl_run *run = trying->run;
    struct bl_layout_column columns[COLUMNS] = {
        {.name = "means over all requests", .min_width = 12}};
    memcpy(columns + 1, mean_columns, sizeof mean_columns);
    struct bl_layout layout = {0};
    for (int is_printed = 0; is_printed < 2; is_printed++) {
        for (size_t i = 0; i <= run->count; i++) {
            const bool is_own = i < run->count;
            const struct bl_plan_item *item = &run->items[is_own ? i : 0];
            char texts[MEAN_CELLS][16];
            const char *cells[COLUMNS] = {is_own ? bl_trial_name(&trying->trials.all[i])
                                                 : "contiguous"};
            if (is_own && item->status != BL_ROW_OK)
                continue;
            mean_cells(is_own ? &item->own.cost : &item->baseline.cost,
                       is_own ? bl_planned_row(item, run->bench.machine).predicted : 1, texts,
                       cells + 1);
            if (is_printed)
                bl_layout_row(&layout, file, cells);
            else
                widen(columns, COLUMNS, cells);
        }
        if (!is_printed) {
            layout = bl_layout_for(columns, COLUMNS, bl_line_width(file));
            bl_layout_heading(&layout, file);
        }
    }
}

static void print_means_of_all(FILE *file, const struct bl_trying *trying)
{
    const struct bl_run *run = trying->run;
    const struct bl_try_setup *setup = &trying->setup;
    const struct bl_machine *machine = run->bench.machine;
    print(file, 0, "machine %s: %s of %s in %s memory, groups of %ux%u, ids over %ux%u groups",
          machine->name, setup->is_write ? "writes" : "reads", setup->type.name,
          bl_memory_name(setup->memory), setup->shape.x, setup->shape.y, setup->groups.x,
          setup->groups.y);
    char shape[24];
    snprintf(shape, sizeof shape, "%ux%u", setup->shape.x, setup->shape.y);
    print_group_limit(file, machine->name, shape, bl_try_group_limit(machine, setup->shape));
    print_table(file, trying);
}

enum bl_status bl_try_print(FILE *file, const struct bl_trying *trying, bool has_device,
                            bool is_brief, struct bl_error *error)
{
    if (!print_machine(file, &trying->run->bench, has_device))
        return BL_OK;
    const enum bl_status status = is_brief ? BL_OK : draw_all(file, trying, error);
    if (status != BL_OK)
        return status == BL_BAD_MACHINE ? BL_OK : status;
    print_means_of_all(file, trying);
    const bool has_reasons = print_reasons(file, trying);
    if (is_brief)
        return BL_OK;
    if (!has_reasons)
        fputc('\n', file);
    print(file, 0,
          "tags: lines that the busiest tag bank looks up; banks: words that the busiest bank "
          "delivers; clocks: the largest of tags, banks and, for writes, the clocks that sectors "
          "take; predicted: clocks of the contiguous access divided by clocks of the pattern.");
    return BL_OK;
}

/* Finds the requests to draw, and adds their number to *count, which is 0 at first. */
static enum bl_status find_requests(const struct bl_trying *trying, struct bl_costliest drawn[],
                                    struct bl_drawn_request requests[], size_t *count,
                                    struct bl_error *error)
{
    const struct bl_run *run = trying->run;
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < run->count && status == BL_OK; i++) {
        if (run->items[i].status != BL_ROW_OK)
            continue;
        if (*count == BL_MOST_TRY_REQUESTS)
            return bl_fail(error, BL_USAGE, "--requests draws at most %d expressions",
                           (int)BL_MOST_TRY_REQUESTS);
        struct bl_costliest *one = &drawn[*count];
        status = bl_try_costliest(trying, i, one, error);
        requests[(*count)++] =
            (struct bl_drawn_request){bl_trial_name(&trying->trials.all[i]), &one->request};
    }
    return status;
}

enum bl_status bl_try_requests_svg(FILE *file, const struct bl_trying *trying,
                                   struct bl_error *error)
{
    struct bl_drawn_request requests[BL_MOST_TRY_REQUESTS];
    size_t count = 0;
    struct bl_costliest *drawn = calloc(BL_MOST_TRY_REQUESTS, sizeof *drawn);
    if (!drawn)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while drawing the picture");
    enum bl_status status = find_requests(trying, drawn, requests, &count, error);
    const struct bl_machine *machine = trying->run->bench.machine;
    if (status == BL_OK)
        status = bl_requests_svg(file, machine, requests, count, error);
    else if (status == BL_BAD_MACHINE)
        bl_fail(error, status, "--requests: machine %s has no rule for such accesses",
                machine->name);
    free(drawn);
    return status;
}

/* The table of points. The pictures of points are in try_picture.c. */

enum { MACHINE, SHAPE, NAME, MEANS, COLUMNS = MEANS + MEAN_CELLS };

/* Whether this point, or any other point of its machine, has a prediction. */
static bool has_predictions(const struct bl_try_points *points, const struct bl_try_point *point)
{
    bool has = !point->why;
    for (size_t i = 0; i < points->count && !has; i++)
        has = !points->all[i].why && strcmp(points->all[i].machine, point->machine) == 0;
    return has;
}

/* Prints why predictions are missing, and which groups are too large for every device of a machine.
 * Prints each sentence once, even if it is true for many points. */
static void print_remarks(FILE *file, const struct bl_try_points *points)
{
    const unsigned width = bl_line_width(file);
    bool has_blank_line = false;
    for (size_t i = 0; i < points->count; i++) {
        const struct bl_try_point *point = &points->all[i];
        bool is_first_why = point->why, is_first_limit = point->group_limit > 0;
        for (size_t k = 0; k < i && (is_first_why || is_first_limit); k++) {
            const struct bl_try_point *other = &points->all[k];
            if (strcmp(other->machine, point->machine) != 0)
                continue;
            is_first_why = is_first_why && (!other->why || strcmp(other->why, point->why) != 0);
            is_first_limit &= strcmp(other->shape, point->shape) != 0;
        }
        if (!has_blank_line && (is_first_why || is_first_limit))
            fputc('\n', file);
        has_blank_line |= is_first_why || is_first_limit;
        if (is_first_why && has_predictions(points, point))
            bl_put_paragraph(file, 0, 0, width, "machine %s: no prediction of %s: %s",
                             point->machine, point->name, point->why);
        else if (is_first_why)
            bl_put_paragraph(file, 0, 0, width, "machine %s: no predictions: %s", point->machine,
                             point->why);
        if (is_first_limit)
            print_group_limit(file, point->machine, point->shape, point->group_limit);
    }
}

static void fill_cells(const struct bl_try_point *point, char texts[MEAN_CELLS][16],
                       const char *cells[COLUMNS])
{
    cells[MACHINE] = point->machine;
    cells[SHAPE] = point->shape;
    cells[NAME] = point->name;
    mean_cells(&point->cost, point->predicted, texts, cells + MEANS);
}

void bl_try_points_table(FILE *file, const struct bl_try_points *points)
{
    struct bl_layout_column columns[COLUMNS] = {
        [MACHINE] = {.name = "machine"},
        [SHAPE] = {.name = "shape"},
        [NAME] = {.name = "means over all requests", .min_width = 12},
    };
    char texts[MEAN_CELLS][16];
    const char *cells[COLUMNS];
    memcpy(columns + MEANS, mean_columns, sizeof mean_columns);
    bool differ[2] = {false, false};
    for (size_t i = 1; i < points->count; i++) {
        differ[MACHINE] |= strcmp(points->all[i].machine, points->all[0].machine) != 0;
        differ[SHAPE] |= strcmp(points->all[i].shape, points->all[0].shape) != 0;
    }
    for (size_t i = 0; i < points->count; i++) {
        fill_cells(&points->all[i], texts, cells);
        widen(columns, COLUMNS, cells);
    }
    for (int c = MACHINE; c <= SHAPE; c++)
        if (!differ[c])
            columns[c].width = 0;
    const struct bl_layout layout = bl_layout_for(columns, COLUMNS, bl_line_width(file));
    if (points->count > 0)
        bl_print(file, "%s%s%s%s%s\n", points->title, differ[MACHINE] ? "" : ", machine ",
                 differ[MACHINE] ? "" : points->all[0].machine, differ[SHAPE] ? "" : ", groups of ",
                 differ[SHAPE] ? "" : points->all[0].shape);
    fputc('\n', file);
    bl_layout_heading(&layout, file);
    for (size_t i = 0; i < points->count; i++)
        if (has_predictions(points, &points->all[i])) {
            fill_cells(&points->all[i], texts, cells);
            bl_layout_row(&layout, file, cells);
        }
    print_remarks(file, points);
}
