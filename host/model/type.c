#include "model/type.h"

#include <stdio.h>
#include <string.h>

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

enum bl_status bl_type_named(const char *name, struct bl_type *type, struct bl_error *error)
{
    static const unsigned lengths[] = {1, 2, 3, 4, 8, 16};
    for (size_t s = 0; s < sizeof scalars / sizeof scalars[0]; s++)
        for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
            char own[16];
            if (lengths[l] == 1)
                snprintf(own, sizeof own, "%s", scalars[s].name);
            else
                snprintf(own, sizeof own, "%s%u", scalars[s].name, lengths[l]);
            if (strcmp(own, name) != 0)
                continue;
            *type = (struct bl_type)TYPE("", scalars[s].bytes, lengths[l],
                                         scalars[s].bytes * (lengths[l] == 3 ? 4 : lengths[l]), "");
            strcpy(type->name, own);
            strcpy(type->scalar, scalars[s].name);
            return BL_OK;
        }
    return bl_fail(error, BL_USAGE,
                   "no type is called '%s'; there are char, uchar, short, ushort, int, uint, long, "
                   "ulong, float and double, and vectors of 2, 3, 4, 8 and 16 such as float4",
                   name);
}
