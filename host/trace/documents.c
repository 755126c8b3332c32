#include "trace/documents_inside.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/csv.h"

double bl_trace_mean(const struct bl_trace_row *row, uint64_t sum)
{
    return sum > 0 ? (double)sum / (double)row->requests : NAN;
}

struct bl_trace_means bl_trace_means_of(const struct bl_trace_row *row)
{
    const double requests = (double)row->requests;
    struct bl_trace_means means = {
        .lanes = (double)row->lanes / requests,
        .lines = NAN,
        .sectors = NAN,
        .tag_passes = NAN,
        .bank_passes = NAN,
        .clocks = row->clocks / requests,
        .ideal_clocks = row->ideal_clocks / requests,
    };
    if (!row->has_rule)
        return means;
    means.lines = bl_trace_mean(row, row->own.lines);
    means.sectors = bl_trace_mean(row, row->own.sectors);
    means.tag_passes = bl_trace_mean(row, row->own.tag_passes);
    means.bank_passes = bl_trace_mean(row, row->own.bank_passes);
    return means;
}

const char *const bl_trace_number_names[BL_TRACE_NUMBERS] = {"requests",
                                                             "lanes",
                                                             "lines",
                                                             "sectors",
                                                             "tag_passes",
                                                             "bank_passes",
                                                             "clocks",
                                                             "ideal_clocks",
                                                             "share",
                                                             "lost_clocks",
                                                             "parts",
                                                             "accesses",
                                                             "launches",
                                                             "groups",
                                                             "traced_groups",
                                                             "left_out",
                                                             "replay_predicted",
                                                             "replay_measured",
                                                             "replay_lo",
                                                             "replay_hi"};

void bl_trace_numbers_of(const struct bl_trace *trace, const struct bl_trace_row *row,
                         double numbers[BL_TRACE_NUMBERS])
{
    const struct bl_trace_means means = bl_trace_means_of(row);
    const struct bl_trace_kernel *kernel = &trace->kernels[row->kernel];
    const double parts = row->has_rule ? (double)row->own.requests / (double)row->requests : NAN;
    const double of_row[BL_TRACE_NUMBERS] = {(double)row->requests,
                                             means.lanes,
                                             means.lines,
                                             means.sectors,
                                             means.tag_passes,
                                             means.bank_passes,
                                             means.clocks,
                                             means.ideal_clocks,
                                             row->share,
                                             row->has_rule ? bl_trace_lost(row) : NAN,
                                             parts,
                                             (double)row->accesses,
                                             kernel->launches,
                                             (double)kernel->groups,
                                             (double)kernel->traced_groups,
                                             (double)kernel->left_out,
                                             row->replayed.predicted,
                                             row->replayed.measured,
                                             row->replayed.low,
                                             row->replayed.high};
    memcpy(numbers, of_row, sizeof of_row);
}

/* Counts are whole, and may be long. */
static void put_number(FILE *file, double number, const char *end)
{
    if (isfinite(number) && number == floor(number) && fabs(number) < 1e15)
        fprintf(file, "%.0f%s", number, end);
    else
        bl_csv_number(file, number, end);
}

void bl_trace_csv(FILE *file, const struct bl_trace *trace, const struct bl_trace_origin *origin)
{
    fputs("kernel,file,line,memory,op,", file);
    for (unsigned i = 0; i < BL_TRACE_NUMBERS; i++)
        fprintf(file, "%s,", bl_trace_number_names[i]);
    fputs("replay_verdict,replay_level,replay_reason,replay_device,machine,time_utc,tool_version,"
          "schema\n",
          file);
    for (size_t r = 0; r < trace->row_count; r++) {
        const struct bl_trace_row *row = &trace->rows[r];
        double numbers[BL_TRACE_NUMBERS];
        bl_trace_numbers_of(trace, row, numbers);
        bl_csv_field(file, trace->kernels[row->kernel].name, ",");
        bl_csv_field(file, row->name, ",");
        fprintf(file, "%u,%s,%s,", row->line, bl_memory_name(row->memory),
                bl_operation_name(row->operation));
        for (unsigned i = 0; i < BL_TRACE_NUMBERS; i++)
            put_number(file, numbers[i], ",");
        const struct bl_replayed *replayed = &row->replayed;
        const bool is_tried = replayed->is_tried;
        bl_csv_field(file, is_tried ? bl_verdict_name(replayed->verdict) : "", ",");
        bl_csv_field(file, replayed->level, ",");
        bl_csv_field(file, replayed->why_not, ",");
        bl_csv_field(file, is_tried ? trace->replayed_on : "", ",");
        bl_csv_field(file, trace->machine->name, ",");
        bl_csv_field(file, origin->time_utc, ",");
        bl_csv_field(file, origin->tool_version, ",");
        fprintf(file, "%d\n", BL_TRACE_SCHEMA);
    }
}

/* A cell of Markdown: what would end it is escaped. */
static void put_cell(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (strchr("|`*_<>\\", *text))
            fputc('\\', file);
        fputc(*text < ' ' && *text >= 0 ? ' ' : *text, file);
    }
    fputs(" | ", file);
}

static void put_line(FILE *file, const struct bl_trace_row *row)
{
    char text[4200];
    snprintf(text, sizeof text, "%.4096s:%u", row->name, row->line);
    put_cell(file, text);
}

static void put_mean(FILE *file, double mean)
{
    fprintf(file, isfinite(mean) ? "%.4g | " : "- | ", mean);
}

/* The lines that were replayed. */
static void put_replays(FILE *file, const struct bl_trace *trace)
{
    if (!*trace->replayed_on)
        return;
    fprintf(file,
            "\nReplayed on %s.\n\n| line | memory | op | level | predicted | measured | interval | "
            "verdict |\n| --- | --- | --- | --- | ---: | ---: | --- | --- |\n",
            trace->replayed_on);
    for (size_t r = 0; r < trace->row_count; r++) {
        const struct bl_trace_row *row = &trace->rows[r];
        const struct bl_replayed *replayed = &row->replayed;
        if (!replayed->is_tried)
            continue;
        fputs("| ", file);
        put_line(file, row);
        fprintf(file, "%s | %s | %s | ", bl_memory_name(row->memory),
                bl_operation_name(row->operation), replayed->level);
        put_mean(file, replayed->predicted);
        put_mean(file, replayed->measured);
        fprintf(file, isfinite(replayed->low) ? "%.4g to %.4g | " : "- | ", replayed->low,
                replayed->high);
        put_cell(file, *replayed->why_not ? replayed->why_not : bl_verdict_name(replayed->verdict));
        fputc('\n', file);
    }
}

/* The kernels that were timed. */
static void put_times(FILE *file, const struct bl_trace *trace)
{
    if (!*trace->timed_on.name)
        return;
    fprintf(file,
            "\nTimes on %s.\n\n| kernel | launches | time (us) | at least (us) | limited by |\n"
            "| --- | ---: | ---: | ---: | --- |\n",
            trace->timed_on.name);
    for (size_t k = 0; k < trace->kernel_count; k++) {
        const struct bl_trace_kernel *kernel = &trace->kernels[k];
        fputs("| ", file);
        put_cell(file, kernel->name);
        fprintf(file, "%u | ", kernel->timed.launches);
        put_mean(file, kernel->timed.launches ? kernel->timed.ns / 1e3 : NAN);
        put_mean(file, kernel->bound.limited_by ? kernel->bound.ns / 1e3 : NAN);
        fprintf(file, "%s |\n", kernel->bound.limited_by ? kernel->bound.limited_by : "-");
    }
}

void bl_trace_markdown(FILE *file, const struct bl_trace *trace,
                       const struct bl_suggestions *suggestions)
{
    fprintf(file, "Costs of requests on machine %s, by source line.\n\n", trace->machine->name);
    fputs("| kernel | line | memory | op | requests | lanes | lines | sectors | tag passes | bank "
          "passes | clocks | ideal | share |\n| --- | --- | --- | --- | ---: | ---: | ---: | ---: "
          "| ---: | ---: | ---: | ---: | ---: |\n",
          file);
    for (size_t r = 0; r < trace->row_count; r++) {
        const struct bl_trace_row *row = &trace->rows[r];
        const struct bl_trace_means means = bl_trace_means_of(row);
        fputs("| ", file);
        put_cell(file, trace->kernels[row->kernel].name);
        put_line(file, row);
        fprintf(file, "%s | %s | %" PRIu64 " | ", bl_memory_name(row->memory),
                bl_operation_name(row->operation), row->requests);
        const double shown[] = {means.lanes,       means.lines,       means.sectors,
                                means.tag_passes,  means.bank_passes, means.clocks,
                                means.ideal_clocks};
        for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
            put_mean(file, shown[i]);
        fprintf(file, isfinite(row->share) ? "%.1f %% |\n" : "- |\n", 100 * row->share);
    }
    put_replays(file, trace);
    put_times(file, trace);
    for (size_t i = 0; i < suggestions->count; i++) {
        fputs(i ? "- " : "\n- ", file);
        fprintf(file, "%s\n", suggestions->all[i].sentence);
    }
}
