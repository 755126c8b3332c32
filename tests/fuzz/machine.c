/* Reads a machine file. The model must work with every file that is accepted. */
#include "fuzz.h"
#include "model/access.h"
#include "model/machine_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct bl_error error = {0};
    struct bl_machine machine;
    const int descriptor = as_file(data, size, path);
    const struct bl_machine *used = NULL;
    const enum bl_status status = bl_machine_named(path, &machine, &used, &error);
    check_failure(status, &error);
    if (status == BL_OK && used->has_rule) {
        uint64_t addresses_bytes[BL_MAX_LANES];
        for (size_t i = 0; i < BL_MAX_LANES; i++)
            addresses_bytes[i] = i * 68;
        const enum bl_memory memories[] = {BL_MEMORY_GLOBAL, BL_MEMORY_LOCAL};
        for (int m = 0; m < 4; m++) {
            struct bl_cost cost;
            const struct bl_request request = {
                memories[m % 2],
                m / 2 != 0,
                4,
                used->lanes < BL_MAX_LANES ? used->lanes : BL_MAX_LANES,
                addresses_bytes,
                false};
            cost = (struct bl_cost){0};
            bl_cost_of(used, &request, &cost);
        }
    }
    close(descriptor);
    return 0;
}
