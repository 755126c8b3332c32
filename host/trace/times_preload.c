/* The times of a program whose OpenCL loader knows no layers, as the one that comes with CUDA: this
 * library is preloaded, and its functions stand before the loader's. Where the loader has taken it
 * as a layer they only go on to the loader. */
#include "trace/times_layer.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static struct _cl_icd_dispatch loader; /* its own functions */
static struct _cl_icd_dispatch own;    /* what stands before them */

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
    FIND(clRetainEvent);
    FIND(clReleaseEvent);
    if (bl_times_is_layer())
        return;
    own = loader;
    bl_times_fill(&own);
    bl_times_stand_before(&loader);
}

/* Whether this has to do what a layer would. */
static bool stands_alone(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_loader);
    return !bl_times_is_layer();
}

#define CHOOSE(name) (stands_alone() ? own.name : loader.name)

CL_API_ENTRY cl_command_queue CL_API_CALL clCreateCommandQueue(
    cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int *status)
{
    return CHOOSE(clCreateCommandQueue)(context, device, properties, status);
}

CL_API_ENTRY cl_command_queue CL_API_CALL clCreateCommandQueueWithProperties(
    cl_context context, cl_device_id device, const cl_queue_properties *properties, cl_int *status)
{
    return CHOOSE(clCreateCommandQueueWithProperties)(context, device, properties, status);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
                                                       cl_uint dimensions, const size_t *offset,
                                                       const size_t *global, const size_t *local,
                                                       cl_uint wait_count, const cl_event *waits,
                                                       cl_event *event)
{
    return CHOOSE(clEnqueueNDRangeKernel)(queue, kernel, dimensions, offset, global, local,
                                          wait_count, waits, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueTask(cl_command_queue queue, cl_kernel kernel,
                                              cl_uint wait_count, const cl_event *waits,
                                              cl_event *event)
{
    return CHOOSE(clEnqueueTask)(queue, kernel, wait_count, waits, event);
}

CL_API_ENTRY cl_int CL_API_CALL clFinish(cl_command_queue queue) { return CHOOSE(clFinish)(queue); }

CL_API_ENTRY cl_int CL_API_CALL clWaitForEvents(cl_uint event_count, const cl_event *events)
{
    return CHOOSE(clWaitForEvents)(event_count, events);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer,
                                                    cl_bool blocks, size_t offset, size_t size,
                                                    void *to, cl_uint wait_count,
                                                    const cl_event *waits, cl_event *event)
{
    return CHOOSE(clEnqueueReadBuffer)(queue, buffer, blocks, offset, size, to, wait_count, waits,
                                       event);
}

CL_API_ENTRY void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer,
                                                  cl_bool blocks, cl_map_flags flags, size_t offset,
                                                  size_t size, cl_uint wait_count,
                                                  const cl_event *waits, cl_event *event,
                                                  cl_int *status)
{
    return CHOOSE(clEnqueueMapBuffer)(queue, buffer, blocks, flags, offset, size, wait_count, waits,
                                      event, status);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue queue)
{
    return CHOOSE(clReleaseCommandQueue)(queue);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseContext(cl_context context)
{
    return CHOOSE(clReleaseContext)(context);
}
