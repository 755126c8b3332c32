/* Summaries of a run: what each level of memory delivers, and how well predictions and claims hold.
 */
#ifndef BANKLINE_REPORT_SUMMARY_H
#define BANKLINE_REPORT_SUMMARY_H

#include "model/machine.h"
#include "report/row.h"
#include "report/run.h"

/* NAN: not measured, or unknown. GB are 1e9 bytes; clocks are the device's. */
struct bl_level_figures {
    char name[32];               /* "local", "L1", ...; "64 KiB" where the levels are unknown */
    double read_gbytes_per_s;    /* contiguous reads, of the whole device, */
    double read_bytes_per_clock; /* and per compute unit */
    double write_gbytes_per_s;
    double limit_bytes_per_clock; /* limit of reads by the machine's rule, per compute unit */
    double latency_ns;            /* of a read that depends on the one before */
};

enum { BL_MOST_LEVELS = BL_LEVELS + 2 };

/* Fills in the levels for which the run has a number, the nearest first; returns their number.
 * machine: NULL if unknown. If it does not state the sizes of its levels, only the smallest working
 * set and the largest ones of throughputs and of latencies are listed, named by size.
 * arrays_per_unit: the device's bank arrays per compute unit; 0 or NAN if unknown, or if the
 * machine describes another device; then no limits are filled in. */
unsigned bl_level_figures(const struct bl_run_rows *run, const struct bl_machine *machine,
                          double arrays_per_unit, struct bl_level_figures levels[BL_MOST_LEVELS]);

/* The bank arrays per compute unit of a run that was read from a file: 1, or 0 if unknown. Rows do
 * not record how many compute units of an Intel GPU share an array. */
double bl_recorded_arrays_per_unit(const struct bl_run_rows *run, const struct bl_machine *machine);

/* Scores the predictions of a run. All summaries of a run use it, so they agree. A prediction of 1
 * is easily met, so only the other rows count for distances. */

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
