/* An array of N elements per work-item. In each round every element is read, changed and written
 * once.
 *
 * The host defines N (a power of two), T (the element type: uint, a narrower type, or a vector of 2
 * to 4 uints), WIDE (the type to compute in: uint, or a vector like T), COMPONENTS, GROUP, MATH
 * (operations beyond the first two) and one of five variants. STATIC: indices are compile-time
 * constants. UNIFORM: indices are known only at run time, but the same in all work-items.
 * NONUNIFORM: indices differ between work-items. UNIQUE=u: the work-items have u different indices.
 * IN_LOCAL: like NONUNIFORM, but the array lies in local memory, with a different bank for each
 * work-item. How an element changes depends on when the round visits it, so the result shows in
 * which order a work-item visited the elements. */
#include "patterns.h"
#include "numbers.h"

/* The components of an element start as consecutive numbers and have different weights in the sum.
 * The macros use casts and no functions, because with functions Intel's compiler unrolls too late
 * to keep the array in registers. */
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
