/* Tests the lower bounds of the times of traced kernels, and how they are printed. */
#include <math.h>
#include <string.h>

#include "cli/trace_view.h"
#include "trace/bounds.h"
#include "trace/suggest.h"
#include "trace_stream.h"

Test(bounds, reads_that_a_compiler_may_combine_are_counted_as_combined)
{
    static const struct {
        unsigned rounds;
        uint64_t apart, step;
        double clocks;
    } cases[] = {
        {8, 0, 4, 4},   /* all lanes read one word; four rounds are merged into a read of 16 bytes,
                           which takes 2 clocks */
        {8, 0, 0, 1},   /* the same word in every round is read only once */
        {8, 4, 128, 8}, /* a work-item's reads are 128 bytes apart, so they cannot be merged */
        {8, 4, 512, 8}, /* a work-item's reads are 512 bytes apart */
        {3, 0, 4, 2},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        trace_reads(BL_WIRE_LOCAL, cases[c].rounds, cases[c].apart, cases[c].step);
        cr_assert_eq(bl_trace_bound(&trace, &error), BL_OK);
        cr_assert_float_eq(trace.kernels[0].bound.clocks[BL_STAGE_BANKS], cases[c].clocks, 1e-9,
                           "%zu: %g", c, trace.kernels[0].bound.clocks[BL_STAGE_BANKS]);
        cr_assert_eq(trace.kernels[0].bound.busiest, BL_STAGE_BANKS);
        bl_trace_free(&trace);
    }
}

/* The banks' clocks of accesses to one place of local memory by each of 32 work-items. accesses:
 * 'r' reads by one instruction, 'R' by another, 'w' writes, 'a' is an atomic, 'x' accesses other
 * memory, '|' is a barrier. */
static double clocks_of(const char *accesses)
{
    begin(4, 1, 32, 1);
    for (const char *phase = accesses; phase; phase = strchr(phase, '|')) {
        phase += *phase == '|';
        if (phase > accesses)
            put(BL_WIRE_BARRIER, 0, 0, 0);
        for (unsigned item = 0; item < 32; item++) {
            put_item(item);
            for (const char *at = phase; *at && *at != '|'; at++)
                put_access(*at == 'R'   ? 1
                           : *at == 'w' ? 2
                           : *at == 'a' ? 3
                                        : 0,
                           BL_WIRE_LOCAL,
                           *at == 'w'   ? BL_WIRE_WRITE
                           : *at == 'a' ? BL_WIRE_ATOMIC
                                        : BL_WIRE_READ,
                           4, buffer + 128 * item + (*at == 'x' ? 4096 : 0));
        }
    }
    read_trace("nvidia-hopper");
    cr_assert_eq(bl_trace_bound(&trace, &error), BL_OK);
    const double clocks = trace.kernels[0].bound.clocks[BL_STAGE_BANKS];
    bl_trace_free(&trace);
    return clocks;
}

Test(bounds, what_a_register_can_hold_is_accessed_once)
{
    static const struct {
        const char *accesses;
        unsigned count; /* how many of them count */
    } cases[] = {
        {"r", 1},   {"rR", 1},  {"rxR", 2},  /* the same place, by another instruction */
        {"w", 1},   {"rw", 2},  {"wr", 1},   /* the written value is known */
        {"ww", 1},  {"rwR", 2}, {"rwrw", 2}, /* only the last value must be written */
        {"r|R", 2},                          /* another work-item may have written it */
    };
    const double one = clocks_of("r");
    cr_assert_gt(one, 0);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        cr_expect_float_eq(clocks_of(cases[c].accesses), cases[c].count * one, 1e-9, "%s: %g",
                           cases[c].accesses, clocks_of(cases[c].accesses) / one);
    is_volatile_of_stream = true;
    cr_expect_float_eq(clocks_of("rr"), 2 * one, 1e-9, "each volatile access is made");
    is_volatile_of_stream = false;
    cr_expect_gt(clocks_of("aa"), 1.5 * clocks_of("a"), "each atomic is executed");
}

Test(bounds, distinct_sectors_are_counted_once_per_launch)
{
    begin(2, 1, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned k = 0; k < 3; k++)
            put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 4 * item);
        put_access(1, BL_WIRE_GLOBAL, BL_WIRE_WRITE, 4, 2 * buffer + 64 * item + 30);
    }
    read_trace("nvidia-hopper");
    cr_assert_eq(trace.kernels[0].bound.read_bytes, 128);
    cr_assert_eq(trace.kernels[0].bound.written_bytes, 32 * 2 * 32,
                 "each write lies in two sectors");
    bl_trace_free(&trace);
}

Test(footprint, untraced_groups_touch_as_much_as_traced_groups_up_to_the_size_of_the_buffer)
{
    struct bl_trace_footprint footprint = {.sector_bytes = 32};
    for (unsigned i = 0; i < 8; i++) {
        cr_assert_eq(bl_footprint_add(&footprint, buffer + 32 * i, 4, true, false, &error), BL_OK);
        cr_assert_eq(bl_footprint_add(&footprint, 2 * buffer + 3200 * i, 4, true, true, &error),
                     BL_OK);
    }
    const double ten[BL_GROUP_PLACES] = {10, 10, 10}, one[BL_GROUP_PLACES] = {1, 1, 1};
    struct bl_footprint_bytes bytes = bl_footprint_end(&footprint, ten);
    cr_assert_eq(bytes.written, 8 * 10 * 32);
    cr_assert_eq(bytes.read, 8 * 32 + 8 * 10 * 32,
                 "the traced groups touched all of the first buffer");
    bytes = bl_footprint_end(&footprint, ten);
    cr_assert_eq(bytes.read + bytes.written, 0, "the footprint is empty after its end");
    for (uint64_t i = 0; i < 100000; i++) /* more pages than the table's first capacity */
        cr_assert_eq(bl_footprint_add(&footprint, buffer + (i << 12), 4, true, false, &error),
                     BL_OK);
    bytes = bl_footprint_end(&footprint, one);
    cr_assert_eq(bytes.read, 100000 * 32);
    bl_footprint_free(&footprint);
}

Test(footprint, elements_that_several_groups_touch_count_once)
{
    struct bl_trace_footprint footprint = {.sector_bytes = 32};
    for (unsigned group = 0; group < 4; group++) {
        bl_footprint_next_group(&footprint, (enum bl_group_place)(group % BL_GROUP_PLACES));
        cr_assert_eq(bl_footprint_add(&footprint, buffer, 4, true, false, &error), BL_OK);
        cr_assert_eq(bl_footprint_add(&footprint, buffer + (1 << 20), 4, true, false, &error),
                     BL_OK);
        cr_assert_eq(
            bl_footprint_add(&footprint, 2 * buffer + 3200 * group, 4, true, false, &error), BL_OK);
    }
    const double weights[BL_GROUP_PLACES] = {[BL_GROUP_BETWEEN] = 10, [BL_GROUP_FIRST] = 7, 1};
    const struct bl_footprint_bytes bytes = bl_footprint_end(&footprint, weights);
    cr_assert_eq(bytes.read, 2 * 32 + (2 * 10 + 7 + 1) * 32,
                 "groups 0 and 3 count as between the first and the last");
    bl_footprint_free(&footprint);
}

/* Traces a launch of `groups` work-groups, but only the `count` groups in `traced`. The first and
 * the last group of the launch make `more` times as many accesses as each of the other groups. */
static void trace_groups(unsigned groups, const unsigned traced[], unsigned count, unsigned more)
{
    stream_bytes = 0;
    put_hello();
    put_source(0, "one\n");
    put_instruction(0, 1, 1, "input.cl");
    const struct bl_wire_kernel told = {{32 * groups, 1, 1}, {32, 1, 1}, {groups, 1, 1}};
    put(BL_WIRE_KERNEL, 0, sizeof told + 1, 0);
    put_bytes(&told, sizeof told);
    put_bytes("k", 1);
    for (unsigned g = 0; g < count; g++) {
        const bool is_end = traced[g] == 0 || traced[g] == groups - 1;
        put(BL_WIRE_GROUP, 32, 0, traced[g]);
        for (unsigned item = 0; item < 32; item++) {
            put_item(item);
            for (unsigned k = 0; k < (is_end ? more : 1); k++)
                put_access(0, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 4 * item + 512 * k);
        }
        put(BL_WIRE_GROUP_END, 0, 0, 0);
    }
    put(BL_WIRE_KERNEL_END, 0, 0, groups);
    put(BL_WIRE_END, 0, 0, 0);
    cr_assert_eq(read_all("nvidia-hopper"), BL_OK, "%s", error.sentence);
    cr_assert_eq(bl_trace_bound(&trace, &error), BL_OK);
}

Test(bounds, untraced_groups_count_like_the_traced_groups_between_the_first_and_the_last)
{
    trace_groups(100, (const unsigned[]){0, 7, 50, 99}, 4, 30);
    cr_assert_float_eq(trace.kernels[0].bound.clocks[BL_STAGE_BANKS], 2 * 30 + 98, 1e-9);
    bl_trace_free(&trace);
    trace_groups(100, (const unsigned[]){0, 99}, 2, 3); /* the groups between these two were not
                                                           traced */
    cr_assert_float_eq(trace.kernels[0].bound.clocks[BL_STAGE_BANKS], 300, 1e-9);
    bl_trace_free(&trace);
    trace_groups(3, (const unsigned[]){0, 1, 2}, 3, 5);
    cr_assert_float_eq(trace.kernels[0].bound.clocks[BL_STAGE_BANKS], 11, 1e-9);
    bl_trace_free(&trace);
}

Test(bounds, of_a_long_group_some_accesses_of_each_instruction_are_kept)
{
    enum { ITEMS = 32, ROUNDS = 9000, COUNT = ITEMS * (ROUNDS + 1) };
    begin(2, 1, ITEMS, 1);
    put_item(0);
    put_access(0, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer);
    read_trace("nvidia-hopper");
    struct bl_access *accesses = calloc(COUNT, sizeof *accesses);
    cr_assert_not_null(accesses);
    for (unsigned i = 0; i < COUNT; i++)
        accesses[i] = (struct bl_access){.instruction = i >= ITEMS * ROUNDS,
                                         .occurrence = i / ITEMS % ROUNDS,
                                         .item = i % ITEMS,
                                         .bytes = 4,
                                         .address = buffer + 4 * (i % ITEMS),
                                         .memory = BL_MEMORY_LOCAL};
    const struct bl_traced_group group = {BL_GROUP_BETWEEN, accesses, COUNT, 0};
    cr_assert_eq(bl_trace_group(&trace, 0, &group, &error), BL_OK);
    free(accesses);
    const struct bl_trace_kernel *kernel = &trace.kernels[0];
    cr_assert_leq(kernel->kept_count, BL_TRACE_KEPT);
    cr_assert_geq(kernel->kept_count, BL_TRACE_KEPT / 100 * 99, "%zu", kernel->kept_count);
    cr_assert_eq(kernel->kept[kernel->kept_count - 1].instruction, 1,
                 "the last instruction is kept");
    bl_trace_free(&trace);
}

/* Traces 64 reads with 32-way bank conflicts, and computes the bounds for a device of 2 compute
 * units at 1000 MHz. */
static void time_columns(const struct bl_delivery *delivery)
{
    trace_reads(BL_WIRE_LOCAL, 64, 128, 4096);
    cr_assert_eq(bl_trace_bound(&trace, &error), BL_OK);
    trace.timed_on = (struct bl_timed_device){"device", 2, 1000, true, false};
    trace.kernels[0].groups = 8;
    trace.kernels[0].bound.read_bytes = 4e6;
    trace.kernels[0].bound.written_bytes = 2e6;
    bl_trace_bound_times(&trace, delivery);
}

Test(bounds, the_bound_is_the_longest_time_of_a_stage_or_a_level)
{
    struct bl_delivery delivery = {.read_bytes_per_ns = {NAN, NAN, NAN},
                                   .written_bytes_per_ns = {NAN, NAN, NAN},
                                   .clock_ns = NAN};
    time_columns(&delivery);
    const struct bl_bound *bound = &trace.kernels[0].bound;
    cr_assert_float_eq(bound->stage_ns, 64 * 32 / 2.0, 1e-9);
    cr_assert_float_eq(bound->ns, bound->stage_ns, 1e-9);
    cr_assert_str_eq(bound->limited_by, "banks");
    cr_assert_eq(bound->likely_stage_ns, 0);
    bl_trace_free(&trace);

    delivery = (struct bl_delivery){.read_bytes_per_ns = {1000, NAN, 100},
                                    .written_bytes_per_ns = {500, NAN, 50},
                                    .kept_bytes = {0, 0, 3e6},
                                    .clock_ns = 1.25};
    time_columns(&delivery);
    bound = &trace.kernels[0].bound;
    cr_assert_float_eq(bound->level_ns[0], 4000, 1e-6,
                       "reads and writes take place simultaneously");
    cr_assert_float_eq(bound->level_ns[2], (40000 + 40000) * 0.5, 1e-6,
                       "the cache may keep half of the data");
    cr_assert_float_eq(bound->likely_level_ns[2], 80000, 1e-6);
    cr_assert_float_eq(bound->likely_stage_ns, 64 * 32 / 2.0 * 1.25, 1e-9);
    cr_assert_str_eq(bound->limited_by, "memory");
    cr_assert_float_eq(bound->ns, 40000, 1e-6);
    bl_trace_free(&trace);
}

Test(bounds, a_fix_gains_no_more_than_the_next_limit_allows)
{
    struct bl_delivery delivery = {.read_bytes_per_ns = {1e9, NAN, 1e4},
                                   .written_bytes_per_ns = {1e9, NAN, 1e4},
                                   .clock_ns = 1};
    time_columns(&delivery);
    struct bl_suggestions suggestions;
    for (size_t i = 0; i < trace.row_count; i++)
        trace.rows[i].name = strdup("input.cl");
    cr_assert_eq(bl_trace_suggest(&trace, &suggestions, &error), BL_OK);
    cr_assert_eq(suggestions.count, 1);
    cr_assert_float_eq(suggestions.all[0].stage_gain, 32, 1e-9);
    bl_trace_suggest_on_device(&trace, &suggestions);
    cr_assert_float_eq(suggestions.all[0].device_gain, 1024 / 600.0, 1e-9);
    cr_assert(strstr(suggestions.all[0].sentence, "memory would then limit it"));
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
}

static char *shown;
static size_t shown_bytes;

static FILE *show(void)
{
    FILE *file = open_memstream(&shown, &shown_bytes);
    cr_assert_not_null(file);
    return file;
}

Test(views, a_view_shows_the_memory_that_a_kernel_needs)
{
    begin(1, 1, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        put_access(0, BL_WIRE_GLOBAL, BL_WIRE_WRITE, 4, buffer + 4 * item);
    }
    read_trace("nvidia-hopper");
    cr_assert_eq(bl_trace_bound(&trace, &error), BL_OK);
    trace.kernels[0].bound.read_bytes = 5e4;
    trace.kernels[0].bound.written_bytes = 5e8;
    FILE *file = show();
    bl_print_bounds(file, &trace);
    trace.kernels[0].groups = 9;
    bl_print_bounds(file, &trace);
    trace.kernels[0].bound = (struct bl_bound){.busiest = BL_STAGE_TAGS};
    bl_print_bounds(file, &trace); /* a kernel with a bound of 0 prints no line */
    trace.kernels[0].bound.clocks[BL_STAGE_TAGS] = 7;
    bl_print_bounds(file, &trace);
    fclose(file);
    cr_assert(strstr(shown, "clocks of the path of writes"), "%s", shown);
    cr_assert(strstr(shown, "48.8 KiB are read from the next level and 476.8 MiB written to it."),
              "%s", shown);
    cr_assert(strstr(shown, "written to it; estimated from 1 of 9 groups."), "%s", shown);
    cr_assert(strstr(shown, "at least 7 clocks of the tag banks"), "%s", shown);
    free(shown);
    bl_trace_free(&trace);
}

Test(views, views_handle_single_work_items_kernels_without_accesses_and_control_characters)
{
    stream_bytes = 0;
    put_hello();
    put_source(0, "one \x1b[31m\ttwo\x7f caf\xc3\xa9\n");
    put_instruction(0, 1, 1, "input.cl");
    const struct bl_wire_kernel told = {{4, 1, 1}, {1, 1, 1}, {4, 1, 1}};
    for (unsigned kernel = 0; kernel < 2; kernel++) {
        put(BL_WIRE_KERNEL, 0, sizeof told + 1, 0);
        put_bytes(&told, sizeof told);
        put_bytes(kernel ? "b" : "a", 1);
        for (unsigned group = 0; group < 4 && !kernel; group++) {
            put(BL_WIRE_GROUP, 1, 0, group);
            put_item(0);
            put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 4 * group);
            put(BL_WIRE_GROUP_END, 0, 0, 0);
        }
        put(BL_WIRE_KERNEL_END, 0, 0, 4);
    }
    put(BL_WIRE_END, 0, 0, 0);
    cr_assert_eq(read_all("nvidia-hopper"), BL_OK, "%s", error.sentence);
    cr_assert_eq(bl_trace_name_files(&trace, NULL, &error), BL_OK);
    FILE *file = show();
    cr_assert_eq(bl_print_trace(file, &trace, &(struct bl_kernel_choice){0}, &error), BL_OK);
    bl_print_annotated(file, &trace);
    fclose(file);
    cr_assert(strstr(shown, "groups of one work-item"), "%s", shown);
    cr_assert(strstr(shown, "none of the traced groups accesses memory"), "%s", shown);
    cr_assert(strstr(shown, "one ?[31m\ttwo? caf\xc3\xa9"), "%s", shown);
    free(shown);
    bl_trace_free(&trace);
}
