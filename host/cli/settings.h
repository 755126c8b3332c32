/* Settings that several commands share, each with the table of its options; commands put them
 * together into their own. */
#ifndef BANKLINE_CLI_SETTINGS_H
#define BANKLINE_CLI_SETTINGS_H

#include "cli/command.h"
#include "model/launch.h"
#include "report/sink.h"

enum { BL_MAX_SHAPE = 65536 };

/* Where rows go besides the table; NULL: nowhere. */
struct bl_output_settings {
    const char *paths[BL_MAX_FORMATS]; /* files, in the order of bl_formats */
    const char *results;               /* folder */
};

/* The CSV alone, and the folder: tables of a bl_output_settings. */
extern const struct bl_option bl_csv_options[], bl_results_options[];

/* The formats that a run, and a comparison of two, can be written in: options of a
 * bl_output_settings, for struct bl_option_part. */
bool bl_run_format_option(size_t i, struct bl_option *option);
bool bl_change_format_option(size_t i, struct bl_option *option);
bool bl_fleet_format_option(size_t i, struct bl_option *option);

/* Which rows of the cases. */
struct bl_plan_settings {
    struct bl_shape shape; /* x is 0 when none is given */
    bool quick;
};

extern const struct bl_option bl_plan_options[];

/* Comparing two runs. */
struct bl_change_settings {
    double threshold; /* a fraction: the change that must be found */
    bool absolute, quiet;
    struct bl_output_settings output;
};

#define BL_CHANGE_DEFAULTS \
    {                      \
        .threshold = 0.02  \
    }

extern const struct bl_option bl_change_options[];

/* The parts of a command whose settings have a struct bl_change_settings at this offset. */
#define BL_CHANGE_PARTS(at)                                        \
    {.options = bl_change_options, .offset = at},                  \
    {                                                              \
        .option = bl_change_format_option,                         \
        .offset = at + offsetof(struct bl_change_settings, output) \
    }

#endif
