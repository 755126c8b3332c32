#include "infer/infer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "infer/inference.h"

/* Samples of the same reads differ by more: two clocks cannot be told from one. */
static const double too_noisy = 0.45;

enum { ATTEMPTS = 2 /* of a stage */ };
enum { WARM_UPS = 3 }; /* before a device is given up that is busy */

static const struct {
    const char *name;
    enum bl_status (*infer)(struct bl_inference *inference, struct bl_error *error);
} stages[] = {
    {"lanes and banks", bl_infer_local},
    {"writes and atomic additions", bl_infer_updates},
    {"wide accesses", bl_infer_wide},
    {"lines", bl_infer_lines},
    {"tag banks", bl_infer_masks},
    {"banks of cached reads", bl_infer_path},
    {"levels of memory", bl_infer_levels},
    {"sets and pages", bl_infer_sets},
    {"granules", bl_infer_granules},
    {"compute units", bl_infer_residents},
    {"rates", bl_infer_rates},
};

enum { STAGES = sizeof stages / sizeof stages[0] };

/* Every key that a stage may find, but those that some devices have no place for. */
static const char *const keys[] = {
    "lanes",
    "banks",
    "bank_bytes",
    "broadcast",
    "same_bank_writes_wait",
    "same_word_writes_merge",
    "atomics_by_lane",
    "wide_in_parts",
    "pairs_share_wide",
    "widest_bytes",
    "widest_components",
    "three_is_two_and_one",
    "local_reads_three_as_four",
    "lines_per_clock",
    "line_bytes",
    "tag_banks",
    "tag_masks",
    "banks_serve_global",
    "constant_is_global",
    "overlap_percent",
    "cache_bytes",
    "cache_latency_ns",
    "memory_latency_ns",
    "cache_ways",
    "tag_bank_share",
    "sector_bytes",
    "memory_granule_bytes",
    "compute_units",
    "local_bytes_per_unit",
    "groups_per_unit",
    "cache_bytes_per_clock",
    "memory_bytes_per_clock",
    "barrier_ns",
    "barrier_more_percent",
    "local_sub_groups_to_fill",
    "global_sub_groups_to_fill",
    "clock_mhz",
};

/* What no stage came to, and why. */
static void name_the_rest(struct bl_inference *inference, const char *why)
{
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (!bl_finding_of(inference->findings, keys[i]))
            bl_find_unknown(inference, keys[i], "", "%s", why);
}

/* Measures reads without a conflict, the same ones each time. */
static enum bl_status measure_plain_reads(struct bl_inference *inference, unsigned samples,
                                          struct bl_error *error)
{
    struct bl_batch batch = {0};
    struct bl_lanes_probe *probe =
        bl_batch_add(&batch, BL_MEMORY_LOCAL, BL_PROBE_READ, &bl_type_int, BL_OTHER_STEP);
    if (!probe)
        return bl_fail(error, BL_NO_MEMORY, "no memory for probes");
    for (unsigned i = 0; i < BL_TABLE_ITEMS; i++)
        probe->places[0][i] = 4 * i;
    inference->repeats = samples;
    const enum bl_status status = bl_batch_measure(inference, &batch, error);
    bl_batch_free(&batch);
    return status;
}

/* The same reads again and again: clocks rise meanwhile, and the noise shows. */
static enum bl_status warm_up(struct bl_inference *inference, struct bl_error *error)
{
    const unsigned samples = inference->settings->quick ? 60 : 200;
    for (unsigned half = 0; half < 2 * WARM_UPS; half++) {
        const enum bl_status status = measure_plain_reads(inference, samples / 2, error);
        if (status != BL_OK)
            return status;
        if (half % 2 && inference->noise <= too_noisy)
            return BL_OK;
    }
    return bl_fail(error, BL_BAD_CLOCK,
                   "samples of the very same reads differ by %.0f %% (at most %.0f %% would do): "
                   "the device is busy, or its clock varies; stop what else uses it, lock its "
                   "clocks, and try again",
                   100 * inference->noise, 100 * too_noisy);
}

/* Goes through a stage. One in which a call fails is tried again from where it began; if the device
 * can still be measured then, the others go on without it, and what failed is kept. */
static enum bl_status go_through(struct bl_inference *inference, unsigned stage,
                                 struct bl_error *error)
{
    struct bl_findings *findings = inference->findings;
    const struct bl_inference before = *inference;
    const size_t found = findings->count, evidence = findings->evidence_count;
    struct bl_error failed = {0};
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        *inference = before;
        findings->count = found;
        findings->evidence_count = evidence;
        failed = (struct bl_error){0};
        const enum bl_status status = stages[stage].infer(inference, &failed);
        if (status != BL_OK) {
            *error = failed;
            return status;
        }
        if (failed.status != BL_OPENCL_FAILED && failed.status != BL_BUILD_FAILED)
            return BL_OK;
        const unsigned repeats = inference->repeats;
        const enum bl_status alive = measure_plain_reads(inference, 3, error);
        if (alive != BL_OK)
            return alive;
        inference->repeats = repeats;
    }
    const size_t used = strlen(findings->failed);
    snprintf(findings->failed + used, sizeof findings->failed - used, "%s%s: %s", used ? "; " : "",
             stages[stage].name, failed.sentence);
    return BL_OK;
}

enum bl_status bl_infer(const struct bl_target *target, const struct bl_infer_settings *settings,
                        struct bl_findings *findings, struct bl_error *error)
{
    struct bl_inference inference = {
        .target = target,
        .settings = settings,
        .findings = findings,
        .random = settings->seed,
        .floor = 1,
        .machine = {.lanes = 32,
                    .line_bytes = 128,
                    .lines_per_clock = 1,
                    .banks = 32,
                    .bank_bytes = 4,
                    .widest_bytes = 16,
                    .widest_components = 4},
    };
    enum bl_status status = warm_up(&inference, error);
    bl_infer_repeat(&inference, 0.02);
    for (unsigned i = 0; i < STAGES && status == BL_OK; i++) {
        if (settings->progress)
            settings->progress(settings->context, stages[i].name, i, STAGES);
        status = go_through(&inference, i, error);
        if (status != BL_OK)
            bl_error_context(error, "%s", stages[i].name);
    }
    if (status == BL_OK)
        name_the_rest(&inference, "what it needs was not found, or could not be measured");
    else if (findings->evidence_count > 0)
        name_the_rest(&inference, "the inference ended before this was measured");
    return status;
}
