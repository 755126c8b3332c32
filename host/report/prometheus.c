/* The text format of Prometheus, for node_exporter's text-file collector: gauges of the last run.
 * There are no timestamps, because the collector rejects them. The text ends with a line end,
 * because otherwise the collector drops the file. A row's labels name its device; the other facts
 * of the run, such as the driver, are only in bankline_run_info, so that a driver update does not
 * start new series for all rows. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "report/compare.h"
#include "report/csv.h"
#include "report/fleet.h"
#include "report/layout.h"
#include "report/run.h"
#include "report/sink.h"

static const char *escaped(const char *character, size_t bytes)
{
    (void)bytes;
    return *character == '\\'   ? "\\\\"
           : *character == '"'  ? "\\\""
           : *character == '\n' ? "\\n"
                                : NULL;
}

static void write_label(FILE *file, const char *separator, const char *name, const char *value)
{
    fprintf(file, "%s%s=\"", separator, name);
    bl_put_escaped(file, value, escaped, "?"); /* the collector drops a file that is not UTF-8 */
    fputc('"', file);
}

/* This macro writes further labels: names, each followed by its value. */
#define write_labels(file, ...) write_pairs(file, (const char *const[]){__VA_ARGS__, NULL})

static void write_pairs(FILE *file, const char *const pairs[])
{
    for (; *pairs; pairs += 2)
        write_label(file, ",", pairs[0], pairs[1]);
}

static void write_heading(FILE *file, const char *metric, const char *help)
{
    fprintf(file, "# HELP %s %s\n# TYPE %s gauge\n", metric, help, metric);
}

/* Writes "metric{case=...": the labels of the row and the device. The caller closes the brace. */
static void write_row_labels(FILE *file, const char *metric, const struct bl_row_key *key,
                             const struct bl_run_info *run)
{
    char text[BL_COLUMN_BUFFER];
    const struct bl_column *column;
    fputs(metric, file);
    for (size_t i = 0; (column = bl_key_column(i)); i++)
        write_label(file, i ? "," : "{", column->name, bl_key_text(column, key, text));
    write_labels(file, "device", run->device, "device_id", run->device_id);
}

/* Closes the braces of the labels, and writes the sample's value. */
static void end_sample(FILE *file, double value)
{
    fputs("} ", file);
    bl_csv_number(file, value, "\n");
}

/* Metrics: the value of each is the value of its column times `scale`. */
static const struct {
    const char *name, *help, *column;
    double scale;
} metrics[] = {
    {"bankline_ratio", "Throughput divided by the baseline's throughput.", "measured", 1},
    {"bankline_ratio_low", "Lower end of the ratio's 95 % interval.", "measured_lo", 1},
    {"bankline_ratio_high", "Upper end of the ratio's 95 % interval.", "measured_hi", 1},
    {"bankline_predicted_ratio", "Ratio predicted by the model.", "predicted", 1},
    {"bankline_bytes_per_clock_cu", "Useful bytes per clock and compute unit.",
     "bytes_per_clock_cu", 1},
    {"bankline_case_time_seconds", "Time of the case's unit of work on one compute unit.",
     "case_ns", 1e-9},
    {"bankline_measuring_seconds", "Time spent on measuring the case.", "seconds", 1},
};

static void write_run_info(FILE *file, const struct bl_run_info *run)
{
    static const struct bl_row no_row;
    char text[BL_COLUMN_BUFFER];
    write_heading(file, "bankline_run_info", "Always 1; its labels describe the run.");
    for (size_t i = 1; i < BL_COLUMN_COUNT; i++) /* column 0 is the schema, which is omitted */
        if (bl_columns[i].owner == BL_COLUMN_OF_RUN)
            write_label(file, i == 1 ? "bankline_run_info{" : ",", bl_columns[i].name,
                        bl_column_text(&bl_columns[i], run, &no_row, text));
    fputs("} 1\n", file);
    struct tm utc = {0};
    if (!strptime(run->time_utc, "%Y-%m-%dT%H:%M:%SZ", &utc))
        return;
    write_heading(file, "bankline_run_timestamp_seconds", "When the run began, in Unix time.");
    write_label(file, "bankline_run_timestamp_seconds{", "device", run->device);
    write_label(file, ",", "device_id", run->device_id);
    fprintf(file, "} %lld\n", (long long)timegm(&utc));
}

static void write_metrics(FILE *file, const struct bl_run_rows *run)
{
    for (size_t m = 0; m < sizeof metrics / sizeof metrics[0]; m++) {
        const struct bl_column *column = bl_column_named(metrics[m].column);
        write_heading(file, metrics[m].name, metrics[m].help);
        for (size_t i = 0; i < run->count; i++) {
            const double value = bl_column_number(column, &run->info, &run->rows[i]);
            if (!isfinite(value))
                continue;
            write_row_labels(file, metrics[m].name, &run->rows[i].key, &run->info);
            end_sample(file, value * metrics[m].scale);
        }
    }
}

static void write_verdicts(FILE *file, const struct bl_run_rows *run)
{
    write_heading(file, "bankline_verdict", "Always 1; the label is the row's verdict.");
    for (size_t i = 0; i < run->count; i++) {
        if (run->rows[i].verdict == BL_NO_VERDICT)
            continue;
        write_row_labels(file, "bankline_verdict", &run->rows[i].key, &run->info);
        write_label(file, ",", "verdict", bl_verdict_name(run->rows[i].verdict));
        fputs("} 1\n", file);
    }
    write_heading(
        file, "bankline_rule_info",
        "Always 1; the labels are the level whose rule predicts the row, and the bottleneck by "
        "that rule.");
    for (size_t i = 0; i < run->count; i++) {
        if (!*run->rows[i].level && !*run->rows[i].bound)
            continue;
        write_row_labels(file, "bankline_rule_info", &run->rows[i].key, &run->info);
        write_labels(file, "level", run->rows[i].level, "bound", run->rows[i].bound);
        fputs("} 1\n", file);
    }
    write_heading(file, "bankline_has_number", "1 if the row was measured, 0 if it has no number.");
    for (size_t i = 0; i < run->count; i++) {
        write_row_labels(file, "bankline_has_number", &run->rows[i].key, &run->info);
        fprintf(file, "} %d\n", bl_row_has_number(&run->rows[i]));
    }
}

/* All samples of a metric must be consecutive in the file, so rows are kept until the run ends. */
static enum bl_status begin_run(struct bl_sink *sink)
{
    struct bl_run_rows *kept = calloc(1, sizeof *kept);
    if (!kept)
        return bl_fail(sink->error, BL_NO_MEMORY, "out of memory while keeping the rows");
    kept->info = *sink->run;
    sink->state = kept;
    return BL_OK;
}

static enum bl_status keep_row(struct bl_sink *sink, const struct bl_row *row)
{
    return bl_run_add(sink->state, row, sink->error);
}

static enum bl_status end_run(struct bl_sink *sink, bool is_complete)
{
    struct bl_run_rows *kept = sink->state;
    if (!kept)
        return BL_OK;
    if (is_complete) {
        write_run_info(sink->stream, &kept->info);
        write_metrics(sink->stream, kept);
        write_verdicts(sink->stream, kept);
    }
    bl_run_free(kept);
    free(kept);
    return BL_OK;
}

static enum bl_status begin_changes(struct bl_sink *sink)
{
    const struct bl_run_info *after = &sink->comparison->after->info;
    write_heading(sink->stream, "bankline_change_rows", "Number of rows with each kind of change.");
    for (unsigned change = 0; change < BL_CHANGE_COUNT; change++) {
        write_label(sink->stream, "bankline_change_rows{", "change",
                    bl_change_name((enum bl_change)change));
        write_labels(sink->stream, "device", after->device, "device_id", after->device_id);
        fprintf(sink->stream, "} %zu\n", sink->comparison->counts[change]);
    }
    write_heading(sink->stream, "bankline_change_ratio",
                  "Change of the ratio, or of the row's own speed: after / before, minus 1.");
    return BL_OK;
}

static enum bl_status write_change(struct bl_sink *sink, const struct bl_compared *row)
{
    if (!isfinite(row->by))
        return BL_OK;
    write_row_labels(sink->stream, "bankline_change_ratio", row->key,
                     &sink->comparison->after->info);
    end_sample(sink->stream, row->by);
    return BL_OK;
}

static void write_card_labels(FILE *file, const char *metric, const struct bl_run_info *run)
{
    fputs(metric, file);
    write_label(file, "{", "device", run->device);
    write_labels(file, "driver", run->driver, "device_id", run->device_id, "host", run->host);
}

static enum bl_status write_fleet(struct bl_sink *sink, const struct bl_fleet *fleet)
{
    FILE *file = sink->stream;
    write_heading(file, "bankline_fleet_cards", "Number of cards that had a run.");
    for (size_t m = 0; m < fleet->model_count; m++) {
        write_label(file, "bankline_fleet_cards{", "device", fleet->models[m].device);
        write_label(file, ",", "driver", fleet->models[m].driver);
        fprintf(file, "} %zu\n", fleet->models[m].cards);
    }
    write_heading(file, "bankline_fleet_speed",
                  "A card's speed divided by the median speed of its model.");
    for (size_t c = 0; c < fleet->card_count; c++)
        if (isfinite(fleet->cards[c].speed)) {
            write_card_labels(file, "bankline_fleet_speed", &fleet->cards[c].run);
            end_sample(file, fleet->cards[c].speed);
        }
    write_heading(file, "bankline_fleet_outlier",
                  "A card's throughput divided by the median of its model, minus 1.");
    for (size_t i = 0; i < fleet->outlier_count; i++) {
        const struct bl_outlier *outlier = &fleet->outliers[i];
        write_card_labels(file, "bankline_fleet_outlier", &fleet->cards[outlier->card].run);
        write_label(file, ",", "what", bl_oddity_name(outlier->oddity));
        const struct bl_fleet_row *row = bl_outlier_row(fleet, outlier);
        if (row) {
            write_labels(file, "case", row->key.case_id, "shape", row->key.shape, "type",
                         row->key.type, "machine", row->key.machine, "kernels", row->kernels);
            fprintf(file, ",lanes=\"%u\",working_set_bytes=\"%llu\"", row->key.lanes,
                    (unsigned long long)row->key.working_set_bytes);
        }
        end_sample(file, outlier->by);
    }
    return BL_OK;
}

const struct bl_format bl_format_prometheus = {
    .name = "prometheus",
    .help = "write the rows as Prometheus text, for node_exporter's text-file collector",
    .writes_runs = true,
    .writes_changes = true,
    .run = {begin_run, keep_row, end_run},
    .changes = {begin_changes, write_change, NULL},
    .fleet = write_fleet,
    .fleet_help = "write each card's speed and differences as Prometheus text",
};
