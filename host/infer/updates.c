/* Writes and atomic additions to local memory: explanations of a few sweeps. */
#include <math.h>
#include <stdlib.h>

#include "infer/inference.h"
#include "infer/posterior.h"

enum { STEP = 512, RULES = 3 };

/* What an access of one bank's words costs. */
enum rule {
    BY_WORD,   /* one clock for each different word */
    BY_LANE,   /* one for each lane */
    NO_MATTER, /* banks make no difference */
};

static double clocks_of(const struct bl_inference *inference, enum rule rule,
                        const struct bl_lanes_probe *probe)
{
    struct bl_machine machine = inference->machine;
    machine.has_rule = true;
    machine.widest_bytes = machine.widest_components = 4;
    machine.atomics_by_lane = true;
    struct bl_lanes_probe asked = *probe;
    asked.access = rule == BY_LANE ? BL_PROBE_ADD : BL_PROBE_READ;
    return rule == NO_MATTER ? (double)BL_TABLE_ITEMS / machine.lanes
                             : bl_probe_clocks(&machine, &asked);
}

/* Strides, and words that lanes share: of one bank and of several. */
static bool add_sweep(struct bl_batch *batch, enum bl_probe_access access)
{
    static const unsigned strides[] = {1, 2, 3, 4, 8, 16, 32};
    for (size_t s = 0; s < sizeof strides / sizeof strides[0]; s++) {
        struct bl_lanes_probe *probe =
            bl_batch_add(batch, BL_MEMORY_LOCAL, access, &bl_type_int, STEP);
        if (!probe)
            return false;
        bl_batch_name(batch, strides[s], "stride %u", strides[s]);
        for (unsigned i = 0; i < BL_TABLE_ITEMS; i++)
            probe->places[0][i] = i * strides[s] * 4 % BL_TILE_BYTES;
    }
    for (unsigned sharing = 2; sharing <= BL_TABLE_ITEMS; sharing *= 2) {
        struct bl_lanes_probe *probe =
            bl_batch_add(batch, BL_MEMORY_LOCAL, access, &bl_type_int, STEP);
        if (!probe)
            return false;
        bl_batch_name(batch, sharing, "%u share a word", sharing);
        for (unsigned i = 0; i < BL_TABLE_ITEMS; i++)
            probe->places[0][i] = i / sharing * 4;
    }
    return true;
}

static enum bl_status infer(struct bl_inference *inference, enum bl_probe_access access,
                            const char *sweep, double probabilities[RULES + 1],
                            struct bl_error *error)
{
    struct bl_batch batch = {0};
    enum bl_status status = add_sweep(&batch, access)
                                ? bl_batch_measure(inference, &batch, error)
                                : bl_fail(error, BL_NO_MEMORY, "no memory for probes");
    double clocks[RULES][32], best_unit = 0;
    size_t best = 0;
    for (unsigned rule = 0; rule < RULES && status == BL_OK; rule++) {
        for (size_t i = 0; i < batch.count; i++)
            clocks[rule][i] = clocks_of(inference, rule, &batch.probes[i]);
        const struct bl_fit fit =
            bl_fit_costs(batch.log_ns, clocks[rule], batch.count, 2 * bl_scale_of(inference),
                         inference->floor * BL_TABLE_ITEMS / inference->machine.lanes);
        probabilities[rule] = fit.log_likelihood;
        if (rule == 0 || fit.log_likelihood > probabilities[best]) {
            best = rule;
            best_unit = fit.log_unit;
        }
    }
    if (status == BL_OK) {
        probabilities[RULES] = bl_fit_nothing(batch.log_ns, batch.count);
        best = bl_posterior(probabilities, RULES + 1);
        status = bl_batch_keep(inference, &batch, sweep, best_unit,
                               best < RULES ? clocks[best] : NULL, error);
    }
    bl_batch_free(&batch);
    return status;
}

enum bl_status bl_infer_updates(struct bl_inference *inference, struct bl_error *error)
{
    static const char *const meanings[] = {
        "writes to different words of a bank wait for each other",
        "lanes that write the same word do it together",
        "a bank takes atomic additions lane by lane"};
    static const char *const keys[] = {"same_bank_writes_wait", "same_word_writes_merge",
                                       "atomics_by_lane"};
    double writes[RULES + 1] = {0}, adds[RULES + 1] = {0};
    enum bl_status written = BL_OPENCL_FAILED, added = BL_OPENCL_FAILED;
    if (inference->has_local_rule) {
        written = infer(inference, BL_PROBE_WRITE, "local-writes", writes, error);
        if (written != BL_OK && !bl_infer_goes_on(written))
            return written;
        added = infer(inference, BL_PROBE_ADD, "local-additions", adds, error);
        if (added != BL_OK && !bl_infer_goes_on(added))
            return added;
    }
    const char *why =
        inference->has_local_rule ? "no explanation fits" : bl_infer_why_no_local_rule(inference);
    const bool write_known = written == BL_OK && writes[RULES] < 0.5,
               add_known = added == BL_OK && adds[RULES] < 0.5;
    const double wait = writes[BY_WORD] + writes[BY_LANE], merge = writes[BY_WORD];
    const double yes[] = {wait, merge, adds[BY_LANE]};
    for (unsigned i = 0; i < 3; i++) {
        const bool known = i < 2 ? write_known : add_known;
        if (!known) {
            bl_find_unknown(inference, keys[i], meanings[i], "%s", why);
            continue;
        }
        const double no = i < 2 ? 1 - writes[RULES] - yes[i] : 1 - adds[RULES] - yes[i];
        struct bl_finding *finding = bl_find(inference, keys[i], meanings[i], BL_FOUND_FLAG,
                                             yes[i] > no, yes[i] > no ? yes[i] : no);
        bl_find_basis(finding, i < 2 ? "local-writes" : "local-additions",
                      "strides and shared words, 14 points");
    }
    inference->machine.atomics_by_lane = add_known && adds[BY_LANE] > BL_STATED_FROM;
    return BL_OK;
}
