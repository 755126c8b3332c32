/* kernel_sources FOLDER MACHINE: writes the kernels of all cases whose data do not lie in memory,
 * as they would be built for an Intel GPU that MACHINE describes, so that tests/intel_isa.py can
 * compile them offline.
 *
 * FOLDER/N.cl is a kernel with everything that it includes. For each kernel, a line of standard
 * output has these fields, separated by tabs: N, case, shape, kernel, memory, the loads and stores
 * of a work-item per round (0 if unknown), the required sub-group size, and the compiler's options.
 * Makes no OpenCL calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/session.h"
#include "run/plan.h"
#include "suites.h"

static int failed(const struct bl_error *error)
{
    fprintf(stderr, "kernel_sources: %s\n", error->sentence);
    return 1;
}

static enum bl_status write_source(const char *folder, size_t number, const char *file,
                                   struct bl_error *error)
{
    char *text, path[4096];
    const enum bl_status status = bl_source_load(NULL, file, &text, error);
    if (status != BL_OK)
        return status;
    snprintf(path, sizeof path, "%s/%zu.cl", folder, number);
    FILE *out = fopen(path, "w");
    const bool written = out && fputs(text, out) >= 0;
    free(text);
    if (!out || fclose(out) != 0 || !written)
        return bl_fail(error, BL_FILE_FAILED, "cannot write %s", path);
    return BL_OK;
}

int main(int argc, char *argv[])
{
    static const struct bl_device device = {
        .name = "an Intel GPU",
        .type = BL_DEVICE_GPU,
        .vendor_id = 0x8086,
        .compute_units = 24,
        .clock_mhz = 1150,
        .bank_arrays = 3,
        .sub_group_sizes = {8, 16, 32},
        .shares_registers = true,
        .local_bytes = 65536,
        .memory_bytes = 1ull << 34,
        .max_buffer_bytes = 1ull << 33,
        .cache_bytes = 768 * 1024,
        .max_group_items = 512,
        .max_items = {512, 512},
    };
    struct bl_error error = {0};
    const struct bl_catalogue catalogue = bl_suites();
    const struct bl_plan_filter filter = {.quick = false};
    const struct bl_machine *machine;
    struct bl_plan_item *items;
    size_t count;
    if (argc != 3)
        return 2;
    if (bl_machine_find(argv[2], &machine, &error) != BL_OK ||
        bl_plan(&catalogue, &filter, machine, &device, &items, &count, &error) != BL_OK)
        return failed(&error);
    for (size_t i = 0; i < count; i++) {
        const struct bl_workload *own = &items[i].own;
        if (items[i].status != BL_ROW_OK)
            continue;
        /* Cases whose data lie in memory are left out. Except for the number of blocks, their
         * kernels are those of the cases whose data lie in L2. */
        if (items[i].test_case->place == BL_IN_MEMORY)
            continue;
        if (write_source(argv[1], i, own->build.file, &error) != BL_OK)
            return failed(&error);
        const double launched = (double)bl_launch_requests(&own->launch);
        printf("%zu\t%s\t%ux%u\t%s\t%s\t%g\t%u\t%s\n", i, items[i].test_case->id,
               own->launch.shape.x, own->launch.shape.y, own->build.kernel,
               bl_memory_name(own->launch.memory),
               own->work.requests > 0 ? own->work.requests / launched : 0,
               own->build.required_lanes, own->build.options);
    }
    free(items);
    return 0;
}
