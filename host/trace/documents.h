/* A trace as CSV, JSON and Markdown. */
#ifndef BANKLINE_TRACE_DOCUMENTS_H
#define BANKLINE_TRACE_DOCUMENTS_H

#include <stdio.h>

#include "trace/suggest.h"
#include "trace/trace.h"

struct bl_trace_origin {
    const char *tool_version;
    char time_utc[32];
};

/* Numbers of a row as every document and the table have them: means over requests, clocks of one;
 * NAN where they do not apply. */
struct bl_trace_means {
    double lanes, lines, sectors, tag_passes, bank_passes, clocks, ideal_clocks;
};
struct bl_trace_means bl_trace_means_of(const struct bl_trace_row *row);

/* A count's mean over a row's requests; NAN where it is 0, which is where it does not apply. */
double bl_trace_mean(const struct bl_trace_row *row, uint64_t sum);

/* A line for each row; in the C locale. ferror says what the file made of it. */
void bl_trace_csv(FILE *file, const struct bl_trace *trace, const struct bl_trace_origin *origin);

/* The same as a table of Markdown, with the suggestions. */
void bl_trace_markdown(FILE *file, const struct bl_trace *trace,
                       const struct bl_suggestions *suggestions);

/* {"schema", "machine", ..., "kernels": [{"name", ..., "rows": [{...}]}], "sources": [TEXT],
 * "suggestions": [{...}]}. BL_NO_MEMORY; BL_USAGE where the program was built without jansson. */
enum bl_status bl_trace_json(FILE *file, const struct bl_trace *trace,
                             const struct bl_suggestions *suggestions,
                             const struct bl_trace_origin *origin, struct bl_error *error);

#endif
