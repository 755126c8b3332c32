/* A comparison as CSV, as Prometheus text and as Markdown. */
#include <math.h>
#include <string.h>

#include "report/csv.h"
#include "report/document_writers.h"

enum { KEY_PARTS = 6 };

static void write_number(FILE *file, double number)
{
    fputc(',', file);
    if (isfinite(number))
        fprintf(file, "%.7g", number);
}

static void write_side(FILE *file, const struct bl_run_row *row)
{
    const bool has = row && !row->reason;
    write_number(file, has ? row->ratio.median : NAN);
    write_number(file, has ? row->ratio.lo : NAN);
    write_number(file, has ? row->ratio.hi : NAN);
}

enum bl_status bl_write_comparison_csv(FILE *file, const struct bl_document_content *content,
                                       struct bl_error *error)
{
    (void)error;
    const struct bl_comparison *comparison = content->comparison;
    fputs("change,case,type,shape,lanes,working_set_bytes,machine,by,absolute,before,before_lo,"
          "before_hi,after,after_lo,after_hi,reason\n",
          file);
    for (size_t i = 0; i < comparison->count; i++) {
        const struct bl_compared *row = &comparison->rows[i];
        fputs(bl_change_name(row->change), file);
        for (unsigned p = 0; p < KEY_PARTS; p++) {
            size_t length;
            const char *part = bl_key_part(row->key, p, &length);
            fputc(',', file);
            bl_csv_text(file, part, length);
        }
        write_number(file, row->by);
        fputs(row->is_absolute ? ",1" : ",0", file);
        write_side(file, row->before);
        write_side(file, row->after);
        fputc(',', file);
        if (row->after && row->after->reason)
            bl_csv_text(file, row->after->reason, strlen(row->after->reason));
        fputc('\n', file);
    }
    return BL_OK;
}

enum bl_status bl_write_comparison_prometheus(FILE *file, const struct bl_document_content *content,
                                              struct bl_error *error)
{
    (void)error;
    static const char *const names[KEY_PARTS] = {
        "case", "type", "shape", "lanes", "working_set_bytes", "machine"};
    const struct bl_comparison *comparison = content->comparison;
    const char *device = comparison->after->about.device;
    size_t counts[BL_CHANGE_COUNT];
    bl_count_changes(comparison->rows, comparison->count, counts);
    fputs("# HELP bankline_change_rows Rows of a comparison, by what became of them.\n"
          "# TYPE bankline_change_rows gauge\n",
          file);
    for (unsigned change = 0; change < BL_CHANGE_COUNT; change++) {
        fprintf(file, "bankline_change_rows{change=\"%s\"", bl_change_name((enum bl_change)change));
        bl_prometheus_label(file, "device", device, strlen(device), ",");
        fprintf(file, "} %zu\n", counts[change]);
    }
    fputs("# HELP bankline_change_ratio Throughput over that before, less 1.\n"
          "# TYPE bankline_change_ratio gauge\n",
          file);
    for (size_t i = 0; i < comparison->count; i++) {
        const struct bl_compared *row = &comparison->rows[i];
        if (!isfinite(row->by))
            continue;
        fputs("bankline_change_ratio", file);
        for (unsigned p = 0; p < KEY_PARTS; p++) {
            size_t length;
            const char *part = bl_key_part(row->key, p, &length);
            bl_prometheus_label(file, names[p], part, length, p ? "," : "{");
        }
        bl_prometheus_label(file, "device", device, strlen(device), ",");
        fprintf(file, "} %.7g\n", row->by);
    }
    return BL_OK;
}

static void write_side_cell(FILE *file, const struct bl_run_row *row)
{
    if (!row)
        fputs("| - ", file);
    else if (row->reason)
        bl_markdown_cell(file, row->reason, strlen(row->reason));
    else
        fprintf(file, "| %.4f (%.4f to %.4f) ", row->ratio.median, row->ratio.lo, row->ratio.hi);
}

/* What changed has a row each; what did not is counted. */
enum bl_status bl_write_comparison_markdown(FILE *file, const struct bl_document_content *content,
                                            struct bl_error *error)
{
    (void)error;
    const struct bl_comparison *comparison = content->comparison;
    size_t counts[BL_CHANGE_COUNT], told = 0;
    bl_count_changes(comparison->rows, comparison->count, counts);
    fprintf(file, "**%zu rows", comparison->count);
    for (unsigned change = 0; change < BL_CHANGE_COUNT; change++)
        if (counts[change])
            fprintf(file, ", %zu %s", counts[change], bl_change_name((enum bl_change)change));
    fprintf(file, "** (threshold %.3g %%)\n", 100 * comparison->threshold);
    for (size_t i = 0; i < comparison->count; i++) {
        const struct bl_compared *row = &comparison->rows[i];
        if (row->change == BL_CHANGE_SAME || row->change == BL_CHANGE_UNCLEAR)
            continue;
        if (told++ == 0)
            fputs("\n| change | case | shape | type | by | before | after |\n"
                  "| --- | --- | --- | --- | --- | --- | --- |\n",
                  file);
        bl_markdown_cell(file, bl_change_name(row->change), strlen(bl_change_name(row->change)));
        static const unsigned shown[] = {0, 2, 1};
        for (unsigned p = 0; p < 3; p++) {
            size_t length;
            const char *part = bl_key_part(row->key, shown[p], &length);
            bl_markdown_cell(file, part, length);
        }
        if (isfinite(row->by))
            fprintf(file, "| %+.2f %%%s ", 100 * row->by, row->is_absolute ? " in clocks" : "");
        else
            fputs("| - ", file);
        write_side_cell(file, row->before);
        write_side_cell(file, row->after);
        fputs("|\n", file);
    }
    return BL_OK;
}
