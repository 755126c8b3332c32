/* What an inference found of a simulated device, held against what is to be found. */
#include <stdio.h>
#include <string.h>

#include "infer/masks.h"
#include "simulated_target.h"

/* Masks that choose the same banks, by the bits that they tell of. */
static bool same_masks(const struct simulated *simulated, const struct bl_finding *finding)
{
    const uint64_t *found = finding->masks;
    const uint64_t told = ((((uint64_t)2 << (unsigned)finding->hi) - 1) &
                           ~(((uint64_t)1 << (unsigned)finding->lo) - 1)) /
                          simulated->machine.line_bytes;
    struct bl_gf2_basis right = {0}, other = {0};
    for (unsigned i = 0; i < BL_MAX_TAG_BITS; i++) {
        bl_gf2_add(&right, simulated->machine.tag_masks[i] & told);
        bl_gf2_add(&other, found[i]);
    }
    return memcmp(right.of_bit, other.of_bit, sizeof right.of_bit) == 0;
}

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

static void score_values(struct simulated_score *score, const struct simulated *simulated,
                         const struct bl_findings *findings)
{
    const struct bl_machine *machine = &simulated->machine;
    const unsigned tag_banks = tag_banks_of(machine);
    const struct {
        const char *key;
        double right;
    } values[] = {
        {"lanes", machine->lanes},
        {"banks", machine->banks},
        {"bank_bytes", machine->bank_bytes},
        {"broadcast", simulated->broadcasts},
        {"same_bank_writes_wait", 1},
        {"same_word_writes_merge", simulated->merges_writes},
        {"atomics_by_lane", machine->atomics_by_lane},
        {"line_bytes", machine->line_bytes},
        {"lines_per_clock", machine->lines_per_clock},
        {"tag_banks", tag_banks},
        {"sector_bytes", machine->sector_bytes},
        {"compute_units", simulated->units},
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        const struct bl_finding *finding = bl_finding_of(findings, values[i].key);
        score_discrete(score, finding, values[i].key, finding && finding->value == values[i].right);
    }
    const struct bl_finding *masks = bl_finding_of(findings, "tag_masks");
    score_discrete(score, masks, "tag_masks", masks && same_masks(simulated, masks));
}

static void score_known(struct simulated_score *score, const struct simulated *simulated,
                        const struct bl_findings *findings)
{
    const struct bl_machine *machine = &simulated->machine;
    /* What makes no difference on this machine is rightly not known. */
    static const char *const if_known[] = {"banks_serve_global",   "constant_is_global",
                                           "wide_in_parts",        "widest_bytes",
                                           "widest_components",    "pairs_share_wide",
                                           "three_is_two_and_one", "local_reads_three_as_four",
                                           "l2_granule_bytes",     "memory_granule_bytes",
                                           "groups_per_unit"};
    const double rights[] = {machine->banks_serve_global,
                             machine->constant_is_global,
                             machine->wide_in_parts,
                             machine->widest_bytes,
                             machine->widest_components,
                             machine->pairs_share_wide,
                             machine->three_is_two_and_one,
                             machine->local_reads_three_as_four,
                             simulated->caches[0].granule_bytes,
                             simulated->caches[simulated->cache_count - 1].granule_bytes,
                             simulated->groups_per_unit};
    for (size_t i = 0; i < sizeof if_known / sizeof if_known[0]; i++) {
        const struct bl_finding *finding = bl_finding_of(findings, if_known[i]);
        if (finding && finding->is_known)
            score_discrete(score, finding, if_known[i], finding->value == rights[i]);
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
    score_known(&score, simulated, findings);
    score_intervals(&score, simulated, findings);
    return score;
}
