/* A histogram of BINS bins over WORDS words of each work-item, two samples a word. The host defines
 * GROUP, BINS, WORDS and one of IN_GLOBAL (atomics on the result), IN_LOCAL (atomics on bins of the
 * group, added up at the end) and IN_REGISTERS (a sub-group shares the bins: each work-item keeps
 * those whose number modulo its lanes is its own). */
#include "patterns.h"

#ifdef IN_REGISTERS
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#define LANES REQUIRED_SUB_GROUP_SIZE
#endif

SUB_GROUP_ATTRIBUTE
__kernel void histogram(__global const int *restrict data, volatile __global uint *bins,
                        uint rounds, int zero)
{
    const uint lid = (uint)get_local_id(0);
    __global const int *source = data + (uint)get_group_id(0) * GROUP * WORDS + lid;
#ifdef IN_LOCAL
    volatile __local uint mine[BINS];
    for (uint bin = lid; bin < BINS; bin += GROUP)
        mine[bin] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#elif defined(IN_REGISTERS)
    uint mine[BINS / LANES];
    for (uint k = 0; k < BINS / LANES; k++)
        mine[k] = 0;
    const uint lane = get_sub_group_local_id();
#endif
    for (uint round = 0; round < rounds; round++) {
        for (uint i = 0; i < WORDS; i++) {
            const uint word = (uint)source[i * GROUP];
            const uint first = word % BINS, second = (word >> 16) % BINS;
#if defined(IN_GLOBAL)
            atomic_inc(&bins[first]);
            atomic_inc(&bins[second]);
#elif defined(IN_LOCAL)
            atomic_inc(&mine[first]);
            atomic_inc(&mine[second]);
#else
            for (uint other = 0; other < LANES; other++) {
                const uint a = intel_sub_group_shuffle(first, other);
                const uint b = intel_sub_group_shuffle(second, other);
                if (lane == a % LANES)
                    mine[a / LANES]++;
                if (lane == b % LANES)
                    mine[b / LANES]++;
            }
#endif
        }
        source += zero;
    }
#ifdef IN_LOCAL
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint bin = lid; bin < BINS; bin += GROUP)
        atomic_add(&bins[bin], mine[bin]);
#elif defined(IN_REGISTERS)
    for (uint k = 0; k < BINS / LANES; k++)
        atomic_add(&bins[k * LANES + lane], mine[k]);
#endif
}
