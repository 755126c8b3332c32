/* The JSON formats (bankline's, Google Benchmark's and bencher.dev's), written by jansson. A
 * document is built completely before any of it is written, so a document in a file is always
 * complete.
 *
 * Bankline's format of a run is {"schema", "run": {...}, "rows": [{...}]}. Members have the names
 * of the CSV's columns; unknown and inapplicable values are null. Rows of a run also have
 * "sample_ratios" and, if their machine's alternative banks predict different ratios,
 * "alternatives". */
#include "report/json_values.h"
#include "report/sink.h"

enum bl_status bl_json_is_built(struct bl_error *error)
{
#ifdef BL_WITH_JANSSON
    (void)error;
    return BL_OK;
#else
    return bl_fail(error, BL_USAGE,
                   "this bankline was built without jansson, so it writes no JSON");
#endif
}

#ifdef BL_WITH_JANSSON
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "report/compare.h"
#include "report/fleet.h"
#include "report/layout.h"
#include "report/run.h"

json_t *bl_json_text(const char *bytes, size_t length)
{
    json_t *value = json_stringn(bytes, length);
    if (value)
        return value;
    char text[1024];
    return json_stringn(text, bl_utf8_copy(text, sizeof text, bytes, length));
}

json_t *bl_json_string(const char *text) { return bl_json_text(text, strlen(text)); }

json_t *bl_json_string_or_null(const char *text)
{
    return *text ? bl_json_string(text) : json_null();
}

json_t *bl_json_number_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *bl_json_pack(bool *whole, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    json_t *value = json_vpack_ex(NULL, 0, format, arguments);
    va_end(arguments);
    *whole &= value != NULL;
    return value;
}

void bl_json_add(json_t *object, const char *key, json_t *value, bool *whole)
{
    *whole &= object && value && json_object_set_new(object, key, value) == 0;
    if (!object)
        json_decref(value);
}

void bl_json_append(json_t *array, json_t *value, bool *whole)
{
    *whole &= array && value && json_array_append_new(array, value) == 0;
    if (!array)
        json_decref(value);
}

static enum bl_status no_memory(struct bl_error *error)
{
    return bl_fail(error, BL_NO_MEMORY, "out of memory while writing the JSON");
}

enum bl_status bl_json_dump(json_t *root, bool whole, FILE *file, struct bl_error *error)
{
    enum { FLAGS = JSON_INDENT(1) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(7) };
    /* json_dumpf also fails if a write fails; ferror tells write errors from a lack of memory */
    const bool is_written = root && whole && (json_dumpf(root, file, FLAGS) == 0 || ferror(file));
    json_decref(root);
    if (!is_written)
        return no_memory(error);
    fputc('\n', file);
    return BL_OK;
}

/* Adds numbers to an object; null for unknown numbers. */
#define add_numbers(object, whole, ...)                           \
    add_all_numbers(object, (const struct number[]){__VA_ARGS__}, \
                    sizeof((const struct number[]){__VA_ARGS__}) / sizeof(struct number), whole)

struct number {
    const char *name;
    double value;
};

static void add_all_numbers(json_t *object, const struct number numbers[], size_t count,
                            bool *whole)
{
    for (size_t i = 0; i < count; i++)
        bl_json_add(object, numbers[i].name, bl_json_number_or_null(numbers[i].value), whole);
}

static void add_text(json_t *object, const char *name, const char *text, bool *whole)
{
    bl_json_add(object, name, bl_json_string_or_null(text), whole);
}

static json_t *column_value(const struct bl_column *column, const struct bl_run_info *run,
                            const struct bl_row *row)
{
    char buffer[BL_COLUMN_BUFFER];
    const double number = bl_column_number(column, run, row);
    if (column->kind == BL_COLUMN_NUMBER)
        return bl_json_number_or_null(number);
    if (isfinite(number))
        return json_integer((json_int_t)number);
    return bl_json_string_or_null(bl_column_text(column, run, row, buffer));
}

/* Adds the columns of these owners (bits), except the schema. */
static void add_columns(json_t *object, unsigned owners, const struct bl_run_info *run,
                        const struct bl_row *row, bool *whole)
{
    for (size_t i = 0; i < BL_COLUMN_COUNT; i++)
        if (owners & 1u << bl_columns[i].owner && strcmp(bl_columns[i].name, "schema") != 0)
            bl_json_add(object, bl_columns[i].name, column_value(&bl_columns[i], run, row), whole);
}

static json_t *run_object(const struct bl_run_info *run, bool *whole)
{
    static const struct bl_row no_row;
    json_t *object = json_object();
    add_columns(object, 1u << BL_COLUMN_OF_RUN, run, &no_row, whole);
    return object;
}

/* Adds the columns of a key to an object. */
static void add_key(json_t *object, const struct bl_row_key *key, bool *whole)
{
    const struct bl_row keyed = {.key = *key};
    add_columns(object, 1u << BL_COLUMN_OF_KEY, NULL, &keyed, whole);
}

/* The sink's state is the document so far. If memory runs out for any part of it, nothing is
 * written. */
static enum bl_status begin_run(struct bl_sink *sink)
{
    bool whole = true;
    sink->state = bl_json_pack(&whole, "{s:i, s:o, s:[]}", "schema", (int)BL_CSV_SCHEMA, "run",
                               run_object(sink->run, &whole), "rows");
    return whole ? BL_OK : no_memory(sink->error);
}

static enum bl_status add_to(struct bl_sink *sink, const char *array, json_t *object, bool whole)
{
    bl_json_append(json_object_get(sink->state, array), object, &whole);
    return whole ? BL_OK : no_memory(sink->error);
}

json_t *bl_json_alternatives(const struct bl_row *row, bool *whole)
{
    json_t *array = json_array();
    for (unsigned i = 0; i < row->alternative_count; i++) {
        const struct bl_alternative *one = &row->alternatives[i];
        bl_json_append(array,
                       bl_json_pack(whole, "{s:I, s:I, s:o}", "banks", (json_int_t)one->banks.count,
                                    "bank_bytes", (json_int_t)one->banks.bytes, "predicted",
                                    bl_json_number_or_null(one->predicted)),
                       whole);
    }
    return array;
}

static enum bl_status add_row(struct bl_sink *sink, const struct bl_row *row)
{
    bool whole = true;
    json_t *object = json_object(), *samples = json_array();
    add_columns(object, 1u << BL_COLUMN_OF_KEY | 1u << BL_COLUMN_OF_ROW, sink->run, row, &whole);
    for (uint64_t i = 0; i < row->samples && row->sample_ratios; i++)
        bl_json_append(samples, bl_json_number_or_null(row->sample_ratios[i]), &whole);
    bl_json_add(object, "sample_ratios", samples, &whole);
    if (row->alternative_count > 0)
        bl_json_add(object, "alternatives", bl_json_alternatives(row, &whole), &whole);
    return add_to(sink, "rows", object, whole);
}

static enum bl_status end_document(struct bl_sink *sink, bool is_complete)
{
    if (is_complete)
        return bl_json_dump(sink->state, true, sink->stream, sink->error);
    json_decref(sink->state);
    return BL_OK;
}

static enum bl_status begin_changes(struct bl_sink *sink)
{
    const struct bl_comparison *comparison = sink->comparison;
    bool whole = true;
    json_t *changes = json_object();
    for (unsigned change = 0; change < BL_CHANGE_COUNT; change++)
        bl_json_add(changes, bl_change_name((enum bl_change)change),
                    json_integer((json_int_t)comparison->counts[change]), &whole);
    sink->state = bl_json_pack(
        &whole, "{s:f, s:o, s:o, s:o, s:[]}", "threshold", comparison->comparing.threshold,
        "before", run_object(&comparison->before->info, &whole), "after",
        run_object(&comparison->after->info, &whole), "changes", changes, "rows");
    return whole ? BL_OK : no_memory(sink->error);
}

/* The object for one side of a comparison; null if that side lacks the row. */
static json_t *side_object(const struct bl_row *row, bool *whole)
{
    char reason[BL_NO_NUMBER_REASON];
    if (!row)
        return json_null();
    if (!bl_row_has_number(row))
        return bl_json_pack(whole, "{s:o}", "reason",
                            bl_json_string(bl_no_number_reason(row, reason)));
    json_t *object = json_object();
    add_numbers(object, whole, {"ratio", row->measured}, {"lo", row->measured_lo},
                {"hi", row->measured_hi}, {"rate", bl_row_rate(row)});
    return object;
}

static enum bl_status add_change(struct bl_sink *sink, const struct bl_compared *row)
{
    bool whole = true;
    json_t *object = bl_json_pack(&whole, "{s:s}", "change", bl_change_name(row->change));
    add_key(object, row->key, &whole);
    bl_json_add(object, "by", bl_json_number_or_null(row->by), &whole);
    bl_json_add(object, "absolute", json_boolean(row->is_absolute), &whole);
    bl_json_add(object, "before", side_object(row->before, &whole), &whole);
    bl_json_add(object, "after", side_object(row->after, &whole), &whole);
    return add_to(sink, "rows", object, whole);
}

static json_t *fleet_row(const struct bl_fleet *fleet, const struct bl_fleet_row *row, bool *whole)
{
    const struct bl_fleet_model *model = &fleet->models[row->model];
    json_t *object = json_object();
    add_text(object, "device", model->device, whole);
    add_text(object, "driver", model->driver, whole);
    add_key(object, &row->key, whole);
    add_text(object, "kernels", row->kernels, whole);
    bl_json_add(object, "cards", json_integer((json_int_t)row->cards), whole);
    add_numbers(object, whole, {"median", row->ratio}, {"spread", row->ratio_spread},
                {"time_ns", row->time_ns}, {"time_spread", row->time_spread});
    return object;
}

static json_t *fleet_outlier(const struct bl_fleet *fleet, const struct bl_outlier *outlier,
                             bool *whole)
{
    const struct bl_fleet_card *card = &fleet->cards[outlier->card];
    const struct bl_fleet_row *row = bl_outlier_row(fleet, outlier);
    const double limit = fleet->models[card->model].limit[outlier->oddity];
    char text[BL_OUTLIER_TEXT];
    json_t *object = bl_json_pack(whole, "{s:s, s:o}", "what", bl_oddity_name(outlier->oddity),
                                  "run", run_object(&card->run, whole));
    if (row)
        add_key(object, &row->key, whole);
    add_numbers(object, whole, {"own", outlier->own}, {"median", outlier->median},
                {"by", outlier->by}, {"spreads", outlier->spreads}, {"limit", limit});
    add_text(object, "since", outlier->since, whole);
    add_text(object, "sentence", bl_outlier_text(fleet, outlier, text), whole);
    return object;
}

static json_t *fleet_groups(const struct bl_fleet *fleet, const struct bl_fleet_groups *groups,
                            bool *whole)
{
    char text[BL_GROUPS_TEXT];
    json_t *object = json_object();
    add_text(object, "device", fleet->models[groups->model].device, whole);
    bl_json_add(
        object, "cards",
        bl_json_pack(whole, "[I, I]", (json_int_t)groups->cards[0], (json_int_t)groups->cards[1]),
        whole);
    bl_json_add(object, "rows", json_integer((json_int_t)groups->rows), whole);
    bl_json_add(object, "of_rows", json_integer((json_int_t)groups->of_rows), whole);
    add_numbers(object, whole, {"by", groups->by});
    add_text(object, "differ_in", groups->what, whole);
    add_text(object, "sentence", bl_fleet_groups_text(fleet, groups, text), whole);
    return object;
}

static enum bl_status write_fleet(struct bl_sink *sink, const struct bl_fleet *fleet)
{
    bool whole = true;
    json_t *rows = json_array(), *outliers = json_array(), *groups = json_array(),
           *not_compared = json_array();
    for (size_t c = 0; c < fleet->card_count; c++) {
        const char *why = bl_fleet_why_not_compared(fleet, c);
        if (why)
            bl_json_append(not_compared,
                           bl_json_pack(&whole, "{s:o, s:s}", "run",
                                        run_object(&fleet->cards[c].run, &whole), "why", why),
                           &whole);
    }
    for (size_t i = 0; i < fleet->group_count; i++)
        bl_json_append(groups, fleet_groups(fleet, &fleet->groups[i], &whole), &whole);
    for (size_t i = 0; i < fleet->outlier_count; i++)
        bl_json_append(outliers, fleet_outlier(fleet, &fleet->outliers[i], &whole), &whole);
    for (size_t i = 0; i < fleet->row_count; i++)
        bl_json_append(rows, fleet_row(fleet, &fleet->rows[i], &whole), &whole);
    json_t *root = bl_json_pack(&whole, "{s:o, s:o, s:I, s:o, s:o, s:o, s:o}", "first",
                                bl_json_string_or_null(fleet->first), "last",
                                bl_json_string_or_null(fleet->last), "cards",
                                (json_int_t)fleet->card_count, "not_compared", not_compared,
                                "groups", groups, "outliers", outliers, "rows", rows);
    return bl_json_dump(root, whole, sink->stream, sink->error);
}

/* Google Benchmark's format, which its compare.py and other tools read. Times are case_ns, else
 * ns_per_request; if both are unknown, they are left out. */

static enum bl_status begin_benchmarks(struct bl_sink *sink)
{
    const struct bl_run_info *run = sink->run;
    bool whole = true;
    sink->state = bl_json_pack(
        &whole, "{s:{s:o, s:o, s:s, s:I, s:[], s:o, s:o}, s:[]}", "context", "date",
        bl_json_string(run->time_utc), "host_name", bl_json_string(run->host), "executable",
        "bankline", "num_cpus", (json_int_t)sysconf(_SC_NPROCESSORS_ONLN),
        "caches", /* some readers require this member */
        "device", bl_json_string(run->device), "driver", bl_json_string(run->driver), "benchmarks");
    return whole ? BL_OK : no_memory(sink->error);
}

static void add_times(json_t *entry, const struct bl_row *row, bool *whole)
{
    const double time_ns = isfinite(row->case_ns) ? row->case_ns : row->ns_per_request;
    bl_json_add(entry, "iterations", json_integer((json_int_t)row->samples), whole);
    if (isfinite(time_ns)) {
        bl_json_add(entry, "real_time", json_real(time_ns), whole);
        bl_json_add(entry, "cpu_time", json_real(time_ns), whole);
        bl_json_add(entry, "time_unit", json_string("ns"), whole);
    }
    if (isfinite(row->gbytes_per_s))
        bl_json_add(entry, "bytes_per_second", json_real(row->gbytes_per_s * 1e9), whole);
    bl_json_add(entry, "ratio", json_real(row->measured), whole);
    if (isfinite(row->predicted))
        bl_json_add(entry, "predicted", json_real(row->predicted), whole);
}

static enum bl_status add_benchmark(struct bl_sink *sink, const struct bl_row *row)
{
    /* A name such as "local/5/16x1/int/16/65536", unique in a run, for --benchmark_filter and
     * compare.py. */
    char name[600], rule[48], reason[BL_NO_NUMBER_REASON];
    snprintf(name, sizeof name, "%s/%s/%s/%u/%llu", row->key.case_id, row->key.shape, row->key.type,
             row->key.lanes, (unsigned long long)row->key.working_set_bytes);
    bool whole = true;
    json_t *entry = bl_json_pack(&whole, "{s:o, s:o, s:o, s:s, s:i, s:i, s:i}", "name",
                                 bl_json_string(name), "run_name", bl_json_string(name), "label",
                                 bl_json_string(bl_format_rule(row, rule)), "run_type", "iteration",
                                 "repetitions", 1, "repetition_index", 0, "threads", 1);
    if (bl_row_has_number(row)) {
        add_times(entry, row, &whole);
    } else {
        bl_json_add(entry, "error_occurred", json_true(), &whole);
        bl_json_add(entry, "error_message", bl_json_string(bl_no_number_reason(row, reason)),
                    &whole);
        bl_json_add(entry, "iterations", json_integer(0), &whole);
    }
    return add_to(sink, "benchmarks", entry, whole);
}

/* The Bencher Metric Format of bencher.dev: {BENCHMARK: {MEASURE: {"value", "lower_value",
 * "upper_value"}}}. The format cannot represent a row without a number, so such rows are left out;
 * `compare` and JUnit show them. bencher.dev accepts names of up to 1024 characters. */

static enum bl_status begin_metrics(struct bl_sink *sink)
{
    sink->state = json_object();
    return sink->state ? BL_OK
                       : bl_fail(sink->error, BL_NO_MEMORY, "out of memory while writing the JSON");
}

/* bencher.dev's built-in measure `latency` is in ns. */
static json_t *measures_of(const struct bl_row *row, bool *whole)
{
    json_t *measures = json_object(), *ratio = bl_json_pack(whole, "{s:f}", "value", row->measured);
    if (isfinite(row->measured_lo) && isfinite(row->measured_hi)) {
        bl_json_add(ratio, "lower_value", json_real(row->measured_lo), whole);
        bl_json_add(ratio, "upper_value", json_real(row->measured_hi), whole);
    }
    bl_json_add(measures, "ratio", ratio, whole);
    const double time_ns = isfinite(row->case_ns) ? row->case_ns : row->ns_per_request;
    if (isfinite(time_ns))
        bl_json_add(measures, "latency", bl_json_pack(whole, "{s:f}", "value", time_ns), whole);
    return measures;
}

static enum bl_status add_metrics(struct bl_sink *sink, const struct bl_row *row)
{
    const struct bl_row_key *key = &row->key;
    char name[600], text[600];
    bool whole = true;
    if (!bl_row_has_number(row))
        return BL_OK;
    snprintf(name, sizeof name, "%s/%s/%s/%u/%llu", key->case_id, key->shape, key->type, key->lanes,
             (unsigned long long)key->working_set_bytes);
    if (strncmp(key->case_id, "try/", 4) == 0 && *row->level) /* `try` has a row for each level, so
                                                                 the name includes the level */
        bl_text_add(name, sizeof name, "/%s", row->level);
    bl_utf8_copy(text, sizeof text, name, strlen(name));
    bl_json_add(sink->state, text, measures_of(row, &whole), &whole);
    return whole ? BL_OK
                 : bl_fail(sink->error, BL_NO_MEMORY, "out of memory while writing the JSON");
}
#endif

const struct bl_format bl_format_json = {
    .name = "json",
    .help = "write the rows as JSON, with their samples",
    .writes_runs = true,
    .writes_changes = true,
#ifdef BL_WITH_JANSSON
    .run = {begin_run, add_row, end_document},
    .changes = {begin_changes, add_change, end_document},
    .fleet = write_fleet,
    .fleet_help = "write the typical rows and the outliers as JSON",
#else
    .lacks = "jansson",
#endif
};

const struct bl_format bl_format_google_benchmark = {
    .name = "benchmark-json",
    .help = "write the rows in Google Benchmark's JSON format, for its compare.py",
    .writes_runs = true,
#ifdef BL_WITH_JANSSON
    .run = {begin_benchmarks, add_benchmark, end_document},
#else
    .lacks = "jansson",
#endif
};

const struct bl_format bl_format_bencher = {
    .name = "bencher",
    .help = "write ratios and times in the metric format of bencher.dev, for its 'json' adapter",
    .writes_runs = true,
#ifdef BL_WITH_JANSSON
    .run = {begin_metrics, add_metrics, end_document},
#else
    .lacks = "jansson",
#endif
};
