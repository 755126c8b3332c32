/* Two kernels, one with local memory and one without. They are built but never launched; they show
 * whether the driver reports that one uses local memory and the other does not. */
__kernel void without_local(__global const uint *restrict data, __global uint *restrict sums,
                            uint rounds, int zero)
{
    sums[get_global_id(0)] = data[get_global_id(0)] + rounds;
}

__kernel void with_local(__global const uint *restrict data, __global uint *restrict sums,
                         uint rounds, int zero)
{
    __local uint words[16];
    const uint lid = (uint)get_local_id(0) % 16;
    words[lid] = data[get_global_id(0)] + rounds;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[get_global_id(0)] = words[lid ^ 1];
}
