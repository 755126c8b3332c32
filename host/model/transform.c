/* The transforms, their order, and the choice of the best of them (transform.h). */
#include "model/transform.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/accesses.h"

enum { MAX_VECTOR_BYTES = 16 };

/* A fix is suggested if it meets three conditions. The accesses to the array become at least
 * MIN_GAIN times as fast as now. The accesses to the array, or all accesses, become at least
 * MIN_FURTHER times as fast as with the best smaller change (as now if there is none). All accesses
 * become at least MIN_GAIN_OF_ALL times as fast as with that change. */
static const double MIN_GAIN = 1.05, MIN_FURTHER = 1.03, MIN_GAIN_OF_ALL = 1.005;

static int compare(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

/* The input and output of a transform. A transform writes its advice to `words`, and the changed
 * accesses, sorted by step and item, to `out`. It returns the number of accesses in `out`, or 0 if
 * the transform is not applicable. */
struct work {
    const struct bl_accesses *in; /* all accesses if transform.is_whole, else those to the array */
    const struct bl_array_layouts *layouts;
    struct bl_access *out; /* as many elements as in->all */
    uint64_t (*pairs)[2];  /* for sorting; as many elements as in->all */
    unsigned variant;      /* number of the variant of the transform, from 0 */
    char *words;           /* WORDS bytes; unused if struct transform has fixed words */
    bool *are_repeated;    /* bl_fixes.are_repeated; set by keep_in_register */
};

enum { WORDS = sizeof((struct bl_fix *)0)->words };

static bool is_line(const struct bl_accesses *in, size_t i)
{
    return !in->is_line || in->is_line[i];
}

static size_t copy_all(const struct work *work)
{
    memcpy(work->out, work->in->all, work->in->count * sizeof *work->out);
    return work->in->count;
}

/* Shifts all accesses so that the lowest address is at the beginning of a cache line. */
static size_t align(const struct work *work)
{
    const uint64_t bytes = work->in->all->bytes,
                   line_bytes = work->in->line_bytes / bytes * bytes; /* whole elements */
    uint64_t min = UINT64_MAX;
    for (size_t i = 0; i < work->in->count; i++)
        min = work->in->all[i].address < min ? work->in->all[i].address : min;
    const uint64_t offset = line_bytes ? min % line_bytes : 0;
    copy_all(work);
    for (size_t i = 0; i < work->in->count; i++)
        work->out[i].address -= offset;
    snprintf(work->words, WORDS,
             "begin at the start of a cache line, %" PRIu64 " element%s earlier", offset / bytes,
             offset == bytes ? "" : "s");
    return offset > 0 ? work->in->count : 0;
}

/* Gives work-item i the element of the work-item that would have number i if y varied fastest. If
 * `side` is not 0, the steps of a flat group fill a square tile: in each step, every `side`
 * consecutive work-items get `side` contiguous elements. */
static size_t exchange(const struct work *work, size_t side)
{
    const struct bl_accesses *in = work->in;
    const size_t width = in->local[0], height = in->local[1], items = width * height;
    if (width < 2 || height < 2 || in->local[2] > 1)
        return 0;
    copy_all(work);
    struct bl_step step;
    for (size_t at = 0; bl_next_step(in->all, in->count, &at, &step);) {
        const size_t first = (size_t)(step.accesses - in->all);
        if (!is_line(in, first))
            continue;
        for (size_t i = 0; side > 0 && i + width < step.count; i++)
            if (step.accesses[i + width].address != step.accesses[i].address + in->all->bytes)
                return 0;
        if (step.count != items)
            return 0;
        for (size_t own = 0; own < items; own++)
            work->out[first + own].address =
                side > 0 ? step.accesses[own / side].address + own % side * in->all->bytes
                         : step.accesses[own / height + own % height * width].address;
    }
    return in->count;
}

/* Gives neighbours along x the elements of neighbours along y, which are contiguous in memory. A
 * flat group has too few rows for this; it is assumed to fill a square tile in several steps. */
static size_t through_tile(const struct work *work)
{
    enum { MIN_ROWS = 8, SIDE = 32 };
    const size_t width = work->in->local[0], height = work->in->local[1];
    const bool is_flat =
        height > 1 && height < MIN_ROWS && width >= SIDE && work->in->local[2] == 1;
    snprintf(work->words, WORDS,
             "exchange x and y in the index, through a tile %sin local memory, whose own cost is "
             "not counted here",
             is_flat ? "of 32x32 elements " : "");
    return exchange(work, is_flat ? SIDE : 0);
}

/* Whether work-items with the same x access the same element: the expression does not use y. */
static bool has_no_y(const struct bl_accesses *in)
{
    const size_t width = in->local[0];
    struct bl_step step;
    for (size_t at = 0; bl_next_step(in->all, in->count, &at, &step);)
        for (size_t i = width; i < step.count; i++)
            if (step.accesses[i].address != step.accesses[i % width].address)
                return false;
    return true;
}

static size_t swap_ids_of_pattern(const struct work *work)
{
    if (has_no_y(work->in))
        return 0;
    strcpy(work->words, work->in->local[0] == work->in->local[1]
                            ? "in the expression, swap the ids of x and y within the group"
                            : "in the expression, let y vary fastest within the group");
    return exchange(work, 0);
}

bool bl_fix_index(const struct bl_fix *fix, const char *index, char *text, size_t size)
{
    if (fix->layout.kind == BL_ARRAY_UNCHANGED)
        return false;
    bl_array_layout_expression(&fix->layout, index, text, size);
    return *text && strlen(text) + 1 < size;
}

static size_t swap_ids(const struct work *work)
{
    const size_t *local = work->in->local;
    if (local[0] < 2 || local[1] < 2 || local[2] > 1)
        return 0;
    bl_swap_ids(work->out, copy_all(work), local);
    snprintf(
        work->words, WORDS,
        "swap get_global_id(0) and get_global_id(1), and the local ids, throughout the kernel%s",
        local[0] == local[1] ? "" : ", and the sides of its groups");
    return work->in->count;
}

/* Fills the pairs with (address modulo row_bytes, index) of each access of a step, sorted. */
static void sort_step(const struct work *work, const struct bl_step *step, uint64_t row_bytes)
{
    for (size_t i = 0; i < step->count; i++) {
        work->pairs[i][0] = step->accesses[i].address % row_bytes;
        work->pairs[i][1] = i;
    }
    qsort(work->pairs, step->count, sizeof *work->pairs, bl_by_pair);
}

/* Sorts the elements within each step, so that neighbouring work-items of a group access
 * neighbouring elements. */
static size_t sort_starts(const struct work *work)
{
    struct bl_step step;
    copy_all(work);
    for (size_t at = 0; bl_next_step(work->in->all, work->in->count, &at, &step);) {
        struct bl_access *out = work->out + (step.accesses - work->in->all);
        sort_step(work, &step, UINT64_MAX); /* sorts by whole addresses */
        for (size_t i = 0; i < step.count; i++)
            out[i].address = work->pairs[i][0];
    }
    return work->in->count;
}

/* Whether the group's local memory still fits if the array has the layout. The array is assumed to
 * have whole rows already, so only padding makes it larger. */
static bool fits(const struct bl_array_layout *layout, const struct bl_accesses *in)
{
    const uint64_t bytes = layout->element_bytes, now = layout->elements * bytes,
                   all = now > in->group_local_bytes ? now : in->group_local_bytes,
                   more = layout->kind == BL_ARRAY_PADDED
                              ? bl_array_layout_elements(layout) * bytes - now
                              : layout->pad * layout->row * bytes;
    return !layout->is_local || in->group_local_bytes_max == 0 || more == 0 ||
           all + more <= in->group_local_bytes_max;
}

/* Moves the elements of the array. */
static size_t change_layout(const struct work *work, enum bl_array_layout_kind kind)
{
    if (work->variant >= work->layouts->count)
        return 0;
    const struct bl_array_layout *layout = &work->layouts->all[work->variant];
    if (layout->kind != kind || !fits(layout, work->in) || !bl_array_layout_keeps(layout, work->in))
        return 0;
    const size_t count = copy_all(work);
    for (size_t i = 0; i < count; i++)
        work->out[i].address = bl_array_layout_address(layout, work->out[i].address);
    bl_array_layout_words(layout, work->words, WORDS);
    return count;
}

static size_t pad(const struct work *work) { return change_layout(work, BL_ARRAY_PADDED); }
static size_t swizzle(const struct work *work) { return change_layout(work, BL_ARRAY_SWIZZLED); }
static size_t turn(const struct work *work) { return change_layout(work, BL_ARRAY_TURNED); }

/* Transposes the array's own rows without padding. This needs neither more memory nor a longer
 * index expression. */
static size_t transpose(const struct work *work)
{
    const struct bl_array_layout *layout = &work->layouts->all[work->variant];
    return work->variant < work->layouts->count && layout->is_own_row && layout->pad == 0
               ? turn(work)
               : 0;
}

static size_t split(const struct work *work) { return change_layout(work, BL_ARRAY_SPLIT); }

/* Fills the pairs with the address and the index of each access, sorted by address. */
static void sort_by_address(const struct work *work)
{
    for (size_t i = 0; i < work->in->count; i++) {
        work->pairs[i][0] = work->in->all[i].address;
        work->pairs[i][1] = i;
    }
    qsort(work->pairs, work->in->count, sizeof *work->pairs, bl_by_pair);
}

/* Stores the elements in the order in which work-items first use them. */
static size_t gather(const struct work *work)
{
    const uint64_t bytes = work->in->all->bytes;
    const size_t count = copy_all(work);
    uint64_t first = 0, used = 0; /* first: index of the first access to the current element */
    sort_by_address(work);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || work->pairs[i][0] != work->pairs[i - 1][0])
            first = work->pairs[i][1];
        work->out[work->pairs[i][1]].address = first;
    }
    /* The pairs are no longer needed; reuse them for each element's new index. */
    for (size_t i = 0; i < count; i++)
        work->pairs[i][0] = work->out[i].address == i ? used++ : 0;
    for (size_t i = 0; i < count; i++)
        work->out[i].address = work->pairs[work->out[i].address][0] * bytes;
    return count;
}

/* How many elements a work-item may keep in registers at once. The index of more elements probably
 * depends on data, as in a stack, or on a loop that is too long to unroll; such elements cannot be
 * in registers. If accesses were dropped, runs of executions of each instruction are left. As many
 * elements as a run has executions may then stand for any number. */
static size_t max_live(const struct bl_accesses *in)
{
    enum { MAX_LIVE = 4 };
    size_t run = 1; /* at the beginning, which is always left */
    for (size_t i = 0; i < in->count; i++)
        if (in->all[i].occurrence >= run && in->all[i].occurrence < MAX_LIVE)
            run = in->all[i].occurrence + 1;
    return !in->is_sampled ? MAX_LIVE : run > 2 ? run - 1 : 1;
}

/* Keeps in a register each element that only one work-item uses, so that the element is read and
 * written at most once. */
static size_t keep_in_register(const struct work *work)
{
    if (work->in->is_volatile)
        return 0;
    const struct bl_registers registers = bl_registers_find(work->out, copy_all(work), work->pairs);
    *work->are_repeated = registers.are_repeated;
    if (!registers.are_repeated || registers.live > max_live(work->in))
        return 0;
    bl_accesses_sort(work->out, registers.count);
    snprintf(work->words, WORDS, "keep it in a register%s",
             registers.is_written_again ? ", and write it once" : "");
    return registers.count;
}

static int by_item_and_address(const void *left, const void *right)
{
    const struct bl_access *a = left, *b = right;
    const int item = compare(a->item, b->item), phase = compare(a->phase, b->phase);
    return item ? item : phase ? phase : compare(a->address, b->address);
}

enum { WIDTHS = 3 };

/* Moves the accesses of the costliest line to the beginning of work->out and sorts them by
 * work-item and address; the other accesses follow. all_lines: moves the accesses of all lines with
 * the same operation and width. Returns how many were moved; 0 if they cannot be replaced by other
 * accesses. */
static size_t take_line(const struct work *work, bool all_lines)
{
    const struct bl_accesses *in = work->in;
    size_t own = 0, line = 0;
    while (line < in->count && !is_line(in, line))
        line++;
    for (size_t i = 0, others = 0; i < in->count && line < in->count; i++) {
        const struct bl_access *access = &in->all[i], *of_line = &in->all[line];
        const bool is_own =
            all_lines ? access->operation == of_line->operation && access->bytes == of_line->bytes
                      : is_line(in, i);
        work->out[is_own ? own++ : in->count - ++others] = *access;
    }
    if (own == 0 || work->out->operation == BL_OPERATION_ATOMIC ||
        bl_accesses_update_in_phase(in->all, in->count))
        return 0;
    qsort(work->out, own, sizeof *work->out, by_item_and_address);
    return own;
}

/* Puts the other accesses behind the `made` ones that replace the first `own` of take_line. Returns
 * the number of all. */
static size_t replace_line(const struct work *work, size_t own, size_t made)
{
    const size_t others = work->in->count - own;
    memmove(work->out + made, work->out + own, others * sizeof *work->out);
    bl_accesses_sort(work->out, made + others);
    return made + others;
}

static size_t items_of(const struct bl_accesses *in)
{
    return in->local[0] * in->local[1] * in->local[2];
}

/* Merges a work-item's accesses to neighbouring elements into vectors. The first WIDTHS variants
 * merge only accesses by the costliest line; later variants merge the accesses by all lines with
 * the same operation and width. If only one lane of each sub-group makes the accesses, share_lanes
 * helps more. */
static size_t widen(const struct work *work)
{
    const struct bl_accesses *in = work->in;
    const unsigned components = 2u << work->variant % WIDTHS;
    const size_t own = take_line(work, work->variant >= WIDTHS);
    if (own == 0 || own % components || work->out->bytes * components > MAX_VECTOR_BYTES ||
        bl_accesses_are_of_single_lanes(work->out, own, in->lanes, items_of(in)))
        return 0;
    const size_t made = bl_accesses_are_equally_many(work->out, own)
                            ? bl_accesses_join(work->out, own, components)
                            : 0;
    if (made == 0)
        return 0;
    snprintf(work->words, WORDS,
             "let each work-item access %u neighbouring elements at once, as a vector%s",
             components, work->variant < WIDTHS ? "" : ", instead of one by one");
    return replace_line(work, own, made);
}

/* If only one lane of each sub-group walks along an array, lets all lanes make its accesses. */
static size_t share_lanes(const struct work *work)
{
    const struct bl_accesses *in = work->in;
    const size_t own = take_line(work, false), items = items_of(in);
    if (own == 0 || in->is_volatile ||
        !bl_accesses_are_of_single_lanes(work->out, own, in->lanes, items))
        return 0;
    const unsigned lanes = bl_accesses_share_lanes(work->out, own, in->lanes, items);
    if (lanes == 0)
        return 0;
    snprintf(work->words, WORDS,
             "let all %u lanes of the sub-group share these accesses, neighbouring lanes at "
             "neighbouring elements",
             lanes);
    return replace_line(work, own, own);
}

/* Lets the compiler know the alignment of elements that the machine splits: of the vectors of
 * vloadn and vstoren, and of members of structures. Variant 0: in the costliest line; 1: in all
 * lines. */
static size_t align_vectors(const struct work *work)
{
    static const char *const types[] = {
        [1] = "uchar", [2] = "ushort", [4] = "float", [8] = "double"};
    const struct bl_accesses *in = work->in;
    const unsigned bytes = work->variant ? in->all_vector_bytes : in->line_vector_bytes,
                   component = in->component_bytes, count = component ? bytes / component : 0;
    if (in->alignment < component && count > 0)
        snprintf(work->words, WORDS,
                 "use an unpacked structure aligned to %u bytes; now it is accessed %u B at a time",
                 bytes, in->alignment);
    else if (component <= 8 && types[component] && count > 1)
        snprintf(work->words, WORDS,
                 "use a pointer to aligned vectors, such as %s%u, instead of vload%u or vstore%u%s "
                 "(all traced addresses are multiples of %u bytes)",
                 types[component], count, count, count,
                 work->variant ? ", in all lines that access the array" : "", bytes);
    else
        return 0;
    return copy_all(work);
}

enum {
    END,
    ALIGN,
    SWAP_IN_PATTERN,
    SWAP,
    SORT,
    PAD,
    SWIZZLE,
    TRANSPOSE,
    TURN,
    SPLIT,
    GATHER,
    REGISTER,
    VECTORS,
    SHARE,
    WIDEN,
    TILE
};

static const struct transform {
    size_t (*apply)(const struct work *work);
    unsigned variants; /* number of variants, tried in order */
    bool is_layout;    /* each variant is a layout in work.layouts */
    bool is_whole;     /* the transform changes all accesses, not only those to the array */
    const char *words; /* fixed advice; NULL: the transform writes its own */
} all[] = {
    [ALIGN] = {align, 1, false, false, NULL},
    [SWAP_IN_PATTERN] = {swap_ids_of_pattern, 1, false, false, NULL},
    [SWAP] = {swap_ids, 1, false, true, NULL},
    [SORT] = {sort_starts, 1, false, false,
              "let neighbouring work-items access neighbouring elements"},
    [PAD] = {pad, BL_MAX_ARRAY_LAYOUTS, true, false, NULL},
    [SWIZZLE] = {swizzle, BL_MAX_ARRAY_LAYOUTS, true, false, NULL},
    [TRANSPOSE] = {transpose, BL_MAX_ARRAY_LAYOUTS, true, false, NULL},
    [TURN] = {turn, BL_MAX_ARRAY_LAYOUTS, true, false, NULL},
    [SPLIT] = {split, BL_MAX_ARRAY_LAYOUTS, true, false, NULL},
    [GATHER] = {gather, 1, false, false,
                "store side by side the elements that neighbouring work-items access"},
    [REGISTER] = {keep_in_register, 1, false, false, NULL},
    [VECTORS] = {align_vectors, 2, false, false, NULL},
    [SHARE] = {share_lanes, 1, false, false, NULL},
    [WIDEN] = {widen, 2 * WIDTHS, false, false, NULL},
    [TILE] = {through_tile, 1, false, false, NULL},
};

/* The lists of transforms; each begins with the smallest change. SORT and GATHER are only for
 * patterns: in a program, other lines use the same data, and would have to use the new order. */
static const uint8_t orders[][10] = {
    [BL_TRANSFORMS_OF_LOCAL_PATTERN] = {PAD, SWIZZLE, SWAP_IN_PATTERN, SORT, ALIGN, TURN, GATHER,
                                        END},
    [BL_TRANSFORMS_OF_PATTERN] = {ALIGN, SWAP_IN_PATTERN, SORT, PAD, TURN, GATHER, END},
    [BL_TRANSFORMS_OF_LOCAL_ARRAY] = {REGISTER, SHARE, TRANSPOSE, PAD, SWIZZLE, SWAP, WIDEN, TURN,
                                      END},
    [BL_TRANSFORMS_OF_ARRAY] = {REGISTER, VECTORS, SHARE, SWAP, PAD, WIDEN, TILE, TURN, SPLIT, END},
};

/* The transforms to try. If work-items walk along rows of a local array, padding comes before
 * transposing: a padded array's index then takes no more instructions than a transposed one's. */
static const uint8_t *order_of(enum bl_transforms transforms, const struct bl_fixes *fixes)
{
    static const uint8_t along_rows[] = {REGISTER, SHARE, PAD,  TRANSPOSE, SWIZZLE,
                                         SWAP,     WIDEN, TURN, END};
    return transforms == BL_TRANSFORMS_OF_LOCAL_ARRAY && fixes->walk_rows ? along_rows
                                                                          : orders[transforms];
}

/* Whether to count the time to issue instructions when two fixes are compared; it may hide a
 * difference in passes. It is not counted if one of the fixes changes no layout, because such a fix
 * may need fewer accesses, nor if both add the same padding (unless `one` pads the array's own
 * rows), because the two index expressions then take equally many instructions. */
static bool are_issued(const struct bl_array_layout *one, const struct bl_array_layout *other)
{
    const bool are_alike = one->kind == BL_ARRAY_PADDED && other->kind == BL_ARRAY_PADDED &&
                           one->pad == other->pad && !one->is_own_row;
    return one->kind != BL_ARRAY_UNCHANGED && other->kind != BL_ARRAY_UNCHANGED && !are_alike;
}

double bl_fix_issue_clocks(const struct bl_fixes *fixes, const struct bl_fix *fix)
{
    enum { INSTRUCTIONS = 7, OF_SHORT_INDEX = 3 };
    const bool is_short = fix->layout.is_own_row && fix->layout.kind != BL_ARRAY_SWIZZLED &&
                          fixes->walk_rows && !fixes->are_repeated;
    return fixes->issue_clocks * (is_short ? OF_SHORT_INDEX : INSTRUCTIONS);
}

/* The clocks with a layout, raised to the clocks that issuing the instructions of its accesses
 * takes. */
static struct bl_clocks with_instructions(const struct bl_fix *fix, const struct bl_fixes *fixes)
{
    struct bl_clocks clocks = fix->clocks;
    const double least = bl_fix_issue_clocks(fixes, fix);
    if (clocks.own < least) {
        clocks.all += least - clocks.own;
        clocks.own = least;
    }
    return clocks;
}

/* Stores the fix if it meets the three conditions described at MIN_GAIN. */
static void consider(const struct bl_fix *fix, struct bl_fixes *fixes)
{
    const struct bl_fix *before = fixes->count ? &fixes->all[fixes->count - 1] : NULL;
    const bool at_least = before && are_issued(&before->layout, &fix->layout);
    const struct bl_clocks best = at_least ? with_instructions(before, fixes)
                                  : before ? before->clocks
                                           : fixes->now,
                           then = at_least ? with_instructions(fix, fixes) : fix->clocks;
    if (fixes->now.own < then.own * MIN_GAIN || best.all < then.all * MIN_GAIN_OF_ALL ||
        (best.own < then.own * MIN_FURTHER && best.all < then.all * MIN_FURTHER))
        return;
    if (fixes->count == BL_MAX_FIXES)
        fixes->all[0] = fixes->all[1];
    else
        fixes->count++;
    fixes->all[fixes->count - 1] = *fix;
}

static enum bl_status try_one(const struct transform *transform, const struct work *work,
                              bl_clocks_function *clocks_of, void *context, struct bl_fixes *fixes)
{
    const size_t count = transform->apply(work);
    if (count == 0)
        return BL_OK;
    struct bl_fix fix = {.swaps_ids = transform->is_whole,
                         .keeps_in_register = transform->apply == keep_in_register};
    if (transform->is_layout)
        fix.layout = work->layouts->all[work->variant];
    strcpy(fix.words, transform->words ? transform->words : work->words);
    const struct bl_changed_accesses change = {work->out, count, transform->is_whole,
                                               transform->is_layout ? &fix.layout : NULL,
                                               transform->apply != align_vectors ? BL_ALIGNED_NONE
                                               : work->variant ? BL_ALIGNED_OF_ARRAY
                                                               : BL_ALIGNED_OF_LINE};
    const enum bl_status status = clocks_of(context, &change, &fix.clocks);
    fix.gain = fixes->now.own / fix.clocks.own;
    if (status == BL_OK)
        consider(&fix, fixes);
    return status;
}

/* Selects the accesses to the array. Returns false if memory runs out. */
static bool take_own(const struct bl_accesses *in, struct bl_accesses *own,
                     struct bl_access **accesses, bool **lines)
{
    *own = *in;
    *accesses = NULL;
    *lines = NULL;
    if (!in->is_own)
        return true;
    *accesses = calloc(in->count + 1, sizeof **accesses);
    *lines = calloc(in->count + 1, sizeof **lines);
    if (!*accesses || !*lines)
        return false;
    own->count = 0;
    for (size_t i = 0; i < in->count; i++)
        if (in->is_own[i]) {
            (*accesses)[own->count] = in->all[i];
            (*lines)[own->count++] = is_line(in, i);
        }
    own->all = *accesses;
    own->is_line = *lines;
    return true;
}

enum bl_status bl_find_fixes(const struct bl_accesses *accesses, enum bl_transforms transforms,
                             bl_clocks_function *clocks_of, void *context, struct bl_fixes *fixes,
                             struct bl_error *error)
{
    enum bl_status status = BL_OK;
    char words[WORDS];
    struct bl_accesses own;
    struct bl_access *own_accesses;
    bool *own_lines;
    struct bl_array_layouts *layouts = calloc(1, sizeof *layouts);
    struct work work = {
        .layouts = layouts,
        .out = calloc(accesses->count + 1, sizeof *work.out),
        .pairs = calloc(accesses->count + 1, sizeof *work.pairs),
        .words = words,
        .are_repeated = &fixes->are_repeated,
    };
    fixes->count = 0;
    fixes->are_repeated = false;
    if (!take_own(accesses, &own, &own_accesses, &own_lines) || !layouts || !work.out ||
        !work.pairs) {
        status = bl_fail(error, BL_NO_MEMORY, "out of memory while searching for suggestions");
        goto out;
    }
    bl_array_layouts_find(&own, layouts);
    fixes->walk_rows = bl_accesses_walk_rows(own.all, own.count);
    fixes->is_scattered = layouts->is_scattered;
    fixes->is_gathered = layouts->is_gathered;
    for (const uint8_t *next = order_of(transforms, fixes); *next && own.count; next++) {
        const struct transform *transform = &all[*next];
        work.in = transform->is_whole ? accesses : &own;
        for (work.variant = 0; work.variant < transform->variants && status == BL_OK;
             work.variant++)
            status = try_one(transform, &work, clocks_of, context, fixes);
    }
out:
    free(layouts);
    free(own_accesses);
    free(own_lines);
    free(work.out);
    free(work.pairs);
    return status;
}
