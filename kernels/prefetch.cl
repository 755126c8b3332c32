/* A block of GROUP elements that every work-item of a group reads REUSE elements of. Each round
 * takes another block. The host defines GROUP, REUSE, BLOCKS (how many blocks a group has) and one
 * of DIRECT (read from global memory each time), BY_ONE (one work-item copies the block into local
 * memory) and BY_ALL (each copies one element). */
#include "patterns.h"

SUB_GROUP_ATTRIBUTE
__kernel void prefetch_block(__global const int *restrict data, __global uint *restrict sums,
                             uint rounds, int zero)
{
    const uint lid = (uint)get_local_id(0);
    uint sum = 0;
#ifdef BY_ONE
    /* 0, but no compiler knows it, nor that it is the same for all work-items. Neighbours differ by
     * multiples of `zero`: else they would be copied as one wide word. */
    const uint skew = (uint)zero * (uint)get_global_id(0);
#endif
#ifndef DIRECT
    __local int tile[GROUP];
#endif
#pragma unroll 1
    for (uint round = 0; round < rounds; round++) {
        const uint block = (uint)get_group_id(0) + round % BLOCKS * (uint)get_num_groups(0);
        __global const int *source = data + block * GROUP;
#if defined(BY_ONE)
        if (lid == 0)
#pragma unroll 16
            for (uint i = 0; i < GROUP; i++)
                tile[i + skew + i % 4 * (uint)zero] = source[i + skew + i % 4 * (uint)zero];
#elif defined(BY_ALL)
        tile[lid] = source[lid];
#endif
#ifndef DIRECT
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        /* Not all 64 of the longest: their addresses are more than registers hold. */
#pragma unroll 32
        for (uint use = 0; use < REUSE; use++) {
#ifdef DIRECT
            sum += (uint)source[(lid + use) % GROUP];
#else
            sum += (uint)tile[(lid + use) % GROUP];
#endif
        }
#ifndef DIRECT
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
    sums[linear_item()] = sum;
}
