// Copies an array. The last group is partial if n is not a multiple of the group size.
kernel void copy_line(global const float *in, global float *out, int n)
{
    const int i = get_global_id(0);
    if (i < n)
        out[i] = in[i];
}

kernel void copy_square(global const float *in, global float *out, int n)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < n && y < n)
        out[y * n + x] = in[y * n + x];
}
