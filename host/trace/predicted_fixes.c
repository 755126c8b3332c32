/* Predicts what suggestions gain (predicted_fixes.h).
 *
 * The events of only some groups are kept, and a kernel's time is a mean over launches. The kept
 * launch is therefore simulated twice, unchanged and with the suggestion, and the ratio is applied
 * to the kernel's time.
 */
#include "trace/predicted_fixes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "trace/launch_time.h"
#include "trace/predicted.h"

/* Simulates the kept launch with a layout. *ns is NAN if it cannot be simulated. */
static enum bl_status warm_ns(const struct bl_trace *trace, unsigned kernel,
                              const struct bl_array_layout *layout, const bool is_changed[],
                              double *ns, struct bl_error *error)
{
    const struct bl_stream_kept *kept = &trace->predicting->kept[kernel];
    struct bl_streams streams;
    *ns = NAN;
    enum bl_status status = BL_OK;
    if (!bl_streams_rebuild(trace, kept, layout, is_changed, &streams))
        status = bl_fail(error, BL_NO_MEMORY, "no memory for a prediction");
    else if (streams.count > 0 && !streams.why_not) {
        const struct bl_simulated_launch launch = {.machine = trace->machine,
                                                   .launch = &kept->launch,
                                                   .streams = &streams,
                                                   .registers = trace->predicting->registers};
        status = bl_launch_warm_ns(&launch, ns, error);
    }
    bl_streams_free(&streams);
    return status;
}

/* The instructions that access the suggestion's array, as far as the kernel's kept group shows;
 * NULL if memory runs out. */
static bool *changed_by(const struct bl_trace *trace, const struct bl_suggestion *suggestion)
{
    const struct bl_trace_kernel *kernel = &trace->kernels[suggestion->row->kernel];
    bool *is_changed = calloc(trace->instruction_count + 1, sizeof *is_changed);
    for (size_t i = 0; is_changed && i < kernel->kept_count; i++) {
        const struct bl_access *access = &kernel->kept[i];
        if (access->address >> BL_BUFFER_BITS == suggestion->buffer &&
            access->memory == (uint8_t)suggestion->row->memory)
            is_changed[access->instruction] = true;
    }
    return is_changed;
}

/* Withdraws a suggestion with which the launch takes longer: longer because of what the passes of
 * its accesses do not show, for instance fewer groups that a unit can hold. */
static void judge(double now_ns, struct bl_suggestion *suggestion)
{
    static const double longer = 1.01;
    char why[320];
    if (!(suggestion->predicted_ns > longer * now_ns))
        return;
    snprintf(why, sizeof why,
             "to %s would make the accesses cheaper and the kernel slower: it is predicted to take "
             "%.3g us, and %.3g us as it is.",
             suggestion->fix, suggestion->predicted_ns / 1e3, now_ns / 1e3);
    bl_suggestion_withdraw(suggestion, why);
}

static enum bl_status predict(const struct bl_trace *trace, struct bl_suggestion *suggestion,
                              struct bl_error *error)
{
    const unsigned kernel = suggestion->row->kernel;
    double now_ns = NAN, then_ns = NAN;
    bool *is_changed = changed_by(trace, suggestion);
    if (!is_changed)
        return bl_fail(error, BL_NO_MEMORY, "no memory for a prediction");
    enum bl_status status = warm_ns(trace, kernel, NULL, is_changed, &now_ns, error);
    if (status == BL_OK)
        status = warm_ns(trace, kernel, &suggestion->layout, is_changed, &then_ns, error);
    suggestion->predicted_ns = trace->kernels[kernel].predicted.ns * then_ns / now_ns;
    judge(trace->kernels[kernel].predicted.ns, suggestion);
    free(is_changed);
    return status;
}

static bool swaps_ids(const struct bl_suggestions *suggestions, unsigned kernel)
{
    for (size_t i = 0; i < suggestions->count; i++)
        if (suggestions->all[i].row->kernel == kernel && suggestions->all[i].swaps_ids)
            return true;
    return false;
}

enum bl_status bl_predict_fixes(const struct bl_trace *trace, struct bl_suggestions *suggestions,
                                struct bl_error *error)
{
    enum bl_status status = BL_OK;
    for (size_t i = 0; trace->predicting && status == BL_OK && i < suggestions->count; i++) {
        struct bl_suggestion *suggestion = &suggestions->all[i];
        const unsigned kernel = suggestion->row->kernel;
        if (suggestion->layout.kind != BL_ARRAY_UNCHANGED &&
            trace->kernels[kernel].predicted.launches > 0 &&
            kernel < trace->predicting->kept_count && !swaps_ids(suggestions, kernel))
            status = predict(trace, suggestion, error);
    }
    return status;
}
