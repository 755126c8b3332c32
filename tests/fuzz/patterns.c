/* Reads a file of patterns for `try`. */
#include "fuzz.h"
#include "run/trials.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct bl_error error = {0};
    struct bl_trials trials;
    const int descriptor = as_file(data, size, path);
    check_failure(bl_trials_read(path, NULL, 0, NULL, &trials, &error), &error);
    bl_trials_free(&trials);
    close(descriptor);
    return 0;
}
