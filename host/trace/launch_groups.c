/* Which sampled or traced group stands for each group of a launch, and the weights of traced groups
 * (launch_groups.h). */
#include "trace/launch_groups.h"

#include <math.h>
#include <stdlib.h>

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

double bl_launch_lot(uint64_t number, double salt)
{
    uint64_t bits = (number + (uint64_t)salt * 0xD1B54A32D192ED03u) * 0x9E3779B97F4A7C15u;
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9u;
    return (double)(bits >> 11) / 9007199254740992.0;
}

/* Whether the last sampled group makes fewer accesses than the first. */
static bool is_last_less(const struct bl_streams *streams)
{
    const struct bl_stream_group *first = &streams->groups[0],
                                 *last = &streams->groups[streams->count - 1];
    return last->told + last->left_out < first->told + first->left_out;
}

struct bl_launch_groups bl_launch_groups_of(const struct bl_machine *machine,
                                            const struct bl_wire_kernel *launch,
                                            const struct bl_streams *streams)
{
    return (struct bl_launch_groups){.launch = *launch,
                                     .streams = streams,
                                     .count = product(launch->groups),
                                     .units = machine->compute_units};
}

size_t bl_launch_sampled_for(const struct bl_launch_groups *groups, uint64_t group)
{
    const struct bl_streams *streams = groups->streams;
    if (streams->count == groups->count)
        return (size_t)group; /* all were sampled */
    const uint64_t last = groups->count - 1;
    const bool are_more = streams->count > 2, is_last_alone = are_more || is_last_less(streams);
    size_t best = 0;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < streams->count; i++) {
        const uint64_t index = streams->groups[i].index;
        uint64_t distance = index > group ? index - group : group - index;
        if (distance > 0 && ((index == last && is_last_alone) || (index == 0 && are_more)))
            distance += 2 * groups->count;
        if (distance < least) {
            least = distance;
            best = i;
        }
    }
    return best;
}

static int compare_indices(const void *one, const void *other)
{
    const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

/* The work of each sampled group; 0 if it is not known. Returns NULL if memory runs out. */
static double *work_of_sampled(const struct bl_launch_groups *groups)
{
    const struct bl_streams *streams = groups->streams;
    double *work = calloc(streams->count + 1, sizeof *work);
    for (size_t i = 0; work && i < streams->ran_count; i++)
        for (size_t s = 0; s < streams->count; s++)
            if (streams->groups[s].index == streams->ran[i].index)
                work[s] = streams->ran[i].work;
    return work;
}

/* Whether one group does clearly more or less than another. */
static bool is_other(double work, double than)
{
    static const double clearly = 1.1;
    return work > clearly * than || than > clearly * work;
}

/* of_sampled: the work of each of `count` sampled groups. */
static struct bl_launch_template template_of(size_t nearest, double work, const double of_sampled[],
                                             size_t count)
{
    size_t best = nearest;
    if (of_sampled[nearest] <= 0 || work <= 0 || !is_other(work, of_sampled[nearest]))
        return (struct bl_launch_template){nearest, 1};
    for (size_t s = 0; s < count; s++)
        if (of_sampled[s] > 0 &&
            fabs(log(work / of_sampled[s])) < fabs(log(work / of_sampled[best])))
            best = s;
    return (struct bl_launch_template){
        best, is_other(work, of_sampled[best]) ? work / of_sampled[best] : 1};
}

static void place_of(const struct bl_launch_groups *all, uint64_t group, double at[3])
{
    const uint64_t *groups = all->launch.groups;
    const uint64_t row = group / groups[0], layer = row / groups[1];
    at[0] = (double)(group % groups[0]);
    at[1] = (double)(row % groups[1]);
    at[2] = (double)layer;
}

/* Whether the group is nearer to the launch's first or last group than to any other sampled group.
 * With --quick it ran for this reason; the plugin also compares the largest distances along an
 * axis.
 */
static bool is_near_end(const struct bl_launch_groups *groups, uint64_t group)
{
    double at[3], other[3], least = INFINITY, least_of_end = INFINITY;
    place_of(groups, group, at);
    for (size_t s = 0; s < groups->streams->count; s++) {
        const uint64_t index = groups->streams->groups[s].index;
        double *to = index == 0 || index + 1 == groups->count ? &least_of_end : &least, far = 0;
        place_of(groups, index, other);
        for (unsigned d = 0; d < 3; d++)
            far = fmax(far, fabs(at[d] - other[d]));
        *to = fmin(*to, far);
    }
    return least_of_end < least && isfinite(least);
}

/* Finds the known groups that represent others. Those that ran only because they are near the first
 * or the last group do not: they are at an edge of the grid, where groups often do other work. */
static void find_near(struct bl_launch_groups *groups)
{
    size_t count = 0;
    for (size_t i = 0; i < groups->known_count; i++) {
        const uint64_t index = groups->known[i].index;
        struct bl_launch_near *near = &groups->near[bl_launch_sampled_for(groups, index)];
        if (is_near_end(groups, index))
            continue;
        near->begin = near->end > 0 ? near->begin : count;
        groups->drawn[count++] = i;
        near->end = count;
    }
}

bool bl_launch_templates_find(struct bl_launch_groups *groups)
{
    const struct bl_streams *streams = groups->streams;
    if (streams->ran_count == 0 || streams->count == groups->count)
        return true;
    double *of_sampled = work_of_sampled(groups);
    groups->known = calloc(streams->ran_count, sizeof *groups->known);
    groups->drawn = calloc(streams->ran_count, sizeof *groups->drawn);
    groups->near = calloc(streams->count + 1, sizeof *groups->near);
    const bool has_memory = of_sampled && groups->known && groups->drawn && groups->near;
    for (size_t i = 0; has_memory && i < streams->ran_count; i++) {
        const struct bl_stream_ran *ran = &streams->ran[i];
        const size_t nearest = bl_launch_sampled_for(groups, ran->index);
        groups->known[groups->known_count++] = (struct bl_launch_known){
            ran->index, template_of(nearest, ran->work, of_sampled, streams->count)};
    }
    free(of_sampled);
    if (has_memory) {
        qsort(groups->known, groups->known_count, sizeof *groups->known, compare_indices);
        find_near(groups);
    }
    return has_memory;
}

void bl_launch_templates_free(struct bl_launch_groups *groups)
{
    free(groups->known);
    free(groups->drawn);
    free(groups->near);
    groups->known = NULL;
    groups->drawn = NULL;
    groups->near = NULL;
    groups->known_count = 0;
}

struct bl_launch_template bl_launch_template_for(const struct bl_launch_groups *groups,
                                                 uint64_t group)
{
    const struct bl_launch_template nearest = {bl_launch_sampled_for(groups, group), 1};
    if (groups->known_count == 0)
        return nearest;
    const struct bl_launch_known *known =
        bsearch(&group, groups->known, groups->known_count, sizeof *groups->known, compare_indices);
    if (known)
        return known->template;
    const struct bl_launch_near near = groups->near[nearest.sampled];
    const double lot = bl_launch_lot(group, 3) * (double)(near.end - near.begin);
    return near.end > near.begin ? groups->known[groups->drawn[near.begin + (size_t)lot]].template
                                 : nearest;
}

double bl_launch_times_reported(const struct bl_stream_group *group)
{
    return 1 + (double)group->left_out / (double)(group->told ? group->told : 1);
}

/* The index after the stream's `number`-th barrier, counted from 1; the stream's end if it has
 * fewer barriers. */
static size_t behind_barrier(const struct bl_time_stream *stream, size_t number)
{
    size_t at = 0;
    for (size_t seen = 0; at < stream->count && seen < number; at++)
        seen += stream->ops[at].kind == BL_TIME_BARRIER;
    return at;
}

void bl_launch_cut(const struct bl_stream_group *group, size_t budget, size_t counts[])
{
    size_t all = 0, barriers = 0, kept = 0;
    for (unsigned s = 0; s < group->sub_groups; s++) {
        const struct bl_time_stream *stream = &group->streams[s];
        size_t own = 0;
        for (size_t i = 0; i < stream->count; i++)
            own += stream->ops[i].kind == BL_TIME_BARRIER;
        all += stream->count;
        barriers = own > barriers ? own : barriers;
    }
    const double part = all > budget ? (double)budget / (double)all : 1;
    const size_t wanted = (size_t)(part * (double)barriers);
    for (unsigned s = 0; s < group->sub_groups; s++)
        kept += counts[s] = behind_barrier(&group->streams[s], wanted ? wanted : 1);
    if (part < 1 && barriers > 0 && kept >= budget / 2 && kept <= 2 * budget)
        return;
    for (unsigned s = 0; s < group->sub_groups; s++)
        counts[s] = (size_t)ceil(part * (double)group->streams[s].count);
}

void bl_launch_shift(const struct bl_launch_groups *groups, uint64_t group, size_t sampled,
                     int64_t shifts[])
{
    enum { SPREAD_BY = 256 }; /* keeps lines whole */
    const double lot =
        group == groups->streams->groups[sampled].index ? 0 : bl_launch_lot(group, 5);
    double to[3], from[3];
    place_of(groups, group, to);
    place_of(groups, groups->streams->groups[sampled].index, from);
    for (size_t i = 0; i < groups->shifts.count; i++) {
        const struct bl_stream_shift *shift = &groups->shifts.shifts[i];
        double by = 0;
        for (unsigned d = 0; d < 3; d++)
            by += shift->by[d] * (to[d] - from[d]);
        if (shift->spread_bytes > 0)
            by = floor(lot * shift->spread_bytes / SPREAD_BY) * SPREAD_BY;
        shifts[i] = (int64_t)by;
    }
}
