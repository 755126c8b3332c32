/* Inference on simulated devices. Tests which values are found, which stay unknown, and which
 * failures end the inference early. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/sample.h"
#include "model/machine_file.h"
#include "simulated_target.h"

enum { MACHINES = 60 }; /* number of simulated devices, which all differ */

static struct simulated simulated;
static struct bl_findings findings;
static struct bl_error error;

static void forget(void) { bl_findings_free(&findings); }
TestSuite(infer, .fini = forget);

/* Infers the simulated device again. */
static enum bl_status infer(void)
{
    bl_findings_free(&findings);
    error = (struct bl_error){0};
    return simulated_infer(&simulated, &findings, &error);
}

/* Infers a sample of the simulated devices, and adds up how many values are right. */
static struct simulated_score infer_many(double noise)
{
    struct simulated_score sum = {0};
    struct sample sample = sample_of("machines");
    for (unsigned seed = 1; seed <= MACHINES; seed++) {
        if (!sample_takes(&sample, false))
            continue;
        simulated_make(&simulated, seed, noise);
        cr_assert_eq(infer(), BL_OK, "seed %u: %s", seed, error.sentence);
        const struct simulated_score score = simulated_compare(&simulated, &findings);
        simulated_add(&sum, &score);
    }
    cr_assert(sample_is_enough(&sample, MACHINES), "%zu", sample.taken);
    return sum;
}

Test(infer, values_of_60_machines_are_right_without_noise)
{
    const struct simulated_score score = infer_many(0);
    cr_assert_geq(score.right, 0.98 * score.discrete, "%u of %u are right", score.right,
                  score.discrete);
    cr_assert_geq(score.held, 0.93 * score.intervals, "%u of %u intervals contain the true value",
                  score.held, score.intervals);
}

Test(infer, values_of_60_machines_are_right_with_2_percent_of_noise)
{
    const struct simulated_score score = infer_many(0.02);
    cr_assert_geq(score.right, 0.98 * score.discrete, "%u of %u are right", score.right,
                  score.discrete);
    cr_assert_geq(score.held, 0.91 * score.intervals, "%u of %u intervals contain the true value",
                  score.held, score.intervals);
}

static const struct bl_finding *need(const char *key)
{
    const struct bl_finding *finding = bl_finding_of(&findings, key);
    cr_assert_not_null(finding, "%s", key);
    return finding;
}

Test(infer, all_rules_are_unknown_if_the_devices_times_follow_no_rule)
{
    simulated_make(&simulated, 7, 0.02);
    simulated.follows_no_rule = true;
    cr_assert_eq(infer(), BL_OK, "%s", error.sentence);
    static const char *const keys[] = {
        "lanes",     "banks",     "bank_bytes",         "line_bytes",
        "tag_banks", "tag_masks", "banks_serve_global", "widest_bytes"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const struct bl_finding *finding = need(keys[i]);
        cr_assert_not(finding->is_known, "%s = %g", keys[i], finding->value);
        cr_assert_neq(finding->why[0], '\0', "%s has no reason", keys[i]);
    }
    const struct bl_machine machine = bl_machine_of(&findings, "none");
    cr_assert_not(machine.has_rule);
    cr_assert_neq(machine.why_no_rule[0], '\0');
}

Test(infer, the_message_about_a_noisy_device_says_what_to_do)
{
    simulated_make(&simulated, 7, 0.8);
    cr_assert_eq(infer(), BL_BAD_CLOCK);
    cr_assert_not_null(strstr(error.sentence, "try again"), "%s", error.sentence);
    cr_assert_eq(findings.count, 0);
}

Test(infer, findings_before_an_interruption_are_kept)
{
    simulated_make(&simulated, 3, 0.01);
    simulated.interrupt_at = 3000;
    cr_assert_eq(infer(), BL_INTERRUPTED);
    cr_assert(need("lanes")->is_known);
    cr_assert_gt(findings.evidence_count, 50);
    cr_assert_gt(findings.count, 35, "the unknown values are listed");
    cr_assert_str_eq(need("clock_mhz")->why, "the inference ended before this was measured");
}

static bool has_evidence(const char *sweep)
{
    for (size_t i = 0; i < findings.evidence_count; i++)
        if (sweep && strcmp(findings.evidence[i].sweep, sweep) == 0)
            return true;
    return false;
}

Test(infer, every_known_value_has_evidence)
{
    simulated_make(&simulated, 4, 0.01);
    cr_assert_eq(infer(), BL_OK);
    for (size_t i = 0; i < findings.count; i++) {
        const struct bl_finding *finding = &findings.all[i];
        cr_assert_eq(bl_finding_of(&findings, finding->key), finding, "%s occurs twice",
                     finding->key);
        if (!finding->is_known)
            continue;
        cr_assert(has_evidence(finding->sweep), "%s: %s", finding->key, finding->sweep);
        cr_assert_neq(finding->basis[0], '\0', "%s", finding->key);
        cr_assert(finding->confidence >= 0.9 && finding->confidence < 1, "%s", finding->key);
        if (finding->kind == BL_FOUND_AMOUNT)
            cr_assert(finding->lo <= finding->value && finding->value <= finding->hi, "%s",
                      finding->key);
    }
}

Test(infer, the_same_seed_gives_the_same_findings)
{
    double latencies[2];
    for (int i = 0; i < 2; i++) {
        simulated_make(&simulated, 11, 0.03);
        cr_assert_eq(infer(), BL_OK);
        latencies[i] = need("cache_latency_ns")->value;
    }
    cr_assert_eq(latencies[0], latencies[1]);
}

Test(infer, the_machine_made_from_the_findings_predicts_the_device)
{
    simulated_make(&simulated, 5, 0);
    cr_assert_eq(infer(), BL_OK);
    const struct bl_machine machine = bl_machine_of(&findings, "own"), *truth = &simulated.machine;
    cr_assert(machine.has_rule);
    cr_assert_str_eq(machine.name, "own");
    cr_assert_eq(machine.lanes, truth->lanes);
    cr_assert_eq(machine.banks, truth->banks);
    cr_assert_eq(machine.bank_bytes, truth->bank_bytes);
    cr_assert_eq(machine.line_bytes, truth->line_bytes);
    cr_assert_eq(machine.lines_per_clock, truth->lines_per_clock);
    cr_assert_float_eq((double)machine.cache_bytes / truth->cache_bytes, 1, 0.05);
    cr_assert_eq(machine.device_type, BL_FOR_NONE, "the machine is never chosen automatically");
}

/* Marks the fields in which the machine made from the findings differs from a machine about which
 * nothing is known. */
static void mark_filled_in(bool is_filled_in[])
{
    const struct bl_machine start = bl_machine_start(), machine = bl_machine_of(&findings, "own");
    for (size_t i = 0; i < bl_machine_field_count; i++) {
        const struct bl_machine_field *field = &bl_machine_fields[i];
        is_filled_in[i] |= memcmp((const char *)&machine + field->offset,
                                  (const char *)&start + field->offset, field->size) != 0;
    }
}

/* Gives the simulated device, which has two caches, a third one, and times as if it were made with
 * it. */
static void add_cache(void)
{
    struct simulated_cache *caches = simulated.caches;
    caches[2] = caches[1];
    caches[2].bytes = 16 * caches[1].bytes;
    caches[2].latency_ns = sqrt(caches[1].latency_ns * simulated.memory_latency_ns);
    caches[2].bytes_per_ns = sqrt(caches[1].bytes_per_ns * simulated.memory_bytes_per_ns);
    simulated.times.line_ns[3] = simulated.times.line_ns[2];
    simulated.cache_count = 3;
}

Test(infer, the_fields_that_are_filled_in_are_those_that_the_table_of_fields_marks)
{
    bool is_filled_in[BL_MAX_MACHINE_FIELDS] = {false};
    for (unsigned seed = 1; seed <= 12; seed++) {
        simulated_make(&simulated, seed, 0);
        simulated.follows_no_rule = seed == 12; /* this machine says why it has no rule */
        if (simulated.cache_count == 2)
            add_cache();
        else
            simulated.write_lanes = 2 * simulated.machine.lanes;
        simulated.machine.widest_bytes = seed % 2 ? 16 : 8;
        cr_assert_eq(infer(), BL_OK, "seed %u: %s", seed, error.sentence);
        mark_filled_in(is_filled_in);
    }
    for (size_t i = 0; i < bl_machine_field_count; i++)
        cr_expect_eq(is_filled_in[i], (bl_machine_fields[i].flags & BL_FIELD_INFERRED) != 0, "%s",
                     bl_machine_fields[i].key);
}

Test(infer, a_stage_in_which_a_probe_fails_is_tried_again)
{
    const unsigned step = 8750 / sample_count(26, 6);
    for (unsigned fail_at = 250; fail_at < 9000; fail_at += step) {
        simulated_make(&simulated, 1 + fail_at % 7, 0.01);
        simulated.fail_at = fail_at;
        simulated.fail_count = 1;
        cr_assert_eq(infer(), BL_OK, "probe %u: %s", fail_at, error.sentence);
        const struct simulated_score score = simulated_compare(&simulated, &findings);
        cr_assert_str_eq(findings.failed, "", "probe %u", fail_at);
        cr_assert(score.stated + 6 >= score.discrete, "probe %u: %u of %u values were found",
                  fail_at, score.stated, score.discrete);
    }
}

Test(infer, a_stage_that_fails_again_is_left_out_and_reported)
{
    simulated_make(&simulated, 3, 0.01);
    simulated.no_chains = true;
    cr_assert_eq(infer(), BL_OK, "%s", error.sentence);
    cr_assert_str_eq(findings.failed, "levels of memory: no such kernel");
    cr_assert(need("lanes")->is_known);
    cr_assert_not(need("cache_bytes")->is_known);
}

Test(infer, an_inference_that_cannot_continue_ends_with_a_reason)
{
    const unsigned step = 8960 / sample_count(43, 8);
    for (unsigned fail_at = 40; fail_at < 9000; fail_at += step) {
        simulated_make(&simulated, 1 + fail_at % 5, 0.01);
        simulated.fail_at = fail_at;
        simulated.fail_count = 1;
        simulated.no_memory = true;
        const enum bl_status status = infer();
        cr_assert_eq(status, simulated.probes < fail_at ? BL_OK : BL_NO_MEMORY, "probe %u",
                     fail_at);
    }
}

Test(infer, nothing_is_inferred_from_a_device_that_stops_working)
{
    simulated_make(&simulated, 2, 0.01);
    simulated.fail_at = 201;
    simulated.fail_count = 1u << 30;
    cr_assert_eq(infer(), BL_OPENCL_FAILED);
    cr_assert_str_eq(error.sentence, "lanes and banks: no probe");
}

Test(infer, a_quick_inference_finds_the_lanes_in_spite_of_6_percent_of_noise)
{
    simulated_make(&simulated, 6, 0.06);
    const struct bl_target target = simulated_target(&simulated);
    const struct bl_infer_settings settings = {.quick = true, .seed = 9};
    cr_assert_eq(bl_infer(&target, &settings, &findings, &error), BL_OK, "%s", error.sentence);
    cr_assert(need("lanes")->is_known);
}

static unsigned told_after; /* number of probes before the report that the device is busy */

static void take_busy(void *context, const char *sentence)
{
    cr_assert_null(context);
    cr_assert_eq(told_after, 0, "reported twice");
    cr_assert(strstr(sentence, "the device looks busy"), "%s", sentence);
    told_after = simulated.probes;
}

/* Infers a device with this noise. Returns the number of probes before the report that the device
 * is busy; 0 if there was no report. */
static unsigned busy_with(double noise, enum bl_status expected)
{
    simulated_make(&simulated, 6, noise);
    const struct bl_target target = simulated_target(&simulated);
    const struct bl_infer_settings settings = {.quick = true, .seed = 9, .is_busy = take_busy};
    told_after = 0;
    bl_findings_free(&findings);
    cr_assert_eq(bl_infer(&target, &settings, &findings, &error), expected, "%s", error.sentence);
    return told_after;
}

Test(infer, a_busy_device_is_reported_long_before_the_inference_gives_up)
{
    const unsigned after = busy_with(3, BL_BAD_CLOCK);
    cr_assert_gt(after, 0);
    cr_assert_leq(10 * after, simulated.probes, "reported after %u of %u probes", after,
                  simulated.probes);
    cr_assert_eq(busy_with(0.06, BL_OK), 0);
}
