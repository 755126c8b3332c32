#include "cli/series.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "history/since.h"
#include "report/layout.h"
#include "report/words.h"

__attribute__((format(printf, 4, 5))) static void print(const struct bl_view *view, unsigned at,
                                                        unsigned indent, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    bl_put_wrapped(stdout, text, at, indent, view->width);
    putchar('\n');
}

static void print_name(const struct bl_series *series, const struct bl_view *view)
{
    const struct bl_row_key *key = &series->points[0].key;
    const struct bl_run_info *run = &series->runs[0];
    print(view, 0, 4, "%s %s %s, %u lanes, on %s%s%s", key->case_id, key->shape, key->type,
          key->lanes, run->device, *run->device_id ? ", " : "", run->device_id);
}

/* A character a point, as many of the last ones as there is room for, from the lowest ratio to the
 * highest; a blank where there is no number. */
static void print_sparkline(const struct bl_series *series, unsigned width)
{
    static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    char range[48] = "";
    double min = NAN, max = NAN;
    for (size_t i = 0; i < series->count; i++) { /* of a number and NAN, the number */
        min = fmin(min, series->points[i].measured);
        max = fmax(max, series->points[i].measured);
    }
    if (isfinite(max))
        snprintf(range, sizeof range, "  %.4f to %.4f", min, max);
    const size_t taken = 2 + strlen(range), room = width > taken ? width - taken : 1;
    fputs("  ", stdout);
    for (size_t i = series->count > room ? series->count - room : 0; i < series->count; i++) {
        const double ratio = series->points[i].measured;
        const double share = max > min ? (ratio - min) / (max - min) : 1;
        fputs(isfinite(ratio) ? bars[(int)lround(share * 7)] : " ", stdout);
    }
    puts(range);
}

void bl_series_show(const struct bl_series *series, const struct bl_view *view)
{
    print_name(series, view);
    if (view->width < BL_ANY_WIDTH)
        print_sparkline(series, view->width);
    for (size_t i = 0; i < series->count; i++) {
        const struct bl_run_info *run = &series->runs[i];
        char measured[48] = "no number";
        if (bl_row_has_number(&series->points[i]))
            bl_format_measured(&series->points[i], measured);
        const int at = printf("  %-20s  %-23s  ", run->time_utc, measured);
        print(view, (unsigned)at, 24, "driver %s, bankline %s", run->driver, run->tool_version);
    }
}

/* The index after the last of the first `count` points that has a number; 0: none has. */
static size_t end_of_numbers(const struct bl_series *series, size_t count)
{
    while (count > 0 && !bl_row_has_number(&series->points[count - 1]))
        count--;
    return count;
}

/* What is to be said of a row without a step: that it is unchanged, or drifted, or nobody can tell.
 */
static void print_level(const struct bl_series *series, double threshold,
                        const struct bl_view *view)
{
    const struct bl_interval level = bl_since_level(series->points, series->count, 0);
    const struct bl_row *last = &series->points[end_of_numbers(series, series->count) - 1];
    const struct bl_interval own = bl_row_ratio(last);
    const enum bl_change change = bl_change_of(&level, &own, threshold);
    const char *since = series->runs[0].time_utc;
    char measured[48];
    bl_format_measured(last, measured);
    if (change == BL_CHANGE_SAME)
        print(view, 2, 4, "%.4f, unchanged in %zu run%s since %s", level.median, series->count,
              bl_plural(series->count), since);
    else if (change == BL_CHANGE_UNCLEAR)
        print(view, 2, 4,
              "%.4f in %zu run%s since %s, the last %s: nobody can tell a change of %g %%",
              level.median, series->count, bl_plural(series->count), since, measured,
              100 * threshold);
    else
        print(
            view, 2, 4,
            "%.4f at first, and %s in the last of %zu runs since %s (%+.1f %%), without a step: it "
            "drifted",
            level.median, measured, series->count, since, 100 * (own.median / level.median - 1));
}

void bl_series_since(const struct bl_series *series, double threshold, const struct bl_view *view)
{
    print_name(series, view);
    if (end_of_numbers(series, series->count) == 0) {
        puts("  never had a number");
        return;
    }
    const size_t first = bl_since_first(series->points, series->count, threshold);
    const double level = bl_since_level(series->points, series->count, first).median;
    const size_t before = end_of_numbers(series, first);
    fputs("  ", stdout);
    if (before == 0) {
        print_level(series, threshold, view);
        return;
    }
    const struct bl_run_info *new = &series->runs[first], *old = &series->runs[before - 1];
    const double was = series->points[before - 1].measured;
    const bool is_comparable =
        strcmp(series->points[before - 1].kernels, series->points[first].kernels) == 0;
    print(view, 2, 4, "%.4f since %s (%+.1f %%; before: %.4f%s)", level, new->time_utc,
          100 * (level / was - 1), was,
          is_comparable ? "" : ", by another kernel, with other options or by another sampler");
    fputs("  ", stdout);
    print(view, 2, 4, "run %s, driver %s, bankline %s", new->run_id, new->driver,
          new->tool_version);
    fputs("  ", stdout);
    print(view, 2, 4, "before: run %s of %s, driver %s, bankline %s", old->run_id, old->time_utc,
          old->driver, old->tool_version);
}
