#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file_buffer.h"
#include "base/file_place.h"

struct bl_file {
    char *path; /* as given */
    enum bl_file_kind kind;
    struct bl_target target;
    struct bl_file_buffer buffer; /* what the OS kernel has not been given yet */
    int descriptor;               /* where it is to go; -1 before a whole file is complete */
    int locked;                   /* the old file, or -1 */
    char *temporary;              /* name of what descriptor writes, or NULL: target's own */
    off_t end;                    /* of the last record, in a regular file */
    int failed;                   /* reason of the first failure, or 0 */
    bool is_stdout;
};

/* Reasons that are no errno. */
enum { NOT_FOR_WRITING = -1, READ_ONLY = -2, CLOSED_FOLDER = -3, LOCKED = -4, REPLACED = -5 };

static const char *words_of(int reason)
{
    static const char *const own[] = {"",
                                      "it is not open for writing",
                                      "it is read-only",
                                      "no permission to make or replace a file in its folder",
                                      "it is being written by another process",
                                      "it was made, changed, removed or replaced meanwhile"};
    return reason < 0 ? own[-reason] : strerror(reason);
}

/* Whether what is unfinished is worth keeping. */
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

/* What is no regular file, or not to be replaced. Returns 0 or a reason. */
static int open_stream(struct bl_file *file)
{
    const struct bl_target *target = &file->target;
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

/* Opens and locks the target, and begins the new file beside it if it grows. Returns 0 or a reason.
 * *is_stale: another process was quicker, and the name stands for another file now. */
static int open_regular(struct bl_file *file, bool *is_stale)
{
    struct bl_target *target = &file->target;
    if (target->exists && !(target->about.st_mode & 0222))
        return READ_ONLY;
    const int reason = bl_file_check_folder(target);
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
    if (!bl_file_lock(descriptor))
        return LOCKED;
    *is_stale = !bl_file_has_name(descriptor, target->name);
    if (*is_stale)
        return REPLACED;
    if (!target->exists || file->kind == BL_FILE_WHOLE)
        return 0;
    file->descriptor = bl_file_create_beside(target, &file->temporary);
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
    bl_file_buffer_close(&file->buffer);
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
        return bl_fail(error, BL_NO_MEMORY, "no memory to write %.250s", path);
    }
    *opened = (struct bl_file){.path = copy, .kind = kind, .descriptor = -1, .locked = -1};
    bl_file_buffer_open(&opened->buffer);
    const int reason = opened->buffer.stream ? open_target(opened) : ENOMEM;
    const enum bl_status status = reason ? fail(opened, reason, error) : BL_OK;
    if (reason)
        release(opened);
    else
        *file = opened;
    return status;
}

FILE *bl_file_stream(struct bl_file *file) { return file->buffer.stream; }

bool bl_file_is_stdout(const struct bl_file *file) { return file->is_stdout; }

/* Gives what was written to the OS kernel: to a file of ours all or nothing. */
static int hand_over(struct bl_file *file)
{
    size_t written;
    if (file->is_stdout)
        fflush(stdout); /* what was printed before comes first */
    const bool is_ours = file->target.kind == BL_TARGET_REGULAR;
    struct stat about;
    if (is_ours && fstat(file->descriptor, &about) == 0 && about.st_size != file->end)
        return file->failed = REPLACED; /* not by us: a hole must not come into it */
    const int reason = bl_file_buffer_write(&file->buffer, file->descriptor, &written);
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

/* Brings a complete file into its place. Returns 0 or a reason. */
static int finish(struct bl_file *file)
{
    const bool is_regular = file->target.kind == BL_TARGET_REGULAR;
    if (is_regular && file->kind == BL_FILE_WHOLE)
        file->descriptor = bl_file_create_beside(&file->target, &file->temporary);
    if (file->descriptor < 0)
        return errno;
    hand_over(file);
    if (file->failed || !is_regular)
        return file->failed;
    if (!bl_file_has_name(file->descriptor, file->temporary ? file->temporary : file->target.name))
        return REPLACED;
    if (file->temporary && file->locked >= 0 && !bl_file_has_name(file->locked, file->target.name))
        return REPLACED; /* another file has the name now, and is not to be lost */
    const int reason = bl_file_settle(file->descriptor, file->temporary, &file->target);
    return reason == EEXIST ? REPLACED : reason;
}

/* Removes what did not become complete, unless there are records in it. */
static void take_away(const struct bl_file *file)
{
    const bool is_ours = file->target.kind == BL_TARGET_REGULAR && file->descriptor >= 0;
    const char *name = file->temporary ? file->temporary : file->target.name;
    if (is_ours && !has_records(file) && bl_file_has_name(file->descriptor, name))
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
            bl_fail(error, BL_FILE_FAILED, "%.250s is as it was; the records so far are in %.300s",
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
