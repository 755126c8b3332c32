/* The OpenCL device as the target of an inference (target.h): opens the device, allocates arrays,
 * and takes samples of the timing probes (kernels/infer_time.cl), streams and barriers. The timing
 * probes, except empty launches, check what their kernels computed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "infer/device_inside.h"
#include "measure/sampler.h"
#include "measure/stats.h"

enum { MIN_ROUNDS = 2, MAX_ROUNDS = 1 << 20, HOPS = 16 };

static const int32_t zero = 0;
static const char kernels[] = "infer_time.cl";

static uint32_t read_end(struct bl_device_target *target, enum bl_status *status)
{
    uint32_t end = 0;
    if (*status == BL_OK)
        *status =
            bl_device_array_read(target->session, target->outputs, sizeof end, &end, target->error);
    return end;
}

static enum bl_status compare(struct bl_device_target *target, const char *what, uint32_t expected)
{
    enum bl_status status = BL_OK;
    const uint32_t end = read_end(target, &status);
    if (status != BL_OK || end == expected)
        return status;
    return bl_fail(target->error, BL_WRONG_RESULT, "%s ended with %#x, but %#x was expected", what,
                   end, expected);
}

/* Probes with chains of requests (struct bl_reads_probe). */

/* The kernel's layout_t, in words of 4 bytes. The kernel's file explains the members. */
struct layout {
    uint32_t first, places, inner, place_pitch, block_pitch, lines, line_pitch, spacing, line_words,
        begin, further, apart, unused[4];
};

struct lane_chains {
    const struct bl_reads_probe *probe;
    struct layout layout;
    struct bl_device_launch launch;
};

static uint32_t place_at(const struct layout *layout, uint64_t hops, uint64_t chain)
{
    const unsigned __int128 passed =
        (unsigned __int128)hops * layout->further + (unsigned __int128)chain * layout->apart;
    return layout->places ? (uint32_t)(passed % layout->places) : 0;
}

/* The index of the word that the first lane reads at a place. */
static uint32_t word_of(const struct layout *layout, uint32_t place)
{
    return layout->first + place / layout->inner * layout->block_pitch +
           place % layout->inner * layout->place_pitch;
}

/* Checks where the chains of the first sub-group's first lane ended. Chains of reads continue there
 * in the next launch. */
static enum bl_status go_on(struct bl_device_target *target, struct bl_device_launch *launch)
{
    struct lane_chains *chains = launch->context;
    struct layout *layout = &chains->layout;
    const uint64_t hops = (uint64_t)launch->rounds * HOPS;
    uint32_t sum = 0;
    if (chains->probe->is_written)
        return compare(target, "a chain of writes and reads",
                       place_at(layout, hops, 0) * layout->block_pitch);
    target->lane_hops += hops;
    for (unsigned j = 0; j < chains->probe->reads; j++)
        sum += word_of(layout, place_at(layout, target->lane_hops, j));
    layout->begin = place_at(layout, target->lane_hops, 0);
    return compare(target, "a chain of requests", sum);
}

/* The largest power of two up to this number. The kernel that writes needs a power of two as the
 * number of places, because it avoids divisions. */
static uint32_t power_below(uint64_t number)
{
    uint32_t power = 1;
    while ((uint64_t)power * 2 <= number)
        power *= 2;
    return power;
}

static enum bl_status lay_out(const struct bl_device_target *target,
                              const struct bl_reads_probe *probe, unsigned *array,
                              struct layout *layout)
{
    uint64_t offset;
    const enum bl_status status = bl_target_locate(target, probe->address, array, &offset);
    if (status != BL_OK)
        return status;
    /* If the lines of a place are far apart, lines of other places lie between them. */
    const uint32_t line = probe->line_bytes, pitch = probe->line_pitch_bytes,
                   inner = pitch >= BL_FAR_BYTES ? pitch / line : 1;
    const uint64_t block = (uint64_t)pitch * probe->lines, places = probe->bytes / block * inner;
    if (offset + probe->bytes > target->limits.arrays[*array].bytes || places == 0 ||
        places > UINT32_MAX || (offset + probe->bytes) / 4 > UINT32_MAX)
        return bl_fail(target->error, BL_OUT_OF_RANGE, "chains extend beyond their array");
    *layout = (struct layout){
        .first = (uint32_t)(offset / 4),
        .places = probe->is_written ? power_below(places) : (uint32_t)places,
        .inner = inner,
        .place_pitch = line / 4,
        .block_pitch = (uint32_t)(block / 4),
        .lines = probe->lines,
        .line_pitch = pitch / 4,
        .spacing = probe->is_first_word ? 0 : 1,
        .line_words = line / 4,
    };
    layout->further = bl_chain_further(layout->places);
    return BL_OK;
}

/* Links the places, unless they are linked already. */
static enum bl_status link_lanes(struct bl_device_target *target, const char *options,
                                 const struct bl_device_array *array, struct layout *layout)
{
    const uint64_t hash = bl_probe_hash(options, layout, sizeof *layout);
    enum bl_status status = BL_OK;
    if (target->linked_lanes != hash) {
        const struct bl_device_launch link = {
            kernels,
            "link_lanes",
            .options = options,
            .groups = target->limits.groups_to_fill,
            .group_items = 64,
            .arguments = {{.array = array}, {.value = layout, .bytes = sizeof *layout}}};
        target->linked.hash = 0;
        target->linked_lanes = 0;
        target->lane_hops = 0;
        status = bl_target_run(target, &link);
        target->linked_lanes = status == BL_OK ? hash : 0;
    }
    layout->begin = place_at(layout, target->lane_hops, 0);
    return status;
}

static void set_launch(struct bl_device_target *target, const struct bl_device_array *array,
                       const char *options, struct lane_chains *chains)
{
    const struct bl_reads_probe *probe = chains->probe;
    struct bl_device_launch *launch = &chains->launch;
    const struct bl_argument layout = {.value = &chains->layout, .bytes = sizeof chains->layout},
                             ends = {.array = target->outputs};
    *launch = (struct bl_device_launch){
        kernels,
        probe->is_written ? "writes" : "reads",
        .options = options,
        .groups = probe->groups,
        .group_items = (size_t)probe->sub_groups * probe->lanes,
        .arguments = {{.array = array}, layout, BL_VALUE(launch->rounds), ends},
        .after = go_on,
        .context = chains};
    if (!probe->is_written)
        return;
    launch->arguments[4] = launch->arguments[3];
    launch->arguments[3] = launch->arguments[2];
    launch->arguments[2] = launch->arguments[1];
    launch->arguments[1] = launch->arguments[0];
}

static enum bl_status sample_reads(void *context, const void *probe_, double *value,
                                   struct bl_error *error)
{
    struct bl_device_target *target = context;
    const struct bl_reads_probe *probe = probe_;
    struct lane_chains chains = {.probe = probe};
    unsigned array;
    char options[64];
    target->error = error;
    enum bl_status status = lay_out(target, probe, &array, &chains.layout);
    if (status != BL_OK)
        return status;
    if ((uint64_t)probe->groups * probe->sub_groups * probe->lanes > BL_MAX_OUTPUTS)
        return bl_fail(error, BL_OUT_OF_RANGE, "a probe needs more than %d work-items",
                       BL_MAX_OUTPUTS);
    snprintf(options, sizeof options, "-DLANES=%u -DREADS=%u", probe->lanes, probe->reads);
    const struct bl_device_array *data = target->arrays[array];
    if (!probe->is_written)
        status = link_lanes(target, options, data, &chains.layout);
    else
        target->linked.hash = target->linked_lanes = 0;
    /* Chains begin at places that are spread over the working set. */
    chains.layout.apart = bl_chain_further(chains.layout.further);
    set_launch(target, data, options, &chains);
    const uint64_t numbers[] = {probe->bytes,      probe->lines,        probe->line_pitch_bytes,
                                probe->is_written, probe->reads,        probe->sub_groups,
                                probe->groups,     probe->is_first_word};
    if (status == BL_OK)
        status = bl_target_sample(target, &chains.launch,
                                  bl_probe_hash("reads", numbers, sizeof numbers), MIN_ROUNDS,
                                  MAX_ROUNDS, value);
    *value /= HOPS;
    return status;
}

/* Dependent operations. */

enum { TILE = 1024, TILE_FURTHER = 619, STEPS = 64 };

static const uint32_t a = 0x9E3779B9, b = 0x7FEB352D;
static const float one = 1;

static enum bl_status check_local(struct bl_device_target *target, struct bl_device_launch *launch)
{
    return compare(target, "a chain in local memory",
                   (uint32_t)((uint64_t)launch->rounds * HOPS * TILE_FURTHER % TILE));
}

static enum bl_status check_integers(struct bl_device_target *target,
                                     struct bl_device_launch *launch)
{
    uint32_t x = 0;
    for (uint64_t step = 0; step < (uint64_t)launch->rounds * STEPS; step++)
        x = (x ^ a) + b;
    return compare(target, "a chain of additions", x);
}

/* A float that is incremented by 1 counts exactly up to 2^24, and then stays at 2^24. */
static enum bl_status check_floats(struct bl_device_target *target, struct bl_device_launch *launch)
{
    const uint64_t steps = (uint64_t)launch->rounds * STEPS, most = 1 << 24;
    const float x = (float)(steps < most ? steps : most);
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return compare(target, "a chain of additions of floats", bits);
}

static enum bl_status sample_chain(void *context, const void *probe_, double *value,
                                   struct bl_error *error)
{
    struct bl_device_target *target = context;
    const struct bl_chain_probe *probe = probe_;
    struct bl_device_launch launch;
    const struct bl_argument rounds = BL_VALUE(launch.rounds), ends = {.array = target->outputs};
    const struct bl_device_launch launches[] = {
        [BL_CHAIN_LOCAL] = {kernels, "local_chain",
                            .arguments = {{.bytes = TILE * sizeof a}, rounds, ends},
                            .after = check_local},
        [BL_CHAIN_INTEGER] = {kernels, "integers",
                              .arguments = {BL_VALUE(a), BL_VALUE(b), rounds, ends},
                              .after = check_integers},
        [BL_CHAIN_FLOAT] = {kernels, "floats", .arguments = {BL_VALUE(one), rounds, ends},
                            .after = check_floats},
    };
    static const unsigned operations[] = {HOPS, 2 * STEPS, STEPS}; /* operations per round */
    launch = launches[probe->of];
    launch.groups = 1;
    launch.group_items = probe->items ? probe->items : 1;
    target->error = error;
    const enum bl_status status =
        bl_target_sample(target, &launch, bl_probe_hash("chain", probe, sizeof *probe), MIN_ROUNDS,
                         MAX_ROUNDS, value);
    *value /= operations[probe->of];
    return status;
}

static enum bl_status sample_start(void *context, const void *probe_, double *value,
                                   struct bl_error *error)
{
    struct bl_device_target *target = context;
    const struct bl_start_probe *probe = probe_;
    struct bl_device_launch launch = {
        kernels, "nothing", .groups = probe->groups, .group_items = probe->group_items,
        .arguments = {BL_VALUE(launch.rounds), {.array = target->outputs}}};
    target->error = error;
    return bl_target_time(target, &launch, 1, value);
}

/* Launches behind a launch that keeps the device busy. */

static double event_ns(const struct bl_timing *timing)
{
    return (double)timing->end_ns - (double)timing->start_ns;
}

/* Checks the times that the device's clock measured. A queued launch does nothing, so it may start
 * and end in the same tick; then it is not checked. */
static enum bl_status check_queue(struct bl_device_target *target,
                                  const struct bl_queue_timing *timing)
{
    const double resolution_ns = target->device->timer_resolution_ns;
    enum bl_status status = bl_timing_check(&timing->first, resolution_ns, target->error);
    for (unsigned i = 0; i < BL_QUEUED_LAUNCHES && status == BL_OK; i++)
        if (timing->queued[i].end_ns != timing->queued[i].start_ns)
            status = bl_timing_check(&timing->queued[i], resolution_ns, target->error);
    return status;
}

static enum bl_status queue_once(struct bl_device_target *target,
                                 const struct bl_queue_probe *probe, struct bl_queue_timing *timing)
{
    struct bl_device_launch
        busy = {kernels,
                "floats",
                .groups = 1,
                .group_items = 1,
                .rounds = target->busy_rounds,
                .arguments = {BL_VALUE(one), BL_VALUE(busy.rounds), {.array = target->outputs}}},
        behind = {kernels,     "nothing",
                  .groups = 1, .group_items = probe->group_items,
                  .rounds = 1, .arguments = {BL_VALUE(behind.rounds), {.array = target->outputs}}};
    enum bl_status status = bl_target_queue(target, &busy, &behind, BL_QUEUED_LAUNCHES, timing);
    if (status == BL_OK)
        status = check_queue(target, timing);
    return status == BL_OK ? check_floats(target, &busy) : status;
}

/* Lengthens the first launch until all other launches are enqueued before it ends. Lengthens it
 * gradually, because a single interruption of the host may have delayed the enqueueing. */
static enum bl_status queue_behind_busy(struct bl_device_target *target,
                                        const struct bl_queue_probe *probe,
                                        struct bl_queue_timing *timing)
{
    enum { TRIES = 12, FEW_ROUNDS = 64, TIMES = 4 };
    enum bl_status status = BL_OK;
    if (target->busy_rounds == 0) { /* drivers do more work at a kernel's first launch */
        target->busy_rounds = FEW_ROUNDS;
        status = queue_once(target, probe, timing);
    }
    for (unsigned tries = 0; tries < TRIES && status == BL_OK; tries++) {
        status = queue_once(target, probe, timing);
        const double enqueued_ns = (double)timing->all_ns, busy_ns = event_ns(&timing->first);
        if (status != BL_OK || busy_ns >= enqueued_ns)
            return status;
        const double more = fmin(TIMES, 2 * enqueued_ns / busy_ns);
        target->busy_rounds = (uint32_t)fmin(more * target->busy_rounds, MAX_ROUNDS);
    }
    return status == BL_OK ? bl_fail(target->error, BL_OUT_OF_RANGE,
                                     "no launch lasts until others are enqueued behind it")
                           : status;
}

static enum bl_status sample_queue(void *context, const void *probe_, double *value,
                                   struct bl_error *error)
{
    struct bl_device_target *target = context;
    const struct bl_queue_probe *probe = probe_;
    struct bl_queue_timing timing = {.all_ns = 0};
    double ns[BL_QUEUED_LAUNCHES];
    target->error = error;
    const enum bl_status status = queue_behind_busy(target, probe, &timing);
    for (unsigned i = 0; i < BL_QUEUED_LAUNCHES; i++)
        ns[i] = event_ns(&timing.queued[i]);
    *value = probe->is_host_time ? (double)timing.queued_ns / BL_QUEUED_LAUNCHES
                                 : bl_median(ns, BL_QUEUED_LAUNCHES);
    return status;
}

/* Streams and barriers. */

enum { READS = 8, STREAM_ITEMS = 256, BARRIERS = 32 };

static enum bl_status sample_stream(void *context, const void *probe_, double *value,
                                    struct bl_error *error)
{
    struct bl_device_target *target = context;
    const struct bl_stream_probe *probe = probe_;
    const unsigned max = target->limits.max_group_items;
    const uint32_t groups = target->limits.groups_to_fill,
                   items = max < STREAM_ITEMS ? max : STREAM_ITEMS,
                   block_bytes = READS * 16 * items;
    const uint32_t blocks = (uint32_t)(probe->bytes / block_bytes);
    target->error = error;
    if (blocks == 0)
        return bl_fail(error, BL_OUT_OF_RANGE, "a stream is smaller than a block");
    /* If all compute units share the blocks, groups start at adjacent blocks and advance by the
     * number of groups. This step is made odd, so that each group visits all blocks if their number
     * is a power of two. If each unit reads all blocks, every group reads block after block from
     * the first. */
    const uint32_t begin = probe->is_for_each_unit ? 0 : 1;
    uint32_t further = (begin ? groups | 1 : 1) % blocks;
    if (further == 0 && blocks > 1)
        further = 1;
    struct bl_device_launch launch = {"infer_stream.cl", "stream", .groups = groups,
                                      .group_items = items,
                                      .arguments = {{.array = target->arrays[0]},
                                                    BL_VALUE(blocks),
                                                    BL_VALUE(begin),
                                                    BL_VALUE(further),
                                                    BL_VALUE(launch.rounds),
                                                    {.array = target->outputs},
                                                    BL_VALUE(zero)}};
    const uint32_t first =
        BL_HOME_BYTES / 16; /* after the bytes that other probes need unchanged */
    if (probe->is_write) {
        if (BL_HOME_BYTES + probe->bytes > target->limits.arrays[0].bytes)
            return bl_fail(error, BL_OUT_OF_RANGE, "a stream extends beyond its array");
        launch.name = "stream_writes";
        launch.arguments[5] = (struct bl_argument)BL_VALUE(first);
        target->linked.hash = target->linked_lanes = 0;
    }
    const uint64_t numbers[] = {probe->bytes, begin, probe->is_write};
    double ns = 0;
    const enum bl_status status =
        bl_target_sample(target, &launch, bl_probe_hash("stream", numbers, sizeof numbers),
                         MIN_ROUNDS, MAX_ROUNDS, &ns);
    if (status == BL_OK)
        *value = (double)((uint64_t)groups * block_bytes) / ns;
    return status;
}

static enum bl_status sample_barrier(void *context, const void *probe_, double *value,
                                     struct bl_error *error)
{
    struct bl_device_target *target = context;
    const struct bl_barrier_probe *probe = probe_;
    struct bl_device_launch launch = {"infer_barrier.cl", "barriers", .groups = 1,
                                      .group_items = probe->group_items,
                                      .arguments = {BL_VALUE(launch.rounds),
                                                    {.array = target->outputs},
                                                    {.bytes = probe->group_items * 4}}};
    target->error = error;
    const enum bl_status status =
        bl_target_sample(target, &launch, bl_probe_hash("barrier", probe, sizeof *probe),
                         MIN_ROUNDS, MAX_ROUNDS, value);
    if (status == BL_OK)
        *value /= BARRIERS;
    return status;
}

/* Opening the device. */

enum { CONSTANT_BYTES = 32768, LEAST_ARRAY = 64 << 20 };

/* Finds an array's address. Some drivers choose it only at the array's first use. */
static enum bl_status find_address(struct bl_device_target *target, unsigned i)
{
    const uint32_t rounds = 0;
    const struct bl_device_launch launch = {"address.cl", "address", .groups = 1, .group_items = 1,
                                            .arguments = {{.array = target->arrays[i]},
                                                          {.array = target->outputs},
                                                          BL_VALUE(rounds),
                                                          BL_VALUE(zero)}};
    uint32_t halves[2];
    enum bl_status status = bl_target_run(target, &launch);
    if (status == BL_OK)
        status = bl_device_array_read(target->session, target->outputs, sizeof halves, halves,
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
        return bl_fail(error, BL_NO_MEMORY,
                       "out of memory while opening the device for an inference");
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
                                 .stream = sample_stream,
                                 .occupancy = bl_sample_occupancy,
                                 .barrier = sample_barrier,
                                 .reads = sample_reads,
                                 .chain = sample_chain,
                                 .start = sample_start,
                                 .queue = sample_queue};
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
