/* Saves traces, and compares the traces of two versions of a program. The comparison finds the
 * kernels and accesses that became dearer, that is, that take more clocks according to the model.
 *
 * Kernels are matched by name. A kernel whose name the other version does not have is matched with
 * the unmatched kernel that has the most similar accesses, if they are similar enough. Two accesses
 * match only if they have the same memory and operation; among these, array, counts, costs and
 * order in the source decide. An array that only the old version has may have been renamed, so it
 * is matched with the most similar array that only the new version has. Lines and columns only
 * decide between accesses that are otherwise alike, so moved code still matches.
 *
 * The compared clocks are means per launch, estimated for all groups (launch_groups.h). They are
 * computed, not measured, so there is no noise: the threshold is simply the accepted growth. */
#ifndef BANKLINE_TRACE_GATE_H
#define BANKLINE_TRACE_GATE_H

#include <stdio.h>

#include "trace/trace.h"

/* A saved trace, with which later versions of the program are compared.
 *
 * The file consists of `key = value` lines (base/keyfile.h). It contains no measured times and no
 * folder names, so two traces of the same program are identical byte for byte. Schema 3 has these
 * lines, in this order:
 *
 *     schema = 3
 *     tool = VERSION
 *     machine = NAME HASH                         HASH: bl_saved_machine_hash
 *     settings = WORDS                            options that change what is counted
 *     status = CODE                               the program's exit status; no line if it is 0
 *     kernel = NAME LABEL LAUNCHES GROUPS TRACED LEFT_OUT IMAGES X Y Z NS
 *                                                 one line per kernel, followed by its
 *                                                 accesses; X Y Z: group size of its last
 *                                                 launch; NS: predicted time per launch, or 0
 *     access = MEMORY OP REQUESTS ACCESSES LANES LINES SECTORS TAGS BANKS CLOCKS IDEAL
 *              LINE COLUMN ARRAY SITES FILE       all on one line; sums over all groups
 *     end = KERNELS ACCESSES HASH                 number of kernels and of accesses;
 *                                                 HASH: of all previous lines
 *
 * Fields are separated by one space. An empty text is written as "-". In texts, each space, '%',
 * '#' and control character is encoded as '%' and two hexadecimal digits, and so is a text that is
 * just "-". Clocks are "-" if the machine has no rule for the access. */

struct bl_saved_access {
    enum bl_memory memory;
    enum bl_operation operation;
    /* Sums over the requests of all groups, estimated from the traced groups. */
    uint64_t requests, accesses, lanes, lines, sectors, tag_passes, bank_passes;
    double clocks, ideal_clocks; /* NAN if the machine has no rule */
    unsigned line, column;       /* 0: unknown */
    char *array, *call_sites, *file;
};

struct bl_saved_kernel {
    char *name, *label;
    unsigned launches;
    uint64_t groups, traced_groups, left_out, image_accesses;
    uint64_t local[3];     /* group size of the kernel's last launch */
    uint64_t predicted_ns; /* time per launch with warm caches; 0 if not predicted */
    size_t first, count;   /* range of its accesses in bl_saved_trace.accesses */
};

struct bl_saved_trace {
    char *tool, *machine, *settings;
    char *status; /* the program's exit status; NULL for 0 */
    uint64_t machine_hash;
    struct bl_saved_kernel *kernels;
    size_t kernel_count, kernel_capacity;
    struct bl_saved_access *accesses;
    size_t access_count, access_capacity;
};

/* Converts a finished trace to a saved trace. Call this after bl_trace_name_files. settings: a
 * description of the options that change what is counted. exit_status: the traced program's exit
 * status. Fails with BL_NO_MEMORY. Free *saved even after a failure. */
enum bl_status bl_saved_of(const struct bl_trace *trace, const char *tool, const char *settings,
                           int exit_status, struct bl_saved_trace *saved, struct bl_error *error);

/* Writes a saved trace. Call this in the C locale. Fails with BL_NO_MEMORY; check ferror for write
 * errors. */
enum bl_status bl_saved_write(FILE *file, const struct bl_saved_trace *saved,
                              struct bl_error *error);

/* Reads a file; "-" is standard input. Fails as bl_keyfile_read does, and with BL_BAD_FORMAT if the
 * file is damaged, cut short, or of another schema. Free *saved even after a failure. */
enum bl_status bl_saved_read(const char *path, struct bl_saved_trace *saved,
                             struct bl_error *error);

void bl_saved_free(struct bl_saved_trace *saved);

/* A hash of a machine's numbers and flags. The machine's texts, such as its name, and its lists of
 * devices do not affect the hash. */
uint64_t bl_saved_machine_hash(const struct bl_machine *machine);

/* Divides a sum over all launches by the number of launches. NAN if no group was traced. */
double bl_saved_per_launch(const struct bl_saved_kernel *kernel, double sum);

/* A kernel's clocks per launch: the sum over its accesses that have a rule. */
double bl_saved_clocks(const struct bl_saved_trace *saved, const struct bl_saved_kernel *kernel);

enum bl_gate_change {
    BL_GATE_SAME,
    BL_GATE_DEARER, /* its clocks grew by more than the threshold */
    BL_GATE_CHEAPER,
    BL_GATE_NEW,
    BL_GATE_MISSING,
    BL_GATE_NO_RULE, /* access: the machine has no rule for it in at least one version; kernel: no
                        access has a rule, or, if it is not dearer, an access has a rule in only one
                        version */
    BL_GATE_CHANGES
};

const char *bl_gate_change_name(enum bl_gate_change change);

struct bl_gate_access {
    const struct bl_saved_access *before, *after; /* one may be NULL */
    double clocks_before, clocks_after;           /* clocks per launch; NAN if unknown */
    double by; /* clocks_after / clocks_before - 1; NAN unless both are known */
    enum bl_gate_change change;
};

struct bl_gate_kernel {
    const struct bl_saved_kernel *before, *after; /* one may be NULL */
    /* Clocks per launch of the accesses that have a rule, and their growth as a fraction, which
     * leaves out accesses that have a rule in only one version; NAN if unknown. */
    double clocks_before, clocks_after, by;
    /* BL_GATE_DEARER if the kernel's clocks grew by more than the threshold; also if they grew at
     * all and the clocks of one of its accesses grew by more than the threshold, because a large
     * growth of one access may be a small part of the kernel's clocks. */
    enum bl_gate_change change;
    /* At least one access had a rule before and has none now, so the kernel's change is unknown,
     * unless the kernel is dearer. */
    bool has_lost_rule;
    size_t first, count; /* range of its accesses in bl_gate.accesses, in descending order of the
                            clocks that they add */
};

struct bl_gate {
    const struct bl_saved_trace *before, *after; /* borrowed */
    double threshold;                            /* a fraction */
    struct bl_gate_kernel *kernels; /* the kernels of `after`, then the missing kernels */
    size_t kernel_count;
    struct bl_gate_access *accesses;
    size_t access_count;
    size_t counts[BL_GATE_CHANGES]; /* number of kernels with each change */
    size_t lost_rules; /* number of kernels that are BL_GATE_NO_RULE because an access has lost its
                          rule */
};

/* Fails with BL_USAGE if a new trace for the machine with this name and hash
 * (bl_saved_machine_hash) cannot be compared with the saved trace. */
enum bl_status bl_gate_check_machine(const struct bl_saved_trace *before, const char *name,
                                     uint64_t hash, struct bl_error *error);

/* Compares two saved traces, which must outlive the gate. Fails with BL_NO_MEMORY, or with BL_USAGE
 * if the traces were made for different machines or with different options, or if no access has a
 * rule. Free the gate even after a failure. */
enum bl_status bl_gate_compare(const struct bl_saved_trace *before,
                               const struct bl_saved_trace *after, double threshold,
                               struct bl_gate *gate, struct bl_error *error);
void bl_gate_free(struct bl_gate *gate);

/* Whether both versions have the access, but only one of them has a rule for it. */
bool bl_gate_is_one_sided(const struct bl_gate_access *access);

/* The number of kernels that are dearer, that are missing, or in which an access has lost its rule.
 */
size_t bl_gate_bad(const struct bl_gate *gate);

enum { BL_GATE_WHY = 80 };

/* Describes why the clocks changed: the count per request that changed most, such as "bank passes 1
 * -> 32", else the number of requests; or which version has no rule. "" if nothing changed, or if a
 * version lacks the access. */
const char *bl_gate_why(const struct bl_gate_access *access, char text[BL_GATE_WHY]);

enum { BL_GATE_PLACE = 512 };

/* Describes an access by its place in the new version, such as "array file.cl:16:43 local read". If
 * the new version does not have the access, uses its place in the old version. */
const char *bl_gate_place(const struct bl_gate_access *access, char text[BL_GATE_PLACE]);

/* The functions below write the comparison of two versions as a table, CSV, JSON, Markdown or
 * JUnit, and the values of one version in the metric format of Bencher, a service for continuous
 * benchmarking. */

/* Writes a table for a terminal: kernels, and under each kernel the accesses that changed. name:
 * the name of the saved file. */
void bl_gate_table(FILE *file, const struct bl_gate *gate, const char *name);

/* Writes a heading, and for each kernel a line with an empty `memory` field, followed by a line for
 * each of its accesses. Call this function and the functions below in the C locale; check ferror
 * afterwards. */
void bl_gate_csv(FILE *file, const struct bl_gate *gate);

/* Writes the table of bl_gate_table as Markdown. */
void bl_gate_markdown(FILE *file, const struct bl_gate *gate);

/* Writes {"schema", "machine", "threshold", "changes": {CHANGE: COUNT}, "kernels": [{...,
 * "accesses": [{...}]}]}. Fails with BL_NO_MEMORY, or with BL_USAGE if bankline was built without
 * jansson. */
enum bl_status bl_gate_json(FILE *file, const struct bl_gate *gate, struct bl_error *error);

/* Writes a JUnit test case for each kernel. The test case fails if the kernel is dearer or missing,
 * or if an access has lost its rule. Returns BL_OK or BL_NO_MEMORY. */
enum bl_status bl_gate_junit(FILE *file, const struct bl_gate *gate, struct bl_error *error);

/* Writes {KERNEL: {"clocks": {"value"}, "contiguous-clocks": {"value"}, "requests": {"value"},
 * "sectors": {"value"}}}. All values are per launch. Fails as bl_gate_json does. */
enum bl_status bl_saved_bencher(FILE *file, const struct bl_saved_trace *saved,
                                struct bl_error *error);

#endif
