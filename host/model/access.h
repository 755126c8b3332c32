/* The cost of one request on one machine.
 *
 * A request consists of the accesses of all lanes of one sub-group in one memory instruction. The
 * rules and their sources:
 *
 *  - Cache lines and bank conflicts: Intel's processor-graphics guides ("Memory Access Overview",
 *    "__local Memory"). Bandwidth falls with the number of distinct cache lines, or with the number
 *    of distinct words that the busiest bank must deliver.
 *  - Accesses of 8 and 16 bits cost the words that contain them; vectors of 2 to 4 components cost
 *    all lines and words that they touch. This is our reading of the guides, which mention these
 *    accesses but give no numbers.
 *  - The model splits longer vectors into several requests, as compilers do. A machine states the
 *    widest request (usually 16 bytes and 4 components).
 *  - Tag banks and their hash, banks that also serve global reads, and wide accesses that are
 *    served in parts: found by our measurements on an H100 (results/rules/README.md).
 *  - If pairs of lanes read the same wide element of local memory, the banks serve twice as many
 *    lanes at once: found by measuring 48 patterns on an H200.
 *  - Atomic additions to local memory: a bank serves one lane per clock, even if several lanes
 *    access the same word. Found by measurements on an H200. Atomics in global memory have no rule.
 *  - Local memory that serves half a wavefront at a time, requests that are served in groups of
 *    four lanes (quads), and the minimum clocks of a read: published by others for AMD's and
 *    NVIDIA's GPUs (results/public/README.md). Where they published nothing (other widths, writes
 *    to global memory, minimum clocks with inactive lanes), there is no rule.
 *  - Apart from that, writes cost the same as reads. If a machine states a rate for written
 *    sectors, a write to global memory costs at least the clocks that its sectors take. Found by
 *    our measurements. */
#ifndef BANKLINE_MODEL_ACCESS_H
#define BANKLINE_MODEL_ACCESS_H

#include <stdint.h>

#include "base/status.h"
#include "model/launch.h"
#include "model/machine.h"

struct bl_request {
    enum bl_memory memory;
    bool is_write;
    unsigned access_bytes;           /* bytes of each lane's access, 1 to 16 */
    unsigned lanes;                  /* number of active lanes, 1 to BL_MAX_LANES */
    const uint64_t *addresses_bytes; /* one byte address per lane */
    bool is_atomic;                  /* each lane adds atomically to a word of access_bytes */
};

struct bl_cost {
    unsigned lines;       /* distinct cache lines touched; 0 for local memory */
    unsigned sectors;     /* distinct sectors; 0 for local memory, or if lines have no sectors */
    unsigned tag_passes;  /* clocks of the busiest tag bank; 0 for local memory */
    unsigned bank_passes; /* words (atomics: lanes) of the busiest bank, summed over the parts that
                             are served one after another; 0 without banks. For BL_MEMORY_DECLARED,
                             the clocks of the addresses, which follow one another */
    unsigned words;       /* words of all banks together; 0 for atomics or without banks */
    unsigned clocks;      /* clocks of the request, at least 1 */
};

/* Computes the cost of a request. Fails with BL_BAD_MACHINE if the machine has no rule for this
 * memory, if the request is outside the rule's limits, or if the machine's possible bank
 * configurations give different clocks. */
enum bl_status bl_cost_of(const struct bl_machine *machine, const struct bl_request *request,
                          struct bl_cost *cost);

/* Computes the costs of `count` requests (1 to BL_MAX_UNROLL), such as the unrolled accesses of a
 * kernel. Each is this request with all addresses moved by one of the distances. Fails like
 * bl_cost_of. The computation is usually much faster if all distances are below 256 lines and are
 * multiples of a cache line and of a round over all banks, because only the tag banks then change.
 */
enum bl_status bl_costs_of_moved(const struct bl_machine *machine, const struct bl_request *request,
                                 const uint64_t distances_bytes[], unsigned count,
                                 struct bl_cost costs[]);

/* A sentence that says why requests to this memory have no cost on this machine, even within the
 * rule's limits. The text is static or part of the machine. */
const char *bl_why_no_cost(const struct bl_machine *machine, enum bl_memory memory, bool is_atomic);

/* Splits an access to an element of this type into one or more requests. A request accesses `bytes`
 * bytes that begin `offset` bytes after the start of the element. Returns the number of requests,
 * at most BL_MAX_PARTS. */
enum { BL_MAX_PARTS = 128 };
struct bl_part {
    unsigned offset, bytes;
};
unsigned bl_parts_of(const struct bl_machine *machine, enum bl_memory memory, bool is_write,
                     const struct bl_type *type, struct bl_part parts[BL_MAX_PARTS]);

/* Whether the machine makes a request for each `alignment` bytes of an element of this type,
 * because the compiler does not know that the element is aligned. */
bool bl_is_split(const struct bl_machine *machine, enum bl_memory memory,
                 const struct bl_type *type);

/* The number of lanes that the banks serve together: all lanes, or the machine's limit for local
 * memory. A machine with wide_in_parts serves accesses wider than a bank's word in parts: as many
 * lanes as are needed to access one word of every bank, but no more than this limit. */
unsigned bl_lanes_at_once(const struct bl_machine *machine, const struct bl_request *request);

/* The index of the tag bank that looks up a cache line. line: the line's address / line_bytes. */
unsigned bl_tag_bank(const struct bl_machine *machine, uint64_t line);

/* Counts of the blocks (cache lines, or groups of words) that lanes touch, and of the sectors and
 * units inside these blocks. */

enum {
    BL_MAX_ACCESS_BYTES = 16, /* bytes of one lane's access */
    BL_UNITS_OF_BLOCK = 64,   /* max units of a block, one bit each; at least BL_MAX_SECTORS */
    BL_MAX_BLOCKS = BL_MAX_LANES * (BL_MAX_ACCESS_BYTES + 1)
};

/* The lanes' accesses and the sizes with which to count them. The sizes of blocks, sectors and
 * units are powers of two; a sector is at most as large as a block, and a unit at most as large as
 * a sector. */
struct bl_look {
    const uint64_t *addresses_bytes; /* one byte address per lane */
    unsigned lanes, access_bytes;    /* at most BL_MAX_LANES and BL_MAX_ACCESS_BYTES */
    unsigned block_bytes, sector_bytes;
    unsigned unit_bytes; /* a unit is a bank's word, or a sector */
    unsigned banks;      /* number of banks that deliver units; 0 without banks */
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
