/* Writes a trace as CSV, JSON, Markdown, or a table for a terminal. All four formats take their
 * columns from one table.
 *
 * If not all groups were traced (--sample, --quick, --budget), a row's counts and costs cover only
 * the traced groups, and so does a kernel's `clocks` in JSON. A row's `share` and `lost` and a
 * kernel's `totals` are estimates for all groups of all launches (launch_groups.h). The estimates
 * assume that the groups of a launch without traced groups (`untraced_launches`) cost as much as
 * the kernel's other groups. */
#ifndef BANKLINE_TRACE_DOCUMENTS_H
#define BANKLINE_TRACE_DOCUMENTS_H

#include <stdio.h>

#include "report/layout.h"
#include "trace/suggest.h"
#include "trace/trace.h"

struct bl_trace_origin {
    const char *tool_version;
    char time_utc[32];
    bool is_complete; /* the program was traced to its end */
};

/* Writes a heading, and one line per row. Call this in the C locale; check ferror for write errors.
 */
void bl_trace_csv(FILE *file, const struct bl_trace *trace, const struct bl_trace_origin *origin);

/* Writes tables of kernels, rows, replays and times in Markdown, and a list of the suggestions. */
void bl_trace_markdown(FILE *file, const struct bl_trace *trace,
                       const struct bl_suggestions *suggestions);

/* Writes {"schema", "machine", ..., "kernels": [{"name", ..., "rows": [{...}]}], "sources": [TEXT],
 * "suggestions": [{...}]}. Fails with BL_NO_MEMORY, or with BL_USAGE if bankline was built without
 * jansson. */
enum bl_status bl_trace_json(FILE *file, const struct bl_trace *trace,
                             const struct bl_suggestions *suggestions,
                             const struct bl_trace_origin *origin, struct bl_error *error);

/* Fills in the columns of the terminal's table. Returns the number of columns. */
size_t bl_trace_columns(struct bl_layout_column columns[BL_LAYOUT_MAX_COLUMNS]);

/* Writes a row of the terminal's table. */
void bl_trace_put_row(FILE *file, const struct bl_layout *layout, const struct bl_trace *trace,
                      const struct bl_trace_row *row);

/* Formats a mean: from 100 on as an integer, else with up to four significant digits; "-" if it is
 * not finite. Returns `text`. */
const char *bl_trace_mean_text(double mean, char text[32]);

#endif
