/* What a run says of each level of memory in the units that people compare: GB/s, bytes per clock
 * and compute unit, ns. */
#ifndef BANKLINE_REPORT_LEVEL_FIGURES_H
#define BANKLINE_REPORT_LEVEL_FIGURES_H

#include "model/machine.h"
#include "report/run.h"

/* NAN: not measured, or unknown. GB are 1e9 bytes; clocks are the device's. */
struct bl_level_figures {
    char name[32];               /* "local", "L1", ...; "64 KiB" where the levels are unknown */
    double read_gbytes_per_s;    /* contiguous reads, of the whole device, */
    double read_bytes_per_clock; /* and per compute unit */
    double write_gbytes_per_s;
    double limit_bytes_per_clock; /* what the machine can read at most, per compute unit */
    double latency_ns;            /* of a read that depends on the one before */
};

enum { BL_MOST_LEVELS = BL_LEVELS + 2 };

/* Fills in the levels of which the run has a number, the nearest first; returns how many. machine
 * NULL: unknown. Where it does not say where its levels end, only the smallest and the largest
 * working set are given, by their sizes. */
unsigned bl_level_figures(const struct bl_run_rows *run, const struct bl_machine *machine,
                          struct bl_level_figures levels[BL_MOST_LEVELS]);

#endif
