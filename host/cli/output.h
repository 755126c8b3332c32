/* A command's output, and the options that choose its files. Rows go to a table on the terminal and
 * to files in the formats of report/sink.h. Documents that only one command writes go to files, and
 * progress goes to the terminal. */
#ifndef BANKLINE_CLI_OUTPUT_H
#define BANKLINE_CLI_OUTPUT_H

#include "base/file.h"
#include "cl/device.h"
#include "cli/command.h"
#include "report/sink.h"

/* The files to which rows are written. A member is NULL if its option is not given. */
struct bl_output_settings {
    const char *paths[BL_MAX_FORMATS]; /* files, in the order of bl_formats */
    const char *results;               /* folder of results */
    bool on_stderr; /* not an option: whether standard output is used for another document */
};

/* The options --csv and --results, for a bl_output_settings. */
extern const struct bl_option bl_csv_options[], bl_results_options[];

/* Options for a bl_output_settings: the formats of a run, of a comparison of two runs, and of a
 * report on a fleet. For struct bl_option_part. */
bool bl_run_format_option(size_t i, struct bl_option *option);
bool bl_change_format_option(size_t i, struct bl_option *option);
bool bl_fleet_format_option(size_t i, struct bl_option *option);

/* The options that select rows, for a struct bl_plan_filter (run/plan.h). */
extern const struct bl_option bl_plan_options[];

/* Settings for comparing two runs. */
struct bl_change_settings {
    double threshold; /* size of change to detect, a fraction */
    bool absolute, quiet;
    bool requires_all; /* whether rows that the new run was not asked for count as missing, too */
    bool all;          /* whether unclear and unchanged rows are listed, too */
    bool on_stderr;    /* not an option: whether another document, such as the run's CSV, goes to
                          standard output */
    bool knows_spread; /* not an option: whether the old run represents many runs
                          (bl_history_typical) */
    struct bl_output_settings output;
};

#define BL_CHANGE_DEFAULTS \
    {                      \
        .threshold = 0.02  \
    }

extern const struct bl_option bl_change_options[];

/* The option parts of a command. `at` is the offset of the struct bl_change_settings in the
 * command's settings. */
#define BL_CHANGE_PARTS(at)                                        \
    {.options = bl_change_options, .offset = at},                  \
    {                                                              \
        .option = bl_change_format_option,                         \
        .offset = at + offsetof(struct bl_change_settings, output) \
    }

struct bl_fleet;
struct bl_plan_filter;
struct bl_run_rows;

struct bl_output {
    struct bl_run_info *run; /* borrowed; bl_output_open_run fills it in */
    struct bl_view view;
    struct bl_sinks *sinks;
    char results_path[4096]; /* path of the file in the folder of --results; "" without --results */
};

/* Whether rows are written to any file. */
bool bl_output_is_wanted(const struct bl_output_settings *settings);

/* Fails with BL_USAGE if two of the output files are the same, or if one of them is `input`, a file
 * that the command reads. `input` may be NULL or the name of a built-in machine; `role` names the
 * input in the message. */
enum bl_status bl_output_check(const struct bl_output_settings *settings, const char *role,
                               const char *input, struct bl_error *error);

/* The stream for text other than rows: standard output, or standard error if one of the files is
 * standard output or on_stderr is set. */
FILE *bl_output_words(const struct bl_output_settings *settings);

/* Settings of tables for standard output: whether they have colours, and the terminal's width. */
struct bl_view bl_view_of_terminal(bool quiet);

/* Opens the files, which must happen before anything is measured, and describes the run in
 * *output->run. `device` is NULL if only the model is used. asked: the cases and shapes that the
 * command line asked for; NULL if the command does not use the catalogue. has_table: whether the
 * rows also go to the table. The caller sets output->run and output->view first. *output must not
 * move until it is closed. Fails as bl_sinks_open does; after a failure there is nothing to close.
 */
enum bl_status bl_output_open_run(const struct bl_output_settings *settings,
                                  const struct bl_device *device,
                                  const struct bl_plan_filter *asked, bool has_table,
                                  struct bl_output *output, struct bl_error *error);

/* Compares the rows of the cases that the globs match (all rows if there are no globs). Prints the
 * comparison, in which the runs are called `names`, and writes the files. Prints it even if a file
 * cannot be opened. Returns BL_OK; BL_BAD_NEWS if a row is slower, missing or broken;
 * BL_UNKNOWN_CASE if neither run has such a case; BL_NO_MEMORY; or the failure of a file. */
enum bl_status bl_comparison_report(const struct bl_change_settings *settings,
                                    const struct bl_run_rows *before,
                                    const struct bl_run_rows *after, const char *const names[2],
                                    const char *const globs[], size_t glob_count,
                                    struct bl_error *error);

/* Prints the table of a fleet, and writes the files. Fails as bl_sinks_fleet does. */
enum bl_status bl_output_fleet(const struct bl_output_settings *settings, bool quiet,
                               const struct bl_fleet *fleet, struct bl_error *error);

/* Ends the table and the documents, and closes everything. is_complete: whether every row was
 * written. If not, documents are not written, and existing files stay; the rows of a growing format
 * are kept (base/file.h). Returns the first failure. */
enum bl_status bl_output_close(struct bl_output *output, bool is_complete, struct bl_error *error);

/* The functions below are for commands that write their own documents. Each file is written whole
 * or not at all. */

/* Opens the first `count` of `all` paths for writing; files[i] stays NULL if paths[i].path is NULL.
 * The other paths are only checked. Fails with BL_USAGE if an output and another path are the same
 * file, or as bl_file_open does. The caller closes the files, even after a failure. */
enum bl_status bl_whole_files_open(const struct bl_named_path paths[], size_t all, size_t count,
                                   struct bl_file *files[], struct bl_error *error);

/* Closes every file, even after a failure, and sets it to NULL. is_complete[i]: whether file i was
 * written completely; if not, it is discarded. Returns the first failure. */
enum bl_status bl_whole_files_close(struct bl_file *files[], const bool is_complete[], size_t count,
                                    struct bl_error *error);

/* The stream for text that does not go to the files: standard output, or standard error if one of
 * the files is standard output. */
FILE *bl_whole_files_words(struct bl_file *const files[], size_t count);

/* The progress line on standard error, if that is a terminal. Each text overwrites the previous
 * one. */
struct bl_progress {
    bool is_on, is_shown;
    char line[200];
};

/* Enables the progress line if standard error is a terminal that can erase a line, and quiet is
 * false. */
struct bl_progress bl_progress_begin(bool quiet);

/* Shows the line (printf's format), cut to the terminal's width. */
void bl_progress_show(struct bl_progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void bl_progress_clear(struct bl_progress *progress);

/* Hides the line before a kernel is built, because PoCL then prints texts such as "1 warning
 * generated."; shows it again if is_over is true. For bl_run_settings.building. */
void bl_progress_make_way(void *progress, bool is_over);

#endif
