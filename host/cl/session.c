#include "cl/session.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cl/call.h"
#include "cl/data.h"
#include "cl/program.h"
#include "cl/waiter.h"

/* Inside host/cl only: what a session is made of, and the steps that all launches take. */

struct bl_session {
    const struct bl_device *device;
    const char *kernel_folder;
    cl_context context;
    cl_command_queue queue;
    struct bl_places places;
    struct bl_kernel *kernels;
    struct bl_ahead *ahead; /* of others, or NULL */
    struct bl_waiter *waiter;
    const volatile sig_atomic_t *interrupted;
    enum bl_status lost; /* BL_OK: it is not */
};

static enum bl_status session_finish(struct bl_session *session, const struct bl_kernel *kernel,
                                     cl_event event, uint64_t before_ns, struct bl_timing *timing,
                                     struct bl_error *error);

static enum bl_status session_arguments(cl_kernel kernel, const size_t sizes[],
                                        const void *const values[], cl_uint count,
                                        struct bl_error *error);

static enum bl_status session_check(struct bl_session *session, struct bl_error *error);

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
    const enum bl_status status = session_check(session, error);
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
    const enum bl_status status = session_check(session, error);
    if (status != BL_OK)
        return status;
    return bl_cl_check(clEnqueueReadBuffer(session->queue, array->buffer, CL_TRUE, offset, bytes,
                                           values, 0, NULL, NULL),
                       "clEnqueueReadBuffer", error);
}

static enum bl_status enqueue_dispatch(struct bl_session *session, struct bl_kernel *kernel,
                                       size_t groups, size_t group_items, cl_event *event,
                                       struct bl_error *error)
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
    enum bl_status status = session_check(session, error);
    if (status == BL_OK)
        status = session_arguments(bl_program_kernel(kernel), sizes, values, count, error);
    cl_event event = NULL;
    const uint64_t before_ns = bl_host_now_ns();
    if (status == BL_OK)
        status = enqueue_dispatch(session, kernel, groups, group_items, &event, error);
    return status == BL_OK ? session_finish(session, kernel, event, before_ns, timing, error)
                           : status;
}

/* Of an extension that older headers lack. */
#ifndef CL_KERNEL_SPILL_MEM_SIZE_INTEL
#define CL_KERNEL_SPILL_MEM_SIZE_INTEL 0x4109
#endif

enum bl_status bl_session_open(const struct bl_device *device, const char *kernel_folder,
                               const struct bl_wait_limits *limits, struct bl_session **session,
                               struct bl_error *error)
{
    struct bl_session *opened = calloc(1, sizeof *opened);
    *session = NULL;
    if (!opened)
        return bl_fail(error, BL_NO_MEMORY, "no memory for a session");
    opened->device = device;
    opened->kernel_folder = kernel_folder;
    opened->interrupted = limits->interrupted;

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
    if (status != BL_OK)
        bl_error_context(error, "%s", device->name);
    if (status == BL_OK)
        status = bl_waiter_open(limits, &opened->waiter, error);
    if (status != BL_OK) {
        bl_session_close(opened);
        return status;
    }
    *session = opened;
    return BL_OK;
}

void bl_session_close(struct bl_session *session)
{
    if (!session || session->lost != BL_OK)
        return;
    bl_waiter_close(session->waiter);
    bl_ahead_close(session->ahead);
    bl_programs_release(session->kernels);
    bl_places_release(&session->places);
    if (session->queue)
        clReleaseCommandQueue(session->queue);
    if (session->context)
        clReleaseContext(session->context);
    free(session);
}

bool bl_session_is_lost(const struct bl_session *session)
{
    return session && session->lost != BL_OK;
}

/* Whether the session can go on, and is to. */
static enum bl_status session_check(struct bl_session *session, struct bl_error *error)
{
    if (session->lost == BL_OK && session->interrupted && *session->interrupted)
        return bl_fail(error, BL_INTERRUPTED, "interrupted");
    return session->lost == BL_OK
               ? BL_OK
               : bl_fail(error, session->lost, "%s has not finished", session->device->name);
}

void bl_session_build_ahead(struct bl_session *session, const struct bl_kernel_source sources[],
                            size_t count)
{
    if (!session->ahead)
        bl_ahead_open(session->context, session->device->id, session->kernel_folder, sources, count,
                      &session->ahead, NULL);
}

enum bl_status bl_session_kernel(struct bl_session *session, const struct bl_kernel_source *source,
                                 struct bl_kernel **kernel, struct bl_error *error)
{
    *kernel = bl_program_find(session->kernels, source);
    enum bl_status status = session_check(session, error);
    if (*kernel || status != BL_OK)
        return status;
    if (session->ahead && bl_ahead_take(session->ahead, source, kernel, &status, error))
        return status;
    return bl_program_build(session->context, session->device->id, session->kernel_folder, source,
                            &session->kernels, kernel, error);
}

static enum bl_status enqueue(struct bl_session *session, struct bl_kernel *kernel,
                              const struct bl_dispatch *dispatch, cl_event *event,
                              struct bl_error *error)
{
    const size_t local[2] = {dispatch->shape.x, dispatch->shape.y};
    const size_t global[2] = {dispatch->groups * dispatch->shape.x, dispatch->shape.y};
    const cl_int code = clEnqueueNDRangeKernel(session->queue, bl_program_kernel(kernel), 2, NULL,
                                               global, local, 0, NULL, event);
    const enum bl_status status = bl_cl_check(code, "clEnqueueNDRangeKernel", error);
    if (status != BL_OK)
        bl_error_context(error, "%s with %zu groups of %ux%u%s", bl_program_name(kernel),
                         dispatch->groups, dispatch->shape.x, dispatch->shape.y,
                         code == CL_OUT_OF_RESOURCES || code == CL_INVALID_WORK_GROUP_SIZE
                             ? " (try fewer work-items or less local memory a group)"
                             : "");
    return status;
}

static enum bl_status session_arguments(cl_kernel kernel, const size_t sizes[],
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

/* Some drivers begin only when they are flushed. */
static enum bl_status wait_for(struct bl_session *session, const struct bl_kernel *kernel,
                               cl_event event, struct bl_error *error)
{
    enum bl_status status = bl_cl_check(clFlush(session->queue), "clFlush", error);
    if (status == BL_OK)
        status = bl_wait(session->waiter, event, error);
    if (status == BL_HANGS || status == BL_INTERRUPTED)
        session->lost = status;
    if (status != BL_OK)
        bl_error_context(error, "%s", bl_program_name(kernel));
    return status;
}

static enum bl_status event_times(cl_event event, struct bl_timing *timing, struct bl_error *error)
{
    cl_ulong start_ns = 0, end_ns = 0;
    enum bl_status status = bl_cl_check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START,
                                                                sizeof start_ns, &start_ns, NULL),
                                        "clGetEventProfilingInfo", error);
    if (status == BL_OK)
        status = bl_cl_check(
            clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end_ns, &end_ns, NULL),
            "clGetEventProfilingInfo", error);
    timing->start_ns = start_ns;
    timing->end_ns = end_ns;
    return status;
}

/* Waits for a kernel that was enqueued at before_ns, of the host's clock, and takes its times;
 * releases the event, unless the session is lost then. */
static enum bl_status session_finish(struct bl_session *session, const struct bl_kernel *kernel,
                                     cl_event event, uint64_t before_ns, struct bl_timing *timing,
                                     struct bl_error *error)
{
    enum bl_status status = wait_for(session, kernel, event, error);
    timing->host_ns = bl_host_now_ns() - before_ns;
    if (status == BL_OK)
        status = event_times(event, timing, error);
    if (session->lost == BL_OK)
        clReleaseEvent(event);
    return status;
}

static enum bl_status need_place(struct bl_session *session, const struct bl_dispatch *dispatch,
                                 struct bl_error *error)
{
    const struct bl_memory_of memory = {session->context, session->queue};
    return bl_places_need(&session->places, dispatch, &memory, error);
}

enum bl_status bl_session_place(struct bl_session *session, const char *owner,
                                const struct bl_dispatch dispatches[], size_t count,
                                unsigned wanted, unsigned *placements, struct bl_error *error)
{
    const struct bl_memory_of memory = {session->context, session->queue};
    *placements = 0;
    const enum bl_status status = session_check(session, error);
    if (status != BL_OK)
        return status;
    const struct bl_needs needs =
        bl_needs_of(dispatches, count, wanted, session->device->max_buffer_bytes);
    const enum bl_status placed =
        bl_places_set(&session->places, owner, &needs, &memory, placements, error);
    if (placed == BL_OK && needs.count < wanted && *placements == needs.count)
        bl_fail(error, BL_OK, "a buffer has at most %" PRIu64 " bytes",
                session->device->max_buffer_bytes);
    return placed;
}

enum bl_status bl_session_run(struct bl_session *session, struct bl_kernel *kernel,
                              const struct bl_dispatch *dispatch, uint32_t rounds,
                              struct bl_timing *timing, struct bl_error *error)
{
    enum bl_status status = session_check(session, error);
    if (status == BL_OK)
        status = need_place(session, dispatch, error);
    if (status != BL_OK)
        return status;
    const struct bl_place *place = &session->places.at[dispatch->placement];
    const cl_int zero = 0;
    const size_t sizes[] = {sizeof(cl_mem), sizeof(cl_mem), sizeof rounds, sizeof zero};
    const void *values[] = {bl_place_array(place, dispatch), &place->outputs.part, &rounds, &zero};
    status = session_arguments(bl_program_kernel(kernel), sizes, values, 4, error);
    if (status != BL_OK)
        return status;

    const uint64_t before_ns = bl_host_now_ns();
    cl_event event = NULL;
    status = enqueue(session, kernel, dispatch, &event, error);
    return status == BL_OK ? session_finish(session, kernel, event, before_ns, timing, error)
                           : status;
}

enum bl_status bl_session_preset(struct bl_session *session, const struct bl_dispatch *dispatch,
                                 uint32_t value, struct bl_error *error)
{
    enum bl_status status = need_place(session, dispatch, error);
    if (status != BL_OK)
        return status;
    /* Written and not filled: Oclgrind takes what was filled for what was never written. */
    uint32_t *values = malloc(dispatch->outputs * sizeof *values);
    if (!values)
        return bl_fail(error, BL_NO_MEMORY, "no memory for %zu outputs", dispatch->outputs);
    for (size_t i = 0; i < dispatch->outputs; i++)
        values[i] = value;
    status = bl_cl_check(
        clEnqueueWriteBuffer(session->queue, session->places.at[dispatch->placement].outputs.part,
                             CL_TRUE, 0, dispatch->outputs * sizeof *values, values, 0, NULL, NULL),
        "clEnqueueWriteBuffer", error);
    free(values);
    return status;
}

static enum bl_status read_buffer(struct bl_session *session, cl_mem buffer, size_t bytes,
                                  void *values, struct bl_error *error)
{
    return bl_cl_check(
        clEnqueueReadBuffer(session->queue, buffer, CL_TRUE, 0, bytes, values, 0, NULL, NULL),
        "clEnqueueReadBuffer", error);
}

enum bl_status bl_session_outputs(struct bl_session *session, const struct bl_dispatch *dispatch,
                                  uint32_t outputs[], struct bl_error *error)
{
    return read_buffer(session, session->places.at[dispatch->placement].outputs.part,
                       dispatch->outputs * sizeof outputs[0], outputs, error);
}

static uint64_t kernel_bytes(const struct bl_session *session, const struct bl_kernel *kernel,
                             cl_kernel_work_group_info what)
{
    cl_ulong bytes = 0;
    const cl_int code = clGetKernelWorkGroupInfo(bl_program_kernel(kernel), session->device->id,
                                                 what, sizeof bytes, &bytes, NULL);
    return code == CL_SUCCESS ? bytes : 0;
}

struct bl_private_bytes bl_kernel_private_bytes(const struct bl_session *session,
                                                const struct bl_kernel *kernel)
{
    return (struct bl_private_bytes){
        .in_memory = kernel_bytes(session, kernel, CL_KERNEL_PRIVATE_MEM_SIZE),
        .spilled = kernel_bytes(session, kernel, CL_KERNEL_SPILL_MEM_SIZE_INTEL),
    };
}

uint64_t bl_kernel_hash(const struct bl_kernel *kernel) { return bl_program_hash(kernel); }

typedef cl_int(CL_API_CALL *sub_group_query)(cl_kernel, cl_device_id, cl_uint, size_t, const void *,
                                             size_t, void *, size_t *);

size_t bl_session_sub_group_size(const struct bl_session *session, const struct bl_kernel *kernel,
                                 const struct bl_dispatch *dispatch)
{
    /* A function of OpenCL 2.1, and of cl_khr_subgroups before. */
    const sub_group_query query = (sub_group_query)clGetExtensionFunctionAddressForPlatform(
        session->device->platform, "clGetKernelSubGroupInfoKHR");
    const size_t shape[2] = {dispatch->shape.x, dispatch->shape.y};
    size_t actual = 0;
    if (!session->device->has_sub_groups || !query ||
        query(bl_program_kernel(kernel), session->device->id,
              CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE_KHR, sizeof shape, shape, sizeof actual,
              &actual, NULL) != CL_SUCCESS)
        return 0;
    return actual;
}
