/* Which of many alike differs by more than chance allows. */
#ifndef BANKLINE_MEASURE_OUTLIERS_H
#define BANKLINE_MEASURE_OUTLIERS_H

#include <stddef.h>

/* What is usual: the median, and the standard deviation of a normal distribution that has as wide a
 * middle: the scaled median absolute deviation, which is not moved by less than half of the values.
 * With 100 values or more it is the middle 95 % of those within six such deviations of the median,
 * which sees heavier tails, and lighter ones. */
struct bl_usual {
    double median, sd;
};

/* Of n >= 1 finite values; their order changes. */
struct bl_usual bl_usual_of(double values[], size_t n);

/* How many standard deviations from the median one of n values lies by chance, in one of `tests`
 * such comparisons altogether, with this probability: Student's t for how well the deviation is
 * known from so many values. INFINITY for fewer than BL_FEWEST_ALIKE: of two or three nobody can
 * say which is the odd one. */
enum { BL_FEWEST_ALIKE = 4 };
double bl_chance_limit(size_t n, size_t tests, double probability);

/* The quantile of Student's distribution that |t| passes with this probability, above 1e-300. */
double bl_student_quantile(double probability, double freedom);

#endif
