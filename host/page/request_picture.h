/* Requests as one SVG file: what each lane wants, and clock by clock which line a tag bank looks up
 * and which lane a bank serves. Two versions of a pattern stand side by side. */
#ifndef BANKLINE_PAGE_REQUEST_PICTURE_H
#define BANKLINE_PAGE_REQUEST_PICTURE_H

#include <stdio.h>

#include "model/access.h"

struct bl_drawn_request {
    const char *title; /* such as the expression; any text */
    const struct bl_request *request;
};

/* Writes an SVG of its own, two requests to a row, in the light or the dark colours that its reader
 * prefers; check ferror for write errors. A request for which the machine has no rule is drawn
 * without clocks, and the picture says so. BL_NO_MEMORY: nothing is written. */
enum bl_status bl_requests_svg(FILE *file, const struct bl_machine *machine,
                               const struct bl_drawn_request requests[], size_t count,
                               struct bl_error *error);

#endif
