/* Tests machines whose rules come from published measurements: the clocks that they predict, and
 * the requests for which they have no rule. scripts/check-public compares these predictions with
 * the published figures (results/public). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/try_view.h"
#include "model/access.h"
#include "model/predict.h"

static const struct bl_machine *machine_named(const char *name)
{
    const struct bl_machine *found;
    cr_assert_eq(bl_machine_find(name, &found, NULL), BL_OK, "%s", name);
    return found;
}

/* The predicted clocks of a request in which lane i accesses `bytes` bytes at first_bytes + i *
 * stride_bytes; 0 if there is no rule. */
static unsigned clocks(const char *name, enum bl_memory memory, bool is_write, unsigned bytes,
                       unsigned first_bytes, unsigned stride_bytes, unsigned lanes)
{
    uint64_t addresses[BL_MAX_LANES];
    for (unsigned lane = 0; lane < lanes; lane++)
        addresses[lane] = first_bytes + (uint64_t)lane * stride_bytes;
    const struct bl_request request = {memory, is_write, bytes, lanes, addresses, false};
    struct bl_cost cost;
    return bl_cost_of(machine_named(name), &request, &cost) == BL_OK ? cost.clocks : 0;
}

/* The predicted clocks of a wavefront of CDNA2 (64 lanes) that reads global memory. */
static unsigned wave(unsigned bytes, unsigned first_bytes, unsigned stride_bytes)
{
    return clocks("amd-cdna2", BL_MEMORY_GLOBAL, false, bytes, first_bytes, stride_bytes, 64);
}

/* What drivers report for the GPUs of results/public/figures.csv: NVIDIA's compute capability
 * (developer.nvidia.com/cuda-gpus), AMD's name (llvm.org/docs/AMDGPUUsage.html), Intel's version.
 */
static const struct {
    const char *gpu;
    struct bl_device_kind kind;
} published_gpus[] = {
#define NVIDIA(number)                                                     \
    {                                                                      \
        .type = BL_DEVICE_GPU, .vendor_id = 0x10de, .capability = (number) \
    }
#define AMD(processor)                                                  \
    {                                                                   \
        .type = BL_DEVICE_GPU, .vendor_id = 0x1002, .name = (processor) \
    }
    {"A100", NVIDIA(80)},
    {"A40", NVIDIA(86)},
    {"GeForce RTX 2080 Ti", NVIDIA(75)},
    {"H100 NVL", NVIDIA(90)},
    {"H100 SXM", NVIDIA(90)},
    {"H200", NVIDIA(90)},
    {"L40", NVIDIA(89)},
    {"Quadro P6000", NVIDIA(61)},
    {"T1000", NVIDIA(75)},
    {"Tesla V100", NVIDIA(70)},
    {"Instinct MI100", AMD("gfx908")},
    {"Instinct MI210", AMD("gfx90a")},
    {"Instinct MI300X", AMD("gfx942")},
    {"Instinct MI350X", AMD("gfx950")},
    {"Radeon Pro W7900", AMD("gfx1100")},
    {"Radeon RX 6900 XT", AMD("gfx1030")},
    {"Radeon RX 9070 XT", AMD("gfx1201")},
    {"Gen8 to Gen9.5",
     {.type = BL_DEVICE_GPU, .vendor_id = 0x8086, .ip_version = BL_IP_VERSION(9, 2)}},
};

/* Lines are "source,vendor,gpu,machine,..."; a source may be quoted, as for Apple's GPUs. */
Test(published, each_figure_names_the_machine_of_its_gpu)
{
    char path[4096], line[1024], gpu[128], machine[64];
    snprintf(path, sizeof path, "%s/results/public/figures.csv", getenv("BANKLINE_SOURCE"));
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    cr_assert_not_null(fgets(line, sizeof line, file));
    size_t count = 0, known = 0;
    while (fgets(line, sizeof line, file)) {
        const char *vendor = line[0] == '"' ? strchr(line + 1, '"') + 1 : strchr(line, ',');
        if (strncmp(vendor, ",Apple,", 7) == 0 ||
            sscanf(vendor, ",%*[^,],%127[^,],%63[^,],", gpu, machine) < 2)
            continue; /* no machine describes this GPU */
        size_t i = 0;
        while (i < sizeof published_gpus / sizeof published_gpus[0] &&
               strcmp(published_gpus[i].gpu, gpu) != 0)
            i++;
        cr_assert_lt(i, sizeof published_gpus / sizeof published_gpus[0], "%s", gpu);
        cr_assert_str_eq(bl_machine_for(&published_gpus[i].kind)->name, machine, "%s", gpu);
        known++;
        count += i == 9; /* figures of the V100 */
    }
    fclose(file);
    cr_assert_eq(count, 3);
    cr_assert_gt(known, 700);
}

Test(published, a_wavefront_of_cdna2_reads_by_quads_of_four_lanes)
{
    /* Strides in floats for which the clocks do not depend on the first address, and these clocks
     * for 64 lanes. The published figures are for 32 lanes. */
    static const unsigned strides[] = {0, 1, 2, 3, 4, 6, 8, 16, 32, 64};
    static const unsigned expected[] = {4, 4, 32, 16, 64, 32, 64, 64, 64, 64};
    for (unsigned i = 0; i < 10; i++)
        for (unsigned first = 0; first < 128; first += 16)
            cr_assert_eq(wave(4, first, 4 * strides[i]), expected[i], "stride %u from %u",
                         strides[i], first);
    static const unsigned of_double[] = {16, 16, 16, 16, 32, 16, 16, 16, 64};
    for (unsigned stride = 0; stride < 9; stride++)
        cr_assert_eq(wave(8, 0, 8 * stride), of_double[stride], "double, stride %u", stride);
    /* With stride 15, a quad takes 2 to 4 clocks, depending on its first address, and 3 on average.
     */
    unsigned sum = 0;
    for (unsigned first = 0; first < 128; first += 16)
        sum += wave(4, first, 4 * 15);
    cr_assert_eq(sum, 8 * 48);
}

Test(published, incomplete_quads_have_a_cost_too)
{
    cr_assert_eq(clocks("amd-cdna2", BL_MEMORY_GLOBAL, false, 4, 0, 4, 1), 1);
    cr_assert_eq(clocks("amd-cdna2", BL_MEMORY_GLOBAL, false, 4, 0, 4, 17), 2);
    cr_assert_eq(clocks("amd-cdna2", BL_MEMORY_GLOBAL, false, 4, 0, 8, 3), 3);
    cr_assert_eq(clocks("amd-cdna2", BL_MEMORY_GLOBAL, false, 8, 0, 8, 6), 2);
    /* The four lanes of a quad are read together, in any order, if their elements are within 16
     * bytes. */
    uint64_t addresses[] = {12, 0, 8, 4, 32, 28, 24, 20};
    const struct bl_request request = {BL_MEMORY_GLOBAL, false, 4, 8, addresses, false};
    struct bl_cost cost;
    cr_assert_eq(bl_cost_of(machine_named("amd-cdna2"), &request, &cost), BL_OK);
    cr_assert_eq(cost.clocks, 1);
    cr_assert_eq(cost.lines, 1);
    cr_assert_eq(cost.words, 8);
    addresses[0] = 16;
    cr_assert_eq(bl_cost_of(machine_named("amd-cdna2"), &request, &cost), BL_OK);
    cr_assert_eq(cost.clocks, 4);
}

Test(published, no_rule_covers_unpublished_cases)
{
    const unsigned span = 256 << 10; /* bytes from the first lane to the last */
    cr_assert_gt(clocks("amd-cdna2", BL_MEMORY_GLOBAL, false, 4, 0, span - 4, 2), 0);
    cr_assert_eq(clocks("amd-cdna2", BL_MEMORY_GLOBAL, false, 4, 0, span, 2), 0);
    cr_assert_eq(wave(16, 0, 16), 0);
    cr_assert_eq(wave(2, 0, 2), 0);
    cr_assert_eq(clocks("amd-cdna2", BL_MEMORY_GLOBAL, true, 4, 0, 4, 64), 0);
    cr_assert_eq(clocks("amd-cdna2", BL_MEMORY_LOCAL, true, 4, 0, 4, 64), 2);
    cr_assert_eq(clocks("amd-cdna2", BL_MEMORY_LOCAL, false, 8, 0, 8, 64), 0);
    cr_assert_eq(clocks("amd-cdna3", BL_MEMORY_LOCAL, false, 8, 0, 8, 64), 4);
    cr_assert_eq(clocks("amd-cdna3", BL_MEMORY_LOCAL, false, 16, 0, 16, 64), 0);
    cr_assert_eq(clocks("amd-rdna4", BL_MEMORY_LOCAL, false, 16, 0, 16, 32), 4);
    static const char *const local_alone[] = {"amd",           "amd-cdna3",   "amd-cdna4",
                                              "amd-rdna3",     "amd-rdna4",   "nvidia-ada",
                                              "nvidia-turing", "nvidia-other"};
    for (unsigned i = 0; i < sizeof local_alone / sizeof local_alone[0]; i++) {
        cr_assert_eq(clocks(local_alone[i], BL_MEMORY_GLOBAL, false, 4, 0, 4, 32), 0);
        cr_assert_gt(clocks(local_alone[i], BL_MEMORY_LOCAL, false, 4, 0, 4, 32), 0);
        cr_assert(machine_named(local_alone[i])->why_no_global_rule[0]);
    }
}

Test(published, halves_of_a_wavefront_access_local_memory_separately)
{
    uint64_t addresses[64];
    for (unsigned lane = 0; lane < 64; lane++)
        addresses[lane] = lane < 32 ? 0 : 128; /* two words of one bank: the first half of the lanes
                                                  reads one, the second half the other */
    const struct bl_request request = {BL_MEMORY_LOCAL, false, 4, 64, addresses, false};
    struct bl_cost cost;
    cr_assert_eq(bl_cost_of(machine_named("amd-cdna3"), &request, &cost), BL_OK);
    cr_assert_eq(cost.clocks, 2);
    cr_assert_eq(clocks("amd-cdna3", BL_MEMORY_LOCAL, false, 4, 0, 8, 64), 4);
    cr_assert_eq(clocks("amd-cdna3", BL_MEMORY_LOCAL, false, 4, 0, 8, 16), 1);
    cr_assert_eq(clocks("amd-cdna3", BL_MEMORY_LOCAL, false, 4, 0, 8, 32), 2);
    struct bl_machine eighths = *machine_named("amd-cdna3");
    eighths.local_lanes_at_once = 8;
    const struct bl_request wide = {BL_MEMORY_LOCAL, false, 8, 64, addresses, false};
    cr_assert_eq(bl_lanes_at_once(&eighths, &wide), 8);
    cr_assert_eq(bl_lanes_at_once(machine_named("amd-cdna3"), &wide), 16);
    /* Writes may be split into parts with another number of lanes. */
    struct bl_machine whole = *machine_named("amd-cdna3");
    whole.local_lanes_written_at_once = 64;
    struct bl_request write = request;
    write.is_write = true;
    cr_assert_eq(bl_lanes_at_once(&whole, &write), 64);
    cr_assert_eq(bl_lanes_at_once(&whole, &request), 32);
    cr_assert_eq(bl_lanes_at_once(machine_named("amd-cdna3"), &write), 32);
    /* Two lanes that want the same element save time only in wide reads, and these reads have 4
     * bytes per lane. */
    eighths.pairs_share_wide = true;
    for (unsigned lane = 0; lane < 64; lane++)
        addresses[lane] = 128 * (uint64_t)(lane / 2);
    cr_assert_eq(bl_cost_of(&eighths, &request, &cost), BL_OK);
    cr_assert_eq(cost.clocks, 8 * 4);
    for (unsigned lane = 0; lane < 64; lane++)
        addresses[lane] = lane / 8 % 2 * 4;
    cr_assert_eq(bl_cost_of(&eighths, &request, &cost), BL_OK);
    cr_assert_eq(cost.clocks, 8);
    /* With 64 banks, all 64 lanes are served together. */
    cr_assert_eq(clocks("amd-cdna4", BL_MEMORY_LOCAL, false, 4, 0, 4, 64), 1);
    cr_assert_eq(clocks("amd-cdna4", BL_MEMORY_LOCAL, false, 4, 0, 128, 64), 32);
}

Test(published, reads_take_at_least_the_clocks_of_the_data_path_to_the_lanes)
{
    cr_assert_eq(clocks("nvidia-ga10x", BL_MEMORY_GLOBAL, false, 4, 0, 4, 32), 2);
    cr_assert_eq(clocks("nvidia-ga10x", BL_MEMORY_GLOBAL, false, 4, 0, 16, 32), 4);
    cr_assert_eq(clocks("nvidia-ampere", BL_MEMORY_GLOBAL, false, 4, 0, 4, 32), 1);
    cr_assert_eq(clocks("nvidia-ga10x", BL_MEMORY_LOCAL, false, 4, 0, 4, 32), 1);
    /* The data path's clocks for fewer than 32 lanes are not published. They do not matter if lines
     * or banks take longer. */
    cr_assert_eq(clocks("nvidia-ga10x", BL_MEMORY_GLOBAL, false, 4, 0, 4, 16), 0);
    cr_assert_eq(clocks("nvidia-ga10x", BL_MEMORY_GLOBAL, false, 4, 0, 32, 16), 4);
    cr_assert_eq(clocks("amd-rdna2", BL_MEMORY_GLOBAL, false, 4, 0, 4, 32), 1);
    cr_assert_eq(clocks("amd-rdna2", BL_MEMORY_GLOBAL, false, 4, 16, 0, 32), 1);
    cr_assert_eq(clocks("amd-rdna2", BL_MEMORY_GLOBAL, false, 4, 0, 12, 32), 2);
    cr_assert_eq(clocks("amd-rdna2", BL_MEMORY_GLOBAL, false, 4, 0, 12, 16), 0);
    cr_assert_eq(clocks("amd-rdna2", BL_MEMORY_GLOBAL, false, 4, 0, 4, 16), 1);
    cr_assert_eq(clocks("amd-rdna2", BL_MEMORY_GLOBAL, false, 4, 0, 36, 32), 3);
}

/* Checks the sentence about what limits a read of floats by one request of 32 or 64 work-items. */
static void explained(const char *name, unsigned items, unsigned stride, const char *limit)
{
    const struct bl_machine *machine = machine_named(name);
    struct bl_type type;
    struct bl_pattern_explanation said;
    uint64_t starts[64];
    cr_assert_eq(bl_type_named("float", &type, NULL), BL_OK);
    struct bl_launch launch =
        bl_launch_for(machine, BL_MEMORY_GLOBAL, &type, (struct bl_shape){items, 1}, 1);
    launch.groups = launch.steps = 1;
    for (unsigned i = 0; i < items; i++)
        starts[i] = i * stride;
    cr_assert_eq(bl_explain_pattern(machine, &launch, starts, &said, NULL), BL_OK);
    cr_assert_str_eq(said.limit, limit);
}

Test(published, the_sentence_about_the_limit_names_the_rule_that_sets_the_cost)
{
    explained("amd-cdna2", 64, 2, "8 lines where 4 would do; every 16 lanes need four passes");
    explained("amd-rdna2", 32, 3,
              "the lanes' elements are not contiguous, and such a read takes at least 2 clocks");
}

/* The picture of a global read has no banks: this GPU's global reads do not use the banks of local
 * memory, and it is not published when each lane is served. */
Test(published, a_picture_of_quads_shows_only_lines)
{
    uint64_t addresses[64];
    for (unsigned lane = 0; lane < 64; lane++)
        addresses[lane] = 8 * lane;
    struct bl_request request = {BL_MEMORY_GLOBAL, false, 4, 64, addresses, false};
    for (int is_local = 0; is_local < 2; is_local++) {
        char *text = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&text, &size);
        request.memory = is_local ? BL_MEMORY_LOCAL : BL_MEMORY_GLOBAL;
        bl_picture(file, machine_named("amd-cdna2"), &request);
        fclose(file);
        cr_assert_eq(strstr(text, "  line") != NULL, !is_local);
        cr_assert_eq(strstr(text, "  bank") != NULL, is_local);
        free(text);
    }
}
