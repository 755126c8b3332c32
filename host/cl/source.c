#include "cl/source.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST_INCLUDE = 8 };

static enum bl_status read_whole(const char *folder, const char *name, char **text,
                                 struct bl_error *error)
{
    *text = NULL;
    char path[4096];
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path)
        return bl_fail(error, BL_FILE_FAILED, "the path of kernel %s is too long", name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return bl_fail(error, BL_FILE_FAILED, "cannot read kernel %s: %s", path, strerror(errno));
    size_t size = 0;
    FILE *memory = open_memstream(text, &size);
    char block[4096];
    size_t got;
    while (memory && (got = fread(block, 1, sizeof block, file)) > 0)
        fwrite(block, 1, got, memory);
    const bool failed = ferror(file) || !memory || ferror(memory);
    const int reason = errno;
    fclose(file);
    if (memory && fclose(memory) == 0 && !failed)
        return BL_OK;
    free(*text);
    *text = NULL;
    return bl_fail(error, BL_FILE_FAILED, "cannot read kernel %s: %s", path, strerror(reason));
}

static enum bl_status find_text(const char *folder, const char *name, char **text,
                                struct bl_error *error)
{
    if (folder)
        return read_whole(folder, name, text, error);
    for (const struct bl_source_file *file = bl_embedded_sources; file->name; file++)
        if (strcmp(file->name, name) == 0) {
            *text = strdup(file->text);
            return *text ? BL_OK : bl_fail(error, BL_NO_MEMORY, "no memory for kernel %s", name);
        }
    return bl_fail(error, BL_FILE_FAILED, "no kernel file is called %s", name);
}

/* Copies the file's lines to out; a line that includes another file becomes that file. */
static enum bl_status expand(const char *folder, const char *name, unsigned depth, FILE *out,
                             struct bl_error *error)
{
    if (depth > DEEPEST_INCLUDE)
        return bl_fail(error, BL_FILE_FAILED, "kernel %s: includes are nested too deep", name);
    char *text = NULL;
    enum bl_status status = find_text(folder, name, &text, error);
    if (status != BL_OK || !text)
        return status;
    fprintf(out, "#line 1 \"%s\"\n", name);
    unsigned number = 1;
    for (const char *line = text; *line && status == BL_OK; number++) {
        const size_t length = strcspn(line, "\n");
        char included[256];
        if (sscanf(line, "#include \"%255[^\"\n]\"", included) == 1) {
            status = expand(folder, included, depth + 1, out, error);
            fprintf(out, "#line %u \"%s\"\n", number + 1, name);
        } else {
            fprintf(out, "%.*s\n", (int)length, line);
        }
        line += length + (line[length] == '\n');
    }
    free(text);
    return status;
}

enum bl_status bl_source_load(const char *folder, const char *name, char **text,
                              struct bl_error *error)
{
    *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(text, &size);
    if (!out)
        return bl_fail(error, BL_NO_MEMORY, "no memory for kernel %s", name);
    enum bl_status status = expand(folder, name, 0, out, error);
    const bool failed = ferror(out);
    if ((fclose(out) != 0 || failed) && status == BL_OK)
        status = bl_fail(error, BL_NO_MEMORY, "no memory for kernel %s", name);
    if (status != BL_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}
