/* A session uses one device: it holds the context, an in-order queue with profiling, the arrays,
 * and the kernels built so far. Errors name the OpenCL call that failed and its error code; the
 * caller adds the case's name. */
#ifndef BANKLINE_CL_SESSION_H
#define BANKLINE_CL_SESSION_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "cl/device.h"
#include "measure/sampler.h"
#include "model/expression.h"
#include "model/launch.h"

struct bl_session;
struct bl_kernel;

/* When to stop waiting for the device, and a callback for builds. */
struct bl_wait_limits {
    double deadline_s;                        /* seconds after which a launch counts as hung */
    const volatile sig_atomic_t *interrupted; /* nonzero stops the wait; may be NULL */
    /* Called before and after each build that is not done in the background, because some compilers
     * print to standard error; may be NULL. */
    void (*building)(void *context, bool is_over);
    void *context;
};

/* A launch without its kernel: the groups, and the arrays that the groups access. */
struct bl_dispatch {
    struct bl_shape shape;
    size_t groups;      /* number of groups, side by side along x */
    size_t data_bytes;  /* size of the array that the kernel accesses; it is filled with
                           bl_data_element (launch.h) unless is_written */
    bool is_constant;   /* whether the array is in constant memory, which has at most 64 KiB */
    bool is_written;    /* whether the kernel writes to the array; the array is then separate from
                           the read-only data, and its content is undefined */
    size_t outputs;     /* number of uint32_t results that the kernel writes */
    size_t local_bytes; /* size of the kernel's last argument, an array in local memory; 0 if there
                           is none */
    unsigned placement; /* placement of the arrays, below BL_MAX_PLACEMENTS */
};

/* Opens a session on a device from bl_devices_list. kernel_folder is the folder to read kernel
 * sources from, or NULL for the embedded sources. The device, the folder's name and what the
 * members of limits point to must outlive the session. Fails with BL_OPENCL_FAILED or
 * BL_NO_MEMORY. */
enum bl_status bl_session_open(const struct bl_device *device, const char *kernel_folder,
                               const struct bl_wait_limits *limits, struct bl_session **session,
                               struct bl_error *error);

/* Releases the session and its kernels; NULL is allowed. A lost session is leaked on purpose: a
 * driver that hangs in a launch may also hang when objects are released. */
void bl_session_close(struct bl_session *session);

/* Whether the session is lost, because a launch did not end (BL_HANGS, BL_INTERRUPTED). In a lost
 * session all later launches, builds and placements fail, and the process should end by _exit(),
 * because the driver's exit handlers may hang too. */
bool bl_session_is_lost(const struct bl_session *session);

struct bl_kernel_source {
    const char *file, *name; /* the file, and the kernel's name in this file */
    const char *options;     /* compiler options */
    /* the index expression whose table is the kernel's last argument; or NULL */
    const struct bl_expression *expression;
};

enum { BL_TABLE_ARGUMENT = 4 }; /* the table follows the arguments data, outputs, rounds, zero */

/* Starts building these kernels in the background, in this order. bl_session_kernel then waits
 * until the kernel that it should return is built. Has no effect while earlier kernels are queued.
 * The strings and expressions to which the sources point must stay valid until
 * bl_session_end_builds returns true or the session is closed; if the session is lost, until the
 * process ends. If the threads cannot be started, each kernel is built when it is needed. */
void bl_session_queue_builds(struct bl_session *session, const struct bl_kernel_source sources[],
                             size_t count);

/* Waits for the builds in progress, and releases all kernels that were queued. Returns false if the
 * session is lost; builds may then go on. */
bool bl_session_end_builds(struct bl_session *session);

/* Builds a kernel, or returns the kernel that was built earlier from the same source; the session
 * owns it. Fails with BL_BUILD_FAILED, with the build log in error; BL_FILE_FAILED if the kernel's
 * file cannot be read; BL_OPENCL_FAILED; BL_NO_MEMORY; BL_INTERRUPTED; or, after a launch that
 * hung, BL_HANGS. */
enum bl_status bl_session_kernel(struct bl_session *session, const struct bl_kernel_source *source,
                                 struct bl_kernel **kernel, struct bl_error *error);

/* Makes the arrays of these dispatches at up to `wanted` placements; the member `placement` of the
 * dispatches is ignored. All arrays exist at the same time, so no two begin at the same address.
 * Large arrays overlap in a shared buffer, each at a different offset. Frees the previous arrays,
 * unless the same owner (the name of a suite) asks for the same sizes again.
 *
 * *placements receives the number of placements obtained. If there are fewer than `wanted`, BL_OK
 * is still returned and error says why. If there are none, the failure is returned. Without this
 * call, arrays are made and enlarged when a launch needs them. */
enum bl_status bl_session_place(struct bl_session *session, const char *owner,
                                const struct bl_dispatch dispatches[], size_t count,
                                unsigned wanted, unsigned *placements, struct bl_error *error);

/* Launches a kernel with the arguments (data, outputs, rounds, zero), plus the table if the
 * kernel's source has an expression, or else local memory if local_bytes is not 0. Waits for the
 * launch to end. Fails with BL_HANGS or BL_INTERRUPTED if the launch did not end; the session is
 * then lost. Also fails with BL_OPENCL_FAILED or BL_NO_MEMORY; or, without a launch, with
 * BL_INTERRUPTED after an interruption, or with BL_HANGS if an earlier launch hung. */
enum bl_status bl_session_run(struct bl_session *session, struct bl_kernel *kernel,
                              const struct bl_dispatch *dispatch, uint32_t rounds,
                              struct bl_timing *timing, struct bl_error *error);

/* Sets every output to this value before a launch, so that a launch that does nothing is detected.
 * bl_session_preset and bl_session_outputs wait without a deadline. Both fail with
 * BL_OPENCL_FAILED, bl_session_preset also with BL_NO_MEMORY. */
enum bl_status bl_session_preset(struct bl_session *session, const struct bl_dispatch *dispatch,
                                 uint32_t value, struct bl_error *error);

/* Copies the dispatch's outputs to the host. */
enum bl_status bl_session_outputs(struct bl_session *session, const struct bl_dispatch *dispatch,
                                  uint32_t outputs[], struct bl_error *error);

/* The sub-group size with which the driver runs the kernel in this dispatch; 0 if the driver does
 * not report it. The size may exceed the number of work-items in a group. */
size_t bl_session_sub_group_size(const struct bl_session *session, const struct bl_kernel *kernel,
                                 const struct bl_dispatch *dispatch);

/* A kernel's private memory as the driver reports it; 0 if it reports nothing. */
struct bl_private_bytes {
    uint64_t in_memory; /* bytes of private memory per work-item that are not in registers */
    uint64_t spilled;   /* bytes of registers that the compiler spilled; only Intel reports this */
};
struct bl_private_bytes bl_kernel_private_bytes(const struct bl_session *session,
                                                const struct bl_kernel *kernel);

/* Gets the number of bytes of local memory that a group of the kernel uses, as reported by the
 * driver. Fails with BL_OPENCL_FAILED. */
enum bl_status bl_kernel_local_bytes(const struct bl_session *session,
                                     const struct bl_kernel *kernel, uint64_t *bytes,
                                     struct bl_error *error);

/* A hash of the kernel's source and options: rows with different hashes are not comparable. */
uint64_t bl_kernel_hash(const struct bl_kernel *kernel);

/* Launches of kernels that are not benchmark cases, with other arguments and arrays. */

struct bl_device_array; /* an array in global memory */

/* Allocates an array of undefined content; the caller releases it before closing the session. Fails
 * with BL_OPENCL_FAILED if the array cannot be allocated. */
enum bl_status bl_device_array_make(struct bl_session *session, size_t bytes,
                                    struct bl_device_array **array, struct bl_error *error);

/* Releases the array; NULL is allowed. Does nothing if the session is lost. */
void bl_device_array_release(struct bl_session *session, struct bl_device_array *array);

/* Both functions copy `bytes` bytes between the host and the beginning of the array, and wait. They
 * fail with BL_OPENCL_FAILED; with BL_INTERRUPTED after an interruption; or with BL_HANGS if an
 * earlier launch hung. */
enum bl_status bl_device_array_write(struct bl_session *session, struct bl_device_array *array,
                                     size_t bytes, const void *values, struct bl_error *error);
enum bl_status bl_device_array_read(struct bl_session *session, const struct bl_device_array *array,
                                    size_t bytes, void *values, struct bl_error *error);

/* A kernel argument: `array` if this pointer is not NULL, else the `bytes` bytes at `value`. If
 * both pointers are NULL, the argument is `bytes` bytes of local memory. */
struct bl_argument {
    const struct bl_device_array *array;
    const void *value;
    size_t bytes;
};

enum { BL_MAX_ARGUMENTS = 12 };

struct bl_groups {
    size_t count, items; /* number of work-groups, and of work-items in each */
};

struct bl_kernel_launch {
    struct bl_kernel *kernel;
    struct bl_groups groups;
    const struct bl_argument *arguments;
    unsigned argument_count;
};

/* Launches a kernel and waits for its end. Fails like bl_session_run. */
enum bl_status bl_session_launch(struct bl_session *session, const struct bl_kernel_launch *launch,
                                 struct bl_timing *timing, struct bl_error *error);

enum { BL_MAX_QUEUED = 32 };

/* The times of a launch and of the launches that are enqueued behind it. */
struct bl_queue_timing {
    struct bl_timing first, queued[BL_MAX_QUEUED]; /* each host_ns is the time of all launches
                                                      together */
    uint64_t queued_ns; /* host time in which the launches behind the first are enqueued */
    uint64_t all_ns;    /* host time in which all launches are enqueued */
};

/* Enqueues the launch `first`, and then the launch `behind` `count` times (1 to BL_MAX_QUEUED).
 * Waits only for the last launch. If a launch cannot be enqueued, waits for the launches before it.
 * Fails like bl_session_run. */
enum bl_status bl_session_queue(struct bl_session *session, const struct bl_kernel_launch *first,
                                const struct bl_kernel_launch *behind, unsigned count,
                                struct bl_queue_timing *timing, struct bl_error *error);

/* Kernel sources: embedded in the program, or read from a folder (--kernel-dir), for developers of
 * kernels. */

/* The files of kernels/, embedded at build time; the last entry has null pointers. */
extern const struct bl_embedded bl_embedded_sources[];

/* Loads a kernel file from a folder, or the embedded file of this name if folder is NULL. #include
 * "..." lines are replaced by the files they name, with #line directives, so that a compiler's
 * message names the right file and line. The caller frees *text. Fails with BL_FILE_FAILED if a
 * file is missing or cannot be read or if includes are nested more than 8 deep, or with
 * BL_NO_MEMORY. */
enum bl_status bl_source_load(const char *folder, const char *name, char **text,
                              struct bl_error *error);

/* Adds a source to a hash (bl_hash_add). Comments, #line directives and the amount of white space
 * do not change the hash, because they do not change what is measured. */
uint64_t bl_source_hash(uint64_t hash, const char *text);

/* Some compilers ignore #line and print "<kernel>:N:", where N counts lines of the combined text.
 * Replaces these places in a build log by file and line, as far as the log's capacity allows. text:
 * the combined text from bl_source_load. */
void bl_source_place(const char *text, char *log, size_t capacity);

#endif
