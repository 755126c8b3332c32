/* Times the kernels of a trace on a real device, to compare them with their lower bounds. The
 * program runs again, without Oclgrind, under a layer of the OpenCL loader (times_layer.c) that
 * reports the times of its launches. For the bounds, the bandwidth of the device's memory levels is
 * measured, too. */
#ifndef BANKLINE_TRACE_TIMES_H
#define BANKLINE_TRACE_TIMES_H

#include "trace/trace.h"

struct bl_bench;

/* Runs the program (`words`, ended by NULL) on the device that it chooses, and adds up the times of
 * the trace's kernels. environment: as in struct bl_traced_settings. is_interrupted may be NULL.
 * note: a sentence if the program failed or some launches match several kernels equally well, else
 * empty. Fails as bl_traced_start and bl_times_read do, and with BL_USAGE if the layer is missing.
 */
enum bl_status bl_trace_time(struct bl_trace *trace, const char *const words[],
                             char *const environment[], bool (*is_interrupted)(void *context),
                             char note[128], struct bl_error *error);

/* Reads the layer's lines up to the end of the descriptor, and adds up the times of each of the
 * trace's kernels. Launches are matched with kernels by name, source and build options; launches of
 * other kernels are ignored. is_interrupted may be NULL. Fails with BL_OPENCL_FAILED if no layer
 * was loaded or no launch was reported, and with BL_BAD_FORMAT, BL_FILE_FAILED, BL_NO_MEMORY or
 * BL_INTERRUPTED. */
enum bl_status bl_times_read(int descriptor, bool (*is_interrupted)(void *context),
                             struct bl_trace *trace, struct bl_error *error);

struct bl_delivery bl_delivery_unknown(void);

/* Measures the bandwidth of contiguous int accesses at each level of the bench's machine. Measures
 * writes only if the clock period could be derived from the reads. Fails like bl_level_calibrate;
 * *delivery then contains the rates measured before the failure. */
enum bl_status bl_delivery_measure(struct bl_bench *bench, struct bl_delivery *delivery,
                                   struct bl_error *error);

#endif
