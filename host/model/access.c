#include "model/access.h"

#include <stdbool.h>
#include <string.h>

enum { MAX_ACCESS_BYTES = 16, MAX_UNITS = BL_MAX_LANES * (MAX_ACCESS_BYTES / 4 + 1) };


struct request {
    const uint64_t *addresses_bytes;
    unsigned lanes, access_bytes;
};

/* Writes the distinct units (lines or words) that the request touches into `distinct`, in order of
 * first appearance; returns how many. */
static unsigned distinct_units(const struct request *request, unsigned unit_bytes,
                               uint64_t distinct[MAX_UNITS])
{
    /* Open addressing: twice as many slots as units there can be, so a free one is always near.
     * A slot holds the position in `distinct` plus one; 0 is free. */
    const unsigned most = request->lanes * ((request->access_bytes - 1) / unit_bytes + 2);
    unsigned slots = 64;
    while (slots < 2 * most)
        slots *= 2;
    uint16_t slot_of[2 * 2 * MAX_UNITS];
    memset(slot_of, 0, slots * sizeof slot_of[0]);
    unsigned count = 0;
    for (unsigned lane = 0; lane < request->lanes; lane++) {
        const uint64_t first = request->addresses_bytes[lane];
        const uint64_t last = (first + request->access_bytes - 1) / unit_bytes;
        for (uint64_t unit = first / unit_bytes; unit <= last; unit++) {
            unsigned slot = (unsigned)((unit * 0x9E3779B97F4A7C15u) >> 32) % slots;
            while (slot_of[slot] && distinct[slot_of[slot] - 1] != unit)
                slot = (slot + 1) % slots;
            if (slot_of[slot])
                continue;
            distinct[count++] = unit;
            slot_of[slot] = (uint16_t)count;
        }
    }
    return count;
}

static unsigned busiest_bank(const struct bl_machine *machine, const struct request *request)
{
    uint64_t words[MAX_UNITS];
    const unsigned count = distinct_units(request, machine->bank_bytes, words);
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
                          unsigned access_bytes, const uint64_t addresses_bytes[], unsigned lanes,
                          struct bl_cost *cost)
{
    const bool cached = memory == BL_MEMORY_GLOBAL ||
                        (memory == BL_MEMORY_CONSTANT && machine->constant_is_global);
    const bool uses_lines = cached;
    const bool uses_banks =
        memory == BL_MEMORY_LOCAL || (cached && machine->banks_serve_global);
    if (!machine->has_rule || lanes < 1 || lanes > BL_MAX_LANES || access_bytes < 1 ||
        access_bytes > MAX_ACCESS_BYTES || (!uses_lines && !uses_banks))
        return BL_BAD_MACHINE;
    if (uses_lines && (machine->line_bytes < 4 || machine->lines_per_clock == 0))
        return BL_BAD_MACHINE;
    if (uses_banks &&
        (machine->banks == 0 || machine->banks > BL_MAX_BANKS || machine->bank_bytes < 4))
        return BL_BAD_MACHINE;

    const struct request request = {addresses_bytes, lanes, access_bytes};
    *cost = (struct bl_cost){.clocks = 1};
    if (uses_lines) {
        uint64_t lines[MAX_UNITS];
        cost->lines = distinct_units(&request, machine->line_bytes, lines);
        cost->clocks = (cost->lines + machine->lines_per_clock - 1) / machine->lines_per_clock;
    }
    if (uses_banks) {
        cost->bank_passes = busiest_bank(machine, &request);
        if (cost->bank_passes > cost->clocks)
            cost->clocks = cost->bank_passes;
    }
    return BL_OK;
}
