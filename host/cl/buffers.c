/* The buffers of each placement: their sizes, offsets and contents. The addresses of arrays affect
 * what accesses cost, so each placement has its arrays at different addresses. */
#include "cl/buffers.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/launch.h"

enum { CONSTANT_BYTES = 64 * 1024 };

/* By how much the offset of an array with a separate buffer grows from one placement to the next:
 * an odd multiple of 64 KiB. Most cases have a working set of 64 KiB, so a multiple of 64 KiB does
 * not change the addresses modulo the working set. Because the multiple is odd, the working set
 * moves to other sets of a cache. */
enum { STEP_BYTES = 17 * 64 * 1024 };

/* If an array's copies for all placements together exceed this size, they share one buffer: a
 * driver may take half a second to release a gigabyte. */
static const uint64_t MAX_SEPARATE_BYTES = 256u << 20;

/* The offset between arrays that share a buffer: one period of the data, so that all arrays have
 * the same content. */
static const size_t SHARED_STEP_BYTES = BL_DATA_PERIOD * sizeof(uint32_t);

static bool is_shared(size_t bytes, size_t count)
{
    return count > 1 && bytes > MAX_SEPARATE_BYTES / count;
}

/* The number of placements, at most `wanted`, that an array of this size can have. */
static size_t places_for(size_t bytes, size_t wanted, uint64_t max_buffer_bytes)
{
    if (!is_shared(bytes, wanted))
        return wanted;
    const uint64_t beyond = max_buffer_bytes > bytes ? max_buffer_bytes - bytes : 0;
    const uint64_t capacity = 1 + beyond / SHARED_STEP_BYTES;
    return capacity < wanted ? (size_t)capacity : wanted;
}

enum bl_array_kind bl_array_of(const struct bl_dispatch *dispatch)
{
    return dispatch->is_written ? BL_WRITTEN : dispatch->is_constant ? BL_CONSTANT : BL_DATA;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

struct bl_needs bl_needs_of(const struct bl_dispatch dispatches[], size_t count, unsigned wanted,
                            uint64_t max_buffer_bytes)
{
    struct bl_needs needs = {.count = wanted};
    for (size_t i = 0; i < count; i++) {
        const struct bl_dispatch *dispatch = &dispatches[i];
        size_t *array = &needs.bytes[bl_array_of(dispatch)], *outputs = &needs.bytes[BL_OUTPUTS];
        *array = larger(*array, dispatch->is_constant ? CONSTANT_BYTES : dispatch->data_bytes);
        *outputs = larger(*outputs, dispatch->outputs * sizeof(uint32_t));
    }
    for (unsigned kind = 0; kind < BL_ARRAY_KINDS; kind++)
        needs.count = places_for(needs.bytes[kind], needs.count, max_buffer_bytes);
    return needs;
}

static void release(struct bl_buffer *buffer)
{
    if (buffer->part && buffer->part != buffer->whole)
        clReleaseMemObject(buffer->part);
    if (buffer->whole)
        clReleaseMemObject(buffer->whole);
    *buffer = (struct bl_buffer){0};
}

static void release_place(struct bl_place *place)
{
    for (unsigned kind = 0; kind < BL_ARRAY_KINDS; kind++)
        release(&place->of[kind]);
}

void bl_places_release(struct bl_places *places)
{
    /* Placement 0 is released last, because arrays of other placements may be parts of its buffers:
     * some drivers crash if a buffer is released before its sub-buffers. */
    for (unsigned i = BL_MAX_PLACEMENTS; i-- > 0;)
        release_place(&places->at[i]);
    places->needs = (struct bl_needs){0};
}

/* Identifies an array by its kind and by its placement among `count` placements. */
struct spot {
    const struct bl_places *places;
    enum bl_array_kind kind;
    size_t placement, count;
};

/* Replaces *buffer by a buffer of this size. *is_new_whole is set if a new OpenCL buffer was
 * allocated, whose content is undefined. */
static enum bl_status make_buffer(struct bl_buffer *buffer, const struct spot *spot, size_t bytes,
                                  bool *is_new_whole, struct bl_error *error)
{
    const bool shares = is_shared(bytes, spot->count);
    const size_t step = shares ? SHARED_STEP_BYTES : STEP_BYTES;
    const size_t offset = spot->placement * step;
    cl_int code = CL_SUCCESS;
    *is_new_whole = !shares || spot->placement == 0;
    release(buffer);
    if (*is_new_whole) {
        const size_t all = bytes + (shares ? (spot->count - 1) * step : offset);
        buffer->whole = clCreateBuffer(spot->places->context, CL_MEM_READ_WRITE, all, NULL, &code);
    }
    enum bl_status status = bl_cl_check(code, "clCreateBuffer", error);
    buffer->part = buffer->whole;
    if (status == BL_OK && offset > 0) {
        const cl_buffer_region region = {offset, bytes};
        buffer->part = clCreateSubBuffer(
            *is_new_whole ? buffer->whole : spot->places->at[0].of[spot->kind].whole,
            CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
        status = bl_cl_check(code, "clCreateSubBuffer", error);
        if (status != BL_OK)
            buffer->part = NULL;
    }
    if (status == BL_OK) {
        buffer->bytes = bytes;
        return BL_OK;
    }
    release(buffer);
    bl_error_context(error, "a buffer of %zu bytes", bytes);
    return status;
}

static enum bl_status write_period(cl_command_queue queue, cl_mem buffer, size_t bytes,
                                   struct bl_error *error)
{
    uint32_t *values = malloc(bytes);
    if (!values)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while preparing %zu bytes of data",
                       bytes);
    for (size_t i = 0; i < bytes / sizeof *values; i++)
        values[i] = bl_data_element(i);
    const enum bl_status status =
        bl_cl_check(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, bytes, values, 0, NULL, NULL),
                    "clEnqueueWriteBuffer", error);
    free(values);
    return status;
}

/* Fills a buffer with data, which repeat after BL_DATA_PERIOD elements. The host writes one period.
 * The device then copies the filled part behind itself, doubling it each time, until the buffer is
 * full. That is much faster than writing gigabytes from the host. */
static enum bl_status fill(cl_command_queue queue, cl_mem buffer, size_t bytes,
                           struct bl_error *error)
{
    const size_t period = BL_DATA_PERIOD * sizeof(uint32_t);
    enum bl_status status = write_period(queue, buffer, bytes < period ? bytes : period, error);
    for (size_t done = period; done < bytes && status == BL_OK; done *= 2) {
        const size_t left = bytes - done;
        status = bl_cl_check(clEnqueueCopyBuffer(queue, buffer, buffer, 0, done,
                                                 left < done ? left : done, 0, NULL, NULL),
                             "clEnqueueCopyBuffer", error);
    }
    return status == BL_OK ? bl_cl_check(clFinish(queue), "clFinish", error) : status;
}

/* Creates or enlarges the buffer if needed. If has_data, a new buffer is filled with
 * bl_data_element.
 */
static enum bl_status need_buffer(struct bl_buffer *buffer, const struct spot *spot, size_t bytes,
                                  bool has_data, struct bl_error *error)
{
    if (bytes <= buffer->bytes)
        return BL_OK;
    if (has_data)
        bytes = (bytes + 3) / 4 * 4;
    bool is_new_whole;
    enum bl_status status = make_buffer(buffer, spot, bytes, &is_new_whole, error);
    if (status != BL_OK || !has_data || !is_new_whole)
        return status;
    /* Arrays that share a buffer are filled together, when placement 0 allocates the buffer. */
    const size_t beyond = is_shared(bytes, spot->count) ? (spot->count - 1) * SHARED_STEP_BYTES : 0;
    status = fill(spot->places->queue, buffer->part, bytes + beyond, error);
    if (status != BL_OK)
        release(buffer); /* the buffer's content is undefined */
    return status;
}

/* Makes the arrays of one placement, except those of 0 bytes. */
static enum bl_status need_all(struct bl_places *places, size_t placement,
                               const struct bl_needs *needs, struct bl_error *error)
{
    enum bl_status status = BL_OK;
    for (unsigned kind = 0; kind < BL_ARRAY_KINDS && status == BL_OK; kind++) {
        const struct spot spot = {places, kind, placement, needs->count};
        status = need_buffer(&places->at[placement].of[kind], &spot, needs->bytes[kind],
                             kind == BL_DATA || kind == BL_CONSTANT, error);
    }
    return status;
}

enum bl_status bl_places_set(struct bl_places *places, const char *owner,
                             const struct bl_needs *needs, unsigned *placements,
                             struct bl_error *error)
{
    *placements = (unsigned)needs->count;
    if (strcmp(places->owner, owner) == 0 && memcmp(&places->needs, needs, sizeof *needs) == 0)
        return BL_OK;
    bl_places_release(places);
    for (unsigned placement = 0; placement < needs->count; placement++) {
        const enum bl_status status = need_all(places, placement, needs, error);
        if (status != BL_OK) { /* places->needs stays empty, so the next call tries again */
            release_place(&places->at[placement]);
            *placements = placement;
            return placement ? BL_OK : status;
        }
    }
    places->needs = *needs;
    snprintf(places->owner, sizeof places->owner, "%s", owner);
    return BL_OK;
}

enum bl_status bl_places_need(struct bl_places *places, const struct bl_dispatch *dispatch,
                              struct bl_error *error)
{
    /* Asks for one placement only, because each array then has a separate buffer. Arrays that share
     * a buffer could not be enlarged. */
    const struct bl_needs needs = bl_needs_of(dispatch, 1, 1, UINT64_MAX);
    return need_all(places, dispatch->placement, &needs, error);
}
