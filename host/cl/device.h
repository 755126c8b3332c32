/* The OpenCL devices of this computer, described once, so that nothing else needs to query OpenCL.
 */
#ifndef BANKLINE_CL_DEVICE_H
#define BANKLINE_CL_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/machine.h"

enum { BL_MAX_SUB_GROUP_SIZES = 8 };

struct bl_device {
    void *id;       /* cl_device_id; NULL in a description without a device */
    void *platform; /* cl_platform_id */
    unsigned platform_index, device_index; /* the position in OpenCL's lists: "0:0" */
    char name[128], platform_name[128], driver[128];
    char card[40]; /* distinguishes cards of one model: a UUID or a PCI address; empty: unknown */
    bool card_is_unique; /* whether `card` is unique across computers */
    enum bl_device_type type;
    unsigned vendor_id; /* PCI vendor id */
    unsigned compute_units;
    unsigned clock_mhz;   /* the maximum that the driver reports */
    unsigned bank_arrays; /* sets of local-memory banks: compute units, or sub-slices on Intel */
    unsigned warp_lanes;  /* 0: unknown */
    /* sizes that a kernel can require (cl_intel_required_subgroup_size), then 0 */
    unsigned sub_group_sizes[BL_MAX_SUB_GROUP_SIZES];
    bool has_sub_groups;   /* whether the driver reports sub-group sizes; PoCL without them crashes
                              when asked */
    bool shares_registers; /* whether work-items of a sub-group can read each other's registers
                              (cl_intel_subgroups) */
    unsigned capability;   /* NVIDIA's compute capability, 90 for 9.0; 0: unknown */
    unsigned ip_version;   /* BL_IP_VERSION of an Intel GPU, if its driver reports it; else 0 */
    unsigned pci_id;       /* PCI device id of an Intel GPU, if its driver reports it; else 0 */
    char board[128];       /* product name of an AMD GPU; empty: unknown */
    char gfx[16];          /* architecture of an AMD GPU, "gfx103" for 10.3; empty: unknown */
    bool has_double;
    uint64_t local_bytes;  /* max local memory per group */
    uint64_t memory_bytes; /* global memory */
    uint64_t max_buffer_bytes;
    uint64_t cache_bytes; /* size of the cache that the driver reports; 0: none */
    size_t max_group_items;
    size_t max_items[2]; /* max work-items of a group in x and y */
    double timer_resolution_ns;
};

/* All devices of all platforms, in OpenCL's order; the caller frees *devices. BL_NO_PLATFORM when
 * there is none, BL_NO_DEVICE when platforms have none, BL_OPENCL_FAILED, BL_NO_MEMORY. */
enum bl_status bl_devices_list(struct bl_device **devices, size_t *count, struct bl_error *error);

/* The machine that describes the device best (bl_machine_for). */
const struct bl_machine *bl_device_machine(const struct bl_device *device);

/* The sub-group size to require for a kernel whose requests are to have this many lanes: `lanes` if
 * the device is a GPU whose driver supports the requirement, else 0. A CPU gets no requirement: it
 * has no requests, and PoCL 5 and 6 accept the requirement but ignore it. */
unsigned bl_device_required_lanes(const struct bl_device *device, unsigned lanes);

/* Whether this machine describes the device: the machine that describes it best, or one from a
 * file, which applies to any device it is used for. */
bool bl_device_is_described(const struct bl_device *device, const struct bl_machine *machine);

/* Chooses by selector: NULL, the first GPU or else the first device; an index, "0:0" or, for the
 * first device of platform 1, "1"; else a part of the name, platform or card, case-insensitive.
 * BL_NO_DEVICE when nothing matches, and BL_AMBIGUOUS_DEVICE when several do; the error lists the
 * devices. Makes no OpenCL calls. */
enum bl_status bl_device_select(const struct bl_device devices[], size_t count,
                                const char *selector, const struct bl_device **chosen,
                                struct bl_error *error);

/* Lists the devices and chooses one of them by the selector. The caller frees *devices, whatever is
 * returned. Errors of both functions. */
enum bl_status bl_devices_choose(const char *selector, struct bl_device **devices, size_t *count,
                                 const struct bl_device **chosen, struct bl_error *error);

#endif
