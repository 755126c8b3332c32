/* Tests the latencies, rates and other times that an inference finds on simulated devices. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Adds a value as if an earlier stage of the inference had found it. */
static void know(struct bl_inference *inference, const char *key, double value)
{
    bl_find_basis(bl_find(inference, key, value, 0.99), "earlier", "made up");
}

/* Which findings of earlier stages are missing. By default, none is. */
static struct already {
    bool lacks_lanes, lacks_lines, lacks_units;
    unsigned levels; /* number of levels that were found; 0 for all levels of the device */
} already;

/* Changes the simulated device before its times are inferred; may be NULL. */
static void (*change)(void);

/* Runs only the stages that infer times. */
static void infer_times(uint64_t seed, double noise)
{
    static bl_infer_stage *const stages[] = {bl_infer_requests, bl_infer_under_way,
                                             bl_infer_operations};
    struct bl_batch batch = {0};
    const struct bl_infer_settings settings = {.seed = seed};
    simulated_make(&simulated, seed, noise);
    if (change)
        change();
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
                                     .has_lines = !already.lacks_lines,
                                     .has_local_rule = true,
                                     .unit_ns = {clock, clock, clock},
                                     .levels = already.levels ? already.levels
                                                              : simulated.cache_count + 1};
    bl_findings_free(&findings);
    for (unsigned level = 0; level < simulated.cache_count; level++)
        inference.level_bytes[level] = simulated.caches[level].bytes;
    if (!already.lacks_lanes)
        know(&inference, "lanes", simulated.machine.lanes);
    know(&inference, "banks_serve_global", simulated.machine.banks_serve_global);
    if (!already.lacks_units)
        know(&inference, "compute_units", simulated.units);
    know(&inference, "groups_per_unit", simulated.groups_per_unit);
    know(&inference, "clock_mhz", 1000 / simulated.clock_ns);
    know(&inference, "memory_bytes_per_clock", simulated.memory_bytes_per_ns * clock);
    if (simulated.cache_count > 1)
        know(&inference, "l2_bytes_per_clock", simulated.caches[1].bytes_per_ns * clock);
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++)
        cr_assert_eq(stages[i](&inference), BL_OK, "seed %u: %s", (unsigned)seed, error.sentence);
    bl_batch_free(&batch);
}

static const struct expected {
    const char *key;
    unsigned least; /* min number of the 100 devices on which the time must be found; some devices
                       do not have such a time */
} keys[] = {
    {"conflict_ns", 30},
    {"further_pass_ns", 30},
    {"l2_further_line_ns", 30},
    {"l2_loaded_latency_ns", 10},
    {"l2_bytes_per_ns", 50},
    {"l2_write_bytes_per_ns", 50},
    {"l2_unit_bytes_per_ns", 10},
    {"memory_further_line_ns", 90},
    {"memory_far_line_ns", 90},
    {"memory_loaded_latency_ns", 30},
    {"memory_bytes_per_ns", 90},
    {"memory_write_bytes_per_ns", 90},
    {"memory_unit_bytes_per_ns", 10},
    {"store_then_load_ns", 90},
    {"store_then_load_line_ns", 90},
    {"unit_lines_in_flight", 10},
    {"sub_group_lines_in_flight", 10},
    {"local_latency_ns", 100},
    {"integer_ns", 100},
    {"float_ns", 100},
    {"instructions_per_clock", 30},
    {"launch_ns", 100},
    {"queued_launch_ns", 60},
    {"enqueue_ns", 100},
    {"group_start_ns", 100},
    {"item_start_ns", 30},
};

enum { KEYS = sizeof keys / sizeof keys[0] };

static void check_times(double noise)
{
    unsigned found[KEYS] = {0}, right[KEYS] = {0}, held[KEYS] = {0};
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
            held[i] += finding->lo <= truth * (1 + 1e-9) && truth * (1 - 1e-9) <= finding->hi;
            if (!is_right)
                printf("seed %u: the true %s is %g, but %g was found\n", seed, keys[i].key, truth,
                       finding->value);
        }
    }
    for (size_t i = 0; i < KEYS; i++) {
        printf("noise %.1f %%: %s: found %u, right %u, in its interval %u\n", 100 * noise,
               keys[i].key, found[i], right[i], held[i]);
        cr_expect_geq(found[i], keys[i].least, "%s: found only %u", keys[i].key, found[i]);
        cr_expect_geq(right[i], 0.95 * found[i], "%s: %u of %u are right", keys[i].key, right[i],
                      found[i]);
        cr_expect_geq(held[i], 0.88 * found[i], "%s: %u of %u intervals contain the true value",
                      keys[i].key, held[i], found[i]);
    }
}

Test(infer_times, times_of_100_devices_are_right_within_5_percent_without_noise) { check_times(0); }

Test(infer_times, times_of_100_devices_are_right_within_5_percent_with_1_percent_of_noise)
{
    check_times(0.01);
}

/* Checks that a value is unknown, and returns the reason. */
static const char *why(const char *key)
{
    const struct bl_finding *finding = bl_finding_of(&findings, key);
    cr_assert_not_null(finding, "%s", key);
    cr_assert_not(finding->is_known, "%s = %g", key, finding->value);
    return finding->why;
}

/* For example, a CPU has no requests of several lanes. */
Test(infer_times, times_of_requests_are_unknown_if_lanes_lines_or_levels_are_unknown)
{
    static const char *const requests[] = {
        "conflict_ns",          "further_pass_ns",           "memory_further_line_ns",
        "memory_far_line_ns",   "store_then_load_ns",        "store_then_load_line_ns",
        "unit_lines_in_flight", "sub_group_lines_in_flight", "memory_loaded_latency_ns",
        "memory_bytes_per_ns",  "memory_unit_bytes_per_ns"};
    static const struct {
        struct already already;
        const char *why;
    } lacks[] = {{{.lacks_lanes = true}, "it is not known how many work-items a request has"},
                 {{.lacks_lines = true}, "the size of a line is not known"},
                 {{.levels = 1}, "the levels of memory are not known"}};
    for (size_t i = 0; i < sizeof lacks / sizeof lacks[0]; i++) {
        already = lacks[i].already;
        infer_times(3, 0.01);
        for (size_t k = 0; k < sizeof requests / sizeof requests[0]; k++)
            cr_assert_str_eq(why(requests[k]), lacks[i].why, "%s", requests[k]);
        cr_assert(bl_found(&findings, "integer_ns", 0) > 0);
        cr_assert(bl_found(&findings, "launch_ns", 0) > 0);
    }
}

Test(infer_times, values_per_unit_are_unknown_without_the_number_of_units)
{
    already.lacks_units = true;
    infer_times(3, 0.01);
    cr_assert_neq(why("memory_loaded_latency_ns")[0], '\0');
    cr_assert(bl_found(&findings, "memory_further_line_ns", 0) > 0);
}

Test(infer_times, every_time_has_evidence_or_a_reason_why_it_is_unknown)
{
    for (unsigned seed = 1; seed <= DEVICES; seed++) {
        infer_times(seed, 0.01);
        for (size_t i = 0; i < findings.count; i++) {
            const struct bl_finding *finding = &findings.all[i];
            bool has_points = false;
            if (strcmp(finding->basis, "made up") == 0 || strcmp(finding->key, "clock_mhz") == 0)
                continue;
            for (size_t k = 0; finding->sweep && k < findings.evidence_count; k++)
                has_points |= strcmp(findings.evidence[k].sweep, finding->sweep) == 0;
            cr_assert(finding->is_known ? has_points || strstr(finding->key, "bytes_per_ns")
                                        : finding->why[0] != '\0',
                      "seed %u: %s", seed, finding->key);
            cr_assert(!finding->is_known ||
                          (finding->lo <= finding->value && finding->value <= finding->hi),
                      "seed %u: %s", seed, finding->key);
        }
    }
}

Test(infer_times, the_machine_made_from_the_findings_has_their_times)
{
    infer_times(2, 0);
    const struct bl_machine machine = bl_machine_of(&findings, "own");
    cr_assert_float_eq(machine.launch_ns / simulated.times.launch_ns, 1, 0.01);
    cr_assert_float_eq(machine.group_start_ns / simulated.times.group_ns, 1, 0.01);
    cr_assert_float_eq(machine.integer_ns / simulated.times.chain_ns[BL_CHAIN_INTEGER], 1, 0.01);
    cr_assert_float_eq(machine.levels[BL_LEVEL_MEMORY].far_line_ns / simulated.times.far_line_ns, 1,
                       0.05);
    cr_assert_eq(machine.compute_units, simulated.units);
    for (size_t i = 0; i < KEYS; i++) {
        const struct bl_machine_field *field = bl_machine_field_named(keys[i].key);
        cr_assert_not_null(field, "%s", keys[i].key);
        cr_assert_eq(isfinite(bl_machine_value(&machine, field)),
                     bl_found(&findings, keys[i].key, 0) > 0, "%s", keys[i].key);
    }
}

/* Writes the inferred machine to a file and reads it back. */
static struct bl_machine written_and_read(void)
{
    char path[] = "/tmp/bankline-infer-times-XXXXXX";
    const struct bl_machine found = bl_machine_of(&findings, "own");
    struct bl_machine machine;
    FILE *file = fdopen(mkstemp(path), "w");
    cr_assert_not_null(file);
    bl_machine_print(file, &found);
    fclose(file);
    const enum bl_status status = bl_machine_read(path, &machine, &error);
    unlink(path);
    cr_assert_eq(status, BL_OK, "%s", error.sentence);
    return machine;
}

Test(infer_times, a_machine_file_has_the_times_of_queued_launches)
{
    infer_times(2, 0);
    const struct simulated_times *times = &simulated.times;
    cr_assert_lt(times->queued_ns, times->launch_ns);
    const struct bl_machine machine = written_and_read();
    cr_assert_float_eq(machine.queued_launch_ns / times->queued_ns, 1, 0.01);
    cr_assert_float_eq(machine.enqueue_ns / times->enqueue_ns, 1, 0.01);
}

static void wait_longer(void) { simulated.times.queued_ns = 1.3 * simulated.times.launch_ns; }

/* In a machine file, queued_launch_ns must be smaller than launch_ns. */
Test(infer_times, the_time_of_a_queued_launch_is_unknown_if_it_is_not_shorter_than_a_launch)
{
    change = wait_longer;
    infer_times(2, 0.01);
    cr_assert_str_eq(why("queued_launch_ns"),
                     "launches queued behind another take no less time than a single launch");
    cr_assert_gt(bl_found(&findings, "enqueue_ns", 0), 0);
    cr_assert_eq(written_and_read().queued_launch_ns, 0);
}

static void never_keep_busy(void) { simulated.is_never_busy = true; }

Test(infer_times, other_times_are_found_if_no_launch_keeps_the_device_busy)
{
    change = never_keep_busy;
    infer_times(2, 0.01);
    cr_assert_str_eq(why("queued_launch_ns"), why("enqueue_ns"));
    cr_assert_gt(bl_found(&findings, "launch_ns", 0), 0);
}

static void stop_clocks(void) { simulated.times.queued_ns = simulated.times.enqueue_ns = 0; }

Test(infer_times, times_too_short_for_a_clock_are_unknown)
{
    change = stop_clocks;
    infer_times(2, 0.01);
    cr_assert_not_null(strstr(why("queued_launch_ns"), "the device's clock"));
    cr_assert_not_null(strstr(why("enqueue_ns"), "the host's clock"));
}

/* A simulated probe is one sample, which takes at most about 1 ms on a GPU. So 4510 probes
 * take about 5 s there. */
Test(infer_times, all_times_are_found_with_at_most_4510_probes)
{
    for (unsigned seed = 1; seed <= DEVICES; seed++) {
        infer_times(seed, 0.02);
        cr_assert_leq(simulated.probes, 41 * 110, "seed %u: %u probes", seed, simulated.probes);
    }
}

/* The inference launches groups of several sub-groups to find how many sub-groups a compute unit
 * can hold. */
Test(infer_times, the_number_of_sub_groups_per_compute_unit_is_found)
{
    unsigned found = 0, right = 0;
    for (unsigned seed = 1; seed <= DEVICES; seed++) {
        struct bl_batch batch = {0};
        const struct bl_infer_settings settings = {.seed = seed};
        simulated_make(&simulated, seed, 0.01);
        const struct bl_target target = simulated_target(&simulated);
        struct bl_inference inference = {.target = &target,
                                         .settings = &settings,
                                         .findings = &findings,
                                         .failure = &error,
                                         .batch = &batch};
        bl_findings_free(&findings);
        know(&inference, "lanes", simulated.machine.lanes);
        cr_assert_eq(bl_infer_occupancy(&inference), BL_OK, "%s", error.sentence);
        const struct bl_finding *finding = bl_finding_of(&findings, "sub_groups_per_unit");
        cr_assert_not_null(finding);
        if (!finding->is_known)
            continue;
        const double truth = simulated_time_of(&simulated, "sub_groups_per_unit");
        found++;
        right += finding->lo <= truth && truth <= finding->hi &&
                 fabs(finding->value / truth - 1) <= 0.05;
    }
    printf("sub_groups_per_unit: found %u, right %u\n", found, right);
    cr_assert_geq(found, 50);
    cr_assert_geq(right, 0.95 * found, "%u of %u are right", right, found);
}

/* Whether the machine has all values that a prediction of a kernel's time needs. */
static bool is_whole(const struct bl_machine *machine)
{
    const struct bl_level *l2 = &machine->levels[0], *memory = &machine->levels[BL_LEVEL_MEMORY];
    return machine->clock_mhz > 0 && machine->integer_ns > 0 && machine->float_ns > 0 &&
           machine->cache_latency_ns > 0 && machine->cache_bytes > 0 && l2->kib > 0 &&
           l2->latency_ns > 0 && l2->bytes_per_ns > 0 && l2->unit_bytes_per_ns > 0 &&
           l2->write_bytes_per_ns > 0 && memory->latency_ns > 0 && memory->bytes_per_ns > 0 &&
           machine->local_latency_ns > 0 && machine->barrier_ns > 0 && machine->launch_ns > 0 &&
           machine->group_start_ns > 0 && machine->compute_units > 0 &&
           machine->groups_per_unit > 0 && machine->sub_groups_per_unit > 0 &&
           machine->local_bytes_per_unit > 0;
}

/* The devices are like today's GPUs: at most 32 lanes, and a second cache that is much larger than
 * the first. */
Test(infer_times, a_device_like_todays_gpus_is_known_well_enough_to_predict_times)
{
    const unsigned wanted = sample_count(6, 3);
    unsigned devices = 0, whole = 0;
    for (unsigned seed = 1; devices < wanted; seed++) {
        simulated_make(&simulated, seed, 0.005);
        if (simulated.cache_count < 2 || simulated.machine.lanes > 32 ||
            simulated.caches[1].bytes < 24 * simulated.caches[0].bytes)
            continue;
        bl_findings_free(&findings);
        cr_assert_eq(simulated_infer(&simulated, &findings, &error), BL_OK, "%s", error.sentence);
        const struct bl_machine machine = bl_machine_of(&findings, "own");
        devices++;
        whole += is_whole(&machine);
    }
    cr_assert_geq(whole + 1, wanted, "%u of %u devices are known well enough", whole, devices);
}

/* The stages that infer_times runs do not find these times, so this test makes whole inferences. */
Test(infer_times, latencies_barriers_and_clocks_are_right_within_5_percent)
{
    static const char *const of_others[] = {"cache_latency_ns", "l2_latency_ns",
                                            "memory_latency_ns", "barrier_ns", "clock_mhz"};
    enum { OTHERS = sizeof of_others / sizeof of_others[0] };
    unsigned found[OTHERS] = {0}, right[OTHERS] = {0};
    struct sample sample = sample_of("machines");
    for (unsigned seed = 1; seed <= DEVICES; seed++) {
        if (!sample_takes(&sample, false))
            continue;
        simulated_make(&simulated, seed, 0.01);
        bl_findings_free(&findings);
        cr_assert_eq(simulated_infer(&simulated, &findings, &error), BL_OK, "%s", error.sentence);
        const double page = simulated.page_reach_bytes > 0 ? SIMULATED_PAGE_MISS : 1;
        const double truths[OTHERS] = {
            simulated.caches[0].latency_ns, simulated.caches[1].latency_ns,
            simulated.memory_latency_ns * page, simulated.barrier_ns, 1000 / simulated.clock_ns};
        for (size_t i = 0; i < OTHERS; i++) {
            const struct bl_finding *finding = bl_finding_of(&findings, of_others[i]);
            if (!finding || !finding->is_known)
                continue;
            found[i]++;
            right[i] += fabs(finding->value / truths[i] - 1) <= 0.05;
        }
    }
    cr_assert(sample_is_enough(&sample, DEVICES), "%zu", sample.taken);
    for (size_t i = 0; i < OTHERS; i++) {
        printf("%s: found %u, right %u\n", of_others[i], found[i], right[i]);
        cr_expect_geq(right[i], 0.95 * found[i], "%s: %u of %u", of_others[i], right[i], found[i]);
    }
}
