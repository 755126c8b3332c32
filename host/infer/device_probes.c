/* The probes of an inference on an OpenCL device: requests lane by lane, pointer chases, groups
 * that are resident together, streams and barriers. Each checks that its kernel computed what it
 * must. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../kernels/numbers.h"
#include "base/text.h"
#include "infer/device_inside.h"

static const struct bl_rounds any_rounds = {2, 1u << 20};

static uint64_t hash_of(const char *kind, const uint64_t numbers[], size_t count)
{
    const uint64_t hash = bl_hash_add(BL_HASH_BEGIN, kind, strlen(kind));
    return bl_hash_add(hash, numbers, count * sizeof numbers[0]);
}

/* Requests lane by lane. */

enum { ACCESSES = 16, GROUP_ITEMS = BL_PROBE_GROUP_ITEMS };

struct lanes {
    struct bl_device_target *target;
    const struct bl_lanes_probe *probe;
    struct bl_kernel *kernel;
    size_t groups, group_items;
    uint64_t places[BL_TABLES * BL_TABLE_ITEMS]; /* as the kernel has them */
};

static unsigned add_arrays(const struct bl_device_target *target, unsigned count,
                           struct bl_argument arguments[])
{
    for (unsigned i = 0; i < count; i++) /* one that is not there is never chosen */
        arguments[i] = (struct bl_argument){.array = target->arrays[i] ? target->arrays[i]
                                                                       : target->arrays[0]};
    return count;
}

static enum bl_status launch_lanes(void *context, uint32_t rounds, struct bl_timing *timing,
                                   struct bl_error *error)
{
    const struct lanes *lanes = context;
    struct bl_device_target *target = lanes->target;
    const enum bl_memory memory = lanes->probe->memory;
    const uint32_t tables = lanes->probe->tables;
    const int32_t zero = 0;
    struct bl_argument arguments[BL_MAX_ARGUMENTS];
    unsigned count = add_arrays(target, memory == BL_MEMORY_LOCAL ? 1 : BL_MAX_ARRAYS, arguments);
    if (memory == BL_MEMORY_CONSTANT)
        arguments[0].array = target->constant;
    arguments[count++] = (struct bl_argument){.array = target->table};
    arguments[count++] = (struct bl_argument)BL_VALUE(tables);
    arguments[count++] = (struct bl_argument){.array = target->outputs};
    arguments[count++] = (struct bl_argument)BL_VALUE(rounds);
    arguments[count++] = (struct bl_argument)BL_VALUE(zero);
    return bl_target_launch(target, lanes->kernel, lanes->groups, lanes->group_items, arguments,
                            count, timing, error);
}

static enum bl_status find_kernel(struct lanes *lanes, struct bl_error *error)
{
    const struct bl_lanes_probe *probe = lanes->probe;
    static const char *const spaces[] = {"-DIN_GLOBAL", "-DIN_LOCAL", "-DIN_CONSTANT"};
    static const char *const accesses[] = {"", " -DWRITE", " -DADD"};
    char options[256];
    snprintf(options, sizeof options,
             "-DT=%s -DSCALAR=%s -DSTEP=%u -DITEMS=%d -DTILE_BYTES=%u %s%s", probe->type->name,
             probe->type->scalar, probe->step_bytes / probe->type->element_bytes, BL_TABLE_ITEMS,
             BL_TILE_BYTES + (BL_PROBE_STEPS - 1) * probe->step_bytes + 64, spaces[probe->memory],
             accesses[probe->access]);
    return bl_target_kernel(lanes->target, "infer_lanes.cl", "lanes", options, &lanes->kernel,
                            error);
}

static enum bl_status find_places(struct lanes *lanes, struct bl_error *error)
{
    const struct bl_lanes_probe *probe = lanes->probe;
    for (unsigned i = 0; i < probe->tables * BL_TABLE_ITEMS; i++) {
        const uint64_t place = probe->places[i / BL_TABLE_ITEMS][i % BL_TABLE_ITEMS];
        lanes->places[i] = place;
        if (place == BL_IDLE || probe->memory != BL_MEMORY_GLOBAL)
            continue;
        unsigned array;
        uint64_t offset;
        const enum bl_status status =
            bl_target_locate(lanes->target, place, &array, &offset, error);
        if (status != BL_OK)
            return status;
        lanes->places[i] = (uint64_t)array << 60 | offset;
    }
    return bl_device_array_write(lanes->target->session, lanes->target->table, 0,
                                 probe->tables * BL_TABLE_ITEMS * sizeof lanes->places[0],
                                 lanes->places, error);
}

static enum bl_status fill(const struct lanes *lanes, struct bl_error *error)
{
    struct bl_device_target *target = lanes->target;
    const struct bl_preparation filling = {"infer_fill.cl", "fill_places", lanes->probe->tables,
                                           BL_TABLE_ITEMS};
    const uint32_t places = lanes->probe->tables * BL_TABLE_ITEMS,
                   step_words = lanes->probe->step_bytes / 4;
    struct bl_argument arguments[BL_MAX_ARRAYS + 3];
    unsigned count = add_arrays(target, BL_MAX_ARRAYS, arguments);
    arguments[count++] = (struct bl_argument){.array = target->table};
    arguments[count++] = (struct bl_argument)BL_VALUE(places);
    arguments[count++] = (struct bl_argument)BL_VALUE(step_words);
    return bl_target_prepare(target, &filling, arguments, count, error);
}

static uint32_t word_at(uint64_t byte) { return HASHED_WORD((uint32_t)(byte / 4)); }

/* What SUM of kernels/elements.h makes of an element of the filled arrays: words, or less where it
 * is less; of a vector of 3 its components. */
static uint32_t sum_at(const struct bl_type *type, uint64_t byte)
{
    uint32_t sum = 0;
    if (type->access_bytes < 4)
        return word_at(byte) >> 8 * (byte % 4) & ((1u << 8 * type->access_bytes) - 1);
    for (uint64_t at = byte; at < byte + type->access_bytes; at += 4)
        sum += word_at(at);
    return sum;
}

static uint32_t expected(const struct bl_lanes_probe *probe, uint64_t place, uint32_t rounds)
{
    uint32_t sum = 0;
    for (uint64_t j = 0; j < BL_PROBE_STEPS; j++)
        sum += sum_at(probe->type, place + j * probe->step_bytes);
    return sum * (ACCESSES / BL_PROBE_STEPS) * rounds;
}

/* Each component of an element holds what some work-item wrote there in the last round: others may
 * have written it as their own, at another step. */
static bool is_written(const struct bl_lanes_probe *probe, uint32_t sum, uint32_t rounds)
{
    const uint32_t words = probe->type->access_bytes / 4;
    return sum >= words * (rounds - 1) && sum < words * (rounds - 1 + ACCESSES);
}

/* Launches once, and compares what the first groups found. */
static enum bl_status check(struct lanes *lanes, struct bl_error *error)
{
    const struct bl_lanes_probe *probe = lanes->probe;
    const uint32_t rounds = 3;
    const size_t items = lanes->group_items * (lanes->groups < 2 ? 1 : 2);
    uint32_t sums[2 * GROUP_ITEMS];
    memset(sums, 0x5A, sizeof sums);
    struct bl_timing timing;
    enum bl_status status = probe->memory == BL_MEMORY_GLOBAL ? fill(lanes, error) : BL_OK;
    if (status == BL_OK)
        status = bl_device_array_write(lanes->target->session, lanes->target->outputs, 0,
                                       items * sizeof sums[0], sums, error);
    if (status == BL_OK)
        status = launch_lanes(lanes, rounds, &timing, error);
    if (status == BL_OK)
        status = bl_device_array_read(lanes->target->session, lanes->target->outputs, 0,
                                      items * sizeof sums[0], sums, error);
    uint32_t added = 0, to_add = 0;
    for (size_t i = 0; i < items && status == BL_OK; i++) {
        const size_t group = i / lanes->group_items, item = i % lanes->group_items;
        const size_t table = (group + item / BL_TABLE_ITEMS) % probe->tables;
        const uint64_t place = lanes->places[table * BL_TABLE_ITEMS + item % BL_TABLE_ITEMS];
        added += sums[i];
        const uint32_t own = (uint32_t)(i % lanes->group_items) + 1;
        to_add += place == BL_IDLE ? 0 : ACCESSES * rounds * own;
        if (place == BL_IDLE || probe->access == BL_PROBE_ADD)
            continue;
        const uint64_t offset = place & ~((uint64_t)0xF << 60);
        const uint32_t right =
            probe->access == BL_PROBE_WRITE ? rounds - 1 : expected(probe, offset, rounds);
        if (probe->access == BL_PROBE_WRITE ? !is_written(probe, sums[i], rounds)
                                            : sums[i] != right)
            return bl_fail(error, BL_WRONG_RESULT,
                           "a probe in %s memory found %#x where it must find %#x",
                           bl_memory_name(probe->memory), sums[i], right);
    }
    if (status == BL_OK && probe->access == BL_PROBE_ADD && added != to_add)
        return bl_fail(error, BL_WRONG_RESULT, "additions came to %u, where %u is expected", added,
                       to_add);
    return status;
}

static enum bl_status probe_lanes(void *context, const struct bl_lanes_probe *probe, double *value,
                                  struct bl_error *error)
{
    struct bl_device_target *target = context;
    struct lanes lanes = {.target = target, .probe = probe};
    lanes.group_items =
        target->limits.max_group_items >= GROUP_ITEMS ? GROUP_ITEMS : BL_TABLE_ITEMS;
    lanes.groups = target->limits.groups_to_fill;
    if (probe->memory == BL_MEMORY_LOCAL)
        lanes.groups = (lanes.groups + 1) / 2; /* resident at once on any device */
    if (probe->sub_group_items) {
        lanes.group_items = probe->sub_group_items;
        lanes.groups = probe->groups;
    }
    lanes.groups = (lanes.groups + probe->tables - 1) / probe->tables * probe->tables;
    if (lanes.groups * lanes.group_items > BL_MAX_OUTPUTS)
        return bl_fail(error, BL_OUT_OF_RANGE, "a probe of more than %d work-items",
                       BL_MAX_OUTPUTS);
    uint64_t hash = bl_hash_add(BL_HASH_BEGIN, probe, offsetof(struct bl_lanes_probe, type));
    hash = bl_hash_add(hash, probe->type->name, strlen(probe->type->name));
    const unsigned numbers[] = {probe->step_bytes, probe->tables, probe->sub_group_items,
                                probe->groups};
    hash = bl_hash_add(hash, numbers, sizeof numbers);
    hash = bl_hash_add(hash, probe->places, probe->tables * sizeof probe->places[0]);
    enum bl_status status = find_kernel(&lanes, error);
    if (status == BL_OK)
        status = find_places(&lanes, error);
    if (status == BL_OK && !bl_target_knows(target, hash))
        status = check(&lanes, error);
    double ns = 0;
    if (status == BL_OK)
        status = bl_target_sample(target, hash, &any_rounds, launch_lanes, &lanes, &ns, error);
    *value = ns / ACCESSES / ((double)(lanes.groups * lanes.group_items) / BL_TABLE_ITEMS);
    return status;
}

/* Pointer chases. */

enum { HOPS = 16, PART_HOPS = 8192 };

struct chase {
    struct bl_device_target *target;
    struct bl_kernel *kernel;
    struct bl_device_array *array;
    uint64_t offset; /* of the first place in the array */
    size_t groups;
    uint32_t apart; /* places from where a group begins to where the next one does */
    size_t local_bytes;
};

static uint32_t element_of(const struct bl_linked *linked, uint64_t offset, uint64_t place)
{
    const uint64_t number = linked->list ? linked->list[place] : place;
    return (uint32_t)((offset + number * linked->probe.pitch_bytes) / 4);
}

/* The element at which a chain is after so many hops. */
static uint32_t at_hop(const struct bl_linked *linked, uint64_t offset, uint64_t hops)
{
    const struct bl_chase_probe *probe = &linked->probe;
    const uint64_t visits = probe->second_bytes ? hops / 2 : hops;
    const uint64_t place =
        linked->list ? visits % probe->places
                     : (uint64_t)((unsigned __int128)visits * linked->further % probe->places);
    const uint32_t element = element_of(linked, offset, place);
    return probe->second_bytes && hops % 2 ? element + (uint32_t)(probe->second_bytes / 4)
                                           : element;
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Steps by the golden ratio leave no neighbours and reach all places when the two have no divisor
 * in common. */
static uint32_t further_of(uint64_t places)
{
    uint64_t further = (uint64_t)(0.6180339887 * (double)places);
    further = further ? further : 1;
    while (greatest_common_divisor(further, places) != 1)
        further++;
    return (uint32_t)(further % places ? further % places : places);
}

static enum bl_status link_places(struct chase *chase, const struct bl_chase_probe *probe,
                                  struct bl_error *error)
{
    struct bl_device_target *target = chase->target;
    struct bl_linked *linked = &target->linked;
    const struct bl_preparation link = {"infer_chase.cl", "link", target->limits.groups_to_fill,
                                        64};
    const uint32_t first = (uint32_t)(chase->offset / 4), places = (uint32_t)probe->places,
                   pitch = (uint32_t)(probe->pitch_bytes / 4),
                   second = (uint32_t)(probe->second_bytes / 4);
    linked->further = further_of(probe->places);
    const struct bl_argument arguments[] = {
        {.array = chase->array}, BL_VALUE(first),           BL_VALUE(places),
        BL_VALUE(pitch),         BL_VALUE(linked->further), BL_VALUE(second),
    };
    return bl_target_prepare(target, &link, arguments, 6, error);
}

static enum bl_status link_list(struct chase *chase, const struct bl_chase_probe *probe,
                                struct bl_error *error)
{
    static const struct bl_preparation link = {"infer_chase.cl", "link_list", 64, 64};
    struct bl_device_target *target = chase->target;
    struct bl_linked *linked = &target->linked;
    const size_t bytes = probe->places * sizeof(uint32_t);
    uint32_t *elements = malloc(bytes);
    linked->list = malloc(bytes);
    if (!elements || !linked->list) {
        free(elements);
        return bl_fail(error, BL_NO_MEMORY, "no memory for a chain");
    }
    memcpy(linked->list, probe->list, bytes);
    for (uint64_t i = 0; i < probe->places; i++)
        elements[i] = element_of(linked, chase->offset, i);
    bl_device_array_release(target->session, target->list);
    target->list = NULL;
    enum bl_status status = bl_device_array_make(target->session, bytes, &target->list, error);
    if (status == BL_OK)
        status = bl_device_array_write(target->session, target->list, 0, bytes, elements, error);
    free(elements);
    const uint32_t places = (uint32_t)probe->places;
    const struct bl_argument arguments[] = {
        {.array = chase->array}, {.array = target->list}, BL_VALUE(places)};
    return status == BL_OK ? bl_target_prepare(target, &link, arguments, 3, error) : status;
}

static uint64_t hash_of_chase(const struct bl_chase_probe *probe)
{
    const uint64_t numbers[] = {probe->address, probe->pitch_bytes, probe->places,
                                probe->second_bytes};
    const uint64_t hash = hash_of("chase", numbers, 4);
    return probe->list ? bl_hash_add(hash, probe->list, probe->places * sizeof probe->list[0])
                       : hash;
}

static enum bl_status launch_chase(void *context, uint32_t rounds, struct bl_timing *timing,
                                   struct bl_error *error)
{
    struct chase *chase = context;
    struct bl_device_target *target = chase->target;
    struct bl_linked *linked = &target->linked;
    const uint32_t begin = at_hop(linked, chase->offset, linked->hops);
    const uint32_t places = chase->groups > 1 ? (uint32_t)linked->probe.places : 1,
                   pitch = (uint32_t)(linked->probe.pitch_bytes / 4);
    const struct bl_argument arguments[] = {
        {.array = chase->array},    BL_VALUE(begin),
        BL_VALUE(places),           BL_VALUE(pitch),
        BL_VALUE(chase->apart),     BL_VALUE(rounds),
        {.array = target->outputs}, {.bytes = chase->local_bytes},
    };
    enum bl_status status =
        bl_target_launch(target, chase->kernel, chase->groups, 1, arguments, 8, timing, error);
    if (status != BL_OK || chase->groups > 1)
        return status;
    linked->hops += (uint64_t)rounds * HOPS;
    uint32_t end;
    status = bl_device_array_read(target->session, target->outputs, 0, sizeof end, &end, error);
    const uint32_t right = at_hop(linked, chase->offset, linked->hops);
    if (status == BL_OK && end != right)
        return bl_fail(error, BL_WRONG_RESULT, "a chain of reads ended at %u where %u is expected",
                       end, right);
    return status;
}

/* All groups together go round once: what a cache that they share can hold is in it then. */
static enum bl_status go_round_once(struct chase *chase, struct bl_error *error)
{
    const struct bl_linked *linked = &chase->target->linked;
    const uint64_t places = linked->probe.places;
    const uint64_t hops = places * (linked->probe.second_bytes ? 2 : 1);
    struct chase together = *chase;
    together.groups = chase->target->limits.groups_to_fill;
    const uint64_t rounds = hops / (together.groups * HOPS) + 1;
    const uint64_t visits = rounds * HOPS / (linked->probe.second_bytes ? 2 : 1);
    together.apart =
        (uint32_t)((unsigned __int128)visits * (linked->list ? 1 : linked->further) % places);
    struct bl_timing timing;
    return linked->list ? BL_OK : launch_chase(&together, (uint32_t)rounds, &timing, error);
}

/* Makes the chain, unless it is there, and the kernel. */
static enum bl_status prepare_chase(struct chase *chase, const struct bl_chase_probe *probe,
                                    struct bl_error *error)
{
    struct bl_device_target *target = chase->target;
    struct bl_linked *linked = &target->linked;
    unsigned array;
    enum bl_status status = bl_target_locate(target, probe->address, &array, &chase->offset, error);
    if (status == BL_OK)
        status = bl_target_kernel(target, "infer_chase.cl", "chase", "", &chase->kernel, error);
    if (status != BL_OK)
        return status;
    const uint64_t end = chase->offset + probe->places * probe->pitch_bytes + probe->second_bytes;
    if (!probe->list && (end > target->limits.arrays[array].bytes || end / 4 > UINT32_MAX))
        return bl_fail(error, BL_OUT_OF_RANGE, "a chain that leaves its array");
    chase->array = target->arrays[array];
    const uint64_t hash = hash_of_chase(probe);
    if (linked->hash == hash)
        return BL_OK;
    free(linked->list);
    *linked = (struct bl_linked){.probe = *probe, .hash = hash};
    linked->probe.list = NULL;
    status = probe->list ? link_list(chase, probe, error) : link_places(chase, probe, error);
    if (status == BL_OK && probe->places > BL_WALKED_PLACES)
        status = go_round_once(chase, error);
    if (status != BL_OK)
        linked->hash = 0;
    return status;
}

static enum bl_status probe_chase(void *context, const struct bl_chase_probe *probe, double *value,
                                  struct bl_error *error)
{
    struct chase chase = {.target = context, .groups = 1, .local_bytes = 16};
    /* A cache may be empty when a launch begins: the shorter one goes round once, and what the
     * longer one has more is what the cache then holds. Of a chain that is not walked round enough
     * is read to meet caches as often as all of it would. */
    const uint64_t hops = probe->places * (probe->second_bytes ? 2 : 1);
    const uint64_t once =
        ((probe->places <= BL_WALKED_PLACES ? hops : PART_HOPS) + HOPS - 1) / HOPS;
    const struct bl_rounds limits = {(uint32_t)(once < 2 ? 2 : once), 1u << 16};
    enum bl_status status = prepare_chase(&chase, probe, error);
    if (status == BL_OK)
        status = bl_target_sample(chase.target, hash_of_chase(probe), &limits, launch_chase, &chase,
                                  value, error);
    if (status == BL_OK)
        *value /= HOPS;
    return status;
}

static enum bl_status probe_occupancy(void *context, const struct bl_occupancy_probe *probe,
                                      double *value, struct bl_error *error)
{
    enum { PLACES = 16384, PITCH = 256, ROUNDS = 48 };
    struct bl_device_target *target = context;
    struct chase chase = {
        .target = target, .groups = 2, .apart = 7919, .local_bytes = probe->local_bytes};
    const struct bl_chase_probe chain = {
        .address = target->limits.arrays[0].address + BL_HOME_BYTES,
        .pitch_bytes = PITCH,
        .places = PLACES,
    };
    enum bl_status status = prepare_chase(&chase, &chain, error);
    double took[2];
    for (int i = 0; i < 2 && status == BL_OK; i++) {
        struct bl_timing timing = {0};
        chase.groups = i == 0 ? 2 : probe->groups < 2 ? 2 : probe->groups;
        status = launch_chase(&chase, ROUNDS, &timing, error);
        took[i] = (double)(timing.end_ns - timing.start_ns);
    }
    if (status == BL_OK)
        *value = took[1] / took[0];
    return status;
}

/* Streams and barriers. */

enum { READS = 8, STREAM_ITEMS = 256, BARRIERS = 32 };

struct stream {
    struct bl_device_target *target;
    struct bl_kernel *kernel;
    size_t groups, group_items;
    uint32_t blocks, begin, further;
};

static enum bl_status launch_stream(void *context, uint32_t rounds, struct bl_timing *timing,
                                    struct bl_error *error)
{
    const struct stream *stream = context;
    const int32_t zero = 0;
    const struct bl_argument arguments[] = {
        {.array = stream->target->arrays[0]},
        BL_VALUE(stream->blocks),
        BL_VALUE(stream->begin),
        BL_VALUE(stream->further),
        BL_VALUE(rounds),
        {.array = stream->target->outputs},
        BL_VALUE(zero),
    };
    return bl_target_launch(stream->target, stream->kernel, stream->groups, stream->group_items,
                            arguments, 7, timing, error);
}

static enum bl_status probe_stream(void *context, const struct bl_stream_probe *probe,
                                   double *value, struct bl_error *error)
{
    struct bl_device_target *target = context;
    struct stream stream = {.target = target, .groups = target->limits.groups_to_fill};
    const unsigned max = target->limits.max_group_items;
    stream.group_items = max < STREAM_ITEMS ? max : STREAM_ITEMS;
    const size_t block_bytes = READS * 16 * stream.group_items;
    stream.blocks = (uint32_t)(probe->bytes / block_bytes);
    if (stream.blocks == 0)
        return bl_fail(error, BL_OUT_OF_RANGE, "a stream of less than a block");
    /* Odd numbers, so that each block has its turn where their number is a power of two; groups
     * then go on side by side, each by as much as all of them are apart. */
    stream.begin = probe->is_for_each_unit ? 0 : 1;
    stream.further = probe->is_for_each_unit ? 1 : (uint32_t)(stream.groups | 1);
    stream.further = stream.blocks > 1 ? stream.further % stream.blocks : 0;
    if (stream.further == 0 && stream.blocks > 1)
        stream.further = 1;
    const uint64_t hash = hash_of("stream", (uint64_t[]){probe->bytes, probe->is_for_each_unit}, 2);
    enum bl_status status =
        bl_target_kernel(target, "infer_stream.cl", "stream", "", &stream.kernel, error);
    double ns = 0;
    if (status == BL_OK)
        status = bl_target_sample(target, hash, &any_rounds, launch_stream, &stream, &ns, error);
    if (status == BL_OK)
        *value = (double)(stream.groups * block_bytes) / ns;
    return status;
}

struct barrier {
    struct bl_device_target *target;
    struct bl_kernel *kernel;
    size_t group_items;
};

static enum bl_status launch_barrier(void *context, uint32_t rounds, struct bl_timing *timing,
                                     struct bl_error *error)
{
    const struct barrier *barrier = context;
    const struct bl_argument arguments[] = {
        BL_VALUE(rounds),
        {.array = barrier->target->outputs},
        {.bytes = barrier->group_items * 4},
    };
    return bl_target_launch(barrier->target, barrier->kernel, 1, barrier->group_items, arguments, 3,
                            timing, error);
}

static enum bl_status probe_barrier(void *context, const struct bl_barrier_probe *probe,
                                    double *value, struct bl_error *error)
{
    struct barrier barrier = {.target = context, .group_items = probe->group_items};
    const uint64_t hash = hash_of("barrier", (uint64_t[]){probe->group_items}, 1);
    enum bl_status status = bl_target_kernel(barrier.target, "infer_barrier.cl", "barriers", "",
                                             &barrier.kernel, error);
    if (status == BL_OK)
        status = bl_target_sample(barrier.target, hash, &any_rounds, launch_barrier, &barrier,
                                  value, error);
    if (status == BL_OK)
        *value /= BARRIERS;
    return status;
}

void bl_device_probes(struct bl_target *target)
{
    target->lanes = probe_lanes;
    target->chase = probe_chase;
    target->stream = probe_stream;
    target->occupancy = probe_occupancy;
    target->barrier = probe_barrier;
}
