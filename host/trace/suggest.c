#include "trace/suggest.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "trace/documents.h"

enum { MAX_VECTOR_BYTES = 16 };
static const uint64_t offset_mask = ((uint64_t)1 << BL_WIRE_OFFSET_BITS) - 1;

bool bl_is_of_row(const struct bl_trace *trace, const struct bl_trace_row *row,
                  const struct bl_access *access)
{
    const struct bl_trace_instruction *instruction = &trace->instructions[access->instruction];
    return row->memory == (enum bl_memory)access->memory &&
           row->operation == (enum bl_operation)access->operation &&
           row->traced_line == instruction->is.line && strcmp(row->file, instruction->file) == 0;
}

static struct bl_mended_clocks mended_clocks_of(const struct bl_mended *mended,
                                                const struct bl_access accesses[], size_t count)
{
    const struct bl_trace *trace = mended->trace;
    struct bl_mended_clocks clocks = {0};
    for (size_t r = 0; r < trace->row_count; r++) {
        const struct bl_trace_row *row = &trace->rows[r];
        if (row->kernel != mended->row->kernel || !row->has_rule)
            continue;
        struct bl_trace_row sums = {
            .memory = row->memory, .operation = row->operation, .has_rule = true};
        struct bl_trace_step step;
        for (size_t at = 0; bl_trace_next_step(accesses, count, &at, &step);)
            if (bl_is_of_row(trace, row, step.accesses))
                bl_trace_add_step(trace, &sums, &step);
        const double of_row =
            bl_cost_clocks(trace->machine, row->operation == BL_OPERATION_WRITE, &sums.own);
        bl_trace_add_stages(row, &sums.own, clocks.stages);
        clocks.all += of_row;
        clocks.own += row == mended->row ? of_row : 0;
    }
    return clocks;
}

/* The first step of the row in which neighbouring work-items are apart, and by how many bytes. */
static uint64_t distance_of_neighbours(const struct bl_mended *mended, size_t *at)
{
    for (size_t i = 0; i + 1 < mended->count; i++) {
        const struct bl_access *a = &mended->accesses[i], *b = a + 1;
        if (!mended->is_own[i] || !mended->is_own[i + 1] || a->instruction != b->instruction ||
            a->occurrence != b->occurrence || b->item != a->item + 1 || a->address == b->address)
            continue;
        *at = i;
        return a->address < b->address ? b->address - a->address : a->address - b->address;
    }
    return 0;
}

/* Rows of an array are as long as neighbours are apart, and become longer by some elements: for
 * everybody who uses the array. */
static size_t pad(const struct bl_mended *mended, unsigned variant, char words[160])
{
    size_t at;
    const uint64_t row_bytes = distance_of_neighbours(mended, &at);
    if (row_bytes == 0)
        return 0;
    const struct bl_access *example = &mended->accesses[at];
    const uint64_t by = (uint64_t)example->bytes << variant;
    if (row_bytes % example->bytes || row_bytes < 2 * example->bytes || by >= row_bytes)
        return 0;
    for (size_t i = 0; i < mended->count; i++) {
        const struct bl_access *access = &mended->accesses[i];
        mended->scratch[i] = *access;
        if (access->memory == example->memory &&
            access->address >> BL_WIRE_OFFSET_BITS == example->address >> BL_WIRE_OFFSET_BITS)
            mended->scratch[i].address += (access->address & offset_mask) / row_bytes * by;
    }
    snprintf(words, 160, "pad each row of %" PRIu64 " element%s by %" PRIu64,
             row_bytes / example->bytes, row_bytes == example->bytes ? "" : "s",
             by / example->bytes);
    return mended->count;
}

/* Work-items of the row's steps take what others along y took along x. */
static size_t transpose(const struct bl_mended *mended, unsigned variant, char words[160])
{
    (void)variant;
    const struct bl_wire_kernel *launch = &mended->trace->kernels[mended->row->kernel].last;
    const size_t width = launch->local[0], height = launch->local[1],
                 items = width * height * launch->local[2];
    if (width < 2 || height < 2 || launch->local[2] > 1)
        return 0;
    memcpy(mended->scratch, mended->accesses, mended->count * sizeof *mended->accesses);
    struct bl_trace_step step;
    for (size_t at = 0; bl_trace_next_step(mended->accesses, mended->count, &at, &step);) {
        const size_t first = (size_t)(step.accesses - mended->accesses);
        if (!mended->is_own[first])
            continue;
        if (step.count != items)
            return 0;
        for (size_t own = 0; own < items; own++)
            mended->scratch[first + own].address =
                step.accesses[own / height + own % height * width].address;
    }
    snprintf(words, 160,
             mended->row->memory == BL_MEMORY_LOCAL
                 ? "exchange x and y in the index"
                 : "exchange x and y in the index, or where another line would lose by that, go "
                   "through a tile in local memory, whose own cost is not counted here");
    return mended->count;
}

static int by_address(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Whether another row uses what this one does: an element of the row's buffer, in the same place.
 */
static bool others_use_it(const struct bl_mended *mended, uint64_t buffer)
{
    for (size_t i = 0; i < mended->count; i++) {
        const uint64_t address = mended->accesses[i].address;
        if (mended->is_own[i] || (address & ~offset_mask) != buffer)
            continue;
        for (size_t own = 0; own < mended->count; own++)
            if (mended->is_own[own] && mended->accesses[own].address == address)
                return true;
    }
    return false;
}

/* The elements that the row uses lie side by side, in the order of their first use. */
static size_t gather(const struct bl_mended *mended, unsigned variant, char words[160])
{
    (void)variant;
    uint64_t(*used)[2] = calloc(mended->count + 1, sizeof *used);
    size_t count = 0, distinct = 0;
    for (size_t i = 0; used && i < mended->count; i++)
        if (mended->is_own[i]) {
            used[count][0] = mended->accesses[i].address;
            used[count++][1] = i;
        }
    if (!used || count == 0) {
        free(used);
        return 0;
    }
    if (others_use_it(mended, used[0][0] & ~offset_mask)) { /* they would have to move too */
        free(used);
        return 0;
    }
    memcpy(mended->scratch, mended->accesses, mended->count * sizeof *mended->accesses);
    qsort(used, count, sizeof *used, by_address);
    /* Where sorted neighbours are at one distance, as the members of records are, they close up;
     * scattered ones would need a permutation that no program has for nothing. */
    const uint64_t bytes = mended->accesses[used[0][1]].bytes;
    uint64_t distance = 0;
    bool is_even = true;
    for (size_t i = 1; i < count && is_even; i++) {
        const uint64_t apart = used[i][0] - used[i - 1][0];
        if (apart == 0)
            continue;
        distance = distance ? distance : apart;
        is_even = apart % distance == 0 && distance > bytes;
    }
    for (size_t i = 0; i < count && is_even; i++) {
        distinct += i > 0 && used[i][0] != used[i - 1][0];
        const uint64_t number = distance ? (used[i][0] - used[0][0]) / distance : 0;
        mended->scratch[used[i][1]].address = (used[0][0] & ~offset_mask) + number * bytes;
    }
    free(used);
    snprintf(words, 160,
             "store what this line uses side by side: one array for each member of the records");
    return is_even && distinct > 0 ? mended->count : 0;
}

static int by_item_and_address(const void *left, const void *right)
{
    const struct bl_access *a = left, *b = right;
    if (a->item != b->item)
        return a->item < b->item ? -1 : 1;
    return (a->address > b->address) - (a->address < b->address);
}

/* Each work-item takes so many neighbouring elements at once. */
static size_t widen(const struct bl_mended *mended, unsigned variant, char words[160])
{
    const unsigned components = 2u << variant;
    size_t own = 0, others = 0;
    for (size_t i = 0; i < mended->count; i++)
        if (mended->is_own[i])
            mended->scratch[own++] = mended->accesses[i];
    if (own == 0 || own % components || mended->row->operation == BL_OPERATION_ATOMIC)
        return 0;
    qsort(mended->scratch, own, sizeof *mended->scratch, by_item_and_address);
    const unsigned bytes = mended->scratch[0].bytes, wide = bytes * components;
    if (wide > MAX_VECTOR_BYTES)
        return 0;
    size_t made = 0;
    for (size_t i = 0; i < own; i += components) {
        struct bl_access access = mended->scratch[i];
        for (unsigned c = 0; c < components; c++) {
            const struct bl_access *part = &mended->scratch[i + c];
            if (part->item != access.item || part->bytes != bytes ||
                part->address != access.address + c * bytes)
                return 0;
        }
        const bool goes_on = made > 0 && mended->scratch[made - 1].item == access.item;
        access.occurrence = goes_on ? mended->scratch[made - 1].occurrence + 1 : 0;
        access.bytes = wide;
        access.instruction = mended->scratch[0].instruction;
        mended->scratch[made++] = access;
    }
    for (size_t i = 0; i < mended->count; i++)
        if (!mended->is_own[i])
            mended->scratch[made + others++] = mended->accesses[i];
    bl_trace_sort(mended->scratch, made + others);
    snprintf(words, 160, "let each work-item access %u neighbouring elements at once, as a vector",
             components);
    return made + others;
}

const struct bl_trace_mend bl_trace_mends[] = {
    {pad, 6},
    {widen, 3},
    {gather, 1},
    {transpose, 1},
};

const size_t bl_trace_mend_count = sizeof bl_trace_mends / sizeof bl_trace_mends[0];

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
    const struct bl_mended_clocks now = mended_clocks_of(mended, mended->accesses, mended->count);
    for (size_t m = 0; m < bl_trace_mend_count; m++)
        for (unsigned variant = 0; variant < bl_trace_mends[m].variants; variant++) {
            char words[160];
            const size_t count = bl_trace_mends[m].apply(mended, variant, words);
            if (count == 0)
                continue;
            const struct bl_mended_clocks then = mended_clocks_of(mended, mended->scratch, count);
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
