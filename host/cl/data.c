#include "cl/data.h"

#include <stdlib.h>

#include "model/reference.h"

enum { CONSTANT_BYTES = 64 * 1024 };

/* An odd number of 64 KiB, the working set of most cases: where in a set of so many bytes a line
 * lies is the same at each placement, and where the set lies is not. */
enum { PLACEMENT_STEP_BYTES = 17 * 64 * 1024 };

static void release(struct bl_buffer *buffer)
{
    if (buffer->part && buffer->part != buffer->whole)
        clReleaseMemObject(buffer->part);
    if (buffer->whole)
        clReleaseMemObject(buffer->whole);
    *buffer = (struct bl_buffer){0};
}

void bl_place_release(struct bl_place *place)
{
    release(&place->data);
    release(&place->constant);
    release(&place->written);
    release(&place->outputs);
}

const cl_mem *bl_place_array(const struct bl_place *place, const struct bl_dispatch *dispatch)
{
    return dispatch->is_written    ? &place->written.part
           : dispatch->is_constant ? &place->constant.part
                                   : &place->data.part;
}

static enum bl_status need_buffer(struct bl_buffer *buffer, unsigned placement, size_t bytes,
                                  cl_context context, struct bl_error *error)
{
    if (bytes <= buffer->bytes)
        return BL_OK;
    release(buffer);
    const size_t offset = (size_t)placement * PLACEMENT_STEP_BYTES;
    cl_int code;
    buffer->whole = clCreateBuffer(context, CL_MEM_READ_WRITE, offset + bytes, NULL, &code);
    enum bl_status status = bl_cl_check(code, "clCreateBuffer", error);
    buffer->part = buffer->whole;
    if (status == BL_OK && offset > 0) {
        const cl_buffer_region region = {offset, bytes};
        buffer->part = clCreateSubBuffer(buffer->whole, CL_MEM_READ_WRITE,
                                         CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
        status = bl_cl_check(code, "clCreateSubBuffer", error);
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
        return bl_fail(error, BL_NO_MEMORY, "no memory for %zu bytes of data", bytes);
    for (size_t i = 0; i < bytes / sizeof *values; i++)
        values[i] = bl_data_element(i);
    const enum bl_status status =
        bl_cl_check(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, bytes, values, 0, NULL, NULL),
                    "clEnqueueWriteBuffer", error);
    free(values);
    return status;
}

static enum bl_status need_data(struct bl_buffer *buffer, unsigned placement, size_t bytes,
                                cl_context context, cl_command_queue queue, struct bl_error *error)
{
    if (bytes <= buffer->bytes)
        return BL_OK;
    bytes = (bytes + 3) / 4 * 4;
    const size_t period = BL_DATA_PERIOD * sizeof(uint32_t);
    enum bl_status status = need_buffer(buffer, placement, bytes, context, error);
    if (status == BL_OK)
        status = write_period(queue, buffer->part, bytes < period ? bytes : period, error);
    /* The rest repeats it: the device copies what is there, twice as much each time. */
    for (size_t done = period; done < bytes && status == BL_OK; done *= 2) {
        const size_t left = bytes - done;
        status = bl_cl_check(clEnqueueCopyBuffer(queue, buffer->part, buffer->part, 0, done,
                                                 left < done ? left : done, 0, NULL, NULL),
                             "clEnqueueCopyBuffer", error);
    }
    if (status == BL_OK)
        status = bl_cl_check(clFinish(queue), "clFinish", error);
    if (status != BL_OK)
        release(buffer); /* what it holds is not known */
    return status;
}

enum bl_status bl_place_need(struct bl_place *place, unsigned placement,
                             const struct bl_dispatch *dispatch, cl_context context,
                             cl_command_queue queue, struct bl_error *error)
{
    enum bl_status status =
        dispatch->is_written
            ? need_buffer(&place->written, placement, dispatch->data_bytes, context, error)
        : dispatch->is_constant
            ? need_data(&place->constant, placement, CONSTANT_BYTES, context, queue, error)
            : need_data(&place->data, placement, dispatch->data_bytes, context, queue, error);
    if (status == BL_OK)
        status = need_buffer(&place->outputs, placement, dispatch->outputs * sizeof(uint32_t),
                             context, error);
    return status;
}
