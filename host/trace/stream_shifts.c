/* Derives how far a group's position in the grid shifts its accesses. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/accesses.h"
#include "model/time_cache.h"
#include "trace/streams.h"

enum { SIDES = 3 };

/* A sampled group's position in the grid, and the address of an instruction's first access in the
 * group, relative to the first sample. */
struct sample {
    double at[SIDES];
    double base;
};

static void place_of(const struct bl_wire_kernel *launch, uint64_t index, double at[SIDES])
{
    const uint64_t row = index / launch->groups[0], layer = row / launch->groups[1];
    at[0] = (double)(index % launch->groups[0]);
    at[1] = (double)(row % launch->groups[1]);
    at[2] = (double)layer;
}

static bool fits(const struct sample samples[], size_t count, const double by[SIDES])
{
    for (size_t i = 1; i < count; i++) {
        double expected = samples[0].base;
        for (unsigned d = 0; d < SIDES; d++)
            expected += by[d] * (samples[i].at[d] - samples[0].at[d]);
        if (fabs(expected - samples[i].base) > 0.5)
            return false;
    }
    return true;
}

/* Tries shifts that follow from the strides between work-items: along each dimension of the grid,
 * either the stride times the group's size or 0. For most indices, which are computed from global
 * ids, one of these shifts is right. */
static bool fit_strides(const struct sample samples[], size_t count,
                        const struct bl_stream_array *array, const struct bl_wire_kernel *launch,
                        double by[SIDES])
{
    for (unsigned without = 0; without < 1u << SIDES; without++) {
        for (unsigned d = 0; d < SIDES; d++)
            by[d] = without >> d & 1 || array->strides[d] == BL_NO_STRIDE
                        ? 0
                        : (double)array->strides[d] * (double)launch->local[d];
        if (fits(samples, count, by))
            return true;
    }
    return false;
}

/* Like fit_strides, but the shift along one dimension is computed from the first and the last
 * sample, and must be a whole number of strides. This covers groups that loop, for example over a
 * tile with more rows than the group has. */
static bool fit_but_one(const struct sample samples[], size_t count,
                        const struct bl_stream_array *array, const struct bl_wire_kernel *launch,
                        double by[SIDES])
{
    for (unsigned choice = 0; choice < SIDES << SIDES; choice++) {
        const unsigned own = SIDES - 1 - choice % SIDES, without = choice / SIDES;
        const struct sample *last = &samples[count - 1];
        const double distance = last->at[own] - samples[0].at[own];
        if (fabs(distance) < 0.5)
            continue;
        double rest = last->base - samples[0].base;
        for (unsigned d = 0; d < SIDES; d++) {
            by[d] = without >> d & 1 || array->strides[d] == BL_NO_STRIDE
                        ? 0
                        : (double)array->strides[d] * (double)launch->local[d];
            rest -= d == own ? 0 : by[d] * (last->at[d] - samples[0].at[d]);
        }
        by[own] = rest / distance;
        const double stride = array->strides[own] == BL_NO_STRIDE ? 1 : (double)array->strides[own];
        const bool is_whole = fabs(remainder(by[own], fabs(stride) > 0 ? stride : 1)) < 1e-6;
        if (is_whole && fits(samples, count, by))
            return true;
    }
    return false;
}

/* Tries shifts for groups whose data lie one after another at equal distances: a step along one
 * dimension is as far as all steps along the previous one together. This is for dimensions whose
 * strides are unknown, because groups have one work-item along them. With is_all, all dimensions
 * are treated in this way: the distance may be larger than the stride times the group's size, for
 * example if each group's row is padded in memory. */
static bool fit_rows(const struct sample samples[], size_t count,
                     const struct bl_stream_array *array, const struct bl_wire_kernel *launch,
                     bool is_all, double by[SIDES])
{
    const struct sample *last = &samples[count - 1];
    double steps = 0, size = 1, sizes[SIDES] = {0}, rest = last->base - samples[0].base;
    unsigned unknown = 0;
    for (unsigned d = 0; d < SIDES; d++) {
        const double distance = last->at[d] - samples[0].at[d];
        by[d] = 0;
        if (!is_all && array->strides[d] != BL_NO_STRIDE) {
            by[d] = (double)array->strides[d] * (double)launch->local[d];
            rest -= by[d] * distance;
        } else if (launch->groups[d] > 1) {
            sizes[d] = size;
            steps += size * distance;
            size *= (double)launch->groups[d];
            unknown++;
        }
    }
    const double step = steps > 0 ? rest / steps : 0;
    for (unsigned d = 0; d < SIDES; d++)
        by[d] += sizes[d] * step;
    return unknown > 1 && step > 0 && fabs(remainder(step, 4)) < 1e-6 && fits(samples, count, by);
}

/* Solves the normal equations of the least-squares fit. The shift is 0 along a dimension in which
 * all samples have the same position. */
static void solve(double matrix[SIDES][SIDES + 1], double by[SIDES])
{
    for (unsigned d = 0; d < SIDES; d++) {
        unsigned largest = d;
        for (unsigned row = d + 1; row < SIDES; row++)
            if (fabs(matrix[row][d]) > fabs(matrix[largest][d]))
                largest = row;
        for (unsigned column = 0; column <= SIDES && largest != d; column++) {
            const double kept = matrix[d][column];
            matrix[d][column] = matrix[largest][column];
            matrix[largest][column] = kept;
        }
        for (unsigned row = 0; row < SIDES; row++) {
            const double factor =
                row != d && fabs(matrix[d][d]) > 1e-9 ? matrix[row][d] / matrix[d][d] : 0;
            for (unsigned column = 0; column <= SIDES; column++)
                matrix[row][column] -= factor * matrix[d][column];
        }
    }
    for (unsigned d = 0; d < SIDES; d++)
        by[d] = fabs(matrix[d][d]) > 1e-9 ? matrix[d][SIDES] / matrix[d][d] : 0;
}

static void fit_squares(const struct sample samples[], size_t count, double by[SIDES])
{
    double matrix[SIDES][SIDES + 1] = {{0}};
    for (size_t i = 1; i < count; i++)
        for (unsigned row = 0; row < SIDES; row++) {
            const double distance = samples[i].at[row] - samples[0].at[row];
            for (unsigned column = 0; column < SIDES; column++)
                matrix[row][column] += distance * (samples[i].at[column] - samples[0].at[column]);
            matrix[row][SIDES] += distance * (samples[i].base - samples[0].base);
        }
    solve(matrix, by);
}

/* Tries the shifts of other instructions. */
static bool fit_others(const struct sample samples[], size_t count,
                       const struct bl_stream_shifts *others, double by[SIDES])
{
    for (size_t i = 0; count > 1 && i < others->count; i++) {
        const struct bl_stream_shift *other = &others->shifts[i];
        memcpy(by, other->by, sizeof other->by);
        if (other->is_sure && fits(samples, count, by))
            return true;
    }
    return false;
}

/* The number of dimensions along which the launch has several groups. */
static size_t sides_of(const struct bl_wire_kernel *launch)
{
    size_t sides = 0;
    for (unsigned d = 0; d < SIDES; d++)
        sides += launch->groups[d] > 1;
    return sides;
}

/* others: the shifts that are known already. */
static struct bl_stream_shift shift_of(const struct sample samples[], size_t count,
                                       const struct bl_stream_array *array,
                                       const struct bl_wire_kernel *launch,
                                       const struct bl_stream_shifts *others)
{
    struct bl_stream_shift shift = {.is_exact = true};
    if (((count > 1 || !array->is_scattered) &&
         fit_strides(samples, count, array, launch, shift.by)) ||
        fit_others(samples, count, others, shift.by) ||
        fit_rows(samples, count, array, launch, false, shift.by) ||
        fit_but_one(samples, count, array, launch, shift.by) ||
        fit_rows(samples, count, array, launch, true, shift.by))
        return shift;
    fit_squares(samples, count, shift.by);
    for (unsigned d = 0; d < SIDES; d++)
        shift.by[d] = round(shift.by[d]);
    shift.is_exact =
        (!array->is_scattered || count > sides_of(launch) + 1) && fits(samples, count, shift.by);
    for (unsigned d = 0; d < SIDES && !shift.is_exact; d++)
        shift.by[d] = round(shift.by[d] / 4) * 4; /* most accesses are aligned to 4 bytes */
    return shift;
}

/* Notes the sectors that a group's atomics on global memory update. *is_apart becomes false if
 * another group updates one of them, too. Returns false if memory runs out. */
static bool note_updates(const struct bl_stream_group *group, double number,
                         struct bl_time_map *updated, bool *is_apart)
{
    for (unsigned s = 0; s < group->sub_groups; s++) {
        const struct bl_time_stream *stream = &group->streams[s];
        for (size_t i = 0; i < stream->count && *is_apart; i++) {
            const struct bl_time_op *op = &stream->ops[i];
            for (uint32_t j = 0; op->kind == BL_TIME_ATOMIC && j < op->count; j++) {
                bool was_there;
                double *by = bl_time_map_at(updated, stream->sectors[op->first + j], &was_there);
                if (!by)
                    return false;
                if (was_there && fabs(*by - number) > 0)
                    *is_apart = false;
                *by = number;
            }
        }
    }
    return true;
}

/* The mean address of the sectors that an instruction's atomics update in a group; NAN if there are
 * none, or if they are in several buffers. */
static double mean_update(const struct bl_stream_group *group, size_t instruction)
{
    double sum = 0, count = 0;
    uint64_t buffer = UINT64_MAX;
    for (unsigned s = 0; s < group->sub_groups; s++) {
        const struct bl_time_stream *stream = &group->streams[s];
        for (size_t i = 0; i < stream->count; i++) {
            const struct bl_time_op *op = &stream->ops[i];
            const bool is_own = op->kind == BL_TIME_ATOMIC && op->array == instruction;
            for (uint32_t j = 0; is_own && j < op->count; j++) {
                const uint64_t sector = stream->sectors[op->first + j];
                if (buffer != UINT64_MAX && buffer != sector >> BL_BUFFER_BITS)
                    return NAN;
                buffer = sector >> BL_BUFFER_BITS;
                sum += (double)sector;
                count++;
            }
        }
    }
    return sum / count;
}

/* Whether the addresses that an instruction's atomics update move so fast from the first to the
 * last sampled group that neighbouring groups update different words: by half a sector for each
 * group between the two. */
static bool updates_move(const struct bl_streams *streams, size_t instruction)
{
    static const double min_bytes_per_group = 16;
    const struct bl_stream_group *first = &streams->groups[0],
                                 *last = &streams->groups[streams->count - 1];
    const double distance = mean_update(last, instruction) - mean_update(first, instruction);
    return fabs(distance) >= min_bytes_per_group * ((double)last->index - (double)first->index);
}

/* For atomics whose addresses depend on data: if no two of the sampled groups update the same
 * sector, and each of them updates several sectors, or addresses move from group to group, the
 * updates are taken to be so spread out that groups on other units seldom update the same sectors
 * at the same time. */
static bool find_updates_apart(const struct bl_streams *streams, struct bl_stream_shifts *shifts)
{
    enum { MIN_SECTORS = 4 }; /* of a group; fewer may be the same for all neighbouring groups */
    struct bl_time_map updated = {0};
    bool has_memory = true, is_apart = streams->count > 1;
    for (size_t g = 0; has_memory && is_apart && g < streams->count; g++)
        has_memory = note_updates(&streams->groups[g], (double)(g + 1), &updated, &is_apart);
    const bool are_many = updated.count >= MIN_SECTORS * streams->count;
    for (size_t i = 0; is_apart && i < shifts->count; i++)
        if (!shifts->shifts[i].is_exact && shifts->sharing[i].overlap == BL_TIME_OVERLAP_UNKNOWN &&
            (are_many || updates_move(streams, i)))
            shifts->sharing[i].overlap = BL_TIME_APART;
    bl_time_map_free(&updated);
    return has_memory;
}

/* The address that the work-item of `first` would access in the group of `array`, relative to the
 * address that it accesses in its own group; another work-item makes the first access there. NAN if
 * a stride between the two work-items is unknown. */
static double base_of_item(const struct bl_stream_array *array, const struct bl_stream_array *first,
                           const struct bl_wire_kernel *launch)
{
    int64_t base = (int64_t)(array->base - first->base), along = 1;
    for (unsigned d = 0; d < SIDES; d++) {
        const int64_t side = (int64_t)launch->local[d],
                      distance = first->item / along % side - array->item / along % side,
                      stride =
                          array->strides[d] == BL_NO_STRIDE ? first->strides[d] : array->strides[d];
        if (distance != 0 && stride == BL_NO_STRIDE)
            return NAN;
        base += distance != 0 ? distance * stride : 0;
        along *= side;
    }
    return (double)base;
}

/* The samples of an instruction, taken from the groups that make the access. */
struct group_samples {
    const struct bl_stream_array *first; /* of the first of these groups; NULL if there is none */
    struct sample *same, *all; /* of groups in which the same work-item makes the first access; and
                                  of all groups for which that work-item's address is known */
    size_t same_count, all_count;
    size_t groups;
    bool are_same; /* all these groups begin at one address */
};

static void take_samples(const struct bl_streams *streams, const struct bl_wire_kernel *launch,
                         size_t instruction, struct group_samples *samples)
{
    samples->first = NULL;
    samples->same_count = samples->all_count = samples->groups = 0;
    samples->are_same = true;
    for (size_t g = 0; g < streams->count; g++) {
        const struct bl_stream_group *group = &streams->groups[g];
        if (instruction >= group->array_count || !group->arrays[instruction].is_used)
            continue;
        const struct bl_stream_array *array = &group->arrays[instruction];
        if (!samples->first)
            samples->first = array;
        samples->are_same &= array->base == samples->first->base;
        samples->groups++;
        struct sample sample = {.base = base_of_item(array, samples->first, launch)};
        place_of(launch, group->index, sample.at);
        if (array->item == samples->first->item)
            samples->same[samples->same_count++] = sample;
        if (!isnan(sample.base))
            samples->all[samples->all_count++] = sample;
    }
}

/* In a group at the edge of a grid, the first work-items often make no access, so another one makes
 * the first. The strides tell what the usual one would access, unless indices depend on data. */
static void find_shift(const struct group_samples *samples, const struct bl_wire_kernel *launch,
                       const struct bl_stream_shifts *others, struct bl_stream_shift *shift)
{
    *shift = shift_of(samples->all, samples->all_count, samples->first, launch, others);
    shift->is_sure = shift->is_exact && samples->all_count > 1;
    if (shift->is_exact)
        return;
    *shift = shift_of(samples->same, samples->same_count, samples->first, launch, others);
    shift->is_sure = shift->is_exact && samples->same_count > 1;
}

static void find_overlap(const struct group_samples *samples, const struct bl_wire_kernel *launch,
                         const struct bl_stream_shift *shift, struct bl_time_sharing *sharing)
{
    bool is_apart = shift->is_exact;
    for (unsigned d = 0; d < SIDES; d++)
        is_apart &= launch->groups[d] <= 1 || fabs(shift->by[d]) > 0;
    sharing->overlap = is_apart && !samples->are_same             ? BL_TIME_APART
                       : samples->are_same && samples->groups > 1 ? BL_TIME_TOGETHER
                                                                  : BL_TIME_OVERLAP_UNKNOWN;
}

/* Finds the shifts of the instructions of which fewer groups were sampled than it takes to tell the
 * shifts along all dimensions (are_few), or the shifts of all others. The others go first, so that
 * the few can be compared with them. */
static void find_shifts(const struct bl_streams *streams, const struct bl_wire_kernel *launch,
                        bool are_few, struct group_samples *samples,
                        struct bl_stream_shifts *shifts)
{
    const size_t least = sides_of(launch) + 1;
    for (size_t i = 0; i < shifts->count; i++) {
        take_samples(streams, launch, i, samples);
        if (!samples->first || (samples->groups < least) != are_few)
            continue;
        find_shift(samples, launch, shifts, &shifts->shifts[i]);
        find_overlap(samples, launch, &shifts->shifts[i], &shifts->sharing[i]);
    }
}

/* The range of an instruction's accesses; end: 0 if there are none. */
struct sector_range {
    uint64_t begin, end;
};

static void extend(struct sector_range *range, struct sector_range by)
{
    if (range->end == 0 || by.begin < range->begin)
        range->begin = by.begin;
    if (by.end > range->end)
        range->end = by.end;
}

static uint64_t bytes_of(const struct sector_range *range) { return range->end - range->begin; }

/* Adds the accesses of a group to the ranges of the instructions whose shifts do not agree with all
 * sampled groups. */
static void add_ranges(const struct bl_stream_group *group, const struct bl_stream_shifts *shifts,
                       struct sector_range ranges[])
{
    enum { SECTOR_BYTES = 32 };
    for (unsigned s = 0; s < group->sub_groups; s++)
        for (size_t i = 0; i < group->streams[s].count; i++) {
            const struct bl_time_op *op = &group->streams[s].ops[i];
            const uint64_t *sectors = group->streams[s].sectors + op->first;
            if ((op->kind == BL_TIME_LOAD || op->kind == BL_TIME_STORE ||
                 op->kind == BL_TIME_ATOMIC) &&
                !op->is_private && !shifts->shifts[op->array].is_exact)
                for (uint32_t j = 0; j < op->count; j++)
                    extend(&ranges[op->array],
                           (struct sector_range){sectors[j], sectors[j] + SECTOR_BYTES});
        }
}

/* Ranges that nearly coincide become one, so that groups that access the same data by two
 * instructions still do so when they are shifted. */
static void join_ranges(const struct bl_stream_shifts *shifts, struct sector_range all[])
{
    for (size_t i = 0; i < shifts->count; i++)
        for (size_t j = 0; j < i; j++) {
            struct sector_range joined = all[i];
            extend(&joined, all[j]);
            if (all[i].end == 0 || all[j].end == 0 ||
                4 * bytes_of(&joined) >= 5 * bytes_of(&all[i]) ||
                4 * bytes_of(&joined) >= 5 * bytes_of(&all[j]))
                continue;
            const struct sector_range old = all[j];
            all[i] = joined;
            for (size_t k = 0; k < i; k++)
                if (all[k].begin == old.begin && all[k].end == old.end)
                    all[k] = joined;
        }
}

/* Finds the ranges of the instructions whose shifts do not agree with all sampled groups. If these
 * groups on average access most of an instruction's range, other groups do so, too, but at
 * addresses that do not follow from their position. Otherwise the range may move with the groups,
 * and is known only if the launch's last group was sampled. */
static bool find_ranges(const struct bl_streams *streams, const struct bl_wire_kernel *launch,
                        struct bl_stream_shifts *shifts)
{
    enum { LINES = 256 }; /* a whole number of lines, so that wrapped addresses keep lines whole */
    const uint64_t last = launch->groups[0] * launch->groups[1] * launch->groups[2] - 1;
    const bool is_last_sampled =
        streams->count > 0 && streams->groups[streams->count - 1].index == last;
    struct sector_range *all = calloc(2 * shifts->count + 1, sizeof *all),
                        *own = all ? all + shifts->count : NULL;
    struct spread {
        double bytes, groups;
    } *spread = calloc(shifts->count + 1, sizeof *spread);
    const bool has_memory = all && spread;
    for (size_t g = 0; has_memory && g < streams->count; g++) {
        memset(own, 0, shifts->count * sizeof *own);
        add_ranges(&streams->groups[g], shifts, own);
        for (size_t i = 0; i < shifts->count; i++)
            if (own[i].end > 0) {
                extend(&all[i], own[i]);
                spread[i].bytes += (double)bytes_of(&own[i]);
                spread[i].groups++;
            }
    }
    if (has_memory)
        join_ranges(shifts, all);
    for (size_t i = 0; has_memory && i < shifts->count; i++) {
        const uint64_t bytes = (bytes_of(&all[i]) + LINES - 1) / LINES * LINES;
        const bool is_spread = 2 * spread[i].bytes > (double)bytes_of(&all[i]) * spread[i].groups;
        if (bytes == 0 || bytes >> BL_BUFFER_BITS || (!is_spread && !is_last_sampled))
            continue;
        shifts->sharing[i].begin = all[i].begin;
        shifts->sharing[i].bytes = bytes;
        shifts->shifts[i].spread_bytes = is_spread ? (double)bytes : 0;
    }
    free(all);
    free(spread);
    return has_memory;
}

bool bl_stream_shifts_of(const struct bl_streams *streams, const struct bl_wire_kernel *launch,
                         struct bl_stream_shifts *shifts)
{
    *shifts = (struct bl_stream_shifts){0};
    for (size_t g = 0; g < streams->count; g++)
        if (streams->groups[g].array_count > shifts->count)
            shifts->count = streams->groups[g].array_count;
    shifts->shifts = calloc(shifts->count + 1, sizeof *shifts->shifts);
    shifts->sharing = calloc(shifts->count + 1, sizeof *shifts->sharing);
    struct sample *both = calloc(streams->count + 1, 2 * sizeof *both);
    bool has_memory = shifts->shifts && shifts->sharing && both;
    struct group_samples samples = {.same = both, .all = has_memory ? both + streams->count : NULL};
    if (has_memory) {
        find_shifts(streams, launch, false, &samples, shifts);
        find_shifts(streams, launch, true, &samples, shifts);
        has_memory = find_ranges(streams, launch, shifts);
    }
    free(both);
    return has_memory && find_updates_apart(streams, shifts);
}

void bl_stream_shifts_free(struct bl_stream_shifts *shifts)
{
    free(shifts->shifts);
    free(shifts->sharing);
    *shifts = (struct bl_stream_shifts){0};
}
