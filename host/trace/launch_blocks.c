/* Finds the blocks of L2 that a launch touches (launch_blocks.h). */
#include "trace/launch_blocks.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

enum {
    TOUCHES = 1 << 21,    /* about how many touches of blocks to examine */
    RUN_TOUCHES = 1 << 24 /* the same for runs of blocks */
};

/* A block that a group touches: the address and the instruction of the first access to it. */
struct touch {
    uint64_t address;
    uint32_t array;
    float at; /* how far the operations of its sub-group had got, below 1 */
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

/* Adds the blocks that a half of a stream's operations are the first to touch. times: as
 * bl_launch_times_reported returns it. */
static bool find_touches_of(unsigned block_bytes, const struct bl_time_stream *stream,
                            unsigned half, double times, struct bl_time_map *seen,
                            struct blocks_of_group *touched)
{
    const size_t middle = stream->count / 2, begin = half ? middle : 0,
                 end = half ? stream->count : middle;
    const double part = 1 / (times * (double)stream->count);
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
                *touch = (struct touch){address, op->array, (float)((double)i * part)};
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
        for (unsigned s = 0; has_memory && s < group->sub_groups; s++)
            has_memory = find_touches_of(block_bytes, &group->streams[s], half,
                                         bl_launch_times_reported(group), &seen, touched);
    }
    bl_time_map_free(&seen);
    return has_memory;
}

/* Whether L2 still holds a block that an earlier launch or the host touched, when this launch has
 * touched `touched` blocks. A pseudo-random number that depends only on the block decides. */
static bool is_left(const struct bl_launch_blocks *blocks, uint64_t block, double touched)
{
    return bl_launch_lot(block, 1) <
           bl_l2_left_part(blocks->left, block, touched, blocks->capacity);
}

/* The parts of a value of bl_launch_blocks.waves: whether L2 held the block before, and the wave.
 */
static bool had(double value) { return value < was_there / 2; }

static double wave_of(double value) { return had(value) ? value - was_there : value; }

bool bl_launch_blocks_have(const struct bl_launch_blocks *blocks, uint64_t address, size_t wave,
                           double warm_hits)
{
    const uint64_t block = address / blocks->block_bytes;
    const bool is_warm = warm_hits >= 0;
    if (is_warm && bl_launch_lot(block, 0) < warm_hits)
        return true;
    const double *first = bl_time_map_find(&blocks->waves, block),
                 *of_run = blocks->of_run ? bl_time_map_find(&blocks->runs, block / blocks->of_run)
                                          : NULL;
    const double kept = of_run ? blocks->kept_waves : INFINITY;
    if (of_run && (!first || wave_of(*of_run) < wave_of(*first)))
        first = of_run;
    if (!first) /* only skipped groups touch the block, on average half-way through the launch */
        return !is_warm && is_left(blocks, block, blocks->touched / 2);
    return (had(*first) && !is_warm && (double)wave < kept) ||
           wave_of(*first) < fmin((double)wave, kept);
}

/* Notes a touch of a block, or of the block that stands for a run. position: the wave of the group,
 * plus the touch's place in time within the wave, from 0 to 1. Returns false if memory runs out. */
static bool note_touch(struct bl_time_map *waves, uint64_t number, double position)
{
    bool is_known;
    double *first = bl_time_map_at(waves, number, &is_known);
    if (first)
        *first = is_known ? fmin(*first, position) : position;
    return first != NULL;
}

/* The block that stands for a run. */
static uint64_t block_of_run(uint64_t run, uint64_t of_run)
{
    return run * of_run + (uint64_t)(bl_launch_lot(run, 4) * (double)of_run);
}

/* Notes in the position of each block's first touch whether L2 still holds the block. The groups of
 * a wave run at the same time, so until then the launch has touched other blocks in proportion to
 * the position. of_run: 0 for single blocks. */
static void mark_left(const struct bl_launch_blocks *blocks, struct bl_time_map *waves,
                      double wave_count, uint64_t of_run)
{
    for (size_t i = 0; i < waves->capacity; i++) {
        uint64_t number;
        double *position = bl_time_map_slot(waves, i, &number);
        if (!position)
            continue;
        const double touched = blocks->touched * fmin(1, *position / wave_count);
        const uint64_t block = of_run ? block_of_run(number, of_run) : number;
        *position += is_left(blocks, block, touched) ? was_there : 0;
    }
}

/* The block of a touch in a group at these shifts. */
static uint64_t block_of(const struct bl_launch_groups *groups, const struct touch *touch,
                         unsigned block_bytes, const int64_t shifts[])
{
    return bl_time_shifted(touch->address, shifts[touch->array],
                           &groups->shifts.sharing[touch->array]) /
           block_bytes;
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
            const uint64_t block = block_of(groups, &own->touches[i], blocks->block_bytes, shifts);
            bool is_known;
            has_memory = note_touch(&blocks->waves, block,
                                    floor((double)g / per_wave) + (double)own->touches[i].at);
            if (has_memory && groups->streams->groups[own->sampled].left_out > 0 &&
                i < own->half_count)
                has_memory = bl_time_map_at(&blocks->halves, block, &is_known) != NULL;
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

/* The part of L2 that holds what gathers read. An H100's L2 has two halves, and what units of both
 * halves read seems to be in both: of 8 million random reads from 64 MiB, 23 % hit. */
static const double of_gathers = 0.5;

/* The blocks that launches with gathers touch: each wave touches `alone` blocks that no other wave
 * touches, and gathers `gathered` times from `range` blocks. */
struct gathered_blocks {
    double alone, gathered, range;
};

static struct gathered_blocks gathering_of(const struct bl_launch_groups *groups,
                                           const struct blocks_of_group *usual, double per_wave,
                                           unsigned block_bytes)
{
    const struct bl_time_sharing *sharing = groups->shifts.sharing;
    const double times =
        bl_launch_times_reported(&groups->streams->groups[usual->sampled]) * per_wave;
    struct gathered_blocks gathering = {0};
    for (size_t i = 0; i < usual->count; i++) {
        const struct bl_time_sharing *own = &sharing[usual->touches[i].array];
        if (own->bytes > 0)
            gathering.gathered += times;
        else if (own->overlap != BL_TIME_TOGETHER)
            gathering.alone += times;
    }
    for (size_t a = 0; a < groups->shifts.count; a++) {
        bool is_known = false;
        for (size_t b = 0; b < a; b++)
            is_known |= sharing[b].begin == sharing[a].begin && sharing[b].bytes > 0;
        gathering.range += is_known ? 0 : (double)sharing[a].bytes / block_bytes;
    }
    return gathering;
}

/* For how many waves L2 keeps a block: until the launch has touched as many others as L2 can hold.
 * A gather touches a block again after a random time. That it did so within this time is as likely
 * as that it first touched the block within the first so many waves. */
static double kept_waves_of(const struct gathered_blocks *gathering, double capacity)
{
    enum { STEPS = 60 };
    double least = 0, most = 1e9;
    for (unsigned i = 0; i < STEPS; i++) {
        const double waves = (least + most) / 2,
                     touched =
                         waves * gathering->alone +
                         gathering->range *
                             (1 - exp(-waves * gathering->gathered / fmax(1, gathering->range)));
        *(touched < capacity ? &least : &most) = waves;
    }
    return least;
}

/* Finds the first touch of one block of each run, for instructions whose accesses do not follow
 * from the group: if find_waves examined one in `every` groups only, it found their first touches
 * too late, because every group may touch any block. Runs are also needed, of one block each, if
 * L2 cannot hold all blocks. */
static bool find_runs(struct bl_launch_blocks *blocks, const struct bl_launch_groups *groups,
                      double per_wave, const struct blocks_of_group *usual, int64_t shifts[])
{
    const uint64_t run = 1 + (uint64_t)((double)usual->count * (double)groups->count / TOUCHES);
    struct touch *touches = calloc(usual->count + 1, sizeof *touches);
    size_t count = 0;
    for (size_t i = 0; touches && i < usual->count; i++)
        if (groups->shifts.sharing[usual->touches[i].array].bytes > 0)
            touches[count++] = usual->touches[i];
    const uint64_t every = 1 + (uint64_t)((double)count * (double)groups->count / RUN_TOUCHES);
    bool has_memory = touches != NULL;
    blocks->of_run = count > 0 && (run > 1 || blocks->touched > blocks->capacity) ? run : 0;
    const struct gathered_blocks gathering =
        gathering_of(groups, usual, per_wave, blocks->block_bytes);
    blocks->kept_waves = kept_waves_of(&gathering, of_gathers * blocks->capacity);
    for (uint64_t g = 0; has_memory && blocks->of_run && g < groups->count; g += every) {
        bl_launch_shift(groups, g, usual->sampled, shifts);
        for (size_t i = 0; has_memory && i < count; i++) {
            const uint64_t block = block_of(groups, &touches[i], blocks->block_bytes, shifts);
            if (block == block_of_run(block / run, run))
                has_memory = note_touch(&blocks->runs, block / run,
                                        floor((double)g / per_wave) + (double)touches[i].at);
        }
    }
    if (has_memory)
        mark_left(blocks, &blocks->runs, fmax(1, (double)groups->count / per_wave), run);
    free(touches);
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
    const uint64_t block = block_of(wave->groups, touch, wave->block_bytes, shifts);
    return bl_launch_lot(block, 2) * wave->every < 1 ? block : UINT64_MAX;
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
        const uint64_t block = block_of(groups, &usual->touches[i], blocks->block_bytes, shifts);
        found[a] += bl_time_map_find(&seen, block) != NULL;
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

/* Finds the blocks that the EXAMINED groups touch, and when the launch first touches each block. */
static bool find_first_touches(struct bl_launch_blocks *blocks,
                               const struct bl_launch_groups *groups, double per_wave,
                               struct blocks_of_group touched[], int64_t shifts[])
{
    bool has_memory = shifts != NULL;
    touched[USUAL].sampled = bl_launch_sampled_for(groups, groups->count / 2);
    touched[LAST].sampled = groups->streams->count - 1;
    touched[ALIKE].sampled = alike_of(groups->streams, touched[USUAL].sampled);
    for (unsigned i = 0; has_memory && i < EXAMINED; i++)
        has_memory = find_touches(blocks->block_bytes, &groups->streams->groups[touched[i].sampled],
                                  &touched[i]);
    return has_memory && find_waves(blocks, groups, per_wave, touched, shifts);
}

struct bl_launch_blocks bl_launch_blocks_of(const struct bl_machine *machine,
                                            const struct bl_l2_left *left)
{
    return (struct bl_launch_blocks){.left = left,
                                     .capacity = bl_l2_blocks(machine),
                                     .block_bytes = machine->levels[BL_LEVEL_MEMORY].granule_bytes};
}

bool bl_launch_blocks_find(struct bl_launch_blocks *blocks, struct bl_launch_groups *groups,
                           double per_wave)
{
    struct blocks_of_group touched[EXAMINED] = {{0}};
    int64_t *shifts = calloc(groups->shifts.count + 1, sizeof *shifts);
    bool has_memory = find_first_touches(blocks, groups, per_wave, touched, shifts);
    if (has_memory) {
        mark_left(blocks, &blocks->waves, fmax(1, (double)groups->count / per_wave), 0);
        has_memory = find_runs(blocks, groups, per_wave, &touched[USUAL], shifts) &&
                     find_sharing(blocks, groups, per_wave, touched, shifts);
    }
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
        if (bl_time_map_slot(&blocks->waves, i, &block))
            has_memory = bl_l2_left_add(left, block);
    }
    bl_l2_left_end(left);
    return has_memory;
}

double bl_launch_note_blocks(const struct bl_machine *machine, const struct bl_wire_kernel *launch,
                             const struct bl_streams *streams, struct bl_l2_left *left)
{
    struct bl_launch_groups groups = bl_launch_groups_of(machine, launch, streams);
    struct bl_launch_blocks blocks = bl_launch_blocks_of(machine, left);
    struct blocks_of_group touched[EXAMINED] = {{0}};
    bool has_memory = bl_stream_shifts_of(streams, launch, &groups.shifts);
    int64_t *shifts = calloc(groups.shifts.count + 1, sizeof *shifts);
    has_memory = has_memory &&
                 find_first_touches(&blocks, &groups, (double)groups.count, touched, shifts) &&
                 bl_launch_blocks_leave(&blocks, left);
    const double touches = (double)touched[USUAL].count * (double)groups.count;
    for (unsigned i = 0; i < EXAMINED; i++)
        free(touched[i].touches);
    free(shifts);
    bl_stream_shifts_free(&groups.shifts);
    bl_launch_blocks_free(&blocks);
    return has_memory ? fmin(touches, TOUCHES) : (double)NAN;
}

void bl_launch_blocks_free(struct bl_launch_blocks *blocks)
{
    bl_time_map_free(&blocks->waves);
    bl_time_map_free(&blocks->runs);
    bl_time_map_free(&blocks->halves);
}
