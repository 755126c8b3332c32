#include "model/reference.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

uint32_t bl_data_element(size_t i)
{
    /* A finaliser of two multiplications and three shifts: every bit of the index reaches every
     * bit of the result. Constants: C. Wellons' hash prospector. */
    uint32_t x = ((uint32_t)i & (BL_DATA_PERIOD - 1)) + 1;
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

uint32_t bl_sum_below(uint64_t n)
{
    /* One of the two factors is even; halved first, the product wraps without harm. */
    return (uint32_t)(n % 2 ? (n - 1) / 2 * n : n / 2 * (n - 1));
}

void bl_repeat_group(uint32_t outputs[], size_t group, size_t count)
{
    for (size_t i = group; i < count; i++)
        outputs[i] = outputs[i - group];
}

/* Sum of the components of one element, zero-extended to 32 bits where they are narrower. */
static uint32_t element_sum(const struct bl_type *type, const uint8_t data[], size_t element)
{
    const unsigned component_bytes = type->access_bytes / type->components;
    uint32_t sum = 0;
    for (unsigned c = 0; c < type->components; c++) {
        uint32_t value = 0; /* little-endian, as every OpenCL device in use */
        memcpy(&value, data + element * type->element_bytes + c * component_bytes, component_bytes);
        sum += value;
    }
    return sum;
}

enum bl_status bl_round_sums(enum bl_pattern pattern, const struct bl_launch *launch,
                             uint32_t round_sums[], struct bl_error *error)
{
    /* The sum of one round depends on the start element alone. */
    const size_t words = (bl_launch_array_bytes(launch) + 3) / 4;
    uint32_t *by_start = calloc(launch->elements, sizeof *by_start);
    uint32_t *data = calloc(words, sizeof *data);
    if (!by_start || !data) {
        free(by_start);
        free(data);
        return bl_fail(error, BL_NO_MEMORY, "no memory for %zu expected sums", launch->elements);
    }
    for (size_t i = 0; i < words; i++)
        data[i] = bl_data_element(i);
    for (size_t start = 0; start < launch->elements; start++)
        for (unsigned j = 0; j < launch->unroll; j++)
            by_start[start] += element_sum(launch->type, (const uint8_t *)data,
                                           start + (size_t)j * launch->step);
    const size_t items = bl_launch_items(launch);
    for (size_t item = 0; item < items; item++)
        round_sums[item] = by_start[bl_pattern_start(pattern, launch, item)];
    free(by_start);
    free(data);
    return BL_OK;
}
