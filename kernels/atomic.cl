/* Atomic additions to words of local or global memory. In each round every work-item makes UNROLL
 * additions of its index in the group (counted from 1), and chooses the words as global.cl chooses
 * elements. The host defines IN_LOCAL for local memory, RETURNED if the returned value is used, and
 * what global.cl needs. In global memory the words themselves are the outputs. In local memory each
 * work-item outputs the sum of the words that it added to. */
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
    /* The run-time zero hides which lanes add to the same word; otherwise a compiler would first
     * combine their values. */
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
    before &= (uint)zero; /* makes the compiler think that returned values are used */
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
