/* The model assumes requests with as many lanes as the machine has. A driver may run a kernel in
 * other sub-groups; then the cost is computed for those, or removed if there is no rule. */
#include "run/sub_groups.h"

#include <math.h>

#include "report/row.h"
#include "run/case.h"

/* Computes the workload's cost and number of requests as on a machine with this many lanes. An
 * expression is charged by its known starts, at the array's last address. */
static bool charge_in_lanes(struct bl_workload *workload, const struct bl_machine *machine,
                            unsigned lanes)
{
    const struct bl_replicas *replicas = &workload->replicas;
    struct bl_launch *launch = &workload->launch;
    struct bl_machine narrower = *machine;
    narrower.lanes = lanes;
    struct bl_setting setting = workload->setting;
    setting.machine = &narrower;
    if (!setting.test_case->lay_out) {
        if (!replicas->starts || workload->level || !isfinite(workload->cost.clocks))
            return false;
        const double planned = (double)bl_launch_requests(launch);
        launch->lanes = lanes;
        workload->work.requests *= (double)bl_launch_requests(launch) / planned;
        bl_lay_out_cost(workload, &narrower, replicas->starts,
                        replicas->start_count / bl_launch_group_items(launch));
        return true;
    }
    struct bl_workload again;
    setting.test_case->lay_out(&setting, &again);
    if (again.status != BL_ROW_OK)
        return false;
    launch->lanes = again.launch.lanes;
    workload->cost = again.cost;
    workload->work.requests = again.work.requests * workload->work.units / again.work.units;
    workload->work.bytes_per_delivered = again.work.bytes_per_delivered;
    return true;
}

/* The lanes of the group's requests, or 0 if they are as planned. */
static size_t other_lanes(const struct bl_launch *launch, size_t sub_group_size)
{
    const size_t items = bl_launch_group_items(launch);
    const size_t lanes = sub_group_size < items ? sub_group_size : items;
    return lanes == launch->lanes ? 0 : lanes;
}

/* Adapts one workload; returns whether its requests differ from the plan. */
static bool adapt(struct bl_workload *workload, const struct bl_machine *machine, size_t lanes)
{
    if (lanes % workload->launch.lanes == 0 || !machine->has_rule)
        return false;
    if (lanes < workload->launch.lanes && charge_in_lanes(workload, machine, (unsigned)lanes))
        return true;
    if (workload->level) /* the note is about the planned requests */
        workload->note[0] = '\0';
    workload->cost = (struct bl_mean_cost){
        NAN, NAN, NAN, NAN, NAN, .why_none = "the model has no rule for such sub-groups"};
    return true;
}

bool bl_item_in_sub_groups(struct bl_plan_item *item, const struct bl_machine *machine,
                           const struct bl_sub_group_sizes *sizes)
{
    const size_t own = other_lanes(&item->own.launch, sizes->own);
    const size_t baseline = other_lanes(&item->baseline.launch, sizes->baseline);
    if (!own && !baseline)
        return false;
    const bool own_differs = adapt(&item->own, machine, own);
    const bool baseline_differs = adapt(&item->baseline, machine, baseline);
    char *note = item->own.note;
    if (own)
        bl_add_note(note, "the driver runs it in sub-groups of %zu, but the machine has %u lanes",
                    sizes->own, machine->lanes);
    if (baseline && sizes->baseline != sizes->own)
        bl_add_note(note, "the driver runs its baseline in sub-groups of %zu", sizes->baseline);
    if (own_differs || baseline_differs) {
        item->claim = NAN;
        item->alternative_count = 0; /* they were predicted for other requests */
    }
    return true;
}
