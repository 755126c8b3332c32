/* Prints the results of an inference. */
#ifndef BANKLINE_CLI_INFER_VIEW_H
#define BANKLINE_CLI_INFER_VIEW_H

#include <stdio.h>

#include "cl/device.h"
#include "infer/infer.h"

/* Prints the probability and misfit of each hypothesis about the banks. Prints nothing if there
 * were no hypotheses. */
void bl_print_hypotheses(FILE *file, const struct bl_findings *findings);

/* Prints every inferred parameter with its basis, and then the unknown parameters with the reasons.
 */
void bl_print_findings(FILE *file, const struct bl_findings *findings);

/* Prints inferred, documented and driver-reported values side by side. Returns the number of
 * inferred values that differ from a documented or reported value. */
unsigned bl_print_side_by_side(FILE *file, const struct bl_findings *findings,
                               const struct bl_machine *documented, const struct bl_device *device);

/* Prints how far the measured ratios of the documented cases are from the predictions by the
 * inferred machine and by the documented machine. */
void bl_print_distances(FILE *file, const struct bl_machine *documented,
                        const struct bl_infer_distance *by_inferred,
                        const struct bl_infer_distance *by_documented);

#endif
