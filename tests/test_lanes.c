/* Tests the predictions for kernels that the driver runs in sub-groups of a size other than the
 * machine's number of lanes. The costs were computed by hand: with 16 banks and a stride of 16, 8
 * lanes need 8 words of one bank, and 16 lanes need 16. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/row.h"
#include "run/measure_case.h"
#include "run/runner.h"
#include "suites.h"

static const struct bl_device gpu = {
    .type = BL_DEVICE_GPU,
    .compute_units = 4,
    .sub_group_sizes = {8, 16, 32},
    .local_bytes = 65536,
    .max_group_items = 256,
    .max_items = {256, 64},
    .memory_bytes = 1ull << 33,
    .max_buffer_bytes = 1ull << 31,
};
static const struct bl_machine *machine;
static struct bl_plan_item item;

static void plan(const char *id, struct bl_shape shape)
{
    const struct bl_catalogue catalogue = bl_suites();
    const struct bl_plan_filter filter = {.selectors = &id, .selector_count = 1, .shape = shape};
    struct bl_plan_item *items;
    size_t count;
    cr_assert_eq(bl_machine_find("intel-gen9", &machine, NULL), BL_OK);
    cr_assert_eq(bl_plan(&catalogue, &filter, machine, &gpu, &items, &count, NULL), BL_OK);
    cr_assert_eq(count, 1);
    item = items[0];
    free(items);
}

/* Adapts the item to the sub-group sizes of its case and of its baseline; 0 if the driver reports
 * no size. Returns whether anything changed. */
static bool run_in(size_t own, size_t baseline)
{
    const struct bl_sub_group_sizes sizes = {own, baseline};
    return bl_item_in_sub_groups(&item, machine, &sizes);
}

static double predicted(void) { return bl_planned_row(&item, machine).predicted; }

Test(lanes, nothing_changes_if_the_driver_uses_the_machines_lanes_or_reports_nothing)
{
    plan("local/6", (struct bl_shape){16, 1});
    cr_assert(!run_in(16, 16) && !run_in(0, 0));
    cr_assert(!run_in(32, 64), "in any larger sub-group, a group of 16 has 16 lanes");
    cr_assert_eq(item.own.note[0], '\0');
    cr_assert_eq(item.claim, 1.0 / 16);
}

Test(lanes, a_multiple_of_the_lanes_makes_several_requests)
{
    plan("local/6", (struct bl_shape){64, 1});
    const double before = predicted();
    cr_assert(run_in(32, 32));
    cr_assert_eq(predicted(), before);
    cr_assert(strstr(item.own.note, "sub-groups of 32"));
    cr_assert(!strstr(item.own.note, "baseline"), "the size is noted only once: %s", item.own.note);
}

Test(lanes, with_fewer_lanes_requests_are_smaller_and_more)
{
    plan("local/6", (struct bl_shape){16, 1});
    const double requests = item.own.work.requests;
    cr_assert(run_in(8, 8));
    const struct bl_row row = bl_planned_row(&item, machine);
    cr_assert_eq(row.key.lanes, 8);
    cr_assert_eq(row.bank_passes, 8);
    cr_assert_eq(row.predicted, 1.0 / 8);
    cr_assert(isnan(row.claim), "the claim is about 16 lanes");
    cr_assert_eq(item.own.work.requests, 2 * requests);
}

Test(lanes, if_only_the_baseline_has_other_lanes_only_its_cost_changes)
{
    plan("local/6", (struct bl_shape){16, 1});
    cr_assert(
        run_in(16, 8)); /* the baseline takes 1 clock for 8 lanes, the case 16 clocks for 16 */
    cr_assert_eq(predicted(), 2.0 / 16);
    cr_assert(isnan(item.claim));
    cr_assert(strstr(item.own.note, "its baseline in sub-groups of 8"));
}

Test(lanes, there_is_no_rule_for_a_sub_group_size_that_does_not_divide_or_multiply_the_lanes)
{
    plan("local/6", (struct bl_shape){48, 1});
    cr_assert(run_in(24, 16));
    cr_assert(isnan(predicted()));
    cr_assert_str_eq(item.own.cost.why_none, "the model has no rule for such sub-groups");
}

Test(lanes, without_rules_the_sub_group_size_is_only_noted)
{
    plan("local/6", (struct bl_shape){16, 1});
    cr_assert_eq(bl_machine_find("unknown", &machine, NULL), BL_OK);
    item.own.cost.why_none = machine->why_no_rule;
    cr_assert(run_in(8, 8));
    cr_assert_eq(item.own.launch.lanes, 16);
    cr_assert_eq(item.own.cost.why_none, machine->why_no_rule);
    cr_assert(strstr(item.own.note, "sub-groups of 8"));
}

Test(lanes, sub_groups_of_the_machines_lanes_are_requested_only_on_gpus)
{
    struct bl_device cpu = gpu;
    cpu.type = BL_DEVICE_CPU;
    cr_assert_eq(bl_device_required_lanes(&gpu, 16), 16);
    cr_assert_eq(bl_device_required_lanes(&gpu, 32), 32);
    cr_assert_eq(bl_device_required_lanes(&gpu, 64), 0);
    cr_assert_eq(bl_device_required_lanes(&gpu, 0), 0);
    cr_assert_eq(bl_device_required_lanes(&cpu, 16), 0);
    plan("local/6", (struct bl_shape){16, 1});
    cr_assert(strstr(item.own.build.options, "-DREQUIRED_SUB_GROUP_SIZE=16"));
}
