/* Reads of local memory, limited by nothing but the memory path. The host defines IDS_WITHIN_GROUP
 * and the macros of global.cl. */
#include "patterns.h"
#include "replicas.h"
#include "elements.h"

SUB_GROUP_ATTRIBUTE
__kernel void read_pattern(__global const T *restrict data, __global uint *restrict sums,
                           uint rounds, int zero TABLE_ARGUMENT)
{
    __local T tile[ELEMENTS + (STEPS - 1) * STEP];
    for (size_t i = linear_local(); i < sizeof tile / sizeof tile[0];
         i += get_local_size(0) * get_local_size(1))
        tile[i] = data[i];
    barrier(CLK_LOCAL_MEM_FENCE);

    if (is_idle())
        return;
    /* global.cl explains why the index is signed and why STEPS reads have one pointer. */
    int base = (int)START;
    uint sum = 0;
    for (uint round = 0; round < rounds; round++) {
#pragma unroll
        for (int k = 0; k < UNROLL / STEPS; k++) {
            base += zero;
            __local const T *p = tile + base;
#pragma unroll
            for (int j = 0; j < STEPS; j++) {
                T value = p[j * STEP];
                sum += SUM(value);
            }
        }
    }
    sums[output()] = sum;
}
