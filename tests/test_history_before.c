/* Tests databases that older versions wrote: reading leaves them unchanged, and adding a run
 * converts them to the present schema. */
#include "history_files.h"

TestSuite(history_before, .init = make, .fini = unmake);

static void copy_old_database(void)
{
    size_t size;
    char *bytes = bytes_of(old_database, &size);
    FILE *file = fopen(path, "wb");
    cr_assert(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    free(bytes);
}

Test(history_before, columns_that_an_older_version_did_not_know_are_added)
{
    add_run(run);
    execute("DROP INDEX run_of_card; ALTER TABLE measured DROP COLUMN distance;"
            "ALTER TABLE run DROP COLUMN device_id;"
            "DROP INDEX key_once; ALTER TABLE case_key DROP COLUMN working_set_bytes;"
            "CREATE UNIQUE INDEX key_once ON case_key ([case], type, shape, lanes)");
    size_t count = 0;
    struct bl_history *history = opened(BL_HISTORY_READ);
    cr_assert_eq(bl_history_rows(history, count_row, &count, &error), BL_OK, "%s", error.sentence);
    cr_assert_eq(count, 243);
    bl_history_close(history);
    cr_assert_eq(number("SELECT count(*) FROM pragma_table_info('run') WHERE name = 'device_id'"),
                 0, "reading adds no column");
    bl_history_close(opened(BL_HISTORY_ADD));
    cr_assert_eq(number("SELECT (SELECT count(*) FROM pragma_table_info('measured')) +"
                        "(SELECT count(*) FROM pragma_table_info('run')) +"
                        "(SELECT count(*) FROM pragma_table_info('case_key'))"),
                 3 + 1 + 1 + BL_COLUMN_COUNT);
    cr_assert_eq(number("SELECT count(*) FROM pragma_index_info('key_once')"), 7);
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

Test(history_before, a_database_of_schema_1_is_read_unchanged_and_updated_by_add)
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

/* If a machine was renamed, its old name in a file or a database is read as its present name. */
Test(history_before, the_old_name_of_a_machine_is_read_and_replaced)
{
    add_run(run); /* the run's file has the old name 'nvidia' */
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

static enum bl_status check_series(void *context, const struct bl_series *series,
                                   struct bl_error *failure)
{
    (void)failure;
    cr_assert_eq(series->count, 2, "%s", series->points[0].key.case_id);
    cr_assert_str_eq(series->points[0].key.machine, "nvidia-hopper");
    cr_assert_str_eq(series->points[1].key.machine, "nvidia-h100");
    ++*(size_t *)context;
    return BL_OK;
}

/* If the machine of a row differs between runs, the database has a key for each machine, but the
 * row has one series. */
Test(history_before, a_series_continues_with_another_machine)
{
    add_run(run);
    execute("CREATE TABLE later AS SELECT * FROM run;"
            "UPDATE later SET id = 2, run_id = 'later', time_utc = '2027-01-01T02:00:00Z';"
            "INSERT INTO run SELECT * FROM later; DROP TABLE later;"
            "CREATE TABLE later AS SELECT * FROM case_key;"
            "UPDATE later SET id = 1000 + id, machine = 'nvidia-h100';"
            "INSERT INTO case_key SELECT * FROM later; DROP TABLE later;"
            "CREATE TABLE later AS SELECT * FROM measured;"
            "UPDATE later SET run = 2, key = 1000 + key;"
            "INSERT INTO measured SELECT * FROM later; DROP TABLE later");
    size_t size[2], count = 0;
    char *before = bytes_of(path, &size[0]);
    struct bl_history *history = opened(BL_HISTORY_READ);
    cr_assert_eq(bl_history_series(history, "*", NULL, check_series, &count, &error), BL_OK, "%s",
                 error.sentence);
    bl_history_close(history);
    cr_assert_eq(count, 243);
    add_run(run);
    char *after = bytes_of(path, &size[1]);
    cr_assert(size[0] == size[1] && memcmp(before, after, size[0]) == 0,
              "the run is in the database, so adding it must change nothing");
    free(before);
    free(after);
}

Test(history_before, a_crafted_key_of_schema_1_is_refused)
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
