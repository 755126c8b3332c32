/* A trace as JSON. */
#include <math.h>
#include <string.h>

#include "report/json_is_built.h"
#include "trace/bounds.h"
#include "trace/documents_inside.h"

#ifdef BL_WITH_JANSSON
#include "report/json_values.h"

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
