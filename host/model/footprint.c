#include "model/footprint.h"

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

static unsigned shift_of(unsigned power_of_two) { return (unsigned)__builtin_ctz(power_of_two); }

void bl_look_at(const struct bl_look *look, struct bl_footprint *print)
{
    const unsigned block_shift = shift_of(look->block_bytes), shift = shift_of(look->unit_bytes);
    const unsigned unit_mask = (look->block_bytes >> shift) - 1;
    const unsigned sector_mask = ~((look->sector_bytes >> shift) - 1);
    const uint64_t of_sector = ~(uint64_t)0 >> (64 - (look->sector_bytes >> shift));
    const unsigned bank_mask = look->banks ? look->banks - 1 : 0;
    const unsigned extra = look->access_bytes - 1;
    const unsigned most = look->lanes * ((extra >> block_shift) + 2);
    unsigned slots = 64;
    while (slots < 4 * most)
        slots *= 2;
    memset(print->slot_of, 0, slots * sizeof print->slot_of[0]);
    memset(print->wanted, 0, (bank_mask + 1) * sizeof print->wanted[0]);
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
            const unsigned here = ++print->wanted[(unsigned)number & bank_mask];
            busiest = here > busiest ? here : busiest;
        }
    }
    print->blocks = blocks;
    print->sectors = sectors;
    print->units = units;
    print->busiest = busiest;
}
