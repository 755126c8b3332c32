/* The Bencher Metric Format of bencher.dev: {BENCHMARK: {MEASURE: {"value", "lower_value",
 * "upper_value"}}}. It cannot represent a row without a number, so such rows are left out;
 * `compare` and JUnit show them. Names of benchmarks have at most 1024 characters. */
#include "report/json_values.h"

#include "report/sink.h"

#ifdef BL_WITH_JANSSON
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "report/layout.h"

static enum bl_status begin(struct bl_sink *sink)
{
    sink->state = json_object();
    return sink->state ? BL_OK : bl_fail(sink->error, BL_NO_MEMORY, "no memory for the JSON");
}

/* Its built-in measure `latency` is in ns. */
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

static enum bl_status add_row(struct bl_sink *sink, const struct bl_row *row)
{
    const struct bl_row_key *key = &row->key;
    char name[600], text[600];
    bool whole = true;
    if (!bl_row_has_number(row))
        return BL_OK;
    snprintf(name, sizeof name, "%s/%s/%s/%u/%llu", key->case_id, key->shape, key->type, key->lanes,
             (unsigned long long)key->working_set_bytes);
    if (strncmp(key->case_id, "try/", 4) == 0 && *row->level) /* `try` has a row for each level */
        bl_text_add(name, sizeof name, "/%s", row->level);
    bl_utf8_copy(text, sizeof text, name, strlen(name));
    bl_json_add(sink->state, text, measures_of(row, &whole), &whole);
    return whole ? BL_OK : bl_fail(sink->error, BL_NO_MEMORY, "no memory for the JSON");
}

static enum bl_status end(struct bl_sink *sink, bool is_complete)
{
    if (is_complete)
        return bl_json_dump(sink->state, true, sink->stream, sink->error);
    json_decref(sink->state);
    return BL_OK;
}
#endif

const struct bl_format bl_format_bencher = {
    .name = "bencher",
    .help = "write ratios and times as Bencher's metric format, for its adapter `json`",
    .writes_runs = true,
#ifdef BL_WITH_JANSSON
    .run = {begin, add_row, end},
#else
    .lacks = "jansson",
#endif
};
