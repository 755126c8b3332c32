/* Growable arrays. */
#ifndef BANKLINE_BASE_ARRAY_H
#define BANKLINE_BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Appends one zeroed element to an array and returns it. `array` is the address of the caller's
 * pointer (struct item **), which changes when the array is reallocated; *count grows by one;
 * *capacity is the number of elements that fit without reallocation. Returns NULL and changes
 * nothing if memory runs out. The caller frees the array.
 *
 *     struct item *item = bl_array_append(&items, &count, &capacity, sizeof *item);
 *     if (!item)
 *         return bl_fail(error, BL_NO_MEMORY, ...);
 *
 * The capacity doubles whenever the array is full, so n appends copy fewer than 2n elements in
 * total. */
static inline void *bl_array_append(void *array, size_t *count, size_t *capacity,
                                    size_t element_bytes)
{
    enum { FIRST_CAPACITY = 16 };
    char *items;
    memcpy(&items, array, sizeof items);
    if (*count == *capacity) {
        const size_t larger = *capacity ? 2 * *capacity : FIRST_CAPACITY;
        if (larger > SIZE_MAX / element_bytes)
            return NULL;
        items = realloc(items, larger * element_bytes);
        if (!items)
            return NULL;
        *capacity = larger;
        memcpy(array, &items, sizeof items);
    }
    return memset(items + element_bytes * (*count)++, 0, element_bytes);
}

#endif
