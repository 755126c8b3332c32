// The mean of a cell and its four neighbours; cells at the edge do not change.
kernel void stencil(global const float *in, global float *out, int n)
{
    const int x = get_global_id(0), y = get_global_id(1), at = y * n + x;
    if (x == 0 || y == 0 || x == n - 1 || y == n - 1) {
        out[at] = in[at];
        return;
    }
    const float beside = in[at - 1] + in[at + 1];
    const float above = in[at - n] + in[at + n];
    out[at] = (in[at] + beside + above) / 5;
}
