/* Traces on a device: what is replayed, the least that kernels take, and what other tools say. */
#include <math.h>

#include "cl/device.h"
#include "cl/program.h"
#include "cli/trace_view.h"
#include "trace/bounds.h"
#include "trace/compare.h"
#include "trace/intel.h"
#include "trace/program.h"
#include "trace/recorded.h"
#include "trace/sources.h"
#include "trace/suggest.h"
#include "trace/times.h"
#include "trace_stream.h"

static const uint64_t buffer = (uint64_t)1 << 48;

static void read_trace(const char *machine)
{
    put_end();
    cr_assert_eq(read_all(machine), BL_OK, "%s", error.sentence);
}

/* Line 1: `rounds` reads of 32 lanes, each lane `apart` bytes from the next and `step` bytes on
 * from its last. */
static void trace_reads(uint8_t memory, unsigned rounds, uint64_t apart, uint64_t step)
{
    begin(1, 1, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned k = 0; k < rounds; k++)
            put_access(0, memory, BL_WIRE_READ, 4, buffer + apart * item + step * k);
    }
    read_trace("nvidia-hopper");
}

Test(recorded, starts_are_elements_of_the_line_and_what_lies_before_is_left_out)
{
    begin(1, 1, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + (5 << 20) + 64 + 8 * item);
    }
    read_trace("nvidia-hopper");
    struct bl_recorded recorded;
    bl_trace_record(&trace, trace.rows, &recorded);
    cr_assert_eq(recorded.requests, 1, "%s", recorded.why_not);
    cr_assert_str_eq(recorded.type.name, "int");
    for (unsigned lane = 0; lane < 32; lane++)
        cr_assert_eq(recorded.starts[lane], 16 + 2 * lane);
    bl_trace_free(&trace);
}

Test(recorded, of_requests_that_cost_differently_those_that_cost_most_together)
{
    begin(1, 1, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        put_access(0, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 128 * item); /* 32 passes */
        for (unsigned k = 0; k < 20; k++)                                   /* 40 of 1 */
            put_access(0, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 128 * k + 4 * item);
        for (unsigned k = 0; k < 3; k++) /* 48 of 16 */
            put_access(0, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 4 * k + 64 * item);
    }
    read_trace("nvidia-hopper");
    struct bl_recorded recorded;
    bl_trace_record(&trace, trace.rows, &recorded);
    cr_assert_eq(recorded.requests, 3, "%s", recorded.why_not);
    for (unsigned r = 0; r < 3; r++)
        for (unsigned lane = 0; lane < 32; lane++)
            cr_assert_eq(recorded.starts[32 * r + lane], r + 16 * lane);
    bl_trace_free(&trace);
}

Test(recorded, idle_lanes_do_as_the_last_and_buffers_follow_each_other)
{
    begin(1, 2, 8, 1);
    for (unsigned item = 0; item < 8; item++) {
        put_item(item);
        put_access(0, BL_WIRE_LOCAL, BL_WIRE_WRITE, 8,
                   (item % 2 + (uint64_t)1) * buffer + 2048 + 8 * item);
    }
    read_trace("nvidia-hopper");
    struct bl_recorded recorded;
    bl_trace_record(&trace, trace.rows, &recorded);
    cr_assert_eq(recorded.requests, 1, "%s", recorded.why_not);
    cr_assert_str_eq(recorded.type.name, "int2");
    for (unsigned lane = 0; lane < 32; lane++) {
        const unsigned item = lane < 8 ? lane : 7;
        cr_assert_eq(recorded.starts[lane], item + item % 2 * 128, "lane %u", lane);
    }
    bl_trace_free(&trace);
}

Test(recorded, what_cannot_be_replayed_says_why)
{
    static const struct {
        uint8_t memory, operation;
        unsigned bytes;
        uint64_t apart;
        const char *why;
    } cases[] = {
        {BL_WIRE_LOCAL, BL_WIRE_ATOMIC, 4, 4, "atomics"},
        {BL_WIRE_PRIVATE, BL_WIRE_READ, 4, 4, "no rule"},
        {BL_WIRE_GLOBAL, BL_WIRE_READ, 4, 5, "multiples"},
        {BL_WIRE_GLOBAL, BL_WIRE_READ, 4, (uint64_t)1 << 40, "too far"},
        {BL_WIRE_GLOBAL, BL_WIRE_READ, 20, 20, "no type as wide"},
        {BL_WIRE_GLOBAL, BL_WIRE_READ, 4, (uint64_t)1 << 48, "16 buffers"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        begin(1, 1, 32, 1);
        for (unsigned item = 0; item < 32; item++) {
            put_item(item);
            put_access(0, cases[c].memory, cases[c].operation, cases[c].bytes,
                       buffer + cases[c].apart * item);
        }
        read_trace("nvidia-hopper");
        struct bl_recorded recorded;
        bl_trace_record(&trace, trace.rows, &recorded);
        cr_assert_eq(recorded.requests, 0);
        cr_assert(strstr(recorded.why_not, cases[c].why), "%zu: %s", c, recorded.why_not);
        bl_trace_free(&trace);
    }
}

Test(recorded, other_starts_are_another_kernel)
{
    static const uint64_t starts[2][3] = {{0, 1, 2}, {0, 1, 3}};
    struct bl_expression tables[3];
    for (unsigned i = 0; i < 3; i++)
        cr_assert_eq(bl_expression_of_table("a line", starts[i % 2], 3, &tables[i], &error), BL_OK);
    const struct bl_kernel_source one = {"global.cl", "read_pattern", "", &tables[0]},
                                  other = {"global.cl", "read_pattern", "", &tables[1]},
                                  again = {"global.cl", "read_pattern", "", &tables[2]};
    cr_assert_not(bl_sources_are_equal(&one, &other));
    cr_assert(bl_sources_are_equal(&one, &again));
    for (unsigned i = 0; i < 3; i++)
        bl_expression_free(&tables[i]);
}

Test(devices, a_machine_from_a_file_describes_what_it_is_used_for)
{
    const struct bl_device hopper = {.type = BL_DEVICE_GPU, .vendor_id = 0x10de, .capability = 90};
    const struct bl_machine *own, *gen9;
    cr_assert_eq(bl_machine_find("nvidia-hopper", &own, &error), BL_OK);
    cr_assert_eq(bl_machine_find("intel-gen9", &gen9, &error), BL_OK);
    const struct bl_machine from_file = *gen9;
    cr_assert(bl_device_is_described(&hopper, own));
    cr_assert_not(bl_device_is_described(&hopper, gen9));
    cr_assert(bl_device_is_described(&hopper, &from_file));
}

Test(bounds, neighbours_that_a_compiler_may_read_at_once_are_counted_so)
{
    static const struct {
        unsigned rounds;
        uint64_t apart, step;
        double clocks;
    } cases[] = {
        {8, 0, 4, 4},   /* one word for all lanes: 16 bytes at once, in two parts */
        {8, 0, 0, 1},   /* the same word again and again: it is kept */
        {8, 4, 128, 8}, /* a row for each: as many words, at once or not */
        {8, 4, 512, 8}, /* nothing that is near */
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

Test(bounds, distinct_sectors_once_a_launch)
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
    cr_assert_eq(trace.kernels[0].bound.written_bytes, 32 * 2 * 32, "each lies in two sectors");
    bl_trace_free(&trace);
}

Test(touched, groups_that_were_not_traced_touch_as_much_but_not_beyond_the_buffer)
{
    struct bl_touched touched = {.sector_bytes = 32};
    for (unsigned i = 0; i < 8; i++) {
        cr_assert_eq(bl_touch(&touched, buffer + 32 * i, 4, true, false, &error), BL_OK);
        cr_assert_eq(bl_touch(&touched, 2 * buffer + 3200 * i, 4, true, true, &error), BL_OK);
    }
    struct bl_touched_bytes bytes = bl_touched_end(&touched, 40, 4);
    cr_assert_eq(bytes.written, 8 * 10 * 32);
    cr_assert_eq(bytes.read, 8 * 32 + 8 * 10 * 32, "all of the first buffer is touched already");
    bytes = bl_touched_end(&touched, 40, 4);
    cr_assert_eq(bytes.read + bytes.written, 0, "it forgets");
    for (uint64_t i = 0; i < 100000; i++) /* more pages than it begins with */
        cr_assert_eq(bl_touch(&touched, buffer + (i << 12), 4, true, false, &error), BL_OK);
    bytes = bl_touched_end(&touched, 4, 4);
    cr_assert_eq(bytes.read, 100000 * 32);
    bl_touched_free(&touched);
}

Test(touched, what_several_groups_touch_counts_once)
{
    struct bl_touched touched = {.sector_bytes = 32};
    for (unsigned group = 0; group < 4; group++) {
        bl_touched_next_group(&touched);
        cr_assert_eq(bl_touch(&touched, buffer, 4, true, false, &error), BL_OK);
        cr_assert_eq(bl_touch(&touched, buffer + (1 << 20), 4, true, false, &error), BL_OK);
        cr_assert_eq(bl_touch(&touched, 2 * buffer + 3200 * group, 4, true, false, &error), BL_OK);
    }
    const struct bl_touched_bytes bytes = bl_touched_end(&touched, 40, 4);
    cr_assert_eq(bytes.read, 2 * 32 + 40 * 32);
    bl_touched_free(&touched);
}

/* A launch of `groups` of which some are traced; the first and the last do `more` as others. */
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

Test(bounds, groups_that_were_not_traced_are_like_those_between_the_ends)
{
    trace_groups(100, (const unsigned[]){0, 7, 50, 99}, 4, 30);
    cr_assert_float_eq(trace.kernels[0].bound.clocks[BL_STAGE_BANKS], 2 * 30 + 98, 1e-9);
    bl_trace_free(&trace);
    trace_groups(100, (const unsigned[]){0, 99}, 2, 3); /* nothing else is known */
    cr_assert_float_eq(trace.kernels[0].bound.clocks[BL_STAGE_BANKS], 300, 1e-9);
    bl_trace_free(&trace);
    trace_groups(3, (const unsigned[]){0, 1, 2}, 3, 5);
    cr_assert_float_eq(trace.kernels[0].bound.clocks[BL_STAGE_BANKS], 11, 1e-9);
    bl_trace_free(&trace);
}

Test(bounds, of_a_long_group_some_of_each_instruction_is_kept)
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
    cr_assert_eq(bl_trace_group(&trace, 0, false, accesses, COUNT, &error), BL_OK);
    free(accesses);
    const struct bl_trace_kernel *kernel = &trace.kernels[0];
    cr_assert_leq(kernel->kept_count, BL_TRACE_KEPT);
    cr_assert_eq(kernel->kept_count, BL_TRACE_KEPT, "%zu", kernel->kept_count);
    cr_assert_eq(kernel->kept[kernel->kept_count - 1].instruction, 1, "the last has its place");
    bl_trace_free(&trace);
}

/* A trace of 64 reads by 32 ways, timed on 2 compute units of 1000 MHz. */
static void time_columns(const struct bl_delivery *delivery)
{
    trace_reads(BL_WIRE_LOCAL, 64, 128, 4096);
    cr_assert_eq(bl_trace_bound(&trace, &error), BL_OK);
    trace.timed_on = (struct bl_timed_device){"device", 2, 1000};
    trace.kernels[0].groups = 8;
    trace.kernels[0].bound.read_bytes = 4e6;
    trace.kernels[0].bound.written_bytes = 2e6;
    bl_trace_bound_times(&trace, delivery);
}

Test(bounds, the_busiest_stage_at_the_highest_clock_or_a_level)
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
    cr_assert_float_eq(bound->level_ns[0], 4000, 1e-6, "reads and writes side by side");
    cr_assert_float_eq(bound->level_ns[2], (40000 + 40000) * 0.5, 1e-6, "half may be kept");
    cr_assert_float_eq(bound->likely_level_ns[2], 80000, 1e-6);
    cr_assert_float_eq(bound->likely_stage_ns, 64 * 32 / 2.0 * 1.25, 1e-9);
    cr_assert_str_eq(bound->limited_by, "memory");
    cr_assert_float_eq(bound->ns, 40000, 1e-6);
    bl_trace_free(&trace);
}

Test(bounds, a_mend_gains_no_more_than_the_next_limit_leaves)
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
    bl_trace_free(&trace);
}

static enum bl_status read_times(const char *lines)
{
    FILE *file = tmpfile();
    cr_assert(file && fputs(lines, file) >= 0 && fflush(file) == 0);
    rewind(file);
    const enum bl_status status = bl_times_read(fileno(file), NULL, &trace, &error);
    fclose(file);
    return status;
}

Test(times, launches_of_a_kernel_add_up)
{
    trace_reads(BL_WIRE_GLOBAL, 1, 4, 0);
    cr_assert_eq(read_times("\t\nkernel\t1000\t16\t1500\tGPU of ours\n"
                            "other\t5\t16\t1500\tGPU of ours\n"
                            "kernel\t500\t16\t1500\tGPU of ours\n"),
                 BL_OK, "%s", error.sentence);
    cr_assert_eq(trace.kernels[0].timed.launches, 2);
    cr_assert_eq(trace.kernels[0].timed.ns, 1500);
    cr_assert_eq(trace.timed_on.compute_units, 16);
    cr_assert_eq(trace.timed_on.mhz, 1500);
    cr_assert_str_eq(trace.timed_on.name, "GPU of ours");
    bl_trace_free(&trace);
}

Test(times, kernels_of_one_name_have_none)
{
    trace_reads(BL_WIRE_GLOBAL, 1, 4, 0);
    struct bl_trace_kernel twice[2] = {trace.kernels[0], trace.kernels[0]}, *own = trace.kernels;
    trace.kernels = twice;
    trace.kernel_count = 2;
    cr_assert_eq(read_times("\t\nkernel\t1000\t16\t1500\tGPU\n"), BL_OK);
    cr_assert_eq(trace.kernels[0].timed.launches + trace.kernels[1].timed.launches, 0);
    trace.kernels = own;
    trace.kernel_count = 1;
    cr_assert_eq(trace.rows[0].replayed.verdict, BL_NO_VERDICT, "nothing was replayed");
    bl_trace_free(&trace);
}

Test(times, what_is_none_is_told)
{
    trace_reads(BL_WIRE_GLOBAL, 1, 4, 0);
    cr_assert_eq(read_times(""), BL_OPENCL_FAILED);
    cr_assert(strstr(error.sentence, "made no queue"));
    cr_assert_eq(read_times("\t\n"), BL_OPENCL_FAILED);
    cr_assert(strstr(error.sentence, "no kernel"));
    cr_assert_eq(read_times("\t\nkernel\t64\n"), BL_BAD_FORMAT);
    cr_assert_eq(read_times("\t\nkernel\tsoon\t16\t1500\tGPU\n"), BL_BAD_FORMAT);
    bl_trace_free(&trace);
}

static unsigned asked;
static bool is_interrupted_at_last(void *context)
{
    (void)context;
    return ++asked > 2;
}

Test(times, an_interruption_ends_the_wait_and_what_cannot_be_read_is_told)
{
    int ends[2];
    trace_reads(BL_WIRE_GLOBAL, 1, 4, 0);
    cr_assert_eq(bl_times_read(-1, NULL, &trace, &error), BL_FILE_FAILED);
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(bl_times_read(ends[0], is_interrupted_at_last, &trace, &error), BL_INTERRUPTED);
    const char *line = "\t\nkernel\t7\t1\t1\tGPU";
    cr_assert_eq(write(ends[1], line, strlen(line)), (ssize_t)strlen(line));
    close(ends[1]);
    asked = 2;
    cr_assert_eq(bl_times_read(ends[0], is_interrupted_at_last, &trace, &error), BL_INTERRUPTED);
    close(ends[0]);
    cr_assert_eq(read_times("\t\nkernel\t12x\t16\t1500\tGPU\n"), BL_BAD_FORMAT);
    cr_assert_eq(read_times("\t\nkernel\t12\t16\t1500\tGPU"), BL_OK, "without an end");
    bl_trace_free(&trace);
}

Test(program, a_plugin_that_is_nowhere_is_told)
{
    char path[4096];
    cr_assert_eq(bl_trace_find_plugin("no-such-plugin.so", path, &error), BL_USAGE);
    cr_assert(strstr(error.sentence, "liboclgrind-dev"));
}

static char *shown;
static size_t shown_bytes;

static FILE *show(void)
{
    FILE *file = open_memstream(&shown, &shown_bytes);
    cr_assert_not_null(file);
    return file;
}

Test(views, what_a_kernel_needs)
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
    bl_print_bounds(file, &trace); /* it needs nothing */
    trace.kernels[0].bound.clocks[BL_STAGE_TAGS] = 7;
    bl_print_bounds(file, &trace);
    fclose(file);
    cr_assert(strstr(shown, "clocks of the path of writes"), "%s", shown);
    cr_assert(strstr(shown, "48.8 KiB are read and 476.8 MiB written."), "%s", shown);
    cr_assert(strstr(shown, "written; estimated from 1 of 9 groups."), "%s", shown);
    cr_assert(strstr(shown, "at least 7 clocks of the tag banks"), "%s", shown);
    free(shown);
    bl_trace_free(&trace);
}

Test(views, groups_of_one_kernels_without_accesses_and_odd_sources)
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
    bl_print_trace(file, &trace);
    bl_print_annotated(file, &trace);
    fclose(file);
    cr_assert(strstr(shown, "groups of one work-item"), "%s", shown);
    cr_assert(strstr(shown, "none of the traced groups accesses memory"), "%s", shown);
    cr_assert(strstr(shown, "one ?[31m\ttwo? caf\xc3\xa9"), "%s", shown);
    free(shown);
    bl_trace_free(&trace);
}

Test(compare, requests_of_the_same_lines)
{
    trace_reads(BL_WIRE_GLOBAL, 2, 4, 128);
    struct bl_trace optimized = trace;
    begin(2, 1, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        put_access(1, BL_WIRE_PRIVATE, BL_WIRE_WRITE, 4, 0);
        for (unsigned k = 0; k < 5; k++)
            put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 4 * item);
        put_access(1, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 4 * item);
    }
    read_trace("nvidia-hopper");
    optimized.rows[0].name = strdup("input.cl");
    for (size_t i = 0; i < trace.row_count; i++)
        trace.rows[i].name = strdup("input.cl");
    cr_assert_eq(bl_trace_note_unoptimized(&optimized, &trace), 1, "line 2 is not in the other");
    cr_assert_eq(optimized.rows[0].requests, 2);
    cr_assert_eq(optimized.rows[0].unoptimized_requests, 5);
    bl_trace_free(&optimized);
    bl_trace_free(&trace);
}

Test(intel, messages_are_told_apart)
{
    static const char assembly[] =
        "//.kernel k\n"
        "L0:\n"
        "        mov (16|M0)              r1:d     0:d\n"
        "        send (16|M0)  r28:w r24 0xC 0x04205E00 // hdc.dc1; untyped surface read with x\n"
        "        sends (16|M0) null:w r32 r28 0x8C 0x04025EFE // hdc.dc1; untyped surface write\n"
        "        send (16|M0)  r9 r8 0xC 0x0 // rd:2; hdc.dc0; scratch block read x2\n"
        "        send.slm (32|M0) r9 r8 null:0 0x0 0x0 // wr:2+0, rd:2; load.slm.d32.a32\n"
        "        send.ugm (32|M0) r9 r8 null:0 0x0 0x0 // wr:2+0, rd:2; atomic_iadd.ugm.d32.a64\n"
        "(W)     send (8|M0) null r127 0x27 0x02000010 {EOT} // spawner; end of thread\n"
        "        illegal\n";
    struct bl_intel intel = {0};
    bl_intel_count(assembly, &intel);
    cr_assert_eq(intel.instructions, 7);
    cr_assert_eq(intel.messages[0][0], 1, "%u", intel.messages[0][0]);
    cr_assert_eq(intel.messages[1][1], 1);
    cr_assert_eq(intel.messages[1][0], 1);
    cr_assert_eq(intel.messages[0][2], 1);
    cr_assert_eq(intel.messages[0][1] + intel.messages[1][2], 0);
}
