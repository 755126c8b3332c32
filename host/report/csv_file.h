/* A CSV that grows row by row, and of which a reader always finds whole lines.
 *
 * Where there is a file already, the rows go to `path.part` beside it, which takes its place when
 * it is closed and whole; the old file is as it was until then, and afterwards if anything failed.
 * Where there is none, or no regular file, the rows go to the path itself.
 */
#ifndef BANKLINE_REPORT_CSV_FILE_H
#define BANKLINE_REPORT_CSV_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "report/row.h"

struct bl_csv_file {
    FILE *file;                      /* NULL: not open */
    char path[4096], part[4096 + 8]; /* part is empty when the rows go to path itself */
    long whole;                      /* bytes of whole lines */
    bool is_regular, failed;
    char buffer[1 << 15]; /* more than the longest row: a row is one write */
};

/* Opens it and writes the header. BL_FILE_FAILED with the path; nothing is open then. The struct
 * must not move until it is closed. */
enum bl_status bl_csv_open(const char *path, struct bl_csv_file *csv, struct bl_error *error);

/* Writes a row to the end. BL_FILE_FAILED with the path: the row is not in the file, nor a part of
 * it. */
enum bl_status bl_csv_add(struct bl_csv_file *csv, const struct bl_row *row,
                          struct bl_error *error);

/* Closes what is open; is_whole: all rows were added, and it may take the old file's place. BL_OK,
 * or BL_FILE_FAILED with the path, and where the rows are. */
enum bl_status bl_csv_close(struct bl_csv_file *csv, bool is_whole, struct bl_error *error);

#endif
