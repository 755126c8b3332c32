/* Walks through a working set of BLOCKS blocks (a power of two). In each round every group reads
 * one block, GROUP * STRIDE * UNROLL elements of type T; the groups of a round read neighbouring
 * blocks, and an odd number of blocks further on in the next, so that every group comes to every
 * block. The host defines T, COMPONENTS, GROUP, STRIDE, UNROLL and BLOCKS. */
#include "patterns.h"
#include "elements.h"

SUB_GROUP_ATTRIBUTE
__kernel void walk(__global const T *restrict data, __global uint *restrict sums, uint rounds,
                   int zero)
{
    ulong lane = get_local_id(0) * STRIDE;
    const ulong further = get_num_groups(0) | 1;
    ulong block = get_group_id(0) % BLOCKS;
    uint sum = 0;
    for (uint round = 0; round < rounds; round++) {
        __global const T *p = data + block * (GROUP * STRIDE * UNROLL) + lane;
#pragma unroll
        for (int j = 0; j < UNROLL; j++) {
            T value = p[j * GROUP * STRIDE];
            sum += SUM(value);
        }
        block = (block + further) % BLOCKS;
        lane += (ulong)zero; /* a single block must be read again too */
    }
    sums[linear_item()] = sum;
}
