/* Computes mean costs over the requests of a launch, and verdicts. A launch may have millions of
 * requests, so if a hash chooses the tag banks, and reads therefore differ in cost, only a sample
 * of the reads is computed. */
#include "model/predict.h"

#include <math.h>

enum bl_verdict bl_verdict_of_range(double from, double to, double lo, double hi, double tolerance)
{
    const double min = from * (1 - tolerance), max = to * (1 + tolerance);
    if (lo >= min && hi <= max)
        return BL_CONFIRMED;
    if (hi < min || lo > max)
        return BL_REFUTED;
    return BL_UNCLEAR;
}

enum bl_verdict bl_verdict_of(double expected, double lo, double hi, double tolerance)
{
    return bl_verdict_of_range(expected, expected, lo, hi, tolerance);
}

enum bl_verdict bl_verdict_of_direction(enum bl_direction direction, double lo, double hi)
{
    const double margin = 0.02;
    if (direction == BL_FASTER ? lo > 1 + margin : hi < 1 - margin)
        return BL_CONFIRMED;
    if (direction == BL_FASTER ? hi < 1 + margin : lo > 1 - margin)
        return BL_REFUTED;
    return BL_UNCLEAR;
}

const char *bl_direction_name(enum bl_direction direction)
{
    static const char *const names[] = {"", "faster", "slower"};
    return names[direction];
}

const char *bl_verdict_name(enum bl_verdict verdict)
{
    static const char *const names[] = {"confirmed", "refuted",  "unclear",
                                        "no-rule",   "baseline", ""};
    return names[verdict];
}

enum { SAMPLED_READS = 32768 };

struct pass {
    const struct bl_machine *machine;
    const struct bl_launch *launch;
    struct bl_part parts[BL_MAX_PARTS];
    unsigned part_count;
    unsigned sampled_reads; /* reads of a round that are computed per request */
    bool reads_differ;      /* unrolled reads differ in cost, because a hash chooses tag banks */
};

/* The number of the read to compute: `look` if all are computed or all cost the same, else one
 * chosen by a hash. */
static unsigned chosen_read(const struct pass *pass, size_t request, unsigned look)
{
    const unsigned unroll = pass->launch->unroll;
    if (!pass->reads_differ || pass->sampled_reads == unroll)
        return look;
    const uint64_t mixed = (request * pass->sampled_reads + look + 1) * 0x9E3779B97F4A7C15u;
    return (unsigned)(mixed >> 32) % unroll;
}

static void add_cost(const struct bl_cost *cost, struct bl_cost_sums *sums)
{
    sums->lines += cost->lines;
    sums->sectors += cost->sectors;
    sums->tag_passes += cost->tag_passes;
    sums->bank_passes += cost->bank_passes;
    sums->words += cost->words;
    sums->clocks += cost->clocks;
    sums->requests++;
}

/* Adds the chosen reads of one request, given the start elements of its lanes. */
static enum bl_status add_request(const struct pass *pass, const uint64_t starts[], unsigned lanes,
                                  size_t number, struct bl_cost_sums *sums)
{
    const struct bl_launch *launch = pass->launch;
    const unsigned element_bytes = launch->type->element_bytes;
    uint64_t distances_bytes[BL_MAX_UNROLL], addresses_bytes[BL_MAX_LANES];
    for (unsigned look = 0; look < pass->sampled_reads; look++)
        distances_bytes[look] =
            bl_launch_read_offset(launch, chosen_read(pass, number, look)) * element_bytes;
    struct bl_request access = {
        .memory = launch->memory,
        .is_write = launch->is_write,
        .is_atomic = launch->is_atomic,
        .lanes = lanes,
        .addresses_bytes = addresses_bytes,
    };
    for (unsigned p = 0; p < pass->part_count; p++) {
        access.access_bytes = pass->parts[p].bytes;
        for (unsigned lane = 0; lane < lanes; lane++)
            addresses_bytes[lane] =
                launch->base_bytes + starts[lane] * element_bytes + pass->parts[p].offset;
        struct bl_cost costs[BL_MAX_UNROLL];
        const enum bl_status status =
            bl_costs_of_moved(pass->machine, &access, distances_bytes, pass->sampled_reads, costs);
        if (status != BL_OK)
            return status;
        for (unsigned look = 0; look < pass->sampled_reads; look++)
            add_cost(&costs[look], sums);
    }
    return BL_OK;
}

enum bl_status bl_cost_add(const struct bl_machine *machine, const struct bl_request *access,
                           const struct bl_part parts[], unsigned part_count,
                           struct bl_cost_sums *sums)
{
    for (unsigned p = 0; p < part_count; p++) {
        uint64_t moved[BL_MAX_LANES];
        for (unsigned lane = 0; lane < access->lanes; lane++)
            moved[lane] = access->addresses_bytes[lane] + parts[p].offset;
        struct bl_request request = *access;
        request.access_bytes = parts[p].bytes;
        request.addresses_bytes = moved;
        struct bl_cost cost;
        const enum bl_status status = bl_cost_of(machine, &request, &cost);
        if (status != BL_OK)
            return status;
        add_cost(&cost, sums);
    }
    return BL_OK;
}

/* The mean of a count per request; NAN if the sum is 0, because then the count does not apply. */
static double cost_mean(uint64_t sum, const struct bl_cost_sums *sums)
{
    return sum > 0 ? (double)sum / (double)sums->requests : NAN;
}

double bl_cost_clocks(const struct bl_machine *machine, bool is_write,
                      const struct bl_cost_sums *sums)
{
    const double one_by_one = (double)sums->clocks;
    if (is_write || sums->tag_passes == 0 || sums->bank_passes == 0)
        return one_by_one;
    const uint64_t longer =
        sums->tag_passes > sums->bank_passes ? sums->tag_passes : sums->bank_passes;
    return one_by_one - machine->overlap_percent * (one_by_one - (double)longer) / 100;
}

enum bl_status bl_predict(const struct bl_machine *machine, const struct bl_launch *launch,
                          const uint64_t starts[], struct bl_prediction *prediction)
{
    struct pass pass = {.machine = machine, .launch = launch, .sampled_reads = 1};
    pass.part_count =
        bl_parts_of(machine, launch->memory, launch->is_write, launch->type, pass.parts);
    const size_t group_items = bl_launch_group_items(launch);
    const size_t requests = bl_launch_requests(launch);
    pass.reads_differ = launch->memory != BL_MEMORY_LOCAL && machine->tag_masks[0] != 0;
    if (pass.reads_differ) {
        const size_t sampled_reads = SAMPLED_READS / requests;
        pass.sampled_reads = sampled_reads < 1                ? 1
                             : sampled_reads < launch->unroll ? (unsigned)sampled_reads
                                                              : launch->unroll;
    }
    struct bl_cost_sums sums = {0};
    size_t number = 0;
    for (size_t group = 0; group < launch->groups; group++)
        for (size_t first = 0; first < group_items; first += launch->lanes, number++) {
            const size_t left = group_items - first;
            const unsigned lanes = left < launch->lanes ? (unsigned)left : launch->lanes;
            const enum bl_status status =
                add_request(&pass, starts + group * group_items + first, lanes, number, &sums);
            if (status != BL_OK)
                return status;
        }
    *prediction = (struct bl_prediction){
        .lines = cost_mean(sums.lines, &sums),
        .sectors = cost_mean(sums.sectors, &sums),
        .tag_passes = cost_mean(sums.tag_passes, &sums),
        .bank_passes = cost_mean(sums.bank_passes, &sums),
        .words = cost_mean(sums.words, &sums),
        .clocks = bl_cost_clocks(machine, launch->is_write, &sums) / (double)sums.requests,
        .parts = pass.part_count,
    };
    return BL_OK;
}
