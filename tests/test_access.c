/* Tests the cost of a request (tag banks, sectors, wide accesses, writes and atomics), also against
 * costs that were measured on an H100 and an H200; and the picture of a request. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cli/try_view.h"
#include "model/access.h"
#include "model/predict.h"

static const struct bl_machine *machine(const char *name)
{
    const struct bl_machine *found;
    cr_assert_eq(bl_machine_find(name, &found, NULL), BL_OK);
    return found;
}

/* The cost of a request whose lanes are divided evenly among these cache lines. Each lane uses a
 * different bank. */
static struct bl_cost cost_of_lines(const uint64_t lines[], unsigned count, unsigned lanes)
{
    uint64_t addresses[32];
    for (unsigned lane = 0; lane < lanes; lane++)
        addresses[lane] = 128 * lines[lane * count / lanes] + 4 * lane;
    const struct bl_request request = {BL_MEMORY_GLOBAL, false, 4, lanes, addresses, false};
    struct bl_cost cost;
    cr_assert_eq(bl_cost_of(machine("nvidia-hopper"), &request, &cost), BL_OK);
    return cost;
}

/* The cost of a request whose lanes access `bytes` bytes, stride_bytes apart. */
static struct bl_cost strided(const char *name, enum bl_memory memory, bool is_write,
                              unsigned bytes, unsigned stride_bytes, unsigned lanes)
{
    uint64_t addresses[BL_MAX_LANES];
    for (unsigned lane = 0; lane < lanes; lane++)
        addresses[lane] = (uint64_t)lane * stride_bytes;
    const struct bl_request request = {memory, is_write, bytes, lanes, addresses, false};
    struct bl_cost cost;
    cr_assert_eq(bl_cost_of(machine(name), &request, &cost), BL_OK);
    return cost;
}

/* The lines among the first 64 that share the tag bank of line 0, as measured on an H100. */
Test(access, lines_share_a_tag_bank_as_was_measured)
{
    static const unsigned with_line_0[] = {0,  5,  10, 15, 19, 22, 25, 28,
                                           33, 36, 43, 46, 50, 55, 56, 61};
    const struct bl_machine *nvidia = machine("nvidia-hopper");
    size_t next = 0;
    for (unsigned line = 0; line < 64; line++) {
        const bool shares = next < 16 && with_line_0[next] == line;
        next += shares;
        cr_assert_eq(bl_tag_bank(nvidia, line) == bl_tag_bank(nvidia, 0), shares, "line %u", line);
        cr_assert_lt(bl_tag_bank(nvidia, line), 4);
    }
    cr_assert_eq(bl_tag_bank(machine("intel-gen9"), 12345), 0);
}

/* The passes that were measured for these sets of lines (results/rules). */
Test(access, a_read_costs_as_many_clocks_as_the_busiest_tag_bank_looks_up_lines)
{
    static const struct {
        unsigned count;
        uint64_t lines[10];
        unsigned passes;
    } measured[] = {
        {1, {7}, 1},
        {2, {738, 403}, 1},
        {2, {90, 362}, 2},
        {4, {0, 1, 2, 3}, 1},
        {4, {1, 2, 3, 4}, 2},
        {5, {250, 545, 938, 402, 113}, 3},
        {6, {428, 974, 687, 296, 786, 895}, 4},
        {9, {886, 151, 567, 420, 468, 291, 273, 426, 43}, 5},
        {10, {330, 275, 905, 92, 745, 690, 355, 1004, 979, 17}, 7},
    };
    for (size_t i = 0; i < sizeof measured / sizeof measured[0]; i++) {
        const struct bl_cost cost = cost_of_lines(measured[i].lines, measured[i].count, 32);
        cr_assert_eq(cost.lines, measured[i].count);
        cr_assert_eq(cost.tag_passes, measured[i].passes, "row %zu: %u tag passes", i,
                     cost.tag_passes);
        cr_assert_eq(cost.clocks, measured[i].passes);
        cr_assert_eq(cost.bank_passes, 1);
    }
}

Test(access, sectors_are_counted_if_the_machines_lines_have_sectors)
{
    cr_assert_eq(strided("nvidia-hopper", BL_MEMORY_GLOBAL, false, 4, 4, 32).sectors, 4);
    cr_assert_eq(strided("nvidia-hopper", BL_MEMORY_GLOBAL, false, 4, 16, 32).sectors, 16);
    cr_assert_eq(strided("nvidia-hopper", BL_MEMORY_GLOBAL, false, 4, 256, 32).sectors, 32);
    cr_assert_eq(strided("nvidia-hopper", BL_MEMORY_LOCAL, false, 4, 4, 32).sectors, 0);
    cr_assert_eq(strided("intel-gen9", BL_MEMORY_GLOBAL, false, 4, 4, 16).sectors, 0);
}

/* The passes measured on an H100 for reads of 8 and of 16 bytes, by stride in elements. */
Test(access, a_wide_access_is_served_in_parts)
{
    static const unsigned strides[] = {1, 2, 3, 4, 8, 16};
    static const unsigned passes_8[] = {2, 4, 2, 8, 16, 32}, passes_16[] = {4, 8, 4, 16, 32, 32};
    for (size_t i = 0; i < 6; i++) {
        cr_assert_eq(
            strided("nvidia-hopper", BL_MEMORY_LOCAL, false, 8, 8 * strides[i], 32).bank_passes,
            passes_8[i], "8 bytes, stride %u", strides[i]);
        cr_assert_eq(
            strided("nvidia-hopper", BL_MEMORY_LOCAL, false, 16, 16 * strides[i], 32).bank_passes,
            passes_16[i], "16 bytes, stride %u", strides[i]);
    }
    /* On intel-gen9, whose rules come from the guides, a wide access is not split. */
    cr_assert_eq(strided("intel-gen9", BL_MEMORY_LOCAL, false, 16, 16, 16).bank_passes, 4);
    cr_assert_eq(strided("intel-gen9", BL_MEMORY_LOCAL, false, 16, 48, 16).bank_passes, 4);
    /* If all lanes read the same 16 bytes, the access has two parts, and each delivers the 4 words
     * once. */
    cr_assert_eq(strided("nvidia-hopper", BL_MEMORY_LOCAL, false, 16, 0, 32).words, 2 * 4);
    cr_assert_eq(strided("nvidia-hopper", BL_MEMORY_LOCAL, false, 2, 2, 32).words, 16);
}

Test(access, writes_cost_the_same_as_reads_but_on_hopper_at_least_a_clock_per_sector)
{
    cr_assert_eq(strided("nvidia-hopper", BL_MEMORY_LOCAL, true, 4, 8, 32).clocks, 2);
    cr_assert_eq(strided("nvidia-hopper", BL_MEMORY_GLOBAL, false, 4, 4, 32).clocks, 1);
    cr_assert_eq(strided("nvidia-hopper", BL_MEMORY_GLOBAL, true, 4, 4, 32).clocks, 4);
    cr_assert_eq(strided("nvidia-hopper", BL_MEMORY_GLOBAL, true, 4, 8, 32).clocks, 8);
    cr_assert_eq(strided("intel-gen9", BL_MEMORY_GLOBAL, true, 4, 8, 16).clocks, 2);
}

/* The number of requests that an access of this type makes; found receives each request's part. */
static unsigned parts(const char *machine_name, enum bl_memory memory, bool is_write,
                      const char *type_name, struct bl_part found[BL_MAX_PARTS])
{
    struct bl_type type;
    cr_assert_eq(bl_type_named(type_name, &type, NULL), BL_OK, "%s", type_name);
    return bl_parts_of(machine(machine_name), memory, is_write, &type, found);
}

Test(access, long_vectors_are_several_requests)
{
    struct bl_part found[BL_MAX_PARTS];
    cr_assert_eq(parts("nvidia-hopper", BL_MEMORY_GLOBAL, false, "int", found), 1);
    cr_assert_eq(parts("nvidia-hopper", BL_MEMORY_GLOBAL, false, "int4", found), 1);
    cr_assert_eq(found[0].bytes, 16);
    cr_assert_eq(parts("nvidia-hopper", BL_MEMORY_GLOBAL, false, "float16", found), 4);
    cr_assert_eq(found[3].offset, 48);
    cr_assert_eq(parts("nvidia-hopper", BL_MEMORY_GLOBAL, false, "double16", found), 8);
    cr_assert_eq(found[7].bytes, 16);
    cr_assert_eq(parts("nvidia-hopper", BL_MEMORY_GLOBAL, false, "uchar16", found), 4);
    cr_assert_eq(found[1].offset, 4);
    cr_assert_eq(parts("nvidia-hopper", BL_MEMORY_GLOBAL, false, "int3", found), 2);
    cr_assert_eq(found[1].offset, 8);
    cr_assert_eq(found[1].bytes, 4);
    cr_assert_eq(parts("nvidia-hopper", BL_MEMORY_LOCAL, false, "int3", found), 1);
    cr_assert_eq(found[0].bytes, 16);
    cr_assert_eq(parts("nvidia-hopper", BL_MEMORY_LOCAL, true, "int3", found), 2);
    cr_assert_eq(parts("nvidia-hopper", BL_MEMORY_CONSTANT, false, "int3", found), 1);
    cr_assert_eq(parts("nvidia-hopper", BL_MEMORY_GLOBAL, false, "double3", found), 2);
    cr_assert_eq(parts("intel-gen9", BL_MEMORY_GLOBAL, false, "int3", found), 1);
    cr_assert_eq(found[0].bytes, 12);
}

Test(access, elements_whose_alignment_is_not_known_are_split_on_nvidia_in_global_memory)
{
    struct bl_part found[BL_MAX_PARTS];
    struct bl_type type = bl_type_int4;
    type.alignment = 4;
    const struct bl_machine *hopper = machine("nvidia-hopper"), *gen9 = machine("intel-gen9");
    cr_assert_eq(bl_parts_of(hopper, BL_MEMORY_GLOBAL, false, &type, found), 4);
    cr_assert_eq(found[3].offset, 12);
    cr_assert_eq(found[3].bytes, 4);
    cr_assert_eq(bl_parts_of(hopper, BL_MEMORY_GLOBAL, true, &type, found), 4);
    cr_assert_eq(bl_parts_of(hopper, BL_MEMORY_LOCAL, false, &type, found), 1);
    cr_assert_eq(bl_parts_of(gen9, BL_MEMORY_GLOBAL, false, &type, found), 1);
    type.alignment = 1;
    cr_assert_eq(bl_parts_of(hopper, BL_MEMORY_GLOBAL, false, &type, found), 16);
    cr_assert_eq(found[15].offset, 15);
    cr_assert_eq(found[15].bytes, 1);
    type.alignment = 8;
    cr_assert_eq(bl_parts_of(hopper, BL_MEMORY_GLOBAL, false, &type, found), 2);
    cr_assert_eq(found[1].bytes, 8);
    cr_assert_eq(bl_parts_of(gen9, BL_MEMORY_GLOBAL, false, &type, found), 1);
}

Test(access, types_have_opencls_sizes)
{
    struct bl_type type;
    cr_assert_eq(bl_type_named("ushort3", &type, NULL), BL_OK);
    cr_assert_eq(type.element_bytes, 8);
    cr_assert_eq(type.access_bytes, 6);
    cr_assert_str_eq(type.scalar, "ushort");
    cr_assert_eq(bl_type_named("uchar", &type, NULL), BL_OK);
    cr_assert_eq(type.element_bytes, 1);
    const char *const none[] = {"", "int1", "int5", "half", "Int", "float32", "int 2"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        cr_assert_eq(bl_type_named(none[i], &type, NULL), BL_USAGE, "%s", none[i]);
    struct bl_error error;
    cr_assert_eq(bl_type_named("itn4", &type, &error), BL_USAGE);
    cr_assert_str_eq(error.sentence, "unknown type 'itn4'; did you mean 'int4'?");
}

/* The unrolled reads of a request access different lines. A hash maps the lines to tag banks, so
 * the reads take different numbers of clocks. */
Test(predict, the_cost_is_the_mean_over_all_unrolled_reads_if_tag_banks_are_hashed)
{
    const struct bl_machine *nvidia = machine("nvidia-hopper");
    struct bl_launch launch =
        bl_launch_for(nvidia, BL_MEMORY_GLOBAL, &bl_type_int, (struct bl_shape){32, 1}, 1);
    launch.groups = 1;
    uint64_t starts[32];
    for (unsigned lane = 0; lane < 32; lane++)
        starts[lane] = 32 * (lane / 16) + lane; /* lines 0 and 1, then 1 and 2, ... */
    double expected = 0;
    for (unsigned read = 0; read < launch.unroll; read++)
        expected += 1 + (bl_tag_bank(nvidia, read) == bl_tag_bank(nvidia, read + 1));
    struct bl_prediction prediction;
    cr_assert_eq(bl_predict(nvidia, &launch, starts, &prediction), BL_OK);
    cr_assert_float_eq(prediction.clocks, expected / launch.unroll, 1e-12);
    cr_assert_float_eq(prediction.lines, 2, 0);
    cr_assert_gt(prediction.clocks, 1);
    cr_assert_lt(prediction.clocks, 2);
    /* the array's address determines which lines share a tag bank */
    launch.steps = 1;
    cr_assert_eq(bl_predict(nvidia, &launch, starts, &prediction), BL_OK);
    cr_assert_float_eq(prediction.clocks, 1, 0);
    launch.base_bytes = 128 * 7; /* lines 7 and 8 share a tag bank */
    cr_assert_eq(bl_predict(nvidia, &launch, starts, &prediction), BL_OK);
    cr_assert_float_eq(prediction.clocks, 2, 0);
}

Test(predict, the_cost_of_a_large_launch_is_estimated_from_a_sample_of_its_reads)
{
    const struct bl_machine *nvidia = machine("nvidia-hopper");
    struct bl_launch launch =
        bl_launch_for(nvidia, BL_MEMORY_GLOBAL, &bl_type_int, (struct bl_shape){32, 1}, 1);
    const size_t groups = 40000;
    uint64_t *starts = malloc(32 * groups * sizeof *starts);
    for (size_t item = 0; item < 32 * groups; item++)
        starts[item] = 32 * (item % 32 / 16) + item % 32;
    struct bl_prediction one, all;
    launch.groups = 1;
    cr_assert_eq(bl_predict(nvidia, &launch, starts, &one), BL_OK);
    launch.groups = groups;
    cr_assert_eq(bl_predict(nvidia, &launch, starts, &all), BL_OK);
    cr_assert_gt(one.clocks, 1.03);
    cr_assert_float_eq(all.clocks, one.clocks, 0.01, "%g, %g", all.clocks, one.clocks);
    free(starts);
}

Test(picture, a_picture_shows_lines_and_banks_and_passes)
{
    uint64_t addresses[16];
    for (unsigned lane = 0; lane < 16; lane++)
        addresses[lane] = lane < 12 ? 8 * lane : 0; /* every second word; lanes 12 to 15 read lane
                                                       0's word, too */
    const struct bl_request request = {BL_MEMORY_GLOBAL, false, 4, 16, addresses, false};
    struct bl_machine own = *machine("nvidia-hopper");
    own.line_bytes = 32;
    own.banks = 16;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    bl_picture(file, &own, &request);
    fclose(file);
    cr_assert(strstr(text, "  line A A A A B B B B C C C C A A A A\n"), "%s", text);
    cr_assert(strstr(text, "  bank 0 2 4 6 8 a c e 0 2 4 6 0 0 0 0\n"), "%s", text);
    cr_assert(strstr(text, "  pass 1 1 1 1 1 1 1 1 2 2 2 2 1 1 1 1\n"), "%s", text);
    free(text);
}

Test(picture, a_picture_shows_banks_whose_number_is_not_a_power_of_two)
{
    uint64_t addresses[4] = {4 * 23, 0, 4 * 46, 4 * 24};
    const struct bl_request request = {BL_MEMORY_LOCAL, false, 4, 4, addresses, false};
    struct bl_machine own = *machine("intel-gen9");
    own.banks = 23;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    bl_picture(file, &own, &request);
    fclose(file);
    cr_assert(strstr(text, "  bank 0 0 0 1\n"), "%s", text);
    cr_assert(strstr(text, "  pass 1 2 3 1\n"), "%s", text);
    free(text);
}

/* Tests the passes that were measured on an H200 for reads of 8 and 16 bytes
 * (results/rules/nvidia-h200-wide.csv). `elements` are the elements that the 32 lanes read. */
Test(access, wide_local_reads_that_share_elements_in_pairs_take_half_the_passes)
{
    static const struct {
        unsigned passes_8, passes_16, elements[32];
    } cases[] = {
#define EACH(f)                                                                   \
    {f(0),  f(1),  f(2),  f(3),  f(4),  f(5),  f(6),  f(7),  f(8),  f(9),  f(10), \
     f(11), f(12), f(13), f(14), f(15), f(16), f(17), f(18), f(19), f(20), f(21), \
     f(22), f(23), f(24), f(25), f(26), f(27), f(28), f(29), f(30), f(31)}
#define SAME(i) 0
#define OWN(i) (i)
#define HALF(i) ((i) / 2)
#define QUARTER(i) ((i) / 4)
#define TWO(i) ((i) % 2)
#define NEXT_BUT_ONE(i) ((i) / 4 * 2 + (i) % 2)
#define TWICE(i) ((i) % 16)
#define SWAPPED(i) ((i) ^ 1)
#define SHIFTED(i) (((i) + 1) / 2)
#define FAR(i) ((i) / 2 * 16)
#define UNEVEN(i) ((i) / 2 * 2 + (i) / 16)
        {1, 2, EACH(SAME)},    {2, 4, EACH(OWN)},     {1, 2, EACH(HALF)},
        {1, 2, EACH(QUARTER)}, {1, 2, EACH(TWO)},     {1, 2, EACH(NEXT_BUT_ONE)},
        {2, 4, EACH(TWICE)},   {2, 4, EACH(SWAPPED)}, {2, 4, EACH(SHIFTED)},
        {16, 16, EACH(FAR)},   {1, 4, EACH(UNEVEN)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (unsigned bytes = 8; bytes <= 16; bytes += 8) {
            uint64_t addresses[32];
            for (unsigned lane = 0; lane < 32; lane++)
                addresses[lane] = (uint64_t)bytes * cases[i].elements[lane];
            struct bl_request request = {BL_MEMORY_LOCAL, false, bytes, 32, addresses, false};
            struct bl_cost cost;
            cr_assert_eq(bl_cost_of(machine("nvidia-hopper"), &request, &cost), BL_OK);
            cr_expect_eq(cost.bank_passes, bytes == 8 ? cases[i].passes_8 : cases[i].passes_16,
                         "case %zu, %u bytes: %u passes", i, bytes, cost.bank_passes);
            if (i == 0) { /* for writes, and for reads of global memory, sharing saves no passes */
                request.is_write = true;
                cr_assert_eq(bl_cost_of(machine("nvidia-hopper"), &request, &cost), BL_OK);
                cr_expect_eq(cost.bank_passes, bytes / 4);
                request.is_write = false;
                request.memory = BL_MEMORY_GLOBAL;
                cr_assert_eq(bl_cost_of(machine("nvidia-hopper"), &request, &cost), BL_OK);
                cr_expect_eq(cost.bank_passes, bytes / 4);
            }
        }
}

Test(access, an_atomic_addition_takes_a_pass_for_each_lane_of_the_busiest_bank)
{
    static const struct {
        unsigned stride, words, lanes, passes; /* a lane accesses word `lane % words * stride` */
    } cases[] = {{1, 32, 32, 1},   {1, 1, 32, 32},  {1, 4, 32, 8}, {2, 32, 32, 2},
                 {32, 32, 32, 32}, {32, 2, 32, 32}, {1, 1, 7, 7},  {264, 32, 32, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t addresses[32];
        for (unsigned lane = 0; lane < 32; lane++)
            addresses[lane] = 4 * (uint64_t)(lane % cases[i].words * cases[i].stride);
        struct bl_request request = {BL_MEMORY_LOCAL, false, 4, cases[i].lanes, addresses, true};
        struct bl_cost cost;
        cr_assert_eq(bl_cost_of(machine("nvidia-hopper"), &request, &cost), BL_OK);
        cr_expect_eq(cost.clocks, cases[i].passes, "%zu: %u", i, cost.clocks);
        cr_assert_eq(bl_cost_of(machine("intel-gen9"), &request, &cost), BL_BAD_MACHINE);
        request.memory = BL_MEMORY_GLOBAL;
        cr_assert_eq(bl_cost_of(machine("nvidia-hopper"), &request, &cost), BL_BAD_MACHINE);
    }
}

/* bl_costs_of_moved computes the costs of a request at many distances. They must equal the costs of
 * the moved requests. Some distances are multiples of a line and of the bytes of all banks, others
 * are not, and some are very long. */
Test(access, costs_of_a_moved_request_are_those_of_a_request_at_the_moved_addresses)
{
    static const unsigned steps[] = {128, 384, 4096, 16, 65536};
    size_t machines;
    const struct bl_machine *all = bl_machines(&machines);
    uint64_t random = 1;
    for (size_t m = 0; m < machines; m++)
        for (unsigned trial = 0; trial < 400; trial++) {
            uint64_t addresses[BL_MAX_LANES], there[BL_MAX_LANES], distances[BL_MAX_UNROLL];
            const unsigned lanes = trial % 3 ? all[m].lanes : 1 + trial % all[m].lanes;
            for (unsigned lane = 0; lane < lanes; lane++) {
                random = random * 6364136223846793005u + 1442695040888963407u;
                addresses[lane] = (random >> 33) % (trial % 2 ? 1u << 18 : 1u << 30) & ~3u;
            }
            for (unsigned i = 0; i < BL_MAX_UNROLL; i++)
                distances[i] = i * 37 % 64 * steps[trial % 5];
            const struct bl_request request = {trial % 7 ? BL_MEMORY_GLOBAL : BL_MEMORY_LOCAL,
                                               trial % 4 == 0,
                                               4u << trial % 3,
                                               lanes,
                                               addresses,
                                               false};
            struct bl_request moved = request;
            moved.addresses_bytes = there;
            struct bl_cost costs[BL_MAX_UNROLL];
            const enum bl_status status =
                bl_costs_of_moved(&all[m], &request, distances, BL_MAX_UNROLL, costs);
            for (unsigned i = 0; i < BL_MAX_UNROLL; i++) {
                for (unsigned lane = 0; lane < lanes; lane++)
                    there[lane] = addresses[lane] + distances[i];
                struct bl_cost cost;
                const enum bl_status alone = bl_cost_of(&all[m], &moved, &cost);
                if (status == BL_OK)
                    cr_assert(alone == BL_OK && memcmp(&cost, &costs[i], sizeof cost) == 0,
                              "machine %s, trial %u, distance %u", all[m].name, trial, i);
            }
        }
}

Test(picture, a_picture_shows_the_parts_of_wide_accesses)
{
    uint64_t addresses[64];
    for (unsigned lane = 0; lane < 64; lane++)
        addresses[lane] = 16 * lane;
    const struct bl_request request = {BL_MEMORY_LOCAL, false, 16, 64, addresses, false};
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    bl_picture(file, machine("nvidia-hopper"), &request);
    bl_picture(file, machine("cpu"), &request);
    fclose(file);
    cr_assert_null(strstr(text, "cache line"));
    free(text);
    file = open_memstream(&text, &size);
    bl_picture(file, machine("nvidia-hopper"), &request);
    bl_picture_legend(file, machine("nvidia-hopper"), BL_MEMORY_GLOBAL, 80);
    fclose(file);
    char *legend = strstr(text, "line: lanes with the same letter share a cache line");
    cr_assert_not_null(legend, "%s", text);
    *legend = '\0';
    cr_assert_null(strstr(text, "line"));
    cr_assert(strstr(text, "  pass 1 1 1 1 1 1 1 1 2 2 2 2 2 2 2 2 3"), "%s", text);
    cr_assert(strstr(text, "  lane 32"), "%s", text);
    cr_assert(strstr(text, "  pass 5 5"), "%s", text);
    free(text);
}
