/* Runs the stages of an inference, lists every value that they may find, and makes a machine of the
 * findings. The order matters, because each stage uses findings of earlier ones: cache lines, for
 * example, are found with requests whose lanes are known by then. */
#include "infer/infer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "infer/inference.h"
#include "model/machine_file.h"

/* If samples of the same reads spread more than this, a fraction, one clock cannot be told from
 * two. */
static const double too_noisy = 0.45;

enum { ATTEMPTS = 2 /* per stage */ };
enum { WARM_UPS = 3 }; /* tries before a busy device is given up */

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
    {"requests under way", bl_infer_under_way},
    {"operations and launches", bl_infer_operations},
};

enum { STAGES = sizeof stages / sizeof stages[0] };

/* clang-format off */ /* one value per row */
#define LEVEL_TIMES(key, name)                                                                    \
    {key "_further_line_ns", BL_FOUND_AMOUNT, "ns",                                               \
     "of " name ", for each line but one of a request"},                                          \
    {key "_loaded_latency_ns", BL_FOUND_AMOUNT, "ns", "of " name ", while all units read"},       \
    {key "_bytes_per_ns", BL_FOUND_AMOUNT, "bytes per ns", "of " name ", for all units"},         \
    {key "_write_bytes_per_ns", BL_FOUND_AMOUNT, "bytes per ns", "of " name ", written by all"},  \
    {key "_unit_bytes_per_ns", BL_FOUND_AMOUNT, "bytes per ns", "of " name ", for one unit alone"}
/* clang-format on */

/* Every value that a stage may find. Values that no stage reached are reported as unknown in this
 * order. For keys that machine files have, model/machine.c defines limits and defaults. */
static const struct value {
    const char *key;
    enum bl_finding_kind kind;
    const char *unit, *meaning;
} values[] = {
    {"lanes", BL_FOUND_NUMBER, "", "work-items of a request"},
    {"banks", BL_FOUND_NUMBER, "", "banks of local memory"},
    {"bank_bytes", BL_FOUND_NUMBER, "", "bytes of a bank's word"},
    {"broadcast", BL_FOUND_FLAG, "", "lanes that read the same word get it together"},
    {"same_bank_writes_wait", BL_FOUND_FLAG, "",
     "writes to different words of a bank wait for each other"},
    {"same_word_writes_merge", BL_FOUND_FLAG, "", "lanes that write the same word do it together"},
    {"local_lanes_written_at_once", BL_FOUND_NUMBER, "",
     "lanes whose local writes the banks take together"},
    {"atomics_by_lane", BL_FOUND_FLAG, "", "a bank takes atomic additions lane by lane"},
    {"wide_in_parts", BL_FOUND_FLAG, "", "a wide access is served in parts of fewer lanes"},
    {"pairs_share_wide", BL_FOUND_FLAG, "",
     "lanes that share elements in pairs are served twice as many at once"},
    {"widest_bytes", BL_FOUND_NUMBER, "", "bytes of the widest access of a lane"},
    {"widest_components", BL_FOUND_NUMBER, "", "components of the longest vector in one request"},
    {"three_is_two_and_one", BL_FOUND_FLAG, "", "a vector of 3 is two requests"},
    {"local_reads_three_as_four", BL_FOUND_FLAG, "", "but a read of local memory takes four"},
    {"lines_per_clock", BL_FOUND_NUMBER, "", "lines that a tag bank looks up per clock"},
    {"line_bytes", BL_FOUND_NUMBER, "bytes", "bytes of a cache line"},
    {"tag_banks", BL_FOUND_NUMBER, "", "tag banks, each of which looks up lines by itself"},
    {"tag_masks", BL_FOUND_MASKS, "", "of the hash that chooses a line's tag bank"},
    {"banks_serve_global", BL_FOUND_FLAG, "",
     "cached reads of global memory come through local memory's banks"},
    {"constant_is_global", BL_FOUND_FLAG, "", "constant memory goes the way of global memory"},
    {"overlap_percent", BL_FOUND_AMOUNT, "%",
     "of the shorter of the waits for tags and for banks, hidden by other requests"},
    {"cache_bytes", BL_FOUND_AMOUNT, "bytes", "bytes of the first cache, of a compute unit"},
    {"cache_latency_ns", BL_FOUND_AMOUNT, "ns", "of a read that hits the first cache"},
    {"memory_latency_ns", BL_FOUND_AMOUNT, "ns", "of one that no cache holds"},
    {"cache_ways", BL_FOUND_NUMBER, "", "lines of a set of the first cache"},
    {"tag_bank_share", BL_FOUND_AMOUNT, "",
     "of the first cache that the lines of one tag bank can fill"},
    {"sector_bytes", BL_FOUND_NUMBER, "", "bytes of a line that are fetched alone; 0: all"},
    {"memory_granule_bytes", BL_FOUND_NUMBER, "bytes", "bytes that memory delivers together"},
    {"compute_units", BL_FOUND_NUMBER, "", "compute units"},
    {"local_bytes_per_unit", BL_FOUND_AMOUNT, "bytes", "bytes of local memory of a compute unit"},
    {"groups_per_unit", BL_FOUND_NUMBER, "", "groups that a compute unit holds at most"},
    {"sub_groups_per_unit", BL_FOUND_AMOUNT, "", "sub-groups that a compute unit holds at most"},
    {"cache_bytes_per_clock", BL_FOUND_AMOUNT, "bytes per clock",
     "of the first cache, read by a compute unit"},
    {"memory_bytes_per_clock", BL_FOUND_AMOUNT, "bytes per clock",
     "of memory, for each compute unit"},
    {"barrier_ns", BL_FOUND_AMOUNT, "ns",
     "of a barrier and an exchange, in a group of one sub-group"},
    {"barrier_more_percent", BL_FOUND_AMOUNT, "%", "more for each further sub-group"},
    {"local_sub_groups_to_fill", BL_FOUND_AMOUNT, "",
     "sub-groups from which on local reads gain no more"},
    {"global_sub_groups_to_fill", BL_FOUND_AMOUNT, "",
     "sub-groups from which on cached reads gain no more"},
    {"clock_mhz", BL_FOUND_AMOUNT, "MHz", "if a bank of local memory delivers one word per clock"},
    {"conflict_ns", BL_FOUND_AMOUNT, "ns",
     "more if a bank has to serve a read of the first cache more than once"},
    {"further_pass_ns", BL_FOUND_AMOUNT, "ns", "more for each further time"},
    LEVEL_TIMES("memory", "memory"),
    {"memory_far_line_ns", BL_FOUND_AMOUNT, "ns", "the same of lines that are 16 KiB apart"},
    {"store_then_load_ns", BL_FOUND_AMOUNT, "ns", "of a write of a line and a read of it"},
    {"store_then_load_line_ns", BL_FOUND_AMOUNT, "ns", "more for each further line of both"},
    {"unit_lines_in_flight", BL_FOUND_AMOUNT, "", "lines that a compute unit waits for at most"},
    {"sub_group_lines_in_flight", BL_FOUND_AMOUNT, "", "lines that a sub-group waits for at most"},
    {"local_latency_ns", BL_FOUND_AMOUNT, "ns", "of a read of local memory"},
    {"integer_ns", BL_FOUND_AMOUNT, "ns", "of an operation of integers"},
    {"float_ns", BL_FOUND_AMOUNT, "ns", "of an addition of floats"},
    {"instructions_per_clock", BL_FOUND_AMOUNT, "",
     "additions of floats of sub-groups, of a compute unit"},
    {"launch_ns", BL_FOUND_AMOUNT, "ns", "of a launch of one group that does nothing"},
    {"group_start_ns", BL_FOUND_AMOUNT, "ns", "more for each further group, on the whole device"},
    {"item_start_ns", BL_FOUND_AMOUNT, "ns", "or for each work-item, if that is more"},
    /* Optional: some devices have no such thing, and then they are not listed. */
    {"local_lanes_at_once", BL_FOUND_NUMBER, "",
     "lanes whose local reads the banks serve together"},
    {"l2_bytes", BL_FOUND_AMOUNT, "bytes", "bytes of the second cache"},
    {"llc_bytes", BL_FOUND_AMOUNT, "bytes", "bytes of the third cache"},
    {"l2_latency_ns", BL_FOUND_AMOUNT, "ns", "of one that hits the second"},
    {"llc_latency_ns", BL_FOUND_AMOUNT, "ns", "of one that hits the third"},
    {"page_reach_bytes", BL_FOUND_AMOUNT, "bytes",
     "bytes that reads reach without a further look for a page's address"},
    {"l2_granule_bytes", BL_FOUND_NUMBER, "bytes", "bytes that the second cache delivers together"},
    {"llc_granule_bytes", BL_FOUND_NUMBER, "bytes", "bytes that the third cache delivers together"},
    {"l2_bytes_per_clock", BL_FOUND_AMOUNT, "bytes per clock",
     "of the second cache, for each compute unit"},
    {"llc_bytes_per_clock", BL_FOUND_AMOUNT, "bytes per clock",
     "of the third cache, for each compute unit"},
    LEVEL_TIMES("l2", "the second cache"),
    LEVEL_TIMES("llc", "the third cache"),
};

enum {
    VALUES = sizeof values / sizeof values[0],
    OPTIONAL_VALUES = 10 + 2 * 5 /* LEVEL_TIMES has 5 */
};

struct bl_finding bl_finding_named(const char *key)
{
    const struct value *value = values;
    while (value + 1 < values + VALUES && strcmp(value->key, key) != 0)
        value++;
    return (struct bl_finding){
        .key = value->key, .meaning = value->meaning, .unit = value->unit, .kind = value->kind};
}

/* Adds unknown findings for the values that no stage reached. */
static void name_the_rest(struct bl_inference *inference, const char *why)
{
    for (size_t i = 0; i < VALUES - OPTIONAL_VALUES; i++)
        if (!bl_finding_of(inference->findings, values[i].key))
            bl_find_unknown(inference, values[i].key, "%s", why)->meaning = "";
}

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

/* Reports early that a device looks busy, because giving up takes WARM_UPS tries, a minute on a
 * slow device. Several looks, because clocks rise at first. */
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
             "for about 20 times as long as so far",
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

/* Runs a stage. If a call fails, the stage is run once more from its beginning; if it fails again
 * while the device still works, the failure is recorded and the other stages continue. */
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
    inference.machine.has_rule = true; /* for reads of 4 bytes */
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
        name_the_rest(&inference,
                      "a value that it depends on was not found, or it could not be measured");
    else if (findings->evidence_count > 0)
        name_the_rest(&inference, "the inference ended before this was measured");
    bl_batch_free(&batch);
    return status;
}

/* The machine that the findings describe. */

/* Sets the level's name and working set, but no rule: the cost of lines, blocks and writes there is
 * not inferred, and a prediction from granules alone would be too optimistic. */
static void set_level(struct bl_level *level, const char *name, double own_bytes,
                      double before_bytes)
{
    const double mib = 1 << 20;
    snprintf(level->name, sizeof level->name, "%s", name);
    /* A third of a cache's size; for memory, far more than all caches hold. */
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

/* The number of groups with 8 KiB that fit the local memory of a compute unit, including what the
 * driver reserves per group. */
static unsigned local_groups(const struct bl_findings *findings)
{
    const double bytes = bl_found(findings, "local_bytes_per_unit", 0);
    double groups = floor(bytes / (8064 + 1024)), most = bl_found(findings, "groups_per_unit", 8);
    groups = fmin(groups > 0 ? groups : 8, most);
    /* A multiple of 8, so that the 2, 4 or 8 schedulers of a compute unit have equally many groups:
     * on an H200, rows limited by banks are 8 % faster with 25 groups than with 24. */
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

const struct bl_finding *bl_finding_of(const struct bl_findings *findings, const char *key)
{
    for (size_t i = 0; i < findings->count; i++)
        if (strcmp(findings->all[i].key, key) == 0)
            return &findings->all[i];
    return NULL;
}

double bl_found(const struct bl_findings *findings, const char *key, double otherwise)
{
    const struct bl_finding *finding = bl_finding_of(findings, key);
    return finding && finding->is_known ? finding->value : otherwise;
}

void bl_findings_free(struct bl_findings *findings)
{
    free(findings->evidence);
    *findings = (struct bl_findings){0};
}
