/* A trace in a file, with which later versions of the program are compared (gate.h).
 *
 * Text of `key = value` lines (base/keyfile.h). It contains no times and no paths of the computer,
 * so that two traces of one program are the same bytes. Schema 2, in this order:
 *
 *     schema = 2
 *     tool = VERSION
 *     machine = NAME HASH                         hash of its rules' numbers
 *     settings = WORDS                            options that change what is counted
 *     kernel = NAME LABEL LAUNCHES GROUPS TRACED LEFT_OUT IMAGES X Y Z NS    once each; X Y Z:
 *                                                 its groups' size; NS: its predicted time, 0:
 * none; then its accesses: access = MEMORY OP REQUESTS ACCESSES LANES LINES SECTORS TAGS BANKS
 * CLOCKS IDEAL LINE COLUMN ARRAY SITES FILE       on one line; sums over the traced groups end =
 * KERNELS ACCESSES HASH                 hash of all lines before it
 *
 * Fields are separated by one blank. An empty text is written as "-". Inside texts, blanks, '%',
 * '#' and control characters, and a text that is just "-", are encoded as '%' and two hexadecimal
 * digits. File names have no folders. Clocks are "-" where the machine has no rule for the access.
 */
#ifndef BANKLINE_TRACE_SAVED_H
#define BANKLINE_TRACE_SAVED_H

#include <stdio.h>

#include "trace/trace.h"

struct bl_saved_access {
    enum bl_memory memory;
    enum bl_operation operation;
    /* Sums over the requests of the traced groups. */
    uint64_t requests, accesses, lanes, lines, sectors, tag_passes, bank_passes;
    double clocks, ideal_clocks; /* NAN: no rule */
    unsigned line, column;       /* 0: unknown */
    char *array, *call_sites, *file;
};

struct bl_saved_kernel {
    char *name, *label;
    unsigned launches;
    uint64_t groups, traced_groups, left_out, image_accesses;
    uint64_t local[3];     /* size of groups in its last launch */
    uint64_t predicted_ns; /* per launch, on warm caches; 0: not predicted */
    size_t first, count;   /* its part of bl_saved_trace.accesses */
};

struct bl_saved_trace {
    char *tool, *machine, *settings;
    uint64_t machine_hash;
    struct bl_saved_kernel *kernels;
    size_t kernel_count, kernel_capacity;
    struct bl_saved_access *accesses;
    size_t access_count, access_capacity;
};

/* Extracts what a file holds from a finished trace, after bl_trace_name_files. settings: a
 * description of the options that change what is counted. BL_NO_MEMORY. Free *saved in any case. */
enum bl_status bl_saved_of(const struct bl_trace *trace, const char *tool, const char *settings,
                           struct bl_saved_trace *saved, struct bl_error *error);

/* Writes the file; call it in the C locale. BL_NO_MEMORY; check ferror for write errors. */
enum bl_status bl_saved_write(FILE *file, const struct bl_saved_trace *saved,
                              struct bl_error *error);

/* Reads a file; "-" is standard input. Fails as bl_keyfile_read does, and with BL_BAD_FORMAT if the
 * file is damaged, cut short, or of another schema. Free *saved in any case. */
enum bl_status bl_saved_read(const char *path, struct bl_saved_trace *saved,
                             struct bl_error *error);

void bl_saved_free(struct bl_saved_trace *saved);

/* A hash of the numbers that a machine's rules compute with; its name and its list of devices do
 * not count. */
uint64_t bl_saved_machine_hash(const struct bl_machine *machine);

/* Extrapolates the clocks of the traced groups to all groups, and returns the mean per launch; NAN
 * if none was traced.
 */
double bl_saved_per_launch(const struct bl_saved_kernel *kernel, double clocks);

/* A kernel's clocks per launch: the sum over its accesses that have a rule. */
double bl_saved_clocks(const struct bl_saved_trace *saved, const struct bl_saved_kernel *kernel);

#endif
