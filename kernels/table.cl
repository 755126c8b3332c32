/* A table of 16 elements that every work-item holds in private memory, read at an index known at
 * run time only. The host defines INDEX, N, ELEMENTS, SPREAD and UNROLL, as for global.cl. */
#include "patterns.h"

SUB_GROUP_ATTRIBUTE
__kernel void read_table(__global const int *restrict data, __global uint *restrict sums,
                         uint rounds, int zero)
{
    int table[16];
#pragma unroll
    for (int i = 0; i < 16; i++)
        table[i] = data[i];
    uint base = (uint)start_element();
    uint sum = 0;
    for (uint round = 0; round < rounds; round++) {
        base += (uint)zero;
#pragma unroll
        for (uint j = 0; j < UNROLL; j++)
            sum = (sum ^ (uint)table[(base + j) % 16]) + round;
    }
    sums[linear_item()] = sum;
}
