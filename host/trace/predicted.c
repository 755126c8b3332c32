/* Predicts the times of kernels, as they are and with suggested layouts (predicted.h).
 *
 * Simulating each of a thousand launches would take longer than tracing them, and launches of one
 * kernel are mostly alike. So only a few launches are simulated. The simulation follows the
 * program's order, because what a launch finds in L2 depends on all earlier launches. */
#include "trace/predicted.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "trace/launch_time.h"
#include "trace/suggest.h"
#include "trace/trace.h"

/* The maximum number of dependent memory fetches for a kernel's code, if no cache holds the code.
 */
enum { CODE_FETCHES = 4 };

/* Both ends of the interval are moved outwards by this fraction, an allowance for the model's
 * error. It was chosen with the kernels on which the model was developed; results/rules states how
 * many intervals of other programs contain the measured time. */
static const double beyond = 0.1;

/* The lower end of the interval allows for less arithmetic, by the first of these fractions, the
 * upper end for more, by the second, because a device's compiler may generate fewer or more
 * instructions than Oclgrind's. This covers most kernels; short loops with conditions took from
 * half to twice the predicted time on an H200. */
static const double less_arithmetic = 0.3, more_arithmetic = 0.5;

/* Reserving private memory took up to this much longer than usual on an H100. */
static const double grows_slower = 0.3;

/* The assumed rate of transfers between host and device, less than half the rate of a PCI Express
 * 5.0 x16 link. Used only for transfers for which the program does not wait, to decide whether the
 * device is still busy when the next launch is enqueued. */
static const double link_bytes_per_ns = 25;

/* The rate at which a driver copies a program's memory to the device, or back
 * (results/rules/README.md, "An idle device"). */
static const double copied_bytes_per_ns = 5.5;

/* A program's first launch takes as long as if the device had been idle for this time, and for the
 * time of the copies and computations before the launch (the same place). */
static const double starting_ns = 8000000;

/* The same for a launch after the program has built another program, which the driver had compiled
 * before and found in its cache: 75 such launches on an H100 took 5.3 us longer than the kernels'
 * later launches (median; quartiles 4.2 and 7.1 us; results/rules/nvidia-h100-applications-j.csv).
 */
static const double building_ns = 2000000;

/* The time that a launch saves if it is enqueued while the device is busy. */
static double queued_saves_ns(const struct bl_machine *machine)
{
    return machine->queued_launch_ns > 0 && machine->enqueue_ns > 0
               ? machine->launch_ns - machine->queued_launch_ns
               : 0;
}

/* How much longer a launch takes that finds the device idle for so long. */
static double wake_ns(const struct bl_machine *machine, double idle_ns)
{
    const double least = machine->awake_ns, most = machine->asleep_ns;
    return machine->first_launch_ns *
           (most > least ? pow(fmin(1, fmax(0, (idle_ns - least) / (most - least))), 0.6)
                         : idle_ns >= starting_ns);
}

static void add_first(const struct bl_machine *machine, const struct bl_predicted_launch *launch,
                      struct bl_predicted *predicted)
{
    const struct bl_time_result *cold = &launch->times.cold;
    predicted->first_ns = cold->ns + machine->kernel_more_ns + launch->extra_ns;
    predicted->first_more_ns =
        launch->extra_ns > launch->grow_ns
            ? fmax(0, machine->first_launch_most_ns - machine->first_launch_ns)
            : 0;
    predicted->first_more_ns += grows_slower * launch->grow_ns;
    predicted->first_more_ns += cold->shares[BL_LIMIT_ARITHMETIC] * cold->ns * more_arithmetic;
}

/* Adds a simulated launch, which represents `weight` launches, to the kernel's sums. */
static void add_launch(const struct bl_machine *machine, const struct bl_predicted_launch *launch,
                       double weight, struct bl_predicted *predicted)
{
    const struct bl_launch_times *times = &launch->times;
    const double extra_ns = launch->extra_ns;
    const struct bl_time_result *cold = &times->cold, *warm = &times->warm;
    const double code_ns = CODE_FETCHES * machine->levels[BL_LEVEL_MEMORY].latency_ns;
    const double arithmetic_ns = warm->shares[BL_LIMIT_ARITHMETIC] * warm->ns;
    const double more_ns = machine->kernel_more_ns;
    predicted->weight += weight;
    predicted->ns += weight * (warm->ns + more_ns);
    predicted->lo_ns += weight * ((1 - beyond) * fmin(fmin(cold->ns, warm->ns), times->least_ns) -
                                  fmin(arithmetic_ns, times->least_ns) * less_arithmetic);
    predicted->hi_ns += weight * ((1 + beyond) * fmax(fmax(cold->ns, warm->ns), times->most_ns) +
                                  code_ns + arithmetic_ns * more_arithmetic);
    predicted->hi_ns += (1 + beyond) * fmax(0, extra_ns);
    if (machine->launch_most_ns > 0) {
        predicted->lo_ns -= weight * (machine->launch_ns - machine->launch_least_ns);
        predicted->hi_ns += weight * (machine->launch_most_ns - machine->launch_ns);
    }
    if (weight > 0) { /* else 0 * NAN would spoil the sums */
        predicted->twice_groups_ns += weight * (times->twice_groups_ns + more_ns);
        predicted->larger_group_ns += weight * (times->larger_group_ns + more_ns);
    }
    predicted->shares[BL_LIMIT_LAUNCH] += weight * more_ns;
    for (unsigned i = 0; i < BL_LIMITS; i++)
        predicted->shares[i] += weight * warm->ns * warm->shares[i];
}

/* Limits for launches that are simulated because they differ from others. Such launches are only
 * looked for among the first COMPARED_LAUNCHES of a kernel, until MAX_SIMULATED are simulated. */
enum { COMPARED_LAUNCHES = 256, MAX_SIMULATED = 24 };

/* Launches differ much if the logarithms of their numbers of accesses differ by more than this. */
static const double much = 0.25;

static bool is_power_of_two(unsigned number) { return (number & (number - 1)) == 0; }

void bl_predict_begin(struct bl_trace *trace, unsigned kernel, uint64_t told)
{
    struct bl_predicting *predicting = trace->predicting;
    struct bl_predicted *predicted = &trace->kernels[kernel].predicted;
    const double transferring_ns = (double)(told >> BL_WIRE_LAYER_BITS) / link_bytes_per_ns;
    const bool is_transferring = transferring_ns > 0,
               is_awake = is_transferring || told & BL_WIRE_WORKED;
    if (!predicting)
        return;
    const unsigned number = trace->kernels[kernel].launches;
    predicting->accesses = predicting->groups = 0;
    predicting->streams.is_wanted =
        !bl_time_why_not(trace->machine) &&
        (is_power_of_two(number) ||
         (number <= COMPARED_LAUNCHES && predicted->launches < MAX_SIMULATED));
    if (!(told & BL_WIRE_QUEUED) || told & BL_WIRE_IDLE)
        predicting->host_ns = fmax(predicting->host_ns, predicting->device_ns);
    if (is_transferring)
        predicting->device_ns = fmax(predicting->device_ns, predicting->host_ns) + transferring_ns;
    predicting->host_ns += predicting->host_work_ns;
    predicting->idle_ns =
        !is_awake && !predicting->has_enqueued ? starting_ns + predicting->host_work_ns
        : !is_awake && told & BL_WIRE_IDLE     ? building_ns + predicting->host_work_ns
                                               : predicting->host_ns - predicting->device_ns;
    predicting->host_work_ns = 0;
    predicting->device_ns = fmax(predicting->device_ns, predicting->host_ns);
    predicting->host_ns += trace->machine->enqueue_ns;
    /* A kernel's first launch saves nothing behind short launches: on an H100, 32 such launches
     * took 7.0 us (median), as on an idle device (the same file). */
    const double loading_ns =
        number == 1 ? trace->machine->first_enqueue_ns - trace->machine->enqueue_ns : 0;
    predicting->is_queued = queued_saves_ns(trace->machine) > 0 &&
                            predicting->device_ns > predicting->host_ns + fmax(0, loading_ns);
    predicted->queued += predicting->is_queued;
    predicted->is_first_queued |= predicting->is_queued && number == 1;
    if (number > 1 && !predicting->is_queued)
        predicted->wake_ns += wake_ns(trace->machine, predicting->idle_ns);
}

static const char *why_not(const struct bl_trace *trace, const struct bl_streams *streams,
                           const struct bl_trace_kernel *kernel)
{
    const char *machine = bl_time_why_not(trace->machine);
    return machine                  ? machine
           : streams->why_not       ? streams->why_not
           : kernel->image_accesses ? "it accesses images, which have no rule"
           : kernel->prints         ? "it calls printf, which has no rule"
           : kernel->copied_bytes   ? "it uses async_work_group_copy, which has no rule"
           : kernel->aborted        ? "Oclgrind aborted a launch"
                                    : NULL;
}

/* How many ns longer the current launch takes than a launch on a device that is idle, but awake;
 * negative for a queued launch. */
static double extra_ns(const struct bl_trace *trace)
{
    const struct bl_predicting *predicting = trace->predicting;
    return predicting->grow_ns + (predicting->is_queued
                                      ? -queued_saves_ns(trace->machine)
                                      : wake_ns(trace->machine, predicting->idle_ns));
}

/* Reserves the private memory that the current launch needs. */
static void reserve_private(struct bl_predicting *predicting, const struct bl_machine *machine)
{
    const uint64_t bytes = bl_streams_private_bytes(&predicting->streams);
    const bool grows = bytes > predicting->private_bytes && bytes > machine->private_reserved_bytes;
    predicting->grow_ns = grows ? machine->private_grow_ns : 0;
    if (bytes > predicting->private_bytes)
        predicting->private_bytes = bytes;
}

void bl_predict_group(struct bl_trace *trace, uint64_t accesses)
{
    if (!trace->predicting)
        return;
    trace->predicting->accesses += accesses;
    trace->predicting->groups++;
}

bool bl_predict_ran(struct bl_trace *trace, uint64_t group, uint64_t work)
{
    return !trace->predicting || bl_streams_ran(&trace->predicting->streams, group, work);
}

/* The estimated number of accesses of all groups of the current launch. */
static double accesses_of(const struct bl_predicting *predicting,
                          const struct bl_wire_kernel *launch)
{
    const double groups =
        (double)launch->groups[0] * (double)launch->groups[1] * (double)launch->groups[2];
    return predicting->groups > 0
               ? (double)predicting->accesses / (double)predicting->groups * groups
               : 0;
}

/* The simulated launch with the most similar number of accesses; of several, the latest. NULL if no
 * launch was simulated. *distance: the absolute logarithm of the ratio of the numbers. */
static struct bl_predicted_launch *most_similar(struct bl_predicted *predicted, double accesses,
                                                double *distance)
{
    struct bl_predicted_launch *best = NULL;
    for (unsigned i = 0; i < predicted->launches; i++) {
        struct bl_predicted_launch *one = &predicted->simulated[i];
        const double of_one = fabs(log((accesses + 1) / (one->accesses + 1)));
        if (best && of_one > *distance)
            continue;
        best = one;
        *distance = of_one;
    }
    return best;
}

static enum bl_status predict(struct bl_trace *trace, struct bl_trace_kernel *kernel,
                              struct bl_error *error)
{
    struct bl_predicting *predicting = trace->predicting;
    struct bl_launch_times times;
    const struct bl_simulated_launch launch = {.machine = trace->machine,
                                               .launch = &kernel->last,
                                               .streams = &predicting->streams,
                                               .registers = predicting->registers,
                                               .is_again = kernel->launches > 1};
    const enum bl_status status = bl_launch_times(&launch, &predicting->left, &times, error);
    if (status != BL_OK)
        return status;
    struct bl_predicted *predicted = &kernel->predicted;
    size_t count = predicted->launches;
    struct bl_predicted_launch *added =
        bl_array_append(&predicted->simulated, &count, &predicted->capacity, sizeof *added);
    if (!added)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while predicting times");
    *added = (struct bl_predicted_launch){.accesses = accesses_of(predicting, &kernel->last),
                                          .weight = 1,
                                          .extra_ns = extra_ns(trace),
                                          .grow_ns = predicting->grow_ns,
                                          .times = times};
    predicted->launches = (unsigned)count;
    return status;
}

/* Notes what a launch that is not simulated leaves in L2, if its streams are known. This takes
 * time, so of a program with many large launches, only the first are noted. */
static enum bl_status note_blocks(struct bl_trace *trace, const struct bl_trace_kernel *kernel,
                                  struct bl_error *error)
{
    static const double most_touches = 100000000; /* of all these launches; about two seconds */
    struct bl_predicting *predicting = trace->predicting;
    if (predicting->streams.count == 0 || predicting->noted_touches > most_touches)
        return BL_OK;
    const double touches = bl_launch_note_blocks(trace->machine, &kernel->last,
                                                 &predicting->streams, &predicting->left);
    if (isnan(touches))
        return bl_fail(error, BL_NO_MEMORY, "out of memory while predicting times");
    predicting->noted_touches += touches;
    return BL_OK;
}

static enum bl_status keep(struct bl_predicting *predicting, const struct bl_wire_kernel *launch,
                           unsigned kernel, struct bl_error *error)
{
    if (kernel >= predicting->kept_count) {
        const size_t count = 2 * (size_t)kernel + 8;
        struct bl_stream_kept *more = realloc(predicting->kept, count * sizeof *more);
        if (!more)
            return bl_fail(error, BL_NO_MEMORY, "out of memory while predicting times");
        for (size_t i = predicting->kept_count; i < count; i++)
            more[i] = (struct bl_stream_kept){0};
        predicting->kept = more;
        predicting->kept_count = count;
    }
    return bl_streams_keep(&predicting->streams, launch, &predicting->kept[kernel])
               ? BL_OK
               : bl_fail(error, BL_NO_MEMORY, "out of memory while predicting times");
}

enum bl_status bl_predict_end(struct bl_trace *trace, unsigned number, bool is_cut,
                              struct bl_error *error)
{
    struct bl_predicting *predicting = trace->predicting;
    if (!predicting)
        return BL_OK;
    struct bl_trace_kernel *kernel = &trace->kernels[number];
    struct bl_predicted *predicted = &kernel->predicted;
    if (!predicted->why_not)
        predicted->why_not = why_not(trace, &predicting->streams, kernel);
    reserve_private(predicting, trace->machine);
    double distance = INFINITY;
    struct bl_predicted_launch *similar =
        most_similar(predicted, accesses_of(predicting, &kernel->last), &distance);
    if (similar && predicting->groups == 0) /* no group was traced */
        similar = &predicted->simulated[predicted->launches - 1];
    const bool is_simulated = !predicted->why_not && predicting->streams.count > 0 &&
                              (is_power_of_two(kernel->launches) || distance > much);
    if (is_simulated) {
        enum bl_status status = predict(trace, kernel, error);
        if (status == BL_OK)
            status = keep(predicting, &kernel->last, number, error);
        if (status != BL_OK)
            return status;
        similar = &predicted->simulated[predicted->launches - 1];
    } else if (similar) {
        similar->weight++;
        const enum bl_status status = note_blocks(trace, kernel, error);
        if (status != BL_OK)
            return status;
    } else if (!predicted->why_not && is_cut) {
        predicted->why_not = "its launch was cut short within its first traced group";
    }
    predicting->device_ns = fmax(predicting->device_ns, predicting->host_ns) +
                            (similar ? similar->times.warm.ns : 0) + extra_ns(trace);
    if (!predicting->has_enqueued) /* the launch begins while the host is still enqueueing it */
        predicting->host_ns +=
            fmax(0, trace->machine->first_enqueue_ns - trace->machine->enqueue_ns);
    predicting->has_enqueued = true;
    bl_streams_clear(&predicting->streams);
    return BL_OK;
}

void bl_predict_host_work(struct bl_trace *trace, uint64_t copied, uint64_t computed_ns)
{
    if (trace->predicting)
        trace->predicting->host_work_ns +=
            (double)copied / copied_bytes_per_ns + (double)computed_ns;
}

bool bl_predict_host(struct bl_trace *trace, uint64_t address, uint64_t bytes)
{
    struct bl_predicting *predicting = trace->predicting;
    if (!predicting || bl_time_why_not(trace->machine))
        return true;
    return bl_l2_left_write(&predicting->left,
                            trace->machine->levels[BL_LEVEL_MEMORY].granule_bytes, address, bytes,
                            bl_l2_blocks(trace->machine));
}

/* A lower bound of the time of one launch in ns, from the clocks of the busiest stage of a compute
 * unit. */
static double least_ns(const struct bl_trace *trace, const struct bl_trace_kernel *kernel)
{
    const double launches = kernel->launches, groups = (double)kernel->groups / launches,
                 units = fmin(groups, trace->machine->compute_units);
    return units > 0 ? kernel->bound.clocks[kernel->bound.busiest] / launches / units * 1e3 /
                           trace->machine->clock_mhz
                     : 0;
}

/* Only the first launch finds the caches as other kernels leave them, so it does not count for the
 * mean of the launches after it. If the kernel was launched once, an imagined repetition counts. */
static void add_launches(const struct bl_machine *machine, struct bl_predicted *predicted)
{
    double others = -1;
    for (unsigned i = 0; i < predicted->launches; i++)
        others += predicted->simulated[i].weight;
    for (unsigned i = 0; i < predicted->launches; i++) {
        const struct bl_predicted_launch *launch = &predicted->simulated[i];
        if (i == 0)
            add_first(machine, launch, predicted);
        add_launch(machine, launch, launch->weight - (i == 0 && others > 0), predicted);
    }
}

void bl_predict_finish(struct bl_trace *trace)
{
    for (size_t k = 0; trace->predicting && k < trace->kernel_count; k++) {
        struct bl_trace_kernel *kernel = &trace->kernels[k];
        struct bl_predicted *predicted = &kernel->predicted;
        add_launches(trace->machine, predicted);
        if (predicted->why_not || predicted->launches == 0) {
            predicted->launches = 0;
            if (!predicted->why_not)
                predicted->why_not = "none of its groups was traced";
            continue;
        }
        const double least = least_ns(trace, kernel), later = kernel->launches - 1.0,
                     queued = predicted->queued - (later > 0 && predicted->is_first_queued),
                     part = predicted->weight / fmax(1, later),
                     saved_ns = part * queued_saves_ns(trace->machine) * queued,
                     woken_ns = part * predicted->wake_ns, more_ns = woken_ns - saved_ns;
        predicted->ns += more_ns;
        predicted->lo_ns -= saved_ns;
        predicted->hi_ns += woken_ns;
        predicted->twice_groups_ns += more_ns;
        predicted->larger_group_ns += more_ns;
        predicted->shares[BL_LIMIT_LAUNCH] += more_ns;
        const double sum_ns = predicted->ns;
        for (unsigned i = 0; i < BL_LIMITS; i++) {
            predicted->shares[i] /= sum_ns;
            if (predicted->shares[i] > predicted->shares[predicted->limited_by])
                predicted->limited_by = (enum bl_time_limit)i;
        }
        predicted->ns = fmax(least, predicted->ns / predicted->weight);
        predicted->first_ns = fmax(least, predicted->first_ns);
        predicted->lo_ns = fmax(
            least, fmin(predicted->lo_ns / predicted->weight, (1 - beyond) * predicted->first_ns));
        predicted->hi_ns = fmax((1 + beyond) * predicted->first_ns + predicted->first_more_ns,
                                predicted->hi_ns / predicted->weight);
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

/* Predicts the gains of suggestions.
 *
 * A kernel's time is a mean over launches, but events are stored only for the kernel's last
 * simulated launch, and only for some of its groups. So this launch is simulated twice: unchanged,
 * and with the suggestion. The kernel's time is multiplied by the ratio of the two results. */

/* Simulates the kernel's last simulated launch again, with a new layout of an array; unchanged if
 * `layout` is NULL. *ns receives the launch's time with warm caches; NAN if the launch cannot be
 * simulated. */
static enum bl_status warm_ns(const struct bl_trace *trace, unsigned kernel,
                              const struct bl_array_layout *layout, const bool is_changed[],
                              double *ns, struct bl_error *error)
{
    const struct bl_stream_kept *kept = &trace->predicting->kept[kernel];
    struct bl_streams streams;
    *ns = NAN;
    enum bl_status status = BL_OK;
    if (!bl_streams_rebuild(trace, kept, layout, is_changed, &streams))
        status = bl_fail(error, BL_NO_MEMORY, "out of memory while predicting times");
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

/* For each instruction, whether it accesses the suggestion's array in the kernel's costliest group;
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

static void say(struct bl_suggestion *suggestion, const char *sentence)
{
    const size_t used = strlen(suggestion->sentence);
    snprintf(suggestion->sentence + used, sizeof suggestion->sentence - used, " %s", sentence);
}

/* Withdraws a suggestion whose layout makes the launch slower, although its accesses need fewer
 * passes: for instance, fewer groups may fit into a compute unit. If the launch takes as long as
 * now, says so. */
static void judge(double now_ns, struct bl_suggestion *suggestion)
{
    static const double longer = 1.01;
    char why[320];
    if (suggestion->predicted_ns > longer * now_ns) {
        snprintf(why, sizeof why,
                 "to %s would make the accesses cheaper but the kernel slower: predicted %.3g us "
                 "per launch, now %.3g us.",
                 suggestion->fix, suggestion->predicted_ns / 1e3, now_ns / 1e3);
        bl_suggestion_withdraw(suggestion, why);
    } else if (suggestion->predicted_ns * longer > now_ns) {
        snprintf(why, sizeof why, "The predicted time does not get shorter: %.3g us per launch.",
                 suggestion->predicted_ns / 1e3);
        say(suggestion, why);
    }
}

/* A layout of an array in global memory may need fewer passes and yet take as long, because of the
 * next levels. If its time was not predicted, says so. */
static void say_if_without_time(const struct bl_trace *trace, struct bl_suggestion *suggestion)
{
    if (suggestion->layout.kind != BL_ARRAY_UNCHANGED && suggestion->row->has_rule &&
        suggestion->row->memory == BL_MEMORY_GLOBAL && isnan(suggestion->predicted_ns))
        say(suggestion, trace->predicting || bl_time_why_not(trace->machine)
                            ? "These gains are of requests alone; times were not predicted."
                            : "These gains are of requests alone; --predict also predicts times.");
}

static enum bl_status predict_fix(const struct bl_trace *trace, struct bl_suggestion *suggestion,
                                  struct bl_error *error)
{
    const unsigned kernel = suggestion->row->kernel;
    double now_ns = NAN, then_ns = NAN;
    bool *is_changed = changed_by(trace, suggestion);
    if (!is_changed)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while predicting times");
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
    for (size_t i = 0; status == BL_OK && i < suggestions->count; i++) {
        struct bl_suggestion *suggestion = &suggestions->all[i];
        const unsigned kernel = suggestion->row->kernel;
        if (trace->predicting && suggestion->layout.kind != BL_ARRAY_UNCHANGED &&
            trace->kernels[kernel].predicted.launches > 0 &&
            kernel < trace->predicting->kept_count && !swaps_ids(suggestions, kernel))
            status = predict_fix(trace, suggestion, error);
        say_if_without_time(trace, suggestion);
    }
    return status;
}
