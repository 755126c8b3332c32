/* An array for each work-item: kernels/private.cl and what it must compute. */
#include <stdlib.h>

#include "model/reference.h"
#include "run/private_workload.h"

static uint32_t changed(uint32_t x, uint32_t turn, unsigned math)
{
    x = (x ^ 0x9E3779B9u) + turn;
    for (unsigned i = 0; i < math; i++)
        x = i % 2 ? x ^ 0x7FEB352Du : x + 0x85EBCA6Bu;
    return x;
}

/* What the kernel's loop index is combined with to give the element's, in this round. */
static uint32_t flip_of(const struct bl_case *test_case, uint32_t round, uint32_t lid)
{
    switch (BL_PRIVATE_KIND(test_case->variant)) {
    case BL_PRIVATE_STATIC:
        return 0;
    case BL_PRIVATE_UNIFORM:
        return bl_data_element(round % 1024) % test_case->n;
    default:
        return (bl_data_element(round % 1024) ^ lid) % test_case->n;
    }
}

/* All groups compute the same. */
static enum bl_status reference(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error)
{
    const size_t group = workload->launch.shape.x; /* a row, at least 1 */
    const struct bl_case *test_case = workload->test_case;
    uint32_t *elements = malloc(test_case->n * sizeof *elements);
    if (!elements)
        return bl_fail(error, BL_NO_MEMORY, "no memory for %u elements", test_case->n);
    for (uint32_t lid = 0; lid < group; lid++) {
        for (uint32_t k = 0; k < test_case->n; k++)
            elements[k] = bl_data_element(k) + lid;
        for (uint32_t round = 0; round < rounds; round++) {
            const uint32_t flip = flip_of(test_case, round, lid);
            for (uint32_t k = 0; k < test_case->n; k++)
                elements[k] =
                    changed(elements[k], round + (k ^ flip), BL_PRIVATE_MATH(test_case->variant));
        }
        expected[lid] = 0;
        for (uint32_t k = 0; k < test_case->n; k++)
            expected[lid] += (k + 1) * elements[k];
    }
    free(elements);
    bl_repeat_group(expected, group, workload->outputs);
    return BL_OK;
}

void bl_lay_out_private(const struct bl_case *test_case, const struct bl_setting *setting,
                        struct bl_workload *workload)
{
    static const char *const kinds[] = {"STATIC", "UNIFORM", "NONUNIFORM", "IN_LOCAL"};
    const unsigned kind = BL_PRIVATE_KIND(test_case->variant);
    bl_workload_begin(workload, test_case, setting, "private.cl", "private_array");
    const size_t group = bl_launch_group_items(&workload->launch);
    bl_add_option(workload, "-D%s -DN=%u -DGROUP=%zu -DMATH=%u", kinds[kind], test_case->n, group,
                  BL_PRIVATE_MATH(test_case->variant));
    workload->data_bytes = 4096;
    workload->local_bytes = kind == BL_PRIVATE_IN_LOCAL ? test_case->n * group * 4 : 0;
    workload->working_set_bytes = (size_t)test_case->n * 4; /* of a work-item */
    workload->reference = reference;
    workload->work = (double)workload->outputs * test_case->n;
}
