/* Draws requests as one SVG file: the lines and banks that the lanes access, and in each clock the
 * line that each tag bank looks up and the lane that each bank serves. With two requests, two
 * versions of a pattern can be compared side by side. */
#ifndef BANKLINE_PAGE_REQUEST_PICTURE_H
#define BANKLINE_PAGE_REQUEST_PICTURE_H

#include <stdio.h>

#include "model/access.h"

struct bl_drawn_request {
    const char *title; /* a text such as the expression */
    const struct bl_request *request;
};

/* Writes a standalone SVG, with two requests side by side per row, in light or dark colours
 * according to the reader's preference. Check ferror for write errors. A request for which the
 * machine has no rule is drawn without clocks, and the picture says so. Returns BL_OK; or
 * BL_NO_MEMORY, and then nothing is written. */
enum bl_status bl_requests_svg(FILE *file, const struct bl_machine *machine,
                               const struct bl_drawn_request requests[], size_t count,
                               struct bl_error *error);

#endif
