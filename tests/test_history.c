/* Tests the history in situations that shell tests cannot produce: databases of other programs,
 * locks, and failures. */
#include <locale.h>

#include "history_files.h"

TestSuite(history, .init = make, .fini = unmake);

Test(history, reading_creates_no_history)
{
    struct bl_history *history;
    cr_assert_eq(bl_history_open(path, BL_HISTORY_READ, &history, &error), BL_FILE_FAILED);
    cr_assert(strstr(error.sentence, "no history yet"), "%s", error.sentence);
    cr_assert_eq(access(path, F_OK), -1);
}

Test(history, a_newer_database_is_left_alone)
{
    add_run(run);
    execute("PRAGMA user_version = 4");
    refused_both_ways("a newer bankline wrote schema 4");
}

Test(history, another_programs_database_is_left_alone)
{
    execute("CREATE TABLE note (text)");
    refused_both_ways("another program");
    execute("DROP TABLE note; PRAGMA application_id = 7");
    refused_both_ways("another program");
    execute("PRAGMA application_id = 0; PRAGMA user_version = 1; PRAGMA journal_mode = WAL");
    refused_both_ways("another program");
    execute("PRAGMA user_version = 2; CREATE TABLE run (x); CREATE TABLE case_key (x);"
            "CREATE TABLE measured (x)");
    refused_both_ways("another program");
}

Test(history, the_write_ahead_log_of_another_programs_database_is_left_alone)
{
    execute("PRAGMA journal_mode = WAL; CREATE TABLE note (text)");
    sqlite3 *database; /* as if a process had ended before it moved its log into the database */
    cr_assert_eq(sqlite3_open(path, &database), SQLITE_OK);
    sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    cr_assert_eq(sqlite3_exec(database, "INSERT INTO note VALUES (1)", NULL, NULL, NULL),
                 SQLITE_OK);
    sqlite3_close(database);
    refused_both_ways("another program");
}

Test(history, an_empty_file_is_reported_and_runs_can_be_added_to_it)
{
    fclose(fopen(path, "w"));
    refused(BL_HISTORY_READ, BL_FILE_FAILED, "no history yet");
    add_run(run);
    cr_assert_eq(number("SELECT application_id FROM pragma_application_id"), 0x626e6b6c);
    cr_assert_eq(number("SELECT user_version FROM pragma_user_version"), 3);
}

/* Sets the modes of the folder and of the database. Mode 0555 makes them read-only. Root may write
 * in spite of this, so if root runs the test, the real user is changed, too: access() checks the
 * real user's permissions. */
static void forbid(mode_t mode)
{
    cr_assert_eq(chmod(path, mode & 0666), 0);
    cr_assert_eq(chmod(folder, mode), 0);
    if (geteuid() == 0)
        cr_assert_eq(setreuid(mode == 0555 ? 65534 : 0, (uid_t)-1), 0);
}

static enum bl_status count_run(void *context, const struct bl_run_info *info, size_t rows,
                                size_t without_number, struct bl_error *failure)
{
    (void)info, (void)rows, (void)without_number, (void)failure;
    ++*(size_t *)context;
    return BL_OK;
}

static size_t runs_read(void)
{
    struct bl_history *history;
    cr_assert_eq(bl_history_open(path, BL_HISTORY_READ, &history, &error), BL_OK, "%s",
                 error.sentence);
    size_t runs = 0;
    cr_assert_eq(bl_history_runs(history, count_run, &runs, &error), BL_OK);
    bl_history_close(history);
    return runs;
}

Test(history, a_read_only_history_and_its_write_ahead_log_are_read)
{
    add_run(run);
    forbid(0555);
    cr_assert_eq(runs_read(), 1);
    forbid(0755);
    sqlite3 *database; /* as if a process had ended before it moved its log into the database */
    cr_assert_eq(sqlite3_open(path, &database), SQLITE_OK);
    sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    cr_assert_eq(
        sqlite3_exec(database,
                     "PRAGMA journal_mode = WAL; PRAGMA user_version = 3; CREATE TABLE more (x)",
                     NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(database);
    forbid(0555);
    cr_assert_eq(runs_read(), 1);
    cr_assert_eq(setenv("TMPDIR", "/no/such/folder", 1), 0);
    struct bl_history *history;
    cr_assert_eq(bl_history_open(path, BL_HISTORY_READ, &history, &error), BL_FILE_FAILED);
    cr_assert(strstr(error.sentence, "cannot make a copy"), "%s", error.sentence);
    forbid(0755);
}

Test(history, the_default_path_follows_the_environment)
{
    char place[BL_HISTORY_PATH], longest[BL_HISTORY_PATH + 8];
    memset(longest, 'x', sizeof longest);
    longest[0] = '/';
    longest[sizeof longest - 1] = '\0';
    setenv("XDG_DATA_HOME", "/data", 1);
    cr_assert_eq(bl_history_default_path(place, &error), BL_OK);
    cr_assert_str_eq(place, "/data/bankline/history.db");
    setenv("XDG_DATA_HOME", "relative", 1);
    setenv("HOME", "/home/me", 1);
    cr_assert_eq(bl_history_default_path(place, &error), BL_OK);
    cr_assert_str_eq(place, "/home/me/.local/share/bankline/history.db");
    setenv("HOME", "", 1);
    cr_assert_eq(bl_history_default_path(place, &error), BL_FILE_FAILED);
    setenv("HOME", longest, 1);
    cr_assert_eq(bl_history_default_path(place, &error), BL_FILE_FAILED);
    struct bl_history *history;
    cr_assert_eq(bl_history_open(longest, BL_HISTORY_ADD, &history, &error), BL_FILE_FAILED);
    cr_assert(strstr(error.sentence, "too long"), "%s", error.sentence);
    cr_assert_eq(bl_history_open(path, BL_HISTORY_READ_OR_NONE, &history, &error), BL_OK);
    bl_history_close(history);
    cr_assert_eq(mkdir(path, 0777), 0);
    cr_assert_neq(bl_history_open(path, BL_HISTORY_READ, &history, &error), BL_OK);
    cr_assert_neq(bl_history_open(path, BL_HISTORY_ADD, &history, &error), BL_OK);
}

Test(history, names_are_plain_file_names)
{
    static const char *const names[] = {":memory:", "file:h.db?mode=memory", "100%.db", "-"};
    cr_assert_eq(chdir(folder), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct bl_history *history;
        struct bl_history_added added;
        cr_assert_eq(bl_history_open(names[i], BL_HISTORY_ADD, &history, &error), BL_OK);
        cr_assert_eq(bl_history_add(history, run, &added, &error), BL_OK);
        bl_history_close(history);
        cr_assert_eq(access(names[i], F_OK), 0, "%s", names[i]);
    }
    struct bl_history *history;
    cr_assert_eq(bl_history_open("", BL_HISTORY_ADD, &history, &error), BL_FILE_FAILED);
}

/* A history that has its tables but no runs. */
static struct bl_history *opened_empty(void)
{
    add_run(run);
    execute("DELETE FROM measured; DELETE FROM run; DELETE FROM case_key");
    return opened(BL_HISTORY_ADD);
}

Test(history, a_locked_database_is_reported_and_can_be_read)
{
    struct bl_history *history = opened_empty();
    struct bl_history_added added = {.runs = 1, .rows = 1};
    bl_history_set_busy_timeout(history, 50);
    sqlite3 *other;
    cr_assert_eq(sqlite3_open(path, &other), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    cr_assert_eq(bl_history_add(history, run, &added, &error), BL_FILE_FAILED);
    char locked[8192 + 64];
    snprintf(locked, sizeof locked, "%s: %s: database is locked", run, path);
    cr_assert_str_eq(error.sentence, locked);
    cr_assert_eq(added.runs, 0);
    struct bl_history *reader = opened(BL_HISTORY_READ);
    cr_assert_eq(bl_history_runs(reader, NULL, NULL, &error), BL_OK, "readers need not wait");
    bl_history_close(reader);
    cr_assert_eq(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(other);
    cr_assert_eq(bl_history_add(history, run, &added, &error), BL_OK, "%s", error.sentence);
    cr_assert(added.runs == 1 && added.rows == 243);
    bl_history_close(history);
}

Test(history, after_a_failure_no_part_of_the_run_is_stored)
{
    struct bl_history *history = opened_empty();
    struct bl_history_added added;
    execute("CREATE TRIGGER full BEFORE INSERT ON measured WHEN new.position > 100 "
            "BEGIN SELECT raise(ABORT, 'disk full'); END");
    cr_assert_eq(bl_history_add(history, run, &added, &error), BL_FILE_FAILED);
    cr_assert(strstr(error.sentence, path) && strstr(error.sentence, "disk full"));
    cr_assert(added.runs == 0 && added.rows == 0, "nothing was added");
    execute("DROP TRIGGER full");
    cr_assert_eq(number("SELECT (SELECT count(*) FROM run) + (SELECT count(*) FROM case_key)"), 0);
    cr_assert_eq(bl_history_add(history, run, &added, &error), BL_OK, "adding works afterwards");
    bl_history_close(history);
}

Test(history, unknown_values_are_stored_as_null)
{
    add_run(run);
    cr_assert_eq(number("SELECT count(*) FROM measured WHERE status = 'unsupported' AND"
                        " measured IS NULL AND samples IS NULL AND verdict IS NULL"),
                 2);
    cr_assert_eq(number("SELECT count(*) FROM run WHERE os IS NULL AND typeof(schema) = 'integer'"),
                 1);
    cr_assert_eq(number("SELECT count(*) FROM case_key WHERE typeof(lanes) = 'integer' AND"
                        " typeof(working_set_bytes) = 'integer'"),
                 243);
}

Test(history, a_stored_value_that_is_not_valid_in_its_column_is_reported)
{
    static const char *const columns[][2] = {{"status", "'fine'"},
                                             {"measured", "9e999"},
                                             {"reason", "printf('%.2000c', 'x')"},
                                             {"samples", "-1"}};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        char sql[256], words[64];
        size_t count = 0;
        unlink(path);
        add_run(run);
        snprintf(sql, sizeof sql, "UPDATE measured SET %s = %s WHERE position = 7", columns[i][0],
                 columns[i][1]);
        execute(sql);
        struct bl_history *history = opened(BL_HISTORY_READ);
        cr_assert_eq(bl_history_rows(history, count_row, &count, &error), BL_BAD_FORMAT);
        bl_history_close(history);
        cr_assert_eq(count, 6);
        snprintf(words, sizeof words, "column %s cannot be '", columns[i][0]);
        cr_assert(strstr(error.sentence, words), "%s", error.sentence);
    }
}

Test(history, an_invalid_value_in_the_database_is_a_failure_of_the_database)
{
    char sentence[8192 + 64];
    struct bl_history_added added;
    add_run(run);
    execute("UPDATE run SET driver = printf('%.2000c', 'x')");
    struct bl_history *history = opened(BL_HISTORY_ADD);
    cr_assert_eq(bl_history_add(history, run, &added, &error), BL_BAD_FORMAT);
    bl_history_close(history);
    snprintf(sentence, sizeof sentence, "%s: %s: column driver cannot be 'xxx", run, path);
    cr_assert_eq(strncmp(error.sentence, sentence, strlen(sentence)), 0, "%s", error.sentence);
    cr_assert(added.database_failed);
}

static enum bl_status check_number(void *context, const struct bl_run_info *info,
                                   const struct bl_row *row, size_t position, struct bl_error *fail)
{
    (void)info, (void)fail;
    if (position == 1)
        *(double *)context = row->measured;
    return BL_OK;
}

Test(history, numbers_have_a_decimal_point_in_any_locale)
{
    double measured = NAN;
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        cr_skip_test("no locale with a decimal comma");
    add_run(run);
    struct bl_history *history = opened(BL_HISTORY_READ);
    cr_assert_eq(bl_history_rows(history, check_number, &measured, &error), BL_OK, "%s",
                 error.sentence);
    bl_history_close(history);
    cr_assert_eq(measured, 0.9999372);
    cr_assert_eq(number("SELECT count(*) FROM measured WHERE measured = 0.9999372"), 1);
}
