/* Converts recorded requests to patterns for `try`, measures the patterns, and stores the results
 * in the trace's rows. The results show whether the model's cost of a source line agrees with the
 * device. */
#include "trace/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/row.h"
#include "run/level.h"
#include "run/trials.h"

enum { MAX_BUFFERS = 16 };

/* Requests count as similar if their costs differ by at most this factor. */
static const double ALIKE = 1.1;

/* A request that may be replayed, and its cost. */
struct candidate {
    struct bl_step request;
    double clocks;
    size_t number; /* position among the row's requests */
};

struct choice {
    const struct bl_trace *trace;
    const struct bl_trace_row *row;
    struct candidate *all;
    size_t all_count, all_capacity;
    struct bl_step chosen[BL_REPLAY_REQUESTS];
    size_t count;
};

static bool add(struct choice *choice, const struct bl_step *request)
{
    struct bl_trace_row sums = {
        .memory = choice->row->memory, .operation = choice->row->operation, .has_rule = true};
    const size_t number = choice->all_count;
    struct candidate *candidate =
        bl_array_append(&choice->all, &choice->all_count, &choice->all_capacity, sizeof *candidate);
    if (!candidate)
        return false;
    bl_trace_add_step(choice->trace, &sums, request);
    const double clocks =
        bl_cost_clocks(choice->trace->machine, sums.operation == BL_OPERATION_WRITE, &sums.own);
    *candidate = (struct candidate){*request, clocks, number};
    return true;
}

/* Collects all requests of the row that have the same access width as its first request. Returns
 * false if memory runs out. */
static bool collect(struct choice *choice)
{
    const struct bl_trace_kernel *kernel = &choice->trace->kernels[choice->row->kernel];
    struct bl_step step, request;
    unsigned bytes = 0;
    for (size_t at = 0; bl_next_step(kernel->kept, kernel->kept_count, &at, &step);)
        for (size_t done = 0; bl_trace_next_request(choice->trace, &step, &done, &request);) {
            if (!bl_trace_is_of_row(choice->trace, choice->row, request.accesses))
                continue;
            bytes = bytes ? bytes : request.accesses->bytes;
            if (request.accesses->bytes == bytes && !add(choice, &request))
                return false;
        }
    return true;
}

static int by_clocks(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    return a->clocks != b->clocks   ? (a->clocks > b->clocks) - (a->clocks < b->clocks)
           : a->number != b->number ? (a->number > b->number) - (a->number < b->number)
                                    : 0;
}

/* Finds the set of requests of similar cost that has the highest total cost, and chooses some of
 * its requests, evenly spaced. */
static void choose(struct choice *choice)
{
    qsort(choice->all, choice->all_count, sizeof *choice->all, by_clocks);
    size_t from = 0, best = 0, best_count = 0;
    double sum = 0, most = 0;
    for (size_t end = 0; end < choice->all_count; end++) {
        sum += choice->all[end].clocks;
        while (choice->all[end].clocks > ALIKE * choice->all[from].clocks)
            sum -= choice->all[from++].clocks;
        if (sum > most) {
            most = sum;
            best = from;
            best_count = end - from + 1;
        }
    }
    choice->count = best_count < BL_REPLAY_REQUESTS ? best_count : BL_REPLAY_REQUESTS;
    for (size_t i = 0; i < choice->count; i++)
        choice->chosen[i] = choice->all[best + i * best_count / choice->count].request;
}

/* Finds an OpenCL type with the traced width. Returns false if there is none. */
static bool name_type(const struct bl_type *traced, struct bl_type *type)
{
    static const char *const scalars[] = {[1] = "uchar", [2] = "ushort", [4] = "int", [8] = "long"};
    char name[16];
    if (traced->component_bytes > 8 || !scalars[traced->component_bytes])
        return false;
    if (traced->components == 1)
        snprintf(name, sizeof name, "%s", scalars[traced->component_bytes]);
    else
        snprintf(name, sizeof name, "%s%u", scalars[traced->component_bytes], traced->components);
    return bl_type_named(name, type, NULL) == BL_OK && type->access_bytes == traced->element_bytes;
}

/* The buffers that the requests access, and the place of each buffer in the replay's array. */
struct buffers {
    size_t count;
    struct buffer {
        uint64_t number, min, max, begin; /* byte addresses */
    } all[MAX_BUFFERS];
};

static struct buffer *buffer_of(struct buffers *buffers, uint64_t address)
{
    const uint64_t number = address & ~BL_OFFSET_MASK;
    for (size_t i = 0; i < buffers->count; i++)
        if (buffers->all[i].number == number)
            return &buffers->all[i];
    if (buffers->count == MAX_BUFFERS)
        return NULL;
    struct buffer *buffer = &buffers->all[buffers->count++];
    *buffer = (struct buffer){.number = number, .min = UINT64_MAX};
    return buffer;
}

/* In the replay's array, buffers are shifted only by multiples of this number of bytes. Thus each
 * address keeps its bank, and in global memory also its tag bank, even if a hash chooses the tag
 * bank. */
static uint64_t unit_of(enum bl_memory memory)
{
    return memory == BL_MEMORY_GLOBAL ? 1u << 20 : memory == BL_MEMORY_LOCAL ? 1024 : 4096;
}

static bool lay_out(const struct choice *choice, uint64_t unit, struct buffers *buffers)
{
    for (size_t r = 0; r < choice->count; r++)
        for (size_t i = 0; i < choice->chosen[r].count; i++) {
            const struct bl_access *access = &choice->chosen[r].accesses[i];
            const uint64_t at = access->address & BL_OFFSET_MASK, end = at + access->bytes;
            struct buffer *buffer = buffer_of(buffers, access->address);
            if (!buffer)
                return false;
            buffer->min = at < buffer->min ? at : buffer->min;
            buffer->max = end > buffer->max ? end : buffer->max;
        }
    uint64_t begin = 0;
    for (size_t i = 0; i < buffers->count; i++) {
        struct buffer *buffer = &buffers->all[i];
        buffer->min -= buffer->min % unit;
        buffer->begin = begin;
        begin += (buffer->max - buffer->min + unit - 1) / unit * unit;
    }
    return true;
}

static void fail(struct bl_replay_input *input, const char *why)
{
    input->requests = 0;
    snprintf(input->why_not, sizeof input->why_not, "%s", why);
}

/* Computes the start elements. Returns false if an address is not a multiple of the element size,
 * or if an index exceeds INT32_MAX. */
static bool put_starts(const struct choice *choice, struct buffers *buffers, unsigned lanes,
                       struct bl_replay_input *input)
{
    const unsigned bytes = input->type.element_bytes;
    for (size_t r = 0; r < choice->count; r++)
        for (unsigned lane = 0; lane < lanes; lane++) {
            const struct bl_step *request = &choice->chosen[r];
            const size_t i = lane < request->count ? lane : request->count - 1;
            const uint64_t address = request->accesses[i].address;
            const struct buffer *buffer = buffer_of(buffers, address);
            const uint64_t at = (address & BL_OFFSET_MASK) - buffer->min + buffer->begin;
            input->starts[r * lanes + lane] = at / bytes;
            if (at % bytes || at / bytes > INT32_MAX)
                return false;
        }
    return true;
}

static void fill_in(struct choice *choice, struct bl_replay_input *input)
{
    if (!collect(choice)) {
        fail(input, "there is not enough memory");
        return;
    }
    if (!choice->all_count) {
        fail(input, "the recorded group does not access the array");
        return;
    }
    const struct bl_access *first = choice->all->request.accesses;
    const struct bl_type traced =
        bl_trace_type(&choice->trace->instructions[first->instruction], first->bytes);
    struct buffers buffers = {0};
    choose(choice);
    if (!name_type(&traced, &input->type))
        fail(input, "OpenCL has no type as wide as its accesses");
    else if (!lay_out(choice, unit_of(choice->row->memory), &buffers))
        fail(input, "its requests access more than 16 buffers");
    else if (!put_starts(choice, &buffers, choice->trace->machine->lanes, input))
        fail(input, "its addresses are not multiples of the type's size, or are too far apart");
    else
        input->requests = (unsigned)choice->count;
}

void bl_replay_input(const struct bl_trace *trace, const struct bl_trace_row *row,
                     struct bl_replay_input *input)
{
    *input = (struct bl_replay_input){0};
    struct choice choice = {.trace = trace, .row = row};
    if (row->operation == BL_OPERATION_ATOMIC)
        fail(input, "atomics are not replayed");
    else if (!row->has_rule)
        fail(input, "the model has no rule for its requests");
    else
        fill_in(&choice, input);
    free(choice.all);
}

/* The level at which an access is measured. For writes to global memory it is the first level with
 * a rule for writes, if there is one; otherwise it is the compute unit's cache or local memory. */
static const char *level_of(const struct bl_bench *bench, const struct bl_trace_row *row)
{
    if (row->memory != BL_MEMORY_GLOBAL || row->operation != BL_OPERATION_WRITE)
        return "cache";
    for (unsigned i = 0; i < BL_LEVELS; i++)
        if (bl_level_bytes(bench->machine, bench->device, i) &&
            !bl_why_no_rule_of_level(bench->machine, i, true))
            return bench->machine->levels[i].name;
    return "cache";
}

/* One measurement: a row's requests as a pattern for `try`. */
struct trial {
    const char *name;
    struct bl_try_setup setup; /* one group per request */
    const uint64_t *starts;    /* start elements of all groups */
    const char *level;         /* "cache", or the machine's name for the level */
    struct bl_row *measured;   /* receives the row, except its samples */
    struct bl_error failure;   /* status BL_OK if the row was measured; else the reason why not */
};

static enum bl_status take_row(void *context, const struct bl_row *row,
                               const struct bl_error *failure, struct bl_error *error)
{
    struct trial *trial = context;
    (void)error;
    *trial->measured = *row;
    trial->measured->sample_ratios = NULL; /* the samples belong to the run, not to this copy */
    if (failure)
        trial->failure = *failure;
    else
        bl_fail(&trial->failure, BL_USAGE, "%s", row->reason);
    return BL_OK;
}

/* Measures a trial as a run of one row, on the device of `opened`. */
static enum bl_status measure(const struct bl_run *opened, struct trial *trial,
                              struct bl_error *error)
{
    struct bl_run run = {.bench = opened->bench, .interrupted = opened->interrupted};
    struct bl_trying trying = {.run = &run, .level = trial->level, .setup = trial->setup};
    trying.trials.all = calloc(1, sizeof *trying.trials.all);
    if (!trying.trials.all)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while starting a replay");
    trying.trials.count = 1;
    struct bl_try *try = &trying.trials.all[0].try;
    enum bl_status status =
        bl_try_open_recorded(try, trial->name, trial->starts,
                             (size_t)trial->setup.shape.x * trial->setup.groups.x, error);
    try->test_case.id = try->id;
    if (status == BL_OK)
        status = bl_trying_plan(&trying, error);
    if (status == BL_OK)
        status = bl_trying_add_levels(&trying, error);
    if (status == BL_OK && run.count == 0)
        status = bl_fail(error, BL_USAGE, "the machine has no such level");
    /* A failed warm-up is ignored: a measurement on the same device will fail, too. */
    const struct bl_run_callbacks callbacks = {.context = trial, .row = take_row};
    if (status == BL_OK)
        status = bl_run_measure(&run, &callbacks, error);
    if (status == BL_OK && trial->failure.status != BL_OK) {
        *error = trial->failure;
        status = trial->failure.status;
    }
    free(run.items);
    bl_trying_close(&trying);
    return status;
}

static void replay_row(const struct bl_replay *replay, const struct bl_trace *trace,
                       struct bl_trace_row *row)
{
    struct bl_replayed *replayed = &row->replayed;
    struct bl_replay_input input;
    struct bl_row measured = bl_row_empty();
    struct bl_error failure = {0};
    char name[400];
    replayed->is_tried = true;
    bl_replay_input(trace, row, &input);
    replayed->requests = input.requests;
    snprintf(replayed->why_not, sizeof replayed->why_not, "%s", input.why_not);
    if (!input.requests)
        return;
    snprintf(name, sizeof name, "%.300s:%u %s %s", basename(row->name), row->line,
             bl_memory_name(row->memory), bl_operation_name(row->operation));
    struct trial trial = {
        .name = name,
        .setup = {.memory = row->memory,
                  .is_write = row->operation == BL_OPERATION_WRITE,
                  .type = input.type,
                  .shape = {trace->machine->lanes, 1},
                  .groups = {input.requests, 1}},
        .starts = input.starts,
        .level = level_of(&replay->run->bench, row),
        .measured = &measured,
    };
    replay->begins(replay->context, name);
    const enum bl_status status = measure(replay->run, &trial, &failure);
    if (status != BL_OK)
        snprintf(replayed->why_not, sizeof replayed->why_not, "%.255s",
                 *failure.sentence ? failure.sentence : bl_status_words(status));
    snprintf(replayed->level, sizeof replayed->level, "%s",
             strcmp(trial.level, "cache") != 0 ? trial.level
             : row->memory == BL_MEMORY_LOCAL  ? "local"
                                               : trace->machine->cache_name);
    replayed->predicted = measured.predicted;
    if (status == BL_OK && measured.verdict == BL_NO_RULE)
        snprintf(replayed->why_not, sizeof replayed->why_not, "%.255s", measured.note);
    if (status == BL_OK && bl_row_has_number(&measured)) {
        replayed->measured = measured.measured;
        replayed->low = measured.measured_lo;
        replayed->high = measured.measured_hi;
        replayed->verdict = measured.verdict;
    }
}

enum bl_status bl_trace_replay(struct bl_trace *trace, const struct bl_replay *replay,
                               struct bl_error *error)
{
    size_t count;
    struct bl_trace_row **worst = bl_trace_worst(trace, &count);
    if (!worst)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while preparing a replay");
    const struct bl_device *device = replay->run->bench.device;
    snprintf(trace->replayed_on, sizeof trace->replayed_on, "%.200s (driver %.60s)", device->name,
             device->driver);
    snprintf(trace->replayed_as, sizeof trace->replayed_as, "%s", bl_device_machine(device)->name);
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < count && i < BL_REPLAYED_LINES && status == BL_OK; i++) {
        replay_row(replay, trace, worst[i]);
        if (bl_run_is_interrupted(replay->run))
            status = bl_fail(error, BL_INTERRUPTED, "interrupted");
    }
    free(worst);
    return status;
}
