/* Kernel sources: embedded in the program, or read from a folder during development. */
#ifndef BANKLINE_CL_SOURCE_H
#define BANKLINE_CL_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"

/* Made from kernels/ at build time; ends with a row of null pointers. */
extern const struct bl_embedded bl_embedded_sources[];

/* The text of a kernel file with its #include "..." lines replaced by the files they name, and
 * #line directives, so that a compiler's message names the right file and line. folder is NULL
 * for the embedded files. The caller frees *text. BL_FILE_FAILED when a file is missing or cannot
 * be read, BL_NO_MEMORY. */
enum bl_status bl_source_load(const char *folder, const char *name, char **text,
                              struct bl_error *error);

/* Adds a text to a hash (bl_hash_add), ignoring comments, #line directives and the amount of white
 * space. */
uint64_t bl_source_hash(uint64_t hash, const char *text);

/* Some compilers ignore #line and print "<kernel>:N:" with a line number of the combined text.
 * Rewrites these places in a build log to the file and its line, as far as space allows. */
void bl_source_place(const char *text, char *log, size_t capacity);

#endif
