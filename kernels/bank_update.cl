/* Every work-item adds to a word of its own in local memory, with a barrier after each step; the
 * words lie STRIDE apart. The host defines GROUP, STRIDE and STEPS. */
#include "patterns.h"

SUB_GROUP_ATTRIBUTE
__kernel void bank_update(__global const int *restrict data, __global uint *restrict sums,
                          uint rounds, int zero)
{
    __local uint slm[GROUP * STRIDE];
    const size_t j = get_local_id(0);
    const uint i = (uint)get_global_id(0);
    uint m = 0;
    slm[j * STRIDE] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint round = 0; round < rounds; round++) {
#pragma unroll
        for (int step = 0; step < STEPS; step++) {
            slm[j * STRIDE] += i * m;
            m++;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    sums[linear_item()] = slm[j * STRIDE];
}
