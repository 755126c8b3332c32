/* In each step every work-item updates its own words in local memory, and then waits at a barrier;
 * the words of neighbouring work-items are STRIDE apart. In the guide each work-item has one word,
 * so a step takes as long as its barrier. Here each work-item has ROWS words, each in a different
 * row, so that the banks limit a step. The host defines GROUP, STRIDE, ROWS, WORDS (the same for
 * every STRIDE) and STEPS. */
#include "patterns.h"

SUB_GROUP_ATTRIBUTE
__kernel void bank_update(__global const int *restrict data, __global uint *restrict sums,
                          uint rounds, int zero)
{
    __local uint slm[WORDS];
    const size_t j = get_local_id(0);
    const uint i = (uint)get_global_id(0);
    uint m = 0;
    for (uint word = (uint)j; word < WORDS; word += GROUP)
        slm[word] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint round = 0; round < rounds; round++) {
#pragma unroll
        for (int step = 0; step < STEPS; step++) {
#pragma unroll
            for (int row = 0; row < ROWS; row++)
                slm[row * (WORDS / ROWS) + j * STRIDE] += i * m;
            m++;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    uint sum = 0;
    for (int row = 0; row < ROWS; row++)
        sum += slm[row * (WORDS / ROWS) + j * STRIDE];
    sums[linear_item()] = sum;
}
