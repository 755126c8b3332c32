/* Tests traces and inferences in which one allocation fails: in traces each allocation in turn, in
 * inferences some of the allocations. No device is needed. */
#include <criterion/criterion.h>
#include <math.h>

#include "cli/infer_view.h"
#include "cli/trace_view.h"
#include "failing_allocations.h"
#include "infer/infer.h"
#include "model/expression.h"
#include "report/json_values.h"
#include "simulated_target.h"
#include "trace/bounds.h"
#include "trace/documents.h"
#include "trace/gate.h"
#include "trace/predicted.h"
#include "trace/replay.h"
#include "trace/times.h"
#include "trace/trace.h"
#include "trace_stream.h"

static const char source[] = "kernel void a(global int *data)\n{\n    data[0]++;\n}\n";

/* Makes a stream of two kernels. Each work-item executes four instructions, which access local,
 * global and private memory. */
static void make_stream(void)
{
    stream_bytes = 0;
    put_hello();
    put_source(0, source);
    for (uint32_t i = 0; i < 40; i++)
        put_instruction(i, 1 + i % 3, 1, i % 2 ? "input.cl" : "/a/header.h");
    for (unsigned kernel = 0; kernel < 2; kernel++) {
        put_kernel(0, kernel ? "b" : "a", 16, 2);
        put_group(32);
        for (uint32_t item = 0; item < 32; item++) {
            put_item(item);
            put_access(0, BL_WIRE_LOCAL, BL_WIRE_READ, 4, buffer + 128 * item);
            put_access(1, BL_WIRE_GLOBAL, BL_WIRE_WRITE, 4, buffer + 64 * item);
            put_access(2 + 30 * kernel, BL_WIRE_GLOBAL, BL_WIRE_READ, 4,
                       buffer + 4096 * (item % 16));
            put_access(3, BL_WIRE_PRIVATE, BL_WIRE_READ, 4, 4);
        }
        put(BL_WIRE_GROUP_END, 0, 0, 3);
        put(BL_WIRE_KERNEL_END, 0, 0, 2);
    }
    put(BL_WIRE_END, 0, 0, 0);
}

/* Adds results to the trace as if a device had measured them. */
static enum bl_status go_on_device(struct bl_suggestions *suggestions)
{
    const struct bl_delivery delivery = {
        .read_bytes_per_ns = {2, NAN, 1}, .written_bytes_per_ns = {1, NAN, 1}, .clock_ns = 1};
    enum bl_status status = bl_trace_bound(&trace, &error);
    FILE *times = fopen("/dev/null", "r");
    struct bl_trace_kernel *kernel = &trace.kernels[0];
    struct bl_replay_input input;
    bl_replay_input(&trace, &trace.rows[0], &input);
    struct bl_expression expression;
    if (status == BL_OK)
        status = bl_expression_of_table("table", input.starts, 32, &expression, &error);
    if (status == BL_OK)
        bl_expression_free(&expression);
    struct bl_error none;
    if (status == BL_OK && bl_times_read(fileno(times), NULL, &trace, &none) == BL_NO_MEMORY)
        status = bl_fail(&error, BL_NO_MEMORY, "no memory for the times");
    fclose(times);
    trace.timed_on = (struct bl_timed_device){"a device", 2, 1000, true, false};
    kernel->timed = (struct bl_timed){.launches = 3, .ns = 12345678};
    kernel->intel = (struct bl_intel){.simd = 16, .instructions = 99};
    kernel->bound.read_bytes = 1e9;
    bl_trace_bound_times(&trace, &delivery);
    bl_trace_suggest_on_device(&trace, suggestions);
    strcpy(trace.replayed_on, "a device");
    trace.rows[0].replayed = (struct bl_replayed){.is_tried = true,
                                                  .predicted = 0.5,
                                                  .measured = 0.49,
                                                  .low = 0.48,
                                                  .high = 0.5,
                                                  .verdict = BL_CONFIRMED};
    trace.rows[1].replayed = (struct bl_replayed){.is_tried = true,
                                                  .predicted = NAN,
                                                  .measured = NAN,
                                                  .low = NAN,
                                                  .high = NAN,
                                                  .verdict = BL_NO_VERDICT,
                                                  .why_not = "it is a test"};
    bl_trace_note_unoptimized(&trace, &trace);
    return status;
}

/* Saves the trace, reads it back, and compares it with itself in every format. */
static enum bl_status save_and_compare(FILE *nowhere)
{
    char path[] = "/tmp/bankline-saved-XXXXXX";
    const int descriptor = mkstemp(path);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    struct bl_saved_trace now = {0}, then = {0};
    struct bl_gate gate = {0};
    enum bl_status status = file ? bl_saved_of(&trace, "1", "all", 7, &now, &error)
                                 : bl_fail(&error, BL_NO_MEMORY, "no memory for a file");
    if (status == BL_OK)
        status = bl_saved_write(file, &now, &error);
    if (file)
        fclose(file);
    if (status == BL_OK)
        status = bl_saved_read(path, &then, &error);
    /* If there is no memory for the file's stream, the C library reports only that the file cannot
     * be opened. */
    if (status == BL_FILE_FAILED)
        status = bl_fail(&error, BL_NO_MEMORY, "no memory for the file's stream");
    if (status == BL_OK)
        status = bl_gate_compare(&then, &now, 0.02, &gate, &error);
    if (status == BL_OK) {
        bl_gate_table(nowhere, &gate, "then");
        bl_gate_csv(nowhere, &gate);
        bl_gate_markdown(nowhere, &gate);
        status = bl_gate_junit(nowhere, &gate, &error);
    }
    if (status == BL_OK && bl_json_is_built(NULL) == BL_OK)
        status = bl_gate_json(nowhere, &gate, &error);
    if (status == BL_OK && bl_json_is_built(NULL) == BL_OK)
        status = bl_saved_bencher(nowhere, &now, &error);
    bl_gate_free(&gate);
    bl_saved_free(&now);
    bl_saved_free(&then);
    unlink(path);
    return status;
}

static enum bl_status trace_all(FILE *file, const char *folder)
{
    const struct bl_trace_progress progress = {0};
    const struct bl_trace_origin origin = {"1", "now", true};
    const char *const words[] = {folder, NULL};
    struct bl_suggestions suggestions = {0};
    FILE *nowhere = fopen("/dev/null", "w");
    rewind(file);
    cr_assert_eq(lseek(fileno(file), 0, SEEK_SET), 0);
    trace = (struct bl_trace){0};
    error = (struct bl_error){0};
    cr_assert_eq(bl_machine_find("nvidia-hopper", &trace.machine, &error), BL_OK);
    struct bl_predicting predicting = {0};
    trace.predicting = &predicting;
    enum bl_status status = bl_trace_read(fileno(file), &progress, &trace, &error);
    if (status == BL_OK)
        status = bl_trace_name_files(&trace, words, &error);
    bl_predict_finish(&trace);
    if (status == BL_OK)
        status = bl_trace_suggest(&trace, &suggestions, &error);
    if (status == BL_OK)
        status = bl_predict_fixes(&trace, &suggestions, &error);
    if (status == BL_OK)
        status = save_and_compare(nowhere);
    if (status == BL_OK)
        status = go_on_device(&suggestions);
    if (status == BL_OK) {
        bl_print_bounds(nowhere, &trace);
        bl_print_replayed(nowhere, &trace);
        bl_print_unoptimized(nowhere, &trace, &trace);
        bl_print_intel(nowhere, &trace);
        bl_print_annotated(nowhere, &trace);
        status = bl_print_trace(nowhere, &trace, &(struct bl_kernel_choice){0}, &error);
        size_t *numbers =
            bl_number_suggestions(&trace, &suggestions, &(struct bl_kernel_choice){0});
        bl_print_suggestions(nowhere, &trace, &suggestions, numbers);
        bl_print_predicted(nowhere, &trace, &suggestions, numbers);
        free(numbers);
        bl_trace_csv(nowhere, &trace, &origin);
        bl_trace_markdown(nowhere, &trace, &suggestions);
        if (status == BL_OK && bl_json_is_built(NULL) == BL_OK)
            status = bl_trace_json(nowhere, &trace, &suggestions, &origin, &error);
    }
    fclose(nowhere);
    bl_suggestions_free(&suggestions);
    bl_trace_free(&trace);
    bl_predicting_free(&predicting);
    return status;
}

Test(no_memory, a_trace_without_memory_fails_with_a_message)
{
    char folder[] = "/tmp/bankline-memory-XXXXXX", name[64], command[64];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(name, sizeof name, "%s/a.cl", folder);
    FILE *kernel = fopen(name, "w");
    fputs(source, kernel);
    fclose(kernel);
    make_stream();
    FILE *file = tmpfile();
    cr_assert_eq(fwrite(stream, 1, stream_bytes, file), stream_bytes);
    fflush(file);
    unsigned failed = 0, points = 0;
    for (bool is_reached = true; is_reached; points++) {
        until_failure = points;
        const enum bl_status status = trace_all(file, folder);
        is_reached = until_failure < 0;
        until_failure = -1;
        cr_assert(status == BL_OK || status == BL_NO_MEMORY, "allocation %u: %s", points,
                  error.sentence);
        cr_assert(status == BL_OK || error.sentence[0], "allocation %u", points);
        failed += status == BL_NO_MEMORY;
    }
    cr_assert_gt(failed, 50, "only %u of %u failures were reported", failed, points);
    fclose(file);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

/* Makes launches whose work-groups have two sub-groups. The sub-groups read global memory, exchange
 * data through local memory, and write global memory. */
static void make_predicted_stream(unsigned launches)
{
    static const char name[] = "exchange";
    const struct bl_wire_kernel told = {{256, 1, 1}, {64, 1, 1}, {4, 1, 1}};
    stream_bytes = 0;
    put_hello();
    put_source(0, source);
    for (uint32_t i = 0; i < 4; i++)
        put_instruction(i, 1 + i % 3, 1, "input.cl");
    for (unsigned launch = 0; launch < launches; launch++) {
        put(BL_WIRE_KERNEL, 0, sizeof told + sizeof name - 1, 0);
        put_bytes(&told, sizeof told);
        put_bytes(name, sizeof name - 1);
        for (uint64_t group = 0; group < 4; group += 3) {
            put(BL_WIRE_GROUP, 64, 0, group);
            for (uint32_t item = 0; item < 64; item++) {
                put_item(item);
                put_access(0, BL_WIRE_GLOBAL, BL_WIRE_READ, 4, buffer + 4 * (64 * group + item));
                put_work(0, 3, 2, item % 2);
                put_access(1, BL_WIRE_LOCAL, BL_WIRE_WRITE, 4, 2 * buffer + 4 * item);
            }
            put(BL_WIRE_BARRIER, 0, 0, 0);
            for (uint32_t item = 0; item < 64; item++) {
                put_item(item);
                put_access(2, BL_WIRE_LOCAL, BL_WIRE_READ, 4, 2 * buffer + 4 * (63 - item));
                put_work(2, 1, 1, false);
                put_access(3, BL_WIRE_GLOBAL, BL_WIRE_WRITE, 4,
                           3 * buffer + 4 * (64 * group + item));
            }
            put(BL_WIRE_GROUP_END, 0, 0, 0);
        }
        put(BL_WIRE_KERNEL_END, 0, 0, 4);
    }
    put(BL_WIRE_END, 0, 0, 0);
}

/* Reads the stream and predicts a time. *ns: the predicted time of a launch; 0 if there is none. */
static enum bl_status predict_all(FILE *file, double *ns)
{
    const struct bl_trace_progress progress = {0};
    struct bl_predicting predicting = {0};
    cr_assert_eq(lseek(fileno(file), 0, SEEK_SET), 0);
    trace = (struct bl_trace){.predicting = &predicting};
    error = (struct bl_error){0};
    cr_assert_eq(bl_machine_find("nvidia-hopper", &trace.machine, &error), BL_OK);
    enum bl_status status = bl_trace_read(fileno(file), &progress, &trace, &error);
    if (status == BL_OK)
        status = bl_trace_bound(&trace, &error);
    if (status == BL_OK)
        bl_predict_finish(&trace);
    *ns = status == BL_OK && trace.kernel_count == 1 ? trace.kernels[0].predicted.ns : 0;
    bl_trace_free(&trace);
    bl_predicting_free(&predicting);
    return status;
}

Test(no_memory, a_prediction_without_memory_is_unchanged_or_fails)
{
    make_predicted_stream(3);
    FILE *file = tmpfile();
    cr_assert(file && fwrite(stream, 1, stream_bytes, file) == stream_bytes && fflush(file) == 0);
    double ns, usual_ns;
    unsigned failed = 0;
    bool is_reached = true;
    cr_assert_eq(predict_all(file, &usual_ns), BL_OK, "%s", error.sentence);
    cr_assert_gt(usual_ns, 0);
    for (long point = 0; is_reached; point++) {
        until_failure = point;
        const enum bl_status status = predict_all(file, &ns);
        is_reached = until_failure < 0;
        until_failure = -1;
        if (status == BL_OK)
            cr_assert_float_eq(ns, usual_ns, 1e-6, "allocation %ld: %g ns, not %g", point, ns,
                               usual_ns);
        else
            cr_assert(status == BL_NO_MEMORY && error.sentence[0], "allocation %ld: status %d",
                      point, status);
        failed += status != BL_OK;
    }
    cr_assert_gt(failed, 100, "%u", failed);
    fclose(file);
}

Test(no_memory, an_inference_without_memory_fails_with_a_message)
{
    unsigned failed = 0;
    bool is_reached = true;
    for (long point = 0; is_reached; point += 1 + point / 8) {
        struct simulated simulated;
        struct bl_findings findings;
        simulated_make(&simulated, 3 + (uint64_t)point % 5, 0.01);
        if (point % 2)
            cr_assert_eq(bl_machine_find("intel-xe-hpg", &simulated.hypotheses, NULL), BL_OK);
        error = (struct bl_error){0};
        until_failure = point;
        const enum bl_status status = simulated_infer(&simulated, &findings, &error);
        is_reached = until_failure < 0;
        until_failure = -1;
        cr_assert(status == BL_OK || status == BL_NO_MEMORY, "allocation %ld: %s", point,
                  error.sentence);
        cr_assert(is_reached || status == BL_OK, "allocation %ld", point);
        failed += status == BL_NO_MEMORY;
        bl_findings_free(&findings);
    }
    cr_assert_gt(failed, 10, "%u", failed);
}
