#include "page/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/pattern.h"
#include "model/predict.h"
#include "page/html.h"
#include "report/layout.h"

/* Groups cost alike but for the hash that chooses tag banks; few show its mean. */
enum { WIDEST = 64, FEW_GROUPS = 16 };

/* Clocks of a request; NAN: there is no rule. */
static double clocks_of(const struct bl_machine *machine, const struct bl_launch *launch)
{
    struct bl_prediction prediction;
    uint64_t *starts = bl_pattern_starts(BL_PATTERN_STRIDE_N, launch);
    const bool is_known = starts && bl_predict(machine, launch, starts, &prediction) == BL_OK;
    free(starts);
    return is_known ? prediction.clocks : (double)NAN;
}

bool bl_page_strides(const struct bl_machine *machine, struct bl_points *points)
{
    static const enum bl_memory memories[] = {BL_MEMORY_GLOBAL, BL_MEMORY_LOCAL};
    *points = (struct bl_points){.what = "memory",
                                 .columns = {{"stride", "elements"}, {"predicted", ""}}};
    for (unsigned m = 0; m < 2 && machine->has_rule; m++) {
        const struct bl_shape row = {machine->lanes, 1};
        struct bl_launch launch = bl_launch_for(machine, memories[m], &bl_type_int, row, 1);
        launch.groups = launch.groups < FEW_GROUPS ? launch.groups : FEW_GROUPS;
        while (launch.elements < (size_t)WIDEST * machine->lanes)
            launch.elements *= 2;
        const double contiguous = clocks_of(machine, &launch);
        for (launch.n = 1; launch.n <= WIDEST; launch.n++) {
            const double numbers[BL_POINT_NUMBERS] = {launch.n,
                                                      contiguous / clocks_of(machine, &launch)};
            if (isfinite(numbers[1]) &&
                !bl_points_add(points, bl_memory_name(memories[m]), numbers))
                return false;
        }
    }
    return true;
}

enum { MOST_SHAPES = 12, MOST_CASES = 60, WIDE = 64, HIGH = 22, LABEL = 180, TOP = 20 };

struct map {
    const struct bl_row_key *cases[MOST_CASES]; /* case and type are of them */
    size_t case_count;
    const char *shapes[MOST_SHAPES];
    size_t shape_count;
};

static bool is_of(const struct bl_row *row, const struct bl_row_key *key)
{
    return strcmp(row->key.case_id, key->case_id) == 0 && strcmp(row->key.type, key->type) == 0;
}

/* The rows are sorted by case, type and shape; of a case in one shape nothing is shown. */
static void find(const struct bl_run_rows *rows, struct map *map)
{
    for (size_t i = 0; i + 1 < rows->count && map->case_count < MOST_CASES; i++) {
        const struct bl_row *row = &rows->rows[i];
        const bool is_first = i == 0 || !is_of(&rows->rows[i - 1], &row->key);
        if (is_first && is_of(&rows->rows[i + 1], &row->key) &&
            strcmp(rows->rows[i + 1].key.shape, row->key.shape) != 0)
            map->cases[map->case_count++] = &row->key;
    }
    for (size_t i = 0; i < rows->count; i++)
        for (size_t c = 0; c < map->case_count; c++) {
            size_t s = 0;
            if (!is_of(&rows->rows[i], map->cases[c]))
                continue;
            while (s < map->shape_count && strcmp(map->shapes[s], rows->rows[i].key.shape) != 0)
                s++;
            if (s == map->shape_count && s < MOST_SHAPES)
                map->shapes[map->shape_count++] = rows->rows[i].key.shape;
        }
}

static const struct bl_row *row_of(const struct bl_run_rows *rows, const struct bl_row_key *key,
                                   const char *shape)
{
    for (size_t i = 0; i < rows->count; i++)
        if (is_of(&rows->rows[i], key) && strcmp(rows->rows[i].key.shape, shape) == 0)
            return &rows->rows[i];
    return NULL;
}

/* The fuller, the more is lost: from all of the throughput to a 32nd of it, by logarithms. The
 * figure stands in it, so that nobody need tell colours apart. */
static void put_cell(FILE *file, const struct bl_row *row, unsigned x, unsigned y)
{
    if (!row || !(row->measured > 0))
        return;
    const double lost = fmin(1, fmax(0, -log2(row->measured) / 5));
    char measured[16];
    fprintf(file,
            "<rect class=\"heat\" x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\" "
            "fill-opacity=\"%.2f\"/><text class=\"figure%s\" x=\"%u\" y=\"%u\">%s</text>",
            x, y, WIDE - 2, HIGH - 2, 0.75 * lost, row->verdict == BL_REFUTED ? " odd" : "",
            x + WIDE / 2, y + HIGH - 8, bl_format_ratio(row->measured, measured));
}

void bl_page_shapes(FILE *file, const struct bl_page *page)
{
    const struct bl_run_rows *rows = &page->runs[page->run_count - 1].rows;
    struct map map = {0};
    find(rows, &map);
    if (map.case_count == 0)
        return;
    const unsigned width = (unsigned)(LABEL + map.shape_count * WIDE),
                   height = (unsigned)(TOP + map.case_count * HIGH);
    fputs("<figure><figcaption><h3>Shapes of groups</h3><p>Measured throughput, of the baseline's, "
          "of cases in several shapes: the fuller a field, the more is lost; refuted predictions "
          "are underlined. The same figures are in <a href=\"#rows\">the table of all "
          "rows</a>.</p></figcaption>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
          "aria-label=\"Shapes of groups\">",
          file);
    fprintf(
        file,
        "<svg class=\"shapes\" role=\"img\" aria-label=\"a row for each case, a column for each "
        "shape\" viewBox=\"0 0 %u %u\" width=\"%u\" height=\"%u\">",
        width, height, width, height);
    for (size_t s = 0; s < map.shape_count; s++) {
        fprintf(file, "<text class=\"figure\" x=\"%u\" y=\"13\">",
                (unsigned)(LABEL + s * WIDE + WIDE / 2));
        bl_html(file, map.shapes[s]);
        fputs("</text>", file);
    }
    for (size_t c = 0; c < map.case_count; c++) {
        const unsigned y = (unsigned)(TOP + c * HIGH);
        fprintf(file, "<text x=\"0\" y=\"%u\">", y + HIGH - 8);
        bl_htmlf(file, "%.28s", map.cases[c]->case_id);
        fputs("</text>", file);
        for (size_t s = 0; s < map.shape_count; s++)
            put_cell(file, row_of(rows, map.cases[c], map.shapes[s]), (unsigned)(LABEL + s * WIDE),
                     y);
    }
    fputs("</svg></div></figure>\n", file);
}
