/* Pictures that need no gnuplot: what requests ask for, and what cases reach in each shape. */
#ifndef BANKLINE_PAGE_REQUEST_SVG_H
#define BANKLINE_PAGE_REQUEST_SVG_H

#include <stdio.h>

#include "model/access.h"
#include "page/page.h"
#include "page/plot.h"

/* The last run's cases that were measured in several shapes, as a table of one row per case and one
 * column per shape, in which what is lost is coloured. Writes nothing if there are no such cases.
 */
void bl_page_shapes(FILE *file, const struct bl_page *page);

/* Predictions for the strides from 1 to 64, as points of columns memory, stride and predicted:
 * the throughput of a row of the machine's lanes as a part of contiguous reads'. No
 * points if the machine has no rule. Returns false if there is no memory. The caller frees them
 * with bl_points_free, whatever is returned. */
bool bl_page_strides(const struct bl_machine *machine, struct bl_points *points);

/* Draws the request as SVG, with a text of what it shows: a row for each line, a square for each of
 * its sectors, filled where a lane touches it; a column for each bank, a square for each word that
 * lanes want from it, marked from the second on. Draws nothing if the machine has no rule for its
 * memory. */
void bl_page_cells(FILE *file, const struct bl_machine *machine, const struct bl_request *request,
                   const char *id);

/* The picture in words: "32 lanes touch 4 lines in 16 sectors; the busiest tag bank ...", or "". */
void bl_page_cells_words(const struct bl_machine *machine, const struct bl_request *request,
                         char words[320]);

#endif
