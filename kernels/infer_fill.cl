/* Fills global memory with the data that requests of infer_lanes.cl will read: word w of an array
 * is HASHED_WORD(w). `fill` fills the beginning of an array. `fill_places` fills WORDS words at
 * each place of the table (infer_lanes.cl), and at each of the three steps after a place. This is
 * faster than `fill` if places are far apart. */
#include "numbers.h"

#define IDLE 0xFFFFFFFFFFFFFFFFul
#define WORDS 16

__kernel void fill(__global uint *restrict array, uint words)
{
    for (uint i = (uint)get_global_id(0); i < words; i += (uint)get_global_size(0))
        array[i] = HASHED_WORD(i);
}

__kernel void fill_places(__global uint *a, __global uint *b, __global uint *c, __global uint *d,
                          __global const ulong *restrict table, uint places, uint step_words)
{
    const uint i = (uint)get_global_id(0);
    if (i >= places || table[i] == IDLE)
        return;
    const ulong number = table[i] >> 60;
    __global uint *array = number == 1 ? b : number == 2 ? c : number == 3 ? d : a;
    const ulong first = (table[i] & 0x0FFFFFFFFFFFFFFFul) / 4 & ~3ul;
    for (ulong j = 0; j < 4; j++)
        for (ulong word = first + j * step_words; word < first + j * step_words + WORDS; word++)
            array[word] = HASHED_WORD((uint)word);
}
