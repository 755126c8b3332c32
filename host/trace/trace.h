/* A trace of a program's kernels: for each source line how often it accessed memory, what its
 * requests cost on a machine, and what they would cost if they were contiguous.
 *
 * A request is what the work-items of one sub-group, `lanes` of the machine, consecutive in the
 * group with x fastest, execute together of one instruction (lockstep.h). Fewer may be active,
 * where the program diverges or a group ends.
 *
 * Addresses are Oclgrind's: the upper bits number the buffer, and each begins at its own multiple
 * of a large power of two, so which lines of one buffer share a tag bank is as on a device where
 * the buffer is as aligned.
 */
#ifndef BANKLINE_TRACE_TRACE_H
#define BANKLINE_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/predict.h"
#include "model/transform.h"
#include "trace/bounds.h"
#include "trace/footprint.h"
#include "trace/predicted.h"
#include "trace/wire.h"

struct bl_trace_instruction {
    struct bl_wire_instruction is;
    char *file; /* by the name that its compiler was given */
    /* In the memory of `file`; empty where there is none, or it is not known. */
    const char *array;      /* an argument or a variable */
    const char *call_sites; /* that it was inlined through: "LINE:COLUMN,...", innermost first */
};

/* The throughput of a row's recorded starts on a device, over that of contiguous ones; NAN: not
 * known. */
struct bl_replayed {
    bool is_tried;
    unsigned requests; /* that were replayed */
    char level[8];     /* at which they were measured */
    double predicted, measured, low, high;
    enum bl_verdict verdict;
    char why_not[256]; /* a sentence; or empty */
};

/* One access of the source, by line, column, array, call sites and kind. Sums are over requests, of
 * which a wide access may be several. */
struct bl_trace_row {
    unsigned kernel;  /* an index of bl_trace.kernels */
    const char *file; /* by the name that its compiler was given */
    char *name;    /* of the file, for people (bl_trace_name_files); NULL before it is looked for */
    unsigned line; /* of that file; 0: not known */
    unsigned column;         /* 0: not known */
    const char *array;       /* or empty */
    const char *traced_site; /* call sites, as of the instructions */
    char *call_sites;        /* the same by lines of the file; NULL before it is looked for */
    unsigned source_line;    /* of the program's source; 0: it is in none */
    unsigned traced_line;    /* of `file` */
    enum bl_memory memory;
    enum bl_operation operation;
    bool has_rule;         /* else clocks and counts are not known */
    uint64_t accesses;     /* of work-items */
    uint64_t requests;     /* of sub-groups */
    uint64_t lanes;        /* active ones of these */
    uint64_t needed_bytes; /* distinct ones of each request; of global and constant memory */
    struct bl_cost_sums own, ideal;
    /* Bank passes per request, over the banks that the machine may have: of the kept accesses, if
     * the row's cost depends on the banks; else 0 (bl_trace_bank_ranges). */
    double least_passes, most_passes;
    double ends[BL_STAGES];      /* clocks of the stages in launches' first and last groups */
    double clocks, ideal_clocks; /* of all requests, overlap included; NAN without a rule */
    double share;                /* of the kernel's clocks; NAN without a rule */
    struct bl_replayed replayed;
    uint64_t unoptimized_requests; /* if compiled without optimization; 0: not known */
};

/* Measured times of a kernel's launches. */
struct bl_timed {
    unsigned launches;
    double ns;                  /* all together */
    double first_ns, median_ns; /* the first, which found caches cold; half took no longer */
};

struct bl_timed_device {
    char name[256];
    unsigned compute_units, mhz; /* the highest clock, as its driver reports it */
};

/* A kernel as Intel's offline compiler compiles it; simd 0: it was not compiled. */
struct bl_intel {
    unsigned simd, instructions, scratch_bytes;
    unsigned messages[2][3]; /* to global and local memory: loads, stores, atomics */
};

struct bl_trace_kernel {
    char *name;
    char *label;                /* bl_trace_label_of; NULL: the name alone */
    unsigned program;           /* an index of bl_trace.programs */
    unsigned launches, aborted; /* aborted: of these, by Oclgrind */
    /* Launches cut by the budget: untraced, only their groups are counted; shortened, only their
     * first and last group ran. */
    unsigned untraced_launches, shortened_launches;
    uint64_t groups, traced_groups; /* of all launches; of an aborted one those that began */
    uint64_t traced_ends;           /* first and last ones */
    uint64_t left_out;              /* accesses of traced groups beyond the limit */
    uint64_t image_accesses;        /* of traced groups, which are in no row */
    uint64_t copied_bytes;          /* by async_work_group_copy, which are in no row */
    struct bl_wire_kernel last;     /* launch */
    bool local_is_chosen; /* of a launch: the program left the size of its groups to OpenCL */
    double clocks;        /* of the traced groups' requests, one after another */
    /* Of the group with most clocks among those traced, up to BL_TRACE_KEPT accesses, by
     * instruction, occurrence and item: what suggestions are tried on, and what is replayed. */
    struct bl_access *kept;
    size_t kept_count;
    double kept_clocks;
    struct bl_timed timed; /* launches 0: it is not known */
    struct bl_bound bound;
    struct bl_intel intel;
    struct bl_predicted predicted;
};

enum { BL_TRACE_KEPT = 1 << 18 };

struct bl_trace {
    const struct bl_machine *machine;
    struct bl_trace_program {
        char *source, *options;             /* options may be NULL */
        uint64_t source_hash, options_hash; /* bl_wire_hash; of bl_times_read */
    } * programs;
    size_t program_count, program_capacity;
    struct bl_trace_kernel *kernels;
    size_t kernel_count, kernel_capacity;
    struct bl_trace_instruction *instructions;
    size_t instruction_count, instruction_capacity;
    struct bl_trace_row *rows; /* sorted by bl_trace_finish */
    size_t row_count, row_capacity;
    bool is_whole;            /* the program ended in order */
    unsigned ambiguous_times; /* launches that were timed, of a kernel of several */
    unsigned host_threads;    /* that used Oclgrind; 0: one */
    /* State of the time prediction, owned by the caller; NULL: predict none. */
    struct bl_predicting *predicting;
    struct bl_trace_footprint footprint;    /* of the current launch */
    struct bl_timed_device timed_on;        /* its name is empty where nothing was timed */
    char replayed_on[288], replayed_as[32]; /* a device with its driver, and its machine; or empty
                                             */
};

/* Copies the first occurrences of each instruction, as many as leave `max` accesses, and at least
 * one, into *copy, which is reallocated. Returns how many there are, 0 without memory. */
size_t bl_trace_fewer(struct bl_access **copy, const struct bl_access accesses[], size_t count,
                      size_t max);

/* Adds a group as the trace comes in: all its accesses, in any order, which are sorted here.
 * is_end: it is the first or the last group of its launch, which may differ from the others.
 * BL_NO_MEMORY. */
enum bl_status bl_trace_group(struct bl_trace *trace, unsigned kernel, bool is_end,
                              struct bl_access accesses[], size_t count, struct bl_error *error);

/* Ends a launch of which `groups` groups ran and `traced` were traced. */
void bl_trace_end_launch(struct bl_trace *trace, unsigned kernel, uint64_t groups, uint64_t traced);

/* Computes what needs all groups, and sorts the rows: by kernel, in the order of first launches,
 * and in each kernel by lost clocks. */
void bl_trace_finish(struct bl_trace *trace);

/* Adds the clocks for which requests of a row occupy the stages of a compute unit. */
void bl_trace_add_stages(const struct bl_trace_row *row, const struct bl_cost_sums *sums,
                         double stages[BL_STAGES]);

/* Adds the requests of a step, and their costs, to a row. */
void bl_trace_add_step(const struct bl_trace *trace, struct bl_trace_row *row,
                       const struct bl_step *step);

/* Whether an access by the row's kernel belongs to the row. */
bool bl_trace_is_of_row(const struct bl_trace *trace, const struct bl_trace_row *row,
                        const struct bl_access *access);

/* Whether a row has no rule because its cost depends on banks that are not certain. */
bool bl_trace_has_unknown_banks(const struct bl_trace *trace, const struct bl_trace_row *row);

/* A count's mean over a row's requests; NAN without a rule and where it is 0, which is where it
 * does not apply. */
double bl_trace_mean(const struct bl_trace_row *row, uint64_t sum);

/* How many groups each traced one of a kernel stands for. */
double bl_trace_times_sampled(const struct bl_trace_kernel *kernel);

/* Clocks that a row loses against its ideal; 0 without a rule. */
double bl_trace_lost(const struct bl_trace_row *row);

/* The rows that have a rule, *count of them: those that lose most first, and of those that lose
 * alike those with most clocks. The caller frees the array; NULL: there is no memory. */
struct bl_trace_row **bl_trace_worst(const struct bl_trace *trace, size_t *count);

/* The next request of a step, from *at on, which moves: a run of work-items of one sub-group whose
 * accesses are as wide; false: there is none. */
bool bl_trace_next_request(const struct bl_trace *trace, const struct bl_step *step, size_t *at,
                           struct bl_step *request);

/* The element type of an access by this instruction, as far as its width tells. */
struct bl_type bl_trace_type(const struct bl_trace_instruction *instruction, unsigned bytes);

/* Which file a line of a program's source is from: OpenCL programs are built from texts, and where
 * such a text holds a file that is found, whole, its lines are reported as that file's. Looks for
 * files of OpenCL C (.cl, .ocl, .clh, .h, .hpp of at most 1 MiB) in the working folder and in those
 * that `words`, ended by NULL, name or lie in, and two levels below; names the rows' files by what
 * it finds, and the others "source N". To be called once, for a trace that is finished.
 * BL_NO_MEMORY. */
enum bl_status bl_trace_name_files(struct bl_trace *trace, const char *const words[],
                                   struct bl_error *error);

/* The kernel's name; where other programs of the trace have one of that name too, with what tells
 * it apart, its file and options, once bl_trace_name_files was called. */
const char *bl_trace_label_of(const struct bl_trace_kernel *kernel);

void bl_trace_free(struct bl_trace *trace);

const char *bl_operation_name(enum bl_operation operation);

/* Two traces of one program, compiled with and without optimization. */

/* Notes in the rows of `trace` how many requests the same lines made in `unoptimized`, and returns
 * how many lines of that one have no row in `trace`; private memory, where an unoptimised program
 * keeps everything, is left out. */
size_t bl_trace_note_unoptimized(struct bl_trace *trace, const struct bl_trace *unoptimized);

/* The row of `trace` that is the same line's as this of another trace; NULL: there is none. */
struct bl_trace_row *bl_trace_row_like(const struct bl_trace *trace, const struct bl_trace *other,
                                       const struct bl_trace_row *row);

#endif
