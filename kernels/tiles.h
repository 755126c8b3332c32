/* A working set too large for the compute unit's cache: the groups of an expression access one tile
 * after another. A tile is as long as the range of the expression, rounded up to whole lines.
 *
 * A block is UNROLL tiles of TILE elements each; there are BLOCKS blocks. Replica r begins with
 * block r * BEGIN_ON and steps by FURTHER_ON blocks, modulo BLOCKS. BEGIN_ON and FURTHER_ON are
 * coprime to BLOCKS, so each replica visits all blocks, and all blocks are used as first blocks
 * before any is used a second time. BEGIN_ON is about 0.6 * BLOCKS, so neighbouring replicas begin
 * far apart. The host defines these macros (host/run/tiles.h), T and SCALAR, and the starts of
 * work-items: either a table with a REPLICA_SPREAD of 0 (replicas.h), or TILE_INDEX and N for a
 * pattern of the guides. */
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
