// Kernels for which tests/trace.sh checks the advice.
#define SIDE 16

// Reads the second factor's tile by columns. Two of the tile's rows of 16 elements fill 32 banks.
kernel void tiled_product(global const float *a, global const float *b, global float *c, int n)
{
    local float first[SIDE][SIDE], second[SIDE][SIDE];
    const int x = get_local_id(0), y = get_local_id(1);
    const int column = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (int tile = 0; tile < n; tile += SIDE) {
        first[y][x] = a[row * n + tile + x];
        second[x][y] = b[(tile + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < SIDE; k++)
            sum += first[y][k] * second[x][k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

// The ids are swapped: dimension 0 selects the row.
kernel void swapped_ids(global const float *in, global float *out, int n)
{
    const int i = get_global_id(0), j = get_global_id(1);
    out[i * n + j] = 2 * in[i * n + j];
}

struct point {
    float x, y, z, w;
};

// Updates one member of each record: one read and one write.
kernel void update_member(global struct point *points)
{
    points[get_global_id(0)].x += 1;
}

// Updates the same element in each iteration, because b may alias c as far as a compiler can tell.
kernel void accumulate(global const float *a, global const float *b, global float *c, int n)
{
    const int x = get_global_id(0), y = get_global_id(1);
    c[y * n + x] = 0;
    for (int k = 0; k < n; k++)
        c[y * n + x] += a[y * n + k] * b[k * n + x];
}

// Reads scattered elements, which form no rows.
kernel void scattered(global const int *in, global int *out)
{
    local int table[256];
    const int i = get_local_id(0);
    for (int k = i; k < 256; k += 32)
        table[k] = in[k % 64];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint at = i * 2654435761u;
    int sum = 0;
    for (int k = 0; k < 16; k++) {
        at = at * 1664525u + 1013904223u;
        sum += table[at >> 24];
    }
    out[get_global_id(0)] = sum;
}

// Accesses four neighbouring elements, with a barrier after each.
kernel void between_barriers(global const int *in, global int *out)
{
    local int tile[32 * 4];
    const int i = get_local_id(0);
    int sum = 0;
    for (int k = 0; k < 4; k++) {
        tile[(i + 8) % 32 * 4 + k] = in[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += tile[4 * i + k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sum;
}
