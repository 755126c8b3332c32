/* `try --requests FILE.svg`: the costliest request of every expression, clock by clock. */
#ifndef BANKLINE_CLI_TRY_REQUESTS_H
#define BANKLINE_CLI_TRY_REQUESTS_H

#include <stdio.h>

#include "run/trials.h"

enum { BL_MOST_TRY_REQUESTS = 16 };

/* Writes one SVG (page/request_picture.h) of the trials whose items can run, two to a row; the run
 * is that of the trials. BL_NO_MEMORY; BL_USAGE for more than BL_MOST_TRY_REQUESTS of them, which
 * nobody could look at; BL_BAD_MACHINE: the machine has no rule for them. */
enum bl_status bl_try_requests_svg(FILE *file, const struct bl_trying *trying,
                                   struct bl_error *error);

#endif
