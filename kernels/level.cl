/* Walks through a working set of BLOCKS blocks (a power of two), each GROUP * UNROLL elements of
 * type T. In each round every group reads REPEAT blocks. UNROLL * REPEAT is the same for all
 * working sets, because some compilers unroll a short loop and others do not. Each group starts at
 * a block of its own and advances by an odd number of blocks of its own: so it visits every block,
 * and neither the group nor its neighbours soon return to one. The host defines T, SCALAR, GROUP,
 * UNROLL, REPEAT and BLOCKS. */
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
            lane += (ulong)zero; /* a single block must be read again too */
        }
    }
    sums[linear_item()] = sum;
}
