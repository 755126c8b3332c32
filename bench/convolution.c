/* A convolution with 257 taps, from the guide "Shared Local Memory": 257 work-items use each
 * element, so a copy of the element in local memory may pay off. The guide calls caching in local
 * memory "sometimes more desirable", which is not a claim. In each round a group repeats all its
 * work, including the copy and its barriers. Ratios compare multiply-adds per second. */
#include <math.h>
#include <string.h>

#include "../kernels/numbers.h"
#include "model/launch.h"
#include "run/case.h"

enum { GROUP = 256 };

/* Computes `count` expected outputs, beginning with output `first`. Elements outside the array
 * count as 0. */
static void convolve(size_t first, size_t count, size_t elements, uint32_t expected[])
{
    enum { BLOCK = 2048 }; /* so small that the outputs stay in a cache */
    uint32_t window[BLOCK + TAPS - 1];
    for (size_t end = first + count; first < end; first += BLOCK) {
        const size_t n = end - first < BLOCK ? end - first : BLOCK;
        for (size_t k = 0; k < n + TAPS - 1; k++) {
            const size_t i = first + k; /* index in the array, plus HALO */
            window[k] = i >= HALO && i - HALO < elements ? bl_data_element(i - HALO) : 0;
        }
        memset(&expected[first], 0, n * sizeof expected[0]);
        for (uint32_t j = 0; j < TAPS; j++) {
            const uint32_t tap = TAP(bl_data_element(j));
            for (size_t k = 0; k < n; k++)
                expected[first + k] += window[k + j] * tap;
        }
    }
}

static enum bl_status reference(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error)
{
    (void)rounds; /* always 1: the runner multiplies linear sums by the rounds */
    (void)error;
    /* The data repeat, so away from the ends of the array the results repeat, too. */
    const size_t elements = workload->buffers.outputs, before = HALO + BL_DATA_PERIOD;
    convolve(0, elements < before ? elements : before, elements, expected);
    for (size_t i = before; i < elements; i++)
        expected[i] = expected[i - BL_DATA_PERIOD];
    if (elements > before)
        convolve(elements - HALO, HALO, elements, expected);
    return BL_OK;
}

/* The number of elements of the array. On a GPU it is a sixteenth of the guide's 8192 x 8192:
 * enough groups to keep any GPU busy, and few enough outputs to check quickly. A CPU would take
 * minutes for this number, so it gets fewer elements; a quick run gets even fewer. */
static size_t elements_for(const struct bl_setting *setting)
{
    const struct bl_device *device = setting->device;
    if (setting->quick)
        return (size_t)GROUP * 256;
    return device && device->type == BL_DEVICE_GPU ? (size_t)2048 * 2048 : (size_t)GROUP * 1024;
}

static void lay_out(const struct bl_setting *setting, struct bl_workload *workload)
{
    const bool is_staged = setting->test_case->memory == BL_MEMORY_LOCAL;
    const size_t elements = elements_for(setting);
    bl_workload_begin(workload, setting, "convolution.cl", "convolve");
    bl_set_groups(workload, elements / GROUP);
    bl_add_option(&workload->build, "-DGROUP=%d -DELEMENTS=%zu", GROUP, elements);
    workload->buffers.data_bytes = elements * 4;
    workload->buffers.local_bytes = is_staged ? (GROUP + 2 * HALO) * 4 : 0;
    workload->check = (struct bl_check){reference, .is_linear = true};
    /* A multiply-add reads a word and a tap. `bytes` counts only the word, `requests` both. */
    workload->work = (struct bl_work){
        .units = (double)elements * TAPS,
        .bytes = (double)elements * TAPS * 4,
        .requests = 2.0 * (double)bl_launch_requests(&workload->launch) * TAPS,
        .bytes_per_delivered = is_staged ? 1 : NAN,
        .working_set_bytes = elements * 4,
        .settles_slowly = elements * 4 >= BL_SETTLES_SLOWLY_BYTES,
    };
}

/* clang-format off */ /* one case per row */
#define CASE(name, define_, MEMORY, title_, ...)                                                \
    {.id = "convolution/" name, .title = title_, .define = define_, .memory = MEMORY,           \
     .document = "shared local memory guide, 1-D convolution", .lay_out = lay_out,              \
     .shapes = BL_GROUP_OF(GROUP), .baseline = "convolution/global", __VA_ARGS__}

static const struct bl_case cases[] = {
    CASE("global", "DIRECT", BL_MEMORY_GLOBAL, "every use of an element is a read of global memory",
         .skip_in_quick = true),
    CASE("local", "STAGED", BL_MEMORY_LOCAL, "copied to local memory, the halo by two work-items"),
    CASE("local-by-all", "STAGED_BY_ALL", BL_MEMORY_LOCAL,
         "copied to local memory by all work-items",
         .skip_in_quick = true),
};
/* clang-format on */

BL_SUITE(convolution, "convolution", "257 taps, from global and from local memory");
