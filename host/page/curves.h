/* Curves that gnuplot draws, from the scripts of scripts/plots, which also run alone. */
#ifndef BANKLINE_PAGE_CURVES_H
#define BANKLINE_PAGE_CURVES_H

#include "base/status.h"
#include "page/page.h"

enum { BL_CURVES = 4 };

/* Draws all curves that the CSV file has rows for. Without gnuplot, and where a script fails,
 * why_none says so, and the page goes without. Free them whatever is returned. BL_NO_MEMORY;
 * BL_FILE_FAILED where there is no room for temporary files. */
enum bl_status bl_page_draw(const char *csv, struct bl_page_curve curves[BL_CURVES],
                            char why_none[256], struct bl_error *error);
void bl_page_free_curves(struct bl_page_curve curves[BL_CURVES]);

#endif
