#include "cli/trace_view.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/layout.h"
#include "trace/documents.h"
#include "trace/trace.h"

/* What other compilers make of traced kernels. */

static void print_other_line(FILE *file, const struct bl_trace_row *row, uint64_t optimized,
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
        print_other_line(file, row, row->requests, row->unoptimized_requests);
        different++;
    }
    for (size_t i = 0; i < unoptimized->row_count; i++) {
        const struct bl_trace_row *row = &unoptimized->rows[i];
        if (row->memory == BL_MEMORY_PRIVATE || bl_trace_row_like(trace, unoptimized, row))
            continue;
        print_other_line(file, row, 0, row->requests);
        different++;
    }
    if (!different)
        fputs("  none: the compiler neither merged nor moved an access\n", file);
}

enum intel_column {
    INTEL_KERNEL,
    INTEL_SIMD,
    INTEL_INSTRUCTIONS,
    INTEL_LOADS,
    INTEL_STORES,
    INTEL_LOCAL_LOADS,
    INTEL_LOCAL_STORES,
    INTEL_ATOMICS,
    INTEL_SCRATCH,
    INTEL_COLUMNS
};

static const struct bl_layout_column intel_columns[INTEL_COLUMNS] = {
    [INTEL_KERNEL] = {.name = "kernel", .width = 24},
    [INTEL_SIMD] = {.name = "INTEL_SIMD", .width = 4, .is_right = true},
    [INTEL_INSTRUCTIONS] = {.name = "instructions", .width = 12, .is_right = true},
    [INTEL_LOADS] = {.name = "loads", .width = 5, .is_right = true},
    [INTEL_STORES] = {.name = "stores", .width = 6, .is_right = true},
    [INTEL_LOCAL_LOADS] = {.name = "local loads", .width = 11, .is_right = true},
    [INTEL_LOCAL_STORES] = {.name = "local stores", .width = 12, .is_right = true},
    [INTEL_ATOMICS] = {.name = "atomics", .width = 7, .is_right = true},
    [INTEL_SCRATCH] = {.name = "scratch bytes", .width = 13, .rank = 1, .is_right = true},
};

void bl_print_intel(FILE *file, const struct bl_trace *trace)
{
    const struct bl_layout layout = bl_layout_for(intel_columns, INTEL_COLUMNS, bl_line_width(file));
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
        const unsigned numbers[INTEL_COLUMNS] = {
            [INTEL_SIMD] = intel->simd,
            [INTEL_INSTRUCTIONS] = intel->instructions,
            [INTEL_LOADS] = intel->messages[0][0],
            [INTEL_STORES] = intel->messages[0][1],
            [INTEL_LOCAL_LOADS] = intel->messages[1][0],
            [INTEL_LOCAL_STORES] = intel->messages[1][1],
            [INTEL_ATOMICS] = intel->messages[0][2] + intel->messages[1][2],
            [INTEL_SCRATCH] = intel->scratch_bytes,
        };
        char texts[INTEL_COLUMNS][16];
        const char *cells[INTEL_COLUMNS] = {trace->kernels[k].name};
        for (unsigned c = INTEL_SIMD; c < INTEL_COLUMNS; c++) {
            snprintf(texts[c], sizeof texts[c], "%u", numbers[c]);
            cells[c] = texts[c];
        }
        bl_layout_row(&layout, file, cells);
    }
}

enum column {
    LINE,
    MEMORY,
    OP,
    REQUESTS,
    LANES,
    LINES,
    SECTORS,
    TAGS,
    BANKS,
    CLOCKS,
    IDEAL,
    SHARE,
    LOST,
    COLUMNS
};

static const struct bl_layout_column columns[COLUMNS] = {
    [LINE] = {.name = "line", .width = 24},
    [MEMORY] = {.name = "memory", .width = 8},
    [OP] = {.name = "op", .width = 6},
    [REQUESTS] = {.name = "requests", .width = 9, .rank = 2, .is_right = true},
    [LANES] = {.name = "lanes", .width = 5, .rank = 3, .is_right = true},
    [LINES] = {.name = "lines", .width = 6, .rank = 4, .is_right = true},
    [SECTORS] = {.name = "sectors", .width = 7, .rank = 6, .is_right = true},
    [TAGS] = {.name = "tags", .width = 6, .rank = 5, .is_right = true},
    [BANKS] = {.name = "banks", .width = 6, .rank = 4, .is_right = true},
    [CLOCKS] = {.name = "clocks", .width = 7, .is_right = true},
    [IDEAL] = {.name = "ideal", .width = 6, .is_right = true},
    [SHARE] = {.name = "share", .width = 7, .is_right = true},
    [LOST] = {.name = "lost", .width = 7, .rank = 1, .is_right = true},
};

static const char *number(double value, char text[16])
{
    snprintf(text, 16, !isfinite(value) ? "-" : value >= 100 ? "%.0f" : "%.4g", value);
    return text;
}

static const char *percent(double value, char text[16])
{
    if (isfinite(value))
        snprintf(text, 16, "%.1f %%", 100 * value);
    else
        strcpy(text, "-");
    return text;
}

static void print_row(const struct bl_layout *layout, FILE *file, const struct bl_trace *trace,
                      const struct bl_trace_row *row)
{
    const struct bl_trace_means means = bl_trace_means_of(row);
    const double kernel_clocks = trace->kernels[row->kernel].clocks;
    char line[300], requests[32], texts[9][16];
    snprintf(line, sizeof line, "%.250s:%u", basename(row->name), row->line);
    snprintf(requests, sizeof requests, "%" PRIu64, row->requests);
    const char *const cells[COLUMNS] = {
        [LINE] = line,
        [MEMORY] = bl_memory_name(row->memory),
        [OP] = bl_operation_name(row->operation),
        [REQUESTS] = requests,
        [LANES] = number(means.lanes, texts[0]),
        [LINES] = number(means.lines, texts[1]),
        [SECTORS] = number(means.sectors, texts[2]),
        [TAGS] = number(means.tag_passes, texts[3]),
        [BANKS] = number(means.bank_passes, texts[4]),
        [CLOCKS] = number(means.clocks, texts[5]),
        [IDEAL] = number(means.ideal_clocks, texts[6]),
        [SHARE] = percent(row->share, texts[7]),
        [LOST] = percent(row->has_rule ? bl_trace_lost(row) / kernel_clocks : NAN, texts[8]),
    };
    bl_layout_row(layout, file, cells);
}

static void put_size(FILE *file, const uint64_t size[3])
{
    fprintf(file, "%" PRIu64, size[0]);
    if (size[1] > 1 || size[2] > 1)
        fprintf(file, "x%" PRIu64, size[1]);
    if (size[2] > 1)
        fprintf(file, "x%" PRIu64, size[2]);
}

/* What is not in the kernel's rows. */
static void print_left_out(FILE *file, const struct bl_trace *trace, unsigned number_of_kernel)
{
    const struct bl_trace_kernel *kernel = &trace->kernels[number_of_kernel];
    uint64_t without_line = 0, without_rule = 0;
    for (size_t i = 0; i < trace->row_count; i++) {
        const struct bl_trace_row *row = &trace->rows[i];
        if (row->kernel != number_of_kernel)
            continue;
        without_line += row->line == 0 ? row->accesses : 0;
        without_rule += row->has_rule ? 0 : row->accesses;
    }
    if (kernel->left_out)
        fprintf(file, "left out: %" PRIu64 " accesses beyond the limit (--limit)\n",
                kernel->left_out);
    if (kernel->last.local[0] * kernel->last.local[1] * kernel->last.local[2] == 1 &&
        kernel->groups > kernel->launches)
        fputs(
            "groups of one work-item: where a program leaves their size to OpenCL, Oclgrind takes "
            "1, and a device more; to trace it, let the program say the size\n",
            file);
    if (kernel->copied_bytes)
        fprintf(file, "left out: %" PRIu64 " bytes that async_work_group_copy moves\n",
                kernel->copied_bytes);
    if (without_line)
        fprintf(file,
                "%" PRIu64
                " accesses are of no known line: the compiler moved them (--optimization "
                "0 keeps them), or the program has no line information\n",
                without_line);
    if (without_rule && trace->machine->has_rule)
        fprintf(file,
                "%" PRIu64
                " accesses have no rule (private memory, atomics on global memory) and are in no "
                "share\n",
                without_rule);
}

static bool has_rows(const struct bl_trace *trace, unsigned kernel)
{
    for (size_t i = 0; i < trace->row_count; i++)
        if (trace->rows[i].kernel == kernel)
            return true;
    return false;
}

void bl_print_trace(FILE *file, const struct bl_trace *trace)
{
    const struct bl_layout layout = bl_layout_for(columns, COLUMNS, bl_line_width(file));
    for (unsigned k = 0; k < trace->kernel_count; k++) {
        const struct bl_trace_kernel *kernel = &trace->kernels[k];
        fprintf(file, "%skernel %s: ", k ? "\n" : "", kernel->name);
        put_size(file, kernel->last.global);
        fputs(" work-items in groups of ", file);
        put_size(file, kernel->last.local);
        if (kernel->launches > 1)
            fprintf(file, ", %u launches", kernel->launches);
        fprintf(file, "; %" PRIu64 " of %" PRIu64 " groups traced\n\n", kernel->traced_groups,
                kernel->groups);
        bl_layout_heading(&layout, file);
        if (!has_rows(trace, k))
            fputs("none of the traced groups accesses memory; --sample all traces all of them\n",
                  file);
        for (size_t i = 0; i < trace->row_count; i++)
            if (trace->rows[i].kernel == k)
                print_row(&layout, file, trace, &trace->rows[i]);
        print_left_out(file, trace, k);
    }
}

void bl_print_suggestions(FILE *file, const struct bl_suggestions *suggestions)
{
    const unsigned width = bl_line_width(file);
    for (size_t i = 0; i < suggestions->count; i++) {
        char text[700];
        snprintf(text, sizeof text, "%zu. %s", i + 1, suggestions->all[i].sentence);
        bl_put_wrapped(file, text, 0, 3, width);
        fputc('\n', file);
    }
}

/* What a line of the source costs, in all kernels of its program. */
struct cost_of_line {
    double clocks, ideal, share;
    double lines, passes;
    uint64_t requests, ruled; /* with a rule */
    bool any;
};

/* How many groups each traced one stands for. */
static double times_sampled(const struct bl_trace_kernel *kernel)
{
    return kernel->traced_groups ? (double)kernel->groups / (double)kernel->traced_groups : 1;
}

static struct cost_of_line cost_of(const struct bl_trace *trace, unsigned program, unsigned line)
{
    struct cost_of_line cost = {0};
    double all = 0;
    for (size_t k = 0; k < trace->kernel_count; k++)
        if (trace->kernels[k].program == program)
            all += trace->kernels[k].clocks * times_sampled(&trace->kernels[k]);
    for (size_t i = 0; i < trace->row_count; i++) {
        const struct bl_trace_row *row = &trace->rows[i];
        if (row->source_line != line || trace->kernels[row->kernel].program != program)
            continue;
        cost.any = true;
        cost.requests += row->requests;
        if (!row->has_rule)
            continue;
        cost.ruled += row->requests;
        cost.lines += (double)row->own.lines;
        cost.passes += (double)(row->own.bank_passes > row->own.tag_passes ? row->own.bank_passes
                                                                           : row->own.tag_passes);
        cost.clocks += row->clocks;
        cost.ideal += row->ideal_clocks;
        cost.share += row->clocks * times_sampled(&trace->kernels[row->kernel]) / all;
    }
    return cost;
}

static void print_line(FILE *file, const struct cost_of_line *cost, unsigned line, const char *text,
                       size_t length)
{
    char requests[32], texts[5][16];
    const double ruled = cost->ruled ? (double)cost->ruled : NAN;
    snprintf(requests, sizeof requests, "%" PRIu64, cost->requests);
    if (cost->any)
        fprintf(file, "%8s %9s %6s %6s %7s %7s |",
                percent(cost->ruled ? cost->share : NAN, texts[0]), requests,
                number(cost->lines > 0 ? cost->lines / ruled : NAN, texts[1]),
                number(cost->passes / ruled, texts[2]), number(cost->clocks / ruled, texts[3]),
                number(cost->ideal / ruled, texts[4]));
    else
        fprintf(file, "%48s |", "");
    fprintf(file, "%5u ", line);
    for (size_t i = 0; i < length;
         i++) /* a terminal is no place for a source's control characters */
        fputc((text[i] >= 0 && text[i] < ' ' && text[i] != '\t') || text[i] == 127 ? '?' : text[i],
              file);
    fputc('\n', file);
}

static void annotate(FILE *file, const struct bl_trace *trace, unsigned program)
{
    enum { AROUND = 4 };
    const char *text = trace->sources[program];
    unsigned count = 1;
    for (const char *at = text; *at; at++)
        count += *at == '\n';
    struct cost_of_line *costs = calloc(count + 2, sizeof *costs);
    if (!costs)
        return;
    for (unsigned line = 1; line <= count; line++)
        costs[line] = cost_of(trace, program, line);
    fprintf(file, "%8s %9s %6s %6s %7s %7s |\n", "share", "requests", "lines", "passes", "clocks",
            "ideal");
    unsigned shown = 0;
    for (unsigned line = 1; line <= count; line++) {
        const size_t length = strcspn(text, "\n");
        bool is_near = false;
        for (unsigned near = line > AROUND ? line - AROUND : 1;
             near <= line + AROUND && near <= count; near++)
            is_near |= costs[near].any;
        if (is_near && shown && shown + 1 < line)
            fprintf(file, "%48s |  ...\n", "");
        if (is_near) {
            print_line(file, &costs[line], line, text, length);
            shown = line;
        }
        text += length + (text[length] == '\n');
    }
    free(costs);
}

/* What the rows call this program's source. */
static const char *name_of(const struct bl_trace *trace, unsigned program)
{
    const char *name = NULL;
    for (size_t i = 0; i < trace->row_count; i++) {
        const struct bl_trace_row *row = &trace->rows[i];
        if (!row->source_line || trace->kernels[row->kernel].program != program)
            continue;
        if (name && strcmp(name, row->name) != 0)
            return "a source of several files, by its own lines";
        name = row->name;
    }
    return name;
}

void bl_print_annotated(FILE *file, const struct bl_trace *trace)
{
    for (unsigned program = 0; program < trace->source_count; program++) {
        const char *name = name_of(trace, program);
        if (!name)
            continue;
        fprintf(file, "%s (share: of the clocks of all its kernels and groups):\n", name);
        annotate(file, trace, program);
        fputc('\n', file);
    }
}
