/* A chain of reads, each at an index made of what the last one found: what a read takes when
 * nothing else hides it. A group's work-items walk together, all at one element, so a group has
 * one read under way. The index takes every value below ELEMENTS (a power of two) in turn, in an
 * order without neighbours: x * FACTOR + INCREMENT has the full period (Hull and Dobell). The
 * host defines ELEMENTS, STEPS and, for an array in local memory, IN_LOCAL. */
#include "patterns.h"
#include "numbers.h"

SUB_GROUP_ATTRIBUTE
__kernel void chase(__global const int *restrict data, __global uint *restrict sums, uint rounds,
                    int zero)
{
    uint at = CHAIN_START((uint)get_group_id(0)) & (ELEMENTS - 1), sum = 0;
#ifdef IN_LOCAL
    __local int array[ELEMENTS];
    for (uint i = (uint)get_local_id(0); i < ELEMENTS; i += (uint)get_local_size(0))
        array[i] = data[i];
    barrier(CLK_LOCAL_MEM_FENCE);
#else
    __global const int *restrict array = data;
#endif
    for (uint round = 0; round < rounds; round++) {
#pragma unroll
        for (int step = 0; step < STEPS; step++) {
            const uint word = (uint)array[at];
            sum += word;
            at = CHAIN_NEXT(at + (word & (uint)zero)) & (ELEMENTS - 1);
        }
    }
    sums[linear_item()] = sum;
}
