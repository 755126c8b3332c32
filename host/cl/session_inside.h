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

/* Whether the session can go on, and is to. */
enum bl_status bl_session_check(struct bl_session *session, struct bl_error *error);

enum bl_status bl_session_arguments(cl_kernel kernel, const size_t sizes[],
                                    const void *const values[], cl_uint count,
                                    struct bl_error *error);

/* Waits for a kernel that was enqueued at before_ns, of the host's clock, and takes its times;
 * releases the event, unless the session is lost then. */
enum bl_status bl_session_finish(struct bl_session *session, const struct bl_kernel *kernel,
                                 cl_event event, uint64_t before_ns, struct bl_timing *timing,
                                 struct bl_error *error);

#endif
