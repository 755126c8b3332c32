/* A trace as CSV, JSON and Markdown, and its rows on a terminal: one table of columns for all. */
#ifndef BANKLINE_TRACE_DOCUMENTS_H
#define BANKLINE_TRACE_DOCUMENTS_H

#include <stdio.h>

#include "report/layout.h"
#include "trace/suggest.h"
#include "trace/trace.h"

struct bl_trace_origin {
    const char *tool_version;
    char time_utc[32];
};

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

/* A cell of such a table: what would end it is escaped. */
void bl_trace_markdown_cell(FILE *file, const char *text);

/* The columns of a terminal's table; returns how many. */
size_t bl_trace_columns(struct bl_layout_column columns[BL_LAYOUT_MAX_COLUMNS]);

/* A row of that table. */
void bl_trace_put_row(FILE *file, const struct bl_layout *layout, const struct bl_trace *trace,
                      const struct bl_trace_row *row);

/* A mean for people, "-" for NAN. Returns text. */
const char *bl_trace_mean_text(double mean, char text[32]);

/* The same of a fraction, "12.5 %". */
const char *bl_trace_percent_text(double fraction, char text[32]);

#endif
