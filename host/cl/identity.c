#include "cl/identity.h"

#include <stdio.h>
#include <string.h>

#include "cl/call.h"

/* Of extensions that older headers lack, or never had. */
#ifndef CL_DEVICE_UUID_KHR
#define CL_DEVICE_UUID_KHR 0x106A
#endif
#ifndef CL_DEVICE_PCI_BUS_INFO_KHR
#define CL_DEVICE_PCI_BUS_INFO_KHR 0x410F
#endif
#ifndef CL_DEVICE_TOPOLOGY_AMD
#define CL_DEVICE_TOPOLOGY_AMD 0x4037
#endif
#define PCI_BUS_NV 0x4008
#define PCI_SLOT_NV 0x4009 /* device and function, three bits */
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

/* As cl_khr_pci_bus_info and the headers of AMD's extension have them. */
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

void bl_device_identify(struct bl_device *device)
{
    device->card[0] = '\0';
    device->card_is_unique = false;
    if (!find_uuid(device))
        find_address(device);
}
