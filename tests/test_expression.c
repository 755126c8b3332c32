/* Tests that index expressions have the same values as in C, or as in OpenCL C where it differs,
 * and that other texts are refused with the place of the error. */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "model/expression.h"
#include "model/lookup.h"

static struct bl_error error;

/* A launch of 3x2 groups of 8x4. The work-item is the third from the end in x and the last in y, in
 * the last group. */
static const struct bl_work_item item = {{
    [BL_GLOBAL_ID] = {21, 7},
    [BL_LOCAL_ID] = {5, 3},
    [BL_GROUP_ID] = {2, 1},
    [BL_GLOBAL_SIZE] = {24, 8},
    [BL_LOCAL_SIZE] = {8, 4},
    [BL_NUM_GROUPS] = {3, 2},
}};

/* Computes the expression for the work-item. *is_defined receives false if a division by zero, or
 * an overflow in a division, occurs. */
static int64_t computed(const char *text, bool *is_defined)
{
    struct bl_expression expression;
    int64_t value = 0;
    error = (struct bl_error){0};
    cr_assert_eq(bl_expression_parse(text, NULL, &expression, &error), BL_OK, "%s: %s", text,
                 error.sentence);
    cr_assert_str_eq(expression.text, text);
    *is_defined = bl_expression_compute(&expression, &item, &value) == BL_NO_FAULT;
    bl_expression_free(&expression);
    return value;
}

/* Checks the value of an expression. */
static void is(const char *text, int64_t expected)
{
    bool is_defined;
    const int64_t value = computed(text, &is_defined);
    cr_assert(is_defined, "%s", text);
    cr_assert_eq(value, expected, "%s is %lld and not %lld", text, (long long)value,
                 (long long)expected);
}

/* Checks that computing the expression divides by zero, or overflows in a division. */
static void divides_by_nothing(const char *text)
{
    bool is_defined;
    computed(text, &is_defined);
    cr_assert_not(is_defined, "%s", text);
}

/* The C compiler computes the expected value from the same text. */
#define SAME(expression) is(#expression, (int64_t)(expression))

typedef unsigned char uchar;
#define get_global_id(d) ((ulong)item.of[BL_GLOBAL_ID][d])
#define get_local_id(d) ((ulong)item.of[BL_LOCAL_ID][d])
#define get_group_id(d) ((ulong)item.of[BL_GROUP_ID][d])
#define get_global_size(d) ((ulong)item.of[BL_GLOBAL_SIZE][d])
#define get_local_size(d) ((ulong)item.of[BL_LOCAL_SIZE][d])
#define get_num_groups(d) ((ulong)item.of[BL_NUM_GROUPS][d])

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"

Test(expression, operators_have_the_precedence_of_c)
{
    SAME(1 ^ 2 >> 3 & 0x1fUL | 4 == 5 < 6);
    SAME(1 - 2 - 3);
    SAME(100 / 7 / 2 * 3 % 5);
    SAME(1 || 2 && 3 ? 4 : 5 ? 6 : 7);
    SAME(0 || 0 && 3 ? 4 : 0 ? 6 : 7);
    SAME(1 ? 2 ? 3 : 4 : 5);
    SAME(1 - -2 - -3);
    SAME(- -+~!1 == true);
    SAME(6 / (1u + 2) << 1);
    SAME(1 << 2 + 3 & 0x20 ^ 7);
    SAME(7 & 3 == 3);
    SAME(2 + 3 * 4 % 5 - 6);
    SAME((2 + 3) * -(4 % 3));
    is("\t get_global_id(0u)*3 + 5 ", 21 * 3 + 5);
}

Test(expression, casts_convert_as_in_c)
{
    SAME((unsigned long)3 + (signed)-4l);
    SAME((bool)2 + (size_t)1 + (ptrdiff_t)1 + (bool)256 - (bool)0);
    SAME((uchar)300 + (char)-200 + (short)40000 + (ushort)-1);
    SAME((unsigned short)70000 + (unsigned char)511 + (signed char)511 + (signed int)5);
    SAME((uint)-1 >> 4);
    SAME((int)4294967295u + (long)(int)0xffffffff);
    SAME((ulong)(char)-1 >> 60);
    SAME(-(uchar)1 - ~(ushort)5);
    SAME((char)100 / (uchar)7);
}

Test(expression, id_functions_return_the_ids_and_sizes_of_the_work_item)
{
    SAME(get_global_id(0) + 100 * get_global_id(1) + 10000 * get_local_id(0));
    SAME(get_group_id(1) * 7 + get_num_groups(0) * 5 + get_global_size(1) + get_local_size(0));
    SAME(get_local_id(0) - get_global_id(0) > 0); /* ids are unsigned */
    SAME((int)get_local_id(0) - 20);
    is("get_global_id(2) + get_group_id(2) + get_local_id(3)", 0);
    is("get_local_size(2) * 100 + get_num_groups(-1) * 10 + get_global_size(7)", 111);
    is("get_work_dim() * 10 + get_global_offset(0) + get_global_offset(1)", 20);
}

/* Expressions that test promotion and common types of a pair of types, with positive and negative
 * values. */
#define PAIR(T, U)                                              \
    SAME((T)200 + (U)-3), SAME((T)-7 / (U)2);                   \
    SAME((T)-7 % (U)5), SAME((T)-3 * (U)200);                   \
    SAME((T)-1 < (U)1), SAME((T)-1 == (U)-1);                   \
    SAME((T)-1 >= (U)-2), SAME((T)-5 >> (U)1);                  \
    SAME((T)3 << (U)2), SAME(((T)200 | (U)-256) ^ (T)-1);       \
    SAME((1 ? (T)-1 : (U)5) / 3), SAME((0 ? (T)-1 : (U)5) - 6); \
    SAME(-(T)1 & (U)-2), SAME(~(T)5 != (U)1 && !(U)0);
#define WITH_ALL(T) \
    PAIR(T, char)   \
    PAIR(T, uchar)  \
    PAIR(T, short) PAIR(T, ushort) PAIR(T, int) PAIR(T, uint) PAIR(T, long) PAIR(T, ulong)

Test(expression, operands_get_the_common_type_of_c)
{
    WITH_ALL(char)
    WITH_ALL(uchar)
    WITH_ALL(short)
    WITH_ALL(ushort)
    WITH_ALL(int)
    WITH_ALL(uint)
    WITH_ALL(long)
    WITH_ALL(ulong)
    SAME(1 ? -1 : 5u);
    SAME((0 ? 5u : -1) + 0l);
    SAME(-7 / 2u >> 24);
    SAME(-7l / 2u);
    SAME(1u - 2 > 0);
    SAME(0 && 2 || 3u - 4);
}

Test(expression, unsigned_integers_wrap_around)
{
    SAME(UINT_MAX + 1);
    SAME(0u - 1);
    SAME(ULONG_MAX + 2);
    SAME(4000000000u * 3);
    SAME(-1 * 1u);
    SAME(INT_MAX + 1u);
    SAME(get_local_id(0) - 6);
}

#pragma GCC diagnostic pop

/* In C, signed overflow is undefined. In an index expression, the value wraps around. */
Test(expression, signed_integers_wrap_around)
{
    is("INT_MAX + 1", INT_MIN);
    is("INT_MIN - 1", INT_MAX);
    is("-INT_MIN", INT_MIN);
    is("1 << 31", INT_MIN);
    is("65536 * 65536 + 5", 5);
    is("LONG_MAX + 1", INT64_MIN);
}

Test(expression, shifts_are_modulo_the_width_as_in_opencl)
{
    is("1 << 33", 2);
    is("1 << 32", 1);
    is("1l << 65", 2);
    is("1l << 33", INT64_C(1) << 33);
    is("-8 >> 33", -4);
    is("1u >> 32", 1);
    is("(char)1 << 9", 512);
    is("(uchar)255 >> 32", 255);
    is("1 << -1", INT_MIN);
    is("3 << 64ul", 3);
}

Test(expression, a_division_by_zero_or_an_overflow_is_found_only_where_it_is_computed)
{
    static const char *const texts[] = {"1 / 0",
                                        "1 % 0",
                                        "0 / 0ul",
                                        "1 / (get_local_id(0) - 5)",
                                        "INT_MIN / -1",
                                        "INT_MIN % -1",
                                        "LONG_MIN / -1",
                                        "LONG_MIN % (-1l) + 1",
                                        "select(1, 1 / 0, 0)",
                                        "min(1 % 0, 2)",
                                        "1 ? 2 % (3 - 3) : 4"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        divides_by_nothing(texts[i]);
    is("0 ? 1 / 0 : 5", 5);
    is("1 ? 5 : 1 % 0", 5);
    is("0 && 1 % 0", 0);
    is("2 || 1 / 0", 1);
    is("(char)-128 / (char)-1", 128);
    is("INT_MIN / -1l", INT64_C(2147483648));
    is("INT_MIN / 1", INT_MIN);
    is("UINT_MAX / -1", 1);
    is("-7 / 2 * 10 + -7 % 3", -31);
}

Test(expression, integer_functions_have_the_results_of_opencl)
{
    static const struct {
        const char *text;
        int64_t value;
    } calls[] = {
        {"min((char)-5, (char)3)", -5},
        {"min(get_local_id(0), 3ul)", 3},
        {"max(-1, 1) + max(UINT_MAX, 1u) - UINT_MAX", 1},
        {"clamp(7, 1, 5) * 10 + clamp((char)-7, (char)1, (char)5)", 51},
        {"abs(-5) + abs(3u) + abs((short)-3)", 11},
        {"abs(INT_MIN)", INT64_C(2147483648)},
        {"abs((char)-128)", 128},
        {"abs(-1) - 2 > 0", 1},
        {"abs_diff(INT_MIN, INT_MAX)", UINT32_MAX},
        {"abs_diff(LONG_MIN, LONG_MAX)", -1},
        {"abs_diff(1u, 5u) + abs_diff(5, 1)", 8},
        {"abs_diff(-1, 1u)", UINT32_MAX - 1},
        {"add_sat((char)100, (char)100)", 127},
        {"add_sat((uchar)200, (uchar)100)", 255},
        {"add_sat(INT_MIN, -1)", INT_MIN},
        {"add_sat(LONG_MAX, 1l)", INT64_MAX},
        {"add_sat(ULONG_MAX, 2ul)", -1},
        {"sub_sat(3u, 5u) + sub_sat(5, 3)", 2},
        {"sub_sat(LONG_MIN, 1l)", INT64_MIN},
        {"sub_sat((short)-32768, (short)1)", -32768},
        {"sub_sat(ULONG_MAX, 1ul)", -2},
        {"hadd(-3, -4) * 10 + rhadd(-3, -4)", -43},
        {"hadd(1, 2) * 10 + rhadd(1, 2)", 12},
        {"hadd(-3l, 4l) * 10 + rhadd(-3l, 4l)", 1},
        {"hadd(UINT_MAX, UINT_MAX)", UINT32_MAX},
        {"rhadd(LONG_MAX, LONG_MAX)", INT64_MAX},
        {"rhadd((uchar)255, (uchar)254)", 255},
        {"mul_hi(-1, 1)", -1},
        {"mul_hi(ULONG_MAX, ULONG_MAX)", -2},
        {"mul_hi(LONG_MIN, LONG_MIN)", INT64_C(1) << 62},
        {"mul_hi((uchar)255, (uchar)255)", 254},
        {"mad_hi(INT_MAX, 4, 1)", 2},
        {"mad_sat(INT_MAX, 2, 5)", INT_MAX},
        {"mad_sat(-3, 4, 2)", -10},
        {"mad_sat(LONG_MIN, 2l, 0l)", INT64_MIN},
        {"mad_sat(ULONG_MAX, ULONG_MAX, ULONG_MAX)", -1},
        {"mad_sat(3ul, 4ul, 5ul)", 17},
        {"mad_sat((uchar)10, (uchar)20, (uchar)100)", 255},
        {"mul24(3, -4)", -12},
        {"mul24(1 << 24, 5)", 0},
        {"mul24(0x800000, 1)", -8388608},
        {"mul24(0x800000u, 1u)", 8388608},
        {"mul24(get_local_size(0), 4)", 32},
        {"mad24(1 << 12, 1 << 12, 7)", 16777223},
        {"mad24(get_local_size(0), 2, 1l)", 17},
        {"popcount((char)-1) + popcount(-1l) + popcount(0)", 72},
        {"clz((uchar)1) + clz(0) + clz(-1) + clz(1l)", 7 + 32 + 0 + 63},
        {"ctz(8) + ctz(0) + ctz((short)0) + ctz(1ul << 40)", 3 + 32 + 16 + 40},
        {"rotate((uchar)129, (uchar)1)", 3},
        {"rotate(0x80000001u, 4u)", 0x18},
        {"rotate(1, 32) + rotate(1, 33)", 3},
        {"rotate(1, -1)", INT_MIN},
        {"rotate(1l, 63l)", INT64_MIN},
        {"select(1, 2l, get_local_size(0)) * 10 + select(5, 6u, 0)", 25},
        {"select((char)1, (char)2, 256)", 2},
        {"upsample((short)1, 2)", 65538},
        {"upsample((uchar)1, 2) + upsample(0, 7)", 265},
        {"upsample((char)-1, (uchar)255)", -1},
        {"upsample(-1, 5u)", INT64_C(-4294967291)},
        {"bitselect(5, 10, 6)", 3},
        {"bitselect((uchar)0xf0, (uchar)0x0f, (uchar)0x3c)", 0xcc},
        {"convert_uchar_sat(300) * 10 + convert_uchar_sat(-5)", 2550},
        {"convert_char_sat(ULONG_MAX)", 127},
        {"convert_long_sat(ULONG_MAX)", INT64_MAX},
        {"convert_ulong_sat(-1)", 0},
        {"convert_short_sat_rtn(-40000)", -32768},
        {"convert_uchar(300) + convert_int_rte(7) + convert_long_rtz(1u)", 52},
        {"as_int(3000000000u)", -1294967296},
        {"as_char((uchar)200) + as_ulong(1l)", -55},
        {"as_uint(-1) - convert_uchar_sat(300)", UINT32_MAX - 255},
        {"CHAR_BIT * 100 + true * 10 + false", 810},
        {"LONG_MIN + LONG_MAX + (long)ULONG_MAX + UINT_MAX", UINT32_MAX - 2},
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        is(calls[i].text, calls[i].value);
}

Test(expression, integer_constants_have_the_types_of_c)
{
    static const struct {
        const char *number;
        int bits;
        bool is_unsigned;
    } numbers[] = {
        {"2147483647", 32, false},
        {"2147483648", 64, false},
        {"0x7fffffff", 32, false},
        {"0x80000000", 32, true},
        {"037777777777", 32, true},
        {"4294967296", 64, false},
        {"1u", 32, true},
        {"1L", 64, false},
        {"1lU", 64, true},
        {"0xffffffffffffffff", 64, true},
        {"0x7fffffffffffffff", 64, false},
        {"0", 32, false},
        {"18446744073709551615u", 64, true},
        {"0X1fUL", 64, true},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char text[128];
        const char *number = numbers[i].number;
        snprintf(text, sizeof text, "popcount(%s * 0 - 1) * 10 + (%s * 0 - 1 > 0)", number, number);
        is(text, numbers[i].bits * 10 + numbers[i].is_unsigned);
    }
    is("037777777777 - 0xFF + 010", INT64_C(4294967295) - 255 + 8);
}

Test(expression, recorded_values_are_found_by_global_id)
{
    const uint64_t values[] = {7, 5, INT32_MAX};
    struct bl_expression expression;
    cr_assert_eq(bl_expression_of_table("a line", values, 3, &expression, &error), BL_OK);
    cr_assert_str_eq(expression.text, "a line");
    cr_assert_eq(expression.table_count, 3);
    for (uint64_t i = 0; i < 3; i++) {
        const struct bl_work_item own = {{[BL_GLOBAL_ID] = {i, 0}}};
        int64_t value;
        cr_assert_eq(bl_expression_compute(&expression, &own, &value), BL_NO_FAULT);
        cr_assert_eq(value, (int64_t)values[i]);
    }
    bl_expression_free(&expression);
}

Test(expression, the_name_table_reads_a_given_table)
{
    struct bl_lookup lookup;
    struct bl_expression expression;
    int64_t value;
    static const struct {
        const char *text;
        enum bl_fault fault;
        int64_t value;
    } texts[] = {
        {"table[2]", BL_NO_FAULT, -7},
        {"table[table[0]] * 10 + 1", BL_NO_FAULT, 301},
        {"table [ get_local_id(0) - 5 ]", BL_NO_FAULT, 1},
        {"table[3]", BL_FAULT_TABLE, 3},
        {"table[0 - 1]", BL_FAULT_TABLE, -1},
        {"table[18446744073709551615ul]", BL_FAULT_TABLE, -1},
        {"table[table[3]] + table[7]", BL_FAULT_TABLE, 3},
        {"0 ? table[9] : 4", BL_NO_FAULT, 4},
    };
    int32_t values[] = {1, 30, -7};
    lookup = (struct bl_lookup){.values = values, .count = 3};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        cr_assert_eq(bl_expression_parse(texts[i].text, &lookup, &expression, &error), BL_OK,
                     "%s: %s", texts[i].text, error.sentence);
        const enum bl_fault fault = bl_expression_compute(&expression, &item, &value);
        cr_assert_eq(fault, texts[i].fault, "%s: %d", texts[i].text, (int)fault);
        cr_assert_eq(value, texts[i].value, "%s is %lld", texts[i].text, (long long)value);
        bl_expression_free(&expression);
    }
}

Test(expression, tables_are_read_from_files_or_made_from_patterns)
{
    struct bl_lookup lookup;
    int32_t value, again;
    cr_assert_eq(bl_lookup_open("permutation:100:7", &lookup, &error), BL_OK);
    cr_assert_str_eq(lookup.name, "a permutation of 100, seed 7");
    bool seen[100] = {false};
    for (int i = 0; i < 100; i++) {
        cr_assert(bl_lookup_value(&lookup, i, &value));
        cr_assert(value >= 0 && value < 100 && !seen[value]);
        seen[value] = true;
    }
    cr_assert_not(bl_lookup_value(&lookup, 100, &value));
    bl_lookup_free(&lookup);
    cr_assert_eq(bl_lookup_open("random:10", &lookup, &error), BL_OK);
    cr_assert_str_eq(lookup.name, "random below 10, seed 1");
    for (int64_t i = 0; i < 1000; i++) {
        cr_assert(bl_lookup_value(&lookup, i, &value) && bl_lookup_value(&lookup, i, &again));
        cr_assert(value >= 0 && value < 10 && value == again);
    }
    cr_assert_not(bl_lookup_value(&lookup, -1, &value));
    bl_lookup_free(&lookup);
    static const char *const wrong[] = {"random:",   "random:0",           "random:x",
                                        "random:5:", "random:5:x",         "permutation:-1",
                                        "random:5 ", "random:99999999999", "permutation:16777217"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        cr_assert_eq(bl_lookup_open(wrong[i], &lookup, &error), BL_USAGE, "%s", wrong[i]);
        bl_lookup_free(&lookup);
    }
}

/* The next tests check that other texts are refused, with the place of the error. */

static bool is_taken(const char *text)
{
    struct bl_expression expression;
    error = (struct bl_error){0};
    const enum bl_status status = bl_expression_parse(text, NULL, &expression, &error);
    bl_expression_free(&expression);
    return status == BL_OK;
}

/* The column at which the message's caret (^) marks the error, from 0; -1 if there is no caret. */
static int caret(void)
{
    const char *line = strchr(error.log, '\n'), *at = line ? strchr(line, '^') : NULL;
    return at ? (int)(at - line) - 3 : -1;
}

static void refused(const char *text, const char *sentence_part, int column)
{
    cr_assert_not(is_taken(text), "'%s'", text);
    cr_assert_eq(error.status, BL_BAD_EXPRESSION);
    cr_assert(strstr(error.sentence, sentence_part), "'%s': %s", text, error.sentence);
    cr_assert_eq(caret(), column, "'%s': caret at %d", text, caret());
    cr_assert_not(strchr(error.sentence, '\n'));
}

Test(expression_refused, floating_point_types_are_refused_by_name)
{
    static const struct {
        const char *text, *name;
        int column;
    } all[] = {
        {"1.5f", "'1.5f'", 0},
        {"get_global_id(0) / 2.0f", "'2.0f'", 19},
        {"1 + 2.0", "'2.0'", 4},
        {"1 ? 2 : .5f", "'.5f'", 8},
        {"1e3f", "'1e3f'", 0},
        {"5 + 1E-3f", "'1E-3f'", 4},
        {"0x1p3f", "'0x1p3f'", 0},
        {"0x.8P-3f", "'0x.8P-3f'", 0},
        {"0x1.8", "'0x1.8'", 0},
        {"1.2.3", "'1.2.3'", 0},
        {"1e", "'1e'", 0},
        {"1 + (float)2", "'float'", 5},
        {"(double)2", "'double'", 1},
        {"float(2)", "'float'", 0},
        {"(int)sqrt(16)", "'sqrt'", 5},
        {"1 + cbrt(8)", "'cbrt'", 4},
        {"pow(2, 3)", "'pow'", 0},
        {"sqrt", "'sqrt'", 0},
        {"convert_float(1)", "'convert_float'", 0},
        {"convert_float_sat(1)", "'convert_float_sat'", 0},
        {"as_double(1l)", "'as_double'", 0},
        {"2 * M_PI_F", "'M_PI_F'", 4},
        {"FLT_MAX", "'FLT_MAX'", 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        refused(all[i].text, " is floating-point, but an index must be an integer", all[i].column);
        cr_assert(strstr(error.sentence, all[i].name), "'%s': %s", all[i].text, error.sentence);
    }
}

Test(expression_refused, numbers_that_fit_no_type_are_refused)
{
    const char *const none[] = {"08",   "1ll",  "1uu",  "0x",  "18446744073709551616",
                                "1fu",  "12ab", "0b11", "1p3", "9223372036854775808",
                                "0x1g", "1lul", "0b",   "1f",  "0x1e+1"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        refused(none[i], "is not an integer that fits", 0);
}

Test(expression_refused, calls_and_types_that_opencl_c_would_not_compile_are_refused)
{
    refused("1 + min(get_global_id(0), 3)", "'min' needs operands of the same type", 4);
    refused("min(1, 2u)", "cast one, as in min((int)get_global_id(0), 3)", 0);
    refused("clamp((char)1, (uchar)2, 3u)", "'clamp' needs operands of the same type", 0);
    refused("get_global_id(0, 1)", "'get_global_id' takes 1 argument, not 2", 0);
    refused("1 + min(1)", "'min' takes 2 arguments, not 1", 4);
    refused("get_local_id()", "takes 1 argument, not 0", 0);
    refused("get_work_dim(1)", "takes 0 arguments, not 1", 0);
    refused("as_int(1l)", "'as_int' needs a value of 4 bytes, but this one has 8", 0);
    refused("upsample(1l, 1)", "at most 32 bits", 0);
    refused("(int2)(1, 2)", "'int2' is a vector", 1);
    refused("convert_int4(1)", "unknown function", 0);
    refused("(long long)1", "unknown type 'long long'", 1);
    refused("(unsigned float)1", "unknown type 'unsigned float'", 1);
    refused("(short unsigned int)1", "unknown type 'short unsigned int'", 1);
    refused("1 ? 2", "this '?' has no ':'", 2);
    refused("1 : 2", "a ':' without a '?'", 2);
    refused("int(1)", "'int' is a type; write a cast as (int)", 0);
    refused("1 + true(1)", "unknown function", 4);
}

Test(expression_refused, for_an_unknown_name_the_nearest_known_name_is_suggested)
{
    refused("get_glbal_id(0)", "unknown function 'get_glbal_id'; did you mean 'get_global_id'?", 0);
    refused("1 + mxa(1, 2)", "did you mean 'max'?", 4);
    refused("2 * INTMAX", "unknown name 'INTMAX'; did you mean 'INT_MAX'?", 4);
    refused("(unsinged)1", "did you mean 'unsigned'?", 1);
    refused("quite_another(1)", "an index expression may call get_global_id", 0);
    refused("quite_another", "may contain get_global_id(0)", 0);
}

Test(expression_refused, directives_and_comments_and_characters_without_a_meaning_are_refused)
{
    refused("0); *data = 1; (0", "never opened", 1);
    refused("0; }", "';' has no place", 1);
    refused("({ 1; })", "'{' has no place", 1);
    refused("1 // 2", "a comment", 2);
    refused("1 /* 2", "a comment", 2);
    refused("1 /\\\n/ 2", "'\\' has no place", 3);
    refused("1\n#define get_global_id 0", "byte 0x0a", 1);
    refused("1\r+ 2", "byte 0x0d", 1);
    refused("#include \"x\"", "'#' has no place", 0);
    refused("%: 1", "a directive", 0);
    refused("1 %:2", "a directive", 2);
    refused("1 ?\?/ 2", "a trigraph", 2);
    refused("<% 1 %>", "a brace", 0);
    refused("1 <: 2 :>", "a bracket", 2);
    refused("get_local_id[0]", "write its arguments in parentheses", 0);
    refused("table[0]", "--table FILE, --table random:N or --table permutation:N", 0);
    refused("1 + neighbours[get_global_id(0)]", "as table[...]", 4);
    refused("1 [ 2 ]", "", 2);
    refused("\"text\"", "'\"' has no place", 0);
    refused("'a'", "''' has no place", 0);
    refused("1 @ 2", "'@' has no place", 2);
    refused("`1`", "'`' has no place", 0);
    refused("$x", "'$' has no place", 0);
    refused("\xC3\xA9", "byte 0xc3", 0);
    refused("1 \x01", "byte 0x01", 2);
    refused("1 -> 2", "a pointer", 2);
}

Test(expression_refused, unknown_names_and_functions_and_assignments_are_refused)
{
    refused("rounds", "unknown name 'rounds'", 0);
    refused("1 + fault", "unknown name 'fault'", 4);
    refused("fault = 0", "unknown name 'fault'", 0);
    refused("1 = 2", "cannot assign", 2);
    refused("1 <<= 2", "cannot assign", 2);
    refused("1 += 2", "cannot assign", 2);
    refused("1++", "a change of a value", 1);
    refused("--1", "a change of a value", 0);
    refused("barrier(1)", "unknown function 'barrier'", 0);
    refused("2 + printf(0)", "unknown function 'printf'", 4);
    refused("__builtin_trap()", "unknown function", 0);
    refused("asm(0)", "unknown function 'asm'", 0);
    refused("sizeof(int)", "unknown function 'sizeof'", 0);
    refused("convert_event_t(1)", "unknown function", 0);
    refused("convert_int_up(1)", "unknown function", 0);
    refused("as_int5(1)", "unknown function", 0);
    refused("(event_t)1", "unknown name 'event_t'", 1);
    refused("*1", "an operand is missing before '*'", 0);
    refused("&1", "an operand is missing before '&'", 0);
    refused("__LINE__", "unknown name", 0);
}

Test(expression_refused, incomplete_expressions_are_refused_at_their_end)
{
    refused("", "is empty", -1);
    refused(" \t ", "is empty", -1);
    refused("1 +", "an operand is missing", 3);
    refused("(1", "never closed", 0);
    refused("(1 + (2)", "never closed", 0);
    refused("1)", "never opened", 1);
    refused("1 2", "an operator is missing", 2);
    refused("1 (2)", "an operator is missing", 2);
    refused("get_global_id", "write its arguments in parentheses", 0);
    refused("min(1,)", "an operand is missing before ')'", 6);
    refused("(1), 2", "outside a function's arguments", 3);
    refused("1, 2", "outside a function's arguments", 1);
    refused("()", "an operand is missing before ')'", 1);
}

Test(expression_refused, incomplete_casts_are_refused)
{
    refused("get_global_id(0).x", "'.' has no place", 16);
    refused("(int", "'int' is a type", 1);
    refused("(int int 2)1", "'int' is a type", 1);
    refused("(2)1", "an operator is missing", 3);
    refused("(1 2)", "an operator is missing", 3);
    refused("(16)1", "an operator is missing", 4);
}

Test(expression_refused, length_and_depth_are_bounded)
{
    char text[BL_LONGEST_EXPRESSION + 2];
    for (size_t i = 0; i < BL_LONGEST_EXPRESSION; i++)
        text[i] = i % 2 ? '+' : '1';
    text[BL_LONGEST_EXPRESSION - 1] = ' ';
    text[BL_LONGEST_EXPRESSION] = '\0';
    is(text, BL_LONGEST_EXPRESSION / 2);
    text[BL_LONGEST_EXPRESSION] = '1';
    text[BL_LONGEST_EXPRESSION + 1] = '\0';
    refused(text, "at most 400 characters", -1);
    for (int depth = 64; depth <= 65; depth++) {
        memset(text, '(', (size_t)depth);
        text[depth] = '1';
        memset(text + depth + 1, ')', (size_t)depth);
        text[2 * depth + 1] = '\0';
        cr_assert_eq(is_taken(text), depth == 64, "%d parentheses", depth);
    }
    memset(text, '-', BL_LONGEST_EXPRESSION);
    for (int i = 0; i < BL_LONGEST_EXPRESSION; i += 2)
        text[i] = ' ';
    text[BL_LONGEST_EXPRESSION] = '\0';
    refused(text, "signs and casts", 129);
    char *at = text; /* conditions nested in the last and in the middle operand, and nested calls */
    for (int i = 0; i < 99; i++)
        at += sprintf(at, "0?1:");
    strcpy(at, "9");
    is(text, 9);
    at = text;
    for (int i = 0; i < 99; i++)
        at += sprintf(at, "1?");
    at += sprintf(at, "7");
    for (int i = 0; i < 99; i++)
        at += sprintf(at, ":8");
    is(text, 7);
    at = text;
    for (int i = 0; i < 33; i++)
        at += sprintf(at, "select(1,");
    at += sprintf(at, "3");
    for (int i = 0; i < 33; i++)
        at += sprintf(at, ",1)");
    is(text, 3);
}
