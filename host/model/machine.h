/* What the model must know of a machine.
 *
 * Source of the rules: the processor-graphics guides. "Memory Access Overview": requests of one
 * hardware thread to one 64-byte L3 line collapse into one, bandwidth falls with the number of
 * lines; local memory is 16 banks of 32 bits. "__local Memory": a bank delivers one word at a
 * time, lanes that read the same word cost nothing extra. The values of `nvidia` are a finding of
 * this project, measured on an H100 (results/reference): 32 banks that also serve global loads
 * which hit L1, and about four line look-ups a clock.
 */
#ifndef BANKLINE_MODEL_MACHINE_H
#define BANKLINE_MODEL_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#include "status.h"

enum { BL_MAX_LANES = 128, BL_MAX_BANKS = 128, BL_MAX_UNROLL = 64, BL_GUIDE_LANES = 16 };

struct bl_machine {
    const char *name;
    const char *title;        /* a few words for a person */
    bool has_rule;            /* false: the model has no rule, and why_no_rule says why */
    const char *why_no_rule;  /* a sentence; NULL where there is a rule */
    unsigned lanes;           /* work-items a request serves, 1 to BL_MAX_LANES */
    unsigned line_bytes;      /* cache line; a power of two */
    unsigned lines_per_clock; /* cache lines looked up in one clock */
    unsigned banks;           /* banks of local memory, 1 to BL_MAX_BANKS */
    unsigned bank_bytes;      /* bytes of a word of a bank */
    bool banks_serve_global;  /* cached global loads pass through the same banks */
    bool constant_is_global;  /* constant memory goes the way of global memory */
    /* Reads that a kernel unrolls in a round of global memory, half as many of local memory, whose
     * tile they would enlarge. Even; at most BL_MAX_UNROLL. With 32 the end of a round costs an H100
     * 1 % of its peak; a CPU needs few, and its compiler takes long over many. */
    unsigned unrolled_reads;
    /* Sub-groups to launch for each compute unit. Enough to hide latency; for local memory not
     * more than are resident at once, because a later wave of groups would fill its tile while an
     * earlier one reads, and how much of that is hidden depends on the length of the launch: the
     * difference of two lengths would read high. */
    unsigned global_sub_groups_per_cu;
    unsigned local_sub_groups_per_cu;
};

/* The built-in machines; *count receives how many. */
const struct bl_machine *bl_machines(size_t *count);

/* BL_OK, or BL_UNKNOWN_MACHINE with the known names in error. The machine is static. */
enum bl_status bl_machine_find(const char *name, const struct bl_machine **machine,
                               struct bl_error *error);

enum bl_device_type { BL_DEVICE_CPU, BL_DEVICE_GPU, BL_DEVICE_OTHER };

/* The machine that describes a device of this vendor (PCI vendor id) and type; never NULL: where
 * no description is known it is one without a rule. */
const struct bl_machine *bl_machine_for(unsigned vendor_id, enum bl_device_type type);

#endif
