#include "subject.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/reference.h"

void bl_kernel_options(const struct bl_device *device, enum bl_pattern pattern,
                       const struct bl_launch *launch, char *options, size_t size)
{
    snprintf(options, size, "-DINDEX=index_%s -DELEMENTS=%zu -DSPREAD=%zu -DSTEP=%u -DUNROLL=%u%s%s",
             bl_pattern_name(pattern), launch->elements, launch->spread, launch->step,
             launch->unroll, launch->memory == BL_MEMORY_LOCAL ? " -DIDS_WITHIN_GROUP" : "",
             device->can_require_16_lanes ? " -DREQUIRED_SUB_GROUP_SIZE=16" : "");
}

static bool was_checked(const struct bl_reader *reader, uint32_t rounds)
{
    for (unsigned i = 0; i < reader->checked_count; i++)
        if (reader->checked[i] == rounds)
            return true;
    return false;
}

static enum bl_status launch(void *context, uint32_t rounds, struct bl_timing *timing,
                             struct bl_error *error)
{
    struct bl_reader *reader = context;
    const bool check = !was_checked(reader, rounds);
    enum bl_status status = BL_OK;
    if (check)
        status = bl_session_poison_sums(reader->session, &reader->launch, error);
    if (status == BL_OK)
        status = bl_session_read(reader->session, reader->kernel, &reader->launch, rounds, timing,
                                 error);
    if (status != BL_OK || !check)
        return status;
    status = bl_session_sums(reader->session, &reader->launch, reader->sums, error);
    if (status == BL_OK)
        status = bl_check_sums(reader->round_sums, bl_launch_items(&reader->launch), rounds,
                               reader->sums, error);
    /* Calibration takes few lengths; one beyond the room is checked again each time. */
    if (status == BL_OK && reader->checked_count < BL_CHECKED_LENGTHS)
        reader->checked[reader->checked_count++] = rounds;
    return status;
}

enum bl_status bl_reader_open(const struct bl_bench *bench, enum bl_pattern pattern,
                              const struct bl_launch *layout, struct bl_reader *reader,
                              struct bl_error *error)
{
    *reader = (struct bl_reader){
        .subject = {.context = reader, .launch = launch},
        .session = bench->session,
        .launch = *layout,
    };
    const size_t items = bl_launch_items(layout);
    reader->sums = malloc(items * sizeof *reader->sums);
    reader->round_sums = malloc(items * sizeof *reader->round_sums);
    if (!reader->sums || !reader->round_sums)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the sums of %zu work-items", items);
    enum bl_status status = bl_round_sums(pattern, layout, reader->round_sums, error);
    if (status != BL_OK)
        return status;
    char options[256];
    bl_kernel_options(bench->device, pattern, layout, options, sizeof options);
    const char *file = layout->memory == BL_MEMORY_LOCAL ? "local.cl" : "global.cl";
    return bl_session_kernel(bench->session, file, "read_pattern", options, &reader->kernel, error);
}

void bl_reader_close(struct bl_reader *reader)
{
    free(reader->sums);
    free(reader->round_sums);
    reader->sums = reader->round_sums = NULL;
}
