/* How well the predictions of a run are met: the same figures wherever a run is summed up. A
 * prediction of 1 is easily met, so distances are those of the other rows. */
#ifndef BANKLINE_REPORT_SCORE_H
#define BANKLINE_REPORT_SCORE_H

#include "report/row.h"

/* Begins as zeros. */
struct bl_score {
    unsigned predicted;            /* rows whose prediction was tested, */
    unsigned not_one;              /* and is not 1: */
    unsigned verdicts[BL_NO_RULE]; /* theirs */
    double sum, max;               /* of their distances, fractions without signs */
    char farthest[64];             /* the case of the largest */
};

void bl_score_add(struct bl_score *score, const struct bl_row *row);

/* "Predictions other than 1: 3 of 8; 2 confirmed, 1 refuted. Distance from the prediction: mean 2.0
 * %, largest 4.0 % (local/5)."; "" where none was tested. Returns text. */
enum { BL_SCORE_BYTES = 256 };
char *bl_score_text(const struct bl_score *score, char text[BL_SCORE_BYTES]);

/* The claims that a document prints, and those derived from its rules: how many were tested, what
 * was found. */
struct bl_claim_counts {
    unsigned tested, verdicts[BL_NO_RULE];
};
struct bl_claim_score {
    struct bl_claim_counts printed, derived;
};

/* The counts to which the row's claim was added; NULL: it has none, or it was not tested. */
struct bl_claim_counts *bl_claim_score_add(struct bl_claim_score *score, const struct bl_row *row);

#endif
