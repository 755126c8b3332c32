/* Contiguous reads or writes of 16 bytes over a working set, block after block, to measure the
 * bandwidth of a cache or of memory. Group g begins with block g * `begin` and steps by `further`
 * blocks, modulo `blocks`. A block has READS elements per work-item of a group. */
#include "numbers.h"

#define READS 8

/* Writes a working set of this layout, with words that a GPU cannot compress. `first`: the
 * element at which the blocks begin. */
__kernel void stream_writes(__global uint4 *restrict data, uint blocks, uint begin, uint further,
                            uint rounds, uint first, int zero)
{
    uint block = (uint)((ulong)get_group_id(0) * begin % blocks);
    const uint items = (uint)get_local_size(0);
    for (uint round = 0; round < rounds; round++) {
        const ulong at = first + (ulong)block * (READS * items) + get_local_id(0);
        __global uint4 *p = data + at + (long)zero * (long)round;
        const uint word = HASHED_WORD((uint)at + round);
#pragma unroll
        for (int j = 0; j < READS; j++)
            p[(uint)j * items] = (uint4)(word, word * 3u, word * 5u, word * 7u) + (uint)j;
        block += further;
        block -= block >= blocks ? blocks : 0;
    }
}

__kernel void stream(__global const uint4 *restrict data, uint blocks, uint begin, uint further,
                     uint rounds, __global uint *restrict sums, int zero)
{
    uint block = (uint)((ulong)get_group_id(0) * begin % blocks);
    const uint items = (uint)get_local_size(0);
    uint sum = 0;
    for (uint round = 0; round < rounds; round++) {
        __global const uint4 *p =
            data + (ulong)block * (READS * items) + get_local_id(0) + (long)zero * (long)round;
        uint4 found[READS];
#pragma unroll
        for (int j = 0; j < READS; j++)
            found[j] = p[(uint)j * items];
#pragma unroll
        for (int j = 0; j < READS; j++)
            sum += found[j].x + found[j].y + found[j].z + found[j].w;
        block += further;
        block -= block >= blocks ? blocks : 0;
    }
    sums[get_global_id(0)] = sum;
}
