/* A person's index expression in place of one of the guides'.
 *
 * The host checks the text (host/model/expression.h) and hands it over twice: as it was written,
 * so that the compiler's messages speak of it, and with every division guarded, which is what
 * runs.
 *
 * Its work-item's ids range over GROUPS_X x GROUPS_Y groups, however many are launched: group
 * GROUPS_X * GROUPS_Y is group 0 again, the first of a replica. With GROUP_LANES a launched group,
 * then of one dimension, is several groups of GROUP_WIDTH x GROUP_HEIGHT that share what local
 * memory holds; each takes GROUP_LANES of its lanes, the last of which may be idle. */
#ifndef BANKLINE_EXPRESSION_H
#define BANKLINE_EXPRESSION_H
#ifdef GROUPS_X

#ifdef GROUP_LANES
#define GROUP_ITEMS (GROUP_WIDTH * GROUP_HEIGHT)
size_t pattern_local_size(uint d) { return d == 0 ? GROUP_WIDTH : d == 1 ? GROUP_HEIGHT : 1; }
size_t pattern_local_id(uint d)
{
    const size_t lane = get_local_id(0) % GROUP_LANES;
    return d == 0 ? lane % GROUP_WIDTH : d == 1 ? lane / GROUP_WIDTH : 0;
}
size_t pattern_group(void) /* counted over all replicas */
{
    return get_group_id(0) * (get_local_size(0) / GROUP_LANES) + get_local_id(0) / GROUP_LANES;
}
bool is_idle(void) { return get_local_id(0) % GROUP_LANES >= GROUP_ITEMS; }
size_t output(void) { return pattern_group() * GROUP_ITEMS + get_local_id(0) % GROUP_LANES; }
#else
size_t pattern_local_size(uint d) { return get_local_size(d); }
size_t pattern_local_id(uint d) { return get_local_id(d); }
size_t pattern_group(void) { return linear_group(); }
bool is_idle(void) { return false; }
size_t output(void) { return linear_item(); }
#endif
size_t replica(void) { return pattern_group() / (GROUPS_X * GROUPS_Y); }
size_t pattern_group_id(uint d)
{
    const size_t group = pattern_group() % (GROUPS_X * GROUPS_Y);
    return d == 0 ? group % GROUPS_X : d == 1 ? group / GROUPS_X : 0;
}
size_t pattern_num_groups(uint d) { return d == 0 ? GROUPS_X : d == 1 ? GROUPS_Y : 1; }
size_t pattern_global_id(uint d)
{
    return pattern_group_id(d) * pattern_local_size(d) + pattern_local_id(d);
}
size_t pattern_global_size(uint d) { return pattern_num_groups(d) * pattern_local_size(d); }

/* Division by zero is undefined, and ends the process on some CPUs: the guard takes 1 for 0 and
 * remembers. So does the smallest integer divided by -1, whose quotient does not fit. */
#define DIVIDE(C, lowest, is_signed)                                                    \
    static C __attribute__((overloadable)) divide(C a, C b, uint *fault)                \
    {                                                                                   \
        const bool bad = b == 0 || (is_signed && a == (lowest) && b == (C)-1);          \
        *fault |= bad;                                                                  \
        return a / (bad ? (C)1 : b);                                                    \
    }                                                                                   \
    static C __attribute__((overloadable)) modulo(C a, C b, uint *fault)                \
    {                                                                                   \
        const bool bad = b == 0 || (is_signed && a == (lowest) && b == (C)-1);          \
        *fault |= bad;                                                                  \
        return a % (bad ? (C)1 : b);                                                    \
    }
DIVIDE(int, INT_MIN, 1)
DIVIDE(uint, 0, 0)
DIVIDE(long, LONG_MIN, 1)
DIVIDE(ulong, 0, 0)
static float __attribute__((overloadable)) divide(float a, float b, uint *fault) { return a / b; }

/* For operands of different types C's rules choose the type of the result, as ?: does. */
#define MIXED(A, B)                                                                     \
    static __typeof__(1 ? (A)0 : (B)0) __attribute__((overloadable))                    \
        quotient(A a, B b, uint *fault)                                                 \
    {                                                                                   \
        typedef __typeof__(1 ? (A)0 : (B)0) C;                                          \
        return divide((C)a, (C)b, fault);                                               \
    }
#define MIXED_MODULO(A, B)                                                              \
    static __typeof__(1 ? (A)0 : (B)0) __attribute__((overloadable))                    \
        remainder_of(A a, B b, uint *fault)                                             \
    {                                                                                   \
        typedef __typeof__(1 ? (A)0 : (B)0) C;                                          \
        return modulo((C)a, (C)b, fault);                                               \
    }
#define MIXED_INTEGERS(A)                                                               \
    MIXED(A, int) MIXED(A, uint) MIXED(A, long) MIXED(A, ulong)                         \
    MIXED_MODULO(A, int) MIXED_MODULO(A, uint) MIXED_MODULO(A, long) MIXED_MODULO(A, ulong)
MIXED_INTEGERS(int)
MIXED_INTEGERS(uint)
MIXED_INTEGERS(long)
MIXED_INTEGERS(ulong)
MIXED(int, float) MIXED(uint, float) MIXED(long, float) MIXED(ulong, float)
MIXED(float, int) MIXED(float, uint) MIXED(float, long) MIXED(float, ulong) MIXED(float, float)

#define get_local_id pattern_local_id
#define get_local_size pattern_local_size
#define get_group_id pattern_group_id
#define get_num_groups pattern_num_groups
#define get_global_id pattern_global_id
#define get_global_size pattern_global_size
#define get_global_offset(d) ((size_t)0)
#define get_work_dim() 2u

long index_as_written(void)
{
    return (
#include "expression.text"
    );
}

long index_guarded(uint *fault)
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

#else
bool is_idle(void) { return false; }
size_t output(void) { return linear_item(); }
#endif
#endif
