/* Source lines with several arrays, with inlined functions, and with components of vectors. */

__kernel void two_arrays(__global const int *good, __global const int *bad, __global int *out)
{
    int i = get_global_id(0);
    out[i] = good[i] + bad[i * 32];
}

int both(__global const int *numbers, int i) { return numbers[i] + numbers[i + 1024]; }

__kernel void inlined(__global const int *in, __global int *out)
{
    __local int tile[64];
    int i = get_local_id(0);
    tile[i] = both(in, i);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = both(in, 32 * i) + tile[i ^ 1];
}

/* Nothing uses the last component, so with -Oz only the other components are read. */
__kernel void gather(__global const int *in, __global int *out)
{
    int i = get_global_id(0);
    float4 read = ((__global const float4 *)in)[7 * i];
    out[i] = (int)(read.x + read.y + read.z);
}

__kernel void prints(__global const int *in, __global int *out)
{
    int i = get_global_id(0);
    if (i == 0)
        printf("first: %d %s\n", in[i], "of all");
    out[i] = 2 * in[i + 1];
}

__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

__kernel void image(__read_only image2d_t picture, __global int *out)
{
    int i = get_global_id(0);
    float4 texel = read_imagef(picture, nearest, (int2)(i % 8, i / 8));
    out[i] = (int)(texel.x * 100);
}

/* Reads of one vector with a barrier or a write between them are separate accesses. */
__kernel void read_twice(__global const int *in, __global int *out)
{
    __local float4 tile[32];
    int i = get_local_id(0);
    float4 read = ((__global const float4 *)in)[i];
    tile[i] = read;
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = tile[i ^ 1].x;
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[i].w = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = (int)(tile[i ^ 1].y + tile[i ^ 1].w);
}

/* Like gather, but from an array of vectors in local memory. */
__kernel void gather_local(__global const int *in, __global int *out)
{
    __local float4 tile[64];
    int i = get_local_id(0);
    tile[i] = ((__global const float4 *)in)[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 read = tile[i ^ 1];
    out[get_global_id(0)] = (int)(read.x + read.y + read.z);
}

/* If END is a constant, a compiler unrolls the inner loop, so each divisor is a constant, too. */
#ifndef END
#define END 256
#endif
__kernel void divided(__global const int *in, __global int *out)
{
    int i = get_global_id(0), sum = in[i];
    for (int round = 0; round < (int)get_global_size(0); round++) {
        for (int step = 1; step < END; step *= 4)
            sum += (sum + i) / step;
    }
    out[i] = sum;
}

// STEP and END decide whether the number of rounds can be computed before the loop begins.
#ifndef STEP
#define STEP 2
#endif
__kernel void rounds(__global const int *in, __global int *out)
{
    int i = get_global_id(0), sum = 0;
    for (int at = 0; at < END; at += STEP)
        sum += in[(at + i) & 63];
    out[i] = sum;
}

// In each round, each work-item computes F of its previous result and the number of the round.
#ifndef F
#define F(x, i) ((x) + (i))
#endif
#ifndef T
#define T float
#endif
__kernel void computes(__global const int *in, __global int *out)
{
    T x = in[get_global_id(0)];
    for (int i = 0; i < 256; i++)
        x = F(x, (T)i);
    out[get_global_id(0)] = (int)x;
}

/* The pointers to two local arrays are exchanged in each round. */
__kernel void exchanged(__global const int *in, __global int *out, int rounds)
{
    __local int first[32], second[32];
    __local int *from = first, *to = second;
    int i = get_local_id(0);
    from[i] = in[get_global_id(0)];
    for (int round = 0; round < rounds; round++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        to[i] = from[i ^ 1];
        __local int *swap = from;
        from = to;
        to = swap;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = from[i];
}
