/* Tests the reading of traces: from the plugin's records to requests and their costs. */
#include <math.h>

#include "trace_stream.h"

static const struct bl_trace_row *row_of(unsigned line, enum bl_memory memory,
                                         enum bl_operation operation)
{
    for (size_t i = 0; i < trace.row_count; i++)
        if (trace.rows[i].line == line && trace.rows[i].memory == memory &&
            trace.rows[i].operation == operation)
            return &trace.rows[i];
    cr_assert_fail("line %u has no row", line);
    return NULL;
}

Test(trace, a_column_of_local_memory_costs_a_pass_for_each_lane)
{
    begin(1, 1, 64, 1);
    for (unsigned item = 0; item < 64; item++) {
        put_item(item);
        put_access(0, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 128 * item);
    }
    put_end();
    cr_assert_eq(read_all("nvidia-hopper"), BL_OK, "%s", error.sentence);
    cr_assert(trace.is_whole);
    cr_assert_eq(trace.row_count, 1);
    const struct bl_trace_row *row = row_of(1, BL_MEMORY_LOCAL, BL_OPERATION_READ);
    cr_assert_eq(row->requests, 2);
    cr_assert_eq(row->lanes, 64);
    cr_assert_eq(row->own.bank_passes, 64);
    cr_assert_eq(row->ideal.bank_passes, 2);
    cr_assert_eq(row->own.lines, 0);
    cr_assert_float_eq(row->share, 1, 1e-9);
    cr_assert_float_eq(bl_trace_lost(row), 62, 1e-9);
    bl_trace_free(&trace);
}

Test(trace, a_request_is_the_kth_execution_by_the_lanes_of_one_sub_group)
{
    begin(2, 1, 40, 1);
    for (unsigned item = 0; item < 40; item++) {
        put_item(item);
        for (unsigned k = 0; k <= item % 3; k++) /* one to three times, so lanes diverge */
            put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 4 * item + 4096 * k);
        put_access(1, BL_WIRE_GLOBAL, BL_WIRE_WRITE, 4, buffer + 4 * item);
    }
    put_end();
    cr_assert_eq(read_all("nvidia-hopper"), BL_OK, "%s", error.sentence);
    const struct bl_trace_row *reads = row_of(1, BL_MEMORY_GLOBAL, BL_OPERATION_READ);
    cr_assert_eq(reads->requests, 2 * 3, "two sub-groups, the second with 8 lanes");
    cr_assert_eq(reads->lanes, 40 + 26 + 13);
    cr_assert_eq(reads->accesses, 40 + 26 + 13);
    const struct bl_trace_row *writes = row_of(2, BL_MEMORY_GLOBAL, BL_OPERATION_WRITE);
    cr_assert_eq(writes->requests, 2);
    cr_assert_eq(writes->own.lines, 2);
    bl_trace_free(&trace);
}

Test(trace, a_barrier_may_interleave_the_records_of_work_items)
{
    begin(1, 1, 32, 1);
    for (unsigned half = 0; half < 2; half++)
        for (unsigned item = 0; item < 32; item++) {
            put_item(item);
            put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 4 * item + 128 * half);
        }
    put_end();
    cr_assert_eq(read_all("nvidia-hopper"), BL_OK);
    const struct bl_trace_row *row = row_of(1, BL_MEMORY_GLOBAL, BL_OPERATION_READ);
    cr_assert_eq(row->requests, 2);
    cr_assert_eq(row->own.lines, 2);
    bl_trace_free(&trace);
}

Test(trace, accesses_without_a_rule_are_counted_and_cost_nothing)
{
    begin(2, 1, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        put_access(0, BL_WIRE_PRIVATE, BL_WIRE_READ, 4, 4 * (item % 4));
        put_access(1, BL_WIRE_GLOBAL, BL_WIRE_ATOMIC, 4, buffer);
    }
    put_end();
    cr_assert_eq(read_all("nvidia-hopper"), BL_OK);
    const struct bl_trace_row *private = row_of(1, BL_MEMORY_PRIVATE, BL_OPERATION_READ);
    cr_assert_eq(private->requests, 1);
    cr_assert(isnan(private->clocks) && isnan(private->share));
    cr_assert_eq(bl_trace_lost(private), 0);
    const struct bl_trace_row *atomic = row_of(2, BL_MEMORY_GLOBAL, BL_OPERATION_ATOMIC);
    cr_assert_not(atomic->has_rule);
    bl_trace_free(&trace);
}

Test(trace, a_wide_access_is_split_into_requests_of_the_machine)
{
    begin(2, 4, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 16, buffer + 16 * item);
        put_access(1, BL_WIRE_GLOBAL, BL_WIRE_WRITE, 2056,
                   buffer + 2056 * item); /* as if a struct were copied */
    }
    put_end();
    cr_assert_eq(read_all("nvidia-hopper"), BL_OK);
    const struct bl_trace_row *row = row_of(1, BL_MEMORY_GLOBAL, BL_OPERATION_READ);
    cr_assert_eq(row->own.requests, 1);
    cr_assert_eq(row->own.lines, 4);
    const struct bl_trace_row *wide = row_of(2, BL_MEMORY_GLOBAL, BL_OPERATION_WRITE);
    cr_assert_eq(wide->requests, 1);
    cr_assert_gt(wide->own.requests, 128);
    bl_trace_free(&trace);
}

Test(trace, each_part_of_a_wide_access_has_its_own_addresses)
{
    begin(1, 8, 32, 1);
    for (unsigned item = 0; item < 2; item++) {
        put_item(item);
        put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 32, buffer + 112 - 16 * item);
    }
    put_end();
    cr_assert_eq(read_all("nvidia-hopper"), BL_OK);
    const struct bl_trace_row *row = row_of(1, BL_MEMORY_GLOBAL, BL_OPERATION_READ);
    cr_assert_eq(row->own.requests, 2);
    cr_assert_eq(row->own.lines, 1 + 2, "the second half of the access is in two lines");
    bl_trace_free(&trace);
}

/* With vloadn, the machine makes a request for each component. An aligned vector takes fewer. */
Test(trace, the_ideal_of_a_vector_of_unknown_alignment_is_an_aligned_vector)
{
    double clocks[2], ideal[2];
    for (unsigned is_unaligned = 0; is_unaligned < 2; is_unaligned++) {
        alignment_of_stream = is_unaligned ? 4 : 0;
        begin(1, 4, 32, 1);
        alignment_of_stream = 0;
        for (unsigned item = 0; item < 32; item++) {
            put_item(item);
            put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 16, buffer + 16 * item);
        }
        read_trace("nvidia-hopper");
        const struct bl_trace_row *row = row_of(1, BL_MEMORY_GLOBAL, BL_OPERATION_READ);
        clocks[is_unaligned] = row->clocks;
        ideal[is_unaligned] = row->ideal_clocks;
        bl_trace_free(&trace);
    }
    cr_expect_float_eq(clocks[0], ideal[0], 1e-9);
    cr_expect_gt(clocks[1], clocks[0], "%g and %g clocks", clocks[1], clocks[0]);
    cr_expect_float_eq(ideal[1], ideal[0], 1e-9, "%g and %g clocks", ideal[1], ideal[0]);
}

/* Makes a trace of two processes. Each launches a kernel of its program three times. */
static void run_twice(const char *const sources[2])
{
    stream_bytes = 0;
    for (unsigned process = 0; process < 2; process++) {
        put_hello();
        put_source(0, sources[process]);
        for (unsigned launch = 0; launch < 3; launch++) {
            put_kernel(0, "kernel", 16, 1);
            if (launch == 0)
                put_instruction(0, 7, 1, "input.cl");
            put_group(16);
            put_item(0);
            put_access(0, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer);
            put(BL_WIRE_COPY, 0, 0, 64);
            put(BL_WIRE_GROUP_END, 0, 0, 5);
            put(BL_WIRE_KERNEL_END, 0, 0, 9);
        }
        put(BL_WIRE_END, 0, 0, 0);
    }
}

Test(trace, launches_of_all_processes_are_added_up)
{
    run_twice((const char *const[]){"text of a program\n", "text of another\n"});
    cr_assert_eq(read_all("intel-gen9"), BL_OK, "%s", error.sentence);
    cr_assert_eq(trace.kernel_count, 2, "another source is another program");
    cr_assert_eq(trace.kernels[1].launches, 3);
    cr_assert_eq(trace.kernels[1].groups, 27);
    cr_assert_eq(trace.kernels[1].traced_groups, 3);
    cr_assert_eq(trace.kernels[1].left_out, 15);
    cr_assert_eq(trace.kernels[1].copied_bytes, 192);
    cr_assert_eq(trace.row_count, 2);
    bl_trace_free(&trace);
    run_twice((const char *const[]){"text of a program\n", "text of a program\n"});
    cr_assert_eq(read_all("intel-gen9"), BL_OK, "%s", error.sentence);
    cr_assert_eq(trace.kernel_count, 1, "a program that is built again counts as the same program");
    cr_assert_eq(trace.kernels[0].launches, 6);
    cr_assert_eq(trace.kernels[0].traced_groups, 6);
    bl_trace_free(&trace);
}

Test(trace, a_truncated_trace_keeps_its_complete_records)
{
    begin(1, 1, 32, 1);
    const size_t before = stream_bytes;
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 4 * item);
    }
    put_end();
    for (size_t bytes = 0; bytes < stream_bytes; bytes += 5) {
        cr_assert_eq(read_some("nvidia-hopper", bytes), BL_OK, "%zu: %s", bytes, error.sentence);
        /* The last record may be missing: it only says that Oclgrind ends. */
        cr_assert_eq(trace.is_whole, bytes >= stream_bytes - sizeof(struct bl_wire_record), "%zu",
                     bytes);
        cr_assert_eq(trace.row_count, bytes >= before + 2 * sizeof(struct bl_wire_record), "%zu",
                     bytes);
        bl_trace_free(&trace);
    }
}

Test(trace, an_aborted_launch_counts_with_the_accesses_before_its_end)
{
    begin(1, 1, 32, 1);
    put_item(0);
    put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer);
    put(BL_WIRE_KERNEL_END, 0, 0, 1); /* the launch ends in the middle of the group */
    put_kernel(0, "kernel", 32, 1);
    put_group(32);
    put_item(0);
    put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer);
    put(BL_WIRE_GROUP_END, 0, 0, 0);
    put(BL_WIRE_KERNEL_END, 0, 0, 1);
    put_kernel(0, "kernel", 32, 1);
    put_group(32);
    put(BL_WIRE_KERNEL_END, 0, 0, 1); /* the launch ends before the first access of its group */
    cr_assert_eq(read_all("nvidia-hopper"), BL_OK, "%s", error.sentence);
    cr_assert(trace.is_whole);
    cr_assert_eq(trace.kernels[0].launches, 3);
    cr_assert_eq(trace.kernels[0].aborted, 2);
    cr_assert_eq(trace.kernels[0].traced_groups, 3);
    cr_assert_eq(trace.kernels[0].groups, 3);
    cr_assert_eq(row_of(1, BL_MEMORY_GLOBAL, BL_OPERATION_READ)->requests, 2);
    bl_trace_free(&trace);
}

Test(trace, launches_that_a_budget_shortens_or_omits_are_counted)
{
    begin(1, 1, 32, 1);
    put_item(0);
    put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer);
    put(BL_WIRE_GROUP_END, 0, 0, 0);
    put(BL_WIRE_KERNEL_END, 0, 0, 9);
    for (unsigned shortened = 0; shortened < 2; shortened++) {
        put_kernel(0, "kernel", 32, 1);
        put(BL_WIRE_KERNEL_END, shortened, 0, 9);
    }
    cr_assert_eq(read_all("nvidia-hopper"), BL_OK, "%s", error.sentence);
    const struct bl_trace_kernel *kernel = &trace.kernels[0];
    cr_assert_eq(kernel->launches, 3);
    cr_assert_eq(kernel->untraced_launches, 2);
    cr_assert_eq(kernel->shortened_launches, 1);
    cr_assert_eq(kernel->groups, 27);
    cr_assert_eq(kernel->traced_groups, 1);
    cr_assert_eq(kernel->aborted, 0);
    cr_assert_float_eq(kernel->bound.read_bytes, 3 * 32, 1e-9,
                       "each of the three launches counts as reading one sector");
    bl_trace_free(&trace);
}

Test(trace, a_reduced_trace_keeps_runs_of_four_occurrences_spread_over_each_instruction)
{
    enum {
        INSTRUCTIONS = 2,
        OCCURRENCES = 100,
        ITEMS = 32,
        ALL = INSTRUCTIONS * OCCURRENCES * ITEMS
    };
    static struct bl_access all[ALL];
    struct bl_access *fewer = NULL;
    for (unsigned i = 0; i < ALL; i++)
        all[i] = (struct bl_access){.instruction = i / (OCCURRENCES * ITEMS),
                                    .occurrence = i / ITEMS % OCCURRENCES,
                                    .item = i % ITEMS};
    cr_assert_eq(bl_trace_fewer(&fewer, all, ALL, ALL), ALL);
    for (unsigned max = 4; max < OCCURRENCES; max++) {
        const unsigned kept =
                           (unsigned)bl_trace_fewer(&fewer, all, ALL, max * INSTRUCTIONS * ITEMS),
                       occurrences = kept / (INSTRUCTIONS * ITEMS);
        cr_assert(occurrences <= max && occurrences + 4 > max, "%u of at most %u", occurrences,
                  max);
        unsigned run = 0;
        for (unsigned i = 0; i < kept; i++) {
            const unsigned occurrence = fewer[i].occurrence, nth = i / ITEMS % occurrences;
            run = nth % 4 == 0 ? occurrence : run;
            cr_assert(fewer[i].instruction == i / (occurrences * ITEMS) &&
                          fewer[i].item == i % ITEMS && occurrence == run + nth % 4 &&
                          occurrence == fewer[nth * ITEMS].occurrence,
                      "access %u of %u", i, kept);
            const double even = (double)nth * OCCURRENCES / occurrences;
            cr_assert_leq(fabs(occurrence - even), 2.0 * OCCURRENCES * 4 / occurrences,
                          "%u is occurrence %u of %u", nth, occurrence, occurrences);
        }
    }
    for (unsigned max = 1; max < 4; max++) {
        cr_assert_eq(bl_trace_fewer(&fewer, all, ALL, max * INSTRUCTIONS * ITEMS),
                     max * INSTRUCTIONS * ITEMS);
        cr_assert_eq(fewer[max * ITEMS - 1].occurrence, max - 1);
    }
    cr_assert_eq(bl_trace_fewer(&fewer, all, ALL, 1), INSTRUCTIONS * ITEMS,
                 "at least one occurrence of each instruction");
    free(fewer);
}

Test(trace, records_of_a_process_that_ended_within_a_launch_are_kept)
{
    begin(1, 1, 32, 1);
    put_item(0);
    put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer);
    const size_t first = stream_bytes; /* here another process starts, as in a script */
    put_hello();
    put_source(0, "another\n");
    put_instruction(0, 1, 1, "input.cl");
    put_kernel(0, "other", 32, 1);
    put_group(32);
    put_item(0);
    put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer);
    put_end();
    cr_assert_eq(read_all("nvidia-hopper"), BL_OK, "%s", error.sentence);
    cr_assert_eq(trace.kernel_count, 2);
    for (unsigned k = 0; k < 2; k++) {
        cr_assert_eq(trace.kernels[k].groups, 1);
        cr_assert_eq(trace.kernels[k].traced_groups, 1);
        cr_assert_eq(trace.kernels[k].bound.read_bytes, 32);
    }
    cr_assert_eq(trace.row_count, 2);
    cr_assert(trace.is_whole);
    bl_trace_free(&trace);
    cr_assert_eq(read_some("nvidia-hopper", first), BL_OK);
    cr_assert_not(trace.is_whole);
    cr_assert_eq(trace.kernels[0].groups, 1);
    bl_trace_free(&trace);
}

/* Records a launch with one request. In each process, its program and instruction are number 0. */
static void put_launch(uint32_t process, const char *name)
{
    put(BL_WIRE_PROCESS, process, 0, 0);
    put_kernel(0, name, 32, 1);
    put_group(32);
    put_item(0);
    put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer);
    put_end();
}

Test(trace, an_empty_launch_does_not_differ_in_size)
{
    stream_bytes = 0;
    put_hello();
    put_source(0, "one");
    put_instruction(0, 1, 1, "input.cl");
    put_kernel(0, "one", 0, 1);
    put(BL_WIRE_KERNEL_END, 0, 0, 0);
    for (unsigned width = 32; width <= 64; width += 32) {
        put_kernel(0, "one", width, 1);
        put(BL_WIRE_KERNEL_END, 0, 0, 0);
        put(BL_WIRE_END, 0, 0, 0);
        cr_assert_eq(read_all("nvidia-hopper"), BL_OK, "%s", error.sentence);
        cr_expect_eq(trace.kernels[0].sizes_differ, width == 64, "%u work-items", width);
        bl_trace_free(&trace);
        stream_bytes -= sizeof(struct bl_wire_record); /* the next launch replaces the END */
    }
}

Test(trace, the_numbers_of_processes_that_write_in_turns_are_kept_apart)
{
    static const char *const names[] = {"one", "other"};
    stream_bytes = 0;
    for (uint32_t process = 0; process < 2; process++) {
        put(BL_WIRE_HELLO, 10 + process, 0, BL_WIRE_VERSION);
        put_source(0, names[process]);
        put_instruction(0, 1 + process, 1, "input.cl");
    }
    for (uint32_t turn = 0; turn < 4; turn++)
        put_launch(10 + turn % 2, names[turn % 2]);
    put(BL_WIRE_END, 0, 0, 0); /* the second process ends */
    put_launch(10, "one");     /* the first process launches once more */
    cr_assert_eq(read_all("nvidia-hopper"), BL_OK, "%s", error.sentence);
    cr_assert_eq(trace.kernel_count, 2);
    for (unsigned k = 0; k < 2; k++) {
        cr_assert_str_eq(trace.kernels[k].name, names[k]);
        cr_assert_eq(trace.kernels[k].launches, k == 0 ? 3 : 2);
        cr_assert_eq(trace.kernels[k].program, k);
        cr_assert_eq(trace.rows[k].line, 1 + k);
    }
    cr_assert(trace.is_whole);
    bl_trace_free(&trace);
}

Test(trace, host_threads_may_be_recorded_at_any_point_of_the_trace)
{
    begin(1, 1, 32, 1);
    put(BL_WIRE_THREADS, 0, 0, 2);
    put_item(0);
    put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer);
    put(BL_WIRE_THREADS, 0, 0, 3);
    read_trace("nvidia-hopper");
    cr_assert_eq(trace.host_threads, 3);
    cr_assert_eq(trace.rows[0].requests, 1);
    bl_trace_free(&trace);
}

static void refused(const char *words)
{
    cr_assert_eq(read_all("nvidia-hopper"), BL_BAD_FORMAT, "%s", words);
    cr_assert_not_null(strstr(error.sentence, words), "%s", error.sentence);
    bl_trace_free(&trace);
}

Test(trace, records_out_of_order_are_refused)
{
    stream_bytes = 0;
    put_source(0, "text");
    refused("it does not begin with the version");
    stream_bytes = 0;
    put(BL_WIRE_HELLO, 0, 0, BL_WIRE_VERSION + 1);
    refused("another version");
    stream_bytes = 0;
    put_hello();
    put(99, 0, 0, 0);
    refused("an unknown kind");
    stream_bytes = 0;
    put_hello();
    put_source(4, "text");
    refused("a program is out of order");
    stream_bytes = 0;
    put_hello();
    put_instruction(1, 1, 1, "x");
    refused("an instruction is out of order");
    stream_bytes = 0;
    put_hello();
    put_kernel(3, "kernel", 1, 1);
    refused("a kernel belongs to no program");
    stream_bytes = 0;
    put_hello();
    put(BL_WIRE_PROCESS, 7, 0, 0);
    refused("a process that did not begin");
    stream_bytes = 0;
    put_hello();
    put_group(16);
    refused("a group is out of order");
    stream_bytes = 0;
    put_hello();
    put(BL_WIRE_GROUP_END, 0, 0, 0);
    refused("a group ends that did not begin");
    stream_bytes = 0;
    put_hello();
    put(BL_WIRE_KERNEL_END, 0, 0, 0);
    refused("a kernel ends that did not begin");
    stream_bytes = 0;
    put_hello();
    put(BL_WIRE_KERNEL, 0, 3, 0);
    refused("an impossible length");
    stream_bytes = 0;
    put_hello();
    put(BL_WIRE_SOURCE, 0, (uint64_t)1 << 40, 0);
    refused("an impossible length");
    begin(1, 1, 32, 1);
    put_access(0, BL_WIRE_LOCAL, BL_WIRE_READ, 4, 0);
    refused("an access is out of order");
    for (unsigned i = 0; i < 5; i++) {
        begin(1, 1, 32, 1);
        put_item(i == 0 ? 32 : 0);
        put_access(i == 1, i == 2 ? BL_WIRE_DECLARED + 1 : BL_WIRE_LOCAL, i == 3 ? 3 : BL_WIRE_READ,
                   i == 4 ? 0 : 4, 0);
        refused("an access is out of order");
    }
}

static bool interrupted(void *context)
{
    (void)context;
    return true;
}

Test(trace, an_interruption_ends_the_trace_and_unreadable_input_is_reported)
{
    begin(1, 1, 32, 1);
    FILE *file = tmpfile();
    fwrite(stream, 1, stream_bytes, file);
    fflush(file);
    lseek(fileno(file), 0, SEEK_SET);
    const struct bl_trace_progress progress = {.is_interrupted = interrupted};
    cr_assert_eq(bl_machine_find("nvidia-hopper", &trace.machine, &error), BL_OK);
    cr_assert_eq(bl_trace_read(fileno(file), &progress, &trace, &error), BL_INTERRUPTED);
    bl_trace_free(&trace);
    cr_assert_eq(bl_trace_read(-1, &progress, &trace, &error), BL_FILE_FAILED);
    cr_assert_not_null(strstr(error.sentence, "cannot read the trace"));
    fclose(file);
}
