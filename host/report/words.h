/* How rows are put into words for people, the same in every format that people read. */
#ifndef BANKLINE_REPORT_WORDS_H
#define BANKLINE_REPORT_WORDS_H

#include <stddef.h>

#include "report/row.h"

/* "1/4" for 0.25 and its like; else decimals; "-" for NAN. Returns text. */
char *bl_format_ratio(double ratio, char text[16]);

/* The row's predicted ratio where there is one, else the words of its claim, else "-". The result
 * is static or lies in text. */
const char *bl_format_prediction(const struct bl_row *row, char text[16]);

/* "0.9503 [0.9466, 0.9530]". Returns text. */
char *bl_format_measured(const struct bl_row *row, char text[48]);

/* "memory, granules": the level whose rule the prediction is, and what binds by it, as far as the
 * row has them. Returns text. */
char *bl_format_rule(const struct bl_row *row, char text[48]);

#endif
