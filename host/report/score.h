/* Scores the predictions of a run. All summaries of a run use it, so they agree. A prediction of 1
 * is easily met, so only the other rows count for distances. */
#ifndef BANKLINE_REPORT_SCORE_H
#define BANKLINE_REPORT_SCORE_H

#include "report/row.h"

/* Initialize with zeros. */
struct bl_score {
    unsigned predicted;            /* rows whose prediction was tested */
    unsigned not_one;              /* those of them with a prediction other than 1 */
    unsigned verdicts[BL_NO_RULE]; /* the verdicts of these */
    double sum, max;               /* of their absolute distances, fractions */
    char farthest[64];             /* the case with the largest distance */
};

void bl_score_add(struct bl_score *score, const struct bl_row *row);

/* "Predictions other than 1: 3 of 8; 2 confirmed, 1 refuted. Distance from the prediction: mean 2.0
 * %, largest 4.0 % (local/5)."; "" if none was tested. Returns text. */
enum { BL_SCORE_BYTES = 256 };
char *bl_score_text(const struct bl_score *score, char text[BL_SCORE_BYTES]);

/* Counts claims and verdicts on them, separately for claims that a document prints and for derived
 * ones. */
struct bl_claim_counts {
    unsigned tested, verdicts[BL_NO_RULE];
};
struct bl_claim_score {
    struct bl_claim_counts printed, derived;
};

/* Adds a row's claim and returns the counts to which it was added; NULL if the row has no claim, or
 * it was not tested. */
struct bl_claim_counts *bl_claim_score_add(struct bl_claim_score *score, const struct bl_row *row);

#endif
