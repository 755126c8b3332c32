/* A comparison as JSON, through jansson. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/document_writers.h"
#include "report/json_values.h"

static json_t *text(const char *bytes) { return bl_json_text(bytes, strlen(bytes)); }

static json_t *run_object(const struct bl_row *about)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "run_id", text(about->run_id),
                     "time_utc", text(about->time_utc), "tool_version", text(about->tool_version),
                     "host", text(about->host), "device", text(about->device), "driver",
                     text(about->driver), "os", text(about->os), "cpu", text(about->cpu),
                     "governor", text(about->governor));
}

/* null for a row that is not there. */
static json_t *side_object(const struct bl_run_row *row)
{
    if (!row)
        return json_null();
    if (row->reason)
        return json_pack("{s:o}", "reason", text(row->reason));
    return json_pack("{s:f, s:f, s:f, s:o}", "ratio", row->ratio.median, "lo", row->ratio.lo, "hi",
                     row->ratio.hi, "rate", bl_json_number_or_null(row->rate));
}

static json_t *row_object(const struct bl_compared *row)
{
    static const char *const names[] = {"case", "type", "shape", "lanes", "working_set_bytes",
                                        "machine"};
    json_t *object = json_object();
    json_object_set_new(object, "change", json_string(bl_change_name(row->change)));
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t length;
        const char *part = bl_key_part(row->key, i, &length);
        const bool is_number = i == 3 || i == 4;
        json_object_set_new(object, names[i],
                            is_number ? json_integer((json_int_t)strtoll(part, NULL, 10))
                                      : bl_json_text(part, length));
    }
    json_object_set_new(object, "by", bl_json_number_or_null(row->by));
    json_object_set_new(object, "absolute", json_boolean(row->is_absolute));
    json_object_set_new(object, "before", side_object(row->before));
    json_object_set_new(object, "after", side_object(row->after));
    return object;
}

enum bl_status bl_write_comparison_json(FILE *file, const struct bl_document_content *content,
                                        struct bl_error *error)
{
    const struct bl_comparison *comparison = content->comparison;
    size_t counts[BL_CHANGE_COUNT];
    bl_count_changes(comparison->rows, comparison->count, counts);
    json_t *changes = json_object(), *rows = json_array();
    for (unsigned change = 0; change < BL_CHANGE_COUNT; change++)
        json_object_set_new(changes, bl_change_name((enum bl_change)change),
                            json_integer((json_int_t)counts[change]));
    for (size_t i = 0; i < comparison->count; i++)
        json_array_append_new(rows, row_object(&comparison->rows[i]));
    return bl_json_dump(json_pack("{s:f, s:o, s:o, s:o, s:o}", "threshold", comparison->threshold,
                                  "before", run_object(&comparison->before->about), "after",
                                  run_object(&comparison->after->about), "changes", changes,
                                  "rows", rows),
                        file, error);
}
