/* Inside host/report only: values of JSON, through jansson. */
#ifndef BANKLINE_REPORT_JSON_VALUES_H
#define BANKLINE_REPORT_JSON_VALUES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"

/* A text that may not be UTF-8, as a driver's name: then '?' in place of each stray byte, and at
 * most 1023 bytes of it. */
json_t *bl_json_text(const char *bytes, size_t length);

json_t *bl_json_number_or_null(double value);

/* Adds a value, which it takes, to an object or to an array; false, for good, in *whole when there
 * is no memory for it. Either may be NULL for that reason. */
void bl_json_add(json_t *object, const char *key, json_t *value, bool *whole);
void bl_json_append(json_t *array, json_t *value, bool *whole);

/* Writes and frees root; BL_NO_MEMORY when it is not whole, or cannot be written for lack of
 * memory. */
enum bl_status bl_json_dump(json_t *root, bool whole, FILE *file, struct bl_error *error);

#endif
