/* A library that reports how long a program's kernels take according to the device's clock. It
 * enables event profiling on every queue. When a launch has ended, the library writes a line to the
 * pipe that BANKLINE_TIMES_FD describes:
 *
 *     KERNEL <tab> NS <tab> COMPUTE UNITS <tab> HIGHEST MHZ <tab> DEVICE <tab> SOURCE <tab> OPTIONS
 *
 * SOURCE and OPTIONS are hashes (bl_wire_hash, in hexadecimal) of the source and the build options
 * of the kernel's program, because several programs may have kernels with the same name.
 *
 * Each process first writes a line with only a tab, which shows that the library was loaded.
 *
 * The library works as a layer of the OpenCL loader. For loaders that do not support layers, such
 * as CUDA's, it also works as a preloaded library, whose functions are found before the loader's.
 * If it is loaded in both ways, the preloaded functions only call the loader. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <CL/cl_layer.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "trace/pipe_end.h"
#include "trace/wire.h"

enum { MAX_PROPERTIES = 32, LONGEST_NAME = 1024, MAX_ASKED = 64 };

static const struct _cl_icd_dispatch *real; /* the functions to forward to */
static bool is_layer;                       /* loaded as a layer by the OpenCL loader */
static struct bl_pipe_end pipe_end = {.descriptor = -1};
static pthread_mutex_t pipe_lock = PTHREAD_MUTEX_INITIALIZER;

/* A launch that may not have ended yet. */
struct launch {
    cl_event event;
    char *kernel;
    cl_device_id device;
    uint64_t source, options; /* hashes */
};
static struct launch *launches;
static size_t count, capacity;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Replaces control characters, because tabs separate fields, and line ends separate lines. */
static void clean(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ')
            *text = ' ';
}

/* Writes a line in a single write, so that lines of several threads and processes do not mix. */
static bool tell_line(const char *line, size_t length)
{
    pthread_mutex_lock(&pipe_lock);
    const bool is_open = bl_pipe_end_write(&pipe_end, line, length);
    pthread_mutex_unlock(&pipe_lock);
    return is_open;
}

static void tell(struct launch *launch, cl_ulong begin, cl_ulong end)
{
    char device[256] = "", line[LONGEST_NAME + 512];
    cl_uint units = 0, mhz = 0;
    real->clGetDeviceInfo(launch->device, CL_DEVICE_NAME, sizeof device, device, NULL);
    real->clGetDeviceInfo(launch->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    real->clGetDeviceInfo(launch->device, CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof mhz, &mhz, NULL);
    device[sizeof device - 1] = '\0';
    clean(launch->kernel);
    clean(device);
    const int length =
        snprintf(line, sizeof line, "%s\t%" PRIu64 "\t%u\t%u\t%s\t%" PRIx64 "\t%" PRIx64 "\n",
                 launch->kernel, (uint64_t)(end - begin), units, mhz, device, launch->source,
                 launch->options);
    if (length > 0 && (size_t)length < sizeof line)
        tell_line(line, (size_t)length);
}

/* Reports the launches that have ended and removes them from the list. Never waits for a launch,
 * because the launch may itself wait for the program. */
static void drain(void)
{
    pthread_mutex_lock(&lock);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct launch *launch = &launches[i];
        cl_int status = CL_QUEUED;
        cl_ulong begin = 0, end = 0;
        const cl_int asked = real->clGetEventInfo(launch->event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                                  sizeof status, &status, NULL);
        if (asked == CL_SUCCESS && status > CL_COMPLETE) {
            launches[kept++] = *launch;
            continue;
        }
        if (asked == CL_SUCCESS && status == CL_COMPLETE &&
            real->clGetEventProfilingInfo(launch->event, CL_PROFILING_COMMAND_START, sizeof begin,
                                          &begin, NULL) == CL_SUCCESS &&
            real->clGetEventProfilingInfo(launch->event, CL_PROFILING_COMMAND_END, sizeof end, &end,
                                          NULL) == CL_SUCCESS)
            tell(launch, begin, end);
        real->clReleaseEvent(launch->event);
        free(launch->kernel);
    }
    count = kept;
    pthread_mutex_unlock(&lock);
}

/* At exit, reports the launches that are still in the list. Gives up after two seconds, because
 * some launches may never end. */
static void drain_at_exit(void)
{
    enum { TURNS = 200, PAUSE_NS = 10000000 };
    drain();
    for (int i = 0; i < TURNS && count > 0; i++) {
        nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
        drain();
    }
}

static bool say_hello(void)
{
    return bl_pipe_end_open(&pipe_end, getenv(BL_TIMES_DESCRIPTOR)) && tell_line("\t\n", 2);
}

static void register_drain(void) { atexit(drain_at_exit); }

/* Registers the exit handler at the first launch, when drivers have already been loaded, so that it
 * runs before the drivers' own handlers. */
static void drain_at_exit_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_drain);
}

/* The hashes of each program, stored so that they are not computed again for every launch. The
 * programs are retained, so that no other program gets the same address. */
static struct asked {
    cl_program program;
    cl_device_id device;
    uint64_t source, options;
} asked[MAX_ASKED];
static size_t asked_count;

static uint64_t hash_and_free(char *text)
{
    const uint64_t hash = bl_wire_hash(text);
    free(text);
    return hash;
}

static uint64_t source_of(cl_program program)
{
    size_t bytes = 0;
    real->clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &bytes);
    char *text = calloc(1, bytes + 1);
    if (text && bytes)
        real->clGetProgramInfo(program, CL_PROGRAM_SOURCE, bytes, text, NULL);
    return hash_and_free(text);
}

static uint64_t options_of(cl_program program, cl_device_id device)
{
    size_t bytes = 0;
    real->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, 0, NULL, &bytes);
    char *text = calloc(1, bytes + 1);
    if (text && bytes)
        real->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, bytes, text, NULL);
    return hash_and_free(text);
}

/* Fills in the hashes of the kernel's program. */
static void identify(struct launch *launch, cl_kernel kernel)
{
    cl_program program = NULL;
    if (!real->clGetProgramInfo || !real->clGetProgramBuildInfo ||
        real->clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof(cl_program), &program, NULL) !=
            CL_SUCCESS)
        return;
    pthread_mutex_lock(&lock);
    size_t at = 0;
    while (at < asked_count && (asked[at].program != program || asked[at].device != launch->device))
        at++;
    struct asked found = {program, launch->device, 0, 0};
    if (at < asked_count) {
        found = asked[at];
    } else {
        found.source = source_of(program);
        found.options = options_of(program, launch->device);
        if (at < MAX_ASKED && real->clRetainProgram(program) == CL_SUCCESS)
            asked[asked_count++] = found;
    }
    pthread_mutex_unlock(&lock);
    launch->source = found.source;
    launch->options = found.options;
}

/* Adds a launch to the list; takes ownership of the event. */
static void remember(cl_command_queue queue, cl_kernel kernel, cl_event event)
{
    struct launch launch = {.event = event, .kernel = calloc(1, LONGEST_NAME)};
    real->clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(cl_device_id), &launch.device, NULL);
    if (launch.kernel)
        real->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, LONGEST_NAME - 1, launch.kernel,
                              NULL);
    identify(&launch, kernel);
    pthread_mutex_lock(&lock);
    if (count == capacity) {
        const size_t more = capacity ? 2 * capacity : 64;
        struct launch *grown = realloc(launches, more * sizeof *grown);
        launches = grown ? grown : launches;
        capacity = grown ? more : capacity;
    }
    const bool has_room = count < capacity && launch.kernel;
    if (has_room)
        launches[count++] = launch;
    pthread_mutex_unlock(&lock);
    if (has_room)
        return;
    real->clReleaseEvent(event);
    free(launch.kernel);
}

static cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id device,
                                                 cl_command_queue_properties properties,
                                                 cl_int *status)
{
    return real->clCreateCommandQueue(context, device, properties | CL_QUEUE_PROFILING_ENABLE,
                                      status);
}

static cl_command_queue CL_API_CALL create_queue_with(cl_context context, cl_device_id device,
                                                      const cl_queue_properties *properties,
                                                      cl_int *status)
{
    cl_queue_properties own[MAX_PROPERTIES + 3];
    size_t n = 0;
    bool has_bits = false;
    for (; properties && properties[n] && n + 1 < MAX_PROPERTIES; n += 2) {
        own[n] = properties[n];
        own[n + 1] = properties[n + 1];
        if (own[n] == CL_QUEUE_PROPERTIES) {
            own[n + 1] |= CL_QUEUE_PROFILING_ENABLE;
            has_bits = true;
        }
    }
    if (properties && properties[n]) /* the properties do not fit into the array */
        return real->clCreateCommandQueueWithProperties(context, device, properties, status);
    if (!has_bits) {
        own[n++] = CL_QUEUE_PROPERTIES;
        own[n++] = CL_QUEUE_PROFILING_ENABLE;
    }
    own[n] = 0;
    return real->clCreateCommandQueueWithProperties(context, device, own, status);
}

/* NOLINTBEGIN(readability-function-size): OpenCL decides how many parameters its functions have. */
static cl_int CL_API_CALL enqueue(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                  const size_t *offset, const size_t *global, const size_t *local,
                                  cl_uint wait_count, const cl_event *waits, cl_event *event)
{
    cl_event own = NULL;
    drain_at_exit_once();
    drain();
    const cl_int status = real->clEnqueueNDRangeKernel(
        queue, kernel, dimensions, offset, global, local, wait_count, waits, event ? event : &own);
    if (status != CL_SUCCESS)
        return status;
    if (event && real->clRetainEvent(*event) != CL_SUCCESS)
        return status;
    remember(queue, kernel, event ? *event : own);
    return status;
}

static cl_int CL_API_CALL enqueue_task(cl_command_queue queue, cl_kernel kernel, cl_uint wait_count,
                                       const cl_event *waits, cl_event *event)
{
    const size_t one = 1;
    return enqueue(queue, kernel, 1, NULL, &one, &one, wait_count, waits, event);
}

/* In the next four functions the program may wait for a launch, so they report ended launches
 * afterwards. */
static cl_int CL_API_CALL finish(cl_command_queue queue)
{
    const cl_int status = real->clFinish(queue);
    drain();
    return status;
}

static cl_int CL_API_CALL wait_for(cl_uint event_count, const cl_event *events)
{
    const cl_int status = real->clWaitForEvents(event_count, events);
    drain();
    return status;
}

static cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocks,
                                      size_t offset, size_t size, void *to, cl_uint wait_count,
                                      const cl_event *waits, cl_event *event)
{
    const cl_int status = real->clEnqueueReadBuffer(queue, buffer, blocks, offset, size, to,
                                                    wait_count, waits, event);
    drain();
    return status;
}

static void *CL_API_CALL map_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocks,
                                    cl_map_flags flags, size_t offset, size_t size,
                                    cl_uint wait_count, const cl_event *waits, cl_event *event,
                                    cl_int *status)
{
    void *mapped = real->clEnqueueMapBuffer(queue, buffer, blocks, flags, offset, size, wait_count,
                                            waits, event, status);
    drain();
    return mapped;
}

static cl_int CL_API_CALL release_queue(cl_command_queue queue)
{
    drain();
    return real->clReleaseCommandQueue(queue);
}

static cl_int CL_API_CALL release_context(cl_context context)
{
    drain();
    return real->clReleaseContext(context);
}

/* Replaces, in a table, the functions that this layer intercepts. */
static void fill(struct _cl_icd_dispatch *dispatch)
{
    dispatch->clCreateCommandQueue = create_queue;
    if (dispatch->clCreateCommandQueueWithProperties)
        dispatch->clCreateCommandQueueWithProperties = create_queue_with;
    dispatch->clEnqueueNDRangeKernel = enqueue;
    dispatch->clEnqueueTask = enqueue_task;
    dispatch->clFinish = finish;
    dispatch->clWaitForEvents = wait_for;
    dispatch->clEnqueueReadBuffer = read_buffer;
    dispatch->clEnqueueMapBuffer = map_buffer;
    dispatch->clReleaseCommandQueue = release_queue;
    dispatch->clReleaseContext = release_context;
}

/* `target`: the functions to forward to; the table must outlive this library. Returns false without
 * a usable pipe. */
static bool forward_to(const struct _cl_icd_dispatch *target)
{
    real = target;
    return say_hello();
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void *value,
                                               size_t *needed)
{
    const cl_uint version = CL_LAYER_API_VERSION_100;
    if (name != CL_LAYER_API_VERSION || (value && size < sizeof version))
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, &version, sizeof version);
    if (needed)
        *needed = sizeof version;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch *target,
                                            cl_uint *own_entries, const cl_icd_dispatch **own)
{
    static struct _cl_icd_dispatch dispatch;
    const char *number = getenv(BL_TIMES_DESCRIPTOR);
    /* Newer loaders and headers have more functions. A table too short for the functions that this
     * layer replaces is refused. */
    const size_t entry_bytes = sizeof dispatch.clGetPlatformIDs,
                 all = sizeof dispatch / entry_bytes, known = entries < all ? entries : all;
    if (!number || known * entry_bytes <=
                       offsetof(struct _cl_icd_dispatch, clCreateCommandQueueWithProperties))
        return CL_INVALID_VALUE;
    memcpy(&dispatch, target, known * entry_bytes);
    fill(&dispatch);
    *own = &dispatch;
    *own_entries = (cl_uint)known;
    is_layer = true;
    return forward_to(target) ? CL_SUCCESS : CL_INVALID_VALUE;
}

/* The preloaded library. */

static struct _cl_icd_dispatch loader; /* the loader's functions */
static struct _cl_icd_dispatch own;    /* the loader's functions, some replaced by fill() */

#define FIND(name)                                  \
    do {                                            \
        void *found = dlsym(RTLD_NEXT, #name);      \
        memcpy(&loader.name, &found, sizeof found); \
    } while (0)

static void find_loader(void)
{
    FIND(clCreateCommandQueue);
    FIND(clCreateCommandQueueWithProperties);
    FIND(clEnqueueNDRangeKernel);
    FIND(clEnqueueTask);
    FIND(clFinish);
    FIND(clWaitForEvents);
    FIND(clEnqueueReadBuffer);
    FIND(clEnqueueMapBuffer);
    FIND(clReleaseCommandQueue);
    FIND(clReleaseContext);
    FIND(clGetDeviceInfo);
    FIND(clGetEventInfo);
    FIND(clGetEventProfilingInfo);
    FIND(clGetCommandQueueInfo);
    FIND(clGetKernelInfo);
    FIND(clGetProgramInfo);
    FIND(clGetProgramBuildInfo);
    FIND(clRetainProgram);
    FIND(clRetainEvent);
    FIND(clReleaseEvent);
    if (is_layer)
        return;
    own = loader;
    fill(&own);
    forward_to(&loader);
}

/* The table of functions that the preloaded functions call. */
static const struct _cl_icd_dispatch *chosen(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_loader);
    return is_layer ? &loader : &own;
}

#define EXPORT(type, name, parameters, arguments) \
    CL_API_ENTRY type CL_API_CALL name parameters { return chosen()->name arguments; }

EXPORT(cl_command_queue, clCreateCommandQueue,
       (cl_context context, cl_device_id device, cl_command_queue_properties properties,
        cl_int *status),
       (context, device, properties, status))
EXPORT(cl_command_queue, clCreateCommandQueueWithProperties,
       (cl_context context, cl_device_id device, const cl_queue_properties *properties,
        cl_int *status),
       (context, device, properties, status))
EXPORT(cl_int, clEnqueueNDRangeKernel,
       (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
        const size_t *global, const size_t *local, cl_uint wait_count, const cl_event *waits,
        cl_event *event),
       (queue, kernel, dimensions, offset, global, local, wait_count, waits, event))
EXPORT(cl_int, clEnqueueTask,
       (cl_command_queue queue, cl_kernel kernel, cl_uint wait_count, const cl_event *waits,
        cl_event *event),
       (queue, kernel, wait_count, waits, event))
EXPORT(cl_int, clFinish, (cl_command_queue queue), (queue))
EXPORT(cl_int, clWaitForEvents, (cl_uint event_count, const cl_event *events),
       (event_count, events))
EXPORT(cl_int, clEnqueueReadBuffer,
       (cl_command_queue queue, cl_mem buffer, cl_bool blocks, size_t offset, size_t size, void *to,
        cl_uint wait_count, const cl_event *waits, cl_event *event),
       (queue, buffer, blocks, offset, size, to, wait_count, waits, event))
EXPORT(void *, clEnqueueMapBuffer,
       (cl_command_queue queue, cl_mem buffer, cl_bool blocks, cl_map_flags flags, size_t offset,
        size_t size, cl_uint wait_count, const cl_event *waits, cl_event *event, cl_int *status),
       (queue, buffer, blocks, flags, offset, size, wait_count, waits, event, status))
EXPORT(cl_int, clReleaseCommandQueue, (cl_command_queue queue), (queue))
EXPORT(cl_int, clReleaseContext, (cl_context context), (context))
/* NOLINTEND(readability-function-size) */
