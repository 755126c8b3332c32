#include "report/compare.h"

#include <math.h>
#include <stdlib.h>

/* The rate has no interval of its own; the ratio's is at least as wide, for it has the noise of the
 * baseline too. */
static struct bl_interval rate_interval(const struct bl_row *row)
{
    const struct bl_interval ratio = bl_row_ratio(row);
    const double rate = bl_row_rate(row);
    return (struct bl_interval){rate, rate * ratio.lo / ratio.median,
                                rate * ratio.hi / ratio.median, ratio.is_95};
}

static bool is_worse(enum bl_change one, enum bl_change other)
{
    static const int rank[] = {[BL_CHANGE_SAME] = 0,
                               [BL_CHANGE_FASTER] = 1,
                               [BL_CHANGE_UNCLEAR] = 2,
                               [BL_CHANGE_SLOWER] = 3};
    return rank[one] > rank[other];
}

static void judge(const struct bl_comparing *comparing, struct bl_compared *compared)
{
    const struct bl_row *before = compared->before, *after = compared->after;
    const struct bl_interval old = bl_row_ratio(before), new = bl_row_ratio(after);
    compared->change = bl_change_of(&old, &new, comparing->threshold);
    compared->by = after->measured / before->measured - 1;
    const struct bl_interval old_rate = rate_interval(before), new_rate = rate_interval(after);
    if (!comparing->absolute || !isfinite(old_rate.median) || !isfinite(new_rate.median))
        return;
    const enum bl_change change = bl_change_of(&old_rate, &new_rate, comparing->threshold);
    if (is_worse(change, compared->change)) {
        compared->change = change;
        compared->by = new_rate.median / old_rate.median - 1;
        compared->is_absolute = true;
    }
}

static struct bl_compared compare_rows(const struct bl_row *before, const struct bl_row *after,
                                       const struct bl_comparing *comparing)
{
    struct bl_compared compared = {
        .key = before ? &before->key : &after->key, .before = before, .after = after, .by = NAN};
    const bool had = before && bl_row_has_number(before), has = after && bl_row_has_number(after);
    if (!after)
        compared.change = BL_CHANGE_MISSING;
    else if (!before || (!had && has))
        compared.change = BL_CHANGE_NEW;
    else if (had && !has)
        compared.change = BL_CHANGE_BROKEN;
    if (had && has)
        judge(comparing, &compared);
    return compared;
}

enum bl_status bl_compare(struct bl_comparison *comparison, struct bl_error *error)
{
    const struct bl_run_rows *before = comparison->before, *after = comparison->after;
    comparison->count = 0;
    for (unsigned change = 0; change < BL_CHANGE_COUNT; change++)
        comparison->counts[change] = 0;
    comparison->rows = malloc((before->count + after->count + 1) * sizeof *comparison->rows);
    if (!comparison->rows)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the comparison");
    size_t b = 0, a = 0;
    while (b < before->count || a < after->count) {
        const int order = b == before->count ? 1
                          : a == after->count
                              ? -1
                              : bl_row_key_compare(&before->rows[b].key, &after->rows[a].key);
        const struct bl_row *old = order <= 0 ? &before->rows[b++] : NULL;
        const struct bl_row *new = order >= 0 ? &after->rows[a++] : NULL;
        const struct bl_compared row = compare_rows(old, new, &comparison->comparing);
        comparison->rows[comparison->count++] = row;
        comparison->counts[row.change]++;
    }
    return BL_OK;
}

void bl_comparison_free(struct bl_comparison *comparison)
{
    free(comparison->rows);
    comparison->rows = NULL;
    comparison->count = 0;
}

size_t bl_comparison_bad(const struct bl_comparison *comparison)
{
    size_t bad = 0;
    for (unsigned change = 0; change < BL_CHANGE_COUNT; change++)
        if (bl_change_is_bad((enum bl_change)change))
            bad += comparison->counts[change];
    return bad;
}
