/* Inside host/cl only: the buffers that kernels work on, a set of them at each placement. */
#ifndef BANKLINE_CL_BUFFERS_H
#define BANKLINE_CL_BUFFERS_H

#include <stddef.h>
#include <stdint.h>

#include "cl/cl_error.h"
#include "cl/session.h"

/* An array at one placement. */
struct bl_buffer {
    cl_mem whole,
        part;     /* the array is part, of whole or of placement 0's, or the whole; NULL: none */
    size_t bytes; /* of part */
};

struct bl_place {
    struct bl_buffer data, constant, written, outputs;
};

/* Bytes of each kind of array, the largest of several dispatches', and placements of them. */
struct bl_needs {
    size_t data, constant, written, outputs;
    size_t count;
};

/* Zeroed: nothing is placed. */
struct bl_places {
    struct bl_place at[BL_MAX_PLACEMENTS];
    struct bl_needs needs; /* of what was placed; its count is 0 where nothing was */
    char owner[64];        /* for whom */
};

/* Where buffers are made and filled. */
struct bl_memory_of {
    cl_context context;
    cl_command_queue queue;
};

/* At `wanted` placements, or as many as a device with this limit of a buffer can have. */
struct bl_needs bl_needs_of(const struct bl_dispatch dispatches[], size_t count, unsigned wanted,
                            uint64_t max_buffer_bytes);

/* Makes the arrays at all placements, unless they are there for the same owner and needs: with
 * bl_data_element in data and constant, anything in the others. Small ones get a buffer each, and
 * begin at another offset of it; those that would take long to make and to release lie at other
 * offsets of one buffer. *placements: how many could be had; not BL_OK: none, else error says why
 * there are fewer. */
enum bl_status bl_places_set(struct bl_places *places, const char *owner,
                             const struct bl_needs *needs, const struct bl_memory_of *memory,
                             unsigned *placements, struct bl_error *error);

/* Makes larger, or at all, what a dispatch needs at its placement and does not have. */
enum bl_status bl_places_need(struct bl_places *places, const struct bl_dispatch *dispatch,
                              const struct bl_memory_of *memory, struct bl_error *error);

void bl_places_release(struct bl_places *places);

/* The array that the dispatch's kernel reads or writes; borrowed. */
const cl_mem *bl_place_array(const struct bl_place *place, const struct bl_dispatch *dispatch);

#endif
