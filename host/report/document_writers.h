/* Inside host/report only: a function a document; document.h says what they are. They are
 * called in the C locale. */
#ifndef BANKLINE_REPORT_DOCUMENT_WRITERS_H
#define BANKLINE_REPORT_DOCUMENT_WRITERS_H

#include <stdio.h>

#include "report/document.h"

typedef enum bl_status bl_document_writer(FILE *file, const struct bl_document_content *content,
                                          struct bl_error *error);

bl_document_writer bl_write_json, bl_write_benchmark_json, bl_write_junit, bl_write_prometheus,
    bl_write_markdown;
bl_document_writer bl_write_comparison_json, bl_write_comparison_junit,
    bl_write_comparison_prometheus, bl_write_comparison_markdown, bl_write_comparison_csv;

/* A label of Prometheus, escaped, after the separator; length is the value's. */
void bl_prometheus_label(FILE *file, const char *name, const char *value, size_t length,
                         const char *separator);

/* A Markdown cell: "| text "; what Markdown would take for its own is escaped. */
void bl_markdown_cell(FILE *file, const char *text, size_t length);

#endif
