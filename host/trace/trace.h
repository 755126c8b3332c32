/* A trace of a program's kernels. For each source line, it records how often the line accessed
 * memory, what its requests cost on a machine, and what they would cost if their lanes accessed
 * contiguous elements.
 *
 * A request is one execution of a memory instruction by work-items of a sub-group that execute it
 * together (lockstep.h). A sub-group consists of consecutive work-items of a group (x varies
 * fastest), one per lane of the machine. Some lanes are inactive where work-items diverge, and in
 * the last sub-group if the group size is not a multiple of the number of lanes.
 *
 * Addresses are Oclgrind's: the upper bits hold the index of the buffer, the lower bits the offset
 * in the buffer. A buffer's cache lines therefore fall into the same tag banks as on a device that
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
#include "trace/launch_groups.h"
#include "trace/predicted.h"
#include "trace/wire.h"

struct bl_trace_instruction {
    struct bl_wire_instruction is;
    char *file; /* file name as it was passed to the compiler */
    /* The next two texts share the allocation of `file`. Each is empty if unknown or not
     * applicable. */
    const char *array;      /* name of an argument or a variable */
    const char *call_sites; /* "LINE:COLUMN,..." of inlined calls, innermost first */
};

/* The result of replaying a row's recorded accesses on a device (replay.h). predicted, measured:
 * throughput relative to contiguous accesses; low, high: confidence interval of `measured`. NAN if
 * unknown. */
struct bl_replayed {
    bool is_tried;
    unsigned requests; /* number of replayed requests */
    char level[8];     /* memory level at which the requests were measured, such as "L2" */
    double predicted, measured, low, high;
    enum bl_verdict verdict;
    char why_not[256]; /* a sentence that says why the row was not replayed; empty if it was, or if
                          is_tried is false */
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

/* One access in the source, identified by kernel, file, line, column, array, call sites, memory and
 * operation. `own` sums the costs of the traced requests; `ideal` sums what these requests would
 * cost if their lanes accessed contiguous, aligned elements. In both sums, a wide request that is
 * split into parts counts as several requests (bl_cost_add). */
struct bl_trace_row {
    unsigned kernel;         /* index into bl_trace.kernels */
    const char *file;        /* file name as it was passed to the compiler */
    char *name;              /* file name for the user; NULL before bl_trace_name_files */
    unsigned line;           /* line in the file `name`; 0 if unknown */
    unsigned column;         /* 0 if unknown */
    const char *array;       /* name of the accessed array; or empty */
    const char *traced_site; /* call sites, as in bl_trace_instruction */
    char *call_sites;        /* with line numbers of the files that contain the calls; NULL before
                                bl_trace_name_files */
    unsigned source_line;    /* line in the source text given to OpenCL; 0 if the access is in an
                                included file */
    unsigned traced_line;    /* line in `file` */
    enum bl_memory memory;
    enum bl_operation operation;
    bool has_rule; /* if false, the machine has no rule for these requests, and their costs are
                      unknown */
    /* Of accesses that the machine splits because the compiler does not know their alignment: the
     * bytes of a value if all addresses are multiples of it, 1 if not; 0 if the row has no such
     * access. component_bytes, alignment: as in struct bl_type. */
    unsigned vector_bytes, component_bytes, alignment;
    bool are_aligned;      /* count such accesses as if the compiler knew the alignment (a fix) */
    uint64_t accesses;     /* number of accesses by single work-items */
    uint64_t requests;     /* number of requests by sub-groups */
    uint64_t lanes;        /* active lanes, summed over the requests */
    uint64_t needed_bytes; /* distinct bytes of each request, summed over requests; only for global
                              and constant memory */
    struct bl_cost_sums own, ideal;
    /* If the machine file lists several possible bank configurations: the smallest and the largest
     * mean number of bank passes per request over these configurations (bl_trace_bank_ranges),
     * computed from bl_trace_kernel.kept. 0 if the row has a rule in spite of the uncertain banks.
     */
    double least_passes, most_passes;
    double clocks,
        ideal_clocks; /* clocks of all requests together (bl_cost_clocks); NAN without a rule */
    /* Estimates for all groups of all launches (launch_groups.h). The values above cover only the
     * traced groups. */
    double all[BL_ROW_SUMS];
    double all_clocks, all_ideal_clocks; /* like clocks and ideal_clocks, for all groups */
    double share;                        /* fraction of the kernel's all_clocks */
    double of_launch[BL_GROUP_PLACES][BL_ROW_SUMS]; /* sums over the current launch's traced groups,
                                                       by place */
    struct bl_replayed replayed;
    uint64_t unoptimized_requests; /* requests of the same access if the program is compiled without
                                      optimization; 0 if unknown */
};

/* Measured times of a kernel's launches. */
struct bl_timed {
    unsigned launches;
    double ns;                  /* sum over the launches */
    double first_ns, median_ns; /* first_ns: of the first launch, with cold caches */
};

struct bl_timed_device {
    char name[256];
    unsigned compute_units, mhz; /* mhz: the maximum clock frequency that the driver reports */
    bool is_described, is_other; /* whether the trace's machine describes this device, or does not;
                                    both false if unknown */
};

/* Counts from the code that Intel's offline compiler generates for a kernel. simd: work-items per
 * hardware thread; 0 if the kernel was not compiled. */
struct bl_intel {
    unsigned simd, instructions, scratch_bytes;
    unsigned messages[2][3]; /* [global, local memory][loads, stores, atomics] */
};

struct bl_trace_kernel {
    char *name;
    char *label;                /* see bl_trace_label_of; NULL if the name is used as the label */
    unsigned program;           /* index into bl_trace.programs */
    unsigned launches, aborted; /* aborted: launches that Oclgrind aborted */
    /* Launches that were reduced because of the time budget. In an untraced launch, groups were
     * counted but not traced; in a shortened launch, only the first and the last group ran. */
    unsigned untraced_launches, shortened_launches;
    unsigned partial_launches;      /* of which --quick left out groups that then ran nowhere */
    uint64_t groups, traced_groups; /* both summed over all launches; for an aborted launch, only
                                       groups that had begun count */
    uint64_t untraced_groups;       /* groups of launches of which no group was traced */
    uint64_t left_out; /* accesses of traced groups that were dropped, because a group made more
                          accesses than the limit */
    uint64_t image_accesses; /* image accesses of traced groups, which are not counted in any row */
    bool prints;             /* traced groups called printf */
    uint64_t copied_bytes; /* bytes that async_work_group_copy copied in traced groups; not counted
                              in any row */
    uint64_t group_local_bytes; /* local memory of the traced group that has most of it */
    struct bl_wire_kernel last; /* the last launch that is not empty, if any */
    bool sizes_differ; /* the launches that are not empty differ in their global or local sizes */
    bool local_is_chosen; /* the program let OpenCL choose the group size of at least one launch */
    double clocks;        /* clocks of the traced groups */
    double all_clocks;    /* sum of its rows' all_clocks */
    /* Up to BL_TRACE_KEPT accesses of the kernel's costliest traced group, sorted by instruction,
     * occurrence and item. Suggestions are tried on these accesses, and replays measure them. */
    struct bl_access *kept;
    size_t kept_count;
    bool kept_all;                     /* these are all accesses of that group */
    struct bl_wire_kernel kept_launch; /* the launch of that group */
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
        char *source, *options; /* options may be NULL */
        uint64_t source_hash,
            options_hash; /* from bl_wire_hash; bl_times_read matches launches by these hashes */
    } * programs;
    size_t program_count, program_capacity;
    struct bl_trace_kernel *kernels;
    size_t kernel_count, kernel_capacity;
    struct bl_trace_instruction *instructions;
    size_t instruction_count, instruction_capacity;
    struct bl_trace_row *rows; /* sorted by bl_trace_finish */
    size_t row_count, row_capacity;
    bool is_whole;            /* the program ended normally, or at least not within a launch */
    bool are_units_missing;   /* the program queried the number of compute units, which the machine
                                 file does not state */
    unsigned ambiguous_times; /* number of timed launches that match several kernels equally well */
    unsigned host_threads;    /* number of host threads that used Oclgrind; 0 means one */
    unsigned local_size; /* max group size that the user chose for programs that leave the size to
                            OpenCL; 0 if the user chose none. Set by the caller */
    /* State of the time prediction, owned by the caller; NULL if no times are predicted. */
    struct bl_predicting *predicting;
    struct bl_trace_footprint footprint; /* of the current launch */
    struct bl_launch_sample sample;      /* of the current launch */
    struct bl_timed_device timed_on;     /* `name` is empty if nothing was timed */
    char replayed_on[288],
        replayed_as[32]; /* replayed_on: the device and its driver; replayed_as: the machine chosen
                            for the device; both empty if nothing was replayed */
};

/* Copies the accesses into *copy, which is reallocated. If `count` exceeds `max`, copies only some
 * occurrences of each instruction, spread evenly: as many as fit into `max` accesses, but always
 * the first occurrence. Returns the number of copied accesses, or 0 if memory runs out. */
size_t bl_trace_fewer(struct bl_access **copy, const struct bl_access accesses[], size_t count,
                      size_t max);

struct bl_traced_group {
    enum bl_group_place place;
    struct bl_access *accesses; /* in any order */
    size_t count;
    uint64_t left_out; /* number of accesses that were dropped, because the group made more than the
                          limit */
};

/* Adds a traced group of the kernel's current launch. Sorts the group's accesses. Fails with
 * BL_NO_MEMORY. */
enum bl_status bl_trace_group(struct bl_trace *trace, unsigned kernel,
                              const struct bl_traced_group *group, struct bl_error *error);

/* Ends the kernel's current launch, in which `groups` groups ran, and adds estimates for all of
 * these groups to the rows. */
void bl_trace_end_launch(struct bl_trace *trace, unsigned kernel, uint64_t groups);

/* Computes the values that depend on all launches. Sorts the rows: kernels in the order of their
 * first launches, and each kernel's rows by lost clocks. */
void bl_trace_finish(struct bl_trace *trace);

/* Adds the clocks during which a row's requests occupy each stage of a compute unit. */
void bl_trace_add_stages(const struct bl_trace_row *row, const struct bl_cost_sums *sums,
                         double stages[BL_STAGES]);

/* Adds the requests of a step (all accesses in one execution of an instruction), and their costs,
 * to a row. */
void bl_trace_add_step(const struct bl_trace *trace, struct bl_trace_row *row,
                       const struct bl_step *step);

/* Whether an access belongs to the row. The access must be by the row's kernel. */
bool bl_trace_is_of_row(const struct bl_trace *trace, const struct bl_trace_row *row,
                        const struct bl_access *access);

/* Whether a row has no rule because its cost depends on banks, and the bank configuration is
 * uncertain. */
bool bl_trace_has_unknown_banks(const struct bl_trace *trace, const struct bl_trace_row *row);

/* The mean of a count over a row's requests. sum: the sum of the count over the requests. NAN if
 * the row has no rule, or if the sum is 0, because the count then does not apply. */
double bl_trace_mean(const struct bl_trace_row *row, uint64_t sum);

/* The row's costs, estimated for all groups. Sets only lines, sectors, tag and bank passes, and
 * clocks. */
struct bl_cost_sums bl_trace_all_costs(const struct bl_trace_row *row);

/* The clocks that a row takes beyond its ideal_clocks; 0 if it takes fewer, or without a rule. */
double bl_trace_lost(const struct bl_trace_row *row);

/* Like bl_trace_lost, but estimated for all groups. */
double bl_trace_all_lost(const struct bl_trace_row *row);

/* Whether some groups of some launches were not traced. */
bool bl_trace_is_sampled(const struct bl_trace *trace);

/* Returns the rows that have a rule, sorted by lost clocks and then by clocks (both estimated for
 * all groups), the largest first. Sets *count to the number of rows. The caller frees the array;
 * NULL if memory runs out. */
struct bl_trace_row **bl_trace_worst(const struct bl_trace *trace, size_t *count);

/* Finds the step's first request at or after index *at, and sets *at to the index after it. A
 * request is a run of work-items of one sub-group whose accesses have the same width. Returns false
 * if no request is left. */
bool bl_trace_next_request(const struct bl_trace *trace, const struct bl_step *step, size_t *at,
                           struct bl_step *request);

/* Whether the compiler knows that all lanes that execute an instruction access the same word.
 * index: enum bl_wire_index. */
bool bl_trace_is_same_word(uint32_t index);

/* Whether the value is an operand of the instruction that uses it, and so takes no request: an
 * element of a constant array that the program declares, at an index that the compiler knows. */
bool bl_trace_is_immediate(const struct bl_trace *trace, uint32_t instruction,
                           enum bl_memory memory);

/* Removes the addresses of lanes that make no request of their own, because the machine lets one
 * lane do an atomic on local memory for others: for all, or for those with the same word. Returns
 * how many remain. */
unsigned bl_trace_join_lanes(const struct bl_trace *trace, uint32_t instruction,
                             enum bl_memory memory, uint64_t addresses[], unsigned lanes);

/* The element type of an access of `bytes` bytes by this instruction: the instruction's own type if
 * it has this width, else a type derived from the width. */
struct bl_type bl_trace_type(const struct bl_trace_instruction *instruction, unsigned bytes);

/* The number of the first program with the same source and build options as this one: rebuilds of a
 * source count as one program. */
unsigned bl_trace_same_program(const struct bl_trace *trace, unsigned program);

/* Finds the file that each row's line comes from. A program passes its source to OpenCL as text. If
 * this text contains a whole file, the lines of that part are reported as lines of the file. Looks
 * for OpenCL C files (.cl, .ocl, .clh, .h, .hpp, of 32 bytes to 1 MiB) in the working folder, in
 * each folder that `words` names, in the folder of each file that `words` names, and in two levels
 * of subfolders below these, except hidden ones; each of these searches ends after 2000 files and
 * folders. words: the command line, ended by NULL. Rows whose file is not found are named "source
 * N", where N is the number of the program. Call this function once, for a finished trace. Fails
 * with BL_NO_MEMORY. */
enum bl_status bl_trace_name_files(struct bl_trace *trace, const char *const words[],
                                   struct bl_error *error);

/* The kernel's name. If another program of the trace has a kernel of the same name, the name is
 * followed by what distinguishes the kernel: the file, perhaps with the build options or the number
 * of the program (only after bl_trace_name_files). */
const char *bl_trace_label_of(const struct bl_trace_kernel *kernel);

void bl_trace_free(struct bl_trace *trace);

const char *bl_operation_name(enum bl_operation operation);

/* Comparison of two traces of one program, compiled with and without optimization. */

/* Stores in each row of `trace` how many requests the matching row of `unoptimized` made. Returns
 * how many rows of `unoptimized` have no matching row in `trace`. Ignores private memory, because
 * an unoptimized program keeps all variables there. */
size_t bl_trace_note_unoptimized(struct bl_trace *trace, const struct bl_trace *unoptimized);

/* Finds the row of `trace` that matches `row`, a row of the trace `other`: the same kernel, file,
 * line, column, array, call sites, memory and operation. NULL if there is none. */
struct bl_trace_row *bl_trace_row_like(const struct bl_trace *trace, const struct bl_trace *other,
                                       const struct bl_trace_row *row);

#endif
