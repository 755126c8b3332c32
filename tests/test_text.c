/* Tests suggestions for misspelled words, which bytes are well-formed UTF-8 (RFC 3629), and what
 * replaces other bytes. */
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

Test(utf8, the_first_and_last_character_of_every_length_are_valid)
{
    static const struct {
        const char *bytes;
        size_t length;
    } cases[] = {
        {"\x01", 1},
        {"\x7f", 1},
        {"\xC2\x80", 2},
        {"\xDF\xBF", 2},
        {"\xE0\xA0\x80", 3},
        {"\xED\x9F\xBF", 3},
        {"\xEE\x80\x80", 3},
        {"\xEF\xBF\xBF", 3},
        {"\xF0\x90\x80\x80", 4},
        {"\xF4\x8F\xBF\xBF", 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cr_assert_eq(bl_utf8_character(cases[i].bytes, cases[i].length), cases[i].length, "%zu", i);
        cr_assert_eq(bl_utf8_character(cases[i].bytes, cases[i].length - 1), 0, "%zu", i);
    }
}

Test(utf8, bytes_that_are_not_well_formed_are_refused)
{
    static const char *const cases[] = {
        /* continuation bytes without a first byte */
        "\x80",
        "\xBF",
        /* overlong forms */
        "\xC0\x80",
        "\xC1\xBF",
        "\xE0\x9F\xBF",
        "\xF0\x8F\xBF\xBF",
        /* surrogates */
        "\xED\xA0\x80",
        "\xED\xBF\xBF",
        /* beyond U+10FFFF */
        "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80",
        "\xFF",
        /* invalid continuation bytes */
        "\xC2\x7F",
        "\xC2\xC0",
        "\xE1\x80\x7F",
        "\xE1\x80\xC0",
        "\xF1\x80\x80\x7F",
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        cr_assert_eq(bl_utf8_character(cases[i], strlen(cases[i])), 0, "%zu", i);
    cr_assert_eq(bl_utf8_character("", 0), 0);
}

Test(utf8, a_copy_has_a_question_mark_for_each_stray_byte)
{
    char capacity[16];
    cr_assert_eq(bl_utf8_copy(capacity, sizeof capacity, "a\xffz\xE2\x82", 5), 5);
    cr_assert_str_eq(capacity, "a?z??");
    cr_assert_eq(bl_utf8_copy(capacity, sizeof capacity, "\xE2\x82\xAC!", 3), 3);
    cr_assert_str_eq(capacity, "\xE2\x82\xAC");
    cr_assert_eq(bl_utf8_copy(capacity, sizeof capacity, "", 0), 0);
    cr_assert_str_eq(capacity, "");
}

Test(utf8, a_copy_ends_before_a_character_that_does_not_fit)
{
    char capacity[5];
    memset(capacity, 'x', sizeof capacity);
    cr_assert_eq(bl_utf8_copy(capacity, 4, "a\xE2\x82\xAC", 4), 1);
    cr_assert_str_eq(capacity, "a");
    cr_assert_eq(capacity[4], 'x');
    cr_assert_eq(bl_utf8_copy(capacity, 5, "a\xE2\x82\xAC", 4), 4);
    cr_assert_str_eq(capacity, "a\xE2\x82\xAC");
    cr_assert_eq(bl_utf8_copy(capacity, 1, "abc", 3), 0);
    cr_assert_str_eq(capacity, "");
}

Test(utf8, characters_that_a_terminal_would_act_on_are_replaced)
{
    static const char *const texts[][2] = {
        {"plain, gr\xc3\xbcn, \xe2\x86\x92", "plain, gr\xc3\xbcn, \xe2\x86\x92"},
        {"\x1b]0;title\x07", "?]0;title?"},
        {"a\nb\r\tc\x7f", "a?b??c?"},
        {"\xc2\x9b"
         "31m", /* CSI as a C1 character */
         "?31m"},
        {"\x9b"
         "31m",
         "?31m"}, /* CSI as a single byte, which is not UTF-8 */
        {"\xe2\x80\xae"
         "drawkcab",
         "?drawkcab"},
        {"\xe2\x81\xa6x\xe2\x81\xa9", "?x?"},
        {"cut \xe2\x86", "cut ??"},
        {"\xc2\xa0", "\xc2\xa0"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char text[64];
        strcpy(text, texts[i][0]);
        bl_make_showable(text);
        cr_assert_str_eq(text, texts[i][1], "%zu: %s", i, text);
    }
    cr_assert_eq(bl_unshowable("\x1b", 0), 0);
    cr_assert_eq(bl_unshowable("\xe2\x80\xae", 3), 3);
    cr_assert_eq(bl_unshowable("\xe2\x80\xae", 2), 1, "a byte of an incomplete character");
}
