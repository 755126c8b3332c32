/* One device in use: context, in-order profiling queue, the arrays, and the kernels built so far.
 * Errors name the call and the code; the caller adds the case. */
#ifndef BANKLINE_CL_SESSION_H
#define BANKLINE_CL_SESSION_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "cl/device.h"
#include "measure/clock.h"
#include "measure/placements.h"
#include "model/expression.h"
#include "model/launch.h"

struct bl_session;
struct bl_kernel;

/* How long to wait for the device. */
struct bl_wait_limits {
    double deadline_s;                        /* a kernel that runs longer counts as hung */
    const volatile sig_atomic_t *interrupted; /* stops waiting when it is not 0; or NULL */
};

/* What a launch needs in addition to its kernel. */
struct bl_dispatch {
    struct bl_shape shape;
    size_t groups;      /* number of groups, side by side along x */
    size_t data_bytes;  /* size of the array that the kernel reads, filled with bl_data_element
                           (reference.h) */
    bool is_constant;   /* whether the array lies in constant memory: at most 64 KiB */
    bool is_written;    /* the kernel writes to the array: it gets an array of its own, content
                           undefined */
    size_t outputs;     /* number of uint32_t that the kernel writes */
    size_t local_bytes; /* size of a last argument in local memory; 0: no such argument */
    unsigned placement; /* placement of the arrays, below BL_MAX_PLACEMENTS */
};

/* device must be one of bl_devices_list; it, kernel_folder, which replaces the embedded kernel
 * sources unless NULL, and what limits point to are borrowed until the caller closes the session.
 * BL_OPENCL_FAILED, BL_NO_MEMORY. */
enum bl_status bl_session_open(const struct bl_device *device, const char *kernel_folder,
                               const struct bl_wait_limits *limits, struct bl_session **session,
                               struct bl_error *error);

/* Releases the session and its kernels; NULL is allowed. A lost session is not released, because a
 * driver that hangs may hang in a release too. */
void bl_session_close(struct bl_session *session);

/* Whether a kernel did not end (BL_HANGS, BL_INTERRUPTED): calls that launch, build or place then
 * fail, and the process should end by _exit, not through the driver's own exit handlers. */
bool bl_session_is_lost(const struct bl_session *session);

struct bl_kernel_source {
    const char *file, *name; /* file of the kernel; the kernel's name in it */
    const char *options;     /* compiler options */
    /* the expression whose table the kernel takes; or NULL */
    const struct bl_expression *expression;
};

enum {
    BL_TABLE_ARGUMENT = 4
}; /* index of the table's argument, after data, outputs, rounds and zero */

/* Builds these kernels, in this order, while others are measured; bl_session_kernel then waits for
 * them. Once per session; the texts are borrowed until it is closed. On failure, each kernel is
 * built when it is needed. */
void bl_session_queue_builds(struct bl_session *session, const struct bl_kernel_source sources[],
                             size_t count);

/* Builds a kernel as a program of its own, or returns the one built earlier from the same source;
 * the session owns it. BL_BUILD_FAILED with the build log in error; BL_FILE_FAILED if its file
 * cannot be read, BL_OPENCL_FAILED, BL_NO_MEMORY, BL_INTERRUPTED. */
enum bl_status bl_session_kernel(struct bl_session *session, const struct bl_kernel_source *source,
                                 struct bl_kernel **kernel, struct bl_error *error);

/* Gives the dispatches, whatever their own placement, arrays at up to `wanted` placements: buffers
 * of their own at different offsets, all at once, so that no array reuses another's place; large
 * arrays differ only in their offsets. Frees the previous arrays, unless the same owner asks for
 * the same sizes again. *placements: the number obtained; if fewer than wanted, BL_OK is still
 * returned and error says why. Without this call arrays are made when a launch needs them, and
 * grow. */
enum bl_status bl_session_place(struct bl_session *session, const char *owner,
                                const struct bl_dispatch dispatches[], size_t count,
                                unsigned wanted, unsigned *placements, struct bl_error *error);

/* Enqueues a kernel with the arguments (data, outputs, rounds, zero), plus the table if its source
 * has an expression, and waits for its end. BL_HANGS, BL_INTERRUPTED: it did not end, and the
 * session is lost; BL_OPENCL_FAILED, BL_NO_MEMORY. */
enum bl_status bl_session_run(struct bl_session *session, struct bl_kernel *kernel,
                              const struct bl_dispatch *dispatch, uint32_t rounds,
                              struct bl_timing *timing, struct bl_error *error);

/* Sets every output to this value, so that a launch that executes nothing is noticed. This and the
 * next function wait without a deadline: BL_OPENCL_FAILED, BL_NO_MEMORY. */
enum bl_status bl_session_preset(struct bl_session *session, const struct bl_dispatch *dispatch,
                                 uint32_t value, struct bl_error *error);

/* Copies dispatch->outputs outputs. */
enum bl_status bl_session_outputs(struct bl_session *session, const struct bl_dispatch *dispatch,
                                  uint32_t outputs[], struct bl_error *error);

/* Work-items per sub-group in which the driver runs the kernel when launched like this; 0 if the
 * driver does not report it. A smaller group does not fill a sub-group. */
size_t bl_session_sub_group_size(const struct bl_session *session, const struct bl_kernel *kernel,
                                 const struct bl_dispatch *dispatch);

/* Sizes of a kernel's private data as the driver reports them; 0 if it reports nothing. */
struct bl_private_bytes {
    uint64_t in_memory; /* per work-item, outside registers */
    uint64_t spilled;   /* spilled by the compiler; only Intel reports this */
};
struct bl_private_bytes bl_kernel_private_bytes(const struct bl_session *session,
                                                const struct bl_kernel *kernel);

/* Bytes of local memory that a group of the kernel uses, as the driver reports. BL_OPENCL_FAILED.
 */
enum bl_status bl_kernel_local_bytes(const struct bl_session *session,
                                     const struct bl_kernel *kernel, uint64_t *bytes,
                                     struct bl_error *error);

/* A hash that is equal for equal built sources with equal options. */
uint64_t bl_kernel_hash(const struct bl_kernel *kernel);

/* Launches of kernels that are not benchmark cases: with their own arguments and arrays. */

struct bl_device_array; /* an array in global memory */

/* Makes an array, content undefined; the caller releases it before closing the session.
 * BL_OPENCL_FAILED if the device cannot allocate this size, BL_NO_MEMORY. */
enum bl_status bl_device_array_make(struct bl_session *session, size_t bytes,
                                    struct bl_device_array **array, struct bl_error *error);

/* NULL is allowed. Does nothing if the session is lost. */
void bl_device_array_release(struct bl_session *session, struct bl_device_array *array);

/* Copy `bytes` bytes at `offset` of the array, and wait. BL_OPENCL_FAILED; BL_HANGS and
 * BL_INTERRUPTED if the session is lost. */
enum bl_status bl_device_array_write(struct bl_session *session, struct bl_device_array *array,
                                     size_t offset, size_t bytes, const void *values,
                                     struct bl_error *error);
enum bl_status bl_device_array_read(struct bl_session *session, const struct bl_device_array *array,
                                    size_t offset, size_t bytes, void *values,
                                    struct bl_error *error);

/* An array; if it is NULL, `bytes` bytes at value; if value is NULL too, that many bytes of local
 * memory. */
struct bl_argument {
    const struct bl_device_array *array;
    const void *value;
    size_t bytes;
};

enum { BL_MAX_ARGUMENTS = 12 };

struct bl_groups {
    size_t count, items; /* number of groups, side by side; work-items of each */
};

/* Enqueues these groups and waits for their end; errors as bl_session_run. */
enum bl_status bl_session_launch(struct bl_session *session, struct bl_kernel *kernel,
                                 const struct bl_groups *groups,
                                 const struct bl_argument arguments[], unsigned count,
                                 struct bl_timing *timing, struct bl_error *error);

#endif
