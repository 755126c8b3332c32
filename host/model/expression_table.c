/* An expression whose values were recorded, not written. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/expression.h"

enum { IN_A_LINE = 12 };

static char *table_of(const uint64_t starts[], size_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out, "__constant uint recorded_starts[%zu] = {", count);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%" PRIu64 ",", i % IN_A_LINE ? " " : "\n", starts[i]);
    fputs("};\n", out);
    const bool failed = ferror(out);
    if (fclose(out) == 0 && !failed)
        return text;
    free(text);
    return NULL;
}

enum bl_status bl_expression_of_table(const char *name, const uint64_t starts[], size_t count,
                                      struct bl_expression *expression, struct bl_error *error)
{
    *expression = (struct bl_expression){
        .text = strdup(name),
        .guarded = strdup("(long)recorded_starts[get_global_id(0)]\n"),
        .table = table_of(starts, count),
    };
    if (expression->text && expression->guarded && expression->table)
        return BL_OK;
    bl_expression_free(expression);
    return bl_fail(error, BL_NO_MEMORY, "no memory for %zu recorded starts", count);
}
