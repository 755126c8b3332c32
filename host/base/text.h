/* Text: spelling suggestions, UTF-8, case selectors, hashes, embedded files. */
#ifndef BANKLINE_BASE_TEXT_H
#define BANKLINE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A search for the candidate whose spelling is nearest to a word. */
struct bl_nearest {
    const char *word;
    const char *best; /* NULL if no candidate is near enough */
    size_t distance;  /* the distance of `best` from the word */
};

struct bl_nearest bl_nearest_begin(const char *word);

/* Offers a candidate, which must outlive the struct. Of two equally near candidates, the first is
 * kept. The distance is the number of letters that must be changed, added, removed or swapped with
 * a neighbour (the restricted Damerau-Levenshtein distance), ignoring case.
 *
 * A candidate is near enough if its distance is at most a third of the word's length, or 1 for
 * words of up to 5 letters. But it is not near enough if the word is empty, if the word or the
 * candidate is longer than 127 letters, or if every letter of the word would have to change. */
void bl_nearest_offer(struct bl_nearest *nearest, const char *candidate);

/* "; did you mean 'x'?" for the best candidate, or "". Returns `text`. */
char *bl_did_you_mean(const struct bl_nearest *nearest, char text[128]);

/* Formats like printf, and appends the result to `text`, truncated to fit into its `size` bytes. */
void bl_text_add(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Appends a blank and a word, quoted for a shell. */
void bl_text_add_word(char *text, size_t size, const char *word);

/* Writes a number with up to `digits` significant digits; "" for NAN and infinity. Returns `text`.
 * For numbers in files: call this function in the C locale. */
enum { BL_NUMBER_TEXT = 32, BL_NUMBER_DIGITS = 7 };
const char *bl_number_text(double number, int digits, char text[BL_NUMBER_TEXT]);

/* "s" unless count is 1. */
const char *bl_plural(size_t count);

/* UTF-8: JSON and HTML require it, but drivers and files may contain any bytes. */

/* The length, 1 to 4 bytes, of the UTF-8 character that begins at bytes[0]. 0 if no well-formed
 * character begins there, or if the character does not end within `length` bytes. Well-formed as in
 * RFC 3629: no overlong form, no surrogate, nothing above U+10FFFF. */
size_t bl_utf8_character(const char *bytes, size_t length);

/* Copies `length` bytes of UTF-8 and a NUL into `to`, which has `size` bytes; a text that is too
 * long is cut between two characters. A byte that is not part of a well-formed character becomes
 * '?'. Returns the number of bytes written before the NUL. */
size_t bl_utf8_copy(char *to, size_t size, const char *bytes, size_t length);

/* The length in bytes of the character at bytes[0] if a terminal would act on this character
 * instead of showing it; else 0, also if length is 0. Terminals act on control characters and on
 * characters that end lines or change the text direction; bytes that are not UTF-8 count as such
 * characters. */
size_t bl_unshowable(const char *bytes, size_t length);

/* Replaces each unshowable character by '?', so that text from a file, a device or a user is safe
 * to show on a terminal. */
void bl_make_showable(char *text);

/* Selectors: the names of cases on a command line. */

/* Whether the selector matches the case. A selector may be the case's id ("local/5"), its suite
 * ("local"), or a shell glob for ids ("local/[1-4]"), in which '*' matches '/' too. */
bool bl_selects(const char *selector, const char *case_id);

/* A hash that distinguishes texts; it is not cryptographic. */

/* The 64-bit FNV-1a hash (Fowler, Noll and Vo). Begin with BL_HASH_BEGIN, and add the bytes of a
 * text in any number of calls. */
#define BL_HASH_BEGIN UINT64_C(0xcbf29ce484222325)
uint64_t bl_hash_add(uint64_t hash, const void *bytes, size_t count);

/* Texts embedded in the program, made from files at build time (embed.py). */

struct bl_embedded {
    const char *name; /* name of the file: "global.cl" */
    const char *text;
};

/* The embedded text of this name, or NULL. The array ends with an entry of null pointers. */
const char *bl_embedded_text(const struct bl_embedded texts[], const char *name);

#endif
