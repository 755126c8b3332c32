/* What is no index expression is refused before it gets near a compiler, in its place. */
#include "expressions.h"

Test(expression_refused, what_opencl_c_would_not_compile_is_refused_in_its_place)
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

Test(expression_refused, an_unknown_name_brings_the_nearest_to_mind)
{
    refused("get_glbal_id(0)", "unknown function 'get_glbal_id'; did you mean 'get_global_id'?", 0);
    refused("1 + mxa(1, 2)", "did you mean 'max'?", 4);
    refused("2 * INTMAX", "unknown name 'INTMAX'; did you mean 'INT_MAX'?", 4);
    refused("(unsinged)1", "did you mean 'unsigned'?", 1);
    refused("quite_another(1)", "an index expression may call get_global_id", 0);
    refused("quite_another", "is made of get_global_id(0)", 0);
}

Test(expression_refused, a_double_is_asked_for_where_there_is_none)
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

Test(expression_refused, nothing_breaks_out_of_its_place)
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

Test(expression_refused, nothing_is_changed_called_or_known_but_what_is_listed)
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

Test(expression_refused, what_is_not_whole_is_refused_where_it_ends)
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

Test(expression_refused, what_is_half_a_cast_is_none)
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
