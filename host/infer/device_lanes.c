/* Requests lane by lane, on an OpenCL device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../kernels/numbers.h"
#include "base/text.h"
#include "infer/device_inside.h"

enum { ACCESSES = 16, GROUP_ITEMS = BL_PROBE_GROUP_ITEMS };

struct lanes {
    struct bl_device_target *target;
    const struct bl_lanes_probe *probe;
    struct bl_kernel *kernel;
    size_t groups, group_items;
    uint64_t places[BL_TABLES * BL_TABLE_ITEMS]; /* as the kernel has them */
};

static enum bl_status launch(void *context, uint32_t rounds, struct bl_timing *timing,
                             struct bl_error *error)
{
    const struct lanes *lanes = context;
    struct bl_device_target *target = lanes->target;
    const uint32_t tables = lanes->probe->tables;
    const int32_t zero = 0;
    struct bl_argument arguments[BL_MAX_ARGUMENTS];
    unsigned count = 0;
    const unsigned arrays = lanes->probe->memory == BL_MEMORY_LOCAL ? 1 : BL_MAX_ARRAYS;
    for (unsigned i = 0; i < arrays; i++) /* one that is not there is never chosen */
        arguments[count++] = (struct bl_argument){.array = target->arrays[i] ? target->arrays[i]
                                                                             : target->arrays[0]};
    if (lanes->probe->memory == BL_MEMORY_CONSTANT)
        arguments[0].array = target->constant;
    arguments[count++] = (struct bl_argument){.array = target->table};
    arguments[count++] = (struct bl_argument){.value = &tables, .bytes = sizeof tables};
    arguments[count++] = (struct bl_argument){.array = target->outputs};
    arguments[count++] = (struct bl_argument){.value = &rounds, .bytes = sizeof rounds};
    arguments[count++] = (struct bl_argument){.value = &zero, .bytes = sizeof zero};
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

static enum bl_status fill(struct lanes *lanes, struct bl_error *error)
{
    struct bl_device_target *target = lanes->target;
    struct bl_kernel *kernel;
    enum bl_status status =
        bl_target_kernel(target, "infer_fill.cl", "fill_places", "", &kernel, error);
    const uint32_t places = lanes->probe->tables * BL_TABLE_ITEMS,
                   step_words = lanes->probe->step_bytes / 4;
    struct bl_argument arguments[BL_MAX_ARRAYS + 3];
    for (unsigned i = 0; i < BL_MAX_ARRAYS; i++)
        arguments[i] = (struct bl_argument){.array = target->arrays[i] ? target->arrays[i]
                                                                       : target->arrays[0]};
    arguments[BL_MAX_ARRAYS] = (struct bl_argument){.array = target->table};
    arguments[BL_MAX_ARRAYS + 1] = (struct bl_argument){.value = &places, .bytes = sizeof places};
    arguments[BL_MAX_ARRAYS + 2] =
        (struct bl_argument){.value = &step_words, .bytes = sizeof step_words};
    struct bl_timing timing;
    return status == BL_OK
               ? bl_session_launch(target->session, kernel, lanes->probe->tables, BL_TABLE_ITEMS,
                                   arguments, BL_MAX_ARRAYS + 3, &timing, error)
               : status;
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
        status = launch(lanes, rounds, &timing, error);
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

enum bl_status bl_device_lanes(void *context, const struct bl_lanes_probe *probe, double *value,
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
    const struct bl_rounds limits = {2, 1u << 20};
    if (status == BL_OK)
        status = bl_target_sample(target, hash, &limits, launch, &lanes, &ns, error);
    *value = ns / ACCESSES / ((double)(lanes.groups * lanes.group_items) / BL_TABLE_ITEMS);
    return status;
}
