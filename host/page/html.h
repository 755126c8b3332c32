/* Text as HTML. What comes from files is data: it is shown as it is, and never is markup. */
#ifndef BANKLINE_PAGE_HTML_H
#define BANKLINE_PAGE_HTML_H

#include <stdio.h>

/* Writes text with what markup is made of escaped, for elements and for quoted attributes; control
 * characters and what is no UTF-8 become U+FFFD. */
void bl_html(FILE *file, const char *text);

/* The same of printf's result, cut at 4 KiB. */
void bl_htmlf(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A table's cell: its text, and what it is sorted by; a number is rounded to so many digits,
 * and empty where it is not known. */
void bl_html_cell(FILE *file, const char *text);
void bl_html_number(FILE *file, double number, int digits);

/* A heading that sorts, of a column of numbers with this unit, which is copied with each figure (""
 * has none); NULL: of texts. */
void bl_html_heading(FILE *file, const char *name, const char *unit);

#endif
