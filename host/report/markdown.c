/* A table in GitHub's Markdown: what a person reads in a pull request. */
#include <math.h>
#include <string.h>

#include "report/document_writers.h"
#include "report/table.h"

void bl_markdown_cell(FILE *file, const char *text, size_t length)
{
    fputs("| ", file);
    for (size_t i = 0; i < length; i++) {
        if (strchr("\\|`*_<>[]&~", text[i]))
            fputc('\\', file);
        fputc(text[i] == '\n' || text[i] == '\r' ? ' ' : text[i], file);
    }
    fputc(' ', file);
}

static void write_cell(FILE *file, const char *text) { bl_markdown_cell(file, text, strlen(text)); }

enum bl_status bl_write_markdown(FILE *file, const struct bl_document_content *content,
                                 struct bl_error *error)
{
    (void)error;
    const struct bl_row *rows = content->rows;
    if (content->count > 0) {
        fputs("**", file);
        for (const char *at = rows[0].device; *at; at++)
            fputc(strchr("*_`\n", *at) ? ' ' : *at, file);
        fprintf(file, "**, driver %s, held against machine %s\n\n", rows[0].driver,
                rows[0].machine);
    }
    fputs("| case | shape | claim | predicted | measured | 95 % interval | verdict |\n"
          "| --- | --- | --- | --- | --- | --- | --- |\n",
          file);
    for (size_t i = 0; i < content->count; i++) {
        const struct bl_row *row = &rows[i];
        char ratio[16];
        write_cell(file, row->case_id);
        write_cell(file, row->shape);
        write_cell(file, bl_format_ratio(row->claim, ratio));
        write_cell(file, bl_format_prediction(row, ratio));
        if (isfinite(row->measured)) {
            fprintf(file, "| %.4f | %.4f to %.4f ", row->measured, row->measured_lo,
                    row->measured_hi);
            write_cell(file, bl_verdict_name(row->verdict));
        } else {
            write_cell(file, "-");
            write_cell(file, "-");
            write_cell(file, row->reason[0] ? row->reason : bl_row_status_name(row->status));
        }
        fputs("|\n", file);
    }
    return BL_OK;
}
