/* Tests L2 and memory in the simulation of a compute unit. The expected times were computed by
 * hand. */
#include <criterion/criterion.h>
#include <math.h>

#include "model/time_memory.h"

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

/* The time of a read of the sector at `address` that begins at from_ns. */
static double fetch_ns(struct bl_time_memory *memory, double from_ns, uint64_t address)
{
    struct bl_time_fetch fetch = {.from_ns = from_ns, .address = UINT64_MAX};
    return bl_time_fetch_sector(memory, &fetch, address, 0) - from_ns;
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

Test(time_memory, reads_wait_longer_in_proportion_to_the_time_of_writes)
{
    struct bl_machine machine = machine_by_hand();
    machine.levels[BL_LEVEL_MEMORY].write_delay_ns = 10000;
    const struct bl_time_launch launch = {.is_in_l2 = never, .l2_filled = 1};
    struct bl_time_memory memory = open_memory(&machine, &launch);
    for (unsigned i = 0; i < 10; i++)
        cr_expect_not(bl_time_write_sector(&memory, 64 * i, 0, 1));
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
    cr_expect_not(bl_time_write_sector(&memory, 4096, 0, 400));
    cr_expect_not(bl_time_write_sector(&memory, 4096 + 32, 0, 400), "part of the same request");
    cr_expect(bl_time_write_sector(&memory, 4096 + 32, 0, 500));
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
    bl_time_write_sector(&memory, 4096, 0, 1);
    cr_expect_float_eq(memory.busy_ns, 1, 1e-9);
    bl_time_write_sector(&memory, 0, 0, 2);
    cr_expect_float_eq(memory.busy_ns, 1, 1e-9, "L2 held the block");
    bl_time_memory_free(&memory);
}

Test(time_memory, writes_fill_l2)
{
    const struct bl_machine machine = machine_by_hand();
    const struct bl_time_launch launch = {.is_in_l2 = never};
    struct bl_time_memory memory = open_memory(&machine, &launch);
    for (unsigned i = 0; i < 20; i++)
        bl_time_write_sector(&memory, 64 * i, 0, 1);
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
        bl_time_write_sector(&memory, 64 * i, 0, 1);
    const double ns = fetch_ns(&memory, 500, 1 << 20);
    cr_expect_float_eq(ns, 300 + 10000 * 0.0001 * exp(-0.499), 1e-6, "%g", ns);
    bl_time_memory_free(&memory);
}
