/* Which card of its model a device is. */
#ifndef BANKLINE_CL_IDENTITY_H
#define BANKLINE_CL_IDENTITY_H

#include "cl/device.h"

/* Fills in device->card: the UUID of cl_khr_device_uuid, "5e8c6b0f-93a1-...", else where the card
 * is plugged in, "0000:17:00.0", by cl_khr_pci_bus_info or the extensions of NVIDIA and AMD; empty
 * where the driver tells neither, and where it refuses. NVIDIA's UUIDs are the card's own. Others'
 * are made of the PCI address by some drivers (Intel's without a serial number, Mesa's), so the
 * same one may be in several computers; device->card_is_unique says which it is. */
void bl_device_identify(struct bl_device *device);

#endif
