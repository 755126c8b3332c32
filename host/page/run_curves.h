/* The curves of one run. */
#ifndef BANKLINE_PAGE_RUN_CURVES_H
#define BANKLINE_PAGE_RUN_CURVES_H

#include "page/page.h"
#include "page/plot.h"

enum { BL_CURVES = 5 };

/* Draws all curves that the page's last run has rows for. `model` is what the model predicts for
 * the strides from 1 to 64, or without points. BL_NO_MEMORY, BL_FILE_FAILED. Free them with
 * bl_page_free_curves, whatever is returned. */
enum bl_status bl_page_draw(struct bl_plotter *plotter, const struct bl_page *page,
                            const struct bl_points *model, struct bl_page_curve curves[BL_CURVES],
                            struct bl_error *error);

#endif
