/* Stores in the simulated compute unit (time_unit.h).
 *
 * A unit joins stores to parts of sectors that one sub-group makes one after another, such as the
 * members of its work-items' structures, if not too many lines are written in between. On an H100,
 * a single sub-group joined stores to 24 lines, but none to 32. Two that stored at the same time
 * joined stores to 12 lines each, but none to 16; four, stores to 7, but none to 8. So they share
 * 28 lines. Eight joined stores to 6 lines each, but none to 8, so a scheduler, of which there are
 * four, starts all such stores of one sub-group before it starts another's
 * (results/rules/nvidia-h100-joined-stores.csv). */
#include <math.h>

#include "model/time_unit.h"

/* Whether a store writes parts of sectors, so that it can be joined with others. Stores of elements
 * of less than 4 bytes are not: on an H100, work-items that each stored 8 or 16 bytes one by one
 * took about as long as for so many stores to different lines. (Elements of 2 bytes were not
 * measured.) */
static bool is_part(const struct bl_time_op *op)
{
    return op->is_partial && !op->is_private && !op->is_narrow;
}

/* Whether a store to parts of sectors follows at once. */
static bool stores_next(const struct bl_time_sub_group *sub)
{
    enum { MOST_WORK = 32 }; /* instructions between two stores */
    const size_t end = sub->stream.count + sub->stream.further;
    for (size_t at = sub->at; at < end && at < sub->at + 3; at++) {
        const struct bl_time_op *op = &sub->stream.ops[at % sub->stream.count];
        if (op->kind == BL_TIME_STORE)
            return is_part(op);
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

/* Where the unit notes which sub-group of this one's scheduler is in a series of stores. */
static const struct bl_time_sub_group **storing_of(struct bl_time_unit *unit,
                                                   const struct bl_time_sub_group *sub)
{
    const unsigned schedulers = unit->machine->instructions_per_clock;
    return &unit->storing[schedulers > 0 ? (size_t)(sub - unit->subs) % schedulers : 0];
}

void bl_time_close_lines(struct bl_time_unit *unit, const struct bl_time_sub_group *sub)
{
    for (unsigned i = 0; i < BL_TIME_OPEN_LINES; i++)
        if (unit->open.lines[i].of == sub)
            unit->open.lines[i].of = NULL;
}

bool bl_time_is_held(struct bl_time_unit *unit, struct bl_time_sub_group *sub,
                     const struct bl_time_op *op)
{
    const struct bl_time_sub_group *storing = *storing_of(unit, sub);
    if (!is_part(op) || !storing || storing == sub)
        return false;
    const double until_ns = fmax(sub->now_ns, storing->now_ns + unit->clock_ns);
    unit->lost_ns[BL_LIMIT_STORES] += until_ns - sub->now_ns;
    sub->now_ns = until_ns;
    return true;
}

/* Adds a sector, a part of which the current store writes. Returns how much joining earlier stores
 * saves: 1 if they wrote to this sector, and if this is the current store's first sector of a line
 * that they wrote to, what is charged for parts of the line: 1, or 2 if this is the first store
 * that joins another. A store to a word that all units share joins only if the sub-group has loaded
 * nothing since the last store to the line: on an H100, 126,720 such stores took 50 us after loads,
 * but only 1 us in series. */
static unsigned join(struct bl_time_open *open, const struct bl_time_sub_group *sub, uint64_t line,
                     uint64_t sector, bool is_shared)
{
    for (unsigned i = 1; i <= BL_TIME_OPEN_LINES; i++) { /* from the line that was opened last */
        struct bl_time_open_line *at =
            &open->lines[(open->next + BL_TIME_OPEN_LINES - i) % BL_TIME_OPEN_LINES];
        if (at->number != line || at->of != sub)
            continue;
        const unsigned of_line = at->store == open->store ? 0
                                 : at->is_joined          ? 1
                                                          : 2,
                       saved = (at->sectors & sector ? 1 : 0) + of_line;
        const bool joins = !is_shared || at->loads == sub->loads;
        at->is_joined |= of_line > 0;
        at->sectors |= sector;
        at->store = open->store;
        at->loads = sub->loads;
        return joins ? saved : 0;
    }
    open->lines[open->next] =
        (struct bl_time_open_line){sub, line, sector, open->store, sub->loads, false};
    open->next = (open->next + 1) % BL_TIME_OPEN_LINES;
    return 0;
}

/* Returns how many sectors, and lines with parts of sectors, need not be written because the store
 * joins earlier ones. */
static unsigned joined(struct bl_time_unit *unit, const struct bl_time_sub_group *sub,
                       const struct bl_time_op *op, bool is_shared)
{
    const unsigned line = unit->machine->line_bytes, sector = bl_time_sector_bytes(unit->machine);
    unsigned saved = 0;
    unit->open.store++;
    for (uint32_t i = 0; i < op->count; i++) {
        const uint64_t address = bl_time_address_of(unit, sub, op, i);
        saved += join(&unit->open, sub, address / line, (uint64_t)1 << address % line / sector,
                      is_shared);
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
    const double running = (double)unit->queue.count + 1;
    /* Scattered over an array: other groups write the other sectors of a block, but much later. */
    const bool are_alone = bl_time_sharing_of(sub, op).bytes > 0 && op->lines == op->count;
    unsigned again = 0;
    for (uint32_t i = 0; i < op->count; i++) {
        const uint64_t address = bl_time_address_of(unit, sub, op, i);
        if (op->is_private) {
            again += bl_time_write_private(&unit->memory, address, fmax(1, start_ns));
            bl_time_cache_at(&unit->cache, address)->arrival_ns = start_ns;
        } else {
            again += bl_time_write_sector(&unit->memory, address, are_alone,
                                          unit->places[sub->place].wave, start_ns);
            *more_ns = fmax(*more_ns, bl_time_cache_awaited_ns(&unit->cache, unit->machine, address,
                                                               sub->now_ns, running));
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
    const bool is_shared =
        op->is_partial && bl_time_sharing_of(sub, op).overlap == BL_TIME_TOGETHER;
    const unsigned saved = is_part(op) ? joined(unit, sub, op, is_shared) : 0,
                   left = op->count > saved ? op->count - saved : 0;
    const double path_ns = rate ? left * unit->clock_ns / rate : 0,
                 start_ns = bl_time_take_path(unit, sub, op, path_ns);
    double done_ns = start_ns, more_ns = 0;
    const unsigned again =
        write_sectors(unit, sub, op, is_shared && left > 0, start_ns, &more_ns, &done_ns);
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
    if (is_part(op))
        *storing_of(unit, sub) = stores_next(sub) ? sub : NULL;
}
