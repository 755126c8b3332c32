#include "model/machine.h"

#include <stdio.h>
#include <string.h>

enum { VENDOR_INTEL = 0x8086, VENDOR_NVIDIA = 0x10de };

static const struct bl_machine machines[] = {
    {
        .name = "intel-gen9",
        .title = "the machine that Intel's guides describe",
        .has_rule = true,
        .lanes = 16,
        .line_bytes = 64,
        .lines_per_clock = 1,
        .banks = 16,
        .bank_bytes = 4,
        .constant_is_global = true,
        .widest_bytes = 16,
        .widest_components = 4,
        .unrolled_reads = 64,
        .global_sub_groups_per_cu = 128,
        /* A compute unit is an EU here, eight a sub-slice; a group that uses a barrier takes one
         * of the 16 slots of a sub-slice. */
        .local_sub_groups_per_cu = 2,
    },
    {
        .name = "nvidia",
        .title = "NVIDIA GPUs with a unified L1 and shared memory",
        .has_rule = true,
        .lanes = 32,
        .line_bytes = 128,
        .sector_bytes = 32,
        .tag_masks = {0xded5da, 0x95af6f},
        .tag_bits = 2,
        .lines_per_clock = 1,
        .cache_bytes = 128 * 1024, /* where no local memory is carved from it; an H100 has more */
        .banks = 32,
        .bank_bytes = 4,
        .banks_serve_global = true,
        .wide_in_parts = true,
        .widest_bytes = 16,
        .widest_components = 4,
        .three_is_two_and_one = true,
        .local_reads_three_as_four = true,
        .sectors_written_per_clock = 1,
        .unrolled_reads = 64,
        .global_sub_groups_per_cu = 128,
        .local_sub_groups_per_cu = 24, /* tiles of 8064 B: 25 fit into 228 KiB, each + 1 KiB */
    },
    {
        .name = "cpu",
        .title = "any CPU: measured, not predicted",
        .why_no_rule = "a CPU runs the work-items of a group as a loop: it has no requests of "
                       "many lanes and no banks, so the guides' rules do not speak of it",
        .lanes = 16,
        .line_bytes = 64,
        .lines_per_clock = 1,
        .banks = 16,
        .bank_bytes = 4,
        .widest_bytes = 16,
        .widest_components = 4,
        .unrolled_reads = 16,
        .global_sub_groups_per_cu = 128,
        .local_sub_groups_per_cu = 128,
    },
    {
        .name = "unknown",
        .title = "a device that no built-in description fits: measured, not predicted",
        .why_no_rule = "no built-in machine describes this device; name the nearest one with "
                       "--machine to hold it against that rule",
        .lanes = 16,
        .line_bytes = 64,
        .lines_per_clock = 1,
        .banks = 32,
        .bank_bytes = 4,
        .widest_bytes = 16,
        .widest_components = 4,
        .unrolled_reads = 64,
        .global_sub_groups_per_cu = 128,
        .local_sub_groups_per_cu = 24,
    },
};

const struct bl_machine *bl_machines(size_t *count)
{
    *count = sizeof machines / sizeof machines[0];
    return machines;
}

static const struct bl_machine *find(const char *name)
{
    size_t count;
    const struct bl_machine *all = bl_machines(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i].name, name) == 0)
            return &all[i];
    return NULL;
}

enum bl_status bl_machine_find(const char *name, const struct bl_machine **machine,
                               struct bl_error *error)
{
    *machine = find(name);
    if (*machine)
        return BL_OK;
    char names[256] = "";
    size_t count, used = 0;
    const struct bl_machine *all = bl_machines(&count);
    for (size_t i = 0; i < count && used < sizeof names; i++)
        used +=
            (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", all[i].name);
    return bl_fail(error, BL_UNKNOWN_MACHINE, "no machine is called '%s'; there are %s", name,
                   names);
}

const struct bl_machine *bl_machine_for(unsigned vendor_id, enum bl_device_type type)
{
    if (type == BL_DEVICE_CPU)
        return find("cpu");
    if (type == BL_DEVICE_GPU && vendor_id == VENDOR_INTEL)
        return find("intel-gen9");
    if (type == BL_DEVICE_GPU && vendor_id == VENDOR_NVIDIA)
        return find("nvidia");
    return find("unknown");
}
