/* How a cache is divided: lines of a set, by sets of addresses that evict each other; and lines of
 * one tag bank alone, a second witness of the hash. And how much memory the pages reach whose
 * addresses are at hand. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "infer/inference.h"
#include "infer/knee.h"
#include "infer/posterior.h"
#include "measure/stats.h"
#include "model/access.h"

enum { SHARES = 28, SPANS = 64, PAGE_PLACES = 4096 };

static const char *const ways_meaning = "lines of a set of the first cache",
                         *const share_meaning = "of the first cache that the lines of one tag bank "
                                                "can fill",
                         *const reach_meaning = "bytes that reads reach without a further look for "
                                                "a page's address";

/* As many lines as a set holds, a set apart from each other, stay; one more, and all are lost. */
static enum bl_status infer_ways(struct bl_inference *inference, struct bl_error *error)
{
    const struct bl_knee *knee = &inference->first_knee;
    if (knee->hashed_probability > 1 - BL_STATED_FROM || knee->ways_probability < BL_STATED_FROM) {
        bl_find_unknown(inference, "cache_ways", ways_meaning, "%s",
                        knee->hashed_probability > 0.5
                            ? "sets fill unevenly, as if a hash chose them"
                            : "the curve of misses does not tell");
        return BL_OK;
    }
    struct bl_chain chains[6];
    const unsigned ways = knee->ways;
    const uint64_t line = bl_chain_pitch(inference);
    const uint64_t pitch = (uint64_t)(knee->bytes / ways / (double)line + 0.5) * line;
    for (unsigned i = 0; i < 6; i++) {
        chains[i] = (struct bl_chain){.probe = {.address = bl_chain_begin(inference),
                                                .pitch_bytes = pitch,
                                                .places = ways + i > 3 ? ways + i - 2 : 2},
                                      .x = ways + i > 3 ? ways + i - 2 : 2};
        snprintf(chains[i].name, sizeof chains[i].name, "%.0f lines of a set", chains[i].x);
    }
    enum bl_status status = bl_chains_measure(inference, chains, 6, error);
    if (status != BL_OK)
        return status;
    const double middle = (log(inference->latency_ns[0]) + log(inference->latency_ns[1])) / 2;
    bool agree = true;
    for (unsigned i = 0; i < 6; i++)
        agree &= (chains[i].log_ns > middle) == (chains[i].x > ways);
    if (agree) {
        struct bl_finding *finding = bl_find(inference, "cache_ways", ways_meaning, BL_FOUND_NUMBER,
                                             ways, knee->ways_probability);
        bl_find_basis(finding, "sets",
                      "%u lines a set apart stay, %u do not; and the curve of misses", ways,
                      ways + 1);
    } else {
        bl_find_unknown(
            inference, "cache_ways", ways_meaning,
            "lines a set apart do not evict each other as the curve of misses would have "
            "it");
    }
    return bl_chains_keep(inference, chains, 6, "sets", error);
}

/* Lines of the tag bank of the first one, in the order in which they lie. */
static uint32_t *lines_of_bank(const struct bl_inference *inference, uint64_t count)
{
    uint32_t *list = malloc(count * sizeof *list);
    const struct bl_machine *machine = &inference->machine;
    const uint64_t first = bl_chain_begin(inference) / machine->line_bytes;
    const unsigned bank = bl_tag_bank(machine, first);
    uint64_t found = 0;
    for (uint32_t line = 0; list && found < count; line++)
        if (bl_tag_bank(machine, first + line) == bank)
            list[found++] = line;
    return list;
}

/* A random order. */
static void shuffle(struct bl_inference *inference, uint32_t list[], size_t count)
{
    for (size_t i = count; i > 1; i--) {
        const size_t k = bl_infer_random(inference, (uint32_t)i);
        const uint32_t other = list[k];
        list[k] = list[i - 1];
        list[i - 1] = other;
    }
}

static enum bl_status infer_share(struct bl_inference *inference, struct bl_error *error)
{
    const double cache = inference->level_bytes[0], line = inference->machine.line_bytes;
    const unsigned banks = inference->machine.tag_masks[0]
                               ? (unsigned)bl_found(inference->findings, "tag_banks", 1)
                               : 1;
    if (banks < 2 || cache / line > BL_WALKED_PLACES / 2.0) {
        bl_find_unknown(inference, "tag_bank_share", share_meaning, "%s",
                        banks < 2 ? "there is one tag bank, or it is not known"
                                  : "the first cache is too large to be walked round");
        return BL_OK;
    }
    struct bl_chain chains[SHARES];
    uint32_t *lists[SHARES] = {NULL};
    enum bl_status status = BL_OK;
    for (unsigned i = 0; i < SHARES && status == BL_OK; i++) {
        /* From half of what one bank should hold to all of the cache, and a half more. */
        const double bytes = cache / banks / 2 * pow(3.0 * banks, i / (SHARES - 1.0));
        const uint64_t places = (uint64_t)(bytes / line) < 2 ? 2 : (uint64_t)(bytes / line);
        lists[i] = lines_of_bank(inference, places);
        if (!lists[i])
            status = bl_fail(error, BL_NO_MEMORY, "no memory for a chain");
        else
            shuffle(inference, lists[i], places);
        chains[i] = (struct bl_chain){.probe = {.address = bl_chain_begin(inference),
                                                .pitch_bytes = (uint64_t)line,
                                                .places = places,
                                                .list = lists[i]},
                                      .x = (double)places * line};
        snprintf(chains[i].name, sizeof chains[i].name, "%.0f bytes of one tag bank", chains[i].x);
    }
    if (status == BL_OK)
        status = bl_chains_measure(inference, chains, SHARES, error);
    struct bl_knee_point points[SHARES];
    for (unsigned i = 0; i < SHARES && status == BL_OK; i++)
        points[i] = (struct bl_knee_point){true, chains[i].x, chains[i].log_ns};
    struct bl_knee knee;
    const double scale = sqrt(inference->error * inference->error + 0.03 * 0.03);
    if (status == BL_OK && !bl_knee_find(points, SHARES, inference->latency_ns[0],
                                         inference->latency_ns[1], scale, &knee))
        status = bl_fail(error, BL_NO_MEMORY, "no memory for a fit");
    if (status == BL_OK) {
        struct bl_finding *finding = bl_find(inference, "tag_bank_share", share_meaning,
                                             BL_FOUND_AMOUNT, knee.bytes / cache, 0.95);
        finding->lo = knee.lo / inference->first_knee.hi;
        finding->hi = knee.hi / inference->first_knee.lo;
        bl_find_basis(finding, "tag-bank-share", "chains through lines of one tag bank, %d points",
                      SHARES);
        status = bl_chains_keep(inference, chains, SHARES, "tag-bank-share", error);
    }
    for (unsigned i = 0; i < SHARES; i++)
        free(lists[i]);
    return status;
}

/* Probability that latencies step up once, and where: the last span before it. */
static double find_step(const struct bl_chain chains[], size_t count, double scale, size_t *last)
{
    double likelihoods[SPANS + 1], values[SPANS];
    for (size_t step = 1; step < count; step++) {
        double sum = 0;
        double medians[2];
        for (int side = 0; side < 2; side++) {
            const size_t first = side ? step : 0, end = side ? count : step;
            for (size_t i = first; i < end; i++)
                values[i - first] = chains[i].log_ns;
            medians[side] = bl_median(values, end - first);
            for (size_t i = first; i < end; i++)
                sum += bl_log_density(chains[i].log_ns - medians[side], scale);
        }
        const bool is_step = medians[1] > medians[0] + 0.015 && step >= 3 && count - step >= 3;
        likelihoods[step - 1] =
            is_step ? sum - log(8) : -INFINITY; /* one level more to be fitted */
    }
    for (size_t i = 0; i < count; i++)
        values[i] = chains[i].log_ns;
    const double median = bl_median(values, count);
    double flat = 0;
    for (size_t i = 0; i < count; i++)
        flat += bl_log_density(chains[i].log_ns - median, scale);
    likelihoods[count - 1] = flat + log((double)count);
    const size_t best = bl_posterior(likelihoods, count);
    *last = best;
    return best == count - 1 ? 0 : 1 - likelihoods[count - 1];
}

static enum bl_status infer_reach(struct bl_inference *inference, struct bl_error *error)
{
    struct bl_chain chains[SPANS];
    size_t count = 0;
    const uint64_t line = bl_chain_pitch(inference), room = bl_chain_room(inference);
    for (double span = 4 << 20; span < (double)room && count < SPANS; span *= pow(2, 0.25)) {
        /* An odd number of lines, so that places differ in more than their upper bits. */
        const uint64_t pitch = ((uint64_t)(span / PAGE_PLACES / (double)line) | 1) * line;
        if (pitch * PAGE_PLACES > room)
            break;
        chains[count] = (struct bl_chain){.probe = {.address = bl_chain_begin(inference),
                                                    .pitch_bytes = pitch,
                                                    .places = PAGE_PLACES},
                                          .x = (double)(pitch * PAGE_PLACES)};
        snprintf(chains[count].name, sizeof chains[count].name, "%d lines in %.0f MiB", PAGE_PLACES,
                 chains[count].x / (1 << 20));
        count++;
    }
    enum bl_status status = bl_chains_measure(inference, chains, count, error);
    if (status != BL_OK)
        return status;
    size_t last = 0;
    const double step =
        count >= 8 ? find_step(chains, count,
                               sqrt(inference->error * inference->error + 0.006 * 0.006), &last)
                   : 0;
    if (step >= BL_STATED_FROM) {
        struct bl_finding *finding =
            bl_find(inference, "page_reach_bytes", reach_meaning, BL_FOUND_AMOUNT,
                    sqrt(chains[last].x * chains[last + 1].x), 0.95);
        finding->unit = "bytes";
        finding->lo = chains[last].x;
        finding->hi = chains[last + 1].x;
        bl_find_basis(finding, "page-reach", "%d lines over larger and larger spans, %zu points",
                      PAGE_PLACES, count);
    } else {
        bl_find_unknown(inference, "page_reach_bytes", reach_meaning,
                        count < 8
                            ? "the arrays are too small"
                            : "reads over the whole of an array take as long as over 4 MiB of it");
    }
    return bl_chains_keep(inference, chains, count, "page-reach", error);
}

enum bl_status bl_infer_sets(struct bl_inference *inference, struct bl_error *error)
{
    const bool has_caches = inference->levels >= 2;
    if (!has_caches || !inference->has_lines) {
        const char *why =
            has_caches ? "the size of a line is not known" : "the levels of memory are not known";
        bl_find_unknown(inference, "cache_ways", ways_meaning, "%s", why);
        bl_find_unknown(inference, "tag_bank_share", share_meaning, "%s", why);
        bl_find_unknown(inference, "page_reach_bytes", reach_meaning, "%s", why);
        return BL_OK;
    }
    enum bl_status status = infer_ways(inference, error);
    if (status == BL_OK)
        status = infer_share(inference, error);
    if (status == BL_OK && !inference->settings->quick)
        status = infer_reach(inference, error);
    return bl_infer_goes_on(status) ? BL_OK : status;
}
