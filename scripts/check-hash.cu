// Prints how many tag-bank passes requests take if their lines lie anywhere in 64 TiB of an NVIDIA GPU's address space.
//
// usage: nvcc -O2 -arch=native -o check-hash scripts/check-hash.cu -lcuda && ./check-hash [SEED]
//
// Ordinary buffers lie close together, so the upper bits of their addresses reveal nothing about a hash. But the driver
// can reserve 2^46 bytes of virtual addresses, and 2 MiB of memory can be mapped anywhere in this range. For each bit
// from 7 to 45, the program measures six pairs of lines: three that differ in this bit alone, and three that also
// differ in lower bits. Then it measures 300 sets of 2 to 16 lines anywhere in the range. Thirty-two sub-groups read
// the lines of a set again and again, each lane from a different data bank, so only the tags take more than one clock.
// A line of output has the number of passes (the rounded clocks per request) and the lines' addresses.
//
// Exit status: 0 done; 2 an argument is wrong, or CUDA failed.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>

enum { LANES = 32, GROUPS = 32, ROUNDS = 64, UNROLL = 16, MOST_LINES = 16, LINE_BYTES = 128 };
static const uint64_t BLOCK_BYTES = 2 << 20, RESERVED_BYTES = 1ull << 46;

struct addresses {
    uint64_t lanes[LANES];
};

// `zero` is 0. The compiler cannot know this, so it cannot merge the reads.
__global__ void read_again(const __grid_constant__ addresses at, unsigned zero, unsigned *out, long long *clocks)
{
    const uint64_t address = at.lanes[threadIdx.x % LANES];
    const unsigned upper = (unsigned)(address >> 32);
    unsigned lower = (unsigned)address;
    unsigned sum = 0;
    long long begin = 0;
    for (int pass = 0; pass < 2; pass++) { // the first pass fills the cache
        __syncthreads();
        begin = clock64();
        for (int i = 0; i < ROUNDS; i++) {
#pragma unroll
            for (int j = 0; j < UNROLL; j++) {
                unsigned word;
                lower += zero;
                asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(word) : "l"((uint64_t)upper << 32 | lower));
                sum ^= word;
            }
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *clocks = clock64() - begin;
    out[threadIdx.x] = sum;
}

static void need(CUresult result, const char *what)
{
    const char *name = "an unknown error";
    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorName(result, &name);
    fprintf(stderr, "check-hash: %s: %s\n", what, name);
    exit(2);
}

// xorshift64* (Vigna 2014), which gives the same numbers on every host
static uint64_t state;
static uint64_t draw(uint64_t below)
{
    state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
    return (state * 0x2545f4914f6cdd1dull >> 8) % below;
}

struct device {
    CUmemGenericAllocationHandle memory;
    CUmemAccessDesc access;
    unsigned *out;
    long long *clocks;
};

// The lines may share blocks of BLOCK_BYTES; each block is mapped once.
static void measure(const device &gpu, const uint64_t lines[], unsigned count)
{
    CUdeviceptr blocks[MOST_LINES];
    unsigned mapped = 0;
    addresses at;
    for (unsigned i = 0; i < count; i++) {
        const CUdeviceptr block = lines[i] / BLOCK_BYTES * BLOCK_BYTES;
        unsigned known = 0;
        while (known < mapped && blocks[known] != block)
            known++;
        if (known < mapped)
            continue;
        need(cuMemMap(block, BLOCK_BYTES, 0, gpu.memory, 0), "cuMemMap");
        need(cuMemSetAccess(block, BLOCK_BYTES, &gpu.access, 1), "cuMemSetAccess");
        blocks[mapped++] = block;
    }
    for (unsigned lane = 0; lane < LANES; lane++)
        at.lanes[lane] = lines[lane % count] + 4 * lane;
    read_again<<<1, LANES * GROUPS>>>(at, 0, gpu.out, gpu.clocks);
    if (cudaGetLastError() != cudaSuccess) {
        fputs("check-hash: the kernel cannot be launched\n", stderr);
        exit(2);
    }
    need(cuCtxSynchronize(), "the kernel");
    long long clocks;
    need(cuMemcpyDtoH(&clocks, (CUdeviceptr)gpu.clocks, sizeof clocks), "cuMemcpyDtoH");
    printf("%.0f", (double)clocks / (GROUPS * ROUNDS * UNROLL));
    for (unsigned i = 0; i < count; i++)
        printf(" %llx", (unsigned long long)lines[i]);
    putchar('\n');
    for (unsigned i = 0; i < mapped; i++)
        need(cuMemUnmap(blocks[i], BLOCK_BYTES), "cuMemUnmap");
}

int main(int argc, char **argv)
{
    char *end = nullptr;
    const uint64_t seed = argc > 1 ? strtoull(argv[1], &end, 10) : 1;
    if (argc > 2 || (argc > 1 && (!*argv[1] || *end || seed == 0))) {
        fputs("usage: check-hash [SEED], an integer from 1\n", stderr);
        return 2;
    }
    state = seed;
    device gpu = {};
    CUdevice device;
    CUcontext context;
    char name[128];
    cudaFree(nullptr); // creates the context in which kernels are launched
    need(cuInit(0), "cuInit");
    need(cuDeviceGet(&device, 0), "cuDeviceGet");
    need(cuDeviceGetName(name, sizeof name, device), "cuDeviceGetName");
    need(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    need(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    CUmemAllocationProp properties = {};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    gpu.access = {properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUdeviceptr base;
    need(cuMemCreate(&gpu.memory, BLOCK_BYTES, &properties, 0), "cuMemCreate");
    need(cuMemAddressReserve(&base, RESERVED_BYTES, BLOCK_BYTES, 0, 0), "cuMemAddressReserve of 2^46 bytes");
    need(cuMemAlloc((CUdeviceptr *)&gpu.out, LANES * GROUPS * sizeof *gpu.out), "cuMemAlloc");
    need(cuMemAlloc((CUdeviceptr *)&gpu.clocks, sizeof *gpu.clocks), "cuMemAlloc");
    printf("# Passes in L1 of a request for a set of lines, and the lines' addresses, anywhere in 64 TiB from %llx.\n"
           "# %s, seed %llu; written by scripts/check-hash.cu.\n",
           (unsigned long long)base, name, (unsigned long long)seed);
    for (unsigned bit = 7; bit < 46; bit++)
        for (unsigned i = 0; i < 6; i++) {
            const uint64_t line = draw(RESERVED_BYTES / LINE_BYTES) * LINE_BYTES;
            // In every second pair, lower bits differ, too, so that the second line lies in any of the four banks.
            const uint64_t lower = i % 2 ? draw((1ull << bit) / LINE_BYTES) * LINE_BYTES : 0;
            const uint64_t pair[] = {base + line, base + (line ^ (1ull << bit) ^ lower)};
            measure(gpu, pair, 2);
        }
    for (unsigned i = 0; i < 300; i++) {
        uint64_t lines[MOST_LINES];
        const unsigned count = 2 + (unsigned)draw(MOST_LINES - 1);
        for (unsigned j = 0; j < count; j++)
            lines[j] = base + draw(RESERVED_BYTES / LINE_BYTES) * LINE_BYTES;
        measure(gpu, lines, count);
    }
    return 0;
}
