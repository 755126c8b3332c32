/* Tests that the probes of `bankline infer` compute the right results on an OpenCL device. */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "cl/cl_error.h"
#include "cl/session.h"
#include "infer/device_inside.h"
#include "infer/target.h"
#include "sample.h"

static struct bl_device *devices;
static struct bl_session *session;
static struct bl_device_target *opened;
static struct bl_target target;
static struct bl_error error;

static void open_device(void)
{
    size_t count;
    const struct bl_device *device;
    const struct bl_wait_limits limits = {.deadline_s = 60};
    cr_assert_eq(bl_devices_list(&devices, &count, &error), BL_OK, "%s", error.sentence);
    cr_assert_eq(bl_device_select(devices, count, "portable", &device, &error), BL_OK);
    cr_assert_eq(bl_session_open(device, NULL, &limits, &session, &error), BL_OK);
    cr_assert_eq(bl_device_target_open(session, device, 128 << 20, &opened, &target, &error), BL_OK,
                 "%s", error.sentence);
}

static void close_device(void)
{
    bl_device_target_close(opened);
    bl_session_close(session);
    free(devices);
}

TestSuite(infer_device, .init = open_device, .fini = close_device);

/* Runs a probe of requests in which work-item i accesses element i from `begin` on. Every fifth
 * work-item is idle. */
static enum bl_status lanes(enum bl_memory memory, enum bl_probe_access access,
                            const char *type_name, unsigned tables, uint64_t begin)
{
    struct bl_type type;
    cr_assert_eq(bl_type_named(type_name, &type, &error), BL_OK);
    struct bl_lanes_probe probe = {
        .memory = memory, .access = access, .type = &type, .step_bytes = 4096, .tables = tables};
    for (unsigned i = 0; i < 2 * BL_TABLE_ITEMS; i++)
        probe.places[i / BL_TABLE_ITEMS][i % BL_TABLE_ITEMS] =
            i % 5 == 4 ? BL_IDLE : begin + i * type.element_bytes;
    double ns = 0;
    const enum bl_status status = target.lanes(target.context, &probe, &ns, &error);
    cr_assert(status != BL_OK || ns > 0);
    return status;
}

Test(infer_device, requests_of_every_memory_type_and_access_have_the_right_sums)
{
    static const char *const types[] = {"uchar", "ushort", "int", "int2", "int3", "int4", "int8"};
    const uint64_t home = target.limits.arrays[0].address;
    struct sample sample = sample_of("types");
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        for (unsigned tables = 1; tables <= 2; tables++) {
            if (!sample_takes(&sample, i == 0 && tables == 2))
                continue;
            cr_assert_eq(
                lanes(BL_MEMORY_GLOBAL, BL_PROBE_READ, types[i], tables, home + (64 << 20)), BL_OK,
                "%s: %s", types[i], error.sentence);
            cr_assert_eq(lanes(BL_MEMORY_LOCAL, BL_PROBE_READ, types[i], tables, 0), BL_OK, "%s",
                         error.sentence);
        }
    cr_assert_eq(lanes(BL_MEMORY_CONSTANT, BL_PROBE_READ, "int", 1, 0), BL_OK, "%s",
                 error.sentence);
    cr_assert_eq(lanes(BL_MEMORY_LOCAL, BL_PROBE_WRITE, "int", 1, 0), BL_OK, "%s", error.sentence);
    cr_assert_eq(lanes(BL_MEMORY_LOCAL, BL_PROBE_WRITE, "int3", 1, 0), BL_OK, "%s", error.sentence);
    cr_assert_eq(lanes(BL_MEMORY_LOCAL, BL_PROBE_ADD, "int", 1, 0), BL_OK, "%s", error.sentence);
}

Test(infer_device, addresses_outside_the_arrays_are_refused)
{
    cr_assert_eq(lanes(BL_MEMORY_GLOBAL, BL_PROBE_READ, "int", 1, 16), BL_OUT_OF_RANGE);
    const struct bl_chase_probe far = {
        .address = target.limits.arrays[0].address, .pitch_bytes = 1 << 20, .places = 1000};
    double ns;
    cr_assert_eq(target.chase(target.context, &far, &ns, &error), BL_OUT_OF_RANGE);
    const struct bl_stream_probe small = {.bytes = 16};
    cr_assert_eq(target.stream(target.context, &small, &ns, &error), BL_OUT_OF_RANGE);
}

Test(infer_device, chains_end_at_the_expected_places)
{
    const uint64_t begin = target.limits.arrays[0].address + (32 << 20);
    static const uint32_t list[] = {5, 1, 9, 3, 700, 2};
    const struct bl_chase_probe probes[] = {
        {.address = begin, .pitch_bytes = 64, .places = 37},
        {.address = begin, .pitch_bytes = 64, .places = 37, .second_bytes = 16},
        {.address = begin, .pitch_bytes = 128, .places = 20000},
        {.address = begin, .pitch_bytes = 128, .places = 6, .list = list},
    };
    for (size_t i = 0; i < sizeof probes / sizeof probes[0]; i++)
        for (int again = 0; again < 2; again++) {
            double ns = 0;
            cr_assert_eq(target.chase(target.context, &probes[i], &ns, &error), BL_OK, "%zu: %s", i,
                         error.sentence);
            cr_assert_gt(ns, 0);
        }
}

Test(infer_device, streams_barriers_and_occupancy_probes_return_a_positive_value)
{
    double value = 0;
    const struct bl_stream_probe streams[] = {{.bytes = 1 << 20},
                                              {.bytes = 65536, .is_for_each_unit = true},
                                              {.bytes = 1 << 20, .is_write = true}};
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(target.stream(target.context, &streams[i], &value, &error), BL_OK, "%s",
                     error.sentence);
        cr_assert_gt(value, 0);
    }
    const struct bl_barrier_probe barrier = {.group_items = 16};
    cr_assert_eq(target.barrier(target.context, &barrier, &value, &error), BL_OK, "%s",
                 error.sentence);
    cr_assert_gt(value, 0);
    const struct bl_occupancy_probe residents[] = {{.groups = 3, .local_bytes = 1024},
                                                   {.groups = 3, .group_items = 64}};
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(target.occupancy(target.context, &residents[i], &value, &error), BL_OK, "%s",
                     error.sentence);
        cr_assert_gt(value, 0);
    }
}

Test(infer_device, requests_of_many_lanes_end_at_the_expected_places)
{
    const struct bl_reads_probe alone = {.address = target.limits.arrays[0].address + (32 << 20),
                                         .bytes = 2 << 20,
                                         .lanes = 32,
                                         .line_bytes = 128,
                                         .lines = 1,
                                         .line_pitch_bytes = 128,
                                         .reads = 1,
                                         .sub_groups = 1,
                                         .groups = 1};
    struct bl_reads_probe probes[10];
    for (size_t i = 0; i < 10; i++)
        probes[i] = alone;
    probes[1].lines = probes[2].lines = probes[6].lines = 32;
    probes[2].line_pitch_bytes = probes[3].line_pitch_bytes = BL_FAR_BYTES;
    probes[4].reads = BL_MAX_READS;
    probes[5].sub_groups = 4;
    probes[5].groups = 5;
    probes[5].reads = 8;
    probes[6].is_written = probes[7].is_written = true;
    probes[8].is_first_word = true;
    probes[8].lines = 8;
    probes[8].bytes = 16384;
    probes[9].lanes = 8; /* read only 32 of the 128 bytes of a line */
    probes[9].bytes = 128 * 17;
    struct sample sample = sample_of("requests of many lanes");
    for (size_t i = 0; i < 10; i++)
        for (int again = 0; again < 2; again++) {
            double ns = 0;
            if (again == 0 && !sample_takes(&sample, i == 5 || i == 6 || i == 9))
                break;
            cr_assert_eq(target.reads(target.context, &probes[i], &ns, &error), BL_OK, "%zu: %s", i,
                         error.sentence);
            cr_assert_gt(ns, 0);
        }
    double ns;
    struct bl_reads_probe wrong = alone;
    wrong.bytes = 64; /* a working set that is smaller than a line */
    cr_assert_eq(target.reads(target.context, &wrong, &ns, &error), BL_OUT_OF_RANGE);
    wrong.bytes = 1 << 30;
    cr_assert_eq(target.reads(target.context, &wrong, &ns, &error), BL_OUT_OF_RANGE);
    wrong = alone;
    wrong.address = 16;
    cr_assert_eq(target.reads(target.context, &wrong, &ns, &error), BL_OUT_OF_RANGE);
    wrong = alone;
    wrong.groups = 1 << 20;
    cr_assert_eq(target.reads(target.context, &wrong, &ns, &error), BL_OUT_OF_RANGE);
}

/* Chains and requests store their links in the same array. */
Test(infer_device, chains_and_requests_do_not_use_each_others_links)
{
    const uint64_t begin = target.limits.arrays[0].address + (32 << 20);
    const struct bl_chase_probe chase = {.address = begin, .pitch_bytes = 64, .places = 37};
    const struct bl_reads_probe reads = {.address = begin,
                                         .bytes = 65536,
                                         .lanes = 16,
                                         .line_bytes = 64,
                                         .lines = 4,
                                         .line_pitch_bytes = 64,
                                         .reads = 2,
                                         .sub_groups = 1,
                                         .groups = 1};
    struct bl_reads_probe written = reads;
    written.is_written = true;
    written.reads = 1;
    for (int again = 0; again < 2; again++) {
        double ns;
        cr_assert_eq(target.chase(target.context, &chase, &ns, &error), BL_OK, "%s",
                     error.sentence);
        cr_assert_eq(target.reads(target.context, &reads, &ns, &error), BL_OK, "%s",
                     error.sentence);
        cr_assert_eq(target.reads(target.context, &written, &ns, &error), BL_OK, "%s",
                     error.sentence);
        cr_assert_eq(target.reads(target.context, &reads, &ns, &error), BL_OK, "%s",
                     error.sentence);
    }
}

/* Streams that write must not change the results of other probes. If another probe has overwritten
 * the links of a chain, the chain is linked again. */
Test(infer_device, probes_that_write_do_not_change_the_data_of_other_probes)
{
    const uint64_t home = target.limits.arrays[0].address;
    const struct bl_chase_probe chase = {
        .address = home + (17 << 20), .pitch_bytes = 64, .places = 37};
    const struct bl_stream_probe writes = {.bytes = 2 << 20, .is_write = true},
                                 all = {.bytes = target.limits.arrays[0].bytes, .is_write = true};
    for (int again = 0; again < 2; again++) {
        double value;
        cr_assert_eq(lanes(BL_MEMORY_GLOBAL, BL_PROBE_READ, "int", 1, home), BL_OK, "%s",
                     error.sentence);
        cr_assert_eq(target.chase(target.context, &chase, &value, &error), BL_OK, "%s",
                     error.sentence);
        cr_assert_eq(target.stream(target.context, &writes, &value, &error), BL_OK, "%s",
                     error.sentence);
        cr_assert_eq(target.stream(target.context, &all, &value, &error), BL_OUT_OF_RANGE);
    }
}

Test(infer_device, chains_of_operations_and_launches_take_time)
{
    double ns = 0;
    for (int of = BL_CHAIN_LOCAL; of <= BL_CHAIN_FLOAT; of++) {
        for (unsigned items = 0; items <= 64; items += 64) {
            const struct bl_chain_probe probe = {.of = (enum bl_chain)of, .items = items};
            cr_assert_eq(target.chain(target.context, &probe, &ns, &error), BL_OK, "%s",
                         error.sentence);
            cr_assert_gt(ns, 0);
        }
    }
    const struct bl_start_probe start = {.groups = 100, .group_items = 32};
    cr_assert_eq(target.start(target.context, &start, &ns, &error), BL_OK, "%s", error.sentence);
    cr_assert_gt(ns, 0);
    for (int is_host_time = 0; is_host_time <= 1; is_host_time++) {
        const struct bl_queue_probe queue = {.group_items = 32, .is_host_time = is_host_time};
        ns = 0;
        cr_assert_eq(target.queue(target.context, &queue, &ns, &error), BL_OK, "%s",
                     error.sentence);
        cr_assert_gt(ns, 0);
    }
}

/* The number of events that were released after their launch had ended, and before it had ended. */
static unsigned ended, not_ended;

/* Replaces the function of the OpenCL ICD loader: counts the event, and releases it. */
cl_int CL_API_CALL clReleaseEvent(cl_event event)
{
    cl_int (*release)(cl_event), state = CL_QUEUED;
    *(void **)&release = dlsym(RTLD_NEXT, "clReleaseEvent");
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    *(state == CL_COMPLETE ? &ended : &not_ended) += 1;
    return release(event);
}

Test(infer_device, launches_end_before_a_failure_to_enqueue_more_is_reported)
{
    static const float one = 1;
    struct bl_device_launch
        busy = {"infer_time.cl",
                "floats",
                .groups = 1,
                .group_items = 1,
                .rounds = 1 << 20,
                .arguments = {BL_VALUE(one), BL_VALUE(busy.rounds), {.array = opened->outputs}}},
        behind = busy;
    struct bl_queue_timing timing = {.all_ns = 0};
    behind.group_items = 1 << 24;
    opened->error = &error;
    ended = not_ended = 0;
    cr_assert_eq(bl_target_queue(opened, &busy, &behind, 1, &timing), BL_OPENCL_FAILED);
    cr_assert_not_null(strstr(error.sentence, "clEnqueueNDRangeKernel"), "%s", error.sentence);
    cr_assert_eq(ended, 1);
    cr_assert_eq(not_ended, 0);
}

/* Opens a target on this device. *arrays receives its number of arrays. */
static enum bl_status opens(const struct bl_device *device, uint64_t max_bytes, unsigned *arrays)
{
    struct bl_device_target *other;
    struct bl_target limits;
    const enum bl_status status =
        bl_device_target_open(session, device, max_bytes, &other, &limits, &error);
    for (*arrays = 0; *arrays < BL_MAX_ARRAYS && limits.limits.arrays[*arrays].bytes;)
        (*arrays)++;
    bl_device_target_close(other);
    return status;
}

Test(infer_device, missing_features_of_a_device_are_reported)
{
    struct bl_device small = devices[0];
    unsigned arrays;
    small.max_group_items = 64;
    cr_assert_eq(opens(&small, 128 << 20, &arrays), BL_OPENCL_FAILED);
    cr_assert_not_null(strstr(error.sentence, "64"), "%s", error.sentence);
    small = devices[0];
    cr_assert_eq(opens(&small, 1 << 20, &arrays), BL_OPENCL_FAILED);
    cr_assert_not_null(strstr(error.sentence, "64 MiB"), "%s", error.sentence);
    small.max_buffer_bytes = 70 << 20;
    cr_assert_eq(opens(&small, 300 << 20, &arrays), BL_OK, "%s", error.sentence);
    cr_assert_eq(arrays, 4);
    small = devices[0];
    small.compute_units = 1 << 20;
    cr_assert_eq(opens(&small, 64 << 20, &arrays), BL_OK, "%s", error.sentence);
}
