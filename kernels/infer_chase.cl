/* A chain of reads, each at the element that the last one found, and what makes the chain. A link
 * is the number of the element that comes next. Groups are of one work-item, and begin `apart`
 * places from each other, modulo their number. The local memory is there to limit how many of them
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
    if (at == 0xFFFFFFFFu) /* never, but a compiler does not know */
        reserved[0] = at;
    ends[get_group_id(0)] = at;
}

/* Links places that are `pitch` elements apart, each with the one `further` on modulo their
 * number; with `second` not 0 by way of the element so far behind its own place. */
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

/* Links the elements of a list in its order. */
__kernel void link_list(__global uint *restrict data, __global const uint *restrict list,
                        uint places)
{
    for (uint i = (uint)get_global_id(0); i < places; i += (uint)get_global_size(0))
        data[list[i]] = list[(i + 1) % places];
}
