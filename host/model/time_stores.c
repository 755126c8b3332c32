/* Stores in the simulated compute unit (time_unit.h).
 *
 * A unit joins stores to parts of sectors that one sub-group makes one after another, such as the
 * members of its work-items' structures, if not too many lines are written in between. On an H100,
 * a single sub-group joined stores to 24 lines, but none to 32. Two that stored at the same time
 * joined stores to 12 lines each, but none to 16; four, stores to 7, but none to 8. Not more than
 * one sub-group of each scheduler stores in turns with others: eight joined stores to 6 lines each,
 * but none to 8. If arithmetic kept four sub-groups apart in time, they joined stores to 9 lines,
 * too (results/rules/nvidia-h100-joined-stores.csv). */
#include <math.h>

#include "model/time_unit.h"

/* Whether a store to parts of sectors follows at once. */
static bool stores_next(const struct bl_time_sub_group *sub)
{
    enum { MOST_WORK = 32 }; /* instructions between two stores */
    const size_t end = sub->stream.count + sub->stream.further;
    for (size_t at = sub->at; at < end && at < sub->at + 3; at++) {
        const struct bl_time_op *op = &sub->stream.ops[at % sub->stream.count];
        if (op->kind == BL_TIME_STORE)
            return op->is_partial && !op->is_private;
        if (op->kind != BL_TIME_WORK || op->issued > MOST_WORK)
            return false;
    }
    return false;
}

/* How far stores may lag behind before the path stalls. */
static double queue_ns(const struct bl_time_unit *unit)
{
    enum { QUEUED = 64 }; /* capacity of the queue, in requests of one whole line */
    const struct bl_machine *machine = unit->machine;
    return QUEUED * unit->store_sector_ns * machine->line_bytes / bl_time_sector_bytes(machine);
}

/* Finds how many sub-groups store in turns with one that begins a series of stores: those that are
 * ready at the same time, or, if stores wait for the path or for the queue, all that are ready by
 * the time the path is free. */
static void begin_series(struct bl_time_unit *unit, struct bl_time_sub_group *sub)
{
    /* How far apart sub-groups are that are ready at the same time, and how far the path lags
     * behind if stores wait for it. Both were not measured, but chosen with the loops of the table
     * and a kernel of a hidden Markov model. */
    enum { TOGETHER_CLOCKS = 4, PATH_CLOCKS = 256 };
    const double together_ns = TOGETHER_CLOCKS * unit->clock_ns,
                 full_ns = fmax(unit->path_ns - PATH_CLOCKS * unit->clock_ns,
                                unit->stores_ns - queue_ns(unit) / 2);
    const bool is_full = full_ns > sub->now_ns;
    const double from_ns = is_full ? 0 : sub->now_ns - together_ns,
                 to_ns = (is_full ? fmax(full_ns, unit->path_ns) : sub->now_ns) + together_ns;
    const size_t subs = (size_t)unit->resident * unit->subs_of_place;
    struct bl_time_sub_group *others[BL_TIME_MAX_SUB_GROUPS];
    uint32_t count = 0;
    for (size_t i = 0; i < subs && count < BL_TIME_MAX_SUB_GROUPS; i++) {
        struct bl_time_sub_group *other = &unit->subs[i];
        if (other != sub && !other->is_waiting && other->now_ns >= from_ns &&
            other->now_ns <= to_ns && stores_next(other))
            others[count++] = other;
    }
    sub->storing = count + 1 > sub->contended ? count + 1 : sub->contended;
    sub->contended = 0;
    for (uint32_t i = 0; i < count; i++)
        if (others[i]->contended < count + 1)
            others[i]->contended = count + 1;
}

/* Adds a sector, a part of which the current store writes. Returns how much joining earlier stores
 * saves: 1 if they wrote to this sector, and if this is the current store's first sector of a line
 * that they wrote to, what is charged for parts of the line: 1, or 2 if this is the first store
 * that joins another. */
static unsigned join(struct bl_time_open *open, unsigned capacity, uint64_t line, uint64_t sector)
{
    for (unsigned i = 1; i <= capacity; i++) { /* from the line that was opened last */
        struct bl_time_open_line *at =
            &open->lines[(open->next + BL_TIME_OPEN_LINES - i) % BL_TIME_OPEN_LINES];
        if (at->number != line)
            continue;
        const unsigned of_line = at->store == open->store ? 0
                                 : at->is_joined          ? 1
                                                          : 2,
                       saved = (at->sectors & sector ? 1 : 0) + of_line;
        at->is_joined |= of_line > 0;
        at->sectors |= sector;
        at->store = open->store;
        return saved;
    }
    open->lines[open->next] = (struct bl_time_open_line){line, sector, open->store, false};
    open->next = (open->next + 1) % BL_TIME_OPEN_LINES;
    return 0;
}

/* Returns how many sectors, and lines with parts of sectors, need not be written because the store
 * joins earlier ones. */
static unsigned joined(const struct bl_time_unit *unit, struct bl_time_sub_group *sub,
                       const struct bl_time_op *op)
{
    const unsigned schedulers = unit->machine->instructions_per_clock, /* each starts one */
        in_turns = sub->storing < schedulers ? sub->storing : schedulers,
                   capacity = BL_TIME_OPEN_LINES / (in_turns > 0 ? in_turns : 1);
    const unsigned line = unit->machine->line_bytes, sector = bl_time_sector_bytes(unit->machine);
    struct bl_time_open *open = &sub->open;
    open->store++;
    unsigned saved = 0;
    if (op->lines > capacity)
        *open = (struct bl_time_open){.store = open->store};
    for (uint32_t i = 0; op->lines <= capacity && i < op->count; i++) {
        const uint64_t address = bl_time_address_of(unit, sub, op, i);
        saved += join(open, capacity, address / line + 1, (uint64_t)1 << address % line / sector);
    }
    return saved;
}

/* Writes the sectors to L2. Returns how many blocks the launch has written before. *more_ns: how
 * long the path waits for loads of the sectors. *done_ns: when L2 has done those that all units
 * share. */
static unsigned write_sectors(struct bl_time_unit *unit, const struct bl_time_sub_group *sub,
                              const struct bl_time_op *op, bool is_shared, double start_ns,
                              double *more_ns, double *done_ns)
{
    unsigned again = 0;
    for (uint32_t i = 0; i < op->count; i++) {
        const uint64_t address = bl_time_address_of(unit, sub, op, i);
        if (op->is_private) {
            again += bl_time_write_private(&unit->memory, address, fmax(1, start_ns));
            bl_time_cache_at(&unit->cache, address)->arrival_ns = start_ns;
        } else {
            again += bl_time_write_sector(&unit->memory, address, unit->places[sub->place].wave,
                                          start_ns);
            *more_ns = fmax(*more_ns, bl_time_cache_awaited_ns(&unit->cache, address, sub->now_ns));
        }
        if (is_shared)
            *done_ns = fmax(*done_ns, bl_time_write_shared(&unit->memory, address, start_ns));
    }
    return again;
}

void bl_time_store(struct bl_time_unit *unit, struct bl_time_sub_group *sub,
                   const struct bl_time_op *op)
{
    /* How much longer a full sector takes if the launch has written its block before. On an H100,
     * loops that stored to the same lines in each round wrote 3450 bytes per ns instead of 4050. */
    static const double more_again = 0.17;
    const unsigned rate = unit->machine->sectors_written_per_clock;
    const bool is_part = op->is_partial && !op->is_private,
               is_shared =
                   op->is_partial && bl_time_sharing_of(sub, op).overlap == BL_TIME_TOGETHER;
    if (is_part && sub->storing == 0)
        begin_series(unit, sub);
    const unsigned saved = is_part && !is_shared ? joined(unit, sub, op) : 0,
                   left = op->count > saved ? op->count - saved : 0;
    const double path_ns = rate ? left * unit->clock_ns / rate : 0,
                 start_ns = bl_time_take_path(unit, sub, op, path_ns);
    double done_ns = start_ns, more_ns = 0;
    const unsigned again = write_sectors(unit, sub, op, is_shared, start_ns, &more_ns, &done_ns);
    unit->path_ns += more_ns;
    unit->occupied_ns[2] += more_ns;
    const double charged =
        op->count + (op->is_partial ? op->lines : more_again * again) - (double)saved;
    unit->stores_ns = fmax(unit->stores_ns, start_ns) + charged * unit->store_sector_ns;
    if (unit->stores_ns - start_ns > queue_ns(unit)) {
        const double until_ns = unit->stores_ns - queue_ns(unit);
        unit->occupied_ns[2] += fmax(0, until_ns - unit->path_ns);
        unit->path_ns = fmax(unit->path_ns, until_ns);
        unit->lost_ns[BL_LIMIT_STORES] += fmax(0, until_ns - sub->now_ns);
        sub->now_ns = fmax(sub->now_ns, until_ns);
    }
    sub->now_ns += unit->clock_ns + bl_time_stall(unit, sub, start_ns, done_ns);
    if (!stores_next(sub))
        sub->storing = 0;
}
