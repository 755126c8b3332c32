/* The history where a shell cannot go: databases of other versions, and levels of made-up series.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/series.h"
#include "history/database.h"

static struct bl_error error;
static char path[] = "/tmp/bankline-history-XXXXXX";

static void make(void)
{
    close(mkstemp(path));
    unlink(path);
}

static void unmake(void)
{
    char other[64];
    static const char *const ends[] = {"", "-wal", "-shm"};
    for (int i = 0; i < 3; i++) {
        snprintf(other, sizeof other, "%s%s", path, ends[i]);
        unlink(other);
    }
}

TestSuite(history, .init = make, .fini = unmake);

static void execute(const char *sql)
{
    sqlite3 *database;
    cr_assert_eq(sqlite3_open(path, &database), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK, "%s",
                 sqlite3_errmsg(database));
    sqlite3_close(database);
}

Test(history, a_newer_database_is_left_alone)
{
    struct bl_history *history;
    cr_assert_eq(bl_history_open(path, true, &history, &error), BL_FILE_FAILED);
    cr_assert_eq(access(path, F_OK), -1, "looking makes none");
    cr_assert_eq(bl_history_open(path, false, &history, &error), BL_OK, "%s", error.sentence);
    bl_history_close(history);
    execute("PRAGMA user_version = 2");
    cr_assert_eq(bl_history_open(path, true, &history, &error), BL_BAD_FORMAT);
    cr_assert(strstr(error.sentence, "newer"), "%s", error.sentence);
    cr_assert_null(history);
}

Test(history, a_locked_database_is_told_and_can_be_read)
{
    struct bl_history *history;
    bool added = true;
    cr_assert_eq(bl_history_open(path, false, &history, &error), BL_OK);
    bl_history_set_busy_timeout(history, 50);
    sqlite3 *other;
    cr_assert_eq(sqlite3_open(path, &other), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    char run[4096];
    snprintf(run, sizeof run, "%s/tests/golden/nvidia-h100-schema-3.csv",
             getenv("BANKLINE_SOURCE"));
    cr_assert_eq(bl_history_add(history, run, &added, &error), BL_FILE_FAILED);
    cr_assert_str_eq(error.sentence + strlen(path), ": database is locked");
    cr_assert_not(added);
    cr_assert_eq(bl_history_runs(history, NULL, NULL, &error), BL_OK, "readers do not wait");
    cr_assert_eq(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(other);
    cr_assert_eq(bl_history_add(history, run, &added, &error), BL_OK, "%s", error.sentence);
    cr_assert(added);
    bl_history_close(history);
}

Test(history, a_database_of_something_else_is_told)
{
    struct bl_history *history;
    bool added;
    cr_assert_eq(bl_history_open(path, false, &history, &error), BL_OK);
    bl_history_close(history);
    execute("DROP TABLE measured");
    cr_assert_eq(bl_history_open(path, true, &history, &error), BL_OK);
    char csv[4096];
    snprintf(csv, sizeof csv, "%s/tests/golden/nvidia-h100-schema-3.csv",
             getenv("BANKLINE_SOURCE"));
    cr_assert_eq(bl_history_add(history, csv, &added, &error), BL_FILE_FAILED);
    cr_assert(strstr(error.sentence, "measured"), "%s", error.sentence);
    cr_assert_not(added);
    bl_history_close(history);
    /* The run itself was not kept without its rows. */
    sqlite3 *database;
    sqlite3_stmt *statement;
    cr_assert_eq(sqlite3_open(path, &database), SQLITE_OK);
    sqlite3_prepare_v2(database, "SELECT count(*) FROM run", -1, &statement, NULL);
    sqlite3_step(statement);
    cr_assert_eq(sqlite3_column_int(statement, 0), 0);
    sqlite3_finalize(statement);
    sqlite3_close(database);
}

static size_t first_at_level(const double ratios[], size_t count)
{
    struct bl_point points[32] = {0};
    for (size_t i = 0; i < count; i++)
        points[i].ratio =
            (struct bl_interval){ratios[i], ratios[i] * 0.998, ratios[i] * 1.002, true};
    const struct bl_series series = {.points = points, .count = count};
    return bl_series_first_at_level(&series, 0.02);
}

#define FIRST(...) \
    first_at_level((const double[]){__VA_ARGS__}, sizeof(double[]){__VA_ARGS__} / sizeof(double))

Test(series, the_level_begins_where_it_changed_last)
{
    cr_assert_eq(FIRST(1, 1, 1), 0);
    cr_assert_eq(FIRST(1), 0);
    cr_assert_eq(FIRST(1, 1, 0.9, 0.9), 2);
    cr_assert_eq(FIRST(1, 1, 1, 0.9), 3);
    cr_assert_eq(FIRST(0.9, 1, 0.9, 1, 1), 3);
    cr_assert_eq(FIRST(1, 1.001, 0.999, 1.002, 0.95, 0.951, 0.949), 4);
    cr_assert_eq(FIRST(1, 1, NAN, 0.9, NAN, 0.9), 3, "nights without a number are passed over");
    cr_assert_eq(FIRST(NAN, 1, 1, NAN), 0);
}
