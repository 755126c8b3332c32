/* The CSV: one header line and one line per row, quoted as in RFC 4180, with numbers in the C
 * locale. Lines are written with LF; the reader also accepts CR LF and a byte-order mark, because
 * editors and spreadsheets add them. */
#ifndef BANKLINE_REPORT_CSV_H
#define BANKLINE_REPORT_CSV_H

#include <stdio.h>

#include "base/status.h"

struct bl_row;
struct bl_run_info;

/* Writes a field, quoted if necessary, and then `end`, such as "," or "\n". */
void bl_csv_field(FILE *file, const char *text, const char *end);

/* Write a number (bl_number_text) with up to BL_NUMBER_DIGITS significant digits, or with up to
 * `digits`, and then `end`. NAN and infinity are empty fields. Call these functions in the C
 * locale. */
void bl_csv_number(FILE *file, double number, const char *end);
void bl_csv_digits(FILE *file, double number, int digits, const char *end);

/* These functions write the header line or a row. Call them in the C locale, and check ferror for
 * write errors. */
void bl_csv_header(FILE *file);
void bl_csv_row(FILE *file, const struct bl_run_info *run, const struct bl_row *row);

/* Called for each row in order; `line` is the line in which the row begins. A status other than
 * BL_OK ends the reading. `run` and `row` are valid only during the call. */
typedef enum bl_status bl_row_handler(void *context, const struct bl_run_info *run,
                                      const struct bl_row *row, size_t line,
                                      struct bl_error *error);

/* Reads a file of any schema ("-" is standard input) and passes its rows to the handler. Columns
 * that the file's schema lacks are empty. Fails with BL_FILE_FAILED, with the path; BL_BAD_FORMAT,
 * with path and line, if the file is not such a CSV; BL_NO_MEMORY; or the handler's status, with
 * "PATH: " before the handler's sentence. */
enum bl_status bl_csv_read(const char *path, bl_row_handler *handle, void *context,
                           struct bl_error *error);

#endif
