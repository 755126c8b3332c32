#include <stdio.h>
#include <stdlib.h>

#include "cl/device.h"
#include "cli/commands.h"

enum bl_status bl_command_devices(const struct bl_options *options, struct bl_error *error)
{
    (void)options;
    static const char *const types[] = {"CPU", "GPU", "other"};
    struct bl_device *devices;
    size_t count;
    enum bl_status status = bl_devices_list(&devices, &count, error);
    const struct bl_device *chosen = NULL;
    if (status == BL_OK)
        status = bl_device_select(devices, count, NULL, &chosen, error);
    if (status != BL_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        const struct bl_device *device = &devices[i];
        const struct bl_machine *machine = bl_machine_for(device->vendor_id, device->type);
        printf("%u:%u  %s%s\n", device->platform_index, device->device_index, device->name,
               device == chosen ? "   (default)" : "");
        printf("     platform  %s, driver %s\n", device->platform_name, device->driver);
        printf("     device    %s, %u compute units at %u MHz, %llu KiB local memory a group, "
               "groups of up to %zu\n",
               types[device->type], device->compute_units, device->clock_mhz,
               (unsigned long long)device->local_bytes / 1024, device->max_group_items);
        printf("     machine   %s: %s\n", machine->name, machine->title);
        if (device->intel_generation && device->intel_generation != 9)
            printf(
                "               the guides, and so its description, are of generation 9, and this "
                "GPU is of\n               generation %u: lines, banks and widths may differ\n",
                device->intel_generation);
        if (!machine->has_rule)
            printf("               no predictions: %s\n", machine->why_no_rule);
        else if (device->warp_lanes && device->warp_lanes != machine->lanes)
            printf("               its description has %u lanes, and the driver says %u\n",
                   machine->lanes, device->warp_lanes);
    }
    free(devices);
    return BL_OK;
}
