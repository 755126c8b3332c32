/* Stores runs in a SQLite database. The database uses write-ahead logging, so that readers do not
 * wait for a writer. SQLite's write-ahead logging does not work on a network share.
 *
 * A run is identified by its run_id, and a row of a run by its key. The database keeps everything
 * that a CSV contains. So an export equals the CSV that was added, except that it has the newest
 * schema and the machines' present names. */
#ifndef BANKLINE_HISTORY_DATABASE_H
#define BANKLINE_HISTORY_DATABASE_H

#include "report/csv.h"
#include "report/run.h"

struct bl_history;

/* The default path of the history: bankline/history.db in XDG_DATA_HOME or ~/.local/share.
 * Fails with BL_FILE_FAILED if there is no home folder or the path is too long. */
enum { BL_HISTORY_PATH = 4096 };
enum bl_status bl_history_default_path(char path[BL_HISTORY_PATH], struct bl_error *error);

enum bl_history_use {
    BL_HISTORY_READ,         /* does not change the file, which may be read-only or have an older
                                schema */
    BL_HISTORY_READ_OR_NONE, /* like BL_HISTORY_READ, but a missing or empty file reads as a history
                                without runs */
    BL_HISTORY_ADD           /* upgrades an older database; a missing file is created when the first
                                CSV has been read, so an invalid CSV creates no file */
};

/* Opens the database. Fails with BL_FILE_FAILED, for example if the file is locked, not a database
 * or, for BL_HISTORY_ADD, read-only. Fails with BL_BAD_FORMAT if the file belongs to another
 * program or a newer bankline; the file then stays unchanged. The caller closes *history, which is
 * NULL after a failure. */
enum bl_status bl_history_open(const char *path, enum bl_history_use use,
                               struct bl_history **history, struct bl_error *error);
void bl_history_close(struct bl_history *history);

/* Sets how long to wait for another writer; the default is 30 s. */
void bl_history_set_busy_timeout(struct bl_history *history, int milliseconds);

struct bl_history_added {
    size_t runs;          /* new runs */
    size_t rows;          /* rows that are new, received values that they lacked, or moved to a
                             later position */
    bool database_failed; /* the database caused the failure, and not the CSV, so adding other files
                             may fail, too */
};

/* Adds all runs of a CSV ("-" is standard input), or none if anything fails. If the history already
 * has a run, the run's missing rows and values are added. Fails like bl_csv_read, or if the
 * database fails (BL_FILE_FAILED). Fails with BL_BAD_FORMAT also for a file without rows, a row
 * without a run_id, an invalid time, a duplicate row, or a run or row that differs from the stored
 * one. After a failure the database is unchanged, and the sentence in error names the CSV. */
enum bl_status bl_history_add(struct bl_history *history, const char *csv_path,
                              struct bl_history_added *added, struct bl_error *error);

/* Called for each run, oldest first. `rows` is the number of the run's rows, `without_number` the
 * number of these that have no measured ratio. A status other than BL_OK ends the reading. */
typedef enum bl_status bl_history_run_handler(void *context, const struct bl_run_info *run,
                                              size_t rows, size_t without_number,
                                              struct bl_error *error);
enum bl_status bl_history_runs(struct bl_history *history, bl_history_run_handler *handle,
                               void *context, struct bl_error *error);

/* Passes all rows of all runs to the handler. The oldest run comes first; the rows of a run come in
 * the order of the CSV. The handler's `line` is the row's position in its run. */
enum bl_status bl_history_rows(struct bl_history *history, bl_row_handler *handle, void *context,
                               struct bl_error *error);

/* The points (measurements) of one row on one card, oldest first; valid only during the call. A
 * point has a number if its ratio was measured (bl_row_has_number). */
struct bl_series {
    const struct bl_run_info *runs;
    const struct bl_row *points; /* both arrays have `count` elements, at least 1 */
    size_t count;
};
typedef enum bl_status bl_series_handler(void *context, const struct bl_series *series,
                                         struct bl_error *error);

/* Calls the handler for the series of every row whose case has this id, is of this suite or matches
 * this glob. `device` selects the card whose device_id is this text or begins with it. If several
 * device_ids begin with the text and none is equal to it, the function fails with BL_USAGE. If no
 * device_id begins with the text, `device` selects the devices with this name or, if there are
 * none, the devices whose name or platform contains the text, ignoring case. NULL selects all
 * devices. For each row and device, the runs without a device_id form one series. */
enum bl_status bl_history_series(struct bl_history *history, const char *case_glob,
                                 const char *device, bl_series_handler *handle, void *context,
                                 struct bl_error *error);

/* Whether the history has more than BL_FEW_CARDS cards with a device_id. If so, reports summarize
 * each row over all cards, because a person cannot read every row of every card. */
enum { BL_FEW_CARDS = 16 };
enum bl_status bl_history_has_fleet(struct bl_history *history, bool *has, struct bl_error *error);

/* Summarizes one row over all cards with the same device name on one UTC day. If a card has several
 * runs on that day, only the last run in which the row has a number counts. */
struct bl_fleet_night {
    char date[11], device[sizeof((struct bl_run_info *)0)->device];
    struct bl_row_key key;
    size_t cards;          /* number of cards with a ratio */
    double median, spread; /* median of the ratios, and their spread (bl_usual_of), a fraction */
    double lowest, highest;
    char lowest_card[64], highest_card[64]; /* device_id; the host if there is no device_id */
};
typedef enum bl_status bl_fleet_night_handler(void *context, const struct bl_fleet_night *night,
                                              struct bl_error *error);

/* Calls the handler for every row whose case has this id, is of this suite or matches this glob,
 * and for each of the last seven days (up to the newest run) on which the row has a number. The
 * calls are sorted by device, row and day. */
enum bl_status bl_history_fleet_nights(struct bl_history *history, const char *case_glob,
                                       bl_fleet_night_handler *handle, void *context,
                                       struct bl_error *error);

/* Returns the index after the last point that has a number, among the first `count` points; 0 if no
 * point has a number. */
size_t bl_end_of_numbers(const struct bl_series *series, size_t count);

/* The runs of a card that were asked for a row, and that came after the last run in which the row
 * has a number. requires_all: as in struct bl_comparing. */
struct bl_lacking_runs {
    size_t count;
    char first[32]; /* time of the first of these runs; "" if there are none */
};
enum bl_status bl_history_lacking_runs(struct bl_history *history, const struct bl_series *series,
                                       bool requires_all, struct bl_lacking_runs *lacking,
                                       struct bl_error *error);

/* Finds the run of the same card that was added to the history just before `now` (or, if the
 * history lacks `now`, the run that was added last). Sets `later` to the time of that run if it is
 * later than the time of `now`, which means that the host's clock is or was wrong; otherwise to "".
 */
enum bl_status bl_history_later_run(struct bl_history *history, const struct bl_run_info *now,
                                    char later[64], struct bl_error *error);

#endif
