/* Infers from pointer chases the levels of memory, the ways of the first cache, the share of this
 * cache that one tag bank's lines can fill, how much memory the TLB covers, and each level's
 * granule (the number of bytes that it delivers together).
 *
 * In a pointer chase each read waits for the previous read, so latencies are not hidden. The time
 * of a chain is the sum of the latencies and shows which level served the reads. All findings of
 * this file rest on how this time changes with the number of places, their distance or their tag
 * banks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "infer/inference.h"
#include "measure/stats.h"
#include "model/access.h"

/* Finds a cache's size from the latencies of chases around that size. left_out: the error of the
 * modelled curves, a fraction. */
static enum bl_status find_knee(const struct bl_inference *inference, double hit_ns, double miss_ns,
                                double left_out, struct bl_knee *knee)
{
    enum { MAX_POINTS = 64 };
    const struct bl_batch *batch = inference->batch;
    struct bl_knee_point points[MAX_POINTS];
    for (size_t i = 0; i < batch->count; i++)
        points[i] = (struct bl_knee_point){
            .is_walked = batch->points[i].chase.places <= BL_WALKED_PLACES,
            .bytes = batch->points[i].x,
            .log_ns = batch->log_ns[i],
        };
    const double scale = bl_scale_of(inference, left_out);
    return bl_knee_find(points, batch->count, hit_ns, miss_ns, scale, knee)
               ? BL_OK
               : bl_fail(inference->failure, BL_NO_MEMORY,
                         "out of memory while fitting a cache's size");
}

/* The levels of memory: their number, latencies and sizes.
 *
 * The latency as a function of the working set's size is flat where one level holds the whole
 * working set. The size of that level lies between its flat part and the next flat part. */

enum { OF_OCTAVE = 4, MAX_CHASES = 160, MIN_FLAT = 5, REFINED = 32 };

/* Most chases of a flat part differ by at most `within` from its median, or by more if the times
 * are noisy; the medians of flat parts differ by `apart` or more. Both are differences of
 * logarithms. */
static const double within = 0.12, apart = 0.25;
/* The times of a flat part's first chases rise by at most this fraction, or by more if the times
 * are noisy; a slow rise towards the next level is not a flat part. */
static const double level_rise = 0.05;

struct flat {
    size_t first, end; /* indices of chases; end is exclusive */
    double log_ns;
};

struct sweep {
    double bytes[MAX_CHASES], log_ns[MAX_CHASES]; /* per chase */
    size_t count;
    double error; /* standard error of each log_ns */
    struct flat flats[BL_LEVELS + 2];
    size_t flat_count;
};

/* Adds a chase through a working set, unless rounding to whole places makes it equal to the
 * previous one. */
static void add_working_set(struct bl_inference *inference, double bytes)
{
    const struct bl_batch *batch = inference->batch;
    const unsigned pitch = bl_chase_pitch(inference);
    const uint64_t places = (uint64_t)(bytes / pitch);
    const double x = (double)(places * pitch);
    if (places < 2 || (batch->count > 0 && batch->points[batch->count - 1].x >= x))
        return;
    bl_batch_add_chase(inference, pitch, places);
    bl_batch_name(inference->batch, x, "%.0f bytes", x);
}

static double median_of(const double log_ns[], size_t first, size_t end)
{
    double values[MAX_CHASES];
    memcpy(values, log_ns + first, (end - first) * sizeof *values);
    return bl_median(values, end - first);
}

/* The index after the last of the chases from `first` on that agree within the tolerance; `first`
 * if too few agree. */
static size_t end_of_flat(const struct sweep *sweep, size_t first, double tolerance)
{
    size_t end = first + MIN_FLAT;
    if (end > sweep->count)
        return first;
    const double *log_ns = sweep->log_ns;
    const double rise = (log_ns[end - 1] + log_ns[end - 2] - log_ns[first] - log_ns[first + 1]) / 2;
    if (rise > level_rise + 2.5 * sweep->error)
        return first;
    for (; end <= sweep->count; end++) {
        const double median = median_of(log_ns, first, end);
        unsigned off = 0;
        for (size_t i = first; i < end; i++)
            off += fabs(log_ns[i] - median) > tolerance;
        const bool last_is_off = fabs(log_ns[end - 1] - median) > tolerance;
        if (end == first + MIN_FLAT ? off > 0 : last_is_off && off > (end - first) / 8)
            break;
    }
    if (end == first + MIN_FLAT)
        return first;
    end--;
    const double median = median_of(log_ns, first, end);
    while (fabs(log_ns[end - 1] - median) > tolerance)
        end--;
    return end;
}

static void find_flats(struct sweep *sweep)
{
    const double tolerance = fmax(within, 3.5 * sweep->error);
    for (size_t at = 0, end; at < sweep->count; at = at == end ? at + 1 : end) {
        end = end_of_flat(sweep, at, tolerance);
        if (end == at)
            continue;
        const struct flat flat = {at, end, median_of(sweep->log_ns, at, end)};
        struct flat *last = sweep->flat_count ? &sweep->flats[sweep->flat_count - 1] : NULL;
        if (last && flat.log_ns - last->log_ns < apart) {
            if (flat.log_ns - last->log_ns > -apart)
                last->end = end;
        } else if (sweep->flat_count < sizeof sweep->flats / sizeof sweep->flats[0]) {
            sweep->flats[sweep->flat_count++] = flat;
        }
    }
}

/* Finds the size of a level's cache, from additional chases around its knee. */
static enum bl_status find_size(struct bl_inference *inference, const struct sweep *sweep,
                                unsigned level)
{
    static const char *const sweeps[] = {"first-knee", "second-knee", "third-knee"};
    const struct flat *before = &sweep->flats[level], *after = &sweep->flats[level + 1];
    const size_t next = after->first + 1 < sweep->count ? after->first + 1 : after->first;
    const double lo = sweep->bytes[before->end > 2 ? before->end - 2 : 0], hi = sweep->bytes[next];
    const struct bl_batch *batch = bl_batch_begin(inference);
    for (unsigned i = 0; i < REFINED; i++)
        add_working_set(inference, lo * pow(hi / lo, i / (REFINED - 1.0)));
    struct bl_knee knee;
    enum bl_status status = bl_batch_measure(inference);
    if (status == BL_OK)
        status = find_knee(inference, exp(before->log_ns), exp(after->log_ns), 0.02, &knee);
    if (status != BL_OK)
        return status;
    inference->level_bytes[level] = knee.bytes;
    if (level == 0)
        inference->first_knee = knee;
    char key[BL_LEVEL_KEY];
    bl_level_key(inference, level, "bytes", key);
    /* The worse the best modelled curve fits, the less certain the size is. */
    const double doubt = knee.rms > 0.055 ? 1 + knee.rms / 2 : 1;
    if (knee.rms > BL_MOST_OFF)
        bl_find_unknown(inference, key,
                        "no modelled cache explains the curve of misses (%.0f %% rms misfit)",
                        100 * knee.rms);
    else
        bl_find_basis(bl_find_amount(inference, key, knee.bytes, knee.lo / doubt, knee.hi * doubt),
                      sweeps[level], "where reads begin to miss, %.1f %% rms misfit, %zu points",
                      100 * knee.rms, batch->count);
    return bl_batch_keep(inference, sweeps[level], 0, NULL);
}

/* Narrows a flat part: near a cache's size some reads already miss, and a working set that is only
 * a little larger than the previous cache still partly hits that cache. */
static void trim(const struct bl_inference *inference, struct sweep *sweep, unsigned level)
{
    struct flat *flat = &sweep->flats[level];
    struct flat inner = *flat;
    const double before = level ? inference->level_bytes[level - 1] : 0,
                 own = inference->level_bytes[level];
    /* If sets fill unevenly, reads begin to miss in smaller working sets. */
    const bool is_uneven = level > 0 || inference->first_knee.hashed_probability > 0.1;
    while (inner.end > inner.first && sweep->bytes[inner.end - 1] > (is_uneven ? 0.3 : 0.6) * own)
        inner.end--;
    while (inner.first < inner.end && sweep->bytes[inner.first] < 2 * before)
        inner.first++;
    if (inner.end - inner.first < 3)
        return;
    inner.log_ns = median_of(sweep->log_ns, inner.first, inner.end);
    *flat = inner;
}

static enum bl_status conclude(struct bl_inference *inference, struct sweep *sweep)
{
    const unsigned levels = (unsigned)sweep->flat_count;
    struct flat *memory = &sweep->flats[levels - 1];
    enum bl_status status = BL_OK;
    inference->levels = levels;
    /* For memory, uses only the largest working sets: caches hold a larger share of others. */
    const size_t largest = memory->end - memory->first > 8 ? memory->end - 8 : memory->first;
    memory->log_ns = median_of(sweep->log_ns, largest, memory->end);
    for (unsigned level = 0; level + 1 < levels && status == BL_OK; level++)
        status = find_size(inference, sweep, level);
    memory->first = largest;
    const double hit_ns = exp(sweep->flats[levels - 2].log_ns),
                 share = inference->level_bytes[levels - 2] /
                         sweep->bytes[(memory->first + memory->end) / 2];
    /* The last cache still serves `share` of the reads; subtracts the time of these reads. */
    memory->log_ns = log(hit_ns + (exp(memory->log_ns) - hit_ns) / (1 - fmin(0.5, share)));
    for (unsigned level = 0; level < levels; level++) {
        struct flat *flat = &sweep->flats[level];
        char key[BL_LEVEL_KEY];
        if (level + 1 < levels)
            trim(inference, sweep, level);
        const double ns = inference->latency_ns[level] = exp(flat->log_ns);
        /* The error of the median of these chases. Each chase is assumed to have an error of at
         * least 0.4 %. */
        const double n = (double)(flat->end - flat->first);
        const double error_of = BL_MEDIAN_TO_MEAN_ERROR * fmax(sweep->error, 0.004) / sqrt(n);
        bl_level_key(inference, level, "latency_ns", key);
        bl_find_basis(bl_find_about(inference, key, ns, 2.2 * error_of), "latencies",
                      "chains through working sets that the level holds, %.0f points", n);
    }
    return status;
}

static enum bl_status sweep_working_sets(struct bl_inference *inference, struct sweep *sweep)
{
    const struct bl_batch *batch = bl_batch_begin(inference);
    const double room = (double)bl_chase_room(inference);
    const double most = inference->settings->quick ? fmin(room, 1 << 30) : room;
    for (double bytes = 1024; bytes <= most && batch->count < MAX_CHASES;
         bytes *= pow(2, 1.0 / OF_OCTAVE))
        add_working_set(inference, bytes);
    bl_infer_repeat(inference, 0.02);
    const enum bl_status status = bl_batch_measure(inference);
    if (status != BL_OK)
        return status;
    sweep->count = batch->count;
    sweep->error = inference->error;
    memcpy(sweep->log_ns, batch->log_ns, batch->count * sizeof *sweep->log_ns);
    for (size_t i = 0; i < batch->count; i++)
        sweep->bytes[i] = batch->points[i].x;
    find_flats(sweep);
    return bl_batch_keep(inference, "latencies", 0, NULL);
}

enum bl_status bl_infer_levels(struct bl_inference *inference)
{
    struct sweep sweep = {0};
    enum bl_status status = sweep_working_sets(inference, &sweep);
    if (status == BL_OK && sweep.flat_count >= 2 && sweep.flat_count <= BL_LEVELS + 1)
        status = conclude(inference, &sweep);
    if (status == BL_OK && inference->levels)
        return BL_OK;
    if (status != BL_OK && !bl_infer_goes_on(status))
        return status;
    bl_find_unknown(inference, "cache_bytes", "%s",
                    status != BL_OK        ? "the chains could not be measured"
                    : sweep.flat_count < 2 ? "the latencies show only one level"
                                           : "latencies show more than four levels");
    return BL_OK;
}

/* Infers three things: the ways of the first cache, from lines that evict each other; the share of
 * this cache that the lines of one tag bank can fill, which also confirms the hash; and how much
 * memory the TLB covers. */

enum { WAYS = 6, SHARES = 28, SPANS = 64, PAGE_PLACES = 4096 };

/* Lines of one set stay cached up to the number of ways; with one more line, all are evicted. */
static enum bl_status infer_ways(struct bl_inference *inference)
{
    const struct bl_knee *knee = &inference->first_knee;
    if (knee->hashed_probability > 1 - BL_STATED_FROM || knee->ways_probability < BL_STATED_FROM) {
        bl_find_unknown(inference, "cache_ways", "%s",
                        knee->hashed_probability > 0.5
                            ? "sets fill unevenly, as if a hash chose them"
                            : "the curve of misses does not determine the number of ways");
        return BL_OK;
    }
    const struct bl_batch *batch = bl_batch_begin(inference);
    const unsigned ways = knee->ways;
    const uint64_t line = bl_chase_pitch(inference);
    const uint64_t pitch = (uint64_t)(knee->bytes / ways / (double)line + 0.5) * line;
    for (unsigned i = 0; i < WAYS; i++) {
        const unsigned lines = ways + i > 3 ? ways + i - 2 : 2;
        bl_batch_add_chase(inference, pitch, lines);
        bl_batch_name(inference->batch, lines, "%u lines of a set", lines);
    }
    const enum bl_status status = bl_batch_measure(inference);
    if (status != BL_OK)
        return status;
    const double middle = (log(inference->latency_ns[0]) + log(inference->latency_ns[1])) / 2;
    bool agree = true;
    for (unsigned i = 0; i < WAYS; i++)
        agree &= (batch->log_ns[i] > middle) == (batch->points[i].x > ways);
    if (agree)
        bl_find_basis(bl_find(inference, "cache_ways", ways, knee->ways_probability), "sets",
                      "%u lines of one set stay cached, %u do not, as the curve of misses suggests",
                      ways, ways + 1);
    else
        bl_find_unknown(inference, "cache_ways",
                        "lines of one set do not evict each other as the "
                        "curve of misses suggests");
    return bl_batch_keep(inference, "sets", 0, NULL);
}

/* Lists `count` lines from this address on that are in the tag bank of the first line, in random
 * order. Returns NULL if memory runs out. */
static uint32_t *lines_of_bank(struct bl_inference *inference, uint64_t address, uint64_t count)
{
    uint32_t *list = malloc(count * sizeof *list);
    const struct bl_machine *machine = &inference->machine;
    const uint64_t first = address / machine->line_bytes;
    const unsigned bank = bl_tag_bank(machine, first);
    uint64_t found = 0;
    for (uint32_t line = 0; list && found < count; line++)
        if (bl_tag_bank(machine, first + line) == bank)
            list[found++] = line;
    for (size_t i = found; i > 1; i--) {
        const size_t k = bl_infer_random(inference, (uint32_t)i);
        const uint32_t other = list[k];
        list[k] = list[i - 1];
        list[i - 1] = other;
    }
    return list;
}

/* Measures chases through lines of one tag bank in random order; the caller frees the lists. */
static enum bl_status measure_shares(struct bl_inference *inference, unsigned banks,
                                     uint32_t *lists[SHARES])
{
    const double cache = inference->level_bytes[0], line = inference->machine.line_bytes;
    bl_batch_begin(inference);
    for (unsigned i = 0; i < SHARES; i++) {
        /* Sizes from half of one bank's expected share to one and a half times the whole cache. */
        const double bytes = cache / banks / 2 * pow(3.0 * banks, i / (SHARES - 1.0));
        const uint64_t places = (uint64_t)(bytes / line) < 2 ? 2 : (uint64_t)(bytes / line);
        struct bl_chase_probe *probe = bl_batch_add_chase(inference, (uint64_t)line, places);
        probe->list = lists[i] = lines_of_bank(inference, probe->address, places);
        if (!lists[i])
            return bl_fail(inference->failure, BL_NO_MEMORY,
                           "out of memory while listing the lines of a tag bank");
        bl_batch_name(inference->batch, (double)places * line, "%.0f bytes of one tag bank",
                      (double)places * line);
    }
    return bl_batch_measure(inference);
}

static enum bl_status infer_share(struct bl_inference *inference)
{
    const double cache = inference->level_bytes[0], line = inference->machine.line_bytes;
    const unsigned banks = inference->machine.tag_masks[0]
                               ? (unsigned)bl_found(inference->findings, "tag_banks", 1)
                               : 1;
    if (banks < 2 || cache / line > BL_WALKED_PLACES / 2.0) {
        bl_find_unknown(inference, "tag_bank_share", "%s",
                        banks < 2
                            ? "there is only one tag bank, or the number of tag banks is not known"
                            : "the first cache is too large for a pointer chase");
        return BL_OK;
    }
    uint32_t *lists[SHARES] = {NULL};
    struct bl_knee knee;
    enum bl_status status = measure_shares(inference, banks, lists);
    for (unsigned i = 0; i < SHARES; i++)
        free(lists[i]);
    if (status == BL_OK)
        status =
            find_knee(inference, inference->latency_ns[0], inference->latency_ns[1], 0.03, &knee);
    if (status != BL_OK)
        return status;
    bl_find_basis(bl_find_amount(inference, "tag_bank_share", knee.bytes / cache,
                                 knee.lo / inference->first_knee.hi,
                                 knee.hi / inference->first_knee.lo),
                  "tag-bank-share", "chains through lines of one tag bank, %d points", SHARES);
    return bl_batch_keep(inference, "tag-bank-share", 0, NULL);
}

/* The log likelihood that the latencies from `first` to `end` - 1 are equal. *median receives their
 * median. */
static double alike(const double log_ns[], size_t first, size_t end, double scale, double *median)
{
    double sum = 0;
    *median = median_of(log_ns, first, end);
    for (size_t i = first; i < end; i++)
        sum += bl_log_density(log_ns[i] - *median, scale);
    return sum;
}

/* The probability that latencies rise in a single step. *last receives the index of the last span
 * before the step. */
static double find_step(const double log_ns[], size_t count, double scale, size_t *last)
{
    double likelihoods[SPANS + 1], before, after;
    for (size_t step = 1; step < count; step++) {
        const double sum =
            alike(log_ns, 0, step, scale, &before) + alike(log_ns, step, count, scale, &after);
        const bool is_step = after > before + 0.015 && step >= 3 && count - step >= 3;
        likelihoods[step - 1] =
            is_step ? sum - log(8) : -INFINITY; /* a penalty for fitting a second median */
    }
    likelihoods[count - 1] = alike(log_ns, 0, count, scale, &before) + log((double)count);
    *last = bl_posterior(likelihoods, count);
    return *last == count - 1 ? 0 : 1 - likelihoods[count - 1];
}

static enum bl_status infer_reach(struct bl_inference *inference)
{
    const struct bl_batch *batch = bl_batch_begin(inference);
    const uint64_t line = bl_chase_pitch(inference), room = bl_chase_room(inference);
    for (double span = 4 << 20; span < (double)room && batch->count < SPANS; span *= pow(2, 0.25)) {
        /* An odd number of lines, so that places do not all map to the same cache sets. */
        const uint64_t pitch = ((uint64_t)(span / PAGE_PLACES / (double)line) | 1) * line;
        const double bytes = (double)(pitch * PAGE_PLACES);
        if (pitch * PAGE_PLACES > room)
            break;
        bl_batch_add_chase(inference, pitch, PAGE_PLACES);
        bl_batch_name(inference->batch, bytes, "%d lines in %.0f MiB", PAGE_PLACES,
                      bytes / (1 << 20));
    }
    const enum bl_status status = bl_batch_measure(inference);
    if (status != BL_OK)
        return status;
    size_t last = 0;
    const bool is_enough = batch->count >= 8;
    const double step =
        is_enough ? find_step(batch->log_ns, batch->count, bl_scale_of(inference, 0.006), &last)
                  : 0;
    if (step >= BL_STATED_FROM) {
        const double lo = batch->points[last].x, hi = batch->points[last + 1].x;
        bl_find_basis(bl_find_amount(inference, "page_reach_bytes", sqrt(lo * hi), lo, hi),
                      "page-reach", "%d lines over larger and larger spans, %zu points",
                      PAGE_PLACES, batch->count);
    } else {
        bl_find_unknown(inference, "page_reach_bytes", "%s",
                        is_enough ? "reads over a whole array take as long as reads over 4 MiB"
                                  : "the arrays are too small");
    }
    return bl_batch_keep(inference, "page-reach", 0, NULL);
}

enum bl_status bl_infer_sets(struct bl_inference *inference)
{
    static const char *const keys[] = {"cache_ways", "tag_bank_share", "page_reach_bytes"};
    const bool has_caches = inference->levels >= 2;
    if (!has_caches || !inference->has_lines) {
        bl_find_none(inference, keys, 3,
                     has_caches ? "the size of a line is not known"
                                : "the levels of memory are not known");
        return BL_OK;
    }
    enum bl_status status = infer_ways(inference);
    if (status == BL_OK)
        status = infer_share(inference);
    if (status == BL_OK && !inference->settings->quick)
        status = infer_reach(inference);
    return status;
}

/* The granule of each level: after a read that this level served, a second read close to the first
 * takes less time if the level delivered the bytes of both reads together. */

enum { DISTANCES = 8, MEMORY_PLACES = 4 << 20 };

/* The shortest distance between the two reads, in bytes; each further distance is twice the
 * previous one. */
static const unsigned nearest = 4;

/* The pitch is more than twice the largest distance, and an odd number of lines, because places
 * that are a power of two apart would all fall into a few sets of a cache. */
static unsigned pitch_of(const struct bl_inference *inference)
{
    const unsigned line = bl_chase_pitch(inference), enough = 2 * nearest << (DISTANCES - 1);
    return (enough / line | 1) * line;
}

/* Finds the granule's size and its probability. The second of two reads takes the same time at all
 * distances of a granule or more, and clearly less time at shorter distances. */
static unsigned find_granule(const double log_ns[], double scale, double *confidence)
{
    double likelihoods[DISTANCES];
    for (unsigned g = 0; g < DISTANCES; g++) { /* the granule is nearest << g bytes */
        double mean = 0, sum = 0;
        for (unsigned d = g; d < DISTANCES; d++)
            mean += log_ns[d] / (DISTANCES - g);
        for (unsigned d = 0; d < DISTANCES; d++) {
            const double off = log_ns[d] - mean;
            /* If second reads lie within the granule, the mean time of first and second reads is
             * assumed to be 8 to 60 % shorter. */
            sum += d >= g ? bl_log_density(off, scale)
                          : (off < -0.08 && off > -0.92 ? -log(0.84) : -log(0.84) - 20);
        }
        /* g distances lie within the granule, and at least two must lie beyond it. */
        likelihoods[g] = g + 2 <= DISTANCES ? sum : -INFINITY;
    }
    const size_t best = bl_posterior(likelihoods, DISTANCES);
    *confidence = likelihoods[best];
    return nearest << best;
}

static enum bl_status infer_granule(struct bl_inference *inference, unsigned level, uint64_t places,
                                    const char *key)
{
    static const char *const sweeps[] = {NULL, "second-granule", "third-granule"};
    const char *sweep = level + 1 == inference->levels ? "memory-granule" : sweeps[level];
    bl_batch_begin(inference);
    for (unsigned d = 0; d < DISTANCES; d++) {
        bl_batch_add_chase(inference, pitch_of(inference), places)->second_bytes = nearest << d;
        bl_batch_name(inference->batch, nearest << d, "and %u bytes on", nearest << d);
    }
    const enum bl_status status = bl_batch_measure(inference);
    if (status != BL_OK)
        return status;
    double confidence;
    const unsigned bytes =
        find_granule(inference->batch->log_ns, bl_scale_of(inference, 0.03), &confidence);
    if (bytes == nearest) {
        bl_find_unknown(inference, key, "second reads are never faster, even close to the first");
    } else {
        bl_find_basis(bl_find(inference, key, bytes, confidence), sweep,
                      "second reads 4 to 512 bytes after the first, %d points", DISTANCES);
        const bool is_sector = bytes < inference->machine.line_bytes;
        if (level == 1)
            bl_find_basis(bl_find(inference, "sector_bytes", is_sector ? bytes : 0, confidence),
                          sweep, "like the granule of the next level");
    }
    return bl_batch_keep(inference, sweep, 0, NULL);
}

enum bl_status bl_infer_granules(struct bl_inference *inference)
{
    enum bl_status status = BL_OK;
    if (inference->levels < 2)
        bl_find_unknown(inference, "sector_bytes", "the levels of memory are not known");
    for (unsigned level = 1; level < inference->levels && status == BL_OK; level++) {
        const bool is_memory = level + 1 == inference->levels;
        const double before = inference->level_bytes[level - 1],
                     own = inference->level_bytes[level];
        const unsigned line = bl_chase_pitch(inference);
        char key[BL_LEVEL_KEY];
        bl_level_key(inference, level, "granule_bytes", key);
        /* A place is assumed to occupy at most two lines of a cache, and at least 64 bytes. */
        uint64_t places = is_memory ? MEMORY_PLACES : (uint64_t)(3 * before / line);
        const uint64_t room = bl_chase_room(inference) / pitch_of(inference);
        places = places > room ? room : places;
        const bool fits =
            is_memory ? (double)places * 64 > 2 * before : (double)places * 2 * line < 0.7 * own;
        if (fits)
            status = infer_granule(inference, level, places, key);
        else
            bl_find_unknown(inference, key, "no working set lies in this level only")->meaning =
                "bytes that a level delivers together";
    }
    return status;
}
