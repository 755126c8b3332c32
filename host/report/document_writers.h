/* Inside host/report only: a function a document; document.h says what they are. They are
 * called in the C locale. */
#ifndef BANKLINE_REPORT_DOCUMENT_WRITERS_H
#define BANKLINE_REPORT_DOCUMENT_WRITERS_H

#include <stdio.h>

#include "report/row.h"

enum bl_status bl_write_json(FILE *file, const struct bl_row rows[], size_t count,
                             struct bl_error *error);
enum bl_status bl_write_benchmark_json(FILE *file, const struct bl_row rows[], size_t count,
                                       struct bl_error *error);
enum bl_status bl_write_junit(FILE *file, const struct bl_row rows[], size_t count,
                              struct bl_error *error);
enum bl_status bl_write_prometheus(FILE *file, const struct bl_row rows[], size_t count,
                                   struct bl_error *error);
enum bl_status bl_write_markdown(FILE *file, const struct bl_row rows[], size_t count,
                                 struct bl_error *error);

#endif
