/* Texts that stand for many: `x * {16..33}` and `x * {1,2,4}`, as a shell would write them. */
#ifndef BANKLINE_RUN_SWEEP_H
#define BANKLINE_RUN_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/expression.h"

enum {
    BL_MAX_SWEPT = 20000, /* texts of one sweep */
    BL_MAX_BRACES = 4
};

/* One of the texts, and the number that it has in place of each pair of braces. */
struct bl_swept {
    char text[BL_LONGEST_EXPRESSION + 1];
    int64_t values[BL_MAX_BRACES];
};

struct bl_sweep {
    struct bl_swept *all; /* the last pair of braces changes fastest */
    size_t count;         /* at least 1 */
    unsigned braces;      /* 0: the text stands for itself */
};

bool bl_is_sweep(const char *text);

/* Expands a text: {A..B} is all integers from A to B, {A..B..STEP} every STEP-th of them, {A,B,C}
 * these. Free the sweep whatever is returned. BL_OK; BL_BAD_EXPRESSION, with a sentence that quotes
 * the braces; BL_NO_MEMORY. */
enum bl_status bl_sweep_expand(const char *text, struct bl_sweep *sweep, struct bl_error *error);
void bl_sweep_free(struct bl_sweep *sweep);

#endif
