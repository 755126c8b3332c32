/* The groups of a launch, of which only some were sampled: which sampled group stands for each
 * group, how far the group's accesses are from the sampled group's, and which blocks of L2 the
 * groups touch. Private to host/trace. */
#ifndef BANKLINE_TRACE_LAUNCH_GROUPS_H
#define BANKLINE_TRACE_LAUNCH_GROUPS_H

#include "model/time_cache.h"
#include "trace/streams.h"

/* What represents a group: a sampled group, and the group's work divided by the sampled group's; 1
 * if they differ little. */
struct bl_launch_template {
    size_t sampled;
    double times;
};

struct bl_launch_groups {
    struct bl_wire_kernel launch;
    const struct bl_streams *streams; /* of the sampled groups, at least one */
    uint64_t count;                   /* all groups of the launch */
    unsigned units;                   /* compute units of the machine */
    struct bl_stream_shifts shifts;   /* freed by the owner */
    /* Set by bl_launch_templates_find. known: the groups whose work is known, in the order of their
     * indices. drawn: indices of `known`, of the groups that represent groups whose work is not
     * known. near: for each sampled group, the part of `drawn` to which it is the nearest. */
    struct bl_launch_known {
        uint64_t index;
        struct bl_launch_template template;
    } * known;
    struct bl_launch_near {
        size_t begin, end;
    } * near;
    size_t known_count;
    size_t *drawn;
};

/* The index of the sampled group nearest to a group. The launch's first and last group stand only
 * for themselves if other groups were sampled. Otherwise only the last one does, if it makes fewer
 * accesses than the first. For totals of kernels (group_weights.h), groups at a grid's edges count
 * as mixtures of the two. */
size_t bl_launch_sampled_for(const struct bl_launch_groups *groups, uint64_t group);

/* Finds what represents the groups whose work is known (BL_WIRE_RAN). Returns false if memory runs
 * out; free the templates in any case. */
bool bl_launch_templates_find(struct bl_launch_groups *groups);
void bl_launch_templates_free(struct bl_launch_groups *groups);

/* What represents a group. This is the nearest sampled group, unless the work of the two is known
 * and differs by more than 10 %; then it is the sampled group with the most similar work. If the
 * group's work is not known, a pseudo-random number chooses one of the groups near the nearest
 * sampled group whose work is known, and what represents that one represents the group: the mean
 * over many groups is then right even if work varies. */
struct bl_launch_template bl_launch_template_for(const struct bl_launch_groups *groups,
                                                 uint64_t group);

/* The number of a sampled group's accesses, divided by the number of accesses that were reported; 1
 * if all were reported. */
double bl_launch_times_reported(const struct bl_stream_group *group);

/* Chooses how many operations of each of a group's streams to simulate, about `budget` in all.
 * Streams are cut at the same barrier, because one sub-group may do much between barriers while
 * other sub-groups only wait. If this cut does not keep between half and twice the budget (a group
 * may do most of its work after its only barrier), the same fraction of each stream is kept
 * instead. */
void bl_launch_cut(const struct bl_stream_group *group, size_t budget, size_t counts[]);

/* Computes, for each instruction, the distance in bytes from the accesses of the sampled group with
 * index `sampled` to those of the group `group`. shifts: room for groups->shifts.count numbers. */
void bl_launch_shift(const struct bl_launch_groups *groups, uint64_t group, size_t sampled,
                     int64_t shifts[]);

/* The blocks of L2 that a launch touches. Initialize with zeros, except the first three members. */
struct bl_launch_blocks {
    const struct bl_l2_left *left; /* what earlier launches and the host left in L2 */
    double capacity;               /* number of blocks that L2 can hold */
    unsigned block_bytes;
    struct bl_time_map waves;  /* for each block, the first wave of groups that touches it, minus
                                  1e9 if L2 held the block before */
    struct bl_time_map halves; /* blocks that the first half of a group's reported accesses touches;
                                  empty if all accesses were reported */
    double touched;            /* number of blocks that all groups together touch */
};

/* Finds the blocks, and sets `units` of groups->shifts.sharing. per_wave: number of groups that all
 * units together hold at the same time (a wave). Returns false if memory runs out. */
bool bl_launch_blocks_find(struct bl_launch_blocks *blocks, struct bl_launch_groups *groups,
                           double per_wave);

/* Whether L2 holds an address when the groups of wave `wave` first request it. warm_hits: the
 * fraction of the blocks that L2 keeps from one launch to the next if the launch is repeated;
 * negative if the launch is not repeated: L2 then holds what `left` has. */
bool bl_launch_blocks_have(const struct bl_launch_blocks *blocks, uint64_t address, size_t wave,
                           double warm_hits);

/* Adds the blocks to those that are left in L2. Returns false if memory runs out. */
bool bl_launch_blocks_leave(const struct bl_launch_blocks *blocks, struct bl_l2_left *left);

void bl_launch_blocks_free(struct bl_launch_blocks *blocks);

#endif
