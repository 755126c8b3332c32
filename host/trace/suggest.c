/* Writes advice about the arrays that lose the most clocks. The gain of a fix is predicted by the
 * model from the recorded addresses as the fix changes them. */
#include "trace/suggest.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "trace/array_search.h"
#include "trace/kernel_table.h"

/* Describes the problem, for example "a request of 32 lanes takes 32 bank passes where 1 would do".
 */
static void say_what_is_wrong(const struct bl_array_search *search, const struct bl_trace_row *row,
                              char text[160])
{
    char lanes[32];
    snprintf(lanes, sizeof lanes, "%.3g lane%s", (double)row->lanes / (double)row->requests,
             row->lanes == row->requests ? "" : "s");
    if (!row->has_rule) {
        const struct bl_row_cost *cost = bl_array_search_cost(search, row);
        snprintf(text, 160,
                 "a request of %s takes %.3g to %.3g bank passes, depending on the banks", lanes,
                 cost->least_passes, cost->most_passes);
        return;
    }
    const double lines = bl_trace_mean(row, row->own.lines),
                 banks = bl_trace_mean(row, row->own.bank_passes),
                 tags = bl_trace_mean(row, row->own.tag_passes),
                 ideal_banks = bl_trace_mean(row, row->ideal.bank_passes),
                 ideal_tags = bl_trace_mean(row, row->ideal.tag_passes),
                 requests = (double)row->requests;
    const bool is_banks = isfinite(banks) && (!isfinite(tags) || banks >= tags);
    if (is_banks && banks > ideal_banks && isfinite(lines))
        snprintf(text, 160,
                 "a request of %s takes %.3g bank passes where %.3g would do, in %.3g lines", lanes,
                 banks, ideal_banks, lines);
    else if (is_banks && banks > ideal_banks)
        snprintf(text, 160, "a request of %s takes %.3g bank passes where %.3g would do", lanes,
                 banks, ideal_banks);
    else if (isfinite(tags) && tags > ideal_tags)
        snprintf(text, 160, "a request of %s touches %.3g lines where %.3g would do", lanes, lines,
                 bl_trace_mean(row, row->ideal.lines));
    else if (row->clocks > row->ideal_clocks)
        snprintf(text, 160, "a request of %s takes %.3g clocks where %.3g would do", lanes,
                 row->clocks / requests, row->ideal_clocks / requests);
    else
        snprintf(text, 160, "its requests of %s take %.1f %% of the kernel's clocks", lanes,
                 100 * row->share);
}

/* Fixes that make all accesses of the kernel less than MIN_KERNEL_GAIN times as fast are dropped.
 */
static const double MIN_KERNEL_GAIN = 1.03;

static int by_item_and_address(const void *left, const void *right)
{
    const struct bl_access *a = left, *b = right;
    return a->item != b->item ? (a->item > b->item) - (a->item < b->item)
                              : (a->address > b->address) - (a->address < b->address);
}

/* How often a work-item accesses an element of the array in this row, on average over the
 * work-items that access the row at all. 0 if unknown, because too few accesses are left or memory
 * runs out. */
static double times_of(const struct bl_array_search *search, const struct bl_trace_row *row)
{
    const struct bl_trace_kernel *kernel = &search->trace->kernels[search->kernel];
    struct bl_access *all = calloc(search->count + 1, sizeof *all);
    size_t count = 0, items = 0, elements = 0;
    for (size_t i = 0; all && i < search->count; i++)
        if (search->is_own[i] && search->is_line[i])
            all[count++] = search->accesses[i];
    if (count)
        qsort(all, count, sizeof *all, by_item_and_address);
    for (size_t i = 0; i < count; i++) {
        const bool is_new = i == 0 || all[i].item != all[i - 1].item;
        items += is_new;
        elements += is_new || all[i].address != all[i - 1].address;
    }
    free(all);
    if (bl_array_search_has_all(search))
        return elements ? (double)count / (double)elements : 0;
    const bool is_known =
        items > 0 && elements == items && !kernel->sizes_differ && kernel->left_out == 0;
    return is_known ? row->all[BL_SUM_ACCESSES] / ((double)kernel->groups * (double)items) : 0;
}

/* Writes, for example, "each work-item writes the same elements again and again, 64 times each". If
 * a work-item accesses an element only once in this row, writes that other lines access it too. */
static void say_how_often(const struct bl_array_search *search, const struct bl_trace_row *row,
                          char text[160])
{
    const char *verb = row->operation == BL_OPERATION_READ ? "reads" : "writes";
    const double times = times_of(search, row);
    char each[40] = "";
    if (times > 0)
        snprintf(each, sizeof each, ", %.0f times each", times);
    if (times > 0 && times < 2)
        snprintf(text, 160, "each work-item %s elements that it accesses in other lines too", verb);
    else
        snprintf(text, 160, "each work-item %s the same elements again and again%s", verb, each);
}

/* Whether `name` is among the names of arrays in a list such as "a or b". */
static bool is_listed(const char *list, const char *name, size_t length)
{
    for (const char *at = list; at; at = strstr(at, BL_WIRE_OR)) {
        at += at == list ? 0 : strlen(BL_WIRE_OR);
        const char *end = strstr(at, BL_WIRE_OR);
        if ((end ? (size_t)(end - at) : strlen(at)) == length && strncmp(at, name, length) == 0)
            return true;
    }
    return false;
}

/* Whether two rows may access the same array. */
static bool share_array(const struct bl_trace_row *a, const struct bl_trace_row *b)
{
    if (a->memory != b->memory)
        return false;
    for (const char *at = a->array;;) {
        const char *end = strstr(at, BL_WIRE_OR);
        if (is_listed(b->array, at, end ? (size_t)(end - at) : strlen(at)))
            return true;
        if (!end)
            return false;
        at = end + strlen(BL_WIRE_OR);
    }
}

/* Lists the other lines that access the array, such as ", also in lines 12 and 15", because these
 * lines must use the new layout too. */
static void say_other_lines(const struct bl_array_search *search, char text[96])
{
    const struct bl_trace *trace = search->trace;
    const struct bl_trace_row *worst = search->array->worst;
    unsigned lines[4] = {worst->line}, count = 1;
    bool are_more = false;
    for (size_t r = search->first_row; r < search->first_row + search->rows; r++) {
        const struct bl_trace_row *row = &trace->rows[r];
        bool is_known =
            !share_array(row, worst) || row->line == 0 || strcmp(row->file, worst->file) != 0;
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

/* Lists the other kernels that access the array in global memory, such as ", and in kernels a and
 * b", because these must use the new layout too. has_lines: other lines are listed before. */
static void say_other_kernels(const struct bl_array_search *search, bool has_lines, char text[192])
{
    enum { MAX_NAMED = 3 };
    const size_t count = search->other_count;
    *text = '\0';
    for (size_t i = 0; i < count && i < MAX_NAMED; i++) {
        const size_t used = strlen(text);
        snprintf(text + used, 192 - used, "%s%.40s",
                 i > 0       ? i + 1 == count ? " and " : ", "
                 : count > 1 ? has_lines ? ", and in kernels " : ", also in kernels "
                 : has_lines ? ", and in kernel "
                             : ", also in kernel ",
                 bl_trace_label_of(&search->trace->kernels[search->others[i].kernel]));
    }
    if (count > MAX_NAMED)
        snprintf(text + strlen(text), 192 - strlen(text), " and %zu more", count - MAX_NAMED);
}

/* Appends the gain to the text, such as ": by the model, these accesses become 16 times as fast,
 * and all accesses of the kernel 2.5 times as fast". */
static void say_gain(const struct bl_array_search *search, const struct bl_clocks *then,
                     const struct bl_suggestion *suggestion, char text[768])
{
    const bool is_range =
        search->assumption_count > 1 && then->most_gain > then->least_gain * 1.005;
    const double own = search->own_clocks / search->assumption_count;
    char gain[64];
    if (is_range)
        snprintf(gain, sizeof gain, "%.3g to %.3g", then->least_gain, then->most_gain);
    else
        snprintf(gain, sizeof gain, "%.3g", suggestion->gain);
    const size_t used = strlen(text);
    snprintf(text + used, 768 - used,
             ": by the model, these accesses become %s times as fast%s and all accesses of the "
             "kernel %.3g times as fast%s",
             gain, is_range ? ", depending on the banks," : ",", suggestion->kernel_gain,
             is_range ? " on average" : "");
    if (then->others > 0 && suggestion->layout.kind != BL_ARRAY_UNCHANGED)
        snprintf(text + strlen(text), 768 - strlen(text),
                 "; all accesses to the array, in %zu kernels, become %.3g times as fast",
                 search->other_count + 1,
                 (own + then->others) / (own + then->others - suggestion->saved));
}

/* What to write before an index. If there are several arrays, the index alone is written. */
static const char *name_before_index(const char *arrays)
{
    return !*arrays ? "a" : strstr(arrays, BL_WIRE_OR) ? "" : arrays;
}

/* What to add to the statement that no fix helps. */
static const char *why_none_helps(const struct bl_array_search *search,
                                  const struct bl_fixes *fixes)
{
    return search->array->memory == BL_MEMORY_DECLARED
               ? ": the device reads one address of a constant array that the program "
                 "declares after another. In a buffer or in local memory, lanes would read "
                 "different elements at once (not tried)"
           : fixes->is_scattered ? ": its addresses are scattered and form no rows"
           : fixes->is_gathered
               ? ": its indices are read from memory, so the length of its rows is unknown"
           : search->depends_on_banks ? " with every possible bank configuration of this GPU"
                                      : "";
}

/* Writes the advice and its gain, or the reason why no fix helps. */
static void say_fix(const struct bl_array_search *search, const struct bl_fixes *fixes,
                    struct bl_suggestion *suggestion, char text[768])
{
    if (fixes->count == 0) {
        if (search->vetoed_by)
            snprintf(text, 768,
                     "no fix that was tried helps: another layout of the array makes %.100s slower",
                     bl_trace_label_of(search->vetoed_by));
        else
            snprintf(text, 768, "no fix that was tried helps%s", why_none_helps(search, fixes));
        return;
    }
    const struct bl_fix *best = &fixes->all[fixes->count - 1];
    const struct bl_clocks *now = &fixes->now, *then = &best->clocks;
    suggestion->gain = then->line > 0 ? now->line / then->line : best->gain;
    if (suggestion->gain < best->gain && (best->keeps_in_register || suggestion->gain < 1.005))
        suggestion->gain = best->gain; /* the gain of all lines that access the array */
    suggestion->array_gain = best->gain;
    suggestion->kernel_gain = now->all / then->all;
    suggestion->stage_gain = now->stage / then->stage;
    snprintf(suggestion->fix, sizeof suggestion->fix, "%s", best->words);
    char index[500] = "", others[96] = "", kernels[192] = "", size[64] = "";
    suggestion->saved = (now->own - then->own) / search->assumption_count + then->others_saved;
    suggestion->swaps_ids = best->swaps_ids;
    suggestion->layout = best->layout;
    suggestion->buffer = search->array->buffer;
    if (best->layout.kind != BL_ARRAY_UNCHANGED) {
        bl_array_layout_expression(&best->layout, "i", suggestion->expression,
                                   sizeof suggestion->expression);
        struct bl_array_layout as_it_is = best->layout;
        char before[64];
        const char *array = name_before_index(search->array->worst->array);
        as_it_is.kind = BL_ARRAY_UNCHANGED;
        as_it_is.pad = 0;
        bl_array_layout_index(&as_it_is, before, sizeof before);
        bl_array_layout_index(&best->layout, suggestion->index, sizeof suggestion->index);
        say_other_lines(search, others);
        say_other_kernels(search, *others != '\0', kernels);
        if (best->layout.is_local && best->layout.kind != BL_ARRAY_PADDED &&
            bl_array_layout_elements(&best->layout) > best->layout.elements)
            snprintf(size, sizeof size, "; the array then has %" PRIu64 " elements",
                     bl_array_layout_elements(&best->layout));
        if (*suggestion->index)
            snprintf(index, sizeof index, ", %.40s[%s] for %.40s[%s]%s%s%s", array,
                     suggestion->index, array, before, others, kernels, size);
        else
            snprintf(index, sizeof index, "%s%s", others, kernels);
    }
    snprintf(text, 768, "%s%s%s", search->are_ids_swapped ? "with the ids swapped, " : "",
             best->words, index);
    say_gain(search, then, suggestion, text);
    if (search->vetoed_by && best->layout.kind == BL_ARRAY_UNCHANGED)
        snprintf(text + strlen(text), 768 - strlen(text),
                 " (another layout of the array would make %.60s slower)",
                 bl_trace_label_of(search->vetoed_by));
}

bool bl_suggestions_agree(const struct bl_trace *trace, const struct bl_suggestion *a,
                          const struct bl_suggestion *b)
{
    const struct bl_trace_row *row = a->row, *other = b->row;
    if (row->line != other->line || row->column != other->column ||
        row->operation != other->operation || strcmp(row->file, other->file) != 0 ||
        strcmp(row->array, other->array) != 0 || row->kernel == other->kernel ||
        trace->kernels[row->kernel].program != trace->kernels[other->kernel].program)
        return false;
    return *a->fix
               ? strcmp(a->fix, b->fix) == 0
               : !*b->fix && strcmp(a->sentence + a->advice_at, b->sentence + b->advice_at) == 0;
}

/* Whether a new layout gains nothing on a compute unit with full occupancy: issuing the
 * instructions of the accesses to the array would take about as many clocks as their bank passes
 * take now. */
static bool is_useless(const struct bl_array_search *search, const struct bl_fixes *fixes)
{
    const double matters = 1.03; /* smaller gains do not count */
    if (fixes->count == 0 || search->array->memory != BL_MEMORY_LOCAL)
        return false;
    const struct bl_fix *best = &fixes->all[fixes->count - 1];
    return best->layout.kind != BL_ARRAY_UNCHANGED &&
           fixes->now.own < matters * bl_fix_issue_clocks(fixes, best);
}

static enum bl_status suggest(struct bl_array_search *search, const struct bl_traced_array *array,
                              struct bl_suggestions *suggestions, struct bl_error *error)
{
    const struct bl_trace *trace = search->trace;
    const struct bl_trace_row *row = array->worst;
    struct bl_fixes fixes = {.count = 0};
    const enum bl_status status = bl_array_search_fixes(search, array, &fixes, error);
    /* If ids were swapped, this may have fixed the array already. */
    if (status != BL_OK || (fixes.count == 0 &&
                            (search->are_ids_swapped || !bl_array_search_is_costly(search, array))))
        return status;
    struct bl_suggestion made = {.row = row,
                                 .gain = 1,
                                 .array_gain = 1,
                                 .kernel_gain = 1,
                                 .stage_gain = 1,
                                 .predicted_ns = NAN,
                                 .device_gain = NAN};
    char wrong[160] = "", text[768];
    const struct bl_trace_kernel *kernel = &trace->kernels[search->kernel];
    if (fixes.count && fixes.all[fixes.count - 1].keeps_in_register)
        say_how_often(search, row, wrong);
    else
        say_what_is_wrong(search, row, wrong);
    if (is_useless(search, &fixes))
        snprintf(text, sizeof text,
                 "to %s would not make the kernel faster: the instructions of these accesses then "
                 "take as long as their bank passes do now",
                 fixes.all[fixes.count - 1].words);
    else
        say_fix(search, &fixes, &made, text);
    if (*made.fix && made.kernel_gain < MIN_KERNEL_GAIN)
        return BL_OK;
    made.advice_at = (size_t)snprintf(
        made.sentence, sizeof made.sentence, "%.200s:%u, %s %s%s%.60s in %.60s: %s; ",
        basename(row->name ? row->name : row->file), row->line, bl_memory_name(row->memory),
        row->operation == BL_OPERATION_READ    ? "reads"
        : row->operation == BL_OPERATION_WRITE ? "writes"
                                               : "atomics",
        *row->array ? " of " : "", row->array, bl_trace_label_of(kernel), wrong);
    snprintf(made.sentence + made.advice_at, sizeof made.sentence - made.advice_at, "%.767s.",
             text);
    if (fixes.count && fixes.all[fixes.count - 1].swaps_ids)
        bl_array_search_swap_ids(search);
    struct bl_suggestion *added = bl_array_append(&suggestions->all, &suggestions->count,
                                                  &suggestions->capacity, sizeof *added);
    if (!added)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while searching for suggestions");
    *added = made;
    return BL_OK;
}

static enum bl_status suggest_for_kernel(const struct bl_trace *trace, unsigned kernel,
                                         struct bl_suggestions *suggestions, struct bl_error *error)
{
    struct bl_array_search search;
    enum bl_status status = bl_array_search_begin(&search, trace, kernel, error);
    const size_t before = suggestions->count;
    const uint64_t *local = trace->kernels[kernel].kept_launch.local;
    if (local[0] * local[1] * local[2] ==
        1) /* groups of one work-item: all other lanes are idle with any layout */
        search.array_count = 0;
    for (size_t i = 0; i < search.array_count && status == BL_OK &&
                       suggestions->count < before + BL_SUGGESTIONS_OF_KERNEL;
         i++)
        status = suggest(&search, &search.arrays[i], suggestions, error);
    bl_array_search_end(&search);
    return status;
}

/* Sorts advice by kernel: the kernel that loses the most clocks first. Within a kernel, the swap of
 * ids comes first, because all further advice assumes it; then the advice with the largest gain. */
static bool is_before(const struct bl_trace *trace, const struct bl_suggestion *a,
                      const struct bl_suggestion *b)
{
    if (a->row->kernel == b->row->kernel)
        return a->swaps_ids || (!b->swaps_ids && a->kernel_gain > b->kernel_gain);
    return bl_trace_totals(trace, a->row->kernel).lost_clocks >
           bl_trace_totals(trace, b->row->kernel).lost_clocks;
}

static void sort_by_kernel(const struct bl_trace *trace, struct bl_suggestions *suggestions)
{
    for (size_t i = 1; i < suggestions->count; i++) {
        const struct bl_suggestion moved = suggestions->all[i];
        size_t j = i;
        for (; j > 0 && is_before(trace, &moved, &suggestions->all[j - 1]); j--)
            suggestions->all[j] = suggestions->all[j - 1];
        suggestions->all[j] = moved;
    }
}

static bool are_alike(const struct bl_array_layout *a, const struct bl_array_layout *b)
{
    return a->kind == b->kind && a->element_bytes == b->element_bytes && a->row == b->row &&
           a->pad == b->pad && a->unit == b->unit && a->rows_each == b->rows_each;
}

/* An array in global memory has one layout in all kernels. Of different layouts that are suggested
 * for it, keeps only the one that saves most clocks in all these kernels. */
static void keep_one_layout(const struct bl_trace *trace, struct bl_suggestions *suggestions)
{
    for (size_t i = 0; i < suggestions->count; i++)
        for (size_t j = 0; j < suggestions->count; j++) {
            struct bl_suggestion *one = &suggestions->all[i];
            const struct bl_suggestion *other = &suggestions->all[j];
            char why[512];
            if (one->row->memory != BL_MEMORY_GLOBAL || other->row->memory != BL_MEMORY_GLOBAL ||
                one->buffer != other->buffer || one->layout.kind == BL_ARRAY_UNCHANGED ||
                other->layout.kind == BL_ARRAY_UNCHANGED ||
                are_alike(&one->layout, &other->layout) ||
                (one->saved > other->saved || (one->saved == other->saved && i < j)))
                continue;
            snprintf(why, sizeof why,
                     "to %s would make all accesses of the kernel %.3g times as fast, but another "
                     "layout of the array, advised for %.60s, saves more clocks in all kernels "
                     "that access it.",
                     one->fix, one->kernel_gain,
                     bl_trace_label_of(&trace->kernels[other->row->kernel]));
            bl_suggestion_withdraw(one, why);
        }
}

enum bl_status bl_trace_suggest(const struct bl_trace *trace, struct bl_suggestions *suggestions,
                                struct bl_error *error)
{
    *suggestions = (struct bl_suggestions){0};
    enum bl_status status = BL_OK;
    for (unsigned k = 0; k < trace->kernel_count && status == BL_OK; k++)
        status = suggest_for_kernel(trace, k, suggestions, error);
    keep_one_layout(trace, suggestions);
    sort_by_kernel(trace, suggestions);
    return status;
}

void bl_suggestion_withdraw(struct bl_suggestion *suggestion, const char *why)
{
    snprintf(suggestion->sentence + suggestion->advice_at,
             sizeof suggestion->sentence - suggestion->advice_at, "%s", why);
    *suggestion->fix = *suggestion->index = *suggestion->expression = '\0';
    suggestion->swaps_ids = false;
    suggestion->layout.kind = BL_ARRAY_UNCHANGED;
    suggestion->gain = suggestion->array_gain = suggestion->kernel_gain = suggestion->stage_gain =
        1;
    suggestion->device_gain = suggestion->predicted_ns = NAN;
    suggestion->saved = 0;
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

enum bl_status bl_trace_bank_ranges(struct bl_trace *trace, struct bl_error *error)
{
    enum bl_status status = BL_OK;
    if (bl_machine_alternatives(trace->machine) == 0)
        return BL_OK;
    for (unsigned k = 0; k < trace->kernel_count && status == BL_OK; k++) {
        struct bl_array_search search;
        status = bl_array_search_begin(&search, trace, k, error);
        for (size_t r = 0; search.costs && r < search.rows && status == BL_OK; r++) {
            trace->rows[search.first_row + r].least_passes = search.costs[r].least_passes;
            trace->rows[search.first_row + r].most_passes = search.costs[r].most_passes;
        }
        bl_array_search_end(&search);
    }
    return status;
}
