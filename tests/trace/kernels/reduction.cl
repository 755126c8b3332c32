// Sums each group with strides that double. Half of the work-items are idle from the first step on,
// and the active work-items have bank conflicts.
kernel void reduction(global const float *in, global float *out, local float *sums)
{
    const int id = get_local_id(0);
    sums[id] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int stride = 1; stride < (int)get_local_size(0); stride *= 2) {
        const int at = 2 * stride * id;
        if (at + stride < (int)get_local_size(0))
            sums[at] += sums[at + stride];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id == 0)
        out[get_group_id(0)] = sums[0];
}
