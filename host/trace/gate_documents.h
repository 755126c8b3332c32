/* Writes the comparison of two versions as a table, CSV, JSON, Markdown and JUnit, and the figures
 * of one version in Bencher's metric format. */
#ifndef BANKLINE_TRACE_GATE_DOCUMENTS_H
#define BANKLINE_TRACE_GATE_DOCUMENTS_H

#include <stdio.h>

#include "trace/gate.h"

/* The terminal's table: kernels, and under each the accesses that changed. name: the saved file's.
 */
void bl_gate_table(FILE *file, const struct bl_gate *gate, const char *name);

/* A line for each kernel, with an empty `memory`, followed by one for each of its accesses. In the
 * C locale, like the other formats; check ferror afterwards. */
void bl_gate_csv(FILE *file, const struct bl_gate *gate);

/* The same table as bl_gate_table. */
void bl_gate_markdown(FILE *file, const struct bl_gate *gate);

/* {"schema", "machine", "threshold", "changes": {CHANGE: COUNT}, "kernels": [{..., "accesses":
 * [{...}]}]}. BL_NO_MEMORY; BL_USAGE if the program was built without jansson. */
enum bl_status bl_gate_json(FILE *file, const struct bl_gate *gate, struct bl_error *error);

/* A test case for each kernel; it fails if bl_gate_bad counts the kernel. BL_NO_MEMORY. */
enum bl_status bl_gate_junit(FILE *file, const struct bl_gate *gate, struct bl_error *error);

/* {KERNEL: {"clocks", "contiguous-clocks", "requests", "sectors": {"value"}}}, per launch. As
 * bl_gate_json. */
enum bl_status bl_saved_bencher(FILE *file, const struct bl_saved_trace *saved,
                                struct bl_error *error);

#endif
