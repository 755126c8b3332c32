/* How much of its baseline's throughput each case reaches in each shape of group. */
#ifndef BANKLINE_PAGE_SHAPES_H
#define BANKLINE_PAGE_SHAPES_H

#include "page/page.h"

/* A heat map of the last run's cases that were measured in several shapes: a row a case, a column a
 * shape. Nothing where there is none. */
void bl_page_shapes(FILE *file, const struct bl_page *page);

#endif
