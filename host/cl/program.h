/* Private to host/cl: builds each kernel as a separate program, and keeps a list of built kernels.
 * Each kernel has its own program, so that one kernel's local memory does not limit another
 * kernel's occupancy. */
#ifndef BANKLINE_CL_PROGRAM_H
#define BANKLINE_CL_PROGRAM_H

#include <stdbool.h>

#include "cl/cl_error.h"
#include "cl/session.h"

/* Parameters that all builds have in common. `folder` is passed to bl_source_load. */
struct bl_compiler {
    cl_context context;
    cl_device_id device;
    const char *folder;
};

struct bl_kernel {
    struct bl_kernel *next;
    char *key;     /* file, name, options and index expression; messages show the key, too */
    uint64_t hash; /* hash of the key and the text; bl_source_hash says which edits do not change
                      it */
    cl_program program;
    cl_kernel kernel;
    cl_mem table; /* buffer with the table of the kernel's index expression; or NULL */
};

/* Whether two sources give the same kernel: they have the same file, name, options and
 * expression. */
bool bl_sources_are_equal(const struct bl_kernel_source *one, const struct bl_kernel_source *other);

/* The kernel in the list that was built from the same source, or NULL. */
struct bl_kernel *bl_program_find(struct bl_kernel *list, const struct bl_kernel_source *source);

/* Builds the kernel and prepends it to the list, which owns it. */
enum bl_status bl_program_build(const struct bl_compiler *compiler,
                                const struct bl_kernel_source *source, struct bl_kernel **list,
                                struct bl_error *error);

void bl_programs_release(struct bl_kernel *list);

/* The build queue: one to three threads build kernels in the order in which they will be needed,
 * while kernels built earlier are measured. */

struct bl_build_queue;

/* Starts the threads. Copies the sources, but not the strings and expressions they point to, which
 * must outlive the queue. Returns NULL if memory runs out or no thread can be started. */
struct bl_build_queue *bl_build_queue_open(const struct bl_compiler *compiler,
                                           const struct bl_kernel_source sources[], size_t count);

/* Waits for the builds in progress, skips the rest and releases all kernels. NULL is allowed. */
void bl_build_queue_close(struct bl_build_queue *queue);

/* Waits until the source is built. Then returns true, with the same results as bl_program_build:
 * *status, and *kernel or error. Returns false if the source is not in the queue. */
bool bl_build_queue_take(struct bl_build_queue *queue, const struct bl_kernel_source *source,
                         struct bl_kernel **kernel, enum bl_status *status, struct bl_error *error);

#endif
