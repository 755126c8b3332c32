/* Text as HTML. Text from files is data: shown literally, never as markup. */
#ifndef BANKLINE_PAGE_HTML_H
#define BANKLINE_PAGE_HTML_H

#include <stdio.h>

/* Writes text with the characters of markup escaped, for elements and for quoted attributes;
 * control characters and bytes that are not UTF-8 become U+FFFD. */
void bl_html(FILE *file, const char *text);

/* Like bl_html for printf's result, cut at 4 KiB. */
void bl_htmlf(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An element with printf's result in it, cut at 4 KiB: "<tag>text</tag>", where tag may have
 * attributes; a block ends the line, too. */
void bl_html_element(FILE *file, const char *tag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void bl_html_block(FILE *file, const char *tag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Begins the part of the page that scrolls sideways, which holds a table and ends with "</div>".
 * label: its name for screen readers. */
void bl_html_scroll(FILE *file, const char *label);

/* Begins a row of a table with its heading; it ends with "</tr>". */
void bl_html_row(FILE *file, const char *name);
void bl_html_row_heading(FILE *file, const char *name); /* of a row that has begun */

/* Writes a table's cell: a text, or a number rounded to this many digits, empty if unknown. */
void bl_html_cell(FILE *file, const char *text);
void bl_html_number(FILE *file, double number, int digits);

/* The heading of a column, which sorts the table. unit: of its numbers, copied with each figure, or
 * ""; NULL: the column holds texts. */
void bl_html_heading(FILE *file, const char *name, const char *unit);

#endif
