/* Tests the costs of requests beyond a compute unit's cache, in sectors of L2 and in granules of
 * memory, and the tag banks of lines that are far apart in memory. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/access.h"
#include "model/granules.h"
#include "report/row.h"
#include "run/level.h"
#include "run/measure_case.h"
#include "run/tiles.h"
#include "suites.h"

enum { LANES = 32, GROUPS = 8, ITEMS = LANES * GROUPS };

static const struct bl_machine *hopper(void)
{
    const struct bl_machine *found;
    cr_assert_eq(bl_machine_find("nvidia-hopper", &found, NULL), BL_OK);
    return found;
}

/* The mean granules of a request, if work-item i accesses element i * stride + offset. together:
 * the number of work-items whose accesses share granules. */
static struct bl_granules strided(unsigned level, const struct bl_type *type, unsigned stride,
                                  unsigned offset, size_t together)
{
    uint64_t starts[ITEMS];
    for (unsigned i = 0; i < ITEMS; i++)
        starts[i] = (uint64_t)i * stride + offset;
    const struct bl_machine *machine = hopper();
    const uint64_t tile_bytes = (uint64_t)ITEMS * stride * type->element_bytes;
    struct bl_granules granules;
    const struct bl_accessed accessed = {.machine = machine,
                                         .level = &machine->levels[level],
                                         .type = type,
                                         .starts = starts,
                                         .count = ITEMS,
                                         .together = together,
                                         .tile_bytes = tile_bytes};
    cr_assert_eq(bl_granules_of(&accessed, &granules, NULL), BL_OK);
    granules.fetched /= GROUPS;
    granules.charged /= GROUPS;
    return granules;
}

Test(levels, l2_charges_sectors_and_about_two_for_a_line_of_which_one_is_read)
{
    static const struct {
        const struct bl_type *type;
        unsigned stride, offset;
        double fetched, charged;
    } cases[] = {
        {&bl_type_int, 1, 0, 4, 4},       {&bl_type_int, 8, 0, 32, 32},
        {&bl_type_int, 16, 0, 32, 32},    {&bl_type_int, 24, 0, 32, 46.56},
        {&bl_type_int, 32, 0, 32, 62.08}, {&bl_type_int, 64, 0, 32, 62.08},
        {&bl_type_int, 1, 1, 5, 5},       {&bl_type_int, 1, 8, 4, 4},
        {&bl_type_uchar, 1, 0, 1, 1.94},  {&bl_type_int4, 1, 0, 16, 16},
        {&bl_type_int4, 8, 0, 32, 62.08},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct bl_granules got =
            strided(0, cases[i].type, cases[i].stride, cases[i].offset, LANES);
        cr_expect_float_eq(got.fetched, cases[i].fetched, 1e-9, "%zu: %g", i, got.fetched);
        cr_expect_float_eq(got.charged, cases[i].charged, 1e-9, "%zu: %g", i, got.charged);
    }
}

Test(levels, memory_charges_granules_or_blocks_and_lines_if_few_granules_of_them_are_read)
{
    enum { MEMORY = 2 };
    const struct bl_level *memory = &hopper()->levels[MEMORY];
    const double open = memory->open_percent / 100.0, line = memory->line_percent / 100.0,
                 granule = memory->granule_percent / 100.0;
    cr_assert_float_eq(strided(MEMORY, &bl_type_int, 16, 0, LANES).charged, 32, 1e-9);
    cr_assert_float_eq(strided(MEMORY, &bl_type_int, 32, 0, LANES).charged,
                       16 * (open + 2 * line + 2 * granule), 1e-9);
    cr_assert_float_eq(strided(MEMORY, &bl_type_int, 64, 0, LANES).charged,
                       32 * (open + line + granule), 1e-9);
    /* A line has 32 words. A line that is alone in a block needs 2 granules; two lines of a block
     * need all 4. */
    cr_assert_float_eq(strided(MEMORY, &bl_type_int, 1, 0, LANES).charged, 2, 1e-9);
    cr_assert_float_eq(strided(MEMORY, &bl_type_int, 1, 0, 2 * LANES).charged * 2, 4, 1e-9);
    /* With a shift by one element, a request alone needs one granule more. All groups together need
     * as many granules per request as without the shift. */
    cr_assert_float_eq(strided(MEMORY, &bl_type_int, 1, 1, LANES).fetched, 3, 1e-9);
    cr_assert_float_eq(strided(MEMORY, &bl_type_int, 1, 1, ITEMS).fetched, 2, 1e-9);
}

/* The sectors that a request of `count` lanes is charged for writing. */
static double written_on(const struct bl_machine *machine, unsigned level,
                         const struct bl_type *type, const uint64_t starts[], size_t count)
{
    const struct bl_accessed accessed = {.machine = machine,
                                         .level = &machine->levels[level],
                                         .type = type,
                                         .is_write = true,
                                         .starts = starts,
                                         .count = count,
                                         .together = LANES,
                                         .tile_bytes = 1 << 20};
    struct bl_granules got;
    cr_assert_eq(bl_granules_of(&accessed, &got, NULL), BL_OK);
    return got.charged;
}

static double written(unsigned level, const struct bl_type *type, const uint64_t starts[],
                      size_t count)
{
    return written_on(hopper(), level, type, starts, count);
}

Test(levels, a_sector_is_complete_if_all_its_bytes_are_written)
{
    uint64_t starts[LANES];
    for (unsigned i = 0; i < 8; i++)
        starts[i] = 7 - i; /* the order does not matter */
    cr_expect_float_eq(written(0, &bl_type_int, starts, 8), 1.6, 1e-9, "one sector is complete");
    for (unsigned i = 0; i < LANES; i++)
        starts[i] = LANES - 1 - i;
    cr_expect_float_eq(written(0, &bl_type_int, starts, LANES), 4, 1e-9);
    starts[3] = starts[4]; /* one word is not written, and another is written twice */
    cr_expect_float_eq(written(0, &bl_type_int, starts, LANES), 5, 1e-9,
                       "three sectors are complete");
    for (unsigned i = 0; i < 16; i++)
        starts[i] = i < 8 ? i : 24 + i; /* one sector of this line, and one of the next line */
    cr_expect_float_eq(written(0, &bl_type_int, starts, 16), 3.2, 1e-9,
                       "each sector is alone in its line");
    for (unsigned i = 0; i < 4; i++)
        starts[i] = 8 * i;
    cr_expect_float_eq(written(0, &bl_type_int, starts, 4), 5, 1e-9, "no sector is complete");
    cr_expect_float_eq(written(0, &bl_type_int, starts, 1), 2, 1e-9, "a sector is written in part");
    cr_expect_float_eq(written(2, &bl_type_int, starts, 4), 5.65 + 4 * 1.5, 1e-9);
    cr_expect_float_eq(written(2, &bl_type_int, starts, 1), 8, 1e-9,
                       "a block and one of its lines");
    starts[1] = 32;
    cr_expect_float_eq(written(2, &bl_type_int, starts, 2), 12, 1e-9,
                       "a block and two of its lines");
}

Test(levels, no_bottleneck_is_named_if_tag_and_bank_passes_are_unknown)
{
    struct bl_mean_cost cost = {.clocks = 2, .tag_passes = NAN, .bank_passes = NAN};
    cr_expect_null(bl_bound_of(hopper(), &cost));
    cost.bank_passes = 2;
    cr_expect_str_eq(bl_bound_of(hopper(), &cost), "banks");
    cost.clocks = NAN;
    cr_expect_null(bl_bound_of(hopper(), &cost));
}

Test(levels, a_written_sector_costs_at_least_one_sector)
{
    struct bl_machine machine = *hopper();
    machine.levels[0].write_fill_percent = machine.levels[0].write_part_percent = 0;
    static const uint64_t starts[] = {0, 8, 16, 32};
    cr_expect_float_eq(written_on(&machine, 0, &bl_type_int, starts, 4), 4, 1e-9);
}

/* The prediction for a case in its first shape, on a simulated GPU of this machine. *why receives
 * the reason if there is no prediction. */
static double predicted(const char *machine_name, const char *id, const char **why)
{
    static const struct bl_device gpu = {
        .name = "Made-up GPU",
        .type = BL_DEVICE_GPU,
        .compute_units = 4,
        .local_bytes = 65536,
        .max_group_items = 1024,
        .max_items = {1024, 1024},
        .memory_bytes = 1ull << 37,
        .max_buffer_bytes = 1ull << 35,
        .cache_bytes = 32 << 20,
    };
    const struct bl_machine *machine;
    cr_assert_eq(bl_machine_find(machine_name, &machine, NULL), BL_OK);
    const struct bl_catalogue catalogue = bl_suites();
    const struct bl_plan_filter filter = {.selectors = &id, .selector_count = 1};
    struct bl_plan_item *items;
    size_t count;
    cr_assert_eq(bl_plan(&catalogue, &filter, machine, &gpu, &items, &count, NULL), BL_OK);
    cr_assert_eq(items[0].status, BL_ROW_OK, "%s: %s", id, items[0].reason);
    *why = items[0].own.cost.why_none;
    const double ratio = bl_planned_row(&items[0], machine).predicted;
    free(items);
    return ratio;
}

Test(levels, cases_beyond_the_first_cache_are_compared_with_the_rate_of_a_level)
{
    static const struct {
        const char *machine, *id;
        double ratio;
    } cases[] = {
        {"nvidia-hopper", "level/next-stride-2", 0.5},
        {"nvidia-hopper", "level/next-stride-16", 1.0 / 8},
        {"nvidia-hopper", "level/next-stride-32", 4 / 62.08},
        {"nvidia-hopper", "level/next-uchar", 1 / 2.4},
        {"nvidia-hopper", "level/memory-contiguous", 1},
        {"nvidia-hopper", "level/memory-stride-16", 1.0 / 16},
        {"nvidia-hopper", "level/contiguous-64K", 1},
        {"nvidia-hopper", "level/next-write-1", 1},
        {"nvidia-hopper", "level/next-write-2", 0.4},
        {"nvidia-hopper", "level/memory-write-8", 4.0 / 4 / 16},
        {"nvidia-hopper", "barrier/32", 1},
        {"nvidia-hopper", "barrier/64", 1 / 1.07},
        {"nvidia-hopper", "barrier/512", 1 / 2.05},
        {"nvidia-hopper", "constant/constant-1", 1},
        {"nvidia-hopper", "private/uniform-32", 17.0 / 8 / (65.0 / 32)},
        {"nvidia-hopper", "private/unique-1", 1},
        {"nvidia-hopper", "stage/overlapping", 1},
        {"intel-gen9", "level/next-stride-32", 1.0 / 16},
        {"intel-gen9", "level/memory-stride-8", 1.0 / 8},
    };
    const char *why;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const double ratio = predicted(cases[i].machine, cases[i].id, &why);
        cr_expect_float_eq(ratio, cases[i].ratio, 1e-9, "%s: %g", cases[i].id, ratio);
    }
    static const char *const none[] = {"atomic/global-word",       "prefetch/all-8",
                                       "private/local-64",         "latency/local-16K",
                                       "latency/local-16K-memory", "private/math-8-uniform",
                                       "width/private-uchar"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        cr_expect(isnan(predicted("nvidia-hopper", none[i], &why)), "%s", none[i]);
        cr_expect(why && why[0], "%s", none[i]);
    }
    cr_expect(isnan(predicted("cpu", "level/next-contiguous", &why)) && why);
}

Test(levels, tiles_touch_about_the_wanted_bytes_and_replicas_visit_each_block_once)
{
    for (uint64_t touched = 1; touched < 5000; touched = touched * 3 + 1) {
        const struct bl_tiling tiling = {
            .max = 128 * touched - 1,
            .touched_lines = touched,
            .element_bytes = 4,
            .line_bytes = 128,
            .wanted_bytes = 16 << 20,
            .max_bytes = 1ull << 33,
            .replicas = 2112,
        };
        struct bl_tiles tiles;
        cr_assert(bl_choose_tiles(&tiling, &tiles));
        const double held = (double)(tiles.blocks * tiles.per_block * touched * 128);
        cr_expect(held >= 0.875 * (16 << 20) && held <= 1.125 * (16 << 20), "%g", held);
        cr_expect_eq(tiles.elements, 128 * touched);
        bool *seen = calloc(tiles.blocks, sizeof *seen);
        uint64_t begun = 0, went = 0;
        for (uint64_t i = 0, block = 0; i < tiles.blocks; i++) {
            begun += !seen[i * tiles.begin_on % tiles.blocks];
            seen[i * tiles.begin_on % tiles.blocks] = true;
            block = (block + tiles.further_on) % tiles.blocks;
            went += block == 0;
        }
        cr_expect_eq(begun, tiles.blocks);
        cr_expect_eq(went, 1, "the steps return to the first block after visiting all blocks");
        free(seen);
    }
    struct bl_tiling large = {.max = 1 << 28, .touched_lines = 1, .element_bytes = 4};
    large.line_bytes = 128, large.wanted_bytes = 1 << 30, large.max_bytes = 1ull << 33;
    struct bl_tiles tiles;
    cr_expect_not(bl_choose_tiles(&large, &tiles), "the tile is too long for an index");
    large = (struct bl_tiling){.max = 1 << 20, .touched_lines = 1 << 20, .element_bytes = 4};
    large.line_bytes = 128, large.wanted_bytes = 1 << 20, large.max_bytes = 1ull << 33;
    cr_expect_not(bl_choose_tiles(&large, &tiles), "a single tile is too large");
}

Test(levels, the_machine_cpu_has_no_levels)
{
    const struct bl_machine *cpu;
    cr_assert_eq(bl_machine_find("cpu", &cpu, NULL), BL_OK);
    for (unsigned i = 0; i < BL_LEVELS; i++)
        cr_assert_eq(cpu->levels[i].granule_bytes, 0);
}

/* Compares the model with a file of results/rules. Each line of the file has the passes that a
 * request took, and the addresses of the cache lines that it read. wanted: the number of
 * requests in the file. */
static void check_measured_passes(const char *name, unsigned wanted)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/results/rules/%s", getenv("BANKLINE_SOURCE"), name);
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
            addresses[lane] += 4 * lane; /* each lane uses a separate bank */
        const struct bl_request request = {BL_MEMORY_GLOBAL, false, 4, LANES, addresses, false};
        struct bl_cost cost;
        cr_assert_eq(bl_cost_of(hopper(), &request, &cost), BL_OK);
        cr_assert_eq(cost.tag_passes, passes, "%u lines from %" PRIx64 ": %u tag passes", count,
                     addresses[0], cost.tag_passes);
        sets++;
    }
    fclose(file);
    cr_assert_eq(sets, wanted);
}

Test(levels, requests_to_lines_in_120_gib_take_the_measured_passes)
{
    check_measured_passes("nvidia-h200-lines.txt", 500);
}

/* In this file, each address bit from 7 to 45 is flipped, alone and together with lower bits. The
 * file also has sets of lines at random places. */
Test(levels, requests_to_lines_anywhere_in_64_tib_take_the_measured_passes)
{
    check_measured_passes("nvidia-h200-hash.txt", 534);
}
