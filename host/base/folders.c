#include "base/folders.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

enum bl_status bl_make_folders(char *path, struct bl_error *error)
{
    for (char *at = path + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        const bool failed = mkdir(path, 0777) != 0 && errno != EEXIST;
        const int reason = errno;
        if (failed)
            return bl_fail(error, BL_FILE_FAILED, "cannot make the folder %s: %s", path,
                           strerror(reason));
        *at = '/';
    }
    return BL_OK;
}
