/* Stores the indices that each work-item computes, so that the host can compare them with the
 * indices computed in C. Each work-item stores the pattern's value and then its start element, each
 * with the low half first. */
#include "patterns.h"

__kernel void probe_pattern(__global const uint *restrict data, __global uint *restrict halves,
                            uint rounds, int zero)
{
    const size_t item = linear_item();
    const ulong index = INDEX(WIDTH_ELEMENTS, N), start = start_element();
    halves[4 * item] = (uint)index;
    halves[4 * item + 1] = (uint)(index >> 32);
    halves[4 * item + 2] = (uint)start;
    halves[4 * item + 3] = (uint)(start >> 32);
}
