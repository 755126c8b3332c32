/* A machine: what the model knows about a kind of device. The built-in machines are the files in
 * machines/, which also state the evidence for each value. machine_file.h explains every field with
 * its unit, and reads and writes machines as text. */
#ifndef BANKLINE_MODEL_MACHINE_H
#define BANKLINE_MODEL_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum {
    BL_MAX_LANES = 128,
    BL_MAX_BANKS = 256,
    BL_MAX_TAG_BITS = 4,
    BL_MAX_SECTORS = 64, /* sectors per line */
    BL_MAX_VENDORS = 4,
    BL_MAX_VERSIONS = 8,          /* ranges of hardware versions */
    BL_MAX_IDS = 48,              /* ranges of PCI ids */
    BL_MAX_BANK_ALTERNATIVES = 8, /* alternatives if the banks are not certain */
    BL_MAX_UNROLL = 64,
    BL_LEVELS = 3,
    BL_LEVEL_MEMORY = BL_LEVELS - 1
};

enum bl_device_type { BL_DEVICE_CPU, BL_DEVICE_GPU, BL_DEVICE_OTHER };

/* The kinds of device that a machine may be chosen for. */
enum bl_machine_devices { BL_FOR_NONE, BL_FOR_ANY, BL_FOR_CPU, BL_FOR_GPU };

/* The numbers `from` to `to`, both included; both 0: unused. */
struct bl_range {
    unsigned from, to;
};

/* A configuration of the banks of local memory: their number and width. */
struct bl_banks {
    unsigned count, bytes;
};

/* A level of the memory hierarchy beyond the cache of a compute unit. A machine lists them in the
 * order in which a read passes them: usually L2, perhaps another cache, then memory. */
struct bl_level {
    char name[8];
    unsigned granule_bytes; /* bytes delivered at once; 0: no such level, or no rule */
    /* The minimum cost of a request, per line and in total, in hundredths of a granule. */
    unsigned least_of_line_percent, least_of_request_percent;
    /* A request opens each block that it touches once; block_bytes 0: the level has no blocks. An
     * opened block costs at least the sum of the next three, in hundredths of a granule: */
    unsigned block_bytes;
    unsigned open_percent, line_percent, granule_percent; /* per block, line, granule */
    /* Requests that want granules of others of their group (model/granules.h): the number of
     * requests of a group for which the rule holds; 0: no rule. In percent of what sharing would
     * save: scattered requests that share with those near them, the more the more alike they are,
     * and with all of the group; and requests that a neighbour repeats. */
    unsigned shared_requests;
    unsigned near_percent, alike_percent, far_percent, repeated_percent;
    /* The cost of writes, in hundredths of a fully written sector; write_block_bytes 0: no rule. A
     * block whose sectors are all fully written costs one per sector, but at least `alone` plus
     * `whole` for each granule touched. A block with partly written sectors costs one per full
     * sector, plus the larger of two sums: `open` plus `line` for each line with partly written
     * sectors, or `fill` plus `part` for each partly written sector. */
    unsigned write_block_bytes;
    unsigned write_alone_percent, write_whole_percent;
    bool write_mixes; /* a block with full and partial sectors costs the sum of both; false: it has
                         no rule */
    unsigned write_open_percent, write_line_percent, write_fill_percent, write_part_percent;
    /* Writes of requests that share: the percentage of the cost without sharing; and of runs of
     * bytes that fill blocks together, hundredths of a sector per full and partial sector. */
    unsigned write_shared_percent, write_run_whole_percent, write_run_part_percent,
        write_mixed_percent, write_few_mixed_percent;
    unsigned cards_percent;   /* additional tolerance, because cards of one model differ */
    unsigned working_set_mib; /* size of a working set that lies at this level; 0: derived from the
                                 device's properties */
    unsigned kib;             /* size of a cache; 0: unknown, as all that follows */
    /* latency: of a read of one line whose result the next read needs, on an idle device.
     * further_line: more for each further line of the request; far_line: the same if lines are 16
     * KiB or more apart. loaded_latency: while all compute units read as much as they can. */
    double latency_ns, further_line_ns, far_line_ns, loaded_latency_ns;
    /* Rates for whole lines: read and written by all compute units together, and read by one alone.
     */
    double bytes_per_ns, write_bytes_per_ns, unit_bytes_per_ns;
};

struct bl_machine {
    char name[32];
    char formerly[32]; /* a former name, which still selects it; or empty */
    char title[96];
    enum bl_machine_devices device_type;
    uint64_t vendors[BL_MAX_VENDORS];        /* PCI vendor ids, then 0; empty: any vendor */
    unsigned capability_min, capability_max; /* NVIDIA's compute capability, 90 for 9.0; 0: any */
    /* If not empty, the machine is for these devices only. The first of these properties that a
     * device reports decides. */
    struct bl_range ip_versions[BL_MAX_VERSIONS]; /* BL_IP_VERSION; then 0 */
    struct bl_range device_ids[BL_MAX_IDS];       /* PCI device ids; then 0 */
    char names[256];                              /* parts of device names, comma-separated */
    char rests_on[64];                            /* BL_EVIDENCE values, comma-separated */
    bool has_rule;         /* false: the model has no rule; why_no_rule gives the reason */
    char why_no_rule[192]; /* a sentence; empty if there is a rule */
    /* Why only local memory has a rule, a sentence; else empty. */
    char why_no_global_rule[192];
    unsigned lanes;
    unsigned line_bytes;
    unsigned sector_bytes;               /* 0: lines have no sectors */
    uint64_t tag_masks[BL_MAX_TAG_BITS]; /* n masks, then 0: they choose one of 2^n tag banks */
    unsigned lines_per_clock;
    unsigned overlap_percent; /* how far tag passes overlap with bank passes of other requests */
    unsigned cache_bytes;     /* 0: unknown */
    char cache_name[8];       /* name of the compute unit's cache */
    /* Limits of the rule for global memory in the cache. */
    bool global_reads_alone;                     /* no rule for writes */
    unsigned global_min_bytes, global_max_bytes; /* width of a lane's access; 0: any */
    unsigned global_span_kib;                    /* max distance between lanes; 0: any */
    bool global_in_quads;                        /* requests are served in quads (access.h) */
    unsigned read_least_clocks, scattered_read_least_clocks; /* minimum clocks of a read; 0: 1 */
    struct bl_level levels[BL_LEVELS];
    unsigned banks, bank_bytes;
    unsigned local_lanes_at_once;         /* lanes that the banks serve at once; 0: all */
    unsigned local_lanes_written_at_once; /* the same for writes; 0: as for reads */
    unsigned local_max_bytes;             /* widest access with a rule; 0: any */
    /* The possible banks, if they are not certain; the first is also in banks and bank_bytes.
     * Empty: the banks are certain. */
    struct bl_banks banks_alternatives[BL_MAX_BANK_ALTERNATIVES];
    bool banks_serve_global;
    bool constant_is_global;
    bool atomics_by_lane;          /* local atomics: one lane per bank and clock */
    unsigned barrier_more_percent; /* cost of a barrier per further sub-group, relative to a single
                                      one's; 0: no rule */
    bool wide_in_parts, pairs_share_wide;
    unsigned widest_bytes, widest_components;
    bool three_is_two_and_one, local_reads_three_as_four, constant_reads_three_as_four;
    unsigned sectors_written_per_clock; /* 0: writes cost what reads cost */
    unsigned group_items_max;           /* 0: unknown */
    unsigned unrolled_reads;
    unsigned global_sub_groups_per_cu, local_sub_groups_per_cu;
    /* Times for predicting a launch's time; 0: unknown. machine.c explains each. They include the
     * address arithmetic of the next access. */
    double clock_mhz; /* of these times */
    double integer_ns, float_ns;
    double cache_latency_ns, conflict_ns, further_pass_ns, local_latency_ns;
    double store_then_load_ns, store_then_load_line_ns;
    double barrier_ns; /* more for each further sub-group: barrier_more_percent */
    unsigned unit_lines_in_flight, sub_group_lines_in_flight; /* 0: unknown, or no limit */
    double launch_ns;
    double first_launch_ns; /* more, for the first launch of a program; 0: not known */
    /* A group takes the longer of group_start_ns and item_start_ns times its work-items. */
    double group_start_ns, item_start_ns;
    double sided_group_start_ns; /* the same of groups of more than one side; 0: as others */
    unsigned compute_units, groups_per_unit, sub_groups_per_unit, registers_per_unit;
    unsigned local_bytes_per_unit, local_bytes_reserved; /* reserved: for each group */
    unsigned instructions_per_clock; /* of sub-groups, that a compute unit issues */
};

/* The built-in machines, sorted by name; *count receives their number. */
const struct bl_machine *bl_machines(size_t *count);

/* Finds a built-in machine, which is static. BL_UNKNOWN_MACHINE with the nearest name, or all
 * names, in error. */
enum bl_status bl_machine_find(const char *name, const struct bl_machine **machine,
                               struct bl_error *error);

/* The current name of a machine that may have been renamed; returns any other name unchanged. */
const char *bl_machine_name_now(const char *name);

/* The number of alternatives for the machine's banks; 0: the banks are certain. */
unsigned bl_machine_alternatives(const struct bl_machine *machine);

/* The most work-items that the machine's devices take in a group; 0: unknown. */
unsigned bl_machine_max_group_items(const struct bl_machine *machine);

/* The machine with its i-th alternative as its banks; i must be in range. */
struct bl_machine bl_machine_alternative(const struct bl_machine *machine, unsigned i);

/* The reason given when a cost depends on banks that are not certain. */
extern const char bl_banks_are_unknown[];

/* The version of an Intel GPU's hardware as one number, such as 12.55 for an Arc A770. */
enum { BL_IP_RELEASES = 256 };
#define BL_IP_VERSION(architecture, release) ((architecture)*BL_IP_RELEASES + (release))

/* The properties of a device by which its machine is chosen; 0, NULL or "": not reported. */
struct bl_device_kind {
    enum bl_device_type type;
    unsigned vendor_id;  /* PCI vendor id */
    unsigned capability; /* NVIDIA's compute capability, 90 for 9.0 */
    unsigned ip_version; /* BL_IP_VERSION of an Intel GPU */
    unsigned device_id;  /* PCI device id */
    const char *name;    /* as the driver reports it: "Intel(R) Arc(TM) A770 Graphics", "gfx1030" */
    const char *board;   /* an AMD GPU's product name: "AMD Radeon RX 6800 XT" */
    const char *gfx;     /* an AMD GPU's architecture without its stepping: "gfx103" */
};

/* Chooses the machine for a device; never NULL, because an unknown device gets a machine without a
 * rule. What decides is the hardware version that the driver reports, or else the PCI id, or else a
 * part of the name. */
const struct bl_machine *bl_machine_for(const struct bl_device_kind *kind);

#endif
