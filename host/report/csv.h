/* The tidy CSV: one header line, one row a case, RFC 4180 quoting, numbers in the C locale.
 *
 * Lines end in a line feed. A line feed or carriage return inside a field is quoted as it is.
 */
#ifndef BANKLINE_REPORT_CSV_H
#define BANKLINE_REPORT_CSV_H

#include <stdio.h>

#include "report/row.h"

/* Writes a field's text of this length, quoted where it must be. */
void bl_csv_text(FILE *file, const char *text, size_t length);

/* Write the header line, or one row, and flush. BL_FILE_FAILED with errno's words; the caller
 * adds which file. */
enum bl_status bl_csv_header(FILE *file, struct bl_error *error);
enum bl_status bl_csv_row(FILE *file, const struct bl_row *row, struct bl_error *error);

/* Called for each row in order, with the line in which it begins; what it returns but BL_OK ends
 * the reading. */
typedef enum bl_status bl_row_handler(void *context, const struct bl_row *row, size_t line,
                                      struct bl_error *error);

/* Reads a file that bl_csv_header and bl_csv_row wrote, without keeping its rows. BL_BAD_FORMAT
 * with the line when it is not such a file, BL_FILE_FAILED, BL_NO_MEMORY, or what the handler
 * returned. */
enum bl_status bl_csv_each(FILE *file, bl_row_handler *handle, void *context,
                           struct bl_error *error);

/* Reads all rows of a file that bl_csv_header and bl_csv_row wrote; the caller frees *rows.
 * Fails as bl_csv_each does. */
enum bl_status bl_csv_read(FILE *file, struct bl_row **rows, size_t *count, struct bl_error *error);

#endif
