/* Element types of the arrays that are read or written. */
#ifndef BANKLINE_MODEL_TYPE_H
#define BANKLINE_MODEL_TYPE_H

struct bl_type {
    const char *name;       /* as in OpenCL C */
    unsigned element_bytes; /* distance of neighbours in an array */
    unsigned access_bytes;  /* what a work-item uses of it: 12 of an int3's 16 */
    unsigned components;    /* 1 to 4 */
};

extern const struct bl_type bl_type_uchar, bl_type_ushort, bl_type_int, bl_type_int2, bl_type_int3,
    bl_type_int4;

#endif
