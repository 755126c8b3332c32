/* Inside host/cl only: programs that are built in the order in which they will be needed, in one
 * to three threads of their own, while the present one is measured. */
#ifndef BANKLINE_CL_AHEAD_H
#define BANKLINE_CL_AHEAD_H

#include <stdbool.h>

#include "cl/program.h"

struct bl_ahead;

/* Begins. The sources are copied, their texts borrowed until the end. BL_NO_MEMORY, also where
 * there is no thread to be had. */
enum bl_status bl_ahead_open(cl_context context, cl_device_id device, const char *folder,
                             const struct bl_kernel_source sources[], size_t count,
                             struct bl_ahead **ahead, struct bl_error *error);

/* Waits for what is being built, leaves out the rest and releases all kernels. NULL is allowed. */
void bl_ahead_close(struct bl_ahead *ahead);

/* Whether the source is among them. Then waits until it is built and fills in *status, and *kernel
 * or error, as bl_program_build. */
bool bl_ahead_take(struct bl_ahead *ahead, const struct bl_kernel_source *source,
                   struct bl_kernel **kernel, enum bl_status *status, struct bl_error *error);

#endif
