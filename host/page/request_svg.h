/* Pictures that need no gnuplot: the lines and words of a request, and the ratios of cases by group
 * shape. */
#ifndef BANKLINE_PAGE_REQUEST_SVG_H
#define BANKLINE_PAGE_REQUEST_SVG_H

#include <stdio.h>

#include "model/access.h"
#include "page/plot.h"

struct bl_page;

/* Writes a table of the last run's cases that were measured in several shapes. The table has a row
 * per case and a column per shape; colours show the loss of throughput. Writes nothing if there are
 * no such cases. */
void bl_page_shapes(FILE *file, const struct bl_page *page);

/* Computes predictions for the strides from 1 to 64. A group is a single row of as many work-items
 * as the machine has lanes. The points have the columns `memory`, `stride` and `predicted`, the
 * ratio to contiguous reads. There are no points if the machine has no rule. Returns false if
 * memory runs out. Free the points with bl_points_free, even after a failure. */
bool bl_page_strides(const struct bl_machine *machine, struct bl_points *points);

/* Draws the request as SVG, with a description in words and a collapsed table. Each line is a row
 * of squares, one per sector; sectors that a lane touches are filled. Each bank is a column of
 * squares, one per word that lanes want from the bank; all words but the first are marked, because
 * they are conflicts. Draws nothing if the machine has no rule for the request. */
void bl_page_cells(FILE *file, const struct bl_machine *machine, const struct bl_request *request,
                   const char *id);

/* Writes the picture in words: "32 lanes touch 4 lines in 16 sectors; the busiest tag bank ...".
 * Writes "" if there is no picture. */
void bl_page_cells_words(const struct bl_machine *machine, const struct bl_request *request,
                         char words[320]);

#endif
