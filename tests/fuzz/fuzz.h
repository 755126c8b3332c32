/* Shared code of the fuzz targets. A target is a function that libFuzzer calls with many inputs. It
 * returns 0 for every input. If an input reveals a bug, the target aborts, or a sanitizer reports
 * an error. */
#ifndef BANKLINE_TESTS_FUZZ_H
#define BANKLINE_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/status.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Checks that a failure has a sentence of one line and an exit status from 1 to 4. */
static inline void check_failure(enum bl_status status, const struct bl_error *error)
{
    if (status != BL_OK && (!error->sentence[0] || strchr(error->sentence, '\n') ||
                            bl_status_exit(status) < 1 || bl_status_exit(status) > 4))
        abort();
}

/* Makes a file with these bytes; path receives its name. The caller closes the descriptor. */
static inline int as_file(const uint8_t *data, size_t size, char path[64])
{
    const int descriptor = memfd_create("fuzz", MFD_CLOEXEC);
    if (descriptor < 0 || write(descriptor, data, size) != (ssize_t)size)
        abort();
    snprintf(path, 64, "/proc/self/fd/%d", descriptor);
    return descriptor;
}

#endif
