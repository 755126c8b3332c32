// Reads rows and writes columns.
kernel void transpose_naive(global const float *in, global float *out, int n)
{
    const int x = get_global_id(0), y = get_global_id(1);
    const float value = in[y * n + x];
    out[x * n + y] = value;
}
