/* Running sums in global memory.
 *
 * If each iteration of a loop loads, adds to and stores the same place, a compiler may keep the sum
 * in a register and store only the final value. It does so if no other access in the loop can touch
 * this place, that is, if the iterations access only local memory and such sums: any other load or
 * store of global memory may alias the place, and after a barrier other work-items may read it. */
#include "trace/streams.h"

enum { MAX_SUMS = 16 };

struct shift_sums {
    uint32_t places[MAX_SUMS];
    size_t count;
    uint64_t buffer; /* buffer of all these sums; accesses to another buffer may be through a
                        pointer that aliases */
};

static uint64_t buffer_of(const struct bl_time_stream *stream, const struct bl_time_op *op)
{
    return stream->sectors && op->count > 0 ? stream->sectors[op->first] >> BL_BUFFER_BITS : 0;
}

static bool has_sum(const struct shift_sums *sums, uint32_t place)
{
    size_t at = 0;
    while (at < sums->count && sums->places[at] != place)
        at++;
    return place != 0 && at < sums->count;
}

static void add_sum(struct shift_sums *sums, uint32_t place, uint64_t buffer)
{
    if (sums->buffer != buffer)
        *sums = (struct shift_sums){.buffer = buffer};
    if (place != 0 && !has_sum(sums, place) && sums->count < MAX_SUMS)
        sums->places[sums->count++] = place;
}

/* Marks the stores that a later store makes unnecessary. Processes the operations in reverse order.
 */
static void mark_stores(const struct bl_time_stream *stream, bool is_kept_back[])
{
    struct shift_sums later = {0}; /* places that are stored again before anything may read them */
    for (size_t i = stream->count; i-- > 0;) {
        const struct bl_time_op *op = &stream->ops[i];
        if (op->kind == BL_TIME_STORE) {
            is_kept_back[i] = has_sum(&later, op->place) && later.buffer == buffer_of(stream, op);
            add_sum(&later, op->place, buffer_of(stream, op));
        } else if (op->kind == BL_TIME_BARRIER || op->kind == BL_TIME_LOCAL_ATOMIC ||
                   op->kind == BL_TIME_ATOMIC ||
                   (op->kind == BL_TIME_LOAD && !has_sum(&later, op->place))) {
            later.count = 0;
        }
    }
}

void bl_stream_mark_sums(const struct bl_time_stream *stream, bool is_kept_back[])
{
    struct shift_sums held = {0};
    mark_stores(stream, is_kept_back);
    for (size_t i = 0; i < stream->count; i++) {
        const struct bl_time_op *op = &stream->ops[i];
        if (op->kind == BL_TIME_STORE && is_kept_back[i])
            add_sum(&held, op->place, buffer_of(stream, op));
        else if (op->kind == BL_TIME_LOAD)
            is_kept_back[i] = has_sum(&held, op->place);
        else if (op->kind == BL_TIME_BARRIER)
            held.count = 0;
    }
}
