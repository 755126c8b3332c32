/* A person's index expression in place of one of the guides'.
 *
 * The host checks the text (host/model/expression.h) and hands it over with a guard in place of
 * every division and of every conversion to an integer, and with the table that an expression of
 * recorded values is looked up in. Its ids range over a replica's groups
 * (replicas.h). Without GROUPS_X, for the guides' expressions (patterns.h), there is none of
 * this. */
#ifndef BANKLINE_EXPRESSION_H
#define BANKLINE_EXPRESSION_H
#include "replicas.h"
#ifdef GROUPS_X

/* Of *fault, as enum bl_expression_fault of the host. */
#define FAULT_DIVISION 1u
#define FAULT_CONVERSION 2u

/* A double, where the device has one. */
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double real;
typedef long real_mask;
#else
typedef float real;
typedef int real_mask;
#endif

/* Division by zero is undefined, and ends the process on some CPUs: the guard takes 1 for 0 and
 * remembers. So does the smallest integer divided by -1, whose quotient does not fit. */
#define DIVIDE(T, lowest)                                                               \
    static bool is_no_divisor_##T(T a, T b)                                             \
    {                                                                                   \
        return b == 0 || ((lowest) != 0 && a == (lowest) && b == (T)-1);                \
    }                                                                                   \
    static T divide_##T(T a, T b, uint *fault)                                          \
    {                                                                                   \
        const bool bad = is_no_divisor_##T(a, b);                                       \
        *fault |= bad ? FAULT_DIVISION : 0;                                             \
        return a / (bad ? (T)1 : b);                                                    \
    }                                                                                   \
    static T modulo_##T(T a, T b, uint *fault)                                          \
    {                                                                                   \
        const bool bad = is_no_divisor_##T(a, b);                                       \
        *fault |= bad ? FAULT_DIVISION : 0;                                             \
        return a % (bad ? (T)1 : b);                                                    \
    }
DIVIDE(int, INT_MIN)
DIVIDE(uint, 0)
DIVIDE(long, LONG_MIN)
DIVIDE(ulong, 0)

/* A conversion of what does not fit, or is no number, is undefined: the guard takes the nearest
 * that fits, or 0, and remembers. convert_T_sat is defined to do so; some compilers do not.
 * What lies less than 1 below `lowest` fits, cut off, and 1 below may round to `lowest`. `end` is a
 * power of two, and so is `lowest`, or 0. */
#define CONVERT(T, lowest, end, max)                                                    \
    static T to_##T(real x, uint *fault)                                                \
    {                                                                                   \
        const bool fits = (x >= (lowest) || x > (lowest) - 1) && x < (end);             \
        const T nearest = x >= (end) ? (max) : x < (lowest) ? (T)(lowest) : (T)0;       \
        *fault |= fits ? 0 : FAULT_CONVERSION;                                          \
        return fits ? (T)(fits ? x : 0) : nearest;                                      \
    }                                                                                   \
    static T saturated_##T(real x)                                                      \
    {                                                                                   \
        uint ignored = 0;                                                               \
        return to_##T(x, &ignored);                                                     \
    }
CONVERT(char, -0x1p7f, 0x1p7f, CHAR_MAX)
CONVERT(uchar, 0.0f, 0x1p8f, UCHAR_MAX)
CONVERT(short, -0x1p15f, 0x1p15f, SHRT_MAX)
CONVERT(ushort, 0.0f, 0x1p16f, USHRT_MAX)
CONVERT(int, -0x1p31f, 0x1p31f, INT_MAX)
CONVERT(uint, 0.0f, 0x1p32f, UINT_MAX)
CONVERT(long, -0x1p63f, 0x1p63f, LONG_MAX)
CONVERT(ulong, 0.0f, 0x1p64f, ULONG_MAX)

/* rint, which in PoCL goes by way of an integer and is undefined for what fits none. */
static float __attribute__((overloadable)) nearest(float x)
{
    return fabs(x) < 0x1p23f ? rint(x) : x;
}
#ifdef cl_khr_fp64
static double __attribute__((overloadable)) nearest(double x)
{
    return fabs(x) < 0x1p52 ? rint(x) : x;
}
#endif

/* abs, which in PoCL is undefined for the smallest integer. */
#define ABSOLUTE(T, U)                                                                  \
    static U __attribute__((overloadable)) absolute(T x)                                \
    {                                                                                   \
        return (U)(x < 0 ? (U)0 - (U)x : (U)x);                                         \
    }                                                                                   \
    static U __attribute__((overloadable)) absolute(U x) { return x; }
ABSOLUTE(char, uchar)
ABSOLUTE(short, ushort)
ABSOLUTE(int, uint)
ABSOLUTE(long, ulong)

#undef abs // PoCL has it as a macro
#define get_local_id pattern_local_id
#define get_local_size pattern_local_size
#define get_group_id pattern_group_id
#define get_num_groups pattern_num_groups
#define get_global_id pattern_global_id
#define get_global_size pattern_global_size
#define get_global_offset(d) ((ulong)0)
#define get_work_dim() 2u
#define abs absolute

#include "expression.table"

static long index_guarded(uint *fault)
{
    return (
#include "expression.guarded"
    );
}

#undef get_local_id
#undef get_local_size
#undef get_group_id
#undef get_num_groups
#undef get_global_id
#undef get_global_size
#undef get_global_offset
#undef get_work_dim
#undef abs

/* Where the expression says; each replica of its groups REPLICA_SPREAD elements on. */
size_t start_element(void)
{
    uint fault = 0;
    return (size_t)index_guarded(&fault) + replica() * (size_t)REPLICA_SPREAD;
}

#endif
#endif
