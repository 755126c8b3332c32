/* A layer in which no platform has a device. */
#include "layer.h"

static cl_int CL_API_CALL no_devices(cl_platform_id platform, cl_device_type type, cl_uint capacity,
                                     cl_device_id *devices, cl_uint *count)
{
    (void)platform, (void)type, (void)capacity, (void)devices, (void)real;
    if (count)
        *count = 0;
    return CL_DEVICE_NOT_FOUND;
}

static cl_int hook(struct _cl_icd_dispatch *dispatch)
{
    fputs("layer: no devices\n", stderr);
    dispatch->clGetDeviceIDs = no_devices;
    return CL_SUCCESS;
}
