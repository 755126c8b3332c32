/* The bounds of a trace's kernels, and what they took. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/trace_view.h"
#include "report/layout.h"
#include "trace/bounds.h"

/* The table of the lines that were replayed. */

enum replay_column { REPLAY_LINE, REPLAY_MEMORY, REPLAY_OP, REPLAY_REQUESTS, REPLAY_LEVEL, REPLAY_PREDICTED, REPLAY_MEASURED, REPLAY_OFF, REPLAY_VERDICT, REPLAY_COLUMNS };

static const struct bl_layout_column replay_columns[REPLAY_COLUMNS] = {
    [REPLAY_LINE] = {.name = "line", .width = 24},
    [REPLAY_MEMORY] = {.name = "memory", .width = 8},
    [REPLAY_OP] = {.name = "op", .width = 6},
    [REPLAY_REQUESTS] = {.name = "requests", .width = 8, .rank = 3, .is_right = true},
    [REPLAY_LEVEL] = {.name = "level", .width = 6, .rank = 2},
    [REPLAY_PREDICTED] = {.name = "predicted", .width = 9},
    [REPLAY_MEASURED] = {.name = "measured [95 % interval]", .width = 24},
    [REPLAY_OFF] = {.name = "off", .width = 7, .rank = 1, .is_right = true},
    [REPLAY_VERDICT] = {.name = "verdict", .width = 10},
};

static void print_replayed(const struct bl_layout *layout, FILE *file, const struct bl_trace_row *row)
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
    const char *const cells[REPLAY_COLUMNS] = {
        [REPLAY_LINE] = line,
        [REPLAY_MEMORY] = bl_memory_name(row->memory),
        [REPLAY_OP] = bl_operation_name(row->operation),
        [REPLAY_REQUESTS] = requests,
        [REPLAY_LEVEL] = replayed->level,
        [REPLAY_PREDICTED] = bl_format_ratio(replayed->predicted, predicted),
        [REPLAY_MEASURED] = isfinite(replayed->measured) ? bl_format_measured(&shown, measured) : "-",
        [REPLAY_OFF] = off,
        [REPLAY_VERDICT] = bl_verdict_name(replayed->verdict),
    };
    bl_layout_row(layout, file, cells);
    if (*replayed->why_not) {
        const unsigned width = bl_line_width(file);
        fputs("  ", file);
        bl_put_wrapped(file, replayed->why_not, 2, 2, width);
        fputc('\n', file);
    }
}

void bl_print_replayed(FILE *file, const struct bl_trace *trace)
{
    const struct bl_layout layout = bl_layout_for(replay_columns, REPLAY_COLUMNS, bl_line_width(file));
    fprintf(file, "\nreplayed on %s", trace->replayed_on);
    if (strcmp(trace->replayed_as, trace->machine->name) != 0)
        fprintf(file, ", which is machine %s, and held against machine %s", trace->replayed_as,
                trace->machine->name);
    fputs("\n\n", file);
    bool any = false;
    for (size_t i = 0; i < trace->row_count; i++)
        any |= trace->rows[i].replayed.is_tried;
    if (!any) {
        fprintf(file, "nothing to replay: machine %s has no rule of any line\n",
                trace->machine->name);
        return;
    }
    bl_layout_heading(&layout, file);
    for (size_t i = 0; i < trace->row_count; i++)
        if (trace->rows[i].replayed.is_tried)
            print_replayed(&layout, file, &trace->rows[i]);
    fputc('\n', file);
    bl_put_wrapped(file,
                   "Ratios are the throughput of up to 8 requests of the line, by the starts that "
                   "were recorded, over that of contiguous ones of the same type.",
                   0, 0, bl_line_width(file));
    fputc('\n', file);
}

enum column {
    KERNEL,
    LAUNCHES,
    TIME,
    BOUND,
    PART,
    LIMIT,
    STAGE,
    LEVEL_0,
    LEVEL_1,
    LEVEL_2,
    COLUMNS
};

static const char *time_text(double ns, char text[24])
{
    if (!(ns > 0))
        return "-";
    snprintf(text, 24, ns < 1e4 ? "%.2f us" : ns < 1e6 ? "%.1f us" : "%.0f us", ns / 1e3);
    return text;
}

static const char *bytes_text(double bytes, char text[24])
{
    snprintf(text, 24,
             bytes < 10240      ? "%.0f bytes"
             : bytes < 10 << 20 ? "%.1f KiB"
                                : "%.1f MiB",
             bytes < 10240      ? bytes
             : bytes < 10 << 20 ? bytes / 1024
                                : bytes / (1 << 20));
    return text;
}

/* What is known without a device. */
static void print_needs(FILE *file, const struct bl_trace_kernel *kernel)
{
    const struct bl_bound *bound = &kernel->bound;
    char text[400], read[24], written[24], sampled[96] = "";
    if (bound->clocks[bound->busiest] <= 0 && bound->read_bytes + bound->written_bytes <= 0)
        return;
    if (kernel->traced_groups < kernel->groups)
        snprintf(sampled, sizeof sampled, "; estimated from %" PRIu64 " of %" PRIu64 " groups",
                 kernel->traced_groups, kernel->groups);
    snprintf(text, sizeof text,
             "%.100s needs at least %.0f clocks of the %s, all compute units together; from beyond "
             "them at least %s are read and %s written%s.",
             kernel->name, bound->clocks[bound->busiest],
             bound->busiest == BL_STAGE_TAGS    ? "tag banks"
             : bound->busiest == BL_STAGE_BANKS ? "banks"
                                                : "path of writes",
             bytes_text(bound->read_bytes, read), bytes_text(bound->written_bytes, written),
             sampled);
    bl_put_wrapped(file, text, 0, 2, bl_line_width(file));
    fputc('\n', file);
}

static void print_row(const struct bl_layout *layout, FILE *file, const struct bl_level levels[],
                      const struct bl_trace_kernel *kernel)
{
    const struct bl_timed *timed = &kernel->timed;
    const struct bl_bound *bound = &kernel->bound;
    char texts[6][24], launches[16], part[16] = "-";
    snprintf(launches, sizeof launches, "%u", timed->launches);
    if (timed->ns > 0)
        snprintf(part, sizeof part, "%.1f %%", 100 * bound->ns / timed->ns);
    if (!bound->limited_by || bound->ns <= 0)
        strcpy(part, "-");
    const char *const cells[COLUMNS] = {
        [KERNEL] = kernel->name,
        [LAUNCHES] = launches,
        [TIME] = time_text(timed->ns, texts[0]),
        [BOUND] = time_text(bound->ns, texts[1]),
        [PART] = part,
        [LIMIT] = bound->limited_by && bound->ns > 0 ? bound->limited_by : "-",
        [STAGE] = time_text(bound->stage_ns, texts[2]),
        [LEVEL_0] = *levels[0].name ? time_text(bound->level_ns[0], texts[3]) : "",
        [LEVEL_1] = *levels[1].name ? time_text(bound->level_ns[1], texts[4]) : "",
        [LEVEL_2] = *levels[2].name ? time_text(bound->level_ns[2], texts[5]) : "",
    };
    bl_layout_row(layout, file, cells);
    if (timed->launches && timed->launches != kernel->launches)
        fprintf(file, "  %u launches under Oclgrind: the bound is of those\n", kernel->launches);
}

static void print_times(FILE *file, const struct bl_trace *trace)
{
    const struct bl_level *levels = trace->machine->levels;
    struct bl_layout_column columns[COLUMNS] = {
        [KERNEL] = {.name = "kernel", .width = 24},
        [LAUNCHES] = {.name = "launches", .width = 8, .rank = 2, .is_right = true},
        [TIME] = {.name = "time", .width = 10, .is_right = true},
        [BOUND] = {.name = "at least", .width = 10, .is_right = true},
        [PART] = {.name = "of time", .width = 7, .is_right = true},
        [LIMIT] = {.name = "limited by", .width = 10},
        [STAGE] = {.name = "in units", .width = 10, .rank = 1, .is_right = true},
    };
    for (unsigned i = 0; i < BL_LEVELS; i++) /* those without a name have no width */
        columns[LEVEL_0 + i] = (struct bl_layout_column){
            .name = levels[i].name, .width = *levels[i].name ? 10 : 1, .rank = 1, .is_right = true};
    const struct bl_layout layout = bl_layout_for(columns, COLUMNS, bl_line_width(file));
    bool any = false;
    for (size_t k = 0; k < trace->kernel_count; k++)
        any |= trace->kernels[k].bound.limited_by != NULL;
    fprintf(file, "times on %s, %u compute units, at most %u MHz; %s machine %s%s\n\n",
            trace->timed_on.name, trace->timed_on.compute_units, trace->timed_on.mhz,
            any ? "bounds by" : "no bounds, for", trace->machine->name,
            any ? "" : " does not describe it");
    bl_layout_heading(&layout, file);
    for (size_t k = 0; k < trace->kernel_count; k++)
        print_row(&layout, file, levels, &trace->kernels[k]);
    fputc('\n', file);
    bl_put_wrapped(
        file,
        "time: of all launches, by the device's clock; at least: the largest of what "
        "follows, and how much of the time it is; in units: what the busiest stage of "
        "the compute units (tags, banks, or writes) needs at the highest clock, what a "
        "compiler may merge counted merged; of a level: each sector once a launch, at "
        "the rate of contiguous accesses. Where not all groups were traced, the others are "
        "taken to be like those between the first and the last.",
        0, 0, bl_line_width(file));
    fputc('\n', file);
}

void bl_print_bounds(FILE *file, const struct bl_trace *trace)
{
    fputc('\n', file);
    if (*trace->timed_on.name) {
        print_times(file, trace);
        return;
    }
    for (size_t k = 0; k < trace->kernel_count; k++)
        print_needs(file, &trace->kernels[k]);
}
