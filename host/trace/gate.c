/* Matches the kernels and accesses of two versions, and classifies the changes. Accesses are
 * identified by names, counts, costs and order, because moved code has different lines and columns.
 */
#include "trace/gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relative differences below this are rounding errors: clocks are integers that were scaled by
 * numbers of groups. */
static const double rounding = 1e-9;

/* Kernels with different names are paired only if their similarity exceeds this value; 1 means
 * equal. */
static const double alike_enough = 0.5;

const char *bl_gate_change_name(enum bl_gate_change change)
{
    static const char *const names[] = {"same", "dearer", "cheaper", "new", "missing", "no-rule"};
    return names[change];
}

/* Pairs of kernels, or of accesses: one from the old version and one from the new. */
struct pairs {
    size_t *of_before, *of_after; /* 1 + index in the other version; 0 if unpaired */
    size_t before, after;         /* number of kernels or accesses in each version */
};

static bool pairs_begin(struct pairs *pairs, size_t before, size_t after)
{
    *pairs = (struct pairs){calloc(before + 1, sizeof(size_t)), calloc(after + 1, sizeof(size_t)),
                            before, after};
    return pairs->of_before && pairs->of_after;
}

static void pairs_free(struct pairs *pairs)
{
    free(pairs->of_before);
    free(pairs->of_after);
}

static void pair(struct pairs *pairs, size_t before, size_t after)
{
    pairs->of_before[before] = 1 + after;
    pairs->of_after[after] = 1 + before;
}

/* Pairing kernels. */

static const struct bl_saved_access *accesses_of(const struct bl_saved_trace *saved,
                                                 const struct bl_saved_kernel *kernel)
{
    return saved->accesses + kernel->first;
}

static bool are_of_one_kind(const struct bl_saved_access *one, const struct bl_saved_access *other)
{
    return one->memory == other->memory && one->operation == other->operation;
}

/* The similarity of two kernels, from 0 to 1. It is 0.9 times the fraction of accesses that have a
 * counterpart with the same memory, operation, and numbers of requests and active lanes, plus 0.1
 * if the kernels have the same numbers of launches and groups, and the same group size. If neither
 * kernel has accesses, the similarity is 1 if these numbers and the group size are the same, else
 * 0. Costs do not matter. */
static double likeness(const struct bl_gate *gate, const struct bl_saved_kernel *before,
                       const struct bl_saved_kernel *after)
{
    const struct bl_saved_access *old = accesses_of(gate->before, before),
                                 *new = accesses_of(gate->after, after);
    bool *used = calloc(after->count + 1, sizeof *used);
    size_t alike = 0;
    for (size_t i = 0; used && i < before->count; i++)
        for (size_t k = 0; k < after->count; k++)
            if (!used[k] && are_of_one_kind(&old[i], &new[k]) &&
                old[i].requests == new[k].requests && old[i].lanes == new[k].lanes) {
                used[k] = true;
                alike++;
                break;
            }
    free(used);
    const bool is_one_launch = before->launches == after->launches &&
                               before->groups == after->groups &&
                               memcmp(before->local, after->local, sizeof before->local) == 0;
    const size_t all = before->count + after->count;
    return all == 0 ? is_one_launch : 0.9 * (double)(2 * alike) / (double)all + 0.1 * is_one_launch;
}

/* Pairs the two most similar kernels that are not paired yet; of equally similar pairs, takes the
 * first. Returns false if no two kernels are similar enough. */
static bool pair_likest(const struct bl_gate *gate, struct pairs *pairs)
{
    double best = alike_enough;
    size_t before = 0, after = 0;
    for (size_t i = 0; i < pairs->before; i++)
        for (size_t k = 0; k < pairs->after && !pairs->of_before[i]; k++) {
            if (pairs->of_after[k] != 0)
                continue;
            const double like = likeness(gate, &gate->before->kernels[i], &gate->after->kernels[k]);
            if (like > best) {
                best = like;
                before = i;
                after = k;
            }
        }
    if (best > alike_enough)
        pair(pairs, before, after);
    return best > alike_enough;
}

static void match_kernels(const struct bl_gate *gate, struct pairs *pairs)
{
    for (int by_label = 1; by_label >= 0; by_label--)
        for (size_t i = 0; i < pairs->before; i++)
            for (size_t k = 0; k < pairs->after && !pairs->of_before[i]; k++) {
                const struct bl_saved_kernel *old = &gate->before->kernels[i],
                                             *new = &gate->after->kernels[k];
                if (!pairs->of_after[k] && strcmp(old->name, new->name) == 0 &&
                    (!by_label || strcmp(old->label, new->label) == 0))
                    pair(pairs, i, k);
            }
    while (pair_likest(gate, pairs))
        ;
}

/* Pairing the accesses of two paired kernels. */

struct sides {
    const struct bl_saved_access *old, *new;
    size_t *old_order, *new_order; /* ranks by line and column */
    const char **renamed;          /* the name of each old access's array in the new version */
    double scale; /* factor for the old kernel's sums, to compare them per launch */
    struct pairs pairs;
};

static bool is_before(const struct bl_saved_access *one, const struct bl_saved_access *other)
{
    return one->line != other->line ? one->line < other->line : one->column < other->column;
}

/* For each access, the number of accesses that precede it. */
static size_t *order_of(const struct bl_saved_access accesses[], size_t count)
{
    size_t *order = calloc(count + 1, sizeof *order);
    for (size_t i = 0; order && i < count; i++)
        for (size_t k = 0; k < count; k++)
            order[i] += is_before(&accesses[k], &accesses[i]);
    return order;
}

static bool has_array(const struct bl_saved_access accesses[], size_t count, const char *array)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(accesses[i].array, array) == 0)
            return true;
    return false;
}

/* Compares the array `old` of the old version with the array `new` of the new version: counts the
 * accesses to `old` for which the kernel has an access to `new` with the same memory, operation and
 * number of requests. */
static size_t like_arrays(const struct sides *sides, const char *old, const char *new)
{
    size_t alike = 0;
    for (size_t i = 0; i < sides->pairs.before; i++) {
        bool is_alike = false;
        for (size_t k = 0; k < sides->pairs.after && strcmp(sides->old[i].array, old) == 0; k++)
            is_alike |= strcmp(sides->new[k].array, new) == 0 &&
                        are_of_one_kind(&sides->old[i], &sides->new[k]) &&
                        sides->old[i].requests == sides->new[k].requests;
        alike += is_alike;
    }
    return alike;
}

static bool is_taken(const struct sides *sides, const char *array)
{
    for (size_t i = 0; i < sides->pairs.before; i++)
        if (sides->renamed[i] && strcmp(sides->renamed[i], array) == 0)
            return true;
    return false;
}

/* Of the arrays that only the new version has, returns the array whose accesses are most similar to
 * those of `array`; NULL if none is similar. Of equally similar arrays, returns the first in the
 * source, because a renamed array stays in its place. */
static const char *renamed_from(const struct sides *sides, const char *array)
{
    const char *best = NULL;
    size_t most = 0, first = 0;
    for (size_t k = 0; k < sides->pairs.after; k++) {
        const char *name = sides->new[k].array;
        if (has_array(sides->old, sides->pairs.before, name) || is_taken(sides, name))
            continue;
        const size_t alike = like_arrays(sides, array, name);
        if (alike > most || (alike == most && best && sides->new_order[k] < first)) {
            best = name;
            most = alike;
            first = sides->new_order[k];
        }
    }
    return best;
}

/* Fills in `renamed`, in the order of the source. */
static void match_arrays(struct sides *sides)
{
    const size_t count = sides->pairs.before;
    for (size_t i = 0; i < count; i++)
        if (has_array(sides->new, sides->pairs.after, sides->old[i].array))
            sides->renamed[i] = sides->old[i].array;
    for (size_t rank = 0; rank < count; rank++)
        for (size_t i = 0; i < count; i++) {
            if (sides->renamed[i] || sides->old_order[i] != rank)
                continue;
            const char *name = renamed_from(sides, sides->old[i].array);
            for (size_t k = 0; k < count && name; k++)
                if (strcmp(sides->old[k].array, sides->old[i].array) == 0)
                    sides->renamed[k] = name;
        }
}

static bool is_near(double one, double other)
{
    return fabs(one - other) <= rounding * fmax(fabs(one), fabs(other));
}

/* The similarity of two accesses with the same memory and operation. Each criterion outweighs all
 * later criteria together. */
static unsigned likeness_of_accesses(const struct sides *sides, size_t before, size_t after)
{
    const struct bl_saved_access *old = &sides->old[before], *new = &sides->new[after];
    const bool is_array = sides->renamed[before] && strcmp(sides->renamed[before], new->array) == 0,
               is_as_often = is_near((double)old->requests * sides->scale, (double)new->requests),
               is_as_dear =
                   isfinite(old->clocks) == isfinite(new->clocks) &&
                   (!isfinite(old->clocks) || is_near(old->clocks * sides->scale, new->clocks)),
               is_as_wide = is_near((double)old->lines * (double)new->requests,
                                    (double)new->lines *(double)old->requests) &&
                            is_near((double)old->lanes * (double)new->requests,
                                    (double)new->lanes *(double)old->requests);
    return 16u * is_array + 8u * (is_as_often && is_as_dear) + 4u * is_as_often + 2u * is_as_wide +
           (strcmp(old->call_sites, new->call_sites) == 0);
}

/* A candidate pair of accesses. */
struct match {
    size_t before, after, apart; /* apart: difference of their ranks in the source */
    unsigned likeness;
};

static int by_likeness(const void *left, const void *right)
{
    const struct match *a = left, *b = right;
    if (a->likeness != b->likeness)
        return a->likeness > b->likeness ? -1 : 1;
    if (a->apart != b->apart)
        return a->apart < b->apart ? -1 : 1;
    if (a->before != b->before)
        return a->before < b->before ? -1 : 1;
    return a->after < b->after ? -1 : a->after > b->after;
}

/* Pairs accesses, the most similar first; of equally similar pairs, the pair with the nearest ranks
 * comes first. Two accesses are paired only if they access the same array or make equally many
 * requests per launch. */
static bool match_accesses(struct sides *sides)
{
    enum { LEAST = 4 };
    const size_t before = sides->pairs.before, after = sides->pairs.after;
    struct match *all = calloc(before * after + 1, sizeof *all);
    size_t count = 0;
    for (size_t i = 0; i < before * after && all; i++) {
        const size_t old = i / after, new = i % after;
        const unsigned like = are_of_one_kind(&sides->old[old], &sides->new[new])
                                  ? likeness_of_accesses(sides, old, new)
                                  : 0;
        const size_t one = sides->old_order[old], other = sides->new_order[new];
        if (like >= LEAST)
            all[count++] = (struct match){old, new, one > other ? one - other : other - one, like};
    }
    if (count)
        qsort(all, count, sizeof *all, by_likeness);
    for (size_t i = 0; i < count; i++)
        if (!sides->pairs.of_before[all[i].before] && !sides->pairs.of_after[all[i].after])
            pair(&sides->pairs, all[i].before, all[i].after);
    const bool is_done = all != NULL;
    free(all);
    return is_done;
}

static bool sides_begin(struct sides *sides, const struct bl_gate *gate,
                        const struct bl_saved_kernel *before, const struct bl_saved_kernel *after)
{
    const bool is_whole = pairs_begin(&sides->pairs, before->count, after->count);
    sides->old = accesses_of(gate->before, before);
    sides->new = accesses_of(gate->after, after);
    sides->old_order = order_of(sides->old, before->count);
    sides->new_order = order_of(sides->new, after->count);
    sides->renamed = calloc(before->count + 1, sizeof *sides->renamed);
    sides->scale = bl_saved_per_launch(before, 1) / bl_saved_per_launch(after, 1);
    return is_whole && sides->old_order && sides->new_order && sides->renamed;
}

static void sides_free(struct sides *sides)
{
    pairs_free(&sides->pairs);
    free(sides->old_order);
    free(sides->new_order);
    free(sides->renamed);
}

/* Verdicts. */

static enum bl_gate_change change_of(double by, double threshold)
{
    return !isfinite(by)     ? BL_GATE_SAME
           : by > threshold  ? BL_GATE_DEARER
           : by < -threshold ? BL_GATE_CHEAPER
                             : BL_GATE_SAME;
}

static double growth(double before, double after)
{
    if (before == after)
        return 0;
    const double by = after / before - 1;
    return isfinite(by) && fabs(by) < rounding ? 0 : by; /* `by` is infinite if `before` is 0 */
}

static double clocks_of(const struct bl_saved_kernel *kernel, const struct bl_saved_access *access)
{
    return access ? bl_saved_per_launch(kernel, access->clocks) : NAN;
}

static struct bl_gate_access judged(const struct bl_gate_kernel *kernel,
                                    const struct bl_saved_access *before,
                                    const struct bl_saved_access *after, double threshold)
{
    struct bl_gate_access access = {
        .before = before,
        .after = after,
        .clocks_before = clocks_of(kernel->before, before),
        .clocks_after = clocks_of(kernel->after, after),
        .by = NAN,
    };
    if (before && after)
        access.by = growth(access.clocks_before, access.clocks_after);
    access.change = !before                ? BL_GATE_NEW
                    : !after               ? BL_GATE_MISSING
                    : !isfinite(access.by) ? BL_GATE_NO_RULE
                                           : change_of(access.by, threshold);
    return access;
}

/* The clocks per launch that the change of an access adds to its kernel. */
static double added(const struct bl_gate_access *access)
{
    return (isfinite(access->clocks_after) ? access->clocks_after : 0) -
           (isfinite(access->clocks_before) ? access->clocks_before : 0);
}

static int by_added(const void *left, const void *right)
{
    const double a = added(left), b = added(right);
    return (b > a) - (b < a);
}

static void add_access(struct bl_gate *gate, struct bl_gate_kernel *kernel,
                       const struct bl_saved_access *before, const struct bl_saved_access *after)
{
    gate->accesses[gate->access_count++] = judged(kernel, before, after, gate->threshold);
    kernel->count++;
}

bool bl_gate_is_one_sided(const struct bl_gate_access *access)
{
    return access->before && access->after &&
           isfinite(access->clocks_before) != isfinite(access->clocks_after);
}

static enum bl_gate_change change_of_kernel(const struct bl_gate *gate,
                                            const struct bl_gate_kernel *kernel, double by)
{
    bool has_dearer = false;
    for (size_t i = 0; i < kernel->count; i++)
        has_dearer |= gate->accesses[kernel->first + i].change == BL_GATE_DEARER;
    return by > gate->threshold || (by > 0 && has_dearer) ? BL_GATE_DEARER
                                                          : change_of(by, gate->threshold);
}

/* Classifies the change of a kernel that both versions have. An access that has a rule in only one
 * version is left out of both versions' sums, so that the sums are comparable. */
static void judge_matched(struct bl_gate *gate, struct bl_gate_kernel *kernel)
{
    double before = 0, after = 0;
    bool is_unknown = false;
    for (size_t i = 0; i < kernel->count; i++) {
        const struct bl_gate_access *access = &gate->accesses[kernel->first + i];
        if (bl_gate_is_one_sided(access)) {
            is_unknown = true;
            kernel->has_lost_rule |= isfinite(access->clocks_before);
            continue;
        }
        before += isfinite(access->clocks_before) ? access->clocks_before : 0;
        after += isfinite(access->clocks_after) ? access->clocks_after : 0;
    }
    is_unknown |= kernel->count > 0 && before <= 0 && after <= 0;
    const double by = growth(before, after);
    kernel->change = change_of_kernel(gate, kernel, by);
    if (is_unknown && kernel->change != BL_GATE_DEARER)
        kernel->change = BL_GATE_NO_RULE;
    else
        kernel->by = by;
    gate->lost_rules += kernel->change == BL_GATE_NO_RULE && kernel->has_lost_rule;
}

static void judge_kernel(struct bl_gate *gate, struct bl_gate_kernel *kernel)
{
    if (kernel->count)
        qsort(gate->accesses + kernel->first, kernel->count, sizeof *gate->accesses, by_added);
    if (kernel->before && kernel->after)
        judge_matched(gate, kernel);
    else
        kernel->change = kernel->before ? BL_GATE_MISSING : BL_GATE_NEW;
    gate->counts[kernel->change]++;
}

static enum bl_status compare_kernels(struct bl_gate *gate, const struct bl_saved_kernel *before,
                                      const struct bl_saved_kernel *after)
{
    struct bl_gate_kernel *kernel = &gate->kernels[gate->kernel_count++];
    *kernel = (struct bl_gate_kernel){
        .before = before,
        .after = after,
        .clocks_before = before ? bl_saved_clocks(gate->before, before) : NAN,
        .clocks_after = after ? bl_saved_clocks(gate->after, after) : NAN,
        .by = NAN,
        .first = gate->access_count,
    };
    struct sides sides = {.old = NULL};
    const struct bl_saved_kernel nothing = {.first = 0};
    bool whole = sides_begin(&sides, gate, before ? before : &nothing, after ? after : &nothing);
    if (whole)
        match_arrays(&sides);
    whole = whole && match_accesses(&sides);
    if (whole) {
        for (size_t k = 0; k < sides.pairs.after; k++) {
            const size_t like = sides.pairs.of_after[k]; /* 1 + index */
            add_access(gate, kernel, like ? &sides.old[like - 1] : NULL, &sides.new[k]);
        }
        for (size_t i = 0; i < sides.pairs.before; i++)
            if (!sides.pairs.of_before[i])
                add_access(gate, kernel, &sides.old[i], NULL);
        judge_kernel(gate, kernel);
    }
    sides_free(&sides);
    return whole ? BL_OK : BL_NO_MEMORY;
}

static bool has_rules(const struct bl_saved_trace *saved)
{
    for (size_t i = 0; i < saved->access_count; i++)
        if (isfinite(saved->accesses[i].clocks))
            return true;
    return false;
}

enum bl_status bl_gate_check_machine(const struct bl_saved_trace *before, const char *name,
                                     uint64_t hash, struct bl_error *error)
{
    if (strcmp(before->machine, name) != 0)
        return bl_fail(error, BL_USAGE,
                       "the saved trace is for machine '%s', but the new trace is for '%s'; "
                       "--machine selects another machine",
                       before->machine, name);
    if (before->machine_hash != hash)
        return bl_fail(error, BL_USAGE,
                       "the saved trace has another description of machine '%s': save it again",
                       before->machine);
    return BL_OK;
}

static enum bl_status check(const struct bl_saved_trace *before, const struct bl_saved_trace *after,
                            struct bl_error *error)
{
    if (bl_gate_check_machine(before, after->machine, after->machine_hash, error) != BL_OK)
        return BL_USAGE;
    if (strcmp(before->settings, after->settings) != 0)
        return bl_fail(error, BL_USAGE,
                       "the saved trace was made with options '%s', but the new trace with '%s'",
                       before->settings, after->settings);
    if (!has_rules(before) && !has_rules(after))
        return bl_fail(error, BL_USAGE,
                       "machine '%s' has no rule for any of these accesses; choose another machine "
                       "with --machine",
                       before->machine);
    return BL_OK;
}

enum bl_status bl_gate_compare(const struct bl_saved_trace *before,
                               const struct bl_saved_trace *after, double threshold,
                               struct bl_gate *gate, struct bl_error *error)
{
    *gate = (struct bl_gate){.before = before, .after = after, .threshold = threshold};
    enum bl_status status = check(before, after, error);
    if (status != BL_OK)
        return status;
    struct pairs pairs;
    gate->kernels = calloc(before->kernel_count + after->kernel_count + 1, sizeof *gate->kernels);
    gate->accesses = calloc(before->access_count + after->access_count + 1, sizeof *gate->accesses);
    if (!pairs_begin(&pairs, before->kernel_count, after->kernel_count) || !gate->kernels ||
        !gate->accesses)
        status = BL_NO_MEMORY;
    if (status == BL_OK)
        match_kernels(gate, &pairs);
    for (size_t k = 0; k < after->kernel_count && status == BL_OK; k++) {
        const size_t like = pairs.of_after[k]; /* 1 + index */
        status =
            compare_kernels(gate, like ? &before->kernels[like - 1] : NULL, &after->kernels[k]);
    }
    for (size_t i = 0; i < before->kernel_count && status == BL_OK; i++)
        if (!pairs.of_before[i])
            status = compare_kernels(gate, &before->kernels[i], NULL);
    pairs_free(&pairs);
    return status == BL_OK ? status
                           : bl_fail(error, status, "out of memory while comparing two traces");
}

void bl_gate_free(struct bl_gate *gate)
{
    free(gate->kernels);
    free(gate->accesses);
    *gate = (struct bl_gate){0};
}

size_t bl_gate_bad(const struct bl_gate *gate)
{
    return gate->counts[BL_GATE_DEARER] + gate->counts[BL_GATE_MISSING] + gate->lost_rules;
}

/* Descriptions of an access. */

const char *bl_gate_why(const struct bl_gate_access *access, char text[BL_GATE_WHY])
{
    const struct bl_saved_access *before = access->before, *after = access->after;
    *text = '\0';
    if (bl_gate_is_one_sided(access)) {
        strcpy(text, isfinite(before->clocks) ? "the machine has no rule for it now"
                                              : "the machine had no rule for it before");
        return text;
    }
    if (!before || !after || before->requests == 0 || after->requests == 0)
        return text;
    const struct {
        const char *name;
        uint64_t before, after;
    } counts[] = {
        {"bank passes", before->bank_passes, after->bank_passes},
        {"tag passes", before->tag_passes, after->tag_passes},
        {"lines", before->lines, after->lines},
        {"sectors", before->sectors, after->sectors},
        {"active lanes", before->lanes, after->lanes},
    };
    double most = rounding;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const double old = (double)counts[i].before / (double)before->requests,
                     new = (double)counts[i].after / (double)after->requests;
        if (old > 0 && new > 0 && fabs(log(new / old)) > most) {
            most = fabs(log(new / old));
            snprintf(text, BL_GATE_WHY, "%s %.4g -> %.4g", counts[i].name, old, new);
        }
    }
    if (!*text && before->requests != after->requests)
        snprintf(text, BL_GATE_WHY, "requests %.4g -> %.4g", (double)before->requests,
                 (double)after->requests);
    return text;
}

const char *bl_gate_place(const struct bl_gate_access *access, char text[BL_GATE_PLACE])
{
    const struct bl_saved_access *shown = access->after ? access->after : access->before;
    char column[16] = "";
    if (shown->column)
        snprintf(column, sizeof column, ":%u", shown->column);
    snprintf(text, BL_GATE_PLACE, "%.180s%s%.200s:%u%s %s %s", shown->array,
             *shown->array ? " " : "", basename(shown->file), shown->line, column,
             bl_memory_name(shown->memory), bl_operation_name(shown->operation));
    return text;
}
