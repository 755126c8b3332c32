/* Reads of global or constant memory, limited by nothing but the memory path. The host defines
 * SPACE, T, SCALAR, ELEMENTS, STEP, STEPS and UNROLL (explained in host/model/launch.h), and the
 * macros of patterns.h or replicas.h that say where work-items start. */
#include "patterns.h"
#include "replicas.h"
#include "elements.h"

SUB_GROUP_ATTRIBUTE
__kernel void read_pattern(SPACE const T *restrict data, __global uint *restrict sums, uint rounds,
                           int zero TABLE_ARGUMENT)
{
    /* The index is signed, so that it cannot wrap. Every set of STEPS reads has a pointer, to which
     * only constants are added: on NVIDIA they fold into the load, on Intel each costs one 32-bit
     * add. With an unsigned index, arithmetic would limit the speed on NVIDIA; with a stepped
     * pointer, it would limit the speed on Intel. `zero` times the local id hides from the compiler
     * that all lanes may read the same element; otherwise the compiler would read several elements
     * in one access. */
    int base = (int)START + zero * (int)get_local_id(0);
    uint sum = 0;
    for (uint round = 0; round < rounds; round++) {
#pragma unroll
        for (int k = 0; k < UNROLL / STEPS; k++) {
            base += zero; /* known only at run time, so that no read is hoisted out of the loop */
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
