/* Which file a line of a program's source is from. OpenCL programs are built from texts; where such
 * a text holds a file that is found, whole, its lines are told as that file's. */
#ifndef BANKLINE_TRACE_SOURCES_H
#define BANKLINE_TRACE_SOURCES_H

#include "trace/trace.h"

/* Looks for files of OpenCL C (.cl, .ocl, .clh, .h, .hpp of at most 1 MiB) in the working folder
 * and in those that `words`, ended by NULL, name or lie in, and two levels below; names the rows'
 * files by what it finds, and the others "source N". To be called once, for a trace that is
 * finished. BL_NO_MEMORY. */
enum bl_status bl_trace_name_files(struct bl_trace *trace, const char *const words[],
                                   struct bl_error *error);

#endif
