/* Pictures that need no gnuplot: the lines and words of a request, and the throughput of cases by
 * group shape. */
#ifndef BANKLINE_PAGE_REQUEST_SVG_H
#define BANKLINE_PAGE_REQUEST_SVG_H

#include <stdio.h>

#include "model/access.h"
#include "page/page.h"
#include "page/plot.h"

/* The last run's cases that were measured in several shapes, as a table of one row per case and one
 * column per shape, in which colour shows the loss of throughput. Writes nothing if there are no
 * such cases.
 */
void bl_page_shapes(FILE *file, const struct bl_page *page);

/* Predictions for the strides from 1 to 64, as points with the columns `memory`, `stride` and
 * `predicted`. `predicted` is the throughput relative to contiguous reads, for a group of one row
 * of the machine's lanes. There are no points if the machine has no rule. Returns false if memory
 * runs out. Free the points with bl_points_free, whatever is returned. */
bool bl_page_strides(const struct bl_machine *machine, struct bl_points *points);

/* Draws the request as SVG, with a description in words. Each line is a row of squares, one per
 * sector, which is filled if a lane touches it. Each bank is a column of squares, one per word that
 * lanes want from it; all words but the first are marked. Draws nothing if the machine has no rule
 * for its memory. */
void bl_page_cells(FILE *file, const struct bl_machine *machine, const struct bl_request *request,
                   const char *id);

/* The picture in words: "32 lanes touch 4 lines in 16 sectors; the busiest tag bank ...", or "". */
void bl_page_cells_words(const struct bl_machine *machine, const struct bl_request *request,
                         char words[320]);

#endif
