/* The documented cases, predicted by a machine that was inferred and by the one that is known. */
#ifndef BANKLINE_CLI_INFER_CASES_H
#define BANKLINE_CLI_INFER_CASES_H

#include "run/run.h"

/* How far predictions are from what was measured. */
struct bl_infer_distance {
    unsigned rows;
    double mean, largest; /* fractions */
    char worst[96];       /* the row of the largest */
};

/* Measures the documented cases of lines, banks and shapes on the run's device, and compares with
 * both machines; one that has no rule has no rows. BL_INTERRUPTED, BL_HANGS, BL_NO_MEMORY; a case
 * that fails otherwise is left out. */
enum bl_status bl_infer_compare_cases(struct bl_run *run, const struct bl_machine *inferred,
                                      const struct bl_machine *documented,
                                      struct bl_infer_distance *by_inferred,
                                      struct bl_infer_distance *by_documented,
                                      struct bl_error *error);

#endif
