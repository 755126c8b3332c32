/* Pictures that need no gnuplot: the heat map of shapes, and the lines and banks of a request. A
 * text beside each picture describes it, for readers who cannot see it. */
#include "page/request_svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/launch.h"
#include "model/predict.h"
#include "page/html.h"
#include "page/page.h"

/* The model's predictions for the strides from 1 to 64. The picture of strides shows these
 * predictions as lines. */

/* All groups cost the same unless a hash chooses tag banks; then the mean of a few groups is used.
 */
enum { WIDEST = 64, FEW_GROUPS = 16 };

/* The mean clocks of a request; NAN if there is no rule or memory ran out. */
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

/* The heat map: each case's ratio in each shape of group. */

enum {
    MOST_SHAPES = 12,
    MOST_CASES = 60,
    NARROW_SHAPES = 6 /* in a narrow window, page.css hides the further shapes. The first column is
                         the case, so hidden columns begin at NARROW_SHAPES + 2 */
};

struct map {
    const struct bl_row_key *cases[MOST_CASES]; /* keys of the cases; only their case and type are
                                                   used */
    size_t case_count;
    const char *shapes[MOST_SHAPES];
    size_t shape_count;
};

static bool is_of(const struct bl_row *row, const struct bl_row_key *key)
{
    return strcmp(row->key.case_id, key->case_id) == 0 && strcmp(row->key.type, key->type) == 0;
}

/* Collects cases and shapes. The rows are sorted by case, type and shape. Cases with a single shape
 * are omitted. */
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

/* Writes a cell whose colour shows the loss of throughput, from none to 31/32, on a logarithmic
 * scale. The cell also contains the figure, so readers need not distinguish colours. */
static void put_cell(FILE *file, const struct bl_row *row)
{
    if (!row || !(row->measured > 0)) {
        fputs("<td></td>", file);
        return;
    }
    const double lost = fmin(1, fmax(0, -log2(row->measured) / 5));
    fprintf(file, "<td class=\"number%s\" style=\"--lost:%.0f%%\">%.*f</td>",
            row->verdict == BL_REFUTED ? " refuted" : "", 100 * lost, row->measured < 0.1 ? 3 : 2,
            row->measured);
}

void bl_page_shapes(FILE *file, const struct bl_page *page)
{
    const struct bl_run_rows *rows = &page->runs[page->run_count - 1].rows;
    struct map map = {0};
    find(rows, &map);
    if (map.case_count == 0)
        return;
    fputs("<h2 id=\"shapes\">Shapes of groups</h2>\n<p>Throughput relative to the baseline, by "
          "group shape; a deeper colour means a larger loss. Refuted predictions are "
          "underlined.</p>\n",
          file);
    if (map.shape_count > NARROW_SHAPES)
        bl_html_block(file, "p class=\"narrow\"",
                      "A narrow window shows only the first %d shapes; the table of all rows "
                      "contains the others.",
                      NARROW_SHAPES);
    bl_html_scroll(file, "Shapes of groups");
    fputs("<table class=\"sorts shapes\"><thead><tr>", file);
    bl_html_heading(file, "case", NULL);
    for (size_t s = 0; s < map.shape_count; s++)
        bl_html_heading(file, map.shapes[s], BL_RATIO_UNIT);
    fputs("</tr></thead><tbody>\n", file);
    for (size_t c = 0; c < map.case_count; c++) {
        bl_html_row(file, map.cases[c]->case_id);
        for (size_t s = 0; s < map.shape_count; s++)
            put_cell(file, row_of(rows, map.cases[c], map.shapes[s]));
        fputs("</tr>\n", file);
    }
    fputs("</tbody></table></div>\n", file);
}

/* The picture of one request: the lines and sectors that its lanes touch, and the words that the
 * lanes want from each bank. */

/* A row is as high as a line of text. FOOT is the distance from the top of a row to the foot of its
 * text. */
enum { SIDE = 11, GAP = 1, STEP = SIDE + GAP, FOOT = 9, MAX_LINES = 32, LABEL = 62, TOP = 17 };

/* The lines and words that a request touches: lines in the order of the lanes, words sorted. */
struct touched {
    uint64_t lines[BL_MAX_LANES * 2];
    uint64_t sectors[BL_MAX_LANES * 2]; /* for each line, one bit per touched sector */
    unsigned line_count;
    uint64_t words[BL_MAX_LANES * 16]; /* the word of each byte that a lane accesses, so most words
                                          occur repeatedly */
    unsigned word_count;
    unsigned wanted[BL_MAX_BANKS]; /* number of distinct words wanted from each bank */
};

static void add_line(const struct bl_machine *machine, uint64_t address, struct touched *touched)
{
    const uint64_t line = address / machine->line_bytes;
    unsigned i = 0;
    while (i < touched->line_count && touched->lines[i] != line)
        i++;
    if (i == touched->line_count) {
        if (i == sizeof touched->lines / sizeof *touched->lines)
            return;
        touched->lines[touched->line_count++] = line;
        touched->sectors[i] = 0;
    }
    const unsigned sector_bytes =
        machine->sector_bytes ? machine->sector_bytes : machine->line_bytes;
    touched->sectors[i] |= (uint64_t)1 << address % machine->line_bytes / sector_bytes;
}

static int by_number(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static void look(const struct bl_machine *machine, const struct bl_request *request,
                 struct touched *touched)
{
    *touched = (struct touched){0};
    const bool has_lines = request->memory != BL_MEMORY_LOCAL,
               has_banks = machine->banks > 0 &&
                           (request->memory == BL_MEMORY_LOCAL || machine->banks_serve_global);
    for (unsigned lane = 0; lane < request->lanes; lane++)
        for (unsigned byte = 0; byte < request->access_bytes; byte++) {
            const uint64_t address = request->addresses_bytes[lane] + byte;
            if (has_lines)
                add_line(machine, address, touched);
            if (has_banks && touched->word_count < sizeof touched->words / sizeof *touched->words)
                touched->words[touched->word_count++] = address / machine->bank_bytes;
        }
    qsort(touched->words, touched->word_count, sizeof *touched->words, by_number);
    for (unsigned i = 0; has_banks && i < touched->word_count; i++)
        if (i == 0 || touched->words[i] != touched->words[i - 1])
            touched->wanted[touched->words[i] % machine->banks]++;
}

/* The kinds of squares, and their classes in CSS. */
enum square { UNUSED, USED, AGAIN, KINDS };
static const char *const kind_classes[KINDS] = {"cell", "used", "again"};

/* A drawing in progress. The squares of each kind form one path, whose commands are collected as
 * text. */
struct drawing {
    FILE *file; /* labels */
    FILE *paths[KINDS];
};

static void put_square(struct drawing *drawing, unsigned x, unsigned y, enum square kind)
{
    fprintf(drawing->paths[kind], "M%u %uh%dv%dh-%dz", x, y, (int)SIDE, (int)SIDE, (int)SIDE);
}

static unsigned sectors_of(const struct bl_machine *machine)
{
    return machine->sector_bytes ? machine->line_bytes / machine->sector_bytes : 1;
}

/* Draws a row of sectors per line, labelled with the tag bank. Returns the y below the rows. */
static unsigned draw_lines(struct drawing *drawing, const struct bl_machine *machine,
                           const struct touched *touched)
{
    const unsigned shown = touched->line_count < MAX_LINES ? touched->line_count : MAX_LINES;
    unsigned y = TOP;
    fprintf(drawing->file, "<text x=\"0\" y=\"%d\">lines</text>", FOOT + 2);
    for (unsigned i = 0; i < shown; i++, y += STEP) {
        fprintf(drawing->file, "<text x=\"0\" y=\"%u\">tags %u</text>", y + FOOT,
                bl_tag_bank(machine, touched->lines[i]));
        for (unsigned s = 0; s < sectors_of(machine); s++)
            put_square(drawing, LABEL + s * STEP, y, touched->sectors[i] >> s & 1 ? USED : UNUSED);
    }
    if (shown < touched->line_count)
        fprintf(drawing->file, "<text x=\"0\" y=\"%u\">and %u more</text>", y + FOOT,
                touched->line_count - shown);
    return y + (shown < touched->line_count ? STEP : 0) + TOP;
}

/* Draws a column of words per bank. Returns the y below the columns. */
static unsigned draw_banks(struct drawing *drawing, const struct bl_machine *machine, unsigned top,
                           const struct touched *touched)
{
    unsigned most = 1;
    for (unsigned bank = 0; bank < machine->banks; bank++)
        most = touched->wanted[bank] > most ? touched->wanted[bank] : most;
    const unsigned rows = most < MAX_LINES ? most : MAX_LINES;
    fprintf(drawing->file, "<text x=\"0\" y=\"%u\">words of each of %u banks</text>",
            top + FOOT + 2, machine->banks);
    for (unsigned bank = 0; bank < machine->banks; bank++)
        for (unsigned row = 0; row < rows; row++)
            if (row < touched->wanted[bank] || row == 0)
                put_square(drawing, bank * STEP, top + TOP + row * STEP,
                           row >= touched->wanted[bank] ? UNUSED
                           : row                        ? AGAIN
                                                        : USED);
    return top + TOP + rows * STEP;
}

void bl_page_cells_words(const struct bl_machine *machine, const struct bl_request *request,
                         char words[320])
{
    struct bl_cost cost;
    *words = '\0';
    if (bl_cost_of(machine, request, &cost) != BL_OK)
        return;
    bl_text_add(words, 320, "%u lanes", request->lanes);
    if (cost.lines)
        bl_text_add(words, 320, " touch %u line%s", cost.lines, bl_plural(cost.lines));
    if (cost.sectors)
        bl_text_add(words, 320, " in %u sector%s", cost.sectors, bl_plural(cost.sectors));
    if (cost.tag_passes)
        bl_text_add(words, 320, "; the busiest tag bank looks up %u line%s", cost.tag_passes,
                    bl_plural(cost.tag_passes));
    if (cost.bank_passes)
        bl_text_add(words, 320, "%s the busiest bank delivers %u word%s", cost.lines ? ";" : ":",
                    cost.bank_passes, bl_plural(cost.bank_passes));
    bl_text_add(words, 320, "; in total %u clock%s", cost.clocks, bl_plural(cost.clocks));
}

/* Writes the banks that must deliver `wanted` words, such as "0 to 3, 8". */
static void put_banks(FILE *file, const struct bl_machine *machine, const struct touched *touched,
                      unsigned wanted)
{
    const char *before = "";
    for (unsigned bank = 0; bank < machine->banks; bank++) {
        unsigned last = bank;
        if (touched->wanted[bank] != wanted)
            continue;
        while (last + 1 < machine->banks && touched->wanted[last + 1] == wanted)
            last++;
        if (last > bank)
            fprintf(file, "%s%u to %u", before, bank, last);
        else
            fprintf(file, "%s%u", before, bank);
        before = ", ";
        bank = last;
    }
}

/* Writes the picture as a collapsed table: a row for each line; then for each number of words, a
 * row with the banks that deliver that number of words. */
static void put_table(FILE *file, const struct bl_machine *machine, const struct touched *touched)
{
    unsigned most = 0;
    for (unsigned bank = 0; bank < machine->banks && touched->word_count; bank++)
        most = touched->wanted[bank] > most ? touched->wanted[bank] : most;
    fputs("<details><summary>As a table</summary><table>", file);
    if (touched->line_count)
        fputs("<tr><th>line<th>tag bank<th>sectors", file);
    for (unsigned i = 0; i < touched->line_count; i++) {
        fprintf(file, "<tr><td>%u<td>%u<td>", i, bl_tag_bank(machine, touched->lines[i]));
        for (unsigned s = 0, count = 0; s < sectors_of(machine); s++)
            if (touched->sectors[i] >> s & 1)
                fprintf(file, count++ ? ", %u" : "%u", s);
    }
    if (most)
        fputs("<tr><th>words<th colspan=\"2\">of each of the banks", file);
    for (unsigned wanted = most; wanted > 0; wanted--) {
        bool is_there = false;
        for (unsigned bank = 0; bank < machine->banks; bank++)
            is_there = is_there || touched->wanted[bank] == wanted;
        if (!is_there)
            continue;
        fprintf(file, "<tr><td>%u<td colspan=\"2\" class=\"words\">", wanted);
        put_banks(file, machine, touched, wanted);
    }
    fputs("</table></details>\n", file);
}

/* Draws into memory. Returns the SVG's height, or 0 if memory runs out. */
static unsigned draw(struct drawing *drawing, char *texts[KINDS + 1],
                     const struct bl_machine *machine, const struct touched *touched)
{
    size_t sizes[KINDS + 1];
    bool is_whole = (drawing->file = open_memstream(&texts[KINDS], &sizes[KINDS]));
    unsigned y = 0;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        drawing->paths[kind] = open_memstream(&texts[kind], &sizes[kind]);
        is_whole = is_whole && drawing->paths[kind];
    }
    if (is_whole && touched->line_count)
        y = draw_lines(drawing, machine, touched);
    if (is_whole && touched->word_count)
        y = draw_banks(drawing, machine, y, touched);
    for (unsigned kind = 0; kind < KINDS; kind++)
        is_whole = drawing->paths[kind] && fclose(drawing->paths[kind]) == 0 && is_whole;
    is_whole = drawing->file && fclose(drawing->file) == 0 && is_whole;
    return is_whole ? y + 2 : 0;
}

void bl_page_cells(FILE *file, const struct bl_machine *machine, const struct bl_request *request,
                   const char *id)
{
    struct touched *touched = malloc(sizeof *touched);
    char *texts[KINDS + 1] = {NULL}, words[320];
    struct drawing drawing;
    bl_page_cells_words(machine, request, words);
    unsigned height = 0;
    if (touched && *words) {
        look(machine, request, touched);
        height = draw(&drawing, texts, machine, touched);
    }
    if (height) {
        const unsigned wide = touched->word_count ? machine->banks * STEP : 0;
        const unsigned width = wide > LABEL + 140 ? wide : LABEL + 140;
        fprintf(file, "<svg role=\"img\" viewBox=\"0 0 %u %u\" width=\"%u\" height=\"%u\" ", width,
                height, width, height);
        fputs("aria-label=\"", file);
        bl_htmlf(file, "%s: %s", id, words);
        fputs("\">", file);
        for (unsigned kind = 0; kind < KINDS; kind++)
            if (*texts[kind])
                fprintf(file, "<path class=\"%s\" d=\"%s\"/>", kind_classes[kind], texts[kind]);
        fprintf(file, "%s</svg>\n", texts[KINDS]);
        put_table(file, machine, touched);
    }
    for (unsigned i = 0; i <= KINDS; i++)
        free(texts[i]);
    free(touched);
}
