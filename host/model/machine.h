/* What the model must know of a machine. The built-in ones are the files of machines/, with the
 * evidence for their values; machine_file.h explains every field with its unit, and reads and
 * writes machines as text.
 */
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
    BL_MAX_SECTORS = 64, /* of a line */
    BL_MAX_VENDORS = 4,
    BL_MAX_VERSIONS = 8,          /* ranges of them */
    BL_MAX_IDS = 48,              /* ranges of them */
    BL_MAX_BANK_ALTERNATIVES = 8, /* of what the banks may be */
    BL_MAX_UNROLL = 64,
    BL_LEVELS = 3,
    BL_LEVEL_MEMORY = BL_LEVELS - 1
};

enum bl_device_type { BL_DEVICE_CPU, BL_DEVICE_GPU, BL_DEVICE_OTHER };

/* The devices that a machine may be chosen for. */
enum bl_machine_devices { BL_FOR_NONE, BL_FOR_ANY, BL_FOR_CPU, BL_FOR_GPU };

/* Numbers from one to another; 0 and 0: none. */
struct bl_range {
    unsigned from, to;
};

/* What the banks of local memory may be. */
struct bl_banks {
    unsigned count, bytes;
};

/* What lies beyond the cache of a compute unit, in the order in which a read goes through them: the
 * cache that all share, another one, memory. */
struct bl_level {
    char name[8];
    unsigned granule_bytes; /* that it delivers together; 0: it is not there, or has no rule */
    /* What a request costs at least, in hundredths of a granule: for each line, and altogether. */
    unsigned least_of_line_percent, least_of_request_percent;
    /* A request opens a block once for all its granules in it; block_bytes 0: there are no blocks.
     * An open block costs at least the sum of these, in hundredths of a granule. */
    unsigned block_bytes;
    unsigned open_percent, line_percent, granule_percent; /* the block, each line, each granule */
    /* What writes cost, in hundredths of a sector written whole; write_block_bytes 0: there is no
     * rule. A block of whole sectors costs at least `alone`, and `whole` for each granule that they
     * lie in. A block with partly written sectors costs additionally the larger of two sums: `open`
     * plus `line` for each line with such sectors, or `fill` plus `part` for each such sector. */
    unsigned write_block_bytes;
    unsigned write_alone_percent, write_whole_percent;
    bool write_mixes; /* a block with both kinds of sectors costs both; false: it has no rule */
    unsigned write_open_percent, write_line_percent, write_fill_percent, write_part_percent;
    unsigned cards_percent;   /* of a prediction: how far other cards of the model may be off */
    unsigned working_set_mib; /* that it holds and the level before does not; 0: by the device */
};

struct bl_machine {
    char name[32];
    char formerly[32]; /* an old name that still selects it; or empty */
    char title[96];
    enum bl_machine_devices device_type;
    uint64_t vendors[BL_MAX_VENDORS];        /* PCI vendor ids, ended by 0; none: any vendor */
    unsigned capability_min, capability_max; /* NVIDIA's compute capability, 90 for 9.0; 0: any */
    /* Devices of these alone, where there are any; the first that a device reports decides. */
    struct bl_range ip_versions[BL_MAX_VERSIONS]; /* BL_IP_VERSION; 0 behind the last one */
    struct bl_range device_ids[BL_MAX_IDS];       /* PCI; 0 behind the last one */
    char names[256];       /* parts of a device's name, commas between them */
    char rests_on[64];     /* BL_EVIDENCE, commas between them */
    bool has_rule;         /* false: the model has no rule, and why_no_rule says why */
    char why_no_rule[192]; /* a sentence; empty where there is a rule */
    /* A sentence where the rule is of local memory alone; else empty. */
    char why_no_global_rule[192];
    unsigned lanes;
    unsigned line_bytes;
    unsigned sector_bytes;               /* 0: lines are fetched whole */
    uint64_t tag_masks[BL_MAX_TAG_BITS]; /* ended by 0; n masks choose among 2^n tag banks */
    unsigned lines_per_clock;
    unsigned overlap_percent; /* of tag passes and bank passes of different requests */
    unsigned cache_bytes;     /* 0: not known */
    char cache_name[8];       /* of the level that these rules are of */
    /* How far the rule of cached global memory reaches. */
    bool global_reads_alone;                                 /* there is none of writes */
    unsigned global_min_bytes, global_max_bytes;             /* of a lane's access; 0: any */
    unsigned global_span_kib;                                /* from lane to lane; 0: any */
    bool global_in_quads;                                    /* access.h */
    unsigned read_least_clocks, scattered_read_least_clocks; /* 0: one */
    struct bl_level levels[BL_LEVELS];
    unsigned banks, bank_bytes;
    unsigned local_lanes_at_once; /* that the banks serve together; 0: all */
    unsigned local_max_bytes;     /* of a lane's access that there is a rule of; 0: any */
    /* What the banks may be, where nobody knows; the first is `banks` of `bank_bytes`. None: they
     * are known. */
    struct bl_banks banks_alternatives[BL_MAX_BANK_ALTERNATIVES];
    bool banks_serve_global;
    bool constant_is_global;
    bool atomics_by_lane;          /* of local memory */
    unsigned barrier_more_percent; /* of one sub-group's, for each further one; 0: no rule */
    bool wide_in_parts, pairs_share_wide;
    unsigned widest_bytes, widest_components;
    bool three_is_two_and_one, local_reads_three_as_four, constant_reads_three_as_four;
    unsigned sectors_written_per_clock; /* 0: writes cost what reads cost */
    unsigned unrolled_reads;
    unsigned global_sub_groups_per_cu, local_sub_groups_per_cu;
};

/* The built-in machines, by name; *count receives how many. */
const struct bl_machine *bl_machines(size_t *count);

/* BL_OK, or BL_UNKNOWN_MACHINE with the nearest name, or all of them, in error. The machine is
 * static. */
enum bl_status bl_machine_find(const char *name, const struct bl_machine **machine,
                               struct bl_error *error);

/* The current name of a machine: maps old names, and returns any other as it is. */
const char *bl_machine_name_now(const char *name);

/* How many alternatives of its banks a machine has; 0: they are known. */
unsigned bl_machine_alternatives(const struct bl_machine *machine);

/* The machine if the i-th of its alternatives, which there must be, is right. */
struct bl_machine bl_machine_alternative(const struct bl_machine *machine, unsigned i);

/* Why a request has no cost whose cost depends on banks that nobody knows. */
extern const char bl_banks_are_unknown[];

/* Intel's version of the hardware, 12.55 of an Arc A770, as one number. */
enum { BL_IP_RELEASES = 256 };
#define BL_IP_VERSION(architecture, release) ((architecture)*BL_IP_RELEASES + (release))

/* The properties of a device by which its machine is chosen; 0, NULL or "": not reported. */
struct bl_device_kind {
    enum bl_device_type type;
    unsigned vendor_id;  /* PCI */
    unsigned capability; /* NVIDIA's compute capability, 90 for 9.0 */
    unsigned ip_version; /* BL_IP_VERSION of an Intel GPU */
    unsigned device_id;  /* PCI */
    const char *name;    /* as the driver has it: "Intel(R) Arc(TM) A770 Graphics", "gfx1030" */
    const char *board;   /* what it is sold as, of AMD's: "AMD Radeon RX 6800 XT" */
    const char *gfx;     /* of an AMD GPU, without its stepping: "gfx103" */
};

/* The machine that describes such a device best; never NULL: for an unknown device, one without a
 * rule. A version that the driver reports decides; else the PCI id does, else a part of the name.
 */
const struct bl_machine *bl_machine_for(const struct bl_device_kind *kind);

#endif
