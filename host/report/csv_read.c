#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/csv.h"

enum { LONGEST_FIELD = 4096 };

struct reader {
    FILE *file;
    struct bl_error *error;
    unsigned schema;           /* of the header: how many columns a row has */
    size_t line;               /* 1-based, of the character read last */
    char field[LONGEST_FIELD]; /* the field read last, without its quotes */
    bool ends_line, ends_file; /* what came after it */
};

static enum bl_status bad(const struct reader *reader, const char *what)
{
    return bl_fail(reader->error, BL_BAD_FORMAT, "line %zu: %s", reader->line, what);
}

/* Reads one field and what ends it: a comma, a line end or the end of the file. */
static enum bl_status read_field(struct reader *reader)
{
    size_t used = 0;
    bool quoted = false, was_quoted = false;
    reader->ends_line = reader->ends_file = false;
    for (;;) {
        const int c = getc_unlocked(reader->file);
        if (c == EOF) {
            if (quoted)
                return bad(reader, "a quoted field does not end");
            reader->ends_line = reader->ends_file = true;
            break;
        }
        if (quoted && c == '"') {
            const int next = getc_unlocked(reader->file);
            if (next != '"') {
                quoted = false;
                ungetc(next, reader->file);
                continue;
            }
        } else if (!quoted && c == '"' && used == 0 && !was_quoted) {
            quoted = was_quoted = true;
            continue;
        } else if (!quoted && c == ',') {
            break;
        } else if (!quoted && c == '\n') {
            reader->ends_line = true;
            break;
        } else if (!quoted && (c == '"' || was_quoted)) {
            return bad(reader, "a quote in the middle of a field");
        }
        if (c == '\0')
            return bad(reader, "a zero byte: this is no text");
        reader->line += c == '\n';
        if (used + 1 >= sizeof reader->field)
            return bad(reader, "a field of over 4095 bytes");
        reader->field[used++] = (char)c;
    }
    reader->field[used] = '\0';
    return BL_OK;
}

/* A decimal number in the C locale and nothing after it; infinities and NaN are refused. */
static bool parse_number(const char *text, locale_t c_locale, double *value)
{
    char *end;
    *value = strtod_l(text, &end, c_locale);
    return *text && *end == '\0' && isfinite(*value);
}

static bool parse_names(const char *text, const char *(*name_of)(unsigned), unsigned count,
                        unsigned *value)
{
    for (unsigned i = 0; i < count; i++)
        if (strcmp(text, name_of(i)) == 0) {
            *value = i;
            return true;
        }
    return false;
}

static const char *direction_name(unsigned i) { return bl_direction_name((enum bl_direction)i); }
static const char *verdict_name(unsigned i) { return bl_verdict_name((enum bl_verdict)i); }
static const char *status_name(unsigned i) { return bl_row_status_name((enum bl_row_status)i); }

static enum bl_status parse_field(const struct reader *reader, locale_t c_locale,
                                  const struct bl_column *column, struct bl_row *row)
{
    char *at = (char *)row + column->offset;
    const char *text = reader->field;
    unsigned name = 0;
    double number = NAN;
    bool good = true;
    switch (column->kind) {
    case BL_COLUMN_TEXT:
        good = strlen(text) < column->size;
        if (good)
            strcpy(at, text);
        break;
    case BL_COLUMN_UNSIGNED:
    case BL_COLUMN_U64:
        good = !*text || (parse_number(text, c_locale, &number) && number >= 0 &&
                          number <= (column->kind == BL_COLUMN_U64 ? 9e15 : 4294967295.0) &&
                          number == floor(number));
        if (good && column->kind == BL_COLUMN_UNSIGNED)
            *(unsigned *)(void *)at = *text ? (unsigned)number : 0;
        if (good && column->kind == BL_COLUMN_U64)
            *(uint64_t *)(void *)at = *text ? (uint64_t)number : 0;
        break;
    case BL_COLUMN_NUMBER:
        good = !*text || parse_number(text, c_locale, &number);
        *(double *)(void *)at = number;
        break;
    case BL_COLUMN_VERDICT:
        good = parse_names(text, verdict_name, BL_NO_VERDICT + 1, &name);
        row->verdict = (enum bl_verdict)name;
        break;
    case BL_COLUMN_DIRECTION:
        good = parse_names(text, direction_name, BL_SLOWER + 1, &name);
        row->direction = (enum bl_direction)name;
        break;
    case BL_COLUMN_STATUS:
        good = parse_names(text, status_name, BL_ROW_STATUS_COUNT, &name);
        row->status = (enum bl_row_status)name;
        break;
    }
    if (good)
        return BL_OK;
    return bl_fail(reader->error, BL_BAD_FORMAT, "line %zu: column %s cannot be '%.60s'",
                   reader->line, column->name, text);
}

static enum bl_status read_header(struct reader *reader)
{
    size_t known, count = 0;
    const struct bl_column *columns = bl_columns(&known);
    do {
        const enum bl_status status = read_field(reader);
        if (status != BL_OK)
            return status;
        if (count == 0 && strncmp(reader->field, "\xEF\xBB\xBF", 3) == 0)
            return bad(reader, "begins with a byte-order mark: an editor changed this file");
        if (reader->ends_line && reader->field[0] && strchr(reader->field, '\r'))
            return bad(reader, "ends in CR LF: an editor changed this file");
        if (count == known)
            return bl_fail(reader->error, BL_BAD_FORMAT,
                           "line 1: more columns than schema %d has: a newer bankline wrote this "
                           "file",
                           (int)BL_CSV_SCHEMA);
        if (strcmp(reader->field, columns[count].name) != 0)
            return bl_fail(reader->error, BL_BAD_FORMAT,
                           "line 1: not the header of a bankline CSV, at column %zu", count + 1);
        count++;
    } while (!reader->ends_line);
    for (unsigned schema = 1; schema <= BL_CSV_SCHEMA; schema++)
        if (count == bl_columns_of_schema(schema))
            reader->schema = schema;
    return reader->schema ? BL_OK
                          : bl_fail(reader->error, BL_BAD_FORMAT,
                                    "line 1: a header of %zu columns belongs to no "
                                    "schema that this version reads",
                                    count);
}

static enum bl_status read_row(struct reader *reader, locale_t c_locale, struct bl_row *row)
{
    size_t known;
    const struct bl_column *columns = bl_columns(&known);
    const size_t count = bl_columns_of_schema(reader->schema);
    *row = bl_row_empty();
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && reader->ends_line)
            return bl_fail(reader->error, BL_BAD_FORMAT, "line %zu: %zu fields where %zu belong",
                           reader->line, i, count);
        enum bl_status status = i == 0 ? BL_OK : read_field(reader); /* 0 was read by the caller */
        if (status == BL_OK)
            status = parse_field(reader, c_locale, &columns[i], row);
        if (status != BL_OK)
            return status;
    }
    if (!reader->ends_line)
        return bl_fail(reader->error, BL_BAD_FORMAT, "line %zu: more than %zu fields", reader->line,
                       count);
    if (row->schema != reader->schema)
        return bl_fail(reader->error, BL_BAD_FORMAT,
                       "line %zu: schema %u under a header of schema %u", reader->line, row->schema,
                       reader->schema);
    return BL_OK;
}

static enum bl_status each_row(struct reader *reader, locale_t c_locale, bl_row_handler *handle,
                               void *context)
{
    struct bl_row row;
    enum bl_status status = read_header(reader);
    while (status == BL_OK && !reader->ends_file) {
        const size_t line = ++reader->line;
        status = read_field(reader);
        if (status != BL_OK || (reader->ends_file && reader->field[0] == '\0'))
            break;
        status = read_row(reader, c_locale, &row);
        if (status == BL_OK)
            status = handle(context, &row, line, reader->error);
    }
    if (status == BL_OK && ferror(reader->file))
        status = bl_fail(reader->error, BL_FILE_FAILED, "line %zu: cannot be read", reader->line);
    return status;
}

enum bl_status bl_csv_each(FILE *file, bl_row_handler *handle, void *context,
                           struct bl_error *error)
{
    const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the C locale");
    struct reader reader = {.file = file, .error = error, .line = 1};
    const enum bl_status status = each_row(&reader, c_locale, handle, context);
    freelocale(c_locale);
    return status;
}

struct kept {
    struct bl_row *rows;
    size_t count, capacity;
};

static enum bl_status keep(void *context, const struct bl_row *row, size_t line,
                           struct bl_error *error)
{
    (void)line;
    struct kept *kept = context;
    if (kept->count == kept->capacity) {
        const size_t capacity = kept->capacity ? 2 * kept->capacity : 64;
        struct bl_row *more = realloc(kept->rows, capacity * sizeof *more);
        if (!more)
            return bl_fail(error, BL_NO_MEMORY, "no memory for %zu rows", capacity);
        kept->rows = more;
        kept->capacity = capacity;
    }
    kept->rows[kept->count++] = *row;
    return BL_OK;
}

enum bl_status bl_csv_read(FILE *file, struct bl_row **rows, size_t *count, struct bl_error *error)
{
    struct kept kept = {0};
    const enum bl_status status = bl_csv_each(file, keep, &kept, error);
    if (status != BL_OK) {
        free(kept.rows);
        kept = (struct kept){0};
    }
    *rows = kept.rows;
    *count = kept.count;
    return status;
}
