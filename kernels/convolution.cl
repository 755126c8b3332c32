/* One-dimensional convolution with TAPS taps, which are the first words of `data`; elements outside
 * the array count as 0. The host defines GROUP, ELEMENTS (a multiple of GROUP) and one of three
 * variants. DIRECT: each use of an element reads global memory. STAGED: the group first copies its
 * elements to local memory, and the first and the last work-item also copy HALO elements each in a
 * loop, as in the guide. STAGED_BY_ALL: all work-items together copy all these elements. */
#include "patterns.h"
#include "numbers.h"

/* Consecutive taps use contiguous elements, of which a compiler such as Intel's may read four in
 * one access. Four loops prevent this, so that each element is read separately: each loop handles
 * every fourth tap, with a base that the compiler cannot predict. */
#define APART 4
#define PART(part)                                  \
    base += zero;                                   \
    _Pragma("unroll")                               \
    for (int j = (part); j < TAPS; j += APART)      \
        sum += (uint)(PLACE + base)[j] * TAP((uint)taps[j + base - first]);
#define ALL_TAPS PART(0) PART(1) PART(2) PART(3)

int element_at(__global const int *restrict data, int i)
{
    return i >= 0 && i < ELEMENTS ? data[i] : 0;
}

SUB_GROUP_ATTRIBUTE
__kernel void convolve(__global const int *restrict data, __global uint *restrict result,
                       uint rounds, int zero)
{
    const int item = (int)get_global_id(0);
    __global const int *restrict taps = data;
    uint sum = 0;
#ifdef DIRECT
#define PLACE data
    const int group = (int)get_group_id(0), first = item - HALO;
    int base = first;
    for (uint round = 0; round < rounds; round++) {
        if (group > 0 && group < ELEMENTS / GROUP - 1) {
            ALL_TAPS
        } else {
#pragma unroll 1
            for (int j = 0; j < TAPS; j++)
                sum += (uint)element_at(data, base + j) * TAP((uint)taps[j]);
        }
    }
#else
#define PLACE tile
    __local int tile[GROUP + 2 * HALO];
    const int lid = (int)get_local_id(0), first = lid;
    int base = lid, at = item - lid - HALO; /* at: the index at which the tile begins */
    for (uint round = 0; round < rounds; round++) {
        at += zero;
#ifdef STAGED
        tile[HALO + lid] = data[at + HALO + lid];
        if (lid == 0)
#pragma unroll 1
            for (int i = 0; i < HALO; i++)
                tile[i] = element_at(data, at + i);
        if (lid == GROUP - 1)
#pragma unroll 1
            for (int i = GROUP + HALO; i < GROUP + 2 * HALO; i++)
                tile[i] = element_at(data, at + i);
#else
        for (int i = lid; i < GROUP + 2 * HALO; i += GROUP)
            tile[i] = element_at(data, at + i);
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
        ALL_TAPS
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
    result[item] = sum;
}
