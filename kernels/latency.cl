/* A chain of reads, each of which waits for the previous one, so that nothing hides a read's
 * latency. The work-items of a group always read the same element, so a group has one read in
 * flight. The chain visits every element below ELEMENTS (a power of two) in an irregular order: the
 * linear congruential generator CHAIN_NEXT (numbers.h) has the full period (Hull and Dobell). The
 * host defines ELEMENTS, STEPS and, for an array in local memory, IN_LOCAL. */
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
            /* The next address does not depend on the data, so it is ready before the word arrives.
             * Between two reads only two operations remain, which no compiler can remove: the word
             * and-ed with the run-time zero is xor-ed into the address. */
            const uintptr_t ready = (uintptr_t)(array + next);
            word = *(SPACE const uint *)(ready ^ (word & (uint)zero));
            sum += word;
            next = CHAIN_NEXT(next) & (ELEMENTS - 1);
        }
    }
    sums[linear_item()] = sum;
}
