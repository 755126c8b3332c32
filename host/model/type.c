/* The table of types, and finding one by name. */
#include "model/type.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define TYPE(name, component_bytes, components, element_bytes, scalar)                             \
    {                                                                                              \
        name, component_bytes, components, element_bytes, (component_bytes) * (components), scalar \
    }

const struct bl_type bl_type_uchar = TYPE("uchar", 1, 1, 1, "uchar");
const struct bl_type bl_type_ushort = TYPE("ushort", 2, 1, 2, "ushort");
const struct bl_type bl_type_int = TYPE("int", 4, 1, 4, "int");
const struct bl_type bl_type_int2 = TYPE("int2", 4, 2, 8, "int");
const struct bl_type bl_type_int3 = TYPE("int3", 4, 3, 16, "int");
const struct bl_type bl_type_int4 = TYPE("int4", 4, 4, 16, "int");

static const struct {
    char name[8];
    unsigned bytes;
} scalars[] = {
    {"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2}, {"int", 4},
    {"uint", 4}, {"long", 8},  {"ulong", 8}, {"float", 4},  {"double", 8},
};

enum { SCALARS = sizeof scalars / sizeof scalars[0] };

static const unsigned lengths[] = {1, 2, 3, 4, 8, 16};

enum { LENGTHS = sizeof lengths / sizeof lengths[0] };

bool bl_type_name_at(size_t i, char name[16])
{
    if (i >= SCALARS * LENGTHS)
        return false;
    const unsigned length = lengths[i % LENGTHS];
    if (length == 1)
        snprintf(name, 16, "%s", scalars[i / LENGTHS].name);
    else
        snprintf(name, 16, "%s%u", scalars[i / LENGTHS].name, length);
    return true;
}

enum bl_status bl_type_named(const char *name, struct bl_type *type, struct bl_error *error)
{
    char names[SCALARS * LENGTHS][16], meant[128];
    struct bl_nearest nearest = bl_nearest_begin(name);
    for (size_t i = 0; i < SCALARS * LENGTHS; i++) {
        bl_type_name_at(i, names[i]);
        bl_nearest_offer(&nearest, names[i]);
        if (strcmp(names[i], name) != 0)
            continue;
        const unsigned length = lengths[i % LENGTHS], bytes = scalars[i / LENGTHS].bytes;
        *type = (struct bl_type)TYPE("", bytes, length, bytes * (length == 3 ? 4 : length), "");
        strcpy(type->name, names[i]);
        strcpy(type->scalar, scalars[i / LENGTHS].name);
        return BL_OK;
    }
    return bl_fail(error, BL_USAGE, "unknown type '%s'%s", name,
                   nearest.best ? bl_did_you_mean(&nearest, meant)
                                : "; there are char, uchar, short, ushort, int, uint, long, ulong, "
                                  "float and double, and vectors of 2, 3, 4, 8 and 16 such as "
                                  "float4");
}
