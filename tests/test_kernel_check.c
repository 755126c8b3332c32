/* Tests the checks that a row measures what its case describes: its kernel uses local memory if and
 * only if the row measures local memory, and no other case has the same kernels. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "cl/program.h"
#include "run/case.h"
#include "run/runner.h"
#include "suites.h"

static struct bl_error error;

static struct bl_local_report report = {.without = 0, .with = 64};

static enum bl_status check_local(enum bl_memory memory, uint64_t bytes)
{
    const struct bl_workload workload = {.launch.memory = memory, .build.kernel = "chase"};
    error = (struct bl_error){0};
    return bl_check_local_bytes(&workload, &report, bytes, &error);
}

Test(kernel_check, only_rows_of_local_memory_have_kernels_that_use_it)
{
    cr_expect_eq(check_local(BL_MEMORY_LOCAL, 64), BL_OK);
    cr_expect_eq(check_local(BL_MEMORY_GLOBAL, 0), BL_OK);
    cr_expect_eq(check_local(BL_MEMORY_LOCAL, 0), BL_OPENCL_FAILED);
    cr_expect_str_eq(error.sentence,
                     "it measures local memory, but the driver says that kernel chase uses none");
    cr_expect_eq(check_local(BL_MEMORY_PRIVATE, 64), BL_OPENCL_FAILED);
    cr_expect_str_eq(error.sentence,
                     "it measures private memory, but the driver says that kernel chase uses "
                     "64 bytes of local memory");
}

/* bl_local_report has the sizes of local memory that the driver reports for the two kernels of
 * local_report.cl, one without and one with local memory. NVIDIA's driver reports 1 byte instead of
 * 0 for the first. PoCL 5 reports 0 for both, so PoCL's reports are not used. */
Test(kernel_check, reported_sizes_are_used_only_if_they_differ_between_two_known_kernels)
{
    report = (struct bl_local_report){.without = 1, .with = 68};
    cr_expect_eq(check_local(BL_MEMORY_GLOBAL, 1), BL_OK);
    cr_expect_eq(check_local(BL_MEMORY_LOCAL, 16388), BL_OK);
    cr_expect_eq(check_local(BL_MEMORY_LOCAL, 16), BL_OK);
    cr_expect_eq(check_local(BL_MEMORY_GLOBAL, 16), BL_OPENCL_FAILED);
    cr_expect_eq(check_local(BL_MEMORY_LOCAL, 1), BL_OPENCL_FAILED);
    cr_expect_eq(check_local(BL_MEMORY_GLOBAL, 16388), BL_OPENCL_FAILED);
    report = (struct bl_local_report){.without = 0, .with = 0};
    cr_expect_eq(check_local(BL_MEMORY_LOCAL, 0), BL_OK);
}

Test(kernel_check, two_cases_with_the_same_kernels_are_an_error_unless_the_catalogue_says_why)
{
    struct bl_bench bench = {0};
    const struct bl_case one = {.id = "made/one"}, two = {.id = "made/two"},
                         said = {.id = "made/said", .same_kernels = "as the guide has both"};
    cr_expect_eq(bl_check_kernels_differ(&bench, &one, "0123", &error), BL_OK);
    cr_expect_eq(bl_check_kernels_differ(&bench, &one, "0123", &error), BL_OK,
                 "the same case in another shape");
    cr_expect_eq(bl_check_kernels_differ(&bench, &two, "4567", &error), BL_OK);
    cr_expect_eq(bl_check_kernels_differ(&bench, &said, "0123", &error), BL_OK);
    cr_expect_eq(bl_check_kernels_differ(&bench, &two, "0123", &error), BL_OPENCL_FAILED);
    cr_expect(strstr(error.sentence, "has the kernels of made/one"), "%s", error.sentence);
    free(bench.measured.all);
}

static bool have_same_kernels(const struct bl_plan_item *one, const struct bl_plan_item *other)
{
    const struct bl_kernel_source a = bl_source_of(&one->own.build),
                                  b = bl_source_of(&other->own.build),
                                  c = bl_source_of(&one->baseline.build),
                                  d = bl_source_of(&other->baseline.build);
    return bl_sources_are_equal(&a, &b) && bl_sources_are_equal(&c, &d);
}

static size_t excused; /* number of pairs with the same kernels for which the catalogue says why */

static void expect_different_kernels(const char *name, const struct bl_device *device)
{
    const struct bl_catalogue catalogue = bl_suites();
    const struct bl_plan_filter filter = {0};
    const struct bl_machine *machine;
    struct bl_plan_item *items;
    size_t count;
    cr_assert_eq(bl_machine_find(name, &machine, NULL), BL_OK);
    cr_assert_eq(bl_plan(&catalogue, &filter, machine, device, &items, &count, &error), BL_OK);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++) {
            const struct bl_case *one = items[i].test_case, *other = items[k].test_case;
            if (one == other || !have_same_kernels(&items[i], &items[k]))
                continue;
            excused += one->same_kernels || other->same_kernels;
            cr_expect(one->same_kernels || other->same_kernels, "%s: %s has the kernels of %s",
                      name, one->id, other->id);
        }
    free(items);
}

/* On devices with low limits, two cases could get the same sizes, so such devices are tested, too.
 */
Test(kernel_check, no_two_cases_of_the_catalogue_have_the_same_kernels)
{
    static const char *const machines[] = {"intel-gen9", "nvidia-hopper", "cpu"};
    for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++) {
        expect_different_kernels(machines[m], NULL);
        for (unsigned size = 256; size <= 1024; size *= 2) {
            const struct bl_device device = {
                .type = BL_DEVICE_GPU,
                .compute_units = 4,
                .sub_group_sizes = {8, 16, 32},
                .shares_registers = true,
                .local_bytes = 128 * size,
                .max_group_items = size,
                .max_items = {size, size},
                .memory_bytes = 1ull << 34,
                .max_buffer_bytes = 1ull << 33,
            };
            expect_different_kernels(machines[m], &device);
        }
    }
    cr_expect_gt(excused, 0, "no case has same_kernels, so the comparison tests nothing");
}
