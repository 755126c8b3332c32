#include "run/workload.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "run/case.h"

/* As many sub-groups as are resident on a compute unit of an H100 in groups of one. */
enum { SUB_GROUPS_PER_CU = 32 };

void bl_add_option(struct bl_build *build, const char *format, ...)
{
    const size_t used = strlen(build->options);
    if (used + 2 >= sizeof build->options)
        return;
    if (used)
        strcat(build->options, " ");
    va_list arguments;
    va_start(arguments, format);
    const size_t at = strlen(build->options);
    vsnprintf(build->options + at, sizeof build->options - at, format, arguments);
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

void bl_workload_begin(struct bl_workload *workload, const struct bl_setting *setting,
                       const char *file, const char *kernel)
{
    const struct bl_case *test_case = setting->test_case;
    *workload = (struct bl_workload){
        .setting = *setting,
        .launch = bl_launch_for(setting->machine, test_case->memory,
                                test_case->type ? test_case->type : &bl_type_int, setting->shape,
                                setting->compute_units),
        .build = {.file = file, .kernel = kernel},
        .replicas = {.groups_per_launch_group = 1},
        .work = {.bytes = NAN, .requests = NAN, .bytes_per_delivered = NAN},
        .cost = {NAN, NAN, NAN, NAN, NAN,
                 .why_none =
                     "the model knows what index patterns cost, and nothing else of this kernel"},
        .status = BL_ROW_OK,
    };
    bl_set_groups(workload, workload->launch.groups);
    if (setting->device)
        workload->build.required_lanes =
            bl_device_required_lanes(setting->device, setting->machine->lanes);
    if (workload->build.required_lanes)
        bl_add_option(&workload->build, "-DREQUIRED_SUB_GROUP_SIZE=%u",
                      workload->build.required_lanes);
    if (test_case->define)
        bl_add_option(&workload->build, "-D%s", test_case->define);
}

void bl_set_clocks(struct bl_workload *workload, double clocks)
{
    workload->cost.clocks = clocks;
    workload->cost.why_none = NULL;
}

void bl_expect_beyond_cache(struct bl_workload *workload, const struct bl_machine *machine)
{
    if (machine->has_rule && machine->cache_bytes &&
        workload->work.working_set_bytes >= 2 * (size_t)machine->cache_bytes)
        workload->direction = BL_SLOWER;
}

void bl_set_groups(struct bl_workload *workload, size_t groups)
{
    workload->launch.groups = groups;
    workload->buffers.outputs = bl_launch_items(&workload->launch);
}

void bl_repeat_groups(struct bl_workload *workload, const struct bl_setting *setting,
                      unsigned sub_groups_per_cu)
{
    const struct bl_launch *launch = &workload->launch;
    const size_t set = launch->groups;
    const size_t groups = bl_groups_for(setting->machine, bl_launch_group_items(launch),
                                        sub_groups_per_cu, setting->compute_units);
    bl_set_groups(workload, groups > set ? groups / set * set : set);
}

uint64_t bl_max_array_bytes(const struct bl_device *device, const struct bl_type *type)
{
    const uint64_t half = device->memory_bytes / 2;
    const uint64_t bytes = device->max_buffer_bytes < half ? device->max_buffer_bytes : half;
    /* A kernel's index is an int; global.cl says why. */
    const uint64_t indexed = (uint64_t)INT32_MAX * type->element_bytes;
    return bytes < indexed ? bytes : indexed;
}

void bl_fill_device(struct bl_workload *workload, const struct bl_setting *setting)
{
    bl_set_groups(workload,
                  bl_groups_for(setting->machine, bl_launch_group_items(&workload->launch),
                                SUB_GROUPS_PER_CU, setting->compute_units));
}

enum bl_status bl_check_shape(const struct bl_device *device, struct bl_shape shape,
                              struct bl_error *error)
{
    /* More than any device takes, and few enough for the model to look at every one. */
    static const struct bl_device model = {.max_group_items = 65536, .max_items = {65536, 65536}};
    const struct bl_device *limits = device ? device : &model;
    if ((size_t)shape.x * shape.y <= limits->max_group_items && shape.x <= limits->max_items[0] &&
        shape.y <= limits->max_items[1])
        return BL_OK;
    return bl_fail(error, BL_BAD_SHAPE,
                   "a group of %ux%u does not fit: the %s takes at most %zu work-items, at most "
                   "%zu in x and %zu in y",
                   shape.x, shape.y, device ? "device" : "model", limits->max_group_items,
                   limits->max_items[0], limits->max_items[1]);
}

void bl_check_caches(struct bl_workload *workload, const struct bl_device *device)
{
    const uint64_t small = 64u << 20;
    const uint64_t bytes = workload->work.working_set_bytes;
    if (device && device->type == BL_DEVICE_CPU && device->cache_bytes &&
        bytes > 4 * device->cache_bytes && bytes > small)
        bl_unsupported(workload, "is more than four times the last cache, which has %llu KiB",
                       (unsigned long long)(device->cache_bytes / 1024));
}

void bl_check_limits(struct bl_workload *workload, const struct bl_device *device)
{
    if (!device)
        return;
    struct bl_error misfit;
    if (bl_check_shape(device, workload->launch.shape, &misfit) != BL_OK)
        bl_unsupported(workload, "%s", misfit.sentence);
    const struct bl_buffers *buffers = &workload->buffers;
    if (buffers->local_bytes > device->local_bytes)
        bl_unsupported(workload,
                       "needs %zu bytes of local memory, and a group has at most %" PRIu64,
                       buffers->local_bytes, device->local_bytes);
    const uint64_t output_bytes = buffers->outputs * sizeof(uint32_t);
    const uint64_t largest =
        buffers->data_bytes > output_bytes ? buffers->data_bytes : output_bytes;
    if (largest > device->max_buffer_bytes)
        bl_unsupported(workload,
                       "needs a buffer of %" PRIu64 " bytes, and the device has at most "
                       "%" PRIu64,
                       largest, device->max_buffer_bytes);
    if (buffers->data_bytes + output_bytes > device->memory_bytes)
        bl_unsupported(workload, "needs %" PRIu64 " bytes of memory, and the device has %" PRIu64,
                       buffers->data_bytes + output_bytes, device->memory_bytes);
}
