/* Parses an index expression. If the expression is accepted, its value must be the same each time
 * it is computed, for ordinary and for extreme ids. */
#include "model/expression.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct bl_work_item items[] = {
        {{{0}}},
        {{{21, 7}, {5, 3}, {2, 1}, {24, 8}, {8, 4}, {3, 2}}},
        {{{UINT64_MAX, 1}, {INT64_MAX, 0}, {UINT32_MAX, 0}, {1, 1}, {1, 1}, {1, 1}}},
    };
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    struct bl_expression expression;
    struct bl_error error = {0};
    const enum bl_status status = bl_expression_parse(text, NULL, &expression, &error);
    if (status != BL_OK && !error.sentence[0])
        abort();
    for (size_t i = 0; i < sizeof items / sizeof items[0] && status == BL_OK; i++) {
        int64_t value, again;
        if (bl_expression_compute(&expression, &items[i], &value) !=
                bl_expression_compute(&expression, &items[i], &again) ||
            value != again)
            abort();
    }
    bl_expression_free(&expression);
    free(text);
    return 0;
}
