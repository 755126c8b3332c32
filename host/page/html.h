/* Writes text as HTML. Text from files is shown literally, never interpreted as markup. */
#ifndef BANKLINE_PAGE_HTML_H
#define BANKLINE_PAGE_HTML_H

#include <stdio.h>

/* Writes text with markup characters escaped, for elements and quoted attributes. Control
 * characters except '\n' and '\t', and bytes that are not UTF-8, become U+FFFD. */
void bl_html(FILE *file, const char *text);

/* Like bl_html for formatted text, which is truncated at 4 KiB. */
void bl_htmlf(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes an element with formatted text, which is truncated at 4 KiB: "<tag>text</tag>". `tag` may
 * include attributes. bl_html_block also ends the line. */
void bl_html_element(FILE *file, const char *tag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define bl_html_block(file, ...) (bl_html_element(file, __VA_ARGS__), fputc('\n', file))

/* Begins a part of the page that can be scrolled sideways and contains a table. The caller ends the
 * part with "</div>". label: name of the part for screen readers. */
void bl_html_scroll(FILE *file, const char *label);

/* Writes an element for the table with this id. In the element, page.js puts a checkbox for each of
 * the table's columns. A click on a row of the table shows the row's full text. */
void bl_html_choice(FILE *file, const char *table);

/* Begins a row of a table with its heading; the caller ends the row with "</tr>". */
void bl_html_row(FILE *file, const char *name);
void bl_html_row_heading(FILE *file, const char *name); /* writes only the heading, after <tr> */

/* Each function writes a table cell: a text, or a number with `digits` significant digits. The cell
 * is empty if the number is unknown. */
void bl_html_cell(FILE *file, const char *text);
void bl_html_number(FILE *file, double number, int digits);

/* Like bl_html_number, for a table of class "points", whose cells need no class "number". Numbers
 * from 1e4 on, such as sizes in bytes, are rounded to integers instead. */
void bl_html_point(FILE *file, double number);

/* Writes the heading of a column; a click on the heading sorts the table. unit: the unit that is
 * copied with each number of the column; "" if the numbers have no unit; NULL if the column
 * contains text. */
void bl_html_heading(FILE *file, const char *name, const char *unit);

#endif
