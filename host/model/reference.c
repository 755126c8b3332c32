/* Computes on the host the data and sums that kernels must produce. */
#include "model/reference.h"

#include <stdlib.h>

uint32_t bl_data_element(size_t i)
{
    /* An integer hash of two multiplications and three shifts, in which every bit of the index
     * affects every bit of the result. The constants are from C. Wellons' hash prospector. */
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
    /* One of the two factors is even; it is halved before the multiplication, because after a
     * wrap-around halving would give a wrong result. */
    return (uint32_t)(n % 2 ? (n - 1) / 2 * n : n / 2 * (n - 1));
}

void bl_repeat_group(uint32_t outputs[], size_t group, size_t count)
{
    for (size_t i = group; i < count; i++)
        outputs[i] = outputs[i - group];
}

/* An element of 1, 2 or 4 bytes at byte offset i of the array. */
static uint32_t data_bytes_at(size_t i, unsigned bytes)
{
    /* Little-endian, as all OpenCL devices in use; i is a multiple of `bytes`. */
    const uint32_t word = bl_data_element(i / 4) >> (8 * (i % 4));
    return bytes == 4 ? word : word & ((1u << (8 * bytes)) - 1);
}

/* The size of the pieces that SUM of kernels/elements.h adds: words, or smaller ones if an element
 * is smaller. */
static unsigned piece_bytes(const struct bl_type *type)
{
    const unsigned whole = type->components == 3 ? type->component_bytes : type->access_bytes;
    return whole < 4 ? whole : 4;
}

static uint32_t element_sum(const struct bl_type *type, uint64_t element)
{
    const unsigned piece = piece_bytes(type);
    uint32_t sum = 0;
    for (unsigned at = 0; at < type->access_bytes; at += piece)
        sum += data_bytes_at(element * type->element_bytes + at, piece);
    return sum;
}

static uint32_t round_sum(const struct bl_launch *launch, uint64_t start)
{
    const uint32_t times = launch->unroll / launch->steps;
    uint32_t sum = 0;
    for (unsigned read = 0; read < launch->steps; read++)
        sum += element_sum(launch->type, start + bl_launch_read_offset(launch, read));
    return sum * times;
}

uint32_t bl_written_sum(const struct bl_launch *launch, uint64_t start, uint32_t rounds)
{
    const struct bl_type *type = launch->type;
    const unsigned bits = 8 * type->component_bytes, piece = piece_bytes(type);
    const uint32_t mask = bits < 32 ? (1u << bits) - 1 : UINT32_MAX;
    uint32_t components = 0; /* the sum of one component over all elements, each truncated */
    if (bits < 32)
        for (unsigned step = 0; step < launch->steps; step++)
            components += ((uint32_t)(start + (uint64_t)step * launch->step) + rounds) & mask;
    else /* nothing is truncated: an arithmetic series */
        components =
            launch->steps * ((uint32_t)start + rounds) + launch->step * bl_sum_below(launch->steps);
    uint32_t copies = 0; /* how often a component appears in a word, as a factor */
    for (unsigned at = 0; at < 8 * piece; at += bits)
        copies |= 1u << at;
    /* The upper half of a 64-bit component is 0, so it adds nothing. */
    return components * copies *
           (type->component_bytes == 8 ? type->components : type->access_bytes / piece);
}

static uint32_t expected_sum(const struct bl_launch *launch, uint64_t start, uint32_t rounds)
{
    return launch->is_write ? bl_written_sum(launch, start, rounds) : round_sum(launch, start);
}

enum bl_status bl_expected_sums(const struct bl_launch *launch, const uint64_t starts[],
                                uint32_t rounds, uint32_t sums[], struct bl_error *error)
{
    const size_t items = bl_launch_items(launch);
    if (items < launch->elements) { /* few work-items: compute each sum directly */
        for (size_t item = 0; item < items; item++)
            sums[item] = expected_sum(launch, starts[item], rounds);
        return BL_OK;
    }
    uint32_t *by_start = malloc(launch->elements * sizeof *by_start);
    if (!by_start)
        return bl_fail(error, BL_NO_MEMORY, "no memory for %zu expected sums", launch->elements);
    for (size_t start = 0; start < launch->elements; start++)
        by_start[start] = expected_sum(launch, start, rounds);
    for (size_t item = 0; item < items; item++)
        sums[item] = by_start[starts[item]];
    free(by_start);
    return BL_OK;
}
