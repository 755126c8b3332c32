/* Launches kernels on one device and waits for them with a deadline, so that a kernel that never
 * ends does not hang the program. After such a launch the session is lost: none of its OpenCL
 * objects is used or released again. */
#include "cl/session.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "cl/buffers.h"
#include "cl/cl_error.h"
#include "cl/program.h"

/* Waiting for a command that may never end. clWaitForEvents has no deadline, so a second thread
 * calls it, and the caller waits for that thread with a deadline, checking for interruption
 * meanwhile. */

struct event_wait {
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    cl_event event; /* the event to wait for; NULL if none */
    cl_int code;    /* result of the last wait */
    bool is_closing;
};

static void *wait_for_events(void *context)
{
    struct event_wait *wait = context;
    pthread_mutex_lock(&wait->mutex);
    while (!wait->is_closing) {
        if (!wait->event) {
            pthread_cond_wait(&wait->changed, &wait->mutex);
            continue;
        }
        const cl_event event = wait->event;
        pthread_mutex_unlock(&wait->mutex);
        const cl_int code = clWaitForEvents(1, &event);
        pthread_mutex_lock(&wait->mutex);
        wait->code = code;
        wait->event = NULL;
        pthread_cond_broadcast(&wait->changed);
    }
    pthread_mutex_unlock(&wait->mutex);
    return NULL;
}

/* Starts the waiting thread. Fails with BL_NO_MEMORY if it cannot be started. */
static enum bl_status event_wait_open(struct event_wait *wait, struct bl_error *error)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&wait->mutex, NULL);
    pthread_cond_init(&wait->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    wait->has_thread = pthread_create(&wait->thread, NULL, wait_for_events, wait) == 0;
    return wait->has_thread
               ? BL_OK
               : bl_fail(error, BL_NO_MEMORY, "cannot start a thread that waits for the device");
}

static void event_wait_close(struct event_wait *wait)
{
    if (!wait->has_thread)
        return;
    pthread_mutex_lock(&wait->mutex);
    wait->is_closing = true;
    pthread_cond_broadcast(&wait->changed);
    pthread_mutex_unlock(&wait->mutex);
    pthread_join(wait->thread, NULL);
    pthread_cond_destroy(&wait->changed);
    pthread_mutex_destroy(&wait->mutex);
}

/* Does not use bl_host_now_ns, because tests replace that function by a clock that may stand still
 * while a kernel runs. */
static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Waits at most a tenth of a second, so that an interruption is noticed soon. */
static void wait_a_little(struct event_wait *wait)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += 100000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&wait->changed, &wait->mutex, &until);
}

/* Waits for the event. Fails with BL_OPENCL_FAILED if the driver reports an error; with BL_HANGS
 * after the deadline; or with BL_INTERRUPTED. After BL_HANGS or BL_INTERRUPTED the waiting thread
 * is still blocked, so do not release the event, and do not wait for another event. */
static enum bl_status event_wait_for(struct event_wait *wait, const struct bl_wait_limits *limits,
                                     cl_event event, struct bl_error *error)
{
    const double deadline_s = now_s() + limits->deadline_s;
    enum bl_status status = BL_OK;
    pthread_mutex_lock(&wait->mutex);
    wait->event = event;
    pthread_cond_broadcast(&wait->changed);
    while (wait->event && status == BL_OK) {
        wait_a_little(wait);
        if (!wait->event)
            break;
        if (limits->interrupted && *limits->interrupted)
            status = bl_fail(error, BL_INTERRUPTED, "interrupted");
        else if (now_s() > deadline_s)
            status = bl_fail(error, BL_HANGS, "the device did not finish within %g s; giving up",
                             limits->deadline_s);
    }
    const cl_int code = wait->code;
    pthread_mutex_unlock(&wait->mutex);
    return status == BL_OK ? bl_cl_check(code, "clWaitForEvents", error) : status;
}

struct bl_session {
    const struct bl_device *device;
    struct bl_compiler compiler;
    cl_command_queue queue;
    struct bl_places places;
    struct bl_kernel *kernels;
    struct bl_build_queue *build_queue; /* NULL if each kernel is built when it is needed */
    struct event_wait event_wait;       /* its thread is never joined if the session is lost */
    struct bl_wait_limits limits;
    enum bl_status lost; /* BL_HANGS or BL_INTERRUPTED if a launch did not end, else BL_OK */
};

/* A constant of an extension that older OpenCL headers do not define. */
#ifndef CL_KERNEL_SPILL_MEM_SIZE_INTEL
#define CL_KERNEL_SPILL_MEM_SIZE_INTEL 0x4109
#endif

enum bl_status bl_session_open(const struct bl_device *device, const char *kernel_folder,
                               const struct bl_wait_limits *limits, struct bl_session **session,
                               struct bl_error *error)
{
    *session = NULL;
    struct bl_session *opened = calloc(1, sizeof *opened);
    if (!opened)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while opening a session");
    *opened = (struct bl_session){
        .device = device, .compiler = {NULL, device->id, kernel_folder}, .limits = *limits};
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)device->platform, 0};
    cl_int code;
    opened->compiler.context =
        clCreateContext(properties, 1, &opened->compiler.device, NULL, NULL, &code);
    enum bl_status status = bl_cl_check(code, "clCreateContext", error);
    if (status == BL_OK) {
        opened->queue = clCreateCommandQueue(opened->compiler.context, opened->compiler.device,
                                             CL_QUEUE_PROFILING_ENABLE, &code);
        status = bl_cl_check(code, "clCreateCommandQueue", error);
    }
    if (status != BL_OK)
        bl_error_context(error, "%s", device->name);
    opened->places.context = opened->compiler.context;
    opened->places.queue = opened->queue;
    if (status == BL_OK)
        status = event_wait_open(&opened->event_wait, error);
    if (status == BL_OK)
        *session = opened;
    else
        bl_session_close(opened);
    return status;
}

void bl_session_close(struct bl_session *session)
{
    if (!session || session->lost != BL_OK)
        return;
    event_wait_close(&session->event_wait);
    bl_build_queue_close(session->build_queue);
    bl_programs_release(session->kernels);
    bl_places_release(&session->places);
    if (session->queue)
        clReleaseCommandQueue(session->queue);
    if (session->compiler.context)
        clReleaseContext(session->compiler.context);
    free(session);
}

bool bl_session_is_lost(const struct bl_session *session)
{
    return session && session->lost != BL_OK;
}

/* Returns BL_OK if the session is usable and no interruption was requested. */
static enum bl_status session_check(struct bl_session *session, struct bl_error *error)
{
    if (session->lost != BL_OK)
        return bl_fail(error, session->lost, "%s has not finished", session->device->name);
    const bool is_interrupted = session->limits.interrupted && *session->limits.interrupted;
    return is_interrupted ? bl_fail(error, BL_INTERRUPTED, "interrupted") : BL_OK;
}

void bl_session_queue_builds(struct bl_session *session, const struct bl_kernel_source sources[],
                             size_t count)
{
    if (!session->build_queue)
        session->build_queue = bl_build_queue_open(&session->compiler, sources, count);
}

bool bl_session_end_builds(struct bl_session *session)
{
    if (session->lost != BL_OK)
        return false;
    bl_build_queue_close(session->build_queue);
    session->build_queue = NULL;
    return true;
}

enum bl_status bl_session_kernel(struct bl_session *session, const struct bl_kernel_source *source,
                                 struct bl_kernel **kernel, struct bl_error *error)
{
    *kernel = bl_program_find(session->kernels, source);
    enum bl_status status = session_check(session, error);
    if (*kernel || status != BL_OK)
        return status;
    if (session->build_queue &&
        bl_build_queue_take(session->build_queue, source, kernel, &status, error))
        return status;
    const struct bl_wait_limits *limits = &session->limits;
    if (limits->building)
        limits->building(limits->context, false);
    status = bl_program_build(&session->compiler, source, &session->kernels, error);
    if (limits->building)
        limits->building(limits->context, true);
    *kernel = status == BL_OK ? session->kernels : NULL;
    return status;
}

static enum bl_status event_time(cl_event event, cl_profiling_info what, uint64_t *ns,
                                 struct bl_error *error)
{
    return bl_cl_check(clGetEventProfilingInfo(event, what, sizeof *ns, ns, NULL),
                       "clGetEventProfilingInfo", error);
}

/* The size of a launch with one or two dimensions; y is 0 if there is only one. */
struct range {
    size_t groups; /* number of groups, along x */
    size_t x, y;   /* size of a group */
};

static enum bl_status enqueue(struct bl_session *session, const struct bl_kernel *kernel,
                              const struct range *range, cl_event *event, struct bl_error *error)
{
    const size_t local[] = {range->x, range->y}, global[] = {range->groups * range->x, range->y};
    const cl_int code = clEnqueueNDRangeKernel(session->queue, kernel->kernel, range->y ? 2 : 1,
                                               NULL, global, local, 0, NULL, event);
    const bool is_large = code == CL_OUT_OF_RESOURCES || code == CL_INVALID_WORK_GROUP_SIZE;
    const enum bl_status status = bl_cl_check(code, "clEnqueueNDRangeKernel", error);
    if (status != BL_OK && range->y)
        bl_error_context(error, "%s with %zu groups of %zux%zu%s", kernel->key, range->groups,
                         range->x, range->y,
                         is_large ? " (try fewer work-items or less local memory per group)" : "");
    else if (status != BL_OK)
        bl_error_context(error, "%s with %zu groups of %zu", kernel->key, range->groups, range->x);
    return status;
}

static enum bl_status set_argument(const struct bl_kernel *kernel, unsigned i, size_t bytes,
                                   const void *value, struct bl_error *error)
{
    return bl_cl_check(clSetKernelArg(kernel->kernel, i, bytes, value), "clSetKernelArg", error);
}

static enum bl_status flush(struct bl_session *session, struct bl_error *error)
{
    /* Some drivers start a command only when the queue is flushed. */
    return bl_cl_check(clFlush(session->queue), "clFlush", error);
}

/* Waits for the end of a launch. If it does not end, the session is lost. */
static enum bl_status wait_for(struct bl_session *session, cl_event event, struct bl_error *error)
{
    const enum bl_status status =
        event_wait_for(&session->event_wait, &session->limits, event, error);
    if (status == BL_HANGS || status == BL_INTERRUPTED)
        session->lost = status;
    return status;
}

/* Waits for the end of a launch although a later call failed with `status`, because the launch may
 * use buffers that the caller is about to release. Returns the status, or the status of the wait if
 * the launch does not end. */
static enum bl_status wait_after_failure(struct bl_session *session, cl_event event,
                                         enum bl_status status, struct bl_error *error)
{
    struct bl_error own = {.status = BL_OK};
    const enum bl_status waited = wait_for(session, event, &own);
    return bl_session_is_lost(session) ? bl_fail(error, waited, "%s", own.sentence) : status;
}

static enum bl_status read_times(cl_event event, struct bl_timing *timing, struct bl_error *error)
{
    const enum bl_status status =
        event_time(event, CL_PROFILING_COMMAND_START, &timing->start_ns, error);
    return status == BL_OK ? event_time(event, CL_PROFILING_COMMAND_END, &timing->end_ns, error)
                           : status;
}

/* Launches the kernel, whose arguments are already set, waits for its end and reads its times. */
static enum bl_status launch(struct bl_session *session, const struct bl_kernel *kernel,
                             const struct range *range, struct bl_timing *timing,
                             struct bl_error *error)
{
    const uint64_t before_ns = bl_host_now_ns();
    cl_event event = NULL;
    enum bl_status status = enqueue(session, kernel, range, &event, error);
    if (status != BL_OK)
        return status;
    status = flush(session, error);
    status = status == BL_OK ? wait_for(session, event, error)
                             : wait_after_failure(session, event, status, error);
    if (status != BL_OK)
        bl_error_context(error, "%s", kernel->key);
    timing->host_ns = bl_host_now_ns() - before_ns;
    if (bl_session_is_lost(session))
        return status;
    if (status == BL_OK)
        status = read_times(event, timing, error);
    clReleaseEvent(event);
    return status;
}

enum bl_status bl_session_place(struct bl_session *session, const char *owner,
                                const struct bl_dispatch dispatches[], size_t count,
                                unsigned wanted, unsigned *placements, struct bl_error *error)
{
    *placements = 0;
    const enum bl_status status = session_check(session, error);
    if (status != BL_OK)
        return status;
    const struct bl_needs needs =
        bl_needs_of(dispatches, count, wanted, session->device->max_buffer_bytes);
    const enum bl_status placed = bl_places_set(&session->places, owner, &needs, placements, error);
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
        status = bl_places_need(&session->places, dispatch, error);
    if (status != BL_OK)
        return status;
    const struct bl_place *place = &session->places.at[dispatch->placement];
    const cl_int zero = 0;
    const size_t sizes[] = {sizeof(cl_mem), sizeof(cl_mem), sizeof rounds, sizeof zero,
                            dispatch->local_bytes};
    const void *const values[] = {&place->of[bl_array_of(dispatch)].part,
                                  &place->of[BL_OUTPUTS].part, &rounds, &zero, NULL};
    const unsigned count = dispatch->local_bytes ? 5 : 4;
    for (unsigned i = 0; i < count && status == BL_OK; i++)
        status = set_argument(kernel, i, sizes[i], values[i], error);
    const struct range range = {dispatch->groups, dispatch->shape.x, dispatch->shape.y};
    return status == BL_OK ? launch(session, kernel, &range, timing, error) : status;
}

/* write_buffer and read_buffer copy between the host and a buffer, and wait for the copy. */
static enum bl_status write_buffer(struct bl_session *session, cl_mem buffer, size_t bytes,
                                   const void *values, struct bl_error *error)
{
    return bl_cl_check(
        clEnqueueWriteBuffer(session->queue, buffer, CL_TRUE, 0, bytes, values, 0, NULL, NULL),
        "clEnqueueWriteBuffer", error);
}

static enum bl_status read_buffer(struct bl_session *session, cl_mem buffer, size_t bytes,
                                  void *values, struct bl_error *error)
{
    return bl_cl_check(
        clEnqueueReadBuffer(session->queue, buffer, CL_TRUE, 0, bytes, values, 0, NULL, NULL),
        "clEnqueueReadBuffer", error);
}

enum bl_status bl_session_preset(struct bl_session *session, const struct bl_dispatch *dispatch,
                                 uint32_t value, struct bl_error *error)
{
    enum bl_status status = bl_places_need(&session->places, dispatch, error);
    if (status != BL_OK)
        return status;
    /* clEnqueueFillBuffer is not used, because Oclgrind would report the memory as
     * uninitialized. */
    uint32_t *values = malloc(dispatch->outputs * sizeof *values);
    if (!values)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while allocating %zu outputs",
                       dispatch->outputs);
    for (size_t i = 0; i < dispatch->outputs; i++)
        values[i] = value;
    status = write_buffer(session, session->places.at[dispatch->placement].of[BL_OUTPUTS].part,
                          dispatch->outputs * sizeof *values, values, error);
    free(values);
    return status;
}

enum bl_status bl_session_outputs(struct bl_session *session, const struct bl_dispatch *dispatch,
                                  uint32_t outputs[], struct bl_error *error)
{
    return read_buffer(session, session->places.at[dispatch->placement].of[BL_OUTPUTS].part,
                       dispatch->outputs * sizeof outputs[0], outputs, error);
}

static uint64_t kernel_bytes(const struct bl_session *session, const struct bl_kernel *kernel,
                             cl_kernel_work_group_info what)
{
    cl_ulong bytes = 0;
    const cl_int code = clGetKernelWorkGroupInfo(kernel->kernel, session->device->id, what,
                                                 sizeof bytes, &bytes, NULL);
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

enum bl_status bl_kernel_local_bytes(const struct bl_session *session,
                                     const struct bl_kernel *kernel, uint64_t *bytes,
                                     struct bl_error *error)
{
    return bl_cl_check(clGetKernelWorkGroupInfo(kernel->kernel, session->device->id,
                                                CL_KERNEL_LOCAL_MEM_SIZE, sizeof *bytes, bytes,
                                                NULL),
                       "clGetKernelWorkGroupInfo", error);
}

uint64_t bl_kernel_hash(const struct bl_kernel *kernel) { return kernel->hash; }

typedef cl_int(CL_API_CALL *sub_group_query)(cl_kernel, cl_device_id, cl_uint, size_t, const void *,
                                             size_t, void *, size_t *);

size_t bl_session_sub_group_size(const struct bl_session *session, const struct bl_kernel *kernel,
                                 const struct bl_dispatch *dispatch)
{
    /* clGetKernelSubGroupInfo is part of OpenCL 2.1; in older versions it belongs to the extension
     * cl_khr_subgroups. */
    const sub_group_query query = (sub_group_query)clGetExtensionFunctionAddressForPlatform(
        session->device->platform, "clGetKernelSubGroupInfoKHR");
    const size_t shape[2] = {dispatch->shape.x, dispatch->shape.y};
    size_t actual = 0;
    if (!session->device->has_sub_groups || !query ||
        query(kernel->kernel, session->device->id, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE_KHR,
              sizeof shape, shape, sizeof actual, &actual, NULL) != CL_SUCCESS)
        return 0;
    return actual;
}

/* Launches of kernels that are not benchmark cases, on arrays that the caller makes. */

/* A struct bl_device_array is never defined: a pointer to it is really a cl_mem, so that the public
 * header needs no OpenCL header. */

enum bl_status bl_device_array_make(struct bl_session *session, size_t bytes,
                                    struct bl_device_array **array, struct bl_error *error)
{
    cl_int code;
    *array =
        (void *)clCreateBuffer(session->compiler.context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    const enum bl_status status = bl_cl_check(code, "clCreateBuffer", error);
    if (status != BL_OK) {
        bl_error_context(error, "an array of %zu bytes", bytes);
        *array = NULL;
    }
    return status;
}

void bl_device_array_release(struct bl_session *session, struct bl_device_array *array)
{
    if (array && !bl_session_is_lost(session))
        clReleaseMemObject((cl_mem)array);
}

enum bl_status bl_device_array_write(struct bl_session *session, struct bl_device_array *array,
                                     size_t bytes, const void *values, struct bl_error *error)
{
    const enum bl_status status = session_check(session, error);
    return status == BL_OK ? write_buffer(session, (cl_mem)array, bytes, values, error) : status;
}

enum bl_status bl_device_array_read(struct bl_session *session, const struct bl_device_array *array,
                                    size_t bytes, void *values, struct bl_error *error)
{
    const enum bl_status status = session_check(session, error);
    return status == BL_OK ? read_buffer(session, (cl_mem)array, bytes, values, error) : status;
}

static enum bl_status set_arguments(const struct bl_kernel_launch *launch, struct bl_error *error)
{
    enum bl_status status = BL_OK;
    for (unsigned i = 0; i < launch->argument_count && status == BL_OK; i++) {
        const struct bl_argument *argument = &launch->arguments[i];
        status = argument->array
                     ? set_argument(launch->kernel, i, sizeof(cl_mem), &argument->array, error)
                     : set_argument(launch->kernel, i, argument->bytes, argument->value, error);
    }
    return status;
}

static struct range range_of(const struct bl_kernel_launch *launch)
{
    return (struct range){launch->groups.count, launch->groups.items, 0};
}

enum bl_status bl_session_launch(struct bl_session *session,
                                 const struct bl_kernel_launch *launched, struct bl_timing *timing,
                                 struct bl_error *error)
{
    const struct range range = range_of(launched);
    enum bl_status status = session_check(session, error);
    if (status == BL_OK)
        status = set_arguments(launched, error);
    return status == BL_OK ? launch(session, launched->kernel, &range, timing, error) : status;
}

/* Enqueues all launches. The first launch is flushed at once, so that it runs while the others are
 * enqueued. */
static enum bl_status enqueue_all(struct bl_session *session, const struct bl_kernel_launch *first,
                                  const struct bl_kernel_launch *behind, unsigned count,
                                  cl_event events[], struct bl_queue_timing *timing,
                                  struct bl_error *error)
{
    const struct range first_range = range_of(first), range = range_of(behind);
    const uint64_t before_ns = bl_host_now_ns();
    enum bl_status status = set_arguments(first, error);
    if (status == BL_OK)
        status = enqueue(session, first->kernel, &first_range, &events[0], error);
    if (status == BL_OK)
        status = flush(session, error);
    if (status == BL_OK)
        status = set_arguments(behind, error);
    const uint64_t between_ns = bl_host_now_ns();
    for (unsigned i = 1; i <= count && status == BL_OK; i++)
        status = enqueue(session, behind->kernel, &range, &events[i], error);
    if (status == BL_OK)
        status = flush(session, error);
    const uint64_t after_ns = bl_host_now_ns();
    timing->queued_ns = after_ns - between_ns;
    timing->all_ns = after_ns - before_ns;
    return status;
}

enum bl_status bl_session_queue(struct bl_session *session, const struct bl_kernel_launch *first,
                                const struct bl_kernel_launch *behind, unsigned count,
                                struct bl_queue_timing *timing, struct bl_error *error)
{
    cl_event events[BL_MAX_QUEUED + 1] = {NULL};
    const uint64_t before_ns = bl_host_now_ns();
    enum bl_status status = session_check(session, error);
    if (status == BL_OK)
        status = enqueue_all(session, first, behind, count, events, timing, error);
    unsigned last = count; /* the last enqueued launch ends last, because the queue is in order */
    while (last > 0 && !events[last])
        last--;
    if (status == BL_OK)
        status = wait_for(session, events[count], error);
    else if (events[last])
        status = wait_after_failure(session, events[last], status, error);
    if (status != BL_OK)
        bl_error_context(error, "%u launches queued behind another", count);
    if (bl_session_is_lost(session))
        return status;
    const uint64_t host_ns = bl_host_now_ns() - before_ns;
    for (unsigned i = 0; i <= count; i++) {
        struct bl_timing *own = i == 0 ? &timing->first : &timing->queued[i - 1];
        own->host_ns = host_ns;
        if (status == BL_OK)
            status = read_times(events[i], own, error);
        if (events[i])
            clReleaseEvent(events[i]);
    }
    return status;
}
