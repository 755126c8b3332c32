/* A comparison as JSON, through jansson. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/document_writers.h"
#include "report/json_values.h"

static json_t *text(const char *bytes) { return bl_json_text(bytes, strlen(bytes)); }

static json_t *run_object(const struct bl_row *about, bool *whole)
{
    const struct {
        const char *name, *value;
    } fields[] = {
        {"run_id", about->run_id},
        {"time_utc", about->time_utc},
        {"tool_version", about->tool_version},
        {"host", about->host},
        {"device", about->device},
        {"driver", about->driver},
        {"os", about->os},
        {"cpu", about->cpu},
        {"governor", about->governor},
    };
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        bl_json_add(object, fields[i].name, text(fields[i].value), whole);
    return object;
}

/* null for a row that is not there. */
static json_t *side_object(const struct bl_run_row *row, bool *whole)
{
    if (!row)
        return json_null();
    json_t *object = json_object();
    if (row->reason) {
        bl_json_add(object, "reason", text(row->reason), whole);
        return object;
    }
    bl_json_add(object, "ratio", json_real(row->ratio.median), whole);
    bl_json_add(object, "lo", json_real(row->ratio.lo), whole);
    bl_json_add(object, "hi", json_real(row->ratio.hi), whole);
    bl_json_add(object, "rate", bl_json_number_or_null(row->rate), whole);
    return object;
}

static json_t *row_object(const struct bl_compared *row, bool *whole)
{
    static const char *const names[] = {"case",   "type", "shape", "lanes", "working_set_bytes",
                                        "machine"};
    json_t *object = json_object();
    bl_json_add(object, "change", json_string(bl_change_name(row->change)), whole);
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t length;
        const char *part = bl_key_part(row->key, i, &length);
        const bool is_number = i == 3 || i == 4;
        bl_json_add(object, names[i],
                    is_number ? json_integer((json_int_t)strtoll(part, NULL, 10))
                              : bl_json_text(part, length),
                    whole);
    }
    bl_json_add(object, "by", bl_json_number_or_null(row->by), whole);
    bl_json_add(object, "absolute", json_boolean(row->is_absolute), whole);
    bl_json_add(object, "before", side_object(row->before, whole), whole);
    bl_json_add(object, "after", side_object(row->after, whole), whole);
    return object;
}

enum bl_status bl_write_comparison_json(FILE *file, const struct bl_document_content *content,
                                        struct bl_error *error)
{
    const struct bl_comparison *comparison = content->comparison;
    size_t counts[BL_CHANGE_COUNT];
    bl_count_changes(comparison->rows, comparison->count, counts);
    bool whole = true;
    json_t *root = json_object(), *changes = json_object(), *rows = json_array();
    for (unsigned change = 0; change < BL_CHANGE_COUNT; change++)
        bl_json_add(changes, bl_change_name((enum bl_change)change),
                    json_integer((json_int_t)counts[change]), &whole);
    for (size_t i = 0; i < comparison->count; i++)
        bl_json_append(rows, row_object(&comparison->rows[i], &whole), &whole);
    bl_json_add(root, "threshold", json_real(comparison->threshold), &whole);
    bl_json_add(root, "before", run_object(&comparison->before->about, &whole), &whole);
    bl_json_add(root, "after", run_object(&comparison->after->about, &whole), &whole);
    bl_json_add(root, "changes", changes, &whole);
    bl_json_add(root, "rows", rows, &whole);
    return bl_json_dump(root, whole, file, error);
}
