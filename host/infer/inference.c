#include "infer/inference.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "infer/posterior.h"
#include "measure/stats.h"
#include "model/access.h"
#include "model/predict.h"

/* Chains of reads, measured one after another. */

/* The first bytes of the arrays are read lane by lane, and stay as they are. */
enum { HOME_BYTES = 16 << 20, ALIGNED = 2 << 20 };

uint64_t bl_chain_begin(const struct bl_inference *inference)
{
    const uint64_t after = inference->target->limits.arrays[0].address + HOME_BYTES;
    return (after + ALIGNED - 1) & ~(uint64_t)(ALIGNED - 1);
}

uint64_t bl_chain_room(const struct bl_inference *inference)
{
    const struct bl_array_place *array = &inference->target->limits.arrays[0];
    const uint64_t room = array->address + array->bytes - bl_chain_begin(inference);
    const uint64_t most = (uint64_t)12 << 30; /* what a link of 32 bits can reach, and less */
    return room < most ? room : most;
}

unsigned bl_chain_pitch(const struct bl_inference *inference)
{
    return inference->has_lines ? inference->machine.line_bytes : 64;
}

enum bl_status bl_chains_measure(struct bl_inference *inference, struct bl_chain chains[],
                                 size_t count, struct bl_error *error)
{
    const struct bl_target *target = inference->target;
    const unsigned repeats = inference->repeats;
    double *samples = malloc((count + 1) * repeats * sizeof *samples);
    double *away = malloc((count + 1) * repeats * sizeof *away);
    if (!samples || !away) {
        free(samples);
        free(away);
        return bl_fail(error, BL_NO_MEMORY, "no memory for samples");
    }
    enum bl_status status = BL_OK;
    size_t known = 0;
    /* One chain after another: each has to be made, and to be in the caches. */
    for (size_t i = 0; i < count && status == BL_OK; i++) {
        for (unsigned k = 0; k < repeats && status == BL_OK; k++) {
            double ns = NAN;
            status = target->chase(target->context, &chains[i].probe, &ns, error);
            samples[k] = log(ns);
        }
        if (status != BL_OK)
            break;
        chains[i].log_ns = bl_median(samples, repeats);
        for (unsigned k = 0; k < repeats; k++)
            if (samples[k] != chains[i].log_ns)
                away[known++] = fabs(samples[k] - chains[i].log_ns);
    }
    if (status == BL_OK && known > 0)
        inference->noise = bl_median(away, known) / 0.685;
    inference->error = inference->noise * (repeats <= 3   ? 0.67
                                           : repeats <= 5 ? 0.536
                                                          : 1.25 / sqrt(repeats));
    free(samples);
    free(away);
    return status;
}

enum bl_status bl_chains_keep(struct bl_inference *inference, const struct bl_chain chains[],
                              size_t count, const char *sweep, struct bl_error *error)
{
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < count && status == BL_OK; i++) {
        struct bl_evidence evidence = {
            .sweep = sweep,
            .x = chains[i].x,
            .measured = exp(chains[i].log_ns),
            .expected = NAN,
            .error = inference->error,
            .unit = "ns",
        };
        memcpy(evidence.point, chains[i].name, sizeof evidence.point);
        status = bl_keep_point(inference, &evidence, error);
    }
    return status;
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

static bool grow(struct bl_batch *batch)
{
    const size_t capacity = batch->capacity ? 2 * batch->capacity : 64;
    struct bl_lanes_probe *probes = realloc(batch->probes, capacity * sizeof *probes);
    batch->probes = probes ? probes : batch->probes;
    double *log_ns = realloc(batch->log_ns, capacity * sizeof *log_ns);
    batch->log_ns = log_ns ? log_ns : batch->log_ns;
    char(*names)[40] = realloc(batch->names, capacity * sizeof *names);
    batch->names = names ? names : batch->names;
    double *x = realloc(batch->x, capacity * sizeof *x);
    batch->x = x ? x : batch->x;
    if (probes && log_ns && names && x)
        batch->capacity = capacity;
    return probes && log_ns && names && x;
}

struct bl_lanes_probe *bl_batch_add(struct bl_batch *batch, enum bl_memory memory,
                                    enum bl_probe_access access, const struct bl_type *type,
                                    unsigned step_bytes)
{
    if (batch->count == batch->capacity && !grow(batch))
        return NULL;
    struct bl_lanes_probe *probe = &batch->probes[batch->count];
    *probe = (struct bl_lanes_probe){
        .memory = memory, .access = access, .type = type, .step_bytes = step_bytes, .tables = 1};
    for (unsigned table = 0; table < BL_TABLES; table++)
        for (unsigned i = 0; i < BL_TABLE_ITEMS; i++)
            probe->places[table][i] = BL_IDLE;
    batch->names[batch->count][0] = '\0';
    batch->x[batch->count] = NAN;
    batch->log_ns[batch->count++] = NAN;
    return probe;
}

void bl_batch_name(struct bl_batch *batch, double x, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(batch->names[batch->count - 1], sizeof batch->names[0], format, arguments);
    va_end(arguments);
    batch->x[batch->count - 1] = x;
}

void bl_batch_free(struct bl_batch *batch)
{
    free(batch->probes);
    free(batch->log_ns);
    free(batch->names);
    free(batch->x);
    *batch = (struct bl_batch){0};
}

/* Standard deviation of a sample, from how far all of them lie from the median of their probe, and
 * the standard error of such a median. */
static void tell_noise(struct bl_inference *inference, const struct bl_batch *batch,
                       const double samples[])
{
    const unsigned repeats = inference->repeats;
    double *away = malloc((batch->count * repeats + 1) * sizeof *away);
    if (!away)
        return;
    size_t count = 0;
    for (size_t i = 0; i < batch->count; i++)
        for (unsigned k = 0; k < repeats; k++) {
            const double distance = fabs(samples[i * repeats + k] - batch->log_ns[i]);
            if (distance > 0) /* one of them is the median itself */
                away[count++] = distance;
        }
    /* Half of all normal samples lie closer to the median of theirs, be it of three or of many. */
    const double normal = 0.685;
    if (count > 0)
        inference->noise = bl_median(away, count) / normal;
    inference->error = inference->noise * (repeats <= 3   ? 0.67
                                           : repeats <= 5 ? 0.536
                                                          : 1.25 / sqrt(repeats));
    free(away);
}

enum bl_status bl_batch_measure(struct bl_inference *inference, struct bl_batch *batch,
                                struct bl_error *error)
{
    const struct bl_target *target = inference->target;
    double *samples = malloc((batch->count + 1) * inference->repeats * sizeof *samples);
    double *copy = malloc(inference->repeats * sizeof *copy);
    if (!samples || !copy) {
        free(samples);
        free(copy);
        return bl_fail(error, BL_NO_MEMORY, "no memory for samples");
    }
    enum bl_status status = BL_OK;
    for (unsigned k = 0; k < inference->repeats && status == BL_OK; k++)
        for (size_t i = 0; i < batch->count && status == BL_OK; i++) {
            double ns = NAN;
            status = target->lanes(target->context, &batch->probes[i], &ns, error);
            samples[i * inference->repeats + k] = log(ns);
        }
    for (size_t i = 0; i < batch->count && status == BL_OK; i++) {
        memcpy(copy, samples + i * inference->repeats, inference->repeats * sizeof *copy);
        batch->log_ns[i] = bl_median(copy, inference->repeats);
    }
    if (status == BL_OK)
        tell_noise(inference, batch, samples);
    free(samples);
    free(copy);
    return status;
}

enum bl_status bl_keep_point(struct bl_inference *inference, const struct bl_evidence *evidence,
                             struct bl_error *error)
{
    struct bl_findings *findings = inference->findings;
    struct bl_evidence *more = bl_array_grow(findings->evidence, findings->evidence_count,
                                             &findings->evidence_capacity, sizeof *more);
    if (!more)
        return bl_fail(error, BL_NO_MEMORY, "no memory for evidence");
    findings->evidence = more;
    findings->evidence[findings->evidence_count++] = *evidence;
    return BL_OK;
}

enum bl_status bl_batch_keep(struct bl_inference *inference, const struct bl_batch *batch,
                             const char *sweep, double log_unit, const double expected[],
                             struct bl_error *error)
{
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < batch->count && status == BL_OK; i++) {
        struct bl_evidence evidence = {
            .sweep = sweep,
            .x = batch->x[i],
            .measured = exp(batch->log_ns[i] - log_unit),
            .expected = expected ? expected[i] : NAN,
            .error = inference->error,
            .unit = "clocks",
        };
        memcpy(evidence.point, batch->names[i], sizeof evidence.point);
        status = bl_keep_point(inference, &evidence, error);
    }
    return status;
}

double bl_scale_of(const struct bl_inference *inference)
{
    const double rule = 0.012; /* what the best rules are off */
    return sqrt(inference->error * inference->error + rule * rule);
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

struct bl_finding *bl_find(struct bl_inference *inference, const char *key, const char *meaning,
                           enum bl_finding_kind kind, double value, double confidence)
{
    struct bl_findings *findings = inference->findings;
    struct bl_finding *finding =
        &findings->all[findings->count < BL_MAX_FINDINGS - 1 ? findings->count++ : findings->count];
    *finding = (struct bl_finding){
        .key = key,
        .meaning = meaning,
        .unit = "",
        .kind = kind,
        .is_known = confidence >= BL_STATED_FROM,
        .value = value,
        .lo = value,
        .hi = value,
        .confidence = confidence > BL_MOST_CERTAIN ? BL_MOST_CERTAIN : confidence,
    };
    if (!finding->is_known && kind == BL_FOUND_FLAG)
        snprintf(finding->why, sizeof finding->why, "not certain: %s has a probability of %.0f %%",
                 value > 0.5 ? "yes" : "no", 100 * confidence);
    else if (!finding->is_known)
        snprintf(finding->why, sizeof finding->why,
                 "not certain: the best guess, %.4g, has a probability of %.0f %%", value,
                 100 * confidence);
    return finding;
}

void bl_find_unknown(struct bl_inference *inference, const char *key, const char *meaning,
                     const char *format, ...)
{
    struct bl_finding *finding = bl_find(inference, key, meaning, BL_FOUND_NUMBER, 0, 0);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->why, sizeof finding->why, format, arguments);
    va_end(arguments);
}

void bl_find_basis(struct bl_finding *finding, const char *sweep, const char *format, ...)
{
    finding->sweep = sweep;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->basis, sizeof finding->basis, format, arguments);
    va_end(arguments);
}

const char *bl_infer_why_no_local_rule(const struct bl_inference *inference)
{
    return inference->lacks_local_times ? "local memory could not be measured"
                                        : "local memory follows no rule of banks";
}

bool bl_infer_goes_on(enum bl_status status)
{
    return status == BL_OPENCL_FAILED || status == BL_BUILD_FAILED || status == BL_OUT_OF_RANGE;
}

void bl_infer_repeat(struct bl_inference *inference, double error)
{
    const double wanted = pow(1.25 * inference->noise / error, 2);
    const unsigned least = inference->settings->quick ? 3 : 5, most = 41;
    inference->repeats = wanted >= most ? most : wanted <= least ? least : (unsigned)wanted | 1;
}

struct bl_lanes_probe *bl_batch_add_lines(struct bl_batch *batch, const uint64_t addresses[],
                                          unsigned count, unsigned step_bytes)
{
    struct bl_lanes_probe *probe =
        bl_batch_add(batch, BL_MEMORY_GLOBAL, BL_PROBE_READ, &bl_type_int, step_bytes);
    for (unsigned i = 0; probe && i < BL_TABLE_ITEMS; i++)
        probe->places[0][i] = addresses[i % count];
    return probe;
}

uint64_t bl_infer_beside_anchors(const struct bl_inference *inference, uint64_t line)
{
    enum { SMALLEST_LINE = 32 };
    const unsigned word = inference->machine.bank_bytes, banks = inference->machine.banks;
    for (uint64_t at = line; at < line + SMALLEST_LINE; at += word) {
        bool is_free = true;
        for (unsigned i = 0; i < inference->anchor_count; i++)
            is_free &= at / word % banks != inference->anchors[i] / word % banks;
        if (is_free)
            return at;
    }
    return line + word;
}
