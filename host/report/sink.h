/* A sink receives rows and writes them in one format, such as the table on the terminal, CSV or
 * JSON.
 *
 * Each format is a const struct bl_format in a source file; sink.c lists the formats. A format
 * writes runs, comparisons of two runs, or fleets to a stream, in the C locale. It judges nothing:
 * the verdicts and findings are in the rows. */
#ifndef BANKLINE_REPORT_SINK_H
#define BANKLINE_REPORT_SINK_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"

struct bl_compared;
struct bl_comparison;
struct bl_fleet;
struct bl_machine;
struct bl_row;
struct bl_run_info;

/* How to print the table. */
struct bl_view {
    const struct bl_machine *machine; /* the machine that makes the predictions */
    double arrays_per_unit;           /* argument of bl_level_figures */
    double tolerance;                 /* tolerance of the verdicts, a fraction */
    bool quiet;                       /* whether to print only the last lines */
    bool all;                         /* whether a comparison lists all rows */
    bool by_level;                    /* whether to print the rows' levels instead of their
                                         claims */
    bool colour;
    bool on_stderr;      /* whether the table goes to standard error even if no other sink writes to
                            standard output */
    unsigned width;      /* characters per line, as from bl_line_width (report/layout.h) */
    unsigned case_width; /* length of the longest case id of the run; 0 if unknown */
};

struct bl_sink {
    const struct bl_format *format;
    FILE *stream;
    const struct bl_view *view;
    const struct bl_run_info *run;          /* the run; NULL for a comparison or a fleet */
    const struct bl_comparison *comparison; /* the comparison; NULL for a run or a fleet */
    void *state;                            /* owned by the format, whose `end` frees it */
    struct bl_error *error;                 /* receives the reason if a function fails; may be
                                               NULL */
};

/* The functions of a format; unused functions are NULL. The functions return BL_OK, or BL_NO_MEMORY
 * with the reason in sink->error; check ferror for write errors. After `begin`, `end` is always
 * called, even after a failure. If is_complete, everything was written, and `end` finishes the
 * document. */
struct bl_run_writer {
    enum bl_status (*begin)(struct bl_sink *sink);
    enum bl_status (*row)(struct bl_sink *sink, const struct bl_row *row);
    enum bl_status (*end)(struct bl_sink *sink, bool is_complete);
};
struct bl_change_writer {
    enum bl_status (*begin)(struct bl_sink *sink);
    enum bl_status (*row)(struct bl_sink *sink, const struct bl_compared *row);
    enum bl_status (*end)(struct bl_sink *sink, bool is_complete);
};

struct bl_format {
    const char *name; /* name of the format's option: "json" for --json FILE; NULL for the table */
    const char *help; /* help of the option */
    /* name of a library that the format needs, if the program was built without this library; else
     * NULL */
    const char *lacks;
    bool is_growing; /* whether rows are visible in the file as soon as they are written
                        (base/file.h) */
    bool writes_runs, writes_changes;
    struct bl_run_writer run;
    struct bl_change_writer changes;
    /* Writes a fleet; NULL if the format cannot represent fleets. */
    enum bl_status (*fleet)(struct bl_sink *sink, const struct bl_fleet *fleet);
    const char *fleet_help; /* help of the option for fleets */
};

/* All formats except the table; *count receives their number. */
const struct bl_format *const *bl_formats(size_t *count);
enum { BL_MAX_FORMATS = 16 };

extern const struct bl_format bl_format_table;

enum { BL_COUNTS_BYTES = 512 };

/* Appends "3 refuted" to a text such as "9 rows:" or "9 rows: 6 confirmed". Does nothing if count
 * is 0. */
void bl_table_count(char text[BL_COUNTS_BYTES], size_t count, const char *name);

/* The table of a comparison: the functions of a struct bl_change_writer. */
enum bl_status bl_changes_begin(struct bl_sink *sink);
enum bl_status bl_changes_row(struct bl_sink *sink, const struct bl_compared *row);
enum bl_status bl_changes_end(struct bl_sink *sink, bool is_complete);

/* Writes a paragraph of the table, wrapped to the table's line width. */
#define bl_say(sink, ...) bl_put_paragraph((sink)->stream, 0, 0, (sink)->view->width, __VA_ARGS__)

/* Several sinks that receive the same rows. */
struct bl_sinks;

/* A format, and the file to which it is written. */
struct bl_sink_file {
    const struct bl_format *format;
    const char *path;
};

/* Opens the files. Call this function before the measurements, so that no run is lost because a
 * file cannot be written. `view` and the data to which it points must outlive the sinks. has_table:
 * whether one of the sinks is the table, which goes to standard output, or to standard error if
 * view->on_stderr is set or a file is standard output. Fails with BL_USAGE for a format whose
 * library the program was built without; with BL_NO_MEMORY; or as bl_file_open does. The caller
 * closes *sinks, which is NULL after a failure. */
enum bl_status bl_sinks_open(const struct bl_sink_file files[], size_t count,
                             const struct bl_view *view, bool has_table, struct bl_sinks **sinks,
                             struct bl_error *error);

/* These functions begin a run, and write one of its rows. If a sink fails, the other sinks still
 * get the row, and the first failure is returned. `run` must outlive the sinks. */
enum bl_status bl_sinks_run(struct bl_sinks *sinks, const struct bl_run_info *run,
                            struct bl_error *error);
enum bl_status bl_sinks_row(struct bl_sinks *sinks, const struct bl_row *row,
                            struct bl_error *error);

/* Whether all sinks have failed, so that further rows would be lost. */
bool bl_sinks_are_lost(const struct bl_sinks *sinks);

/* Writes a whole comparison, which must outlive the sinks. */
enum bl_status bl_sinks_comparison(struct bl_sinks *sinks, const struct bl_comparison *comparison,
                                   struct bl_error *error);

/* Writes a whole fleet. Fails with BL_USAGE for a format that cannot represent fleets. */
enum bl_status bl_sinks_fleet(struct bl_sinks *sinks, const struct bl_fleet *fleet,
                              struct bl_error *error);

/* Ends every sink, closes the files and frees the sinks, which may be NULL. If is_complete,
 * everything was written, and the new files replace the old ones. Returns the first failure. */
enum bl_status bl_sinks_close(struct bl_sinks *sinks, bool is_complete, struct bl_error *error);

#endif
