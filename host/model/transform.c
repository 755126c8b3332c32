/* The transforms, and the loop that tries them. Each rewrites the recorded addresses as if the
 * program had been changed; the model then computes what the change would gain. */
#include "model/transform.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VECTOR_BYTES = 16, PADS = 6 /* by 1, 2, 4, ... 32 elements */ };

static const uint64_t OFFSET_MASK = ((uint64_t)1 << BL_BUFFER_BITS) - 1;

/* A fix is suggested only if it makes the line or pattern MIN_GAIN times as fast as the best easier
 * fix does, and all accesses together MIN_GAIN_OF_ALL times as fast. */
static const double MIN_GAIN = 1.05, MIN_GAIN_OF_ALL = 1.005;

static int compare(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int by_step_and_item(const void *left, const void *right)
{
    const struct bl_access *a = left, *b = right;
    const int instruction = compare(a->instruction, b->instruction),
              occurrence = compare(a->occurrence, b->occurrence);
    return instruction ? instruction : occurrence ? occurrence : compare(a->item, b->item);
}

void bl_accesses_sort(struct bl_access accesses[], size_t count)
{
    if (count)
        qsort(accesses, count, sizeof *accesses, by_step_and_item);
}

static bool are_one_step(const struct bl_access *a, const struct bl_access *b)
{
    return a->instruction == b->instruction && a->occurrence == b->occurrence;
}

bool bl_next_step(const struct bl_access accesses[], size_t count, size_t *at, struct bl_step *step)
{
    if (*at >= count)
        return false;
    size_t end = *at + 1;
    while (end < count && are_one_step(&accesses[*at], &accesses[end]))
        end++;
    *step = (struct bl_step){accesses + *at, end - *at};
    *at = end;
    return true;
}

/* The input and output of a transform. A transform writes all accesses after the change to `out`,
 * again sorted by step and item, and its description to `words`. It returns the number of accesses,
 * or 0 if it does not apply. */
struct work {
    const struct bl_accesses *in;
    struct bl_access *out; /* as many elements as in->all */
    uint64_t (*pairs)[2];  /* scratch space for sorting, as many elements */
    unsigned variant;      /* number of the variant, from 0 */
    char *words;           /* description; unused if the table below has it */
};

enum { WORDS = sizeof((struct bl_fix *)0)->words };

static bool is_own(const struct bl_accesses *in, size_t i) { return !in->is_own || in->is_own[i]; }

static size_t copy_all(const struct work *work)
{
    memcpy(work->out, work->in->all, work->in->count * sizeof *work->out);
    return work->in->count;
}

static int by_pair(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return a[0] != b[0] ? compare(a[0], b[0]) : compare(a[1], b[1]);
}

/* Fills the pairs with address and index of each access to make cheaper, sorted by address. Returns
 * their number. */
static size_t sort_own(const struct work *work)
{
    size_t count = 0;
    for (size_t i = 0; i < work->in->count; i++)
        if (is_own(work->in, i)) {
            work->pairs[count][0] = work->in->all[i].address;
            work->pairs[count++][1] = i;
        }
    if (count)
        qsort(work->pairs, count, sizeof *work->pairs, by_pair);
    return count;
}

static uint64_t distance(const struct bl_access *a, const struct bl_access *b)
{
    return a->address < b->address ? b->address - a->address : a->address - b->address;
}

/* Shifts all addresses so that the lowest is at the beginning of a line. */
static size_t align(const struct work *work)
{
    const uint64_t bytes = work->in->all->bytes,
                   line_bytes = work->in->line_bytes / bytes * bytes; /* whole elements */
    uint64_t min = UINT64_MAX;
    for (size_t i = 0; i < work->in->count; i++)
        min = work->in->all[i].address < min ? work->in->all[i].address : min;
    const uint64_t offset = line_bytes ? min % line_bytes : 0;
    copy_all(work);
    for (size_t i = 0; i < work->in->count; i++)
        work->out[i].address -= offset;
    snprintf(work->words, WORDS,
             "begin at the start of a cache line, %" PRIu64 " element%s earlier", offset / bytes,
             offset == bytes ? "" : "s");
    return offset > 0 ? work->in->count : 0;
}

/* Swaps x and y: work-item i gets the element of the work-item that is the i-th if y counts
 * fastest. */
static size_t exchange_x_and_y(const struct work *work)
{
    const struct bl_accesses *in = work->in;
    const size_t width = in->local[0], height = in->local[1], items = width * height;
    if (width < 2 || height < 2 || in->local[2] > 1)
        return 0;
    copy_all(work);
    struct bl_step step;
    for (size_t at = 0; bl_next_step(in->all, in->count, &at, &step);) {
        const size_t first = (size_t)(step.accesses - in->all);
        if (!is_own(in, first))
            continue;
        if (step.count != items)
            return 0;
        for (size_t own = 0; own < items; own++)
            work->out[first + own].address =
                step.accesses[own / height + own % height * width].address;
    }
    return in->count;
}

/* Whether the address does not depend on y: all work-items of a column access the same element. */
static bool has_no_y(const struct bl_accesses *in)
{
    const size_t width = in->local[0];
    struct bl_step step;
    for (size_t at = 0; bl_next_step(in->all, in->count, &at, &step);)
        for (size_t i = width; i < step.count; i++)
            if (step.accesses[i].address != step.accesses[i % width].address)
                return false;
    return true;
}

static size_t swap_ids(const struct work *work)
{
    if (has_no_y(work->in))
        return 0;
    strcpy(work->words, work->in->local[0] == work->in->local[1]
                            ? "in the expression, swap the ids of x and y within the group"
                            : "in the expression, number the work-items of a group with y fastest");
    return exchange_x_and_y(work);
}

/* Fills the pairs with the accesses of a step, sorted by their position in a row of row_bytes. */
static void sort_step(const struct work *work, const struct bl_step *step, uint64_t row_bytes)
{
    for (size_t i = 0; i < step->count; i++) {
        work->pairs[i][0] = step->accesses[i].address % row_bytes;
        work->pairs[i][1] = i;
    }
    qsort(work->pairs, step->count, sizeof *work->pairs, by_pair);
}

/* Gives neighbouring work-items of a group neighbouring elements, by sorting the starts. */
static size_t sort_starts(const struct work *work)
{
    struct bl_step step;
    copy_all(work);
    for (size_t at = 0; bl_next_step(work->in->all, work->in->count, &at, &step);) {
        struct bl_access *out = work->out + (step.accesses - work->in->all);
        sort_step(work, &step, UINT64_MAX); /* a single row */
        for (size_t i = 0; i < step.count; i++)
            out[i].address = work->pairs[i][0];
    }
    return work->in->count;
}

/* Makes the rows of an array longer by a few elements. Changes all accesses to the array; `example`
 * is one of them. */
static size_t pad(const struct work *work, const struct bl_access *example, uint64_t row_bytes)
{
    const uint64_t bytes = example->bytes, by = bytes << work->variant;
    if (row_bytes % bytes || row_bytes < 2 * bytes || by >= row_bytes)
        return 0;
    copy_all(work);
    for (size_t i = 0; i < work->in->count; i++) {
        struct bl_access *access = &work->out[i];
        if (access->memory == example->memory &&
            access->address >> BL_BUFFER_BITS == example->address >> BL_BUFFER_BITS)
            access->address += (access->address & OFFSET_MASK) / row_bytes * by;
    }
    snprintf(work->words, WORDS, "pad each row of %" PRIu64 " elements by %" PRIu64,
             row_bytes / bytes, by / bytes);
    return work->in->count;
}

/* The number of distinct columns that the accesses of a step touch if rows have this many bytes. */
static size_t columns_of(const struct work *work, const struct bl_step *step, uint64_t row_bytes)
{
    size_t distinct = 0;
    sort_step(work, step, row_bytes);
    for (size_t i = 0; i < step->count; i++)
        distinct += i == 0 || work->pairs[i][0] != work->pairs[i - 1][0];
    return distinct;
}

/* Pads the rows of a pattern, if its starts form rows. The length of a row is taken to be the
 * distance between the starts of work-item 0 and of the first work-item, from `neighbour` on, with
 * another start. */
static size_t pad_pattern(const struct work *work, size_t neighbour)
{
    struct bl_step step;
    size_t at = 0;
    if (!bl_next_step(work->in->all, work->in->count, &at, &step))
        return 0;
    const struct bl_access *first = step.accesses;
    while (neighbour < step.count && first[neighbour].address == first->address)
        neighbour++;
    if (neighbour >= step.count)
        return 0;
    const uint64_t row_bytes = distance(first, &first[neighbour]);
    if (2 * columns_of(work, &step, row_bytes) > step.count)
        return 0;
    return pad(work, first, row_bytes);
}

static size_t pad_along_x(const struct work *work) { return pad_pattern(work, 1); }

static size_t pad_along_y(const struct work *work) { return pad_pattern(work, work->in->local[0]); }

/* Pads the rows that a source line accesses. The length of a row is taken to be the distance
 * between neighbouring work-items, in the first step in which they differ. */
static size_t pad_line(const struct work *work)
{
    for (size_t i = 0; i + 1 < work->in->count; i++) {
        const struct bl_access *a = &work->in->all[i], *b = a + 1;
        if (is_own(work->in, i) && is_own(work->in, i + 1) && are_one_step(a, b) &&
            b->item == a->item + 1 && a->address != b->address)
            return pad(work, a, distance(a, b));
    }
    return 0;
}

/* Stores the elements in the order in which work-items first use them. */
static size_t gather(const struct work *work)
{
    const uint64_t bytes = work->in->all->bytes;
    const size_t count = sort_own(work);
    uint64_t first = 0, used = 0; /* index of the first access to the element */
    copy_all(work);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || work->pairs[i][0] != work->pairs[i - 1][0])
            first = work->pairs[i][1];
        work->out[work->pairs[i][1]].address = first;
    }
    for (size_t i = 0; i < count; i++) /* reuses the pairs' memory */
        work->pairs[i][0] = work->out[i].address == i ? used++ : 0;
    for (size_t i = 0; i < count; i++)
        work->out[i].address = work->pairs[work->out[i].address][0] * bytes;
    return count;
}

static int by_address(const void *address, const void *pair)
{
    return compare(*(const uint64_t *)address, *(const uint64_t *)pair);
}

/* Whether another line accesses an element of this line in the same buffer. work->pairs holds the
 * `count` accesses of this line, sorted. */
static bool others_use_it(const struct work *work, size_t count, uint64_t buffer)
{
    const struct bl_accesses *in = work->in;
    for (size_t i = 0; i < in->count; i++) {
        const uint64_t address = in->all[i].address;
        if (!is_own(in, i) && (address & ~OFFSET_MASK) == buffer &&
            bsearch(&address, work->pairs, count, sizeof *work->pairs, by_address))
            return true;
    }
    return false;
}

/* Stores the elements that a line uses side by side, if they lie at a constant distance, like one
 * member of an array of structs. Elements at irregular distances are not moved: a program would
 * need a permutation, which has its own cost. */
static size_t split_records(const struct work *work)
{
    uint64_t(*const used)[2] = work->pairs;
    size_t count = sort_own(work), distinct = 0;
    if (count == 0)
        return 0;
    size_t first = 0;
    while (!is_own(work->in, first))
        first++;
    if (others_use_it(work, count, work->in->all[first].address & ~OFFSET_MASK))
        return 0; /* those elements would have to move, too */
    const uint64_t buffer = used[0][0] & ~OFFSET_MASK, bytes = work->in->all[used[0][1]].bytes;
    uint64_t record_bytes = 0;
    bool is_even = true;
    for (size_t i = 1; i < count && is_even; i++) {
        const uint64_t apart = used[i][0] - used[i - 1][0];
        if (apart == 0)
            continue;
        record_bytes = record_bytes ? record_bytes : apart;
        is_even = apart % record_bytes == 0 && record_bytes > bytes;
    }
    copy_all(work);
    for (size_t i = 0; i < count && is_even; i++) {
        distinct += i > 0 && used[i][0] != used[i - 1][0];
        const uint64_t number = record_bytes ? (used[i][0] - used[0][0]) / record_bytes : 0;
        work->out[used[i][1]].address = buffer + number * bytes;
    }
    return is_even && distinct > 0 ? work->in->count : 0;
}

static int by_item_and_address(const void *left, const void *right)
{
    const struct bl_access *a = left, *b = right;
    return a->item != b->item ? compare(a->item, b->item) : compare(a->address, b->address);
}

/* Lets each work-item access several neighbouring elements as one vector. */
static size_t widen(const struct work *work)
{
    const unsigned components = 2u << work->variant;
    size_t own = 0, others = 0, made = 0;
    for (size_t i = 0; i < work->in->count; i++)
        if (is_own(work->in, i))
            work->out[own++] = work->in->all[i];
    if (own == 0 || own % components || work->out->operation == BL_OPERATION_ATOMIC)
        return 0;
    qsort(work->out, own, sizeof *work->out, by_item_and_address);
    const unsigned bytes = work->out->bytes, wide = bytes * components;
    if (wide > MAX_VECTOR_BYTES)
        return 0;
    for (size_t i = 0; i < own; i += components) {
        struct bl_access access = work->out[i];
        for (unsigned c = 0; c < components; c++) {
            const struct bl_access *part = &work->out[i + c];
            if (part->item != access.item || part->bytes != bytes ||
                part->address != access.address + c * bytes)
                return 0;
        }
        const bool goes_on = made > 0 && work->out[made - 1].item == access.item;
        access.occurrence = goes_on ? work->out[made - 1].occurrence + 1 : 0;
        access.bytes = wide;
        access.instruction = work->out->instruction;
        work->out[made++] = access;
    }
    for (size_t i = 0; i < work->in->count; i++)
        if (!is_own(work->in, i))
            work->out[made + others++] = work->in->all[i];
    bl_accesses_sort(work->out, made + others);
    snprintf(work->words, WORDS,
             "let each work-item access %u neighbouring elements at once, as a vector", components);
    return made + others;
}

enum { END, ALIGN, SWAP, SORT, PAD_X, PAD_Y, GATHER, PAD, WIDEN, SPLIT, EXCHANGE, TRANSPOSE };

static const struct transform {
    size_t (*apply)(const struct work *work);
    unsigned variants; /* number of variants, tried in order */
    const char *words; /* description; NULL: the transform writes it */
} all[] = {
    [ALIGN] = {align, 1, NULL},
    [SWAP] = {swap_ids, 1, NULL},
    [SORT] = {sort_starts, 1, "let neighbouring work-items access neighbouring elements"},
    [PAD_X] = {pad_along_x, PADS, NULL},
    [PAD_Y] = {pad_along_y, PADS, NULL},
    [GATHER] = {gather, 1, "store side by side the elements that neighbouring work-items access"},
    [PAD] = {pad_line, PADS, NULL},
    [WIDEN] = {widen, 3, NULL},
    [SPLIT] = {split_records, 1,
               "store what this line uses side by side: one array for each member of the records"},
    [EXCHANGE] = {exchange_x_and_y, 1, "exchange x and y in the index"},
    [TRANSPOSE] = {exchange_x_and_y, 1,
                   "exchange x and y in the index, or, if that slows down another line, go "
                   "through a tile in local memory, whose own cost is not counted here"},
};

/* Each list begins with the easiest transform. Only patterns are sorted and gathered: a traced line
 * shares its data with other lines, which would have to use the new order, too. */
static const uint8_t orders[][8] = {
    [BL_TRANSFORMS_OF_LOCAL_PATTERN] = {PAD_X, PAD_Y, SWAP, SORT, ALIGN, GATHER, END},
    [BL_TRANSFORMS_OF_PATTERN] = {ALIGN, SWAP, SORT, PAD_X, PAD_Y, GATHER, END},
    [BL_TRANSFORMS_OF_LOCAL_LINE] = {PAD, WIDEN, SPLIT, EXCHANGE, END},
    [BL_TRANSFORMS_OF_LINE] = {PAD, WIDEN, SPLIT, TRANSPOSE, END},
};

/* Keeps the fix if it gains clearly more than the best so far. */
static void consider(const char *words, const struct bl_clocks *then, struct bl_fixes *fixes)
{
    const struct bl_clocks *now = &fixes->now,
                           *best = fixes->count ? &fixes->all[fixes->count - 1].clocks : now;
    const double gain = now->own / then->own;
    if (now->all / then->all < now->all / best->all * MIN_GAIN_OF_ALL ||
        gain < now->own / best->own * MIN_GAIN)
        return;
    if (fixes->count == BL_MAX_FIXES)
        fixes->all[0] = fixes->all[1];
    else
        fixes->count++;
    struct bl_fix *fix = &fixes->all[fixes->count - 1];
    strcpy(fix->words, words);
    fix->clocks = *then;
    fix->gain = gain;
}

enum bl_status bl_find_fixes(const struct bl_accesses *accesses, enum bl_transforms transforms,
                             bl_clocks_function *clocks_of, void *context, struct bl_fixes *fixes,
                             struct bl_error *error)
{
    enum bl_status status = BL_OK;
    char words[WORDS];
    struct work work = {
        .in = accesses,
        .out = calloc(accesses->count + 1, sizeof *work.out),
        .pairs = calloc(accesses->count + 1, sizeof *work.pairs),
        .words = words,
    };
    fixes->count = 0;
    if (!work.out || !work.pairs)
        status = bl_fail(error, BL_NO_MEMORY, "no memory for suggestions");
    for (const uint8_t *next = orders[transforms]; *next && accesses->count; next++)
        for (work.variant = 0; work.variant < all[*next].variants && status == BL_OK;
             work.variant++) {
            const size_t count = all[*next].apply(&work);
            struct bl_clocks then;
            if (count == 0)
                continue;
            status = clocks_of(context, work.out, count, &then);
            if (status == BL_OK)
                consider(all[*next].words ? all[*next].words : words, &then, fixes);
        }
    free(work.out);
    free(work.pairs);
    return status;
}
