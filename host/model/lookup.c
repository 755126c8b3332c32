/* Reads or generates tables. A table in a file is read completely. A random table is not stored:
 * each entry is a hash of its index. */
#include "model/lookup.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* The number at this position of the random sequence of a seed (Sebastiano Vigna's splitmix64). */
static uint64_t random_at(uint64_t seed, uint64_t place)
{
    uint64_t z = seed + (place + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Generates a random permutation of 0 to lookup->count - 1 by the Fisher-Yates shuffle. */
static enum bl_status permute(struct bl_lookup *lookup, struct bl_error *error)
{
    lookup->values = calloc(lookup->count, sizeof lookup->values[0]);
    if (!lookup->values)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while generating a table of %zu entries",
                       lookup->count);
    for (size_t i = 0; i < lookup->count; i++) {
        const size_t other = random_at(lookup->seed, i) % (i + 1);
        lookup->values[i] = lookup->values[other];
        lookup->values[other] = (int32_t)i;
    }
    return BL_OK;
}

/* Reads "N" or "N:SEED" after a pattern's name. */
static bool read_pattern(const char *text, struct bl_lookup *lookup)
{
    char *end;
    errno = 0;
    const unsigned long long count = strtoull(text, &end, 10);
    lookup->seed = 1;
    if (!isdigit((unsigned char)*text) || errno || count == 0 || count > BL_MAX_LOOKUP)
        return false;
    lookup->count = (size_t)count;
    if (*end == ':' && isdigit((unsigned char)end[1]))
        lookup->seed = strtoull(end + 1, &end, 10);
    return *end == '\0' && errno == 0;
}

static enum bl_status open_pattern(const char *text, struct bl_lookup *lookup,
                                   struct bl_error *error)
{
    const bool is_random = strncmp(text, "random:", strlen("random:")) == 0;
    if (!read_pattern(strchr(text, ':') + 1, lookup))
        return bl_fail(error, BL_USAGE,
                       "--table %s: expected random:N or permutation:N, with N from 1 to %d, "
                       "optionally followed by :SEED (1 if omitted)",
                       text, (int)BL_MAX_LOOKUP);
    snprintf(lookup->name, sizeof lookup->name, "%s %zu, seed %llu",
             is_random ? "random below" : "a permutation of", lookup->count,
             (unsigned long long)lookup->seed);
    return is_random ? BL_OK : permute(lookup, error);
}

/* A longer word is rejected: no 32-bit integer needs so many digits. */
enum { LONGEST_WORD = 30 };

static enum bl_status add_entry(const char *path, unsigned number, const char *word,
                                struct bl_lookup *lookup, size_t *capacity, struct bl_error *error)
{
    char *end;
    errno = 0;
    const long long value = strtoll(word, &end, 10);
    if (*end || errno || value < INT32_MIN || value > INT32_MAX || strlen(word) > LONGEST_WORD)
        return bl_fail(error, BL_BAD_FORMAT, "%s:%u: '%.30s' is not a 32-bit integer", path, number,
                       word);
    if (lookup->count == BL_MAX_LOOKUP)
        return bl_fail(error, BL_BAD_FORMAT, "%s: more than %zu entries", path, lookup->count);
    int32_t *entry = bl_array_append(&lookup->values, &lookup->count, capacity, sizeof *entry);
    if (!entry)
        return bl_fail(error, BL_NO_MEMORY, "%s: out of memory after %zu entries", path,
                       lookup->count);
    *entry = (int32_t)value;
    return BL_OK;
}

/* Reads byte by byte, because a line may be very long, or endless as in /dev/zero. */
static enum bl_status read_entries(FILE *file, const char *path, struct bl_lookup *lookup,
                                   struct bl_error *error)
{
    char word[LONGEST_WORD + 2] = ""; /* room for one byte too many, and for the final zero */
    size_t length = 0, capacity = 0;
    enum bl_status status = BL_OK;
    bool is_comment = false;
    unsigned number = 1;
    for (int byte = 0; status == BL_OK && byte != EOF;) {
        byte = getc(file);
        if (byte == '\0')
            return bl_fail(error, BL_BAD_FORMAT, "%s:%u: a zero byte: this is not a text file",
                           path, number);
        const bool is_end = byte == EOF || strchr(" \t,#\r\n", byte);
        if (!is_end && !is_comment)
            word[length++] = (char)byte;
        if (length > 0 && (is_end || length == sizeof word - 1)) {
            word[length] = '\0';
            status = add_entry(path, number, word, lookup, &capacity, error);
            length = 0;
        }
        is_comment = byte == '#' || (is_comment && byte != '\n');
        number += byte == '\n';
    }
    return status;
}

static enum bl_status open_file(const char *path, struct bl_lookup *lookup, struct bl_error *error)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(path, "re");
    if (!file)
        return bl_fail(
            error, BL_FILE_FAILED,
            "cannot read --table %s: %s (for a generated table, give random:N or permutation:N)",
            path, strerror(errno));
    enum bl_status status = read_entries(file, path, lookup, error);
    if (status == BL_OK && ferror(file))
        status =
            bl_fail(error, BL_FILE_FAILED, "cannot read --table %s: %s", path, strerror(errno));
    if (status == BL_OK && lookup->count == 0)
        status = bl_fail(error, BL_BAD_FORMAT, "%s contains no integers", path);
    if (!is_stdin)
        fclose(file);
    snprintf(lookup->name, sizeof lookup->name, "%zu entries of %.60s", lookup->count, path);
    return status;
}

enum bl_status bl_lookup_open(const char *text, struct bl_lookup *lookup, struct bl_error *error)
{
    *lookup = (struct bl_lookup){0};
    const bool is_pattern = strncmp(text, "random:", strlen("random:")) == 0 ||
                            strncmp(text, "permutation:", strlen("permutation:")) == 0;
    return is_pattern ? open_pattern(text, lookup, error) : open_file(text, lookup, error);
}

void bl_lookup_free(struct bl_lookup *lookup)
{
    free(lookup->values);
    *lookup = (struct bl_lookup){0};
}

bool bl_lookup_value(const struct bl_lookup *lookup, int64_t index, int32_t *value)
{
    if (index < 0 || (lookup->values && (uint64_t)index >= lookup->count))
        return false;
    *value = lookup->values ? lookup->values[index]
                            : (int32_t)(random_at(lookup->seed, (uint64_t)index) % lookup->count);
    return true;
}
