/* Every work-item of a group reads REUSE elements of a block of GROUP elements; each round uses
 * another block. The host defines GROUP, REUSE, BLOCKS (the number of blocks per group) and one of
 * DIRECT (elements are read from global memory each time), BY_ONE (one work-item copies the block
 * to local memory) and BY_ALL (each work-item copies one element). */
#include "patterns.h"

SUB_GROUP_ATTRIBUTE
__kernel void prefetch_block(__global const int *restrict data, __global uint *restrict sums,
                             uint rounds, int zero)
{
    const uint lid = (uint)get_local_id(0);
    uint sum = 0;
#ifdef BY_ONE
    /* Always 0, but the compiler does not know that, so it does not copy several neighbouring
     * elements as one wide word. */
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
        /* This loop is not fully unrolled, because registers could not hold the 64 addresses of the
         * longest loop. */
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
