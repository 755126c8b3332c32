#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/file_target.h"

/* What is no file of its own may be named as often as one likes: /dev/null, a terminal. */
static bool is_shared(const struct bl_target *target)
{
    return S_ISCHR(target->about.st_mode) || S_ISSOCK(target->about.st_mode);
}

static bool are_same(const struct bl_target *one, const struct bl_target *other)
{
    if (one->kind == BL_TARGET_DESCRIPTOR && one->descriptor == other->descriptor)
        return true;
    if (one->exists && other->exists)
        return !is_shared(one) && bl_same_file(&one->about, &other->about);
    return !one->exists && !other->exists && one->name && other->name &&
           strcmp(one->name, other->name) == 0;
}

static enum bl_status check(const struct bl_named_path paths[], const struct bl_target targets[],
                            size_t count, struct bl_error *error)
{
    struct bl_target printed;
    bl_target_resolve("-", true, &printed);
    for (size_t i = 0; i < count; i++) {
        /* Its name leads to the file into which the shell put standard output. */
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
    struct bl_target *targets = calloc(count + 1, sizeof *targets);
    if (!targets)
        return bl_fail(error, BL_NO_MEMORY, "no memory for %zu paths", count);
    for (size_t i = 0; i < count; i++) {
        /* What cannot be resolved cannot be opened either, and opening it says why. */
        if (!paths[i].path ||
            bl_target_resolve(paths[i].path, paths[i].is_output, &targets[i]) != 0) {
            bl_target_free(&targets[i]);
            targets[i] = (struct bl_target){.descriptor = -1};
        }
    }
    const enum bl_status status = check(paths, targets, count, error);
    for (size_t i = 0; i < count; i++)
        bl_target_free(&targets[i]);
    free(targets);
    return status;
}
