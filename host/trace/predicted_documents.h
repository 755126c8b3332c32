/* Measured and predicted times of kernels in the documents of a trace. Inside host/trace only. */
#ifndef BANKLINE_TRACE_PREDICTED_DOCUMENTS_H
#define BANKLINE_TRACE_PREDICTED_DOCUMENTS_H

#include <stdio.h>

#include "report/json_values.h"
#include "trace/trace.h"

/* A table of the kernels' measured times; nothing if the program was not timed. */
void bl_timed_markdown(FILE *file, const struct bl_trace *trace);

/* A table of all kernels; nothing if no times were to be predicted. */
void bl_predicted_markdown(FILE *file, const struct bl_trace *trace);

#ifdef BL_WITH_JANSSON
/* Adds "predicted" to a kernel, null without a prediction, and "why_not_predicted". */
void bl_predicted_json(json_t *kernel, const struct bl_predicted *predicted, bool *whole);
#endif

#endif
