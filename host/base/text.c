#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MAX_LETTERS = 127 }; /* longer words are no typing errors */

static size_t min(size_t a, size_t b) { return a < b ? a : b; }

/* Both words have MAX_LETTERS letters at most. */
static size_t distance(const char *one, const char *other)
{
    size_t rows[3][MAX_LETTERS + 1]; /* of the letters of `one`: the last but one, the last, this */
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

const char *bl_plural(size_t count) { return count == 1 ? "" : "s"; }
