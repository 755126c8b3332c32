/* The worst lines of a trace, measured: the starts that they accessed, on a real device. */
#ifndef BANKLINE_CLI_TRACE_REPLAY_H
#define BANKLINE_CLI_TRACE_REPLAY_H

#include "trace/trace.h"

enum { BL_REPLAYED_LINES = 5 };

/* Measures up to BL_REPLAYED_LINES rows of a finished trace on the device that `device` selects
 * (NULL: the first GPU, else the first device), those that lose most first, and fills in what the
 * rows say of it. Reads, and accesses of local and constant memory, are measured in the cache of
 * the compute unit, whose costs the trace has; writes to global memory, where they go through that
 * cache, at the first level that has a rule of them. What a row's measurement meets is in the row;
 * what leaves no device to measure on is returned, as bl_run_open. */
enum bl_status bl_trace_replay(struct bl_trace *trace, const char *device, struct bl_error *error);

#endif
