/* What an inference found of a simulated device, held against what is to be found. */
#include <stdio.h>
#include <string.h>

#include "model/machine_file.h"
#include "simulated_target.h"

static void score_discrete(struct simulated_score *score, const struct bl_finding *finding,
                           const char *key, bool is_right)
{
    static const double from[SURE_BINS] = {0.9, 0.93, 0.97, 0.99, 0.999};
    score->discrete++;
    if (!finding || !finding->is_known) {
        snprintf(score->wrong + strlen(score->wrong), sizeof score->wrong - strlen(score->wrong),
                 "%s? ", key);
        return;
    }
    unsigned bin = 0;
    while (bin + 1 < SURE_BINS && finding->confidence >= from[bin + 1])
        bin++;
    score->stated++;
    score->stated_at[bin]++;
    score->right += is_right;
    score->right_at[bin] += is_right;
    if (!is_right)
        snprintf(score->wrong + strlen(score->wrong), sizeof score->wrong - strlen(score->wrong),
                 "%s=%g ", key, finding->value);
}

static void score_interval(struct simulated_score *score, const struct bl_findings *findings,
                           const char *key, double right)
{
    const struct bl_finding *finding = bl_finding_of(findings, key);
    if (!finding || !finding->is_known)
        return;
    const bool held = finding->lo <= right && right <= finding->hi;
    score->intervals++;
    score->held += held;
    if (!held)
        snprintf(score->wrong + strlen(score->wrong), sizeof score->wrong - strlen(score->wrong),
                 "%s=[%g,%g]!%g ", key, finding->lo, finding->hi, right);
}

static unsigned tag_banks_of(const struct bl_machine *machine)
{
    unsigned tag_banks = 1;
    for (unsigned i = 0; i < BL_MAX_TAG_BITS && machine->tag_masks[i]; i++)
        tag_banks *= 2;
    return tag_banks;
}

/* What is to be found, by a finding's key. */
static double right_of(const struct simulated *simulated, const char *key)
{
    const struct simulated_cache *caches = simulated->caches;
    const struct {
        const char *key;
        double right;
    } rights[] = {
        {"broadcast", simulated->broadcasts},
        {"same_bank_writes_wait", 1},
        {"same_word_writes_merge", simulated->merges_writes},
        {"tag_banks", tag_banks_of(&simulated->machine)},
        {"compute_units", simulated->units},
        {"groups_per_unit", simulated->groups_per_unit},
        {"l2_granule_bytes", caches[0].granule_bytes},
        {"memory_granule_bytes", caches[simulated->cache_count - 1].granule_bytes},
    };
    for (size_t i = 0; i < sizeof rights / sizeof rights[0]; i++)
        if (strcmp(rights[i].key, key) == 0)
            return rights[i].right;
    return bl_machine_value(&simulated->machine, bl_machine_field_named(key));
}

static void score_values(struct simulated_score *score, const struct simulated *simulated,
                         const struct bl_findings *findings)
{
    static const char *const always[] = {
        "lanes",
        "banks",
        "bank_bytes",
        "broadcast",
        "same_bank_writes_wait",
        "same_word_writes_merge",
        "atomics_by_lane",
        "line_bytes",
        "lines_per_clock",
        "tag_banks",
        "sector_bytes",
        "compute_units",
    };
    /* What makes no difference on this machine is rightly not known. */
    static const char *const if_known[] = {
        "banks_serve_global",   "constant_is_global",        "wide_in_parts",
        "widest_bytes",         "widest_components",         "pairs_share_wide",
        "three_is_two_and_one", "local_reads_three_as_four", "l2_granule_bytes",
        "memory_granule_bytes", "groups_per_unit",
    };
    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++) {
        const struct bl_finding *finding = bl_finding_of(findings, always[i]);
        score_discrete(score, finding, always[i],
                       finding && finding->value == right_of(simulated, always[i]));
    }
    const struct bl_finding *masks = bl_finding_of(findings, "tag_masks");
    score_discrete(score, masks, "tag_masks",
                   masks && bl_same_bank_hash(masks, &simulated->machine));
    for (size_t i = 0; i < sizeof if_known / sizeof if_known[0]; i++) {
        const struct bl_finding *finding = bl_finding_of(findings, if_known[i]);
        if (finding && finding->is_known)
            score_discrete(score, finding, if_known[i],
                           finding->value == right_of(simulated, if_known[i]));
    }
}

static void score_intervals(struct simulated_score *score, const struct simulated *simulated,
                            const struct bl_findings *findings)
{
    const struct bl_machine *machine = &simulated->machine;
    const unsigned tag_banks = tag_banks_of(machine);
    score_interval(score, findings, "cache_bytes", simulated->caches[0].bytes);
    score_interval(score, findings, "cache_latency_ns", simulated->caches[0].latency_ns);
    if (simulated->cache_count == 2) {
        score_interval(score, findings, "l2_bytes", simulated->caches[1].bytes);
        score_interval(score, findings, "l2_latency_ns", simulated->caches[1].latency_ns);
    }
    score_interval(score, findings, "memory_latency_ns",
                   simulated->memory_latency_ns *
                       (simulated->page_reach_bytes > 0 ? SIMULATED_PAGE_MISS : 1));
    score_interval(score, findings, "local_bytes_per_unit", simulated->local_bytes_per_unit);
    score_interval(score, findings, "barrier_ns", simulated->barrier_ns);
    score_interval(score, findings, "barrier_more_percent", machine->barrier_more_percent);
    if (machine->banks_serve_global)
        score_interval(score, findings, "overlap_percent", machine->overlap_percent);
    if (simulated->page_reach_bytes > 0)
        score_interval(score, findings, "page_reach_bytes", simulated->page_reach_bytes);
    score_interval(score, findings, "tag_bank_share", 1.0 / tag_banks);
}

struct simulated_score simulated_compare(const struct simulated *simulated,
                                         const struct bl_findings *findings)
{
    struct simulated_score score = {0};
    score_values(&score, simulated, findings);
    score_intervals(&score, simulated, findings);
    return score;
}

void simulated_add(struct simulated_score *sum, const struct simulated_score *score)
{
    sum->discrete += score->discrete;
    sum->stated += score->stated;
    sum->right += score->right;
    sum->intervals += score->intervals;
    sum->held += score->held;
    for (int b = 0; b < SURE_BINS; b++) {
        sum->stated_at[b] += score->stated_at[b];
        sum->right_at[b] += score->right_at[b];
    }
}
