#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

/* RFC 3629, section 4: what the first two bytes may be; the rest lie in 80 to BF. */
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

size_t bl_utf8_copy(char *capacity, size_t size, const char *bytes, size_t length)
{
    size_t used = 0;
    for (size_t at = 0; at < length;) {
        const size_t character = bl_utf8_character(bytes + at, length - at);
        const size_t taken = character ? character : 1;
        if (used + taken >= size)
            break;
        if (character)
            memcpy(capacity + used, bytes + at, character);
        else
            capacity[used] = '?';
        used += taken;
        at += taken;
    }
    capacity[used] = '\0';
    return used;
}
