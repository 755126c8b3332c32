/* Writes a trace in each format. All formats use the same table of columns. */
#include "trace/documents.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/csv.h"
#include "report/json_values.h"
#include "trace/kernel_table.h"

/* Schema 2 added unoptimized_requests; 3 added column, array and call_sites; 4 added predicted
 * times. New columns of the CSV are only ever appended. */
enum { CSV_SCHEMA = 4, JSON_SCHEMA = 1 };

/* All values that the formats print for a row. NAN means not applicable or unknown. Costs are means
 * over requests, except lost_clocks, which is a sum. share and lost are estimates for all groups;
 * the row's other counts and costs cover only the traced groups. */
struct values {
    const char *kernel, *file, *array, *call_sites, *memory, *op, *machine, *time_utc,
        *tool_version;
    const char *verdict, *level, *reason, *device; /* of the row's replay */
    char place[4200], short_place[300]; /* place: "folder/stencil.cl:6:12"; short_place: the same
                                           without the folder, and with the first call site */
    double line, column, source_line, requests, lanes, lines, sectors, tag_passes, bank_passes,
        clocks;
    double ideal_clocks, share, lost_clocks, lost, parts, accesses, unoptimized_requests, schema;
    double launches, groups, traced_groups, left_out;                          /* of the kernel */
    double predicted, measured, low, high;                                     /* of the replay */
    double predicted_first_ns, predicted_ns, predicted_lo_ns, predicted_hi_ns; /* of the kernel */
    const char *predicted_limited_by;
    double least_passes, most_passes; /* range of bank passes over the possible bank configurations;
                                         0 if the banks are certain */
};

/* How the formats write a value. */
enum kind {
    TEXT,
    PLACE,  /* a text that is stored in struct values itself, not through a pointer */
    WHOLE,  /* an integer in JSON */
    COUNT,  /* a real number in JSON */
    NUMBER, /* rounded in the terminal and in Markdown */
    PASSES, /* like NUMBER, but the terminal and Markdown show a range if the banks are uncertain */
    PERCENT, /* a percentage in the terminal and in Markdown, a fraction in CSV and JSON */
    REPLAY   /* a JSON object, which contains all columns that have a `replay` name */
};

#define AT(value) offsetof(struct values, value)

/* The columns; all formats use this order. A new column needs a line here and a line in values_of.
 * A name is NULL if the format does not have the column. */
static const struct column {
    enum kind kind;
    size_t at;                         /* offset in struct values */
    const char *csv, *json, *markdown; /* its name in each format */
    const char *terminal; /* its name in the terminal's table, where it also has a width and a rank
                             (report/layout.h) */
    unsigned width, rank;
    const char *replay; /* its name in the JSON object "replay" */
} columns[] = {
    {TEXT, AT(kernel), .csv = "kernel", .markdown = "kernel"},
    {TEXT, AT(file), .csv = "file", .json = "file"},
    {PLACE, AT(place), .markdown = "line"},
    {PLACE, AT(short_place), .terminal = "line", .width = 24},
    {TEXT, AT(array), .json = "array", .markdown = "array", .terminal = "array", .width = 8,
     .rank = 2},
    {WHOLE, AT(line), .csv = "line", .json = "line"},
    {WHOLE, AT(source_line), .json = "source_line"},
    {WHOLE, AT(column), .json = "column"},
    {TEXT, AT(call_sites), .json = "call_sites", .markdown = "call sites"},
    {TEXT, AT(memory), "memory", "memory", "memory", "memory", 8, 0, NULL},
    {TEXT, AT(op), "op", "op", "op", "op", 6, 0, NULL},
    {COUNT, AT(requests), "requests", "requests", "requests", "requests", 9, 2, NULL},
    {NUMBER, AT(lanes), "lanes", "lanes", "lanes", "lanes", 5, 3, NULL},
    {NUMBER, AT(lines), "lines", "lines", "lines", "lines", 6, 4, NULL},
    {NUMBER, AT(sectors), "sectors", "sectors", "sectors", "sectors", 7, 6, NULL},
    {NUMBER, AT(tag_passes), "tag_passes", "tag_passes", "tag passes", "tags", 6, 5, NULL},
    {PASSES, AT(bank_passes), "bank_passes", "bank_passes", "bank passes", "banks", 6, 4, NULL},
    {NUMBER, AT(clocks), "clocks", "clocks", "clocks", "clocks", 7, 0, NULL},
    {NUMBER, AT(ideal_clocks), "ideal_clocks", "ideal_clocks", "ideal", "ideal", 6, 0, NULL},
    {PERCENT, AT(share), "share", "share", "share", "share", 7, 0, NULL},
    {NUMBER, AT(lost_clocks), .csv = "lost_clocks", .json = "lost_clocks"},
    {PERCENT, AT(lost), .json = "lost", .terminal = "lost", .width = 7, .rank = 1},
    {NUMBER, AT(parts), .csv = "parts", .json = "parts"},
    {COUNT, AT(accesses), .csv = "accesses", .json = "accesses"},
    {COUNT, AT(launches), .csv = "launches"},
    {COUNT, AT(groups), .csv = "groups"},
    {COUNT, AT(traced_groups), .csv = "traced_groups"},
    {COUNT, AT(left_out), .csv = "left_out"},
    {REPLAY, .json = "replay"},
    {TEXT, AT(device), .replay = "device"},
    {TEXT, AT(level), .replay = "level"},
    {NUMBER, AT(predicted), .csv = "replay_predicted", .replay = "predicted"},
    {NUMBER, AT(measured), .csv = "replay_measured", .replay = "measured"},
    {NUMBER, AT(low), .csv = "replay_lo", .replay = "lo"},
    {NUMBER, AT(high), .csv = "replay_hi", .replay = "hi"},
    {TEXT, AT(verdict), .csv = "replay_verdict", .replay = "verdict"},
    {TEXT, AT(level), .csv = "replay_level"},
    {TEXT, AT(reason), .csv = "replay_reason", .replay = "reason"},
    {TEXT, AT(device), .csv = "replay_device"},
    {TEXT, AT(machine), .csv = "machine"},
    {TEXT, AT(time_utc), .csv = "time_utc"},
    {TEXT, AT(tool_version), .csv = "tool_version"},
    {WHOLE, AT(schema), .csv = "schema"},
    {WHOLE, AT(unoptimized_requests), .csv = "unoptimized_requests",
     .json = "unoptimized_requests"},
    {WHOLE, AT(column), .csv = "column"},
    {TEXT, AT(array), .csv = "array"},
    {TEXT, AT(call_sites), .csv = "call_sites"},
    {NUMBER, AT(predicted_first_ns), .csv = "predicted_first_ns"},
    {NUMBER, AT(predicted_ns), .csv = "predicted_ns"},
    {NUMBER, AT(predicted_lo_ns), .csv = "predicted_lo_ns"},
    {NUMBER, AT(predicted_hi_ns), .csv = "predicted_hi_ns"},
    {TEXT, AT(predicted_limited_by), .csv = "predicted_limited_by"},
};

enum { COLUMNS = sizeof columns / sizeof *columns };

static const char *text_at(const struct values *values, const struct column *column)
{
    const char *at = (const char *)values + column->at;
    if (column->kind == PLACE)
        return at;
    const char *text;
    memcpy(&text, at, sizeof text);
    return text;
}

static double number_at(const struct values *values, const struct column *column)
{
    double number;
    memcpy(&number, (const char *)values + column->at, sizeof number);
    return number;
}

static bool is_text(const struct column *column)
{
    return column->kind == TEXT || column->kind == PLACE;
}

static double known(double number) { return number > 0 ? number : NAN; }

static void add_predicted(const struct bl_predicted *predicted, struct values *values)
{
    const bool is_known = predicted->launches > 0;
    values->predicted_first_ns = is_known ? predicted->first_ns : NAN;
    values->predicted_ns = is_known ? predicted->ns : NAN;
    values->predicted_lo_ns = is_known ? predicted->lo_ns : NAN;
    values->predicted_hi_ns = is_known ? predicted->hi_ns : NAN;
    values->predicted_limited_by = is_known ? bl_time_limit_name(predicted->limited_by) : "";
}

/* Collects a row's values. origin may be NULL; time_utc and tool_version are then empty. */
static struct values values_of(const struct bl_trace *trace, const struct bl_trace_row *row,
                               const struct bl_trace_origin *origin)
{
    const struct bl_trace_kernel *kernel = &trace->kernels[row->kernel];
    const struct bl_replayed *replayed = &row->replayed;
    const double requests = (double)row->requests,
                 lost_clocks = row->has_rule ? bl_trace_lost(row) : NAN;
    struct values values = {
        .kernel = bl_trace_label_of(kernel),
        .file = row->name,
        .array = row->array,
        .call_sites = row->call_sites ? row->call_sites : row->traced_site,
        .line = row->line,
        .column = known(row->column),
        .source_line = known(row->source_line),
        .memory = bl_memory_name(row->memory),
        .op = bl_operation_name(row->operation),
        .requests = requests,
        .lanes = (double)row->lanes / requests,
        .lines = bl_trace_mean(row, row->own.lines),
        .sectors = bl_trace_mean(row, row->own.sectors),
        .tag_passes = bl_trace_mean(row, row->own.tag_passes),
        .bank_passes = bl_trace_mean(row, row->own.bank_passes),
        .clocks = row->clocks / requests,
        .ideal_clocks = row->ideal_clocks / requests,
        .share = row->share,
        .lost_clocks = lost_clocks,
        .lost = row->has_rule ? bl_trace_all_lost(row) / kernel->all_clocks : NAN,
        .parts = row->has_rule ? (double)row->own.requests / requests : NAN,
        .accesses = (double)row->accesses,
        .launches = kernel->launches,
        .groups = (double)kernel->groups,
        .traced_groups = (double)kernel->traced_groups,
        .left_out = (double)kernel->left_out,
        .device = replayed->is_tried ? trace->replayed_on : "",
        .level = replayed->level,
        .predicted = replayed->predicted,
        .measured = replayed->measured,
        .low = replayed->low,
        .high = replayed->high,
        .verdict = replayed->is_tried ? bl_verdict_name(replayed->verdict) : "",
        .reason = replayed->why_not,
        .machine = trace->machine->name,
        .time_utc = origin ? origin->time_utc : "",
        .tool_version = origin ? origin->tool_version : "",
        .schema = CSV_SCHEMA,
        .unoptimized_requests = known((double)row->unoptimized_requests),
        .least_passes = row->least_passes,
        .most_passes = row->most_passes,
    };
    add_predicted(&kernel->predicted, &values);
    char column[16] = "";
    if (row->column)
        snprintf(column, sizeof column, ":%u", row->column);
    snprintf(values.place, sizeof values.place, "%.4096s:%u%s", row->name, row->line, column);
    const char *site = values.call_sites;
    snprintf(values.short_place, sizeof values.short_place, "%.220s:%u%s%s%.*s",
             basename(row->name), row->line, column, *site ? " @" : "", (int)strcspn(site, ","),
             site);
    return values;
}

/* JSON. */

#ifdef BL_WITH_JANSSON
/* Replaces bytes that are not UTF-8 with '?', which preserves the rest of the text. bl_json_string
 * would keep at most 1023 bytes of such a text. */
static json_t *source_of(const char *source)
{
    const size_t bytes = strlen(source);
    char *copy = malloc(bytes + 1);
    if (!copy)
        return NULL;
    json_t *text = json_stringn(copy, bl_utf8_copy(copy, bytes + 1, source, bytes));
    free(copy);
    return text;
}

static json_t *value_of(const struct column *column, const struct values *values)
{
    if (is_text(column))
        return bl_json_string(text_at(values, column));
    const double number = number_at(values, column);
    return column->kind == WHOLE && isfinite(number) ? json_integer((json_int_t)number)
                                                     : bl_json_number_or_null(number);
}

static json_t *replay_of(const struct values *values, bool *whole)
{
    json_t *object = json_object();
    for (const struct column *column = columns; column < columns + COLUMNS; column++)
        if (column->replay)
            bl_json_add(object, column->replay, value_of(column, values), whole);
    return object;
}

static json_t *row_of(const struct bl_trace *trace, const struct bl_trace_row *row, bool *whole)
{
    json_t *object = json_object();
    const struct values values = values_of(trace, row, NULL);
    for (const struct column *column = columns; column < columns + COLUMNS; column++)
        if (column->kind == REPLAY)
            bl_json_add(object, column->json,
                        row->replayed.is_tried ? replay_of(&values, whole) : json_null(), whole);
        else if (column->json)
            bl_json_add(object, column->json, value_of(column, &values), whole);
    return object;
}

static json_t *positive_or_null(double number)
{
    return bl_json_number_or_null(number > 0 ? number : NAN);
}

static json_t *bound_of(const struct bl_trace *trace, const struct bl_trace_kernel *kernel,
                        bool *whole)
{
    const struct bl_bound *bound = &kernel->bound;
    json_t *object = json_object(), *levels = json_object();
    for (unsigned s = 0; s < BL_STAGES; s++) {
        char name[32];
        snprintf(name, sizeof name, "%s_clocks", bl_stage_name((enum bl_stage)s));
        bl_json_add(object, name, bl_json_number_or_null(bound->clocks[s]), whole);
    }
    bl_json_add(object, "read_bytes", bl_json_number_or_null(bound->read_bytes), whole);
    bl_json_add(object, "written_bytes", bl_json_number_or_null(bound->written_bytes), whole);
    bl_json_add(object, "units_ns", positive_or_null(bound->stage_ns), whole);
    for (unsigned i = 0; i < BL_LEVELS; i++)
        if (*trace->machine->levels[i].name)
            bl_json_add(levels, trace->machine->levels[i].name,
                        positive_or_null(bound->level_ns[i]), whole);
    bl_json_add(object, "levels_ns", levels, whole);
    bl_json_add(object, "ns", positive_or_null(bound->ns), whole);
    bl_json_add(object, "limited_by",
                bound->limited_by ? bl_json_string(bound->limited_by) : json_null(), whole);
    return object;
}

static json_t *intel_of(const struct bl_intel *intel, bool *whole)
{
    static const char *const names[2][3] = {{"loads", "stores", "atomics"},
                                            {"local_loads", "local_stores", "local_atomics"}};
    if (!intel->simd)
        return json_null();
    json_t *object = json_object();
    bl_json_add(object, "simd", json_integer(intel->simd), whole);
    bl_json_add(object, "instructions", json_integer(intel->instructions), whole);
    bl_json_add(object, "scratch_bytes", json_integer(intel->scratch_bytes), whole);
    for (unsigned i = 0; i < 6; i++)
        bl_json_add(object, names[i / 3][i % 3], json_integer(intel->messages[i / 3][i % 3]),
                    whole);
    return object;
}

static json_t *timed_of(const struct bl_trace *trace, const struct bl_trace_kernel *kernel,
                        bool *whole)
{
    if (!kernel->timed.launches)
        return json_null();
    return bl_json_pack(whole, "{s:o, s:b, s:i, s:i, s:i, s:f, s:f, s:f}", "device",
                        bl_json_string(trace->timed_on.name), "is_described_by_machine",
                        trace->timed_on.is_described, "compute_units",
                        trace->timed_on.compute_units, "mhz", trace->timed_on.mhz, "launches",
                        kernel->timed.launches, "ns", kernel->timed.ns, "first_ns",
                        kernel->timed.first_ns, "median_ns", kernel->timed.median_ns);
}

static json_t *kernel_of(const struct bl_trace *trace, unsigned number, bool *whole)
{
    const struct bl_trace_kernel *kernel = &trace->kernels[number];
    const char *options = trace->programs[kernel->program].options;
    json_t *rows = json_array();
    json_t *object = bl_json_pack(
        whole, "{s:o, s:o, s:i, s:o, s:i, s:i, s:i, s:i, s:i, s:I, s:I, s:b, s:I, s:I, s:o}",
        "name", bl_json_string(kernel->name), "label", bl_json_string(bl_trace_label_of(kernel)),
        "source", kernel->program, "options", bl_json_string(options ? options : ""), "launches",
        kernel->launches, "untraced_launches", kernel->untraced_launches, "shortened_launches",
        kernel->shortened_launches, "partial_launches", kernel->partial_launches,
        "aborted_launches", kernel->aborted, "groups", (json_int_t)kernel->groups, "traced_groups",
        (json_int_t)kernel->traced_groups, "local_size_is_chosen", kernel->local_is_chosen,
        "image_accesses", (json_int_t)kernel->image_accesses, "left_out",
        (json_int_t)kernel->left_out, "clocks", bl_json_number_or_null(kernel->clocks));
    bl_json_add(object, "totals", bl_kernel_totals_json(trace, number, whole), whole);
    bl_json_add(object, "bound", bound_of(trace, kernel, whole), whole);
    bl_json_add(object, "timed", timed_of(trace, kernel, whole), whole);
    bl_predicted_json(object, &kernel->predicted, whole);
    bl_json_add(object, "intel", intel_of(&kernel->intel, whole), whole);
    for (size_t i = 0; i < trace->row_count; i++)
        if (trace->rows[i].kernel == number)
            bl_json_append(rows, row_of(trace, &trace->rows[i], whole), whole);
    bl_json_add(object, "rows", rows, whole);
    return object;
}

static json_t *suggestion_of(const struct bl_trace *trace, const struct bl_suggestion *suggestion,
                             bool *whole)
{
    const struct bl_trace_row *row = suggestion->row;
    return bl_json_pack(
        whole, "{s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o}", "kernel",
        bl_json_string(bl_trace_label_of(&trace->kernels[row->kernel])), "file",
        bl_json_string(row->name), "line", row->line, "array", bl_json_string(row->array),
        "sentence", bl_json_string(suggestion->sentence), "fix", bl_json_string(suggestion->fix),
        "index", bl_json_string(suggestion->index), "expression",
        bl_json_string(suggestion->expression), "swaps_ids", suggestion->swaps_ids, "gain",
        bl_json_number_or_null(suggestion->gain), "array_gain",
        bl_json_number_or_null(suggestion->array_gain), "kernel_gain",
        bl_json_number_or_null(suggestion->kernel_gain), "device_gain",
        bl_json_number_or_null(suggestion->device_gain), "predicted_ns",
        bl_json_number_or_null(suggestion->predicted_ns));
}

enum bl_status bl_trace_json(FILE *file, const struct bl_trace *trace,
                             const struct bl_suggestions *suggestions,
                             const struct bl_trace_origin *origin, struct bl_error *error)
{
    bool whole = true;
    json_t *kernels = json_array(), *sources = json_array(), *sentences = json_array();
    for (unsigned i = 0; i < trace->kernel_count; i++)
        bl_json_append(kernels, kernel_of(trace, i, &whole), &whole);
    for (size_t i = 0; i < trace->program_count; i++)
        bl_json_append(sources, source_of(trace->programs[i].source), &whole);
    for (size_t i = 0; i < suggestions->count; i++)
        bl_json_append(sentences, suggestion_of(trace, &suggestions->all[i], &whole), &whole);
    json_t *root = bl_json_pack(
        &whole, "{s:i, s:o, s:o, s:o, s:b, s:o, s:o, s:o}", "schema", JSON_SCHEMA, "time_utc",
        bl_json_string(origin->time_utc), "tool_version", bl_json_string(origin->tool_version),
        "machine", bl_json_string(trace->machine->name), "is_whole", origin->is_complete, "kernels",
        kernels, "sources", sources, "suggestions", sentences);
    return bl_json_dump(root, whole, file, error);
}

#else

enum bl_status bl_trace_json(FILE *file, const struct bl_trace *trace,
                             const struct bl_suggestions *suggestions,
                             const struct bl_trace_origin *origin, struct bl_error *error)
{
    (void)file, (void)trace, (void)suggestions, (void)origin;
    return bl_json_is_built(error);
}

#endif

/* CSV. */

void bl_trace_csv(FILE *file, const struct bl_trace *trace, const struct bl_trace_origin *origin)
{
    const struct column *const last = columns + COLUMNS - 1; /* a column of the CSV */
    for (const struct column *column = columns; column <= last; column++)
        if (column->csv)
            fprintf(file, "%s%c", column->csv, column < last ? ',' : '\n');
    for (size_t r = 0; r < trace->row_count; r++) {
        const struct values values = values_of(trace, &trace->rows[r], origin);
        for (const struct column *column = columns; column <= last; column++) {
            const char *end = column < last ? "," : "\n";
            const double number = is_text(column) ? NAN : number_at(&values, column);
            if (column->csv && is_text(column))
                bl_csv_field(file, text_at(&values, column), end);
            else if (column->csv) /* counts have all digits */
                bl_csv_digits(file, number, number == floor(number) ? 15 : BL_NUMBER_DIGITS, end);
        }
    }
}

/* Text for the terminal and for Markdown. */

const char *bl_trace_mean_text(double mean, char text[32])
{
    snprintf(text, 32, !isfinite(mean) ? "-" : mean >= 100 ? "%.0f" : "%.4g", mean);
    return text;
}

/* Formats a value for the terminal or for Markdown; mean_text formats means. */
static const char *for_people(const struct column *column, const struct values *values,
                              const char *(*mean_text)(double mean, char text[32]), char text[32])
{
    if (is_text(column))
        return text_at(values, column);
    const double number = number_at(values, column);
    if (column->kind == PERCENT)
        return bl_trace_percent_text(number, text);
    if (column->kind == PASSES && values->most_passes > values->least_passes) {
        snprintf(text, 32, "%.2g-%.2g", values->least_passes, values->most_passes);
        return text;
    }
    if (column->kind == PASSES && values->most_passes > 0)
        return mean_text(values->most_passes, text);
    if (column->kind == NUMBER || column->kind == PASSES)
        return mean_text(number, text);
    snprintf(text, 32, "%.0f", number);
    return text;
}

size_t bl_trace_columns(struct bl_layout_column shown[BL_LAYOUT_MAX_COLUMNS])
{
    size_t count = 0;
    for (const struct column *column = columns; column < columns + COLUMNS; column++)
        if (column->terminal)
            shown[count++] = (struct bl_layout_column){.name = column->terminal,
                                                       .width = column->width,
                                                       .rank = column->rank,
                                                       .is_right = !is_text(column)};
    return count;
}

void bl_trace_put_row(FILE *file, const struct bl_layout *layout, const struct bl_trace *trace,
                      const struct bl_trace_row *row)
{
    const struct values values = values_of(trace, row, NULL);
    const char *cells[BL_LAYOUT_MAX_COLUMNS];
    char texts[BL_LAYOUT_MAX_COLUMNS][32];
    size_t count = 0;
    for (const struct column *column = columns; column < columns + COLUMNS; column++)
        if (column->terminal) {
            cells[count] = for_people(column, &values, bl_trace_mean_text, texts[count]);
            count++;
        }
    bl_layout_row(layout, file, cells);
}

/* Markdown. */

static const char *four_digits(double mean, char text[32])
{
    snprintf(text, 32, isfinite(mean) ? "%.4g" : "-", mean);
    return text;
}

static void put_mean(FILE *file, double mean)
{
    char text[32];
    bl_trace_markdown_cell(file, four_digits(mean, text));
}

static void put_rows(FILE *file, const struct bl_trace *trace)
{
    const struct column *const end = columns + COLUMNS;
    fputc('|', file);
    for (const struct column *column = columns; column < end; column++)
        if (column->markdown)
            fprintf(file, " %s |", column->markdown);
    fputs("\n|", file);
    for (const struct column *column = columns; column < end; column++)
        if (column->markdown)
            fputs(is_text(column) ? " --- |" : " ---: |", file);
    fputc('\n', file);
    for (size_t r = 0; r < trace->row_count; r++) {
        const struct values values = values_of(trace, &trace->rows[r], NULL);
        char text[32];
        fputc('|', file);
        for (const struct column *column = columns; column < end; column++)
            if (column->markdown)
                bl_trace_markdown_cell(file, for_people(column, &values, four_digits, text));
        fputc('\n', file);
    }
}

/* Writes a table of the replayed lines. */
static void put_replays(FILE *file, const struct bl_trace *trace)
{
    if (!*trace->replayed_on)
        return;
    fputs("\nReplayed on ", file);
    bl_put_markdown(file, trace->replayed_on);
    fputs(".\n\n| line | memory | op | level | predicted | measured | interval | verdict |\n"
          "| --- | --- | --- | --- | ---: | ---: | --- | --- |\n",
          file);
    for (size_t r = 0; r < trace->row_count; r++) {
        const struct values values = values_of(trace, &trace->rows[r], NULL);
        if (!trace->rows[r].replayed.is_tried)
            continue;
        fputc('|', file);
        bl_trace_markdown_cell(file, values.place);
        fprintf(file, " %s | %s | %s |", values.memory, values.op, values.level);
        put_mean(file, values.predicted);
        put_mean(file, values.measured);
        fprintf(file, isfinite(values.low) ? " %.4g to %.4g |" : " - |", values.low, values.high);
        bl_trace_markdown_cell(file, *values.reason ? values.reason : values.verdict);
        fputs(" \n", file);
    }
}

void bl_trace_markdown(FILE *file, const struct bl_trace *trace,
                       const struct bl_suggestions *suggestions)
{
    fprintf(file, "Kernels on machine %s: sums over all launches.\n\n", trace->machine->name);
    bl_kernels_markdown(file, trace);
    fprintf(file, "\nCosts of requests on machine %s, by source line.%s\n\n", trace->machine->name,
            bl_trace_is_sampled(trace) ? " Requests and means are of the traced groups only; share "
                                         "is an estimate for all groups of all launches."
                                       : "");
    put_rows(file, trace);
    put_replays(file, trace);
    bl_timed_markdown(file, trace);
    bl_predicted_markdown(file, trace);
    for (size_t i = 0; i < suggestions->count; i++) {
        fputs(i ? "- " : "\n- ", file);
        bl_put_markdown(file, suggestions->all[i].sentence);
        if (isfinite(suggestions->all[i].predicted_ns))
            fprintf(file, " With this advice a launch takes %.4g us (predicted).",
                    suggestions->all[i].predicted_ns / 1e3);
        fputc('\n', file);
    }
}
