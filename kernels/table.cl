/* Every work-item has a table of TABLE_ELEMENTS elements in private memory, and reads it at indices
 * known only at run time. The host defines INDEX, N, ELEMENTS, SPREAD and UNROLL, as for
 * global.cl. */
#include "patterns.h"
#include "numbers.h"

SUB_GROUP_ATTRIBUTE
__kernel void read_table(__global const int *restrict data, __global uint *restrict sums,
                         uint rounds, int zero)
{
    int table[TABLE_ELEMENTS];
#pragma unroll
    for (int i = 0; i < TABLE_ELEMENTS; i++)
        table[i] = data[i];
    uint base = (uint)start_element();
    uint sum = 0;
    for (uint round = 0; round < rounds; round++) {
        base += (uint)zero;
#pragma unroll
        for (uint j = 0; j < UNROLL; j++)
            sum = (sum ^ (uint)table[(base + j) % TABLE_ELEMENTS]) + round;
    }
    sums[linear_item()] = sum;
}
