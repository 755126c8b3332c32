/* One device in use: context, in-order profiling queue, the data array, and the kernels built so
 * far. Errors name the call and the code; the caller adds which case it was. */
#ifndef BANKLINE_CL_SESSION_H
#define BANKLINE_CL_SESSION_H

#include <stdint.h>

#include "cl/device.h"
#include "measure/clock.h"
#include "model/launch.h"

struct bl_session;
struct bl_kernel;

/* device must be one of bl_devices_list. kernel_folder replaces the embedded kernel sources
 * unless NULL. The caller closes the session. */
enum bl_status bl_session_open(const struct bl_device *device, const char *kernel_folder,
                               struct bl_session **session, struct bl_error *error);

/* NULL is allowed. Kernels of the session are gone with it. */
void bl_session_close(struct bl_session *session);

/* Builds a kernel, each as a program of its own, or returns the one built before from the same
 * file, name and options. BL_BUILD_FAILED with the build log in error. */
enum bl_status bl_session_kernel(struct bl_session *session, const char *file, const char *name,
                                 const char *options, struct bl_kernel **kernel,
                                 struct bl_error *error);

/* Enqueues `read_pattern` over the launch's work-items and waits for its end. */
enum bl_status bl_session_read(struct bl_session *session, struct bl_kernel *kernel,
                               const struct bl_launch *launch, uint32_t rounds,
                               struct bl_timing *timing, struct bl_error *error);

/* Overwrites the sums, so that a launch that executes nothing is found out. */
enum bl_status bl_session_poison_sums(struct bl_session *session, const struct bl_launch *launch,
                                      struct bl_error *error);

/* Copies the sums of the launch's work-items; sums has room for bl_launch_items. */
enum bl_status bl_session_sums(struct bl_session *session, const struct bl_launch *launch,
                               uint32_t sums[], struct bl_error *error);

/* Runs `probe_pattern`: raw index and start element of every work-item, as the device computes
 * them; each array has room for bl_launch_items. */
enum bl_status bl_session_probe(struct bl_session *session, struct bl_kernel *kernel,
                                const struct bl_launch *launch, uint64_t indices[],
                                uint64_t starts[], struct bl_error *error);

#endif
