/* Inside host/cl only: building a kernel as a program of its own, and a list of those built. */
#ifndef BANKLINE_CL_PROGRAM_H
#define BANKLINE_CL_PROGRAM_H

#include <stdbool.h>

#include "cl/call.h"
#include "cl/session.h"

/* Whether they name the same kernel, built in the same way. */
bool bl_sources_are_equal(const struct bl_kernel_source *one, const struct bl_kernel_source *other);

/* The kernel in the list that was built from the same source, or NULL. */
struct bl_kernel *bl_program_find(struct bl_kernel *list, const struct bl_kernel_source *source);

/* Builds, and puts the kernel at the head of the list, which owns it. folder is NULL for the
 * embedded sources. */
enum bl_status bl_program_build(cl_context context, cl_device_id device, const char *folder,
                                const struct bl_kernel_source *source, struct bl_kernel **list,
                                struct bl_kernel **kernel, struct bl_error *error);

cl_kernel bl_program_kernel(const struct bl_kernel *kernel);

/* File, kernel and options, for messages. */
const char *bl_program_name(const struct bl_kernel *kernel);

uint64_t bl_program_hash(const struct bl_kernel *kernel);

void bl_programs_release(struct bl_kernel *list);

/* Inside host/cl only: programs that are built in the order in which they will be needed, in one
 * to three threads of their own, while the present one is measured. */

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
