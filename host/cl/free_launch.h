/* Launches of kernels with arguments of their own, on arrays of their own: what is no case. */
#ifndef BANKLINE_CL_FREE_LAUNCH_H
#define BANKLINE_CL_FREE_LAUNCH_H

#include "cl/session.h"

struct bl_device_array; /* in global memory */

/* Makes an array of any content; the caller releases it before it closes the session.
 * BL_OPENCL_FAILED where the device cannot have one of this size, BL_NO_MEMORY. */
enum bl_status bl_device_array_make(struct bl_session *session, size_t bytes,
                                    struct bl_device_array **array, struct bl_error *error);

/* NULL is allowed; what a lost session works on is left. */
void bl_device_array_release(struct bl_session *session, struct bl_device_array *array);

/* Copy `bytes` at `offset` of the array, and wait. BL_OPENCL_FAILED; BL_HANGS and BL_INTERRUPTED
 * where the session can do nothing more. */
enum bl_status bl_device_array_write(struct bl_session *session, struct bl_device_array *array,
                                     size_t offset, size_t bytes, const void *values,
                                     struct bl_error *error);
enum bl_status bl_device_array_read(struct bl_session *session, const struct bl_device_array *array,
                                    size_t offset, size_t bytes, void *values,
                                    struct bl_error *error);

/* An array; or else `bytes` at value; or else, where that is NULL, so many bytes of local memory.
 */
struct bl_argument {
    const struct bl_device_array *array;
    const void *value;
    size_t bytes;
};

enum { BL_MAX_ARGUMENTS = 12 };

/* Enqueues groups of group_items work-items, side by side, and waits for their end; errors as
 * bl_session_run. */
enum bl_status bl_session_launch(struct bl_session *session, struct bl_kernel *kernel,
                                 size_t groups, size_t group_items,
                                 const struct bl_argument arguments[], unsigned count,
                                 struct bl_timing *timing, struct bl_error *error);

#endif
