/* Predicted times of kernels (predicted.h).
 *
 * Simulating each of a thousand launches would take longer than tracing them, and launches of one
 * kernel are mostly alike, so only a few are simulated and only means are kept. They are simulated
 * as they come in, in the program's order, because what a launch finds in L2 depends on all
 * launches before it.
 */
#include "trace/predicted.h"

#include <math.h>
#include <stdlib.h>

#include "trace/launch_time.h"
#include "trace/trace.h"

/* The maximum number of serial fetches from memory for a kernel's code that no cache holds. */
enum { CODE_FETCHES = 4 };

/* The model's own error, added at both ends of the interval. Held against kernels of programs that
 * were left out when it was chosen, 0.06 holds 89 % of their times (results/rules). */
static const double beyond = 0.1;

/* Adds a simulated launch, which stands for `weight` launches, to the kernel's means. idle_ns: the
 * additional time because the device was idle before. */
static void add_launch(const struct bl_machine *machine, const struct bl_launch_times *times,
                       double weight, double idle_ns, struct bl_predicted *predicted)
{
    const struct bl_time_result *cold = &times->cold, *warm = &times->warm;
    const double code_ns = CODE_FETCHES * machine->levels[BL_LEVEL_MEMORY].latency_ns;
    if (predicted->launches++ == 0)
        predicted->first_ns = cold->ns + idle_ns;
    predicted->weight += weight;
    predicted->ns += weight * warm->ns;
    predicted->lo_ns += weight * (1 - beyond) * fmin(fmin(cold->ns, warm->ns), times->least_ns);
    predicted->hi_ns +=
        weight * ((1 + beyond) * fmax(fmax(cold->ns, warm->ns), times->most_ns) + code_ns);
    predicted->hi_ns += (1 + beyond) * idle_ns;
    if (machine->launch_most_ns > 0) {
        predicted->lo_ns -= weight * (machine->launch_ns - machine->launch_least_ns);
        predicted->hi_ns += weight * (machine->launch_most_ns - machine->launch_ns);
    }
    predicted->twice_groups_ns += weight * times->twice_groups_ns;
    predicted->larger_group_ns += weight * times->larger_group_ns;
    for (unsigned i = 0; i < BL_LIMITS; i++)
        predicted->shares[i] += weight * warm->ns * warm->shares[i];
}

void bl_predict_begin(struct bl_trace *trace, unsigned number)
{
    if (trace->predicting)
        trace->predicting->streams.is_wanted =
            (number & (number - 1)) == 0 && !bl_time_why_not(trace->machine);
}

static const char *why_not(const struct bl_trace *trace, const struct bl_streams *streams,
                           const struct bl_trace_kernel *kernel)
{
    const char *machine = bl_time_why_not(trace->machine);
    return machine                  ? machine
           : streams->why_not       ? streams->why_not
           : kernel->image_accesses ? "it accesses images, which have no rule"
           : kernel->copied_bytes   ? "it uses async_work_group_copy, which has no rule"
           : kernel->aborted        ? "Oclgrind aborted a launch"
                                    : NULL;
}

static enum bl_status predict(struct bl_trace *trace, struct bl_trace_kernel *kernel,
                              struct bl_error *error)
{
    struct bl_predicting *predicting = trace->predicting;
    const double idle_ns = predicting->has_launched ? 0 : trace->machine->first_launch_ns;
    struct bl_launch_times times;
    const struct bl_simulated_launch launch = {.machine = trace->machine,
                                               .launch = &kernel->last,
                                               .streams = &predicting->streams,
                                               .registers = predicting->registers,
                                               .is_again = kernel->launches > 1};
    const enum bl_status status = bl_launch_times(&launch, &predicting->left, &times, error);
    if (status == BL_OK)
        add_launch(trace->machine, &times, fmax(1, kernel->launches / 2.0), idle_ns,
                   &kernel->predicted);
    return status;
}

static enum bl_status keep(struct bl_predicting *predicting, const struct bl_wire_kernel *launch,
                           unsigned kernel, struct bl_error *error)
{
    if (kernel >= predicting->kept_count) {
        const size_t count = 2 * (size_t)kernel + 8;
        struct bl_stream_kept *more = realloc(predicting->kept, count * sizeof *more);
        if (!more)
            return bl_fail(error, BL_NO_MEMORY, "no memory for a prediction");
        for (size_t i = predicting->kept_count; i < count; i++)
            more[i] = (struct bl_stream_kept){0};
        predicting->kept = more;
        predicting->kept_count = count;
    }
    return bl_streams_keep(&predicting->streams, launch, &predicting->kept[kernel])
               ? BL_OK
               : bl_fail(error, BL_NO_MEMORY, "no memory for a prediction");
}

enum bl_status bl_predict_end(struct bl_trace *trace, unsigned number, bool is_cut,
                              struct bl_error *error)
{
    struct bl_predicting *predicting = trace->predicting;
    if (!predicting)
        return BL_OK;
    struct bl_trace_kernel *kernel = &trace->kernels[number];
    if (!kernel->predicted.why_not)
        kernel->predicted.why_not = why_not(trace, &predicting->streams, kernel);
    enum bl_status status = BL_OK;
    if (!kernel->predicted.why_not && predicting->streams.count > 0)
        status = predict(trace, kernel, error);
    else if (!kernel->predicted.why_not && is_cut && kernel->predicted.launches == 0)
        kernel->predicted.why_not = "its launch was cut short within its first traced group";
    if (status == BL_OK && !kernel->predicted.why_not && predicting->streams.count > 0)
        status = keep(predicting, &kernel->last, number, error);
    predicting->has_launched = true;
    bl_streams_clear(&predicting->streams);
    return status;
}

/* The lower bound of one launch's time, from the clocks of the busiest stage of its compute units.
 */
static double least_ns(const struct bl_trace *trace, const struct bl_trace_kernel *kernel)
{
    const double launches = kernel->launches, groups = (double)kernel->groups / launches,
                 units = fmin(groups, trace->machine->compute_units);
    return units > 0 ? kernel->bound.clocks[kernel->bound.busiest] / launches / units * 1e3 /
                           trace->machine->clock_mhz
                     : 0;
}

void bl_predict_finish(struct bl_trace *trace)
{
    for (size_t k = 0; trace->predicting && k < trace->kernel_count; k++) {
        struct bl_trace_kernel *kernel = &trace->kernels[k];
        struct bl_predicted *predicted = &kernel->predicted;
        if (predicted->why_not || predicted->weight <= 0) {
            predicted->launches = 0;
            if (!predicted->why_not)
                predicted->why_not = "none of its groups was traced";
            continue;
        }
        const double least = least_ns(trace, kernel), sum_ns = predicted->ns;
        for (unsigned i = 0; i < BL_LIMITS; i++) {
            predicted->shares[i] /= sum_ns;
            if (predicted->shares[i] > predicted->shares[predicted->limited_by])
                predicted->limited_by = (enum bl_time_limit)i;
        }
        predicted->ns = fmax(least, predicted->ns / predicted->weight);
        predicted->first_ns = fmax(least, predicted->first_ns);
        predicted->lo_ns = fmax(least, predicted->lo_ns / predicted->weight);
        predicted->hi_ns =
            fmax((1 + beyond) * predicted->first_ns, predicted->hi_ns / predicted->weight);
        predicted->twice_groups_ns /= predicted->weight;
        predicted->larger_group_ns /= predicted->weight;
    }
}

void bl_predicting_free(struct bl_predicting *predicting)
{
    if (!predicting)
        return;
    bl_streams_free(&predicting->streams);
    for (size_t i = 0; i < predicting->kept_count; i++)
        bl_stream_kept_free(&predicting->kept[i]);
    free(predicting->kept);
    bl_l2_left_free(&predicting->left);
}
