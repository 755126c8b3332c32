#include "page/html.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/text.h"

/* What one character becomes; NULL: itself. */
static const char *escaped(unsigned char character)
{
    switch (character) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case '\n':
    case '\t':
        return NULL;
    default:
        return character < ' ' || character == 127 ? "\xEF\xBF\xBD" : NULL;
    }
}

void bl_html(FILE *file, const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        const size_t bytes = bl_utf8_character(text, left), used = bytes ? bytes : 1;
        const char *instead = bytes == 0   ? "\xEF\xBF\xBD"
                              : bytes == 1 ? escaped((unsigned char)*text)
                                           : NULL;
        if (instead)
            fputs(instead, file);
        else
            fwrite(text, 1, used, file);
        text += used;
        left -= used;
    }
}

void bl_htmlf(FILE *file, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    bl_html(file, text);
}

void bl_html_cell(FILE *file, const char *text)
{
    fputs("<td>", file);
    bl_html(file, text);
    fputs("</td>", file);
}

void bl_html_number(FILE *file, double number, int digits)
{
    char text[64] = "";
    if (!isfinite(number)) {
        fputs("<td></td>", file);
        return;
    }
    snprintf(text, sizeof text, "%.*g", digits, number);
    fprintf(file, "<td class=\"number\">%s</td>", text);
}

void bl_html_heading(FILE *file, const char *name, const char *unit)
{
    fputs("<th scope=\"col\"", file);
    if (unit) {
        fputs(" class=\"number\" data-unit=\"", file);
        bl_html(file, unit);
        fputs("\"", file);
    }
    fputs("><button type=\"button\">", file);
    bl_html(file, name);
    fputs("</button></th>", file);
}
