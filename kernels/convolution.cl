/* One-dimensional convolution with TAPS taps, constants of the program, so that no read of them
 * mixes with those of the array; what lies outside the array counts as 0. The host defines GROUP,
 * ELEMENTS (a multiple of GROUP) and one of DIRECT (every element is read from global memory by
 * each of the work-items that need it) and STAGED (the group copies its elements and HALO more on
 * both sides into local memory first). */
#include "patterns.h"
#include "numbers.h"

/* A work-item's taps are neighbours, and a compiler reads four neighbours at once (Intel's does).
 * Every fourth tap in turn, on a base that it cannot know to be the same, keeps a read for each. */
#define APART 4
#define PART(part)                                  \
    base += zero;                                   \
    _Pragma("unroll")                               \
    for (int j = (part); j < TAPS; j += APART)      \
        sum += (uint)(PLACE + base)[j] * TAP(j);
#define ALL_TAPS PART(0) PART(1) PART(2) PART(3)

SUB_GROUP_ATTRIBUTE
__kernel void convolve(__global const int *restrict data, __global uint *restrict result,
                       uint rounds, int zero)
{
    const int item = (int)get_global_id(0);
    uint sum = 0;
#ifdef STAGED
    const int lid = (int)get_local_id(0);
    const int first = item - lid - HALO;
    __local int tile[GROUP + 2 * HALO];
    for (int i = lid; i < GROUP + 2 * HALO; i += GROUP)
        tile[i] = first + i >= 0 && first + i < ELEMENTS ? data[first + i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int base = lid;
#define PLACE tile
    for (uint round = 0; round < rounds; round++) {
        ALL_TAPS
    }
#else
    const int group = (int)get_group_id(0);
    int base = item - HALO;
#define PLACE data
    for (uint round = 0; round < rounds; round++) {
        if (group > 0 && group < ELEMENTS / GROUP - 1) {
            ALL_TAPS
        } else {
#pragma unroll 1
            for (int j = 0; j < TAPS; j++)
                if (base + j >= 0 && base + j < ELEMENTS)
                    sum += (uint)data[base + j] * TAP(j);
        }
    }
#endif
    result[item] = sum;
}
