/* The CSV reader, which passes rows on without keeping them, and the CSV format. */
#include "report/csv.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "report/compare.h"
#include "report/fleet.h"
#include "report/sink.h"

enum { LONGEST_FIELD = 4096 };

struct csv_reader {
    FILE *file;
    struct bl_error *error;
    unsigned schema;           /* the schema of the file, found from the columns of the header */
    size_t line;               /* number of the line, from 1, of the last character read */
    char field[LONGEST_FIELD]; /* the field read last, without its quotes */
    size_t used;               /* length of the field in bytes */
    bool ends_line, ends_file; /* whether a line end or the end of the file follows the field */
};

static enum bl_status bad(const struct csv_reader *reader, const char *what)
{
    return bl_fail(reader->error, BL_BAD_FORMAT, "line %zu: %s", reader->line, what);
}

static bool follows(struct csv_reader *reader, int wanted)
{
    const int c = getc_unlocked(reader->file);
    if (c == wanted)
        return true;
    ungetc(c, reader->file); /* does nothing if c is EOF */
    return false;
}

/* Whether c ends a field: a comma, a line end (LF or CR LF) or the end of the file. Sets ends_line
 * and ends_file accordingly. */
static bool ends_field(struct csv_reader *reader, int c)
{
    reader->ends_file = c == EOF;
    reader->ends_line = c == EOF || c == '\n' || (c == '\r' && follows(reader, '\n'));
    return reader->ends_line || c == ',';
}

static enum bl_status keep_character(struct csv_reader *reader, int c)
{
    if (c == '\0')
        return bad(reader, "a zero byte: this is not a text file");
    reader->line += c == '\n';
    if (reader->used + 1 >= sizeof reader->field)
        return bad(reader, "a field of over 4095 bytes");
    reader->field[reader->used++] = (char)c;
    return BL_OK;
}

static enum bl_status read_field(struct csv_reader *reader)
{
    const bool is_quoted = follows(reader, '"');
    enum bl_status status = BL_OK;
    reader->used = 0;
    for (;;) {
        const int c = getc_unlocked(reader->file);
        if (is_quoted ? c == '"' && !follows(reader, '"') : ends_field(reader, c))
            break;
        if (c == EOF)
            return bad(reader, "a quoted field has no closing quote");
        if (!is_quoted && c == '"')
            return bad(reader, "a quote in the middle of a field");
        if ((status = keep_character(reader, c)) != BL_OK)
            return status;
    }
    reader->field[reader->used] = '\0';
    return !is_quoted || ends_field(reader, getc_unlocked(reader->file))
               ? BL_OK
               : bad(reader, "text after the end of a quoted field");
}

static enum bl_status read_header(struct csv_reader *reader)
{
    size_t count = 0;
    do {
        const enum bl_status status = read_field(reader);
        if (status != BL_OK)
            return status;
        const char *name = reader->field;
        if (count == 0 && strncmp(name, "\xEF\xBB\xBF", 3) == 0)
            name += 3;
        if (count == BL_COLUMN_COUNT)
            return bl_fail(reader->error, BL_BAD_FORMAT,
                           "line 1: more columns than schema %d has; a newer bankline wrote this "
                           "file",
                           (int)BL_CSV_SCHEMA);
        if (strcmp(name, bl_columns[count].name) != 0)
            return bl_fail(reader->error, BL_BAD_FORMAT,
                           "line 1: not the header of a bankline CSV, at column %zu", count + 1);
        count++;
    } while (!reader->ends_line);
    for (unsigned schema = 1; schema <= BL_CSV_SCHEMA; schema++)
        if (count == bl_columns_of_schema(schema))
            reader->schema = schema;
    return reader->schema
               ? BL_OK
               : bl_fail(reader->error, BL_BAD_FORMAT, "line 1: no schema has %zu columns", count);
}

static enum bl_status read_row(struct csv_reader *reader, struct bl_run_info *run,
                               struct bl_row *row)
{
    const size_t count = bl_columns_of_schema(reader->schema);
    *run = bl_run_info_empty();
    *row = bl_row_empty();
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && reader->ends_line)
            return bl_fail(reader->error, BL_BAD_FORMAT, "line %zu: %zu fields, expected %zu",
                           reader->line, i, count);
        enum bl_status status = i == 0 ? BL_OK : read_field(reader); /* the caller has read field
                                                                        0 */
        if (status == BL_OK && !bl_column_parse(&bl_columns[i], reader->field, run, row))
            status = bl_fail(reader->error, BL_BAD_FORMAT, "line %zu: column %s cannot be '%.60s'",
                             reader->line, bl_columns[i].name, reader->field);
        if (status != BL_OK)
            return status;
    }
    if (!reader->ends_line)
        return bl_fail(reader->error, BL_BAD_FORMAT, "line %zu: more than %zu fields", reader->line,
                       count);
    if (run->schema != reader->schema)
        return bl_fail(reader->error, BL_BAD_FORMAT,
                       "line %zu: schema %u, but the header is of schema %u", reader->line,
                       run->schema, reader->schema);
    return BL_OK;
}

static enum bl_status each_row(struct csv_reader *reader, bl_row_handler *handle, void *context)
{
    struct bl_run_info run;
    struct bl_row row;
    enum bl_status status = read_header(reader);
    while (status == BL_OK && !reader->ends_file) {
        const size_t line = ++reader->line;
        status = read_field(reader);
        if (status != BL_OK || (reader->ends_file && reader->field[0] == '\0'))
            break;
        status = read_row(reader, &run, &row);
        if (status == BL_OK)
            status = handle(context, &run, &row, line, reader->error);
    }
    return status;
}

enum bl_status bl_csv_read(const char *path, bl_row_handler *handle, void *context,
                           struct bl_error *error)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(path, "re");
    if (!file)
        return bl_fail(error, BL_FILE_FAILED, "cannot read %s: %s", path, strerror(errno));
    struct bl_c_locale scope;
    struct csv_reader reader = {.file = file, .error = error, .line = 1};
    enum bl_status status = bl_c_locale_enter(&scope, error);
    if (status == BL_OK) {
        errno = 0;
        status = each_row(&reader, handle, context);
        if (ferror(file)) /* a folder, for example, can be opened, but reading it fails */
            status = bl_fail(error, BL_FILE_FAILED, "cannot be read: %s", strerror(errno));
        bl_c_locale_leave(&scope);
        if (status != BL_OK)
            bl_error_context(error, "%s", path);
    }
    if (!is_stdin)
        fclose(file);
    return status;
}

void bl_csv_field(FILE *file, const char *text, const char *end)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, file);
    } else {
        fputc('"', file);
        for (; *text; text++) {
            if (*text == '"')
                fputc('"', file);
            fputc(*text, file);
        }
        fputc('"', file);
    }
    fputs(end, file);
}

void bl_csv_digits(FILE *file, double number, int digits, const char *end)
{
    char text[BL_NUMBER_TEXT];
    fputs(bl_number_text(number, digits, text), file);
    fputs(end, file);
}

void bl_csv_number(FILE *file, double number, const char *end)
{
    bl_csv_digits(file, number, BL_NUMBER_DIGITS, end);
}

static const char *after(size_t column) { return column + 1 < BL_COLUMN_COUNT ? "," : "\n"; }

void bl_csv_header(FILE *file)
{
    for (size_t i = 0; i < BL_COLUMN_COUNT; i++)
        bl_csv_field(file, bl_columns[i].name, after(i));
}

void bl_csv_row(FILE *file, const struct bl_run_info *run, const struct bl_row *row)
{
    char buffer[BL_COLUMN_BUFFER];
    for (size_t i = 0; i < BL_COLUMN_COUNT; i++)
        bl_csv_field(file, bl_column_text(&bl_columns[i], run, row, buffer), after(i));
}

static enum bl_status begin_run(struct bl_sink *sink)
{
    bl_csv_header(sink->stream);
    return BL_OK;
}

static enum bl_status write_row(struct bl_sink *sink, const struct bl_row *row)
{
    bl_csv_row(sink->stream, sink->run, row);
    return BL_OK;
}

static enum bl_status begin_changes(struct bl_sink *sink)
{
    fputs("change,case,type,shape,lanes,working_set_bytes,machine,by,absolute,before,before_lo,"
          "before_hi,after,after_lo,after_hi,reason\n",
          sink->stream);
    return BL_OK;
}

/* These macros write texts or numbers as fields, each followed by a comma. */
#define write_texts(file, ...) write_all_texts(file, (const char *const[]){__VA_ARGS__, NULL})
#define write_numbers(file, ...)                           \
    write_all_numbers(file, (const double[]){__VA_ARGS__}, \
                      sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static void write_all_texts(FILE *file, const char *const texts[])
{
    while (*texts)
        bl_csv_field(file, *texts++, ",");
}

static void write_all_numbers(FILE *file, const double numbers[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        bl_csv_number(file, numbers[i], ",");
}

static enum bl_status write_change(struct bl_sink *sink, const struct bl_compared *row)
{
    FILE *file = sink->stream;
    char reason[BL_NO_NUMBER_REASON], text[BL_COLUMN_BUFFER];
    const struct bl_column *column;
    bl_csv_field(file, bl_change_name(row->change), ",");
    for (size_t i = 0; (column = bl_key_column(i)); i++)
        bl_csv_field(file, bl_key_text(column, row->key, text), ",");
    bl_csv_number(file, row->by, ",");
    fputs(row->is_absolute ? "1," : "0,", file);
    const struct bl_row none = bl_row_empty(), *before = row->before ? row->before : &none,
                        *after = row->after ? row->after : &none;
    write_numbers(file, before->measured, before->measured_lo, before->measured_hi, after->measured,
                  after->measured_lo, after->measured_hi);
    bl_csv_field(file, row->after ? bl_no_number_reason(row->after, reason) : "", "\n");
    return BL_OK;
}

/* Device and driver, which may contain commas, come last: this helps readers that do not parse
 * quotes. */
static void write_fleet_key(FILE *file, const struct bl_fleet_model *model,
                            const struct bl_fleet_row *row)
{
    static const struct bl_fleet_row none;
    if (!row)
        row = &none;
    write_texts(file, row->key.case_id, row->key.type, row->key.shape, row->key.machine,
                row->kernels, model->device);
    bl_csv_field(file, model->driver, "\n");
}

/* Writes a line for each row of a model, then a line for each outlier. */
static enum bl_status write_fleet(struct bl_sink *sink, const struct bl_fleet *fleet)
{
    FILE *file = sink->stream;
    fputs("record,host,device_id,run_id,cards,own,median,spread,time_ns,time_spread,by,spreads,"
          "limit,since,case,type,shape,machine,kernels,device,driver\n",
          file);
    for (size_t i = 0; i < fleet->row_count; i++) {
        const struct bl_fleet_row *row = &fleet->rows[i];
        fprintf(file, "row,,,,%zu,,", row->cards);
        write_numbers(file, row->ratio, row->ratio_spread, row->time_ns, row->time_spread);
        fputs(",,,,", file);
        write_fleet_key(file, &fleet->models[row->model], row);
    }
    for (size_t i = 0; i < fleet->outlier_count; i++) {
        const struct bl_outlier *outlier = &fleet->outliers[i];
        const struct bl_fleet_card *card = &fleet->cards[outlier->card];
        const struct bl_fleet_model *model = &fleet->models[card->model];
        const struct bl_fleet_row *row = bl_outlier_row(fleet, outlier);
        write_texts(file, bl_oddity_name(outlier->oddity), card->run.host, card->run.device_id,
                    card->run.run_id);
        fprintf(file, "%zu,", row ? row->cards : model->cards);
        write_numbers(file, outlier->own, outlier->median);
        fputs(",,,", file);
        write_numbers(file, outlier->by, outlier->spreads, model->limit[outlier->oddity]);
        bl_csv_field(file, outlier->since, ",");
        write_fleet_key(file, model, row);
    }
    return BL_OK;
}

const struct bl_format bl_format_csv = {
    .name = "csv",
    .help = "write the rows to a CSV file",
    .is_growing = true,
    .writes_runs = true,
    .writes_changes = true,
    .run = {begin_run, write_row, NULL},
    .changes = {begin_changes, write_change, NULL},
    .fleet = write_fleet,
    .fleet_help = "write the typical rows and the outliers to a CSV file",
};
