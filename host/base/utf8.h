/* Texts of drivers and of files, for formats that must be UTF-8. */
#ifndef BANKLINE_REPORT_UTF8_H
#define BANKLINE_REPORT_UTF8_H

#include <stddef.h>

/* How many bytes, 1 to 4, the character at bytes[0] has; 0 if none that is well-formed (RFC 3629:
 * no overlong form, no surrogate, nothing beyond U+10FFFF) begins there within length bytes. */
size_t bl_utf8_character(const char *bytes, size_t length);

/* Copies at most length bytes into room, of size bytes, and a NUL; '?' in place of each byte that
 * belongs to no character, and no character cut off at the end. Returns how many bytes were written
 * before the NUL. */
size_t bl_utf8_copy(char *capacity, size_t size, const char *bytes, size_t length);

#endif
