/* The throughput and latency of each level of memory in a run: GB/s, bytes per clock and compute
 * unit, ns. */
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
    double limit_bytes_per_clock; /* limit of reads by the machine's rule, per compute unit */
    double latency_ns;            /* of a read that depends on the one before */
};

enum { BL_MOST_LEVELS = BL_LEVELS + 2 };

/* Fills in the levels for which the run has a number, the nearest first; returns their number.
 * machine: NULL if unknown. If it does not state the sizes of its levels, only the smallest and the
 * largest working set are listed, named by size. arrays_per_unit: the device's bank arrays per
 * compute unit; 0 or NAN if unknown, or if the machine describes another device; then no limits are
 * filled in. */
unsigned bl_level_figures(const struct bl_run_rows *run, const struct bl_machine *machine,
                          double arrays_per_unit, struct bl_level_figures levels[BL_MOST_LEVELS]);

/* The bank arrays per compute unit of a run that was read from a file: 1, or 0 if unknown. Rows do
 * not record how many compute units of an Intel GPU share an array. */
double bl_recorded_arrays_per_unit(const struct bl_run_rows *run, const struct bl_machine *machine);

#endif
