#include "model/expression_tokens.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/expression.h"
#include "model/expression_types.h"

/* An expression whose values were recorded, not written. */

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

static const struct {
    const char *name;
    enum bl_signature signature;
    unsigned arguments;
} functions[] = {
    {"get_global_id", BL_OF_DIMENSION, 1},
    {"get_global_offset", BL_OF_DIMENSION, 1},
    {"get_global_size", BL_OF_DIMENSION, 1},
    {"get_group_id", BL_OF_DIMENSION, 1},
    {"get_local_id", BL_OF_DIMENSION, 1},
    {"get_local_size", BL_OF_DIMENSION, 1},
    {"get_num_groups", BL_OF_DIMENSION, 1},
    {"get_work_dim", BL_OF_NOTHING, 0},
    {"abs", BL_TO_UNSIGNED, 1},
    {"abs_diff", BL_TO_UNSIGNED, 2},
    {"add_sat", BL_OF_INTEGERS, 2},
    {"clz", BL_OF_INTEGERS, 1},
    {"hadd", BL_OF_INTEGERS, 2},
    {"mad24", BL_OF_24_BITS, 3},
    {"mad_hi", BL_OF_INTEGERS, 3},
    {"mad_sat", BL_OF_INTEGERS, 3},
    {"mul24", BL_OF_24_BITS, 2},
    {"mul_hi", BL_OF_INTEGERS, 2},
    {"popcount", BL_OF_INTEGERS, 1},
    {"rhadd", BL_OF_INTEGERS, 2},
    {"rotate", BL_OF_INTEGERS, 2},
    {"sub_sat", BL_OF_INTEGERS, 2},
    {"upsample", BL_UPSAMPLE, 2},
    {"bitselect", BL_OF_NUMBERS, 3},
    {"clamp", BL_OF_NUMBERS, 3},
    {"max", BL_OF_NUMBERS, 2},
    {"min", BL_OF_NUMBERS, 2},
    {"select", BL_SELECT, 3},
    {"cbrt", BL_OF_REALS, 1},
    {"ceil", BL_OF_REALS, 1},
    {"cos", BL_OF_REALS, 1},
    {"exp", BL_OF_REALS, 1},
    {"exp2", BL_OF_REALS, 1},
    {"fabs", BL_OF_REALS, 1},
    {"floor", BL_OF_REALS, 1},
    {"fma", BL_OF_REALS, 3},
    {"fmax", BL_OF_REALS, 2},
    {"fmin", BL_OF_REALS, 2},
    {"fmod", BL_OF_REALS, 2},
    {"hypot", BL_OF_REALS, 2},
    {"log", BL_OF_REALS, 1},
    {"log10", BL_OF_REALS, 1},
    {"log2", BL_OF_REALS, 1},
    {"mad", BL_OF_REALS, 3},
    {"mix", BL_OF_REALS, 3},
    {"pow", BL_OF_REALS, 2},
    {"pown", BL_POWER, 2},
    {"rint", BL_OF_REALS, 1},
    {"round", BL_OF_REALS, 1},
    {"rsqrt", BL_OF_REALS, 1},
    {"sign", BL_OF_REALS, 1},
    {"sin", BL_OF_REALS, 1},
    {"sqrt", BL_OF_REALS, 1},
    {"step", BL_OF_REALS, 2},
    {"tan", BL_OF_REALS, 1},
    {"trunc", BL_OF_REALS, 1},
};

static const struct {
    const char *name;
    enum bl_scalar type;
} constants[] = {
    {"CHAR_BIT", BL_INT},  {"FLT_MAX", BL_FLOAT},   {"INT_MAX", BL_INT}, {"INT_MIN", BL_INT},
    {"LONG_MAX", BL_LONG}, {"LONG_MIN", BL_LONG},   {"M_E_F", BL_FLOAT}, {"M_PI_F", BL_FLOAT},
    {"UINT_MAX", BL_UINT}, {"ULONG_MAX", BL_ULONG}, {"false", BL_INT},   {"true", BL_INT},
};

static const char *const scalars[] = {
    "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double",
};

static const struct {
    const char *name;
    enum bl_scalar type;
} other_types[] = {
    {"bool", BL_INT},   {"size_t", BL_ULONG},  {"ptrdiff_t", BL_LONG},
    {"signed", BL_INT}, {"unsigned", BL_UINT},
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static bool is_word(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(word, name, length) == 0;
}

const char *bl_scalar_name(enum bl_scalar type)
{
    return type == BL_DOUBLE ? "real" : scalars[type];
}

unsigned bl_scalar_bytes(enum bl_scalar type)
{
    return type == BL_FLOAT ? 4 : type == BL_DOUBLE ? 8 : 1u << type / 2;
}

static bool scalar_of_word(const char *word, size_t length, enum bl_scalar *type)
{
    for (size_t i = 0; i < COUNT(scalars); i++)
        if (is_word(word, length, scalars[i])) {
            *type = (enum bl_scalar)i;
            return true;
        }
    return false;
}

static bool type_of_word(const char *word, size_t length, enum bl_scalar *type)
{
    for (size_t i = 0; i < COUNT(other_types); i++)
        if (is_word(word, length, other_types[i].name)) {
            *type = other_types[i].type;
            return true;
        }
    return scalar_of_word(word, length, type);
}

bool bl_is_type_word(const char *word, size_t length)
{
    enum bl_scalar type;
    return type_of_word(word, length, &type);
}

bool bl_type_of_words(const char *const words[], const size_t lengths[], size_t count,
                      enum bl_scalar *type, bool *is_bool)
{
    *is_bool = count == 1 && is_word(words[0], lengths[0], "bool");
    if (count == 1)
        return type_of_word(words[0], lengths[0], type);
    const bool is_unsigned = count == 2 && is_word(words[0], lengths[0], "unsigned");
    if (count != 2 || (!is_unsigned && !is_word(words[0], lengths[0], "signed")) ||
        !scalar_of_word(words[1], lengths[1], type) || *type > BL_LONG || *type % 2 != 0)
        return false;
    *type = (enum bl_scalar)(*type + is_unsigned);
    return true;
}

/* "convert_int_sat_rte" or "as_uint". */
static bool conversion_of_word(const char *word, size_t length, struct bl_function *function)
{
    static const char *const modes[][2] = {
        {"", ""}, {"_rtz", ""}, {"_rte", "nearest"}, {"_rtp", "ceil"}, {"_rtn", "floor"}};
    const bool is_as = length > 3 && memcmp(word, "as_", 3) == 0;
    const size_t prefix = is_as ? 3 : 8;
    if (!is_as && (length <= 8 || memcmp(word, "convert_", 8) != 0))
        return false;
    *function = (struct bl_function){is_as ? BL_AS : BL_CONVERT, 1, BL_INT, "", false};
    size_t end = prefix;
    while (end < length && word[end] != '_')
        end++;
    if (!scalar_of_word(word + prefix, end - prefix, &function->type))
        return false;
    if (is_as)
        return end == length;
    function->saturates = bl_scalar_is_integer(function->type) && length - end >= 4 &&
                          memcmp(word + end, "_sat", 4) == 0;
    end += function->saturates ? 4 : 0;
    for (size_t i = 0; i < COUNT(modes); i++)
        if (is_word(word + end, length - end, modes[i][0])) {
            function->rounding = modes[i][1];
            return true;
        }
    return false;
}

bool bl_function_of_word(const char *word, size_t length, struct bl_function *function)
{
    for (size_t i = 0; i < COUNT(functions); i++)
        if (is_word(word, length, functions[i].name)) {
            *function = (struct bl_function){functions[i].signature, functions[i].arguments, BL_INT,
                                             "", false};
            return true;
        }
    return conversion_of_word(word, length, function);
}

bool bl_constant_of_word(const char *word, size_t length, enum bl_scalar *type)
{
    for (size_t i = 0; i < COUNT(constants); i++)
        if (is_word(word, length, constants[i].name)) {
            *type = constants[i].type;
            return true;
        }
    return false;
}

/* Offers the names of functions, constants and types, each that a person may have meant. */
static void offer_functions(struct bl_nearest *nearest)
{
    for (size_t i = 0; i < COUNT(functions); i++)
        bl_nearest_offer(nearest, functions[i].name);
}

static void offer_constants_and_types(struct bl_nearest *nearest)
{
    for (size_t i = 0; i < COUNT(constants); i++)
        bl_nearest_offer(nearest, constants[i].name);
    for (size_t i = 0; i < COUNT(scalars); i++)
        bl_nearest_offer(nearest, scalars[i]);
    for (size_t i = 0; i < COUNT(other_types); i++)
        bl_nearest_offer(nearest, other_types[i].name);
}

/* What is said of a name that an index expression cannot use where it stands. */

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
        offer_constants_and_types(&nearest);
        offer_functions(&nearest);
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
    offer_functions(&nearest);
    bl_tokens_fail(tokens, token->at, "unknown function '%.60s'%s", word,
                   nearest.best ? bl_did_you_mean(&nearest, meant)
                                : "; an index expression may call get_global_id, min, mad24, "
                                  "select and their like");
}

void bl_draw_caret(const char *text, size_t column, struct bl_error *error)
{
    char *log = error->log;
    const int length = snprintf(log, sizeof error->log, "  %s\n", text);
    for (int i = 0; i < length - 1; i++) /* control characters would move the caret */
        log[i] = iscntrl((unsigned char)log[i]) ? ' ' : log[i];
    snprintf(log + length, sizeof error->log - (size_t)length, "  %*s^\n", (int)column, "");
}

void bl_tokens_fail(struct bl_tokens *tokens, const char *at, const char *format, ...)
{
    if (tokens->status != BL_OK)
        return;
    char sentence[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    tokens->status = bl_fail(tokens->error, BL_BAD_EXPRESSION, "%s", sentence);
    if (tokens->error)
        bl_draw_caret(tokens->text, (size_t)(at - tokens->text), tokens->error);
}

static bool is_word_start(char c) { return isalpha((unsigned char)c) || c == '_'; }
static bool is_word_part(char c) { return isalnum((unsigned char)c) || c == '_'; }

static size_t number_length(const char *at)
{
    size_t length = 1;
    while (is_word_part(at[length]) || at[length] == '.' ||
           ((at[length] == '+' || at[length] == '-') && strchr("eEpP", at[length - 1])))
        length++;
    return length;
}

static size_t digits_of(const char *at, bool is_hexadecimal)
{
    return strspn(at, is_hexadecimal ? "0123456789abcdefABCDEF" : "0123456789");
}

/* "u", "L", "ul" and their like, in either case and order. */
static bool integer_suffix(const char *at, size_t length, bool *is_unsigned, bool *is_long)
{
    for (size_t i = 0; i < length; i++) {
        bool *seen = tolower((unsigned char)at[i]) == 'u'   ? is_unsigned
                     : tolower((unsigned char)at[i]) == 'l' ? is_long
                                                            : NULL;
        if (!seen || *seen)
            return false;
        *seen = true;
    }
    return true;
}

static bool type_of_integer(const char *number, size_t digits, size_t length, enum bl_scalar *type)
{
    const bool is_decimal = number[0] != '0';
    bool is_unsigned = false, is_long = false;
    char *end;
    errno = 0;
    const uint64_t value = strtoull(number, &end, 0);
    if (errno || end != number + digits ||
        !integer_suffix(end, length - digits, &is_unsigned, &is_long))
        return false;
    const bool fits[] = {value <= INT32_MAX, value <= UINT32_MAX, value <= INT64_MAX, true};
    for (int i = is_long ? 2 : 0; i < 4; i++) {
        const bool allowed = i % 2 ? is_unsigned || !is_decimal : !is_unsigned;
        if (allowed && fits[i]) {
            *type = (enum bl_scalar)(BL_INT + i);
            return true;
        }
    }
    return false;
}

bool bl_type_of_number(const char *number, size_t length, enum bl_scalar *type)
{
    const bool is_hexadecimal = number[0] == '0' && tolower((unsigned char)number[1]) == 'x';
    const size_t prefix = is_hexadecimal ? 2 : 0;
    size_t end = prefix + digits_of(number + prefix, is_hexadecimal);
    const size_t whole = end;
    const bool has_point = number[end] == '.';
    if (has_point)
        end += 1 + digits_of(number + end + 1, is_hexadecimal);
    if (end == prefix + has_point) /* no digit */
        return false;
    const bool has_exponent = tolower((unsigned char)number[end]) == (is_hexadecimal ? 'p' : 'e');
    if (has_exponent) {
        end += number[end + 1] == '+' || number[end + 1] == '-' ? 2 : 1;
        const size_t digits = digits_of(number + end, false);
        if (digits == 0)
            return false;
        end += digits;
    }
    if (!has_point && !has_exponent)
        return type_of_integer(number, whole, length, type);
    const bool is_float = tolower((unsigned char)number[end]) == 'f';
    *type = is_float ? BL_FLOAT : BL_DOUBLE;
    return end + is_float == length && (!is_hexadecimal || has_exponent);
}

/* What has no place in an expression: comments, other spellings of brackets and '#', and whatever
 * changes a value. */
static bool check_operator(struct bl_tokens *tokens, const char *at)
{
    static const struct {
        const char *text, *what;
    } refused[] = {
        {"//", "a comment"},
        {"/*", "a comment"},
        {"<%", "a brace"},
        {"%>", "a brace"},
        {"<:", "a bracket"},
        {":>", "a bracket"},
        {"%:", "a directive"},
        {"?"
         "?",
         "a trigraph"},
        {"++", "a change of a value"},
        {"--", "a change of a value"},
        {"->", "a pointer"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (strncmp(at, refused[i].text, 2) == 0) {
            bl_tokens_fail(tokens, at, "'%s', %s, has no place in an index expression",
                           refused[i].text, refused[i].what);
            return false;
        }
    if (*at && strchr("+-*/%&|^~!<>=?:(),", *at))
        return true;
    if (isprint((unsigned char)*at))
        bl_tokens_fail(tokens, at, "'%c' has no place in an index expression", *at);
    else
        bl_tokens_fail(tokens, at, "byte 0x%02x has no place in an index expression",
                       (unsigned char)*at);
    return false;
}

static size_t operator_length(const char *at)
{
    static const char *const longer[] = {"<<=", ">>=", "<<", ">>", "<=", ">=", "==", "!=", "&&",
                                         "||",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^="};
    for (size_t i = 0; i < sizeof longer / sizeof longer[0]; i++)
        if (strncmp(at, longer[i], strlen(longer[i])) == 0)
            return strlen(longer[i]);
    return 1;
}

void bl_tokens_advance(struct bl_tokens *tokens)
{
    const char *at = tokens->next + strspn(tokens->next, " \t");
    tokens->token = (struct bl_token){BL_TOKEN_END, at, 0};
    if (!*at || tokens->status != BL_OK)
        return;
    struct bl_token *token = &tokens->token;
    if (is_word_start(*at)) {
        token->kind = BL_TOKEN_WORD;
        while (is_word_part(at[token->length]))
            token->length++;
    } else if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1]))) {
        *token = (struct bl_token){BL_TOKEN_NUMBER, at, number_length(at)};
    } else if (check_operator(tokens, at)) {
        *token = (struct bl_token){BL_TOKEN_OPERATOR, at, operator_length(at)};
        const bool ends_with_equals = at[token->length - 1] == '=';
        if (ends_with_equals && !strchr("=!<>", *at))
            bl_tokens_fail(tokens, at, "an index expression assigns nothing");
        else if (token->length == 3 || (*at == '=' && token->length == 1))
            bl_tokens_fail(tokens, at, "an index expression assigns nothing; '==' compares");
    }
    tokens->next = at + token->length;
}

bool bl_tokens_is(const struct bl_tokens *tokens, const char *text)
{
    const struct bl_token *token = &tokens->token;
    return tokens->status == BL_OK && token->kind == BL_TOKEN_OPERATOR &&
           strlen(text) == token->length && memcmp(token->at, text, token->length) == 0;
}
