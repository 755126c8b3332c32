/* What is said of a name that an index expression cannot use where it stands. */
#include <stdio.h>
#include <string.h>

#include "model/expression.h"
#include "model/expression_tree.h"

/* "int2" */
static bool is_vector(const struct bl_token *word)
{
    size_t scalar = word->length;
    while (scalar > 0 && strchr("0123456789", word->at[scalar - 1]))
        scalar--;
    return scalar < word->length && bl_is_type_word(word->at, scalar);
}

void bl_fail_at_name(struct bl_tokens *tokens)
{
    const struct bl_token *token = &tokens->token;
    char word[BL_LONGEST_EXPRESSION + 1], meant[128];
    struct bl_function function;
    snprintf(word, sizeof word, "%.*s", (int)token->length, token->at);
    if (bl_function_of_word(token->at, token->length, &function)) {
        bl_tokens_fail(tokens, token->at, "'%s' is a function: its arguments go in parentheses",
                       word);
    } else if (bl_is_type_word(token->at, token->length)) {
        bl_tokens_fail(tokens, token->at, "'%s' is a type: a cast is (%s)", word, word);
    } else if (is_vector(token)) {
        bl_tokens_fail(tokens, token->at, "'%.60s' is a vector, and an index is one number", word);
    } else {
        struct bl_nearest nearest = bl_nearest_begin(word);
        bl_offer_constants_and_types(&nearest);
        bl_offer_functions(&nearest);
        bl_tokens_fail(tokens, token->at, "unknown name '%.60s'%s", word,
                       nearest.best ? bl_did_you_mean(&nearest, meant)
                                    : "; an index expression is made of get_global_id(0), "
                                      "get_local_id(0), get_group_id(0), their sizes, numbers and "
                                      "operators");
    }
}

void bl_fail_at_function(struct bl_tokens *tokens)
{
    const struct bl_token *token = &tokens->token;
    if (bl_is_type_word(token->at, token->length)) {
        bl_fail_at_name(tokens);
        return;
    }
    char word[BL_LONGEST_EXPRESSION + 1], meant[128];
    snprintf(word, sizeof word, "%.*s", (int)token->length, token->at);
    struct bl_nearest nearest = bl_nearest_begin(word);
    bl_offer_functions(&nearest);
    bl_tokens_fail(tokens, token->at, "unknown function '%.60s'%s", word,
                   nearest.best ? bl_did_you_mean(&nearest, meant)
                                : "; an index expression may call get_global_id, min, mad24, "
                                  "select and their like");
}
