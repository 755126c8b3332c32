/* Measures the model's speed in work-items per second: bench_model [WORK_ITEMS].
 * This is a benchmark, not a test (`meson test --benchmark`). It uses random indices, because they
 * take the model the longest. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure/sampler.h"
#include "model/machine.h"
#include "model/predict.h"

enum { REPEATS = 7 };

/* Returns the model's speed in millions of work-items per second, the best of several repetitions;
 * -1 if the machine has no rule. */
static double rate_of(const struct bl_machine *machine, enum bl_memory memory,
                      const uint64_t starts[], size_t items)
{
    struct bl_launch launch =
        bl_launch_for(machine, memory, &bl_type_int, (struct bl_shape){machine->lanes, 1}, 1);
    launch.groups = items / machine->lanes;
    struct bl_prediction prediction;
    uint64_t best_ns = UINT64_MAX;
    for (int i = 0; i < REPEATS; i++) {
        const uint64_t before_ns = bl_host_now_ns();
        if (bl_predict(machine, &launch, starts, &prediction) != BL_OK)
            return -1;
        const uint64_t ns = bl_host_now_ns() - before_ns;
        best_ns = ns < best_ns ? ns : best_ns;
    }
    return (double)items * 1e3 / (double)best_ns;
}

int main(int argc, char *argv[])
{
    const size_t items = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : (size_t)4 << 20;
    uint64_t *starts = malloc(items * sizeof *starts), state = 1;
    if (!starts || items < BL_MAX_LANES)
        return 1;
    for (size_t i = 0; i < items; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        starts[i] = state >> 40;
    }
    printf("%zu work-items at random indices, seed 1; millions per second, the best of %d:\n",
           items, REPEATS);
    size_t count;
    const struct bl_machine *machines = bl_machines(&count);
    for (size_t i = 0; i < count; i++) {
        const double global = rate_of(&machines[i], BL_MEMORY_GLOBAL, starts, items);
        const double local = rate_of(&machines[i], BL_MEMORY_LOCAL, starts, items);
        if (global >= 0)
            printf("%-14s global %5.0f  local %5.0f\n", machines[i].name, global, local);
    }
    free(starts);
    return 0;
}
