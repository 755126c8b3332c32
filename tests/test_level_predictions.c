/* Tests the ratios that bl_level_predict predicts for accesses to L2 and to memory, from the
 * granules that requests fetch and from measured rates. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/row.h"
#include "run/level.h"
#include "run/measure_case.h"
#include "suites.h"

enum { L2 = 0, MEMORY = 2 };

static struct bl_bench bench;
static struct bl_rates rates;
static struct bl_plan_item item;

/* Sets the rates: a sector takes 1 ns in L2, and a granule 4 ns in memory. Requests of the case and
 * of the baseline fetch 4 sectors from L2, or 2 granules from memory. */
static void begin(void)
{
    cr_assert_eq(bl_machine_find("nvidia-hopper", &bench.machine, NULL), BL_OK);
    rates = bl_rates_unknown();
    rates.clock_ns = 0.5;
    rates.granule_ns[L2] = 1;
    rates.granule_ns[MEMORY] = 4;
    rates.contiguous_ns[L2] = 4;
    rates.contiguous_ns[MEMORY] = 8;
    item = (struct bl_plan_item){.status = BL_ROW_OK};
    struct bl_mean_cost *cost = &item.baseline.cost;
    cost->clocks = cost->lines = cost->tag_passes = cost->bank_passes = 1;
    cost->fetched[L2] = cost->charged[L2] = 4;
    cost->fetched_together[L2] = cost->charged_together[L2] = 4;
    cost->fetched[MEMORY] = cost->charged[MEMORY] = 2;
    cost->fetched_together[MEMORY] = cost->charged_together[MEMORY] = 2;
    item.own.cost = *cost;
}

TestSuite(level_predictions, .init = begin);

/* The predicted ratio at this level; NAN if there is none. */
static double ratio(unsigned level)
{
    item.baseline.cost.clocks = item.own.cost.clocks =
        1; /* in the first cache; bl_level_predict replaces these clocks */
    bl_level_predict(&bench, &rates, level, &item);
    return item.baseline.cost.clocks / item.own.cost.clocks;
}

/* Sets the granules that a request of the case fetches at this level: alone, and as part of a group
 * whose requests share granules. */
static void costs(unsigned level, double charged, double together)
{
    item.own.cost.charged[level] = item.own.cost.fetched[level] = charged;
    item.own.cost.charged_together[level] = item.own.cost.fetched_together[level] = together;
}

Test(level_predictions, a_request_costs_what_the_costliest_level_charges)
{
    cr_expect_float_eq(ratio(MEMORY), 1, 1e-9);
    costs(MEMORY, 4, 4);
    cr_expect_float_eq(ratio(MEMORY), 0.5, 1e-9);
    cr_expect_str_eq(item.own.cost.bound, "granules");
    costs(L2, 32, 32);
    cr_expect_float_eq(ratio(MEMORY), 0.25, 1e-9, "L2 is the bottleneck");
    cr_expect(strstr(item.own.note, "a request fetches 32.0 times 32 bytes"), "%s", item.own.note);
}

Test(level_predictions, if_only_contiguous_requests_share_granules_only_they_are_cheaper)
{
    item.baseline.cost.charged_together[MEMORY] =
        1; /* two requests share a granule, as for reads of uchar */
    cr_expect_float_eq(ratio(MEMORY), 1, 1e-9,
                       "the contiguous access was measured without sharing");
    rates.contiguous_ns[MEMORY] = 4; /* the contiguous access was measured with sharing */
    cr_expect_float_eq(ratio(MEMORY), 0.5, 1e-9, "the case does not share granules");
    item.own.cost.charged_together[MEMORY] = 1;
    cr_expect_float_eq(ratio(MEMORY), 1, 1e-9, "the case shares as many granules");
}

Test(level_predictions, there_is_no_prediction_without_the_rates_and_rules_of_the_bottleneck)
{
    costs(L2, 32, 32);
    snprintf(rates.why_none[L2], sizeof rates.why_none[L2], "L2 could not be measured");
    cr_expect(isnan(ratio(MEMORY)));
    cr_expect(strstr(item.own.note, "L2 could not be measured"), "%s", item.own.note);
    begin();
    snprintf(rates.why_none[L2], sizeof rates.why_none[L2], "L2 could not be measured");
    costs(MEMORY, 4, 4);
    cr_expect_float_eq(ratio(MEMORY), 0.5, 1e-9,
                       "L2's rate does not matter if memory is the bottleneck");
    begin();
    item.own.launch.is_write = item.baseline.launch.is_write = true;
    costs(MEMORY, NAN, NAN);
    cr_expect(isnan(ratio(MEMORY)));
    cr_expect(strstr(item.own.note, "written completely and others in part"), "%s", item.own.note);
}

Test(level_predictions, there_is_no_prediction_if_sharing_matters)
{
    costs(MEMORY, 4, 3.7);
    cr_expect(isnan(ratio(MEMORY)), "charged / together may be at most 1.05 for reads of memory");
    begin();
    costs(L2, 40, 32);
    cr_expect_float_eq(ratio(L2), 0.1, 1e-9, "charged / together may be 1.3 for reads of L2");
    begin();
    costs(L2, 40, 30);
    cr_expect(isnan(ratio(L2)));
    begin();
    item.own.launch.is_write = item.baseline.launch.is_write = true;
    costs(L2, 40, 10);
    cr_expect_float_eq(ratio(L2), 0.1, 1e-9, "each request sends its own writes to L2");
    begin();
    item.own.launch.is_write = item.baseline.launch.is_write = true;
    costs(MEMORY, 40, 38);
    cr_expect_float_eq(ratio(MEMORY), 0.05, 1e-9, "charged / together may be 1.1 for writes");
    costs(MEMORY, 40, 36);
    cr_expect(isnan(ratio(MEMORY)));
    begin();
    item.own.launch.is_write = item.baseline.launch.is_write = true;
    costs(MEMORY, 40, NAN);
    cr_expect(isnan(ratio(MEMORY)), "there is no rule for requests that share granules");
}

/* The case writes an int per work-item, shifted by one element. Then some sectors of a block are
 * written completely and others in part. */
Test(level_predictions, a_case_that_writes_both_kinds_of_sectors_in_memory_has_no_prediction)
{
    static const struct bl_case test_case = {.id = "level/made-up",
                                             .pattern = BL_PATTERN_PLUS_ONE,
                                             .place = BL_IN_MEMORY,
                                             .is_write = true,
                                             .memory = BL_MEMORY_GLOBAL};
    const struct bl_setting setting = {
        .test_case = &test_case, .machine = bench.machine, .compute_units = 132, .shape = {32, 1}};
    struct bl_workload workload;
    bl_lay_out_level(&setting, &workload);
    cr_expect(isnan(workload.cost.clocks));
    cr_expect(strstr(workload.note, "written completely and others in part"), "%s", workload.note);
}

/* If the machine states the size of its first cache, rows with larger working sets are expected to
 * be slower, as in the guides. */
Test(level_predictions, working_sets_beyond_a_known_cache_are_expected_to_be_slower)
{
    static const char *const ids[] = {"level/contiguous-256K", "level/contiguous-16M",
                                      "latency/global-1M", "latency/global-128M"};
    const struct bl_catalogue catalogue = bl_suites();
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        const struct bl_plan_filter filter = {.selectors = &ids[i], .selector_count = 1};
        struct bl_plan_item *items;
        size_t count;
        cr_assert_eq(bl_plan(&catalogue, &filter, bench.machine, NULL, &items, &count, NULL),
                     BL_OK);
        cr_expect_eq(bl_planned_row(&items[0], bench.machine).direction, BL_SLOWER, "%s", ids[i]);
        free(items);
    }
}
