/* Atomic additions to WORDS words (a power of two), ROUNDS by each work-item. SPREAD tells which
   work-items add to the same word: 0: a random word for each addition; 1: one for the lanes of a
   sub-group; 2: one for eight lanes; 3: work-items next to each other add to one word in all
   rounds. If USES is defined, the old values are used. */
#ifndef WORDS
#define WORDS 64
#endif
#ifndef SPREAD
#define SPREAD 0
#endif
#ifndef ROUNDS
#define ROUNDS 4
#endif

uint hash(uint x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* n: the number of work-items, less than 2^30, which the compiler does not know. */
__kernel void atomic_words(__global int *out, int n)
{
    const uint id = get_global_id(0), mask = WORDS - 1 | n >> 30;
    int sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
#if SPREAD == 0
        const uint at = hash(id * 977 + i);
#elif SPREAD == 1
        const uint at = hash(id / 32 * 977 + i);
#elif SPREAD == 2
        const uint at = hash(id / 8 * 977 + i);
#else
        const uint at = (ulong)id * WORDS / n;
#endif
#ifdef USES
        sum += atomic_add(&out[at & mask], 1);
#else
        atomic_add(&out[at & mask], 1);
#endif
    }
#ifdef USES
    if (sum == n)
        out[0] = sum;
#endif
}
