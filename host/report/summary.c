/* Summaries of a run (summary.h). The figures of a level are results of cases whose data lie at
 * that level: contiguous accesses and pointer chases. */
#include "report/summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum figure { READ, WRITE, LATENCY, NO_FIGURE };

/* Which figure of a level a case measures. The figure follows from the case's id, or from the id's
 * prefix if there are cases of many sizes ("level/contiguous-16K"). */
static enum figure figure_of(const char *case_id)
{
    static const struct {
        const char *id;
        bool is_prefix;
        enum figure figure;
    } known[] = {
        {"global/1", false, READ},
        {"local/1", false, READ},
        {"level/contiguous-", true, READ},
        {"level/next-contiguous", false, READ},
        {"level/memory-contiguous", false, READ},
        {"level/memory-int4", false, READ},
        {"local-write/contiguous", false, WRITE},
        {"level/next-write-1", false, WRITE},
        {"level/memory-write-1", false, WRITE},
        {"latency/global-", true, LATENCY},
        {"latency/local-16K", false, LATENCY},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].is_prefix ? strncmp(case_id, known[i].id, strlen(known[i].id)) == 0
                               : strcmp(case_id, known[i].id) == 0)
            return known[i].figure;
    return NO_FIGURE;
}

static bool is_local(const struct bl_row *row)
{
    return strcmp(row->memory, "local") == 0 ||
           strncmp(row->key.case_id, "latency/local", sizeof "latency/local" - 1) == 0;
}

/* Working sets of the rows for global memory, in bytes: the smallest, the largest, and the largest
 * for which a throughput was measured. */
struct working_sets {
    uint64_t smallest, largest, largest_streamed;
};

static struct working_sets working_sets_of(const struct bl_run_rows *run)
{
    struct working_sets sizes = {.smallest = UINT64_MAX};
    for (size_t i = 0; i < run->count; i++) {
        const struct bl_row *row = &run->rows[i];
        const uint64_t bytes = row->key.working_set_bytes;
        if (figure_of(row->key.case_id) == NO_FIGURE || is_local(row) || !bl_row_has_number(row))
            continue;
        sizes.smallest = bytes < sizes.smallest ? bytes : sizes.smallest;
        sizes.largest = bytes > sizes.largest ? bytes : sizes.largest;
        if (figure_of(row->key.case_id) != LATENCY && bytes > sizes.largest_streamed)
            sizes.largest_streamed = bytes;
    }
    return sizes;
}

static void name_size(uint64_t bytes, char name[32])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    unsigned unit = 0;
    for (; bytes >= 1024 && bytes % 1024 == 0 && unit + 1 < sizeof units / sizeof *units; unit++)
        bytes /= 1024;
    snprintf(name, 32, "%llu %s", (unsigned long long)bytes, units[unit]);
}

/* Positions in the list of levels: local memory, the compute unit's cache, then the machine's
 * levels. If the machine is unknown or does not state the size of its cache, the positions from
 * CACHE on are working sets: CACHE is the smallest, BEYOND the largest that has a throughput, and
 * BEYOND + 1 the largest of all. */
enum { LOCAL, CACHE, BEYOND };

/* More bytes than any GPU's cache holds. */
#define SURELY_MEMORY ((uint64_t)1 << 30)

static int position_by_size(const struct bl_machine *machine, const struct working_sets *sizes,
                            uint64_t bytes)
{
    if (!machine || !machine->cache_bytes)
        return bytes == sizes->smallest           ? CACHE
               : bytes == sizes->largest_streamed ? BEYOND
               : bytes == sizes->largest          ? BEYOND + 1
                                                  : -1;
    if (bytes <= machine->cache_bytes)
        return CACHE;
    for (int level = 0; level < BL_LEVEL_MEMORY; level++) {
        const uint64_t held = (uint64_t)machine->levels[level].working_set_mib << 20;
        if (held && bytes <= held && bytes > held / 4)
            return BEYOND + level;
    }
    return bytes >= SURELY_MEMORY ? BEYOND + BL_LEVEL_MEMORY : -1;
}

static int position_of(const struct bl_machine *machine, const struct working_sets *sizes,
                       const struct bl_row *row)
{
    if (is_local(row))
        return LOCAL;
    for (int level = 0; machine && machine->cache_bytes && level < BL_LEVELS; level++)
        if (*row->level && strcmp(row->level, machine->levels[level].name) == 0)
            return BEYOND + level;
    return position_by_size(machine, sizes, row->key.working_set_bytes);
}

/* The bytes per clock that a compute unit can read by the machine's rule; NAN if unknown. The rule
 * describes one bank array with its cache; on Intel several compute units share an array. */
static double limit_of(const struct bl_machine *machine, double arrays_per_unit, int position)
{
    if (!machine || !machine->has_rule || position > CACHE || !(arrays_per_unit > 0))
        return NAN;
    const double banks = (double)machine->banks * machine->bank_bytes;
    if (position == LOCAL || machine->banks_serve_global)
        return banks > 0 && !machine->banks_alternatives[0].count ? banks * arrays_per_unit
                                                                  : (double)NAN;
    if (*machine->why_no_global_rule)
        return NAN;
    return (double)machine->lines_per_clock * machine->line_bytes * arrays_per_unit;
}

static void add(struct bl_level_figures *level, enum figure figure, const struct bl_row *row)
{
    switch (figure) {
    case READ:
        if (row->gbytes_per_s > level->read_gbytes_per_s || isnan(level->read_gbytes_per_s)) {
            level->read_gbytes_per_s = row->gbytes_per_s;
            level->read_bytes_per_clock = row->bytes_per_clock_cu;
        }
        break;
    case WRITE:
        level->write_gbytes_per_s = fmax(level->write_gbytes_per_s, row->gbytes_per_s);
        break;
    default:
        level->latency_ns = fmax(level->latency_ns, row->ns_per_request);
    }
}

static void name_level(const struct bl_machine *machine, const struct working_sets *sizes,
                       int position, char name[32])
{
    const char *cache = machine && *machine->cache_name ? machine->cache_name : "cache";
    if (position == LOCAL)
        snprintf(name, 32, "local memory");
    else if (!machine || !machine->cache_bytes)
        name_size(position == CACHE    ? sizes->smallest
                  : position == BEYOND ? sizes->largest_streamed
                                       : sizes->largest,
                  name);
    else if (position == CACHE)
        snprintf(name, 32, "%s", cache);
    else
        snprintf(name, 32, "%s",
                 *machine->levels[position - BEYOND].name ? machine->levels[position - BEYOND].name
                                                          : "memory");
}

unsigned bl_level_figures(const struct bl_run_rows *run, const struct bl_machine *machine,
                          double arrays_per_unit, struct bl_level_figures levels[BL_MOST_LEVELS])
{
    struct bl_level_figures all[BL_MOST_LEVELS];
    bool has[BL_MOST_LEVELS] = {false};
    const struct working_sets sizes = working_sets_of(run);
    for (int i = 0; i < BL_MOST_LEVELS; i++)
        all[i] = (struct bl_level_figures){.read_gbytes_per_s = NAN,
                                           .read_bytes_per_clock = NAN,
                                           .write_gbytes_per_s = NAN,
                                           .limit_bytes_per_clock =
                                               limit_of(machine, arrays_per_unit, i),
                                           .latency_ns = NAN};
    for (size_t i = 0; i < run->count; i++) {
        const struct bl_row *row = &run->rows[i];
        const enum figure figure = figure_of(row->key.case_id);
        if (figure == NO_FIGURE || !bl_row_has_number(row))
            continue;
        const int position = position_of(machine, &sizes, row);
        if (position < 0)
            continue;
        add(&all[position], figure, row);
        has[position] = true;
    }
    unsigned count = 0;
    for (int i = 0; i < BL_MOST_LEVELS; i++)
        if (has[i]) {
            name_level(machine, &sizes, i, all[i].name);
            levels[count++] = all[i];
        }
    return count;
}

double bl_recorded_arrays_per_unit(const struct bl_run_rows *run, const struct bl_machine *machine)
{
    const uint64_t intel = 0x8086;
    for (size_t i = 0; machine && i < BL_MAX_VENDORS; i++)
        if (machine->vendors[i] == intel)
            return 0;
    for (size_t i = 0; i < run->count; i++)
        if (strstr(run->rows[i].note, BL_OTHER_DEVICE))
            return 0;
    return 1;
}

/* How well a run's predictions and claims hold. */

void bl_score_add(struct bl_score *score, const struct bl_row *row)
{
    if (!isfinite(row->distance) || row->verdict >= BL_NO_RULE)
        return;
    score->predicted++;
    if (fabs(row->predicted - 1) < 1e-9)
        return;
    const double distance = fabs(row->distance);
    score->not_one++;
    score->verdicts[row->verdict]++;
    score->sum += distance;
    if (distance <= score->max)
        return;
    score->max = distance;
    snprintf(score->farthest, sizeof score->farthest, "%.63s", row->key.case_id);
}

char *bl_score_text(const struct bl_score *score, char text[BL_SCORE_BYTES])
{
    text[0] = '\0';
    if (score->predicted == 0)
        return text;
    bl_text_add(text, BL_SCORE_BYTES, "Predictions other than 1: %u of %u", score->not_one,
                score->predicted);
    const char *separator = "; ";
    for (unsigned v = 0; v < BL_NO_RULE; v++)
        if (score->verdicts[v]) {
            bl_text_add(text, BL_SCORE_BYTES, "%s%u %s", separator, score->verdicts[v],
                        bl_verdict_name((enum bl_verdict)v));
            separator = ", ";
        }
    if (score->not_one)
        bl_text_add(text, BL_SCORE_BYTES,
                    ". Distance from the prediction: mean %.1f %%, largest %.1f %% (%s)",
                    100 * score->sum / score->not_one, 100 * score->max, score->farthest);
    bl_text_add(text, BL_SCORE_BYTES, ".");
    return text;
}

struct bl_claim_counts *bl_claim_score_add(struct bl_claim_score *score, const struct bl_row *row)
{
    if (row->claim_verdict >= BL_NO_RULE)
        return NULL;
    struct bl_claim_counts *counts = bl_claim_is_derived(row) ? &score->derived : &score->printed;
    counts->tested++;
    counts->verdicts[row->claim_verdict]++;
    return counts;
}
