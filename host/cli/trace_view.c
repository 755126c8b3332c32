/* Prints a trace: its kernels and their lines, and the results of other compilers and of a device.
 */
#include "cli/trace_view.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/layout.h"
#include "report/row.h"
#include "trace/documents.h"

static void put_size(FILE *file, const uint64_t size[3])
{
    const unsigned sides = size[2] > 1 ? 3 : size[1] > 1 ? 2 : 1;
    for (unsigned i = 0; i < sides; i++)
        fprintf(file, "%s%" PRIu64, i ? "x" : "", size[i]);
}

/* Prints a line with a count, in a format that takes one size_t. Prints nothing if the count is 0.
 */
__attribute__((format(printf, 2, 0))) static void put_count(FILE *file, const char *format,
                                                            uint64_t count)
{
    if (count)
        fprintf(file, format, (size_t)count);
}

/* Prints which lanes are idle because the group size of the last launch is not a multiple of the
 * machine's lanes. */
static void print_idle_lanes(FILE *file, unsigned lanes, const struct bl_trace_kernel *kernel)
{
    const uint64_t *local = kernel->last.local, items = local[0] * local[1] * local[2];
    if (kernel->groups <= kernel->launches || items == 0 || lanes == 0)
        return;
    if (items == 1)
        fputs("groups of one work-item: the other lanes of each sub-group are idle\n", file);
    else if (items % lanes)
        fprintf(file,
                "groups of %" PRIu64 " work-items: the last sub-group of each has %" PRIu64
                " of %u lanes; a size that is a multiple of %u uses all lanes%s\n",
                items, items % lanes, lanes, lanes,
                kernel->local_is_chosen ? " (round the global size up, and set a local size)" : "");
}

/* Prints which accesses of the kernel are missing from its rows or shares, and why; and notes about
 * the kernel's group sizes. */
static void print_left_out(FILE *file, const struct bl_trace *trace, unsigned number_of_kernel)
{
    const struct bl_trace_kernel *kernel = &trace->kernels[number_of_kernel];
    uint64_t without_line = 0, without_rule = 0, without_banks = 0;
    for (size_t i = 0; i < trace->row_count; i++) {
        const struct bl_trace_row *row = &trace->rows[i];
        if (row->kernel != number_of_kernel)
            continue;
        without_line += row->line == 0 ? row->accesses : 0;
        if (!row->has_rule && bl_trace_has_unknown_banks(trace, row))
            without_banks += row->accesses;
        else if (!row->has_rule)
            without_rule += row->accesses;
    }
    if (kernel->aborted)
        fprintf(file,
                "Oclgrind aborted %u of %u launches, as its messages explain; accesses before the "
                "abort are counted\n",
                kernel->aborted, kernel->launches);
    if (kernel->untraced_launches)
        fprintf(file, "left out: %u of %u launches, to end within the budget (--budget)\n",
                kernel->untraced_launches, kernel->launches);
    if (kernel->shortened_launches)
        fprintf(file,
                "only the first and the last group of %u launches ran, to end within the budget "
                "(--budget): later kernels lack the results of the groups between them\n",
                kernel->shortened_launches);
    put_count(file, "left out: %zu accesses beyond the limit (--limit)\n", kernel->left_out);
    print_idle_lanes(file, trace->machine->lanes, kernel);
    if (kernel->local_is_chosen && trace->local_size)
        fprintf(file,
                "the program leaves the size of its groups to OpenCL: this is the size that "
                "--local-size %u chose\n",
                trace->local_size);
    else if (kernel->local_is_chosen)
        fputs("the program leaves the size of its groups to OpenCL: this is the size that a GPU "
              "driver would choose (--local-size sets another)\n",
              file);
    put_count(file, "left out: %zu accesses to images, which have no rule\n",
              kernel->image_accesses);
    put_count(file, "left out: %zu bytes that async_work_group_copy moves\n", kernel->copied_bytes);
    put_count(file,
              "%zu accesses have no source line, because the compiler moved them "
              "(--optimization 0 prevents that) or the program has no line information\n",
              without_line);
    if (trace->machine->has_rule)
        put_count(
            file,
            "%zu accesses have no rule on this machine (private memory, atomics on global "
            "memory, or global memory if the machine's caches are not described), so no share "
            "includes them\n",
            without_rule);
    if (without_banks)
        fprintf(file, "%" PRIu64 " accesses have no certain cost, so no share includes them: %s\n",
                without_banks, bl_banks_are_unknown);
}

/* Prints the table of a kernel's lines. */
static void print_kernel(FILE *file, const struct bl_layout *layout, const struct bl_trace *trace,
                         unsigned number)
{
    const struct bl_trace_kernel *kernel = &trace->kernels[number];
    fputc('\n', file);
    bl_print(file, "kernel %s: ", bl_trace_label_of(kernel));
    if (kernel->sizes_differ)
        fprintf(file, "%u launches of several sizes, the last of ", kernel->launches);
    put_size(file, kernel->last.global);
    fputs(" work-items in groups of ", file);
    put_size(file, kernel->last.local);
    if (kernel->launches > 1 && !kernel->sizes_differ)
        fprintf(file, ", %u launches", kernel->launches);
    fprintf(file, "; %" PRIu64 " of %" PRIu64 " groups traced\n\n", kernel->traced_groups,
            kernel->groups);
    bl_layout_heading(layout, file);
    bool any = false;
    for (size_t i = 0; i < trace->row_count; i++)
        if (trace->rows[i].kernel == number) {
            bl_trace_put_row(file, layout, trace, &trace->rows[i]);
            any = true;
        }
    if (!any)
        fputs(kernel->traced_groups == kernel->groups
                  ? "the kernel accesses no memory\n"
                  : "none of the traced groups accesses memory; --sample all traces all groups\n",
              file);
    print_left_out(file, trace, number);
}

enum bl_status bl_print_trace(FILE *file, const struct bl_trace *trace,
                              const struct bl_kernel_choice *choice, struct bl_error *error)
{
    struct bl_layout_column columns[BL_LAYOUT_MAX_COLUMNS];
    const size_t count = bl_trace_columns(columns);
    const struct bl_layout layout = bl_layout_for(columns, count, bl_line_width(file));
    enum bl_status status = BL_OK;
    unsigned *by_loss = bl_kernels_by_loss(trace);
    bool *is_shown = calloc(trace->kernel_count + 1, sizeof *is_shown);
    if (!by_loss || !is_shown) {
        status = bl_fail(error, BL_NO_MEMORY, "out of memory while printing the trace");
        goto out;
    }
    const size_t shown = bl_kernels_choose(trace, by_loss, choice, is_shown);
    bl_kernels_print(file, trace, by_loss);
    for (size_t i = 0; i < trace->kernel_count; i++)
        if (is_shown[by_loss[i]])
            print_kernel(file, &layout, trace, by_loss[i]);
    if (shown == 0)
        status = bl_fail(error, BL_USAGE, "no kernel is called '%s'", choice->name);
    else if (shown < trace->kernel_count && !choice->name)
        fprintf(file, "\nlines of %zu other kernel%s are not shown (--top, --kernel)\n",
                trace->kernel_count - shown, bl_plural(trace->kernel_count - shown));
out:
    free(by_loss);
    free(is_shown);
    return status;
}

static bool has_untraced_launches(const struct bl_trace *trace)
{
    for (size_t k = 0; k < trace->kernel_count; k++)
        if (trace->kernels[k].untraced_launches > 0)
            return true;
    return false;
}

/* With --quick: says in how many launches groups ran nowhere. */
static void put_partial_launches(FILE *file, unsigned width, const struct bl_trace *trace)
{
    unsigned launches = 0, partial = 0;
    for (size_t k = 0; k < trace->kernel_count; k++) {
        launches += trace->kernels[k].launches;
        partial += trace->kernels[k].partial_launches;
    }
    if (partial > 0)
        bl_put_paragraph(
            file, 0, 0, width,
            "In %u of %u launches, some groups did not run (--quick), so later kernels lacked "
            "their results. If PoCL is installed, it runs them, except for kernels that it cannot "
            "run, such as those with images, and launches that are too long or have too much data.",
            partial, launches);
}

void bl_print_trace_notes(FILE *file, const struct bl_trace *trace, const char *optimization)
{
    const unsigned width = bl_line_width(file);
    const struct bl_machine *machine = trace->machine;
    fputc('\n', file);
    if (!machine->has_rule)
        bl_put_paragraph(file, 0, 0, width,
                         "No costs: machine %s has no rule (%s); choose another with --machine.",
                         machine->name, machine->why_no_rule);
    else
        bl_put_paragraph(
            file, 0, 0, width,
            "Lines: means over requests of %u lanes, as predicted for machine %s, if all data are "
            "in the compute unit's cache. tags, banks: passes of the busiest tag bank and bank; "
            "clocks: the largest of tags, banks and, for writes, the clocks that sectors take; "
            "ideal: clocks if the lanes were contiguous (of an array that the program declares "
            "constant: if they read one element); share, lost: parts of the kernel's "
            "clocks; @: the call site of an inlined function. Kernels: sums over all groups. "
            "needed: distinct bytes of each request to global memory; moved: bytes of the sectors "
            "that each request touches; limit: the busiest stage. The kernels were compiled with "
            "-O%s: a GPU's compiler may merge, hoist or split accesses differently. Diverged lanes "
            "reconverge where their branch ends, and at barriers; a device may let them reconverge "
            "elsewhere (independent thread scheduling).",
            machine->lanes, machine->name, strcmp(optimization, "both") == 0 ? "z" : optimization);
    if (bl_trace_is_sampled(trace))
        bl_put_paragraph(
            file, 0, 0, width,
            "Requests and means are of the traced groups only; share, lost and the kernels' sums "
            "are estimates for all groups. Groups that were not traced count like the traced "
            "groups between the first and the last. If only the first and the last were traced and "
            "the last makes fewer accesses, the others count like the first, and those at the "
            "partial edges of a grid like a mixture of the first and the last. If the last does "
            "not make fewer accesses, the others count like the mean of the first and the last.%s",
            has_untraced_launches(trace)
                ? " Launches that the budget left out count like the kernel's other launches."
                : "");
    put_partial_launches(file, width, trace);
    if (trace->are_units_missing)
        bl_put_paragraph(file, 0, 0, width,
                         "The program asked how many compute units the device has. The file of "
                         "machine %s does not state the number (compute_units), so the answer was "
                         "Oclgrind's, 1; the program may launch more groups on a GPU.",
                         machine->name);
}

size_t *bl_number_suggestions(const struct bl_trace *trace,
                              const struct bl_suggestions *suggestions,
                              const struct bl_kernel_choice *choice)
{
    unsigned *by_loss = bl_kernels_by_loss(trace);
    bool *is_shown = calloc(trace->kernel_count + 1, sizeof *is_shown);
    size_t *numbers = calloc(suggestions->count + 1, sizeof *numbers), number = 0;
    if (by_loss && is_shown)
        bl_kernels_choose(trace, by_loss, choice, is_shown);
    for (size_t i = 0; is_shown && numbers && i < suggestions->count; i++) {
        if (!is_shown[suggestions->all[i].row->kernel])
            continue;
        for (size_t j = 0; j < i && numbers[i] == 0; j++)
            if (bl_suggestions_agree(trace, &suggestions->all[j], &suggestions->all[i]))
                numbers[i] = numbers[j];
        if (numbers[i] == 0)
            numbers[i] = ++number;
    }
    free(by_loss);
    free(is_shown);
    return numbers;
}

enum { SAME_WORDS = 600 };

/* Writes the kernels of the other suggestions that have the number of suggestion `first`, such as
 * " The same holds for beta (all accesses 1.5 times as fast)." The text is empty if there are none.
 */
static void say_same(const struct bl_trace *trace, const struct bl_suggestions *suggestions,
                     const size_t numbers[], size_t first, char text[SAME_WORDS])
{
    enum { MAX_NAMED = 5 };
    size_t count = 0;
    *text = '\0';
    for (size_t i = first + 1; i < suggestions->count; i++) {
        const struct bl_suggestion *suggestion = &suggestions->all[i];
        const size_t used = strlen(text);
        char gain[64] = "";
        if (numbers[i] != numbers[first] || ++count > MAX_NAMED)
            continue;
        if (*suggestion->fix)
            snprintf(gain, sizeof gain, " (all accesses %.3g times as fast)",
                     suggestion->kernel_gain);
        snprintf(text + used, SAME_WORDS - used, "%s%.60s%s",
                 count == 1 ? " The same holds for " : ", ",
                 bl_trace_label_of(&trace->kernels[suggestion->row->kernel]), gain);
    }
    const size_t used = strlen(text);
    if (count > MAX_NAMED)
        snprintf(text + used, SAME_WORDS - used, " and %zu more kernel%s.", count - MAX_NAMED,
                 bl_plural(count - MAX_NAMED));
    else if (count)
        snprintf(text + used, SAME_WORDS - used, ".");
}

void bl_print_suggestions(FILE *file, const struct bl_trace *trace,
                          const struct bl_suggestions *suggestions, const size_t numbers[])
{
    size_t printed = 0;
    for (size_t i = 0; numbers && i < suggestions->count; i++) {
        char same[SAME_WORDS];
        if (numbers[i] <= printed)
            continue;
        if (printed++ == 0)
            fputc('\n', file);
        say_same(trace, suggestions, numbers, i, same);
        bl_put_paragraph(file, 0, 3, bl_line_width(file), "%zu. %s%s", numbers[i],
                         suggestions->all[i].sentence, same);
    }
}

/* The costs of a source line, in all kernels of its program. */
struct cost_of_line {
    double clocks, ideal, share;
    double lines, passes;
    uint64_t requests, ruled; /* number of requests; number of requests that a rule covers */
    bool any;
};

/* Computes the costs of a program's lines, from line 1 to line `count`. */
static void add_costs(const struct bl_trace *trace, unsigned program, unsigned count,
                      struct cost_of_line costs[])
{
    double all = 0;
    for (size_t k = 0; k < trace->kernel_count; k++)
        if (trace->kernels[k].program == program)
            all += trace->kernels[k].all_clocks;
    for (size_t i = 0; i < trace->row_count; i++) {
        const struct bl_trace_row *row = &trace->rows[i];
        const struct bl_trace_kernel *kernel = &trace->kernels[row->kernel];
        if (row->source_line > count || kernel->program != program)
            continue;
        struct cost_of_line *cost = &costs[row->source_line]; /* costs[0] collects accesses whose
                                                                 line is unknown; it is not shown */
        cost->any = true;
        cost->requests += row->requests;
        if (!row->has_rule)
            continue;
        cost->ruled += row->requests;
        cost->lines += (double)row->own.lines;
        cost->passes += (double)(row->own.bank_passes > row->own.tag_passes ? row->own.bank_passes
                                                                            : row->own.tag_passes);
        cost->clocks += row->clocks;
        cost->ideal += row->ideal_clocks;
        cost->share += row->all_clocks / all;
    }
}

static void print_line(FILE *file, const struct cost_of_line *cost, unsigned line, const char *text,
                       size_t length)
{
    char texts[5][32];
    const double ruled = cost->ruled ? (double)cost->ruled : NAN;
    if (cost->any)
        fprintf(file, "%8s %9zu %6s %6s %7s %7s |",
                bl_trace_percent_text(cost->ruled ? cost->share : NAN, texts[0]),
                (size_t)cost->requests,
                bl_trace_mean_text(cost->lines > 0 ? cost->lines / ruled : NAN, texts[1]),
                bl_trace_mean_text(cost->passes / ruled, texts[2]),
                bl_trace_mean_text(cost->clocks / ruled, texts[3]),
                bl_trace_mean_text(cost->ideal / ruled, texts[4]));
    else
        fprintf(file, "%48s |", "");
    fprintf(file, "%5u ", line);
    bl_put_lines(file, text, length);
    fputc('\n', file);
}

static void annotate(FILE *file, const struct bl_trace *trace, unsigned program)
{
    enum { AROUND = 4 };
    const char *text = trace->programs[program].source;
    unsigned count = 1;
    for (const char *at = text; *at; at++)
        count += *at == '\n';
    struct cost_of_line *costs = calloc(count + 2, sizeof *costs);
    if (!costs)
        return;
    add_costs(trace, program, count, costs);
    fprintf(file, "%8s %9s %6s %6s %7s %7s |\n", "share", "requests", "lines", "passes", "clocks",
            "ideal");
    unsigned shown = 0;
    for (unsigned line = 1; line <= count; line++) {
        const size_t length = strcspn(text, "\n"), is_crlf = length > 0 && text[length - 1] == '\r';
        bool is_near = false;
        for (unsigned near = line > AROUND ? line - AROUND : 1;
             near <= line + AROUND && near <= count; near++)
            is_near |= costs[near].any;
        if (is_near && shown && shown + 1 < line)
            fprintf(file, "%48s |  ...\n", "");
        if (is_near) {
            print_line(file, &costs[line], line, text, length - is_crlf);
            shown = line;
        }
        text += length + (text[length] == '\n');
    }
    free(costs);
}

/* The name of this program's source in the trace's rows; a description if the rows have several
 * names; NULL if no row belongs to a line of this program. */
static const char *name_of(const struct bl_trace *trace, unsigned program)
{
    const char *name = NULL;
    for (size_t i = 0; i < trace->row_count; i++) {
        const struct bl_trace_row *row = &trace->rows[i];
        if (!row->source_line || trace->kernels[row->kernel].program != program)
            continue;
        if (name && strcmp(name, row->name) != 0)
            return "a source made of several files, with its own line numbers";
        name = row->name;
    }
    return name;
}

void bl_print_annotated(FILE *file, const struct bl_trace *trace)
{
    for (unsigned program = 0; program < trace->program_count; program++) {
        const char *name = name_of(trace, program);
        if (!name)
            continue;
        if (!*trace->programs[program].source) {
            bl_print(
                file,
                "%s: no source to show, because the program was linked from other programs\n\n",
                name);
            continue;
        }
        bl_print(file, "%s (share: part of the clocks of all its kernels and groups):\n", name);
        annotate(file, trace, program);
        fputc('\n', file);
    }
}

/* Results of other compilers or options for traced kernels. */

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
    fputs("\nlines whose requests differ between -Oz and -O0 (accesses that -Oz moved may be shown "
          "at another line):\n\n",
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

enum { INTEL_NUMBERS = 8 };

static const struct bl_layout_column intel_columns[1 + INTEL_NUMBERS] = {
    {.name = "kernel", .width = 24},
    {.name = "SIMD", .width = 4, .is_right = true},
    {.name = "instructions", .width = 12, .is_right = true},
    {.name = "loads", .width = 5, .is_right = true},
    {.name = "stores", .width = 6, .is_right = true},
    {.name = "local loads", .width = 11, .is_right = true},
    {.name = "local stores", .width = 12, .is_right = true},
    {.name = "atomics", .width = 7, .is_right = true},
    {.name = "scratch bytes", .width = 13, .rank = 1, .is_right = true},
};

void bl_print_intel(FILE *file, const struct bl_trace *trace)
{
    const struct bl_layout layout =
        bl_layout_for(intel_columns, 1 + INTEL_NUMBERS, bl_line_width(file));
    bool any = false;
    for (size_t k = 0; k < trace->kernel_count; k++) {
        const struct bl_intel *intel = &trace->kernels[k].intel;
        if (!intel->simd)
            continue;
        if (!any) {
            fputs("\ninstructions that Intel's compiler generates, and how many of them are "
                  "messages to memory (loads of arguments are included; an access of 32 lanes is "
                  "two messages)\n\n",
                  file);
            bl_layout_heading(&layout, file);
        }
        any = true;
        const unsigned *global = intel->messages[0], *local = intel->messages[1];
        const unsigned numbers[INTEL_NUMBERS] = {
            intel->simd, intel->instructions,  global[0],           global[1], local[0],
            local[1],    global[2] + local[2], intel->scratch_bytes};
        char texts[INTEL_NUMBERS][16];
        const char *cells[1 + INTEL_NUMBERS] = {bl_trace_label_of(&trace->kernels[k])};
        for (size_t c = 0; c < INTEL_NUMBERS; c++) {
            snprintf(texts[c], sizeof texts[c], "%u", numbers[c]);
            cells[1 + c] = texts[c];
        }
        bl_layout_row(&layout, file, cells);
    }
}

/* The table of the lines that were replayed. */

static const struct bl_layout_column replay_columns[] = {
    {.name = "line", .width = 24},
    {.name = "memory", .width = 8},
    {.name = "op", .width = 6},
    {.name = "requests", .width = 8, .rank = 3, .is_right = true},
    {.name = "level", .width = 6, .rank = 2},
    {.name = "predicted", .width = 9},
    {.name = "measured [95 % interval]", .width = 24},
    {.name = "off", .width = 7, .rank = 1, .is_right = true},
    {.name = "verdict", .width = 10},
};

static void print_replayed(const struct bl_layout *layout, FILE *file,
                           const struct bl_trace_row *row)
{
    const struct bl_replayed *replayed = &row->replayed;
    struct bl_row shown = bl_row_empty();
    shown.measured = replayed->measured;
    shown.measured_lo = replayed->low;
    shown.measured_hi = replayed->high;
    char line[300], requests[16], predicted[16], measured[48], off[16] = "-";
    snprintf(line, sizeof line, "%.250s:%u", basename(row->name), row->line);
    snprintf(requests, sizeof requests, "%u", replayed->requests);
    const double distance = replayed->measured / replayed->predicted - 1;
    if (isfinite(distance))
        snprintf(off, sizeof off, "%+.1f %%", 100 * distance);
    const char *const cells[] = {
        line,
        bl_memory_name(row->memory),
        bl_operation_name(row->operation),
        requests,
        replayed->level,
        bl_format_ratio(replayed->predicted, predicted),
        isfinite(replayed->measured) ? bl_format_measured(&shown, measured) : "-",
        off,
        bl_verdict_name(replayed->verdict),
    };
    bl_layout_row(layout, file, cells);
    if (*replayed->why_not) {
        fputs("  ", file);
        bl_put_paragraph(file, 2, 2, bl_line_width(file), "%s", replayed->why_not);
    }
}

void bl_print_replayed(FILE *file, const struct bl_trace *trace)
{
    const struct bl_layout layout = bl_layout_for(
        replay_columns, sizeof replay_columns / sizeof *replay_columns, bl_line_width(file));
    fputc('\n', file);
    bl_print(file, "replayed on %s", trace->replayed_on);
    if (strcmp(trace->replayed_as, trace->machine->name) != 0)
        fprintf(file, ", which is machine %s; predictions by machine %s", trace->replayed_as,
                trace->machine->name);
    fputs("\n\n", file);
    bool any = false;
    for (size_t i = 0; i < trace->row_count; i++)
        any |= trace->rows[i].replayed.is_tried;
    if (!any) {
        fprintf(file, "nothing to replay: machine %s has no rule for any line\n",
                trace->machine->name);
        return;
    }
    bl_layout_heading(&layout, file);
    for (size_t i = 0; i < trace->row_count; i++)
        if (trace->rows[i].replayed.is_tried)
            print_replayed(&layout, file, &trace->rows[i]);
    fputc('\n', file);
    bl_put_paragraph(
        file, 0, 0, bl_line_width(file),
        "Ratios are throughputs of up to 8 recorded requests of the line, divided by the "
        "throughput of contiguous requests of the same type.");
}
