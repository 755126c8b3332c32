// Issues each request of a file in its own launch, so that a profiler can count its passes. Prints nothing.
//
// usage: PROGRAM REQUESTS ADDRESS_FILE ARRAY_BYTES
//
// A line of REQUESTS is 'read|shared-read|shared-write BYTES OFFSET...': each of 32 lanes accesses BYTES bytes at its
// OFFSET, which is in bytes. Writes the address of the array in global memory into ADDRESS_FILE.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

enum { LANES = 32, SHARED_BYTES = 32 << 10 };

struct request {
    unsigned long long offsets[LANES];
};

__device__ unsigned bits(uint8_t v) { return v; }
__device__ unsigned bits(uint16_t v) { return v; }
__device__ unsigned bits(uint32_t v) { return v; }
__device__ unsigned bits(uint2 v) { return v.x | v.y; }
__device__ unsigned bits(uint4 v) { return v.x | v.y | v.z | v.w; }

// The array is all zeros, so nothing is stored. The compiler cannot know this, so it keeps the read.
template <typename T> __global__ void read(const char *array, const __grid_constant__ request r, unsigned *out)
{
    const unsigned v = bits(*(const T *)(array + r.offsets[threadIdx.x]));
    if (v == 1)
        *out = v;
}

template <typename T> __global__ void shared_read(const char *, const __grid_constant__ request r, unsigned *out)
{
    extern __shared__ uint4 shared[];
    const unsigned v = bits(*(const T *)((const char *)shared + r.offsets[threadIdx.x]));
    if (v == (sizeof(T) < sizeof(unsigned) ? 0x5eu : 0x5eed5eedu)) // a possible value, so the compiler keeps the read
        *out = v;
}

template <typename T> __global__ void shared_write(const char *array, const __grid_constant__ request r, unsigned *out)
{
    extern __shared__ uint4 shared[];
    T v = {};
    memset(&v, (int)threadIdx.x, sizeof v);
    *(T *)((char *)shared + r.offsets[threadIdx.x]) = v;
    __syncthreads();
    if (shared[(unsigned)(uintptr_t)out % 64].x == 0x5eed5eed)
        *out = 1;
}

template <typename T> void launch(const char *op, const char *array, const request &r, unsigned *out)
{
    if (strcmp(op, "read") == 0)
        read<T><<<1, LANES>>>(array, r, out);
    else if (strcmp(op, "shared-read") == 0)
        shared_read<T><<<1, LANES, SHARED_BYTES>>>(array, r, out);
    else
        shared_write<T><<<1, LANES, SHARED_BYTES>>>(array, r, out);
}

static void check(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "check-counters: %s\n", cudaGetErrorString(error));
    exit(2);
}

int main(int argc, char *argv[])
{
    FILE *requests = argc == 4 ? fopen(argv[1], "r") : nullptr, *address = argc == 4 ? fopen(argv[2], "w") : nullptr;
    if (!requests || !address)
        return 2;
    const size_t bytes = strtoull(argv[3], nullptr, 10);
    char *array, op[16];
    unsigned *out, width;
    check(cudaMalloc(&array, bytes));
    check(cudaMemset(array, 0, bytes));
    check(cudaMalloc(&out, sizeof *out));
    fprintf(address, "%llu\n", (unsigned long long)(uintptr_t)array);
    fclose(address);
    while (fscanf(requests, "%15s %u", op, &width) == 2) {
        request r;
        for (unsigned long long &offset : r.offsets)
            if (fscanf(requests, "%llu", &offset) != 1)
                return 2;
        switch (width) {
        case 1: launch<uint8_t>(op, array, r, out); break;
        case 2: launch<uint16_t>(op, array, r, out); break;
        case 4: launch<uint32_t>(op, array, r, out); break;
        case 8: launch<uint2>(op, array, r, out); break;
        default: launch<uint4>(op, array, r, out); break;
        }
        check(cudaGetLastError());
        check(cudaDeviceSynchronize());
    }
    return 0;
}
