/* Counts the lines, sectors and words that a request touches, and computes the request's cost by
 * the rules of access.h. Predictions do this for millions of requests, so blocks are counted with a
 * small hash table and bit masks, without sorting and mostly without division. */
#include "model/access.h"

#include <string.h>

/* Finds a block. Returns the block's position plus one, or 0 if the block is new. *slot receives
 * the block's slot, or a free slot if the block is new. */
static inline unsigned find(const struct bl_footprint *print, uint64_t block, unsigned slots,
                            unsigned *slot)
{
    unsigned position, at = (unsigned)((block * 0x9E3779B97F4A7C15u) >> 32) & (slots - 1);
    while ((position = print->slot_of[at]) != 0 && print->at[position - 1] != block)
        at = (at + 1) & (slots - 1);
    *slot = at;
    return position;
}

static bool is_power_of_two(unsigned n) { return n > 0 && (n & (n - 1)) == 0; }

static unsigned shift_of(unsigned power_of_two) { return (unsigned)__builtin_ctz(power_of_two); }

/* Counts the distinct blocks, sectors and units that the lanes touch. */
static void look_at(const struct bl_look *look, struct bl_footprint *print)
{
    const unsigned block_shift = shift_of(look->block_bytes), shift = shift_of(look->unit_bytes);
    const unsigned unit_mask = (look->block_bytes >> shift) - 1;
    const unsigned sector_mask = ~((look->sector_bytes >> shift) - 1);
    const uint64_t of_sector = ~(uint64_t)0 >> (64 - (look->sector_bytes >> shift));
    const unsigned banks = look->banks ? look->banks : 1;
    /* Nearly all bank counts are powers of two, for which a mask replaces a slow division. */
    const bool is_masked = is_power_of_two(banks);
    const unsigned extra = look->access_bytes - 1;
    const unsigned most = look->lanes * ((extra >> block_shift) + 2);
    unsigned slots = 64;
    while (slots < 4 * most)
        slots *= 2;
    memset(print->slot_of, 0, slots * sizeof print->slot_of[0]);
    memset(print->wanted, 0, banks * sizeof print->wanted[0]);
    unsigned blocks = 0, sectors = 0, units = 0, busiest = 0;
    for (unsigned lane = 0; lane < look->lanes; lane++) {
        const uint64_t start = look->addresses_bytes[lane];
        const uint64_t last = (start + extra) >> shift;
        for (uint64_t number = start >> shift; number <= last;
             number++) { /* usually a single unit */
            const uint64_t block = number >> (block_shift - shift);
            const unsigned unit = (unsigned)number & unit_mask;
            unsigned slot;
            const unsigned position = find(print, block, slots, &slot);
            if (!position) {
                print->at[blocks] = block;
                print->has[blocks] = (uint64_t)1 << unit;
                print->slot_of[slot] = (uint16_t)++blocks;
                sectors++;
            } else {
                const uint64_t has = print->has[position - 1];
                if (has >> unit & 1)
                    continue;
                print->has[position - 1] = has | (uint64_t)1 << unit;
                sectors += !(has >> (unit & sector_mask) & of_sector);
            }
            units++;
            const unsigned bank =
                is_masked ? (unsigned)number & (banks - 1) : (unsigned)(number % banks);
            const unsigned here = ++print->wanted[bank];
            busiest = here > busiest ? here : busiest;
        }
    }
    print->blocks = blocks;
    print->sectors = sectors;
    print->units = units;
    print->busiest = busiest;
}

unsigned bl_tag_bank(const struct bl_machine *machine, uint64_t line)
{
    unsigned bank = 0;
    for (unsigned bit = 0; bit < BL_MAX_TAG_BITS && machine->tag_masks[bit]; bit++)
        bank |= (unsigned)__builtin_parityll(line & machine->tag_masks[bit]) << bit;
    return bank;
}

static unsigned busiest_tag_bank(const struct bl_machine *machine, const uint64_t lines[],
                                 unsigned count)
{
    unsigned looked_up[1 << BL_MAX_TAG_BITS] = {0};
    unsigned max = 0;
    for (unsigned i = 0; i < count; i++) {
        const unsigned here = ++looked_up[bl_tag_bank(machine, lines[i])];
        max = here > max ? here : max;
    }
    return (max + machine->lines_per_clock - 1) / machine->lines_per_clock;
}

/* The bank passes for lanes first_lane to end_lane - 1. Adds to *delivered the number of words that
 * the banks deliver. */
static unsigned busiest_bank(const struct bl_machine *machine, const struct bl_request *request,
                             unsigned first_lane, unsigned end_lane, struct bl_footprint *print,
                             unsigned *delivered)
{
    const unsigned word = machine->bank_bytes, block = BL_UNITS_OF_BLOCK * word;
    const struct bl_look look = {request->addresses_bytes + first_lane,
                                 end_lane - first_lane,
                                 request->access_bytes,
                                 block,
                                 word,
                                 word,
                                 machine->banks};
    look_at(&look, print);
    *delivered += print->units;
    return print->busiest;
}

static unsigned lanes_of_busiest_bank(const struct bl_machine *machine,
                                      const struct bl_request *request)
{
    unsigned wanted[BL_MAX_BANKS] = {0};
    unsigned max = 0;
    for (unsigned lane = 0; lane < request->lanes; lane++) {
        const uint64_t word = request->addresses_bytes[lane] / machine->bank_bytes;
        const unsigned here = ++wanted[word % machine->banks];
        max = here > max ? here : max;
    }
    return max;
}

unsigned bl_lanes_at_once(const struct bl_machine *machine, const struct bl_request *request)
{
    const unsigned of_local = request->is_write && machine->local_lanes_written_at_once
                                  ? machine->local_lanes_written_at_once
                                  : machine->local_lanes_at_once;
    const unsigned limit = request->memory == BL_MEMORY_LOCAL ? of_local : 0;
    const unsigned lanes = limit && limit < request->lanes ? limit : request->lanes;
    if (!machine->wide_in_parts || request->access_bytes <= machine->bank_bytes)
        return lanes;
    const unsigned fills = machine->banks * machine->bank_bytes / request->access_bytes;
    return fills < 1 ? 1 : limit && lanes < fills ? lanes : fills;
}

/* Whether the number of lanes is a multiple of 4, and both lanes of each pair access the same
 * address. The indices of a pair's lanes differ only in the bit `apart`. */
static bool are_pairs(const struct bl_request *request, unsigned first, unsigned end,
                      unsigned apart)
{
    for (unsigned lane = first; lane < end; lane++)
        if (request->addresses_bytes[lane] != request->addresses_bytes[lane ^ apart])
            return false;
    return (end - first) % 4 == 0;
}

static unsigned bank_passes(const struct bl_machine *machine, const struct bl_request *request,
                            struct bl_footprint *print, unsigned *delivered)
{
    const unsigned part = bl_lanes_at_once(machine, request);
    const bool may_share = machine->pairs_share_wide && part < request->lanes &&
                           request->access_bytes > machine->bank_bytes &&
                           request->memory == BL_MEMORY_LOCAL && !request->is_write;
    unsigned passes = 0;
    for (unsigned lane = 0; lane < request->lanes;) {
        const unsigned left = request->lanes - lane;
        const unsigned two = lane + (2 * part < left ? 2 * part : left);
        const bool is_shared =
            may_share && lane % 4 == 0 &&
            (are_pairs(request, lane, two, 1) || are_pairs(request, lane, two, 2));
        const unsigned end = is_shared ? two : lane + (part < left ? part : left);
        passes += busiest_bank(machine, request, lane, end, print, delivered);
        lane = end;
    }
    return passes;
}

static bool is_in_range(const struct bl_request *request)
{
    return request->lanes >= 1 && request->lanes <= BL_MAX_LANES && request->access_bytes >= 1 &&
           request->access_bytes <= BL_MAX_ACCESS_BYTES;
}

/* Counts lines and sectors. Also counts words, which avoids a second pass over the lanes, if
 * with_words is set, the banks serve all lanes together, words are no larger than sectors, and a
 * line's words fit into the bit masks. Returns whether words were counted. */
static bool look_at_lines(const struct bl_machine *machine, const struct bl_request *request,
                          bool with_words, struct bl_footprint *print)
{
    const unsigned line = machine->line_bytes, word = machine->bank_bytes;
    const unsigned sector = machine->sector_bytes ? machine->sector_bytes : line;
    const bool together = with_words && bl_lanes_at_once(machine, request) >= request->lanes &&
                          word <= sector && line / word <= BL_UNITS_OF_BLOCK;
    const struct bl_look look = {request->addresses_bytes,
                                 request->lanes,
                                 request->access_bytes,
                                 line,
                                 sector,
                                 together ? word : sector,
                                 together ? machine->banks : 0};
    look_at(&look, print);
    return together;
}

static bool has_sensible_lines(const struct bl_machine *machine)
{
    const unsigned line = machine->line_bytes, sector = machine->sector_bytes;
    return is_power_of_two(line) && machine->lines_per_clock > 0 &&
           (!sector ||
            (is_power_of_two(sector) && sector <= line && line / sector <= BL_MAX_SECTORS));
}

enum { QUAD = 4, QUADS_AT_ONCE = 4, WORD_OF_QUAD = 4 }; /* WORD_OF_QUAD: in bytes */

/* Whether each quad (four consecutive lanes) stays within as many bytes as four contiguous
 * accesses. */
static bool is_in_quads(const struct bl_request *request, unsigned first, unsigned end)
{
    for (unsigned quad = first; quad < end; quad += QUAD) {
        uint64_t low = request->addresses_bytes[quad], high = low;
        for (unsigned lane = quad; lane < end && lane < quad + QUAD; lane++) {
            const uint64_t at = request->addresses_bytes[lane];
            low = at < low ? at : low;
            high = at > high ? at : high;
        }
        if (high - low > (uint64_t)(QUAD - 1) * request->access_bytes)
            return false;
    }
    return true;
}

/* Adds the cost of lanes that the cache serves in one pass. In the cache, each word of a line has
 * its own bank. */
static void add_pass(const struct bl_machine *machine, unsigned access_bytes,
                     const uint64_t addresses_bytes[], unsigned lanes, struct bl_footprint *print,
                     struct bl_cost *cost)
{
    const unsigned line = machine->line_bytes;
    const unsigned word =
        line < WORD_OF_QUAD * BL_UNITS_OF_BLOCK ? WORD_OF_QUAD : line / BL_UNITS_OF_BLOCK;
    const struct bl_look look = {addresses_bytes, lanes, access_bytes, line, line, word,
                                 line / word};
    look_at(&look, print);
    const unsigned tags = busiest_tag_bank(machine, print->at, print->blocks);
    cost->tag_passes += tags;
    cost->bank_passes += print->busiest;
    cost->words += print->units;
    cost->clocks += tags > print->busiest ? tags : print->busiest;
}

/* Adds the cost by the rule global_in_quads (explained in machine.c). Sixteen lanes are served in
 * one pass if accesses are at most 4 bytes wide and is_in_quads returns true; otherwise they need
 * four passes of four lanes. The caller has already counted the lines. */
static void add_quads(const struct bl_machine *machine, const struct bl_request *request,
                      struct bl_footprint *print, struct bl_cost *cost)
{
    const unsigned bytes = request->access_bytes;
    for (unsigned first = 0; first < request->lanes; first += QUAD * QUADS_AT_ONCE) {
        const unsigned left = request->lanes - first;
        const unsigned end = first + (left < QUAD * QUADS_AT_ONCE ? left : QUAD * QUADS_AT_ONCE);
        if (bytes <= WORD_OF_QUAD && is_in_quads(request, first, end)) {
            add_pass(machine, bytes, request->addresses_bytes + first, end - first, print, cost);
            continue;
        }
        for (unsigned pass = 0; pass < QUAD; pass++) {
            uint64_t addresses[QUAD];
            unsigned lanes = 0;
            for (unsigned i = 0; i < QUAD; i++) {
                const unsigned lane =
                    first + (bytes <= WORD_OF_QUAD ? QUAD * i + pass : QUAD * pass + i);
                if (lane < end)
                    addresses[lanes++] = request->addresses_bytes[lane];
            }
            if (lanes)
                add_pass(machine, bytes, addresses, lanes, print, cost);
        }
    }
}

/* Whether the request is within the limits of the machine's rule for this memory. */
static bool is_ruled(const struct bl_machine *machine, const struct bl_request *request)
{
    const unsigned bytes = request->access_bytes;
    if (request->memory == BL_MEMORY_LOCAL)
        return !machine->local_max_bytes || bytes <= machine->local_max_bytes;
    if (machine->why_no_global_rule[0] || (request->is_write && machine->global_reads_alone) ||
        bytes < machine->global_min_bytes ||
        (machine->global_max_bytes && bytes > machine->global_max_bytes))
        return false;
    if (!machine->global_span_kib)
        return true;
    uint64_t low = request->addresses_bytes[0], high = low;
    for (unsigned lane = 1; lane < request->lanes; lane++) {
        const uint64_t at = request->addresses_bytes[lane];
        low = at < low ? at : low;
        high = at > high ? at : high;
    }
    return (high - low) / 1024 < machine->global_span_kib;
}

/* The machine's minimum clocks for a read from the cache; 1 for other requests. */
static unsigned least_clocks(const struct bl_machine *machine, const struct bl_request *request)
{
    const unsigned any = machine->read_least_clocks,
                   scattered = machine->scattered_read_least_clocks;
    if (request->is_write || request->memory == BL_MEMORY_LOCAL)
        return 1;
    return scattered > any && !is_in_quads(request, 0, request->lanes) ? scattered : any;
}

/* Which stages of the machine serve a memory: the lookup of lines, the banks, or both. */
struct stages {
    bool lines, banks;
};

static struct stages stages_of(const struct bl_machine *machine, enum bl_memory memory)
{
    const bool lines =
        memory == BL_MEMORY_GLOBAL || (memory == BL_MEMORY_CONSTANT && machine->constant_is_global);
    return (struct stages){lines,
                           memory == BL_MEMORY_LOCAL || (lines && machine->banks_serve_global)};
}

static bool has_rule(const struct bl_machine *machine, const struct bl_request *request,
                     struct stages uses)
{
    if (request->is_atomic && (request->memory != BL_MEMORY_LOCAL || !machine->atomics_by_lane))
        return false;
    return machine->has_rule && is_in_range(request) && is_ruled(machine, request) &&
           (uses.lines || uses.banks) && (!uses.lines || has_sensible_lines(machine)) &&
           (!uses.banks || (machine->banks >= 1 && machine->banks <= BL_MAX_BANKS &&
                            is_power_of_two(machine->bank_bytes)));
}

/* The cost if the machine's banks are uncertain. Fails with BL_BAD_MACHINE unless all possible bank
 * configurations give the same clocks. */
static enum bl_status cost_of_all(const struct bl_machine *machine,
                                  const struct bl_request *request, struct bl_cost *cost)
{
    *cost = (struct bl_cost){0};
    for (unsigned i = 0; i < bl_machine_alternatives(machine); i++) {
        const struct bl_machine one = bl_machine_alternative(machine, i);
        struct bl_cost other;
        const enum bl_status status = bl_cost_of(&one, request, &other);
        if (status != BL_OK || (i > 0 && other.clocks != cost->clocks))
            return BL_BAD_MACHINE;
        if (i == 0)
            *cost = other;
    }
    return BL_OK;
}

static unsigned larger(unsigned a, unsigned b) { return a > b ? a : b; }

/* Fills in the cost; cost->clocks receives the clocks of the busiest stage, and *lines the lines
 * that the request touches (not for local memory). */
static void count_passes(const struct bl_machine *machine, const struct bl_request *request,
                         struct stages uses, struct bl_footprint *lines, struct bl_cost *cost)
{
    *cost = (struct bl_cost){.clocks = 1};
    bool has_words = false;
    if (uses.lines) {
        has_words = look_at_lines(machine, request, uses.banks && !request->is_atomic, lines);
        cost->lines = lines->blocks;
        cost->sectors = machine->sector_bytes ? lines->sectors : 0;
        cost->tag_passes = cost->clocks = busiest_tag_bank(machine, lines->at, lines->blocks);
    }
    struct bl_footprint words;
    if (uses.lines && machine->global_in_quads) {
        cost->clocks = cost->tag_passes = 0;
        add_quads(machine, request, &words, cost);
    } else if (has_words) {
        cost->words = lines->units;
        cost->bank_passes = lines->busiest;
    } else if (uses.banks) {
        cost->bank_passes = request->is_atomic
                                ? lanes_of_busiest_bank(machine, request)
                                : bank_passes(machine, request, &words, &cost->words);
    }
    cost->clocks = larger(cost->clocks, cost->bank_passes);
}

/* Raises a write's clocks to those that its sectors take, and a read's clocks to the machine's
 * minimum. A read whose clocks would have to be raised has no rule if some of its lanes are
 * inactive. */
static enum bl_status raise_clocks(const struct bl_machine *machine,
                                   const struct bl_request *request, struct stages uses,
                                   struct bl_cost *cost)
{
    if (request->is_write && uses.lines && machine->sectors_written_per_clock) {
        const unsigned written = machine->sector_bytes ? cost->sectors : cost->lines;
        cost->clocks = larger(cost->clocks, (written + machine->sectors_written_per_clock - 1) /
                                                machine->sectors_written_per_clock);
    }
    const unsigned least = least_clocks(machine, request);
    if (cost->clocks < least && request->lanes < machine->lanes)
        return BL_BAD_MACHINE;
    cost->clocks = larger(cost->clocks, least);
    return BL_OK;
}

/* The cost of a read of a constant array that the program declares: the addresses follow one
 * another. */
static enum bl_status cost_of_declared(const struct bl_machine *machine,
                                       const struct bl_request *request, struct bl_cost *cost)
{
    unsigned distinct = 0;
    if (!machine->has_rule || !machine->constant_address_clocks || request->is_write ||
        request->is_atomic || !is_in_range(request))
        return BL_BAD_MACHINE;
    for (unsigned lane = 0; lane < request->lanes; lane++) {
        bool is_new = true;
        for (unsigned other = 0; other < lane && is_new; other++)
            is_new = request->addresses_bytes[other] != request->addresses_bytes[lane];
        distinct += is_new;
    }
    const unsigned clocks = distinct * machine->constant_address_clocks;
    *cost = (struct bl_cost){.words = distinct, .bank_passes = clocks, .clocks = clocks};
    return BL_OK;
}

enum bl_status bl_cost_of(const struct bl_machine *machine, const struct bl_request *request,
                          struct bl_cost *cost)
{
    if (request->memory == BL_MEMORY_DECLARED)
        return cost_of_declared(machine, request, cost);
    const struct stages uses = stages_of(machine, request->memory);
    if (!has_rule(machine, request, uses))
        return BL_BAD_MACHINE;
    if (uses.banks && machine->banks_alternatives[0].count)
        return cost_of_all(machine, request, cost);
    struct bl_footprint lines;
    count_passes(machine, request, uses, &lines, cost);
    return raise_clocks(machine, request, uses, cost);
}

/* The hash that chooses tag banks is linear: a line's bank is the exclusive or of the banks of two
 * parts of its index. The lower part is below LOW_LINES. */
enum { LOW_LINES = 256 };

/* For each of the `count` distances, computes the tag passes if all lines are moved by it. The
 * distances are in lines and below LOW_LINES. */
static void tag_passes_moved(const struct bl_machine *machine, const struct bl_footprint *lines,
                             const unsigned distances[], unsigned count, unsigned passes[])
{
    uint8_t bank_of_low[LOW_LINES] = {0};
    for (unsigned bit = 1; bit < LOW_LINES; bit *= 2) {
        const unsigned bank = bl_tag_bank(machine, bit);
        for (unsigned below = 0; below < bit; below++)
            bank_of_low[bit + below] = (uint8_t)(bank_of_low[below] ^ bank);
    }
    uint16_t looked_up[BL_MAX_UNROLL][1 << BL_MAX_TAG_BITS];
    memset(looked_up, 0, count * sizeof looked_up[0]);
    for (unsigned i = 0; i < lines->blocks; i++) {
        const unsigned low = (unsigned)(lines->at[i] % LOW_LINES);
        const uint64_t high = lines->at[i] - low;
        const unsigned bank_of_high[] = {bl_tag_bank(machine, high),
                                         bl_tag_bank(machine, high + LOW_LINES)};
        for (unsigned m = 0; m < count; m++) {
            const unsigned sum = low + distances[m];
            looked_up[m][bank_of_low[sum % LOW_LINES] ^ bank_of_high[sum / LOW_LINES]]++;
        }
    }
    for (unsigned m = 0; m < count; m++) {
        unsigned max = 0;
        for (unsigned bank = 0; bank < 1 << BL_MAX_TAG_BITS; bank++)
            max = larger(max, looked_up[m][bank]);
        passes[m] = (max + machine->lines_per_clock - 1) / machine->lines_per_clock;
    }
}

/* Whether it is certain that moving the request by these distances changes only the tag banks. If
 * so, sets distances[] to the distances in lines. */
static bool are_whole_lines(const struct bl_machine *machine, struct stages uses,
                            const uint64_t distances_bytes[], unsigned count, unsigned distances[])
{
    if (count == 1 || !uses.lines || machine->global_in_quads ||
        (uses.banks && machine->banks_alternatives[0].count))
        return false;
    const unsigned round = uses.banks ? machine->banks * machine->bank_bytes : 1;
    for (unsigned m = 0; m < count; m++) {
        const uint64_t lines = distances_bytes[m] / machine->line_bytes;
        if (distances_bytes[m] % machine->line_bytes || distances_bytes[m] % round ||
            lines >= LOW_LINES)
            return false;
        distances[m] = (unsigned)lines;
    }
    return true;
}

enum bl_status bl_costs_of_moved(const struct bl_machine *machine, const struct bl_request *request,
                                 const uint64_t distances_bytes[], unsigned count,
                                 struct bl_cost costs[])
{
    const struct stages uses = stages_of(machine, request->memory);
    if (!has_rule(machine, request, uses))
        return BL_BAD_MACHINE;
    unsigned distances[BL_MAX_UNROLL], passes[BL_MAX_UNROLL];
    if (!are_whole_lines(machine, uses, distances_bytes, count, distances)) {
        uint64_t addresses_bytes[BL_MAX_LANES] = {0};
        struct bl_request moved = *request;
        moved.addresses_bytes = addresses_bytes;
        for (unsigned m = 0; m < count; m++) {
            for (unsigned lane = 0; lane < request->lanes; lane++)
                addresses_bytes[lane] = request->addresses_bytes[lane] + distances_bytes[m];
            const enum bl_status status = bl_cost_of(machine, &moved, &costs[m]);
            if (status != BL_OK)
                return status;
        }
        return BL_OK;
    }
    struct bl_footprint lines;
    struct bl_cost cost;
    count_passes(machine, request, uses, &lines, &cost);
    tag_passes_moved(machine, &lines, distances, count, passes);
    for (unsigned m = 0; m < count; m++) {
        costs[m] = cost;
        costs[m].tag_passes = passes[m];
        costs[m].clocks = larger(passes[m], cost.bank_passes);
        const enum bl_status status = raise_clocks(machine, request, uses, &costs[m]);
        if (status != BL_OK)
            return status;
    }
    return BL_OK;
}

const char *bl_why_no_cost(const struct bl_machine *machine, enum bl_memory memory, bool is_atomic)
{
    if (!machine->has_rule)
        return machine->why_no_rule;
    if (memory == BL_MEMORY_GLOBAL && machine->why_no_global_rule[0])
        return machine->why_no_global_rule;
    const bool has_rule = !is_atomic || (memory == BL_MEMORY_LOCAL && machine->atomics_by_lane);
    return has_rule && stages_of(machine, memory).banks && bl_machine_alternatives(machine) > 0
               ? bl_banks_are_unknown
               : "the machine has no rule for this memory";
}

bool bl_is_split(const struct bl_machine *machine, enum bl_memory memory,
                 const struct bl_type *type)
{
    return type->alignment > 0 && machine->splits_unaligned && memory == BL_MEMORY_GLOBAL;
}

unsigned bl_parts_of(const struct bl_machine *machine, enum bl_memory memory, bool is_write,
                     const struct bl_type *type, struct bl_part parts[BL_MAX_PARTS])
{
    unsigned count = 0;
    if (bl_is_split(machine, memory, type)) {
        const unsigned each = type->alignment;
        for (unsigned done = 0; done < type->access_bytes && count < BL_MAX_PARTS; done += each)
            parts[count++] = (struct bl_part){done, each};
        return count;
    }
    const bool as_four =
        !is_write && ((machine->local_reads_three_as_four && memory == BL_MEMORY_LOCAL) ||
                      (machine->constant_reads_three_as_four &&
                       (memory == BL_MEMORY_CONSTANT || memory == BL_MEMORY_DECLARED)));
    const unsigned components = type->components == 3 && as_four ? 4 : type->components;
    unsigned max = machine->widest_bytes / type->component_bytes;
    max = max < machine->widest_components ? max : machine->widest_components;
    if (components == 3 && machine->three_is_two_and_one && max > 2)
        max = 2;
    max = max > 0 ? max : 1;
    for (unsigned done = 0; done < components && count < BL_MAX_PARTS; done += max) {
        const unsigned now = components - done < max ? components - done : max;
        parts[count++] =
            (struct bl_part){done * type->component_bytes, now * type->component_bytes};
    }
    return count;
}
