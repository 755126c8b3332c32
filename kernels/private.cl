/* An array of N elements for each work-item, every element read, changed and written once a
 * round.
 *
 * The host defines N (a power of two), T (the element: uint, narrower, or 2 to 4 of uint), WIDE
 * (what is computed with: uint, or T of more) and COMPONENTS, GROUP, MATH
 * (operations beyond the first two) and one of STATIC (the index is known to the compiler),
 * UNIFORM (known at run time, the same for all work-items), NONUNIFORM (another for each work-
 * item), UNIQUE=u (u different ones) and IN_LOCAL (as NONUNIFORM, with the array in local memory
 * and every work-item in a bank of its own). What an element becomes depends on its turn in each
 * round, so the result shows in which order each work-item went. */
#include "patterns.h"
#include "numbers.h"

/* Components of an element begin as neighbouring numbers, and each counts with a weight of its own.
 * Casts, and no functions: those keep Intel's compiler from unrolling in time to keep an array in
 * registers. */
#if COMPONENTS == 1
#define FIRST(x) (T)(x)
#define CUT(x) (T)(x)
#define LAST(v) (v)
#elif COMPONENTS == 2
#define FIRST(x) ((x) + (uint2)(0, 1))
#define LAST(v) ((v).s0 + (v).s1 * 2)
#elif COMPONENTS == 3
#define FIRST(x) ((x) + (uint3)(0, 1, 2))
#define LAST(v) ((v).s0 + (v).s1 * 2 + (v).s2 * 3)
#else
#define FIRST(x) ((x) + (uint4)(0, 1, 2, 3))
#define LAST(v) ((v).s0 + (v).s1 * 2 + (v).s2 * 3 + (v).s3 * 4)
#endif
#ifndef CUT
#define CUT(x) (x)
#endif

#ifdef IN_LOCAL
#define ELEMENT(i) a[(i) * GROUP + lid]
#else
#define ELEMENT(i) a[i]
#endif

WIDE changed(WIDE x, uint turn)
{
    x = CHANGED(x, turn);
#pragma unroll
    for (int i = 0; i < MATH; i++)
        x = CHANGED_MORE(x, i);
    return x;
}

SUB_GROUP_ATTRIBUTE
__kernel void private_array(__global const int *restrict data, __global uint *restrict sums,
                            uint rounds, int zero)
{
    const uint lid = (uint)get_local_id(0);
#ifdef IN_LOCAL
    __local T a[N * GROUP];
#else
    T a[N];
#endif
#pragma unroll
    for (uint k = 0; k < N; k++)
        ELEMENT(k) = FIRST((uint)data[k] + lid);

    for (uint round = 0; round < rounds; round++) {
#if defined(STATIC)
        const uint flip = 0;
#elif defined(UNIFORM)
        const uint flip = (uint)data[round % ROUND_WORDS] % N;
#elif defined(UNIQUE)
        const uint flip = ((uint)data[round % ROUND_WORDS] ^ lid % UNIQUE) % N;
#else
        const uint flip = ((uint)data[round % ROUND_WORDS] ^ lid) % N;
#endif
#pragma unroll
        for (uint k = 0; k < N; k++)
            ELEMENT(k ^ flip) = CUT(changed(ELEMENT(k ^ flip), round + k));
    }

    uint sum = 0;
#pragma unroll
    for (uint k = 0; k < N; k++)
        sum += (k + 1) * LAST(ELEMENT(k));
    sums[linear_item()] = sum;
}
