/* How much of its baseline's throughput each case reaches in each shape of group. */
#ifndef BANKLINE_PAGE_SHAPES_H
#define BANKLINE_PAGE_SHAPES_H

#include "model/machine.h"
#include "page/page.h"
#include "page/points.h"

/* A heat map of the last run's cases that were measured in several shapes: a row a case, a column a
 * shape. Nothing where there is none. */
void bl_page_shapes(FILE *file, const struct bl_page *page);

/* What a machine makes of the strides from 1 to 64. */

/* Points of columns memory, stride and predicted: the throughput of a row of the machine's lanes as
 * a part of contiguous reads'. None where it has no rule. false: no memory. The caller frees them
 * with bl_points_free, whatever is returned. */
bool bl_page_strides(const struct bl_machine *machine, struct bl_points *points);

#endif
