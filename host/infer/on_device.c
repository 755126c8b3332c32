/* The OpenCL device that runs the probes of an inference (target.h): its arrays, and how a sample
 * is taken: the difference of two launches, so that what a launch costs besides its rounds cancels.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "infer/device_inside.h"
#include "measure/sampler.h"

enum { CONSTANT_BYTES = 32768, TRIES = 4 };

enum bl_status bl_target_kernel(struct bl_device_target *target, const char *file, const char *name,
                                const char *options, struct bl_kernel **kernel,
                                struct bl_error *error)
{
    const struct bl_kernel_source source = {.file = file, .name = name, .options = options};
    return bl_session_kernel(target->session, &source, kernel, error);
}

enum bl_status bl_target_launch(struct bl_device_target *target, struct bl_kernel *kernel,
                                size_t groups, size_t group_items,
                                const struct bl_argument arguments[], unsigned count,
                                struct bl_timing *timing, struct bl_error *error)
{
    const struct bl_groups all = {groups, group_items};
    const enum bl_status status =
        bl_session_launch(target->session, kernel, &all, arguments, count, timing, error);
    return status == BL_OK ? bl_timing_check(timing, target->device->timer_resolution_ns, error)
                           : status;
}

enum bl_status bl_target_prepare(struct bl_device_target *target,
                                 const struct bl_preparation *preparation,
                                 const struct bl_argument arguments[], unsigned count,
                                 struct bl_error *error)
{
    struct bl_kernel *kernel;
    struct bl_timing timing;
    const struct bl_groups all = {preparation->groups, preparation->group_items};
    const enum bl_status status =
        bl_target_kernel(target, preparation->file, preparation->name, "", &kernel, error);
    return status == BL_OK
               ? bl_session_launch(target->session, kernel, &all, arguments, count, &timing, error)
               : status;
}

static struct bl_known_probe *find_known(struct bl_device_target *target, uint64_t hash)
{
    for (size_t i = 0; i < BL_KNOWN_PROBES; i++) {
        struct bl_known_probe *known = &target->known[(hash + i) % BL_KNOWN_PROBES];
        if (known->rounds == 0 || known->hash == hash)
            return known;
    }
    return &target->known[hash % BL_KNOWN_PROBES]; /* full: replace another */
}

bool bl_target_knows(const struct bl_device_target *target, uint64_t hash)
{
    const struct bl_known_probe *known = find_known((struct bl_device_target *)target, hash);
    return known->rounds != 0 && known->hash == hash;
}

static double ns_of(const struct bl_timing *timing)
{
    return (double)(timing->end_ns - timing->start_ns);
}

static enum bl_status find_rounds(struct bl_device_target *target, const struct bl_rounds *limits,
                                  bl_probe_launch *launch, void *context, uint32_t *rounds,
                                  struct bl_error *error)
{
    struct bl_timing timing;
    const uint32_t max_rounds = limits->max;
    *rounds = limits->min;
    enum bl_status status = launch(context, *rounds, &timing, error);
    while (status == BL_OK && ns_of(&timing) < target->launch_ns / 2 && *rounds < max_rounds) {
        /* What a launch costs besides its rounds makes this estimate too low, never too high. */
        double more = ns_of(&timing) > 0 ? target->launch_ns / ns_of(&timing) : 8;
        more = more > 8 ? 8 : more < 1.5 ? 1.5 : more;
        *rounds = (uint32_t)(more * *rounds) < max_rounds ? (uint32_t)(more * *rounds) : max_rounds;
        status = launch(context, *rounds, &timing, error);
    }
    return status;
}

enum bl_status bl_target_sample(struct bl_device_target *target, uint64_t hash,
                                const struct bl_rounds *limits, bl_probe_launch *launch,
                                void *context, double *ns, struct bl_error *error)
{
    struct bl_known_probe *known = find_known(target, hash);
    if (known->hash != hash || known->rounds == 0) {
        uint32_t rounds;
        const enum bl_status status = find_rounds(target, limits, launch, context, &rounds, error);
        if (status != BL_OK)
            return status;
        *known = (struct bl_known_probe){hash, rounds};
    }
    /* When something else uses the device, the shorter launch may take longer: once or twice. */
    for (unsigned tries = 0; tries < TRIES; tries++) {
        struct bl_timing shorter, longer;
        enum bl_status status = launch(context, known->rounds, &shorter, error);
        if (status == BL_OK)
            status = launch(context, known->rounds * BL_TIMES, &longer, error);
        if (status != BL_OK)
            return status;
        const double more_ns = ns_of(&longer) - ns_of(&shorter);
        if (more_ns > 0) {
            *ns = more_ns / ((double)known->rounds * (BL_TIMES - 1));
            return BL_OK;
        }
    }
    return bl_fail(
        error, BL_BAD_CLOCK,
        "four times the work did not lengthen the launch; the clock or the kernel cannot be "
        "trusted");
}

enum bl_status bl_target_locate(const struct bl_device_target *target, uint64_t address,
                                unsigned *array, uint64_t *offset, struct bl_error *error)
{
    for (*array = 0; *array < BL_MAX_ARRAYS; (*array)++) {
        const struct bl_array_place *place = &target->limits.arrays[*array];
        if (address >= place->address && address - place->address < place->bytes) {
            *offset = address - place->address;
            return BL_OK;
        }
    }
    return bl_fail(error, BL_OUT_OF_RANGE, "there is no array at 0x%" PRIx64, address);
}

/* Finds the address of an array, which some drivers choose at its first use. */
static enum bl_status find_address(struct bl_device_target *target, unsigned i,
                                   struct bl_error *error)
{
    static const struct bl_preparation address = {"address.cl", "address", 1, 1};
    const uint32_t rounds = 0;
    const int32_t zero = 0;
    const struct bl_argument arguments[] = {
        {.array = target->arrays[i]}, {.array = target->outputs}, BL_VALUE(rounds), BL_VALUE(zero)};
    uint32_t halves[2];
    enum bl_status status = bl_target_prepare(target, &address, arguments, 4, error);
    if (status == BL_OK)
        status =
            bl_device_array_read(target->session, target->outputs, 0, sizeof halves, halves, error);
    if (status == BL_OK)
        target->limits.arrays[i].address = (uint64_t)halves[1] << 32 | halves[0];
    return status;
}

static enum bl_status fill(struct bl_device_target *target, const struct bl_device_array *array,
                           uint64_t bytes, struct bl_error *error)
{
    static const struct bl_preparation filling = {"infer_fill.cl", "fill", 256, 64};
    const uint32_t words = (uint32_t)(bytes / 4);
    const struct bl_argument arguments[] = {{.array = array}, BL_VALUE(words)};
    return bl_target_prepare(target, &filling, arguments, 2, error);
}

/* Allocates as many bytes as there are, smaller arrays where larger ones fail; the rest may be too
 * little for one more array. */
static enum bl_status make_arrays(struct bl_device_target *target, uint64_t max_bytes,
                                  struct bl_error *error)
{
    enum { LEAST = 64 << 20 };
    uint64_t left = max_bytes;
    unsigned made = 0;
    enum bl_status status = BL_OK;
    while (made < BL_MAX_ARRAYS && left >= LEAST) {
        const uint64_t max = target->device->max_buffer_bytes;
        uint64_t bytes = left < max ? left : max;
        do {
            bytes &= ~(uint64_t)0xFFFF;
            target->limits.arrays[made].bytes = bytes;
            status =
                bl_device_array_make(target->session, (size_t)bytes, &target->arrays[made], error);
            if (status == BL_OK) {
                status = find_address(target, made, error);
                if (status == BL_OK)
                    break;
                bl_device_array_release(target->session, target->arrays[made]);
                target->arrays[made] = NULL;
            }
            target->limits.arrays[made].bytes = 0;
            bytes = bytes / 8 * 7;
        } while (status == BL_OPENCL_FAILED && bytes >= LEAST && bytes > left / 8);
        if (status != BL_OK)
            break;
        left -= target->limits.arrays[made++].bytes;
    }
    return made > 0 && status == BL_OPENCL_FAILED ? BL_OK : status;
}

enum bl_status bl_device_target_open(struct bl_session *session, const struct bl_device *device,
                                     uint64_t max_bytes, struct bl_device_target **opened,
                                     struct bl_target *target, struct bl_error *error)
{
    struct bl_device_target *made = calloc(1, sizeof *made);
    *opened = made;
    if (!made)
        return bl_fail(error, BL_NO_MEMORY, "no memory for an inference");
    made->session = session;
    made->device = device;
    made->launch_ns = bl_launch_length_ns(device->timer_resolution_ns / 4,
                                          device->type == BL_DEVICE_CPU ? 1e6 : 1.2e5);
    made->limits.local_bytes = device->local_bytes;
    made->limits.max_group_items = (unsigned)device->max_group_items;
    made->limits.groups_to_fill = 8 * device->compute_units;
    if (made->limits.groups_to_fill > BL_MAX_OUTPUTS / BL_PROBE_GROUP_ITEMS)
        made->limits.groups_to_fill = BL_MAX_OUTPUTS / BL_PROBE_GROUP_ITEMS;
    enum bl_status status = BL_OK;
    if (device->max_group_items < BL_TABLE_ITEMS)
        status = bl_fail(error, BL_OPENCL_FAILED,
                         "a machine is inferred with groups of %d work-items, and %s takes %zu",
                         BL_TABLE_ITEMS, device->name, device->max_group_items);
    if (status == BL_OK)
        status =
            bl_device_array_make(session, BL_MAX_OUTPUTS * sizeof(uint32_t), &made->outputs, error);
    if (status == BL_OK)
        status = bl_device_array_make(session, sizeof(uint64_t) * BL_TABLES * BL_TABLE_ITEMS,
                                      &made->table, error);
    if (status == BL_OK)
        status = make_arrays(made, max_bytes, error);
    if (status == BL_OK && !made->arrays[0])
        status = bl_fail(error, BL_OPENCL_FAILED,
                         "a machine is inferred from an array of 64 MiB or more, and %s has none",
                         device->name);
    if (status == BL_OK)
        status = bl_device_array_make(session, CONSTANT_BYTES, &made->constant, error);
    if (status == BL_OK)
        status = fill(made, made->constant, CONSTANT_BYTES, error);
    if (status == BL_OK)
        status = fill(made, made->arrays[0], BL_HOME_BYTES, error);
    *target = (struct bl_target){.context = made, .limits = made->limits};
    bl_device_probes(target);
    return status;
}

void bl_device_target_close(struct bl_device_target *opened)
{
    if (!opened)
        return;
    for (unsigned i = 0; i < BL_MAX_ARRAYS; i++)
        bl_device_array_release(opened->session, opened->arrays[i]);
    bl_device_array_release(opened->session, opened->table);
    bl_device_array_release(opened->session, opened->outputs);
    bl_device_array_release(opened->session, opened->list);
    bl_device_array_release(opened->session, opened->constant);
    free(opened->linked.list);
    free(opened);
}
