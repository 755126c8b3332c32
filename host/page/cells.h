/* One request as a picture: which lines and sectors its lanes touch, and which words they want from
 * each bank. */
#ifndef BANKLINE_PAGE_CELLS_H
#define BANKLINE_PAGE_CELLS_H

#include <stdio.h>

#include "model/access.h"

/* Draws the request as SVG, with a text of what it shows: a row for each line, a square for each of
 * its sectors, filled where a lane touches it; a column for each bank, a square for each word that
 * is wanted from it, from the second on marked. Nothing where the machine has no rule of its
 * memory. */
void bl_page_cells(FILE *file, const struct bl_machine *machine, const struct bl_request *request,
                   const char *id);

/* What it shows in words: "32 lanes touch 4 lines, 16 sectors; the busiest tag bank looks up 1,
 * ...".
 */
void bl_page_cells_words(const struct bl_machine *machine, const struct bl_request *request,
                         char words[320]);

#endif
