/* Pictures drawn by gnuplot with the scripts in scripts/plots, which also work without bankline. */
#ifndef BANKLINE_PAGE_PLOT_H
#define BANKLINE_PAGE_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/temp_dir.h"

/* The points of a picture. gnuplot draws them, and the table below the picture lists them. */

enum { BL_POINT_NUMBERS = 6, BL_POINT_NAME = 192 };

struct bl_plot_point {
    char name[BL_POINT_NAME];
    double numbers[BL_POINT_NUMBERS]; /* NAN if unknown */
};

/* A column's name and unit; a column without a name ends the list. */
struct bl_point_column {
    const char *name; /* name in the CSV that gnuplot reads */
    const char *unit; /* the unit that is copied with each number; "" if there is none */
};

struct bl_points {
    const char *what; /* heading of the column of names, such as "case" */
    struct bl_point_column columns[BL_POINT_NUMBERS];
    struct bl_plot_point *all;
    size_t count, capacity;
};

/* Adds a point; its name is truncated to BL_POINT_NAME - 1 bytes. Returns false if memory runs out.
 */
bool bl_points_add(struct bl_points *points, const char *name,
                   const double numbers[BL_POINT_NUMBERS]);
void bl_points_free(struct bl_points *points);

/* Returns the number of columns of numbers that the points have. */
unsigned bl_points_columns(const struct bl_points *points);

struct bl_page_curve {
    char title[256], what[768]; /* title and description of the picture */
    char *svg;                  /* the SVG as text; NULL if the picture was not drawn */
    struct bl_points points;
};

void bl_page_free_curves(struct bl_page_curve curves[], size_t count);

/* Draws pictures, one at a time, in a temporary folder. */
struct bl_plotter {
    struct bl_temp_dir temp_dir;
    bool has_no_gnuplot; /* whether gnuplot is not installed; known after the first picture */
    unsigned failures;   /* number of pictures that gnuplot did not draw */
    /* why no further pictures are drawn, as a sentence (files cannot be written, or gnuplot does
     * not end); else "" */
    char why_none[300];
};

/* Opens a plotter, which must be closed. If temporary files cannot be created, nothing is drawn,
 * and why_none gives the reason. */
void bl_plotter_open(struct bl_plotter *plotter);
void bl_plotter_close(struct bl_plotter *plotter);

/* Writes a file of this name for scripts to read, by calling write(file, what). Returns BL_OK or
 * BL_NO_MEMORY. If the file cannot be written, why_none gives the reason. */
typedef void bl_plot_writer(FILE *file, const void *what);
enum bl_status bl_plotter_put(struct bl_plotter *plotter, const char *name, bl_plot_writer *write,
                              const void *what, struct bl_error *error);

/* Like bl_plotter_put, but writes the points as CSV. */
enum bl_status bl_plotter_put_points(struct bl_plotter *plotter, const char *name,
                                     const struct bl_points *points, struct bl_error *error);

/* Draws curve->svg with a script in scripts/plots, such as "nights.gp". The script reads the file
 * `csv`, which bl_plotter_put has written. arguments: further arguments of the script, ended by
 * NULL. If gnuplot cannot be started, or the script fails, for example because there are no rows,
 * svg stays NULL. */
enum { BL_PLOT_ARGUMENTS = 24 };
void bl_plot(struct bl_plotter *plotter, const char *script, const char *csv,
             const char *const arguments[], struct bl_page_curve *curve);

/* Like bl_plot, but the script reads the curve's points. */
void bl_plot_points(struct bl_plotter *plotter, const char *script, const char *const arguments[],
                    struct bl_page_curve *curve);

/* Writes gnuplot's SVG from "<svg" on, in the page's colours and font. Leaves out parts that only a
 * separate file needs: background, titles, ids, empty groups. keeps_shapes: whether to keep the
 * definitions of gnuplot's marks. Exactly one picture of a page must keep the definitions; all
 * pictures use them. */
void bl_page_put_svg(FILE *file, const char *svg, bool keeps_shapes);

/* Writes pictures as figures, each with its description and the table of its points. Pictures that
 * were not drawn are omitted. ids: prefix of the figures' ids. *has_shapes: whether a picture of
 * the page already defines the shapes of marks; the first picture sets it to true. */
void bl_page_put_curves(FILE *file, const struct bl_page_curve curves[], size_t count,
                        const char *ids, bool *has_shapes);

#endif
