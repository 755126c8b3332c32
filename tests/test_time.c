/* Tests the simulated time of launches. The expected times were computed by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/time.h"
#include "time_by_hand.h"

static const uint64_t sectors[] = {0, 4096, 8192, 12288};

Test(time, a_load_takes_the_latency_of_its_level)
{
    const struct bl_machine machine = machine_of_round_times();
    static const struct bl_time_op ops[] = {LOAD(0, 1), WAIT(1)};
    struct made made = {.streams = {STREAM(ops, sectors)}};
    EXPECT_NS(time_of(&machine, &made), 300 + after_wait_ns);
    made.is_in_l2 = true;
    EXPECT_NS(time_of(&machine, &made), 100 + after_wait_ns);
}

Test(time, dependent_operations_wait_and_independent_ones_follow_each_other)
{
    const struct bl_machine machine = machine_of_round_times();
    static const struct bl_time_op dependent[] = {LOAD(0, 1), WAIT(1), LOAD(1, 1), WAIT(1)},
                                   apart[] = {LOAD(0, 1), LOAD(1, 1), WAIT(2), WAIT(1)};
    const struct made two = {.streams = {STREAM(dependent, sectors)}},
                      together = {.streams = {STREAM(apart, sectors)}};
    EXPECT_NS(time_of(&machine, &two), 2 * (300 + after_wait_ns));
    /* The second value arrives while the first value is used. */
    EXPECT_NS(time_of(&machine, &together), 300 + after_wait_ns);
}

Test(time, a_cached_line_takes_the_caches_latency_and_a_line_in_flight_is_joined)
{
    const struct bl_machine machine = machine_of_round_times();
    static const struct bl_time_op again[] = {LOAD(0, 1), WAIT(1), LOAD(0, 1), WAIT(1)},
                                   at_once[] = {LOAD(0, 1), LOAD(0, 1), WAIT(1)};
    const struct made held = {.streams = {STREAM(again, sectors)}},
                      joined = {.streams = {STREAM(at_once, sectors)}};
    EXPECT_NS(time_of(&machine, &held), 300 + 20 + 2 * after_wait_ns);
    EXPECT_NS(time_of(&machine, &joined), 300 + after_wait_ns);
}

Test(time, a_sub_group_that_begins_again_reads_further_addresses)
{
    const struct bl_machine machine = machine_of_round_times();
    static const struct bl_time_op ops[] = {LOAD(0, 1), WAIT(1)};
    static const int64_t next[] = {4096};
    struct made made = {.streams = {STREAM(ops, sectors)}};
    made.streams[0].further = 3; /* the whole stream again, and then its load */
    EXPECT_NS(time_of(&machine, &made), 300 + 20 + 2 * after_wait_ns + 1);
    made.streams[0].again = next;
    EXPECT_NS(time_of(&machine, &made), 2 * (300 + after_wait_ns) + 1);
}

Test(time, further_lines_and_bank_conflicts_take_longer)
{
    const struct bl_machine machine = machine_of_round_times();
    static const uint64_t near[] = {0, 128, 256, 384};
    static const struct bl_time_op lines[] = {
        {.kind = BL_TIME_LOAD, .tags = 1, .banks = 1, .lines = 4, .count = 4}, WAIT(1)};
    static const struct bl_time_op conflict[] = {
        {.kind = BL_TIME_LOCAL_LOAD, .tags = 0, .banks = 4}, WAIT(1)};
    const struct made four = {.streams = {STREAM(lines, near)}},
                      banks = {.streams = {STREAM(conflict, NULL)}};
    EXPECT_NS(time_of(&machine, &four), 300 + 3 * 3 + after_wait_ns);
    EXPECT_NS(time_of(&machine, &banks), 15 + 10 + 3 * 2 + after_wait_ns);
}

Test(time, the_passes_of_all_sub_groups_add_up)
{
    const struct bl_machine machine = machine_of_round_times();
    static const struct bl_time_op ops[] = {{.kind = BL_TIME_LOCAL_LOAD, .banks = 32}, WAIT(1)};
    const struct made made = {
        .streams = {STREAM(ops, NULL), STREAM(ops, NULL), STREAM(ops, NULL), STREAM(ops, NULL)}};
    const double one_ns = 15 + 10 + 31 * 2 + after_wait_ns;
    EXPECT_NS(time_of(&machine, &made), 3 * 32 + one_ns);
}

Test(time, reads_of_declared_constant_arrays_take_turns_but_do_not_occupy_the_load_store_path)
{
    struct bl_machine machine = machine_of_round_times();
    machine.constant_address_clocks = 2;
    machine.constant_latency_ns = 20;
    machine.constant_further_ns = 7;
    static const struct bl_time_op ops[] = {
        {.kind = BL_TIME_LOAD, .is_constant = true, .banks = 16}, WAIT(1)};
    static const struct bl_time_op local[] = {{.kind = BL_TIME_LOCAL_LOAD, .banks = 30}, WAIT(1)};
    const struct made one = {.streams = {STREAM(ops, NULL)}},
                      four = {.streams = {STREAM(ops, NULL), STREAM(ops, NULL), STREAM(ops, NULL),
                                          STREAM(ops, NULL)}},
                      beside = {.streams = {STREAM(ops, NULL), STREAM(local, NULL)}};
    const double one_ns = 20 + 7 * 7 + after_wait_ns;
    EXPECT_NS(time_of(&machine, &one), one_ns);
    EXPECT_NS(time_of(&machine, &four), 3 * 16 + one_ns);
    machine.constant_further_ns = 0;
    cr_expect_not_null(bl_time_why_not(&machine), "the time of such a read must be known");
    machine.constant_further_ns = 7;
    EXPECT_NS(time_of(&machine, &beside),
              15 + 10 + 29 * 2 + after_wait_ns +
                  0.25); /* a quarter of a clock to issue the other read */
}

Test(time, only_the_end_of_the_launch_waits_for_stores)
{
    const struct bl_machine machine = machine_of_round_times();
    static const uint64_t line[] = {0, 32, 64, 96};
    static const struct bl_time_op ops[] = {
        {.kind = BL_TIME_STORE, .tags = 1, .banks = 1, .lines = 1, .count = 4},
        {.kind = BL_TIME_LOCAL_LOAD, .banks = 1},
        WAIT(1)};
    const struct made made = {.streams = {STREAM(ops, line)}};
    /* The path from the unit to L2 needs one clock for each sector of the store. */
    EXPECT_NS(time_of(&machine, &made), 4 + 15 + after_wait_ns);
}

Test(time, arithmetic_takes_the_longer_of_its_chain_and_its_instructions)
{
    const struct bl_machine machine = machine_of_round_times();
    static const struct bl_time_op chain[] = {{.kind = BL_TIME_WORK, .issued = 10, .chain = 10}},
                                   apart[] = {{.kind = BL_TIME_WORK, .issued = 10, .chain = 1}};
    const struct made waits = {.streams = {STREAM(chain, NULL)}},
                      does_not = {.streams = {STREAM(apart, NULL)}};
    EXPECT_NS(time_of(&machine, &waits), 10 * 2.0);
    EXPECT_NS(time_of(&machine, &does_not), 10.0);
}

Test(time, long_arithmetic_of_sub_groups_overlaps)
{
    const struct bl_machine machine = machine_of_round_times();
    static const struct bl_time_op ops[] = {{.kind = BL_TIME_WORK, .issued = 1000, .chain = 1000}};
    struct made made = {.streams = {STREAM(ops, NULL)}};
    EXPECT_NS(time_of(&machine, &made), 1000 * 2.0);
    for (unsigned i = 1; i < 16; i++)
        made.streams[i] = made.streams[0];
    const double issue_ns = 16 * 1000 / 4.0;
    const double ns = time_of(&machine, &made);
    cr_expect(ns >= issue_ns && ns < 1.05 * issue_ns, "%g and %g ns", ns, issue_ns);
}

Test(time, a_request_takes_an_instruction_of_the_scheduler)
{
    enum { ROUNDS = 500, SUBS = 16, WORK = 7 };
    const struct bl_machine machine = machine_of_round_times();
    static struct bl_time_op ops[2 * ROUNDS];
    for (unsigned i = 0; i < ROUNDS; i++) {
        ops[2 * i] = (struct bl_time_op){.kind = BL_TIME_WORK, .issued = WORK, .chain = 1};
        ops[2 * i + 1] = (struct bl_time_op){.kind = BL_TIME_LOCAL_STORE, .banks = 1};
    }
    struct made made = {0};
    for (unsigned i = 0; i < SUBS; i++)
        made.streams[i] = (struct bl_time_stream)STREAM(ops, NULL);
    const double issue_ns = ROUNDS * SUBS * (WORK + 1) / 4.0, ns = time_of(&machine, &made);
    cr_expect_float_eq(ns, issue_ns, 0.02 * issue_ns, "%g and %g ns", ns, issue_ns);
}

Test(time, sub_groups_meet_at_a_barrier)
{
    const struct bl_machine machine = machine_of_round_times();
    static const struct bl_time_op slow[] = {{.kind = BL_TIME_WORK, .issued = 50, .chain = 50},
                                             {.kind = BL_TIME_BARRIER},
                                             {.kind = BL_TIME_WORK, .issued = 10, .chain = 10}},
                                   fast[] = {{.kind = BL_TIME_BARRIER},
                                             {.kind = BL_TIME_WORK, .issued = 10, .chain = 10}};
    const struct made made = {.streams = {STREAM(slow, NULL), STREAM(fast, NULL)}};
    /* barrier_ns is the time of a barrier and an access to local memory: 25 ns, and 10 % more with
     * a second sub-group. Without the access, which takes 15 ns, 27.5 - 15 ns are left.
     * The scheduler issues four instructions per clock, so the ten instructions of the second
     * sub-group end 2.5 ns later. */
    EXPECT_NS(time_of(&machine, &made), 100 + (27.5 - 15) + 20 + 2.5);
}

Test(time, a_last_barrier_does_not_wait_for_a_sub_group_without_a_barrier)
{
    const struct bl_machine machine = machine_of_round_times();
    static const struct bl_time_op barrier[] = {{.kind = BL_TIME_BARRIER}},
                                   none[] = {{.kind = BL_TIME_WORK, .issued = 40, .chain = 20}};
    const struct made made = {.streams = {STREAM(barrier, NULL), STREAM(none, NULL)}};
    cr_expect_gt(time_of(&machine, &made), 12);
}

Test(time, one_group_more_than_the_units_hold_adds_a_tail)
{
    struct bl_machine machine = machine_of_round_times();
    machine.groups_per_unit = 1;
    machine.group_start_ns = 1e-3;
    static const struct bl_time_op ops[] = {{.kind = BL_TIME_WORK, .issued = 5000, .chain = 5000}};
    const struct made made = {.streams = {STREAM(ops, NULL)}};
    const struct bl_time_result even = time_groups(&machine, &made, 132, 0),
                                odd = time_groups(&machine, &made, 133, 0);
    cr_expect_float_eq(odd.ns - even.ns, 10000, 100, "%g and %g ns", odd.ns, even.ns);
    cr_expect_eq(even.shares[BL_LIMIT_TAIL], 0);
    cr_expect_float_eq(odd.shares[BL_LIMIT_TAIL], 131.0 / 264 * (odd.ns - 5000) / odd.ns, 1e-6);
}

Test(time, local_memory_and_registers_and_sub_groups_limit_the_resident_groups)
{
    const struct bl_machine machine = machine_of_round_times();
    struct bl_time_launch launch = {.sub_groups = 1};
    cr_expect_eq(bl_time_resident(&machine, &launch), 32);
    launch.sub_groups = 8;
    cr_expect_eq(bl_time_resident(&machine, &launch), 8);
    launch.registers = 64; /* a unit has 65536 registers; a group needs 64 * 32 * 8 */
    cr_expect_eq(bl_time_resident(&machine, &launch), 4);
    launch.registers = 255;
    cr_expect_eq(bl_time_resident(&machine, &launch), 1);
    launch.registers = 0;
    launch.local_bytes = 48 << 10;
    cr_expect_eq(bl_time_resident(&machine, &launch), 4);
    launch.local_bytes = 1 << 20;
    cr_expect_eq(bl_time_resident(&machine, &launch), 1, "one group runs in any case");
}

Test(time, more_groups_or_slower_memory_are_never_faster)
{
    struct bl_machine machine = machine_of_round_times();
    static const struct bl_time_op ops[] = {
        LOAD(0, 1),
        WAIT(1),
        LOAD(1, 1),
        LOAD(2, 1),
        WAIT(1),
        {.kind = BL_TIME_STORE, .tags = 1, .banks = 1, .lines = 1, .first = 3, .count = 1}};
    const struct made made = {.streams = {STREAM(ops, sectors), STREAM(ops, sectors)}};
    double before_ns = 0;
    for (size_t groups = 1; groups < 100000; groups *= 3) {
        const double ns = time_groups(&machine, &made, groups, 0).ns;
        cr_expect_geq(ns, before_ns, "%zu groups", groups);
        before_ns = ns;
        struct bl_machine slower = machine;
        slower.levels[BL_LEVEL_MEMORY].latency_ns *= 2;
        cr_expect_geq(time_groups(&slower, &made, groups, 0).ns, ns, "%zu groups", groups);
    }
}

Test(time, streams_with_a_part_of_the_operations_are_extrapolated)
{
    const struct bl_machine machine = machine_of_round_times();
    struct bl_time_op ops[200];
    for (unsigned i = 0; i < 200; i++)
        ops[i] = i % 2 ? (struct bl_time_op)WAIT(1)
                       : (struct bl_time_op){.kind = BL_TIME_LOCAL_LOAD, .banks = 1};
    const struct made made = {.streams = {STREAM(ops, NULL)}};
    const struct bl_time_launch launch = {
        .group = give,
        .is_in_l2 = has,
        .context = (void *)(uintptr_t)&made,
        .groups = 1,
        .group_items = 32,
        .sub_groups = 1,
        .more = 3, /* the launch has three times as many operations as its streams */
        .max_ops = 1000};
    struct bl_time_result result;
    cr_assert_eq(bl_time_of(&machine, &launch, &result, NULL), BL_OK);
    const double ns = result.ns - machine.launch_ns, expected_ns = 3 * 100 * (15 + after_wait_ns);
    cr_expect_float_eq(ns, expected_ns, 2 * (15 + after_wait_ns), "%g ns, not %g", ns, expected_ns);
}

Test(time, pieces_of_arithmetic_are_one_operation_when_streams_are_extrapolated)
{
    const struct bl_machine machine = machine_of_round_times();
    struct bl_time_op ops[4];
    for (unsigned i = 0; i < 4; i++)
        ops[i] = (struct bl_time_op){.kind = BL_TIME_WORK, .issued = 10000, .chain = 1};
    const struct made made = {.streams = {STREAM(ops, NULL)}};
    const struct bl_time_launch launch = {.group = give,
                                          .is_in_l2 = has,
                                          .context = (void *)(uintptr_t)&made,
                                          .groups = 1,
                                          .group_items = 32,
                                          .sub_groups = 1,
                                          .more = 2,
                                          .max_ops = 1000};
    struct bl_time_result result;
    cr_assert_eq(bl_time_of(&machine, &launch, &result, NULL), BL_OK);
    /* The launch has twice the operations of its streams. The missing ones are extrapolated from
     * the second half of the streams. */
    cr_expect_float_eq(result.ns - machine.launch_ns, 2 * 40000, 1000, "%g ns", result.ns);
}

Test(time, a_machine_that_lacks_times_has_a_reason)
{
    size_t count;
    const struct bl_machine *machines = bl_machines(&count);
    unsigned can = 0;
    for (size_t i = 0; i < count; i++)
        can += bl_time_why_not(&machines[i]) == NULL;
    struct bl_machine machine = machine_of_round_times();
    cr_expect_null(bl_time_why_not(&machine));
    cr_expect_lt(can, count);
    machine.has_rule = false;
    cr_expect(strstr(bl_time_why_not(&machine), "no rule for global memory"));
}

static void expect_reason(const struct bl_machine *machine, const char *reason, size_t field)
{
    const char *why_not = bl_time_why_not(machine);
    cr_assert_not_null(why_not, "the reason '%s' is missing for field %zu", reason, field);
    cr_expect(strstr(why_not, reason), "field %zu: '%s', not '%s'", field, why_not, reason);
}

Test(time, each_missing_figure_of_a_machine_has_its_reason)
{
    struct bl_machine machine = machine_of_round_times();
    struct bl_level *l2 = &machine.levels[0], *memory = &machine.levels[BL_LEVEL_MEMORY];
    static const char request[] = "how long a request takes",
                      holds[] = "capacities and bandwidths of its levels",
                      launch[] = "how long a launch takes",
                      unit[] = "how many groups a compute unit holds";
    const struct {
        double *figure;
        const char *reason;
    } figures[] = {
        {&machine.clock_mhz, request},  {&machine.cache_latency_ns, request},
        {&l2->latency_ns, request},     {&memory->latency_ns, request},
        {&machine.integer_ns, request}, {&machine.float_ns, request},
        {&l2->bytes_per_ns, holds},     {&l2->unit_bytes_per_ns, holds},
        {&memory->bytes_per_ns, holds}, {&l2->write_bytes_per_ns, holds},
        {&machine.launch_ns, launch},   {&machine.group_start_ns, launch},
    };
    const struct {
        unsigned *figure;
        const char *reason;
    } counts[] = {
        {&l2->kib, holds},
        {&machine.cache_bytes, holds},
        {&memory->granule_bytes, holds},
        {&machine.compute_units, unit},
        {&machine.groups_per_unit, unit},
        {&machine.sub_groups_per_unit, unit},
        {&machine.local_bytes_per_unit, unit},
    };
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        const double kept = *figures[i].figure;
        *figures[i].figure = 0;
        expect_reason(&machine, figures[i].reason, i);
        *figures[i].figure = kept;
    }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const unsigned kept = *counts[i].figure;
        *counts[i].figure = 0;
        expect_reason(&machine, counts[i].reason, i);
        *counts[i].figure = kept;
    }
    cr_expect_null(bl_time_why_not(&machine));
    machine.line_bytes = 64 * machine.sector_bytes;
    expect_reason(&machine, "more sectors", 0);
}

Test(time, a_machine_without_sectors_fetches_whole_lines)
{
    struct bl_machine machine = machine_of_round_times();
    static const uint64_t in_line[] = {0, 96};
    static const struct bl_time_op ops[] = {LOAD(0, 1), WAIT(1), LOAD(1, 1), WAIT(1)};
    const struct made made = {.streams = {STREAM(ops, in_line)}};
    EXPECT_NS(time_of(&machine, &made), 2 * (300 + after_wait_ns));
    machine.sector_bytes = 0;
    cr_expect_null(bl_time_why_not(&machine));
    EXPECT_NS(time_of(&machine, &made), 300 + 20 + 2 * after_wait_ns);
}

Test(time, a_wait_for_a_value_that_was_never_loaded_or_has_arrived_takes_no_time)
{
    const struct bl_machine machine = machine_of_round_times();
    static const struct bl_time_op early[] = {WAIT(0), WAIT(1), LOAD(0, 1), WAIT(2), WAIT(1)},
                                   late[] = {LOAD(0, 1),
                                             {.kind = BL_TIME_WORK, .issued = 400, .chain = 400},
                                             WAIT(1)};
    const struct made none = {.streams = {STREAM(early, sectors)}},
                      come = {.streams = {STREAM(late, sectors)}};
    EXPECT_NS(time_of(&machine, &none), 300 + after_wait_ns);
    EXPECT_NS(time_of(&machine, &come), 1 + 800.0);
}

Test(time, a_sub_groups_reads_with_bank_conflicts_follow_one_another_but_others_pass_them)
{
    enum { READS = 10, BANKS = 32 };
    const struct bl_machine machine = machine_of_round_times();
    static struct bl_time_op ops[READS + 1];
    for (unsigned i = 0; i < READS; i++)
        ops[i] = (struct bl_time_op){.kind = BL_TIME_LOCAL_LOAD, .banks = BANKS};
    ops[READS] = (struct bl_time_op)WAIT(1);
    const struct made one = {.streams = {STREAM(ops, NULL)}},
                      two = {.streams = {STREAM(ops, NULL), STREAM(ops, NULL)}};
    const double one_ns = READS * (BANKS - 1) * 2 + 15 + 10 + after_wait_ns;
    EXPECT_NS(time_of(&machine, &one), one_ns);
    const double two_ns = time_of(&machine, &two);
    cr_expect(two_ns < one_ns + 2 * BANKS, "%g ns", two_ns);
}

/* The sectors that each store of parts_ns writes to. */
static unsigned sectors_in(unsigned lines) { return lines < 8 ? 4 * lines : 32; }

/* The time of a store to parts of sectors in `lines` lines. Sub-groups make such stores in turns:
 * `lines` of them to the same sectors, and then those to the next ones. */
static double parts_of_ns(unsigned lines, unsigned sub_groups, bool is_narrow)
{
    enum { STORES = 512 };
    struct bl_machine machine = machine_of_round_times();
    machine.levels[0].write_bytes_per_ns = 132 * 32; /* a sector of a unit takes 1 ns */
    machine.sectors_written_per_clock = 0;           /* nothing else limits the stores */
    static uint64_t addresses[BL_TIME_MAX_SUB_GROUPS][32 * STORES];
    static struct bl_time_op ops[STORES];
    struct made made = {0};
    const uint32_t count = sectors_in(lines);
    for (uint32_t i = 0; i < STORES; i++)
        ops[i] = (struct bl_time_op){.kind = BL_TIME_STORE,
                                     .is_partial = true,
                                     .is_narrow = is_narrow,
                                     .lines = (uint16_t)lines,
                                     .first = i * count,
                                     .count = count};
    for (unsigned s = 0; s < sub_groups; s++) {
        for (uint32_t i = 0; i < STORES * count; i++) {
            const uint64_t first_line = (uint64_t)(s * STORES + i / count / lines) * lines,
                           sector = i % count;
            addresses[s][i] = (first_line + sector % lines) * 128 + sector / lines * 32;
        }
        made.streams[s] = (struct bl_time_stream)STREAM(ops, addresses[s]);
    }
    return (time_groups(&machine, &made, 132, 0).ns - machine.launch_ns) / STORES / sub_groups;
}

static double parts_ns(unsigned lines, unsigned sub_groups)
{
    return parts_of_ns(lines, sub_groups, false);
}

Test(time, stores_of_single_bytes_are_not_joined)
{
    cr_expect_float_eq(parts_of_ns(8, 1, true), sectors_in(8) + 8, 0.5, "%g ns",
                       parts_of_ns(8, 1, true));
}

Test(time, parts_of_sectors_that_are_stored_one_after_another_are_joined_in_few_lines)
{
    static const unsigned joined[][2] = {{8, 1}, {24, 1}, {12, 2}, {6, 4}, {6, 8}},
                          apart[][2] = {{32, 1}, {16, 2}, {8, 4}, {8, 8}};
    for (size_t i = 0; i < sizeof joined / sizeof joined[0]; i++) {
        const unsigned lines = joined[i][0];
        const double ns = parts_ns(lines, joined[i][1]), written = sectors_in(lines);
        cr_expect_float_eq(ns, written / lines, 0.5, "%u lines, %u sub-groups: %g ns", lines,
                           joined[i][1], ns);
    }
    for (size_t i = 0; i < sizeof apart / sizeof apart[0]; i++) {
        const unsigned lines = apart[i][0];
        const double ns = parts_ns(lines, apart[i][1]), written = sectors_in(lines);
        cr_expect_float_eq(ns, written + lines, 0.5, "%u lines, %u sub-groups: %g ns", lines,
                           apart[i][1], ns);
    }
}

/* Two sub-groups each store 24 times to 24 lines, after two operations of their own: too many lines
 * for both at once. */
static double two_series_ns(const struct bl_time_op before[2][2], unsigned sectors_per_clock)
{
    enum { LINES = 24 };
    struct bl_machine machine = machine_of_round_times();
    machine.levels[0].write_bytes_per_ns = 132 * 32;
    machine.sectors_written_per_clock = sectors_per_clock;
    static uint64_t addresses[2][LINES];
    static struct bl_time_op ops[2][2 + LINES];
    struct made made = {0};
    for (unsigned s = 0; s < 2; s++) {
        memcpy(ops[s], before[s], sizeof before[s]);
        for (unsigned i = 0; i < LINES; i++) {
            addresses[s][i] = (uint64_t)(s * LINES + i) * 128;
            ops[s][2 + i] = (struct bl_time_op){
                .kind = BL_TIME_STORE, .is_partial = true, .lines = LINES, .count = LINES};
        }
        made.streams[s] = (struct bl_time_stream)STREAM(ops[s], addresses[s]);
    }
    return time_groups(&machine, &made, 132, 0).ns - machine.launch_ns;
}

#define WORK(instructions)                                                      \
    {                                                                           \
        .kind = BL_TIME_WORK, .issued = (instructions), .chain = (instructions) \
    }

Test(time, stores_of_sub_groups_that_are_apart_in_time_are_joined)
{
    /* One begins when its load has arrived, after 300 ns, the other after 100 ns. */
    static const struct bl_time_op together[2][2] = {{WORK(1), WORK(1)}, {WORK(1), WORK(1)}},
                                   apart[2][2] = {{LOAD(0, 1), WAIT(1)}, {WORK(50), WORK(1)}};
    const double together_ns = two_series_ns(together, 0), apart_ns = two_series_ns(apart, 0);
    cr_expect_float_eq(together_ns, 2 * 24 * (24 + 24), 100, "%g ns", together_ns);
    cr_expect_float_eq(apart_ns, 300 + 24, 30, "%g ns", apart_ns);
    /* Joined sectors do not occupy the path, either, which takes a clock for each of the others. */
    const double of_path_ns = two_series_ns(apart, 1);
    cr_expect_float_eq(of_path_ns, 300 + 24 + 24, 30, "%g ns", of_path_ns);
}

Test(time, arithmetic_does_not_wait_for_another_sub_groups_series_of_stores)
{
    enum { STORES = 24, LINES = 32 };
    struct bl_machine machine = machine_of_round_times();
    machine.levels[0].write_bytes_per_ns = 132 * 32;
    machine.sectors_written_per_clock = 0;
    static const struct bl_time_op work[] = {WORK(600)};
    static uint64_t addresses[LINES];
    static struct bl_time_op stores[STORES];
    for (unsigned i = 0; i < LINES; i++)
        addresses[i] = (uint64_t)i * 128;
    for (unsigned i = 0; i < STORES; i++)
        stores[i] = (struct bl_time_op){
            .kind = BL_TIME_STORE, .is_partial = true, .lines = LINES, .count = LINES};
    const struct made made = {.streams = {STREAM(stores, addresses), STREAM(work, addresses)}};
    const double ns = time_groups(&machine, &made, 132, 0).ns - machine.launch_ns,
                 of_stores_ns = STORES * (LINES + LINES);
    cr_expect_float_eq(ns, of_stores_ns, 30, "%g ns", ns);
}

#undef WORK

/* If each unit executes an atomic of 32 updates, their slice of L2 takes some 1 us. */
Test(time, atomics_that_wait_for_a_slice_of_l2_hold_up_the_unit)
{
    enum { ATOMICS = 100, LOADS = 20000 };
    const struct bl_machine machine = machine_of_round_times();
    static const uint64_t sector[] = {0};
    static struct bl_time_op updates[ATOMICS], loads[2 * LOADS];
    for (unsigned i = 0; i < ATOMICS; i++)
        updates[i] =
            (struct bl_time_op){.kind = BL_TIME_ATOMIC, .tags = 1, .banks = 32, .count = 1};
    for (unsigned i = 0; i < LOADS; i++) {
        loads[2 * i] = (struct bl_time_op){.kind = BL_TIME_LOCAL_LOAD, .banks = 1};
        loads[2 * i + 1] = (struct bl_time_op)WAIT(1);
    }
    const struct made alone = {.streams = {STREAM(loads, NULL)}, .is_in_l2 = true},
                      both = {.streams = {STREAM(loads, NULL), STREAM(updates, sector)},
                              .is_in_l2 = true};
    double others = 0; /* the part of all updates that is assumed to be in the slice */
    for (unsigned i = 1; i <= ATOMICS; i++)
        others += (i + 16.0 / 80) / (i + 16);
    const double updates_ns = others * 32 * 0.731 * 132,
                 more_ns = time_groups(&machine, &both, 132, 0).ns -
                           time_groups(&machine, &alone, 132, 0).ns;
    cr_expect_float_eq(more_ns, updates_ns, 0.05 * updates_ns, "%g and %g ns", more_ns, updates_ns);
}

Test(time, local_memory_takes_its_bytes_from_the_cache)
{
    struct bl_machine machine = machine_of_round_times();
    machine.groups_per_unit = 1;
    machine.cache_bytes = machine.local_bytes_per_unit;
    enum { LINES = 1024 };
    static struct bl_time_op ops[4 * LINES];
    static uint64_t lines[LINES];
    for (unsigned i = 0; i < 2 * LINES; i++) {
        ops[2 * i] = (struct bl_time_op)LOAD(i % LINES, 1);
        ops[2 * i + 1] = (struct bl_time_op)WAIT(1);
    }
    for (unsigned i = 0; i < LINES; i++)
        lines[i] = 128 * i;
    const struct made made = {.streams = {STREAM(ops, lines)}};
    const double all_ns = time_groups(&machine, &made, 1, 0).ns,
                 half_ns = time_groups(&machine, &made, 1, 150 << 10).ns,
                 none_ns = time_groups(&machine, &made, 1, 227 << 10).ns;
    cr_expect_float_eq(half_ns - all_ns, LINES * (100 - 20), 1,
                       "the second round misses the cache: %g and %g ns", all_ns, half_ns);
    cr_expect_geq(none_ns, half_ns);
}
