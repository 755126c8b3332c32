/* What gnuplot draws, as a part of the page. */
#ifndef BANKLINE_PAGE_GNUPLOT_SVG_H
#define BANKLINE_PAGE_GNUPLOT_SVG_H

#include <stdbool.h>
#include <stdio.h>

/* Writes a file of gnuplot's from its "<svg" on, in the page's colours and font, without what only
 * a file of its own needs: background, titles, ids, empty groups. The ids of the marks' shapes stay
 * if keeps_shapes: exactly one picture of a page must have them, which all others then use. */
void bl_page_put_svg(FILE *file, const char *svg, bool keeps_shapes);

#endif
