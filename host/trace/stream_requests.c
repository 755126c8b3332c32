/* Makes the operations of a stream from merged accesses (stream_events.h): requests with their
 * costs by the machine's rules, work, and waits. */
#include <string.h>

#include "base/array.h"
#include "model/access.h"
#include "trace/stream_events.h"
#include "trace/trace.h"

static const uint32_t none = BL_NO_EVENT;

enum { MAX_SECTORS = 4 * BL_MAX_LANES };

bool bl_stream_add_op(struct bl_stream_growing *stream, const struct bl_time_op *op)
{
    struct bl_time_op *added =
        bl_array_append(&stream->ops, &stream->count, &stream->capacity, sizeof *added);
    if (added)
        *added = *op;
    return added != NULL;
}

void bl_stream_set_load(struct bl_stream_growing *stream, uint32_t instruction, uint32_t number,
                        uint32_t array)
{
    stream->last_load[instruction].number = number;
    stream->last_load[instruction].array = array;
}

bool bl_stream_add_work(const struct bl_stream_events *events, struct bl_stream_growing *stream,
                        const struct bl_stream_node *node)
{
    bool has_memory = true;
    for (uint32_t at = node->work; has_memory && at != none && events->events[at].is_work;
         at = events->events[at].next) {
        const struct bl_stream_event *event = &events->events[at];
        const uint32_t issued = (uint32_t)event->done, chain = (uint32_t)(event->done >> 32);
        if (issued > 0)
            has_memory = bl_stream_add_op(stream, &(struct bl_time_op){.kind = BL_TIME_WORK,
                                                                       .issued = issued,
                                                                       .chain = chain,
                                                                       .carried = event->carried});
        if (has_memory && event->load != none && stream->last_load[event->load].number)
            has_memory = bl_stream_add_op(
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
        has_memory = bl_stream_add_op(stream, &(struct bl_time_op){.kind = BL_TIME_WORK,
                                                                   .issued = node->more,
                                                                   .chain = node->more_chain});
    return has_memory;
}

/* Adds at most MAX_SECTORS of the distinct sectors that the lanes access, in order of the lanes. */
static bool add_sectors(struct bl_stream_growing *stream, const struct bl_stream_node *node,
                        unsigned sector_bytes, struct bl_time_op *op)
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
static uint32_t place_of(const struct bl_stream_node *node)
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
static bool is_again(struct bl_stream_growing *stream, const struct bl_stream_node *node,
                     unsigned lanes)
{
    uint64_t *last = stream->last_load[node->instruction].addresses;
    bool is_same = true;
    for (uint32_t i = 0; i < node->lanes; i++) {
        is_same &= last[node->items[i] % lanes] == node->addresses[i];
        last[node->items[i] % lanes] = node->addresses[i];
    }
    return is_same;
}

/* How many addresses more than `others` of the lanes access. */
static uint32_t addresses_of_more(const struct bl_stream_node *node, uint32_t others)
{
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < node->lanes; lane++) {
        uint32_t before = 0;
        for (uint32_t other = 0; other < lane; other++)
            before += node->addresses[other] == node->addresses[lane];
        count += before == others;
    }
    return count;
}

/* Waits for the instruction's last load or atomic. */
static bool add_wait(struct bl_stream_growing *stream, uint32_t instruction)
{
    const struct bl_time_op wait = {
        .kind = BL_TIME_WAIT, .is_firm = true, .array = instruction, .count = 1};
    return bl_stream_add_op(stream, &wait);
}

/* Compare-and-exchange in a loop.
 *
 * Of the lanes that exchange the same word together, one succeeds, and the others read the word
 * again and try once more. Oclgrind's lanes all succeed at once, so the missing rounds are added.
 * On an H100, each took 0.4 to 0.5 us, and an exchange took L2 three times as long as an addition.
 */
enum { EXCHANGE_UPDATES = 3 };

/* For each lane, a compare-and-exchange on local memory occupied its bank for two clocks; other
 * atomics, for one. */
enum { LOCAL_EXCHANGE_PASSES = 2 };

static bool add_retries(const struct bl_machine *machine, struct bl_stream_growing *stream,
                        const struct bl_stream_node *node, const struct bl_time_op *exchange)
{
    const struct bl_time_op reads = {
        .kind = BL_TIME_WORK,
        .issued = 4,
        .chain = (uint32_t)(machine->levels[0].latency_ns / machine->float_ns)};
    bool has_memory = true;
    for (uint32_t round = 1; has_memory; round++) {
        const uint32_t tried = addresses_of_more(node, round);
        struct bl_time_op again = *exchange;
        if (tried == 0)
            break;
        again.banks = (uint16_t)(EXCHANGE_UPDATES * tried);
        again.exchanging = exchange->exchanging ? (uint8_t)tried : 0;
        stream->loads++;
        has_memory = add_wait(stream, node->instruction) && bl_stream_add_op(stream, &reads) &&
                     bl_stream_add_op(stream, &again);
    }
    return has_memory;
}

/* The number of updates of an atomic (bl_time_op.banks). If all lanes update the same word, and the
 * compiler knows it, one lane does it for all. On an H100, atomics took as long as those of a
 * single lane if the address came from arguments, counters of loops, group ids, or elements at such
 * indices; also behind a branch, and if the old value was used. */
static uint16_t updates_of(const struct bl_stream_node *node, unsigned sector_bytes,
                           enum bl_wire_index index)
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
    return bl_trace_is_same_word(index) ? 1 : (uint16_t)updates;
}

static uint16_t free_banks_of(const struct bl_machine *machine, const struct bl_stream_node *node)
{
    const unsigned bytes = node->lanes * node->bytes,
                   at_once = machine->banks * machine->bank_bytes;
    return at_once ? (uint16_t)((bytes + at_once - 1) / at_once) : 0;
}

/* Whether a request leaves parts of its sectors untouched. Lanes at one address count once, unless
 * a lane between them is at a lower address. */
static bool is_partial(const struct bl_stream_node *node, uint64_t sectors, unsigned sector)
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

/* Makes an atomic one that lanes try again until they succeed. */
static void make_exchange(const struct bl_stream_node *node, struct bl_time_op *op)
{
    op->banks = (uint16_t)(EXCHANGE_UPDATES * op->banks);
    op->exchanging = addresses_of_more(node, 0) == 1 ? (uint8_t)node->lanes : 0;
}

/* Whether a compiler may keep in a register what the operation loads or stores. */
static bool may_keep(const struct bl_time_op *op, const struct bl_wire_instruction *instruction)
{
    const bool is_atomic = op->kind == BL_TIME_ATOMIC || op->kind == BL_TIME_LOCAL_ATOMIC;
    return !is_atomic && !op->is_private && !op->is_constant && !instruction->may_change &&
           !instruction->is_irregular;
}

/* What the machine charges for a request. */
static enum bl_status cost_of(const struct bl_trace *trace, const struct bl_stream_node *node,
                              struct bl_cost_sums *sums)
{
    const enum bl_memory memory =
        node->memory == BL_MEMORY_PRIVATE ? BL_MEMORY_GLOBAL : (enum bl_memory)node->memory;
    const bool is_write = node->operation == BL_OPERATION_WRITE;
    const struct bl_type type = bl_trace_type(&trace->instructions[node->instruction], node->bytes);
    struct bl_part parts[BL_MAX_PARTS];
    const unsigned count = bl_parts_of(trace->machine, memory, is_write, &type, parts);
    uint64_t addresses[BL_MAX_LANES];
    memcpy(addresses, node->addresses, node->lanes * sizeof *addresses);
    const struct bl_request request = {
        .memory = memory,
        .is_write = is_write,
        .is_atomic = node->operation == BL_OPERATION_ATOMIC && memory == BL_MEMORY_LOCAL,
        .lanes = bl_trace_join_lanes(trace, node->instruction, memory, addresses, node->lanes),
        .addresses_bytes = addresses};
    return bl_cost_add(trace->machine, &request, parts, count, sums);
}

static bool add_request(const struct bl_trace *trace, struct bl_stream_growing *stream,
                        struct bl_stream_node *node, const char **why_not)
{
    const struct bl_machine *machine = trace->machine;
    const struct bl_wire_instruction *is = &trace->instructions[node->instruction].is;
    const bool is_write = node->operation == BL_OPERATION_WRITE,
               is_atomic = node->operation == BL_OPERATION_ATOMIC,
               is_local = node->memory == BL_MEMORY_LOCAL;
    const unsigned sector = bl_time_sector_bytes(machine);
    struct bl_cost_sums sums = {0};
    if (cost_of(trace, node, &sums) != BL_OK) {
        *why_not = "the machine has no rule for one of its accesses";
        return true;
    }
    struct bl_time_op op = {
        .kind = (uint8_t)(is_atomic  ? is_local ? BL_TIME_LOCAL_ATOMIC : BL_TIME_ATOMIC
                          : is_local ? (is_write ? BL_TIME_LOCAL_STORE : BL_TIME_LOCAL_LOAD)
                                     : (is_write ? BL_TIME_STORE : BL_TIME_LOAD)),
        .array = node->instruction,
        .is_private = node->memory == BL_MEMORY_PRIVATE,
        .is_constant = node->memory == BL_MEMORY_DECLARED,
        .passes_stores = is->passes_stores != 0,
        .at_once = is->at_once < UINT8_MAX ? (uint8_t)is->at_once : UINT8_MAX,
        .tags = (uint16_t)sums.tag_passes,
        .banks = (uint16_t)sums.bank_passes,
        .free_banks = free_banks_of(machine, node),
        .lines = (uint16_t)sums.lines,
    };
    if (!is_local && !op.is_constant && !add_sectors(stream, node, sector, &op))
        return false;
    if (op.kind == BL_TIME_ATOMIC)
        op.banks = updates_of(node, sector, is->index);
    const bool is_retried = op.kind == BL_TIME_ATOMIC && is->exchange == BL_WIRE_EXCHANGE_RETRIED;
    if (op.kind == BL_TIME_LOCAL_ATOMIC && is->exchange != BL_WIRE_NO_EXCHANGE)
        op.banks *= LOCAL_EXCHANGE_PASSES;
    if (is_retried)
        make_exchange(node, &op);
    op.is_partial = is_partial(node, op.count, sector);
    op.is_narrow = (is->alignment > 0 ? is->alignment : node->bytes) < 4;
    if (may_keep(&op, is))
        op.place = place_of(node);
    if (is->is_once)
        op.is_again = is_again(stream, node, machine->lanes);
    bool has_memory = bl_stream_add_op(stream, &op);
    stream->loads += !is_write;
    if (is_retried)
        has_memory = has_memory && add_retries(machine, stream, node, &op);
    if (!is_write) {
        node->load = stream->loads;
        bl_stream_set_load(stream, node->instruction, node->load, node->instruction);
    }
    return has_memory;
}

bool bl_stream_add_request(const struct bl_trace *trace, struct bl_stream_growing *stream,
                           struct bl_stream_node *node, const char **why_not)
{
    if (bl_trace_is_immediate(trace, node->instruction, (enum bl_memory)node->memory))
        return true;
    const struct bl_type type = bl_trace_type(&trace->instructions[node->instruction], node->bytes);
    const enum bl_memory memory = (enum bl_memory)node->memory;
    if (!bl_is_split(trace->machine, memory, &type))
        return add_request(trace, stream, node, why_not);
    struct bl_part parts[BL_MAX_PARTS];
    const unsigned count =
        bl_parts_of(trace->machine, memory, node->operation == BL_OPERATION_WRITE, &type, parts);
    const struct bl_stream_node whole = *node;
    bool has_memory = true;
    for (unsigned i = 0; has_memory && i < count; i++) {
        node->bytes = parts[i].bytes;
        for (uint32_t lane = 0; lane < node->lanes; lane++)
            node->addresses[lane] = whole.addresses[lane] + parts[i].offset;
        has_memory = add_request(trace, stream, node, why_not);
    }
    node->bytes = whole.bytes;
    memcpy(node->addresses, whole.addresses, sizeof node->addresses);
    return has_memory;
}
