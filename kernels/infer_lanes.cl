/* Requests whose addresses the host chooses lane by lane, repeated many times; `infer` derives a
 * machine from their times. A place is the byte offset at which a work-item's accesses begin, or
 * IDLE. In global memory the upper bits of a place hold the index of the array. The first ITEMS
 * work-items of group g take their places from table g, and every further ITEMS work-items from the
 * next table, modulo the number of tables. So a group with ITEMS work-items for each table executes
 * the requests of all tables.
 *
 * The host defines T, SCALAR, STEP (in elements), ITEMS, and one of IN_GLOBAL, IN_CONSTANT and
 * IN_LOCAL (with TILE_BYTES). In local memory, WRITE or ADD may replace the reads. In each round a
 * work-item accesses the elements 0, 1, 2 and 3 STEPs after its place, each of them four times. */
#include "work_items.h"
#include "elements.h"

#define IDLE 0xFFFFFFFFFFFFFFFFul
#define ARRAY_OF(place) ((place) >> 60)
#define OFFSET_OF(place) ((place) & 0x0FFFFFFFFFFFFFFFul)
#define STEPS 4
#define TIMES 4

#if defined(IN_CONSTANT)
#define FROM __constant
#elif defined(IN_LOCAL)
#define FROM __local
#else
#define FROM __global
#endif

/* global.cl explains the addition of a run-time zero. */
#define REPEAT(access)                             \
    for (uint round = 0; round < rounds; round++) { \
        _Pragma("unroll") for (int k = 0; k < TIMES; k++) { \
            p += zero;                             \
            _Pragma("unroll") for (int j = 0; j < STEPS; j++) { access; } \
        }                                          \
    }

ulong place_of(__global const ulong *table, uint tables)
{
    const size_t turn = linear_group() + get_local_id(0) / ITEMS;
    return table[turn % tables * ITEMS + get_local_id(0) % ITEMS];
}

#ifndef IN_LOCAL
__kernel void lanes(FROM const uchar *restrict a, __global const uchar *restrict b,
                    __global const uchar *restrict c, __global const uchar *restrict d,
                    __global const ulong *restrict table, uint tables, __global uint *restrict sums,
                    uint rounds, int zero)
{
    const ulong place = place_of(table, tables);
    if (place == IDLE)
        return;
    FROM const uchar *array = a;
#ifdef IN_GLOBAL
    const ulong number = ARRAY_OF(place);
    array = number == 1 ? b : number == 2 ? c : number == 3 ? d : a;
#endif
    FROM const T *p = (FROM const T *)(array + OFFSET_OF(place));
    uint sum = 0;
    REPEAT(const T value = p[(long)j * STEP]; sum += SUM(value))
    sums[linear_item()] = sum;
}
#else
__kernel void lanes(__global const uint *restrict data, __global const ulong *restrict table,
                    uint tables, __global uint *restrict sums, uint rounds, int zero)
{
    __local uint tile[TILE_BYTES / 4] __attribute__((aligned(128)));
    for (uint i = (uint)get_local_id(0); i < TILE_BYTES / 4; i += (uint)get_local_size(0))
#ifdef ADD
        tile[i] = 0;
#else
        tile[i] = data[i];
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    const ulong place = place_of(table, tables);
    uint sum = 0;
    if (place != IDLE) {
#ifdef ADD
        volatile __local uint *p = (volatile __local uint *)tile + place / 4;
        /* Each work-item adds a different number, so that no compiler can combine the additions. */
        const uint own = (uint)get_local_id(0) + 1;
        REPEAT(atomic_add(&p[j * STEP], own))
#elif defined(WRITE)
        __local T *p = (__local T *)((__local uchar *)tile + place);
        REPEAT(p[j * STEP] = VALUE(round + (uint)k * STEPS + (uint)j))
        p -= zero;
        const T last = p[(STEPS - 1) * STEP];
        sum = SUM(last);
#else
        __local const T *p = (__local const T *)((__local const uchar *)tile + place);
        REPEAT(const T value = p[j * STEP]; sum += SUM(value))
#endif
    }
#ifdef ADD
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = (uint)get_local_id(0); i < TILE_BYTES / 4; i += (uint)get_local_size(0))
        sum += tile[i];
#endif
    sums[linear_item()] = sum;
}
#endif
