/* Launches of index patterns: element types of arrays, the patterns, the sizes of a launch on a
 * device, and the sums that kernels must compute. A kernel's build options, the model's addresses
 * and the expected sums are all derived from struct bl_launch, so they agree.
 *
 * Every work-item has a start element. In each round (an iteration of the kernel's loop) it makes
 * `unroll` accesses, which cycle through the elements start, start + step, ... start + (steps - 1)
 * * step. `step` is at least one element, a whole number of cache lines, and a whole number of
 * rounds over all banks (or of words, if a round is not a power of two). So each access has the
 * same cost as the first, unless a hash chooses tag banks. Groups are adjacent along x. */
#ifndef BANKLINE_MODEL_LAUNCH_H
#define BANKLINE_MODEL_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../kernels/patterns.h"
#include "base/status.h"
#include "model/machine.h"

/* The greatest common divisor; `a` if b is 0. */
uint64_t bl_common_divisor(uint64_t a, uint64_t b);

/* Element types of arrays: OpenCL C's char to ulong, float and double, and their vectors. */

struct bl_type {
    char name[16];            /* as in OpenCL C */
    unsigned component_bytes; /* 1, 2, 4 or 8 */
    unsigned components;      /* 1, 2, 3, 4, 8 or 16 */
    unsigned element_bytes;   /* bytes from one element of an array to the next */
    unsigned access_bytes;    /* bytes of the element that hold data: for an int3, 12 of 16 */
    char scalar[8];           /* name of a component's type */
    unsigned alignment; /* known alignment of the elements in bytes, if it is less than that of
                           the type: component_bytes for vloadn, 1 for members of packed
                           structures; else 0 */
};

extern const struct bl_type bl_type_uchar, bl_type_ushort, bl_type_int, bl_type_int2, bl_type_int3,
    bl_type_int4;

/* Finds the type with this name ("float4"). If there is none, fails with BL_USAGE; the error gives
 * the nearest type, or else lists the types. */
enum bl_status bl_type_named(const char *name, struct bl_type *type, struct bl_error *error);

/* Writes the name of the i-th type, counted from 0. Returns false if there are fewer. */
bool bl_type_name_at(size_t i, char name[16]);

/* Launches. */

enum bl_memory {
    BL_MEMORY_GLOBAL,
    BL_MEMORY_LOCAL,
    BL_MEMORY_CONSTANT,
    BL_MEMORY_PRIVATE,
    /* Constant memory of arrays that a program itself declares, on machines that read it otherwise
     * than other constant memory (constant_address_clocks). Only traces have it. */
    BL_MEMORY_DECLARED
};

struct bl_shape {
    unsigned x, y; /* work-items of a group in each dimension, at least 1 */
};

/* The maximum number of work-items in a group: far above the limit of any device, and small enough
 * that the model's array of addresses takes only a few MiB. */
enum { BL_MAX_GROUP_ITEMS = 65536 };

enum {
    BL_WORKING_SET_BYTES = 64 * 1024
}; /* working set in global memory, unless a suite varies the size */

struct bl_launch {
    enum bl_memory memory;
    bool is_write, is_atomic;
    const struct bl_type *type;
    unsigned n; /* the parameter n of a pattern's expression (kernels/patterns.h) */
    struct bl_shape shape;
    unsigned lanes;  /* work-items per request: the machine's lanes, or the whole group if it is
                        smaller */
    size_t groups;   /* number of groups, at least 1 */
    size_t elements; /* elements of the working set; a power of two if start elements are taken
                        modulo this number */
    size_t spread;   /* elements from a group's start to the next group's; 0 if all groups start at
                        the same element */
    unsigned step;   /* elements from one access to the next */
    unsigned steps;  /* distinct elements per work-item and round; a divisor of `unroll` */
    unsigned unroll; /* accesses per round, 1 to BL_MAX_UNROLL */
    uint64_t base_bytes; /* address of the array; 0 if unknown */
};

/* Computes the launch of a pattern on a device with this machine and this number of compute units
 * (at least 1); sets `n` to 1. `memory` must not be private memory, which index patterns do not
 * access. */
struct bl_launch bl_launch_for(const struct bl_machine *machine, enum bl_memory memory,
                               const struct bl_type *type, struct bl_shape shape,
                               unsigned compute_units);

/* The largest number of groups with which every compute unit gets equally many groups and at most
 * sub_groups_per_cu sub-groups, but at least one group each. group_items: work-items per group. */
size_t bl_groups_for(const struct bl_machine *machine, size_t group_items,
                     unsigned sub_groups_per_cu, unsigned compute_units);

/* The distance, in elements, from a work-item's start element to the element of its access number
 * `read` (0 to unroll - 1) in a round. */
size_t bl_launch_read_offset(const struct bl_launch *launch, unsigned read);

/* The bytes of the array (the working set plus the steps beyond its end), and of the working set.
 */
size_t bl_launch_array_bytes(const struct bl_launch *launch);
size_t bl_launch_working_set_bytes(const struct bl_launch *launch);

/* The number of work-items in a group and in the launch. */
size_t bl_launch_group_items(const struct bl_launch *launch);
size_t bl_launch_items(const struct bl_launch *launch);

/* The number of requests if every work-item of the launch makes one access. */
size_t bl_launch_requests(const struct bl_launch *launch);

const char *bl_memory_name(enum bl_memory memory);

/* The data that kernels read, and the sum that every work-item must compute. */

enum { BL_DATA_PERIOD = 1 << 20 };

/* Word i of the array, a hash of the index. The data must be irregular, because some GPUs compress
 * regular data in memory, and reads would then seem faster than memory is. The data repeat after
 * BL_DATA_PERIOD words (4 MiB), which is far more than compression takes into account. */
uint32_t bl_data_element(size_t i);

/* The sum 0 + 1 + ... + (n - 1), modulo 2^32. */
uint32_t bl_sum_below(uint64_t n);

/* Copies the outputs of the first group (`group` of them) to all other groups; `count` is the
 * number of all outputs. Only for launches in which all groups compute the same outputs. */
void bl_repeat_group(uint32_t outputs[], size_t group, size_t count);

/* The sum of the values that a work-item reads back after its writes. start: its start element. In
 * each of its `steps` elements, every component contains the sum of the element's index and
 * `rounds`, truncated to the component's size. */
uint32_t bl_written_sum(const struct bl_launch *launch, uint64_t start, uint32_t rounds);

/* Computes the expected sum of each work-item, modulo 2^32. For reads, each of the `unroll`
 * accesses of one round adds SUM (kernels/elements.h) of its element. For writes, the sum is
 * bl_written_sum. starts and sums have bl_launch_items elements. Returns BL_OK or BL_NO_MEMORY. */
enum bl_status bl_expected_sums(const struct bl_launch *launch, const uint64_t starts[],
                                uint32_t rounds, uint32_t sums[], struct bl_error *error);

/* The index patterns of kernels/patterns.h, compiled as C, so that the model evaluates the same
 * expressions as the device. */

enum bl_pattern {
#define BL_PATTERN_ENUM(name, expression) BL_PATTERN_##name,
    PATTERNS(BL_PATTERN_ENUM)
#undef BL_PATTERN_ENUM
        BL_PATTERN_COUNT
};

/* The pattern's name, such as "STRIDE_4"; kernels call index_<name>. */
const char *bl_pattern_name(enum bl_pattern pattern);

/* The text of the pattern's expression. */
const char *bl_pattern_expression(enum bl_pattern pattern);

/* The value of the pattern's expression for a work-item, before the offset of its group (`spread`)
 * is added and the sum is taken modulo `elements`. item: index of the work-item in the launch,
 * group by group, with x fastest inside a group. */
size_t bl_pattern_index(enum bl_pattern pattern, const struct bl_launch *launch, size_t item);

/* The work-item's start element: the expression's value plus the offset of its group, modulo
 * `elements`, as in the kernel. */
size_t bl_pattern_start(enum bl_pattern pattern, const struct bl_launch *launch, size_t item);

/* The start elements of all bl_launch_items work-items of the launch. The caller frees the array.
 * NULL if memory runs out. */
uint64_t *bl_pattern_starts(enum bl_pattern pattern, const struct bl_launch *launch);

#endif
