#include "model/recorded.h"

#include <stdlib.h>

static int compare(uint32_t a, uint32_t b) { return (a > b) - (a < b); }

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

bool bl_are_one_step(const struct bl_access *a, const struct bl_access *b)
{
    return a->instruction == b->instruction && a->occurrence == b->occurrence;
}

bool bl_next_step(const struct bl_access accesses[], size_t count, size_t *at, struct bl_step *step)
{
    if (*at >= count)
        return false;
    size_t end = *at + 1;
    while (end < count && bl_are_one_step(&accesses[*at], &accesses[end]))
        end++;
    *step = (struct bl_step){accesses + *at, end - *at};
    *at = end;
    return true;
}
