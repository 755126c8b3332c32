/* An array for each work-item: kernels/private.cl and what it must compute. */
#include <stdlib.h>

#include "model/reference.h"
#include "private_workload.h"

static uint32_t changed(uint32_t x, uint32_t round, unsigned math)
{
    x = (x ^ 0x9E3779B9u) + round;
    for (unsigned i = 0; i < math; i++)
        x = i % 2 ? x ^ 0x7FEB352Du : x + 0x85EBCA6Bu;
    return x;
}

static enum bl_status reference(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error)
{
    (void)error;
    const size_t group = workload->launch.shape.x; /* a row, at least 1 */
    const struct bl_case *test_case = workload->test_case;
    /* All groups compute the same; every element is changed once a round, whatever the order. */
    for (size_t lid = 0; lid < group; lid++) {
        uint32_t sum = 0;
        for (uint32_t k = 0; k < test_case->n; k++) {
            uint32_t element = bl_data_element(k) + (uint32_t)lid;
            for (uint32_t round = 0; round < rounds; round++)
                element = changed(element, round, BL_PRIVATE_MATH(test_case->variant));
            sum += (k + 1) * element;
        }
        expected[lid] = sum;
    }
    for (size_t i = group; i < workload->outputs; i++)
        expected[i] = expected[i - group];
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
