#include "model/type.h"

const struct bl_type bl_type_uchar = {"uchar", 1, 1, 1};
const struct bl_type bl_type_ushort = {"ushort", 2, 2, 1};
const struct bl_type bl_type_int = {"int", 4, 4, 1};
const struct bl_type bl_type_int2 = {"int2", 8, 8, 2};
const struct bl_type bl_type_int3 = {"int3", 16, 12, 3};
const struct bl_type bl_type_int4 = {"int4", 16, 16, 4};
