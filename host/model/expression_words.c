#include "model/expression_words.h"

#include <string.h>

static const char *const functions[] = {
    /* Work-item functions. */
    "get_global_id",
    "get_global_offset",
    "get_global_size",
    "get_group_id",
    "get_local_id",
    "get_local_size",
    "get_num_groups",
    "get_work_dim",
    /* Integer functions. */
    "abs",
    "abs_diff",
    "add_sat",
    "clamp",
    "clz",
    "hadd",
    "mad24",
    "mad_hi",
    "mad_sat",
    "max",
    "min",
    "mul24",
    "mul_hi",
    "popcount",
    "rhadd",
    "rotate",
    "sub_sat",
    "upsample",
    /* Choosing. */
    "bitselect",
    "select",
    /* Maths. */
    "cbrt",
    "ceil",
    "cos",
    "exp",
    "exp2",
    "fabs",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "hypot",
    "log",
    "log10",
    "log2",
    "mad",
    "mix",
    "pow",
    "pown",
    "rint",
    "round",
    "rsqrt",
    "sign",
    "sin",
    "sqrt",
    "step",
    "tan",
    "trunc",
};

static const char *const constants[] = {
    "CHAR_BIT", "FLT_MAX", "INT_MAX",  "INT_MIN",   "LONG_MAX", "LONG_MIN",
    "M_E_F",    "M_PI_F",  "UINT_MAX", "ULONG_MAX", "false",    "true",
};

static const char *const scalars[] = {
    "bool",   "char",   "double", "float", "int",   "long",     "ptrdiff_t", "short",
    "signed", "size_t", "uchar",  "uint",  "ulong", "unsigned", "ushort",
};

static bool is_among(const char *const words[], size_t count, const char *word, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(words[i]) == length && memcmp(words[i], word, length) == 0)
            return true;
    return false;
}

#define AMONG(words, word, length) is_among(words, sizeof words / sizeof words[0], word, length)

bool bl_is_type_word(const char *word, size_t length)
{
    size_t scalar = length; /* without the number of components */
    while (scalar > 0 && word[scalar - 1] >= '0' && word[scalar - 1] <= '9')
        scalar--;
    static const char *const lengths[] = {"", "2", "3", "4", "8", "16"};
    return AMONG(scalars, word, scalar) && AMONG(lengths, word + scalar, length - scalar);
}

/* "convert_int_sat" or "as_uint": a conversion to a type, perhaps with suffixes. */
static bool is_conversion(const char *word, size_t length)
{
    const size_t prefix = length > 8 && memcmp(word, "convert_", 8) == 0 ? 8
                          : length > 3 && memcmp(word, "as_", 3) == 0    ? 3
                                                                         : 0;
    size_t end = prefix;
    while (end < length && word[end] != '_')
        end++;
    static const char *const suffixes[] = {
        "", "_sat", "_rte", "_rtz", "_rtp", "_rtn", "_sat_rte", "_sat_rtz", "_sat_rtp", "_sat_rtn",
    };
    return prefix > 0 && bl_is_type_word(word + prefix, end - prefix) &&
           AMONG(suffixes, word + end, length - end);
}

bool bl_is_function_word(const char *word, size_t length)
{
    return AMONG(functions, word, length) || is_conversion(word, length);
}

bool bl_is_constant_word(const char *word, size_t length) { return AMONG(constants, word, length); }
