/* Compares the predicted costs of accesses to L2 and to memory with measurements of an H200. */
#include <criterion/criterion.h>
#include <math.h>

#include "model/granules.h"

enum { LANES = 32, GROUPS = 8, ITEMS = LANES * GROUPS };
enum { L2 = 0, MEMORY = 2 };

/* A measured pattern: work-item i accesses element `i / width * apart + i % width * beside +
 * offset`. gbytes_per_s is the throughput of all work-items, counting only the bytes that they use.
 */
struct measured {
    const struct bl_type *type;
    unsigned width, apart, beside, offset;
    double gbytes_per_s;
};

static const struct bl_machine *hopper(void)
{
    const struct bl_machine *found;
    cr_assert_eq(bl_machine_find("nvidia-hopper", &found, NULL), BL_OK);
    return found;
}

/* The mean charge of a request: in granules for reads, in fully written sectors for writes. */
static double charge(unsigned level, bool is_write, const struct measured *row)
{
    const struct bl_machine *machine = hopper();
    const struct bl_level *at = &machine->levels[level];
    uint64_t starts[ITEMS];
    for (unsigned i = 0; i < ITEMS; i++)
        starts[i] = (uint64_t)i / row->width * row->apart + (uint64_t)i % row->width * row->beside +
                    row->offset;
    struct bl_granules got;
    const struct bl_accessed accessed = {.machine = machine,
                                         .level = at,
                                         .type = row->type,
                                         .is_write = is_write,
                                         .starts = starts,
                                         .count = ITEMS,
                                         .together = LANES,
                                         .tile_bytes = 1 << 30};
    cr_assert_eq(bl_granules_of(&accessed, &got, NULL), BL_OK);
    const double least = is_write ? 0 : at->least_of_request_percent / 100.0;
    return got.charged / GROUPS < least ? least : got.charged / GROUPS;
}

/* Expects times in proportion to the charges, with a relative error below `within`. The first row,
 * which is contiguous, determines the time per unit of charge. */
static void hold(unsigned level, bool is_write, const struct measured rows[], size_t count,
                 double within)
{
    double unit_ns = 0;
    for (size_t i = 0; i < count; i++) {
        const double ns = LANES * rows[i].type->access_bytes / rows[i].gbytes_per_s;
        const double charged = charge(level, is_write, &rows[i]);
        unit_ns = i == 0 ? ns / charged : unit_ns;
        cr_expect(fabs(charged * unit_ns / ns - 1) < within, "row %zu: %.3f charged, %.3f measured",
                  i, charged, ns / unit_ns);
    }
}

#define HOLD(level, is_write, rows, within) \
    hold(level, is_write, rows, sizeof(rows) / sizeof(rows)[0], within)

Test(measured_levels, reads_from_l2_cost_what_the_model_predicts)
{
    static const struct measured rows[] = {
        {&bl_type_int, 1, 1, 0, 0, 9836},      {&bl_type_uchar, 1, 1, 0, 0, 4101},
        {&bl_type_ushort, 1, 1, 0, 0, 8218},   {&bl_type_int, 1, 54, 0, 0, 639.6},
        {&bl_type_int, 1, 17, 0, 0, 1176.8},   {&bl_type_int, 1, 1, 0, 25, 7914.8},
        {&bl_type_int, 16, 19, 1, 0, 7492.3},  {&bl_type_int, 1, 21, 0, 0, 971.8},
        {&bl_type_int, 4, 27, 1, 0, 2917.8},   {&bl_type_int, 1, 16, 0, 0, 1216.5},
        {&bl_type_int, 1, 41, 0, 0, 636.9},    {&bl_type_int, 1, 2, 0, 23, 4457.1},
        {&bl_type_int2, 1, 57, 0, 0, 1256.4},  {&bl_type_int2, 1, 24, 0, 0, 1271.9},
        {&bl_type_int2, 1, 3, 0, 2, 3329.3},   {&bl_type_int4, 1, 36, 0, 0, 2436.0},
        {&bl_type_int4, 1, 3, 0, 6, 4999.3},   {&bl_type_int4, 2, 56, 1, 0, 5169.2},
        {&bl_type_ushort, 1, 8, 0, 0, 1217.8}, {&bl_type_ushort, 1, 64, 0, 0, 321.7},
        {&bl_type_ushort, 1, 39, 0, 0, 518.5},
    };
    HOLD(L2, false, rows, 0.07);
}

/* In all rows but one, no two requests read the same granule of 64 bytes, so each request can be
 * charged separately. */
Test(measured_levels, reads_from_memory_cost_what_the_model_predicts)
{
    static const struct measured rows[] = {
        {&bl_type_int, 1, 1, 0, 0, 4654},      {&bl_type_int, 1, 16, 0, 0, 291.7},
        {&bl_type_int, 1, 31, 0, 0, 240.1},    {&bl_type_int, 1, 41, 0, 0, 217.1},
        {&bl_type_int, 1, 63, 0, 0, 164.8},    {&bl_type_int2, 1, 54, 0, 0, 321.6},
        {&bl_type_int2, 1, 26, 0, 0, 376.2},   {&bl_type_int2, 4, 52, 1, 0, 1266.0},
        {&bl_type_int4, 2, 75, 1, 0, 1185.4},  {&bl_type_int4, 4, 19, 1, 0, 1974.0},
        {&bl_type_int4, 1, 3, 0, 28, 1513.8},  {&bl_type_uchar, 4, 99, 1, 0, 246.2},
        {&bl_type_uchar, 1, 38, 0, 0, 121.3},  {&bl_type_ushort, 1, 42, 0, 0, 139.4},
        {&bl_type_ushort, 1, 61, 0, 0, 121.1}, {&bl_type_int, 16, 91, 1, 0, 1860.1},
        {&bl_type_int2, 8, 18, 1, 0, 2461.2},  {&bl_type_int4, 1, 2, 0, 26, 2141.5},
        {&bl_type_ushort, 1, 1, 0, 0, 2748},
    };
    HOLD(MEMORY, false, rows, 0.05);
}

/* The rows have requests that write sectors fully, partially or both, and requests that write the
 * same lines. */
Test(measured_levels, writes_to_l2_cost_what_the_model_predicts)
{
    static const struct measured rows[] = {
        {&bl_type_int4, 1, 1, 0, 0, 4719},      {&bl_type_int, 1, 54, 0, 0, 290.4},
        {&bl_type_int, 1, 17, 0, 0, 394.3},     {&bl_type_int, 1, 1, 0, 25, 2776.4},
        {&bl_type_int, 16, 19, 1, 0, 2663.5},   {&bl_type_int, 1, 21, 0, 0, 358.2},
        {&bl_type_int, 2, 1, 256, 0, 4295.6},   {&bl_type_int, 4, 27, 1, 0, 1061.9},
        {&bl_type_int, 1, 16, 0, 0, 400.4},     {&bl_type_int, 1, 1, 0, 16, 4288.6},
        {&bl_type_int, 1, 2, 0, 23, 1620.6},    {&bl_type_int2, 8, 1, 1024, 0, 2894.2},
        {&bl_type_int2, 4, 1, 200, 0, 4110.8},  {&bl_type_int2, 1, 3, 0, 2, 1270.7},
        {&bl_type_int2, 8, 20, 1, 0, 3753.7},   {&bl_type_int4, 16, 1, 96, 0, 2914.8},
        {&bl_type_int4, 1, 63, 0, 0, 1263.8},   {&bl_type_int4, 16, 45, 1, 0, 4110.5},
        {&bl_type_int4, 1, 3, 0, 6, 1748.8},    {&bl_type_uchar, 1, 2, 0, 0, 1568.9},
        {&bl_type_uchar, 1, 32, 0, 0, 117.7},   {&bl_type_uchar, 1, 38, 0, 0, 113.5},
        {&bl_type_uchar, 8, 1, 96, 0, 343.4},   {&bl_type_ushort, 1, 8, 0, 0, 472.5},
        {&bl_type_ushort, 1, 64, 0, 0, 144.3},  {&bl_type_ushort, 16, 1, 256, 0, 282.9},
        {&bl_type_ushort, 1, 1, 0, 15, 2059.4},
    };
    HOLD(L2, true, rows, 0.08);
}

/* In each row, requests write either only full sectors or only partial sectors. In all rows but
 * one, no two requests write the same block of 256 bytes. */
Test(measured_levels, writes_to_memory_cost_what_the_model_predicts)
{
    static const struct measured rows[] = {
        {&bl_type_int4, 1, 1, 0, 0, 4066.8},  {&bl_type_int, 1, 16, 0, 0, 168.3},
        {&bl_type_int, 1, 33, 0, 0, 84.5},    {&bl_type_int, 1, 36, 0, 0, 78.2},
        {&bl_type_int, 1, 26, 0, 0, 106.3},   {&bl_type_int, 1, 42, 0, 0, 72.3},
        {&bl_type_int, 2, 75, 1, 0, 126.6},   {&bl_type_int2, 1, 36, 0, 0, 129.8},
        {&bl_type_int2, 1, 11, 0, 0, 250.0},  {&bl_type_int2, 1, 25, 0, 0, 136.9},
        {&bl_type_int2, 2, 67, 1, 0, 252.1},  {&bl_type_int4, 1, 5, 0, 0, 566.5},
        {&bl_type_int4, 1, 7, 0, 0, 396.5},   {&bl_type_int4, 1, 8, 0, 0, 360.8},
        {&bl_type_int4, 1, 11, 0, 0, 287.6},  {&bl_type_int4, 1, 61, 0, 0, 257.4},
        {&bl_type_ushort, 1, 40, 0, 0, 69.9}, {&bl_type_ushort, 1, 12, 0, 0, 171.2},
        {&bl_type_ushort, 1, 8, 0, 0, 250.7}, {&bl_type_uchar, 1, 8, 0, 0, 251.2},
        {&bl_type_uchar, 1, 61, 0, 0, 39.9},  {&bl_type_int2, 8, 48, 1, 0, 1765.3},
        {&bl_type_int2, 8, 56, 1, 0, 1768.6}, {&bl_type_int2, 16, 84, 1, 0, 2021.1},
        {&bl_type_int, 2, 12, 1, 0, 414.5},   {&bl_type_ushort, 1, 20, 0, 0, 115.0},
    };
    HOLD(MEMORY, true, rows, 0.08);
}

/* Each request begins 24 bytes after a sector's start and writes 256 bytes: seven sectors fully,
 * and the sectors at both ends partially. */
Test(measured_levels, a_block_with_full_and_partial_sectors_has_a_rule_only_in_l2)
{
    static const struct measured mixed = {&bl_type_int2, 1, 1, 0, 3, NAN};
    cr_expect_float_eq(charge(L2, true, &mixed), 11, 1e-9);
    cr_expect(isnan(charge(MEMORY, true, &mixed)));
}
