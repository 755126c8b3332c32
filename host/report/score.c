/* Summarizes how well a run's predictions and claims hold. */
#include "report/score.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "report/layout.h"

void bl_score_add(struct bl_score *score, const struct bl_row *row)
{
    if (!isfinite(row->distance) || row->verdict >= BL_NO_RULE)
        return;
    score->predicted++;
    if (fabs(row->predicted - 1) < 1e-9)
        return;
    const double distance = fabs(row->distance);
    score->not_one++;
    score->verdicts[row->verdict]++;
    score->sum += distance;
    if (distance <= score->max)
        return;
    score->max = distance;
    snprintf(score->farthest, sizeof score->farthest, "%.63s", row->key.case_id);
}

char *bl_score_text(const struct bl_score *score, char text[BL_SCORE_BYTES])
{
    text[0] = '\0';
    if (score->predicted == 0)
        return text;
    bl_text_add(text, BL_SCORE_BYTES, "Predictions other than 1: %u of %u", score->not_one,
                score->predicted);
    const char *separator = "; ";
    for (unsigned v = 0; v < BL_NO_RULE; v++)
        if (score->verdicts[v]) {
            bl_text_add(text, BL_SCORE_BYTES, "%s%u %s", separator, score->verdicts[v],
                        bl_verdict_name((enum bl_verdict)v));
            separator = ", ";
        }
    if (score->not_one)
        bl_text_add(text, BL_SCORE_BYTES,
                    ". Distance from the prediction: mean %.1f %%, largest %.1f %% (%s)",
                    100 * score->sum / score->not_one, 100 * score->max, score->farthest);
    bl_text_add(text, BL_SCORE_BYTES, ".");
    return text;
}

struct bl_claim_counts *bl_claim_score_add(struct bl_claim_score *score, const struct bl_row *row)
{
    if (row->claim_verdict >= BL_NO_RULE)
        return NULL;
    struct bl_claim_counts *counts = bl_claim_is_derived(row) ? &score->derived : &score->printed;
    counts->tested++;
    counts->verdicts[row->claim_verdict]++;
    return counts;
}
