/* The order in which sub-groups continue, and the resources that they share (time_unit.h). */
#include "model/time_unit.h"

#include <math.h>

static bool is_before(struct bl_time_ready a, struct bl_time_ready b)
{
    return a.ns < b.ns || (a.ns <= b.ns && a.number < b.number);
}

void bl_time_queue_push(struct bl_time_queue *queue, struct bl_time_ready ready)
{
    struct bl_time_ready *heap = queue->ready;
    size_t at = queue->count++;
    while (at > 0 && is_before(ready, heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = ready;
}

uint32_t bl_time_queue_pop(struct bl_time_queue *queue)
{
    struct bl_time_ready *heap = queue->ready;
    const struct bl_time_ready first = heap[0], moved = heap[--queue->count];
    size_t at = 0;
    for (size_t child = 1; child < queue->count; child = 2 * at + 1) {
        if (child + 1 < queue->count && is_before(heap[child + 1], heap[child]))
            child++;
        if (!is_before(heap[child], moved))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
    return first.number;
}

bool bl_time_queue_is_ahead(const struct bl_time_queue *queue, struct bl_time_ready ready)
{
    return queue->count > 0 && is_before(queue->ready[0], ready);
}

void bl_time_issue(struct bl_time_unit *unit, struct bl_time_sub_group *sub, uint32_t instructions)
{
    const double start_ns = fmax(sub->now_ns, unit->scheduler_ns),
                 each_ns = unit->clock_ns / fmax(unit->machine->instructions_per_clock, 1);
    unit->lost_ns[BL_LIMIT_ARITHMETIC] += start_ns - sub->now_ns;
    sub->now_ns = start_ns;
    unit->scheduler_ns = start_ns + instructions * each_ns;
}

double bl_time_take_path(struct bl_time_unit *unit, struct bl_time_sub_group *sub,
                         const struct bl_time_op *op, double more_ns)
{
    bl_time_issue(unit, sub, 1);
    const double passes = fmax(1, fmax(op->tags, op->banks));
    const double taken_ns = fmax(passes * unit->clock_ns, more_ns),
                 start_ns = fmax(sub->now_ns, unit->path_ns);
    const unsigned stage = more_ns > passes * unit->clock_ns ? 2 : op->banks >= op->tags ? 1 : 0;
    unit->occupied_ns[stage] += taken_ns;
    unit->path_ns = start_ns + taken_ns;
    return start_ns;
}

uint64_t bl_time_shifted(uint64_t address, int64_t shift, const struct bl_time_sharing *sharing)
{
    const uint64_t to = address + (uint64_t)shift;
    if (!sharing || sharing->bytes == 0 || to - sharing->begin < sharing->bytes)
        return to;
    const int64_t bytes = (int64_t)sharing->bytes, rest = (int64_t)(to - sharing->begin) % bytes;
    return sharing->begin + (uint64_t)(rest < 0 ? rest + bytes : rest);
}

/* Groups that follow one another in a slot use the same area for their private arrays. */
uint64_t bl_time_address_of(const struct bl_time_unit *unit, const struct bl_time_sub_group *sub,
                            const struct bl_time_op *op, uint32_t i)
{
    const uint64_t address = sub->stream.sectors[op->first + i],
                   within = address & (((uint64_t)1 << BL_TIME_AREA_BITS) - 1);
    if (op->is_private)
        return ((uint64_t)UINT16_MAX << 48) + ((uint64_t)(sub - unit->subs) << BL_TIME_AREA_BITS) +
               within;
    const struct bl_time_stream *stream = &sub->stream;
    const int64_t shift = stream->shifts ? stream->shifts[op->array] : 0,
                  again = stream->again
                              ? (int64_t)((sub->at - 1) / stream->count) * stream->again[op->array]
                              : 0;
    return bl_time_shifted(address, shift + again,
                           stream->sharing ? &stream->sharing[op->array] : NULL);
}

struct bl_time_sharing bl_time_sharing_of(const struct bl_time_sub_group *sub,
                                          const struct bl_time_op *op)
{
    return sub->stream.sharing && !op->is_private
               ? sub->stream.sharing[op->array]
               : (struct bl_time_sharing){.overlap = BL_TIME_OVERLAP_UNKNOWN};
}

double bl_time_stall(struct bl_time_unit *unit, const struct bl_time_sub_group *sub,
                     double start_ns, double done_ns)
{
    /* With 1000 ns, a histogram of three colours was predicted to take 1180 us on an H100, and with
     * 2000 to 16,000 ns 580 us; measured were 471 us. */
    static const double most_lag_ns = 2000;
    const double stalled_ns = fmax(0, done_ns - most_lag_ns - fmax(start_ns, sub->now_ns));
    unit->path_ns += stalled_ns;
    unit->lost_ns[BL_LIMIT_L2] += stalled_ns;
    unit->updated_ns = fmax(unit->updated_ns, done_ns);
    return stalled_ns;
}
