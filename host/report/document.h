/* Runs as documents for other programs: written when all rows are known. */
#ifndef BANKLINE_REPORT_DOCUMENT_H
#define BANKLINE_REPORT_DOCUMENT_H

#include <stdbool.h>
#include <stdio.h>

#include "report/row.h"

enum bl_document {
    BL_DOCUMENT_JSON,           /* every column and every sample; needs jansson */
    BL_DOCUMENT_BENCHMARK_JSON, /* Google Benchmark's, for its compare.py; needs jansson */
    BL_DOCUMENT_JUNIT,          /* JUnit XML, a test case a row; needs libxml2 */
    BL_DOCUMENT_PROMETHEUS,     /* for node_exporter's text-file collector */
    BL_DOCUMENT_MARKDOWN,       /* a table for a pull request */
    BL_DOCUMENT_COUNT
};

/* Writes, in the C locale, the rows of one run, count >= 0 of them. BL_OK; BL_USAGE when this program was built without
 * the library that it needs; BL_NO_MEMORY; what the file made of it, ferror tells. */
enum bl_status bl_document_write(enum bl_document document, FILE *file, const struct bl_row rows[],
                                 size_t count, struct bl_error *error);

/* Whether this program can write it; else the library that it lacks in *library. */
bool bl_document_is_built(enum bl_document document, const char **library);

/* Writes it under a temporary name beside path, and renames it into place when it is whole: a
 * reader sees the old document or the new one. What is there and is no file, as /dev/stdout, is
 * written to instead. BL_FILE_FAILED with the path, or as
 * bl_document_write; the old document is as it was then. */
enum bl_status bl_document_save(enum bl_document document, const char *path,
                                const struct bl_row rows[], size_t count, struct bl_error *error);

#endif
