/* Moves the loads and waits of a stream as a compiler would (streams.h). */
#include <stdlib.h>
#include <string.h>

#include "trace/streams.h"

enum { MAX_DEFERRED = BL_MAX_IN_FLIGHT, MAX_IN_REGISTERS = 64 };

/* The stream under construction, and the waits that are deferred. */
struct deferring {
    struct bl_time_op *ops;
    size_t count;
    uint32_t loads, seen; /* loads: number of loads emitted so far; seen: number of loads read from
                             the original stream so far */
    bool *is_rolled; /* for each original load (counted from 1): whether it is in an iteration that
                        runs alone, because the loop is not unrolled or the iteration belongs to
                        the loop's remainder */
    uint32_t *stays; /* for each original load (counted from 1), the number of the emitted load that
                        delivers its value; 0 if none */
    struct deferred {
        uint32_t load; /* number of the emitted load, counted from 1 */
        uint32_t array;
        bool is_local;
        bool is_firm;
    } waits[MAX_DEFERRED];
    size_t wait_count;
    /* Stores that follow a deferred wait. A later load is emitted before them if it cannot depend
     * on them: it is of global memory and they are to local memory, or it passes_stores. */
    struct bl_time_op stores[MAX_DEFERRED];
    size_t store_count, global_store_count;
    uint32_t stored[2]; /* places of the last stores to global and local memory, if nothing can have
                           changed these since; else 0 */
    /* For each instruction: whether it is a load in a loop that is unrolled completely, whether it
     * is behind a branch, whether addresses or branches depend on it, whether its own address
     * depends on counters alone, and the iteration, counted from 1, in which it was last executed.
     */
    struct loop_load {
        bool is_unrolled, is_behind, is_firm, is_early, passes_stores;
        uint32_t round;
        uint32_t held, held_since; /* the emitted load whose value stays in a register for all
                                      iterations (bl_time_op.is_again), or 1 for a store that stands
                                      for all; 0 if there is none; and `writes` at that time */
    } * loop_loads;
    uint32_t writes[2]; /* how often global and local memory may have been overwritten */
    uint32_t round;
    bool *is_hoisted; /* for each original load (counted from 1): whether it was emitted before its
                         place in the original stream */
    const bool
        *is_kept_back; /* for each original operation: whether it is removed (stream_sums.c) */
    unsigned ahead; /* number of hoisted loads whose place in the original stream is yet to come */
    bool is_again;  /* iterations of a loop overlap: a load was executed again before the wait for
                       its value */
    /* Values in registers: overlapping iterations have read them, and no store can have changed
     * them since. */
    struct in_register {
        uint32_t place, load;
        enum memory { OF_GLOBAL = 1, OF_LOCAL = 2, OF_PRIVATE = 4 } memory;
    } registers[MAX_IN_REGISTERS];
    size_t register_count;
    bool has_private; /* a store to a private array follows the last deferred waits */
};

static void emit(struct deferring *deferring, const struct bl_time_op *op)
{
    deferring->ops[deferring->count++] = *op;
}

static void emit_wait(struct deferring *deferring, const struct deferred *wait)
{
    emit(deferring, &(struct bl_time_op){.kind = BL_TIME_WAIT,
                                         .is_firm = wait->is_firm,
                                         .array = wait->array,
                                         .count = deferring->loads - wait->load + 1});
}

/* Emits the deferred waits for loads of global memory and, if of_local, of local memory; and the
 * deferred stores. */
static void flush(struct deferring *deferring, bool of_local)
{
    size_t kept = 0;
    for (size_t i = 0; i < deferring->wait_count; i++) {
        const struct deferred wait = deferring->waits[i];
        if (of_local || !wait.is_local)
            emit_wait(deferring, &wait);
        else
            deferring->waits[kept++] = wait;
    }
    deferring->wait_count = kept;
    deferring->is_again &= kept > 0;
    for (size_t i = 0; i < deferring->store_count; i++)
        emit(deferring, &deferring->stores[i]);
    deferring->store_count = deferring->global_store_count = 0;
    deferring->has_private = false;
}

/* Emits the oldest deferred waits for loads of global memory until fewer than `most` remain. */
static void leave_fewer(struct deferring *deferring, unsigned most)
{
    size_t kept = 0, too_many = 0;
    for (size_t i = 0; i < deferring->wait_count; i++)
        too_many += !deferring->waits[i].is_local;
    too_many = too_many < most ? 0 : too_many + 1 - most;
    for (size_t i = 0; i < deferring->wait_count; i++) {
        const struct deferred wait = deferring->waits[i];
        if (!wait.is_local && too_many > 0) {
            emit_wait(deferring, &wait);
            too_many--;
        } else {
            deferring->waits[kept++] = wait;
        }
    }
    deferring->wait_count = kept;
}

static void take_wait(struct deferring *deferring, const struct bl_time_op *op, bool is_local,
                      const struct bl_compiled *how)
{
    const uint32_t load =
        op->count <= deferring->seen ? deferring->stays[deferring->seen + 1 - op->count] : 0;
    if (load == 0)
        return; /* the load was removed, so there is nothing to wait for */
    if (op->is_firm || how->unrolled <= 1) {
        struct bl_time_op taken = *op;
        taken.count = deferring->loads + 1 - load;
        emit(deferring, &taken);
        return;
    }
    if (deferring->wait_count == MAX_DEFERRED)
        flush(deferring, true);
    deferring->waits[deferring->wait_count++] =
        (struct deferred){.load = load, .array = op->array, .is_local = is_local};
}

/* Emits arithmetic. If iterations overlap, only the part of a dependency chain that depends on the
 * previous iteration is serial. */
static void take_work(struct deferring *deferring, const struct bl_time_op *op)
{
    struct bl_time_op taken = *op;
    if (deferring->is_again && op->carried < op->chain)
        taken.chain = op->carried;
    emit(deferring, &taken);
}

/* Forgets registers with values of these memories, because they may have been overwritten. */
static void forget_registers(struct deferring *deferring, unsigned memories)
{
    size_t kept = 0;
    for (size_t i = 0; i < deferring->register_count; i++)
        if (!(deferring->registers[i].memory & memories))
            deferring->registers[kept++] = deferring->registers[i];
    deferring->register_count = kept;
}

/* Takes note that a store, another work-item or an atomic may have overwritten memory. */
static void overwrite(struct deferring *deferring, bool of_local, bool of_global)
{
    forget_registers(deferring,
                     (of_local ? OF_LOCAL : 0u) | (of_global ? OF_GLOBAL | OF_PRIVATE : 0u));
    deferring->writes[0] += of_global;
    deferring->writes[1] += of_local;
    deferring->stored[0] = of_global ? 0 : deferring->stored[0];
    deferring->stored[1] = of_local ? 0 : deferring->stored[1];
}

static bool uses_local(const struct bl_time_op *op)
{
    return op->kind == BL_TIME_LOCAL_LOAD || op->kind == BL_TIME_LOCAL_STORE;
}

/* The number of an earlier iteration's load or store that was emitted and stands for this; or 0. */
static uint32_t held_for(const struct deferring *deferring, const struct bl_time_op *op)
{
    const struct loop_load *load = &deferring->loop_loads[op->array];
    return op->is_again && load->held_since == deferring->writes[uses_local(op)] ? load->held : 0;
}

static void hold(struct deferring *deferring, const struct bl_time_op *op, uint32_t number)
{
    deferring->loop_loads[op->array].held = number;
    deferring->loop_loads[op->array].held_since = deferring->writes[uses_local(op)];
}

/* Whether a load reads what an earlier iteration has stored, and still has in a register. */
static bool is_stored(const struct deferring *deferring, const struct bl_time_op *op,
                      const struct bl_compiled *how)
{
    return how->unrolled > 1 && op->passes_stores && op->place &&
           op->place == deferring->stored[uses_local(op)];
}

/* The number of the emitted load that read the same bytes; 0 if there is no such load. */
static uint32_t load_in_register(struct deferring *deferring, const struct bl_time_op *op)
{
    struct in_register *registers = deferring->registers;
    for (size_t i = 0; op->place && i < deferring->register_count; i++) {
        const struct in_register found = registers[i];
        if (found.place != op->place ||
            (found.memory == OF_LOCAL) != (op->kind == BL_TIME_LOCAL_LOAD))
            continue;
        const size_t later = --deferring->register_count - i;
        memmove(registers + i, registers + i + 1, later * sizeof *registers);
        registers[deferring->register_count++] = found;
        return found.load;
    }
    return 0;
}

/* Emits a load, and returns its number. */
static uint32_t add_load(struct deferring *deferring, const struct bl_time_op *op)
{
    emit(deferring, op);
    return ++deferring->loads;
}

/* Whether a load begins a new iteration that does not overlap with the previous one, because the
 * iteration runs alone or the load is behind a branch: the same load was already executed in the
 * current iteration. The loads of one iteration are in flight together, but the next iteration
 * begins only when their values have arrived. Also records the iteration of the load. */
static bool begins_round(struct deferring *deferring, const struct bl_time_op *op)
{
    struct loop_load *load = &deferring->loop_loads[op->array];
    if (!deferring->is_rolled[deferring->seen + 1] && !load->is_behind)
        return false;
    const bool is_again = load->round == deferring->round;
    deferring->round += is_again;
    load->round = deferring->round;
    return is_again;
}

/* Whether a load outside branches follows loads behind a branch that were not waited for. Values
 * that are loaded behind a branch are used there. */
static bool leaves_branch(const struct deferring *deferring, const struct bl_time_op *op)
{
    bool has_behind = false;
    for (size_t i = 0; i < deferring->wait_count; i++)
        has_behind |= deferring->loop_loads[deferring->waits[i].array].is_behind;
    return has_behind && !deferring->loop_loads[op->array].is_behind;
}

/* Keeps a loaded value in a register. If none is free, drops the value that was read least
 * recently. */
static void keep_in_register(struct deferring *deferring, const struct bl_time_op *op,
                             uint32_t load)
{
    struct in_register *registers = deferring->registers;
    if (deferring->register_count == MAX_IN_REGISTERS)
        memmove(registers, registers + 1, --deferring->register_count * sizeof *registers);
    registers[deferring->register_count++] =
        (struct in_register){op->place, load,
                             op->kind == BL_TIME_LOCAL_LOAD ? OF_LOCAL
                             : op->is_private               ? OF_PRIVATE
                                                            : OF_GLOBAL};
}

/* How many iterations of a load's loop run at once, and so how many of its loads are in flight. If
 * the number of iterations is known when the kernel is compiled, or the loop is short, NVIDIA's
 * compiler runs more of them at once than otherwise: 32 iterations of a loop of a load and a
 * comparison, with 20 loads in flight. */
static unsigned at_once(const struct bl_time_op *op, const struct bl_compiled *how)
{
    enum { MOST = 16 };
    if (op->at_once == 0 || how->unrolls_all || how->unrolled == 1)
        return how->unrolled;
    return op->at_once < MOST ? op->at_once : MOST;
}

static unsigned most_in_flight(const struct bl_time_op *op, const struct bl_compiled *how)
{
    const unsigned of_loop = at_once(op, how);
    return of_loop > how->unrolled && of_loop > how->in_flight ? of_loop : how->in_flight;
}

/* The number of the emitted load that delivers a load's value. Emits the load if no register holds
 * the value. */
static uint32_t take_value(struct deferring *deferring, const struct bl_time_op *op,
                           const struct bl_compiled *how)
{
    uint32_t load = held_for(deferring, op);
    if (load == 0)
        load = load_in_register(deferring, op);
    if (load > 0)
        return load;
    if (op->kind == BL_TIME_LOAD)
        leave_fewer(deferring, most_in_flight(op, how));
    load = add_load(deferring, op);
    if (how->unrolled > 1 && op->place != 0)
        keep_in_register(deferring, op, load);
    hold(deferring, op, load);
    return load;
}

static void take_load(struct deferring *deferring, const struct bl_time_op *op,
                      const struct bl_compiled *how)
{
    const uint32_t before = held_for(deferring, op);
    if (before > 0 || is_stored(deferring, op, how)) {
        deferring->stays[++deferring->seen] = before;
        return;
    }
    const bool is_unrolled = how->unrolled > 1 && deferring->loop_loads[op->array].is_unrolled;
    const unsigned most = at_once(op, how);
    unsigned under_way = 0, words = 0;
    for (size_t i = 0; i < deferring->wait_count; i++) {
        const struct deferred *wait = &deferring->waits[i];
        size_t first = 0; /* index of the first wait for the same load by the same instruction */
        while (deferring->waits[first].load != wait->load ||
               deferring->waits[first].array != wait->array)
            first++;
        words += wait->array == op->array;
        under_way += wait->array == op->array && first == i;
    }
    if (under_way >= most || words >= 2 * most || begins_round(deferring, op) ||
        leaves_branch(deferring, op)) {
        flush(deferring, true);
        if (!is_unrolled)
            forget_registers(deferring, OF_GLOBAL | OF_LOCAL | OF_PRIVATE);
    } else {
        deferring->is_again |= under_way > 0;
    }
    deferring->stays[++deferring->seen] = take_value(deferring, op, how);
}

/* Hoisting.
 *
 * If addresses depend on a load, a sub-group waits for it in each iteration. But the load's own
 * address may depend only on the counter, as that of `columns` does in `x[columns[i]]`. A compiler
 * that unrolls the loop then loads the elements of several iterations before it uses the first. */

static bool is_load(const struct bl_time_op *op)
{
    return op->kind == BL_TIME_LOAD || op->kind == BL_TIME_LOCAL_LOAD ||
           op->kind == BL_TIME_ATOMIC || op->kind == BL_TIME_LOCAL_ATOMIC;
}

/* Finds the next execution of the load at index `at`. Returns 0 if there is none among the next
 * operations (FARTHEST), or if the load cannot be moved across what lies between: a barrier, an
 * atomic on global memory, a store to it, or a load behind a branch. *load: the load's number in
 * the original stream; advanced to that of the next execution. */
static size_t next_execution(const struct deferring *deferring, const struct bl_time_stream *stream,
                             size_t at, uint32_t *load)
{
    enum { FARTHEST = 512 }; /* more operations than any unrolled iteration has */
    for (size_t i = at + 1; i < stream->count && i < at + FARTHEST; i++) {
        const struct bl_time_op *op = &stream->ops[i];
        *load += is_load(op);
        if (op->kind == BL_TIME_LOAD && op->array == stream->ops[at].array)
            return i;
        if (op->kind == BL_TIME_BARRIER || op->kind == BL_TIME_ATOMIC ||
            (op->kind == BL_TIME_STORE && !op->is_private) ||
            (is_load(op) && deferring->loop_loads[op->array].is_behind))
            return 0;
    }
    return 0;
}

/* If the operation at index `at`, which has just been processed, is a load that can be hoisted,
 * emits its executions in the next iterations, too. */
static void hoist(struct deferring *deferring, const struct bl_time_stream *stream, size_t at,
                  const struct bl_compiled *how)
{
    const struct bl_time_op *op = &stream->ops[at];
    const struct loop_load *state = &deferring->loop_loads[op->array];
    uint32_t load = deferring->seen;
    if (op->kind != BL_TIME_LOAD || !state->is_firm || !state->is_early || state->is_behind ||
        deferring->is_rolled[load])
        return;
    for (unsigned n = at_once(op, how); n > 1; n--) {
        at = next_execution(deferring, stream, at, &load);
        if (at == 0 || deferring->is_rolled[load] || deferring->is_hoisted[load] ||
            deferring->is_kept_back[at] || deferring->ahead + 1 >= how->in_flight)
            return;
        deferring->ahead++;
        deferring->is_hoisted[load] = true;
        deferring->stays[load] = take_value(deferring, &stream->ops[at], how);
    }
}

/* Whether loads of the next iteration will pass a store to global memory, as those did for which
 * the sub-group has yet to wait. */
static bool will_be_passed(const struct deferring *deferring)
{
    size_t count = 0;
    for (size_t i = 0; i < deferring->wait_count; i++)
        count += !deferring->waits[i].is_local &&
                 deferring->loop_loads[deferring->waits[i].array].passes_stores;
    return count > 0;
}

/* Defers a store, or emits it if it follows no deferred wait. */
static void take_store(struct deferring *deferring, const struct bl_time_op *op)
{
    const bool is_local = op->kind == BL_TIME_LOCAL_STORE;
    const bool is_deferred = is_local ? deferring->wait_count > 0 : will_be_passed(deferring);
    overwrite(deferring, is_local, !is_local);
    hold(deferring, op, 1);
    deferring->stored[is_local] = op->place;
    if (is_deferred && deferring->store_count < MAX_DEFERRED) {
        deferring->stores[deferring->store_count++] = *op;
        deferring->global_store_count += !is_local;
        return;
    }
    flush(deferring, is_local);
    emit(deferring, op);
}

/* Emits the deferred stores that a load cannot pass, and so all of them. A load of a private array
 * cannot pass a store to one, which is not deferred, but waits for the values that it stores. */
static void let_pass(struct deferring *deferring, const struct bl_time_op *op)
{
    const bool is_local = op->kind == BL_TIME_LOCAL_LOAD || op->kind == BL_TIME_LOCAL_ATOMIC;
    if (op->is_private      ? deferring->has_private
        : op->passes_stores ? false
        : is_local          ? deferring->store_count > 0
                            : deferring->global_store_count > 0)
        flush(deferring, true);
}

static void take(struct deferring *deferring, const struct bl_time_op *op, bool is_local[],
                 const struct bl_compiled *how)
{
    const bool is_store = op->kind == BL_TIME_STORE || op->kind == BL_TIME_LOCAL_STORE;
    if (is_store && held_for(deferring, op) > 0)
        return; /* only the value of the last iteration is stored; one store stands for it */
    switch ((enum bl_time_kind)op->kind) {
    case BL_TIME_WAIT:
        take_wait(deferring, op, is_local[op->array], how);
        return;
    case BL_TIME_LOCAL_LOAD:
    case BL_TIME_LOAD:
        is_local[op->array] = op->kind == BL_TIME_LOCAL_LOAD;
        let_pass(deferring, op);
        take_load(deferring, op, how);
        return;
    case BL_TIME_ATOMIC:
    case BL_TIME_LOCAL_ATOMIC:
        is_local[op->array] = op->kind == BL_TIME_LOCAL_ATOMIC;
        let_pass(deferring, op);
        overwrite(deferring, is_local[op->array], !is_local[op->array]);
        take_load(deferring, op, how);
        return;
    case BL_TIME_STORE:
    case BL_TIME_LOCAL_STORE:
        if (op->is_private) {
            forget_registers(deferring, OF_PRIVATE);
            deferring->has_private = true;
            break;
        }
        take_store(deferring, op);
        return;
    case BL_TIME_BARRIER:
        flush(deferring, true);
        overwrite(deferring, true, true);
        break;
    case BL_TIME_WORK:
        take_work(deferring, op);
        return;
    }
    emit(deferring, op);
}

/* Marks the loads whose waits have is_rolled. */
static void mark_rolled(const struct bl_time_stream *stream, bool is_rolled[])
{
    uint32_t loads = 0;
    for (size_t i = 0; i < stream->count; i++) {
        const struct bl_time_op *op = &stream->ops[i];
        loads += is_load(op);
        if (op->kind == BL_TIME_WAIT && op->is_rolled && op->count <= loads)
            is_rolled[loads + 1 - op->count] = true;
    }
}

bool bl_stream_compile(const struct bl_time_stream *stream, const struct bl_compiled *how,
                       struct bl_time_stream *compiled)
{
    uint32_t arrays = 0;
    for (size_t i = 0; i < stream->count; i++) {
        const struct bl_time_op *op = &stream->ops[i];
        arrays = op->array >= arrays ? op->array + 1 : arrays;
    }
    bool *is_local = calloc((size_t)arrays + 1, sizeof *is_local),
         *is_kept_back = calloc(stream->count + 1, sizeof *is_kept_back);
    struct deferring deferring = {
        .ops = malloc((stream->count + 1) * sizeof *deferring.ops),
        .stays = calloc(stream->count + 1, sizeof *deferring.stays),
        .is_rolled = calloc(stream->count + 2, sizeof *deferring.is_rolled),
        .is_hoisted = calloc(stream->count + 2, sizeof *deferring.is_hoisted),
        .loop_loads = calloc((size_t)arrays + 1, sizeof *deferring.loop_loads),
        .is_kept_back = is_kept_back,
        .round = 1,
    };
    const bool has_memory = is_local && is_kept_back && deferring.ops && deferring.stays &&
                            deferring.is_rolled && deferring.loop_loads && deferring.is_hoisted;
    for (size_t i = 0; has_memory && i < stream->count; i++) {
        struct loop_load *load = &deferring.loop_loads[stream->ops[i].array];
        load->is_behind |= stream->ops[i].is_behind && !how->unrolls_all;
        load->is_unrolled |= stream->ops[i].is_unrolled;
        load->is_firm |= stream->ops[i].kind == BL_TIME_WAIT && stream->ops[i].is_firm;
        load->is_early |= stream->ops[i].is_early;
        load->passes_stores |= stream->ops[i].passes_stores;
    }
    if (has_memory && how->unrolled > 1)
        bl_stream_mark_sums(stream, is_kept_back);
    if (has_memory && !how->unrolls_all)
        mark_rolled(stream, deferring.is_rolled);
    for (size_t i = 0; has_memory && i < stream->count; i++) {
        const struct bl_time_op *op = &stream->ops[i];
        const bool is_hoisted = is_load(op) && deferring.is_hoisted[deferring.seen + 1];
        deferring.ahead -= is_hoisted;
        if (is_hoisted || (is_kept_back[i] && op->kind == BL_TIME_LOAD)) {
            deferring.seen++; /* emitted already, or removed */
        } else if (!is_kept_back[i]) {
            take(&deferring, op, is_local, how);
            hoist(&deferring, stream, i, how);
        }
    }
    if (has_memory)
        flush(&deferring, true);
    else
        free(deferring.ops);
    free(is_local);
    free(is_kept_back);
    free(deferring.stays);
    free(deferring.is_rolled);
    free(deferring.is_hoisted);
    free(deferring.loop_loads);
    *compiled = has_memory ? (struct bl_time_stream){.ops = deferring.ops,
                                                     .count = deferring.count,
                                                     .sectors = stream->sectors}
                           : (struct bl_time_stream){0};
    return has_memory;
}

void bl_stream_free_compiled(struct bl_time_stream *stream)
{
    free((void *)(uintptr_t)stream->ops);
    *stream = (struct bl_time_stream){0};
}
