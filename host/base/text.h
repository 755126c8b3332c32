/* Words that a person typed. */
#ifndef BANKLINE_BASE_TEXT_H
#define BANKLINE_BASE_TEXT_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Collects the candidate that is nearest to a word. */
struct bl_nearest {
    const char *word;
    const char *best; /* NULL: no candidate is near enough */
    size_t distance;  /* distance of best */
};

struct bl_nearest bl_nearest_begin(const char *word);

/* Offers a candidate, which must outlive the struct; of equally near ones the first stays. One is
 * near enough when a third of the word's letters at most, and at least one, have to be changed,
 * added, left out or swapped with a neighbour (the restricted Damerau-Levenshtein distance), case
 * aside. Nothing is near to an empty word, to one whose letters would all have to change, or to one
 * of more than 127 letters. */
void bl_nearest_offer(struct bl_nearest *nearest, const char *candidate);

/* "; did you mean 'x'?" for the best candidate, or "". Returns text. */
char *bl_did_you_mean(const struct bl_nearest *nearest, char text[128]);

/* "s" unless count is 1. */
const char *bl_plural(size_t count);

/* Texts of drivers and of files, for formats that must be UTF-8. */

/* How many bytes, 1 to 4, the character at bytes[0] has; 0 if none that is well-formed (RFC 3629:
 * no overlong form, no surrogate, nothing beyond U+10FFFF) begins there within length bytes. */
size_t bl_utf8_character(const char *bytes, size_t length);

/* Copies `length` bytes of UTF-8 into `to`, which has `size` bytes, as far as whole
 * characters and a NUL fit. A byte that belongs to no character becomes '?'. Returns how many bytes
 * were written before the NUL. */
size_t bl_utf8_copy(char *to, size_t size, const char *bytes, size_t length);

/* The length of the character at bytes[0] if a terminal would obey it, and not show it: a control
 * character, one that turns the direction of a text, or a byte that is no UTF-8. Else 0, as for a
 * length of 0. */
size_t bl_unshowable(const char *bytes, size_t length);

/* Replaces each of these by '?': the one way in which what a file, a device or a person said is
 * made fit for a terminal. */
void bl_make_showable(char *text);

/* Selectors: the names of cases on a command line. */

/* Whether the selector is the case's id ("local/5"), its suite ("local"), or a shell glob that
 * matches the id ("local/[1-4]"; '*' matches '/' too). */
bool bl_selects(const char *selector, const char *case_id);

/* Numbers with a point, whatever locale the program runs in. */

struct bl_c_locale {
    locale_t own, before;
};

/* Sets the calling thread's locale to C, until bl_c_locale_leave. BL_OK or BL_NO_MEMORY. */
enum bl_status bl_c_locale_enter(struct bl_c_locale *scope, struct bl_error *error);
void bl_c_locale_leave(struct bl_c_locale *scope);

/* A hash to tell texts apart; it is not cryptographic. */

/* FNV-1a, 64 bits (Fowler, Noll and Vo): begin with BL_HASH_BEGIN and add piece after piece. */
#define BL_HASH_BEGIN UINT64_C(0xcbf29ce484222325)
uint64_t bl_hash_add(uint64_t hash, const void *bytes, size_t count);

/* Texts embedded in the program, made from files at build time (embed.py). */

struct bl_embedded {
    const char *name; /* name of the file: "global.cl" */
    const char *text;
};

/* The text of this name in an array that ends with null pointers, or NULL. */
const char *bl_embedded_text(const struct bl_embedded texts[], const char *name);

#endif
