/* Private to host/cl: OpenCL's headers, and how a failed call is reported. */
#ifndef BANKLINE_CL_ERROR_H
#define BANKLINE_CL_ERROR_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <stdbool.h>

#include "base/status.h"

/* "CL_OUT_OF_RESOURCES", or "error -9999" for an unknown code. The text is static or lies in
 * `buffer`. */
const char *bl_cl_error_name(cl_int code, char buffer[32]);

/* Returns BL_OK for CL_SUCCESS, else BL_OPENCL_FAILED with a sentence that names the call and the
 * code. */
enum bl_status bl_cl_check(cl_int code, const char *call, struct bl_error *error);

/* Whether the device lists this extension. */
bool bl_cl_has_extension(cl_device_id device, const char *extension);

#endif
