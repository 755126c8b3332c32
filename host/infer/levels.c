/* The levels of memory: how many, what a read of each takes, and how much each cache holds.
 *
 * Latencies over working sets are flat where a level holds all of it. Between two flats lies the
 * size of the cache that the first of them is of.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "infer/inference.h"
#include "infer/knee.h"
#include "measure/stats.h"

enum { OF_OCTAVE = 4, MAX_CHAINS = 160, MIN_FLAT = 5, REFINED = 32 };

/* Chains of a flat differ by less than this from its median, and the medians of two flats by more
 * than that. */
static const double within = 0.12, apart = 0.25;
/* The first chains of a flat rise by less than this: what nears the next level slowly is none. */
static const double level_rise = 0.05;

struct flat {
    size_t first, end; /* chains */
    double log_ns;
};

struct sweep {
    struct bl_chain *chains;
    size_t count;
    double error; /* of a chain */
    struct flat flats[BL_LEVELS + 2];
    size_t flat_count;
};

static void add_chain(const struct bl_inference *inference, struct bl_chain chains[], size_t *count,
                      double bytes)
{
    const unsigned pitch = bl_chain_pitch(inference);
    const uint64_t places = (uint64_t)(bytes / pitch);
    struct bl_chain *chain = &chains[*count];
    *chain = (struct bl_chain){
        .probe = {.address = bl_chain_begin(inference), .pitch_bytes = pitch, .places = places},
        .x = (double)(places * pitch)};
    snprintf(chain->name, sizeof chain->name, "%.0f bytes", chain->x);
    if (places >= 2 && (*count == 0 || chains[*count - 1].x < chain->x))
        (*count)++;
}

static double median_of(const struct bl_chain chains[], size_t first, size_t end)
{
    double values[MAX_CHAINS];
    for (size_t i = first; i < end; i++)
        values[i - first] = chains[i].log_ns;
    return bl_median(values, end - first);
}

/* Chains from first on that lie together. */
static size_t end_of_flat(const struct sweep *sweep, size_t first, double tolerance)
{
    size_t end = first + MIN_FLAT;
    if (end > sweep->count)
        return first;
    const struct bl_chain *chains = sweep->chains;
    const double rise = (chains[end - 1].log_ns + chains[end - 2].log_ns - chains[first].log_ns -
                         chains[first + 1].log_ns) /
                        2;
    if (rise > level_rise + 2.5 * sweep->error)
        return first;
    for (; end <= sweep->count; end++) {
        const double median = median_of(sweep->chains, first, end);
        unsigned off = 0;
        for (size_t i = first; i < end; i++)
            off += fabs(sweep->chains[i].log_ns - median) > tolerance;
        const bool last_is_off = fabs(sweep->chains[end - 1].log_ns - median) > tolerance;
        if (end == first + MIN_FLAT ? off > 0 : last_is_off && off > (end - first) / 8)
            break;
    }
    if (end == first + MIN_FLAT)
        return first;
    end--;
    const double median = median_of(sweep->chains, first, end);
    while (fabs(sweep->chains[end - 1].log_ns - median) > tolerance)
        end--;
    return end;
}

static void find_flats(struct sweep *sweep, double error)
{
    const double tolerance = fmax(within, 3.5 * error);
    size_t at = 0;
    while (at < sweep->count) {
        const size_t end = end_of_flat(sweep, at, tolerance);
        if (end == at) {
            at++;
            continue;
        }
        const struct flat flat = {at, end, median_of(sweep->chains, at, end)};
        struct flat *last = sweep->flat_count ? &sweep->flats[sweep->flat_count - 1] : NULL;
        if (last && flat.log_ns - last->log_ns < apart) {
            if (flat.log_ns - last->log_ns > -apart)
                last->end = end;
        } else if (sweep->flat_count < sizeof sweep->flats / sizeof sweep->flats[0]) {
            sweep->flats[sweep->flat_count++] = flat;
        }
        at = end;
    }
}

/* The keys of a level's findings, by its number from 0 on. */
static const char *const size_keys[] = {"cache_bytes", "l2_bytes", "llc_bytes"},
                         *const latency_keys[] = {"cache_latency_ns", "l2_latency_ns",
                                                  "llc_latency_ns"};

/* The size of the cache between a flat and the next, from chains about the knee. */
static enum bl_status find_size(struct bl_inference *inference, const struct sweep *sweep,
                                unsigned level, struct bl_error *error)
{
    static const char *const sweeps[] = {"first-knee", "second-knee", "third-knee"};
    static const char *const meanings[] = {"bytes of the first cache, of a compute unit",
                                           "bytes of the second cache", "bytes of the third cache"};
    const struct flat *before = &sweep->flats[level], *after = &sweep->flats[level + 1];
    const double
        lo = sweep->chains[before->end > 2 ? before->end - 2 : 0].x,
        hi = sweep->chains[after->first + 1 < sweep->count ? after->first + 1 : after->first].x;
    struct bl_chain chains[REFINED];
    size_t count = 0;
    for (unsigned i = 0; i < REFINED; i++)
        add_chain(inference, chains, &count, lo * pow(hi / lo, i / (REFINED - 1.0)));
    enum bl_status status = bl_chains_measure(inference, chains, count, error);
    if (status != BL_OK)
        return status;
    struct bl_knee_point points[REFINED];
    for (size_t i = 0; i < count; i++)
        points[i] = (struct bl_knee_point){.is_walked = chains[i].probe.places <= BL_WALKED_PLACES,
                                           .bytes = chains[i].x,
                                           .log_ns = chains[i].log_ns};
    struct bl_knee knee;
    const double scale = sqrt(inference->error * inference->error + 0.02 * 0.02);
    if (!bl_knee_find(points, count, exp(before->log_ns), exp(after->log_ns), scale, &knee))
        return bl_fail(error, BL_NO_MEMORY, "no memory for a fit");
    inference->level_bytes[level] = knee.bytes;
    if (level == 0)
        inference->first_knee = knee;
    if (knee.rms > BL_MOST_OFF) {
        bl_find_unknown(
            inference, size_keys[level], meanings[level],
            "the curve of misses is that of no known kind of cache (%.0f %% rms misfit)",
            100 * knee.rms);
        return bl_chains_keep(inference, chains, count, sweeps[level], error);
    }
    struct bl_finding *finding =
        bl_find(inference, size_keys[level], meanings[level], BL_FOUND_AMOUNT, knee.bytes, 0.95);
    finding->unit = "bytes";
    /* A curve that no shape quite has leaves the size in doubt. */
    const double doubt = knee.rms > 0.055 ? 1 + knee.rms / 2 : 1;
    finding->lo = knee.lo / doubt;
    finding->hi = knee.hi * doubt;
    bl_find_basis(finding, sweeps[level],
                  "where reads begin to miss, %.1f %% rms misfit, %zu points", 100 * knee.rms,
                  count);
    return bl_chains_keep(inference, chains, count, sweeps[level], error);
}

/* Near its size a cache loses some reads already, and a working set of little more than the cache
 * before finds some in that. */
static void trim(const struct bl_inference *inference, struct sweep *sweep, unsigned level)
{
    struct flat *flat = &sweep->flats[level];
    struct flat inner = *flat;
    const double before = level ? inference->level_bytes[level - 1] : 0,
                 own = inference->level_bytes[level];
    /* Of a cache whose sets fill unevenly reads begin to miss early. */
    const bool is_uneven = level > 0 || inference->first_knee.hashed_probability > 0.1;
    while (inner.end > inner.first &&
           sweep->chains[inner.end - 1].x > (is_uneven ? 0.3 : 0.6) * own)
        inner.end--;
    while (inner.first < inner.end && sweep->chains[inner.first].x < 2 * before)
        inner.first++;
    if (inner.end - inner.first < 3)
        return;
    inner.log_ns = median_of(sweep->chains, inner.first, inner.end);
    *flat = inner;
}

static enum bl_status conclude(struct bl_inference *inference, struct sweep *sweep,
                               struct bl_error *error)
{
    static const char *const meanings[] = {"of a read that hits the first cache",
                                           "of one that hits the second",
                                           "of one that hits the third"};
    const unsigned levels = (unsigned)sweep->flat_count;
    struct flat *memory = &sweep->flats[levels - 1];
    enum bl_status status = BL_OK;
    inference->levels = levels;
    /* The caches have a share of all that is not far larger than they are. */
    const size_t largest = memory->end - memory->first > 8 ? memory->end - 8 : memory->first;
    memory->log_ns = median_of(sweep->chains, largest, memory->end);
    for (unsigned level = 0; level + 1 < levels && status == BL_OK; level++)
        status = find_size(inference, sweep, level, error);
    memory->first = largest;
    const double hit_ns = exp(sweep->flats[levels - 2].log_ns),
                 share = inference->level_bytes[levels - 2] /
                         sweep->chains[(memory->first + memory->end) / 2].x;
    memory->log_ns = log(hit_ns + (exp(memory->log_ns) - hit_ns) / (1 - fmin(0.5, share)));
    for (unsigned level = 0; level < levels; level++) {
        struct flat *flat = &sweep->flats[level];
        const bool is_memory = level + 1 == levels;
        if (!is_memory)
            trim(inference, sweep, level);
        inference->latency_ns[level] = exp(flat->log_ns);
        struct bl_finding *finding =
            bl_find(inference, is_memory ? "memory_latency_ns" : latency_keys[level % BL_LEVELS],
                    is_memory ? "of one that no cache holds" : meanings[level % BL_LEVELS],
                    BL_FOUND_AMOUNT, inference->latency_ns[level], 0.95);
        /* A median of so many chains, each with its error; and what differs between chains. */
        const double n = (double)(flat->end - flat->first);
        const double error_of = 1.25 * fmax(sweep->error, 0.004) / sqrt(n);
        finding->unit = "ns";
        finding->lo = finding->value * exp(-2.2 * error_of);
        finding->hi = finding->value * exp(2.2 * error_of);
        bl_find_basis(finding, "latencies",
                      "chains through working sets that it holds, %.0f points", n);
    }
    return status;
}

enum bl_status bl_infer_levels(struct bl_inference *inference, struct bl_error *error)
{
    struct bl_chain chains[MAX_CHAINS];
    struct sweep sweep = {.chains = chains};
    const double room = (double)bl_chain_room(inference);
    const double most = inference->settings->quick ? fmin(room, 1 << 30) : room;
    for (double bytes = 1024; bytes <= most && sweep.count < MAX_CHAINS;
         bytes *= pow(2, 1.0 / OF_OCTAVE))
        add_chain(inference, chains, &sweep.count, bytes);
    bl_infer_repeat(inference, 0.02);
    enum bl_status status = bl_chains_measure(inference, chains, sweep.count, error);
    if (status == BL_OK) {
        sweep.error = inference->error;
        find_flats(&sweep, sweep.error);
        status = bl_chains_keep(inference, chains, sweep.count, "latencies", error);
    }
    if (status == BL_OK && sweep.flat_count >= 2 && sweep.flat_count <= BL_LEVELS + 1)
        status = conclude(inference, &sweep, error);
    if (status == BL_OK && inference->levels)
        return BL_OK;
    if (status != BL_OK && !bl_infer_goes_on(status))
        return status;
    bl_find_unknown(inference, "cache_bytes", "bytes of the first cache, of a compute unit", "%s",
                    status != BL_OK        ? "the chains could not be measured"
                    : sweep.flat_count < 2 ? "latencies show no two levels"
                                           : "latencies show more than four levels");
    return BL_OK;
}
