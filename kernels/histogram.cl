/* A histogram of BINS bins. Each work-item counts the samples in WORDS 64-bit words. A word holds
 * as many samples as in the guide: 8 bytes, or 4 fields of 10 bits. In each round a group repeats
 * all its work: it zeroes its bins, counts samples, and adds the bins to the result. The host
 * defines GROUP, BINS, WORDS, ARRAY_WORDS (a power of two, at which indices wrap around), ZERO_BY
 * (how many work-items zero the bins) and one of five variants. IN_GLOBAL: atomics on the result.
 * IN_LOCAL: atomics on the group's bins in local memory. IN_OWN: atomics on the group's bins in
 * global memory, after the result. IN_PRIVATE: each work-item has all bins. IN_REGISTERS: a
 * sub-group shares the bins; lane l keeps the bins whose index modulo the number of lanes is l. */
#include "patterns.h"
#include "numbers.h"

#ifdef IN_REGISTERS
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#define LANES REQUIRED_SUB_GROUP_SIZE
#endif

/* Bins that the work-items of one group share. */
#if defined(IN_LOCAL)
#define FENCE CLK_LOCAL_MEM_FENCE
#define COUNT_OF(bin) mine[bin]
#elif defined(IN_OWN)
#define FENCE CLK_GLOBAL_MEM_FENCE
/* This is an atomic exchange because a plain read may return a cached value from before the
 * additions. The exchange also leaves the bins zeroed, as the host expects. */
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
            const uint bin = (k + lid) % BINS; /* work-items begin at different bins */
            if (mine[bin])
                atomic_add(&bins[bin], mine[bin]);
        }
#elif defined(IN_REGISTERS)
        for (uint k = 0; k < BINS / LANES; k++)
            atomic_add(&bins[k * LANES + lane], mine[k]);
#endif
    }
}
