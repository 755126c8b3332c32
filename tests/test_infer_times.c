/* Times that an inference finds on simulated devices. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "device/sample.h"
#include "infer/inference.h"
#include "model/machine_file.h"
#include "simulated_target.h"

enum { DEVICES = 100 };

static struct simulated simulated;
static struct bl_findings findings;
static struct bl_error error;

static void forget(void) { bl_findings_free(&findings); }
TestSuite(infer_times, .fini = forget);

static void know(struct bl_inference *inference, const char *key, double value)
{
    bl_find_basis(bl_find(inference, key, value, 0.99), "earlier", "made up");
}

/* The stages of times alone, on a device of which all else was found already. */
static void infer_times(uint64_t seed, double noise)
{
    static bl_infer_stage *const stages[] = {bl_infer_requests, bl_infer_under_way,
                                             bl_infer_operations};
    struct bl_batch batch = {0};
    const struct bl_infer_settings settings = {.seed = seed};
    simulated_make(&simulated, seed, noise);
    const struct bl_target target = simulated_target(&simulated);
    const double clock = simulated.clock_ns / simulated.units;
    struct bl_inference inference = {.target = &target,
                                     .settings = &settings,
                                     .findings = &findings,
                                     .failure = &error,
                                     .batch = &batch,
                                     .random = seed,
                                     .noise = noise,
                                     .machine = simulated.machine,
                                     .has_lines = true,
                                     .has_local_rule = true,
                                     .unit_ns = {clock, clock, clock},
                                     .levels = simulated.cache_count + 1};
    bl_findings_free(&findings);
    for (unsigned level = 0; level < simulated.cache_count; level++)
        inference.level_bytes[level] = simulated.caches[level].bytes;
    know(&inference, "lanes", simulated.machine.lanes);
    know(&inference, "banks_serve_global", simulated.machine.banks_serve_global);
    know(&inference, "compute_units", simulated.units);
    know(&inference, "groups_per_unit", simulated.groups_per_unit);
    know(&inference, "memory_bytes_per_clock", simulated.memory_bytes_per_ns * clock);
    if (simulated.cache_count > 1)
        know(&inference, "l2_bytes_per_clock", simulated.caches[1].bytes_per_ns * clock);
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++)
        cr_assert_eq(stages[i](&inference), BL_OK, "seed %u: %s", (unsigned)seed, error.sentence);
    bl_batch_free(&batch);
}

static const struct expected {
    const char *key;
    unsigned least; /* devices of 100 on which it is found */
} keys[] = {
    {"conflict_ns", 30},
    {"further_pass_ns", 30},
    {"l2_further_line_ns", 30},
    {"l2_loaded_latency_ns", 10},
    {"l2_bytes_per_ns", 50},
    {"l2_unit_bytes_per_ns", 10},
    {"memory_further_line_ns", 90},
    {"memory_far_line_ns", 90},
    {"memory_loaded_latency_ns", 30},
    {"memory_bytes_per_ns", 90},
    {"memory_unit_bytes_per_ns", 10},
    {"store_then_load_ns", 90},
    {"store_then_load_line_ns", 90},
    {"unit_lines_in_flight", 10},
    {"sub_group_lines_in_flight", 10},
    {"local_latency_ns", 100},
    {"integer_ns", 100},
    {"float_ns", 100},
    {"launch_ns", 100},
    {"group_start_ns", 100},
    {"item_start_ns", 30},
};

enum { KEYS = sizeof keys / sizeof keys[0] };

static void check_times(double noise)
{
    unsigned found[KEYS] = {0}, right[KEYS] = {0};
    for (unsigned seed = 1; seed <= DEVICES; seed++) {
        infer_times(seed, noise);
        for (size_t i = 0; i < KEYS; i++) {
            const struct bl_finding *finding = bl_finding_of(&findings, keys[i].key);
            if (!finding || !finding->is_known)
                continue;
            const double truth = simulated_time_of(&simulated, keys[i].key);
            const bool is_right = fabs(finding->value / truth - 1) <= 0.05;
            found[i]++;
            right[i] += is_right;
            if (!is_right)
                printf("seed %u: %s is %g, and %g was found\n", seed, keys[i].key, truth,
                       finding->value);
        }
    }
    for (size_t i = 0; i < KEYS; i++) {
        printf("noise %.1f %%: %s: found %u, right %u\n", 100 * noise, keys[i].key, found[i],
               right[i]);
        cr_expect_geq(found[i], keys[i].least, "%s: %u", keys[i].key, found[i]);
        cr_expect_geq(right[i], 0.95 * found[i], "%s: %u of %u", keys[i].key, right[i], found[i]);
    }
}

Test(infer_times, times_of_100_devices_are_right_within_5_percent_without_noise) { check_times(0); }

Test(infer_times, times_of_100_devices_are_right_within_5_percent_with_1_percent_of_noise)
{
    check_times(0.01);
}
