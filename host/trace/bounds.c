/* Computes the lower bounds that bounds.h describes. Which accesses a compiler could merge is
 * determined from the recorded accesses of each kernel's costliest group; the other groups are
 * assumed to allow the same merging. */
#include "trace/bounds.h"

#include <math.h>
#include <stdlib.h>

#include "trace/trace.h"

enum { MERGED_BYTES = 16 }; /* the widest access that a compiler creates by merging */

const char *bl_stage_name(enum bl_stage stage)
{
    static const char *const names[] = {"tags", "banks", "writes", "constants"};
    return names[stage];
}

/* Whether `next` executes the same instruction as `step`, for the same work-items, with accesses of
 * the same widths, and with all addresses `distance` bytes higher. */
static bool follows(const struct bl_step *step, const struct bl_step *next, uint64_t distance)
{
    if (step->count != next->count || step->accesses->instruction != next->accesses->instruction)
        return false;
    for (size_t i = 0; i < step->count; i++)
        if (step->accesses[i].item != next->accesses[i].item ||
            step->accesses[i].bytes != next->accesses[i].bytes ||
            step->accesses[i].address + distance != next->accesses[i].address)
            return false;
    return true;
}

/* Compares the work-items, the phases (stretches between two barriers) and the bytes of memory of
 * two accesses. */
static int compare_places(const struct bl_access *one, const struct bl_access *other)
{
#define COMPARE(member)               \
    if (one->member != other->member) \
        return one->member < other->member ? -1 : 1;
    COMPARE(item)
    COMPARE(phase)
    COMPARE(memory)
    COMPARE(address)
    COMPARE(bytes)
#undef COMPARE
    return 0;
}

/* Orders accesses by their places, and those of the same place as they were recorded. */
static int by_place(const void *a, const void *b)
{
    const struct bl_access *one = *(const struct bl_access *const *)a,
                           *other = *(const struct bl_access *const *)b;
    const int places = compare_places(one, other);
    return places ? places : (one->order > other->order) - (one->order < other->order);
}

static bool is_volatile(const struct bl_trace *trace, const struct bl_access *access)
{
    return trace->instructions[access->instruction].is.is_volatile;
}

/* For each of the kernel's kept accesses, whether a register could replace it: since the last
 * barrier, the work-item has accessed the same bytes before a read, or written them before a write,
 * and the access is not volatile. NULL if memory runs out; to be freed. */
static bool *find_again(const struct bl_trace *trace, const struct bl_trace_kernel *kernel)
{
    const size_t count = kernel->kept_count;
    const struct bl_access **sorted = calloc(count + 1, sizeof(void *));
    bool *is_again = calloc(count + 1, sizeof *is_again);
    for (size_t i = 0; sorted && i < count; i++)
        sorted[i] = &kernel->kept[i];
    if (sorted)
        qsort(sorted, count, sizeof(void *), by_place);
    bool was_written = false;
    for (size_t i = 0; sorted && is_again && i < count; i++) {
        const bool is_write = sorted[i]->operation == BL_OPERATION_WRITE,
                   was_accessed = i > 0 && compare_places(sorted[i - 1], sorted[i]) == 0;
        was_written = was_written && was_accessed;
        is_again[sorted[i] - kernel->kept] = sorted[i]->operation != BL_OPERATION_ATOMIC &&
                                             !is_volatile(trace, sorted[i]) &&
                                             (is_write ? was_written : was_accessed);
        was_written = was_written || is_write;
    }
    if (!sorted) {
        free(is_again);
        is_again = NULL;
    }
    free(sorted);
    return is_again;
}

/* Whether a register could not replace some access of the step. */
static bool is_new(const struct bl_step *step, const bool is_again[])
{
    for (size_t i = 0; i < step->count; i++)
        if (!is_again[i])
            return true;
    return false;
}

/* Adds the cost that the step would have if each of its accesses were `bytes` wide, without those
 * that is_again says a register could replace. Returns false if memory runs out. */
static bool add_wide(const struct bl_trace *trace, struct bl_trace_row *row,
                     const struct bl_step *step, const bool is_again[], unsigned bytes)
{
    struct bl_access *wide = calloc(step->count, sizeof *wide);
    struct bl_step widened = {wide, 0};
    if (!wide)
        return false;
    for (size_t i = 0; i < step->count; i++) {
        if (is_again[i])
            continue;
        wide[widened.count] = step->accesses[i];
        wide[widened.count++].bytes = bytes;
    }
    if (widened.count > 0)
        bl_trace_add_step(trace, row, &widened);
    free(wide);
    return true;
}

/* The cost of a row's accesses in the kernel's costliest group. merged: if a compiler merges
 * accesses as far as possible; own: as traced. */
struct both {
    struct bl_cost_sums merged, own;
};

static bool cost_of_kept(const struct bl_trace *trace, const struct bl_trace_row *of,
                         const bool is_again[], struct both *both)
{
    const struct bl_trace_kernel *kernel = &trace->kernels[of->kernel];
    struct bl_trace_row merged = {.memory = of->memory, .operation = of->operation}, own = merged;
    struct bl_step step, next;
    merged.has_rule = own.has_rule = true;
    size_t at = 0;
    bool any = bl_next_step(kernel->kept, kernel->kept_count, &at, &step);
    while (any) {
        const bool is_own = bl_trace_is_of_row(trace, of, step.accesses);
        const unsigned bytes = step.accesses->bytes;
        unsigned wide = bytes;
        struct bl_step last = step;
        if (is_own)
            bl_trace_add_step(trace, &own, &step);
        while ((any = bl_next_step(kernel->kept, kernel->kept_count, &at, &next)) && is_own &&
               of->operation != BL_OPERATION_ATOMIC && !is_volatile(trace, step.accesses)) {
            const bool is_same = follows(&last, &next, 0);
            if (!is_same && (wide + bytes > MERGED_BYTES || !follows(&last, &next, bytes)))
                break;
            bl_trace_add_step(trace, &own, &next);
            wide +=
                is_same || !is_new(&next, is_again + (next.accesses - kernel->kept)) ? 0 : bytes;
            last = next;
        }
        if (is_own &&
            !add_wide(trace, &merged, &step, is_again + (step.accesses - kernel->kept), wide))
            return false;
        step = next;
    }
    both->merged = merged.own;
    both->own = own.own;
    return true;
}

/* Adds to the bound the clocks that the row's accesses, of all groups, would take in each stage
 * after a compiler has merged them as far as possible. */
static enum bl_status add_row(const struct bl_trace *trace, const struct bl_trace_row *row,
                              const bool is_again[], struct bl_bound *bound, struct bl_error *error)
{
    struct both kept;
    if (!is_again || !cost_of_kept(trace, row, is_again, &kept))
        return bl_fail(error, BL_NO_MEMORY, "out of memory while computing the bounds");
    const struct bl_cost_sums costs = bl_trace_all_costs(row);
    double merged[BL_STAGES] = {0}, own[BL_STAGES] = {0}, all[BL_STAGES] = {0};
    bl_trace_add_stages(row, &kept.merged, merged);
    bl_trace_add_stages(row, &kept.own, own);
    bl_trace_add_stages(row, &costs, all);
    for (unsigned s = 0; s < BL_STAGES; s++)
        bound->clocks[s] += all[s] * (merged[s] < own[s] ? merged[s] / own[s] : 1);
    return BL_OK;
}

enum bl_status bl_trace_bound(struct bl_trace *trace, struct bl_error *error)
{
    for (size_t k = 0; k < trace->kernel_count; k++) {
        struct bl_trace_kernel *kernel = &trace->kernels[k];
        bool *is_again = find_again(trace, kernel);
        enum bl_status status = BL_OK;
        for (size_t i = 0; status == BL_OK && i < trace->row_count; i++)
            if (trace->rows[i].kernel == k && trace->rows[i].has_rule)
                status = add_row(trace, &trace->rows[i], is_again, &kernel->bound, error);
        free(is_again);
        if (status != BL_OK)
            return status;
        for (unsigned s = 0; s < BL_STAGES; s++)
            if (kernel->bound.clocks[s] > kernel->bound.clocks[kernel->bound.busiest])
                kernel->bound.busiest = (enum bl_stage)s;
    }
    return BL_OK;
}

/* Computes a level's likely time and lower bound. The likely time assumes that reads and writes do
 * not overlap. The lower bound assumes that they overlap at the first level only, and leaves out
 * the bytes that nearer levels may have kept. */
static void time_level(const struct bl_delivery *delivery, unsigned level,
                       const struct bl_trace_kernel *kernel, struct bl_bound *bound)
{
    const double read_ns = bound->read_bytes / delivery->read_bytes_per_ns[level],
                 written_ns = bound->written_bytes / delivery->written_bytes_per_ns[level],
                 all_bytes = bound->read_bytes + bound->written_bytes,
                 kept_bytes = delivery->kept_bytes[level] * kernel->launches;
    if (!isfinite(read_ns) || !isfinite(written_ns))
        return;
    /* If a launch touches more than half as many bytes as the levels nearer to the compute units
     * hold, these levels probably keep none of the bytes until the next launch. */
    const double expected_bytes = delivery->kept_bytes[level] / 2;
    if (all_bytes / kernel->launches > expected_bytes)
        bound->likely_level_ns[level] = read_ns + written_ns;
    if (level == 0)
        bound->level_ns[level] = fmax(read_ns, written_ns);
    else if (all_bytes > kept_bytes)
        bound->level_ns[level] = (read_ns + written_ns) * (1 - kept_bytes / all_bytes);
}

static void bound_times(const struct bl_trace *trace, const struct bl_delivery *delivery,
                        struct bl_trace_kernel *kernel)
{
    const struct bl_timed_device *device = &trace->timed_on;
    struct bl_bound *bound = &kernel->bound;
    /* With fewer groups than compute units, some units are idle. */
    const double groups = (double)kernel->groups / kernel->launches;
    const double units = groups < device->compute_units ? groups : device->compute_units;
    const double clocks = units > 0 ? bound->clocks[bound->busiest] / units : 0;
    bound->limited_by = bl_stage_name(bound->busiest);
    bound->stage_ns = device->mhz > 0 ? clocks * 1e3 / device->mhz : 0;
    bound->likely_stage_ns = isfinite(delivery->clock_ns) ? clocks * delivery->clock_ns : 0;
    bound->ns = bound->stage_ns;
    for (unsigned i = 0; i < BL_LEVELS; i++) {
        time_level(delivery, i, kernel, bound);
        if (bound->level_ns[i] > bound->ns) {
            bound->ns = bound->level_ns[i];
            bound->limited_by = trace->machine->levels[i].name;
        }
    }
}

void bl_trace_bound_times(struct bl_trace *trace, const struct bl_delivery *delivery)
{
    for (size_t k = 0; k < trace->kernel_count; k++)
        bound_times(trace, delivery, &trace->kernels[k]);
}
