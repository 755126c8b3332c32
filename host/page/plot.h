/* Pictures that gnuplot draws, from the scripts of scripts/plots, which also run alone. */
#ifndef BANKLINE_PAGE_PLOT_H
#define BANKLINE_PAGE_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/temp_dir.h"

/* The points of a picture: a table that stands below it, and what gnuplot draws. */

enum { BL_POINT_NUMBERS = 6, BL_POINT_NAME = 192 };

struct bl_plot_point {
    char name[BL_POINT_NAME];
    double numbers[BL_POINT_NUMBERS]; /* NAN: unknown */
};

/* A column's name and unit; the first column without a name ends them. */
struct bl_point_column {
    const char *name; /* name in the CSV that gnuplot reads */
    const char *unit; /* unit, copied with a figure; or "" */
};

struct bl_points {
    const char *what; /* meaning of the names: "case" */
    struct bl_point_column columns[BL_POINT_NUMBERS];
    struct bl_plot_point *all;
    size_t count, capacity;
};

/* Adds a point; its name is truncated to BL_POINT_NAME - 1 bytes. Returns false if there is no
 * memory. */
bool bl_points_add(struct bl_points *points, const char *name,
                   const double numbers[BL_POINT_NUMBERS]);
void bl_points_free(struct bl_points *points);

/* Returns how many columns of numbers the points have. */
unsigned bl_points_columns(const struct bl_points *points);

struct bl_page_curve {
    char title[256], what[768]; /* title; what it shows, in words */
    char *svg;                  /* the SVG as text; NULL: not drawn */
    struct bl_points points;
};

void bl_page_free_curves(struct bl_page_curve curves[], size_t count);

/* Many pictures, one after the other, in a folder of their own. */
struct bl_plotter {
    struct bl_temp_dir temp_dir;
    bool has_no_gnuplot; /* whether gnuplot turned out to be missing */
    unsigned failures;   /* number of pictures that gnuplot did not draw */
    /* a sentence: no more are tried, for lack of files or of an answer; or "" */
    char why_none[300];
};

/* Close it. Where no temporary files can be made, nothing is drawn, and why_none says so. */
void bl_plotter_open(struct bl_plotter *plotter);
void bl_plotter_close(struct bl_plotter *plotter);

/* Writes a file that scripts read by this name, by calling write(file, what). BL_NO_MEMORY; a file
 * that cannot be written is in why_none. */
typedef void bl_plot_writer(FILE *file, const void *what);
enum bl_status bl_plotter_put(struct bl_plotter *plotter, const char *name, bl_plot_writer *write,
                              const void *what, struct bl_error *error);

/* Like bl_plotter_put, of a CSV file with the points. */
enum bl_status bl_plotter_put_points(struct bl_plotter *plotter, const char *name,
                                     const struct bl_points *points, struct bl_error *error);

/* Draws curve->svg by a script of scripts/plots, "nights.gp", of a file that was put there, with
 * more arguments, ended by NULL. If the script fails, for example for lack of rows, svg stays NULL.
 */
enum { BL_PLOT_ARGUMENTS = 24 };
void bl_plot(struct bl_plotter *plotter, const char *script, const char *csv,
             const char *const arguments[], struct bl_page_curve *curve);

/* Like bl_plot, for the curve's own points. */
void bl_plot_points(struct bl_plotter *plotter, const char *script, const char *const arguments[],
                    struct bl_page_curve *curve);

/* Writes a file of gnuplot's from its "<svg" on, in the page's colours and font, without what only
 * a file of its own needs: background, titles, ids, empty groups. The ids of the marks' shapes stay
 * if keeps_shapes: exactly one picture of a page must have them, which all others then use. */
void bl_page_put_svg(FILE *file, const char *svg, bool keeps_shapes);

/* Writes pictures as figures, each with its words and the table of its points; those that were not
 * drawn are left out. ids: what their ids begin with. *has_shapes: whether a picture of the page
 * has the shapes of marks already; true behind the first. */
void bl_page_put_curves(FILE *file, const struct bl_page_curve curves[], size_t count,
                        const char *ids, bool *has_shapes);

#endif
