/* Shared code of the test layers, which the ICD loader loads. A layer defines the function `hook`,
 * which puts the layer's functions into the dispatch table. `hook` also prints on standard error
 * that the layer is loaded, because some loaders do not support layers. It returns CL_SUCCESS, or
 * CL_INVALID_VALUE if the layer's settings are invalid. */
#ifndef BANKLINE_TEST_LAYER_H
#define BANKLINE_TEST_LAYER_H

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <CL/cl_layer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct _cl_icd_dispatch *real; /* the functions that the layer calls */

static cl_int hook(struct _cl_icd_dispatch *dispatch);

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
    static struct _cl_icd_dispatch dispatch;
    if (count < sizeof dispatch / sizeof dispatch.clGetPlatformIDs)
        return CL_INVALID_VALUE;
    real = target;
    memcpy(&dispatch, target, sizeof dispatch);
    *own = &dispatch;
    *own_count = sizeof dispatch / sizeof dispatch.clGetPlatformIDs;
    return hook(&dispatch);
}

#endif
