/* Sorts accesses, divides them into steps, and computes properties of them, such as which elements
 * work-items could keep in registers (accesses.h). */
#include "model/accesses.h"

#include <stdlib.h>

static int compare(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

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

size_t bl_accesses_join(struct bl_access accesses[], size_t count, unsigned components)
{
    const unsigned bytes = accesses->bytes;
    const uint32_t instruction = accesses->instruction;
    size_t made = 0;
    for (size_t i = 0; i < count && components > 0; i += components) {
        struct bl_access access = accesses[i];
        for (unsigned c = 0; c < components; c++) {
            const struct bl_access *part = &accesses[i + c];
            if (part->item != access.item || part->bytes != bytes || part->phase != access.phase ||
                part->address != access.address + c * bytes)
                return 0;
        }
        const bool goes_on = made > 0 && accesses[made - 1].item == access.item;
        access.occurrence = goes_on ? accesses[made - 1].occurrence + 1 : 0;
        access.bytes = bytes * components;
        access.instruction = instruction;
        if (access.address % access.bytes != accesses->address % access.bytes)
            return 0; /* the vectors are not all aligned alike */
        accesses[made++] = access;
    }
    return made;
}

/* The number of lanes of the sub-group to which a work-item belongs; the last may have fewer. */
static unsigned lanes_with(uint32_t item, unsigned lanes, size_t items)
{
    const size_t first = item / lanes * lanes;
    return items - first < lanes ? (unsigned)(items - first) : lanes;
}

bool bl_accesses_are_of_single_lanes(const struct bl_access accesses[], size_t count,
                                     unsigned lanes, size_t items)
{
    for (size_t i = 0; i < count && lanes > 0; i++) {
        const uint32_t item = accesses[i].item, before = i > 0 ? accesses[i - 1].item : item;
        if (item >= items || lanes_with(item, lanes, items) == 1 ||
            (item != before && item / lanes == before / lanes))
            return false;
    }
    return lanes > 0;
}

unsigned bl_accesses_share_lanes(struct bl_access accesses[], size_t count, unsigned lanes,
                                 size_t items)
{
    const uint32_t first_item = accesses->item, instruction = accesses->instruction,
                   bytes = accesses->bytes;
    uint32_t occurrence = 0;
    for (size_t begin = 0, end = 0; begin < count; begin = end) {
        const struct bl_access first = accesses[begin];
        const unsigned own_lanes = lanes_with(first.item, lanes, items);
        uint64_t step = 0;
        for (;
             end < count && accesses[end].item == first.item && accesses[end].phase == first.phase;
             end++) {
            struct bl_access *access = &accesses[end];
            const uint32_t number = (uint32_t)(end - begin);
            step = number == 1 ? access->address - first.address : step;
            if (access->bytes != bytes || access->address != first.address + number * step ||
                (number > 0 && step == 0))
                return 0;
            access->instruction = instruction;
            access->occurrence = occurrence + number / own_lanes;
            access->item = first.item / lanes * lanes + number % own_lanes;
        }
        if (end - begin < 2)
            return 0;
        const bool goes_on = end < count && accesses[end].item == first.item;
        occurrence = goes_on ? accesses[end - 1].occurrence + 1 : 0;
    }
    return lanes_with(first_item, lanes, items);
}

static int by_address_and_order(const void *left, const void *right)
{
    const struct bl_access *a = left, *b = right;
    const int address = compare(a->address, b->address), phase = compare(a->phase, b->phase),
              item = compare(a->item, b->item);
    return address ? address : phase ? phase : item ? item : compare(a->order, b->order);
}

int bl_by_pair(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return a[0] != b[0] ? compare(a[0], b[0]) : compare(a[1], b[1]);
}

/* all[first] to all[end - 1] are a work-item's accesses to an element that no other work-item uses.
 * Copies at most two of them to all[kept]: the first if it is a read, and the last write. Returns
 * the number of copies. */
static size_t keep_ends(struct bl_access all[], size_t first, size_t end, size_t kept)
{
    size_t last_write = end;
    for (size_t i = first; i < end; i++)
        if (all[i].operation == BL_OPERATION_WRITE)
            last_write = i;
    const size_t before = kept;
    if (all[first].operation == BL_OPERATION_READ)
        all[kept++] = all[first];
    if (last_write < end)
        all[kept++] = all[last_write];
    return kept - before;
}

/* Finds the accesses to the element of all[first], sets *end to the index after them, and counts
 * the writes among them. is_phase: only accesses before the next barrier. Returns whether a single
 * work-item makes all of these accesses, with a single width and without atomics. */
static bool is_private(const struct bl_access all[], size_t first, size_t count, bool is_phase,
                       size_t *end, unsigned *writes)
{
    bool is = true;
    *writes = 0;
    for (*end = first; *end < count && all[*end].address == all[first].address &&
                       (!is_phase || all[*end].phase == all[first].phase);
         (*end)++) {
        const struct bl_access *access = &all[*end];
        is &= access->item == all[first].item && access->bytes == all[first].bytes &&
              access->operation != BL_OPERATION_ATOMIC;
        *writes += access->operation == BL_OPERATION_WRITE;
    }
    return is;
}

/* The max number of elements of one work-item between whose first and last access the work-item is
 * at the same time. Each element has two entries in `ends`: the work-item and, for the first
 * access, twice its order; for the last access, one more than that. */
static size_t count_live(uint64_t (*ends)[2], size_t count)
{
    size_t live = 0, most = 0;
    if (count)
        qsort(ends, count, sizeof *ends, bl_by_pair);
    for (size_t i = 0; i < count; i++) {
        live += ends[i][1] % 2 ? (size_t)-1 : 1;
        most = live > most ? live : most;
    }
    return most;
}

struct bl_registers bl_registers_find(struct bl_access all[], size_t count, uint64_t (*ends)[2])
{
    struct bl_registers found = {.count = 0};
    size_t repeated = 0, end_count = 0;
    if (count)
        qsort(all, count, sizeof *all, by_address_and_order);
    for (size_t first = 0, end; first < count; first = end) {
        unsigned writes;
        const bool is_own = is_private(all, first, count, false, &end, &writes) ||
                            is_private(all, first, count, true, &end, &writes);
        const size_t now = end - first;
        if (!is_own) {
            for (size_t i = first; i < end; i++)
                all[found.count++] = all[i];
            continue;
        }
        const uint64_t item = all[first].item, begins = all[first].order,
                       ends_at = all[end - 1].order;
        const size_t kept = keep_ends(all, first, end, found.count);
        found.count += kept;
        found.is_written_again |= writes > 1;
        repeated += now > 2 ? now : 0;
        if (kept < now) {
            ends[end_count][0] = ends[end_count + 1][0] = item;
            ends[end_count++][1] = 2 * begins;
            ends[end_count++][1] = 2 * ends_at + 1;
        }
    }
    found.are_repeated = 2 * repeated >= count && found.count < count;
    found.live = count_live(ends, end_count);
    return found;
}
