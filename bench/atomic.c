/* Atomic additions to local and to global memory: to one word, to words of one bank, and to a
 * different bank or cache line per lane. Some cases also use the returned value. In local memory
 * the model counts lanes per bank, because additions to the same word are not combined
 * (model/access.h). Global additions are executed in the cache that all compute units share; there
 * is no rule for them. Ratios compare additions per second. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/launch.h"
#include "run/case.h"

enum { STEPS = 4, UNROLL = 16, GLOBAL_SUB_GROUPS_PER_CU = 16 };

/* Adds to `words` what the launch's groups add to these words in one round. */
static void add_up(const struct bl_launch *launch, const uint64_t starts[], uint32_t words[])
{
    const size_t items = bl_launch_items(launch), group = bl_launch_group_items(launch);
    for (size_t item = 0; item < items; item++)
        for (unsigned read = 0; read < launch->unroll; read++)
            words[starts[item] + bl_launch_read_offset(launch, read)] +=
                (uint32_t)(item % group) + 1;
}

/* Computes the outputs if the words are in local memory, where every group has its own words. A
 * work-item outputs the sum of the words that it added to. */
static enum bl_status local_sums(const struct bl_workload *workload, const struct bl_launch *one,
                                 const uint64_t starts[], uint32_t expected[],
                                 struct bl_error *error)
{
    const size_t count = bl_launch_array_bytes(one) / sizeof(uint32_t);
    const size_t items = bl_launch_items(one);
    uint32_t *words = calloc(count, sizeof *words);
    if (!words)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while computing the sums of %zu words",
                       count);
    add_up(one, starts, words);
    for (size_t item = 0; item < items; item++) {
        expected[item] = 0;
        for (unsigned step = 0; step < one->steps; step++)
            expected[item] += words[starts[item] + bl_launch_read_offset(one, step)];
    }
    bl_repeat_group(expected, items, workload->buffers.outputs);
    free(words);
    return BL_OK;
}

static enum bl_status reference(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error)
{
    (void)rounds; /* always 1: the runner multiplies linear sums by the rounds */
    struct bl_launch launch = workload->launch;
    const bool is_local = launch.memory == BL_MEMORY_LOCAL;
    if (is_local)
        launch.groups = 1;
    uint64_t *starts = bl_pattern_starts(workload->setting.test_case->pattern, &launch);
    if (!starts)
        return bl_fail(error, BL_NO_MEMORY,
                       "out of memory while computing the starts of work-items");
    enum bl_status status = BL_OK;
    if (is_local) {
        status = local_sums(workload, &launch, starts, expected, error);
    } else { /* the outputs are the words */
        memset(expected, 0, workload->buffers.outputs * sizeof *expected);
        add_up(&launch, starts, expected);
    }
    free(starts);
    return status;
}

static size_t power_of_two_from(size_t n)
{
    size_t power = 1;
    while (power < n)
        power *= 2;
    return power;
}

static void lay_out(const struct bl_setting *setting, struct bl_workload *workload)
{
    const struct bl_case *test_case = setting->test_case;
    const bool is_local = test_case->memory == BL_MEMORY_LOCAL;
    bl_workload_begin(workload, setting, "atomic.cl", "add_atomically");
    struct bl_launch *launch = &workload->launch;
    launch->is_atomic = true;
    launch->steps = STEPS;
    launch->unroll = UNROLL;
    if (test_case->n)
        launch->n = test_case->n;
    /* The array has so many elements that groups share no words, unless a group's indices span more
     * than `spread`. */
    if (!is_local) {
        bl_set_groups(workload, bl_groups_for(setting->machine, bl_launch_group_items(launch),
                                              GLOBAL_SUB_GROUPS_PER_CU, setting->compute_units));
        launch->elements = power_of_two_from(launch->groups * launch->spread);
    }
    bl_lay_out_accesses(workload, setting->machine);
    bl_add_option(&workload->build, "-DINDEX=index_%s -DN=%u -DSPREAD=%zu%s%s",
                  bl_pattern_name(test_case->pattern), launch->n, launch->spread,
                  is_local ? " -DIN_LOCAL -DIDS_WITHIN_GROUP" : "",
                  test_case->variant ? " -DRETURNED" : "");
    if (!is_local) {
        workload->buffers.outputs = workload->buffers.data_bytes / sizeof(uint32_t);
        workload->buffers.adds_to_outputs = true;
    }
    workload->buffers.data_bytes = 64; /* any size: the kernel reads no data */
    workload->work.bytes_per_delivered = NAN;
    workload->work.working_set_bytes = bl_launch_working_set_bytes(launch);
    workload->check = (struct bl_check){reference, .is_linear = true};
    bl_lay_out_pattern_cost(workload, setting->machine);
    if (!is_local && setting->machine->has_rule)
        workload->cost.why_none = "there is no rule for atomic additions to global memory";
}

/* clang-format off */ /* one case per row */
#define ADDITIONS(name, said, title_)                                                           \
    .id = "atomic/" name, .title = title_, .lay_out = lay_out, .shapes = BL_NATIVE_ROW,         \
    .document = "shared local memory guide, " said, .skip_in_quick = true
#define CASE(name, title, MEMORY, against, pattern_, ...)                                       \
    {ADDITIONS(name, "atomic updates", title), .pattern = BL_PATTERN_##pattern_, .memory = MEMORY, \
     .baseline = "atomic/" against, __VA_ARGS__}
#define LOCAL(name, title, pattern, ...)                                                        \
    CASE("local-" name, title ", local memory", BL_MEMORY_LOCAL, "local-banks", pattern,        \
         __VA_ARGS__)
#define GLOBAL(name, title, pattern, ...)                                                       \
    CASE("global-" name, title ", global memory", BL_MEMORY_GLOBAL, "global-words", pattern,    \
         __VA_ARGS__)

static const struct bl_case cases[] = {
    LOCAL("banks", "a different bank for each work-item", CONTIGUOUS, .n = 1),
    LOCAL("word", "one word for all", DISTINCT, .n = 1),
    LOCAL("words-4", "4 words, each for a quarter of the work-items", DISTINCT, .n = 4),
    LOCAL("words-16", "16 words", DISTINCT, .n = 16),
    LOCAL("stride-2", "half the banks", STRIDE_2, .n = 1),
    LOCAL("stride-32", "a different word of the same bank for each work-item", STRIDE_32, .n = 1),
    LOCAL("banks-returned", "a different bank for each work-item, using the returned value",
          CONTIGUOUS, .variant = 1),
    LOCAL("word-returned", "one word for all, using the returned value", DISTINCT, .n = 1,
          .variant = 1),
    GLOBAL("words", "a different word of a line for each work-item", CONTIGUOUS, .n = 1),
    GLOBAL("word", "one word for all work-items of a group", DISTINCT, .n = 1),
    GLOBAL("lines", "a different line for each work-item", STRIDE_32, .n = 1),
    {ADDITIONS("global-beside-local", "sharing through global memory is less efficient",
               "each group's own words, compared with local memory"),
     .pattern = BL_PATTERN_CONTIGUOUS, .n = 1, .memory = BL_MEMORY_GLOBAL,
     .baseline = "atomic/local-banks", .direction = BL_SLOWER},
    GLOBAL("words-returned", "a different word for each work-item, using the returned value",
           CONTIGUOUS, .variant = 1),
};
/* clang-format on */

BL_SUITE(atomic, "atomic", "atomic additions to local and global memory");
