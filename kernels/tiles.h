/* A working set that a cache of the compute unit cannot keep: the groups of an expression go over
 * one tile of it after another, each as far from the last as the expression reaches.
 *
 * A replica of the groups takes blocks of UNROLL tiles of TILE elements, all BLOCKS of them in
 * turn: replica r begins with block r * BEGIN_ON, and goes on by FURTHER_ON, modulo BLOCKS, which
 * has no divisor in common with either. So neighbours begin far apart, and each block is begun with
 * once before one is twice. The host defines T, SCALAR, these (host/run/tiles.h), and where
 * work-items start: by a table, with a REPLICA_SPREAD of 0 (replicas.h), or by one of the guides'
 * patterns as TILE_INDEX, with N. */
#ifndef BANKLINE_TILES_H
#define BANKLINE_TILES_H
#include "replicas.h"
#ifdef TILE_INDEX
#define get_global_id pattern_global_id
#define get_global_size pattern_global_size
#include "patterns.h"
#undef get_global_id
#undef get_global_size
size_t start_element(void) { return TILE_INDEX(WIDTH_ELEMENTS, N); }
#else
#include "patterns.h"
#endif
#include "elements.h"

uint first_block(void) { return (uint)((ulong)replica() * BEGIN_ON % BLOCKS); }
uint next_block(uint block)
{
    block += FURTHER_ON;
    return block - (block >= BLOCKS ? BLOCKS : 0);
}

#endif
