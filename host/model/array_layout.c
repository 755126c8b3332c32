/* Finds layouts of an array that may make recorded accesses to it cheaper.
 *
 * A trace records addresses, but not the lengths of an array's rows. In a matrix, neighbouring
 * accesses are often one row apart, so a frequent distance between accesses is assumed to be the
 * length of a row. A wrong guess wastes time but does not lead to wrong advice, because every
 * layout is judged by its cost. */
#include "model/array_layout.h"

#include <inttypes.h>
#include <stdio.h>

#include "model/launch.h"

/* The rows of a global array are assumed to be records if they have at most MAX_RECORD_BYTES. But
 * if a row has as many elements as the launch has work-items along x, it is assumed to be the row
 * of a matrix. */
enum { MAX_RECORD_BYTES = 256, MAX_DISTANCES = 64, MAX_ROW_LENGTHS = 8 };

/* The number of rows of a global array is unknown. The number up to the last accessed row is
 * rounded up to a multiple of ROWS_MULTIPLE, on the assumption that a column of the transposed
 * array fills whole cache lines. */
enum { ROWS_MULTIPLE = 32 };

/* A distance is assumed to be the length of a row if at least the fraction MIN_SHARE of the pairs
 * of accesses have this distance. If the three most frequent distances cover less than the fraction
 * MIN_REGULAR of the pairs, the array is assumed to be accessed at random. */
static const double MIN_SHARE = 1.0 / 16, MIN_REGULAR = 0.5;

/* Distances between accesses, in elements, and how often they occur. */
struct distances {
    struct distance {
        uint64_t elements;
        size_t count, along_x; /* count: pairs of accesses with this distance; along_x: those made
                                  by neighbouring work-items along x */
    } all[MAX_DISTANCES];
    size_t count, total;
};

static uint64_t offset_of(const struct bl_access *access)
{
    return access->address & BL_OFFSET_MASK;
}

static void note_distance(struct distances *distances, const struct bl_access *a,
                          const struct bl_access *b, unsigned element_bytes, bool is_along_x)
{
    const uint64_t elements =
        (a->address < b->address ? b->address - a->address : a->address - b->address) /
        element_bytes;
    if (elements == 0)
        return;
    distances->total++;
    size_t i = 0;
    while (i < distances->count && distances->all[i].elements != elements)
        i++;
    if (i == MAX_DISTANCES)
        return;
    if (i == distances->count)
        distances->all[distances->count++] = (struct distance){.elements = elements};
    distances->all[i].count++;
    distances->all[i].along_x += is_along_x;
}

/* Counts the distances between accesses by neighbouring work-items along x and y, and between the
 * accesses of a step's first work-item in consecutive executions of an instruction. */
static void note_step(struct distances *distances, const struct bl_step *step,
                      const struct bl_step *before, const size_t local[3], unsigned element_bytes)
{
    const size_t width = local[1] > 1 ? local[0] : 0;
    const struct bl_access *all = step->accesses;
    for (size_t i = 0; i + 1 < step->count; i++) {
        if (all[i + 1].item == all[i].item + 1 && (!width || all[i + 1].item % width != 0))
            note_distance(distances, &all[i], &all[i + 1], element_bytes, true);
        if (width && i + width < step->count && all[i + width].item == all[i].item + width)
            note_distance(distances, &all[i], &all[i + width], element_bytes, false);
    }
    if (before->count && before->accesses->instruction == all->instruction &&
        before->accesses->item == all->item)
        note_distance(distances, before->accesses, all, element_bytes, false);
}

/* Collects the distances between accesses. lines_only: only the costliest source line's accesses
 * count. */
static struct distances distances_of(const struct bl_accesses *accesses, unsigned element_bytes,
                                     bool lines_only)
{
    struct distances distances = {.count = 0};
    struct bl_step step, before = {NULL, 0};
    for (size_t at = 0; bl_next_step(accesses->all, accesses->count, &at, &step);) {
        if (lines_only && accesses->is_line && !accesses->is_line[step.accesses - accesses->all])
            continue;
        note_step(&distances, &step, &before, accesses->local, element_bytes);
        before = step;
    }
    /* Sorts by frequency; equally frequent distances stay in the order in which they were found. */
    for (size_t i = 1; i < distances.count; i++)
        for (size_t j = i; j > 0 && distances.all[j].count > distances.all[j - 1].count; j--) {
            const struct distance rarer = distances.all[j - 1];
            distances.all[j - 1] = distances.all[j];
            distances.all[j] = rarer;
        }
    return distances;
}

/* Properties of the array that follow from its accesses. */
struct array_shape {
    unsigned element_bytes, min_bytes, max_bytes;
    uint64_t last; /* index of the last element that is accessed */
    uint64_t row;  /* elements of a row, as declared; 0 if unknown */
    bool is_local;
};

static struct array_shape shape_of(const struct bl_accesses *accesses)
{
    struct array_shape shape = {.min_bytes = accesses->all->bytes, .is_local = accesses->is_local};
    uint64_t unit = 0, end = 0;
    for (size_t i = 0; i < accesses->count; i++) {
        const struct bl_access *access = &accesses->all[i];
        unit = bl_common_divisor(unit, bl_common_divisor(access->bytes, offset_of(access)));
        shape.min_bytes = access->bytes < shape.min_bytes ? access->bytes : shape.min_bytes;
        shape.max_bytes = access->bytes > shape.max_bytes ? access->bytes : shape.max_bytes;
        end = offset_of(access) + access->bytes > end ? offset_of(access) + access->bytes : end;
    }
    shape.element_bytes = unit > 0 && unit < UINT32_MAX ? (unsigned)unit : 1;
    shape.last = end / shape.element_bytes - 1;
    shape.row =
        accesses->row_bytes % shape.element_bytes ? 0 : accesses->row_bytes / shape.element_bytes;
    return shape;
}

static void add(struct bl_array_layouts *layouts, const struct bl_array_layout *layout)
{
    if (layouts->count < BL_MAX_ARRAY_LAYOUTS)
        layouts->all[layouts->count++] = *layout;
}

static bool is_power_of_2(uint64_t number) { return number && (number & (number - 1)) == 0; }

/* Adds layouts with padded rows. is_shifted: rows have 2^k elements, and the program itself
 * computes the index y * 2^k + x. Then y * (2^k + 1) + x takes more instructions than y * (2^k + 3)
 * + x, because compilers use a shift and additions for the factor 2^k + 1, but a single
 * multiply-add for 2^k + 3. So a padding of 3 is tried first. */
static void add_padded(struct bl_array_layouts *layouts, struct bl_array_layout layout,
                       unsigned line_elements, bool is_shifted)
{
    enum { MAX_PAD = 32, MAX_ODD_PAD = 8, VECTOR_BYTES = 16 };
    layout.kind = BL_ARRAY_PADDED;
    /* A row this short is assumed to contain neighbouring elements that one work-item accesses. A
     * compiler merges such accesses into one; padding would prevent this, unless, in global memory,
     * it aligns them. */
    const bool may_align = !layout.is_local && !is_power_of_2(layout.row);
    if (!may_align && layout.row * layout.element_bytes < VECTOR_BYTES)
        return;
    layout.pad = 3;
    if (is_shifted)
        add(layouts, &layout);
    for (layout.pad = 1; layout.pad <= MAX_PAD && layout.pad < layout.row;
         layout.pad += layout.pad < MAX_ODD_PAD ? 1 : layout.pad)
        add(layouts, &layout);
    /* Pads rows so that each begins at the start of a cache line. */
    layout.pad = line_elements ? (line_elements - layout.row % line_elements) % line_elements : 0;
    if (!layout.is_local && layout.pad > 0 && layout.pad < layout.row && layout.pad > MAX_ODD_PAD &&
        !is_power_of_2(layout.pad))
        add(layouts, &layout);
}

static void add_swizzled(struct bl_array_layouts *layouts, struct bl_array_layout layout,
                         unsigned unit)
{
    layout.kind = BL_ARRAY_SWIZZLED;
    layout.unit = unit;
    if (!is_power_of_2(layout.row) || !is_power_of_2(unit) || layout.row < 2 * unit)
        return;
    for (layout.rows_each = 1; layout.rows_each <= 4; layout.rows_each *= 2)
        add(layouts, &layout);
}

static void add_turned(struct bl_array_layouts *layouts, struct bl_array_layout layout,
                       unsigned unit)
{
    layout.kind = BL_ARRAY_TURNED;
    layout.unit = unit;
    if (layout.row % unit || layout.rows < 2)
        return;
    const uint64_t max_pad = layout.is_local ? 2 : 0;
    for (layout.pad = 0; layout.pad <= max_pad; layout.pad++)
        add(layouts, &layout);
}

/* For records of `row` elements (at most 64), returns one bit for each column, set if a member
 * begins there. The columns of one access belong to the same member. Returns 0 if an access extends
 * from one record into the next. */
static uint64_t begins_of_members(const struct bl_accesses *accesses, unsigned element_bytes,
                                  uint64_t row)
{
    uint64_t begins = row < 64 ? ((uint64_t)1 << row) - 1 : UINT64_MAX;
    for (size_t i = 0; i < accesses->count; i++) {
        const uint64_t x = offset_of(&accesses->all[i]) / element_bytes % row,
                       count = accesses->all[i].bytes / element_bytes;
        if (x + count > row)
            return 0;
        for (uint64_t k = 1; k < count; k++)
            begins &= ~((uint64_t)1 << (x + k));
    }
    return begins;
}

/* Adds the layout that splits records into one array per member. Called only if members differ in
 * size; otherwise add_turned adds the same layout. */
static void add_split(struct bl_array_layouts *layouts, struct bl_array_layout layout,
                      const struct bl_accesses *accesses)
{
    if (!layout.has_records || layout.row > 64 || layout.rows < 2)
        return;
    layout.kind = BL_ARRAY_SPLIT;
    layout.begins = begins_of_members(accesses, layout.element_bytes, layout.row);
    if (layout.begins > 1)
        add(layouts, &layout);
}

/* Lengths of rows. */
struct rows {
    uint64_t all[MAX_ROW_LENGTHS];
    size_t count;
};

static void add_row(struct rows *rows, uint64_t row)
{
    for (size_t i = 0; i < rows->count; i++)
        if (rows->all[i] == row)
            return;
    if (rows->count < MAX_ROW_LENGTHS)
        rows->all[rows->count++] = row;
}

/* Whether the array may consist of rows of this length: the last accessed element is in one of the
 * last two columns. */
static bool fits(const struct array_shape *shape, uint64_t row)
{
    return shape->last % row + 2 >= row;
}

static bool is_distance(const struct distances *distances, uint64_t elements)
{
    for (size_t i = 0; i < distances->count; i++)
        if (distances->all[i].elements == elements)
            return true;
    return false;
}

/* Elements that are neighbours on a diagonal are one row plus or minus one element apart. Therefore
 * also adds row lengths that are one less or one more than a frequent distance, if such a length
 * itself occurs as a distance, however rarely, and `fits` returns true. Sorts lengths that fit to
 * the front. */
static void add_rows_of_diagonals(struct rows *rows, const struct distances *distances,
                                  const struct array_shape *shape)
{
    const struct rows frequent = *rows;
    rows->count = 0;
    for (size_t i = 0; i < frequent.count; i++) {
        const uint64_t distance = frequent.all[i];
        if (fits(shape, distance))
            add_row(rows, distance);
        for (uint64_t row = distance - 1; row <= distance + 1; row += 2)
            if (row > 1 && row <= shape->last && fits(shape, row) && is_distance(distances, row))
                add_row(rows, row);
    }
    for (size_t i = 0; i < frequent.count; i++)
        add_row(rows, frequent.all[i]);
}

/* The number of elements in a row of a local array; 0 if unknown. It is also unknown if the most
 * frequent distance is small, because strides of 2 and 4 in a linear array cause such distances,
 * too. */
static uint64_t own_row_of(const struct distances *distances, const struct array_shape *shape)
{
    enum { MIN_ROW = 8 };
    const struct distance *most = NULL;
    for (size_t i = 0; i < distances->count; i++)
        if (distances->all[i].elements > 1 && (!most || distances->all[i].along_x > most->along_x))
            most = &distances->all[i];
    return !shape->is_local                                         ? 0
           : shape->row                                             ? shape->row
           : most && most->along_x > 0 && most->elements >= MIN_ROW ? most->elements
                                                                    : 0;
}

/* The row lengths to try: own_row or the declared length, and frequent distances. For a local array
 * also one round over all banks and, if no length is declared, lengths close to the frequent
 * distances (add_rows_of_diagonals). */
static struct rows rows_to_try(const struct distances *distances, const struct array_shape *shape,
                               uint64_t own_row, unsigned bank_round_bytes)
{
    enum { MAX_FREQUENT = 3 };
    struct rows rows = {.count = 0};
    const uint64_t first = own_row ? own_row : shape->row;
    if (first > 1 && first <= shape->last)
        add_row(&rows, first);
    size_t frequent = 0;
    for (size_t i = 0; i < distances->count && frequent < MAX_FREQUENT; i++) {
        const uint64_t distance = distances->all[i].elements;
        if (distance <= 1 || distance > shape->last ||
            distance * shape->element_bytes <= shape->max_bytes ||
            (double)distances->all[i].count < MIN_SHARE * (double)distances->total)
            continue;
        add_row(&rows, distance);
        frequent++;
    }
    if (shape->is_local && shape->row == 0)
        add_rows_of_diagonals(&rows, distances, shape);
    const uint64_t round = bank_round_bytes / shape->element_bytes;
    if (shape->is_local && round >= 2 && round <= shape->last)
        add_row(&rows, round);
    return rows;
}

/* If addresses depend on loaded data, so do the distances between them: drops the lengths that are
 * neither declared nor those of records. Returns whether there were any. */
static bool drop_unknown_rows(struct rows *rows, const struct array_shape *shape)
{
    const struct rows all = *rows;
    rows->count = 0;
    for (size_t i = 0; i < all.count; i++)
        if (all.all[i] == shape->row || all.all[i] * shape->element_bytes <= MAX_RECORD_BYTES)
            rows->all[rows->count++] = all.all[i];
    return rows->count < all.count;
}

/* Whether the three most frequent distances cover less than the fraction MIN_REGULAR of the pairs.
 */
static bool are_scattered(const struct distances *distances)
{
    size_t regular = 0;
    for (size_t i = 0; i < distances->count && i < 3; i++)
        regular += distances->all[i].count;
    return (double)regular < MIN_REGULAR * (double)distances->total;
}

void bl_array_layouts_find(const struct bl_accesses *accesses, struct bl_array_layouts *layouts)
{
    *layouts = (struct bl_array_layouts){.count = 0};
    if (accesses->count == 0)
        return;
    const struct array_shape shape = shape_of(accesses);
    const struct distances line = distances_of(accesses, shape.element_bytes, true),
                           distances = distances_of(accesses, shape.element_bytes, false);
    layouts->is_scattered = are_scattered(&line);
    if (layouts->is_scattered)
        return;
    const uint64_t likely = own_row_of(&distances, &shape);
    struct bl_array_layout bases[MAX_ROW_LENGTHS];
    struct rows rows = rows_to_try(&distances, &shape, likely, accesses->bank_round_bytes);
    if (accesses->is_gathered && !shape.is_local)
        layouts->is_gathered = drop_unknown_rows(&rows, &shape);
    /* If `likely` is a distance along a diagonal, rows_to_try begins with the length of a row. */
    const uint64_t own_row = likely && !shape.row && rows.count ? rows.all[0] : likely;
    const unsigned wide = shape.max_bytes / shape.element_bytes, unit = wide ? wide : 1;
    for (size_t i = 0; i < rows.count; i++) {
        const uint64_t used = shape.last / rows.all[i] + 1;
        bases[i] = (struct bl_array_layout){
            .element_bytes = shape.element_bytes,
            .row = rows.all[i],
            .unit = 1,
            .rows_each = 1,
            .rows =
                shape.is_local ? used : (used + ROWS_MULTIPLE - 1) / ROWS_MULTIPLE * ROWS_MULTIPLE,
            .elements = shape.last + 1,
            .is_local = shape.is_local,
            .has_records = !shape.is_local && rows.all[i] != accesses->launch_width &&
                           rows.all[i] * shape.element_bytes <= MAX_RECORD_BYTES,
            .is_own_row = rows.all[i] == own_row,
        };
        add_padded(layouts, bases[i], accesses->line_bytes / shape.element_bytes,
                   accesses->has_short_first && bases[i].is_own_row && shape.row == 0 &&
                       is_power_of_2(bases[i].row));
    }
    for (size_t i = 0; i < rows.count; i++)
        add_swizzled(layouts, bases[i], unit);
    for (size_t i = 0; i < rows.count && shape.min_bytes == shape.max_bytes; i++)
        add_turned(layouts, bases[i], unit);
    for (size_t i = 0; i < rows.count && shape.min_bytes != shape.max_bytes; i++)
        add_split(layouts, bases[i], accesses);
}

/* The new index of the element in column x of record y, if each member of the records has its own
 * array. */
static uint64_t place_of_member(const struct bl_array_layout *layout, uint64_t y, uint64_t x)
{
    uint64_t begin = x, end = x + 1;
    while (begin > 0 && !(layout->begins >> begin & 1))
        begin--;
    while (end < layout->row && !(layout->begins >> end & 1))
        end++;
    return begin * layout->rows + y * (end - begin) + x - begin;
}

uint64_t bl_array_layout_place(const struct bl_array_layout *layout, uint64_t offset)
{
    const uint64_t i = offset / layout->element_bytes, rest = offset % layout->element_bytes,
                   y = i / layout->row, x = i % layout->row, unit = layout->unit;
    uint64_t place = i;
    if (layout->kind == BL_ARRAY_PADDED)
        place = i + y * layout->pad;
    else if (layout->kind == BL_ARRAY_SWIZZLED)
        place = i ^ y / layout->rows_each % (layout->row / unit) * unit;
    else if (layout->kind == BL_ARRAY_TURNED)
        place = (x / unit * (layout->rows + layout->pad) + y) * unit + x % unit;
    else if (layout->kind == BL_ARRAY_SPLIT)
        place = place_of_member(layout, y, x);
    return place * layout->element_bytes + rest;
}

uint64_t bl_array_layout_address(const struct bl_array_layout *layout, uint64_t address)
{
    return (address & ~BL_OFFSET_MASK) + bl_array_layout_place(layout, address & BL_OFFSET_MASK);
}

uint64_t bl_array_layout_elements(const struct bl_array_layout *layout)
{
    const uint64_t rows = (layout->elements + layout->row - 1) / layout->row;
    switch (layout->kind) {
    case BL_ARRAY_PADDED:
        return layout->elements + (rows - 1) * layout->pad;
    case BL_ARRAY_SWIZZLED:
        return rows * layout->row;
    case BL_ARRAY_TURNED:
    case BL_ARRAY_SPLIT:
        return (layout->rows + layout->pad) * layout->row;
    case BL_ARRAY_UNCHANGED:
        break;
    }
    return layout->elements;
}

bool bl_array_layout_keeps(const struct bl_array_layout *layout, const struct bl_accesses *accesses)
{
    for (size_t i = 0; i < accesses->count; i++) {
        const unsigned bytes = accesses->all[i].bytes, last = bytes - layout->element_bytes;
        const uint64_t offset = offset_of(&accesses->all[i]),
                       place = bl_array_layout_place(layout, offset);
        if (bl_array_layout_place(layout, offset + last) != place + last ||
            (offset % bytes == 0 && place % bytes != 0))
            return false;
    }
    return true;
}

void bl_array_layout_words(const struct bl_array_layout *layout, char *words, size_t size)
{
    char pad[48] = "";
    if (layout->pad)
        snprintf(pad, sizeof pad, " and pad the new rows by %" PRIu64, layout->pad);
    switch (layout->kind) {
    case BL_ARRAY_PADDED:
        snprintf(words, size, "pad each row of %" PRIu64 " elements by %" PRIu64, layout->row,
                 layout->pad);
        return;
    case BL_ARRAY_SWIZZLED:
        snprintf(words, size, "swizzle each row of %" PRIu64 " elements", layout->row);
        return;
    case BL_ARRAY_TURNED:
    case BL_ARRAY_SPLIT:
        if (layout->has_records)
            snprintf(words, size,
                     "store one array for each member of the records of %" PRIu64 " bytes",
                     layout->row * layout->element_bytes);
        else
            snprintf(words, size, "transpose the array (rows of %" PRIu64 " elements)%s",
                     layout->row, pad);
        return;
    case BL_ARRAY_UNCHANGED:
        snprintf(words, size, "leave the array as it is");
    }
}

/* Writes " * 4" or " / 4"; nothing for 1. */
static const char *times(const char *operation, uint64_t number, char text[32])
{
    *text = '\0';
    if (number > 1)
        snprintf(text, 32, " %s %" PRIu64, operation, number);
    return text;
}

void bl_array_layout_index(const struct bl_array_layout *layout, char *text, size_t size)
{
    char each[32], unit[32];
    const uint64_t column = (layout->rows + layout->pad) * layout->unit;
    times("/", layout->rows_each, each);
    times("*", layout->unit, unit);
    switch (layout->kind) {
    case BL_ARRAY_UNCHANGED:
    case BL_ARRAY_PADDED:
        snprintf(text, size, "y * %" PRIu64 " + x", layout->row + layout->pad);
        return;
    case BL_ARRAY_SWIZZLED:
        snprintf(text, size, "y * %" PRIu64 " + (x ^ y%s %% %" PRIu64 "%s)", layout->row, each,
                 layout->row / layout->unit, unit);
        return;
    case BL_ARRAY_TURNED:
        if (!layout->is_local)
            snprintf(text, size,
                     layout->unit > 1 ? "(x / %" PRIu64 " * ROWS + y) * %" PRIu64 " + x %% %" PRIu64
                                      : "x * ROWS + y",
                     layout->unit, layout->unit, layout->unit);
        else if (layout->unit > 1)
            snprintf(text, size, "x / %" PRIu64 " * %" PRIu64 " + y * %" PRIu64 " + x %% %" PRIu64,
                     layout->unit, column, layout->unit, layout->unit);
        else
            snprintf(text, size, "x * %" PRIu64 " + y", column);
        return;
    case BL_ARRAY_SPLIT:
        *text = '\0';
    }
}

void bl_array_layout_expression(const struct bl_array_layout *layout, const char *index, char *text,
                                size_t size)
{
    char pad[32], unit[32];
    const uint64_t column = (layout->rows + layout->pad) * layout->unit;
    times("*", layout->pad, pad);
    times("*", layout->unit, unit);
    switch (layout->kind) {
    case BL_ARRAY_UNCHANGED:
        snprintf(text, size, "%s", index);
        return;
    case BL_ARRAY_PADDED:
        snprintf(text, size, "(%s) + (%s) / %" PRIu64 "%s", index, index, layout->row, pad);
        return;
    case BL_ARRAY_SWIZZLED:
        snprintf(text, size, "(%s) ^ (%s) / %" PRIu64 " %% %" PRIu64 "%s", index, index,
                 layout->row * layout->rows_each, layout->row / layout->unit, unit);
        return;
    case BL_ARRAY_TURNED:
        if (layout->unit > 1)
            snprintf(text, size,
                     "(%s) %% %" PRIu64 " / %" PRIu64 " * %" PRIu64 " + (%s) / %" PRIu64
                     " * %" PRIu64 " + (%s) %% %" PRIu64,
                     index, layout->row, layout->unit, column, index, layout->row, layout->unit,
                     index, layout->unit);
        else
            snprintf(text, size, "(%s) %% %" PRIu64 " * %" PRIu64 " + (%s) / %" PRIu64, index,
                     layout->row, column, index, layout->row);
        return;
    case BL_ARRAY_SPLIT:
        *text = '\0';
    }
}
