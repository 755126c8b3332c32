#include "model/reference.h"

#include <inttypes.h>
#include <stdlib.h>

uint32_t bl_data_element(size_t i)
{
    /* A finaliser of two multiplications and three shifts: every bit of the index reaches every
     * bit of the result. Constants: C. Wellons' hash prospector. */
    uint32_t x = (uint32_t)i + 1;
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

enum bl_status bl_round_sums(enum bl_pattern pattern, const struct bl_launch *launch,
                             uint32_t round_sums[], struct bl_error *error)
{
    /* The sum of one round depends on the start element alone. */
    uint32_t *by_start = calloc(launch->elements, sizeof *by_start);
    if (!by_start)
        return bl_fail(error, BL_NO_MEMORY, "no memory for %zu expected sums", launch->elements);
    for (size_t start = 0; start < launch->elements; start++)
        for (unsigned j = 0; j < launch->unroll; j++)
            by_start[start] += bl_data_element(start + (size_t)j * launch->step);
    const size_t items = bl_launch_items(launch);
    for (size_t item = 0; item < items; item++)
        round_sums[item] = by_start[bl_pattern_start(pattern, launch, item)];
    free(by_start);
    return BL_OK;
}

enum bl_status bl_check_sums(const uint32_t round_sums[], size_t items, uint32_t rounds,
                             const uint32_t sums[], struct bl_error *error)
{
    for (size_t item = 0; item < items; item++) {
        const uint32_t expected = rounds * round_sums[item];
        if (sums[item] != expected)
            return bl_fail(error, BL_WRONG_RESULT,
                           "work-item %zu of %zu summed 0x%08" PRIx32 " where 0x%08" PRIx32
                           " is right (%" PRIu32 " rounds)", item, items, sums[item], expected,
                           rounds);
    }
    return BL_OK;
}
