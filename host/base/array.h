/* Growable arrays. */
#ifndef BANKLINE_BASE_ARRAY_H
#define BANKLINE_BASE_ARRAY_H

#include <stddef.h>

/* Appends one zeroed element to an array and returns it. `array` is the address of the caller's
 * pointer (struct item **), which changes when the array is reallocated; *count grows by one;
 * *capacity is the number of elements that fit without reallocation. Returns NULL and changes
 * nothing if memory runs out. The caller frees the array.
 *
 *     struct item *item = bl_array_append(&items, &count, &capacity, sizeof *item);
 *     if (!item)
 *         return bl_fail(error, BL_NO_MEMORY, ...); */
void *bl_array_append(void *array, size_t *count, size_t *capacity, size_t element_bytes);

#endif
