/* Common parts of workloads, and the two kinds that most suites consist of: index patterns, and one
 * array per work-item. */
#include "run/workload.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernels/numbers.h"
#include "model/launch.h"
#include "model/predict.h"
#include "run/case.h"

/* Index patterns: reads of global, local or constant memory, and writes to local memory, at indices
 * that an expression gives. */

/* Computes the expected outputs. For reads, the runner passes rounds = 1, because sums are linear
 * in the rounds. For writes, each work-item outputs the sum of what it wrote last. */
static enum bl_status pattern_reference(const struct bl_workload *workload, uint32_t rounds,
                                        uint32_t expected[], struct bl_error *error)
{
    uint64_t *starts = bl_pattern_starts(workload->setting.test_case->pattern, &workload->launch);
    const enum bl_status status =
        starts ? bl_expected_sums(&workload->launch, starts, rounds, expected, error)
               : bl_fail(error, BL_NO_MEMORY,
                         "out of memory while computing the starts of work-items");
    free(starts);
    return status;
}

void bl_lay_out_accesses(struct bl_workload *workload, const struct bl_machine *machine)
{
    const struct bl_launch *launch = &workload->launch;
    bl_add_option(&workload->build, "-DSPACE=%s -DT=%s -DSCALAR=%s",
                  launch->memory == BL_MEMORY_CONSTANT ? "__constant" : "__global",
                  launch->type->name, launch->type->scalar);
    bl_add_option(&workload->build, "-DELEMENTS=%zu -DSTEP=%u -DSTEPS=%u -DUNROLL=%u",
                  launch->elements, launch->step, launch->steps, launch->unroll);
    struct bl_buffers *buffers = &workload->buffers;
    buffers->data_bytes = bl_launch_array_bytes(launch);
    buffers->local_bytes = launch->memory == BL_MEMORY_LOCAL ? buffers->data_bytes : 0;
    struct bl_part parts[BL_MAX_PARTS];
    struct bl_work *work = &workload->work;
    work->requests = (double)bl_launch_requests(launch) * launch->unroll *
                     bl_parts_of(machine, launch->memory, launch->is_write, launch->type, parts);
    work->bytes = (double)bl_launch_items(launch) * launch->unroll * launch->type->access_bytes;
    work->units = work->bytes;
    work->bytes_per_delivered = 1;
}

const char *bl_bound_of(const struct bl_machine *machine, const struct bl_mean_cost *cost)
{
    if (!isfinite(cost->clocks) || (!isfinite(cost->bank_passes) && !isfinite(cost->tag_passes)))
        return NULL; /* the clocks are not counted per request */
    /* The counts are means over requests, and the requests may have different bottlenecks. */
    const double banks = isfinite(cost->bank_passes) ? cost->bank_passes : 0;
    const double tags = isfinite(cost->tag_passes) ? cost->tag_passes : 0;
    if (cost->clocks > 1.01 * fmax(1, banks + tags))
        return "sectors";
    if (banks >= tags)
        return "banks";
    return machine->tag_masks[0] ? "tags" : "lines";
}

static double or_nan(double mean) { return mean > 0 ? mean : NAN; }

void bl_lay_out_cost(struct bl_workload *workload, const struct bl_machine *machine,
                     const uint64_t starts[], size_t groups)
{
    struct bl_launch launch = workload->launch;
    launch.groups = groups;
    struct bl_prediction prediction;
    if (bl_predict(machine, &launch, starts, &prediction) != BL_OK) {
        workload->cost.why_none = bl_why_no_cost(machine, launch.memory, launch.is_atomic);
        return;
    }
    workload->cost = (struct bl_mean_cost){
        .clocks = prediction.clocks,
        .lines = or_nan(prediction.lines),
        .sectors = or_nan(prediction.sectors),
        .tag_passes = or_nan(prediction.tag_passes),
        .bank_passes = or_nan(prediction.bank_passes),
    };
    struct bl_work *work = &workload->work;
    const double delivered = prediction.words * machine->bank_bytes * work->requests;
    if (isfinite(work->bytes_per_delivered) && delivered > 0)
        work->bytes_per_delivered = fmax(1, work->bytes / delivered);
}

void bl_lay_out_pattern_cost(struct bl_workload *workload, const struct bl_machine *machine)
{
    const struct bl_launch *launch = &workload->launch;
    uint64_t *starts = bl_pattern_starts(workload->setting.test_case->pattern, launch);
    if (starts) {
        bl_lay_out_cost(workload, machine, starts, launch->groups);
    } else {
        workload->status = BL_ROW_ERROR;
        snprintf(workload->reason, sizeof workload->reason,
                 "out of memory while laying out %zu work-items", bl_launch_items(launch));
    }
    free(starts);
}

/* Sets the build options and the check of outputs for an index pattern. */
static void lay_out_index(const struct bl_setting *setting, struct bl_workload *workload)
{
    const struct bl_launch *launch = &workload->launch;
    bl_lay_out_accesses(workload, setting->machine);
    bl_add_option(&workload->build, "-DINDEX=index_%s -DN=%u -DSPREAD=%zu%s",
                  bl_pattern_name(setting->test_case->pattern), launch->n, launch->spread,
                  launch->memory == BL_MEMORY_LOCAL ? " -DIDS_WITHIN_GROUP" : "");
    workload->check = (struct bl_check){pattern_reference, .is_linear = !launch->is_write};
}

void bl_lay_out_pattern(const struct bl_setting *setting, struct bl_workload *workload)
{
    const struct bl_case *test_case = setting->test_case;
    const bool is_local = test_case->memory == BL_MEMORY_LOCAL;
    bl_workload_begin(workload, setting, is_local ? "local.cl" : "global.cl", "read_pattern");
    struct bl_launch *launch = &workload->launch;
    if (test_case->n)
        launch->n = test_case->n;
    if (test_case->one_place)
        launch->spread = 0;
    lay_out_index(setting, workload);
    workload->work.working_set_bytes = bl_launch_working_set_bytes(launch);
    bl_lay_out_pattern_cost(workload, setting->machine);
}

void bl_lay_out_local_writes(const struct bl_setting *setting, struct bl_workload *workload)
{
    bl_workload_begin(workload, setting, "local_write.cl", "write_pattern");
    workload->launch.is_write = true;
    /* Each step writes to separate words, so that the compiler drops no write of a round. */
    lay_out_index(setting, workload);
    workload->work.bytes_per_delivered = NAN;
    bl_lay_out_pattern_cost(workload, setting->machine);
}

/* An array for each work-item (kernels/private.cl), and the sums that its kernels must compute. */

/* Roughly how many work-items' arrays share an L1 cache. If that many arrays exceed the cache, the
 * time of a round settles slowly. */
enum { RESIDENT_ITEMS = 256 };

/* The model counts the requests of arrays of at most this many elements. */
enum { LONGEST_COUNTED = 64 };

/* The mask of this round and work-item: the kernel accesses element (loop index xor mask). */
static uint32_t flip_of(const struct bl_case *test_case, uint32_t round, uint32_t lid)
{
    const char *define = test_case->define;
    unsigned unique;
    if (strcmp(define, "STATIC") == 0)
        return 0;
    uint32_t mask = strcmp(define, "UNIFORM") == 0 ? 0 : lid;
    if (sscanf(define, "UNIQUE=%u", &unique) == 1)
        mask = lid % unique;
    const uint32_t elements = test_case->n; /* at least 1, but a static analyser cannot know this */
    return elements ? (bl_data_element(round % ROUND_WORDS) ^ mask) % elements : 0;
}

/* Applies the effect of one round to one component of every element. */
static void change_all(const struct bl_case *test_case, uint32_t round, uint32_t flip,
                       uint32_t kept, uint32_t elements[])
{
    for (uint32_t k = 0; k < test_case->n; k++) {
        uint32_t x = CHANGED(elements[k], round + (k ^ flip));
        for (unsigned i = 0; i < test_case->variant; i++)
            x = CHANGED_MORE(x, i);
        elements[k] = x & kept;
    }
}

/* Computes the expected outputs of private arrays, which are the same for all groups. */
static enum bl_status private_reference(const struct bl_workload *workload, uint32_t rounds,
                                        uint32_t expected[], struct bl_error *error)
{
    const size_t group = workload->launch.shape.x; /* work-items per group, at least 1: a group is a
                                                      single row */
    const struct bl_case *test_case = workload->setting.test_case;
    const struct bl_type *type = workload->launch.type;
    const uint32_t kept = UINT32_MAX >> (32 - 8 * type->component_bytes);
    uint32_t *elements = malloc(test_case->n * sizeof *elements);
    if (!elements)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while computing %u elements",
                       test_case->n);
    for (uint32_t lid = 0; lid < group; lid++) {
        expected[lid] = 0;
        for (uint32_t c = 0; c < type->components; c++) {
            for (uint32_t k = 0; k < test_case->n; k++)
                elements[k] = (bl_data_element(k) + lid + c) & kept;
            for (uint32_t round = 0; round < rounds; round++)
                change_all(test_case, round, flip_of(test_case, round, lid), kept, elements);
            for (uint32_t k = 0; k < test_case->n; k++)
                expected[lid] += (k + 1) * (c + 1) * elements[k];
        }
    }
    free(elements);
    bl_repeat_group(expected, group, workload->buffers.outputs);
    return BL_OK;
}

void bl_lay_out_private(const struct bl_setting *setting, struct bl_workload *workload)
{
    const struct bl_case *test_case = setting->test_case;
    bl_workload_begin(workload, setting, "private.cl", "private_array");
    const size_t group = bl_launch_group_items(&workload->launch);
    const struct bl_type *type = workload->launch.type;
    char wide[16] = "uint"; /* or a vector of uint with as many components as the type */
    if (type->components > 1)
        snprintf(wide, sizeof wide, "uint%u", type->components);
    bl_add_option(&workload->build, "-DN=%u -DT=%s -DWIDE=%s -DCOMPONENTS=%u -DGROUP=%zu -DMATH=%u",
                  test_case->n, type->component_bytes == 4 ? wide : type->name, wide,
                  type->components, group, test_case->variant);
    workload->build.array_in_memory =
        test_case->memory == BL_MEMORY_PRIVATE && strcmp(test_case->define, "STATIC") != 0;
    struct bl_buffers *buffers = &workload->buffers;
    buffers->data_bytes = ROUND_WORDS * 4;
    buffers->local_bytes =
        test_case->memory == BL_MEMORY_LOCAL ? test_case->n * group * type->element_bytes : 0;
    workload->check.reference = private_reference;
    const size_t bytes = (size_t)test_case->n * type->element_bytes; /* bytes per work-item */
    workload->work.working_set_bytes = bytes;
    workload->work.settles_slowly =
        test_case->memory == BL_MEMORY_PRIVATE && bytes * RESIDENT_ITEMS >= BL_SETTLES_SLOWLY_BYTES;
    workload->cost.why_none =
        "the driver decides how much of the array is in registers, and where the rest lies";
    /* If all work-items use the same index, each element costs one request to read it and one to
     * write it. In addition each round reads one word, the index. So the cost per element falls a
     * little as the array grows, as long as the same caches hold the arrays. No request is counted
     * if an element is changed by more than two operations. */
    const bool is_uniform =
        strcmp(test_case->define, "UNIFORM") == 0 || strcmp(test_case->define, "UNIQUE=1") == 0;
    if (setting->machine->has_rule && is_uniform && !test_case->type && test_case->variant == 0 &&
        test_case->n <= LONGEST_COUNTED)
        bl_set_clocks(workload, (2 * test_case->n + 1) / (double)test_case->n);
    workload->work.units = (double)buffers->outputs * test_case->n;
    if (test_case->type) /* work is counted in bytes */
        workload->work.units *= type->access_bytes;
}

/* How many groups of a single sub-group are resident on a compute unit of an H100. */
enum { SUB_GROUPS_PER_CU = 32 };

void bl_add_option(struct bl_build *build, const char *format, ...)
{
    const size_t used = strlen(build->options);
    if (used + 2 >= sizeof build->options)
        return;
    const size_t at = used ? used + 1 : 0;
    if (used)
        strcpy(build->options + used, " ");
    va_list arguments;
    va_start(arguments, format);
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
        .cost =
            {NAN, NAN, NAN, NAN, NAN,
             .why_none =
                 "the model knows what index patterns cost, and nothing else about this kernel"},
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
    const size_t set = workload->launch.groups;
    const size_t groups = bl_groups_for(setting->machine, bl_launch_group_items(&workload->launch),
                                        sub_groups_per_cu, setting->compute_units);
    bl_set_groups(workload, groups > set ? groups / set * set : set);
}

uint64_t bl_max_array_bytes(const struct bl_device *device, const struct bl_type *type)
{
    const uint64_t half = device->memory_bytes / 2;
    const uint64_t bytes = device->max_buffer_bytes < half ? device->max_buffer_bytes : half;
    /* a kernel's index is an int, for the reason in global.cl */
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
    /* Larger than any device allows, but small enough for the model to visit each work-item. */
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
        bl_unsupported(workload,
                       "its working set is more than four times the last-level cache of %llu KiB",
                       (unsigned long long)(device->cache_bytes / 1024));
}
