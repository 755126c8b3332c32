/* A histogram of BINS bins over WORDS words of 64 bits of each work-item, as many samples a word
 * as the guide takes from one: 8 bytes, or 4 fields of 10 bits. A round is all that a group does:
 * it zeroes its bins, counts and adds them to the result. The host defines GROUP, BINS, WORDS,
 * ARRAY_WORDS (a power of two, in which words wrap), ZERO_BY (work-items of the group that zero
 * bins) and one of IN_GLOBAL (atomics on the result), IN_LOCAL (atomics on bins of the group),
 * IN_OWN (the same, but these lie in global memory, behind the result), IN_PRIVATE (each work-item
 * has all bins) and IN_REGISTERS (a sub-group shares the bins: each work-item keeps those whose
 * number modulo its lanes is its own). */
#include "patterns.h"
#include "numbers.h"

#ifdef IN_REGISTERS
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#define LANES REQUIRED_SUB_GROUP_SIZE
#endif

/* Where the group's work-items share bins of its own. */
#if defined(IN_LOCAL)
#define FENCE CLK_LOCAL_MEM_FENCE
#define COUNT_OF(bin) mine[bin]
#elif defined(IN_OWN)
#define FENCE CLK_GLOBAL_MEM_FENCE
/* A plain read may find in a cache what was there before the additions; and bins that the host sees
 * are left as they were found. */
#define COUNT_OF(bin) atomic_xchg(&mine[bin], 0)
#endif

SUB_GROUP_ATTRIBUTE
__kernel void histogram(__global const ulong *restrict data, volatile __global uint *bins,
                        uint rounds, int zero)
{
    const uint lid = (uint)get_local_id(0);
    uint first = (uint)get_group_id(0) * GROUP * WORDS + lid;
#if defined(IN_LOCAL)
    volatile __local uint mine[BINS];
#elif defined(IN_OWN)
    volatile __global uint *mine = bins + BINS * (1 + (uint)get_group_id(0));
#elif defined(IN_PRIVATE)
    uint mine[BINS];
#elif defined(IN_REGISTERS)
    uint mine[BINS / LANES];
    const uint lane = get_sub_group_local_id();
#endif
    for (uint round = 0; round < rounds; round++) {
        first += (uint)zero;
#ifdef FENCE
        if (lid < ZERO_BY)
            for (uint bin = lid; bin < BINS; bin += ZERO_BY)
                mine[bin] = 0;
        barrier(FENCE);
#elif defined(IN_PRIVATE)
        for (uint bin = 0; bin < BINS; bin++)
            mine[bin] = 0;
#elif defined(IN_REGISTERS)
        for (uint k = 0; k < BINS / LANES; k++)
            mine[k] = 0;
#endif
        for (uint i = 0; i < WORDS; i++) {
            const ulong word = data[(first + i * GROUP) & (ARRAY_WORDS - 1)];
#pragma unroll
            for (uint sample = 0; sample < SAMPLES_OF(BINS); sample++) {
                const uint bin = (uint)(word >> sample * (64 / SAMPLES_OF(BINS))) & (BINS - 1);
#if defined(IN_GLOBAL)
                atomic_inc(&bins[bin]);
#elif defined(FENCE)
                atomic_inc(&mine[bin]);
#elif defined(IN_PRIVATE)
                mine[bin]++;
#else
                for (uint other = 0; other < LANES; other++) {
                    const uint its = intel_sub_group_shuffle(bin, other);
                    if (lane == its % LANES)
                        mine[its / LANES]++;
                }
#endif
            }
        }
#ifdef FENCE
        barrier(FENCE);
        for (uint bin = lid; bin < BINS; bin += GROUP)
            atomic_add(&bins[bin], COUNT_OF(bin));
        barrier(FENCE);
#elif defined(IN_PRIVATE)
        for (uint k = 0; k < BINS; k++) {
            const uint bin = (k + lid) % BINS; /* not all at one */
            if (mine[bin])
                atomic_add(&bins[bin], mine[bin]);
        }
#elif defined(IN_REGISTERS)
        for (uint k = 0; k < BINS / LANES; k++)
            atomic_add(&bins[k * LANES + lane], mine[k]);
#endif
    }
}
