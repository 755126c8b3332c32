#include "cl/free_launch.h"

#include <stdlib.h>

#include "cl/program.h"
#include "cl/session_inside.h"

struct bl_device_array {
    cl_mem buffer;
};

enum bl_status bl_device_array_make(struct bl_session *session, size_t bytes,
                                    struct bl_device_array **array, struct bl_error *error)
{
    *array = calloc(1, sizeof **array);
    if (!*array)
        return bl_fail(error, BL_NO_MEMORY, "no memory for an array");
    cl_int code;
    (*array)->buffer = clCreateBuffer(session->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    const enum bl_status status = bl_cl_check(code, "clCreateBuffer", error);
    if (status != BL_OK) {
        bl_error_context(error, "an array of %zu bytes", bytes);
        free(*array);
        *array = NULL;
    }
    return status;
}

void bl_device_array_release(struct bl_session *session, struct bl_device_array *array)
{
    if (!array || bl_session_is_lost(session))
        return;
    clReleaseMemObject(array->buffer);
    free(array);
}

enum bl_status bl_device_array_write(struct bl_session *session, struct bl_device_array *array,
                                     size_t offset, size_t bytes, const void *values,
                                     struct bl_error *error)
{
    const enum bl_status status = bl_session_check(session, error);
    if (status != BL_OK)
        return status;
    return bl_cl_check(clEnqueueWriteBuffer(session->queue, array->buffer, CL_TRUE, offset, bytes,
                                            values, 0, NULL, NULL),
                       "clEnqueueWriteBuffer", error);
}

enum bl_status bl_device_array_read(struct bl_session *session, const struct bl_device_array *array,
                                    size_t offset, size_t bytes, void *values,
                                    struct bl_error *error)
{
    const enum bl_status status = bl_session_check(session, error);
    if (status != BL_OK)
        return status;
    return bl_cl_check(clEnqueueReadBuffer(session->queue, array->buffer, CL_TRUE, offset, bytes,
                                           values, 0, NULL, NULL),
                       "clEnqueueReadBuffer", error);
}

static enum bl_status enqueue(struct bl_session *session, struct bl_kernel *kernel, size_t groups,
                              size_t group_items, cl_event *event, struct bl_error *error)
{
    const size_t global = groups * group_items;
    const cl_int code = clEnqueueNDRangeKernel(session->queue, bl_program_kernel(kernel), 1, NULL,
                                               &global, &group_items, 0, NULL, event);
    const enum bl_status status = bl_cl_check(code, "clEnqueueNDRangeKernel", error);
    if (status != BL_OK)
        bl_error_context(error, "%s with %zu groups of %zu", bl_program_name(kernel), groups,
                         group_items);
    return status;
}

enum bl_status bl_session_launch(struct bl_session *session, struct bl_kernel *kernel,
                                 size_t groups, size_t group_items,
                                 const struct bl_argument arguments[], unsigned count,
                                 struct bl_timing *timing, struct bl_error *error)
{
    size_t sizes[BL_MAX_ARGUMENTS];
    const void *values[BL_MAX_ARGUMENTS];
    for (unsigned i = 0; i < count; i++) {
        const struct bl_argument *argument = &arguments[i];
        sizes[i] = argument->array ? sizeof(cl_mem) : argument->bytes;
        values[i] = argument->array ? (const void *)&argument->array->buffer : argument->value;
    }
    enum bl_status status = bl_session_check(session, error);
    if (status == BL_OK)
        status = bl_session_arguments(bl_program_kernel(kernel), sizes, values, count, error);
    cl_event event = NULL;
    const uint64_t before_ns = bl_host_now_ns();
    if (status == BL_OK)
        status = enqueue(session, kernel, groups, group_items, &event, error);
    return status == BL_OK ? bl_session_finish(session, kernel, event, before_ns, timing, error)
                           : status;
}
