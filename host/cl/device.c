/* Lists the devices, queries their properties, and chooses one. Optional properties come from
 * extensions. If the query of an optional property fails, the property stays unknown: some drivers
 * list extensions that they do not fully support. */
#include "cl/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/cl_error.h"

/* Constants of extensions, for OpenCL headers that do not define them. */
#ifndef CL_DEVICE_UUID_KHR
#define CL_DEVICE_UUID_KHR 0x106A
#endif
#ifndef CL_DEVICE_PCI_BUS_INFO_KHR
#define CL_DEVICE_PCI_BUS_INFO_KHR 0x410F
#endif
#ifndef CL_DEVICE_TOPOLOGY_AMD
#define CL_DEVICE_TOPOLOGY_AMD 0x4037
#endif
#ifndef CL_DEVICE_BOARD_NAME_AMD
#define CL_DEVICE_BOARD_NAME_AMD 0x4038
#endif
#ifndef CL_DEVICE_GFXIP_MAJOR_AMD
#define CL_DEVICE_GFXIP_MAJOR_AMD 0x404A
#define CL_DEVICE_GFXIP_MINOR_AMD 0x404B
#endif
#ifndef CL_DEVICE_WARP_SIZE_NV
#define CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV 0x4000
#define CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV 0x4001
#define CL_DEVICE_WARP_SIZE_NV 0x4003
#endif
#ifndef CL_DEVICE_SUB_GROUP_SIZES_INTEL
#define CL_DEVICE_SUB_GROUP_SIZES_INTEL 0x4108
#endif
#ifndef CL_DEVICE_NUM_SLICES_INTEL
#define CL_DEVICE_IP_VERSION_INTEL 0x4250
#define CL_DEVICE_ID_INTEL 0x4251
#define CL_DEVICE_NUM_SLICES_INTEL 0x4252
#define CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL 0x4253
#endif
#define PCI_BUS_NV 0x4008
#define PCI_SLOT_NV 0x4009 /* 8 * the device's number + the function's number */
#define PCI_DOMAIN_NV 0x400A

enum { NVIDIA = 0x10de, UUID_BYTES = 16, PCIE = 1 };

static bool ask(const struct bl_device *device, cl_device_info what, size_t size, void *value)
{
    return clGetDeviceInfo(device->id, what, size, value, NULL) == CL_SUCCESS;
}

static bool find_uuid(struct bl_device *device)
{
    unsigned char uuid[UUID_BYTES] = {0}, none[UUID_BYTES] = {0};
    if (!bl_cl_has_extension(device->id, "cl_khr_device_uuid") ||
        !ask(device, CL_DEVICE_UUID_KHR, sizeof uuid, uuid) || memcmp(uuid, none, sizeof uuid) == 0)
        return false;
    char *text = device->card;
    for (unsigned i = 0; i < UUID_BYTES; i++)
        text += sprintf(text, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", uuid[i]);
    device->card_is_unique = device->vendor_id == NVIDIA;
    return true;
}

static void put_address(struct bl_device *device, cl_uint domain, cl_uint bus, cl_uint slot,
                        cl_uint function)
{
    snprintf(device->card, sizeof device->card, "%04x:%02x:%02x.%x", domain, bus, slot, function);
}

/* The structs that cl_khr_pci_bus_info and AMD's extension return. */
struct pci_bus_info {
    cl_uint domain, bus, device, function;
};
struct amd_topology {
    cl_uint type;
    cl_char unused[17], bus, device, function;
};

static void find_address(struct bl_device *device)
{
    struct pci_bus_info info;
    struct amd_topology topology;
    cl_uint bus, slot, domain = 0;
    if (bl_cl_has_extension(device->id, "cl_khr_pci_bus_info") &&
        ask(device, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof info, &info)) {
        put_address(device, info.domain, info.bus, info.device, info.function);
    } else if (bl_cl_has_extension(device->id, "cl_nv_device_attribute_query") &&
               ask(device, PCI_BUS_NV, sizeof bus, &bus) &&
               ask(device, PCI_SLOT_NV, sizeof slot, &slot)) {
        ask(device, PCI_DOMAIN_NV, sizeof domain, &domain);
        put_address(device, domain, bus, slot >> 3, slot & 7);
    } else if (bl_cl_has_extension(device->id, "cl_amd_device_attribute_query") &&
               ask(device, CL_DEVICE_TOPOLOGY_AMD, sizeof topology, &topology) &&
               topology.type == PCIE) {
        put_address(device, 0, (cl_uchar)topology.bus, (cl_uchar)topology.device,
                    (cl_uchar)topology.function);
    }
}

/* Fills in device->card: the UUID of cl_khr_device_uuid ("5e8c6b0f-93a1-..."), or else the PCI
 * address ("0000:17:00.0") from cl_khr_pci_bus_info or an extension of NVIDIA or AMD. The text
 * stays empty if the driver reports neither.
 *
 * Also sets device->card_is_unique, which is true for NVIDIA's UUIDs, because they belong to the
 * card. Some other drivers derive the UUID from the PCI address (Mesa's, and Intel's for cards
 * without a serial number), so cards of several hosts may have the same UUID. */
static void device_identify(struct bl_device *device)
{
    if (!find_uuid(device))
        find_address(device);
}

/* Reads a number at *text and advances *text past it. Returns false if there are no digits. */
static bool read_index(const char **text, unsigned long *index)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    *index = strtoul(*text, &end, 10);
    *text = end;
    return true;
}

/* Whether the selector is an index: "0:0", or "1" for the first device of platform 1. A selector
 * that consists of digits is always an index, never a part of a name. */
static bool is_index(const char *selector, unsigned long *platform, unsigned long *device)
{
    *device = 0;
    return read_index(&selector, platform) &&
           (!*selector || (*selector++ == ':' && read_index(&selector, device) && !*selector));
}

static bool matches(const struct bl_device *device, const char *selector)
{
    unsigned long platform_index, device_index;
    if (is_index(selector, &platform_index, &device_index))
        return device->platform_index == platform_index && device->device_index == device_index;
    return strcasestr(device->name, selector) || strcasestr(device->platform_name, selector) ||
           strcasestr(device->card, selector);
}

/* Writes the devices that match the selector, or all devices if it is NULL, as "0:0 NAME, 1:0
 * NAME". */
static void name_devices(const struct bl_device devices[], size_t count, const char *selector,
                         char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        if (selector && !matches(&devices[i], selector))
            continue;
        const int wrote =
            snprintf(text + used, size - used, "%s%u:%u %s", used ? ", " : "",
                     devices[i].platform_index, devices[i].device_index, devices[i].name);
        if (wrote < 0 || (size_t)wrote >= size - used)
            return;
        used += (size_t)wrote;
    }
}

enum bl_status bl_device_select(const struct bl_device devices[], size_t count,
                                const char *selector, const struct bl_device **chosen,
                                struct bl_error *error)
{
    *chosen = NULL;
    if (count == 0)
        return bl_fail(error, BL_NO_DEVICE,
                       "no OpenCL device; install a GPU's driver, or "
                       "pocl-opencl-icd for the CPU");
    if (!selector) {
        *chosen = &devices[0];
        for (size_t i = count; i-- > 0;)
            if (devices[i].type == BL_DEVICE_GPU)
                *chosen = &devices[i];
        return BL_OK;
    }
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (matches(&devices[i], selector)) {
            *chosen = &devices[i];
            found++;
        }
    if (found == 1)
        return BL_OK;
    char names[512];
    *chosen = NULL;
    name_devices(devices, count, found ? selector : NULL, names, sizeof names);
    if (found == 0)
        return bl_fail(error, BL_NO_DEVICE, "no device matches '%s'; available: %s", selector,
                       names);
    return bl_fail(error, BL_AMBIGUOUS_DEVICE,
                   "'%s' matches %zu devices; choose one by its index: %s", selector, found, names);
}

enum { MAX_PLATFORMS = 64, MAX_DEVICES = 64 };

static cl_int get_info(const struct bl_device *device, bool of_platform, unsigned what, size_t size,
                       void *value, size_t *needed)
{
    return of_platform ? clGetPlatformInfo(device->platform, what, size, value, needed)
                       : clGetDeviceInfo(device->id, what, size, value, needed);
}

/* Copies a text property of the device or its platform, without leading blanks, cut at 127
 * bytes. */
static enum bl_status get_text(const struct bl_device *device, bool of_platform, unsigned what,
                               char text[128], struct bl_error *error)
{
    const char *call = of_platform ? "clGetPlatformInfo" : "clGetDeviceInfo";
    size_t needed = 0;
    enum bl_status status =
        bl_cl_check(get_info(device, of_platform, what, 0, NULL, &needed), call, error);
    if (status != BL_OK || needed == 0)
        return status;
    char *whole = calloc(needed + 1, 1);
    if (!whole)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while reading a device's name");
    status = bl_cl_check(get_info(device, of_platform, what, needed, whole, NULL), call, error);
    strncat(text, whole + strspn(whole, " "), 127);
    free(whole);
    return status;
}

static void describe_nvidia(struct bl_device *device)
{
    cl_uint lanes, major, minor;
    if (ask(device, CL_DEVICE_WARP_SIZE_NV, sizeof lanes, &lanes))
        device->warp_lanes = lanes;
    if (ask(device, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, sizeof major, &major) &&
        ask(device, CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV, sizeof minor, &minor))
        device->capability = 10 * major + minor;
}

/* Converts the version that an Intel driver reports to a BL_IP_VERSION. Bits 22 and up are the
 * architecture, bits 14 to 21 the release. Until 2023, drivers used bits 16 and up for the
 * architecture and bits 8 to 15 for the release, and numbered some releases differently (12.7 for
 * today's 12.55 to 12.57). */
static unsigned ip_version(cl_uint reported)
{
    return reported >> 22 ? BL_IP_VERSION(reported >> 22, reported >> 14 & 0xff)
                          : BL_IP_VERSION(reported >> 16, reported >> 8 & 0xff);
}

static void describe_intel(struct bl_device *device)
{
    cl_uint slices, sub_slices, version, id;
    if (ask(device, CL_DEVICE_IP_VERSION_INTEL, sizeof version, &version))
        device->ip_version = ip_version(version);
    if (ask(device, CL_DEVICE_ID_INTEL, sizeof id, &id))
        device->pci_id = id;
    if (ask(device, CL_DEVICE_NUM_SLICES_INTEL, sizeof slices, &slices) &&
        ask(device, CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL, sizeof sub_slices, &sub_slices) &&
        slices * sub_slices > 0)
        device->bank_arrays = slices * sub_slices;
}

static void describe_amd(struct bl_device *device)
{
    cl_uint major, minor;
    if (!ask(device, CL_DEVICE_BOARD_NAME_AMD, sizeof device->board - 1, device->board))
        device->board[0] = '\0';
    if (ask(device, CL_DEVICE_GFXIP_MAJOR_AMD, sizeof major, &major) &&
        ask(device, CL_DEVICE_GFXIP_MINOR_AMD, sizeof minor, &minor))
        snprintf(device->gfx, sizeof device->gfx, "gfx%u%x", major, minor);
}

/* Queries properties that only some vendors report. If a query fails, the field keeps its value. */
static void describe_extensions(struct bl_device *device)
{
    if (bl_cl_has_extension(device->id, "cl_nv_device_attribute_query"))
        describe_nvidia(device);
    if (bl_cl_has_extension(device->id, "cl_intel_device_attribute_query"))
        describe_intel(device);
    if (bl_cl_has_extension(device->id, "cl_amd_device_attribute_query"))
        describe_amd(device);
    if (bl_cl_has_extension(device->id, "cl_intel_required_subgroup_size")) {
        size_t sizes[BL_MAX_SUB_GROUP_SIZES], bytes = 0;
        if (clGetDeviceInfo(device->id, CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes,
                            &bytes) == CL_SUCCESS)
            for (size_t i = 0; i < bytes / sizeof sizes[0]; i++)
                device->sub_group_sizes[i] = (unsigned)sizes[i];
    }
    device->has_sub_groups =
        device->sub_group_sizes[0] || bl_cl_has_extension(device->id, "cl_khr_subgroups");
    device->shares_registers = bl_cl_has_extension(device->id, "cl_intel_subgroups");
    device->has_double = bl_cl_has_extension(device->id, "cl_khr_fp64");
}

static enum bl_status describe(struct bl_device *device, struct bl_error *error)
{
    cl_device_type type = 0;
    size_t max_items[16] = {0}, resolution_ns = 0;
    const struct {
        cl_device_info what;
        size_t size;
        void *value;
    } wanted[] = {
        {CL_DEVICE_TYPE, sizeof type, &type},
        {CL_DEVICE_VENDOR_ID, sizeof device->vendor_id, &device->vendor_id},
        {CL_DEVICE_MAX_COMPUTE_UNITS, sizeof device->compute_units, &device->compute_units},
        {CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof device->clock_mhz, &device->clock_mhz},
        {CL_DEVICE_LOCAL_MEM_SIZE, sizeof device->local_bytes, &device->local_bytes},
        {CL_DEVICE_GLOBAL_MEM_SIZE, sizeof device->memory_bytes, &device->memory_bytes},
        {CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof device->max_buffer_bytes, &device->max_buffer_bytes},
        {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof device->cache_bytes, &device->cache_bytes},
        {CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof device->max_group_items, &device->max_group_items},
        {CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof max_items, max_items},
        {CL_DEVICE_PROFILING_TIMER_RESOLUTION, sizeof resolution_ns, &resolution_ns},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        const enum bl_status status = bl_cl_check(
            clGetDeviceInfo(device->id, wanted[i].what, wanted[i].size, wanted[i].value, NULL),
            "clGetDeviceInfo", error);
        if (status != BL_OK)
            return status;
    }
    device->type = type & CL_DEVICE_TYPE_GPU   ? BL_DEVICE_GPU
                   : type & CL_DEVICE_TYPE_CPU ? BL_DEVICE_CPU
                                               : BL_DEVICE_OTHER;
    device->max_items[0] = max_items[0];
    device->max_items[1] = max_items[1];
    device->timer_resolution_ns = (double)resolution_ns;
    device->bank_arrays = device->compute_units;
    describe_extensions(device);
    device_identify(device);
    /* NVIDIA's driver reports a size that no cache of the GPU has: 4224 KiB on an H100, which is 32
     * KiB per compute unit. */
    if (device->warp_lanes)
        device->cache_bytes = 0;
    enum bl_status status = get_text(device, true, CL_PLATFORM_NAME, device->platform_name, error);
    if (status == BL_OK)
        status = get_text(device, false, CL_DEVICE_NAME, device->name, error);
    if (status == BL_OK)
        status = get_text(device, false, CL_DRIVER_VERSION, device->driver, error);
    return status;
}

static enum bl_status add_platform(cl_platform_id platform, unsigned index,
                                   struct bl_device **devices, size_t *count,
                                   struct bl_error *error)
{
    cl_device_id ids[MAX_DEVICES];
    cl_uint found = 0;
    const cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MAX_DEVICES, ids, &found);
    if (code == CL_DEVICE_NOT_FOUND)
        return BL_OK;
    enum bl_status status = bl_cl_check(code, "clGetDeviceIDs", error);
    if (status != BL_OK)
        return status;
    if (found > MAX_DEVICES)
        found = MAX_DEVICES;
    struct bl_device *more = realloc(*devices, (*count + found) * sizeof **devices);
    if (!more)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while listing %u devices", found);
    *devices = more;
    for (unsigned i = 0; i < found && status == BL_OK; i++) {
        struct bl_device *device = &more[*count];
        *device = (struct bl_device){
            .id = ids[i], .platform = platform, .platform_index = index, .device_index = i};
        status = describe(device, error);
        *count += status == BL_OK;
    }
    return status;
}

enum bl_status bl_devices_list(struct bl_device **devices, size_t *count, struct bl_error *error)
{
    *devices = NULL;
    *count = 0;
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint found = 0;
    const cl_int code = clGetPlatformIDs(MAX_PLATFORMS, platforms, &found);
    if (code == CL_PLATFORM_NOT_FOUND_KHR || (code == CL_SUCCESS && found == 0))
        return bl_fail(
            error, BL_NO_PLATFORM,
            "no OpenCL platform; install a driver (for Intel GPUs intel-opencl-icd, or on "
            "Debian 13, which lacks that package, mesa-opencl-icd; for the CPU "
            "pocl-opencl-icd) and check that /etc/OpenCL/vendors lists the driver");
    enum bl_status status = bl_cl_check(code, "clGetPlatformIDs", error);
    if (found > MAX_PLATFORMS)
        found = MAX_PLATFORMS;
    for (unsigned i = 0; i < found && status == BL_OK; i++)
        status = add_platform(platforms[i], i, devices, count, error);
    if (status == BL_OK && *count == 0)
        status = bl_fail(
            error, BL_NO_DEVICE,
            "%u OpenCL platform%s, but no device; check that you may read the device's file "
            "(such as /dev/dri/renderD128)",
            found, found == 1 ? "" : "s");
    if (status != BL_OK) {
        free(*devices);
        *devices = NULL;
        *count = 0;
    }
    return status;
}

enum bl_status bl_devices_choose(const char *selector, struct bl_device **devices, size_t *count,
                                 const struct bl_device **chosen, struct bl_error *error)
{
    *chosen = NULL;
    const enum bl_status status = bl_devices_list(devices, count, error);
    return status == BL_OK ? bl_device_select(*devices, *count, selector, chosen, error) : status;
}

unsigned bl_device_required_lanes(const struct bl_device *device, unsigned lanes)
{
    for (size_t i = 0; i < BL_MAX_SUB_GROUP_SIZES && device->type == BL_DEVICE_GPU; i++)
        if (device->sub_group_sizes[i] == lanes)
            return lanes;
    return 0;
}

bool bl_device_is_described(const struct bl_device *device, const struct bl_machine *machine)
{
    size_t count;
    const struct bl_machine *built_in = bl_machines(&count);
    const bool is_built_in = machine >= built_in && machine < built_in + count;
    return !is_built_in || machine == bl_device_machine(device);
}

double bl_device_arrays_per_unit(const struct bl_device *device, const struct bl_machine *machine)
{
    if (!bl_device_is_described(device, machine) || device->compute_units == 0)
        return 0;
    return (double)device->bank_arrays / device->compute_units;
}

const struct bl_machine *bl_device_machine(const struct bl_device *device)
{
    const struct bl_device_kind kind = {
        .type = device->type,
        .vendor_id = device->vendor_id,
        .capability = device->capability,
        .ip_version = device->ip_version,
        .device_id = device->pci_id,
        .name = device->name,
        .board = device->board,
        .gfx = device->gfx,
    };
    return bl_machine_for(&kind);
}
