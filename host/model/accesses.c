/* Sorts accesses, divides them into steps, and computes properties of them (accesses.h). */
#include "model/accesses.h"

#include <stdlib.h>

static int compare(uint32_t a, uint32_t b) { return (a > b) - (a < b); }

static int by_step_and_item(const void *left, const void *right)
{
    const struct bl_access *a = left, *b = right;
    const int instruction = compare(a->instruction, b->instruction),
              occurrence = compare(a->occurrence, b->occurrence);
    return instruction ? instruction : occurrence ? occurrence : compare(a->item, b->item);
}

bool bl_accesses_cut(struct bl_access accesses[], size_t *count, uint32_t items, uint32_t share)
{
    uint32_t *of_item = calloc((size_t)items + 1, sizeof *of_item);
    size_t kept = 0;
    for (size_t i = 0; of_item && i < *count; i++)
        if (of_item[accesses[i].item]++ < share)
            accesses[kept++] = accesses[i];
    if (of_item)
        *count = kept;
    free(of_item);
    return of_item != NULL;
}

void bl_accesses_sort(struct bl_access accesses[], size_t count)
{
    if (count)
        qsort(accesses, count, sizeof *accesses, by_step_and_item);
}

void bl_swap_ids(struct bl_access accesses[], size_t count, const size_t local[3])
{
    for (size_t i = 0; i < count; i++)
        accesses[i].item =
            (uint32_t)(accesses[i].item % local[0] * local[1] + accesses[i].item / local[0]);
    bl_accesses_sort(accesses, count);
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

/* Adds to *pairs the number of work-items that make an access in both steps, and to *walks the
 * number of those whose second access is to the next higher element. */
static void count_walks(const struct bl_step *before, const struct bl_step *step, size_t *pairs,
                        size_t *walks)
{
    for (size_t i = 0, k = 0; i < step->count; i++) {
        const struct bl_access *access = &step->accesses[i];
        while (k < before->count && before->accesses[k].item < access->item)
            k++;
        if (k == before->count || before->accesses[k].item != access->item)
            continue;
        ++*pairs;
        *walks += access->address - before->accesses[k].address == access->bytes;
    }
}

bool bl_accesses_walk_rows(const struct bl_access accesses[], size_t count)
{
    size_t pairs = 0, walks = 0;
    struct bl_step before = {NULL, 0}, step;
    for (size_t at = 0; bl_next_step(accesses, count, &at, &step); before = step)
        if (before.count && before.accesses->instruction == step.accesses->instruction &&
            before.accesses->occurrence + 1 == step.accesses->occurrence)
            count_walks(&before, &step, &pairs, &walks);
    return 2 * walks > pairs;
}

bool bl_accesses_update_in_phase(const struct bl_access accesses[], size_t count)
{
    static const unsigned bits = 8;
    uint8_t read[(UINT16_MAX + 1) / 8] = {0}, written[(UINT16_MAX + 1) / 8] = {0};
    for (size_t i = 0; i < count; i++) {
        const unsigned phase = accesses[i].phase;
        uint8_t *of = accesses[i].operation == BL_OPERATION_READ ? read : written;
        of[phase / bits] = (uint8_t)(of[phase / bits] | 1u << phase % bits);
    }
    for (size_t i = 0; i < sizeof read; i++)
        if (read[i] & written[i])
            return true;
    return false;
}

bool bl_accesses_are_equally_many(const struct bl_access accesses[], size_t count)
{
    size_t first = 0;
    while (first < count && accesses[first].item == accesses->item)
        first++;
    for (size_t i = 0; i < count; i += first)
        if (i + first > count || accesses[i].item != accesses[i + first - 1].item ||
            (i > 0 && accesses[i].item == accesses[i - 1].item))
            return false;
    return true;
}
