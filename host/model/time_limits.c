/* Checks that a machine has all figures that the simulation of time requires, names the parts of a
 * time, and says what a unit holds (time.h). */
#include "model/time.h"
#include "model/time_cache.h"

const char *bl_time_limit_name(enum bl_time_limit limit)
{
    static const char *const names[] = {"latency", "occupancy", "tags",       "banks",  "stores",
                                        "L2",      "memory",    "arithmetic", "launch", "tail"};
    return names[limit];
}

const char *bl_time_why_not(const struct bl_machine *machine)
{
    const struct bl_level *l2 = &machine->levels[0], *memory = &machine->levels[BL_LEVEL_MEMORY];
    if (!machine->has_rule || *machine->why_no_global_rule)
        return "the machine has no rule for global memory";
    if (machine->clock_mhz <= 0 || machine->cache_latency_ns <= 0 || l2->latency_ns <= 0 ||
        memory->latency_ns <= 0 || machine->integer_ns <= 0 || machine->float_ns <= 0)
        return "the machine does not specify how long a request takes";
    if (l2->bytes_per_ns <= 0 || l2->unit_bytes_per_ns <= 0 || memory->bytes_per_ns <= 0 ||
        l2->write_bytes_per_ns <= 0 || l2->kib == 0 || machine->cache_bytes == 0 ||
        memory->granule_bytes == 0)
        return "the machine does not specify the capacities and bandwidths of its levels";
    if (machine->launch_ns <= 0 || machine->group_start_ns <= 0)
        return "the machine does not specify how long a launch takes";
    if (machine->compute_units == 0 || machine->groups_per_unit == 0 ||
        machine->sub_groups_per_unit == 0 || machine->local_bytes_per_unit == 0)
        return "the machine does not specify how many groups a compute unit holds";
    if (machine->constant_address_clocks > 0 &&
        (machine->constant_latency_ns <= 0 || machine->constant_further_ns <= 0))
        return "the machine does not specify how long a read of a declared constant array takes";
    if (machine->line_bytes / bl_time_sector_bytes(machine) > BL_TIME_LINE_SECTORS)
        return "the machine's lines have more sectors than the simulation supports";
    return NULL;
}

unsigned bl_time_sector_bytes(const struct bl_machine *machine)
{
    return machine->sector_bytes ? machine->sector_bytes : machine->line_bytes;
}

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

unsigned bl_time_resident(const struct bl_machine *machine, const struct bl_time_launch *launch)
{
    unsigned most = machine->groups_per_unit;
    most = least(most, machine->sub_groups_per_unit / launch->sub_groups);
    if (launch->local_bytes > 0)
        most = least(most, machine->local_bytes_per_unit /
                               (launch->local_bytes + machine->local_bytes_reserved));
    if (launch->registers > 0 && machine->registers_per_unit > 0)
        most = least(most, machine->registers_per_unit /
                               (launch->registers * machine->lanes * launch->sub_groups));
    return most > 0 ? most : 1;
}

size_t bl_time_cache_bytes(const struct bl_machine *machine, const struct bl_time_launch *launch)
{
    const size_t bytes = machine->cache_bytes, all = machine->local_bytes_per_unit,
                 local = (size_t)bl_time_resident(machine, launch) *
                         (launch->local_bytes + machine->local_bytes_reserved);
    /* Local memory and the cache share the same storage. */
    if (launch->local_bytes == 0 || local + bytes <= all)
        return bytes;
    return all > local + bytes / 8 ? all - local : bytes / 8;
}
