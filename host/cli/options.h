/* The command line, parsed. */
#ifndef BANKLINE_CLI_OPTIONS_H
#define BANKLINE_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"
#include "model/launch.h"
#include "report/document.h"

enum bl_command {
    BL_COMMAND_HELP,
    BL_COMMAND_VERSION,
    BL_COMMAND_DEVICES,
    BL_COMMAND_LIST,
    BL_COMMAND_MODEL,
    BL_COMMAND_RUN,
    BL_COMMAND_TRY,
    BL_COMMAND_COMPARE,
    BL_COMMAND_HISTORY,
};

struct bl_options {
    enum bl_command command;
    const char *device;                       /* selector, or NULL */
    const char *machine;                      /* name or file, or NULL: the device decides */
    const char *show_machine;                 /* name or file, or NULL */
    const char *csv;                          /* file, or NULL */
    const char *documents[BL_DOCUMENT_COUNT]; /* files, or NULL */
    const char *results;                      /* folder, or NULL */
    const char *kernel_dir;                   /* folder, or NULL: the embedded kernels */
    struct bl_shape shape;                    /* x is 0 when none is given */
    double tolerance;                         /* a fraction */
    double precision; /* a fraction, at which sampling ends; 0: the default */
    double deadline;  /* s, of a launch; 0: the default */
    double seconds;   /* of sampling a case; 0: the default */
    bool quick, quiet, strict;
    /* Of 'try': what its expressions are about. */
    enum bl_memory memory;
    struct bl_type type;
    struct bl_shape groups;  /* x is 0 when none is given */
    uint64_t array_elements; /* 0 when not given */
    bool write, model_only;
    const char *patterns; /* file, or NULL */
    double threshold;     /* of 'compare': a fraction */
    bool absolute, any_device;
    const char *db;           /* of 'history': file, or NULL */
    uint64_t runs;            /* how many of the last ones it compares with */
    const char *const *cases; /* cases, expressions of 'try', files of 'compare'; of argv */
    size_t case_count;
};

/* Parses argv (which getopt reorders). BL_OK, or BL_USAGE with a sentence that names the argument
 * and what would have worked. --help anywhere becomes BL_COMMAND_HELP. */
enum bl_status bl_options_parse(int argc, char *argv[], struct bl_options *options,
                                struct bl_error *error);

void bl_options_help(FILE *file);

#endif
