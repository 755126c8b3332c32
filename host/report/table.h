/* The table on the terminal: a heading, a line a row as it comes, and at the end what it means. */
#ifndef BANKLINE_REPORT_TABLE_H
#define BANKLINE_REPORT_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "model/machine.h"
#include "report/row.h"

struct bl_table {
    FILE *file;
    bool colour;
    bool quiet;       /* the last line alone */
    double tolerance; /* a fraction, of the verdicts */
    const struct bl_machine *machine;
    /* Counted as rows go by. */
    unsigned rows, verdicts[BL_NO_VERDICT + 1], statuses[BL_ROW_STATUS_COUNT];
    unsigned claims, claims_held;
    char claims_failed[128]; /* ids of the first cases whose claim does not hold here */
    unsigned claims_named;   /* how many of them these are */
    /* How far measurements are from predictions, as fractions of these. */
    unsigned errors;
    double error_sum, error_max;
    char error_case[64]; /* of the largest */
};

/* Heading: device, driver, machine (from any row of the run) and the names of the columns. */
void bl_table_begin(struct bl_table *table, const struct bl_row *run);
void bl_table_row(struct bl_table *table, const struct bl_row *row);
void bl_table_end(struct bl_table *table);

/* "1/4" for 0.25 and its like; else decimals; "-" for NAN. Returns text. */
char *bl_format_ratio(double ratio, char text[16]);

/* The row's predicted ratio where there is one, else the words of its claim, else "-". The result
 * is static or lies in text. */
const char *bl_format_prediction(const struct bl_row *row, char text[16]);

#endif
