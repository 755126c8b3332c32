/* The sub-groups of a simulated compute unit that can continue: a binary heap, ordered by time.
 * Private to host/model. */
#ifndef BANKLINE_MODEL_TIME_QUEUE_H
#define BANKLINE_MODEL_TIME_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bl_time_ready {
    double ns;       /* when the sub-group can continue */
    uint32_t number; /* the sub-group's number */
};

struct bl_time_queue {
    struct bl_time_ready *ready; /* heap of `count` elements, of which the first is the earliest;
                                    the caller's array, large enough for all sub-groups */
    size_t count;
};

void bl_time_queue_push(struct bl_time_queue *queue, struct bl_time_ready ready);

/* Removes the sub-group that can continue first (if there are several, the one with the lowest
 * number) and returns its number. The queue must not be empty. */
uint32_t bl_time_queue_pop(struct bl_time_queue *queue);

/* Whether another sub-group comes before this one. */
bool bl_time_queue_is_ahead(const struct bl_time_queue *queue, struct bl_time_ready ready);

#endif
