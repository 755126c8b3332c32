/* A layer of the ICD loader whose events lie about their end, as BANKLINE_TEST_CLOCK says: zero,
 * reverse, fast (a thousandth of the time) or slow (a thousand times). It says on standard error
 * that it is there, so that a test can tell a loader that ignores layers. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <CL/cl_layer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct _cl_icd_dispatch dispatch;
static const struct _cl_icd_dispatch *real;
static const char *lie;

static cl_int CL_API_CALL profiling_info(cl_event event, cl_profiling_info name, size_t size,
                                         void *value, size_t *needed)
{
    const cl_int code = real->clGetEventProfilingInfo(event, name, size, value, needed);
    cl_ulong start, end;
    if (code != CL_SUCCESS || name != CL_PROFILING_COMMAND_END || !value)
        return code;
    memcpy(&end, value, sizeof end);
    if (real->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start,
                                      NULL) != CL_SUCCESS)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    const cl_ulong took = end - start;
    if (strcmp(lie, "zero") == 0)
        end = start;
    else if (strcmp(lie, "reverse") == 0)
        end = start - took;
    else if (strcmp(lie, "fast") == 0)
        end = start + took / 1000;
    else
        end = start + took * 1000;
    memcpy(value, &end, sizeof end);
    return CL_SUCCESS;
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

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint count, const cl_icd_dispatch *target,
                                            cl_uint *own_count, const cl_icd_dispatch **own)
{
    lie = getenv("BANKLINE_TEST_CLOCK");
    if (!lie || count < sizeof dispatch / sizeof dispatch.clGetPlatformIDs)
        return CL_INVALID_VALUE;
    real = target;
    memcpy(&dispatch, target, sizeof dispatch);
    dispatch.clGetEventProfilingInfo = profiling_info;
    *own = &dispatch;
    *own_count = sizeof dispatch / sizeof dispatch.clGetPlatformIDs;
    fprintf(stderr, "layer: clock %s\n", lie);
    return CL_SUCCESS;
}
