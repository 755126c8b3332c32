/* Numbers the executions of each instruction in a group. Work-items that execute an instruction
 * together get the same number. Executions form one occurrence if each of them is its work-item's
 * k-th execution of the instruction in the same position (lockstep.h). Private to host/trace. */
#ifndef BANKLINE_TRACE_OCCURRENCES_H
#define BANKLINE_TRACE_OCCURRENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Initialize with zeros, before the first group. */
struct bl_occurrences {
    uint64_t group, position;
    uint64_t run; /* number of the current run, a sequence of accesses in one position */
    struct bl_occurrence_slot *slots; /* a hash table; slots of earlier groups count as free */
    size_t slot_count, slot_capacity; /* the capacity is a power of two */
    struct bl_occurrence_count *of_item, *of_instruction;
    size_t items, instructions; /* allocated sizes */
};

/* Begins a group: occurrences are numbered from 0 again, and the position is 0. */
void bl_occurrences_begin_group(struct bl_occurrences *occurrences);

/* Sets the position of the accesses that follow. */
void bl_occurrences_move(struct bl_occurrences *occurrences, uint64_t position);

/* Sets *occurrence to the number of the next execution of an instruction by a work-item.
 * instructions: the number of instructions in the trace; items: the number of work-items in the
 * group. Returns false if memory runs out. */
bool bl_occurrence_next(struct bl_occurrences *occurrences, uint32_t instruction,
                        size_t instructions, uint32_t item, size_t items, uint32_t *occurrence);

void bl_occurrences_free(struct bl_occurrences *occurrences);

#endif
