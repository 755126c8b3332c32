#include "trace/times.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/reader.h"

enum { FIELDS = 5 };

/* Cuts a line at its tabs; how many fields it has. */
static unsigned cut(char *line, char *fields[FIELDS])
{
    unsigned count = 0;
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
    uint64_t numbers[3];
    for (unsigned i = 0; i < 3; i++) {
        numbers[i] = strtoull(fields[i + 1], &end, 10);
        if (end == fields[i + 1] || *end)
            return bl_fail(error, BL_BAD_FORMAT, "'%.40s' is no time of a launch", fields[i + 1]);
    }
    device->compute_units = (unsigned)numbers[1];
    device->mhz = (unsigned)numbers[2];
    snprintf(device->name, sizeof device->name, "%s", fields[4]);
    /* Kernels of one name, of different programs, cannot be told apart: they stay without a time.
     */
    struct bl_trace_kernel *own = NULL;
    for (size_t i = 0; i < trace->kernel_count; i++) {
        if (strcmp(trace->kernels[i].name, fields[0]) != 0)
            continue;
        if (own)
            return BL_OK;
        own = &trace->kernels[i];
    }
    if (own) {
        own->timed.launches++;
        own->timed.ns += (double)numbers[0];
    }
    return BL_OK;
}

/* Everything until the end, as a text that the caller frees. */
static enum bl_status read_all(int descriptor, bool (*is_interrupted)(void *context), char **text,
                               struct bl_error *error)
{
    size_t size = 0;
    *text = NULL;
    FILE *out = open_memstream(text, &size);
    if (!out)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the times");
    const struct bl_pipe pipe = {descriptor, "the times", is_interrupted, NULL};
    char block[4096];
    size_t got = 1;
    enum bl_status status = BL_OK;
    while (got > 0 && status == BL_OK) {
        status = bl_pipe_read(&pipe, block, sizeof block, &got, error);
        if (status == BL_OK)
            fwrite(block, 1, got, out);
    }
    const bool failed = ferror(out);
    if ((fclose(out) != 0 || failed) && status == BL_OK)
        status = bl_fail(error, BL_NO_MEMORY, "no memory for the times");
    return status;
}

enum bl_status bl_times_read(int descriptor, bool (*is_interrupted)(void *context),
                             struct bl_trace *trace, struct bl_error *error)
{
    char *text = NULL;
    enum bl_status status = read_all(descriptor, is_interrupted, &text, error);
    size_t lines = 0, hellos = 0;
    for (char *line = text; status == BL_OK && line && *line;) {
        char *next = line + strcspn(line, "\n");
        if (*next)
            *next++ = '\0';
        const bool is_hello = strcmp(line, "\t") == 0;
        hellos += is_hello;
        lines += !is_hello;
        if (!is_hello)
            status = take(trace, line, error);
        line = next;
    }
    free(text);
    if (status != BL_OK)
        return status;
    if (!hellos)
        return bl_fail(error, BL_OPENCL_FAILED,
                       "no times: the program made no queue, or its OpenCL loader was loaded in a "
                       "way that neither layers nor preloaded libraries see");
    if (!lines)
        return bl_fail(error, BL_OPENCL_FAILED,
                       "no times: the program ran no kernel to its end on a real device");
    return BL_OK;
}
