/* Reads of a working set that a cache of the compute unit cannot keep: the expression's groups read
 * one tile of it after another, each as far from the last as the expression reaches.
 *
 * A replica of the groups reads blocks of UNROLL tiles of TILE elements, all BLOCKS of them in turn:
 * replica r begins with block r * BEGIN_ON, and goes on by FURTHER_ON, modulo BLOCKS, which has no
 * divisor in common with either. So neighbours begin far apart, and each block is begun with once
 * before one is twice. The host defines T, SCALAR, these
 * (host/run/level_workload.c), and what start_element needs, with a REPLICA_SPREAD of 0. */
#include "patterns.h"
#include "expression.h"
#include "numbers.h"
#include "elements.h"

SUB_GROUP_ATTRIBUTE
__kernel void read_tiles(__global const T *restrict data, __global uint *restrict sums, uint rounds,
                         int zero)
{
    if (is_idle())
        return;
    ulong mine = start_element() + (ulong)(zero * (int)get_local_id(0));
    uint block = (uint)((ulong)replica() * BEGIN_ON % BLOCKS);
    uint sum = 0;
    for (uint round = 0; round < rounds; round++) {
        mine += (ulong)zero; /* a single block must be read again too */
        __global const T *p = data + mine + (ulong)block * (TILE * UNROLL);
#pragma unroll
        for (int j = 0; j < UNROLL; j++) {
            T value = p[(ulong)j * TILE];
            sum += SUM(value);
        }
        block += FURTHER_ON;
        block -= block >= BLOCKS ? BLOCKS : 0;
    }
    sums[output()] = sum;
}
