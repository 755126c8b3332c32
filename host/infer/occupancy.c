/* Compute units, and the local memory of each: from how many groups are resident at once.
 *
 * Groups whose work is one wait after another take no longer together than alone, until one has to
 * wait for another's end. How many that are is the same number for every compute unit; and it falls
 * as groups take more local memory, at sizes that tell how much there is.
 */
#include <math.h>
#include <stdio.h>

#include "infer/inference.h"
#include "measure/stats.h"

enum { SIZES = 20, MOST_GROUPS = 1 << 17, SMALLEST = 16 };

struct resident {
    unsigned local_bytes, groups;
};

/* What a group takes of local memory besides what it asks for. */
static const unsigned reserved_sizes[] = {0, 128, 256, 512, 1024, 2048};

static enum bl_status time_of(struct bl_inference *inference, unsigned groups, unsigned local_bytes,
                              double *times, struct bl_error *error)
{
    const struct bl_target *target = inference->target;
    const struct bl_resident_probe probe = {.groups = groups, .local_bytes = local_bytes};
    enum { SAMPLES = 7 }; /* one wrong answer sends the search astray */
    double samples[SAMPLES];
    enum bl_status status = BL_OK;
    for (unsigned i = 0; i < SAMPLES && status == BL_OK; i++)
        status = target->resident(target->context, &probe, &samples[i], error);
    if (status == BL_OK)
        *times = bl_median(samples, SAMPLES);
    return status;
}

/* The most groups that take no longer than one. */
static enum bl_status count_groups(struct bl_inference *inference, struct resident *resident,
                                   struct bl_error *error)
{
    static const double longer = 1.45; /* between once and twice */
    unsigned fits = 1, too_many = 2;
    double times = 1;
    enum bl_status status = BL_OK;
    while (too_many < MOST_GROUPS && status == BL_OK) {
        status = time_of(inference, too_many, resident->local_bytes, &times, error);
        if (times > longer)
            break;
        fits = too_many;
        too_many *= 2;
    }
    while (status == BL_OK && too_many - fits > 1) {
        const unsigned middle = fits + (too_many - fits) / 2;
        status = time_of(inference, middle, resident->local_bytes, &times, error);
        if (times > longer)
            too_many = middle;
        else
            fits = middle;
    }
    resident->groups = fits;
    return status;
}

struct share {
    unsigned units, most; /* compute units, and groups that one holds whatever they ask for */
    double lo, hi;        /* bytes of local memory */
};

/* Whether so many compute units explain all numbers, with some reserved size; widens *share by
 * each that does. */
static bool explains(const struct resident residents[], unsigned count, unsigned units,
                     struct share *share)
{
    unsigned most = 0;
    for (unsigned i = 0; i < count; i++) {
        const unsigned each = (residents[i].groups + units / 2) / units;
        const double off = fabs((double)residents[i].groups - (double)each * units);
        if (each == 0 || off > 1 + 0.002 * residents[i].groups)
            return false;
        most = each > most ? each : most;
    }
    bool any = false;
    for (unsigned r = 0; r < sizeof reserved_sizes / sizeof reserved_sizes[0]; r++) {
        double lo = 0, hi = INFINITY;
        for (unsigned i = 0; i < count; i++) {
            const unsigned each = (residents[i].groups + units / 2) / units;
            const double bytes = residents[i].local_bytes + reserved_sizes[r];
            lo = fmax(lo, each * bytes);
            hi = each < most ? fmin(hi, (each + 1) * bytes) : hi;
        }
        if (lo >= hi || isinf(hi))
            continue;
        share->lo = any ? fmin(share->lo, lo) : lo;
        share->hi = any ? fmax(share->hi, hi) : hi;
        any = true;
    }
    share->units = units;
    share->most = most;
    return any;
}

static const char *const keys[] = {"compute_units", "local_bytes_per_unit", "groups_per_unit"};

/* Of several numbers of compute units that explain all, one is half of another with twice as many
 * groups on each: the larger is meant, for the other would need even numbers everywhere. */
static void conclude(struct bl_inference *inference, const struct resident residents[],
                     unsigned count)
{
    unsigned least = MOST_GROUPS;
    for (unsigned i = 0; i < count; i++)
        least = residents[i].groups < least ? residents[i].groups : least;
    struct share share = {0};
    unsigned units = least;
    while (units > 0 && !explains(residents, count, units, &share))
        units--;
    if (units == 0 || (units == 1 && least > 8)) {
        bl_find_none(inference, keys, 3,
                     "the numbers of groups that run at once have no number of compute units in "
                     "common");
        return;
    }
    /* Each size is one more that a wrong number would have to meet by chance. */
    bl_find_basis(bl_find(inference, "compute_units", units, count >= 6 ? 0.999 : 0.95),
                  "residents", "groups that run at once, %u sizes of local memory", count);
    bl_find_basis(bl_find_amount(inference, "local_bytes_per_unit", (share.lo + share.hi) / 2,
                                 share.lo, share.hi),
                  "residents", "sizes at which one group less runs, %u points", count);
    bl_find_basis(bl_find(inference, "groups_per_unit", share.most, 0.99), "residents",
                  "groups of one work-item with next to no local memory");
}

enum bl_status bl_infer_occupancy(struct bl_inference *inference, struct bl_error *error)
{
    struct resident residents[SIZES];
    const double limit = (double)inference->target->limits.local_bytes;
    unsigned count = 0;
    enum bl_status status = BL_OK;
    for (unsigned i = 0; i < SIZES && status == BL_OK; i++) {
        /* From all that a group may have down to a sixteenth of it, and next to nothing. */
        const double share = 0.96 * pow(16, -(double)i / (SIZES - 2.0));
        struct resident *resident = &residents[count];
        resident->local_bytes = i + 1 < SIZES ? (unsigned)(limit * share) & ~127u : SMALLEST;
        status = count_groups(inference, resident, error);
        if (bl_infer_goes_on(status)) {
            status = BL_OK; /* some drivers keep some of it for themselves */
            continue;
        }
        struct bl_evidence evidence = {
            .sweep = "residents",
            .x = resident->local_bytes,
            .measured = resident->groups,
            .expected = NAN,
            .error = NAN,
            .unit = "groups",
        };
        snprintf(evidence.point, sizeof evidence.point, "%u bytes", resident->local_bytes);
        if (status == BL_OK)
            status = bl_keep_point(inference, &evidence, error);
        count++;
    }
    if (status != BL_OK)
        return status;
    if (count < 4) {
        bl_find_none(inference, keys, 3, "the probes could not be measured");
    } else {
        *error = (struct bl_error){0}; /* of a size that did not run */
        conclude(inference, residents, count);
    }
    return BL_OK;
}
