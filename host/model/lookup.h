/* A table that an index expression reads: table[get_global_id(0)], for accesses that depend on
 * data. */
#ifndef BANKLINE_MODEL_LOOKUP_H
#define BANKLINE_MODEL_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { BL_MAX_LOOKUP = 1 << 24 }; /* entries of a table */

struct bl_lookup {
    char name[96];   /* description, with the seed if it is random */
    int32_t *values; /* NULL: random below `count`, at any index */
    size_t count;
    uint64_t seed;
};

/* Makes the table that the text names: "random:N" or "permutation:N", with ":SEED" behind it if not
 * 1, or else a file of integers between blanks, commas or line ends, with comments behind '#'.
 * Free it whatever is returned. BL_OK; BL_USAGE for a pattern, BL_BAD_FORMAT for a file that is
 * wrong, with its line; BL_FILE_FAILED; BL_NO_MEMORY. */
enum bl_status bl_lookup_open(const char *text, struct bl_lookup *lookup, struct bl_error *error);
void bl_lookup_free(struct bl_lookup *lookup);

/* The entry at this index; false if the table has none there. */
bool bl_lookup_value(const struct bl_lookup *lookup, int64_t index, int32_t *value);

#endif
