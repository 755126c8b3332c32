/* Tests suggestions for misspelled words. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/text.h"

static const char *nearest(const char *word)
{
    static const char *const known[] = {"global", "local", "compare", "history",
                                        "run",    "x",     "list"};
    struct bl_nearest found = bl_nearest_begin(word);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        bl_nearest_offer(&found, known[i]);
    return found.best ? found.best : "";
}

Test(text, the_nearest_word_is_suggested)
{
    static const char *const cases[][2] = {
        {"lokal", "local"},      {"comapre", "compare"}, {"compar", "compare"},
        {"compares", "compare"}, {"LOCAL", "local"},     {"ocmpaer", "compare"},
        {"rn", "run"},           {"history", "history"}, {"hsitroy", "history"},
        {"lits", "list"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        cr_assert_str_eq(nearest(cases[i][0]), cases[i][1], "%s", cases[i][0]);
}

Test(text, no_candidate_is_near)
{
    static const char *const words[] = {"xyz",     "",     "y",          "xx",
                                        "ruin me", "hstr", "comparison", "ab"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        cr_assert(strcmp(words[i], "xx") == 0 || strcmp(nearest(words[i]), "") == 0, "%s: %s",
                  words[i], nearest(words[i]));
    cr_assert_str_eq(nearest("X"), "x", "case is ignored");
    cr_assert_str_eq(nearest("xx"), "x");
}

Test(text, a_swap_counts_as_one_change_and_no_letter_changes_twice)
{
    struct bl_nearest near = bl_nearest_begin("abcd");
    bl_nearest_offer(&near, "abdc");
    cr_assert_eq(near.distance, 1);
    struct bl_nearest far = bl_nearest_begin("ca");
    bl_nearest_offer(&far, "abc");
    cr_assert_null(far.best, "3 changes are too many");
}

Test(text, the_first_of_equally_near_words_is_suggested)
{
    struct bl_nearest found = bl_nearest_begin("cat");
    bl_nearest_offer(&found, "bat");
    bl_nearest_offer(&found, "rat");
    cr_assert_str_eq(found.best, "bat");
    bl_nearest_offer(&found, "cat");
    cr_assert_str_eq(found.best, "cat");
}

Test(text, long_words_are_not_compared)
{
    char word[401], candidate[128];
    memset(word, 'a', sizeof word - 1);
    word[400] = '\0';
    struct bl_nearest found = bl_nearest_begin(word);
    bl_nearest_offer(&found, word);
    memset(candidate, 'a', 127);
    candidate[127] = '\0';
    word[130] = '\0';
    bl_nearest_offer(&found, candidate);
    cr_assert_null(found.best);
    word[130] = 'a';
    found = bl_nearest_begin(candidate);
    bl_nearest_offer(&found, word);
    bl_nearest_offer(&found, candidate);
    cr_assert_str_eq(found.best, candidate);
}

Test(text, the_suggestion_is_a_question)
{
    char text[128], name[128];
    struct bl_nearest found = bl_nearest_begin("lokal");
    cr_assert_str_eq(bl_did_you_mean(&found, text), "");
    bl_nearest_offer(&found, "local");
    cr_assert_str_eq(bl_did_you_mean(&found, text), "; did you mean 'local'?");
    memset(name, 'a', 127);
    name[127] = '\0';
    found = (struct bl_nearest){.word = name, .best = name};
    cr_assert_eq(bl_did_you_mean(&found, text), text);
    cr_assert_eq(strlen(text), 127);
    cr_assert_str_eq(text + 124, "a'?", "cut to fit");
}
