#include "base/file_place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

bool bl_file_lock(int descriptor)
{
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

bool bl_file_has_name(int descriptor, const char *name)
{
    struct stat opened, named;
    return fstat(descriptor, &opened) == 0 && lstat(name, &named) == 0 &&
           bl_same_file(&opened, &named);
}

static char *folder_of(const struct bl_target *target)
{
    return strndup(target->name, target->base);
}

int bl_file_check_folder(const struct bl_target *target)
{
    char *folder = folder_of(target);
    struct stat about;
    if (!folder)
        return ENOMEM;
    int reason = faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0 ? 0 : errno;
    /* In a folder such as /tmp a file is replaced by its owner and the folder's alone. */
    const uid_t user = geteuid();
    if (!reason && target->exists && user != 0 && stat(folder, &about) == 0 &&
        (about.st_mode & S_ISVTX) && user != about.st_uid && user != target->about.st_uid)
        reason = EPERM;
    free(folder);
    return reason;
}

void bl_file_take_mode(int descriptor, const struct bl_target *target)
{
    if (!target->exists)
        return;
    mode_t mode = target->about.st_mode & 07777;
    if (fchown(descriptor, target->about.st_uid, target->about.st_gid) != 0 &&
        fchown(descriptor, (uid_t)-1, target->about.st_gid) != 0)
        mode = (mode & ~(mode_t)02070) | (mode & 07) << 3; /* the group is another */
    if (fchmod(descriptor, mode) != 0)
        return; /* as on a file system without modes */
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

/* How many bytes of target's last part a longer name can begin with. */
static size_t kept_bytes(const struct bl_target *target, size_t added)
{
    char *folder = folder_of(target);
    const long limit = folder ? pathconf(folder, _PC_NAME_MAX) : -1;
    free(folder);
    const char *base = target->name + target->base;
    const size_t longest = limit > (long)added ? (size_t)limit : NAME_MAX;
    size_t kept = strlen(base);
    if (kept + added > longest) {
        kept = longest - added;
        while (kept > 0 && ((unsigned char)base[kept] & 0xC0) == 0x80)
            kept--; /* not within a character of UTF-8 */
    }
    return kept;
}

int bl_file_create_beside(const struct bl_target *target, char **name)
{
    enum { TRIES = 100 };
    const size_t kept = kept_bytes(target, strlen(".XXXXXX.part"));
    for (int i = 0; i < TRIES; i++) {
        char letters[7];
        choose_letters(letters);
        if (asprintf(name, "%.*s.%s.part", (int)(target->base + kept), target->name, letters) < 0) {
            *name = NULL;
            errno = ENOMEM;
            return -1;
        }
        const int descriptor =
            open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, target->exists ? 0600 : 0666);
        const int reason = errno;
        if (descriptor >= 0) {
            bl_file_lock(descriptor);
            bl_file_take_mode(descriptor, target);
            return descriptor;
        }
        free(*name);
        *name = NULL;
        errno = reason;
        if (reason != EEXIST)
            return -1;
    }
    return -1;
}

/* A new name is on the disk when its folder is; where that cannot be asked for, it is there soon.
 */
static void sync_folder(const struct bl_target *target)
{
    char *folder = folder_of(target);
    const int descriptor = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (descriptor >= 0) {
        fsync(descriptor);
        close(descriptor);
    }
    free(folder);
}

/* Where there was no file before, one that somebody made meanwhile is not replaced, as far as the
 * file system can tell. */
static int take_place(const char *temporary, const struct bl_target *target)
{
    if (!target->exists) {
        if (renameat2(AT_FDCWD, temporary, AT_FDCWD, target->name, RENAME_NOREPLACE) == 0)
            return 0;
        if (errno != EINVAL && errno != ENOSYS)
            return -1;
    }
    return rename(temporary, target->name);
}

int bl_file_settle(int descriptor, const char *temporary, const struct bl_target *target)
{
    if (fsync(descriptor) != 0 && errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
        return errno;
    if (temporary) {
        bl_file_take_mode(descriptor, target); /* writing took a set-group-ID bit away */
        if (take_place(temporary, target) != 0)
            return errno;
    }
    sync_folder(target);
    return 0;
}
