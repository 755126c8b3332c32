/* Output staged in local memory. The guide "__local Memory" recommends staging if each work-item
 * writes to a separate area, because staging reduces writes to memory. The guide does not mention
 * overlapping areas; they make no difference to the banks. Ratios compare words written to global
 * memory per second: 576 words of each group's output in the cases with and without overlap, and
 * all 1088 words where staging is compared with direct writes, so that both sides of a comparison
 * do the same work. */
#include "../kernels/numbers.h"
#include "model/access.h"
#include "run/case.h"

/* Both pitches are odd, so that each row begins in a different bank, whether rows are adjacent or
 * overlap by half. */
enum { GROUP = 64, ROW = 17, OVERLAPPING_PITCH = 9, COPIED_WORDS = GROUP * OVERLAPPING_PITCH };

enum { PART, WHOLE };

/* The size of a group's output, in words. */
static size_t words_of_group(const struct bl_case *test_case)
{
    return test_case->variant == PART ? COPIED_WORDS : (size_t)GROUP * ROW;
}

/* Computes the expected output, which the last round wrote. */
static enum bl_status reference(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error)
{
    (void)error;
    for (size_t i = 0; i < workload->buffers.outputs; i++)
        expected[i] = WORD_OF((uint32_t)i, rounds - 1);
    return BL_OK;
}

/* Predicts the cost of staging a row: the bank passes of the words that the work-items write at the
 * same time. Everything else is the same in the case and in its baseline. */
static void predict(const struct bl_machine *machine, unsigned pitch, struct bl_workload *workload)
{
    uint64_t addresses[BL_MAX_LANES];
    const unsigned lanes = machine->lanes < GROUP ? machine->lanes : GROUP;
    for (unsigned lane = 0; lane < lanes; lane++)
        addresses[lane] = (uint64_t)lane * pitch * 4;
    const struct bl_request request = {BL_MEMORY_LOCAL, true, 4, lanes, addresses, false};
    struct bl_cost cost;
    if (bl_cost_of(machine, &request, &cost) == BL_OK)
        bl_set_clocks(workload, cost.clocks);
    else
        workload->cost.why_none = bl_why_no_cost(machine, request.memory, false);
}

static void lay_out(const struct bl_setting *setting, struct bl_workload *workload)
{
    const struct bl_case *test_case = setting->test_case;
    const bool is_local = test_case->memory == BL_MEMORY_LOCAL;
    bl_workload_begin(workload, setting, "stage.cl", "stage_rows");
    bl_fill_device(workload, setting);
    bl_add_option(&workload->build, "-DGROUP=%d -DROW=%d -DPITCH=%u -DWORDS=%zu", GROUP, ROW,
                  test_case->n, words_of_group(test_case));
    workload->buffers = (struct bl_buffers){
        .data_bytes = 4,
        .local_bytes = is_local ? ((GROUP - 1) * (size_t)test_case->n + ROW) * 4 : 0,
        .outputs = workload->launch.groups * words_of_group(test_case),
    };
    workload->check.reference = reference;
    workload->work.units = (double)workload->buffers.outputs;
    workload->work.bytes = workload->work.units * 4;
    if (is_local)
        predict(setting->machine, test_case->n, workload);
    else
        workload->cost.why_none = "there is no rule for what staging saves in memory";
}

/* clang-format off */ /* one case per row */
#define CASE(name, define_, pitch, MEMORY, against, title_, ...)                                \
    {.id = "stage/" name, .title = title_, .define = define_, .n = (pitch), .memory = MEMORY,   \
     .document = "local memory guide, reducing memory writes", .baseline = "stage/" against,    \
     .lay_out = lay_out, .shapes = BL_GROUP_OF(GROUP), __VA_ARGS__}

static const struct bl_case cases[] = {
    CASE("independent", "STAGED", ROW, BL_MEMORY_LOCAL, "independent",
         "separate rows, 576 of 1088 words copied out", .skip_in_quick = true),
    CASE("overlapping", "STAGED", OVERLAPPING_PITCH, BL_MEMORY_LOCAL, "independent",
         "overlapping rows: most words written twice, 576 copied out"),
    CASE("whole", "STAGED", ROW, BL_MEMORY_LOCAL, "whole",
         "separate rows, all 1088 words copied out", .variant = WHOLE,
         .skip_in_quick = true),
    CASE("direct", "DIRECT", ROW, BL_MEMORY_GLOBAL, "whole",
         "separate rows, all 1088 words written directly", .variant = WHOLE,
         .direction = BL_SLOWER),
};
/* clang-format on */

BL_SUITE(stage, "stage", "rows of output, staged in local memory or not");
