#include "page/strides.h"

#include <math.h>
#include <stdlib.h>

#include "model/pattern.h"
#include "model/predict.h"

/* Groups cost alike but for the hash that chooses tag banks; few show its mean. */
enum { WIDEST = 64, FEW_GROUPS = 16 };

/* Clocks of a request; NAN: there is no rule. */
static double clocks_of(const struct bl_machine *machine, const struct bl_launch *launch)
{
    struct bl_prediction prediction;
    uint64_t *starts = bl_pattern_starts(BL_PATTERN_STRIDE_N, launch);
    const bool is_known = starts && bl_predict(machine, launch, starts, &prediction) == BL_OK;
    free(starts);
    return is_known ? prediction.clocks : (double)NAN;
}

bool bl_page_strides(const struct bl_machine *machine, struct bl_points *points)
{
    static const enum bl_memory memories[] = {BL_MEMORY_GLOBAL, BL_MEMORY_LOCAL};
    *points = (struct bl_points){.what = "memory",
                                 .columns = {{"stride", "elements"}, {"predicted", ""}}};
    for (unsigned m = 0; m < 2 && machine->has_rule; m++) {
        const struct bl_shape row = {machine->lanes, 1};
        struct bl_launch launch = bl_launch_for(machine, memories[m], &bl_type_int, row, 1);
        launch.groups = launch.groups < FEW_GROUPS ? launch.groups : FEW_GROUPS;
        while (launch.elements < (size_t)WIDEST * machine->lanes)
            launch.elements *= 2;
        const double contiguous = clocks_of(machine, &launch);
        for (launch.n = 1; launch.n <= WIDEST; launch.n++) {
            const double numbers[BL_POINT_NUMBERS] = {launch.n,
                                                      contiguous / clocks_of(machine, &launch)};
            if (isfinite(numbers[1]) &&
                !bl_points_add(points, bl_memory_name(memories[m]), numbers))
                return false;
        }
    }
    return true;
}
