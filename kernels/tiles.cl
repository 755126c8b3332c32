/* Reads a working set, tile after tile (tiles.h). */
#include "tiles.h"

SUB_GROUP_ATTRIBUTE
__kernel void read_tiles(__global const T *restrict data, __global uint *restrict sums, uint rounds,
                         int zero TABLE_ARGUMENT)
{
    if (is_idle())
        return;
    ulong mine = START + (ulong)(zero * (int)get_local_id(0));
    uint block = first_block();
    uint sum = 0;
    for (uint round = 0; round < rounds; round++) {
        mine += (ulong)zero; /* so that even a single block is read again */
        __global const T *p = data + mine + (ulong)block * (TILE * UNROLL);
#pragma unroll
        for (int j = 0; j < UNROLL; j++) {
            T value = p[(ulong)j * TILE];
            sum += SUM(value);
        }
        block = next_block(block);
    }
    sums[output()] = sum;
}
