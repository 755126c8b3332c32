#include "trace/predicted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "trace/trace.h"

enum {
    WAVE_OPS = 100000, /* of a unit's resident groups, about */
    ALL_OPS = 200000,  /* simulated */
    TOUCHES = 1 << 21, /* of blocks of L2 by groups */
    MAX_TOUCHED = 1 << 23,
    CODE_FETCHES = 4 /* of a kernel's code that no cache has, one after another, at most */
};

/* Loads of a loop that a compiler has under way: what NVIDIA's does where nothing forbids it, and
 * the ends of the interval. */
enum { USUAL, MOST, LEAST, COMPILERS };
static const struct bl_compiled compilers[COMPILERS] = {
    [USUAL] = {4}, [MOST] = {16}, [LEAST] = {1}};
static const double beyond = 0.1; /* both ends: the model's own error */

/* A block that a group touches. */
struct touch {
    uint64_t address;
    uint32_t array;
};

/* The streams of a sampled group, compiled, and the blocks that it touches. */
struct template
{
    const struct bl_stream_group *from;
    struct bl_time_stream *streams[COMPILERS]; /* by sub-group */
    struct touch *touches;                     /* of the first, the last and one between */
    size_t touch_count;
};

struct predicting {
    const struct bl_machine *machine;
    struct bl_wire_kernel launch;
    uint64_t groups;
    const struct bl_streams *streams;
    struct bl_stream_shifts shifts;
    struct template *templates;
    struct bl_time_map waves; /* by block of L2: the first wave that touches it */
    unsigned block_bytes;
    double touched; /* blocks of L2, by all groups */
    double more;
    /* What is simulated. */
    unsigned compiler;
    bool is_warm;
    unsigned per_group; /* groups of the launch in one: 1 or 2 */
    double warm_hits;   /* of blocks, from one launch to the next */
    int64_t **tables;   /* shifts of the groups asked for, by index */
    size_t table_count;
    struct bl_time_stream of_group[BL_TIME_MAX_SUB_GROUPS];
    bool no_memory;
};

static const double was_there = -1e9; /* added to a block's wave: L2 had it before the launch */

/* Which sampled group a group is like: the first and the last are their own kind. */
static size_t template_of(const struct predicting *predicting, uint64_t group)
{
    const struct bl_streams *streams = predicting->streams;
    const uint64_t last = predicting->groups - 1;
    size_t best = 0;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < streams->count; i++) {
        const uint64_t index = streams->groups[i].index;
        uint64_t distance = index > group ? index - group : group - index;
        /* The last one may stick out beyond what there is to do. */
        if (distance > 0 && (index == last || (index == 0 && streams->count > 2)))
            distance += 2 * predicting->groups;
        if (distance < least) {
            least = distance;
            best = i;
        }
    }
    return best;
}

static void place_of(const struct predicting *predicting, uint64_t group, double at[3])
{
    const uint64_t *groups = predicting->launch.groups;
    const uint64_t row = group / groups[0], layer = row / groups[1];
    at[0] = (double)(group % groups[0]);
    at[1] = (double)(row % groups[1]);
    at[2] = (double)layer;
}

/* So many times what was told of a group it does: 1 within the limit of accesses. */
static double part_told(const struct bl_stream_group *group)
{
    return 1 + (double)group->left_out / (double)(group->told ? group->told : 1);
}

/* How a group shifts what its template accesses. */
static void shift_group(const struct predicting *predicting, uint64_t group, size_t template,
                        int64_t shifts[])
{
    double to[3], from[3];
    place_of(predicting, group, to);
    place_of(predicting, predicting->streams->groups[template].index, from);
    for (size_t i = 0; i < predicting->shifts.count; i++) {
        const struct bl_stream_shift *shift = &predicting->shifts.shifts[i];
        double by = 0;
        for (unsigned d = 0; d < 3; d++)
            by += shift->by[d] * (to[d] - from[d]);
        shifts[i] = (int64_t)by;
    }
}

/* The shifts of the index-th group asked for, made once. */
static const int64_t *table_of(struct predicting *predicting, size_t index, uint64_t group,
                               size_t template)
{
    if (index >= predicting->table_count) {
        const size_t count = 2 * index + 64;
        int64_t **tables = realloc(predicting->tables, count * sizeof *tables);
        if (!tables) {
            predicting->no_memory = true;
            return NULL;
        }
        for (size_t i = predicting->table_count; i < count; i++)
            tables[i] = NULL;
        predicting->tables = tables;
        predicting->table_count = count;
    }
    if (!predicting->tables[index]) {
        predicting->tables[index] =
            calloc(predicting->shifts.count + 1, sizeof **predicting->tables);
        if (!predicting->tables[index]) {
            predicting->no_memory = true;
            return NULL;
        }
        shift_group(predicting, group, template, predicting->tables[index]);
    }
    return predicting->tables[index];
}

static void forget_tables(struct predicting *predicting)
{
    for (size_t i = 0; i < predicting->table_count; i++) {
        free(predicting->tables[i]);
        predicting->tables[i] = NULL;
    }
}

/* The groups of a launch go to the units by turns. */
static void give_group(void *context, size_t index, struct bl_time_group *group)
{
    struct predicting *predicting = context;
    const unsigned per_group = predicting->per_group;
    *group = (struct bl_time_group){.streams = predicting->of_group};
    for (unsigned part = 0; part < per_group; part++) {
        const uint64_t wanted =
            ((uint64_t)index * predicting->machine->compute_units) * per_group + part;
        const uint64_t number = wanted % predicting->groups;
        const size_t at = template_of(predicting, number);
        const struct template *template = &predicting->templates[at];
        const int64_t *shifts = table_of(predicting, index * per_group + part, number, at);
        for (unsigned s = 0; s < template->from->sub_groups; s++) {
            struct bl_time_stream *stream = &predicting->of_group[group->sub_groups++];
            *stream = template->streams[predicting->compiler][s];
            stream->shifts = shifts;
        }
    }
}

/* A number from 0 to 1 that is a block's own. */
static double lot_of(uint64_t block, double salt)
{
    uint64_t bits = (block + (uint64_t)salt * 0xD1B54A32D192ED03u) * 0x9E3779B97F4A7C15u;
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9u;
    return (double)(bits >> 11) / 9007199254740992.0;
}

static bool is_in_l2(void *context, uint64_t address, size_t wave)
{
    const struct predicting *predicting = context;
    const uint64_t block = address / predicting->block_bytes;
    if (predicting->is_warm && lot_of(block, 0) < predicting->warm_hits)
        return true;
    const double *first = bl_time_map_find(&predicting->waves, block);
    if (!first) /* of a group that was not looked at */
        return false;
    const bool had = *first < was_there / 2;
    return (had && !predicting->is_warm) || (had ? *first - was_there : *first) < (double)wave;
}

/* What a launch touches. */

static bool find_touches(const struct predicting *predicting, struct template *template)
{
    struct bl_time_map seen = {0};
    size_t capacity = 0;
    bool has_memory = true;
    for (unsigned s = 0; s < template->from->sub_groups; s++) {
        const struct bl_time_stream *stream = &template->from->streams[s];
        for (size_t i = 0; has_memory && i < stream->count; i++) {
            const struct bl_time_op *op = &stream->ops[i];
            if (op->kind != BL_TIME_LOAD && op->kind != BL_TIME_STORE)
                continue;
            for (uint32_t j = 0; has_memory && j < op->count; j++) {
                bool is_known = true;
                const uint64_t address = stream->sectors[op->first + j];
                has_memory =
                    bl_time_map_at(&seen, address / predicting->block_bytes, &is_known) != NULL;
                if (is_known)
                    continue;
                struct touch *touch = bl_array_append(&template->touches, &template->touch_count,
                                                      &capacity, sizeof *touch);
                has_memory = has_memory && touch;
                if (touch)
                    *touch = (struct touch){address, op->array};
            }
        }
    }
    bl_time_map_free(&seen);
    return has_memory;
}

/* The template whose touches stand for those of a group like this one. */
static size_t touching(const struct predicting *predicting, uint64_t group)
{
    const size_t count = predicting->streams->count;
    return group == 0 ? 0 : group + 1 == predicting->groups ? count - 1 : count / 2;
}

/* Whether L2 still has a block that an earlier launch touched. */
static bool is_left(const struct predicting *predicting, const struct bl_predicting *before,
                    uint64_t block)
{
    const double *at = bl_time_map_find(&before->touched, block);
    const double blocks = predicting->machine->levels[0].kib * 1024.0 / predicting->block_bytes;
    return at && lot_of(block, *at) < exp(-(before->fetched - *at) / blocks);
}

static bool touch_block(struct predicting *predicting, const struct bl_predicting *before,
                        uint64_t block, double wave)
{
    bool is_known;
    double *first = bl_time_map_at(&predicting->waves, block, &is_known);
    if (first && !is_known)
        *first = wave + (is_left(predicting, before, block) ? was_there : 0);
    return first != NULL;
}

/* Notes the first wave of each block that the launch touches, or of as many as there is time for.
 */
static bool find_waves(struct predicting *predicting, const struct bl_predicting *before,
                       double per_wave)
{
    const size_t count = predicting->streams->count;
    const size_t looked_at[] = {0, count / 2, count - 1};
    for (unsigned i = 0; i < 3; i++)
        if (!predicting->templates[looked_at[i]].touches &&
            !find_touches(predicting, &predicting->templates[looked_at[i]]))
            return false;
    const size_t usual = count / 2;
    const double all =
        (double)predicting->templates[usual].touch_count * (double)predicting->groups;
    const uint64_t every = 1 + (uint64_t)(all / TOUCHES);
    int64_t *shifts = calloc(predicting->shifts.count + 1, sizeof *shifts);
    bool has_memory = shifts != NULL;
    size_t of_half = 0;
    for (uint64_t g = 0; has_memory && g < predicting->groups; g += every) {
        const size_t at = touching(predicting, g);
        const struct template *template = &predicting->templates[at];
        shift_group(predicting, g, at, shifts);
        if (2 * g < predicting->groups)
            of_half = predicting->waves.count;
        for (size_t i = 0; has_memory && template->touches && i < template->touch_count; i++) {
            const uint64_t address =
                template->touches[i].address + (uint64_t)shifts[template->touches[i].array];
            has_memory = touch_block(predicting, before, address / predicting->block_bytes,
                                     floor((double)g / per_wave));
        }
    }
    free(shifts);
    /* Groups that were not looked at touch as many more as the second half did, and what was not
     * told of groups as many more again. */
    const double touched = (double)predicting->waves.count,
                 growth = of_half > 0 ? log2(touched / (double)of_half) : 1;
    predicting->touched = touched * pow((double)every, fmax(0, fmin(1, growth))) *
                          part_told(predicting->templates[usual].from);
    return has_memory;
}

/* Of as many blocks as a launch touches L2 has this part when the next one begins: what it fetches
 * takes any other's place. */
static double part_kept(double touched, double blocks)
{
    double part = touched > blocks ? 0.5 : 1;
    for (unsigned i = 0; i < 100 && touched > blocks; i++)
        part = exp(-touched / blocks * (1 - part));
    return part;
}

/* The launch has touched its blocks. */
static bool leave(const struct predicting *predicting, struct bl_predicting *before)
{
    const double begin = before->fetched,
                 more = predicting->touched / fmax(1, (double)predicting->waves.count);
    if (before->touched.count + predicting->waves.count > MAX_TOUCHED)
        bl_time_map_free(&before->touched);
    for (size_t i = 0; i < predicting->waves.capacity; i++) {
        uint64_t block;
        const double first = bl_time_map_slot(&predicting->waves, i, &block);
        if (isnan(first))
            continue;
        bool is_known;
        before->fetched += first > was_there / 2 ? more : 0;
        double *at = bl_time_map_at(&before->touched, block, &is_known);
        if (!at)
            return false;
        *at = begin;
    }
    return true;
}

/* Simulating. */

/* Compiles the streams up to where a unit's groups have done about so much; they go on as before.
 */
static bool compile(struct predicting *predicting, size_t resident)
{
    const size_t count = predicting->streams->count;
    double kept = 0, all = 0;
    predicting->templates = calloc(count, sizeof *predicting->templates);
    for (size_t t = 0; predicting->templates && t < count; t++) {
        struct template *template = &predicting->templates[t];
        template->from = &predicting->streams->groups[t];
        const unsigned subs = template->from->sub_groups;
        const size_t most = WAVE_OPS / (resident * subs) + 1;
        for (unsigned c = 0; c < COMPILERS; c++) {
            template->streams[c] = calloc(subs, sizeof **template->streams);
            for (unsigned s = 0; s < subs; s++) {
                struct bl_time_stream cut = template->from->streams[s];
                cut.count = cut.count < most ? cut.count : most;
                if (!template->streams[c] ||
                    !bl_stream_compile(&cut, &compilers[c], &template->streams[c][s]))
                    return false;
                kept += (double)cut.count;
                all += part_told(template->from) * (double)template->from->streams[s].count;
            }
        }
    }
    predicting->more = kept > 0 ? all / kept : 1;
    return predicting->templates != NULL;
}

static void free_predicting(struct predicting *predicting)
{
    for (size_t t = 0; predicting->templates && t < predicting->streams->count; t++) {
        struct template *template = &predicting->templates[t];
        for (unsigned c = 0; c < COMPILERS; c++) {
            for (unsigned s = 0; template->streams[c] && s < template->from->sub_groups; s++)
                bl_stream_free_compiled(&template->streams[c][s]);
            free(template->streams[c]);
        }
        free(template->touches);
    }
    free(predicting->templates);
    forget_tables(predicting);
    free(predicting->tables);
    bl_stream_shifts_free(&predicting->shifts);
    bl_time_map_free(&predicting->waves);
}

static struct bl_time_launch launch_of(struct predicting *predicting)
{
    const struct bl_stream_group *first = &predicting->streams->groups[0];
    const uint64_t *local = predicting->launch.local;
    return (struct bl_time_launch){
        .group = give_group,
        .is_in_l2 = is_in_l2,
        .context = predicting,
        .groups = predicting->groups,
        .has_sides = local[1] * local[2] > 1,
        .group_items = (unsigned)(local[0] * local[1] * local[2]),
        .sub_groups = first->sub_groups,
        .local_bytes = (unsigned)first->local_bytes,
        .more = predicting->more,
        .max_ops = ALL_OPS,
    };
}

/* What a launch takes, compiled so, and with such caches. */
static enum bl_status simulate(struct predicting *predicting, unsigned compiler, bool is_warm,
                               const struct bl_time_launch *launch, struct bl_time_result *result,
                               struct bl_error *error)
{
    predicting->compiler = compiler;
    predicting->is_warm = is_warm;
    const enum bl_status status = bl_time_of(predicting->machine, launch, result, error);
    return status == BL_OK && predicting->no_memory
               ? bl_fail(error, BL_NO_MEMORY, "no memory for a prediction")
               : status;
}

/* NAN where it cannot be. */
static enum bl_status what_if(struct predicting *predicting, double *twice_groups_ns,
                              double *larger_group_ns, struct bl_error *error)
{
    struct bl_time_launch launch = launch_of(predicting);
    struct bl_time_result result;
    *larger_group_ns = NAN;
    launch.groups *= 2;
    enum bl_status status = simulate(predicting, USUAL, true, &launch, &result, error);
    *twice_groups_ns = result.ns;
    launch = launch_of(predicting);
    const unsigned max_items = 1024; /* of any GPU's groups */
    if (status != BL_OK || predicting->groups % 2 || 2 * launch.group_items > max_items ||
        2 * launch.sub_groups > predicting->machine->sub_groups_per_unit ||
        2 * launch.sub_groups > BL_TIME_MAX_SUB_GROUPS ||
        launch.group_items % predicting->machine->lanes)
        return status;
    forget_tables(predicting);
    predicting->per_group = 2;
    launch.groups /= 2;
    launch.group_items *= 2;
    launch.sub_groups *= 2;
    launch.local_bytes *= 2;
    status = simulate(predicting, USUAL, true, &launch, &result, error);
    *larger_group_ns = result.ns;
    return status;
}

/* Adds one launch to the kernel's means; `weight` launches are like it. is_again: it is not the
 * first, so what the launches before left in L2 is what the program's launches find there. idle_ns:
 * more, because the device was idle. */
static enum bl_status add_launch(struct predicting *predicting, double weight, bool is_again,
                                 double idle_ns, struct bl_predicted *predicted,
                                 struct bl_error *error)
{
    const struct bl_time_launch launch = launch_of(predicting);
    struct bl_time_result cold, warm, least, most;
    double twice_groups_ns = NAN, larger_group_ns = NAN;
    enum bl_status status = simulate(predicting, USUAL, false, &launch, &cold, error);
    if (status == BL_OK)
        status = simulate(predicting, USUAL, !is_again, &launch, &warm, error);
    if (status == BL_OK)
        status = simulate(predicting, MOST, !is_again, &launch, &least, error);
    if (status == BL_OK)
        status = simulate(predicting, LEAST, false, &launch, &most, error);
    if (status == BL_OK)
        status = what_if(predicting, &twice_groups_ns, &larger_group_ns, error);
    if (status != BL_OK)
        return status;
    if (predicted->launches++ == 0)
        predicted->first_ns = cold.ns + idle_ns;
    predicted->weight += weight;
    predicted->ns += weight * warm.ns;
    predicted->lo_ns += weight * (1 - beyond) * fmin(fmin(cold.ns, warm.ns), least.ns);
    const double code_ns = CODE_FETCHES * predicting->machine->levels[BL_LEVEL_MEMORY].latency_ns;
    predicted->hi_ns += weight * ((1 + beyond) * fmax(fmax(cold.ns, warm.ns), most.ns) + code_ns);
    predicted->hi_ns += (1 + beyond) * idle_ns;
    predicted->issue_ns += weight * warm.issue_ns;
    predicted->twice_groups_ns += weight * twice_groups_ns;
    predicted->larger_group_ns += weight * larger_group_ns;
    for (unsigned i = 0; i < BL_LIMITS; i++)
        predicted->shares[i] += weight * warm.ns * warm.shares[i];
    return BL_OK;
}

void bl_predict_begin(struct bl_trace *trace, unsigned launch)
{
    if (trace->predicting)
        trace->predicting->streams.is_wanted =
            (launch & (launch - 1)) == 0 && !bl_time_why_not(trace->machine);
}

static const char *why_not(const struct bl_trace *trace, const struct bl_streams *streams,
                           const struct bl_trace_kernel *kernel)
{
    const char *machine = bl_time_why_not(trace->machine);
    return machine                  ? machine
           : streams->why_not       ? streams->why_not
           : kernel->image_accesses ? "it accesses images, which have no rule"
           : kernel->copied_bytes   ? "it uses async_work_group_copy, which has no rule"
           : kernel->aborted        ? "Oclgrind aborted a launch"
                                    : NULL;
}

static bool prepare(struct predicting *predicting, const struct bl_predicting *before)
{
    const struct bl_stream_group *first = &before->streams.groups[0];
    const struct bl_time_launch launch = {.sub_groups = first->sub_groups,
                                          .local_bytes = (unsigned)first->local_bytes};
    const struct bl_machine *machine = predicting->machine;
    const unsigned units = machine->compute_units, resident = bl_time_resident(machine, &launch);
    const uint64_t of_unit = (predicting->groups + units - 1) / units;
    if (!bl_stream_shifts_of(predicting->streams, &predicting->launch, &predicting->shifts) ||
        !compile(predicting, resident < of_unit ? resident : (size_t)of_unit) ||
        !find_waves(predicting, before, (double)resident * units))
        return false;
    predicting->warm_hits =
        part_kept(predicting->touched, machine->levels[0].kib * 1024.0 / predicting->block_bytes);
    return true;
}

static enum bl_status predict(const struct bl_trace *trace, struct bl_trace_kernel *kernel,
                              struct bl_error *error)
{
    struct bl_predicting *before = trace->predicting;
    const uint64_t *groups = kernel->last.groups;
    struct predicting predicting = {
        .machine = trace->machine,
        .launch = kernel->last,
        .groups = groups[0] * groups[1] * groups[2],
        .streams = &before->streams,
        .per_group = 1,
        .block_bytes = trace->machine->levels[BL_LEVEL_MEMORY].granule_bytes,
    };
    const double idle_ns = before->has_launched ? 0 : trace->machine->first_launch_ns;
    bool has_memory = prepare(&predicting, before);
    enum bl_status status = BL_OK;
    if (has_memory)
        status = add_launch(&predicting, fmax(1, kernel->launches / 2.0), kernel->launches > 1,
                            idle_ns, &kernel->predicted, error);
    has_memory = has_memory && leave(&predicting, before);
    free_predicting(&predicting);
    return status == BL_OK && !has_memory
               ? bl_fail(error, BL_NO_MEMORY, "no memory for a prediction")
               : status;
}

enum bl_status bl_predict_end(struct bl_trace *trace, unsigned number, struct bl_error *error)
{
    struct bl_predicting *before = trace->predicting;
    if (!before)
        return BL_OK;
    struct bl_trace_kernel *kernel = &trace->kernels[number];
    if (!kernel->predicted.why_not)
        kernel->predicted.why_not = why_not(trace, &before->streams, kernel);
    enum bl_status status = BL_OK;
    if (!kernel->predicted.why_not && before->streams.count > 0)
        status = predict(trace, kernel, error);
    before->has_launched = true;
    bl_streams_clear(&before->streams);
    return status;
}

/* What the busiest stage of the units needs of one launch. */
static double least_ns(const struct bl_trace *trace, const struct bl_trace_kernel *kernel)
{
    const double launches = kernel->launches, groups = (double)kernel->groups / launches,
                 units = fmin(groups, trace->machine->compute_units);
    return units > 0 ? kernel->bound.clocks[kernel->bound.busiest] / launches / units * 1e3 /
                           trace->machine->clock_mhz
                     : 0;
}

void bl_predict_finish(struct bl_trace *trace)
{
    for (size_t k = 0; trace->predicting && k < trace->kernel_count; k++) {
        struct bl_trace_kernel *kernel = &trace->kernels[k];
        struct bl_predicted *predicted = &kernel->predicted;
        if (predicted->why_not || predicted->weight <= 0) {
            predicted->launches = 0;
            if (!predicted->why_not)
                predicted->why_not = "none of its groups was traced";
            continue;
        }
        const double least = least_ns(trace, kernel), sum_ns = predicted->ns;
        for (unsigned i = 0; i < BL_LIMITS; i++) {
            predicted->shares[i] /= sum_ns;
            if (predicted->shares[i] > predicted->shares[predicted->limited_by])
                predicted->limited_by = (enum bl_time_limit)i;
        }
        predicted->ns = fmax(least, predicted->ns / predicted->weight);
        predicted->first_ns = fmax(least, predicted->first_ns);
        predicted->lo_ns = fmax(least, predicted->lo_ns / predicted->weight);
        predicted->hi_ns =
            fmax((1 + beyond) * predicted->first_ns, predicted->hi_ns / predicted->weight);
        predicted->issue_ns /= predicted->weight;
        predicted->twice_groups_ns /= predicted->weight;
        predicted->larger_group_ns /= predicted->weight;
    }
}

bool bl_predicted_is_busy(const struct bl_trace *trace, unsigned number, double requests)
{
    /* i / 32 of a signed i, times the pad, added to i */
    enum { INSTRUCTIONS = 5 };
    const double matters = 1.03; /* a gain below it is none */
    const struct bl_trace_kernel *kernel = &trace->kernels[number];
    const struct bl_predicted *predicted = &kernel->predicted;
    const struct bl_machine *machine = trace->machine;
    if (predicted->launches == 0 || kernel->traced_groups == 0)
        return false;
    const double groups = (double)kernel->groups / kernel->launches,
                 of_unit = ceil(groups / machine->compute_units),
                 instruction_ns =
                     1e3 / machine->clock_mhz / fmax(1, machine->instructions_per_clock),
                 more_ns = INSTRUCTIONS * instruction_ns * of_unit * requests /
                           (double)kernel->traced_groups;
    return predicted->ns < matters * (machine->launch_ns + predicted->issue_ns + more_ns);
}

void bl_predicting_free(struct bl_predicting *predicting)
{
    if (!predicting)
        return;
    bl_streams_free(&predicting->streams);
    bl_time_map_free(&predicting->touched);
}
