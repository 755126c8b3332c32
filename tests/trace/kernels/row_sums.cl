// Sums of 32 neighbours in each row. A group reads 32 rows side by side, and then each work-item adds
// up a part of one row. With PAD 0 the tile's columns lie in one bank.
#ifndef PAD
#define PAD 0
#endif
#define TILE 32

kernel void row_sums(global const float *in, global float *out, int n)
{
    local float tile[TILE][TILE + PAD], parts[TILE][TILE];
    const int x = get_local_id(0), row = get_group_id(1) * TILE, column = get_group_id(0) * TILE;
    const int rows = get_local_size(1), first = get_local_id(1);
    for (int y = first; y < TILE; y += rows)
        tile[y][x] = in[(row + y) * n + column + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (int y = first; y < TILE; y += rows)
        sum += tile[x][y];
    parts[first][x] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (first > 0)
        return;
    for (int y = 1; y < rows; y++)
        sum += parts[y][x];
    out[get_group_id(0) * n + row + x] = sum;
}
