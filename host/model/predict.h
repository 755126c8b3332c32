/* Mean cost of a pattern over all requests of a launch. */
#ifndef BANKLINE_MODEL_PREDICT_H
#define BANKLINE_MODEL_PREDICT_H

#include "model/access.h"
#include "model/pattern.h"

/* Means over the requests of the launch. A request is `lanes` work-items of a group in local
 * linear order; the last one of a group may be smaller. */
struct bl_prediction {
    double lines;       /* 0 for local memory */
    double bank_passes; /* 0 where no banks serve the memory */
    double clocks;      /* at least 1 */
};

/* BL_OK, or BL_BAD_MACHINE when the machine has no rule for this memory. */
enum bl_status bl_predict(const struct bl_machine *machine, enum bl_pattern pattern,
                          const struct bl_launch *launch, struct bl_prediction *prediction);

#endif
