// The pull of all bodies on each body, tile by tile. A body is x, y, z and its mass.
kernel void n_body(global const float4 *bodies, global float4 *pulls, local float4 *tile, int n)
{
    const int id = get_local_id(0), size = get_local_size(0);
    const float4 own = bodies[get_global_id(0)];
    float3 pull = 0;
    for (int begin = 0; begin < n; begin += size) {
        tile[id] = bodies[begin + id];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < size; i++) {
            const float4 other = tile[i];
            const float3 to = other.xyz - own.xyz;
            const float square = dot(to, to) + 1e-6f;
            pull += to * (other.w * rsqrt(square) / square);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    pulls[get_global_id(0)] = (float4)(pull, 0);
}
