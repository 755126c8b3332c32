/* What requests fetch from beyond the cache of a compute unit, and lines far apart in memory. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/access.h"
#include "model/granules.h"

enum { LANES = 32, GROUPS = 8, ITEMS = LANES * GROUPS };

static const struct bl_machine *hopper(void)
{
    const struct bl_machine *found;
    cr_assert_eq(bl_machine_find("nvidia-hopper", &found, NULL), BL_OK);
    return found;
}

/* Means over the requests of these groups; element i * stride + offset for work-item i. */
static struct bl_granules strided(unsigned level, const struct bl_type *type, unsigned stride,
                                  unsigned offset, size_t together)
{
    uint64_t starts[ITEMS];
    for (unsigned i = 0; i < ITEMS; i++)
        starts[i] = (uint64_t)i * stride + offset;
    const struct bl_machine *machine = hopper();
    const uint64_t tile_bytes = (uint64_t)ITEMS * stride * type->element_bytes;
    struct bl_granules granules;
    cr_assert_eq(bl_granules_of(&machine->levels[level], machine->line_bytes, type, starts, ITEMS,
                                together, tile_bytes, &granules, NULL),
                 BL_OK);
    granules.fetched /= GROUPS;
    granules.charged /= GROUPS;
    return granules;
}

Test(levels, sectors_of_the_shared_cache_and_two_of_each_line_at_least)
{
    static const struct {
        const struct bl_type *type;
        unsigned stride, offset;
        double fetched, charged;
    } cases[] = {
        {&bl_type_int, 1, 0, 4, 4},    {&bl_type_int, 8, 0, 32, 32},  {&bl_type_int, 16, 0, 32, 32},
        {&bl_type_int, 24, 0, 32, 48}, {&bl_type_int, 32, 0, 32, 64}, {&bl_type_int, 64, 0, 32, 64},
        {&bl_type_int, 1, 1, 5, 5},    {&bl_type_int, 1, 8, 4, 4},    {&bl_type_uchar, 1, 0, 1, 2},
        {&bl_type_int4, 1, 0, 16, 16}, {&bl_type_int4, 8, 0, 32, 64},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct bl_granules got =
            strided(0, cases[i].type, cases[i].stride, cases[i].offset, LANES);
        cr_expect_float_eq(got.fetched, cases[i].fetched, 1e-9, "%zu: %g", i, got.fetched);
        cr_expect_float_eq(got.charged, cases[i].charged, 1e-9, "%zu: %g", i, got.charged);
    }
}

Test(levels, granules_of_memory_or_the_blocks_that_they_lie_in)
{
    enum { MEMORY = 2 };
    const struct bl_level *memory = &hopper()->levels[MEMORY];
    const double granule = memory->granule_percent / 100.0, block = memory->block_percent / 100.0;
    cr_assert_float_eq(strided(MEMORY, &bl_type_int, 16, 0, LANES).charged, 32, 1e-9);
    cr_assert_float_eq(strided(MEMORY, &bl_type_int, 32, 0, LANES).charged,
                       32 * granule + 16 * block, 1e-9);
    cr_assert_float_eq(strided(MEMORY, &bl_type_int, 64, 0, LANES).charged,
                       32 * granule + 32 * block, 1e-9);
    /* One element on, each request has a granule more; all groups together have none. */
    cr_assert_float_eq(strided(MEMORY, &bl_type_int, 1, 1, LANES).fetched, 3, 1e-9);
    cr_assert_float_eq(strided(MEMORY, &bl_type_int, 1, 1, ITEMS).fetched, 2, 1e-9);
}

Test(levels, a_machine_without_levels_has_none)
{
    const struct bl_machine *cpu;
    cr_assert_eq(bl_machine_find("cpu", &cpu, NULL), BL_OK);
    for (unsigned i = 0; i < BL_LEVELS; i++)
        cr_assert_eq(cpu->levels[i].granule_bytes, 0);
}

/* results/rules: sets of 2 to 32 lines anywhere in 120 GiB, and the passes that they took. */
Test(levels, lines_far_apart_take_the_passes_that_were_measured)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/results/rules/nvidia-h200-lines.txt",
             getenv("BANKLINE_SOURCE"));
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    char text[1024];
    unsigned sets = 0;
    while (fgets(text, sizeof text, file)) {
        if (text[0] == '#')
            continue;
        uint64_t addresses[LANES];
        unsigned count = 0;
        char *at = text;
        const unsigned passes = (unsigned)strtoul(at, &at, 10);
        for (char *next = at; count < LANES; at = next) {
            addresses[count] = strtoull(at, &next, 16);
            if (next == at)
                break;
            count++;
        }
        for (unsigned lane = count; lane < LANES; lane++)
            addresses[lane] = addresses[lane % count];
        for (unsigned lane = 0; lane < LANES; lane++)
            addresses[lane] += 4 * lane; /* a bank for each */
        const struct bl_request request = {BL_MEMORY_GLOBAL, false, 4, LANES, addresses, false};
        struct bl_cost cost;
        cr_assert_eq(bl_cost_of(hopper(), &request, &cost), BL_OK);
        cr_assert_eq(cost.tag_passes, passes, "%u lines from %" PRIx64 ": %u", count, addresses[0],
                     cost.tag_passes);
        sets++;
    }
    fclose(file);
    cr_assert_eq(sets, 500);
}
