/* How long the model takes over the indices of a large probe: bench_model [WORK_ITEMS]. A
 * benchmark, not a test: `meson test --benchmark`. The indices are random, the worst there is. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure/clock.h"
#include "model/machine.h"
#include "model/predict.h"

static double predict_seconds(const struct bl_machine *machine, enum bl_memory memory,
                              const uint64_t starts[], size_t items)
{
    struct bl_launch launch =
        bl_launch_for(machine, memory, &bl_type_int, (struct bl_shape){machine->lanes, 1}, 1);
    launch.groups = items / machine->lanes;
    struct bl_prediction prediction;
    const uint64_t before_ns = bl_host_now_ns();
    if (bl_predict(machine, &launch, starts, &prediction) != BL_OK)
        return -1;
    const double seconds = (double)(bl_host_now_ns() - before_ns) * 1e-9;
    printf("%-11s %-7s %.3f s, %.3f clocks a request\n", machine->name,
           memory == BL_MEMORY_LOCAL ? "local" : "global", seconds, prediction.clocks);
    return seconds;
}

int main(int argc, char *argv[])
{
    const size_t items = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : (size_t)16 << 20;
    uint64_t *starts = malloc(items * sizeof *starts), state = 1;
    if (!starts || items < BL_MAX_LANES)
        return 1;
    for (size_t i = 0; i < items; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        starts[i] = state >> 40;
    }
    printf("%zu work-items at random indices, seed 1:\n", items);
    const char *const names[] = {"nvidia-hopper", "intel-gen9"};
    for (size_t i = 0; i < 2; i++) {
        const struct bl_machine *machine;
        if (bl_machine_find(names[i], &machine, NULL) != BL_OK ||
            predict_seconds(machine, BL_MEMORY_GLOBAL, starts, items) < 0 ||
            predict_seconds(machine, BL_MEMORY_LOCAL, starts, items) < 0)
            return 1;
    }
    free(starts);
    return 0;
}
