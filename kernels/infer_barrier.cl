/* Like barrier.cl, for a group size that is known only at run time. */
#include "numbers.h"

#define STEPS 16

__kernel void barriers(uint rounds, __global uint *restrict sums, __local uint *slots)
{
    const uint own = (uint)get_local_id(0);
    const uint neighbour = (own + 1) % (uint)get_local_size(0);
    uint mine = own, sum = 0;
    for (uint round = 0; round < rounds; round++) {
#pragma unroll
        for (int step = 0; step < STEPS; step++) {
            slots[own] = mine;
            barrier(CLK_LOCAL_MEM_FENCE);
            sum += slots[neighbour];
            mine = HANDED_ON(sum);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    sums[get_global_id(0)] = sum;
}
