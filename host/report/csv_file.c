#include "report/csv_file.h"

#include <errno.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/csv.h"

static enum bl_status fail(const struct bl_csv_file *csv, struct bl_error *error)
{
    const int reason = errno ? errno : EIO;
    return bl_fail(error, BL_FILE_FAILED, "cannot write %s: %s", csv->path, strerror(reason));
}

/* Takes back the part of a line that came to the disk. */
static void take_back(struct bl_csv_file *csv)
{
    csv->failed = true;
    __fpurge(csv->file);
    clearerr(csv->file);
    if (!csv->is_regular)
        return;
    if (ftruncate(fileno(csv->file), csv->whole) != 0 ||
        fseek(csv->file, csv->whole, SEEK_SET) != 0)
        clearerr(csv->file); /* the next row will tell */
}

static enum bl_status settle(struct bl_csv_file *csv, enum bl_status status, struct bl_error *error)
{
    if (status == BL_OK) {
        csv->whole = csv->is_regular ? ftell(csv->file) : 0;
        return BL_OK;
    }
    bl_error_context(error, "%s", csv->path);
    take_back(csv);
    return status;
}

enum bl_status bl_csv_open(const char *path, struct bl_csv_file *csv, struct bl_error *error)
{
    memset(csv, 0, offsetof(struct bl_csv_file, buffer));
    if (strlen(path) >= sizeof csv->path)
        return bl_fail(error, BL_FILE_FAILED, "a path of over %zu bytes", sizeof csv->path - 1);
    strcpy(csv->path, path);
    struct stat about;
    const bool is_there = stat(path, &about) == 0;
    if (is_there && S_ISREG(about.st_mode)) {
        if (access(path, W_OK) != 0)
            return fail(csv, error);
        snprintf(csv->part, sizeof csv->part, "%s.part", path);
    }
    csv->is_regular = !is_there || S_ISREG(about.st_mode);
    csv->file = fopen(csv->part[0] ? csv->part : path, "we");
    if (!csv->file)
        return fail(csv, error);
    setvbuf(csv->file, csv->buffer, _IOFBF, sizeof csv->buffer);
    const enum bl_status status = settle(csv, bl_csv_header(csv->file, error), error);
    if (status != BL_OK) {
        fclose(csv->file);
        csv->file = NULL;
        if (csv->is_regular)
            unlink(csv->part[0] ? csv->part : path);
    }
    return status;
}

enum bl_status bl_csv_add(struct bl_csv_file *csv, const struct bl_row *row, struct bl_error *error)
{
    return settle(csv, bl_csv_row(csv->file, row, error), error);
}

enum bl_status bl_csv_close(struct bl_csv_file *csv, bool is_whole, struct bl_error *error)
{
    if (!csv->file)
        return BL_OK;
    errno = 0;
    enum bl_status status = BL_OK;
    if (csv->is_regular && fsync(fileno(csv->file)) != 0)
        status = fail(csv, error);
    if (fclose(csv->file) != 0 && status == BL_OK)
        status = fail(csv, error);
    csv->file = NULL;
    const bool replaces = csv->part[0] && is_whole && !csv->failed && status == BL_OK;
    if (replaces && rename(csv->part, csv->path) != 0)
        status = fail(csv, error);
    if (csv->part[0] && (!replaces || status != BL_OK)) {
        const bool was_told = status != BL_OK;
        if (!was_told)
            status = bl_fail(error, BL_FILE_FAILED, "%s is as it was", csv->path);
        if (error) {
            char sentence[sizeof error->sentence];
            strcpy(sentence, error->sentence);
            bl_fail(error, status, "%.500s; the rows so far are in %.200s", sentence, csv->part);
        }
    }
    return status;
}
