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

/* Texts that may hold a comma stand last, for readers that know no quotes. */
static void write_fleet_key(FILE *file, const struct bl_fleet_model *model,
                            const struct bl_fleet_row *row)
{
    bl_csv_field(file, row ? row->key.case_id : "", ",");
    bl_csv_field(file, row ? row->key.type : "", ",");
    bl_csv_field(file, row ? row->key.shape : "", ",");
    bl_csv_field(file, row ? row->key.machine : "", ",");
    bl_csv_field(file, row ? row->kernels : "", ",");
    bl_csv_field(file, model->device, ",");
    bl_csv_field(file, model->driver, "\n");
}

/* A line for each row of a model, then one for each outlier. */
static enum bl_status write_fleet(struct bl_sink *sink, const struct bl_fleet *fleet,
                                  struct bl_error *error)
{
    (void)error;
    FILE *file = sink->stream;
    fputs("record,host,device_id,run_id,cards,own,median,spread,time_ns,time_spread,by,spreads,"
          "limit,since,case,type,shape,machine,kernels,device,driver\n",
          file);
    for (size_t i = 0; i < fleet->row_count; i++) {
        const struct bl_fleet_row *row = &fleet->rows[i];
        fprintf(file, "row,,,,%zu,,", row->cards);
        bl_csv_number(file, row->ratio, ",");
        bl_csv_number(file, row->ratio_spread, ",");
        bl_csv_number(file, row->time_ns, ",");
        bl_csv_number(file, row->time_spread, ",,,,,");
        write_fleet_key(file, &fleet->models[row->model], row);
    }
    for (size_t i = 0; i < fleet->outlier_count; i++) {
        const struct bl_outlier *outlier = &fleet->outliers[i];
        const struct bl_fleet_card *card = &fleet->cards[outlier->card];
        const struct bl_fleet_model *model = &fleet->models[card->model];
        const struct bl_fleet_row *row = bl_outlier_row(fleet, outlier);
        bl_csv_field(file, bl_oddity_name(outlier->oddity), ",");
        bl_csv_field(file, card->run.host, ",");
        bl_csv_field(file, card->run.device_id, ",");
        bl_csv_field(file, card->run.run_id, ",");
        fprintf(file, "%zu,", row ? row->cards : model->cards);
        bl_csv_number(file, outlier->own, ",");
        bl_csv_number(file, outlier->median, ",,,,");
        bl_csv_number(file, outlier->by, ",");
        bl_csv_number(file, outlier->spreads, ",");
        bl_csv_number(file, model->limit[outlier->oddity], ",");
        bl_csv_field(file, outlier->since, ",");
        write_fleet_key(file, model, row);
    }
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
    .fleet = write_fleet,
    .fleet_help = "write rows and cards that differ as CSV",
};
