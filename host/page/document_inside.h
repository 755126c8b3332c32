/* Inside host/page only, where JSON is built: members of an object, whatever a file has there. */
#ifndef BANKLINE_PAGE_DOCUMENT_INSIDE_H
#define BANKLINE_PAGE_DOCUMENT_INSIDE_H

#include <jansson.h>
#include <math.h>

/* "" and NAN for what is not there, or something else. */
const char *bl_json_text_of(const json_t *object, const char *key);
double bl_json_number_of(const json_t *object, const char *key);

#endif
