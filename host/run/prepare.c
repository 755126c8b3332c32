#include "run/prepare.h"

#include <stdio.h>
#include <stdlib.h>

#include "run/subject.h"

enum bl_status bl_place(const struct bl_bench *bench, const struct bl_plan_item items[],
                        size_t count, struct bl_arrays *arrays, struct bl_error *error)
{
    *arrays = (struct bl_arrays){0};
    struct bl_dispatch *dispatches = calloc(2 * count + 1, sizeof *dispatches);
    if (!dispatches)
        return bl_fail(error, BL_NO_MEMORY, "no memory for %zu dispatches", 2 * count);
    const struct bl_plan_item *first = NULL;
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (items[i].status == BL_ROW_OK) {
            first = first ? first : &items[i];
            dispatches[n++] = bl_dispatch_of(&items[i].own);
            dispatches[n++] = bl_dispatch_of(&items[i].baseline);
        }
    enum bl_status status = BL_OK;
    struct bl_error why = {0};
    if (first) {
        char suite[BL_SUITE_BYTES];
        bl_suite_of(first->test_case->id, suite);
        status = bl_session_place(bench->session, suite, dispatches, n,
                                  bench->quick ? BL_QUICK_PLACEMENTS : BL_PLACEMENTS,
                                  &arrays->placements, &why);
    }
    if (status == BL_OK)
        snprintf(arrays->why_fewer, sizeof arrays->why_fewer, "%.*s",
                 (int)sizeof arrays->why_fewer - 1, why.sentence);
    else if (error)
        *error = why;
    free(dispatches);
    return status;
}

void bl_build_ahead(const struct bl_bench *bench, const struct bl_plan_item items[], size_t count)
{
    if (bench->device->type != BL_DEVICE_GPU)
        return;
    struct bl_kernel_source *sources = calloc(2 * count + 1, sizeof *sources);
    size_t n = 0;
    for (size_t i = 0; i < count && sources; i++)
        if (items[i].status == BL_ROW_OK) {
            sources[n++] = bl_source_of(&items[i].baseline.build);
            sources[n++] = bl_source_of(&items[i].own.build);
        }
    if (n > 0)
        bl_session_build_ahead(bench->session, sources, n);
    free(sources);
}
