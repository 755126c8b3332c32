/* How a pattern is laid out on a device: the one description that the kernel's build options, the
 * model's addresses and the expected sums are all made from.
 *
 * Every work-item has a start element. In each round it makes `unroll` accesses, which cycle
 * through the elements 0, 1, ... `steps` - 1 times `step` after the start. `step` is at least one
 * element and a whole number of lines and of bank rounds, so that each access costs as much as the
 * first, unless a hash chooses tag banks. Groups lie side by side along x.
 */
#ifndef BANKLINE_MODEL_LAUNCH_H
#define BANKLINE_MODEL_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/machine.h"
#include "model/type.h"

enum bl_memory { BL_MEMORY_GLOBAL, BL_MEMORY_LOCAL, BL_MEMORY_CONSTANT, BL_MEMORY_PRIVATE };

struct bl_shape {
    unsigned x, y; /* work-items of a group in each dimension, at least 1 */
};

/* Far above the limit of any device. For so large a group, the model's array of addresses, one per
 * work-item of some groups, takes a few MiB. */
enum { BL_MAX_GROUP_ITEMS = 65536 };

enum { BL_WORKING_SET_BYTES = 64 * 1024 }; /* global memory, unless a suite varies the size */

struct bl_launch {
    enum bl_memory memory;
    bool is_write, is_atomic;
    const struct bl_type *type;
    unsigned n; /* the parameter of the patterns that take one */
    struct bl_shape shape;
    unsigned lanes;      /* work-items per request: the machine's, or a whole smaller group */
    size_t groups;       /* number of groups, at least 1 */
    size_t elements;     /* start elements are below this; a pattern wraps at it, a power of two */
    size_t spread;       /* elements from one group's start to the next; 0: all start alike */
    unsigned step;       /* elements between the accesses of a round */
    unsigned steps;      /* number of distinct accesses per round, a divisor of unroll */
    unsigned unroll;     /* accesses per round, 1 to BL_MAX_UNROLL */
    uint64_t base_bytes; /* address of the array, as far as known */
};

/* The layout for compute_units (at least 1) of this machine; `n` is 1. Private memory has no
 * layout, because index patterns do not read it. */
struct bl_launch bl_launch_for(const struct bl_machine *machine, enum bl_memory memory,
                               const struct bl_type *type, struct bl_shape shape,
                               unsigned compute_units);

/* The number of groups of this size that gives every compute unit this many sub-groups; at least
 * one group per compute unit. */
size_t bl_groups_for(const struct bl_machine *machine, size_t group_items,
                     unsigned sub_groups_per_cu, unsigned compute_units);

/* Elements from a work-item's start to its access of this number, 0 to unroll - 1. */
size_t bl_launch_read_offset(const struct bl_launch *launch, unsigned read);

/* Bytes of the array that the kernel accesses: the working set and the steps beyond it. */
size_t bl_launch_array_bytes(const struct bl_launch *launch);
size_t bl_launch_working_set_bytes(const struct bl_launch *launch);

/* Work-items of a group, and of the whole launch. */
size_t bl_launch_group_items(const struct bl_launch *launch);
size_t bl_launch_items(const struct bl_launch *launch);

/* Requests of the whole launch for one read of every work-item. */
size_t bl_launch_requests(const struct bl_launch *launch);

const char *bl_memory_name(enum bl_memory memory);

#endif
