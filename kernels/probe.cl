/* Stores what each work-item computed, so that the host can compare it with C's:
 * the raw index of the pattern, then the element at which the work-item starts. */
#include "patterns.h"

__kernel void probe_pattern(__global ulong *restrict indices, __global ulong *restrict starts)
{
    size_t item = linear_item();
    indices[item] = INDEX(WIDTH_ELEMENTS, N);
    starts[item] = start_element();
}
