// C = A * B without tiles; each work-item computes one element.
kernel void matrix_product(global const float *a, global const float *b, global float *c, int n)
{
    const int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] *
               b[k * n + x];
    c[y * n + x] = sum;
}
