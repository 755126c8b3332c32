/* Compares the findings about a simulated device with its true properties. */
#include <stdio.h>
#include <string.h>

#include "model/machine_file.h"
#include "simulated_target.h"

/* Scores a discrete value. finding may be NULL. If the value is wrong or unknown, adds its key to
 * score->wrong. */
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

/* If a continuous value is known, scores whether its interval contains the true value. */
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

/* The true value of a finding, by its key. */
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
        {"local_lanes_written_at_once",
         simulated->write_lanes ? simulated->write_lanes : simulated->machine.lanes},
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
    /* On some machines, these properties make no difference to any time, so an inference may
     * rightly report them as unknown. They are scored only if the inference reports a value. */
    static const char *const if_known[] = {
        "banks_serve_global",   "constant_is_global",        "wide_in_parts",
        "widest_bytes",         "widest_components",         "pairs_share_wide",
        "three_is_two_and_one", "local_reads_three_as_four", "l2_granule_bytes",
        "memory_granule_bytes", "groups_per_unit",           "local_lanes_written_at_once",
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

void simulated_weigh(const struct bl_machine *machine, unsigned hypothesis, uint64_t seed,
                     double noise, bool all, struct simulated_weighing *sum)
{
    struct simulated simulated;
    struct bl_findings findings;
    struct bl_error error = {0};
    const struct bl_banks *right = &machine->banks_alternatives[hypothesis];
    simulated_make_banks(&simulated, seed, noise, right);
    simulated.hypotheses = machine;
    simulated.no_chains = simulated.quick = !all;
    sum->devices++;
    sum->failed += simulated_infer(&simulated, &findings, &error) != BL_OK;
    unsigned likeliest = 0;
    for (unsigned h = 1; h < findings.hypothesis_count; h++)
        if (findings.hypotheses[h].probability > findings.hypotheses[likeliest].probability)
            likeliest = h;
    const struct bl_hypothesis *best = &findings.hypotheses[likeliest];
    sum->likeliest += likeliest == hypothesis && best->probability > findings.other_probability;
    sum->points += findings.points;
    sum->max_points += findings.max_points;
    const struct bl_finding *banks = bl_finding_of(&findings, "banks"),
                            *bytes = bl_finding_of(&findings, "bank_bytes"),
                            *masks = bl_finding_of(&findings, "tag_masks");
    if (banks && bytes && banks->is_known && bytes->is_known) {
        const bool is_right = banks->value == right->count && bytes->value == right->bytes;
        const bool is_sure = banks->confidence >= 0.99 && bytes->confidence >= 0.99;
        sum->stated++;
        sum->stated_right += is_right;
        sum->sure += is_sure;
        sum->sure_right += is_sure && is_right;
    }
    if (masks && masks->is_known) {
        sum->masks++;
        sum->wrong_masks += !bl_same_bank_hash(masks, &simulated.machine);
    }
    bl_findings_free(&findings);
}

void simulated_add_weighing(struct simulated_weighing *sum, const struct simulated_weighing *more)
{
    sum->devices += more->devices;
    sum->failed += more->failed;
    sum->likeliest += more->likeliest;
    sum->stated += more->stated;
    sum->stated_right += more->stated_right;
    sum->sure += more->sure;
    sum->sure_right += more->sure_right;
    sum->masks += more->masks;
    sum->wrong_masks += more->wrong_masks;
    sum->points += more->points;
    sum->max_points += more->max_points;
}

void simulated_print_weighing(FILE *file, const char *name, const struct simulated_weighing *sum)
{
    const double devices = sum->devices ? sum->devices : 1;
    fprintf(file, "| %s | %u | %.2f %% | %u, %u right | %u | %.2f %% | %.1f of %.1f | %u of %u |\n",
            name, sum->devices, 100 * sum->likeliest / devices, sum->stated, sum->stated_right,
            sum->sure, 100.0 * sum->sure_right / (sum->sure ? sum->sure : 1), sum->points / devices,
            sum->max_points / devices, sum->wrong_masks, sum->masks);
}

bool simulated_weighing_is_good(const struct simulated_weighing *sum)
{
    return sum->failed == 0 && sum->likeliest >= 0.99 * sum->devices &&
           sum->sure_right >= 0.98 * sum->sure && sum->wrong_masks == 0;
}
