/* JSON as Google Benchmark writes it, for its compare.py and the tools that read the same, through
 * jansson. Times are of a row's unit of work; a row of which none is known has none. */
#include "report/sink.h"

#ifdef BL_WITH_JANSSON
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "report/json_values.h"
#include "report/layout.h"

static json_t *text(const char *bytes) { return bl_json_text(bytes, strlen(bytes)); }

static enum bl_status no_memory(struct bl_error *error)
{
    return bl_fail(error, BL_NO_MEMORY, "no memory for the JSON");
}

/* The array of entries, in which the whole document is kept: its root is made at the end. */
static enum bl_status begin_run(struct bl_sink *sink, struct bl_error *error)
{
    sink->state = json_array();
    return sink->state ? BL_OK : no_memory(error);
}

static void add_numbers(json_t *entry, const struct bl_row *row, bool *whole)
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

static enum bl_status add_row(struct bl_sink *sink, const struct bl_row *row,
                              struct bl_error *error)
{
    /* "local/5/16x1/int/16/65536": unique in a run, for --benchmark_filter and compare.py. */
    char name[600], rule[48], reason[BL_NO_NUMBER_REASON];
    snprintf(name, sizeof name, "%s/%s/%s/%u/%llu", row->key.case_id, row->key.shape, row->key.type,
             row->key.lanes, (unsigned long long)row->key.working_set_bytes);
    bool whole = true;
    json_t *entry = json_object();
    bl_json_add(entry, "name", text(name), &whole);
    bl_json_add(entry, "run_name", text(name), &whole);
    bl_json_add(entry, "label", text(bl_format_rule(row, rule)), &whole);
    bl_json_add(entry, "run_type", json_string("iteration"), &whole);
    bl_json_add(entry, "repetitions", json_integer(1), &whole);
    bl_json_add(entry, "repetition_index", json_integer(0), &whole);
    bl_json_add(entry, "threads", json_integer(1), &whole);
    if (bl_row_has_number(row)) {
        add_numbers(entry, row, &whole);
    } else {
        bl_json_add(entry, "error_occurred", json_true(), &whole);
        bl_json_add(entry, "error_message", text(bl_no_number_reason(row, reason)), &whole);
        bl_json_add(entry, "iterations", json_integer(0), &whole);
    }
    bl_json_append(sink->state, entry, &whole);
    return whole ? BL_OK : no_memory(error);
}

static enum bl_status end_run(struct bl_sink *sink, bool is_complete, struct bl_error *error)
{
    if (!is_complete) {
        json_decref(sink->state);
        return BL_OK;
    }
    const struct bl_run_info *run = sink->run;
    bool whole = true;
    json_t *root = json_object(), *context = json_object();
    bl_json_add(context, "date", text(run->time_utc), &whole);
    bl_json_add(context, "host_name", text(run->host), &whole);
    bl_json_add(context, "executable", json_string("bankline"), &whole);
    bl_json_add(context, "num_cpus", json_integer(sysconf(_SC_NPROCESSORS_ONLN)), &whole);
    bl_json_add(context, "caches", json_array(), &whole); /* readers want it to be there */
    bl_json_add(context, "device", text(run->device), &whole);
    bl_json_add(context, "driver", text(run->driver), &whole);
    bl_json_add(root, "context", context, &whole);
    bl_json_add(root, "benchmarks", sink->state, &whole);
    return bl_json_dump(root, whole, sink->stream, error);
}
#endif

const struct bl_format bl_format_google_benchmark = {
    .name = "benchmark-json",
    .help = "write the rows as Google Benchmark's JSON, for its compare.py",
    .writes_runs = true,
#ifdef BL_WITH_JANSSON
    .run = {begin_run, add_row, end_run},
#else
    .lacks = "jansson",
#endif
};
