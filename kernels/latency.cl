/* A chain of reads, each of which waits for the one before: what a read takes when nothing else
 * hides it. A group's work-items walk together, all at one element, so a group has one read under
 * way. The chain takes every element below ELEMENTS (a power of two) in turn, in an order without
 * neighbours: x * FACTOR + INCREMENT has the full period (Hull and Dobell). The host defines
 * ELEMENTS, STEPS and, for an array in local memory, IN_LOCAL. */
#include "patterns.h"
#include "numbers.h"

#ifdef IN_LOCAL
#define SPACE __local
#else
#define SPACE __global
#endif

SUB_GROUP_ATTRIBUTE
__kernel void chase(__global const uint *restrict data, __global uint *restrict sums, uint rounds,
                    int zero)
{
    uint next = CHAIN_START((uint)get_group_id(0)) & (ELEMENTS - 1), word = 0, sum = 0;
#ifdef IN_LOCAL
    __local uint array[ELEMENTS];
    for (uint i = (uint)get_local_id(0); i < ELEMENTS; i += (uint)get_local_size(0))
        array[i] = data[i];
    barrier(CLK_LOCAL_MEM_FENCE);
#else
    __global const uint *array = data;
#endif
    for (uint round = 0; round < rounds; round++) {
#pragma unroll
        for (int step = 0; step < STEPS; step++) {
            /* The order does not depend on what is read, so the address is ready before the word
             * is there. Between two reads are only two operations, which no compiler can leave
             * out: 0 is made of the word, and joined to the address by exclusive or. */
            const uintptr_t ready = (uintptr_t)(array + next);
            word = *(SPACE const uint *)(ready ^ (word & (uint)zero));
            sum += word;
            next = CHAIN_NEXT(next) & (ELEMENTS - 1);
        }
    }
    sums[linear_item()] = sum;
}
