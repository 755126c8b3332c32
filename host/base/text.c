/* UTF-8, case selectors, hashes, and the nearest of several names. */
#include "base/text.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* RFC 3629, section 4: the ranges of the first two bytes of a character; all later bytes are 80 to
 * BF. */
static const struct {
    unsigned char first_lo, first_hi, second_lo, second_hi, length;
} forms[] = {
    {0x00, 0x7f, 0x80, 0xbf, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
    {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
    {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
};

size_t bl_utf8_character(const char *bytes, size_t length)
{
    for (size_t f = 0; f < sizeof forms / sizeof forms[0] && length > 0; f++) {
        const unsigned char first = (unsigned char)bytes[0];
        if (first < forms[f].first_lo || first > forms[f].first_hi)
            continue;
        bool is_whole = length >= forms[f].length;
        for (size_t i = 1; is_whole && i < forms[f].length; i++) {
            const unsigned char byte = (unsigned char)bytes[i];
            is_whole = i == 1 ? byte >= forms[f].second_lo && byte <= forms[f].second_hi
                              : byte >= 0x80 && byte <= 0xbf;
        }
        return is_whole ? forms[f].length : 0;
    }
    return 0;
}

size_t bl_utf8_copy(char *to, size_t size, const char *bytes, size_t length)
{
    size_t used = 0;
    for (size_t at = 0; at < length;) {
        const size_t character = bl_utf8_character(bytes + at, length - at);
        const size_t taken = character ? character : 1;
        if (used + taken >= size)
            break;
        if (character)
            memcpy(to + used, bytes + at, character);
        else
            to[used] = '?';
        used += taken;
        at += taken;
    }
    to[used] = '\0';
    return used;
}

/* Code points that a terminal acts on instead of showing them: control characters (ISO 6429: C0,
 * delete and C1), and the characters of Unicode that end lines or change the direction of text. */
static const struct {
    uint32_t from, to;
} obeyed[] = {{0x00, 0x1f}, {0x7f, 0x9f}, {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}};

static uint32_t code_point(const char *bytes, size_t length)
{
    static const unsigned char first_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t point = (unsigned char)bytes[0] & first_bits[length];
    for (size_t i = 1; i < length; i++)
        point = point << 6 | ((unsigned char)bytes[i] & 0x3f);
    return point;
}

size_t bl_unshowable(const char *bytes, size_t length)
{
    const size_t character = bl_utf8_character(bytes, length);
    if (character == 0)
        return length > 0;
    const uint32_t point = code_point(bytes, character);
    for (size_t i = 0; i < sizeof obeyed / sizeof obeyed[0]; i++)
        if (point >= obeyed[i].from && point <= obeyed[i].to)
            return character;
    return 0;
}

void bl_make_showable(char *text)
{
    char *to = text;
    for (size_t left = strlen(text), bytes; left > 0; text += bytes, left -= bytes) {
        const size_t unshowable = bl_unshowable(text, left);
        bytes = unshowable ? unshowable : bl_utf8_character(text, left);
        if (unshowable)
            *to = '?';
        else
            memmove(to, text, bytes);
        to += unshowable ? 1 : bytes;
    }
    *to = '\0';
}

bool bl_selects(const char *selector, const char *case_id)
{
    const size_t length = strlen(selector);
    if (strncmp(selector, case_id, length) == 0 && case_id[length] == '/')
        return true;
    return fnmatch(selector, case_id, 0) == 0;
}

uint64_t bl_hash_add(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

enum { MAX_LETTERS = 127 }; /* longer words are not compared, because no name is that long */

static size_t min(size_t a, size_t b) { return a < b ? a : b; }

/* The restricted Damerau-Levenshtein distance of two words of at most MAX_LETTERS letters. */
static size_t distance(const char *one, const char *other)
{
    size_t rows[3][MAX_LETTERS + 1]; /* rolling rows of the edit-distance matrix */
    size_t *before = rows[0], *last = rows[1], *here = rows[2];
    const size_t length = strlen(other);
    for (size_t j = 0; j <= length; j++)
        here[j] = j;
    for (size_t i = 1; one[i - 1]; i++) {
        size_t *oldest = before;
        before = last;
        last = here;
        here = oldest;
        here[0] = i;
        const int letter = tolower((unsigned char)one[i - 1]);
        for (size_t j = 1; j <= length; j++) {
            const int wanted = tolower((unsigned char)other[j - 1]);
            here[j] = min(min(last[j], here[j - 1]) + 1, last[j - 1] + (letter != wanted));
            if (i > 1 && j > 1 && letter == tolower((unsigned char)other[j - 2]) &&
                wanted == tolower((unsigned char)one[i - 2]))
                here[j] = min(here[j], before[j - 2] + 1);
        }
    }
    return here[length];
}

struct bl_nearest bl_nearest_begin(const char *word) { return (struct bl_nearest){.word = word}; }

void bl_nearest_offer(struct bl_nearest *nearest, const char *candidate)
{
    const size_t letters = strlen(nearest->word);
    if (letters > MAX_LETTERS || strlen(candidate) > MAX_LETTERS)
        return;
    const size_t found = distance(nearest->word, candidate), limit = letters < 6 ? 1 : letters / 3;
    if (found > limit || found >= letters || (nearest->best && found >= nearest->distance))
        return;
    nearest->best = candidate;
    nearest->distance = found;
}

char *bl_did_you_mean(const struct bl_nearest *nearest, char text[128])
{
    const int capacity = 128 - (int)sizeof "; did you mean ''?";
    text[0] = '\0';
    if (nearest->best)
        snprintf(text, 128, "; did you mean '%.*s'?", capacity, nearest->best);
    return text;
}

void bl_text_add(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

void bl_text_add_word(char *text, size_t size, const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=+-";
    if (*word && word[strspn(word, plain)] == '\0') {
        bl_text_add(text, size, " %s", word);
        return;
    }
    bl_text_add(text, size, " '");
    for (; *word; word++)
        bl_text_add(text, size, "%s", *word == '\'' ? "'\\''" : (char[]){*word, '\0'});
    bl_text_add(text, size, "'");
}

const char *bl_number_text(double number, int digits, char text[BL_NUMBER_TEXT])
{
    text[0] = '\0';
    if (isfinite(number))
        snprintf(text, BL_NUMBER_TEXT, "%.*g", digits, number);
    return text;
}

const char *bl_plural(size_t count) { return count == 1 ? "" : "s"; }

const char *bl_embedded_text(const struct bl_embedded texts[], const char *name)
{
    for (; texts->name; texts++)
        if (strcmp(texts->name, name) == 0)
            return texts->text;
    return NULL;
}
