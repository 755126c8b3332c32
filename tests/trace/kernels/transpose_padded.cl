// The tiled transpose with one additional column in its tile.
#define TILE 32

kernel void transpose_padded(global const float *in, global float *out, int n)
{
    local float tile[TILE][TILE + 1];
    const int x = get_local_id(0), row = get_group_id(1) * TILE, column = get_group_id(0) * TILE;
    for (int y = get_local_id(1); y < TILE; y += get_local_size(1))
        tile[y][x] = in[(row + y) * n + column + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int y = get_local_id(1); y < TILE; y += get_local_size(1))
        out[(column + y) * n + row + x] = tile[x][y];
}
