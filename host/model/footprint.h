/* What some lanes touch: blocks, which are lines or some words, and the sectors and units in them.
 */
#ifndef BANKLINE_MODEL_FOOTPRINT_H
#define BANKLINE_MODEL_FOOTPRINT_H

#include <stdint.h>

#include "model/machine.h"

enum {
    BL_MAX_ACCESS_BYTES = 16, /* of a lane */
    BL_UNITS_OF_BLOCK = 64,   /* at most: a bit each; no fewer than BL_MAX_SECTORS */
    BL_MAX_BLOCKS = BL_MAX_LANES * (BL_MAX_ACCESS_BYTES + 1)
};

/* Bytes of block, sector and unit are powers of two, and none is larger than the one before. */
struct bl_look {
    const uint64_t *addresses_bytes; /* of each lane */
    unsigned lanes, access_bytes;    /* up to BL_MAX_LANES; up to BL_MAX_ACCESS_BYTES */
    unsigned block_bytes, sector_bytes;
    unsigned unit_bytes; /* a word, or a sector */
    unsigned banks;      /* that deliver units, a power of two; 0: none do */
};

struct bl_footprint {
    unsigned blocks, sectors, units;
    unsigned busiest;            /* units of the busiest bank */
    uint64_t at[BL_MAX_BLOCKS];  /* the blocks' numbers, in order of first appearance */
    uint64_t has[BL_MAX_BLOCKS]; /* a bit for each unit of a block that is wanted */
    uint16_t wanted[BL_MAX_BANKS];
    /* Open addressing, four slots and more to a block: one that is free is near, and mostly the
     * first. A slot holds the position in `at` plus one; 0 is free. */
    uint16_t slot_of[2 * 4 * BL_MAX_BLOCKS];
};

/* Each distinct block, sector and unit counts once. */
void bl_look_at(const struct bl_look *look, struct bl_footprint *print);

#endif
