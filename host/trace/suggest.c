#include "trace/suggest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "trace/documents.h"
#include "trace/mends.h"

/* A mend has to gain so much to be worth a word, and so much more than an easier one; a line has to
 * lose so much of its kernel's clocks. */
static const double MIN_GAIN = 1.05, MIN_LOSS = 0.01;

/* "32 bank passes where 1 would do" */
static void say_what_is_wrong(const struct bl_trace_row *row, char text[160])
{
    const struct bl_trace_means means = bl_trace_means_of(row);
    const double ideal_banks = bl_trace_mean(row, row->ideal.bank_passes),
                 ideal_tags = bl_trace_mean(row, row->ideal.tag_passes), banks = means.bank_passes,
                 tags = means.tag_passes;
    const bool is_banks = isfinite(banks) && (!isfinite(tags) || banks >= tags);
    if (is_banks && banks > ideal_banks && isfinite(means.lines))
        snprintf(
            text, 160,
            "a request of %.3g lanes takes %.3g bank passes where %.3g would do, in %.3g lines",
            means.lanes, banks, ideal_banks, means.lines);
    else if (is_banks && banks > ideal_banks)
        snprintf(text, 160, "a request of %.3g lanes takes %.3g bank passes where %.3g would do",
                 means.lanes, banks, ideal_banks);
    else if (isfinite(tags) && tags > ideal_tags)
        snprintf(text, 160, "a request of %.3g lanes touches %.3g lines where %.3g would do",
                 means.lanes, means.lines, bl_trace_mean(row, row->ideal.lines));
    else
        snprintf(text, 160, "a request of %.3g lanes takes %.3g clocks where %.3g would do",
                 means.lanes, means.clocks, means.ideal_clocks);
}

struct best {
    char words[160];
    double gain, kernel_gain, stage_gain;
};

static double busiest(const struct bl_mended_clocks *clocks)
{
    double most = 0;
    for (unsigned s = 0; s < BL_STAGES; s++)
        most = clocks->stages[s] > most ? clocks->stages[s] : most;
    return most;
}

static void try_mends(const struct bl_mended *mended, struct best *best)
{
    const struct bl_mended_clocks now =
        bl_mended_clocks_of(mended, mended->accesses, mended->count);
    for (size_t m = 0; m < bl_trace_mend_count; m++)
        for (unsigned variant = 0; variant < bl_trace_mends[m].variants; variant++) {
            char words[160];
            const size_t count = bl_trace_mends[m].apply(mended, variant, words);
            if (count == 0)
                continue;
            const struct bl_mended_clocks then =
                bl_mended_clocks_of(mended, mended->scratch, count);
            /* What helps the line and not the kernel is no help. */
            if (now.all / then.all < best->kernel_gain * 1.005 ||
                now.own / then.own < best->gain * MIN_GAIN)
                continue;
            best->gain = now.own / then.own;
            best->kernel_gain = now.all / then.all;
            best->stage_gain = busiest(&now) / busiest(&then);
            memcpy(best->words, words, sizeof best->words);
        }
}

static enum bl_status suggest(const struct bl_trace *trace, const struct bl_trace_row *row,
                              struct bl_suggestion *suggestion, struct bl_error *error)
{
    const struct bl_trace_kernel *kernel = &trace->kernels[row->kernel];
    struct bl_mended mended = {
        .trace = trace, .row = row, .count = kernel->kept_count, .accesses = kernel->kept};
    struct best best = {.gain = 1, .kernel_gain = 1, .stage_gain = 1};
    mended.is_own = calloc(mended.count + 1, sizeof *mended.is_own);
    mended.scratch = calloc(mended.count + 1, sizeof *mended.scratch);
    if (!mended.is_own || !mended.scratch) {
        free(mended.is_own);
        free(mended.scratch);
        return bl_fail(error, BL_NO_MEMORY, "no memory for suggestions");
    }
    for (size_t i = 0; i < mended.count; i++)
        mended.is_own[i] = bl_is_of_row(trace, row, &mended.accesses[i]);
    try_mends(&mended, &best);
    free(mended.is_own);
    free(mended.scratch);
    char wrong[160], end[256] = "nothing that is tried here would mend it";
    say_what_is_wrong(row, wrong);
    if (best.gain > 1)
        snprintf(end, sizeof end,
                 "%s: by the model this line becomes %.3g times as fast, and the kernel's accesses "
                 "%.3g times",
                 best.words, best.gain, best.kernel_gain);
    *suggestion = (struct bl_suggestion){.row = row,
                                         .gain = best.gain,
                                         .kernel_gain = best.kernel_gain,
                                         .stage_gain = best.stage_gain,
                                         .device_gain = NAN};
    snprintf(suggestion->sentence, sizeof suggestion->sentence,
             "%.200s:%u, %s of %s memory in %.60s: %s; %s.",
             basename(row->name ? row->name : row->file), row->line,
             row->operation == BL_OPERATION_READ    ? "reads"
             : row->operation == BL_OPERATION_WRITE ? "writes"
                                                    : "atomics",
             bl_memory_name(row->memory), kernel->name, wrong, end);
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
