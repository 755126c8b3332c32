/* The points of a picture: a table that stands below it, and what gnuplot draws. */
#ifndef BANKLINE_PAGE_POINTS_H
#define BANKLINE_PAGE_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { BL_POINT_NUMBERS = 6, BL_POINT_NAME = 192 };

struct bl_point {
    char name[BL_POINT_NAME];
    double numbers[BL_POINT_NUMBERS]; /* NAN: not known */
};

/* What a column is of; the columns end before the first without a name. */
struct bl_point_column {
    const char *name; /* as the CSV that gnuplot reads has it */
    const char *unit; /* that a copied figure has behind it; "" */
};

struct bl_points {
    const char *what; /* the names are of: "case" */
    struct bl_point_column columns[BL_POINT_NUMBERS];
    struct bl_point *all;
    size_t count, capacity;
};

/* Adds a point, whose name is cut at BL_POINT_NAME - 1 bytes; false: there is no memory for it. */
bool bl_points_add(struct bl_points *points, const char *name,
                   const double numbers[BL_POINT_NUMBERS]);
void bl_points_free(struct bl_points *points);

/* A table that can be opened; nothing where there are no points. */
void bl_points_table(FILE *file, const struct bl_points *points);

/* As CSV, which the caller frees: a column for the names and one for each number; NULL: there is
 * no memory. */
char *bl_points_csv(const struct bl_points *points);

#endif
