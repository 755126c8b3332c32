/* Index expressions are taken apart before any of them gets near a compiler. */
#include <criterion/criterion.h>
#include <ctype.h>
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
            if (!isblank((unsigned char)*at))
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

Test(expression, what_divides_nothing_stays_as_it_is)
{
    becomes("get_global_id(0)", "get_global_id(0)");
    becomes(" get_global_id(0)*3 + 5\t", "get_global_id(0)*3+5");
    becomes("get_local_id(0) ^ get_local_id(0) >> 2 & 0x1fUL",
            "get_local_id(0)^get_local_id(0)>>2&0x1fUL");
    becomes("get_global_id(0) < 8 ? min(1, 2) : select(3, 4, 5)",
            "get_global_id(0)<8?min(1,2):select(3,4,5)");
    becomes("(int)(1.5e+3f * .5f) + convert_int_sat(2.f) - as_int(3u)",
            "(int)(1.5e+3f*.5f)+convert_int_sat(2.f)-as_int(3u)");
    becomes("- - +~!1 == true", "--+~!1==true");
    becomes("(int2)(1, 2).x + (unsigned long)3", "(int2)(1,2).x+(unsignedlong)3");
}

Test(expression, signs_do_not_run_together)
{
    struct bl_expression expression;
    cr_assert_eq(bl_expression_parse("1 - -2 - - 3", &expression, NULL), BL_OK);
    cr_assert_null(strstr(expression.guarded, "--"));
    bl_expression_free(&expression);
}

Test(expression, every_division_is_guarded_with_its_own_operands)
{
    becomes("1 / 2", "quotient(1,2,fault)");
    becomes("1 / 2 / 3", "quotient(quotient(1,2,fault),3,fault)");
    becomes("1 + 2 * 3 % 4 * 5", "1+remainder_of(2*3,4,fault)*5");
    becomes("1 / -(2 % 3)", "quotient(1,-(remainder_of(2,3,fault)),fault)");
    becomes("1 / (int)(char)2", "quotient(1,(int)(char)2,fault)");
    becomes("1 / (int)-2 + 1", "quotient(1,(int)-2,fault)+1");
    becomes("6 / (1 + 2) << 1", "quotient(6,(1+2),fault)<<1");
    becomes("max(4 / 2, 7 % 4)", "max(quotient(4,2,fault),remainder_of(7,4,fault))");
    becomes("8 / (int2)(1, 2).y", "quotient(8,(int2)(1,2).y,fault)");
    becomes("1 ? 2 / 3 : 4 % 5", "1?quotient(2,3,fault):remainder_of(4,5,fault)");
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
    refused("get_local_id[0]", "wants its argument", 0);
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
    refused("rounds", "knows no 'rounds'", 0);
    refused("1 + fault", "knows no 'fault'", 4);
    refused("fault = 0", "knows no 'fault'", 0);
    refused("1 = 2", "assigns nothing", 2);
    refused("1 <<= 2", "assigns nothing", 2);
    refused("1 += 2", "assigns nothing", 2);
    refused("1++", "a change of a value", 1);
    refused("--1", "a change of a value", 0);
    refused("barrier(1)", "'barrier' is no function", 0);
    refused("2 + printf(0)", "'printf' is no function", 4);
    refused("__builtin_trap()", "is no function", 0);
    refused("asm(0)", "'asm' is no function", 0);
    refused("sizeof(int)", "'sizeof' is no function", 0);
    refused("convert_event_t(1)", "is no function", 0);
    refused("convert_int_up(1)", "is no function", 0);
    refused("as_int5(1)", "is no function", 0);
    refused("(event_t)1", "knows no 'event_t'", 1);
    refused("*1", "an operand is missing before '*'", 0);
    refused("&1", "an operand is missing before '&'", 0);
    refused("__LINE__", "knows no", 0);
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
    refused("get_global_id", "wants its argument", 0);
    refused("min(1,)", "an operand is missing before ')'", 6);
    refused("(1), 2", "outside of parentheses", 3);
    refused("1, 2", "outside of parentheses", 1);
    refused("()", "an operand is missing before ')'", 1);
    becomes("get_work_dim()", "get_work_dim()");
}

Test(expression, numbers_with_exponents_and_components)
{
    becomes("1e+3", "1e+3");
    becomes("1e-3f", "1e-3f");
    becomes("0x1P-3 - 1", "0x1P-3-1");
    becomes("(int2)(1, 2).x", "(int2)(1,2).x");
    refused("get_global_id(0).", "a component's name is missing", 17);
    refused("get_global_id(0).+1", "a component's name is missing", 17);
    refused("(int", "knows no 'int'", 1);
    refused("(int int 2)1", "knows no 'int'", 1);
    refused("(2)1", "an operator is missing", 3);
    refused("(1 2)", "an operator is missing", 3);
    refused("(16)1", "an operator is missing", 4);
}

Test(expression, length_and_depth_are_bounded)
{
    char text[BL_LONGEST_EXPRESSION + 2];
    memset(text, '1', sizeof text);
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
    cr_assert_eq(bl_expression_parse("get_global_id(0, 1)", &expression, NULL), BL_OK);
    error = (struct bl_error){.status = BL_BUILD_FAILED, .sentence = "the kernel does not build"};
    strcpy(error.log, log);
    const enum bl_status status = bl_expression_blame(&expression, &error);
    bl_expression_free(&expression);
    return status;
}

Test(expression, a_compilers_message_is_shown_against_what_was_written)
{
    const char *const logs[] = {
        "expression.text:1:18: error: too many\nget_global_id(0, 1)\n",
        "note: x\nerror: expression.text:1:18: too many\nerror: expression.guarded:1:9: too many",
        "warning: expression.text:1:1: odd\nexpression.text:1:18: fatal error: too many\n",
    };
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(blamed(logs[i]), BL_BAD_EXPRESSION);
        cr_assert_str_eq(error.sentence, "the expression does not compile: too many");
        cr_assert_str_eq(error.log, "  get_global_id(0, 1)\n                   ^\n");
    }
    cr_assert_eq(blamed("expression.h:80:12: error: returning 'int2'\n"), BL_BAD_EXPRESSION);
    cr_assert_str_eq(error.sentence, "the expression does not compile: returning 'int2'");
    cr_assert_str_eq(error.log, "");
}

Test(expression, other_messages_are_left_alone)
{
    const char *const logs[] = {"",
                                "global.cl:3:1: error: x\n",
                                "expression.text:1:3: warning: x\n",
                                "expression.text: error\n",
                                "expression.text:1:",
                                "expression.text:1:3 error\n",
                                "expression.text:1:0: error: x\n"};
    for (size_t i = 0; i < sizeof logs / sizeof logs[0]; i++) {
        cr_assert_eq(blamed(logs[i]), BL_BUILD_FAILED, "%s", logs[i]);
        cr_assert_str_eq(error.sentence, "the kernel does not build");
        cr_assert_str_eq(error.log, logs[i]);
    }
    cr_assert_eq(blamed("expression.text:1:99: error: far\n"), BL_BUILD_FAILED);
}
