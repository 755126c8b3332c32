#include "report/csv.h"

#include <math.h>
#include <string.h>

#include "report/sink.h"

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

void bl_csv_number(FILE *file, double number, const char *end)
{
    char buffer[BL_COLUMN_BUFFER];
    fprintf(file, "%s%s", bl_number_text(number, buffer), end);
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

static enum bl_status begin_run(struct bl_sink *sink, struct bl_error *error)
{
    (void)error;
    bl_csv_header(sink->stream);
    return BL_OK;
}

static enum bl_status write_row(struct bl_sink *sink, const struct bl_row *row,
                                struct bl_error *error)
{
    (void)error;
    bl_csv_row(sink->stream, sink->run, row);
    return BL_OK;
}

static enum bl_status begin_changes(struct bl_sink *sink, struct bl_error *error)
{
    (void)error;
    fputs("change,case,type,shape,lanes,working_set_bytes,machine,by,absolute,before,before_lo,"
          "before_hi,after,after_lo,after_hi,reason\n",
          sink->stream);
    return BL_OK;
}

static void write_side(FILE *file, const struct bl_row *row)
{
    bl_csv_number(file, row ? row->measured : NAN, ",");
    bl_csv_number(file, row ? row->measured_lo : NAN, ",");
    bl_csv_number(file, row ? row->measured_hi : NAN, ",");
}

static enum bl_status write_change(struct bl_sink *sink, const struct bl_compared *row,
                                   struct bl_error *error)
{
    (void)error;
    FILE *file = sink->stream;
    char reason[BL_NO_NUMBER_REASON];
    bl_csv_field(file, bl_change_name(row->change), ",");
    bl_csv_field(file, row->key->case_id, ",");
    bl_csv_field(file, row->key->type, ",");
    bl_csv_field(file, row->key->shape, ",");
    bl_csv_number(file, row->key->lanes, ",");
    fprintf(file, "%llu,", (unsigned long long)row->key->working_set_bytes);
    bl_csv_field(file, row->key->machine, ",");
    bl_csv_number(file, row->by, ",");
    fputs(row->is_absolute ? "1," : "0,", file);
    write_side(file, row->before);
    write_side(file, row->after);
    bl_csv_field(file, row->after ? bl_no_number_reason(row->after, reason) : "", "\n");
    return BL_OK;
}

const struct bl_format bl_format_csv = {
    .name = "csv",
    .help = "write the rows as CSV",
    .is_growing = true,
    .writes_runs = true,
    .writes_changes = true,
    .run = {begin_run, write_row, NULL},
    .changes = {begin_changes, write_change, NULL},
};
