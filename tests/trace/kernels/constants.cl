/* Reads of a constant array that the program declares: each lane reads one of DISTINCT addresses,
   STRIDE elements apart. */
#ifndef T
#define T uint
#endif
#ifndef DISTINCT
#define DISTINCT 8
#endif
#ifndef STRIDE
#define STRIDE 5
#endif
#ifndef ROUNDS
#define ROUNDS 4
#endif
#define ONE(n) ((n) * 97 + 13 & 127)
#define FOUR(n) ONE(n), ONE(n + 1), ONE(n + 2), ONE(n + 3)
#define SIXTEEN(n) FOUR(n), FOUR(n + 4), FOUR(n + 8), FOUR(n + 12)
#define SIXTY_FOUR(n) SIXTEEN(n), SIXTEEN(n + 16), SIXTEEN(n + 32), SIXTEEN(n + 48)

__constant T table[256] = {SIXTY_FOUR(0), SIXTY_FOUR(64), SIXTY_FOUR(128), SIXTY_FOUR(192)};

/* Each read waits for the last one: `high` has only bits that no element has, which the compiler
   does not know. */
__kernel void constant_table(__global int *out, int high)
{
    uint at = get_local_id(0) % 32 % DISTINCT * STRIDE, sum = 0;
#pragma unroll 1
    for (int i = 0; i < ROUNDS; i++) {
        uint read = (uint)table[at % 256];
        sum += read;
        at += read & high;
    }
    out[get_global_id(0)] = sum + at;
}
