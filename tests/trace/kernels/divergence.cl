/* Kernels whose work-items diverge; each group is one sub-group of 32. Each read of `in` is on a
 * separate source line, so that it has a separate row. */

/* A wave over a tile: in each step the first m + 1 work-items are active; m grows, then shrinks. */
__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void wave(__global const int *in,
                                                                   __global int *out)
{
    __local int tile[33][33];
    int x = get_local_id(0);
    for (int i = 0; i < 33; i++)
        tile[i][x] = in[i * 32 + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int m = 0; m < 32; m++) {
        if (x <= m) {
            int column = x + 1, row = m - x + 1;
            tile[row][column] =
                max(tile[row - 1][column - 1], 1);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int m = 30; m >= 0; m--) {
        if (x <= m) {
            int column = x + 32 - m, row = 32 - x;
            tile[row][column] =
                max(tile[row - 1][column - 1], 1);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = tile[x][x];
}

/* The inner loop's trip count, 1 to 4, depends on the work-item and on the outer iteration. */
__kernel void nested(__global const int *in, __global int *out)
{
    int x = get_local_id(0), sum = 0;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 1 + (x + i) % 4; j++)
            sum +=
                in[(i * 4 + j) * 32 + x];
    out[get_global_id(0)] = sum;
}

__kernel void early_return(__global const int *in, __global int *out)
{
    int x = get_local_id(0), sum = 0;
    for (int i = 0; i < 8; i++) {
        if (i > x)
            return;
        sum +=
            in[i * 32 + x];
        out[get_global_id(0)] = sum;
    }
    out[get_global_id(0)] =
        sum + in[1024 + x];
}

__kernel void break_and_continue(__global const int *in, __global int *out)
{
    int x = get_local_id(0), sum = 0;
    for (int i = 0; i < 8; i++) {
        if ((x + i) % 2)
            continue;
        sum +=
            in[i * 32 + x];
        if (i >= x)
            break;
        sum +=
            in[1024 + i * 32 + x];
    }
    out[get_global_id(0)] =
        sum + in[2048 + x];
}

__kernel void choices(__global const int *in, __global int *out)
{
    int x = get_local_id(0), sum = 0;
    for (int i = 0; i < 4; i++)
        switch ((x + i) % 4) {
        case 0:
            sum +=
                in[i * 32 + x];
            /* fall through */
        case 1:
            sum *=
                in[128 + i * 32 + x];
            break;
        case 2:
            sum -=
                in[256 + i * 32 + x];
            break;
        default:
            break;
        }
    out[get_global_id(0)] =
        sum + in[512 + x];
}

__kernel void short_circuit(__global const int *in, __global int *out)
{
    int x = get_local_id(0), sum = 0;
    for (int i = 0; i < 4; i++)
        if (x < 8 * i &&
            in[i * 32 + x] >= 0 &&
            (x % 2 ||
             in[128 + i * 32 + x] >= 0))
            sum +=
                in[256 + i * 32 + x];
    out[get_global_id(0)] = sum;
}

/* Called on both sides of a branch, and then by all work-items. */
__attribute__((noinline)) int sum_of(__global const int *in, int x, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum +=
            in[i * 32 + x];
    return sum;
}

__kernel void calls(__global const int *in, __global int *out)
{
    int x = get_local_id(0), sum = 0;
    if (x % 2)
        sum = sum_of(in, x, 2);
    else
        sum = sum_of(in, x, 3);
    out[get_global_id(0)] = sum + sum_of(in, x, 4 + x % 4);
}
