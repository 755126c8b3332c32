/* A machine is the model's description of a kind of device. The built-in machines are the files in
 * machines/, which also state the evidence for each value. machine.c explains every field and
 * states its unit; machine_file.h declares functions that read and write machines as text. */
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

/* The kinds of device for which a machine may be chosen. */
enum bl_machine_devices { BL_FOR_NONE, BL_FOR_ANY, BL_FOR_CPU, BL_FOR_GPU };

/* The numbers from `from` to `to`, both inclusive; an unused entry has 0 in both. */
struct bl_range {
    unsigned from, to;
};

/* A configuration of the banks of local memory: their number and width. */
struct bl_banks {
    unsigned count, bytes;
};

/* A level of the memory hierarchy beyond the cache of a compute unit. A machine lists its levels in
 * the order in which a read passes them: usually L2, perhaps another cache, then memory. */
struct bl_level {
    char name[8];
    unsigned granule_bytes; /* the smallest amount that the level delivers; 0 if the machine has no
                               such level, or no rule for it */
    /* The minimum cost of a request, per line and in total, in hundredths of a granule. */
    unsigned least_of_line_percent, least_of_request_percent;
    /* A block, such as a row of DRAM, is opened once by each request that touches it. It costs as
     * much as its granules, but at least open_percent plus line_percent per line plus
     * granule_percent per granule, in hundredths of a granule. The level has no blocks if
     * block_bytes is 0. */
    unsigned block_bytes;
    unsigned open_percent, line_percent, granule_percent; /* per block, line, granule */
    /* How much cheaper the requests of a group become if they read the same granules
     * (model/granules.h). The rule holds for groups of shared_requests requests; if shared_requests
     * is 0, there is no rule. Scattered requests save near_percent of what they would save if four
     * consecutive requests shared all common granules, plus far_percent of what they would save if
     * the whole group did. alike_percent, times the fraction of a request's granules that the most
     * similar request also reads, is added to near_percent. Requests that a neighbour repeats save
     * repeated_percent of what they would save if the whole group shared all common granules. The
     * sum of near_percent, alike_percent and far_percent is at most 100. */
    unsigned shared_requests;
    unsigned near_percent, alike_percent, far_percent, repeated_percent;
    /* The cost of writes, in fully written sectors. `alone` stands for write_alone_percent / 100,
     * and so on. There is no rule if write_block_bytes is 0. A block without partially written
     * sectors costs 1 per written sector, but at least `alone` plus `whole` for each granule
     * touched. This minimum is at most 1 per sector of a block. A block with partially written
     * sectors costs 1 per full sector, plus the largest of three costs: 1 per partially written
     * sector; `open` plus `line` for each line with such sectors; `fill` plus `part` for each such
     * sector. The last two are at most 2 per sector of a block. */
    unsigned write_block_bytes;
    unsigned write_alone_percent, write_whole_percent;
    bool write_mixes; /* a block with full and partial sectors costs the sum of both; if false, such
                         a block has no rule */
    unsigned write_open_percent, write_line_percent, write_fill_percent, write_part_percent;
    /* The cost if several requests write the same sectors or blocks; machine.c explains each field.
     * write_shared_percent: in percent of the cost without sharing. write_run_*: cost of each full
     * and each partial sector if runs of bytes together fill blocks, in hundredths of a sector.
     * write_*mixed_percent: for requests with many, or few, blocks that have both full and partial
     * sectors. write_split_percent: extra cost, in hundredths of a sector, of each request that
     * writes one run of full sectors and shares its end blocks. write_gathered_percent: saving of
     * other requests that write only full sectors, in percent of the saving if the whole group
     * wrote together. write_repeated_percent and write_adjacent_percent: percentage points that are
     * subtracted from write_shared_percent for each further request that writes the same sector
     * (scattered requests), or the same block (short, adjacent requests). To keep costs positive,
     * write_repeated_percent is at most write_shared_percent / 3, and write_adjacent_percent is at
     * most write_shared_percent / (sectors of a block). */
    unsigned write_shared_percent, write_run_whole_percent, write_run_part_percent,
        write_mixed_percent, write_few_mixed_percent, write_split_percent, write_gathered_percent,
        write_repeated_percent, write_adjacent_percent;
    unsigned cards_percent; /* additional tolerance in percent, because cards of one model differ */
    unsigned working_set_mib; /* size of a working set that is held at this level; 0: derived from
                                 the device's properties */
    unsigned kib;             /* capacity of a cache; 0 if unknown */
    /* latency_ns: time of a dependent read of one line on an idle device. further_line_ns: time
     * that each further line of the request adds; far_line_ns: the same if lines are 16 KiB or more
     * apart. loaded_latency_ns: latency while all compute units read at nine tenths of the highest
     * rate. write_delay_ns: how much longer a read takes if writes use the whole bandwidth; if they
     * use a part of it, the delay is proportional. Each is 0 if unknown; if far_line_ns is 0,
     * further_line_ns is used instead. */
    double latency_ns, further_line_ns, far_line_ns, loaded_latency_ns, write_delay_ns;
    /* Bandwidth for whole lines: of reads and of writes by all compute units together, and of reads
     * by one compute unit while the others are idle; 0 if unknown. */
    double bytes_per_ns, write_bytes_per_ns, unit_bytes_per_ns;
};

struct bl_machine {
    char name[32];
    char formerly[32]; /* a former name, which still selects the machine; or empty */
    char title[96];
    enum bl_machine_devices device_type;
    uint64_t vendors[BL_MAX_VENDORS];        /* PCI vendor ids, then 0; empty: any vendor */
    unsigned capability_min, capability_max; /* NVIDIA's compute capability, 90 for 9.0; any if
                                                capability_min is 0 */
    /* If any of the next three members is set, the machine is chosen only for devices that match.
     * The version decides if the device reports it, else the PCI id if it is listed here, else the
     * name. If capability_min is set, only `names` counts, in addition to the capability. */
    struct bl_range ip_versions[BL_MAX_VERSIONS]; /* numbers of BL_IP_VERSION; then 0 */
    struct bl_range device_ids[BL_MAX_IDS];       /* PCI device ids; then 0 */
    char names[256];                              /* parts of device names, comma-separated */
    char rests_on[64];                            /* kinds of evidence, comma-separated */
    bool has_rule;         /* false: the model has no rule; why_no_rule gives the reason */
    char why_no_rule[192]; /* a sentence; empty if there is a rule */
    /* A sentence that says why only local memory has a rule; empty if global memory has a rule,
     * too. */
    char why_no_global_rule[192];
    unsigned lanes;
    unsigned line_bytes;
    unsigned sector_bytes;               /* 0: lines have no sectors */
    uint64_t tag_masks[BL_MAX_TAG_BITS]; /* n masks, which choose one of 2^n tag banks, then 0 */
    unsigned lines_per_clock;
    unsigned overlap_percent; /* how far the tag passes of some requests overlap with the bank
                                 passes of others */
    unsigned cache_bytes;     /* 0: unknown */
    char cache_name[8];       /* name of the compute unit's cache */
    /* Limits of the rule for global memory in the cache. */
    bool global_reads_alone;                     /* no rule for writes */
    unsigned global_min_bytes, global_max_bytes; /* width of a lane's access; 0: any */
    unsigned global_span_kib; /* max distance between the lanes' addresses; 0: any */
    bool global_in_quads;     /* the cache serves requests in quads (machine.c) */
    /* Minimum clocks of a read; 0 means 1. */
    unsigned read_least_clocks, scattered_read_least_clocks;
    struct bl_level levels[BL_LEVELS];
    unsigned banks, bank_bytes;
    unsigned local_lanes_at_once;         /* lanes that the banks serve together; 0: all */
    unsigned local_lanes_written_at_once; /* the same for writes; 0: as for reads */
    unsigned local_max_bytes;             /* widest access with a rule; 0: any */
    /* The possible bank configurations, if the banks are uncertain; the first is `banks` and
     * `bank_bytes`. Empty if the banks are certain. */
    struct bl_banks banks_alternatives[BL_MAX_BANK_ALTERNATIVES];
    bool banks_serve_global;
    bool constant_is_global;
    /* Clocks of a compute unit for each distinct address of a request to a constant array that the
     * program declares; 0 if unknown: then such arrays are read like other constant memory. */
    unsigned constant_address_clocks;
    bool atomics_by_lane;          /* in local memory, a bank serves atomics one lane per clock */
    bool combines_atomics;         /* in local memory, one lane does an atomic for others */
    unsigned barrier_more_percent; /* cost that each further sub-group adds to a barrier, in percent
                                      of a barrier of one sub-group; 0 if there is no rule */
    bool wide_in_parts, pairs_share_wide;
    unsigned widest_bytes, widest_components;
    bool three_is_two_and_one, local_reads_three_as_four, constant_reads_three_as_four;
    bool splits_unaligned;              /* accesses to global memory of unknown alignment */
    unsigned sectors_written_per_clock; /* 0 if writes cost as much as reads */
    unsigned group_items_max;           /* 0: unknown */
    unsigned kernel_items_max; /* largest group of a kernel, as the driver reports; 0 if unknown */
    unsigned null_local_dimensions; /* dimensions in which the driver chooses the size of a group;
                                       0 if unknown */
    unsigned null_local_least; /* groups with fewer work-items along x may exceed the driver's usual
                                  limit, up to group_items_max; 0: none do */
    unsigned group_local_bytes_max; /* local memory that a group may use; 0 if unknown */
    unsigned unrolled_reads;
    unsigned global_sub_groups_per_cu, local_sub_groups_per_cu;
    /* Times from which the time of a launch is predicted; 0 if unknown. machine.c explains each of
     * them. */
    double clock_mhz; /* clock at which these times were measured */
    double integer_ns, float_ns;
    double cache_latency_ns, conflict_ns, further_pass_ns, local_latency_ns;
    /* Of a read of a constant array that the program declares: latency with one address, and what
     * each further address adds. */
    double constant_latency_ns, constant_further_ns;
    double store_then_load_ns, store_then_load_line_ns;
    double barrier_ns; /* for one sub-group; each further one adds barrier_more_percent */
    unsigned unit_lines_in_flight, sub_group_lines_in_flight; /* 0: unknown, or no limit */
    double launch_ns;
    /* The interval that contains 90 % of the launches; 0 if all launches take launch_ns. */
    double launch_least_ns, launch_most_ns;
    /* Extra time of a launch that finds the device asleep, as a program's first launch does; 0 if
     * unknown. For 95 % of first launches, it is at most first_launch_most_ns; 0: always
     * first_launch_ns. A device is awake when it has been idle for awake_ns, and asleep after
     * asleep_ns; between the two, the extra time grows with the time beyond awake_ns, to the power
     * 0.6. If both are 0, only a program's first launch, and launches after the host has
     * computed for long, find the device asleep. */
    double first_launch_ns, first_launch_most_ns, awake_ns, asleep_ns;
    /* A launch that is enqueued while the device is busy takes queued_launch_ns instead of
     * launch_ns. The host takes enqueue_ns to enqueue a launch, or first_enqueue_ns for a program's
     * first launch if that is more. Each is 0 if unknown. */
    double queued_launch_ns, enqueue_ns, first_enqueue_ns;
    /* How much longer than predicted kernels of applications take that hardly do more than an empty
     * one. */
    double kernel_more_ns;
    /* A program's launches have private_reserved_bytes of private memory per work-item. A launch
     * that needs more than any before it takes private_grow_ns longer. Each is 0 if unknown. */
    unsigned private_reserved_bytes;
    double private_grow_ns;
    /* Starting a group takes group_start_ns, or item_start_ns times its number of work-items if
     * that is longer. */
    double group_start_ns, item_start_ns;
    unsigned compute_units, groups_per_unit, sub_groups_per_unit, registers_per_unit;
    unsigned local_bytes_per_unit,
        local_bytes_reserved;        /* reserved: additionally taken by each group */
    unsigned instructions_per_clock; /* sub-group instructions per compute unit */
};

/* The largest instructions_per_clock. */
enum { BL_MAX_SCHEDULERS = 64 };

/* The built-in machines, sorted by name; *count receives their number. */
const struct bl_machine *bl_machines(size_t *count);

/* Finds a built-in machine by its name or former name; *machine then points to static data. Fails
 * with BL_UNKNOWN_MACHINE; the error gives the nearest name, or else all names. */
enum bl_status bl_machine_find(const char *name, const struct bl_machine **machine,
                               struct bl_error *error);

/* The current name of a machine that may have been renamed; returns any other name unchanged. */
const char *bl_machine_name_now(const char *name);

/* The number of possible bank configurations; 0 if the banks are certain. */
unsigned bl_machine_alternatives(const struct bl_machine *machine);

/* The maximum number of work-items in a group on the machine's devices; 0 if unknown. */
unsigned bl_machine_max_group_items(const struct bl_machine *machine);

/* A copy of the machine whose banks are the i-th possible configuration. i must be less than
 * bl_machine_alternatives. */
struct bl_machine bl_machine_alternative(const struct bl_machine *machine, unsigned i);

/* The sentence that says why there is no cost if it depends on uncertain banks. */
extern const char bl_banks_are_unknown[];

/* The version of an Intel GPU's hardware as one number. An Arc A770 has version 12.55, which is
 * BL_IP_VERSION(12, 55). */
enum { BL_IP_RELEASES = 256 };
#define BL_IP_VERSION(architecture, release) ((architecture)*BL_IP_RELEASES + (release))

/* The properties of a device that determine its machine. A property that the driver does not report
 * is 0, NULL or "". */
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

/* Chooses the machine for a device. Never returns NULL: an unknown device gets a machine without a
 * rule. The hardware version decides if the driver reports it, otherwise the PCI id if a machine
 * lists it, otherwise a part of the name. For NVIDIA's GPUs, the compute capability decides; a
 * machine that also lists a part of the name comes first. */
const struct bl_machine *bl_machine_for(const struct bl_device_kind *kind);

#endif
