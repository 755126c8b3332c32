/* The groups of a launch, of which only some were traced: how many groups each traced group
 * represents, which sampled group stands for each group, and how far a group's accesses are from
 * the sampled group's. Private to host/trace.
 *
 * The traced groups between the first and the last represent all groups between these two. If only
 * the first and the last group were traced, nothing is known about the groups between them.
 * Programs round the global size up, so the last group is often partial: if it makes fewer accesses
 * than the first group, it represents only itself and other partial groups. Otherwise, the first
 * and the last group each represent half of the groups, because the first group may do less than
 * all others, or the work may grow from group to group. */
#ifndef BANKLINE_TRACE_LAUNCH_GROUPS_H
#define BANKLINE_TRACE_LAUNCH_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/accesses.h"
#include "trace/streams.h"
#include "trace/wire.h"

/* A pseudo-random number from 0 to 1 that depends only on the number and the salt. */
double bl_launch_lot(uint64_t number, double salt);

enum bl_group_place { BL_GROUP_BETWEEN, BL_GROUP_FIRST, BL_GROUP_LAST, BL_GROUP_PLACES };

/* The place of the group with this index in its launch. The only group of a launch counts as the
 * first. */
enum bl_group_place bl_group_place_of(const struct bl_wire_kernel *launch, uint64_t index);

/* Counts for the traced groups of a launch, by place. Initialize with zeros. */
struct bl_launch_sample {
    uint64_t groups[BL_GROUP_PLACES], accesses[BL_GROUP_PLACES];
    /* For the first and the last group: the sides of the smallest box that begins at work-item 0
     * and contains all work-items that access global or constant memory. */
    uint64_t box[BL_GROUP_PLACES][3];
};

/* Adds a traced group. left_out: the number of its accesses that were not traced. */
void bl_launch_sample_add(struct bl_launch_sample *sample, const struct bl_wire_kernel *launch,
                          enum bl_group_place place, const struct bl_access accesses[],
                          size_t count, uint64_t left_out);

/* Computes the number of groups that a traced group represents, by its place; at least 1. groups:
 * the number of groups that the launch ran. If the last group makes fewer accesses than the first,
 * and is partial along some dimensions, other groups at the end of the grid along any of these
 * dimensions are partial, too. A group that is partial along all of them counts as a last group;
 * one that is partial along only some of them counts partly as a first and partly as a last group.
 */
void bl_group_weights(const struct bl_launch_sample *sample, const struct bl_wire_kernel *launch,
                      uint64_t groups, double weights[BL_GROUP_PLACES]);

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

/* The groups of a launch, without shifts and templates. */
struct bl_launch_groups bl_launch_groups_of(const struct bl_machine *machine,
                                            const struct bl_wire_kernel *launch,
                                            const struct bl_streams *streams);

/* The index of the sampled group nearest to a group. The launch's first and last group stand only
 * for themselves if other groups were sampled. Otherwise only the last one does, if it makes fewer
 * accesses than the first. For totals of kernels (bl_group_weights), groups at a grid's edges count
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

/* Computes, for each instruction, how many bytes to add to the accesses of the sampled group with
 * index `sampled` to get those of the group `group` (bl_time_shifted): their distance, or a
 * pseudo-random number if the accesses are spread over a range (bl_stream_shift.spread_bytes).
 * shifts: room for groups->shifts.count numbers. */
void bl_launch_shift(const struct bl_launch_groups *groups, uint64_t group, size_t sampled,
                     int64_t shifts[]);

#endif
