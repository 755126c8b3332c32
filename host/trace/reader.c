/* Reads the plugin's records into a trace. The records come from one or more other processes, which
 * may die at any time, so every record is checked before it is used. */
#include "trace/reader.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "trace/occurrences.h"
#include "trace/predicted.h"

enum { PAUSE_MS = 20, BUFFER_BYTES = 1 << 16, MAX_TEXT_BYTES = 1 << 28, MAX_GROUP_ITEMS = 1 << 20 };

static bool is_interrupted(const struct bl_pipe *pipe)
{
    return pipe->is_interrupted && pipe->is_interrupted(pipe->context);
}

enum bl_status bl_pipe_read(const struct bl_pipe *pipe, void *to, size_t capacity, size_t *got,
                            struct bl_error *error)
{
    struct pollfd wanted = {.fd = pipe->descriptor, .events = POLLIN};
    /* Do not wait if the descriptor is invalid, because reading from it fails. */
    const bool is_open = pipe->descriptor >= 0;
    while (is_open && poll(&wanted, 1, PAUSE_MS) <= 0 && !is_interrupted(pipe))
        if (pipe->idle)
            pipe->idle(pipe->context);
    if (is_open && is_interrupted(pipe))
        return bl_fail(error, BL_INTERRUPTED, "interrupted");
    ssize_t count;
    do
        count = read(pipe->descriptor, to, capacity);
    while (count < 0 && errno == EINTR);
    *got = count > 0 ? (size_t)count : 0;
    return count < 0
               ? bl_fail(error, BL_FILE_FAILED, "cannot read %s: %s", pipe->what, strerror(errno))
               : BL_OK;
}

static const uint32_t none = UINT32_MAX;

/* A process that writes into the pipe. Each process numbers its programs and instructions from 0.
 */
struct traced_process {
    uint32_t number;
    struct own_numbers {
        uint32_t *all; /* indices of the trace's programs or instructions */
        size_t count, capacity;
    } programs, instructions;
};

struct reader {
    struct bl_pipe pipe;
    struct bl_trace *trace;
    struct bl_error *error;
    uint8_t buffer[BUFFER_BYTES];
    size_t at, end;
    bool has_begun;
    struct traced_process *processes;
    size_t process_count, process_capacity;
    size_t process;  /* index of the current process */
    unsigned kernel; /* index of the current launch's kernel; or `none` */
    uint64_t traced; /* number of the launch's groups traced so far */
    bool in_group;
    uint64_t group; /* index of the current group */
    uint32_t items; /* number of the group's work-items */
    uint32_t item;  /* the current work-item */
    uint16_t phase; /* barriers passed in the group */
    struct bl_occurrences occurrences;
    struct bl_occurrences compiled; /* with the loops as a device's compiler changes them; used if
                                       times are predicted */
    struct bl_access *accesses;     /* accesses of the current group */
    size_t count, capacity;
};

/* Reads exactly `bytes` bytes, or sets *is_end if the stream ends earlier. */
static enum bl_status take(struct reader *reader, void *to, size_t bytes, bool *is_end)
{
    uint8_t *out = to;
    size_t done = 0;
    *is_end = false;
    while (done < bytes) {
        if (reader->at == reader->end) {
            size_t got = 0;
            const enum bl_status status = bl_pipe_read(&reader->pipe, reader->buffer,
                                                       sizeof reader->buffer, &got, reader->error);
            if (status != BL_OK)
                return status;
            if (got == 0) {
                *is_end = true;
                return BL_OK;
            }
            reader->at = 0;
            reader->end = got;
        }
        const size_t left = reader->end - reader->at;
        const size_t now = left < bytes - done ? left : bytes - done;
        memcpy(out + done, reader->buffer + reader->at, now);
        reader->at += now;
        done += now;
    }
    return BL_OK;
}

static enum bl_status fail_format(struct reader *reader, const char *what)
{
    return bl_fail(reader->error, BL_BAD_FORMAT,
                   "the trace was written by another version of bankline, or by several "
                   "processes at the same time without a lock: %s",
                   what);
}

static enum bl_status fail_memory(struct reader *reader)
{
    return bl_fail(reader->error, BL_NO_MEMORY, "out of memory while storing the traced accesses");
}

/* Reads the text that follows a record and terminates it with a 0; the caller frees *text. */
static enum bl_status take_text(struct reader *reader, uint64_t bytes, size_t min_bytes,
                                char **text, bool *is_end)
{
    *text = NULL;
    if (bytes < min_bytes || bytes > MAX_TEXT_BYTES)
        return fail_format(reader, "a text has an impossible length");
    *text = malloc(bytes + 1);
    if (!*text)
        return fail_memory(reader);
    (*text)[bytes] = '\0';
    const enum bl_status status = take(reader, *text, bytes, is_end);
    if (status != BL_OK || *is_end) {
        free(*text);
        *text = NULL;
    }
    return status;
}

/* Assigns the process's next number to `index`, an index into the trace's array. */
static bool number_next(struct own_numbers *numbers, size_t index)
{
    uint32_t *next =
        bl_array_append(&numbers->all, &numbers->count, &numbers->capacity, sizeof *next);
    if (next)
        *next = (uint32_t)index;
    return next != NULL;
}

/* The trace's index for a number that the current process uses; or `none`. */
static uint32_t index_of(const struct own_numbers *numbers, uint32_t number)
{
    return number < numbers->count ? numbers->all[number] : none;
}

static struct traced_process *current(struct reader *reader)
{
    return &reader->processes[reader->process];
}

/* Functions for records with a text. A function that keeps the text sets *text to NULL. */

static enum bl_status add_source(struct reader *reader, const struct bl_wire_record *record,
                                 char **text)
{
    struct bl_trace *trace = reader->trace;
    if (record->number != current(reader)->programs.count)
        return fail_format(reader, "a program is out of order");
    struct bl_trace_program *program = bl_array_append(&trace->programs, &trace->program_count,
                                                       &trace->program_capacity, sizeof *program);
    if (!program)
        return fail_memory(reader);
    program->source = *text;
    *text = NULL;
    return number_next(&current(reader)->programs, trace->program_count - 1) ? BL_OK
                                                                             : fail_memory(reader);
}

static enum bl_status add_options(struct reader *reader, const struct bl_wire_record *record,
                                  char **text)
{
    struct bl_trace *trace = reader->trace;
    const uint32_t program = index_of(&current(reader)->programs, record->number);
    if (program == none)
        return fail_format(reader, "build options belong to no program");
    free(trace->programs[program].options);
    trace->programs[program].options = *text;
    *text = NULL;
    return BL_OK;
}

static enum bl_status add_instruction(struct reader *reader, const struct bl_wire_record *record,
                                      char **text)
{
    struct bl_trace *trace = reader->trace;
    if (record->number != current(reader)->instructions.count)
        return fail_format(reader, "an instruction is out of order");
    struct bl_trace_instruction *instruction =
        bl_array_append(&trace->instructions, &trace->instruction_count,
                        &trace->instruction_capacity, sizeof *instruction);
    if (!instruction)
        return fail_memory(reader);
    memcpy(&instruction->is, *text, sizeof instruction->is);
    const size_t bytes = record->bytes - sizeof instruction->is;
    instruction->file = calloc(bytes + 3, 1); /* a terminator for each of the three texts */
    if (!instruction->file ||
        !number_next(&current(reader)->instructions, trace->instruction_count - 1))
        return fail_memory(reader);
    memcpy(instruction->file, *text + sizeof instruction->is, bytes);
    instruction->array = instruction->file + strlen(instruction->file) + 1;
    instruction->call_sites = instruction->array + strlen(instruction->array) + 1;
    return BL_OK;
}

static enum bl_status begin_kernel(struct reader *reader, const struct bl_wire_record *record,
                                   char **text)
{
    struct bl_trace *trace = reader->trace;
    struct bl_wire_kernel launch;
    memcpy(&launch, *text, sizeof launch);
    const char *name = *text + sizeof launch;
    const uint32_t told = index_of(&current(reader)->programs, record->number);
    if (told == none)
        return fail_format(reader, "a kernel belongs to no program");
    const unsigned program = bl_trace_same_program(trace, told);
    unsigned kernel = 0;
    while (kernel < trace->kernel_count && (trace->kernels[kernel].program != program ||
                                            strcmp(trace->kernels[kernel].name, name) != 0))
        kernel++;
    if (kernel == trace->kernel_count) {
        struct bl_trace_kernel *added = bl_array_append(&trace->kernels, &trace->kernel_count,
                                                        &trace->kernel_capacity, sizeof *added);
        if (!added || !(added->name = strdup(name)))
            return fail_memory(reader);
        added->program = program;
    }
    struct bl_trace_kernel *launched = &trace->kernels[kernel];
    const uint64_t *last = launched->last.global;
    const bool is_empty = launch.global[0] * launch.global[1] * launch.global[2] == 0,
               has_last = launched->launches > 0 && last[0] * last[1] * last[2] > 0;
    launched->sizes_differ |=
        has_last && !is_empty && memcmp(&launched->last, &launch, sizeof launch) != 0;
    if (!is_empty || !has_last)
        launched->last = launch;
    launched->launches++;
    launched->local_is_chosen |= (record->value & BL_WIRE_LOCAL_CHOSEN) != 0;
    trace->are_units_missing |= (record->value & BL_WIRE_UNITS_MISSING) != 0;
    reader->kernel = kernel;
    reader->traced = 0;
    bl_predict_begin(trace, kernel, record->value);
    return BL_OK;
}

static enum bl_status begin_group(struct reader *reader, const struct bl_wire_record *record)
{
    if (reader->kernel == none || record->number == 0 || record->number > MAX_GROUP_ITEMS)
        return fail_format(reader, "a group is out of order");
    reader->in_group = true;
    reader->group = record->value;
    reader->items = record->number;
    reader->item = none;
    reader->phase = 0;
    reader->count = 0;
    struct bl_trace_kernel *kernel = &reader->trace->kernels[reader->kernel];
    if (record->bytes > kernel->group_local_bytes)
        kernel->group_local_bytes = record->bytes;
    bl_occurrences_begin_group(&reader->occurrences);
    bl_occurrences_begin_group(&reader->compiled);
    struct bl_predicting *predicting = reader->trace->predicting;
    return predicting && !bl_streams_begin_group(&predicting->streams, record) ? fail_memory(reader)
                                                                               : BL_OK;
}

static enum bl_memory memory_of(const struct bl_machine *machine, uint8_t wire)
{
    static const enum bl_memory memories[] = {
        [BL_WIRE_PRIVATE] = BL_MEMORY_PRIVATE,   [BL_WIRE_GLOBAL] = BL_MEMORY_GLOBAL,
        [BL_WIRE_CONSTANT] = BL_MEMORY_CONSTANT, [BL_WIRE_LOCAL] = BL_MEMORY_LOCAL,
        [BL_WIRE_DECLARED] = BL_MEMORY_DECLARED,
    };
    return wire == BL_WIRE_DECLARED && machine->constant_address_clocks == 0 ? BL_MEMORY_CONSTANT
                                                                             : memories[wire];
}

/* Returns false if memory runs out. */
static bool predict_access(struct reader *reader, struct bl_access access)
{
    const struct bl_trace *trace = reader->trace;
    const enum bl_wire_index index =
        (enum bl_wire_index)trace->instructions[access.instruction].is.index;
    return !trace->predicting ||
           (bl_occurrence_next(&reader->compiled, access.instruction, trace->instruction_count,
                               access.item, reader->items, &access.occurrence) &&
            bl_streams_access(&trace->predicting->streams, &access, index));
}

static enum bl_status add_access(struct reader *reader, const struct bl_wire_record *record)
{
    const uint32_t instruction = index_of(&current(reader)->instructions, record->number);
    if (!reader->in_group || reader->item >= reader->items || instruction == none ||
        record->memory > BL_WIRE_DECLARED || record->operation > BL_WIRE_ATOMIC ||
        record->bytes == 0 || record->bytes > UINT32_MAX)
        return fail_format(reader, "an access is out of order");
    uint32_t occurrence;
    if (!bl_occurrence_next(&reader->occurrences, instruction, reader->trace->instruction_count,
                            reader->item, reader->items, &occurrence))
        return fail_memory(reader);
    struct bl_access *access =
        bl_array_append(&reader->accesses, &reader->count, &reader->capacity, sizeof *access);
    if (!access)
        return fail_memory(reader);
    *access = (struct bl_access){
        .instruction = instruction,
        .occurrence = occurrence,
        .item = reader->item,
        .bytes = (uint32_t)record->bytes,
        .address = record->value,
        .memory = (uint8_t)memory_of(reader->trace->machine, record->memory),
        .operation = record->operation,
        .phase = reader->phase,
        .order = (uint32_t)(reader->count - 1),
    };
    return predict_access(reader, *access) ? BL_OK : fail_memory(reader);
}

/* Adds a record of work or of a barrier. */
static enum bl_status add_work(struct reader *reader, const struct bl_wire_record *record)
{
    struct bl_predicting *predicting = reader->trace->predicting;
    const bool is_barrier = record->kind == BL_WIRE_BARRIER;
    if (is_barrier && reader->phase < UINT16_MAX)
        reader->phase++;
    /* BL_WIRE_NONE means that the work waits for no load. For any other number, `none` means that
     * the process has not described this instruction, which is an error. */
    const uint32_t load = index_of(&current(reader)->instructions, record->number);
    if (!reader->in_group || (!is_barrier && (reader->item >= reader->items ||
                                              (load == none && record->number != BL_WIRE_NONE))))
        return fail_format(reader, "work is out of order");
    const bool has_memory =
        !predicting ||
        (is_barrier ? bl_streams_barrier(&predicting->streams)
                    : bl_streams_work(&predicting->streams, reader->item, load, record));
    return has_memory ? BL_OK : fail_memory(reader);
}

/* is_whole: false if the launch was cut short or aborted within this group. The accesses of such a
 * group count, but predictions do not use it in place of other groups. */
static enum bl_status end_group(struct reader *reader, const struct bl_wire_record *record,
                                bool is_whole)
{
    uint64_t left_out = record->value;
    const uint32_t share = record->number;
    if (!reader->in_group)
        return fail_format(reader, "a group ends that did not begin");
    reader->in_group = false;
    struct bl_predicting *predicting = reader->trace->predicting;
    const size_t reported = reader->count;
    if (share > 0 && (!bl_accesses_cut(reader->accesses, &reader->count, reader->items, share) ||
                      (predicting && !bl_streams_cut(&predicting->streams, share))))
        return fail_memory(reader);
    left_out += reported - reader->count;
    struct bl_trace_kernel *kernel = &reader->trace->kernels[reader->kernel];
    kernel->traced_groups++;
    reader->traced++;
    kernel->left_out += left_out;
    if (is_whole)
        bl_predict_group(reader->trace, reader->count + left_out);
    if (predicting && is_whole &&
        !bl_streams_end_group(&predicting->streams, reader->trace, &kernel->last, left_out,
                              (double)record->bytes))
        return fail_memory(reader);
    const struct bl_traced_group group = {bl_group_place_of(&kernel->last, reader->group),
                                          reader->accesses, reader->count, left_out};
    return bl_trace_group(reader->trace, reader->kernel, &group, reader->error);
}

/* If Oclgrind aborts a launch within a group, the record of the launch's end arrives while that
 * group is open. */
static enum bl_status end_kernel(struct reader *reader, const struct bl_wire_record *record)
{
    const uint64_t groups = record->value;
    if (reader->kernel == none)
        return fail_format(reader, "a kernel ends that did not begin");
    struct bl_trace_kernel *kernel = &reader->trace->kernels[reader->kernel];
    enum bl_status status = BL_OK;
    if (reader->in_group) {
        kernel->aborted++;
        status = end_group(reader, &(struct bl_wire_record){0}, false);
    }
    kernel->groups += groups;
    kernel->untraced_launches += reader->traced == 0 && groups > 0;
    kernel->shortened_launches += record->number == BL_WIRE_SHORTENED;
    kernel->partial_launches += record->number == BL_WIRE_QUICK_LEFT_OUT;
    bl_trace_end_launch(reader->trace, reader->kernel, groups);
    if (status == BL_OK)
        status = bl_predict_end(reader->trace, reader->kernel, false, reader->error);
    reader->kernel = none;
    return status;
}

/* Processes a record with a text. */
static enum bl_status take_long(struct reader *reader, const struct bl_wire_record *record,
                                bool *is_end)
{
    const size_t min_bytes = record->kind == BL_WIRE_KERNEL ? sizeof(struct bl_wire_kernel)
                             : record->kind == BL_WIRE_INSTRUCTION
                                 ? sizeof(struct bl_wire_instruction)
                                 : 0;
    char *text;
    enum bl_status status = take_text(reader, record->bytes, min_bytes, &text, is_end);
    if (status != BL_OK || *is_end || !text)
        return status;
    status = record->kind == BL_WIRE_KERNEL        ? begin_kernel(reader, record, &text)
             : record->kind == BL_WIRE_INSTRUCTION ? add_instruction(reader, record, &text)
             : record->kind == BL_WIRE_OPTIONS     ? add_options(reader, record, &text)
                                                   : add_source(reader, record, &text);
    free(text);
    return status;
}

/* Ends the open group and the open launch, because reading ends or continues with another process.
 */
static enum bl_status end_what_is_open(struct reader *reader)
{
    enum bl_status status = BL_OK;
    if (reader->kernel != none && reader->in_group && reader->count > 0)
        status = end_group(reader, &(struct bl_wire_record){0}, false);
    /* If a program does not release its OpenCL objects, its process ends before Oclgrind reports
     * the end of the program. */
    if (reader->kernel == none && reader->trace->kernel_count > 0)
        reader->trace->is_whole = true;
    if (reader->kernel != none) {
        struct bl_trace_kernel *kernel = &reader->trace->kernels[reader->kernel];
        const uint64_t *groups = kernel->last.groups, count = groups[0] * groups[1] * groups[2];
        kernel->groups += count;
        bl_trace_end_launch(reader->trace, reader->kernel, count);
        if (status == BL_OK)
            status = bl_predict_end(reader->trace, reader->kernel, true, reader->error);
        reader->kernel = none;
    }
    return status;
}

/* The previous process may have ended within a launch. A new process always gets a new entry,
 * because it may reuse the number of a process that has ended. */
static enum bl_status begin_process(struct reader *reader, const struct bl_wire_record *record)
{
    if (record->value != BL_WIRE_VERSION)
        return fail_format(reader, "a process has another version");
    const enum bl_status status = end_what_is_open(reader);
    struct traced_process *process = bl_array_append(&reader->processes, &reader->process_count,
                                                     &reader->process_capacity, sizeof *process);
    if (!process)
        return fail_memory(reader);
    process->number = record->number;
    reader->process = reader->process_count - 1;
    reader->in_group = reader->trace->is_whole = false;
    return status;
}

static enum bl_status choose_process(struct reader *reader, const struct bl_wire_record *record)
{
    const enum bl_status status = end_what_is_open(reader);
    size_t process = reader->process_count;
    while (process-- > 0)
        if (reader->processes[process].number == record->number) {
            reader->process = process;
            reader->in_group = reader->trace->is_whole = false;
            return status;
        }
    return fail_format(reader, "records come from a process that did not begin");
}

static void free_reader(struct reader *reader)
{
    for (size_t i = 0; i < reader->process_count; i++) {
        free(reader->processes[i].programs.all);
        free(reader->processes[i].instructions.all);
    }
    free(reader->processes);
    bl_occurrences_free(&reader->occurrences);
    bl_occurrences_free(&reader->compiled);
    free(reader->accesses);
    free(reader);
}

static bool predict_from(struct reader *reader, const struct bl_wire_record *record)
{
    const bool is_host = record->kind == BL_WIRE_HOST, counts = is_host == (reader->kernel == none);
    return !counts || (is_host ? bl_predict_host : bl_predict_ran)(reader->trace, record->value,
                                                                   record->bytes);
}

/* Counts what has no rule. */
static void add_unruled(struct reader *reader, const struct bl_wire_record *record)
{
    if (reader->kernel == none)
        return;
    struct bl_trace_kernel *kernel = &reader->trace->kernels[reader->kernel];
    if (record->kind == BL_WIRE_COPY) {
        kernel->copied_bytes += record->value;
    } else {
        kernel->image_accesses += record->value;
        kernel->prints |= record->bytes > 0;
    }
}

static enum bl_status take_record(struct reader *reader, const struct bl_wire_record *record,
                                  bool *is_end)
{
    if (!reader->has_begun && record->kind != BL_WIRE_HELLO)
        return fail_format(reader, "it does not begin with the version");
    reader->has_begun = true;
    switch (record->kind) {
    case BL_WIRE_HELLO:
        return begin_process(reader, record);
    case BL_WIRE_PROCESS:
        return choose_process(reader, record);
    case BL_WIRE_SOURCE:
    case BL_WIRE_OPTIONS:
    case BL_WIRE_KERNEL:
    case BL_WIRE_INSTRUCTION:
        return take_long(reader, record, is_end);
    case BL_WIRE_GROUP:
        return begin_group(reader, record);
    case BL_WIRE_ITEM:
        reader->item = record->number;
        return BL_OK;
    case BL_WIRE_POSITION:
        bl_occurrences_move(&reader->occurrences, record->value);
        bl_occurrences_move(&reader->compiled, record->bytes);
        return BL_OK;
    case BL_WIRE_ACCESS:
        return add_access(reader, record);
    case BL_WIRE_BARRIER:
    case BL_WIRE_WORK:
        return add_work(reader, record);
    case BL_WIRE_COPY:
    case BL_WIRE_IMAGES:
        add_unruled(reader, record);
        return BL_OK;
    case BL_WIRE_HOST:
    case BL_WIRE_RAN:
        return predict_from(reader, record) ? BL_OK : fail_memory(reader);
    case BL_WIRE_HOST_WORK:
        bl_predict_host_work(reader->trace, record->value, record->bytes);
        return BL_OK;
    case BL_WIRE_GROUP_END:
        return end_group(reader, record, true);
    case BL_WIRE_KERNEL_END:
        return end_kernel(reader, record);
    case BL_WIRE_END:
        reader->trace->is_whole = true;
        return BL_OK;
    case BL_WIRE_THREADS:
        reader->trace->host_threads = (unsigned)record->value;
        return BL_OK;
    default:
        return fail_format(reader, "a record has an unknown kind");
    }
}

enum bl_status bl_trace_read(int descriptor, const struct bl_trace_progress *progress,
                             struct bl_trace *trace, struct bl_error *error)
{
    struct reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while storing the traced accesses");
    reader->pipe = (struct bl_pipe){descriptor, "the trace", progress->is_interrupted,
                                    progress->idle, progress->context};
    reader->trace = trace;
    reader->error = error;
    reader->kernel = none;
    enum bl_status status = BL_OK;
    bool is_end = false;
    while (status == BL_OK && !is_end) {
        struct bl_wire_record record = {0};
        status = take(reader, &record, sizeof record, &is_end);
        if (status != BL_OK || is_end)
            break;
        status = take_record(reader, &record, &is_end);
        if (status == BL_OK && record.kind == BL_WIRE_GROUP_END && progress->group)
            progress->group(progress->context, trace);
        if (status == BL_OK && progress->is_interrupted &&
            progress->is_interrupted(progress->context))
            status = bl_fail(error, BL_INTERRUPTED, "interrupted");
    }
    reader->error = status == BL_OK ? error : NULL;
    const enum bl_status ended = end_what_is_open(reader);
    status = status == BL_OK ? ended : status;
    bl_trace_finish(trace);
    free_reader(reader);
    return status;
}
