/* What the model knows of a machine. The built-in machines are the files of machines/, which also
 * give the evidence for their values; machine_file.h explains every field with its unit, and reads
 * and writes machines as text. */
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
    BL_MAX_SECTORS = 64, /* per line */
    BL_MAX_VENDORS = 4,
    BL_MAX_VERSIONS = 8,          /* ranges of versions */
    BL_MAX_IDS = 48,              /* ranges of ids */
    BL_MAX_BANK_ALTERNATIVES = 8, /* alternatives for the banks */
    BL_MAX_UNROLL = 64,
    BL_LEVELS = 3,
    BL_LEVEL_MEMORY = BL_LEVELS - 1
};

enum bl_device_type { BL_DEVICE_CPU, BL_DEVICE_GPU, BL_DEVICE_OTHER };

/* The kinds of device that a machine may be chosen for. */
enum bl_machine_devices { BL_FOR_NONE, BL_FOR_ANY, BL_FOR_CPU, BL_FOR_GPU };

/* The numbers from `from` to `to`; both 0: unused. */
struct bl_range {
    unsigned from, to;
};

/* One possible configuration of the banks of local memory. */
struct bl_banks {
    unsigned count, bytes;
};

/* A level beyond the cache of a compute unit, in the order in which a read passes them: the cache
 * that all share, another one, memory. */
struct bl_level {
    char name[8];
    unsigned granule_bytes; /* delivered together; 0: no such level, or no rule */
    /* The minimum cost of a request, in hundredths of a granule: per line, and in all. */
    unsigned least_of_line_percent, least_of_request_percent;
    /* A request opens a block once for all its granules in it; block_bytes 0: there are no blocks.
     * An open block costs at least the sum of the next three, in hundredths of a granule: */
    unsigned block_bytes;
    unsigned open_percent, line_percent, granule_percent; /* for the block, per line, per granule */
    /* What writes cost, in hundredths of a fully written sector; write_block_bytes 0: no rule. A
     * block with only full sectors costs one per sector, but at least `alone` plus `whole` for each
     * granule that they lie in. A block with partial sectors costs one per full sector plus the
     * larger of two sums: `open` plus `line` for each line with partial sectors, or `fill` plus
     * `part` for each partial sector. */
    unsigned write_block_bytes;
    unsigned write_alone_percent, write_whole_percent;
    bool write_mixes; /* a block with full and partial sectors costs both; false: no rule */
    unsigned write_open_percent, write_line_percent, write_fill_percent, write_part_percent;
    unsigned cards_percent;   /* how far a prediction may be off on other cards of the model */
    unsigned working_set_mib; /* working set that this level holds and the level before does not; 0:
                                 the device decides */
    unsigned kib;             /* size of a cache; 0: unknown, as all that follows */
    /* Of a read of one line that the next one waits for, on an idle device; more for each further
     * line of the request; the same if its lines are 16 KiB or more apart; of a read while all
     * compute units read as much as they can. */
    double latency_ns, further_line_ns, far_line_ns, loaded_latency_ns;
    /* Lines read whole and written whole by all compute units together; read by one alone. */
    double bytes_per_ns, write_bytes_per_ns, unit_bytes_per_ns;
};

struct bl_machine {
    char name[32];
    char formerly[32]; /* an old name that still selects it; or empty */
    char title[96];
    enum bl_machine_devices device_type;
    uint64_t vendors[BL_MAX_VENDORS];        /* PCI vendor ids, then 0; empty: any vendor */
    unsigned capability_min, capability_max; /* NVIDIA's compute capability, 90 for 9.0; 0: any */
    /* If not empty, only these devices; the first property that a device reports decides. */
    struct bl_range ip_versions[BL_MAX_VERSIONS]; /* BL_IP_VERSION; then 0 */
    struct bl_range device_ids[BL_MAX_IDS];       /* PCI device ids; then 0 */
    char names[256];                              /* parts of device names, separated by commas */
    char rests_on[64];                            /* BL_EVIDENCE, separated by commas */
    bool has_rule;         /* false: the model has no rule; why_no_rule gives the reason */
    char why_no_rule[192]; /* a sentence; empty if there is a rule */
    /* A sentence if only local memory has a rule; else empty. */
    char why_no_global_rule[192];
    unsigned lanes;
    unsigned line_bytes;
    unsigned sector_bytes;               /* 0: lines are fetched whole */
    uint64_t tag_masks[BL_MAX_TAG_BITS]; /* then 0; n masks choose among 2^n tag banks */
    unsigned lines_per_clock;
    unsigned overlap_percent; /* overlap of one request's tag passes with another's bank passes */
    unsigned cache_bytes;     /* 0: unknown */
    char cache_name[8];       /* name of the cache that these rules describe */
    /* The limits of the rule for cached global memory. */
    bool global_reads_alone;                     /* no rule for writes */
    unsigned global_min_bytes, global_max_bytes; /* bytes of a lane's access; 0: any */
    unsigned global_span_kib;                    /* distance from lane to lane; 0: any */
    bool global_in_quads;                        /* requests in quads (access.h) */
    unsigned read_least_clocks, scattered_read_least_clocks; /* minimum clocks of a read; 0: one */
    struct bl_level levels[BL_LEVELS];
    unsigned banks, bank_bytes;
    unsigned local_lanes_at_once; /* lanes that the banks serve together; 0: all */
    unsigned local_max_bytes;     /* widest access of a lane that has a rule; 0: any */
    /* What the banks may be, if unknown; the first is `banks` of `bank_bytes`. Empty: the banks are
     * known. */
    struct bl_banks banks_alternatives[BL_MAX_BANK_ALTERNATIVES];
    bool banks_serve_global;
    bool constant_is_global;
    bool atomics_by_lane; /* atomic additions in local memory: one lane per bank and clock */
    unsigned barrier_more_percent; /* percent of one sub-group's barrier per further sub-group; 0:
                                      no rule */
    bool wide_in_parts, pairs_share_wide;
    unsigned widest_bytes, widest_components;
    bool three_is_two_and_one, local_reads_three_as_four, constant_reads_three_as_four;
    unsigned sectors_written_per_clock; /* 0: writes cost what reads cost */
    unsigned unrolled_reads;
    unsigned global_sub_groups_per_cu, local_sub_groups_per_cu;
    /* What a time is predicted from; 0: unknown. machine.c has the meaning of each. The times
     * include what the address of the next access takes. */
    double clock_mhz; /* of these times */
    double integer_ns, float_ns;
    double cache_latency_ns, conflict_ns, further_pass_ns, local_latency_ns;
    double store_then_load_ns, store_then_load_line_ns;
    double barrier_ns; /* more for each further sub-group: barrier_more_percent */
    unsigned unit_lines_in_flight, sub_group_lines_in_flight; /* 0: unknown, or no limit */
    double launch_ns;
    /* A group takes the longer of group_start_ns and item_start_ns times its work-items. */
    double group_start_ns, item_start_ns;
    double sided_group_start_ns; /* the same of groups of more than one side; 0: as others */
    unsigned compute_units, groups_per_unit, sub_groups_per_unit, registers_per_unit;
    unsigned local_bytes_per_unit, local_bytes_reserved; /* reserved: for each group */
    unsigned instructions_per_clock; /* of sub-groups, that a compute unit issues */
};

/* The built-in machines, by name; *count receives how many. */
const struct bl_machine *bl_machines(size_t *count);

/* BL_OK, or BL_UNKNOWN_MACHINE with the nearest name, or all names, in error. The machine is
 * static. */
enum bl_status bl_machine_find(const char *name, const struct bl_machine **machine,
                               struct bl_error *error);

/* The current name of a machine: replaces a former name, and returns any other unchanged. */
const char *bl_machine_name_now(const char *name);

/* Number of alternatives for the machine's banks; 0: the banks are known. */
unsigned bl_machine_alternatives(const struct bl_machine *machine);

/* The machine with its i-th alternative for the banks; i must be in range. */
struct bl_machine bl_machine_alternative(const struct bl_machine *machine, unsigned i);

/* Why a request has no cost if it depends on unknown banks. */
extern const char bl_banks_are_unknown[];

/* The version of Intel's hardware, such as 12.55 for an Arc A770, as one number. */
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

/* The machine that describes such a device best; never NULL: an unknown device gets a machine
 * without a rule. A version that the driver reports decides first, then the PCI id, then a part of
 * the name. */
const struct bl_machine *bl_machine_for(const struct bl_device_kind *kind);

#endif
