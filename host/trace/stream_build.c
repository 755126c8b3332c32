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

enum { MAX_SECTORS = 4 * BL_MAX_LANES };

/* Accesses that lanes of a sub-group make together. Nodes form a list in order of execution. A node
 * whose instruction is `none` is work that no access follows. */
struct node {
    uint32_t next;
    uint32_t instruction, occurrence, bytes;
    uint8_t memory, operation;
    uint32_t work; /* first event of the first lane's work before this access; or none */
    uint32_t more, more_chain; /* work of other lanes before this access: number of instructions,
                                  and length of the chain */
    uint32_t joined;           /* the node whose wide load also reads this element; or none */
    uint32_t load;             /* the number of its load in the stream, counted from 1 */
    uint32_t lanes;
    uint32_t items[BL_MAX_LANES];
    uint64_t addresses[BL_MAX_LANES];
};

/* The nodes of one sub-group in one phase. The array is in order of creation; the links from
 * `first` on are in order of execution. */
struct merging {
    struct node *nodes;
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
        const struct node *node = &merging->nodes[merging->slots[at]];
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
        const struct node *node = &merging->nodes[i];
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
static void add_more(const struct bl_stream_events *events, struct node *node, uint32_t work)
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
        struct node *node =
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
    struct node *node = &merging->nodes[at];
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
static unsigned offset_in_block(const struct node *node, unsigned bytes)
{
    const unsigned offset = (unsigned)(node->addresses[0] % bytes);
    for (uint32_t lane = 1; lane < node->lanes; lane++)
        if (node->addresses[lane] % bytes != offset)
            return bytes;
    return offset;
}

static bool is_of_block(const struct merging *merging, const struct block *block,
                        const struct node *node, unsigned bytes)
{
    const struct node *first = &merging->nodes[block->node];
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
    struct node *node = &merging->nodes[block->node];
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
    struct node *node = &merging->nodes[at];
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
        const struct node *node = &merging->nodes[at];
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

/* A stream under construction. */
struct growing {
    struct bl_time_op *ops;
    size_t count, capacity;
    uint64_t *sectors;
    size_t sector_count, sector_capacity;
    uint32_t loads;
    struct last_load {
        uint32_t number; /* counted from 1; 0 if none */
        uint32_t array;  /* the instruction whose load it was; another one if loads were joined */
        uint64_t addresses[BL_MAX_LANES]; /* what each lane last read (is_again) */
    } * last_load; /* for each instruction, the load that delivered its last value */
};

static bool add_op(struct growing *stream, const struct bl_time_op *op)
{
    struct bl_time_op *added =
        bl_array_append(&stream->ops, &stream->count, &stream->capacity, sizeof *added);
    if (added)
        *added = *op;
    return added != NULL;
}

static void set_last_load(struct growing *stream, uint32_t instruction, uint32_t number,
                          uint32_t array)
{
    stream->last_load[instruction].number = number;
    stream->last_load[instruction].array = array;
}

/* Adds the work before a node: that of the first lane, with its waits, and that of the others. */
static bool add_work(const struct bl_stream_events *events, struct growing *stream,
                     const struct node *node)
{
    bool has_memory = true;
    for (uint32_t at = node->work; has_memory && at != none && events->events[at].is_work;
         at = events->events[at].next) {
        const struct bl_stream_event *event = &events->events[at];
        const uint32_t issued = (uint32_t)event->done, chain = (uint32_t)(event->done >> 32);
        if (issued > 0)
            has_memory = add_op(stream, &(struct bl_time_op){.kind = BL_TIME_WORK,
                                                             .issued = issued,
                                                             .chain = chain,
                                                             .carried = event->carried});
        if (has_memory && event->load != none && stream->last_load[event->load].number)
            has_memory = add_op(
                stream, &(struct bl_time_op){.kind = BL_TIME_WAIT,
                                             .is_firm = event->is_firm,
                                             .is_rolled = event->is_rolled,
                                             .is_unrolled = event->is_unrolled,
                                             .is_behind = event->is_behind,
                                             .is_early = event->is_early,
                                             .array = stream->last_load[event->load].array,
                                             .count = stream->loads -
                                                      stream->last_load[event->load].number + 1});
    }
    if (has_memory && node->more > 0)
        has_memory = add_op(stream, &(struct bl_time_op){.kind = BL_TIME_WORK,
                                                         .issued = node->more,
                                                         .chain = node->more_chain});
    return has_memory;
}

/* Adds at most MAX_SECTORS of the distinct sectors that the lanes access, in order of the lanes. */
static bool add_sectors(struct growing *stream, const struct node *node, unsigned sector_bytes,
                        struct bl_time_op *op)
{
    const size_t begin = stream->sector_count;
    for (uint32_t lane = 0; lane < node->lanes; lane++) {
        const uint64_t from = node->addresses[lane] / sector_bytes * sector_bytes,
                       to = node->addresses[lane] + node->bytes;
        for (uint64_t sector = from; sector < to; sector += sector_bytes) {
            size_t at = stream->sector_count;
            while (at > begin && stream->sectors[at - 1] != sector)
                at--;
            if (at > begin || stream->sector_count - begin == MAX_SECTORS)
                continue;
            uint64_t *added = bl_array_append(&stream->sectors, &stream->sector_count,
                                              &stream->sector_capacity, sizeof *added);
            if (!added)
                return false;
            *added = sector;
        }
    }
    op->first = (uint32_t)begin;
    op->count = (uint32_t)(stream->sector_count - begin);
    return true;
}

/* A hash (FNV-1a) of which lanes access which bytes. Equal accesses get equal values, and no value
 * is 0. */
static uint32_t place_of(const struct node *node)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (uint32_t lane = 0; lane < node->lanes; lane++) {
        hash = (hash ^ node->items[lane]) * 0x100000001b3;
        hash = (hash ^ node->addresses[lane]) * 0x100000001b3;
    }
    hash = (hash ^ node->bytes) * 0x100000001b3;
    return (uint32_t)(hash ^ hash >> 32) | 1;
}

/* Whether a load that a compiler moves out of its loop reads what each of its lanes read the last
 * time, in an earlier iteration. Takes note of what it reads. */
static bool is_again(struct growing *stream, const struct node *node, unsigned lanes)
{
    uint64_t *last = stream->last_load[node->instruction].addresses;
    bool is_same = true;
    for (uint32_t i = 0; i < node->lanes; i++) {
        is_same &= last[node->items[i] % lanes] == node->addresses[i];
        last[node->items[i] % lanes] = node->addresses[i];
    }
    return is_same;
}

/* The number of updates of an atomic (bl_time_op.banks). If all lanes update the same word, and the
 * compiler knows it, one lane does it for all. On an H100, atomics took as long as those of a
 * single lane if the address came from arguments, counters of loops, group ids, or elements at such
 * indices; also behind a branch, and if the old value was used. */
static uint16_t updates_of(const struct node *node, unsigned sector_bytes, enum bl_wire_index index)
{
    unsigned updates = 0;
    uint64_t most[BL_MAX_LANES] = {0}; /* at a sector's first lane: updates of its busiest word */
    for (uint32_t lane = 0; lane < node->lanes; lane++) {
        const uint64_t sector = node->addresses[lane] / sector_bytes;
        uint32_t first = 0, same = 0;
        while (node->addresses[first] / sector_bytes != sector)
            first++;
        for (uint32_t other = 0; other < node->lanes; other++)
            same += node->addresses[other] == node->addresses[lane];
        most[first] = same > most[first] ? same : most[first];
    }
    for (uint32_t lane = 0; lane < node->lanes; lane++)
        updates += (unsigned)most[lane];
    const bool is_same = index == BL_WIRE_INDEX_CONSTANT || index == BL_WIRE_INDEX_KNOWN ||
                         index == BL_WIRE_INDEX_UNIFORM;
    return is_same ? 1 : (uint16_t)updates;
}

static uint16_t free_banks_of(const struct bl_machine *machine, const struct node *node)
{
    const unsigned bytes = node->lanes * node->bytes,
                   at_once = machine->banks * machine->bank_bytes;
    return at_once ? (uint16_t)((bytes + at_once - 1) / at_once) : 0;
}

/* Whether a request leaves parts of its sectors untouched. Lanes at one address count once, unless
 * a lane between them is at a lower address. */
static bool is_partial(const struct node *node, uint64_t sectors, unsigned sector)
{
    uint64_t lanes = 0;
    for (unsigned i = 0; i < node->lanes; i++) {
        bool is_new = true;
        for (unsigned j = i; is_new && j-- > 0 && node->addresses[j] >= node->addresses[i];)
            is_new = node->addresses[j] != node->addresses[i];
        lanes += is_new;
    }
    return lanes * node->bytes < sectors * sector;
}

/* Adds a node as a request, with its cost by the machine's rules. */
static bool add_request(const struct bl_trace *trace, struct growing *stream, struct node *node,
                        const char **why_not)
{
    const struct bl_machine *machine = trace->machine;
    const bool is_write = node->operation == BL_OPERATION_WRITE,
               is_atomic = node->operation == BL_OPERATION_ATOMIC,
               is_local = node->memory == BL_MEMORY_LOCAL;
    const enum bl_memory memory =
        node->memory == BL_MEMORY_PRIVATE ? BL_MEMORY_GLOBAL : (enum bl_memory)node->memory;
    const unsigned sector = bl_time_sector_bytes(machine);
    const struct bl_type type = bl_trace_type(&trace->instructions[node->instruction], node->bytes);
    struct bl_cost_sums sums = {0};
    struct bl_part parts[BL_MAX_PARTS];
    const unsigned part_count = bl_parts_of(machine, memory, is_write, &type, parts);
    const struct bl_request request = {.memory = memory,
                                       .is_write = is_write,
                                       .is_atomic = is_atomic && is_local,
                                       .lanes = node->lanes,
                                       .addresses_bytes = node->addresses};
    if (bl_cost_add(machine, &request, parts, part_count, &sums) != BL_OK) {
        *why_not = "the machine has no rule for one of its accesses";
        return true;
    }
    const uint32_t at_once = trace->instructions[node->instruction].is.at_once;
    struct bl_time_op op = {
        .kind = (uint8_t)(is_atomic  ? is_local ? BL_TIME_LOCAL_ATOMIC : BL_TIME_ATOMIC
                          : is_local ? (is_write ? BL_TIME_LOCAL_STORE : BL_TIME_LOCAL_LOAD)
                                     : (is_write ? BL_TIME_STORE : BL_TIME_LOAD)),
        .array = node->instruction,
        .is_private = node->memory == BL_MEMORY_PRIVATE,
        .at_once = at_once < UINT8_MAX ? (uint8_t)at_once : UINT8_MAX,
        .tags = (uint16_t)sums.tag_passes,
        .banks = (uint16_t)sums.bank_passes,
        .free_banks = free_banks_of(machine, node),
        .lines = (uint16_t)sums.lines,
    };
    if (!is_local && !add_sectors(stream, node, sector, &op))
        return false;
    if (op.kind == BL_TIME_ATOMIC)
        op.banks = updates_of(node, sector, trace->instructions[node->instruction].is.index);
    op.is_partial = is_partial(node, op.count, sector);
    if (!is_atomic && !(is_write && is_local) && !op.is_private)
        op.place = place_of(node);
    if (trace->instructions[node->instruction].is.is_once)
        op.is_again = is_again(stream, node, machine->lanes);
    if (!is_write) {
        node->load = ++stream->loads;
        set_last_load(stream, node->instruction, node->load, node->instruction);
    }
    /* A sub-group waits for an atomic on local memory even if the kernel does not use its result.
     */
    const struct bl_time_op wait = {
        .kind = BL_TIME_WAIT, .is_firm = true, .array = node->instruction, .count = 1};
    return add_op(stream, &op) && (!(is_atomic && is_local) || add_op(stream, &wait));
}

static void note_array(struct bl_stream_group *group, const struct node *node,
                       const struct bl_wire_kernel *launch)
{
    struct bl_stream_array *array = &group->arrays[node->instruction];
    const uint64_t along[3] = {1, launch->local[0], launch->local[0] * launch->local[1]};
    if (!array->is_used) {
        *array = (struct bl_stream_array){.is_used = true,
                                          .base = node->addresses[0],
                                          .item = node->items[0],
                                          .strides = {BL_NO_STRIDE, BL_NO_STRIDE, BL_NO_STRIDE}};
    }
    for (uint32_t lane = 0; lane < node->lanes; lane++)
        for (unsigned d = 0; d < 3; d++)
            if (launch->local[d] > 1 && array->strides[d] == BL_NO_STRIDE &&
                node->items[lane] == array->item + along[d])
                array->strides[d] = (int64_t)(node->addresses[lane] - array->base);
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
                      struct growing *growing, struct merging *merging, const char **why_not)
{
    const unsigned lanes = trace->machine->lanes;
    for (unsigned s = 0; s < group->sub_groups; s++) {
        begin_merging(merging);
        for (uint32_t item = s * lanes; item < (s + 1) * lanes && item < events->items; item++)
            if (!merge_lane(events, lanes, item, merging))
                return false;
        join_loads(trace, merging);
        for (uint32_t at = merging->first; at != none; at = merging->nodes[at].next) {
            struct node *node = &merging->nodes[at];
            /* Notes the address of the instruction's first access in the group, and the addresses
             * that the neighbouring work-items access, even if these are in other sub-groups. */
            if (node->occurrence == 0 && node->instruction != none)
                note_array(group, node, launch);
            if (!add_work(events, &growing[s], node))
                return false;
            const struct node *first = node->joined != none ? &merging->nodes[node->joined] : NULL;
            if (first)
                set_last_load(&growing[s], node->instruction, first->load, first->instruction);
            else if (node->instruction != none && !add_request(trace, &growing[s], node, why_not))
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
    struct growing growing[BL_TIME_MAX_SUB_GROUPS] = {0};
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
            has_memory = add_op(&growing[s], &(struct bl_time_op){.kind = BL_TIME_BARRIER});
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
