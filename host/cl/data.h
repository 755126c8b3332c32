/* Inside host/cl only: the buffers of a session, which grow as kernels need them. */
#ifndef BANKLINE_CL_DATA_H
#define BANKLINE_CL_DATA_H

#include <stddef.h>

#include "cl/call.h"

enum { BL_CONSTANT_BYTES = 64 * 1024 };

/* Makes *buffer hold at least `bytes` of bl_data_element; *room is what it holds. */
enum bl_status bl_data_need(cl_context context, cl_command_queue queue, size_t bytes,
                            cl_mem *buffer, size_t *capacity, struct bl_error *error);

/* Makes *buffer have at least `bytes`, with any content. */
enum bl_status bl_buffer_need(cl_context context, size_t bytes, cl_mem *buffer, size_t *capacity,
                              struct bl_error *error);

#endif
