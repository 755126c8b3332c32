/* An index expression. What is taken is guarded text without a modulo left in it,
 * and no longer than its guards make it. */
#include "model/expression.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    struct bl_expression expression;
    struct bl_error error = {0};
    const enum bl_status status = bl_expression_parse(text, &expression, &error);
    if (status != BL_OK && !error.sentence[0])
        abort();
    if (status == BL_OK &&
        (strchr(expression.guarded, '%') || strlen(expression.guarded) > 40 * (size + 1)))
        abort();
    bl_expression_free(&expression);
    free(text);
    return 0;
}
