/* The files that a command writes its rows to, and what every row says of the run. */
#ifndef BANKLINE_CLI_OUTPUT_H
#define BANKLINE_CLI_OUTPUT_H

#include "cl/device.h"
#include "cli/options.h"
#include "report/csv_file.h"

struct bl_output {
    const struct bl_options *options;
    struct bl_row run;   /* the columns that all rows share */
    struct bl_row *rows; /* kept for the documents, which are written when all rows are there */
    size_t count, capacity;
    bool is_open;                /* documents are written when it is closed */
    struct bl_csv_file files[2]; /* of --csv and --results, where wanted */
};

/* Whether rows go anywhere but to the terminal. */
bool bl_output_is_wanted(const struct bl_options *options);

/* Opens the files and writes their headers, before anything is measured. device is NULL for the
 * model alone. BL_FILE_FAILED names the file; BL_USAGE when a document is asked for that this
 * program cannot write; the output needs no closing then. */
enum bl_status bl_output_open(const struct bl_options *options, const struct bl_device *device,
                              struct bl_output *output, struct bl_error *error);

/* Adds the run's columns to row and writes it to every file, to the end. The row's samples are the
 * output's from then on. */
enum bl_status bl_output_row(struct bl_output *output, struct bl_row *row, struct bl_error *error);

/* Writes the documents, and closes everything; is_whole: every row was written. Where it is not,
 * the files that were there before stay, but for the CSVs' rows (report/csv_file.h). The first
 * failure, of any file. */
enum bl_status bl_output_close(struct bl_output *output, bool is_whole, struct bl_error *error);

#endif
