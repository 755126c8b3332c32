/* Every work-item produces a row of ROW words. The host defines GROUP, ROW and one of
 * INDEPENDENT (each row has an area of its own in local memory, which the group then copies out),
 * OVERLAPPING (rows overlap by half, so that neighbours add to the same words) and DIRECT (each
 * work-item writes its row to global memory). Where a round writes to is known at run time only, so
 * that no round's writes can be left out. */
#include "patterns.h"
#include "numbers.h"

/* Odd words through an index of their own, so that no compiler can write two neighbours at once. */
#define WORD(k) ((k) + ((k) % 2 ? (uint)zero : 0))

SUB_GROUP_ATTRIBUTE
__kernel void stage_rows(__global const int *restrict data, __global uint *restrict rows,
                         uint rounds, int zero)
{
    const uint lid = (uint)get_local_id(0);
    const uint item = (uint)get_global_id(0);
#if defined(INDEPENDENT)
    __local uint area[GROUP * ROW];
#elif defined(OVERLAPPING)
    __local uint area[(GROUP + 1) * ROW / 2];
#endif
#ifndef DIRECT
    const uint words = sizeof area / sizeof area[0];
    __global uint *target = rows + (uint)get_group_id(0) * words;
#endif
    uint offset = 0;
    for (uint round = 0; round < rounds; round++) {
        offset += (uint)zero;
#if defined(DIRECT)
#pragma unroll
        for (uint k = 0; k < ROW; k++)
            rows[item * ROW + offset + WORD(k)] = WORD_OF(item * ROW + k, round);
        barrier(CLK_GLOBAL_MEM_FENCE);
#else
#ifdef OVERLAPPING
        for (uint i = lid; i < words; i += GROUP)
            area[i] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (uint k = 0; k < ROW; k++)
            atomic_add(&area[lid * (ROW / 2) + k], WORD_OF(item * ROW + k, round));
#else
#pragma unroll
        for (uint k = 0; k < ROW; k++)
            area[lid * ROW + WORD(k)] = WORD_OF(item * ROW + k, round);
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = lid; i < words; i += GROUP)
            target[i + offset] = area[i];
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
}
