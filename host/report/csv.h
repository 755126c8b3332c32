/* The tidy CSV: one header line, one line per row, RFC 4180 quoting, numbers in the C locale. Lines
 * that are written end in LF; readers take CR LF too, and a byte-order mark, as editors and
 * spreadsheets leave them. */
#ifndef BANKLINE_REPORT_CSV_H
#define BANKLINE_REPORT_CSV_H

#include <stdio.h>

#include "report/row.h"

/* Writes a field, quoted if necessary, and then `end`: "," or "\n". */
void bl_csv_field(FILE *file, const char *text, const char *end);

/* Writes a number with 7 digits, or nothing for NAN. In the C locale. */
void bl_csv_number(FILE *file, double number, const char *end);

/* Write the header line and a row; check ferror for write errors. In the C locale. */
void bl_csv_header(FILE *file);
void bl_csv_row(FILE *file, const struct bl_run_info *run, const struct bl_row *row);

/* Called for each row in order, with the line in which it begins; any status but BL_OK ends
 * the reading. run and row are valid during the call alone. */
typedef enum bl_status bl_row_handler(void *context, const struct bl_run_info *run,
                                      const struct bl_row *row, size_t line,
                                      struct bl_error *error);

/* Reads a file of any schema, from 1 on, without keeping its rows; columns missing from its schema
 * are empty. "-" is standard input. BL_FILE_FAILED with the path; BL_BAD_FORMAT with path and line
 * for another kind of file; BL_NO_MEMORY; the handler's status, with "PATH: " before its sentence.
 */
enum bl_status bl_csv_read(const char *path, bl_row_handler *handle, void *context,
                           struct bl_error *error);

#endif
