#include "model/predict.h"

enum bl_status bl_predict(const struct bl_machine *machine, enum bl_pattern pattern,
                          const struct bl_launch *launch, struct bl_prediction *prediction)
{
    const size_t group_items = bl_launch_group_items(launch);
    uint64_t lines = 0, bank_passes = 0, clocks = 0, requests = 0;
    for (size_t group = 0; group < launch->groups; group++) {
        for (size_t first = 0; first < group_items; first += launch->lanes) {
            const size_t left = group_items - first;
            const unsigned lanes = left < launch->lanes ? (unsigned)left : launch->lanes;
            uint64_t addresses_bytes[BL_MAX_LANES];
            for (unsigned lane = 0; lane < lanes; lane++)
                addresses_bytes[lane] =
                    launch->type->element_bytes *
                    bl_pattern_start(pattern, launch, group * group_items + first + lane);
            struct bl_cost cost;
            const enum bl_status status =
                bl_cost_of(machine, launch->memory, launch->type->access_bytes, addresses_bytes,
                           lanes, &cost);
            if (status != BL_OK)
                return status;
            lines += cost.lines;
            bank_passes += cost.bank_passes;
            clocks += cost.clocks;
            requests++;
        }
    }
    *prediction = (struct bl_prediction){
        .lines = (double)lines / (double)requests,
        .bank_passes = (double)bank_passes / (double)requests,
        .clocks = (double)clocks / (double)requests,
    };
    return BL_OK;
}
