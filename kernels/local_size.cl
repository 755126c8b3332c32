/* Fills WORDS words of local memory; then each work-item adds words that others wrote. The host
 * defines GROUP and WORDS. If WORDS words exceed the device's limit, the host also defines
 * IS_ARGUMENT. Then the size is set at the launch, so that the driver must refuse the launch; a
 * fixed size would make the compiler refuse the kernel. */
#include "patterns.h"
#include "numbers.h"

enum { TURNS = WORDS / GROUP, REST = WORDS % GROUP };

SUB_GROUP_ATTRIBUTE
#ifdef IS_ARGUMENT
__kernel void whole_local(__global const int *restrict data, __global uint *restrict sums,
                          uint rounds, int zero, __local uint *restrict words)
{
#else
__kernel void whole_local(__global const int *restrict data, __global uint *restrict sums,
                          uint rounds, int zero)
{
    __local uint words[WORDS];
#endif
    const uint lid = (uint)get_local_id(0);
    uint sum = 0;
    for (uint round = 0; round < rounds; round++) {
        for (uint i = 0; i < TURNS; i++)
            words[i * GROUP + lid] = WORD_OF(i * GROUP + lid, round);
        if (lid < REST)
            words[TURNS * GROUP + lid] = WORD_OF(TURNS * GROUP + lid, round);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; i < TURNS; i++)
            sum += words[WORDS - 1 - i * GROUP - lid];
        if (lid < REST)
            sum += words[REST - 1 - lid];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sums[linear_item()] = sum;
}
