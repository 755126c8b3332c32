/* Text as HTML. What comes from files is data: it is shown as it is, and is never markup. */
#ifndef BANKLINE_PAGE_HTML_H
#define BANKLINE_PAGE_HTML_H

#include <stdio.h>

/* Writes text with the characters of markup escaped, for elements and for quoted attributes;
 * control characters and bytes that are not UTF-8 become U+FFFD. */
void bl_html(FILE *file, const char *text);

/* The same of printf's result, cut at 4 KiB. */
void bl_htmlf(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An element with printf's result in it, cut at 4 KiB: "<tag>text</tag>", where tag may have
 * attributes; a block ends the line, too. */
void bl_html_element(FILE *file, const char *tag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void bl_html_block(FILE *file, const char *tag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Begins the part of the page that scrolls sideways, which holds a table and ends with "</div>".
 * label: what readers of the screen call it. */
void bl_html_scroll(FILE *file, const char *label);

/* Begins a row of a table with its heading; it ends with "</tr>". */
void bl_html_row(FILE *file, const char *name);

/* A table's cell: its text; or a number, rounded to so many digits, empty where it is not known. */
void bl_html_cell(FILE *file, const char *text);
void bl_html_number(FILE *file, double number, int digits);

/* The heading of a column, which sorts the table. unit: of its numbers, copied with each figure, or
 * ""; NULL: the column holds texts. */
void bl_html_heading(FILE *file, const char *name, const char *unit);

#endif
