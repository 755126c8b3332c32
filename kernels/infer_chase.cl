/* Pointer chasing: a chain of reads in which each element holds the index of the next one, and
 * kernels that build the chain. A place is an element of the array that the chain reads. All
 * work-items of a group follow the same chain. Neighbouring groups start `apart` places from each
 * other, modulo the number of places. `chase` uses its local memory only to limit how many groups
 * are resident. */
#define HOPS 16

__kernel void chase(__global const uint *restrict data, uint begin, uint places, uint pitch,
                    uint apart, uint rounds, __global uint *restrict ends, __local uint *reserved)
{
    uint at = begin + (uint)((ulong)get_group_id(0) * apart % places) * pitch;
    for (uint round = 0; round < rounds; round++) {
#pragma unroll
        for (int hop = 0; hop < HOPS; hop++)
            at = data[at];
    }
    if (at == 0xFFFFFFFFu) /* never true, but the compiler does not know */
        reserved[0] = at;
    ends[get_group_id(0)] = at;
}

/* Builds a chain of places that are `pitch` elements apart: each place links to the place `further`
 * places on, modulo the number of places. If `second` is not 0, the link goes through an
 * intermediate element, `second` elements after the place. */
__kernel void link(__global uint *restrict data, uint first, uint places, uint pitch, uint further,
                   uint second)
{
    for (uint i = (uint)get_global_id(0); i < places; i += (uint)get_global_size(0)) {
        const uint next = first + (uint)(((ulong)i + further) % places) * pitch;
        const uint own = first + i * pitch;
        data[own] = second ? own + second : next;
        if (second)
            data[own + second] = next;
    }
}

/* Builds a chain from the elements of a list, in the list's order. */
__kernel void link_list(__global uint *restrict data, __global const uint *restrict list,
                        uint places)
{
    for (uint i = (uint)get_global_id(0); i < places; i += (uint)get_global_size(0))
        data[list[i]] = list[(i + 1) % places];
}
