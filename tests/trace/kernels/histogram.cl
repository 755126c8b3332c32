// Counts bytes in local memory, then adds the counts to global memory.
#define BINS 256

kernel void histogram(global const uchar *data, global uint *counts, int n)
{
    local uint own[BINS];
    for (int i = get_local_id(0); i < BINS; i += get_local_size(0))
        own[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&own[data[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_local_id(0); i < BINS; i += get_local_size(0))
        atomic_add(&counts[i], own[i]);
}
