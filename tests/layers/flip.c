/* A layer that flips one bit of the data that one buffer read returns. BANKLINE_TEST_FLIP is
 * READ:BIT. READ is the number of the read, from 1. BIT is the position of the bit in the data; it
 * wraps around at their end. */
#include "layer.h"

static long wanted, bit, reads;

static cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocks,
                                      size_t offset, size_t size, void *to, cl_uint count,
                                      const cl_event *list, cl_event *event)
{
    const cl_int code =
        real->clEnqueueReadBuffer(queue, buffer, CL_TRUE, offset, size, to, count, list, event);
    (void)blocks;
    if (code == CL_SUCCESS && ++reads == wanted) {
        const size_t at = (size_t)bit % (8 * size);
        ((unsigned char *)to)[at / 8] ^= (unsigned char)(1u << at % 8);
        fprintf(stderr, "layer: flipped bit %zu of read %ld\n", at, reads);
    }
    return code;
}

static cl_int hook(struct _cl_icd_dispatch *dispatch)
{
    const char *flip = getenv("BANKLINE_TEST_FLIP");
    if (!flip || sscanf(flip, "%ld:%ld", &wanted, &bit) != 2)
        return CL_INVALID_VALUE;
    fputs("layer: flip\n", stderr);
    dispatch->clEnqueueReadBuffer = read_buffer;
    return CL_SUCCESS;
}
