/* Loads kernel sources. Includes are expanded here because OpenCL compilers cannot read embedded
 * files, and the hash of the expanded text then covers all that a kernel is built from. */
#include "cl/source.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

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
    size_t capacity = 0;
    const bool is_empty = getdelim(text, &capacity, '\0', file) < 0;
    const bool failed = ferror(file) || !*text;
    const int reason = errno;
    fclose(file);
    if (!failed && is_empty)
        **text = '\0';
    if (!failed)
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
    const char *embedded = bl_embedded_text(bl_embedded_sources, name);
    if (embedded) {
        *text = strdup(embedded);
        return *text ? BL_OK : bl_fail(error, BL_NO_MEMORY, "no memory for kernel %s", name);
    }
    return bl_fail(error, BL_FILE_FAILED, "there is no kernel file %s", name);
}

/* Copies the file's lines to out, replacing #include lines by the files they name. */
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

/* Where the comment, #line directive or white space that begins at `at` ends; `at` itself if none
 * begins there. */
static const char *skip(const char *at, bool begins_line)
{
    const char *end = at;
    if (strncmp(at, "/*", 2) == 0) {
        end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (strncmp(at, "//", 2) == 0 || (begins_line && strncmp(at, "#line ", 6) == 0))
        return at + strcspn(at, "\n");
    return at + strspn(at, " \t\n");
}

uint64_t bl_source_hash(uint64_t hash, const char *text)
{
    bool begins_line = true, skipped = false, is_first = true;
    for (const char *at = text; *at;) {
        const char *end = skip(at, begins_line);
        if (end > at) {
            begins_line |= memchr(at, '\n', (size_t)(end - at)) != NULL;
            skipped = true;
            at = end;
            continue;
        }
        if (skipped && !is_first)
            hash = bl_hash_add(hash, " ", 1);
        hash = bl_hash_add(hash, at++, 1);
        begins_line = skipped = is_first = false;
    }
    return hash;
}

/* Finds the file, and the line in it, that line `number` of the combined text comes from. */
static void place_of(const char *text, unsigned number, char file[64], unsigned *line)
{
    strcpy(file, "<kernel>");
    *line = number;
    for (unsigned at = 1, own = 1; at < number && *text; at++, own++) {
        char named[64];
        unsigned next;
        if (sscanf(text, "#line %u \"%63[^\"]\"", &next, named) == 2) {
            strcpy(file, named);
            own = next - 1; /* the directive gives the number of the line after it */
        }
        *line = own + 1;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
}

void bl_source_place(const char *text, char *log, size_t capacity)
{
    static const char unnamed[] = "<kernel>:";
    for (char *at = log; (at = strstr(at, unnamed)); at++) {
        char *rest;
        const unsigned long number = strtoul(at + sizeof unnamed - 1, &rest, 10);
        if (number == 0 || *rest != ':')
            continue;
        char file[64], place[96];
        unsigned line;
        place_of(text, (unsigned)number, file, &line);
        const size_t length = (size_t)snprintf(place, sizeof place, "%s:%u", file, line);
        const size_t left = strlen(rest) + 1;
        if ((size_t)(at - log) + length + left > capacity)
            return;
        memmove(at + length, rest, left);
        memcpy(at, place, length);
    }
}
