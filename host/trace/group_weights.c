/* Computes the weights of traced groups (group_weights.h). */
#include "trace/group_weights.h"

#include <math.h>
#include <stdbool.h>

#include "model/access.h"

enum { SIDES = 3 };

static uint64_t product(const uint64_t sides[SIDES]) { return sides[0] * sides[1] * sides[2]; }

enum bl_group_place bl_group_place_of(const struct bl_wire_kernel *launch, uint64_t index)
{
    return index == 0                             ? BL_GROUP_FIRST
           : index + 1 == product(launch->groups) ? BL_GROUP_LAST
                                                  : BL_GROUP_BETWEEN;
}

/* The size of a group along dimension d. The last group is smaller if the global size is not a
 * multiple of the local size. */
static uint64_t side_of(const struct bl_wire_kernel *launch, enum bl_group_place place, unsigned d)
{
    const uint64_t local = launch->local[d] ? launch->local[d] : 1,
                   rest = launch->global[d] % local;
    return place == BL_GROUP_LAST && rest > 0 ? rest : local;
}

void bl_launch_sample_add(struct bl_launch_sample *sample, const struct bl_wire_kernel *launch,
                          enum bl_group_place place, const struct bl_access accesses[],
                          size_t count, uint64_t left_out)
{
    sample->groups[place]++;
    sample->accesses[place] += count + left_out;
    uint64_t *box = sample->box[place];
    const uint64_t width = side_of(launch, place, 0), height = side_of(launch, place, 1);
    for (size_t i = 0; place != BL_GROUP_BETWEEN && i < count; i++) {
        if (accesses[i].memory != BL_MEMORY_GLOBAL && accesses[i].memory != BL_MEMORY_CONSTANT)
            continue;
        const uint64_t row = accesses[i].item / width;
        const uint64_t at[SIDES] = {accesses[i].item % width, row % height, row / height};
        for (unsigned d = 0; d < SIDES; d++)
            box[d] = at[d] >= box[d] ? at[d] + 1 : box[d];
    }
}

/* The extent of the last group's active work-items along dimension d, as a fraction of the extent
 * of the first group's active work-items; at most 1. */
static double active_part(const struct bl_launch_sample *sample,
                          const struct bl_wire_kernel *launch, unsigned d)
{
    const uint64_t first = sample->box[BL_GROUP_FIRST][d], last = sample->box[BL_GROUP_LAST][d];
    return launch->groups[d] > 1 && last > 0 && last < first ? (double)last / (double)first : 1;
}

/* If the last group does less than the first, estimates how many groups are like the first group.
 * In a group at the end of the grid along some dimensions, the fraction of active work-items is the
 * product of the last group's active parts along these dimensions. Such a group counts partly as a
 * first and partly as a last group, in the proportion that gives the right number of active
 * work-items. */
static double like_first(const struct bl_launch_sample *sample, const struct bl_wire_kernel *launch,
                         double groups)
{
    double parts[SIDES], least = 1, like = 0;
    for (unsigned d = 0; d < SIDES; d++) {
        parts[d] = active_part(sample, launch, d);
        least *= parts[d];
    }
    if (least >= 1 || (double)product(launch->groups) != groups)
        return groups - 1;
    for (unsigned ends = 0; ends < 1 << SIDES; ends++) { /* bit d: at the end along dimension d */
        double count = 1, part = 1;
        for (unsigned d = 0; d < SIDES; d++)
            if (ends >> d & 1)
                part *= parts[d];
            else
                count *= (double)(launch->groups[d] - 1);
        like += count * (part - least) / (1 - least);
    }
    return like;
}

void bl_group_weights(const struct bl_launch_sample *sample, const struct bl_wire_kernel *launch,
                      uint64_t groups, double weights[BL_GROUP_PLACES])
{
    const double first = (double)sample->groups[BL_GROUP_FIRST],
                 last = (double)sample->groups[BL_GROUP_LAST],
                 between = (double)sample->groups[BL_GROUP_BETWEEN], all = (double)groups;
    const bool is_last_less = first > 0 && last > 0 &&
                              (double)sample->accesses[BL_GROUP_LAST] / last <
                                  (double)sample->accesses[BL_GROUP_FIRST] / first;
    for (unsigned place = 0; place < BL_GROUP_PLACES; place++)
        weights[place] = 1;
    if (between > 0) {
        weights[BL_GROUP_BETWEEN] = fmax(1, (all - first - last) / between);
    } else if (is_last_less) {
        const double like = like_first(sample, launch, all);
        weights[BL_GROUP_FIRST] = fmax(1, like / first);
        weights[BL_GROUP_LAST] = fmax(1, (all - like) / last);
    } else if (first + last > 0) {
        weights[BL_GROUP_FIRST] = weights[BL_GROUP_LAST] = fmax(1, all / (first + last));
    }
}
