#include "history/database.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "history/internal.h"

enum { BUSY_TIMEOUT_MS = 30000, NAP_MS = 10 };

enum bl_status bl_history_fail(const struct bl_history *history, struct bl_error *error)
{
    const bool no_memory = sqlite3_errcode(history->database) == SQLITE_NOMEM;
    return bl_fail(error, no_memory ? BL_NO_MEMORY : BL_FILE_FAILED, "%s: %s", history->path,
                   sqlite3_errmsg(history->database));
}

enum bl_status bl_history_default_path(char path[BL_HISTORY_PATH], struct bl_error *error)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    int length;
    if (data && data[0] == '/') /* the specification: a relative one counts for nothing */
        length = snprintf(path, BL_HISTORY_PATH, "%s/bankline/history.db", data);
    else if (home && *home)
        length = snprintf(path, BL_HISTORY_PATH, "%s/.local/share/bankline/history.db", home);
    else
        return bl_fail(error, BL_FILE_FAILED, "no home folder for the history; --db names a file");
    return length < BL_HISTORY_PATH
               ? BL_OK
               : bl_fail(error, BL_FILE_FAILED, "the path of the history is too long");
}

/* What SQLite's own waiting does not cover: some locks, as those of a change to WAL, it does not
 * wait for. */
enum bl_status bl_history_persist(struct bl_history *history,
                                  enum bl_status (*act)(struct bl_history *, struct bl_error *),
                                  struct bl_error *error)
{
    struct timespec began;
    clock_gettime(CLOCK_MONOTONIC, &began);
    for (;;) {
        const enum bl_status status = act(history, error);
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        const long waited_ms =
            (now.tv_sec - began.tv_sec) * 1000 + (now.tv_nsec - began.tv_nsec) / 1000000;
        if (status == BL_OK || sqlite3_errcode(history->database) != SQLITE_BUSY ||
            waited_ms >= history->busy_timeout_ms)
            return status;
        if (!sqlite3_get_autocommit(history->database))
            bl_history_execute(history, "ROLLBACK", NULL);
        sqlite3_sleep(NAP_MS);
    }
}

static enum bl_status connect(struct bl_history *history, const char *name, int flags,
                              struct bl_error *error)
{
    if (sqlite3_open_v2(name, &history->database, flags, NULL) != SQLITE_OK)
        return bl_history_fail(history, error);
    bl_history_set_busy_timeout(history, BUSY_TIMEOUT_MS);
    return BL_OK;
}

/* Whether a writer left a log beside the file, or is at work. */
static bool has_log(const struct bl_history *history)
{
    return access(sqlite3_filename_wal(sqlite3_db_filename(history->database, "main")), F_OK) == 0;
}

static enum bl_status open_to_add(struct bl_history *history, const char *name,
                                  struct bl_error *error)
{
    /* Before SQLite makes files beside it that would keep its owner out. */
    if (access(name, W_OK) != 0 && errno != ENOENT)
        return bl_fail(error, BL_FILE_FAILED, "%s: %m", history->path);
    enum bl_status status =
        connect(history, name, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);
    /* Closing moves the log into the file, which must not happen to another program's. */
    if (status == BL_OK && has_log(history))
        sqlite3_db_config(history->database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    if (status == BL_OK)
        status = bl_history_persist(history, bl_history_set_up, error);
    if (status == BL_OK)
        sqlite3_db_config(history->database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
    return status;
}

/* A URI of a file of which SQLite is to believe that nobody changes it: then it needs no files
 * beside it. */
static void immutable_uri(const char *path, char *uri)
{
    uri += sprintf(uri, "file:");
    for (; *path; path++)
        uri += sprintf(uri, strchr("%?#", *path) ? "%%%02x" : "%c", *path);
    strcpy(uri, "?immutable=1");
}

/* From here on the database is a copy, which may be changed. */
static enum bl_status copy_to_memory(struct bl_history *history, struct bl_error *error)
{
    sqlite3 *file = history->database;
    history->database = NULL;
    enum bl_status status = connect(history, ":memory:", SQLITE_OPEN_READWRITE, error);
    if (status == BL_OK) {
        sqlite3_backup *backup = sqlite3_backup_init(history->database, "main", file, "main");
        if (backup)
            sqlite3_backup_step(backup, -1);
        if (!backup || sqlite3_backup_finish(backup) != SQLITE_OK)
            status = bl_history_fail(history, error);
    }
    sqlite3_close(file);
    return status;
}

static bool copy_file(const char *from, const char *to)
{
    char block[1 << 16];
    size_t got;
    FILE *in = fopen(from, "re"), *out = fopen(to, "we");
    bool is_copied = in && out;
    while (is_copied && (got = fread(block, 1, sizeof block, in)) > 0)
        is_copied = fwrite(block, 1, got, out) == got;
    is_copied = is_copied && !ferror(in);
    if (in)
        fclose(in);
    return (!out || fclose(out) == 0) && is_copied;
}

/* A log that was left in a folder that may not be written to: SQLite reads it in a copy. */
static enum bl_status read_copy(struct bl_history *history, const char *path,
                                struct bl_error *error)
{
    const char *temporary = getenv("TMPDIR");
    char folder[PATH_MAX], copy[PATH_MAX + 16], log[PATH_MAX + 16], copied_log[PATH_MAX + 32];
    snprintf(folder, sizeof folder, "%s/bankline-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(folder))
        return bl_fail(error, BL_FILE_FAILED, "%s: cannot make a copy in %s: %m", history->path,
                       folder);
    snprintf(copy, sizeof copy, "%s/copy", folder);
    snprintf(log, sizeof log, "%s-wal", path);
    snprintf(copied_log, sizeof copied_log, "%s-wal", copy);
    enum bl_status status = BL_OK;
    if (!copy_file(path, copy) || !copy_file(log, copied_log))
        status =
            bl_fail(error, BL_FILE_FAILED, "%s: cannot be copied to %s: %m", history->path, folder);
    if (status == BL_OK)
        status = connect(history, copy, SQLITE_OPEN_READWRITE, error);
    if (status == BL_OK)
        status = copy_to_memory(history, error);
    unlink(copied_log);
    unlink(copy);
    rmdir(folder);
    return status;
}

static enum bl_status connect_to_read(struct bl_history *history, const char *name,
                                      struct bl_error *error)
{
    char path[PATH_MAX], folder[PATH_MAX], uri[3 * PATH_MAX + 32];
    if (!realpath(name, path))
        return bl_fail(error, BL_FILE_FAILED,
                       errno == ENOENT
                           ? "%s: no history yet; 'bankline history add RUN.csv' begins one"
                           : "%s: %m",
                       history->path);
    strcpy(folder, path);
    const bool is_writable = access(path, W_OK) == 0 && access(dirname(folder), W_OK) == 0;
    const enum bl_status status = connect(history, path, SQLITE_OPEN_READWRITE, error);
    if (status != BL_OK)
        return status;
    const bool is_logged = has_log(history);
    if (is_logged && is_writable)
        sqlite3_db_config(history->database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    if (is_writable)
        return BL_OK;
    sqlite3_close(history->database);
    history->database = NULL;
    if (is_logged)
        return read_copy(history, path, error);
    immutable_uri(path, uri);
    return connect(history, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, error);
}

static enum bl_status open_to_read(struct bl_history *history, const char *name,
                                   enum bl_history_use use, struct bl_error *error)
{
    int schema = 0;
    bool is_complete = false;
    enum bl_status status = connect_to_read(history, name, error);
    if (status == BL_OK)
        status = bl_history_identify(history, &schema, &is_complete, error);
    if (status == BL_OK && schema == 0 && use == BL_HISTORY_READ)
        return bl_fail(error, BL_FILE_FAILED,
                       "%s: empty, no history yet; 'bankline history add RUN.csv' begins one",
                       history->path);
    if (status != BL_OK || is_complete)
        return status;
    status = copy_to_memory(history, error);
    return status == BL_OK ? bl_history_set_up(history, error) : status;
}

enum bl_status bl_history_open(const char *path, enum bl_history_use use,
                               struct bl_history **history, struct bl_error *error)
{
    char name[sizeof(*history)->path + 2]; /* ":memory:" and "file:..." are names like any other */
    *history = NULL;
    struct bl_history *opened = calloc(1, sizeof *opened);
    if (!opened)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the history");
    enum bl_status status = BL_OK;
    if ((size_t)snprintf(opened->path, sizeof opened->path, "%s", path) >= sizeof opened->path)
        status = bl_fail(error, BL_FILE_FAILED, "the path of --db is too long");
    snprintf(name, sizeof name, "%s%s", path[0] == '/' ? "" : "./", opened->path);
    if (status == BL_OK && use == BL_HISTORY_READ_OR_NONE && access(name, F_OK) != 0 &&
        errno == ENOENT) {
        status = connect(opened, ":memory:", SQLITE_OPEN_READWRITE, error);
        if (status == BL_OK)
            status = bl_history_set_up(opened, error);
    } else if (status == BL_OK) {
        status = use == BL_HISTORY_ADD ? open_to_add(opened, name, error)
                                       : open_to_read(opened, name, use, error);
    }
    if (status != BL_OK) {
        bl_history_close(opened);
        return status;
    }
    *history = opened;
    return BL_OK;
}

void bl_history_set_busy_timeout(struct bl_history *history, int milliseconds)
{
    history->busy_timeout_ms = milliseconds;
    sqlite3_busy_timeout(history->database, milliseconds);
}

void bl_history_close(struct bl_history *history)
{
    if (!history)
        return;
    sqlite3_close(history->database);
    free(history);
}
