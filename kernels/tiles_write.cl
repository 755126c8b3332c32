/* Writes a working set, tile after tile (tiles.h). The value written to element e is e + rounds. At
 * the end a work-item reads back its first block. */
#include "tiles.h"

SUB_GROUP_ATTRIBUTE
__kernel void write_tiles(__global T *restrict data, __global uint *restrict sums, uint rounds,
                          int zero TABLE_ARGUMENT)
{
    if (is_idle())
        return;
    ulong mine = START + (ulong)(zero * (int)get_local_id(0));
    uint block = first_block();
    for (uint round = 0; round < rounds; round++) {
        mine += (ulong)zero; /* so that even a single block is written again */
        const ulong at = mine + (ulong)block * (TILE * UNROLL);
        __global T *p = data + at;
        const uint value = (uint)at + rounds;
#pragma unroll
        for (int j = 0; j < UNROLL; j++)
            p[(ulong)j * TILE] = VALUE(value + j * TILE);
        block = next_block(block);
    }
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    __global const T *p = data + mine + (ulong)first_block() * (TILE * UNROLL) + zero;
    uint sum = 0;
    for (int j = 0; j < UNROLL; j++) {
        T value = p[(ulong)j * TILE];
        sum += SUM(value);
    }
    sums[output()] = sum;
}
