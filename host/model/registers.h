/* Elements of an array that work-items could keep in registers, found in recorded accesses. Private
 * to host/model. */
#ifndef BANKLINE_MODEL_REGISTERS_H
#define BANKLINE_MODEL_REGISTERS_H

#include "model/accesses.h"

struct bl_registers {
    size_t count; /* accesses that are left if each such element is read and written at most once */
    bool are_repeated;     /* most accesses are to such elements that a work-item uses repeatedly */
    bool is_written_again; /* at least one such element is written more than once */
    size_t live; /* max number of such elements that one work-item would have to keep at once */
};

/* Finds each element that only one work-item uses. If other work-items use it after a barrier, the
 * register would hold the element up to the barrier. Moves the accesses that are left to the
 * beginning of `all`, in any order. ends: scratch space, as many elements as `all`. */
struct bl_registers bl_registers_find(struct bl_access all[], size_t count, uint64_t (*ends)[2]);

#endif
