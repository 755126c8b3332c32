#include "infer/findings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "infer/infer.h"

/* The machine file's view of what was inferred. */

static unsigned count_of(const struct bl_findings *findings, const char *key, double otherwise)
{
    return (unsigned)lround(bl_found(findings, key, otherwise));
}

static bool is_yes(const struct bl_findings *findings, const char *key)
{
    return bl_found(findings, key, 0) > 0.5;
}

/* Names it and gives it a working set, and no rule: what a line, a block or a write costs there is
 * not inferred, and a prediction from granules alone would be too kind. */
static void set_level(struct bl_level *level, const char *name, double own_bytes,
                      double before_bytes)
{
    const double mib = 1 << 20;
    snprintf(level->name, sizeof level->name, "%s", name);
    /* A third of what a cache holds; of memory far more than what all caches hold. */
    const double set = own_bytes > 0 ? own_bytes / 3 / mib : 40 * before_bytes / mib;
    level->working_set_mib = (unsigned)fmax(1, floor(set));
}

static void set_levels(const struct bl_findings *findings, struct bl_machine *machine)
{
    const double first = bl_found(findings, "cache_bytes", 0),
                 l2 = bl_found(findings, "l2_bytes", 0), llc = bl_found(findings, "llc_bytes", 0);
    const double last = llc > 0 ? llc : l2 > 0 ? l2 : first;
    if (l2 > 0)
        set_level(&machine->levels[0], "L2", l2, first);
    if (llc > 0)
        set_level(&machine->levels[1], "LLC", llc, l2);
    if (last > 0)
        set_level(&machine->levels[2], "memory", 0, last);
}

/* Groups of 8 KiB that a compute unit has room for, each with some more than it asks for. */
static unsigned local_groups(const struct bl_findings *findings)
{
    const double bytes = bl_found(findings, "local_bytes_per_unit", 0);
    double groups = floor(bytes / (8064 + 1024)), most = bl_found(findings, "groups_per_unit", 8);
    groups = fmin(groups > 0 ? groups : 8, most);
    /* As many for each of the schedulers that share a compute unit, 2, 4 or 8: on an H200 25 groups
     * make rows that wait for banks 8 % faster than 24 do. */
    return (unsigned)(groups >= 8 ? groups - fmod(groups, 8) : fmax(1, groups));
}

/* What a prediction needs and was not found. */
static void say_why_not(const struct bl_findings *findings, struct bl_machine *machine)
{
    static const char *const needed[] = {"lanes", "banks", "broadcast", "line_bytes", "tag_masks"};
    size_t used = 0;
    char *why = machine->why_no_rule;
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        const struct bl_finding *finding = bl_finding_of(findings, needed[i]);
        if (!finding || !finding->is_known)
            used +=
                (size_t)snprintf(why + used, sizeof machine->why_no_rule - used, "%s%s",
                                 used ? ", " : "the measurements did not determine ", needed[i]);
    }
    if (!used)
        snprintf(why, sizeof machine->why_no_rule,
                 "lanes that read the same word of local memory wait for each other, and there is "
                 "no rule of that");
}

struct bl_machine bl_machine_of(const struct bl_findings *findings, const char *name)
{
    struct bl_machine machine = {
        .device_type = BL_FOR_NONE,
        .lanes = count_of(findings, "lanes", 32),
        .line_bytes = count_of(findings, "line_bytes", 128),
        .sector_bytes = count_of(findings, "sector_bytes", 0),
        .lines_per_clock = count_of(findings, "lines_per_clock", 1),
        .overlap_percent = count_of(findings, "overlap_percent", 0),
        .cache_bytes = count_of(findings, "cache_bytes", 0),
        .cache_name = "L1",
        .banks = count_of(findings, "banks", 32),
        .bank_bytes = count_of(findings, "bank_bytes", 4),
        .banks_serve_global = is_yes(findings, "banks_serve_global"),
        .constant_is_global = is_yes(findings, "constant_is_global"),
        .atomics_by_lane = is_yes(findings, "atomics_by_lane"),
        .barrier_more_percent =
            (unsigned)lround(fmin(1000, fmax(0, bl_found(findings, "barrier_more_percent", 0)))),
        .wide_in_parts = is_yes(findings, "wide_in_parts"),
        .pairs_share_wide = is_yes(findings, "pairs_share_wide"),
        .widest_bytes = count_of(findings, "widest_bytes", 16),
        .widest_components = count_of(findings, "widest_components", 4),
        .three_is_two_and_one = is_yes(findings, "three_is_two_and_one"),
        .local_reads_three_as_four = is_yes(findings, "local_reads_three_as_four"),
        .unrolled_reads = 64,
        .global_sub_groups_per_cu = 128,
        .local_sub_groups_per_cu = local_groups(findings),
    };
    snprintf(machine.name, sizeof machine.name, "%s", name);
    snprintf(machine.title, sizeof machine.title, "inferred from measurements");
    const struct bl_finding *masks = bl_finding_of(findings, "tag_masks");
    if (masks && masks->is_known)
        memcpy(machine.tag_masks, masks->masks, sizeof machine.tag_masks);
    const struct bl_finding *lanes = bl_finding_of(findings, "lanes"),
                            *banks = bl_finding_of(findings, "banks"),
                            *line = bl_finding_of(findings, "line_bytes"),
                            *broadcast = bl_finding_of(findings, "broadcast");
    machine.has_rule = lanes && lanes->is_known && banks && banks->is_known && line &&
                       line->is_known && masks && masks->is_known && broadcast &&
                       broadcast->value > 0.5;
    if (!machine.has_rule)
        say_why_not(findings, &machine);
    set_levels(findings, &machine);
    return machine;
}

const struct bl_finding *bl_finding_of(const struct bl_findings *findings, const char *key)
{
    for (size_t i = 0; i < findings->count; i++)
        if (strcmp(findings->all[i].key, key) == 0)
            return &findings->all[i];
    return NULL;
}

double bl_found(const struct bl_findings *findings, const char *key, double otherwise)
{
    const struct bl_finding *finding = bl_finding_of(findings, key);
    return finding && finding->is_known ? finding->value : otherwise;
}

size_t bl_evidence_of(const struct bl_findings *findings, const char *sweep)
{
    size_t count = 0;
    for (size_t i = 0; i < findings->evidence_count; i++)
        count += sweep && strcmp(findings->evidence[i].sweep, sweep) == 0;
    return count;
}

void bl_findings_free(struct bl_findings *findings)
{
    free(findings->evidence);
    *findings = (struct bl_findings){0};
}
