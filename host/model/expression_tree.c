/* The operators, functions, types and constants of index expressions, and the evaluation of parsed
 * expressions. The evaluation follows the rules of OpenCL C exactly, so an expression that is
 * copied from a kernel gives the same indices. */
#include "model/expression_tree.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Wide enough for any sum or product of two longs, or of two ulongs. */
typedef __int128 wide;
typedef unsigned __int128 unsigned_wide;

static unsigned scalar_bytes(enum bl_scalar type) { return 1u << type / 2; }

static unsigned bits_of(enum bl_scalar type) { return 8 * scalar_bytes(type); }

static bool is_signed(enum bl_scalar type) { return type % 2 == 0; }

/* Converts a value to a type: keeps the low bits, and extends them to 64 bits with the sign if the
 * type is signed, otherwise with zeros. */
static uint64_t converted(enum bl_scalar type, uint64_t value)
{
    const unsigned above = 64 - bits_of(type);
    return is_signed(type) ? (uint64_t)((int64_t)(value << above) >> above)
                           : value << above >> above;
}

/* The low bits of a value, zero-extended. */
static uint64_t bits(enum bl_scalar type, uint64_t value)
{
    return converted((enum bl_scalar)(type | 1), value);
}

static uint64_t lowest(enum bl_scalar type)
{
    return is_signed(type) ? converted(type, UINT64_C(1) << (bits_of(type) - 1)) : 0;
}

static uint64_t highest(enum bl_scalar type) { return converted(type, ~lowest(type)); }

static wide exact(enum bl_scalar type, uint64_t value)
{
    return is_signed(type) ? (wide)(int64_t)value : (wide)value;
}

/* The value of the type that is nearest to `value`. */
static uint64_t saturated(enum bl_scalar type, wide value)
{
    return value < exact(type, lowest(type))    ? lowest(type)
           : value > exact(type, highest(type)) ? highest(type)
                                                : (uint64_t)value;
}

static bool is_below(const struct bl_node *node, uint64_t a, uint64_t b)
{
    return exact(node->operands, a) < exact(node->operands, b);
}

static uint64_t shifted_right(enum bl_scalar type, uint64_t value, uint64_t count)
{
    return is_signed(type) ? (uint64_t)((int64_t)value >> count) : value >> count;
}

/* In OpenCL C a shift count is taken modulo the width of the value shifted. */
static uint64_t count_of(const struct bl_node *node, uint64_t count)
{
    return count & (bits_of(node->operands) - 1);
}

static uint64_t low_24(const struct bl_node *node, uint64_t value)
{
    return shifted_right(node->operands, value << 40, 40);
}

/* The product modulo 2^128. It is exact: interpret it as a signed number if the operands' type is
 * signed, else as an unsigned number. */
static unsigned_wide product(const struct bl_node *node, const uint64_t of[])
{
    return (unsigned_wide)exact(node->operands, of[0]) *
           (unsigned_wide)exact(node->operands, of[1]);
}

#define COMPUTE(name, value)                                             \
    static uint64_t name(const struct bl_node *node, const uint64_t v[]) \
    {                                                                    \
        (void)node, (void)v;                                             \
        return (uint64_t)(value);                                        \
    }

COMPUTE(same, v[0])
COMPUTE(negated, -v[0])
COMPUTE(complement, ~v[0])
COMPUTE(is_zero, v[0] == 0)
COMPUTE(is_not_zero, v[0] != 0)
COMPUTE(add, v[0] + v[1])
COMPUTE(subtract, v[0] - v[1])
COMPUTE(multiply, v[0] * v[1])
/* bl_node_value has checked that the quotient exists and fits. */
COMPUTE(divide, exact(node->operands, v[0]) / exact(node->operands, v[1]))
COMPUTE(modulo, exact(node->operands, v[0]) % exact(node->operands, v[1]))
COMPUTE(shift_left, v[0] << count_of(node, v[1]))
COMPUTE(shift_right, shifted_right(node->operands, v[0], count_of(node, v[1])))
COMPUTE(bit_and, v[0] & v[1])
COMPUTE(bit_or, v[0] | v[1])
COMPUTE(bit_xor, v[0] ^ v[1])
COMPUTE(is_equal, v[0] == v[1])
COMPUTE(is_unequal, v[0] != v[1])
COMPUTE(is_less, is_below(node, v[0], v[1]))
COMPUTE(is_greater, is_below(node, v[1], v[0]))
COMPUTE(is_at_most, !is_below(node, v[1], v[0]))
COMPUTE(is_at_least, !is_below(node, v[0], v[1]))

COMPUTE(offset, 0)
COMPUTE(dimensions, 2)
COMPUTE(absolute, exact(node->operands, v[0]) < 0 ? -v[0] : v[0])
COMPUTE(difference, is_below(node, v[0], v[1]) ? v[1] - v[0] : v[0] - v[1])
COMPUTE(add_saturated, saturated(node->type, exact(node->type, v[0]) + exact(node->type, v[1])))
COMPUTE(subtract_saturated,
        saturated(node->type, exact(node->type, v[0]) - exact(node->type, v[1])))
COMPUTE(convert_saturated, saturated(node->type, exact(node->operands, v[0])))
COMPUTE(select_bits, (v[0] & ~v[2]) | (v[1] & v[2]))
COMPUTE(smaller, is_below(node, v[1], v[0]) ? v[1] : v[0])
COMPUTE(larger, is_below(node, v[0], v[1]) ? v[1] : v[0])
COMPUTE(clamped, is_below(node, v[0], v[1]) ? v[1] : is_below(node, v[2], v[0]) ? v[2] : v[0])
COMPUTE(chosen, v[2] ? v[1] : v[0])
COMPUTE(ones, __builtin_popcountll(bits(node->type, v[0])))
/* Half of the sum without overflow: the bits that are set in both operands, plus half of the bits
 * that are set in only one. */
COMPUTE(half_sum, (v[0] & v[1]) + shifted_right(node->type, v[0] ^ v[1], 1))
COMPUTE(half_sum_up, (v[0] | v[1]) - shifted_right(node->type, v[0] ^ v[1], 1))
COMPUTE(multiply_24, low_24(node, v[0]) * low_24(node, v[1]))
COMPUTE(multiply_add_24, low_24(node, v[0]) * low_24(node, v[1]) + v[2])
COMPUTE(multiply_high, product(node, v) >> bits_of(node->type))
COMPUTE(multiply_add_high, (product(node, v) >> bits_of(node->type)) + v[2])
COMPUTE(joined, v[0] << bits_of(node->operands) | bits(node->operands, v[1]))

static uint64_t leading_zeros(const struct bl_node *node, const uint64_t v[])
{
    const uint64_t value = bits(node->type, v[0]);
    const unsigned above = 64 - bits_of(node->type);
    return value ? (uint64_t)__builtin_clzll(value) - above : bits_of(node->type);
}

static uint64_t trailing_zeros(const struct bl_node *node, const uint64_t v[])
{
    const uint64_t value = bits(node->type, v[0]);
    return value ? (uint64_t)__builtin_ctzll(value) : bits_of(node->type);
}

static uint64_t rotated(const struct bl_node *node, const uint64_t v[])
{
    const uint64_t value = bits(node->type, v[0]), count = count_of(node, v[1]);
    return count ? value << count | value >> (bits_of(node->type) - count) : value;
}

static uint64_t multiply_add_saturated(const struct bl_node *node, const uint64_t v[])
{
    const unsigned_wide sum = product(node, v) + (unsigned_wide)exact(node->type, v[2]);
    const bool is_beyond = !is_signed(node->type) && sum > highest(node->type);
    return is_beyond ? highest(node->type) : saturated(node->type, (wide)sum);
}

static const struct bl_tree_operation signs[] = {
    {"+", 1, BL_ARITHMETIC, .compute = same},
    {"-", 1, BL_ARITHMETIC, .compute = negated},
    {"~", 1, BL_ARITHMETIC, .compute = complement},
    {"!", 1, BL_TRUTH, .compute = is_zero},
};

static const struct bl_tree_operation operators[] = {
    {"||", 2, BL_OR, .binds = 1},
    {"&&", 2, BL_AND, .binds = 2},
    {"|", 2, BL_ARITHMETIC, .compute = bit_or, .binds = 3},
    {"^", 2, BL_ARITHMETIC, .compute = bit_xor, .binds = 4},
    {"&", 2, BL_ARITHMETIC, .compute = bit_and, .binds = 5},
    {"==", 2, BL_TRUTH, .compute = is_equal, .binds = 6},
    {"!=", 2, BL_TRUTH, .compute = is_unequal, .binds = 6},
    {"<", 2, BL_TRUTH, .compute = is_less, .binds = 7},
    {">", 2, BL_TRUTH, .compute = is_greater, .binds = 7},
    {"<=", 2, BL_TRUTH, .compute = is_at_most, .binds = 7},
    {">=", 2, BL_TRUTH, .compute = is_at_least, .binds = 7},
    {"<<", 2, BL_SHIFT, .compute = shift_left, .binds = 8},
    {">>", 2, BL_SHIFT, .compute = shift_right, .binds = 8},
    {"+", 2, BL_ARITHMETIC, .compute = add, .binds = 9},
    {"-", 2, BL_ARITHMETIC, .compute = subtract, .binds = 9},
    {"*", 2, BL_ARITHMETIC, .compute = multiply, .binds = 10},
    {"/", 2, BL_ARITHMETIC, .compute = divide, .binds = 10},
    {"%", 2, BL_ARITHMETIC, .compute = modulo, .binds = 10},
};

const struct bl_tree_operation bl_table_read = {"table", 1, BL_OF_TABLE, .compute = NULL},
                               bl_choice = {"?", 3, BL_CHOICE, .compute = NULL},
                               bl_cast = {"", 1, BL_CONVERT, .compute = same},
                               bl_cast_to_bool = {"", 1, BL_TRUTH, .compute = is_not_zero};

static const struct bl_tree_operation reinterpret = {"as_", 1, BL_AS, .compute = same},
                                      saturate = {"_sat", 1, BL_CONVERT,
                                                  .compute = convert_saturated},
                                      floating = {"", 0, BL_OF_FLOATING, .compute = NULL};

static const struct bl_tree_operation functions[] = {
    {"get_global_id", 1, BL_OF_DIMENSION, .id = BL_GLOBAL_ID},
    {"get_global_offset", 1, BL_OF_DIMENSION, .compute = offset},
    {"get_global_size", 1, BL_OF_DIMENSION, .id = BL_GLOBAL_SIZE},
    {"get_group_id", 1, BL_OF_DIMENSION, .id = BL_GROUP_ID},
    {"get_local_id", 1, BL_OF_DIMENSION, .id = BL_LOCAL_ID},
    {"get_local_size", 1, BL_OF_DIMENSION, .id = BL_LOCAL_SIZE},
    {"get_num_groups", 1, BL_OF_DIMENSION, .id = BL_NUM_GROUPS},
    {"get_work_dim", 0, BL_OF_NOTHING, .compute = dimensions},
    {"abs", 1, BL_TO_UNSIGNED, .compute = absolute},
    {"abs_diff", 2, BL_TO_UNSIGNED, .compute = difference},
    {"add_sat", 2, BL_OF_ONE_TYPE, .compute = add_saturated},
    {"clz", 1, BL_OF_ONE_TYPE, .compute = leading_zeros},
    {"ctz", 1, BL_OF_ONE_TYPE, .compute = trailing_zeros},
    {"hadd", 2, BL_OF_ONE_TYPE, .compute = half_sum},
    {"mad24", 3, BL_OF_24_BITS, .compute = multiply_add_24},
    {"mad_hi", 3, BL_OF_ONE_TYPE, .compute = multiply_add_high},
    {"mad_sat", 3, BL_OF_ONE_TYPE, .compute = multiply_add_saturated},
    {"mul24", 2, BL_OF_24_BITS, .compute = multiply_24},
    {"mul_hi", 2, BL_OF_ONE_TYPE, .compute = multiply_high},
    {"popcount", 1, BL_OF_ONE_TYPE, .compute = ones},
    {"rhadd", 2, BL_OF_ONE_TYPE, .compute = half_sum_up},
    {"rotate", 2, BL_OF_ONE_TYPE, .compute = rotated},
    {"sub_sat", 2, BL_OF_ONE_TYPE, .compute = subtract_saturated},
    {"upsample", 2, BL_UPSAMPLE, .compute = joined},
    {"bitselect", 3, BL_OF_ONE_TYPE, .compute = select_bits},
    {"clamp", 3, BL_OF_ONE_TYPE, .compute = clamped},
    {"max", 2, BL_OF_ONE_TYPE, .compute = larger},
    {"min", 2, BL_OF_ONE_TYPE, .compute = smaller},
    {"select", 3, BL_SELECT, .compute = chosen},
};

/* Floating-point functions. They are listed so that they can be rejected with a clear message. */
static const char *const floating_functions[] = {
    "acos",  "asin", "atan",  "atan2", "cbrt", "ceil", "copysign", "cos",   "exp",
    "exp2",  "fabs", "floor", "fma",   "fmax", "fmin", "fmod",     "hypot", "log",
    "log10", "log2", "mad",   "mix",   "pow",  "pown", "powr",     "rint",  "round",
    "rsqrt", "sign", "sin",   "sqrt",  "step", "tan",  "tanh",     "trunc",
};

/* Names of constants and types. SCALAR: a type for which convert_TYPE and as_TYPE exist. */
struct name {
    const char *name;
    enum { CONSTANT, SCALAR, OTHER_TYPE } kind;
    enum bl_scalar type;
    uint64_t value; /* value of a constant */
};

static const struct name names[] = {
    {"CHAR_BIT", CONSTANT, BL_INT, 8},
    {"INT_MAX", CONSTANT, BL_INT, INT_MAX},
    {"INT_MIN", CONSTANT, BL_INT, (uint64_t)INT_MIN},
    {"LONG_MAX", CONSTANT, BL_LONG, INT64_MAX},
    {"LONG_MIN", CONSTANT, BL_LONG, (uint64_t)INT64_MIN},
    {"UINT_MAX", CONSTANT, BL_UINT, UINT32_MAX},
    {"ULONG_MAX", CONSTANT, BL_ULONG, UINT64_MAX},
    {"false", CONSTANT, BL_INT, 0},
    {"true", CONSTANT, BL_INT, 1},
    {"FLT_MAX", CONSTANT, BL_FLOATING, 0},
    {"M_E_F", CONSTANT, BL_FLOATING, 0},
    {"M_PI_F", CONSTANT, BL_FLOATING, 0},
    {"char", SCALAR, BL_CHAR, 0},
    {"uchar", SCALAR, BL_UCHAR, 0},
    {"short", SCALAR, BL_SHORT, 0},
    {"ushort", SCALAR, BL_USHORT, 0},
    {"int", SCALAR, BL_INT, 0},
    {"uint", SCALAR, BL_UINT, 0},
    {"long", SCALAR, BL_LONG, 0},
    {"ulong", SCALAR, BL_ULONG, 0},
    {"float", SCALAR, BL_FLOATING, 0},
    {"double", SCALAR, BL_FLOATING, 0},
    {"bool", OTHER_TYPE, BL_INT, 0},
    {"size_t", OTHER_TYPE, BL_ULONG, 0},
    {"ptrdiff_t", OTHER_TYPE, BL_LONG, 0},
    {"signed", OTHER_TYPE, BL_INT, 0},
    {"unsigned", OTHER_TYPE, BL_UINT, 0},
};

bool bl_word_is(struct bl_word word, const char *name)
{
    return strlen(name) == word.length && memcmp(word.at, name, word.length) == 0;
}

static const struct bl_tree_operation *named(const struct bl_tree_operation all[], size_t count,
                                             struct bl_word word)
{
    for (size_t i = 0; i < count; i++)
        if (bl_word_is(word, all[i].name))
            return &all[i];
    return NULL;
}

static const struct name *find_name(struct bl_word word)
{
    for (size_t i = 0; i < COUNT(names); i++)
        if (bl_word_is(word, names[i].name))
            return &names[i];
    return NULL;
}

const struct bl_tree_operation *bl_operator_named(struct bl_word word, unsigned operands)
{
    return operands == 1 ? named(signs, COUNT(signs), word)
                         : named(operators, COUNT(operators), word);
}

/* Removes a prefix from the word. Returns false if the word does not begin with the prefix. */
static bool takes_off(struct bl_word *word, const char *prefix)
{
    const size_t length = strlen(prefix);
    if (word->length < length || memcmp(word->at, prefix, length) != 0)
        return false;
    *word = (struct bl_word){word->at + length, word->length - length};
    return true;
}

/* Finds a conversion such as "convert_int_sat_rte" or "as_uint". The rounding mode has no effect on
 * integers. */
static const struct bl_tree_operation *conversion_named(struct bl_word word, enum bl_scalar *type)
{
    static const char *const modes[] = {"", "_rtz", "_rte", "_rtp", "_rtn"};
    const bool is_as = takes_off(&word, "as_");
    if (!is_as && !takes_off(&word, "convert_"))
        return NULL;
    const char *end = memchr(word.at, '_', word.length);
    const size_t length = end ? (size_t)(end - word.at) : word.length;
    const struct name *to = find_name((struct bl_word){word.at, length});
    if (!to || to->kind != SCALAR || (is_as && end))
        return NULL;
    *type = to->type;
    word = (struct bl_word){word.at + length, word.length - length};
    if (*type == BL_FLOATING)
        return &floating;
    const struct bl_tree_operation *const operation = is_as                      ? &reinterpret
                                                      : takes_off(&word, "_sat") ? &saturate
                                                                                 : &bl_cast;
    for (size_t i = 0; i < COUNT(modes); i++)
        if (bl_word_is(word, modes[i]))
            return operation;
    return NULL;
}

const struct bl_tree_operation *bl_function_named(struct bl_word word, enum bl_scalar *type)
{
    for (size_t i = 0; i < COUNT(floating_functions); i++)
        if (bl_word_is(word, floating_functions[i]))
            return &floating;
    const struct bl_tree_operation *function = named(functions, COUNT(functions), word);
    return function ? function : conversion_named(word, type);
}

bool bl_type_of_word(struct bl_word word, enum bl_scalar *type)
{
    const struct name *found = find_name(word);
    if (!found || found->kind == CONSTANT)
        return false;
    *type = found->type;
    return true;
}

bool bl_type_of_words(const struct bl_word words[], size_t count, enum bl_scalar *type)
{
    if (count == 1)
        return bl_type_of_word(words[0], type);
    const bool is_unsigned = bl_word_is(words[0], "unsigned");
    const struct name *found = find_name(words[1]);
    if (count != 2 || (!is_unsigned && !bl_word_is(words[0], "signed")) || !found ||
        found->kind != SCALAR || found->type == BL_FLOATING || !is_signed(found->type))
        return false;
    *type = (enum bl_scalar)(found->type + is_unsigned);
    return true;
}

bool bl_constant_named(struct bl_word word, struct bl_node *node)
{
    const struct name *found = find_name(word);
    if (!found || found->kind != CONSTANT)
        return false;
    *node = (struct bl_node){.type = found->type, .number = found->value};
    return true;
}

void bl_offer_names(struct bl_nearest *nearest, bool functions_only)
{
    for (size_t i = 0; i < COUNT(names) && !functions_only; i++)
        if (names[i].type != BL_FLOATING)
            bl_nearest_offer(nearest, names[i].name);
    for (size_t i = 0; i < COUNT(functions); i++)
        bl_nearest_offer(nearest, functions[i].name);
}

static enum bl_scalar common_of(enum bl_scalar a, enum bl_scalar b)
{
    const enum bl_scalar larger = a > b ? a : b;
    return larger > BL_INT ? larger : BL_INT;
}

/* The common type of the first `count` operands. It is narrower than int only if all of them have
 * the same narrow type. */
static enum bl_scalar common_of_operands(const struct bl_node *node, unsigned count)
{
    enum bl_scalar common = node->of[0] ? node->of[0]->type : BL_UINT;
    for (unsigned i = 1; i < count && i < node->operation->operands; i++)
        if (node->of[i]->type != common)
            common = common_of(common, node->of[i]->type);
    return common;
}

static bool are_of_one_type(const struct bl_node *node)
{
    for (unsigned i = 1; i < node->operation->operands; i++)
        if (node->of[i]->type != node->of[0]->type)
            return false;
    return true;
}

bool bl_node_settle(struct bl_node *node, struct bl_word name, char why[128])
{
    struct bl_node *const *of = node->of;
    const enum bl_signature signature = node->operation->signature;
    const enum bl_scalar first = common_of_operands(node, 1), common = common_of_operands(node, 2);
    node->operands = common;
    if (signature != BL_CONVERT && signature != BL_AS)
        node->type = common;
    switch (signature) {
    case BL_ARITHMETIC:
        node->type = node->operands = common_of(common, BL_INT);
        break;
    case BL_SHIFT:
        node->type = node->operands = common_of(first, BL_INT);
        break;
    case BL_TRUTH:
    case BL_AND:
    case BL_OR:
        node->type = BL_INT;
        break;
    case BL_CHOICE:
        node->type = common_of(of[1]->type, of[2]->type);
        break;
    case BL_OF_DIMENSION:
        node->operands = BL_UINT;
        node->type = BL_ULONG;
        break;
    case BL_OF_ONE_TYPE: /* OpenCL C has one function per type, so mixed types are ambiguous */
        snprintf(why, 128, "needs operands of the same type; cast one, as in %.*s(%s, 3)",
                 (int)name.length, name.at, "(int)get_global_id(0)");
        return are_of_one_type(node);
    case BL_TO_UNSIGNED:
        node->type = (enum bl_scalar)(common | 1);
        break;
    case BL_OF_24_BITS:
        node->type = node->operands = common_of_operands(node, 3) % 2 ? BL_UINT : BL_INT;
        break;
    case BL_UPSAMPLE:
        snprintf(why, 128, "accepts at most 32 bits");
        node->operands = first;
        node->type = (enum bl_scalar)(first + 2);
        return first <= BL_UINT;
    case BL_AS:
        snprintf(why, 128, "needs a value of %u bytes, but this one has %u",
                 scalar_bytes(node->type), scalar_bytes(first));
        return scalar_bytes(first) == scalar_bytes(node->type);
    case BL_OF_NOTHING:
    case BL_SELECT:
    case BL_CONVERT:
    case BL_OF_TABLE:    /* settled by the parser */
    case BL_OF_FLOATING: /* refused by the parser */
        break;
    }
    return true;
}

/* A work-item's id or size in a dimension. In dimensions that the launch does not have, ids are 0
 * and sizes are 1. */
static uint64_t id_of(const struct bl_work_item *item, enum bl_id id, uint64_t dimension)
{
    return dimension < 2 ? item->of[id][dimension] : id >= BL_GLOBAL_SIZE;
}

/* Whether of[0] / of[1] is undefined: the divisor is 0, or the quotient does not fit into the type.
 */
static bool is_no_divisor(enum bl_scalar type, const uint64_t of[])
{
    return of[1] == 0 || (is_signed(type) && of[0] == lowest(type) && of[1] == UINT64_MAX);
}

uint64_t bl_node_value(const struct bl_node *node, const struct bl_work_item *item,
                       struct bl_no_value *none)
{
    const struct bl_tree_operation *operation = node->operation;
    if (!operation)
        return node->number;
    const enum bl_signature signature = operation->signature;
    if (signature == BL_AND || signature == BL_OR || signature == BL_CHOICE) {
        const bool first = bl_node_value(node->of[0], item, none) != 0;
        if (signature == BL_CHOICE)
            return converted(node->type, bl_node_value(node->of[first ? 1 : 2], item, none));
        return first == (signature == BL_OR) ? first : bl_node_value(node->of[1], item, none) != 0;
    }
    uint64_t of[BL_MAX_OPERANDS] = {0};
    for (unsigned i = 0; i < operation->operands; i++)
        of[i] = converted(node->operands, bl_node_value(node->of[i], item, none));
    if (signature == BL_OF_TABLE) {
        int32_t value = 0;
        if (!bl_lookup_value(node->lookup, (int64_t)of[0], &value) && none->fault == BL_NO_FAULT)
            *none = (struct bl_no_value){BL_FAULT_TABLE, (int64_t)of[0]};
        return (uint64_t)(int64_t)value;
    }
    if (!operation->compute)
        return id_of(item, operation->id, of[0]);
    if ((operation->compute == divide || operation->compute == modulo) &&
        is_no_divisor(node->operands, of)) {
        none->fault = BL_FAULT_DIVISION;
        return 0;
    }
    return converted(node->type, operation->compute(node, of));
}
