/* Two versions of a program, compared, as a table, CSV, JSON, Markdown and JUnit; and the figures
 * of one version in Bencher's metric format. */
#ifndef BANKLINE_TRACE_GATE_DOCUMENTS_H
#define BANKLINE_TRACE_GATE_DOCUMENTS_H

#include <stdio.h>

#include "trace/gate.h"

/* For a person: kernels, and under each the accesses that changed; name: of the saved file. */
void bl_gate_table(FILE *file, const struct bl_gate *gate, const char *name);

/* A line for each kernel, whose memory is empty, and behind it one for each of its accesses. In the
 * C locale, as are the others; ferror says what the file made of it. */
void bl_gate_csv(FILE *file, const struct bl_gate *gate);

/* The kernels, and the accesses that changed, in a table each. */
void bl_gate_markdown(FILE *file, const struct bl_gate *gate);

/* {"schema", "machine", "threshold", "changes": {CHANGE: COUNT}, "kernels": [{..., "accesses":
 * [{...}]}]}. BL_NO_MEMORY; BL_USAGE where the program was built without jansson. */
enum bl_status bl_gate_json(FILE *file, const struct bl_gate *gate, struct bl_error *error);

/* A test case for each kernel; one that is dearer or missing fails. BL_NO_MEMORY. */
enum bl_status bl_gate_junit(FILE *file, const struct bl_gate *gate, struct bl_error *error);

/* {KERNEL: {"clocks", "contiguous-clocks", "requests", "sectors": {"value"}}}, per launch. As
 * bl_gate_json. */
enum bl_status bl_saved_bencher(FILE *file, const struct bl_saved_trace *saved,
                                struct bl_error *error);

#endif
