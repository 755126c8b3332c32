/* Every work-item produces a row of ROW words; rows of neighbours begin PITCH words apart. The host
 * defines GROUP, ROW, PITCH, WORDS (how many words a group outputs) and one of STAGED (rows are
 * written to local memory, and the group then copies the first WORDS words out) and DIRECT (each
 * work-item writes its row to global memory). If PITCH is less than ROW, rows overlap, and
 * work-items write the same value to a shared word. The target of a round's writes is known only at
 * run time, so no compiler can remove the writes of earlier rounds. */
#include "patterns.h"
#include "numbers.h"

/* Odd words have another index expression, so that no compiler can merge writes to two neighbouring
 * words. */
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
