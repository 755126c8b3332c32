/* Builds a group's streams from its events (stream_events.h).
 *
 * Oclgrind runs work-items one after another up to a barrier, while a device runs a sub-group's
 * lanes together. The accesses of the lanes between two barriers are therefore merged: lanes that
 * execute an instruction together make one request.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/access.h"
#include "trace/stream_events.h"
#include "trace/trace.h"

static const uint32_t none = BL_NO_EVENT;

/* The nodes of one sub-group in one phase. The array is in order of creation; the links from
 * `first` on are in order of execution. */
struct merging {
    struct bl_stream_node *nodes;
    size_t count, capacity;
    uint32_t first;
    uint32_t *slots; /* a hash table of nodes; its capacity is a power of two */
    size_t slot_capacity;
};

static size_t slot_of(const struct merging *merging, const struct bl_access *access)
{
    const uint64_t key =
        ((uint64_t)access->instruction << 32 | access->occurrence) ^ (uint64_t)access->bytes << 56;
    size_t at = (size_t)((key * 0x9E3779B97F4A7C15u) >> 24) & (merging->slot_capacity - 1);
    while (merging->slots[at] != none) {
        const struct bl_stream_node *node = &merging->nodes[merging->slots[at]];
        if (node->instruction == access->instruction && node->occurrence == access->occurrence &&
            node->bytes == access->bytes)
            break;
        at = (at + 1) & (merging->slot_capacity - 1);
    }
    return at;
}

static bool grow_slots(struct merging *merging)
{
    const size_t capacity = merging->slot_capacity ? 2 * merging->slot_capacity : 1 << 8;
    uint32_t *slots = realloc(merging->slots, capacity * sizeof *slots);
    if (!slots)
        return false;
    merging->slots = slots;
    merging->slot_capacity = capacity;
    for (size_t i = 0; i < capacity; i++)
        slots[i] = none;
    for (uint32_t i = 0; i < merging->count; i++) {
        const struct bl_stream_node *node = &merging->nodes[i];
        const struct bl_access key = {
            .instruction = node->instruction, .occurrence = node->occurrence, .bytes = node->bytes};
        slots[slot_of(merging, &key)] = i;
    }
    return true;
}

static void begin_merging(struct merging *merging)
{
    merging->count = 0;
    merging->first = none;
    for (size_t i = 0; i < merging->slot_capacity; i++)
        merging->slots[i] = none;
}

/* The address of an access. A device keeps private arrays in global memory, and puts the same
 * element of a sub-group's lanes side by side. Each sub-group gets an area of its own. */
static uint64_t address_of(const struct bl_stream_events *events, const struct bl_access *access,
                           unsigned lanes)
{
    enum { ARRAY_BITS = 20 };
    if (access->memory != BL_MEMORY_PRIVATE || access->bytes == 0)
        return access->address;
    const uint64_t array = bl_stream_array_of(access),
                   offset = access->address & (((uint64_t)1 << BL_STREAM_OFFSET_BITS) - 1),
                   sub_groups = (events->items + lanes - 1) / lanes,
                   area = events->index * sub_groups + access->item / lanes,
                   row = offset / access->bytes * access->bytes * lanes;
    return (uint64_t)UINT16_MAX << BL_BUFFER_BITS |
           ((area << BL_TIME_AREA_BITS) + (array << ARRAY_BITS) + row +
            access->item % lanes * access->bytes);
}

/* Adds the work of another lane. It comes on top of the first lane's, because the plugin counts
 * only what earlier lanes of the sub-group have not done. */
static void add_more(const struct bl_stream_events *events, struct bl_stream_node *node,
                     uint32_t work)
{
    for (uint32_t at = work; at != none && events->events[at].is_work;
         at = events->events[at].next) {
        node->more += (uint32_t)events->events[at].done;
        node->more_chain += (uint32_t)(events->events[at].done >> 32);
    }
}

/* Adds a lane's access to the node of the same execution. If there is none, inserts a new node
 * after *behind, the node of the lane's previous access. */
static bool merge(const struct bl_stream_events *events, unsigned lanes, struct merging *merging,
                  const struct bl_access *access, uint32_t work, uint32_t *behind)
{
    if (2 * (merging->count + 1) > merging->slot_capacity && !grow_slots(merging))
        return false;
    const size_t slot = slot_of(merging, access);
    uint32_t at = merging->slots[slot];
    if (at == none) {
        struct bl_stream_node *node =
            bl_array_append(&merging->nodes, &merging->count, &merging->capacity, sizeof *node);
        if (!node)
            return false;
        at = (uint32_t)merging->count - 1;
        merging->slots[slot] = at;
        node->instruction = access->instruction;
        node->occurrence = access->occurrence;
        node->bytes = access->bytes;
        node->memory = access->memory;
        node->operation = access->operation;
        node->work = work;
        node->joined = none;
        node->more = node->more_chain = node->lanes = node->load = 0;
        uint32_t *link = *behind == none ? &merging->first : &merging->nodes[*behind].next;
        node->next = *link;
        *link = at;
    } else
        add_more(events, &merging->nodes[at], work);
    struct bl_stream_node *node = &merging->nodes[at];
    if (node->lanes < BL_MAX_LANES) {
        node->items[node->lanes] = access->item;
        node->addresses[node->lanes++] = address_of(events, access, lanes);
    }
    *behind = at;
    return true;
}

/* Wide loads. A compiler reads neighbouring elements of a local array, in a block that it knows to
 * be aligned, with one load. A store in between may change the elements, so it prevents this. */

enum { MAX_OPEN_BLOCKS = 32 };

/* Blocks of which the lanes have read an element. */
struct blocks {
    struct block {
        uint32_t node;      /* the first node that reads an element of the block */
        unsigned bytes;     /* of the block */
        uint64_t offsets;   /* a bit for each byte of the block that is the first of an element that
                               is read */
        unsigned low, high; /* the bytes that are read: from low up to, but not including, high */
    } open[MAX_OPEN_BLOCKS];
    size_t count;
};

/* The distance of the accesses from the beginning of their aligned blocks, if it is the same for
 * all lanes; otherwise `bytes`. */
static unsigned offset_in_block(const struct bl_stream_node *node, unsigned bytes)
{
    const unsigned offset = (unsigned)(node->addresses[0] % bytes);
    for (uint32_t lane = 1; lane < node->lanes; lane++)
        if (node->addresses[lane] % bytes != offset)
            return bytes;
    return offset;
}

static bool is_of_block(const struct merging *merging, const struct block *block,
                        const struct bl_stream_node *node, unsigned bytes)
{
    const struct bl_stream_node *first = &merging->nodes[block->node];
    bool is_same =
        block->bytes == bytes && first->lanes == node->lanes && first->bytes == node->bytes;
    for (uint32_t lane = 0; is_same && lane < node->lanes; lane++)
        is_same = first->items[lane] == node->items[lane] &&
                  first->addresses[lane] / block->bytes == node->addresses[lane] / block->bytes;
    return is_same;
}

/* Doubles the width of the block's first load until one aligned access covers all elements that are
 * read. */
static void widen(struct merging *merging, const struct block *block)
{
    struct bl_stream_node *node = &merging->nodes[block->node];
    unsigned width = node->bytes;
    while (block->low / width != (block->high - 1) / width)
        width *= 2;
    for (uint32_t lane = 0; lane < node->lanes; lane++)
        node->addresses[lane] =
            node->addresses[lane] / block->bytes * block->bytes + block->low / width * width;
    node->bytes = width;
}

static void close_blocks(struct merging *merging, struct blocks *blocks)
{
    for (size_t i = 0; i < blocks->count; i++)
        widen(merging, &blocks->open[i]);
    blocks->count = 0;
}

/* Adds a load of a local array to the open block that it belongs to, or opens a block. */
static void join(struct merging *merging, struct blocks *blocks, uint32_t at, unsigned bytes)
{
    struct bl_stream_node *node = &merging->nodes[at];
    const unsigned offset = offset_in_block(node, bytes);
    if (offset == bytes || offset % node->bytes != 0)
        return;
    size_t found = 0;
    while (found < blocks->count && !is_of_block(merging, &blocks->open[found], node, bytes))
        found++;
    struct block *block = &blocks->open[found];
    if (found < blocks->count && !(block->offsets >> offset & 1)) {
        node->joined = block->node;
        block->offsets |= (uint64_t)1 << offset;
        block->low = offset < block->low ? offset : block->low;
        block->high = offset + node->bytes > block->high ? offset + node->bytes : block->high;
        return;
    }
    if (found < blocks->count || blocks->count == MAX_OPEN_BLOCKS) {
        found = found < blocks->count ? found : 0;
        widen(merging, &blocks->open[found]);
        memmove(blocks->open + found, blocks->open + found + 1,
                (--blocks->count - found) * sizeof *blocks->open);
    }
    blocks->open[blocks->count++] = (struct block){.node = at,
                                                   .bytes = bytes,
                                                   .offsets = (uint64_t)1 << offset,
                                                   .low = offset,
                                                   .high = offset + node->bytes};
}

static void join_loads(const struct bl_trace *trace, struct merging *merging)
{
    struct blocks blocks = {.count = 0};
    for (uint32_t at = merging->first; at != none; at = merging->nodes[at].next) {
        const struct bl_stream_node *node = &merging->nodes[at];
        if (node->instruction == none || node->memory != BL_MEMORY_LOCAL)
            continue;
        const unsigned bytes = trace->instructions[node->instruction].is.aligned_bytes;
        if (node->operation != BL_OPERATION_READ)
            close_blocks(merging, &blocks);
        else if (bytes > node->bytes)
            join(merging, &blocks, at, bytes);
    }
    close_blocks(merging, &blocks);
}

/* Whether most of the request's work-items in the row of the array's first access are not as far
 * from it, per work-item along x, as the first of them. */
static bool is_scattered(const struct bl_stream_array *array, const struct bl_stream_node *node,
                         uint64_t row)
{
    uint32_t others = 0, in_row = 0;
    int64_t stride = 0, steps = 1; /* bytes that the first of them is away, and work-items */
    for (uint32_t lane = 0; lane < node->lanes; lane++) {
        const int64_t distance = (int64_t)node->items[lane] - array->item;
        if (distance == 0 || node->items[lane] / row != array->item / row)
            continue;
        const int64_t bytes = (int64_t)(node->addresses[lane] - array->base);
        if (in_row++ == 0) {
            stride = bytes;
            steps = distance;
        }
        others += bytes * steps != distance * stride;
    }
    return 2 * others > in_row;
}

static void note_array(struct bl_stream_group *group, const struct bl_stream_node *node,
                       const struct bl_wire_kernel *launch)
{
    struct bl_stream_array *array = &group->arrays[node->instruction];
    const uint64_t along[3] = {1, launch->local[0], launch->local[0] * launch->local[1]};
    const bool is_first = !array->is_used;
    if (is_first) {
        *array = (struct bl_stream_array){.is_used = true,
                                          .base = node->addresses[0],
                                          .item = node->items[0],
                                          .strides = {BL_NO_STRIDE, BL_NO_STRIDE, BL_NO_STRIDE}};
    }
    for (uint32_t lane = 0; lane < node->lanes; lane++)
        for (unsigned d = 0; d < 3; d++)
            if (launch->local[d] > 1 && array->strides[d] == BL_NO_STRIDE &&
                !(d == 0 && array->is_scattered) && node->items[lane] == array->item + along[d])
                array->strides[d] = (int64_t)(node->addresses[lane] - array->base);
    if (is_first && is_scattered(array, node, launch->local[0])) {
        array->is_scattered = true;
        array->strides[0] = BL_NO_STRIDE;
    }
}

static bool is_in_register(const struct bl_stream_events *events, const struct bl_access *access)
{
    return access->memory == BL_MEMORY_PRIVATE &&
           (events->arrays_in_memory >> bl_stream_array_of(access) & 1) == 0;
}

/* Links the events of each work-item in a phase, without accesses to registers. */
static void link_phase(struct bl_stream_events *events, size_t begin, size_t end)
{
    for (uint32_t i = 0; i < events->items; i++)
        events->first[i] = events->last[i] = none;
    for (size_t i = begin; i < end; i++) {
        struct bl_stream_event *event = &events->events[i];
        event->next = none;
        if (!event->is_work && is_in_register(events, &event->access))
            continue;
        if (events->first[event->item] == none)
            events->first[event->item] = (uint32_t)i;
        else
            events->events[events->last[event->item]].next = (uint32_t)i;
        events->last[event->item] = (uint32_t)i;
    }
}

unsigned bl_stream_array_of(const struct bl_access *access)
{
    const uint64_t array = access->address >> BL_STREAM_OFFSET_BITS;
    return array < BL_STREAM_ARRAYS ? (unsigned)array : BL_STREAM_ARRAYS - 1;
}

static bool merge_lane(const struct bl_stream_events *events, unsigned lanes, uint32_t item,
                       struct merging *merging)
{
    uint32_t behind = none, work = none;
    for (uint32_t at = events->first[item]; at != none; at = events->events[at].next) {
        const struct bl_stream_event *event = &events->events[at];
        if (event->is_work) {
            work = work == none ? at : work;
            continue;
        }
        if (!merge(events, lanes, merging, &event->access, work, &behind))
            return false;
        work = none;
    }
    const struct bl_access no_access = {.item = item, .instruction = none};
    return work == none || merge(events, lanes, merging, &no_access, work, &behind);
}

static bool add_phase(const struct bl_trace *trace, const struct bl_wire_kernel *launch,
                      const struct bl_stream_events *events, struct bl_stream_group *group,
                      struct bl_stream_growing *growing, struct merging *merging,
                      const char **why_not)
{
    const unsigned lanes = trace->machine->lanes;
    for (unsigned s = 0; s < group->sub_groups; s++) {
        begin_merging(merging);
        for (uint32_t item = s * lanes; item < (s + 1) * lanes && item < events->items; item++)
            if (!merge_lane(events, lanes, item, merging))
                return false;
        join_loads(trace, merging);
        for (uint32_t at = merging->first; at != none; at = merging->nodes[at].next) {
            struct bl_stream_node *node = &merging->nodes[at];
            /* Notes the address of the instruction's first access in the group, and the addresses
             * that the neighbouring work-items access, even if these are in other sub-groups. */
            if (node->occurrence == 0 && node->instruction != none)
                note_array(group, node, launch);
            if (!bl_stream_add_work(events, &growing[s], node))
                return false;
            const struct bl_stream_node *first =
                node->joined != none ? &merging->nodes[node->joined] : NULL;
            if (first)
                bl_stream_set_load(&growing[s], node->instruction, first->load, first->instruction);
            else if (node->instruction != none &&
                     !bl_stream_add_request(trace, &growing[s], node, why_not))
                return false;
        }
    }
    return true;
}

bool bl_stream_group_build(const struct bl_trace *trace, const struct bl_wire_kernel *launch,
                           struct bl_stream_events *events, struct bl_stream_group *group,
                           const char **why_not)
{
    const unsigned lanes = trace->machine->lanes, sub_groups = (events->items + lanes - 1) / lanes;
    struct bl_stream_growing growing[BL_TIME_MAX_SUB_GROUPS] = {0};
    struct merging merging = {0};
    *group = (struct bl_stream_group){
        .index = events->index,
        .streams = calloc(sub_groups, sizeof *group->streams),
        .sub_groups = sub_groups,
        .arrays = calloc(trace->instruction_count + 1, sizeof *group->arrays),
        .array_count = trace->instruction_count,
        .local_bytes = events->local_bytes,
        .told = events->told,
    };
    bool has_memory = group->streams && group->arrays;
    for (unsigned s = 0; has_memory && s < sub_groups; s++) {
        growing[s].last_load = calloc(group->array_count + 1, sizeof *growing[s].last_load);
        has_memory = growing[s].last_load != NULL;
    }
    size_t begin = 0;
    for (size_t phase = 0; has_memory && phase <= events->phase_count; phase++) {
        const bool is_last = phase == events->phase_count;
        const size_t end = is_last ? events->count : events->phases[phase];
        link_phase(events, begin, end);
        has_memory = add_phase(trace, launch, events, group, growing, &merging, why_not);
        begin = end;
        for (unsigned s = 0; has_memory && !is_last && s < sub_groups; s++)
            has_memory =
                bl_stream_add_op(&growing[s], &(struct bl_time_op){.kind = BL_TIME_BARRIER});
    }
    for (unsigned s = 0; s < sub_groups; s++) {
        free(growing[s].last_load);
        if (group->streams)
            group->streams[s] = (struct bl_time_stream){
                .ops = growing[s].ops, .count = growing[s].count, .sectors = growing[s].sectors};
    }
    free(merging.nodes);
    free(merging.slots);
    return has_memory;
}
