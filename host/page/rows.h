/* Inside host/page only: the rows of runs as tables that sort and are filtered. */
#ifndef BANKLINE_PAGE_ROWS_H
#define BANKLINE_PAGE_ROWS_H

#include "page/nights.h"
#include "page/page.h"
#include "report/compare.h"

/* All rows of the last run. */
void bl_page_rows(FILE *file, const struct bl_page *page);

/* The changes: from the first run to the last, or from the history's typical values to the last. */
void bl_page_changes(FILE *file, const struct bl_comparison *comparison, const char *title);

/* The measured ratios of all runs, side by side. */
void bl_page_side_by_side(FILE *file, const struct bl_page *page);

/* The most important facts about a run: three sentences, each with its figures and advice. */

enum { BL_FINDINGS = 3 };

struct bl_headlines {
    char all[BL_FINDINGS][600];
    unsigned count;
};

/* Finds them for a run, its comparison with the first of several runs (or NULL), and the history
 * (or NULL). Changes come before rows without a number, these before refuted predictions, and these
 * before claims of the documents that do not hold here. */
void bl_page_findings(const struct bl_run_rows *run, const struct bl_comparison *comparison,
                      const struct bl_nights *nights, struct bl_headlines *findings);

/* How many rows of a run have this verdict. */
size_t bl_page_count(const struct bl_run_rows *run, enum bl_verdict verdict);

#endif
