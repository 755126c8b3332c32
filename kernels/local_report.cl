/* Two kernels, with_local and without_local. They are built but never launched; they show whether
 * the driver reports local memory for with_local only. */
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
