/* Pictures that gnuplot draws, from the scripts of scripts/plots, which also run alone. */
#ifndef BANKLINE_PAGE_PLOT_H
#define BANKLINE_PAGE_PLOT_H

#include <stdbool.h>

#include "base/temp_dir.h"
#include "page/points.h"

struct bl_page_curve {
    char title[256], what[768]; /* what it shows, in words */
    char *svg;                  /* as a file has it; NULL: it was not drawn */
    struct bl_points points;
};

void bl_page_free_curves(struct bl_page_curve curves[], size_t count);

/* Many pictures, one after the other, in a folder of their own. */
struct bl_plotter {
    struct bl_temp_dir temp_dir;
    bool has_no_gnuplot; /* as it turned out */
    unsigned failures;   /* pictures that gnuplot did not draw */
};

/* BL_FILE_FAILED where there is no room for temporary files. Close it whatever is returned. */
enum bl_status bl_plotter_open(struct bl_plotter *plotter, struct bl_error *error);
void bl_plotter_close(struct bl_plotter *plotter);

/* Writes a text that scripts read by this name. BL_FILE_FAILED. */
enum bl_status bl_plotter_put(const struct bl_plotter *plotter, const char *name, const char *text,
                              struct bl_error *error);

/* Draws curve->svg by a script of scripts/plots, "nights.gp", of a file that was put there, with
 * more arguments, ended by NULL. Where the script fails, as for want of rows, it stays NULL. */
enum { BL_PLOT_ARGUMENTS = 24 };
void bl_plot(struct bl_plotter *plotter, const char *script, const char *csv,
             const char *const arguments[], struct bl_page_curve *curve);

/* As bl_plot, of the curve's own points. */
void bl_plot_points(struct bl_plotter *plotter, const char *script, const char *const arguments[],
                    struct bl_page_curve *curve);

/* Writes pictures as figures, each with its words and the table of its points; those that were not
 * drawn are left out. ids: what their ids begin with. */
void bl_page_put_curves(FILE *file, const struct bl_page_curve curves[], size_t count,
                        const char *ids);

#endif
