/* Inside host/cl only: the buffers that kernels work on, a set of them at each placement. */
#ifndef BANKLINE_CL_DATA_H
#define BANKLINE_CL_DATA_H

#include <stddef.h>

#include "cl/call.h"
#include "cl/session.h"

/* A buffer that lies `placement` odd steps beyond the beginning of one of its own. */
struct bl_buffer {
    cl_mem whole, part; /* NULL: none; part may be the whole */
    size_t bytes;       /* capacity of part */
};

struct bl_place {
    struct bl_buffer data, constant, written, outputs;
};

/* Makes the buffers of this placement hold what the dispatch needs: bl_data_element in data and
 * constant, anything in the others. What is large enough stays as it is. */
enum bl_status bl_place_need(struct bl_place *place, unsigned placement,
                             const struct bl_dispatch *dispatch, cl_context context,
                             cl_command_queue queue, struct bl_error *error);
void bl_place_release(struct bl_place *place);

/* The array that the dispatch's kernel reads or writes; borrowed. */
const cl_mem *bl_place_array(const struct bl_place *place, const struct bl_dispatch *dispatch);

#endif
