/* What other compilers make of traced kernels. */
#include <inttypes.h>
#include <string.h>

#include "cli/trace_view.h"
#include "report/layout.h"
#include "trace/compare.h"

static void print_line(FILE *file, const struct bl_trace_row *row, uint64_t optimized,
                       uint64_t unoptimized)
{
    char line[300];
    snprintf(line, sizeof line, "%.250s:%u", basename(row->name), row->line);
    fprintf(file, "  %-24s  %-8s  %-6s  %12" PRIu64 "  %12" PRIu64 "\n", line,
            bl_memory_name(row->memory), bl_operation_name(row->operation), optimized, unoptimized);
}

void bl_print_unoptimized(FILE *file, const struct bl_trace *trace,
                          const struct bl_trace *unoptimized)
{
    unsigned different = 0;
    fputs("\nrequests as compiled with -Oz, and with -O0, where they differ; what -Oz moved has no "
          "line, or another:\n\n",
          file);
    fprintf(file, "  %-24s  %-8s  %-6s  %12s  %12s\n", "line", "memory", "op", "-Oz", "-O0");
    for (size_t i = 0; i < trace->row_count; i++) {
        const struct bl_trace_row *row = &trace->rows[i];
        if (row->memory == BL_MEMORY_PRIVATE || row->requests == row->unoptimized_requests)
            continue;
        print_line(file, row, row->requests, row->unoptimized_requests);
        different++;
    }
    for (size_t i = 0; i < unoptimized->row_count; i++) {
        const struct bl_trace_row *row = &unoptimized->rows[i];
        if (row->memory == BL_MEMORY_PRIVATE || bl_trace_row_like(trace, unoptimized, row))
            continue;
        print_line(file, row, 0, row->requests);
        different++;
    }
    if (!different)
        fputs("  none: the compiler neither merged nor moved an access\n", file);
}

enum column {
    KERNEL,
    SIMD,
    INSTRUCTIONS,
    LOADS,
    STORES,
    LOCAL_LOADS,
    LOCAL_STORES,
    ATOMICS,
    SCRATCH,
    COLUMNS
};

static const struct bl_layout_column columns[COLUMNS] = {
    [KERNEL] = {.name = "kernel", .width = 24},
    [SIMD] = {.name = "SIMD", .width = 4, .is_right = true},
    [INSTRUCTIONS] = {.name = "instructions", .width = 12, .is_right = true},
    [LOADS] = {.name = "loads", .width = 5, .is_right = true},
    [STORES] = {.name = "stores", .width = 6, .is_right = true},
    [LOCAL_LOADS] = {.name = "local loads", .width = 11, .is_right = true},
    [LOCAL_STORES] = {.name = "local stores", .width = 12, .is_right = true},
    [ATOMICS] = {.name = "atomics", .width = 7, .is_right = true},
    [SCRATCH] = {.name = "scratch bytes", .width = 13, .rank = 1, .is_right = true},
};

void bl_print_intel(FILE *file, const struct bl_trace *trace)
{
    const struct bl_layout layout = bl_layout_for(columns, COLUMNS, bl_line_width(file));
    bool any = false;
    for (size_t k = 0; k < trace->kernel_count; k++) {
        const struct bl_intel *intel = &trace->kernels[k].intel;
        if (!intel->simd)
            continue;
        if (!any) {
            fputs("\ninstructions that Intel's compiler makes, and messages to memory among them: "
                  "an access of 32 lanes is two messages, arguments are loaded too\n\n",
                  file);
            bl_layout_heading(&layout, file);
        }
        any = true;
        const unsigned numbers[COLUMNS] = {
            [SIMD] = intel->simd,
            [INSTRUCTIONS] = intel->instructions,
            [LOADS] = intel->messages[0][0],
            [STORES] = intel->messages[0][1],
            [LOCAL_LOADS] = intel->messages[1][0],
            [LOCAL_STORES] = intel->messages[1][1],
            [ATOMICS] = intel->messages[0][2] + intel->messages[1][2],
            [SCRATCH] = intel->scratch_bytes,
        };
        char texts[COLUMNS][16];
        const char *cells[COLUMNS] = {trace->kernels[k].name};
        for (unsigned c = SIMD; c < COLUMNS; c++) {
            snprintf(texts[c], sizeof texts[c], "%u", numbers[c]);
            cells[c] = texts[c];
        }
        bl_layout_row(&layout, file, cells);
    }
}
