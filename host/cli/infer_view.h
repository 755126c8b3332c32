/* Prints the results of an inference. */
#ifndef BANKLINE_CLI_INFER_VIEW_H
#define BANKLINE_CLI_INFER_VIEW_H

#include <stdio.h>

#include "cl/device.h"
#include "infer/infer.h"

/* Prints the probability and misfit of each hypothesis; nothing if there were none. */
void bl_print_hypotheses(FILE *file, const struct bl_findings *findings);

/* Prints every finding with its basis, then the parameters that are not known, with the reason. */
void bl_print_findings(FILE *file, const struct bl_findings *findings);

/* Prints inferred, documented and driver-reported values side by side; returns how many disagree.
 */
unsigned bl_print_side_by_side(FILE *file, const struct bl_findings *findings,
                               const struct bl_machine *documented, const struct bl_device *device);

void bl_print_distances(FILE *file, const struct bl_machine *documented,
                        const struct bl_infer_distance *by_inferred,
                        const struct bl_infer_distance *by_documented);

#endif
