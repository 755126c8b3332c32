#include "trace/suggest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* An array has to lose so much of its kernel's clocks to be worth a word; or to take so much that
 * keeping it in a register would be. */
static const double MIN_LOSS = 0.01, MIN_TAKEN = 0.1;

/* Another kernel may lose so much by the layout of an array. */
static const double MAX_LOSS_OF_OTHERS = 1.01;

/* A kernel that accesses the array, too. */
struct other {
    unsigned kernel;
    struct bl_access *accesses; /* those to the array */
    size_t count;
    double clocks;
};

/* A buffer of a kernel: an array. */
struct array {
    uint64_t buffer;
    enum bl_memory memory;
    const struct bl_trace_row *worst; /* of its rows */
    double lost, clocks;
    size_t accesses;
};

/* A kernel of which arrays are searched one after another. */
struct search {
    const struct bl_trace *trace;
    unsigned kernel;
    struct bl_access *accesses; /* of the kept group, perhaps fewer */
    size_t count;
    uint32_t *row_of; /* of each instruction's last access, from 1 */
    bool *is_own, *is_line;
    struct bl_trace_row *sums; /* of the rows from first_row on, twice: of the array, of others */
    size_t first_row, rows;
    /* Of the array under way: */
    const struct array *array;
    double other_clocks, other_stages[BL_STAGES]; /* of the kernel's other arrays */
    double own_clocks;                            /* now */
    struct other *others;
    size_t other_count, other_capacity;
    const struct bl_trace_kernel *vetoed_by; /* a layout that gains makes this one slower */
    bool are_ids_swapped;
};

/* The row of an access of this kernel, by its number; the trace's row_count: none. */
static size_t find_row(const struct search *search, unsigned kernel, const struct bl_access *access)
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

static bool is_of_array(const struct array *array, const struct bl_access *access)
{
    return access->memory == array->memory && access->address >> BL_BUFFER_BITS == array->buffer;
}

static double clocks_of_row(const struct bl_trace *trace, const struct bl_trace_row *sums)
{
    return bl_cost_clocks(trace->machine, sums->operation == BL_OPERATION_WRITE, &sums->own);
}

/* Adds up the accesses of the kernel by rows: those to the array first, then the others. */
static void sum_up(struct search *search, const struct bl_access accesses[], size_t count)
{
    const struct bl_trace *trace = search->trace;
    for (size_t r = 0; r < 2 * search->rows; r++) {
        const struct bl_trace_row *row = &trace->rows[search->first_row + r % search->rows];
        search->sums[r] = (struct bl_trace_row){
            .memory = row->memory, .operation = row->operation, .has_rule = row->has_rule};
    }
    struct bl_step step;
    for (size_t at = 0; bl_next_step(accesses, count, &at, &step);) {
        const size_t r = find_row(search, search->kernel, step.accesses);
        if (r == trace->row_count || !trace->rows[r].has_rule)
            continue;
        const bool is_other = !is_of_array(search->array, step.accesses);
        bl_trace_add_step(trace, &search->sums[r - search->first_row + is_other * search->rows],
                          &step);
    }
}

/* Sums of `rows` rows in clocks, and what they occupy the stages for. */
static double add_clocks(const struct bl_trace *trace, const struct bl_trace_row sums[],
                         size_t rows, double stages[BL_STAGES])
{
    double clocks = 0;
    for (size_t r = 0; r < rows; r++) {
        if (sums[r].requests == 0)
            continue;
        clocks += clocks_of_row(trace, &sums[r]);
        bl_trace_add_stages(&sums[r], &sums[r].own, stages);
    }
    return clocks;
}

/* Clocks of another kernel's accesses to the array. */
static double clocks_of_other(const struct search *search, const struct other *other,
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

/* Whether another kernel loses by the layout. */
static enum bl_status find_veto(struct search *search, const struct bl_array_layout *layout,
                                bool *is_vetoed)
{
    static const uint64_t OFFSET_MASK = ((uint64_t)1 << BL_BUFFER_BITS) - 1;
    *is_vetoed = false;
    for (size_t i = 0; i < search->other_count && !*is_vetoed; i++) {
        const struct other *other = &search->others[i];
        struct bl_access *changed = calloc(other->count + 1, sizeof *changed);
        if (!changed)
            return BL_NO_MEMORY;
        for (size_t a = 0; a < other->count; a++) {
            const uint64_t address = other->accesses[a].address;
            changed[a] = other->accesses[a];
            changed[a].address =
                (address & ~OFFSET_MASK) + bl_array_layout_place(layout, address & OFFSET_MASK);
        }
        const struct bl_accesses accesses = {.all = other->accesses, .count = other->count};
        *is_vetoed = !bl_array_layout_keeps(layout, &accesses) ||
                     clocks_of_other(search, other, changed) > other->clocks * MAX_LOSS_OF_OTHERS;
        if (*is_vetoed)
            search->vetoed_by = &search->trace->kernels[other->kernel];
        free(changed);
    }
    return BL_OK;
}

static enum bl_status clocks_of(void *context, const struct bl_changed_accesses *change,
                                struct bl_clocks *clocks)
{
    struct search *search = context;
    double stages[BL_STAGES] = {0};
    sum_up(search, change->accesses, change->count);
    *clocks =
        (struct bl_clocks){.own = add_clocks(search->trace, search->sums, search->rows, stages)};
    const struct bl_trace_row *line =
        &search->sums[(size_t)(search->array->worst - search->trace->rows) - search->first_row];
    clocks->line = line->requests ? clocks_of_row(search->trace, line) : 0;
    clocks->all = clocks->own;
    if (change->is_whole)
        clocks->all += add_clocks(search->trace, search->sums + search->rows, search->rows, stages);
    else
        clocks->all += search->other_clocks;
    for (unsigned s = 0; s < BL_STAGES; s++) {
        stages[s] += change->is_whole ? 0 : search->other_stages[s];
        clocks->stage = stages[s] > clocks->stage ? stages[s] : clocks->stage;
    }
    bool is_vetoed = false;
    enum bl_status status = BL_OK;
    if (change->layout && clocks->own < search->own_clocks)
        status = find_veto(search, change->layout, &is_vetoed);
    if (is_vetoed)
        clocks->own = INFINITY;
    return status;
}

/* The search goes over the accesses to an array some forty times. It takes a tenth of the time that
 * Oclgrind took if they are so much fewer than those that were traced. */
enum { FEWER_THAN_TRACED = 64, MIN_SEARCHED = 1 << 14 };

static size_t max_searched(const struct bl_trace *trace)
{
    uint64_t traced = 0;
    for (size_t r = 0; r < trace->row_count; r++)
        traced += trace->rows[r].accesses;
    traced /= FEWER_THAN_TRACED * (trace->kernel_count + 1);
    return traced > MIN_SEARCHED ? (size_t)traced : MIN_SEARCHED;
}

static void free_others(struct search *search)
{
    for (size_t i = 0; i < search->other_count; i++)
        free(search->others[i].accesses);
    free(search->others);
    search->others = NULL;
    search->other_count = search->other_capacity = 0;
}

/* Which other kernels access the array, and what that costs them. */
static enum bl_status find_others(struct search *search)
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
        struct other *other = kept ? bl_array_append(&search->others, &search->other_count,
                                                     &search->other_capacity, sizeof *other)
                                   : NULL;
        if (!other) {
            free(fewer);
            return BL_NO_MEMORY;
        }
        *other = (struct other){.kernel = k, .accesses = fewer, .count = kept};
        other->clocks = clocks_of_other(search, other, fewer);
    }
    return BL_OK;
}

/* Finds what would make the array cheaper for the kernel. */
static enum bl_status find_fixes(struct search *search, struct bl_fixes *fixes,
                                 struct bl_error *error)
{
    const struct bl_trace *trace = search->trace;
    const struct bl_trace_kernel *kernel = &trace->kernels[search->kernel];
    const struct bl_machine *machine = trace->machine;
    struct bl_accesses accesses = {
        .all = search->accesses,
        .count = search->count,
        .is_own = search->is_own,
        .is_line = search->is_line,
        .local = {kernel->last.local[0], kernel->last.local[1], kernel->last.local[2]},
        .line_bytes = machine->line_bytes,
        .bank_round_bytes = machine->banks * machine->bank_bytes,
        .is_local = search->array->memory == BL_MEMORY_LOCAL,
    };
    if (search->are_ids_swapped) {
        accesses.local[0] = kernel->last.local[1];
        accesses.local[1] = kernel->last.local[0];
    }
    for (size_t i = 0; i < search->count; i++) {
        search->is_own[i] = is_of_array(search->array, &search->accesses[i]);
        search->is_line[i] = bl_trace_is_of_row(trace, search->array->worst, &search->accesses[i]);
    }
    const struct bl_changed_accesses none = {search->accesses, search->count, true, NULL};
    clocks_of(search, &none, &fixes->now);
    memset(search->other_stages, 0, sizeof search->other_stages);
    search->other_clocks =
        add_clocks(trace, search->sums + search->rows, search->rows, search->other_stages);
    search->own_clocks = fixes->now.own;
    search->vetoed_by = NULL;
    enum bl_status status = find_others(search);
    if (status == BL_OK)
        status = bl_find_fixes(
            &accesses, accesses.is_local ? BL_TRANSFORMS_OF_LOCAL_ARRAY : BL_TRANSFORMS_OF_ARRAY,
            clocks_of, search, fixes, error);
    free_others(search);
    return status == BL_NO_MEMORY ? bl_fail(error, status, "no memory for suggestions") : status;
}

/* "32 bank passes where 1 would do" */
static void say_what_is_wrong(const struct bl_trace_row *row, char text[160])
{
    const double lanes = bl_trace_mean(row, row->lanes), lines = bl_trace_mean(row, row->own.lines),
                 banks = bl_trace_mean(row, row->own.bank_passes),
                 tags = bl_trace_mean(row, row->own.tag_passes),
                 ideal_banks = bl_trace_mean(row, row->ideal.bank_passes),
                 ideal_tags = bl_trace_mean(row, row->ideal.tag_passes),
                 requests = (double)row->requests;
    const bool is_banks = isfinite(banks) && (!isfinite(tags) || banks >= tags);
    if (is_banks && banks > ideal_banks && isfinite(lines))
        snprintf(
            text, 160,
            "a request of %.3g lanes takes %.3g bank passes where %.3g would do, in %.3g lines",
            lanes, banks, ideal_banks, lines);
    else if (is_banks && banks > ideal_banks)
        snprintf(text, 160, "a request of %.3g lanes takes %.3g bank passes where %.3g would do",
                 lanes, banks, ideal_banks);
    else if (isfinite(tags) && tags > ideal_tags)
        snprintf(text, 160, "a request of %.3g lanes touches %.3g lines where %.3g would do", lanes,
                 lines, bl_trace_mean(row, row->ideal.lines));
    else
        snprintf(text, 160, "a request of %.3g lanes takes %.3g clocks where %.3g would do", lanes,
                 row->clocks / requests, row->ideal_clocks / requests);
}

/* " and at lines 12 and 15": the array's other lines, which must follow its layout. */
static void say_other_lines(const struct search *search, char text[96])
{
    const struct bl_trace *trace = search->trace;
    const struct bl_trace_row *worst = search->array->worst;
    unsigned lines[4] = {worst->line}, count = 1;
    bool are_more = false;
    for (size_t r = search->first_row; r < search->first_row + search->rows; r++) {
        const struct bl_trace_row *row = &trace->rows[r];
        bool is_known = row->memory != worst->memory || strcmp(row->array, worst->array) != 0 ||
                        row->line == 0 || strcmp(row->file, worst->file) != 0;
        for (unsigned i = 0; i < count; i++)
            is_known |= lines[i] == row->line;
        are_more |= !is_known && count == 4;
        if (!is_known && count < 4)
            lines[count++] = row->line;
    }
    *text = '\0';
    for (unsigned i = 1; i < count; i++) {
        const size_t used = strlen(text);
        snprintf(text + used, 96 - used, "%s%u",
                 i == 1                        ? count > 2 ? ", also in lines " : ", also in line "
                 : i + 1 == count && !are_more ? " and "
                                               : ", ",
                 lines[i]);
    }
    if (are_more)
        snprintf(text + strlen(text), 96 - strlen(text), " and more");
}

/* What to do, and what it gains; or why nothing is offered. */
static void say_fix(const struct search *search, const struct bl_fixes *fixes,
                    struct bl_suggestion *suggestion, char text[768])
{
    if (fixes->count == 0) {
        if (search->vetoed_by)
            snprintf(text, 768,
                     "nothing that is tried here would mend it: another layout of the array makes "
                     "%.100s slower",
                     bl_trace_label_of(search->vetoed_by));
        else
            snprintf(text, 768, "nothing that is tried here would mend it%s",
                     fixes->is_scattered ? ": its addresses are scattered, in no rows" : "");
        return;
    }
    const struct bl_fix *best = &fixes->all[fixes->count - 1];
    const struct bl_clocks *now = &fixes->now, *then = &best->clocks;
    suggestion->gain = then->line > 0 ? now->line / then->line : best->gain;
    suggestion->array_gain = best->gain;
    suggestion->kernel_gain = now->all / then->all;
    suggestion->stage_gain = now->stage / then->stage;
    snprintf(suggestion->fix, sizeof suggestion->fix, "%s", best->words);
    char index[300] = "", others[96] = "";
    if (best->layout.kind != BL_ARRAY_UNCHANGED) {
        struct bl_array_layout as_it_is = best->layout;
        char before[64];
        const char *array = *search->array->worst->array ? search->array->worst->array : "a";
        as_it_is.kind = BL_ARRAY_UNCHANGED;
        as_it_is.pad = 0;
        bl_array_layout_index(&as_it_is, before, sizeof before);
        bl_array_layout_index(&best->layout, suggestion->index, sizeof suggestion->index);
        say_other_lines(search, others);
        snprintf(index, sizeof index, ", %.40s[%s] for %.40s[%s]%s", array, suggestion->index,
                 array, before, others);
    }
    snprintf(text, 768,
             "%s%s%s: by the model %.3g times as fast, and the kernel's accesses %.3g times",
             search->are_ids_swapped ? "with the ids swapped, " : "", best->words, index,
             suggestion->gain, suggestion->kernel_gain);
}

/* The same advice for the same access of another kernel is given once. */
static bool is_merged(const struct bl_trace *trace, struct bl_suggestions *suggestions,
                      const struct bl_suggestion *suggestion)
{
    const struct bl_trace_row *row = suggestion->row;
    for (size_t i = 0; i < suggestions->count; i++) {
        struct bl_suggestion *known = &suggestions->all[i];
        if (known->row->line != row->line || known->row->column != row->column ||
            known->row->operation != row->operation || strcmp(known->row->file, row->file) != 0 ||
            strcmp(known->row->array, row->array) != 0 || known->row->kernel == row->kernel ||
            trace->kernels[known->row->kernel].program != trace->kernels[row->kernel].program ||
            strcmp(known->fix, suggestion->fix) != 0)
            continue;
        const size_t used = strlen(known->sentence);
        snprintf(known->sentence + used, sizeof known->sentence - used, " The same in %.60s.",
                 bl_trace_label_of(&trace->kernels[row->kernel]));
        return true;
    }
    return false;
}

/* Nothing makes the array cheaper, and it loses little, or the swapped ids that are suggested mend
 * it, too. */
static bool is_not_worth_a_word(const struct search *search, const struct bl_fixes *fixes)
{
    if (fixes->count == 0 && search->are_ids_swapped)
        return true;
    return fixes->count == 0 &&
           search->array->lost <= MIN_LOSS * search->trace->kernels[search->kernel].clocks;
}

static enum bl_status suggest(struct search *search, struct bl_suggestions *suggestions,
                              struct bl_error *error)
{
    const struct bl_trace *trace = search->trace;
    const struct bl_trace_row *row = search->array->worst;
    struct bl_fixes fixes = {.count = 0};
    const enum bl_status status = find_fixes(search, &fixes, error);
    if (status != BL_OK || is_not_worth_a_word(search, &fixes))
        return status;
    struct bl_suggestion made = {.row = row,
                                 .gain = 1,
                                 .array_gain = 1,
                                 .kernel_gain = 1,
                                 .stage_gain = 1,
                                 .device_gain = NAN};
    char wrong[160] = "", text[768];
    const struct bl_trace_kernel *kernel = &trace->kernels[search->kernel];
    const uint64_t *local = kernel->last.local;
    if (search->array->lost > MIN_LOSS * kernel->clocks && bl_trace_lost(row) > 0)
        say_what_is_wrong(row, wrong);
    else
        snprintf(wrong, sizeof wrong, "%.3g accesses by each work-item",
                 (double)row->accesses / (double)kernel->traced_groups /
                     (double)(local[0] * local[1] * local[2]));
    say_fix(search, &fixes, &made, text);
    snprintf(made.sentence, sizeof made.sentence, "%.200s:%u, %s %s%s%.60s in %.60s: %s; %.600s.",
             basename(row->name ? row->name : row->file), row->line, bl_memory_name(row->memory),
             row->operation == BL_OPERATION_READ    ? "reads"
             : row->operation == BL_OPERATION_WRITE ? "writes"
                                                    : "atomics",
             *row->array ? " of " : "", row->array, bl_trace_label_of(kernel), wrong, text);
    if (fixes.count && fixes.all[fixes.count - 1].swaps_ids) {
        bl_swap_ids(search->accesses, search->count,
                    (const size_t[3]){trace->kernels[search->kernel].last.local[0],
                                      trace->kernels[search->kernel].last.local[1], 1});
        search->are_ids_swapped = true;
    }
    if (is_merged(trace, suggestions, &made))
        return BL_OK;
    struct bl_suggestion *added = bl_array_append(&suggestions->all, &suggestions->count,
                                                  &suggestions->capacity, sizeof *added);
    if (!added)
        return bl_fail(error, BL_NO_MEMORY, "no memory for suggestions");
    *added = made;
    return BL_OK;
}

/* Those that lose most first, then those that take most. */
static int by_loss(const void *left, const void *right)
{
    const struct array *a = left, *b = right;
    return a->lost != b->lost ? (a->lost < b->lost) - (a->lost > b->lost)
                              : (a->clocks < b->clocks) - (a->clocks > b->clocks);
}

/* The kernel's arrays that may be worth a word; the caller frees them. NULL: there is no memory. */
static struct array *find_arrays(const struct search *search, size_t *count)
{
    const struct bl_trace *trace = search->trace;
    struct array *arrays = calloc(search->rows + 1, sizeof *arrays);
    bool *is_seen = calloc(search->rows + 1, sizeof *is_seen);
    size_t found = 0;
    struct bl_step step;
    *count = 0;
    for (size_t at = 0;
         arrays && is_seen && bl_next_step(search->accesses, search->count, &at, &step);) {
        const size_t r = find_row(search, search->kernel, step.accesses);
        if (r == trace->row_count || is_seen[r - search->first_row] || !trace->rows[r].has_rule)
            continue;
        const struct bl_trace_row *row = &trace->rows[r];
        is_seen[r - search->first_row] = true;
        size_t i = 0;
        while (i < found && !is_of_array(&arrays[i], step.accesses))
            i++;
        struct array *array = &arrays[i];
        if (i == found)
            arrays[found++] = (struct array){.buffer = step.accesses->address >> BL_BUFFER_BITS,
                                             .memory = row->memory};
        /* Rows are sorted by loss, steps are not. */
        if (!array->worst || row < array->worst)
            array->worst = row;
        array->lost += bl_trace_lost(row);
        array->clocks += row->clocks;
    }
    free(is_seen);
    const double all = trace->kernels[search->kernel].clocks;
    for (size_t i = 0; i < found; i++)
        if (arrays[i].lost > MIN_LOSS * all || arrays[i].clocks > MIN_TAKEN * all)
            arrays[(*count)++] = arrays[i];
    if (*count)
        qsort(arrays, *count, sizeof *arrays, by_loss);
    return arrays;
}

static enum bl_status suggest_for_kernel(const struct bl_trace *trace, unsigned kernel,
                                         struct bl_suggestions *suggestions, struct bl_error *error)
{
    struct search search = {.trace = trace, .kernel = kernel};
    enum bl_status status = BL_OK;
    while (search.first_row < trace->row_count && trace->rows[search.first_row].kernel != kernel)
        search.first_row++;
    while (search.first_row + search.rows < trace->row_count &&
           trace->rows[search.first_row + search.rows].kernel == kernel)
        search.rows++;
    const struct bl_trace_kernel *of = &trace->kernels[kernel];
    if (search.rows == 0 || of->kept_count == 0)
        return BL_OK;
    search.count = bl_trace_fewer(&search.accesses, of->kept, of->kept_count, max_searched(trace));
    search.sums = calloc(2 * search.rows, sizeof *search.sums);
    search.row_of = calloc(trace->instruction_count + 1, sizeof *search.row_of);
    search.is_own = calloc(search.count + 1, sizeof *search.is_own);
    search.is_line = calloc(search.count + 1, sizeof *search.is_line);
    size_t count = 0;
    struct array *arrays = NULL;
    if (search.accesses && search.sums && search.row_of && search.is_own && search.is_line)
        arrays = find_arrays(&search, &count);
    if (!arrays)
        status = bl_fail(error, BL_NO_MEMORY, "no memory for suggestions");
    const size_t before = suggestions->count;
    for (size_t i = 0;
         i < count && status == BL_OK && suggestions->count < before + BL_SUGGESTIONS_OF_KERNEL;
         i++) {
        search.array = &arrays[i];
        status = suggest(&search, suggestions, error);
    }
    free(arrays);
    free(search.accesses);
    free(search.sums);
    free(search.row_of);
    free(search.is_own);
    free(search.is_line);
    return status;
}

/* The kernels that lose most first, all their groups counted. */
static double lost_by(const struct bl_trace *trace, const struct bl_trace_row *row)
{
    double lost = 0;
    for (size_t r = 0; r < trace->row_count; r++)
        if (trace->rows[r].kernel == row->kernel)
            lost += bl_trace_lost(&trace->rows[r]);
    return lost * bl_trace_times_sampled(&trace->kernels[row->kernel]);
}

static void sort_by_kernel(const struct bl_trace *trace, struct bl_suggestions *suggestions)
{
    for (size_t i = 1; i < suggestions->count; i++) {
        const struct bl_suggestion moved = suggestions->all[i];
        const double lost = lost_by(trace, moved.row);
        size_t j = i;
        for (; j > 0 && lost_by(trace, suggestions->all[j - 1].row) < lost; j--)
            suggestions->all[j] = suggestions->all[j - 1];
        suggestions->all[j] = moved;
    }
}

enum bl_status bl_trace_suggest(const struct bl_trace *trace, struct bl_suggestions *suggestions,
                                struct bl_error *error)
{
    *suggestions = (struct bl_suggestions){0};
    enum bl_status status = BL_OK;
    for (unsigned k = 0; k < trace->kernel_count && status == BL_OK; k++)
        status = suggest_for_kernel(trace, k, suggestions, error);
    sort_by_kernel(trace, suggestions);
    return status;
}

void bl_suggestions_free(struct bl_suggestions *suggestions)
{
    free(suggestions->all);
    *suggestions = (struct bl_suggestions){0};
}

void bl_trace_suggest_on_device(const struct bl_trace *trace, struct bl_suggestions *suggestions)
{
    for (size_t i = 0; i < suggestions->count; i++) {
        struct bl_suggestion *suggestion = &suggestions->all[i];
        const struct bl_bound *bound = &trace->kernels[suggestion->row->kernel].bound;
        if (bound->likely_stage_ns <= 0 || suggestion->gain <= 1)
            continue;
        double now = bound->likely_stage_ns, then = now / suggestion->stage_gain;
        const char *limit = "its compute units";
        for (unsigned level = 0; level < BL_LEVELS; level++) {
            const double ns = bound->likely_level_ns[level];
            now = ns > now ? ns : now;
            if (ns > then) {
                then = ns;
                limit = trace->machine->levels[level].name;
            }
        }
        suggestion->device_gain = now / then;
        const size_t used = strlen(suggestion->sentence);
        snprintf(suggestion->sentence + used, sizeof suggestion->sentence - used,
                 " On %.100s the kernel becomes about %.3g times as fast; %s would then limit it.",
                 trace->timed_on.name, suggestion->device_gain, limit);
    }
}
