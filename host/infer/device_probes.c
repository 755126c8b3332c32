/* Launches kernels on an OpenCL device for an inference, and takes samples of three kinds of
 * probes: requests given lane by lane, pointer chases and resident groups. A sample of the first
 * two kinds is the difference of two launches of different length, so that the fixed cost of a
 * launch cancels. Both kinds check what their kernels computed, because a wrong result would
 * otherwise only look like an odd time. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../kernels/numbers.h"
#include "base/text.h"
#include "infer/device_inside.h"
#include "measure/sampler.h"

enum { MIN_ROUNDS = 2, MAX_ROUNDS = 1 << 20, TRIES = 4 };

static const int32_t zero = 0;

/* Launches and samples. */

/* Builds the launch's kernel, unless it is built already. */
static enum bl_status prepare(struct bl_device_target *target,
                              const struct bl_device_launch *launch,
                              struct bl_kernel_launch *prepared)
{
    const struct bl_kernel_source source = {launch->file, launch->name,
                                            launch->options ? launch->options : "", NULL};
    *prepared = (struct bl_kernel_launch){.groups = {launch->groups, launch->group_items},
                                          .arguments = launch->arguments};
    unsigned *count = &prepared->argument_count;
    while (launch->arguments[*count].array || launch->arguments[*count].bytes)
        (*count)++;
    return bl_session_kernel(target->session, &source, &prepared->kernel, target->error);
}

static enum bl_status launch_kernel(struct bl_device_target *target,
                                    const struct bl_device_launch *launch, struct bl_timing *timing)
{
    struct bl_kernel_launch prepared;
    const enum bl_status status = prepare(target, launch, &prepared);
    return status == BL_OK ? bl_session_launch(target->session, &prepared, timing, target->error)
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

enum bl_status bl_target_queue(struct bl_device_target *target,
                               const struct bl_device_launch *first,
                               const struct bl_device_launch *behind, unsigned count,
                               struct bl_queue_timing *timing)
{
    struct bl_kernel_launch prepared[2];
    enum bl_status status = prepare(target, first, &prepared[0]);
    if (status == BL_OK)
        status = prepare(target, behind, &prepared[1]);
    return status == BL_OK ? bl_session_queue(target->session, &prepared[0], &prepared[1], count,
                                              timing, target->error)
                           : status;
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

/* Whether a probe with this hash was sampled before. */
static bool target_knows(struct bl_device_target *target, uint64_t hash)
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
        /* A launch also has a fixed overhead, so the estimated rounds may be too few but never too
         * many. */
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
    /* If another program uses the device, the shorter launch may occasionally take longer than the
     * longer launch. Then both are repeated. */
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

uint64_t bl_probe_hash(const char *kind, const void *probe, size_t bytes)
{
    return bl_hash_add(bl_hash_add(BL_HASH_BEGIN, kind, strlen(kind)), probe, bytes);
}

enum bl_status bl_target_locate(const struct bl_device_target *target, uint64_t address,
                                unsigned *array, uint64_t *offset)
{
    for (*array = 0; *array < BL_MAX_ARRAYS; (*array)++) {
        const struct bl_array_place *place = &target->limits.arrays[*array];
        *offset = address - place->address;
        if (address >= place->address && *offset < place->bytes)
            return BL_OK;
    }
    return bl_fail(target->error, BL_OUT_OF_RANGE, "there is no array at 0x%" PRIx64, address);
}

/* Probes of requests that are given as one address for each lane. */

enum { ACCESSES = 16, GROUP_ITEMS = BL_PROBE_GROUP_ITEMS };

/* Sets the arguments: first the arrays of global memory, then those in `others`. */
static void set_arguments(struct bl_device_launch *launch, const struct bl_device_target *target,
                          unsigned arrays, const struct bl_argument others[5])
{
    /* The first array replaces missing arrays, to which no place refers. */
    for (unsigned i = 0; i < arrays; i++)
        launch->arguments[i].array = target->arrays[target->arrays[i] ? i : 0];
    memcpy(launch->arguments + arrays, others, 5 * sizeof others[0]);
}

/* Converts a probe's places to the kernel's form, and writes them to places[] and to the device's
 * table. */
static enum bl_status find_places(struct bl_device_target *target,
                                  const struct bl_lanes_probe *probe, uint64_t places[])
{
    const unsigned count = probe->tables * BL_TABLE_ITEMS;
    enum bl_status status = BL_OK;
    for (unsigned i = 0; i < count && status == BL_OK; i++) {
        unsigned array;
        uint64_t offset;
        places[i] = probe->places[i / BL_TABLE_ITEMS][i % BL_TABLE_ITEMS];
        if (places[i] == BL_IDLE || probe->memory != BL_MEMORY_GLOBAL)
            continue;
        status = bl_target_locate(target, places[i], &array, &offset);
        places[i] = (uint64_t)array << 60 | offset;
    }
    return status == BL_OK ? bl_device_array_write(target->session, target->table,
                                                   count * sizeof places[0], places, target->error)
                           : status;
}

static enum bl_status fill(struct bl_device_target *target, const struct bl_lanes_probe *probe)
{
    const uint32_t places = probe->tables * BL_TABLE_ITEMS, step_words = probe->step_bytes / 4;
    const struct bl_argument others[5] = {
        {.array = target->table}, BL_VALUE(places), BL_VALUE(step_words)};
    struct bl_device_launch launch = {"infer_fill.cl", "fill_places", .groups = probe->tables,
                                      .group_items = BL_TABLE_ITEMS};
    set_arguments(&launch, target, BL_MAX_ARRAYS, others);
    return bl_target_run(target, &launch);
}

static uint32_t word_at(uint64_t byte) { return HASHED_WORD((uint32_t)(byte / 4)); }

/* The SUM (kernels/elements.h) of an element of the filled arrays. */
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

/* Whether each component of an element was written by some work-item in the last round. Components
 * may come from different work-items, because several may write the same element at different
 * steps. */
static bool is_written(const struct bl_lanes_probe *probe, uint32_t sum, uint32_t rounds)
{
    const uint32_t words = probe->type->access_bytes / 4;
    return sum >= words * (rounds - 1) && sum < words * (rounds - 1 + ACCESSES);
}

/* Checks the sums of the work-items of the first two groups. */
static enum bl_status compare_sums(const struct bl_device_target *target,
                                   const struct bl_lanes_probe *probe, const uint64_t places[],
                                   const struct bl_device_launch *launch, const uint32_t sums[])
{
    const size_t items = launch->group_items * (launch->groups < 2 ? 1 : 2);
    uint32_t added = 0, to_add = 0;
    for (size_t i = 0; i < items; i++) {
        const size_t group = i / launch->group_items, item = i % launch->group_items;
        const size_t table = (group + item / BL_TABLE_ITEMS) % probe->tables;
        const uint64_t place = places[table * BL_TABLE_ITEMS + item % BL_TABLE_ITEMS];
        added += sums[i];
        to_add += place == BL_IDLE ? 0 : ACCESSES * launch->rounds * (uint32_t)(item + 1);
        if (place == BL_IDLE || probe->access == BL_PROBE_ADD)
            continue;
        const bool is_write = probe->access == BL_PROBE_WRITE;
        const uint64_t offset = place & ~((uint64_t)0xF << 60);
        const uint32_t right =
            is_write ? launch->rounds - 1 : expected(probe, offset, launch->rounds);
        if (is_write ? !is_written(probe, sums[i], launch->rounds) : sums[i] != right)
            return bl_fail(target->error, BL_WRONG_RESULT,
                           "a probe in %s memory read %#x, but %#x was expected",
                           bl_memory_name(probe->memory), sums[i], right);
    }
    if (probe->access == BL_PROBE_ADD && added != to_add)
        return bl_fail(target->error, BL_WRONG_RESULT,
                       "the sum of additions is %u, but %u was expected", added, to_add);
    return BL_OK;
}

/* Runs one launch and checks the results. */
static enum bl_status check(struct bl_device_target *target, const struct bl_lanes_probe *probe,
                            const uint64_t places[], struct bl_device_launch *launch)
{
    uint32_t sums[2 * GROUP_ITEMS];
    const size_t bytes = launch->group_items * (launch->groups < 2 ? 1 : 2) * sizeof sums[0];
    double ns;
    memset(sums, 0x5A, sizeof sums);
    enum bl_status status = probe->memory == BL_MEMORY_GLOBAL ? fill(target, probe) : BL_OK;
    if (status == BL_OK)
        status =
            bl_device_array_write(target->session, target->outputs, bytes, sums, target->error);
    if (status == BL_OK)
        status = bl_target_time(target, launch, 3, &ns);
    if (status == BL_OK)
        status = bl_device_array_read(target->session, target->outputs, bytes, sums, target->error);
    return status == BL_OK ? compare_sums(target, probe, places, launch, sums) : status;
}

static void set_options(const struct bl_lanes_probe *probe, char options[256])
{
    static const char *const spaces[] = {"-DIN_GLOBAL", "-DIN_LOCAL", "-DIN_CONSTANT"};
    static const char *const accesses[] = {"", " -DWRITE", " -DADD"};
    snprintf(options, 256, "-DT=%s -DSCALAR=%s -DSTEP=%u -DITEMS=%d -DTILE_BYTES=%u %s%s",
             probe->type->name, probe->type->scalar, probe->step_bytes / probe->type->element_bytes,
             BL_TABLE_ITEMS, BL_TILE_BYTES + (BL_PROBE_STEPS - 1) * probe->step_bytes + 64,
             spaces[probe->memory], accesses[probe->access]);
}

enum bl_status bl_sample_lanes(void *context, const void *probe_, double *value,
                               struct bl_error *error)
{
    struct bl_device_target *target = context;
    const struct bl_lanes_probe *probe = probe_;
    const unsigned tables = probe->tables, to_fill = target->limits.groups_to_fill;
    const bool is_local = probe->memory == BL_MEMORY_LOCAL;
    char options[256];
    struct bl_device_launch launch = {
        "infer_lanes.cl", "lanes", .options = options,
        .groups = is_local ? (to_fill + 1) / 2 : to_fill, /* if local: 4 groups per unit */
        .group_items =
            target->limits.max_group_items >= GROUP_ITEMS ? GROUP_ITEMS : BL_TABLE_ITEMS};
    target->error = error;
    if (probe->sub_group_items) {
        launch.group_items = probe->sub_group_items;
        launch.groups = probe->groups;
    }
    launch.groups = (launch.groups + tables - 1) / tables * tables;
    if (launch.groups * launch.group_items > BL_MAX_OUTPUTS)
        return bl_fail(error, BL_OUT_OF_RANGE, "a probe needs more than %d work-items",
                       BL_MAX_OUTPUTS);
    const struct bl_argument others[5] = {{.array = target->table},
                                          BL_VALUE(tables),
                                          {.array = target->outputs},
                                          BL_VALUE(launch.rounds),
                                          BL_VALUE(zero)};
    set_arguments(&launch, target, is_local ? 1 : BL_MAX_ARRAYS, others);
    if (probe->memory == BL_MEMORY_CONSTANT)
        launch.arguments[0].array = target->constant;
    set_options(probe, options);
    struct bl_lanes_probe unnamed = *probe;
    unnamed.type = NULL;
    const uint64_t hash = bl_probe_hash(probe->type->name, &unnamed, sizeof unnamed);
    uint64_t places[BL_TABLES * BL_TABLE_ITEMS] = {0};
    double ns = 0;
    enum bl_status status = find_places(target, probe, places);
    if (status == BL_OK && !target_knows(target, hash))
        status = check(target, probe, places, &launch);
    if (status == BL_OK)
        status = bl_target_sample(target, &launch, hash, MIN_ROUNDS, MAX_ROUNDS, &ns);
    *value = ns / ACCESSES / ((double)(launch.groups * launch.group_items) / BL_TABLE_ITEMS);
    return status;
}

/* Pointer chases. */

enum { HOPS = 16, PART_HOPS = 8192 };

struct chase {
    uint64_t hash;
    struct bl_device_array *array;
    uint64_t offset; /* of the first place, in the array */
    uint32_t begin;  /* the element at which the next launch begins */
    uint32_t places, pitch;
    uint32_t apart; /* distance, in places, between the starts of consecutive groups */
    size_t local_bytes;
    struct bl_device_launch launch;
};

static uint32_t element_of(const struct bl_linked *linked, uint64_t offset, uint64_t place)
{
    const uint64_t number = linked->list ? linked->list[place] : place;
    return (uint32_t)((offset + number * linked->probe.pitch_bytes) / 4);
}

/* The element that a chain reaches after this many hops. */
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

/* The step is about 0.618 (the golden ratio minus 1) times the number of places. Repeated steps
 * reach all places, because the step and the number of places have no common divisor above 1. */
uint32_t bl_chain_further(uint64_t places)
{
    uint64_t further = (uint64_t)(0.6180339887 * (double)places);
    further = further ? further : 1;
    while (bl_common_divisor(further, places) != 1)
        further++;
    return (uint32_t)(further % places ? further % places : places);
}

static enum bl_status link_places(struct bl_device_target *target, const struct chase *chase)
{
    struct bl_linked *linked = &target->linked;
    const uint32_t first = (uint32_t)(chase->offset / 4), places = (uint32_t)linked->probe.places,
                   second = (uint32_t)(linked->probe.second_bytes / 4);
    linked->further = bl_chain_further(places);
    const struct bl_device_launch link = {
        "infer_chase.cl", "link", .groups = target->limits.groups_to_fill, .group_items = 64,
        .arguments = {{.array = chase->array},
                      BL_VALUE(first),
                      BL_VALUE(places),
                      BL_VALUE(chase->pitch),
                      BL_VALUE(linked->further),
                      BL_VALUE(second)}};
    return bl_target_run(target, &link);
}

static enum bl_status link_list(struct bl_device_target *target, const struct chase *chase,
                                const uint32_t list[])
{
    struct bl_linked *linked = &target->linked;
    const uint32_t places = (uint32_t)linked->probe.places;
    const size_t bytes = places * sizeof(uint32_t);
    uint32_t *elements = malloc(bytes);
    linked->list = calloc(places, sizeof *linked->list);
    if (!elements || !linked->list) {
        free(elements);
        return bl_fail(target->error, BL_NO_MEMORY, "out of memory while linking a chain");
    }
    memcpy(linked->list, list, bytes);
    for (uint32_t i = 0; i < places; i++)
        elements[i] = element_of(linked, chase->offset, i);
    bl_device_array_release(target->session, target->list);
    target->list = NULL;
    enum bl_status status =
        bl_device_array_make(target->session, bytes, &target->list, target->error);
    if (status == BL_OK)
        status =
            bl_device_array_write(target->session, target->list, bytes, elements, target->error);
    free(elements);
    const struct bl_device_launch link = {
        "infer_chase.cl", "link_list", .groups = 64, .group_items = 64,
        .arguments = {{.array = chase->array}, {.array = target->list}, BL_VALUE(places)}};
    return status == BL_OK ? bl_target_run(target, &link) : status;
}

/* Checks where a chain ended; the next launch continues there. Launches of several groups are not
 * checked. */
static enum bl_status go_on(struct bl_device_target *target, struct bl_device_launch *launch)
{
    struct chase *chase = launch->context;
    struct bl_linked *linked = &target->linked;
    uint32_t end = 0;
    if (launch->groups > 1)
        return BL_OK;
    linked->hops += (uint64_t)launch->rounds * HOPS;
    chase->begin = at_hop(linked, chase->offset, linked->hops);
    const enum bl_status status =
        bl_device_array_read(target->session, target->outputs, sizeof end, &end, target->error);
    if (status == BL_OK && end != chase->begin)
        return bl_fail(target->error, BL_WRONG_RESULT,
                       "a chain of reads ended at %u, but %u was expected", end, chase->begin);
    return status;
}

/* Fills a shared cache: the groups together visit every place at least once. */
static enum bl_status go_round_once(struct bl_device_target *target, struct chase *chase)
{
    struct bl_device_launch *launch = &chase->launch;
    const uint64_t visit = target->linked.probe.second_bytes ? 2 : 1; /* hops per place */
    launch->groups = target->limits.groups_to_fill;
    const uint64_t rounds = chase->places * visit / (launch->groups * HOPS) + 1,
                   visits = rounds * HOPS / visit;
    double ns;
    chase->apart = (uint32_t)((unsigned __int128)visits * target->linked.further % chase->places);
    const enum bl_status status = bl_target_time(target, launch, (uint32_t)rounds, &ns);
    launch->groups = 1;
    return status;
}

/* Writes the chain, unless it is in memory already, and prepares its launch with one group. */
static enum bl_status prepare_chase(struct bl_device_target *target, struct chase *chase,
                                    const struct bl_chase_probe *probe)
{
    struct bl_linked *linked = &target->linked;
    unsigned array;
    enum bl_status status = bl_target_locate(target, probe->address, &array, &chase->offset);
    if (status != BL_OK)
        return status;
    const uint64_t end = chase->offset + probe->places * probe->pitch_bytes + probe->second_bytes;
    if (!probe->list && (end > target->limits.arrays[array].bytes || end / 4 > UINT32_MAX))
        return bl_fail(target->error, BL_OUT_OF_RANGE, "a chain extends beyond its array");
    struct bl_chase_probe plain = *probe;
    plain.list = NULL;
    chase->hash = bl_probe_hash("chase", &plain, sizeof plain);
    if (probe->list)
        chase->hash = bl_hash_add(chase->hash, probe->list, probe->places * sizeof *probe->list);
    chase->array = target->arrays[array];
    chase->places = (uint32_t)probe->places;
    chase->pitch = (uint32_t)(probe->pitch_bytes / 4);
    chase->launch = (struct bl_device_launch){"infer_chase.cl",
                                              "chase",
                                              .groups = 1,
                                              .group_items = 1,
                                              .arguments = {{.array = chase->array},
                                                            BL_VALUE(chase->begin),
                                                            BL_VALUE(chase->places),
                                                            BL_VALUE(chase->pitch),
                                                            BL_VALUE(chase->apart),
                                                            BL_VALUE(chase->launch.rounds),
                                                            {.array = target->outputs},
                                                            {.bytes = chase->local_bytes}},
                                              .after = go_on,
                                              .context = chase};
    if (linked->hash != chase->hash) {
        free(linked->list);
        *linked = (struct bl_linked){.probe = plain};
        target->linked_lanes = 0;
        status = probe->list ? link_list(target, chase, probe->list) : link_places(target, chase);
        chase->begin = at_hop(linked, chase->offset, 0);
        if (status == BL_OK && probe->places > BL_WALKED_PLACES)
            status = go_round_once(target, chase);
        if (status == BL_OK)
            linked->hash = chase->hash;
    }
    chase->begin = at_hop(linked, chase->offset, linked->hops);
    return status;
}

enum bl_status bl_sample_chase(void *context, const void *probe_, double *value,
                               struct bl_error *error)
{
    struct bl_device_target *target = context;
    const struct bl_chase_probe *probe = probe_;
    struct chase chase = {.local_bytes = 16};
    /* Caches may be empty when a launch begins. So the shorter launch walks the whole chain at
     * least once, and the additional rounds of the longer launch find the cache filled. Of chains
     * longer than BL_WALKED_PLACES, only a representative part is read. */
    const uint64_t hops = probe->places * (probe->second_bytes ? 2 : 1);
    const uint64_t once =
        ((probe->places <= BL_WALKED_PLACES ? hops : PART_HOPS) + HOPS - 1) / HOPS;
    target->error = error;
    enum bl_status status = prepare_chase(target, &chase, probe);
    if (status == BL_OK)
        status = bl_target_sample(target, &chase.launch, chase.hash,
                                  (uint32_t)(once < 2 ? 2 : once), 1u << 16, value);
    if (status == BL_OK)
        *value /= HOPS;
    return status;
}

enum bl_status bl_sample_occupancy(void *context, const void *probe_, double *value,
                                   struct bl_error *error)
{
    enum { PLACES = 16384, PITCH = 256, ROUNDS = 48 };
    struct bl_device_target *target = context;
    const struct bl_occupancy_probe *probe = probe_;
    struct chase chase = {.local_bytes = probe->local_bytes};
    const struct bl_chase_probe chain = {.address =
                                             target->limits.arrays[0].address + BL_HOME_BYTES,
                                         .pitch_bytes = PITCH,
                                         .places = PLACES};
    double by_two = 0, by_all = 0;
    target->error = error;
    enum bl_status status = prepare_chase(target, &chase, &chain);
    chase.apart = 7919;
    chase.launch.groups = 2;
    chase.launch.group_items = probe->group_items ? probe->group_items : 1;
    if (status == BL_OK)
        status = bl_target_time(target, &chase.launch, ROUNDS, &by_two);
    chase.launch.groups = probe->groups < 2 ? 2 : probe->groups;
    if (status == BL_OK)
        status = bl_target_time(target, &chase.launch, ROUNDS, &by_all);
    if (status == BL_OK)
        *value = by_all / by_two;
    return status;
}
