/* Where a command's rows go: the table, the files that the options name, and what all rows say of
 * the run. */
#ifndef BANKLINE_CLI_OUTPUT_H
#define BANKLINE_CLI_OUTPUT_H

#include "base/file.h"
#include "cl/device.h"
#include "cli/settings.h"
#include "report/sink.h"

struct bl_output {
    struct bl_run_info run;
    struct bl_view view;
    struct bl_sinks *sinks;
    char results_path[4096]; /* of the file in that folder, or empty */
};

/* Whether rows go anywhere but to the table. */
bool bl_output_is_wanted(const struct bl_output_settings *settings);

/* BL_USAGE when two of the files, or one of them and a file that is read, are the same. input may
 * be NULL, or the name of a built-in machine, which is no file. */
enum bl_status bl_output_check(const struct bl_output_settings *settings, const char *role,
                               const char *input, struct bl_error *error);

/* Where to print what is no row: standard output, or standard error when one of the files is
 * standard output. */
FILE *bl_output_words(const struct bl_output_settings *settings);

/* A view for this process's terminal: colour and width as standard output has them. */
struct bl_view bl_view_of_terminal(bool quiet);

/* Opens the files before anything is measured, and describes the run: device is NULL for the model
 * alone. has_table: the rows go to the table too. output->view is set by the caller; output must
 * not move until it is closed. Fails as bl_sinks_open; it needs no closing then. */
enum bl_status bl_output_open_run(const struct bl_output_settings *settings,
                                  const struct bl_device *device, bool has_table,
                                  struct bl_output *output, struct bl_error *error);

/* Writes a comparison to the table and the files, and closes them. */
enum bl_status bl_output_comparison(const struct bl_output_settings *settings, bool quiet,
                                    const struct bl_comparison *comparison, struct bl_error *error);

/* The same of a fleet. */
enum bl_status bl_output_fleet(const struct bl_output_settings *settings, bool quiet,
                               const struct bl_fleet *fleet, struct bl_error *error);

/* Ends the table and the documents and closes everything; is_complete: every row was written. Where
 * it is not, files that were there before stay, and documents are not written. The first failure.
 */
enum bl_status bl_output_close(struct bl_output *output, bool is_complete, struct bl_error *error);

#endif
