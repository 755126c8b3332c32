/* A layer in which every device reports the properties in BANKLINE_TEST_PRETEND, a list of
 * KEY=NUMBER. The device computes as without the layer. The keys are:
 *
 *  - vendor, type: as OpenCL numbers them
 *  - warp: NVIDIA's warp size; capability: the compute capability times 10 (needs warp)
 *  - ip, id, slices: Intel's hardware version, device id and number of slices; each slice has as
 *    many sub-slices as there are slices
 *  - gfx: AMD's version, 256 times the major number plus the minor number
 *  - uuid: the first 8 bytes of the card's UUID
 *  - pci, nv_pci, amd_pci: the card's PCI address by the extension of Khronos, NVIDIA or AMD
 *  - sub_group: a sub-group size that can be required
 *  - runs: the size of the sub-groups in which kernels run
 *  - devices: the number of devices
 *  - local: bytes of local memory; launches that need more are refused
 *  - kernel_local: bytes of local memory that every kernel named read_pattern reports. The two
 *    kernels of local_report.cl then report 0 and 64 bytes, even on PoCL 6, which reports no local
 *    memory. */

#include <stdbool.h>

#include "layer.h"
#include <CL/cl_ext.h>

static const char *const keys[] = {"vendor",    "type",    "warp",       "ip",    "slices",
                                   "sub_group", "devices", "capability", "uuid",  "pci",
                                   "nv_pci",    "amd_pci", "runs",       "local", "kernel_local",
                                   "id",        "gfx"};
enum {
    VENDOR,
    TYPE,
    WARP,
    IP,
    SLICES,
    SUB_GROUP,
    DEVICES,
    CAPABILITY,
    UUID,
    PCI,
    NV_PCI,
    AMD_PCI,
    RUNS,
    LOCAL,
    KERNEL_LOCAL,
    ID,
    GFX,
    KEYS
};
static unsigned long long values[KEYS];
static bool is_given[KEYS];

static cl_int answer(const void *from, size_t bytes, size_t capacity, void *to, size_t *needed)
{
    if (to && capacity < bytes)
        return CL_INVALID_VALUE;
    if (to)
        memcpy(to, from, bytes);
    if (needed)
        *needed = bytes;
    return CL_SUCCESS;
}

static cl_int answer_uint(unsigned long long value, size_t capacity, void *to, size_t *needed)
{
    const cl_uint number = (cl_uint)value;
    return answer(&number, sizeof number, capacity, to, needed);
}

/* Answers queries for the card's UUID and PCI address. Returns CL_INVALID_VALUE for any other
 * query. */
static cl_int card_info(cl_device_info what, size_t capacity, void *to, size_t *needed)
{
    unsigned char uuid[16] = {0};
    const unsigned long long nv = values[NV_PCI], amd = values[AMD_PCI], khr = values[PCI];
    const cl_uint bus_info[] = {(cl_uint)(khr >> 16), khr >> 8 & 0xff, khr >> 4 & 0xf, khr & 0xf};
    unsigned char topology[24] = {1};
    for (unsigned i = 0; i < 8; i++)
        uuid[i] = (unsigned char)(values[UUID] >> (56 - 8 * i));
    topology[21] = amd >> 8 & 0xff;
    topology[22] = amd >> 4 & 0xf;
    topology[23] = amd & 0xf;
    if (what == 0x106A && is_given[UUID])
        return answer(uuid, sizeof uuid, capacity, to, needed);
    if (what == 0x410F && is_given[PCI])
        return answer(bus_info, sizeof bus_info, capacity, to, needed);
    if (what == 0x4008 && is_given[NV_PCI])
        return answer_uint(nv >> 8 & 0xff, capacity, to, needed);
    if (what == 0x4009 && is_given[NV_PCI])
        return answer_uint((nv >> 4 & 0xf) << 3 | (nv & 0x7), capacity, to, needed);
    if (what == 0x400A && is_given[NV_PCI])
        return answer_uint(nv >> 16, capacity, to, needed);
    if (what == CL_DEVICE_TOPOLOGY_AMD && is_given[AMD_PCI])
        return answer(topology, sizeof topology, capacity, to, needed);
    return CL_INVALID_VALUE;
}

static bool takes_too_much; /* whether the kernel whose arguments were set last needs too much local
                               memory */

static cl_int CL_API_CALL set_argument(cl_kernel kernel, cl_uint index, size_t bytes,
                                       const void *value)
{
    if (index == 0)
        takes_too_much = false;
    if (!value && bytes > values[LOCAL])
        takes_too_much = true;
    return real->clSetKernelArg(kernel, index, bytes, value);
}

static cl_int CL_API_CALL enqueue(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                  const size_t *offset, const size_t *global, const size_t *local,
                                  cl_uint count, const cl_event *list, cl_event *event)
{
    return takes_too_much ? CL_OUT_OF_RESOURCES
                          : real->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global,
                                                         local, count, list, event);
}

static cl_int CL_API_CALL group_info(cl_kernel kernel, cl_device_id device,
                                     cl_kernel_work_group_info what, size_t capacity, void *to,
                                     size_t *needed)
{
    const cl_ulong one = values[KERNEL_LOCAL], some = 64, none = 0;
    char name[64] = "";
    real->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
    const cl_ulong *const local = strcmp(name, "read_pattern") == 0    ? &one
                                  : strcmp(name, "with_local") == 0    ? &some
                                  : strcmp(name, "without_local") == 0 ? &none
                                                                       : NULL;
    return what == CL_KERNEL_LOCAL_MEM_SIZE && local
               ? answer(local, sizeof *local, capacity, to, needed)
               : real->clGetKernelWorkGroupInfo(kernel, device, what, capacity, to, needed);
}

static cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, size_t capacity,
                                      void *to, size_t *needed)
{
    char extensions[256];
    const cl_device_type type = values[TYPE];
    const cl_ulong local = values[LOCAL];
    const size_t sub_groups[] = {8, (size_t)values[SUB_GROUP]};
    if (what == CL_DEVICE_VENDOR_ID && is_given[VENDOR])
        return answer_uint(values[VENDOR], capacity, to, needed);
    if (what == CL_DEVICE_TYPE && is_given[TYPE])
        return answer(&type, sizeof type, capacity, to, needed);
    if (what == CL_DEVICE_LOCAL_MEM_SIZE && is_given[LOCAL])
        return answer(&local, sizeof local, capacity, to, needed);
    if (what == CL_DEVICE_WARP_SIZE_NV && is_given[WARP])
        return answer_uint(values[WARP], capacity, to, needed);
    if (what == CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV && is_given[CAPABILITY])
        return answer_uint(values[CAPABILITY] / 10, capacity, to, needed);
    if (what == CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV && is_given[CAPABILITY])
        return answer_uint(values[CAPABILITY] % 10, capacity, to, needed);
    if (what == CL_DEVICE_IP_VERSION_INTEL && is_given[IP])
        return answer_uint(values[IP], capacity, to, needed);
    if (what == CL_DEVICE_ID_INTEL && is_given[ID])
        return answer_uint(values[ID], capacity, to, needed);
    if (what == 0x404A && is_given[GFX]) /* CL_DEVICE_GFXIP_MAJOR_AMD; 0x404B is the minor number */
        return answer_uint(values[GFX] / 256, capacity, to, needed);
    if (what == 0x404B && is_given[GFX])
        return answer_uint(values[GFX] % 256, capacity, to, needed);
    if ((what == CL_DEVICE_NUM_SLICES_INTEL || what == CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL) &&
        is_given[SLICES])
        return answer_uint(values[SLICES], capacity, to, needed);
    if (what == CL_DEVICE_SUB_GROUP_SIZES_INTEL && is_given[SUB_GROUP])
        return answer(sub_groups, sizeof sub_groups, capacity, to, needed);
    if (card_info(what, capacity, to, needed) == CL_SUCCESS)
        return CL_SUCCESS;
    if (what != CL_DEVICE_EXTENSIONS)
        return real->clGetDeviceInfo(device, what, capacity, to, needed);
    snprintf(extensions, sizeof extensions, "cl_khr_byte_addressable_store%s%s%s%s%s%s%s ",
             is_given[WARP] || is_given[NV_PCI] ? " cl_nv_device_attribute_query" : "",
             is_given[IP] || is_given[SLICES] || is_given[ID] ? " cl_intel_device_attribute_query"
                                                              : "",
             is_given[SUB_GROUP] ? " cl_intel_required_subgroup_size" : "",
             is_given[RUNS] ? " cl_khr_subgroups" : "", is_given[UUID] ? " cl_khr_device_uuid" : "",
             is_given[PCI] ? " cl_khr_pci_bus_info" : "",
             is_given[AMD_PCI] || is_given[GFX] ? " cl_amd_device_attribute_query" : "");
    return answer(extensions, strlen(extensions) + 1, capacity, to, needed);
}

static cl_int CL_API_CALL sub_group_info(cl_kernel kernel, cl_device_id device, cl_uint what,
                                         size_t bytes, const void *shape, size_t capacity, void *to,
                                         size_t *needed)
{
    (void)kernel, (void)device, (void)what, (void)bytes, (void)shape;
    if (!is_given[RUNS])
        return CL_INVALID_VALUE;
    const size_t lanes = (size_t)values[RUNS];
    return answer(&lanes, sizeof lanes, capacity, to, needed);
}

static void *CL_API_CALL function_address(cl_platform_id platform, const char *name)
{
    if (strcmp(name, "clGetKernelSubGroupInfoKHR") == 0)
        return (void *)(uintptr_t)sub_group_info;
    return real->clGetExtensionFunctionAddressForPlatform(platform, name);
}

/* Lists the first device as many times as BANKLINE_TEST_PRETEND says. */
static cl_int CL_API_CALL devices(cl_platform_id platform, cl_device_type type, cl_uint capacity,
                                  cl_device_id *ids, cl_uint *count)
{
    cl_device_id first;
    const cl_int code = real->clGetDeviceIDs(platform, type, 1, &first, NULL);
    for (cl_uint i = 0; code == CL_SUCCESS && i < capacity && i < values[DEVICES]; i++)
        ids[i] = first;
    if (code == CL_SUCCESS && count)
        *count = (cl_uint)values[DEVICES];
    return code;
}

static cl_int hook(struct _cl_icd_dispatch *dispatch)
{
    const char *at = getenv("BANKLINE_TEST_PRETEND");
    while (at && *at) {
        char *end;
        size_t k = 0;
        while (k < KEYS &&
               (strncmp(at, keys[k], strlen(keys[k])) != 0 || at[strlen(keys[k])] != '='))
            k++;
        if (k == KEYS)
            return CL_INVALID_VALUE;
        values[k] = strtoull(at + strlen(keys[k]) + 1, &end, 0);
        is_given[k] = true;
        at = end + strspn(end, " ");
    }
    fputs("layer: pretend\n", stderr);
    dispatch->clGetDeviceInfo = device_info;
    if (is_given[RUNS] || is_given[SUB_GROUP])
        dispatch->clGetExtensionFunctionAddressForPlatform = function_address;
    if (is_given[LOCAL]) {
        dispatch->clSetKernelArg = set_argument;
        dispatch->clEnqueueNDRangeKernel = enqueue;
    }
    if (is_given[KERNEL_LOCAL])
        dispatch->clGetKernelWorkGroupInfo = group_info;
    if (is_given[DEVICES])
        dispatch->clGetDeviceIDs = devices;
    return CL_SUCCESS;
}
