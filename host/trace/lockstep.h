/* Determines which lanes of a sub-group execute an instruction together. Lanes that diverge at a
 * branch meet again at the branch's rejoin block, which is its immediate post-dominator, and at
 * every barrier.
 *
 * Oclgrind runs one work-item after another. Each work-item therefore gets a position: a number
 * that encodes the directions that it has taken at branches that it has not rejoined yet. Lanes
 * execute an instruction together if and only if they have the same position there. No lane
 * executes an instruction twice in the same position: each iteration of a loop passes a branch that
 * can leave the loop. The rejoin block of this branch follows the loop, so the direction taken
 * stays part of the position.
 *
 * A device may schedule lanes differently: on NVIDIA GPUs since Volta, lanes may meet earlier or
 * later.
 *
 * This header is included by C and C++. */
#ifndef BANKLINE_TRACE_LOCKSTEP_H
#define BANKLINE_TRACE_LOCKSTEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The rejoin block of a branch whose lanes rejoin only when the function returns. */
#define BL_NO_REJOIN UINT32_MAX

/* Finds the rejoin block of each block of a function. Blocks are numbered from 0; the successors of
 * block b are successors[begins[b]] up to, but not including, successors[begins[b + 1]]. Returns
 * false if memory runs out. */
bool bl_find_rejoins(uint32_t blocks, const uint32_t begins[], const uint32_t successors[],
                     uint32_t rejoins[]);

/* A branch that is not rejoined yet, or a call that has not returned. */
struct bl_lane_frame {
    uint32_t rejoin; /* block at which the lanes rejoin */
    bool is_call;
    uint64_t position; /* position that the lane gets when it rejoins the branch or returns */
    uint64_t done;     /* what the lane had done in that position */
};

/* The state of a running work-item. Initialize with zeros. */
struct bl_lane {
    uint64_t position;
    uint64_t done; /* what the lane has done in this position, counted by the caller; it is 0 in a
                      new position, and continues when the lane comes back to a position */
    struct bl_lane_frame *frames;
    size_t count, capacity;
};

/* The functions below follow a lane through the program. Block numbers must be unique over all
 * functions. If memory runs out, the lane rejoins the other lanes later than it should. */

/* Records that the lane went from block `from` to block `to`. rejoin: the rejoin block of `from`.
 * is_choice: `from` has several successors. */
void bl_lane_branch(struct bl_lane *lane, uint32_t from, uint32_t to, uint32_t rejoin,
                    bool is_choice);

/* Records that the lane begins a part of a loop. Lanes begin a part together, even if they have run
 * different numbers of iterations before. rejoin: the rejoin block of the branch that leaves the
 * loop. part: a number of this part, unique over all functions. */
void bl_lane_begin_part(struct bl_lane *lane, uint32_t rejoin, uint64_t part);

/* A loop that a lane has entered. */
struct bl_lane_loop {
    uint64_t position, iterations;
    size_t frames; /* number of frames when the lane entered the loop */
};

/* Records that the lane enters a loop. header: the loop's first block; rejoin: the nearest block
 * behind the loop at which all lanes rejoin that leave it. */
void bl_lane_enter(struct bl_lane *lane, uint32_t header, uint32_t rejoin,
                   struct bl_lane_loop *loop);

/* Records that the lane begins the loop's next iteration. Lanes that entered the loop together
 * begin it together, whichever branches they took before: compilers let lanes meet at a loop's end
 * even if branches of both sides may leave the loop, so that their rejoin block follows the loop.
 */
void bl_lane_iterate(struct bl_lane *lane, struct bl_lane_loop *loop);

/* Records that the lane called a function. site: a number that identifies the call in the source.
 */
void bl_lane_call(struct bl_lane *lane, uint64_t site);

void bl_lane_return(struct bl_lane *lane);

/* Records that the whole group has met at a barrier. number: how many barriers the group has
 * passed, including this barrier. */
void bl_lane_meet(struct bl_lane *lane, uint64_t number);

/* Begins a new work-item; keeps the allocated memory. */
void bl_lane_restart(struct bl_lane *lane);

void bl_lane_free(struct bl_lane *lane);

#ifdef __cplusplus
}
#endif

#endif
