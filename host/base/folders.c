#include "base/folders.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

/* Whether there is a folder now. What mkdir() says of one that exists differs between file systems,
 * so that only what is there counts. */
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
