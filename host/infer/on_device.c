/* The OpenCL device as the target of an inference (target.h): allocates arrays and takes samples. A
 * sample is the difference of two launches of different length, so that the fixed cost of a launch
 * cancels. */
#include <math.h>
#include <stdlib.h>

#include "infer/device_inside.h"
#include "measure/sampler.h"

enum { CONSTANT_BYTES = 32768, TRIES = 4, LEAST_ARRAY = 64 << 20 };

static enum bl_status launch_kernel(struct bl_device_target *target,
                                    const struct bl_device_launch *launch, struct bl_timing *timing)
{
    const struct bl_kernel_source source = {launch->file, launch->name,
                                            launch->options ? launch->options : "", NULL};
    const struct bl_groups groups = {launch->groups, launch->group_items};
    struct bl_kernel *kernel;
    unsigned count = 0;
    while (launch->arguments[count].array || launch->arguments[count].bytes)
        count++;
    const enum bl_status status =
        bl_session_kernel(target->session, &source, &kernel, target->error);
    return status == BL_OK ? bl_session_launch(target->session, kernel, &groups, launch->arguments,
                                               count, timing, target->error)
                           : status;
}

enum bl_status bl_target_run(struct bl_device_target *target, const struct bl_device_launch *launch)
{
    struct bl_timing timing;
    return launch_kernel(target, launch, &timing);
}

enum bl_status bl_target_time(struct bl_device_target *target, struct bl_device_launch *launch,
                              uint32_t rounds, double *ns)
{
    struct bl_timing timing = {0};
    launch->rounds = rounds;
    enum bl_status status = launch_kernel(target, launch, &timing);
    if (status == BL_OK)
        status = bl_timing_check(&timing, target->device->timer_resolution_ns, target->error);
    *ns = (double)(timing.end_ns - timing.start_ns);
    return status == BL_OK && launch->after ? launch->after(target, launch) : status;
}

static struct bl_known_probe *find_known(struct bl_device_target *target, uint64_t hash)
{
    for (size_t i = 0; i < BL_KNOWN_PROBES; i++) {
        struct bl_known_probe *known = &target->known[(hash + i) % BL_KNOWN_PROBES];
        if (known->rounds == 0 || known->hash == hash)
            return known;
    }
    return &target->known[hash % BL_KNOWN_PROBES]; /* the table is full: replace an entry */
}

bool bl_target_knows(struct bl_device_target *target, uint64_t hash)
{
    const struct bl_known_probe *known = find_known(target, hash);
    return known->rounds != 0 && known->hash == hash;
}

static enum bl_status find_rounds(struct bl_device_target *target, struct bl_device_launch *launch,
                                  uint32_t min, uint32_t max, uint32_t *rounds)
{
    double ns;
    *rounds = min;
    enum bl_status status = bl_target_time(target, launch, *rounds, &ns);
    while (status == BL_OK && ns < target->launch_ns / 2 && *rounds < max) {
        /* The estimate may be too low but never too high, because a launch has a fixed overhead. */
        const double more = fmin(8, fmax(1.5, ns > 0 ? target->launch_ns / ns : 8));
        *rounds = (uint32_t)fmin(more * *rounds, max);
        status = bl_target_time(target, launch, *rounds, &ns);
    }
    return status;
}

enum bl_status bl_target_sample(struct bl_device_target *target, struct bl_device_launch *launch,
                                uint64_t hash, uint32_t min, uint32_t max, double *ns)
{
    struct bl_known_probe *known = find_known(target, hash);
    if (known->hash != hash || known->rounds == 0) {
        uint32_t rounds;
        const enum bl_status status = find_rounds(target, launch, min, max, &rounds);
        if (status != BL_OK)
            return status;
        *known = (struct bl_known_probe){hash, rounds};
    }
    /* If something else uses the device, the shorter launch may now and then take longer than the
     * other. */
    for (unsigned tries = 0; tries < TRIES; tries++) {
        double shorter_ns, longer_ns;
        enum bl_status status = bl_target_time(target, launch, known->rounds, &shorter_ns);
        if (status == BL_OK)
            status = bl_target_time(target, launch, known->rounds * BL_TIMES, &longer_ns);
        if (status != BL_OK)
            return status;
        *ns = (longer_ns - shorter_ns) / ((double)known->rounds * (BL_TIMES - 1));
        if (*ns > 0)
            return BL_OK;
    }
    return bl_fail(target->error, BL_BAD_CLOCK,
                   "four times the work did not lengthen the launch; the clock or the kernel "
                   "cannot be trusted");
}

/* Finds an array's address. Some drivers choose it only at the array's first use. */
static enum bl_status find_address(struct bl_device_target *target, unsigned i)
{
    const uint32_t rounds = 0;
    const int32_t zero = 0;
    const struct bl_device_launch launch = {"address.cl", "address", .groups = 1, .group_items = 1,
                                            .arguments = {{.array = target->arrays[i]},
                                                          {.array = target->outputs},
                                                          BL_VALUE(rounds),
                                                          BL_VALUE(zero)}};
    uint32_t halves[2];
    enum bl_status status = bl_target_run(target, &launch);
    if (status == BL_OK)
        status = bl_device_array_read(target->session, target->outputs, 0, sizeof halves, halves,
                                      target->error);
    if (status == BL_OK)
        target->limits.arrays[i].address = (uint64_t)halves[1] << 32 | halves[0];
    return status;
}

static enum bl_status fill(struct bl_device_target *target, const struct bl_device_array *array,
                           uint32_t bytes)
{
    const uint32_t words = bytes / 4;
    const struct bl_device_launch launch = {"infer_fill.cl", "fill", .groups = 256,
                                            .group_items = 64,
                                            .arguments = {{.array = array}, BL_VALUE(words)}};
    return bl_target_run(target, &launch);
}

/* Allocates array i with up to max_bytes; tries smaller sizes if that fails. */
static enum bl_status make_array(struct bl_device_target *target, unsigned i, uint64_t max_bytes)
{
    const uint64_t max = target->device->max_buffer_bytes;
    uint64_t bytes = max_bytes < max ? max_bytes : max;
    enum bl_status status;
    do {
        bytes &= ~(uint64_t)0xFFFF;
        status =
            bl_device_array_make(target->session, (size_t)bytes, &target->arrays[i], target->error);
        if (status == BL_OK)
            status = find_address(target, i);
        if (status == BL_OK) {
            target->limits.arrays[i].bytes = bytes;
            return BL_OK;
        }
        bl_device_array_release(target->session, target->arrays[i]);
        target->arrays[i] = NULL;
        bytes = bytes / 8 * 7;
    } while (status == BL_OPENCL_FAILED && bytes >= LEAST_ARRAY && bytes > max_bytes / 8);
    return status;
}

static enum bl_status make_arrays(struct bl_device_target *target, uint64_t max_bytes)
{
    struct bl_session *session = target->session;
    enum bl_status status = bl_device_array_make(session, BL_MAX_OUTPUTS * sizeof(uint32_t),
                                                 &target->outputs, target->error);
    if (status == BL_OK)
        status = bl_device_array_make(session, sizeof(uint64_t) * BL_TABLES * BL_TABLE_ITEMS,
                                      &target->table, target->error);
    for (unsigned i = 0; i < BL_MAX_ARRAYS && max_bytes >= LEAST_ARRAY && status == BL_OK; i++) {
        status = make_array(target, i, max_bytes);
        max_bytes -= target->limits.arrays[i].bytes;
    }
    if (status == BL_OPENCL_FAILED && target->arrays[0])
        status = BL_OK; /* not enough memory is left for another array */
    if (status == BL_OK && !target->arrays[0])
        status = bl_fail(target->error, BL_OPENCL_FAILED,
                         "an inference needs an array of at least 64 MiB, which %s cannot allocate",
                         target->device->name);
    if (status == BL_OK)
        status = bl_device_array_make(session, CONSTANT_BYTES, &target->constant, target->error);
    if (status == BL_OK)
        status = fill(target, target->constant, CONSTANT_BYTES);
    return status == BL_OK ? fill(target, target->arrays[0], BL_HOME_BYTES) : status;
}

enum bl_status bl_device_target_open(struct bl_session *session, const struct bl_device *device,
                                     uint64_t max_bytes, struct bl_device_target **opened,
                                     struct bl_target *target, struct bl_error *error)
{
    struct bl_device_target *made = *opened = calloc(1, sizeof *made);
    if (!made)
        return bl_fail(error, BL_NO_MEMORY, "no memory for an inference");
    made->session = session;
    made->device = device;
    made->error = error;
    made->launch_ns = bl_launch_length_ns(device->timer_resolution_ns / 4,
                                          device->type == BL_DEVICE_CPU ? 1e6 : 1.2e5);
    made->limits.local_bytes = device->local_bytes;
    made->limits.max_group_items = (unsigned)device->max_group_items;
    made->limits.groups_to_fill = 8 * device->compute_units;
    if (made->limits.groups_to_fill > BL_MAX_OUTPUTS / BL_PROBE_GROUP_ITEMS)
        made->limits.groups_to_fill = BL_MAX_OUTPUTS / BL_PROBE_GROUP_ITEMS;
    const enum bl_status status =
        device->max_group_items < BL_TABLE_ITEMS
            ? bl_fail(error, BL_OPENCL_FAILED,
                      "an inference needs groups of %d work-items, but %s takes at most %zu",
                      BL_TABLE_ITEMS, device->name, device->max_group_items)
            : make_arrays(made, max_bytes);
    *target = (struct bl_target){.context = made,
                                 .limits = made->limits,
                                 .lanes = bl_sample_lanes,
                                 .chase = bl_sample_chase,
                                 .stream = bl_sample_stream,
                                 .occupancy = bl_sample_occupancy,
                                 .barrier = bl_sample_barrier,
                                 .reads = bl_sample_reads,
                                 .chain = bl_sample_chain,
                                 .start = bl_sample_start};
    return status;
}

void bl_device_target_close(struct bl_device_target *opened)
{
    if (!opened)
        return;
    for (unsigned i = 0; i < BL_MAX_ARRAYS; i++)
        bl_device_array_release(opened->session, opened->arrays[i]);
    bl_device_array_release(opened->session, opened->table);
    bl_device_array_release(opened->session, opened->outputs);
    bl_device_array_release(opened->session, opened->list);
    bl_device_array_release(opened->session, opened->constant);
    free(opened->linked.list);
    free(opened);
}
