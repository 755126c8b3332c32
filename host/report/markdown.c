/* A table in GitHub's Markdown: what a person reads in a pull request. */
#include <math.h>
#include <string.h>

#include "report/document_writers.h"
#include "report/table.h"

/* A cell's text: what Markdown would take for its own is escaped, line ends become blanks. */
static void write_cell(FILE *file, const char *text)
{
    fputs("| ", file);
    for (; *text; text++) {
        if (strchr("\\|`*_<>[]&~", *text))
            fputc('\\', file);
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, file);
    }
    fputc(' ', file);
}

enum bl_status bl_write_markdown(FILE *file, const struct bl_row rows[], size_t count,
                                 struct bl_error *error)
{
    (void)error;
    if (count > 0) {
        fputs("**", file);
        for (const char *at = rows[0].device; *at; at++)
            fputc(strchr("*_`\n", *at) ? ' ' : *at, file);
        fprintf(file, "**, driver %s, held against machine %s\n\n", rows[0].driver, rows[0].machine);
    }
    fputs("| case | shape | claim | predicted | measured | 95 % interval | verdict |\n"
          "| --- | --- | --- | --- | --- | --- | --- |\n", file);
    for (size_t i = 0; i < count; i++) {
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
