/* The text format of Prometheus, for node_exporter's text-file collector: gauges of the last run,
 * no timestamps, which the collector refuses, and a line end after the last line, without which it
 * drops the whole file. */
#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "report/document_writers.h"

void bl_prometheus_label(FILE *file, const char *name, const char *value, size_t length,
                         const char *separator)
{
    fprintf(file, "%s%s=\"", separator, name);
    for (size_t i = 0; i < length;) {
        const size_t character = bl_utf8_character(value + i, length - i);
        if (value[i] == '\\' || value[i] == '"')
            fputc('\\', file);
        if (value[i] == '\n')
            fputs("\\n", file);
        else if (character == 0) /* the collector drops a file that is not UTF-8 */
            fputc('?', file);
        else
            fwrite(value + i, 1, character, file);
        i += character ? character : 1;
    }
    fputc('"', file);
}

static void write_label(FILE *file, const char *name, const char *value, const char *separator)
{
    bl_prometheus_label(file, name, value, strlen(value), separator);
}

static void write_sample(FILE *file, const char *metric, const struct bl_row *row, double value)
{
    char lanes[16];
    snprintf(lanes, sizeof lanes, "%u", row->lanes);
    fputs(metric, file);
    write_label(file, "case", row->case_id, "{");
    write_label(file, "type", row->type, ",");
    write_label(file, "shape", row->shape, ",");
    write_label(file, "lanes", lanes, ",");
    write_label(file, "machine", row->machine, ",");
    write_label(file, "device", row->device, ",");
    write_label(file, "driver", row->driver, ",");
    fprintf(file, "} %.7g\n", value);
}

static double measured(const struct bl_row *row) { return row->measured; }
static double measured_lo(const struct bl_row *row) { return row->measured_lo; }
static double measured_hi(const struct bl_row *row) { return row->measured_hi; }
static double predicted(const struct bl_row *row) { return row->predicted; }
static double bytes_per_clock(const struct bl_row *row) { return row->bytes_per_clock_cu; }
static double has_number(const struct bl_row *row) { return isfinite(row->measured) ? 1 : 0; }

enum bl_status bl_write_prometheus(FILE *file, const struct bl_document_content *content,
                                   struct bl_error *error)
{
    (void)error;
    static const struct {
        const char *name, *help;
        double (*value)(const struct bl_row *row);
    } metrics[] = {
        {"bankline_ratio", "Throughput over that of the case's baseline.", measured},
        {"bankline_ratio_low", "Lower end of its 95 % confidence interval.", measured_lo},
        {"bankline_ratio_high", "Upper end of its 95 % confidence interval.", measured_hi},
        {"bankline_predicted_ratio", "The model's ratio.", predicted},
        {"bankline_bytes_per_clock_cu", "Useful bytes a clock and compute unit.", bytes_per_clock},
        {"bankline_has_number", "1 if the row was measured, 0 if it was refused or failed.",
         has_number},
    };
    for (size_t m = 0; m < sizeof metrics / sizeof metrics[0]; m++) {
        fprintf(file, "# HELP %s %s\n# TYPE %s gauge\n", metrics[m].name, metrics[m].help,
                metrics[m].name);
        for (size_t i = 0; i < content->count; i++) {
            const double value = metrics[m].value(&content->rows[i]);
            if (isfinite(value))
                write_sample(file, metrics[m].name, &content->rows[i], value);
        }
    }
    return BL_OK;
}
