/* A trace of a program's kernels. It holds, for each source line, how often the line accessed
 * memory, the cost of its requests on a machine, and the cost of these requests if their lanes
 * accessed contiguous elements.
 *
 * A request is one execution of an instruction by the work-items of a sub-group together
 * (lockstep.h). A sub-group has as many work-items as the machine has lanes, consecutive in the
 * group with x fastest. Fewer lanes are active where work-items diverge, and in the last sub-group
 * of a group whose size is not a multiple of the lanes.
 *
 * Addresses are Oclgrind's: the upper bits are the number of the buffer, the lower bits the offset
 * in it. The cache lines of a buffer therefore fall into the same tag banks as on a device that
 * aligns the buffer to a large power of two. */
#ifndef BANKLINE_TRACE_TRACE_H
#define BANKLINE_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/predict.h"
#include "model/transform.h"
#include "trace/bounds.h"
#include "trace/footprint.h"
#include "trace/group_weights.h"
#include "trace/predicted.h"
#include "trace/wire.h"

struct bl_trace_instruction {
    struct bl_wire_instruction is;
    char *file; /* file name as the compiler was given it */
    /* These two texts are stored in the allocation of `file`. They are empty if unknown or not
     * applicable. */
    const char *array;      /* name of an argument or a variable */
    const char *call_sites; /* "LINE:COLUMN,..." of inlined calls, innermost first */
};

/* The result of replaying a row's recorded accesses on a device (replay.h). `predicted`,
 * `measured`, `low` and `high` are throughputs relative to contiguous accesses; NAN if not known.
 */
struct bl_replayed {
    bool is_tried;
    unsigned requests; /* number of requests that were replayed */
    char level[8];     /* level at which they were measured */
    double predicted, measured, low, high;
    enum bl_verdict verdict;
    char why_not[256]; /* a sentence: why the row was not replayed; or empty */
};

/* Sums over a row's requests. */
enum bl_row_sum {
    BL_SUM_ACCESSES,
    BL_SUM_REQUESTS,
    BL_SUM_LANES,
    BL_SUM_NEEDED_BYTES,
    BL_SUM_LINES,
    BL_SUM_SECTORS,
    BL_SUM_TAG_PASSES,
    BL_SUM_BANK_PASSES,
    BL_SUM_CLOCKS,
    BL_SUM_IDEAL_TAG_PASSES,
    BL_SUM_IDEAL_BANK_PASSES,
    BL_SUM_IDEAL_CLOCKS,
    BL_ROW_SUMS
};

/* One access in the source, identified by line, column, array, call sites and kind. Sums are over
 * requests. `own` sums the costs of the traced accesses, `ideal` the costs of contiguous accesses.
 * In both, each part of a wide request counts as a request (bl_cost_add). */
struct bl_trace_row {
    unsigned kernel;         /* index into bl_trace.kernels */
    const char *file;        /* file name as the compiler was given it */
    char *name;              /* file name to show; NULL before bl_trace_name_files */
    unsigned line;           /* line of the shown file; 0 if not known */
    unsigned column;         /* 0 if not known */
    const char *array;       /* name of the accessed array; or empty */
    const char *traced_site; /* call sites, as in bl_trace_instruction */
    char *call_sites;     /* with line numbers of the shown file; NULL before bl_trace_name_files */
    unsigned source_line; /* line of the program's source; 0 if in an included file */
    unsigned traced_line; /* line of `file` */
    enum bl_memory memory;
    enum bl_operation operation;
    bool has_rule;         /* if false, clocks and counts are not known */
    uint64_t accesses;     /* by work-items */
    uint64_t requests;     /* by sub-groups */
    uint64_t lanes;        /* active lanes, summed over these requests */
    uint64_t needed_bytes; /* distinct bytes per request, summed; only global and constant memory */
    struct bl_cost_sums own, ideal;
    /* The least and the most bank passes per request over all alternatives of the machine's banks
     * (bl_trace_bank_ranges). Both are computed from bl_trace_kernel.kept, and are 0 if the row's
     * cost does not depend on the banks. */
    double least_passes, most_passes;
    double clocks, ideal_clocks; /* of all requests together (bl_cost_clocks); NAN without a rule */
    /* Estimates for all groups of all launches (group_weights.h); the values above are of the
     * traced groups. */
    double all[BL_ROW_SUMS];
    double all_clocks, all_ideal_clocks;            /* as clocks and ideal_clocks */
    double share;                                   /* fraction of the kernel's all_clocks */
    double of_launch[BL_GROUP_PLACES][BL_ROW_SUMS]; /* of the current launch's traced groups */
    struct bl_replayed replayed;
    uint64_t unoptimized_requests; /* requests of the same line when compiled without optimization;
                                      0 if not known */
};

/* Measured times of a kernel's launches. */
struct bl_timed {
    unsigned launches;
    double ns;                  /* sum over the launches */
    double first_ns, median_ns; /* first_ns: of the first launch, on cold caches */
};

struct bl_timed_device {
    char name[256];
    unsigned compute_units, mhz; /* mhz: the highest clock that the driver reports */
};

/* Counts of a kernel as Intel's offline compiler compiles it; simd is 0 if the kernel was not
 * compiled. */
struct bl_intel {
    unsigned simd, instructions, scratch_bytes;
    unsigned messages[2][3]; /* [global, local memory][loads, stores, atomics] */
};

struct bl_trace_kernel {
    char *name;
    char *label;                /* see bl_trace_label_of; NULL if the label is just the name */
    unsigned program;           /* index into bl_trace.programs */
    unsigned launches, aborted; /* aborted: launches that Oclgrind aborted */
    /* Launches that were reduced to keep within the time budget. In an untraced launch, groups were
     * only counted; in a shortened launch, only the first and the last group ran. */
    unsigned untraced_launches, shortened_launches;
    uint64_t groups,
        traced_groups; /* both: of all launches; of an aborted launch, the groups that began */
    uint64_t untraced_groups;   /* groups of launches of which no group was traced */
    uint64_t left_out;          /* accesses of traced groups beyond the limit per group */
    uint64_t image_accesses;    /* image accesses of traced groups; no row counts them */
    uint64_t copied_bytes;      /* copied by async_work_group_copy; no row counts them */
    struct bl_wire_kernel last; /* the last launch */
    bool sizes_differ;          /* not all launches have the same global and local size */
    bool local_is_chosen;       /* the program left the group size of some launch to OpenCL */
    double clocks;              /* sum over the requests of the traced groups */
    double all_clocks;          /* sum of its rows' all_clocks */
    /* Up to BL_TRACE_KEPT accesses of the traced group with most clocks, ordered by instruction,
     * occurrence and item. Suggestions are tried on these accesses, and replays measure them. */
    struct bl_access *kept;
    size_t kept_count;
    double kept_clocks;
    struct bl_timed timed; /* timed.launches is 0 if the kernel was not timed */
    struct bl_bound bound;
    struct bl_intel intel;
    struct bl_predicted predicted;
};

enum { BL_TRACE_KEPT = 1 << 18 };

struct bl_trace {
    const struct bl_machine *machine;
    struct bl_trace_program {
        char *source, *options;             /* options may be NULL */
        uint64_t source_hash, options_hash; /* from bl_wire_hash; bl_times_read uses them */
    } * programs;
    size_t program_count, program_capacity;
    struct bl_trace_kernel *kernels;
    size_t kernel_count, kernel_capacity;
    struct bl_trace_instruction *instructions;
    size_t instruction_count, instruction_capacity;
    struct bl_trace_row *rows; /* sorted by bl_trace_finish */
    size_t row_count, row_capacity;
    bool is_whole;            /* the program ended normally */
    bool are_units_missing;   /* the program asked for compute_units, which the machine lacks */
    unsigned ambiguous_times; /* timed launches that match several kernels equally well */
    unsigned host_threads; /* number of host threads that used Oclgrind; 0 if there was only one */
    /* State of the time prediction, owned by the caller; NULL if no times are predicted. */
    struct bl_predicting *predicting;
    struct bl_trace_footprint footprint;    /* of the current launch */
    struct bl_launch_sample sample;         /* of the current launch */
    struct bl_timed_device timed_on;        /* its name is empty if nothing was timed */
    char replayed_on[288], replayed_as[32]; /* replayed_on: the device and its driver; replayed_as:
                                             * its machine; both may be empty
                                             */
};

/* Copies the accesses into *copy, which is reallocated. If there are more than `max`, copies only
 * some occurrences of each instruction, spread evenly: as many as fit into `max` accesses, but at
 * least the first occurrence. Returns the number of accesses, or 0 if memory runs out. */
size_t bl_trace_fewer(struct bl_access **copy, const struct bl_access accesses[], size_t count,
                      size_t max);

struct bl_traced_group {
    enum bl_group_place place;
    struct bl_access *accesses; /* in any order */
    size_t count;
    uint64_t left_out; /* accesses beyond the limit */
};

/* Adds a group of the kernel's last launch while the trace is read, and sorts the group's accesses.
 * Fails with BL_NO_MEMORY. */
enum bl_status bl_trace_group(struct bl_trace *trace, unsigned kernel,
                              const struct bl_traced_group *group, struct bl_error *error);

/* Ends the kernel's last launch, of which `groups` groups ran, and adds estimates for all of these
 * groups to the rows. */
void bl_trace_end_launch(struct bl_trace *trace, unsigned kernel, uint64_t groups);

/* Computes the values that depend on all groups, and sorts the rows by kernel, in the order of
 * first launches, and within each kernel by lost clocks. */
void bl_trace_finish(struct bl_trace *trace);

/* Adds the clocks during which a row's requests occupy each stage of a compute unit. */
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

/* The mean of a count over a row's requests; `sum` is the count's sum. NAN if the row has no rule,
 * or if the sum is 0, which means that the count does not apply. */
double bl_trace_mean(const struct bl_trace_row *row, uint64_t sum);

/* The row's costs, estimated for all groups. Only lines, sectors, passes and clocks are set. */
struct bl_cost_sums bl_trace_all_costs(const struct bl_trace_row *row);

/* Clocks that a row loses against its ideal; 0 without a rule. */
double bl_trace_lost(const struct bl_trace_row *row);

/* Like bl_trace_lost, but estimated for all groups. */
double bl_trace_all_lost(const struct bl_trace_row *row);

/* Whether some groups of some launches were not traced. */
bool bl_trace_is_sampled(const struct bl_trace *trace);

/* The rows that have a rule, sorted by the lost clocks and then by the clocks of all groups, the
 * largest first. Sets *count to their number. The caller frees the array; NULL if memory runs
 * out. */
struct bl_trace_row **bl_trace_worst(const struct bl_trace *trace, size_t *count);

/* Finds the step's first request at or after index *at, and sets *at to the index after it. A
 * request is a run of work-items of one sub-group whose accesses have the same width. Returns false
 * if no request is left. */
bool bl_trace_next_request(const struct bl_trace *trace, const struct bl_step *step, size_t *at,
                           struct bl_step *request);

/* The element type of an access by this instruction, derived from its width. */
struct bl_type bl_trace_type(const struct bl_trace_instruction *instruction, unsigned bytes);

/* Finds the file that each row's line comes from. A program passes its source to OpenCL as text. If
 * this text contains a whole file, the lines of that part are reported as lines of the file. Looks
 * for OpenCL C files (.cl, .ocl, .clh, .h, .hpp, at most 1 MiB) in the working folder, in each
 * folder that `words` names, in the folder of each file that `words` names, and in their subfolders
 * down to the second. `words` ends with NULL. Rows whose file is not found are named "source N".
 * Call it once, for a finished trace. Fails with BL_NO_MEMORY. */
enum bl_status bl_trace_name_files(struct bl_trace *trace, const char *const words[],
                                   struct bl_error *error);

/* The kernel's name. If other programs of the trace have a kernel of the same name, and
 * bl_trace_name_files was called, the file and options that distinguish the kernel follow its name.
 */
const char *bl_trace_label_of(const struct bl_trace_kernel *kernel);

void bl_trace_free(struct bl_trace *trace);

const char *bl_operation_name(enum bl_operation operation);

/* Two traces of one program, compiled with and without optimization. */

/* Stores in the rows of `trace` how many requests the same lines made in `unoptimized`. Returns how
 * many lines of `unoptimized` have no row in `trace`. Private memory is left out, because an
 * unoptimized program keeps everything there. */
size_t bl_trace_note_unoptimized(struct bl_trace *trace, const struct bl_trace *unoptimized);

/* The row of `trace` for the same line as this row of another trace; NULL if there is none. */
struct bl_trace_row *bl_trace_row_like(const struct bl_trace *trace, const struct bl_trace *other,
                                       const struct bl_trace_row *row);

#endif
