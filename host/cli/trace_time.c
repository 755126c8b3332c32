#include "cli/trace_time.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/measure.h"
#include "run/level.h"
#include "trace/bounds.h"
#include "trace/program.h"
#include "trace/times.h"

/* Of a level's working set, which the levels before hold little of: twice what they may hold. */
enum { KEPT_PART = 16 };

static enum bl_status time_program(struct bl_trace *trace, const char *const words[],
                                   char *const environment[], struct bl_error *error)
{
    char layer[4096];
    struct bl_traced_program program;
    const struct bl_traced_settings settings = {
        .words = words, .plugin = layer, .is_timed = true, .environment = environment};
    enum bl_status status = bl_trace_find_plugin(BL_TRACE_LAYER, layer, error);
    if (status == BL_OK)
        status = bl_traced_start(&settings, &program, error);
    if (status != BL_OK)
        return status;
    status = bl_times_read(program.descriptor, bl_is_interrupted, trace, error);
    const bool has_to_stop = status == BL_INTERRUPTED;
    const int ended = bl_traced_end(&program, has_to_stop);
    if (WIFSIGNALED(ended) && !has_to_stop)
        fprintf(stderr, "note: on the real device the program was ended by signal %d\n",
                WTERMSIG(ended));
    else if (WIFEXITED(ended) && WEXITSTATUS(ended))
        fprintf(stderr, "note: on the real device the program ended with status %d\n",
                WEXITSTATUS(ended));
    return status;
}

/* What contiguous accesses of ints get from each level. */
static enum bl_status measure_levels(struct bl_run *run, bool is_write,
                                     struct bl_delivery *delivery, struct bl_error *error)
{
    struct bl_bench *bench = &run->bench;
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

/* The first device of the name that the program's had; NULL: there is none. */
static const struct bl_device *device_named(const struct bl_device devices[], size_t count,
                                            const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(devices[i].name, name, sizeof devices[i].name - 1) == 0)
            return &devices[i];
    return NULL;
}

/* The levels of the device that the program ran on. */
static enum bl_status measure_device(const struct bl_trace *trace, const struct bl_device *device,
                                     struct bl_delivery *delivery, struct bl_error *error)
{
    char selector[32];
    snprintf(selector, sizeof selector, "%u:%u", device->platform_index, device->device_index);
    const struct bl_run_settings settings = {
        .device = selector, .tolerance = 0.05, .interrupted = bl_interrupt()};
    struct bl_run run;
    enum bl_status status = bl_run_open(&settings, &run, error);
    if (status == BL_OK) {
        run.bench.machine = trace->machine;
        status = measure_levels(&run, false, delivery, error);
    }
    if (status == BL_OK && isfinite(delivery->clock_ns))
        status = measure_levels(&run, true, delivery, error);
    bl_end_run(&run);
    return status;
}

static enum bl_status bound(struct bl_trace *trace, struct bl_error *error)
{
    struct bl_delivery delivery = {.clock_ns = NAN};
    for (unsigned i = 0; i < BL_LEVELS; i++)
        delivery.read_bytes_per_ns[i] = delivery.written_bytes_per_ns[i] = NAN;
    struct bl_device *devices;
    size_t count;
    enum bl_status status = bl_devices_list(&devices, &count, error);
    if (status != BL_OK)
        return status;
    const struct bl_device *device = device_named(devices, count, trace->timed_on.name);
    struct bl_error failure = {0};
    if (device && bl_device_is_described(device, trace->machine)) {
        status = measure_device(trace, device, &delivery, &failure);
        bl_trace_bound_times(trace, &delivery);
    }
    free(devices);
    if (status == BL_INTERRUPTED)
        *error = failure;
    else if (status != BL_OK) /* the bound of the compute units is still one */
        fprintf(stderr, "note: no bounds of the levels beyond the compute units: %s\n",
                failure.sentence);
    return status == BL_INTERRUPTED ? status : BL_OK;
}

enum bl_status bl_trace_time(struct bl_trace *trace, const char *const words[],
                             char *const environment[], struct bl_error *error)
{
    const enum bl_status status = time_program(trace, words, environment, error);
    return status == BL_OK ? bound(trace, error) : status;
}
