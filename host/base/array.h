/* Arrays that grow. */
#ifndef BANKLINE_BASE_ARRAY_H
#define BANKLINE_BASE_ARRAY_H

#include <stddef.h>

/* Appends one element, all zero bytes, to an array whose address is `array` (struct item **), and
 * counts it; *capacity is how many elements the array can hold without being moved. Returns the
 * element, or NULL when there is no memory: then nothing has changed. The caller frees the array.
 *
 *     struct item *item = bl_array_append(&items, &count, &capacity, sizeof *item);
 *     if (!item)
 *         return bl_fail(error, BL_NO_MEMORY, ...); */
void *bl_array_append(void *array, size_t *count, size_t *capacity, size_t element_bytes);

#endif
