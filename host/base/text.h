/* Words that a person typed. */
#ifndef BANKLINE_BASE_TEXT_H
#define BANKLINE_BASE_TEXT_H

#include <stddef.h>

/* Collects the candidate that is nearest to a word. */
struct bl_nearest {
    const char *word;
    const char *best; /* NULL: nothing is near enough */
    size_t distance;  /* of best */
};

struct bl_nearest bl_nearest_begin(const char *word);

/* Offers a candidate, which must outlive the struct; of equally near ones the first stays. One is
 * near enough when a third of the word's letters at most, and at least one, have to be changed,
 * added, left out or swapped with a neighbour (the restricted Damerau-Levenshtein distance), case
 * aside. Nothing is near to an empty word, to a word of which no letter would be left, or to one of
 * more than 127 letters. */
void bl_nearest_offer(struct bl_nearest *nearest, const char *candidate);

/* "; did you mean 'x'?" for the best candidate, or "". Returns text. */
char *bl_did_you_mean(const struct bl_nearest *nearest, char text[128]);

/* "s" for any number but 1. */
const char *bl_plural(size_t count);

#endif
