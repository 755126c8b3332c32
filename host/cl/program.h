/* Inside host/cl only: building a kernel as a program of its own, and a list of those built. */
#ifndef BANKLINE_CL_PROGRAM_H
#define BANKLINE_CL_PROGRAM_H

#include <stdbool.h>

#include "cl/cl_error.h"
#include "cl/session.h"

struct bl_kernel {
    struct bl_kernel *next;
    char *key;     /* file, name and options; for messages too */
    uint64_t hash; /* of the key and of the text without comments and white space */
    cl_program program;
    cl_kernel kernel;
    cl_mem table; /* of the values of its expression; or NULL */
};

/* Whether both name the same kernel, built with the same options and expression. */
bool bl_sources_are_equal(const struct bl_kernel_source *one, const struct bl_kernel_source *other);

/* The kernel in the list that was built from the same source, or NULL. */
struct bl_kernel *bl_program_find(struct bl_kernel *list, const struct bl_kernel_source *source);

/* Builds the kernel and prepends it to the list, which owns it. folder: as in bl_source_load. */
enum bl_status bl_program_build(cl_context context, cl_device_id device, const char *folder,
                                const struct bl_kernel_source *source, struct bl_kernel **list,
                                struct bl_kernel **kernel, struct bl_error *error);

void bl_programs_release(struct bl_kernel *list);

/* The queue of builds: kernels are built in the order in which they will be needed, in one to three
 * threads, while the present one is measured. */

struct bl_build_queue;

/* Starts the threads. The sources are copied, their texts borrowed until the queue is closed.
 * BL_NO_MEMORY, also where no thread can be started. */
enum bl_status bl_build_queue_open(cl_context context, cl_device_id device, const char *folder,
                                   const struct bl_kernel_source sources[], size_t count,
                                   struct bl_build_queue **queue, struct bl_error *error);

/* Waits for the builds in progress, skips the rest and releases all kernels. NULL is allowed. */
void bl_build_queue_close(struct bl_build_queue *queue);

/* Returns false if the source is not in the queue. Else waits until it is built and fills in
 * *status, and *kernel or error, as bl_program_build. */
bool bl_build_queue_take(struct bl_build_queue *queue, const struct bl_kernel_source *source,
                         struct bl_kernel **kernel, enum bl_status *status, struct bl_error *error);

#endif
