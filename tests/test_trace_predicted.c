/* Tests the predicted times of synthetic traces: the streams of operations of their sub-groups, how
 * a compiler changes these streams, and the times of launches. */
#include <math.h>

#include "trace/launch_blocks.h"
#include "trace/predicted.h"
#include "trace/streams.h"
#include "trace/suggest.h"
#include "trace_stream.h"

static struct bl_predicting predicting;
static unsigned registers_of_kernels;

/* Work-items per group. */
static uint64_t group_items = 32;

/* What the layer reports with the next launches: flags, and bytes of transfers. */
static uint64_t layer_flags;

static const char *name_of_kernel = "kernel";

static void put_launch(uint64_t groups)
{
    const struct bl_wire_kernel told = {
        {group_items * groups, 1, 1}, {group_items, 1, 1}, {groups, 1, 1}};
    put(BL_WIRE_KERNEL, 0, sizeof told + strlen(name_of_kernel), layer_flags);
    put_bytes(&told, sizeof told);
    put_bytes(name_of_kernel, strlen(name_of_kernel));
}

enum { FULL = 132 * 32 }; /* number of groups that fill the device */

static void begin_launch(uint64_t groups)
{
    stream_bytes = 0;
    put_hello();
    put_source(0, "one\ntwo\n");
    put_instruction(0, 1, 1, "input.cl");
    put_instruction(1, 2, 1, "input.cl");
    put_launch(groups);
}

static uint32_t local_bytes_of_groups;

/* Each work-item reads `rounds` elements, 4096 bytes apart, uses each, and writes one element. */
static void put_reads(uint64_t group, unsigned rounds)
{
    put(BL_WIRE_GROUP, 32, local_bytes_of_groups, group);
    for (uint32_t item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned i = 0; i < rounds; i++) {
            put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4,
                       buffer + 4 * (32 * group + item) + 4096 * i);
            put_work(0, 2, 1, false);
        }
        put_access(1, BL_WIRE_GLOBAL, BL_WIRE_WRITE, 4, 2 * buffer + 4 * (32 * group + item));
    }
    put(BL_WIRE_GROUP_END, 0, 0, 0);
}

static void end_launch(uint64_t groups)
{
    put(BL_WIRE_KERNEL_END, 0, 0, groups);
    put(BL_WIRE_END, 0, 0, 0);
}

static void read_predicted(const char *machine)
{
    FILE *file = tmpfile();
    cr_assert(file && fwrite(stream, 1, stream_bytes, file) == stream_bytes && fflush(file) == 0);
    cr_assert_eq(lseek(fileno(file), 0, SEEK_SET), 0);
    predicting = (struct bl_predicting){.registers = registers_of_kernels};
    trace = (struct bl_trace){.predicting = &predicting};
    cr_assert_eq(bl_machine_find(machine, &trace.machine, &error), BL_OK);
    const struct bl_trace_progress progress = {0};
    cr_assert_eq(bl_trace_read(fileno(file), &progress, &trace, &error), BL_OK, "%s",
                 error.sentence);
    fclose(file);
    cr_assert_eq(bl_trace_bound(&trace, &error), BL_OK);
    bl_predict_finish(&trace);
}

static void end_predicted(void)
{
    bl_trace_free(&trace);
    bl_predicting_free(&predicting);
}

/* How much longer a launch takes if the device has been idle for so long. */
static double waking_ns(const struct bl_machine *machine, double idle_ns)
{
    const double part = (idle_ns - machine->awake_ns) / (machine->asleep_ns - machine->awake_ns);
    return machine->first_launch_ns * pow(fmin(1, fmax(0, part)), 0.6);
}

/* How much longer the first launch of a program takes that copies nothing. */
static double first_waking_ns(const struct bl_machine *machine) { return waking_ns(machine, 8e6); }

Test(predicted, a_launch_takes_its_fixed_time_and_the_latency_of_memory)
{
    begin_launch(1);
    put_reads(0, 1);
    end_launch(1);
    read_predicted("nvidia-hopper");
    const struct bl_predicted *one = &trace.kernels[0].predicted;
    const struct bl_machine *machine = trace.machine;
    cr_assert_eq(one->launches, 1, "%s", one->why_not);
    const double about_ns =
        machine->launch_ns + first_waking_ns(machine) + machine->levels[BL_LEVEL_MEMORY].latency_ns;
    cr_expect_geq(one->first_ns, about_ns);
    cr_expect_leq(one->first_ns, about_ns + 350);
    cr_expect_lt(one->ns, machine->launch_ns + first_waking_ns(machine));
    cr_expect_leq(one->ns, one->first_ns, "later launches find data in the caches");
    cr_expect_leq(one->lo_ns, one->ns);
    cr_expect_geq(one->hi_ns, one->first_ns);
    cr_expect_eq(one->limited_by, BL_LIMIT_LAUNCH);
    end_predicted();
}

Test(predicted, rounds_overlap_as_far_as_a_compiler_unrolls)
{
    double ns[2];
    const unsigned rounds[2] = {4, 64};
    for (unsigned i = 0; i < 2; i++) {
        begin_launch(1);
        put_reads(0, rounds[i]);
        end_launch(1);
        read_predicted("nvidia-hopper");
        const struct bl_predicted *predicted = &trace.kernels[0].predicted;
        cr_assert_eq(predicted->launches, 1);
        ns[i] = predicted->first_ns - trace.machine->launch_ns;
        cr_expect_gt(predicted->hi_ns, 1.1 * predicted->first_ns,
                     "the interval includes the time without unrolling");
        ns[i] -= first_waking_ns(trace.machine);
        end_predicted();
    }
    cr_expect_gt(ns[1], 8 * ns[0]);
    cr_expect_lt(ns[1], 20 * ns[0]);
}

Test(predicted, addresses_of_untraced_groups_lie_between_those_of_traced_groups)
{
    const struct bl_wire_kernel launch = {{32 * 64, 1, 1}, {32, 1, 1}, {64, 1, 1}};
    struct bl_stream_array arrays[2][2] = {
        {{true, 1000, 0, {4, BL_NO_STRIDE, BL_NO_STRIDE}, false},
         {true, 0, 0, {4, BL_NO_STRIDE, BL_NO_STRIDE}, false}},
        {{true, 1000 + 63 * 128, 0, {4, BL_NO_STRIDE, BL_NO_STRIDE}, false},
         {true, 63 * 7, 0, {4, BL_NO_STRIDE, BL_NO_STRIDE}, false}}};
    struct bl_stream_group groups[2] = {{.index = 0, .arrays = arrays[0], .array_count = 2},
                                        {.index = 63, .arrays = arrays[1], .array_count = 2}};
    const struct bl_streams streams = {.groups = groups, .count = 2};
    struct bl_stream_shifts shifts;
    cr_assert(bl_stream_shifts_of(&streams, &launch, &shifts));
    cr_expect_eq(shifts.shifts[0].by[0], 128,
                 "the next group's addresses follow those of this group");
    cr_expect(shifts.shifts[0].is_exact);
    cr_expect_eq(shifts.shifts[1].by[0], 7, "the shift is unrelated to the work-items' stride");
    bl_stream_shifts_free(&shifts);
}

/* A volume whose groups are one row each: the strides along y and z are unknown. */
Test(predicted, groups_of_a_row_each_shift_by_rows_and_by_layers)
{
    const struct bl_wire_kernel launch = {{120, 10, 15}, {120, 1, 1}, {1, 10, 15}};
    struct bl_stream_array arrays[2] = {
        {true, 4096, 0, {4, BL_NO_STRIDE, BL_NO_STRIDE}, false},
        {true, 4096 + 512 * (9 + 14 * 10), 0, {4, BL_NO_STRIDE, BL_NO_STRIDE}, false}};
    struct bl_stream_group groups[2] = {{.index = 0, .arrays = &arrays[0], .array_count = 1},
                                        {.index = 149, .arrays = &arrays[1], .array_count = 1}};
    const struct bl_streams streams = {.groups = groups, .count = 2};
    struct bl_stream_shifts shifts;
    cr_assert(bl_stream_shifts_of(&streams, &launch, &shifts));
    cr_expect(shifts.shifts[0].is_sure && shifts.sharing[0].overlap == BL_TIME_APART);
    cr_expect_eq(shifts.shifts[0].by[1], 512);
    cr_expect_eq(shifts.shifts[0].by[2], 5120);
    bl_stream_shifts_free(&shifts);
    /* Each row has ten groups along x, and the rows follow each other along y. */
    const struct bl_wire_kernel rows = {{1200, 15, 1}, {120, 1, 1}, {10, 15, 1}};
    cr_assert(bl_stream_shifts_of(&streams, &rows, &shifts));
    cr_expect(shifts.shifts[0].is_exact && shifts.shifts[0].by[0] == 512 &&
              shifts.shifts[0].by[1] == 5120);
    bl_stream_shifts_free(&shifts);
    /* Rows cannot be 3 bytes apart. */
    arrays[1].base = 4096 + 3 * 149;
    cr_assert(bl_stream_shifts_of(&streams, &launch, &shifts));
    cr_expect_neq(shifts.shifts[0].by[1], 3);
    bl_stream_shifts_free(&shifts);
}

/* The groups at the grid's faces do not store, so only two of the four that were sampled do: too
 * few to tell the shifts along three dimensions. */
Test(predicted, an_instruction_of_few_groups_shifts_like_one_of_all_groups)
{
    const struct bl_wire_kernel launch = {{128, 128, 128}, {32, 1, 1}, {4, 128, 128}};
    const uint64_t by[3] = {2432, 9728, 1245184},
                   places[4][3] = {{0, 0, 0}, {1, 70, 30}, {2, 9, 99}, {3, 127, 127}};
    struct bl_stream_array arrays[4][2];
    struct bl_stream_group groups[4];
    for (unsigned g = 0; g < 4; g++) {
        const uint64_t *at = places[g];
        const uint64_t moved = by[0] * at[0] + by[1] * at[1] + by[2] * at[2];
        const bool is_inside = g == 1 || g == 2;
        arrays[g][0] = (struct bl_stream_array){
            is_inside, 50 * by[2] + moved, 0, {4, BL_NO_STRIDE, BL_NO_STRIDE}, false};
        arrays[g][1] =
            (struct bl_stream_array){true, 4096 + moved, 0, {4, BL_NO_STRIDE, BL_NO_STRIDE}, false};
        groups[g] = (struct bl_stream_group){
            .index = at[0] + 4 * (at[1] + 128 * at[2]),
            .arrays = arrays[g],
            .array_count = 2,
        };
    }
    const struct bl_streams streams = {.groups = groups, .count = 4};
    struct bl_stream_shifts shifts;
    cr_assert(bl_stream_shifts_of(&streams, &launch, &shifts));
    for (unsigned d = 0; d < 3; d++)
        cr_expect_float_eq(shifts.shifts[0].by[d], (double)by[d], 0.5, "along dimension %u: %g", d,
                           shifts.shifts[0].by[d]);
    cr_expect(shifts.shifts[0].is_sure && shifts.sharing[0].overlap == BL_TIME_APART);
    bl_stream_shifts_free(&shifts);
}

/* The first work-item is at the edge of the grid, and makes no access. */
Test(predicted, another_work_item_may_make_the_first_access_of_a_group)
{
    const struct bl_wire_kernel launch = {{128 * 10, 20, 1}, {128, 1, 1}, {10, 20, 1}};
    struct bl_stream_array arrays[3] = {{true, 8008, 1, {8, BL_NO_STRIDE, BL_NO_STRIDE}, false},
                                        {true, 80000, 0, {8, BL_NO_STRIDE, BL_NO_STRIDE}, false},
                                        {true, 160000, 0, {8, BL_NO_STRIDE, BL_NO_STRIDE}, false}};
    const uint64_t row = 12000;
    arrays[1].base = 8000 + 1024 * 3 + row * 7;
    arrays[2].base = 8000 + 1024 * 5 + row * 15;
    struct bl_stream_group groups[3] = {{.index = 0, .arrays = &arrays[0], .array_count = 1},
                                        {.index = 73, .arrays = &arrays[1], .array_count = 1},
                                        {.index = 155, .arrays = &arrays[2], .array_count = 1}};
    const struct bl_streams streams = {.groups = groups, .count = 3};
    struct bl_stream_shifts shifts;
    cr_assert(bl_stream_shifts_of(&streams, &launch, &shifts));
    cr_expect(shifts.shifts[0].is_sure);
    cr_expect_eq(shifts.shifts[0].by[0], 1024);
    cr_expect_eq(shifts.shifts[0].by[1], (double)row);
    bl_stream_shifts_free(&shifts);
    /* If indices depend on data, only groups with the same first work-item count. */
    arrays[0].base += 4444;
    cr_assert(bl_stream_shifts_of(&streams, &launch, &shifts));
    cr_expect(shifts.shifts[0].is_exact && !shifts.shifts[0].is_sure);
    bl_stream_shifts_free(&shifts);
}

Test(predicted, accesses_of_all_groups_may_begin_at_one_address)
{
    const struct bl_wire_kernel launch = {{32 * 64, 1, 1}, {32, 1, 1}, {64, 1, 1}};
    /* In each group, a different work-item accesses the first array, such as the one that found
     * something and sets a flag. */
    struct bl_stream_array arrays[2][3] = {
        {{true, 4096, 0, {BL_NO_STRIDE}, false}, {true, 0, 0, {4}, false}},
        {{true, 4096, 7, {BL_NO_STRIDE}, false}, {true, 9, 5, {4}, false}}};
    arrays[0][2] = arrays[0][0]; /* the second group does not have this one */
    struct bl_stream_group groups[2] = {{.index = 0, .arrays = arrays[0], .array_count = 3},
                                        {.index = 63, .arrays = arrays[1], .array_count = 2}};
    const struct bl_streams streams = {.groups = groups, .count = 2};
    struct bl_stream_shifts shifts;
    cr_assert(bl_stream_shifts_of(&streams, &launch, &shifts));
    cr_expect_eq(shifts.sharing[0].overlap, BL_TIME_TOGETHER);
    cr_expect_neq(shifts.sharing[1].overlap, BL_TIME_TOGETHER);
    cr_expect_neq(shifts.sharing[2].overlap, BL_TIME_TOGETHER, "one group shows nothing");
    cr_expect(shifts.shifts[2].is_exact && !shifts.shifts[2].is_sure);
    bl_stream_shifts_free(&shifts);
}

/* Three of 1000 groups were sampled; each updates a sector of one buffer, and in the last case one
 * of another, too, at addresses that depend on data. */
Test(predicted, updates_are_apart_if_distant_groups_update_distant_sectors)
{
    enum { SAMPLED = 3, BUFFERS = 2 };
    static const struct bl_time_op ops[BUFFERS] = {
        {.kind = BL_TIME_ATOMIC, .count = 1}, {.kind = BL_TIME_ATOMIC, .first = 1, .count = 1}};
    static const uint64_t indices[SAMPLED] = {0, 500, 999}, near[SAMPLED] = {0, 1760, 3200};
    static const struct {
        unsigned times, buffers;
        enum bl_time_overlap overlap;
    } cases[] = {
        {1, 1, BL_TIME_OVERLAP_UNKNOWN}, {10, 1, BL_TIME_APART}, {10, 2, BL_TIME_OVERLAP_UNKNOWN}};
    for (unsigned c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        uint64_t sectors[SAMPLED][BUFFERS];
        struct bl_time_stream updates[SAMPLED];
        struct bl_stream_array bases[SAMPLED];
        struct bl_stream_group sampled[SAMPLED];
        for (unsigned i = 0; i < SAMPLED; i++) {
            sectors[i][0] = (1 << 20) + cases[c].times * near[i];
            sectors[i][1] = sectors[i][0] + ((uint64_t)1 << BL_BUFFER_BITS);
            updates[i] = (struct bl_time_stream){
                .ops = ops, .count = cases[c].buffers, .sectors = sectors[i]};
            bases[i] =
                (struct bl_stream_array){.is_used = true,
                                         .base = sectors[i][0],
                                         .strides = {BL_NO_STRIDE, BL_NO_STRIDE, BL_NO_STRIDE}};
            sampled[i] = (struct bl_stream_group){.index = indices[i],
                                                  .streams = &updates[i],
                                                  .sub_groups = 1,
                                                  .arrays = &bases[i],
                                                  .array_count = 1};
        }
        const struct bl_streams streams = {.groups = sampled, .count = SAMPLED};
        const struct bl_wire_kernel launch = {{32000, 1, 1}, {32, 1, 1}, {1000, 1, 1}};
        struct bl_stream_shifts shifts;
        cr_assert(bl_stream_shifts_of(&streams, &launch, &shifts));
        cr_expect_eq(shifts.sharing[0].overlap, cases[c].overlap,
                     "%.1f bytes per group, %u buffers: %d", 3.2 * cases[c].times, cases[c].buffers,
                     shifts.sharing[0].overlap);
        bl_stream_shifts_free(&shifts);
    }
}

/* Each of 100 groups has four instructions. The first reads the same table in all groups. The
 * second reads two blocks that no other group reads. The third reads one block of the group and one
 * of the next group. The shift of the fourth is known from only one group. */
Test(predicted, blocks_that_groups_of_a_wave_share_are_counted)
{
    enum { GROUPS = 100, UNITS = 30, BLOCK = 64 };
    static const uint64_t sectors[] = {0,      64, 1 << 20, (1 << 20) + 64, 1 << 21, (1 << 21) + 64,
                                       1 << 22};
    struct bl_time_op ops[7];
    for (unsigned i = 0; i < 7; i++)
        ops[i] = (struct bl_time_op){.kind = BL_TIME_LOAD, .array = i / 2, .first = i, .count = 1};
    struct bl_time_stream reads = {.ops = ops, .count = 7, .sectors = sectors};
    struct bl_stream_group group = {.streams = &reads, .sub_groups = 1};
    const struct bl_streams streams = {.groups = &group, .count = 1};
    struct bl_stream_shift shifts[] = {{true, true, {0}, 0},
                                       {true, true, {2 * BLOCK}, 0},
                                       {true, true, {BLOCK}, 0},
                                       {true, false, {0}, 0}};
    struct bl_time_sharing sharing[4] = {{0}};
    struct bl_launch_groups groups = {.launch = {{GROUPS, 1, 1}, {1, 1, 1}, {GROUPS, 1, 1}},
                                      .streams = &streams,
                                      .count = GROUPS,
                                      .units = UNITS,
                                      .shifts = {4, shifts, sharing}};
    struct bl_l2_left left = {0};
    struct bl_launch_blocks blocks = {.left = &left, .capacity = 1e6, .block_bytes = BLOCK};
    cr_assert(bl_launch_blocks_find(&blocks, &groups, 80));
    /* The wave in the middle of the launch counts: the first wave, with 80 groups. The second wave
     * has only the groups 80 to 99. */
    cr_expect_float_eq(sharing[0].units, UNITS, 1e-9, "all units, but not more: %g",
                       sharing[0].units);
    cr_expect_float_eq(sharing[1].units, 1, 1e-9, "%g", sharing[1].units);
    /* All but the first and the last of the wave's 81 blocks are shared by two groups. */
    cr_expect_float_eq(sharing[2].units, 160 / 81.0, 1e-9, "%g", sharing[2].units);
    cr_expect_eq(sharing[3].units, 0, "only one group shows the shift");
    bl_launch_blocks_free(&blocks);
}

/* The launch has ten rows of 30 groups; each unit runs a column. The first group and the middle one
 * are sampled. The first instruction reads a block of the group's column, and the second a block of
 * its row. The third begins at the same block in all groups, but goes on elsewhere. */
Test(predicted, units_that_share_a_block_are_counted_once)
{
    enum { UNITS = 30, ROWS = 10, GROUPS = UNITS * ROWS, BLOCK = 64, OPS = 5 };
    const uint64_t column = 1 << 20, row = 1 << 21, root = 1 << 22;
    const uint64_t sectors[2][OPS] = {
        {column, row, root, root + 1000 * BLOCK, root + 3000 * BLOCK},
        {column, row + ROWS / 2 * BLOCK, root, root + 2000 * BLOCK, root + 5000 * BLOCK}};
    struct bl_time_op ops[OPS];
    for (unsigned i = 0; i < OPS; i++)
        ops[i] = (struct bl_time_op){
            .kind = BL_TIME_LOAD, .array = i < 2 ? i : 2, .first = i, .count = 1};
    const struct bl_time_stream reads[2] = {{.ops = ops, .count = OPS, .sectors = sectors[0]},
                                            {.ops = ops, .count = OPS, .sectors = sectors[1]}};
    struct bl_stream_group sampled[2] = {
        {.index = 0, .streams = (struct bl_time_stream *)&reads[0], .sub_groups = 1},
        {.index = GROUPS / 2, .streams = (struct bl_time_stream *)&reads[1], .sub_groups = 1}};
    const struct bl_streams streams = {.groups = sampled, .count = 2};
    struct bl_stream_shift shifts[] = {
        {true, true, {BLOCK}, 0}, {true, true, {0, BLOCK}, 0}, {true, true, {0}, 0}};
    struct bl_time_sharing sharing[3] = {{0}};
    struct bl_launch_groups groups = {.launch = {{UNITS, ROWS, 1}, {1, 1, 1}, {UNITS, ROWS, 1}},
                                      .streams = &streams,
                                      .count = GROUPS,
                                      .units = UNITS,
                                      .shifts = {3, shifts, sharing}};
    struct bl_l2_left left = {0};
    struct bl_launch_blocks blocks = {.left = &left, .capacity = 1e6, .block_bytes = BLOCK};
    cr_assert(bl_launch_blocks_find(&blocks, &groups, GROUPS));
    cr_expect_float_eq(sharing[0].units, 1, 1e-9, "a unit runs all groups of a column: %g",
                       sharing[0].units);
    cr_expect_float_eq(sharing[1].units, UNITS, 1e-9, "%g", sharing[1].units);
    cr_expect_eq(sharing[2].units, 0, "only the first access is shared: %g", sharing[2].units);
    bl_launch_blocks_free(&blocks);
}

/* Each group reads the block of its row. The first group, at the grid's edge, reads nothing. */
Test(predicted, shared_blocks_are_counted_though_the_first_group_does_not_read_them)
{
    enum { UNITS = 30, ROWS = 10, GROUPS = UNITS * ROWS, BLOCK = 64 };
    static const uint64_t sectors[2] = {1 << 20, (1 << 20) + ROWS / 2 * BLOCK};
    static const struct bl_time_op op = {.kind = BL_TIME_LOAD, .count = 1};
    struct bl_time_stream none = {0}, reads[2] = {{.ops = &op, .count = 1, .sectors = &sectors[0]},
                                                  {.ops = &op, .count = 1, .sectors = &sectors[1]}};
    struct bl_stream_array unused = {0}, used = {.is_used = true};
    struct bl_stream_group sampled[3] = {
        {.streams = &none, .sub_groups = 1, .arrays = &unused, .array_count = 1},
        {.index = 7, .streams = &reads[0], .sub_groups = 1, .arrays = &used, .array_count = 1},
        {.index = GROUPS / 2,
         .streams = &reads[1],
         .sub_groups = 1,
         .arrays = &used,
         .array_count = 1}};
    const struct bl_streams streams = {.groups = sampled, .count = 3};
    struct bl_stream_shift shift = {true, true, {0, BLOCK}, 0};
    struct bl_time_sharing sharing = {0};
    struct bl_launch_groups groups = {.launch = {{UNITS, ROWS, 1}, {1, 1, 1}, {UNITS, ROWS, 1}},
                                      .streams = &streams,
                                      .count = GROUPS,
                                      .units = UNITS,
                                      .shifts = {1, &shift, &sharing}};
    struct bl_l2_left left = {0};
    struct bl_launch_blocks blocks = {.left = &left, .capacity = 1e6, .block_bytes = BLOCK};
    cr_assert(bl_launch_blocks_find(&blocks, &groups, GROUPS));
    cr_expect_float_eq(sharing.units, UNITS, 1e-9, "%g", sharing.units);
    bl_launch_blocks_free(&blocks);
}

Test(predicted, rows_and_columns_of_a_tile_shift_along_their_own_dimension)
{
    /* Accesses a[row][k] and b[k][column] of a matrix product with 1024 columns, in groups of 16 x
     * 16. Only the first and the last group are traced. */
    const struct bl_wire_kernel launch = {{1024, 512, 1}, {16, 16, 1}, {64, 32, 1}};
    struct bl_stream_array arrays[2][2] = {
        {{true, 0, 0, {4, 4096, BL_NO_STRIDE}, false},
         {true, 0, 0, {4, 4096, BL_NO_STRIDE}, false}},
        {{true, (uint64_t)31 * 16 * 4096, 0, {4, 4096, BL_NO_STRIDE}, false},
         {true, (uint64_t)63 * 16 * 4, 0, {4, 4096, BL_NO_STRIDE}, false}}};
    struct bl_stream_group groups[2] = {
        {.index = 0, .arrays = arrays[0], .array_count = 2},
        {.index = 64 * 32 - 1, .arrays = arrays[1], .array_count = 2}};
    const struct bl_streams streams = {.groups = groups, .count = 2};
    struct bl_stream_shifts shifts;
    cr_assert(bl_stream_shifts_of(&streams, &launch, &shifts));
    cr_expect_eq(shifts.shifts[0].by[0], 0);
    cr_expect_eq(shifts.shifts[0].by[1], 16 * 4096);
    cr_expect_eq(shifts.shifts[1].by[0], 64);
    cr_expect_eq(shifts.shifts[1].by[1], 0);
    bl_stream_shifts_free(&shifts);
}

Test(predicted, a_group_may_read_more_rows_than_it_has_rows_of_work_items)
{
    /* The kernel reads `in[row + y][column + x]` of an array with 8192 columns. A group has 8 rows
     * of work-items, and reads 32 rows of the array. */
    const struct bl_wire_kernel launch = {{8192, 2048, 1}, {32, 8, 1}, {256, 256, 1}};
    struct bl_stream_array arrays[2][1] = {
        {{true, 0, 0, {4, 32768, BL_NO_STRIDE}, false}},
        {{true, 255 * (uint64_t)(128 + 32 * 32768), 0, {4, 32768, BL_NO_STRIDE}, false}}};
    struct bl_stream_group groups[2] = {{.index = 0, .arrays = arrays[0], .array_count = 1},
                                        {.index = 65535, .arrays = arrays[1], .array_count = 1}};
    const struct bl_streams streams = {.groups = groups, .count = 2};
    struct bl_stream_shifts shifts;
    cr_assert(bl_stream_shifts_of(&streams, &launch, &shifts));
    cr_expect_eq(shifts.shifts[0].by[0], 128);
    cr_expect_eq(shifts.shifts[0].by[1], 32 * 32768);
    bl_stream_shifts_free(&shifts);
}

static unsigned count_waits_before_loads(const struct bl_time_stream *made, unsigned loads)
{
    unsigned waits = 0;
    for (size_t i = 0; i < made->count && loads > 0; i++) {
        waits += made->ops[i].kind == BL_TIME_WAIT;
        loads -= made->ops[i].kind == BL_TIME_LOAD;
    }
    return waits;
}

Test(predicted, a_compiler_keeps_elements_in_registers_that_overlapping_rounds_read_again)
{
    /* Each round reads three neighbours, and the next round reads two of them again. */
    struct bl_time_op ops[64];
    size_t count = 0;
    const unsigned rounds = 8;
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t k = 0; k < 3; k++)
            ops[count++] = (struct bl_time_op){
                .kind = BL_TIME_LOCAL_LOAD, .array = k, .place = 1 + 2 * (round + k)};
        for (uint32_t k = 0; k < 3; k++)
            ops[count++] = (struct bl_time_op){.kind = BL_TIME_WAIT, .array = k, .count = 3 - k};
    }
    const struct bl_time_stream written = {.ops = ops, .count = count};
    /* As written, each round has three loads. Unrolled by four, four rounds need six loads. */
    const unsigned expected[2] = {3 * rounds, 2 * 6};
    for (unsigned how = 0; how < 2; how++) {
        const struct bl_compiled compiler = {how ? 4 : 1, BL_MAX_IN_FLIGHT, false};
        struct bl_time_stream made;
        cr_assert(bl_stream_compile(&written, &compiler, &made));
        unsigned loads = 0;
        for (size_t i = 0; i < made.count; i++) {
            const struct bl_time_op *op = &made.ops[i];
            loads += op->kind == BL_TIME_LOCAL_LOAD;
            if (op->kind == BL_TIME_WAIT)
                cr_expect(op->count >= 1 && op->count <= loads,
                          "waits only for loads that were kept");
        }
        cr_expect_eq(loads, expected[how], "%u", how);
        bl_stream_free_compiled(&made);
    }
    /* If there is a barrier between rounds, other work-items may have written the elements. */
    for (size_t i = 3; i < count; i += 6)
        ops[i].kind = BL_TIME_BARRIER;
    const struct bl_compiled compiler = {4, BL_MAX_IN_FLIGHT, false};
    struct bl_time_stream made;
    cr_assert(bl_stream_compile(&written, &compiler, &made));
    unsigned loads = 0;
    for (size_t i = 0; i < made.count; i++)
        loads += made.ops[i].kind == BL_TIME_LOCAL_LOAD;
    cr_expect_eq(loads, 3 * rounds);
    bl_stream_free_compiled(&made);
}

/* The number of operations of this kind after compilation. unrolled: rounds that the compiler
 * overlaps. */
static unsigned left(const struct bl_time_op ops[], size_t count, unsigned unrolled,
                     enum bl_time_kind kind)
{
    const struct bl_time_stream written = {.ops = ops, .count = count};
    const struct bl_compiled compiler = {unrolled, BL_MAX_IN_FLIGHT, false};
    struct bl_time_stream made;
    unsigned found = 0;
    cr_assert(bl_stream_compile(&written, &compiler, &made));
    for (size_t i = 0; i < made.count; i++)
        found += made.ops[i].kind == kind;
    bl_stream_free_compiled(&made);
    return found;
}

Test(predicted, a_loop_that_is_unrolled_completely_keeps_values_in_registers)
{
    /* Each iteration reads three neighbours; two of them were read in the iteration before. */
    struct bl_time_op ops[48];
    size_t count = 0;
    const unsigned iterations = 8;
    for (uint32_t i = 0; i < iterations; i++) {
        for (uint32_t k = 0; k < 3; k++)
            ops[count++] = (struct bl_time_op){
                .kind = BL_TIME_LOCAL_LOAD, .array = k, .place = 1 + 2 * (i + k)};
        for (uint32_t k = 0; k < 3; k++)
            ops[count++] = (struct bl_time_op){
                .kind = BL_TIME_WAIT, .array = k, .count = 3 - k, .is_unrolled = true};
    }
    cr_expect_eq(left(ops, count, 4, BL_TIME_LOCAL_LOAD), iterations + 2);
    cr_expect_eq(left(ops, count, 1, BL_TIME_LOCAL_LOAD), 3 * iterations);
}

Test(predicted, registers_keep_the_values_that_were_read_last)
{
    /* One element is read again and again, between elements that are read once; then the first of
     * these is read again. */
    struct bl_time_op ops[200 + 1];
    for (uint32_t i = 0; i < 200; i++)
        ops[i] = (struct bl_time_op){
            .kind = BL_TIME_LOCAL_LOAD, .array = i % 2, .place = i % 2 ? 1000 + i : 1};
    ops[200] = (struct bl_time_op){.kind = BL_TIME_LOCAL_LOAD, .array = 2, .place = 1001};
    cr_expect_eq(left(ops, 200, 4, BL_TIME_LOCAL_LOAD), 1 + 100);
    cr_expect_eq(left(ops, 201, 4, BL_TIME_LOCAL_LOAD), 1 + 100 + 1);
}

Test(predicted, a_compiler_keeps_a_sum_in_a_register_unless_something_may_alias_it)
{
    enum { ROUNDS = 8 };
    const struct bl_time_op other_load = {.kind = BL_TIME_LOCAL_LOAD, .array = 1},
                            load = {.kind = BL_TIME_LOAD, .array = 0, .place = 5},
                            wait = {.kind = BL_TIME_WAIT, .array = 0, .count = 1},
                            store = {.kind = BL_TIME_STORE, .array = 2, .place = 5};
    struct bl_time_op ops[4 * ROUNDS];
    for (unsigned i = 0; i < ROUNDS; i++) {
        ops[4 * i] = other_load;
        ops[4 * i + 1] = load;
        ops[4 * i + 2] = wait;
        ops[4 * i + 3] = store;
    }
    cr_expect_eq(left(ops, 4 * ROUNDS, 4, BL_TIME_STORE), 1);
    cr_expect_eq(left(ops, 4 * ROUNDS, 4, BL_TIME_LOAD), 1);
    cr_expect_eq(left(ops, 4 * ROUNDS, 4, BL_TIME_WAIT), 1);
    cr_expect_eq(left(ops, 4 * ROUNDS, 1, BL_TIME_STORE), ROUNDS,
                 "without unrolling all stores remain");
    for (unsigned i = 0; i < ROUNDS; i++)
        ops[4 * i] = (struct bl_time_op){.kind = BL_TIME_LOAD, .array = 1, .place = 100 + i};
    cr_expect_eq(left(ops, 4 * ROUNDS, 4, BL_TIME_STORE), ROUNDS,
                 "another array may overlap the stored one");
    for (unsigned i = 0; i < ROUNDS; i++)
        ops[4 * i] = (struct bl_time_op){.kind = BL_TIME_BARRIER};
    cr_expect_eq(left(ops, 4 * ROUNDS, 4, BL_TIME_STORE), ROUNDS,
                 "other work-items may read the sum");
}

Test(predicted, a_compiler_moves_loads_up_but_not_past_a_store_or_an_address)
{
    const struct bl_time_op load = {.kind = BL_TIME_LOAD},
                            wait = {.kind = BL_TIME_WAIT, .count = 1},
                            firm = {.kind = BL_TIME_WAIT, .count = 1, .is_firm = true},
                            store = {.kind = BL_TIME_STORE};
    const struct bl_time_op plain[] = {load, wait, load, wait, load, wait, load, wait},
                            stored[] = {load, wait, store, load, wait, store},
                            addressed[] = {load, firm, load, firm};
    const struct bl_time_stream streams[] = {
        {.ops = plain, .count = 8}, {.ops = stored, .count = 6}, {.ops = addressed, .count = 4}};
    const unsigned expected[3][2] = {
        {3, 0}, {1, 1}, {1, 1}}; /* waits before the last load, without and with unrolling */
    const unsigned loads[3] = {4, 2, 2};
    for (unsigned i = 0; i < 3; i++)
        for (unsigned how = 0; how < 2; how++) {
            const struct bl_compiled compiler = {how ? 4 : 1, BL_MAX_IN_FLIGHT, false};
            struct bl_time_stream made;
            cr_assert(bl_stream_compile(&streams[i], &compiler, &made));
            cr_expect_eq(made.count, streams[i].count);
            cr_expect_eq(count_waits_before_loads(&made, loads[i]), expected[i][how], "%u %u", i,
                         how);
            bl_stream_free_compiled(&made);
        }
}

/* Checks the order of the operations after compilation: l and s are a load and a store of local
 * memory, L and S are those of global memory, w is a wait, and b a barrier. */
static void expect_order(const struct bl_time_op ops[], size_t count, struct bl_compiled compiler,
                         const char *expected)
{
    static const char letters[] = {
        [BL_TIME_WAIT] = 'w',        [BL_TIME_LOAD] = 'L',  [BL_TIME_LOCAL_LOAD] = 'l',
        [BL_TIME_LOCAL_STORE] = 's', [BL_TIME_STORE] = 'S', [BL_TIME_BARRIER] = 'b'};
    const struct bl_time_stream written = {.ops = ops, .count = count};
    struct bl_time_stream made;
    char order[64] = "";
    cr_assert(bl_stream_compile(&written, &compiler, &made));
    for (size_t i = 0; i < made.count && i < sizeof order - 1; i++)
        order[i] = letters[made.ops[i].kind];
    cr_expect_str_eq(order, expected);
    bl_stream_free_compiled(&made);
}

Test(predicted, a_loop_whose_rounds_cannot_be_counted_is_not_unrolled)
{
    /* Two loads per round; both are in flight together. */
    const struct bl_time_op load = {.kind = BL_TIME_LOAD, .array = 0},
                            other = {.kind = BL_TIME_LOAD, .array = 1},
                            wait = {.kind = BL_TIME_WAIT,
                                    .array = 0,
                                    .count = 1,
                                    .is_rolled = true},
                            later = {
                                .kind = BL_TIME_WAIT, .array = 1, .count = 1, .is_rolled = true};
    const struct bl_time_op ops[] = {load, wait, other, later, load, wait, other, later};
    expect_order(ops, 8, (struct bl_compiled){4, 8, false}, "LLwwLLww");
    expect_order(ops, 8, (struct bl_compiled){4, 8, true}, "LLLLwwww");
}

Test(predicted, a_compiler_keeps_a_limited_number_of_loads_in_flight)
{
    struct bl_time_op ops[8];
    for (uint32_t i = 0; i < 4; i++) {
        ops[2 * i] = (struct bl_time_op){.kind = BL_TIME_LOAD, .array = i};
        ops[2 * i + 1] = (struct bl_time_op){.kind = BL_TIME_WAIT, .array = i, .count = 1};
    }
    expect_order(ops, 8, (struct bl_compiled){4, 8, false}, "LLLLwwww");
    expect_order(ops, 8, (struct bl_compiled){4, 2, false}, "LLwLwLww");
}

Test(predicted, a_compiler_keeps_as_many_loads_in_flight_as_iterations_it_runs_at_once)
{
    struct bl_time_op ops[8];
    for (uint32_t i = 0; i < 4; i++) {
        ops[2 * i] = (struct bl_time_op){.kind = BL_TIME_LOAD, .at_once = 2};
        ops[2 * i + 1] = (struct bl_time_op){.kind = BL_TIME_WAIT, .count = 1};
    }
    expect_order(ops, 8, (struct bl_compiled){4, 8, false}, "LLwwLLww");
    expect_order(ops, 8, (struct bl_compiled){4, 8, true}, "LLLLwwww");
    /* More than usual, if the number of iterations is known when the kernel is compiled. */
    for (uint32_t i = 0; i < 4; i++)
        ops[2 * i].at_once = 4;
    expect_order(ops, 8, (struct bl_compiled){2, 2, false}, "LLLLwwww");
    for (uint32_t i = 0; i < 4; i++)
        ops[2 * i].at_once = 0;
    expect_order(ops, 8, (struct bl_compiled){2, 8, false}, "LLwwLLww");
}

/* The iterations of a loop that is not unrolled read the same element, which a compiler loads
 * before the loop. In the last operations, something may have overwritten it. */
Test(predicted, a_compiler_moves_a_load_of_the_same_element_out_of_a_loop)
{
    const struct bl_time_op load = {.kind = BL_TIME_LOAD},
                            again = {.kind = BL_TIME_LOAD, .is_again = true},
                            wait = {.kind = BL_TIME_WAIT, .is_rolled = true, .count = 1},
                            local = {.kind = BL_TIME_LOCAL_STORE, .array = 1},
                            barrier = {.kind = BL_TIME_BARRIER, .array = 1};
    struct bl_time_op ops[] = {load, wait, again, wait, again, wait, local, again, wait};
    for (unsigned unrolled = 1; unrolled <= 4; unrolled *= 4) {
        const struct bl_compiled how = {unrolled, 8, false};
        expect_order(ops, 6, how, "Lwww");
        ops[6] = local; /* cannot overwrite an element of global memory */
        expect_order(ops, 9, how, unrolled == 1 ? "Lwwwsw" : "Lwwwws");
        ops[6] = barrier;
        expect_order(ops, 9, how, "LwwwbLw");
    }
    ops[2] = ops[4] = load;
    expect_order(ops, 6, (struct bl_compiled){4, 8, false}, "LwLwLw");
}

/* The iterations of a loop store to the same element; only the last store remains. After a barrier,
 * or if another store may have overwritten the element, the loop runs again. */
Test(predicted, a_compiler_moves_a_store_to_the_same_element_out_of_a_loop)
{
    const struct bl_time_op store = {.kind = BL_TIME_LOCAL_STORE},
                            again = {.kind = BL_TIME_LOCAL_STORE, .is_again = true},
                            other = {.kind = BL_TIME_LOCAL_STORE, .array = 1},
                            barrier = {.kind = BL_TIME_BARRIER, .array = 1};
    const struct bl_compiled how = {4, 8, false};
    struct bl_time_op ops[] = {store, again, again, barrier, again, again};
    expect_order(ops, 3, how, "s");
    expect_order(ops, 6, how, "sbs");
    ops[3] = other;
    expect_order(ops, 6, how, "sss");
    ops[1] = ops[2] = store;
    expect_order(ops, 3, how, "sss");
}

/* In each iteration, an element is loaded that is the index of another one. */
Test(predicted, a_compiler_loads_the_indices_of_several_iterations_first)
{
    const struct bl_time_op load = {.kind = BL_TIME_LOAD},
                            firm = {.kind = BL_TIME_WAIT,
                                    .is_firm = true,
                                    .is_early = true,
                                    .count = 1},
                            other = {.kind = BL_TIME_LOAD, .array = 1},
                            wait = {.kind = BL_TIME_WAIT, .array = 1, .count = 1},
                            stored = {.kind = BL_TIME_LOCAL_STORE, .array = 2},
                            barrier = {.kind = BL_TIME_BARRIER, .array = 2};
    const struct bl_compiled usual = {4, 8, false};
    const struct bl_time_op gather[] = {load, firm, other, wait, load, firm, other, wait};
    expect_order(gather, 8, usual, "LLwLwLww");
    expect_order(gather, 8, (struct bl_compiled){1, 8, false}, "LwLwLwLw");
    const struct bl_time_op counted[] = {load, firm, stored, load, firm, stored};
    expect_order(counted, 6, usual, "LLwsws");
    const struct bl_time_op apart[] = {load, firm, stored, barrier, load, firm, stored};
    expect_order(apart, 7, usual, "LwsbLws");
    struct bl_time_op single = load, rolled = firm, behind = firm;
    single.at_once = 1;
    rolled.is_rolled = behind.is_behind = true;
    const struct bl_time_op one[] = {single, firm, stored, single, firm, stored};
    expect_order(one, 6, usual, "LwsLws");
    const struct bl_time_op alone[] = {load, rolled, stored, load, rolled, stored};
    expect_order(alone, 6, usual, "LwsLws");
    const struct bl_time_op branched[] = {load, behind, stored, load, behind, stored};
    expect_order(branched, 6, usual, "LwsLws");
    struct bl_time_op chased = firm; /* the address depends on the value that was loaded before */
    chased.is_early = false;
    const struct bl_time_op chain[] = {load, chased, stored, load, chased, stored};
    expect_order(chain, 6, usual, "LwsLws");
    const struct bl_time_op many[] = {load, firm, stored, load, firm, stored, load, firm, stored};
    expect_order(many, 9, (struct bl_compiled){4, 2, false}, "LLwswsLws");
}

/* Each iteration has a load, and then loads behind a branch that a device executes. */
Test(predicted, loads_behind_a_branch_are_waited_for_before_its_end)
{
    const struct bl_time_op load = {.kind = BL_TIME_LOAD},
                            wait = {.kind = BL_TIME_WAIT, .is_firm = true, .count = 1},
                            behind = {.kind = BL_TIME_LOCAL_LOAD, .array = 1},
                            wait_behind = {
                                .kind = BL_TIME_WAIT, .is_behind = true, .array = 1, .count = 1};
    const struct bl_time_op ops[] = {load, wait, behind, wait_behind,
                                     load, wait, behind, wait_behind};
    expect_order(ops, 8, (struct bl_compiled){4, 8, false}, "LwlwLwlw");
    expect_order(ops, 8, (struct bl_compiled){4, 8, true}, "LwlLwlww");
    struct bl_time_op other = behind, wait_other = wait_behind;
    other.array = wait_other.array = 2;
    const struct bl_time_op alone[] = {behind, wait_behind, other, wait_other,
                                       behind, wait_behind, other, wait_other};
    expect_order(alone, 8, (struct bl_compiled){4, 8, false}, "llwwllww");
}

/* Each load delivers four elements, each of which is waited for. */
Test(predicted, a_compiler_keeps_a_limited_number_of_elements_in_flight)
{
    const struct bl_time_op load = {.kind = BL_TIME_LOCAL_LOAD},
                            wait = {.kind = BL_TIME_WAIT, .count = 1};
    const struct bl_time_op ops[] = {load, wait, wait, wait, wait, load, wait, wait,
                                     wait, wait, load, wait, wait, wait, wait};
    expect_order(ops, 15, (struct bl_compiled){4, 8, false}, "llwwwwwwwwlwwww");
}

Test(predicted, loads_of_global_memory_overtake_stores_to_local_memory)
{
    const struct bl_time_op load = {.kind = BL_TIME_LOAD},
                            wait = {.kind = BL_TIME_WAIT, .count = 1},
                            store = {.kind = BL_TIME_LOCAL_STORE, .array = 1},
                            local = {.kind = BL_TIME_LOCAL_LOAD, .array = 2},
                            barrier = {.kind = BL_TIME_BARRIER};
    const struct bl_time_op tile[] = {load, wait, store, load, wait, store, barrier, local},
                            mixed[] = {load, wait, store, local, load};
    expect_order(tile, 8, (struct bl_compiled){4, 8, false}, "LLwwssbl");
    expect_order(tile, 8, (struct bl_compiled){1, 1, false}, "LwsLwsbl");
    expect_order(mixed, 5, (struct bl_compiled){4, 8, false}, "LwslL");
}

Test(predicted, loads_pass_stores_of_earlier_iterations)
{
    const struct bl_compiled compiler = {4, 8, false};
    for (int is_local = 0; is_local < 2; is_local++) {
        const struct bl_time_op load = {.kind = is_local ? BL_TIME_LOCAL_LOAD : BL_TIME_LOAD,
                                        .passes_stores = true},
                                stays = {.kind = load.kind, .array = 2},
                                wait = {.kind = BL_TIME_WAIT, .count = 1},
                                store = {.kind = is_local ? BL_TIME_LOCAL_STORE : BL_TIME_STORE,
                                         .array = 1};
        const struct bl_time_op ops[] = {load, wait, store, load, wait, store, stays};
        const char *passing[] = {"LLwwSSL", "llwwssl"}, *written[] = {"LwSLwSL", "lwslwsl"};
        expect_order(ops, 7, compiler, passing[is_local]);
        expect_order(ops, 7, (struct bl_compiled){1, 1, false}, written[is_local]);
    }
}

Test(predicted, loads_of_private_arrays_wait_for_what_is_stored_to_one)
{
    const struct bl_compiled compiler = {4, 8, false};
    const struct bl_time_op load = {.kind = BL_TIME_LOAD, .place = 7, .is_private = true},
                            store = {.kind = BL_TIME_STORE, .array = 1, .is_private = true};
    const struct bl_time_op wait = {.kind = BL_TIME_WAIT, .count = 1};
    struct bl_time_op ops[] = {load, wait, store, load, wait, store, load, wait};
    expect_order(ops, 8, compiler, "LSwLSwLw");
    ops[0].passes_stores = ops[3].passes_stores = ops[6].passes_stores = true;
    expect_order(ops, 8, compiler, "LSwLSwLw");
    ops[0].is_private = ops[3].is_private = ops[6].is_private = false;
    expect_order(ops, 8, compiler, "LSSwww");
}

Test(predicted, a_register_has_what_the_iteration_before_stored)
{
    const struct bl_compiled compiler = {4, 8, false};
    for (int is_local = 0; is_local < 2; is_local++) {
        struct bl_time_op ops[6] = {
            {.kind = is_local ? BL_TIME_LOCAL_STORE : BL_TIME_STORE, .array = 1, .place = 5},
            {.kind = is_local ? BL_TIME_LOCAL_LOAD : BL_TIME_LOAD,
             .passes_stores = true,
             .place = 5},
            {.kind = BL_TIME_WAIT, .count = 1},
            {.kind = is_local ? BL_TIME_LOCAL_STORE : BL_TIME_STORE, .array = 1, .place = 6}};
        const char *kept[] = {"SS", "ss"}, *loaded[] = {"SLwS", "slws"},
                   *after[] = {"SbLw", "sblw"};
        expect_order(ops, 4, compiler, kept[is_local]);
        expect_order(ops, 4, (struct bl_compiled){1, 1, false}, loaded[is_local]);
        ops[1].place = 7;
        expect_order(ops, 4, compiler, loaded[is_local]);
        ops[1].place = 5;
        ops[1].passes_stores = false;
        expect_order(ops, 4, compiler, loaded[is_local]);
        ops[3] = ops[2];
        ops[2] = ops[1];
        ops[2].passes_stores = true;
        ops[1] = (struct bl_time_op){.kind = BL_TIME_BARRIER};
        expect_order(ops, 4, compiler, after[is_local]);
    }
}

/* The time of the first launch of a kernel that reads 128 bytes. Before the launch, the host
 * writes `bytes` bytes from the same address on, and then bytes_elsewhere bytes elsewhere. */
static double first_after(uint64_t bytes, uint64_t bytes_elsewhere)
{
    begin_launch(1);
    stream_bytes -= sizeof(struct bl_wire_record) + sizeof(struct bl_wire_kernel) + 6;
    if (bytes > 0)
        put(BL_WIRE_HOST, 0, bytes, buffer);
    if (bytes_elsewhere > 0)
        put(BL_WIRE_HOST, 0, bytes_elsewhere, 4 * buffer);
    put_launch(1);
    put_reads(0, 1);
    end_launch(1);
    read_predicted("nvidia-hopper");
    const double first_ns = trace.kernels[0].predicted.first_ns;
    end_predicted();
    return first_ns;
}

Test(predicted, a_first_launch_finds_in_L2_what_the_host_wrote_last)
{
    const uint64_t mib = 1 << 20;
    const double memory_ns = first_after(0, 0), l2_ns = first_after(4096, 0);
    cr_expect_float_eq(memory_ns - l2_ns, 198, 2, "the difference of latencies: %g, %g", memory_ns,
                       l2_ns);
    cr_expect_float_eq(first_after(4096, 16 * mib), l2_ns, 1, "L2 has space for both");
    cr_expect_float_eq(first_after(4096, 128 * mib), memory_ns, 1,
                       "later writes of the host replace what it wrote before");
}

Test(predicted, what_the_host_writes_replaces_nothing_that_launches_left_in_L2)
{
    enum { CAPACITY = 30000, TOUCHED = 20000, AT = 50000, BLOCK_BYTES = 128 };
    struct bl_l2_left left = {0};
    cr_assert(bl_l2_left_begin(&left, 1));
    for (uint64_t block = 0; block < TOUCHED; block++) /* a launch */
        cr_assert(bl_l2_left_add(&left, block));
    const uint64_t written = CAPACITY; /* 4000 of these fit */
    cr_assert(bl_l2_left_write(&left, BLOCK_BYTES, (uint64_t)AT * BLOCK_BYTES,
                               written * BLOCK_BYTES, CAPACITY));
    cr_expect_gt(bl_l2_left_part(&left, AT, 1000, CAPACITY), 0.99);
    cr_expect_gt(bl_l2_left_part(&left, AT + 3999, 1000, CAPACITY), 0.99);
    cr_expect_gt(bl_l2_left_part(&left, 0, 0, CAPACITY), 0.99, "the write replaced nothing");
    cr_expect_eq(bl_l2_left_part(&left, AT + 4000, 0, CAPACITY), 0, "L2 had no space left");
    cr_assert(bl_l2_left_begin(&left, 1));
    for (uint64_t block = 100000; block < 102000; block++) /* leaves no space for the host */
        cr_assert(bl_l2_left_add(&left, block));
    bl_l2_left_end(&left);
    cr_assert(bl_l2_left_write(&left, BLOCK_BYTES, 0, BLOCK_BYTES, CAPACITY));
    cr_expect_gt(bl_l2_left_part(&left, 0, 10000, CAPACITY), 0.99, "the block was in L2 already");
    cr_assert(bl_l2_left_begin(&left, 1));
    for (uint64_t block = 200000; block < 200000 + 2 * CAPACITY; block++) /* another launch */
        cr_assert(bl_l2_left_add(&left, block));
    bl_l2_left_end(&left);
    cr_assert(bl_l2_left_write(&left, BLOCK_BYTES, 0, BLOCK_BYTES, CAPACITY));
    cr_expect_lt(bl_l2_left_part(&left, 0, 0, CAPACITY), 0.01, "the block is no longer in L2");
    bl_l2_left_free(&left);
}

Test(predicted, adjacent_writes_of_the_host_are_one_period)
{
    enum { WRITES = 64, BLOCK_BYTES = 128, CAPACITY = 1000 };
    struct bl_l2_left left = {0};
    for (uint64_t at = 0; at < WRITES; at++) /* of 4 bytes each; they touch two blocks */
        cr_assert(bl_l2_left_write(&left, BLOCK_BYTES, 4096 + 4 * at, 4, CAPACITY));
    cr_expect_eq(left.period_count, 1);
    cr_expect_float_eq(left.periods[0].blocks, 2, 1e-9);
    cr_expect_gt(bl_l2_left_part(&left, 4096 / BLOCK_BYTES + 1, 0, CAPACITY), 0.99);
    cr_assert(bl_l2_left_write(&left, BLOCK_BYTES, 0, 4, CAPACITY));
    cr_expect_eq(left.period_count, 2, "another range");
    cr_assert(bl_l2_left_begin(&left, 1)); /* a launch */
    cr_assert(bl_l2_left_write(&left, BLOCK_BYTES, 4, 4, CAPACITY));
    cr_expect_eq(left.period_count, 4, "after a launch");
    bl_l2_left_free(&left);
}

/* The time of the first launch of a kernel that reads two arrays of 40 MiB from their beginnings to
 * their ends. The host may have written the second array before. */
static double first_of_two_arrays(bool is_written)
{
    enum { GROUPS = 5120, LINES = 64, LINE_BYTES = 128 };
    begin_launch(GROUPS);
    stream_bytes -= sizeof(struct bl_wire_record) + sizeof(struct bl_wire_kernel) + 6;
    if (is_written)
        put(BL_WIRE_HOST, 0, GROUPS * LINES * LINE_BYTES, 2 * buffer);
    put_launch(GROUPS);
    for (uint64_t group = 0; group < GROUPS; group += GROUPS - 1) {
        put(BL_WIRE_GROUP, 32, 0, group);
        for (uint32_t item = 0; item < 32; item++) {
            put_item(item);
            for (unsigned i = 0; i < 2 * LINES; i++)
                put_access(i % 2, BL_WIRE_GLOBAL, BL_WIRE_READ, 4,
                           (1 + i % 2) * buffer + LINE_BYTES * (LINES * group + i / 2) + 4 * item);
        }
        put(BL_WIRE_GROUP_END, 0, 0, 0);
    }
    end_launch(GROUPS);
    read_predicted("nvidia-hopper");
    const double first_ns = trace.kernels[0].predicted.first_ns;
    end_predicted();
    return first_ns;
}

/* L2 holds about 48 MiB, but the first array evicts most of the second before it is read. */
Test(predicted, a_launch_evicts_what_the_host_wrote)
{
    const double written_ns = first_of_two_arrays(true), ns = first_of_two_arrays(false);
    cr_expect_float_eq(written_ns, ns, 0.12 * ns, "%g and %g ns", written_ns, ns);
}

static uint32_t chains_of(const struct bl_time_stream *made)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < made->count; i++)
        sum += made->ops[i].kind == BL_TIME_WORK ? made->ops[i].chain : 0;
    return sum;
}

Test(predicted, overlapping_rounds_wait_only_for_values_carried_between_them)
{
    const struct bl_time_op load = {.kind = BL_TIME_LOAD},
                            wait = {.kind = BL_TIME_WAIT, .count = 1},
                            firm = {.kind = BL_TIME_WAIT, .count = 1, .is_firm = true},
                            store = {.kind = BL_TIME_STORE},
                            work = {.kind = BL_TIME_WORK, .issued = 20, .chain = 10, .carried = 1};
    const struct bl_time_op plain[] = {load, wait, work, load, wait, work,
                                       load, wait, work, load, wait, work},
                            stored[] = {load, wait, work, store, load, wait, work, store},
                            addressed[] = {load, firm, work, load, firm, work};
    const struct bl_time_stream streams[] = {
        {.ops = plain, .count = 12}, {.ops = stored, .count = 8}, {.ops = addressed, .count = 6}};
    /* without unrolling, unrolled by two, and unrolled by four */
    const uint32_t expected[3][3] = {{40, 22, 13}, {20, 20, 20}, {20, 20, 20}};
    for (unsigned i = 0; i < 3; i++)
        for (unsigned how = 0; how < 3; how++) {
            const struct bl_compiled compiler = {1u << how, BL_MAX_IN_FLIGHT, false};
            struct bl_time_stream made;
            cr_assert(bl_stream_compile(&streams[i], &compiler, &made));
            cr_expect_eq(chains_of(&made), expected[i][how], "%u %u: %u", i, how, chains_of(&made));
            bl_stream_free_compiled(&made);
        }
}

Test(predicted, kernels_without_a_rule_have_a_reason_instead_of_a_prediction)
{
    begin_launch(1);
    put_reads(0, 1);
    end_launch(1);
    read_predicted("intel-gen9");
    cr_expect_eq(trace.kernels[0].predicted.launches, 0);
    cr_assert_not_null(trace.kernels[0].predicted.why_not);
    cr_expect(strstr(trace.kernels[0].predicted.why_not, "the machine"));
    end_predicted();
}

Test(predicted, work_without_a_group_or_load_is_an_invalid_trace)
{
    begin_launch(1);
    put_work(0, 1, 1, false);
    cr_expect_eq(read_all("nvidia-hopper"), BL_BAD_FORMAT);
    bl_trace_free(&trace);
    begin_launch(1);
    put(BL_WIRE_GROUP, 32, 0, 0);
    put_item(0);
    put_work(7, 1, 1, false);
    cr_expect_eq(read_all("nvidia-hopper"), BL_BAD_FORMAT);
    bl_trace_free(&trace);
}

Test(predicted, the_first_launch_of_a_program_starts_on_an_idle_device)
{
    begin_launch(1);
    for (unsigned i = 0; i < 8; i++) {
        if (i > 0)
            put_launch(1);
        put_reads(0, 1);
        put(BL_WIRE_KERNEL_END, 0, 0, 1);
    }
    put_kernel(0, "other", 32, 1);
    put_reads(0, 1);
    end_launch(1);
    read_predicted("nvidia-hopper");
    cr_assert_eq(trace.kernel_count, 2);
    const struct bl_predicted *one = &trace.kernels[0].predicted,
                              *other = &trace.kernels[1].predicted;
    const double idle_ns = first_waking_ns(trace.machine);
    cr_assert_gt(idle_ns, 1000);
    cr_expect_gt(one->first_ns, idle_ns + trace.machine->launch_ns);
    cr_expect_geq(one->hi_ns, one->first_ns, "the interval includes the first launch");
    cr_expect_float_eq(one->ns, other->ns, 0.05 * other->ns,
                       "the usual time excludes the program's first launch");
    cr_expect_lt(other->first_ns, idle_ns);
    end_predicted();
}

Test(predicted, a_launch_after_a_build_finds_the_device_idle)
{
    static const uint64_t flags[] = {0, BL_WIRE_IDLE, BL_WIRE_IDLE | BL_WIRE_QUEUED};
    double ns[3];
    for (unsigned i = 0; i < 3; i++) {
        begin_launch(1);
        put_reads(0, 1);
        put(BL_WIRE_KERNEL_END, 0, 0, 1);
        layer_flags = flags[i];
        name_of_kernel = "other";
        put_launch(1);
        layer_flags = 0;
        name_of_kernel = "kernel";
        put_reads(0, 1);
        end_launch(1);
        read_predicted("nvidia-hopper");
        cr_assert_eq(trace.kernel_count, 2);
        ns[i] = trace.kernels[1].predicted.first_ns;
        if (i > 0)
            cr_expect_float_eq(ns[i], ns[0] + waking_ns(trace.machine, 2e6), 1, "%g and %g ns",
                               ns[i], ns[0]);
        end_predicted();
    }
}

Test(predicted, an_interval_allows_for_differences_between_launches_of_one_kernel)
{
    begin_launch(1);
    put_reads(0, 1);
    end_launch(1);
    read_predicted("nvidia-hopper");
    const struct bl_machine *machine = trace.machine;
    const struct bl_predicted *predicted = &trace.kernels[0].predicted;
    cr_assert_lt(machine->launch_least_ns, machine->launch_ns);
    cr_assert_gt(machine->launch_most_ns, machine->launch_ns);
    cr_expect_leq(predicted->lo_ns,
                  0.9 * predicted->ns - (machine->launch_ns - machine->launch_least_ns));
    cr_expect_geq(predicted->hi_ns,
                  1.1 * predicted->first_ns + machine->launch_most_ns - machine->launch_ns);
    cr_assert_gt(machine->first_launch_most_ns, machine->first_launch_ns);
    cr_expect_geq(predicted->hi_ns, 1.1 * predicted->first_ns + machine->first_launch_most_ns -
                                        machine->first_launch_ns);
    end_predicted();
}

Test(predicted, an_interval_allows_for_other_numbers_of_instructions)
{
    begin_launch(1);
    for (unsigned launch = 0; launch < 8; launch++) {
        if (launch > 0)
            put_launch(1);
        put(BL_WIRE_GROUP, 32, 0, 0);
        for (uint32_t item = 0; item < 32; item++) {
            put_item(item);
            put_work(BL_WIRE_NONE, 20000, 20000, false);
            put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 4 * item);
        }
        put(BL_WIRE_GROUP_END, 0, 0, 0);
        put(BL_WIRE_KERNEL_END, 0, 0, 1);
    }
    put(BL_WIRE_END, 0, 0, 0);
    read_predicted("nvidia-hopper");
    const struct bl_predicted *predicted = &trace.kernels[0].predicted;
    cr_assert_eq(predicted->limited_by, BL_LIMIT_ARITHMETIC);
    const double arithmetic_ns = 20000 * trace.machine->float_ns,
                 slow_ns = trace.machine->first_launch_most_ns - trace.machine->first_launch_ns;
    cr_expect_geq(predicted->hi_ns, predicted->first_ns + 0.5 * arithmetic_ns + slow_ns);
    cr_expect_leq(predicted->lo_ns, predicted->ns - 0.3 * arithmetic_ns);
    cr_expect_geq(predicted->lo_ns, 0.5 * predicted->ns);
    end_predicted();
}

/* Before each launch after the first, the host copies this many bytes and computes for so long. */
static uint64_t copied_before, computed_before_ns;

/* Predicts four launches in which each work-item reads `rounds` elements. flags: what the layer
 * reports with each launch. */
static struct bl_predicted predict_four(unsigned rounds, uint64_t flags, const char *machine)
{
    layer_flags = flags;
    begin_launch(1);
    for (unsigned i = 0; i < 4; i++) {
        if (i > 0) {
            put(BL_WIRE_HOST_WORK, 0, computed_before_ns, copied_before);
            put_launch(1);
        }
        put_reads(0, rounds);
        put(BL_WIRE_KERNEL_END, 0, 0, 1);
    }
    put(BL_WIRE_END, 0, 0, 0);
    read_predicted(machine);
    const struct bl_predicted predicted = trace.kernels[0].predicted;
    end_predicted();
    layer_flags = 0;
    return predicted;
}

/* A program fills a buffer, waits, and launches its first kernel, also if it has just built it. */
Test(predicted, a_device_that_has_filled_a_buffer_is_awake)
{
    const double asleep_ns = predict_four(1, 0, "nvidia-hopper").first_ns,
                 awake_ns = predict_four(1, BL_WIRE_WORKED, "nvidia-hopper").first_ns,
                 built_ns =
                     predict_four(1, BL_WIRE_WORKED | BL_WIRE_IDLE, "nvidia-hopper").first_ns;
    const struct bl_machine *machine;
    cr_assert_eq(bl_machine_find("nvidia-hopper", &machine, &error), BL_OK);
    cr_expect_float_eq(asleep_ns - awake_ns, first_waking_ns(machine), 1);
    cr_expect_float_eq(built_ns, awake_ns, 1);
}

static double share_sum(const struct bl_predicted *predicted)
{
    double sum = 0;
    for (unsigned i = 0; i < BL_LIMITS; i++)
        sum += predicted->shares[i];
    return sum;
}

Test(predicted, a_launch_that_waits_behind_others_takes_less_time)
{
    const struct bl_machine *machine;
    cr_assert_eq(bl_machine_find("nvidia-hopper", &machine, &error), BL_OK);
    const double saved = machine->launch_ns - machine->queued_launch_ns;
    cr_assert_gt(saved, 1000);
    const struct bl_predicted waits = predict_four(256, 0, "nvidia-hopper"),
                              queued = predict_four(256, BL_WIRE_QUEUED, "nvidia-hopper"),
                              brief = predict_four(1, BL_WIRE_QUEUED, "nvidia-hopper");
    cr_assert_gt(waits.ns, machine->enqueue_ns, "the host is faster than the device");
    cr_assert_lt(waits.first_ns, machine->first_enqueue_ns, "but not with the first launch");
    cr_expect_eq(waits.queued, 0);
    cr_expect_eq(queued.queued, 2, "the second launch finds the device idle");
    cr_expect_float_eq(waits.ns - queued.ns, saved * 2 / 3, 1, "of the three after the first");
    cr_expect_float_eq(waits.lo_ns - queued.lo_ns, saved * 2 / 3, 1);
    cr_expect_float_eq(queued.first_ns, waits.first_ns, 1);
    cr_expect_float_eq(share_sum(&queued), 1, 1e-9);
    cr_expect_leq(queued.lo_ns, queued.ns);
    cr_assert_lt(brief.ns, machine->enqueue_ns, "the device is faster than the host");
    cr_assert_lt(brief.first_ns, machine->first_enqueue_ns);
    cr_expect_eq(brief.queued, 0, "the first launch keeps the host longer than the device");
}

Test(predicted, a_launch_waits_behind_a_large_transfer)
{
    const uint64_t large = 8 << 20, small = 4096;
    const struct bl_predicted waits = predict_four(1, 0, "nvidia-hopper"),
                              behind =
                                  predict_four(1, large << BL_WIRE_LAYER_BITS, "nvidia-hopper"),
                              not_behind =
                                  predict_four(1, small << BL_WIRE_LAYER_BITS, "nvidia-hopper");
    cr_expect_eq(behind.queued, 4);
    cr_expect_eq(not_behind.queued, 0);
    cr_expect_lt(behind.first_ns, waits.first_ns - 10000, "the device is not idle");
    const struct bl_machine *machine;
    cr_assert_eq(bl_machine_find("nvidia-hopper", &machine, &error), BL_OK);
    cr_expect_float_eq(waits.ns - behind.ns, machine->launch_ns - machine->queued_launch_ns, 1);
    cr_expect_float_eq(not_behind.first_ns, waits.first_ns - first_waking_ns(machine), 1,
                       "a transfer wakes up the device, too");
}

Test(predicted, a_first_launch_of_a_kernel_saves_nothing_behind_a_short_transfer)
{
    const uint64_t bytes = 1 << 20;
    const struct bl_predicted behind =
                                  predict_four(1, bytes << BL_WIRE_LAYER_BITS, "nvidia-hopper"),
                              waits = predict_four(1, 0, "nvidia-hopper");
    cr_expect_eq(behind.queued, 3);
    cr_expect_eq(behind.is_first_queued, 0);
    const struct bl_machine *machine;
    cr_assert_eq(bl_machine_find("nvidia-hopper", &machine, &error), BL_OK);
    cr_expect_float_eq(behind.first_ns, waits.first_ns - first_waking_ns(machine), 1);
}

Test(predicted, a_device_falls_asleep_while_the_host_copies)
{
    static const uint64_t bytes[] = {0, 100000, 4000000, 16000000, 1u << 30};
    const struct bl_machine *machine;
    cr_assert_eq(bl_machine_find("nvidia-hopper", &machine, &error), BL_OK);
    struct bl_predicted awake = {0};
    for (unsigned i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        copied_before = bytes[i];
        const struct bl_predicted predicted = predict_four(1, 0, "nvidia-hopper");
        copied_before = 0;
        awake = i == 0 ? predicted : awake;
        const double more_ns = predicted.ns - awake.ns;
        cr_expect_float_eq(more_ns, waking_ns(machine, (double)bytes[i] / 5.5), 50,
                           "%g ns after %llu bytes", more_ns, (unsigned long long)bytes[i]);
        cr_expect_float_eq(predicted.first_ns, awake.first_ns, 1);
        cr_expect_geq(predicted.hi_ns, predicted.ns);
        cr_expect_float_eq(share_sum(&predicted), 1, 1e-9);
        cr_expect((more_ns == 0) == (bytes[i] <= 100000), "100 KB take some 20 us");
    }
    copied_before = 5500000, computed_before_ns = 3000000;
    cr_expect_float_eq(predict_four(1, 0, "nvidia-hopper").ns - awake.ns, waking_ns(machine, 4e6),
                       50, "the device is idle while the host copies and computes");
    copied_before = computed_before_ns = 0;
    cr_expect_float_eq(predict_four(1, BL_WIRE_IDLE, "nvidia-hopper").ns,
                       awake.ns + waking_ns(machine, 2e6), 1, "as after two milliseconds");
    copied_before = 8000000;
    cr_expect_float_eq(
        predict_four(1, BL_WIRE_QUEUED | (uint64_t)64 << 20 << BL_WIRE_LAYER_BITS, "nvidia-hopper")
            .ns,
        awake.ns - machine->launch_ns + machine->queued_launch_ns, 1,
        "the device is busy while the host copies");
    cr_expect_float_eq(
        predict_four(1, BL_WIRE_QUEUED | (uint64_t)1 << 20 << BL_WIRE_LAYER_BITS, "nvidia-hopper")
            .ns,
        awake.ns + waking_ns(machine, 8e6 / 5.5 - (1 << 20) / 25.0), 50,
        "a short transfer ends before the host's copies");
    copied_before = 0;
}

Test(predicted, kernels_of_applications_take_longer_than_test_kernels)
{
    const struct bl_machine *h100;
    cr_assert_eq(bl_machine_find("nvidia-h100", &h100, &error), BL_OK);
    cr_assert_gt(h100->kernel_more_ns, 100);
    const struct bl_predicted one = predict_four(1, 0, "nvidia-h100");
    cr_expect_gt(one.ns, h100->launch_ns + h100->kernel_more_ns);
    cr_expect_lt(one.ns, h100->launch_ns + h100->kernel_more_ns + 600);
    cr_expect_float_eq(share_sum(&one), 1, 1e-9);
}

Test(predicted, the_interval_includes_a_first_launch_that_does_less)
{
    layer_flags = (uint64_t)1 << BL_WIRE_LAYER_BITS; /* a transfer of one byte before the first
                                                        launch wakes up the device */
    begin_launch(1);
    layer_flags = 0;
    put_reads(0, 1);
    put(BL_WIRE_KERNEL_END, 0, 0, 1);
    for (unsigned i = 0; i < 3; i++) {
        put_launch(1);
        put_reads(0, 192);
        put(BL_WIRE_KERNEL_END, 0, 0, 1);
    }
    put(BL_WIRE_END, 0, 0, 0);
    read_predicted("nvidia-hopper");
    const struct bl_predicted *predicted = &trace.kernels[0].predicted;
    cr_expect_leq(predicted->lo_ns, predicted->first_ns);
    cr_expect_leq(predicted->first_ns, predicted->hi_ns);
    end_predicted();
}

Test(predicted, the_time_of_many_launches_is_that_of_the_last_ones)
{
    begin_launch(1);
    put_reads(0, 4);
    put(BL_WIRE_KERNEL_END, 0, 0, 1);
    for (unsigned i = 1; i < 8; i++) {
        put_launch(1);
        put_reads(0, 4);
        put(BL_WIRE_KERNEL_END, 0, 0, 1);
    }
    put(BL_WIRE_END, 0, 0, 0);
    read_predicted("nvidia-hopper");
    const struct bl_predicted *predicted = &trace.kernels[0].predicted;
    cr_expect_eq(predicted->launches, 4, "launches 1, 2, 4 and 8 are simulated");
    cr_expect_lt(predicted->ns, predicted->first_ns, "L2 holds what the first launch read");
    end_predicted();
}

/* Records `count` launches of one group, and ends the stream. In launch i, each work-item reads
 * rounds[i] elements. */
static void put_launches(const unsigned rounds[], unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (i > 0)
            put_launch(1);
        put_reads(0, rounds[i]);
        put(BL_WIRE_KERNEL_END, 0, 0, 1);
    }
    put(BL_WIRE_END, 0, 0, 0);
}

Test(predicted, each_launch_is_represented_by_the_simulated_one_that_is_most_like_it)
{
    static const unsigned all[3][8] = {{4, 4}, {256, 256}, {256, 4, 4, 256, 4, 256, 250, 4}};
    double ns[3];
    for (unsigned i = 0; i < 3; i++) {
        const unsigned count = i < 2 ? 2 : 8;
        begin_launch(1);
        put_launches(all[i], count);
        read_predicted("nvidia-hopper");
        const struct bl_predicted *predicted = &trace.kernels[0].predicted;
        cr_expect_eq(predicted->launches, i < 2 ? 2 : 4);
        cr_expect_eq(predicted->weight, count - 1, "the first launch has a time of its own");
        ns[i] = predicted->ns;
        end_predicted();
    }
    const double expected = (4 * ns[0] + 3 * ns[1]) / 7;
    cr_expect_float_eq(ns[2], expected, 0.02 * expected, "%g; %g and %g", ns[2], ns[0], ns[1]);
}

Test(predicted, a_launch_that_differs_from_all_simulated_ones_is_simulated_too)
{
    static const unsigned rounds[] = {4, 4, 256, 4, 256};
    begin_launch(1);
    put_launches(rounds, 5);
    read_predicted("nvidia-hopper");
    cr_expect_eq(trace.kernels[0].predicted.launches, 4, "launches 1, 2, 3 and 4");
    end_predicted();
}

Test(predicted, a_launch_without_traced_groups_is_like_the_latest_simulated_one)
{
    static const unsigned rounds[] = {4, 256};
    double ns[2];
    for (unsigned i = 0; i < 2; i++) {
        begin_launch(1);
        for (unsigned k = 0; k < 2 + 20 * i; k++) {
            if (k > 0)
                put_launch(1);
            if (k < 2)
                put_reads(0, rounds[k]);
            put(BL_WIRE_KERNEL_END, 0, 0, 1);
        }
        put(BL_WIRE_END, 0, 0, 0);
        read_predicted("nvidia-hopper");
        cr_expect_eq(trace.kernels[0].predicted.weight, 1 + 20 * i);
        ns[i] = trace.kernels[0].predicted.ns;
        end_predicted();
    }
    cr_expect_float_eq(ns[1], ns[0], 0.01 * ns[0], "%g %g", ns[0], ns[1]);
}

Test(predicted, no_more_launches_are_simulated_because_they_differ_once_24_are)
{
    enum { LAUNCHES = 40 };
    begin_launch(1);
    for (unsigned i = 0; i < LAUNCHES; i++) {
        if (i > 0)
            put_launch(1);
        put(BL_WIRE_GROUP, 1, 0, 0);
        put_item(0);
        for (unsigned k = 0; k < 9 * exp(0.26 * (i < 28 ? i : 0)); k++)
            put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer);
        put(BL_WIRE_GROUP_END, 0, 0, 0);
        put(BL_WIRE_KERNEL_END, 0, 0, 1);
    }
    put(BL_WIRE_END, 0, 0, 0);
    read_predicted("nvidia-hopper");
    cr_expect_eq(trace.kernels[0].predicted.launches, 24 + 1, "and the 32nd");
    cr_expect_eq(trace.kernels[0].predicted.weight, LAUNCHES - 1);
    end_predicted();
}

Test(predicted, each_operation_that_is_not_simulated_has_its_own_reason)
{
    static const struct {
        uint8_t kind;
        const char *reason;
    } happened[] = {{BL_WIRE_COPY, "async_work_group_copy"}, {BL_WIRE_IMAGES, "images"}};
    for (size_t i = 0; i < sizeof happened / sizeof *happened; i++) {
        begin_launch(1);
        put(BL_WIRE_GROUP, 32, 0, 0);
        put_item(0);
        put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer);
        put(happened[i].kind, 0, 0, 64);
        put(BL_WIRE_GROUP_END, 0, 0, 0);
        end_launch(1);
        read_predicted("nvidia-hopper");
        const struct bl_predicted *predicted = &trace.kernels[0].predicted;
        cr_expect_eq(predicted->launches, 0);
        cr_assert_not_null(predicted->why_not, "%s", happened[i].reason);
        cr_expect(strstr(predicted->why_not, happened[i].reason), "%s", predicted->why_not);
        end_predicted();
    }
}

Test(predicted, a_launch_without_a_traced_group_has_no_time)
{
    begin_launch(4);
    end_launch(4);
    read_predicted("nvidia-hopper");
    cr_expect_eq(trace.kernels[0].predicted.launches, 0);
    cr_assert_not_null(trace.kernels[0].predicted.why_not);
    cr_expect(strstr(trace.kernels[0].predicted.why_not, "none of its groups was traced"));
    end_predicted();
}

/* If the budget is used up or Ctrl-C is pressed, the trace may end in the middle of a group. */
Test(predicted, an_incomplete_launch_is_predicted_from_its_complete_groups)
{
    double ns[2];
    for (unsigned is_cut = 0; is_cut < 2; is_cut++) {
        begin_launch(64);
        put_reads(0, 4);
        if (is_cut) {
            put(BL_WIRE_GROUP, 32, 0, 63);
            put_item(0);
            put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer);
        } else
            end_launch(64);
        read_predicted("nvidia-hopper");
        cr_assert_eq(trace.kernels[0].predicted.launches, 1, "%s",
                     trace.kernels[0].predicted.why_not);
        ns[is_cut] = trace.kernels[0].predicted.ns;
        end_predicted();
    }
    cr_expect_float_eq(ns[0], ns[1], 1e-6, "%g and %g ns", ns[0], ns[1]);

    begin_launch(64);
    put(BL_WIRE_GROUP, 32, 0, 0);
    put_item(0);
    put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer);
    read_predicted("nvidia-hopper");
    cr_expect_eq(trace.kernels[0].predicted.launches, 0);
    cr_expect_str_eq(trace.kernels[0].predicted.why_not,
                     "its launch was cut short within its first traced group");
    end_predicted();
}

/* Work-items read 200 elements each; the plugin reports the first `share` of each. */
static void read_beginning(uint32_t share, unsigned left_out)
{
    begin_launch(FULL);
    put_reads(0, share - 1);
    stream_bytes -= sizeof(struct bl_wire_record);
    put(BL_WIRE_GROUP_END, share, 0, left_out);
    end_launch(FULL);
    read_predicted("nvidia-hopper");
}

Test(predicted, a_launch_of_which_the_limit_leaves_only_the_beginning_has_no_time)
{
    read_beginning(63, 137 * 32);
    cr_expect_eq(trace.kernels[0].predicted.launches, 0);
    cr_assert_not_null(trace.kernels[0].predicted.why_not);
    cr_expect(strstr(trace.kernels[0].predicted.why_not, "at least 64 of each work-item"), "%s",
              trace.kernels[0].predicted.why_not);
    end_predicted();

    read_beginning(64, 136 * 32);
    cr_expect_eq(trace.kernels[0].predicted.launches, 1, "64 accesses of each work-item suffice");
    end_predicted();

    read_beginning(4, 3 * 32);
    cr_expect_eq(trace.kernels[0].predicted.launches, 1, "half of the accesses suffice");
    end_predicted();
}

Test(predicted, a_group_of_more_sub_groups_than_a_unit_holds_has_no_time)
{
    const uint32_t items = 32 * (BL_TIME_MAX_SUB_GROUPS + 1);
    begin_launch(1);
    put(BL_WIRE_GROUP, items, 0, 0);
    put_item(0);
    put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer);
    put(BL_WIRE_GROUP_END, 0, 0, 0);
    end_launch(1);
    read_predicted("nvidia-hopper");
    cr_expect_eq(trace.kernels[0].predicted.launches, 0);
    cr_assert_not_null(trace.kernels[0].predicted.why_not);
    cr_expect(strstr(trace.kernels[0].predicted.why_not, "more sub-groups"), "%s",
              trace.kernels[0].predicted.why_not);
    end_predicted();
}

Test(predicted, private_memory_takes_no_time)
{
    double ns[2];
    for (unsigned is_private = 0; is_private < 2; is_private++) {
        begin_launch(1);
        put(BL_WIRE_GROUP, 32, 0, 0);
        for (uint32_t item = 0; item < 32; item++) {
            put_item(item);
            put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 4 * item);
            if (is_private)
                put_access(1, BL_WIRE_PRIVATE, BL_WIRE_READ, 4, 4);
        }
        put(BL_WIRE_GROUP_END, 0, 0, 0);
        end_launch(1);
        read_predicted("nvidia-hopper");
        cr_assert_eq(trace.kernels[0].predicted.launches, 1, "%s",
                     trace.kernels[0].predicted.why_not);
        ns[is_private] = trace.kernels[0].predicted.first_ns;
        end_predicted();
    }
    cr_expect_float_eq(ns[0], ns[1], 1e-6, "%g and %g ns", ns[0], ns[1]);
}

/* The time of the first launch of a kernel in which each of 32 work-items accesses a counter in
 * local memory 16 times: its own counter if are_apart, otherwise a common one. */
static double first_ns_of_atomics(uint8_t operation, bool are_apart)
{
    begin_launch(1);
    put(BL_WIRE_GROUP, 32, 0, 0);
    for (uint32_t item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned i = 0; i < 16; i++)
            put_access(0, BL_WIRE_LOCAL, operation, 4, buffer + (are_apart ? 4 * item : 0));
    }
    put(BL_WIRE_GROUP_END, 0, 0, 0);
    end_launch(1);
    read_predicted("nvidia-hopper");
    cr_assert_eq(trace.kernels[0].predicted.launches, 1, "%s", trace.kernels[0].predicted.why_not);
    const double ns = trace.kernels[0].predicted.first_ns;
    end_predicted();
    group_items = 32;
    return ns;
}

Test(predicted, atomics_on_local_memory_take_their_passes_and_are_not_waited_for)
{
    const double apart_ns = first_ns_of_atomics(BL_WIRE_ATOMIC, true),
                 one_ns = first_ns_of_atomics(BL_WIRE_ATOMIC, false);
    const struct bl_machine *machine;
    cr_assert_eq(bl_machine_find("nvidia-hopper", &machine, &error), BL_OK);
    cr_expect_leq(apart_ns,
                  first_ns_of_atomics(BL_WIRE_WRITE, true) + 2 * machine->local_latency_ns);
    cr_expect_geq(one_ns, apart_ns + 16 * 2 * 31e3 / machine->clock_mhz,
                  "the atomics of one word are executed lane by lane");
}

/* Ends a launch and its trace; returns the predicted time of a warm launch, without its fixed cost.
 */
static double ns_at_end_of_launch(uint64_t groups)
{
    end_launch(groups);
    read_predicted("nvidia-hopper");
    cr_assert_null(trace.kernels[0].predicted.why_not, "%s", trace.kernels[0].predicted.why_not);
    const double ns = trace.kernels[0].predicted.ns - trace.machine->launch_ns;
    end_predicted();
    return ns;
}

/* The time of a kernel in which two work-items access an element of a private array in each of 70
 * iterations. index: what a compiler knows about the element. element: returns the element's
 * number; NULL if there are no such accesses. */
static double private_ns(enum bl_wire_index index,
                         unsigned (*element)(uint32_t item, unsigned round))
{
    index_of_stream = index;
    begin_launch(1);
    index_of_stream = BL_WIRE_INDEX_CONSTANT;
    put(BL_WIRE_GROUP, 32, 0, 0);
    for (uint32_t item = 0; item < 2; item++) {
        put_item(item);
        put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 4 * item);
        for (unsigned round = 0; element && round < 70; round++) {
            put_access(1, BL_WIRE_PRIVATE, BL_WIRE_READ, 4, buffer + 4 * element(item, round));
            put_work(1, 1, 1, true);
        }
    }
    put(BL_WIRE_GROUP_END, 0, 0, 0);
    return ns_at_end_of_launch(1);
}

/* How work-items read 256 elements of an array in local memory, one after another. */
struct local_reading {
    uint32_t aligned_bytes;
    unsigned apart;   /* distance between the first elements of neighbouring work-items */
    unsigned lanes;   /* how many work-items read every second element; 0: all 32 */
    uint8_t store;    /* operation after each read; 0: none */
    unsigned of_four; /* how many of every four elements are read; 0: all */
};

static double local_ns(struct local_reading reading)
{
    aligned_bytes_of_stream = reading.aligned_bytes;
    begin_launch(1);
    aligned_bytes_of_stream = 0;
    put(BL_WIRE_GROUP, 32, 4096, 0);
    for (uint32_t item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned i = 0; i < 256; i++) {
            if ((reading.lanes && i % 2 && item >= reading.lanes) ||
                (reading.of_four && i % 4 >= reading.of_four))
                continue;
            const uint32_t instruction = reading.lanes ? i % 2 : 0;
            put_access(instruction, BL_WIRE_LOCAL, BL_WIRE_READ, 4,
                       buffer + 4 * (i + reading.apart * item));
            put_work(instruction, 0, 0, true);
            if (reading.store)
                put_access(1, BL_WIRE_LOCAL, reading.store, 4, 2 * buffer + 4 * item);
        }
    }
    put(BL_WIRE_GROUP_END, 0, 0, 0);
    return ns_at_end_of_launch(1);
}

Test(predicted, a_compiler_reads_neighbouring_elements_of_local_memory_with_one_load)
{
    const double single_ns = local_ns((struct local_reading){.aligned_bytes = 4}),
                 two_ns = local_ns((struct local_reading){.aligned_bytes = 8}),
                 four_ns = local_ns((struct local_reading){.aligned_bytes = 16}),
                 unknown_ns = local_ns((struct local_reading){.aligned_bytes = 0});
    cr_expect_float_eq(unknown_ns, single_ns, 1e-6 * single_ns);
    cr_expect_float_eq(single_ns / two_ns, 2, 0.1, "%g and %g ns", single_ns, two_ns);
    cr_expect_float_eq(two_ns / four_ns, 2, 0.2,
                       "%g and %g ns: passes that any wide load takes are no conflict", two_ns,
                       four_ns);
    const double odd_ns = local_ns((struct local_reading){.aligned_bytes = 16, .apart = 1});
    cr_expect_geq(odd_ns, 0.9 * single_ns, "the lanes are at different places in their blocks");
    const double rows_ns = local_ns((struct local_reading){.aligned_bytes = 16, .apart = 4});
    cr_expect_lt(rows_ns, 0.5 * single_ns, "each lane reads a block of its own");
    const double three_ns = local_ns((struct local_reading){.aligned_bytes = 16, .of_four = 3});
    cr_expect_float_eq(three_ns, four_ns, 0.1 * four_ns, "a load may read more than is used");
    const double one_ns = local_ns((struct local_reading){.aligned_bytes = 16, .of_four = 1}),
                 one_alone_ns = local_ns((struct local_reading){.aligned_bytes = 4, .of_four = 1});
    cr_expect_float_eq(one_ns, one_alone_ns, 1e-6 * one_ns, "there is nothing to join");
}

Test(predicted, loads_of_other_lanes_and_loads_before_a_store_are_not_joined)
{
    const struct local_reading readings[] = {
        {.lanes = 16}, {.store = BL_WIRE_WRITE}, {.store = BL_WIRE_ATOMIC}};
    for (unsigned i = 0; i < 3; i++) {
        struct local_reading single = readings[i], joined = readings[i];
        single.aligned_bytes = 4;
        joined.aligned_bytes = 8;
        cr_expect_float_eq(local_ns(joined), local_ns(single), 1e-6 * local_ns(single), "%u", i);
    }
}

/* The time of 64 iterations that read two elements of a block of 16 bytes, each with an instruction
 * of its own. alignments: of the two instructions; at: place of the second element. */
static double pair_ns(const uint32_t alignments[2], unsigned at)
{
    begin_launch(1);
    for (uint32_t i = 0; i < 2; i++) {
        aligned_bytes_of_stream = alignments[i];
        put_instruction(2 + i, 1, 1, "input.cl");
    }
    aligned_bytes_of_stream = 0;
    put(BL_WIRE_GROUP, 32, 4096, 0);
    for (uint32_t item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned i = 0; i < 64; i++) {
            put_access(2, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 16 * i);
            put_work(2, 0, 0, true);
            put_access(3, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 16 * i + at);
            put_work(3, 0, 0, true);
        }
    }
    put(BL_WIRE_GROUP_END, 0, 0, 0);
    return ns_at_end_of_launch(1);
}

Test(predicted, loads_are_joined_if_their_instructions_are_aligned_alike)
{
    const double single_ns = pair_ns((uint32_t[]){4, 4}, 12),
                 mixed_ns = pair_ns((uint32_t[]){16, 8}, 12),
                 joined_ns = pair_ns((uint32_t[]){16, 16}, 12);
    cr_expect_float_eq(mixed_ns, single_ns, 1e-6 * single_ns, "%g and %g ns", mixed_ns, single_ns);
    cr_expect_lt(joined_ns, 0.6 * single_ns, "%g and %g ns", joined_ns, single_ns);
}

static unsigned counter(uint32_t item, unsigned round) { return item * 0 + round; }
static unsigned nested(uint32_t item, unsigned round) { return item * 0 + round / 2 % 8 * 2; }
static unsigned from_id(uint32_t item, unsigned round) { return item + round * 0; }
static unsigned from_data(uint32_t item, unsigned round) { return item * 0 + (3 + round) % 64; }
static unsigned one_of_32(uint32_t item, unsigned round) { return item * 0 + round % 32; }
static unsigned beyond_registers(uint32_t item, unsigned round) { return item * 0 + 4 * round; }

Test(predicted, private_arrays_that_a_compiler_cannot_keep_in_registers_are_read_from_the_cache)
{
    static const struct {
        enum bl_wire_index index;
        unsigned (*element)(uint32_t, unsigned);
        bool is_in_memory;
    } arrays[] = {
        {BL_WIRE_INDEX_UNSURE, counter, false},         {BL_WIRE_INDEX_UNSURE, nested, false},
        {BL_WIRE_INDEX_UNSURE, from_id, true},          {BL_WIRE_INDEX_UNSURE, from_data, true},
        {BL_WIRE_INDEX_UNSURE, beyond_registers, true}, {BL_WIRE_INDEX_KNOWN, from_data, false},
        {BL_WIRE_INDEX_KNOWN, beyond_registers, true},  {BL_WIRE_INDEX_DYNAMIC, counter, true},
    };
    const struct bl_machine *machine;
    cr_assert_eq(bl_machine_find("nvidia-hopper", &machine, &error), BL_OK);
    const double none_ns = private_ns(BL_WIRE_INDEX_CONSTANT, NULL),
                 hits_ns = 70 * machine->cache_latency_ns;
    for (unsigned i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        const double ns = private_ns(arrays[i].index, arrays[i].element);
        if (arrays[i].is_in_memory)
            cr_expect_gt(ns, none_ns + hits_ns, "%u: %g and %g ns", i, ns, none_ns);
        else
            cr_expect_lt(ns, none_ns + hits_ns / 4, "%u: %g and %g ns", i, ns, none_ns);
    }
}

/* Reads of private arrays by each of two work-items: first `dynamic` reads of elements of the array
 * `array` whose numbers a compiler does not know, and then `known` reads of elements of array 0
 * whose numbers it knows. Both go through 64 elements of `bytes` bytes in turn. */
struct private_reads {
    unsigned dynamic, known;
    uint64_t array;
    uint32_t bytes;
};

static double ns_of_private_reads(struct private_reads reads)
{
    begin_launch(1);
    index_of_stream = BL_WIRE_INDEX_DYNAMIC;
    put_instruction(2, 2, 2, "input.cl");
    index_of_stream = BL_WIRE_INDEX_KNOWN;
    put_instruction(3, 2, 3, "input.cl");
    index_of_stream = BL_WIRE_INDEX_CONSTANT;
    put(BL_WIRE_GROUP, 32, 0, 0);
    for (uint32_t item = 0; item < 2; item++) {
        put_item(item);
        put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 4 * item);
        for (unsigned i = 0; i < reads.dynamic + reads.known; i++) {
            const uint32_t instruction = i < reads.dynamic ? 2 : 3;
            const uint64_t array = i < reads.dynamic ? reads.array << 32 : 0;
            put_access(instruction, BL_WIRE_PRIVATE, BL_WIRE_READ, reads.bytes,
                       array + reads.bytes * (i % 64));
            put_work(instruction, 1, 1, true);
        }
    }
    put(BL_WIRE_GROUP_END, 0, 0, 0);
    return ns_at_end_of_launch(1);
}

Test(predicted, a_private_array_with_few_dynamic_indices_stays_in_registers)
{
    const struct bl_machine *machine;
    cr_assert_eq(bl_machine_find("nvidia-hopper", &machine, &error), BL_OK);
    const double hits_ns = 512 * machine->cache_latency_ns,
                 none_ns = ns_of_private_reads((struct private_reads){0, 512, 0, 4});
    static const struct {
        struct private_reads reads;
        bool is_in_memory; /* the array of the known reads */
    } cases[] = {
        {{4, 512, 0, 4}, false}, {{8, 512, 0, 4}, true},  {{8, 512, 0, 1}, true},
        {{4, 512, 0, 8}, false}, {{6, 512, 1, 4}, false}, /* in another array */
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double ns = ns_of_private_reads(cases[i].reads);
        if (cases[i].is_in_memory)
            cr_expect_gt(ns, none_ns + hits_ns, "case %u: %g and %g ns", i, ns, none_ns);
        else
            cr_expect_lt(ns, none_ns + hits_ns / 4, "case %u: %g and %g ns", i, ns, none_ns);
    }
}

/* Puts the rest of a launch whose work-item reads a private array of this many bytes at indices
 * that a compiler does not know. */
static void end_private_launch(uint32_t bytes)
{
    put(BL_WIRE_GROUP, 1, 0, 0);
    put_item(0);
    for (unsigned i = 0; i < 16; i++)
        put_access(0, BL_WIRE_PRIVATE, BL_WIRE_READ, 4, i % 2 ? bytes - 4 : 0);
    put(BL_WIRE_GROUP_END, 0, 0, 0);
    put(BL_WIRE_KERNEL_END, 0, 0, 1);
}

/* The time of the first of four launches with a private array of this many bytes. *warm_ns: the
 * time of the later ones. */
static double first_private_ns(uint32_t bytes, double *warm_ns)
{
    index_of_stream = BL_WIRE_INDEX_DYNAMIC;
    begin_launch(1);
    index_of_stream = BL_WIRE_INDEX_CONSTANT;
    end_private_launch(bytes);
    for (unsigned i = 0; i < 3; i++) {
        put_launch(1);
        end_private_launch(bytes);
    }
    put(BL_WIRE_END, 0, 0, 0);
    read_predicted("nvidia-hopper");
    const double first_ns = trace.kernels[0].predicted.first_ns;
    *warm_ns = trace.kernels[0].predicted.ns;
    end_predicted();
    return first_ns;
}

Test(predicted, the_first_launch_that_needs_more_private_memory_takes_longer)
{
    const struct bl_machine *machine;
    cr_assert_eq(bl_machine_find("nvidia-hopper", &machine, &error), BL_OK);
    double small_ns, large_ns, warm_ns[2];
    small_ns = first_private_ns(machine->private_reserved_bytes, &warm_ns[0]);
    large_ns = first_private_ns(machine->private_reserved_bytes + 4, &warm_ns[1]);
    cr_expect_lt(small_ns, machine->private_grow_ns / 2);
    cr_expect_float_eq(large_ns - small_ns, machine->private_grow_ns, 1000);
    cr_expect_float_eq(warm_ns[0], warm_ns[1], 1000, "later launches are not slower");
}

Test(predicted, each_kernel_that_needs_more_private_memory_than_before_takes_longer_once)
{
    static const char *const names[] = {"one", "two", "three"};
    static const uint32_t bytes[] = {2048, 4096, 1536};
    const struct bl_machine *machine;
    cr_assert_eq(bl_machine_find("nvidia-hopper", &machine, &error), BL_OK);
    const char *before = name_of_kernel;
    index_of_stream = BL_WIRE_INDEX_DYNAMIC;
    for (unsigned k = 0; k < 3; k++) {
        name_of_kernel = names[k];
        if (k == 0)
            begin_launch(1);
        else
            put_launch(1);
        end_private_launch(bytes[k]);
    }
    name_of_kernel = before;
    index_of_stream = BL_WIRE_INDEX_CONSTANT;
    put(BL_WIRE_END, 0, 0, 0);
    read_predicted("nvidia-hopper");
    for (unsigned k = 0; k < 3; k++) {
        const struct bl_predicted *predicted = &trace.kernels[k].predicted;
        const double more_ns = predicted->first_ns - predicted->ns;
        cr_expect(k < 2 ? more_ns > machine->private_grow_ns / 2
                        : more_ns < machine->private_grow_ns / 2,
                  "kernel %u: %g ns", k, more_ns);
    }
    end_predicted();
}

/* The time of a launch of FULL groups, without its fixed cost, whose work-items read an element of
 * a private array that they have written. */
static double written_private_ns(unsigned (*element)(uint32_t item, unsigned round))
{
    index_of_stream = BL_WIRE_INDEX_DYNAMIC;
    begin_launch(FULL);
    index_of_stream = BL_WIRE_INDEX_CONSTANT;
    put(BL_WIRE_GROUP, 32, 0, 0);
    for (uint32_t item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned round = 0; round < 32; round++)
            put_access(0, BL_WIRE_PRIVATE, BL_WIRE_WRITE, 4, buffer + 4 * round);
        for (unsigned round = 0; round < 1000; round++) {
            put_access(1, BL_WIRE_PRIVATE, BL_WIRE_READ, 4, buffer + 4 * element(item, round));
            put_work(1, 1, 1, true);
        }
    }
    put(BL_WIRE_GROUP_END, 0, 0, 0);
    return ns_at_end_of_launch(FULL);
}

Test(predicted, lanes_that_read_the_same_element_of_their_private_arrays_read_one_line)
{
    const struct bl_machine *machine;
    cr_assert_eq(bl_machine_find("nvidia-hopper", &machine, &error), BL_OK);
    const double same_ns = written_private_ns(one_of_32), apart_ns = written_private_ns(from_id),
                 least_ns = 1000 * machine->cache_latency_ns;
    cr_expect_gt(same_ns, least_ns);
    cr_expect_lt(same_ns, 2 * least_ns, "the cache holds what was written: %g and %g ns", same_ns,
                 least_ns);
    cr_expect_gt(apart_ns, same_ns + 1000 * 32 * 4e3 / machine->clock_mhz,
                 "32 lines need at least five passes: %g and %g ns", apart_ns, same_ns);
}

/* The time of a launch, without its fixed cost, in which each work-item of FULL groups updates a
 * word 16 times by an atomic. index: what a compiler knows about the word. apart: bytes between the
 * words of neighbouring work-items. offsets: of the words of the three traced groups. */
static double atomics_at(enum bl_wire_index index, uint64_t apart, const uint64_t offsets[3])
{
    index_of_stream = index;
    begin_launch(FULL);
    index_of_stream = BL_WIRE_INDEX_CONSTANT;
    for (uint64_t group = 0; group < 3; group++) {
        put(BL_WIRE_GROUP, 32, 0, group);
        for (uint32_t item = 0; item < 32; item++) {
            put_item(item);
            for (unsigned round = 0; round < 16; round++)
                put_access(0, BL_WIRE_GLOBAL, BL_WIRE_ATOMIC, 4,
                           buffer + apart * item + offsets[group]);
        }
        put(BL_WIRE_GROUP_END, 0, 0, 0);
    }
    return ns_at_end_of_launch(FULL);
}

static double atomics_ns(enum bl_wire_index index, uint64_t apart, bool is_same_in_groups)
{
    static const uint64_t same[3] = {0}, other[3] = {0, 1024, 2048};
    return atomics_at(index, apart, is_same_in_groups ? same : other);
}

/* In each round, one of the lanes that exchange the same word succeeds. */
Test(predicted, lanes_that_exchange_the_same_word_try_one_after_another)
{
    exchange_of_stream = BL_WIRE_EXCHANGE_RETRIED;
    const double apart_ns = atomics_ns(BL_WIRE_INDEX_DYNAMIC, 32, false),
                 same_ns = atomics_ns(BL_WIRE_INDEX_DYNAMIC, 0, false);
    exchange_of_stream = BL_WIRE_NO_EXCHANGE;
    cr_expect_gt(same_ns, 16 * 31 * 400, "31 more rounds of 400 ns, 16 times: %g ns", same_ns);
    cr_expect_gt(apart_ns, 2 * atomics_ns(BL_WIRE_INDEX_DYNAMIC, 32, false), "%g ns", apart_ns);
}

Test(predicted, all_sub_groups_that_exchange_the_same_word_try_one_after_another)
{
    exchange_of_stream = BL_WIRE_EXCHANGE_RETRIED;
    const double together_ns = atomics_ns(BL_WIRE_INDEX_DYNAMIC, 0, true),
                 own_ns = atomics_ns(BL_WIRE_INDEX_DYNAMIC, 0, false),
                 words_ns = atomics_ns(BL_WIRE_INDEX_DYNAMIC, 4, true);
    exchange_of_stream = BL_WIRE_NO_EXCHANGE;
    const double successes = 16.0 * 32 * FULL;
    cr_expect_gt(together_ns, successes * 280, "one success in 280 ns: %g ns", together_ns);
    cr_expect_lt(own_ns, together_ns / 50, "each sub-group has its own word: %g ns", own_ns);
    cr_expect_lt(words_ns, together_ns / 8, "each lane has its own word: %g ns", words_ns);
}

/* One group per compute unit; each of its 32 work-items updates a word of local memory 16 times. */
static double local_atomics_ns(enum bl_wire_index index, bool is_combined, uint64_t apart)
{
    index_of_stream = index;
    is_combined_of_stream = is_combined;
    begin_launch(1);
    put(BL_WIRE_GROUP, 32, 8192, 0);
    for (uint32_t item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned round = 0; round < 16; round++)
            put_access(0, BL_WIRE_LOCAL, BL_WIRE_ATOMIC, 4, 64 + apart * item);
    }
    put(BL_WIRE_GROUP_END, 0, 0, 0);
    is_combined_of_stream = false;
    return ns_at_end_of_launch(132);
}

Test(predicted, one_lane_does_an_atomic_on_local_memory_for_all)
{
    const double serial_ns = local_atomics_ns(BL_WIRE_INDEX_DYNAMIC, true, 0),
                 apart_ns = local_atomics_ns(BL_WIRE_INDEX_DYNAMIC, true, 4),
                 of_one_ns = local_atomics_ns(BL_WIRE_INDEX_UNIFORM, true, 0);
    cr_expect_gt(serial_ns, of_one_ns + 16 * 30, "%g and %g ns", serial_ns, of_one_ns);
    cr_expect_float_eq(of_one_ns, apart_ns, 1, "%g and %g ns", of_one_ns, apart_ns);
    cr_expect_float_eq(local_atomics_ns(BL_WIRE_INDEX_UNIFORM, false, 0), serial_ns, 1,
                       "an exchange is not combined");
}

Test(predicted, lanes_that_add_1_to_one_local_word_take_one_pass)
{
    const double apart_ns = local_atomics_ns(BL_WIRE_INDEX_DYNAMIC, true, 4);
    counts_lanes_of_stream = true;
    const double counted_ns = local_atomics_ns(BL_WIRE_INDEX_DYNAMIC, true, 0),
                 words_ns = local_atomics_ns(BL_WIRE_INDEX_DYNAMIC, true, 128);
    counts_lanes_of_stream = false;
    cr_expect_float_eq(counted_ns, apart_ns, 1, "%g and %g ns", counted_ns, apart_ns);
    cr_expect_float_eq(words_ns, local_atomics_ns(BL_WIRE_INDEX_DYNAMIC, true, 128), 1,
                       "different words of one bank");
    cr_expect_gt(words_ns, counted_ns + 16 * 30, "%g and %g ns", words_ns, counted_ns);
}

Test(predicted, a_compare_and_exchange_occupies_a_bank_twice_as_long)
{
    const double apart_ns = local_atomics_ns(BL_WIRE_INDEX_DYNAMIC, false, 4),
                 once_ns = local_atomics_ns(BL_WIRE_INDEX_DYNAMIC, false, 0);
    exchange_of_stream = BL_WIRE_EXCHANGE_ONCE;
    const double exchange_ns = local_atomics_ns(BL_WIRE_INDEX_DYNAMIC, false, 0);
    exchange_of_stream = BL_WIRE_NO_EXCHANGE;
    cr_expect_float_eq(exchange_ns - apart_ns, 2 * (once_ns - apart_ns), 0.1 * exchange_ns,
                       "%g, %g and %g ns", apart_ns, once_ns, exchange_ns);
}

/* The words of the groups follow from data. */
Test(predicted, atomics_of_groups_that_update_other_words_do_not_wait_for_each_other)
{
    static const uint64_t other[3] = {0, 7168, 3072}, common[3] = {0, 7168, 7168};
    const double apart_ns = atomics_ns(BL_WIRE_INDEX_DYNAMIC, 32, false),
                 other_ns = atomics_at(BL_WIRE_INDEX_DYNAMIC, 32, other),
                 common_ns = atomics_at(BL_WIRE_INDEX_DYNAMIC, 32, common);
    cr_expect_float_eq(other_ns, apart_ns, 0.2 * apart_ns, "%g and %g ns", other_ns, apart_ns);
    cr_expect_gt(common_ns, 1.5 * other_ns, "%g and %g ns", common_ns, other_ns);
}

/* On an H100, L2 did 1.37 updates of one word per ns, and 80 times as many updates of random words.
 */
Test(predicted, atomics_on_global_memory_take_the_time_of_their_updates)
{
    const double requests = 16.0 * FULL, one_ns = atomics_ns(BL_WIRE_INDEX_CONSTANT, 0, true);
    cr_expect_float_eq(one_ns, 0.731 * requests, 0.1 * one_ns,
                       "one lane updates the word for all: %g ns", one_ns);
    cr_expect_float_eq(atomics_ns(BL_WIRE_INDEX_KNOWN, 0, true), one_ns, 1e-6);
    cr_expect_float_eq(atomics_ns(BL_WIRE_INDEX_UNIFORM, 0, true), one_ns, 1e-6);
    const double dynamic_ns = atomics_ns(BL_WIRE_INDEX_DYNAMIC, 0, true);
    cr_expect_float_eq(dynamic_ns, 32 * 0.731 * requests, 0.15 * dynamic_ns,
                       "each lane updates the word: %g ns", dynamic_ns);
    const double spread_ns = atomics_ns(BL_WIRE_INDEX_DYNAMIC, 32, false);
    cr_expect_gt(spread_ns, 32 * 0.731 * requests / 80, "%g ns", spread_ns);
    cr_expect_lt(spread_ns, 1.5 * 32 * 0.731 * requests / 80, "%g ns", spread_ns);
    const double sector_ns = atomics_ns(BL_WIRE_INDEX_DYNAMIC, 4, false);
    cr_expect_lt(sector_ns, spread_ns / 3, "eight words of a sector are one update: %g ns",
                 sector_ns);
}

/* The time of a launch, without its fixed cost, in which each work-item of FULL groups stores to a
 * word 16 times, all groups to the same words. apart: bytes between neighbouring work-items' words.
 */
static double stores_ns(uint64_t apart)
{
    begin_launch(FULL);
    for (uint64_t group = 0; group < 3; group++) {
        put(BL_WIRE_GROUP, 32, 0, group);
        for (uint32_t item = 0; item < 32; item++) {
            put_item(item);
            for (unsigned round = 0; round < 16; round++)
                put_access(0, BL_WIRE_GLOBAL, BL_WIRE_WRITE, 4,
                           buffer + apart * item + 128 * round);
        }
        put(BL_WIRE_GROUP_END, 0, 0, 0);
    }
    return ns_at_end_of_launch(FULL);
}

/* The time of a launch, without its fixed cost, in which each work-item of FULL groups stores a
 * vector of four floats to a line of its own. */
static double vectors_ns(uint32_t alignment)
{
    alignment_of_stream = alignment;
    begin_launch(FULL);
    alignment_of_stream = 0;
    put(BL_WIRE_GROUP, 32, 0, 0);
    for (uint32_t item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned round = 0; round < 16; round++)
            put_access(0, BL_WIRE_GLOBAL, BL_WIRE_WRITE, 16,
                       buffer + 128 * (item + (uint64_t)32 * round));
    }
    put(BL_WIRE_GROUP_END, 0, 0, 0);
    return ns_at_end_of_launch(FULL);
}

Test(predicted, a_vstore4_stores_each_component_by_itself)
{
    const double whole_ns = vectors_ns(0), split_ns = vectors_ns(4);
    cr_expect_gt(split_ns, 3 * whole_ns, "%g and %g ns", split_ns, whole_ns);
}

/* The time of a launch, without its fixed cost, in which each work-item reads words of two lines in
 * 16 rounds, the second of which the next round reads first. */
static double neighbours_ns(bool may_change, bool is_irregular)
{
    may_change_of_stream = may_change;
    is_irregular_of_stream = is_irregular;
    begin_launch(FULL);
    may_change_of_stream = is_irregular_of_stream = false;
    put(BL_WIRE_GROUP, 32, 0, 0);
    for (uint32_t item = 0; item < 32; item++) {
        put_item(item);
        for (uint32_t i = 0; i < 2 * 16; i++)
            put_access(i % 2, BL_WIRE_GLOBAL, BL_WIRE_READ, 4,
                       buffer + 128 * (item + (uint64_t)32 * ((i + 1) / 2)));
    }
    put(BL_WIRE_GROUP_END, 0, 0, 0);
    return ns_at_end_of_launch(FULL);
}

Test(predicted, a_register_does_not_keep_what_may_change)
{
    const double kept_ns = neighbours_ns(false, false), again_ns = neighbours_ns(true, false);
    cr_expect_gt(again_ns, 1.1 * kept_ns, "%g and %g ns", again_ns, kept_ns);
}

Test(predicted, a_register_does_not_keep_what_a_compiler_cannot_know_to_be_the_same)
{
    const double kept_ns = neighbours_ns(false, false), again_ns = neighbours_ns(false, true);
    cr_expect_gt(again_ns, 1.1 * kept_ns, "%g and %g ns", again_ns, kept_ns);
}

Test(predicted, stores_of_all_lanes_to_one_word_write_a_part_of_its_sector)
{
    const double word_ns = stores_ns(0), line_ns = stores_ns(4);
    const double least_ns = 0.46 * 16 * FULL / 8; /* the lines lie in eight pieces of 256 B */
    cr_expect_geq(word_ns, least_ns, "%g ns", word_ns);
    cr_expect_lt(line_ns, word_ns / 2, "whole sectors: %g ns", line_ns);
}

/* The time of a grid of 64 x 66 groups. The words that neighbouring groups update are apart_x bytes
 * apart along x, and apart_y bytes along y. */
static double grid_of_atomics_ns(uint64_t apart_x, uint64_t apart_y)
{
    enum { WIDTH = 64, HEIGHT = 66 };
    const uint64_t sampled[][2] = {{0, 0}, {1, 0}, {0, 1}, {WIDTH - 1, HEIGHT - 1}};
    const struct bl_wire_kernel told = {{WIDTH * 32, HEIGHT, 1}, {32, 1, 1}, {WIDTH, HEIGHT, 1}};
    index_of_stream = BL_WIRE_INDEX_DYNAMIC;
    begin_launch(1);
    index_of_stream = BL_WIRE_INDEX_CONSTANT;
    put(BL_WIRE_KERNEL_END, 0, 0, 0);
    put(BL_WIRE_KERNEL, 0, sizeof told + strlen("grid"), 0);
    put_bytes(&told, sizeof told);
    put_bytes("grid", strlen("grid"));
    for (unsigned g = 0; g < 4; g++) {
        const uint64_t x = sampled[g][0], y = sampled[g][1];
        put(BL_WIRE_GROUP, 32, 0, x + WIDTH * y);
        for (uint32_t item = 0; item < 32; item++) {
            put_item(item);
            for (unsigned round = 0; round < 16; round++)
                put_access(0, BL_WIRE_GLOBAL, BL_WIRE_ATOMIC, 4,
                           buffer + apart_x * x + apart_y * y);
        }
        put(BL_WIRE_GROUP_END, 0, 0, 0);
    }
    put(BL_WIRE_KERNEL_END, 0, 0, WIDTH * HEIGHT);
    put(BL_WIRE_END, 0, 0, 0);
    read_predicted("nvidia-hopper");
    cr_assert_eq(trace.kernel_count, 2);
    cr_assert_null(trace.kernels[1].predicted.why_not, "%s", trace.kernels[1].predicted.why_not);
    const double ns = trace.kernels[1].predicted.ns - trace.machine->launch_ns;
    end_predicted();
    return ns;
}

Test(predicted, groups_of_a_row_or_column_that_update_the_same_word_wait_for_each_other)
{
    const double apart_ns = grid_of_atomics_ns(1024, 65536), row_ns = grid_of_atomics_ns(0, 65536),
                 column_ns = grid_of_atomics_ns(1024, 0);
    cr_expect_gt(row_ns, 2 * apart_ns, "%g and %g ns", row_ns, apart_ns);
    cr_expect_gt(column_ns, 2 * apart_ns, "%g and %g ns", column_ns, apart_ns);
}

/* The time of a launch, without its fixed cost. Its first lane executes `first` instructions before
 * it writes, and its second lane executes `second` other instructions. is_last: the instructions of
 * both lanes come after the write. */
static double divergent_ns(uint32_t first, uint32_t second, bool is_last)
{
    begin_launch(1);
    put(BL_WIRE_GROUP, 32, 0, 0);
    for (uint32_t item = 0; item < 32; item++) {
        const uint32_t more = item == 0 ? first : item == 1 ? second : 0;
        put_item(item);
        if (!is_last)
            put_own_work(BL_WIRE_NONE, more, more, false);
        put_access(1, BL_WIRE_GLOBAL, BL_WIRE_WRITE, 4, buffer + 4 * item);
        if (is_last)
            put_own_work(BL_WIRE_NONE, more, more, false);
    }
    put(BL_WIRE_GROUP_END, 0, 0, 0);
    return ns_at_end_of_launch(1);
}

Test(predicted, lanes_that_go_separate_ways_take_the_time_of_all)
{
    for (unsigned is_last = 0; is_last < 2; is_last++) {
        const double short_ns = divergent_ns(1000, 0, is_last);
        cr_expect_float_eq(divergent_ns(1000, 4000, is_last), divergent_ns(5000, 0, is_last), 1);
        cr_expect_gt(divergent_ns(1000, 4000, is_last), 4 * short_ns);
    }
}

/* The time of a launch, without its fixed cost, in which each work-item reports 64 accesses to
 * global memory. is_cut: only a quarter of all accesses are reported. privates: reported accesses
 * to private memory for each access to global memory. ahead: the first work-item reports this many
 * more accesses to global memory, which do not count. */
static double left_out_ns(bool is_cut, unsigned privates, unsigned ahead)
{
    begin_launch(1);
    put(BL_WIRE_GROUP, 32, 0, 0);
    for (uint32_t item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned i = 0; i < (item == 0 ? 64 + ahead : 64); i++) {
            put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 4 * item + 4096 * i);
            for (unsigned p = 0; p < privates; p++)
                put_access(1, BL_WIRE_PRIVATE, BL_WIRE_READ, 4, 4 * (i % 8));
            put_work(0, 2, 1, true);
        }
    }
    put(BL_WIRE_GROUP_END, is_cut ? 64 * (1 + privates) : 0, is_cut ? 2 * (3 * 64 * 32 - ahead) : 0,
        is_cut ? (3 * 64 * 32 - ahead) * (1 + privates) : 0);
    end_launch(1);
    read_predicted("nvidia-hopper");
    cr_assert_null(trace.kernels[0].predicted.why_not, "%s", trace.kernels[0].predicted.why_not);
    const double ns = trace.kernels[0].predicted.first_ns - trace.machine->launch_ns -
                      first_waking_ns(trace.machine);
    end_predicted();
    return ns;
}

Test(predicted, accesses_that_are_missing_from_the_trace_are_simulated_too)
{
    for (unsigned privates = 0; privates < 3; privates++) {
        const double whole_ns = left_out_ns(false, privates, 0),
                     cut_ns = left_out_ns(true, privates, 0),
                     ahead_ns = left_out_ns(true, privates, 1000);
        cr_expect_gt(cut_ns, 3 * whole_ns, "four times as many accesses");
        cr_expect_lt(cut_ns, 5 * whole_ns, "%g and %g ns", cut_ns, whole_ns);
        cr_expect_float_eq(ahead_ns, cut_ns, 1, "%g and %g ns: what is cut was left out", ahead_ns,
                           cut_ns);
    }
}

/* The time of a warm launch, without its fixed cost. Each work-item has 64 loads with 1000
 * instructions each; as many loads with `left_out` instructions each are missing from the trace. */
static double arithmetic_ns(unsigned left_out)
{
    begin_launch(1);
    put(BL_WIRE_GROUP, 32, 0, 0);
    for (uint32_t item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned i = 0; i < 64; i++) {
            put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 4 * item);
            put_work(0, item == 0 ? 1000 : 0, item == 0 ? 1000 : 0, true);
        }
    }
    put(BL_WIRE_GROUP_END, 0, (uint64_t)64 * left_out, 64 * 32);
    return ns_at_end_of_launch(1);
}

Test(predicted, missing_accesses_may_have_less_arithmetic_than_reported_ones)
{
    const double none_ns = arithmetic_ns(0), as_much_ns = arithmetic_ns(1000);
    cr_expect_gt(as_much_ns, 1.8 * none_ns, "%g and %g ns", as_much_ns, none_ns);
    cr_expect_float_eq(arithmetic_ns(500), (none_ns + as_much_ns) / 2, 0.05 * none_ns);
}

/* The time of a warm launch, without its fixed cost. Each work-item accesses `elements` rows of an
 * array twice; in a row, neighbouring work-items access neighbouring elements. told: the fraction
 * of the accesses that is reported. has_writes: each read is followed by a write of the same
 * element. Otherwise each work-item first reads one element of each row, and then reads these
 * elements again, or as many other rows if are_others. */
static double sweep_ns(unsigned groups, unsigned elements, double told, bool has_writes,
                       bool are_others)
{
    const uint64_t row = 4 * 32 * (uint64_t)groups;
    begin_launch(groups);
    put(BL_WIRE_GROUP, 32, 0, 0);
    for (uint32_t item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned i = 0; i < 2 * elements; i++) {
            const unsigned place = has_writes ? i / 2 : are_others ? i : i % elements;
            const bool is_write = has_writes && i % 2;
            const uint32_t instruction = has_writes ? is_write : i / elements;
            put_access(instruction, BL_WIRE_GLOBAL, is_write ? BL_WIRE_WRITE : BL_WIRE_READ, 4,
                       buffer + 4 * item + row * place);
            if (!is_write)
                put_work(instruction, 2, 1, true);
        }
    }
    put(BL_WIRE_GROUP_END, 0, 0, (uint64_t)(32 * 2 * elements * (1 / told - 1)));
    return ns_at_end_of_launch(groups);
}

/* The reported accesses read 8 MiB twice, or 16 MiB once. In the first case, the missing accesses
 * are not expected to touch new blocks, so L2 holds all data. */
Test(predicted, missing_accesses_touch_new_blocks_as_often_as_the_last_reported_ones)
{
    const double same_ns = sweep_ns(2048, 32, 1, false, false),
                 others_ns = sweep_ns(2048, 32, 1, false, true),
                 more_same_ns = sweep_ns(2048, 32, 0.1, false, false),
                 more_others_ns = sweep_ns(2048, 32, 0.1, false, true);
    cr_expect_lt(more_same_ns, 8 * same_ns, "%g and %g ns", more_same_ns, same_ns);
    cr_expect_gt(more_others_ns, 13 * others_ns, "%g and %g ns", more_others_ns, others_ns);
}

/* The launches access 64 MiB, more than L2 holds. Earlier launches left L2 full of data that must
 * be written back. */
Test(predicted, repeated_launches_write_their_data_back)
{
    const double read_ns = sweep_ns(8192, 64, 1, false, false),
                 written_ns = sweep_ns(8192, 64, 1, true, false);
    const struct bl_machine *hopper;
    cr_assert_eq(bl_machine_find("nvidia-hopper", &hopper, &error), BL_OK);
    const double all_ns = 64 * 1048576 / hopper->levels[BL_LEVEL_MEMORY].bytes_per_ns;
    cr_expect_gt(written_ns - read_ns, 0.7 * all_ns, "%g and %g ns", written_ns, read_ns);
}

Test(predicted, l2_keeps_data_until_it_is_nearly_full)
{
    cr_expect_gt(bl_l2_part_kept(0.95), 0.9);
    cr_expect_float_eq(bl_l2_part_kept(1), 0.5, 0.05);
    cr_expect_lt(bl_l2_part_kept(1.05), 0.1);
    cr_expect_float_eq(bl_l2_part_kept(0), 1, 1e-12);
    cr_expect_float_eq(bl_l2_part_kept(1000), 0, 1e-12);
}

/* The time of a launch in which each work-item reads once, and then 1500 times. has_barrier: there
 * is a barrier after the first read. */
static double late_work_ns(bool has_barrier)
{
    enum { ROUNDS = 1500 };
    begin_launch(FULL);
    put(BL_WIRE_GROUP, 32, 0, 0);
    for (uint32_t item = 0; item < 32; item++) {
        put_item(item);
        put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 4 * item);
    }
    if (has_barrier)
        put(BL_WIRE_BARRIER, 0, 0, 0);
    for (uint32_t item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned i = 0; i < ROUNDS; i++) {
            put_access(1, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 4 * item + 128 * (i % 16));
            put_work(1, 2, 1, true);
        }
    }
    put(BL_WIRE_GROUP_END, 0, 0, 0);
    end_launch(FULL);
    read_predicted("nvidia-hopper");
    cr_assert_null(trace.kernels[0].predicted.why_not, "%s", trace.kernels[0].predicted.why_not);
    const double ns = trace.kernels[0].predicted.ns;
    end_predicted();
    return ns;
}

Test(predicted, work_after_the_only_barrier_is_simulated)
{
    const double without_ns = late_work_ns(false), with_ns = late_work_ns(true);
    cr_expect_float_eq(with_ns, without_ns, 0.05 * without_ns, "%g and %g ns", with_ns, without_ns);
}

Test(predicted, registers_reduce_the_number_of_groups_that_hide_latency)
{
    double ns[3];
    const unsigned registers[3] = {0, 16, 255};
    for (unsigned i = 0; i < 3; i++) {
        begin_launch(8 * FULL);
        put_reads(0, 64);
        end_launch(8 * FULL);
        registers_of_kernels = registers[i];
        read_predicted("nvidia-hopper");
        cr_assert_eq(trace.kernels[0].predicted.launches, 1, "%s",
                     trace.kernels[0].predicted.why_not);
        ns[i] = trace.kernels[0].predicted.ns;
        end_predicted();
    }
    registers_of_kernels = 0;
    cr_expect_float_eq(ns[0], ns[1], 1e-6, "16 registers do not reduce the number of groups");
    cr_expect_gt(ns[2], 1.2 * ns[0], "%g and %g ns", ns[2], ns[0]);
}

/* The declared size of local memory counts: even if only a small part is accessed, and even if the
 * kernel accesses a wrong, larger address. */
Test(predicted, declared_local_memory_reduces_the_number_of_groups_that_hide_latency)
{
    static const struct {
        uint64_t declared, accessed;
    } kinds[] = {{0, 0}, {4 << 10, 0}, {100 << 10, 0}, {4 << 10, 100 << 10}};
    double ns[4];
    for (unsigned i = 0; i < 4; i++) {
        begin_launch(8 * FULL);
        put(BL_WIRE_GROUP, 32, kinds[i].declared, 0);
        for (uint32_t item = 0; item < 32; item++) {
            put_item(item);
            for (unsigned k = 0; k < 64; k++) {
                put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 4 * item + 4096 * k);
                put_work(0, 2, 1, false);
            }
            put_access(1, BL_WIRE_LOCAL, BL_WIRE_WRITE, 4, kinds[i].accessed + 4 * item);
        }
        put(BL_WIRE_GROUP_END, 0, 0, 0);
        end_launch(8 * FULL);
        read_predicted("nvidia-hopper");
        ns[i] = trace.kernels[0].predicted.ns;
        end_predicted();
    }
    cr_expect_float_eq(ns[0], ns[1], 1e-6, "4 KiB do not reduce the number of groups");
    cr_expect_gt(ns[2], 1.2 * ns[0], "%g and %g ns", ns[2], ns[0]);
    cr_expect_float_eq(ns[3], ns[1], 1e-6, "%g and %g ns", ns[3], ns[1]);
}

/* Traces a kernel that reads a column of a tile, and executes this many instructions after each
 * read. */
static void read_column(unsigned instructions)
{
    begin_launch(FULL);
    put(BL_WIRE_GROUP, 32, 0, 0);
    for (uint32_t item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned k = 0; k < 32; k++) {
            put_access(0, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 128 * item + 4 * k);
            put_work(0, instructions, 1, false);
        }
    }
    put(BL_WIRE_GROUP_END, 0, 0, 0);
    end_launch(FULL);
    read_predicted("nvidia-hopper");
}

Test(predicted, a_padded_column_takes_less_time)
{
    read_column(4);
    const struct bl_predicted *predicted = &trace.kernels[0].predicted;
    struct bl_suggestions suggestions;
    cr_assert_eq(bl_trace_suggest(&trace, &suggestions, &error), BL_OK);
    cr_assert_eq(suggestions.count, 1);
    const struct bl_suggestion *one = &suggestions.all[0];
    cr_expect(isnan(one->predicted_ns));
    cr_assert_eq(bl_predict_fixes(&trace, &suggestions, &error), BL_OK);
    cr_expect_gt(one->predicted_ns, trace.machine->launch_ns);
    cr_expect_lt(one->predicted_ns, predicted->ns / 2, "%g and %g ns", one->predicted_ns,
                 predicted->ns);
    bl_suggestions_free(&suggestions);
    end_predicted();
}

/* Work-items read a column of an array in global memory. Most of the time is arithmetic. */
Test(predicted, advice_about_global_memory_says_what_is_known_about_the_time)
{
    static const struct {
        bool is_predicted;
        const char *machine, *words;
    } cases[] = {
        {true, "nvidia-hopper", " The predicted time does not get shorter: "},
        {false, "nvidia-hopper",
         " These gains are of requests alone; --predict also predicts times."},
        {false, "intel-gen9", " These gains are of requests alone; times were not predicted."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin_launch(1);
        put(BL_WIRE_GROUP, 32, 0, 0);
        for (uint32_t item = 0; item < 32; item++) {
            put_item(item);
            put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 128 * item);
            put_work(0, 20000, 1, false);
        }
        put(BL_WIRE_GROUP_END, 0, 0, 0);
        end_launch(1);
        read_predicted(cases[i].machine);
        struct bl_predicting *used = trace.predicting;
        struct bl_suggestions suggestions;
        cr_assert_eq(bl_trace_suggest(&trace, &suggestions, &error), BL_OK);
        cr_assert_eq(suggestions.count, 1);
        if (!cases[i].is_predicted)
            trace.predicting = NULL;
        cr_assert_eq(bl_predict_fixes(&trace, &suggestions, &error), BL_OK);
        cr_expect_not_null(strstr(suggestions.all[0].sentence, cases[i].words), "%zu: %s", i,
                           suggestions.all[0].sentence);
        trace.predicting = used;
        bl_suggestions_free(&suggestions);
        end_predicted();
    }
}

/* A tile has rows of 128 bytes. The local memory of a compute unit holds two such tiles, but not
 * two tiles with padded rows. The kernel reads two columns and one row of the tile, and often reads
 * global memory. */
Test(predicted, advice_that_lowers_the_occupancy_too_much_is_withdrawn)
{
    enum { TILE_BYTES = 113 << 10 };
    begin_launch(FULL);
    put(BL_WIRE_GROUP, 32, TILE_BYTES, 0);
    for (uint32_t item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned i = 0; i < 64; i++) {
            put_access(1, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, 2 * buffer + 4 * item + 4096 * i);
            put_work(0, 2, 1, false);
        }
        for (unsigned k = 0; k < 2; k++)
            put_access(0, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 128 * item + 4 * k);
        put_access(0, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 4 * item);
        put_access(0, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + TILE_BYTES - 4);
    }
    put(BL_WIRE_GROUP_END, 0, 0, 0);
    end_launch(FULL);
    read_predicted("nvidia-hopper");
    struct bl_machine machine = *trace.machine;
    machine.group_local_bytes_max = 2 * TILE_BYTES;
    trace.machine = &machine;
    struct bl_suggestions suggestions;
    cr_assert_eq(bl_trace_suggest(&trace, &suggestions, &error), BL_OK);
    const struct bl_suggestion *one = NULL;
    for (size_t i = 0; i < suggestions.count; i++)
        if (suggestions.all[i].row->memory == BL_MEMORY_LOCAL)
            one = &suggestions.all[i];
    cr_assert_not_null(one);
    cr_expect_not_null(strstr(one->fix, "pad each row of 32 elements"), "%s", one->sentence);
    cr_assert_eq(bl_predict_fixes(&trace, &suggestions, &error), BL_OK);
    cr_expect_str_eq(one->fix, "", "%s", one->sentence);
    cr_expect_str_eq(one->expression, "");
    cr_expect_eq(one->gain, 1);
    cr_expect(isnan(one->predicted_ns));
    cr_expect_not_null(strstr(one->sentence, "; to pad each row of 32 elements by "), "%s",
                       one->sentence);
    cr_expect_not_null(
        strstr(one->sentence, "would make the accesses cheaper but the kernel slower"), "%s",
        one->sentence);
    bl_suggestions_free(&suggestions);
    end_predicted();
}

Test(predicted, streams_that_are_built_again_take_the_same_time)
{
    begin_launch(FULL);
    put_reads(0, 4);
    put_reads(FULL / 2, 4);
    put_reads(FULL - 1, 4);
    end_launch(FULL);
    read_predicted("nvidia-hopper");
    struct bl_streams again;
    cr_assert_eq(predicting.kept[0].count, 3);
    cr_assert(bl_streams_rebuild(&trace, &predicting.kept[0], NULL, NULL, &again));
    const struct bl_simulated_launch launch = {
        .machine = trace.machine, .launch = &trace.kernels[0].last, .streams = &again};
    double ns;
    cr_assert_eq(bl_launch_warm_ns(&launch, &ns, &error), BL_OK);
    cr_expect_float_eq(ns, trace.kernels[0].predicted.ns, 0.01 * ns, "%g and %g ns", ns,
                       trace.kernels[0].predicted.ns);
    bl_streams_free(&again);
    end_predicted();
}

/* The time in ns of a launch, without its fixed cost. Its groups have two sub-groups: one reads
 * between barriers, the other only waits at the barriers. */
static double ns_of_uneven(unsigned rounds)
{
    group_items = 64;
    begin_launch(FULL);
    put(BL_WIRE_GROUP, 64, 0, 0);
    for (unsigned round = 0; round < rounds; round++) {
        put_item(0);
        for (unsigned k = 0; k < 32; k++)
            put_access(0, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 4 * ((32 * round + k) % 1024));
        put(BL_WIRE_BARRIER, 0, 0, 0);
    }
    put(BL_WIRE_GROUP_END, 0, 0, 0);
    end_launch(FULL);
    read_predicted("nvidia-hopper");
    const double ns = trace.kernels[0].predicted.ns - trace.machine->launch_ns;
    end_predicted();
    group_items = 32;
    return ns;
}

Test(predicted, a_partly_simulated_group_ends_at_a_barrier)
{
    const double one = ns_of_uneven(256), four = ns_of_uneven(4 * 256);
    cr_expect_float_eq(four / one, 4, 0.8, "%g %g", one, four);
}

Test(predicted, a_block_that_is_touched_again_counts_once_in_l2)
{
    struct bl_l2_left left = {0};
    for (unsigned period = 0; period < 3; period++) {
        cr_assert(bl_l2_left_begin(&left, 1));
        for (uint64_t block = period ? 1 : 0; block < (period ? 17 : 1); block++)
            cr_assert(bl_l2_left_add(&left, block));
        bl_l2_left_end(&left);
    }
    /* 17 blocks count: block 0, and 16 blocks that were touched later. They were touched twice, but
     * count once. */
    cr_expect_float_eq(bl_l2_left_part(&left, 0, 0, 16), bl_l2_part_kept(17 / 16.0), 1e-12);
    cr_expect_float_eq(bl_l2_left_part(&left, 16, 0, 16), bl_l2_part_kept(1), 1e-12);
    cr_expect_float_eq(bl_l2_left_part(&left, 16, 8, 16), bl_l2_part_kept(1.5), 1e-12,
                       "the launch has touched 8 other blocks");
    cr_expect_eq(bl_l2_left_part(&left, 99, 0, 16), 0);
    bl_l2_left_free(&left);
}

/* The warm time of a launch in which every `every`-th group reads `most` rounds, and the others
 * read `least` rounds. All groups are traced. */
static double warm_ns_of(uint64_t groups, uint64_t every, unsigned most, unsigned least)
{
    begin_launch(groups);
    for (uint64_t group = 0; group < groups; group++)
        put_reads(group, (group + 1) % every == 0 ? most : least);
    end_launch(groups);
    read_predicted("nvidia-hopper");
    const double ns = trace.kernels[0].predicted.ns - trace.machine->launch_ns;
    end_predicted();
    return ns;
}

Test(predicted, a_launch_whose_groups_run_together_ends_with_the_longest)
{
    const double few = warm_ns_of(8, 1, 1, 1), many = warm_ns_of(8, 1, 256, 256);
    cr_assert_gt(many, 8 * few);
    cr_expect_float_eq(warm_ns_of(8, 5, 256, 1), many, 0.1 * many, "one group reads more");
    cr_expect_float_eq(warm_ns_of(100, 100, 256, 1), many, 0.1 * many,
                       "one of so many groups that they are not simulated one by one");
}

/* There is one more group than units, and the longest group is not one of the first unit's. */
Test(predicted, the_longest_of_a_few_more_groups_than_units_counts)
{
    const double many = warm_ns_of(8, 1, 256, 256);
    cr_expect_float_eq(warm_ns_of(133, 100, 256, 1), many, 0.2 * many, "group 99 reads more");
}

Test(predicted, the_longest_group_is_part_of_a_group_of_twice_the_size_too)
{
    const double many = warm_ns_of(8, 1, 256, 256);
    begin_launch(132);
    for (uint64_t group = 0; group < 132; group++)
        put_reads(group, group == 99 ? 256 : 1);
    end_launch(132);
    read_predicted("nvidia-hopper");
    cr_expect_gt(trace.kernels[0].predicted.larger_group_ns - trace.machine->launch_ns, 0.9 * many);
    end_predicted();
}

Test(predicted, groups_may_differ_in_their_arithmetic_alone)
{
    double ns[2];
    for (unsigned i = 0; i < 2; i++) {
        begin_launch(2);
        for (uint64_t group = 0; group < 2; group++) {
            put(BL_WIRE_GROUP, 32, 0, group);
            for (uint32_t item = 0; item < 32; item++) {
                put_item(item);
                put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 4 * item);
                put_work(0, item ? 0 : group || i ? 90000 : 10, 1, false);
                put_access(1, BL_WIRE_GLOBAL, BL_WIRE_WRITE, 4, 2 * buffer + 4 * item);
            }
            put(BL_WIRE_GROUP_END, 0, 0, 0);
        }
        end_launch(2);
        read_predicted("nvidia-hopper");
        ns[i] = trace.kernels[0].predicted.ns - trace.machine->launch_ns;
        end_predicted();
    }
    cr_expect_float_eq(ns[0], ns[1], 0.05 * ns[1], "%g %g", ns[0], ns[1]);
}

/* The groups run in three waves, because a unit can hold only one. */
Test(predicted, a_unit_with_an_average_load_represents_a_launch_of_several_waves)
{
    enum { UNITS = 132, GROUPS = 3 * UNITS };
    local_bytes_of_groups = 200 << 10;
    const double few = warm_ns_of(GROUPS, GROUPS + 1, 1, 1);
    begin_launch(GROUPS);
    for (uint64_t group = 0; group < GROUPS; group++)
        put_reads(group, group % UNITS == 0 ? 33 : 1);
    end_launch(GROUPS);
    read_predicted("nvidia-hopper");
    const double ns = trace.kernels[0].predicted.ns - trace.machine->launch_ns;
    cr_expect_float_eq(ns, few, 0.1 * few, "%g ns; %g", ns, few);
    end_predicted();
    local_bytes_of_groups = 0;
}

/* A launch whose groups read `few` or `many` elements. */
struct uneven {
    uint64_t groups;
    uint64_t traced[4];
    unsigned traced_count;
    bool (*does_more)(uint64_t group);
    uint64_t every; /* every n-th group, and the traced ones, report their work; 0: none does */
};

static bool is_traced(const struct uneven *uneven, uint64_t group)
{
    for (unsigned i = 0; i < uneven->traced_count; i++)
        if (uneven->traced[i] == group)
            return true;
    return false;
}

static double uneven_ns(const struct uneven *uneven)
{
    enum { FEW = 8, MANY = 80, WORK = 100 };
    begin_launch(uneven->groups);
    for (uint64_t group = 0; group < uneven->groups; group++) {
        const unsigned rounds = uneven->does_more(group) ? MANY : FEW;
        if (is_traced(uneven, group))
            put_reads(group, rounds);
        if (uneven->every > 0 && (is_traced(uneven, group) || group % uneven->every == 0))
            put(BL_WIRE_RAN, 0, WORK * rounds, group);
    }
    end_launch(uneven->groups);
    read_predicted("nvidia-hopper");
    const double ns = trace.kernels[0].predicted.ns - trace.machine->launch_ns;
    end_predicted();
    return ns;
}

static bool none_does(uint64_t group) { return group == UINT64_MAX; }
static bool all_do(uint64_t group) { return group < UINT64_MAX; }
static bool group_500_does(uint64_t group) { return group == 500; }
static bool half_do(uint64_t group) { return group / 11 % 2 == 0; }
static bool group_99_does(uint64_t group) { return group == 99; }

/* A unit can hold one group, so the 13200 groups run in a hundred waves. */
Test(predicted, a_traced_group_represents_those_that_do_as_much_work)
{
    struct uneven uneven = {.groups = 13200,
                            .traced = {0, 500, 9000, 13199},
                            .traced_count = 4,
                            .does_more = none_does};
    local_bytes_of_groups = 200 << 10;
    const double few = uneven_ns(&uneven);
    uneven.does_more = all_do;
    const double many = uneven_ns(&uneven);
    cr_assert_gt(many, 3 * few);
    uneven.does_more = group_500_does;
    cr_expect_gt(uneven_ns(&uneven), 2 * few, "without reports, it represents all near it");
    uneven.every = 1;
    const double one = uneven_ns(&uneven);
    cr_expect_float_eq(one, few, 0.05 * few, "only one group does more: %g, not %g ns", one, few);
    uneven.does_more = half_do;
    uneven.every = 10;
    const double half = uneven_ns(&uneven);
    cr_expect_float_eq(half, (few + many) / 2, 0.1 * many,
                       "the other groups do as much as those that ran: %g; %g, %g ns", half, few,
                       many);
    local_bytes_of_groups = 0;
}

/* Groups at the edges of a grid do less. Of the groups that ran, half are near the grid's corners.
 * All that ran and are not at an edge do as much as the traced group in the middle. */
Test(predicted, groups_near_the_first_and_the_last_one_do_not_show_what_others_do)
{
    enum { SIDE = 64, MIDDLE = SIDE * SIDE / 2 + SIDE / 2, NEAR = 4 };
    struct bl_stream_group sampled[3] = {
        {.index = 0}, {.index = MIDDLE}, {.index = SIDE * SIDE - 1}};
    struct bl_stream_ran ran[4 * NEAR * NEAR];
    size_t count = 0;
    for (uint64_t y = 0; y < NEAR; y++)
        for (uint64_t x = 0; x < NEAR; x++) {
            const uint64_t index = y * SIDE + x;
            ran[count++] = (struct bl_stream_ran){index, x == 0 || y == 0 ? 10 : 100};
            ran[count++] = (struct bl_stream_ran){SIDE * SIDE - 1 - index, 10};
            ran[count++] = (struct bl_stream_ran){MIDDLE + index, 100};
        }
    const struct bl_streams streams = {
        .groups = sampled, .count = 3, .ran = ran, .ran_count = count};
    struct bl_launch_groups groups = {.launch = {{SIDE, SIDE, 1}, {1, 1, 1}, {SIDE, SIDE, 1}},
                                      .streams = &streams,
                                      .count = SIDE * SIDE,
                                      .units = 132};
    cr_assert(bl_launch_templates_find(&groups));
    unsigned others = 0;
    for (uint64_t group = 0; group < groups.count; group++)
        others += bl_launch_template_for(&groups, group).sampled != 1;
    cr_expect_eq(others, 2 * NEAR - 1 + NEAR * NEAR, "only the known ones: %u", others);
    cr_expect_eq(bl_launch_template_for(&groups, 2).sampled, 0, "a group of the first row");
    bl_launch_templates_free(&groups);
}

Test(predicted, a_launch_ends_with_its_longest_group_though_that_was_not_traced)
{
    struct uneven uneven = {
        .groups = 100, .traced = {0, 98}, .traced_count = 2, .does_more = all_do, .every = 1};
    const double many = uneven_ns(&uneven);
    uneven.does_more = none_does;
    const double few = uneven_ns(&uneven);
    cr_assert_gt(many, 3 * few);
    uneven.does_more = group_99_does;
    const double one = uneven_ns(&uneven);
    cr_expect_float_eq(one, many, 0.2 * many, "%g, not %g ns", one, many);
    uneven.groups = 1056;
    const double beside = uneven_ns(&uneven);
    cr_expect_float_eq(beside, many, 0.2 * many,
                       "a unit runs seven others beside it: %g, not %g ns", beside, many);
    uneven.groups = 400, uneven.traced[1] = 399;
    local_bytes_of_groups = 200 << 10;
    const double waves = uneven_ns(&uneven);
    cr_expect_float_eq(waves, many, 0.2 * many, "one of several waves: %g, not %g ns", waves, many);
    local_bytes_of_groups = 0;
}

/* The time of a warm launch of which only the first and the last group were traced. The first group
 * reads `first` lines that no other group reads, and the last group reads `last` such lines. */
static double warm_ns_if_ends_read(unsigned first, unsigned last)
{
    enum { GROUPS = 20000, LINES = 64, LINE_BYTES = 128 };
    begin_launch(GROUPS);
    for (uint64_t group = 0; group < GROUPS; group += GROUPS - 1) {
        put(BL_WIRE_GROUP, 32, 0, group);
        for (uint32_t item = 0; item < 32; item++) {
            put_item(item);
            for (unsigned i = 0; i < (group ? last : first); i++)
                put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4,
                           buffer + LINE_BYTES * (LINES * group + i) + 4 * item);
        }
        put(BL_WIRE_GROUP_END, 0, 0, 0);
    }
    end_launch(GROUPS);
    read_predicted("nvidia-hopper");
    const double ns = trace.kernels[0].predicted.ns;
    end_predicted();
    return ns;
}

/* If all groups read 64 lines, they read 156 MiB, more than L2 holds. */
Test(predicted, a_last_group_that_does_less_represents_only_itself)
{
    const double all = warm_ns_if_ends_read(64, 64), less = warm_ns_if_ends_read(64, 2);
    cr_expect_float_eq(less, all, 0.05 * all, "%g and %g ns", less, all);
}

Test(predicted, a_last_group_that_does_more_represents_half_of_the_groups)
{
    const double few = warm_ns_if_ends_read(2, 2), more = warm_ns_if_ends_read(2, 64),
                 all = warm_ns_if_ends_read(64, 64);
    cr_expect(more > few + (all - few) / 4 && more < all - (all - few) / 4, "%g, %g, %g ns", few,
              more, all);
}

Test(predicted, addresses_of_a_gather_stay_in_its_range)
{
    const struct bl_time_sharing range = {.begin = 4096, .bytes = 1024}, none = {.begin = 4096};
    cr_expect_eq(bl_time_shifted(4100, 1000, &range), 5100);
    cr_expect_eq(bl_time_shifted(4100, 1020, &range), 4096, "the end leads to the beginning");
    cr_expect_eq(bl_time_shifted(4100, -5, &range), 5119);
    cr_expect_eq(bl_time_shifted(4100, -5 - 7 * 1024, &range), 5119);
    cr_expect_eq(bl_time_shifted(4100, 1 << 20, &range), 4100);
    cr_expect_eq(bl_time_shifted(4100, -5000, &none), UINT64_MAX - 899);
    cr_expect_eq(bl_time_shifted(4100, 5000, NULL), 9100);
}

/* A pseudo-random number below `most`, a power of two. */
static uint64_t drawn(uint64_t number, uint64_t most)
{
    return (number * 0x9E3779B97F4A7C15u >> 32) % most;
}

enum { GATHERED = 64 };

/* Makes one group of a gather: sectors at pseudo-random places in a range. */
static void make_gather(uint64_t index, uint64_t begin, uint64_t bytes, uint64_t sectors[GATHERED])
{
    for (unsigned i = 0; i < GATHERED; i++)
        sectors[i] = begin + drawn(index * GATHERED + i + 1, bytes) / 32 * 32;
}

static struct bl_time_op *gathers(void)
{
    static struct bl_time_op ops[GATHERED];
    for (unsigned i = 0; i < GATHERED; i++)
        ops[i] = (struct bl_time_op){.kind = BL_TIME_LOAD, .first = i, .count = 1};
    return ops;
}

/* Derives the shifts of a gather from three sampled groups of 1000, which gather from windows of
 * `bytes` bytes; group i's begins at step * i. by: the shifts from group 400 to itself, to 401 and
 * to 402. */
static void shift_gathers(uint64_t step, uint64_t bytes, struct bl_stream_shifts *shifts,
                          int64_t by[3])
{
    static const uint64_t indices[3] = {0, 400, 999};
    static uint64_t sectors[3][GATHERED];
    struct bl_time_stream streams[3];
    struct bl_stream_array arrays[3];
    struct bl_stream_group sampled[3];
    for (unsigned g = 0; g < 3; g++) {
        make_gather(indices[g], step * indices[g], bytes, sectors[g]);
        streams[g] =
            (struct bl_time_stream){.ops = gathers(), .count = GATHERED, .sectors = sectors[g]};
        arrays[g] = (struct bl_stream_array){
            true, sectors[g][0], 0, {BL_NO_STRIDE, BL_NO_STRIDE, BL_NO_STRIDE}, true};
        sampled[g] = (struct bl_stream_group){.index = indices[g],
                                              .streams = &streams[g],
                                              .sub_groups = 1,
                                              .arrays = &arrays[g],
                                              .array_count = 1};
    }
    const struct bl_streams all = {.groups = sampled, .count = 3};
    const struct bl_wire_kernel launch = {{32000, 1, 1}, {32, 1, 1}, {1000, 1, 1}};
    cr_assert(bl_stream_shifts_of(&all, &launch, shifts));
    cr_expect_not(shifts->shifts[0].is_exact);
    const struct bl_launch_groups groups = {
        .launch = launch, .streams = &all, .count = 1000, .units = 132, .shifts = *shifts};
    for (uint64_t i = 0; i < 3; i++)
        bl_launch_shift(&groups, 400 + i, 1, &by[i]);
    cr_expect_eq(by[0], 0, "the sampled group itself");
}

Test(predicted, groups_that_gather_from_all_of_an_array_have_random_places_in_it)
{
    enum { BYTES = 1 << 20 };
    struct bl_stream_shifts shifts;
    int64_t by[3];
    shift_gathers(0, BYTES, &shifts, by);
    cr_expect_gt(shifts.shifts[0].spread_bytes, 0);
    cr_expect_leq(shifts.sharing[0].begin, BYTES / 8);
    cr_expect_geq(shifts.sharing[0].begin + shifts.sharing[0].bytes, BYTES / 8 * 7);
    cr_expect_neq(by[1], 0);
    cr_expect_neq(by[2] - by[1], by[1], "groups are not at equal distances");
    bl_stream_shifts_free(&shifts);
}

/* As for the rows of a band matrix. */
Test(predicted, gathers_from_windows_move_with_the_group)
{
    enum { WINDOW = 1 << 14, STEP = 4096 };
    struct bl_stream_shifts shifts;
    int64_t by[3];
    shift_gathers(STEP, WINDOW, &shifts, by);
    cr_expect_eq(shifts.shifts[0].spread_bytes, 0);
    cr_expect_float_eq((double)by[1], STEP, 20, "%g", (double)by[1]);
    bl_stream_shifts_free(&shifts);
}

/* The part of the blocks of a range that have been touched before a wave. */
static double part_there(const struct bl_launch_blocks *blocks, size_t wave, uint64_t bytes)
{
    unsigned there = 0;
    enum { ASKED = 4000 };
    for (unsigned i = 0; i < ASKED; i++)
        there += bl_launch_blocks_have(blocks, drawn(1000000 + i, bytes), wave, -1);
    return (double)there / ASKED;
}

enum { PER_WAVE = 4224, GATHERED_BLOCK = 64 }; /* groups of a wave; bytes */

/* Finds the blocks of a launch that gathers from a range. blocks: with the capacity of L2. */
static void find_gather(unsigned count, uint64_t bytes, struct bl_launch_blocks *blocks)
{
    static uint64_t sectors[GATHERED];
    static const struct bl_l2_left none;
    make_gather(0, 0, bytes, sectors);
    struct bl_time_stream reads = {.ops = gathers(), .count = GATHERED, .sectors = sectors};
    struct bl_stream_group group = {.streams = &reads, .sub_groups = 1};
    const struct bl_streams streams = {.groups = &group, .count = 1};
    struct bl_stream_shift shift = {false, false, {0}, (double)bytes};
    struct bl_time_sharing sharing = {.begin = 0, .bytes = bytes};
    struct bl_launch_groups groups = {.launch = {{count, 1, 1}, {1, 1, 1}, {count, 1, 1}},
                                      .streams = &streams,
                                      .count = count,
                                      .units = 132,
                                      .shifts = {1, &shift, &sharing}};
    blocks->left = &none;
    blocks->block_bytes = GATHERED_BLOCK;
    cr_assert(bl_launch_blocks_find(blocks, &groups, PER_WAVE));
}

Test(predicted, first_touches_of_a_gather_are_those_of_all_groups)
{
    enum { BYTES = 1 << 24 };
    struct bl_launch_blocks blocks = {.capacity = 1e6};
    find_gather(1 << 16, BYTES, &blocks);
    cr_expect_gt(blocks.of_run, 1, "not all groups are examined otherwise");
    for (unsigned wave = 1; wave < 4; wave++) {
        const double touches = (double)wave * PER_WAVE * GATHERED * GATHERED_BLOCK / BYTES,
                     there = part_there(&blocks, wave, BYTES);
        cr_expect_gt(there, 0.98 - exp(-touches), "wave %u: %g", wave, there);
        cr_expect_lt(there, 1 - exp(-1.5 * touches), "wave %u: %g", wave, there);
    }
    bl_launch_blocks_free(&blocks);
}

/* L2 holds a quarter of what the gather reads from. */
Test(predicted, L2_replaces_what_a_gather_has_touched_long_ago)
{
    enum { BYTES = 1 << 26, CAPACITY = BYTES / GATHERED_BLOCK / 4 };
    struct bl_launch_blocks blocks = {.capacity = CAPACITY};
    find_gather(1 << 18, BYTES, &blocks);
    const double kept = 0.5 / 4, waves = -log(1 - kept) * 4 * CAPACITY / (PER_WAVE * GATHERED);
    cr_expect_float_eq(blocks.kept_waves, waves, 0.1 * waves, "%g", blocks.kept_waves);
    cr_expect_lt(part_there(&blocks, 60, BYTES), 1.5 * kept);
    bl_launch_blocks_free(&blocks);
}

/* All groups run at once, and go through their own blocks. The launch before did the same, and L2
 * keeps a part of these blocks until others have replaced them. */
Test(predicted, groups_of_a_wave_find_old_blocks_at_the_beginning)
{
    enum { GROUPS = 80, OPS = 1000, BLOCK = 64, ALL = GROUPS * OPS };
    static uint64_t sectors[OPS];
    static struct bl_time_op ops[OPS];
    for (unsigned i = 0; i < OPS; i++) {
        sectors[i] = (uint64_t)i * BLOCK;
        ops[i] = (struct bl_time_op){.kind = BL_TIME_LOAD, .first = i, .count = 1};
    }
    struct bl_time_stream reads = {.ops = ops, .count = OPS, .sectors = sectors};
    struct bl_stream_group group = {.streams = &reads, .sub_groups = 1};
    const struct bl_streams streams = {.groups = &group, .count = 1};
    struct bl_stream_shift shift = {true, true, {OPS * BLOCK}, 0};
    struct bl_time_sharing sharing = {0};
    struct bl_launch_groups groups = {.launch = {{GROUPS, 1, 1}, {1, 1, 1}, {GROUPS, 1, 1}},
                                      .streams = &streams,
                                      .count = GROUPS,
                                      .units = 132,
                                      .shifts = {1, &shift, &sharing}};
    struct bl_l2_left left = {0};
    cr_assert(bl_l2_left_begin(&left, 1));
    for (uint64_t block = 0; block < ALL; block++)
        cr_assert(bl_l2_left_add(&left, block));
    bl_l2_left_end(&left);
    struct bl_launch_blocks blocks = {.left = &left, .capacity = 1.25 * ALL, .block_bytes = BLOCK};
    cr_assert(bl_launch_blocks_find(&blocks, &groups, 132 * 32));
    for (unsigned g = 0; g < GROUPS; g += GROUPS - 1) {
        const uint64_t begin = (uint64_t)g * OPS * BLOCK;
        cr_expect(bl_launch_blocks_have(&blocks, begin + 50 * BLOCK, 0, -1), "group %u", g);
        cr_expect_not(bl_launch_blocks_have(&blocks, begin + 950 * BLOCK, 0, -1), "group %u", g);
    }
    bl_launch_blocks_free(&blocks);
    bl_l2_left_free(&left);
}

/* How long the second launch of a small kernel takes, after launches of a kernel that reads more
 * than L2 holds. */
static double second_after(unsigned before, unsigned between)
{
    enum { GROUPS = 1 << 19 };
    name_of_kernel = "large";
    begin_launch(GROUPS);
    for (unsigned i = 0; i <= before + between + 1; i++) {
        const bool is_small = i == before || i == before + between + 1;
        name_of_kernel = is_small ? "small" : "large";
        if (i > 0)
            put_launch(is_small ? 1 : GROUPS);
        put_reads(0, 1);
        if (!is_small)
            put_reads(GROUPS - 1, 1);
        put(BL_WIRE_KERNEL_END, 0, 0, is_small ? 1 : GROUPS);
    }
    put(BL_WIRE_END, 0, 0, 0);
    name_of_kernel = "kernel";
    read_predicted("nvidia-hopper");
    const double ns = trace.kernels[1].predicted.simulated[1].times.warm.ns;
    end_predicted();
    return ns;
}

Test(predicted, launches_that_are_not_simulated_leave_data_in_L2_too)
{
    const double l2_ns = second_after(2, 0), memory_ns = second_after(1, 1);
    cr_expect_gt(memory_ns, l2_ns + 150, "the second launch of the large kernel is simulated");
    cr_expect_float_eq(second_after(2, 1), memory_ns, 1, "the third is not");
}

/* The warm time of a launch whose only traced group gathers from a range. */
static double gathering_ns(uint64_t bytes)
{
    enum { GROUPS = 8 * FULL, ROUNDS = 8 };
    begin_launch(GROUPS);
    put(BL_WIRE_GROUP, 32, 0, 0);
    for (uint32_t item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned i = 0; i < ROUNDS; i++) {
            put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4,
                       buffer + drawn(ROUNDS * item + i + 1, bytes) / 4 * 4);
            put_work(0, 2, 1, false);
        }
    }
    put(BL_WIRE_GROUP_END, 0, 0, 0);
    end_launch(GROUPS);
    read_predicted("nvidia-hopper");
    const double ns = trace.kernels[0].predicted.ns - trace.machine->launch_ns;
    end_predicted();
    return ns;
}

/* The distance between the first two work-items' accesses says nothing about the other groups. */
Test(predicted, groups_gather_from_the_range_of_the_only_traced_group)
{
    const double of_mib_ns = gathering_ns(1 << 20), of_gib_ns = gathering_ns(1 << 30);
    cr_expect_lt(of_mib_ns, 0.6 * of_gib_ns, "%g and %g ns", of_mib_ns, of_gib_ns);
}
