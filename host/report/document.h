/* Runs, and comparisons of two, as documents for other programs: written when all rows are known.
 */
#ifndef BANKLINE_REPORT_DOCUMENT_H
#define BANKLINE_REPORT_DOCUMENT_H

#include <stdbool.h>
#include <stdio.h>

#include "report/compare.h"

enum bl_document {
    BL_DOCUMENT_JSON,           /* every column and every sample; needs jansson */
    BL_DOCUMENT_BENCHMARK_JSON, /* Google Benchmark's, for its compare.py; needs jansson; runs alone
                                 */
    BL_DOCUMENT_JUNIT,          /* JUnit XML, a test case a row; needs libxml2 */
    BL_DOCUMENT_PROMETHEUS,     /* for node_exporter's text-file collector */
    BL_DOCUMENT_MARKDOWN,       /* a table for a pull request */
    BL_DOCUMENT_CSV, /* comparisons alone: a run's is written row by row (report/csv.h) */
    BL_DOCUMENT_COUNT
};

/* Of a run, or of a comparison where that is not NULL. */
struct bl_document_content {
    const struct bl_row *rows; /* of one run */
    size_t count;
    const struct bl_comparison *comparison;
};

/* Writes it in the C locale. BL_OK; BL_USAGE when this program was built without the library that
 * it needs; BL_NO_MEMORY; what the file made of it, ferror tells. */
enum bl_status bl_document_write(enum bl_document document, FILE *file,
                                 const struct bl_document_content *content, struct bl_error *error);

/* Whether this program can write it; else the library that it lacks in *library. */
bool bl_document_is_built(enum bl_document document, const char **library);

/* Replaces the file at path (report/replace.h). Fails as bl_replace_file and bl_document_write do.
 */
enum bl_status bl_document_save(enum bl_document document, const char *path,
                                const struct bl_document_content *content, struct bl_error *error);

#endif
