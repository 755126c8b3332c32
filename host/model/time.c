/* Simulates one compute unit (time.h). Operations of all sub-groups are simulated in the order of
 * time, because a sub-group waits for resources that other sub-groups occupy. One unit is enough,
 * because all units run the same kernel and get equal shares of L2 and memory. */
#include "model/time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/time_cache.h"
#include "model/time_memory.h"
#include "model/time_unit.h"

/* The minimum number of dependent instructions between a load's result and the next request. In the
 * loops of 14 kernels on an H200, these instructions took 13 clocks. */
enum { AFTER_WAIT = 3 };

/* Sub-groups share the scheduler, so long arithmetic is simulated in pieces: of this many
 * instructions, or more if there are more than MOST_PIECES such pieces. */
enum { PIECE = 32, MOST_PIECES = 64 };

static void push(struct bl_time_unit *unit, uint32_t sub)
{
    bl_time_queue_push(&unit->queue,
                       (struct bl_time_ready){.ns = unit->subs[sub].now_ns, .number = sub});
}

static void start_group(struct bl_time_unit *unit, size_t number_of_place, double from_ns)
{
    struct bl_time_group group = {0};
    struct bl_time_place *place = &unit->places[number_of_place];
    const struct bl_time_launch *launch = unit->launch;
    launch->group(launch->context, unit->started, &group);
    const double start_ns = fmax(from_ns, unit->starter_ns);
    unit->starter_ns = start_ns + unit->start_ns;
    *place =
        (struct bl_time_place){.sub_groups = group.sub_groups,
                               .running = group.sub_groups,
                               .wave = unit->started / (unit->resident > 0 ? unit->resident : 1)};
    for (unsigned i = 0; i < group.sub_groups; i++) {
        const size_t sub = number_of_place * unit->subs_of_place + i;
        struct bl_time_sub_group *started = &unit->subs[sub];
        started->stream = group.streams[i];
        started->place = number_of_place;
        started->at = started->worked = started->loads = 0;
        started->head_ns = started->banks_ns = 0;
        started->is_waiting = false;
        bl_time_close_lines(unit, started);
        started->now_ns = start_ns + unit->fill_ns;
        unit->lost_ns[BL_LIMIT_LAUNCH] += started->now_ns - from_ns;
        push(unit, (uint32_t)sub);
    }
    unit->started++;
}

/* Executes the next piece of arithmetic. Returns whether it was the last. */
static bool work(struct bl_time_unit *unit, struct bl_time_sub_group *sub,
                 const struct bl_time_op *op)
{
    const uint32_t left = op->issued - sub->worked,
                   least = op->issued / MOST_PIECES > PIECE ? op->issued / MOST_PIECES : PIECE,
                   piece = left < 2 * least ? left : least;
    const double part = op->issued > 0 ? (double)piece / op->issued : 1;
    bl_time_issue(unit, sub, piece);
    double own_ns = fmax(piece * unit->clock_ns, part * op->chain * unit->machine->float_ns);
    const double included_ns = fmin(own_ns, sub->head_ns);
    sub->head_ns -= included_ns;
    own_ns -= included_ns;
    unit->lost_ns[BL_LIMIT_ARITHMETIC] += own_ns;
    sub->now_ns += own_ns;
    sub->worked = piece < left ? sub->worked + piece : 0;
    return piece == left;
}

static void wait_for(struct bl_time_unit *unit, struct bl_time_sub_group *sub,
                     const struct bl_time_op *op)
{
    if (op->count == 0 || op->count > sub->loads || op->count > BL_TIME_LOADS_UNDER_WAY)
        return;
    const struct bl_time_under_way *load =
        &sub->under_way[(sub->loads - op->count) & (BL_TIME_LOADS_UNDER_WAY - 1)];
    const double waits_ns = load->arrival_ns - sub->now_ns;
    if (waits_ns <= 0)
        return;
    double all_ns = 0;
    for (unsigned i = 0; i < BL_TIME_PARTS; i++)
        all_ns += load->parts_ns[i];
    const double part = all_ns > 0 ? waits_ns / all_ns : 0;
    unit->lost_path_ns += part * load->parts_ns[BL_TIME_OF_PATH];
    unit->lost_ns[BL_LIMIT_BANKS] += part * load->parts_ns[BL_TIME_OF_CONSTANTS];
    unit->lost_ns[BL_LIMIT_LATENCY] += part * load->parts_ns[BL_TIME_OF_LATENCY];
    unit->lost_ns[BL_LIMIT_L2] += part * load->parts_ns[BL_TIME_OF_L2];
    unit->lost_ns[BL_LIMIT_MEMORY] += part * load->parts_ns[BL_TIME_OF_MEMORY];
    /* Before its next request, a sub-group uses the loaded value, counts, and branches. */
    sub->head_ns = AFTER_WAIT * unit->machine->integer_ns;
    sub->now_ns = load->arrival_ns + sub->head_ns;
    unit->lost_ns[BL_LIMIT_LATENCY] += sub->head_ns;
}

/* Like bl_time_take_path, but for a read of a constant array that the program declares, which
 * bypasses the load-store path. */
static double take_constants(struct bl_time_unit *unit, struct bl_time_sub_group *sub,
                             const struct bl_time_op *op)
{
    bl_time_issue(unit, sub, 1);
    const double start_ns = fmax(sub->now_ns, unit->constants_ns);
    unit->constants_ns = start_ns + op->banks * unit->clock_ns;
    return start_ns;
}

static struct bl_time_fetch new_fetch(const struct bl_time_unit *unit,
                                      const struct bl_time_sub_group *sub,
                                      const struct bl_time_op *op, double start_ns)
{
    return (struct bl_time_fetch){.from_ns = start_ns,
                                  .address = UINT64_MAX,
                                  .wave = unit->places[sub->place].wave,
                                  .units = bl_time_sharing_of(sub, op).units,
                                  .is_private = op->is_private};
}

static void load(struct bl_time_unit *unit, struct bl_time_sub_group *sub,
                 const struct bl_time_op *op)
{
    const struct bl_machine *machine = unit->machine;
    const bool is_local = op->kind != BL_TIME_LOAD;
    const double start_ns =
        op->is_constant ? take_constants(unit, sub, op) : bl_time_take_path(unit, sub, op, 0);
    double conflict_ns;
    const double hit_ns = start_ns + bl_time_hit_ns(machine, op, &conflict_ns);
    double arrival_ns = hit_ns;
    if (is_local)
        sub->banks_ns = start_ns + fmax(0, conflict_ns - machine->conflict_ns);
    struct bl_time_fetch fetch = new_fetch(unit, sub, op, start_ns);
    fetch.idle_ns = hit_ns;
    const unsigned sector = bl_time_sector_bytes(machine);
    unsigned missing = 0, missing_lines = 0;
    uint64_t line = UINT64_MAX;
    for (uint32_t i = 0; !is_local && i < op->count; i++) {
        const uint64_t address = bl_time_address_of(unit, sub, op, i) / sector * sector;
        struct bl_time_sector *at = bl_time_cache_at(&unit->cache, address);
        if (at->arrival_ns < 0) {
            at->arrival_ns = bl_time_fetch_sector(&unit->memory, &fetch, address);
            at->is_from_memory = fetch.is_from_memory;
            missing++;
            missing_lines += line != address / machine->line_bytes;
            line = address / machine->line_bytes;
        }
        arrival_ns = fmax(arrival_ns, at->arrival_ns);
    }
    if (missing > 0) {
        bl_time_occupy_l2(&unit->memory, start_ns, missing, missing_lines);
        arrival_ns += conflict_ns;
    }
    struct bl_time_under_way *under_way =
        &sub->under_way[sub->loads++ & (BL_TIME_LOADS_UNDER_WAY - 1)];
    const double idle_ns = fmax(fetch.idle_ns, hit_ns) - start_ns, path_ns = start_ns - sub->now_ns;
    *under_way = (struct bl_time_under_way){
        .arrival_ns = arrival_ns,
        .parts_ns = {[BL_TIME_OF_PATH] = op->is_constant ? 0 : path_ns,
                     [BL_TIME_OF_CONSTANTS] = op->is_constant ? path_ns : 0,
                     [BL_TIME_OF_LATENCY] = idle_ns,
                     [BL_TIME_OF_L2] = fetch.queued_ns[0],
                     [BL_TIME_OF_MEMORY] = fetch.queued_ns[1]},
    };
    sub->now_ns += unit->clock_ns;
}

/* A sub-group waits for an atomic only if it uses the returned value, or if too many atomics are
 * under way. */
static void atomic(struct bl_time_unit *unit, struct bl_time_sub_group *sub,
                   const struct bl_time_op *op)
{
    static const double updates_of_clock = 0.6; /* of one unit; measured on an H200 */
    const double path_ns = op->banks / updates_of_clock * unit->clock_ns,
                 start_ns = bl_time_take_path(unit, sub, op, path_ns),
                 updates = (double)op->banks / (op->count > 0 ? op->count : 1),
                 running = (double)unit->queue.count + 1; /* sub-groups */
    struct bl_time_fetch fetch = new_fetch(unit, sub, op, start_ns);
    double arrival_ns = start_ns, done_ns = start_ns;
    for (uint32_t i = 0; i < op->count; i++) {
        const struct bl_time_update update = {bl_time_address_of(unit, sub, op, i), updates,
                                              bl_time_sharing_of(sub, op).overlap,
                                              op->exchanging * running};
        arrival_ns =
            fmax(arrival_ns, bl_time_update_sector(&unit->memory, &fetch, &update, &done_ns));
    }
    struct bl_time_under_way *under_way =
        &sub->under_way[sub->loads++ & (BL_TIME_LOADS_UNDER_WAY - 1)];
    *under_way = (struct bl_time_under_way){
        .arrival_ns = arrival_ns,
        .parts_ns = {[BL_TIME_OF_PATH] = start_ns - sub->now_ns,
                     [BL_TIME_OF_LATENCY] = fmax(0, fetch.idle_ns - start_ns),
                     [BL_TIME_OF_L2] = fmax(0, done_ns - start_ns),
                     [BL_TIME_OF_MEMORY] = fetch.queued_ns[1]},
    };
    sub->now_ns += unit->clock_ns + bl_time_stall(unit, sub, start_ns, done_ns);
}

/* Releases a barrier that all remaining sub-groups of the group have reached. */
static void leave_barrier(struct bl_time_unit *unit, size_t number_of_place)
{
    struct bl_time_place *place = &unit->places[number_of_place];
    const struct bl_machine *machine = unit->machine;
    const double more = machine->barrier_more_percent / 100.0 * (place->sub_groups - 1);
    /* The machine's barrier_ns includes an access to local memory. */
    const double barrier_ns =
        fmax(unit->clock_ns, machine->barrier_ns * (1 + more) - machine->local_latency_ns);
    const size_t begin = number_of_place * unit->subs_of_place;
    for (size_t i = begin; i < begin + place->sub_groups; i++) {
        struct bl_time_sub_group *met = &unit->subs[i];
        if (!met->is_waiting)
            continue;
        met->is_waiting = false;
        met->now_ns = place->barrier_ns + barrier_ns;
        push(unit, (uint32_t)i);
    }
    place->waiting = 0;
    place->barrier_ns = 0;
}

static void meet(struct bl_time_unit *unit, struct bl_time_sub_group *sub)
{
    struct bl_time_place *place = &unit->places[sub->place];
    place->barrier_ns = fmax(place->barrier_ns, sub->now_ns);
    sub->is_waiting = true;
    if (++place->waiting == place->running)
        leave_barrier(unit, sub->place);
}

static void end_sub_group(struct bl_time_unit *unit, const struct bl_time_sub_group *sub)
{
    struct bl_time_place *place = &unit->places[sub->place];
    const double end_ns = fmax(sub->now_ns, sub->banks_ns);
    unit->end_ns = fmax(unit->end_ns, fmax(end_ns, unit->updated_ns));
    if (--place->running > 0) {
        if (place->waiting == place->running)
            leave_barrier(unit, sub->place);
        return;
    }
    unit->ended++;
    if (unit->ended == unit->resident)
        unit->first_ended_ns = unit->end_ns;
    unit->last_ended_ns = unit->end_ns;
    if (unit->started < unit->simulated)
        start_group(unit, sub->place, end_ns);
}

/* Whether the sub-group's next operation, a read or an atomic of local memory, must wait because
 * the banks still serve the sub-group's last one. If so, the sub-group is later now. Meanwhile they
 * serve others. */
static bool awaits_banks(struct bl_time_unit *unit, struct bl_time_sub_group *sub,
                         const struct bl_time_op *op)
{
    const double waits_ns = sub->banks_ns - sub->now_ns;
    if ((op->kind != BL_TIME_LOCAL_LOAD && op->kind != BL_TIME_LOCAL_ATOMIC) || waits_ns <= 0)
        return false;
    unit->lost_ns[BL_LIMIT_BANKS] += waits_ns;
    sub->now_ns = sub->banks_ns;
    return true;
}

/* Runs the sub-group until it ends or waits at a barrier, or until another one can continue
 * earlier. */
static void run(struct bl_time_unit *unit, uint32_t number)
{
    struct bl_time_sub_group *sub = &unit->subs[number];
    while (sub->at < sub->stream.count + sub->stream.further) {
        const struct bl_time_op *op = &sub->stream.ops[sub->at % sub->stream.count];
        if (op->kind == BL_TIME_STORE ? bl_time_is_held(unit, sub, op)
                                      : awaits_banks(unit, sub, op)) {
            push(unit, number);
            return;
        }
        if (sub->worked == 0 && 2 * unit->ops++ <= unit->all_ops)
            unit->half_ns = fmax(unit->half_ns, sub->now_ns);
        sub->at++;
        switch ((enum bl_time_kind)op->kind) {
        case BL_TIME_WORK:
            if (!work(unit, sub, op))
                sub->at--;
            break;
        case BL_TIME_WAIT:
            wait_for(unit, sub, op);
            break;
        case BL_TIME_LOAD:
        case BL_TIME_LOCAL_LOAD:
        case BL_TIME_LOCAL_ATOMIC:
            load(unit, sub, op);
            break;
        case BL_TIME_STORE:
            bl_time_store(unit, sub, op);
            break;
        case BL_TIME_ATOMIC:
            atomic(unit, sub, op);
            break;
        case BL_TIME_LOCAL_STORE:
            bl_time_take_path(unit, sub, op, 0);
            sub->now_ns += unit->clock_ns;
            break;
        case BL_TIME_BARRIER:
            meet(unit, sub);
            return;
        }
        const struct bl_time_ready ready = {.ns = sub->now_ns, .number = number};
        if (bl_time_queue_is_ahead(&unit->queue, ready)) {
            push(unit, number);
            return;
        }
    }
    end_sub_group(unit, sub);
}

/* Sets the number of groups that the busiest unit runs and the number of groups to simulate. */
static void plan(struct bl_time_unit *unit)
{
    enum { LEAST_WAVES = 3 };
    const struct bl_time_launch *launch = unit->launch;
    const unsigned units = unit->machine->compute_units;
    unit->resident = bl_time_resident(unit->machine, launch);
    unit->groups = (launch->groups + units - 1) / units;
    unit->busy_units = launch->groups < units ? (double)launch->groups : units;
    const size_t least_groups = LEAST_WAVES * (size_t)unit->resident;
    while (unit->simulated < unit->groups &&
           (unit->simulated < least_groups || unit->all_ops < launch->max_ops)) {
        struct bl_time_group group = {0};
        launch->group(launch->context, unit->simulated++, &group);
        for (unsigned i = 0; i < group.sub_groups; i++)
            unit->all_ops += group.streams[i].count + group.streams[i].further;
    }
}

static void set_rates(struct bl_time_unit *unit)
{
    /* The time of a store if one unit stores, divided by its time if all units do; in between it
     * grows about with the number of units (results/rules/nvidia-h100-stores.csv). */
    static const double alone = 0.48;
    const struct bl_machine *machine = unit->machine;
    const double busy = unit->busy_units, units = machine->compute_units;
    unit->clock_ns = 1e3 / machine->clock_mhz;
    unit->store_sector_ns = bl_time_sector_bytes(machine) * (alone * units + (1 - alone) * busy) /
                            machine->levels[0].write_bytes_per_ns;
    unit->start_ns =
        busy * fmax(machine->group_start_ns, machine->item_start_ns * unit->launch->group_items);
    /* The time from a group's start to its first instruction, derived from launches of empty groups
     * that are so large that a unit holds only two: each start waits for the end of an earlier
     * group. */
    unit->fill_ns = units * machine->item_start_ns * machine->lanes * machine->sub_groups_per_unit;
}

static bool open_unit(struct bl_time_unit *unit)
{
    const struct bl_machine *machine = unit->machine;
    plan(unit);
    set_rates(unit);
    bl_time_memory_open(&unit->memory, machine, unit->launch, unit->busy_units,
                        (double)unit->simulated / (double)unit->groups);
    const size_t subs = (size_t)unit->resident * unit->launch->sub_groups;
    unit->subs_of_place = unit->launch->sub_groups;
    unit->places = calloc(unit->resident, sizeof *unit->places);
    unit->subs = calloc(subs, sizeof *unit->subs);
    unit->queue.ready = calloc(subs + 1, sizeof *unit->queue.ready);
    return unit->places && unit->subs && unit->queue.ready &&
           bl_time_cache_open(&unit->cache, bl_time_cache_bytes(machine, unit->launch),
                              machine->line_bytes, bl_time_sector_bytes(machine));
}

static void close_unit(struct bl_time_unit *unit)
{
    bl_time_cache_free(&unit->cache);
    bl_time_memory_free(&unit->memory);
    free(unit->places);
    free(unit->subs);
    free(unit->queue.ready);
}

/* Ends the simulation: queued stores are written, and data that L2 does not keep goes to memory. */
static void drain(struct bl_time_unit *unit)
{
    const double memory_ns = unit->memory.busy_ns, stores_ns = fmax(unit->path_ns, unit->stores_ns);
    const unsigned subs = unit->resident * unit->subs_of_place;
    if (memory_ns > fmax(stores_ns, unit->end_ns))
        unit->lost_ns[BL_LIMIT_MEMORY] += (memory_ns - unit->end_ns) * subs;
    else if (stores_ns > unit->end_ns)
        unit->lost_path_ns += (stores_ns - unit->end_ns) * subs;
    const double last_ns = unit->end_ns;
    unit->end_ns = fmax(unit->end_ns, fmax(memory_ns, stores_ns));
    unit->last_ended_ns += unit->end_ns - last_ns;
}

/* The time of all groups and of whole streams, extrapolated from the simulated part. What was not
 * simulated may have more or less arithmetic for each access: time that sub-groups lost to
 * arithmetic grows with the arithmetic, other time with the number of operations. */
static double extrapolated_ns(const struct bl_time_unit *unit)
{
    double lost_ns = 0;
    for (unsigned i = 0; i < BL_LIMITS; i++)
        lost_ns += unit->lost_ns[i];
    const double of_ops = fmax(unit->launch->more, 1),
                 of_arithmetic = unit->launch->more_arithmetic > 0
                                     ? fmax(unit->launch->more_arithmetic, 1)
                                     : of_ops,
                 part = lost_ns > 0 ? unit->lost_ns[BL_LIMIT_ARITHMETIC] / lost_ns : 0,
                 more = (1 - part) * of_ops + part * of_arithmetic;
    double ns = unit->end_ns + 2 * (more - 1) * fmax(0, unit->end_ns - unit->half_ns);
    if (unit->simulated < unit->groups) {
        const double period_ns = (unit->last_ended_ns - unit->first_ended_ns) /
                                 (double)(unit->simulated - unit->resident);
        ns += (double)(unit->groups - unit->simulated) * period_ns * more;
    }
    return ns;
}

/* Divides the unit's time among its limits in proportion to the time that sub-groups lost to each.
 */
static void share(const struct bl_time_unit *unit, double unit_ns, struct bl_time_result *result)
{
    double lost_ns[BL_LIMITS], all_ns = 0;
    const double occupied_ns = unit->occupied_ns[0] + unit->occupied_ns[1] + unit->occupied_ns[2];
    memcpy(lost_ns, unit->lost_ns, sizeof lost_ns);
    for (unsigned i = 0; i < 3 && occupied_ns > 0; i++)
        lost_ns[BL_LIMIT_TAGS + i] += unit->lost_path_ns * unit->occupied_ns[i] / occupied_ns;
    const double subs = (double)unit->resident * unit->subs_of_place,
                 missing = 1 - subs / unit->machine->sub_groups_per_unit;
    if (unit->groups > unit->resident && missing > 0) {
        lost_ns[BL_LIMIT_OCCUPANCY] = missing * lost_ns[BL_LIMIT_LATENCY];
        lost_ns[BL_LIMIT_LATENCY] -= lost_ns[BL_LIMIT_OCCUPANCY];
    }
    for (unsigned i = 0; i < BL_LIMITS; i++)
        all_ns += lost_ns[i];
    const double each = (double)unit->launch->groups / unit->machine->compute_units;
    const double tail_ns =
        unit->groups > unit->resident ? unit_ns * (1 - each / (double)unit->groups) : 0;
    for (unsigned i = 0; i < BL_LIMITS; i++)
        result->shares[i] = all_ns > 0 ? lost_ns[i] / all_ns * (unit_ns - tail_ns) / result->ns : 0;
    result->shares[BL_LIMIT_TAIL] += tail_ns / result->ns;
    result->shares[BL_LIMIT_LAUNCH] +=
        (all_ns > 0 ? unit->machine->launch_ns : result->ns - tail_ns) / result->ns;
    for (unsigned i = 0; i < BL_LIMITS; i++)
        if (result->shares[i] > result->shares[result->limited_by])
            result->limited_by = (enum bl_time_limit)i;
}

enum bl_status bl_time_of(const struct bl_machine *machine, const struct bl_time_launch *launch,
                          struct bl_time_result *result, struct bl_error *error)
{
    struct bl_time_unit unit = {.machine = machine, .launch = launch};
    *result = (struct bl_time_result){0};
    bool has_memory = open_unit(&unit);
    if (has_memory) {
        for (size_t i = 0; i < unit.resident && unit.started < unit.simulated; i++)
            start_group(&unit, i, 0);
        while (unit.queue.count > 0 && !unit.memory.has_failed)
            run(&unit, bl_time_queue_pop(&unit.queue));
        drain(&unit);
        const double unit_ns = extrapolated_ns(&unit);
        result->ns = machine->launch_ns + unit_ns;
        result->resident = unit.resident;
        share(&unit, unit_ns, result);
        has_memory = !unit.memory.has_failed;
    }
    close_unit(&unit);
    return has_memory ? BL_OK
                      : bl_fail(error, BL_NO_MEMORY, "out of memory while predicting a time");
}
