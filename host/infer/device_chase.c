/* Chains of reads, on an OpenCL device. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "infer/device_inside.h"

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
    const uint32_t first = (uint32_t)(chase->offset / 4), places = (uint32_t)probe->places,
                   pitch = (uint32_t)(probe->pitch_bytes / 4),
                   second = (uint32_t)(probe->second_bytes / 4);
    linked->further = further_of(probe->places);
    const struct bl_argument arguments[] = {
        {.array = chase->array},
        {.value = &first, .bytes = sizeof first},
        {.value = &places, .bytes = sizeof places},
        {.value = &pitch, .bytes = sizeof pitch},
        {.value = &linked->further, .bytes = sizeof linked->further},
        {.value = &second, .bytes = sizeof second},
    };
    struct bl_kernel *kernel;
    enum bl_status status = bl_target_kernel(target, "infer_chase.cl", "link", "", &kernel, error);
    struct bl_timing timing;
    return status == BL_OK
               ? bl_session_launch(target->session, kernel, target->limits.groups_to_fill, 64,
                                   arguments, 6, &timing, error)
               : status;
}

static enum bl_status link_list(struct chase *chase, const struct bl_chase_probe *probe,
                                struct bl_error *error)
{
    struct bl_device_target *target = chase->target;
    struct bl_linked *linked = &target->linked;
    const size_t bytes = probe->places * sizeof(uint32_t);
    uint32_t *elements = malloc(bytes);
    uint32_t *list = malloc(bytes);
    if (!elements || !list) {
        free(elements);
        free(list);
        return bl_fail(error, BL_NO_MEMORY, "no memory for a chain");
    }
    memcpy(list, probe->list, bytes);
    linked->list = list;
    for (uint64_t i = 0; i < probe->places; i++)
        elements[i] = element_of(linked, chase->offset, i);
    bl_device_array_release(target->session, target->list);
    target->list = NULL;
    enum bl_status status = bl_device_array_make(target->session, bytes, &target->list, error);
    if (status == BL_OK)
        status = bl_device_array_write(target->session, target->list, 0, bytes, elements, error);
    free(elements);
    struct bl_kernel *kernel;
    if (status == BL_OK)
        status = bl_target_kernel(target, "infer_chase.cl", "link_list", "", &kernel, error);
    const uint32_t places = (uint32_t)probe->places;
    const struct bl_argument arguments[] = {{.array = chase->array},
                                            {.array = target->list},
                                            {.value = &places, .bytes = sizeof places}};
    struct bl_timing timing;
    return status == BL_OK
               ? bl_session_launch(target->session, kernel, 64, 64, arguments, 3, &timing, error)
               : status;
}

static uint64_t hash_of(const struct bl_chase_probe *probe)
{
    uint64_t hash = bl_hash_add(BL_HASH_BEGIN, "chase", 5);
    const uint64_t numbers[] = {probe->address, probe->pitch_bytes, probe->places,
                                probe->second_bytes};
    hash = bl_hash_add(hash, numbers, sizeof numbers);
    return probe->list ? bl_hash_add(hash, probe->list, probe->places * sizeof probe->list[0])
                       : hash;
}

static enum bl_status launch(void *context, uint32_t rounds, struct bl_timing *timing,
                             struct bl_error *error)
{
    struct chase *chase = context;
    struct bl_device_target *target = chase->target;
    struct bl_linked *linked = &target->linked;
    const uint32_t begin = at_hop(linked, chase->offset, linked->hops);
    const uint32_t places = chase->groups > 1 ? (uint32_t)linked->probe.places : 1,
                   pitch = (uint32_t)(linked->probe.pitch_bytes / 4);
    const struct bl_argument arguments[] = {
        {.array = chase->array},
        {.value = &begin, .bytes = sizeof begin},
        {.value = &places, .bytes = sizeof places},
        {.value = &pitch, .bytes = sizeof pitch},
        {.value = &chase->apart, .bytes = sizeof chase->apart},
        {.value = &rounds, .bytes = sizeof rounds},
        {.array = target->outputs},
        {.bytes = chase->local_bytes},
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
static enum bl_status warm_up(struct chase *chase, struct bl_error *error)
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
    return linked->list ? BL_OK : launch(&together, (uint32_t)rounds, &timing, error);
}

/* Makes the chain, unless it is there, and the kernel. */
static enum bl_status prepare(struct chase *chase, const struct bl_chase_probe *probe,
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
    const uint64_t hash = hash_of(probe);
    if (linked->hash == hash)
        return BL_OK;
    free(linked->list);
    *linked = (struct bl_linked){.probe = *probe, .hash = hash};
    linked->probe.list = NULL;
    status = probe->list ? link_list(chase, probe, error) : link_places(chase, probe, error);
    if (status == BL_OK && probe->places > BL_WALKED_PLACES)
        status = warm_up(chase, error);
    if (status != BL_OK)
        linked->hash = 0;
    return status;
}

enum bl_status bl_device_chase(void *context, const struct bl_chase_probe *probe, double *value,
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
    enum bl_status status = prepare(&chase, probe, error);
    if (status == BL_OK)
        status =
            bl_target_sample(chase.target, hash_of(probe), &limits, launch, &chase, value, error);
    if (status == BL_OK)
        *value /= HOPS;
    return status;
}

enum bl_status bl_device_resident(void *context, const struct bl_resident_probe *probe,
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
    enum bl_status status = prepare(&chase, &chain, error);
    double took[2];
    for (int i = 0; i < 2 && status == BL_OK; i++) {
        struct bl_timing timing = {0};
        chase.groups = i == 0 ? 2 : probe->groups < 2 ? 2 : probe->groups;
        status = launch(&chase, ROUNDS, &timing, error);
        took[i] = (double)(timing.end_ns - timing.start_ns);
    }
    if (status == BL_OK)
        *value = took[1] / took[0];
    return status;
}
