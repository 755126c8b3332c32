/* A layer in which OpenCL calls fail. BANKLINE_TEST_FAULT says which: "N:CODE" fails the Nth call
 * that can fail. "NAME@N:CODE" fails the Nth call of that name; this number depends less on the
 * driver. "dead@N:CODE" fails all calls from the Nth on. "0:0" fails no call and only counts. At
 * exit the layer prints the number of calls, and how many objects were created and released. It
 * also prints a line when a buffer is released before its sub-buffers: the standard allows this
 * order, but some drivers crash. If BANKLINE_TEST_TRACE is set, it prints each call. */
#include "layer.h"

#include <stdatomic.h>

static long wanted;
static cl_int code;
static int is_dead;          /* whether all calls from the wanted one on fail */
static char wanted_name[64]; /* only calls of this name count; empty if all calls count */
static atomic_long calls, named, created, released;

/* The code with which this call fails, or CL_SUCCESS. The counters are atomic, because several
 * threads of the program make calls. */
static cl_int fails(const char *name)
{
    const long number = atomic_fetch_add(&calls, 1) + 1;
    if (getenv("BANKLINE_TEST_TRACE"))
        fprintf(stderr, "layer: call %ld %s\n", number, name);
    if (wanted_name[0] && strcmp(wanted_name, name) != 0)
        return CL_SUCCESS;
    const long counted = wanted_name[0] ? atomic_fetch_add(&named, 1) + 1 : number;
    if (is_dead ? counted < wanted : counted != wanted)
        return CL_SUCCESS;
    fprintf(stderr, "layer: fault %ld %s %d\n", number, name, code);
    return code;
}

#define INFO size_t size, void *value, size_t *needed
#define EVENTS cl_uint count, const cl_event *list, cl_event *event
#define CALL(name, parameters, arguments)            \
    static cl_int CL_API_CALL my_##name parameters   \
    {                                                \
        const cl_int fault = fails(#name);           \
        return fault ? fault : real->name arguments; \
    }
/* Defines a call that creates an object, and counts the object. */
#define MAKE(type, name, parameters, arguments)          \
    static type CL_API_CALL my_##name parameters         \
    {                                                    \
        const cl_int fault = fails(#name);               \
        if (fault && error)                              \
            *error = fault;                              \
        type made = fault ? NULL : real->name arguments; \
        atomic_fetch_add(&created, made != NULL);        \
        return made;                                     \
    }
#define FREE(name, type)                             \
    static cl_int CL_API_CALL my_##name(type object) \
    {                                                \
        const cl_int fault = fails(#name);           \
        const cl_int done = real->name(object);      \
        atomic_fetch_add(&released, 1);              \
        return fault ? fault : done;                 \
    }

CALL(clGetPlatformInfo, (cl_platform_id id, cl_platform_info name, INFO),
     (id, name, size, value, needed))
CALL(clGetDeviceIDs,
     (cl_platform_id id, cl_device_type type, cl_uint capacity, cl_device_id *ids, cl_uint *count),
     (id, type, capacity, ids, count))
CALL(clGetDeviceInfo, (cl_device_id id, cl_device_info name, INFO), (id, name, size, value, needed))
CALL(clBuildProgram,
     (cl_program program, cl_uint count, const cl_device_id *ids, const char *options,
      void(CL_CALLBACK *notify)(cl_program, void *), void *data),
     (program, count, ids, options, notify, data))
CALL(clGetProgramBuildInfo, (cl_program program, cl_device_id id, cl_program_build_info name, INFO),
     (program, id, name, size, value, needed))
CALL(clSetKernelArg, (cl_kernel kernel, cl_uint index, size_t size, const void *value),
     (kernel, index, size, value))
CALL(clGetKernelWorkGroupInfo,
     (cl_kernel kernel, cl_device_id id, cl_kernel_work_group_info name, INFO),
     (kernel, id, name, size, value, needed))
CALL(clEnqueueReadBuffer,
     (cl_command_queue queue, cl_mem buffer, cl_bool blocks, size_t offset, size_t size, void *to,
      EVENTS),
     (queue, buffer, blocks, offset, size, to, count, list, event))
CALL(clEnqueueWriteBuffer,
     (cl_command_queue queue, cl_mem buffer, cl_bool blocks, size_t offset, size_t size,
      const void *from, EVENTS),
     (queue, buffer, blocks, offset, size, from, count, list, event))
CALL(clEnqueueCopyBuffer,
     (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
      size_t size, EVENTS),
     (queue, from, to, from_offset, to_offset, size, count, list, event))
CALL(clFinish, (cl_command_queue queue), (queue))
CALL(clFlush, (cl_command_queue queue), (queue))
CALL(clWaitForEvents, (cl_uint count, const cl_event *list), (count, list))
CALL(clGetEventProfilingInfo, (cl_event event, cl_profiling_info name, INFO),
     (event, name, size, value, needed))
FREE(clReleaseContext, cl_context)
FREE(clReleaseCommandQueue, cl_command_queue)
FREE(clReleaseProgram, cl_program)
FREE(clReleaseKernel, cl_kernel)
FREE(clReleaseEvent, cl_event)

typedef void(CL_CALLBACK *notifier)(const char *, const void *, size_t, void *);
MAKE(cl_context, clCreateContext,
     (const cl_context_properties *properties, cl_uint count, const cl_device_id *ids,
      notifier notify, void *data, cl_int *error),
     (properties, count, ids, notify, data, error))
MAKE(cl_command_queue, clCreateCommandQueue,
     (cl_context context, cl_device_id id, cl_command_queue_properties properties, cl_int *error),
     (context, id, properties, error))
MAKE(cl_mem, clCreateBuffer,
     (cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *error),
     (context, flags, size, host, error))
MAKE(cl_program, clCreateProgramWithSource,
     (cl_context context, cl_uint count, const char **texts, const size_t *lengths, cl_int *error),
     (context, count, texts, lengths, error))
MAKE(cl_kernel, clCreateKernel, (cl_program program, const char *name, cl_int *error),
     (program, name, error))

/* The sub-buffers that exist. A single thread creates and releases them. */
enum { MAX_PARTS = 256 };
static struct part {
    cl_mem own, whole;
} parts[MAX_PARTS];

static cl_mem CL_API_CALL my_clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags,
                                               cl_buffer_create_type type, const void *region,
                                               cl_int *error)
{
    const cl_int fault = fails("clCreateSubBuffer");
    if (fault && error)
        *error = fault;
    const cl_mem made = fault ? NULL : real->clCreateSubBuffer(buffer, flags, type, region, error);
    atomic_fetch_add(&created, made != NULL);
    size_t i = 0;
    while (i < MAX_PARTS && parts[i].own)
        i++;
    if (made && i < MAX_PARTS)
        parts[i] = (struct part){made, buffer};
    return made;
}

static cl_int CL_API_CALL my_clReleaseMemObject(cl_mem object)
{
    const cl_int fault = fails("clReleaseMemObject");
    for (size_t i = 0; i < MAX_PARTS; i++) {
        if (parts[i].own && parts[i].whole == object)
            fputs("layer: a buffer was released before its sub-buffers\n", stderr);
        if (parts[i].own == object)
            parts[i] = (struct part){0};
    }
    const cl_int done = real->clReleaseMemObject(object);
    atomic_fetch_add(&released, 1);
    return fault ? fault : done;
}

static cl_int CL_API_CALL my_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
                                                    cl_uint dimensions, const size_t *offset,
                                                    const size_t *global, const size_t *local,
                                                    EVENTS)
{
    const cl_int fault = fails("clEnqueueNDRangeKernel");
    const cl_int done = fault ? fault
                              : real->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset,
                                                             global, local, count, list, event);
    atomic_fetch_add(&created, done == CL_SUCCESS && event);
    return done;
}

static void tell(void)
{
    fprintf(stderr, "layer: %ld calls, %ld objects made, %ld released\n", atomic_load(&calls),
            atomic_load(&created), atomic_load(&released));
}

static cl_int hook(struct _cl_icd_dispatch *dispatch)
{
    const char *fault = getenv("BANKLINE_TEST_FAULT");
    int number;
    const char *at = fault ? strchr(fault, '@') : NULL;
    if (at && (size_t)(at - fault) < sizeof wanted_name)
        memcpy(wanted_name, fault, (size_t)(at - fault));
    is_dead = strcmp(wanted_name, "dead") == 0;
    if (is_dead)
        wanted_name[0] = '\0';
    if (!fault || sscanf(at ? at + 1 : fault, "%ld:%d", &wanted, &number) != 2)
        return CL_INVALID_VALUE;
    code = number;
    fputs("layer: fault\n", stderr);
/* clang-format off */
#define HOOK(name) dispatch->name = my_##name
    HOOK(clGetPlatformInfo); HOOK(clGetDeviceIDs); HOOK(clGetDeviceInfo); HOOK(clBuildProgram);
    HOOK(clGetProgramBuildInfo); HOOK(clSetKernelArg); HOOK(clGetKernelWorkGroupInfo);
    HOOK(clEnqueueReadBuffer); HOOK(clEnqueueWriteBuffer); HOOK(clEnqueueCopyBuffer);
    HOOK(clFinish); HOOK(clFlush); HOOK(clWaitForEvents); HOOK(clGetEventProfilingInfo);
    HOOK(clReleaseContext); HOOK(clReleaseCommandQueue); HOOK(clReleaseMemObject);
    HOOK(clReleaseProgram); HOOK(clReleaseKernel); HOOK(clReleaseEvent); HOOK(clCreateContext);
    HOOK(clCreateCommandQueue); HOOK(clCreateBuffer); HOOK(clCreateSubBuffer);
    HOOK(clCreateProgramWithSource); HOOK(clCreateKernel); HOOK(clEnqueueNDRangeKernel);
    /* clang-format on */
    atexit(tell);
    return CL_SUCCESS;
}
