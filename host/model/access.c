#include "model/access.h"

#include <stdbool.h>

/* Writes the distinct values into `distinct`, in order of first appearance; returns how many. */
static unsigned distinct_quotients(const uint64_t addresses_bytes[], unsigned lanes,
                                   unsigned unit_bytes, uint64_t distinct[])
{
    /* Open addressing: twice as many slots as lanes, so a free one is always near. */
    enum { SLOTS = 2 * BL_MAX_LANES };
    uint16_t slot_of[SLOTS] = {0}; /* position in `distinct` plus one; 0 is free */
    unsigned count = 0;
    for (unsigned lane = 0; lane < lanes; lane++) {
        const uint64_t value = addresses_bytes[lane] / unit_bytes;
        unsigned slot = (unsigned)((value * 0x9E3779B97F4A7C15u) >> 32) % SLOTS;
        while (slot_of[slot] && distinct[slot_of[slot] - 1] != value)
            slot = (slot + 1) % SLOTS;
        if (slot_of[slot])
            continue;
        distinct[count++] = value;
        slot_of[slot] = (uint16_t)count;
    }
    return count;
}

static unsigned busiest_bank(const struct bl_machine *machine, const uint64_t addresses_bytes[],
                             unsigned lanes)
{
    uint64_t words[BL_MAX_LANES];
    const unsigned count =
        distinct_quotients(addresses_bytes, lanes, machine->bank_bytes, words);
    unsigned wanted[BL_MAX_BANKS] = {0};
    unsigned most = 0;
    for (unsigned i = 0; i < count; i++) {
        const unsigned in_bank = ++wanted[words[i] % machine->banks];
        if (in_bank > most)
            most = in_bank;
    }
    return most;
}

enum bl_status bl_cost_of(const struct bl_machine *machine, enum bl_memory memory,
                          const uint64_t addresses_bytes[], unsigned lanes, struct bl_cost *cost)
{
    const bool uses_lines = memory == BL_MEMORY_GLOBAL;
    const bool uses_banks = memory == BL_MEMORY_LOCAL || machine->banks_serve_global;
    if (!machine->has_rule || lanes < 1 || lanes > BL_MAX_LANES)
        return BL_BAD_MACHINE;
    if (uses_lines && (machine->line_bytes == 0 || machine->lines_per_clock == 0))
        return BL_BAD_MACHINE;
    if (uses_banks &&
        (machine->banks == 0 || machine->banks > BL_MAX_BANKS || machine->bank_bytes == 0))
        return BL_BAD_MACHINE;

    *cost = (struct bl_cost){.clocks = 1};
    if (uses_lines) {
        uint64_t lines[BL_MAX_LANES];
        cost->lines = distinct_quotients(addresses_bytes, lanes, machine->line_bytes, lines);
        cost->clocks = (cost->lines + machine->lines_per_clock - 1) / machine->lines_per_clock;
    }
    if (uses_banks) {
        cost->bank_passes = busiest_bank(machine, addresses_bytes, lanes);
        if (cost->bank_passes > cost->clocks)
            cost->clocks = cost->bank_passes;
    }
    return BL_OK;
}
