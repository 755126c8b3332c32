/* A table that an index expression reads: table[get_global_id(0)], for accesses whose addresses
 * depend on data. */
#ifndef BANKLINE_MODEL_LOOKUP_H
#define BANKLINE_MODEL_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { BL_MAX_LOOKUP = 1 << 24 }; /* entries of a table */

struct bl_lookup {
    char name[96];   /* description, with the seed if the table is generated */
    int32_t *values; /* NULL for a random table: each index then has a random value below `count` */
    size_t count;
    uint64_t seed;
};

/* Generates or reads the table that the text names: "random:N" or "permutation:N", optionally
 * followed by ":SEED" (1 if omitted), or else the path of a file ("-" for standard input). The file
 * contains integers, separated by blanks, commas or line ends; comments begin with '#'. Free the
 * table even after a failure. Fails with BL_USAGE if N or SEED is invalid, with BL_BAD_FORMAT if
 * the file is invalid (the error names the line if a word is wrong), and with BL_FILE_FAILED or
 * BL_NO_MEMORY. */
enum bl_status bl_lookup_open(const char *text, struct bl_lookup *lookup, struct bl_error *error);
void bl_lookup_free(struct bl_lookup *lookup);

/* Sets *value to the entry at this index; returns false if the table has no such entry. */
bool bl_lookup_value(const struct bl_lookup *lookup, int64_t index, int32_t *value);

#endif
