/* Whether this program writes JSON. */
#ifndef BANKLINE_REPORT_JSON_IS_BUILT_H
#define BANKLINE_REPORT_JSON_IS_BUILT_H

#include "base/status.h"

/* BL_OK; or BL_USAGE, which says so, where it was built without jansson. */
enum bl_status bl_json_is_built(struct bl_error *error);

#endif
