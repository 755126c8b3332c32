// Prefix sums of a group. Each step reads one half of an array and writes the other half.
kernel void scan(global const int *in, global int *out, local int *halves)
{
    const int id = get_local_id(0), size = get_local_size(0);
    int from = 0;
    halves[id] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < size; step *= 2) {
        const int to = size - from;
        int sum = halves[from + id];
        if (id >= step)
            sum += halves[from + id - step];
        halves[to + id] = sum;
        from = to;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = halves[from + id];
}
