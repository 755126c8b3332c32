/* Writes files so that a reader never finds part of a record or of a file, even if the program
 * crashes. Output is collected in memory until a record or the file is complete, and is then passed
 * to the OS in one piece. After a file is locked, its name is checked again, because another
 * process may have replaced the file between opening and locking. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

struct bl_file {
    char *path; /* the path given to bl_file_open */
    enum bl_file_kind kind;
    struct bl_file_target target;
    FILE *stream; /* collects output in `bytes` */
    char *bytes;
    size_t count, capacity; /* bytes used and allocated in `bytes` */
    int descriptor;  /* where output goes; -1 for a regular whole file until it is complete */
    int locked;      /* descriptor that holds the lock on the old file; -1 if none */
    char *temporary; /* temporary name under which the file is written, until it is renamed to the
                        target's name; NULL if there is nothing to rename */
    off_t end;       /* length of a regular file after its last complete record, in bytes */
    int failed; /* why output could not be written: an errno, or a negative reason (words_of); 0 if
                   it could */
    bool is_stdout;
};

/* The write function of the stream. open_memstream() would be shorter, but with it ferror() does
 * not report that memory ran out. */
static ssize_t take(void *cookie, const char *bytes, size_t count)
{
    struct bl_file *file = cookie;
    if (file->capacity - file->count < count) {
        const size_t capacity = 2 * (file->count + count);
        char *more = realloc(file->bytes, capacity);
        if (!more)
            return 0;
        file->bytes = more;
        file->capacity = capacity;
    }
    memcpy(file->bytes + file->count, bytes, count);
    file->count += count;
    return (ssize_t)count;
}

static int write_all(int descriptor, const char *bytes, size_t count, size_t *written)
{
    while (*written < count) {
        const ssize_t step = write(descriptor, bytes + *written, count - *written);
        if (step > 0) {
            *written += (size_t)step;
        } else if (step == 0) {
            return EIO;
        } else if (errno == EAGAIN) { /* another program made the terminal or pipe non-blocking */
            struct pollfd ready = {.fd = descriptor, .events = POLLOUT};
            poll(&ready, 1, -1);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

/* Locks the file behind `descriptor` against other writers; closing the descriptor releases the
 * lock. Returns false only if another process has the lock, so a file system without locks counts
 * as success. */
static bool file_lock(int descriptor)
{
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

/* Whether the file behind `descriptor` still has this name. */
static bool file_has_name(int descriptor, const char *name)
{
    struct stat opened, named;
    return fstat(descriptor, &opened) == 0 && lstat(name, &named) == 0 &&
           bl_same_file(&opened, &named);
}

static char *folder_of(const struct bl_file_target *target)
{
    return strndup(target->name, target->base);
}

/* Checks that the target's folder permits creating a file and replacing an existing target. Returns
 * 0 or an errno. */
static int file_check_folder(const struct bl_file_target *target)
{
    char *folder = folder_of(target);
    struct stat about;
    if (!folder)
        return ENOMEM;
    int reason = faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0 ? 0 : errno;
    /* In a sticky folder such as /tmp, only root and the owners of the file and of the folder may
     * replace the file. */
    const uid_t user = geteuid();
    if (!reason && target->exists && user != 0 && stat(folder, &about) == 0 &&
        (about.st_mode & S_ISVTX) && user != about.st_uid && user != target->about.st_uid)
        reason = EPERM;
    free(folder);
    return reason;
}

/* Gives the file behind `descriptor` the owner and mode of an existing target, as far as
 * permissions allow. */
static void file_take_mode(int descriptor, const struct bl_file_target *target)
{
    if (!target->exists)
        return;
    mode_t mode = target->about.st_mode & 07777;
    if (fchown(descriptor, target->about.st_uid, target->about.st_gid) != 0 &&
        fchown(descriptor, (uid_t)-1, target->about.st_gid) != 0)
        mode = (mode & ~(mode_t)02070) | (mode & 07)
                                             << 3; /* the new file could not get the target's group,
                                                      so its group gets only the permissions that
                                                      the target gave to others */
    if (fchmod(descriptor, mode) != 0)
        return; /* for example, on a file system without modes */
}

static void choose_letters(char letters[7])
{
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    unsigned long random;
    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
        random = (unsigned long)getpid();
    for (int i = 0; i < 6; i++, random /= sizeof alphabet - 1)
        letters[i] = alphabet[random % (sizeof alphabet - 1)];
    letters[6] = '\0';
}

/* How many bytes of the target's file name can be kept so that the name does not become too long
 * when `added` bytes are appended. */
static size_t kept_bytes(const struct bl_file_target *target, size_t added)
{
    char *folder = folder_of(target);
    const long limit = folder ? pathconf(folder, _PC_NAME_MAX) : -1;
    free(folder);
    const char *base = target->name + target->base;
    const size_t longest = limit > (long)added ? (size_t)limit : NAME_MAX;
    size_t kept = strlen(base);
    if (kept + added > longest)
        for (kept = longest - added; kept > 0 && ((unsigned char)base[kept] & 0xC0) == 0x80;)
            kept--; /* do not cut inside a UTF-8 character */
    return kept;
}

/* Creates a locked file in the target's folder, with the owner and mode of an existing target.
 * Returns its descriptor and sets *name, which the caller frees. On failure returns -1 and sets
 * errno. */
static int file_create_beside(const struct bl_file_target *target, char **name)
{
    enum { TRIES = 100 };
    const int kept = (int)(target->base + kept_bytes(target, strlen(".XXXXXX.part")));
    for (int i = 0; i < TRIES; i++) {
        char letters[7];
        choose_letters(letters);
        if (asprintf(name, "%.*s.%s.part", kept, target->name, letters) < 0) {
            *name = NULL;
            errno = ENOMEM;
            return -1;
        }
        const int descriptor =
            open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, target->exists ? 0600 : 0666);
        if (descriptor >= 0) {
            file_lock(descriptor);
            file_take_mode(descriptor, target);
            return descriptor;
        }
        const int reason = errno;
        free(*name);
        *name = NULL;
        errno = reason;
        if (reason != EEXIST)
            break;
    }
    return -1;
}

/* Writes the folder to the disk, because the new name is an entry in the folder. Errors are
 * ignored: some file systems cannot sync folders, and write them soon anyway. */
static void sync_folder(const struct bl_file_target *target)
{
    char *folder = folder_of(target);
    const int descriptor = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (descriptor >= 0) {
        fsync(descriptor);
        close(descriptor);
    }
    free(folder);
}

/* Renames the temporary file to its final name. If the target did not exist before, but another
 * process has created it meanwhile, the rename fails, provided that the file system supports
 * RENAME_NOREPLACE. */
static int take_place(const char *temporary, const struct bl_file_target *target)
{
    if (!target->exists) {
        if (renameat2(AT_FDCWD, temporary, AT_FDCWD, target->name, RENAME_NOREPLACE) == 0)
            return 0;
        if (errno != EINVAL && errno != ENOSYS)
            return -1;
    }
    return rename(temporary, target->name);
}

/* Writes the file to the disk. If `temporary` is not NULL, also renames the file from `temporary`
 * to the target's name. Returns 0 or an errno. */
static int file_settle(int descriptor, const char *temporary, const struct bl_file_target *target)
{
    if (fsync(descriptor) != 0 && errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
        return errno;
    if (temporary) {
        file_take_mode(descriptor, target); /* set the mode once more, because writing clears a
                                               set-group-ID bit */
        if (take_place(temporary, target) != 0)
            return errno;
    }
    sync_folder(target);
    return 0;
}

/* Makes a folder. Returns whether the folder exists now. Uses stat(), because file systems differ
 * in the error that mkdir() gives for an existing folder. */
static bool make_folder(const char *path)
{
    struct stat about;
    if (mkdir(path, 0777) == 0)
        return true;
    const int reason = errno;
    const bool is_folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    errno = reason;
    return is_folder;
}

enum bl_status bl_make_folders(char *path, struct bl_error *error)
{
    enum bl_status status = BL_OK;
    for (char *at = path + (*path == '/'); status == BL_OK && (at = strchr(at, '/')); at++) {
        *at = '\0';
        if (!make_folder(path))
            status = bl_fail(error, BL_FILE_FAILED, "cannot make the folder %s: %s", path,
                             strerror(errno));
        *at = '/';
    }
    return status;
}

/* Reasons for failures that no errno describes. They are negative, so that one int can be either an
 * errno or one of these reasons. */
enum { NOT_FOR_WRITING = -1, READ_ONLY = -2, CLOSED_FOLDER = -3, LOCKED = -4, REPLACED = -5 };

static const char *words_of(int reason)
{
    static const char *const own[] = {
        "",
        "it is not open for writing",
        "it is read-only",
        "no permission to make or replace a file in its folder",
        "it is being written by another process",
        "another process created, changed, removed or replaced it meanwhile"};
    return reason < 0 ? own[-reason] : strerror(reason);
}

/* Whether an unfinished file has at least one whole record, so that it must not be removed. */
static bool has_records(const struct bl_file *file)
{
    return file->kind == BL_FILE_GROWING && file->end > 0;
}

static enum bl_status fail(const struct bl_file *file, int reason, struct bl_error *error)
{
    const enum bl_status status = reason == ENOMEM                     ? BL_NO_MEMORY
                                  : reason == EPIPE && file->is_stdout ? BL_NO_READER
                                                                       : BL_FILE_FAILED;
    const bool are_beside = file->temporary && has_records(file);
    return bl_fail(error, status, "cannot write %.250s: %s%s%.300s",
                   strcmp(file->path, "-") == 0 ? "to standard output" : file->path,
                   words_of(reason), are_beside ? "; the records so far are in " : "",
                   are_beside ? file->temporary : "");
}

static bool comes_out_on_stdout(const struct bl_file *file)
{
    struct stat printed, about;
    if (file->target.descriptor == STDOUT_FILENO)
        return true;
    if (fstat(STDOUT_FILENO, &printed) != 0 || fstat(file->descriptor, &about) != 0)
        return false;
    const bool is_null_device = S_ISCHR(about.st_mode) && about.st_rdev == makedev(1, 3);
    return bl_same_file(&printed, &about) && !is_null_device;
}

/* Opens a target that is written to directly, such as a pipe or a descriptor. Returns 0 or the
 * reason for the failure. */
static int open_stream(struct bl_file *file)
{
    const struct bl_file_target *target = &file->target;
    const bool is_open = target->kind == BL_TARGET_DESCRIPTOR;
    file->descriptor = is_open ? fcntl(target->descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                               : open(target->name, O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
    if (file->descriptor < 0)
        return is_open && errno == EBADF ? NOT_FOR_WRITING : errno;
    if ((fcntl(file->descriptor, F_GETFL) & O_ACCMODE) == O_RDONLY)
        return NOT_FOR_WRITING;
    file->is_stdout = comes_out_on_stdout(file);
    return 0;
}

/* Opens and locks a regular target. Creates a new growing file, but not a new whole file (see
 * finish). For a growing file whose target exists, also creates the temporary file beside the
 * target. Returns 0 or the reason for the failure. *is_stale is set if another process created,
 * removed or replaced the target meanwhile, so that the caller tries again. */
static int open_regular(struct bl_file *file, bool *is_stale)
{
    struct bl_file_target *target = &file->target;
    if (target->exists && !(target->about.st_mode & 0222))
        return READ_ONLY;
    const int reason = file_check_folder(target);
    if (reason)
        return reason == EACCES || reason == EPERM ? CLOSED_FOLDER : reason;
    if (!target->exists && file->kind == BL_FILE_WHOLE)
        return 0;
    const int flags = target->exists ? O_NOFOLLOW : O_CREAT | O_EXCL;
    const int descriptor = open(target->name, O_WRONLY | O_CLOEXEC | flags, 0666);
    if (descriptor < 0) {
        *is_stale = errno == (target->exists ? ENOENT : EEXIST);
        return errno;
    }
    *(target->exists ? &file->locked : &file->descriptor) = descriptor;
    if (!file_lock(descriptor))
        return LOCKED;
    *is_stale = !file_has_name(descriptor, target->name);
    if (*is_stale)
        return REPLACED;
    if (!target->exists || file->kind == BL_FILE_WHOLE)
        return 0;
    file->descriptor = file_create_beside(target, &file->temporary);
    return file->descriptor < 0 ? errno : 0;
}

static void close_descriptors(struct bl_file *file)
{
    if (file->descriptor >= 0)
        close(file->descriptor);
    if (file->locked >= 0)
        close(file->locked);
    file->descriptor = file->locked = -1;
}

static int open_target(struct bl_file *file)
{
    enum { TRIES = 100 };
    int reason = 0;
    bool is_stale = true;
    for (int i = 0; i < TRIES && is_stale; i++) {
        is_stale = false;
        close_descriptors(file);
        bl_target_free(&file->target);
        reason = bl_target_resolve(file->path, true, &file->target);
        if (!reason)
            reason = file->target.kind == BL_TARGET_REGULAR ? open_regular(file, &is_stale)
                                                            : open_stream(file);
    }
    return reason;
}

static void release(struct bl_file *file)
{
    close_descriptors(file);
    if (file->stream)
        fclose(file->stream);
    free(file->bytes);
    bl_target_free(&file->target);
    free(file->temporary);
    free(file->path);
    free(file);
}

enum bl_status bl_file_open(const char *path, enum bl_file_kind kind, struct bl_file **file,
                            struct bl_error *error)
{
    *file = NULL;
    struct bl_file *opened = calloc(1, sizeof *opened);
    char *copy = strdup(path);
    if (!opened || !copy) {
        free(opened);
        free(copy);
        return bl_fail(error, BL_NO_MEMORY, "out of memory while writing %.250s", path);
    }
    *opened = (struct bl_file){.path = copy, .kind = kind, .descriptor = -1, .locked = -1};
    opened->stream = fopencookie(opened, "w", (cookie_io_functions_t){.write = take});
    const int reason = opened->stream ? open_target(opened) : ENOMEM;
    const enum bl_status status = reason ? fail(opened, reason, error) : BL_OK;
    if (reason)
        release(opened);
    else
        *file = opened;
    return status;
}

FILE *bl_file_stream(struct bl_file *file) { return file->stream; }

int bl_file_flush_stdout(void)
{
    static int first; /* after a failure, the buffer is empty: the next fflush succeeds */
    errno = 0;
    const bool failed = fflush(stdout) != 0 || ferror(stdout);
    if (failed && !first)
        first = errno;
    return !failed ? 0 : first ? first : EIO;
}

bool bl_file_is_stdout(const struct bl_file *file) { return file->is_stdout; }

/* Passes the collected output to the OS and empties the buffer. A regular file gets all of the
 * output or nothing. If another process changed the file's length, writes nothing, keeps the buffer
 * and returns REPLACED. Returns 0 or the reason for the failure. If memory ran out while output was
 * collected, writes nothing and returns ENOMEM. */
static int hand_over(struct bl_file *file)
{
    size_t written = 0;
    if (file->is_stdout)
        bl_file_flush_stdout(); /* what printf has buffered comes first */
    const bool is_ours = file->target.kind == BL_TARGET_REGULAR;
    struct stat about;
    /* If another process changed the file's length, writing at our offset would leave a hole or
     * overwrite what that process wrote. */
    if (is_ours && fstat(file->descriptor, &about) == 0 && about.st_size != file->end)
        return file->failed = REPLACED;
    int reason = fflush(file->stream) != 0 || ferror(file->stream) ? ENOMEM : 0;
    if (reason) {
        __fpurge(file->stream);
        clearerr(file->stream);
    } else {
        reason = write_all(file->descriptor, file->bytes, file->count, &written);
    }
    file->count = 0;
    if (is_ours && !reason)
        file->end += (off_t)written;
    else if (is_ours && written > 0 && ftruncate(file->descriptor, file->end) == 0)
        lseek(file->descriptor, file->end, SEEK_SET);
    if (!file->failed)
        file->failed = reason;
    return reason;
}

enum bl_status bl_file_record(struct bl_file *file, struct bl_error *error)
{
    const int reason = file->kind == BL_FILE_GROWING ? hand_over(file) : 0;
    return reason ? fail(file, reason, error) : BL_OK;
}

/* Puts a complete file in its final place. Returns 0 or the reason for the failure. */
static int finish(struct bl_file *file)
{
    const bool is_regular = file->target.kind == BL_TARGET_REGULAR;
    if (is_regular && file->kind == BL_FILE_WHOLE)
        file->descriptor = file_create_beside(&file->target, &file->temporary);
    if (file->descriptor < 0)
        return errno;
    hand_over(file);
    if (file->failed || !is_regular)
        return file->failed;
    if (!file_has_name(file->descriptor, file->temporary ? file->temporary : file->target.name))
        return REPLACED;
    if (file->temporary && file->locked >= 0 && !file_has_name(file->locked, file->target.name))
        return REPLACED; /* another process removed the old file, or put another file in its place,
                            which must not be overwritten */
    const int reason = file_settle(file->descriptor, file->temporary, &file->target);
    return reason == EEXIST ? REPLACED : reason;
}

/* Removes an incomplete file unless it has records. */
static void take_away(const struct bl_file *file)
{
    const bool is_ours = file->target.kind == BL_TARGET_REGULAR && file->descriptor >= 0;
    const char *name = file->temporary ? file->temporary : file->target.name;
    if (is_ours && !has_records(file) && file_has_name(file->descriptor, name))
        unlink(name);
}

enum bl_status bl_file_close(struct bl_file *file, bool is_complete, struct bl_error *error)
{
    if (!file)
        return BL_OK;
    const int reason = is_complete ? finish(file) : file->failed;
    enum bl_status status = BL_OK;
    if (reason)
        status = fail(file, reason, error);
    else if (!is_complete && file->temporary && has_records(file))
        status =
            bl_fail(error, BL_FILE_FAILED, "%.250s is unchanged; the records so far are in %.300s",
                    file->path, file->temporary);
    if (reason || !is_complete)
        take_away(file);
    release(file);
    return status;
}

void bl_file_guard_standard_streams(void)
{
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        if (fcntl(i, F_GETFD) < 0 && open("/dev/null", i == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            return;
}

enum bl_status bl_c_locale_enter(struct bl_c_locale *scope, struct bl_error *error)
{
    scope->own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (scope->own == (locale_t)0)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while setting the C locale");
    scope->before = uselocale(scope->own);
    return BL_OK;
}

void bl_c_locale_leave(struct bl_c_locale *scope)
{
    uselocale(scope->before);
    freelocale(scope->own);
}

enum bl_status bl_read_decimal(const char *text, double *number, char **end, struct bl_error *error)
{
    struct bl_c_locale scope = {0};
    const enum bl_status status = bl_c_locale_enter(&scope, error);
    if (status != BL_OK)
        return status;
    *number = strtod(text, end);
    bl_c_locale_leave(&scope);
    return BL_OK;
}
