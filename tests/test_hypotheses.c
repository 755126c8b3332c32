/* Inference with a machine that lists hypotheses about its banks. Tests whether the right
 * hypothesis is found, how few measurements are enough, and how certain the result is. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/sample.h"
#include "infer/inference.h"
#include "simulated_target.h"

enum { DEVICES = 100 }; /* devices per hypothesis, if a test takes all of its samples */
enum { HYPOTHESES = 6 };

static struct simulated simulated;
static struct bl_findings findings;
static struct bl_error error;
static const struct bl_machine *machine;

static void choose_machine(void)
{
    cr_assert_eq(bl_machine_find("intel-xe-hpg", &machine, &error), BL_OK);
    cr_assert_eq(bl_machine_alternatives(machine), HYPOTHESES);
}

static void forget(void) { bl_findings_free(&findings); }
TestSuite(hypotheses, .init = choose_machine, .fini = forget);

static enum bl_status infer(void)
{
    bl_findings_free(&findings);
    error = (struct bl_error){0};
    return simulated_infer(&simulated, &findings, &error);
}

static double found(const char *key) { return bl_found(&findings, key, NAN); }

/* The probability of the hypothesis with this name, such as "65x8". */
static double probability_of(const char *name)
{
    for (unsigned h = 0; h < findings.hypothesis_count; h++) {
        char own[32];
        snprintf(own, sizeof own, "%ux%u", findings.hypotheses[h].banks.count,
                 findings.hypotheses[h].banks.bytes);
        if (strcmp(own, name) == 0)
            return findings.hypotheses[h].probability;
    }
    return NAN;
}

static uint64_t first_seed(void)
{
    const char *given = getenv("BANKLINE_TEST_SEED");
    const uint64_t seed = given ? strtoull(given, NULL, 10) : 1;
    fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
    return seed;
}

Test(hypotheses, the_right_hypothesis_is_the_most_probable_on_99_percent_of_devices)
{
    struct simulated_weighing sum = {0};
    const uint64_t seed = first_seed();
    const unsigned devices = sample_count(DEVICES, 5);
    for (unsigned h = 0; h < HYPOTHESES; h++)
        for (unsigned d = 0; d < devices; d++)
            simulated_weigh(machine, h, seed + h * DEVICES + d, 0.05, false, &sum);
    simulated_print_weighing(stderr, "all", &sum);
    cr_assert_eq(sum.devices, HYPOTHESES * devices);
    cr_assert(simulated_weighing_is_good(&sum));
    cr_assert_geq(sum.sure, 0.98 * sum.devices, "certainty reaches 99 %% on only %u devices",
                  sum.sure);
    cr_assert_leq(2 * sum.points, sum.max_points, "at least half of the measurements are saved");
}

Test(hypotheses, no_hypothesis_is_likely_if_times_follow_no_rule)
{
    simulated_make(&simulated, 7, 0.02);
    simulated.follows_no_rule = true;
    simulated.hypotheses = machine;
    cr_assert_eq(infer(), BL_OK, "%s", error.sentence);
    cr_assert_eq(findings.hypothesis_count, HYPOTHESES);
    cr_assert_eq(findings.points, findings.max_points,
                 "all points are measured if a doubt remains");
    cr_assert_gt(findings.other_probability, 0.99);
    cr_assert(isnan(found("banks")));
}

/* All requests take the same time, as on a CPU. If a request had few lanes and a high minimum cost,
 * such times would fit any number of banks. */
Test(hypotheses, no_hypothesis_is_likely_if_banks_make_no_difference)
{
    simulated_make(&simulated, 7, 0.02);
    simulated.is_flat = true;
    simulated.hypotheses = machine;
    cr_assert_eq(infer(), BL_OK, "%s", error.sentence);
    cr_assert_gt(findings.other_probability, 0.9);
    const struct bl_finding *banks = bl_finding_of(&findings, "banks");
    cr_assert_not(banks->is_known);
    cr_assert_not_null(strstr(banks->why, "take the same time, so no banks"), "%s", banks->why);
}

Test(hypotheses, banks_that_are_not_among_the_hypotheses_are_found)
{
    static const struct bl_banks others[] = {{8, 4}, {128, 4}, {16, 8}, {33, 4}, {96, 8}, {32, 16}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        simulated_make_banks(&simulated, 40 + i, 0.03, &others[i]);
        simulated.machine.lanes = 32;
        simulated.broadcasts = true;
        simulated.hypotheses = machine;
        cr_assert_eq(infer(), BL_OK, "%s", error.sentence);
        cr_assert_eq(found("banks"), others[i].count, "%ux%u", others[i].count, others[i].bytes);
        cr_assert_eq(found("bank_bytes"), others[i].bytes, "%u", others[i].count);
        cr_assert_gt(findings.other_probability, 0.99, "%u", others[i].count);
    }
}

/* A simulated Hopper is inferred with an Intel machine, one of whose hypotheses is 32 banks of 4
 * bytes. */
Test(hypotheses, a_simulated_hopper_has_32_banks_of_4_bytes)
{
    const struct bl_machine *hopper;
    cr_assert_eq(bl_machine_find("nvidia-hopper", &hopper, &error), BL_OK);
    simulated_make(&simulated, 12, 0.05);
    simulated.machine = *hopper;
    simulated.broadcasts = simulated.merges_writes = true;
    simulated.hypotheses = machine;
    cr_assert_eq(infer(), BL_OK, "%s", error.sentence);
    cr_assert_gt(probability_of("32x4"), 0.999);
    cr_assert_eq(found("banks"), 32);
    cr_assert_eq(found("lanes"), 32);
    cr_assert_lt(findings.points, findings.max_points);
    const struct bl_finding *masks = bl_finding_of(&findings, "tag_masks");
    cr_assert(masks->is_known && bl_same_bank_hash(masks, hopper));
}

/* The points that an inference measured on an H200. places: for each work-item, the byte of local
 * memory that it reads; clocks: the measured time. */
enum { MAX_RECORDED = 64 };
static struct {
    uint64_t places[BL_TABLE_ITEMS];
    double clocks;
} recorded[MAX_RECORDED];
static unsigned recorded_count;

/* Computes the places of a recorded point from its name. Random places follow from the seed. */
static void place(struct bl_inference *random, const char *point, uint64_t places[BL_TABLE_ITEMS])
{
    static const unsigned ranges[] = {64, 256, 1024, 4096};
    unsigned number = 0;
    const bool is_stride = sscanf(point, "stride %u", &number) == 1;
    const bool is_random = sscanf(point, "random %u", &number) == 1;
    if (!is_stride && !is_random)
        cr_assert_eq(sscanf(point, "%u share", &number), 1, "%s", point);
    for (unsigned i = 0; i < BL_TABLE_ITEMS; i++)
        places[i] = is_stride   ? i * number * 4 % BL_TILE_BYTES
                    : is_random ? 4 * bl_infer_random(random, ranges[number % 4])
                                : i / number * 512;
}

/* Loads the times that an inference recorded, and returns its seed. run: number of the file. */
static uint64_t load_recorded(unsigned run)
{
    char path[4096], line[1024];
    snprintf(path, sizeof path, "%s/results/machines/nvidia-h200-%u.csv", getenv("BANKLINE_SOURCE"),
             run);
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    struct bl_inference random = {0};
    uint64_t first = 0;
    recorded_count = 0;
    while (fgets(line, sizeof line, file)) {
        static const char wanted[] = ",point,,,,,clocks,,local-reads,";
        const char *found_at = strstr(line, wanted);
        unsigned long long seed;
        char point[64];
        double x;
        if (!found_at)
            continue;
        cr_assert_eq(sscanf(line, "1,%*[^,],%*[^,],%*[^,],%*[^,],%llu", &seed), 1, "%s", line);
        if (!first)
            first = random.random = seed;
        cr_assert_eq(sscanf(found_at + strlen(wanted), "%63[^,]", point), 1, "%s", line);
        const char *after = found_at + strlen(wanted) + strlen(point);
        cr_assert_lt(recorded_count, MAX_RECORDED);
        cr_assert(sscanf(after, ",,%lf", &recorded[recorded_count].clocks) == 1 ||
                      sscanf(after, ",%lf,%lf", &x, &recorded[recorded_count].clocks) == 2,
                  "%s", line);
        place(&random, point, recorded[recorded_count++].places);
    }
    fclose(file);
    cr_assert_eq(recorded_count, 56, "%s", path);
    return first;
}

static enum bl_status lanes_recorded(void *context, const void *probe_, double *value,
                                     struct bl_error *failure)
{
    const struct bl_lanes_probe *probe = probe_;
    (void)context;
    *value = 4; /* for the repeated reads by which the inference determines the noise */
    for (unsigned i = 0; i < recorded_count && probe->access == BL_PROBE_READ &&
                         probe->memory == BL_MEMORY_LOCAL && probe->type->element_bytes == 4;
         i++)
        if (memcmp(recorded[i].places, probe->places[0], sizeof recorded[i].places) == 0) {
            *value = recorded[i].clocks;
            return BL_OK;
        }
    return probe->step_bytes == BL_OTHER_STEP
               ? BL_OK
               : bl_fail(failure, BL_BUILD_FAILED, "this was not recorded");
}

static enum bl_status not_recorded(void *context, const void *probe, double *value,
                                   struct bl_error *failure)
{
    (void)context, (void)probe, (void)value;
    return bl_fail(failure, BL_BUILD_FAILED, "this was not recorded");
}

Test(hypotheses, recorded_measurements_of_an_h200_show_32_banks_of_4_bytes)
{
    for (unsigned run = 1; run <= 5; run++) {
        const uint64_t seed = load_recorded(run);
        const struct bl_target target = {
            .limits = {.arrays = {{(uint64_t)1 << 36, (uint64_t)1 << 32}},
                       .local_bytes = 49152,
                       .max_group_items = 1024,
                       .groups_to_fill = 1056},
            .lanes = lanes_recorded,
            .chase = not_recorded,
            .stream = not_recorded,
            .occupancy = not_recorded,
            .barrier = not_recorded,
            .reads = not_recorded,
            .chain = not_recorded,
            .start = not_recorded,
            .queue = not_recorded,
        };
        const struct bl_infer_settings settings = {.seed = seed, .hypotheses = machine};
        bl_findings_free(&findings);
        cr_assert_eq(bl_infer(&target, &settings, &findings, &error), BL_OK, "%s", error.sentence);
        cr_assert_gt(probability_of("32x4"), 0.999, "run %u", run);
        cr_assert_eq(found("banks"), 32);
        cr_assert_eq(found("bank_bytes"), 4);
        cr_assert_eq(found("lanes"), 32);
        cr_assert_lt(findings.points, findings.max_points);
    }
}

/* With a machine without hypotheses, all points are measured, and the same values are found as with
 * no machine. */
Test(hypotheses, a_machine_without_hypotheses_changes_nothing)
{
    const struct bl_machine *hopper;
    cr_assert_eq(bl_machine_find("nvidia-hopper", &hopper, &error), BL_OK);
    double banks[2], latency[2];
    for (int i = 0; i < 2; i++) {
        simulated_make(&simulated, 3, 0.02);
        simulated.hypotheses = i ? hopper : NULL;
        cr_assert_eq(infer(), BL_OK);
        cr_assert_eq(findings.hypothesis_count, 0);
        cr_assert_eq(findings.points, findings.max_points);
        banks[i] = found("banks");
        latency[i] = found("cache_latency_ns");
    }
    cr_assert_eq(banks[0], banks[1]);
    cr_assert_eq(latency[0], latency[1]);
}

/* Banks may serve the lanes of a request in parts, of different sizes for reads and for writes. The
 * inference finds the number of lanes of a part for reads and for writes. */
Test(hypotheses, the_lanes_that_are_read_and_written_at_once_are_distinguished)
{
    static const struct {
        unsigned lanes, read, written;
    } splits[] = {{32, 0, 16}, {32, 0, 8}, {16, 0, 16}, {32, 16, 32}, {64, 32, 32}, {64, 32, 64}};
    for (size_t i = 0; i < sizeof splits / sizeof splits[0]; i++)
        for (int merges = 0; merges < 2; merges++) {
            simulated_make(&simulated, 20 + i, 0.03);
            simulated.machine.lanes = splits[i].lanes;
            simulated.machine.banks = 32;
            simulated.machine.bank_bytes = 4;
            simulated.machine.local_lanes_at_once = splits[i].read;
            simulated.write_lanes = splits[i].written;
            simulated.broadcasts = true;
            simulated.merges_writes = merges;
            cr_assert_eq(infer(), BL_OK, "%s", error.sentence);
            const unsigned read = splits[i].read ? splits[i].read : splits[i].lanes;
            const unsigned written = splits[i].written;
            cr_assert_eq(found("local_lanes_written_at_once"), written, "%zu: %g", i,
                         found("local_lanes_written_at_once"));
            cr_assert_eq(found("lanes"), written > read ? written : read, "%zu: %g", i,
                         found("lanes"));
            const struct bl_machine made = bl_machine_of(&findings, "made");
            cr_assert_eq(made.local_lanes_written_at_once, written);
            cr_assert_eq(made.local_lanes_at_once, written > read ? read : 0);
        }
}
