/* Draws a request as text, to show which lanes share a cache line and which share a bank.
 *
 *   lane 0               8               16              24
 *   line A A A A A A A A B B B B B B B B C C C C C C C C D D D D D D D D
 *   bank 0 4 8 c g k o s 0 4 8 c g k o s 0 4 8 c g k o s 0 4 8 c g k o s
 *   pass 1 1 1 1 1 1 1 1 2 2 2 2 2 2 2 2 3 3 3 3 3 3 3 3 4 4 4 4 4 4 4 4
 *
 * Lines get letters in the order in which lanes touch them. A lane's bank is the bank of the first
 * word that the lane accesses; lanes with the same bank in different passes conflict. */
#ifndef BANKLINE_REPORT_PICTURE_H
#define BANKLINE_REPORT_PICTURE_H

#include <stdio.h>

#include "model/access.h"

/* Draws the request, 32 lanes per row. Draws nothing if the machine has no rule for it. */
void bl_picture(FILE *file, const struct bl_machine *machine, const struct bl_request *request);

/* Explains the rows of a picture, in lines of at most `width` characters. */
void bl_picture_legend(FILE *file, const struct bl_machine *machine, enum bl_memory memory,
                       unsigned width);

#endif
