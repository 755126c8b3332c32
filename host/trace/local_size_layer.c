/* A library that is preloaded into the traced program before Oclgrind's library. It has four tasks.
 *
 * If a launch leaves the group size to OpenCL, the library chooses the size as a GPU's driver
 * would, with at most BANKLINE_TRACE_LOCAL_SIZE work-items. Oclgrind would run groups of one
 * work-item.
 *
 * The library answers queries as the machine's driver would (BL_WIRE_ANSWERS). Programs query the
 * device before they choose kernels and group sizes, and with Oclgrind's answers they would launch
 * other groups than on a GPU. For example, Oclgrind's device reports that it is a CPU as well as a
 * GPU, and for CPUs some programs choose groups of one work-item.
 *
 * The library records when the program waits for the device, and reports to the plugin which
 * launches are queued behind earlier launches and transfers, and which come after transfers that
 * the program waited for, after a build, or after the program has computed something itself: the
 * device was then idle.
 *
 * The library works around two faults of Oclgrind. It replaces the build option -cl-std=CL3.0 with
 * -cl-std=CL1.2 (without_cl3). It ignores clFlush, clFinish and releases of OpenCL objects in
 * static destructors and atexit handlers: before these run, the thread_local object in which
 * Oclgrind stores the names of called functions is destroyed, so Oclgrind would write into freed
 * memory. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/pace.h"
#include "trace/wire.h"

enum { MAX_NAME = 1024 };

/* The launches that the program has enqueued and that Oclgrind has not begun yet, the oldest first.
 */
struct enqueued {
    struct enqueued *next;
    uint64_t value; /* the value of the launch's record BL_WIRE_KERNEL */
    struct bl_wire_host_work work;
    char name[];
};
static struct enqueued *first_enqueued, **last_enqueued = &first_enqueued;
static bool has_waited = true; /* the program has waited for the device since its last launch */
static bool has_worked; /* the device has filled, copied or transferred since its last launch, and
                           the program did not wait for it at once */
static uint64_t
    not_waited_for,    /* bytes of the transfers that were enqueued since the last launch or wait */
    host_copied;       /* bytes of the transfers since the last launch that the program waited for,
                          and of initial data of the buffers that it created */
static bool has_built; /* the program has built an OpenCL program since its last launch */
static bool are_units_missing; /* the program queried the number of compute units, which the machine
                                  file does not state */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Removes the oldest enqueued launch of the kernel from the list and returns its value. The plugin
 * runs in the same process and finds this function by its name, BL_LAUNCH_BEGINS. */
CL_API_ENTRY uint64_t bl_launch_begins(const char *kernel, struct bl_wire_host_work *work);

CL_API_ENTRY uint64_t bl_launch_begins(const char *kernel, struct bl_wire_host_work *work)
{
    pthread_mutex_lock(&lock);
    struct enqueued **at = &first_enqueued;
    while (*at && strcmp((*at)->name, kernel) != 0)
        at = &(*at)->next;
    struct enqueued *begun = *at;
    if (begun)
        *at = begun->next;
    if (begun && !begun->next)
        last_enqueued = at;
    const uint64_t value =
        (begun ? begun->value : 0) | (are_units_missing ? BL_WIRE_UNITS_MISSING : 0);
    *work = begun ? begun->work : (struct bl_wire_host_work){0};
    pthread_mutex_unlock(&lock);
    free(begun);
    return value;
}

/* The bytes that a link to the host transfers while the device fills or copies `bytes` of its own
 * memory. A GPU's memory is some 100 times as fast as its link, and a command takes some
 * microseconds. */
static size_t as_transfer(size_t bytes)
{
    enum { TIMES_AS_FAST = 100, LEAST_BYTES = 1 << 16 };
    return LEAST_BYTES + bytes / TIMES_AS_FAST;
}

/* How long the calling thread has computed since its last launch, outside of the OpenCL functions
 * that this library replaces. CPU time does not depend on what else the host does. */
static _Thread_local struct {
    uint64_t computed_ns;
    uint64_t left_ns; /* when the thread left OpenCL; 0 before its first call */
    unsigned depth;   /* of nested calls of OpenCL functions */
} thread;

static bool enter(void)
{
    const uint64_t now_ns = thread.depth++ == 0 ? bl_pace_time_of(CLOCK_THREAD_CPUTIME_ID) : 0;
    if (thread.left_ns > 0 && now_ns > thread.left_ns) /* a fork's CPU time begins at 0 */
        thread.computed_ns += now_ns - thread.left_ns;
    return true;
}

static void leave(const bool *has_entered)
{
    (void)has_entered;
    if (--thread.depth == 0)
        thread.left_ns = bl_pace_time_of(CLOCK_THREAD_CPUTIME_ID);
}

/* Returns the thread's time since its last launch, rounded so that a trace stays the same from run
 * to run in most cases: to three quarters of the next power of two, or to 0 if it is too short to
 * matter. */
static uint64_t take_computed_ns(void)
{
    const uint64_t least_ns = 1 << 17;
    uint64_t rounded_ns = 1;
    while (rounded_ns <= thread.computed_ns / 2)
        rounded_ns *= 2;
    const bool matters = thread.computed_ns >= least_ns;
    thread.computed_ns = 0;
    return matters ? rounded_ns + rounded_ns / 2 : 0;
}

/* Records a transfer of this many bytes, or 0 for none, and whether the program waits for it and
 * for all that it has enqueued before. If it does not wait, the device is at work now, and only
 * what the host does from now on leaves it idle. */
static void note_wait(bool waits, size_t bytes)
{
    pthread_mutex_lock(&lock);
    has_waited |= waits;
    host_copied += waits ? bytes : 0;
    not_waited_for = waits ? 0 : not_waited_for + bytes;
    if (!waits && bytes > 0) {
        host_copied = thread.computed_ns = 0;
        has_worked = true;
    }
    pthread_mutex_unlock(&lock);
}

/* Finds a function of the next OpenCL library. From here to the end of the block, the thread is in
 * OpenCL. */
#define NEXT(name)                                                          \
    __typeof__(name) *next_##name = NULL;                                   \
    const bool in_##name __attribute__((cleanup(leave), unused)) = enter(); \
    do {                                                                    \
        void *found = dlsym(RTLD_NEXT, #name);                              \
        memcpy(&next_##name, &found, sizeof next_##name);                   \
    } while (0)

/* glibc's function that registers C++ destructors of thread_local objects. C has no such
 * destructors. */
/* NOLINTNEXTLINE(bugprone-reserved-identifier) */
extern int __cxa_thread_atexit_impl(void (*function)(void *), void *object, void *library)
    __attribute__((weak));

static _Thread_local bool is_watched,
    has_ended; /* has_ended: the thread's thread_local objects have been destroyed */

static void note_end(void *object)
{
    (void)object;
    has_ended = true;
}

static void watch_thread(void)
{
    if (!is_watched && __cxa_thread_atexit_impl)
        __cxa_thread_atexit_impl(note_end, NULL, NULL);
    is_watched = true;
}

/* Adds a launch to the list. Call this before the launch is enqueued, because Oclgrind may begin it
 * at once. Copies the kernel's name to name[]. */
static void note_launch(cl_kernel kernel, bool is_size_chosen, char name[MAX_NAME])
{
    NEXT(clGetKernelInfo);
    *name = '\0';
    if (!next_clGetKernelInfo ||
        next_clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, MAX_NAME, name, NULL) != CL_SUCCESS)
        return;
    const size_t length = strlen(name) + 1;
    struct enqueued *launch = calloc(1, sizeof *launch + length);
    pthread_mutex_lock(&lock);
    if (launch) {
        memcpy(launch->name, name, length);
        launch->value = (is_size_chosen ? BL_WIRE_LOCAL_CHOSEN : 0) |
                        (has_waited ? 0 : BL_WIRE_QUEUED) | (has_built ? BL_WIRE_IDLE : 0) |
                        (has_worked ? BL_WIRE_WORKED : 0) | not_waited_for << BL_WIRE_LAYER_BITS;
        launch->work = (struct bl_wire_host_work){host_copied, take_computed_ns()};
        *last_enqueued = launch;
        last_enqueued = &launch->next;
    }
    has_waited = has_built = has_worked = false;
    not_waited_for = host_copied = 0;
    pthread_mutex_unlock(&lock);
}

/* Queries the group size that the kernel requires, if any, and lowers *most to the kernel's
 * maximum. */
static void ask(cl_command_queue queue, cl_kernel kernel, size_t required[3], size_t *most)
{
    cl_device_id device = NULL;
    size_t limit = 0;
    NEXT(clGetCommandQueueInfo);
    NEXT(clGetKernelWorkGroupInfo);
    if (!next_clGetCommandQueueInfo || !next_clGetKernelWorkGroupInfo ||
        next_clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(cl_device_id), &device, NULL) !=
            CL_SUCCESS)
        return;
    next_clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                  3 * sizeof(size_t), required, NULL);
    if (next_clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof limit,
                                      &limit, NULL) == CL_SUCCESS &&
        limit > 0 && limit < *most)
        *most = limit;
}

static size_t largest_divisor(size_t of, size_t most)
{
    size_t divisor = of < most ? of : most;
    while (divisor > 1 && of % divisor)
        divisor--;
    return divisor > 0 ? divisor : 1;
}

/* Chooses the group size: the one that the kernel requires, or else as many work-items as possible
 * along x, then along y and z if the machine's driver does so. Returns false if no size can be
 * chosen. */
static bool choose(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                   const size_t global[], size_t local[3])
{
    const char *setting = getenv(BL_WIRE_LOCAL_SIZE);
    size_t most = 0, required[3] = {0}, least = 0, more = 0;
    unsigned chosen_dimensions = 0;
    if (!setting ||
        sscanf(setting, "%zu:%u:%zu:%zu", &most, &chosen_dimensions, &least, &more) != 4 ||
        most == 0 || dimensions < 1 || dimensions > 3 || !global)
        return false;
    if (largest_divisor(global[0], most) < least && more > most)
        most = more;
    ask(queue, kernel, required, &most);
    for (cl_uint i = 0; i < dimensions; i++) {
        if (global[i] == 0)
            return false;
        local[i] = required[0]             ? required[i]
                   : i < chosen_dimensions ? largest_divisor(global[i], most)
                                           : 1;
        most /= local[i] ? local[i] : 1;
    }
    return true;
}

/* NOLINTNEXTLINE(readability-function-size): OpenCL prescribes the parameters. */
CL_API_ENTRY cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
                                                       cl_uint dimensions, const size_t *offset,
                                                       const size_t *global, const size_t *local,
                                                       cl_uint wait_count, const cl_event *waits,
                                                       cl_event *event)
{
    size_t own[3] = {1, 1, 1};
    NEXT(clEnqueueNDRangeKernel);
    watch_thread();
    if (!next_clEnqueueNDRangeKernel)
        return CL_INVALID_OPERATION;
    const bool is_chosen_here = !local && choose(queue, kernel, dimensions, global, own);
    char name[MAX_NAME];
    note_launch(kernel, is_chosen_here, name);
    const cl_int status =
        next_clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global,
                                    is_chosen_here ? own : local, wait_count, waits, event);
    struct bl_wire_host_work ignored;
    if (status != CL_SUCCESS)
        bl_launch_begins(name, &ignored); /* forgets the launch, which will never begin */
    return status;
}

struct answers {
    unsigned units, group, kernel, lanes; /* 0: keep Oclgrind's answer */
};

static struct answers answers(void)
{
    struct answers all = {0};
    const char *text = getenv(BL_WIRE_ANSWERS);
    if (text)
        sscanf(text, "%u:%u:%u:%u", &all.units, &all.group, &all.kernel, &all.lanes);
    return all;
}

static void lower(size_t *value, size_t most)
{
    if (most > 0 && most < *value)
        *value = most;
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info name,
                                                size_t size, void *value, size_t *needed)
{
    NEXT(clGetDeviceInfo);
    if (!next_clGetDeviceInfo)
        return CL_INVALID_OPERATION;
    const cl_int status = next_clGetDeviceInfo(device, name, size, value, needed);
    if (status != CL_SUCCESS || !value)
        return status;
    const struct answers all = answers();
    if (name == CL_DEVICE_TYPE)
        *(cl_device_type *)value = CL_DEVICE_TYPE_GPU;
    if (name == CL_DEVICE_MAX_COMPUTE_UNITS && all.units > 0) {
        *(cl_uint *)value = all.units;
    } else if (name == CL_DEVICE_MAX_COMPUTE_UNITS) {
        pthread_mutex_lock(&lock);
        are_units_missing = true;
        pthread_mutex_unlock(&lock);
    }
    if (name == CL_DEVICE_MAX_WORK_GROUP_SIZE)
        lower(value, all.group);
    return status;
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                                         cl_kernel_work_group_info name,
                                                         size_t size, void *value, size_t *needed)
{
    NEXT(clGetKernelWorkGroupInfo);
    if (!next_clGetKernelWorkGroupInfo)
        return CL_INVALID_OPERATION;
    const cl_int status = next_clGetKernelWorkGroupInfo(kernel, device, name, size, value, needed);
    if (status != CL_SUCCESS || !value)
        return status;
    const struct answers all = answers();
    if (name == CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE && all.lanes > 0)
        *(size_t *)value = all.lanes;
    if (name == CL_KERNEL_WORK_GROUP_SIZE) {
        size_t required[3] = {0};
        next_clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                      sizeof required, required, NULL);
        if (required[0] == 0) { /* else the driver compiles for the required size */
            lower(value, all.group);
            lower(value, all.kernel);
        }
    }
    return status;
}

#define RELEASE(name, type)                                                  \
    CL_API_ENTRY cl_int CL_API_CALL name(type object)                        \
    {                                                                        \
        NEXT(name);                                                          \
        return has_ended || !next_##name ? CL_SUCCESS : next_##name(object); \
    }

RELEASE(clReleaseContext, cl_context)
RELEASE(clReleaseCommandQueue, cl_command_queue)
RELEASE(clReleaseMemObject, cl_mem)
RELEASE(clReleaseProgram, cl_program)
RELEASE(clReleaseKernel, cl_kernel)
RELEASE(clReleaseEvent, cl_event)
RELEASE(clReleaseSampler, cl_sampler)
RELEASE(clReleaseDevice, cl_device_id)

/* Oclgrind's clFlush calls clFinish, but on a GPU clFlush does not wait. */
static _Thread_local bool is_flushing;

CL_API_ENTRY cl_int CL_API_CALL clFlush(cl_command_queue queue)
{
    NEXT(clFlush);
    if (has_ended || !next_clFlush)
        return CL_SUCCESS;
    is_flushing = true;
    const cl_int status = next_clFlush(queue);
    is_flushing = false;
    return status;
}

CL_API_ENTRY cl_int CL_API_CALL clFinish(cl_command_queue queue)
{
    NEXT(clFinish);
    if (has_ended || !next_clFinish)
        return CL_SUCCESS;
    const cl_int status = next_clFinish(queue);
    if (!is_flushing)
        note_wait(true, 0);
    return status;
}

CL_API_ENTRY cl_int CL_API_CALL clWaitForEvents(cl_uint count, const cl_event *events)
{
    NEXT(clWaitForEvents);
    if (!next_clWaitForEvents)
        return CL_INVALID_OPERATION;
    const cl_int status = next_clWaitForEvents(count, events);
    note_wait(true, 0);
    return status;
}

/* A program may also wait by polling the status of a command until it is complete. */
CL_API_ENTRY cl_int CL_API_CALL clGetEventInfo(cl_event event, cl_event_info name, size_t size,
                                               void *value, size_t *needed)
{
    NEXT(clGetEventInfo);
    if (!next_clGetEventInfo)
        return CL_INVALID_OPERATION;
    const cl_int status = next_clGetEventInfo(event, name, size, value, needed);
    if (status == CL_SUCCESS && value && name == CL_EVENT_COMMAND_EXECUTION_STATUS &&
        *(const cl_int *)value == CL_COMPLETE)
        note_wait(true, 0);
    return status;
}

/* NOLINTBEGIN(readability-function-size): OpenCL prescribes the parameters. */
#define TRANSFER(name, data)                                                                       \
    CL_API_ENTRY cl_int CL_API_CALL name(                                                          \
        cl_command_queue queue, cl_mem buffer, cl_bool is_blocking, size_t offset, size_t size,    \
        data host, cl_uint wait_count, const cl_event *waits, cl_event *event)                     \
    {                                                                                              \
        NEXT(name);                                                                                \
        if (!next_##name)                                                                          \
            return CL_INVALID_OPERATION;                                                           \
        const cl_int status =                                                                      \
            next_##name(queue, buffer, is_blocking, offset, size, host, wait_count, waits, event); \
        note_wait(is_blocking, size);                                                              \
        return status;                                                                             \
    }

TRANSFER(clEnqueueReadBuffer, void *)
TRANSFER(clEnqueueWriteBuffer, const void *)

CL_API_ENTRY cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer,
                                                    const void *pattern, size_t pattern_size,
                                                    size_t offset, size_t size, cl_uint wait_count,
                                                    const cl_event *waits, cl_event *event)
{
    NEXT(clEnqueueFillBuffer);
    if (!next_clEnqueueFillBuffer)
        return CL_INVALID_OPERATION;
    const cl_int status = next_clEnqueueFillBuffer(queue, buffer, pattern, pattern_size, offset,
                                                   size, wait_count, waits, event);
    note_wait(false, as_transfer(size));
    return status;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to,
                                                    size_t from_offset, size_t to_offset,
                                                    size_t size, cl_uint wait_count,
                                                    const cl_event *waits, cl_event *event)
{
    NEXT(clEnqueueCopyBuffer);
    if (!next_clEnqueueCopyBuffer)
        return CL_INVALID_OPERATION;
    const cl_int status = next_clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, size,
                                                   wait_count, waits, event);
    note_wait(false, as_transfer(2 * size));
    return status;
}
/* NOLINTEND(readability-function-size) */

/* NOLINTNEXTLINE(readability-function-size): OpenCL prescribes the parameters. */
CL_API_ENTRY void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer,
                                                  cl_bool is_blocking, cl_map_flags flags,
                                                  size_t offset, size_t size, cl_uint wait_count,
                                                  const cl_event *waits, cl_event *event,
                                                  cl_int *status)
{
    NEXT(clEnqueueMapBuffer);
    if (!next_clEnqueueMapBuffer)
        return NULL;
    void *mapped = next_clEnqueueMapBuffer(queue, buffer, is_blocking, flags, offset, size,
                                           wait_count, waits, event, status);
    note_wait(is_blocking, size);
    return mapped;
}

/* A driver copies initial data here, and again before their first use (BL_WIRE_HOST_WORK). */
CL_API_ENTRY cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size,
                                               void *data, cl_int *status)
{
    NEXT(clCreateBuffer);
    pthread_mutex_lock(&lock);
    host_copied += data ? size : 0;
    pthread_mutex_unlock(&lock);
    return next_clCreateBuffer ? next_clCreateBuffer(context, flags, size, data, status) : NULL;
}

/* Oclgrind reports OpenCL C 3.0, but some builds of Oclgrind reject every program with
 * -cl-std=CL3.0. OpenCL C 1.2 has all features that 3.0 requires of a device. */
static char *without_cl3(const char *options)
{
    static const char wanted[] = "-cl-std=CL3.0", known[] = "-cl-std=CL1.2";
    char *own = options ? strdup(options) : NULL;
    for (char *at = own; at && (at = strstr(at, wanted)) != NULL;)
        memcpy(at, known, strlen(known));
    return own;
}

CL_API_ENTRY cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint count,
                                               const cl_device_id *devices, const char *options,
                                               void(CL_CALLBACK *notify)(cl_program, void *),
                                               void *data)
{
    NEXT(clBuildProgram);
    if (!next_clBuildProgram)
        return CL_INVALID_OPERATION;
    char *own = without_cl3(options);
    const cl_int status =
        next_clBuildProgram(program, count, devices, own ? own : options, notify, data);
    free(own);
    pthread_mutex_lock(&lock);
    has_built = true;
    has_worked = false;
    pthread_mutex_unlock(&lock);
    return status;
}
