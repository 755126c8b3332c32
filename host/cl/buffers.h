/* Private to host/cl: the buffers that kernels work on, one set per placement. */
#ifndef BANKLINE_CL_BUFFERS_H
#define BANKLINE_CL_BUFFERS_H

#include <stddef.h>
#include <stdint.h>

#include "cl/cl_error.h"
#include "cl/session.h"

/* An array at one placement. */
struct bl_buffer {
    cl_mem whole; /* OpenCL buffer that this placement owns; NULL if placement 0 owns the buffer
                     instead, or if there is no array */
    cl_mem part;  /* the array: a sub-buffer, or the same as `whole`; NULL if there is no array */
    size_t bytes; /* size of `part` */
};

enum bl_array_kind {
    BL_DATA,     /* read-only data in global memory */
    BL_CONSTANT, /* read-only data in constant memory */
    BL_WRITTEN,  /* array that the kernel writes */
    BL_OUTPUTS,  /* results that the host checks */
    BL_ARRAY_KINDS
};

struct bl_place {
    struct bl_buffer of[BL_ARRAY_KINDS];
};

/* Requested sizes of the arrays, each the maximum over several dispatches, and number of
 * placements. */
struct bl_needs {
    size_t bytes[BL_ARRAY_KINDS];
    size_t count;
};

/* The arrays of all placements. Before the first use, set context and queue to valid handles, and
 * all other members to zero. */
struct bl_places {
    cl_context context; /* context and queue with which buffers are made and filled */
    cl_command_queue queue;
    struct bl_place at[BL_MAX_PLACEMENTS];
    struct bl_needs needs; /* argument of the last bl_places_set; count is 0 if that call did not
                              make all arrays, or if there was none */
    char owner[64];        /* name of the suite for which that call made the arrays */
};

/* The array sizes that the dispatches need, and the number of placements: `wanted`, or fewer if
 * arrays that share a buffer would exceed max_buffer_bytes. */
struct bl_needs bl_needs_of(const struct bl_dispatch dispatches[], size_t count, unsigned wanted,
                            uint64_t max_buffer_bytes);

/* Makes the arrays at all placements. Does nothing if the same owner already has arrays of these
 * sizes. BL_DATA and BL_CONSTANT are filled with bl_data_element; other arrays are left undefined.
 *
 * A small array gets a separate buffer at each placement, and a different offset in each buffer.
 * Large arrays are slow to allocate and release, so the large arrays of all placements share one
 * buffer, in which they overlap at different offsets.
 *
 * *placements receives the number of placements obtained. If there are fewer than wanted, BL_OK is
 * still returned and error says why. If there are none, the failure is returned. */
enum bl_status bl_places_set(struct bl_places *places, const char *owner,
                             const struct bl_needs *needs, unsigned *placements,
                             struct bl_error *error);

/* Makes or enlarges the arrays that the dispatch needs at its placement. */
enum bl_status bl_places_need(struct bl_places *places, const struct bl_dispatch *dispatch,
                              struct bl_error *error);

void bl_places_release(struct bl_places *places);

/* The kind of the array that the dispatch's kernel accesses; the outputs are a separate array. */
enum bl_array_kind bl_array_of(const struct bl_dispatch *dispatch);

#endif
