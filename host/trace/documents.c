#include "trace/documents.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/csv.h"
#include "report/json_values.h"
#include "trace/bounds.h"

/* Inside host/trace only: what the documents of a trace share. */

/* The numbers of a row in the order of the documents' columns; those of the row alone come first.
 */
enum { BL_TRACE_SCHEMA = 1, BL_TRACE_OF_ROW = 12, BL_TRACE_NUMBERS = 20 };
extern const char *const bl_trace_number_names[BL_TRACE_NUMBERS];

void bl_trace_numbers_of(const struct bl_trace *trace, const struct bl_trace_row *row,
                         double numbers[BL_TRACE_NUMBERS]);

/* A trace as JSON. */

#ifdef BL_WITH_JANSSON
static json_t *text_of(const char *text) { return bl_json_text(text, strlen(text)); }

/* Whole, or null where it is not UTF-8. */
static json_t *source_of(const char *source)
{
    json_t *text = json_string(source);
    return text ? text : json_null();
}

static json_t *row_of(const struct bl_trace *trace, const struct bl_trace_row *row, bool *whole)
{
    json_t *object = json_object();
    double numbers[BL_TRACE_NUMBERS];
    bl_trace_numbers_of(trace, row, numbers);
    bl_json_add(object, "file", text_of(row->name), whole);
    bl_json_add(object, "line", json_integer(row->line), whole);
    bl_json_add(object, "source_line",
                row->source_line ? json_integer(row->source_line) : json_null(), whole);
    bl_json_add(object, "memory", text_of(bl_memory_name(row->memory)), whole);
    bl_json_add(object, "op", text_of(bl_operation_name(row->operation)), whole);
    for (unsigned i = 0; i < BL_TRACE_OF_ROW; i++)
        bl_json_add(object, bl_trace_number_names[i], bl_json_number_or_null(numbers[i]), whole);
    json_t *replay = json_null();
    if (row->replayed.is_tried) {
        replay = json_object();
        bl_json_add(replay, "device", text_of(trace->replayed_on), whole);
        bl_json_add(replay, "level", text_of(row->replayed.level), whole);
        bl_json_add(replay, "predicted", bl_json_number_or_null(row->replayed.predicted), whole);
        bl_json_add(replay, "measured", bl_json_number_or_null(row->replayed.measured), whole);
        bl_json_add(replay, "lo", bl_json_number_or_null(row->replayed.low), whole);
        bl_json_add(replay, "hi", bl_json_number_or_null(row->replayed.high), whole);
        bl_json_add(replay, "verdict", text_of(bl_verdict_name(row->replayed.verdict)), whole);
        bl_json_add(replay, "reason", text_of(row->replayed.why_not), whole);
    }
    bl_json_add(object, "replay", replay, whole);
    bl_json_add(object, "unoptimized_requests",
                row->unoptimized_requests ? json_integer((json_int_t)row->unoptimized_requests)
                                          : json_null(),
                whole);
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
        bl_json_add(object, name, json_real(bound->clocks[s]), whole);
    }
    bl_json_add(object, "read_bytes", json_real(bound->read_bytes), whole);
    bl_json_add(object, "written_bytes", json_real(bound->written_bytes), whole);
    bl_json_add(object, "units_ns", positive_or_null(bound->stage_ns), whole);
    for (unsigned i = 0; i < BL_LEVELS; i++)
        if (*trace->machine->levels[i].name)
            bl_json_add(levels, trace->machine->levels[i].name,
                        positive_or_null(bound->level_ns[i]), whole);
    bl_json_add(object, "levels_ns", levels, whole);
    bl_json_add(object, "ns", positive_or_null(bound->ns), whole);
    bl_json_add(object, "limited_by", bound->limited_by ? text_of(bound->limited_by) : json_null(),
                whole);
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
    json_t *object = json_object();
    bl_json_add(object, "device", text_of(trace->timed_on.name), whole);
    bl_json_add(object, "compute_units", json_integer(trace->timed_on.compute_units), whole);
    bl_json_add(object, "mhz", json_integer(trace->timed_on.mhz), whole);
    bl_json_add(object, "launches", json_integer(kernel->timed.launches), whole);
    bl_json_add(object, "ns", json_real(kernel->timed.ns), whole);
    return object;
}

static json_t *kernel_of(const struct bl_trace *trace, unsigned number, bool *whole)
{
    const struct bl_trace_kernel *kernel = &trace->kernels[number];
    json_t *object = json_object(), *rows = json_array();
    bl_json_add(object, "name", text_of(kernel->name), whole);
    bl_json_add(object, "source", json_integer(kernel->program), whole);
    bl_json_add(object, "launches", json_integer(kernel->launches), whole);
    bl_json_add(object, "groups", json_integer((json_int_t)kernel->groups), whole);
    bl_json_add(object, "traced_groups", json_integer((json_int_t)kernel->traced_groups), whole);
    bl_json_add(object, "left_out", json_integer((json_int_t)kernel->left_out), whole);
    bl_json_add(object, "clocks", bl_json_number_or_null(kernel->clocks), whole);
    bl_json_add(object, "bound", bound_of(trace, kernel, whole), whole);
    bl_json_add(object, "timed", timed_of(trace, kernel, whole), whole);
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
    json_t *object = json_object();
    const struct bl_trace_row *row = suggestion->row;
    bl_json_add(object, "kernel", text_of(trace->kernels[row->kernel].name), whole);
    bl_json_add(object, "file", text_of(row->name), whole);
    bl_json_add(object, "line", json_integer(row->line), whole);
    bl_json_add(object, "sentence", text_of(suggestion->sentence), whole);
    bl_json_add(object, "gain", bl_json_number_or_null(suggestion->gain), whole);
    bl_json_add(object, "kernel_gain", bl_json_number_or_null(suggestion->kernel_gain), whole);
    bl_json_add(object, "device_gain", bl_json_number_or_null(suggestion->device_gain), whole);
    return object;
}

enum bl_status bl_trace_json(FILE *file, const struct bl_trace *trace,
                             const struct bl_suggestions *suggestions,
                             const struct bl_trace_origin *origin, struct bl_error *error)
{
    bool whole = true;
    json_t *root = json_object(), *kernels = json_array(), *sources = json_array(),
           *sentences = json_array();
    bl_json_add(root, "schema", json_integer(BL_TRACE_SCHEMA), &whole);
    bl_json_add(root, "time_utc", text_of(origin->time_utc), &whole);
    bl_json_add(root, "tool_version", text_of(origin->tool_version), &whole);
    bl_json_add(root, "machine", text_of(trace->machine->name), &whole);
    bl_json_add(root, "is_whole", json_boolean(trace->is_whole), &whole);
    for (unsigned i = 0; i < trace->kernel_count; i++)
        bl_json_append(kernels, kernel_of(trace, i, &whole), &whole);
    for (size_t i = 0; i < trace->source_count; i++)
        bl_json_append(sources, source_of(trace->sources[i]), &whole);
    for (size_t i = 0; i < suggestions->count; i++)
        bl_json_append(sentences, suggestion_of(trace, &suggestions->all[i], &whole), &whole);
    bl_json_add(root, "kernels", kernels, &whole);
    bl_json_add(root, "sources", sources, &whole);
    bl_json_add(root, "suggestions", sentences, &whole);
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
