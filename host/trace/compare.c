#include "trace/compare.h"

#include <string.h>

struct bl_trace_row *bl_trace_row_like(const struct bl_trace *trace, const struct bl_trace *other,
                                       const struct bl_trace_row *row)
{
    for (size_t i = 0; i < trace->row_count; i++) {
        struct bl_trace_row *own = &trace->rows[i];
        if (own->line == row->line && own->memory == row->memory &&
            own->operation == row->operation &&
            trace->kernels[own->kernel].program == other->kernels[row->kernel].program &&
            strcmp(trace->kernels[own->kernel].name, other->kernels[row->kernel].name) == 0 &&
            strcmp(own->name, row->name) == 0)
            return own;
    }
    return NULL;
}

size_t bl_trace_note_unoptimized(struct bl_trace *trace, const struct bl_trace *unoptimized)
{
    size_t missing = 0;
    for (size_t i = 0; i < unoptimized->row_count; i++) {
        const struct bl_trace_row *row = &unoptimized->rows[i];
        if (row->memory == BL_MEMORY_PRIVATE)
            continue;
        struct bl_trace_row *own = bl_trace_row_like(trace, unoptimized, row);
        if (own)
            own->unoptimized_requests = row->requests;
        else
            missing++;
    }
    return missing;
}
