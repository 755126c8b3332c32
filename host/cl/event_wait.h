/* Inside host/cl only: waits for a command that may never end.
 *
 * clWaitForEvents has no deadline. So a second thread calls it, and the caller waits for that
 * thread with a deadline, checking for interruption.
 */
#ifndef BANKLINE_CL_EVENT_WAIT_H
#define BANKLINE_CL_EVENT_WAIT_H

#include "cl/cl_error.h"
#include "cl/session.h"

struct bl_event_wait;

/* BL_NO_MEMORY, also where no thread can be started. */
enum bl_status bl_event_wait_open(const struct bl_wait_limits *limits, struct bl_event_wait **wait,
                                  struct bl_error *error);

/* NULL is allowed. A thread that still waits is left behind, with its memory. */
void bl_event_wait_close(struct bl_event_wait *wait);

/* Waits for the event. BL_OPENCL_FAILED as the driver says; BL_HANGS past the deadline,
 * BL_INTERRUPTED: after these two the event must not be released, and no other can be waited for.
 */
enum bl_status bl_event_wait_for(struct bl_event_wait *wait, cl_event event,
                                 struct bl_error *error);

#endif
