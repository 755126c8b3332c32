/* Where the level of a series changed, such as a ratio over nights.
 *
 * By binary segmentation: of the splits whose two medians differ by more than chance reaches, in
 * the noise that is left around them, the one that leaves the values closest to their medians is a
 * change, and then each part is split again. Medians, and the median absolute deviation as the
 * noise, so that single odd nights are none; and the ranks must differ, whatever the noise's
 * distribution is. */
#ifndef BANKLINE_MEASURE_CHANGE_POINTS_H
#define BANKLINE_MEASURE_CHANGE_POINTS_H

#include <stddef.h>

/* A level lasts at least so many points: two odd ones are none. */
enum { BL_LEVEL_POINTS = 5 };

struct bl_change_search {
    double noise_floor; /* the noise is at least that: a standard deviation */
    double least_step;  /* smaller ones do not count; 0: each does */
    size_t series;      /* that are searched together: at most 5 of 100 such sets of pure noise
                         * have any change; at least 1 */
};

/* Searches `count` finite values, oldest first. Writes the indices at which another level begins,
 * in order, at most `capacity` of them, and returns how many; 0 where there are too few values, and
 * where there is no memory. */
size_t bl_change_points(const double values[], size_t count, const struct bl_change_search *search,
                        size_t points[], size_t capacity);

#endif
