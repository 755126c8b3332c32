#include "trace/mends.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

struct bl_mended_clocks bl_mended_clocks_of(const struct bl_mended *mended,
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
