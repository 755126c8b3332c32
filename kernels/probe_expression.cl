/* Stores the index that each work-item computes, and beside it four times the work-item's number
 * and 2, by which the host knows that the kernel ran, and 1 if it divided by zero on the way. */
#include "patterns.h"

__kernel void probe_expression(__global ulong *restrict indices, __global ulong *restrict marks)
{
    uint fault = 0;
    indices[linear_item()] = as_ulong(index_guarded(&fault));
    marks[linear_item()] = (ulong)linear_item() * 4 + 2 + fault;
}
