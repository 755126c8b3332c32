#include "model/expression_words.h"

#include <string.h>

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

void bl_offer_functions(struct bl_nearest *nearest)
{
    for (size_t i = 0; i < COUNT(functions); i++)
        bl_nearest_offer(nearest, functions[i].name);
}

void bl_offer_constants_and_types(struct bl_nearest *nearest)
{
    for (size_t i = 0; i < COUNT(constants); i++)
        bl_nearest_offer(nearest, constants[i].name);
    for (size_t i = 0; i < COUNT(scalars); i++)
        bl_nearest_offer(nearest, scalars[i]);
    for (size_t i = 0; i < COUNT(other_types); i++)
        bl_nearest_offer(nearest, other_types[i].name);
}
