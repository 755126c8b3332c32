/* A machine with round times, and the simulated times of launches on it, computed from streams that
 * a test makes. */
#ifndef TESTS_TIME_BY_HAND_H
#define TESTS_TIME_BY_HAND_H

#include <criterion/criterion.h>

#include "model/time.h"

/* Returns a machine with round times, on which a clock takes 1 ns. */
static inline struct bl_machine machine_of_round_times(void)
{
    const struct bl_machine *hopper;
    cr_assert_eq(bl_machine_find("nvidia-hopper", &hopper, NULL), BL_OK);
    struct bl_machine machine = *hopper;
    machine.clock_mhz = 1000;
    machine.compute_units = 132;
    machine.launch_ns = 5000;
    machine.group_start_ns = 0.5; /* if all units have groups, each starts a group every 66 ns */
    machine.item_start_ns = 1e-6; /* a group's first instruction waits for 0.27 ns */
    machine.cache_latency_ns = 20;
    machine.local_latency_ns = 15;
    machine.conflict_ns = 10;
    machine.further_pass_ns = 2;
    machine.integer_ns = machine.float_ns = 2;
    machine.barrier_ns = 25;
    machine.barrier_more_percent = 10;
    machine.levels[0].latency_ns = 100;
    machine.levels[0].further_line_ns = machine.levels[0].far_line_ns = 1;
    machine.levels[BL_LEVEL_MEMORY].latency_ns = 300;
    machine.levels[BL_LEVEL_MEMORY].loaded_latency_ns = 0;
    machine.levels[BL_LEVEL_MEMORY].write_delay_ns = 0;
    machine.levels[BL_LEVEL_MEMORY].further_line_ns = 3;
    return machine;
}

/* The time from a group's start to its first instruction. */
static inline double fill_ns(const struct bl_machine *machine)
{
    return machine->compute_units * machine->item_start_ns * 32 * 64;
}

static const double after_wait_ns = 6; /* after a wait, a sub-group executes three instructions
                                          of 2 ns */

/* The streams of each group, one for each sub-group; and whether L2 holds all data. */
struct made {
    struct bl_time_stream streams[BL_TIME_MAX_SUB_GROUPS];
    bool is_in_l2;
};

static inline void give(void *context, size_t index, struct bl_time_group *group)
{
    const struct made *made = context;
    (void)index;
    group->streams = made->streams;
    group->sub_groups = 0;
    while (group->sub_groups < BL_TIME_MAX_SUB_GROUPS && made->streams[group->sub_groups].ops)
        group->sub_groups++;
}

static inline bool has(void *context, uint64_t address, size_t wave)
{
    (void)address;
    (void)wave;
    return ((const struct made *)context)->is_in_l2;
}

static inline struct bl_time_result time_groups(const struct bl_machine *machine,
                                                const struct made *made, size_t groups,
                                                unsigned local_bytes)
{
    struct bl_time_group group;
    give((void *)(uintptr_t)made, 0, &group);
    const struct bl_time_launch launch = {
        .group = give,
        .is_in_l2 = has,
        .context = (void *)(uintptr_t)made,
        .groups = groups,
        .group_items = 32 * group.sub_groups,
        .sub_groups = group.sub_groups,
        .local_bytes = local_bytes,
        .more = 1,
        .max_ops = 1000000,
    };
    struct bl_time_result result;
    cr_assert_eq(bl_time_of(machine, &launch, &result, NULL), BL_OK);
    double sum = 0;
    for (unsigned i = 0; i < BL_LIMITS; i++) {
        cr_expect_geq(result.shares[i], 0, "%s", bl_time_limit_name((enum bl_time_limit)i));
        sum += result.shares[i];
    }
    cr_expect_float_eq(sum, 1, 1e-9, "shares add up");
    return result;
}

/* The time of a launch of one group, from the group's first instruction on. */
static inline double time_of(const struct bl_machine *machine, const struct made *made)
{
    return time_groups(machine, made, 1, 0).ns - machine->launch_ns - fill_ns(machine);
}

#define EXPECT_NS(is, expected) cr_expect_float_eq(is, expected, 1e-6, "%g, not %g", is, expected)

#define LOAD(at, sectors)                                                                          \
    {                                                                                              \
        .kind = BL_TIME_LOAD, .tags = 1, .banks = 1, .lines = 1, .first = (at), .count = (sectors) \
    }
#define WAIT(back)                            \
    {                                         \
        .kind = BL_TIME_WAIT, .count = (back) \
    }
#define STREAM(all, touched)                                                  \
    {                                                                         \
        .ops = all, .count = sizeof(all) / sizeof(all)[0], .sectors = touched \
    }

#endif
