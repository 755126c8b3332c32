/* Which executions of an instruction a sub-group makes together: lanes that diverge at a branch
 * meet again at the branch block's immediate post-dominator, its rejoin block, and at barriers
 * always.
 *
 * Oclgrind runs one work-item after another, so each is given a position: a number that says which
 * choices it has made that are not rejoined yet. Lanes execute an instruction together if and only
 * if they have the same position there; and no lane executes an instruction twice in one position.
 * (Each way around a loop passes a branch that can leave the loop, whose rejoin block is beyond it:
 * that choice stays in the position.)
 *
 * A device may schedule its lanes otherwise: NVIDIA's from Volta on may let them meet earlier or
 * later than that.
 *
 * Read by C and by C++.
 */
#ifndef BANKLINE_TRACE_LOCKSTEP_H
#define BANKLINE_TRACE_LOCKSTEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Instead of a block's number: lanes rejoin only where the function returns. */
#define BL_NO_REJOIN UINT32_MAX

/* Finds the rejoin block of each block of a function, by numbers from 0; the successors of block b
 * are those from begins[b] up to begins[b + 1]. False: there is no memory. */
bool bl_find_rejoins(uint32_t blocks, const uint32_t begins[], const uint32_t successors[],
                     uint32_t rejoins[]);

/* A branch that is not rejoined yet, or a call that has not returned. */
struct bl_lane_frame {
    uint32_t rejoin; /* block */
    bool is_call;
    uint64_t position; /* from there on */
};

/* A work-item that runs. All zero: before its first instruction. */
struct bl_lane {
    uint64_t position;
    struct bl_lane_frame *frames;
    size_t count, capacity;
};

/* Where a lane runs on, by numbers of blocks that no two functions share. A lane for which there is
 * no memory stays apart from others for longer. */

/* From a block to the next one; is_choice: it could have gone to another one. */
void bl_lane_branch(struct bl_lane *lane, uint32_t from, uint32_t to, uint32_t rejoin,
                    bool is_choice);

/* Into a function; `site` is the call's own number. */
void bl_lane_call(struct bl_lane *lane, uint64_t site);

void bl_lane_return(struct bl_lane *lane);

/* The whole group has met, for the number-th time, from 1. */
void bl_lane_meet(struct bl_lane *lane, uint64_t number);

/* Begins again, and keeps its memory. */
void bl_lane_restart(struct bl_lane *lane);

void bl_lane_free(struct bl_lane *lane);

#ifdef __cplusplus
}
#endif

#endif
