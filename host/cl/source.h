/* Kernel sources: embedded in the program, or read from a folder (--kernel-dir) while one works on
 * them. */
#ifndef BANKLINE_CL_SOURCE_H
#define BANKLINE_CL_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"

/* The files of kernels/, embedded at build time; the last entry has null pointers. */
extern const struct bl_embedded bl_embedded_sources[];

/* Loads a kernel file from a folder, or the embedded one if folder is NULL. #include "..." lines
 * are replaced by the files they name, with #line directives, so that a compiler's message names
 * the right file and line. The caller frees *text. BL_FILE_FAILED when a file is missing or cannot
 * be read, BL_NO_MEMORY. */
enum bl_status bl_source_load(const char *folder, const char *name, char **text,
                              struct bl_error *error);

/* Adds a source to a hash (bl_hash_add). Comments, #line directives and the amount of white space
 * do not count: editing those does not change what is measured. */
uint64_t bl_source_hash(uint64_t hash, const char *text);

/* Some compilers ignore #line and print "<kernel>:N:", where N counts lines of the combined text.
 * Rewrites these places in a build log as file and line, as far as the log's capacity allows. text:
 * as from bl_source_load. */
void bl_source_place(const char *text, char *log, size_t capacity);

#endif
