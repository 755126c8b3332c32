/* Lays a person's expression out over a working set, tile after tile. */
#ifndef BANKLINE_RUN_LEVEL_WORKLOAD_H
#define BANKLINE_RUN_LEVEL_WORKLOAD_H

#include "run/try.h"

/* wanted_bytes: of the lines that the launch touches, about. The cost is what the cache of a
 * compute unit charges, and the granules of every level. A workload that memory has no room for is
 * unsupported. BL_NO_MEMORY. */
enum bl_status bl_lay_out_tiles(const struct bl_try *try, const struct bl_try_setup *setup,
                                const struct bl_bench *bench, uint64_t wanted_bytes,
                                struct bl_workload *workload, struct bl_error *error);

#endif
