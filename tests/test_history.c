/* The history where a shell cannot go: databases of other programs and versions. */
#include <criterion/criterion.h>
#include <locale.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "history/database.h"

static struct bl_error error;
static char folder[] = "/tmp/bankline-history-XXXXXX";
static char path[64], run[4096], old_database[4096];

static void make(void)
{
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/h.db", folder);
    const char *source = getenv("BANKLINE_SOURCE");
    snprintf(run, sizeof run, "%s/tests/golden/nvidia-h100-schema-3.csv", source);
    snprintf(old_database, sizeof old_database, "%s/tests/golden/history-schema-1.db", source);
}

static void unmake(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
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

static sqlite3_int64 number(const char *sql)
{
    sqlite3 *database;
    sqlite3_stmt *statement;
    cr_assert_eq(sqlite3_open(path, &database), SQLITE_OK);
    cr_assert_eq(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK, "%s: %s", sql,
                 sqlite3_errmsg(database));
    cr_assert_eq(sqlite3_step(statement), SQLITE_ROW);
    const sqlite3_int64 value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return value;
}

static struct bl_history *opened(enum bl_history_use use)
{
    struct bl_history *history;
    cr_assert_eq(bl_history_open(path, use, &history, &error), BL_OK, "%s", error.sentence);
    return history;
}

static void add_run(const char *csv)
{
    struct bl_history_added added;
    struct bl_history *history = opened(BL_HISTORY_ADD);
    cr_assert_eq(bl_history_add(history, csv, &added, &error), BL_OK, "%s", error.sentence);
    bl_history_close(history);
}

/* All bytes of a file; the caller frees them. */
static char *bytes_of(const char *name, size_t *size)
{
    struct stat about;
    cr_assert_eq(stat(name, &about), 0, "%s", name);
    *size = (size_t)about.st_size;
    char *bytes = malloc(*size + 1);
    FILE *file = fopen(name, "rb");
    cr_assert(bytes && file && fread(bytes, 1, *size, file) == *size);
    fclose(file);
    return bytes;
}

static void copy_old_database(void)
{
    size_t size;
    char *bytes = bytes_of(old_database, &size);
    FILE *file = fopen(path, "wb");
    cr_assert(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    free(bytes);
}

/* Opening fails, says these words, and changes no byte of any file. */
static void refused(enum bl_history_use use, enum bl_status status, const char *words)
{
    char log[80];
    size_t size[2], log_size[2] = {0};
    snprintf(log, sizeof log, "%s-wal", path);
    const bool has_log = access(log, F_OK) == 0;
    char *before = bytes_of(path, &size[0]);
    char *log_before = has_log ? bytes_of(log, &log_size[0]) : NULL;
    struct bl_history *history;
    cr_assert_eq(bl_history_open(path, use, &history, &error), status, "%s", error.sentence);
    cr_assert_null(history);
    cr_assert(strstr(error.sentence, words) && strstr(error.sentence, path), "%s", error.sentence);
    char *after = bytes_of(path, &size[1]);
    cr_assert(size[0] == size[1] && memcmp(before, after, size[0]) == 0, "%s: changed", words);
    cr_assert_eq(access(log, F_OK) == 0, has_log);
    if (has_log) {
        char *log_after = bytes_of(log, &log_size[1]);
        cr_assert(log_size[0] == log_size[1] && memcmp(log_before, log_after, log_size[0]) == 0);
        free(log_after);
    }
    free(before);
    free(log_before);
    free(after);
}

static void refused_both_ways(const char *words)
{
    refused(BL_HISTORY_READ, BL_BAD_FORMAT, words);
    refused(BL_HISTORY_ADD, BL_BAD_FORMAT, words);
}

Test(history, looking_makes_none)
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
    refused_both_ways("a newer one made it");
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

Test(history, another_programs_log_is_left_alone)
{
    execute("PRAGMA journal_mode = WAL; CREATE TABLE note (text)");
    sqlite3 *database; /* which ends without having moved its log into the file */
    cr_assert_eq(sqlite3_open(path, &database), SQLITE_OK);
    sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    cr_assert_eq(sqlite3_exec(database, "INSERT INTO note VALUES (1)", NULL, NULL, NULL),
                 SQLITE_OK);
    sqlite3_close(database);
    refused_both_ways("another program");
}

Test(history, an_empty_file_is_told_and_can_be_added_to)
{
    fclose(fopen(path, "w"));
    refused(BL_HISTORY_READ, BL_FILE_FAILED, "no history yet");
    add_run(run);
    cr_assert_eq(number("SELECT application_id FROM pragma_application_id"), 0x626e6b6c);
    cr_assert_eq(number("SELECT user_version FROM pragma_user_version"), 3);
}

Test(history, names_are_names_of_files)
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

Test(history, a_locked_database_is_told_and_can_be_read)
{
    struct bl_history *history = opened(BL_HISTORY_ADD);
    struct bl_history_added added = {1, 1};
    bl_history_set_busy_timeout(history, 50);
    sqlite3 *other;
    cr_assert_eq(sqlite3_open(path, &other), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    cr_assert_eq(bl_history_add(history, run, &added, &error), BL_FILE_FAILED);
    cr_assert_str_eq(error.sentence + strlen(path), ": database is locked");
    cr_assert_eq(added.runs, 0);
    struct bl_history *reader = opened(BL_HISTORY_READ);
    cr_assert_eq(bl_history_runs(reader, NULL, NULL, &error), BL_OK, "readers do not wait");
    bl_history_close(reader);
    cr_assert_eq(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(other);
    cr_assert_eq(bl_history_add(history, run, &added, &error), BL_OK, "%s", error.sentence);
    cr_assert(added.runs == 1 && added.rows == 243);
    bl_history_close(history);
}

Test(history, a_failure_leaves_nothing_of_the_run)
{
    struct bl_history *history = opened(BL_HISTORY_ADD);
    struct bl_history_added added;
    execute("CREATE TRIGGER full BEFORE INSERT ON measured WHEN new.position > 100 "
            "BEGIN SELECT raise(ABORT, 'disk full'); END");
    cr_assert_eq(bl_history_add(history, run, &added, &error), BL_FILE_FAILED);
    cr_assert(strstr(error.sentence, path) && strstr(error.sentence, "disk full"));
    cr_assert(added.runs == 0 && added.rows == 0, "nothing was added");
    execute("DROP TRIGGER full");
    cr_assert_eq(number("SELECT (SELECT count(*) FROM run) + (SELECT count(*) FROM case_key)"), 0);
    cr_assert_eq(bl_history_add(history, run, &added, &error), BL_OK, "and it can go on");
    bl_history_close(history);
}

static enum bl_status count_row(void *context, const struct bl_run_info *info,
                                const struct bl_row *row, size_t position, struct bl_error *fail)
{
    (void)info, (void)row, (void)position, (void)fail;
    ++*(size_t *)context;
    return BL_OK;
}

Test(history, a_column_that_came_later_is_added)
{
    add_run(run);
    execute("ALTER TABLE measured DROP COLUMN distance; ALTER TABLE run DROP COLUMN device_id;"
            "DROP INDEX key_once; ALTER TABLE case_key DROP COLUMN working_set_bytes;"
            "CREATE UNIQUE INDEX key_once ON case_key ([case], type, shape, lanes)");
    size_t count = 0;
    struct bl_history *history = opened(BL_HISTORY_READ);
    cr_assert_eq(bl_history_rows(history, count_row, &count, &error), BL_OK, "%s", error.sentence);
    cr_assert_eq(count, 243);
    bl_history_close(history);
    cr_assert_eq(number("SELECT count(*) FROM pragma_table_info('run') WHERE name = 'device_id'"),
                 0, "reading adds none");
    bl_history_close(opened(BL_HISTORY_ADD));
    cr_assert_eq(number("SELECT (SELECT count(*) FROM pragma_table_info('measured')) +"
                        "(SELECT count(*) FROM pragma_table_info('run')) +"
                        "(SELECT count(*) FROM pragma_table_info('case_key'))"),
                 3 + 1 + 1 + BL_COLUMN_COUNT);
    cr_assert_eq(number("SELECT count(*) FROM pragma_index_info('key_once')"), 7);
}

Test(history, nothing_unknown_is_stored)
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

static enum bl_status check_old(void *context, const struct bl_run_info *info,
                                const struct bl_row *row, size_t position, struct bl_error *fail)
{
    (void)position, (void)fail;
    size_t *found = context;
    char reason[BL_NO_NUMBER_REASON];
    cr_assert_str_eq(info->host, "vm");
    const bool is_second = strcmp(info->run_id, "night-2") == 0;
    const bool is_shape = strcmp(row->key.shape, "16x1") == 0;
    if (is_second && is_shape && strcmp(row->key.case_id, "local/5") == 0) {
        cr_assert(row->measured == 1.000876 && row->measured_lo == 0.9989768);
        cr_assert(row->bytes_per_clock_cu == 63.5819 && isnan(row->predicted));
        cr_assert(row->key.lanes == 16 && row->key.working_set_bytes == 4096);
        cr_assert_str_eq(row->key.machine, "nvidia-hopper");
        found[0]++;
    }
    if (is_second && is_shape && strcmp(row->key.case_id, "local/6") == 0) {
        cr_assert_eq(row->status, BL_ROW_BAD_CLOCK);
        cr_assert_str_eq(row->reason, "the clock stood still");
        found[1]++;
    }
    if (is_second && strcmp(row->key.shape, "1x16") == 0 && !bl_row_has_number(row)) {
        cr_assert_str_eq(bl_no_number_reason(row, reason), "not measured");
        found[2]++;
    }
    found[3]++;
    return BL_OK;
}

Test(history, a_database_of_schema_1_is_read_as_it_is_and_brought_up_to_date_by_add)
{
    size_t size[2];
    copy_old_database();
    char *before = bytes_of(path, &size[0]);
    static const enum bl_history_use uses[] = {BL_HISTORY_READ, BL_HISTORY_ADD};
    for (unsigned i = 0; i < 2; i++) {
        const enum bl_history_use use = uses[i];
        size_t found[4] = {0};
        struct bl_history *history = opened(use);
        cr_assert_eq(bl_history_rows(history, check_old, found, &error), BL_OK, "%s",
                     error.sentence);
        cr_assert(found[0] == 1 && found[1] == 1 && found[2] == 1 && found[3] == 3 * 14);
        bl_history_close(history);
        char *after = bytes_of(path, &size[1]);
        cr_assert_eq(use == BL_HISTORY_READ,
                     size[0] == size[1] && memcmp(before, after, size[0]) == 0);
        free(after);
    }
    free(before);
    cr_assert_eq(number("SELECT user_version FROM pragma_user_version"), 3);
    cr_assert_eq(number("SELECT count(*) FROM sqlite_master WHERE name LIKE '%\\_1' ESCAPE '\\'"),
                 0);
    cr_assert_eq(number("SELECT count(*) FROM measured WHERE measured NOT NULL AND"
                        " (status NOT NULL OR suite NOT NULL OR predicted NOT NULL)"),
                 0);
    cr_assert_eq(number("SELECT count(*) FROM run WHERE os IS NULL AND device_id IS NULL"), 3);
}

static enum bl_status check_machine(void *context, const struct bl_run_info *info,
                                    const struct bl_row *row, size_t line, struct bl_error *failure)
{
    (void)info, (void)line, (void)failure;
    cr_assert_str_eq(row->key.machine, "nvidia-hopper");
    ++*(size_t *)context;
    return BL_OK;
}

/* A machine that is called otherwise now is the same machine, in files and databases of before. */
Test(history, a_machines_name_of_before_is_read_and_replaced)
{
    add_run(run); /* whose file says nvidia */
    const int keys = (int)number("SELECT count(*) FROM case_key");
    cr_assert_eq(number("SELECT count(*) FROM case_key WHERE machine = 'nvidia-hopper'"), keys);
    execute("UPDATE case_key SET machine = 'nvidia'; DELETE FROM measured; DELETE FROM run;"
            "PRAGMA user_version = 2");
    add_run(run);
    cr_assert_eq(number("SELECT count(*) FROM case_key"), keys);
    cr_assert_eq(number("SELECT count(*) FROM case_key WHERE machine = 'nvidia'"), 0);
    execute("UPDATE case_key SET machine = 'nvidia'; PRAGMA user_version = 2");
    size_t rows = 0;
    struct bl_history *history = opened(BL_HISTORY_READ);
    cr_assert_eq(bl_history_rows(history, check_machine, &rows, &error), BL_OK);
    cr_assert_gt(rows, 0);
    bl_history_close(history);
}

Test(history, a_crafted_key_of_schema_1_is_refused)
{
    static const char *const keys[] = {
        "'local/5'",
        "''",
        "NULL",
        "replace('a,b,c,1,2', ',', char(10))",
        "replace('a,b,c,1,2,d,e', ',', char(10))",
        "replace('a,b,c,x,2,d', ',', char(10))",
        "replace('a,b,c,1,-2,d', ',', char(10))",
        "CAST(x'6100620a0a0a0a0a' AS TEXT)",
        "replace(printf('%.600c,b,c,1,2,d', 'a'), ',', char(10))",
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char sql[256];
        copy_old_database();
        execute(
            "CREATE TABLE k (id INTEGER PRIMARY KEY, key, case_id); INSERT INTO k SELECT * FROM "
            "case_key; DROP TABLE case_key; ALTER TABLE k RENAME TO case_key");
        snprintf(sql, sizeof sql, "UPDATE case_key SET key = %s WHERE id = 3", keys[i]);
        execute(sql);
        refused(BL_HISTORY_READ, BL_BAD_FORMAT, "is not a key of schema 1");
        refused(BL_HISTORY_ADD, BL_BAD_FORMAT, "is not a key of schema 1");
    }
}

Test(history, a_value_that_its_column_cannot_be_is_told)
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

static enum bl_status check_number(void *context, const struct bl_run_info *info,
                                   const struct bl_row *row, size_t position, struct bl_error *fail)
{
    (void)info, (void)fail;
    if (position == 1)
        *(double *)context = row->measured;
    return BL_OK;
}

Test(history, numbers_have_a_point_whatever_the_locale)
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
