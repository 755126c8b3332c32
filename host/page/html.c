/* Writes text as HTML. Every text from a file goes through bl_html, so that it cannot become
 * markup. */
#include "page/html.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "report/layout.h"

enum { LONG_NAME = 20 };

static const char *escaped(const char *character, size_t bytes)
{
    switch (*character) {
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
        return bytes == 1 && (*character < ' ' || *character == 127) ? "\xEF\xBF\xBD" : NULL;
    }
}

void bl_html(FILE *file, const char *text) { bl_put_escaped(file, text, escaped, "\xEF\xBF\xBD"); }

void bl_htmlf(FILE *file, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    bl_html(file, text);
}

void bl_html_element(FILE *file, const char *tag, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(file, "<%s>", tag);
    bl_html(file, text);
    fprintf(file, "</%.*s>", (int)strcspn(tag, " "), tag);
}

void bl_html_scroll(FILE *file, const char *label)
{
    fprintf(file, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">", label);
}

void bl_html_choice(FILE *file, const char *table)
{
    fprintf(file,
            "<details class=\"choose\" data-table=\"%s\"><summary>Columns</summary></details>\n"
            "<p>Click a row to see its full text.</p>\n",
            table);
}

/* A long name may be truncated on the screen; the tooltip shows the whole name. */
void bl_html_row_heading(FILE *file, const char *name)
{
    fputs("<th scope=\"row\"", file);
    if (strlen(name) > LONG_NAME) {
        fputs(" title=\"", file);
        bl_html(file, name);
        fputc('"', file);
    }
    fputc('>', file);
    bl_html(file, name);
    fputs("</th>", file);
}

void bl_html_row(FILE *file, const char *name)
{
    fputs("<tr>", file);
    bl_html_row_heading(file, name);
}

void bl_html_cell(FILE *file, const char *text) { bl_html_element(file, "td", "%s", text); }

void bl_html_number(FILE *file, double number, int digits)
{
    if (isfinite(number))
        fprintf(file, "<td class=\"number\">%.*g</td>", digits, number);
    else
        fputs("<td></td>", file);
}

void bl_html_point(FILE *file, double number)
{
    if (fabs(number) >= 1e4 && isfinite(number))
        fprintf(file, "<td>%.0f</td>", number); /* sizes in bytes */
    else if (isfinite(number))
        fprintf(file, "<td>%.4g</td>", number);
    else
        fputs("<td></td>", file);
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
