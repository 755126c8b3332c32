#include "cli/whole_files.h"

#include <time.h>

enum bl_status bl_whole_files_open(const struct bl_named_path paths[], size_t all, size_t count,
                                   struct bl_file *files[], struct bl_error *error)
{
    enum bl_status status = bl_paths_check_distinct(paths, all, error);
    for (size_t i = 0; i < count && status == BL_OK; i++)
        if (paths[i].path)
            status = bl_file_open(paths[i].path, BL_FILE_WHOLE, &files[i], error);
    return status;
}

enum bl_status bl_whole_files_close(struct bl_file *files[], const bool is_complete[], size_t count,
                                    struct bl_error *error)
{
    enum bl_status failed = BL_OK;
    for (size_t i = 0; i < count; i++) {
        const enum bl_status closed =
            bl_file_close(files[i], is_complete[i], failed == BL_OK ? error : NULL);
        files[i] = NULL;
        failed = failed == BL_OK ? closed : failed;
    }
    return failed;
}

FILE *bl_whole_files_words(struct bl_file *const files[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (files[i] && bl_file_is_stdout(files[i]))
            return stderr;
    return stdout;
}

void bl_time_utc(char text[32])
{
    const time_t now = time(NULL);
    struct tm utc;
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
}
