/* Streams and barriers, on an OpenCL device. */
#include "base/text.h"
#include "infer/device_inside.h"

enum { READS = 8, STREAM_ITEMS = 256, BARRIERS = 32 };

struct stream {
    struct bl_device_target *target;
    struct bl_kernel *kernel;
    size_t groups, group_items;
    uint32_t blocks, begin, further;
};

static enum bl_status launch_stream(void *context, uint32_t rounds, struct bl_timing *timing,
                                    struct bl_error *error)
{
    const struct stream *stream = context;
    const int32_t zero = 0;
    const struct bl_argument arguments[] = {
        {.array = stream->target->arrays[0]},
        {.value = &stream->blocks, .bytes = sizeof stream->blocks},
        {.value = &stream->begin, .bytes = sizeof stream->begin},
        {.value = &stream->further, .bytes = sizeof stream->further},
        {.value = &rounds, .bytes = sizeof rounds},
        {.array = stream->target->outputs},
        {.value = &zero, .bytes = sizeof zero},
    };
    return bl_target_launch(stream->target, stream->kernel, stream->groups, stream->group_items,
                            arguments, 7, timing, error);
}

enum bl_status bl_device_stream(void *context, const struct bl_stream_probe *probe, double *value,
                                struct bl_error *error)
{
    struct bl_device_target *target = context;
    struct stream stream = {.target = target, .groups = target->limits.groups_to_fill};
    const unsigned max = target->limits.max_group_items;
    stream.group_items = max < STREAM_ITEMS ? max : STREAM_ITEMS;
    const size_t block_bytes = READS * 16 * stream.group_items;
    stream.blocks = (uint32_t)(probe->bytes / block_bytes);
    if (stream.blocks == 0)
        return bl_fail(error, BL_OUT_OF_RANGE, "a stream of less than a block");
    /* Odd numbers, so that each block has its turn where their number is a power of two; groups
     * then go on side by side, each by as much as all of them are apart. */
    stream.begin = probe->is_for_each_unit ? 0 : 1;
    stream.further = probe->is_for_each_unit ? 1 : (uint32_t)(stream.groups | 1);
    stream.further = stream.blocks > 1 ? stream.further % stream.blocks : 0;
    if (stream.further == 0 && stream.blocks > 1)
        stream.further = 1;
    uint64_t hash = bl_hash_add(BL_HASH_BEGIN, "stream", 6);
    const uint64_t numbers[] = {probe->bytes, probe->is_for_each_unit};
    hash = bl_hash_add(hash, numbers, sizeof numbers);
    enum bl_status status =
        bl_target_kernel(target, "infer_stream.cl", "stream", "", &stream.kernel, error);
    double ns = 0;
    const struct bl_rounds limits = {2, 1u << 20};
    if (status == BL_OK)
        status = bl_target_sample(target, hash, &limits, launch_stream, &stream, &ns, error);
    if (status == BL_OK)
        *value = (double)(stream.groups * block_bytes) / ns;
    return status;
}

struct barrier {
    struct bl_device_target *target;
    struct bl_kernel *kernel;
    size_t group_items;
};

static enum bl_status launch_barrier(void *context, uint32_t rounds, struct bl_timing *timing,
                                     struct bl_error *error)
{
    const struct barrier *barrier = context;
    const struct bl_argument arguments[] = {
        {.value = &rounds, .bytes = sizeof rounds},
        {.array = barrier->target->outputs},
        {.bytes = barrier->group_items * 4},
    };
    return bl_target_launch(barrier->target, barrier->kernel, 1, barrier->group_items, arguments, 3,
                            timing, error);
}

enum bl_status bl_device_barrier(void *context, const struct bl_barrier_probe *probe, double *value,
                                 struct bl_error *error)
{
    const struct bl_rounds limits = {2, 1u << 20};
    struct barrier barrier = {.target = context, .group_items = probe->group_items};
    uint64_t hash = bl_hash_add(BL_HASH_BEGIN, "barrier", 7);
    hash = bl_hash_add(hash, &probe->group_items, sizeof probe->group_items);
    enum bl_status status = bl_target_kernel(barrier.target, "infer_barrier.cl", "barriers", "",
                                             &barrier.kernel, error);
    if (status == BL_OK)
        status =
            bl_target_sample(barrier.target, hash, &limits, launch_barrier, &barrier, value, error);
    if (status == BL_OK)
        *value /= BARRIERS;
    return status;
}
