/* The probes of an inference (target.h), on an OpenCL device. */
#ifndef BANKLINE_INFER_ON_DEVICE_H
#define BANKLINE_INFER_ON_DEVICE_H

#include "cl/device.h"
#include "cl/session.h"
#include "infer/target.h"

struct bl_device_target;

/* Makes arrays in global memory, of max_bytes in all or as much as can be had, and tells where they
 * lie. session and device are borrowed until it is closed; *target is what infers. BL_NO_MEMORY,
 * BL_OPENCL_FAILED, and what a launch returns. */
enum bl_status bl_device_target_open(struct bl_session *session, const struct bl_device *device,
                                     uint64_t max_bytes, struct bl_device_target **opened,
                                     struct bl_target *target, struct bl_error *error);

/* NULL is allowed. */
void bl_device_target_close(struct bl_device_target *opened);

#endif
