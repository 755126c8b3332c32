/* Accesses of a group's work-items, as a trace records them or as a pattern makes them. */
#ifndef BANKLINE_MODEL_RECORDED_H
#define BANKLINE_MODEL_RECORDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bl_operation { BL_OPERATION_READ, BL_OPERATION_WRITE, BL_OPERATION_ATOMIC };

/* An access of one work-item. */
struct bl_access {
    uint32_t instruction; /* number of the instruction */
    /* Number of this execution of the instruction: work-items that execute it together share one.
     */
    uint32_t occurrence;
    uint32_t item; /* the work-item's number in the group, x fastest */
    uint32_t bytes;
    uint64_t address;          /* address; the upper bits number the buffer */
    uint8_t memory, operation; /* enum bl_memory; enum bl_operation */
    uint16_t phase;            /* barriers that the group passed before; at most UINT16_MAX */
    uint32_t order;            /* a work-item's own accesses are made in this order */
};

/* Oclgrind numbers buffers in the bits of an address from this one up. */
enum { BL_BUFFER_BITS = 48 };

/* All accesses of one group in one execution of one instruction. */
struct bl_step {
    const struct bl_access *accesses; /* sorted by item */
    size_t count;
};

/* Sorts by instruction, occurrence and item. */
void bl_accesses_sort(struct bl_access accesses[], size_t count);

/* The next step of sorted accesses, from *at, which is advanced. Returns false after the last step.
 */
bool bl_next_step(const struct bl_access accesses[], size_t count, size_t *at,
                  struct bl_step *step);

bool bl_are_one_step(const struct bl_access *a, const struct bl_access *b);

/* The accesses that transforms are applied to. */
struct bl_accesses {
    const struct bl_access *all; /* all accesses, sorted */
    size_t count;
    const bool *is_own;        /* which are to become cheaper: those to one array; NULL: all */
    const bool *is_line;       /* of these, the costliest line's; NULL: all */
    size_t local[3];           /* work-items of a group along x, y and z */
    size_t launch_width;       /* work-items of the launch along x; 0: not known */
    unsigned line_bytes;       /* line size of the machine; 0: none */
    unsigned bank_round_bytes; /* from a bank's word to its next one; 0: no banks */
    unsigned row_bytes;        /* of the array's rows, as declared; 0: not known */
    bool is_local;             /* the array lies in local memory */
};

#endif
