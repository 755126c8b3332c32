/* Predicted times with the suggested layouts. */
#ifndef BANKLINE_TRACE_PREDICTED_FIXES_H
#define BANKLINE_TRACE_PREDICTED_FIXES_H

#include "trace/suggest.h"

/* Fills in predicted_ns of each suggestion of another layout, by simulating the kernel's last
 * simulated launch with the suggested addresses. Kernels with a suggestion to swap ids are skipped,
 * because their other suggestions assume the swap. Call it after bl_predict_finish. BL_NO_MEMORY.
 */
enum bl_status bl_predict_fixes(const struct bl_trace *trace, struct bl_suggestions *suggestions,
                                struct bl_error *error);

#endif
