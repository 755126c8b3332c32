/* What the lanes of a request touch, and what that costs by the rules of access.h. */
#include "model/access.h"

#include <string.h>

/* The position of a block, or 0 where it is new, and its slot then. */
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

/* Each distinct block, sector and unit counts once. */
static void look_at(const struct bl_look *look, struct bl_footprint *print)
{
    const unsigned block_shift = shift_of(look->block_bytes), shift = shift_of(look->unit_bytes);
    const unsigned unit_mask = (look->block_bytes >> shift) - 1;
    const unsigned sector_mask = ~((look->sector_bytes >> shift) - 1);
    const uint64_t of_sector = ~(uint64_t)0 >> (64 - (look->sector_bytes >> shift));
    const unsigned banks = look->banks ? look->banks : 1;
    /* Nearly always a mask does, and a division takes long. */
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
        for (uint64_t number = start >> shift; number <= last; number++) { /* mostly one */
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

/* Passes of the banks for some of the request's lanes; adds the words to *delivered. */
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
    if (!machine->wide_in_parts || request->access_bytes <= machine->bank_bytes)
        return request->lanes;
    const unsigned fills = machine->banks * machine->bank_bytes / request->access_bytes;
    return fills > 0 ? fills : 1;
}

/* Whether each of these lanes, a multiple of 4 of them, wants what the lane wants whose number
 * differs in the bit `apart`. */
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

/* Lines and sectors; and words too, which it returns, where the banks serve all lanes together and
 * words are parts of sectors, and few enough. */
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

/* Which stages of the machine serve a memory. */
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
    return machine->has_rule && is_in_range(request) && (uses.lines || uses.banks) &&
           (!uses.lines || has_sensible_lines(machine)) &&
           (!uses.banks || (machine->banks >= 1 && machine->banks <= BL_MAX_BANKS &&
                            is_power_of_two(machine->bank_bytes)));
}

/* The cost whichever of its alternatives the machine is; BL_BAD_MACHINE where they differ. */
static enum bl_status cost_of_all(const struct bl_machine *machine,
                                  const struct bl_request *request, struct bl_cost *cost)
{
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

enum bl_status bl_cost_of(const struct bl_machine *machine, const struct bl_request *request,
                          struct bl_cost *cost)
{
    const struct stages uses = stages_of(machine, request->memory);
    if (!has_rule(machine, request, uses))
        return BL_BAD_MACHINE;
    if (uses.banks && machine->banks_alternatives[0].count)
        return cost_of_all(machine, request, cost);

    *cost = (struct bl_cost){.clocks = 1};
    struct bl_footprint print;
    unsigned clocks = 1;
    bool has_words = false;
    if (uses.lines) {
        has_words = look_at_lines(machine, request, uses.banks && !request->is_atomic, &print);
        cost->lines = print.blocks;
        cost->sectors = machine->sector_bytes ? print.sectors : 0;
        cost->tag_passes = busiest_tag_bank(machine, print.at, print.blocks);
        clocks = cost->tag_passes;
    }
    if (has_words) {
        cost->words = print.units;
        cost->bank_passes = print.busiest;
    } else if (uses.banks) {
        cost->bank_passes = request->is_atomic
                                ? lanes_of_busiest_bank(machine, request)
                                : bank_passes(machine, request, &print, &cost->words);
    }
    clocks = cost->bank_passes > clocks ? cost->bank_passes : clocks;
    if (request->is_write && uses.lines && machine->sectors_written_per_clock) {
        const unsigned written = machine->sector_bytes ? cost->sectors : cost->lines;
        const unsigned sent =
            (written + machine->sectors_written_per_clock - 1) / machine->sectors_written_per_clock;
        clocks = sent > clocks ? sent : clocks;
    }
    cost->clocks = clocks;
    return BL_OK;
}

const char *bl_why_no_cost(const struct bl_machine *machine, enum bl_memory memory, bool is_atomic)
{
    if (!machine->has_rule)
        return machine->why_no_rule;
    const bool has_rule = !is_atomic || (memory == BL_MEMORY_LOCAL && machine->atomics_by_lane);
    return has_rule && stages_of(machine, memory).banks && bl_machine_alternatives(machine) > 0
               ? bl_banks_are_unknown
               : "the machine has no rule for this memory";
}

unsigned bl_parts_of(const struct bl_machine *machine, enum bl_memory memory, bool is_write,
                     const struct bl_type *type, struct bl_part parts[BL_MAX_PARTS])
{
    const bool as_four =
        machine->local_reads_three_as_four && memory == BL_MEMORY_LOCAL && !is_write;
    const unsigned components = type->components == 3 && as_four ? 4 : type->components;
    unsigned max = machine->widest_bytes / type->component_bytes;
    max = max < machine->widest_components ? max : machine->widest_components;
    if (components == 3 && machine->three_is_two_and_one && max > 2)
        max = 2;
    max = max > 0 ? max : 1;
    unsigned count = 0;
    for (unsigned done = 0; done < components && count < BL_MAX_PARTS; done += max) {
        const unsigned now = components - done < max ? components - done : max;
        parts[count++] =
            (struct bl_part){done * type->component_bytes, now * type->component_bytes};
    }
    return count;
}
