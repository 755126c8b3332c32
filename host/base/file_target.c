/* Finds the file that a path leads to, before anything is opened. Symbolic links are followed here,
 * not by open(), for two reasons: the file at the end of the links is the one to replace, and two
 * outputs that are the same file must be refused. */
#include "base/file_target.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

/* Devices such as /dev/null or a terminal may be named more than once. */
static bool is_shared(const struct bl_file_target *target)
{
    return S_ISCHR(target->about.st_mode) || S_ISSOCK(target->about.st_mode);
}

static bool are_same(const struct bl_file_target *one, const struct bl_file_target *other)
{
    if (one->kind == BL_TARGET_DESCRIPTOR && one->descriptor == other->descriptor)
        return true;
    if (one->exists && other->exists)
        return !is_shared(one) && bl_same_file(&one->about, &other->about);
    return !one->exists && !other->exists && one->name && other->name &&
           strcmp(one->name, other->name) == 0;
}

static enum bl_status check(const struct bl_named_path paths[],
                            const struct bl_file_target targets[], size_t count,
                            struct bl_error *error)
{
    struct bl_file_target printed;
    bl_target_resolve("-", true, &printed);
    for (size_t i = 0; i < count; i++) {
        /* The shell redirected standard output to this file, so the file's content and the printed
         * output would be mixed. */
        if (targets[i].kind == BL_TARGET_REGULAR && are_same(&targets[i], &printed))
            return bl_fail(error, BL_USAGE, "%s '%.300s' is the file that standard output goes to",
                           paths[i].role, paths[i].path);
        for (size_t j = 0; j < i; j++)
            if ((paths[i].is_output || paths[j].is_output) && are_same(&targets[i], &targets[j]))
                return bl_fail(error, BL_USAGE, "%s '%.300s' and %s '%.300s' are the same file",
                               paths[j].role, paths[j].path, paths[i].role, paths[i].path);
    }
    return BL_OK;
}

enum bl_status bl_paths_check_distinct(const struct bl_named_path paths[], size_t count,
                                       struct bl_error *error)
{
    struct bl_file_target *targets = calloc(count + 1, sizeof *targets);
    if (!targets)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while comparing %zu paths", count);
    for (size_t i = 0; i < count; i++) {
        /* Skips a path that cannot be resolved: open() will fail, too, and its message is
         * better. */
        if (!paths[i].path ||
            bl_target_resolve(paths[i].path, paths[i].is_output, &targets[i]) != 0) {
            bl_target_free(&targets[i]);
            targets[i] = (struct bl_file_target){.descriptor = -1};
        }
    }
    const enum bl_status status = check(paths, targets, count, error);
    for (size_t i = 0; i < count; i++)
        bl_target_free(&targets[i]);
    free(targets);
    return status;
}

enum { MAX_LINKS = 40 }; /* Linux, too, follows at most 40 symbolic links in a path */

bool bl_same_file(const struct stat *one, const struct stat *other)
{
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

static bool lies_below(const char *name, const char *folder)
{
    const size_t length = strlen(folder);
    return strncmp(name, folder, length) == 0 && (name[length] == '/' || !name[length]);
}

/* The descriptor that the file name `base` stands for in this canonical folder (/dev, /dev/fd or
 * /proc/self/fd); -1 if it stands for no descriptor. */
static int descriptor_of(const char *folder, const char *base)
{
    static const char *const streams[] = {"stdin", "stdout", "stderr"};
    for (int i = 0; i < 3 && strcmp(folder, "/dev") == 0; i++)
        if (strcmp(base, streams[i]) == 0)
            return i;
    char *own = realpath("/proc/self/fd", NULL);
    const bool is_own = (own && strcmp(folder, own) == 0) || strcmp(folder, "/dev/fd") == 0;
    free(own);
    const size_t digits = strspn(base, "0123456789");
    return is_own && digits > 0 && digits < 10 && !base[digits] ? atoi(base) : -1;
}

static int use_descriptor(int descriptor, struct bl_file_target *target)
{
    target->kind = BL_TARGET_DESCRIPTOR;
    target->descriptor = descriptor;
    target->exists = fstat(descriptor, &target->about) == 0;
    return 0;
}

/* Splits `path` at its last '/'. Returns the canonical folder, which the caller frees, and the rest
 * in *base; NULL, with errno, on failure. */
static char *folder_of(const char *path, const char **base)
{
    const char *slash = strrchr(path, '/');
    *base = slash ? slash + 1 : path;
    char *folder = slash ? strndup(path, (size_t)(slash + 1 - path)) : strdup(".");
    char *canonical = folder ? realpath(folder, NULL) : NULL;
    const int reason = errno;
    free(folder);
    errno = reason;
    return canonical;
}

/* The target of a symbolic link as a path, which the caller frees; NULL, with errno, on failure. */
static char *follow(const char *folder, const char *link)
{
    char text[PATH_MAX], *path;
    const ssize_t length = readlink(link, text, sizeof text);
    if (length < 0)
        return NULL;
    if (asprintf(&path, "%s%s%.*s", text[0] == '/' ? "" : folder, text[0] == '/' ? "" : "/",
                 (int)length, text) >= 0)
        return path;
    errno = ENOMEM;
    return NULL;
}

/* Fills in the kind and the status of target->name, a file in `folder`. If the file is a symbolic
 * link outside /proc, *next receives the path to which the link leads. Returns 0 or an errno. */
static int look(const char *folder, struct bl_file_target *target, char **next)
{
    const bool is_in_proc = lies_below(folder, "/proc");
    if (is_in_proc || (lies_below(folder, "/dev") && !lies_below(folder, "/dev/shm")))
        target->kind = BL_TARGET_SPECIAL;
    target->exists = lstat(target->name, &target->about) == 0;
    if (!target->exists)
        return errno == ENOENT ? 0 : errno;
    if (!S_ISLNK(target->about.st_mode))
        return 0;
    if (is_in_proc) { /* a link in /proc may read 'pipe:[123]', which is not a path */
        target->exists = stat(target->name, &target->about) == 0;
        return 0;
    }
    *next = follow(folder, target->name);
    return *next ? 0 : errno;
}

/* Resolves `path`, except that a symbolic link at its end is not followed: *next then receives the
 * link's target, which the caller frees. Otherwise *next stays NULL. Returns 0 or an errno. */
static int step(const char *path, struct bl_file_target *target, char **next)
{
    const char *base;
    char *folder = folder_of(path, &base);
    if (!folder)
        return errno;
    bl_target_free(target);
    const int descriptor = descriptor_of(folder, base);
    int reason;
    if (descriptor >= 0) {
        reason = use_descriptor(descriptor, target);
    } else if (asprintf(&target->name, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, base) < 0) {
        target->name = NULL;
        reason = ENOMEM;
    } else {
        target->base = strlen(target->name) - strlen(base);
        reason = look(folder, target, next);
    }
    free(folder);
    return reason;
}

int bl_target_resolve(const char *path, bool is_output, struct bl_file_target *target)
{
    *target = (struct bl_file_target){.kind = BL_TARGET_REGULAR, .descriptor = -1};
    if (strcmp(path, "-") == 0)
        return use_descriptor(is_output ? STDOUT_FILENO : STDIN_FILENO, target);
    /* stat() is called, too: Linux may refuse to follow another user's link in /tmp, and then the
     * link must not be followed here either. */
    if (!*path || (stat(path, &target->about) != 0 && errno != ENOENT))
        return *path ? errno : ENOENT;
    char *at = strdup(path);
    int reason = at ? 0 : ENOMEM;
    for (int links = 0; at && !reason; links++) {
        char *next = NULL;
        reason = links <= MAX_LINKS ? step(at, target, &next) : ELOOP;
        free(at);
        at = next;
    }
    free(at);
    if (reason)
        return reason;
    if (target->kind == BL_TARGET_REGULAR && target->exists && !S_ISREG(target->about.st_mode))
        target->kind = BL_TARGET_SPECIAL;
    return 0;
}

void bl_target_free(struct bl_file_target *target)
{
    free(target->name);
    target->name = NULL;
}
