/* The OpenCL devices of this host. bl_devices_list queries their properties, so that other code
 * reads them from struct bl_device instead of asking OpenCL. */
#ifndef BANKLINE_CL_DEVICE_H
#define BANKLINE_CL_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/machine.h"

enum { BL_MAX_SUB_GROUP_SIZES = 8 };

struct bl_device {
    void *id;                              /* cl_device_id; NULL for a simulated device */
    void *platform;                        /* cl_platform_id */
    unsigned platform_index, device_index; /* positions in OpenCL's lists, printed as "0:0" */
    char name[128], platform_name[128], driver[128];
    char card[40]; /* UUID or PCI address, to distinguish cards of one model; empty if unknown */
    bool card_is_unique; /* whether `card` is unique across hosts */
    enum bl_device_type type;
    unsigned vendor_id; /* PCI vendor id */
    unsigned compute_units;
    unsigned clock_mhz;   /* the maximum that the driver reports */
    unsigned bank_arrays; /* number of sets of local-memory banks: one per sub-slice if Intel's
                             driver reports sub-slices, else one per compute unit */
    unsigned warp_lanes;  /* lanes of a warp (NVIDIA); 0 if unknown */
    /* the sub-group sizes that a kernel can require (cl_intel_required_subgroup_size), followed by
     * zeros */
    unsigned sub_group_sizes[BL_MAX_SUB_GROUP_SIZES];
    bool has_sub_groups;   /* whether a kernel's sub-group size may be queried; the query crashes
                              PoCL if the device lacks extensions for sub-groups */
    bool shares_registers; /* whether work-items of a sub-group can read each other's registers
                              (cl_intel_subgroups) */
    unsigned capability;   /* NVIDIA's compute capability, 90 for 9.0; 0 if unknown */
    unsigned ip_version;   /* BL_IP_VERSION of an Intel GPU, if its driver reports it; else 0 */
    unsigned pci_id;       /* PCI device id of an Intel GPU, if its driver reports it; else 0 */
    char board[128];       /* product name of an AMD GPU; empty if unknown */
    char gfx[16];          /* architecture of an AMD GPU, "gfx103" for 10.3; empty if unknown */
    bool has_double;
    uint64_t local_bytes;  /* max local memory per group */
    uint64_t memory_bytes; /* global memory */
    uint64_t max_buffer_bytes;
    uint64_t cache_bytes; /* size of the global memory cache that the driver reports; 0 if none, and
                             on NVIDIA, whose driver reports a wrong size */
    size_t max_group_items;
    size_t max_items[2];        /* max number of work-items of a group in x and y */
    double timer_resolution_ns; /* one tick of the clock that times events */
};

/* Lists the devices of all platforms, in OpenCL's order (at most 64 platforms, and 64 devices of
 * each); the caller frees *devices. Fails with BL_NO_PLATFORM if there is no platform, BL_NO_DEVICE
 * if no platform has a device, BL_OPENCL_FAILED or BL_NO_MEMORY. */
enum bl_status bl_devices_list(struct bl_device **devices, size_t *count, struct bl_error *error);

/* The machine that describes the device best (bl_machine_for). */
const struct bl_machine *bl_device_machine(const struct bl_device *device);

/* The sub-group size to require of a kernel whose requests should have this many lanes. Returns
 * `lanes` if the device is a GPU whose driver supports this size; otherwise 0, which means that no
 * size is required. A CPU gets 0 because it has no requests, and because PoCL 5 and 6 accept a
 * required size but ignore it. */
unsigned bl_device_required_lanes(const struct bl_device *device, unsigned lanes);

/* Whether predictions for this machine apply to the device. They do if bl_device_machine chooses
 * this machine for the device, or if the machine is from a file, because the user chose that
 * file. */
bool bl_device_is_described(const struct bl_device *device, const struct bl_machine *machine);

/* The number of bank arrays per compute unit: 1, or less than 1 on Intel, where several compute
 * units share an array. 0 if the machine does not describe the device. */
double bl_device_arrays_per_unit(const struct bl_device *device, const struct bl_machine *machine);

/* Chooses a device. The selector is NULL (the first GPU, or else the first device), an index
 * ("0:0", or "1" for the first device of platform 1), or a part of the device's name, platform or
 * card, ignoring case. Fails with BL_NO_DEVICE if no device matches, or with BL_AMBIGUOUS_DEVICE if
 * several match; the error lists the devices. Makes no OpenCL calls. */
enum bl_status bl_device_select(const struct bl_device devices[], size_t count,
                                const char *selector, const struct bl_device **chosen,
                                struct bl_error *error);

/* Lists the devices and chooses one of them. Fails like bl_devices_list and bl_device_select. The
 * caller frees *devices, also after a failure. */
enum bl_status bl_devices_choose(const char *selector, struct bl_device **devices, size_t *count,
                                 const struct bl_device **chosen, struct bl_error *error);

#endif
