/* A compiler's messages are shown against what a person wrote. */
#include "expressions.h"

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
Test(expression_blame, a_compilers_message_is_shown_against_what_was_written)
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

Test(expression_blame, no_internal_name_reaches_the_user)
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

Test(expression_blame, other_messages_are_left_alone)
{
    const char *const logs[] = {"", "global.cl:3:1: error: x\n", "expression.h:3:1: error: x\n",
                                "expression.guarded:1:3: warning: x\n", "2 errors generated.\n"};
    for (size_t i = 0; i < sizeof logs / sizeof logs[0]; i++) {
        cr_assert_eq(blamed(logs[i]), BL_BUILD_FAILED, "%s", logs[i]);
        cr_assert_str_eq(error.sentence, "the kernel does not build");
        cr_assert_str_eq(error.log, logs[i]);
    }
}
