#include "model/explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/predict.h"

static int by_number(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static bool align(const struct bl_machine *machine, const struct bl_launch *launch,
                  const uint64_t starts[], uint64_t mended[], char words[128])
{
    const size_t items = bl_launch_items(launch);
    const unsigned in_line = machine->line_bytes / launch->type->element_bytes;
    uint64_t min = starts[0];
    for (size_t i = 1; i < items; i++)
        min = starts[i] < min ? starts[i] : min;
    const uint64_t offset = in_line ? min % in_line : 0;
    for (size_t i = 0; i < items; i++)
        mended[i] = starts[i] - offset;
    snprintf(words, 128, "begin at a multiple of a line, %" PRIu64 " element%s earlier", offset,
             offset == 1 ? "" : "s");
    return offset > 0;
}

static bool swap(const struct bl_launch *launch, const uint64_t starts[], uint64_t mended[],
                 char words[128])
{
    const size_t items = bl_launch_group_items(launch), width = launch->shape.x,
                 height = launch->shape.y;
    for (size_t i = 0; i < bl_launch_items(launch); i++) {
        const size_t own = i % items;
        mended[i] = starts[i - own + own / height + own % height * width];
    }
    snprintf(words, 128, "swap the ids of x and y");
    return width > 1 && height > 1;
}

static bool sort(const struct bl_launch *launch, const uint64_t starts[], uint64_t mended[],
                 char words[128])
{
    const size_t items = bl_launch_group_items(launch);
    memcpy(mended, starts, bl_launch_items(launch) * sizeof *mended);
    for (size_t group = 0; group < launch->groups; group++)
        qsort(mended + group * items, items, sizeof *mended, by_number);
    snprintf(words, 128, "let neighbouring work-items access neighbouring elements");
    return true;
}

/* How many different columns the first group's starts have in rows of so many elements. */
static size_t columns_of(const struct bl_launch *launch, const uint64_t starts[], uint64_t row,
                         uint64_t scratch[])
{
    const size_t items = bl_launch_group_items(launch);
    size_t distinct = 0;
    for (size_t i = 0; i < items; i++)
        scratch[i] = starts[i] % row;
    qsort(scratch, items, sizeof *scratch, by_number);
    for (size_t i = 0; i < items; i++)
        distinct += i == 0 || scratch[i] != scratch[i - 1];
    return distinct;
}

/* The elements of a row: what lies between the first work-item and the next one that is elsewhere,
 * from `neighbour` on. 0 where the starts do not stand in rows. */
static uint64_t row_of(const struct bl_launch *launch, size_t neighbour, const uint64_t starts[],
                       uint64_t scratch[])
{
    const size_t items = bl_launch_group_items(launch);
    while (neighbour < items && starts[neighbour] == starts[0])
        neighbour++;
    if (neighbour >= items)
        return 0;
    const uint64_t row = starts[neighbour] > starts[0] ? starts[neighbour] - starts[0]
                                                       : starts[0] - starts[neighbour];
    return row >= 2 && 2 * columns_of(launch, starts, row, scratch) <= items ? row : 0;
}

static bool pad(const struct bl_launch *launch, size_t neighbour, unsigned by,
                const uint64_t starts[], uint64_t mended[], uint64_t scratch[], char words[128])
{
    const uint64_t row = row_of(launch, neighbour, starts, scratch);
    if (row == 0 || by >= row)
        return false;
    for (size_t i = 0; i < bl_launch_items(launch); i++)
        mended[i] = starts[i] + starts[i] / row * by;
    snprintf(words, 128, "pad each row of %" PRIu64 " elements by %u", row, by);
    return true;
}

static int by_start_and_item(const void *a, const void *b)
{
    const int order = by_number(a, b);
    return order ? order : by_number((const uint64_t *)a + 1, (const uint64_t *)b + 1);
}

/* An element's new place is the order in which work-items first use it. */
static bool gather(const struct bl_launch *launch, const uint64_t starts[], uint64_t mended[],
                   uint64_t pairs[], char words[128])
{
    const size_t items = bl_launch_items(launch);
    for (size_t i = 0; i < items; i++) {
        pairs[2 * i] = starts[i];
        pairs[2 * i + 1] = i;
    }
    qsort(pairs, items, 2 * sizeof *pairs, by_start_and_item);
    uint64_t first = 0; /* work-item that uses the element */
    for (size_t i = 0; i < items; i++) {
        if (i == 0 || pairs[2 * i] != pairs[2 * i - 2])
            first = pairs[2 * i + 1];
        mended[pairs[2 * i + 1]] = first;
    }
    uint64_t used = 0;
    for (size_t i = 0; i < items; i++) /* pairs are done with: the place of each first one */
        pairs[i] = mended[i] == i ? used++ : 0;
    for (size_t i = 0; i < items; i++)
        mended[i] = pairs[mended[i]];
    snprintf(words, 128, "store side by side the elements that neighbouring work-items access");
    return true;
}

bool bl_mend(enum bl_mend mend, unsigned by, const struct bl_machine *machine,
             const struct bl_launch *launch, const uint64_t starts[], uint64_t mended[],
             uint64_t scratch[], char words[128])
{
    switch (mend) {
    case BL_MEND_ALIGN:
        return align(machine, launch, starts, mended, words);
    case BL_MEND_SWAP:
        return swap(launch, starts, mended, words);
    case BL_MEND_SORT:
        return sort(launch, starts, mended, words);
    case BL_MEND_PAD_X:
        return pad(launch, 1, by, starts, mended, scratch, words);
    case BL_MEND_PAD_Y:
        return pad(launch, launch->shape.x, by, starts, mended, scratch, words);
    case BL_MEND_GATHER:
        return gather(launch, starts, mended, scratch, words);
    case BL_MEND_COUNT:
        break;
    }
    return false;
}

enum { MAX_EXPLAINED_ITEMS = 1 << 16, MAX_PAD = 32 /* elements */ };

/* A mend has to gain so much to be worth a word, and so much more than an easier one. */
static const double MIN_GAIN = 1.05;

/* The launch's costliest request, or the one that begins at `wanted`, with room for its addresses.
 */
struct example {
    struct bl_request request;
    struct bl_cost cost;
    uint64_t addresses_bytes[BL_MAX_LANES];
};

static enum bl_status take(const struct bl_machine *machine, const struct bl_launch *launch,
                           const uint64_t starts[], unsigned lanes, struct example *example)
{
    struct bl_part parts[BL_MAX_PARTS];
    bl_parts_of(machine, launch->memory, launch->is_write, launch->type, parts);
    for (unsigned lane = 0; lane < lanes; lane++)
        example->addresses_bytes[lane] =
            launch->base_bytes + starts[lane] * launch->type->element_bytes;
    example->request = (struct bl_request){launch->memory, launch->is_write,         parts[0].bytes,
                                           lanes,          example->addresses_bytes, false};
    return bl_cost_of(machine, &example->request, &example->cost);
}

static enum bl_status find_costliest(const struct bl_machine *machine,
                                     const struct bl_launch *launch, const uint64_t starts[],
                                     struct bl_explanation *explanation)
{
    const size_t items = bl_launch_group_items(launch);
    unsigned clocks = 0;
    for (size_t i = 0; i < bl_launch_items(launch);) {
        const size_t left = items - i % items;
        const unsigned lanes = left < launch->lanes ? (unsigned)left : launch->lanes;
        struct example example;
        const enum bl_status status = take(machine, launch, starts + i, lanes, &example);
        if (status != BL_OK)
            return status;
        if (example.cost.clocks > clocks) {
            clocks = example.cost.clocks;
            explanation->first_item = i;
            explanation->lanes = lanes;
        }
        i += lanes;
    }
    return BL_OK;
}

/* The bank from which most words are wanted at once, by how many lanes. */
struct busy {
    unsigned bank, words, lanes;
};

static struct busy busiest_bank(const struct bl_machine *machine, const struct bl_request *request)
{
    const unsigned at_once = bl_lanes_at_once(machine, request);
    struct busy busiest = {0};
    for (unsigned bank = 0; bank < machine->banks; bank++)
        for (unsigned first = 0; first < request->lanes; first += at_once) {
            struct busy here = {.bank = bank};
            uint64_t seen[BL_MAX_LANES];
            for (unsigned lane = first; lane < request->lanes && lane < first + at_once; lane++) {
                const uint64_t from = request->addresses_bytes[lane] / machine->bank_bytes;
                const uint64_t last = (request->addresses_bytes[lane] + request->access_bytes - 1) /
                                      machine->bank_bytes;
                const uint64_t word = from + (bank - from) % machine->banks; /* in this bank */
                if (word > last)
                    continue;
                here.lanes++;
                unsigned known = 0;
                while (known < here.words && seen[known] != word)
                    known++;
                if (known == here.words)
                    seen[here.words++] = word;
            }
            if (here.words > busiest.words)
                busiest = here;
        }
    return busiest;
}

/* What the costliest request is charged for; `ideal` is a contiguous one of as many lanes. */
static void say_limit(const struct bl_machine *machine, const struct example *own,
                      const struct bl_cost *ideal, char text[192])
{
    const struct bl_cost *cost = &own->cost;
    int used = 0;
    if (cost->bank_passes == cost->clocks) {
        const struct busy busy = busiest_bank(machine, &own->request);
        used = busy.words == busy.lanes
                   ? snprintf(text, 192, "%u of %u lanes want different words of bank %u",
                              busy.lanes, own->request.lanes, busy.bank)
                   : snprintf(text, 192, "%u of %u lanes want %u different words of bank %u",
                              busy.lanes, own->request.lanes, busy.words, busy.bank);
        if (cost->lines > ideal->lines)
            snprintf(text + used, 192 - (size_t)used, ", and all touch %u lines where %u would do",
                     cost->lines, ideal->lines);
    } else if (cost->tag_passes == cost->clocks) {
        used = snprintf(text, 192, "%u line%s where %u would do", cost->lines,
                        bl_plural(cost->lines), ideal->lines);
        if (machine->tag_masks[0])
            snprintf(text + used, 192 - (size_t)used, ", %u of them in one tag bank",
                     cost->tag_passes * machine->lines_per_clock);
    } else {
        snprintf(text, 192, "%u sector%s written where %u would do", cost->sectors,
                 bl_plural(cost->sectors), ideal->sectors);
    }
}

static void say_nothing(const struct bl_machine *machine, const struct example *own, char text[192])
{
    const struct bl_request *request = &own->request;
    const unsigned at_once = bl_lanes_at_once(machine, request);
    const unsigned passes = own->cost.bank_passes;
    bool is_shared = false;
    for (unsigned lane = 1; lane < request->lanes; lane++)
        is_shared |= request->addresses_bytes[lane] == request->addresses_bytes[0];
    int used = snprintf(text, 192, "nothing");
    if (own->cost.lines)
        used += snprintf(text + used, 192 - (size_t)used, ": %u line%s", own->cost.lines,
                         bl_plural(own->cost.lines));
    const char *separator = own->cost.lines ? "," : ":";
    if (passes == 1)
        snprintf(text + used, 192 - (size_t)used, "%s %s", separator,
                 is_shared ? "lanes that want the same word share it" : "no bank conflict");
    else if (passes == (request->lanes + at_once - 1) / at_once)
        snprintf(text + used, 192 - (size_t)used, "%s %u passes, as for every access of %u bytes",
                 separator, passes, request->access_bytes);
}

/* The mends that gain most; of those that gain the same, the easiest. */
static enum bl_status find_mend(const struct bl_machine *machine, const struct bl_launch *launch,
                                const uint64_t starts[], double clocks, uint64_t mended[],
                                uint64_t scratch[], struct bl_explanation *explanation)
{
    /* The easiest first; a pad of twice as many elements each time, up to MAX_PAD. */
    static const enum bl_mend local[] = {BL_MEND_PAD_X, BL_MEND_PAD_Y, BL_MEND_SWAP,
                                         BL_MEND_SORT,  BL_MEND_ALIGN, BL_MEND_GATHER};
    static const enum bl_mend global[] = {BL_MEND_ALIGN, BL_MEND_SWAP,  BL_MEND_SORT,
                                          BL_MEND_PAD_X, BL_MEND_PAD_Y, BL_MEND_GATHER};
    const enum bl_mend *order = launch->memory == BL_MEMORY_LOCAL ? local : global;
    double best = 1;
    unsigned by = 1;
    for (int i = 0; i < BL_MEND_COUNT;) {
        char words[128];
        struct bl_prediction prediction;
        const bool applies = bl_mend(order[i], by, machine, launch, starts, mended, scratch, words);
        const bool is_pad = order[i] == BL_MEND_PAD_X || order[i] == BL_MEND_PAD_Y;
        by = is_pad && by < MAX_PAD ? 2 * by : 1;
        i += by == 1;
        if (!applies)
            continue;
        const enum bl_status status = bl_predict(machine, launch, mended, &prediction);
        if (status != BL_OK)
            return status;
        if (clocks / prediction.clocks < best * MIN_GAIN)
            continue;
        best = clocks / prediction.clocks;
        if (explanation->mend_count == BL_MAX_MENDS)
            explanation->mends[0] = explanation->mends[1];
        else
            explanation->mend_count++;
        explanation->mends[explanation->mend_count - 1].gain = best;
        strcpy(explanation->mends[explanation->mend_count - 1].words, words);
    }
    return BL_OK;
}

enum bl_status bl_explain(const struct bl_machine *machine, const struct bl_launch *launch,
                          const uint64_t starts[], struct bl_explanation *explanation,
                          struct bl_error *error)
{
    *explanation = (struct bl_explanation){0};
    struct bl_launch part = *launch;
    const size_t max_groups = MAX_EXPLAINED_ITEMS / bl_launch_group_items(launch);
    if (part.groups > max_groups)
        part.groups = max_groups ? max_groups : 1;
    const size_t items = bl_launch_items(&part);
    uint64_t *mended = calloc(3 * items, sizeof *mended);
    if (!mended)
        return bl_fail(error, BL_NO_MEMORY, "no memory to explain %zu work-items", items);
    struct bl_prediction own, contiguous;
    struct example costliest, ideal;
    for (size_t i = 0; i < items; i++)
        mended[i] = launch->memory == BL_MEMORY_LOCAL ? i % bl_launch_group_items(&part) : i;
    enum bl_status status = find_costliest(machine, &part, starts, explanation);
    if (status == BL_OK)
        status = take(machine, &part, mended, explanation->lanes, &ideal);
    if (status == BL_OK)
        status =
            take(machine, &part, starts + explanation->first_item, explanation->lanes, &costliest);
    if (status == BL_OK)
        status = bl_predict(machine, &part, mended, &contiguous);
    if (status == BL_OK)
        status = bl_predict(machine, &part, starts, &own);
    if (status == BL_OK && own.clocks < contiguous.clocks * MIN_GAIN) {
        say_nothing(machine, &costliest, explanation->limit);
    } else if (status == BL_OK) {
        say_limit(machine, &costliest, &ideal.cost, explanation->limit);
        status = find_mend(machine, &part, starts, own.clocks, mended, mended + items, explanation);
    }
    free(mended);
    return status;
}
