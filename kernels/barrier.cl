/* Two barriers per step. Between the barriers each work-item only passes a word to its neighbour,
 * so the result would be wrong if a barrier were missing. The host defines GROUP and STEPS. */
#include "patterns.h"
#include "numbers.h"

SUB_GROUP_ATTRIBUTE
__kernel void barrier_steps(__global const int *restrict data, __global uint *restrict sums,
                            uint rounds, int zero)
{
    __local uint slots[GROUP];
    const uint lid = (uint)get_local_id(0);
    const uint neighbour = (lid + 1) % GROUP;
    uint mine = (uint)data[lid], sum = 0;
    for (uint round = 0; round < rounds; round++) {
#pragma unroll
        for (int step = 0; step < STEPS; step++) {
            slots[lid] = mine;
            barrier(CLK_LOCAL_MEM_FENCE);
            sum += slots[neighbour];
            mine = HANDED_ON(sum);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    sums[linear_item()] = sum;
}
