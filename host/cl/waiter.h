/* Inside host/cl only: waiting for a command that may never end.
 *
 * clWaitForEvents has no deadline, so a thread of its own calls it while the caller waits for that
 * thread, with one, and looks whether it is to stop.
 */
#ifndef BANKLINE_CL_WAITER_H
#define BANKLINE_CL_WAITER_H

#include "cl/call.h"
#include "cl/session.h"

struct bl_waiter;

/* BL_OK or BL_NO_MEMORY, also where there can be no more threads. */
enum bl_status bl_waiter_open(const struct bl_wait_limits *limits, struct bl_waiter **waiter,
                              struct bl_error *error);

/* NULL is allowed. A waiter that still waits is left as it is, its thread too. */
void bl_waiter_close(struct bl_waiter *waiter);

/* Waits for the event. BL_OK; BL_OPENCL_FAILED as the driver says; BL_HANGS when the deadline is
 * over, BL_INTERRUPTED when the caller is to stop: the event must not be released then, and the
 * waiter waits for nothing else. */
enum bl_status bl_wait(struct bl_waiter *waiter, cl_event event, struct bl_error *error);

#endif
