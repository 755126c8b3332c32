/* Simulates launches from the streams of their sampled groups (launch_time.h).
 *
 * Only the groups of one compute unit are simulated. A group that was not sampled runs the streams
 * of a sampled group, its template, at addresses shifted by the distance of the two groups, or at
 * random places if each group's accesses are spread over an array. The
 * template is the nearest sampled group, or one that does a similar amount of work. If the group
 * does more work than its template, it runs the streams again; if less, only their beginning. The
 * other units matter only for L2, which holds a block of memory if an earlier wave of groups on any
 * unit touched it, or if an earlier launch left it there. */
#include "trace/launch_time.h"

#include <math.h>
#include <stdlib.h>

#include "trace/launch_blocks.h"

enum {
    WAVE_OPS = 1000000, /* about how many operations of a unit's resident groups to simulate */
    ALL_OPS = 2000000,  /* how many operations of a unit to simulate in all */
    MAX_REPEATED = 4,   /* for a group that does more work than its template: multiple of a resident
                           group's part of WAVE_OPS to simulate at most */
    MAX_ALONE = 64,     /* maximum number of sampled groups that are simulated alone */
    MAX_WAVES = 64      /* about how many waves of groups to examine when choosing a unit */
};

/* How compilers keep loads in flight. USUAL is what NVIDIA's compiler does. It keeps 4 loads of a
 * loop in flight, as its PTX shows, and 8 loads in all. The number 8 fits kernels of SHOC that
 * load some 200 values in straight-line code. MOST and LEAST give the ends of the predicted
 * interval. */
enum { USUAL, MOST, LEAST, COMPILERS };
static const struct bl_compiled compilers[COMPILERS] = {
    [USUAL] = {4, 8, false}, [MOST] = {16, BL_MAX_IN_FLIGHT, true}, [LEAST] = {1, 1, false}};

/* A sampled group: its streams as each of `compilers` would compile them. Long streams are cut. */
struct template
{
    const struct bl_stream_group *from;
    struct bl_time_stream *streams[COMPILERS]; /* one per sub-group */
    struct amount {
        double ops;        /* number of operations */
        double arithmetic; /* for each piece of arithmetic, the larger of its instructions and its
                              chain length */
    } kept, all;           /* of what was kept of the streams, and of all that the group did */
    double alone_ns;       /* the time of this group if a unit runs no other */
};

struct simulating {
    const struct bl_machine *machine;
    struct bl_launch_groups groups;
    struct bl_launch_blocks blocks;
    unsigned registers;
    struct template *templates;
    double max_repeated; /* maximum number of operations to simulate of a group that does more work
                            than its template, if the template has fewer */
    int64_t *again;      /* for each instruction, the distance to the next group's accesses */
    uint64_t unit;       /* the simulated unit runs groups unit, unit + units, ... of the launch */
    double more, more_arithmetic; /* as in bl_time_launch */
    bool runs_at_once;            /* the units hold all groups at the same time */
    double longest_ns; /* time of the longest group if it runs alone; 0 if the simulated unit runs
                          it, or if the work of no group is known */
    /* The simulation in progress: */
    unsigned compiler;
    bool is_warm;
    unsigned per_group; /* groups of the launch that a simulated group merges: 1 or 2 */
    const struct bl_launch_template *only; /* the template of all groups; NULL: each group's own */
    double warm_hits; /* fraction of the blocks that L2 keeps from one launch to the next */
    int64_t **tables; /* for each group of the unit, its shifts, indexed by instruction */
    size_t table_count;
    struct bl_time_stream of_group[BL_TIME_MAX_SUB_GROUPS];
    bool no_memory;
};

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
            calloc(simulating->groups.shifts.count + 1, sizeof **simulating->tables);
        if (!simulating->tables[index]) {
            simulating->no_memory = true;
            return NULL;
        }
        bl_launch_shift(&simulating->groups, group, template, simulating->tables[index]);
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

/* How often a group executes the streams of its template in the simulation; the rest is
 * extrapolated. */
static double times_simulated(const struct simulating *simulating,
                              const struct bl_launch_template *own)
{
    const double ops = simulating->templates[own->sampled].kept.ops;
    return fmin(own->times, fmax(1, simulating->max_repeated / fmax(1, ops)));
}

/* Implements bl_time_launch.group. The simulated unit runs every n-th group of the launch, where n
 * is the number of units. */
static void give_group(void *context, size_t index, struct bl_time_group *group)
{
    struct simulating *simulating = context;
    const unsigned per_group = simulating->per_group, units = simulating->machine->compute_units;
    *group = (struct bl_time_group){.streams = simulating->of_group};
    for (unsigned part = 0; part < per_group; part++) {
        const uint64_t wanted = ((uint64_t)index * units + simulating->unit) * per_group + part,
                       number = wanted % simulating->groups.count;
        const struct bl_launch_template own =
            simulating->only ? *simulating->only
                             : bl_launch_template_for(&simulating->groups, number);
        const struct template *template = &simulating->templates[own.sampled];
        const double times = times_simulated(simulating, &own);
        const int64_t *shifts = table_of(simulating, index * per_group + part, number, own.sampled);
        for (unsigned s = 0; s < template->from->sub_groups; s++) {
            struct bl_time_stream *stream = &simulating->of_group[group->sub_groups++];
            *stream = template->streams[simulating->compiler][s];
            const double executed = ceil(times * (double)stream->count);
            stream->further =
                stream->count > 0 ? (size_t)fmax(0, executed - (double)stream->count) : 0;
            stream->count = (size_t)fmin((double)stream->count, executed);
            stream->shifts = shifts;
            stream->again = simulating->again;
            stream->sharing = simulating->groups.shifts.sharing;
        }
    }
}

/* Implements bl_time_launch.is_in_l2. */
static bool is_in_l2(void *context, uint64_t address, size_t wave)
{
    const struct simulating *simulating = context;
    return bl_launch_blocks_have(&simulating->blocks, address, wave,
                                 simulating->is_warm ? simulating->warm_hits : -1);
}

/* The simulation. */

/* Adds the first `count` operations of a stream. */
static void add_amount(struct amount *amount, const struct bl_time_stream *stream, size_t count)
{
    amount->ops += (double)count;
    for (size_t i = 0; i < count; i++)
        if (stream->ops[i].kind == BL_TIME_WORK)
            amount->arithmetic += fmax(stream->ops[i].issued, stream->ops[i].chain);
}

/* The estimated work of a group. */
static double work_of(const struct template *template)
{
    return template->all.ops + template->all.arithmetic;
}

/* Compiles the beginning of each stream, so that a unit's resident groups have about WAVE_OPS
 * operations together; the rest is extrapolated (bl_time_launch.more). */
static bool compile(struct simulating *simulating, size_t resident)
{
    const struct bl_streams *streams = simulating->groups.streams;
    simulating->max_repeated = MAX_REPEATED * (double)WAVE_OPS / (double)resident;
    simulating->templates = calloc(streams->count, sizeof *simulating->templates);
    for (size_t t = 0; simulating->templates && t < streams->count; t++) {
        struct template *template = &simulating->templates[t];
        template->from = &streams->groups[t];
        const unsigned subs = template->from->sub_groups;
        size_t counts[BL_TIME_MAX_SUB_GROUPS];
        bl_launch_cut(template->from, WAVE_OPS / resident + subs, counts);
        for (unsigned s = 0; s < subs; s++) {
            const struct bl_time_stream *stream = &template->from->streams[s];
            add_amount(&template->kept, stream, counts[s]);
            add_amount(&template->all, stream, stream->count);
        }
        template->all.ops *= bl_launch_times_reported(template->from);
        template->all.arithmetic += template->from->arithmetic_left_out;
        for (unsigned c = 0; c < COMPILERS; c++) {
            template->streams[c] = calloc(subs + 1, sizeof **template->streams);
            for (unsigned s = 0; s < subs; s++) {
                struct bl_time_stream part = template->from->streams[s];
                part.count = counts[s];
                if (!template->streams[c] ||
                    !bl_stream_compile(&part, &compilers[c], &template->streams[c][s]))
                    return false;
            }
        }
    }
    return simulating->templates != NULL;
}

static void free_simulating(struct simulating *simulating)
{
    for (size_t t = 0; simulating->templates && t < simulating->groups.streams->count; t++) {
        struct template *template = &simulating->templates[t];
        for (unsigned c = 0; c < COMPILERS; c++) {
            for (unsigned s = 0; template->streams[c] && s < template->from->sub_groups; s++)
                bl_stream_free_compiled(&template->streams[c][s]);
            free(template->streams[c]);
        }
    }
    free(simulating->templates);
    forget_tables(simulating);
    free(simulating->tables);
    free(simulating->again);
    bl_launch_templates_free(&simulating->groups);
    bl_stream_shifts_free(&simulating->groups.shifts);
    bl_launch_blocks_free(&simulating->blocks);
}

static struct bl_time_launch launch_of(struct simulating *simulating)
{
    const struct bl_stream_group *first = &simulating->groups.streams->groups[0];
    const uint64_t *local = simulating->groups.launch.local;
    return (struct bl_time_launch){
        .group = give_group,
        .is_in_l2 = is_in_l2,
        .context = simulating,
        .groups = simulating->groups.count,
        .group_items = (unsigned)(local[0] * local[1] * local[2]),
        .sub_groups = first->sub_groups,
        .local_bytes = (unsigned)first->local_bytes,
        .registers = simulating->registers,
        .more = simulating->more,
        .more_arithmetic = simulating->more_arithmetic,
        .max_ops = ALL_OPS,
    };
}

static enum bl_status simulate(struct simulating *simulating, unsigned compiler, bool is_warm,
                               const struct bl_time_launch *launch, struct bl_time_result *result,
                               struct bl_error *error)
{
    const struct bl_l2_left *left = simulating->blocks.left;
    const double blocks = is_warm ? simulating->blocks.touched : bl_l2_left_blocks(left);
    struct bl_time_launch filled = *launch;
    filled.l2_filled = fmin(1, blocks / simulating->blocks.capacity);
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
    if (status != BL_OK || simulating->groups.count % 2 || 2 * launch.group_items > max_items ||
        2 * launch.sub_groups > simulating->machine->sub_groups_per_unit ||
        2 * launch.sub_groups > BL_TIME_MAX_SUB_GROUPS ||
        launch.group_items % simulating->machine->lanes)
        return status;
    forget_tables(simulating);
    simulating->per_group = 2;
    simulating->unit /= 2; /* the unit's first merged group then contains its former first group */
    launch.groups /= 2;
    launch.group_items *= 2;
    launch.sub_groups *= 2;
    launch.local_bytes *= 2;
    status = simulate(simulating, USUAL, true, &launch, &result, error);
    times->larger_group_ns = result.ns;
    return status;
}

/* Choosing the unit to simulate.
 *
 * Groups may differ in what they do. If all of them run at the same time, the launch ends with the
 * group that takes longest, so the unit that runs it is simulated. Otherwise a unit that becomes
 * free takes the next group, so all units end at about the same time, and one with an average load
 * is simulated; but the launch takes at least as long as its longest group. */

/* The groups of a unit: sums, and the longest time of a group if it ran alone. */
struct load {
    double ns, longest_ns;
    struct amount kept, all;
};

static void add(struct amount *sum, const struct amount *amount, double times)
{
    sum->ops += times * amount->ops;
    sum->arithmetic += times * amount->arithmetic;
}

static double divided(double all, double kept) { return kept > 0 ? all / kept : 1; }

/* Only every `step`-th group counts. */
static struct load load_of(const struct simulating *simulating, uint64_t unit, uint64_t step)
{
    struct load load = {0};
    for (uint64_t g = unit; g < simulating->groups.count;
         g += step * simulating->machine->compute_units) {
        const struct bl_launch_template own = bl_launch_template_for(&simulating->groups, g);
        const struct template *template = &simulating->templates[own.sampled];
        const double ns = own.times * template->alone_ns;
        load.ns += ns;
        load.longest_ns = fmax(load.longest_ns, ns);
        add(&load.kept, &template->kept, times_simulated(simulating, &own));
        add(&load.all, &template->all, own.times);
    }
    return load;
}

/* Whether groups differ in what they do. */
static bool differ(const struct simulating *simulating)
{
    static const double little = 1.02;
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < simulating->groups.known_count; i++)
        if (simulating->groups.known[i].template.times != 1)
            return true;
    for (size_t t = 0; t < simulating->groups.streams->count; t++) {
        const double work = work_of(&simulating->templates[t]);
        least = fmin(least, work);
        most = fmax(most, work);
    }
    return most > little * least;
}

/* Simulates one group alone. */
static enum bl_status simulate_one(struct simulating *simulating,
                                   const struct bl_launch_template *own, double *ns,
                                   struct bl_error *error)
{
    const struct template *template = &simulating->templates[own->sampled];
    const double more = own->times / times_simulated(simulating, own);
    struct bl_time_launch launch = launch_of(simulating);
    struct bl_time_result result = {0};
    launch.groups = 1;
    launch.more = more * divided(template->all.ops, template->kept.ops);
    launch.more_arithmetic = more * divided(template->all.arithmetic, template->kept.arithmetic);
    simulating->only = own;
    forget_tables(simulating);
    const enum bl_status status = simulate(simulating, USUAL, true, &launch, &result, error);
    simulating->only = NULL;
    forget_tables(simulating);
    *ns = result.ns - simulating->machine->launch_ns;
    return status;
}

/* Simulates each sampled group alone. If there are very many, their work stands for their time. */
static enum bl_status simulate_alone(struct simulating *simulating, struct bl_error *error)
{
    const size_t count = simulating->groups.streams->count;
    enum bl_status status = BL_OK;
    for (size_t t = 0; status == BL_OK && t < count; t++) {
        simulating->templates[t].alone_ns = work_of(&simulating->templates[t]);
        if (count <= MAX_ALONE)
            status = simulate_one(simulating, &(struct bl_launch_template){t, 1},
                                  &simulating->templates[t].alone_ns, error);
    }
    return status;
}

/* The unit whose groups include the longest; of several, the one with the largest load. */
static uint64_t longest_unit(const struct simulating *simulating, uint64_t units)
{
    struct load most = {0};
    uint64_t best = 0;
    for (uint64_t u = 0; u < units; u++) {
        const struct load load = load_of(simulating, u, 1);
        if (load.longest_ns > most.longest_ns ||
            (load.longest_ns == most.longest_ns && load.ns > most.ns)) {
            most = load;
            best = u;
        }
    }
    return best;
}

/* Of the units that run the most groups, the one whose load is nearest to their mean load. */
static uint64_t average_unit(const struct simulating *simulating, uint64_t waves)
{
    const uint64_t units = simulating->machine->compute_units, step = 1 + waves / MAX_WAVES,
                   candidates = simulating->groups.count - (waves - 1) * units;
    double mean = 0, least = INFINITY;
    uint64_t best = 0;
    for (uint64_t u = 0; u < candidates; u++)
        mean += load_of(simulating, u, step).ns / (double)candidates;
    for (uint64_t u = 0; u < candidates; u++) {
        const double distance = fabs(load_of(simulating, u, step).ns - mean);
        if (distance < least) {
            least = distance;
            best = u;
        }
    }
    return best;
}

/* Finds the time of the longest group whose work is known. */
static enum bl_status find_longest(struct simulating *simulating, struct bl_error *error)
{
    struct bl_launch_template longest = {0, 1};
    double most_ns = 0;
    for (size_t i = 0; i < simulating->groups.known_count; i++) {
        const struct bl_launch_template *own = &simulating->groups.known[i].template;
        const double ns = own->times * simulating->templates[own->sampled].alone_ns;
        longest = ns > most_ns ? *own : longest;
        most_ns = fmax(most_ns, ns);
    }
    return simulating->groups.known_count > 0
               ? simulate_one(simulating, &longest, &simulating->longest_ns, error)
               : BL_OK;
}

static uint64_t best_unit(struct simulating *simulating)
{
    const struct bl_time_launch launch = launch_of(simulating);
    const uint64_t units = simulating->machine->compute_units, groups = simulating->groups.count,
                   waves = (groups + units - 1) / units;
    simulating->runs_at_once = waves <= bl_time_resident(simulating->machine, &launch);
    return simulating->runs_at_once ? longest_unit(simulating, groups < units ? groups : units)
                                    : average_unit(simulating, waves);
}

static enum bl_status choose_unit(struct simulating *simulating, struct bl_error *error)
{
    enum bl_status status = BL_OK;
    if (differ(simulating)) {
        status = simulate_alone(simulating, error);
        simulating->unit = best_unit(simulating);
        if (status == BL_OK && !simulating->runs_at_once)
            status = find_longest(simulating, error);
    }
    const struct load load = load_of(simulating, simulating->unit, 1);
    simulating->more = divided(load.all.ops, load.kept.ops);
    simulating->more_arithmetic = divided(load.all.arithmetic, load.kept.arithmetic);
    return status;
}

/* A group that executes its streams again does what the following groups would do. */
static bool find_again(struct simulating *simulating)
{
    struct bl_launch_groups *groups = &simulating->groups;
    const struct bl_stream_group *first = &groups->streams->groups[0];
    simulating->again = calloc(groups->shifts.count + 1, sizeof *simulating->again);
    if (simulating->again)
        bl_launch_shift(groups, first->index + 1, 0, simulating->again);
    return simulating->again != NULL;
}

static bool prepare(struct simulating *simulating)
{
    struct bl_launch_groups *groups = &simulating->groups;
    const struct bl_stream_group *first = &groups->streams->groups[0];
    const struct bl_time_launch launch = {.sub_groups = first->sub_groups,
                                          .local_bytes = (unsigned)first->local_bytes,
                                          .registers = simulating->registers};
    const struct bl_machine *machine = simulating->machine;
    const unsigned units = machine->compute_units, resident = bl_time_resident(machine, &launch);
    const uint64_t of_unit = (groups->count + units - 1) / units;
    if (!bl_stream_shifts_of(groups->streams, &groups->launch, &groups->shifts) ||
        !bl_launch_templates_find(groups) || !find_again(simulating) ||
        !compile(simulating, resident < of_unit ? resident : (size_t)of_unit) ||
        !bl_launch_blocks_find(&simulating->blocks, groups, (double)resident * units))
        return false;
    simulating->warm_hits =
        bl_l2_part_kept(simulating->blocks.touched / simulating->blocks.capacity);
    return true;
}

static enum bl_status fail_memory(struct bl_error *error)
{
    return bl_fail(error, BL_NO_MEMORY, "out of memory while predicting times");
}

/* The caller frees *simulating in any case. */
static enum bl_status begin(struct simulating *simulating,
                            const struct bl_simulated_launch *simulated,
                            const struct bl_l2_left *left, struct bl_error *error)
{
    const struct bl_machine *machine = simulated->machine;
    *simulating = (struct simulating){
        .machine = machine,
        .groups = bl_launch_groups_of(machine, simulated->launch, simulated->streams),
        .blocks = bl_launch_blocks_of(machine, left),
        .registers = simulated->registers,
        .per_group = 1,
    };
    return prepare(simulating) ? choose_unit(simulating, error) : fail_memory(error);
}

/* Lengthens a launch that ends before its longest group. Returns the factor. */
static double await_longest(const struct simulating *simulating, struct bl_time_result *result)
{
    const double ns = result->ns,
                 least_ns = simulating->machine->launch_ns + simulating->longest_ns;
    if (simulating->longest_ns <= 0 || ns >= least_ns)
        return 1;
    result->ns = least_ns;
    for (unsigned i = 0; i < BL_LIMITS; i++)
        result->shares[i] *= ns / least_ns;
    result->shares[BL_LIMIT_TAIL] += 1 - ns / least_ns;
    for (unsigned i = 0; i < BL_LIMITS; i++)
        if (result->shares[i] > result->shares[result->limited_by])
            result->limited_by = (enum bl_time_limit)i;
    return least_ns / ns;
}

static void await_longest_in_all(const struct simulating *simulating, struct bl_launch_times *times)
{
    times->most_ns *= await_longest(simulating, &times->cold);
    times->least_ns *= await_longest(simulating, &times->warm);
    if (simulating->longest_ns > 0) {
        const double least_ns = simulating->machine->launch_ns + simulating->longest_ns;
        times->twice_groups_ns = fmax(times->twice_groups_ns, least_ns);
        if (!isnan(times->larger_group_ns))
            times->larger_group_ns = fmax(times->larger_group_ns, least_ns);
    }
}

enum bl_status bl_launch_times(const struct bl_simulated_launch *simulated, struct bl_l2_left *left,
                               struct bl_launch_times *times, struct bl_error *error)
{
    struct simulating simulating;
    enum bl_status status = begin(&simulating, simulated, left, error);
    const struct bl_time_launch launch = launch_of(&simulating);
    const bool is_warm = !simulated->is_again;
    struct bl_time_result least = {0}, most = {0};
    if (status == BL_OK)
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
    if (status == BL_OK)
        await_longest_in_all(&simulating, times);
    if (status == BL_OK && !bl_launch_blocks_leave(&simulating.blocks, left))
        status = fail_memory(error);
    free_simulating(&simulating);
    return status;
}

enum bl_status bl_launch_warm_ns(const struct bl_simulated_launch *simulated, double *ns,
                                 struct bl_error *error)
{
    const struct bl_l2_left nothing = {0};
    struct simulating simulating;
    struct bl_time_result warm = {0};
    enum bl_status status = begin(&simulating, simulated, &nothing, error);
    const struct bl_time_launch launch = launch_of(&simulating);
    if (status == BL_OK)
        status = simulate(&simulating, USUAL, true, &launch, &warm, error);
    await_longest(&simulating, &warm);
    free_simulating(&simulating);
    *ns = warm.ns;
    return status;
}
