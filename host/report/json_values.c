#include "report/json_values.h"

#include <math.h>

#include "base/text.h"

json_t *bl_json_text(const char *bytes, size_t length)
{
    json_t *value = json_stringn(bytes, length);
    if (value)
        return value;
    char text[1024];
    return json_stringn(text, bl_utf8_copy(text, sizeof text, bytes, length));
}

json_t *bl_json_number_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
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

enum bl_status bl_json_dump(json_t *root, bool whole, FILE *file, struct bl_error *error)
{
    /* Its own error indicator says what the file did wrong. */
    const bool is_written =
        root && whole &&
        (json_dumpf(root, file, JSON_INDENT(1) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(7)) ==
             0 ||
         ferror(file));
    json_decref(root);
    if (!is_written)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the JSON");
    fputc('\n', file);
    return BL_OK;
}
