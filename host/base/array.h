/* Arrays that grow. */
#ifndef BANKLINE_BASE_ARRAY_H
#define BANKLINE_BASE_ARRAY_H

#include <stddef.h>

/* Makes room for one more element after `count` of them, of element_bytes each; *capacity is how
 * many the array can hold. Returns the array, which may have moved, or NULL when there is no
 * memory: then items is as it was. The caller frees the array.
 *
 *     struct item *more = bl_array_grow(items, count, &capacity, sizeof *more);
 *     if (!more)
 *         return bl_fail(error, BL_NO_MEMORY, ...);
 *     items = more;
 *     items[count++] = ...; */
void *bl_array_grow(void *items, size_t count, size_t *capacity, size_t element_bytes);

/* Appends one element, all zero bytes, to an array whose address is `array` (struct item **), and
 * counts it. Returns the element, or NULL when there is no memory: then nothing has changed. The
 * caller frees the array.
 *
 *     struct item *item = bl_array_append(&items, &count, &capacity, sizeof *item);
 *     if (!item)
 *         return bl_fail(error, BL_NO_MEMORY, ...); */
void *bl_array_append(void *array, size_t *count, size_t *capacity, size_t element_bytes);

#endif
