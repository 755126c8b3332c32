/* An array for each work-item: kernels/private.cl and what it must compute. */
#include <stdlib.h>
#include <string.h>

#include "../../kernels/numbers.h"
#include "model/reference.h"
#include "run/private_workload.h"

/* On a compute unit, about: so many arrays its caches are to keep. */
enum { RESIDENT_ITEMS = 256 };

static uint32_t changed(uint32_t x, uint32_t turn, unsigned math)
{
    x = CHANGED(x, turn);
    for (unsigned i = 0; i < math; i++)
        x = CHANGED_MORE(x, i);
    return x;
}

/* What the kernel's loop index is combined with to give the element's, in this round. */
static uint32_t flip_of(const struct bl_case *test_case, uint32_t round, uint32_t lid)
{
    static const char unique[] = "UNIQUE=";
    const char *define = test_case->define;
    uint32_t mask = lid;
    if (strcmp(define, "STATIC") == 0)
        return 0;
    if (strcmp(define, "UNIFORM") == 0)
        mask = 0;
    else if (strncmp(define, unique, sizeof unique - 1) == 0)
        mask = lid % (uint32_t)strtoul(define + sizeof unique - 1, NULL, 10);
    return (bl_data_element(round % ROUND_WORDS) ^ mask) % test_case->n;
}

/* All groups compute the same. */
static enum bl_status reference(const struct bl_workload *workload, uint32_t rounds,
                                uint32_t expected[], struct bl_error *error)
{
    const size_t group = workload->launch.shape.x; /* a row, at least 1 */
    const struct bl_case *test_case = workload->setting.test_case;
    const unsigned bits = 8 * workload->launch.type->element_bytes;
    const uint32_t kept = UINT32_MAX >> (32 - bits);
    uint32_t *elements = malloc(test_case->n * sizeof *elements);
    if (!elements)
        return bl_fail(error, BL_NO_MEMORY, "no memory for %u elements", test_case->n);
    for (uint32_t lid = 0; lid < group; lid++) {
        for (uint32_t k = 0; k < test_case->n; k++)
            elements[k] = (bl_data_element(k) + lid) & kept;
        for (uint32_t round = 0; round < rounds; round++) {
            const uint32_t flip = flip_of(test_case, round, lid);
            for (uint32_t k = 0; k < test_case->n; k++)
                elements[k] = changed(elements[k], round + (k ^ flip), test_case->variant) & kept;
        }
        expected[lid] = 0;
        for (uint32_t k = 0; k < test_case->n; k++)
            expected[lid] += (k + 1) * elements[k];
    }
    free(elements);
    bl_repeat_group(expected, group, workload->buffers.outputs);
    return BL_OK;
}

/* One index for all work-items: an element is a request read and one written, and each round reads
 * a word to find the index. So larger arrays are a little faster, as long as the same caches hold
 * them. Operations beyond the first two are not counted. */
static void count_requests(const struct bl_machine *machine, struct bl_workload *workload)
{
    enum { LONGEST = 64 };
    const struct bl_case *test_case = workload->setting.test_case;
    const bool is_uniform =
        strcmp(test_case->define, "UNIFORM") == 0 || strcmp(test_case->define, "UNIQUE=1") == 0;
    if (machine->has_rule && is_uniform && !test_case->type && test_case->variant == 0 &&
        test_case->n <= LONGEST)
        bl_set_clocks(workload, (2 * test_case->n + 1) / (double)test_case->n);
}

void bl_lay_out_private(const struct bl_setting *setting, struct bl_workload *workload)
{
    const struct bl_case *test_case = setting->test_case;
    bl_workload_begin(workload, setting, "private.cl", "private_array");
    const size_t group = bl_launch_group_items(&workload->launch);
    const struct bl_type *type = workload->launch.type;
    bl_add_option(&workload->build, "-DN=%u -DT=%s -DGROUP=%zu -DMATH=%u", test_case->n,
                  test_case->type ? type->name : "uint", group, test_case->variant);
    workload->build.array_in_memory =
        test_case->memory == BL_MEMORY_PRIVATE && strcmp(test_case->define, "STATIC") != 0;
    struct bl_buffers *buffers = &workload->buffers;
    buffers->data_bytes = ROUND_WORDS * 4;
    buffers->local_bytes =
        test_case->memory == BL_MEMORY_LOCAL ? test_case->n * group * type->element_bytes : 0;
    workload->check.reference = reference;
    const size_t bytes = (size_t)test_case->n * type->element_bytes; /* of a work-item */
    workload->work.working_set_bytes = bytes;
    workload->work.settles_slowly =
        test_case->memory == BL_MEMORY_PRIVATE && bytes * RESIDENT_ITEMS >= BL_SETTLES_SLOWLY_BYTES;
    workload->cost.why_none =
        "the driver decides how much of the array is in registers, and where the rest lies";
    count_requests(setting->machine, workload);
    workload->work.units = (double)buffers->outputs * test_case->n;
    if (test_case->type) /* compared by bytes */
        workload->work.units *= type->element_bytes;
}
