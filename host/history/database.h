/* Runs over time, in a SQLite database (WAL, so that readers never wait; never on a network share).
 *
 * A run is known by its run_id, and a row of it by its key. A database has everything that a CSV
 * has: what is exported is what was added.
 */
#ifndef BANKLINE_HISTORY_DATABASE_H
#define BANKLINE_HISTORY_DATABASE_H

#include <sqlite3.h>

#include "history/typical.h"
#include "report/csv.h"
#include "report/run.h"

struct bl_history;

/* Where the history is unless told: bankline/history.db under XDG_DATA_HOME, or ~/.local/share.
 * BL_FILE_FAILED: there is no home folder, or the path is too long. */
enum { BL_HISTORY_PATH = 4096 };
enum bl_status bl_history_default_path(char path[BL_HISTORY_PATH], struct bl_error *error);

enum bl_history_use {
    BL_HISTORY_READ,         /* changes nothing; the file may be read-only, or of an older schema */
    BL_HISTORY_READ_OR_NONE, /* the same; where there is none, it is one without runs */
    BL_HISTORY_ADD /* makes the database where there is none, and brings an older one up to date */
};

/* Opens the database. BL_FILE_FAILED with the path, also for a file that is locked, read-only or no
 * database; BL_BAD_FORMAT for a database of another program or of a newer bankline, which is left
 * as it is. Close *history, which is NULL after a failure. */
enum bl_status bl_history_open(const char *path, enum bl_history_use use,
                               struct bl_history **history, struct bl_error *error);
void bl_history_close(struct bl_history *history);

/* How long it waits for another writer: 30 s unless told. */
void bl_history_set_busy_timeout(struct bl_history *history, int milliseconds);

struct bl_history_added {
    size_t runs; /* that were not there */
    size_t rows; /* that were not there, or of which more is known now */
};

/* Adds the runs of a CSV ("-" is standard input), all of them or none. Of a run that is there, the
 * missing rows are added. As bl_csv_read; BL_BAD_FORMAT also for a row without a run_id, a row
 * twice, and a run that differs from the one that is there; BL_FILE_FAILED, and the database is as
 * it was. */
enum bl_status bl_history_add(struct bl_history *history, const char *csv_path,
                              struct bl_history_added *added, struct bl_error *error);

/* Called for one run after the other, oldest first; what it returns but BL_OK ends the reading. */
typedef enum bl_status bl_history_run_handler(void *context, const struct bl_run_info *run,
                                              size_t rows, size_t without_number,
                                              struct bl_error *error);
enum bl_status bl_history_runs(struct bl_history *history, bl_history_run_handler *handle,
                               void *context, struct bl_error *error);

/* All rows of all runs, oldest run first, in the order in which they were added; none is kept. The
 * handler's line is the row's position in its run. */
enum bl_status bl_history_rows(struct bl_history *history, bl_row_handler *handle, void *context,
                               struct bl_error *error);

/* One row of a card over time, oldest first; valid during the call alone. */
struct bl_series {
    const struct bl_run_info *runs;
    const struct bl_row *points; /* count of both, at least 1 */
    size_t count;
};
typedef enum bl_status bl_series_handler(void *context, const struct bl_series *series,
                                         struct bl_error *error);

/* The series of the rows whose case is this id or matches this glob, one after the other, of the
 * devices with this name, or of the card whose device_id begins so; NULL: of all. BL_USAGE where
 * several cards' do. */
enum bl_status bl_history_series(struct bl_history *history, const char *case_glob,
                                 const char *device, bl_series_handler *handle, void *context,
                                 struct bl_error *error);

/* Whether the history has more cards than a person reads one by one. */
enum { BL_FEW_CARDS = 16 };
enum bl_status bl_history_has_fleet(struct bl_history *history, bool *has, struct bl_error *error);

/* A row in a night of a fleet: in the runs of one model on one day, of UTC. */
struct bl_fleet_night {
    char date[11], device[sizeof((struct bl_run_info *)0)->device];
    struct bl_row_key key;
    size_t cards;          /* that have a number */
    double median, spread; /* of the ratio; the spread as a fraction, by bl_usual_of */
    double lowest, highest;
    char lowest_card[64], highest_card[64]; /* device_id */
};
typedef enum bl_status bl_fleet_night_handler(void *context, const struct bl_fleet_night *night,
                                              struct bl_error *error);

/* The nights of the last seven days of the rows whose case is this id or matches this glob, row by
 * row and model by model. */
enum bl_status bl_history_fleet_nights(struct bl_history *history, const char *case_glob,
                                       bl_fleet_night_handler *handle, void *context,
                                       struct bl_error *error);

/* The same of the last `max` runs, 100 at most, of the card that `now` was measured on, before it.
 */
enum bl_status bl_history_recent(struct bl_history *history, const struct bl_run_rows *now,
                                 size_t max, bl_series_handler *handle, void *context,
                                 struct bl_error *error);

/* What a comparison with the history rests on. */
struct bl_history_basis {
    size_t runs;        /* that there were */
    size_t rows_of_few; /* rows with fewer than BL_FULL_HISTORY runs: they have the floor */
    struct bl_spread_floor floor; /* learnt from these runs and `now`, over all of their rows */
};

/* A run to compare `now` with, made of the last `max` runs of its card before it (of its
 * device, where a run does not tell the card) that have numbers: bl_typical_row of every row.
 * typical->info is that of the newest of them. Free it with bl_run_free, whatever is returned. */
enum bl_status bl_history_typical(struct bl_history *history, const struct bl_run_rows *now,
                                  size_t max, struct bl_run_rows *typical,
                                  struct bl_history_basis *basis, struct bl_error *error);

/* For how many runs in a row, `now` the last of them, nobody could judge each of now's rows:
 * compared with the `max` runs before each, they were `unclear` (report/change.h). Runs that did
 * not have the row, or nothing to compare it with, are passed over. Of each row at most `enough`
 * runs are counted; counts has room for now->count. */
enum bl_status bl_history_unjudged(struct bl_history *history, const struct bl_run_rows *now,
                                   size_t max, double threshold, size_t enough, size_t counts[],
                                   struct bl_error *error);

/* Inside host/history only. */

struct bl_history {
    sqlite3 *database;
    char path[4096]; /* as it was given */
    int busy_timeout_ms;
};

/* BL_FILE_FAILED or BL_NO_MEMORY with the path and SQLite's words. */
enum bl_status bl_history_fail(const struct bl_history *history, struct bl_error *error);

/* The SQL type of a column. In a key, which is to be unique, nothing is NULL. */
const char *bl_history_type(const struct bl_column *column);

/* SQL is written as a template: {run:TEXT}, {key:TEXT} and {row:TEXT} repeat TEXT for each column
 * that describes a run, that is part of a key, or that was found; in TEXT, @ is its name and # its
 * type. Both return BL_OK or as bl_history_fail. */
enum bl_status bl_history_execute(struct bl_history *history, const char *template,
                                  struct bl_error *error);

/* Prepares a statement and binds texts to its parameters, NULL ending them; texts may be NULL. The
 * caller finalizes *statement, whatever is returned. */
enum bl_status bl_history_prepare(struct bl_history *history, const char *template,
                                  const char *const texts[], sqlite3_stmt **statement,
                                  struct bl_error *error);

/* Calls again as long as another process has the lock that `act` wants, for as long as the history
 * waits. */
enum bl_status bl_history_persist(struct bl_history *history,
                                  enum bl_status (*act)(struct bl_history *, struct bl_error *),
                                  struct bl_error *error);

/* Runs a statement whose parameters are ids and then the columns of the owners from first to last:
 * NULL for what is not known; in a key, which is to be unique, "" or 0. In the C locale. BL_OK or
 * as bl_history_fail. */
enum bl_status bl_history_insert(struct bl_history *history, sqlite3_stmt *statement,
                                 const sqlite3_int64 ids[], int id_count,
                                 enum bl_column_owner first, enum bl_column_owner last,
                                 const struct bl_run_info *run, const struct bl_row *row,
                                 struct bl_error *error);

/* Reads the columns of the owners from first to last, which are the result's from `from` on, into a
 * run and row that are empty. BL_BAD_FORMAT for what a column cannot be. */
enum bl_status bl_history_take(const struct bl_history *history, sqlite3_stmt *statement, int from,
                               enum bl_column_owner first, enum bl_column_owner last,
                               struct bl_run_info *run, struct bl_row *row, struct bl_error *error);

/* Calls back for each row of the result. */
typedef enum bl_status bl_history_step(struct bl_history *history, sqlite3_stmt *statement,
                                       void *context, struct bl_error *error);
enum bl_status bl_history_each(struct bl_history *history, const char *template,
                               const char *const texts[], bl_history_step *step, void *context,
                               struct bl_error *error);

/* Rows with their runs; and points of series, to be followed by a condition and BL_BY_SERIES. */
#define BL_SELECT_ROWS "SELECT position{run:, run.[@]}{key:, case_key.[@]}{row:, measured.[@]} "
#define BL_SELECT_POINTS                                                                    \
    BL_SELECT_ROWS "FROM case_key JOIN measured ON measured.key = case_key.id JOIN run ON " \
                   "run.id = measured.run "
#define BL_BY_ROW "[case]{key:, [@]}, time_utc, run.id"
#define BL_BY_SERIES "ORDER BY device, ifnull(device_id, ''), " BL_BY_ROW

/* The last ?4 runs of device ?1 that have numbers, but for run ?2 and those after ?3, newest first;
 * of card ?5, as far as cards are told apart. */
#define BL_LAST_RUNS                                                                           \
    "FROM run WHERE ifnull(device, '') = ?1 AND run_id <> ?2 AND ifnull(time_utc, '') <= ?3 "  \
    "AND (?5 = '' OR ifnull(device_id, '') IN ('', ?5)) "                                      \
    "AND EXISTS (SELECT 1 FROM measured WHERE measured.run = run.id AND measured IS NOT NULL)" \
    " ORDER BY time_utc DESC, id DESC LIMIT ?4"

/* In SQL, a day from now: what is said to be later has a wrong clock. */
#define BL_TOMORROW "strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '+1 day')"

/* Calls back for each series of such a statement; is_one_card: its runs are all of one, even where
 * only some of them tell so. */
enum bl_status bl_history_each_series(struct bl_history *history, const char *template,
                                      const char *const texts[], bool is_one_card,
                                      bl_series_handler *handle, void *context,
                                      struct bl_error *error);

/* The series of one row of the card that `card` is a run of. */
enum bl_status bl_history_series_of_card(struct bl_history *history, const struct bl_run_info *card,
                                         const struct bl_row_key *key, bl_series_handler *handle,
                                         void *context, struct bl_error *error);

/* The first run from which on the card's own times are, in the median of their rows, within
 * `threshold` of the newest run's; *is_first: it is the card's first. */
enum bl_status bl_history_speed_since(struct bl_history *history, const struct bl_run_info *card,
                                      double threshold, char since[32], bool *is_first,
                                      struct bl_error *error);

/* Calls back for each run of a statement whose columns are {run:[@]} after two counts. */
enum bl_status bl_history_each_run(struct bl_history *history, const char *template,
                                   const char *const texts[], bl_history_run_handler *handle,
                                   void *context, struct bl_error *error);

enum { BL_HISTORY_SCHEMA = 3 };

/* What a database is: 0 for one with nothing in it, else its schema; *is_complete: it has every
 * column. BL_BAD_FORMAT for another program's database, and for one of a newer schema. */
enum bl_status bl_history_identify(struct bl_history *history, int *schema, bool *is_complete,
                                   struct bl_error *error);

/* Makes a database that is empty, of schema 1, or without the newest columns into one of this
 * schema. It begins a transaction, and leaves it open after a failure. */
enum bl_status bl_history_set_up(struct bl_history *history, struct bl_error *error);

#endif
