/* A growing array. The capacity doubles whenever the array is full, so n appends copy fewer than 2n
 * elements in total. */
#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 16 };

void *bl_array_append(void *array, size_t *count, size_t *capacity, size_t element_bytes)
{
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
