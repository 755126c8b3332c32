/* Walks through a working set of BLOCKS blocks (a power of two). In each round every group reads
 * REPEAT blocks, each GROUP * UNROLL elements of type T: always as many reads, for a short
 * loop is unrolled by some compilers and not by others. Each group begins somewhere else and goes
 * on by an odd number of blocks of its own, so that it comes to every block, and neither itself nor
 * its neighbours come back soon. The host defines T, SCALAR, GROUP, UNROLL, REPEAT and
 * BLOCKS. */
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
