/* Adds up the cost of traced requests per source line. Requests arrive group by group. Only the
 * sums are stored, and the accesses of each kernel's costliest group, for suggestions, replays and
 * bounds. */
#include "trace/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct bl_trace_row *bl_trace_row_like(const struct bl_trace *trace, const struct bl_trace *other,
                                       const struct bl_trace_row *row)
{
    for (size_t i = 0; i < trace->row_count; i++) {
        struct bl_trace_row *own = &trace->rows[i];
        if (own->line == row->line && own->column == row->column && own->memory == row->memory &&
            own->operation == row->operation && strcmp(own->array, row->array) == 0 &&
            strcmp(own->call_sites, row->call_sites) == 0 &&
            trace->kernels[own->kernel].program == other->kernels[row->kernel].program &&
            strcmp(trace->kernels[own->kernel].name, other->kernels[row->kernel].name) == 0 &&
            strcmp(own->name, row->name) == 0)
            return own;
    }
    return NULL;
}

size_t bl_trace_note_unoptimized(struct bl_trace *trace, const struct bl_trace *unoptimized)
{
    size_t missing = 0;
    for (size_t i = 0; i < unoptimized->row_count; i++) {
        const struct bl_trace_row *row = &unoptimized->rows[i];
        if (row->memory == BL_MEMORY_PRIVATE)
            continue;
        struct bl_trace_row *own = bl_trace_row_like(trace, unoptimized, row);
        if (own)
            own->unoptimized_requests = row->requests;
        else
            missing++;
    }
    return missing;
}

/* Accesses wider than this are split into pieces. No OpenCL vector is this wide. */
enum { PIECE_BYTES = 1024 };

const char *bl_trace_label_of(const struct bl_trace_kernel *kernel)
{
    return kernel->label ? kernel->label : kernel->name;
}

const char *bl_operation_name(enum bl_operation operation)
{
    static const char *const names[] = {"read", "write", "atomic"};
    return names[operation];
}

struct bl_type bl_trace_type(const struct bl_trace_instruction *instruction, unsigned bytes)
{
    unsigned component = instruction->is.component_bytes, components = instruction->is.components;
    if (component == 0 || component > 8 || component * components != bytes) {
        for (component = 8; bytes % component; component /= 2)
            ;
        component = bytes > 8 && component == 8 ? 4 : component;
        components = bytes / component;
    }
    return (struct bl_type){.component_bytes = component,
                            .components = components,
                            .element_bytes = bytes,
                            .access_bytes = bytes,
                            .alignment = instruction->is.alignment};
}

static struct bl_trace_row *row_of(struct bl_trace *trace, unsigned kernel,
                                   const struct bl_access *access, struct bl_error *error)
{
    const struct bl_trace_instruction *instruction = &trace->instructions[access->instruction];
    for (size_t i = trace->row_count; i-- > 0;)
        if (trace->rows[i].kernel == kernel && bl_trace_is_of_row(trace, &trace->rows[i], access))
            return &trace->rows[i];
    struct bl_trace_row *row =
        bl_array_append(&trace->rows, &trace->row_count, &trace->row_capacity, sizeof *row);
    if (!row) {
        bl_fail(error, BL_NO_MEMORY, "out of memory while storing the traced accesses");
        return NULL;
    }
    *row = (struct bl_trace_row){
        .kernel = kernel,
        .file = instruction->file,
        .line = instruction->is.line,
        .traced_line = instruction->is.line,
        .column = instruction->is.column,
        .array = instruction->array,
        .traced_site = instruction->call_sites,
        .memory = (enum bl_memory)access->memory,
        .operation = (enum bl_operation)access->operation,
        .has_rule = access->memory != BL_MEMORY_PRIVATE && trace->machine->has_rule,
        .replayed =
            {.predicted = NAN, .measured = NAN, .low = NAN, .high = NAN, .verdict = BL_NO_VERDICT},
    };
    return row;
}

bool bl_trace_is_same_word(uint32_t index)
{
    return index == BL_WIRE_INDEX_CONSTANT || index == BL_WIRE_INDEX_KNOWN ||
           index == BL_WIRE_INDEX_UNIFORM;
}

bool bl_trace_is_immediate(const struct bl_trace *trace, uint32_t instruction,
                           enum bl_memory memory)
{
    const uint32_t index = trace->instructions[instruction].is.index;
    return memory == BL_MEMORY_DECLARED &&
           (index == BL_WIRE_INDEX_CONSTANT || index == BL_WIRE_INDEX_KNOWN);
}

unsigned bl_trace_join_lanes(const struct bl_trace *trace, uint32_t instruction,
                             enum bl_memory memory, uint64_t addresses[], unsigned lanes)
{
    const struct bl_wire_instruction *is = &trace->instructions[instruction].is;
    const bool may_join = trace->machine->combines_atomics && memory == BL_MEMORY_LOCAL;
    bool is_by_one = may_join && is->is_combined && bl_trace_is_same_word(is->index);
    for (unsigned lane = 1; is_by_one && lane < lanes; lane++)
        is_by_one = addresses[lane] == addresses[0];
    if (!is_by_one && !(may_join && is->counts_lanes))
        return lanes;
    unsigned distinct = 0;
    for (unsigned lane = 0; lane < lanes; lane++) {
        unsigned before = 0;
        while (before < distinct && addresses[before] != addresses[lane])
            before++;
        if (before == distinct)
            addresses[distinct++] = addresses[lane];
    }
    return distinct;
}

/* Adds the cost of a request whose lanes access `type` at these addresses. */
static enum bl_status add_cost(const struct bl_machine *machine, const struct bl_trace_row *row,
                               const struct bl_type *type, const uint64_t addresses[],
                               unsigned lanes, struct bl_cost_sums *sums)
{
    const struct bl_request access = {
        .memory = row->memory,
        .is_write = row->operation == BL_OPERATION_WRITE,
        .is_atomic = row->operation == BL_OPERATION_ATOMIC,
        .lanes = lanes,
        .addresses_bytes = addresses,
    };
    struct bl_part parts[BL_MAX_PARTS];
    const unsigned count = bl_parts_of(machine, row->memory, access.is_write, type, parts);
    return bl_cost_add(machine, &access, parts, count, sums);
}

/* The number of distinct bytes that these accesses touch. */
static uint64_t distinct_bytes(const struct bl_access accesses[], unsigned lanes)
{
    uint64_t starts[BL_MAX_LANES], bytes = 0, end = 0;
    for (unsigned lane = 0; lane < lanes; lane++) { /* insertion sort: lanes are mostly in order */
        unsigned at = lane;
        for (; at > 0 && starts[at - 1] > accesses[lane].address; at--)
            starts[at] = starts[at - 1];
        starts[at] = accesses[lane].address;
    }
    for (unsigned lane = 0; lane < lanes; lane++) {
        const uint64_t from = starts[lane] > end ? starts[lane] : end,
                       to = starts[lane] + accesses->bytes;
        bytes += to > from ? to - from : 0;
        end = to > end ? to : end;
    }
    return bytes;
}

/* Takes note of the alignment of accesses that the machine splits because the compiler does not
 * know it. */
static void note_alignment(struct bl_trace_row *row, const struct bl_type *type,
                           const struct bl_access accesses[], unsigned lanes)
{
    const unsigned bytes = accesses[0].bytes;
    bool is_aligned =
        (bytes & (bytes - 1)) == 0 && (row->vector_bytes == 0 || row->vector_bytes == bytes);
    for (unsigned lane = 0; lane < lanes && is_aligned; lane++)
        is_aligned = accesses[lane].address % bytes == 0;
    row->vector_bytes = is_aligned ? bytes : 1;
    row->component_bytes = type->component_bytes;
    row->alignment = type->alignment;
}

/* Adds a request to the row: its cost, and its ideal cost, that is, the cost if its active lanes
 * accessed contiguous elements from the beginning of a cache line (of a constant array that the
 * program declares: one element) and the compiler knew that the elements are aligned. If the
 * machine has no rule for one request, the whole row has no rule. */
static void add_request(const struct bl_trace *trace, struct bl_trace_row *row,
                        const struct bl_access accesses[], unsigned lanes)
{
    const unsigned bytes = accesses[0].bytes;
    row->requests++;
    row->lanes += lanes;
    if (row->memory == BL_MEMORY_GLOBAL || row->memory == BL_MEMORY_CONSTANT)
        row->needed_bytes += distinct_bytes(accesses, lanes);
    const struct bl_type whole =
        bl_trace_type(&trace->instructions[accesses[0].instruction], bytes);
    if (bl_is_split(trace->machine, row->memory, &whole))
        note_alignment(row, &whole, accesses, lanes);
    if (bl_trace_is_immediate(trace, accesses[0].instruction, row->memory))
        return; /* it takes no time */
    for (unsigned done = 0; done < bytes && row->has_rule; done += PIECE_BYTES) {
        const unsigned now = bytes - done < PIECE_BYTES ? bytes - done : PIECE_BYTES;
        struct bl_type type = bl_trace_type(&trace->instructions[accesses[0].instruction], now);
        struct bl_type aligned = type;
        aligned.alignment = 0;
        type.alignment = row->are_aligned ? 0 : type.alignment;
        uint64_t own[BL_MAX_LANES], ideal[BL_MAX_LANES];
        for (unsigned lane = 0; lane < lanes; lane++) {
            own[lane] = accesses[lane].address + done;
            ideal[lane] = row->memory == BL_MEMORY_DECLARED ? 0 : (uint64_t)lane * now;
        }
        const unsigned active =
            bl_trace_join_lanes(trace, accesses[0].instruction, row->memory, own, lanes);
        row->has_rule = add_cost(trace->machine, row, &type, own, active, &row->own) == BL_OK &&
                        add_cost(trace->machine, row, &aligned, ideal, lanes, &row->ideal) == BL_OK;
    }
}

bool bl_trace_next_request(const struct bl_trace *trace, const struct bl_step *step, size_t *at,
                           struct bl_step *request)
{
    const unsigned lanes = trace->machine->lanes;
    if (*at >= step->count)
        return false;
    const struct bl_access *begin = &step->accesses[*at];
    size_t end = *at + 1;
    while (end < step->count && step->accesses[end].item / lanes == begin->item / lanes &&
           step->accesses[end].bytes == begin->bytes)
        end++;
    *request = (struct bl_step){begin, end - *at};
    *at = end;
    return true;
}

void bl_trace_add_step(const struct bl_trace *trace, struct bl_trace_row *row,
                       const struct bl_step *step)
{
    struct bl_step request;
    for (size_t at = 0; bl_trace_next_request(trace, step, &at, &request);)
        add_request(trace, row, request.accesses, (unsigned)request.count);
    row->accesses += step->count;
}

void bl_trace_add_stages(const struct bl_trace_row *row, const struct bl_cost_sums *sums,
                         double stages[BL_STAGES])
{
    stages[BL_STAGE_TAGS] += (double)sums->tag_passes;
    stages[row->memory == BL_MEMORY_DECLARED ? BL_STAGE_CONSTANTS : BL_STAGE_BANKS] +=
        (double)sums->bank_passes;
    if (row->memory == BL_MEMORY_GLOBAL && row->operation == BL_OPERATION_WRITE)
        stages[BL_STAGE_WRITES] += (double)sums->clocks;
}

/* Selects the occurrences of each instruction that bl_trace_fewer keeps. Keeps or drops `run`
 * consecutive occurrences at a time, so that accesses to neighbouring elements stay together. The
 * kept runs are spread evenly, because later iterations of a loop may cost more than the first. */
struct kept_runs {
    uint32_t run, share; /* share: fraction of the runs that is kept, times 2^32; the first run is
                            always kept */
};

static bool is_kept(const struct kept_runs *sample, uint32_t occurrence)
{
    return occurrence / sample->run * sample->share < sample->share;
}

static size_t count_kept(const struct kept_runs *sample, const struct bl_access accesses[],
                         size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        kept += is_kept(sample, accesses[i].occurrence);
    return kept;
}

/* Sets *field, a member of *sample, to the largest value from 1 to `most` for which at most `max`
 * accesses are kept; to 1 if there is none. */
static void enlarge(struct kept_runs *sample, uint32_t *field, uint32_t most,
                    const struct bl_access accesses[], size_t count, size_t max)
{
    uint32_t low = 1, high = most;
    while (low < high) {
        *field = low + (high - low) / 2 + 1;
        if (count_kept(sample, accesses, count) <= max)
            low = *field;
        else
            high = *field - 1;
    }
    *field = low;
}

size_t bl_trace_fewer(struct bl_access **copy, const struct bl_access accesses[], size_t count,
                      size_t max)
{
    enum { RUN = 4 };
    struct kept_runs sample = {.run = UINT32_MAX, .share = 1};
    if (count > max) {
        enlarge(&sample, &sample.run, RUN, accesses, count, max);
        enlarge(&sample, &sample.share, UINT32_MAX, accesses, count, max);
    }
    const size_t kept = count_kept(&sample, accesses, count);
    struct bl_access *fewer = realloc(*copy, (kept + 1) * sizeof *fewer);
    if (!fewer)
        return 0;
    *copy = fewer;
    for (size_t i = 0, next = 0; i < count; i++)
        if (is_kept(&sample, accesses[i].occurrence))
            fewer[next++] = accesses[i];
    return kept;
}

/* Stores the group's accesses in the kernel if the group is the costliest so far. */
static enum bl_status keep(struct bl_trace_kernel *kernel, const struct bl_traced_group *group,
                           double clocks, struct bl_error *error)
{
    const size_t count = group->count;
    if (count == 0 || (kernel->kept && clocks <= kernel->kept_clocks))
        return BL_OK;
    const size_t kept = bl_trace_fewer(&kernel->kept, group->accesses, count, BL_TRACE_KEPT);
    if (kept == 0)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while storing the traced accesses");
    kernel->kept_count = kept;
    kernel->kept_launch = kernel->last;
    kernel->kept_all = kept == count && group->left_out == 0;
    kernel->kept_clocks = clocks;
    return BL_OK;
}

static enum bl_status add_footprint(struct bl_trace *trace, const struct bl_access accesses[],
                                    size_t count, struct bl_error *error)
{
    const struct bl_machine *machine = trace->machine;
    trace->footprint.sector_bytes = machine->sector_bytes ? machine->sector_bytes
                                    : machine->line_bytes ? machine->line_bytes
                                                          : 64;
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < count && status == BL_OK; i++) {
        const bool is_write = accesses[i].operation != BL_OPERATION_READ;
        if (accesses[i].memory == BL_MEMORY_GLOBAL || accesses[i].memory == BL_MEMORY_CONSTANT)
            status = bl_footprint_add(&trace->footprint, accesses[i].address, accesses[i].bytes,
                                      accesses[i].operation != BL_OPERATION_WRITE, is_write, error);
    }
    return status;
}

/* Adds `sign` times the sums over the row's traced requests. */
static void add_sums(const struct bl_trace_row *row, double sign, double sums[BL_ROW_SUMS])
{
    const struct bl_cost_sums *own = &row->own, *ideal = &row->ideal;
    const uint64_t traced[BL_ROW_SUMS] = {
        [BL_SUM_ACCESSES] = row->accesses,
        [BL_SUM_REQUESTS] = row->requests,
        [BL_SUM_LANES] = row->lanes,
        [BL_SUM_NEEDED_BYTES] = row->needed_bytes,
        [BL_SUM_LINES] = own->lines,
        [BL_SUM_SECTORS] = own->sectors,
        [BL_SUM_TAG_PASSES] = own->tag_passes,
        [BL_SUM_BANK_PASSES] = own->bank_passes,
        [BL_SUM_CLOCKS] = own->clocks,
        [BL_SUM_IDEAL_TAG_PASSES] = ideal->tag_passes,
        [BL_SUM_IDEAL_BANK_PASSES] = ideal->bank_passes,
        [BL_SUM_IDEAL_CLOCKS] = ideal->clocks,
    };
    for (unsigned s = 0; s < BL_ROW_SUMS; s++)
        sums[s] += sign * (double)traced[s];
}

void bl_trace_end_launch(struct bl_trace *trace, unsigned number, uint64_t groups)
{
    struct bl_trace_kernel *kernel = &trace->kernels[number];
    double weights[BL_GROUP_PLACES];
    bl_group_weights(&trace->sample, &kernel->last, groups, weights);
    for (size_t r = 0; r < trace->row_count; r++) {
        struct bl_trace_row *row = &trace->rows[r];
        for (unsigned place = 0; row->kernel == number && place < BL_GROUP_PLACES; place++)
            for (unsigned s = 0; s < BL_ROW_SUMS; s++) {
                row->all[s] += weights[place] * row->of_launch[place][s];
                row->of_launch[place][s] = 0;
            }
    }
    uint64_t traced = 0;
    for (unsigned place = 0; place < BL_GROUP_PLACES; place++)
        traced += trace->sample.groups[place];
    kernel->untraced_groups += traced ? 0 : groups;
    trace->sample = (struct bl_launch_sample){0};
    const struct bl_footprint_bytes bytes = bl_footprint_end(&trace->footprint, weights);
    kernel->bound.read_bytes += bytes.read;
    kernel->bound.written_bytes += bytes.written;
}

enum bl_status bl_trace_group(struct bl_trace *trace, unsigned kernel,
                              const struct bl_traced_group *group, struct bl_error *error)
{
    struct bl_access *const accesses = group->accesses;
    const size_t count = group->count;
    bl_launch_sample_add(&trace->sample, &trace->kernels[kernel].last, group->place, accesses,
                         count, group->left_out);
    bl_footprint_next_group(&trace->footprint, group->place);
    bl_accesses_sort(accesses, count);
    struct bl_step step;
    double clocks = 0;
    for (size_t at = 0; bl_next_step(accesses, count, &at, &step);) {
        struct bl_trace_row *row = row_of(trace, kernel, step.accesses, error);
        if (!row)
            return BL_NO_MEMORY;
        const uint64_t before = row->own.clocks;
        add_sums(row, -1, row->of_launch[group->place]);
        bl_trace_add_step(trace, row, &step);
        add_sums(row, 1, row->of_launch[group->place]);
        clocks += (double)(row->own.clocks - before);
    }
    const enum bl_status status = add_footprint(trace, accesses, count, error);
    return status == BL_OK ? keep(&trace->kernels[kernel], group, clocks, error) : status;
}

bool bl_trace_is_of_row(const struct bl_trace *trace, const struct bl_trace_row *row,
                        const struct bl_access *access)
{
    const struct bl_trace_instruction *instruction = &trace->instructions[access->instruction];
    return row->memory == (enum bl_memory)access->memory &&
           row->operation == (enum bl_operation)access->operation &&
           row->traced_line == instruction->is.line && row->column == instruction->is.column &&
           strcmp(row->array, instruction->array) == 0 &&
           strcmp(row->traced_site, instruction->call_sites) == 0 &&
           strcmp(row->file, instruction->file) == 0;
}

bool bl_trace_has_unknown_banks(const struct bl_trace *trace, const struct bl_trace_row *row)
{
    return !row->has_rule &&
           bl_why_no_cost(trace->machine, row->memory, row->operation == BL_OPERATION_ATOMIC) ==
               bl_banks_are_unknown;
}

double bl_trace_mean(const struct bl_trace_row *row, uint64_t sum)
{
    return row->has_rule && sum > 0 ? (double)sum / (double)row->requests : NAN;
}

struct bl_cost_sums bl_trace_all_costs(const struct bl_trace_row *row)
{
    return (struct bl_cost_sums){.lines = (uint64_t)llround(row->all[BL_SUM_LINES]),
                                 .sectors = (uint64_t)llround(row->all[BL_SUM_SECTORS]),
                                 .tag_passes = (uint64_t)llround(row->all[BL_SUM_TAG_PASSES]),
                                 .bank_passes = (uint64_t)llround(row->all[BL_SUM_BANK_PASSES]),
                                 .clocks = (uint64_t)llround(row->all[BL_SUM_CLOCKS])};
}

/* The lost clocks, at least 0: a request whose lanes share elements may cost less than a contiguous
 * request. */
static double lost_of(const struct bl_trace_row *row, double clocks, double ideal_clocks)
{
    return row->has_rule && clocks > ideal_clocks ? clocks - ideal_clocks : 0;
}

double bl_trace_lost(const struct bl_trace_row *row)
{
    return lost_of(row, row->clocks, row->ideal_clocks);
}

double bl_trace_all_lost(const struct bl_trace_row *row)
{
    return lost_of(row, row->all_clocks, row->all_ideal_clocks);
}

bool bl_trace_is_sampled(const struct bl_trace *trace)
{
    for (size_t k = 0; k < trace->kernel_count; k++)
        if (trace->kernels[k].traced_groups < trace->kernels[k].groups)
            return true;
    return false;
}

/* Orders rows by lost clocks, then by clocks, both estimated for all groups; the largest first. */
static int by_loss_and_clocks(const struct bl_trace_row *a, const struct bl_trace_row *b)
{
    const double lost = bl_trace_all_lost(b) - bl_trace_all_lost(a),
                 clocks = (b->has_rule ? b->all_clocks : 0) - (a->has_rule ? a->all_clocks : 0);
    return lost != 0 ? (lost > 0) - (lost < 0) : (clocks > 0) - (clocks < 0);
}

static int by_loss_of_all(const void *left, const void *right)
{
    return by_loss_and_clocks(*(struct bl_trace_row *const *)left,
                              *(struct bl_trace_row *const *)right);
}

struct bl_trace_row **bl_trace_worst(const struct bl_trace *trace, size_t *count)
{
    struct bl_trace_row **rows = calloc(trace->row_count + 1, sizeof(void *));
    *count = 0;
    for (size_t i = 0; rows && i < trace->row_count; i++)
        if (trace->rows[i].has_rule)
            rows[(*count)++] = &trace->rows[i];
    if (*count)
        qsort(rows, *count, sizeof(void *), by_loss_of_all);
    return rows;
}

static int by_kernel_and_loss(const void *left, const void *right)
{
    const struct bl_trace_row *a = left, *b = right;
    if (a->kernel != b->kernel)
        return a->kernel < b->kernel ? -1 : 1;
    const int order = by_loss_and_clocks(a, b);
    if (order)
        return order;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    return a->operation < b->operation ? -1 : a->operation > b->operation;
}

/* Extrapolates the kernel's bytes to the untraced launches, assuming that these touch as many bytes
 * as the traced launches. */
static void add_untraced_bytes(struct bl_trace_kernel *kernel)
{
    const unsigned traced = kernel->launches - kernel->untraced_launches;
    if (!traced || !kernel->untraced_launches)
        return;
    kernel->bound.read_bytes *= (double)kernel->launches / traced;
    kernel->bound.written_bytes *= (double)kernel->launches / traced;
}

/* Extrapolates a row's sums to the untraced launches, assuming that their groups do the same as the
 * groups of traced launches. Then computes the clocks of all groups. */
static void estimate_all(const struct bl_trace *trace, struct bl_trace_row *row)
{
    const struct bl_trace_kernel *kernel = &trace->kernels[row->kernel];
    const double groups = (double)kernel->groups, untraced = (double)kernel->untraced_groups;
    for (unsigned s = 0; s < BL_ROW_SUMS && untraced > 0 && untraced < groups; s++)
        row->all[s] *= groups / (groups - untraced);
    const bool is_write = row->operation == BL_OPERATION_WRITE;
    const struct bl_cost_sums own = bl_trace_all_costs(row),
                              ideal = {.tag_passes =
                                           (uint64_t)llround(row->all[BL_SUM_IDEAL_TAG_PASSES]),
                                       .bank_passes =
                                           (uint64_t)llround(row->all[BL_SUM_IDEAL_BANK_PASSES]),
                                       .clocks = (uint64_t)llround(row->all[BL_SUM_IDEAL_CLOCKS])};
    row->all_clocks = row->has_rule ? bl_cost_clocks(trace->machine, is_write, &own) : NAN;
    row->all_ideal_clocks = row->has_rule ? bl_cost_clocks(trace->machine, is_write, &ideal) : NAN;
}

void bl_trace_finish(struct bl_trace *trace)
{
    for (size_t i = 0; i < trace->kernel_count; i++)
        add_untraced_bytes(&trace->kernels[i]);
    for (size_t i = 0; i < trace->row_count; i++) {
        struct bl_trace_row *row = &trace->rows[i];
        const bool is_write = row->operation == BL_OPERATION_WRITE;
        row->clocks = row->ideal_clocks = row->share = NAN;
        estimate_all(trace, row);
        if (!row->has_rule)
            continue;
        row->clocks = bl_cost_clocks(trace->machine, is_write, &row->own);
        row->ideal_clocks = bl_cost_clocks(trace->machine, is_write, &row->ideal);
        trace->kernels[row->kernel].clocks += row->clocks;
        trace->kernels[row->kernel].all_clocks += row->all_clocks;
    }
    for (size_t i = 0; i < trace->row_count; i++)
        trace->rows[i].share =
            trace->rows[i].all_clocks / trace->kernels[trace->rows[i].kernel].all_clocks;
    if (trace->row_count)
        qsort(trace->rows, trace->row_count, sizeof *trace->rows, by_kernel_and_loss);
}

void bl_trace_free(struct bl_trace *trace)
{
    for (size_t i = 0; i < trace->program_count; i++) {
        free(trace->programs[i].source);
        free(trace->programs[i].options);
    }
    for (size_t i = 0; i < trace->kernel_count; i++) {
        free(trace->kernels[i].name);
        free(trace->kernels[i].label);
        free(trace->kernels[i].predicted.simulated);
        free(trace->kernels[i].kept);
    }
    for (size_t i = 0; i < trace->instruction_count; i++)
        free(trace->instructions[i].file);
    for (size_t i = 0; i < trace->row_count; i++) {
        free(trace->rows[i].name);
        free(trace->rows[i].call_sites);
    }
    bl_footprint_free(&trace->footprint);
    free(trace->programs);
    free(trace->kernels);
    free(trace->instructions);
    free(trace->rows);
    *trace = (struct bl_trace){0};
}
