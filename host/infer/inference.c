/* Functions that all stages share, and the table of all values that stages may find. Measured times
 * are compared with the model's clocks for each explanation. Times are stored as logarithms, so the
 * unknown length of a clock is just an additive constant. */
#include "infer/inference.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "measure/stats.h"
#include "model/access.h"
#include "model/predict.h"

enum { ALIGNED = 2 << 20 };

uint64_t bl_infer_home(const struct bl_inference *inference, uint64_t aligned_bytes)
{
    const uint64_t address = inference->target->limits.arrays[0].address;
    return (address + aligned_bytes - 1) & ~(aligned_bytes - 1);
}

uint64_t bl_chase_begin(const struct bl_inference *inference)
{
    const uint64_t after = inference->target->limits.arrays[0].address + BL_HOME_BYTES;
    return (after + ALIGNED - 1) & ~(uint64_t)(ALIGNED - 1);
}

uint64_t bl_chase_room(const struct bl_inference *inference)
{
    const struct bl_array_place *array = &inference->target->limits.arrays[0];
    const uint64_t room = array->address + array->bytes - bl_chase_begin(inference);
    const uint64_t max = (uint64_t)12 << 30; /* within reach of a 32-bit link */
    return room < max ? room : max;
}

unsigned bl_chase_pitch(const struct bl_inference *inference)
{
    return inference->has_lines ? inference->machine.line_bytes : 64;
}

double bl_infer_uniform(struct bl_inference *inference)
{
    /* xorshift64* (S. Vigna). */
    uint64_t *state = &inference->random;
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)((*state * 2685821657736338717u) >> 11) / 9007199254740992.0;
}

uint32_t bl_infer_random(struct bl_inference *inference, uint32_t below)
{
    return (uint32_t)(bl_infer_uniform(inference) * below);
}

void bl_infer_repeat(struct bl_inference *inference, double error)
{
    const double wanted = pow(BL_MEDIAN_TO_MEAN_ERROR * inference->noise / error, 2);
    const unsigned min = inference->settings->quick ? 3 : 5, max = 41;
    inference->repeats = wanted >= max ? max : wanted <= min ? min : (unsigned)wanted | 1;
}

void bl_batch_free(struct bl_batch *batch)
{
    free(batch->points);
    free(batch->log_ns);
    free(batch->clocks);
    free(batch->fits);
    free(batch->probabilities);
    *batch = (struct bl_batch){0};
}

struct bl_batch *bl_batch_begin(struct bl_inference *inference)
{
    inference->batch->count = 0;
    return inference->batch;
}

static struct bl_point *add_point(struct bl_batch *batch)
{
    struct bl_point *point =
        bl_array_append(&batch->points, &batch->count, &batch->capacity, sizeof *point);
    batch->lacks_memory |= !point;
    point = point ? point : &batch->no_place;
    *point = (struct bl_point){.x = NAN};
    return point;
}

struct bl_lanes_probe *bl_batch_add(struct bl_batch *batch, enum bl_memory memory,
                                    enum bl_probe_access access, const struct bl_type *type,
                                    unsigned step_bytes)
{
    struct bl_lanes_probe *probe = &add_point(batch)->lanes;
    *probe = (struct bl_lanes_probe){
        .memory = memory, .access = access, .type = type, .step_bytes = step_bytes, .tables = 1};
    for (unsigned table = 0; table < BL_TABLES; table++)
        for (unsigned i = 0; i < BL_TABLE_ITEMS; i++)
            probe->places[table][i] = BL_IDLE;
    return probe;
}

struct bl_chase_probe *bl_batch_add_chase(struct bl_inference *inference, uint64_t pitch_bytes,
                                          uint64_t places)
{
    struct bl_chase_probe *probe = &add_point(inference->batch)->chase;
    *probe = (struct bl_chase_probe){
        .address = bl_chase_begin(inference), .pitch_bytes = pitch_bytes, .places = places};
    return probe;
}

void bl_batch_name(struct bl_batch *batch, double x, const char *format, ...)
{
    struct bl_point *point = batch->count ? &batch->points[batch->count - 1] : &batch->no_place;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(point->name, sizeof point->name, format, arguments);
    va_end(arguments);
    point->x = x;
}

/* Takes the samples of all points; samples of one point are stored together. Lanes probes are
 * interleaved (one sample of each probe, then the next sample of each), so that clock drift affects
 * all probes alike. A chase takes all its samples before the next chase begins, because each chase
 * must first be written and brought into the caches. */
static enum bl_status take_samples(const struct bl_inference *inference, double samples[])
{
    const struct bl_target *target = inference->target;
    const struct bl_batch *batch = inference->batch;
    const unsigned repeats = inference->repeats;
    enum bl_status status = BL_OK;
    for (size_t n = 0; n < batch->count * repeats && status == BL_OK; n++) {
        double ns = NAN;
        if (batch->points[0].chase.places) {
            status = target->chase(target->context, &batch->points[n / repeats].chase, &ns,
                                   inference->failure);
            samples[n] = log(ns);
        } else {
            const size_t i = n % batch->count, k = n / batch->count;
            status =
                target->lanes(target->context, &batch->points[i].lanes, &ns, inference->failure);
            samples[i * repeats + k] = log(ns);
        }
    }
    return status;
}

/* Estimates the noise, from the samples' distances to the median of their probe, and then the
 * standard error of a probe's median, from the noise. away: scratch space for all samples. */
static void estimate_noise(struct bl_inference *inference, const double samples[], double away[])
{
    const struct bl_batch *batch = inference->batch;
    const unsigned repeats = inference->repeats;
    size_t count = 0;
    for (size_t n = 0; n < batch->count * repeats; n++) {
        const double distance = fabs(samples[n] - batch->log_ns[n / repeats]);
        if (distance > 0) /* leaves out the median itself */
            away[count++] = distance;
    }
    if (count > 0)
        inference->noise = bl_median(away, count) / BL_HALF_NEAR_MEDIAN;
    inference->error =
        inference->noise * (repeats <= 3   ? BL_MEDIAN_OF_3_ERROR
                            : repeats <= 5 ? BL_MEDIAN_OF_5_ERROR
                                           : BL_MEDIAN_TO_MEAN_ERROR / sqrt(repeats));
}

enum bl_status bl_batch_measure(struct bl_inference *inference)
{
    struct bl_batch *batch = inference->batch;
    const unsigned repeats = inference->repeats;
    if (batch->lacks_memory)
        return bl_fail(inference->failure, BL_NO_MEMORY, "out of memory while adding probes");
    double *samples = calloc((batch->count + 1) * repeats, sizeof *samples);
    double *scratch = malloc((batch->count + 1) * repeats * sizeof *scratch);
    free(batch->log_ns);
    batch->log_ns = malloc((batch->count + 1) * sizeof *batch->log_ns);
    const bool has_memory = samples && scratch && batch->log_ns;
    enum bl_status status = has_memory ? take_samples(inference, samples)
                                       : bl_fail(inference->failure, BL_NO_MEMORY,
                                                 "out of memory while taking samples");
    for (size_t i = 0; has_memory && i < batch->count && status == BL_OK; i++) {
        memcpy(scratch, samples + i * repeats, repeats * sizeof *scratch);
        batch->log_ns[i] = bl_median(scratch, repeats);
    }
    if (has_memory && status == BL_OK)
        estimate_noise(inference, samples, scratch);
    free(samples);
    free(scratch);
    return status;
}

enum bl_status bl_keep_point(struct bl_inference *inference, const struct bl_evidence *evidence,
                             const char *format, ...)
{
    struct bl_findings *findings = inference->findings;
    struct bl_evidence *kept = bl_array_append(&findings->evidence, &findings->evidence_count,
                                               &findings->evidence_capacity, sizeof *kept);
    if (!kept)
        return bl_fail(inference->failure, BL_NO_MEMORY, "out of memory while storing evidence");
    *kept = *evidence;
    kept->expected = evidence->expected != 0 ? evidence->expected : NAN;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(kept->point, sizeof kept->point, format, arguments);
    va_end(arguments);
    return BL_OK;
}

enum bl_status bl_batch_keep(struct bl_inference *inference, const char *sweep, double log_unit,
                             const double expected[])
{
    const struct bl_batch *batch = inference->batch;
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < batch->count && status == BL_OK; i++) {
        const struct bl_point *point = &batch->points[i];
        const struct bl_evidence evidence = {
            .sweep = sweep,
            .x = point->x,
            .measured = exp(batch->log_ns[i] - log_unit),
            .expected = expected ? expected[i] : NAN,
            .error = inference->error,
            .unit = point->chase.places ? "ns" : "clocks",
        };
        status = bl_keep_point(inference, &evidence, "%s", point->name);
    }
    return status;
}

double bl_scale_of(const struct bl_inference *inference, double left_out)
{
    return sqrt(inference->error * inference->error + left_out * left_out);
}

double bl_probe_clocks(const struct bl_machine *machine, const struct bl_lanes_probe *probe)
{
    uint64_t addresses[BL_MAX_LANES];
    struct bl_request access = {
        .memory = probe->memory,
        .is_write = probe->access != BL_PROBE_READ,
        .is_atomic = probe->access == BL_PROBE_ADD,
        .addresses_bytes = addresses,
    };
    struct bl_part parts[BL_MAX_PARTS];
    const unsigned part_count =
        bl_parts_of(machine, probe->memory, access.is_write, probe->type, parts);
    struct bl_cost_sums sums = {0};
    for (unsigned table = 0; table < probe->tables; table++)
        for (unsigned first = 0; first < BL_TABLE_ITEMS; first += machine->lanes) {
            access.lanes = 0;
            for (unsigned i = first; i < first + machine->lanes && i < BL_TABLE_ITEMS; i++)
                if (probe->places[table][i] != BL_IDLE)
                    addresses[access.lanes++] = probe->places[table][i];
            if (access.lanes > 0 &&
                bl_cost_add(machine, &access, parts, part_count, &sums) != BL_OK)
                return NAN;
        }
    return (double)sums.clocks / probe->tables;
}

double bl_least_clocks(const struct bl_inference *inference)
{
    return inference->floor * BL_TABLE_ITEMS / inference->machine.lanes;
}

static void cost(const struct bl_batch *batch, const struct bl_explanation *explanation,
                 double clocks[])
{
    const struct bl_machine *machine = &explanation->machine;
    for (size_t i = 0; i < batch->count; i++) {
        struct bl_lanes_probe probe = batch->points[i].lanes;
        /* Unless a bank serves lane by lane, an addition takes as many clocks as a read. */
        if (explanation->is_by_lane || probe.access == BL_PROBE_ADD)
            probe.access = explanation->is_by_lane ? BL_PROBE_ADD : BL_PROBE_READ;
        clocks[i] = explanation->is_free ? (double)BL_TABLE_ITEMS / machine->lanes
                                         : bl_probe_clocks(machine, &probe);
    }
}

enum bl_status bl_batch_fit(struct bl_inference *inference, bl_explain *explain, unsigned count,
                            double off)
{
    struct bl_batch *batch = inference->batch;
    const enum bl_status status = bl_batch_measure(inference);
    if (status != BL_OK)
        return status;
    free(batch->clocks);
    free(batch->fits);
    free(batch->probabilities);
    batch->clocks = malloc((count * batch->count + 1) * sizeof *batch->clocks);
    batch->fits = malloc(count * sizeof *batch->fits);
    batch->probabilities = malloc((count + 1) * sizeof *batch->probabilities);
    if (!batch->clocks || !batch->fits || !batch->probabilities)
        return bl_fail(inference->failure, BL_NO_MEMORY,
                       "out of memory while fitting explanations");
    batch->likeliest = 0;
    const double scale = off * bl_scale_of(inference, BL_RULES_ARE_OFF);
    for (unsigned e = 0; e < count; e++) {
        double *clocks = batch->clocks + e * batch->count;
        struct bl_explanation explanation = {.machine = inference->machine,
                                             .floor = inference->floor};
        batch->fits[e] = (struct bl_fit){.log_likelihood = -INFINITY};
        if (explain(e, &explanation)) {
            if (explanation.differs_in_floor_alone)
                memcpy(clocks, clocks - batch->count, batch->count * sizeof *clocks);
            else
                cost(batch, &explanation, clocks);
            batch->fits[e] =
                bl_fit_costs(batch->log_ns, clocks, batch->count, scale,
                             explanation.floor * BL_TABLE_ITEMS / explanation.machine.lanes);
        }
        batch->probabilities[e] = batch->fits[e].log_likelihood + explanation.log_prior;
        if (batch->probabilities[e] > batch->probabilities[batch->likeliest])
            batch->likeliest = e;
    }
    batch->probabilities[count] = bl_fit_nothing(batch->log_ns, batch->count);
    batch->none_fits = bl_posterior(batch->probabilities, count + 1) == count;
    return BL_OK;
}

const double *bl_batch_clocks(const struct bl_batch *batch)
{
    return batch->clocks + batch->likeliest * batch->count;
}

/* clang-format off */ /* one value per row */
#define LEVEL_TIMES(key, name)                                                                    \
    {key "_further_line_ns", BL_FOUND_AMOUNT, "ns",                                               \
     "time per further line of a request to " name},                                              \
    {key "_loaded_latency_ns", BL_FOUND_AMOUNT, "ns", "latency of " name " while all units read"}, \
    {key "_bytes_per_ns", BL_FOUND_AMOUNT, "bytes per ns", "read rate of " name ", all units"},   \
    {key "_write_bytes_per_ns", BL_FOUND_AMOUNT, "bytes per ns",                                  \
     "write rate of " name ", all units"},                                                        \
    {key "_unit_bytes_per_ns", BL_FOUND_AMOUNT, "bytes per ns", "read rate of " name ", one unit"}
/* clang-format on */

/* Every value that a stage may find. If no stage reached a value, it is reported as unknown, in
 * this order, unless it is optional. model/machine.c defines which of them fill in fields of a
 * machine, and the limits and start values of these fields. */
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
    {"same_word_writes_merge", BL_FOUND_FLAG, "",
     "writes of several lanes to the same word are merged"},
    {"local_lanes_written_at_once", BL_FOUND_NUMBER, "",
     "lanes whose local writes the banks serve together"},
    {"atomics_by_lane", BL_FOUND_FLAG, "", "a bank performs atomic additions lane by lane"},
    {"wide_in_parts", BL_FOUND_FLAG, "", "a wide access is served in parts of fewer lanes"},
    {"pairs_share_wide", BL_FOUND_FLAG, "",
     "twice as many lanes are served together if pairs of lanes share elements"},
    {"widest_bytes", BL_FOUND_NUMBER, "", "bytes of the widest access of a lane"},
    {"widest_components", BL_FOUND_NUMBER, "", "components of the longest vector in one request"},
    {"three_is_two_and_one", BL_FOUND_FLAG, "", "an access to a 3-vector takes two requests"},
    {"local_reads_three_as_four", BL_FOUND_FLAG, "",
     "a read of a 3-vector in local memory reads four components"},
    {"lines_per_clock", BL_FOUND_NUMBER, "", "lines that a tag bank looks up per clock"},
    {"line_bytes", BL_FOUND_NUMBER, "bytes", "bytes of a cache line"},
    {"tag_banks", BL_FOUND_NUMBER, "", "tag banks, which look up lines independently"},
    {"tag_masks", BL_FOUND_MASKS, "", "masks of the hash that chooses a line's tag bank"},
    {"banks_serve_global", BL_FOUND_FLAG, "",
     "cached reads of global memory pass through the banks of local memory"},
    {"constant_is_global", BL_FOUND_FLAG, "",
     "constant memory takes the same path as global memory"},
    {"overlap_percent", BL_FOUND_AMOUNT, "%",
     "share of the shorter wait (for tags or for banks) that other requests hide"},
    {"cache_bytes", BL_FOUND_AMOUNT, "bytes", "bytes of a compute unit's first cache"},
    {"cache_latency_ns", BL_FOUND_AMOUNT, "ns", "latency of a read that hits the first cache"},
    {"memory_latency_ns", BL_FOUND_AMOUNT, "ns", "latency of a read that misses all caches"},
    {"cache_ways", BL_FOUND_NUMBER, "", "lines per set of the first cache"},
    {"tag_bank_share", BL_FOUND_AMOUNT, "",
     "share of the first cache that the lines of one tag bank can fill"},
    {"sector_bytes", BL_FOUND_NUMBER, "",
     "bytes of the smallest part of a line that can be fetched; 0 if lines are fetched whole"},
    {"memory_granule_bytes", BL_FOUND_NUMBER, "bytes", "bytes that memory delivers together"},
    {"compute_units", BL_FOUND_NUMBER, "", "compute units"},
    {"local_bytes_per_unit", BL_FOUND_AMOUNT, "bytes", "bytes of local memory of a compute unit"},
    {"groups_per_unit", BL_FOUND_NUMBER, "", "maximum resident groups per compute unit"},
    {"sub_groups_per_unit", BL_FOUND_AMOUNT, "", "maximum resident sub-groups per compute unit"},
    {"cache_bytes_per_clock", BL_FOUND_AMOUNT, "bytes per clock",
     "read rate of the first cache, per compute unit"},
    {"memory_bytes_per_clock", BL_FOUND_AMOUNT, "bytes per clock",
     "read rate of memory, per compute unit"},
    {"barrier_ns", BL_FOUND_AMOUNT, "ns",
     "time of a barrier and a local access, with only one sub-group"},
    {"barrier_more_percent", BL_FOUND_AMOUNT, "%",
     "increase of the barrier time for each further sub-group"},
    {"local_sub_groups_to_fill", BL_FOUND_AMOUNT, "",
     "sub-groups that saturate a compute unit's local reads"},
    {"global_sub_groups_to_fill", BL_FOUND_AMOUNT, "",
     "sub-groups that saturate a compute unit's cached reads"},
    {"clock_mhz", BL_FOUND_AMOUNT, "MHz",
     "clock rate if a bank of local memory delivers one word per clock"},
    {"conflict_ns", BL_FOUND_AMOUNT, "ns",
     "extra time if a bank has to serve a read of the first cache more than once"},
    {"further_pass_ns", BL_FOUND_AMOUNT, "ns", "extra time for each further bank pass"},
    LEVEL_TIMES("memory", "memory"),
    {"memory_far_line_ns", BL_FOUND_AMOUNT, "ns",
     "time per further line of a request to memory, with lines 16 KiB apart"},
    {"store_then_load_ns", BL_FOUND_AMOUNT, "ns", "time of writing a line and then reading it"},
    {"store_then_load_line_ns", BL_FOUND_AMOUNT, "ns",
     "extra time for each further line written and read"},
    {"unit_lines_in_flight", BL_FOUND_AMOUNT, "",
     "maximum number of lines in flight per compute unit"},
    {"sub_group_lines_in_flight", BL_FOUND_AMOUNT, "",
     "maximum number of lines in flight per sub-group"},
    {"local_latency_ns", BL_FOUND_AMOUNT, "ns", "latency of a read of local memory"},
    {"integer_ns", BL_FOUND_AMOUNT, "ns", "latency of an integer operation"},
    {"float_ns", BL_FOUND_AMOUNT, "ns", "latency of a float addition"},
    {"instructions_per_clock", BL_FOUND_AMOUNT, "",
     "sub-group float additions that a compute unit executes per clock"},
    {"launch_ns", BL_FOUND_AMOUNT, "ns", "time of a launch of one group that does nothing"},
    {"queued_launch_ns", BL_FOUND_AMOUNT, "ns",
     "time of an empty launch that is enqueued while the device is busy"},
    {"enqueue_ns", BL_FOUND_AMOUNT, "ns", "time that the host takes to enqueue a launch"},
    {"group_start_ns", BL_FOUND_AMOUNT, "ns",
     "launch time that each further group adds, on the whole device"},
    {"item_start_ns", BL_FOUND_AMOUNT, "ns",
     "launch time per work-item, if larger groups start more slowly"},
    /* Optional values, which devices without such a feature lack. */
    {"local_lanes_at_once", BL_FOUND_NUMBER, "",
     "lanes whose local reads the banks serve together"},
    {"l2_bytes", BL_FOUND_AMOUNT, "bytes", "bytes of the second cache"},
    {"llc_bytes", BL_FOUND_AMOUNT, "bytes", "bytes of the third cache"},
    {"l2_latency_ns", BL_FOUND_AMOUNT, "ns", "latency of a read that hits the second cache"},
    {"llc_latency_ns", BL_FOUND_AMOUNT, "ns", "latency of a read that hits the third cache"},
    {"page_reach_bytes", BL_FOUND_AMOUNT, "bytes",
     "bytes that reads can cover without further lookups of page addresses"},
    {"l2_granule_bytes", BL_FOUND_NUMBER, "bytes", "bytes that the second cache delivers together"},
    {"llc_granule_bytes", BL_FOUND_NUMBER, "bytes", "bytes that the third cache delivers together"},
    {"l2_bytes_per_clock", BL_FOUND_AMOUNT, "bytes per clock",
     "read rate of the second cache, per compute unit"},
    {"llc_bytes_per_clock", BL_FOUND_AMOUNT, "bytes per clock",
     "read rate of the third cache, per compute unit"},
    LEVEL_TIMES("l2", "the second cache"),
    LEVEL_TIMES("llc", "the third cache"),
};

enum {
    VALUES = sizeof values / sizeof values[0],
    OPTIONAL_VALUES = 10 + 2 * 5 /* 2 times the 5 values of LEVEL_TIMES */
};

/* An empty finding with the key's meaning, unit and kind from the table `values`. */
static struct bl_finding finding_named(const char *key)
{
    const struct value *value = values;
    while (value + 1 < values + VALUES && strcmp(value->key, key) != 0)
        value++;
    return (struct bl_finding){
        .key = value->key, .meaning = value->meaning, .unit = value->unit, .kind = value->kind};
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

struct bl_finding *bl_find(struct bl_inference *inference, const char *key, double value,
                           double confidence)
{
    struct bl_findings *findings = inference->findings;
    struct bl_finding *finding =
        &findings->all[findings->count < BL_MAX_FINDINGS - 1 ? findings->count++ : findings->count];
    *finding = finding_named(key);
    finding->is_known = confidence >= BL_STATED_FROM;
    finding->value = finding->lo = finding->hi = value;
    finding->confidence = confidence > BL_MOST_CERTAIN ? BL_MOST_CERTAIN : confidence;
    if (!finding->is_known && finding->kind == BL_FOUND_FLAG)
        snprintf(finding->why, sizeof finding->why, "not certain: %s has a probability of %.0f %%",
                 value > 0.5 ? "yes" : "no", 100 * confidence);
    else if (!finding->is_known)
        snprintf(finding->why, sizeof finding->why,
                 "not certain: the best guess, %.4g, has a probability of %.0f %%", value,
                 100 * confidence);
    return finding;
}

struct bl_finding *bl_find_amount(struct bl_inference *inference, const char *key, double value,
                                  double lo, double hi)
{
    struct bl_finding *finding = bl_find(inference, key, value, 0.95);
    finding->lo = lo;
    finding->hi = hi;
    return finding;
}

struct bl_finding *bl_find_about(struct bl_inference *inference, const char *key, double value,
                                 double off)
{
    return bl_find_amount(inference, key, value, value * exp(-off), value * exp(off));
}

struct bl_finding *bl_find_unknown(struct bl_inference *inference, const char *key,
                                   const char *format, ...)
{
    struct bl_finding *finding = bl_find(inference, key, 0, 0);
    finding->kind = BL_FOUND_NUMBER;
    finding->unit = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->why, sizeof finding->why, format, arguments);
    va_end(arguments);
    return finding;
}

void bl_find_the_rest(struct bl_inference *inference, const char *why)
{
    for (size_t i = 0; i < VALUES - OPTIONAL_VALUES; i++)
        if (!bl_finding_of(inference->findings, values[i].key))
            bl_find_unknown(inference, values[i].key, "%s", why)->meaning = "";
}

void bl_find_none(struct bl_inference *inference, const char *const keys[], size_t count,
                  const char *why)
{
    for (size_t i = 0; i < count; i++)
        bl_find_unknown(inference, keys[i], "%s", why);
}

void bl_find_basis(struct bl_finding *finding, const char *sweep, const char *format, ...)
{
    finding->sweep = sweep;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->basis, sizeof finding->basis, format, arguments);
    va_end(arguments);
}

const char *bl_level_key(const struct bl_inference *inference, unsigned level, const char *name,
                         char key[BL_LEVEL_KEY])
{
    static const char *const levels[BL_LEVELS] = {"cache", "l2", "llc"};
    snprintf(key, BL_LEVEL_KEY, "%s_%s",
             level + 1 == inference->levels ? "memory" : levels[level % BL_LEVELS], name);
    return key;
}

const char *bl_infer_why_no_local_rule(const struct bl_inference *inference)
{
    return inference->lacks_local_times ? "local memory could not be measured"
                                        : "no number of banks explains the times of local memory";
}

const char *bl_infer_why_no_requests(const struct bl_inference *inference)
{
    if (bl_found(inference->findings, "lanes", 0) < 1)
        return "it is not known how many work-items a request has";
    if (!inference->has_lines)
        return "the size of a line is not known";
    return inference->levels < 2 ? "the levels of memory are not known" : NULL;
}

bool bl_infer_goes_on(enum bl_status status)
{
    return status == BL_OPENCL_FAILED || status == BL_BUILD_FAILED || status == BL_OUT_OF_RANGE;
}
