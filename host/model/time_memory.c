/* Simulates L2 and memory for one compute unit (time_memory.h). All units run the same kernel and
 * get equal shares of both, so the other units' traffic is assumed to equal this unit's. */
#include "model/time_memory.h"

#include "model/accesses.h"

#include <math.h>

enum { FAR_BYTES = 16384 }; /* distance of lines from which far_line_ns applies */

/* Atomics on global memory are done in L2, whose slices work at the same time. An H200 did 1.3
 * updates of one word per ns, an H100 1.37. Updates of random words were 80 times as fast as that,
 * as if there were 80 slices (BL_TIME_SLICES). A slice does the updates of different words of a
 * sector at the same time (results/rules/README.md, 'Atomic additions'). */
#define OF_UPDATE_NS 0.731
/* If lanes of all units try to exchange the same word, one succeeds in this time, and in so much
 * longer for each lane that tries. On an H100, 512 to 32,768 work-items took 0.2 to 3.2 us for
 * each success. */
#define EXCHANGE_NS 280
#define EXCHANGE_LANE_NS 0.15
/* How much longer than a read from L2 an atomic takes to return the old value. */
#define UPDATE_MORE_NS 120
/* The time that a slice of L2 takes for a write of a part of a sector. On an H200, 67,584
 * sub-groups that all stored to the same word took 31 us more than sub-groups that each stored to a
 * word of their own. */
#define OF_WRITE_NS 0.46

static const struct bl_level *l2_of(const struct bl_machine *machine)
{
    return &machine->levels[0];
}

static const struct bl_level *memory_of(const struct bl_machine *machine)
{
    return &machine->levels[BL_LEVEL_MEMORY];
}

void bl_time_memory_open(struct bl_time_memory *memory, const struct bl_machine *machine,
                         const struct bl_time_launch *launch, double busy_units, double part)
{
    const struct bl_level *l2 = l2_of(machine), *level = memory_of(machine);
    const unsigned sector = bl_time_sector_bytes(machine), fill = level->granule_bytes;
    *memory = (struct bl_time_memory){.machine = machine, .launch = launch};
    memory->l2_granule_ns = sector * fmax(1 / l2->unit_bytes_per_ns, busy_units / l2->bytes_per_ns);
    memory->granule_ns = memory->shared_ns = fill * busy_units / level->bytes_per_ns;
    if (level->unit_bytes_per_ns > 0)
        memory->granule_ns = fmax(memory->granule_ns, fill / level->unit_bytes_per_ns);
    /* This unit's share of L2, as time of memory; kept_ns is reduced to the simulated part of the
     * groups. */
    memory->share_ns = l2->kib * 1024.0 / fill / busy_units * memory->granule_ns;
    memory->kept_ns = part * memory->share_ns;
    memory->filled_ns = launch->l2_filled * memory->kept_ns;
    memory->busy_units = busy_units;
}

void bl_time_memory_free(struct bl_time_memory *memory)
{
    bl_time_map_free(&memory->fetched);
    bl_time_map_free(&memory->written);
    bl_time_map_free(&memory->touched);
}

/* The delay for each further line of a request. */
static double further_ns(const struct bl_level *level, bool is_far)
{
    return is_far && level->far_line_ns > 0 ? level->far_line_ns : level->further_line_ns;
}

enum { RECENT_NS = 1000 }; /* the time over which memory's utilization is averaged */

static void decay(struct bl_time_memory *memory, double now_ns)
{
    if (now_ns <= memory->recent_until_ns)
        return;
    const double kept = exp((memory->recent_until_ns - now_ns) / RECENT_NS);
    memory->recent_reads_ns *= kept;
    memory->recent_writes_ns *= kept;
    memory->recent_until_ns = now_ns;
}

/* How much longer than on an idle device a read from memory takes, although memory's bandwidth is
 * not exhausted: reads and writes of all units collide. On an H100 and an H200, the delay was a
 * sum: one part grew with the utilization u as u^2 / sqrt(1 - u), the other in proportion to the
 * utilization by writes. */
static double collision_ns(const struct bl_time_memory *memory)
{
    static const double most = 0.96, loaded = 0.9; /* loaded: utilization of loaded_latency_ns */
    const struct bl_level *level = memory_of(memory->machine);
    const double writes = fmin(most, memory->recent_writes_ns / RECENT_NS),
                 used = fmin(most, writes + memory->recent_reads_ns / RECENT_NS),
                 at_load = loaded * loaded / sqrt(1 - loaded),
                 of_load = used * used / sqrt(1 - used) / at_load;
    return fmax(0, level->loaded_latency_ns - level->latency_ns) * of_load +
           level->write_delay_ns * writes;
}

/* part: the part of a block's time that counts for this unit; below 1 if several units share the
 * block. */
static void occupy(struct bl_time_memory *memory, double from_ns, double part, double *recent_ns)
{
    memory->memory_ns = fmax(memory->memory_ns, from_ns) + part * memory->granule_ns;
    memory->busy_ns += part * memory->granule_ns;
    decay(memory, from_ns);
    *recent_ns += part * memory->shared_ns;
}

/* Uses a block of a private array. Returns whether L2 still holds it. *written_ns: the block's
 * value in memory->written. */
static bool use_private(struct bl_time_memory *memory, uint64_t block, double *written_ns,
                        double now_ns)
{
    bool was_there;
    double *touched_ns = bl_time_map_at(&memory->touched, block, &was_there);
    if (!touched_ns || !written_ns) {
        memory->has_failed = true;
        return true;
    }
    const double filled_ns = memory->filled_ns + memory->private_filled_ns;
    const bool is_kept = was_there && filled_ns - *touched_ns <= memory->share_ns;
    memory->private_ns += was_there ? 0 : memory->granule_ns;
    if (!is_kept) {
        if (*written_ns > 0)
            occupy(memory, now_ns, 1, &memory->recent_writes_ns);
        *written_ns = 0;
        memory->private_filled_ns += memory->granule_ns;
    }
    *touched_ns = memory->filled_ns + memory->private_filled_ns;
    return is_kept;
}

bool bl_time_write_private(struct bl_time_memory *memory, uint64_t address, double now_ns)
{
    const uint64_t block = address / memory_of(memory->machine)->granule_bytes;
    bool was_there;
    double *written_ns = bl_time_map_at(&memory->written, block, &was_there);
    use_private(memory, block, written_ns, now_ns);
    if (written_ns && *written_ns <= 0)
        *written_ns = now_ns;
    return written_ns && *written_ns < now_ns;
}

/* Whether L2 holds the block of a sector that is fetched. was_there: the launch has fetched or
 * written this block before. */
static bool is_held(struct bl_time_memory *memory, const struct bl_time_fetch *fetch,
                    uint64_t address, bool was_there)
{
    const uint64_t block = address / memory_of(memory->machine)->granule_bytes;
    bool was_written;
    if (!fetch->is_private)
        return was_there || memory->launch->is_in_l2(memory->launch->context, address, fetch->wave);
    return use_private(memory, block, bl_time_map_at(&memory->written, block, &was_written),
                       fetch->from_ns);
}

double bl_time_fetch_sector(struct bl_time_memory *memory, struct bl_time_fetch *fetch,
                            uint64_t address)
{
    const struct bl_machine *machine = memory->machine;
    const struct bl_level *l2 = l2_of(machine), *level = memory_of(machine);
    bool was_there;
    double *block_ns = bl_time_map_at(&memory->fetched, address / level->granule_bytes, &was_there);
    if (!block_ns) {
        memory->has_failed = true;
        return fetch->from_ns;
    }
    const bool is_in_l2 = is_held(memory, fetch, address, was_there);
    const bool is_line = fetch->address / machine->line_bytes != address / machine->line_bytes,
               is_far =
                   address - fetch->address >= FAR_BYTES && fetch->address - address >= FAR_BYTES;
    double idle_ns, ns;
    fetch->address = address;
    const double l2_wait_ns = fmax(0, memory->l2_ns - fetch->from_ns);
    if (is_in_l2) {
        fetch->l2_more_ns += is_line && fetch->l2_lines++ ? further_ns(l2, is_far) : 0;
        idle_ns = fetch->from_ns + l2->latency_ns + fetch->l2_more_ns;
        ns = fmax(fmax(idle_ns, *block_ns), fetch->from_ns + l2->latency_ns + l2_wait_ns);
        fetch->queued_ns[0] = fmax(fetch->queued_ns[0], l2_wait_ns);
    } else {
        const double wait_ns = fmax(0, memory->memory_ns - fetch->from_ns);
        fetch->memory_more_ns += is_line && fetch->memory_lines++ ? further_ns(level, is_far) : 0;
        decay(memory, fetch->from_ns);
        const double delay_ns = collision_ns(memory);
        idle_ns = fetch->from_ns + level->latency_ns + fetch->memory_more_ns;
        ns = fmax(idle_ns + delay_ns,
                  fetch->from_ns + level->latency_ns + fmax(wait_ns, l2_wait_ns));
        const double part = 1 / fmax(1, fetch->units);
        occupy(memory, fetch->from_ns, part, &memory->recent_reads_ns);
        memory->filled_ns += fetch->is_private ? 0 : part * memory->granule_ns;
        fetch->queued_ns[1] = fmax(fetch->queued_ns[1], fmax(wait_ns, delay_ns));
        *block_ns = ns;
    }
    fetch->is_from_memory = !is_in_l2 || *block_ns > idle_ns;
    fetch->idle_ns = fmax(fetch->idle_ns, idle_ns);
    return ns;
}

void bl_time_occupy_l2(struct bl_time_memory *memory, double from_ns, unsigned sectors,
                       unsigned lines)
{
    const struct bl_level *l2 = l2_of(memory->machine);
    const double of_lines = l2->least_of_line_percent * lines / 100.0,
                 least = l2->least_of_request_percent / 100.0;
    memory->l2_ns =
        fmax(memory->l2_ns, from_ns) + fmax(fmax(sectors, of_lines), least) * memory->l2_granule_ns;
}

/* How much longer memory takes for a sector whose neighbours are not written than for one of a
 * block of full sectors (model/machine.h). */
static double alone_cost(const struct bl_machine *machine)
{
    const struct bl_level *level = memory_of(machine);
    const double cost = (level->write_alone_percent + level->write_whole_percent) / 100.0 *
                        bl_time_sector_bytes(machine) / level->granule_bytes;
    return fmax(1, cost);
}

bool bl_time_write_sector(struct bl_time_memory *memory, uint64_t address, bool is_alone,
                          size_t wave, double now_ns)
{
    const uint64_t block = address / memory_of(memory->machine)->granule_bytes;
    bool was_there, was_written;
    double *block_ns = bl_time_map_at(&memory->fetched, block, &was_there),
           *written_ns = bl_time_map_at(&memory->written, block, &was_written);
    if (!block_ns || !written_ns) {
        memory->has_failed = true;
        return false;
    }
    if (!was_there && !memory->launch->is_in_l2(memory->launch->context, address, wave)) {
        *block_ns = now_ns;
        memory->filled_ns += memory->granule_ns;
    }
    const double kept_ns = memory->kept_ns * fmax(0, 1 - memory->private_ns / memory->share_ns);
    if (!was_written && *block_ns > 0 && memory->filled_ns > kept_ns)
        occupy(memory, now_ns, is_alone ? alone_cost(memory->machine) : 1,
               &memory->recent_writes_ns);
    if (!was_written)
        *written_ns = now_ns;
    return *written_ns < now_ns;
}

/* On an H100, updates of random words in 256 bytes, 512 bytes, 2, 4 and 16 KiB took as long as if
 * 1, 2, 4, 8 and 25 slices did them (results/rules/README.md, 'Atomic additions'). A driver places
 * small buffers one after another, so each buffer begins two slices after the one before; for large
 * ones this does not matter. */
static unsigned slice_of(uint64_t address)
{
    enum { PIECE_BYTES = 256, IN_ORDER = 32, OF_BUFFER = 2 };
    const uint64_t piece = (address & BL_OFFSET_MASK) / PIECE_BYTES,
                   number = (piece & 1) | piece >> 2 << 1, /* pairs of pieces share a slice */
        bits = (number / IN_ORDER ^ number >> 17) * 0x9E3779B97F4A7C15u;
    return (unsigned)(((bits >> 32) + number + OF_BUFFER * (address >> BL_BUFFER_BITS)) %
                      BL_TIME_SLICES);
}

double bl_time_write_shared(struct bl_time_memory *memory, uint64_t address, double from_ns)
{
    double *slice_ns = &memory->slices_ns[slice_of(address)];
    *slice_ns = fmax(*slice_ns, from_ns) + OF_WRITE_NS * memory->busy_units;
    return *slice_ns;
}

/* How long one update occupies a slice. */
static double own_update_ns(const struct bl_time_memory *memory,
                            const struct bl_time_update *update)
{
    if (update->exchanging > 0 && update->overlap == BL_TIME_TOGETHER)
        return EXCHANGE_NS + update->exchanging * memory->busy_units * EXCHANGE_LANE_NS;
    return update->updates * OF_UPDATE_NS;
}

/* Occupies the slices with an update of each unit. Where the other units' sectors are is not known:
 * they are assumed to be distributed like this unit's sectors so far, but evenly if these are few.
 */
static void occupy_slices(struct bl_time_memory *memory, unsigned slice, double from_ns,
                          double all_ns)
{
    static const double few = 16;
    memory->updated[slice]++;
    memory->updated_all++;
    for (unsigned i = 0; i < BL_TIME_SLICES; i++) {
        const double part =
            (memory->updated[i] + few / BL_TIME_SLICES) / (memory->updated_all + few);
        memory->slices_ns[i] = fmax(memory->slices_ns[i], from_ns) + part * all_ns;
    }
}

double bl_time_update_sector(struct bl_time_memory *memory, struct bl_time_fetch *fetch,
                             const struct bl_time_update *update, double *done_ns)
{
    const double read_ns = bl_time_fetch_sector(memory, fetch, update->address),
                 from_ns = fetch->from_ns, own_ns = own_update_ns(memory, update),
                 all_ns = update->updates * OF_UPDATE_NS * memory->busy_units / BL_TIME_SLICES;
    const unsigned slice = slice_of(update->address);
    bl_time_write_sector(memory, update->address, false, fetch->wave, fmax(1, from_ns));
    if (update->overlap == BL_TIME_OVERLAP_UNKNOWN)
        occupy_slices(memory, slice, from_ns, own_ns * memory->busy_units);
    else
        memory->slices_ns[slice] =
            fmax(memory->slices_ns[slice], from_ns) +
            own_ns * (update->overlap == BL_TIME_APART ? 1 : memory->busy_units);
    memory->updates_ns = fmax(memory->updates_ns, from_ns) + all_ns;
    const double end_ns = fmax(memory->slices_ns[slice], memory->updates_ns);
    *done_ns = fmax(*done_ns, end_ns);
    return fmax(read_ns, end_ns) + UPDATE_MORE_NS;
}
