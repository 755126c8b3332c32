#include "cl/data.h"

#include <stdlib.h>

#include "model/reference.h"

enum bl_status bl_buffer_need(cl_context context, size_t bytes, cl_mem *buffer, size_t *capacity,
                              struct bl_error *error)
{
    if (bytes <= *capacity)
        return BL_OK;
    if (*buffer)
        clReleaseMemObject(*buffer);
    *capacity = 0;
    cl_int code;
    *buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    const enum bl_status status = bl_cl_check(code, "clCreateBuffer", error);
    if (status == BL_OK)
        *capacity = bytes;
    else
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

enum bl_status bl_data_need(cl_context context, cl_command_queue queue, size_t bytes,
                            cl_mem *buffer, size_t *capacity, struct bl_error *error)
{
    if (bytes <= *capacity)
        return BL_OK;
    bytes = (bytes + 3) / 4 * 4;
    const size_t period = BL_DATA_PERIOD * sizeof(uint32_t);
    enum bl_status status = bl_buffer_need(context, bytes, buffer, capacity, error);
    if (status == BL_OK)
        status = write_period(queue, *buffer, bytes < period ? bytes : period, error);
    /* The rest repeats it: the device copies what is there, twice as much each time. */
    for (size_t done = period; done < bytes && status == BL_OK; done *= 2) {
        const size_t left = bytes - done;
        status = bl_cl_check(clEnqueueCopyBuffer(queue, *buffer, *buffer, 0, done,
                                                 left < done ? left : done, 0, NULL, NULL),
                             "clEnqueueCopyBuffer", error);
    }
    if (status == BL_OK)
        status = bl_cl_check(clFinish(queue), "clFinish", error);
    if (status != BL_OK)
        *capacity = 0; /* what it holds is not known */
    return status;
}
