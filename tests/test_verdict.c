/* Tests the verdicts on the predictions of measured rows, and why a row has none. */
#include <criterion/criterion.h>
#include <math.h>

#include "report/row.h"
#include "run/case.h"
#include "run/measure_case.h"

static struct bl_device device;
static struct bl_machine machine;
static struct bl_bench bench;
static struct bl_plan_item item;
static struct bl_occupancy_evidence evidence;
static struct bl_row row;
static const char *why_none;

static const struct bl_case test_case = {.id = "made/up", .baseline = "made/baseline"};

/* Sets up a row whose prediction is right. It reads 64 KiB of global memory, which fit in the
 * cache. */
static void begin(void)
{
    device = (struct bl_device){
        .type = BL_DEVICE_GPU, .compute_units = 10, .bank_arrays = 10, .clock_mhz = 1000};
    machine =
        (struct bl_machine){.has_rule = true, .cache_bytes = 65536, .banks = 32, .bank_bytes = 4};
    bench = (struct bl_bench){.device = &device, .machine = &machine, .tolerance = 0.05};
    const struct bl_workload workload = {
        .launch.memory = BL_MEMORY_GLOBAL, .work.working_set_bytes = 65536, .cost.clocks = 2};
    item = (struct bl_plan_item){.test_case = &test_case, .own = workload, .baseline = workload};
    evidence = (struct bl_occupancy_evidence){.baseline_round_ns = 1e6};
    row = bl_row_empty();
    row.predicted = 0.5;
    row.measured = 0.5;
    row.measured_lo = 0.495;
    row.measured_hi = 0.505;
}

static enum bl_verdict judge(void)
{
    return bl_row_verdict(&bench, &item, &evidence, &row, &why_none);
}

TestSuite(row_verdict, .init = begin);

Test(row_verdict, a_prediction_within_the_tolerance_is_confirmed)
{
    cr_assert_eq(judge(), BL_CONFIRMED);
    cr_assert_null(why_none);
    row.predicted = 0.6;
    cr_assert_eq(judge(), BL_REFUTED);
}

Test(row_verdict, a_machine_without_rules_judges_nothing)
{
    machine.has_rule = false;
    cr_assert_eq(judge(), BL_NO_RULE);
    cr_assert_null(why_none);
}

/* Two measurements of the same kernel agree, but their agreement confirms no prediction. */
Test(row_verdict, a_row_that_is_its_own_baseline_has_the_verdict_baseline)
{
    static const struct bl_case own = {.id = "made/up", .baseline = "made/up"};
    item.test_case = &own;
    row.predicted = 1;
    cr_assert_eq(judge(), BL_BASELINE);
    cr_assert_str_eq(bl_verdict_name(BL_BASELINE), "baseline");
    item.own.launch.shape = (struct bl_shape){4, 4};
    item.baseline.launch.shape = (struct bl_shape){16, 1};
    cr_assert_neq(judge(), BL_BASELINE, "a row in another shape is tested");
}

/* The rule applies only if the data of the case, and those of its baseline, fit in the cache. */
Test(row_verdict, data_that_do_not_fit_in_the_cache_have_no_rule)
{
    item.own.work.working_set_bytes = 65537;
    cr_assert_eq(judge(), BL_NO_RULE);
    begin();
    item.baseline.work.working_set_bytes = 65537;
    cr_assert_eq(judge(), BL_NO_RULE);
    item.baseline.launch.memory = BL_MEMORY_LOCAL;
    cr_assert_eq(judge(), BL_CONFIRMED, "local memory needs no cache");
    item.baseline.launch.memory = BL_MEMORY_GLOBAL;
    item.baseline.cost.clocks = NAN;
    cr_assert_eq(judge(), BL_CONFIRMED, "without a predicted cost the cache does not matter");
    machine.cache_bytes = 0;
    item.baseline.cost.clocks = 2;
    cr_assert_eq(judge(), BL_CONFIRMED, "the machine has no such cache");
}

Test(row_verdict, a_private_array_in_registers_has_no_rule_and_a_reason)
{
    evidence.in_registers = true;
    cr_assert_eq(judge(), BL_NO_RULE);
    cr_assert_str_eq(why_none, "the private array stayed in registers");
}

/* The banks of this machine deliver at most 128 bytes per clock and compute unit. */
Test(row_verdict, if_the_baseline_is_not_limited_by_banks_there_is_no_rule)
{
    item.baseline.work.min_share = 0.5;
    const double clocks = evidence.baseline_round_ns * device.clock_mhz * 1e-3;
    item.baseline.work.bytes = 64 * 0.99 * clocks * device.compute_units;
    cr_assert_eq(judge(), BL_NO_RULE);
    cr_assert_str_eq(why_none,
                     "the baseline is not limited by banks, so the rule of banks does not apply");
    item.baseline.work.bytes *= 1.02;
    cr_assert_eq(judge(), BL_CONFIRMED);
    item.baseline.work.bytes = 1;
    device.clock_mhz = 0;
    cr_assert_eq(judge(), BL_CONFIRMED, "without a known clock the limit cannot be judged");
}

Test(row_verdict, a_direction_is_judged_if_no_ratio_is_predicted)
{
    row.predicted = NAN;
    cr_assert_eq(judge(), BL_NO_RULE);
    row.direction = BL_SLOWER;
    cr_assert_eq(judge(), BL_CONFIRMED);
    row.direction = BL_FASTER;
    cr_assert_eq(judge(), BL_REFUTED);
    row.measured_lo = 0.9;
    row.measured_hi = 1.1;
    cr_assert_eq(judge(), BL_UNCLEAR);
}

Test(row_verdict, more_than_the_banks_can_deliver_is_impossible)
{
    struct bl_error error;
    const struct bl_work work = {.bytes_per_delivered = 1}, shared = {.bytes_per_delivered = 2},
                         free_of_banks = {.bytes_per_delivered = NAN};
    row.bytes_per_clock_cu = 128 * 1.02; /* within the margin for rounded clocks */
    cr_assert_eq(bl_check_limit(&bench, &work, &row, &error), BL_OK);
    row.bytes_per_clock_cu = 128 * 1.04;
    cr_assert_eq(bl_check_limit(&bench, &work, &row, &error), BL_IMPOSSIBLE);
    cr_assert_eq(bl_check_limit(&bench, &shared, &row, &error), BL_OK);
    cr_assert_eq(bl_check_limit(&bench, &free_of_banks, &row, &error), BL_OK);
    row.bytes_per_clock_cu = NAN;
    cr_assert_eq(bl_check_limit(&bench, &work, &row, &error), BL_OK);
    row.bytes_per_clock_cu = 1000;
    machine.has_rule = false;
    cr_assert_eq(bl_check_limit(&bench, &work, &row, &error), BL_OK);
}

Test(row_verdict, a_level_may_differ_from_card_to_card)
{
    row.predicted = 0.5;
    row.measured_lo = 0.54;
    row.measured_hi = 0.55;
    item.own.level = &machine.levels[BL_LEVEL_MEMORY];
    cr_assert_eq(judge(), BL_REFUTED);
    machine.levels[BL_LEVEL_MEMORY].cards_percent = 12;
    cr_assert_eq(judge(), BL_CONFIRMED);
    row.measured_lo = 0.57;
    row.measured_hi = 0.58;
    cr_assert_eq(judge(), BL_REFUTED);
    machine.levels[BL_LEVEL_MEMORY].cards_percent = 1;
    row.measured_lo = row.measured_hi = 0.51;
    cr_assert_eq(judge(), BL_CONFIRMED, "--tolerance is a minimum");
}

/* In round_ns nanoseconds, memory delivers `granules` granules of 64 bytes, of which `needed` bytes
 * are used. */
static enum bl_status check_memory(double granules, double needed, double round_ns)
{
    struct bl_error error;
    machine.levels[BL_LEVEL_MEMORY].granule_bytes = 64;
    struct bl_workload moved = {.level = &machine.levels[BL_LEVEL_MEMORY],
                                .work = {.requests = 10, .bytes = needed}};
    moved.cost.fetched_together[BL_LEVEL_MEMORY] = granules / 10;
    return bl_check_memory_limit(&bench, &moved, round_ns, &error);
}

Test(row_verdict, more_than_memory_can_move_is_impossible)
{
    bench.gpu.memory_gbytes_per_s = 64;
    cr_assert_eq(check_memory(1000, 64000, 1000), BL_OK);
    cr_assert_eq(check_memory(1000, 64000, 999), BL_IMPOSSIBLE);
    cr_assert_eq(check_memory(1000, 32000, 999), BL_OK, "half of the bytes are not needed");
    cr_assert_eq(check_memory(1000, 128000, 999), BL_IMPOSSIBLE, "each byte is read twice");
    cr_assert_eq(check_memory(NAN, 1e9, 1), BL_OK, "there is no rule");
    bench.gpu.memory_gbytes_per_s = NAN;
    cr_assert_eq(check_memory(1000, 64000, 1), BL_OK, "the bandwidth is not known");
    bench.gpu.memory_gbytes_per_s = 0;
    cr_assert_eq(check_memory(1000, 64000, 1), BL_OK, "the bandwidth was not read");
    struct bl_error error;
    bench.gpu.memory_gbytes_per_s = 64;
    const struct bl_workload cached = {.work.requests = 10, .level = &machine.levels[0]};
    cr_assert_eq(bl_check_memory_limit(&bench, &cached, 1e-9, &error), BL_OK);
}

Test(row_verdict, a_machine_of_another_device_predicts_without_a_verdict)
{
    size_t count;
    const struct bl_machine *built_in = bl_machines(&count);
    while (strcmp(built_in->name, "nvidia-hopper") != 0)
        built_in++;
    bench.machine = built_in;
    device = (struct bl_device){.type = BL_DEVICE_CPU, .vendor_id = 0x8086};
    cr_assert_eq(judge(), BL_NO_RULE);
    cr_assert_str_eq(why_none, "the machine describes another device");
    struct bl_error error;
    const struct bl_work work = {.bytes_per_delivered = 1};
    row.bytes_per_clock_cu = 1000;
    cr_assert_eq(bl_check_limit(&bench, &work, &row, &error), BL_OK);
    device = (struct bl_device){.type = BL_DEVICE_GPU,
                                .vendor_id = 0x10de,
                                .capability = 90,
                                .bank_arrays = 1,
                                .compute_units = 1};
    cr_assert_eq(judge(), BL_CONFIRMED);
    cr_assert_eq(bl_check_limit(&bench, &work, &row, &error), BL_IMPOSSIBLE);
}
