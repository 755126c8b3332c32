/* Index expressions are taken apart before any of them gets near a compiler. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/expression.h"

static struct bl_error error;

/* The guarded text without its blanks, or NULL if the expression is refused. */
static char *guarded(const char *text)
{
    struct bl_expression expression;
    error = (struct bl_error){0};
    char *result = NULL;
    if (bl_expression_parse(text, &expression, &error) == BL_OK) {
        cr_assert_str_eq(expression.text, text);
        result = strdup(expression.guarded);
        size_t used = 0;
        for (const char *at = result; *at; at++)
            if (!isspace((unsigned char)*at))
                result[used++] = *at;
        result[used] = '\0';
    }
    bl_expression_free(&expression);
    return result;
}

static void becomes(const char *text, const char *expected)
{
    char *got = guarded(text);
    cr_assert_not_null(got, "%s: %s", text, error.sentence);
    cr_assert_str_eq(got, expected);
    free(got);
}

/* Column from 0, or -1 where there is no caret. */
static int caret(void)
{
    const char *line = strchr(error.log, '\n'), *at = line ? strchr(line, '^') : NULL;
    return at ? (int)(at - line) - 3 : -1;
}

static void refused(const char *text, const char *sentence_part, int column)
{
    char *got = guarded(text);
    cr_assert_null(got, "'%s' became %s", text, got);
    cr_assert_eq(error.status, BL_BAD_EXPRESSION);
    cr_assert(strstr(error.sentence, sentence_part), "'%s': %s", text, error.sentence);
    cr_assert_eq(caret(), column, "'%s': caret at %d", text, caret());
    cr_assert_not(strchr(error.sentence, '\n'));
}

Test(expression, precedence_and_types_are_cs)
{
    becomes("get_global_id(0)", "get_global_id(((uint)0))");
    becomes(" get_global_id(0u)*3 + 5\t", "((get_global_id(0u)*3)+5)");
    becomes("1 ^ 2 >> 3 & 0x1fUL | 4 == 5 < 6", "((1^((2>>3)&0x1fUL))|(4==(5<6)))");
    becomes("1 - 2 - 3", "((1-2)-3)");
    becomes("1 || 2 && 3 ? 4 : 5 ? 6 : 7", "((1||(2&&3))?4:(5?6:7))");
    becomes("1 ? 2 ? 3 : 4 : 5", "(1?(2?3:4):5)");
    becomes("- - +~!1 == true", "(--+~!1==((int)true))");
    becomes("(unsigned long)3 + (signed)-4l", "(((ulong)3)+((int)-4l))");
    becomes("(bool)2 + (size_t)1 + (ptrdiff_t)1", "((((int)(bool)2)+((ulong)1))+((long)1))");
    becomes("as_int(3u) - convert_uchar_sat(300)", "(as_int(3u)-convert_uchar_sat(300))");
    becomes("get_work_dim()", "get_work_dim()");
}

Test(expression, signs_do_not_run_together)
{
    struct bl_expression expression;
    cr_assert_eq(bl_expression_parse("1 - -2 - - 3", &expression, NULL), BL_OK);
    cr_assert_null(strstr(expression.guarded, "--"));
    bl_expression_free(&expression);
}

Test(expression, a_line_of_the_guarded_text_is_of_the_column_of_its_number)
{
    struct bl_expression expression;
    cr_assert_eq(bl_expression_parse("7 / min(2u, 3u)", &expression, NULL), BL_OK);
    cr_assert_str_eq(expression.guarded, " divide_uint( 7\n\n ,\n\n min(\n\n\n\n 2u,\n\n\n\n 3u)"
                                         ", fault)\n");
    bl_expression_free(&expression);
}

Test(expression, every_division_is_guarded_with_its_own_operands)
{
    becomes("1 / 2", "divide_int(1,2,fault)");
    becomes("1 / 2 / 3", "divide_int(divide_int(1,2,fault),3,fault)");
    becomes("1 + 2 * 3 % 4l * 5", "(1+(modulo_long((2*3),4l,fault)*5))");
    becomes("1 / -(2 % 3)", "divide_int(1,-modulo_int(2,3,fault),fault)");
    becomes("(char)1 / (uchar)2", "divide_int(((char)1),((uchar)2),fault)");
    becomes("1 / (int)(char)2", "divide_int(1,((int)((char)2)),fault)");
    becomes("6 / (1u + 2) << 1", "(divide_uint(6,(1u+2),fault)<<1)");
    becomes("get_local_id(0u) % 3", "modulo_ulong(get_local_id(0u),3,fault)");
    becomes("1 ? 2 / 3 : 4 % 5", "(1?divide_int(2,3,fault):modulo_int(4,5,fault))");
    becomes("7 / 2 / 2.f * 2", "to_long(((divide_int(7,2,fault)/2.f)*2),fault)");
}

Test(expression, every_conversion_to_an_integer_is_guarded)
{
    becomes("1.5f", "to_long(1.5f,fault)");
    becomes("get_global_id(0u) / 2.0f", "to_long((get_global_id(0u)/2.0f),fault)");
    becomes("1 ? 2 : 3.f", "to_long((1?2:3.f),fault)");
    becomes("(uchar)2.f + (long)-1e3f", "(to_uchar(2.f,fault)+to_long(-1e3f,fault))");
    becomes("2.f ? 1 : 2", "((0!=2.f)?1:2)");
    becomes("(float)2 < (bool)2.f", "(((float)2)<((int)(bool)2.f))");
    becomes("convert_int(2.f)", "to_int((2.f),fault)");
    becomes("convert_int_rtz(2.f)", "to_int((2.f),fault)");
    becomes("convert_short_rte(2.f)", "to_short(nearest(2.f),fault)");
    becomes("convert_ulong_rtp(2.f)", "to_ulong(ceil(2.f),fault)");
    becomes("convert_char_rtn(2.f)", "to_char(floor(2.f),fault)");
    becomes("convert_int_sat(2.f)", "saturated_int((2.f))");
    becomes("convert_int_sat_rte(2.f)", "saturated_int(nearest(2.f))");
    becomes("(int)rint(2.f)", "to_int(nearest(2.f),fault)");
    becomes("as_int(2.f)", "as_int(2.f)");
    becomes("get_local_id(1.f)", "get_local_id(to_uint(1.f,fault))");
    becomes("pown(2.f, 3.f)", "to_long(pown(2.f,to_int(3.f,fault)),fault)");
    becomes("FLT_MAX", "to_long(((float)FLT_MAX),fault)");
}

Test(expression, operands_of_a_function_get_cs_common_type)
{
    becomes("min(get_local_id(0u), 3ul)", "min(get_local_id(0u),3ul)");
    becomes("max(1.5f, 2.f)", "to_long(max(1.5f,2.f),fault)");
    becomes("clamp((char)1, (char)2, (char)3)", "clamp(((char)1),((char)2),((char)3))");
    becomes("abs(-1) - 1", "(abs(-1)-1)");
    becomes("mul24(get_local_id(0u), 4)", "mul24(((uint)get_local_id(0u)),((uint)4))");
    becomes("mad24(1, 2l, 3)", "mad24(1,((int)2l),3)");
    becomes("sqrt(2)", "to_long(sqrt(((float)2)),fault)");
    becomes("pow(2, 3.0f)", "to_long(pow(((float)2),3.0f),fault)");
    becomes("select(1, 2u, 3l)", "select(((uint)1),2u,(int)(0!=3l))");
    becomes("select(1.0f, 2.0f, 3)", "to_long(select(1.0f,2.0f,(int)(0!=3)),fault)");
    becomes("upsample((short)1, 2)", "upsample(((short)1),((ushort)2))");
    becomes("abs((int)-1) / (abs_diff(1, 2) - 1)",
            "divide_uint(abs(((int)-1)),(abs_diff(1,2)-1),fault)");
}

Test(expression, types_of_numbers_are_cs)
{
    static const struct {
        const char *number, *type;
    } numbers[] = {
        {"2147483647", "int"},
        {"2147483648", "long"},
        {"0x7fffffff", "int"},
        {"0x80000000", "uint"},
        {"037777777777", "uint"},
        {"4294967296", "long"},
        {"1u", "uint"},
        {"1L", "long"},
        {"1lU", "ulong"},
        {"0xffffffffffffffff", "ulong"},
        {"0", "int"},
        {"18446744073709551615u", "ulong"},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char text[64], expected[96];
        snprintf(text, sizeof text, "%s / 1", numbers[i].number);
        snprintf(expected, sizeof expected, "divide_%s(%s,1,fault)", numbers[i].type,
                 numbers[i].number);
        becomes(text, expected);
    }
    const char *const none[] = {"08",
                                "1ll",
                                "1uu",
                                "0x",
                                "0x1.8",
                                "1e",
                                "1e+",
                                "18446744073709551616",
                                "1.5h",
                                "1fu",
                                "12ab",
                                "0b11",
                                "1.2.3",
                                "1p3",
                                "9223372036854775808"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        refused(none[i], "is not a number that fits", 0);
    const char *const reals[] = {"1.f", ".5f", "1e+3f", "1E-3f", "0x1p3f", "0x.8P-3f", "1.5e3f"};
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++) {
        char expected[64];
        snprintf(expected, sizeof expected, "to_long(%s,fault)", reals[i]);
        becomes(reals[i], expected);
    }
}

Test(expression, what_opencl_c_would_not_compile_is_refused_in_its_place)
{
    refused("5 % 2.f", "'%' takes integers", 2);
    refused("5 + (1.f << 2)", "'<<' takes integers", 9);
    refused("1 & 2.0f", "'&' takes integers", 2);
    refused("1 + 2.0", "2.0 is a double; write 2.0f, or an integer", 4);
    refused("1 + min(get_global_id(0), 3)", "'min' takes operands of one type", 4);
    refused("clamp((char)1, (uchar)2, 3u)", "'clamp' takes operands of one type", 0);
    refused("~1.f", "'~' takes integers", 0);
    refused("1 + mul24(1.f, 2)", "'mul24' takes integers", 4);
    refused("get_global_id(0, 1)", "'get_global_id' takes 1 argument, not 2", 0);
    refused("1 + min(1)", "'min' takes 2 arguments, not 1", 4);
    refused("get_local_id()", "takes 1 argument, not 0", 0);
    refused("get_work_dim(1)", "takes 0 arguments, not 1", 0);
    refused("as_int(1l)", "'as_int' takes a value of 4 bytes, and this one has 8", 0);
    refused("upsample(1l, 1)", "at most 32 bits", 0);
    refused("(int2)(1, 2)", "'int2' is a vector", 1);
    refused("convert_int4(1)", "unknown function", 0);
    refused("convert_float_sat(1)", "unknown function", 0);
    refused("(long long)1", "unknown type 'long long'", 1);
    refused("(unsigned float)1", "unknown type 'unsigned float'", 1);
    refused("(short unsigned int)1", "unknown type 'short unsigned int'", 1);
    refused("1 ? 2", "this '?' has no ':'", 2);
    refused("1 : 2", "a ':' without a '?'", 2);
    refused("int(1)", "'int' is a type: a cast is (int)", 0);
    refused("1 + true(1)", "unknown function", 4);
}

Test(expression, an_unknown_name_brings_the_nearest_to_mind)
{
    refused("get_glbal_id(0)", "unknown function 'get_glbal_id'; did you mean 'get_global_id'?", 0);
    refused("1 + mxa(1, 2)", "did you mean 'max'?", 4);
    refused("2 * INTMAX", "unknown name 'INTMAX'; did you mean 'INT_MAX'?", 4);
    refused("(unsinged)1", "did you mean 'unsigned'?", 1);
    refused("quite_another(1)", "an index expression may call get_global_id", 0);
    refused("quite_another", "is made of get_global_id(0)", 0);
}

Test(expression, a_double_is_asked_for_where_there_is_none)
{
    struct bl_expression expression;
    error = (struct bl_error){0};
    cr_assert_eq(bl_expression_parse("1 + (double)2", &expression, &error), BL_OK);
    cr_assert_eq(bl_expression_check_double(&expression, true, &error), BL_OK);
    cr_assert_eq(bl_expression_check_double(&expression, false, &error), BL_BAD_EXPRESSION);
    cr_assert_eq(caret(), 4);
    bl_expression_free(&expression);
    cr_assert_eq(bl_expression_parse("1 + 2.0f", &expression, &error), BL_OK);
    cr_assert_eq(bl_expression_check_double(&expression, false, &error), BL_OK, "a float");
    bl_expression_free(&expression);
}

Test(expression, nothing_breaks_out_of_its_place)
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
    refused("get_local_id[0]", "its arguments go in parentheses", 0);
    refused("\"text\"", "'\"' has no place", 0);
    refused("'a'", "''' has no place", 0);
    refused("1 @ 2", "'@' has no place", 2);
    refused("`1`", "'`' has no place", 0);
    refused("$x", "'$' has no place", 0);
    refused("\xC3\xA9", "byte 0xc3", 0);
    refused("1 \x01", "byte 0x01", 2);
    refused("1 -> 2", "a pointer", 2);
}

Test(expression, nothing_is_changed_called_or_known_but_what_is_listed)
{
    refused("rounds", "unknown name 'rounds'", 0);
    refused("1 + fault", "unknown name 'fault'", 4);
    refused("fault = 0", "unknown name 'fault'", 0);
    refused("1 = 2", "assigns nothing", 2);
    refused("1 <<= 2", "assigns nothing", 2);
    refused("1 += 2", "assigns nothing", 2);
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

Test(expression, what_is_not_whole_is_refused_where_it_ends)
{
    refused("", "is empty", -1);
    refused(" \t ", "is empty", -1);
    refused("1 +", "an operand is missing", 3);
    refused("(1", "never closed", 0);
    refused("(1 + (2)", "never closed", 0);
    refused("1)", "never opened", 1);
    refused("1 2", "an operator is missing", 2);
    refused("1 (2)", "an operator is missing", 2);
    refused("get_global_id", "its arguments go in parentheses", 0);
    refused("min(1,)", "an operand is missing before ')'", 6);
    refused("(1), 2", "outside of a function's arguments", 3);
    refused("1, 2", "outside of a function's arguments", 1);
    refused("()", "an operand is missing before ')'", 1);
}

Test(expression, what_is_half_a_cast_is_none)
{
    refused("get_global_id(0).x", "'.' has no place", 16);
    refused("(int", "'int' is a type", 1);
    refused("(int int 2)1", "'int' is a type", 1);
    refused("(2)1", "an operator is missing", 3);
    refused("(1 2)", "an operator is missing", 3);
    refused("(16)1", "an operator is missing", 4);
}

Test(expression, length_and_depth_are_bounded)
{
    char text[BL_LONGEST_EXPRESSION + 2];
    for (size_t i = 0; i < BL_LONGEST_EXPRESSION; i++)
        text[i] = i % 2 ? '+' : '1';
    text[BL_LONGEST_EXPRESSION - 1] = ' ';
    text[BL_LONGEST_EXPRESSION] = '\0';
    char *got = guarded(text);
    cr_assert_not_null(got);
    free(got);
    text[BL_LONGEST_EXPRESSION] = '1';
    text[BL_LONGEST_EXPRESSION + 1] = '\0';
    refused(text, "at most 400 characters", -1);
    for (int depth = 64; depth <= 65; depth++) {
        memset(text, '(', (size_t)depth);
        text[depth] = '1';
        memset(text + depth + 1, ')', (size_t)depth);
        text[2 * depth + 1] = '\0';
        got = guarded(text);
        cr_assert_eq(got != NULL, depth == 64, "%d parentheses", depth);
        free(got);
    }
    memset(text, '-', BL_LONGEST_EXPRESSION);
    for (int i = 0; i < BL_LONGEST_EXPRESSION; i += 2)
        text[i] = ' ';
    text[BL_LONGEST_EXPRESSION] = '\0';
    refused(text, "signs and casts", 129);
}

static enum bl_status blamed(const char *log)
{
    struct bl_expression expression;
    cr_assert_eq(bl_expression_parse("get_global_id(0) + 1", &expression, NULL), BL_OK);
    error = (struct bl_error){.status = BL_BUILD_FAILED, .sentence = "the kernel does not build"};
    strcpy(error.log, log);
    const enum bl_status status = bl_expression_blame(&expression, &error);
    bl_expression_free(&expression);
    return status;
}

/* As clang, PoCL, NVIDIA's compiler (whose lines bl_source_place has made ours) and Intel's write.
 */
Test(expression, a_compilers_message_is_shown_against_what_was_written)
{
    const char *const logs[] = {
        "expression.guarded:18:3: error: too many\n get_global_id\n",
        "2 errors generated.\nerror: expression.guarded:18:3: too many\nerror: global.cl:9:9: odd",
        "error: expression.guarded:18:3 <Spelling=/usr/renames.h:140:24>: too many\n",
        "warning: expression.guarded:1:1: odd\nexpression.guarded:18:3: fatal error: too many\n",
    };
    for (size_t i = 0; i < sizeof logs / sizeof logs[0]; i++) {
        cr_assert_eq(blamed(logs[i]), BL_BAD_EXPRESSION);
        cr_assert_str_eq(error.sentence, "the expression does not compile: too many");
        cr_assert_str_eq(error.log, "  get_global_id(0) + 1\n                   ^\n");
    }
}

Test(expression, no_internal_name_reaches_the_user)
{
    const char *const logs[] = {
        "expression.guarded:18:3: error: call to 'divide_int' is ambiguous\n",
        "error: expression.guarded:18:3 <Spelling=x.h:1:2>: call to '_cl_min' is ambiguous\n",
        "error: see expression.guarded:18:3\n",
    };
    for (size_t i = 0; i < sizeof logs / sizeof logs[0]; i++) {
        cr_assert_eq(blamed(logs[i]), BL_BAD_EXPRESSION);
        cr_assert_str_eq(error.sentence, "the expression does not compile");
        cr_assert_str_eq(error.log, "  get_global_id(0) + 1\n                   ^\n");
    }
    cr_assert_eq(blamed("expression.guarded:1:1: error: in 'get_global_id'\n"), BL_BAD_EXPRESSION);
    cr_assert(strstr(error.sentence, "in 'get_global_id'"), "the user's own");
    cr_assert_eq(blamed("error: too long\n"), BL_BAD_EXPRESSION, "without a place");
    cr_assert_str_eq(error.sentence, "the expression does not compile: too long");
    cr_assert_str_eq(error.log, "");
    cr_assert_eq(blamed("expression.guarded:99:1: error: far\n"), BL_BAD_EXPRESSION);
    cr_assert_str_eq(error.log, "");
}

Test(expression, other_messages_are_left_alone)
{
    const char *const logs[] = {"", "global.cl:3:1: error: x\n", "expression.h:3:1: error: x\n",
                                "expression.guarded:1:3: warning: x\n", "2 errors generated.\n"};
    for (size_t i = 0; i < sizeof logs / sizeof logs[0]; i++) {
        cr_assert_eq(blamed(logs[i]), BL_BUILD_FAILED, "%s", logs[i]);
        cr_assert_str_eq(error.sentence, "the kernel does not build");
        cr_assert_str_eq(error.log, logs[i]);
    }
}
