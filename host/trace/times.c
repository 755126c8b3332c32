#include "trace/times.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIELDS = 7 };

/* Cuts a line at its tabs; how many fields it has. */
static unsigned cut(char *line, char *fields[FIELDS])
{
    unsigned count = 0;
    line[strcspn(line, "\n")] = '\0';
    for (char *at = line; at && count < FIELDS; count++) {
        fields[count] = at;
        at = strchr(at, '\t');
        if (at)
            *at++ = '\0';
    }
    return count;
}

static enum bl_status take(struct bl_trace *trace, char *line, struct bl_error *error)
{
    char *fields[FIELDS], *end;
    if (cut(line, fields) != FIELDS)
        return bl_fail(error, BL_BAD_FORMAT, "the times of the program are none of this version's");
    struct bl_timed_device *device = &trace->timed_on;
    uint64_t numbers[5];
    for (unsigned i = 0; i < 5; i++) {
        numbers[i] = strtoull(fields[i + 1], &end, 10);
        if (end == fields[i + 1] || *end)
            return bl_fail(error, BL_BAD_FORMAT, "'%.40s' is no time of a launch", fields[i + 1]);
    }
    device->compute_units = (unsigned)numbers[3];
    device->mhz = (unsigned)numbers[4];
    snprintf(device->name, sizeof device->name, "%s", fields[6]);
    for (size_t i = 0; i < trace->kernel_count; i++) {
        struct bl_trace_kernel *kernel = &trace->kernels[i];
        if (strcmp(kernel->name, fields[0]) != 0)
            continue;
        kernel->timed.launches++;
        kernel->timed.items += numbers[0];
        kernel->timed.ns += (double)numbers[2];
        return BL_OK;
    }
    return BL_OK;
}

enum bl_status bl_times_read(int descriptor, bool (*is_interrupted)(void *context),
                             struct bl_trace *trace, struct bl_error *error)
{
    FILE *file = fdopen(dup(descriptor), "r");
    if (!file)
        return bl_fail(error, BL_FILE_FAILED, "cannot read the times: %s", strerror(errno));
    char *line = NULL;
    size_t room = 0, lines = 0, hellos = 0;
    enum bl_status status = BL_OK;
    while (status == BL_OK && getline(&line, &room, file) >= 0) {
        const bool is_hello = strcmp(line, "\t\n") == 0;
        hellos += is_hello;
        lines += !is_hello;
        if (!is_hello)
            status = take(trace, line, error);
        if (status == BL_OK && is_interrupted && is_interrupted(NULL))
            status = bl_fail(error, BL_INTERRUPTED, "interrupted");
    }
    free(line);
    fclose(file);
    if (status != BL_OK)
        return status;
    if (is_interrupted && is_interrupted(NULL))
        return bl_fail(error, BL_INTERRUPTED, "interrupted");
    if (!hellos)
        return bl_fail(error, BL_OPENCL_FAILED,
                       "no times: the program made no queue, or its OpenCL loader was loaded in a "
                       "way that neither layers nor preloaded libraries see");
    if (!lines)
        return bl_fail(error, BL_OPENCL_FAILED,
                       "no times: the program ran no kernel to its end on a real device");
    return BL_OK;
}
