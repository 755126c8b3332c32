#include "infer/gf2.h"

static unsigned highest_bit(uint64_t vector) { return 63 - (unsigned)__builtin_clzll(vector); }

uint64_t bl_gf2_reduce(const struct bl_gf2_basis *basis, uint64_t vector)
{
    for (unsigned bit = 64; bit-- > 0;)
        if (vector >> bit & 1)
            vector ^= basis->of_bit[bit];
    return vector;
}

bool bl_gf2_add(struct bl_gf2_basis *basis, uint64_t vector)
{
    uint64_t rest = vector;
    for (unsigned bit = 64; bit-- > 0;)
        if (rest >> bit & 1 && basis->of_bit[bit])
            rest ^= basis->of_bit[bit];
    if (rest == 0)
        return false;
    const unsigned own = highest_bit(rest);
    for (unsigned bit = 0; bit < 64; bit++)
        if (basis->of_bit[bit] >> own & 1)
            basis->of_bit[bit] ^= rest;
    basis->of_bit[own] = rest;
    basis->rank++;
    return true;
}

unsigned bl_gf2_masks(const struct bl_gf2_basis *basis, uint64_t bits, uint64_t masks[],
                      unsigned max)
{
    /* In reduced form, each bit that leads no vector is free: the mask of that bit has it, and of
     * the leading bits those whose vectors have it. */
    struct bl_gf2_basis found = {0};
    for (unsigned bit = 0; bit < 64; bit++) {
        if (!(bits >> bit & 1) || basis->of_bit[bit])
            continue;
        uint64_t mask = (uint64_t)1 << bit;
        for (unsigned lead = 0; lead < 64; lead++)
            if (basis->of_bit[lead] >> bit & 1)
                mask |= (uint64_t)1 << lead;
        bl_gf2_add(&found, mask);
    }
    unsigned count = 0;
    for (unsigned bit = 64; bit-- > 0;)
        if (found.of_bit[bit]) {
            if (count < max)
                masks[count] = found.of_bit[bit];
            count++;
        }
    return count;
}
