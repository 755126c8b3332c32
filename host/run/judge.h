/* What a measured row says of its prediction: whether the two are about the same, and agree. */
#ifndef BANKLINE_RUN_JUDGE_H
#define BANKLINE_RUN_JUDGE_H

#include "run/measure_case.h"

/* What was found besides the row's numbers. */
struct bl_evidence {
    bool in_registers;        /* a private array that is the point is in none of memory */
    double baseline_round_ns; /* a round of the whole launch */
};

/* The verdict of a row with a number. BL_NO_RULE also where the rule's premises do not hold;
 * *why_none then says which, if that is not plain from the row, else it is NULL. */
enum bl_verdict bl_judge(const struct bl_bench *bench, const struct bl_plan_item *item,
                         const struct bl_evidence *evidence, const struct bl_row *row,
                         const char **why_none);

/* Why neither of the two workloads has a cost by the model, where one of them has none. Static, or
 * NULL. */
const char *bl_why_no_prediction(const struct bl_plan_item *item);

/* BL_IMPOSSIBLE for more bytes than the machine's banks can deliver. */
enum bl_status bl_check_limit(const struct bl_bench *bench, const struct bl_work *work,
                              const struct bl_row *row, struct bl_error *error);

#endif
