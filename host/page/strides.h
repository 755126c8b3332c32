/* What a machine makes of the strides from 1 to 64. */
#ifndef BANKLINE_PAGE_STRIDES_H
#define BANKLINE_PAGE_STRIDES_H

#include "model/machine.h"
#include "page/points.h"

/* Points of columns memory, stride and predicted: the throughput of a row of the machine's lanes as
 * a part of contiguous reads'. None where it has no rule. false: no memory. The caller frees them
 * with bl_points_free, whatever is returned. */
bool bl_page_strides(const struct bl_machine *machine, struct bl_points *points);

#endif
