/* Inside host/cl only: what a session is made of, and the steps that all launches take. */
#ifndef BANKLINE_CL_SESSION_INSIDE_H
#define BANKLINE_CL_SESSION_INSIDE_H

#include "cl/call.h"
#include "cl/data.h"
#include "cl/session.h"

struct bl_session {
    const struct bl_device *device;
    const char *kernel_folder;
    cl_context context;
    cl_command_queue queue;
    struct bl_places places;
    struct bl_kernel *kernels;
    struct bl_ahead *ahead; /* of others, or NULL */
    struct bl_waiter *waiter;
    const volatile sig_atomic_t *interrupted;
    enum bl_status lost; /* BL_OK: it is not */
};

#endif
