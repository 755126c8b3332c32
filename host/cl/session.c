#include "cl/session.h"

#include <stdlib.h>

#include "cl/call.h"
#include "cl/program.h"
#include "model/reference.h"

/* Room for the widest array of any launch: the working set, and the widest steps beyond it. */
enum { DATA_ELEMENTS = BL_WORKING_SET_BYTES / BL_ELEMENT_BYTES + BL_MAX_UNROLL * 128 };

struct bl_session {
    const struct bl_device *device;
    const char *kernel_folder;
    cl_context context;
    cl_command_queue queue;
    cl_mem data, sums;
    size_t sums_items; /* room in sums */
    struct bl_kernel *kernels;
};

static enum bl_status fill_data(struct bl_session *session, struct bl_error *error)
{
    uint32_t *values = malloc(DATA_ELEMENTS * sizeof *values);
    if (!values)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the data array");
    for (size_t i = 0; i < DATA_ELEMENTS; i++)
        values[i] = bl_data_element(i);
    const enum bl_status status = bl_cl_check(
        clEnqueueWriteBuffer(session->queue, session->data, CL_TRUE, 0,
                             DATA_ELEMENTS * sizeof *values, values, 0, NULL, NULL),
        "clEnqueueWriteBuffer", error);
    free(values);
    return status;
}

enum bl_status bl_session_open(const struct bl_device *device, const char *kernel_folder,
                               struct bl_session **session, struct bl_error *error)
{
    struct bl_session *opened = calloc(1, sizeof *opened);
    *session = NULL;
    if (!opened)
        return bl_fail(error, BL_NO_MEMORY, "no memory for a session");
    opened->device = device;
    opened->kernel_folder = kernel_folder;

    cl_device_id id = device->id;
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)device->platform, 0};
    cl_int code;
    opened->context = clCreateContext(properties, 1, &id, NULL, NULL, &code);
    enum bl_status status = bl_cl_check(code, "clCreateContext", error);
    if (status == BL_OK) {
        opened->queue = clCreateCommandQueue(opened->context, id, CL_QUEUE_PROFILING_ENABLE, &code);
        status = bl_cl_check(code, "clCreateCommandQueue", error);
    }
    if (status == BL_OK) {
        opened->data = clCreateBuffer(opened->context, CL_MEM_READ_ONLY,
                                      DATA_ELEMENTS * sizeof(uint32_t), NULL, &code);
        status = bl_cl_check(code, "clCreateBuffer", error);
    }
    if (status == BL_OK)
        status = fill_data(opened, error);
    if (status != BL_OK) {
        bl_session_close(opened);
        bl_error_context(error, "%s", device->name);
        return status;
    }
    *session = opened;
    return BL_OK;
}

void bl_session_close(struct bl_session *session)
{
    if (!session)
        return;
    bl_programs_release(session->kernels);
    if (session->sums)
        clReleaseMemObject(session->sums);
    if (session->data)
        clReleaseMemObject(session->data);
    if (session->queue)
        clReleaseCommandQueue(session->queue);
    if (session->context)
        clReleaseContext(session->context);
    free(session);
}

enum bl_status bl_session_kernel(struct bl_session *session, const char *file, const char *name,
                                 const char *options, struct bl_kernel **kernel,
                                 struct bl_error *error)
{
    *kernel = bl_program_find(session->kernels, file, name, options);
    if (*kernel)
        return BL_OK;
    const struct bl_program_source source = {session->kernel_folder, file, name, options};
    return bl_program_build(session->context, session->device->id, &source, &session->kernels,
                            kernel, error);
}

static enum bl_status need_sums(struct bl_session *session, const struct bl_launch *launch,
                                struct bl_error *error)
{
    const size_t items = bl_launch_items(launch);
    if (items <= session->sums_items)
        return BL_OK;
    cl_int code;
    cl_mem larger = clCreateBuffer(session->context, CL_MEM_READ_WRITE, items * sizeof(uint32_t),
                                   NULL, &code);
    const enum bl_status status = bl_cl_check(code, "clCreateBuffer", error);
    if (status != BL_OK)
        return status;
    if (session->sums)
        clReleaseMemObject(session->sums);
    session->sums = larger;
    session->sums_items = items;
    return BL_OK;
}

static enum bl_status enqueue(struct bl_session *session, struct bl_kernel *kernel,
                              const struct bl_launch *launch, cl_event *event,
                              struct bl_error *error)
{
    const size_t local[2] = {launch->shape.x, launch->shape.y};
    const size_t global[2] = {launch->groups * launch->shape.x, launch->shape.y};
    const cl_int code = clEnqueueNDRangeKernel(session->queue, bl_program_kernel(kernel), 2, NULL,
                                               global, local, 0, NULL, event);
    const enum bl_status status = bl_cl_check(code, "clEnqueueNDRangeKernel", error);
    if (status != BL_OK)
        bl_error_context(error, "%zu groups of %ux%u", launch->groups, launch->shape.x,
                         launch->shape.y);
    return status;
}

static enum bl_status set_arguments(cl_kernel kernel, const size_t sizes[],
                                    const void *const values[], cl_uint count,
                                    struct bl_error *error)
{
    for (cl_uint i = 0; i < count; i++) {
        const enum bl_status status =
            bl_cl_check(clSetKernelArg(kernel, i, sizes[i], values[i]), "clSetKernelArg", error);
        if (status != BL_OK)
            return status;
    }
    return BL_OK;
}

static enum bl_status event_times(cl_event event, struct bl_timing *timing, struct bl_error *error)
{
    cl_ulong start_ns = 0, end_ns = 0;
    enum bl_status status =
        bl_cl_check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start_ns,
                                            &start_ns, NULL),
                    "clGetEventProfilingInfo", error);
    if (status == BL_OK)
        status = bl_cl_check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END,
                                                     sizeof end_ns, &end_ns, NULL),
                             "clGetEventProfilingInfo", error);
    timing->start_ns = start_ns;
    timing->end_ns = end_ns;
    return status;
}

enum bl_status bl_session_read(struct bl_session *session, struct bl_kernel *kernel,
                               const struct bl_launch *launch, uint32_t rounds,
                               struct bl_timing *timing, struct bl_error *error)
{
    enum bl_status status = need_sums(session, launch, error);
    if (status != BL_OK)
        return status;
    const cl_int zero = 0;
    const size_t sizes[] = {sizeof(cl_mem), sizeof(cl_mem), sizeof rounds, sizeof zero};
    const void *values[] = {&session->data, &session->sums, &rounds, &zero};
    status = set_arguments(bl_program_kernel(kernel), sizes, values, 4, error);
    if (status != BL_OK)
        return status;

    const uint64_t before_ns = bl_host_now_ns();
    cl_event event = NULL;
    status = enqueue(session, kernel, launch, &event, error);
    if (status != BL_OK)
        return status;
    status = bl_cl_check(clWaitForEvents(1, &event), "clWaitForEvents", error);
    timing->host_ns = bl_host_now_ns() - before_ns;
    if (status == BL_OK)
        status = event_times(event, timing, error);
    clReleaseEvent(event);
    return status;
}

enum bl_status bl_session_poison_sums(struct bl_session *session, const struct bl_launch *launch,
                                      struct bl_error *error)
{
    enum bl_status status = need_sums(session, launch, error);
    if (status != BL_OK)
        return status;
    const cl_uint poison = 0xDEADBEEFu;
    return bl_cl_check(clEnqueueFillBuffer(session->queue, session->sums, &poison, sizeof poison, 0,
                                           bl_launch_items(launch) * sizeof poison, 0, NULL, NULL),
                       "clEnqueueFillBuffer", error);
}

static enum bl_status read_buffer(struct bl_session *session, cl_mem buffer, size_t bytes,
                                  void *values, struct bl_error *error)
{
    return bl_cl_check(clEnqueueReadBuffer(session->queue, buffer, CL_TRUE, 0, bytes, values, 0,
                                           NULL, NULL),
                       "clEnqueueReadBuffer", error);
}

enum bl_status bl_session_sums(struct bl_session *session, const struct bl_launch *launch,
                               uint32_t sums[], struct bl_error *error)
{
    return read_buffer(session, session->sums, bl_launch_items(launch) * sizeof sums[0], sums,
                       error);
}

enum bl_status bl_session_probe(struct bl_session *session, struct bl_kernel *kernel,
                                const struct bl_launch *launch, uint64_t indices[],
                                uint64_t starts[], struct bl_error *error)
{
    const size_t bytes = bl_launch_items(launch) * sizeof indices[0];
    cl_mem buffers[2] = {NULL, NULL};
    enum bl_status status = BL_OK;
    for (int i = 0; i < 2 && status == BL_OK; i++) {
        cl_int code;
        buffers[i] = clCreateBuffer(session->context, CL_MEM_WRITE_ONLY, bytes, NULL, &code);
        status = bl_cl_check(code, "clCreateBuffer", error);
    }
    if (status == BL_OK) {
        const size_t sizes[] = {sizeof(cl_mem), sizeof(cl_mem)};
        const void *values[] = {&buffers[0], &buffers[1]};
        status = set_arguments(bl_program_kernel(kernel), sizes, values, 2, error);
    }
    if (status == BL_OK)
        status = enqueue(session, kernel, launch, NULL, error);
    if (status == BL_OK)
        status = read_buffer(session, buffers[0], bytes, indices, error);
    if (status == BL_OK)
        status = read_buffer(session, buffers[1], bytes, starts, error);
    for (int i = 0; i < 2; i++)
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
    return status;
}
