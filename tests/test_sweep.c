/* Tests sweeps: a text with braces, such as x * {1..3}, expands to several texts. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "run/trials.h"

/* The texts to which the sweep expands, separated by bars; or the error's sentence. */
static const char *expanded(const char *text)
{
    static char all[1024];
    struct bl_sweep sweep;
    struct bl_error error = {0};
    all[0] = '\0';
    const enum bl_status status = bl_sweep_expand(text, &sweep, &error);
    for (size_t i = 0; i < sweep.count && status == BL_OK && i < 20; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? "|" : "",
                 sweep.all[i].text);
    if (status != BL_OK)
        snprintf(all, sizeof all, "%s", error.sentence);
    bl_sweep_free(&sweep);
    return all;
}

Test(sweep, ranges_and_lists_are_expanded)
{
    cr_assert_str_eq(expanded("x"), "x");
    cr_assert_str_eq(expanded("x * {3..5}"), "x * 3|x * 4|x * 5");
    cr_assert_str_eq(expanded("{5..3}"), "5|4|3");
    cr_assert_str_eq(expanded("{-1..1}"), "-1|0|1");
    cr_assert_str_eq(expanded("{0..7..3}"), "0|3|6");
    cr_assert_str_eq(expanded("{7..0..-3}"), "7|4|1");
    cr_assert_str_eq(expanded("{ 1, 20 ,4 }"), "1|20|4");
    cr_assert_str_eq(expanded("{9}"), "9");
    cr_assert_str_eq(expanded("{1,2} + {8..9}"), "1 + 8|1 + 9|2 + 8|2 + 9");
}

Test(sweep, each_text_has_the_values_of_its_braces)
{
    struct bl_sweep sweep;
    cr_assert_eq(bl_sweep_expand("{10,200} + {3..4}", &sweep, NULL), BL_OK);
    cr_assert_eq(sweep.count, 4);
    cr_assert_eq(sweep.braces, 2);
    cr_assert_eq(sweep.all[2].values[0], 200);
    cr_assert_eq(sweep.all[2].values[1], 3);
    bl_sweep_free(&sweep);
    cr_assert_eq(bl_sweep_expand("{1..20000}", &sweep, NULL), BL_OK);
    cr_assert_eq(sweep.count, 20000);
    bl_sweep_free(&sweep);
}

Test(sweep, an_invalid_sweep_is_quoted)
{
    static const char *const wrong[][2] = {
        {"{", "'{': '}' is missing"},
        {"x * {1..2", "'}' is missing"},
        {"{}", "'{}': an integer must follow '{'"},
        {"{a..b}", "an integer must follow '{'"},
        {"{1..}", "an integer must follow '..'"},
        {"{1..5..0}", "the step must be an integer other than 0"},
        {"{1..5x}", "this is not a range"},
        {"{1,2..5}", "this is not a list of integers"},
        {"{1,}", "an integer must follow ','"},
        {"{1,2,1}", "a value is listed twice"},
        {"{1..20001}", "too many values"},
        {"{1..200}{1..200}", "too many texts in all"},
        {"{1}{2}{3}{4}{5}", "at most 4 pairs"},
        {"{99999999999}", "an integer must follow '{'"},
        {"{{1}}", "an integer must follow '{'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        cr_assert(strstr(expanded(wrong[i][0]), wrong[i][1]), "%s: %s", wrong[i][0],
                  expanded(wrong[i][0]));
    char text[BL_LONGEST_EXPRESSION + 1] = "";
    memset(text, '1', BL_LONGEST_EXPRESSION - 3);
    strcat(text, "{9}");
    cr_assert_eq(strlen(expanded(text)), BL_LONGEST_EXPRESSION - 2);
    memcpy(text, "1{1000} ", 8);
    memset(text + 8, '1', BL_LONGEST_EXPRESSION - 8);
    cr_assert_eq(strlen(expanded(text)), BL_LONGEST_EXPRESSION - 2,
                 "the limit is for expanded texts, so braces do not count");
    memset(text, '1', BL_LONGEST_EXPRESSION);
    char longer[BL_LONGEST_EXPRESSION + 8];
    snprintf(longer, sizeof longer, "%s{1}", text);
    cr_assert(strstr(expanded(longer), "longer than 400 characters"));
}
