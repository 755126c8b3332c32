// A sparse matrix (compressed rows) times a vector; each work-item computes one row.
kernel void sparse_product(global const int *begins, global const int *columns,
                           global const float *values, global const float *vector,
                           global float *out, int rows)
{
    const int row = get_global_id(0);
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = begins[row]; i < begins[row + 1]; i++)
        sum += values[i] *
               vector[columns[i]];
    out[row] = sum;
}
