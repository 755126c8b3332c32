/* JSON of a run, ours and Google Benchmark's, through jansson. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "report/document_writers.h"
#include "report/json_values.h"

static json_t *text(const char *bytes) { return bl_json_text(bytes, strlen(bytes)); }

static json_t *column_value(const struct bl_column *column, const struct bl_row *row)
{
    const char *at = (const char *)row + column->offset;
    switch (column->kind) {
    case BL_COLUMN_TEXT:
        return text(at);
    case BL_COLUMN_UNSIGNED:
        return json_integer(*(const unsigned *)(const void *)at);
    case BL_COLUMN_U64:
        return json_integer((json_int_t) * (const uint64_t *)(const void *)at);
    case BL_COLUMN_NUMBER:
        return bl_json_number_or_null(*(const double *)(const void *)at);
    case BL_COLUMN_VERDICT:
        return text(bl_verdict_name(row->verdict));
    case BL_COLUMN_STATUS:
        return text(bl_row_status_name(row->status));
    case BL_COLUMN_DIRECTION:
        return text(bl_direction_name(row->direction));
    }
    return json_null();
}

static json_t *sample_array(const struct bl_row *row)
{
    json_t *array = json_array();
    for (uint64_t i = 0; i < row->samples && row->sample_ratios; i++)
        json_array_append_new(array, bl_json_number_or_null(row->sample_ratios[i]));
    return array;
}

enum bl_status bl_write_json(FILE *file, const struct bl_document_content *content,
                             struct bl_error *error)
{
    const struct bl_row *rows = content->rows;
    size_t column_count;
    const struct bl_column *columns = bl_columns(&column_count);
    json_t *array = json_array();
    for (size_t i = 0; i < content->count; i++) {
        json_t *object = json_object();
        for (size_t c = 0; c < column_count; c++)
            json_object_set_new(object, columns[c].name, column_value(&columns[c], &rows[i]));
        json_object_set_new(object, "sample_ratios", sample_array(&rows[i]));
        json_array_append_new(array, object);
    }
    return bl_json_dump(json_pack("{s:i, s:o}", "schema", BL_CSV_SCHEMA, "rows", array), file, error);
}

/* "local/5/16x1/int": unique in a run, which --benchmark_filter and compare.py go by. */
static void name_row(const struct bl_row *row, char name[512])
{
    snprintf(name, 512, "%s/%s/%s", row->case_id, row->shape, row->type);
}

static json_t *benchmark(const struct bl_row *row)
{
    char name[512];
    name_row(row, name);
    json_t *entry = json_pack("{s:o, s:o, s:s, s:i, s:i, s:i}", "name", text(name), "run_name",
                              text(name), "run_type", "iteration", "repetitions", 1,
                              "repetition_index", 0, "threads", 1);
    if (!isfinite(row->measured)) {
        json_object_set_new(entry, "error_occurred", json_true());
        json_object_set_new(entry, "error_message",
                            text(row->reason[0] ? row->reason : bl_row_status_name(row->status)));
    }
    /* A row that counts no requests has the time of the work that its baseline does in 1 ns. */
    const double time_ns = isfinite(row->ns_per_request) ? row->ns_per_request : 1 / row->measured;
    json_object_set_new(entry, "iterations", json_integer((json_int_t)row->samples));
    json_object_set_new(entry, "real_time", json_real(isfinite(time_ns) ? time_ns : 0));
    json_object_set_new(entry, "cpu_time", json_real(isfinite(time_ns) ? time_ns : 0));
    json_object_set_new(entry, "time_unit", json_string("ns"));
    if (isfinite(row->gbytes_per_s))
        json_object_set_new(entry, "bytes_per_second", json_real(row->gbytes_per_s * 1e9));
    if (isfinite(row->measured))
        json_object_set_new(entry, "ratio", json_real(row->measured));
    if (isfinite(row->predicted))
        json_object_set_new(entry, "predicted", json_real(row->predicted));
    return entry;
}

enum bl_status bl_write_benchmark_json(FILE *file, const struct bl_document_content *content,
                                       struct bl_error *error)
{
    static const struct bl_row none;
    const struct bl_row *rows = content->rows, *run = content->count ? &rows[0] : &none;
    json_t *context =
        json_pack("{s:o, s:o, s:s, s:i, s:i, s:b, s:[], s:s, s:o, s:o}", "date",
                  text(run->time_utc), "host_name", text(run->host), "executable", "bankline",
                  "num_cpus", (int)sysconf(_SC_NPROCESSORS_ONLN), "mhz_per_cpu", 0, "cpu_scaling_enabled", 0, "caches",
                  "library_build_type", "release", "device", text(run->device), "driver",
                  text(run->driver));
    json_t *array = json_array();
    for (size_t i = 0; i < content->count; i++)
        json_array_append_new(array, benchmark(&rows[i]));
    return bl_json_dump(json_pack("{s:o, s:o}", "context", context, "benchmarks", array), file, error);
}
