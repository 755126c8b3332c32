#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 16 };

void *bl_array_grow(void *items, size_t count, size_t *capacity, size_t element_bytes)
{
    if (count < *capacity)
        return items;
    const size_t larger = *capacity ? 2 * *capacity : FIRST_CAPACITY;
    if (larger > SIZE_MAX / element_bytes)
        return NULL;
    void *more = realloc(items, larger * element_bytes);
    if (more)
        *capacity = larger;
    return more;
}

void *bl_array_append(void *array, size_t *count, size_t *capacity, size_t element_bytes)
{
    void *items;
    memcpy(&items, array, sizeof items);
    char *more = bl_array_grow(items, *count, capacity, element_bytes);
    if (!more)
        return NULL;
    memcpy(array, &more, sizeof more);
    return memset(more + element_bytes * (*count)++, 0, element_bytes);
}
