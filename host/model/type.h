/* Element types of arrays: OpenCL C's scalars of 1 to 8 bytes and their vectors. */
#ifndef BANKLINE_MODEL_TYPE_H
#define BANKLINE_MODEL_TYPE_H

#include <stdbool.h>

#include "base/status.h"

struct bl_type {
    char name[16];            /* as in OpenCL C */
    unsigned component_bytes; /* 1, 2, 4 or 8 */
    unsigned components;      /* 1, 2, 3, 4, 8 or 16 */
    unsigned element_bytes;   /* distance between neighbours in an array */
    unsigned access_bytes;    /* bytes that a work-item uses: 12 of the 16 of an int3 */
    char scalar[8];           /* name of a component's type */
};

extern const struct bl_type bl_type_uchar, bl_type_ushort, bl_type_int, bl_type_int2, bl_type_int3,
    bl_type_int4;

/* Finds the type with this name ("float4"). BL_USAGE, with the known names, if there is none. */
enum bl_status bl_type_named(const char *name, struct bl_type *type, struct bl_error *error);

/* Writes the name of the i-th type, counted from 0. Returns false if there are fewer. */
bool bl_type_name_at(size_t i, char name[16]);

#endif
