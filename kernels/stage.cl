/* Every work-item produces a row of ROW words, PITCH words after its neighbour's. The host
 * defines GROUP, ROW, PITCH, WORDS (that a group copies out) and one of STAGED (rows lie in local
 * memory, and the group then copies their first WORDS out) and DIRECT (each work-item writes its
 * row to global memory). Where PITCH is less than ROW rows overlap: work-items write the same
 * value to a word that they share. Where a round writes to is known at run time only, so that no
 * round's writes can be left out. */
#include "patterns.h"
#include "numbers.h"

/* Odd words through an index of their own, so that no compiler can write two neighbours at once. */
#define WORD(k) ((k) + ((k) % 2 ? (uint)zero : 0))

SUB_GROUP_ATTRIBUTE
__kernel void stage_rows(__global const int *restrict data, __global uint *restrict rows,
                         uint rounds, int zero)
{
    const uint lid = (uint)get_local_id(0);
    const uint group = (uint)get_group_id(0);
    const uint row = lid * PITCH;
#ifdef STAGED
    __local uint area[(GROUP - 1) * PITCH + ROW];
#endif
    __global uint *target = rows + group * WORDS;
    uint offset = 0;
    for (uint round = 0; round < rounds; round++) {
        offset += (uint)zero;
#ifdef DIRECT
#pragma unroll
        for (uint k = 0; k < ROW; k++)
            target[row + offset + WORD(k)] = WORD_OF(group * WORDS + row + k, round);
        barrier(CLK_GLOBAL_MEM_FENCE);
#else
#pragma unroll
        for (uint k = 0; k < ROW; k++)
            area[row + WORD(k)] = WORD_OF(group * WORDS + row + k, round);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = lid; i < WORDS; i += GROUP)
            target[i + offset] = area[i];
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
}
