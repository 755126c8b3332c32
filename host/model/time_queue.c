#include "model/time_queue.h"

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
