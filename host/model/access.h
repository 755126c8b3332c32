/* Cost of one request on one machine.
 *
 * A request is what one memory instruction of one sub-group asks for. Sources of the rules:
 *
 *  - Lines, and words of banks: the processor-graphics guides ("Memory Access Overview", "__local
 *    Memory"). Bandwidth falls with the number of distinct cache lines, or with the number of
 *    distinct words that the busiest bank must deliver.
 *  - Accesses of 8 and 16 bits cost the words they lie in, vectors of 2 to 4 all lines and words
 *    that they touch: our reading of the guides, which name these accesses and give no numbers.
 *  - Longer vectors are several requests of up to 16 bytes and 4 components: what the compilers
 *    make of them.
 *  - Tag banks and their hash, banks that serve global reads, and wide accesses in parts: our own
 *    finding on an H100 (results/rules/README.md).
 *  - Wide reads of local memory in which lanes share elements in pairs: the banks serve twice as
 *    many lanes at once: our own finding from 48 patterns on an H200.
 *  - Atomic additions to local memory: a bank serves one lane per clock, even if lanes want the
 *    same word: our own finding on an H200. To global memory: no rule.
 *  - Halves of a wavefront in local memory, requests in quads, and the minimum clocks of a read:
 *    published by others for AMD's and NVIDIA's GPUs (results/public/README.md). What they did not
 *    publish has no rule: other widths, writes, requests in which some lanes are idle.
 *  - Writes: to local memory as reads; to global memory as reads and, if the machine has a rate for
 *    sectors, at least as many clocks as their sectors take: our own finding.
 */
#ifndef BANKLINE_MODEL_ACCESS_H
#define BANKLINE_MODEL_ACCESS_H

#include <stdint.h>

#include "base/status.h"
#include "model/launch.h"
#include "model/machine.h"

struct bl_request {
    enum bl_memory memory;
    bool is_write;
    unsigned access_bytes;           /* width of each lane's access, 1 to 16 */
    unsigned lanes;                  /* number of active lanes, 1 to BL_MAX_LANES */
    const uint64_t *addresses_bytes; /* one address per lane */
    bool is_atomic;                  /* whether each lane adds to a word of access_bytes */
};

struct bl_cost {
    unsigned lines;       /* distinct cache lines touched; 0 for local memory */
    unsigned sectors;     /* distinct sectors; 0 for local memory and for lines without sectors */
    unsigned tag_passes;  /* lines that the busiest tag bank looks up; 0 for local memory */
    unsigned bank_passes; /* words wanted from the busiest bank; 0 if no banks serve */
    unsigned words;       /* delivered by the banks in these passes; 0 if no banks serve */
    unsigned clocks;      /* what the machine charges for the request, at least 1 */
};

/* Returns BL_OK, or BL_BAD_MACHINE when the machine has no rule for this memory, the request is
 * outside the rule's ranges, or its cost depends on which of the machine's alternative banks are
 * right. */
enum bl_status bl_cost_of(const struct bl_machine *machine, const struct bl_request *request,
                          struct bl_cost *cost);

/* Why a request to this memory, within the ranges, has no cost on this machine: a sentence, static
 * or part of the machine. */
const char *bl_why_no_cost(const struct bl_machine *machine, enum bl_memory memory, bool is_atomic);

/* Splits an access of this type into requests, each `bytes` wide at `offset` from the element; at
 * most BL_MAX_PARTS. Returns how many. */
enum { BL_MAX_PARTS = 128 };
struct bl_part {
    unsigned offset, bytes;
};
unsigned bl_parts_of(const struct bl_machine *machine, enum bl_memory memory, bool is_write,
                     const struct bl_type *type, struct bl_part parts[BL_MAX_PARTS]);

/* Lanes that the banks serve together: all, or as many as the machine's local memory serves at
 * once. If the machine splits wide accesses into parts, as many lanes as ask for one word of every
 * bank. */
unsigned bl_lanes_at_once(const struct bl_machine *machine, const struct bl_request *request);

/* The tag bank that looks up this line (its address / line_bytes). */
unsigned bl_tag_bank(const struct bl_machine *machine, uint64_t line);

/* The blocks that some lanes touch (lines, or groups of words), and the sectors and units in them.
 */

enum {
    BL_MAX_ACCESS_BYTES = 16, /* bytes of one lane's access */
    BL_UNITS_OF_BLOCK = 64,   /* maximum, one bit each; at least BL_MAX_SECTORS */
    BL_MAX_BLOCKS = BL_MAX_LANES * (BL_MAX_ACCESS_BYTES + 1)
};

/* The sizes of block, sector and unit are powers of two, none larger than the one before. */
struct bl_look {
    const uint64_t *addresses_bytes; /* one address per lane */
    unsigned lanes, access_bytes;    /* up to BL_MAX_LANES; up to BL_MAX_ACCESS_BYTES */
    unsigned block_bytes, sector_bytes;
    unsigned unit_bytes; /* a word, or a sector */
    unsigned banks;      /* number of banks that deliver units; 0: none */
};

struct bl_footprint {
    unsigned blocks, sectors, units;
    unsigned busiest;            /* units of the busiest bank */
    uint64_t at[BL_MAX_BLOCKS];  /* the blocks' numbers, in order of first appearance */
    uint64_t has[BL_MAX_BLOCKS]; /* for each block, one bit per unit that is wanted */
    uint16_t wanted[BL_MAX_BANKS];
    /* Open addressing with four or more slots for each block, so that the first slot tried is
     * mostly free. A slot holds the position in `at` plus one; 0: free. */
    uint16_t slot_of[2 * 4 * BL_MAX_BLOCKS];
};

#endif
