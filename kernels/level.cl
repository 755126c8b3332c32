/* Reads a working set of BLOCKS blocks (a power of two), each with GROUP * UNROLL elements of type
 * T. In each round every group reads REPEAT blocks. A round's number of reads, UNROLL * REPEAT, is
 * the same for all working sets, and small enough that compilers unroll both loops. Each group has
 * its own first block and its own odd step, so that the group visits every block. If there are many
 * blocks, none is read again soon, by the same group or by its neighbours. The host defines T,
 * SCALAR, GROUP, UNROLL, REPEAT and BLOCKS. */
#include "patterns.h"
#include "numbers.h"
#include "elements.h"

SUB_GROUP_ATTRIBUTE
__kernel void walk(__global const T *restrict data, __global uint *restrict sums, uint rounds,
                   int zero)
{
    ulong lane = get_local_id(0);
    const uint first = FIRST_BLOCK((uint)get_group_id(0));
    const uint further = FURTHER(first);
    uint block = first % BLOCKS;
    uint sum = 0;
    for (uint round = 0; round < rounds; round++) {
#pragma unroll
        for (int k = 0; k < REPEAT; k++) {
            __global const T *p = data + (ulong)block * (GROUP * UNROLL) + lane;
#pragma unroll
            for (int j = 0; j < UNROLL; j++) {
                T value = p[j * GROUP];
                sum += SUM(value);
            }
            block = (block + further) % BLOCKS;
            lane += (ulong)zero; /* so that even a single block is read again */
        }
    }
    sums[linear_item()] = sum;
}
