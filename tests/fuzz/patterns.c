/* A file of patterns for `try`. */
#include "cli/trials.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct bl_error error = {0};
    struct bl_trials trials;
    const int descriptor = as_file(data, size, path);
    const struct bl_options options = {.command = BL_COMMAND_TRY, .patterns = path};
    check_failure(bl_trials_read(&options, &trials, &error), &error);
    bl_trials_free(&trials);
    close(descriptor);
    return 0;
}
