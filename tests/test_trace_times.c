/* Tests the reading of launch times that were measured on a device, and the counts of instructions
 * that Intel's compiler generates. */
#include "trace/intel.h"
#include "trace/program.h"
#include "trace/times.h"
#include "trace/trace.h"
#include "trace_stream.h"

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
                            "kernel\t500\t16\t1500\tGPU of ours\n"
                            "kernel\t520\t16\t1500\tGPU of ours\n"),
                 BL_OK, "%s", error.sentence);
    cr_assert_eq(trace.kernels[0].timed.launches, 3);
    cr_assert_eq(trace.kernels[0].timed.ns, 2020);
    cr_assert_eq(trace.kernels[0].timed.first_ns, 1000);
    cr_assert_eq(trace.kernels[0].timed.median_ns, 520);
    cr_assert_eq(trace.timed_on.compute_units, 16);
    cr_assert_eq(trace.timed_on.mhz, 1500);
    cr_assert_str_eq(trace.timed_on.name, "GPU of ours");
    bl_trace_free(&trace);
}

Test(times, kernels_with_the_same_name_have_no_times)
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

Test(times, kernels_with_the_same_name_are_distinguished_by_their_sources_and_options)
{
    static const char *const texts[3][2] = {{"a b\n", "-D X"}, {"a b\n", "-DY"}, {"other", ""}};
    struct bl_trace_program programs[3] = {{0}};
    struct bl_trace_kernel kernels[3] = {{0}};
    char lines[1024];
    for (unsigned i = 0; i < 3; i++) {
        programs[i].source = (char *)texts[i][0];
        programs[i].options = i < 2 ? (char *)texts[i][1] : NULL;
        kernels[i] = (struct bl_trace_kernel){.name = "kernel", .program = i};
    }
    trace = (struct bl_trace){
        .programs = programs, .program_count = 3, .kernels = kernels, .kernel_count = 3};
    /* A driver may add spaces to options. A kernel built with other options has no match. */
    snprintf(lines, sizeof lines,
             "\t\nkernel\t1\t1\t1\tGPU\t%llx\t%llx\nkernel\t20\t1\t1\tGPU\t%llx\t%llx\n"
             "kernel\t300\t1\t1\tGPU\t%llx\t0\nkernel\t4000\t1\t1\tGPU\t%llx\t0\n"
             "kernel\t50000\t1\t1\tGPU\t1\t2\n",
             (unsigned long long)bl_wire_hash("a b"), (unsigned long long)bl_wire_hash(" -D X "),
             (unsigned long long)bl_wire_hash("a b"), (unsigned long long)bl_wire_hash("-DY"),
             (unsigned long long)bl_wire_hash("other"), (unsigned long long)bl_wire_hash("a b"));
    cr_assert_eq(read_times(lines), BL_OK, "%s", error.sentence);
    cr_assert_eq(kernels[0].timed.ns, 1);
    cr_assert_eq(kernels[1].timed.ns, 20);
    cr_assert_eq(kernels[2].timed.ns, 300, "its source alone identifies the kernel");
    cr_assert_eq(trace.ambiguous_times, 2);
}

Test(times, an_invalid_file_of_times_is_reported)
{
    trace_reads(BL_WIRE_GLOBAL, 1, 4, 0);
    cr_assert_eq(read_times(""), BL_OPENCL_FAILED);
    cr_assert(strstr(error.sentence, "created no command queue"));
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

Test(times, an_interruption_ends_the_wait_and_unreadable_output_is_reported)
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
    cr_assert_eq(read_times("\t\nkernel\t12\t16\t1500\tGPU"), BL_OK,
                 "the last line needs no newline");
    bl_trace_free(&trace);
}

Test(program, a_missing_plugin_is_reported)
{
    char path[4096];
    cr_assert_eq(bl_trace_find_plugin("no-such-plugin.so", path, &error), BL_USAGE);
    cr_assert(strstr(error.sentence, "liboclgrind-dev"));
}

Test(compilers, requests_of_the_same_line_without_optimization_are_noted)
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
    optimized.rows[0].call_sites = strdup("");
    for (size_t i = 0; i < trace.row_count; i++) {
        trace.rows[i].name = strdup("input.cl");
        trace.rows[i].call_sites = strdup("");
    }
    cr_assert_eq(bl_trace_note_unoptimized(&optimized, &trace), 1, "line 2 has no row");
    cr_assert_eq(optimized.rows[0].requests, 2);
    cr_assert_eq(optimized.rows[0].unoptimized_requests, 5);
    bl_trace_free(&optimized);
    bl_trace_free(&trace);
}

Test(intel, messages_are_counted_by_memory_and_operation)
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
        "(W)     send.ugm (1|M0) null r5 r9:2 0x0 0x0 // wr:1+2; store.ugm.d32x32t.a32.ss[a0.2]\n"
        "(W)     send (8|M0) null r127 0x27 0x02000010 {EOT} // spawner; end of thread\n"
        "        illegal\n";
    struct bl_intel intel = {0};
    bl_intel_count(assembly, &intel);
    cr_assert_eq(intel.instructions, 8);
    cr_assert_eq(intel.messages[0][0], 1, "%u", intel.messages[0][0]);
    cr_assert_eq(intel.messages[1][1], 1);
    cr_assert_eq(intel.messages[1][0], 1);
    cr_assert_eq(intel.messages[0][2], 1);
    cr_assert_eq(intel.messages[0][1] + intel.messages[1][2], 0);
}
