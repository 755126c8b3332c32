/* Applies each transform to the recorded accesses of one group, sums the costs of the changed
 * accesses per row of the trace, and compares the sums. This needs recorded addresses, because the
 * model computes costs from addresses only. */
#include "trace/array_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Fractions of a kernel's clocks. A search for fixes is worthwhile if an array's accesses lose more
 * than MIN_LOSS. It is also worthwhile if they take more than MIN_TAKEN, because keeping elements
 * in registers may then save time. */
static const double MIN_LOSS = 0.01, MIN_TAKEN = 0.1;

/* A layout is rejected if it makes the clocks of another kernel's accesses to the array grow by
 * more than this factor. */
static const double MAX_LOSS_OF_OTHERS = 1.01;

/* The costs if one of the machine's possible bank configurations is assumed. */
struct bl_assumption {
    struct bl_machine machine;
    struct bl_trace trace;                        /* a copy that uses this machine */
    struct bl_clocks now;                         /* clocks before any change */
    double other_clocks, other_stages[BL_STAGES]; /* of the accesses to other arrays */
};

/* The index of the row to which an access by this kernel belongs; row_count if there is none. */
static size_t find_row(const struct bl_array_search *search, unsigned kernel,
                       const struct bl_access *access)
{
    const struct bl_trace *trace = search->trace;
    uint32_t *known = &search->row_of[access->instruction];
    const struct bl_trace_row *row = *known ? &trace->rows[*known - 1] : NULL;
    if (row && row->kernel == kernel && row->memory == (enum bl_memory)access->memory &&
        row->operation == (enum bl_operation)access->operation)
        return *known - 1;
    size_t r = 0;
    while (r < trace->row_count &&
           (trace->rows[r].kernel != kernel || !bl_trace_is_of_row(trace, &trace->rows[r], access)))
        r++;
    if (r < trace->row_count)
        *known = (uint32_t)r + 1;
    return r;
}

static bool is_of_array(const struct bl_traced_array *array, const struct bl_access *access)
{
    return access->memory == array->memory && access->address >> BL_BUFFER_BITS == array->buffer;
}

/* The clocks of a row's requests. Infinity if one of them has no rule, for instance because its
 * cost differs between the possible bank configurations: with 0, a layout of unknown cost would
 * seem cheap. */
static double clocks_of_row(const struct bl_trace *trace, const struct bl_trace_row *sums)
{
    if (!sums->has_rule)
        return sums->requests ? INFINITY : 0;
    return bl_cost_clocks(trace->machine, sums->operation == BL_OPERATION_WRITE, &sums->own);
}

/* Whether the costs of a row's accesses are known once a bank configuration is assumed. */
static bool is_counted(const struct bl_trace *trace, const struct bl_trace_row *row)
{
    return row->has_rule || bl_trace_has_unknown_banks(trace, row);
}

/* Sums the costs of the kernel's accesses per row: accesses to search->array into the first half of
 * search->sums, other accesses into the second half. If search->array is NULL, all accesses go into
 * the first half. */
static void sum_up(struct bl_array_search *search, const struct bl_trace *assumed,
                   const struct bl_access accesses[], size_t count)
{
    const struct bl_trace *trace = search->trace;
    for (size_t r = 0; r < search->rows; r++) {
        const struct bl_trace_row *row = &trace->rows[search->first_row + r];
        search->sums[r] = search->sums[search->rows + r] = (struct bl_trace_row){
            .memory = row->memory, .operation = row->operation, .has_rule = is_counted(trace, row)};
        search->sums[r].are_aligned =
            search->vectors == BL_ALIGNED_OF_ARRAY ||
            (search->vectors == BL_ALIGNED_OF_LINE && row == search->array->worst);
    }
    struct bl_step step;
    for (size_t at = 0; bl_next_step(accesses, count, &at, &step);) {
        const size_t r = find_row(search, search->kernel, step.accesses);
        if (r == trace->row_count || !is_counted(trace, &trace->rows[r]))
            continue;
        const bool is_other = search->array && !is_of_array(search->array, step.accesses);
        bl_trace_add_step(assumed, &search->sums[r - search->first_row + is_other * search->rows],
                          &step);
    }
}

/* Returns the sum of the clocks of the kernel's rows for all groups; `sums` is one half of
 * search->sums. Adds to stages[] the clocks during which their requests occupy each stage. */
static double add_clocks(const struct bl_array_search *search, const struct bl_trace *assumed,
                         const struct bl_trace_row sums[], double stages[BL_STAGES])
{
    double clocks = 0;
    for (size_t r = 0; r < search->rows; r++) {
        double of_row[BL_STAGES] = {0};
        if (sums[r].requests == 0)
            continue;
        clocks += search->weights[r] * clocks_of_row(assumed, &sums[r]);
        bl_trace_add_stages(&sums[r], &sums[r].own, of_row);
        for (unsigned s = 0; s < BL_STAGES; s++)
            stages[s] += search->weights[r] * of_row[s];
    }
    return clocks;
}

/* The clocks of another kernel's accesses to the array. */
static double clocks_of_other(const struct bl_array_search *search,
                              const struct bl_other_kernel *other,
                              const struct bl_access accesses[])
{
    const struct bl_trace *trace = search->trace;
    double clocks = 0;
    struct bl_step step;
    for (size_t at = 0; bl_next_step(accesses, other->count, &at, &step);) {
        const size_t r = find_row(search, other->kernel, step.accesses);
        if (r == trace->row_count || !trace->rows[r].has_rule)
            continue;
        struct bl_trace_row sums = {.memory = trace->rows[r].memory,
                                    .operation = trace->rows[r].operation,
                                    .has_rule = true};
        bl_trace_add_step(trace, &sums, &step);
        clocks += clocks_of_row(trace, &sums);
    }
    return clocks;
}

/* Sets *is_vetoed if the layout makes another kernel's accesses dearer or splits some of them, or
 * if it costs other kernels more than the clocks that it saves in this one. Adds the clocks of
 * other kernels' accesses to *clocks; if one of these kernels vetoes, of those up to it. */
static enum bl_status find_veto(struct bl_array_search *search,
                                const struct bl_array_layout *layout, struct bl_clocks *clocks,
                                bool *is_vetoed)
{
    double most_lost = 0;
    const struct bl_trace_kernel *loser = NULL;
    *is_vetoed = false;
    for (size_t i = 0; i < search->other_count && !*is_vetoed; i++) {
        const struct bl_other_kernel *other = &search->others[i];
        struct bl_access *changed = calloc(other->count + 1, sizeof *changed);
        if (!changed)
            return BL_NO_MEMORY;
        for (size_t a = 0; a < other->count; a++) {
            changed[a] = other->accesses[a];
            changed[a].address = bl_array_layout_address(layout, changed[a].address);
        }
        const struct bl_accesses accesses = {.all = other->accesses, .count = other->count};
        const double then = clocks_of_other(search, other, changed),
                     lost = other->clocks > 0 ? other->all_clocks * (then / other->clocks - 1) : 0;
        *is_vetoed =
            !bl_array_layout_keeps(layout, &accesses) || then > other->clocks * MAX_LOSS_OF_OTHERS;
        if (*is_vetoed || lost > most_lost) {
            loser = &search->trace->kernels[other->kernel];
            most_lost = lost;
        }
        clocks->others += other->all_clocks;
        clocks->others_saved -= lost;
        free(changed);
    }
    *is_vetoed |=
        (search->own_clocks - clocks->own) / search->assumption_count + clocks->others_saved <= 0;
    if (*is_vetoed && loser)
        search->vetoed_by = loser;
    return BL_OK;
}

/* The clocks of the accesses under one assumption about the banks. is_now: the accesses are the
 * unchanged ones; their clocks are then stored in the assumption. */
static struct bl_clocks clocks_with(struct bl_array_search *search,
                                    struct bl_assumption *assumption,
                                    const struct bl_changed_accesses *change, bool is_now)
{
    const struct bl_trace *trace = &assumption->trace;
    double stages[BL_STAGES] = {0};
    search->vectors = change->vectors;
    sum_up(search, trace, change->accesses, change->count);
    struct bl_clocks clocks = {.own = add_clocks(search, trace, search->sums, stages)};
    const struct bl_trace_row *line =
        &search->sums[(size_t)(search->array->worst - search->trace->rows) - search->first_row];
    clocks.line = clocks_of_row(trace, line);
    double others[BL_STAGES], *other_stages = others, other_clocks = assumption->other_clocks;
    memcpy(others, search->absent_stages, sizeof others);
    if (change->is_whole)
        other_clocks =
            search->absent_clocks + add_clocks(search, trace, search->sums + search->rows, others);
    else
        other_stages = assumption->other_stages;
    clocks.all = clocks.own + other_clocks;
    for (unsigned s = 0; s < BL_STAGES; s++)
        clocks.stage = fmax(clocks.stage, stages[s] + other_stages[s]);
    if (is_now) {
        assumption->now = clocks;
        assumption->other_clocks = other_clocks;
        memcpy(assumption->other_stages, others, sizeof others);
    }
    return clocks;
}

/* Sums the clocks over the possible bank configurations. Rejects a change that makes accesses
 * dearer in any of several configurations, or that another kernel vetoes (find_veto). */
static enum bl_status clocks_of(void *context, const struct bl_changed_accesses *change,
                                struct bl_clocks *clocks)
{
    static const double ROUNDING = 1 + 1e-9;
    struct bl_array_search *search = context;
    const bool is_now = change->accesses == search->accesses;
    bool is_rejected = false;
    *clocks = (struct bl_clocks){.least_gain = INFINITY};
    for (unsigned i = 0; i < search->assumption_count; i++) {
        struct bl_assumption *assumption = &search->assumptions[i];
        const struct bl_clocks one = clocks_with(search, assumption, change, is_now);
        const struct bl_clocks *now = &assumption->now;
        is_rejected |= search->assumption_count > 1 &&
                       (one.own > now->own * ROUNDING || one.all > now->all * ROUNDING);
        clocks->own += one.own;
        clocks->line += one.line;
        clocks->all += one.all;
        clocks->stage += one.stage;
        const double gain = one.line > 0 ? now->line / one.line : now->own / one.own;
        clocks->least_gain = fmin(clocks->least_gain, gain);
        clocks->most_gain = fmax(clocks->most_gain, gain);
    }
    enum bl_status status = BL_OK;
    if (!is_rejected && change->layout && clocks->own < search->own_clocks)
        status = find_veto(search, change->layout, clocks, &is_rejected);
    if (is_rejected)
        clocks->own = INFINITY;
    return status;
}

/* A search processes each of its accesses about forty times. If the searches for all kernels
 * together use 1 / FEWER_THAN_TRACED of the traced accesses, they take about a tenth of Oclgrind's
 * time. Each search may use at least MIN_SEARCHED accesses. */
enum { FEWER_THAN_TRACED = 64, MIN_SEARCHED = 1 << 14 };

static size_t max_searched(const struct bl_trace *trace)
{
    uint64_t traced = 0;
    for (size_t r = 0; r < trace->row_count; r++)
        traced += trace->rows[r].accesses;
    traced /= FEWER_THAN_TRACED * (trace->kernel_count + 1);
    return traced > MIN_SEARCHED ? (size_t)traced : MIN_SEARCHED;
}

static void free_others(struct bl_array_search *search)
{
    for (size_t i = 0; i < search->other_count; i++)
        free(search->others[i].accesses);
    free(search->others);
    search->others = NULL;
    search->other_count = search->other_capacity = 0;
}

/* The clocks of all groups in the rows of another kernel that access the array; negative if memory
 * runs out. */
static double all_clocks_of_other(const struct bl_array_search *search,
                                  const struct bl_other_kernel *other)
{
    const struct bl_trace *trace = search->trace;
    bool *is_seen = calloc(trace->row_count + 1, sizeof *is_seen);
    double clocks = 0;
    for (size_t i = 0; is_seen && i < other->count; i++) {
        const size_t r = find_row(search, other->kernel, &other->accesses[i]);
        if (r < trace->row_count && trace->rows[r].has_rule && !is_seen[r])
            clocks += trace->rows[r].all_clocks;
        is_seen[r] = true;
    }
    const bool has_memory = is_seen != NULL;
    free(is_seen);
    return has_memory ? clocks : -1;
}

/* If the array is in global memory, finds the other kernels that access it, and computes the clocks
 * of their accesses to the array. */
static enum bl_status find_others(struct bl_array_search *search)
{
    const struct bl_trace *trace = search->trace;
    for (unsigned k = 0; k < trace->kernel_count && search->array->memory == BL_MEMORY_GLOBAL;
         k++) {
        const struct bl_trace_kernel *kernel = &trace->kernels[k];
        size_t count = 0;
        for (size_t i = 0; i < kernel->kept_count; i++)
            count += is_of_array(search->array, &kernel->kept[i]);
        if (count == 0 || k == search->kernel)
            continue;
        struct bl_access *own = calloc(count, sizeof *own), *fewer = NULL;
        size_t kept = 0;
        for (size_t i = 0; own && i < kernel->kept_count; i++)
            if (is_of_array(search->array, &kernel->kept[i]))
                own[kept++] = kernel->kept[i];
        kept = own ? bl_trace_fewer(&fewer, own, kept, MIN_SEARCHED) : 0;
        free(own);
        struct bl_other_kernel *other =
            kept ? bl_array_append(&search->others, &search->other_count, &search->other_capacity,
                                   sizeof *other)
                 : NULL;
        if (!other) {
            free(fewer);
            return BL_NO_MEMORY;
        }
        *other = (struct bl_other_kernel){.kernel = k, .accesses = fewer, .count = kept};
        other->clocks = clocks_of_other(search, other, fewer);
        other->all_clocks = all_clocks_of_other(search, other);
        if (other->all_clocks < 0)
            return BL_NO_MEMORY;
    }
    return BL_OK;
}

static bool has_unknown_rows(const struct bl_array_search *search)
{
    const struct bl_trace *trace = search->trace;
    for (size_t i = 0; i < search->count; i++) {
        const size_t r = search->is_own[i] ? find_row(search, search->kernel, &search->accesses[i])
                                           : trace->row_count;
        if (r < trace->row_count && bl_trace_has_unknown_banks(trace, &trace->rows[r]))
            return true;
    }
    return false;
}

/* The number of requests of all groups to the array, according to the last sum_up. */
static double requests_of_array(const struct bl_array_search *search)
{
    double requests = 0;
    for (size_t r = 0; r < search->rows; r++)
        requests += search->weights[r] * (double)search->sums[r].requests;
    return requests;
}

enum bl_status bl_array_search_fixes(struct bl_array_search *search,
                                     const struct bl_traced_array *array, struct bl_fixes *fixes,
                                     struct bl_error *error)
{
    free_others(search);
    search->array = array;
    const struct bl_trace *trace = search->trace;
    const struct bl_trace_kernel *kernel = &trace->kernels[search->kernel];
    const struct bl_machine *machine = trace->machine;
    const struct bl_wire_kernel *launch = &kernel->kept_launch;
    const unsigned x = search->are_ids_swapped; /* the dimension that varies fastest */
    struct bl_accesses accesses = {
        .all = search->accesses,
        .count = search->count,
        .is_own = search->is_own,
        .is_line = search->is_line,
        .local = {launch->local[x], launch->local[1 - x], launch->local[2]},
        .lanes = machine->lanes,
        .line_vector_bytes = array->worst->vector_bytes,
        .component_bytes = array->worst->component_bytes,
        .alignment = array->worst->alignment,
        .all_vector_bytes = array->vector_bytes,
        .launch_width = launch->global[x],
        .line_bytes = machine->line_bytes,
        .bank_round_bytes = machine->banks * machine->bank_bytes,
        .is_local = array->memory == BL_MEMORY_LOCAL,
        .group_local_bytes = kernel->group_local_bytes,
        .group_local_bytes_max = machine->group_local_bytes_max,
        .is_sampled = !bl_array_search_has_all(search),
        .has_short_first = machine->instructions_per_clock > 0,
    };
    for (size_t i = 0; i < search->count; i++) {
        search->is_own[i] = is_of_array(array, &search->accesses[i]);
        search->is_line[i] = bl_trace_is_of_row(trace, array->worst, &search->accesses[i]);
        const struct bl_wire_instruction *instruction =
            &trace->instructions[search->accesses[i].instruction].is;
        if (search->is_own[i] && accesses.row_bytes == 0)
            accesses.row_bytes = instruction->row_bytes;
        accesses.is_volatile |= search->is_own[i] && instruction->is_volatile;
        accesses.is_gathered |= search->is_own[i] && search->is_line[i] && instruction->is_gathered;
    }
    search->depends_on_banks = has_unknown_rows(search);
    const struct bl_changed_accesses none = {search->accesses, search->count, true, NULL,
                                             BL_ALIGNED_NONE};
    clocks_of(search, &none, &fixes->now);
    if (accesses.is_local && machine->instructions_per_clock > 0)
        /* a sum over the assumptions, like the clocks in fixes->now */
        fixes->issue_clocks =
            search->assumption_count * requests_of_array(search) / machine->instructions_per_clock;
    if (!isfinite(fixes->now.all)) {
        fixes->count = 0; /* a request has no rule, even with an assumed bank configuration */
        return BL_OK;
    }
    search->own_clocks = fixes->now.own;
    search->vetoed_by = NULL;
    enum bl_status status = find_others(search);
    if (status == BL_OK)
        status = bl_find_fixes(
            &accesses, accesses.is_local ? BL_TRANSFORMS_OF_LOCAL_ARRAY : BL_TRANSFORMS_OF_ARRAY,
            clocks_of, search, fixes, error);
    return status == BL_NO_MEMORY
               ? bl_fail(error, status, "out of memory while searching for suggestions")
               : status;
}

/* Sorts by lost clocks, then by clocks, in descending order. */
static int by_loss(const void *left, const void *right)
{
    const struct bl_traced_array *a = left, *b = right;
    return a->lost != b->lost ? (a->lost < b->lost) - (a->lost > b->lost)
                              : (a->clocks < b->clocks) - (a->clocks > b->clocks);
}

/* Computes the costs of rows. A row with a rule has its cost for all groups already. A row whose
 * cost depends on uncertain banks gets the cost of the kept accesses, computed for each possible
 * bank configuration and scaled to all groups. */
static void find_costs(struct bl_array_search *search)
{
    const struct bl_trace *trace = search->trace;
    const struct bl_trace_row *rows = &trace->rows[search->first_row];
    for (size_t r = 0; r < search->rows; r++)
        if (rows[r].has_rule)
            search->costs[r] = (struct bl_row_cost){.clocks = rows[r].all_clocks,
                                                    .lost = bl_trace_all_lost(&rows[r])};
    for (unsigned i = 0; i < search->assumption_count && search->assumption_count > 1; i++) {
        sum_up(search, &search->assumptions[i].trace, search->accesses, search->count);
        for (size_t r = 0; r < search->rows; r++) {
            struct bl_trace_row *sums = &search->sums[r];
            struct bl_row_cost *cost = &search->costs[r];
            if (rows[r].has_rule || !sums->has_rule || sums->requests == 0)
                continue;
            const double requests = (double)sums->requests,
                         passes = (double)sums->own.bank_passes / requests,
                         share = rows[r].all[BL_SUM_REQUESTS] / requests / search->assumption_count;
            sums->clocks = clocks_of_row(&search->assumptions[i].trace, sums);
            sums->ideal_clocks =
                bl_cost_clocks(&search->assumptions[i].machine,
                               sums->operation == BL_OPERATION_WRITE, &sums->ideal);
            cost->clocks += sums->clocks * share;
            cost->lost += bl_trace_lost(sums) * share;
            cost->least_passes = i == 0 ? passes : fmin(cost->least_passes, passes);
            cost->most_passes = fmax(cost->most_passes, passes);
        }
    }
}

/* Computes the weights of rows, so that the clocks now are those of all groups. Other groups may
 * execute a line less often than the costliest group, or execute other lines. */
static void find_weights(struct bl_array_search *search)
{
    const struct bl_trace *trace = search->trace;
    sum_up(search, trace, search->accesses, search->count);
    for (size_t r = 0; r < search->rows; r++) {
        const struct bl_trace_row *row = &trace->rows[search->first_row + r],
                                  *sums = &search->sums[r];
        const struct bl_cost_sums all = bl_trace_all_costs(row);
        const double clocks = row->has_rule ? clocks_of_row(trace, sums) : 0;
        if (sums->requests)
            search->weights[r] = clocks > 0 ? row->all_clocks / clocks
                                            : row->all[BL_SUM_REQUESTS] / (double)sums->requests;
        if (sums->requests || !row->has_rule)
            continue;
        search->absent_clocks += row->all_clocks;
        bl_trace_add_stages(row, &all, search->absent_stages);
    }
}

/* The kernel's arrays that are worth searching; the caller frees them. NULL if memory runs out. */
static struct bl_traced_array *find_arrays(struct bl_array_search *search, size_t *count)
{
    const struct bl_trace *trace = search->trace;
    struct bl_traced_array *arrays = calloc(search->rows + 1, sizeof *arrays);
    bool *is_seen = calloc(search->rows + 1, sizeof *is_seen);
    size_t found = 0;
    struct bl_step step;
    *count = 0;
    for (size_t at = 0;
         arrays && is_seen && bl_next_step(search->accesses, search->count, &at, &step);) {
        const size_t r = find_row(search, search->kernel, step.accesses);
        if (r == trace->row_count || is_seen[r - search->first_row] ||
            !is_counted(trace, &trace->rows[r]))
            continue;
        const struct bl_trace_row *row = &trace->rows[r];
        const struct bl_row_cost *cost = &search->costs[r - search->first_row];
        is_seen[r - search->first_row] = true;
        size_t i = 0;
        while (i < found && !is_of_array(&arrays[i], step.accesses))
            i++;
        struct bl_traced_array *array = &arrays[i];
        if (i == found)
            arrays[found++] = (struct bl_traced_array){
                .buffer = step.accesses->address >> BL_BUFFER_BITS, .memory = row->memory};
        if (!array->worst || cost->lost > array->lost_by_worst ||
            (cost->lost >= array->lost_by_worst && row < array->worst)) {
            array->worst = row;
            array->lost_by_worst = cost->lost;
        }
        const unsigned bytes = row->vector_bytes, before = array->vector_bytes;
        if (bytes)
            array->vector_bytes = before == 0 || before == bytes ? bytes : 1;
        array->lost += cost->lost;
        array->clocks += cost->clocks;
    }
    free(is_seen);
    const double all = trace->kernels[search->kernel].all_clocks;
    for (size_t i = 0; i < found; i++)
        if (arrays[i].lost > MIN_LOSS * all || arrays[i].clocks > MIN_TAKEN * all)
            arrays[(*count)++] = arrays[i];
    if (*count)
        qsort(arrays, *count, sizeof *arrays, by_loss);
    return arrays;
}

const struct bl_row_cost *bl_array_search_cost(const struct bl_array_search *search,
                                               const struct bl_trace_row *row)
{
    return &search->costs[(size_t)(row - search->trace->rows) - search->first_row];
}

/* Fills in the assumptions; returns false if memory runs out. */
static bool assume(struct bl_array_search *search)
{
    const struct bl_machine *machine = search->trace->machine;
    const unsigned alternatives = bl_machine_alternatives(machine);
    search->assumption_count = alternatives ? alternatives : 1;
    search->assumptions = calloc(search->assumption_count, sizeof *search->assumptions);
    for (unsigned i = 0; i < search->assumption_count && search->assumptions; i++) {
        struct bl_assumption *one = &search->assumptions[i];
        one->machine = alternatives ? bl_machine_alternative(machine, i) : *machine;
        one->trace = *search->trace;
        one->trace.machine = &one->machine;
    }
    return search->assumptions != NULL;
}

bool bl_array_search_has_all(const struct bl_array_search *search)
{
    const struct bl_trace_kernel *kernel = &search->trace->kernels[search->kernel];
    return kernel->kept_all && search->count == kernel->kept_count;
}

bool bl_array_search_is_costly(const struct bl_array_search *search,
                               const struct bl_traced_array *array)
{
    return array->lost > MIN_LOSS * search->trace->kernels[search->kernel].all_clocks;
}

void bl_array_search_swap_ids(struct bl_array_search *search)
{
    const uint64_t *local = search->trace->kernels[search->kernel].kept_launch.local;
    bl_swap_ids(search->accesses, search->count, (const size_t[3]){local[0], local[1], local[2]});
    search->are_ids_swapped = true;
}

enum bl_status bl_array_search_begin(struct bl_array_search *search, const struct bl_trace *trace,
                                     unsigned kernel, struct bl_error *error)
{
    const struct bl_trace_kernel *of = &trace->kernels[kernel];
    *search = (struct bl_array_search){.trace = trace, .kernel = kernel};
    while (search->first_row < trace->row_count && trace->rows[search->first_row].kernel != kernel)
        search->first_row++;
    while (search->first_row + search->rows < trace->row_count &&
           trace->rows[search->first_row + search->rows].kernel == kernel)
        search->rows++;
    if (search->rows == 0 || of->kept_count == 0)
        return BL_OK;
    search->count =
        bl_trace_fewer(&search->accesses, of->kept, of->kept_count, max_searched(trace));
    search->sums = calloc(2 * search->rows, sizeof *search->sums);
    search->row_of = calloc(trace->instruction_count + 1, sizeof *search->row_of);
    search->is_own = calloc(search->count + 1, sizeof *search->is_own);
    search->is_line = calloc(search->count + 1, sizeof *search->is_line);
    search->costs = calloc(search->rows + 1, sizeof *search->costs);
    search->weights = calloc(search->rows + 1, sizeof *search->weights);
    const bool is_whole = search->accesses && search->sums && search->row_of && search->is_own &&
                          search->is_line && search->costs && search->weights && assume(search);
    if (is_whole) {
        find_costs(search);
        find_weights(search);
        search->arrays = find_arrays(search, &search->array_count);
    }
    return search->arrays
               ? BL_OK
               : bl_fail(error, BL_NO_MEMORY, "out of memory while searching for suggestions");
}

void bl_array_search_end(struct bl_array_search *search)
{
    free_others(search);
    free(search->arrays);
    free(search->accesses);
    free(search->sums);
    free(search->row_of);
    free(search->is_own);
    free(search->is_line);
    free(search->costs);
    free(search->weights);
    free(search->assumptions);
    *search = (struct bl_array_search){0};
}
