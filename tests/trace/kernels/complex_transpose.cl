// Transposes a matrix of complex numbers through a tile. With PAD 0 the tile's columns lie in two
// banks.
#ifndef PAD
#define PAD 0
#endif
#define TILE 32

kernel void complex_transpose(global const float2 *in, global float2 *out, int n)
{
    local float2 tile[TILE][TILE + PAD];
    const int x = get_local_id(0), row = get_group_id(1) * TILE, column = get_group_id(0) * TILE;
    for (int y = get_local_id(1); y < TILE; y += get_local_size(1))
        tile[y][x] = in[(row + y) * n + column + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int y = get_local_id(1); y < TILE; y += get_local_size(1))
        out[(column + y) * n + row + x] = tile[x][y];
}
