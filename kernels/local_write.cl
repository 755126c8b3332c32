/* Writes to local memory, limited by nothing but the memory path; see global_write.cl. */
#include "patterns.h"
#include "replicas.h"
#include "elements.h"

SUB_GROUP_ATTRIBUTE
__kernel void write_pattern(__global const T *restrict data, __global uint *restrict sums,
                            uint rounds, int zero TABLE_ARGUMENT)
{
    __local T tile[ELEMENTS + (STEPS - 1) * STEP];
    int base = is_idle() ? 0 : (int)START;
    for (uint round = is_idle() ? rounds : 0; round < rounds; round++) {
#pragma unroll
        for (int k = 0; k < UNROLL / STEPS; k++) {
            base += zero;
            __local T *p = tile + base;
            const uint value = (uint)base + rounds;
#pragma unroll
            for (int j = 0; j < STEPS; j++)
                p[j * STEP] = VALUE(value + j * STEP);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    __local const T *p = tile + base + zero;
    uint sum = 0;
    for (int j = 0; j < STEPS; j++)
        sum += SUM(p[j * STEP]);
    if (!is_idle())
        sums[output()] = sum;
}
