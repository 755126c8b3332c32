/* Inside host/page only: the rows of runs as tables that sort and are filtered. */
#ifndef BANKLINE_PAGE_ROWS_H
#define BANKLINE_PAGE_ROWS_H

#include "page/page.h"

/* All rows of the last run. */
void bl_page_rows(FILE *file, const struct bl_page *page);

/* What changed: from the first run to the last, or from what is typical in the history to it. */
void bl_page_changes(FILE *file, const struct bl_comparison *comparison, const char *title);

/* The measured ratios of all runs, side by side. */
void bl_page_side_by_side(FILE *file, const struct bl_page *page);

#endif
