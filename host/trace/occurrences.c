/* Counts executions per instruction, work-item and position. Accesses usually arrive in long runs
 * with the same position. Within a run, counters in arrays number a work-item's executions of each
 * instruction. A hash table then maps position, instruction and this number to the occurrence. */
#include "trace/occurrences.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 1 << 10 };

struct bl_occurrence_slot {
    uint64_t group, position; /* group: the slot is free if this is not the current group */
    uint32_t instruction, k, occurrence;
};

/* A count that is valid only in the run or group with the number `of`. In any other run or group,
 * the count is taken as 0, so counts need not be cleared between runs. */
struct bl_occurrence_count {
    uint64_t of;
    uint32_t count;
};

void bl_occurrences_begin_group(struct bl_occurrences *occurrences)
{
    occurrences->group++;
    occurrences->run++;
    occurrences->position = 0;
    occurrences->slot_count = 0;
}

void bl_occurrences_move(struct bl_occurrences *occurrences, uint64_t position)
{
    occurrences->run++;
    occurrences->position = position;
}

static uint32_t count_up(struct bl_occurrence_count *count, uint64_t of)
{
    if (count->of != of)
        *count = (struct bl_occurrence_count){.of = of};
    return count->count++;
}

/* The slot that holds the wanted key; if there is none, the free slot for it. */
static struct bl_occurrence_slot *slot_of(struct bl_occurrence_slot slots[], size_t capacity,
                                          const struct bl_occurrence_slot *wanted)
{
    const uint64_t mixed = (wanted->position ^ ((uint64_t)wanted->instruction << 32 | wanted->k)) *
                           0x9E3779B97F4A7C15u;
    size_t at = (size_t)(mixed >> 24) & (capacity - 1);
    while (slots[at].group == wanted->group &&
           (slots[at].position != wanted->position || slots[at].k != wanted->k ||
            slots[at].instruction != wanted->instruction))
        at = (at + 1) & (capacity - 1);
    return &slots[at];
}

static bool grow_slots(struct bl_occurrences *occurrences)
{
    const size_t capacity =
        occurrences->slot_capacity ? 2 * occurrences->slot_capacity : FIRST_SLOTS;
    struct bl_occurrence_slot *before = occurrences->slots,
                              *slots = calloc(capacity, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < occurrences->slot_capacity; i++)
        if (before[i].group == occurrences->group)
            *slot_of(slots, capacity, &before[i]) = before[i];
    occurrences->slots = slots;
    occurrences->slot_capacity = capacity;
    free(before);
    return true;
}

/* Enlarges the two arrays of counts: of_instruction has an entry per instruction, of_item an entry
 * per work-item and instruction. */
static bool grow_counts(struct bl_occurrences *occurrences, size_t instructions, size_t items)
{
    const size_t known = instructions > occurrences->instructions ? 2 * instructions + 16
                                                                  : occurrences->instructions,
                 most = items > occurrences->items ? items : occurrences->items;
    struct bl_occurrence_count *of_item = calloc(known * most, sizeof *of_item),
                               *of_instruction = calloc(known, sizeof *of_instruction);
    if (!of_item || !of_instruction) {
        free(of_item);
        free(of_instruction);
        return false;
    }
    for (size_t i = 0; i < occurrences->instructions; i++) {
        of_instruction[i] = occurrences->of_instruction[i];
        for (size_t item = 0; item < occurrences->items; item++)
            of_item[item * known + i] = occurrences->of_item[item * occurrences->instructions + i];
    }
    free(occurrences->of_item);
    free(occurrences->of_instruction);
    occurrences->of_item = of_item;
    occurrences->of_instruction = of_instruction;
    occurrences->instructions = known;
    occurrences->items = most;
    return true;
}

bool bl_occurrence_next(struct bl_occurrences *occurrences, uint32_t instruction,
                        size_t instructions, uint32_t item, size_t items, uint32_t *occurrence)
{
    if ((instruction >= occurrences->instructions || items > occurrences->items) &&
        !grow_counts(occurrences, instructions, items))
        return false;
    if (2 * occurrences->slot_count >= occurrences->slot_capacity && !grow_slots(occurrences))
        return false;
    struct bl_occurrence_count *of_item =
        &occurrences->of_item[item * occurrences->instructions + instruction];
    struct bl_occurrence_slot wanted = {.group = occurrences->group,
                                        .position = occurrences->position,
                                        .instruction = instruction,
                                        .k = count_up(of_item, occurrences->run)};
    struct bl_occurrence_slot *slot =
        slot_of(occurrences->slots, occurrences->slot_capacity, &wanted);
    if (slot->group != wanted.group) {
        wanted.occurrence = count_up(&occurrences->of_instruction[instruction], occurrences->group);
        *slot = wanted;
        occurrences->slot_count++;
    }
    *occurrence = slot->occurrence;
    return true;
}

void bl_occurrences_free(struct bl_occurrences *occurrences)
{
    free(occurrences->slots);
    free(occurrences->of_item);
    free(occurrences->of_instruction);
    *occurrences = (struct bl_occurrences){0};
}
