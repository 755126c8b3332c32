/* Atomic additions to words of local or of global memory. Every work-item adds its number within
 * the group, from 1 on, to UNROLL words a round: those of global.cl. The host defines IN_LOCAL or
 * not, RETURNED where the value before is used, and what global.cl needs. In global memory the
 * words are the outputs; in local memory an output is the sum of the words that its work-item added
 * to. */
#include "patterns.h"

#ifdef IN_LOCAL
#define WORDS __local
#else
#define WORDS __global
#endif

SUB_GROUP_ATTRIBUTE
__kernel void add_atomically(__global const uint *restrict data, volatile __global uint *sums,
                             uint rounds, int zero)
{
#ifdef IN_LOCAL
    volatile __local uint words[ELEMENTS + (STEPS - 1) * STEP];
    for (size_t i = linear_local(); i < sizeof words / sizeof words[0];
         i += get_local_size(0) * get_local_size(1))
        words[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#else
    volatile __global uint *words = sums;
#endif
    /* Which lanes want the same word must not be known to a compiler, which would add up their
     * values first. */
    int base = (int)start_element() + zero * (int)linear_local();
    const uint own = (uint)linear_local() + 1;
    uint before = 0;
    for (uint round = 0; round < rounds; round++) {
#pragma unroll
        for (int k = 0; k < UNROLL / STEPS; k++) {
            base += zero;
            volatile WORDS uint *p = words + base;
#pragma unroll
            for (int j = 0; j < STEPS; j++)
#ifdef RETURNED
                before += atomic_add(&p[j * STEP], own);
#else
                atomic_add(&p[j * STEP], own);
#endif
        }
    }
    before &= (uint)zero; /* used, as far as a compiler knows */
#ifdef IN_LOCAL
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = before;
    for (int j = 0; j < STEPS; j++)
        sum += words[base + j * STEP];
    sums[linear_item()] = sum;
#else
    if (before)
        words[base] = 0;
#endif
}
