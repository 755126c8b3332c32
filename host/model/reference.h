/* What the kernels must compute: the data they read and the sum of every work-item. */
#ifndef BANKLINE_MODEL_REFERENCE_H
#define BANKLINE_MODEL_REFERENCE_H

#include "model/launch.h"

enum { BL_DATA_PERIOD = 1 << 20 };

/* Element i of the array: a hash of the index, because some GPUs compress constant memory and would
 * read regular data faster than their memory can deliver. The data repeat after BL_DATA_PERIOD
 * elements (4 MiB), far beyond what compression looks at. */
uint32_t bl_data_element(size_t i);

/* 0 + 1 + ... + (n - 1), modulo 2^32. */
uint32_t bl_sum_below(uint64_t n);

/* Copies the first group's outputs to the others, up to count: for launches in which all groups
 * compute the same. */
void bl_repeat_group(uint32_t outputs[], size_t group, size_t count);

/* The sum that a work-item starting at this element reads back. At each of the `steps` accesses it
 * wrote e + rounds to element e, in every component, truncated to the component's size. */
uint32_t bl_written_sum(const struct bl_launch *launch, uint64_t start, uint32_t rounds);

/* sums[i] receives the sum of work-item i, modulo 2^32: for reads the amount that one round adds,
 * the SUM (kernels/elements.h) of the `unroll` elements; for writes bl_written_sum. starts and sums
 * have bl_launch_items elements. BL_OK or BL_NO_MEMORY. */
enum bl_status bl_expected_sums(const struct bl_launch *launch, const uint64_t starts[],
                                uint32_t rounds, uint32_t sums[], struct bl_error *error);

#endif
