#include "run/workload.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "run/case.h"

void bl_add_option(struct bl_workload *workload, const char *format, ...)
{
    const size_t used = strlen(workload->options);
    if (used + 2 >= sizeof workload->options)
        return;
    if (used)
        strcat(workload->options, " ");
    va_list arguments;
    va_start(arguments, format);
    const size_t at = strlen(workload->options);
    vsnprintf(workload->options + at, sizeof workload->options - at, format, arguments);
    va_end(arguments);
}

void bl_unsupported(struct bl_workload *workload, const char *format, ...)
{
    if (workload->status != BL_ROW_OK)
        return;
    workload->status = BL_ROW_UNSUPPORTED;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(workload->reason, sizeof workload->reason, format, arguments);
    va_end(arguments);
}

void bl_workload_begin(struct bl_workload *workload, const struct bl_case *test_case,
                       const struct bl_setting *setting, const char *file, const char *kernel)
{
    const struct bl_type *type = test_case->type ? test_case->type : &bl_type_int;
    *workload = (struct bl_workload){
        .test_case = test_case,
        .launch = bl_launch_for(setting->machine, test_case->memory, type, setting->shape,
                                setting->compute_units),
        .file = file,
        .kernel = kernel,
        .groups_per_launch_group = 1,
        .bytes_per_delivered = 1,
        .type_name = type->name,
        .clocks = NAN,
        .lines = NAN,
        .sectors = NAN,
        .tag_passes = NAN,
        .bank_passes = NAN,
        .status = BL_ROW_OK,
    };
    workload->outputs = bl_launch_items(&workload->launch);
    if (setting->device && setting->device->can_require_16_lanes) {
        workload->required_lanes = 16;
        bl_add_option(workload, "-DREQUIRED_SUB_GROUP_SIZE=16");
    }
}

void bl_no_memory(struct bl_workload *workload)
{
    workload->status = BL_ROW_ERROR;
    snprintf(workload->reason, sizeof workload->reason, "no memory to lay out %zu work-items",
             bl_launch_items(&workload->launch));
}

void bl_check_limits(struct bl_workload *workload, const struct bl_device *device)
{
    if (!device)
        return;
    const struct bl_shape shape = workload->launch.shape;
    if ((size_t)shape.x * shape.y > device->max_group_items || shape.x > device->max_items[0] ||
        shape.y > device->max_items[1])
        bl_unsupported(workload,
                       "a group of %ux%u does not fit: the device takes at most %zu work-items, at "
                       "most %zu in x and %zu in y",
                       shape.x, shape.y, device->max_group_items, device->max_items[0],
                       device->max_items[1]);
    if (workload->local_bytes > device->local_bytes)
        bl_unsupported(workload,
                       "needs %zu bytes of local memory, and a group has at most %" PRIu64,
                       workload->local_bytes, device->local_bytes);
    const uint64_t output_bytes = workload->outputs * sizeof(uint32_t);
    const uint64_t largest =
        workload->data_bytes > output_bytes ? workload->data_bytes : output_bytes;
    if (largest > device->max_buffer_bytes)
        bl_unsupported(workload,
                       "needs a buffer of %" PRIu64 " bytes, and the device has at most "
                       "%" PRIu64,
                       largest, device->max_buffer_bytes);
    if (workload->data_bytes + output_bytes > device->memory_bytes)
        bl_unsupported(workload, "needs %" PRIu64 " bytes of memory, and the device has %" PRIu64,
                       workload->data_bytes + output_bytes, device->memory_bytes);
}
