/* Runs the stages of an inference, and builds a machine from the findings. The order of the stages
 * matters, because each stage uses findings of earlier stages. For example, the stage that infers
 * cache lines needs the number of lanes per request. */
#include "infer/infer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "infer/inference.h"
#include "model/machine_file.h"
#include "report/run.h"
#include "run/measure_case.h"
#include "run/plan.h"

/* The maximum spread of samples of the same reads, a fraction. If the spread is larger, one clock
 * cannot be distinguished from two. */
static const double too_noisy = 0.45;

enum { ATTEMPTS = 2 /* per stage */ };
enum { WARM_UPS = 3 }; /* attempts before giving up on a busy device */

static const struct {
    const char *name;
    bl_infer_stage *infer;
} stages[] = {
    {"lanes and banks", bl_infer_local},
    {"writes and atomic additions", bl_infer_local_atomics},
    {"wide accesses", bl_infer_vector_access},
    {"lines", bl_infer_lines},
    {"tag banks", bl_infer_bank_hash},
    {"banks of cached reads", bl_infer_cached_reads},
    {"levels of memory", bl_infer_levels},
    {"sets and pages", bl_infer_sets},
    {"granules", bl_infer_granules},
    {"compute units", bl_infer_occupancy},
    {"rates", bl_infer_rates},
    {"times of requests", bl_infer_requests},
    {"requests in flight", bl_infer_under_way},
    {"operations and launches", bl_infer_operations},
};

enum { STAGES = sizeof stages / sizeof stages[0] };

/* Measures a fixed set of conflict-free reads. */
static enum bl_status measure_plain_reads(struct bl_inference *inference, unsigned samples)
{
    struct bl_lanes_probe *probe = bl_batch_add(bl_batch_begin(inference), BL_MEMORY_LOCAL,
                                                BL_PROBE_READ, &bl_type_int, BL_OTHER_STEP);
    for (unsigned i = 0; i < BL_TABLE_ITEMS; i++)
        probe->places[0][i] = 4 * i;
    inference->repeats = samples;
    return bl_batch_measure(inference);
}

/* Reports early that a device looks busy, because the WARM_UPS attempts before giving up take a
 * minute on a slow device. Measures several times, because clock rates rise at first. */
static enum bl_status look_for_company(struct bl_inference *inference, unsigned samples)
{
    enum { LOOKS = 3 };
    const struct bl_infer_settings *settings = inference->settings;
    if (!settings->is_busy)
        return BL_OK;
    for (unsigned look = 0; look < LOOKS; look++) {
        const enum bl_status status =
            measure_plain_reads(inference, samples * WARM_UPS / 20 / LOOKS);
        if (status != BL_OK || inference->noise <= too_noisy)
            return status;
    }
    char sentence[160];
    snprintf(sentence, sizeof sentence,
             "repeated reads vary by %.0f %% (limit %.0f %%): the device looks busy; still trying, "
             "for up to about 20 times the time spent so far",
             100 * inference->noise, 100 * too_noisy);
    settings->is_busy(settings->context, sentence);
    return BL_OK;
}

/* Repeats the same reads until the clocks are stable, and estimates the noise. */
static enum bl_status warm_up(struct bl_inference *inference)
{
    const unsigned samples = inference->settings->quick ? 60 : 200;
    const enum bl_status looked = look_for_company(inference, samples);
    if (looked != BL_OK)
        return looked;
    for (unsigned half = 0; half < 2 * WARM_UPS; half++) {
        const enum bl_status status = measure_plain_reads(inference, samples / 2);
        if (status != BL_OK)
            return status;
        if (half % 2 && inference->noise <= too_noisy)
            return BL_OK;
    }
    return bl_fail(
        inference->failure, BL_BAD_CLOCK,
        "repeated reads vary by %.0f %% (limit %.0f %%): the device is busy, or its clock varies; "
        "stop what else uses it, lock its clocks, and try again",
        100 * inference->noise, 100 * too_noisy);
}

/* Runs a stage. If an OpenCL call or a kernel's build fails, the stage is run once more from its
 * beginning; if it fails again while the device still works, the failure is recorded and the other
 * stages continue. */
static enum bl_status go_through(struct bl_inference *inference, unsigned stage)
{
    struct bl_findings *findings = inference->findings;
    struct bl_error *failure = inference->failure, failed;
    const struct bl_inference before = *inference;
    const size_t found = findings->count, evidence = findings->evidence_count;
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        *inference = before;
        findings->count = found;
        findings->evidence_count = evidence;
        *failure = (struct bl_error){0};
        const enum bl_status status = stages[stage].infer(inference);
        if (status != BL_OK && !bl_infer_goes_on(status))
            return status;
        failed = *failure;
        if (failed.status != BL_OPENCL_FAILED && failed.status != BL_BUILD_FAILED)
            return BL_OK;
        const unsigned repeats = inference->repeats;
        const enum bl_status alive = measure_plain_reads(inference, 3);
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
    struct bl_batch batch = {0};
    struct bl_inference inference = {
        .target = target,
        .settings = settings,
        .findings = findings,
        .failure = error,
        .random = settings->seed,
        .floor = 1,
        .batch = &batch,
        .machine = bl_machine_start(),
    };
    if (settings->hypotheses) {
        memcpy(inference.machine.banks_alternatives, settings->hypotheses->banks_alternatives,
               sizeof inference.machine.banks_alternatives);
        memcpy(findings->hypotheses_of, settings->hypotheses->name, sizeof findings->hypotheses_of);
    }
    inference.machine.has_rule = true; /* a rule for reads of 4 bytes */
    inference.machine.widest_bytes = inference.machine.widest_components = 4;
    enum bl_status status = warm_up(&inference);
    bl_infer_repeat(&inference, 0.02);
    for (unsigned i = 0; i < STAGES && status == BL_OK; i++) {
        if (settings->progress)
            settings->progress(settings->context, stages[i].name, i, STAGES);
        status = go_through(&inference, i);
        if (status != BL_OK)
            bl_error_context(error, "%s", stages[i].name);
    }
    if (status == BL_OK)
        bl_find_the_rest(&inference,
                         "the value was not measured, or depends on a value that was not found");
    else if (findings->evidence_count > 0)
        bl_find_the_rest(&inference, "the inference ended before this was measured");
    bl_batch_free(&batch);
    return status;
}

/* Functions that build the machine that the findings describe. */

/* Sets the level's name, capacity and working set, but no rule: the costs of the level's lines,
 * blocks and writes are not inferred, and a prediction from granules alone would be too optimistic.
 */
static void set_level(struct bl_level *level, const char *name, double own_bytes,
                      double before_bytes)
{
    const double mib = 1 << 20;
    snprintf(level->name, sizeof level->name, "%s", name);
    /* A third of a cache's size; for memory, 40 times the size of the last cache. */
    const double set = own_bytes > 0 ? own_bytes / 3 / mib : 40 * before_bytes / mib;
    level->working_set_mib = (unsigned)fmax(1, floor(set));
    level->kib = (unsigned)(own_bytes / 1024);
}

static void set_levels(const struct bl_findings *findings, struct bl_machine *machine)
{
    const double first = bl_found(findings, "cache_bytes", 0),
                 l2 = bl_found(findings, "l2_bytes", 0), llc = bl_found(findings, "llc_bytes", 0);
    const double last = llc > 0 ? llc : l2 > 0 ? l2 : first;
    if (l2 > 0)
        set_level(&machine->levels[0], "L2", l2, first);
    if (llc > 0)
        set_level(&machine->levels[1], "LLC", llc, l2);
    if (last > 0)
        set_level(&machine->levels[2], "memory", 0, last);
}

/* The number of groups that fit into the local memory of a compute unit, if each uses almost 8 KiB
 * and the driver reserves another 1 KiB per group; at most as many as can be resident. */
static unsigned local_groups(const struct bl_findings *findings)
{
    const double bytes = bl_found(findings, "local_bytes_per_unit", 0);
    double groups = floor(bytes / (8064 + 1024)), most = bl_found(findings, "groups_per_unit", 8);
    groups = fmin(groups > 0 ? groups : 8, most);
    /* A multiple of 8 gives the 2, 4 or 8 schedulers of a compute unit equally many groups. Other
     * numbers change ratios: on an H200, rows limited by banks are 8 % faster with 25 groups than
     * with 24. */
    return (unsigned)(groups >= 8 ? groups - fmod(groups, 8) : fmax(1, groups));
}

/* Explains why the machine has no rule: lists values that were not found although a prediction
 * needs them. */
static void say_why_not(const struct bl_findings *findings, struct bl_machine *machine)
{
    static const char *const needed[] = {"lanes", "banks", "broadcast", "line_bytes", "tag_masks"};
    size_t used = 0;
    char *why = machine->why_no_rule;
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        const struct bl_finding *finding = bl_finding_of(findings, needed[i]);
        if (!finding || !finding->is_known)
            used +=
                (size_t)snprintf(why + used, sizeof machine->why_no_rule - used, "%s%s",
                                 used ? ", " : "the measurements did not determine ", needed[i]);
    }
    if (!used && bl_found(findings, "broadcast", 0) < 0.5)
        snprintf(
            why, sizeof machine->why_no_rule,
            "lanes that read the same word of local memory wait for each other, for which there is "
            "no rule");
}

struct bl_machine bl_machine_of(const struct bl_findings *findings, const char *name)
{
    struct bl_machine machine = bl_machine_start();
    for (size_t i = 0; i < bl_machine_field_count; i++) {
        const struct bl_machine_field *field = &bl_machine_fields[i];
        if (field->flags & BL_FIELD_INFERRED)
            bl_machine_set(&machine, field, bl_found(findings, field->key, field->start));
    }
    machine.local_sub_groups_per_cu = local_groups(findings);
    strcpy(machine.cache_name, "L1");
    snprintf(machine.name, sizeof machine.name, "%s", name);
    snprintf(machine.title, sizeof machine.title, "inferred from measurements");
    snprintf(machine.rests_on, sizeof machine.rests_on, "measured here");
    const struct bl_finding *masks = bl_finding_of(findings, "tag_masks");
    if (masks && masks->is_known)
        memcpy(machine.tag_masks, masks->masks, sizeof machine.tag_masks);
    say_why_not(findings, &machine);
    machine.has_rule = !machine.why_no_rule[0];
    set_levels(findings, &machine);
    return machine;
}

void bl_findings_free(struct bl_findings *findings)
{
    free(findings->evidence);
    *findings = (struct bl_findings){0};
}

/* Measures cases of the catalogue and compares their ratios with the predictions of the inferred
 * machine and of the built-in machine. */

/* Suites about lines, banks and shapes. */
static const char *const suites[] = {"global", "lines", "shape", "local", "local-banks"};

struct plan {
    struct bl_plan_item *items;
    size_t count;
};

static enum bl_status make(const struct bl_catalogue *catalogue, const struct bl_device *device,
                           const struct bl_machine *machine, struct plan *plan,
                           struct bl_error *error)
{
    const struct bl_plan_filter filter = {suites, sizeof suites / sizeof suites[0], false, {0}};
    return bl_plan(catalogue, &filter, machine, device, &plan->items, &plan->count, error);
}

/* The prediction for this row by a plan's machine; NAN if the plan lacks the row or its prediction.
 */
static double predicted_of(const struct plan *plan, const struct bl_machine *machine,
                           const struct bl_row_key *key)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct bl_row row = bl_planned_row(&plan->items[i], machine);
        if (strcmp(row.key.case_id, key->case_id) == 0 && strcmp(row.key.shape, key->shape) == 0)
            return row.predicted;
    }
    return NAN;
}

static void add(struct bl_infer_distance *distance, const struct bl_row *row, double predicted)
{
    const double measured = bl_row_ratio(row).median, off = fabs(measured / predicted - 1);
    if (!isfinite(off))
        return;
    distance->mean = (distance->mean * distance->rows + off) / (distance->rows + 1);
    distance->rows++;
    if (off < distance->largest)
        return;
    distance->largest = off;
    snprintf(distance->worst, sizeof distance->worst, "%.60s %.16s", row->key.case_id,
             row->key.shape);
}

enum bl_status bl_infer_compare_cases(const struct bl_catalogue *catalogue, struct bl_bench *bench,
                                      const struct bl_machine *inferred,
                                      const struct bl_machine *documented,
                                      struct bl_infer_distance *by_inferred,
                                      struct bl_infer_distance *by_documented,
                                      struct bl_error *error)
{
    /* The cases are laid out for one of the machines, and predicted by both. */
    const bool has_own = inferred->has_rule;
    const struct bl_machine *machine = has_own ? inferred : documented,
                            *other = has_own ? documented : inferred;
    struct bl_infer_distance *by_machine = has_own ? by_inferred : by_documented,
                             *by_other = has_own ? by_documented : by_inferred;
    struct plan own = {0}, others = {0};
    *by_inferred = *by_documented = (struct bl_infer_distance){0};
    if (!machine->has_rule)
        return BL_OK;
    enum bl_status status = make(catalogue, bench->device, machine, &own, error);
    if (status == BL_OK)
        status = make(catalogue, bench->device, other, &others, error);
    bench->machine = machine;
    if (status == BL_OK)
        bl_queue_builds(bench, own.items, own.count);
    for (size_t i = 0; i < own.count && status == BL_OK; i++) {
        struct bl_row row = bl_planned_row(&own.items[i], machine);
        struct bl_error failure = {0};
        if (row.status != BL_ROW_OK || !isfinite(row.predicted))
            continue;
        status = bl_measure_case(bench, &own.items[i], &row, &failure);
        free(row.sample_ratios);
        if (status == BL_OK) {
            add(by_machine, &row, row.predicted);
            add(by_other, &row, predicted_of(&others, other, &row.key));
        }
        if (status == BL_INTERRUPTED || status == BL_HANGS || status == BL_NO_MEMORY)
            *error = failure;
        else
            status = BL_OK;
    }
    if (bl_session_end_builds(bench->session)) /* builds use the items' strings */
        free(own.items);
    free(others.items);
    return status;
}
