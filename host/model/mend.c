#include "model/mend.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
