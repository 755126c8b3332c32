/* What the kernels must compute: the data that they read, and the sum of every work-item. */
#ifndef BANKLINE_MODEL_REFERENCE_H
#define BANKLINE_MODEL_REFERENCE_H

#include "model/launch.h"

enum { BL_DATA_PERIOD = 1 << 20 };

/* Element i of the array, a hash of the index: some GPUs compress regular data in memory and would
 * then read faster than memory can deliver. The data repeat after BL_DATA_PERIOD elements (4 MiB),
 * which is far more than compression takes into account. */
uint32_t bl_data_element(size_t i);

/* The sum 0 + 1 + ... + (n - 1), modulo 2^32. */
uint32_t bl_sum_below(uint64_t n);

/* Copies the first group's outputs to all others, `count` outputs in total. For launches whose
 * groups all compute the same. */
void bl_repeat_group(uint32_t outputs[], size_t group, size_t count);

/* The sum of what a work-item that starts at this element reads back after its writes. In each of
 * the `steps` elements e, every component is e + rounds, truncated to the component's size. */
uint32_t bl_written_sum(const struct bl_launch *launch, uint64_t start, uint32_t rounds);

/* Computes the sum of each work-item, modulo 2^32. For reads it is the amount that one round adds:
 * the SUM (kernels/elements.h) of the `unroll` elements; for writes it is bl_written_sum. starts
 * and sums have bl_launch_items elements. BL_OK or BL_NO_MEMORY. */
enum bl_status bl_expected_sums(const struct bl_launch *launch, const uint64_t starts[],
                                uint32_t rounds, uint32_t sums[], struct bl_error *error);

#endif
