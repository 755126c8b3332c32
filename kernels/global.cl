/* Reads of global or constant memory, bound by the memory path alone.
 * The host defines SPACE, T, SCALAR, ELEMENTS, STEP, STEPS and UNROLL (host/model/launch.h says
 * what they are), and where work-items start: what patterns.h or replicas.h needs. */
#include "patterns.h"
#include "replicas.h"
#include "elements.h"

SUB_GROUP_ATTRIBUTE
__kernel void read_pattern(SPACE const T *restrict data, __global uint *restrict sums, uint rounds,
                           int zero TABLE_ARGUMENT)
{
    /* A signed index cannot wrap, and one pointer a round leaves only constants inside it: on
     * NVIDIA they fold into the load, on Intel each costs one 32-bit add. With an unsigned index
     * or a stepped pointer, arithmetic binds instead of memory on one or the other. What all lanes
     * read together must not look so to a compiler, which would read several elements at once. */
    int base = (int)START + zero * (int)get_local_id(0);
    uint sum = 0;
    for (uint round = 0; round < rounds; round++) {
#pragma unroll
        for (int k = 0; k < UNROLL / STEPS; k++) {
            base += zero; /* known at run time only: nothing can be hoisted out of the loop */
            SPACE const T *p = data + base;
#pragma unroll
            for (int j = 0; j < STEPS; j++) {
                T value = p[j * STEP];
                sum += SUM(value);
            }
        }
    }
    sums[output()] = sum;
}
