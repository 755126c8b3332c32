/* The times of a simulated device's requests (one or many at a time), operations and launches, and
 * the true values that an inference should find for them. */
#include <math.h>
#include <string.h>

#include "infer/inference.h"
#include "simulated_target.h"

/* A random number from lo to hi, uniform on a logarithmic scale. */
static double between(uint64_t *state, double lo, double hi)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return lo * pow(hi / lo, (double)(*state >> 11) / 9007199254740992.0);
}

void simulated_make_times(struct simulated *simulated, uint64_t seed)
{
    struct simulated_times *times = &simulated->times;
    uint64_t state = (seed + 7) * 0x9E3779B97F4A7C15u;
    const double first = simulated->caches[0].latency_ns, memory = simulated->memory_latency_ns;
    *times = (struct simulated_times){
        .conflict_ns = between(&state, 0.3, 1) * first,
        .pass_ns = between(&state, 0.04, 0.2) * first,
        .far_line_ns = between(&state, 0.01, 0.05) * memory,
        .written_ns = between(&state, 1.5, 8) * first,
        .written_line_ns = between(&state, 0.1, 0.3) * first,
        .launch_ns = between(&state, 2000, 20000),
        .group_ns = between(&state, 0.2, 3),
    };
    for (unsigned level = 0; level <= BL_LEVELS; level++)
        times->line_ns[level] = between(&state, 0.01, 0.05) * memory;
    times->unit_line_ns = between(&state, 0.5, 1.5);
    simulated->memory_bytes_per_ns = simulated->units * between(&state, 4, 20);
    simulated->caches[1].bytes_per_ns = simulated->memory_bytes_per_ns * between(&state, 2, 5);
    for (unsigned i = 0; i < 3; i++)
        times->chain_ns[i] = between(&state, 1, 40);
    /* On some devices, starting a large group takes longer than starting a small group: item_ns for
     * each work-item. */
    if (between(&state, 1, 4) < 2)
        times->item_ns = between(&state, 1.5, 4) * times->group_ns / 1024;
    times->written_share = between(&state, 0.3, 1);
    times->instructions_per_clock = 1u << (unsigned)between(&state, 1, 2.99);
    times->sub_groups_per_unit = 4 * (unsigned)between(&state, 8, 20);
    if (between(&state, 1, 4) < 2)
        times->unit_lines = (unsigned)between(&state, 24, 100);
    if (between(&state, 1, 4) < 2)
        times->sub_group_lines = (unsigned)between(&state, 2, 11);
    times->enqueue_ns = between(&state, 1000, 20000);
    /* On some devices, launches behind other launches take as long as launches alone. */
    times->queued_ns =
        times->launch_ns * (between(&state, 1, 4) < 1.3 ? 1 : between(&state, 0.3, 0.9));
}

static double latency_of(const struct simulated *simulated, unsigned level)
{
    return level < simulated->cache_count ? simulated->caches[level].latency_ns
                                          : simulated->memory_latency_ns;
}

static double rate_of(const struct simulated *simulated, unsigned level)
{
    return level < simulated->cache_count ? simulated->caches[level].bytes_per_ns
                                          : simulated->memory_bytes_per_ns;
}

/* The level that holds the probe's working set. */
static unsigned level_of(const struct simulated *simulated, const struct bl_reads_probe *probe)
{
    unsigned level = 0;
    while (level < simulated->cache_count &&
           (double)probe->bytes > 0.6 * simulated->caches[level].bytes)
        level++;
    return level;
}

/* The latency of a request whose data are in this level, while no other request is outstanding. */
static double alone_ns(const struct simulated *simulated, const struct bl_reads_probe *probe,
                       unsigned level)
{
    const struct simulated_times *times = &simulated->times;
    const double further = probe->lines - 1.0;
    const bool is_far = probe->line_pitch_bytes >= BL_FAR_BYTES;
    if (probe->is_written)
        return times->written_ns + further * times->written_line_ns;
    if (level > 0 && is_far && level == simulated->cache_count)
        return latency_of(simulated, level) + further * times->far_line_ns;
    if (level > 0)
        return latency_of(simulated, level) + further * times->line_ns[level];
    if (!probe->is_first_word || !simulated->machine.banks_serve_global || probe->lines == 1)
        return latency_of(simulated, 0);
    return latency_of(simulated, 0) + times->conflict_ns + further * times->pass_ns;
}

/* The time in which every sub-group of `groups` groups completes probe->reads requests that are
 * outstanding at the same time. If there are fewer groups than compute units, the other units are
 * idle. */
static double round_ns(const struct simulated *simulated, const struct bl_reads_probe *probe,
                       double groups)
{
    const struct simulated_times *times = &simulated->times;
    const unsigned level = level_of(simulated, probe);
    double ns = alone_ns(simulated, probe, level);
    if (level == simulated->cache_count && level > 1) {
        const double share = simulated->caches[level - 1].bytes / (double)probe->bytes;
        ns += share * (alone_ns(simulated, probe, level - 1) - ns);
    }
    /* the outstanding lines of a sub-group and of a unit, and the bytes that are used of a line */
    const double lines = (double)probe->reads * probe->lines,
                 of_unit = fmax(1, groups / simulated->units) * lines * probe->sub_groups,
                 bytes = fmin(probe->line_bytes, 4.0 * probe->lanes);
    double busy = 0;
    if (times->sub_group_lines && probe->lines == 1)
        busy = fmax(busy, ns * lines / times->sub_group_lines);
    if (times->unit_lines && probe->lines == 1)
        busy = fmax(busy, ns * of_unit / times->unit_lines);
    if (of_unit > 1 && level > 0 && probe->lines == 1)
        busy = fmax(busy, of_unit * times->unit_line_ns);
    ns = fmax(ns, busy);
    /* If all units read at the same time, requests also wait for each other, as in a shared queue.
     */
    const double all = groups * probe->sub_groups * lines * bytes / rate_of(simulated, level);
    return probe->lines > 1 ? ns : pow(pow(ns, 4) + pow(all, 4), 0.25);
}

enum bl_status simulated_reads(void *context, const void *probe_, double *value,
                               struct bl_error *error)
{
    const struct bl_reads_probe *probe = probe_;
    struct simulated *simulated = context;
    return simulated_sample(simulated, round_ns(simulated, probe, probe->groups), value, error);
}

enum bl_status simulated_chain(void *context, const void *probe_, double *value,
                               struct bl_error *error)
{
    const struct bl_chain_probe *probe = probe_;
    struct simulated *simulated = context;
    const struct simulated_times *times = &simulated->times;
    const double clocks =
        (double)probe->items / simulated->machine.lanes / times->instructions_per_clock;
    return simulated_sample(
        simulated, fmax(times->chain_ns[probe->of], clocks * simulated->clock_ns), value, error);
}

enum bl_status simulated_start(void *context, const void *probe_, double *value,
                               struct bl_error *error)
{
    const struct bl_start_probe *probe = probe_;
    struct simulated *simulated = context;
    const struct simulated_times *times = &simulated->times;
    const double each = fmax(times->group_ns, probe->group_items * times->item_ns);
    return simulated_sample(simulated, times->launch_ns + (probe->groups - 1) * each, value, error);
}

enum bl_status simulated_queue(void *context, const void *probe_, double *value,
                               struct bl_error *error)
{
    const struct bl_queue_probe *probe = probe_;
    struct simulated *simulated = context;
    const struct simulated_times *times = &simulated->times;
    if (simulated->is_never_busy)
        return bl_fail(error, BL_OUT_OF_RANGE, "the device is never busy");
    return simulated_sample(simulated, probe->is_host_time ? times->enqueue_ns : times->queued_ns,
                            value, error);
}

/* The functions below compute the true values of findings. */

/* A probe with the working set that an inference chooses for this level. */
static struct bl_reads_probe of_level(const struct simulated *simulated, unsigned level)
{
    const struct bl_machine *machine = &simulated->machine;
    const bool is_memory = level == simulated->cache_count;
    return (struct bl_reads_probe){
        .bytes = (uint64_t)(is_memory ? BL_TIMES_CACHE * simulated->caches[level - 1].bytes
                                      : 0.3 * simulated->caches[level].bytes),
        .lanes = machine->lanes,
        .line_bytes = machine->line_bytes,
        .lines = 1,
        .line_pitch_bytes = machine->line_bytes,
        .reads = 4,
        .sub_groups = 1};
}

/* The loaded latency: the time of a read when there are just enough groups for nine tenths of the
 * rate that `most` groups per unit reach. NAN if a single group per unit is enough. */
static double loaded_ns(const struct simulated *simulated, unsigned level, double most)
{
    const struct bl_reads_probe probe = of_level(simulated, level);
    const double units = simulated->units, best = most / round_ns(simulated, &probe, most * units);
    double groups = 1;
    while (groups / round_ns(simulated, &probe, groups * units) < 0.9 * best)
        groups *= 1.001;
    return groups > 1 ? round_ns(simulated, &probe, groups * units) : (double)NAN;
}

/* The rate of a single compute unit, in bytes per ns. */
static double unit_rate(const struct simulated *simulated, unsigned level)
{
    struct bl_reads_probe probe = of_level(simulated, level);
    probe.reads = 8;
    probe.sub_groups = 1;
    while (probe.sub_groups * 2 * probe.lanes <= 1024)
        probe.sub_groups *= 2;
    return fmin(probe.line_bytes, 4.0 * probe.lanes) * probe.reads * probe.sub_groups /
           round_ns(simulated, &probe, 1);
}

/* The true value of a finding about a level. name: its key without the level, such as bytes_per_ns.
 */
static double time_of_level(const struct simulated *simulated, unsigned level, const char *name)
{
    const double most = fmin(32, simulated->groups_per_unit);
    if (strcmp(name, "further_line_ns") == 0)
        return simulated->times.line_ns[level];
    if (strcmp(name, "loaded_latency_ns") == 0)
        return loaded_ns(simulated, level, most);
    if (strcmp(name, "write_bytes_per_ns") == 0)
        return rate_of(simulated, level) * simulated->times.written_share;
    return strcmp(name, "bytes_per_ns") == 0 ? rate_of(simulated, level)
                                             : unit_rate(simulated, level);
}

double simulated_time_of(const struct simulated *simulated, const char *key)
{
    const struct simulated_times *times = &simulated->times;
    const bool serves = simulated->machine.banks_serve_global;
    const struct {
        const char *key;
        double ns;
    } all[] = {
        {"conflict_ns", serves ? times->conflict_ns : (double)NAN},
        {"further_pass_ns", serves ? times->pass_ns : (double)NAN},
        {"memory_far_line_ns", times->far_line_ns},
        {"store_then_load_ns", times->written_ns},
        {"store_then_load_line_ns", times->written_line_ns},
        {"unit_lines_in_flight", times->unit_lines ? times->unit_lines : (double)NAN},
        {"sub_group_lines_in_flight",
         times->sub_group_lines ? times->sub_group_lines : (double)NAN},
        {"local_latency_ns", times->chain_ns[BL_CHAIN_LOCAL]},
        {"integer_ns", times->chain_ns[BL_CHAIN_INTEGER]},
        {"float_ns", times->chain_ns[BL_CHAIN_FLOAT]},
        {"launch_ns", times->launch_ns},
        {"queued_launch_ns", times->queued_ns < times->launch_ns ? times->queued_ns : (double)NAN},
        {"enqueue_ns", times->enqueue_ns},
        {"instructions_per_clock", times->instructions_per_clock},
        {"sub_groups_per_unit", times->sub_groups_per_unit},
        {"group_start_ns", times->group_ns},
        {"item_start_ns", times->item_ns > 0 ? times->item_ns : (double)NAN},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(all[i].key, key) == 0)
            return all[i].ns;
    if (strncmp(key, "memory_", 7) == 0)
        return time_of_level(simulated, simulated->cache_count, key + 7);
    return simulated->cache_count > 1 ? time_of_level(simulated, 1, key + 3) : (double)NAN;
}
