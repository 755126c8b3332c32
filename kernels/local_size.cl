/* Fills WORDS words of local memory and adds them up, each work-item those that others wrote. The
 * host defines GROUP and WORDS, a multiple of GROUP. */
#include "patterns.h"
#include "numbers.h"

SUB_GROUP_ATTRIBUTE
__kernel void whole_local(__global const int *restrict data, __global uint *restrict sums,
                          uint rounds, int zero)
{
    __local uint words[WORDS];
    const uint lid = (uint)get_local_id(0);
    const uint other = GROUP - 1 - lid;
    uint sum = 0;
    for (uint round = 0; round < rounds; round++) {
        for (uint i = 0; i < WORDS / GROUP; i++)
            words[i * GROUP + lid] = WORD_OF(i * GROUP + lid, round);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; i < WORDS / GROUP; i++)
            sum += words[i * GROUP + other];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sums[linear_item()] = sum;
}
