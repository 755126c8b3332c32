/* An array of N elements for each work-item, every element read, changed and written once a round.
 *
 * The host defines N (a power of two), GROUP, MATH (operations beyond the first two) and one of
 * STATIC (the index is known to the compiler), UNIFORM (known at run time, the same for all
 * work-items), NONUNIFORM (another for each work-item) and IN_LOCAL (as NONUNIFORM, with the array
 * in local memory and every work-item in a bank of its own). What an element becomes depends on its
 * turn in each round, so the result tells in which order each work-item went.
 */
#include "patterns.h"

#ifdef IN_LOCAL
#define ELEMENT(i) a[(i) * GROUP + lid]
#else
#define ELEMENT(i) a[i]
#endif

/* Exclusive or and addition in turns, with another number each time: no compiler knows a closed
 * form of the loop, and no two rounds cancel. */
uint changed(uint x, uint turn)
{
    x = (x ^ 0x9E3779B9u) + turn;
#pragma unroll
    for (int i = 0; i < MATH; i++)
        x = i % 2 ? x ^ 0x7FEB352Du : x + 0x85EBCA6Bu;
    return x;
}

SUB_GROUP_ATTRIBUTE
__kernel void private_array(__global const int *restrict data, __global uint *restrict sums,
                            uint rounds, int zero)
{
    const uint lid = (uint)get_local_id(0);
#ifdef IN_LOCAL
    __local uint a[N * GROUP];
#else
    uint a[N];
#endif
#pragma unroll
    for (uint k = 0; k < N; k++)
        ELEMENT(k) = (uint)data[k] + lid;

    for (uint round = 0; round < rounds; round++) {
#if defined(STATIC)
        const uint flip = 0;
#elif defined(UNIFORM)
        const uint flip = (uint)data[round % 1024] % N;
#else
        const uint flip = ((uint)data[round % 1024] ^ lid) % N;
#endif
#pragma unroll
        for (uint k = 0; k < N; k++)
            ELEMENT(k ^ flip) = changed(ELEMENT(k ^ flip), round + k);
    }

    uint sum = 0;
#pragma unroll
    for (uint k = 0; k < N; k++)
        sum += (k + 1) * ELEMENT(k);
    sums[linear_item()] = sum;
}
