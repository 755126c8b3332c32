#include "trace/predicted_documents.h"

#include <math.h>
#include <string.h>

#include "trace/documents.h"

#ifdef BL_WITH_JANSSON
static json_t *predicted_of(const struct bl_predicted *predicted, bool *whole)
{
    if (!predicted->launches)
        return json_null();
    json_t *object = json_object(), *shares = json_object();
    const char *limit = bl_time_limit_name(predicted->limited_by);
    bl_json_add(object, "first_ns", json_real(predicted->first_ns), whole);
    bl_json_add(object, "ns", json_real(predicted->ns), whole);
    bl_json_add(object, "lo_ns", json_real(predicted->lo_ns), whole);
    bl_json_add(object, "hi_ns", json_real(predicted->hi_ns), whole);
    bl_json_add(object, "limited_by", bl_json_text(limit, strlen(limit)), whole);
    for (unsigned i = 0; i < BL_LIMITS; i++)
        bl_json_add(shares, bl_time_limit_name((enum bl_time_limit)i),
                    json_real(predicted->shares[i]), whole);
    bl_json_add(object, "shares", shares, whole);
    bl_json_add(object, "twice_groups_ns", bl_json_number_or_null(predicted->twice_groups_ns),
                whole);
    bl_json_add(object, "larger_group_ns", bl_json_number_or_null(predicted->larger_group_ns),
                whole);
    bl_json_add(object, "simulated_launches", json_integer(predicted->launches), whole);
    return object;
}

void bl_predicted_json(json_t *kernel, const struct bl_predicted *predicted, bool *whole)
{
    const char *why_not = predicted->why_not;
    bl_json_add(kernel, "predicted", predicted_of(predicted, whole), whole);
    bl_json_add(kernel, "why_not_predicted",
                why_not ? bl_json_text(why_not, strlen(why_not)) : json_null(), whole);
}
#endif

static void put_us(FILE *file, bool is_known, double ns)
{
    fprintf(file, is_known ? " %.4g |" : " - |", ns / 1e3);
}

void bl_timed_markdown(FILE *file, const struct bl_trace *trace)
{
    if (!*trace->timed_on.name)
        return;
    fprintf(file,
            "\nTimes on %s.\n\n| kernel | launches | time (us) | at least (us) | limited by |\n"
            "| --- | ---: | ---: | ---: | --- |\n",
            trace->timed_on.name);
    for (size_t k = 0; k < trace->kernel_count; k++) {
        const struct bl_trace_kernel *kernel = &trace->kernels[k];
        const char *const limited_by = kernel->bound.limited_by;
        fputc('|', file);
        bl_trace_markdown_cell(file, bl_trace_label_of(kernel));
        fprintf(file, " %u |", kernel->timed.launches);
        put_us(file, kernel->timed.launches > 0, kernel->timed.ns);
        put_us(file, limited_by != NULL, kernel->bound.ns);
        fprintf(file, " %s |\n", limited_by ? limited_by : "-");
    }
}

void bl_predicted_markdown(FILE *file, const struct bl_trace *trace)
{
    if (!trace->predicting)
        return;
    fputs("\n| kernel | first launch (us) | warm (us) | from (us) | to (us) | limited by |\n"
          "| --- | ---: | ---: | ---: | ---: | --- |\n",
          file);
    for (size_t k = 0; k < trace->kernel_count; k++) {
        const struct bl_predicted *predicted = &trace->kernels[k].predicted;
        const bool is_known = predicted->launches > 0;
        fputc('|', file);
        bl_trace_markdown_cell(file, bl_trace_label_of(&trace->kernels[k]));
        put_us(file, is_known, predicted->first_ns);
        put_us(file, is_known, predicted->ns);
        put_us(file, is_known, predicted->lo_ns);
        put_us(file, is_known, predicted->hi_ns);
        bl_trace_markdown_cell(file, is_known ? bl_time_limit_name(predicted->limited_by)
                                              : predicted->why_not);
        fputc('\n', file);
    }
}
