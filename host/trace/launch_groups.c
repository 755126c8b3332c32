/* Finds sampled groups for the groups of a launch, and the blocks of L2 that the launch touches
 * (launch_groups.h). */
#include "trace/launch_groups.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

enum { TOUCHES = 1 << 21 }; /* about how many touches of blocks to examine */

/* A block that a group touches: the address and the instruction of the first access to it. */
struct touch {
    uint64_t address;
    uint32_t array;
};

/* The sampled groups whose blocks are examined. ALIKE: of those other than USUAL, the one that
 * executes most of its instructions. */
enum { FIRST, USUAL, LAST, ALIKE, EXAMINED };

/* The blocks that a sampled group touches. */
struct blocks_of_group {
    size_t sampled; /* index of the group */
    struct touch *touches;
    size_t count, capacity;
    size_t half_count; /* number of blocks that the first halves of the streams touch */
};

static const double was_there =
    -1e9; /* added to the wave of a block that L2 held before the launch */

/* A pseudo-random number from 0 to 1 that depends only on the number and the salt. */
static double lot_of(uint64_t number, double salt)
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
    const double lot = lot_of(group, 3) * (double)(near.end - near.begin);
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
    double to[3], from[3];
    place_of(groups, group, to);
    place_of(groups, groups->streams->groups[sampled].index, from);
    for (size_t i = 0; i < groups->shifts.count; i++) {
        const struct bl_stream_shift *shift = &groups->shifts.shifts[i];
        double by = 0;
        for (unsigned d = 0; d < 3; d++)
            by += shift->by[d] * (to[d] - from[d]);
        shifts[i] = (int64_t)by;
    }
}

/* Adds the blocks that the operations from `begin` up to, but not including, `end` are the first to
 * touch. */
static bool find_touches_of(unsigned block_bytes, const struct bl_time_stream *stream, size_t begin,
                            size_t end, struct bl_time_map *seen, struct blocks_of_group *touched)
{
    bool has_memory = true;
    for (size_t i = begin; has_memory && i < end; i++) {
        const struct bl_time_op *op = &stream->ops[i];
        if (op->is_private ||
            (op->kind != BL_TIME_LOAD && op->kind != BL_TIME_STORE && op->kind != BL_TIME_ATOMIC))
            continue;
        for (uint32_t j = 0; has_memory && j < op->count; j++) {
            bool is_known = true;
            const uint64_t address = stream->sectors[op->first + j];
            has_memory = bl_time_map_at(seen, address / block_bytes, &is_known) != NULL;
            if (is_known)
                continue;
            struct touch *touch = bl_array_append(&touched->touches, &touched->count,
                                                  &touched->capacity, sizeof *touch);
            has_memory = has_memory && touch;
            if (touch)
                *touch = (struct touch){address, op->array};
        }
    }
    return has_memory;
}

static bool find_touches(unsigned block_bytes, const struct bl_stream_group *group,
                         struct blocks_of_group *touched)
{
    struct bl_time_map seen = {0};
    bool has_memory = true;
    for (unsigned half = 0; half < 2; half++) {
        touched->half_count = touched->count;
        for (unsigned s = 0; has_memory && s < group->sub_groups; s++) {
            const struct bl_time_stream *stream = &group->streams[s];
            const size_t middle = stream->count / 2;
            has_memory = find_touches_of(block_bytes, stream, half ? middle : 0,
                                         half ? stream->count : middle, &seen, touched);
        }
    }
    bl_time_map_free(&seen);
    return has_memory;
}

/* Whether L2 still holds a block that an earlier launch or the host touched, when this launch has
 * touched `touched` blocks. A pseudo-random number that depends only on the block decides. */
static bool is_left(const struct bl_launch_blocks *blocks, uint64_t block, double touched)
{
    return lot_of(block, 1) < bl_l2_left_part(blocks->left, block, touched, blocks->capacity);
}

bool bl_launch_blocks_have(const struct bl_launch_blocks *blocks, uint64_t address, size_t wave,
                           double warm_hits)
{
    const uint64_t block = address / blocks->block_bytes;
    const bool is_warm = warm_hits >= 0;
    if (is_warm && lot_of(block, 0) < warm_hits)
        return true;
    const double *first = bl_time_map_find(&blocks->waves, block);
    if (!first) /* only skipped groups touch the block, on average half-way through the launch */
        return !is_warm && is_left(blocks, block, blocks->touched / 2);
    const bool had = *first < was_there / 2;
    return (had && !is_warm) || (had ? *first - was_there : *first) < (double)wave;
}

/* Notes the wave if it is the first that touches the block. touched: number of blocks that the
 * launch has touched before. Returns false if memory runs out. */
static bool touch_block(struct bl_launch_blocks *blocks, uint64_t block, double wave,
                        double touched)
{
    bool is_known;
    double *first = bl_time_map_at(&blocks->waves, block, &is_known);
    if (first && !is_known)
        *first = wave + (is_left(blocks, block, touched) ? was_there : 0);
    return first != NULL;
}

/* Finds the first wave that touches each block, from the blocks that the first group, the last
 * group and a group in the middle touch. Examines only every n-th group, so that it examines about
 * TOUCHES touches. */
static bool find_waves(struct bl_launch_blocks *blocks, const struct bl_launch_groups *groups,
                       double per_wave, const struct blocks_of_group touched[], int64_t shifts[])
{
    const double all = (double)touched[USUAL].count * (double)groups->count;
    const uint64_t every = 1 + (uint64_t)(all / TOUCHES);
    bool has_memory = true;
    size_t of_half = 0;
    for (uint64_t g = 0; has_memory && g < groups->count; g += every) {
        const unsigned which = g == 0 ? FIRST : g + 1 == groups->count ? LAST : USUAL;
        const struct blocks_of_group *own = &touched[which];
        bl_launch_shift(groups, g, own->sampled, shifts);
        if (2 * g < groups->count)
            of_half = blocks->waves.count;
        for (size_t i = 0; has_memory && i < own->count; i++) {
            const uint64_t address =
                own->touches[i].address + (uint64_t)shifts[own->touches[i].array];
            bool is_known;
            has_memory =
                touch_block(blocks, address / blocks->block_bytes, floor((double)g / per_wave),
                            (double)blocks->waves.count * (double)every);
            if (has_memory && groups->streams->groups[own->sampled].left_out > 0 &&
                i < own->half_count)
                has_memory = bl_time_map_at(&blocks->halves, address / blocks->block_bytes,
                                            &is_known) != NULL;
        }
    }
    /* Extrapolates to the skipped groups, by the number of blocks that the second half of the
     * groups added to the blocks of the first half. Also extrapolates to the accesses that were not
     * reported: they touch new blocks as often as the second half of the reported ones did. */
    const double found = (double)blocks->waves.count,
                 growth = of_half > 0 ? log2(found / (double)of_half) : 1,
                 later = found - (double)blocks->halves.count,
                 left_out =
                     bl_launch_times_reported(&groups->streams->groups[touched[USUAL].sampled]) - 1;
    blocks->touched = (found + 2 * later * left_out) * pow((double)every, fmax(0, fmin(1, growth)));
    return has_memory;
}

/* Units that read the same block.
 *
 * Groups of one wave run on all units at the same time. If they read the same block, only one of
 * them fetches it from memory, and the others wait for it. So the units whose groups touch a block
 * are counted over a wave in the middle of the launch; each of these units then takes an equal part
 * of memory's time (struct bl_time_sharing). */

enum {
    SHARED_TOUCHES = 1 << 18, /* about how many touches of blocks to count */
    MOST_TOUCHES = 1 << 23    /* maximum number of touches to examine; a wave with more is cut */
};

struct wave {
    const struct bl_launch_groups *groups;
    uint64_t begin, end; /* the wave's groups */
    double every;        /* one in `every` blocks is examined */
    unsigned block_bytes;
};

/* How many units touch each block, and the last of them, counted from 1. */
struct counted {
    struct bl_time_map units, last;
};

/* The parts of blocks that an instruction fetches. */
struct fetched {
    double sum;
    size_t count; /* number of examined touches */
};

/* The block of a touch in a group at these shifts; UINT64_MAX if it is not examined. */
static uint64_t examined(const struct wave *wave, const struct touch *touch, const int64_t shifts[])
{
    const uint64_t block = (touch->address + (uint64_t)shifts[touch->array]) / wave->block_bytes;
    return lot_of(block, 2) * wave->every < 1 ? block : UINT64_MAX;
}

/* Counts the units that touch each examined block: a unit runs every n-th group, where n is the
 * number of units. */
static bool count_units(const struct wave *wave, const struct blocks_of_group *own,
                        struct counted *counted, int64_t shifts[])
{
    const unsigned units = wave->groups->units;
    for (unsigned unit = 0; unit < units; unit++)
        for (uint64_t g = wave->begin + unit; g < wave->end; g += units) {
            bl_launch_shift(wave->groups, g, own->sampled, shifts);
            for (size_t i = 0; i < own->count; i++) {
                const uint64_t block = examined(wave, &own->touches[i], shifts);
                bool is_known;
                if (block == UINT64_MAX)
                    continue;
                double *count = bl_time_map_at(&counted->units, block, &is_known),
                       *last = bl_time_map_at(&counted->last, block, &is_known);
                if (!count || !last)
                    return false;
                *count = is_known ? *count + (*last != unit + 1) : 1;
                *last = unit + 1;
            }
        }
    return true;
}

/* Adds the parts of blocks that each instruction of the wave's groups fetches. */
static void add_parts(const struct wave *wave, const struct blocks_of_group *own,
                      const struct counted *counted, int64_t shifts[], struct fetched parts[])
{
    for (uint64_t g = wave->begin; g < wave->end; g++) {
        bl_launch_shift(wave->groups, g, own->sampled, shifts);
        for (size_t i = 0; i < own->count; i++) {
            const uint64_t block = examined(wave, &own->touches[i], shifts);
            const double *count =
                block == UINT64_MAX ? NULL : bl_time_map_find(&counted->units, block);
            if (!count)
                continue;
            parts[own->touches[i].array].sum += 1 / *count;
            parts[own->touches[i].array].count++;
        }
    }
}

/* The index of the sampled group ALIKE. */
static size_t alike_of(const struct bl_streams *streams, size_t usual)
{
    const struct bl_stream_group *own = &streams->groups[usual];
    size_t best = 0, most = 0;
    for (size_t i = 0; i < streams->count; i++) {
        const struct bl_stream_group *other = &streams->groups[i];
        size_t common = 1;
        for (size_t a = 0; a < own->array_count && a < other->array_count; a++)
            common += own->arrays[a].is_used && other->arrays[a].is_used;
        if (i != usual && common > most) {
            most = common;
            best = i;
        }
    }
    return best;
}

/* Removes the parts of an instruction if fewer than half of the blocks that it touches in the group
 * USUAL, shifted to the group ALIKE, are blocks that ALIKE touches. In a search, for example, only
 * the first access of each group follows from the group's position. */
static bool remove_unsure(const struct bl_launch_blocks *blocks,
                          const struct bl_launch_groups *groups,
                          const struct blocks_of_group touched[], int64_t shifts[],
                          struct fetched parts[])
{
    const struct blocks_of_group *alike = &touched[ALIKE], *usual = &touched[USUAL];
    struct bl_time_map seen = {0};
    size_t *found = calloc(groups->shifts.count + 1, sizeof *found),
           *all = calloc(groups->shifts.count + 1, sizeof *all);
    bool has_memory = found && all, is_known;
    for (size_t i = 0; has_memory && i < alike->count; i++)
        has_memory =
            bl_time_map_at(&seen, alike->touches[i].address / blocks->block_bytes, &is_known);
    bl_launch_shift(groups, groups->streams->groups[alike->sampled].index, usual->sampled, shifts);
    for (size_t i = 0; has_memory && i < usual->count; i++) {
        const uint32_t a = usual->touches[i].array;
        const uint64_t address = usual->touches[i].address + (uint64_t)shifts[a];
        found[a] += bl_time_map_find(&seen, address / blocks->block_bytes) != NULL;
        all[a]++;
    }
    for (size_t a = 0; has_memory && a < groups->shifts.count; a++)
        if (2 * found[a] < all[a])
            parts[a].count = 0;
    free(found);
    free(all);
    bl_time_map_free(&seen);
    return has_memory;
}

static bool find_sharing(const struct bl_launch_blocks *blocks, struct bl_launch_groups *groups,
                         double per_wave, const struct blocks_of_group touched[], int64_t shifts[])
{
    const struct blocks_of_group *usual = &touched[USUAL];
    const double begin = floor((double)groups->count / 2 / per_wave) * per_wave,
                 end = fmin((double)groups->count, begin + per_wave),
                 touches = fmax(1, (double)usual->count),
                 most = fmax(1, floor(MOST_TOUCHES / touches));
    const struct wave wave = {
        .groups = groups,
        .begin = (uint64_t)begin,
        .end = (uint64_t)fmin(end, begin + most),
        .every = fmax(1, fmin(end - begin, most) * touches / SHARED_TOUCHES),
        .block_bytes = blocks->block_bytes,
    };
    struct counted counted = {0};
    struct fetched *parts = calloc(groups->shifts.count + 1, sizeof *parts);
    bool has_memory = parts && count_units(&wave, usual, &counted, shifts);
    if (has_memory) {
        add_parts(&wave, usual, &counted, shifts, parts);
        has_memory = remove_unsure(blocks, groups, touched, shifts, parts);
    }
    for (size_t a = 0; has_memory && a < groups->shifts.count; a++)
        if (parts[a].count > 0 && groups->shifts.shifts[a].is_sure)
            groups->shifts.sharing[a].units = (double)parts[a].count / parts[a].sum;
    free(parts);
    bl_time_map_free(&counted.units);
    bl_time_map_free(&counted.last);
    return has_memory;
}

bool bl_launch_blocks_find(struct bl_launch_blocks *blocks, struct bl_launch_groups *groups,
                           double per_wave)
{
    struct blocks_of_group touched[EXAMINED] = {
        [USUAL] = {.sampled = bl_launch_sampled_for(groups, groups->count / 2)},
        [LAST] = {.sampled = groups->streams->count - 1}};
    touched[ALIKE].sampled = alike_of(groups->streams, touched[USUAL].sampled);
    int64_t *shifts = calloc(groups->shifts.count + 1, sizeof *shifts);
    bool has_memory = shifts != NULL;
    for (unsigned i = 0; has_memory && i < EXAMINED; i++)
        has_memory = find_touches(blocks->block_bytes, &groups->streams->groups[touched[i].sampled],
                                  &touched[i]);
    has_memory = has_memory && find_waves(blocks, groups, per_wave, touched, shifts) &&
                 find_sharing(blocks, groups, per_wave, touched, shifts);
    for (unsigned i = 0; i < EXAMINED; i++)
        free(touched[i].touches);
    free(shifts);
    return has_memory;
}

bool bl_launch_blocks_leave(const struct bl_launch_blocks *blocks, struct bl_l2_left *left)
{
    bool has_memory =
        bl_l2_left_begin(left, blocks->touched / fmax(1, (double)blocks->waves.count));
    for (size_t i = 0; has_memory && i < blocks->waves.capacity; i++) {
        uint64_t block;
        if (!isnan(bl_time_map_slot(&blocks->waves, i, &block)))
            has_memory = bl_l2_left_add(left, block);
    }
    bl_l2_left_end(left);
    return has_memory;
}

void bl_launch_blocks_free(struct bl_launch_blocks *blocks)
{
    bl_time_map_free(&blocks->waves);
    bl_time_map_free(&blocks->halves);
}
