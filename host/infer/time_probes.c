/* The probes of times on an OpenCL device (kernels/infer_time.cl): requests that wait for each
 * other, dependent operations, and launches that do nothing. Each checks what its kernel found. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "infer/device_inside.h"

enum { MIN_ROUNDS = 2, MAX_ROUNDS = 1 << 20, HOPS = 16 };

static const char kernels[] = "infer_time.cl";

static uint32_t read_end(struct bl_device_target *target, enum bl_status *status)
{
    uint32_t end = 0;
    if (*status == BL_OK)
        *status = bl_device_array_read(target->session, target->outputs, 0, sizeof end, &end,
                                       target->error);
    return end;
}

static enum bl_status compare(struct bl_device_target *target, const char *what, uint32_t expected)
{
    enum bl_status status = BL_OK;
    const uint32_t end = read_end(target, &status);
    if (status != BL_OK || end == expected)
        return status;
    return bl_fail(target->error, BL_WRONG_RESULT, "%s ended with %#x where %#x is expected", what,
                   end, expected);
}

/* Requests that wait for each other. */

/* What the kernel calls layout_t, in words of 4 bytes. */
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
    return (uint32_t)(passed % layout->places);
}

/* Of the first lane. */
static uint32_t word_of(const struct layout *layout, uint32_t place)
{
    return layout->first + place / layout->inner * layout->block_pitch +
           place % layout->inner * layout->place_pitch;
}

/* Compares where the chains of the first sub-group's first lane ended, and has the next launch go
 * on from there. */
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

/* A power of two, so that what is written needs no division. */
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
    /* Lines that are far apart have those of other places between them. */
    const uint32_t line = probe->line_bytes, pitch = probe->line_pitch_bytes,
                   inner = pitch >= BL_FAR_BYTES ? pitch / line : 1;
    const uint64_t block = (uint64_t)pitch * probe->lines, blocks = probe->bytes / block;
    if (offset + probe->bytes > target->limits.arrays[*array].bytes || blocks == 0 ||
        (offset + probe->bytes) / 4 > UINT32_MAX)
        return bl_fail(target->error, BL_OUT_OF_RANGE, "chains that leave their array");
    *layout = (struct layout){
        .first = (uint32_t)(offset / 4),
        .places = probe->is_written ? power_below(blocks) : (uint32_t)(blocks * inner),
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

/* Links the places, unless they are linked. */
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

enum bl_status bl_sample_reads(void *context, const void *probe_, double *value,
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
        return bl_fail(error, BL_OUT_OF_RANGE, "a probe of more than %d work-items",
                       BL_MAX_OUTPUTS);
    snprintf(options, sizeof options, "-DLANES=%u -DREADS=%u", probe->lanes, probe->reads);
    const struct bl_device_array *data = target->arrays[array];
    if (!probe->is_written)
        status = link_lanes(target, options, data, &chains.layout);
    else
        target->linked.hash = target->linked_lanes = 0;
    /* Chains begin all over the places. */
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

/* Floats count exactly up to 2^24, and stay there. */
static enum bl_status check_floats(struct bl_device_target *target, struct bl_device_launch *launch)
{
    const uint64_t steps = (uint64_t)launch->rounds * STEPS, most = 1 << 24;
    const float x = (float)(steps < most ? steps : most);
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return compare(target, "a chain of additions of floats", bits);
}

enum bl_status bl_sample_chain(void *context, const void *probe_, double *value,
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
    static const unsigned operations[] = {HOPS, 2 * STEPS, STEPS}; /* of a round */
    launch = launches[probe->of];
    launch.groups = launch.group_items = 1;
    target->error = error;
    const enum bl_status status =
        bl_target_sample(target, &launch, bl_probe_hash("chain", probe, sizeof *probe), MIN_ROUNDS,
                         MAX_ROUNDS, value);
    *value /= operations[probe->of];
    return status;
}

enum bl_status bl_sample_start(void *context, const void *probe_, double *value,
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
