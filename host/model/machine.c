#include "model/machine.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* From the files of machines/. */
extern const struct bl_machine bl_built_in_machines[];
extern const size_t bl_built_in_machine_count;

const struct bl_machine *bl_machines(size_t *count)
{
    *count = bl_built_in_machine_count;
    return bl_built_in_machines;
}

const char *bl_machine_name_now(const char *name)
{
    size_t count;
    const struct bl_machine *all = bl_machines(&count);
    for (size_t i = 0; i < count; i++)
        if (*name && strcmp(all[i].formerly, name) == 0)
            return all[i].name;
    return name;
}

enum bl_status bl_machine_find(const char *name, const struct bl_machine **machine,
                               struct bl_error *error)
{
    size_t count, used = 0;
    const struct bl_machine *all = bl_machines(&count);
    struct bl_nearest nearest = bl_nearest_begin(name);
    const char *now = bl_machine_name_now(name);
    char names[256] = "", meant[128];
    *machine = NULL;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(all[i].name, now) == 0) {
            *machine = &all[i];
            return BL_OK;
        }
        bl_nearest_offer(&nearest, all[i].name);
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
                                     all[i].name);
    }
    return bl_fail(error, BL_UNKNOWN_MACHINE, "unknown machine '%s'%s%s%s", name,
                   nearest.best ? "" : "; there are ",
                   nearest.best ? bl_did_you_mean(&nearest, meant) : names,
                   nearest.best ? "" : ", or give the path of a file");
}

/* How well the machine's description fits the device: 0, not at all; more for the type, the vendor
 * and the generation than for any. */
static unsigned fit(const struct bl_machine *machine, const struct bl_device_kind *kind)
{
    const enum bl_machine_devices own = kind->type == BL_DEVICE_CPU   ? BL_FOR_CPU
                                        : kind->type == BL_DEVICE_GPU ? BL_FOR_GPU
                                                                      : BL_FOR_ANY;
    if (machine->device_type != own && machine->device_type != BL_FOR_ANY)
        return 0;
    bool is_vendor = false;
    for (size_t i = 0; i < BL_MAX_VENDORS; i++)
        is_vendor |= machine->vendors[i] && machine->vendors[i] == kind->vendor_id;
    if (machine->vendors[0] && !is_vendor)
        return 0;
    const bool is_generation = machine->capability_min > 0;
    if (is_generation &&
        (kind->capability < machine->capability_min || kind->capability > machine->capability_max))
        return 0;
    return 1u + (machine->device_type != BL_FOR_ANY) + 2u * is_vendor + 4u * is_generation;
}

const struct bl_machine *bl_machine_for(const struct bl_device_kind *kind)
{
    size_t count;
    const struct bl_machine *all = bl_machines(&count), *best = &all[0];
    for (size_t i = 1; i < count; i++)
        if (fit(&all[i], kind) > fit(best, kind))
            best = &all[i];
    return best;
}
