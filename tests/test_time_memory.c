/* Tests L2, memory and stores in the simulation of a compute unit. The expected times were computed
 * by hand. */
#include <criterion/criterion.h>
#include <math.h>

#include "model/time_memory.h"
#include "time_by_hand.h"

static bool never(void *context, uint64_t address, size_t wave)
{
    (void)context;
    (void)address;
    (void)wave;
    return false;
}

static bool always(void *context, uint64_t address, size_t wave)
{
    return !never(context, address, wave);
}

/* A block of 64 bytes occupies memory for 1 ns; L2 holds 16 blocks. */
static struct bl_machine machine_by_hand(void)
{
    const struct bl_machine *hopper;
    cr_assert_eq(bl_machine_find("nvidia-hopper", &hopper, NULL), BL_OK);
    struct bl_machine machine = *hopper;
    struct bl_level *memory = &machine.levels[BL_LEVEL_MEMORY];
    machine.levels[0].kib = 1;
    memory->bytes_per_ns = memory->unit_bytes_per_ns = 64;
    memory->latency_ns = memory->loaded_latency_ns = 300;
    memory->write_delay_ns = 0;
    return machine;
}

static struct bl_time_memory open_memory(const struct bl_machine *machine,
                                         const struct bl_time_launch *launch)
{
    struct bl_time_memory memory;
    bl_time_memory_open(&memory, machine, launch, 1, 1);
    return memory;
}

/* The time of a read, begun at from_ns, of the sector at `address`. */
static double fetch_ns(struct bl_time_memory *memory, double from_ns, uint64_t address)
{
    struct bl_time_fetch fetch = {.from_ns = from_ns, .address = UINT64_MAX};
    return bl_time_fetch_sector(memory, &fetch, address) - from_ns;
}

Test(time_memory, reads_wait_longer_for_a_busy_memory)
{
    struct bl_machine machine = machine_by_hand();
    machine.levels[BL_LEVEL_MEMORY].loaded_latency_ns = 6300;
    const struct bl_time_launch launch = {.is_in_l2 = never};
    struct bl_time_memory memory = open_memory(&machine, &launch);
    cr_expect_float_eq(fetch_ns(&memory, 0, 0), 300, 1e-9);
    for (unsigned i = 1; i < 500; i++)
        fetch_ns(&memory, 0, 64 * i);
    /* Memory was occupied for 500 of the last 1000 ns, so the load is 0.5. The delay grows as
     * load^2 / sqrt(1 - load), and is 6000 ns at a load of 0.9. */
    const double of_load = (0.25 / sqrt(0.5)) / (0.81 / sqrt(0.1));
    const double ns = fetch_ns(&memory, 0, 1 << 20);
    cr_expect_float_eq(ns, 300 + 6000 * of_load, 1e-6, "%g", ns);
    /* 1000 ns later, the 501 ns of reads count only as 501 / e ns. */
    const double used = 0.501 / exp(1), later = (used * used / sqrt(1 - used)) / (0.81 / sqrt(0.1));
    const double later_ns = fetch_ns(&memory, 1000, 1 << 21);
    cr_expect_float_eq(later_ns, 300 + 6000 * later, 1e-6, "%g", later_ns);
    bl_time_memory_free(&memory);
}

Test(time_memory, units_that_read_the_same_block_share_memorys_time)
{
    const struct bl_machine machine = machine_by_hand();
    const struct bl_time_launch launch = {.is_in_l2 = never};
    static const double units[] = {0, 1, 4}, expected_ns[] = {100, 100, 25};
    for (unsigned i = 0; i < 3; i++) {
        struct bl_time_memory memory = open_memory(&machine, &launch);
        for (unsigned k = 0; k < 100; k++) {
            struct bl_time_fetch fetch = {.address = UINT64_MAX, .units = units[i]};
            cr_expect_geq(bl_time_fetch_sector(&memory, &fetch, 64 * k), 300, "memory's latency");
        }
        cr_expect_float_eq(memory.busy_ns, expected_ns[i], 1e-9, "%g", memory.busy_ns);
        cr_expect_float_eq(memory.filled_ns, expected_ns[i], 1e-9, "%g", memory.filled_ns);
        bl_time_memory_free(&memory);
    }
}

Test(time_memory, reads_wait_longer_in_proportion_to_the_time_of_writes)
{
    struct bl_machine machine = machine_by_hand();
    machine.levels[BL_LEVEL_MEMORY].write_delay_ns = 10000;
    const struct bl_time_launch launch = {.is_in_l2 = never, .l2_filled = 1};
    struct bl_time_memory memory = open_memory(&machine, &launch);
    for (unsigned i = 0; i < 10; i++)
        cr_expect_not(bl_time_write_sector(&memory, 64 * i, false, 0, 1));
    const double ns = fetch_ns(&memory, 1, 1 << 20);
    cr_expect_float_eq(ns, 300 + 10000 * 0.01, 1e-6, "%g", ns);
    bl_time_memory_free(&memory);
}

/* How long memory was occupied by a read and two writes of the same block. */
static double busy_ns(bool (*is_in_l2)(void *, uint64_t, size_t), double l2_filled)
{
    const struct bl_machine machine = machine_by_hand();
    const struct bl_time_launch launch = {.is_in_l2 = is_in_l2, .l2_filled = l2_filled};
    struct bl_time_memory memory = open_memory(&machine, &launch);
    fetch_ns(&memory, 0, 4096);
    cr_expect_not(bl_time_write_sector(&memory, 4096, false, 0, 400));
    cr_expect_not(bl_time_write_sector(&memory, 4096 + 32, false, 0, 400),
                  "part of the same request");
    cr_expect(bl_time_write_sector(&memory, 4096 + 32, false, 0, 500));
    const double ns = memory.busy_ns;
    bl_time_memory_free(&memory);
    return ns;
}

Test(time_memory, a_block_that_is_read_and_written_goes_back_to_memory_if_l2_is_full)
{
    cr_expect_float_eq(busy_ns(never, 1), 2, 1e-9, "one read and one write");
    cr_expect_float_eq(busy_ns(never, 0), 1, 1e-9, "L2 has room for the written block");
    cr_expect_float_eq(busy_ns(always, 1), 0, 1e-9, "L2 held the block");
}

static bool is_low(void *context, uint64_t address, size_t wave)
{
    (void)context;
    (void)wave;
    return address < 4096;
}

Test(time_memory, a_block_that_l2_held_before_stays_there)
{
    const struct bl_machine machine = machine_by_hand();
    const struct bl_time_launch launch = {.is_in_l2 = is_low, .l2_filled = 1};
    struct bl_time_memory memory = open_memory(&machine, &launch);
    bl_time_write_sector(&memory, 4096, false, 0, 1);
    cr_expect_float_eq(memory.busy_ns, 1, 1e-9);
    bl_time_write_sector(&memory, 0, false, 0, 2);
    cr_expect_float_eq(memory.busy_ns, 1, 1e-9, "L2 held the block");
    bl_time_memory_free(&memory);
}

Test(time_memory, writes_fill_l2)
{
    const struct bl_machine machine = machine_by_hand();
    const struct bl_time_launch launch = {.is_in_l2 = never};
    struct bl_time_memory memory = open_memory(&machine, &launch);
    for (unsigned i = 0; i < 20; i++)
        bl_time_write_sector(&memory, 64 * i, false, 0, 1);
    cr_expect_float_eq(memory.busy_ns, 4, 1e-9, "L2 keeps 16 of 20 blocks: %g", memory.busy_ns);
    bl_time_memory_free(&memory);
}

Test(time_memory, the_delay_depends_on_the_traffic_of_all_units)
{
    struct bl_machine machine = machine_by_hand();
    machine.levels[BL_LEVEL_MEMORY].bytes_per_ns = 6400; /* a hundred times a unit's rate */
    machine.levels[BL_LEVEL_MEMORY].write_delay_ns = 10000;
    const struct bl_time_launch launch = {.is_in_l2 = never, .l2_filled = 1};
    struct bl_time_memory memory = open_memory(&machine, &launch);
    for (unsigned i = 0; i < 10; i++)
        bl_time_write_sector(&memory, 64 * i, false, 0, 1);
    const double ns = fetch_ns(&memory, 500, 1 << 20);
    cr_expect_float_eq(ns, 300 + 10000 * 0.0001 * exp(-0.499), 1e-6, "%g", ns);
    bl_time_memory_free(&memory);
}

enum { LINES = 2000 };

/* A sub-group that only stores whole lines. */
static struct made made_of_stores(void)
{
    static struct bl_time_op ops[LINES];
    static uint64_t lines[4 * LINES];
    for (unsigned i = 0; i < LINES; i++)
        ops[i] = (struct bl_time_op){
            .kind = BL_TIME_STORE, .tags = 1, .banks = 1, .lines = 1, .first = 4 * i, .count = 4};
    for (unsigned i = 0; i < 4 * LINES; i++)
        lines[i] = 32 * i;
    return (struct made){.streams = {STREAM(ops, lines)}};
}

Test(time_memory, stores_wait_for_each_other_once_their_queue_is_full)
{
    struct bl_machine machine = machine_of_round_times();
    const struct made made = made_of_stores();
    const double write_bytes_per_ns = machine.levels[0].write_bytes_per_ns;
    machine.levels[0].write_bytes_per_ns =
        write_bytes_per_ns / 4; /* lower than the rate of the path from a unit to L2 */
    const struct bl_time_result result = time_groups(&machine, &made, 1, 0);
    cr_expect_eq(result.limited_by, BL_LIMIT_STORES, "%s", bl_time_limit_name(result.limited_by));
    machine.levels[0].write_bytes_per_ns = write_bytes_per_ns / 8;
    const double slower_ns = time_groups(&machine, &made, 1, 0).ns;
    cr_expect_float_eq(slower_ns - machine.launch_ns, 2 * (result.ns - machine.launch_ns), 100,
                       "%g and %g ns", slower_ns, result.ns);
    /* Once L2 is full of written data, memory limits the writes. */
    machine = machine_of_round_times();
    machine.levels[0].kib = 8;
    machine.levels[BL_LEVEL_MEMORY].bytes_per_ns = 1e-1;
    cr_expect_gt(time_groups(&machine, &made, 1, 0).ns, 2 * result.ns);
}

/* L2 is full. Each of these sectors brings a block into it and is written. */
Test(time_memory, single_sectors_take_memory_longer_than_whole_blocks)
{
    struct bl_machine machine = machine_of_round_times();
    machine.levels[BL_LEVEL_MEMORY].write_alone_percent = 260;
    machine.levels[BL_LEVEL_MEMORY].write_whole_percent = 210;
    const struct bl_time_launch launch = {.is_in_l2 = never, .l2_filled = 1};
    double ns[2];
    for (unsigned is_alone = 0; is_alone < 2; is_alone++) {
        struct bl_time_memory memory;
        bl_time_memory_open(&memory, &machine, &launch, 1, 1);
        for (uint64_t i = 0; i < 100; i++)
            bl_time_write_sector(&memory, 4096 * i, is_alone, 0, 1);
        ns[is_alone] = memory.busy_ns;
        bl_time_memory_free(&memory);
    }
    const double sectors =
        machine.levels[BL_LEVEL_MEMORY].granule_bytes / (double)bl_time_sector_bytes(&machine);
    cr_expect_gt(ns[0], 0);
    EXPECT_NS(ns[1], 4.7 / sectors * ns[0]);
}

Test(time_memory, a_unit_that_stores_alone_takes_half_of_the_time)
{
    struct bl_machine machine = machine_of_round_times();
    const struct made made = made_of_stores();
    const unsigned units = machine.compute_units;
    cr_assert_gt(units, 1);
    machine.levels[0].kib = 1 << 20;
    machine.levels[0].write_bytes_per_ns /= 8; /* lower than the rate of the path */
    double ns[3];
    for (unsigned i = 0; i < 3; i++)
        ns[i] = time_groups(&machine, &made, i == 0 ? 1 : i * units / 2, 0).ns - machine.launch_ns;
    cr_expect_float_eq(ns[0] / ns[2], 0.48 + 0.52 / units, 0.03, "%g and %g ns", ns[0], ns[2]);
    cr_expect_float_eq(ns[1] / ns[2], 0.48 + 0.52 / 2, 0.03, "%g and %g ns", ns[1], ns[2]);
}

static bool pairs_read_from_l2 = true;

/* The time of 8 sub-groups that each load a line and store to a line that is `to` lines away. */
static double ns_of_pairs(bool waits, unsigned to)
{
    enum { SUBS = 8 };
    const struct bl_machine machine = machine_of_round_times();
    static uint64_t lines[SUBS][8];
    static struct bl_time_op ops[3];
    ops[0] = (struct bl_time_op)LOAD(0, 4);
    ops[waits ? 2 : 1] = (struct bl_time_op){
        .kind = BL_TIME_STORE, .tags = 1, .banks = 1, .lines = 1, .first = 4, .count = 4};
    if (waits)
        ops[1] = (struct bl_time_op)WAIT(1);
    struct made made = {.is_in_l2 = pairs_read_from_l2};
    for (unsigned i = 0; i < SUBS; i++) {
        for (unsigned j = 0; j < 4; j++) {
            lines[i][j] = 128 * i + 32 * j;
            lines[i][4 + j] = lines[i][j] + 128 * to;
        }
        made.streams[i] =
            (struct bl_time_stream){.ops = ops, .count = waits ? 3 : 2, .sectors = lines[i]};
    }
    return time_of(&machine, &made);
}

Test(time_memory, a_store_to_a_line_that_a_load_awaits_holds_up_the_path)
{
    const double apart_ns = ns_of_pairs(false, 100), waiting_ns = ns_of_pairs(true, 100);
    const double more_ns = ns_of_pairs(false, 0) - apart_ns;
    /* Each pair takes 0.33 of L2's latency. */
    EXPECT_NS(more_ns, 8 * 33.0);
    cr_expect_gt(ns_of_pairs(false, 1), apart_ns + 100, "another sub-group's line");
    EXPECT_NS(ns_of_pairs(true, 0), waiting_ns);
    pairs_read_from_l2 = false;
    const double of_memory_ns = ns_of_pairs(false, 0) - ns_of_pairs(false, 100);
    pairs_read_from_l2 = true;
    EXPECT_NS(of_memory_ns, 8 * 2.3 * 300); /* as many times memory's latency */
}

/* What a store adds that is issued at time 5, before the data of a load arrive, which was issued at
 * time 1. */
Test(time_memory, stores_to_data_from_memory_overlap_where_many_sub_groups_run)
{
    const struct bl_machine machine = machine_of_round_times();
    struct bl_time_cache cache;
    cr_assert(bl_time_cache_open(&cache, 4096, 128, 32));
    *bl_time_cache_at(&cache, 0) = (struct bl_time_sector){400, true};
    *bl_time_cache_at(&cache, 32) = (struct bl_time_sector){120, false};
    const double alone_ns = bl_time_cache_awaited_ns(&cache, &machine, 0, 5, 1);
    EXPECT_NS(alone_ns, 2.3 * 300);
    EXPECT_NS(bl_time_cache_awaited_ns(&cache, &machine, 0, 5, 9), alone_ns);
    EXPECT_NS(bl_time_cache_awaited_ns(&cache, &machine, 0, 5, 27), alone_ns / 3);
    EXPECT_NS(bl_time_cache_awaited_ns(&cache, &machine, 0, 5, 64), alone_ns / 4.8);
    EXPECT_NS(bl_time_cache_awaited_ns(&cache, &machine, 32, 5, 1), 33.0);
    EXPECT_NS(bl_time_cache_awaited_ns(&cache, &machine, 32, 5, 36), 33 / 2.0);
    EXPECT_NS(bl_time_cache_awaited_ns(&cache, &machine, 32, 121, 1), 0.0);
    EXPECT_NS(bl_time_cache_awaited_ns(&cache, &machine, 64, 5, 1), 0.0);
    bl_time_cache_free(&cache);
}

enum { WORDS = 100 };

static size_t stores_of_group = WORDS;

/* The time of groups that together store a word 132 * WORDS times, each time after `before`. */
static double ns_of_words_after(enum bl_time_kind before, enum bl_time_overlap overlap,
                                bool is_partial, bool is_private)
{
    struct bl_machine machine = machine_of_round_times();
    machine.group_start_ns = 0.05;
    static const uint64_t sector[] = {0};
    static struct bl_time_op ops[2 * WORDS];
    for (unsigned i = 0; i < WORDS; i++) {
        ops[2 * i] = (struct bl_time_op){.kind = (uint8_t)before, .banks = 1, .issued = 1};
        ops[2 * i + 1] = (struct bl_time_op){.kind = BL_TIME_STORE,
                                             .tags = 1,
                                             .banks = 1,
                                             .lines = 1,
                                             .is_partial = is_partial,
                                             .is_private = is_private,
                                             .count = 1};
    }
    struct made made = {.streams = {STREAM(ops, sector)}, .is_in_l2 = true};
    const struct bl_time_sharing sharing[] = {{.overlap = overlap}};
    made.streams[0].sharing = sharing;
    made.streams[0].count = 2 * stores_of_group;
    const unsigned local_bytes = 65536; /* so that few groups are resident */
    return time_groups(&machine, &made, 132 * WORDS / stores_of_group, local_bytes).ns;
}

static double ns_of_words(enum bl_time_overlap overlap, bool is_partial, bool is_private)
{
    return ns_of_words_after(BL_TIME_LOCAL_LOAD, overlap, is_partial, is_private);
}

Test(time_memory, stores_of_all_groups_to_one_word_are_joined_in_series)
{
    const double apart_ns = ns_of_words_after(BL_TIME_WORK, BL_TIME_APART, true, false);
    EXPECT_NS(ns_of_words_after(BL_TIME_WORK, BL_TIME_TOGETHER, true, false), apart_ns);
}

Test(time_memory, a_store_of_a_group_does_not_join_one_of_the_group_before)
{
    stores_of_group = 1;
    const double together_ns =
        ns_of_words(BL_TIME_TOGETHER, true, false) - machine_of_round_times().launch_ns;
    stores_of_group = WORDS;
    cr_expect_gt(together_ns, 0.95 * 100 * 132 * 0.46, "%g ns", together_ns);
}

Test(time_memory, stores_of_all_groups_to_one_word_wait_for_its_slice_of_l2)
{
    const double apart_ns = ns_of_words(BL_TIME_APART, true, false),
                 together_ns = ns_of_words(BL_TIME_TOGETHER, true, false),
                 expected_ns = 100 * 132 * 0.46;
    cr_expect_float_eq(together_ns - apart_ns, expected_ns, 0.1 * expected_ns, "%g and %g ns",
                       together_ns, apart_ns);
    EXPECT_NS(ns_of_words(BL_TIME_OVERLAP_UNKNOWN, true, false), apart_ns);
    cr_expect_lt(ns_of_words(BL_TIME_TOGETHER, false, false), apart_ns + 200, "whole sectors");
    cr_expect_lt(ns_of_words(BL_TIME_TOGETHER, true, true), apart_ns + 200, "private arrays");
}

Test(time_memory, the_first_cache_keeps_what_is_stored_to_a_private_array)
{
    const struct bl_machine machine = machine_of_round_times();
    static const uint64_t line[] = {0, 32, 64, 96};
    struct bl_time_op ops[] = {
        {.kind = BL_TIME_STORE, .tags = 1, .banks = 1, .lines = 1, .count = 4},
        LOAD(0, 4),
        WAIT(1)};
    struct made made = {.streams = {STREAM(ops, line)}, .is_in_l2 = true};
    const double global_ns = time_of(&machine, &made);
    ops[0].is_private = ops[1].is_private = true;
    cr_expect_float_eq(global_ns - time_of(&machine, &made), 100 - 20, 1,
                       "a read from L2, and one from the first cache");
}

enum { OWN_LINES = 1024, OWN_L2_KIB = 64 };

/* The time of groups, one after another on each unit, that store `lines` lines of a private array
 * and then load one of these lines. The first cache has 8 lines, a unit's share of L2 512. */
static double ns_of_private_lines(struct bl_machine machine, size_t groups, unsigned lines,
                                  unsigned loaded)
{
    static struct bl_time_op ops[OWN_LINES + 2];
    static uint64_t sectors[4 * OWN_LINES];
    for (unsigned i = 0; i < 4 * OWN_LINES; i++)
        sectors[i] = 32 * i;
    for (unsigned i = 0; i <= lines; i++)
        ops[i] = (struct bl_time_op){.kind = i < lines ? BL_TIME_STORE : BL_TIME_LOAD,
                                     .is_private = true,
                                     .tags = 1,
                                     .banks = 1,
                                     .lines = 1,
                                     .first = 4 * (i < lines ? i : loaded),
                                     .count = 4};
    ops[lines + 1] = (struct bl_time_op)WAIT(1);
    const struct made made = {.streams = {{.ops = ops, .count = lines + 2, .sectors = sectors}}};
    machine.cache_bytes = 8 * 128;
    machine.levels[0].kib = OWN_L2_KIB * (unsigned)(groups < 132 ? groups : 132);
    machine.levels[0].write_bytes_per_ns *= 1000;
    return time_groups(&machine, &made, groups, machine.local_bytes_per_unit).ns;
}

Test(time_memory, private_arrays_that_l2_does_not_hold_come_from_memory)
{
    const struct bl_machine machine = machine_of_round_times();
    for (unsigned lines = 64; lines <= OWN_LINES; lines *= OWN_LINES / 64) {
        const double more_ns = ns_of_private_lines(machine, 1, lines, 0) -
                               ns_of_private_lines(machine, 1, lines, lines - 1);
        cr_expect_float_eq(more_ns, (lines == 64 ? 100 : 300) - 20, 5, "%u lines: %g ns more",
                           lines, more_ns);
    }
}

/* Each group of a slot overwrites the private arrays of the group before it. Arrays that L2 does
 * not hold must have been written to memory by then. */
Test(time_memory, private_arrays_that_l2_does_not_hold_are_written_to_memory)
{
    struct bl_machine machine = machine_of_round_times();
    machine.levels[BL_LEVEL_MEMORY].bytes_per_ns /= 10;
    for (unsigned lines = 64; lines <= OWN_LINES; lines *= OWN_LINES / 64) {
        const double ns = ns_of_private_lines(machine, 264, lines, lines - 1) - machine.launch_ns,
                     memory_ns = lines * 128.0 * 132 / machine.levels[BL_LEVEL_MEMORY].bytes_per_ns;
        if (lines == 64)
            cr_expect_lt(ns, memory_ns, "%g ns", ns);
        else
            cr_expect_geq(ns, 0.99 * memory_ns, "%g of %g ns", ns, memory_ns);
    }
}

/* The time of 1000 stores of whole lines, of which `lines` are distinct. L2 limits the stores. */
static double ns_of_stores(unsigned lines)
{
    enum { STORES = 1000 };
    struct bl_machine machine = machine_of_round_times();
    machine.levels[0].write_bytes_per_ns /= 4;
    static struct bl_time_op ops[STORES];
    static uint64_t addresses[STORES * 4];
    for (unsigned i = 0; i < STORES; i++)
        ops[i] = (struct bl_time_op){.kind = BL_TIME_STORE,
                                     .tags = 1,
                                     .banks = 1,
                                     .lines = 1,
                                     .first = 4 * (i % lines),
                                     .count = 4};
    for (unsigned i = 0; i < STORES * 4; i++)
        addresses[i] = 32 * i;
    const struct made made = {.streams = {STREAM(ops, addresses)}, .is_in_l2 = true};
    return time_groups(&machine, &made, 1, 0).ns - machine.launch_ns;
}

Test(time_memory, stores_to_lines_that_were_written_before_take_longer)
{
    const double new_ns = ns_of_stores(1000), half_again_ns = ns_of_stores(500);
    cr_expect_float_eq(half_again_ns / new_ns, 1.085, 0.005, "%g and %g ns", half_again_ns, new_ns);
}

/* The time of 500 reads and 500 writes of whole lines. L2 holds `kib` KiB, and memory is slow. */
static double ns_with_l2_of(unsigned kib)
{
    enum { EACH = 500 };
    struct bl_machine machine = machine_of_round_times();
    static struct bl_time_op ops[2 * EACH];
    static uint64_t lines[2 * EACH * 4];
    for (unsigned i = 0; i < 2 * EACH; i++)
        ops[i] = (struct bl_time_op){.kind = i % 2 ? BL_TIME_STORE : BL_TIME_LOAD,
                                     .tags = 1,
                                     .banks = 1,
                                     .lines = 1,
                                     .first = 4 * i,
                                     .count = 4};
    for (unsigned i = 0; i < 2 * EACH * 4; i++)
        lines[i] = 32 * i;
    const struct made made = {.streams = {STREAM(ops, lines)}};
    machine.levels[0].kib = kib;
    machine.levels[BL_LEVEL_MEMORY].bytes_per_ns = 1;
    return time_groups(&machine, &made, 1, 0).ns;
}

/* The reads and the writes, 62.5 KiB each, do not fit together into an L2 of 94 KiB. */
Test(time_memory, reads_evict_written_data_from_l2)
{
    const double evicted_bytes = 125 * 1024 - 94 * 1024;
    cr_expect_float_eq(ns_with_l2_of(94) - ns_with_l2_of(1000), evicted_bytes / 2, 2000);
}
