/* The cost of one request on one machine.
 *
 * A request is all that one memory instruction of one sub-group asks for. The rules and their
 * sources:
 *
 *  - Lines, and words of banks: the processor-graphics guides ("Memory Access Overview", "__local
 *    Memory"). Bandwidth falls with the number of distinct cache lines, or with the number of
 *    distinct words that the busiest bank must deliver.
 *  - Accesses of 8 and 16 bits cost the words that contain them; vectors of 2 to 4 components cost
 *    all lines and words that they touch. This is our reading of the guides, which mention these
 *    accesses but give no numbers.
 *  - Longer vectors are split into several requests of up to 16 bytes and 4 components, as
 *    compilers do.
 *  - Tag banks and their hash, banks that also serve global reads, and wide accesses served in
 *    parts: found by our measurements on an H100 (results/rules/README.md).
 *  - If lanes read the same wide elements of local memory in pairs, the banks serve twice as many
 *    lanes at once: found by measuring 48 patterns on an H200.
 *  - Atomic additions to local memory: a bank serves one lane per clock, even if lanes want the
 *    same word; found on an H200. Atomics in global memory have no rule.
 *  - Halves of a wavefront in local memory, requests served in groups of four lanes (quads), and
 *    the minimum clocks of a read: published by others for AMD's and NVIDIA's GPUs
 *    (results/public/README.md). What they did not publish has no rule: other widths, writes, and
 *    requests with idle lanes.
 *  - Writes cost the same as reads. If the machine has a rate for written sectors, a write to
 *    global memory costs at least the clocks that its sectors take. Found by our measurements. */
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
    bool is_atomic;                  /* atomic addition to a word of access_bytes per lane */
};

struct bl_cost {
    unsigned lines;       /* distinct cache lines touched; 0 for local memory */
    unsigned sectors;     /* distinct sectors; 0 for local memory, or if lines have none */
    unsigned tag_passes;  /* lookups of the busiest tag bank; 0 for local memory */
    unsigned bank_passes; /* words that the busiest bank delivers; 0 without banks */
    unsigned words;       /* words that all banks deliver; 0 without banks */
    unsigned clocks;      /* clocks of the request, at least 1 */
};

/* Computes the cost of a request. Fails with BL_BAD_MACHINE if the machine has no rule for this
 * memory, if the request is outside the rule's limits, or if the machine's alternative banks give
 * different costs. */
enum bl_status bl_cost_of(const struct bl_machine *machine, const struct bl_request *request,
                          struct bl_cost *cost);

/* Computes the cost of each of `count` requests (1 to BL_MAX_UNROLL), each of which is this request
 * moved by one of the distances, like the unrolled accesses of a kernel. Fails like bl_cost_of. The
 * computation is much faster if all distances are multiples of a line and of a round over all
 * banks, because such distances change only the tag banks. */
enum bl_status bl_costs_of_moved(const struct bl_machine *machine, const struct bl_request *request,
                                 const uint64_t distances_bytes[], unsigned count,
                                 struct bl_cost costs[]);

/* Why a request to this memory has no cost on this machine although it is within the rule's limits:
 * a sentence, which is static or part of the machine. */
const char *bl_why_no_cost(const struct bl_machine *machine, enum bl_memory memory, bool is_atomic);

/* Splits an access of this type into requests that are `bytes` wide and begin `offset` bytes after
 * the start of the element. Returns their number, at most BL_MAX_PARTS. */
enum { BL_MAX_PARTS = 128 };
struct bl_part {
    unsigned offset, bytes;
};
unsigned bl_parts_of(const struct bl_machine *machine, enum bl_memory memory, bool is_write,
                     const struct bl_type *type, struct bl_part parts[BL_MAX_PARTS]);

/* The number of lanes that the banks serve together: all lanes, or the machine's limit for local
 * memory. On a machine that serves wide accesses in parts, a part has as many lanes as together
 * access one word of every bank. */
unsigned bl_lanes_at_once(const struct bl_machine *machine, const struct bl_request *request);

/* The tag bank that looks up a line; line: its address / line_bytes. */
unsigned bl_tag_bank(const struct bl_machine *machine, uint64_t line);

/* Counts of what lanes touch: blocks (cache lines, or groups of words), and the sectors and units
 * inside blocks. */

enum {
    BL_MAX_ACCESS_BYTES = 16, /* bytes of one lane's access */
    BL_UNITS_OF_BLOCK = 64,   /* max units of a block, one bit each; at least BL_MAX_SECTORS */
    BL_MAX_BLOCKS = BL_MAX_LANES * (BL_MAX_ACCESS_BYTES + 1)
};

/* What to count. The sizes of block, sector and unit are powers of two; a sector is no larger than
 * a block, and a unit no larger than a sector. */
struct bl_look {
    const uint64_t *addresses_bytes; /* one address per lane */
    unsigned lanes, access_bytes;    /* at most BL_MAX_LANES and BL_MAX_ACCESS_BYTES */
    unsigned block_bytes, sector_bytes;
    unsigned unit_bytes; /* size of a unit: of a word, or of a sector */
    unsigned banks;      /* number of banks that deliver units; 0 if none */
};

struct bl_footprint {
    unsigned blocks, sectors, units;
    unsigned busiest;            /* units that the busiest bank delivers */
    uint64_t at[BL_MAX_BLOCKS];  /* indices of the blocks, in order of first appearance */
    uint64_t has[BL_MAX_BLOCKS]; /* for each block, one bit for each unit touched */
    uint16_t wanted[BL_MAX_BANKS];
    /* A hash table with open addressing that finds a block's position in `at`. It has at least four
     * slots per block, so that the first slot tried is usually free. A slot holds the position plus
     * one, or 0 if it is free. */
    uint16_t slot_of[2 * 4 * BL_MAX_BLOCKS];
};

#endif
