/* What the kernels must compute: the data they read and the sum of every work-item. */
#ifndef BANKLINE_MODEL_REFERENCE_H
#define BANKLINE_MODEL_REFERENCE_H

#include "model/pattern.h"

enum { BL_DATA_PERIOD = 1 << 20 };

/* Element i of the array: a hash of the index, because some GPUs compress constant memory and
 * would read it faster than their memory can. It repeats after BL_DATA_PERIOD elements (4 MiB), far
 * beyond what compression looks at. */
uint32_t bl_data_element(size_t i);

/* 0 + 1 + ... + (n - 1), modulo 2^32. */
uint32_t bl_sum_below(uint64_t n);

/* Where all groups compute the same: copies the first group's outputs to the others, up to count. */
void bl_repeat_group(uint32_t outputs[], size_t group, size_t count);

/* round_sums[i] receives what one round adds to the sum of work-item i (sums wrap at 32 bits); it
 * has room for bl_launch_items. BL_OK or BL_NO_MEMORY. */
enum bl_status bl_round_sums(enum bl_pattern pattern, const struct bl_launch *launch,
                             uint32_t round_sums[], struct bl_error *error);

#endif
