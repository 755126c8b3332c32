/* A layer of the ICD loader under which every platform has no device. It says on standard error
 * that it was asked, so that a test can tell a loader that ignores layers. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <CL/cl_layer.h>
#include <stdio.h>
#include <string.h>

static struct _cl_icd_dispatch dispatch;

static cl_int CL_API_CALL no_devices(cl_platform_id platform, cl_device_type type, cl_uint room,
                                     cl_device_id *devices, cl_uint *count)
{
    (void)platform, (void)type, (void)room, (void)devices;
    fputs("layer: no devices\n", stderr);
    if (count)
        *count = 0;
    return CL_DEVICE_NOT_FOUND;
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
    if (count < sizeof dispatch / sizeof dispatch.clGetPlatformIDs)
        return CL_INVALID_VALUE;
    memcpy(&dispatch, target, sizeof dispatch);
    dispatch.clGetDeviceIDs = no_devices;
    *own = &dispatch;
    *own_count = sizeof dispatch / sizeof dispatch.clGetPlatformIDs;
    return CL_SUCCESS;
}
