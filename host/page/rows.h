/* Inside host/page only: the rows of runs as tables that sort and are filtered. */
#ifndef BANKLINE_PAGE_ROWS_H
#define BANKLINE_PAGE_ROWS_H

#include "page/nights.h"
#include "page/page.h"
#include "report/compare.h"

/* All rows of the last run. */
void bl_page_rows(FILE *file, const struct bl_page *page);

/* The changes: from the first run to the last, or from the history's typical values to the last;
 * nothing where comparison is NULL. id, title: of the section. */
void bl_page_changes(FILE *file, const struct bl_comparison *comparison, const char *id,
                     const char *title);

/* The measured ratios of all runs, side by side. */
void bl_page_side_by_side(FILE *file, const struct bl_page *page);

#endif
