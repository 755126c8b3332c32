/* Writes the sentences about a trace's worst lines. Fixes are tried on recorded addresses, so a
 * suggestion has a predicted gain and is never a guess. */
#include "trace/suggest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line has to lose so much of its kernel's clocks to be worth a word. */
static const double MIN_LOSS = 0.01;

struct line {
    const struct bl_trace *trace;
    const struct bl_trace_row *row;
    struct bl_trace_row *sums; /* of each of the trace's rows */
    uint32_t *row_of;          /* of each instruction's last access, from 1 */
};

/* The row of a step, by its number; the trace's row_count: none. */
static size_t find_row(const struct line *line, const struct bl_access *access)
{
    const struct bl_trace *trace = line->trace;
    uint32_t *known = &line->row_of[access->instruction];
    const struct bl_trace_row *row = *known ? &trace->rows[*known - 1] : NULL;
    if (row && row->memory == (enum bl_memory)access->memory &&
        row->operation == (enum bl_operation)access->operation)
        return *known - 1;
    size_t r = 0;
    while (r < trace->row_count && (trace->rows[r].kernel != line->row->kernel ||
                                    !bl_trace_is_of_row(trace, &trace->rows[r], access)))
        r++;
    if (r < trace->row_count)
        *known = (uint32_t)r + 1;
    return r;
}

/* Clocks of these accesses of the kernel's kept group: of the line's own, and of all. */
static enum bl_status clocks_of(void *context, const struct bl_access accesses[], size_t count,
                                struct bl_clocks *clocks)
{
    const struct line *line = context;
    const struct bl_trace *trace = line->trace;
    double stages[BL_STAGES] = {0};
    *clocks = (struct bl_clocks){0};
    for (size_t r = 0; r < trace->row_count; r++)
        line->sums[r] = (struct bl_trace_row){.memory = trace->rows[r].memory,
                                              .operation = trace->rows[r].operation,
                                              .has_rule = trace->rows[r].has_rule};
    struct bl_step step;
    for (size_t at = 0; bl_next_step(accesses, count, &at, &step);) {
        const size_t r = find_row(line, step.accesses);
        if (r < trace->row_count && trace->rows[r].has_rule)
            bl_trace_add_step(trace, &line->sums[r], &step);
    }
    for (size_t r = 0; r < trace->row_count; r++) {
        const struct bl_trace_row *row = &trace->rows[r];
        if (row->kernel != line->row->kernel || !row->has_rule)
            continue;
        const struct bl_cost_sums *own = &line->sums[r].own;
        const double of_row =
            bl_cost_clocks(trace->machine, row->operation == BL_OPERATION_WRITE, own);
        bl_trace_add_stages(row, own, stages);
        clocks->all += of_row;
        clocks->own += row == line->row ? of_row : 0;
    }
    for (unsigned s = 0; s < BL_STAGES; s++)
        clocks->stage = stages[s] > clocks->stage ? stages[s] : clocks->stage;
    return BL_OK;
}

/* The search goes over its accesses some twenty times for each line. It takes a tenth of the time
 * that Oclgrind took if they are so much fewer than those that were traced. */
enum { FEWER_THAN_TRACED = 32, MIN_SEARCHED = 1 << 14 };

static size_t max_searched(const struct bl_trace *trace)
{
    uint64_t traced = 0;
    for (size_t r = 0; r < trace->row_count; r++)
        traced += trace->rows[r].accesses;
    traced /= FEWER_THAN_TRACED;
    return traced > MIN_SEARCHED ? (size_t)traced : MIN_SEARCHED;
}

static enum bl_status find_fixes(const struct bl_trace *trace, const struct bl_trace_row *row,
                                 struct bl_fixes *fixes, struct bl_error *error)
{
    const struct bl_trace_kernel *kernel = &trace->kernels[row->kernel];
    struct line line = {trace, row, calloc(trace->row_count + 1, sizeof *line.sums),
                        calloc(trace->instruction_count + 1, sizeof *line.row_of)};
    bool *is_own = calloc(kernel->kept_count + 1, sizeof *is_own);
    struct bl_access *searched = NULL;
    const size_t count =
        bl_trace_fewer(&searched, kernel->kept, kernel->kept_count, max_searched(trace));
    enum bl_status status = BL_OK;
    if (!is_own || !line.sums || !line.row_of || !searched) {
        status = bl_fail(error, BL_NO_MEMORY, "no memory for suggestions");
        goto out;
    }
    for (size_t i = 0; i < count; i++)
        is_own[i] = bl_trace_is_of_row(trace, row, &searched[i]);
    const struct bl_accesses accesses = {
        .all = searched,
        .count = count,
        .is_own = is_own,
        .local = {kernel->last.local[0], kernel->last.local[1], kernel->last.local[2]},
    };
    clocks_of(&line, searched, count, &fixes->now);
    const enum bl_transforms transforms =
        row->memory == BL_MEMORY_LOCAL ? BL_TRANSFORMS_OF_LOCAL_LINE : BL_TRANSFORMS_OF_LINE;
    status = bl_find_fixes(&accesses, transforms, clocks_of, &line, fixes, error);
out:
    free(searched);
    free(is_own);
    free(line.sums);
    free(line.row_of);
    return status;
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

static enum bl_status suggest(const struct bl_trace *trace, const struct bl_trace_row *row,
                              struct bl_suggestion *suggestion, struct bl_error *error)
{
    struct bl_fixes fixes = {0};
    const enum bl_status status = find_fixes(trace, row, &fixes, error);
    if (status != BL_OK)
        return status;
    char wrong[160], end[256] = "nothing that is tried here would mend it";
    *suggestion = (struct bl_suggestion){
        .row = row, .gain = 1, .kernel_gain = 1, .stage_gain = 1, .device_gain = NAN};
    say_what_is_wrong(row, wrong);
    if (fixes.count) {
        const struct bl_fix *best = &fixes.all[fixes.count - 1];
        suggestion->gain = best->gain;
        suggestion->kernel_gain = fixes.now.all / best->clocks.all;
        suggestion->stage_gain = fixes.now.stage / best->clocks.stage;
        snprintf(end, sizeof end,
                 "%s: by the model this line becomes %.3g times as fast, and the kernel's accesses "
                 "%.3g times",
                 best->words, suggestion->gain, suggestion->kernel_gain);
    }
    snprintf(suggestion->sentence, sizeof suggestion->sentence,
             "%.200s:%u, %s of %s memory in %.60s: %s; %s.",
             basename(row->name ? row->name : row->file), row->line,
             row->operation == BL_OPERATION_READ    ? "reads"
             : row->operation == BL_OPERATION_WRITE ? "writes"
                                                    : "atomics",
             bl_memory_name(row->memory), bl_trace_label_of(&trace->kernels[row->kernel]), wrong,
             end);
    return BL_OK;
}

enum bl_status bl_trace_suggest(const struct bl_trace *trace, struct bl_suggestions *suggestions,
                                struct bl_error *error)
{
    *suggestions = (struct bl_suggestions){0};
    size_t count;
    struct bl_trace_row **worst = bl_trace_worst(trace, &count);
    if (!worst)
        return bl_fail(error, BL_NO_MEMORY, "no memory for suggestions");
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < count && suggestions->count < BL_SUGGESTIONS && status == BL_OK; i++) {
        if (bl_trace_lost(worst[i]) <= MIN_LOSS * trace->kernels[worst[i]->kernel].clocks)
            continue;
        status = suggest(trace, worst[i], &suggestions->all[suggestions->count], error);
        suggestions->count += status == BL_OK;
    }
    free(worst);
    return status;
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
