/* How a pattern is laid out on a device: the one description that the kernel's build options, the
 * model's addresses and the expected sums are all made from.
 *
 * Every work-item has an element at which it starts and accesses, in each round, `unroll` elements:
 * the elements 0, 1, ... `steps` - 1 times `step` further on, again and again. `step` is at least
 * one element and a whole number of lines and of bank rounds, so that each of these accesses costs
 * what the first one costs, except where a hash chooses tag banks. Groups lie side by side along x.
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

/* Far above what any device takes; the model, which holds an address for each work-item of some
 * groups, needs a few MiB for them. */
enum { BL_MAX_GROUP_ITEMS = 65536 };

enum { BL_WORKING_SET_BYTES = 64 * 1024 }; /* global memory, unless a suite sweeps it */

struct bl_launch {
    enum bl_memory memory;
    bool is_write, is_atomic;
    const struct bl_type *type;
    unsigned n; /* the parameter of the patterns that have one */
    struct bl_shape shape;
    unsigned lanes;  /* work-items of a request: the machine's, or the whole group if smaller */
    size_t groups;   /* at least 1 */
    size_t elements; /* starts are below this; of a pattern, a power of two into which it wraps */
    size_t spread;   /* elements between the starts of consecutive groups; 0: all start alike */
    unsigned step;   /* elements between the accesses of a round */
    unsigned steps;  /* different ones, a divisor of unroll */
    unsigned unroll; /* accesses a round, 1 to BL_MAX_UNROLL */
    uint64_t base_bytes; /* address of the array, as far as it is known */
};

/* The layout for this machine, for compute_units (1 or more) of it; `n` is left 1. Private memory
 * has none: it is not read by index patterns. */
struct bl_launch bl_launch_for(const struct bl_machine *machine, enum bl_memory memory,
                               const struct bl_type *type, struct bl_shape shape,
                               unsigned compute_units);

/* Groups of this many work-items that give every compute unit this many sub-groups, at least one
 * group for each. */
size_t bl_groups_for(const struct bl_machine *machine, size_t group_items,
                     unsigned sub_groups_per_cu, unsigned compute_units);

/* Elements from where a work-item starts to the access of this number, 0 to unroll - 1. */
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
