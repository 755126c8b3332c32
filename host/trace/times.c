/* Reads the times that the layer in the user's program reports, and matches them with the trace's
 * kernels. Also measures the bandwidth of the device's memory levels. */
#include "trace/times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/array.h"
#include "measure/stats.h"
#include "run/level.h"
#include "trace/program.h"
#include "trace/reader.h"

/* The number of fields of a line, without (NAMED_FIELDS) and with the hashes of the kernel's
 * program. */
enum { NAMED_FIELDS = 5, FIELDS = 7 };

/* How well a launch matches a kernel of the trace. */
enum likeness { ANOTHER, OF_THE_NAME, OF_THE_SOURCE, OF_THE_OPTIONS };

static enum likeness likeness_of(const struct bl_trace *trace, const struct bl_trace_kernel *kernel,
                                 char *const fields[], unsigned count)
{
    if (strcmp(kernel->name, fields[0]) != 0)
        return ANOTHER;
    const struct bl_trace_program *program = &trace->programs[kernel->program];
    if (count < FIELDS || strtoull(fields[5], NULL, 16) != program->source_hash)
        return OF_THE_NAME;
    return strtoull(fields[6], NULL, 16) == program->options_hash ? OF_THE_OPTIONS : OF_THE_SOURCE;
}

/* The kernel that matches a launch best; NULL if none matches. If several match equally well,
 * returns NULL and sets *is_ambiguous. */
static struct bl_trace_kernel *kernel_of(struct bl_trace *trace, char *const fields[],
                                         unsigned count, bool *is_ambiguous)
{
    struct bl_trace_kernel *best = NULL;
    enum likeness highest = ANOTHER;
    *is_ambiguous = false;
    for (size_t i = 0; i < trace->kernel_count; i++) {
        const enum likeness likeness = likeness_of(trace, &trace->kernels[i], fields, count);
        if (likeness == ANOTHER || likeness < highest)
            continue;
        *is_ambiguous = likeness == highest;
        highest = likeness;
        best = &trace->kernels[i];
    }
    return *is_ambiguous ? NULL : best;
}

struct timed_launch {
    const struct bl_trace_kernel *kernel;
    double ns;
};

struct timed_launches {
    struct timed_launch *all; /* in the order in which they were reported */
    size_t count, capacity;
};

static enum bl_status take(struct bl_trace *trace, char *line, struct timed_launches *launches,
                           struct bl_error *error)
{
    char *fields[FIELDS], *end;
    unsigned count = 0;
    while (line && count < FIELDS)
        fields[count++] = strsep(&line, "\t");
    if (count != FIELDS && count != NAMED_FIELDS)
        return bl_fail(error, BL_BAD_FORMAT,
                       "the layer that reports times has another version than bankline");
    struct bl_timed_device *device = &trace->timed_on;
    uint64_t numbers[3];
    for (unsigned i = 0; i < 3; i++) {
        numbers[i] = strtoull(fields[i + 1], &end, 10);
        if (end == fields[i + 1] || *end)
            return bl_fail(error, BL_BAD_FORMAT,
                           "the layer that reports times sent '%.40s', which is not a number",
                           fields[i + 1]);
    }
    device->compute_units = (unsigned)numbers[1];
    device->mhz = (unsigned)numbers[2];
    snprintf(device->name, sizeof device->name, "%s", fields[4]);
    bool is_ambiguous;
    struct bl_trace_kernel *own = kernel_of(trace, fields, count, &is_ambiguous);
    trace->ambiguous_times += is_ambiguous;
    if (!own)
        return BL_OK;
    struct timed_launch *launch =
        bl_array_append(&launches->all, &launches->count, &launches->capacity, sizeof *launch);
    if (!launch)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while reading the times");
    *launch = (struct timed_launch){own, (double)numbers[0]};
    return BL_OK;
}

static enum bl_status sum_up(const struct timed_launches *launches, struct bl_trace *trace,
                             struct bl_error *error)
{
    double *times_ns = malloc((launches->count + 1) * sizeof *times_ns);
    if (!times_ns)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while reading the times");
    for (size_t k = 0; k < trace->kernel_count; k++) {
        struct bl_timed timed = {0};
        for (size_t i = 0; i < launches->count; i++)
            if (launches->all[i].kernel == &trace->kernels[k]) {
                times_ns[timed.launches++] = launches->all[i].ns;
                timed.ns += launches->all[i].ns;
            }
        if (timed.launches) {
            timed.first_ns = times_ns[0];
            timed.median_ns = bl_median(times_ns, timed.launches);
            trace->kernels[k].timed = timed;
        }
    }
    free(times_ns);
    return BL_OK;
}

/* Reads all data up to the end of the pipe as a text, which the caller frees. */
static enum bl_status read_all(const struct bl_pipe *pipe, char **text, struct bl_error *error)
{
    size_t size = 0;
    *text = NULL;
    FILE *out = open_memstream(text, &size);
    if (!out)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while reading the times");
    char block[4096];
    size_t got = 1;
    enum bl_status status = BL_OK;
    while (got > 0 && status == BL_OK) {
        status = bl_pipe_read(pipe, block, sizeof block, &got, error);
        if (status == BL_OK)
            fwrite(block, 1, got, out);
    }
    const bool failed = ferror(out);
    if ((fclose(out) != 0 || failed) && status == BL_OK)
        status = bl_fail(error, BL_NO_MEMORY, "out of memory while reading the times");
    return status;
}

static enum bl_status read_times(const struct bl_pipe *pipe, struct bl_trace *trace,
                                 struct bl_error *error)
{
    char *text = NULL;
    for (size_t i = 0; i < trace->program_count; i++) {
        trace->programs[i].source_hash = bl_wire_hash(trace->programs[i].source);
        trace->programs[i].options_hash = bl_wire_hash(trace->programs[i].options);
    }
    enum bl_status status = read_all(pipe, &text, error);
    struct timed_launches launches = {0};
    size_t lines = 0, hellos = 0;
    for (char *line = text; status == BL_OK && line && *line;) {
        char *next = line + strcspn(line, "\n");
        if (*next)
            *next++ = '\0';
        const bool is_hello = strcmp(line, "\t") == 0;
        hellos += is_hello;
        lines += !is_hello;
        if (!is_hello)
            status = take(trace, line, &launches, error);
        line = next;
    }
    free(text);
    if (status == BL_OK)
        status = sum_up(&launches, trace, error);
    free(launches.all);
    if (status != BL_OK)
        return status;
    if (!hellos)
        return bl_fail(
            error, BL_OPENCL_FAILED,
            "no times were measured, because the program created no command queue, or "
            "loaded OpenCL in a way that neither layers nor preloaded libraries can intercept");
    if (!lines)
        return bl_fail(error, BL_OPENCL_FAILED,
                       "no times were measured, because the program ran no kernel to its end "
                       "on a real device");
    return BL_OK;
}

enum bl_status bl_times_read(int descriptor, bool (*is_interrupted)(void *context),
                             struct bl_trace *trace, struct bl_error *error)
{
    const struct bl_pipe pipe = {descriptor, "the times", is_interrupted, NULL, NULL};
    return read_times(&pipe, trace, error);
}

static void watch(void *program) { bl_traced_watch(program); }

enum bl_status bl_trace_time(struct bl_trace *trace, const char *const words[],
                             char *const environment[], bool (*is_interrupted)(void *context),
                             char note[128], struct bl_error *error)
{
    char layer[4096];
    struct bl_traced_program program;
    const struct bl_traced_settings settings = {
        .words = words, .plugin = layer, .is_timed = true, .environment = environment};
    *note = '\0';
    enum bl_status status = bl_trace_find_plugin(BL_TRACE_LAYER, layer, error);
    if (status == BL_OK)
        status = bl_traced_start(&settings, &program, error);
    if (status != BL_OK)
        return status;
    const struct bl_pipe pipe = {program.descriptor, "the times", is_interrupted, watch, &program};
    status = read_times(&pipe, trace, error);
    bool has_to_stop = status == BL_INTERRUPTED;
    while (!has_to_stop && !bl_traced_has_ended(&program)) {
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
        has_to_stop = is_interrupted(NULL);
    }
    const int ended = bl_traced_end(&program, has_to_stop);
    if (WIFSIGNALED(ended) && !has_to_stop)
        snprintf(note, 128, "on the real device the program was ended by signal %d",
                 WTERMSIG(ended));
    else if (WIFEXITED(ended) && WEXITSTATUS(ended))
        snprintf(note, 128, "on the real device the program ended with status %d",
                 WEXITSTATUS(ended));
    else if (trace->ambiguous_times)
        snprintf(note, 128,
                 "%u launch%s no time, because several programs have kernels of the same name",
                 trace->ambiguous_times, trace->ambiguous_times == 1 ? " has" : "es have");
    return status;
}

/* The levels nearer to the compute units are assumed to hold at most 1 / KEPT_PART of a level's
 * working set. */
enum { KEPT_PART = 16 };

struct bl_delivery bl_delivery_unknown(void)
{
    struct bl_delivery delivery = {.clock_ns = NAN};
    for (unsigned i = 0; i < BL_LEVELS; i++)
        delivery.read_bytes_per_ns[i] = delivery.written_bytes_per_ns[i] = NAN;
    return delivery;
}

static enum bl_status measure_levels(struct bl_bench *bench, bool is_write,
                                     struct bl_delivery *delivery, struct bl_error *error)
{
    struct bl_try contiguous = {0};
    struct bl_rates rates = bl_rates_unknown();
    struct bl_try_setup setup = {.memory = BL_MEMORY_GLOBAL, .is_write = is_write};
    enum bl_status status = bl_type_named("int", &setup.type, error);
    if (status == BL_OK)
        status = bl_try_settle(&setup, bench, error);
    if (status == BL_OK)
        status = bl_try_open_contiguous(&contiguous, setup.memory, error);
    if (status == BL_OK)
        status = bl_try_probe(&contiguous, &setup, bench, error);
    double *of_level = is_write ? delivery->written_bytes_per_ns : delivery->read_bytes_per_ns;
    for (unsigned i = 0; i < BL_LEVELS && status == BL_OK; i++) {
        const uint64_t bytes = bl_level_bytes(bench->machine, bench->device, i);
        if (!bytes)
            continue;
        status = bl_level_calibrate(bench, &contiguous, &setup, i, &rates, error);
        const double request_bytes = (double)bench->machine->lanes * setup.type.element_bytes;
        of_level[i] = request_bytes * bench->device->compute_units / rates.contiguous_ns[i];
        delivery->kept_bytes[i] = i == 0 ? 0 : (double)bytes / KEPT_PART;
    }
    if (!is_write)
        delivery->clock_ns = rates.clock_ns;
    bl_try_close(&contiguous);
    return status;
}

enum bl_status bl_delivery_measure(struct bl_bench *bench, struct bl_delivery *delivery,
                                   struct bl_error *error)
{
    const enum bl_status status = measure_levels(bench, false, delivery, error);
    return status == BL_OK && isfinite(delivery->clock_ns)
               ? measure_levels(bench, true, delivery, error)
               : status;
}
