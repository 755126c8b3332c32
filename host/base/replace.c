#include "base/replace.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* mkstemp's file is for its owner alone; a document is as readable as any other new file. */
static void allow_reading(int descriptor)
{
    const mode_t mask = umask(0);
    umask(mask);
    if (fchmod(descriptor, 0666 & ~mask) != 0)
        return; /* it stays for its owner alone */
}

static enum bl_status cannot_write(const char *path, int reason, struct bl_error *error)
{
    return bl_fail(error, BL_FILE_FAILED, "cannot write %s: %s", path,
                   strerror(reason ? reason : EIO));
}

/* Writes, closes, and says what went wrong. */
static enum bl_status write_and_close(const char *path, FILE *file, bool sync,
                                      bl_content_writer *write, const void *content,
                                      struct bl_error *error)
{
    const enum bl_status status = write(file, content, error);
    errno = 0;
    const bool failed = fflush(file) != 0 || ferror(file) || (sync && fsync(fileno(file)) != 0);
    const int reason = errno;
    if (fclose(file) != 0 && !failed && status == BL_OK)
        return cannot_write(path, errno, error);
    return status == BL_OK && failed ? cannot_write(path, reason, error) : status;
}

/* Through a temporary file beside it. */
static enum bl_status replace(const char *path, bl_content_writer *write, const void *content,
                              struct bl_error *error)
{
    char temporary[4096 + 8];
    if ((size_t)snprintf(temporary, sizeof temporary, "%s.XXXXXX", path) >= sizeof temporary)
        return bl_fail(error, BL_FILE_FAILED, "a path of over 4096 bytes");
    const int descriptor = mkstemp(temporary);
    if (descriptor < 0)
        return cannot_write(path, errno, error);
    allow_reading(descriptor);
    FILE *file = fdopen(descriptor, "w");
    enum bl_status status = file ? write_and_close(path, file, true, write, content, error)
                                 : cannot_write(path, errno, error);
    if (!file)
        close(descriptor);
    if (status == BL_OK && rename(temporary, path) != 0)
        status = cannot_write(path, errno, error);
    if (status != BL_OK)
        unlink(temporary);
    return status;
}

enum bl_status bl_replace_file(const char *path, bl_content_writer *write, const void *content,
                               struct bl_error *error)
{
    /* /dev/stdout may stand for a file that others write to as well. */
    struct stat about;
    const bool exists = stat(path, &about) == 0;
    const bool is_device = exists && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
    if (is_device || strncmp(path, "/dev/", strlen("/dev/")) == 0) {
        FILE *file = fopen(path, "ae");
        return file ? write_and_close(path, file, false, write, content, error)
                    : cannot_write(path, errno, error);
    }
    char *target = exists ? realpath(path, NULL) : NULL;
    const enum bl_status status = replace(target ? target : path, write, content, error);
    free(target);
    return status;
}
