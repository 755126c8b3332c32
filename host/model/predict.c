/* Computes mean costs over the requests of a launch, and verdicts. If a hash chooses the tag banks,
 * unrolled reads differ in cost. A launch may have millions of requests, so only the costs of a
 * sample of these reads are computed. */
#include "model/predict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "model/access.h"

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
    unsigned sampled_reads; /* number of reads per request whose costs are computed */
    bool reads_differ; /* unrolled reads may differ in cost, because a hash chooses tag banks */
};

/* The index, within a round, of read number `look` among the reads whose costs are computed for a
 * request. If the costs of all reads are computed, or all reads cost the same, the index is `look`;
 * otherwise, a hash chooses the index. */
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

/* Adds the costs of the chosen reads of one request. starts: the start elements of its lanes. */
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

/* The mean of a count per request; NAN if the sum is 0, because the count does not apply in this
 * case. */
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

/* The code below finds the costliest request of a launch, explains what limits it, and tries fixes.
 * Only this request is explained, because a mean of different requests cannot be explained in one
 * sentence. */

enum { MAX_EXPLAINED_ITEMS = 1 << 16 };

/* A pattern counts as limited if its cost is at least this factor times the cost of contiguous
 * accesses. */
static const double MIN_LOSS = 1.05;

/* A request of the launch with its addresses and cost. */
struct example {
    struct bl_request request;
    struct bl_cost cost;
    uint64_t addresses_bytes[BL_MAX_LANES];
};

static enum bl_status take(const struct bl_machine *machine, const struct bl_launch *launch,
                           const uint64_t starts[], unsigned lanes, struct example *example)
{
    struct bl_part parts[BL_MAX_PARTS];
    bl_parts_of(machine, launch->memory, launch->is_write, launch->type, parts);
    for (unsigned lane = 0; lane < lanes; lane++)
        example->addresses_bytes[lane] =
            launch->base_bytes + starts[lane] * launch->type->element_bytes;
    example->request = (struct bl_request){launch->memory, launch->is_write,         parts[0].bytes,
                                           lanes,          example->addresses_bytes, false};
    return bl_cost_of(machine, &example->request, &example->cost);
}

static enum bl_status find_costliest(const struct bl_machine *machine,
                                     const struct bl_launch *launch, const uint64_t starts[],
                                     struct bl_pattern_explanation *explanation)
{
    const size_t items = bl_launch_group_items(launch);
    unsigned clocks = 0;
    for (size_t i = 0; i < bl_launch_items(launch);) {
        const size_t left = items - i % items;
        const unsigned lanes = left < launch->lanes ? (unsigned)left : launch->lanes;
        struct example example;
        const enum bl_status status = take(machine, launch, starts + i, lanes, &example);
        if (status != BL_OK)
            return status;
        if (example.cost.clocks > clocks) {
            clocks = example.cost.clocks;
            explanation->first_item = i;
            explanation->lanes = lanes;
        }
        i += lanes;
    }
    return BL_OK;
}

/* The busiest bank, the number of distinct words that lanes access in this bank at once, and the
 * number of these lanes. */
struct busy {
    unsigned bank, words, lanes;
};

static struct busy busiest_bank(const struct bl_machine *machine, const struct bl_request *request)
{
    const unsigned at_once = bl_lanes_at_once(machine, request);
    struct busy busiest = {0};
    for (unsigned bank = 0; bank < machine->banks; bank++)
        for (unsigned first = 0; first < request->lanes; first += at_once) {
            struct busy here = {.bank = bank};
            uint64_t seen[BL_MAX_LANES];
            for (unsigned lane = first; lane < request->lanes && lane < first + at_once; lane++) {
                const uint64_t from = request->addresses_bytes[lane] / machine->bank_bytes;
                const uint64_t last = (request->addresses_bytes[lane] + request->access_bytes - 1) /
                                      machine->bank_bytes;
                /* the lane's first word in this bank */
                const uint64_t word =
                    from + (bank + machine->banks - from % machine->banks) % machine->banks;
                if (word > last)
                    continue;
                here.lanes++;
                unsigned known = 0;
                while (known < here.words && seen[known] != word)
                    known++;
                if (known == here.words)
                    seen[here.words++] = word;
            }
            if (here.words > busiest.words)
                busiest = here;
        }
    return busiest;
}

/* The number of lines that the busiest tag bank looks up for the request. */
static unsigned lines_of_busiest_tag_bank(const struct bl_machine *machine,
                                          const struct bl_request *request)
{
    const uint64_t *const addresses = request->addresses_bytes;
    const unsigned bytes = machine->line_bytes, more = request->access_bytes - 1;
    unsigned looked_up[1 << BL_MAX_TAG_BITS] = {0}, max = 0;
    for (unsigned lane = 0; lane < request->lanes; lane++)
        for (uint64_t line = addresses[lane] / bytes; line <= (addresses[lane] + more) / bytes;
             line++) {
            unsigned first = 0; /* the first lane that touches the line */
            while (line < addresses[first] / bytes || line > (addresses[first] + more) / bytes)
                first++;
            const unsigned bank = bl_tag_bank(machine, line);
            if (first == lane && ++looked_up[bank] > max)
                max = looked_up[bank];
        }
    return max;
}

/* Explains the cost of the costliest request, `own`. ideal: the cost of a contiguous request with
 * the same number of lanes. */
static void say_limit(const struct bl_machine *machine, const struct example *own,
                      const struct bl_cost *ideal, char text[192])
{
    const struct bl_cost *cost = &own->cost;
    const bool is_local = own->request.memory == BL_MEMORY_LOCAL;
    int used = 0;
    if (!is_local && machine->global_in_quads) {
        snprintf(text, 192, "%u line%s where %u would do; every 16 lanes need four passes",
                 cost->lines, bl_plural(cost->lines), ideal->lines);
    } else if (!is_local && !own->request.is_write && cost->clocks > cost->bank_passes &&
               cost->clocks > cost->tag_passes) {
        snprintf(text, 192,
                 "the lanes' elements are not contiguous, and such a read takes at least %u clocks",
                 cost->clocks);
    } else if (cost->bank_passes == cost->clocks) {
        const struct busy busy = busiest_bank(machine, &own->request);
        used = busy.words == busy.lanes
                   ? snprintf(text, 192, "%u of %u lanes want different words of bank %u",
                              busy.lanes, own->request.lanes, busy.bank)
                   : snprintf(text, 192, "%u of %u lanes want %u different words of bank %u",
                              busy.lanes, own->request.lanes, busy.words, busy.bank);
        if (cost->lines > ideal->lines)
            snprintf(text + used, 192 - (size_t)used, ", and all touch %u lines where %u would do",
                     cost->lines, ideal->lines);
    } else if (cost->tag_passes == cost->clocks) {
        used = snprintf(text, 192, "%u line%s where %u would do", cost->lines,
                        bl_plural(cost->lines), ideal->lines);
        if (machine->tag_masks[0])
            snprintf(text + used, 192 - (size_t)used, ", %u of them in one tag bank",
                     lines_of_busiest_tag_bank(machine, &own->request));
    } else {
        snprintf(text, 192, "%u sector%s written where %u would do", cost->sectors,
                 bl_plural(cost->sectors), ideal->sectors);
    }
}

static void say_nothing(const struct bl_machine *machine, const struct example *own, char text[192])
{
    const struct bl_request *request = &own->request;
    const unsigned at_once = bl_lanes_at_once(machine, request);
    const unsigned passes = own->cost.bank_passes;
    bool is_shared = false;
    for (unsigned lane = 1; lane < request->lanes; lane++)
        is_shared |= request->addresses_bytes[lane] == request->addresses_bytes[0];
    int used = snprintf(text, 192, "nothing");
    if (own->cost.lines)
        used += snprintf(text + used, 192 - (size_t)used, ": %u line%s", own->cost.lines,
                         bl_plural(own->cost.lines));
    const char *separator = own->cost.lines ? "," : ":";
    if (passes == 1)
        snprintf(text + used, 192 - (size_t)used, "%s %s", separator,
                 is_shared ? "lanes that want the same word share it" : "no bank conflict");
    else if (passes == (request->lanes + at_once - 1) / at_once)
        snprintf(text + used, 192 - (size_t)used, "%s %u passes, as for every access of %u bytes",
                 separator, passes, request->access_bytes);
}

/* A pattern after a transform. starts: the work-items' new start elements. */
struct changed {
    const struct bl_machine *machine;
    const struct bl_launch *launch;
    uint64_t *starts;
};

/* Transforms are judged by the clocks of an array, of a source line, of all accesses, and of a
 * stage. A pattern is one source line that accesses one array, so all four values are the same. */
static struct bl_clocks of_pattern(double clocks)
{
    return (struct bl_clocks){.own = clocks, .line = clocks, .all = clocks, .stage = clocks};
}

static enum bl_status clocks_of(void *context, const struct bl_changed_accesses *change,
                                struct bl_clocks *clocks)
{
    struct changed *changed = context;
    struct bl_prediction prediction = {0};
    for (size_t i = 0; i < change->count; i++)
        changed->starts[i] = change->accesses[i].address / change->accesses[i].bytes;
    const enum bl_status status =
        bl_predict(changed->machine, changed->launch, changed->starts, &prediction);
    *clocks = of_pattern(prediction.clocks);
    return status;
}

/* Tries the transforms on the pattern, in which each work-item makes one access. */
static enum bl_status find_fixes(struct changed *changed, const uint64_t starts[],
                                 struct bl_fixes *fixes, struct bl_error *error)
{
    const struct bl_launch *launch = changed->launch;
    const size_t items = bl_launch_items(launch), group_items = bl_launch_group_items(launch);
    struct bl_access *all = calloc(items, sizeof *all);
    if (!all)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while explaining %zu work-items", items);
    for (size_t i = 0; i < items; i++)
        all[i] = (struct bl_access){.occurrence = (uint32_t)(i / group_items),
                                    .item = (uint32_t)(i % group_items),
                                    .bytes = launch->type->element_bytes,
                                    .address = starts[i] * launch->type->element_bytes,
                                    .memory = (uint8_t)launch->memory};
    const struct bl_accesses accesses = {
        .all = all,
        .count = items,
        .local = {launch->shape.x, launch->shape.y, 1},
        .line_bytes = changed->machine->line_bytes,
        .bank_round_bytes = changed->machine->banks * changed->machine->bank_bytes,
        .is_local = launch->memory == BL_MEMORY_LOCAL,
        .group_local_bytes_max = changed->machine->group_local_bytes_max};
    const enum bl_status status =
        bl_find_fixes(&accesses,
                      launch->memory == BL_MEMORY_LOCAL ? BL_TRANSFORMS_OF_LOCAL_PATTERN
                                                        : BL_TRANSFORMS_OF_PATTERN,
                      clocks_of, changed, fixes, error);
    free(all);
    return status;
}

enum bl_status bl_explain_pattern(const struct bl_machine *machine, const struct bl_launch *launch,
                                  const uint64_t starts[],
                                  struct bl_pattern_explanation *explanation,
                                  struct bl_error *error)
{
    *explanation = (struct bl_pattern_explanation){0};
    struct bl_launch part = *launch;
    const size_t max_groups = MAX_EXPLAINED_ITEMS / bl_launch_group_items(launch);
    if (part.groups > max_groups)
        part.groups = max_groups ? max_groups : 1;
    const size_t items = bl_launch_items(&part);
    struct changed changed = {machine, &part, calloc(items, sizeof *changed.starts)};
    if (!changed.starts)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while explaining %zu work-items", items);
    struct bl_prediction own, contiguous;
    struct example costliest, ideal;
    for (size_t i = 0; i < items; i++)
        changed.starts[i] =
            launch->memory == BL_MEMORY_LOCAL ? i % bl_launch_group_items(&part) : i;
    enum bl_status status = find_costliest(machine, &part, starts, explanation);
    if (status == BL_OK)
        status = take(machine, &part, changed.starts, explanation->lanes, &ideal);
    if (status == BL_OK)
        status =
            take(machine, &part, starts + explanation->first_item, explanation->lanes, &costliest);
    if (status == BL_OK)
        status = bl_predict(machine, &part, changed.starts, &contiguous);
    if (status == BL_OK)
        status = bl_predict(machine, &part, starts, &own);
    if (status == BL_OK && own.clocks < contiguous.clocks * MIN_LOSS) {
        say_nothing(machine, &costliest, explanation->limit);
    } else if (status == BL_OK) {
        say_limit(machine, &costliest, &ideal.cost, explanation->limit);
        explanation->fixes.now = of_pattern(own.clocks);
        status = find_fixes(&changed, starts, &explanation->fixes, error);
        if (status == BL_OK && explanation->fixes.count == 0)
            snprintf(explanation->why_no_fix, sizeof explanation->why_no_fix,
                     explanation->fixes.is_scattered
                         ? "its start elements are scattered and form no rows"
                         : "no fix that was tried helps");
    }
    free(changed.starts);
    return status;
}
