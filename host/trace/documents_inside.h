/* Inside host/trace only: what the documents of a trace share. */
#ifndef BANKLINE_TRACE_DOCUMENTS_INSIDE_H
#define BANKLINE_TRACE_DOCUMENTS_INSIDE_H

#include "trace/documents.h"

/* The numbers of a row in the order of the documents' columns; those of the row alone come first.
 */
enum { BL_TRACE_SCHEMA = 1, BL_TRACE_OF_ROW = 12, BL_TRACE_NUMBERS = 20 };
extern const char *const bl_trace_number_names[BL_TRACE_NUMBERS];

void bl_trace_numbers_of(const struct bl_trace *trace, const struct bl_trace_row *row,
                         double numbers[BL_TRACE_NUMBERS]);

#endif
