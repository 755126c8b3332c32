/* JSON of a run, ours and Google Benchmark's, through jansson. */
#include <math.h>
#include <stdbool.h>
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

static json_t *sample_array(const struct bl_row *row, bool *whole)
{
    json_t *array = json_array();
    for (uint64_t i = 0; i < row->samples && row->sample_ratios; i++)
        bl_json_append(array, bl_json_number_or_null(row->sample_ratios[i]), whole);
    return array;
}

enum bl_status bl_write_json(FILE *file, const struct bl_document_content *content,
                             struct bl_error *error)
{
    const struct bl_row *rows = content->rows;
    size_t column_count;
    const struct bl_column *columns = bl_columns(&column_count);
    bool whole = true;
    json_t *root = json_object(), *array = json_array();
    for (size_t i = 0; i < content->count; i++) {
        json_t *object = json_object();
        for (size_t c = 0; c < column_count; c++)
            bl_json_add(object, columns[c].name, column_value(&columns[c], &rows[i]), &whole);
        bl_json_add(object, "sample_ratios", sample_array(&rows[i], &whole), &whole);
        bl_json_append(array, object, &whole);
    }
    bl_json_add(root, "schema", json_integer(BL_CSV_SCHEMA), &whole);
    bl_json_add(root, "rows", array, &whole);
    return bl_json_dump(root, whole, file, error);
}

/* "local/5/16x1/int": unique in a run, which --benchmark_filter and compare.py go by. */
static void name_row(const struct bl_row *row, char name[512])
{
    snprintf(name, 512, "%s/%s/%s", row->case_id, row->shape, row->type);
}

static json_t *benchmark(const struct bl_row *row, bool *whole)
{
    char name[512];
    name_row(row, name);
    json_t *entry = json_object();
    bl_json_add(entry, "name", text(name), whole);
    bl_json_add(entry, "run_name", text(name), whole);
    bl_json_add(entry, "run_type", json_string("iteration"), whole);
    bl_json_add(entry, "repetitions", json_integer(1), whole);
    bl_json_add(entry, "repetition_index", json_integer(0), whole);
    bl_json_add(entry, "threads", json_integer(1), whole);
    if (!isfinite(row->measured)) {
        bl_json_add(entry, "error_occurred", json_true(), whole);
        bl_json_add(entry, "error_message",
                    text(row->reason[0] ? row->reason : bl_row_status_name(row->status)), whole);
    }
    /* A row that counts no requests has the time of the work that its baseline does in 1 ns. */
    const double time_ns = isfinite(row->ns_per_request) ? row->ns_per_request : 1 / row->measured;
    bl_json_add(entry, "iterations", json_integer((json_int_t)row->samples), whole);
    bl_json_add(entry, "real_time", json_real(isfinite(time_ns) ? time_ns : 0), whole);
    bl_json_add(entry, "cpu_time", json_real(isfinite(time_ns) ? time_ns : 0), whole);
    bl_json_add(entry, "time_unit", json_string("ns"), whole);
    if (isfinite(row->gbytes_per_s))
        bl_json_add(entry, "bytes_per_second", json_real(row->gbytes_per_s * 1e9), whole);
    if (isfinite(row->measured))
        bl_json_add(entry, "ratio", json_real(row->measured), whole);
    if (isfinite(row->predicted))
        bl_json_add(entry, "predicted", json_real(row->predicted), whole);
    return entry;
}

enum bl_status bl_write_benchmark_json(FILE *file, const struct bl_document_content *content,
                                       struct bl_error *error)
{
    static const struct bl_row none;
    const struct bl_row *rows = content->rows, *run = content->count ? &rows[0] : &none;
    bool whole = true;
    json_t *root = json_object(), *context = json_object(), *array = json_array();
    bl_json_add(context, "date", text(run->time_utc), &whole);
    bl_json_add(context, "host_name", text(run->host), &whole);
    bl_json_add(context, "executable", json_string("bankline"), &whole);
    bl_json_add(context, "num_cpus", json_integer(sysconf(_SC_NPROCESSORS_ONLN)), &whole);
    bl_json_add(context, "mhz_per_cpu", json_integer(0), &whole);
    bl_json_add(context, "cpu_scaling_enabled", json_false(), &whole);
    bl_json_add(context, "caches", json_array(), &whole);
    bl_json_add(context, "library_build_type", json_string("release"), &whole);
    bl_json_add(context, "device", text(run->device), &whole);
    bl_json_add(context, "driver", text(run->driver), &whole);
    for (size_t i = 0; i < content->count; i++)
        bl_json_append(array, benchmark(&rows[i], &whole), &whole);
    bl_json_add(root, "context", context, &whole);
    bl_json_add(root, "benchmarks", array, &whole);
    return bl_json_dump(root, whole, file, error);
}
