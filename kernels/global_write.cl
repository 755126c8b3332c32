/* Writes to global memory, limited by nothing but the memory path. The host defines the same macros
 * as for global.cl. The value written to element e is e + rounds, whichever work-item writes it. So
 * the order of writes does not matter, and launches of different lengths write different values. */
#include "patterns.h"
#include "replicas.h"
#include "elements.h"

SUB_GROUP_ATTRIBUTE
__kernel void write_pattern(__global T *restrict data, __global uint *restrict sums, uint rounds,
                            int zero TABLE_ARGUMENT)
{
    int base = (int)START;
    for (uint round = 0; round < rounds; round++) {
#pragma unroll
        for (int k = 0; k < UNROLL / STEPS; k++) {
            base += zero;
            __global T *p = data + base;
            const uint value = (uint)base + rounds;
#pragma unroll
            for (int j = 0; j < STEPS; j++)
                p[j * STEP] = VALUE(value + j * STEP);
        }
    }
    /* Read back what was written; adding `zero` hides from the compiler that these addresses were
     * written just now. */
    barrier(CLK_GLOBAL_MEM_FENCE);
    __global const T *p = data + base + zero;
    uint sum = 0;
    for (int j = 0; j < STEPS; j++)
        sum += SUM(p[j * STEP]);
    sums[output()] = sum;
}
