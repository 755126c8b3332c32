/* Summaries of a run: what each level of memory delivers, and how well predictions and claims hold.
 */
#ifndef BANKLINE_REPORT_SUMMARY_H
#define BANKLINE_REPORT_SUMMARY_H

#include "model/machine.h"
#include "report/row.h"
#include "report/run.h"

/* Figures of one level of memory; NAN if not measured or unknown. 1 GB = 1e9 bytes. Clocks are
 * clocks of the device. */
struct bl_level_figures {
    char name[32];               /* "local memory", "L1", ...; "64 KiB" if the levels are unknown */
    double read_gbytes_per_s;    /* contiguous reads, by the whole device */
    double read_bytes_per_clock; /* contiguous reads, per compute unit */
    double write_gbytes_per_s;
    double limit_bytes_per_clock; /* upper limit of read_bytes_per_clock by the machine's rule */
    double latency_ns;            /* time of a read whose address is the result of the previous
                                     read */
};

enum { BL_MOST_LEVELS = BL_LEVELS + 2 };

/* Fills in the levels for which the run has a number, the nearest level first. Returns the number
 * of levels.
 *
 * machine: NULL if unknown. If the machine is unknown or does not state the size of its cache, only
 * local memory and some working sets are listed, the latter named by size: the smallest, the
 * largest with a throughput, and the largest of all.
 *
 * arrays_per_unit: the number of bank arrays (sets of local-memory banks) per compute unit; 0 or
 * NAN if unknown, or if the machine describes another device. If the number is unknown, no limits
 * are filled in. */
unsigned bl_level_figures(const struct bl_run_rows *run, const struct bl_machine *machine,
                          double arrays_per_unit, struct bl_level_figures levels[BL_MOST_LEVELS]);

/* The bank arrays per compute unit for a run that was read from a file: 1, or 0 if unknown or if
 * the machine describes another device. On Intel the number is unknown, because rows do not record
 * how many compute units share an array. */
double bl_recorded_arrays_per_unit(const struct bl_run_rows *run, const struct bl_machine *machine);

/* The score of a run's predictions. All summaries of a run use this score, so they agree. A
 * prediction of 1 is easily met, so verdicts and distances are only of rows with other predictions.
 */

/* Initialize with zeros. */
struct bl_score {
    unsigned predicted;            /* number of rows whose prediction was tested */
    unsigned not_one;              /* number of tested rows whose prediction is not 1 */
    unsigned verdicts[BL_NO_RULE]; /* numbers of verdicts on the not_one rows */
    double sum, max;               /* sum and maximum of the not_one rows' absolute distances,
                                      fractions */
    char farthest[64];             /* id of the case with the largest distance */
};

void bl_score_add(struct bl_score *score, const struct bl_row *row);

/* Writes "Predictions other than 1: 3 of 8; 2 confirmed, 1 refuted. Distance from the prediction:
 * mean 2.0 %, largest 4.0 % (local/5)."; writes "" if no prediction was tested. Returns `text`. */
enum { BL_SCORE_BYTES = 256 };
char *bl_score_text(const struct bl_score *score, char text[BL_SCORE_BYTES]);

/* Numbers of claims and of the verdicts on them. Printed claims and derived claims are counted
 * separately. */
struct bl_claim_counts {
    unsigned tested, verdicts[BL_NO_RULE];
};
struct bl_claim_score {
    struct bl_claim_counts printed, derived;
};

/* Adds a row's claim. Returns the counts to which the claim was added, or NULL if the row has no
 * claim or its claim was not tested. */
struct bl_claim_counts *bl_claim_score_add(struct bl_claim_score *score, const struct bl_row *row);

#endif
