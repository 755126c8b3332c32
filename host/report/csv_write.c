#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "report/csv.h"

static bool needs_quotes(const char *text, size_t length)
{
    return memchr(text, ',', length) || memchr(text, '"', length) || memchr(text, '\r', length) ||
           memchr(text, '\n', length);
}

void bl_csv_text(FILE *file, const char *text, size_t length)
{
    if (!needs_quotes(text, length)) {
        fwrite(text, 1, length, file);
        return;
    }
    fputc('"', file);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"')
            fputc('"', file);
        fputc(text[i], file);
    }
    fputc('"', file);
}

static void write_field(FILE *file, const struct bl_column *column, const struct bl_row *row)
{
    const char *at = (const char *)row + column->offset;
    switch (column->kind) {
    case BL_COLUMN_TEXT:
        bl_csv_text(file, at, strlen(at));
        break;
    case BL_COLUMN_UNSIGNED: {
        const unsigned value = *(const unsigned *)(const void *)at;
        if (value)
            fprintf(file, "%u", value);
        break;
    }
    case BL_COLUMN_U64: {
        const uint64_t value = *(const uint64_t *)(const void *)at;
        if (value)
            fprintf(file, "%" PRIu64, value);
        break;
    }
    case BL_COLUMN_NUMBER: {
        const double value = *(const double *)(const void *)at;
        if (isfinite(value))
            fprintf(file, "%.7g", value);
        break;
    }
    case BL_COLUMN_VERDICT:
        fputs(bl_verdict_name(row->verdict), file);
        break;
    case BL_COLUMN_DIRECTION:
        fputs(bl_direction_name(row->direction), file);
        break;
    case BL_COLUMN_STATUS:
        fputs(bl_row_status_name(row->status), file);
        break;
    }
}

static enum bl_status finish_line(FILE *file, struct bl_error *error)
{
    fputc('\n', file);
    errno = 0;
    if (fflush(file) == 0 && !ferror(file))
        return BL_OK;
    return bl_fail(error, BL_FILE_FAILED, "cannot write: %s", strerror(errno ? errno : EIO));
}

enum bl_status bl_csv_header(FILE *file, struct bl_error *error)
{
    size_t count;
    const struct bl_column *columns = bl_columns(&count);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%s%s", i ? "," : "", columns[i].name);
    return finish_line(file, error);
}

enum bl_status bl_csv_row(FILE *file, const struct bl_row *row, struct bl_error *error)
{
    /* Whatever locale the program runs in, a number has a point. */
    const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the C locale");
    const locale_t before = uselocale(c_locale);
    size_t count;
    const struct bl_column *columns = bl_columns(&count);
    for (size_t i = 0; i < count; i++) {
        if (i)
            fputc(',', file);
        write_field(file, &columns[i], row);
    }
    uselocale(before);
    freelocale(c_locale);
    return finish_line(file, error);
}
