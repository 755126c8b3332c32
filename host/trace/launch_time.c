/* Simulates launches from the streams of their sampled groups (launch_time.h).
 *
 * Only the groups of one compute unit are simulated. A group that was not sampled runs the streams
 * of the nearest sampled group, its template, at addresses shifted by the distance of the two
 * groups. The other units matter only for L2, which holds a block of memory if an earlier wave of
 * groups on any unit touched it, or if an earlier launch left it there. */
#include "trace/launch_time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum {
    WAVE_OPS = 100000, /* about how many operations of a unit's resident groups to simulate */
    ALL_OPS = 200000,  /* how many operations of a unit to simulate in all */
    TOUCHES = 1 << 21  /* about how many touches of L2 blocks to examine */
};

/* How compilers keep loads in flight. USUAL is what NVIDIA's compiler does. It keeps 4 loads of a
 * loop in flight, as its PTX shows, and 8 loads in all. The number 8 fits kernels of SHOC that
 * load some 200 values in straight-line code. MOST and LEAST give the ends of the predicted
 * interval. */
enum { USUAL, MOST, LEAST, COMPILERS };
static const struct bl_compiled compilers[COMPILERS] = {
    [USUAL] = {4, 8, false}, [MOST] = {16, BL_MAX_IN_FLIGHT, true}, [LEAST] = {1, 1, false}};

/* A block that a group touches: the address and the instruction of the first access to it. */
struct touch {
    uint64_t address;
    uint32_t array;
};

/* A sampled group: its streams as each of `compilers` would compile them, and the blocks of L2 that
 * it touches. */
struct template
{
    const struct bl_stream_group *from;
    struct bl_time_stream *streams[COMPILERS]; /* one per sub-group */
    struct touch *touches; /* only for the first, the last and the usual template */
    size_t touch_count, touch_capacity;
    size_t half_count; /* blocks that the first half of each stream touches */
};

struct simulating {
    const struct bl_machine *machine;
    struct bl_wire_kernel launch;
    uint64_t groups;
    unsigned registers;
    const struct bl_streams *streams;
    struct bl_stream_shifts shifts;
    struct template *templates;
    const struct bl_l2_left *left;
    struct bl_time_map waves;  /* for each block of L2, the first wave that touches it */
    struct bl_time_map halves; /* blocks that the first half of a group's reported accesses touches;
                                  empty if all accesses were reported */
    unsigned block_bytes;
    double touched; /* number of L2 blocks that all groups together touch */
    double more;    /* as in bl_time_launch */
    /* The simulation in progress: */
    unsigned compiler;
    bool is_warm;
    unsigned per_group; /* groups of the launch that a simulated group merges: 1 or 2 */
    double warm_hits;   /* fraction of the blocks that L2 keeps from one launch to the next */
    int64_t **tables;   /* for each group of the unit, its shifts, indexed by instruction */
    size_t table_count;
    struct bl_time_stream of_group[BL_TIME_MAX_SUB_GROUPS];
    bool no_memory;
};

static const double was_there =
    -1e9; /* added to the wave of a block that L2 held before the launch */

/* Whether the last sampled group makes fewer accesses than the first. */
static bool is_last_less(const struct bl_streams *streams)
{
    const struct bl_stream_group *first = &streams->groups[0],
                                 *last = &streams->groups[streams->count - 1];
    return last->told + last->left_out < first->told + first->left_out;
}

/* The sampled group nearest to a group. The launch's first and last group stand only for themselves
 * if other groups were sampled. Otherwise only the last one does, if it makes fewer accesses than
 * the first, as in the totals of kernels (group_weights.h), which also mix the two at the edges of
 * a grid. */
static size_t template_of(const struct simulating *simulating, uint64_t group)
{
    const struct bl_streams *streams = simulating->streams;
    const uint64_t last = simulating->groups - 1;
    const bool are_more = streams->count > 2, is_last_alone = are_more || is_last_less(streams);
    size_t best = 0;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < streams->count; i++) {
        const uint64_t index = streams->groups[i].index;
        uint64_t distance = index > group ? index - group : group - index;
        if (distance > 0 && ((index == last && is_last_alone) || (index == 0 && are_more)))
            distance += 2 * simulating->groups;
        if (distance < least) {
            least = distance;
            best = i;
        }
    }
    return best;
}

static void place_of(const struct simulating *simulating, uint64_t group, double at[3])
{
    const uint64_t *groups = simulating->launch.groups;
    const uint64_t row = group / groups[0], layer = row / groups[1];
    at[0] = (double)(group % groups[0]);
    at[1] = (double)(row % groups[1]);
    at[2] = (double)layer;
}

/* The number of a group's accesses, divided by the number of accesses that were reported; 1 if all
 * were reported. */
static double times_reported(const struct bl_stream_group *group)
{
    return 1 + (double)group->left_out / (double)(group->told ? group->told : 1);
}

/* Computes, for each instruction, the distance in bytes from the template's accesses to the group's
 * accesses. */
static void shift_group(const struct simulating *simulating, uint64_t group, size_t template,
                        int64_t shifts[])
{
    double to[3], from[3];
    place_of(simulating, group, to);
    place_of(simulating, simulating->streams->groups[template].index, from);
    for (size_t i = 0; i < simulating->shifts.count; i++) {
        const struct bl_stream_shift *shift = &simulating->shifts.shifts[i];
        double by = 0;
        for (unsigned d = 0; d < 3; d++)
            by += shift->by[d] * (to[d] - from[d]);
        shifts[i] = (int64_t)by;
    }
}

/* The shifts of the unit's index-th group; computed at the first call and then kept. */
static const int64_t *table_of(struct simulating *simulating, size_t index, uint64_t group,
                               size_t template)
{
    if (index >= simulating->table_count) {
        const size_t count = 2 * index + 64;
        int64_t **tables = realloc(simulating->tables, count * sizeof *tables);
        if (!tables) {
            simulating->no_memory = true;
            return NULL;
        }
        for (size_t i = simulating->table_count; i < count; i++)
            tables[i] = NULL;
        simulating->tables = tables;
        simulating->table_count = count;
    }
    if (!simulating->tables[index]) {
        simulating->tables[index] =
            calloc(simulating->shifts.count + 1, sizeof **simulating->tables);
        if (!simulating->tables[index]) {
            simulating->no_memory = true;
            return NULL;
        }
        shift_group(simulating, group, template, simulating->tables[index]);
    }
    return simulating->tables[index];
}

static void forget_tables(struct simulating *simulating)
{
    for (size_t i = 0; i < simulating->table_count; i++) {
        free(simulating->tables[i]);
        simulating->tables[i] = NULL;
    }
}

/* Implements bl_time_launch.group. The simulated unit runs every n-th group of the launch, where n
 * is the number of units. */
static void give_group(void *context, size_t index, struct bl_time_group *group)
{
    struct simulating *simulating = context;
    const unsigned per_group = simulating->per_group;
    *group = (struct bl_time_group){.streams = simulating->of_group};
    for (unsigned part = 0; part < per_group; part++) {
        const uint64_t wanted =
            ((uint64_t)index * simulating->machine->compute_units) * per_group + part;
        const uint64_t number = wanted % simulating->groups;
        const size_t at = template_of(simulating, number);
        const struct template *template = &simulating->templates[at];
        const int64_t *shifts = table_of(simulating, index * per_group + part, number, at);
        for (unsigned s = 0; s < template->from->sub_groups; s++) {
            struct bl_time_stream *stream = &simulating->of_group[group->sub_groups++];
            *stream = template->streams[simulating->compiler][s];
            stream->shifts = shifts;
            stream->is_apart = simulating->shifts.is_apart;
        }
    }
}

/* A pseudo-random number from 0 to 1 that depends only on the block and the salt. */
static double lot_of(uint64_t block, double salt)
{
    uint64_t bits = (block + (uint64_t)salt * 0xD1B54A32D192ED03u) * 0x9E3779B97F4A7C15u;
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9u;
    return (double)(bits >> 11) / 9007199254740992.0;
}

/* Which blocks L2 holds. */

/* Adds the blocks that the operations from `begin` on, before `end`, touch and that no earlier
 * operation touched. */
static bool find_touches_of(const struct simulating *simulating, struct template *template,
                            const struct bl_time_stream *stream, size_t begin, size_t end,
                            struct bl_time_map *seen)
{
    bool has_memory = true;
    for (size_t i = begin; has_memory && i < end; i++) {
        const struct bl_time_op *op = &stream->ops[i];
        if (op->kind != BL_TIME_LOAD && op->kind != BL_TIME_STORE && op->kind != BL_TIME_ATOMIC)
            continue;
        for (uint32_t j = 0; has_memory && j < op->count; j++) {
            bool is_known = true;
            const uint64_t address = stream->sectors[op->first + j];
            has_memory = bl_time_map_at(seen, address / simulating->block_bytes, &is_known) != NULL;
            if (is_known)
                continue;
            struct touch *touch = bl_array_append(&template->touches, &template->touch_count,
                                                  &template->touch_capacity, sizeof *touch);
            has_memory = has_memory && touch;
            if (touch)
                *touch = (struct touch){address, op->array};
        }
    }
    return has_memory;
}

static bool find_touches(const struct simulating *simulating, struct template *template)
{
    struct bl_time_map seen = {0};
    bool has_memory = true;
    for (unsigned half = 0; half < 2; half++) {
        template->half_count = template->touch_count;
        for (unsigned s = 0; has_memory && s < template->from->sub_groups; s++) {
            const struct bl_time_stream *stream = &template->from->streams[s];
            const size_t middle = stream->count / 2;
            has_memory = find_touches_of(simulating, template, stream, half ? middle : 0,
                                         half ? stream->count : middle, &seen);
        }
    }
    bl_time_map_free(&seen);
    return has_memory;
}

/* The template whose touched blocks are used for all groups but the first and the last. */
static size_t usual_template(const struct simulating *simulating)
{
    return template_of(simulating, simulating->groups / 2);
}

/* The template whose touched blocks are used for a group. */
static size_t touching(const struct simulating *simulating, uint64_t group)
{
    return group == 0                        ? 0
           : group + 1 == simulating->groups ? simulating->streams->count - 1
                                             : usual_template(simulating);
}

/* Whether L2 still holds a block that an earlier launch or the host touched, when this launch has
 * touched `touched` blocks. The answer is random. */
static bool is_left(const struct simulating *simulating, uint64_t block, double touched)
{
    return lot_of(block, 1) <
           bl_l2_left_part(simulating->left, block, touched, bl_l2_blocks(simulating->machine));
}

static bool is_in_l2(void *context, uint64_t address, size_t wave)
{
    const struct simulating *simulating = context;
    const uint64_t block = address / simulating->block_bytes;
    if (simulating->is_warm && lot_of(block, 0) < simulating->warm_hits)
        return true;
    const double *first = bl_time_map_find(&simulating->waves, block);
    if (!first) /* only groups that find_waves skipped touch it, on average half-way through */
        return !simulating->is_warm && is_left(simulating, block, simulating->touched / 2);
    const bool had = *first < was_there / 2;
    return (had && !simulating->is_warm) || (had ? *first - was_there : *first) < (double)wave;
}

/* touched: number of blocks that the launch has touched before. */
static bool touch_block(struct simulating *simulating, uint64_t block, double wave, double touched)
{
    bool is_known;
    double *first = bl_time_map_at(&simulating->waves, block, &is_known);
    if (first && !is_known)
        *first = wave + (is_left(simulating, block, touched) ? was_there : 0);
    return first != NULL;
}

/* Finds the first wave that touches each block. Examines only every n-th group, so that it examines
 * about TOUCHES touches. */
static bool find_waves(struct simulating *simulating, double per_wave)
{
    const size_t count = simulating->streams->count;
    const size_t usual = usual_template(simulating), looked_at[] = {0, usual, count - 1};
    for (unsigned i = 0; i < 3; i++)
        if (!simulating->templates[looked_at[i]].touches &&
            !find_touches(simulating, &simulating->templates[looked_at[i]]))
            return false;
    const double all =
        (double)simulating->templates[usual].touch_count * (double)simulating->groups;
    const uint64_t every = 1 + (uint64_t)(all / TOUCHES);
    int64_t *shifts = calloc(simulating->shifts.count + 1, sizeof *shifts);
    bool has_memory = shifts != NULL;
    size_t of_half = 0;
    for (uint64_t g = 0; has_memory && g < simulating->groups; g += every) {
        const size_t at = touching(simulating, g);
        const struct template *template = &simulating->templates[at];
        shift_group(simulating, g, at, shifts);
        if (2 * g < simulating->groups)
            of_half = simulating->waves.count;
        for (size_t i = 0; has_memory && template->touches && i < template->touch_count; i++) {
            const uint64_t address =
                template->touches[i].address + (uint64_t)shifts[template->touches[i].array];
            bool is_known;
            has_memory = touch_block(simulating, address / simulating->block_bytes,
                                     floor((double)g / per_wave),
                                     (double)simulating->waves.count * (double)every);
            if (has_memory && template->from->left_out > 0 && i < template->half_count)
                has_memory = bl_time_map_at(&simulating->halves, address / simulating->block_bytes,
                                            &is_known) != NULL;
        }
    }
    free(shifts);
    /* Extrapolates to the skipped groups, by the number of blocks that the second half of the
     * groups added to the blocks of the first half. Also extrapolates to the accesses that were not
     * reported: they touch new blocks as often as the second half of the reported ones did. */
    const double touched = (double)simulating->waves.count,
                 growth = of_half > 0 ? log2(touched / (double)of_half) : 1,
                 later = touched - (double)simulating->halves.count,
                 left_out = times_reported(simulating->templates[usual].from) - 1;
    simulating->touched =
        (touched + 2 * later * left_out) * pow((double)every, fmax(0, fmin(1, growth)));
    return has_memory;
}

/* Adds the blocks that the launch touches to the blocks left in L2. */
static bool leave(const struct simulating *simulating, struct bl_l2_left *left)
{
    bool has_memory =
        bl_l2_left_begin(left, simulating->touched / fmax(1, (double)simulating->waves.count));
    for (size_t i = 0; has_memory && i < simulating->waves.capacity; i++) {
        uint64_t block;
        if (!isnan(bl_time_map_slot(&simulating->waves, i, &block)))
            has_memory = bl_l2_left_add(left, block);
    }
    bl_l2_left_end(left);
    return has_memory;
}

/* The simulation. */

/* The index after the stream's `number`-th barrier, counted from 1; the stream's end if it has
 * fewer barriers. */
static size_t behind_barrier(const struct bl_time_stream *stream, size_t number)
{
    size_t at = 0;
    for (size_t seen = 0; at < stream->count && seen < number; at++)
        seen += stream->ops[at].kind == BL_TIME_BARRIER;
    return at;
}

/* Chooses how many operations of each of a group's streams to simulate, about `budget` in all.
 * Streams are cut at the same barrier, because one sub-group may do much between barriers while
 * other sub-groups only wait. If no such cut keeps between half and twice the budget (a group may
 * do most of its work after its only barrier), the same fraction of each stream is kept instead. */
static void cut(const struct bl_stream_group *group, size_t budget, size_t counts[])
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

/* Compiles the beginning of each stream, so that a unit's resident groups have about WAVE_OPS
 * operations together; the rest is extrapolated (bl_time_launch.more). */
static bool compile(struct simulating *simulating, size_t resident)
{
    const size_t count = simulating->streams->count;
    double kept = 0, all = 0;
    simulating->templates = calloc(count, sizeof *simulating->templates);
    for (size_t t = 0; simulating->templates && t < count; t++) {
        struct template *template = &simulating->templates[t];
        template->from = &simulating->streams->groups[t];
        const unsigned subs = template->from->sub_groups;
        size_t counts[BL_TIME_MAX_SUB_GROUPS];
        cut(template->from, WAVE_OPS / resident + subs, counts);
        for (unsigned c = 0; c < COMPILERS; c++) {
            template->streams[c] = calloc(subs, sizeof **template->streams);
            for (unsigned s = 0; s < subs; s++) {
                struct bl_time_stream part = template->from->streams[s];
                part.count = counts[s];
                if (!template->streams[c] ||
                    !bl_stream_compile(&part, &compilers[c], &template->streams[c][s]))
                    return false;
                kept += (double)part.count;
                all += times_reported(template->from) * (double)template->from->streams[s].count;
            }
        }
    }
    simulating->more = kept > 0 ? all / kept : 1;
    return simulating->templates != NULL;
}

static void free_simulating(struct simulating *simulating)
{
    for (size_t t = 0; simulating->templates && t < simulating->streams->count; t++) {
        struct template *template = &simulating->templates[t];
        for (unsigned c = 0; c < COMPILERS; c++) {
            for (unsigned s = 0; template->streams[c] && s < template->from->sub_groups; s++)
                bl_stream_free_compiled(&template->streams[c][s]);
            free(template->streams[c]);
        }
        free(template->touches);
    }
    free(simulating->templates);
    forget_tables(simulating);
    free(simulating->tables);
    bl_stream_shifts_free(&simulating->shifts);
    bl_time_map_free(&simulating->waves);
    bl_time_map_free(&simulating->halves);
}

static struct bl_time_launch launch_of(struct simulating *simulating)
{
    const struct bl_stream_group *first = &simulating->streams->groups[0];
    const uint64_t *local = simulating->launch.local;
    return (struct bl_time_launch){
        .group = give_group,
        .is_in_l2 = is_in_l2,
        .context = simulating,
        .groups = simulating->groups,
        .group_items = (unsigned)(local[0] * local[1] * local[2]),
        .sub_groups = first->sub_groups,
        .local_bytes = (unsigned)first->local_bytes,
        .registers = simulating->registers,
        .more = simulating->more,
        .max_ops = ALL_OPS,
    };
}

static enum bl_status simulate(struct simulating *simulating, unsigned compiler, bool is_warm,
                               const struct bl_time_launch *launch, struct bl_time_result *result,
                               struct bl_error *error)
{
    const struct bl_l2_left *left = simulating->left;
    const double blocks = is_warm                  ? simulating->touched
                          : left->period_count > 0 ? left->periods[0].since
                                                   : 0;
    struct bl_time_launch filled = *launch;
    filled.l2_filled = fmin(1, blocks / bl_l2_blocks(simulating->machine));
    simulating->compiler = compiler;
    simulating->is_warm = is_warm;
    const enum bl_status status = bl_time_of(simulating->machine, &filled, result, error);
    return status == BL_OK && simulating->no_memory
               ? bl_fail(error, BL_NO_MEMORY, "out of memory while predicting times")
               : status;
}

/* Simulates twice as many groups, and then groups of twice the size. larger_group_ns stays NAN if
 * the machine cannot run such groups, or if pairs of groups cannot be merged into them. */
static enum bl_status what_if(struct simulating *simulating, struct bl_launch_times *times,
                              struct bl_error *error)
{
    struct bl_time_launch launch = launch_of(simulating);
    struct bl_time_result result;
    times->larger_group_ns = NAN;
    launch.groups *= 2;
    enum bl_status status = simulate(simulating, USUAL, true, &launch, &result, error);
    times->twice_groups_ns = result.ns;
    launch = launch_of(simulating);
    const unsigned max_items = 1024; /* maximum group size of any GPU */
    if (status != BL_OK || simulating->groups % 2 || 2 * launch.group_items > max_items ||
        2 * launch.sub_groups > simulating->machine->sub_groups_per_unit ||
        2 * launch.sub_groups > BL_TIME_MAX_SUB_GROUPS ||
        launch.group_items % simulating->machine->lanes)
        return status;
    forget_tables(simulating);
    simulating->per_group = 2;
    launch.groups /= 2;
    launch.group_items *= 2;
    launch.sub_groups *= 2;
    launch.local_bytes *= 2;
    status = simulate(simulating, USUAL, true, &launch, &result, error);
    times->larger_group_ns = result.ns;
    return status;
}

static bool prepare(struct simulating *simulating)
{
    const struct bl_stream_group *first = &simulating->streams->groups[0];
    const struct bl_time_launch launch = {.sub_groups = first->sub_groups,
                                          .local_bytes = (unsigned)first->local_bytes,
                                          .registers = simulating->registers};
    const struct bl_machine *machine = simulating->machine;
    const unsigned units = machine->compute_units, resident = bl_time_resident(machine, &launch);
    const uint64_t of_unit = (simulating->groups + units - 1) / units;
    if (!bl_stream_shifts_of(simulating->streams, &simulating->launch, &simulating->shifts) ||
        !compile(simulating, resident < of_unit ? resident : (size_t)of_unit) ||
        !find_waves(simulating, (double)resident * units))
        return false;
    simulating->warm_hits =
        bl_l2_part_kept(simulating->touched / bl_l2_blocks(simulating->machine));
    return true;
}

/* The caller frees *simulating in any case. */
static bool begin(struct simulating *simulating, const struct bl_simulated_launch *simulated,
                  const struct bl_l2_left *left)
{
    const struct bl_wire_kernel *launch = simulated->launch;
    *simulating = (struct simulating){
        .machine = simulated->machine,
        .launch = *launch,
        .groups = launch->groups[0] * launch->groups[1] * launch->groups[2],
        .streams = simulated->streams,
        .registers = simulated->registers,
        .left = left,
        .per_group = 1,
        .block_bytes = simulated->machine->levels[BL_LEVEL_MEMORY].granule_bytes,
    };
    return prepare(simulating);
}

static enum bl_status fail_memory(struct bl_error *error)
{
    return bl_fail(error, BL_NO_MEMORY, "out of memory while predicting times");
}

enum bl_status bl_launch_times(const struct bl_simulated_launch *simulated, struct bl_l2_left *left,
                               struct bl_launch_times *times, struct bl_error *error)
{
    struct simulating simulating;
    bool has_memory = begin(&simulating, simulated, left);
    enum bl_status status = BL_OK;
    if (has_memory) {
        const struct bl_time_launch launch = launch_of(&simulating);
        const bool is_warm = !simulated->is_again;
        struct bl_time_result least = {0}, most = {0};
        status = simulate(&simulating, USUAL, false, &launch, &times->cold, error);
        if (status == BL_OK)
            status = simulate(&simulating, USUAL, is_warm, &launch, &times->warm, error);
        if (status == BL_OK)
            status = simulate(&simulating, MOST, is_warm, &launch, &least, error);
        if (status == BL_OK)
            status = simulate(&simulating, LEAST, false, &launch, &most, error);
        if (status == BL_OK)
            status = what_if(&simulating, times, error);
        times->least_ns = least.ns;
        times->most_ns = most.ns;
    }
    has_memory = has_memory && leave(&simulating, left);
    free_simulating(&simulating);
    return status == BL_OK && !has_memory ? fail_memory(error) : status;
}

enum bl_status bl_launch_warm_ns(const struct bl_simulated_launch *simulated, double *ns,
                                 struct bl_error *error)
{
    const struct bl_l2_left nothing = {0};
    struct simulating simulating;
    struct bl_time_result warm = {0};
    enum bl_status status = BL_OK;
    if (begin(&simulating, simulated, &nothing)) {
        const struct bl_time_launch launch = launch_of(&simulating);
        status = simulate(&simulating, USUAL, true, &launch, &warm, error);
    } else
        status = fail_memory(error);
    free_simulating(&simulating);
    *ns = warm.ns;
    return status;
}
