/* The built-in machines: finding one by name, choosing one for a device, and handling banks that
 * are not certain. */
#include "model/machine_file.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

/* Generated from the files of machines/ at build time. */
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
    char names[512] = "", meant[128];
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

const char bl_banks_are_unknown[] =
    "nobody has published the banks of this GPU: bankline infer finds them";

unsigned bl_machine_alternatives(const struct bl_machine *machine)
{
    unsigned count = 0;
    while (count < BL_MAX_BANK_ALTERNATIVES && machine->banks_alternatives[count].count)
        count++;
    return count;
}

unsigned bl_machine_max_group_items(const struct bl_machine *machine)
{
    return machine->group_items_max;
}

struct bl_machine bl_machine_alternative(const struct bl_machine *machine, unsigned i)
{
    struct bl_machine one = *machine;
    one.banks = machine->banks_alternatives[i].count;
    one.bank_bytes = machine->banks_alternatives[i].bytes;
    memset(one.banks_alternatives, 0, sizeof one.banks_alternatives);
    return one;
}

static bool is_within(const struct bl_range ranges[], size_t max, unsigned number)
{
    for (size_t i = 0; i < max && ranges[i].from && number; i++)
        if (number >= ranges[i].from && number <= ranges[i].to)
            return true;
    return false;
}

/* Whether the text contains this part, ignoring case. */
static bool has_part(const char *text, const char *part, size_t length)
{
    for (; text && *text; text++)
        if (strncasecmp(text, part, length) == 0)
            return true;
    return false;
}

/* Whether one of the device's names contains one of the comma-separated parts ("navi2, gfx103"). */
static bool is_named(const struct bl_device_kind *kind, const char *parts)
{
    while (*(parts += strspn(parts, ", "))) {
        size_t length = strcspn(parts, ",");
        while (isspace((unsigned char)parts[length - 1]))
            length--;
        if (has_part(kind->name, parts, length) || has_part(kind->board, parts, length) ||
            has_part(kind->gfx, parts, length))
            return true;
        parts += strcspn(parts, ",");
    }
    return false;
}

/* Evidence that a device is of a machine's generation, from the least to the most reliable. */
enum evidence { NOT_THIS_GENERATION, ANY_GENERATION, BY_NAME, BY_ID, BY_VERSION };

/* The evidence that the device is of the machine's generation. */
static enum evidence generation(const struct bl_machine *machine, const struct bl_device_kind *kind)
{
    if (machine->capability_min)
        return kind->capability >= machine->capability_min &&
                       kind->capability <= machine->capability_max
                   ? BY_VERSION
                   : NOT_THIS_GENERATION;
    if (machine->ip_versions[0].from && kind->ip_version)
        return is_within(machine->ip_versions, BL_MAX_VERSIONS, kind->ip_version)
                   ? BY_VERSION
                   : NOT_THIS_GENERATION;
    if (is_within(machine->device_ids, BL_MAX_IDS, kind->device_id))
        return BY_ID;
    if (is_named(kind, machine->names))
        return BY_NAME;
    return machine->ip_versions[0].from || machine->device_ids[0].from || machine->names[0]
               ? NOT_THIS_GENERATION
               : ANY_GENERATION;
}

/* How well the machine fits the device; 0: not at all. The generation counts more than the vendor,
 * and the vendor more than the type. */
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
    const enum evidence of_generation = generation(machine, kind);
    if (of_generation == NOT_THIS_GENERATION)
        return 0;
    return (unsigned)(machine->device_type != BL_FOR_ANY) + 2u * is_vendor + 4u * of_generation;
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
