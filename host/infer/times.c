/* Infers the times from which the model predicts a kernel's time: the time that further lines and
 * bank conflicts add to a request, and the times of a read after a write, of local memory, of
 * arithmetic and of launches. times_under_way.c infers rates and how many requests can be
 * outstanding.
 *
 * All requests here come from one sub-group that waits for each request before it begins the next,
 * so the times are latencies. The time that each further line adds is the slope of a straight line
 * fitted to these times. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "infer/inference.h"

/* The minimum relative error, because even the median of equal samples has an error. */
static const double least_error = 0.001;

/* A straight line through points, by least squares. */
struct straight {
    double begin, slope;             /* ns at x = 0, and ns per unit of x */
    double begin_error, slope_error; /* standard errors */
};

/* Fits a straight line to the points from `first` on. There must be at least two such points. */
static struct straight straight_through(const struct bl_time_sweep *sweep, size_t first)
{
    double weights = 0, x = 0, ns = 0, squares = 0, products = 0, misfit = 0;
    for (size_t i = first; i < sweep->count; i++) {
        const double weight = pow(sweep->ns[i] * sweep->error[i], -2);
        weights += weight;
        x += weight * sweep->x[i];
        ns += weight * sweep->ns[i];
    }
    x /= weights;
    ns /= weights;
    for (size_t i = first; i < sweep->count; i++) {
        const double weight = pow(sweep->ns[i] * sweep->error[i], -2), away = sweep->x[i] - x;
        squares += weight * away * away;
        products += weight * away * (sweep->ns[i] - ns);
    }
    const double slope = products / squares;
    for (size_t i = first; i < sweep->count; i++)
        misfit += pow(
            (sweep->ns[i] - ns - slope * (sweep->x[i] - x)) / (sweep->ns[i] * sweep->error[i]), 2);
    /* Points that are far from the straight line make the fit less certain. */
    const double free_points = (double)(sweep->count - first) - 2;
    const double off = free_points > 0 ? fmax(1, sqrt(misfit / free_points)) : 1;
    return (struct straight){.begin = ns - slope * x,
                             .slope = slope,
                             .begin_error = off * sqrt(1 / weights + x * x / squares),
                             .slope_error = off * sqrt(1 / squares)};
}

enum bl_status bl_sweep_take(struct bl_inference *inference, bl_sample *take, const void *probe,
                             struct bl_time_sweep *sweep, double x, const char *format, ...)
{
    struct bl_evidence evidence = {.sweep = sweep->name, .x = x, .unit = "ns"};
    char name[sizeof evidence.point];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    const enum bl_status status = bl_infer_measure(inference, take, probe, &evidence);
    if (status != BL_OK)
        return status;
    if (sweep->count < BL_MAX_SWEEP) {
        sweep->x[sweep->count] = x;
        sweep->ns[sweep->count] = evidence.measured;
        sweep->error[sweep->count] = fmax(evidence.error, least_error);
        sweep->count++;
    }
    return bl_keep_point(inference, &evidence, "%s", name);
}

/* Like bl_find_amount, but if twice the standard error exceeds a fifth of the value, adds an
 * unknown finding and returns NULL. */
static struct bl_finding *find_if_clear(struct bl_inference *inference, const char *key,
                                        double value, double error)
{
    if (2 * error <= 0.2 * value)
        return bl_find_amount(inference, key, value, value - 2 * error, value + 2 * error);
    bl_find_unknown(inference, key, "too uncertain: %.3g ns with an error of %.2g ns", value,
                    2 * error);
    return NULL;
}

struct bl_reads_probe bl_reads_of_level(const struct bl_inference *inference, unsigned level)
{
    const double *sizes = inference->level_bytes, room = (double)bl_chase_room(inference);
    const unsigned lanes = inference->machine.lanes, line = inference->machine.line_bytes;
    /* A working set must fit into its level even if cache sets fill unevenly, and reads of it must
     * hardly ever hit the previous level. If no size meets both conditions, bytes is 0. */
    double bytes = 0.3 * sizes[level];
    if (level > 0 && level + 1 == inference->levels)
        bytes = fmin(room, BL_TIMES_CACHE * sizes[level - 1]);
    if (level > 0 && bytes < 4 * sizes[level - 1])
        bytes = 0;
    /* Rounds down to a multiple of the largest range that one read spans. Beyond the first level,
     * the lines of a read may be BL_FAR_BYTES apart. */
    const double block = (double)lanes * (level ? BL_FAR_BYTES : line);
    bytes = floor(bytes / block) * block;
    return (struct bl_reads_probe){.address = bl_chase_begin(inference),
                                   .bytes = (uint64_t)bytes,
                                   .lanes = lanes,
                                   .line_bytes = line,
                                   .lines = 1,
                                   .line_pitch_bytes = line,
                                   .reads = 1,
                                   .sub_groups = 1,
                                   .groups = 1};
}

/* Measures requests of 1, 2, 4, ... lines, up to the number of lanes, or until the working set
 * holds fewer than LEAST_PLACES places. */
static enum bl_status sweep_lines(struct bl_inference *inference,
                                  const struct bl_reads_probe *alone, struct bl_time_sweep *sweep)
{
    enum { LEAST_PLACES = 2 };
    enum bl_status status = BL_OK;
    for (unsigned lines = 1; lines <= alone->lanes && status == BL_OK; lines *= 2) {
        struct bl_reads_probe probe = *alone;
        probe.lines = lines;
        if (probe.bytes / probe.line_pitch_bytes / lines < LEAST_PLACES)
            break;
        status = bl_sweep_take(inference, inference->target->reads, &probe, sweep, lines - 1,
                               "%u lines", lines);
    }
    return status;
}

static const char *const conflict_keys[] = {"conflict_ns", "further_pass_ns"};

/* Measures requests whose lanes read the first words of different lines, all in one bank. */
static enum bl_status infer_conflicts(struct bl_inference *inference)
{
    const struct bl_machine *machine = &inference->machine;
    struct bl_reads_probe alone = bl_reads_of_level(inference, 0);
    struct bl_time_sweep sweep = {.name = "conflicts"};
    if (bl_found(inference->findings, "banks_serve_global", 0) < 0.5) {
        bl_find_none(inference, conflict_keys, 2,
                     "reads of the first cache are not known to pass through banks");
        return BL_OK;
    }
    const unsigned all_banks = machine->banks * machine->bank_bytes;
    alone.is_first_word = true;
    alone.line_pitch_bytes = all_banks > alone.line_bytes ? all_banks : alone.line_bytes;
    const enum bl_status status = sweep_lines(inference, &alone, &sweep);
    if (status != BL_OK)
        return status;
    if (sweep.count < 4) {
        bl_find_none(inference, conflict_keys, 2,
                     "the first cache is too small to measure bank conflicts");
        return BL_OK;
    }
    const struct straight straight = straight_through(&sweep, 1);
    const double once = straight.begin - sweep.ns[0],
                 error = hypot(straight.begin_error, sweep.ns[0] * sweep.error[0]);
    struct bl_finding *found;
    /* Some GPUs repeat a request that has conflicts, at a fixed cost. Other GPUs only take longer
     * for each further word. */
    if (once > 2 * error)
        found = find_if_clear(inference, "conflict_ns", once, error);
    else
        found = bl_find_amount(inference, "conflict_ns", 0, 0, fmax(0, once) + 2 * error);
    if (found)
        bl_find_basis(found, sweep.name, "against requests without conflicts, %zu points",
                      sweep.count);
    found = find_if_clear(inference, "further_pass_ns", straight.slope, straight.slope_error);
    if (found)
        bl_find_basis(found, sweep.name, "requests of more and more words of a bank, %zu points",
                      sweep.count);
    return BL_OK;
}

/* Measures the cost of each further line of a request, with adjacent lines or with lines far apart.
 * share: the part of the working set that is in the previous level, where a further line takes
 * before_ns. */
static enum bl_status infer_lines_of(struct bl_inference *inference,
                                     const struct bl_reads_probe *alone, const char *name,
                                     const char *key, double share, double before_ns, double *ns)
{
    struct bl_time_sweep sweep = {.name = name};
    *ns = 0;
    if (alone->bytes == 0) {
        bl_find_unknown(inference, key, "no working set lies in this level only");
        return BL_OK;
    }
    const enum bl_status status = sweep_lines(inference, alone, &sweep);
    if (status != BL_OK)
        return status;
    if (sweep.count < 3) {
        bl_find_unknown(inference, key, "requests of more than two lines do not fit");
        return BL_OK;
    }
    const struct straight straight = straight_through(&sweep, 0);
    *ns = (straight.slope - share * before_ns) / (1 - share);
    /* `share` is only an estimate, so an error of 1 % is added. */
    struct bl_finding *found =
        find_if_clear(inference, key, *ns, hypot(straight.slope_error / (1 - share), 0.01 * *ns));
    if (found)
        bl_find_basis(found, name, "requests of 1 to %.0f lines, %zu points",
                      sweep.x[sweep.count - 1] + 1, sweep.count);
    return BL_OK;
}

static enum bl_status infer_further_lines(struct bl_inference *inference)
{
    enum bl_status status = BL_OK;
    double before_ns = 0;
    for (unsigned level = 1; level < inference->levels && status == BL_OK; level++) {
        const bool is_memory = level + 1 == inference->levels;
        struct bl_reads_probe alone = bl_reads_of_level(inference, level);
        /* The last cache still holds a part of the chain in memory; smaller caches hold next to
         * nothing of it. */
        const double share = is_memory && before_ns > 0 && alone.bytes
                                 ? inference->level_bytes[level - 1] / (double)alone.bytes
                                 : 0;
        const char *name = is_memory ? "memory-lines" : level == 1 ? "second-lines" : "third-lines";
        char key[BL_LEVEL_KEY];
        double ns = 0, far_ns;
        status = infer_lines_of(inference, &alone, name,
                                bl_level_key(inference, level, "further_line_ns", key), share,
                                before_ns, &ns);
        alone.line_pitch_bytes = BL_FAR_BYTES;
        if (status == BL_OK && is_memory)
            status = infer_lines_of(inference, &alone, "memory-far-lines", "memory_far_line_ns",
                                    share, before_ns, &far_ns);
        before_ns = ns;
    }
    return status;
}

/* Measures writes followed by reads in the level after the first cache. */
static enum bl_status infer_stores(struct bl_inference *inference)
{
    static const char *const keys[] = {"store_then_load_ns", "store_then_load_line_ns"};
    struct bl_reads_probe alone = bl_reads_of_level(inference, 1);
    struct bl_time_sweep sweep = {.name = "writes-and-reads"};
    alone.is_written = true;
    enum bl_status status = alone.bytes ? sweep_lines(inference, &alone, &sweep) : BL_OK;
    if (status != BL_OK)
        return status;
    if (sweep.count < 3) {
        bl_find_none(inference, keys, 2,
                     "no working set lies only in the level after the first cache");
        return BL_OK;
    }
    const struct straight straight = straight_through(&sweep, 0);
    struct bl_finding *found =
        find_if_clear(inference, keys[0], straight.begin, straight.begin_error);
    if (found)
        bl_find_basis(found, sweep.name, "behind the first cache, %zu points", sweep.count);
    found = find_if_clear(inference, keys[1], straight.slope, straight.slope_error);
    if (found)
        bl_find_basis(found, sweep.name, "requests of 1 to %.0f lines, %zu points",
                      sweep.x[sweep.count - 1] + 1, sweep.count);
    return BL_OK;
}

/* Aims at medians with a relative error of 0.2 %, from at least 9 samples each (5 if quick). */
static void repeat_often(struct bl_inference *inference)
{
    bl_infer_repeat(inference, 0.002);
    const unsigned least = inference->settings->quick ? 5 : 9;
    inference->repeats = inference->repeats < least ? least : inference->repeats;
}

enum bl_status bl_infer_requests(struct bl_inference *inference)
{
    static const char *const keys[] = {
        "conflict_ns",        "further_pass_ns",    "memory_further_line_ns",
        "memory_far_line_ns", "store_then_load_ns", "store_then_load_line_ns"};
    const char *why = bl_infer_why_no_requests(inference);
    if (why) {
        bl_find_none(inference, keys, sizeof keys / sizeof keys[0], why);
        return BL_OK;
    }
    repeat_often(inference);
    enum bl_status status = infer_conflicts(inference);
    if (status == BL_OK)
        status = infer_further_lines(inference);
    if (status == BL_OK)
        status = infer_stores(inference);
    return status;
}

/* The times of operations and of launches. */

static enum bl_status infer_chains(struct bl_inference *inference)
{
    static const struct {
        enum bl_chain of;
        const char *key, *name;
    } chains[] = {{BL_CHAIN_LOCAL, "local_latency_ns", "a read of local memory"},
                  {BL_CHAIN_INTEGER, "integer_ns", "an integer operation"},
                  {BL_CHAIN_FLOAT, "float_ns", "a float addition"}};
    struct bl_time_sweep sweep = {.name = "operations"};
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < sizeof chains / sizeof chains[0] && status == BL_OK; i++) {
        const struct bl_chain_probe probe = {.of = chains[i].of};
        status = bl_sweep_take(inference, inference->target->chain, &probe, &sweep, NAN, "%s",
                               chains[i].name);
        if (status == BL_OK)
            bl_find_basis(bl_find_about(inference, chains[i].key, sweep.ns[i],
                                        2 * fmax(sweep.error[i], 0.004)),
                          sweep.name, "each needs the result of the one before, %u samples",
                          inference->repeats);
    }
    return status;
}

/* Infers the instructions per clock from the largest possible group, in which many sub-groups hide
 * each other's latencies. */
static enum bl_status infer_issue(struct bl_inference *inference)
{
    static const char key[] = "instructions_per_clock";
    const unsigned lanes = (unsigned)bl_found(inference->findings, "lanes", 0),
                   max_items = inference->target->limits.max_group_items;
    const double mhz = bl_found(inference->findings, "clock_mhz", 0);
    if (!lanes || mhz <= 0) {
        bl_find_unknown(inference, key, "%s",
                        lanes ? "it is not known how long a clock is"
                              : "it is not known how many work-items a request has");
        return BL_OK;
    }
    const unsigned sub_groups = max_items / lanes;
    const struct bl_chain_probe probe = {.of = BL_CHAIN_FLOAT, .items = sub_groups * lanes};
    struct bl_time_sweep sweep = {.name = "operations"};
    const enum bl_status status = bl_sweep_take(inference, inference->target->chain, &probe, &sweep,
                                                NAN, "an addition by %u sub-groups", sub_groups);
    if (status != BL_OK)
        return status;
    const double each = sub_groups / sweep.ns[0] * 1000 / mhz;
    if (sweep.ns[0] < 1.1 * bl_found(inference->findings, "float_ns", 0))
        bl_find_unknown(inference, key, "%u sub-groups do not keep a compute unit busy",
                        sub_groups);
    else
        bl_find_basis(bl_find_about(inference, key, each, 0.05), sweep.name,
                      "additions of floats by %u sub-groups", sub_groups);
    return BL_OK;
}

static enum bl_status take_start(struct bl_inference *inference, struct bl_time_sweep *sweep,
                                 unsigned groups, unsigned items)
{
    const struct bl_start_probe probe = {groups, items};
    return bl_sweep_take(inference, inference->target->start, &probe, sweep, groups,
                         "%u groups of %u", groups, items);
}

/* The number of work-items in a small group, and in a large one. */
enum { FEW = 32, LARGE = 1024 };
static unsigned group_items(const struct bl_inference *inference, unsigned wanted)
{
    const unsigned limit = inference->target->limits.max_group_items;
    return limit < wanted ? limit : wanted;
}

static enum bl_status infer_launches(struct bl_inference *inference)
{
    enum { MANY = 1 << 16 };
    static const char *const keys[] = {"group_start_ns", "item_start_ns"};
    const unsigned most = group_items(inference, LARGE), few = group_items(inference, FEW),
                   groups = inference->settings->quick ? MANY / 8 : MANY;
    struct bl_time_sweep sweep = {.name = "launches"};
    enum bl_status status = take_start(inference, &sweep, 1, few);
    if (status == BL_OK)
        status = take_start(inference, &sweep, groups, few);
    if (status == BL_OK)
        status = take_start(inference, &sweep, groups, most);
    if (status != BL_OK)
        return status;
    bl_find_basis(
        bl_find_about(inference, "launch_ns", sweep.ns[0], 2 * fmax(sweep.error[0], 0.01)),
        sweep.name, "by the launch's event, %u samples", inference->repeats);
    double each[2], error[2];
    for (int i = 0; i < 2; i++) {
        each[i] = (sweep.ns[i + 1] - sweep.ns[0]) / (groups - 1);
        error[i] = hypot(sweep.ns[i + 1] * sweep.error[i + 1], sweep.ns[0] * sweep.error[0]) /
                   (groups - 1);
    }
    struct bl_finding *found = find_if_clear(inference, keys[0], each[0], error[0]);
    if (found)
        bl_find_basis(found, sweep.name, "%u groups of %u work-items", groups, few);
    if (each[1] < 1.1 * each[0]) {
        bl_find_unknown(inference, keys[1], "groups of %u work-items start as fast as groups of %u",
                        most, few);
        return BL_OK;
    }
    found = find_if_clear(inference, keys[1], each[1] / most, error[1] / most);
    if (found)
        bl_find_basis(found, sweep.name, "%u groups of %u work-items", groups, most);
    return BL_OK;
}

static void find_queued_launch(struct bl_inference *inference, const struct bl_time_sweep *sweep)
{
    static const char key[] = "queued_launch_ns";
    const struct bl_finding *alone = bl_finding_of(inference->findings, "launch_ns");
    const double ns = sweep->ns[0], error = ns * fmax(sweep->error[0], 0.01);
    if (ns <= 0) {
        bl_find_unknown(inference, key, "launches of no work are too short for the device's clock");
    } else if (ns + 2 * error > alone->lo) {
        bl_find_unknown(inference, key,
                        "launches queued behind another take no less time than a single launch");
    } else {
        struct bl_finding *found = find_if_clear(inference, key, ns, error);
        if (found)
            bl_find_basis(found, sweep->name, "by the events of %d launches, %u samples",
                          BL_QUEUED_LAUNCHES, inference->repeats);
    }
}

static void find_enqueue(struct bl_inference *inference, const struct bl_time_sweep *sweep)
{
    static const char key[] = "enqueue_ns";
    const double ns = sweep->ns[1];
    struct bl_finding *found = NULL;
    if (ns > 0)
        found = find_if_clear(inference, key, ns, ns * fmax(sweep->error[1], 0.01));
    else
        bl_find_unknown(inference, key, "by the host's clock, enqueueing a launch takes no time");
    if (found)
        bl_find_basis(found, sweep->name, "%d launches without a wait, %u samples",
                      BL_QUEUED_LAUNCHES, inference->repeats);
}

/* Measures launches that the host enqueues while the device is busy. */
static enum bl_status infer_queue(struct bl_inference *inference)
{
    static const char *const keys[] = {"queued_launch_ns", "enqueue_ns"};
    struct bl_queue_probe probe = {.group_items = group_items(inference, FEW)};
    struct bl_time_sweep sweep = {.name = "queue"};
    enum bl_status status = bl_sweep_take(inference, inference->target->queue, &probe, &sweep, NAN,
                                          "launches queued behind another");
    probe.is_host_time = true;
    if (status == BL_OK)
        status = bl_sweep_take(inference, inference->target->queue, &probe, &sweep, NAN,
                               "enqueueing these launches");
    if (status == BL_OUT_OF_RANGE) {
        bl_find_none(inference, keys, 2, "no launch lasts until others are enqueued behind it");
        return BL_OK;
    }
    if (status != BL_OK)
        return status;
    find_queued_launch(inference, &sweep);
    find_enqueue(inference, &sweep);
    return BL_OK;
}

enum bl_status bl_infer_operations(struct bl_inference *inference)
{
    repeat_often(inference);
    enum bl_status status = infer_chains(inference);
    if (status == BL_OK)
        status = infer_issue(inference);
    if (status == BL_OK)
        status = infer_launches(inference);
    return status == BL_OK ? infer_queue(inference) : status;
}
