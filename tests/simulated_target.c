/* Simulates a device for inference (see simulated_target.h). */
#include "simulated_target.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "infer/inference.h"
#include "model/access.h"

static double uniform(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)((*state * 2685821657736338717u) >> 11) / 9007199254740992.0;
}

static double normal(uint64_t *state)
{
    return sqrt(-2 * log(uniform(state) + 1e-300)) * cos(2 * M_PI * uniform(state));
}

static unsigned pick(uint64_t *state, const unsigned values[], unsigned count)
{
    return values[(unsigned)(uniform(state) * count)];
}

/* Ends a probe: adds noise to its true time or rate. Fails or is interrupted if the test requests a
 * failure or an interruption of this probe. */
static enum bl_status sample(struct simulated *simulated, double ns, double *value,
                             struct bl_error *error)
{
    *value = ns * exp(simulated->noise * normal(&simulated->random));
    if (uniform(&simulated->random) < simulated->outliers)
        *value *= 1.5;
    if (++simulated->probes == simulated->interrupt_at)
        return bl_fail(error, BL_INTERRUPTED, "interrupted");
    if (simulated->fail_at && simulated->probes >= simulated->fail_at &&
        simulated->probes - simulated->fail_at < simulated->fail_count)
        return bl_fail(error, simulated->no_memory ? BL_NO_MEMORY : BL_OPENCL_FAILED, "no probe");
    return BL_OK;
}

enum bl_status simulated_sample(struct simulated *simulated, double ns, double *value,
                                struct bl_error *error)
{
    return sample(simulated, ns, value, error);
}

/* The clocks if each bank serves its lanes one by one, even lanes that access the same word. */
static double one_by_one(struct bl_machine machine, const struct bl_lanes_probe *probe)
{
    struct bl_lanes_probe asked = *probe;
    asked.access = BL_PROBE_ADD;
    machine.atomics_by_lane = true;
    return bl_probe_clocks(&machine, &asked);
}

/* The clocks of a probe of local memory, by the device's rules for broadcasts and writes. */
static double local_clocks(const struct simulated *simulated, const struct bl_lanes_probe *probe)
{
    struct bl_lanes_probe asked = *probe;
    const bool is_word = probe->type->element_bytes <= simulated->machine.bank_bytes;
    if (probe->access == BL_PROBE_READ && !simulated->broadcasts && is_word)
        return one_by_one(simulated->machine, probe);
    struct bl_machine writes = simulated->machine;
    if (simulated->write_lanes)
        writes.lanes = writes.local_lanes_at_once = simulated->write_lanes;
    if (probe->access == BL_PROBE_WRITE)
        return !simulated->merges_writes && is_word ? one_by_one(writes, probe)
                                                    : bl_probe_clocks(&writes, probe);
    if (probe->access == BL_PROBE_ADD && !simulated->machine.atomics_by_lane)
        asked.access = BL_PROBE_READ;
    return bl_probe_clocks(&simulated->machine, &asked);
}

/* The clocks of a probe of global memory. If its requests alternate between two tables of
 * addresses, the waits for tags and for banks overlap by overlap_percent. */
static double both_clocks(const struct simulated *simulated, const struct bl_lanes_probe *probe)
{
    struct bl_machine tags = simulated->machine;
    struct bl_lanes_probe banks = *probe;
    tags.banks_serve_global = false;
    banks.memory = BL_MEMORY_LOCAL;
    const double sum = bl_probe_clocks(&simulated->machine, probe);
    if (probe->tables == 1 || !simulated->machine.banks_serve_global)
        return sum;
    const double longer = fmax(bl_probe_clocks(&tags, probe), bl_probe_clocks(&tags, &banks));
    return sum - simulated->machine.overlap_percent / 100.0 * (sum - longer);
}

static enum bl_status lanes(void *context, const void *probe_, double *value,
                            struct bl_error *error)
{
    const struct bl_lanes_probe *probe = probe_;
    struct simulated *simulated = context;
    double clocks = probe->memory == BL_MEMORY_LOCAL ? local_clocks(simulated, probe)
                                                     : both_clocks(simulated, probe);
    if (simulated->is_flat)
        clocks = 8;
    if (simulated->follows_no_rule) { /* a random time that depends only on probe->places */
        uint64_t hash = bl_hash_add(BL_HASH_BEGIN, probe->places, sizeof probe->places) | 1;
        uniform(&hash);
        clocks = exp(2 * uniform(&hash));
    }
    if (isnan(clocks)) /* constant memory, if the device does not read it like global memory: one
                          word at a time */
        clocks =
            BL_TABLE_ITEMS * (1 + 0.3 * sin((double)(probe->places[0][1] ^ probe->places[0][3])));
    if (probe->sub_group_items) {
        const double each = (double)probe->groups / simulated->units;
        const double fills =
            probe->memory == BL_MEMORY_LOCAL ? simulated->fills_local : simulated->fills_global;
        clocks *= fmax(1, fills / each);
    }
    return sample(simulated, clocks * simulated->clock_ns / simulated->units, value, error);
}

/* The share of a chase's reads that miss the cache of this level (0 is the first cache). */
static double misses(const struct simulated *simulated, unsigned level,
                     const struct bl_chase_probe *probe)
{
    const struct simulated_cache *cache = &simulated->caches[level];
    const double line = simulated->machine.line_bytes, places = (double)probe->places;
    const double lines_of_place = probe->second_bytes >= simulated->machine.line_bytes ? 2 : 1;
    const double footprint = places * lines_of_place * line;
    if (probe->places > BL_WALKED_PLACES &&
        level == 0) /* the first cache is empty when a launch begins */
        return footprint > cache->bytes ? 1 : 0;
    if (probe->places > BL_WALKED_PLACES)
        return fmax(0, 1 - cache->bytes / footprint);
    if (probe->list) { /* all lines belong to one tag bank: they can use only this bank's share of
                          the first cache, but the whole of the other caches */
        unsigned banks = 1;
        for (unsigned i = 0; i < BL_MAX_TAG_BITS && simulated->machine.tag_masks[i]; i++)
            banks *= 2;
        return bl_knee_misses(footprint, level == 0 ? cache->bytes / banks : cache->bytes,
                              cache->ways, cache->is_hashed);
    }
    const double sets = cache->bytes / line / cache->ways;
    const uint64_t pitch = probe->pitch_bytes / simulated->machine.line_bytes;
    uint64_t a = (uint64_t)sets, b = pitch ? pitch : 1;
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    const double used = cache->is_hashed ? sets : sets / (double)a;
    return bl_knee_misses(footprint, used * cache->ways * line, cache->ways, cache->is_hashed);
}

static enum bl_status chase(void *context, const void *probe_, double *value,
                            struct bl_error *error)
{
    const struct bl_chase_probe *probe = probe_;
    struct simulated *simulated = context;
    if (simulated->no_chains)
        return bl_fail(error, BL_BUILD_FAILED, "no such kernel");
    double first = simulated->caches[0].latency_ns, second = first, reached = 1;
    for (unsigned level = 0; level < simulated->cache_count; level++) {
        const bool is_last = level + 1 == simulated->cache_count;
        const double behind =
            is_last ? simulated->memory_latency_ns : simulated->caches[level + 1].latency_ns;
        reached = fmin(reached, misses(simulated, level, probe));
        const double more = reached * (behind - simulated->caches[level].latency_ns);
        first += more;
        second += probe->second_bytes >= simulated->caches[level].granule_bytes ? more : 0;
    }
    double ns = probe->second_bytes ? (first + second) / 2 : first;
    if (simulated->page_reach_bytes > 0 &&
        (double)(probe->places * probe->pitch_bytes) > simulated->page_reach_bytes)
        ns *= SIMULATED_PAGE_MISS;
    return sample(simulated, ns, value, error);
}

static enum bl_status stream(void *context, const void *probe_, double *value,
                             struct bl_error *error)
{
    const struct bl_stream_probe *probe = probe_;
    struct simulated *simulated = context;
    double rate = simulated->memory_bytes_per_ns;
    for (unsigned level = simulated->cache_count; level-- > 0;)
        if ((double)probe->bytes < simulated->caches[level].bytes)
            rate = simulated->caches[level].bytes_per_ns;
    rate *= probe->is_write ? simulated->times.written_share : 1;
    return sample(simulated, rate, value, error);
}

static enum bl_status occupancy(void *context, const void *probe_, double *value,
                                struct bl_error *error)
{
    const struct bl_occupancy_probe *probe = probe_;
    struct simulated *simulated = context;
    unsigned each =
        simulated->local_bytes_per_unit / (probe->local_bytes + simulated->reserved_bytes);
    each = each < simulated->groups_per_unit ? each : simulated->groups_per_unit;
    if (probe->group_items) {
        const unsigned lanes = simulated->machine.lanes,
                       most = simulated->times.sub_groups_per_unit /
                              ((probe->group_items + lanes - 1) / lanes);
        each = each < most ? each : most;
    }
    return sample(simulated, ceil((double)probe->groups / (each * simulated->units)), value, error);
}

static enum bl_status barrier(void *context, const void *probe_, double *value,
                              struct bl_error *error)
{
    const struct bl_barrier_probe *probe = probe_;
    struct simulated *simulated = context;
    const double further = ceil((double)probe->group_items / simulated->machine.lanes) - 1;
    return sample(simulated,
                  simulated->barrier_ns *
                      (1 + simulated->machine.barrier_more_percent / 100.0 * further),
                  value, error);
}

/* Makes random masks of tag banks. They have full rank even if only those address bits are used
 * that select lines within 16 MiB and that no step of a probe changes. */
static void make_masks(struct simulated *simulated, unsigned count)
{
    uint64_t *state = &simulated->random;
    uint64_t *masks = simulated->machine.tag_masks;
    const uint64_t all = ((uint64_t)1 << (37 - __builtin_ctz(simulated->machine.line_bytes))) - 1;
    const uint64_t near = (((uint64_t)1 << 24) / simulated->machine.line_bytes - 1) &
                          ~(BL_STEPPED_BITS(BL_STEP) / simulated->machine.line_bytes) &
                          ~(BL_STEPPED_BITS(BL_OTHER_STEP) / simulated->machine.line_bytes);
    struct bl_gf2_basis basis;
    do {
        basis = (struct bl_gf2_basis){0};
        for (unsigned i = 0; i < count; i++) {
            masks[i] = (uint64_t)(uniform(state) * 9007199254740992.0) & all;
            bl_gf2_add(&basis, masks[i] & near);
        }
    } while (basis.rank < count);
}

static void make_caches(struct simulated *simulated)
{
    static const unsigned first_kib[] = {16, 24, 32, 48, 64, 96, 128, 192}, ways[] = {4, 8, 16},
                          mib[] = {1, 2, 3, 4, 6, 8, 16, 32, 50};
    uint64_t *state = &simulated->random;
    struct simulated_cache *caches = simulated->caches;
    const unsigned line = simulated->machine.line_bytes;
    caches[0] = (struct simulated_cache){
        .bytes = 1024.0 * pick(state, first_kib, 8),
        .latency_ns = 15 + 20 * uniform(state),
        .ways = pick(state, ways, 3),
        .is_hashed = uniform(state) < 0.5,
        .granule_bytes = line >= 64 && uniform(state) < 0.6 ? 32 : line,
        .bytes_per_ns = 8000,
    };
    simulated->memory_latency_ns = caches[0].latency_ns * (9 + 8 * uniform(state));
    simulated->memory_bytes_per_ns = 800;
    simulated->cache_count = uniform(state) < 0.7 ? 2 : 1;
    if (simulated->cache_count == 2)
        caches[1] = (struct simulated_cache){
            .bytes = 1048576.0 * pick(state, mib, 9),
            .latency_ns = caches[0].latency_ns * (3.5 + 2 * uniform(state)),
            .ways = 16,
            .is_hashed = uniform(state) < 0.5,
            .granule_bytes = caches[0].granule_bytes < line && uniform(state) < 0.5 ? 64 : line,
            .bytes_per_ns = 3000,
        };
    simulated->machine.sector_bytes = caches[0].granule_bytes < line ? caches[0].granule_bytes : 0;
    simulated->machine.cache_bytes = (unsigned)caches[0].bytes;
}

static void make_machine(struct simulated *simulated)
{
    static const unsigned lanes[] = {8, 16, 32, 64}, banks[] = {8, 16, 32, 64},
                          widths[] = {4, 4, 8}, lines[] = {32, 64, 128, 256},
                          bits[] = {0, 1, 2, 2, 3}, more[] = {1, 1, 2, 4}, components[] = {4, 4, 8};
    uint64_t *state = &simulated->random;
    struct bl_machine *machine = &simulated->machine;
    *machine = (struct bl_machine){
        .has_rule = true,
        .lanes = pick(state, lanes, 4),
        .line_bytes = pick(state, lines, 4),
        .banks = pick(state, banks, 4),
        .bank_bytes = pick(state, widths, 3),
        .banks_serve_global = uniform(state) < 0.5,
        .constant_is_global = uniform(state) < 0.7,
        .atomics_by_lane = uniform(state) < 0.7,
        .overlap_percent = (unsigned)(100 * uniform(state)),
        .wide_in_parts = uniform(state) < 0.6,
        .widest_bytes = 16,
        .widest_components = pick(state, components, 3),
        .three_is_two_and_one = uniform(state) < 0.5,
        .local_reads_three_as_four = uniform(state) < 0.5,
        .barrier_more_percent = 3 + (unsigned)(20 * uniform(state)),
        .lines_per_clock = 1,
    };
    machine->pairs_share_wide = machine->wide_in_parts && uniform(state) < 0.5;
    const unsigned tag_bits = pick(state, bits, 5);
    if (tag_bits == 0)
        machine->lines_per_clock = pick(state, more, 4);
    make_masks(simulated, tag_bits);
}

void simulated_make(struct simulated *simulated, uint64_t seed, double noise)
{
    static const unsigned local_kib[] = {48, 64, 96, 128, 164, 228}, most[] = {8, 16, 32};
    *simulated = (struct simulated){.random = (seed + 1) * 0x9E3779B97F4A7C15u,
                                    .noise = noise,
                                    .outliers = noise > 0 ? 0.01 : 0,
                                    .broadcasts = true,
                                    .merges_writes = true};
    uint64_t *state = &simulated->random;
    for (int i = 0; i < 16; i++)
        uniform(state);
    make_machine(simulated);
    make_caches(simulated);
    simulated->broadcasts = uniform(state) < 0.9;
    simulated->merges_writes = uniform(state) < 0.8;
    simulated->clock_ns = 0.4 + uniform(state);
    simulated->page_reach_bytes = uniform(state) < 0.5 ? 0 : 3e7 * pow(20, uniform(state));
    simulated->units = 4 + (unsigned)(140 * uniform(state));
    simulated->groups_per_unit = pick(state, most, 3);
    simulated->local_bytes_per_unit = 1024 * pick(state, local_kib, 6);
    simulated->reserved_bytes = uniform(state) < 0.5 ? 0 : 1024;
    simulated->barrier_ns = 10 + 30 * uniform(state);
    simulated->fills_local = simulated->fills_global = 4 + (unsigned)(12 * uniform(state));
    uint64_t address = (uint64_t)1 << 36 | (uint64_t)(uniform(state) * 65536) << 16;
    for (unsigned a = 0; a < 2; a++) {
        simulated->arrays[a] = (struct bl_array_place){address, (uint64_t)6 << 30};
        address += (uint64_t)(7 + (unsigned)(20 * uniform(state))) << 30;
    }
    simulated_make_times(simulated, seed);
}

void simulated_make_banks(struct simulated *simulated, uint64_t seed, double noise,
                          const struct bl_banks *banks)
{
    simulated_make(simulated, seed, noise);
    simulated->machine.banks = banks->count;
    simulated->machine.bank_bytes = banks->bytes;
}

struct bl_target simulated_target(struct simulated *simulated)
{
    struct bl_target target = {.context = simulated,
                               .limits = {.local_bytes = 48 * 1024,
                                          .max_group_items = 1024,
                                          .groups_to_fill = 8 * simulated->units},
                               .lanes = lanes,
                               .chase = chase,
                               .stream = stream,
                               .occupancy = occupancy,
                               .barrier = barrier,
                               .reads = simulated_reads,
                               .chain = simulated_chain,
                               .start = simulated_start,
                               .queue = simulated_queue};
    memcpy(target.limits.arrays, simulated->arrays, sizeof simulated->arrays);
    return target;
}

enum bl_status simulated_infer(struct simulated *simulated, struct bl_findings *findings,
                               struct bl_error *error)
{
    const struct bl_target target = simulated_target(simulated);
    const struct bl_infer_settings settings = {.seed = simulated->random | 1,
                                               .hypotheses = simulated->hypotheses,
                                               .quick = simulated->quick};
    *findings = (struct bl_findings){0};
    return bl_infer(&target, &settings, findings, error);
}
