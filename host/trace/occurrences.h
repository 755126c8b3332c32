/* Numbers the executions that work-items of a group make together: the k-th of an instruction in
 * one position (lockstep.h) is one occurrence, whichever work-item makes it. Inside host/trace
 * only. */
#ifndef BANKLINE_TRACE_OCCURRENCES_H
#define BANKLINE_TRACE_OCCURRENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: of no group yet. */
struct bl_occurrences {
    uint64_t group, position;
    uint64_t run;                     /* of accesses in one position, since the beginning */
    struct bl_occurrence_slot *slots; /* a hash table; those of groups before count as free */
    size_t slot_count, slot_capacity; /* a power of two */
    struct bl_occurrence_count *of_item, *of_instruction;
    size_t items, instructions; /* that there is room for */
};

/* Occurrences are numbered from 0 again, and the position is 0. */
void bl_occurrences_begin_group(struct bl_occurrences *occurrences);

/* The position of the accesses that follow. */
void bl_occurrences_move(struct bl_occurrences *occurrences, uint64_t position);

/* The occurrence of an instruction, by its number, that a work-item makes now; `instructions` and
 * `items` are how many there are. False: there is no memory. */
bool bl_occurrence_next(struct bl_occurrences *occurrences, uint32_t instruction,
                        size_t instructions, uint32_t item, size_t items, uint32_t *occurrence);

void bl_occurrences_free(struct bl_occurrences *occurrences);

#endif
