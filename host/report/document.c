#include "report/document.h"

#include <errno.h>
#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/document_writers.h"

typedef enum bl_status writer(FILE *file, const struct bl_row rows[], size_t count,
                              struct bl_error *error);

static const struct {
    writer *write;       /* NULL: not built */
    const char *library; /* that it needs */
} documents[] = {
#ifdef BL_WITH_JANSSON
    [BL_DOCUMENT_JSON] = {bl_write_json, "jansson"},
    [BL_DOCUMENT_BENCHMARK_JSON] = {bl_write_benchmark_json, "jansson"},
#else
    [BL_DOCUMENT_JSON] = {NULL, "jansson"},
    [BL_DOCUMENT_BENCHMARK_JSON] = {NULL, "jansson"},
#endif
#ifdef BL_WITH_LIBXML2
    [BL_DOCUMENT_JUNIT] = {bl_write_junit, "libxml2"},
#else
    [BL_DOCUMENT_JUNIT] = {NULL, "libxml2"},
#endif
    [BL_DOCUMENT_PROMETHEUS] = {bl_write_prometheus, ""},
    [BL_DOCUMENT_MARKDOWN] = {bl_write_markdown, ""},
};

bool bl_document_is_built(enum bl_document document, const char **library)
{
    *library = documents[document].library;
    return documents[document].write != NULL;
}

enum bl_status bl_document_write(enum bl_document document, FILE *file, const struct bl_row rows[],
                                 size_t count, struct bl_error *error)
{
    if (!documents[document].write)
        return bl_fail(error, BL_USAGE, "this bankline was built without %s",
                       documents[document].library);
    const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the C locale");
    const locale_t before = uselocale(c_locale);
    const enum bl_status status = documents[document].write(file, rows, count, error);
    uselocale(before);
    freelocale(c_locale);
    return status;
}

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
static enum bl_status write_and_close(enum bl_document document, const char *path, FILE *file,
                                      bool sync, const struct bl_row rows[], size_t count,
                                      struct bl_error *error)
{
    const enum bl_status status = bl_document_write(document, file, rows, count, error);
    errno = 0;
    const bool failed =
        fflush(file) != 0 || ferror(file) || (sync && fsync(fileno(file)) != 0);
    const int reason = errno;
    if (fclose(file) != 0 && !failed && status == BL_OK)
        return cannot_write(path, errno, error);
    return status == BL_OK && failed ? cannot_write(path, reason, error) : status;
}

/* Through a temporary file beside it. */
static enum bl_status replace(enum bl_document document, const char *path,
                              const struct bl_row rows[], size_t count, struct bl_error *error)
{
    char temporary[4096 + 8];
    if ((size_t)snprintf(temporary, sizeof temporary, "%s.XXXXXX", path) >= sizeof temporary)
        return bl_fail(error, BL_FILE_FAILED, "a path of over 4096 bytes");
    const int descriptor = mkstemp(temporary);
    if (descriptor < 0)
        return cannot_write(path, errno, error);
    allow_reading(descriptor);
    FILE *file = fdopen(descriptor, "w");
    enum bl_status status =
        file ? write_and_close(document, path, file, true, rows, count, error)
             : cannot_write(path, errno, error);
    if (!file)
        close(descriptor);
    if (status == BL_OK && rename(temporary, path) != 0)
        status = cannot_write(path, errno, error);
    if (status != BL_OK)
        unlink(temporary);
    return status;
}

enum bl_status bl_document_save(enum bl_document document, const char *path,
                                const struct bl_row rows[], size_t count, struct bl_error *error)
{
    /* What is no file is written to and not replaced, nor is /dev/stdout, which may stand for a
     * file that others write to, nor a symbolic link. */
    struct stat about;
    const bool exists = stat(path, &about) == 0;
    const bool is_device = exists && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
    if (is_device || strncmp(path, "/dev/", strlen("/dev/")) == 0) {
        FILE *file = fopen(path, "ae");
        return file ? write_and_close(document, path, file, false, rows, count, error)
                    : cannot_write(path, errno, error);
    }
    char *target = exists ? realpath(path, NULL) : NULL;
    const enum bl_status status = replace(document, target ? target : path, rows, count, error);
    free(target);
    return status;
}
