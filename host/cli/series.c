#include "cli/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/replace.h"
#include "cli/comparison.h"
#include "report/csv.h"

struct reading {
    struct bl_series *series;
    size_t count, capacity;
    bool failed;
};

static struct bl_series *series_of(struct reading *reading, const struct bl_history_point *point)
{
    if (reading->count > 0) {
        struct bl_series *last = &reading->series[reading->count - 1];
        if (strcmp(last->device, point->device) == 0 && strcmp(last->key, point->key) == 0)
            return last;
    }
    if (reading->count == reading->capacity) {
        const size_t capacity = reading->capacity ? 2 * reading->capacity : 16;
        struct bl_series *more = realloc(reading->series, capacity * sizeof *more);
        if (!more)
            return NULL;
        reading->series = more;
        reading->capacity = capacity;
    }
    struct bl_series *added = &reading->series[reading->count];
    *added = (struct bl_series){.device = strdup(point->device), .key = strdup(point->key)};
    if (!added->device || !added->key) {
        free(added->device);
        free(added->key);
        return NULL;
    }
    reading->count++;
    return added;
}

static void take_point(void *context, const struct bl_history_point *point)
{
    struct reading *reading = context;
    struct bl_series *series = reading->failed ? NULL : series_of(reading, point);
    if (series && series->count == series->capacity) {
        const size_t capacity = series->capacity ? 2 * series->capacity : 16;
        struct bl_point *more = realloc(series->points, capacity * sizeof *more);
        if (more) {
            series->points = more;
            series->capacity = capacity;
        }
    }
    if (!series || series->count == series->capacity) {
        reading->failed = true;
        return;
    }
    struct bl_point *added = &series->points[series->count++];
    *added = (struct bl_point){.ratio = {point->ratio, point->lo, point->hi, true}};
    snprintf(added->run_id, sizeof added->run_id, "%s", point->run_id);
    snprintf(added->time_utc, sizeof added->time_utc, "%s", point->time_utc);
    snprintf(added->tool_version, sizeof added->tool_version, "%s", point->tool_version);
    snprintf(added->driver, sizeof added->driver, "%s", point->driver);
}

enum bl_status bl_series_read(struct bl_history *history, const char *case_glob, const char *device,
                              struct bl_series **series, size_t *count, struct bl_error *error)
{
    struct reading reading = {0};
    enum bl_status status =
        bl_history_points(history, case_glob, device, take_point, &reading, error);
    if (status == BL_OK && reading.failed)
        status = bl_fail(error, BL_NO_MEMORY, "no memory for the series");
    *series = reading.series;
    *count = reading.count;
    return status;
}

void bl_series_free(struct bl_series *series, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(series[i].device);
        free(series[i].key);
        free(series[i].points);
    }
    free(series);
}

enum { LEVEL_POINTS = 9 };

/* The median of the points from `first` on that have a number, LEVEL_POINTS of them at most, and
 * the mean of their intervals' widths. */
static struct bl_interval level_from(const struct bl_series *series, size_t first)
{
    double ratios[LEVEL_POINTS], half = 0;
    size_t n = 0;
    for (size_t i = first; i < series->count && n < LEVEL_POINTS; i++) {
        const struct bl_interval *ratio = &series->points[i].ratio;
        if (!isfinite(ratio->median))
            continue;
        ratios[n++] = ratio->median;
        half += (log(ratio->hi) - log(ratio->lo)) / 2;
    }
    half /= (double)n;
    const double median = bl_median(ratios, n);
    return (struct bl_interval){median, median * exp(-half), median * exp(half), true};
}

size_t bl_series_first_at_level(const struct bl_series *series, double threshold)
{
    size_t first = series->count;
    for (size_t i = series->count; i-- > 0;) {
        const struct bl_interval *ratio = &series->points[i].ratio;
        if (!isfinite(ratio->median))
            continue;
        if (first < series->count) {
            const struct bl_interval level = level_from(series, first);
            const enum bl_change change = bl_change_of(ratio, &level, threshold);
            if (change == BL_CHANGE_SLOWER || change == BL_CHANGE_FASTER)
                return first;
        }
        first = i;
    }
    return 0;
}

static void print_name(const struct bl_series *series)
{
    size_t lengths[4];
    const char *parts[4];
    for (unsigned i = 0; i < 4; i++)
        parts[i] = bl_key_part(series->key, i, &lengths[i]);
    printf("%.*s %.*s %.*s, %.*s lanes, on %s\n", (int)lengths[0], parts[0], (int)lengths[2],
           parts[2], (int)lengths[1], parts[1], (int)lengths[3], parts[3], series->device);
}

/* A character a point, from the lowest ratio to the highest; a blank where there is no number. */
static void print_sparkline(const struct bl_series *series)
{
    static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    double min = INFINITY, max = 0;
    for (size_t i = 0; i < series->count; i++) {
        min = fmin(min, series->points[i].ratio.median);
        max = fmax(max, series->points[i].ratio.median);
    }
    fputs("  ", stdout);
    for (size_t i = 0; i < series->count; i++) {
        const double ratio = series->points[i].ratio.median;
        const double share = max > min ? (ratio - min) / (max - min) : 1;
        fputs(isfinite(ratio) ? bars[(int)lround(share * 7)] : " ", stdout);
    }
    if (max > 0)
        printf("  %.4f to %.4f", min, max);
    putchar('\n');
}

void bl_series_show(const struct bl_series *series, const struct bl_options *options)
{
    (void)options;
    print_name(series);
    if (isatty(STDOUT_FILENO))
        print_sparkline(series);
    for (size_t i = 0; i < series->count; i++) {
        const struct bl_point *point = &series->points[i];
        if (isfinite(point->ratio.median))
            printf("  %s  %.4f [%.4f, %.4f]", point->time_utc, point->ratio.median, point->ratio.lo,
                   point->ratio.hi);
        else
            printf("  %s  %-25s", point->time_utc, "no number");
        printf("  driver %s, bankline %s\n", point->driver, point->tool_version);
    }
}

void bl_series_since(const struct bl_series *series, const struct bl_options *options)
{
    print_name(series);
    size_t last = series->count;
    while (last > 0 && !isfinite(series->points[last - 1].ratio.median))
        last--;
    if (last == 0) {
        puts("  never had a number");
        return;
    }
    const size_t first = bl_series_first_at_level(series, options->threshold);
    const struct bl_interval level = level_from(series, first);
    size_t before = first;
    while (before > 0 && !isfinite(series->points[before - 1].ratio.median))
        before--;
    if (before == 0) {
        printf("  %.4f, unchanged in %zu run%s since %s\n", level.median, series->count,
               series->count == 1 ? "" : "s", series->points[0].time_utc);
        return;
    }
    const struct bl_point *new = &series->points[first], *old = &series->points[before - 1];
    printf("  %.4f since %s (%+.1f %%; before: %.4f)\n  run %s, driver %s, bankline %s\n  before: "
           "run %s of %s, driver %s, bankline %s\n",
           level.median, new->time_utc, 100 * (level.median / old->ratio.median - 1),
           old->ratio.median, new->run_id, new->driver, new->tool_version, old->run_id,
           old->time_utc, old->driver, old->tool_version);
}

static void write_field(FILE *file, const char *text, size_t length, const char *end)
{
    bl_csv_text(file, text, length);
    fputs(end, file);
}

static void write_number(FILE *file, double number, const char *end)
{
    if (isfinite(number))
        fprintf(file, "%.7g", number);
    fputs(end, file);
}

static void write_point(void *context, const struct bl_history_point *point)
{
    FILE *file = context;
    const char *texts[] = {point->run_id, point->time_utc, point->tool_version, point->device,
                           point->driver};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        write_field(file, texts[i], strlen(texts[i]), ",");
    for (unsigned i = 0; i < 6; i++) {
        size_t length;
        const char *part = bl_key_part(point->key, i, &length);
        write_field(file, part, length, ",");
    }
    write_number(file, point->ratio, ",");
    write_number(file, point->lo, ",");
    write_number(file, point->hi, ",");
    write_field(file, point->reason, strlen(point->reason), "\n");
}

static enum bl_status write_export(FILE *file, const void *content, struct bl_error *error)
{
    struct bl_history *const *history = content;
    fputs(
        "run_id,time_utc,tool_version,device,driver,case,type,shape,lanes,working_set_bytes,machine,"
        "measured,measured_lo,measured_hi,reason\n",
        file);
    return bl_history_points(*history, "*", NULL, write_point, file, error);
}

enum bl_status bl_series_export(struct bl_history *history, const char *path,
                                struct bl_error *error)
{
    return path ? bl_replace_file(path, write_export, &history, error)
                : write_export(stdout, &history, error);
}
