/* Inside host/report only: values of JSON, through jansson. */
#ifndef BANKLINE_REPORT_JSON_VALUES_H
#define BANKLINE_REPORT_JSON_VALUES_H

#include <jansson.h>
#include <stdio.h>

#include "status.h"

/* A text that may not be UTF-8, as a driver's name: then each byte beyond ASCII becomes '?'. */
json_t *bl_json_text(const char *bytes, size_t length);

json_t *bl_json_number_or_null(double value);

/* Writes and frees root; NULL, or what it could not write for lack of memory, is BL_NO_MEMORY. */
enum bl_status bl_json_dump(json_t *root, FILE *file, struct bl_error *error);

#endif
